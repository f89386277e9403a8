/* test_plan.c - verdicts, limits, the knob that decides, layouts, fixes and solving. */
#include "plan/plan.h"

#include "answer/sentence.h"
#include "base/str.h"
#include "plan/solve.h"
#include "profiles.h"
#include "sample.h"

static const struct market nowhere;

static struct plan with(const struct request *q, struct layout l)
{
    struct plan p;
    plan_layout(q, &l, &nowhere, &p);
    return p;
}

static struct plan searched(const struct request *q)
{
    struct plan p;
    plan_request(q, &nowhere, &p);
    return p;
}

static bool says(const struct plan *p, const char *text)
{
    struct texts texts = {0};
    const char *said = "";

    for (int i = 0; said && !strstr(said, text); i++)
        said = sentence_reason(p, i, &texts);
    bool found = said != NULL;
    texts_fini(&texts);
    return found;
}

static bool warns(const struct plan *p, const char *text)
{
    struct texts texts = {0};
    const char *said = "";

    for (int i = 0; said && !strstr(said, text); i++)
        said = sentence_warning(p, i, &texts);
    bool found = said != NULL;
    texts_fini(&texts);
    return found;
}

/* vLLM since 0.21: graphs are charged to the budget, utilization 0.92. */
static struct request *graphs_inside(struct sample *s, struct model model)
{
    struct request *q = sample_request(s, model);
    s->engine.graphs_in_budget = true;
    s->engine.fraction = 0.92;
    return q;
}

/* ---- verdicts ---- */

static void check_70b_on_two(const struct plan *p)
{
    assert_int_equal(p->verdict, VERDICT_MARGINAL);
    assert_int_equal(p->limit, LIMIT_KV);
    assert_int_equal(p->layout.gpus, 2);
    assert_int_equal(p->knob, KNOB_GRAPHS);
    assert_true(says(p, "decides"));
    assert_near(p->memory.weights.value / GP_GIB, 65.7, 0.1);
    assert_near(p->memory.kv_reserved.value / GP_GIB, 1.25, 1e-9);
    assert_true(p->memory.kv_pool.low < p->memory.kv_reserved.value);
    assert_true(p->memory.kv_pool.high > p->memory.kv_reserved.value);
}

static void test_70b_marginal(void **state)
{
    struct sample s;
    struct request *q = graphs_inside(&s, sample_llama_70b());

    (void)state;
    q->gpu_count = 2;
    q->tp = 2;
    q->options_fixed = true;
    struct plan p = searched(q);
    check_70b_on_two(&p);
}

/* Two GPUs and no word about the layout: PP 2 needs less memory for communication and
 * fits for sure, TP 2 is marginal, which is no fit: it is named. */
static void test_70b_two_gpus(void **state)
{
    struct sample s;
    struct request *q = graphs_inside(&s, sample_llama_70b());

    (void)state;
    q->gpu_count = 2;
    struct plan p = searched(q);
    assert_int_equal(p.verdict, VERDICT_FITS);
    assert_int_equal(p.layout.tp, 2);
    assert_true(p.turned.seqs > 0 && p.request.max_num_seqs == p.turned.seqs);
    q->options_fixed = true; /* and nothing is left but a pipeline */
    p = searched(q);
    assert_int_equal(p.verdict, VERDICT_FITS);
    assert_int_equal(p.layout.pp, 2);
    assert_true(says(&p, "2 GPUs, as many in fewer stages, would be marginal: TP 2"));
}

static void test_70b_marginal_profiles(void **state)
{
    struct catalog *catalog = open_profiles();
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());

    (void)state;
    q->model = profile_model(catalog, "llama-3.1-70b");
    q->gpu = profile_gpu(catalog, "h100-sxm");
    q->engine = profile_engine(catalog, "vllm");
    q->precision = profile_precision(catalog, "bf16");
    q->kv = profile_format(catalog, "bf16");
    q->gpu_count = 2;
    q->tp = 2;
    q->options_fixed = true;
    struct plan p = searched(q);
    check_70b_on_two(&p);
    catalog_free(catalog);
}

