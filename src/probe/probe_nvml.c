/*
 * probe_nvml.c - NVIDIA GPUs, asked of the driver's own library.
 *
 * The library comes with the driver and is opened when it is there, so that the program
 * neither needs nor links it. Once open it stays so until probe_nvml_close(), because
 * to start it can take a second where no other program keeps the GPU awake.
 *
 * Most functions are optional, and every value may be "not supported": then it stays
 * unknown, never 0. One GPU takes about twenty calls of some microseconds.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "probe/nvml.h"
#include "probe/probe_backend.h"

struct nvml {
    struct nvml_api api;
    void *library;
    char version[80]; /* of the driver */
};

static const struct {
    int code;
    const char *text;
} error_words[] = {
    {1, "not initialised"},
    {3, "not supported"},
    {4, "no permission"},
    {6, "not found"},
    {7, "too long"},
    {8, "not enough power: is the power cable in?"},
    {9, "the kernel module is not loaded"},
    {10, "timed out"},
    {11, "a problem with its interrupts"},
    {12, "a part of the driver cannot be found"},
    {13, "a function is missing"},
    {14, "its inforom is corrupted"},
    {15, "the GPU is lost: it fell off the bus"},
    {16, "the GPU must be reset"},
    {17, "blocked by the operating system"},
    {18, "kernel module and library are of different versions"},
    {19, "in use"},
    {20, "out of memory"},
};

static const char *error_word(int code)
{
    for (size_t i = 0; i < sizeof(error_words) / sizeof(error_words[0]); i++)
        if (error_words[i].code == code)
            return error_words[i].text;
    return "an error of the driver";
}

/* ---- opening ---- */

/* What the driver wrote, made safe to print: always terminated. */
static void make_safe(char *text, size_t size)
{
    text[size - 1] = '\0';
    gp_sanitize(text);
}

/* NULL, with the reason in list, where it cannot be used. */
static struct nvml *nvml_new(struct probe_list *list)
{
    const char *path = secure_getenv("GPUPLAN_NVML"), *why;
    struct nvml *nvml = gp_calloc(1, sizeof(*nvml));

    nvml->library = dlopen(path && *path ? path : NVML_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!nvml->library) {
        why = dlerror();
        gp_format(list->nvml_reason, sizeof(list->nvml_reason), "no NVIDIA driver library (%s)",
                  why ? why : NVML_LIBRARY);
        gp_copy(list->hint, sizeof(list->hint), "name a GPU with --gpu");
        free(nvml);
        return NULL;
    }
    const char *missing = nvml_bind(&nvml->api, nvml->library, NVML_FOR_PROBE);
    int code = missing ? 0 : nvml->api.init();
    if (missing || code != NVML_SUCCESS) {
        if (missing)
            gp_format(list->nvml_reason, sizeof(list->nvml_reason),
                      "the NVIDIA driver is too old: it has no %s", missing);
        else
            gp_format(list->nvml_reason, sizeof(list->nvml_reason),
                      "the NVIDIA driver does not start: %s (NVML error %d)", error_word(code),
                      code);
        gp_copy(list->hint, sizeof(list->hint),
                missing ? "update the driver, or name a GPU with --gpu"
                        : "see what nvidia-smi says, or name a GPU with --gpu");
        list->broken = code != NVML_ERROR_DRIVER_NOT_LOADED;
        dlclose(nvml->library);
        free(nvml);
        return NULL;
    }
    if (!nvml->api.driver || nvml->api.driver(nvml->version, sizeof(nvml->version)) != NVML_SUCCESS)
        nvml->version[0] = '\0';
    make_safe(nvml->version, sizeof(nvml->version));
    return nvml;
}

/* ---- one device ---- */

static void note_failure(struct device *d, const char *what, int code)
{
    gp_format(d->error, sizeof(d->error), "%s: %s (NVML error %d)", what, error_word(code), code);
}

static struct quantity nvml_quantity(unsigned long long bytes)
{
    return quantity_of((double)bytes, ORIGIN_MEASURED);
}

