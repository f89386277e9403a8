/*
 * shared.c - see shared.h.
 */
#include "measure/result/shared.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "measure/point/field.h"
#include "measure/result/measured.h"

#define HINT "was it written by gpuplan --bench --share or --merge, and whole?"
#define CPU "cpu"

#define SHARE_LOW 0.05 /* of a data sheet, as calib.c fits them */
#define SHARE_HIGH 1.05
#define READ_HIGH 1.2 /* of the sheet's bandwidth: beyond it is another GPU */
#define POINTS_LEAST 3

#define LAB_ODD 0.35   /* a logarithm off the median: an error of measuring */
#define BAND_KIND 0.08 /* of one lab, as in calib.c (assumed) */
#define BAND_COUSIN 0.18
#define NINETY 1.645 /* standard deviations of half a 90 % band */
#define PRIOR_LABS 2 /* that the band of one lab counts as */

/* ---- a file ---- */

#define TEXT(called, member) FIELD_TEXT_AT(struct shared_device, called, member)
#define NUMBER(called, member, least, most, in)                                          \
    FIELD_AT(struct shared_device, called, member, .type = FIELD_NUMBER, .low = (least), \
             .high = (most), .unit = (in), .is = FIELD_ZERO_NULL)
#define NAMED(called, member)                                          \
    FIELD_AT(struct shared_device, called, member, .type = FIELD_TEXT, \
             .size = sizeof(((struct shared_device *)0)->member), .is = FIELD_NEEDED)

static const struct field device_fields[] = {
    NAMED("lab", lab),
    NAMED("gpu", gpu),
    TEXT("name", name),
    TEXT("month", month),
    TEXT("program", program),
    TEXT("driver", driver),
    TEXT("library", library),
    NUMBER("clock_max_mhz", clock, 1, 1e5, 1e-6),
    NUMBER("power_limit_w", power, 1, 1e5, 0),
    NUMBER("read_bytes_per_s", read, 1e8, 1e15, 0),
    NUMBER("fp32_ops_per_s", rate, 1e8, 1e18, 0),
};

#define SHARE(called, member)                                                              \
    FIELD_AT(struct shared_kernel, called, member, .type = FIELD_NUMBER, .low = SHARE_LOW, \
             .high = SHARE_HIGH, .is = FIELD_NEEDED)

static const struct field kernel_fields[] = {
    SHARE("compute", compute),
    SHARE("memory", memory),
    FIELD_AT(struct shared_kernel, "n", points, .type = FIELD_INT, .is = FIELD_NEEDED,
             .low = POINTS_LEAST, .high = BENCHLOG_POINTS),
    FIELD_AT(struct shared_kernel, "rms_pct", rms, .type = FIELD_NUMBER, .high = 1e4, .unit = 100),
};

static void read_kernels(struct reading *r, const json_t *list, struct shared_device *d)
{
    char device[sizeof(r->at)];
    const json_t *one;
    size_t i;

    gp_copy(device, sizeof(device), r->at);
    json_array_foreach((json_t *)list, i, one)
    {
        const char *word = json_string_value(json_object_get(one, "kernel"));
        int k = 0;

        gp_format(r->at, sizeof(r->at), "%.60s.products[%zu]", device, i);
        while (k < KERNEL_COUNT && (!word || strcmp(word, kernel_word((enum kernel)k)) != 0))
            k++;
        if (!word || i >= 4 * KERNEL_COUNT) {
            reading_refuse(r, word ? "" : "kernel", word ? "too many" : "is missing");
            return;
        }
        if (k == KERNEL_COUNT) /* of a later version */
            continue;
        if (!fields_read(r, FIELDS(kernel_fields), one, &d->kernel[k]))
            return;
    }
}

static bool is_there(const struct shared *s, const struct shared_device *d)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->device[i].lab, d->lab) == 0 && strcmp(s->device[i].gpu, d->gpu) == 0 &&
            strcmp(s->device[i].name, d->name) == 0 && s->device[i].read == d->read &&
            memcmp(s->device[i].kernel, d->kernel, sizeof(d->kernel)) == 0)
            return true;
    return false;
}

static void add_device(struct shared *s, const struct shared_device *d)
{
    if (is_there(s, d))
        return;
    s->device = gp_grow(s->device, &s->cap, s->count + 1, sizeof(*s->device));
    s->device[s->count++] = *d;
}

