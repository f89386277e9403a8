/* result.c - see result.h. */
#include "measure/point/result.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/point/field.h"
#include "measure/point/method.h"

#define TIME_MAX 1e6  /* s */
#define RATE_MAX 1e24 /* per second */
#define FLAGS_MAX 64  /* of one result, and bytes of one */

/* ---- the fields ---- */

#define TEXT(name, member, properties) \
    FIELD_AT(struct point_result, name, member, .type = FIELD_STRING, .is = (properties))
#define WORD(name, member, list, count, properties) \
    FIELD_WORD_AT(struct point_result, name, member, list, count, properties)
#define NUMBER(name, member, most, properties)                                        \
    FIELD_AT(struct point_result, name, member, .type = FIELD_NUMBER, .high = (most), \
             .is = (properties))

static const struct field head_fields[] = {
    TEXT("id", id, FIELD_NEEDED),
    WORD("state", state, point_state_words, POINT_STATES, FIELD_NEEDED),
    TEXT("reason", reason, 0),
    FIELD_AT(struct point_result, "variant", variant, .type = FIELD_STRING, .size = RESULT_VARIANT,
             .is = FIELD_BLANK),
};

static const struct field rate_fields[] = {
    NUMBER("rate.ops_per_s", ops, RATE_MAX, FIELD_ZERO_NULL),
    NUMBER("rate.bytes_per_s", bytes, RATE_MAX, FIELD_ZERO_NULL),
    NUMBER("rate.ops_per_j", per_joule, RATE_MAX, FIELD_ZERO_NULL),
    NUMBER("rate.ops_per_clock", per_clock, RATE_MAX, FIELD_ZERO_NULL),
};

/* What the engine's own code writes. Older files have a mean or an extreme without the object
 * around it. */
static const struct field answer_fields[] = {
    TEXT("params.type", type_word, 0),
    WORD("params.type", type, bench_type_words, TYPE_COUNT, FIELD_LATER),
    NUMBER("params.m", m, RATE_MAX, 0),
    NUMBER("params.n", n, RATE_MAX, 0),
    NUMBER("params.k", k, RATE_MAX, 0),
    NUMBER("params.groups", groups, RATE_MAX, 0),
    NUMBER("params.tokens", tokens, RATE_MAX, 0),
    NUMBER("params.bytes", size, RATE_MAX, 0),
    FIELD_AT(struct point_result, "params.from", from, .type = FIELD_INT,
             .high = RESULT_DEVICES - 1),
    FIELD_AT(struct point_result, "params.to", to, .type = FIELD_INT, .high = RESULT_DEVICES - 1),
    NUMBER("sensors.sm_clock_mhz.mean", clock, 1e9, FIELD_FLAT),
    NUMBER("sensors.power_w.mean", power, 1e9, FIELD_FLAT),
    NUMBER("sensors.temp_c.max", temp, 1e9, FIELD_FLAT),
    FIELD_AT(struct point_result, "check", json, .type = FIELD_OBJECT),
    TEXT("check.why", why, FIELD_BLANK),
    TEXT("check.cause", cause, FIELD_BLANK),
};

#define STATS(member) FIELD_NUMBER_AT(struct stats, #member, member, TIME_MAX)

/* Of time_s: struct stats, but for its interval and samples. */
static const struct field time_fields[] = {
    FIELD_AT(struct stats, "n", n, .type = FIELD_INT, .is = FIELD_NEEDED, .low = 1,
             .high = RESULT_SAMPLES),
    FIELD_AT(struct stats, "median", median, .type = FIELD_NUMBER, .is = FIELD_NEEDED,
             .high = TIME_MAX),
    STATS(mean),
    STATS(stdev),
    STATS(min),
    STATS(max),
    STATS(p05),
    STATS(p95),
    STATS(q1),
    STATS(q3),
    STATS(mad),
    FIELD_AT(struct stats, "outliers", outliers, .type = FIELD_INT, .high = RESULT_SAMPLES),
    STATS(first_over_median),
    FIELD_AT(struct stats, "trend_pct_per_s", trend_pct_per_s, .type = FIELD_NUMBER,
             .low = -RATE_MAX, .high = RATE_MAX),
};

static const struct field test_fields[] = {
    TEXT("test", test_word, FIELD_NEEDED),
    WORD("test", test, bench_test_words, TEST_COUNT, FIELD_LATER),
};

