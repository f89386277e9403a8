/* test_startup.c - how the engine itself would stop: the first check that fails, worded as
 * its version words it, with the plan's figures. */
#include "answer/startup.h"

#include "base/str.h"
#include "sample.h"

static const struct market nowhere;

static struct plan with(const struct request *q, struct layout l)
{
    struct plan p;
    plan_layout(q, &l, &nowhere, &p);
    return p;
}

static const struct layout one = {.tp = 1, .pp = 1, .ep = 1, .replicas = 1, .gpus = 1, .hosts = 1};

static void stops(const struct request *q, struct layout l, const char *check, const char *words)
{
    struct plan p = with(q, l);
    struct startup s = startup_check(&p);
    if (!s.check)
        fail_msg("starts, not stopped by %s", check);
    assert_string_equal(s.check, check);
    struct texts texts = {0};
    const char *text = startup_message(&p, &s, &texts);
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, text);
    if (strchr(text, '{'))
        fail_msg("a name without a value: %s", text);
    texts_fini(&texts);
    if (s.certain)
        assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    else
        assert_int_not_equal(p.verdict, VERDICT_FITS);
}

static void test_each_check(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    struct plan p = with(q, one);
    assert_null(startup_check(&p).check);
    q->context = 200000;
    stops(q, one, "max-model-len", "max_model_len (200000) is greater than");
    q->context = 8192;
    s.engine.defaults_clip = true;
    q->max_num_seqs = 512;
    q->max_batched_tokens = 256;
    stops(q, one, "batched-tokens", "max_num_batched_tokens (256) must be greater");
    q->max_num_seqs = q->max_batched_tokens = 0;
    stops(q, sample_layout(3, 1, 1, 1), "heads",
          "attention heads (32) must be divisible by tensor parallel size (3)");
    s.gpu.compute_capability = 75;
    stops(q, one, "bfloat16", "has compute capability 7.5");
    s.gpu.compute_capability = 90;
    q->used = 30 * GP_GIB;
    stops(q, one, "free-memory", "(49.19/79.19 GiB)");
    q->used = 0;
    s.model = sample_llama_70b();
    stops(q, one, "load", "CUDA out of memory");
    s.gpu.usable = quantity_exact(134 * GP_GIB);
    q->utilization = 0.95;
    stops(q, one, "cache-blocks", "No available memory for the cache blocks");
}

/* DSA asks for a backend and finds none on an A100; CSA names its own, whose words are not
 * known; attention without an index runs there. */
static void test_sparse_attention(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_deepseek_v3());
    const struct layout many = sample_layout(8, 2, 1, 1);

    (void)state;
    s.engine.support[s.engine.support_count++] =
        (struct support){.kind = SUPPORT_ATTENTION, .of = "sparse", .from = 90};
    s.gpu.compute_capability = 80;
    for (int k = 0; k < s.model.kind_count; k++)
        s.model.kind[k].index_heads = 64;
    stops(q, many, "sparse-attention", "No valid attention backend found for cuda");
    for (int k = 0; k < s.model.kind_count; k++)
        s.model.kind[k].mixer = MIXER_CSA;
    struct plan p = with(q, many);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_true(p.reasons >> REASON_SPARSE & 1);
    assert_string_not_equal(startup_check(&p).check, "sparse-attention");
    for (int k = 0; k < s.model.kind_count; k++) {
        s.model.kind[k].mixer = MIXER_MLA;
        s.model.kind[k].index_heads = 0;
    }
    p = with(q, many);
    assert_false(p.reasons >> REASON_SPARSE & 1);
}

/* FP16 in place of BF16 where a version does so; not for families that lose precision. */
static void test_types_of_old_gpus(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    s.gpu.compute_capability = 75;
    s.engine.bf16_falls_back = true;
    struct plan p = with(q, one);
    assert_int_equal(p.verdict, VERDICT_FITS);
    assert_true(p.warnings >> WARNING_FP16 & 1);
    gp_copy(s.engine.fp16_refused, sizeof(s.engine.fp16_refused), "gemma2|llama");
    gp_copy(s.model.family, sizeof(s.model.family), "llama");
    p = with(q, one);
    assert_true(p.reasons >> REASON_FP32 & 1);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    s.gpu.compute_capability = 90;
    p = with(q, one);
    assert_int_equal(p.verdict, VERDICT_FITS);
    static struct format half = {.id = "fp16", .bits = 16, .math = MATH_FP16};
    q->precision.base = &half;
    stops(q, one, "float16", "The model type 'llama' does not support float16");
}

