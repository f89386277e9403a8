/*
 * probe_nvml.c - NVIDIA GPUs, asked of the driver's own library.
 *
 * The library comes with the driver and is opened when it is there, so that the program
 * neither needs nor links it. Once open it stays so until probe_nvml_close(), because
 * to start it can take a second where no other program keeps the GPU awake.
 */
#include "probe/nvml_parts.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/str.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"

#define AT(field) offsetof(struct nvml, field)

static const struct symbol {
    const char *name;
    size_t offset; /* of the pointer in struct nvml */
    bool required;
} symbols[] = {
    {"nvmlInit_v2", AT(init), true},
    {"nvmlShutdown", AT(shutdown), true},
    {"nvmlDeviceGetCount_v2", AT(count), true},
    {"nvmlDeviceGetHandleByIndex_v2", AT(handle), true},
    {"nvmlDeviceGetName", AT(name), true},
    {"nvmlDeviceGetMemoryInfo", AT(memory), true},
    {"nvmlDeviceGetMemoryInfo_v2", AT(memory_v2), false},
    {"nvmlDeviceGetPciInfo_v3", AT(pci), false},
    {"nvmlDeviceGetUUID", AT(uuid), false},
    {"nvmlSystemGetDriverVersion", AT(driver), false},
    {"nvmlDeviceGetMigMode", AT(mig_mode), false},
    {"nvmlDeviceGetMaxMigDeviceCount", AT(mig_count), false},
    {"nvmlDeviceGetMigDeviceHandleByIndex", AT(mig_handle), false},
    {"nvmlDeviceGetComputeRunningProcesses", AT(processes), false},
    {"nvmlDeviceGetComputeRunningProcesses_v2", AT(processes_v2), false},
    {"nvmlDeviceGetComputeRunningProcesses_v3", AT(processes_v3), false},
    {"nvmlDeviceGetPowerUsage", AT(power), false},
    {"nvmlDeviceGetEnforcedPowerLimit", AT(power_limit), false},
    {"nvmlDeviceGetClockInfo", AT(clock), false},
    {"nvmlDeviceGetMaxClockInfo", AT(max_clock), false},
    {"nvmlDeviceGetTemperature", AT(temperature), false},
    {"nvmlDeviceGetUtilizationRates", AT(busy), false},
    {"nvmlDeviceGetCurrentClocksEventReasons", AT(reasons), false},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", AT(reasons_old), false},
    {"nvmlDeviceGetCurrPcieLinkGeneration", AT(link_gen), false},
    {"nvmlDeviceGetCurrPcieLinkWidth", AT(link_width), false},
    {"nvmlDeviceGetMaxPcieLinkGeneration", AT(max_link_gen), false},
    {"nvmlDeviceGetMaxPcieLinkWidth", AT(max_link_width), false},
    {"nvmlDeviceGetNvLinkState", AT(link_state), false},
};

static const struct {
    int code;
    const char *text;
} words[] = {
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

static const char *word(int code)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i].code == code)
            return words[i].text;
    return "an error of the driver";
}

/* ---- opening ---- */

/* The name of the first required symbol that is missing, or NULL. */
static const char *load_symbols(struct nvml *nvml)
{
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *address = dlsym(nvml->library, symbols[i].name);
        if (!address && symbols[i].required)
            return symbols[i].name;
        memcpy((char *)nvml + symbols[i].offset, &address, sizeof(address));
    }
    return NULL;
}

/* What the driver wrote, made safe to print: always terminated, no control bytes. */
static void clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static void no_library(struct probe_list *list)
{
    const char *why = dlerror();
    gp_format(list->nvml_reason, sizeof(list->nvml_reason),
              "no NVIDIA driver library (%s)", why ? why : NVML_LIBRARY);
    gp_copy(list->hint, sizeof(list->hint), "name a GPU with --gpu");
}

