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
#include "measure/session_predict.h"

#include <math.h>

#define ARITHMETIC_FOR_CERTAIN 256 /* operations per byte */

/* ---- what this run measured ---- */

static void take_read(struct session_roof *roof, const struct session_device *device,
                      const struct point *p, double rate)
{
    double cache = isfinite(device->cache) ? device->cache : 0;

    if (p->kind == KIND_READ && p->cache != CACHE_HOT && p->bytes > 2 * cache && rate > roof->read)
        roof->read = rate;
}

static void take_product(struct session_roof *roof, const struct point *p, double rate)
{
    if (p->n > 1 && rate > roof->rate[p->type]) {
        roof->rate[p->type] = rate;
        roof->best[p->type] = p;
    }
}

void session_roof_take(struct session_roof *roof, const struct session_device *device,
                       const struct point *p, const struct session_result *result)
{
    if (!result->ok || result->check == 0 || result->disturbed)
        return;
    if (bench_test_is(p->test, TEST_IS_PRODUCT))
        take_product(roof, p, result->operations);
    else
        take_read(roof, device, p, result->bytes);
}

/* ---- the roof ---- */

static struct roof sheet_of(const struct session_device *device, enum bench_type type)
{
    struct roof roof = {quantity_unknown(), quantity_unknown()};

    if (device->gpu)
        return roof_of_type(device->gpu, type);
    if (device->bandwidth > 0)
        roof.bandwidth = quantity_of(device->bandwidth, ORIGIN_SHEET);
    return roof;
}

static struct roof roof_of(const struct session_device *device, const struct session_roof *measured,
                           enum bench_type type)
{
    struct roof roof = sheet_of(device, type);

    if (!device->gpu && !roof.bandwidth.known && measured->read > 0)
        roof.bandwidth = quantity_of(measured->read, ORIGIN_MEASURED);
    return roof;
}

/* Products and steps of a decoder. */
static struct roofline predict_work(const struct session_roof *measured, const struct point *p,
                                    struct roof roof)
{
    const struct roofline none = {quantity_unknown(), ROOF_NONE};
    double operations = point_operations(p), bytes = point_bytes(p);

    if (p->cache == CACHE_HOT)
        roof.bandwidth = quantity_unknown();
    if (roof.rate.known)
        return roofline_work(&roof, operations, bytes);
    if (p == measured->best[p->type])
        return none;
    if (measured->rate[p->type] > 0)
        roof.rate = quantity_of(measured->rate[p->type], ORIGIN_MEASURED);
    else if (p->n != 1)
        return none;
    if (!roof.bandwidth.known && operations < ARITHMETIC_FOR_CERTAIN * bytes)
        return none;
    return roofline_work(&roof, operations, bytes);
}

struct roofline session_predict(const struct session_device *device,
                                const struct session_roof *measured, const struct point *p)
{
    struct roofline none = {quantity_unknown(), ROOF_NONE};
    struct roof roof = roof_of(device, measured, p->type);

    switch (test_rows[p->test].bound) {
    case BOUND_WORK:
        return predict_work(measured, p, roof);
    case BOUND_MEMORY:
        if (p->cache == CACHE_HOT)
            return none;
        if (roof.bandwidth.known && roof.bandwidth.origin == ORIGIN_MEASURED &&
            p->test == kind_rows[KIND_READ].test) /* against itself it would always hold */
            return none;
        return roofline_work(&roof, 0, point_bytes(p));
    case BOUND_LINK:
        return device->gpu && p->kind != KIND_STORAGE && !point_together(p)
                   ? roofline_link(device->gpu, p->bytes)
                   : none;
    default:
        return none;
    }
}

struct roof session_sheet(const struct session_device *device, const struct session_roof *measured,
                          const struct point *p)
{
    enum test_bound bound = test_rows[p->test].bound;
    struct roof sheet = sheet_of(device, p->type);
    struct quantity link;

    if (!(point_operations(p) > 0))
        sheet.rate = quantity_unknown();
    if (bound == BOUND_NONE || bound == BOUND_LINK || p->cache == CACHE_HOT)
        sheet.bandwidth = quantity_unknown();
    if (bound == BOUND_LINK && (link = session_predict(device, measured, p).time).known)
        sheet.bandwidth = quantity_of(point_bytes(p) / link.value, link.origin);
    return sheet;
}
