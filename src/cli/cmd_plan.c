/*
 * cmd_plan.c - gpuplan --plan: one request, one answer.
 */
#include "answer/print_plan.h"
#include "cli/command.h"
#include "cli/print_train.h"

static void print_answer(struct invocation *in, const struct answer *a)
{
    bool why = options_flag(&in->options, OPT_WHY);

    if (in->format == OUTPUT_JSON)
        print_plan_json(a, &in->options, why, &in->out);
    else if (in->format != OUTPUT_TEXT)
        print_plan_table(a, in->format, &in->out);
    else if (in->quiet)
        print_plan_line(a, &in->out);
    else
        print_plan(a, &in->options, why, in->verbose, &in->out);
}

static enum gp_status plan_run(struct invocation *in, struct gp_err *err)
{
    struct answer a;
    enum gp_status rc;

    if (in->options.value[OPT_TRAIN].given)
        return train_run(in, err);
    rc = options_inference(&in->options, "is for --train only", err);
    if (!rc)
        rc = planner_answer(in->planner, &in->options, &a, err);
    if (!rc && !in->quiet && in->format != OUTPUT_CSV && in->format != OUTPUT_MARKDOWN)
        rc = planner_betters(in->planner, &a, err);
    if (rc)
        return rc;
    print_answer(in, &a);
    in->exit_code = !reasons_pass(a.plan.reasons);
    return GP_OK;
}

const struct command cmd_plan = {
    .name = "plan",
    .usage = "-m MODEL [-p FORMAT] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "one request: verdict, memory per GPU, GPU count and layout, cost, fixes",
    .bit = FOR_PLAN,
    .no_args = true,
    .one = ONE_EACH,
    .several = "use --compare for several",
    .run = plan_run,
};
