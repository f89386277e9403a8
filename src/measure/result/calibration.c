/* calibration.c - see calibration.h. */
#include "measure/result/calibration.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "measure/point/field.h"

#define ENTRIES_MAX 100000
#define DEVICE_MAX 1000000

/* ---- the fields ---- */

#define DEVICE(s) \
    FIELD_AT(s, "device", device, .type = FIELD_LONG, .is = FIELD_NEEDED, .high = DEVICE_MAX)
#define POINTS(s) \
    FIELD_AT(s, "n", n, .type = FIELD_INT, .is = FIELD_NEEDED, .low = 1, .high = ENTRIES_MAX)
#define TYPE(s) FIELD_WORD_AT(s, "type", type, bench_type_words, TYPE_COUNT, FIELD_LATER)
#define RMS(s) FIELD_AT(s, "rms_pct", rms, .type = FIELD_NUMBER, .high = INFINITY, .unit = 100)

/* What is fitted to odd samples may be large, not negative. */
static const struct field band_fields[] = {
    FIELD_NUMBER_AT(struct quantity, "value", value, INFINITY),
    FIELD_NUMBER_AT(struct quantity, "low", low, INFINITY),
    FIELD_NUMBER_AT(struct quantity, "high", high, INFINITY),
};

static const struct field term_fields[] = {
    DEVICE(struct calibration_term),
    FIELD_TEXT_AT(struct calibration_term, "run_id", run),
    FIELD_WORD_AT(struct calibration_term, "kind", kind, cal_term_words, CAL_COUNT, FIELD_LATER),
    FIELD_TEXT_AT(struct calibration_term, "of", of),
    TYPE(struct calibration_term),
};
static const struct field sheet_fields[] = {
    /* of a term with a rate of bytes */
    FIELD_NUMBER_AT(struct calibration_term, "pct_spec_bw", sheet_pct, INFINITY),
};
static const struct field fit_fields[] = {
    POINTS(struct calibration_term),
    RMS(struct calibration_term),
};

static const struct field octave_fields[] = {
    FIELD_AT(struct calibration_octave, "log2_ops", log2_ops, .type = FIELD_INT, .is = FIELD_NEEDED,
             .high = 1000),
    FIELD_NUMBER_AT(struct calibration_octave, "efficiency", efficiency, 1),
    POINTS(struct calibration_octave),
    RMS(struct calibration_octave),
};

static const struct field product_fields[] = {
    DEVICE(struct calibration_product),
    FIELD_TEXT_AT(struct calibration_product, "run_id", run),
    TYPE(struct calibration_product),
    FIELD_NUMBER_AT(struct calibration_product, "peak_ops_per_s", peak, INFINITY),
    FIELD_NUMBER_AT(struct calibration_product, "pct_spec_peak", sheet_pct, INFINITY),
    POINTS(struct calibration_product),
};

static const struct field run_field[] = {
    FIELD_TEXT_AT(struct calibration, "run_id", run),
};

/* Its name in the file. */
static const char *rate_name(enum cal_term kind)
{
    return kind == CAL_RATE ? "ops_per_s" : "bytes_per_s";
}

/* ---- writing ---- */

static json_t *band_to_json(struct quantity q)
{
    json_t *json = q.known ? json_object() : json_null();

    if (q.known)
        fields_write(FIELDS(band_fields), &q, false, json);
    return json;
}

static json_t *term_to_json(const struct calibration_term *t)
{
    json_t *json = json_object();

    fields_write(FIELDS(term_fields), t, false, json);
    if (t->kind != CAL_LAUNCH)
        json_object_set_new(json, rate_name(t->kind), band_to_json(t->rate));
    if (t->kind != CAL_LAUNCH && t->kind != CAL_RATE)
        fields_write(FIELDS(sheet_fields), t, false, json);
    json_object_set_new(json, "overhead_s", band_to_json(t->overhead));
    fields_write(FIELDS(fit_fields), t, false, json);
    return json;
}

static json_t *product_to_json(const struct calibration_product *p)
{
    json_t *json = json_object(), *list = json_array();

    fields_write(FIELDS(product_fields), p, false, json);
    for (int i = 0; i < p->octave_count; i++) {
        json_t *one = json_object();

        fields_write(FIELDS(octave_fields), &p->octave[i], false, one);
        json_array_append_new(list, one);
    }
    json_object_set_new(json, "efficiency", list);
    return json;
}

