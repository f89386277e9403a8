/*
 * cmd_check_log.c - what an engine says of itself against the plan:
 *
 *   gpuplan --check-log FILE|-        its start-up log
 *   gpuplan --attach FILE|- [FILE]    a running server's metrics page, or two
 *
 * What tells too little for a plan still tells its own figures, and the exit code says so.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "logs/attach.h"
#include "logs/log_check.h"

struct pages {
    struct scrape page[2], seen;
    struct attach_options request;
    struct answer answer;
};

/* Plans what the log or the page (NULL: a log) names, unless rc says that it cannot be
 * understood; `why` is why there is no plan. */
static bool plan_seen(struct invocation *in, enum gp_status rc, const struct options *options,
                      struct pages *pages, struct answer *answer, struct strbuf *why,
                      struct gp_err *err)
{
    const char *what = pages ? "page" : "log";

    if (!rc && options->model_count == 0)
        rc = gp_fail(err, GP_E_USAGE, in->args[0], "give --model", "the %s names no model", what);
    if (!rc)
        rc = pages ? attach_plan(&pages->seen, in->planner, &pages->request, answer, err)
                   : planner_answer(in->planner, options, answer, err);
    if (!rc && answer->resolved.gpu_chosen && !answer->resolved.gpu_local)
        rc = gp_fail(err, GP_E_USAGE, in->args[0], "give --gpu",
                     "the %s does not name the GPU, and none is in this machine", what);
    if (!rc)
        return true;
    bool named = err->where[0] && strcmp(err->where, in->args[0]) != 0;
    strbuf_addf(why, "not planned: %s%s%s%s%s", named ? err->where : "", named ? ": " : "",
                err->text, err->hint[0] ? "; " : "", err->hint);
    return false;
}

/* ---- a start-up log ---- */

/* What a log needs to be checked: it is too large for a stack. */
struct check {
    struct enginelog log;
    struct log_request request;
    struct answer answer;
};

static void print_check(struct invocation *in, struct check *c, struct gp_err *err)
{
    enum gp_status rc =
        log_request(planner_catalog(in->planner), &c->log, &in->options, &c->request, err);
    struct log_verdict verdict;
    struct record doc = {0};
    struct strbuf why = STRBUF_EMPTY;

    bool planned = plan_seen(in, rc, &c->request.request.options, NULL, &c->answer, &why, err);
    log_check(in->args[0], &c->log, &c->request, planned ? &c->answer : NULL, why.text, &doc,
              &verdict);
    command_print(in, &doc, "status", log_check_text);
    record_fini(&doc);
    strbuf_fini(&why);
    in->exit_code = verdict.failed ? 1 : 0;
    if (!planned)
        in->exit_code = gp_status_exit(GP_E_USAGE);
    else if (verdict.outside && options_flag(&in->options, OPT_STRICT))
        in->exit_code = gp_status_exit(GP_E_CHECK);
}

static enum gp_status run_check_log(struct invocation *in, struct gp_err *err)
{
    struct check *c = gp_calloc(1, sizeof(*c));
    const char *path = in->args[0];
    char *text = NULL;
    size_t len = 0;
    struct stat file;
    enum gp_status rc = path_read_input(path, ENGINELOG_BYTES, &text, &len, err);

    if (rc && stat(path, &file) == 0 && file.st_size > (off_t)ENGINELOG_BYTES)
        gp_format(err->hint, sizeof(err->hint),
                  "the start is enough: head -n 20000 %.120s | gpuplan --check-log - ...", path);
    if (!rc)
        rc = enginelog_parse(path, text, len, &c->log, err);
    if (!rc)
        print_check(in, c, err);
    free(text);
    free(c);
    return rc;
}

const struct command cmd_check_log = {
    .name = "check-log",
    .usage = "FILE|- [-m MODEL] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "a start-up log of an engine against the plan, term by term",
    .bit = FOR_CHECK_LOG,
    .least = 1,
    .most = 1,
    .takes = "one file",
    .example = "- reads standard input",
    .text = "a check",
    .one = ONE_EACH,
    .several = "check one log at a time",
    .run = run_check_log,
};

