/*
 * gpu.c - see gpu.h; and the keys of a GPU profile.
 *
 *   name = "NVIDIA H100 SXM5 80GB";
 *   memory_gib = 79.65;  memory_basis = "nvidia-smi";   # what the driver's tool prints
 *   usable_gib = 79.19;                                 # what a program can have
 *   tflops = { bf16 = 989.4; fp4 = 0; };                # 0: no such mode
 *
 * A quantity may be a number or (value, low, high). Facts that no plan uses (memory
 * type, FP64) are kept in the files, range-checked here and not held.
 */
#include "catalog/gpu.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/units.h"
#include "catalog/files.h"

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

bool gpu_is_foreign(const struct gpu *gpu)
{
    return gpu->memory_only && gpu->vendor[0];
}

bool gpu_shares_memory(const struct gpu *gpu)
{
    return strstr(gpu->memory_type, "(unified)");
}

bool gpu_is_alone(const struct gpu *gpu)
{
    static const char *const forms[] = {"laptop", "MXM", "iGPU"};
    const char *form = gpu->form_factor;

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strcmp(form, forms[i]) == 0)
            return true;
    return gpu_shares_memory(gpu) && strcmp(gpu->vendor, "nvidia") == 0 &&
           (strcmp(form, "SoC") == 0 || strcmp(form, "module") == 0);
}

bool gpu_linked(const struct gpu *gpu, int n)
{
    return gpu->link_bandwidth > 0 && (gpu->link_domain == 0 || n <= gpu->link_domain);
}

bool gpu_rate_assumed(const struct gpu *gpu)
{
    const struct quantity *rate = &gpu->rate[MATH_BF16];

    return rate->known && rate->origin == ORIGIN_ASSUMED && !gpu->host;
}

/* ---- unlike GPUs ---- */

static struct quantity mix_rate(const struct gpu_mix *m, const struct quantity *const of[])
{
    double slow[3] = {0}; /* s per unit: as told, at the low and at the high end */

    for (int i = 0; i < m->count; i++) {
        double share = m->share[i + 1] - m->share[i];

        if (!of[i]->known || of[i]->low <= 0)
            return of[i]->known ? *of[i] : quantity_unknown();
        slow[0] += share / of[i]->value;
        slow[1] += share / of[i]->low;
        slow[2] += share / of[i]->high;
    }
    return quantity_band(1 / slow[0], 1 / slow[1], 1 / slow[2], of[0]->origin);
}

static struct quantity mix_mean(const struct gpu_mix *m, size_t offset)
{
    struct quantity sum = quantity_exact(0);

    for (int i = 0; i < m->count; i++) {
        const struct quantity *q =
            (const struct quantity *)(const void *)((const char *)m->at[i] + offset);

        if (!q->known)
            return quantity_unknown();
        sum = i == 0 ? *q : quantity_add(sum, *q);
    }
    return quantity_scale(sum, 1.0 / m->count);
}

void gpu_mixed(struct gpu_mix *m, bool by_memory, struct gpu *out)
{
    const struct quantity *of[GPU_MIX_MAX];
    double all = 0, slowest = 0;

    *out = *m->at[0];
    for (int i = 0; i < m->count; i++)
        all += by_memory ? gpu_usable(m->at[i]).value : 1;
    m->share[0] = 0;
    for (int i = 0; i < m->count; i++)
        m->share[i + 1] = m->share[i] + (by_memory ? gpu_usable(m->at[i]).value : 1) / all;
    for (int i = 0; i < m->count; i++)
        of[i] = &m->at[i]->bandwidth;
    out->bandwidth = mix_rate(m, of);
    for (int r = 0; r < MATH_COUNT; r++) {
        for (int i = 0; i < m->count; i++)
            of[i] = &m->at[i]->rate[r];
        out->rate[r] = mix_rate(m, of);
    }
    for (int i = 0; i < m->count; i++) {
        const struct gpu *g = m->at[i];
        double part = m->share[i + 1] - m->share[i];

        slowest = fmax(slowest, m->count * part * out->bandwidth.value / g->bandwidth.value);
        out->compute_capability = g->compute_capability < out->compute_capability
                                      ? g->compute_capability
                                      : out->compute_capability;
        out->pcie_gen = g->pcie_gen < out->pcie_gen ? g->pcie_gen : out->pcie_gen;
        out->pcie_lanes = g->pcie_lanes < out->pcie_lanes ? g->pcie_lanes : out->pcie_lanes;
        out->sm_count = g->sm_count < out->sm_count ? g->sm_count : out->sm_count;
    }
    m->uneven = slowest > 1 ? slowest : 1;
    out->physical = mix_mean(m, offsetof(struct gpu, physical));
    out->usable = mix_mean(m, offsetof(struct gpu, usable));
    out->power = mix_mean(m, offsetof(struct gpu, power));
    out->launch_price = mix_mean(m, offsetof(struct gpu, launch_price));
    out->street_price = mix_mean(m, offsetof(struct gpu, street_price));
    out->link_bandwidth = 0;
    out->link_domain = 0;
    out->slice_count = out->mig_max = 0;
    out->nvml_names[0] = out->pci_ids[0] = '\0';
    out->mix = m;
}