/* No KV cache, and the checks before one: lengths, the batch, heads, memory that is free. */
static void test_encoder(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    s.model.weights_only = true;
    s.engine.defaults_clip = true;
    struct plan p = with(q, one);
    assert_true(model_is_encoder(&s.model));
    assert_int_equal(p.verdict, VERDICT_FITS);
    assert_true(p.memory.activation.value > 0 && p.memory.non_torch.value > 0);
    assert_near(p.memory.kv_reserved.value, 0, 0);
    assert_near(p.memory.max_batched_tokens, fmax(8192, q->context), 0);
    q->max_batched_tokens = q->context - 1;
    stops(q, one, "whole-prompt", "is smaller than max_model_len");
    q->max_batched_tokens = 0;
    q->context = 200000;
    stops(q, one, "max-model-len", "max_model_len (200000) is greater than");
    q->context = 8192;
    q->used = 30 * GP_GIB;
    stops(q, one, "free-memory", "(49.19/79.19 GiB)");
    q->used = 0;
    stops(q, sample_layout(3, 1, 1, 1), "heads", "must be divisible by");
    s.model.kind[0].cross = true; /* a decoder over an encoder's output is none */
    assert_false(model_is_served(&s.model));
}

/* The message of one request names what it needs, what there is, and the longest that the
 * pool holds; the wording is that of the version. */
static void test_one_request(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    s.gpu.usable = quantity_exact(24 * GP_GIB);
    q->context = 131072; /* 16 GiB */
    struct plan p = with(q, one);
    assert_true(p.memory.kv_pool.high < 16 * GP_GIB && p.memory.kv_pool.low > 0);
    stops(q, one, "one-request", "with the models's max seq len (131072), (16.00 GiB");
    char estimate[64];
    double tokens = floor(p.memory.kv_pool.value / GP_MIB / 2) * 16;
    gp_format(estimate, sizeof(estimate), "maximum model length is %.0f.", tokens);
    stops(q, one, "one-request", estimate);
    s.engine.from = engine_version("0.22", 0);
    stops(q, one, "one-request", "with the model's max seq len");
    /* more users than the pool holds only wait */
    q->context = 8192;
    q->users = 1000;
    p = with(q, one);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_null(startup_check(&p).check);
}

/* What may fail by its band gives way to what fails at the estimate's value. */
static void test_likeliest(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->context = 32768;
    s.gpu.usable = quantity_exact(20 * GP_GIB);
    for (double gib = 20; gib < 24; gib += 0.05) {
        s.gpu.usable = quantity_exact(gib * GP_GIB);
        struct plan p = with(q, one);
        struct startup found = startup_check(&p);
        const struct quantity *pool = &p.memory.kv_pool;
        if (pool->low >= 0 || pool->high < 0 || pool->value > 4 * GP_GIB)
            continue;
        assert_string_equal(found.check, pool->value > 0 ? "one-request" : "cache-blocks");
    }
}

/* Graphs are captured when the pool is set; SGLang's fraction has to leave room. */
static void test_graphs(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    s.engine.from = engine_version("0.29", 0);
    q->utilization = 1;
    s.engine.graphs = quantity_band(GP_GIB, 0.5 * GP_GIB, 2 * GP_GIB, ORIGIN_MODEL);
    s.engine.graphs_in_budget = false;
    stops(q, one, "graphs", "while CUDA graphs are captured");
    s.engine.from = engine_version("0.20", 0);
    stops(q, one, "graphs", "warming up sampler with");
}

/* A cut block of FP8 has a check of its own, behind those of widths that do not divide. */
static void test_blocks(void **state)
{
    static const struct format block = {.id = "fp8-block",
                                        .math = MATH_FP8,
                                        .bits = 8,
                                        .group_cols = 128,
                                        .group_rows = 128,
                                        .group_bytes = 4};
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->host_gpus = 32;
    q->precision = sample_precision(&block);
    s.engine.support[s.engine.support_count++] =
        (struct support){.kind = SUPPORT_SHARDS, .of = "fp8-block"};
    stops(q, sample_layout(32, 1, 1, 1), "shards", "partition_size = 448 is not divisible");
    stops(q, sample_layout(5, 1, 1, 1), "heads", "attention heads (32)");
}

static void test_state_blocks(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_next());

    (void)state;
    q->max_num_seqs = 4096;
    s.engine.state_exit = true;
    s.engine.from = engine_version("0.20", 0);
    stops(q, sample_layout(4, 1, 1, 1), "state-blocks", "max_num_seqs (4096) exceeds");
}

