/* test_kvcache.c - one sequence, exactly and in blocks. */
#include "plan/kvcache.h"

#include "profiles.h"
#include "sample.h"

static struct kv_sequence whole(struct request *q, int tp, double tokens)
{
    return kvcache_sequence(q, tp, 0, q->model->layer_count, tokens, 8192);
}

/* ---- the seven cases: 32,768 tokens, one sequence, BF16, TP 1 ---- */

static const struct {
    const char *id;
    double gib; /* to the two digits that were published */
} seven[] = {
    {"llama-3.1-8b", 4.00},       {"llama-3.1-70b", 10.00}, {"qwen3-32b", 8.00},
    {"gemma-3-27b", 2.91},        {"gpt-oss-120b", 1.13},   {"deepseek-v3", 2.14},
    {"qwen3-next-80b-a3b", 0.75},
};

static void test_seven_cases(void **state)
{
    struct catalog *catalog = open_profiles();
    const struct format *bf16 = profile_format(catalog, "bf16");
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->kv = bf16;
    for (size_t i = 0; i < sizeof(seven) / sizeof(seven[0]); i++) {
        q->model = profile_model(catalog, seven[i].id);
        double gib = whole(q, 1, 32768).exact / GP_GIB;
        if (fabs(gib - seven[i].gib) > 0.005)
            fail_msg("%s: %.4f GiB, not %.2f", seven[i].id, gib, seven[i].gib);
    }
    catalog_free(catalog);
}

/* The same as whole numbers, counted by hand. */
static void test_by_hand(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    assert_near(whole(q, 1, 32768).exact, 32768.0 * 32 * 2 * 8 * 128 * 2, 0);
    q = sample_request(&s, sample_gemma_27b());
    assert_near(whole(q, 1, 32768).exact, (10 * 32768.0 + 52 * 1024.0) * 2 * 16 * 128 * 2, 0);
    assert_near(whole(q, 1, 512).exact, 62 * 512.0 * 8192, 0); /* below the window */
    q = sample_request(&s, sample_deepseek_v3());
    assert_near(whole(q, 1, 32768).exact, 61 * 32768.0 * (512 + 64) * 2, 0);
    q = sample_request(&s, sample_qwen3_next());
    assert_near(whole(q, 1, 32768).exact, 12 * 32768.0 * 2 * 2 * 256 * 2, 0);
    assert_near(whole(q, 1, 32768).state, 77266944, 0);
    assert_near(whole(q, 1, 1).state, 77266944, 0); /* whatever s */
}

/* ---- concurrency at 8192 tokens as vLLM 0.19 logged it, from its logged pool ---- */

static double concurrency(struct request *q, int tp, double pool_gib)
{
    struct kv_sequence s = whole(q, tp, 8192);
    return floor(pool_gib * GP_GIB / s.block) * s.block / s.reserved;
}

static void test_logged_concurrency(void **state)
{
    struct sample s;

    (void)state;
    assert_near(concurrency(sample_request(&s, sample_gemma_27b()), 1, 19.53), 4.46, 0.005);
    assert_near(concurrency(sample_request(&s, sample_gpt_oss_20b()), 1, 58.47), 155.75, 0.05);
    assert_near(concurrency(sample_request(&s, sample_scout()), 4, 16.75), 44.68, 0.05);
    assert_near(concurrency(sample_request(&s, sample_llama_8b()), 1, 58.11), 58.11, 0.005);
    assert_near(concurrency(sample_request(&s, sample_gpt_oss_20b()), 2, 63.28), 337.17, 0.05);
}

static void test_gemma_groups(void **state)
{
    struct sample s;
    struct kv_sequence k = whole(sample_request(&s, sample_gemma_27b()), 1, 8192);

    (void)state;
    assert_near(k.block, 1.25 * GP_MIB, 0);              /* 10 layers x 16 x 8 KiB */
    assert_near(k.reserved / k.block, 512 + 6 * 513, 0); /* 1 full, 6 sliding groups */
    assert_near(k.reserved / GP_GIB, 4.38, 0.005);
    assert_near(k.per_token, 0, 0);
}

/* ---- sharding ---- */

static void test_replication(void **state)
{
    struct layer_kind k = sample_gqa(32, 8, 128, 14336);
    struct model v3 = sample_deepseek_v3();
    double one = kvcache_layer_bytes(&k, &sample_bf16, NULL, 1);

    (void)state;
    assert_near(one, 4096, 0);
    for (int tp = 1; tp <= 8; tp *= 2)
        assert_near(kvcache_layer_bytes(&k, &sample_bf16, NULL, tp), one / tp, 0);
    assert_near(kvcache_layer_bytes(&k, &sample_bf16, NULL, 16), one / 8, 0);
    assert_near(kvcache_layer_bytes(&k, &sample_bf16, NULL, 32), one / 8, 0);
    for (int tp = 1; tp <= 32; tp *= 2) /* the latent is on every rank */
        assert_near(kvcache_layer_bytes(&v3.kind[0], &sample_bf16, NULL, tp), 1152, 0);
}

