/*
 * print_pool.c - see print_pool.h.
 */
#include "pool/print_pool.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "pool/pool_record.h"

#define WIDTH 80     /* of the conclusion */
#define HEAT_ROWS 40 /* workloads in the map, at most */
#define MOVE_ROWS 60
#define WORK_ROWS 60

static const struct {
    const char *group, *title;
} ladder_tables[] = {
    {"main", "Ladder. Bound: no plan of that rung costs less."},
    {"fleet", "To buy, servers included; what is in stock is not bought."},
    {"money", "$/day, by what it is for."},
    {"stranded", "GPUs that are paid for and serve nothing, in the mean, by cause."},
};

static void print_head(const struct pool_run *run, const struct record *doc, struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;
    const struct fact *types = record_find(doc, "types");

    strbuf_addf(out, "%s: %zu workload%s, %d job%s, %d hours\n", f->name[0] ? f->name : "pool",
                f->workload_count, f->workload_count == 1 ? "" : "s", f->job_count,
                f->job_count == 1 ? "" : "s", f->hours);
    for (size_t i = 0; i < types->record_count; i++) {
        const struct record *t = &types->records[i];

        strbuf_addf(out, "  %s: %d in stock, %d may be bought, servers of %d; $%.3f/h owned (%s)",
                    record_get(t, "gpu"), run->c.types[i].stock, run->c.types[i].buy,
                    run->c.types[i].server_gpus, run->c.types[i].buy_hour, record_get(t, "price"));
        if (run->c.types[i].cloud_hour > 0)
            strbuf_addf(out, ", $%.2f/h in the cloud (%s)", run->c.types[i].cloud_hour,
                        record_get(t, "offer"));
        if (run->c.replicas.measured[i][0])
            strbuf_addf(out, "; %s", run->c.replicas.measured[i]);
        strbuf_addf(out, "\n");
    }
}

static void print_ladder(const struct record *doc, enum record_as as, struct strbuf *out)
{
    const struct fact *rows = record_find(doc, "ladder");

    for (size_t i = 0; i < sizeof(ladder_tables) / sizeof(ladder_tables[0]); i++) {
        strbuf_addf(out, "\n%s\n\n", ladder_tables[i].title);
        record_table(rows->records, rows->record_count, ladder_tables[i].group, as, out);
    }
}

/* "- text", its words on lines of at most WIDTH. */
static void add_wrapped(const char *text, struct strbuf *out)
{
    size_t used = 1;

    strbuf_add(out, "-");
    while (*text) {
        size_t n = strcspn(text, " ");

        if (used + 1 + n > WIDTH) {
            strbuf_add(out, "\n ");
            used = 1;
        }
        strbuf_addf(out, " %.*s", (int)n, text);
        used += 1 + n;
        text += n + (text[n] == ' ');
    }
    strbuf_add(out, "\n");
}

static void print_conclusion(const struct record *doc, struct strbuf *out)
{
    const struct fact *list = record_find(doc, "conclusion");

    for (size_t i = 0; i < list->record_count; i++)
        add_wrapped(record_get(&list->records[i], ""), out);
}

/* ---- the heat map ---- */

char pool_heat(double value, double peak)
{
    static const char ramp[] = " .:-=+*#%@";
    int top = (int)sizeof(ramp) - 2;

    if (value <= 0 || peak <= 0)
        return ramp[0];
    int step = (int)ceil(value / peak * top);
    return ramp[step > top ? top : step < 1 ? 1 : step];
}

static void heat_row(const struct pool_run *run, int w, int from, double peak, const char *label,
                     struct strbuf *out)
{
    strbuf_addf(out, "%-18.18s |", label);
    for (int h = from; h < from + 24; h++)
        strbuf_addf(out, "%c%c", pool_heat(pool_run_taken(run, run->rung, w, h), peak),
                    pool_heat(pool_run_taken(run, run->rung, w, h), peak));
    strbuf_add(out, "|");
}

static double peak_of(const struct pool_run *run, int w)
{
    double peak = 0;

    for (int h = 0; h < run->c.pool.hours; h++)
        peak = fmax(peak, pool_run_taken(run, run->rung, w, h));
    return peak;
}

static void print_heat(const struct pool_run *run, struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;
    char label[64];

    strbuf_addf(out, "\nGPUs by the hour, %s: each row by its own peak (%s)\n\n%-18s ",
                pool_rung_word(run->rung), " .:-=+*#%@", "");
    for (int h = 0; h < 24; h += 6)
        strbuf_addf(out, "|%02d%9s", h, "");
    strbuf_add(out, "|  peak\n");
    for (int w = 0; w < (int)f->workload_count && w < HEAT_ROWS; w++)
        for (int day = 0; day < f->hours / 24; day++) {
            double peak = peak_of(run, w);

            if (f->hours > 24)
                gp_format(label, sizeof(label), "%.13s %s", f->workloads[w].name,
                          units_weekday(day));
            else
                gp_copy(label, sizeof(label), f->workloads[w].name);
            heat_row(run, w, day * 24, peak, label, out);
            strbuf_addf(out, day == 0 ? "  %.4g\n" : "\n", peak);
        }
    if (f->workload_count > HEAT_ROWS)
        strbuf_addf(out, "... and %zu more: --format json\n", f->workload_count - HEAT_ROWS);
}

/* ---- the rest ---- */

static void print_rows(const struct record *doc, const char *name, const char *title, size_t most,
                       enum record_as as, struct strbuf *out)
{
    const struct fact *rows = record_find(doc, name);
    size_t count = rows->record_count;
    struct record first;

    record_init(&first);
    if (rows->parts) {
        count = record_parts_first(rows, most, &first);
        rows = record_find(&first, name);
    }
    if (count > 0) {
        strbuf_addf(out, "\n%s\n\n", title);
        record_table(rows->records, count < most ? count : most, NULL, as, out);
        if (most < count)
            strbuf_addf(out, "... and %zu more: --format json\n", count - most);
    }
    record_fini(&first);
}

static void print_text(const struct pool_run *run, const struct record *doc, enum record_as as,
                       struct strbuf *out)
{
    print_head(run, doc, out);
    strbuf_add(out, "\n");
    print_conclusion(doc, out);
    print_ladder(doc, as, out);
    print_rows(doc, "workloads", "Workloads, and what they take of the chosen rung.", WORK_ROWS, as,
               out);
    print_heat(run, out);
    print_rows(doc, "moves", "Moves.", MOVE_ROWS, as, out);
    print_rows(doc, "what_ifs", "What if.", POOL_WHAT_IFS, as, out);
    strbuf_add(out, "\n~ estimated, ? assumed, - unknown; hours, candidates and sources: "
                    "--format json\n");
}

void print_pool(const struct pool_run *run, enum output_format format, bool quiet, bool hours,
                struct strbuf *out)
{
    struct record doc;

    record_init(&doc);
    if (format == OUTPUT_CSV) {
        (hours ? pool_record_hours : pool_record_ladder)(run, &doc);
        const struct fact *rows = record_find(&doc, hours ? "hours" : "ladder");
        record_table(rows->records, rows->record_count, NULL, RECORD_CSV, out);
    } else {
        pool_record(run, &doc, format == OUTPUT_JSON);
        if (format == OUTPUT_JSON)
            record_json(&doc, out);
        else if (quiet)
            print_conclusion(&doc, out);
        else
            print_text(run, &doc, output_record_as(format), out);
    }
    record_fini(&doc);
}