static bool read_device(struct reading *r, const json_t *json, struct shared_device *d)
{
    if (!json_is_object(json))
        return reading_refuse(r, "", "is not a device");
    if (!fields_read(r, FIELDS(device_fields), json, d))
        return false;
    read_kernels(r, json_object_get(json, "products"), d);
    bool any = d->read > 0 || d->rate > 0;
    for (int k = 0; k < KERNEL_COUNT; k++)
        any = any || d->kernel[k].points > 0;
    return r->status ? false : any || reading_refuse(r, "products", "nothing was measured");
}

enum gp_status shared_parse(const char *where, const char *text, size_t len, struct shared *out,
                            struct gp_err *err)
{
    struct reading r = {.where = where, .hint = HINT, .err = err};
    json_t *json = NULL, *one;
    const char *schema;
    enum gp_status rc = gp_json_parse(where, text, len, &json, err);
    size_t i;

    if (rc)
        return rc;
    schema = json_string_value(json_object_get(json, "schema"));
    json_t *list = json_object_get(json, "devices");
    if (!schema || strcmp(schema, SHARED_SCHEMA) != 0)
        reading_refuse(&r, "schema", "is not %s", SHARED_SCHEMA);
    else if (json_array_size(list) == 0)
        reading_refuse(&r, "devices", "there is none");
    json_array_foreach(list, i, one)
    {
        struct shared_device *d;

        gp_format(r.at, sizeof(r.at), "devices[%zu]", i);
        if (r.status)
            break;
        if (out->count >= SHARED_DEVICES) {
            reading_refuse(&r, "", "more than %d devices", SHARED_DEVICES);
            break;
        }
        d = gp_calloc(1, sizeof(*d));
        if (read_device(&r, one, d))
            add_device(out, d);
        free(d);
    }
    json_decref(json);
    return r.status;
}

bool shared_is(const char *path)
{
    char head[128];

    path_head(path, head, sizeof(head));
    return strstr(head, SHARED_SCHEMA) != NULL;
}

enum gp_status shared_read(const char *path, struct shared *out, struct gp_err *err)
{
    char *text = NULL;
    size_t len;
    enum gp_status rc = path_read(path, SHARED_BYTES, &text, &len, err);

    if (!rc)
        rc = shared_parse(path, text, len, out, err);
    free(text);
    return rc;
}

void shared_fini(struct shared *s)
{
    free(s->device);
    *s = (struct shared){0};
}

static json_t *device_json(const struct shared_device *d)
{
    json_t *json = json_object(), *products = json_array();

    fields_write(FIELDS(device_fields), d, false, json);
    for (int k = 0; k < KERNEL_COUNT; k++)
        if (d->kernel[k].points > 0) {
            json_t *one = json_object();

            json_object_set_new(one, "kernel", json_string(kernel_word((enum kernel)k)));
            fields_write(FIELDS(kernel_fields), &d->kernel[k], false, one);
            json_array_append_new(products, one);
        }
    json_object_set_new(json, "products", products);
    return json;
}

/* ---- from a result ---- */

static bool is_known(const char *id, struct catalog *catalog, const struct gpu **gpu)
{
    return id[0] && !strchr(id, '/') && catalog_gpu(catalog, id, gpu, &(struct gp_err){0}) == GP_OK;
}

static void fit_kernels(struct calib *c, const struct gpu *sheet, struct shared_device *d)
{
    struct gpu *gpu = gp_calloc(1, sizeof(*gpu));
    struct family *family = gp_calloc(1, sizeof(*family));

    c->from = CALIB_KIND;
    calib_fit(c, sheet, sheet, gpu, family);
    for (int i = 0; i < c->points; i++) {
        struct shared_kernel *k = &d->kernel[c->point[i].kernel];

        k->points++;
        k->rms += c->point[i].residual * c->point[i].residual;
    }
    for (int k = 0; k < KERNEL_COUNT; k++) {
        struct shared_kernel *of = &d->kernel[k];

        of->compute = family->product[k].compute;
        of->memory = family->product[k].memory;
        of->rms = of->points > 0 ? sqrt(of->rms / of->points) : 0;
        if (of->points < POINTS_LEAST || of->compute < SHARE_LOW || of->memory < SHARE_LOW)
            *of = (struct shared_kernel){0};
    }
    free(family);
    free(gpu);
}

/* What this lab's figures hash to: of nothing that is not in the file. */
static void name_lab(struct shared_device *d)
{
    struct strbuf text;
    json_t *json = device_json(d);

    strbuf_init(&text);
    gp_json_write(json, false, &text);
    gp_format(d->lab, sizeof(d->lab), "%016" PRIx64, gp_hash(GP_HASH, text.text, text.len));
    strbuf_fini(&text);
    json_decref(json);
}

