/*
 * probe.c - see probe.h.
 */
#include "probe/probe.h"

#include <string.h>

#include "probe/probe_parts.h"
#include "util/str.h"

/* In this order: a later one adds what the earlier ones did not see. */
static void (*const backends[])(struct probe_list *list) = {
    probe_nvml,
    probe_sysfs,
};

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
    return d;
}

enum gp_status probe_devices(struct device *out, size_t max, size_t *count,
                             struct gp_err *err)
{
    struct probe_list list = {.out = out, .max = max};
    for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++)
        backends[i](&list);
    *count = list.count;
    if (list.count > 0)
        return GP_OK;
    gp_fail(err, GP_E_DEVICE, "", list.hint, "%s; %s", list.nvml_reason,
            list.sysfs_reason);
    if (list.broken)
        return GP_E_DEVICE;
    if (err)
        err->code = GP_OK;
    return GP_OK;
}
