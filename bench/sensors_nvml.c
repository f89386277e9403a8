/* sensors_nvml.c - see sensors_nvml.h. What is "not supported" is left out, never zero. */
#include "bench/sensors_nvml.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "measure/point/method.h"
#include "probe/nvml.h"

#define GPM_LEAST 0.1 /* s between two samples: closer ones are invalid on Hopper */

enum { PSTATE_MAX = 15 /* 32 is "unknown" */, GPM_COUNT = 3 };

/* Counters over a span of time: two samples, at its ends. */
struct gpm_span {
    void *samples[2];
    int first;    /* index of the sample at the beginning; -1 = none */
    double began; /* s, when that was taken */
    struct nvml_gpm_query query;
};

struct nvml {
    struct nvml_api api;
    void *library;
    struct nvml_device *device;
    bool shared, started, gpm;
    struct gpm_span reading, window; /* of two threads */
    json_t *counted;                 /* what the last reading's span came to; NULL */
};

static void gpm_start(struct nvml *nvml)
{
    struct nvml_gpm_support support = {.version = 1};

    nvml->reading.first = nvml->window.first = -1;
    if (nvml->shared || !nvml->api.gpm_support || !nvml->api.gpm_alloc || !nvml->api.gpm_free ||
        !nvml->api.gpm_get || !nvml->api.gpm_metrics ||
        nvml->api.gpm_support(nvml->device, &support) != 0 || !support.supported)
        return;
    nvml->gpm = true;
    for (int i = 0; i < 2; i++)
        nvml->gpm = nvml->gpm && nvml->api.gpm_alloc(&nvml->reading.samples[i]) == 0 &&
                    nvml->api.gpm_alloc(&nvml->window.samples[i]) == 0;
}

/* The device, or why there is none. */
static bool nvml_find_device(struct nvml *nvml, const char *pci, const char *uuid, char *why,
                             size_t size)
{
    char theirs[96] = "";
    int status;

    if ((status = nvml->api.init()) != 0) {
        gp_format(why, size, "NVML cannot be initialised (error %d)", status);
        return false;
    }
    nvml->started = true;
    if ((status = nvml->api.by_pci(pci, &nvml->device)) != 0) {
        gp_format(why, size, "NVML knows no device at PCI %s (error %d)", pci, status);
        return false;
    }
    if (nvml->api.uuid(nvml->device, theirs, sizeof theirs) == 0)
        nvml->shared = uuid[0] && strcasecmp(theirs, uuid) != 0;
    gpm_start(nvml);
    return true;
}

struct nvml *nvml_open(const char *pci, const char *uuid, char *why, size_t size)
{
    struct nvml *nvml = gp_calloc(1, sizeof *nvml);
    const char *missing;

    nvml->library = dlopen(NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        gp_copy(why, size, "no " NVML_LIBRARY ": no sensors");
    else if ((missing = nvml_bind(&nvml->api, nvml->library, NVML_FOR_SENSORS)))
        gp_format(why, size, NVML_LIBRARY " lacks %s: no sensors", missing);
    else if (nvml_find_device(nvml, pci, uuid, why, size))
        return nvml;
    nvml_close(nvml);
    return NULL;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    for (int i = 0; i < 2; i++) {
        if (nvml->reading.samples[i])
            nvml->api.gpm_free(nvml->reading.samples[i]);
        if (nvml->window.samples[i])
            nvml->api.gpm_free(nvml->window.samples[i]);
    }
    json_decref(nvml->counted);
    if (nvml->started)
        nvml->api.shutdown();
    if (nvml->library)
        dlclose(nvml->library);
    free(nvml);
}

bool nvml_shared(const struct nvml *nvml)
{
    return nvml->shared;
}

/* Only their number is asked for: what a list holds differs between versions. Which of
 * them is this one cannot be told in a container, where numbers of processes differ. */
int nvml_others(struct nvml *nvml)
{
    int count = nvml->shared ? 0 : nvml_process_count(&nvml->api, nvml->device);

    return count > 1 ? count - 1 : 0;
}

bool nvml_lock_clock(struct nvml *nvml, double mhz, char *why, size_t size)
{
    unsigned clock = mhz == LOCK_BASE ? NVML_CLOCK_TDP : (unsigned)mhz;
    int status = nvml->api.lock && nvml->api.unlock ? nvml->api.lock(nvml->device, clock, clock)
                                                    : NVML_ERROR_NOT_SUPPORTED;

    if (status == NVML_ERROR_NO_PERMISSION)
        gp_copy(why, size, "that needs root");
    else if (status == NVML_ERROR_NOT_SUPPORTED)
        gp_copy(why, size, "this GPU or its driver does not do that");
    else if (status == NVML_ERROR_INVALID_ARGUMENT)
        gp_copy(why, size, "this GPU has no such clock");
    else if (status != 0)
        gp_format(why, size, "NVML error %d", status);
    return status == 0;
}

void nvml_unlock_clock(struct nvml *nvml)
{
    nvml->api.unlock(nvml->device);
}

static void nvml_put(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, gp_json_number(value));
}

