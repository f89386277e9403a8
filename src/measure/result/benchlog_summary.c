/*
 * benchlog_summary.c - what the figures mean, in words.
 *
 * What limits a device shows in the batch sweep: as long as a layer takes no longer for more
 * tokens, the weights' way from memory is what takes the time; where it takes 10 % more than for
 * one token, arithmetic begins to. That batch is the knee, and lies between two that were measured.
 * A layer whose weights come at less than half of the bandwidth is not limited by memory, however
 * long it takes no longer. The best product over the read bandwidth, both measured, say from how
 * many operations per byte on arithmetic limits.
 *
 * Whether a sheet's figure holds is said by the best that any point reached of it: 90 % or more
 * holds, more than 105 % means that the sheet is not this device's. What is estimated from a sheet,
 * as of a slice of a GPU, is compared without a verdict.
 */
#include "measure/result/benchlog.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "measure/point/method.h"
#include "plan/roofline.h"

#define KNEE 1.10
#define HOLDS 0.90
#define BEYOND 1.05
#define PACE 0.5 /* of the bandwidth: memory sets the pace */

/* A figure of the device to build on. */
static bool is_figure(const struct point_result *p, int device)
{
    return p->device == device && result_usable(p);
}

/* Of one product: experts follow the tokens otherwise. */
static bool is_layer(const struct point_result *p, int device)
{
    return bench_test_is(p->test, TEST_IS_LAYER) && p->groups <= 1 && is_figure(p, device);
}

/* ---- memory ---- */

/* The point of a device with the largest figure among those that `fits` takes; those of one type,
 * but for TYPE_COUNT. */
static const struct point_result *best_point(const struct benchlog *log, int device,
                                             enum bench_type type,
                                             bool (*fits)(const struct benchlog *,
                                                          const struct point_result *),
                                             double (*figure)(const struct point_result *))
{
    const struct point_result *best = NULL;

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (is_figure(p, device) && (type == TYPE_COUNT || p->type == type) &&
            figure(p) > (best ? figure(best) : 0) && fits(log, p))
            best = p;
    }
    return best;
}

static double bytes_of(const struct point_result *p)
{
    return p->bytes;
}

static double operations_of(const struct point_result *p)
{
    return p->ops;
}

static double area_of(const struct point_result *p)
{
    return p->m * p->k;
}

/* As for predictions (measure/session_record.c): a read that the last cache helps is no figure of
 * memory. */
static bool is_read(const struct benchlog *log, const struct point_result *p)
{
    const json_t *device = json_array_get(json_object_get(log->json, "devices"), (size_t)p->device);
    double cache = json_number_value(json_object_get(device, "cache"));

    return p->kind == KIND_READ && !p->hot && !(p->size > 0 && p->size <= 2 * cache);
}

static const struct point_result *best_read(const struct benchlog *log, int device)
{
    return best_point(log, device, TYPE_COUNT, is_read, bytes_of);
}

/* A layer for one token: it is memory that is measured. */
static bool is_one_token(const struct benchlog *log, const struct point_result *p)
{
    (void)log;
    return bench_test_is(p->test, TEST_IS_LAYER) && p->n == 1 && p->groups <= 1;
}

static bool is_product(const struct benchlog *log, const struct point_result *p)
{
    (void)log;
    return bench_test_is(p->test, TEST_IS_PRODUCT) && p->n > 1;
}

/* ---- the knee ---- */

static bool same_layer(const struct point_result *a, const struct point_result *b)
{
    return a->type == b->type && strcmp(a->variant, b->variant) == 0 && a->m == b->m &&
           a->k == b->k;
}

/* Where a layer begins to take 10 % longer than for one token. */
struct knee {
    double flat; /* the largest batch before */
    double from; /* the smallest that does; 0 = none */
};

static struct knee knee_of(const struct benchlog *log, const struct point_result *one)
{
    struct knee knee = {1, 0};

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];
        double n = p->n;

        if (is_layer(p, one->device) && same_layer(p, one) && p->median > KNEE * one->median &&
            n > 1 && (knee.from <= 0 || n < knee.from))
            knee.from = n;
    }
    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];
        double n = p->n;

        if (is_layer(p, one->device) && same_layer(p, one) && (knee.from <= 0 || n < knee.from))
            knee.flat = fmax(knee.flat, n);
    }
    return knee;
}

/* The part of the bandwidth at which the layer's weights come: of what was measured, or of the
 * sheet's; 0 = unknown. */
static double served_load_of(const struct benchlog *log, const struct point_result *one)
{
    const struct point_result *read = best_read(log, one->device);

    if (read && one->bytes > 0)
        return one->bytes / read->bytes;
    return roof_bound_parse(one->bound) == ROOF_MEMORY ? one->ratio : 0;
}

