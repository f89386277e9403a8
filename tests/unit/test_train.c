/* test_train.c - fine-tuning memory against published counts and hand arithmetic. */
#include "plan/train/train.h"

#include "answer/sentence.h"
#include "base/units.h"
#include "shipped.h"

struct world {
    struct model model;
    struct gpu gpu;
    struct request q;
};

static struct world *make(int hidden, int layers, int heads, int kv, int ff, int vocab)
{
    struct world *w = test_calloc(1, sizeof(*w));
    snprintf(w->model.id, sizeof(w->model.id), "m");
    w->model.hidden = hidden;
    w->model.vocab = vocab;
    w->model.layer_count = layers;
    w->model.kind_count = 1;
    w->model.final_norm = true;
    w->model.max_context = 131072;
    w->model.kind[0] = (struct layer_kind){.mixer = MIXER_FULL,
                                           .heads = heads,
                                           .kv_heads = kv,
                                           .head_dim = hidden / heads,
                                           .ff = ff,
                                           .gated = true,
                                           .norms = 2};
    snprintf(w->gpu.id, sizeof(w->gpu.id), "h100-sxm");
    w->gpu.usable = quantity_exact(79.19 * GP_GIB);
    w->gpu.compute_capability = 90;
    w->q = (struct request){.model = &w->model, .gpu = &w->gpu, .host_gpus = 8};
    return w;
}

static struct world *llama8(void)
{
    return make(4096, 32, 32, 8, 14336, 128256);
}

static struct train on(enum train_method method, int gpus, int zero)
{
    struct train t = train_defaults(method);
    t.gpus = gpus;
    t.zero_stage = zero;
    t.recompute = RECOMPUTE_NONE;
    return t;
}

static struct train_memory options(struct world *w, struct train t)
{
    struct train_memory m;
    train_estimate(&w->q, &t, &m);
    return m;
}

#define PARAMS_8B 8030261248.0

static void test_eighteen_bytes(void **state)
{
    struct world *w = llama8();
    struct train_memory m = options(w, on(TRAIN_FULL, 1, 0));
    (void)state;
    assert_near(m.params, PARAMS_8B, 0);
    assert_near(m.trainable, PARAMS_8B, 0);
    assert_near(m.weights.value, 2 * PARAMS_8B, 0);
    assert_near(m.gradients.value, 4 * PARAMS_8B, 0);
    assert_near(m.master.value, 4 * PARAMS_8B, 0);
    assert_near(m.optimizer.value, 8 * PARAMS_8B, 0);
    assert_near(m.states.value / GP_GIB, 134.6, 0.05);
    assert_int_equal(m.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(m.limit, TRAIN_LIMIT_STATES);
    assert_true(m.reasons >> TRAIN_REASON_NEEDS & 1);
    test_free(w);
}

static void test_recipes(void **state)
{
    static const struct {
        enum train_optimizer optimizer;
        double bytes;
    } want[] = {
        {OPTIMIZER_ADAMW, 18},
        {OPTIMIZER_ADAMW_BF16, 8},
        {OPTIMIZER_ADAMW_8BIT, 12},
        {OPTIMIZER_SGD, 14},
    };
    struct world *w = llama8();
    (void)state;
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        struct train t = on(TRAIN_FULL, 1, 0);
        t.optimizer = want[i].optimizer;
        assert_near(options(w, t).states.value, want[i].bytes * PARAMS_8B, 1);
    }
    test_free(w);
}

/* 2 + 2 + 12/N, 2 + 14/N, 16/N: the three published ZeRO formulas. */
static void test_zero_stages(void **state)
{
    static const double bytes[4] = {18, 2 + 2 + 12 / 8.0, 2 + 14 / 8.0, 16 / 8.0};
    struct world *w = llama8();
    (void)state;
    for (int z = 0; z <= 3; z++) {
        struct train_memory m = options(w, on(TRAIN_FULL, 8, z));
        assert_int_equal(m.data_parallel, 8);
        assert_near(m.states.value, bytes[z] * PARAMS_8B, 16);
        assert_true(m.states.high >= m.states.value);
    }
    test_free(w);
}

/* Trainable parameters as LitGPT printed them for rank 8 on query and value. */
static void test_adapter_counts(void **state)
{
    static const struct {
        int hidden, layers, heads, kv, ff;
        double adapters;
    } published[] = {
        {2048, 24, 32, 32, 8192, 1572864},   /* phi-1.5 */
        {4096, 16, 32, 32, 16384, 2097152},  /* StableLM Alpha 3B */
        {4096, 32, 32, 32, 11008, 4194304},  /* Llama 2 7B */
        {5120, 40, 40, 40, 13824, 6553600},  /* Llama 2 13B */
        {8192, 60, 128, 8, 32768, 12042240}, /* Falcon 40B */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
        struct world *w = make(published[i].hidden, published[i].layers, published[i].heads,
                               published[i].kv, published[i].ff, 32000);
        struct train t = on(TRAIN_LORA, 1, 0);
        t.targets = LORA_QV;
        t.lora_rank = 8;
        struct train_memory m = options(w, t);
        assert_near(m.trainable, published[i].adapters, 0);
        assert_near(m.adapters.value + m.gradients.value + m.optimizer.value,
                    16 * published[i].adapters, 0);
        assert_near(m.master.value, 0, 0);
        assert_near(m.weights.value, 2 * m.params, 0);
        test_free(w);
    }
}

static void test_linear_adapters(void **state)
{
    struct world *w = llama8();
    double h = 4096, ff = 14336, kv = 1024;
    struct train t = on(TRAIN_LORA, 1, 0);
    (void)state;
    t.lora_rank = 16;
    assert_near(options(w, t).trainable, 32 * 16 * (4 * h + 2 * (h + kv) + 3 * (h + ff)), 0);
    test_free(w);
}