static void test_fits(void **state)
{
    struct sample s;
    struct plan p = with(sample_request(&s, sample_llama_8b()), sample_layout(1, 1, 1, 1));

    (void)state;
    assert_int_equal(p.verdict, VERDICT_FITS);
    assert_int_equal(p.limit, LIMIT_NONE);
    assert_int_equal(p.reasons, 0);
    assert_true(plan_margin(&p) > 0);
}

static void test_weights_too_large(void **state)
{
    struct sample s;
    struct plan p = with(sample_request(&s, sample_llama_70b()), sample_layout(1, 1, 1, 1));

    (void)state;
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(p.limit, LIMIT_WEIGHTS);
    assert_true(says(&p, "the weights take"));
}

static void test_kv_too_large(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->users = 1000; /* of 1152 tokens in the mean: 141 GiB */
    struct plan p = with(q, sample_layout(1, 1, 1, 1));
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(p.limit, LIMIT_KV);
    assert_true(says(&p, "1000 x 1,280 tokens and one of 8,192 need 157.25 GiB"));
    assert_true(says(&p, "140.62 GiB while they are spread"));
    q->reserve = RESERVE_FULL;
    p = with(q, sample_layout(1, 1, 1, 1));
    assert_true(says(&p, "1000 x 8,192 tokens need 1000.00 GiB"));
}

/* More than the pool at their end, and less in the mean of their lives: it runs, and
 * preempts. One request of full length has to fit all the same, and llama.cpp sets each
 * slot's context aside. */
static void test_spread(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct layout one = sample_layout(1, 1, 1, 1);

    (void)state;
    q->users = 372;
    struct plan p = with(q, one);
    assert_int_equal(p.verdict, VERDICT_MARGINAL);
    assert_int_equal(p.reasons, REASON_BIT(REASON_SPREADS));
    assert_true(says(&p, "at 1152 tokens each they take 52.31 GiB"));
    assert_true(says(&p, "all at their end, and one of full length, need 59.12 GiB"));
    q->users = 100;
    q->reserve = RESERVE_FULL;
    p = with(q, one);
    assert_int_equal(p.verdict, VERDICT_MARGINAL);
    assert_int_equal(p.limit, LIMIT_KV);
    assert_int_equal(p.reasons, REASON_BIT(REASON_SPREADS));
    assert_true(says(&p, "at 1152 tokens each they take 14.06 GiB"));
    assert_true(says(&p, "all at full length need 100.00 GiB"));
    q->users = 1;
    s.model.max_context = 1 << 20;
    q->context = 8 * 65536; /* 64 GiB, and no more than 58 are left */
    assert_int_equal(with(q, one).limit, LIMIT_KV);
    assert_int_equal(with(q, one).verdict, VERDICT_DOES_NOT_FIT);
    q->users = 100;
    q->context = 8192;
    q->reserve = RESERVE_LOAD;
    assert_int_equal(with(q, one).verdict, VERDICT_FITS);
    s.engine.budget = BUDGET_ASKED;
    s.engine.whole_slots = true;
    assert_int_equal(with(q, one).verdict, VERDICT_DOES_NOT_FIT);
}

/* vLLM since 0.20 exits when it has fewer blocks of recurrent state than slots; the cure
 * is the count at the low end, and it starts. */
