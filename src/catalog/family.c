/*
 * family.c - see family.h; and the keys of a profile of one generation of GPUs.
 *
 *   name = "Hopper";  norm = 2.5;
 *   products = ( { kernel = "16-bit"; compute = 0.80; memory = 0.88; }, ... );
 *   experts = ( { kernel = "fp8-block"; compute = 0.24; memory = 0.86; each_ns = 240; } );
 *   link = { latency_us = [3.5, 3.7, 4.0]; root_us = [...]; share = [...]; };  # 2, 4, 8 GPUs
 */
#include "catalog/family.h"

#include <math.h>
#include <string.h>

#include "catalog/files.h"

const char *kernel_word(enum kernel kernel)
{
#define X(NAME, word) [KERNEL_##NAME] = word,
    static const char *const words[KERNEL_COUNT] = {KERNELS(X)};
#undef X
    return words[kernel];
}

static double rate_of(const struct gpu *gpu, enum format_math math)
{
    return gpu->rate[math].known ? gpu->rate[math].value : 0;
}

/* BF16, or FP16 where the hardware has no BF16; in FP32 where that is slower still, as on cards
 * whose FP16 is a sixty-fourth of it or none. */
static double rate_16(const struct gpu *gpu)
{
    double bf16 = rate_of(gpu, MATH_BF16), half = bf16 > 0 ? bf16 : rate_of(gpu, MATH_FP16);
    bool told = gpu->rate[MATH_FP16].known || gpu->rate[MATH_BF16].known;

    return told ? fmax(half, rate_of(gpu, MATH_FP32)) : half;
}

/* Without arithmetic of its own. */
static enum kernel kernel_unpacked(const struct format *f)
{
    return f->bits > 8 ? KERNEL_16 : f->bits > 4 ? KERNEL_W8 : KERNEL_W4;
}

enum kernel kernel_of(const struct format *f, const struct gpu *gpu, bool gguf)
{
    if (gguf)
        return f->bits >= 16 ? KERNEL_GGUF16 : KERNEL_GGUF;
    if (strcmp(f->id, "mxfp4") == 0)
        return KERNEL_MXFP4;
    if (f->weight_only || (f->bits < 16 && rate_of(gpu, f->math) <= 0))
        return kernel_unpacked(f);
    switch (f->math) {
    case MATH_FP8:
        return f->group_cols > 0 ? KERNEL_FP8_BLOCK : KERNEL_FP8;
    case MATH_FP4:
        return KERNEL_FP4;
    case MATH_INT8:
        return KERNEL_INT8;
    case MATH_FP32:
    case MATH_TF32:
        return KERNEL_32;
    default:
        return kernel_unpacked(f);
    }
}

double kernel_rate(enum kernel kernel, const struct gpu *gpu)
{
    switch (kernel) {
    case KERNEL_32:
        return rate_of(gpu, MATH_FP32);
    case KERNEL_FP8:
    case KERNEL_FP8_BLOCK:
        return rate_of(gpu, MATH_FP8);
    case KERNEL_MXFP4: /* FP8 activations where there is FP4 arithmetic, else 16 bit */
        return rate_of(gpu, MATH_FP4) > 0 ? rate_of(gpu, MATH_FP8) : rate_16(gpu);
    case KERNEL_FP4:
        return rate_of(gpu, MATH_FP4);
    case KERNEL_INT8:
        return rate_of(gpu, MATH_INT8);
    case KERNEL_GGUF16: /* llama.cpp adds up in FP16, twice as fast on GeForce cards */
    case KERNEL_GGUF:
        return gpu->rate_fp16acc.known ? gpu->rate_fp16acc.value : rate_16(gpu);
    default:
        return rate_16(gpu);
    }
}

double family_compute(enum kernel kernel, const struct gpu *gpu, double compute)
{
    static const unsigned fp32_sums = 1u << KERNEL_16 | 1u << KERNEL_FP8 | 1u << KERNEL_FP8_BLOCK |
                                      1u << KERNEL_MXFP4 | 1u << KERNEL_W8 | 1u << KERNEL_W4;
    double slower = gpu->rate_fp16acc.known ? rate_16(gpu) / gpu->rate_fp16acc.value : 1;

    if (!(fp32_sums >> kernel & 1) || slower <= 0 || slower >= 1 || compute >= 1)
        return compute;
    return 1 / sqrt(1 + (1 / (compute * compute) - 1) * slower * slower);
}

