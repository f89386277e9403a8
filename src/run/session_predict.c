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

    if (p->kind == KIND_READ && p->cache != CACHE_HOT &&
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
    if (bench_test_is(p->test, TEST_IS_PRODUCT))
        take_product(u, p, session_figure(rate, "ops_per_s"));
    else
        take_read(u, p, session_figure(rate, "bytes_per_s"));
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
    struct roof roof = {quantity_unknown(), quantity_unknown()};
    double sheet = session_figure(u->json, "bandwidth_sheet");

    if (u->known)
        return roof_of_type(&u->gpu, type);
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

    if (p->cache == CACHE_HOT)
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

    switch (test_rows[p->test].bound) {
    case BOUND_WORK:
        return predict_work(u, p, roof);
    case BOUND_MEMORY:
        if (p->cache == CACHE_HOT)
            return none;
        if (roof.bandwidth.known && roof.bandwidth.origin == ORIGIN_MEASURED &&
            p->test == kind_rows[KIND_READ].test) /* against itself it would always hold */
            return none;
        return roofline_work(&roof, 0, point_bytes(p));
    case BOUND_LINK:
        return u->known && p->kind != KIND_STORAGE && !point_together(p)
                   ? roofline_link(&u->gpu, p->bytes)
                   : none;
    default:
        return none;
    }
}

struct roof session_sheet(const struct session_unit *u, const struct point *p)
{
    enum test_bound bound = test_rows[p->test].bound;
    struct roof sheet = record_of(u, p->type);
    struct quantity link;

    if (!(point_operations(p) > 0))
        sheet.rate = quantity_unknown();
    if (bound == BOUND_NONE || bound == BOUND_LINK || p->cache == CACHE_HOT)
        sheet.bandwidth = quantity_unknown();
    if (bound == BOUND_LINK && (link = session_predict(u, p).time).known)
        sheet.bandwidth = quantity_of(point_bytes(p) / link.value, link.origin);
    return sheet;
}
