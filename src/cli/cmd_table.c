/*
 * cmd_table.c - gpuplan --table: model sizes by precisions, memory, GPU count and cost.
 *
 * Text and Markdown have three tables, CSV and JSON one row per model and precision.
 */
#include "cli/command.h"
#include "data/sheet_plan.h"

static const struct {
    const char *group, *title;
} tables[] = {
    {"memory",
     "Memory. Rule of thumb: params x bits/8 x 1.25 at the precision beside it. "
     "Exact: the checkpoint\nat its precision, and what this load takes on each "
     "GPU and on all of them."},
    {"GPUs",
     "GPU count. By the rule: its GB over the GB the GPU is sold with. Exact: the "
     "fewest that fit."},
    {"cost",
     "Cost. By the rule: its GPUs at the price per GPU of the same offer. Exact: "
     "whole instances."},
};

static void head(const struct sheet *doc, struct strbuf *out)
{
    const struct sheet *q = &sheet_find(doc, "request")->sheets[0];
    strbuf_addf(out,
                "%s: sold as %.0f GB, %.2f GiB usable; %.0f x %.0f tokens; %s prices, "
                "%.0f h/month\n",
                sheet_get(q, "gpu"), sheet_find(q, "gpu_marketed")->number.value,
                sheet_find(q, "gpu_usable")->number.value,
                sheet_find(q, "users")->number.value,
                sheet_find(q, "context")->number.value, sheet_get(q, "price"),
                sheet_find(q, "hours_per_month")->number.value);
}

static void print(struct invocation *in, const struct sheet *doc)
{
    const struct fact *rows = sheet_find(doc, "rows");
    enum sheet_as as = in->format == OUTPUT_MARKDOWN ? SHEET_MARKDOWN : SHEET_TEXT;
    if (in->format == OUTPUT_JSON) {
        sheet_json(doc, &in->out);
        return;
    }
    if (in->format == OUTPUT_CSV) {
        sheet_table(rows->sheets, rows->sheet_count, NULL, SHEET_CSV, &in->out);
        return;
    }
    head(doc, &in->out);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        strbuf_addf(&in->out, "\n%s\n\n", tables[i].title);
        sheet_table(rows->sheets, rows->sheet_count, tables[i].group, as, &in->out);
    }
    if (!in->quiet)
        strbuf_add(&in->out, "\n~ estimated, ? assumed, - unknown; bands and sources: "
                             "--format json or csv\n");
}

static enum gp_status run(struct invocation *in, struct gp_err *err)
{
    struct sheet doc;
    if (in->arg_count > 0)
        return gp_fail(err, GP_E_USAGE, in->args[0], "options begin with dashes",
                       "--table takes no arguments");
    if (in->ask.gpu_count > 1)
        return gp_fail(err, GP_E_USAGE, "--gpu", "use --compare for several",
                       "the tables are of one GPU");
    sheet_init(&doc);
    enum gp_status status = report_table(in->planner, &in->ask, &doc, err);
    if (!status)
        print(in, &doc);
    sheet_fini(&doc);
    return status;
}

const struct command cmd_table = {
    .name = "table",
    .usage = "[-m MODEL]... [-p FORMAT]... [-g GPU] [OPTION]...",
    .brief = "model sizes by precisions: memory, GPU count and cost, rule and exact",
    .bit = FOR_TABLE,
    .run = run,
};
