/*
 * report_gpu.c - GPUs as records.
 */
#include "answer/report_catalog.h"

#include <string.h>

#include "base/units.h"

#define AT(member) MEMBER_AT(struct gpu, member)

static const struct member row_members[] = {
    {"id", MEMBER_CHARS, AT(id)},
    {"name", MEMBER_CHARS, AT(name)},
    {"architecture", MEMBER_CHARS, AT(architecture)},
    {"memory", MEMBER_BYTES, AT(physical)},
    {"usable", MEMBER_BYTES, AT(usable)},
    {"bandwidth", MEMBER_QUANTITY, AT(bandwidth), "GB/s", 1e9},
    {"bf16", MEMBER_QUANTITY, AT(rate[MATH_BF16]), "TFLOPS", 1e12, 1},
    {"fp8", MEMBER_QUANTITY, AT(rate[MATH_FP8]), "TFLOPS", 1e12, 1},
    {"power", MEMBER_QUANTITY, AT(power), "W"},
    {"interconnect", MEMBER_CHARS, AT(interconnect)},
    {"mig", MEMBER_SOME_INT, AT(mig_max)},
    {"year", MEMBER_SOME_INT, AT(release_year)},
    {"confidence", MEMBER_CHARS, AT(confidence)},
    {"vendor", MEMBER_CHARS, AT(vendor), .detail = true},
    {"source", MEMBER_CHARS, AT(source), .detail = true},
};

/* A rate of 0: the hardware has no such mode. */
#define RATE(name, math, unit)                               \
    {                                                        \
        name, MEMBER_QUANTITY, AT(rate[math]), unit, 1e12, 1 \
    }

static const struct member show_members[] = {
    {"id", MEMBER_CHARS, AT(id)},
    {"name", MEMBER_CHARS, AT(name)},
    {"vendor", MEMBER_CHARS, AT(vendor)},
    {"architecture", MEMBER_CHARS, AT(architecture)},
    {"family", MEMBER_CHARS, AT(family_id)},
    {"compute_capability", MEMBER_VERSION, AT(compute_capability)},
    {"form_factor", MEMBER_CHARS, AT(form_factor)},
    {"release_year", MEMBER_SOME_INT, AT(release_year)},
    {"nvml_names", MEMBER_WORDS, AT(nvml_names)},
    {"pci_ids", MEMBER_WORDS, AT(pci_ids)},
    {"marketed", MEMBER_LISTED, AT(memory_marketed), "GB", 1e9, .group = "memory"},
    {"physical", MEMBER_BYTES, AT(physical)},
    {"usable", MEMBER_BYTES, AT(usable)},
    {"bandwidth", MEMBER_QUANTITY, AT(bandwidth), "GB/s", 1e9},
    {"l2", MEMBER_QUANTITY, AT(l2), "MiB", GP_MIB, 1},
    {"memory_only", MEMBER_FLAG, AT(memory_only)},
    {"fp32", MEMBER_QUANTITY, AT(rate[MATH_FP32]), "TFLOPS", 1e12, 1,
     .group = "dense arithmetic (0: no such mode)"},
    RATE("tf32", MATH_TF32, "TFLOPS"),
    RATE("fp16", MATH_FP16, "TFLOPS"),
    RATE("bf16", MATH_BF16, "TFLOPS"),
    RATE("fp8", MATH_FP8, "TFLOPS"),
    RATE("int8", MATH_INT8, "TOPS"),
    RATE("int4", MATH_INT4, "TOPS"),
    RATE("fp4", MATH_FP4, "TFLOPS"),
    {"fp16_accumulate_fp16", MEMBER_QUANTITY, AT(rate_fp16acc), "TFLOPS", 1e12, 1},
    {"sm_count", MEMBER_SOME_INT, AT(sm_count)},
    {"boost_clock", MEMBER_LISTED_INT, AT(boost_mhz), "MHz"},
    {"power", MEMBER_QUANTITY, AT(power), "W", .group = "power and links"},
    {"interconnect", MEMBER_CHARS, AT(interconnect)},
    {"link_bandwidth", MEMBER_LISTED, AT(link_bandwidth), "GB/s", 1e9},
    {"link_domain", MEMBER_SOME_INT, AT(link_domain), "GPUs"},
    {"pcie_generation", MEMBER_SOME_INT, AT(pcie_gen)},
    {"pcie_lanes", MEMBER_SOME_INT, AT(pcie_lanes)},
    {"mig_max_instances", MEMBER_SOME_INT, AT(mig_max), .group = "MIG instances"},
};

static const struct member last_members[] = {
    {"launch_price", MEMBER_QUANTITY, AT(launch_price), "$", .group = "price"},
    {"street_price", MEMBER_QUANTITY, AT(street_price), "$"},
    {"street_price_as_of", MEMBER_CHARS, AT(street_as_of)},
    {"street_price_source", MEMBER_CHARS, AT(street_source)},
    {"confidence", MEMBER_CHARS, AT(confidence), .group = "evidence"},
    {"source", MEMBER_CHARS, AT(source)},
    {"note", MEMBER_CHARS, AT(note)},
};

/* With the usable memory that plans use. */
static struct gpu shown(const struct gpu *g)
{
    struct gpu copy = *g;

    copy.usable = gpu_usable(g);
    return copy;
}

enum gp_status report_gpu_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct gpu *const *list;
    size_t n;
    enum gp_status rc = catalog_gpus(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++) {
        struct gpu g = shown(list[i]);

        RECORD_MEMBERS(record_append(doc, "items"), row_members, &g);
    }
    return rc;
}

/* ---- one GPU ---- */

static void slice_facts(const struct gpu_slice *slice, struct record *s)
{
    record_text(s, "profile", slice->profile);
    record_listed(s, "memory", "GB", slice->memory, 1e9, 0);
    record_textf(s, "compute", "%d/%d", slice->compute, slice->compute_of);
    record_textf(s, "memory_part", slice->memory_of > 0 ? "%d/%d" : "", slice->memory_part,
                 slice->memory_of);
    record_positive(s, "max_count", "", slice->max_count);
}

static void gpu_facts(const struct gpu *gpu, struct record *s)
{
    struct gpu g = shown(gpu);

    RECORD_MEMBERS(s, show_members, &g);
    record_list(s, "mig_profiles");
    for (int i = 0; i < g.slice_count; i++)
        slice_facts(&g.slice[i], record_append(s, "mig_profiles"));
    RECORD_MEMBERS(s, last_members, &g);
}

/* "h100-sxm", or a slice: "h100-sxm/3g.40gb". */
enum gp_status report_gpu_show(struct planner *planner, const char *id, struct record *out,
                               struct gp_err *err)
{
    const struct gpu *g;
    struct gpu cut;
    char whole[GPU_ID_MAX + 32];

    if (!gp_copy(whole, sizeof(whole), id))
        return gp_fail(err, GP_E_USAGE, "", "", "the id is too long");
    char *slash = strchr(whole, '/');
    if (slash)
        *slash = '\0';
    enum gp_status rc = catalog_gpu(planner_catalog(planner), whole, &g, err);
    if (!rc && slash) {
        rc = gpu_slice_of(g, slash + 1, &cut, err);
        if (rc && err)
            gp_copy(err->where, sizeof(err->where), "--show");
        g = &cut;
    }
    if (!rc)
        gpu_facts(g, out);
    return rc;
}
