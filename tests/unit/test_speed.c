/* test_speed.c - the laws of speed/: the worked numbers of their headers, and what holds
 * of any request. */
#include "plan/speed/speed.h"

#include "base/units.h"
#include "plan/draft.h"
#include "plan/plan.h"
#include "plan/roofline.h"
#include "shipped.h"

/* Hopper in round figures, as family.h's example. */
static struct family round_hopper(void)
{
    struct family f = *profile_gpu(catalog, "h100-sxm")->family;
    f.norm = 2.5;
    f.product[KERNEL_16] = (struct product_share){0.80, 0.88};
    f.kv_memory = 0.82;
    f.link =
        (struct link_law){{3.5e-6, 3.7e-6, 4.0e-6}, {0.4e-6, 4.3e-6, 8e-6}, {0.63, 0.77, 1.11}};
    return f;
}

/* ---- worked numbers ---- */

static void test_gemm(void **state)
{
    double flops = 0.80 * 989.4e12, bytes = 0.88 * 3.35e12;
    struct gemm g = {.weights = 28672.0 * 4096 * 2 / bytes,
                     .traffic = 2 * (28672.0 + 4096) / bytes,
                     .compute = 2 * 28672.0 * 4096 / flops,
                     .times = 1};

    (void)state;
    assert_near(g.compute, 0.3e-6, 0.01e-6);
    assert_near(gemm_time(&g, 1, 1, 2.5), 79.7e-6, 0.05e-6);
    assert_near(gemm_time(&g, 16384, 1, 2.5), g.compute * 16384, 0.01 * g.compute * 16384);
    /* at the knee both count: 2^(1/2.5) of either */
    assert_near(gemm_norm(1, 1, 2.5), 1.3195, 1e-4);
    assert_near(gemm_norm(3, 4, 2), 5, 1e-12);
    assert_near(gemm_norm(1, 0, 2.5), 1, 0);
    for (double low = 1e-4; low < 1; low *= 1.3) /* the series is the root */
        assert_near(gemm_norm(low, 1, 2.5), pow(1 + pow(low, 2.5), 0.4), 1e-12);
    /* copies in 16 bit are written where many tokens share them */
    g.unpack = 1e-3;
    assert_near(gemm_time(&g, 64, 1, 2.5), g.weights + 64 * g.traffic, 1e-6);
    assert_true(gemm_time(&g, 65, 1, 2.5) > 1e-3 + g.weights);
}

static void test_waves(void **state)
{
    const struct gpu b200 = {
        .sm_count = 148, .boost_mhz = 1965, .bandwidth = {.value = 7.7e12, .known = true}};
    /* a GTX 1050 Ti */
    const struct gpu pascal = {.compute_capability = 61,
                               .sm_count = 6,
                               .boost_mhz = 1392,
                               .bandwidth = {.value = 112.1e9, .known = true}};
    double before = 0;

    (void)state;
    assert_near(waves_issued(64, 4096, 4096, 188), 1, 0);
    /* 128 tiles of 256 x 128, K in four: 512 in three waves of 188, 564/512 * 1164/1024 */
    assert_near(waves_issued(1024, 4096, 4096, 188), 1.2522, 1e-4);
    for (double t = 1; t < 20000; t *= 1.07) { /* more tokens never take less */
        double work = t * waves_issued(t, 5120, 5120, 188);
        assert_true(work >= before * (1 - 1e-9) && work >= t);
        before = work;
    }
    /* 0.38 of 7.7 TB/s: 2.9 TB/s of 4-bit weights */
    assert_near(family_unpacked(KERNEL_W4, &b200, 0.83), 0.378, 1e-3);
    assert_near(family_unpacked(KERNEL_16, &b200, 0.83), 0.83, 0);
    /* llama.cpp's quants cost instructions on Pascal alone */
    assert_near(family_unpacked(KERNEL_GGUF, &pascal, 0.75), 0.439, 1e-3);
    assert_near(family_unpacked(KERNEL_GGUF, &b200, 0.75), 0.75, 0);
}

static void test_moe(void **state)
{
    (void)state;
    assert_near(moe_reached(128, 8, 1), 8, 1e-9);
    assert_near(moe_reached(128, 8, 64), 103.7, 0.05);
    assert_near(moe_reached(8, 8, 5), 8, 0);
    struct moe m = {.experts = 128, .active = 8, .expert = 1e-6, .times = 1, .ep = 1};
    assert_near(moe_time(&m, 1, 1), 8e-6, 1e-12);
    m.ep = 4; /* the fullest rank has more than its share */
    assert_near(moe_time(&m, 1, 1), 8e-6 * (1 + 0.3 * sqrt(4 / 8.0)), 1e-12);
    m = (struct moe){.experts = 128,
                     .active = 8,
                     .expert = 1e-6,
                     .traffic = 1e-9,
                     .times = 1,
                     .ep = 1,
                     .pad = 128 * 128 / 8}; /* all are read, whoever asks */
    assert_near(moe_time(&m, 1, 1), 128e-6 + 2049e-9, 1e-12);
    assert_near(moe_time(&m, 20, 1), 128e-6 + 2068e-9, 1e-12);
}

static void test_comm(void **state)
{
    struct family f = round_hopper();
    const struct gpu *gpu = profile_gpu(catalog, "h100-sxm");
    struct comm c = comm_of(gpu, &f, 8, 8, 1.35);

    (void)state;
    assert_true(c.known && !c.pcie);
    assert_near(comm_allreduce(&c, 16384), 6.5e-6, 0.05e-6);
    c = comm_of(gpu, &f, 1, 8, 1.35);
    assert_near(comm_allreduce(&c, 16384), 0, 0);
    c = comm_of(profile_gpu(catalog, "l40s"), &f, 4, 8, 1);
    assert_true(c.known && c.pcie);
    assert_near(comm_hop(&c, 0), 10e-6, 1e-12);
    /* 32 GPUs in 4 hosts: 6 steps between them beside what one does */
    struct comm one = comm_of(gpu, &f, 8, 8, 1), four = comm_of(gpu, &f, 32, 8, 1);
    assert_int_equal(four.hosts, 4);
    assert_near(comm_apart(&four, 1e6), 6 * 8e-6 + 1.5 * 1e6 / 115e9, 1e-9);
    /* within a host it is NCCL's, as the engine's kernels do not leave theirs: 16 us on H100 */
    assert_near(comm_allreduce(&four, 1e6) - comm_allreduce(&one, 1e6) - comm_apart(&four, 1e6),
                3.2 * 4e-6, 1e-9);
    assert_near(comm_hop_hosts(0), 18e-6, 1e-12);
    /* a domain of NVLink that is wider than a host */
    assert_int_equal(comm_of(profile_gpu(catalog, "gb200"), &f, 32, 4, 1).hosts, 1);
}

static struct request request_on(const char *model, const char *precision, const char *gpu,
                                 const char *engine)
{
    return (struct request){.model = profile_model(catalog, model),
                            .precision = profile_precision(catalog, precision),
                            .kv = profile_format(catalog, "bf16"),
                            .gpu = profile_gpu(catalog, gpu),
                            .engine = profile_engine(catalog, engine),
                            .context = 8192,
                            .prompt = 1024,
                            .output = 256,
                            .users = 16,
                            .host_gpus = 8};
}