static void test_stages_add_up(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gemma_27b());
    double sum = 0;

    (void)state;
    for (int stage = 0; stage < 5; stage++) {
        int first = layout_stage_first(q->model, 5, stage);
        int end = layout_stage_first(q->model, 5, stage + 1);
        sum += kvcache_sequence(q, 1, first, end, 20000, 8192).exact;
    }
    assert_near(sum, whole(q, 1, 20000).exact, 0);
}

/* ---- formats ---- */

static void test_formats(void **state)
{
    static const struct format q8_0 = {
        .id = "q8_0", .bits = 8, .group_cols = 32, .group_bytes = 2, .block = 32};
    struct layer_kind k = sample_gqa(32, 8, 128, 14336);
    struct layer_kind dsa = sample_deepseek_v3().kind[0];

    (void)state;
    assert_near(kvcache_layer_bytes(&k, &sample_fp8, NULL, 1), 2048, 0);
    assert_near(kvcache_layer_bytes(&k, &q8_0, NULL, 1), 2048 * 34.0 / 32, 0);
    dsa.index_heads = 64;
    dsa.index_dim = 128;
    assert_near(kvcache_layer_bytes(&dsa, &sample_bf16, NULL, 1), 1152 + 132, 0);
    assert_near(kvcache_layer_bytes(&dsa, &sample_fp8, NULL, 1), 656 + 132, 0);
    dsa.index_shared = true;
    assert_near(kvcache_layer_bytes(&dsa, &sample_bf16, NULL, 1), 1152, 0);
    k.kv_shared = true;
    assert_near(kvcache_layer_bytes(&k, &sample_bf16, NULL, 1), 0, 0);
}

/* DeepSeek V4: a window, and a pool of one entry per r tokens. */
static void test_csa(void **state)
{
    struct sample s;
    struct model m = sample_llama_8b();
    m.layer_count = 0;
    m.kind[0] = (struct layer_kind){.mixer = MIXER_CSA,
                                    .heads = 64,
                                    .kv_heads = 1,
                                    .head_dim = 512,
                                    .q_lora = 1024,
                                    .window = 128,
                                    .o_groups = 8,
                                    .o_lora = 1024,
                                    .compress = 128,
                                    .norms = 2};
    sample_layers(&m, 2, 0);
    struct request *q = sample_request(&s, m);

    (void)state;
    assert_near(whole(q, 1, 100).exact, 2 * 100 * 512 * 2.0, 0);
    assert_near(whole(q, 1, 1000).exact, 2 * (128 + 7) * 512 * 2.0, 0);
    assert_near(kvcache_layer_bytes(&s.model.kind[0], &sample_bf16, NULL, 1), 512 * 2 / 128.0, 0);
}

/* As vLLM pages it: 64 x 584 B in 65 x 576; the FP32 states of what pools 4 tokens keep 8
 * tokens and the batches in flight, 4 a page. By hand from deepseek_v4/compressor.py. */
static void test_csa_pages(void **state)
{
    struct sample s;
    struct model m = sample_llama_8b();
    m.layer_count = 0;
    m.kind[0] = (struct layer_kind){.mixer = MIXER_CSA,
                                    .heads = 64,
                                    .kv_heads = 1,
                                    .head_dim = 512,
                                    .q_lora = 1024,
                                    .window = 128,
                                    .o_groups = 8,
                                    .o_lora = 1024,
                                    .norms = 2};
    sample_layers(&m, 1, 0);
    struct request *q = sample_request(&s, m);
    struct layer_kind *k = &s.model.kind[0];

    (void)state;
    q->kv = &sample_fp8;
    s.engine.batches = 2;
    double window = ((127 + 16384) / 64.0 + 1), page = 37440, index = 8640;
    assert_near(kvcache_sequence(q, 1, 0, 1, 65536, 8192).reserved, ceil(window) * page, 0);
    k->compress = 128;
    assert_near(kvcache_sequence(q, 1, 0, 1, 65536, 8192).reserved,
                ceil(window) * page + 256 * 1728 + (ceil(16511 / 8.0) + 1) * page, 0);
    k->compress = 4;
    k->index_heads = 64;
    k->index_dim = 128;
    assert_near(
        kvcache_sequence(q, 1, 0, 1, 65536, 8192).reserved,
        ceil(window) * page + 256 * (page + index) + (ceil(16391 / 4.0) + 1) * (page + index), 0);
}