static bool nvml_open(struct nvml *nvml, struct probe_list *list)
{
    const char *path = secure_getenv("GPUPLAN_NVML");
    memset(nvml, 0, sizeof(*nvml));
    nvml->library = dlopen(path && *path ? path : NVML_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!nvml->library) {
        no_library(list);
        return false;
    }
    const char *missing = load_symbols(nvml);
    int code = missing ? 0 : nvml->init();
    if (!missing && code == NVML_SUCCESS)
        return true;
    if (missing)
        gp_format(list->nvml_reason, sizeof(list->nvml_reason),
                  "the NVIDIA driver is too old: it has no %s", missing);
    else
        gp_format(list->nvml_reason, sizeof(list->nvml_reason),
                  "the NVIDIA driver does not start: %s (NVML error %d)", word(code),
                  code);
    gp_copy(list->hint, sizeof(list->hint),
            missing ? "update the driver, or name a GPU with --gpu"
                    : "see what nvidia-smi says, or name a GPU with --gpu");
    list->broken = code != NVML_ERROR_DRIVER_NOT_LOADED;
    dlclose(nvml->library);
    return false;
}

/* ---- one device ---- */

static void failed(struct device *d, const char *what, int code)
{
    gp_format(d->error, sizeof(d->error), "%s: %s (NVML error %d)", what, word(code),
              code);
}

static struct quantity measured(unsigned long long bytes)
{
    return quantity_of((double)bytes, ORIGIN_MEASURED);
}

static void ask_memory(const struct nvml *nvml, struct nvml_device *handle,
                       struct device *d)
{
    struct nvml_memory m = {0, 0, 0};
    struct nvml_memory_v2 m2 = {.version = sizeof(m2) | 2u << 24};
    int code = nvml->memory(handle, &m);
    if (code != NVML_SUCCESS) {
        failed(d, "its memory cannot be read", code);
        return;
    }
    d->memory_total = measured(m.total);
    d->memory_free = measured(m.free);
    if (m.free <= m.total) /* `used` has left the driver's share out in some versions */
        d->memory_used = measured(m.total - m.free);
    if (nvml->memory_v2 && nvml->memory_v2(handle, &m2) == NVML_SUCCESS)
        d->memory_reserved = measured(m2.reserved);
}

static void ask_pci(const struct nvml *nvml, struct nvml_device *handle,
                    struct device *d)
{
    struct nvml_pci pci;
    memset(&pci, 0, sizeof(pci));
    d->vendor_id = PCI_NVIDIA;
    if (!nvml->pci || nvml->pci(handle, &pci) != NVML_SUCCESS)
        return;
    d->vendor_id = pci.pci_device_id & 0xffff;
    d->device_id = pci.pci_device_id >> 16;
    gp_format(d->bus_id, sizeof(d->bus_id), "%04x:%02x:%02x.0", pci.domain, pci.bus,
              pci.device);
}

static void ask_mig(const struct nvml *nvml, struct nvml_device *handle,
                    struct device *d)
{
    unsigned current = 0, pending = 0;
    int code = nvml->mig_mode ? nvml->mig_mode(handle, &current, &pending) : -1;
    if (code == NVML_SUCCESS)
        d->mig = current ? DEVICE_MIG_ON : DEVICE_MIG_OFF;
    else if (code == NVML_ERROR_NOT_SUPPORTED)
        d->mig = DEVICE_MIG_NONE;
}

static void ask_texts(const struct nvml *nvml, struct nvml_device *handle,
                      struct device *d)
{
    int code = nvml->name(handle, d->name, sizeof(d->name));
    clean(d->name, sizeof(d->name));
    if (code != NVML_SUCCESS) {
        d->name[0] = '\0';
        failed(d, "its name cannot be read", code);
    }
    if (!nvml->uuid || nvml->uuid(handle, d->uuid, sizeof(d->uuid)) != NVML_SUCCESS)
        d->uuid[0] = '\0';
    clean(d->uuid, sizeof(d->uuid));
    gp_copy(d->driver, sizeof(d->driver), nvml->version);
}