static struct layout tp_layout(int tp, int pp)
{
    return (struct layout){.gpus = tp * pp, .tp = tp, .pp = pp, .ep = 1, .replicas = 1, .hosts = 1};
}

struct cut {
    struct load load;
    struct step_load sums;
    struct step step;
};

static void cut(const struct request *q, struct layout l, struct cut *c)
{
    c->load = load_sum(q);
    step_load_sum(q, &c->load, &c->sums);
    step_cut(&c->sums, &l, &c->step);
}

static void test_attention(void **state)
{
    struct request q = request_on("llama-3.1-70b", "bf16", "h100-sxm", "vllm");
    struct attention a = attention_of(&q, &q.model->kind[0], 0, 4, 80);
    double flops, bytes = 64 * attention_decode(&a, 4096, &flops);

    (void)state;
    assert_near(bytes, 21.5e9, 0.05e9);
    assert_near(bytes / (0.82 * 3.35e12), 7.8e-3, 0.05e-3);
    assert_near(flops, 0, 0);
    /* 2 * 16 heads * 256 * q * q/2, all layers */
    assert_near(attention_prefill(&a, 1024, 0), 80 * 2 * 16 * 256.0 * 1024 * 512, 1);
    assert_near(attention_prefill(&a, 1024, 1024), 3 * attention_prefill(&a, 1024, 0), 1);
    a.reach = 100; /* a window */
    assert_near(attention_decode(&a, 4096, &flops), 80 * 100 * a.bytes, 1);
}

/* The examples of step.h and speed.h, to the digits they have. */
/* llama.cpp of 2024 copied quantized weights for a prompt, wrote its scores to memory, and
 * added up in FP16, twice as fast on a GeForce card; a newer build does the last alone. */
static void test_old_builds(void **state)
{
    struct request old = request_on("llama-3-8b", "q4_k_m", "rtx-4090", "llama.cpp@b2824");
    struct request new = request_on("llama-3-8b", "q4_k_m", "rtx-4090", "llama.cpp");
    struct request f16 = request_on("llama-3-8b", "f16", "rtx-4090", "llama.cpp@b2824");
    struct cut a, b, c;

    (void)state;
    cut(&old, tp_layout(1, 1), &a);
    cut(&new, tp_layout(1, 1), &b);
    cut(&f16, tp_layout(1, 1), &c);
    assert_near(kernel_rate(KERNEL_GGUF, old.gpu), 330.3e12, 1e9);
    /* 7.0 billion weights of products, 4.9 bits read and 16 written */
    double copies = step_work(&a.step, 512, 1) - step_work(&c.step, 512, 1);
    assert_near(copies, 7.0e9 * (4.9 / 8 + 2) / (0.92 * 1008e9), 3e-3);
    double scores = step_prefill_attention(&a.step, 512, 0);
    assert_true(scores > step_prefill_attention(&b.step, 512, 0));
    assert_near(attention_scores(&a.step.attention[0], 512, 0), 32.0 * 32 * 512 * 256, 1);
}

static void test_step(void **state)
{
    struct request q = request_on("llama-3.1-70b", "fp8", "h100-sxm", "vllm");
    struct market nowhere = {0};
    struct layout two = tp_layout(2, 1);
    struct step_parts p;
    struct cut c;
    struct plan plan;

    (void)state;
    cut(&q, tp_layout(4, 1), &c);
    assert_int_equal(c.step.gap, SPEED_KNOWN);
    step_decode_parts(&c.step, 16, 1000, &p);
    assert_near(p.linear, 5.9e-3, 0.5e-3);
    assert_near(p.attention, 0.5e-3, 0.1e-3);
    assert_near(p.communication, 1.1e-3, 0.4e-3);
    assert_near(p.fixed, 4.0e-3, 0.6e-3);
    plan_layout(&q, &two, &nowhere, &plan);
    assert_int_equal(plan.speed.gap, SPEED_KNOWN);
    assert_near(plan.speed.tpot.value, 23e-3, 3e-3);
    assert_true(plan.speed.tpot.low < 20e-3 && plan.speed.tpot.high > 27e-3);
    assert_string_equal(speed_bound_word(plan.speed.bound), "weights");
    assert_true(plan.speed.doubts & 1u << DOUBT_DENSE);
    assert_false(plan.speed.doubts & 1u << DOUBT_EXPERTS);
}

/* Each source is a factor; their logarithms add in quadrature. */
static void test_bands(void **state)
{
    struct request q = request_on("qwen3-30b-a3b", "bf16", "h100-sxm", "vllm");
    struct market nowhere = {0};
    struct layout one = tp_layout(1, 1);
    struct plan p;
    double low = 0, high = 0, a, b;

    (void)state;
    plan_layout(&q, &one, &nowhere, &p);
    for (int i = 0; i < DOUBT_COUNT; i++) {
        if (!(p.speed.doubts >> i & 1))
            continue;
        speed_doubt((enum doubt)i, q.gpu, &a, &b);
        assert_true(a >= 1 && b >= 1);
        low += log(a) * log(a);
        high += log(b) * log(b);
    }
    assert_true(p.speed.doubts & 1u << DOUBT_EXPERTS);
    assert_near(p.speed.tpot.value / p.speed.tpot.low, exp(sqrt(low)), 1e-9);
    assert_near(p.speed.tpot.high / p.speed.tpot.value, exp(sqrt(high)), 1e-9);
}

/* At a rate as if the others' prompts took nothing: little below capacity, much near it. */
static void test_bands_of_rates(void **state)
{
    static const double rates[] = {0.5, 16};
    struct request q = request_on("llama-3.1-8b", "bf16", "h100-sxm", "vllm");
    struct market nowhere = {0};
    struct layout one = tp_layout(1, 1);
    double stalled[2], low[2], a, b;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct plan p;

        q.rate = rates[i];
        plan_layout(&q, &one, &nowhere, &p);
        assert_true(p.speed.doubts & 1u << DOUBT_ARRIVALS);
        speed_doubt_of(&p.speed, DOUBT_ARRIVALS, q.gpu, &a, &b);
        assert_near(a, 1 + p.speed.stalled, 1e-9);
        stalled[i] = p.speed.stalled;
        low[i] = p.speed.factor_low;
        /* what is served at most has prompts in every step: it is no better for that */
        assert_near(p.speed.full.high, p.speed.full.value * speed_step_low(&p.speed), 1e-6);
        assert_true(p.speed.full.high < 1.6 * p.speed.full.value);
    }
    assert_true(stalled[0] < .05 && stalled[1] > .2);
    assert_true(low[1] > low[0] * 1.05);
}

/* Points of the server tell less of another layout. */
static void test_bands_of_points(void **state)
{
    struct request q = request_on("llama-3.1-8b", "bf16", "h100-sxm", "vllm");
    struct market nowhere = {0};
    struct plan p;

    (void)state;
    q.correction = (struct correction){.points = 3,
                                       .by = {1, 1, 1},
                                       .first = 1,
                                       .tp = 2,
                                       .pp = 1,
                                       .model = q.model,
                                       .gpu = q.gpu,
                                       .engine = q.engine,
                                       .weight = q.precision.weight};
    for (int tp = 1; tp <= 2; tp++) {
        struct layout l = tp_layout(tp, 1);

        plan_layout(&q, &l, &nowhere, &p);
        assert_int_equal(p.speed.doubts,
                         1u << DOUBT_POINTS_3 | (tp == 1 ? 1u << DOUBT_LAYOUT : 0));
    }
}

