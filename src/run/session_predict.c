/*
 * session_predict.c - what the roofline allows a point on a device.
 *
 * Of a GPU in the catalogue (or the MIG slice of one) the sheet's figures are the roof;
 * of another, the bandwidth of the clocks and bus that the driver tells. A CPU has no
 * sheet here: its roof is the read bandwidth measured in the same run, labelled so, and
 * there is no arithmetic roof.
 */
#include "run/session_parts.h"

#include <math.h>
#include <string.h>

/* Remembers the best read bandwidth of a device, beyond its cache. */
void session_read_roof(struct session_unit *u, const json_t *point)
{
    double cache = session_figure(u->json, "cache");
    double bytes = session_figure(json_object_get(point, "params"), "bytes");
    double rate = session_figure(json_object_get(point, "rate"), "bytes_per_s");

    if (strncmp(session_word(point, "id"), "memory/read/", 12) == 0 &&
        bytes > 2 * (isfinite(cache) ? cache : 0) && rate > u->read)
        u->read = rate;
}

static struct roof roof_of(const struct session_unit *u, enum bench_type type)
{
    static const enum format_math math[TYPE_COUNT] = {
        [TYPE_FP32] = MATH_FP32,    [TYPE_TF32] = MATH_TF32, [TYPE_FP16] = MATH_FP16,
        [TYPE_FP16ACC] = MATH_FP16, [TYPE_BF16] = MATH_BF16, [TYPE_INT8] = MATH_INT8,
        [TYPE_FP8] = MATH_FP8,      [TYPE_MXFP8] = MATH_FP8, [TYPE_NVFP4] = MATH_FP4};
    struct roof roof = {quantity_unknown(), quantity_unknown()};
    double sheet = session_figure(u->json, "bandwidth_sheet");

    if (u->known)
        return roof_of_gpu(&u->gpu, math[type], type == TYPE_FP16ACC);
    if (sheet > 0)
        roof.bandwidth = quantity_of(sheet, ORIGIN_SHEET);
    else if (u->read > 0)
        roof.bandwidth = quantity_of(u->read, ORIGIN_MEASURED);
    return roof;
}

struct roofline session_predict(const struct session_unit *u, const struct point *p)
{
    struct roofline none = {quantity_unknown(), ROOF_NONE};
    struct roof roof = roof_of(u, p->type);

    switch (p->test) {
    case TEST_GEMM:
    case TEST_BATCH:
    case TEST_DECODE:
        if (p->cache == CACHE_HOT && p->test != TEST_DECODE)
            roof.bandwidth = quantity_unknown();
        return roofline_work(&roof, point_operations(p), point_bytes(p));
    case TEST_MEMORY: /* against itself it would always hold */
        if (roof.bandwidth.known && roof.bandwidth.origin == ORIGIN_MEASURED)
            return none;
        return roofline_work(&roof, 0, point_bytes(p));
    case TEST_TRANSFER:
        return u->known && strcmp(p->kind, "storage") != 0
                   ? roofline_link(&u->gpu, p->bytes)
                   : none;
    default:
        return none;
    }
}