static const struct gpu_slice *find_slice(const struct gpu *gpu, const char *profile)
{
    for (int i = 0; i < gpu->slice_count; i++)
        if (gp_casecmp(gpu->slice[i].profile, profile) == 0)
            return &gpu->slice[i];
    return NULL;
}

static struct quantity slice_part(struct quantity q, double share)
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
    char names[200] = "";

    if (gpu->slice_count == 0)
        return gp_fail(err, GP_E_USAGE, "--gpu", "name the whole GPU",
                       "%s cannot be cut into MIG instances", gpu->id);
    for (int i = 0; i < gpu->slice_count; i++)
        gp_append(names, sizeof(names), " ", "%s", gpu->slice[i].profile);
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
    out->physical = slice_part(gpu->physical, memory);
    out->usable =
        quantity_band(whole.value * memory * (1 - SLICE_LOSS / 2),
                      whole.low * memory * (1 - SLICE_LOSS), whole.high * memory, ORIGIN_MODEL);
    out->bandwidth = slice_part(gpu->bandwidth, memory);
    out->l2 = slice_part(gpu->l2, memory);
    for (int m = 0; m < MATH_COUNT; m++)
        out->rate[m] = slice_part(gpu->rate[m], compute);
    out->rate_fp16acc = slice_part(gpu->rate_fp16acc, compute);
    out->link_bandwidth = 0;
    out->link_domain = 1;
    out->slice_count = 0;
    return GP_OK;
}

/* ---- the file ---- */

enum memory_basis { BASIS_TOOL, BASIS_NOMINAL };

static const struct profile_word memory_bases[] = {
    {"nvidia-smi", BASIS_TOOL}, /* printed by the driver's tool */
    {"nominal", BASIS_NOMINAL}, /* the marketed size, not read from a GPU */
    {NULL, 0},
};

static const struct profile_word usable_bases[] = {
    {"log", ORIGIN_SHEET}, /* seen in a program's log */
    {"assumed", ORIGIN_ASSUMED},
    {NULL, 0},
};

#define SLICE(member) PROFILE_AT(struct gpu_slice, member)

static const struct profile_field slice_fields[] = {
    {"profile", PROFILE_TEXT, SLICE(profile), .required = true},
    {"gb", PROFILE_NUMBER, SLICE(memory), 0.1, 65536, 1e9, "memory", "GB", .required = true},
    {"compute", PROFILE_SHARE, SLICE(compute)},
    {"memory", PROFILE_SHARE, SLICE(memory_part), .label = "memory_part"},
    {"max", PROFILE_COUNT, SLICE(max_count), 1, 64, .label = "max_count"},
};

static const struct profile_list slices = {PROFILE_TABLE(slice_fields), sizeof(struct gpu_slice),
                                           offsetof(struct gpu, slice_count), GPU_MAX_SLICES};

#define AT(member) PROFILE_AT(struct gpu, member)
/* A rate of 0: the hardware has no such mode. */
#define RATE(key, math, as)                                                              \
    {                                                                                    \
        key, PROFILE_QUANTITY, AT(rate[math]), 0, 1e6, 1e12, NULL, as, 1, .in = "tflops" \
    }

