/*
 * cmd_check_plan.c - gpuplan --check-plan FILE: does a saved plan still hold?
 */
#include "cli/command.h"

#include <stdlib.h>

#include "answer/plan_check.h"
#include "answer/plan_file.h"
#include "answer/planner_train.h"
#include "answer/print_plan.h"
#include "answer/report_train.h"
#include "answer/request_line.h"
#include "base/path.h"

static enum gp_status train(struct planner *planner, const struct options *options,
                            struct strbuf *out, struct gp_err *err)
{
    struct train_answer now;
    struct record doc;
    enum gp_status rc = planner_train(planner, options, &now, err);

    if (rc)
        return rc;
    record_init(&doc);
    report_train(&now, false, &doc);
    record_json(&doc, out);
    record_fini(&doc);
    return GP_OK;
}

static enum gp_status serve(struct planner *planner, const struct options *options,
                            struct strbuf *out, struct gp_err *err)
{
    struct answer now;
    enum gp_status rc = planner_answer(planner, options, &now, err);

    if (!rc)
        print_plan_json(&now, options, false, out);
    return rc;
}

static enum gp_status answer(struct invocation *in, const struct plan_file *file,
                             struct gp_err *err)
{
    double tolerance =
        in->options.value[OPT_TOLERANCE].given ? in->options.value[OPT_TOLERANCE].number : 5;
    bool trains = file->options.value[OPT_TRAIN].given, broke = false;
    struct record doc;
    struct strbuf now;
    enum gp_status rc;

    strbuf_init(&now);
    rc = (trains ? train : serve)(in->planner, &file->options, &now, err);
    if (rc) {
        request_line_place(err, in->args[0]);
        strbuf_fini(&now);
        return rc;
    }
    record_init(&doc);
    plan_check(file->json, &now, in->args[0], tolerance / 100, &doc, &broke);
    strbuf_fini(&now);
    if (in->format == OUTPUT_JSON)
        record_json(&doc, &in->out);
    else if (in->quiet)
        strbuf_addf(&in->out, "%s\n", record_get(&doc, "status"));
    else
        plan_check_text(&doc, &in->out);
    record_fini(&doc);
    in->exit_code = broke;
    return GP_OK;
}

static enum gp_status run(struct invocation *in, struct gp_err *err)
{
    struct plan_file file = {0};
    char *text = NULL;
    size_t len = 0;
    enum gp_status rc;

    if (in->arg_count != 1)
        return gp_fail(err, GP_E_USAGE, "--check-plan",
                       "gpuplan --plan --format json -o FILE makes one",
                       in->arg_count ? "takes one file" : "needs a file");
    if (in->format != OUTPUT_TEXT && in->format != OUTPUT_JSON)
        return gp_fail(err, GP_E_USAGE, "--format", "text or json",
                       "a check cannot be printed as a table");
    rc = path_read(in->args[0], PLAN_FILE_MAX, &text, &len, err);
    if (!rc)
        rc = plan_file_read(in->args[0], text, len, &file, err);
    if (!rc)
        rc = answer(in, &file, err);
    plan_file_fini(&file);
    free(text);
    return rc;
}

const struct command cmd_check_plan = {
    .name = "check-plan",
    .usage = "FILE",
    .brief = "plan a saved request again: exit 1 when it no longer fits, or misses a goal or "
             "budget",
    .bit = FOR_CHECK_PLAN,
    .run = run,
};
