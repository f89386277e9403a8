/* test_layout.c - who holds what, and which cuts are refused with which reason. */
#include "base/str.h"
#include "plan/layout.h"
#include "plan/search.h"

#include "answer/sentence.h"
#include "sample.h"

static void test_kv_heads(void **state)
{
    static const int tp[] = {1, 2, 4, 8, 16, 32}, want[] = {8, 4, 2, 1, 1, 1};
    struct layer_kind k = sample_gqa(32, 8, 128, 14336);

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct layout l = sample_layout(tp[i], 1, 1, 1);
        assert_int_equal(layout_kv_heads(&k, tp[i]), want[i]);
        assert_near(layout_share(&k, ROLE_ATTN_KV, &l), want[i] / 8.0, 0);
        assert_near(layout_share(&k, ROLE_ATTN_Q, &l), 1.0 / tp[i], 0);
    }
}

static void test_shares(void **state)
{
    struct model m = sample_deepseek_v3();
    struct layout l = sample_layout(8, 1, 1, 1);
    struct layout wide = sample_layout(8, 1, 32, 4);

    (void)state;
    assert_near(layout_share(&m.kind[1], ROLE_NORM, &l), 1, 0);
    assert_near(layout_share(&m.kind[1], ROLE_ROUTER, &l), 1, 0);
    assert_near(layout_share(&m.kind[1], ROLE_ATTN_LATENT, &l), 1, 0);
    assert_near(layout_share(&m.kind[1], ROLE_ATTN_KV, &l), 1.0 / 8, 0);
    assert_near(layout_share(&m.kind[1], ROLE_EXPERT, &l), 1.0 / 8, 0);
    assert_near(layout_share(&m.kind[1], ROLE_EXPERT, &wide), 1.0 / 32, 0);
    assert_near(layout_share(&m.kind[1], ROLE_SHARED, &wide), 1.0 / 8, 0);
    assert_near(layout_share(NULL, ROLE_EMBED, &l), 1.0 / 8, 0);
}

/* Together the ranks hold every tensor at least once, and none holds more than all. */
static void test_nothing_is_lost(void **state)
{
    struct model m = sample_gpt_oss_20b();

    (void)state;
    for (int tp = 1; tp <= 16; tp++)
        for (int r = 0; r < ROLE_COUNT; r++) {
            struct layout l = sample_layout(tp, 1, 1, 1);
            double share = layout_share(&m.kind[0], (enum tensor_role)r, &l);
            assert_true(share > 0 && share <= 1);
            assert_true(share * tp >= 1 - 1e-12);
        }
}

static void test_stages(void **state)
{
    static const int want[] = {0, 2, 5, 8, 10}; /* 2, 3, 3, 2 layers */
    struct model m = {.layer_count = 10};

    (void)state;
    for (int s = 0; s <= 4; s++)
        assert_int_equal(layout_stage_first(&m, 4, s), want[s]);
    for (m.layer_count = 1; m.layer_count <= 130; m.layer_count++)
        for (int pp = 1; pp <= 16 && pp <= m.layer_count; pp++) {
            int least = m.layer_count / pp;
            assert_int_equal(layout_stage_first(&m, pp, 0), 0);
            assert_int_equal(layout_stage_first(&m, pp, pp), m.layer_count);
            for (int s = 0; s < pp; s++) {
                int n = layout_stage_first(&m, pp, s + 1) - layout_stage_first(&m, pp, s);
                assert_in_range(n, least, least + 1);
                if (s == pp - 1)
                    assert_int_equal(n, least);
            }
        }
}

static void test_hosts(void **state)
{
    static const struct {
        int tp, pp, replicas, host, want;
    } cases[] = {
        {1, 1, 1, 8, 1}, {8, 1, 1, 8, 1}, {8, 1, 2, 8, 2}, {4, 1, 3, 8, 2},
        {2, 1, 4, 8, 1}, {8, 2, 1, 8, 2}, {4, 4, 1, 8, 2}, {3, 3, 1, 8, 2},
        {8, 2, 3, 8, 6}, {1, 1, 9, 8, 2}, {1, 1, 1, 0, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct layout l = sample_layout(cases[i].tp, cases[i].pp, 1, cases[i].replicas);
        assert_int_equal(layout_hosts(&l, cases[i].host), cases[i].want);
    }
}

static bool valid(struct request *q, struct layout l, char why[400])
{
    struct texts texts = {0};

    gp_copy(why, 400, sentence_refusals(q, &l, &texts));
    texts_fini(&texts);
    assert_int_equal(layout_valid(q, &l), why[0] == '\0');
    return layout_valid(q, &l);
}

static void test_qwen3_14b_tp5(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_14b());
    char why[400];

    (void)state;
    assert_false(valid(q, sample_layout(5, 1, 1, 1), why));
    assert_non_null(strstr(why, "8 KV heads"));
    assert_non_null(strstr(why, "vocabulary of 151936"));
    assert_null(strstr(why, "40 attention heads")); /* 5 does divide those */
    assert_true(valid(q, sample_layout(8, 1, 1, 1), why));
    assert_string_equal(why, "");
}

