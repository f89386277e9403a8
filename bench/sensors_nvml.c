/*
 * sensors_nvml.c - see sensors_nvml.h.
 *
 * Declared after NVIDIA's NVML API reference. Every function but four is optional,
 * every value may be "not supported": it is then left out, never zero. Units are
 * NVML's: mW
 * -> W, mJ -> J, MHz, degrees Celsius. Throttle reasons were renamed to event reasons
 * in driver 535; both names are tried.
 */
#include "bench/sensors_nvml.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/method.h"
#include "util/clock.h"
#include "util/json.h"
#include "util/str.h"

#define GPM_LEAST 0.1 /* s between two samples: closer ones are invalid on Hopper */
#define CLOCK_TDP 0xffffff01u /* in place of MHz: the base clock */

enum { INSUFFICIENT_SIZE = 7, PSTATE_MAX = 15 /* 32 is "unknown" */ };
enum { INVALID = 2, NOT_SUPPORTED = 3, NO_PERMISSION = 4 };
enum { CLOCK_SM = 1, CLOCK_MEM = 2, FIELD_POWER_INSTANT = 186, FIELD_MEM_TEMP = 82 };
enum { GPM_SM = 2, GPM_TENSOR = 5, GPM_DRAM = 10, GPM_COUNT = 3, GPM_MAX = 333 };

struct nvml_gpm_metric {
    unsigned id;
    int status;
    double value;
    const char *names[3];
};

struct nvml_gpm_query {
    unsigned version, count;
    void *first, *second;
    struct nvml_gpm_metric metrics[GPM_MAX];
};

struct nvml_gpm_support {
    unsigned version, supported;
};

struct nvml_utilization {
    unsigned gpu, memory; /* % of the time */
};

struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

struct nvml_field {
    unsigned id, scope;
    int64_t timestamp, latency;
    int type, status;
    union {
        double d;
        unsigned u;
        uint64_t ull;
    } value;
};
_Static_assert(sizeof(struct nvml_field) == 40, "nvmlFieldValue_t");
_Static_assert(sizeof(struct nvml_gpm_metric) == 40, "nvmlGpmMetric_t");

/* Counters over a span of time: two samples, at its ends. */
struct gpm_span {
    void *samples[2];
    int first;    /* index of the sample at the beginning; -1 = none */
    double began; /* s, when that was taken */
    struct nvml_gpm_query query;
};

struct nvml {
    void *library, *device;
    bool shared, started, gpm;
    struct gpm_span reading, window; /* of two threads */
    json_t *counted;                 /* what the last reading's span came to; NULL */
    int (*init)(void), (*shutdown)(void);
    int (*by_pci)(const char *pci, void **device);
    int (*uuid)(void *device, char *text, unsigned size);
    int (*driver)(char *text, unsigned size);
    int (*clock)(void *device, int type, unsigned *mhz);
    int (*max_clock)(void *device, int type, unsigned *mhz);
    int (*power)(void *device, unsigned *mw);
    int (*limit)(void *device, unsigned *mw);
    int (*default_limit)(void *device, unsigned *mw);
    int (*persistence)(void *device, int *mode);
    int (*pstate)(void *device, int *state);
    int (*memory)(void *device, struct nvml_memory *memory);
    int (*energy)(void *device, unsigned long long *mj);
    int (*temperature)(void *device, int sensor, unsigned *celsius);
    int (*utilization)(void *device, struct nvml_utilization *rates);
    int (*reasons)(void *device, unsigned long long *bits);
    int (*link_gen)(void *device, unsigned *gen);
    int (*link_width)(void *device, unsigned *width);
    int (*link_gen_max)(void *device, unsigned *gen);
    int (*link_width_max)(void *device, unsigned *width);
    int (*mig)(void *device, unsigned *now, unsigned *pending);
    int (*lock)(void *device, unsigned low, unsigned high), (*unlock)(void *device);
    int (*processes)(void *device, unsigned *count, void *list);
    int (*fields)(void *device, int count, struct nvml_field *fields);
    int (*gpm_support)(void *device, struct nvml_gpm_support *support);
    int (*gpm_alloc)(void **sample), (*gpm_free)(void *sample);
    int (*gpm_get)(void *device, void *sample);
    int (*gpm_metrics)(struct nvml_gpm_query *query);
};