static const struct profile_field fields[] = {
    {NULL, PROFILE_TEXT, AT(id), .label = "id"},
    {"name", PROFILE_TEXT, AT(name)},
    {"vendor", PROFILE_TEXT, AT(vendor)},
    {"architecture", PROFILE_TEXT, AT(architecture)},
    {"family", PROFILE_TEXT, AT(family_id)},
    {NULL, PROFILE_COUNT, AT(compute_capability), .label = "compute_capability",
     .show = SHOW_VERSION},
    {"form_factor", PROFILE_TEXT, AT(form_factor)},
    {"release_year", PROFILE_COUNT, AT(release_year), 2000, 2100},
    {"nvml_names", PROFILE_TEXTS, AT(nvml_names)},
    {"pci_ids", PROFILE_TEXTS, AT(pci_ids)},
    {"memory_gb", PROFILE_NUMBER, AT(memory_marketed), 0.1, 65536, 1e9, "marketed", "GB",
     .group = "memory"},
    {NULL, PROFILE_QUANTITY, AT(physical), 0, 0, GP_GIB, "physical", "GiB", 2},
    {NULL, PROFILE_QUANTITY, AT(usable), 0, 0, GP_GIB, "usable", "GiB", 2},
    {"bandwidth_gb_s", PROFILE_QUANTITY, AT(bandwidth), 1, 1e6, 1e9, "bandwidth", "GB/s"},
    {"l2_mb", PROFILE_QUANTITY, AT(l2), 0.01, 65536, GP_MIB, "l2", "MiB", 1},
    {"memory_only", PROFILE_FLAG, AT(memory_only)},
    {"fp32", PROFILE_QUANTITY, AT(rate[MATH_FP32]), 0, 1e6, 1e12, NULL, "TFLOPS", 1,
     .group = "dense arithmetic (0: no such mode)", .in = "tflops"},
    RATE("tf32", MATH_TF32, "TFLOPS"),
    RATE("fp16", MATH_FP16, "TFLOPS"),
    RATE("bf16", MATH_BF16, "TFLOPS"),
    RATE("fp8", MATH_FP8, "TFLOPS"),
    RATE("int8", MATH_INT8, "TOPS"),
    RATE("int4", MATH_INT4, "TOPS"),
    RATE("fp4", MATH_FP4, "TFLOPS"),
    {"fp16_fp16acc", PROFILE_QUANTITY, AT(rate_fp16acc), 0, 1e6, 1e12, "fp16_accumulate_fp16",
     "TFLOPS", 1, .in = "tflops"},
    {"sm_count", PROFILE_COUNT, AT(sm_count), 1, 100000},
    {"boost_mhz", PROFILE_COUNT, AT(boost_mhz), 1, 100000, 1, "boost_clock", "MHz",
     .show = SHOW_LISTED},
    {"power_w", PROFILE_QUANTITY, AT(power), 1, 100000, 1, "power", "W",
     .group = "power and links"},
    {"interconnect", PROFILE_TEXT, AT(interconnect)},
    {"link_gb_s", PROFILE_NUMBER, AT(link_bandwidth), 0, 100000, 1e9, "link_bandwidth", "GB/s"},
    {"link_domain", PROFILE_COUNT, AT(link_domain), 0, 100000, .as = "GPUs"},
    {"joined", PROFILE_COUNT, AT(joined), 0, 1024, .as = "hosts"},
    {"pcie_gen", PROFILE_COUNT, AT(pcie_gen), 1, 9, .label = "pcie_generation"},
    {"pcie_lanes", PROFILE_COUNT, AT(pcie_lanes), 1, 32},
    {"no_peer_access", PROFILE_FLAG, AT(no_peer_access)},
    {"mig_instances", PROFILE_COUNT, AT(mig_max), 0, 64, .label = "mig_max_instances",
     .group = "MIG instances"},
    {"mig", PROFILE_LIST, AT(slice), .label = "mig_profiles", .list = &slices},
    {"launch_price", PROFILE_QUANTITY, AT(launch_price), 0.01, 1e8, .as = "$", .group = "price"},
    {"street_price", PROFILE_QUANTITY, AT(street_price), 0.01, 1e8, .as = "$"},
    {"street_as_of", PROFILE_TEXT, AT(street_as_of), .label = "street_price_as_of"},
    {"street_source", PROFILE_TEXT, AT(street_source), .label = "street_price_source"},
    {"confidence", PROFILE_TEXT, AT(confidence), .group = "evidence"},
    {"source", PROFILE_TEXT, AT(source)},
    {"note", PROFILE_TEXT, AT(note)},
};