/* ---- metrics pages ---- */

/* "http://host:8000/metrics", "host:8000": the part before the page; 0: no server's address. */
static bool is_address(const char *text)
{
    const char *port = strrchr(text, ':');

    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0 ||
           (port && port > text && port[1 + strspn(port + 1, "0123456789")] == '/') ||
           (port && port > text && port[1] && !port[1 + strspn(port + 1, "0123456789")]);
}

/* Nothing here speaks to a network: curl does. */
static enum gp_status refuse_address(const char *text, struct gp_err *err)
{
    const char *host = strstr(text, "://");
    bool page = strchr(host ? host + 3 : text, '/') != NULL;
    struct strbuf url = STRBUF_EMPTY;

    strbuf_quote(&url, text);
    gp_fail(err, GP_E_USAGE, "--attach", "", "gpuplan opens no connection");
    gp_format(err->hint, sizeof(err->hint), "curl -s %s%s | gpuplan --attach - ...", url.text,
              page ? "" : "/metrics");
    strbuf_fini(&url);
    return GP_E_USAGE;
}

static enum gp_status read_page(const char *path, struct scrape *out, struct gp_err *err)
{
    char *text = NULL;
    size_t len = 0;
    enum gp_status rc = path_read_input(path, SCRAPE_BYTES, &text, &len, err);

    if (rc && is_address(path) && !path_is_there(path))
        rc = refuse_address(path, err);
    if (!rc)
        rc = scrape_parse(path, text, len, out, err);
    free(text);
    return rc;
}

static enum gp_status read_pages(const struct invocation *in, struct pages *p, struct gp_err *err)
{
    double seconds = options_or(&in->options, OPT_INTERVAL, 0);
    struct stat a, b;
    enum gp_status rc = read_page(in->args[0], &p->page[0], err);

    p->seen = p->page[0];
    if (rc || in->arg_count == 1)
        return rc;
    rc = read_page(in->args[1], &p->page[1], err);
    if (rc)
        return rc;
    if (seconds <= 0 && stat(in->args[0], &a) == 0 && stat(in->args[1], &b) == 0)
        seconds = (double)(b.st_mtim.tv_sec - a.st_mtim.tv_sec) +
                  (double)(b.st_mtim.tv_nsec - a.st_mtim.tv_nsec) * 1e-9;
    if (seconds <= 0)
        return gp_fail(err, GP_E_USAGE, "--interval", "the earlier page first; --interval SECONDS",
                       "the time between the two pages is not known");
    return scrape_between(in->args[1], &p->page[0], &p->page[1], seconds, &p->seen, err);
}

static enum gp_status run_attach(struct invocation *in, struct gp_err *err)
{
    struct pages *p = gp_calloc(1, sizeof(*p));
    struct record doc = {0};
    struct strbuf why = STRBUF_EMPTY;
    enum gp_status rc = read_pages(in, p, err);

    if (!rc) {
        rc = attach_request(&p->seen, in->planner, &in->options, &p->request, err);
        bool planned = plan_seen(in, rc, &p->request.options, p, &p->answer, &why, err);

        attach(in->args[in->arg_count - 1], &p->seen, in->planner, &p->request,
               planned ? &p->answer : NULL, why.text, &doc);
        rc = GP_OK;
        command_print(in, &doc, "binds", attach_text);
        in->exit_code = planned ? 0 : gp_status_exit(GP_E_USAGE);
    }
    record_fini(&doc);
    strbuf_fini(&why);
    free(p);
    return rc;
}

const struct command cmd_attach = {
    .name = "attach",
    .usage = "FILE|- [FILE] [-m MODEL] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "a running server's metrics page, or two, against the plan",
    .bit = FOR_ATTACH,
    .least = 1,
    .most = 2,
    .takes = "one metrics page or two",
    .example = "curl -s HOST:PORT/metrics | gpuplan --attach -",
    .text = "a page",
    .one = ONE_EACH,
    .several = "attach to one server at a time",
    .run = run_attach,
};