static void put_number(struct nvml *nvml, json_t *out, const char *name,
                       int (*get)(struct nvml_device *, unsigned *), double unit)
{
    unsigned value;

    if (get && get(nvml->device, &value) == NVML_SUCCESS)
        nvml_put(out, name, value * unit);
}

/* One of several of its kind: a clock, a place that is hot. */
static void put_one_of(struct nvml *nvml, json_t *out, const char *name,
                       int (*get)(struct nvml_device *, int, unsigned *), int which)
{
    unsigned value;

    if (get && get(nvml->device, which, &value) == NVML_SUCCESS)
        nvml_put(out, name, value);
}

json_t *nvml_facts(struct nvml *nvml)
{
    const struct nvml_api *api = &nvml->api;
    json_t *facts = json_object();
    char text[96] = "";
    unsigned on, pending;
    int mode;

    if (api->driver && api->driver(text, sizeof text) == NVML_SUCCESS)
        json_object_set_new(facts, "driver", gp_json_text(text));
    put_number(nvml, facts, "power_limit_w", api->power_limit, 1e-3);
    put_number(nvml, facts, "power_limit_default_w", api->default_limit, 1e-3);
    put_number(nvml, facts, "pcie_gen_max", api->max_link_gen, 1);
    put_number(nvml, facts, "pcie_width_max", api->max_link_width, 1);
    if (api->persistence && api->persistence(nvml->device, &mode) == NVML_SUCCESS)
        json_object_set_new(facts, "persistence", json_boolean(mode));
    put_one_of(nvml, facts, "sm_clock_max_mhz", api->max_clock, NVML_CLOCK_SM);
    put_one_of(nvml, facts, "mem_clock_max_mhz", api->max_clock, NVML_CLOCK_MEMORY);
    if (api->mig_mode && api->mig_mode(nvml->device, &on, &pending) == NVML_SUCCESS)
        json_object_set_new(facts, "mig", json_boolean(on));
    json_object_set_new(facts, "sensors_of_whole_gpu", json_boolean(nvml->shared));
    return facts;
}

/* The field is the power of this instant, without the averaging of older calls. */
static void put_power(struct nvml *nvml, json_t *out)
{
    struct nvml_field fields[2] = {{.id = NVML_FIELD_POWER_INSTANT},
                                   {.id = NVML_FIELD_MEMORY_TEMP}};
    bool read = nvml->api.fields && nvml->api.fields(nvml->device, 2, fields) == 0;
    unsigned mw;

    if (read && fields[0].status == 0) {
        nvml_put(out, "power_w", fields[0].value.u / 1e3);
        json_object_set_new(out, "power_kind", json_string("instant"));
    } else if (nvml->api.power && nvml->api.power(nvml->device, &mw) == 0) {
        nvml_put(out, "power_w", mw / 1e3);
        json_object_set_new(out, "power_kind", json_string("average"));
    }
    if (read && fields[1].status == 0)
        nvml_put(out, "mem_temp_c", fields[1].value.u);
}

/* ---- the counters of Hopper and newer ---- */

static bool span_begin(struct nvml *nvml, struct gpm_span *span, int at)
{
    span->first = nvml->api.gpm_get(nvml->device, span->samples[at]) == 0 ? at : -1;
    span->began = clock_now(); /* not before the sample: a span is no shorter than it says */
    return span->first >= 0;
}

/* From the beginning until now, where the next span begins: a value by each name, null
 * where it is not told, or NULL. */