static const struct symbol {
    const char *name, *older;
    size_t offset;
    bool needed;
} symbols[] = {
#define AT(field) offsetof(struct nvml, field)
    {"nvmlInit_v2", NULL, AT(init), true},
    {"nvmlShutdown", NULL, AT(shutdown), true},
    {"nvmlDeviceGetHandleByPciBusId_v2", NULL, AT(by_pci), true},
    {"nvmlDeviceGetUUID", NULL, AT(uuid), true},
    {"nvmlSystemGetDriverVersion", NULL, AT(driver), false},
    {"nvmlDeviceGetClockInfo", NULL, AT(clock), false},
    {"nvmlDeviceGetMaxClockInfo", NULL, AT(max_clock), false},
    {"nvmlDeviceGetPowerUsage", NULL, AT(power), false},
    {"nvmlDeviceGetEnforcedPowerLimit", NULL, AT(limit), false},
    {"nvmlDeviceGetPowerManagementDefaultLimit", NULL, AT(default_limit), false},
    {"nvmlDeviceGetPersistenceMode", NULL, AT(persistence), false},
    {"nvmlDeviceGetPerformanceState", NULL, AT(pstate), false},
    {"nvmlDeviceGetMemoryInfo", NULL, AT(memory), false},
    {"nvmlDeviceGetTotalEnergyConsumption", NULL, AT(energy), false},
    {"nvmlDeviceGetTemperature", NULL, AT(temperature), false},
    {"nvmlDeviceGetUtilizationRates", NULL, AT(utilization), false},
    {"nvmlDeviceGetCurrentClocksEventReasons",
     "nvmlDeviceGetCurrentClocksThrottleReasons", AT(reasons), false},
    {"nvmlDeviceGetCurrPcieLinkGeneration", NULL, AT(link_gen), false},
    {"nvmlDeviceGetCurrPcieLinkWidth", NULL, AT(link_width), false},
    {"nvmlDeviceGetMaxPcieLinkGeneration", NULL, AT(link_gen_max), false},
    {"nvmlDeviceGetMaxPcieLinkWidth", NULL, AT(link_width_max), false},
    {"nvmlDeviceGetMigMode", NULL, AT(mig), false},
    {"nvmlDeviceSetGpuLockedClocks", NULL, AT(lock), false},
    {"nvmlDeviceResetGpuLockedClocks", NULL, AT(unlock), false},
    {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses",
     AT(processes), false},
    {"nvmlDeviceGetFieldValues", NULL, AT(fields), false},
    {"nvmlGpmQueryDeviceSupport", NULL, AT(gpm_support), false},
    {"nvmlGpmSampleAlloc", NULL, AT(gpm_alloc), false},
    {"nvmlGpmSampleFree", NULL, AT(gpm_free), false},
    {"nvmlGpmSampleGet", NULL, AT(gpm_get), false},
    {"nvmlGpmMetricsGet", NULL, AT(gpm_metrics), false},
};
enum { SYMBOLS = sizeof symbols / sizeof symbols[0] };

static const char *bind_all(struct nvml *nvml)
{
    for (int i = 0; i < SYMBOLS; i++) {
        void *symbol = dlsym(nvml->library, symbols[i].name);

        if (!symbol && symbols[i].older)
            symbol = dlsym(nvml->library, symbols[i].older);
        if (!symbol && symbols[i].needed)
            return symbols[i].name;
        *(void **)((char *)nvml + symbols[i].offset) = symbol;
    }
    return NULL;
}

static void gpm_start(struct nvml *nvml)
{
    struct nvml_gpm_support support = {.version = 1};

    nvml->reading.first = nvml->window.first = -1;
    if (nvml->shared || !nvml->gpm_support || !nvml->gpm_alloc || !nvml->gpm_free ||
        !nvml->gpm_get || !nvml->gpm_metrics ||
        nvml->gpm_support(nvml->device, &support) != 0 || !support.supported)
        return;
    nvml->gpm = true;
    for (int i = 0; i < 2; i++)
        nvml->gpm = nvml->gpm && nvml->gpm_alloc(&nvml->reading.samples[i]) == 0 &&
                    nvml->gpm_alloc(&nvml->window.samples[i]) == 0;
}

