/*
 * gpu_file.c - the keys of a GPU profile.
 *
 *   name = "NVIDIA H100 SXM5 80GB";
 *   memory_gib = 79.65;  memory_basis = "nvidia-smi";   # what the driver's tool prints
 *   usable_gib = 79.19;                                 # what a program can have
 *   tflops = { bf16 = 989.4; fp4 = 0; };                # 0: no such mode
 *
 * A quantity may be a number or (value, low, high). Facts that no plan uses (memory
 * type, FP64) are kept in the files, range-checked here and not held.
 */
#include "catalog/gpu_file.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

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

#define AT(member) PROFILE_AT(struct gpu, member)

static const struct profile_field fields[] = {
    {"name", PROFILE_TEXT, AT(name)},
    {"vendor", PROFILE_TEXT, AT(vendor)},
    {"architecture", PROFILE_TEXT, AT(architecture)},
    {"family", PROFILE_TEXT, AT(family_id)},
    {"form_factor", PROFILE_TEXT, AT(form_factor)},
    {"nvml_names", PROFILE_TEXTS, AT(nvml_names)},
    {"pci_ids", PROFILE_TEXTS, AT(pci_ids)},
    {"release_year", PROFILE_COUNT, AT(release_year), 2000, 2100},
    {"memory_gb", PROFILE_NUMBER, AT(memory_marketed), 0.1, 65536, 1e9},
    {"memory_only", PROFILE_FLAG, AT(memory_only)},
    {"bandwidth_gb_s", PROFILE_QUANTITY, AT(bandwidth), 1, 1e6, 1e9},
    {"l2_mb", PROFILE_QUANTITY, AT(l2), 0.01, 65536, GP_MIB},
    {"sm_count", PROFILE_COUNT, AT(sm_count), 1, 100000},
    {"boost_mhz", PROFILE_COUNT, AT(boost_mhz), 1, 100000},
    {"power_w", PROFILE_QUANTITY, AT(power), 1, 100000},
    {"interconnect", PROFILE_TEXT, AT(interconnect)},
    {"link_gb_s", PROFILE_NUMBER, AT(link_bandwidth), 0, 100000, 1e9},
    {"link_domain", PROFILE_COUNT, AT(link_domain), 0, 100000},
    {"pcie_gen", PROFILE_COUNT, AT(pcie_gen), 1, 9},
    {"pcie_lanes", PROFILE_COUNT, AT(pcie_lanes), 1, 32},
    {"mig_instances", PROFILE_COUNT, AT(mig_max), 0, 64},
    {"launch_price", PROFILE_QUANTITY, AT(launch_price), 0.01, 1e8},
    {"street_price", PROFILE_QUANTITY, AT(street_price), 0.01, 1e8},
    {"street_as_of", PROFILE_TEXT, AT(street_as_of)},
    {"street_source", PROFILE_TEXT, AT(street_source)},
    {"confidence", PROFILE_TEXT, AT(confidence)},
    {"note", PROFILE_TEXT, AT(note)},
    {"source", PROFILE_TEXT, AT(source)},
};

static const struct profile_field slice_fields[] = {
    {"profile", PROFILE_TEXT, PROFILE_AT(struct gpu_slice, profile)},
    {"gb", PROFILE_NUMBER, PROFILE_AT(struct gpu_slice, memory), 0.1, 65536, 1e9},
    {"max", PROFILE_COUNT, PROFILE_AT(struct gpu_slice, max_count), 1, 64},
};

/* The two sizes, whose origin is another key. */
static void read_memory(struct profile_group top, struct gpu *gpu)
{
    int basis = gpu->physical.origin == ORIGIN_ASSUMED ? BASIS_NOMINAL : BASIS_TOOL;
    int usable = ORIGIN_SHEET;

    profile_word(top, "memory_basis", &basis, memory_bases);
    profile_quantity(top, "memory_gib", &gpu->physical, GP_GIB, 0.1, 65536,
                     basis == BASIS_TOOL ? ORIGIN_SHEET : ORIGIN_ASSUMED);
    profile_word(top, "usable_basis", &usable, usable_bases);
    profile_quantity(top, "usable_gib", &gpu->usable, GP_GIB, 0.1, 65536, (enum origin)usable);
}

