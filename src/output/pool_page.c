/*
 * pool_page.c - see pool_page.h.
 */
#include "output/pool_page.h"

#include <math.h>
#include <string.h>

#include "output/pool_record.h"
#include "util/str.h"

#define SHOWN 12 /* workloads in the plot; the others are summed */

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

static double taken(const struct pool_run *run, int series, int hour)
{
    int n = run->c.pool.workload_count;
    double sum = 0;

    for (int w = series; w < n && (w == series || series == SHOWN - 1); w++)
        sum += pool_run_taken(run, run->rung, w, hour);
    return sum;
}

/* A line for each workload. */
static void add_plot(const struct pool_run *run, struct document *d)
{
    struct plot plot;
    int n = run->c.pool.workload_count < SHOWN ? run->c.pool.workload_count : SHOWN;

    plot_init(&plot);
    plot.x = (struct plot_axis){.high = run->c.pool.hours - 1, .title = "hour"};
    plot.y = (struct plot_axis){.high = 1, .title = "GPUs", .unit = "GPUs"};
    gp_format(plot.title, sizeof(plot.title), "GPUs by the hour, %s",
              pool_rung_word(run->rung));
    for (int i = 0; i < n; i++) {
        bool rest = i == SHOWN - 1 && run->c.pool.workload_count > SHOWN;
        struct plot_series *s =
            plot_add(&plot, rest ? "all others" : run->c.file.workloads[i].name,
                     (enum plot_role)(PLOT_1 + i % 4), 0);
        for (int h = 0; h < run->c.pool.hours; h++) {
            plot_point(s, h, taken(run, i, h));
            plot.y.high = fmax(plot.y.high, taken(run, i, h) * 1.05);
        }
    }
    document_plot(d, &plot, "");
    plot_fini(&plot);
}

/* ---- the page ---- */

static void add_conclusion(const struct record *doc, struct document *d)
{
    const struct fact *list = record_find(doc, "conclusion");

    for (size_t i = 0; i < list->record_count; i++)
        document_line(d, DOCUMENT_PLAIN, record_get(&list->records[i], ""));
}

static void add_sources(const struct pool_run *run, const struct record *doc,
                        struct document *d)
{
    document_heading(d, "Sources");
    document_line(d, DOCUMENT_SMALL, run->c.file.source);
    for (int t = 0; t < run->c.pool.type_count; t++) {
        const struct record *type = &record_find(doc, "types")->records[t];
        char line[320];
        gp_format(line, sizeof(line), "%s: owned, %s; cloud, %s; %s", record_get(type, "gpu"),
                  record_get(type, "price"), record_get(type, "offer"),
                  record_get(type, "watts"));
        document_line(d, DOCUMENT_SMALL, line);
    }
}

void pool_page(const struct pool_run *run, enum document_format format, struct strbuf *out)
{
    struct document d;
    struct record doc;
    char answer[160];

    record_init(&doc);
    pool_record(run, &doc);
    document_init(&d, format, run->c.file.name[0] ? run->c.file.name : "pool");
    gp_format(answer, sizeof(answer), "%s: $%.0f a day, %d GPUs", pool_rung_word(run->rung),
              run->answer.rungs[run->rung].total / pool_days(run),
              pool_run_gpus(run, run->rung));
    document_answer(&d, DOCUMENT_GOOD, answer);
    add_conclusion(&doc, &d);
    add_table(&doc, "ladder", "main", "Ladder, per day", &d);
    add_table(&doc, "ladder", "stranded", "GPUs that serve nothing, by cause", &d);
    add_plot(run, &d);
    add_table(&doc, "workloads", NULL, "Workloads", &d);
    add_table(&doc, "what_ifs", NULL, "What if", &d);
    add_sources(run, &doc, &d);
    document_end(&d, out);
    document_fini(&d);
    record_fini(&doc);
}
