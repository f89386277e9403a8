/*
 * sample.h - a few GPUs, engines, formats and models, built by hand.
 *
 * For tests of src/plan: the figures are the published shapes and what logs of vLLM
 * 0.19 on an H100 say, so that a test of an equation does not hang on a profile.
 */
#ifndef GP_TESTS_SAMPLE_H
#define GP_TESTS_SAMPLE_H

#include <limits.h>

#include "base/clock.h"
#include "base/units.h"
#include "plan/activation.h"
#include "plan/plan.h"

#include "unit.h"

static const struct format sample_bf16 = {
    .id = "bf16", .name = "BF16", .math = MATH_BF16, .bits = 16};
static const struct format sample_fp8 = {
    .id = "fp8", .name = "FP8", .math = MATH_FP8, .bits = 8, .tensor_bytes = 4};
static const struct format sample_int4 = {.id = "int4",
                                          .name = "INT4 group 128",
                                          .math = MATH_BF16,
                                          .weight_only = true,
                                          .bits = 4,
                                          .group_cols = 128,
                                          .group_rows = 1,
                                          .group_bytes = 2.5};
static const struct format sample_mxfp4 = {.id = "mxfp4",
                                           .name = "MXFP4",
                                           .math = MATH_FP4,
                                           .bits = 4,
                                           .group_cols = 32,
                                           .group_rows = 1,
                                           .group_bytes = 1};

static inline struct weights weights_on(const struct request *q, const struct layout *l, int stage)
{
    struct load load = load_sum(q);
    return weights_stage(q, &load, l, stage);
}

static inline struct activation activation_on(const struct request *q, const struct layout *l,
                                              bool has_head)
{
    struct load load = load_sum(q);
    return activation_estimate(q, &load, l, has_head);
}

/* What every format but 16 bit leaves as it is. */
#define SAMPLE_KEPT \
    (1u << ROLE_EMBED | 1u << ROLE_HEAD | 1u << ROLE_NORM | 1u << ROLE_ROUTER | 1u << ROLE_VISION)

static inline struct precision sample_precision(const struct format *format)
{
    struct precision p = {.weight = format, .base = &sample_bf16};
    snprintf(p.id, sizeof(p.id), "%s", format->id);
    for (int r = 0; r < ROLE_COUNT; r++)
        p.by_role[r] = SAMPLE_KEPT >> r & 1 ? &sample_bf16 : format;
    return p;
}

/* MXFP4 in the experts only, as gpt-oss is published. */
static inline struct precision sample_gpt_oss_precision(void)
{
    struct precision p = sample_precision(&sample_bf16);
    snprintf(p.id, sizeof(p.id), "native");
    p.weight = &sample_mxfp4;
    p.by_role[ROLE_EXPERT] = &sample_mxfp4;
    p.native = true;
    return p;
}

static inline struct gpu sample_h100(void)
{
    struct gpu g = {.id = "h100-sxm",
                    .name = "NVIDIA H100 SXM5 80GB",
                    .vendor = "nvidia",
                    .compute_capability = 90,
                    .memory_marketed = 80e9,
                    .mig_max = 7,
                    .slice_count = 2,
                    .slice = {{"1g.10gb", 10e9, 1, 7, 1, 8, 7}, {"3g.40gb", 40e9, 3, 7, 4, 8, 2}},
                    .confidence = "high",
                    .source = "nvidia-smi"};
    g.physical = quantity_of(79.65 * GP_GIB, ORIGIN_SHEET);
    g.usable = quantity_of(79.19 * GP_GIB, ORIGIN_SHEET);
    g.bandwidth = quantity_of(3.35e12, ORIGIN_SHEET);
    g.power = quantity_of(700, ORIGIN_SHEET);
    g.launch_price = quantity_of(30000, ORIGIN_SHEET);
    g.street_price = quantity_of(27500, ORIGIN_SHEET);
    snprintf(g.street_as_of, sizeof(g.street_as_of), "2026-05");
    snprintf(g.street_source, sizeof(g.street_source), "street");
    for (int m = 0; m < MATH_COUNT; m++)
        g.rate[m] = quantity_of(m == MATH_FP4 || m == MATH_INT4 ? 0 : 989e12, ORIGIN_SHEET);
    return g;
}

static inline struct quantity sample_gib(double value, double low, double high)
{
    return quantity_band(value * GP_GIB, low * GP_GIB, high * GP_GIB, ORIGIN_MODEL);
}