static void test_state_blocks(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_next());
    struct layout two = sample_layout(4, 1, 1, 1);
    struct choices none = {0};
    struct fix fixes[PLAN_MAX_FIXES];

    (void)state;
    q->max_num_seqs = 4096;
    s.engine.graphs_in_budget = true; /* as in every version that exits */
    assert_int_equal(with(q, two).verdict, VERDICT_FITS);
    s.engine.state_exit = true;
    struct plan p = with(q, two);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(p.limit, LIMIT_STATES);
    assert_true(says(&p, "max_num_seqs 4096 exceeds the"));
    assert_near(p.memory.state_blocks.value,
                floor(p.memory.kv_pool.value / p.memory.sequence.block), 0);
    int n = plan_fixes(&p, &none, &nowhere, fixes), found = -1;
    for (int i = 0; i < n; i++)
        if (fixes[i].kind == FIX_STATES)
            found = i;
    assert_true(found >= 0);
    assert_near(fixes[found].request.max_num_seqs, p.memory.state_blocks.low, 0);
    assert_int_equal(with(&fixes[found].request, two).verdict, VERDICT_FITS);
    q->max_num_seqs = p.memory.state_blocks.low + 1;
    s.engine.base.high = s.engine.base.low + 20 * GP_GIB; /* a wide band */
    assert_int_equal(with(q, two).limit, LIMIT_STATES);
    assert_int_equal(with(q, two).verdict, VERDICT_MARGINAL);
    s.engine.base.high = s.engine.base.low + 200 * GP_GIB; /* perhaps none */
    p = with(q, two);
    assert_true(p.memory.state_blocks.low < 1);
    assert_true(says(&p, "no number of slots is sure to start"));
    s.model = sample_llama_8b();
    assert_int_equal(with(q, two).limit == LIMIT_STATES, false);
}

/* Slots whose states alone took GPUs: the most with which the fewest GPUs do. */
static void test_fewer_slots(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_next());
    struct choices none = {0};
    struct fix fixes[PLAN_MAX_FIXES];
    struct plan p, fewer;
    int found = -1;

    (void)state;
    s.engine.state_exit = s.engine.graphs_in_budget = true;
    q->gpu_count = 0;
    q->max_num_seqs = 4096;
    q->options_fixed = true;
    plan_request(q, &nowhere, &p);
    assert_int_equal(p.verdict, VERDICT_FITS);
    int n = plan_fixes(&p, &none, &nowhere, fixes);
    for (int i = 0; i < n; i++)
        if (fixes[i].kind == FIX_FEWER_SLOTS)
            found = i;
    assert_true(found >= 0);
    assert_int_equal(fixes[found].changes, 1u << CHANGE_SEQS);
    plan_request(&fixes[found].request, &nowhere, &fewer);
    assert_int_equal(fewer.verdict, VERDICT_FITS);
    assert_int_equal(fewer.layout.gpus, fixes[found].gpus);
    assert_true(fewer.layout.gpus < p.layout.gpus);
    q->gpu_count = p.layout.gpus; /* asked for: nothing to save */
    plan_request(q, &nowhere, &p);
    n = plan_fixes(&p, &none, &nowhere, fixes);
    for (int i = 0; i < n; i++)
        assert_int_not_equal(fixes[i].kind, FIX_FEWER_SLOTS);
}

/* vLLM may take a slice for the whole GPU, unless it is told. */
static void test_slice_defaults(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct layout one = sample_layout(1, 1, 1, 1);

    (void)state;
    s.gpu.usable = s.gpu.physical = quantity_exact(40 * GP_GIB);
    assert_false(with(q, one).warnings >> WARNING_SLICE & 1);
    s.gpu.whole = 80 * GP_GIB;
    assert_true(with(q, one).warnings >> WARNING_SLICE & 1);
    q->max_num_seqs = 256;
    assert_true(with(q, one).warnings >> WARNING_SLICE & 1);
    q->max_batched_tokens = 2048;
    assert_false(with(q, one).warnings >> WARNING_SLICE & 1);
}

/* Which runner of vLLM serves a model decides its sampler and what graphs cost. */
static void test_second_runner(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct layout one = sample_layout(1, 1, 1, 1);

    (void)state;
    double first = with(q, one).memory.activation.value;
    gp_copy(s.engine.second, sizeof(s.engine.second), "gemma|dense");
    s.engine.graphs_in_budget = true;
    s.engine.second_copies = 1;
    struct memory m = with(q, one).memory;
    assert_near(first - m.activation.value, 1024.0 * 128256 * 2 * 4, 1);
    assert_near(m.graphs_charged.value, 0, 0);
    assert_true(m.graphs.value > 0);
    s.engine.second_kept = 4;
    s.engine.second_graphs = true;
    struct memory kept = with(q, one).memory;
    assert_near(kept.non_torch.value - m.non_torch.value, 1024.0 * 128256 * 4, 1);
    assert_near(kept.kv_pool.value,
                m.kv_pool.value - 1024.0 * 128256 * 4 - kept.graphs_charged.value, 1);
    s.model = sample_qwen3_next(); /* not dense */
    assert_near(with(q, sample_layout(4, 1, 1, 1)).memory.graphs_charged.value,
                s.engine.graphs_charged.value, 0);
    gp_copy(s.engine.second, sizeof(s.engine.second), "all");
    s.engine.second_graphs = false;
    assert_near(with(q, sample_layout(4, 1, 1, 1)).memory.graphs_charged.value, 0, 0);
    s.engine.second_16bit = true;
    q->precision = sample_precision(&sample_fp8);
    assert_near(with(q, sample_layout(4, 1, 1, 1)).memory.graphs_charged.value,
                s.engine.graphs_charged.value, 0);
}

