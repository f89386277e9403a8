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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_backend.h"
#include "util/mem.h"
#include "util/path.h"
#include "util/str.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"

/* ---- the interface, after NVIDIA's NVML API reference ---- */

/* nvmlMemory_t is total, free, used; nvmlPciInfo_t (of _v3) holds the device id above the
 * vendor id in pciDeviceId, so 0x233010de is 10de:2330; power is in mW, clocks in MHz,
 * utilization in per cent. */
enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_DRIVER_NOT_LOADED = 9
};

enum { NVML_SM = 1, NVML_MEMORY = 2, NVML_LINKS = 18 }; /* clocks; NVLinks of a GPU */

struct nvml_device; /* opaque */

struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

struct nvml_memory_v2 {
    unsigned version; /* the size of this struct | 2 << 24 */
    unsigned long long total, reserved, free, used; /* bytes */
};

struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device;
    unsigned pci_device_id; /* device << 16 | vendor */
    unsigned pci_subsystem_id;
    char bus_id[32];
};

struct nvml_process_v1 {
    unsigned pid;
    unsigned long long memory; /* bytes; all ones = not told */
};

struct nvml_process { /* of _v2 and _v3 */
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

struct nvml_busy {
    unsigned gpu, memory; /* per cent of the time */
};

_Static_assert(sizeof(struct nvml_memory) == 24, "nvmlMemory_t");
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(struct nvml_pci) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct nvml_process_v1) == 16, "nvmlProcessInfo_v1_t");
_Static_assert(sizeof(struct nvml_process) == 24, "nvmlProcessInfo_v2_t");

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, struct nvml_device **device);
    int (*name)(struct nvml_device *device, char *text, unsigned size);
    int (*memory)(struct nvml_device *device, struct nvml_memory *memory);
    /* optional: NULL in drivers that are older than they */
    int (*memory_v2)(struct nvml_device *device, struct nvml_memory_v2 *memory);
    int (*pci)(struct nvml_device *device, struct nvml_pci *pci);
    int (*uuid)(struct nvml_device *device, char *text, unsigned size);
    int (*driver)(char *text, unsigned size);
    int (*mig_mode)(struct nvml_device *device, unsigned *current, unsigned *pending);
    int (*mig_count)(struct nvml_device *device, unsigned *count);
    int (*mig_handle)(struct nvml_device *device, unsigned index,
                      struct nvml_device **instance);
    int (*processes)(struct nvml_device *device, unsigned *count, void *list);
    int (*processes_v3)(struct nvml_device *device, unsigned *count, void *list);
    int (*processes_v2)(struct nvml_device *device, unsigned *count, void *list);
    int (*power)(struct nvml_device *device, unsigned *mw);
    int (*power_limit)(struct nvml_device *device, unsigned *mw);
    int (*clock)(struct nvml_device *device, int type, unsigned *mhz);
    int (*max_clock)(struct nvml_device *device, int type, unsigned *mhz);
    int (*temperature)(struct nvml_device *device, int sensor, unsigned *celsius);
    int (*busy)(struct nvml_device *device, struct nvml_busy *busy);
    int (*reasons)(struct nvml_device *device, unsigned long long *bits);
    int (*reasons_old)(struct nvml_device *device, unsigned long long *bits);
    int (*link_gen)(struct nvml_device *device, unsigned *gen);
    int (*link_width)(struct nvml_device *device, unsigned *width);
    int (*max_link_gen)(struct nvml_device *device, unsigned *gen);
    int (*max_link_width)(struct nvml_device *device, unsigned *width);
    int (*link_state)(struct nvml_device *device, unsigned link, unsigned *active);
    void *library;
    char version[80]; /* of the driver */
};

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
static void make_safe(char *text, size_t size)
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
                  "the NVIDIA driver does not start: %s (NVML error %d)", error_word(code),
                  code);
    gp_copy(list->hint, sizeof(list->hint),
            missing ? "update the driver, or name a GPU with --gpu"
                    : "see what nvidia-smi says, or name a GPU with --gpu");
    list->broken = code != NVML_ERROR_DRIVER_NOT_LOADED;
    dlclose(nvml->library);
    return false;
}

/* ---- one device ---- */

