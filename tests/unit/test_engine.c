/*
 * test_engine.c - the rules of SGLang, TensorRT-LLM, llama.cpp and Ollama, on the profiles
 * that come with the program. Figures are computed by hand or stand in quoted logs.
 */
#include "catalog/engine.h"
#include "plan/reason.h"
#include "plan/rules.h"

#include "sample.h"
#include "shipped.h"

static struct sample sample;

static struct request *asked(const char *model, const char *engine, const char *gpu,
                             const char *precision)
{
    struct request *q = sample_request(&sample, sample_llama_8b());
    q->model = profile_model(catalog, model);
    q->engine = profile_engine(catalog, engine);
    q->gpu = profile_gpu(catalog, gpu);
    q->precision = profile_precision(catalog, precision);
    q->kv = profile_format(catalog, "bf16");
    return q;
}

static struct memory estimate(const struct request *q, int tp)
{
    struct load load = load_sum(q);
    struct layout l = sample_layout(tp, 1, 1, 1);
    struct memory m;
    memory_estimate(q, &load, &l, &m);
    return m;
}

static void test_versions(void **state)
{
    (void)state;
    assert_true(engine_version("0.19", 0) == 190000);
    assert_true(engine_version("0.5.23", 0) == 50023);
    assert_true(engine_version("v0.5.9.post1", 0) == 50009);
    assert_true(engine_version("0.5", ENGINE_LAST_PATCH) == 59999);
    assert_true(engine_version("1.3.0rc10", 0) == 100030000);
    assert_true(engine_version("0.5.x", 0) == 50000);
    assert_true(engine_version("b6123", 0) == 612300000000);
    assert_true(engine_version("b12345", 0) == 1234500000000);
    assert_true(engine_version("0.19.1rc2.dev128+gabc1.cu130", 0) == 190001);
    assert_true(engine_version("0.33+", 0) == 330000);
    static const char *const others[] = {"0.",        "0.33.7+x\ny", "0.33+cu130;rm",
                                         "0.33 ",     "0.33.7r",     "0.33\033",
                                         "0.33+$(x)", "0.33-A",      "latest"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_true(engine_version(others[i], 0) == -1);
    assert_string_equal(profile_engine(catalog, "sglang@0.5.5")->range, "up to 0.5.8");
    assert_string_equal(profile_engine(catalog, "sglang@0.5.9")->range, "0.5.9-0.5.14");
    assert_string_equal(profile_engine(catalog, "sglang@0.5.15")->range, "0.5.15-0.5.21");
    assert_string_equal(profile_engine(catalog, "sglang@0.5")->range, "0.5.23+");
}

static void test_own_ids(void **state)
{
    static const char *const names[] = {"sglang@0.5.15", "vllm@0.17", "ollama", "llama.cpp@b5000",
                                        "sglang@0.5.8"};
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        catalog_engine_id(profile_engine(catalog, names[i]), text, sizeof(text));
        assert_string_equal(text, names[i]);
    }
}

