/*
 * devices.c - see devices.h.
 */
#include "run/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "util/mem.h"
#include "util/str.h"
#include "util/units.h"

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
static void identify(struct found *f, const struct gpu *const *gpus, size_t count)
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

/* Nothing can be started on a GPU that is cut into instances we do not see. */
static bool can_plan(const struct found *f)
{
    return f->id[0] && (f->device->mig != DEVICE_MIG_ON || f->device->slice[0]);
}

/* Asks the drivers. The catalogue's GPUs are read only when there is a device. */
static enum gp_status look(struct catalog *catalog, struct machine *m,
                           struct gp_err *err)
{
    const struct gpu *const *gpus;
    size_t count;
    enum gp_status status = probe_devices(m->devices, PROBE_MAX, &m->count, &m->why);
    if (status && err)
        *err = m->why;
    if (!status && m->count > 0)
        status = catalog_gpus(catalog, &gpus, &count, err);
    for (size_t i = 0; i < m->count && !status; i++) {
        struct found *f = &m->list[i];
        f->device = &m->devices[i];
        identify(f, gpus, count);
        if (can_plan(f) && (!m->local || f->usable > m->local->usable))
            m->local = f;
    }
    return status;
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
        gp_format(text, size, "it has PCI device %04x:%04x (%s)", d->vendor_id,
                  d->device_id, memory);
}

bool devices_local(struct catalog *catalog, char *text, size_t size)
{
    struct machine *m = gp_calloc(1, sizeof(*m));
    struct gp_err err = {0};
    enum gp_status status = look(catalog, m, &err);
    bool found = !status && m->local;
    if (found)
        gp_copy(text, size, m->local->id);
    else if (status)
        gp_copy(text, size, err.text);
    else if (m->count == 0)
        gp_copy(text, size, m->why.text);
    else
        say_unknown(m->list[0].device, text, size);
    free(m);
    return found;
}

/* ---- --list devices ---- */

static const char *mig_word(const struct device *d)
{
    static const char *const words[] = {"", "none", "off", "on"};
    return d->slice[0] ? d->slice : words[d->mig];
}

static void memory(struct sheet *row, const char *name, struct quantity bytes)
{
    sheet_quantity(row, name, "GiB", bytes, GP_GIB, 2);
}

/* What it does now: not for the aligned table. */
static void now(struct sheet *row, const char *name, const char *unit,
                struct quantity value, double divide, int decimals)
{
    sheet_quantity(row, name, unit, value, divide, decimals);
    sheet_detail(row);
}

static void details(struct sheet *row, const struct device *d)
{
    memory(row, "memory_used", d->memory_used);
    sheet_detail(row);
    memory(row, "memory_reserved", d->memory_reserved);
    sheet_detail(row);
    if (d->vendor_id && d->device_id)
        sheet_textf(row, "pci_id", "%04x:%04x", d->vendor_id, d->device_id);
    else
        sheet_text(row, "pci_id", "");
    sheet_detail(row);
    sheet_text(row, "uuid", d->uuid);
    sheet_detail(row);
    sheet_text(row, "driver", d->driver);
    sheet_detail(row);
    now(row, "power", "W", d->power, 1, 1);
    now(row, "power_limit", "W", d->power_limit, 1, 1);
    now(row, "clock", "MHz", d->clock, 1e6, 0);
    now(row, "temperature", "C", d->temperature, 1, 0);
    now(row, "busy", "%", d->busy, 0.01, 0);
    sheet_text(row, "throttle", d->throttle);
    sheet_detail(row);
    sheet_positive(row, "pcie_gen", "", d->pcie.gen);
    sheet_detail(row);
    sheet_positive(row, "pcie_width", "", d->pcie.width);
    sheet_detail(row);
    sheet_count(row, "nvlinks_active", "", d->links < 0 ? NAN : d->links_active);
    sheet_detail(row);
}

static void add_row(struct sheet *row, const struct machine *m, const struct found *f)
{
    const struct device *d = f->device;
    sheet_text(row, "id", f->id);
    sheet_flag(row, "local", f == m->local);
    sheet_count(row, "index", "", d->index);
    sheet_text(row, "name", d->name);
    memory(row, "memory", d->memory_total);
    memory(row, "free", d->memory_free);
    sheet_text(row, "mig", mig_word(d));
    sheet_count(row, "processes", "", d->processes < 0 ? NAN : d->processes);
    sheet_text(row, "bus_id", d->bus_id);
    sheet_text(row, "from", d->backend);
    sheet_text(row, "note",
               d->error[0] ? d->error
               : f->id[0]  ? ""
                           : "not in the catalogue");
    details(row, d);
}

static enum gp_status rows(struct catalog *catalog, struct sheet *doc,
                           struct gp_err *err)
{
    struct machine *m = gp_calloc(1, sizeof(*m));
    enum gp_status status = look(catalog, m, err);
    for (size_t i = 0; i < m->count && !status; i++)
        add_row(sheet_append(doc, "items"), m, &m->list[i]);
    if (!status && m->count == 0)
        sheet_text(doc, "reason", m->why.text);
    free(m);
    return status;
}

const struct report_class devices_class = {"devices", "device", rows, NULL};