static void test_nf4(void **state)
{
    struct world *w = llama8();
    double linear = 32 * 218103808.0, rest = PARAMS_8B - linear;
    struct train t = on(TRAIN_QLORA, 1, 0);
    struct train_memory m = options(w, t);
    (void)state;
    assert_near(m.weights.value, linear * 4.126953125 / 8 + rest * 2, 1);
    assert_near(m.weights.high, linear * 4.126953125 / 8 + rest * 4, 1);
    t.single_quant = true;
    assert_near(options(w, t).weights.value, linear * 4.5 / 8 + rest * 2, 1);
    /* one dequantised matrix: the MLP's */
    assert_near(m.buffers.value, 2.0 * 4096 * 14336, 0);
    assert_int_equal(m.verdict, VERDICT_FITS);
    test_free(w);
}

static struct train_saved saved(struct world *w, struct train t, int stage)
{
    t.tp = t.tp ? t.tp : 1;
    t.pp = t.pp ? t.pp : 1;
    t.cp = t.cp ? t.cp : 1;
    return train_saved(&w->q, &t, stage);
}

/* Korthikanti et al.: 34 bytes per h, of which 2 are dropout masks. */
static void test_published_activation_formula(void **state)
{
    struct world *w = make(2048, 1, 16, 16, 4 * 2048, 1000);
    struct train t = on(TRAIN_FULL, 1, 0);
    (void)state;
    w->model.kind[0].gated = false;
    w->model.kind[0].norm_bias = true;
    assert_near(saved(w, t, 0).per_token, TRAIN_COPIES * (34 * 2048 + 4 * 16), 1e-6);
    t.fused_kernels = true;
    assert_near(saved(w, t, 0).layers.low, 2048.0 * (32 * 2048 + 4 * 16), 0);
    test_free(w);
}

static void test_llama_layer(void **state)
{
    struct world *w = make(4096, 32, 32, 32, 11008, 32000);
    struct train t = on(TRAIN_FULL, 1, 0);
    (void)state;
    assert_near(saved(w, t, 0).per_token, 32 * TRAIN_COPIES * 194688.0, 1e-3);
    /* frozen: 2 norms of 4h, 5h of adapted input, qkv 6h, out 2h, and the MLP's 6ff;
     * every adapter on: o, MLP and down inputs too */
    t.method = TRAIN_LORA;
    t.targets = LORA_QV;
    double frozen = 4096 * (8 + 3 + 6 + 2.0) + 128 + 6 * 11008.0;
    assert_near(saved(w, t, 0).per_token, 32 * TRAIN_COPIES * frozen, 1e-3);
    t.targets = LORA_LINEAR;
    assert_near(saved(w, t, 0).per_token, 32 * TRAIN_COPIES * (frozen + 2 * 3 * 4096 + 3 * 11008),
                1e-3);
    /* a 4-bit matrix keeps its input whether adapted or not */
    t.method = TRAIN_QLORA;
    t.targets = LORA_QV;
    assert_near(saved(w, t, 0).per_token, 32 * TRAIN_COPIES * (frozen + 3 * 2 * 4096 + 2 * 11008),
                1e-3);
    test_free(w);
}

static void test_recompute_and_batch(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 8, 3);
    struct train_memory none = options(w, t), full;
    (void)state;
    t.micro_batch = 2;
    assert_near(options(w, t).activations.value, 2 * none.activations.value, 1);
    t.micro_batch = 1;
    t.recompute = RECOMPUTE_FULL;
    full = options(w, t);
    assert_near(full.activations.value, 2.0 * 4096 * 32 * 2048, 0);
    assert_near(full.live.value, none.activations.value / 32, 1);
    assert_near(full.logits.value, 2048.0 * 128256 * 14, 0);
    double back = full.activations.value + fmax(full.logits.value, full.live.value);
    assert_near(full.peak.value, fmax(back, full.step.value), 1);
    assert_int_equal(full.moment, full.step.value > back ? MOMENT_STEP : MOMENT_BACKWARD);
    t.loss = LOSS_FUSED;
    assert_int_equal(options(w, t).moment, MOMENT_STEP); /* FP32 of 1e9 parameters */
    assert_int_equal(none.moment, MOMENT_BACKWARD);
    test_free(w);
}

/* auto: none where that fits, full where only that does or nothing fits. */
static void test_least_recompute(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_LORA, 1, 0);
    struct train_memory m;
    (void)state;
    t.recompute = RECOMPUTE_AUTO;
    m = options(w, t);
    assert_true(m.recompute_chosen);
    assert_int_equal(m.train.recompute, RECOMPUTE_NONE);
    t.micro_batch = 4;
    m = options(w, t);
    assert_int_equal(m.train.recompute, RECOMPUTE_FULL);
    assert_int_equal(m.verdict, VERDICT_FITS);
    t.micro_batch = 512;
    assert_int_equal(options(w, t).train.recompute, RECOMPUTE_FULL);
    assert_int_not_equal(options(w, t).verdict, VERDICT_FITS);
    test_free(w);
}

/* Eager 14 bytes per logit, chunked 8; Liger's chunk of 16,384 tokens is 2,048 with
 * h 4096 and 32,000 words (its source has the example). */
