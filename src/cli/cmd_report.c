/*
 * cmd_report.c - gpuplan --report FILE: a plan, its alternatives and curves on one page; or a
 * pool's ladder and hours.
 */
#include "cli/command.h"

#include "answer/report_page.h"
#include "base/say.h"
#include "pool/pool_record.h"

#define POOL_SEED 24301 /* that of --pool */

static void warn_report(void *ctx, const char *line)
{
    const struct invocation *in = ctx;

    if (!in->quiet)
        log_line("gpuplan: %s", line);
}

static enum gp_status report_pool(struct invocation *in, struct gp_err *err)
{
    struct pool_run_options options = {.name = in->args[1], .seed = POOL_SEED, .rung = POOL_RUNGS};
    struct pool_run *run = pool_run_new();
    enum gp_status rc = pool_run(in->planner, &options, warn_report, in, run, err);
    struct strbuf command = STRBUF_EMPTY;

    strbuf_add(&command, "gpuplan --pool ");
    strbuf_quote(&command, in->args[1]);
    if (!rc)
        pool_page(run, command.text, &in->out);
    in->exit_code = !rc && pool_run_short(run, run->rung);
    strbuf_fini(&command);
    pool_run_delete(run);
    return rc;
}

static enum gp_status report_plan_page(struct invocation *in, struct gp_err *err)
{
    struct report_page *page;
    enum gp_status rc = in->options.value[OPT_TRAIN].given
                            ? GP_OK
                            : options_inference(&in->options, "is for --train only", err);

    if (!rc)
        rc = report_page_begin(in->planner, &in->options, NULL, &page, err);
    if (rc)
        return rc;
    while (report_page_step(page, 1000))
        ;
    report_page_write(page, &in->out);
    in->exit_code = !report_page_fits(page);
    if (report_page_trouble(page)[0]) {
        char line[GP_ERR_LINE + 40];

        gp_format(line, sizeof(line), "no alternatives: %s", report_page_trouble(page));
        warn_report(in, line);
    }
    report_page_free(page);
    return GP_OK;
}

static enum gp_status report_run(struct invocation *in, struct gp_err *err)
{
    struct option_value *file = &in->options.value[OPT_OUT];

    if (!document_is_page(in->args[0]))
        return gp_fail(err, GP_E_USAGE, in->args[0], in->command->example, "is not a page");
    if (file->given)
        return gp_fail(err, GP_E_USAGE, "--output", "gpuplan --report FILE",
                       "the file is named after --report");
    enum gp_status rc = in->arg_count == 2 ? report_pool(in, err) : report_plan_page(in, err);
    if (rc)
        return rc;
    *file = (struct option_value){.given = true, .text = in->args[0]};
    return GP_OK;
}

const struct command cmd_report = {
    .name = "report",
    .usage = "FILE.html [POOL] | -m MODEL [-p FORMAT] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "one self-contained page: plan, alternatives, curves, sources",
    .bit = FOR_REPORT,
    .least = 1,
    .most = 2,
    .takes = "one file, and a pool's after it",
    .example = "a name that ends in .html",
    .one = ONE_EACH,
    .several = "use --compare for several",
    .run = report_run,
};
