/*
 * session_record.c - what was measured: one record per point, variant and pass; which of them
 * stands for its point; and what the roofline allowed.
 *
 * The later of two passes stands for a point (the engine already chose the middle one when they
 * differ), but what was wrong once is not made right by the next pass, a figure is not lost to an
 * error, and of three passes that drift the middle one stands.
 *
 * Of a GPU in the catalogue (or the MIG slice of one) the sheet's figures are the roof; of another,
 * the bandwidth of the clocks and bus that the driver tells. A CPU has no sheet here: its roof is
 * what this run itself measured and found good, labelled so:
 *
 *   bandwidth   the best read of memory beyond the last cache
 *   arithmetic  the best product of that type with more than one token; it is the roof of all
 *               others, itself it has none
 *
 * Half a roof says nothing about work that the other half may bound: without one for arithmetic,
 * only work on one token is predicted (each weight is read for a single multiply-add, so memory
 * bounds it on any machine), and without one for memory, only products of so many operations per
 * byte that arithmetic does.
 *
 * Example: 400 GFLOP/s and 40 GB/s measured; 2048^3 in FP32 is 17.2 GFLOP and 50 MB: 43 ms by
 * arithmetic, 1.3 ms by memory, so 43 ms.
 */
#include "measure/session_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "measure/point/field.h"

#define ARITHMETIC_FOR_CERTAIN 256 /* operations per byte */

/* ---- all of them ---- */

static bool same_variant(const struct session_record *a, const struct session_record *b)
{
    return a->device == b->device && a->point == b->point &&
           strcmp(a->result.variant, b->result.variant) == 0;
}

struct session_record *records_add(struct session_records *records, int device, int index,
                                   const struct point *point, const json_t *answer)
{
    static const char *const drop[] = {"t", "index", "pass", "test",
                                       "predicted"}; /* not its to say */
    struct session_record *record = gp_calloc(1, sizeof(*record));
    struct reading reading = {.where = ""}; /* the answer was checked when it came */

    record->device = device;
    record->point = index;
    record->json = json_deep_copy(answer);
    for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
        json_object_del(record->json, drop[i]);
    json_object_set_new(record->json, "device", json_integer(device));
    result_read(&reading, record->json, RESULT_ANSWER, &record->result);
    record->result.test = point->test;
    record->result.test_word = bench_test_word(point->test);
    record->result.type = point->type;
    for (int i = 0; i < records->count; i++)
        record->pass += same_variant(records->record[i], record);
    records->record = gp_grow(records->record, &records->cap, (size_t)records->count + 1,
                              sizeof(*records->record));
    records->record[records->count++] = record;
    return record;
}

void records_fini(struct session_records *records)
{
    for (int i = 0; i < records->count; i++) {
        json_decref(records->record[i]->json);
        free(records->record[i]);
    }
    free(records->record);
}

int records_passes(const struct session_records *records, int device, int index)
{
    int passes = 0;

    for (int i = 0; i < records->count; i++) {
        const struct session_record *r = records->record[i];

        if (r->device == device && r->point == index && r->pass >= passes)
            passes = r->pass + 1;
    }
    return passes;
}

/* ---- what passes make of one another ---- */

static void record_flag(struct session_record *record, const char *flag)
{
    json_t *flags = json_object_get(record->json, "flags");

    if (result_flagged(&record->result, flag))
        return;
    if (!json_is_array(flags))
        json_object_set_new(record->json, "flags", flags = json_array());
    json_array_append_new(flags, json_string(flag));
    record->result.flags = flags;
    record->result.disturbed = record->result.disturbed || line_flag_disturbs(flag);
}

void records_compare_passes(const struct session_records *records, struct session_record *record)
{
    json_t *medians = json_array();
    double median[RECORD_PASSES];
    int count = 0;

    for (int i = 0; i < records->count && count < RECORD_PASSES; i++)
        if (same_variant(records->record[i], record) &&
            records->record[i]->result.state == POINT_OK)
            json_array_append_new(
                medians, gp_json_number(median[count++] = records->record[i]->result.median));
    if (count > record->result.passes) {
        json_object_set(record->json, "passes", medians);
        record->result.passes = count;
        if (count > 1 && method_drift(median[0], median[1]))
            record_flag(record, "drift");
    }
    json_decref(medians);
}

/* Of two passes one has a figure: it is kept, with what the other came to. */
static void fail_once(struct session_record *good, const struct session_record *bad)
{
    char text[400];

    gp_format(text, sizeof(text), "in another pass %s: %s", point_state_words[bad->result.state],
              bad->result.reason);
    json_object_set_new(good->json, "reason", gp_json_text(text));
    good->result.reason = json_string_value(json_object_get(good->json, "reason"));
    record_flag(good, "failed_once");
}