static void test_losses(void **state)
{
    struct world *w = make(4096, 32, 32, 32, 11008, 32000);
    struct train t = on(TRAIN_FULL, 8, 3);
    double tokens = 16384, words = 32000 * tokens;
    (void)state;
    t.sequence = tokens;
    assert_near(saved(w, t, 0).logits.value, 14 * words, 0);
    assert_near(saved(w, t, 0).logits.high, 16 * words, 0);
    t.loss = LOSS_CHUNKED;
    assert_near(saved(w, t, 0).logits.value, 8 * words, 0);
    t.loss = LOSS_FUSED;
    assert_near(saved(w, t, 0).logits.value, 6 * 32000.0 * 2048 + 2 * 4096 * tokens, 0);
    t.sequence = 1;
    assert_near(saved(w, t, 0).logits.value, 6 * 32000.0 + 2 * 4096, 0);
    test_free(w);
}

static void test_stored_scores(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 8, 3);
    double flash = saved(w, t, 0).per_token;
    (void)state;
    t.eager_attention = true;
    assert_near(saved(w, t, 0).per_token - flash, TRAIN_COPIES * 32 * 5.0 * 32 * 2048, 1);
    t.recompute = RECOMPUTE_FULL; /* the layer that is computed again has them */
    assert_near(saved(w, t, 0).live.value, 2048 * (flash / 32 + TRAIN_COPIES * 5.0 * 32 * 2048), 1);
    t.recompute = RECOMPUTE_SELECTIVE;
    assert_near(saved(w, t, 0).per_token, flash, 0);
    assert_near(saved(w, t, 0).live.value, 5.0 * 32 * 2048 * 2048, 0);
    test_free(w);
}

static void test_tp_and_pp(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 2, 0);
    struct train_memory m;
    (void)state;
    t.tp = 2;
    m = options(w, t);
    assert_int_equal(m.data_parallel, 1);
    /* norms are whole on both */
    assert_near(m.local, (PARAMS_8B - 65 * 4096) / 2 + 65 * 4096, 0);
    assert_near(m.logits.value, 2048.0 * 128256 * 14 / 2, 0);
    t.tp = 1;
    t.pp = 2;
    /* the first stage holds half the layers for two micro-batches, no logits */
    struct train_saved first = saved(w, t, 0), last = saved(w, t, 1);
    assert_near(first.layers.value, 2 * last.layers.value, 1);
    assert_near(first.logits.value, 0, 0);
    assert_near(last.logits.value, 2048.0 * 128256 * 14, 0);
    m = options(w, t);
    assert_true(m.stage == 0 || m.stage == 1);
    assert_near(m.local, PARAMS_8B / 2, 4096);
    test_free(w);
}

static void test_parts_make_the_total(void **state)
{
    static const struct {
        enum train_method method;
        int gpus, zero;
    } cases[] = {{TRAIN_FULL, 1, 0}, {TRAIN_FULL, 4, 0}, {TRAIN_FULL, 8, 1},  {TRAIN_FULL, 8, 3},
                 {TRAIN_LORA, 2, 2}, {TRAIN_LORA, 8, 3}, {TRAIN_QLORA, 1, 0}, {TRAIN_QLORA, 4, 3}};
    struct world *w = llama8();
    (void)state;
    w->q.used = 2 * GP_GIB;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct train_memory m = options(w, on(cases[i].method, cases[i].gpus, cases[i].zero));
        double sum = m.weights.value + m.adapters.value + m.gradients.value + m.master.value +
                     m.optimizer.value + m.peak.value + m.buffers.value + m.fragmentation.value +
                     m.context.value;
        assert_near(m.total.value, sum, 16);
        assert_near(m.free.value, m.usable.value - w->q.used - m.total.value, 16);
        assert_true(m.total.low <= m.total.value && m.total.value <= m.total.high);
        assert_true(m.free.low <= m.free.value && m.free.value <= m.free.high);
    }
    test_free(w);
}

/* What a run prints: neither figure has the context; the reserve ends at the GPU's. */
static void test_allocated_and_reserved(void **state)
{
    struct world *w = llama8();
    struct train_memory m = options(w, on(TRAIN_LORA, 1, 0));
    (void)state;
    assert_near(m.allocated.value, m.states.value + m.peak.value + m.buffers.value, 16);
    assert_near(m.reserved.value, m.allocated.value + m.reserve.value, 16);
    assert_near(m.reserve.value, m.fragmentation.value, 0);
    assert_near(m.reserve.high, 0.25 * (m.peak.high + m.buffers.high), 1);
    w->gpu.usable = quantity_exact(m.allocated.value + m.context.value + GP_GIB);
    assert_near(options(w, on(TRAIN_LORA, 1, 0)).reserve.high, GP_GIB, 16);
    test_free(w);
}

static void test_buffers(void **state)
{
    struct world *w = llama8();
    struct train_memory m = options(w, on(TRAIN_FULL, 1, 0));
    (void)state;
    assert_near(m.buffers.value, 0, 0);
    assert_true(m.context.high < 1.0 * GP_GIB);
    m = options(w, on(TRAIN_FULL, 2, 0)); /* DDP's buckets are a copy of the gradients */
    assert_near(m.buffers.high, m.gradients.value, 0);
    assert_true(m.context.low > 1.4 * GP_GIB);
    m = options(w, on(TRAIN_FULL, 8, 2));
    assert_near(m.buffers.value, 2 * 5e8 * 2, 0);
    struct train t = on(TRAIN_FULL, 8, 3);
    double apart = options(w, t).gradients.value;
    t.whole_gradients = true;
    assert_near(options(w, t).gradients.value, apart + 2 * PARAMS_8B, 1);
    test_free(w);
}

