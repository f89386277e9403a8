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

#include <math.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

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

static void read_names(struct profile_group top, struct gpu *gpu)
{
    profile_string(top, "name", gpu->name, sizeof gpu->name);
    profile_string(top, "vendor", gpu->vendor, sizeof gpu->vendor);
    profile_string(top, "architecture", gpu->architecture, sizeof gpu->architecture);
    profile_string(top, "form_factor", gpu->form_factor, sizeof gpu->form_factor);
    profile_strings(top, "nvml_names", gpu->nvml_names, sizeof gpu->nvml_names);
    profile_strings(top, "pci_ids", gpu->pci_ids, sizeof gpu->pci_ids);
    profile_count(top, "release_year", &gpu->release_year, 2000, 2100);
    profile_string(top, "confidence", gpu->confidence, sizeof gpu->confidence);
    profile_string(top, "note", gpu->note, sizeof gpu->note);
    profile_string(top, "source", gpu->source, sizeof gpu->source);
}

static void read_memory(struct profile_group top, struct gpu *gpu)
{
    char type[32] = "";
    int basis = gpu->physical.origin == ORIGIN_ASSUMED ? BASIS_NOMINAL : BASIS_TOOL;
    int usable = ORIGIN_SHEET;

    profile_scaled(top, "memory_gb", &gpu->memory_marketed, 1e9, 0.1, 65536);
    profile_word(top, "memory_basis", &basis, memory_bases);
    profile_quantity(top, "memory_gib", &gpu->physical, GP_GIB, 0.1, 65536,
                     basis == BASIS_TOOL ? ORIGIN_SHEET : ORIGIN_ASSUMED);
    profile_word(top, "usable_basis", &usable, usable_bases);
    profile_quantity(top, "usable_gib", &gpu->usable, GP_GIB, 0.1, 65536,
                     (enum origin)usable);
    profile_string(top, "memory_type", type, sizeof type);
    profile_quantity(top, "bandwidth_gb_s", &gpu->bandwidth, 1e9, 1, 1e6, ORIGIN_SHEET);
    profile_quantity(top, "l2_mb", &gpu->l2, GP_MIB, 0.01, 65536, ORIGIN_SHEET);
}

static void read_rates(struct profile_group top, struct gpu *gpu)
{
    static const char *const not_held[] = {"fp64", "fp64_tensor", "fp8_fp16acc"};
    struct profile_group tflops = profile_sub(top, "tflops");
    struct quantity ignored;

    for (int i = 0; i < MATH_COUNT; i++)
        profile_quantity(tflops, format_math_word((enum format_math)i), &gpu->rate[i],
                         1e12, 0, 1e6, ORIGIN_SHEET);
    profile_quantity(tflops, "fp16_fp16acc", &gpu->rate_fp16acc, 1e12, 0, 1e6,
                     ORIGIN_SHEET);
    for (size_t i = 0; i < sizeof not_held / sizeof *not_held; i++)
        profile_quantity(tflops, not_held[i], &ignored, 1e12, 0, 1e6, ORIGIN_SHEET);
}

static void read_board(struct profile_group top, struct gpu *gpu)
{
    double capability = gpu->compute_capability / 10.0;

    profile_number(top, "compute_capability", &capability, 0, 99.9);
    gpu->compute_capability = (int)lround(capability * 10);
    profile_count(top, "sm_count", &gpu->sm_count, 1, 100000);
    profile_count(top, "boost_mhz", &gpu->boost_mhz, 1, 100000);
    profile_quantity(top, "power_w", &gpu->power, 1, 1, 100000, ORIGIN_SHEET);
    profile_string(top, "interconnect", gpu->interconnect, sizeof gpu->interconnect);
    profile_scaled(top, "link_gb_s", &gpu->link_bandwidth, 1e9, 0, 100000);
    profile_count(top, "link_domain", &gpu->link_domain, 0, 100000);
    profile_count(top, "pcie_gen", &gpu->pcie_gen, 1, 9);
    profile_count(top, "pcie_lanes", &gpu->pcie_lanes, 1, 32);
}

static void read_price(struct profile_group top, struct gpu *gpu)
{
    char date[16] = "";

    profile_quantity(top, "launch_price", &gpu->launch_price, 1, 0.01, 1e8,
                     ORIGIN_SHEET);
    profile_quantity(top, "street_price", &gpu->street_price, 1, 0.01, 1e8,
                     ORIGIN_SHEET);
    profile_string(top, "street_as_of", gpu->street_as_of, sizeof gpu->street_as_of);
    profile_string(top, "street_source", gpu->street_source, sizeof gpu->street_source);
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
        profile_fail(slice, key, "write [part, whole], as in [3, 7]",
                     "is not a share");
}

static void read_slices(struct profile_group top, struct gpu *gpu)
{
    int count = profile_length(top, "mig", GPU_MAX_SLICES);

    profile_count(top, "mig_instances", &gpu->mig_max, 0, 64);
    if (count > 0)
        gpu->slice_count = count;
    for (int i = 0; i < count && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "mig", i);
        struct gpu_slice *slice = &gpu->slice[i];

        memset(slice, 0, sizeof *slice);
        profile_require(item, "profile");
        profile_require(item, "gb");
        profile_string(item, "profile", slice->profile, sizeof slice->profile);
        profile_scaled(item, "gb", &slice->memory, 1e9, 0.1, 65536);
        read_share(item, "compute", &slice->compute, &slice->compute_of);
        read_share(item, "memory", &slice->memory_part, &slice->memory_of);
        profile_count(item, "max", &slice->max_count, 1, 64);
    }
}

enum gp_status gpu_file_read(const char *path, struct gpu *gpu, char *aliases,
                             size_t aliases_size, profile_warn_fn warn, void *ctx,
                             struct gp_err *err)
{
    struct profile *profile;
    struct profile_group top;
    enum gp_status status = profile_open(path, &profile, err);

    if (status != GP_OK)
        return status;
    top = profile_top(profile);
    profile_strings(top, "aliases", aliases, aliases_size);
    read_names(top, gpu);
    read_memory(top, gpu);
    read_rates(top, gpu);
    read_board(top, gpu);
    read_price(top, gpu);
    read_slices(top, gpu);
    status = profile_finish(profile, warn, ctx, err);
    profile_free(profile);
    return status;
}

enum gp_status gpu_file_check(const char *path, const struct gpu *gpu,
                              struct gp_err *err)
{
    const char *missing = NULL;
    char where[192];

    if (gpu->name[0] == '\0')
        missing = "name";
    else if (!gpu->physical.known)
        missing = "memory_gib";
    else if (!gpu->bandwidth.known)
        missing = "bandwidth_gb_s";
    else if (gpu->source[0] == '\0')
        missing = "source";
    if (missing == NULL)
        return GP_OK;
    gp_format(where, sizeof where, "%s: %s", path, missing);
    return gp_fail(err, GP_E_FILE, where, "every GPU profile needs it", "is missing");
}