/* V4.1 as vLLM 0.32 packs it, by hand from deepseek_v41/attention.py and kv_cache_utils.py:
 * 6 layers, of which 1 and 3 make pools of 2 and of 1 tokens an entry. Blocks of 128 tokens
 * (64 on compute capability 9.0) hold the pages of both; windows of 32 tokens a page fill as
 * few blocks as hold all layers; one block more is the ring of what pools two. */
static void test_csa2_blocks(void **state)
{
    static const struct {
        int cc;
        double tokens, pool2, pool1, window;
    } rows[] = {
        /* 64 x 528 B, 64 x 132 B in 512s; 128 of each; 32 x 528 B */
        {100, 128, 33792 + 8704, 67584 + 16896, 16896},
        /* 32 x 584 B, 32 x 132 B in 576s; 64 of each; 32 x 584 B */
        {90, 64, 19008 + 4608, 37440 + 8640, 19008},
    };
    struct sample s;
    struct model m = sample_llama_8b();
    m.layer_count = 0;
    struct layer_kind k = {.mixer = MIXER_CSA,
                           .heads = 64,
                           .kv_heads = 1,
                           .head_dim = 512,
                           .q_lora = 1280,
                           .window = 128,
                           .o_groups = 8,
                           .o_lora = 1024,
                           .norms = 2,
                           .csa2 = true};
    for (int i = 0; i < 5; i++)
        m.kind[i] = k;
    m.kind[1].compress = m.kind[2].compress = 2;
    m.kind[3].compress = m.kind[4].compress = 1;
    m.kind[1].index_heads = m.kind[3].index_heads = 32;
    m.kind[1].index_dim = m.kind[3].index_dim = 128;
    m.kind[2].kv_shared = m.kind[4].kv_shared = true;
    m.kind_count = 5;
    for (int i = 0; i < 6; i++)
        m.layer[m.layer_count++] = (unsigned char)(i < 5 ? i : 4);
    struct request *q = sample_request(&s, m);

    (void)state;
    q->kv = &sample_fp8;
    s.engine.batches = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double block = rows[i].pool2 + rows[i].pool1;
        double groups = ceil(6 / floor(block / rows[i].window));
        double windows = groups * (ceil((127 + 8192) / 32.0) + 1);
        s.gpu.compute_capability = rows[i].cc;
        assert_near(kvcache_sequence(q, 1, 0, 6, 65536, 8192).reserved,
                    (65536 / rows[i].tokens + windows + 1) * block, 1);
        double entry = rows[i].cc == 100 ? 528 : 584;
        assert_near(kvcache_sequence(q, 1, 0, 6, 1001, 8192).exact,
                    6 * 128 * entry + 500 * (entry + 132) + 1001 * (entry + 132), 1e-6);
    }
}

/* A request holds as many states per layer as the engine's version keeps; they are FP32 or
 * 16 bit by family. */
static void test_states(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_next());

    (void)state;
    double one = whole(q, 1, 8192).reserved, block = whole(q, 1, 8192).block;
    s.engine.state_blocks = 3;
    assert_near(whole(q, 1, 8192).reserved, one + 2 * 3 * block, 0);
    s.engine.state_fp32[0] = '\0';
    assert_near(kvcache_state_bytes(q, &s.model.kind[0], 1),
                32 * 128 * 128 * 2.0 + (2 * 16 * 128 + 32 * 128) * 3 * 2.0, 0);
    assert_true(whole(q, 1, 8192).block < block);
}

/* vLLM: one block more where every recurrent layer can store a checkpoint, which some do
 * on any GPU, others from compute capability 9.0 on. */
static void test_checkpoints(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_next());

    (void)state;
    s.engine.state_blocks = 2;
    assert_near(kvcache_state_blocks(q), 2, 0);
    snprintf(s.engine.checkpoints_90, sizeof(s.engine.checkpoints_90), "kimi_k3|deltanet");
    s.gpu.compute_capability = 90;
    assert_near(kvcache_state_blocks(q), 3, 0);
    s.gpu.compute_capability = 89;
    assert_near(kvcache_state_blocks(q), 2, 0);
    snprintf(s.engine.checkpoints, sizeof(s.engine.checkpoints), "mamba2");
    assert_near(kvcache_state_blocks(q), 2, 0);
    s.model.kind[0].mixer = MIXER_MAMBA2;
    assert_near(kvcache_state_blocks(q), 3, 0);
    s.model = sample_llama_8b(); /* nothing recurrent: nothing to store */
    assert_near(kvcache_state_blocks(q), 2, 0);
}

/* ---- properties ---- */

