/*
 * devices.c - see devices.h.
 */
#include "measure/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/planner.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "probe/probe.h"

struct found {
    const struct device *device;
    char id[GPU_ID_MAX]; /* as --gpu takes it; "" = not in the catalogue */
    double usable;       /* bytes a program can have, by the catalogue */
};

struct machine {
    struct device devices[PROBE_MAX];
    struct found list[PROBE_MAX];
    size_t count;
    const struct found *local; /* the GPU in this machine; NULL = none to plan for */
    struct gp_err why;         /* there is no device */
};

/* The catalogue's id of a device, which is a MIG instance's own. */
static void identify_gpu(struct found *f, const struct gpu *const *gpus, size_t count)
{
    const struct gpu *gpu = probe_match(f->device, gpus, count);
    struct gpu slice;

    if (!gpu)
        return;
    if (!f->device->slice[0]) {
        gp_copy(f->id, sizeof(f->id), gpu->id);
        f->usable = gpu_usable(gpu).value;
    } else if (gpu_slice_of(gpu, f->device->slice, &slice, NULL) == GP_OK) {
        gp_copy(f->id, sizeof(f->id), slice.id);
        f->usable = gpu_usable(&slice).value;
    }
}

/* Asks the drivers. The catalogue's GPUs are read only when there is a device. */
static enum gp_status find_devices(struct catalog *catalog, struct machine *m, struct gp_err *err)
{
    const struct gpu *const *gpus;
    size_t count;
    enum gp_status rc = probe_devices(m->devices, PROBE_MAX, &m->count, &m->why);

    if (rc && err)
        *err = m->why;
    if (!rc && m->count > 0)
        rc = catalog_gpus(catalog, &gpus, &count, err);
    for (size_t i = 0; i < m->count && !rc; i++) {
        struct found *f = &m->list[i];

        f->device = &m->devices[i];
        identify_gpu(f, gpus, count);
        /* nothing can be started on a GPU that is cut into instances we do not see */
        if (f->id[0] && (f->device->mig != DEVICE_MIG_ON || f->device->slice[0]) &&
            (!m->local || f->usable > m->local->usable))
            m->local = f;
    }
    return rc;
}

/* ---- --gpu local ---- */

static void say_unknown(const struct device *d, char *text, size_t size)
{
    char memory[32] = "memory unknown";

    if (d->error[0]) {
        gp_format(text, size, "device %d: %s", d->index, d->error);
        return;
    }
    if (d->memory_total.known)
        units_gib(memory, sizeof(memory), d->memory_total.value);
    if (d->name[0])
        gp_format(text, size, "it has '%s' (%s)", d->name, memory);
    else
        gp_format(text, size, "it has PCI device %04x:%04x (%s)", d->vendor_id, d->device_id,
                  memory);
}

bool devices_local(struct catalog *catalog, char *text, size_t size)
{
    struct machine *m = gp_calloc(1, sizeof(*m));
    struct gp_err err = {0};
    enum gp_status rc = find_devices(catalog, m, &err);
    bool found = !rc && m->local;
    bool none = !rc && m->count == 0;

    if (found || none)
        gp_copy(text, size, found ? m->local->id : CPU_ID);
    else if (rc)
        gp_copy(text, size, err.text);
    else
        say_unknown(m->list[0].device, text, size);
    free(m);
    return found || none;
}

/* ---- --list devices ---- */

static void add_row(struct record *row, const struct machine *m, const struct found *f)
{
    static const char *const mig[] = {"", "none", "off", "on"};
    const struct device *d = f->device;
    const struct {
        const char *name, *unit;
        struct quantity value;
        double divide;
        int decimals;
    } readings[] = {
        {"power", "W", d->power, 1, 1},     {"power_limit", "W", d->power_limit, 1, 1},
        {"clock", "MHz", d->clock, 1e6, 0}, {"temperature", "C", d->temperature, 1, 0},
        {"busy", "%", d->busy, 0.01, 0},
    };

    record_text(row, "id", f->id);
    record_flag(row, "local", f == m->local);
    record_count(row, "index", "", d->index);
    record_text(row, "name", d->name);
    record_quantity(row, "memory", "GiB", d->memory_total, GP_GIB, 2);
    record_quantity(row, "free", "GiB", d->memory_free, GP_GIB, 2);
    record_text(row, "mig", d->slice[0] ? d->slice : mig[d->mig]);
    record_count(row, "processes", "", d->processes < 0 ? NAN : d->processes);
    record_text(row, "bus_id", d->bus_id);
    record_text(row, "from", d->backend);
    record_text(row, "note", d->error[0] ? d->error : f->id[0] ? "" : "not in the catalogue");
    size_t details = row->count; /* not for the aligned table */
    record_quantity(row, "memory_used", "GiB", d->memory_used, GP_GIB, 2);
    record_quantity(row, "memory_reserved", "GiB", d->memory_reserved, GP_GIB, 2);
    if (d->vendor_id && d->device_id)
        record_textf(row, "pci_id", "%04x:%04x", d->vendor_id, d->device_id);
    else
        record_text(row, "pci_id", "");
    record_text(row, "uuid", d->uuid);
    record_text(row, "driver", d->driver);
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
        record_quantity(row, readings[i].name, readings[i].unit, readings[i].value,
                        readings[i].divide, readings[i].decimals);
    record_text(row, "throttle", d->throttle);
    record_positive(row, "pcie_gen", "", d->pcie.gen);
    record_positive(row, "pcie_width", "", d->pcie.width);
    record_count(row, "nvlinks_active", "", d->links < 0 ? NAN : d->links_active);
    for (; details < row->count; details++)
        row->facts[details].detail = true;
}

static enum gp_status device_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    struct machine *m = gp_calloc(1, sizeof(*m));
    enum gp_status rc = find_devices(catalog, m, err);

    for (size_t i = 0; i < m->count && !rc; i++)
        add_row(record_append(doc, "items"), m, &m->list[i]);
    if (!rc && m->count == 0)
        record_text(doc, "reason", m->why.text);
    free(m);
    return rc;
}

const struct report_class devices_class = {"devices", "device", device_rows, NULL};
