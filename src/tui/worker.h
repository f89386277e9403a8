/*
 * worker.h - the one thread that plans while keys are answered.
 *
 * Under a rate one plan may take 300 ms, and a key is to be painted within 16. So the answer
 * of a changed form, and what is shown beside it (alternatives, columns of choosers, Compare's
 * rows, curves, the page of a report) is a task of units. The thread does unit after unit; of
 * several tasks the one of the least rank goes first, of one rank the newest.
 *
 *   task = task_begin(worker, &ops, job);       the job is the task's from now on
 *   ... each tick: look at what units 0 .. task_done(task) - 1 have left in the job
 *   task_drop(&task);                           ends its unit early (search.h); frees the job
 *
 * A unit writes what is its own, and nobody reads that before task_done() counts it; it
 * reads what was there before the task began, or what earlier units left. That and the
 * planner, which is the thread's own, is why nothing is locked in between.
 *
 * An answer does not wait for what is shown beside the one before: the unit that runs is
 * ended early (search_abandoned() in it), is not counted, and runs again afterwards. So a unit
 * may find what it left when it was cut short, and writes it anew.
 *
 * Without a thread (scripts, or none to be had) task_begin() does all units at once.
 */
#ifndef GP_TUI_WORKER_H
#define GP_TUI_WORKER_H

#include <stdbool.h>

#include "answer/planner.h"

#define WORKER_POLL 0.008 /* s between two looks at a task */

enum task_rank { TASK_ANSWER, TASK_LIST, TASK_SCREEN, TASK_BELOW, TASK_PAGE };

struct task_ops {
    enum task_rank rank;
    /* Unit i of the job; true: there is one more. */
    bool (*unit)(void *job, int i, struct planner *planner);
    void (*free)(void *job);
};
struct worker;
struct task;

/* planner: of who calls, for tasks without a thread; profiles: as in planner_new. NULL: units
 * get no planner. */
struct worker *worker_new(struct planner *planner, const char *profiles);
void worker_start(struct worker *worker); /* the thread; from now on tasks are its own */
void worker_free(struct worker *worker);  /* ends its unit early; NULL: nothing */
/* What was measured here is looked for again before the next unit. */
void worker_reload_measurements(struct worker *worker);

struct task *task_begin(struct worker *worker, const struct task_ops *ops, void *job);
int task_done(const struct task *task); /* units */
bool task_finished(const struct task *task);
/* Until all is done, or clock_now() is `until`. */
void task_wait(struct task *task, double until);
void task_drop(struct task **task); /* NULL afterwards; one that is NULL: nothing */

#endif