/* The device, or why there is none. */
static bool find(struct nvml *nvml, const char *pci, const char *uuid, char *why,
                 size_t size)
{
    char theirs[96] = "";
    int status;

    if ((status = nvml->init()) != 0) {
        snprintf(why, size, "NVML cannot be initialised (error %d)", status);
        return false;
    }
    nvml->started = true;
    if ((status = nvml->by_pci(pci, &nvml->device)) != 0) {
        snprintf(why, size, "NVML knows no device at PCI %s (error %d)", pci, status);
        return false;
    }
    if (nvml->uuid(nvml->device, theirs, sizeof theirs) == 0)
        nvml->shared = uuid[0] && strcasecmp(theirs, uuid) != 0;
    gpm_start(nvml);
    return true;
}

struct nvml *nvml_open(const char *pci, const char *uuid, char *why, size_t size)
{
    struct nvml *nvml = calloc(1, sizeof *nvml);
    const char *missing;

    if (!nvml) {
        snprintf(why, size, "out of host memory");
        return NULL;
    }
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        snprintf(why, size, "no libnvidia-ml.so.1: no sensors");
    else if ((missing = bind_all(nvml)))
        snprintf(why, size, "libnvidia-ml.so.1 lacks %s: no sensors", missing);
    else if (find(nvml, pci, uuid, why, size))
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
            nvml->gpm_free(nvml->reading.samples[i]);
        if (nvml->window.samples[i])
            nvml->gpm_free(nvml->window.samples[i]);
    }
    json_decref(nvml->counted);
    if (nvml->started)
        nvml->shutdown();
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
    unsigned count = 0;
    int status;

    if (nvml->shared || !nvml->processes)
        return 0;
    status = nvml->processes(nvml->device, &count, NULL);
    if (status != 0 && status != INSUFFICIENT_SIZE)
        return 0;
    return count > 1 ? (int)count - 1 : 0;
}

bool nvml_lock_clock(struct nvml *nvml, double mhz, char *why, size_t size)
{
    unsigned clock = mhz == LOCK_BASE ? CLOCK_TDP : (unsigned)mhz;
    int status = nvml->lock && nvml->unlock ? nvml->lock(nvml->device, clock, clock)
                                            : NOT_SUPPORTED;

    if (status == NO_PERMISSION)
        gp_copy(why, size, "that needs root");
    else if (status == NOT_SUPPORTED)
        gp_copy(why, size, "this GPU or its driver does not do that");
    else if (status == INVALID)
        gp_copy(why, size, "this GPU has no such clock");
    else if (status != 0)
        gp_format(why, size, "NVML error %d", status);
    return status == 0;
}

void nvml_unlock_clock(struct nvml *nvml)
{
    nvml->unlock(nvml->device);
}

static void put(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, gp_json_number(value));
}

static void put_numbers(struct nvml *nvml, json_t *facts)
{
    const struct {
        const char *name;
        int (*get)(void *device, unsigned *value);
        double unit;
    } numbers[] = {
        {"power_limit_w", nvml->limit, 1e-3},
        {"power_limit_default_w", nvml->default_limit, 1e-3},
        {"pcie_gen_max", nvml->link_gen_max, 1},
        {"pcie_width_max", nvml->link_width_max, 1},
    };
    unsigned value;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].get && numbers[i].get(nvml->device, &value) == 0)
            put(facts, numbers[i].name, value * numbers[i].unit);
}

json_t *nvml_facts(struct nvml *nvml)
{
    json_t *facts = json_object();
    char text[96] = "";
    unsigned value, pending;
    int mode;

    if (nvml->driver && nvml->driver(text, sizeof text) == 0)
        json_object_set_new(facts, "driver", gp_json_text(text));
    put_numbers(nvml, facts);
    if (nvml->persistence && nvml->persistence(nvml->device, &mode) == 0)
        json_object_set_new(facts, "persistence", json_boolean(mode));
    if (nvml->max_clock && nvml->max_clock(nvml->device, CLOCK_SM, &value) == 0)
        put(facts, "sm_clock_max_mhz", value);
    if (nvml->max_clock && nvml->max_clock(nvml->device, CLOCK_MEM, &value) == 0)
        put(facts, "mem_clock_max_mhz", value);
    if (nvml->mig && nvml->mig(nvml->device, &value, &pending) == 0)
        json_object_set_new(facts, "mig", json_boolean(value));
    json_object_set_new(facts, "sensors_of_whole_gpu", json_boolean(nvml->shared));
    return facts;
}

