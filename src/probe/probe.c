/*
 * probe.c - see probe.h.
 */
#include "probe/probe.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/mem.h"
#include "base/path.h"
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

/* ---- a driver that answers late, or never ---- */

#define WAIT_AGAIN 5.0 /* s, of a library that has answered before */

struct asking { /* the thread's, should it be left to itself */
    struct probe_list list;
    struct nvml *nvml;
};

static void ask_driver(void *state)
{
    struct asking *a = state;

    probe_nvml(&a->list, &a->nvml);
}

static void drop_asking(void *state)
{
    struct asking *a = state;

    free(a->list.out);
    free(a);
}

/* Once it has kept silent it is not asked again: each of these threads stays for ever. */
static void probe_driver(struct probe *probe, struct probe_list *list)
{
    static bool silent;
    struct asking *a;
    double wait = deadline_driver();

    if (!silent) {
        a = gp_calloc(1, sizeof(*a));
        a->nvml = probe->nvml;
        a->list.max = list->max;
        a->list.out = gp_calloc(list->max, sizeof(*a->list.out));
        silent =
            !deadline_run(probe->nvml ? fmin(wait, WAIT_AGAIN) : wait, ask_driver, drop_asking, a);
        if (!silent) {
            struct device *out = list->out;

            memcpy(out, a->list.out, a->list.count * sizeof(*out));
            *list = a->list;
            list->out = out;
            probe->nvml = a->nvml;
            drop_asking(a);
            return;
        }
    }
    probe->nvml = NULL; /* it may be in use */
    list->broken = true;
    gp_format(list->nvml_reason, sizeof(list->nvml_reason),
              "the NVIDIA driver does not answer (waited %g s)", wait);
    gp_copy(list->hint, sizeof(list->hint),
            "see whether nvidia-smi answers, or name a GPU with --gpu");
}

enum gp_status probe_read(struct probe *probe, struct device *out, size_t max, size_t *count,
                          struct gp_err *err)
{
    struct probe_list list = {.out = out, .max = max};

    probe_driver(probe, &list);
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

/* ---- files of a few bytes ---- */

bool probe_here_driver(char *text, size_t size)
{
    return sys_line(text, size, "%s/module/nvidia/version", probe_sys());
}

bool probe_here_uuid(const char *uuid)
{
    char folder[GP_PATH_MAX], path[GP_PATH_MAX], line[256];
    const struct dirent *one;
    bool found = false;
    DIR *dir = NULL;

    if (uuid[0] && path_join(folder, sizeof(folder), probe_proc(), "driver/nvidia/gpus"))
        dir = opendir(folder);
    while (dir && !found && (one = readdir(dir))) {
        FILE *file = NULL;

        if (one->d_name[0] != '.' &&
            gp_format(path, sizeof(path), "%s/%s/information", folder, one->d_name))
            file = fopen(path, "re");
        while (file && !found && fgets(line, sizeof(line), file)) /* "GPU UUID: \t GPU-1234" */
            found = strstr(line, "UUID") && strstr(line, uuid);
        if (file)
            fclose(file);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* ---- which GPU of the catalogue it is ---- */

/* Of the catalogue's figure: ECC's 1/16, and what the driver keeps. */
#define MEMORY_APART 0.08

typedef bool (*same_fn)(const struct device *device, const struct gpu *gpu);

/* Calls `same` for each word of a '|' separated list until one is. */
static bool any_word(const char *list, const char *want,
                     bool (*same)(const char *word, const char *want))
{
    char word[160];

    while (*list) {
        size_t n = strcspn(list, "|");

        if (n > 0 && n < sizeof(word)) {
            memcpy(word, list, n);
            word[n] = '\0';
            if (same(word, want))
                return true;
        }
        list += n;
        list += *list == '|';
    }
    return false;
}

/* Older drivers leave the maker's name out. */
static const char *without_maker(const char *name)
{
    static const char maker[] = "NVIDIA ";

    return strncmp(name, maker, sizeof(maker) - 1) == 0 ? name + sizeof(maker) - 1 : name;
}

static bool same_word(const char *word, const char *want)
{
    return gp_casecmp(without_maker(word), without_maker(want)) == 0;
}

static bool same_name(const struct device *device, const struct gpu *gpu)
{
    char name[sizeof(device->name)];

    gp_copy(name, sizeof(name), device->name);
    char *instance = strstr(name, " MIG ");
    if (instance)
        *instance = '\0';
    return name[0] && any_word(gpu->nvml_names, name, same_word);
}

static bool same_pci(const struct device *device, const struct gpu *gpu)
{
    char id[16];

    gp_format(id, sizeof(id), "%04x:%04x", device->vendor_id & 0xffff, device->device_id & 0xffff);
    return device->vendor_id && any_word(gpu->pci_ids, id, same_word);
}

/* How far the memory is from the catalogue's, 0.. of it; 0 when nobody can say;
 * negative when this cannot be the same GPU. */
static double memory_apart(const struct device *device, const struct gpu *gpu)
{
    const struct quantity *total = &device->memory_total, *want = &gpu->physical;

    if (device->slice[0]) {
        for (int i = 0; i < gpu->slice_count; i++)
            if (gp_casecmp(gpu->slice[i].profile, device->slice) == 0)
                return 0;
        return -1;
    }
    if (!total->known || !want->known || want->value <= 0)
        return 0;
    if (total->value < want->low * (1 - MEMORY_APART) ||
        total->value > want->high * (1 + MEMORY_APART))
        return -1;
    return fabs(total->value - want->value) / want->value;
}

/* Of cards with one name and as much memory: what speaks against this one. The PCI id tells
 * them apart; else it is the usual card, the desktop's, and of a set's the first. */
static int gpu_unlikely(const struct device *device, const struct gpu *gpu)
{
    return (same_pci(device, gpu) ? 0 : 4) + (gpu->in_set ? 2 : 0) + (gpu_is_alone(gpu) ? 1 : 0);
}

/* The candidate nearest in memory; *seen when there was any, *several when more than
 * one has this much memory, *tie when even the nearest is not alone. */
static const struct gpu *gpu_nearest(const struct device *device, const struct gpu *const *gpus,
                                     size_t count, same_fn same, bool *seen, bool *several,
                                     bool *tie)
{
    const struct gpu *best = NULL;
    double least = 0;
    int doubt = 0;

    *seen = *several = *tie = false;
    for (size_t i = 0; i < count; i++) {
        if (!same(device, gpus[i]))
            continue;
        double d = memory_apart(device, gpus[i]);
        *seen = true;
        if (d < 0)
            continue;
        int unlikely = gpu_unlikely(device, gpus[i]);
        bool nearer = !best || d < least || (d == least && unlikely < doubt);
        *several = *several || best;
        *tie = !nearer && (*tie || (d == least && unlikely == doubt && !gpus[i]->in_set));
        if (nearer) {
            best = gpus[i];
            least = d;
            doubt = unlikely;
        }
    }
    return best;
}

const struct gpu *probe_match(const struct device *device, const struct gpu *const *gpus,
                              size_t count)
{
    bool seen, several, tie;
    const struct gpu *gpu = gpu_nearest(device, gpus, count, same_name, &seen, &several, &tie);

    if (seen) /* a name that is there with other memory is another GPU */
        return tie ? NULL : gpu;
    gpu = gpu_nearest(device, gpus, count, same_pci, &seen, &several, &tie);
    return several ? NULL : gpu;
}
