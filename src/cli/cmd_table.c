/*
 * cmd_table.c - gpuplan --table: model sizes by precisions, memory, GPU count and cost.
 */
#include "answer/compare_run.h"
#include "cli/command.h"

static enum gp_status run_table(struct invocation *in, struct gp_err *err)
{
    struct record doc = {0};

    enum gp_status rc = report_table(in->planner, &in->options, &doc, err);
    if (!rc)
        print_table(&doc, in->format, in->quiet, &in->out);
    record_fini(&doc);
    return rc;
}

const struct command cmd_table = {
    .name = "table",
    .usage = "[-m MODEL]... [-p FORMAT]... [-g GPU] [OPTION]...",
    .brief = "model sizes by precisions: memory, GPU count and cost, rule and exact",
    .bit = FOR_TABLE,
    .one = ONE_GPU,
    .several = "use --compare for several",
    .run = run_table,
};