static void read_rates(struct profile_group top, struct gpu *gpu)
{
    struct profile_group tflops = profile_sub(top, "tflops");
    double capability = gpu->compute_capability / 10.0;

    for (int i = 0; i < MATH_COUNT; i++)
        profile_quantity(tflops, format_math_word((enum format_math)i), &gpu->rate[i], 1e12, 0, 1e6,
                         ORIGIN_SHEET);
    profile_quantity(tflops, "fp16_fp16acc", &gpu->rate_fp16acc, 1e12, 0, 1e6, ORIGIN_SHEET);
    profile_number(top, "compute_capability", &capability, 0, 99.9);
    gpu->compute_capability = (int)lround(capability * 10);
}

static void read_not_held(struct profile_group top)
{
    static const char *const rates[] = {"fp64", "fp64_tensor", "fp8_fp16acc"};
    struct profile_group tflops = profile_sub(top, "tflops");
    struct quantity rate;
    char type[32], date[16];

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        profile_quantity(tflops, rates[i], &rate, 1e12, 0, 1e6, ORIGIN_SHEET);
    profile_string(top, "memory_type", type, sizeof type);
    profile_string(top, "gathered", date, sizeof date);
}

/* Two counts "part of whole", as in compute = [3, 7]. */
static void read_share(struct profile_group slice, const char *key, int *part, int *of)
{
    int count = profile_length(slice, key, 2);

    if (count == 0)
        return;
    profile_count_at(slice, key, 0, part, 0, 64);
    profile_count_at(slice, key, 1, of, 1, 64);
    if (count != 2 || *part > *of)
        profile_fail(slice, key, "write [part, whole], as in [3, 7]", "is not a share");
}

static void read_slices(struct profile_group top, struct gpu *gpu)
{
    int count = profile_length(top, "mig", GPU_MAX_SLICES);

    if (count > 0)
        gpu->slice_count = count;
    for (int i = 0; i < count && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "mig", i);
        struct gpu_slice *slice = &gpu->slice[i];

        memset(slice, 0, sizeof *slice);
        profile_require(item, "profile");
        profile_require(item, "gb");
        profile_fields(item, slice_fields, sizeof slice_fields / sizeof *slice_fields, slice);
        read_share(item, "compute", &slice->compute, &slice->compute_of);
        read_share(item, "memory", &slice->memory_part, &slice->memory_of);
    }
}

/* What a plan cannot do without. */
static const char *missing_key(const struct gpu *gpu)
{
    return gpu->name[0] == '\0'                         ? "name"
           : !gpu->physical.known                       ? "memory_gib"
           : !gpu->bandwidth.known && !gpu->memory_only ? "bandwidth_gb_s"
           : gpu->source[0] == '\0'                     ? "source"
                                                        : NULL;
}

/* "CDNA3 (gfx942)" is of the family cdna3, "Ada Lovelace" of ada-lovelace. */
static void derive_family(struct gpu *gpu)
{
    size_t n = 0;

    if (gpu->family_id[0] != '\0')
        return;
    for (const char *c = gpu->architecture;
         *c != '\0' && strncmp(c, " (", 2) != 0 && n + 1 < sizeof gpu->family_id; c++)
        gpu->family_id[n++] = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
    gpu->family_id[n] = '\0';
}

void gpu_file_read(struct profile_group top, void *target)
{
    struct gpu_item *item = target;
    struct gpu *gpu = &item->gpu;
    const char *missing;

    profile_strings(top, "aliases", item->aliases, sizeof item->aliases);
    profile_fields(top, fields, sizeof fields / sizeof *fields, gpu);
    read_memory(top, gpu);
    read_rates(top, gpu);
    read_slices(top, gpu);
    read_not_held(top);
    derive_family(gpu);
    missing = missing_key(gpu);
    if (missing != NULL)
        profile_fail(top, missing, "every GPU profile needs it", "is missing");
}