/* One user of llama.cpp: what a family's rows showed is in the local band, what nobody measured
 * is not. */
static void test_bands_of_local(void **state)
{
    static const struct {
        const char *gpu;
        enum doubt doubt;
    } of[] = {{"rtx-3090-ti", DOUBT_LOCAL_GPU}, {"v100-sxm2-32", DOUBT_FAMILY}};
    struct market nowhere = {0};
    struct layout one = tp_layout(1, 1);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct request q = request_on("llama-3.1-8b", "q4_k_m", of[i].gpu, "llama.cpp");
        struct plan p;

        q.users = 1;
        plan_layout(&q, &one, &nowhere, &p);
        assert_true(p.speed.doubts & 1u << DOUBT_LOCAL && p.speed.doubts & 1u << of[i].doubt);
        assert_false(p.speed.doubts & (1u << DOUBT_LOCAL_GPU | 1u << DOUBT_FAMILY) &
                     ~(1u << of[i].doubt));
    }
}

/* Which rows of others an estimate is checked by. */
static void test_hits(void **state)
{
    const struct hits *vllm = &profile_engine(catalog, "vllm")->hits;
    const struct hit *h = hits_find(vllm, HIT_EXPERTS, HIT_MANY);

    (void)state;
    assert_non_null(h);
    assert_true(h->rows > 100 && h->median > 0 && h->median < h->tail && h->inside >= 0.9);
    assert_true(engine_lists(h->families, "hopper") && !engine_lists(h->families, "gaudi2"));
    assert_null(hits_find(vllm, HIT_MIXED, HIT_PROMPT));
    assert_int_equal(profile_engine(catalog, "vllm@0.11")->hits.count, vllm->count);
    assert_true(profile_engine(catalog, "ollama")->hits.count < vllm->count);

    struct request q = request_on("llama-3.1-70b", "fp8", "h100-sxm", "vllm");
    struct layout l = tp_layout(2, 1);
    struct load load = load_sum(&q);
    struct memory memory;
    struct speed speed;
    memory_estimate(&q, &load, &l, &memory);
    speed_estimate(&q, &load, &l, &memory, &speed);
    assert_ptr_equal(speed.hit, hits_find(vllm, HIT_DENSE, HIT_MANY));
    assert_ptr_equal(speed.hit_first, hits_find(vllm, HIT_DENSE, HIT_FIRST));
    q.users = 1;
    load = load_sum(&q);
    memory_estimate(&q, &load, &l, &memory);
    speed_estimate(&q, &load, &l, &memory, &speed);
    assert_ptr_equal(speed.hit, hits_find(vllm, HIT_DENSE, HIT_ONE));
}

static double attention_of_users(struct request *q, double users)
{
    struct step_parts p;
    struct cut c;
    cut(q, tp_layout(8, 1), &c);
    step_decode_parts(&c.step, users, 8192, &p);
    return p.attention;
}

/* attention.h: 1 + a/(n*k) times as long, one KV head on each of 8 GPUs; MLA has none. */
static void test_few_heads(void **state)
{
    struct request q = request_on("llama-3.1-70b", "fp8", "b200", "vllm");
    struct request mla = request_on("deepseek-r1", "fp8-block", "b200", "vllm");
    struct gpu gpu = *q.gpu;
    struct family even = *gpu.family;

    (void)state;
    even.kv_split = 0;
    gpu.family = &even;
    for (int users = 1; users <= 16; users *= 4) {
        double few = attention_of_users(&q, users), few_mla = attention_of_users(&mla, users);
        struct request alike = q, alike_mla = mla;
        alike.gpu = alike_mla.gpu = &gpu;
        assert_near(few / attention_of_users(&alike, users), 1 + 0.72 / users, 1e-9);
        assert_near(few_mla / attention_of_users(&alike_mla, users), 1, 1e-9);
    }
}

/* MLA of 27 layers at 8,192 tokens where no kernel is written for the GPU: blocks of 8192/n tokens
 * at 115 ns each, of one user as of four. */
