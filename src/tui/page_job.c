/*
 * page_job.c - see page_job.h.
 */
#include "tui/page_job.h"

#include <math.h>
#include <stdlib.h>

#include "answer/report_page.h"
#include "base/mem.h"

struct page_job {
    struct form_copy form;
    char path[GP_PATH_MAX];
    struct report_page *page; /* while it is made */
    struct strbuf out;        /* when it is done, */
    struct gp_err err;        /* or why it cannot be */
};

static bool page_unit(void *ctx, int i, struct planner *planner)
{
    struct page_job *job = ctx;
    struct options options;

    if (i == 0) {
        report_page_free(job->page);
        job->err = (struct gp_err){0};
        values_ask(&job->form.values, &options);
        if (report_page_begin(planner, &options, NULL, &job->page, &job->err))
            job->page = NULL;
    }
    if (!job->page)
        return false;
    if (report_page_step(job->page, 1))
        return true;
    strbuf_clear(&job->out);
    report_page_write(job->page, &job->out);
    report_page_free(job->page);
    job->page = NULL;
    return false;
}

static void page_free(void *ctx)
{
    struct page_job *job = ctx;

    report_page_free(job->page);
    strbuf_fini(&job->out);
    free(job);
}

static const struct task_ops page_ops = {TASK_PAGE, page_unit, page_free};

enum gp_status page_job_begin(struct app *app, const char *path, struct gp_err *err)
{
    struct page_job *job;

    page_job_end(app);
    if (!app->form->answered) {
        *err = app->form->err;
        return err->code;
    }
    job = gp_calloc(1, sizeof(*job));
    form_copy(app->form, &job->form);
    gp_copy(job->path, sizeof(job->path), path);
    strbuf_init(&job->out);
    app->page = job;
    app->page_task = task_begin(app->worker, &page_ops, job);
    app_report(app, false, "writing %s ...", path);
    return GP_OK;
}

static void page_write(struct app *app)
{
    struct page_job *job = app->page;

    if (!job->err.code)
        path_write(job->path, job->out.text, job->out.len, &job->err);
    if (job->err.code)
        app_report_err(app, &job->err);
    else
        app_report(app, false, "written to %s: the plan, alternatives and curves", job->path);
    task_drop(&app->page_task);
    app->page = NULL;
    app_touch(app);
}

bool page_job_tick(struct app *app)
{
    if (app->page && task_finished(app->page_task))
        page_write(app);
    return app->page != NULL;
}

void page_job_end(struct app *app)
{
    if (!app->page)
        return;
    task_wait(app->page_task, INFINITY);
    page_write(app);
}
