/*
 * cmd_table.c - gpuplan --table: model sizes by precisions, memory, GPU count and cost.
 *
 * Text and Markdown have three tables, CSV and JSON one row per model and precision.
 */
#include "answer/compare_run.h"
#include "cli/command.h"

static const struct {
    const char *group, *title;
} tables[] = {
    {"memory", "Memory. Rule of thumb: the size by name x bits/8 x 1.25, in GB (1e9 bytes), at the "
               "precision\nbeside it. Exact: the checkpoint at its precision, and what this load "
               "takes on each GPU\nand on all of them."},
    {"GPUs", "GPU count. Rule: its GB over the GB the GPU is sold with. Exact: the "
             "fewest that fit."},
    {"cost", "Cost. Rule: its GPUs at the per-GPU price of the same offer. Exact: "
             "whole instances."},
};

static void print_table(struct invocation *in, const struct record *doc)
{
    const struct record *q = &record_find(doc, "request")->records[0];
    const struct fact *rows = record_find(doc, "rows");
    enum record_as as = in->format == OUTPUT_MARKDOWN ? RECORD_MARKDOWN : RECORD_TEXT;
    struct strbuf head;

    if (in->format == OUTPUT_JSON) {
        record_json(doc, &in->out);
        return;
    }
    if (in->format == OUTPUT_CSV) {
        record_table(rows->records, rows->record_count, NULL, RECORD_CSV, &in->out);
        return;
    }
    strbuf_init(&head);
    strbuf_addf(&head, "%s: sold as %.0f GB, %.2f GiB usable; %s; ", record_get(q, "gpu"),
                record_find(q, "gpu_marketed")->number.value,
                record_find(q, "gpu_usable")->number.value, record_get(q, "load"));
    record_plan_prices(q, &head);
    strbuf_addf(&head, ", %.0f h/month", record_find(q, "hours_per_month")->number.value);
    output_line(head.text, in->format, &in->out);
    strbuf_fini(&head);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        strbuf_addf(&in->out, "\n%s\n\n", tables[i].title);
        record_table(rows->records, rows->record_count, tables[i].group, as, &in->out);
    }
    if (!in->quiet)
        strbuf_add(&in->out, "\n~ estimated, ? assumed, - unknown; bands and sources: "
                             "--format json or csv\n");
}

static enum gp_status run_table(struct invocation *in, struct gp_err *err)
{
    struct record doc;

    record_init(&doc);
    enum gp_status rc = report_table(in->planner, &in->options, &doc, err);
    if (!rc)
        print_table(in, &doc);
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