/* ---- weights that are packed ---- */

#define INTEGER_LANES 64  /* of a multiprocessor; from cc 8.0 on */
#define UNPACK 2.85       /* integer instructions per weight, beside its share of a load */
#define UNPACK_PASCAL 4.4 /* ... of llama.cpp's quants, on lanes that do the rest, too */

double family_unpacked(enum kernel kernel, const struct gpu *gpu, double memory)
{
    double lanes = INTEGER_LANES * gpu->sm_count * gpu->boost_mhz * 1e6;
    double weights = kernel == KERNEL_W8 ? 1 : 2; /* of a byte */
    bool pascal = gpu->compute_capability >= 60 && gpu->compute_capability < 70;
    bool packed = kernel == KERNEL_W4 || kernel == KERNEL_W8 || (pascal && kernel == KERNEL_GGUF);

    if (!packed || lanes <= 0 || !gpu->bandwidth.known)
        return memory;
    double unpack = kernel == KERNEL_GGUF ? UNPACK_PASCAL : UNPACK;
    return 1 / hypot(1 / memory, unpack * weights * gpu->bandwidth.value / lanes);
}

/* Whose figure stands in for a kernel's; 16 bit is every family's own. */
static const enum kernel alike[KERNEL_COUNT] = {
    [KERNEL_16] = KERNEL_16,         [KERNEL_32] = KERNEL_16,       [KERNEL_FP8] = KERNEL_16,
    [KERNEL_FP8_BLOCK] = KERNEL_FP8, [KERNEL_FP4] = KERNEL_FP8,     [KERNEL_MXFP4] = KERNEL_W4,
    [KERNEL_INT8] = KERNEL_16,       [KERNEL_W8] = KERNEL_16,       [KERNEL_W4] = KERNEL_W8,
    [KERNEL_GGUF16] = KERNEL_16,     [KERNEL_GGUF] = KERNEL_GGUF16,
};

struct product_share family_product(const struct family *f, enum kernel kernel, bool *is_alike)
{
    enum kernel k = kernel;

    while (f->product[k].memory <= 0 && alike[k] != k)
        k = alike[k];
    *is_alike = k != kernel;
    return f->product[k];
}

/* A family without figures of experts takes those of its products, half the arithmetic:
 * uneven routing leaves half of a grouped product's tiles empty. */
struct expert_share family_expert(const struct family *f, enum kernel kernel, bool *is_alike)
{
    enum kernel k = kernel;

    while (f->expert[k].memory <= 0 && alike[k] != k)
        k = alike[k];
    *is_alike = k != kernel;
    if (f->expert[k].memory > 0)
        return f->expert[k];
    struct product_share p = family_product(f, kernel, is_alike);
    *is_alike = true;
    return (struct expert_share){.compute = p.compute / 2, .memory = p.memory};
}

/* ---- the file ---- */

#define KERNELS_MAX 32

const struct profile_word family_kernels[] = {
#define X(NAME, word) {word, KERNEL_##NAME},
    KERNELS(X)
#undef X
        {NULL, 0},
};

#define AT(member) PROFILE_AT(struct family, member)
#define PRODUCT(member) PROFILE_AT(struct product_share, member)
#define EXPERT(member) PROFILE_AT(struct expert_share, member)

static const struct profile_field product_keys[] = {
    {NULL, PROFILE_TEXT, AT(id), .label = "id"},
    {"name", PROFILE_TEXT, AT(name)},
    {"norm", PROFILE_NUMBER, AT(norm), 1, 8, 1, NULL, "p", 2, SHOW_FITTED, .group = "products"},
    {"waves", PROFILE_FLAG, AT(waves)},
};

