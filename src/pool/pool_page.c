/*
 * pool_page.c - see pool_page.h.
 */
#include "pool/pool_page.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "pool/pool_record.h"

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

static double taken(const struct pool_run *run, int from, int to, int hour)
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
        double low = taken(run, 0, from, h), high = taken(run, 0, to, h);

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

/* The first sentence is the answer. */
static void add_conclusion(const struct pool_run *run, const struct record *doc, struct document *d)
{
    const struct fact *list = record_find(doc, "conclusion");

    for (size_t i = 0; i < list->record_count; i++) {
        const char *text = record_get(&list->records[i], "");

        if (i == 0)
            document_answer(d, pool_run_short(run) ? DOCUMENT_BAD : DOCUMENT_GOOD, "", text);
        else
            document_line(d, DOCUMENT_PLAIN, text);
    }
}

static void add_sources(const struct pool_run *run, const struct record *doc, struct document *d)
{
    document_heading(d, "Sources");
    if (run->c.file.note[0])
        document_line(d, DOCUMENT_SMALL, run->c.file.note);
    if (run->c.file.source[0])
        document_line(d, DOCUMENT_SMALL, run->c.file.source);
    for (int t = 0; t < run->c.pool.type_count; t++) {
        const struct record *type = &record_find(doc, "types")->records[t];
        char line[320];

        gp_format(line, sizeof(line), "%s: owned, %s; cloud, %s; %s", record_get(type, "gpu"),
                  record_get(type, "price"), record_get(type, "offer"), record_get(type, "watts"));
        document_line(d, DOCUMENT_SMALL, line);
    }
}

void pool_page(const struct pool_run *run, const char *command, struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;
    struct document d;
    struct record doc;
    char title[160];

    record_init(&doc);
    pool_record(run, &doc, false);
    gp_format(title, sizeof(title), "Pool %s: %zu workloads, %d hours", f->name, f->workload_count,
              f->hours);
    document_init(&d, title);
    add_conclusion(run, &doc, &d);
    add_table(&doc, "ladder", "main", "Ladder: the same demand, rung by rung, per day", &d);
    add_table(&doc, "ladder", "fleet", "To buy, servers included", &d);
    add_table(&doc, "ladder", "money", "$/day, by what it is for", &d);
    add_table(&doc, "ladder", "stranded", "GPUs that serve nothing, by cause", &d);
    add_hours(run, &d);
    add_table(&doc, "workloads", NULL, "Workloads", &d);
    add_table(&doc, "what_ifs", NULL, "What if", &d);
    add_sources(run, &doc, &d);
    document_line(&d, DOCUMENT_CODE, command);
    document_end(&d, out);
    document_fini(&d);
    record_fini(&doc);
}