static const struct field sheet_fields[] = {
    NUMBER("rate.pct_spec_peak", sheet_ops, 1e12, FIELD_ZERO_NULL),
    NUMBER("rate.pct_spec_bw", sheet_bytes, 1e12, FIELD_ZERO_NULL),
};

static const struct field predicted_fields[] = {
    NUMBER("predicted.time_s", predicted, TIME_MAX, FIELD_ZERO_NULL),
    TEXT("predicted.bound", bound, FIELD_BLANK),
    TEXT("predicted.origin", origin, FIELD_BLANK),
    NUMBER("predicted.ratio", ratio, 1e9, FIELD_ZERO_NULL),
};

/* ---- reading ---- */

static void read_time(struct reading *r, const json_t *time, struct point_result *p)
{
    const json_t *ci = json_object_get(time, "ci95"), *list = json_object_get(time, "samples");
    struct stats stats = {.n = 0};
    const json_t *one;
    size_t i;

    fields_read(r, FIELDS(time_fields), time, &stats);
    p->samples = stats.n;
    p->median = stats.median;
    p->min = stats.min;
    p->max = stats.max;
    p->converged = !json_is_false(json_object_get(time, "converged"));
    p->low = p->high = p->median;
    if (p->median <= 0)
        reading_refuse(r, "time_s.median", "is not a time");
    if ((p->min > 0 && p->min > p->median) || (p->max > 0 && p->max < p->median))
        reading_refuse(r, "time_s.median", "is not between min and max");
    if (list && !json_is_null(list) &&
        (!json_is_array(list) || json_array_size(list) != (size_t)p->samples))
        reading_refuse(r, "time_s.samples", "are not as many as n says");
    json_array_foreach((json_t *)list, i, one)
    {
        double x = json_number_value(one);

        if (!json_is_number(one) || !(x >= 0 && x <= TIME_MAX))
            reading_refuse(r, "time_s.samples", "hold a value that is not a time");
    }
    if (!ci || json_is_null(ci))
        return;
    p->low = json_number_value(json_array_get(ci, 0));
    p->high = json_number_value(json_array_get(ci, 1));
    if (json_array_size(ci) != 2 || !(p->low > 0) || !(p->low <= p->median) ||
        !(p->high >= p->median) || p->high > TIME_MAX)
        reading_refuse(r, "time_s.ci95", "is not an interval around the median");
}

static void read_flags(struct reading *r, struct point_result *p)
{
    p->flags = json_object_get(p->json, "flags");
    if (json_is_null(p->flags))
        p->flags = NULL;
    if (p->flags && (!json_is_array(p->flags) || json_array_size(p->flags) > FLAGS_MAX))
        reading_refuse(r, "flags", "is not a list of words");
    for (size_t i = 0; i < json_array_size(p->flags); i++) {
        const char *flag = json_string_value(json_array_get(p->flags, i));

        if (!flag || !flag[0] || strlen(flag) > FLAGS_MAX)
            reading_refuse(r, "flags", "is not a list of words");
        else if (line_flag_disturbs(flag))
            p->disturbed = true;
    }
}

/* The kind that a point of a test with kinds is of: by its parameters, or its id,
 * "memory/read-cache/64". */
static void read_kind(struct point_result *p)
{
    const char *kind = result_param_text(p, "kind"), *from = strchr(p->id, '/');
    size_t len = from ? strcspn(from + 1, "/") : 0;
    char word[32];

    gp_format(word, sizeof(word), "%.*s", (int)(len < 31 ? len : 31), from ? from + 1 : "");
    char *hot = strstr(word, "-cache");
    p->hot = hot && !hot[6];
    if (p->hot)
        *hot = '\0';
    int found = bench_kind_parse(p->test, kind[0] ? kind : word);
    p->kind = found < 0 ? KIND_NONE : (enum bench_kind)found;
}

bool result_read(struct reading *r, const json_t *json, enum result_source source,
                 struct point_result *p)
{
    const json_t *time = json_object_get(json, "time_s");
    const json_t *ok = json_object_get(json_object_get(json, "check"), "ok");

