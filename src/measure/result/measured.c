/* measured.c - see measured.h. */
#include "measure/result/measured.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

#define SCATTERED 0.25 /* the weight of a point that scattered */

static const struct {
    enum bench_type type;
    enum kernel kernel;
} kernels[] = {
    {TYPE_FP32, KERNEL_32},         {TYPE_FP16, KERNEL_16},   {TYPE_BF16, KERNEL_16},
    {TYPE_INT8, KERNEL_INT8},       {TYPE_FP8, KERNEL_FP8},   {TYPE_FP8_BLOCK, KERNEL_FP8_BLOCK},
    {TYPE_MXFP8, KERNEL_FP8_BLOCK}, {TYPE_NVFP4, KERNEL_FP4},
};

static bool is_processors(const struct benchlog *log, int device)
{
    return strcmp(benchlog_device_text(log, device, "kind"), "cpu") == 0;
}

const char *measured_profile(const struct benchlog *log, int device)
{
    return is_processors(log, device) ? "cpu" : benchlog_device_text(log, device, "profile");
}

/* How much a point counts; 0 = it was disturbed. */
static double weight_of(const struct point_result *p)
{
    double weight = 1;

    for (size_t i = 0; i < json_array_size(p->flags); i++) {
        const char *flag = json_string_value(json_array_get(p->flags, i));

        if (strcmp(flag, "unconverged") == 0 || strcmp(flag, "drift") == 0) /* the times vary */
            weight = SCATTERED;
        else if (line_flag_disturbs(flag))
            return 0;
    }
    return weight;
}

static bool is_figure(const struct point_result *p)
{
    return p->state == POINT_OK && !result_wrong(p) && p->median > 0 && result_is_main(p->variant);
}

static bool is_product(const struct point_result *p)
{
    return bench_test_is(p->test, TEST_IS_PRODUCT) && p->m > 0 && p->n > 0 && p->k > 0 && !p->hot &&
           p->groups <= 1; /* engines have kernels of their own for experts */
}

static bool is_read(const struct point_result *p)
{
    return p->kind == KIND_READ && !p->hot && p->bytes > 0;
}

bool measured_kernel(enum bench_type type, enum kernel *kernel)
{
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
        if (kernels[i].type == type) {
            *kernel = kernels[i].kernel;
            return true;
        }
    return false;
}

double measured_bytes(enum bench_type type)
{
    return bench_type_bytes(type) + type_rows[type].scale[0];
}

/* Both tests are of cold weights; what the last cache holds is of no use. */
static bool is_hot(const struct point_result *p)
{
    return strcmp(result_param_text(p, "cache"), bench_cache_word(CACHE_HOT)) == 0;
}

static void add_point(const struct point_result *p, double weight, struct calib *out)
{
    enum kernel kernel;
    double launch = result_param(p, "node_floor_s");

    if (out->points == CALIB_POINTS || !measured_kernel(p->type, &kernel))
        return;
    out->point[out->points++] = (struct calib_point){
        .kernel = kernel,
        .rows = p->m,
        .cols = p->k,
        .tokens = p->n,
        .bytes = measured_bytes(p->type),
        .time = p->median - (launch < p->median / 2 ? launch : 0),
        .weight = weight,
    };
    out->node = launch > 0 && (out->node <= 0 || launch < out->node) ? launch : out->node;
}

/* The better of two rates. */
static void take_rate(const struct point_result *p, double rate, double weight,
                      struct quantity *best)
{
    double low = weight < 1 && p->max > 0 ? rate * p->median / p->max : rate * p->median / p->high;
    double high = weight < 1 && p->min > 0 ? rate * p->median / p->min : rate * p->median / p->low;

    if (!best->known || rate > best->value)
        *best = quantity_band(rate, low, high, ORIGIN_MEASURED);
}

static bool is_reduce(const struct point_result *p)
{
    return p->test == TEST_ALLREDUCE && p->size >= CALIB_REDUCE_LEAST &&
           result_param(p, "gpus") >= 2;
}

static bool is_peer(const struct point_result *p)
{
    return p->kind == KIND_PEER && p->size >= CALIB_REDUCE_LEAST && p->bytes > 0;
}

