/*
 * family_file.c - the keys of a profile of one generation of GPUs.
 *
 *   name = "Hopper";  norm = 2.5;
 *   products = ( { kernel = "16-bit"; compute = 0.80; memory = 0.88; }, ... );
 *   experts = ( { kernel = "fp8-block"; compute = 0.24; memory = 0.86; each_ns = 240; } );
 *   link = { latency_us = [3.5, 3.7, 4.0]; root_us = [...]; share = [...]; };  # 2, 4, 8 GPUs
 */
#include "catalog/family_file.h"

#include <string.h>

#define KERNELS_MAX 32

const struct profile_word family_file_kernels[] = {
#define X(NAME, word) {word, KERNEL_##NAME},
    KERNELS(X)
#undef X
        {NULL, 0},
};

#define AT(member) PROFILE_AT(struct family, member)
#define PRODUCT(member) PROFILE_AT(struct product_share, member)
#define EXPERT(member) PROFILE_AT(struct expert_share, member)

static const struct profile_field fields[] = {
    {"name", PROFILE_TEXT, AT(name)},
    {"norm", PROFILE_NUMBER, AT(norm), 1, 8},
    {"waves", PROFILE_FLAG, AT(waves)},
    {"expert_token_ns", PROFILE_NUMBER, AT(expert_token), 0, 1e4, 1e-9},
    {"prefill_attention", PROFILE_NUMBER, AT(prefill_attention), 0.01, 1.5},
    {"kv_memory", PROFILE_NUMBER, AT(kv_memory), 0.01, 1.1},
    {"kv_split", PROFILE_NUMBER, AT(kv_split), 0, 16},
    {"mla_compute", PROFILE_NUMBER, AT(mla_compute), 0.01, 1.1},
    {"launch", PROFILE_NUMBER, AT(launch), 0.1, 10},
    {"layer", PROFILE_NUMBER, AT(layer), 0.01, 10},
    {"spread", PROFILE_NUMBER, AT(spread), 1, 10},
    {"evidence", PROFILE_TEXT, AT(evidence)},
    {"source", PROFILE_TEXT, AT(source)},
    {"date", PROFILE_TEXT, AT(date)},
};

static const struct profile_field product_fields[] = {
    {"compute", PROFILE_NUMBER, PRODUCT(compute), 0.01, 2},
    {"memory", PROFILE_NUMBER, PRODUCT(memory), 0.01, 1.1},
};

static const struct profile_field expert_fields[] = {
    {"compute", PROFILE_NUMBER, EXPERT(compute), 0.01, 2},
    {"memory", PROFILE_NUMBER, EXPERT(memory), 0.01, 1.1},
    {"each_ns", PROFILE_NUMBER, EXPERT(each), 0, 1e5, 1e-9},
};

/* A list of one group per kernel, into the row of that kernel. */
static void read_kernels(struct profile_group top, const char *key,
                         const struct profile_field *list_fields, size_t count, void *rows,
                         size_t row_size)
{
    int items = profile_length(top, key, KERNELS_MAX);

    for (int i = 0; i < items && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, key, i);
        int kernel = 0;

        profile_require(item, "kernel");
        profile_word(item, "kernel", &kernel, family_file_kernels);
        profile_fields(item, list_fields, count, (char *)rows + (size_t)kernel * row_size);
    }
}

static void read_sizes(struct profile_group group, const char *key, double *out, double unit,
                       double high)
{
    int count = profile_length(group, key, LINK_SIZES);

    if (count == 0)
        return;
    if (count != LINK_SIZES)
        profile_fail(group, key, "give the figures of 2, 4 and 8 GPUs", "has not three");
    for (int i = 0; i < count; i++) {
        profile_number_at(group, key, i, &out[i], 0, high);
        out[i] *= unit;
    }
}

static void read_link(struct profile_group group, struct link_law *law)
{
    read_sizes(group, "latency_us", law->latency, 1e-6, 1e4);
    read_sizes(group, "root_us", law->root, 1e-6, 1e4);
    read_sizes(group, "share", law->share, 1, 2);
}

static const char *missing_key(const struct family *f)
{
    return f->norm <= 0                                                              ? "norm"
           : f->product[KERNEL_16].memory <= 0 || f->product[KERNEL_16].compute <= 0 ? "products"
           : f->kv_memory <= 0                                                       ? "kv_memory"
           : f->prefill_attention <= 0 ? "prefill_attention"
           : f->evidence[0] == '\0'    ? "evidence"
           : f->source[0] == '\0'      ? "source"
                                       : NULL;
}

void family_file_read(struct profile_group top, void *target)
{
    struct family *f = &((struct family_item *)target)->family;

    if (f->launch <= 0)
        f->launch = f->layer = f->spread = 1;
    profile_fields(top, fields, sizeof(fields) / sizeof(fields[0]), f);
    read_kernels(top, "products", product_fields,
                 sizeof(product_fields) / sizeof(product_fields[0]), f->product,
                 sizeof(f->product[0]));
    read_kernels(top, "experts", expert_fields, sizeof(expert_fields) / sizeof(expert_fields[0]),
                 f->expert, sizeof(f->expert[0]));
    read_link(profile_sub(top, "link"), &f->link);
    read_link(profile_sub(top, "pcie"), &f->pcie);
    if (f->mla_compute <= 0)
        f->mla_compute = f->product[KERNEL_16].compute;
    const char *missing = missing_key(f);
    if (missing)
        profile_fail(top, missing, "every family needs it; products that of \"16-bit\"",
                     "is missing");
}