static const struct profile_field attention_keys[] = {
    {"expert_token_ns", PROFILE_NUMBER, AT(expert_token), 0, 1e4, 1e-9, "expert_token", "ns", 2,
     SHOW_FITTED},
    {"prefill_attention", PROFILE_NUMBER, AT(prefill_attention), 0.01, 1.5, 1, NULL,
     "of 16-bit rate", 3, SHOW_FITTED, .group = "attention and launches"},
    {"kv_memory", PROFILE_NUMBER, AT(kv_memory), 0.01, 1.1, 1, NULL, "of bandwidth", 3,
     SHOW_FITTED},
    {"kv_split", PROFILE_NUMBER, AT(kv_split), 0, 16, 1, NULL, "sequences", 2, SHOW_FITTED},
    {"mla_compute", PROFILE_NUMBER, AT(mla_compute), 0.01, 1.1, 1, NULL, "of 16-bit rate", 3,
     SHOW_FITTED},
    {"mla_walk_ns", PROFILE_NUMBER, AT(mla_walk), 0, 1e4, 1e-9, "mla_walk", "ns per token", 1,
     SHOW_FITTED},
    {"launch", PROFILE_NUMBER, AT(launch), 0.1, 10, 1, NULL, "x", 3, SHOW_FITTED},
    {"unpack_g_s", PROFILE_NUMBER, AT(unpack), 0, 1e3, 1e9, "unpack", "G weights/s a core", 1,
     SHOW_FITTED},
    {"layer", PROFILE_NUMBER, AT(layer), 0.01, 10, .show = SHOW_NOT},
};

static const struct profile_field evidence_keys[] = {
    {"flop_per_byte", PROFILE_QUANTITY, AT(flop_per_byte), 1, 1e4, 1, NULL, "FLOP/byte", 1,
     SHOW_SET},
    {"pcie_gb_s", PROFILE_NUMBER, AT(pcie_rate), 0, 1e3, 1e9, "pcie_rate", "GB/s", 1, SHOW_SET},
    {"spread", PROFILE_NUMBER, AT(spread), 1, 10, 1, NULL, "x", 2, SHOW_FITTED,
     .group = "evidence"},
    {"spread_fast", PROFILE_NUMBER, AT(spread_fast), 1, 10, 1, NULL, "x", 2, SHOW_SET},
    {"evidence", PROFILE_TEXT, AT(evidence)},
    {"source", PROFILE_TEXT, AT(source)},
    {"date", PROFILE_TEXT, AT(date)},
};

const struct profile_table family_tables[FAMILY_PARTS] = {
    PROFILE_TABLE(product_keys), PROFILE_TABLE(attention_keys), PROFILE_TABLE(evidence_keys)};

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
        profile_word(item, "kernel", &kernel, family_kernels);
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

void family_file_read(struct profile_group top, void *target)
{
    struct family *f = &((struct family_item *)target)->family;

    if (f->launch <= 0)
        f->launch = f->layer = f->spread = 1;
    for (int i = 0; i < FAMILY_PARTS; i++)
        profile_fields(top, family_tables[i].fields, family_tables[i].count, f);
    read_kernels(top, "products", product_fields,
                 sizeof(product_fields) / sizeof(product_fields[0]), f->product,
                 sizeof(f->product[0]));
    read_kernels(top, "experts", expert_fields, sizeof(expert_fields) / sizeof(expert_fields[0]),
                 f->expert, sizeof(f->expert[0]));
    read_link(profile_sub(top, "link"), &f->link);
    read_link(profile_sub(top, "pcie"), &f->pcie);
    read_link(profile_sub(top, "pcie_staged"), &f->staged);
    if (f->mla_compute <= 0)
        f->mla_compute = f->product[KERNEL_16].compute;
    const struct product_share *half = &f->product[KERNEL_16];
    const struct profile_need needs[] = {
        {"norm", f->norm > 0},           {"products", half->memory > 0 && half->compute > 0},
        {"kv_memory", f->kv_memory > 0}, {"prefill_attention", f->prefill_attention > 0},
        {"evidence", f->evidence[0]},    {"source", f->source[0]},
    };
    PROFILE_NEEDS(top, needs, "every family needs these; products that of \"16-bit\"");
}
