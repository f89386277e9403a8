/*
 * roofline.c - see roofline.h.
 */
#include "plan/roofline.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static bool roofline_bounds(struct quantity q)
{
    return q.known && q.value > 0;
}

struct roof roof_of_gpu(const struct gpu *gpu, enum format_math math, bool fp16acc)
{
    struct roof roof = {gpu->rate[math], gpu->bandwidth};

    if (fp16acc && roofline_bounds(gpu->rate_fp16acc))
        roof.rate = gpu->rate_fp16acc;
    return roof;
}

struct roof roof_of_type(const struct gpu *gpu, enum bench_type type)
{
    const struct type_row *row = &type_rows[type];
    int math = 0;

    while (math < MATH_COUNT &&
           strcmp(row->arithmetic, format_math_word((enum format_math)math)) != 0)
        math++;
    if (math == MATH_COUNT)
        return (struct roof){quantity_unknown(), gpu->bandwidth};
    return roof_of_gpu(gpu, (enum format_math)math, strcmp(row->accumulate, "fp16") == 0);
}

struct roofline roofline_work(const struct roof *roof, double operations, double bytes)
{
    struct roofline out = {quantity_unknown(), ROOF_NONE};

    if (bytes > 0 && roofline_bounds(roof->bandwidth)) {
        out.time = quantity_of(bytes / roof->bandwidth.value, roof->bandwidth.origin);
        out.bound = ROOF_MEMORY;
    }
    if (operations > 0 && roofline_bounds(roof->rate)) {
        double t = operations / roof->rate.value;

        if (!out.time.known || t > out.time.value) {
            out.time = quantity_of(t, roof->rate.origin);
            out.bound = ROOF_ARITHMETIC;
        }
    }
    return out;
}

/* Line rate of one lane in bits/s times its coding: 8b/10b, 128b/130b, flits of 256
 * bytes that carry 242. */
double roofline_pcie(int gen, int lanes)
{
    static const double bits[] = {
        0,
        2.5e9 * 8 / 10,
        5e9 * 8 / 10,
        8e9 * 128 / 130,
        16e9 * 128 / 130,
        32e9 * 128 / 130,
        64e9 * 242 / 256,
    };

    if (gen < 1 || gen >= (int)(sizeof bits / sizeof bits[0]) || lanes < 1)
        return 0;
    return bits[gen] / 8 * lanes;
}

struct roofline roofline_prompt(const struct request *q)
{
    const struct model *m = q->model;
    const struct format *f = q->precision.weight;
    bool half = f->weight_only || f->math == MATH_FP32; /* engines take FP32 weights as FP16 */
    struct roof roof = roof_of_gpu(q->gpu, half ? MATH_FP16 : f->math, false);
    double matrices = model_params_active(m) - model_params_role(m, ROLE_EMBED), attention = 0;

    if (!model_is_encoder(m) || q->gpu->memory_only)
        return (struct roofline){quantity_unknown(), ROOF_NONE};
    for (int k = 0; k < m->kind_count; k++)
        attention += 4 * q->prompt * q->prompt * m->kind[k].heads * m->kind[k].head_dim *
                     model_kind_layers(m, k);
    return roofline_work(&roof, 2 * matrices * q->prompt + attention,
                         matrices * fmin(f->bits, 16) / 8);
}

struct roofline roofline_link(const struct gpu *gpu, double bytes)
{
    struct roofline out = {quantity_unknown(), ROOF_NONE};
    double rate = roofline_pcie(gpu->pcie_gen, gpu->pcie_lanes);

    if (rate > 0 && bytes > 0) {
        out.time = quantity_of(bytes / rate, ORIGIN_SHEET);
        out.bound = ROOF_LINK;
    }
    return out;
}

static const char *const bound_words[] = {"none", "memory", "arithmetic", "link"};

const char *roof_bound_word(enum roof_bound bound)
{
    return bound_words[bound];
}

enum roof_bound roof_bound_parse(const char *word)
{
    int bound = ROOF_LINK;

    while (bound > ROOF_NONE && strcmp(word, bound_words[bound]) != 0)
        bound--;
    return (enum roof_bound)bound;
}