int shared_take(const struct benchlog *log, struct catalog *catalog, struct shared *out)
{
    struct calib *c = gp_malloc(sizeof(*c));
    char lab[sizeof(out->device->lab)] = "";
    int taken = 0;

    for (int i = 0; i < log->device_count && out->count < SHARED_DEVICES; i++) {
        const json_t *of = json_array_get(json_object_get(log->json, "devices"), (size_t)i);
        struct shared_device *d = gp_calloc(1, sizeof(*d));
        const struct gpu *sheet = NULL;
        bool host = strcmp(measured_profile(log, i), CPU) == 0;

        gp_copy(d->gpu, sizeof(d->gpu), measured_profile(log, i));
        gp_copy(d->name, sizeof(d->name), log->device[i].name);
        gp_format(d->month, sizeof(d->month), "%.7s", log->started);
        gp_copy(d->program, sizeof(d->program), gp_json_text_at(log->json, "tool.version"));
        gp_copy(d->driver, sizeof(d->driver), gp_json_text_at(log->json, "software.driver"));
        gp_copy(d->library, sizeof(d->library), gp_json_text_at(log->json, "software.libraries"));
        d->clock = gp_json_number_at(of, "more.sm_clock_max_mhz") * 1e6;
        d->power = gp_json_number_at(of, "more.power_limit_w");
        d->clock = isfinite(d->clock) ? d->clock : 0;
        d->power = isfinite(d->power) ? d->power : 0;
        if ((host || is_known(d->gpu, catalog, &sheet)) && measured_take(log, i, c)) {
            d->read = c->read.known ? c->read.value : 0;
            d->rate = host && c->rate.known ? c->rate.value : 0;
            if (!host)
                fit_kernels(c, sheet, d);
            if (!lab[0]) { /* devices of one machine are of one lab */
                name_lab(d);
                gp_copy(lab, sizeof(lab), d->lab);
            }
            gp_copy(d->lab, sizeof(d->lab), lab);
            add_device(out, d);
            taken++;
        }
        free(d);
    }
    free(c);
    return taken;
}

/* ---- what labs come to ---- */

#define LABS_MOST 64

/* One figure of one device; NAN = it has none. */
static double figure_of(const struct shared_device *d, const struct gpu *sheet, int figure)
{
    const struct shared_kernel *k = &d->kernel[figure < 2 ? 0 : (figure - 2) / 2];
    double value = figure == 0      ? d->read / (sheet ? sheet->bandwidth.value : 1)
                   : figure == 1    ? d->rate
                   : k->points == 0 ? 0
                   : figure % 2     ? k->memory
                                    : k->compute;

    return value > 0 ? value : NAN;
}

const char *shared_figure_words(int figure, char text[64])
{
    if (figure < 2)
        gp_copy(text, 64, figure == 0 ? "reads of memory" : "FP32 products");
    else
        gp_format(text, 64, "%s products, %s", kernel_word((enum kernel)((figure - 2) / 2)),
                  figure % 2 ? "bandwidth" : "arithmetic");
    return text;
}

struct lab { /* logarithms, the mean of its devices; NAN = not measured */
    const char *name;
    double of[SHARED_FIGURES];
    double devices[SHARED_FIGURES];
    bool odd;
};

static void find_odd(struct lab *lab, int labs, struct shared_sum *out)
{
    double value[LABS_MOST];

    for (int f = 0; f < SHARED_FIGURES; f++) {
        size_t n = 0;

        for (int i = 0; i < labs; i++)
            if (!isnan(lab[i].of[f]))
                value[n++] = lab[i].of[f];
        if (n < 3)
            continue;
        double middle = gp_middle(value, (int)n);
        for (int i = 0; i < labs; i++)
            lab[i].odd |= fabs(lab[i].of[f] - middle) > LAB_ODD;
    }
    for (int i = 0; i < labs; i++)
        out->left_out += lab[i].odd;
}

/* Student's t that 95 of 100 stay below, from 2 degrees of freedom on within 1 %. */
static double students_t(double v)
{
    return 1.645 + 1.5 / v + 2.1 / (v * v);
}

