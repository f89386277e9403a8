/* session_record.c - see session_record.h. */
#include "measure/session_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "measure/point/method.h"
#include "measure/result/benchlog.h"
#include "measure/session_device.h"

/* ---- an engine's answer ---- */

static void add_flag(struct session_result *result, const char *flag)
{
    gp_append(result->flags, sizeof(result->flags), ", ", "%s", flag);
    result->disturbed = result->disturbed || line_flag_disturbs(flag);
}

static void read_flags(struct session_record *record)
{
    const json_t *flag;
    size_t i;

    json_array_foreach(json_object_get(record->line, "flags"), i, flag)
    {
        const char *word = json_string_value(flag);

        if (!word)
            continue;
        add_flag(&record->result, word);
        record->drift = record->drift || strcmp(word, "drift") == 0;
        record->failed_once = record->failed_once || strcmp(word, "failed_once") == 0;
    }
}

static void read_time(struct session_record *record)
{
    const json_t *time = json_object_get(record->line, "time_s");
    const json_t *band = json_object_get(time, "ci95");
    const json_t *low = json_array_get(band, 0), *high = json_array_get(band, 1);
    struct session_result *r = &record->result;

    r->samples = (int)json_integer_value(json_object_get(time, "n"));
    r->median = session_number(time, "median");
    r->min = session_number(time, "min");
    r->max = session_number(time, "max");
    r->low = json_is_number(low) ? json_number_value(low) : r->median;
    r->high = json_is_number(high) ? json_number_value(high) : r->median;
}

static void read_passes(struct session_record *record)
{
    const json_t *medians = json_object_get(record->line, "passes"), *one;
    size_t i;

    record->result.passes = (int)json_array_size(medians);
    json_array_foreach(medians, i, one)
    {
        if (i < RECORD_PASSES)
            record->median[i] = json_number_value(one);
    }
}

static void read_rate(struct session_record *record, const struct point *point)
{
    const json_t *rate = json_object_get(record->line, "rate");
    struct session_result *r = &record->result;
    struct benchlog_point shown = {.test = point->test, .type = point->type};

    r->operations = session_number(rate, "ops_per_s");
    r->bytes = session_number(rate, "bytes_per_s");
    shown.median = isfinite(r->median) ? r->median : 0;
    shown.ops = isfinite(r->operations) ? r->operations : 0;
    shown.bytes = isfinite(r->bytes) ? r->bytes : 0;
    if (r->ok)
        benchlog_rate(r->rate, sizeof(r->rate), &shown);
}

static void read_line(struct session_record *record, const struct point *point)
{
    const json_t *line = record->line;
    const json_t *right = json_object_get(json_object_get(line, "check"), "ok");
    struct session_result *r = &record->result;

    r->variant = session_text(line, "variant");
    r->state = session_text(line, "state");
    r->reason = session_text(line, "reason");
    r->ok = strcmp(r->state, "ok") == 0;
    r->check = json_is_boolean(right) ? json_is_true(right) : -1;
    r->predicted = r->ratio = NAN;
    r->bound = r->origin = "";
    read_time(record);
    read_passes(record);
    read_rate(record, point);
    read_flags(record);
}

/* ---- all of them ---- */

static bool is_same(const struct session_record *a, const struct session_record *b)
{
    return a->device == b->device && a->point == b->point &&
           strcmp(a->result.variant, b->result.variant) == 0;
}

struct session_record *records_add(struct session_records *records, int device, int index,
                                   const struct point *point, const json_t *line)
{
    struct session_record *record = gp_calloc(1, sizeof(*record));

    record->device = device;
    record->point = index;
    record->line = json_deep_copy(line);
    read_line(record, point);
    for (int i = 0; i < records->count; i++)
        record->pass += is_same(records->record[i], record);
    records->record = gp_grow(records->record, &records->cap, (size_t)records->count + 1,
                              sizeof(*records->record));
    records->record[records->count++] = record;
    return record;
}

