/*
 * benchlog_print.c - a result file as text, CSV, Markdown and for Prometheus.
 *
 * One row per point in each. Numbers in CSV are SI and unrounded, an empty cell is a
 * figure nobody has; the tables for people round to what a measurement is good for.
 */
#include "measure/result/benchlog.h"

#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/units.h"

static char *scaled(char *text, size_t size, double value, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    int i = 0;

    for (; value >= 1000 && i < 5; i++)
        value /= 1000;
    gp_format(text, size, "%.*f %s%s",
              value < 10    ? 2
              : value < 100 ? 1
                            : 0,
              value, prefix[i], unit);
    return text;
}

char *benchlog_rate(char *text, size_t size, const struct benchlog_point *p)
{
    enum test_rate rate = p->test < TEST_COUNT ? test_rows[p->test].rate : RATE_BYTES;

    if (p->median <= 0)
        gp_copy(text, size, "-");
    else if (rate == RATE_OPERATIONS && p->ops > 0)
        scaled(text, size, p->ops, bench_type_integer(p->type) ? "OP/s" : "FLOP/s");
    else if (rate != RATE_SECONDS && p->bytes > 0)
        scaled(text, size, p->bytes, "B/s");
    else
        units_seconds(text, size, p->median, 3);
    return text;
}

static void flag_words(const struct benchlog_point *p, char *text, size_t size)
{
    gp_copy(text, size, p->state == POINT_OK ? "" : point_state_words[p->state]);
    if (benchlog_wrong(p))
        gp_copy(text, size, "WRONG");
    for (size_t i = 0; i < json_array_size(p->flags); i++)
        gp_append(text, size, " ", "%s", json_string_value(json_array_get(p->flags, i)));
    if (p->state != POINT_OK && p->reason[0])
        gp_append(text, size, ": ", "%s", p->reason);
}

static void print_people(const struct benchlog *log, bool markdown, struct strbuf *out)
{
    static const struct table_column columns[] = {
        {"device", TABLE_RIGHT},    {"point", TABLE_LEFT},      {"variant", TABLE_LEFT},
        {"time", TABLE_RIGHT},      {"+-%", TABLE_RIGHT},       {"rate", TABLE_RIGHT},
        {"predicted", TABLE_RIGHT}, {"reached %", TABLE_RIGHT}, {"bound", TABLE_LEFT},
        {"notes", TABLE_LEFT}};
    struct table table;
    char text[96], notes[256];

    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        table_cellf(&table, "%ld", log->device[p->device].id);
        table_cell(&table, p->id);
        table_cell(&table, p->variant);
        table_cell(&table, p->median > 0 ? units_seconds(text, sizeof text, p->median, 3) : "-");
        if (p->median > 0)
            table_cellf(&table, "%.1f", 50 * (p->high - p->low) / p->median);
        else
            table_cell(&table, "-");
        table_cell(&table, benchlog_rate(text, sizeof text, p));
        table_cell(&table,
                   p->predicted > 0 ? units_seconds(text, sizeof text, p->predicted, 3) : "-");
        if (p->ratio > 0)
            table_cellf(&table, "%.0f", 100 * p->ratio);
        else
            table_cell(&table, "-");
        table_cell(&table, p->bound_word);
        flag_words(p, notes, sizeof notes);
        table_cell(&table, notes);
    }
    if (markdown)
        table_markdown(&table, out);
    else
        table_text(&table, out);
    table_fini(&table);
}

static void csv_number(struct table *table, double value)
{
    if (value > 0)
        table_cellf(table, "%.9g", value);
    else
        table_cell(table, "");
}

