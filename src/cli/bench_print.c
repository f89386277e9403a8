/*
 * bench_print.c - see bench_print.h. The figures of the quick subset:
 *
 *   AMD EPYC
 *     matrix products  fp32 212 GFLOP/s*, bf16 407 GFLOP/s, int8 633 GOP/s
 *     a layer, fp32    1 token 4.78 ms, 8 tokens 4.93 ms, 64 tokens 16.2 ms
 *     memory           read 35.4 GB/s, write 55.4 GB/s, copy 48.9 GB/s
 *   for more points and longer samples: gpuplan --bench all --preset normal
 *
 * A figure that nothing should rely on is shown all the same, with a star: on a busy machine it may
 * be all that there is. One that was computed wrong is none.
 */
#include "cli/bench_print.h"

#include <string.h>

#include "base/json.h"
#include "base/units.h"

void bench_print_lines(const json_t *list, const char *before, bool markdown, struct strbuf *out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        strbuf_addf(out, "%s%s", markdown ? "- " : "", before);
        output_line(benchlog_line(json_array_get(list, i)),
                    markdown ? OUTPUT_MARKDOWN : OUTPUT_TEXT, out);
    }
}

enum benchlog_view bench_view(enum output_format format)
{
    return format == OUTPUT_CSV        ? BENCHLOG_CSV
           : format == OUTPUT_MARKDOWN ? BENCHLOG_MARKDOWN
                                       : BENCHLOG_TEXT;
}

void bench_print(const struct benchlog *log, enum output_format format, bool quiet,
                 struct strbuf *out)
{
    bool markdown = format == OUTPUT_MARKDOWN;

    if (format == OUTPUT_JSON) {
        gp_json_write(log->json, true, out);
        return;
    }
    if (format == OUTPUT_PROMETHEUS) {
        benchlog_prometheus(log, out);
        return;
    }
    if (format == OUTPUT_CSV || !quiet)
        benchlog_print(log, bench_view(format), out);
    if (format == OUTPUT_CSV)
        return;
    strbuf_add(out, "\n");
    bench_print_lines(json_object_get(log->json, "summary"), "", markdown, out);
    bench_print_lines(json_object_get(log->json, "warnings"), "note: ", markdown, out);
}

void bench_stragglers(const json_t *result, struct strbuf *out)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(result, "stragglers"), i, one)
        strbuf_addf(out, "straggler: %s device %d: %s %.1f %% slower than others of its kind\n",
                    json_string_value(json_object_get(one, "host")),
                    (int)json_integer_value(json_object_get(one, "device")),
                    json_string_value(json_object_get(one, "id")),
                    100 * (1 - json_number_value(json_object_get(one, "ratio"))));
}

/* ---- at a glance ---- */

/* "fp32 212 GFLOP/s*", "8 tokens 4.93 ms" */
static void add_figure(const struct point_result *p, struct strbuf *line)
{
    bool layer = bench_test_is(p->test, TEST_IS_LAYER);
    double tokens = p->tokens > 0 ? p->tokens : p->n;
    char label[48], figure[64];

    if (layer)
        gp_format(label, sizeof(label), "%.0f token%s", tokens, tokens > 1 ? "s" : "");
    else
        gp_copy(label, sizeof(label),
                bench_test_is(p->test, TEST_IS_PRODUCT) ? p->type_word
                                                        : bench_kind_label(p->kind, p->hot));
    strbuf_addf(line, "%s%s %s%s", line->len ? ", " : "", label,
                layer ? units_seconds(figure, sizeof(figure), p->median, 3)
                      : result_rate(figure, sizeof(figure), p),
                result_good(p) ? "" : "*");
}

/* The library's first choice; what tuning gains is in the table. */
static bool has_figure(const struct point_result *p, int device, enum bench_test test)
{
    return p->device == device && p->test == test && p->state == POINT_OK && !result_wrong(p) &&
           strcmp(p->variant, "tuned") != 0;
}

static void add_test(const struct benchlog *log, int device, enum bench_test test,
                     struct strbuf *out)
{
    bool layer = bench_test_is(test, TEST_IS_LAYER);
    char type[16] = "", name[40];
    struct strbuf line = STRBUF_EMPTY;

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (!has_figure(p, device, test))
            continue;
        gp_copy(type, sizeof(type), p->type_word);
        add_figure(p, &line);
    }
    gp_format(name, sizeof(name), "%s%s%s", test_rows[test].label, layer ? ", " : "",
              layer ? type : "");
    if (line.len)
        strbuf_addf(out, "  %-15s  %s\n", name, line.text);
    strbuf_fini(&line);
}

void bench_glance(const struct benchlog *log, struct strbuf *out)
{
    bool starred = false;

    strbuf_add(out, "\n");
    for (int d = 0; d < log->device_count; d++) {
        if (log->device_count > 1)
            strbuf_addf(out, "device %ld, ", log->device[d].id);
        strbuf_addf(out, "%s\n", log->device[d].name);
        for (int t = 0; t < TEST_COUNT; t++)
            if (bench_test_is((enum bench_test)t, TEST_IS_DEFAULT))
                add_test(log, d, (enum bench_test)t, out);
    }
    for (int i = 0; i < log->count; i++)
        starred =
            starred || (has_figure(&log->point[i], log->point[i].device, log->point[i].test) &&
                        !result_good(&log->point[i]));
    if (starred)
        strbuf_add(out, "  * flagged and not used: the table says why\n");
    strbuf_add(out, "for more points and longer samples: gpuplan --bench all --preset normal\n");
}
