/*
 * gpu.c - see gpu.h.
 */
#include "catalog/gpu.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

/* What a program has been seen to miss of what the driver's tool prints. */
#define USABLE_MID 0.012
#define USABLE_LEAST 0.002
#define USABLE_MOST 0.020

/* A MIG instance also loses a little to its own bookkeeping: nvidia-smi prints 39.25
 * to 39.50 GiB for a 3g.40gb of an A100-80. */
#define SLICE_LOSS 0.02

const char *gpu_short_name(const struct gpu *gpu)
{
    size_t n = strlen(gpu->vendor);

    return n > 0 && strncasecmp(gpu->name, gpu->vendor, n) == 0 && gpu->name[n] == ' '
               ? gpu->name + n + 1
               : gpu->name;
}

struct quantity gpu_usable(const struct gpu *gpu)
{
    double p = gpu->physical.value;

    if (gpu->usable.known)
        return gpu->usable;
    return quantity_band(p * (1 - USABLE_MID), gpu->physical.low * (1 - USABLE_MOST),
                         gpu->physical.high * (1 - USABLE_LEAST), ORIGIN_MODEL);
}

static const struct gpu_slice *find_slice(const struct gpu *gpu, const char *profile)
{
    for (int i = 0; i < gpu->slice_count; i++)
        if (gp_casecmp(gpu->slice[i].profile, profile) == 0)
            return &gpu->slice[i];
    return NULL;
}

static void slice_names(const struct gpu *gpu, char *text, size_t size)
{
    size_t len = 0;

    text[0] = '\0';
    for (int i = 0; i < gpu->slice_count && len + 26 < size; i++) {
        if (i > 0)
            text[len++] = ' ';
        gp_copy(text + len, size - len, gpu->slice[i].profile);
        len += strlen(text + len);
    }
}

static struct quantity part(struct quantity q, double share)
{
    q = quantity_scale(q, share);
    if (q.known)
        q.origin = ORIGIN_MODEL;
    return q;
}

enum gp_status gpu_slice_of(const struct gpu *gpu, const char *profile, struct gpu *out,
                            struct gp_err *err)
{
    const struct gpu_slice *s = find_slice(gpu, profile);
    char names[200];

    if (gpu->slice_count == 0)
        return gp_fail(err, GP_E_USAGE, "--gpu", "name the whole GPU",
                       "%s cannot be cut into MIG instances", gpu->id);
    slice_names(gpu, names, sizeof(names));
    if (!s)
        return gp_fail(err, GP_E_USAGE, "--gpu", names, "%s has no MIG profile '%s'", gpu->id,
                       profile);
    double compute = s->compute_of > 0 ? (double)s->compute / s->compute_of : 1;
    double memory = s->memory_part > 0 && s->memory_of > 0 ? (double)s->memory_part / s->memory_of
                                                           : s->memory / gpu->memory_marketed;
    struct quantity whole = gpu_usable(gpu);
    *out = *gpu;
    gp_format(out->id, sizeof(out->id), "%s/%s", gpu->id, s->profile);
    gp_format(out->name, sizeof(out->name), "%s (MIG %s)", gpu->name, s->profile);
    out->memory_marketed = s->memory;
    out->whole = gpu->physical.value;
    out->physical = part(gpu->physical, memory);
    out->usable =
        quantity_band(whole.value * memory * (1 - SLICE_LOSS / 2),
                      whole.low * memory * (1 - SLICE_LOSS), whole.high * memory, ORIGIN_MODEL);
    out->bandwidth = part(gpu->bandwidth, memory);
    out->l2 = part(gpu->l2, memory);
    for (int m = 0; m < MATH_COUNT; m++)
        out->rate[m] = part(gpu->rate[m], compute);
    out->rate_fp16acc = part(gpu->rate_fp16acc, compute);
    out->link_bandwidth = 0;
    out->link_domain = 1;
    out->slice_count = 0;
    return GP_OK;
}