/* Of three passes that drift, the engine has the last two in hand: is the middle one the first,
 * then that is it. */
static bool first_is_middle(const struct session_record *before, const struct session_record *now)
{
    const json_t *passes = json_object_get(now->json, "passes");
    double m[3];

    for (size_t i = 0; i < 3; i++)
        m[i] = json_number_value(json_array_get(passes, i));
    return now->result.passes == 3 && (m[0] - m[1]) * (m[0] - m[2]) < 0 &&
           fabs(before->result.median - m[0]) <= 1e-9 * m[0];
}

/* Of two failures an error stands before what is unsupported or found no memory. */
static struct session_record *worse_record(struct session_record *before,
                                           struct session_record *now)
{
    return before->result.state == POINT_ERROR ? before : now;
}

/* Which of two passes of a variant stands for it. */
static struct session_record *standing_record(struct session_record *before,
                                              struct session_record *now)
{
    bool was = before->result.state == POINT_OK, is = now->result.state == POINT_OK;

    if (!was && !is)
        return worse_record(before, now);
    if (was != is) {
        fail_once(was ? before : now, was ? now : before);
        return was ? before : now;
    }
    if (result_wrong(&now->result) ||
        !(result_wrong(&before->result) || first_is_middle(before, now)))
        return now;
    json_object_set(before->json, "passes", json_object_get(now->json, "passes"));
    before->result.passes = now->result.passes;
    if (!result_wrong(&before->result))
        record_flag(before, "drift");
    return before;
}

/* ---- what stands for a point ---- */

struct session_record **shown_of(const struct session_shown *shown, int index)
{
    return shown->variant + (size_t)index * SESSION_VARIANTS;
}

/* It failed before there were variants: that is of each of them. */
static bool is_of_all(const struct session_record *record)
{
    return record->result.state != POINT_OK && !record->result.variant[0];
}

void shown_take(struct session_shown *shown, struct session_record *record)
{
    struct session_record **slot = shown_of(shown, record->point);
    struct session_record **failed = &shown->failed[record->point];
    int i = 0;

    if (is_of_all(record)) {
        *failed = *failed ? worse_record(*failed, record) : record;
        for (; i < SESSION_VARIANTS && slot[i]; i++)
            if (slot[i]->result.state == POINT_OK)
                fail_once(slot[i], record);
        if (!slot[0] || is_of_all(slot[0]))
            slot[0] = *failed;
        return;
    }
    if (slot[0] && is_of_all(slot[0]))
        slot[0] = NULL;
    if (*failed && record->result.state == POINT_OK)
        fail_once(record, *failed);
    while (i < SESSION_VARIANTS && slot[i] &&
           strcmp(slot[i]->result.variant, record->result.variant) != 0)
        i++;
    if (i == SESSION_VARIANTS)
        return;
    slot[i] = slot[i] ? standing_record(slot[i], record) : record;
    /* what a framework gets is first */
    for (; i > 0 && result_is_main(slot[i]->result.variant) &&
           !result_is_main(slot[i - 1]->result.variant);
         i--) {
        struct session_record *other = slot[i - 1];

        slot[i - 1] = slot[i];
        slot[i] = other;
    }
}

/* ---- what this run measured, as a roof ---- */

void session_roof_take(struct session_roof *roof, const struct session_device *device,
                       const struct point *p, const struct point_result *result)
{
    double cache = isfinite(device->cache) ? device->cache : 0;

    if (!result_good(result))
        return;
    if (!bench_test_is(p->test, TEST_IS_PRODUCT)) {
        if (p->kind == KIND_READ && p->cache != CACHE_HOT && p->bytes > 2 * cache)
            roof->read = fmax(roof->read, result->bytes);
    } else if (p->n > 1 && result->ops > roof->rate[p->type]) {
        roof->rate[p->type] = result->ops;
        roof->best[p->type] = p;
    }
}

/* ---- predictions ---- */

static struct roof sheet_of(const struct session_device *device, enum bench_type type)
{
    struct roof roof = {quantity_unknown(), quantity_unknown()};

    if (device->gpu)
        return roof_of_type(device->gpu, type);
    if (device->bandwidth > 0)
        roof.bandwidth = quantity_of(device->bandwidth, ORIGIN_SHEET);
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
    const struct roofline none = {quantity_unknown(), ROOF_NONE};
    struct roof roof = sheet_of(device, p->type);

    if (!device->gpu && !roof.bandwidth.known && measured->read > 0)
        roof.bandwidth = quantity_of(measured->read, ORIGIN_MEASURED);
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