static void test_cpu_offload(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gemma_27b());

    (void)state;
    q->host_bytes = GP_GIB;
    s.engine.from = engine_version("0.17", 0);
    stops(q, one, "cpu-offload", "Cannot re-initialize the input batch");
    s.engine.offload_groups = true;
    struct plan p = with(q, one);
    assert_null(startup_check(&p).check);
}

static void test_draft_vocabulary(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct model draft = sample_dense("tiny", 1024, 8, 16, 8, 4096, 128000);

    (void)state;
    q->draft = &draft;
    q->draft_kind = DRAFT_MODEL;
    q->draft_precision = q->precision;
    s.engine.draft_vocab = true;
    stops(q, one, "draft-vocabulary", "vocab_size=128256. Draft model vocab_size=128000.");
}

/* Engine `id`, which shares out the memory its own way, on a GPU of `gib`. */
static struct request *other(struct sample *s, const char *id, enum budget budget, double gib)
{
    struct request *q = sample_request(s, sample_llama_8b());
    gp_copy(s->engine.id, sizeof(s->engine.id), id);
    s->engine.from = 0;
    s->engine.budget = budget;
    s->engine.graphs_in_budget = false;
    s->gpu.usable = quantity_exact(gib * GP_GIB);
    return q;
}

/* Weights of 15 GiB, 8 GiB of KV, then buffers: each is allocated after the other. */
static void test_llama_cpp(void **state)
{
    struct sample s;
    struct request *q = other(&s, "llama.cpp", BUDGET_ASKED, 12);

    (void)state;
    q->context = 65536;
    stops(q, one, "load", "unable to allocate CUDA0 buffer (of 15348.51 MiB)");
    s.gpu.usable = quantity_exact(18 * GP_GIB);
    stops(q, one, "kv-cache", "failed to allocate buffer for kv cache (with -ngl");
    for (double gib = 12; gib < 40; gib += 0.25) {
        s.gpu.usable = quantity_exact(gib * GP_GIB);
        struct plan p = with(q, one);
        assert_int_equal(p.verdict == VERDICT_FITS, startup_check(&p).check == NULL);
    }
}

/* What it was built for: 256 sequences, and blocks of a quantised cache within a head. */
static void test_llama_cpp_limits(void **state)
{
    static const struct format q8 = {
        .id = "q8_0", .name = "Q8_0", .math = MATH_COUNT, .bits = 8.5, .block = 32};
    struct sample s;
    struct request *q = other(&s, "llama.cpp", BUDGET_ASKED, 80);
    struct model narrow = *q->model;

    (void)state;
    s.engine.gguf = true;
    s.engine.slots_most = 256;
    q->context = 512;
    q->users = 256;
    assert_int_equal(with(q, one).verdict, VERDICT_FITS);
    q->users = 257;
    stops(q, one, "slots", "n_seq_max must be <= 256");
    q->users = 1;
    q->kv = &q8;
    assert_int_equal(with(q, one).verdict, VERDICT_FITS);
    narrow.kind[0].head_dim = narrow.kind[0].v_head_dim = 80;
    q->model = &narrow;
    stops(q, one, "cache-block", "K cache type q8_0 with block size 32 does not divide");
}

static void test_tensorrt_llm(void **state)
{
    struct sample s;
    struct request *q = other(&s, "tensorrt-llm", BUDGET_FREE, 12);

    (void)state;
    stops(q, one, "load", "could not be created: Model. Total GPU memory (GiB): 12.00");
    s.gpu.usable = quantity_exact(80 * GP_GIB);
    stops(q, sample_layout(3, 1, 1, 1), "heads", "(32 heads, tp_size 3)");
    struct plan p = with(q, one);
    assert_null(startup_check(&p).check);
}

static void test_unknown_engine(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());

    (void)state;
    assert_true(startup_known(&s.engine));
    gp_copy(s.engine.id, sizeof(s.engine.id), "other");
    struct plan p = with(q, one);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_null(startup_check(&p).check);
    assert_false(startup_known(&s.engine));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_check),
        cmocka_unit_test(test_sparse_attention),
        cmocka_unit_test(test_types_of_old_gpus),
        cmocka_unit_test(test_encoder),
        cmocka_unit_test(test_one_request),
        cmocka_unit_test(test_likeliest),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_state_blocks),
        cmocka_unit_test(test_cpu_offload),
        cmocka_unit_test(test_draft_vocabulary),
        cmocka_unit_test(test_llama_cpp),
        cmocka_unit_test(test_llama_cpp_limits),
        cmocka_unit_test(test_tensorrt_llm),
        cmocka_unit_test(test_unknown_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
