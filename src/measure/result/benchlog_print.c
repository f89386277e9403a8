/*
 * benchlog_print.c - a result file as text, CSV, Markdown and for Prometheus.
 *
 * One row per point in each. Numbers in CSV are SI and unrounded, an empty cell is a
 * figure nobody has; the tables for people round to what a measurement is good for.
 */
#include "measure/result/benchlog.h"

#include <string.h>

#include "base/table.h"
#include "base/units.h"

/* Its state where that is not "ok", and its flags. */
static void print_notes(const struct point_result *p, char *text, size_t size)
{
    char flags[200];

    gp_copy(text, size,
            result_wrong(p)        ? "WRONG"
            : p->state == POINT_OK ? ""
                                   : point_state_words[p->state]);
    if (result_flags(p, " ", flags, sizeof(flags))[0])
        gp_append(text, size, " ", "%s", flags);
}

/* Why there is no figure, or none to use; "" = there is one, or nobody said. */
static const char *print_reason(const struct point_result *p)
{
    return p->state != POINT_OK ? p->reason : result_wrong(p) ? p->why : "";
}

static bool is_straggler(const struct benchlog *log, const struct point_result *p)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(log->json, "stragglers"), i, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));
        const char *variant = json_string_value(json_object_get(one, "variant"));

        if (json_integer_value(json_object_get(one, "device")) == log->device[p->device].id && id &&
            strcmp(id, p->id) == 0 && (!variant || strcmp(variant, p->variant) == 0))
            return true;
    }
    return false;
}

/* Is it other than what its like have? What no device of the name supports is not. */
static bool is_news(const struct benchlog *log, const struct point_result *p)
{
    const char *name = log->device[p->device].name;

    if (p->state != POINT_UNSUPPORTED)
        return p->state != POINT_OK || !result_good(p) || is_straggler(log, p);
    for (int i = 0; i < log->count; i++)
        if (log->point[i].state == POINT_OK && strcmp(log->point[i].id, p->id) == 0 &&
            strcmp(log->device[log->point[i].device].name, name) == 0)
            return true;
    return false;
}

/* The rows that are news, or all of them; how many were left out. */
static int print_people(const struct benchlog *log, bool markdown, bool news, struct strbuf *out)
{
    static const struct table_column columns[] = {
        {"device", TABLE_RIGHT},    {"point", TABLE_LEFT},      {"variant", TABLE_LEFT},
        {"time", TABLE_RIGHT},      {"+-%", TABLE_RIGHT},       {"rate", TABLE_RIGHT},
        {"predicted", TABLE_RIGHT}, {"reached %", TABLE_RIGHT}, {"bound", TABLE_LEFT},
        {"notes", TABLE_LEFT}};
    struct table table;
    char text[96], notes[400];
    int left_out = 0;

    table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (news && !is_news(log, p)) {
            left_out++;
            continue;
        }
        table_cellf(&table, "%ld", log->device[p->device].id);
        table_cell(&table, p->id);
        table_cell(&table, p->variant);
        table_cell(&table, p->median > 0 ? units_seconds(text, sizeof(text), p->median, 3) : "-");
        table_cellf(&table, p->median > 0 ? "%.1f" : "-", 50 * (p->high - p->low) / p->median);
        table_cell(&table, result_rate(text, sizeof(text), p));
        table_cell(&table,
                   p->predicted > 0 ? units_seconds(text, sizeof(text), p->predicted, 3) : "-");
        table_cellf(&table, p->ratio > 0 ? "%.0f" : "-", 100 * p->ratio);
        table_cell(&table, p->bound);
        print_notes(p, notes, sizeof(notes));
        if (print_reason(p)[0])
            gp_append(notes, sizeof(notes), ": ", "%s", print_reason(p));
        table_cell(&table, notes);
    }
    if (markdown)
        table_markdown(&table, out);
    else if (left_out < log->count)
        table_text(&table, out);
    table_fini(&table);
    return left_out;
}

static void csv_number(struct table *table, double value)
{
    table_cellf(table, value > 0 ? "%.9g" : "", value);
}