/* Of the largest layer of a type. */
static void say_knee(const struct benchlog *log, int device, enum bench_type type, json_t *list)
{
    const struct point_result *one = best_point(log, device, type, is_one_token, area_of);
    long id = log->device[device].id;
    char then[64] = "";

    if (!one)
        return;
    struct knee knee = knee_of(log, one);
    double pace = served_load_of(log, one);
    if (knee.from > 0)
        gp_format(then, sizeof(then), "; at %.0f arithmetic counts", knee.from);
    else if (knee.flat <= 1)
        return;
    if (pace > 0 && pace < PACE)
        benchlog_text(list,
                      "device %ld, %s: a %.0f x %.0f layer takes no longer up to a batch of %.0f, "
                      "but its weights come at %.0f %% of the bandwidth: not memory limits it%s",
                      id, bench_type_word(one->type), one->m, one->k, knee.flat, 100 * pace, then);
    else
        benchlog_text(list,
                      "device %ld, %s: memory limits a %.0f x %.0f layer up to a batch of %.0f%s",
                      id, bench_type_word(one->type), one->m, one->k, knee.flat, then);
}

/* ---- the sheet ---- */

/* The nearest to a sheet, or to what is estimated from one, of the points of these tests that the
 * bound limits. type TYPE_COUNT: of any. */
static const struct point_result *best_of(const struct benchlog *log, int device, unsigned tests,
                                          enum bench_type type, enum roof_bound bound)
{
    const struct point_result *best = NULL;

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (p->device == device && p->test < TEST_COUNT && tests >> p->test & 1 && result_good(p) &&
            roof_bound_parse(p->bound) == bound && p->ratio > 0 &&
            (type == TYPE_COUNT || p->type == type) &&
            (strcmp(p->origin, "sheet") == 0 || strcmp(p->origin, "model") == 0) &&
            (!best || p->ratio > best->ratio))
            best = p;
    }
    return best;
}

static void say_sheet(const struct benchlog *log, const struct point_result *p, const char *what,
                      json_t *list)
{
    char rate[64];

    if (!p)
        return;
    result_rate(rate, sizeof(rate), p);
    if (strcmp(p->origin, "sheet") != 0) {
        benchlog_text(list, "device %ld, %s: %s, %.0f %% of what is estimated from the sheet",
                      log->device[p->device].id, what, rate, 100 * p->ratio);
        return;
    }
    benchlog_text(list, "device %ld, %s: %s, %.0f %% of the sheet: %s", log->device[p->device].id,
                  what, rate, 100 * p->ratio,
                  p->ratio > BEYOND   ? "more than the sheet allows: it is another device's sheet"
                  : p->ratio >= HOLDS ? "the sheet's figure holds"
                                      : "the sheet's figure is not reached");
}

/* ---- the roof that was measured ---- */

/* What was measured is the roof: where products and reads are equally long, and whether one token's
 * weights come as fast as memory is read. */
static void say_own_roof(const struct benchlog *log, int device, enum bench_type type, json_t *list)
{
    const struct point_result *read = best_read(log, device);
    const struct point_result *product = best_point(log, device, type, is_product, operations_of);
    const struct point_result *weights = best_point(log, device, type, is_one_token, bytes_of);
    long id = log->device[device].id;
    char rate[64];

    if (read && product)
        benchlog_text(list,
                      "device %ld, %s: products reach %s, %.0f operations per byte read: work with "
                      "fewer is limited by memory, with more by arithmetic",
                      id, bench_type_word(type), result_rate(rate, sizeof(rate), product),
                      product->ops / read->bytes);
    if (read && weights)
        benchlog_text(list,
                      "device %ld, %s: for one token the weights are read at %s GB/s, %.0f %% of "
                      "the read bandwidth: %s",
                      id, bench_type_word(type), UNITS_PLAIN(weights->bytes / 1e9, 3),
                      100 * weights->bytes / read->bytes,
                      weights->bytes >= HOLDS * read->bytes
                          ? "memory limits it"
                          : "something other than memory limits it, too");
}

/* Nothing is faster than its roof: if points are, the measured roof is too low (a busy machine) or
 * their operands were not as cold as planned. Say it rather than hide it. */
static void say_above_roof(const struct benchlog *log, int device, json_t *list)
{
    int above = 0;
    double most = 0;

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (p->device != device || !result_good(p) || p->ratio <= BEYOND ||
            roof_bound_parse(p->bound) != ROOF_MEMORY || strcmp(p->origin, "measured") != 0)
            continue;
        above++;
        most = fmax(most, p->ratio);
    }
    if (above)
        benchlog_text(list,
                      "device %ld: %d points are faster than the read bandwidth measured in this "
                      "run allows (up to %.0f %%): do not rely on it as a roof",
                      log->device[device].id, above, 100 * most);
}

/* Is this the first point of its type on its device? */
static bool is_new_type(const struct benchlog *log, int i)
{
    const struct point_result *p = &log->point[i];

    for (int k = i - 1; k >= 0; k--) /* its like are mostly near */
        if (log->point[k].device == p->device && log->point[k].type == p->type)
            return false;
    return p->type < TYPE_COUNT;
}