/* Messages that the link decides. Of copies the slowest pair: a pipeline waits for it. */
static bool take_link(const struct point_result *p, struct calib *out)
{
    if (is_peer(p))
        out->peer = out->peer > 0 ? fmin(out->peer, p->bytes) : p->bytes;
    else if (is_reduce(p) && out->reduces < CALIB_REDUCES)
        out->reduce[out->reduces++] = (struct calib_reduce){
            .gpus = (int)result_param(p, "gpus"), .bytes = p->size, .time = p->median};
    else
        return false;
    return true;
}

/* Of processors no product here is an engine's: FP32 of several tokens says how fast they compute,
 * and the others nothing. */
static bool take_point(const struct point_result *p, bool host, double weight, struct calib *out)
{
    if (is_read(p))
        take_rate(p, p->bytes, weight, &out->read);
    else if (take_link(p, out))
        return true;
    else if (!is_product(p) || is_hot(p))
        return false;
    else if (!host)
        add_point(p, weight, out);
    else if (p->type == TYPE_FP32 && p->n > 1)
        take_rate(p, p->ops, weight, &out->rate);
    else
        return false;
    return true;
}

bool measured_take(const struct benchlog *log, int device, struct calib *out)
{
    bool host = is_processors(log, device);
    int used = 0;

    memset(out, 0, sizeof(*out));
    out->read = out->rate = quantity_unknown();
    out->rms = NAN;
    gp_format(out->date, sizeof(out->date), "%.10s", log->started);
    gp_copy(out->host, sizeof(out->host), log->device[device].host);
    gp_copy(out->device, sizeof(out->device), log->device[device].name);
    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];
        double weight;

        if (p->device != device || !is_figure(p))
            continue;
        if ((weight = weight_of(p)) <= 0)
            out->ignored++;
        else if (take_point(p, host, weight, out)) {
            used++;
            out->scattered += weight < 1;
        }
    }
    return used > 0;
}

/* ---- to keep ---- */

static bool is_kept(const struct point_result *p)
{
    return is_figure(p) && weight_of(p) > 0 &&
           (is_read(p) || is_reduce(p) || is_peer(p) || (is_product(p) && !is_hot(p)));
}

static bool has_point(const json_t *points, const struct point_result *p)
{
    size_t i;
    const json_t *one;

    json_array_foreach((json_t *)points, i, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));

        if (id && strcmp(id, p->id) == 0)
            return true;
    }
    return false;
}

static json_t *slim_point(const struct point_result *p)
{
    static const char *const drop[] = {"sensors",   "algo",      "passes", "first_s",
                                       "latency_s", "predicted", "check"};
    json_t *json = json_deep_copy(p->json);

    for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
        json_object_del(json, drop[i]);
    json_object_del(json_object_get(json, "time_s"), "samples");
    json_object_set_new(json, "device", json_integer(0));
    return json;
}

static void add_kept(const struct benchlog *log, int device, json_t *points)
{
    for (int i = 0; i < log->count && json_array_size(points) < CALIB_POINTS; i++) {
        const struct point_result *p = &log->point[i];

        if (p->device == device && is_kept(p) && !has_point(points, p))
            json_array_append_new(points, slim_point(p));
    }
}

/* The document without its points, of one device. */
static json_t *slim_file(const struct benchlog *log, int device)
{
    static const char *const keep[] = {"schema",  "method_version", "status",   "run_id",
                                       "started", "host",           "software", "settings"};
    json_t *json = json_object(), *devices = json_array();
    json_t *one =
        json_deep_copy(json_array_get(json_object_get(log->json, "devices"), (size_t)device));

    for (size_t i = 0; i < sizeof(keep) / sizeof(keep[0]); i++) {
        json_t *value = json_object_get(log->json, keep[i]);

        if (value)
            json_object_set(json, keep[i], value);
    }
    json_object_set_new(one, "id", json_integer(0));
    json_array_append_new(devices, one);
    json_object_set_new(json, "devices", devices);
    return json;
}

json_t *measured_slim(const struct benchlog *log, int device, const struct benchlog *old)
{
    json_t *points = json_array();

    add_kept(log, device, points);
    if (json_array_size(points) == 0) {
        json_decref(points);
        return NULL;
    }
    if (old && old->device_count == 1)
        add_kept(old, 0, points);
    json_t *json = slim_file(log, device);
    json_object_set_new(json, "points", points);
    return json;
}