static json_t *span_end(struct nvml *nvml, struct gpm_span *span)
{
    static const struct {
        unsigned id;
        const char *name;
    } wanted[GPM_COUNT] = {{NVML_GPM_SM, "sm_active_pct"},
                           {NVML_GPM_TENSOR, "tensor_active_pct"},
                           {NVML_GPM_DRAM, "dram_active_pct"}};
    struct nvml_gpm_query *q = &span->query;
    int first = span->first;
    bool far = first >= 0 && clock_now() - span->began >= GPM_LEAST;
    json_t *out;

    if (!far || !span_begin(nvml, span, !first))
        return NULL;
    q->version = 1;
    q->count = GPM_COUNT;
    q->first = span->samples[first];
    q->second = span->samples[!first];
    for (int i = 0; i < GPM_COUNT; i++)
        q->metrics[i] = (struct nvml_gpm_metric){.id = wanted[i].id};
    if (nvml->api.gpm_metrics(q) != 0)
        return NULL;
    out = json_object();
    for (int i = 0; i < GPM_COUNT; i++)
        json_object_set_new(out, wanted[i].name,
                            q->metrics[i].status == 0 ? gp_json_number(q->metrics[i].value)
                                                      : json_null());
    return out;
}

/* Readings come more often than samples may: some say again what the last span was.
 * False where the counters do not answer. */
static bool put_gpm(struct nvml *nvml, json_t *out)
{
    json_t *counted;

    if (!nvml->gpm)
        return false;
    if (nvml->reading.first < 0)
        return span_begin(nvml, &nvml->reading, 0);
    if ((counted = span_end(nvml, &nvml->reading))) {
        json_decref(nvml->counted);
        nvml->counted = counted;
    }
    json_object_update(out, nvml->counted);
    return !nvml->counted || json_is_number(json_object_get(nvml->counted, "sm_active_pct"));
}

void nvml_window_begin(struct nvml *nvml)
{
    if (nvml->gpm)
        span_begin(nvml, &nvml->window, 0);
}

json_t *nvml_window_means(struct nvml *nvml)
{
    json_t *out, *value, *counted;
    const char *name;
    void *next;

    if (!nvml->gpm)
        return NULL;
    out = json_pack("{s:n, s:n, s:n}", "sm_active_pct", "tensor_active_pct", "dram_active_pct");
    counted = span_end(nvml, &nvml->window);
    json_object_foreach_safe(counted, next, name, value)
    {
        if (json_is_number(value))
            json_object_set_new(out, name,
                                json_pack("{s:O, s:n, s:n}", "mean", value, "min", "max"));
    }
    json_decref(counted);
    return out;
}

/* Another name, for it is another figure: that a kernel ran, be it on one of all
 * multiprocessors, over what the driver averages, up to a second. */
static void put_busy(struct nvml *nvml, json_t *out)
{
    struct nvml_busy rates;

    if (!nvml->shared && nvml->api.busy && nvml->api.busy(nvml->device, &rates) == 0)
        nvml_put(out, "gpu_busy_pct", rates.gpu);
}

json_t *nvml_counters(struct nvml *nvml)
{
    unsigned long long mj;

    return nvml->api.energy && nvml->api.energy(nvml->device, &mj) == 0
               ? json_pack("{s:f}", "energy_j", (double)mj / 1e3)
               : NULL;
}

json_t *nvml_sensors(struct nvml *nvml)
{
    const struct nvml_api *api = &nvml->api;
    json_t *out = json_object();
    struct nvml_memory memory;
    unsigned long long bits;
    int state;

    if (api->memory && !nvml->shared && api->memory(nvml->device, &memory) == NVML_SUCCESS)
        nvml_put(out, "memory_used", (double)memory.used);
    put_one_of(nvml, out, "temp_c", api->temperature, 0);
    put_one_of(nvml, out, "sm_clock_mhz", api->clock, NVML_CLOCK_SM);
    put_one_of(nvml, out, "mem_clock_mhz", api->clock, NVML_CLOCK_MEMORY);
    if (api->pstate && api->pstate(nvml->device, &state) == NVML_SUCCESS && state <= PSTATE_MAX)
        nvml_put(out, "pstate", state);
    if (nvml_reasons(api, nvml->device, &bits) == NVML_SUCCESS)
        json_object_set_new(out, "throttle_bits", json_integer((json_int_t)bits));
    put_number(nvml, out, "pcie_gen", api->link_gen, 1);
    put_number(nvml, out, "pcie_width", api->link_width, 1);
    put_power(nvml, out);
    if (!put_gpm(nvml, out))
        put_busy(nvml, out);
    if (json_object_size(out) > 0)
        return out;
    json_decref(out);
    return NULL;
}