static void print_csv(const struct benchlog *log, struct strbuf *out)
{
    static const char *const titles[] = {
        "host",        "device",      "device_name", "test",       "id",           "variant",
        "type",        "m",           "n",           "k",          "bytes",        "state",
        "reason",      "samples",     "median_s",    "ci95_low_s", "ci95_high_s",  "ops_per_s",
        "bytes_per_s", "predicted_s", "ratio",       "bound",      "sm_clock_mhz", "power_w",
        "temp_c",      "check",       "good",        "flags",      "ops_per_j",    "ops_per_clock"};

    enum { COLUMNS = sizeof titles / sizeof titles[0] };
    struct table_column columns[COLUMNS];
    struct table table;
    char flags[256];

    for (int i = 0; i < COLUMNS; i++)
        columns[i] = (struct table_column){titles[i], TABLE_LEFT};
    table_init(&table, columns, COLUMNS);
    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];
        const struct benchlog_device *d = &log->device[p->device];

        table_cell(&table, d->host);
        table_cellf(&table, "%ld", d->id);
        table_cell(&table, d->name);
        table_cell(&table, p->test_word);
        table_cell(&table, p->id);
        table_cell(&table, p->variant);
        table_cell(&table, p->type_word);
        csv_number(&table, p->m);
        csv_number(&table, p->n);
        csv_number(&table, p->k);
        csv_number(&table, p->size);
        table_cell(&table, point_state_words[p->state]);
        table_cell(&table, p->reason);
        csv_number(&table, p->samples);
        csv_number(&table, p->median);
        csv_number(&table, p->low);
        csv_number(&table, p->high);
        csv_number(&table, p->ops);
        csv_number(&table, p->bytes);
        csv_number(&table, p->predicted);
        csv_number(&table, p->ratio);
        table_cell(&table, p->bound_word);
        csv_number(&table, p->clock);
        csv_number(&table, p->power);
        csv_number(&table, p->temp);
        table_cell(&table, !p->check_done ? "" : p->check_ok ? "ok" : "failed");
        table_cell(&table, benchlog_good(p) ? "1" : "0");
        flag_words(p, flags, sizeof flags);
        table_cell(&table, p->state == POINT_OK ? flags : "");
        csv_number(&table, p->per_joule); /* last, so that older columns stay */
        csv_number(&table, p->per_clock);
    }
    table_csv(&table, out);
    table_fini(&table);
}

void benchlog_print(const struct benchlog *log, enum benchlog_view view, struct strbuf *out)
{
    if (view == BENCHLOG_CSV)
        print_csv(log, out);
    else
        print_people(log, view == BENCHLOG_MARKDOWN, out);
}

/* ---- Prometheus textfile ---- */

#define AT(member) offsetof(struct benchlog_point, member)

/* A label's value: backslash, quote and newline escaped. */
static void label(struct strbuf *out, const char *name, const char *value, const char *after)
{
    strbuf_addf(out, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            strbuf_add(out, "\\");
        if ((unsigned char)*value >= 0x20)
            strbuf_addn(out, value, 1);
    }
    strbuf_addf(out, "\"%s", after);
}

/* Whether a point is good is a metric and no label: a label would make another series
 * of it each time that it changes. */
void benchlog_prometheus(const struct benchlog *log, struct strbuf *out)
{
    static const struct {
        const char *name, *help;
        size_t figure; /* of a double in struct benchlog_point; left out when it is 0 */
        bool (*is)(const struct benchlog_point *); /* or this, 1 or 0 */
    } metrics[] = {
        {"gpuplan_bench_seconds", "median time of one operation", AT(median), NULL},
        {"gpuplan_bench_operations_per_second", "rate of arithmetic", AT(ops), NULL},
        {"gpuplan_bench_bytes_per_second", "rate of moved bytes", AT(bytes), NULL},
        {"gpuplan_bench_reached_ratio", "predicted over measured time", AT(ratio), NULL},
        {"gpuplan_bench_check_failed", "1 when results were wrong", 0, benchlog_wrong},
        {"gpuplan_bench_good", "0 when flagged or wrong, not to be used", 0, benchlog_good},
    };

    for (size_t m = 0; m < sizeof metrics / sizeof metrics[0]; m++) {
        strbuf_addf(out, "# HELP %s %s\n# TYPE %s gauge\n", metrics[m].name, metrics[m].help,
                    metrics[m].name);
        for (int i = 0; i < log->count; i++) {
            const struct benchlog_point *p = &log->point[i];
            const struct benchlog_device *d = &log->device[p->device];
            const void *at = (const char *)p + metrics[m].figure;
            double value = metrics[m].is ? metrics[m].is(p) : *(const double *)at;
            char number[32];

            if (p->state != POINT_OK || (value <= 0 && !metrics[m].is))
                continue;
            gp_format(number, sizeof number, "%ld", d->id);
            strbuf_addf(out, "%s{", metrics[m].name);
            label(out, "host", d->host, ",");
            label(out, "device", number, ",");
            label(out, "name", d->name, ",");
            label(out, "id", p->id, ",");
            label(out, "variant", p->variant, "}");
            strbuf_addf(out, " %.9g\n", value);
        }
    }
}
