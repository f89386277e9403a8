/*
 * report_family.c - families of GPUs as records: what a generation makes of its sheet.
 */
#include "answer/report_catalog.h"

#define AT(member) MEMBER_AT(struct family, member)

static const struct member row_members[] = {
    {"id", MEMBER_CHARS, AT(id)},
    {"name", MEMBER_CHARS, AT(name)},
    {"compute", MEMBER_FITTED, AT(product[KERNEL_16].compute), "of 16-bit rate", .decimals = 3},
    {"memory", MEMBER_FITTED, AT(product[KERNEL_16].memory), "of bandwidth", .decimals = 3},
    {"kv_memory", MEMBER_FITTED, AT(kv_memory), "of bandwidth", .decimals = 3},
    {"prefill_attention", MEMBER_FITTED, AT(prefill_attention), "of 16-bit rate", .decimals = 3},
    {"launch", MEMBER_FITTED, AT(launch), "x", .decimals = 2},
    {"spread", MEMBER_FITTED, AT(spread), "x", .decimals = 2},
    {"date", MEMBER_CHARS, AT(date)},
    {"source", MEMBER_CHARS, AT(source), .detail = true},
};

static const struct member first_members[] = {
    {"id", MEMBER_CHARS, AT(id)},
    {"name", MEMBER_CHARS, AT(name)},
    {"norm", MEMBER_FITTED, AT(norm), "p", .decimals = 2, .group = "products"},
    {"waves", MEMBER_FLAG, AT(waves)},
};

static const struct member middle_members[] = {
    {"expert_token", MEMBER_FITTED, AT(expert_token), "ns", 1e-9, 2},
    {"prefill_attention", MEMBER_FITTED, AT(prefill_attention), "of 16-bit rate", .decimals = 3,
     .group = "attention and launches"},
    {"kv_memory", MEMBER_FITTED, AT(kv_memory), "of bandwidth", .decimals = 3},
    {"kv_split", MEMBER_FITTED, AT(kv_split), "sequences", .decimals = 2},
    {"mla_compute", MEMBER_FITTED, AT(mla_compute), "of 16-bit rate", .decimals = 3},
    {"launch", MEMBER_FITTED, AT(launch), "x", .decimals = 3},
};

static const struct member last_members[] = {
    {"spread", MEMBER_FITTED, AT(spread), "x", .decimals = 2, .group = "evidence"},
    {"evidence", MEMBER_CHARS, AT(evidence)},
    {"source", MEMBER_CHARS, AT(source)},
    {"date", MEMBER_CHARS, AT(date)},
};

static void shares(struct record *s, enum kernel kernel, double compute, double memory)
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
            shares(record_append(s, "products"), (enum kernel)k, f->product[k].compute,
                   f->product[k].memory);
    record_list(s, "experts");
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (f->expert[k].memory <= 0)
            continue;
        struct record *one = record_append(s, "experts");
        shares(one, (enum kernel)k, f->expert[k].compute, f->expert[k].memory);
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
        RECORD_MEMBERS(record_append(doc, "items"), row_members, list[i]);
    return rc;
}

enum gp_status report_family_show(struct planner *planner, const char *id, struct record *out,
                                  struct gp_err *err)
{
    const struct family *f;
    enum gp_status rc = catalog_family(planner_catalog(planner), id, &f, err);

    if (rc)
        return rc;
    RECORD_MEMBERS(out, first_members, f);
    kernel_facts(f, out);
    RECORD_MEMBERS(out, middle_members, f);
    link_facts(&f->link, "link", out);
    link_facts(&f->pcie, "pcie", out);
    RECORD_MEMBERS(out, last_members, f);
    return GP_OK;
}
