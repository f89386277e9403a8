/*
 * report_gpu.c - GPUs as records, and families: what a generation makes of its sheet.
 */
#include "answer/report_catalog.h"

#include <string.h>

#include "base/units.h"
#include "catalog/files.h"

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

/* With the usable memory that plans use. */
static struct gpu gpu_with_usable(const struct gpu *g)
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
        struct gpu g = gpu_with_usable(list[i]);

        RECORD_MEMBERS(record_append(doc, "items"), row_members, &g);
    }
    return rc;
}

/* ---- one GPU ---- */

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
    if (!rc) {
        cut = gpu_with_usable(g);
        report_fields(out, gpu_table, &cut);
    }
    return rc;
}

/* ---- families ---- */

#define OF(member) MEMBER_AT(struct family, member)

static const struct member family_members[] = {
    {"id", MEMBER_CHARS, OF(id)},
    {"name", MEMBER_CHARS, OF(name)},
    {"compute", MEMBER_FITTED, OF(product[KERNEL_16].compute), "of 16-bit rate", .decimals = 3},
    {"memory", MEMBER_FITTED, OF(product[KERNEL_16].memory), "of bandwidth", .decimals = 3},
    {"kv_memory", MEMBER_FITTED, OF(kv_memory), "of bandwidth", .decimals = 3},
    {"prefill_attention", MEMBER_FITTED, OF(prefill_attention), "of 16-bit rate", .decimals = 3},
    {"launch", MEMBER_FITTED, OF(launch), "x", .decimals = 2},
    {"spread", MEMBER_FITTED, OF(spread), "x", .decimals = 2},
    {"date", MEMBER_CHARS, OF(date)},
    {"source", MEMBER_CHARS, OF(source), .detail = true},
};

static void kernel_shares(struct record *s, enum kernel kernel, double compute, double memory)
{
    record_text(s, "kernel", kernel_word(kernel));
    record_fitted(s, "compute", "of the rate", compute, 1, 3);
    record_fitted(s, "memory", "of bandwidth", memory, 1, 3);
}

static void kernel_facts(const struct family *f, struct record *s)
{
    record_list(s, "products");
    for (int k = 0; k < KERNEL_COUNT; k++)
        if (f->product[k].memory > 0)
            kernel_shares(record_append(s, "products"), (enum kernel)k, f->product[k].compute,
                          f->product[k].memory);
    record_list(s, "experts");
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (f->expert[k].memory <= 0)
            continue;
        struct record *one = record_append(s, "experts");
        kernel_shares(one, (enum kernel)k, f->expert[k].compute, f->expert[k].memory);
        record_fitted(one, "each", "ns", f->expert[k].each, 1e-9, 1);
    }
}

static void link_facts(const struct link_law *law, const char *name, struct record *s)
{
    record_list(s, name);
    for (int i = 0; i < LINK_SIZES; i++) {
        if (law->latency[i] <= 0)
            continue;
        struct record *one = record_append(s, name);
        record_count(one, "gpus", "", 2 << i);
        record_fitted(one, "latency", "us", law->latency[i], 1e-6, 2);
        record_quantity(one, "root", "us", quantity_of(law->root[i], ORIGIN_MODEL), 1e-6, 2);
        record_fitted(one, "share", "of the link", law->share[i], 1, 3);
    }
}

enum gp_status report_family_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct family *const *list;
    size_t n;
    enum gp_status rc = catalog_families(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++)
        RECORD_MEMBERS(record_append(doc, "items"), family_members, list[i]);
    return rc;
}

enum gp_status report_family_show(struct planner *planner, const char *id, struct record *out,
                                  struct gp_err *err)
{
    const struct family *f;
    enum gp_status rc = catalog_family(planner_catalog(planner), id, &f, err);

    if (rc)
        return rc;
    report_fields(out, family_tables[0], f);
    kernel_facts(f, out);
    report_fields(out, family_tables[1], f);
    link_facts(&f->link, "link", out);
    link_facts(&f->pcie, "pcie", out);
    report_fields(out, family_tables[2], f);
    return GP_OK;
}
