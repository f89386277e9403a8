/* test_draft.c - what is loaded beside a model, and KV in host memory. */
#include "plan/draft.h"

#include <math.h>
#include <stdlib.h>

#include "plan/memory.h"
#include "plan/reason.h"
#include "plan/weights.h"

#include "profiles.h"
#include "sample.h"

static const struct layout one = {.tp = 1, .pp = 1, .ep = 1, .replicas = 1, .gpus = 1, .hosts = 1},
                           two = {.tp = 2, .pp = 1, .ep = 1, .replicas = 1, .gpus = 2, .hosts = 1};

static struct memory estimate(const struct request *q, struct layout l)
{
    struct memory m;
    struct load load = load_sum(q);
    memory_estimate(q, &load, &l, &m);
    return m;
}

static void drafts(struct request *q, const struct model *draft, bool mtp, int tokens)
{
    q->draft = draft;
    q->draft_precision = q->precision;
    q->draft_kind = mtp ? DRAFT_MTP : DRAFT_MODEL;
    q->draft_tokens = tokens;
}

/* ---- MTP layers ---- */

/* Elements as the profile says, but for embedding and head, which are shared. */
static void test_mtp_counts(void **state)
{
    struct catalog *catalog = open_profiles();
    const struct model *const *models;
    size_t count, found = 0;
    struct gp_err err = {0};
    (void)state;
    assert_int_equal(catalog_models(catalog, &models, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++) {
        const struct model *m = models[i];
        struct model mtp;
        int layers = draft_mtp(m, &mtp);
        assert_int_equal(layers > 0, m->mtp_params > 0);
        if (layers == 0)
            continue;
        double words = (double)m->vocab * m->hidden;
        double left = m->mtp_params - model_params(&mtp);
        int copies = (int)round(left / words);
        if (copies < 0 || copies % layers != 0 || copies > 2 * layers ||
            fabs(left - copies * words) > 1 || mtp.assumed)
            fail_msg("%s: %.0f of %.0f elements, %d layers", m->id, model_params(&mtp),
                     m->mtp_params, layers);
        found++;
    }
    assert_true(found >= 25);
    catalog_free(catalog);
}

static void test_mtp_kinds(void **state)
{
    struct catalog *catalog = open_profiles();
    struct model mtp;
    (void)state;
    assert_int_equal(draft_mtp(profile_model(catalog, "deepseek-v3"), &mtp), 1);
    assert_near(model_params(&mtp), 11507286272.0 + 2.0 * 7168 * 7168 + 3 * 7168, 0);
    assert_int_equal(mtp.kind[mtp.layer[0]].experts, 256);
    /* attention and experts are layers of their own */
    assert_int_equal(draft_mtp(profile_model(catalog, "nemotron-3-super-120b-a12b"), &mtp), 2);
    assert_int_equal(mtp.kind[mtp.layer[0]].mixer, MIXER_FULL);
    assert_int_equal(mtp.kind[mtp.layer[1]].mixer, MIXER_NONE);
    assert_int_equal(draft_mtp(profile_model(catalog, "step-3.5-flash"), &mtp), 3);
    catalog_free(catalog);
}

/* Another shape than any layer's: one layer that is shown as assumed. */
static void test_mtp_assumed(void **state)
{
    struct model m = sample_llama_8b(), mtp;
    (void)state;
    m.mtp_params = 5e8;
    assert_int_equal(draft_mtp(&m, &mtp), 1);
    assert_true(mtp.assumed);
    assert_near(model_params(&mtp), 5e8, 1);
}

static void test_mtp_memory(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct memory all = estimate(q, one), m;
    double h = 4096, layer = 218112000, extra = 2 * h * h + 3 * h;
    struct model mtp;
    (void)state;
    s.model.mtp_params = layer + extra;
    assert_int_equal(draft_mtp(&s.model, &mtp), 1);
    drafts(q, &mtp, true, 1);
    m = estimate(q, one);
    assert_near(m.draft.value, 2 * (layer + extra), 1);
    assert_near(m.weights.value, all.weights.value + m.draft.value, 1);
    assert_int_equal(m.draft.origin, ORIGIN_EXACT);
    assert_near(m.kv_reserved.value, all.kv_reserved.value * 33 / 32, 1);
    assert_near(m.kv_pool.value, all.kv_pool.value - m.draft.value, 1);
    assert_true(m.activation.high > all.activation.high);
    /* with a pipeline the last stage has an embedding of its own */
    m = estimate(q, sample_layout(1, 2, 1, 1));
    assert_int_equal(m.stage, 1);
    assert_near(m.kv_reserved.value, all.kv_reserved.value * 17 / 32, 1);
    struct load load = load_sum(q);
    struct layout pipe = sample_layout(1, 2, 1, 1);
    assert_near(weights_draft(q, &load, &pipe, 0).value, 0, 0);
    assert_near(weights_draft(q, &load, &pipe, 1).value, 2 * (layer + extra + 128256.0 * 4096), 1);
    /* in another format than the checkpoint's it may have stayed in 16 bit */
    q->precision = q->draft_precision = sample_precision(&sample_fp8);
    m = estimate(q, one);
    assert_true(m.draft.value < 2 * layer && m.draft.high > 2 * layer);
    assert_int_equal(m.draft.origin, ORIGIN_MODEL);
}

/* ---- a draft model ---- */

static void test_draft_model(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());
    struct model draft = sample_dense("draft", 2048, 16, 32, 8, 8192, 128256);
    struct layout four = sample_layout(4, 1, 1, 1);
    struct memory all = estimate(q, four), m;
    (void)state;
    drafts(q, &draft, false, 3);
    m = estimate(q, four);
    /* cut like the model; its rope table is whole */
    double norms = 2 * 2048.0 * (2 * 16 + 1), table = 131072.0 * 128 * 2;
    assert_near(m.draft.value, (2 * model_params(&draft) - norms) / 4 + norms + table, 1);
    assert_near(m.kv_reserved.value, all.kv_reserved.value + 8192.0 * 16 * 2 * 2 * 128 * 2, 1);
    assert_near(m.sequence.per_token, all.sequence.per_token + 16 * 2 * 2 * 128 * 2, 0);
    /* llama.cpp: its KV stays in 16 bit, and it has a buffer of its own */
    q->kv = &sample_fp8;
    assert_true(draft_kv(q) == &sample_fp8);
    s.engine.gguf = true;
    assert_true(draft_kv(q) == &sample_bf16);
    s.engine.gguf = false;
    /* SGLang takes its layers for ones of the model */
    s.engine.budget = BUDGET_STATIC;
    s.engine.draft_cells = true;
    q->kv = &sample_bf16;
    assert_near(estimate(q, four).sequence.cell, all.sequence.per_token * 96 / 80, 1e-6);
}