static void print_csv(const struct benchlog *log, struct strbuf *out)
{
    static const char *const titles[] = {
        "host",        "device",      "device_name", "test",       "id",           "variant",
        "type",        "m",           "n",           "k",          "bytes",        "state",
        "reason",      "samples",     "median_s",    "ci95_low_s", "ci95_high_s",  "ops_per_s",
        "bytes_per_s", "predicted_s", "ratio",       "bound",      "sm_clock_mhz", "power_w",
        "temp_c",      "check",       "good",        "flags",      "ops_per_j",    "ops_per_clock",
        "groups"};

    enum { COLUMNS = sizeof(titles) / sizeof(titles[0]) };
    struct table_column columns[COLUMNS];
    struct table table;
    char flags[256];

    for (int i = 0; i < COLUMNS; i++)
        columns[i] = (struct table_column){titles[i], TABLE_LEFT};
    table_init(&table, columns, COLUMNS);
    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];
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
        table_cell(&table, print_reason(p));
        csv_number(&table, p->samples);
        csv_number(&table, p->median);
        csv_number(&table, p->low);
        csv_number(&table, p->high);
        csv_number(&table, p->ops);
        csv_number(&table, p->bytes);
        csv_number(&table, p->predicted);
        csv_number(&table, p->ratio);
        table_cell(&table, p->bound);
        csv_number(&table, p->clock);
        csv_number(&table, p->power);
        csv_number(&table, p->temp);
        table_cell(&table, !p->checked ? "" : p->correct ? "ok" : "failed");
        table_cell(&table, result_good(p) ? "1" : "0");
        print_notes(p, flags, sizeof(flags));
        table_cell(&table, p->state == POINT_OK ? flags : "");
        csv_number(&table, p->per_joule); /* last, so that older columns stay */
        csv_number(&table, p->per_clock);
        csv_number(&table, p->groups);
    }
    table_csv(&table, out);
    table_fini(&table);
}

void benchlog_print(const struct benchlog *log, enum benchlog_view view, struct strbuf *out)
{
    if (view == BENCHLOG_CSV)
        print_csv(log, out);
    else
        print_people(log, view == BENCHLOG_MARKDOWN, false, out);
}

/* Does it say something of one device alone, so that others of the name should have it? */
static bool is_own(const struct point_result *p)
{
    return !bench_test_is(p->test, TEST_NEEDS_DEVICES) && !bench_kind_is(p->kind, KIND_IS_PAIR) &&
           !bench_kind_is(p->kind, KIND_IS_ALL);
}

/* The points that others of its name have and a device has not, as one line a device. */
static void print_missing(const struct benchlog *log, struct strbuf *out)
{
    json_t *names = json_object(), *had = json_object(), *ids, *value;
    char key[400];
    const char *id;

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (!is_own(p))
            continue;
        if (!(ids = json_object_get(names, log->device[p->device].name)))
            json_object_set_new(names, log->device[p->device].name, ids = json_object());
        json_object_set_new(ids, p->id, json_true());
        gp_format(key, sizeof(key), "%d %s", p->device, p->id);
        json_object_set_new(had, key, json_true());
    }
    for (int d = 0; d < log->device_count; d++) {
        const char *first = NULL;
        int count = 0;

        json_object_foreach(json_object_get(names, log->device[d].name), id, value)
        {
            gp_format(key, sizeof(key), "%d %s", d, id);
            if (json_object_get(had, key))
                continue;
            first = first ? first : id;
            count++;
        }
        if (count)
            strbuf_addf(out,
                        "missing: %s device %ld: %d point%s that others of its kind have: %s%s\n",
                        log->device[d].host, log->device[d].id, count, count > 1 ? "s" : "", first,
                        count > 1 ? ", .." : "");
    }
    json_decref(names);
    json_decref(had);
}

void benchlog_print_news(const struct benchlog *log, struct strbuf *out)
{
    print_missing(log, out);
    int alike = print_people(log, false, true, out);
    strbuf_addf(out, "%d of %d rows are as everywhere: -v prints them\n", alike, log->count);
}

/* ---- Prometheus textfile ---- */

#define AT(member) offsetof(struct point_result, member)

/* A label's value: backslash, quote and newline escaped. */
static void print_label(struct strbuf *out, const char *name, const char *value, const char *after)
{
    strbuf_addf(out, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            strbuf_add(out, "\\");
        if (*value == '\n')
            strbuf_add(out, "\\n");
        if ((unsigned char)*value >= 0x20)
            strbuf_addn(out, value, 1);
    }
    strbuf_addf(out, "\"%s", after);
}