static void ask_memory(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    struct nvml_memory m = {0, 0, 0};
    struct nvml_memory_v2 m2 = {.version = sizeof(m2) | 2u << 24};
    int code = nvml->api.memory(handle, &m);

    if (code != NVML_SUCCESS) {
        note_failure(d, "its memory cannot be read", code);
        return;
    }
    d->memory_total = nvml_quantity(m.total);
    d->memory_free = nvml_quantity(m.free);
    if (m.free <= m.total) /* `used` has left the driver's share out in some versions */
        d->memory_used = nvml_quantity(m.total - m.free);
    if (nvml->api.memory_v2 && nvml->api.memory_v2(handle, &m2) == NVML_SUCCESS)
        d->memory_reserved = nvml_quantity(m2.reserved);
}

static void ask_texts(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    int code = nvml->api.name(handle, d->name, sizeof(d->name));

    make_safe(d->name, sizeof(d->name));
    if (code != NVML_SUCCESS) {
        d->name[0] = '\0';
        note_failure(d, "its name cannot be read", code);
    }
    if (!nvml->api.uuid || nvml->api.uuid(handle, d->uuid, sizeof(d->uuid)) != NVML_SUCCESS)
        d->uuid[0] = '\0';
    make_safe(d->uuid, sizeof(d->uuid));
    gp_copy(d->driver, sizeof(d->driver), nvml->version);
}

/* ---- what it does now ---- */

typedef int (*number_fn)(struct nvml_device *device, unsigned *value);

static struct quantity number_of(number_fn ask, struct nvml_device *handle, double unit)
{
    unsigned value = 0;

    if (!ask || ask(handle, &value) != NVML_SUCCESS)
        return quantity_unknown();
    return quantity_of(value * unit, ORIGIN_MEASURED);
}

static struct quantity clock_of(int (*ask)(struct nvml_device *, int, unsigned *),
                                struct nvml_device *handle, int type)
{
    unsigned mhz = 0;

    if (!ask || ask(handle, type, &mhz) != NVML_SUCCESS)
        return quantity_unknown();
    return quantity_of(mhz * 1e6, ORIGIN_MEASURED);
}

static int nvml_whole(number_fn ask, struct nvml_device *handle)
{
    unsigned value = 0;

    return ask && ask(handle, &value) == NVML_SUCCESS && value < 1000 ? (int)value : 0;
}

/* NVML's clocks event reasons; what was named first says it. */
static void ask_throttle(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    static const struct {
        unsigned long long bits;
        const char *word;
    } words[] = {
        {0x08 | 0x80, "hardware"}, {0x20 | 0x40, "thermal"}, {0x04, "power cap"},
        {0x02, "clock setting"},   {0x10, "sync boost"},     {0x01, "idle"},
    };
    unsigned long long bits = 0;
    const char *word = "none";

    if (nvml_reasons(&nvml->api, handle, &bits) != NVML_SUCCESS)
        return;
    for (size_t i = sizeof(words) / sizeof(words[0]); i-- > 0;)
        if (bits & words[i].bits)
            word = words[i].word;
    gp_copy(d->throttle, sizeof(d->throttle), word);
}

static void ask_links(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    int code = nvml->api.link_state ? NVML_SUCCESS : -1;
    unsigned active = 0;

    d->pcie.gen = nvml_whole(nvml->api.link_gen, handle);
    d->pcie.width = nvml_whole(nvml->api.link_width, handle);
    d->pcie.gen_max = nvml_whole(nvml->api.max_link_gen, handle);
    d->pcie.width_max = nvml_whole(nvml->api.max_link_width, handle);
    for (unsigned i = 0; i < NVML_LINKS && code == NVML_SUCCESS; i++) {
        code = nvml->api.link_state(handle, i, &active);
        if (code == NVML_SUCCESS && i == 0)
            d->links = d->links_active = 0;
        if (code == NVML_SUCCESS) {
            d->links++;
            d->links_active += active != 0;
        }
    }
    if (code == NVML_ERROR_NOT_SUPPORTED && d->links < 0)
        d->links = d->links_active = 0;
}

/* Errors that could not be corrected, since the driver was loaded; other GPUs that this one
 * reads directly. */