/* vLLM 0.17-0.19 as logged on an H100. */
static inline struct engine sample_vllm(void)
{
    struct engine e = {.id = "vllm",
                       .name = "vLLM",
                       .range = "0.17-0.19",
                       .from = 170000,
                       .until = 19,
                       .budget = BUDGET_UTILIZATION,
                       .fraction = 0.9,
                       .block = 16,
                       .group_slack = 1.25,
                       .batches = 1,
                       .state_blocks = 1,
                       .state_fp32 = "all",
                       .window_groups = true,
                       .seqs_small = 256,
                       .seqs_large = 1024,
                       .tokens_small = 2048,
                       .tokens_large = 8192,
                       .large_bytes = 70 * GP_GIB,
                       .large_except = "a100",
                       .logit_copies = 3,
                       .moe_workspace = 1,
                       .rope_table = true,
                       .mla_copies = "keys|values",
                       .pad_hidden = 256,
                       .pad_width = 128,
                       .support = {{.kind = SUPPORT_DTYPE, .of = "bf16", .from = 80}},
                       .support_count = 1,
                       .source = "logs of vLLM 0.19",
                       .date = "2026-11"};
    e.base = sample_gib(0.12, 0.08, 0.16);
    e.forward_base = sample_gib(0.12, 0.08, 0.16);
    e.vision = quantity_exact(0);
    e.non_torch_1 = sample_gib(0.25, 0.13, 0.27);
    e.non_torch_tp = sample_gib(2.12, 2.0, 2.3);
    e.non_torch_pp = sample_gib(0.07, 0.05, 0.25);
    e.graphs = e.graphs_charged = sample_gib(1.04, 0.51, 1.85);
    return e;
}

/* ---- models ---- */

static inline void sample_layers(struct model *m, int count, int kind)
{
    for (int i = 0; i < count; i++)
        m->layer[m->layer_count++] = (uint8_t)kind;
}

static inline struct layer_kind sample_gqa(int heads, int kv, int d, int ff)
{
    return (struct layer_kind){.mixer = MIXER_FULL,
                               .heads = heads,
                               .kv_heads = kv,
                               .head_dim = d,
                               .v_head_dim = d,
                               .ff = ff,
                               .gated = true,
                               .norms = 2};
}

static inline struct model sample_dense(const char *id, int h, int layers, int heads, int kv,
                                        int ff, int vocab)
{
    struct model m = {.hidden = h,
                      .vocab = vocab,
                      .kind_count = 1,
                      .final_norm = true,
                      .max_context = 131072,
                      .native_dtype = "bf16",
                      .source = "config.json"};
    snprintf(m.id, sizeof(m.id), "%s", id);
    m.kind[0] = sample_gqa(heads, kv, 128, ff);
    sample_layers(&m, layers, 0);
    return m;
}

static inline struct model sample_llama_8b(void)
{
    return sample_dense("llama-3.1-8b", 4096, 32, 32, 8, 14336, 128256);
}

static inline struct model sample_llama_70b(void)
{
    return sample_dense("llama-3.1-70b", 8192, 80, 64, 8, 28672, 128256);
}

static inline struct model sample_qwen3_14b(void)
{
    struct model m = sample_dense("qwen3-14b", 5120, 40, 40, 8, 17408, 151936);
    m.kind[0].qk_norm = QK_NORM_HEAD;
    m.max_context = 40960;
    return m;
}

/* 52 sliding and 10 full layers, five to one. */
static inline struct model sample_gemma_27b(void)
{
    struct model m = sample_dense("gemma-3-27b", 5376, 0, 32, 16, 21504, 262208);
    m.kind_count = 2;
    m.kind[0].qk_norm = QK_NORM_HEAD;
    m.kind[0].norms = 4;
    m.kind[1] = m.kind[0];
    m.kind[0].mixer = MIXER_SLIDING;
    m.kind[0].window = 1024;
    m.tied = true;
    for (int i = 0; i < 62; i++)
        sample_layers(&m, 1, i % 6 == 5);
    m.extra_count = 1;
    m.extra[0] = (struct model_extra){"vision tower", ROLE_VISION, 423060336};
    return m;
}

static inline struct model sample_gpt_oss_20b(void)
{
    struct model m = sample_dense("gpt-oss-20b", 2880, 0, 64, 8, 0, 201088);
    struct layer_kind *k = m.kind;
    m.kind_count = 2;
    k->head_dim = k->v_head_dim = 64;
    k->q_bias = k->kv_bias = k->o_bias = k->sinks = true;
    k->experts = 32;
    k->experts_active = 4;
    k->expert_ff = 2880;
    k->router_bias = k->expert_bias = true;
    m.kind[1] = m.kind[0];
    m.kind[0].mixer = MIXER_SLIDING;
    m.kind[0].window = 128;
    for (int i = 0; i < 24; i++)
        sample_layers(&m, 1, i % 2);
    return m;
}