static void test_mla_walk(void **state)
{
    static const struct {
        const char *engine, *gpu;
        double blocks; /* 0: as many as there are */
    } rows[] = {
        {"tensorrt-llm", "a100-sxm-80", 1}, {"sglang", "a100-sxm-80", 8},
        {"vllm@0.11", "a100-sxm-80", 4},    {"vllm@0.22", "a100-sxm-80", 16},
        {"vllm@0.33", "a100-sxm-80", 0},    {"sglang", "h100-sxm", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct request q = request_on("deepseek-v2-lite-16b", "bf16", rows[i].gpu, rows[i].engine);
        struct step_parts p;
        struct cut c;
        cut(&q, tp_layout(1, 1), &c);
        for (int users = 1; users <= 4; users *= 4) {
            step_decode_parts(&c.step, users, 8192, &p);
            if (rows[i].blocks > 0)
                assert_near(p.attention, 27 * 115e-9 * 8192 / rows[i].blocks, 1e-6);
            else
                assert_true(p.attention < 27 * 30e-6);
        }
    }
}

static void test_gaps(void **state)
{
    struct request q = request_on("llama-3.1-8b", "bf16", "h100-sxm", "vllm");
    struct gpu gpu = *q.gpu;
    struct engine engine = *q.engine;
    struct cut c;

    (void)state;
    q.gpu = &gpu;
    gpu.family = NULL;
    cut(&q, tp_layout(1, 1), &c);
    assert_int_equal(c.step.gap, SPEED_NO_FAMILY);
    gpu = *profile_gpu(catalog, "h100-sxm");
    gpu.bandwidth.known = false;
    cut(&q, tp_layout(1, 1), &c);
    assert_int_equal(c.step.gap, SPEED_NO_RATE);
    gpu.bandwidth.known = true;
    q.engine = &engine;
    engine.speed = (struct engine_speed){0};
    cut(&q, tp_layout(1, 1), &c);
    assert_int_equal(c.step.gap, SPEED_NO_ENGINE);
    engine = *profile_engine(catalog, "vllm");
    q.host_layers = 3;
    cut(&q, tp_layout(1, 1), &c);
    assert_int_equal(c.step.gap, SPEED_ON_HOST);
}

/* A host of so many GB/s and cores beside a GPU; llama.cpp. */
static struct request on_host(const char *model, int layers, int experts, double rate, double cores)
{
    struct request q = request_on(model, "q4_k_m", "rtx-4090", "llama.cpp");

    q.host_layers = layers;
    q.host_experts = experts;
    q.host = (struct host){.bandwidth = quantity_of(rate * 1e9, ORIGIN_SHEET), .cores = cores};
    assert_int_equal(catalog_family(catalog, "cpu", &q.host.family, NULL), GP_OK);
    return q;
}

static double host_step(const struct request *q, double users)
{
    struct cut c;

    cut(q, tp_layout(1, 1), &c);
    assert_int_equal(c.step.gap, SPEED_KNOWN);
    return step_decode(&c.step, users, 1000);
}

/* The worked number of host.h; more there, or a slower host, never takes less. */
static void test_host_memory(void **state)
{
    struct request q = on_host("qwen3-30b-a3b", 0, 36, 102.4, 10);
    struct step_parts p;
    struct cut c;
    double before = 0;

    (void)state;
    cut(&q, tp_layout(1, 1), &c);
    step_decode_parts(&c.step, 1, 1000, &p);
    assert_near(p.host, 21.4e-3, 0.3e-3);
    assert_false(host_computes(&q, 32)); /* prompts are copied: 12.3 GiB at 0.6 of PCIe 4 */
    assert_near(step_work(&c.step, 512, 1), 0.70, 0.04);
    for (int n = 1; n <= 48; n++) {
        struct request dense = on_host("qwen3-14b", n < 41 ? n : 41, 0, 60, 8);
        struct request moe = on_host("qwen3-30b-a3b", 0, n, 60, 8);
        double now = host_step(&moe, 1);

        assert_true(now > before || n == 1);
        before = now;
        if (n < 41) {
            struct request more = on_host("qwen3-14b", n + 1, 0, 60, 8);
            assert_true(host_step(&more, 1) > host_step(&dense, 1));
        }
        struct request wider = on_host("qwen3-30b-a3b", 0, n, 90, 8);
        struct request cores = on_host("qwen3-30b-a3b", 0, n, 60, 12);
        assert_true(host_step(&wider, 1) < now && host_step(&cores, 1) < now);
        assert_true(host_step(&moe, 4) > now);
    }
    /* vLLM reads a share of all layers over PCIe in every step */
    struct request bytes = request_on("llama-3.1-8b", "bf16", "rtx-4090", "vllm");
    double all = host_step(&bytes, 1);
    bytes.host_bytes = 8 * GP_GIB;
    double rate = 0.8 * roofline_pcie(bytes.gpu->pcie_gen, bytes.gpu->pcie_lanes);
    assert_near(host_step(&bytes, 1) - all, bytes.host_bytes / rate, 0.01 * all);
}

/* Alike GPUs that are named apart are those GPUs; two kinds are between them. */
static void test_unlike(void **state)
{
    static const char *const pairs[][2] = {
        {"rtx-5090", "rtx-5070-ti"}, {"rtx-3090", "rtx-4070"}, {"rtx-4060-ti-16g", "rtx-4090"}};
    static const char *const models[] = {"qwen3-14b", "qwen3-30b-a3b", "gemma-2-9b"};

    (void)state;
    for (int i = 0; i < 27; i++) {
        const struct gpu *a = profile_gpu(catalog, pairs[i % 3][0]);
        const struct gpu *b = profile_gpu(catalog, pairs[i % 3][1]);
        double t[3], u[3];

        for (int k = 0; k < 3; k++) { /* a + a, a + b, b + b */
            struct gpu_mix mix = {.count = 2, .at = {k < 2 ? a : b, k < 1 ? a : b}};
            struct request q = request_on(models[i / 3 % 3], "q4_k_m", mix.at[0]->id, "llama.cpp");
            struct gpu gpu;
            struct cut plain, mixed;

            cut(&q, tp_layout(1, 2), &plain);
            gpu_mixed(&mix, true, &gpu);
            q.gpu = &gpu;
            cut(&q, tp_layout(1, 2), &mixed);
            t[k] = step_decode(&mixed.step, 1, 1000);
            u[k] = step_decode(&mixed.step, 8, 1000);
            if (k != 1) {
                assert_near(mix.uneven, 1, 1e-9);
                assert_near(t[k], step_decode(&plain.step, 1, 1000), 1e-6 * t[k]);
            }
        }
        assert_true(t[1] > fmin(t[0], t[2]) * 0.97 && t[1] < fmax(t[0], t[2]) * 1.03);
        assert_true(u[1] >= fmin(u[0], u[2]) * 0.97);
    }
}

/* ---- what holds of any request ---- */

#define TRIALS 3000
/* Less work for a prompt lets a few more decode at once, whose steps take that much more. */
#define TURNED 1.002

static unsigned seed = 20261123;

static int draw(int most)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (unsigned)most);
}

static struct request random_request(struct layout *l)
{
    static const char *const models[] = {"llama-3.1-8b",       "llama-3.1-70b", "qwen3-30b-a3b",
                                         "gpt-oss-120b",       "deepseek-v3",   "gemma-3-27b",
                                         "qwen3-next-80b-a3b", "qwen2.5-7b",    "mixtral-8x7b"};
    static const char *const precisions[] = {"bf16", "fp8", "int4-awq", "int8"};
    static const char *const gpus[] = {"h100-sxm", "h200-sxm", "l40s",     "a100-sxm-80",
                                       "b200",     "mi300x",   "rtx-4090", "l4"};
    static const char *const engines[] = {"vllm", "sglang", "tensorrt-llm", "llama.cpp"};
    struct request q =
        request_on(models[draw(9)], precisions[draw(4)], gpus[draw(8)], engines[draw(4)]);
    q.users = 1 + draw(256);
    q.prompt = 1 + draw(16384);
    q.output = 1 + draw(2048);
    *l = tp_layout(1 << draw(4), 1 + draw(3));
    return q;
}

static struct serve served(const struct request *q, const struct cut *c, double admitted)
{
    struct serve_load l = {.users = q->users,
                           .admitted = admitted,
                           .prompt = q->prompt,
                           .output = q->output,
                           .chunk = c->load.max_batched_tokens};
    struct serve s;
    serve_estimate(&c->step, &l, &s);
    return s;
}

static struct serve serve_of(const struct request *q, struct layout l)
{
    struct cut c;
    cut(q, l, &c);
    assert_int_equal(c.step.gap, SPEED_KNOWN);
    return served(q, &c, 1e9);
}

/* SGLang's prompts run in graphs from 0.5.15 on: a short one costs its work, a long one that
 * and no launches; before it costs 64 us a kernel at least. */
static void test_prompts_in_graphs(void **state)
{
    struct request old = request_on("qwen3-235b-a22b", "fp8-block", "h200-sxm", "sglang@0.5.14");
    struct request new = request_on("qwen3-235b-a22b", "fp8-block", "h200-sxm", "sglang@0.5.15");
    struct layout l = tp_layout(4, 1);
    struct cut c;

    (void)state;
    new.prompt = old.prompt = 64;
    cut(&old, l, &c);
    double launch = c.sums.kernels * old.engine->speed.prefill_kernel;
    assert_true(serve_of(&old, l).prompt > 0.7 * launch); /* some share a step */
    assert_true(serve_of(&new, l).prompt < 0.3 * launch);
    struct request v3 = request_on("deepseek-r1", "fp8-block", "b200", "sglang@0.5.15");
    struct request hopper = request_on("deepseek-r1", "fp8-block", "h200-sxm", "sglang@0.5.15");
    v3.prompt = hopper.prompt = 64;
    assert_true(serve_of(&v3, tp_layout(8, 1)).prompt >
                2 * serve_of(&hopper, tp_layout(8, 1)).prompt);
}