/* Layers that read a pool stand on the stage of the layer that makes it, and the groups of
 * the output projection are cut whole. */
static void test_shared_pools(void **state)
{
    static const struct {
        const char *layers; /* w: window alone, P: makes a pool, p: reads it */
        int pp, refused;    /* the layer, 0 = none */
    } rows[] = {
        {"wPppPppp", 2, 0}, {"wPpppppp", 2, 4}, {"wPpwwPpp", 2, 0},
        {"wPpwwppp", 2, 5}, {"wPppPppp", 4, 2}, {"wPPPPPPP", 8, 0},
    };
    struct sample s;
    struct model m = sample_llama_8b();
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
    (void)state;
    m.kind_count = 3;
    m.kind[0] = m.kind[1] = m.kind[2] = k;
    m.kind[1].compress = m.kind[2].compress = 2;
    m.kind[2].kv_shared = true;
    m.layer_count = 8;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct layout l = {.tp = 1, .pp = rows[i].pp, .replicas = 1, .gpus = rows[i].pp};
        struct refusal why[4];
        for (int j = 0; j < 8; j++)
            m.layer[j] = rows[i].layers[j] == 'w' ? 0 : rows[i].layers[j] == 'P' ? 1 : 2;
        struct request *q = sample_request(&s, m);
        int count = layout_refusals(q, &l, why, 4);
        assert_int_equal(count, rows[i].refused > 0);
        if (count == 0)
            continue;
        assert_int_equal(why[0].code, REFUSED_SHARED_POOL);
        assert_int_equal(why[0].b, rows[i].refused);
    }
    struct layout wide = {.tp = 16, .pp = 1, .replicas = 1, .gpus = 16};
    struct refusal why[4];
    assert_true(layout_refusals(sample_request(&s, m), &wide, why, 4) >= 1);
    assert_int_equal(why[0].code, REFUSED_OUTPUT);
}

static void test_refusals(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    char why[400];

    (void)state;
    assert_false(valid(q, sample_layout(3, 1, 1, 1), why));
    assert_non_null(strstr(why, "TP=3 does not divide 32 attention heads"));
    assert_false(valid(q, sample_layout(1, 33, 1, 1), why));
    assert_non_null(strstr(why, "PP=33 exceeds the 32 layers"));
    assert_false(valid(q, sample_layout(2, 1, 2, 1), why));
    assert_non_null(strstr(why, "no experts"));
    assert_false(valid(q, sample_layout(16, 1, 1, 1), why));
    assert_non_null(strstr(why, "8 GPUs one host can hold"));
    q->host_gpus = 16; /* 16 is a multiple of the 8 KV heads: each is held twice */
    assert_true(valid(q, sample_layout(16, 1, 1, 1), why));
    q->gpu_count = 8;
    assert_false(valid(q, sample_layout(2, 2, 1, 1), why));
    assert_non_null(strstr(why, "= 4 GPUs, but 8 were asked for"));
}

static void test_experts(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_deepseek_v3());
    char why[400];

    (void)state;
    q->host_gpus = 0; /* no limit known */
    assert_true(valid(q, sample_layout(8, 1, 8, 1), why));
    assert_true(valid(q, sample_layout(8, 1, 32, 4), why));
    assert_false(valid(q, sample_layout(8, 1, 24, 3), why));
    assert_non_null(strstr(why, "does not divide 256 experts"));
    assert_false(valid(q, sample_layout(8, 1, 16, 1), why));
    assert_non_null(strstr(why, "TP x replicas = 8"));
}

static struct support *shards(struct sample *s, const char *of, unsigned roles)
{
    struct support *row = &s->engine.support[s->engine.support_count++];

    *row = (struct support){.kind = SUPPORT_SHARDS, .roles = roles};
    gp_copy(row->of, sizeof(row->of), of);
    return row;
}

static struct format blocks_of(const char *id, int rows, int cols)
{
    struct format f = {
        .bits = 8, .math = MATH_FP8, .group_rows = rows, .group_cols = cols, .group_bytes = 4};

    gp_copy(f.id, sizeof(f.id), id);
    return f;
}

static enum refusal_code refused(const struct request *q, int tp, int ep, int *width)
{
    struct refusal list[8];
    struct layout l = sample_layout(tp, 1, ep, 1);
    int count = layout_refusals(q, &l, list, 8);

    *width = count > 0 ? list[0].a : 0;
    assert_true(count <= 1);
    return count > 0 ? list[0].code : REFUSED_COUNT;
}

/* A shard must not cut a block of FP8 scales: 14336/32 = 448 is no multiple of 128, as
 * 1536/8 = 192 of Qwen3-235B's experts is not; since vLLM 0.29 blocks of experts are cut
 * down to what divides both, 64 there, but not below 32. */
