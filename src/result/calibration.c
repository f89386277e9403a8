/* calibration.c - see calibration.h. */
#include "result/calibration.h"

#include <math.h>
#include <string.h>

#include "point/line.h"
#include "util/json.h"
#include "util/str.h"

#define ENTRIES_MAX 100000
#define DEVICE_MAX  1000000

/* ---- writing ---- */

static json_t *text_or_null(const char *text)
{
    return text[0] ? gp_json_text(text) : json_null();
}

static json_t *band_to_json(struct quantity q)
{
    json_t *json = q.known ? json_object() : json_null();

    if (q.known) {
        json_object_set_new(json, "value", gp_json_number(q.value));
        json_object_set_new(json, "low", gp_json_number(q.low));
        json_object_set_new(json, "high", gp_json_number(q.high));
    }
    return json;
}

static json_t *term_to_json(const struct calibration_term *t)
{
    json_t *json = json_object();

    json_object_set_new(json, "device", json_integer(t->device));
    json_object_set_new(json, "run_id", text_or_null(t->run));
    json_object_set_new(json, "kind", json_string(cal_term_words[t->kind]));
    json_object_set_new(json, "of", gp_json_text(t->of));
    json_object_set_new(json, "type",
                        t->type < TYPE_COUNT ? json_string(bench_type_word(t->type))
                                             : json_null());
    if (t->kind == CAL_RATE) {
        json_object_set_new(json, "ops_per_s", band_to_json(t->rate));
    } else if (t->kind != CAL_LAUNCH) {
        json_object_set_new(json, "bytes_per_s", band_to_json(t->rate));
        json_object_set_new(json, "pct_spec_bw", gp_json_number(t->sheet_pct));
    }
    json_object_set_new(json, "overhead_s", band_to_json(t->overhead));
    json_object_set_new(json, "n", json_integer(t->n));
    json_object_set_new(json, "rms_pct", gp_json_number(100 * t->rms));
    return json;
}

