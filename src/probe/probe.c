/*
 * probe.c - see probe.h.
 */
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "probe/probe_backend.h"

struct probe {
    struct nvml *nvml;
};

static const char *folder_of(const char *variable, const char *usual)
{
    const char *other = secure_getenv(variable);

    return other && *other ? other : usual;
}

const char *probe_proc(void)
{
    return folder_of("GPUPLAN_PROC", "/proc");
}

const char *probe_sys(void)
{
    return folder_of("GPUPLAN_SYSFS", "/sys");
}

struct device *probe_add(struct probe_list *list, const char *backend, int index)
{
    if (list->count >= list->max)
        return NULL;
    struct device *d = &list->out[list->count++];
    memset(d, 0, sizeof(*d));
    d->index = index;
    d->backend = backend;
    d->memory_total = quantity_unknown();
    d->memory_free = quantity_unknown();
    d->memory_used = quantity_unknown();
    d->memory_reserved = quantity_unknown();
    d->processes = -1;
    d->links = d->links_active = -1;
    d->ecc = d->peers = d->peers_lost = -1;
    d->ecc_errors = quantity_unknown();
    d->power = d->power_limit = quantity_unknown();
    d->clock = d->clock_max = d->memory_clock = quantity_unknown();
    d->temperature = quantity_unknown();
    d->busy = d->memory_busy = quantity_unknown();
    return d;
}

struct probe *probe_open(void)
{
    return gp_calloc(1, sizeof(struct probe));
}

void probe_close(struct probe *probe)
{
    if (probe)
        probe_nvml_close(probe->nvml);
    free(probe);
}

enum gp_status probe_read(struct probe *probe, struct device *out, size_t max, size_t *count,
                          struct gp_err *err)
{
    struct probe_list list = {.out = out, .max = max};

    probe_nvml(&list, &probe->nvml);
    probe_sysfs(&list); /* adds what the driver did not see */
    *count = list.count;
    if (list.count > 0)
        return GP_OK;
    gp_fail(err, GP_E_DEVICE, "", list.hint, "%s; %s", list.nvml_reason, list.sysfs_reason);
    if (list.broken)
        return GP_E_DEVICE;
    if (err)
        err->code = GP_OK;
    return GP_OK;
}

enum gp_status probe_devices(struct device *out, size_t max, size_t *count, struct gp_err *err)
{
    struct probe *probe = probe_open();
    enum gp_status rc = probe_read(probe, out, max, count, err);

    probe_close(probe);
    return rc;
}