/* Requests at once are solved for to 1e-6 of themselves (serve.c), on either side. */
#define SOLVED 2e-6

/* Answers of a class or of a few tokens: the prompts are all the work. */
static void shorten(struct request *q, int i)
{
    if (i % 2)
        q->output = 1 + i % 16;
}

static bool no_more(double a, double b)
{
    return a <= b * (1 + 1e-9);
}

static void test_faster_hardware(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct gpu gpu = *q.gpu;
        struct serve slow = serve_of(&q, l), fast;
        if (i % 2)
            gpu.bandwidth = quantity_scale(gpu.bandwidth, 1.5);
        for (int m = 0; i % 2 == 0 && m < MATH_COUNT; m++)
            gpu.rate[m] = quantity_scale(gpu.rate[m], 1.5);
        q.gpu = &gpu;
        fast = serve_of(&q, l);
        /* cheaper prompts leave more requests to decode at once, so that a step may
         * take a little longer while all of them are done sooner; where prompts are all
         * the work, what a token gains may be waited for before the first one */
        bool turns = fast.requests * fast.turn > 0.99;
        if (!no_more(fast.tpot, slow.tpot * 1.002) || (!turns && !no_more(fast.ttft, slow.ttft)) ||
            !no_more(slow.requests, fast.requests))
            fail_msg("%s on %s: TPOT %g -> %g, TTFT %g -> %g s, %g -> %g requests/s", q.model->id,
                     gpu.id, slow.tpot, fast.tpot, slow.ttft, fast.ttft, slow.requests,
                     fast.requests);
    }
}

/* Requests in flight are those asked for, and no GPU computes more than its peak. */
/* One more user of some slows the others by little more than the share that it adds: of
 * long prompts and few tokens, too. Beyond captured graphs launches come at once, and with
 * them tiles of a wave. */
static void test_one_user_more(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l), more;
        struct engine engine = *q.engine;
        struct cut c;
        shorten(&q, i);
        engine.speed.prefill_kernel = 0;
        q.engine = &engine;
        q.users = 2 + draw(62);
        more = q;
        more.users++;
        cut(&q, l, &c);
        double few = served(&q, &c, 1e9).tpot, many = served(&more, &c, 1e9).tpot;
        double users = q.users;
        if (!no_more(many, 1.7 * few * (users + 1) / users))
            print_error("%s on %s, %g users of %g + %g: %g, %g s\n", q.model->id, q.gpu->id, users,
                        q.prompt, q.output, few, many);
        assert_true(no_more(many, 1.7 * few * (users + 1) / users));
    }
}

static void test_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        shorten(&q, i);
        struct serve s = serve_of(&q, l);
        double peak = 0,
               flops = 2 * (model_params_active(q.model) - q.model->vocab * 2.0 * q.model->hidden -
                            model_params_role(q.model, ROLE_VISION));
        for (int m = 0; m < MATH_COUNT; m++)
            if (q.gpu->rate[m].known)
                peak = fmax(peak, q.gpu->rate[m].value);
        assert_near(s.requests * (s.ttft + fmax(q.output - 1, 0) * s.tpot), q.users,
                    1e-6 * q.users);
        if (s.requests * (q.prompt + q.output) * flops > peak * l.gpus)
            fail_msg("%s on %d x %s: over the roofline", q.model->id, l.gpus, q.gpu->id);
    }
}

static void test_users_queue(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct cut c;
        double admitted = 1 + draw(64);
        shorten(&q, i);
        cut(&q, l, &c);
        q.users = admitted;
        struct serve full = served(&q, &c, admitted);
        q.users = admitted * 3;
        struct serve queued = served(&q, &c, admitted);
        assert_near(queued.requests, full.requests, 1e-9 * full.requests);
        assert_near(queued.tpot, full.tpot, 1e-9 * full.tpot);
        assert_true(queued.ttft > full.ttft);
    }
}

/* What a search leaves out by (search.c): no load is served faster. */
static void check_least(const struct step *step, const struct serve_load *load,
                        const struct serve *served)
{
    double ttft, tpot;
    serve_least(step, load, &ttft, &tpot);
    assert_true(served->ttft >= ttft * (1 - 1e-5));
    assert_true(served->tpot >= tpot * (1 - 1e-5));
}

/* Requests that arrive at a rate: those in flight obey Little's law, more of them are in
 * flight at a higher rate, and 95 of 100 first tokens take no less than the mean. */
static void test_rates(void **state)
{
    int held = 0;
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct cut c;
        struct serve some, more;
        shorten(&q, i);
        cut(&q, l, &c);
        struct serve_load load = {.admitted = 1 + draw(512),
                                  .prompt = q.prompt,
                                  .output = q.output,
                                  .chunk = c.load.max_batched_tokens};
        double rate = pow(10, -3 + draw(4000) / 1000.0);
        if (!serve_rate(&c.step, &load, rate, &some))
            continue;
        held++;
        assert_near(rate * (some.ttft + fmax(q.output - 1, 0) * some.tpot), some.running,
                    1e-3 * some.running + 1e-5 * load.admitted);
        if (some.late < some.ttft)
            fail_msg("%s, %g requests/s: 95 of 100 within %g s, the mean is %g s", q.model->id,
                     rate, some.late, some.ttft);
        check_least(&c.step, &load, &some);
        /* who arrives finds as many as there are, and is one more */
        assert_true(some.decoding >= 1 && some.decoding <= some.running + 1 + 1e-9);
        load.users = 1;
        serve_estimate(&c.step, &load, &more);
        assert_true(some.tpot >= more.tpot * (1 - 1e-5));
        load.users = fmax(load.admitted / 2, 1);
        serve_estimate(&c.step, &load, &more);
        check_least(&c.step, &load, &more);
        if (serve_rate(&c.step, &load, rate * 1.2, &more))
            assert_true(more.running >= some.running * (1 - 1e-5));
        assert_true(serve_peak(some.running) >= some.running);
    }
    assert_true(held > TRIALS / 10);
}

/* What a search keeps of a layout's step is what it would work out again, in whatever order loads
 * and layouts are asked for. */
static void test_kept(void **state)
{
    static struct serve_cut kept;
    (void)state;
    for (int i = 0; i < TRIALS / 10; i++) {
        struct layout l, other;
        struct request q = random_request(&l);
        struct cut c;
        shorten(&q, i);
        cut(&q, l, &c);
        other = l;
        other.tp *= 2;
        kept.load = NULL;
        for (int j = 0; j < 60; j++) {
            struct serve_load load = {.users = 1 << draw(8),
                                      .admitted = 1 << draw(8),
                                      .prompt = q.prompt,
                                      .output = q.output,
                                      .tpot_most = draw(4) > 0 ? 0 : 0.02,
                                      .chunk = draw(4) > 0 ? c.load.max_batched_tokens : 512};
            double rate = pow(10, -2 + draw(3000) / 1000.0);
            if (draw(8) == 0)
                serve_cut(&kept, &c.sums, &other);
            const struct step *step = serve_cut(&kept, &c.sums, &l);
            struct serve one = {0}, two = {0};
            assert_int_equal(serve_rate(step, &load, rate, &one),
                             serve_rate(&c.step, &load, rate, &two));
            assert_memory_equal(&one, &two, sizeof(one));
            serve_estimate(step, &load, &one);
            serve_estimate(&c.step, &load, &two);
            assert_memory_equal(&one, &two, sizeof(one));
            double most = serve_capacity(&c.step, &load, NULL, NULL);
            assert_true(serve_capacity(step, &load, NULL, NULL) == most);
        }
    }
}

