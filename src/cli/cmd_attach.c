/*
 * cmd_attach.c - gpuplan --attach FILE|- [FILE]: a running server's metrics against the plan.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "logs/attach.h"

struct pages {
    struct scrape page[2], seen;
    struct attach_options request;
    struct answer answer;
    char why[400]; /* there is no plan */
};

static enum gp_status read_page(const char *path, struct scrape *out, struct gp_err *err)
{
    char *text = NULL;
    size_t len = 0;
    enum gp_status rc = path_read_input(path, SCRAPE_BYTES, &text, &len, err);

    if (!rc)
        rc = scrape_parse(path, text, len, out, err);
    free(text);
    return rc;
}

/* Seconds between the two pages: as given, else from the dates of the two files. */
static enum gp_status read_interval(const struct invocation *in, double *seconds,
                                    struct gp_err *err)
{
    struct stat a, b;

    *seconds = options_or(&in->options, OPT_INTERVAL, 0);
    if (*seconds <= 0 && stat(in->args[0], &a) == 0 && stat(in->args[1], &b) == 0)
        *seconds = (double)(b.st_mtim.tv_sec - a.st_mtim.tv_sec) +
                   (double)(b.st_mtim.tv_nsec - a.st_mtim.tv_nsec) * 1e-9;
    if (*seconds > 0)
        return GP_OK;
    return gp_fail(err, GP_E_USAGE, "--interval", "the earlier page first; --interval SECONDS",
                   "the time between the two pages is not known");
}

static enum gp_status read_pages(const struct invocation *in, struct pages *p, struct gp_err *err)
{
    double seconds;
    enum gp_status rc = read_page(in->args[0], &p->page[0], err);

    p->seen = p->page[0];
    if (rc || in->arg_count == 1)
        return rc;
    rc = read_page(in->args[1], &p->page[1], err);
    if (!rc)
        rc = read_interval(in, &seconds, err);
    return rc ? rc : scrape_between(in->args[1], &p->page[0], &p->page[1], seconds, &p->seen, err);
}

/* A page without a plan still tells its own figures. */
static bool plan_server(struct invocation *in, struct pages *p, struct gp_err *err)
{
    enum gp_status rc = attach_request(&p->seen, &in->options, &p->request, err);

    if (!rc && p->request.options.model_count == 0)
        rc = gp_fail(err, GP_E_USAGE, in->args[0], "give --model", "the page names no model");
    if (!rc)
        rc = planner_answer(in->planner, &p->request.options, &p->answer, err);
    if (!rc && p->answer.resolved.gpu_chosen && !p->answer.resolved.gpu_local)
        rc = gp_fail(err, GP_E_USAGE, in->args[0], "give --gpu",
                     "a page does not name the GPU, and none is in this machine");
    if (!rc && p->request.one)
        gp_copy(p->why, sizeof(p->why),
                "one GPU is assumed; for more give --gpu GPU:COUNT and --tp");
    if (rc)
        gp_format(p->why, sizeof(p->why), "not planned: %.200s%s%.120s", err->text,
                  err->hint[0] ? "; " : "", err->hint);
    return !rc;
}

static enum gp_status run_attach(struct invocation *in, struct gp_err *err)
{
    struct pages *p;
    struct record doc;
    enum gp_status rc;

    if (in->arg_count < 1 || in->arg_count > 2)
        return gp_fail(err, GP_E_USAGE, "--attach",
                       "curl -s HOST:PORT/metrics | gpuplan --attach -",
                       in->arg_count ? "takes one page or two" : "needs a metrics page");
    if (in->format != OUTPUT_TEXT && in->format != OUTPUT_JSON)
        return gp_fail(err, GP_E_USAGE, "--format", "text or json",
                       "a page cannot be printed as a table");
    p = gp_calloc(1, sizeof(*p));
    rc = read_pages(in, p, err);
    if (!rc) {
        bool planned = plan_server(in, p, err);

        record_init(&doc);
        attach(in->args[in->arg_count - 1], &p->seen, in->planner, planned ? &p->answer : NULL,
               p->why, &doc);
        if (in->format == OUTPUT_JSON)
            record_json(&doc, &in->out);
        else if (in->quiet)
            strbuf_addf(&in->out, "%s\n", record_get(&doc, "binds"));
        else
            attach_text(&doc, &in->out);
        record_fini(&doc);
        in->exit_code = planned ? 0 : gp_status_exit(GP_E_USAGE);
    }
    free(p);
    return rc;
}

const struct command cmd_attach = {
    .name = "attach",
    .usage = "FILE|- [FILE] [-m MODEL] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "a running server's metrics page, or two, against the plan",
    .bit = FOR_ATTACH,
    .one = ONE_EACH,
    .several = "attach to one server at a time",
    .run = run_attach,
};