static void test_qwen3_14b_tp5(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_14b());

    (void)state;
    q->tp = 5;
    struct plan p = searched(q);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(p.limit, LIMIT_LAYOUT);
    assert_false(p.has_memory);
    assert_true(says(&p, "8 KV heads"));
    assert_true(says(&p, "vocabulary of 151936"));
}

/* ---- refusals that are no matter of size ---- */

static void test_limits(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct layout l = sample_layout(1, 1, 1, 1);
    struct plan p;

    (void)state;
    q->context = 131073;
    p = with(q, l);
    assert_int_equal(p.limit, LIMIT_CONTEXT);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);

    q = sample_request(&s, sample_llama_8b());
    q->context = 16;
    q->users = 1025;
    assert_int_equal(with(q, l).limit, LIMIT_SEQS);
    assert_int_equal(with(q, sample_layout(1, 1, 1, 2)).verdict, VERDICT_FITS);

    q = sample_request(&s, sample_llama_8b());
    s.gpu.compute_capability = 75;
    p = with(q, l);
    assert_int_equal(p.limit, LIMIT_TYPE);
    assert_true(says(&p, "runs BF16 on"));
}

static void test_used(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct layout l = sample_layout(1, 1, 1, 1);

    (void)state;
    q->used = 20 * GP_GIB;
    struct plan p = with(q, l);
    assert_int_equal(p.limit, LIMIT_USED);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_true(says(&p, "--memory-utilization 0.74 at most"));
    q->utilization = 0.74;
    assert_int_equal(with(q, l).verdict, VERDICT_FITS);
}

/* INT8 at 150 TOPS where FP16 has 2500, as on a B300. */
static void test_slow_int8(void **state)
{
    static const struct format int8 = {.id = "int8", .math = MATH_INT8, .bits = 8};
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->precision = sample_precision(&int8);
    s.gpu.rate[MATH_INT8] = quantity_of(150e12, ORIGIN_SHEET);
    s.gpu.rate[MATH_FP16] = quantity_of(2500e12, ORIGIN_SHEET);
    struct plan p = with(q, sample_layout(1, 1, 1, 1));
    assert_int_equal(p.verdict, VERDICT_FITS);
    assert_true(warns(&p, "16.7 times slower than FP16"));
    s.gpu.rate[MATH_INT8] = quantity_of(0, ORIGIN_SHEET);
    p = with(q, sample_layout(1, 1, 1, 1));
    assert_true(warns(&p, "has no int8 arithmetic"));
    s.gpu.rate[MATH_INT8] = quantity_of(5000e12, ORIGIN_SHEET);
    p = with(q, sample_layout(1, 1, 1, 1));
    assert_int_equal(p.warnings, 0);
}

static void test_b300_profile(void **state)
{
    struct catalog *catalog = open_profiles();
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->gpu = profile_gpu(catalog, "b300");
    q->precision = profile_precision(catalog, "int8");
    struct plan p = with(q, sample_layout(1, 1, 1, 1));
    assert_true(warns(&p, "times slower than FP16"));
    catalog_free(catalog);
}

static void test_pruning_warning(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->prune = PRUNE_UNSTRUCTURED;
    struct plan p = with(q, sample_layout(1, 1, 1, 1));
    assert_true(warns(&p, "saves no memory"));
}