static void sum_labs(const struct lab *lab, int labs, double band, struct shared_sum *out)
{
    double squares = 0, freedom = 0;

    out->labs = labs - out->left_out;
    for (int f = 0; f < SHARED_FIGURES; f++) {
        struct shared_figure *to = &out->figure[f];
        double sum = 0, off = 0;

        for (int i = 0; i < labs; i++)
            if (!lab[i].odd && !isnan(lab[i].of[f])) {
                sum += lab[i].of[f];
                to->labs++;
            }
        if (to->labs == 0)
            continue;
        to->value = exp(sum / to->labs);
        for (int i = 0; i < labs; i++)
            if (!lab[i].odd && !isnan(lab[i].of[f]))
                off += pow(lab[i].of[f] - log(to->value), 2);
        to->spread = to->labs > 1 ? sqrt(off / (to->labs - 1)) : 0;
        if (to->labs > 1 && to->spread > 1e-6) { /* alike: of the prior, not measured */
            squares += off;
            freedom += to->labs - 1;
        }
    }
    double first = band / (NINETY * sqrt(2));
    double more = freedom > 0 ? out->labs - 1 : 0, v = PRIOR_LABS + more;
    double s = sqrt((PRIOR_LABS * first * first + (more > 0 ? more * squares / freedom : 0)) / v);
    out->apart = out->labs > 1 ? students_t(v) * s * sqrt(1 + 1.0 / out->labs) : band;
    if (s <= first) /* two that agree say no less than one */
        out->apart = fmin(out->apart, band);
}

/* Of one id; where that is NULL, of the family; or of processors, by their name. */
struct wanted {
    const struct family *family;
    const char *id, *processors;
};

static bool is_wanted(const struct wanted *w, const struct shared_device *d,
                      struct catalog *catalog, const struct gpu **sheet)
{
    *sheet = NULL;
    if (strcmp(d->gpu, CPU) == 0)
        return w->processors && strcmp(w->processors, d->name) == 0;
    if (w->processors || (w->id && strcmp(w->id, d->gpu) != 0) ||
        !is_known(d->gpu, catalog, sheet) || !(*sheet)->bandwidth.known ||
        d->read > READ_HIGH * (*sheet)->bandwidth.value)
        return false;
    return w->id || (*sheet)->family == w->family;
}

static bool sum_wanted(const struct shared *s, struct catalog *catalog, const struct wanted *w,
                       struct shared_sum *out)
{
    struct lab *lab = gp_calloc(LABS_MOST, sizeof(*lab));
    double squares = 0, points = 0;
    int labs = 0;

    *out = (struct shared_sum){0};
    for (size_t i = 0; i < s->count; i++) {
        const struct shared_device *d = &s->device[i];
        const struct gpu *sheet;
        int at = 0;

        if (!is_wanted(w, d, catalog, &sheet))
            continue;
        while (at < labs && strcmp(lab[at].name, d->lab) != 0)
            at++;
        if (at == LABS_MOST)
            continue;
        lab[at].name = d->lab;
        labs = at == labs ? labs + 1 : labs;
        for (int f = 0; f < SHARED_FIGURES; f++) {
            double value = figure_of(d, sheet, f);

            if (!isnan(value)) {
                lab[at].of[f] += log(value);
                lab[at].devices[f]++;
            }
        }
        for (int k = 0; k < KERNEL_COUNT; k++) {
            squares += d->kernel[k].points * d->kernel[k].rms * d->kernel[k].rms;
            points += d->kernel[k].points;
        }
        if (strcmp(d->month, out->month) > 0)
            gp_copy(out->month, sizeof(out->month), d->month);
    }
    for (int i = 0; i < labs; i++)
        for (int f = 0; f < SHARED_FIGURES; f++)
            lab[i].of[f] = lab[i].devices[f] > 0 ? lab[i].of[f] / lab[i].devices[f] : NAN;
    find_odd(lab, labs, out);
    sum_labs(lab, labs, w->id || w->processors ? BAND_KIND : BAND_COUSIN, out);
    out->rms = points > 0 ? sqrt(squares / points) : NAN;
    free(lab);
    return out->labs > 0;
}

enum calib_from shared_sums(const struct shared *s, struct catalog *catalog, const struct gpu *gpu,
                            const char *processors, struct shared_sum *out)
{
    struct wanted own = {gpu->family, gpu->id, NULL}, like = {gpu->family, NULL, NULL};
    struct wanted host = {NULL, NULL, processors};

    if (gpu->host)
        return sum_wanted(s, catalog, &host, out) ? CALIB_KIND : CALIB_NONE;
    if (sum_wanted(s, catalog, &own, out))
        return CALIB_KIND;
    if (strcmp(gpu->family->id, FAMILY_UNKNOWN) != 0 && sum_wanted(s, catalog, &like, out))
        return CALIB_FAMILY;
    return CALIB_NONE;
}

void shared_calib(const struct shared_sum *sum, enum calib_from from, const struct gpu *gpu,
                  struct calib *out)
{
    const struct shared_figure *read = &sum->figure[0], *rate = &sum->figure[1];