const struct profile_table gpu_table = PROFILE_TABLE(fields);

/* Architectures whose chips of one compute capability and above are another family; the last
 * that fits. */
static const struct {
    const char *architecture, *family;
    int least;
} kin[] = {{"ampere", "ampere-rtx", 86},
           {"blackwell", "gb10", 110},
           {"blackwell", "blackwell-rtx", 120},
           {"blackwell", "gb10", 121}};

/* "CDNA3 (gfx942)" is of the family cdna3, "Ada Lovelace" of ada-lovelace. */
static void derive_family(struct gpu *gpu)
{
    const char *family = NULL;
    size_t n = 0;

    if (gpu->family_id[0] != '\0')
        return;
    for (const char *c = gpu->architecture;
         *c != '\0' && strncmp(c, " (", 2) != 0 && n + 1 < sizeof gpu->family_id; c++)
        gpu->family_id[n++] = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
    gpu->family_id[n] = '\0';
    for (size_t i = 0; i < sizeof(kin) / sizeof(kin[0]); i++)
        if (strcmp(gpu->family_id, kin[i].architecture) == 0 &&
            gpu->compute_capability >= kin[i].least)
            family = kin[i].family;
    if (family)
        gp_copy(gpu->family_id, sizeof gpu->family_id, family);
}

void gpu_file_read(struct profile_group top, void *target)
{
    static const char *const not_held[] = {"fp64", "fp64_tensor", "fp8_fp16acc"};
    struct gpu_item *item = target;
    struct gpu *gpu = &item->gpu;
    struct profile_group tflops = profile_sub(top, "tflops");
    int basis = gpu->physical.origin == ORIGIN_ASSUMED ? BASIS_NOMINAL : BASIS_TOOL;
    int usable = ORIGIN_SHEET;
    double capability = gpu->compute_capability / 10.0;
    char date[16];
    struct quantity rate;

    gpu->in_set = top.common != NULL;
    profile_strings(top, "aliases", item->aliases, sizeof item->aliases);
    PROFILE_FIELDS(top, fields, gpu);
    /* the two sizes, whose origin is another key */
    profile_word(top, "memory_basis", &basis, memory_bases);
    profile_quantity(top, "memory_gib", &gpu->physical, GP_GIB, 0.1, 65536,
                     basis == BASIS_TOOL ? ORIGIN_SHEET : ORIGIN_ASSUMED);
    profile_word(top, "usable_basis", &usable, usable_bases);
    profile_quantity(top, "usable_gib", &gpu->usable, GP_GIB, 0.1, 65536, (enum origin)usable);
    profile_number(top, "compute_capability", &capability, 0, 99.9);
    gpu->compute_capability = (int)lround(capability * 10);
    for (size_t i = 0; i < sizeof not_held / sizeof *not_held; i++)
        profile_quantity(tflops, not_held[i], &rate, 1e12, 0, 1e6, ORIGIN_SHEET);
    profile_string(top, "memory_type", gpu->memory_type, sizeof gpu->memory_type);
    profile_string(top, "gathered", date, sizeof date);
    derive_family(gpu);

    /* what a plan cannot do without */
    const struct profile_need needs[] = {
        {"name", gpu->name[0] != '\0'},
        {"memory_gib", gpu->physical.known},
        {"bandwidth_gb_s", gpu->bandwidth.known || gpu->memory_only},
        {"source", gpu->source[0] != '\0'},
    };
    PROFILE_NEEDS(top, needs, "every GPU profile needs name, memory_gib, bandwidth_gb_s, source");
}