static void check_refused(struct world *w, struct train t, const char *part)
{
    struct train_memory m = options(w, t);
    struct texts texts = {0};
    const char *why = sentence_train_reason(&w->q, &m, 0, &texts);

    assert_int_equal(m.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(m.limit, TRAIN_LIMIT_LAYOUT);
    assert_non_null(why);
    assert_non_null(strstr(why, part));
    texts_fini(&texts);
}

static void test_refused(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 8, 3);
    (void)state;
    t.pp = 2;
    check_refused(w, t, "ZeRO-3 does not work with PP");
    t.zero_stage = 1;
    assert_int_not_equal(options(w, t).limit, TRAIN_LIMIT_LAYOUT);
    t.pp = 3;
    check_refused(w, t, "not a multiple");
    t.pp = 1;
    t.gpus = 5;
    t.tp = 5;
    check_refused(w, t, "attention heads");
    t = on(TRAIN_FULL, 8, 2);
    t.offload = OFFLOAD_PARAMETERS;
    check_refused(w, t, "offloading parameters needs ZeRO-3 or higher");
    t.offload = OFFLOAD_OPTIMIZER;
    t.zero_stage = 0;
    check_refused(w, t, "offloading optimizer needs ZeRO-1");
    t.zero_stage = 3;
    t.step_in_backward = true;
    check_refused(w, t, "step in the backward pass works on one GPU or with ZeRO-3");
    t.offload = OFFLOAD_NONE;
    t.zero_stage = 2;
    check_refused(w, t, "step in the backward pass");
    t.zero_stage = 0;
    check_refused(w, t, "step in the backward pass");
    test_free(w);
}

static void test_refused_numbers(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_LORA, 1, 0), bad;
    (void)state;
    bad = t;
    bad.sequence = NAN;
    check_refused(w, bad, "sequence: nan is outside");
    bad = t;
    bad.micro_batch = 0;
    check_refused(w, bad, "micro-batch: 0 is outside");
    bad = t;
    bad.zero_stage = 4;
    check_refused(w, bad, "ZeRO stage: 4 is outside 0..3");
    bad = t;
    bad.lora_rank = 0;
    check_refused(w, bad, "LoRA rank: 0 is outside");
    bad = t;
    bad.method = TRAIN_NONE;
    check_refused(w, bad, "no training method");
    bad = t;
    bad.tp = bad.pp = 256;
    check_refused(w, bad, "TP x PP exceeds");
    w->model.weights_only = true;
    assert_int_equal(options(w, on(TRAIN_FULL, 1, 0)).limit, TRAIN_LIMIT_LAYOUT);
    test_free(w);
}

static void test_fewest_gpus(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 0, TRAIN_ZERO_CHOOSE);
    struct train_memory m = options(w, t);
    int n = m.train.gpus, z = m.train.zero_stage;
    (void)state;
    assert_int_equal(m.verdict, VERDICT_FITS);
    assert_true(n > 1 && n <= 8 && z >= 1);
    for (int stage = 0; stage <= 3; stage++) /* one GPU less never fits */
        assert_int_not_equal(options(w, on(TRAIN_FULL, n - 1, stage)).verdict, VERDICT_FITS);
    for (int stage = 0; stage < z; stage++) /* a lower stage does not either */
        assert_int_not_equal(options(w, on(TRAIN_FULL, n, stage)).verdict, VERDICT_FITS);
    assert_int_equal(options(w, on(TRAIN_FULL, n, z)).verdict, VERDICT_FITS);
    m = options(w, on(TRAIN_QLORA, 0, TRAIN_ZERO_CHOOSE));
    assert_int_equal(m.train.gpus, 1);
    assert_int_equal(m.train.zero_stage, 0);
    test_free(w);
}

static void test_whole_hosts(void **state)
{
    struct world *w = make(8192, 80, 64, 8, 28672, 128256);
    struct train t = on(TRAIN_FULL, 0, TRAIN_ZERO_CHOOSE);
    int whole, fewest;
    (void)state;
    whole = options(w, t).train.gpus;
    w->q.host_gpus = 0;
    fewest = options(w, t).train.gpus;
    assert_true(fewest > 8);
    assert_int_equal(whole, (fewest + 7) / 8 * 8);
    test_free(w);
}

static void test_no_number_of_gpus_helps(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_LORA, 0, TRAIN_ZERO_CHOOSE);
    struct train_memory m;
    (void)state;
    t.micro_batch = 512;
    m = options(w, t);
    assert_int_equal(m.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(m.train.gpus, 1);
    assert_int_equal(m.limit, TRAIN_LIMIT_ACTIVATIONS);
    test_free(w);
}

static void test_used_memory_is_named(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_QLORA, 1, 0);
    (void)state;
    t.recompute = RECOMPUTE_FULL;
    assert_int_equal(options(w, t).verdict, VERDICT_FITS);
    w->q.used = 76 * GP_GIB;
    assert_int_equal(options(w, t).verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(options(w, t).limit, TRAIN_LIMIT_USED);
    test_free(w);
}

static void test_marginal_names_a_knob(void **state)
{
    struct world *w = llama8();
    struct train_memory m = options(w, on(TRAIN_LORA, 1, 0));
    struct texts texts = {0};
    (void)state;
    assert_int_equal(m.verdict, VERDICT_FITS);
    w->gpu.usable = quantity_exact(m.total.value);
    m = options(w, on(TRAIN_LORA, 1, 0));
    assert_int_equal(m.verdict, VERDICT_MARGINAL);
    assert_non_null(strstr(sentence_train_knob(&m, &texts), "GiB"));
    texts_fini(&texts);
    test_free(w);
}

