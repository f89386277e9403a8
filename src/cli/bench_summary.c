/*
 * bench_summary.c - what the figures mean, in words.
 *
 * What limits a device shows in the batch sweep: as long as a layer takes no longer for
 * more tokens, the weights' way from memory is what takes the time; where it takes 10 %
 * more than for one token, arithmetic begins to. That batch is the knee. Whether a
 * sheet's figure holds is said by the best that any point reached of it: 90 % or more
 * holds, more than 105 % means that the sheet is not this device's.
 */
#include "cli/bench_parts.h"

#include <math.h>
#include <string.h>

#include "util/json.h"

#define KNEE   1.10
#define HOLDS  0.90
#define BEYOND 1.05

static void add(json_t *list, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void add(json_t *list, const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    json_array_append_new(list, gp_json_text(text));
}

static double number(const struct benchlog_point *p, const char *key)
{
    return json_number_value(json_object_get(json_object_get(p->json, "params"), key));
}

static bool is(const struct benchlog_point *p, int device, const char *test)
{
    return p->device == device && strcmp(p->test, test) == 0 && benchlog_good(p) &&
           strcmp(p->variant, "tuned") != 0;
}

/* ---- the knee ---- */

static bool same_layer(const struct benchlog_point *a, const struct benchlog_point *b)
{
    return strcmp(a->type, b->type) == 0 && strcmp(a->variant, b->variant) == 0 &&
           number(a, "m") == number(b, "m") && number(a, "k") == number(b, "k");
}

/* The smallest batch of this layer that takes 10 % longer than one token; 0 = none. */
static double knee_of(const struct benchlog *log, const struct benchlog_point *one)
{
    double knee = 0;

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];
        double n = number(p, "n");

        if (is(p, one->device, "batch") && same_layer(p, one) &&
            p->median > KNEE * one->median && n > 1 && (knee <= 0 || n < knee))
            knee = n;
    }
    return knee;
}

static double largest(const struct benchlog *log, const struct benchlog_point *one)
{
    double most = 1;

    for (int i = 0; i < log->count; i++)
        if (is(&log->point[i], one->device, "batch") && same_layer(&log->point[i], one))
            most = fmax(most, number(&log->point[i], "n"));
    return most;
}

static void knees(const struct benchlog *log, int device, const char *type,
                  json_t *list)
{
    const struct benchlog_point *big = NULL;
    double size = 0, knee;

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];
        double area = number(p, "m") * number(p, "k");

        if (is(p, device, "batch") && strcmp(p->type, type) == 0 &&
            number(p, "n") == 1 && area > size) {
            big = p;
            size = area;
        }
    }
    if (!big)
        return;
    knee = knee_of(log, big);
    if (knee > 0)
        add(list,
            "device %ld, %s: a %.0f x %.0f layer is limited by memory below a batch of "
            "%.0f, from there on arithmetic counts",
            log->device[device].id, type, number(big, "m"), number(big, "k"), knee);
    else if (largest(log, big) > 1)
        add(list,
            "device %ld, %s: memory limits a %.0f x %.0f layer up to a batch of %.0f",
            log->device[device].id, type, number(big, "m"), number(big, "k"),
            largest(log, big));
}

/* ---- the sheet ---- */

static const struct benchlog_point *best_of(const struct benchlog *log, int device,
                                            const char *test, const char *type,
                                            const char *bound)
{
    const struct benchlog_point *best = NULL;

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];
        const json_t *origin =
            json_object_get(json_object_get(p->json, "predicted"), "origin");

        if (p->device == device && strcmp(p->test, test) == 0 && benchlog_good(p) &&
            strcmp(p->bound, bound) == 0 && p->ratio > 0 &&
            (!type || strcmp(p->type, type) == 0) && json_is_string(origin) &&
            strcmp(json_string_value(origin), "sheet") == 0 &&
            (!best || p->ratio > best->ratio))
            best = p;
    }
    return best;
}

static void sheet(const struct benchlog *log, const struct benchlog_point *p,
                  const char *what, json_t *list)
{
    char rate[64];

    if (!p)
        return;
    add(list, "device %ld, %s: %s, %.0f %% of the sheet: %s", log->device[p->device].id,
        what, benchlog_rate(rate, sizeof rate, p), 100 * p->ratio,
        p->ratio > BEYOND   ? "more than the sheet allows, it is not this device's"
        : p->ratio >= HOLDS ? "the sheet's figure holds"
                            : "the sheet's figure is not reached");
}

static void best_read(const struct benchlog *log, int device, json_t *list)
{
    const struct benchlog_point *best = NULL;
    char rate[64];

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (is(p, device, "memory") && strncmp(p->id, "memory/read/", 12) == 0 &&
            (!best || p->bytes > best->bytes))
            best = p;
    }
    if (best && best->bytes > 0 && best->ratio <= 0)
        add(list, "device %ld: memory reads at %s; no sheet to compare it with",
            log->device[device].id, benchlog_rate(rate, sizeof rate, best));
}

/* Nothing is faster than its roof: if points are, the measured roof is too low (a busy
 * machine) or their operands were not as cold as planned. Say it rather than hide it.
 */
static void above_roof(const struct benchlog *log, int device, json_t *list)
{
    int above = 0;
    double most = 0;

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];
        const char *origin = json_string_value(
            json_object_get(json_object_get(p->json, "predicted"), "origin"));

        if (p->device != device || !benchlog_good(p) || !origin ||
            strcmp(origin, "measured") != 0 || p->ratio <= BEYOND)
            continue;
        above++;
        most = fmax(most, p->ratio);
    }
    if (above)
        add(list,
            "device %ld: %d points are faster than the read bandwidth measured in this "
            "run allows (up to %.0f %%): do not rely on it as a roof",
            log->device[device].id, above, 100 * most);
}

static void counts(const struct benchlog *log, json_t *list)
{
    int ok = 0, wrong = 0, flagged = 0, without = 0;

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (strcmp(p->state, "ok") != 0)
            without++;
        else if (p->check_done && !p->check_ok)
            wrong++;
        else if (!benchlog_good(p))
            flagged++;
        else
            ok++;
    }
    add(list, "%d points good, %d flagged, %d wrong, %d without a figure", ok, flagged,
        wrong, without);
}

json_t *bench_summary(const struct benchlog *log)
{
    json_t *list = json_array();

    for (int d = 0; d < log->device_count; d++) {
        best_read(log, d, list);
        above_roof(log, d, list);
        sheet(log, best_of(log, d, "memory", NULL, "memory"), "memory", list);
        sheet(log, best_of(log, d, "transfer", NULL, "link"), "PCIe", list);
        for (int t = 0; t < TYPE_COUNT; t++) {
            const char *type = bench_type_word((enum bench_type)t);

            sheet(log, best_of(log, d, "gemm", type, "arithmetic"), type, list);
            knees(log, d, type, list);
        }
    }
    counts(log, list);
    return list;
}