/* How much shorter the tail of a wait may be that has more requests at once, which make
 * what a prompt adds to a step a little cheaper: rho*s/(1 - rho), rho = rate*s, goes by the
 * (2 - rho)/(1 - rho)th power of s, and its tail's logarithm by one more at most. */
static double cheaper(double rate, const struct serve *few, const struct serve *more)
{
    double rho = fmin(rate * few->prompt, 0.99);
    double power = (2 - rho) / (1 - rho) + 1;
    return fmax(pow(few->prompt / more->prompt, power), 1) * (1 + SOLVED);
}

/* Lengths that differ: none is what alike requests are; more of it takes no less time,
 * and 95 of 100 first tokens take no less. */
static void test_spreads(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct cut c;
        struct serve alike, some, more;
        cut(&q, l, &c);
        struct serve_load load = {.users = q.users,
                                  .admitted = 1 + draw(512),
                                  .prompt = q.prompt,
                                  .output = q.output,
                                  .chunk = c.load.max_batched_tokens};
        double rate = pow(10, -3 + draw(4000) / 1000.0), cv = draw(200) / 100.0;
        bool held = serve_rate(&c.step, &load, rate, &alike);
        load.spread = spread_of(q.prompt, 0, q.output, 0, 1e9);
        assert_int_equal(serve_rate(&c.step, &load, rate, &some), held);
        assert_near(some.ttft, alike.ttft, 1e-9 * alike.ttft);
        assert_near(some.late, alike.late, 1e-9 * alike.late);
        assert_near(some.tpot, alike.tpot, 1e-9 * alike.tpot);
        load.spread = spread_of(q.prompt, cv * q.prompt, q.output, i % 2 * q.output, 1e9);
        if (!serve_rate(&c.step, &load, rate, &some))
            continue;
        assert_true(no_more(alike.late, some.late * cheaper(rate, &alike, &some)));
        assert_true(some.middle <= some.late);
        load.spread = spread_of(q.prompt, (cv + 0.5) * q.prompt, q.output, i % 2 * q.output, 1e9);
        if (!serve_rate(&c.step, &load, rate, &more))
            continue;
        if (!no_more(some.late, more.late * cheaper(rate, &some, &more)) ||
            !no_more(some.running, more.running * (1 + SOLVED)))
            fail_msg("%s, %g/s, prompts %g +- %g: 95 of 100 %g -> %g s, %g -> %g at once",
                     q.model->id, rate, q.prompt, cv * q.prompt, some.late, more.late, some.running,
                     more.running);
    }
}

/* Prompts worked off apart: as many requests leave as come, no side does more than it
 * can, and what is held is what the capacity says. */
static void test_apart(void **state)
{
    int held = 0;
    (void)state;
    for (int i = 0; i < TRIALS / 3; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct cut c;
        struct serve s, open;
        enum saturation by;
        cut(&q, l, &c);
        struct serve_load load = {.users = q.users,
                                  .admitted = 1 + draw(256),
                                  .prompt = q.prompt,
                                  .output = 1 + q.output,
                                  .chunk = c.load.max_batched_tokens,
                                  .prefill = (1 + draw(8)) / (1.0 + draw(4)),
                                  .transfer = draw(100) / 1e3};
        serve_estimate(&c.step, &load, &s);
        double most = serve_capacity(&c.step, &load, NULL, &by), rate = most * draw(200) / 100.0;
        assert_near(s.requests * (s.ttft + (load.output - 1) * s.tpot), q.users, 1e-6 * q.users);
        assert_true(s.decoding <= load.admitted * (1 + 1e-9) && s.ttft > 0);
        assert_true(no_more(s.requests * s.prompt, 0.95 * load.prefill));
        assert_near(s.requests * (load.output - 1) * s.tpot, s.decoding, 1e-6 * s.decoding);
        if (by != SATURATES_TRANSFER)
            assert_true(no_more(s.requests, most));
        if (rate <= 0 || fabs(rate / most - 1) < 1e-6)
            continue;
        assert_int_equal(serve_rate(&c.step, &load, rate, &open), rate < most);
        held += rate < most;
        load.prefill = 0; /* the same of both in one */
        most = serve_capacity(&c.step, &load, NULL, &by);
        rate = most * (i % 2 ? 0.99 : 1.01);
        assert_int_equal(serve_rate(&c.step, &load, rate, &open), i % 2);
    }
    assert_true(held > 100);
}

/* Arrivals at a rate that is held are held by faster hardware, whose answers are no slower
 * and which serves no fewer at most. */
static void test_faster_rates(void **state)
{
    int held = 0;
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct gpu gpu = *q.gpu;
        struct serve slow, fast;
        struct cut c;
        double rate = pow(10, -3 + draw(4000) / 1000.0);
        shorten(&q, i / 2);
        cut(&q, l, &c);
        struct serve_load load = {.admitted = 1 + draw(512),
                                  .prompt = q.prompt,
                                  .output = q.output,
                                  .chunk = c.load.max_batched_tokens};
        bool was = serve_rate(&c.step, &load, rate, &slow);
        double most = serve_capacity(&c.step, &load, NULL, NULL);
        if (i % 2)
            gpu.bandwidth = quantity_scale(gpu.bandwidth, 1.5);
        for (int m = 0; i % 2 == 0 && m < MATH_COUNT; m++)
            gpu.rate[m] = quantity_scale(gpu.rate[m], 1.5);
        q.gpu = &gpu;
        cut(&q, l, &c);
        double faster = serve_capacity(&c.step, &load, NULL, NULL);
        if (!no_more(most, faster))
            fail_msg("%s on %s: serves %g/s, not %g", q.model->id, gpu.id, faster, most);
        if (!was)
            continue;
        held++;
        assert_true(serve_rate(&c.step, &load, rate, &fast));
        /* fewer are in flight then, so that fewer prompts share a step, and what each takes
         * may be more */
        bool dearer = fast.turn > slow.turn;
        if (!no_more(fast.tpot, slow.tpot * TURNED) ||
            (!dearer && !no_more(fast.ttft, slow.ttft * TURNED)))
            fail_msg("%s on %s, %g/s: TPOT %g -> %g, TTFT %g -> %g s", q.model->id, gpu.id, rate,
                     slow.tpot, fast.tpot, slow.ttft, fast.ttft);
    }
    assert_true(held > TRIALS / 10);
}

/* ---- of all that the catalogue holds ---- */

/* A request of any model, GPU, engine and format, in any layout, with drafts, prefix hits,
 * lengths that differ and prompts apart; without what jumps: waves, copies in 16 bit, and
 * launches beyond graphs. */
struct any {
    struct request q;
    struct layout l;
    struct serve_load load;
    struct engine engine;
    struct family family;
    struct gpu gpu;
    struct model mtp;
    struct load sums;
    struct step_load steps;
    struct step step;
    struct step_others others;
};

