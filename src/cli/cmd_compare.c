/*
 * cmd_compare.c - gpuplan --compare: one load on many GPUs and precisions.
 */
#include "answer/compare_run.h"
#include "base/wrap.h"
#include "cli/command.h"

#define USUAL_TOP 20 /* rows that people read; --top */

static enum gp_status compare_command(struct invocation *in, struct gp_err *err)
{
    struct record doc = {0};
    bool fits = false;

    enum gp_status rc = report_compare(in->planner, &in->options, &doc, &fits, err);
    if (!rc) {
        print_compare(&doc, in->format, in->quiet,
                      in->options.value[OPT_TOP].given || in->format == OUTPUT_CSV ? 0 : USUAL_TOP,
                      wrap_cols(), &in->out);
        in->exit_code = fits ? 0 : 1;
    }
    record_fini(&doc);
    return rc;
}

const struct command cmd_compare = {
    .name = "compare",
    .usage = "-m MODEL [-p FORMAT]... [-g GPU|all]... [OPTION]...",
    .brief = "the same load on many GPUs and precisions: GPUs, memory, cost, limit",
    .bit = FOR_COMPARE,
    .one = ONE_MODEL,
    .several = "use --table for several",
    .wraps = true,
    .run = compare_command,
};