static void check_fixes(struct world *w, struct train t, int least)
{
    struct train_fix fixes[TRAIN_MAX_FIXES];
    struct train_memory m = options(w, t), again;
    struct texts texts = {0};
    const char *text;
    int n = train_fixes(&w->q, &m, fixes);
    assert_true(n >= least);
    for (int i = 0; i < n; i++) {
        train_estimate(&w->q, &fixes[i].train, &again);
        assert_int_equal(again.verdict, fixes[i].verdict);
        assert_true(again.verdict < m.verdict);
        text = sentence_train_options(&w->q, &fixes[i], &texts);
        assert_true(strncmp(text, "--", 2) == 0 && !strchr(text, '{'));
        assert_null(strchr(sentence_train_fix(&w->q, &fixes[i], &texts), '{'));
        if (!m.searched)
            assert_true(fixes[i].gain > 0);
        if (i > 0)
            assert_true(fixes[i].gpus >= fixes[i - 1].gpus);
    }
    texts_fini(&texts);
}

static void test_fixes(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 1, 0);
    struct train_fix fixes[TRAIN_MAX_FIXES];
    struct train_memory m;
    (void)state;
    check_fixes(w, t, 3); /* lora, qlora, more GPUs */
    t = on(TRAIN_LORA, 1, 0);
    t.micro_batch = 32;
    check_fixes(w, t, 1); /* micro-batch */
    t.micro_batch = 4;
    check_fixes(w, t, 3); /* micro-batch, recompute, shorter */
    m = options(w, t);
    assert_true(train_fixes(&w->q, &m, fixes) > 0);
    assert_int_equal(fixes[0].gpus, 1);
    check_fixes(w, on(TRAIN_FULL, 8, 0), 1); /* the next ZeRO stage */
    m = options(w, on(TRAIN_QLORA, 1, 0));
    assert_int_equal(train_fixes(&w->q, &m, fixes), 0);
    test_free(w);
}

static void test_explained(void **state)
{
    struct world *w = llama8();
    struct train_memory m = options(w, on(TRAIN_FULL, 8, 3));
    struct term why[TERMS_MAX];
    int n = terms_of_train(&w->q, &m, NULL, why), seen = 0;
    (void)state;
    assert_true(n >= 12);
    for (int i = 0; i < n; i++) {
        assert_true(why[i].equation[0] && why[i].input_count > 0);
        if (strcmp(why[i].name, "total") == 0) {
            assert_near(why[i].value.value, m.total.value / GP_GIB, 1e-9);
            seen++;
        }
    }
    assert_int_equal(seen, 1);
    test_free(w);
}

/* 16 GPUs of hosts of 8 are two machines of 8, never sixteen of 1; where only halves of a
 * host are rented, four of 4. */
static void test_whole_machines(void **state)
{
    struct instance instances[] = {
        {.gpu = "h100-sxm", .gpu_count = 1, .on_demand = 2},
        {.gpu = "h100-sxm", .gpu_count = 8, .on_demand = 20},
    };
    struct market market = {.instances = instances, .instance_count = 2};
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 16, 3);
    struct layout l;
    struct cost c;
    (void)state;
    t.tp = t.pp = 1;
    train_cost(&w->q, &t, &market, &l, &c);
    assert_int_equal(l.hosts, 2);
    assert_near(c.per_hour, 40, 0);
    t.gpus = 12; /* 4 of 16 are idle */
    train_cost(&w->q, &t, &market, &l, &c);
    assert_near(c.per_hour, 40, 0);
    assert_int_equal(c.on_demand.gpus_paid, 16);
    t.gpus = 1;
    train_cost(&w->q, &t, &market, &l, &c);
    assert_near(c.per_hour, 2, 0);
    t.gpus = 16;
    instances[1].gpu_count = 4;
    train_cost(&w->q, &t, &market, &l, &c);
    assert_int_equal(l.hosts, 4);
    assert_near(c.per_hour, 80, 0);
    t.tp = 8; /* one layer over eight GPUs stays in a machine */
    train_cost(&w->q, &t, &market, &l, &c);
    assert_int_equal(l.hosts, 2);
    assert_near(c.per_hour, 0, 0);
    assert_int_equal(c.note, COST_NOTE_NO_OFFER);
    test_free(w);
}

/* 218,103,808 linears a layer; 4 bits and 2.5 bytes per 128 of them. GPTQ keeps no input
 * and perhaps its matrices, AWQ its inputs as NF4 does. */
static void test_quantised_bases(void **state)
{
    static const struct format int4 = {
        .id = "int4-gptq", .bits = 4, .group_cols = 128, .group_rows = 1, .group_bytes = 2.5};
    struct world *w = llama8();
    double linear = 32 * 218103808.0, rest = PARAMS_8B - linear;
    double bytes = linear * (4 / 8.0 + 2.5 / 128) + rest * 2;
    struct train t = on(TRAIN_LORA, 1, 0);
    struct train_memory plain = options(w, t), m;
    (void)state;
    t.base = BASE_GPTQ;
    t.format = &int4;
    m = options(w, t);
    assert_near(m.weights.value, bytes, 1);
    assert_near(m.weights.high, bytes, 1);
    assert_near(m.activations.value, plain.activations.value, 0);
    assert_near(m.activations.high - plain.activations.high, 2 * linear, 16);
    assert_near(m.buffers.value, 2.0 * 4096 * 14336, 0);
    t.recompute = RECOMPUTE_FULL;
    assert_near(options(w, t).activations.high, 2.0 * 4096 * 32 * 2048, 1);
    t.base = BASE_AWQ;
    t.recompute = RECOMPUTE_NONE;
    m = options(w, t);
    assert_near(m.weights.high, bytes + rest * 2, 1);
    assert_near(m.activations.value, options(w, on(TRAIN_QLORA, 1, 0)).activations.value, 0);
    test_free(w);
}

/* 128,256 * 4096 parameters each: 2 + 2 + 4 bytes beside a 16-bit base, 4 + 4 + 8 where
 * it is prepared for k-bit training. */
