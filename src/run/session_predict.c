/*
 * session_predict.c - what the roofline allows a point on a device.
 *
 * Of a GPU in the catalogue (or the MIG slice of one) the sheet's figures are the roof;
 * of another, the bandwidth of the clocks and bus that the driver tells. A CPU has no
 * sheet here: its roof is what this run itself measured and found good, labelled so:
 *
 *   bandwidth   the best read of memory beyond the last cache
 *   arithmetic  the best product of that type with more than one token; it is the roof
 * of all others, itself it has none
 *
 * Half a roof says nothing about work that the other half may bound: without one for
 * arithmetic, only work on one token is predicted (each weight is read for a single
 * multiply-add, so memory bounds it on any machine), and without one for memory, only
 * products of so many operations per byte that arithmetic does.
 *
 * Example: 400 GFLOP/s and 40 GB/s measured; 2048^3 in FP32 is 17.2 GFLOP and 50 MB:
 * 43 ms by arithmetic, 1.3 ms by memory, so 43 ms.
 */
#include "run/session_parts.h"

#include <math.h>
#include <string.h>

#define ARITHMETIC_FOR_CERTAIN 256 /* operations per byte */

/* ---- what this run measured ---- */

static bool is_good(const json_t *point)
{
    const json_t *right = json_object_get(json_object_get(point, "check"), "ok"), *flag;
    size_t i;

    json_array_foreach(json_object_get(point, "flags"), i, flag)
    {
        if (!json_is_string(flag) || benchlog_flag_disturbs(json_string_value(flag)))
            return false;
    }
    return strcmp(session_word(point, "state"), "ok") == 0 && !json_is_false(right);
}

static void take_read(struct session_unit *u, const struct point *p, double rate)
{
    double cache = session_figure(u->json, "cache");

    if (strcmp(point_kind(p), "read") == 0 &&
        p->bytes > 2 * (isfinite(cache) ? cache : 0) && rate > u->read)
        u->read = rate;
}

static void take_product(struct session_unit *u, const struct point *p, double rate)
{
    if (p->n > 1 && rate > u->rate[p->type]) {
        u->rate[p->type] = rate;
        u->best[p->type] = p;
    }
}

void session_clear_roof(struct session_unit *u)
{
    u->read = 0;
    memset(u->rate, 0, sizeof u->rate);
    memset(u->best, 0, sizeof u->best);
}

void session_take_roof(struct session_unit *u, const struct point *p,
                       const json_t *point)
{
    const json_t *rate = json_object_get(point, "rate");

    if (!is_good(point))
        return;
    if (p->test == TEST_MEMORY)
        take_read(u, p, session_figure(rate, "bytes_per_s"));
    else if (p->test == TEST_GEMM || p->test == TEST_BATCH)
        take_product(u, p, session_figure(rate, "ops_per_s"));
}

void session_find_roof(const struct session *s, struct session_unit *u)
{
    session_clear_roof(u);
    for (int i = 0; i < s->points.count * SESSION_VARIANTS; i++)
        if (u->shown[i])
            session_take_roof(u, &s->points.point[i / SESSION_VARIANTS], u->shown[i]);
}

/* ---- the roof ---- */

static struct roof record_of(const struct session_unit *u, enum bench_type type)
{
    static const enum format_math math[TYPE_COUNT] = {
        [TYPE_FP32] = MATH_FP32,    [TYPE_FP32_PEDANTIC] = MATH_FP32,
        [TYPE_TF32] = MATH_TF32,    [TYPE_FP16] = MATH_FP16,
        [TYPE_FP16ACC] = MATH_FP16, [TYPE_BF16] = MATH_BF16, [TYPE_INT8] = MATH_INT8,
        [TYPE_FP8] = MATH_FP8,      [TYPE_MXFP8] = MATH_FP8, [TYPE_NVFP4] = MATH_FP4};
    struct roof roof = {quantity_unknown(), quantity_unknown()};
    double sheet = session_figure(u->json, "bandwidth_sheet");

    if (u->known)
        return roof_of_gpu(&u->gpu, math[type], type == TYPE_FP16ACC);
    if (sheet > 0)
        roof.bandwidth = quantity_of(sheet, ORIGIN_SHEET);
    return roof;
}

static struct roof roof_of(const struct session_unit *u, enum bench_type type)
{
    struct roof roof = record_of(u, type);

    if (!u->known && !roof.bandwidth.known && u->read > 0)
        roof.bandwidth = quantity_of(u->read, ORIGIN_MEASURED);
    return roof;
}

/* Products and steps of a decoder. */
static struct roofline predict_work(const struct session_unit *u, const struct point *p,
                                    struct roof roof)
{
    const struct roofline none = {quantity_unknown(), ROOF_NONE};
    double operations = point_operations(p), bytes = point_bytes(p);

    if (p->cache == CACHE_HOT && p->test != TEST_DECODE)
        roof.bandwidth = quantity_unknown();
    if (roof.rate.known)
        return roofline_work(&roof, operations, bytes);
    if (p == u->best[p->type])
        return none;
    if (u->rate[p->type] > 0)
        roof.rate = quantity_of(u->rate[p->type], ORIGIN_MEASURED);
    else if (p->n != 1)
        return none;
    if (!roof.bandwidth.known && operations < ARITHMETIC_FOR_CERTAIN * bytes)
        return none;
    return roofline_work(&roof, operations, bytes);
}

struct roofline session_predict(const struct session_unit *u, const struct point *p)
{
    struct roofline none = {quantity_unknown(), ROOF_NONE};
    struct roof roof = roof_of(u, p->type);

    switch (p->test) {
    case TEST_GEMM:
    case TEST_BATCH:
    case TEST_DECODE:
        return predict_work(u, p, roof);
    case TEST_MEMORY: /* against itself it would always hold */
        if (p->cache == CACHE_HOT)
            return none;
        if (roof.bandwidth.known && roof.bandwidth.origin == ORIGIN_MEASURED)
            return none;
        return roofline_work(&roof, 0, point_bytes(p));
    case TEST_TRANSFER:
        return u->known && strcmp(p->kind, "storage") != 0 && !point_together(p)
                   ? roofline_link(&u->gpu, p->bytes)
                   : none;
    default:
        return none;
    }
}

struct roof session_sheet(const struct session_unit *u, const struct point *p)
{
    struct roof sheet = record_of(u, p->type);
    struct quantity link;

    if (!(point_operations(p) > 0))
        sheet.rate = quantity_unknown();
    if (p->test == TEST_FIT || p->test == TEST_ALLREDUCE || p->test == TEST_TRANSFER ||
        (p->cache == CACHE_HOT && p->test != TEST_DECODE))
        sheet.bandwidth = quantity_unknown();
    if (p->test == TEST_TRANSFER && (link = session_predict(u, p).time).known)
        sheet.bandwidth = quantity_of(point_bytes(p) / link.value, link.origin);
    return sheet;
}
