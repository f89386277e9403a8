/*
 * report_gpu.c - GPUs as records.
 */
#include "output/report_catalog.h"

#include <string.h>

#include "util/units.h"

static struct quantity listed(double value)
{
    return value > 0 ? quantity_of(value, ORIGIN_SHEET) : quantity_unknown();
}

static void evidence(struct record *s, const struct gpu *g)
{
    record_text(s, "confidence", g->confidence);
}

static void row(const struct gpu *g, struct record *s)
{
    record_text(s, "id", g->id);
    record_text(s, "name", g->name);
    record_text(s, "architecture", g->architecture);
    record_quantity(s, "memory", "GiB", g->physical, GP_GIB, 2);
    record_quantity(s, "usable", "GiB", gpu_usable(g), GP_GIB, 2);
    record_quantity(s, "bandwidth", "GB/s", g->bandwidth, 1e9, 0);
    record_quantity(s, "bf16", "TFLOPS", g->rate[MATH_BF16], 1e12, 1);
    record_quantity(s, "fp8", "TFLOPS", g->rate[MATH_FP8], 1e12, 1);
    record_quantity(s, "power", "W", g->power, 1, 0);
    record_text(s, "interconnect", g->interconnect);
    record_positive(s, "mig", "", g->mig_max);
    record_positive(s, "year", "", g->release_year);
    evidence(s, g);
    record_text(s, "vendor", g->vendor);
    record_detail(s);
    record_text(s, "source", g->source);
    record_detail(s);
}

enum gp_status report_gpu_rows(struct catalog *catalog, struct record *doc,
                               struct gp_err *err)
{
    const struct gpu *const *list;
    size_t n;
    enum gp_status status = catalog_gpus(catalog, &list, &n, err);
    for (size_t i = 0; i < n && !status; i++)
        row(list[i], record_append(doc, "items"));
    return status;
}

/* ---- one GPU ---- */

static void identity_facts(const struct gpu *g, struct record *s)
{
    record_text(s, "id", g->id);
    record_text(s, "name", g->name);
    record_text(s, "vendor", g->vendor);
    record_text(s, "architecture", g->architecture);
    if (g->compute_capability > 0)
        record_textf(s, "compute_capability", "%d.%d", g->compute_capability / 10,
                     g->compute_capability % 10);
    else
        record_text(s, "compute_capability", "");
    record_text(s, "form_factor", g->form_factor);
    record_positive(s, "release_year", "", g->release_year);
    record_words(s, "nvml_names", g->nvml_names);
    record_words(s, "pci_ids", g->pci_ids);
}

static void memory_facts(const struct gpu *g, struct record *s)
{
    record_group(s, "memory");
    record_quantity(s, "marketed", "GB", listed(g->memory_marketed), 1e9, 0);
    record_quantity(s, "physical", "GiB", g->physical, GP_GIB, 2);
    record_quantity(s, "usable", "GiB", gpu_usable(g), GP_GIB, 2);
    record_quantity(s, "bandwidth", "GB/s", g->bandwidth, 1e9, 0);
    record_quantity(s, "l2", "MiB", g->l2, GP_MIB, 1);
}

/* A rate of 0: the hardware has no such mode. */
static void rate_facts(const struct gpu *g, struct record *s)
{
    static const char *const names[MATH_COUNT] = {
        [MATH_FP32] = "fp32", [MATH_TF32] = "tf32", [MATH_FP16] = "fp16",
        [MATH_BF16] = "bf16", [MATH_FP8] = "fp8",   [MATH_INT8] = "int8",
        [MATH_INT4] = "int4", [MATH_FP4] = "fp4"};
    record_group(s, "dense arithmetic (0: no such mode)");
    for (int m = 0; m < MATH_COUNT; m++)
        record_quantity(s, names[m],
                        m == MATH_INT8 || m == MATH_INT4 ? "TOPS" : "TFLOPS",
                        g->rate[m], 1e12, 1);
    record_quantity(s, "fp16_accumulate_fp16", "TFLOPS", g->rate_fp16acc, 1e12, 1);
    record_positive(s, "sm_count", "", g->sm_count);
    record_quantity(s, "boost_clock", "MHz", listed(g->boost_mhz), 1, 0);
}

static void link_facts(const struct gpu *g, struct record *s)
{
    record_group(s, "power and links");
    record_quantity(s, "power", "W", g->power, 1, 0);
    record_text(s, "interconnect", g->interconnect);
    record_quantity(s, "link_bandwidth", "GB/s", listed(g->link_bandwidth), 1e9, 0);
    record_positive(s, "link_domain", "GPUs", g->link_domain);
    record_positive(s, "pcie_generation", "", g->pcie_gen);
    record_positive(s, "pcie_lanes", "", g->pcie_lanes);
}

static void slice_facts(const struct gpu *g, struct record *s)
{
    record_group(s, "MIG instances");
    record_positive(s, "mig_max_instances", "", g->mig_max);
    record_list(s, "mig_profiles");
    for (int i = 0; i < g->slice_count; i++) {
        const struct gpu_slice *slice = &g->slice[i];
        struct record *one = record_append(s, "mig_profiles");
        record_text(one, "profile", slice->profile);
        record_quantity(one, "memory", "GB", listed(slice->memory), 1e9, 0);
        record_textf(one, "compute", "%d/%d", slice->compute, slice->compute_of);
        record_textf(one, "memory_part", slice->memory_of > 0 ? "%d/%d" : "",
                     slice->memory_part, slice->memory_of);
        record_positive(one, "max_count", "", slice->max_count);
    }
}

static void price_facts(const struct gpu *g, struct record *s)
{
    record_group(s, "price");
    record_quantity(s, "launch_price", "$", g->launch_price, 1, 0);
    record_quantity(s, "street_price", "$", g->street_price, 1, 0);
    record_text(s, "street_price_as_of", g->street_as_of);
    record_text(s, "street_price_source", g->street_source);
}

static void gpu_facts(const struct gpu *g, struct record *s)
{
    identity_facts(g, s);
    memory_facts(g, s);
    rate_facts(g, s);
    link_facts(g, s);
    slice_facts(g, s);
    price_facts(g, s);
    record_group(s, "evidence");
    evidence(s, g);
    record_text(s, "source", g->source);
    record_text(s, "note", g->note);
}

/* "h100-sxm", or a slice: "h100-sxm/3g.40gb". */
enum gp_status report_gpu_show(struct planner *planner, const char *id,
                               struct record *out, struct gp_err *err)
{
    const struct gpu *g;
    struct gpu cut;
    char whole[GPU_ID_MAX + 32];
    if (!gp_copy(whole, sizeof(whole), id))
        return gp_fail(err, GP_E_USAGE, "", "", "the id is too long");
    char *slash = strchr(whole, '/');
    if (slash)
        *slash = '\0';
    enum gp_status status = catalog_gpu(planner_catalog(planner), whole, &g, err);
    if (!status && slash) {
        status = gpu_slice_of(g, slash + 1, &cut, err);
        if (status && err)
            gp_copy(err->where, sizeof(err->where), "--show");
        g = &cut;
    }
    if (!status)
        gpu_facts(g, out);
    return status;
}
