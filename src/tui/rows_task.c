/*
 * rows_task.c - see rows_task.h.
 */
#include "tui/rows_task.h"

#include <stdlib.h>

#include "base/mem.h"

struct rows_job {
    struct comparison *run;
    struct compared **row; /* (total) planned, not taken yet; NULL: taken */
};

static bool rows_unit(void *ctx, int i, struct planner *planner)
{
    struct rows_job *job = ctx;

    (void)planner;
    free(job->row[i]); /* one that was cut short */
    job->row[i] = comparison_plan(job->run, (size_t)i);
    return (size_t)i + 1 < comparison_total(job->run);
}

static void rows_free(void *ctx)
{
    struct rows_job *job = ctx;

    for (size_t i = 0; i < comparison_total(job->run); i++)
        free(job->row[i]);
    free(job->row);
    comparison_free(job->run);
    free(job);
}

static const struct task_ops rows_ops = {TASK_BELOW, rows_unit, rows_free};

void rows_task_begin(struct rows_task *rows, struct worker *worker, struct comparison *run)
{
    rows_task_drop(rows);
    rows->run = run;
    rows->job = gp_calloc(1, sizeof(*rows->job));
    rows->job->run = run;
    rows->job->row = gp_calloc(comparison_total(run) + 1, sizeof(*rows->job->row));
    rows->task = task_begin(worker, &rows_ops, rows->job);
}

bool rows_task_take(struct rows_task *rows)
{
    size_t before, done;

    if (!rows->run || rows->complete)
        return false;
    before = comparison_done(rows->run);
    done = (size_t)task_done(rows->task);
    for (size_t i = before; i < done; i++) {
        rows->complete = !comparison_take(rows->run, rows->job->row[i]);
        rows->job->row[i] = NULL;
    }
    return done > before;
}

void rows_task_drop(struct rows_task *rows)
{
    task_drop(&rows->task);
    *rows = (struct rows_task){0};
}
