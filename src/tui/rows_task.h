/*
 * rows_task.h - the rows of a comparison (compare_run.h), planned by the worker.
 */
#ifndef GP_TUI_ROWS_TASK_H
#define GP_TUI_ROWS_TASK_H

#include "answer/compare_run.h"
#include "tui/worker.h"

struct rows_task {
    struct comparison *run; /* NULL: none; with the rows that were taken */
    struct task *task;
    struct rows_job *job; /* the task's */
    bool complete;        /* all rows are taken, sorted, those on the front marked */
};

/* run: the task's from now on. */
void rows_task_begin(struct rows_task *rows, struct worker *worker, struct comparison *run);
/* Takes what has come: true when there was a new row. */
bool rows_task_take(struct rows_task *rows);
/* With its comparison: nobody looks at a row of it any more. */
void rows_task_drop(struct rows_task *rows);

#endif
