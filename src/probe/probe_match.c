/*
 * probe_match.c - which GPU of the catalogue a device is; see probe.h.
 */
#include "probe/probe.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

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

static bool has_slice(const struct gpu *gpu, const char *profile)
{
    for (int i = 0; i < gpu->slice_count; i++)
        if (gp_casecmp(gpu->slice[i].profile, profile) == 0)
            return true;
    return false;
}

/* How far the memory is from the catalogue's, 0.. of it; 0 when nobody can say;
 * negative when this cannot be the same GPU. */
static double memory_apart(const struct device *device, const struct gpu *gpu)
{
    const struct quantity *total = &device->memory_total, *want = &gpu->physical;

    if (device->slice[0])
        return has_slice(gpu, device->slice) ? 0 : -1;
    if (!total->known || !want->known || want->value <= 0)
        return 0;
    if (total->value < want->low * (1 - MEMORY_APART) ||
        total->value > want->high * (1 + MEMORY_APART))
        return -1;
    return fabs(total->value - want->value) / want->value;
}

/* The candidate nearest in memory; *seen when there was any, *several when more than
 * one has this much memory, *tie when even the nearest is not alone. */
static const struct gpu *gpu_nearest(const struct device *device, const struct gpu *const *gpus,
                                     size_t count, same_fn same, bool *seen, bool *several,
                                     bool *tie)
{
    const struct gpu *best = NULL;
    double least = 0;

    *seen = *several = *tie = false;
    for (size_t i = 0; i < count; i++) {
        if (!same(device, gpus[i]))
            continue;
        double d = memory_apart(device, gpus[i]);
        *seen = true;
        if (d < 0)
            continue;
        *several = *several || best;
        *tie = best && (d == least || (*tie && d > least));
        if (!best || d < least) {
            best = gpus[i];
            least = d;
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