static void test_modules_to_save(void **state)
{
    struct world *w = llama8();
    double words = 128256.0 * 4096, input = 2.0 * 4096 * 2048;
    struct train t = on(TRAIN_LORA, 1, 0);
    struct train_memory plain = options(w, t), m;
    (void)state;
    t.modules = MODULES_EMBED;
    m = options(w, t);
    assert_near(m.trainable - plain.trainable, words, 0);
    assert_near(m.modules.value, 2 * words, 0);
    assert_near(m.modules.high, 4 * words, 0);
    assert_near(m.gradients.value - plain.gradients.value, 2 * words, 0);
    assert_near(m.optimizer.value - plain.optimizer.value, 4 * words, 0);
    assert_near(m.states.high - plain.states.high, 16 * words, 1);
    assert_near(m.logits.value, plain.logits.value, 0);
    t.modules = MODULES_BOTH;
    m = options(w, t);
    assert_near(m.states.value - plain.states.value, 2 * 8 * words, 1);
    assert_near(m.logits.value - plain.logits.value, input, 0); /* the head's input */
    t.optimizer = OPTIMIZER_ADAMW_8BIT;                         /* 2 + 2 + 2 */
    assert_near(options(w, t).modules.value + options(w, t).optimizer.value,
                2 * words * (2 + 2) + 2 * 41943040.0, 1);
    t = on(TRAIN_QLORA, 1, 0);
    plain = options(w, t);
    t.modules = MODULES_HEAD;
    m = options(w, t);
    assert_near(m.states.value - plain.states.value, 16 * words, 1);
    assert_near(m.states.low - plain.states.low, 8 * words, 1);
    w->model.tied = true; /* the copy is made all the same */
    assert_near(options(w, t).modules.value, 4 * words, 0);
    test_free(w);
}

/* DeepSpeed's own estimates: 2 B per parameter stay with the optimizer offloaded from
 * ZeRO-2, 2/N from ZeRO-3, none with the parameters; 16 or 18 B are in host memory. */
static void test_offload(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 8, 2);
    struct train_memory m;
    (void)state;
    t.offload = OFFLOAD_OPTIMIZER;
    m = options(w, t);
    assert_near(m.states.value, 2 * PARAMS_8B, 1);
    assert_near(m.host.value, 16 * PARAMS_8B, 1); /* all eight ranks are in one host */
    assert_near(m.host.high, 1.5 * 16 * PARAMS_8B, 16);
    assert_near(m.step.high, 0, 0);
    t.gpus = 16;
    assert_near(options(w, t).host.value, 8 * PARAMS_8B, 1); /* in two */
    t.zero_stage = 3;
    assert_near(options(w, t).states.value, 2 * PARAMS_8B / 16, 1);
    t.offload = OFFLOAD_PARAMETERS;
    m = options(w, t);
    assert_near(m.states.high, 0, 0);
    assert_near(m.host.value, 9 * PARAMS_8B, 1);
    assert_near(m.buffers.low, 2 * (1e9 + 5e8), 0); /* DeepSpeed's live parameters */
    t = on(TRAIN_FULL, 1, TRAIN_ZERO_CHOOSE);       /* one GPU has stages too */
    t.offload = OFFLOAD_OPTIMIZER;
    t.recompute = RECOMPUTE_FULL;
    m = options(w, t);
    assert_int_equal(m.train.zero_stage, 1);
    assert_near(m.gradients.value, 2 * PARAMS_8B, 1);
    assert_near(m.buffers.value, 2 * 5e8 * 2, 0);
    t.offload = OFFLOAD_PARAMETERS;
    assert_int_equal(options(w, t).train.zero_stage, 3);
    t.optimizer = OPTIMIZER_ADAMW_BF16; /* moments 4, gradients 2, weights 2 */
    assert_near(options(w, t).host.value, 8 * PARAMS_8B, 1);
    test_free(w);
}

/* One GPU: the embedding's gradient, 128,256 * 4096 * 4 B, instead of all; FSDP: of its
 * largest unit, here what is outside the layers. */
static void test_step_in_backward(void **state)
{
    struct world *w = llama8();
    double words = 128256.0 * 4096, root = 2 * words + 4096;
    struct train t = on(TRAIN_FULL, 1, 0);
    struct train_memory m;
    (void)state;
    t.step_in_backward = true;
    m = options(w, t);
    assert_near(m.gradients.value, 4 * words, 0);
    assert_near(m.step.value, 4 * words, 0);
    assert_near(m.states.value, 14 * PARAMS_8B + 4 * words, 1);
    t.gpus = 8;
    t.zero_stage = TRAIN_ZERO_CHOOSE;
    m = options(w, t);
    assert_int_equal(m.train.zero_stage, 3);
    assert_near(m.gradients.value, 2 * root / 8, 1);
    test_free(w);
}

/* Four ranks share 8192 tokens: a quarter of what is kept, ZeRO cuts by all eight. Keys
 * and values are 2*8*256 bytes per token: two blocks of 2048 tokens, up to all 8192. */
static void test_context_parallel(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 8, 3);
    struct train_memory whole, m;
    (void)state;
    t.sequence = 8192;
    whole = options(w, t);
    t.cp = 4;
    m = options(w, t);
    assert_int_equal(m.data_parallel, 2);
    assert_int_equal(m.shards, 8);
    assert_near(m.states.value, whole.states.value, 0);
    assert_near(m.activations.value, whole.activations.value / 4, 1);
    assert_near(m.logits.value, whole.logits.value / 4, 1);
    assert_near(m.exchange.value, 2 * 4096.0 * 2048, 0);
    assert_near(m.exchange.high, 4096.0 * 8192, 0);
    assert_near(m.buffers.value, whole.buffers.value + m.exchange.value, 16);
    t.gpus = 0;
    assert_int_equal(options(w, t).train.gpus % 4, 0);
    t.gpus = 6;
    check_refused(w, t, "6 GPUs are not a multiple of TP 1 x PP 1 x CP 4");
    t.gpus = 8;
    t.sequence = 8190;
    check_refused(w, t, "8190 tokens cannot be cut into 4 equal parts");
    test_free(w);
}

