/*
 * probe_nvml_live.c - what an NVIDIA GPU does now: power, clocks, links, processes.
 *
 * Every function here is optional, and every value may be "not supported": then it
 * stays unknown, never 0. One GPU takes about twenty calls of some microseconds.
 */
#include "probe/nvml_parts.h"

#include "util/str.h"

typedef int (*number_fn)(struct nvml_device *device, unsigned *value);

static struct quantity number(number_fn ask, struct nvml_device *handle, double unit)
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

void nvml_live(const struct nvml *nvml, struct nvml_device *handle, struct device *d)
{
    struct nvml_busy busy = {0, 0};
    unsigned celsius = 0;
    d->power = number(nvml->power, handle, 1e-3);
    d->power_limit = number(nvml->power_limit, handle, 1e-3);
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

static void add_process(struct device *d, unsigned pid, unsigned long long memory)
{
    struct device_process *p = &d->process[d->listed++];
    p->pid = (long)pid;
    p->memory = memory == ~0ull ? quantity_unknown()
                                : quantity_of((double)memory, ORIGIN_MEASURED);
    probe_process_name(p->pid, p->name, sizeof(p->name));
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

void nvml_processes(const struct nvml *nvml, struct nvml_device *handle,
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