/* ---- MIG ---- */

static void test_slice(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct gpu half, tenth, whole = sample_h100();

    (void)state;
    assert_int_equal(gpu_slice_of(&whole, "3g.40gb", &half, NULL), GP_OK);
    assert_int_equal(gpu_slice_of(&whole, "1g.10gb", &tenth, NULL), GP_OK);
    q->gpu = &half;
    assert_int_equal(with(q, sample_layout(1, 1, 1, 1)).verdict, VERDICT_FITS);
    q->gpu = &tenth;
    assert_int_equal(with(q, sample_layout(1, 1, 1, 1)).limit, LIMIT_WEIGHTS);
}

/* ---- the search ---- */

static void test_fewest_gpus(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());
    struct plan p = searched(q);
    int gpus = p.layout.gpus;

    (void)state;
    assert_int_equal(p.verdict, VERDICT_FITS);
    for (q->gpu_count = 1; q->gpu_count < gpus; q->gpu_count++)
        assert_int_not_equal(searched(q).verdict, VERDICT_FITS);
    q->gpu_count = gpus;
    for (q->pp = 1; q->pp < p.layout.pp; q->pp++)
        assert_int_not_equal(searched(q).verdict, VERDICT_FITS);
}

/* What is found is what the same number gives when it is asked for. */
static void test_count_found_is_count_asked(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());
    (void)state;
    for (int host = 1; host <= 8; host *= 2)
        for (double users = 1; users <= 200; users = floor(users * 1.7) + 1) {
            struct plan found, asked;
            q->host_gpus = host;
            q->users = users;
            q->gpu_count = 0;
            found = searched(q);
            q->gpu_count = found.layout.gpus;
            asked = searched(q);
            assert_int_equal(asked.verdict, found.verdict);
            assert_int_equal(asked.layout.tp, found.layout.tp);
            assert_int_equal(asked.layout.pp, found.layout.pp);
            assert_int_equal(asked.layout.replicas, found.layout.replicas);
        }
}

static void test_tp_before_pp(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());

    (void)state;
    q->gpu_count = 4;
    struct plan p = searched(q);
    assert_int_equal(p.verdict, VERDICT_FITS);
    assert_int_equal(p.layout.tp, 4);
    assert_int_equal(p.layout.pp, 1);
    q->host_gpus = 2; /* TP stays inside a host */
    p = searched(q);
    assert_int_equal(p.layout.tp * p.layout.pp * p.layout.replicas, 4);
    assert_in_range(p.layout.tp, 1, 2);
}

/* A better verdict never comes with more users, or more context. */
static void test_verdict_monotone(void **state)
{
    struct sample s;
    struct request *q = graphs_inside(&s, sample_llama_70b());
    enum verdict last = VERDICT_FITS;

    (void)state;
    for (q->users = 1; q->users <= 1024; q->users *= 2) {
        enum verdict now = with(q, sample_layout(4, 1, 1, 1)).verdict;
        assert_true(now >= last);
        last = now;
    }
    assert_int_equal(last, VERDICT_DOES_NOT_FIT);
}

/* Each code has a sentence, and each name in it a value. */
static void test_every_sentence(void **state)
{
    struct sample s;
    struct plan p = searched(sample_request(&s, sample_llama_70b()));
    struct texts texts = {0};
    const char *text;
    int reasons = 0, warnings = 0;

    (void)state;
    p.reasons = REASON_BIT(REASON_COUNT) - 1;
    p.warnings = (1u << WARNING_COUNT) - 1;
    p.marginal_layout = sample_layout(1, 1, 1, 1);
    for (; (text = sentence_reason(&p, reasons, &texts)); reasons++)
        if (strchr(text, '{') || (reasons != REASON_LAYOUT && strlen(text) < 10))
            fail_msg("reason %d: %s", reasons, text);
    for (; (text = sentence_warning(&p, warnings, &texts)); warnings++)
        if (strchr(text, '{') || strlen(text) < 10)
            fail_msg("warning %d: %s", warnings, text);
    assert_int_equal(reasons, REASON_COUNT);
    assert_int_equal(warnings, WARNING_COUNT);
    for (int k = KNOB_NONE + 1; k < KNOB_COUNT; k++) {
        p.knob = (enum knob)k;
        assert_non_null(strstr(sentence_knob(&p, &texts), k == KNOB_ENGINE ? ": " : "GiB)"));
    }
    for (int k = 0; k < FIX_KIND_COUNT; k++) {
        struct fix fix = {.kind = (enum fix_kind)k, .request = p.request};
        fix.changes = 1u << CHANGE_SEQS;
        text = sentence_fix(&fix, &texts);
        assert_null(strchr(text, '{'));
        assert_true(strlen(text) > 5);
    }
    texts_fini(&texts);
}