struct lists {
    const struct gpu *const *gpu;
    const struct model *const *model;
    const struct engine *engine;
    const struct format *format;
    size_t gpus, models, engines, formats;
};

static void open_lists(struct lists *all)
{
    struct gp_err err;
    assert_int_equal(catalog_gpus(catalog, &all->gpu, &all->gpus, &err), GP_OK);
    assert_int_equal(catalog_models(catalog, &all->model, &all->models, &err), GP_OK);
    assert_int_equal(catalog_engines(catalog, &all->engine, &all->engines, &err), GP_OK);
    assert_int_equal(catalog_formats(catalog, &all->format, &all->formats, &err), GP_OK);
}

static double draw_log(double most)
{
    return floor(pow(most, draw(10000) / 1e4));
}

static void any_load(struct any *a)
{
    a->q.users = draw_log(600);
    a->q.prompt = draw_log(60000);
    a->q.output = 1 + draw_log(3000);
    a->load = (struct serve_load){.users = a->q.users,
                                  .admitted = 1 + draw(512),
                                  .prompt = a->q.prompt,
                                  .output = a->q.output,
                                  .cached = a->q.prompt * draw(3) / 4};
    if (draw(3) == 0)
        a->load.spread = spread_of(a->q.prompt, a->q.prompt * draw(200) / 100.0, a->q.output,
                                   a->q.output * draw(200) / 100.0, 1e9);
    if (draw(5) == 0) {
        a->load.prefill = 1 + draw(4);
        a->load.transfer = draw(100) / 1e3;
    }
}

static void any_layout(struct any *a)
{
    a->l = tp_layout(1 << draw(4), draw(3) ? 1 : 1 + draw(4));
    if (draw(3) == 0 && model_params_role(a->q.model, ROLE_EXPERT) > 0) {
        a->l.replicas = 1 << draw(4);
        a->l.ep = a->l.tp * a->l.replicas;
        a->l.gpus = layout_gpus(&a->l);
    }
    if (draw(3) == 0 && draft_mtp(a->q.model, &a->mtp) > 0) {
        a->q.draft = &a->mtp;
        a->q.draft_kind = DRAFT_MTP;
        a->q.draft_tokens = 1 + draw(4);
        a->q.accept_length = 1 + a->q.draft_tokens * (1 + draw(98)) / 100.0;
        a->q.draft_precision = a->q.precision;
    }
}

static void any_cut(struct any *a)
{
    a->sums = load_sum(&a->q);
    a->load.chunk = a->sums.max_batched_tokens;
    step_load_sum(&a->q, &a->sums, &a->steps);
    step_cut(&a->steps, &a->l, &a->step);
    step_attach(&a->step, &a->l, &a->others);
}

/* False: there is no such plan. */
static bool any_request(const struct lists *all, struct any *a)
{
    a->gpu = *all->gpu[draw((int)all->gpus)];
    a->engine = all->engine[draw((int)all->engines)];
    const struct format *format = &all->format[draw((int)all->formats)];
    if (!a->gpu.family || !engine_runs_on(&a->engine, &a->gpu) ||
        !engine_runs_format(&a->engine, format))
        return false;
    a->family = *a->gpu.family;
    a->family.waves = false;
    a->gpu.family = &a->family;
    a->engine.speed.prefill_kernel = 0;
    a->engine.speed.unpacks = false;
    a->q = (struct request){.model = all->model[draw((int)all->models)],
                            .precision = profile_precision(catalog, format->id),
                            .kv = profile_format(catalog, "bf16"),
                            .gpu = &a->gpu,
                            .engine = &a->engine,
                            .context = 1e6,
                            .host_gpus = 8};
    any_load(a);
    any_layout(a);
    if (!layout_valid(&a->q, &a->l))
        return false;
    any_cut(a);
    return a->step.gap == SPEED_KNOWN;
}

static void any_faster(struct any *a, int what)
{
    double by = 1 + draw(200) / 100.0;
    if (what == 0)
        a->gpu.bandwidth = quantity_scale(a->gpu.bandwidth, by);
    else if (what == 1)
        a->gpu.link_bandwidth *= by;
    for (int m = 0; what == 2 && m < MATH_COUNT; m++)
        a->gpu.rate[m] = quantity_scale(a->gpu.rate[m], by);
    any_cut(a);
}

static void any_fails(const struct any *a, const char *what, double before, double after)
{
    fail_msg("%s: %g -> %g: %s %s on %d x %s, %s %s, tp %d pp %d ep %d, %g users, %g at once, "
             "%g (%g cached) + %g tokens, draft %d/%g, %g groups for prompts",
             what, before, after, a->q.model->id, a->q.precision.id, a->l.gpus, a->gpu.id,
             a->engine.id, a->engine.range, a->l.tp, a->l.pp, a->l.ep, a->load.users,
             a->load.admitted, a->load.prompt, a->load.cached, a->load.output, a->q.draft_tokens,
             a->q.accept_length, a->load.prefill);
}

static void test_faster_of_any(void **state)
{
    static struct any a;
    struct lists all;
    int held = 0;
    (void)state;
    open_lists(&all);
    for (int i = 0; i < 6 * TRIALS; i++) {
        struct serve slow, fast, open, open_fast;
        if (!any_request(&all, &a))
            continue;
        bool apart = a.load.prefill > 0;
        serve_estimate(&a.step, &a.load, &slow);
        double most = serve_capacity(&a.step, &a.load, NULL, NULL);
        double rate = most * (1 + draw(98)) / 100;
        assert_true(serve_rate(&a.step, &a.load, rate, &open));
        any_faster(&a, i % 3);
        serve_estimate(&a.step, &a.load, &fast);
        double more = serve_capacity(&a.step, &a.load, NULL, NULL);
        if (!no_more(most, more))
            any_fails(&a, "capacity", most, more);
        if (!no_more(slow.requests, fast.requests * TURNED))
            any_fails(&a, "requests/s", slow.requests, fast.requests);
        if (!apart && !no_more(fast.tpot, slow.tpot * TURNED))
            any_fails(&a, "TPOT", slow.tpot, fast.tpot);
        assert_true(serve_rate(&a.step, &a.load, rate, &open_fast));
        if (!no_more(open_fast.tpot, open.tpot * TURNED))
            any_fails(&a, "TPOT at a rate", open.tpot, open_fast.tpot);
        if (open_fast.turn <= open.turn && !no_more(open_fast.ttft, open.ttft * TURNED))
            any_fails(&a, "TTFT at a rate", open.ttft, open_fast.ttft);
        held++;
    }
    assert_true(held > TRIALS);
}

/* One user more, or a longer context: no answer is faster. The fitted law serves up to 4 %
 * fewer where prompts are all the work. */
