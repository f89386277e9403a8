/*
 * print_compare.c - see print_compare.h.
 */
#include "answer/print_compare.h"

#include <string.h>

#include "answer/record_plan.h"

static void print_head(const struct record *doc, struct strbuf *out)
{
    const struct record *request = &record_find(doc, "request")->records[0];
    const char *engine = record_get(request, "engine");
    const char *filter = record_get(request, "filter");

    strbuf_addf(out, "%s: %.0f x %.0f tokens, %s, ", record_get(request, "model"),
                record_find(request, "users")->number.value,
                record_find(request, "context")->number.value,
                engine[0] ? engine : "engine by row");
    record_plan_prices(request, out);
    strbuf_add(out, "\n");
    if (filter[0])
        strbuf_addf(out, "only rows with: %s\n", filter);
    strbuf_add(out, "\n");
}

static void print_legend(const struct record *doc, struct strbuf *out)
{
    bool speed = strstr(record_get(doc, "front"), "goals") != NULL;

    strbuf_add(out,
               "\nweights and KV pool: of one GPU; requests: of the whole context, that all "
               "GPUs hold at once\n"
               "tokens/s: output of all users together; TPOT: between two tokens of one; $/M out: "
               "dollars\nper million output tokens while these users keep asking\n");
    strbuf_add(out,
               speed ? "Front of $/h against $/M out, marked *: nothing in one machine that "
                       "reaches the goals is\ncheaper in both; pipelines over several machines "
                       "come last\n"
                     : "Front of $/h against requests, marked *: nothing in one machine that fits "
                       "is cheaper and\nholds as many; pipelines over several machines come "
                       "last\n");
    strbuf_add(out, "~ estimated, ? assumed, - unknown; bands and sources: --format json or "
                    "csv\n");
}

void print_compare(const struct record *doc, enum output_format format, bool quiet,
                   struct strbuf *out)
{
    const struct fact *rows = record_find(doc, "rows");
    bool people = format != OUTPUT_CSV && !quiet;

    if (format == OUTPUT_JSON) {
        record_json(doc, out);
        return;
    }
    if (people)
        print_head(doc, out);
    record_table(rows->records, rows->record_count, NULL, output_record_as(format), out);
    if (people)
        print_legend(doc, out);
}