static struct model (*const models[])(void) = {
    sample_llama_8b,    sample_gemma_27b,  sample_gpt_oss_20b,
    sample_deepseek_v3, sample_qwen3_next, sample_scout,
};

static void test_monotone_and_enough(void **state)
{
    static const double tokens[] = {1,    15,   16,   17,   127,   128,   1023,  1024,  1025,
                                    4096, 8191, 8192, 8193, 16384, 32768, 65536, 131072};

    (void)state;
    for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++)
        for (int paged = 0; paged < 2; paged++) {
            struct sample s;
            struct request *q = sample_request(&s, models[m]());
            struct kv_sequence last = {0};
            s.engine.window_groups = paged;
            for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
                struct kv_sequence now = whole(q, 1, tokens[i]);
                assert_true(now.exact >= last.exact);
                assert_true(now.reserved >= last.reserved);
                assert_near(now.state, last.exact > 0 ? last.state : now.state, 0);
                assert_true(now.reserved >= now.exact + now.state - 1e-6);
                last = now;
            }
        }
}

static void test_whole_blocks(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    double block = 16 * 131072.0;

    (void)state;
    assert_near(whole(q, 1, 1).reserved, block, 0);
    assert_near(whole(q, 1, 16).reserved, block, 0);
    assert_near(whole(q, 1, 17).reserved, 2 * block, 0);
    assert_near(whole(q, 1, 17).block, block, 0);
    assert_near(whole(q, 1, 17).per_token, 131072, 0);
}

/* Without groups an engine keeps what the window has passed. */
static void test_windows_off(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gemma_27b());

    (void)state;
    s.engine.window_groups = false;
    assert_near(whole(q, 1, 32768).reserved, 62 * 32768.0 * 8192, 0);
    assert_near(whole(q, 1, 32768).exact / GP_GIB, 2.91, 0.005);
}

/* ---- the figures that model cards quote ---- */

struct columns {
    int id, per_token, state, count;
};

/* The table holds index keys of DSA in 16 bit, as the model computes them; engines keep
 * them in uint8. */
static double index_in_16_bit(const struct model *m)
{
    double more = 0;
    for (int i = 0; i < m->kind_count; i++) {
        const struct layer_kind *k = &m->kind[i];
        double tokens = k->mixer == MIXER_CSA ? k->compress : 1; /* of a key */
        if (k->index_heads > 0 && !k->index_shared)
            more += model_kind_layers(m, i) * (k->index_dim - 4) / tokens;
    }
    return more;
}

static void check_row(struct catalog *catalog, const struct format *bf16, char *const field[],
                      const struct columns *c, int *seen)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    const struct model *m = profile_model(catalog, field[c->id]);
    double per_token = strtod(field[c->per_token], NULL);
    double state = strtod(field[c->state], NULL);

    q->model = m;
    if (m->layer_count == 0 || m->weights_only)
        return;
    if (field[c->per_token][0]) {
        double got = kvcache_bytes_per_token(m, bf16, NULL) + index_in_16_bit(m);
        if (fabs(got - per_token) > 0.5)
            fail_msg("%s: %.2f bytes per token, not %.2f", m->id, got, per_token);
        ++*seen;
    }
    if (field[c->state][0] && fabs(whole(q, 1, 1).state - state) > 0.5)
        fail_msg("%s: state of %.0f bytes, not %.0f", m->id, whole(q, 1, 1).state, state);
}

static void test_model_table(void **state)
{
    char line[16384], *field[80];
    FILE *file = open_shared("facts/models.csv");
    int seen = 0;

    (void)state;
    if (!file || !fgets(line, sizeof(line), file)) {
        print_message("no facts/models.csv beside the source tree: skipped\n");
        skip();
    }
    struct catalog *catalog = open_profiles();
    const struct format *bf16 = profile_format(catalog, "bf16");
    int count = csv_split(line, field, 80);
    struct columns c = {csv_column(field, count, "id"),
                        csv_column(field, count, "kv_bytes_per_token_bf16"),
                        csv_column(field, count, "state_bytes_per_seq"), count};
    while (fgets(line, sizeof(line), file))
        if (csv_split(line, field, 80) == c.count)
            check_row(catalog, bf16, field, &c, &seen);
    assert_true(seen > 100);
    fclose(file);
    catalog_free(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seven_cases),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_logged_concurrency),
        cmocka_unit_test(test_gemma_groups),
        cmocka_unit_test(test_replication),
        cmocka_unit_test(test_stages_add_up),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_csa),
        cmocka_unit_test(test_csa_pages),
        cmocka_unit_test(test_csa2_blocks),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_monotone_and_enough),
        cmocka_unit_test(test_whole_blocks),
        cmocka_unit_test(test_windows_off),
        cmocka_unit_test(test_model_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