static void test_draft_layouts(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());
    struct model draft = sample_dense("draft", 896, 24, 14, 2, 4864, 128256);
    struct layout four = sample_layout(4, 1, 1, 1);
    struct refusal why;
    (void)state;
    assert_true(layout_valid(q, &four));
    drafts(q, &draft, false, 3);
    assert_int_equal(layout_refusals(q, &four, &why, 1), 1);
    assert_int_equal(why.code, REFUSED_DRAFT);
    assert_int_equal(why.b, 14);
    assert_true(layout_valid(q, &two));
}

/* A window beside full layers: the draft's full layers are a group more. */
static void test_draft_groups(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gemma_27b());
    struct model draft = sample_dense("draft", 2048, 10, 16, 16, 8192, 262208);
    (void)state;
    draft.kind[0].head_dim = draft.kind[0].v_head_dim = s.model.kind[s.model.layer[5]].head_dim;
    struct kv_sequence before = estimate(q, one).sequence;
    drafts(q, &draft, false, 3);
    struct kv_sequence after = estimate(q, one).sequence;
    assert_true(after.reserved > before.reserved);
    assert_true(after.exact > before.exact);
}

/* Qwen3-Next: each drafted token is a state more, and lengthens the convolution. */
static void test_draft_states(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_next());
    (void)state;
    s.engine.state_drafts = true;
    struct kv_sequence plain = estimate(q, one).sequence;
    assert_near(kvcache_state_blocks(q), 1, 0);
    q->draft_tokens = 3;
    assert_near(kvcache_state_blocks(q), 4, 0);
    struct kv_sequence more = estimate(q, one).sequence;
    assert_true(more.state > plain.state);
    assert_true(more.reserved > plain.reserved);
    assert_near(more.exact, plain.exact, 0);
}

/* SGLang runs 48 requests at once by default when it drafts. */
static void test_draft_slots(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    (void)state;
    s.engine.draft_slots = 48;
    assert_near(memory_max_num_seqs(q), 1024, 0);
    q->draft_tokens = 4;
    assert_near(memory_max_num_seqs(q), 48, 0);
    q->max_num_seqs = 100;
    assert_near(memory_max_num_seqs(q), 100, 0);
}

static void test_draft_runner(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    (void)state;
    snprintf(s.engine.second, sizeof(s.engine.second), "all");
    s.engine.second_copies = 1;
    assert_near(load_sum(q).logit_copies, 1, 0);
    drafts(q, &s.model, false, 3);
    assert_near(load_sum(q).logit_copies, 3, 0);
    q->draft_kind = DRAFT_MTP;
    assert_near(load_sum(q).logit_copies, 1, 0);
    q->draft_kind = DRAFT_MODEL;
    s.engine.second_draft = true;
    assert_near(load_sum(q).logit_copies, 1, 0);
}

/* ---- adapters ---- */