/* ---- fixes and solving ---- */

static void test_fixes_were_planned(void **state)
{
    struct sample s;
    struct request *q = graphs_inside(&s, sample_llama_70b());
    struct precision fp8 = sample_precision(&sample_fp8);
    struct choices choices = {.kv = &sample_fp8, .lower = {{fp8}}, .lower_count = 1};
    struct fix fix[PLAN_MAX_FIXES];
    bool slots = false, precision = false;

    (void)state;
    q->gpu_count = 2;
    q->tp = 2;
    q->options_fixed = true;
    struct plan p = searched(q);
    int count = plan_fixes(&p, &choices, &nowhere, fix);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(fix[i].verdict, VERDICT_FITS);
        assert_true(fix[i].gain > 0);
        slots = slots || fix[i].changes == 1u << CHANGE_SEQS;
        precision = precision || fix[i].changes == 1u << CHANGE_PRECISION;
        assert_int_equal(searched(&fix[i].request).verdict, VERDICT_FITS);
        assert_int_equal(searched(&fix[i].request).layout.gpus, fix[i].gpus);
    }
    assert_true(slots && precision);
}

static void test_no_fix_for_what_fits(void **state)
{
    struct sample s;
    struct plan p = searched(sample_request(&s, sample_llama_8b()));
    struct choices choices = {.kv = &sample_fp8};
    struct fix fix[PLAN_MAX_FIXES];

    (void)state;
    assert_int_equal(plan_fixes(&p, &choices, &nowhere, fix), 0);
}

static void test_layout_fix(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_14b());
    struct choices choices = {0};
    struct fix fix[PLAN_MAX_FIXES];
    int tp = 0;

    (void)state;
    q->tp = 5;
    struct plan p = searched(q);
    int count = plan_fixes(&p, &choices, &nowhere, fix);
    for (int i = 0; i < count && tp == 0; i++)
        tp = fix[i].changes == 1u << CHANGE_TP ? fix[i].request.tp : 0;
    assert_in_range(tp, 1, 8);
    assert_int_equal(40 % tp, 0);
    assert_int_equal(8 % tp, 0);
}

/* Each wrong option of bits: a context beyond the model's, a TP that divides nothing and a
 * count that is no layout's, a KV format that the engine lacks, experts spread where there
 * are none. */
static void wrong(struct request *q, int bits)
{
    static const struct format q8 = {.id = "q8_0", .bits = 8.5};
    if (bits & 1)
        q->context = 4.0 * q->model->max_context;
    if (bits & 2)
        q->tp = 3;
    if (bits & 4)
        q->kv = &q8;
    if (bits & 8)
        q->ep = 8;
    if (bits & 16)
        q->gpu_count = 3;
}

/* However many options are wrong, something cures them, and does when it is asked. */
static void test_wrong_together(void **state)
{
    struct choices none = {0};
    (void)state;
    for (int bits = 1; bits < 32; bits++) {
        struct sample s;
        struct request *q = sample_request(&s, sample_llama_8b());
        struct fix fix[PLAN_MAX_FIXES];
        q->precision.base = &sample_bf16;
        wrong(q, bits);
        struct plan p = searched(q);
        if (p.verdict == VERDICT_FITS)
            continue;
        int count = plan_fixes(&p, &none, &nowhere, fix);
        if (count == 0)
            fail_msg("no cure for %d", bits);
        for (int i = 0; i < count; i++) {
            struct plan cured = searched(&fix[i].request);
            assert_int_equal(cured.verdict, fix[i].verdict);
            assert_int_equal(cured.verdict, VERDICT_FITS);
            assert_int_equal(cured.layout.gpus, fix[i].gpus);
        }
    }
}