/* Korthikanti et al.: of 34 h TP leaves 8 h whole (10 with two masks), sequence parallel
 * none. */
static void test_sequence_parallel(void **state)
{
    struct world *w = make(2048, 1, 16, 16, 4 * 2048, 1000);
    struct train t = on(TRAIN_FULL, 8, 0);
    double h = 2048, heads = 4 * 16;
    (void)state;
    w->model.kind[0].gated = false;
    w->model.kind[0].norm_bias = true;
    t.tp = 8;
    assert_near(saved(w, t, 0).per_token, TRAIN_COPIES * (8 * h + (26 * h + heads) / 8), 1e-6);
    t.sequence_parallel = true;
    assert_near(saved(w, t, 0).per_token, TRAIN_COPIES * (34 * h + heads) / 8, 1e-6);
    t.recompute = RECOMPUTE_FULL;
    assert_near(saved(w, t, 0).layers.value, 2 * h / 8 * 2048, 0);
    t.tp = 1;
    check_refused(w, t, "it needs TP 2 or more");
    test_free(w);
}

/* Eight of 32 layers on each GPU, of one micro-batch, and no NCCL. */
static void test_device_map(void **state)
{
    struct world *w = llama8();
    struct train t = on(TRAIN_FULL, 1, 0);
    struct train_memory whole = options(w, t), m;
    (void)state;
    t.device_map = true;
    t.gpus = 4;
    m = options(w, t);
    assert_int_equal(m.train.pp, 4);
    assert_int_equal(m.data_parallel, 1);
    assert_near(m.activations.value, whole.activations.value / 4, 1);
    assert_near(m.context.high, whole.context.high, 0);
    double layer = 218103808 + 2 * 4096.0, words = 128256.0 * 4096;
    double last = 8 * layer + words + 4096; /* the head and the last norm */
    assert_int_equal(m.stage, 3);
    assert_near(m.weights.value, 2 * last, 0);
    assert_near(m.weights.high, 2 * (last + 1.25 * layer), 1);
    t.gpus = 0;
    m = options(w, t);
    assert_int_equal(m.verdict, VERDICT_FITS);
    assert_int_equal(m.train.gpus, m.train.pp);
    t.gpus = m.train.gpus - 1;
    assert_int_not_equal(options(w, t).verdict, VERDICT_FITS);
    t.gpus = 12;
    check_refused(w, t, "12 GPUs exceed the 8 of one host");
    t.gpus = 4;
    t.zero_stage = 1;
    check_refused(w, t, "are one process: no ZeRO");
    test_free(w);
}

static bool in_order(struct quantity q)
{
    return q.low >= 0 && q.low <= q.value + 1 && q.value <= q.high + 1;
}

static void check_sane(struct world *w, struct train t)
{
    struct train_memory m = options(w, t);
    if (m.limit == TRAIN_LIMIT_LAYOUT) {
        struct texts texts = {0};
        const char *why = sentence_train_reason(&w->q, &m, 0, &texts);

        assert_non_null(why);
        assert_null(strchr(why, '{'));
        texts_fini(&texts);
        return;
    }
    struct quantity parts[] = {m.weights,   m.adapters, m.modules, m.gradients,     m.master,
                               m.optimizer, m.peak,     m.buffers, m.fragmentation, m.context};
    double sum = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        assert_true(in_order(parts[i]));
        sum += parts[i].value;
    }
    assert_near(m.total.value, sum, 64);
    assert_true(in_order(m.total) && in_order(m.host) && in_order(m.live));
    assert_true(t.offload == OFFLOAD_NONE ? m.host.high <= 0 : m.host.value > 0);
}

/* All options with each other: a refusal with its sentence, or parts that add up. */
static void test_every_combination(void **state)
{
    struct world *w = llama8();
    (void)state;
    for (int i = 0; i < 3 * 3 * 5 * 4 * 64; i++) {
        int flags = i % 64, rest = i / 64;
        struct train t = on((enum train_method)(TRAIN_FULL + rest % 3), 8, rest / 3 % 5 - 1);
        t.offload = (enum train_offload)(rest / 15 % 3);
        t.modules = (enum train_modules)(rest / 45 % 4);
        t.step_in_backward = flags & 1;
        t.sequence_parallel = flags & 2;
        t.device_map = flags & 4;
        t.cp = flags & 8 ? 2 : 1;
        t.tp = flags & 16 ? 2 : 1;
        t.recompute = flags & 32 ? RECOMPUTE_FULL : RECOMPUTE_NONE;
        t.eager_attention = flags & 1;
        check_sane(w, t);
        t.gpus = 0;
        if (i % 7 == 0)
            check_sane(w, t);
    }
    test_free(w);
}