json_t *calibration_to_json(const struct calibration *c)
{
    json_t *json = json_object(), *terms = json_array(), *products = json_array();

    for (int i = 0; i < c->terms; i++)
        json_array_append_new(terms, term_to_json(&c->term[i]));
    for (int i = 0; i < c->products; i++)
        json_array_append_new(products, product_to_json(&c->product[i]));
    if (c->run[0])
        json_object_set_new(json, "run_id", gp_json_text(c->run));
    json_object_set_new(json, "equation", json_string("time_s = overhead_s + work / rate"));
    json_object_set_new(json, "terms", terms);
    json_object_set_new(json, "products", products);
    return json;
}

/* ---- reading ---- */

static struct quantity read_band(struct reading *r, const json_t *json, const char *key)
{
    const json_t *band = json_object_get(json, key);
    struct quantity q = {
        .value = NAN, .low = 0, .high = INFINITY, .origin = ORIGIN_MEASURED, .known = true};

    if (!band || json_is_null(band))
        return quantity_unknown();
    if (!json_is_object(band))
        reading_refuse(r, key, "is not an object");
    fields_read(r, FIELDS(band_fields), band, &q);
    if (!(q.low <= q.value && q.value <= q.high))
        reading_refuse(r, key, "is not a band around its value");
    return q;
}

/* A type of a later version, not none. */
static bool is_later_type(const json_t *json, enum bench_type type)
{
    return type == TYPE_COUNT && json_is_string(json_object_get(json, "type"));
}

static void read_term(struct reading *r, const json_t *json, struct calibration *out)
{
    struct calibration_term t = {
        .kind = CAL_COUNT, .type = TYPE_COUNT, .sheet_pct = NAN, .rms = NAN};

    fields_read(r, FIELDS(term_fields), json, &t);
    fields_read(r, FIELDS(sheet_fields), json, &t);
    fields_read(r, FIELDS(fit_fields), json, &t);
    t.rate = read_band(r, json, rate_name(t.kind));
    t.overhead = read_band(r, json, "overhead_s");
    if (r->status || t.kind == CAL_NONE || t.kind == CAL_COUNT || is_later_type(json, t.type))
        return;
    if (!(t.kind == CAL_LAUNCH ? t.overhead.known : t.rate.known && t.rate.value > 0))
        reading_refuse(r, "", "has no figure");
    else
        *calibration_add_term(out) = t;
}

static void read_octaves(struct reading *r, const json_t *list, struct calibration_product *p)
{
    const json_t *json;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) > CALIBRATION_OCTAVES) {
        reading_refuse(r, "efficiency", "is not a list, or too long");
        return;
    }
    json_array_foreach((json_t *)list, i, json)
    {
        struct calibration_octave *octave = &p->octave[p->octave_count++];

        octave->efficiency = octave->rms = NAN;
        fields_read(r, FIELDS(octave_fields), json, octave);
        if (isnan(octave->efficiency))
            reading_refuse(r, "efficiency", "is not a share of the peak");
    }
}

static void read_product(struct reading *r, const json_t *json, struct calibration *out)
{
    struct calibration_product p = {.type = TYPE_COUNT, .sheet_pct = NAN};

    fields_read(r, FIELDS(product_fields), json, &p);
    read_octaves(r, json_object_get(json, "efficiency"), &p);
    if (r->status || is_later_type(json, p.type))
        return;
    if (p.type == TYPE_COUNT || !(p.peak > 0))
        reading_refuse(r, p.type == TYPE_COUNT ? "type" : "peak_ops_per_s", "is missing");
    else
        *calibration_add_product(out) = p;
}

static void read_list(struct reading *r, const json_t *json, const char *key,
                      void (*read)(struct reading *, const json_t *, struct calibration *),
                      struct calibration *out)
{
    const json_t *list = json_object_get(json, key);

    gp_copy(r->at, sizeof(r->at), "calibration");
    if (!json_is_array(list) || json_array_size(list) > ENTRIES_MAX)
        reading_refuse(r, key, "is not a list, or too long");
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        gp_format(r->at, sizeof(r->at), "calibration.%s[%zu]", key, i);
        if (json_is_object(json_array_get(list, i)))
            read(r, json_array_get(list, i), out);
        else
            reading_refuse(r, "", "is not an object");
    }
}

enum gp_status calibration_from_json(const char *where, const json_t *json, struct calibration *out,
                                     struct gp_err *err)
{
    struct reading r = {.where = where, .at = "calibration", .hint = RESULT_HINT, .err = err};

    memset(out, 0, sizeof(*out));
    if (!json_is_object(json)) {
        reading_refuse(&r, "", "is not an object");
        return r.status;
    }
    fields_read(&r, FIELDS(run_field), json, out);
    read_list(&r, json, "terms", read_term, out);
    if (!r.status)
        read_list(&r, json, "products", read_product, out);
    if (r.status)
        calibration_fini(out);
    return r.status;
}
