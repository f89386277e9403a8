/*
 * cmd_plan.c - gpuplan --plan: one request, one answer.
 */
#include "cli/command.h"
#include "cli/print_train.h"
#include "output/print_plan.h"

static enum gp_status one_of_each(const struct invocation *in, struct gp_err *err)
{
    const struct options *options = &in->options;
    if (in->arg_count > 0)
        return gp_fail(err, GP_E_USAGE, in->args[0], "options begin with dashes",
                       "--plan takes no arguments");
    if (options->model_count > 1 || options->precision_count > 1 ||
        options->gpu_count > 1)
        return gp_fail(err, GP_E_USAGE, "--plan", "use --compare for several",
                       "plans one model, precision and GPU");
    return GP_OK;
}

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
    enum gp_status rc = one_of_each(in, err);
    if (!rc && in->options.value[OPT_TRAIN].given)
        return train_run(in, err);
    if (!rc)
        rc = options_inference(&in->options, "is for --train only", err);
    if (!rc)
        rc = planner_answer(in->planner, &in->options, &a, err);
    if (rc)
        return rc;
    print_answer(in, &a);
    in->exit_code = a.plan.verdict == VERDICT_DOES_NOT_FIT ? 1 : 0;
    return GP_OK;
}

const struct command cmd_plan = {
    .name = "plan",
    .usage = "-m MODEL [-p FORMAT] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "one request: verdict, memory per GPU, GPU count and layout, cost, fixes",
    .bit = FOR_PLAN,
    .run = plan_run,
};