    *p = (struct point_result){.json = json,
                               .id = "",
                               .variant = "",
                               .reason = "",
                               .why = "",
                               .cause = "",
                               .test_word = "",
                               .type_word = "",
                               .bound = "",
                               .origin = "",
                               .test = TEST_COUNT,
                               .type = TYPE_COUNT};
    fields_read(r, FIELDS(head_fields), json, p);
    if (source == RESULT_FILE) {
        fields_read(r, FIELDS(test_fields), json, p);
        fields_read(r, FIELDS(sheet_fields), json, p);
        fields_read(r, FIELDS(predicted_fields), json, p);
    }
    fields_read(r, FIELDS(answer_fields), json, p);
    if (!fields_read(r, FIELDS(rate_fields), json, p))
        return false;
    read_kind(p);
    p->checked = json_is_boolean(ok);
    p->correct = json_is_true(ok);
    p->passes = (int)json_array_size(json_object_get(json, "passes"));
    if (json_is_object(time))
        read_time(r, time, p);
    else if (time && !json_is_null(time))
        reading_refuse(r, "time_s", "is not an object");
    else if (p->state == POINT_OK)
        reading_refuse(r, "time_s", "is missing");
    read_flags(r, p);
    return !r->status;
}

/* ---- writing ---- */

json_t *stats_to_json(const struct stats *s, const double *samples)
{
    json_t *json = json_object(), *list = json_array(), *ci = json_array();

    fields_write(FIELDS(time_fields), s, false, json);
    json_array_append_new(ci, gp_json_number(s->ci95_low));
    json_array_append_new(ci, gp_json_number(s->ci95_high));
    json_object_set_new(json, "ci95", ci);
    json_object_set_new(json, "converged", json_boolean(s->converged));
    for (int i = 0; samples && i < s->n; i++)
        json_array_append_new(list, gp_json_number(samples[i]));
    json_object_set_new(json, "samples", list);
    return json;
}

void result_write(const struct point_result *p, enum result_source source, json_t *json)
{
    if (source == RESULT_ANSWER) {
        fields_write(FIELDS(head_fields), p, false, json);
        if (p->state == POINT_OK)
            fields_write(FIELDS(rate_fields), p, false, json);
        return;
    }
    json_object_set_new(json, "test", json_string(p->test_word));
    if (json_is_object(json_object_get(json, "rate")))
        fields_write(FIELDS(sheet_fields), p, false, json);
    json_object_set_new(json, "predicted", json_null());
    if (p->predicted > 0)
        fields_write(FIELDS(predicted_fields), p, false, json);
}

/* ---- what it means ---- */

bool result_wrong(const struct point_result *p)
{
    return p->checked && !p->correct;
}

bool result_good(const struct point_result *p)
{
    return p->state == POINT_OK && !result_wrong(p) && !p->disturbed;
}

bool result_usable(const struct point_result *p)
{
    return result_good(p) && result_is_main(p->variant);
}

bool result_flagged(const struct point_result *p, const char *flag)
{
    for (size_t i = 0; i < json_array_size(p->flags); i++)
        if (strcmp(json_string_value(json_array_get(p->flags, i)), flag) == 0)
            return true;
    return false;
}

char *result_flags(const struct point_result *p, const char *between, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(p->flags); i++)
        gp_append(text, size, between, "%s", json_string_value(json_array_get(p->flags, i)));
    return text;
}

bool result_is_main(const char *variant)
{
    return !variant[0] || strcmp(variant, "heuristic") == 0;
}

static char *scaled_rate(char *text, size_t size, double value, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    int i = 0;

    for (; value >= 1000 && i < 5; i++)
        value /= 1000;
    gp_format(text, size, "%.*f %s%s",
              value < 10    ? 2
              : value < 100 ? 1
                            : 0,
              value, prefix[i], unit);
    return text;
}

char *result_rate(char *text, size_t size, const struct point_result *p)
{
    enum test_rate rate = p->test < TEST_COUNT ? test_rows[p->test].rate : RATE_BYTES;

    if (p->median <= 0)
        gp_copy(text, size, "-");
    else if (rate == RATE_OPERATIONS && p->ops > 0)
        scaled_rate(text, size, p->ops, bench_type_integer(p->type) ? "OP/s" : "FLOP/s");
    else if (rate != RATE_SECONDS && p->bytes > 0)
        scaled_rate(text, size, p->bytes, "B/s");
    else
        units_seconds(text, size, p->median, 3);
    return text;
}

double result_param(const struct point_result *p, const char *key)
{
    double value = json_number_value(json_object_get(json_object_get(p->json, "params"), key));

    return isfinite(value) && value > 0 ? value : 0;
}

const char *result_param_text(const struct point_result *p, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(p->json, "params"), key));

    return text ? text : "";
}