static void test_solve(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct layout l = sample_layout(1, 1, 1, 1);
    double users = solve_users(q, &l), context;

    (void)state;
    struct memory m = with(q, l).memory;
    assert_near(users, floor((m.kv_pool.low - m.sequence.reserved) / m.described.reserved), 0);
    assert_near(m.holds_load.low, floor(m.kv_pool.low / m.sequence.block) * 16 / 1280, 1e-9);
    q->reserve = RESERVE_FULL;
    assert_near(solve_users(q, &l), floor(m.max_concurrency.low), 0);
    q->reserve = RESERVE_LOAD;
    q->users = users;
    assert_int_equal(with(q, l).verdict, VERDICT_FITS);
    q->users = users + 1;
    assert_int_not_equal(with(q, l).verdict, VERDICT_FITS);
    q->users = 10;
    context = solve_context(q, &l);
    assert_near(fmod(context, 16), 0, 0);
    q->context = context;
    assert_int_equal(with(q, l).verdict, VERDICT_FITS);
    q->context = context + 16;
    assert_int_not_equal(with(q, l).verdict, VERDICT_FITS);
}

static const struct fix *fix_of(const struct fix *fixes, int n, enum fix_kind kind)
{
    for (int i = 0; i < n; i++)
        if (fixes[i].kind == kind)
            return &fixes[i];
    return NULL;
}

static void test_host_fixes(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());
    struct layout one = sample_layout(1, 1, 1, 1);
    struct choices none = {0};
    struct fix fixes[PLAN_MAX_FIXES];
    (void)state;
    q->gpu_count = 1;
    q->options_fixed = true;
    struct plan p = with(q, one);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_null(fix_of(fixes, plan_fixes(&p, &none, &nowhere, fixes), FIX_HOST_BYTES));
    snprintf(s.engine.offload, sizeof(s.engine.offload), "bytes");
    const struct fix *f = fix_of(fixes, plan_fixes(&p, &none, &nowhere, fixes), FIX_HOST_BYTES);
    assert_non_null(f);
    assert_int_equal(f->changes, 1u << CHANGE_CPU_OFFLOAD);
    assert_int_equal(with(&f->request, one).verdict, VERDICT_FITS);
    struct request less = f->request;
    less.host_bytes -= GP_GIB;
    assert_int_equal(with(&less, one).verdict == VERDICT_FITS, false);
    snprintf(s.engine.offload, sizeof(s.engine.offload), "layers|experts");
    f = fix_of(fixes, plan_fixes(&p, &none, &nowhere, fixes), FIX_HOST_LAYERS);
    assert_non_null(f);
    less = f->request;
    less.host_layers--;
    assert_int_equal(with(&f->request, one).verdict, VERDICT_FITS);
    assert_int_equal(with(&less, one).verdict == VERDICT_FITS, false);
}