    memset(out, 0, sizeof(*out));
    out->from = from;
    out->labs = sum->labs;
    out->apart = sum->apart;
    out->rms = sum->rms;
    out->read = out->rate = quantity_unknown();
    gp_copy(out->date, sizeof(out->date), sum->month);
    if (read->labs > 0) {
        double value = read->value * (gpu->host ? 1 : gpu->bandwidth.value);

        out->read =
            quantity_band(value, value / exp(sum->apart), value * exp(sum->apart), ORIGIN_MEASURED);
    }
    if (rate->labs > 0)
        out->rate = quantity_band(rate->value, rate->value / exp(sum->apart),
                                  rate->value * exp(sum->apart), ORIGIN_MEASURED);
    for (int k = 0; k < KERNEL_COUNT; k++)
        if (sum->figure[2 + 2 * k].labs > 0)
            out->shared[k] =
                (struct product_share){sum->figure[2 + 2 * k].value, sum->figure[3 + 2 * k].value};
}

/* ---- as JSON ---- */

static void add_constants(const struct shared_sum *sum, const char *key, const char *id,
                          json_t *list)
{
    json_t *json = json_pack("{ssss}", "of", key, "id", id), *figures = json_array();
    char text[64];

    json_object_set_new(json, "labs", json_integer(sum->labs));
    json_object_set_new(json, "left_out", json_integer(sum->left_out));
    json_object_set_new(json, "band", gp_json_number(exp(sum->apart)));
    for (int f = 0; f < SHARED_FIGURES; f++)
        if (sum->figure[f].labs > 0)
            json_array_append_new(figures,
                                  json_pack("{sssisoso}", "figure", shared_figure_words(f, text),
                                            "labs", sum->figure[f].labs, "value",
                                            gp_json_number(sum->figure[f].value), "spread_pct",
                                            gp_json_number(100 * sum->figure[f].spread)));
    json_object_set_new(json, "figures", figures);
    json_array_append_new(list, json);
}

/* Is it the first of its kind in the list? Processors are of one kind by their name. */
static bool is_first(const struct shared *s, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(s->device[k].gpu, s->device[i].gpu) == 0 &&
            (strcmp(s->device[i].gpu, CPU) != 0 ||
             strcmp(s->device[k].name, s->device[i].name) == 0))
            return false;
    return true;
}

json_t *shared_json(const struct shared *s, struct catalog *catalog)
{
    json_t *json = json_object(), *devices = json_array(), *constants = json_array();
    const struct family *family[SHARED_DEVICES];
    size_t families = 0;
    struct shared_sum *sum = gp_malloc(sizeof(*sum));

    for (size_t i = 0; i < s->count; i++) {
        const struct gpu *gpu = NULL;
        size_t k = 0;

        json_array_append_new(devices, device_json(&s->device[i]));
        if (!is_first(s, i))
            continue;
        const struct wanted host = {NULL, NULL, s->device[i].name};
        if (strcmp(s->device[i].gpu, CPU) == 0 && sum_wanted(s, catalog, &host, sum))
            add_constants(sum, "cpu", s->device[i].name, constants);
        if (!is_known(s->device[i].gpu, catalog, &gpu))
            continue;
        const struct wanted own = {gpu->family, gpu->id, NULL};
        if (sum_wanted(s, catalog, &own, sum))
            add_constants(sum, "gpu", gpu->id, constants);
        while (k < families && family[k] != gpu->family)
            k++;
        if (k == families && strcmp(gpu->family->id, FAMILY_UNKNOWN) != 0)
            family[families++] = gpu->family;
    }
    for (size_t k = 0; k < families; k++) {
        const struct wanted like = {family[k], NULL, NULL};

        if (sum_wanted(s, catalog, &like, sum))
            add_constants(sum, "family", family[k]->id, constants);
    }
    json_object_set_new(json, "schema", json_string(SHARED_SCHEMA));
    json_object_set_new(json, "devices", devices);
    json_object_set_new(json, "constants", constants);
    free(sum);
    return json;
}

enum gp_status shared_write(const char *path, const struct benchlog *log, struct catalog *catalog,
                            struct gp_err *err)
{
    struct shared s = {0};
    struct strbuf text;
    enum gp_status rc = GP_OK;

    strbuf_init(&text);
    if (shared_take(log, catalog, &s) == 0) {
        rc = gp_fail(
            err, GP_E_NOTHING, "--share",
            "a share is of memory and products, on a quiet machine: --bench memory,batch,gemm",
            "no undisturbed point of a device that the catalogue knows");
    } else {
        json_t *json = shared_json(&s, catalog);

        gp_json_write(json, true, &text);
        json_decref(json);
        rc = path_write(path, text.text, text.len, err);
    }
    strbuf_fini(&text);
    shared_fini(&s);
    return rc;
}