static void test_fp8_blocks(void **state)
{
    const struct format block = blocks_of("fp8-block", 128, 128);
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct layout wide = sample_layout(32, 1, 1, 1), eight = sample_layout(8, 1, 1, 1);
    struct layout spread = sample_layout(8, 1, 8, 1);

    (void)state;
    q->host_gpus = 32;
    q->precision = sample_precision(&block);
    assert_true(layout_valid(q, &wide));
    struct support *row = shards(&s, "fp8-block", 1u << ROLE_MLP | 1u << ROLE_EXPERT);
    assert_false(layout_valid(q, &wide));
    assert_true(layout_valid(q, &eight));
    s.model.kind[0].ff = 0;
    s.model.kind[0].experts = 128;
    s.model.kind[0].experts_active = 8;
    s.model.kind[0].expert_ff = 1536;
    assert_false(layout_valid(q, &eight));
    assert_true(layout_valid(q, &spread));
    row->least = 32;
    assert_true(layout_valid(q, &eight));
    s.model.kind[0].expert_ff = 8 * 144; /* 16 divides 144 and 128 */
    assert_false(layout_valid(q, &eight));
    assert_true(layout_valid(q, &spread));
}

/* Every matrix that TP cuts: the shared expert whatever EP is, heads of 64 one by one, the values
 * of linear attention, its gates of a row per head where the engine quantizes them. Groups lie
 * along the inputs alone: they leave queries and keys. */
static void test_blocks_of_each_part(void **state)
{
    const struct format block = blocks_of("fp8-block", 128, 128);
    const struct format group = blocks_of("int4", 0, 128);
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_next());
    int width;

    (void)state;
    q->host_gpus = 32;
    q->precision = sample_precision(&block);
    struct support *row = shards(&s, "fp8-block|int4", ~0u);
    for (int k = 0; k < s.model.kind_count; k++) {
        struct layer_kind *kind = &s.model.kind[k];

        kind->shared_ff = 512;
        kind->expert_ff = 1024;
        kind->lin_v_heads = kind->lin_v_heads > 0 ? 64 : 0;
        kind->lin_k_heads = kind->lin_k_heads > 0 ? 16 : 0;
        kind->lin_v_dim = kind->lin_k_dim = 128;
    }
    assert_int_equal(refused(q, 8, 8, &width), REFUSED_SHARED_BLOCK);
    assert_int_equal(width, 64);
    assert_int_equal(refused(q, 4, 1, &width), REFUSED_COUNT);
    row->gates = true;
    assert_int_equal(refused(q, 4, 1, &width), REFUSED_GATE_BLOCK);
    assert_int_equal(width, 16);
    row->gates = false;
    for (int k = 0; k < s.model.kind_count; k++)
        s.model.kind[k].lin_v_dim = 4;
    assert_int_equal(refused(q, 2, 1, &width), REFUSED_COUNT);
    assert_int_equal(refused(q, 4, 1, &width), REFUSED_STATE_BLOCK);
    q->precision = sample_precision(&group);
    assert_int_equal(refused(q, 4, 1, &width), REFUSED_STATE_BLOCK); /* of 16 x 4 values */
    for (int k = 0; k < s.model.kind_count; k++) {
        s.model.kind[k].head_dim = s.model.kind[k].v_head_dim = 8; /* 16 heads: one group */
        s.model.kind[k].lin_v_dim = 128;
    }
    assert_int_equal(refused(q, 2, 1, &width), REFUSED_HEADS_BLOCK);
    assert_int_equal(width, 64);
}

/* Where experts are spread over all GPUs of a group or none: the search has no other either. */
static void see_cut(void *ctx, int tp, int pp, int ep)
{
    int *seen = ctx;

    (void)pp;
    assert_true(ep == 1 || ep % tp == 0);
    seen[ep == 1]++;
}

static void test_experts_over_all(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_next());
    int width, seen[2] = {0};

    (void)state;
    s.engine.ep_all = true;
    assert_int_equal(refused(q, 8, 8, &width), REFUSED_COUNT);
    assert_int_equal(refused(q, 8, 1, &width), REFUSED_COUNT);
    assert_int_equal(refused(q, 8, 2, &width), REFUSED_EP_ALL);
    struct layout dp = sample_layout(2, 1, 8, 4), part = sample_layout(2, 1, 4, 4);
    assert_true(layout_valid(q, &dp));
    assert_true(layout_valid(q, &part)); /* two groups of two replicas */
    search_cuts(q, see_cut, seen);
    assert_true(seen[0] > 0 && seen[1] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kv_heads),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_qwen3_14b_tp5),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_shared_pools),
        cmocka_unit_test(test_experts),
        cmocka_unit_test(test_fp8_blocks),
        cmocka_unit_test(test_blocks_of_each_part),
        cmocka_unit_test(test_experts_over_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