/* Without the draft, fewer adapters, the KV cache in host memory. */
static void test_added_fixes(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());
    struct model draft = sample_llama_8b();
    struct layout two = sample_layout(2, 1, 1, 1);
    struct choices none = {0};
    struct fix fixes[PLAN_MAX_FIXES];
    (void)state;
    q->gpu_count = q->tp = 2;
    q->options_fixed = true;
    q->precision = sample_precision(&sample_fp8);
    q->users = 25;
    q->reserve = RESERVE_FULL;
    assert_int_equal(with(q, two).verdict, VERDICT_FITS);
    q->draft = &draft;
    q->draft_kind = DRAFT_MODEL;
    q->draft_precision = q->precision;
    q->draft_tokens = 3;
    struct plan p = with(q, two);
    assert_int_not_equal(p.verdict, VERDICT_FITS);
    const struct fix *f = fix_of(fixes, plan_fixes(&p, &none, &nowhere, fixes), FIX_DRAFT);
    assert_non_null(f);
    assert_int_equal(f->changes, 1u << CHANGE_DRAFT);
    assert_null(f->request.draft);
    assert_int_equal(f->request.draft_tokens, 0);
    q->draft = NULL;
    q->draft_kind = DRAFT_NONE;
    q->draft_tokens = 0;
    q->lora_slots = 64;
    q->lora_rank = 64;
    p = with(q, two);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    f = fix_of(fixes, plan_fixes(&p, &none, &nowhere, fixes), FIX_LORA);
    assert_non_null(f);
    struct request more = f->request;
    more.lora_slots++;
    assert_int_equal(with(&f->request, two).verdict, VERDICT_FITS);
    assert_int_equal(with(&more, two).verdict == VERDICT_FITS, false);
    q->lora_slots = 0;
    q->users = 100;
    p = with(q, two);
    snprintf(s.engine.kv_offload, sizeof(s.engine.kv_offload), "all");
    f = fix_of(fixes, plan_fixes(&p, &none, &nowhere, fixes), FIX_HOST_KV);
    assert_non_null(f);
    assert_int_equal(f->changes, 1u << CHANGE_NO_KV);
}

/* Another vocabulary: vLLM refuses the draft, others are warned of. */
static void test_draft_words(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct model draft = sample_dense("tiny", 1024, 8, 16, 8, 4096, 128000);
    struct layout one = sample_layout(1, 1, 1, 1);
    (void)state;
    q->draft = &draft;
    q->draft_kind = DRAFT_MODEL;
    q->draft_precision = q->precision;
    struct plan p = with(q, one);
    assert_int_equal(p.verdict, VERDICT_FITS);
    assert_true(p.warnings >> WARNING_DRAFT_WORDS & 1);
    s.engine.draft_vocab = true;
    p = with(q, one);
    assert_int_equal(p.limit, LIMIT_TYPE);
    assert_true(says(&p, "refuses the draft tiny: 128000 words"));
    draft.vocab = q->model->vocab;
    assert_int_equal(with(q, one).verdict, VERDICT_FITS);
}

/* vLLM up to 0.19 asserts one group of KV. */
static void test_host_groups(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gemma_27b());
    struct layout one = sample_layout(1, 1, 1, 1);
    (void)state;
    q->host_bytes = GP_GIB;
    struct plan p = with(q, one);
    assert_int_equal(p.limit, LIMIT_TYPE);
    assert_true(says(&p, "does not start with --cpu-offload-gb"));
    s.engine.offload_groups = true;
    assert_int_equal(with(q, one).verdict, VERDICT_FITS);
    s.engine.offload_groups = false;
    s.model = sample_llama_8b();
    assert_int_equal(with(q, one).verdict, VERDICT_FITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_70b_marginal),
        cmocka_unit_test(test_70b_two_gpus),
        cmocka_unit_test(test_70b_marginal_profiles),
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_weights_too_large),
        cmocka_unit_test(test_kv_too_large),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_state_blocks),
        cmocka_unit_test(test_fewer_slots),
        cmocka_unit_test(test_slice_defaults),
        cmocka_unit_test(test_host_fixes),
        cmocka_unit_test(test_added_fixes),
        cmocka_unit_test(test_draft_words),
        cmocka_unit_test(test_host_groups),
        cmocka_unit_test(test_second_runner),
        cmocka_unit_test(test_qwen3_14b_tp5),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_used),
        cmocka_unit_test(test_slow_int8),
        cmocka_unit_test(test_b300_profile),
        cmocka_unit_test(test_pruning_warning),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_fewest_gpus),
        cmocka_unit_test(test_count_found_is_count_asked),
        cmocka_unit_test(test_tp_before_pp),
        cmocka_unit_test(test_verdict_monotone),
        cmocka_unit_test(test_every_sentence),
        cmocka_unit_test(test_fixes_were_planned),
        cmocka_unit_test(test_no_fix_for_what_fits),
        cmocka_unit_test(test_layout_fix),
        cmocka_unit_test(test_wrong_together),
        cmocka_unit_test(test_solve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
