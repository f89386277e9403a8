/*
 * cmd_check_log.c - gpuplan --check-log FILE|-: an engine's start-up log against the plan.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "logs/log_check.h"

/* What a log needs to be checked: it is too large for a stack. */
struct check {
    struct enginelog log;
    struct log_request request;
    struct answer answer;
    char why[400]; /* there is no plan */
};

/* A log that tells too little for a plan still tells its own figures. */
static bool plan_log(struct invocation *in, struct check *c, struct gp_err *err)
{
    enum gp_status rc =
        log_request(planner_catalog(in->planner), &c->log, &in->options, &c->request, err);

    if (!rc && c->request.request.options.model_count == 0)
        rc = gp_fail(err, GP_E_USAGE, in->args[0], "give --model",
                     "the log does not name the model");
    if (!rc)
        rc = planner_answer(in->planner, &c->request.request.options, &c->answer, err);
    if (!rc && c->answer.resolved.gpu_chosen && !c->answer.resolved.gpu_local)
        rc = gp_fail(err, GP_E_USAGE, in->args[0], "give --gpu",
                     "the log does not name the GPU, and none is in this machine");
    bool named = rc && err->where[0] && strcmp(err->where, in->args[0]) != 0;
    if (rc)
        gp_format(c->why, sizeof(c->why), "not planned: %.80s%s%.200s%s%.120s",
                  named ? err->where : "", named ? ": " : "", err->text, err->hint[0] ? "; " : "",
                  err->hint);
    return !rc;
}

static enum gp_status print_check(struct invocation *in, struct check *c, bool planned)
{
    struct log_verdict verdict;
    struct record doc;

    record_init(&doc);
    log_check(in->args[0], &c->log, &c->request, planned ? &c->answer : NULL, c->why, &doc,
              &verdict);
    if (in->format == OUTPUT_JSON)
        record_json(&doc, &in->out);
    else if (in->quiet)
        strbuf_addf(&in->out, "%s\n", record_get(&doc, "status"));
    else
        log_check_text(&doc, &in->out);
    record_fini(&doc);
    in->exit_code = verdict.failed ? 1 : 0;
    if (!planned)
        in->exit_code = gp_status_exit(GP_E_USAGE);
    else if (verdict.outside && options_flag(&in->options, OPT_STRICT))
        in->exit_code = gp_status_exit(GP_E_CHECK);
    return GP_OK;
}

/* Of a log that is too large the start is enough. */
static void hint_start(const char *path, struct gp_err *err)
{
    struct stat file;

    if (err && stat(path, &file) == 0 && file.st_size > (off_t)ENGINELOG_BYTES)
        gp_format(err->hint, sizeof(err->hint),
                  "the start is enough: head -n 20000 %.120s | "
                  "gpuplan --check-log - ...",
                  path);
}

static enum gp_status run_check_log(struct invocation *in, struct gp_err *err)
{
    struct check *c;
    char *text = NULL;
    size_t len = 0;
    enum gp_status rc;

    if (in->arg_count != 1)
        return gp_fail(err, GP_E_USAGE, "--check-log", "- reads standard input",
                       in->arg_count ? "takes one file" : "needs a file");
    if (in->format != OUTPUT_TEXT && in->format != OUTPUT_JSON)
        return gp_fail(err, GP_E_USAGE, "--format", "text or json",
                       "a check cannot be printed as a table");
    c = gp_calloc(1, sizeof(*c));
    rc = path_read_input(in->args[0], ENGINELOG_BYTES, &text, &len, err);
    if (rc)
        hint_start(in->args[0], err);
    if (!rc)
        rc = enginelog_parse(in->args[0], text, len, &c->log, err);
    if (!rc)
        rc = print_check(in, c, plan_log(in, c, err));
    free(text);
    free(c);
    return rc;
}

const struct command cmd_check_log = {
    .name = "check-log",
    .usage = "FILE|- [-m MODEL] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "a start-up log of an engine against the plan, term by term",
    .bit = FOR_CHECK_LOG,
    .one = ONE_EACH,
    .several = "check one log at a time",
    .run = run_check_log,
};