/* Every mixer keeps something, and no band is upside down. */
static void test_every_mixer(void **state)
{
    struct world *w = llama8();
    (void)state;
    w->model.kind[0].q_lora = 1536;
    w->model.kind[0].kv_lora = 512;
    w->model.kind[0].rope_dim = 64;
    w->model.kind[0].nope_dim = 128;
    w->model.kind[0].v_head_dim = 128;
    w->model.kind[0].o_groups = 8;
    w->model.kind[0].o_lora = 512;
    w->model.kind[0].lin_k_heads = 16;
    w->model.kind[0].lin_v_heads = 32;
    w->model.kind[0].lin_k_dim = w->model.kind[0].lin_v_dim = 128;
    for (int x = MIXER_NONE; x < MIXER_COUNT; x++)
        for (int method = TRAIN_FULL; method <= TRAIN_QLORA; method++) {
            struct train t = on((enum train_method)method, 1, 0);
            w->model.kind[0].mixer = (enum mixer)x;
            struct train_saved s = saved(w, t, 0);
            assert_true(s.layers.low > 0);
            assert_true(s.layers.low <= s.layers.value);
            assert_true(s.layers.value <= s.layers.high);
        }
    test_free(w);
}

static void test_experts(void **state)
{
    struct world *w = make(2048, 24, 32, 4, 0, 151936);
    struct train t = on(TRAIN_FULL, 1, 0);
    double dense = saved(w, t, 0).per_token;
    (void)state;
    w->model.kind[0].experts = 128;
    w->model.kind[0].experts_active = 8;
    w->model.kind[0].expert_ff = 768;
    double h = 2048, k = 8, ff = 768;
    assert_near(saved(w, t, 0).per_token - dense,
                24 * TRAIN_COPIES * (2 * k * h + 8 * k * ff + 8 * 128 + 2 * k * h), 1e-3);
    test_free(w);
}

static void test_words(void **state)
{
    (void)state;
    for (int i = 0; i < RECOMPUTE_COUNT; i++)
        assert_int_equal(train_recompute_parse(train_recompute_word((enum recompute)i)), i);
    for (int i = 0; i < OPTIMIZER_COUNT; i++)
        assert_int_equal(train_optimizer_parse(train_optimizer_word((enum train_optimizer)i)), i);
    for (int i = 0; i < LOSS_COUNT; i++)
        assert_int_equal(train_loss_parse(train_loss_word((enum train_loss)i)), i);
    assert_int_equal(train_optimizer_parse(""), -1);
    assert_string_equal(train_limit_word(TRAIN_LIMIT_STATES), "optimizer-states");
}

/* A trainer by its version; without one the newest. */
static void test_trainers(void **state)
{
    (void)state;
    assert_null(trainer_find("foo"));
    assert_null(trainer_find("trl2"));
    assert_string_equal(trainer_find("trl")->from, "0.12");
    assert_string_equal(trainer_find("trl@0.9.4")->until, "0.11");
    assert_string_equal(trainer_find("TRL@0.11.4")->until, "0.11");
    assert_string_equal(trainer_find("trl@0.12.0")->from, "0.12");
    assert_string_equal(trainer_find("transformers@5.13")->from, "4.45");
    assert_int_equal(trainer_find("torchtune@0.6.1")->loss, LOSS_CHUNKED);
    assert_int_equal(trainer_find("torchtune")->loss, LOSS_FUSED);
}

/* Per operator lies between all and nothing; attention alone between query and value and all. */
static void test_between(void **state)
{
    static const char *const models[] = {"llama-3.1-8b", "qwen3-30b-a3b", "gemma-2-9b",
                                         "mistral-7b-v0.3"};

    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        struct request q = {.model = profile_model(catalog, models[i]),
                            .gpu = profile_gpu(catalog, "h200-sxm")};
        struct train t = train_defaults(TRAIN_LORA);
        double kept[3], trained[3];
        static const enum recompute kinds[] = {RECOMPUTE_FULL, RECOMPUTE_OPS, RECOMPUTE_NONE};
        static const enum lora_targets targets[] = {LORA_QV, LORA_ATTENTION, LORA_LINEAR};

        t.gpus = t.tp = t.pp = t.cp = 1;
        for (int k = 0; k < 3; k++) {
            t.recompute = kinds[k];
            t.targets = targets[k];
            kept[k] = train_saved(&q, &t, 0).layers.value;
            trained[k] = train_adapters(&q, &t);
        }
        assert_true(kept[0] < kept[1] && kept[1] < kept[2]);
        assert_true(trained[0] < trained[1] && trained[1] < trained[2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eighteen_bytes),
        cmocka_unit_test(test_recipes),
        cmocka_unit_test(test_zero_stages),
        cmocka_unit_test(test_adapter_counts),
        cmocka_unit_test(test_linear_adapters),
        cmocka_unit_test(test_nf4),
        cmocka_unit_test(test_published_activation_formula),
        cmocka_unit_test(test_llama_layer),
        cmocka_unit_test(test_recompute_and_batch),
        cmocka_unit_test(test_least_recompute),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_stored_scores),
        cmocka_unit_test(test_tp_and_pp),
        cmocka_unit_test(test_parts_make_the_total),
        cmocka_unit_test(test_allocated_and_reserved),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_numbers),
        cmocka_unit_test(test_fewest_gpus),
        cmocka_unit_test(test_whole_hosts),
        cmocka_unit_test(test_no_number_of_gpus_helps),
        cmocka_unit_test(test_used_memory_is_named),
        cmocka_unit_test(test_marginal_names_a_knob),
        cmocka_unit_test(test_fixes),
        cmocka_unit_test(test_explained),
        cmocka_unit_test(test_whole_machines),
        cmocka_unit_test(test_quantised_bases),
        cmocka_unit_test(test_modules_to_save),
        cmocka_unit_test(test_offload),
        cmocka_unit_test(test_step_in_backward),
        cmocka_unit_test(test_context_parallel),
        cmocka_unit_test(test_sequence_parallel),
        cmocka_unit_test(test_device_map),
        cmocka_unit_test(test_every_combination),
        cmocka_unit_test(test_every_mixer),
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_trainers),
        cmocka_unit_test(test_between),
    };
    return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
}