void records_fini(struct session_records *records)
{
    for (int i = 0; i < records->count; i++) {
        json_decref(records->record[i]->line);
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

static void flag_drift(struct session_record *record)
{
    if (!record->drift)
        add_flag(&record->result, "drift");
    record->drift = true;
}

void records_compare_passes(const struct session_records *records, struct session_record *record)
{
    double median[RECORD_PASSES];
    int count = 0;

    for (int i = 0; i < records->count && count < RECORD_PASSES; i++)
        if (is_same(records->record[i], record) && records->record[i]->result.ok)
            median[count++] = records->record[i]->result.median;
    if (count <= record->result.passes)
        return;
    memcpy(record->median, median, sizeof(median));
    record->result.passes = count;
    record->passes_changed = true;
    if (count > 1 && method_drift(median[0], median[1]))
        flag_drift(record);
}

/* ---- what stands for a point ---- */

void shown_init(struct session_shown *shown, int points)
{
    shown->variant = gp_calloc((size_t)points * SESSION_VARIANTS, sizeof(*shown->variant));
    shown->failed = gp_calloc((size_t)points, sizeof(*shown->failed));
}

void shown_fini(struct session_shown *shown)
{
    free(shown->variant);
    free(shown->failed);
}

struct session_record **shown_of(const struct session_shown *shown, int index)
{
    return shown->variant + (size_t)index * SESSION_VARIANTS;
}

static bool is_wrong(const struct session_record *record)
{
    return record->result.check == 0;
}

/* Of two passes one has a figure: it is kept, with what the other came to. */
static void fail_once(struct session_record *good, const struct session_record *bad)
{
    gp_format(good->other, sizeof(good->other), "in another pass %s: %s", bad->result.state,
              bad->result.reason);
    good->result.reason = good->other;
    if (!good->failed_once)
        add_flag(&good->result, "failed_once");
    good->failed_once = true;
}

/* Of three passes that drift, the engine has the last two in hand: is the middle one
 * the first, then that is it. */
static bool first_is_middle(const struct session_record *before, const struct session_record *now)
{
    const double *m = now->median;

    return now->result.passes == 3 && (m[0] - m[1]) * (m[0] - m[2]) < 0 &&
           fabs(before->result.median - m[0]) <= 1e-9 * m[0];
}

/* Of two failures: an error tells more than what could not be done. */
static struct session_record *worse(struct session_record *before, struct session_record *now)
{
    return strcmp(before->result.state, "error") == 0 ? before : now;
}

/* Of two passes with a figure. */
static struct session_record *better(struct session_record *before, struct session_record *now)
{
    if (is_wrong(now) || !(is_wrong(before) || first_is_middle(before, now)))
        return now;
    memcpy(before->median, now->median, sizeof(before->median));
    before->result.passes = now->result.passes;
    before->passes_changed = true;
    if (!is_wrong(before))
        flag_drift(before);
    return before;
}

/* Which of two passes of a variant stands for it. */
static struct session_record *standing(struct session_record *before, struct session_record *now)
{
    if (before->result.ok && now->result.ok)
        return better(before, now);
    if (!before->result.ok && !now->result.ok)
        return worse(before, now);
    if (before->result.ok)
        fail_once(before, now);
    else
        fail_once(now, before);
    return before->result.ok ? before : now;
}

/* It failed before there were variants: that is of each of them. */
static bool is_of_all(const struct session_record *record)
{
    return !record->result.ok && !record->result.variant[0];
}

static void take_failure(struct session_shown *shown, struct session_record *record)
{
    struct session_record **slot = shown_of(shown, record->point);
    struct session_record **failed = &shown->failed[record->point];

    *failed = *failed ? worse(*failed, record) : record;
    for (int i = 0; i < SESSION_VARIANTS && slot[i]; i++)
        if (slot[i]->result.ok)
            fail_once(slot[i], record);
    if (!slot[0] || is_of_all(slot[0]))
        slot[0] = *failed;
}

void shown_take(struct session_shown *shown, struct session_record *record)
{
    struct session_record **slot = shown_of(shown, record->point);
    const char *variant = record->result.variant;
    int i = 0;

    if (is_of_all(record)) {
        take_failure(shown, record);
        return;
    }
    if (slot[0] && is_of_all(slot[0]))
        slot[0] = NULL;
    if (shown->failed[record->point] && record->result.ok)
        fail_once(record, shown->failed[record->point]);
    while (i < SESSION_VARIANTS && slot[i] && strcmp(slot[i]->result.variant, variant) != 0)
        i++;
    if (i == SESSION_VARIANTS)
        return;
    slot[i] = slot[i] ? standing(slot[i], record) : record;
    /* what a framework gets is first */
    for (; i > 0 && benchlog_main_variant(slot[i]->result.variant) &&
           !benchlog_main_variant(slot[i - 1]->result.variant);
         i--) {
        struct session_record *other = slot[i - 1];

        slot[i - 1] = slot[i];
        slot[i] = other;
    }
}

/* ---- the result file ---- */

static void set_flag(json_t *json, const char *flag)
{
    json_t *flags = json_object_get(json, "flags"), *had;
    size_t i;

    if (!json_is_array(flags)) {
        json_object_set_new(json, "flags", json_array());
        flags = json_object_get(json, "flags");
    }
    json_array_foreach(flags, i, had)
    {
        if (json_is_string(had) && strcmp(json_string_value(had), flag) == 0)
            return;
    }
    json_array_append_new(flags, json_string(flag));
}

json_t *session_record_json(const struct session_record *record)
{
    json_t *json = json_deep_copy(record->line), *passes;

    json_object_del(json, "t");
    json_object_del(json, "index");
    json_object_set_new(json, "device", json_integer(record->device));
    if (record->passes_changed) {
        passes = json_array();
        for (int i = 0; i < record->result.passes && i < RECORD_PASSES; i++)
            json_array_append_new(passes, gp_json_number(record->median[i]));
        json_object_set_new(json, "passes", passes);
    }
    if (record->other[0])
        json_object_set_new(json, "reason", gp_json_text(record->other));
    if (record->drift)
        set_flag(json, "drift");
    if (record->failed_once)
        set_flag(json, "failed_once");
    return json;
}
