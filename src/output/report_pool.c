/*
 * report_pool.c - see report_pool.h.
 */
#include "output/report_pool.h"

#include <math.h>

#include "output/pool_record.h"
#include "util/str.h"

#define SHOWN 7 /* workloads with a part of their own in the plot */

/* ---- the ladder ---- */

static const struct {
    const char *fact, *title;
    enum table_align align;
} columns[] = {{"name", "rung", TABLE_LEFT},         {"gpus", "GPUs", TABLE_RIGHT},
               {"cost", "$/day", TABLE_RIGHT},       {"bound", "bound $/day", TABLE_RIGHT},
               {"gap", "gap %", TABLE_RIGHT},        {"energy", "kWh/day", TABLE_RIGHT},
               {"utilisation", "busy %", TABLE_RIGHT}, {"unmet", "unmet %", TABLE_RIGHT},
               {"starts", "starts", TABLE_RIGHT}};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void add_ladder(const struct record *doc, struct document *d)
{
    const struct fact *rows = record_find(doc, "ladder");
    struct table_column heads[COLUMNS];
    struct table table;
    struct strbuf cell;

    for (size_t i = 0; i < COLUMNS; i++)
        heads[i] = (struct table_column){columns[i].title, columns[i].align};
    table_init(&table, heads, COLUMNS);
    strbuf_init(&cell);
    for (size_t r = 0; r < rows->record_count; r++)
        for (size_t i = 0; i < COLUMNS; i++) {
            const struct fact *f = record_find(&rows->records[r], columns[i].fact);

            strbuf_clear(&cell);
            if (f)
                record_cell(f, &cell);
            table_cell(&table, cell.text);
        }
    document_heading(d, "Ladder: the same demand, rung by rung");
    document_table(d, &table);
    document_line(d, DOCUMENT_SMALL,
                  "Money per day; bound: no plan of that rung costs less. ~ estimated, - "
                  "unknown.");
    strbuf_fini(&cell);
    table_fini(&table);
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
    plot.x = (struct plot_axis){.high = run->c.pool.hours - 1, .title = "hour"};
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

void report_pool_page(const struct pool_run *run, const char *command,
                      enum document_format format, struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;
    const struct fact *list;
    struct document d;
    struct record doc;
    char title[160];

    record_init(&doc);
    pool_record_ladder(run, &doc);
    pool_conclusion(run, &doc);
    gp_format(title, sizeof(title), "Pool %s: %zu workloads, %d hours", f->name,
              f->workload_count, f->hours);
    document_init(&d, format, title);
    list = record_find(&doc, "conclusion");
    for (size_t i = 0; list && i < list->record_count; i++) {
        const char *text = record_get(&list->records[i], "");

        if (i == 0)
            document_answer(&d, DOCUMENT_GOOD, text);
        else
            document_line(&d, DOCUMENT_PLAIN, text);
    }
    add_ladder(&doc, &d);
    add_hours(run, &d);
    document_heading(&d, "Sources");
    if (f->note[0])
        document_line(&d, DOCUMENT_SMALL, f->note);
    if (f->source[0])
        document_line(&d, DOCUMENT_SMALL, f->source);
    document_line(&d, DOCUMENT_CODE, command);
    document_end(&d, out);
    document_fini(&d);
    record_fini(&doc);
}