/* What reaches of the sheet: memory, the link, and each test that memory bounds. */
static void say_bandwidths(const struct benchlog *log, int device, json_t *list)
{
    for (int t = 0; t < TEST_COUNT; t++) {
        enum test_bound bound = test_rows[t].bound;

        if (bound == BOUND_MEMORY)
            say_sheet(log, best_of(log, device, 1u << t, TYPE_COUNT, ROOF_MEMORY),
                      bench_test_word((enum bench_test)t), list);
        else if (bound == BOUND_LINK)
            say_sheet(log, best_of(log, device, 1u << t, TYPE_COUNT, ROOF_LINK), "PCIe", list);
    }
}

/* ---- soak ---- */

/* "soak of device 1, NAME: 10.0 min, 36000 products, 12000 compared, 3 wrong; clock 1410 MHz at
 * least, 1620 MHz mean; at most 71 C; 668 W; throttled 12 % of the time (power_cap): exit code 5"
 */
static void say_soak(const struct benchlog *log, int device, json_t *list)
{
    static const struct {
        const char *name, *before, *after;
        double scale;
    } parts[] = {
        {"sm_clock_min_mhz", "; clock ", " MHz at least", 1},
        {"sm_clock_mean_mhz", ", ", " MHz mean", 1},
        {"temp_max_c", "; at most ", " C", 1},
        {"power_mean_w", "; ", " W", 1},
        {"throttled", "; throttled ", " % of the time", 100},
    };
    const json_t *one = json_array_get(json_object_get(log->json, "devices"), (size_t)device);
    const json_t *soak = json_object_get(one, "soak");
    const char *host = log->device[device].host;
    const char *class = json_string_value(json_object_get(soak, "throttle"));
    struct strbuf text;

    if (!json_is_object(soak))
        return;
    strbuf_init(&text);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        const json_t *value = json_object_get(soak, parts[i].name);

        if (json_is_number(value))
            strbuf_addf(&text, "%s%.0f%s", parts[i].before,
                        parts[i].scale * json_number_value(value), parts[i].after);
    }
    if (class && strcmp(class, throttle_word(THROTTLE_NONE)) != 0)
        strbuf_addf(&text, " (%s)", class);
    benchlog_text(list,
                  "soak of %s%sdevice %ld, %s: %.1f min, %.0f products, %.0f compared, %.0f "
                  "wrong%s: exit code %.0f",
                  json_object_get(one, "host") ? host : "", json_object_get(one, "host") ? " " : "",
                  log->device[device].id, log->device[device].name,
                  json_number_value(json_object_get(soak, "seconds")) / 60,
                  json_number_value(json_object_get(soak, "products")),
                  json_number_value(json_object_get(soak, "compared")),
                  json_number_value(json_object_get(soak, "wrong")), text.text,
                  json_number_value(json_object_get(soak, "exit_code")));
    strbuf_fini(&text);
}

json_t *benchlog_summary(const struct benchlog *log)
{
    unsigned products = bench_tests_that(TEST_IS_PRODUCT);
    struct benchlog_tally t = benchlog_tally(log);
    json_t *list = json_array();
    char rate[64];

    for (int d = 0; d < log->device_count; d++) {
        const struct point_result *read = best_read(log, d);

        say_soak(log, d, list);
        if (read && read->ratio <= 0)
            benchlog_text(list, "device %ld: memory reads at %s; no sheet to compare it with",
                          log->device[d].id, result_rate(rate, sizeof(rate), read));
        say_above_roof(log, d, list);
        say_bandwidths(log, d, list);
        for (int i = 0; i < log->count; i++) {
            enum bench_type type = log->point[i].type;

            if (log->point[i].device != d || !is_new_type(log, i))
                continue;
            say_sheet(log, best_of(log, d, products, type, ROOF_ARITHMETIC), bench_type_word(type),
                      list);
            say_own_roof(log, d, type, list);
            say_knee(log, d, type, list);
        }
    }
    benchlog_text_spread(log, list);
    benchlog_text(list, "%d point%s good, %d flagged, %d wrong, %d without a figure", t.good,
                  t.good == 1 ? "" : "s", t.flagged, t.wrong, t.without);
    for (int f = 0; f < FLAG_ROWS; f++) { /* why points are flagged, and what helps */
        int count = 0;

        for (int i = 0; i < log->count && flag_rows[f].advice; i++)
            count += log->point[i].state == POINT_OK &&
                     result_flagged(&log->point[i], flag_rows[f].word);
        if (count > 0)
            benchlog_text(list, "%d %s: %s", count, flag_rows[f].word, flag_rows[f].advice);
    }
    return list;
}

void benchlog_conclude(json_t *json)
{
    struct benchlog log;

    if (benchlog_from_json("result", json, &log, NULL))
        return;
    json_object_set_new(json, "stragglers", benchlog_stragglers(&log));
    json_object_set_new(json, "calibration", benchlog_calibration(&log));
    json_object_set_new(json, "summary", benchlog_summary(&log));
    benchlog_fini(&log);
}