static void test_more_of_any(void **state)
{
    static struct any a;
    struct lists all;
    (void)state;
    open_lists(&all);
    for (int i = 0; i < 6 * TRIALS; i++) {
        struct serve few, more;
        if (!any_request(&all, &a))
            continue;
        bool apart = a.load.prefill > 0;
        serve_estimate(&a.step, &a.load, &few);
        assert_near(few.requests * (few.ttft + (a.load.output - 1) * few.tpot), a.load.users,
                    1e-5 * a.load.users);
        a.load.users++;
        serve_estimate(&a.step, &a.load, &more);
        if (!apart && !no_more(few.tpot, more.tpot))
            any_fails(&a, "TPOT of a user more", few.tpot, more.tpot);
        if (!no_more(few.requests, more.requests * (apart ? 1 + SOLVED * 5 : 1.05)))
            any_fails(&a, "requests/s of a user more", few.requests, more.requests);
        if (apart)
            continue;
        a.load.users--;
        a.load.cached *= 1.3;
        a.load.prompt *= 1.3;
        serve_estimate(&a.step, &a.load, &more);
        if (!no_more(few.tpot, more.tpot))
            any_fails(&a, "TPOT of a longer context", few.tpot, more.tpot);
    }
}

/* Prompts in a TP of their own: the same TP is none, Little's law and the share of the
 * time hold, and those that decode alone are as fast as in the other. */
static void test_apart_own_tp(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS / 3; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct serve one, same, own;
        struct step_others others;
        struct cut c;
        cut(&q, l, &c);
        struct serve_load load = {.users = q.users,
                                  .admitted = 1 + draw(256),
                                  .prompt = q.prompt,
                                  .output = 1 + q.output,
                                  .chunk = c.load.max_batched_tokens,
                                  .prefill = 1 + draw(3)};
        serve_estimate(&c.step, &load, &one);
        l.prefill = 1;
        l.prefill_tp = l.tp;
        l.replicas = 2;
        step_attach(&c.step, &l, &others);
        serve_estimate(&c.step, &load, &same);
        assert_true(same.ttft == one.ttft && same.tpot == one.tpot);
        l.prefill_tp = 1 << draw(4);
        c.step.prompts = NULL;
        step_attach(&c.step, &l, &others);
        serve_estimate(&c.step, &load, &own);
        assert_near(own.requests * (own.ttft + (load.output - 1) * own.tpot), q.users,
                    1e-6 * q.users);
        assert_true(no_more(own.requests * own.prompt, 0.95 * load.prefill));
        if (own.prompt < one.prompt && own.solo < one.solo)
            assert_true(no_more(one.requests, own.requests * (1 + SOLVED)));
    }
}

/* Prompts in steps of their own: where more of them come while one step runs, some share a
 * pass, and each costs less; never more than one that comes alone. */
static void test_prompts_share(void **state)
{
    int shared = 0;
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct engine engine = *q.engine;
        struct serve often, rare;
        struct cut c;
        engine.speed.captured = 0; /* two that share are no graph where one is */
        q.engine = &engine;
        cut(&q, l, &c);
        struct serve_load load = {.users = 2 + draw(63),
                                  .admitted = 1e9,
                                  .prompt = 1 + draw(c.load.max_batched_tokens / 4),
                                  .chunk = c.load.max_batched_tokens};
        if (!q.engine->speed.prefill_alone || l.pp > 1)
            continue;
        load.output = 2 * load.users;
        serve_estimate(&c.step, &load, &often);
        load.output *= 1000;
        serve_estimate(&c.step, &load, &rare);
        if (often.prompt >= rare.prompt)
            fail_msg("%s on %s, %g users of %g tokens: %g s of a prompt, %g where they are rare",
                     q.model->id, q.gpu->id, load.users, load.prompt, often.prompt, rare.prompt);
        shared++;
    }
    assert_true(shared > TRIALS / 20);
}

/* A stall is longer than the step that it lengthens, and a longer prompt's is no shorter;
 * who is alone has none. */
static void test_stalls(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct cut c;
        double share, longer;
        cut(&q, l, &c);
        struct serve_load load = {
            .prompt = q.prompt, .output = q.output + 1, .chunk = c.load.max_batched_tokens};
        struct serve at = {.running = 2 + draw(200), .decoding = 1 + draw(100)};
        double stall = serve_stall(&c.step, &load, &at, &share);
        assert_true(stall > 0 && share > 0 && share <= 1);
        load.prompt *= 2;
        load.chunk = load.prompt; /* the last chunk of both is a whole prompt */
        struct serve_load half = load;
        half.prompt /= 2;
        longer = serve_stall(&c.step, &load, &at, &share);
        assert_true(no_more(serve_stall(&c.step, &half, &at, &share), longer));
        at.running = 1;
        assert_true(serve_stall(&c.step, &load, &at, &share) == 0);
    }
}

static void test_tpot_grows(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct serve few = serve_of(&q, l);
        bool users = i % 2;
        if (users)
            q.users = ceil(q.users * 1.3);
        else
            q.prompt = ceil(q.prompt * 1.3);
        struct serve more = serve_of(&q, l);
        if (!no_more(few.tpot, more.tpot))
            fail_msg("%s on %d x %s, %s, %.0f users, prompt %.0f, output %.0f: more %s: "
                     "%g -> %g s",
                     q.model->id, l.gpus, q.gpu->id, q.engine->id, q.users, q.prompt, q.output,
                     users ? "users" : "context", few.tpot, more.tpot);
    }
}

static void test_parts_and_tp(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        struct layout l;
        struct request q = random_request(&l);
        struct step_parts p, wider;
        struct cut c;
        double users = 1 + draw(256), tokens = 1 + draw(8192);
        cut(&q, l, &c);
        step_decode_parts(&c.step, users, tokens, &p);
        assert_near(p.linear + p.experts + p.attention + p.communication + p.fixed + p.head,
                    step_decode(&c.step, users, tokens),
                    1e-9 * step_decode(&c.step, users, tokens));
        l.tp *= 2;
        l.gpus *= 2;
        cut(&q, l, &c);
        step_decode_parts(&c.step, users, tokens, &wider);
        assert_true(no_more(wider.linear, p.linear) && no_more(wider.head, p.head));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),          cmocka_unit_test(test_waves),
        cmocka_unit_test(test_moe),           cmocka_unit_test(test_comm),
        cmocka_unit_test(test_attention),     cmocka_unit_test(test_mla_walk),
        cmocka_unit_test(test_old_builds),    cmocka_unit_test(test_step),
        cmocka_unit_test(test_bands),         cmocka_unit_test(test_bands_of_rates),
        cmocka_unit_test(test_bands_of_points), cmocka_unit_test(test_bands_of_local),
        cmocka_unit_test(test_hits),
        cmocka_unit_test(test_few_heads),     cmocka_unit_test(test_prompts_in_graphs),
        cmocka_unit_test(test_gaps),          cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_unlike),        cmocka_unit_test(test_faster_hardware),
        cmocka_unit_test(test_one_user_more), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_users_queue),   cmocka_unit_test(test_rates),
        cmocka_unit_test(test_spreads),       cmocka_unit_test(test_faster_rates),
        cmocka_unit_test(test_faster_of_any), cmocka_unit_test(test_more_of_any),
        cmocka_unit_test(test_apart_own_tp),  cmocka_unit_test(test_prompts_share),
        cmocka_unit_test(test_stalls),        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_tpot_grows),    cmocka_unit_test(test_parts_and_tp),
        cmocka_unit_test(test_kept),
    };

    return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
}