/* Field 186 is the power of this instant, without the averaging of older calls. */
static void put_power(struct nvml *nvml, json_t *out)
{
    struct nvml_field fields[2] = {{.id = FIELD_POWER_INSTANT}, {.id = FIELD_MEM_TEMP}};
    bool read = nvml->fields && nvml->fields(nvml->device, 2, fields) == 0;
    unsigned mw;

    if (read && fields[0].status == 0) {
        put(out, "power_w", fields[0].value.u / 1e3);
        json_object_set_new(out, "power_kind", json_string("instant"));
    } else if (nvml->power && nvml->power(nvml->device, &mw) == 0) {
        put(out, "power_w", mw / 1e3);
        json_object_set_new(out, "power_kind", json_string("average"));
    }
    if (read && fields[1].status == 0)
        put(out, "mem_temp_c", fields[1].value.u);
}

/* ---- the counters of Hopper and newer ---- */

static bool span_begin(struct nvml *nvml, struct gpm_span *span, int at)
{
    span->first = nvml->gpm_get(nvml->device, span->samples[at]) == 0 ? at : -1;
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
    } wanted[GPM_COUNT] = {{GPM_SM, "sm_active_pct"},
                           {GPM_TENSOR, "tensor_active_pct"},
                           {GPM_DRAM, "dram_active_pct"}};
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
    if (nvml->gpm_metrics(q) != 0)
        return NULL;
    out = json_object();
    for (int i = 0; i < GPM_COUNT; i++)
        json_object_set_new(out, wanted[i].name,
                            q->metrics[i].status == 0
                                ? gp_json_number(q->metrics[i].value)
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
    return !nvml->counted ||
           json_is_number(json_object_get(nvml->counted, "sm_active_pct"));
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
    out = json_pack("{s:n, s:n, s:n}", "sm_active_pct", "tensor_active_pct",
                    "dram_active_pct");
    counted = span_end(nvml, &nvml->window);
    json_object_foreach_safe(counted, next, name, value)
    {
        if (json_is_number(value))
            json_object_set_new(out, name,
                                json_pack("{s:O, s:n, s:n}", "mean", value, "min",
                                          "max"));
    }
    json_decref(counted);
    return out;
}

/* Another name, for it is another figure: that a kernel ran, be it on one of all
 * multiprocessors, over what the driver averages, up to a second. */
static void put_busy(struct nvml *nvml, json_t *out)
{
    struct nvml_utilization rates;

    if (!nvml->shared && nvml->utilization &&
        nvml->utilization(nvml->device, &rates) == 0)
        put(out, "gpu_busy_pct", rates.gpu);
}

json_t *nvml_counters(struct nvml *nvml)
{
    unsigned long long mj;

    return nvml->energy && nvml->energy(nvml->device, &mj) == 0
               ? json_pack("{s:f}", "energy_j", (double)mj / 1e3)
               : NULL;
}

json_t *nvml_sensors(struct nvml *nvml)
{
    static const struct {
        const char *name;
        int type;
    } clocks[] = {{"sm_clock_mhz", CLOCK_SM}, {"mem_clock_mhz", CLOCK_MEM}};
    json_t *out = json_object();
    struct nvml_memory memory;
    unsigned long long wide;
    unsigned value;
    int state;

    if (nvml->memory && !nvml->shared && nvml->memory(nvml->device, &memory) == 0)
        put(out, "memory_used", (double)memory.used);
    if (nvml->temperature && nvml->temperature(nvml->device, 0, &value) == 0)
        put(out, "temp_c", value);
    for (int i = 0; i < 2; i++)
        if (nvml->clock && nvml->clock(nvml->device, clocks[i].type, &value) == 0)
            put(out, clocks[i].name, value);
    if (nvml->pstate && nvml->pstate(nvml->device, &state) == 0 && state <= PSTATE_MAX)
        put(out, "pstate", state);
    if (nvml->reasons && nvml->reasons(nvml->device, &wide) == 0)
        json_object_set_new(out, "throttle_bits", json_integer((json_int_t)wide));
    if (nvml->link_gen && nvml->link_gen(nvml->device, &value) == 0)
        put(out, "pcie_gen", value);
    if (nvml->link_width && nvml->link_width(nvml->device, &value) == 0)
        put(out, "pcie_width", value);
    put_power(nvml, out);
    if (!put_gpm(nvml, out))
        put_busy(nvml, out);
    if (json_object_size(out) > 0)
        return out;
    json_decref(out);
    return NULL;
}
