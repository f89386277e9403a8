/*
 * cmd_report.c - gpuplan --report FILE: a plan, its alternatives and curves on one page.
 */
#include "cli/command.h"

#include "output/report_page.h"

static enum gp_status report_run(struct invocation *in, struct gp_err *err)
{
    struct option_value *file = &in->options.value[OPT_OUT];
    struct report_page *page;
    int format = in->arg_count == 1 ? document_format_of(in->args[0]) : -1;
    enum gp_status rc;

    if (in->arg_count != 1 || format < 0)
        return gp_fail(err, GP_E_USAGE, in->arg_count == 1 ? in->args[0] : "--report",
                       "a name that ends in html, md or svg; the suffix sets the format",
                       in->arg_count == 1 ? "is not a page" : "takes one file");
    if (file->given)
        return gp_fail(err, GP_E_USAGE, "--output", "gpuplan --report FILE",
                       "the file is named after --report");
    rc = in->options.value[OPT_TRAIN].given
             ? GP_OK
             : options_inference(&in->options, "is for --train only", err);
    if (!rc)
        rc = report_page_begin(in->planner, &in->options, NULL, &page, err);
    if (rc)
        return rc;
    while (report_page_step(page, 1000))
        ;
    report_page_write(page, (enum document_format)format, &in->out);
    in->exit_code = !report_page_fits(page);
    report_page_free(page);
    *file = (struct option_value){.given = true, .text = in->args[0]};
    return GP_OK;
}

const struct command cmd_report = {
    .name = "report",
    .usage = "FILE.html|.md|.svg -m MODEL [-p FORMAT] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "a page to pass on: plan, alternatives, curves, sources",
    .bit = FOR_REPORT,
    .one = ONE_EACH,
    .several = "use --compare for several",
    .run = report_run,
};