static void note_failure(struct device *d, const char *what, int code)
{
    gp_format(d->error, sizeof(d->error), "%s: %s (NVML error %d)", what, error_word(code),
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
        note_failure(d, "its memory cannot be read", code);
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
    make_safe(d->name, sizeof(d->name));
    if (code != NVML_SUCCESS) {
        d->name[0] = '\0';
        note_failure(d, "its name cannot be read", code);
    }
    if (!nvml->uuid || nvml->uuid(handle, d->uuid, sizeof(d->uuid)) != NVML_SUCCESS)
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

static int whole(number_fn ask, struct nvml_device *handle)
{
    unsigned value = 0;
    return ask && ask(handle, &value) == NVML_SUCCESS && value < 1000 ? (int)value : 0;
}

/* NVML's clocks event reasons; what was named first says it. */
static void ask_throttle(const struct nvml *nvml, struct nvml_device *handle,
                         struct device *d)
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
    if ((!nvml->reasons || nvml->reasons(handle, &bits) != NVML_SUCCESS) &&
        (!nvml->reasons_old || nvml->reasons_old(handle, &bits) != NVML_SUCCESS))
        return;
    for (size_t i = sizeof(words) / sizeof(words[0]); i-- > 0;)
        if (bits & words[i].bits)
            word = words[i].word;
    gp_copy(d->throttle, sizeof(d->throttle), word);
}

static void ask_links(const struct nvml *nvml, struct nvml_device *handle,
                      struct device *d)
{
    int code = nvml->link_state ? NVML_SUCCESS : -1;
    unsigned active = 0;
    d->pcie.gen = whole(nvml->link_gen, handle);
    d->pcie.width = whole(nvml->link_width, handle);
    d->pcie.gen_max = whole(nvml->max_link_gen, handle);
    d->pcie.width_max = whole(nvml->max_link_width, handle);
    for (unsigned i = 0; i < NVML_LINKS && code == NVML_SUCCESS; i++) {
        code = nvml->link_state(handle, i, &active);
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

static void ask_live(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    struct nvml_busy busy = {0, 0};
    unsigned celsius = 0;
    d->power = number_of(nvml->power, handle, 1e-3);
    d->power_limit = number_of(nvml->power_limit, handle, 1e-3);
    d->clock = clock_of(nvml->clock, handle, NVML_SM);
    d->clock_max = clock_of(nvml->max_clock, handle, NVML_SM);
    d->memory_clock = clock_of(nvml->clock, handle, NVML_MEMORY);
    if (nvml->temperature && nvml->temperature(handle, 0, &celsius) == NVML_SUCCESS)
        d->temperature = quantity_of(celsius, ORIGIN_MEASURED);
    if (nvml->busy && nvml->busy(handle, &busy) == NVML_SUCCESS) {
        d->busy = quantity_of(busy.gpu / 100.0, ORIGIN_MEASURED);
        d->memory_busy = quantity_of(busy.memory / 100.0, ORIGIN_MEASURED);
    }
    ask_throttle(nvml, handle, d);
    ask_links(nvml, handle, d);
}

/* ---- processes ---- */

/* The program of a process, "" when it cannot be seen. */
static void process_name(long pid, char *name, size_t size)
{
    char path[GP_PATH_MAX], text[64] = "";
    FILE *file;

    gp_format(path, sizeof(path), "%s/%ld/comm", probe_proc(), pid);
    file = fopen(path, "re");
    if (!file || !fgets(text, sizeof(text), file))
        text[0] = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    gp_tame(text);
    gp_copy(name, size, text);
}

static void add_process(struct device *d, unsigned pid, unsigned long long memory)
{
    struct device_process *p = &d->process[d->listed++];
    p->pid = (long)pid;
    p->memory = memory == ~0ull ? quantity_unknown()
                                : quantity_of((double)memory, ORIGIN_MEASURED);
    process_name(p->pid, p->name, sizeof(p->name));
}

/* A count of 0 asks how many there are; none of them is written. */
static int count_of(int (*ask)(struct nvml_device *, unsigned *, void *),
                    struct nvml_device *handle)
{
    unsigned count = 0;
    int code = ask(handle, &count, NULL);
    return (code == NVML_SUCCESS || code == NVML_ERROR_INSUFFICIENT_SIZE) &&
                   count < 1u << 20
               ? (int)count
               : -1;
}

/* More than there is room for, or one more since they were counted: only their number
 * is told. */
static void list_processes(const struct nvml *nvml, struct nvml_device *handle,
                           struct device *d)
{
    union {
        struct nvml_process_v1 v1[PROBE_PROCESSES];
        struct nvml_process v2[PROBE_PROCESSES];
    } list;
    unsigned count = PROBE_PROCESSES;
    bool old = !nvml->processes_v3 && !nvml->processes_v2;
    int code = nvml->processes_v3   ? nvml->processes_v3(handle, &count, &list)
               : nvml->processes_v2 ? nvml->processes_v2(handle, &count, &list)
                                    : nvml->processes(handle, &count, &list);
    if (code != NVML_SUCCESS || count > PROBE_PROCESSES)
        return;
    for (unsigned i = 0; i < count; i++)
        if (old)
            add_process(d, list.v1[i].pid, list.v1[i].memory);
        else
            add_process(d, list.v2[i].pid, list.v2[i].memory);
}

static void ask_processes(const struct nvml *nvml, struct nvml_device *handle,
                    struct device *d)
{
    int (*ask)(struct nvml_device *, unsigned *, void *) =
        nvml->processes_v3   ? nvml->processes_v3
        : nvml->processes_v2 ? nvml->processes_v2
                             : nvml->processes;
    if (!ask)
        return;
    d->processes = count_of(ask, handle);
    if (d->processes > 0)
        list_processes(nvml, handle, d);
}

/* ---- the whole device ---- */

static void ask_device(const struct nvml *nvml, struct nvml_device *handle,
                       struct device *d)
{
    ask_texts(nvml, handle, d);
    ask_pci(nvml, handle, d);
    ask_mig(nvml, handle, d);
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
        ask_processes(nvml, instance, d);
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
            note_failure(d, "cannot be opened", code);
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
    make_safe(nvml->version, sizeof(nvml->version));
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
                  error_word(code), code);
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