static void ask_device(const struct nvml *nvml, struct nvml_device *handle,
                       struct device *d)
{
    ask_texts(nvml, handle, d);
    ask_pci(nvml, handle, d);
    ask_mig(nvml, handle, d);
    nvml_live(nvml, handle, d);
    if (d->mig == DEVICE_MIG_ON)
        return; /* its memory is its instances', which may be all that we may see */
    ask_memory(nvml, handle, d);
    nvml_processes(nvml, handle, d);
}

/* ---- MIG: the instances stand in the list for the GPU they are cut from ---- */

/* "NVIDIA A100-SXM4-40GB MIG 1g.5gb" */
static void take_slice(struct device *d)
{
    const char *at = strstr(d->name, " MIG ");
    if (!at || !at[5] || !gp_copy(d->slice, sizeof(d->slice), at + 5)) {
        gp_copy(d->slice, sizeof(d->slice), "unknown");
        if (!d->error[0])
            gp_copy(d->error, sizeof(d->error),
                    "its name does not tell its MIG profile");
    }
}

static void ask_instances(const struct nvml *nvml, struct nvml_device *handle,
                          struct probe_list *list)
{
    const struct device whole = list->out[list->count - 1];
    size_t first = list->count - 1;
    unsigned count = 0;
    if (nvml->mig_count && nvml->mig_handle)
        nvml->mig_count(handle, &count);
    for (unsigned i = 0; i < count && i < PROBE_MAX; i++) {
        struct nvml_device *instance = NULL;
        if (nvml->mig_handle(handle, i, &instance) != NVML_SUCCESS)
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
        nvml_processes(nvml, instance, d);
        take_slice(d);
    }
    if (!list->out[first].slice[0])
        gp_copy(list->out[first].error, sizeof(whole.error),
                "MIG is on, and no instance of it can be seen from here");
}

/* ---- all ---- */

static void ask_all(const struct nvml *nvml, unsigned count, struct probe_list *list)
{
    for (unsigned i = 0; i < count && list->count < list->max; i++) {
        struct nvml_device *handle = NULL;
        struct device *d = probe_add(list, "nvml", (int)i);
        int code = nvml->handle(i, &handle);
        if (code != NVML_SUCCESS) {
            d->vendor_id = PCI_NVIDIA;
            failed(d, "cannot be opened", code);
            continue;
        }
        ask_device(nvml, handle, d);
        if (d->mig == DEVICE_MIG_ON)
            ask_instances(nvml, handle, list);
    }
}

static struct nvml *opened(struct probe_list *list)
{
    struct nvml *nvml = gp_malloc(sizeof(*nvml));
    if (!nvml_open(nvml, list)) {
        free(nvml);
        return NULL;
    }
    if (!nvml->driver ||
        nvml->driver(nvml->version, sizeof(nvml->version)) != NVML_SUCCESS)
        nvml->version[0] = '\0';
    clean(nvml->version, sizeof(nvml->version));
    return nvml;
}

void probe_nvml(struct probe_list *list, struct nvml **open)
{
    struct nvml *nvml = *open ? *open : (*open = opened(list));
    unsigned count = 0;
    if (!nvml)
        return;
    int code = nvml->count(&count);
    list->nvml_answered = code == NVML_SUCCESS;
    list->broken = code != NVML_SUCCESS;
    if (code != NVML_SUCCESS)
        gp_format(list->nvml_reason, sizeof(list->nvml_reason),
                  "the NVIDIA driver cannot count its GPUs: %s (NVML error %d)",
                  word(code), code);
    else if (count == 0)
        gp_format(list->nvml_reason, sizeof(list->nvml_reason),
                  "the NVIDIA driver%s%s is here, but shows no GPU",
                  nvml->version[0] ? " " : "", nvml->version);
    if (list->nvml_reason[0])
        gp_copy(list->hint, sizeof(list->hint),
                "see what nvidia-smi says, or name a GPU with --gpu");
    else
        ask_all(nvml, count, list);
}

void probe_nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}