static inline struct model sample_deepseek_v3(void)
{
    struct model m = {.id = "deepseek-v3",
                      .hidden = 7168,
                      .vocab = 129280,
                      .kind_count = 2,
                      .final_norm = true,
                      .max_context = 163840,
                      .native_dtype = "bf16",
                      .source = "config.json"};
    struct layer_kind dense = {.mixer = MIXER_MLA,
                               .heads = 128,
                               .kv_heads = 128,
                               .head_dim = 192,
                               .v_head_dim = 128,
                               .q_lora = 1536,
                               .kv_lora = 512,
                               .rope_dim = 64,
                               .nope_dim = 128,
                               .ff = 18432,
                               .gated = true,
                               .norms = 2};
    struct layer_kind moe = dense;
    moe.ff = 0;
    moe.experts = 256;
    moe.experts_active = 8;
    moe.expert_ff = 2048;
    moe.shared_ff = 2048;
    moe.router_bias = true;
    m.kind[0] = dense;
    m.kind[1] = moe;
    sample_layers(&m, 3, 0);
    sample_layers(&m, 58, 1);
    return m;
}

/* 36 gated DeltaNet and 12 full layers, three to one. */
static inline struct model sample_qwen3_next(void)
{
    struct model m = sample_dense("qwen3-next", 2048, 0, 16, 2, 0, 151936);
    struct layer_kind *k = m.kind;
    m.kind_count = 2;
    k->head_dim = k->v_head_dim = 256;
    k->out_gate = true;
    k->qk_norm = QK_NORM_HEAD;
    k->experts = 512;
    k->experts_active = 10;
    k->expert_ff = k->shared_ff = 512;
    k->shared_gate = true;
    m.kind[1] = m.kind[0];
    m.kind[1].mixer = MIXER_FULL;
    m.kind[0] = (struct layer_kind){.mixer = MIXER_DELTANET,
                                    .lin_k_heads = 16,
                                    .lin_v_heads = 32,
                                    .lin_k_dim = 128,
                                    .lin_v_dim = 128,
                                    .conv_kernel = 4,
                                    .gated = true,
                                    .experts = 512,
                                    .experts_active = 10,
                                    .expert_ff = 512,
                                    .shared_ff = 512,
                                    .shared_gate = true,
                                    .norms = 2};
    for (int i = 0; i < 48; i++)
        sample_layers(&m, 1, i % 4 == 3);
    m.max_context = 262144;
    return m;
}

/* 36 chunked and 12 full layers; MoE in all of them. */
static inline struct model sample_scout(void)
{
    struct model m = sample_dense("llama-4-scout", 5120, 0, 40, 8, 0, 202048);
    struct layer_kind *k = m.kind;
    m.kind_count = 2;
    k->experts = 16;
    k->experts_active = 1;
    k->expert_ff = k->shared_ff = 8192;
    m.kind[1] = m.kind[0];
    m.kind[0].mixer = MIXER_CHUNKED;
    m.kind[0].window = 8192;
    for (int i = 0; i < 48; i++)
        sample_layers(&m, 1, i % 4 == 3);
    m.max_context = 10485760;
    return m;
}

/* ---- requests and layouts ---- */

struct sample {
    struct model model;
    struct gpu gpu;
    struct engine engine;
    struct request request; /* points to the three above */
};

/* Caller's storage, because the request points into it. */
static inline struct request *sample_request(struct sample *s, struct model model)
{
    s->model = model;
    s->gpu = sample_h100();
    s->engine = sample_vllm();
    s->request = (struct request){.model = &s->model,
                                  .precision = sample_precision(&sample_bf16),
                                  .kv = &sample_bf16,
                                  .gpu = &s->gpu,
                                  .engine = &s->engine,
                                  .context = 8192,
                                  .prompt = 1024,
                                  .output = 256,
                                  .users = 1,
                                  .host_gpus = 8};
    return &s->request;
}

static inline struct layout sample_layout(int tp, int pp, int ep, int replicas)
{
    return (struct layout){
        .tp = tp, .pp = pp, .ep = ep, .replicas = replicas, .gpus = tp * pp * replicas, .hosts = 1};
}

/* ---- prices: one instance, one server, what owning costs ---- */

static const struct instance sample_rented = {.provider = "aws",
                                              .type = "p5.48xlarge",
                                              .gpu = "h100-sxm",
                                              .gpu_count = 8,
                                              .ram = 2048 * GP_GIB,
                                              .on_demand = 55.04,
                                              .region = "us-east-1",
                                              .date = "2026-07-20",
                                              .source = "price list"};
static const struct server sample_bought = {.id = "hgx",
                                            .name = "HGX H100 8-GPU server",
                                            .kind = "fixed",
                                            .gpus = 8,
                                            .gpu_ids = "h100-sxm",
                                            .price_low = 310000,
                                            .price_high = 317000,
                                            .price_as_of = "2024-08",
                                            .source = "price sheet"};
static const struct ownership sample_owning = {.electricity = 0.0861,
                                               .pue = 1.5,
                                               .years = 4,
                                               .years_low = 3,
                                               .years_high = 6,
                                               .server_share = 0.35,
                                               .source = "EIA",
                                               .date = "2026-01"};

static inline struct market sample_aws_market(void)
{
    return (struct market){.instances = &sample_rented,
                           .instance_count = 1,
                           .servers = &sample_bought,
                           .server_count = 1,
                           .ownership = &sample_owning,
                           .today = date_days("2026-11-21")};
}

#endif