static void ask_health(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    unsigned now = 0, pending = 0, count = 0;
    unsigned long long errors = 0;
    struct nvml_device *other;
    int status = 0;

    if (nvml->api.ecc_mode && nvml->api.ecc_mode(handle, &now, &pending) == NVML_SUCCESS)
        d->ecc = now != 0;
    if (nvml->api.ecc_errors && nvml->api.ecc_errors(handle, 1, 0, &errors) == NVML_SUCCESS)
        d->ecc_errors = quantity_of((double)errors, ORIGIN_MEASURED);
    if (!nvml->api.peer || nvml->api.count(&count) != NVML_SUCCESS)
        return;
    d->peers = d->peers_lost = 0;
    for (unsigned i = 0; i < count && i < PROBE_MAX; i++) {
        if (nvml->api.by_index(i, &other) != NVML_SUCCESS || other == handle)
            continue;
        d->peers++;
        d->peers_lost += nvml->api.peer(handle, other, 0, &status) == NVML_SUCCESS && status != 0;
    }
}

static void ask_live(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    struct nvml_busy busy = {0, 0};
    unsigned celsius = 0;

    d->power = number_of(nvml->api.power, handle, 1e-3);
    d->power_limit = number_of(nvml->api.power_limit, handle, 1e-3);
    d->clock = clock_of(nvml->api.clock, handle, NVML_CLOCK_SM);
    d->clock_max = clock_of(nvml->api.max_clock, handle, NVML_CLOCK_SM);
    d->memory_clock = clock_of(nvml->api.clock, handle, NVML_CLOCK_MEMORY);
    if (nvml->api.temperature && nvml->api.temperature(handle, 0, &celsius) == NVML_SUCCESS)
        d->temperature = quantity_of(celsius, ORIGIN_MEASURED);
    if (nvml->api.busy && nvml->api.busy(handle, &busy) == NVML_SUCCESS) {
        d->busy = quantity_of(busy.gpu / 100.0, ORIGIN_MEASURED);
        d->memory_busy = quantity_of(busy.memory / 100.0, ORIGIN_MEASURED);
    }
    ask_throttle(nvml, handle, d);
    ask_links(nvml, handle, d);
    ask_health(nvml, handle, d);
}

/* ---- processes ---- */

/* Its program's name is "" when it cannot be seen. */
static void add_process(struct device *d, unsigned pid, unsigned long long memory)
{
    struct device_process *p = &d->process[d->listed++];
    char text[64];

    p->pid = (long)pid;
    p->memory = memory == ~0ull ? quantity_unknown() : quantity_of((double)memory, ORIGIN_MEASURED);
    sys_line(text, sizeof(text), "%s/%u/comm", probe_proc(), pid);
    gp_sanitize(text);
    gp_copy(p->name, sizeof(p->name), text);
}

/* More than there is room for, or one more since they were counted: only their number is told. */
static void ask_processes(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    union {
        struct nvml_process_v1 v1[PROBE_PROCESSES];
        struct nvml_process v2[PROBE_PROCESSES];
    } list;
    unsigned count = PROBE_PROCESSES;
    bool old = !nvml->api.processes_v3 && !nvml->api.processes_v2;

    d->processes = nvml_process_count(&nvml->api, handle);
    if (d->processes <= 0 || nvml_processes(&nvml->api, handle, &count, &list) != NVML_SUCCESS ||
        count > PROBE_PROCESSES)
        return;
    for (unsigned i = 0; i < count; i++)
        if (old)
            add_process(d, list.v1[i].pid, list.v1[i].memory);
        else
            add_process(d, list.v2[i].pid, list.v2[i].memory);
}

/* ---- the whole device ---- */

static void ask_device(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    struct nvml_pci pci;
    unsigned current = 0, pending = 0;
    int code = nvml->api.mig_mode ? nvml->api.mig_mode(handle, &current, &pending) : -1;

    ask_texts(nvml, handle, d);
    memset(&pci, 0, sizeof(pci));
    d->vendor_id = PCI_NVIDIA;
    if (nvml->api.pci && nvml->api.pci(handle, &pci) == NVML_SUCCESS) {
        d->vendor_id = pci.pci_device_id & 0xffff;
        d->device_id = pci.pci_device_id >> 16;
        gp_format(d->bus_id, sizeof(d->bus_id), "%04x:%02x:%02x.0", pci.domain, pci.bus,
                  pci.device);
    }
    if (code == NVML_SUCCESS)
        d->mig = current ? DEVICE_MIG_ON : DEVICE_MIG_OFF;
    else if (code == NVML_ERROR_NOT_SUPPORTED)
        d->mig = DEVICE_MIG_NONE;
    ask_live(nvml, handle, d);
    if (d->mig == DEVICE_MIG_ON)
        return; /* its memory is its instances', which may be all that we may see */
    ask_memory(nvml, handle, d);
    ask_processes(nvml, handle, d);
}