/* arg_groups/memory_hook.py, by hand. */
static void test_sglang_fraction(void **state)
{
    static const struct {
        const char *engine, *model, *gpu;
        int tp;
        double reserved, physical; /* MiB */
    } cases[] = {
        {"sglang", "llama-3.1-8b", "h100-sxm", 1, 512 + 12288 + 128 + 512 + 464, 81559},
        {"sglang", "llama-3.1-8b", "h100-sxm", 4, 512 + 12288 + 512 + 1024 + 464, 81559},
        {"sglang@0.5.9", "llama-3.1-8b", "h100-sxm", 1, 512 + 12288 + 128 + 512, 81559},
        {"sglang", "deepseek-v2-lite-16b", "h100-sxm", 1, 512 + 12288 + 128 + 512 + 1536, 81559},
        {"sglang", "llama-3.1-8b", "l4", 1, 512 + 6144 + 128 + 96 + 8 * 50, 0},
        {"sglang@0.5.15", "llama-3.1-8b", "l4", 1, 512 + 3072 + 128 + 48 + 8 * 42, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct request *q = asked(cases[i].model, cases[i].engine, cases[i].gpu, "bf16");
        double physical =
            cases[i].physical > 0 ? cases[i].physical : q->gpu->physical.value / GP_MIB;
        assert_near(estimate(q, cases[i].tp).fraction, 1 - cases[i].reserved / physical, 0.0006);
    }
    struct request *q = asked("llama-3.1-8b", "sglang", "h100-sxm", "bf16");
    q->max_num_seqs = 64; /* fewer requests than the largest graph: a smaller reserve */
    assert_near(estimate(q, 1).fraction, 1 - (13904.0 - 2 * 192) / 81559, 0.0006);
    q->utilization = 0.7;
    assert_near(estimate(q, 1).fraction, 0.7, 0);
}

/* A graph batch caps nothing: max_running_requests is 2048 at least. */
static void test_sglang_slots(void **state)
{
    struct request *q = asked("llama-3.1-8b", "sglang", "h100-sxm", "bf16");

    (void)state;
    assert_near(memory_max_num_seqs(q), 2048, 0);
    assert_near(memory_max_batched_tokens(q), 8192, 0);
    q->gpu = profile_gpu(catalog, "l4");
    assert_near(memory_max_batched_tokens(q), 4096, 0);
    q->engine = profile_engine(catalog, "sglang@0.5.15");
    assert_near(memory_max_batched_tokens(q), 2048, 0);
}

/* Gemma-3-27B: a cell is 10 full layers and 0.8 of 52 sliding ones. */
static void test_sglang_windows(void **state)
{
    struct request *q = asked("gemma-3-27b", "sglang", "h100-sxm", "bf16");
    double cell = (10 + 0.8 * 52) * 8192;

    (void)state;
    q->context = 32768;
    q->users = 1;
    struct memory m = estimate(q, 1);
    assert_near(m.sequence.cell, cell, 1);
    assert_near(m.sequence.reserved, 32768 * cell, 1);
    q->context = 512; /* fewer than a window: the windows' pool is the smaller one */
    m = estimate(q, 1);
    assert_near(m.sequence.reserved, ceil(513 / 0.8) * cell, cell);
    assert_near(m.kv_cache_tokens.value, floor(m.kv_pool.value / cell), 1);
}

/* Qwen3-Next on SGLang: 0.9 : 1 for states and KV, 5 slots a request. */
static void test_sglang_states(void **state)
{
    struct request *q = asked("qwen3-next-80b-a3b", "sglang", "h100-sxm", "bf16");
    struct load load;
    struct layout l = sample_layout(4, 1, 1, 1);
    struct evaluation e;

    (void)state;
    q->context = 8192;
    q->users = 8;
    struct memory m = estimate(q, 4);
    double slots = floor(m.kv_pool.value * 0.9 / 1.9 / m.sequence.state) - 1;
    assert_near(m.state_blocks.value, floor(slots / 5), 0);
    q->users = m.state_blocks.high + 2; /* one slot is padding */
    load = load_sum(q);
    evaluate(q, &load, NULL, &l, &e);
    assert_int_equal(e.limit, LIMIT_STATES);
    assert_true(e.reasons >> REASON_HELD & 1);
    q->users = floor(m.state_blocks.low / 2);
    load = load_sum(q);
    evaluate(q, &load, NULL, &l, &e);
    assert_false(e.reasons >> REASON_HELD & 1);
}

static void test_tensorrt_llm(void **state)
{
    struct request *q = asked("deepseek-v2-lite-16b", "tensorrt-llm", "h100-sxm", "bf16");

    (void)state;
    assert_true(estimate(q, 4).non_torch.value > 9 * GP_GIB);
    assert_true(estimate(q, 1).non_torch.value < GP_GIB);
    q->model = profile_model(catalog, "llama-3.1-8b");
    assert_true(estimate(q, 4).non_torch.value < 2 * GP_GIB);
    /* prompts fill the profiled step: no logits of 2048 slots */
    q->context = 8193;
    struct load load = load_sum(q);
    struct layout l = sample_layout(1, 1, 1, 1);
    double logits = activation_estimate(q, &load, &l, true).sampling.value - 8192.0 * 4096 * 2 -
                    q->engine->base.value;
    assert_near(logits, 128256 * 6.0, 1);
}

/* Logged: Gemma-4-12B 135 MiB, its cells 4,608; here its shape by hand. */
static void test_llama_graph(void **state)
{
    struct request *q = asked("llama-3.1-8b", "llama.cpp", "h100-sxm", "bf16");
    struct model m = *q->model;

    (void)state;
    assert_near(graph_window_cells(1024, 4, 512, 8192), 4608, 0);
    assert_near(graph_window_cells(1024, 4, 512, 4096), 4096, 0);
    m.hidden = 3840;
    m.vocab = 262144;
    m.kind_count = 2;
    m.kind[1] = m.kind[0];
    m.kind[0].mixer = MIXER_SLIDING;
    m.kind[0].window = 1024;
    m.kind[0].ff = m.kind[1].ff = 15360;
    q->model = &m;
    struct engine old = *q->engine;
    old.masks_fp16 = false; /* before b9500 */
    old.kv_copies[0] = '\0';
    q->engine = &old;
    assert_near(graph_bytes(q, 1, 512, 8192, 4) / GP_MIB, 133.5, 0.05);
    /* long contexts: the masks, 6 bytes a cell and token */
    q->model = profile_model(catalog, "llama-3.1-8b");
    assert_near(graph_bytes(q, 1, 512, 262144, 1), 512 * (6.0 * 262144 + 20 * 4096), 1);
    struct engine plain = old;
    plain.flash_attention = false; /* scores of 32 heads */
    q->engine = &plain;
    assert_near(graph_bytes(q, 1, 512, 8192, 1), 512 * (4.0 * 8192 + 4 * (32 * 8192.0 + 4 * 4096)),
                1);
}

/* Copies of a quantized cache: logged totals of Qwen3.8-27B grow by 2,944 MiB from 131,072 to
 * 262,144 cells of q4_0, 2,304 of them the cache. Not where nothing is unpacked. */
static void test_llama_copies(void **state)
{
    struct request *q = asked("qwen3.5-27b", "llama.cpp", "rtx-3090", "bf16");
    double grown[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        q->kv = profile_format(catalog, i == 1 ? "fp16" : "q4_0");
        q->gpu = profile_gpu(catalog, i == 2 ? "apple-m4-max" : "rtx-3090");
        grown[i] = graph_bytes(q, 1, 512, 262144, 1) - graph_bytes(q, 1, 512, 131072, 1);
    }
    assert_near(grown[0] / GP_MIB, 640, 0.01);
    assert_near(grown[1] / GP_MIB, 128, 0.01);
    assert_near(grown[2] / GP_MIB, 128, 0.01);
    q->gpu = profile_gpu(catalog, "rtx-3090");
    assert_near(graph_bytes(q, 1, 512, 131072, 1) / GP_MIB, 696, 0.5);
}

/* vLLM runs Gemma 4's tower as the library has it, SGLang cuts it; 25 heads are cut by 5. */
static void test_towers(void **state)
{
    static const struct {
        const char *model, *engine;
        int heads, tp;
        double share;
    } rows[] = {
        {"gemma-4-31b", "vllm", 16, 2, 1},     {"gemma-4-31b", "sglang", 16, 2, 0.5},
        {"gemma-3-27b", "vllm", 16, 2, 0.5},   {"gemma-3-27b", "vllm", 25, 2, 1},
        {"gemma-3-27b", "vllm", 25, 5, 0.2},   {"gemma-3-27b", "vllm", 0, 2, 0.5},
        {"gemma-3-27b", "sglang", 25, 2, 0.5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct request *q = asked(rows[i].model, rows[i].engine, "h100-sxm", "bf16");
        struct model m = *q->model;
        struct layout l = sample_layout(rows[i].tp, 1, 1, 1);
        q->model = &m;
        m.vision.heads = rows[i].heads;
        struct load load = load_sum(q);
        struct weights w = weights_stage(q, &load, &l, 0);
        assert_near(w.role[ROLE_VISION], load.global[ROLE_VISION] * rows[i].share, 1);
    }
}

/* One user, four slots: windows and states for all of them. */
static void test_llama_slots(void **state)
{
    struct request *q = asked("gemma-3-27b", "llama.cpp", "h100-sxm", "bf16");

    (void)state;
    q->context = 8192;
    q->users = 1;
    struct memory m = estimate(q, 1);
    assert_near(m.kv_reserved.value, (10 * 8192 + 52 * 4608) * 8192.0, 1);
    q->max_num_seqs = 1;
    m = estimate(q, 1);
    assert_near(m.kv_reserved.value, (10 * 8192 + 52 * 1536) * 8192.0, 1);
    q->max_num_seqs = 0;
    q->engine = profile_engine(catalog, "ollama");
    assert_near(estimate(q, 1).kv_reserved.value, m.kv_reserved.value, 1);
    q->users = 8;
    struct load load = load_sum(q);
    assert_true(warnings_of_request(q, &load) >> WARNING_SLOTS & 1);
    q->max_num_seqs = 8;
    load = load_sum(q);
    assert_false(warnings_of_request(q, &load) >> WARNING_SLOTS & 1);
}

/* An untied embedding stays on the host, a tied one is the head too. */
static void test_llama_host(void **state)
{
    struct request *q = asked("llama-3.1-8b", "llama.cpp", "h100-sxm", "bf16");
    double embedding = 128256.0 * 4096 * 2;

    (void)state;
    assert_near(load_sum(q).on_host, embedding, 1);
    assert_near(estimate(q, 1).weights.value, 8030261248.0 * 2 - embedding, 1);
    assert_near(estimate(q, 1).file_bytes, 8030261248.0 * 2, 1);
    q->model = profile_model(catalog, "llama-3.2-1b");
    assert_near(load_sum(q).on_host, 0, 0);
}

/* What SGLang's fraction leaves is short: a smaller one is offered. */
static void test_sglang_share(void **state)
{
    struct request *q = asked("qwen3-8b", "sglang", "rtx-4060-ti-16g", "fp8");
    struct choices none = {0};
    struct market market = {0};
    struct fix fixes[PLAN_MAX_FIXES];
    struct plan p;
    bool found = false;

    (void)state;
    q->context = 4096;
    q->users = 1;
    q->gpu_count = 1;
    plan_request(q, &market, &p);
    assert_int_equal(p.verdict, VERDICT_FITS); /* a search takes it by itself */
    assert_true(p.turned.utilization > 0);
    q->options_fixed = true;
    plan_request(q, &market, &p);
    assert_int_equal(p.verdict, VERDICT_MARGINAL);
    assert_true(p.reasons >> REASON_REST_TIGHT & 1);
    int count = plan_fixes(&p, &none, &market, fixes);
    for (int i = 0; i < count; i++)
        if (fixes[i].kind == FIX_SHARE) {
            found = true;
            assert_true(fixes[i].request.utilization < p.memory.fraction);
            assert_int_equal(fixes[i].verdict, VERDICT_FITS);
        }
    assert_true(found);
}

static void test_tiers(void **state)
{
    const struct engine *e = profile_engine(catalog, "ollama");

    (void)state;
    assert_int_equal(engine_tier(e, 8 * GP_GIB)->context, 4096);
    assert_int_equal(engine_tier(e, 23 * GP_GIB)->context, 32768);
    assert_int_equal(engine_tier(e, 47 * GP_GIB)->context, 262144);
    assert_null(engine_tier(profile_engine(catalog, "vllm"), GP_GIB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),        cmocka_unit_test(test_own_ids),
        cmocka_unit_test(test_sglang_fraction), cmocka_unit_test(test_sglang_slots),
        cmocka_unit_test(test_sglang_windows),  cmocka_unit_test(test_sglang_states),
        cmocka_unit_test(test_tensorrt_llm),    cmocka_unit_test(test_llama_graph),
        cmocka_unit_test(test_llama_copies),    cmocka_unit_test(test_towers),
        cmocka_unit_test(test_llama_slots),     cmocka_unit_test(test_llama_host),
        cmocka_unit_test(test_sglang_share),    cmocka_unit_test(test_tiers),
    };
    return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
}
