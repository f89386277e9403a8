/*
 * page_job.c - see page_job.h.
 */
#include "tui/page_job.h"

#include <stdlib.h>

#include "output/report_page.h"
#include "util/clock.h"
#include "util/mem.h"

#define SLICE 0.006 /* s */

struct page_job {
    struct report_page *page; /* owned */
    char path[GP_PATH_MAX];
};

enum gp_status page_job_begin(struct app *app, const char *path, struct gp_err *err)
{
    struct options options;
    struct report_page *page;
    enum gp_status rc;

    page_job_end(app);
    form_ask(app->form, &options);
    if (!app->form->answered) {
        *err = app->form->err;
        return err->code;
    }
    rc = report_page_begin(app->form->planner, &options, app->form->answer, &page, err);
    if (rc)
        return rc;
    app->page = gp_calloc(1, sizeof(*app->page));
    app->page->page = page;
    gp_copy(app->page->path, sizeof(app->page->path), path);
    app_report(app, false, "writing %s ...", path);
    return GP_OK;
}

static void page_write(struct app *app)
{
    struct page_job *job = app->page;
    struct strbuf out;
    struct gp_err err = {0};

    strbuf_init(&out);
    report_page_write(job->page, (enum document_format)document_format_of(job->path), &out);
    if (path_write(job->path, out.text, out.len, &err))
        app_report_err(app, &err);
    else
        app_report(app, false, "written to %s: the plan, alternatives and curves",
                   job->path);
    strbuf_fini(&out);
    report_page_free(job->page);
    free(job);
    app->page = NULL;
    app_touch(app);
}

double page_job_tick(struct app *app, double now)
{
    if (!app->page)
        return -1;
    while (report_page_step(app->page->page, 1))
        if (clock_now() > now + SLICE)
            return 0;
    page_write(app);
    return -1;
}

void page_job_end(struct app *app)
{
    if (!app->page)
        return;
    while (report_page_step(app->page->page, 1000))
        ;
    page_write(app);
}