/* Which device a metric is of: what stands in all labels. */
static void print_device(const struct benchlog *log, int device, struct strbuf *out)
{
    const struct benchlog_device *d = &log->device[device];
    char number[32];

    gp_format(number, sizeof(number), "%ld", d->id);
    print_label(out, "host", d->host, ",");
    print_label(out, "device", number, ",");
    print_label(out, "name", d->name, ",");
    print_label(out, "uuid", benchlog_device_text(log, device, "uuid"), "");
}

/* What --soak came to, of each device that has been under load. */
static void print_soaks(const struct benchlog *log, struct strbuf *out)
{
    static const struct {
        const char *name, *help, *key;
        double unit;
    } metrics[] = {
        {"gpuplan_soak_seconds", "time under load", "seconds", 1},
        {"gpuplan_soak_products", "products run", "products", 1},
        {"gpuplan_soak_compared", "results compared with the first", "compared", 1},
        {"gpuplan_soak_wrong", "of these, results that differ", "wrong", 1},
        {"gpuplan_soak_clock_min_hertz", "lowest clock", "sm_clock_min_mhz", 1e6},
        {"gpuplan_soak_clock_mean_hertz", "mean clock", "sm_clock_mean_mhz", 1e6},
        {"gpuplan_soak_temperature_max_celsius", "highest temperature", "temp_max_c", 1},
        {"gpuplan_soak_power_mean_watts", "mean power", "power_mean_w", 1},
        {"gpuplan_soak_throttled_ratio", "share of the time with a clock held down", "throttled",
         1},
        {"gpuplan_soak_exit_code", "5: a result was wrong; 4: the device failed", "exit_code", 1},
    };
    const json_t *devices = json_object_get(log->json, "devices");

    for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++) {
        bool told = false;

        for (int i = 0; i < log->device_count; i++) {
            const json_t *soak = json_object_get(json_array_get(devices, (size_t)i), "soak");
            const json_t *value = json_object_get(soak, metrics[m].key);

            if (!json_is_number(value))
                continue;
            if (!told)
                strbuf_addf(out, "# HELP %s %s\n# TYPE %s gauge\n", metrics[m].name,
                            metrics[m].help, metrics[m].name);
            told = true;
            strbuf_addf(out, "%s{", metrics[m].name);
            print_device(log, i, out);
            strbuf_addf(out, "} %.9g\n", json_number_value(value) * metrics[m].unit);
        }
    }
}

/* Whether a point is good is a metric and no label: a label would make another series
 * of it each time that it changes. */
void benchlog_prometheus(const struct benchlog *log, struct strbuf *out)
{
    static const struct {
        const char *name, *help;
        size_t figure; /* of a double in struct point_result; left out when it is 0 */
        bool (*is)(const struct point_result *); /* or this, 1 or 0 */
    } metrics[] = {
        {"gpuplan_bench_seconds", "median time of one operation", AT(median), NULL},
        {"gpuplan_bench_operations_per_second", "rate of arithmetic", AT(ops), NULL},
        {"gpuplan_bench_bytes_per_second", "rate of moved bytes", AT(bytes), NULL},
        {"gpuplan_bench_reached_ratio", "predicted over measured time", AT(ratio), NULL},
        {"gpuplan_bench_check_failed", "1 when results were wrong", 0, result_wrong},
        {"gpuplan_bench_good", "0 when flagged or wrong, not to be used", 0, result_good},
    };

    for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++) {
        strbuf_addf(out, "# HELP %s %s\n# TYPE %s gauge\n", metrics[m].name, metrics[m].help,
                    metrics[m].name);
        for (int i = 0; i < log->count; i++) {
            const struct point_result *p = &log->point[i];
            const void *at = (const char *)p + metrics[m].figure;
            double value = metrics[m].is ? metrics[m].is(p) : *(const double *)at;

            if (p->state != POINT_OK || (value <= 0 && !metrics[m].is))
                continue;
            strbuf_addf(out, "%s{", metrics[m].name);
            print_device(log, p->device, out);
            strbuf_add(out, ",");
            print_label(out, "test", p->test_word, ",");
            print_label(out, "type", p->type_word, ",");
            print_label(out, "point", p->id, ",");
            print_label(out, "variant", p->variant, "}");
            strbuf_addf(out, " %.9g\n", value);
        }
    }
    print_soaks(log, out);
}
