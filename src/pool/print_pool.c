/*
 * print_pool.c - see print_pool.h.
 */
#include "pool/print_pool.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
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

static void print_heat(const struct pool_run *run, struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;

    strbuf_addf(out, "\nGPUs by the hour, %s: each row by its own peak (%s)\n\n%-18s ",
                pool_rung_word(run->rung), " .:-=+*#%@", "");
    for (int h = 0; h < 24; h += 6)
        strbuf_addf(out, "|%02d%9s", h, "");
    strbuf_add(out, "|  peak\n");
    for (int w = 0; w < (int)f->workload_count && w < HEAT_ROWS; w++) {
        double peak = 0;

        for (int h = 0; h < f->hours; h++)
            peak = fmax(peak, pool_run_taken(run, run->rung, w, h));
        for (int day = 0; day < f->hours / 24; day++) {
            char label[64];

            if (f->hours > 24)
                gp_format(label, sizeof(label), "%.13s %s", f->workloads[w].name,
                          units_weekday(day));
            else
                gp_copy(label, sizeof(label), f->workloads[w].name);
            strbuf_addf(out, "%-18.18s |", label);
            for (int h = day * 24; h < day * 24 + 24; h++) {
                char heat = pool_heat(pool_run_taken(run, run->rung, w, h), peak);

                strbuf_addf(out, "%c%c", heat, heat);
            }
            strbuf_addf(out, day == 0 ? "|  %.4g\n" : "|\n", peak);
        }
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
    const struct pool_file *f = &run->c.file;
    const struct fact *types = record_find(doc, "types"), *ladder = record_find(doc, "ladder");

    strbuf_addf(out, "%s: %zu workload%s, %d job%s, %d hours\n", f->name[0] ? f->name : "pool",
                f->workload_count, f->workload_count == 1 ? "" : "s", f->job_count,
                f->job_count == 1 ? "" : "s", f->hours);
    for (size_t i = 0; i < types->record_count; i++) {
        const struct record *t = &types->records[i];
        const struct pool_type *type = &run->c.types[i];

        strbuf_addf(out, "  %s: %d in stock, %d may be bought, servers of %d; $%.3f/h owned (%s)",
                    record_get(t, "gpu"), type->stock, type->buy, type->server_gpus, type->buy_hour,
                    record_get(t, "price"));
        if (type->cloud_hour > 0)
            strbuf_addf(out, ", $%.2f/h in the cloud (%s)", type->cloud_hour,
                        record_get(t, "offer"));
        if (run->c.replicas.measured[i][0])
            strbuf_addf(out, "; %s", run->c.replicas.measured[i]);
        strbuf_add(out, "\n");
    }
    strbuf_add(out, "\n");
    print_conclusion(doc, out);
    for (size_t i = 0; i < sizeof(ladder_tables) / sizeof(ladder_tables[0]); i++) {
        strbuf_addf(out, "\n%s\n\n", ladder_tables[i].title);
        record_table(ladder->records, ladder->record_count, ladder_tables[i].group, as, out);
    }
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

/* ---- a page ---- */

#define SHOWN 7 /* workloads with a part of their own in the plot */

/* ---- tables ---- */

static void put_table(void *ctx, const struct table *table)
{
    document_table(ctx, table);
}

static void add_table(const struct record *doc, const char *name, const char *group,
                      const char *heading, struct document *d)
{
    const struct fact *rows = record_find(doc, name);

    if (rows->record_count == 0)
        return;
    document_heading(d, heading);
    record_table_use(rows->records, rows->record_count, group, RECORD_TEXT, put_table, d);
}

/* ---- GPUs by the hour ---- */

static double taken_gpus(const struct pool_run *run, int from, int to, int hour)
{
    double sum = 0;

    for (int w = from; w < to; w++)
        sum += pool_run_taken(run, run->rung, w, hour);
    return sum;
}

/* The GPUs of workloads from..to-1, on those of the ones before. */
static void add_part(const struct pool_run *run, struct plot *plot, int i, int from, int to)
{
    const char *name = to - from > 1 ? "others" : run->c.file.workloads[from].name;
    struct plot_series *part = plot_add_shade(plot, name, plot_role(i), PLOT_PART);
    struct plot_series *line = plot_add(plot, name, plot_role(i), 0);

    if (!part || !line)
        return;
    line->label = (char)('a' + i);
    for (int h = 0; h < run->c.pool.hours; h++) {
        double low = taken_gpus(run, 0, from, h), high = taken_gpus(run, 0, to, h);

        plot_span(part, h, low, high);
        plot_point(line, h, high);
        plot->y.high = fmax(plot->y.high, 1.1 * high);
    }
}

static void add_hours(const struct pool_run *run, struct document *d)
{
    int count = (int)run->c.file.workload_count, shown = count > SHOWN + 1 ? SHOWN : count;
    struct plot plot;

    plot_init(&plot);
    plot.x = (struct plot_axis){
        .high = run->c.pool.hours - 1, .title = "hour", .hours = run->c.pool.hours};
    plot.y = (struct plot_axis){.high = 1, .unit = "GPUs", .title = "GPUs in use"};
    gp_format(plot.title, sizeof(plot.title), "GPUs in use by the hour, %s",
              pool_rung_word(run->rung));
    for (int i = 0; i < shown; i++)
        add_part(run, &plot, i, i, i + 1);
    if (shown < count)
        add_part(run, &plot, shown, shown, count);
    document_heading(d, "Hours");
    document_plot(d, &plot, "workloads on each other; MIG slices as their share of memory");
    plot_fini(&plot);
}

/* ---- the page ---- */

void pool_page(const struct pool_run *run, const char *command, struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;
    const struct fact *list, *types;
    struct strbuf line;
    struct document d;
    struct record doc;

    record_init(&doc);
    strbuf_init(&line);
    pool_record(run, &doc, false);
    list = record_find(&doc, "conclusion");
    types = record_find(&doc, "types");
    strbuf_addf(&line, "Pool %s: %zu workloads, %d hours", f->name, f->workload_count, f->hours);
    document_init(&d, line.text);
    for (size_t i = 0; i < list->record_count; i++) {
        const char *text = record_get(&list->records[i], "");

        if (i == 0) /* the first sentence is the answer */
            document_answer(&d, pool_run_short(run) ? DOCUMENT_BAD : DOCUMENT_GOOD, "", text);
        else
            document_line(&d, DOCUMENT_PLAIN, text);
    }
    add_table(&doc, "ladder", "main", "Ladder: the same demand, rung by rung, per day", &d);
    add_table(&doc, "ladder", "fleet", "To buy, servers included", &d);
    add_table(&doc, "ladder", "money", "$/day, by what it is for", &d);
    add_table(&doc, "ladder", "stranded", "GPUs that serve nothing, by cause", &d);
    add_hours(run, &d);
    add_table(&doc, "workloads", NULL, "Workloads", &d);
    add_table(&doc, "what_ifs", NULL, "What if", &d);
    document_heading(&d, "Sources");
    if (f->note[0])
        document_line(&d, DOCUMENT_SMALL, f->note);
    if (f->source[0])
        document_line(&d, DOCUMENT_SMALL, f->source);
    for (size_t t = 0; t < types->record_count; t++) {
        const struct record *type = &types->records[t];

        strbuf_clear(&line);
        strbuf_addf(&line, "%s: owned, %s; cloud, %s; %s", record_get(type, "gpu"),
                    record_get(type, "price"), record_get(type, "offer"),
                    record_get(type, "watts"));
        document_line(&d, DOCUMENT_SMALL, line.text);
    }
    document_line(&d, DOCUMENT_CODE, command);
    document_end(&d, out);
    document_fini(&d);
    strbuf_fini(&line);
    record_fini(&doc);
}