static void test_lora(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct memory all = estimate(q, one), m;
    (void)state;
    q->lora_slots = 4;
    q->lora_rank = 16;
    m = estimate(q, one);
    assert_near(m.lora.value, 4 * 80 * GP_MIB, 1);
    assert_near(m.lora.low, m.lora.value, 0);
    assert_near(m.lora.high, m.lora.value + 4 * 16 * 2 * 2 * (128256.0 + 4096), 1);
    assert_near(m.weights.value, all.weights.value + m.lora.value, 1);
    assert_near(m.graphs.high, 2 * all.graphs.high, 1); /* captured once more */
    /* TP cuts one of the two: q, k, v, gate and up by their outputs, o and down by inputs */
    double a = 4096 * 3 + 4096 / 2 + 4096 * 2 + 14336 / 2;
    double b = (4096 + 2 * 1024) / 2 + 4096 + 14336 + 4096;
    assert_near(estimate(q, two).lora.value, 4 * 16 * 2 * 32 * (a + b), 1);
    /* chosen modules: attention at least */
    s.engine.lora_chosen = true;
    assert_near(estimate(q, one).lora.low, 4 * 16 * 2 * 32 * 26624.0, 1);
    s.engine.lora_fp32 = true;
    assert_near(estimate(q, one).lora.value, 4 * 160 * GP_MIB, 1);
    assert_near(estimate(q, one).lora.low, 4 * 16 * 2 * 32 * 26624.0, 1);
}

static struct quantity adapters(const struct request *q, const struct layout *layout, int first,
                                int end)
{
    struct load load = load_sum(q);
    struct weights_cut cut;
    weights_cut(q, &load, layout, &cut);
    return lora_bytes(q, &cut, layout, first, end);
}

static void test_lora_experts(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gpt_oss_20b());
    const struct layer_kind *k = &s.model.kind[0];
    struct layout spread = sample_layout(2, 1, 2, 1);
    double h = s.model.hidden, w = k->expert_ff;
    (void)state;
    q->lora_slots = 1;
    q->lora_rank = 8;
    double dense = adapters(q, &one, 0, 1).value;
    s.engine.lora_experts = true;
    assert_near(adapters(q, &one, 0, 1).value - dense, 8 * 2 * k->experts * 3 * (h + w), 1);
    q->precision = sample_gpt_oss_precision(); /* 2880 to 3072 */
    assert_near(adapters(q, &one, 1, 2).high - adapters(q, &one, 1, 2).value,
                8 * 2 * k->experts * 3 * (h + w) * (3072.0 / 2880 - 1), 1);
    /* spread, a GPU holds half of the experts whole; cut, half of each of all */
    dense = 8 * 2 * k->experts * 3 * (h + w) / 2;
    double cut = 8 * 2 * k->experts * 3 * (h + w / 2);
    s.engine.lora_experts = false;
    double rest = adapters(q, &two, 0, 1).value;
    s.engine.lora_experts = true;
    assert_near(adapters(q, &spread, 0, 1).value - rest, dense, 1);
    assert_near(adapters(q, &two, 0, 1).value - rest, cut, 1);
}

/* ---- KV in host memory ---- */

static void test_kv_kept(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gemma_27b());
    struct memory all = estimate(q, one), m;
    (void)state;
    q->host_kv = 64 * GP_GIB;
    s.engine.kv_offload_groups = true;
    m = estimate(q, one);
    assert_near(m.kv_pool.value, all.kv_pool.value, 0);
    assert_near(m.max_concurrency.value, all.max_concurrency.value, 0);
    assert_near(m.host_kv.value, 64 * GP_GIB, 0);
    /* a connector without groups: every layer at full length */
    s.engine.kv_offload_groups = false;
    m = estimate(q, one);
    assert_near(m.kv_reserved.value, 62 * 8192.0 * q->context, 1);
    struct load load = load_sum(q);
    assert_true(warnings_of_request(q, &load) >> WARNING_KV_FLAT & 1);
}

static void test_kv_on_host(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct memory all = estimate(q, one), m;
    (void)state;
    q->kv_on_host = true;
    m = estimate(q, one);
    assert_near(m.kv_reserved.value, 0, 0);
    assert_near(m.host_kv.value, all.kv_reserved.value, 1);
    assert_near(m.free.value, all.free.value + all.kv_reserved.value, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mtp_counts),   cmocka_unit_test(test_mtp_kinds),
        cmocka_unit_test(test_mtp_assumed),  cmocka_unit_test(test_mtp_memory),
        cmocka_unit_test(test_draft_model),  cmocka_unit_test(test_draft_layouts),
        cmocka_unit_test(test_draft_groups), cmocka_unit_test(test_draft_states),
        cmocka_unit_test(test_draft_slots),  cmocka_unit_test(test_draft_runner),
        cmocka_unit_test(test_lora),         cmocka_unit_test(test_lora_experts),
        cmocka_unit_test(test_kv_kept),      cmocka_unit_test(test_kv_on_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