static json_t *octaves_to_json(const struct calibration_product *p)
{
    json_t *list = json_array();

    for (int i = 0; i < p->octave_count; i++) {
        const struct calibration_octave *o = &p->octave[i];
        json_t *json = json_object();

        json_object_set_new(json, "log2_ops", json_integer(o->log2_ops));
        json_object_set_new(json, "efficiency", gp_json_number(o->efficiency));
        json_object_set_new(json, "n", json_integer(o->n));
        json_object_set_new(json, "rms_pct", gp_json_number(100 * o->rms));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *product_to_json(const struct calibration_product *p)
{
    json_t *json = json_object();

    json_object_set_new(json, "device", json_integer(p->device));
    json_object_set_new(json, "run_id", text_or_null(p->run));
    json_object_set_new(json, "type", json_string(bench_type_word(p->type)));
    json_object_set_new(json, "peak_ops_per_s", gp_json_number(p->peak));
    json_object_set_new(json, "pct_spec_peak", gp_json_number(p->sheet_pct));
    json_object_set_new(json, "n", json_integer(p->n));
    json_object_set_new(json, "efficiency", octaves_to_json(p));
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
    json_object_set_new(json, "equation",
                        json_string("time_s = overhead_s + work / rate"));
    json_object_set_new(json, "terms", terms);
    json_object_set_new(json, "products", products);
    return json;
}

/* ---- reading ---- */

struct reading {
    const char *where;
    char at[96]; /* "calibration.terms[3]" */
    struct gp_err *err;
    enum gp_status status;
};

static void refuse(struct reading *r, const char *field, const char *what)
{
    char where[256];

    if (r->status)
        return;
    gp_format(where, sizeof(where), "%s: %s%s%s", r->where, r->at, *field ? "." : "", field);
    r->status = gp_fail(r->err, GP_E_FILE, where,
                        "was it written by gpuplan --bench, and whole?", "%s", what);
}

/* `otherwise` for null or absent. What is fitted to odd samples may be large, not negative. */
static double read_number(struct reading *r, const json_t *json, const char *key,
                          double otherwise)
{
    const json_t *value = json_object_get(json, key);
    double number = json_number_value(value);

    if (!value || json_is_null(value))
        return otherwise;
    if (!json_is_number(value))
        refuse(r, key, "is not a number");
    else if (!(number >= 0))
        refuse(r, key, "is out of range");
    return r->status ? otherwise : number;
}

static long read_count(struct reading *r, const json_t *json, const char *key, long least,
                       long most)
{
    const json_t *value = json_object_get(json, key);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;

    if (number < least || number > most) {
        refuse(r, key, "is missing, no whole number or out of range");
        return least;
    }
    return (long)number;
}

static void read_text(struct reading *r, const json_t *json, const char *key, char *out,
                      size_t size)
{
    const json_t *value = json_object_get(json, key);
    const char *text = json_string_value(value);

    out[0] = '\0';
    if (!value || json_is_null(value))
        return;
    if (!text)
        refuse(r, key, "is not text");
    else if (!gp_copy(out, size, text))
        refuse(r, key, "is too long");
    for (const char *c = out; *c; c++)
        if ((unsigned char)*c < 0x20)
            refuse(r, key, "holds control characters");
}

static struct quantity read_band(struct reading *r, const json_t *json, const char *key)
{
    const json_t *band = json_object_get(json, key);
    struct quantity q = quantity_unknown();

    if (!band || json_is_null(band))
        return q;
    if (!json_is_object(band)) {
        refuse(r, key, "is not an object");
        return q;
    }
    q = (struct quantity){.value = read_number(r, band, "value", NAN),
                          .low = read_number(r, band, "low", 0),
                          .high = read_number(r, band, "high", INFINITY),
                          .origin = ORIGIN_MEASURED,
                          .known = true};
    if (!(q.low <= q.value && q.value <= q.high))
        refuse(r, key, "is no band around its value");
    return q;
}

/* False: a type of a later version. No type is one, too. */
static bool read_type(struct reading *r, const json_t *json, enum bench_type *type)
{
    char word[64];
    int found;

    read_text(r, json, "type", word, sizeof(word));
    found = bench_type_parse(word);
    *type = found < 0 ? TYPE_COUNT : (enum bench_type)found;
    return found >= 0 || !word[0];
}

static void read_term(struct reading *r, const json_t *json, struct calibration *out)
{
    struct calibration_term t = {.device = read_count(r, json, "device", 0, DEVICE_MAX),
                                 .n = (int)read_count(r, json, "n", 1, ENTRIES_MAX)};
    char word[64];
    int kind;
    bool known = read_type(r, json, &t.type);

    read_text(r, json, "kind", word, sizeof(word));
    kind = line_word(cal_term_words, CAL_COUNT, word);
    read_text(r, json, "run_id", t.run, sizeof(t.run));
    read_text(r, json, "of", t.of, sizeof(t.of));
    t.rate = read_band(r, json, kind == CAL_RATE ? "ops_per_s" : "bytes_per_s");
    t.overhead = read_band(r, json, "overhead_s");
    t.sheet_pct = read_number(r, json, "pct_spec_bw", NAN);
    t.rms = read_number(r, json, "rms_pct", NAN) / 100;
    if (r->status || !known || kind <= CAL_NONE)
        return;
    t.kind = (enum cal_term)kind;
    if (!(kind == CAL_LAUNCH ? t.overhead.known : t.rate.known && t.rate.value > 0))
        refuse(r, "", "has no figure");
    else
        *calibration_add_term(out) = t;
}

static void read_octaves(struct reading *r, const json_t *list,
                         struct calibration_product *p)
{
    const json_t *json;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) > CALIBRATION_OCTAVES) {
        refuse(r, "efficiency", "is not a list, or too long");
        return;
    }
    json_array_foreach((json_t *)list, i, json)
        p->octave[p->octave_count++] = (struct calibration_octave){
            .log2_ops = (int)read_count(r, json, "log2_ops", 0, 1000),
            .efficiency = read_number(r, json, "efficiency", NAN),
            .n = (int)read_count(r, json, "n", 1, ENTRIES_MAX),
            .rms = read_number(r, json, "rms_pct", NAN) / 100};
    for (int k = 0; k < p->octave_count; k++)
        if (!(p->octave[k].efficiency <= 1))
            refuse(r, "efficiency", "is no share of the peak");
}

static void read_product(struct reading *r, const json_t *json, struct calibration *out)
{
    struct calibration_product p = {
        .device = read_count(r, json, "device", 0, DEVICE_MAX),
        .peak = read_number(r, json, "peak_ops_per_s", 0),
        .sheet_pct = read_number(r, json, "pct_spec_peak", NAN),
        .n = (int)read_count(r, json, "n", 1, ENTRIES_MAX)};

    read_text(r, json, "run_id", p.run, sizeof(p.run));
    read_octaves(r, json_object_get(json, "efficiency"), &p);
    if (!read_type(r, json, &p.type) || r->status)
        return;
    if (p.type == TYPE_COUNT || !(p.peak > 0))
        refuse(r, p.type == TYPE_COUNT ? "type" : "peak_ops_per_s", "is missing");
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
        refuse(r, key, "is not a list, or too long");
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        gp_format(r->at, sizeof(r->at), "calibration.%s[%zu]", key, i);
        if (json_is_object(json_array_get(list, i)))
            read(r, json_array_get(list, i), out);
        else
            refuse(r, "", "is not an object");
    }
}

enum gp_status calibration_from_json(const char *where, const json_t *json,
                                     struct calibration *out, struct gp_err *err)
{
    struct reading r = {.where = where, .at = "calibration", .err = err};

    memset(out, 0, sizeof(*out));
    if (!json_is_object(json)) {
        refuse(&r, "", "is not an object");
        return r.status;
    }
    read_text(&r, json, "run_id", out->run, sizeof(out->run));
    read_list(&r, json, "terms", read_term, out);
    if (!r.status)
        read_list(&r, json, "products", read_product, out);
    if (r.status)
        calibration_fini(out);
    return r.status;
}