/* ---- MIG: the instances stand in the list for the GPU they are cut from ---- */

/* "NVIDIA A100-SXM4-40GB MIG 1g.5gb" */
static void take_slice(struct device *d)
{
    const char *at = strstr(d->name, " MIG ");

    if (!at || !at[5] || !gp_copy(d->slice, sizeof(d->slice), at + 5)) {
        gp_copy(d->slice, sizeof(d->slice), "unknown");
        if (!d->error[0])
            gp_copy(d->error, sizeof(d->error), "its name does not state its MIG profile");
    }
}

static void ask_instances(const struct nvml *nvml, struct nvml_device *handle,
                          struct probe_list *list)
{
    const struct device whole = list->out[list->count - 1];
    size_t first = list->count - 1;
    unsigned count = 0;

    if (nvml->api.mig_count && nvml->api.mig_handle)
        nvml->api.mig_count(handle, &count);
    for (unsigned i = 0; i < count && i < PROBE_MAX; i++) {
        struct nvml_device *instance = NULL;

        if (nvml->api.mig_handle(handle, i, &instance) != NVML_SUCCESS)
            continue;
        if (list->count > first && !list->out[first].slice[0])
            list->count = first; /* the first instance takes the place of the GPU */
        struct device *d = probe_add(list, whole.backend, whole.index);
        if (!d)
            return;
        ask_texts(nvml, instance, d);
        gp_copy(d->bus_id, sizeof(d->bus_id), whole.bus_id);
        d->vendor_id = whole.vendor_id;
        d->device_id = whole.device_id;
        d->mig = DEVICE_MIG_ON;
        d->pcie = whole.pcie;
        ask_memory(nvml, instance, d);
        ask_processes(nvml, instance, d);
        take_slice(d);
    }
    if (!list->out[first].slice[0])
        gp_copy(list->out[first].error, sizeof(whole.error),
                "MIG is on, and no instance of it can be seen from here");
}

/* ---- all ---- */

void probe_nvml(struct probe_list *list, struct nvml **open)
{
    struct nvml *nvml = *open ? *open : (*open = nvml_new(list));
    unsigned count = 0;

    if (!nvml)
        return;
    int code = nvml->api.count(&count);
    list->nvml_answered = code == NVML_SUCCESS;
    list->broken = code != NVML_SUCCESS;
    if (code != NVML_SUCCESS)
        gp_format(list->nvml_reason, sizeof(list->nvml_reason),
                  "the NVIDIA driver cannot count its GPUs: %s (NVML error %d)", error_word(code),
                  code);
    else if (count == 0)
        gp_format(list->nvml_reason, sizeof(list->nvml_reason),
                  "the NVIDIA driver%s%s is here, but shows no GPU", nvml->version[0] ? " " : "",
                  nvml->version);
    if (list->nvml_reason[0]) {
        gp_copy(list->hint, sizeof(list->hint),
                "see what nvidia-smi says, or name a GPU with --gpu");
        return;
    }
    for (unsigned i = 0; i < count && list->count < list->max; i++) {
        struct nvml_device *handle = NULL;
        struct device *d = probe_add(list, "nvml", (int)i);

        code = nvml->api.by_index(i, &handle);
        if (code != NVML_SUCCESS) {
            d->vendor_id = PCI_NVIDIA;
            note_failure(d, "cannot be opened", code);
            continue;
        }
        ask_device(nvml, handle, d);
        if (d->mig == DEVICE_MIG_ON)
            ask_instances(nvml, handle, list);
    }
}

void probe_nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    nvml->api.shutdown();
    dlclose(nvml->library);
    free(nvml);
}
