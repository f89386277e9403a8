/* test_terms.c - every term says what the plan says, and where it comes from. */
#include "answer/print_plan.h"
#include "plan/terms.h"

#include "profiles.h"
#include "sample.h"
#include "tests/sanitized.h"

static struct term terms[TERMS_MAX];
static int count;

/* What --why prints of a term's inputs, of its source. */
static const char *inputs_of(const struct term *t)
{
    static struct strbuf text;
    strbuf_clear(&text);
    term_inputs_text(t, &text);
    return text.text;
}

static const char *source_of(const struct term *t)
{
    static struct strbuf text;
    strbuf_clear(&text);
    term_source_text(&t->source, &text);
    return text.text;
}

static struct plan explained(const struct request *q, struct layout l, const struct market *market)
{
    static const struct market nowhere;
    static struct plan p; /* the terms borrow from it */
    plan_layout(q, &l, market ? market : &nowhere, &p);
    memset(terms, 0, sizeof(terms));
    count = terms_of_plan(&p, terms);
    return p;
}

static const char *name_of(const struct term *t)
{
    static char text[TERM_NAME_MAX];
    return term_name(t, text);
}

static const struct term *find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name_of(&terms[i]), name) == 0)
            return &terms[i];
    return NULL;
}

static const struct term *need(const char *name)
{
    const struct term *t = find(name);
    if (!t)
        fail_msg("no term '%s'", name);
    return t;
}

static void same(const char *name, struct quantity q, double unit)
{
    const struct term *t = need(name);
    double slack = 1e-9 * (1 + fabs(q.value / unit));
    assert_int_equal(t->value.known, q.known);
    assert_near(t->value.value, q.value / unit, slack);
    assert_near(t->value.low, q.low / unit, slack + 1e-9 * fabs(q.low / unit));
    assert_near(t->value.high, q.high / unit, slack + 1e-9 * fabs(q.high / unit));
}

static double plain_sum_of(const char *prefix)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        if (strncmp(name_of(&terms[i]), prefix, strlen(prefix)) == 0)
            sum += terms[i].value.value;
    return sum;
}

static double sum_of(const char *prefix)
{
    return plain_sum_of(prefix) * GP_GIB;
}

/* Nothing empty, nothing cut, nothing twice. */
static void well_formed(void)
{
    assert_in_range(count, 1, TERMS_MAX - 1);
    for (int i = 0; i < count; i++) {
        const struct term *t = &terms[i];
        assert_true(t->name[0] && t->symbol[0] && t->equation[0] && t->unit[0]);
        assert_true(strlen(source_of(t)) > 2);
        if (!inputs_of(t)[0])
            fail_msg("%s: no inputs", t->name);
        char name[TERM_NAME_MAX];
        assert_true(strlen(term_name(t, name)) < sizeof(name) - 1);
        assert_true(t->input_count < INPUTS_MAX);
        assert_true(!t->value.known || isfinite(t->value.value));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(name, name_of(&terms[j]));
    }
}

static double value_of(const char *name)
{
    const struct term *t = find(name);
    return t ? t->value.value : 0;
}

/* The parts of a step add up to it, and with the prompts to TPOT. */
static void speed_as_planned(const struct plan *p)
{
    const struct speed *v = &p->speed;
    const struct step_parts *part = &v->part;
    double near = 1e-9 * v->tpot.value * 1e3;
    assert_near(plain_sum_of("product: "), (part->linear + part->head) * 1e3, near);
    assert_near(plain_sum_of("experts: "), part->experts * 1e3, near);
    assert_near(plain_sum_of("product: ") + plain_sum_of("experts: ") +
                    value_of("reads of the cache") + value_of("all-reduces and hops") +
                    value_of("fixed time") + value_of("host memory: time") + value_of("drafts"),
                need("decode step")->value.value, near);
    assert_near(value_of("decode step") + need("prompts of the others")->value.value,
                need("TPOT")->value.value, near);
    same("TPOT", v->tpot, 1e-3);
    same("TTFT", v->ttft, 1e-3);
    same("requests per second", v->requests, 1);
    same("output tokens per second", v->tokens, 1);
}

/* Every value is the plan's own. */
static void as_planned(const struct plan *p)
{
    const struct memory *m = &p->memory;
    well_formed();
    same("physical memory", m->physical, GP_GIB);
    same("usable memory", m->usable, GP_GIB);
    same("budget", m->budget, GP_GIB);
    same("weights", m->weights, GP_GIB);
    same("activation", m->activation, GP_GIB);
    same("non-torch", m->non_torch, GP_GIB);
    same("CUDA graphs", m->graphs, GP_GIB);
    same("free", m->free, GP_GIB);
    assert_near(need("rule of thumb")->value.value, m->rule_of_thumb / GP_GIB, 1e-9);
    assert_near(need("checkpoint")->value.value, m->file_bytes / GP_GIB, 1e-9);
    assert_near(need("parameters")->value.value, model_params(p->request.model), 0);
    assert_near(sum_of("weights: ") - sum_of("weights: of which") - sum_of("weights: saved") -
                    sum_of("weights: in host memory"),
                m->weights.value, 1);
    assert_near(sum_of("KV: "), m->sequence.exact, 1);
    assert_near(sum_of("state: "), m->sequence.state, 1);
    if (p->request.model->weights_only) {
        assert_null(find("KV pool"));
        assert_null(find("margin"));
    } else {
        same("KV pool", m->kv_pool, GP_GIB);
        same("users' KV", m->kv_needed, GP_GIB);
        same("users' need", m->kv_reserved, GP_GIB);
        assert_near(need("margin")->value.value, plan_margin(p) / GP_GIB, 1e-9);
    }
    if (p->speed.gap == SPEED_KNOWN)
        speed_as_planned(p);
    else
        assert_null(find("TPOT"));
    if (m->sequence.reserved > 0) {
        same("KV cache tokens", m->kv_cache_tokens, 1);
        same("max concurrency", m->max_concurrency, 1);
        assert_near(need("KV per token")->value.value, m->kv_bytes_per_token, 1e-6);
        assert_near(need("KV of one request")->value.value * GP_GIB,
                    m->sequence.exact + m->sequence.state, 1);
        assert_near(need("one request is given")->value.value * GP_GIB, m->sequence.reserved, 1);
    }
}

/* ---- hand-built plans ---- */

static struct model (*const models[])(void) = {
    sample_llama_8b,    sample_llama_70b,  sample_gemma_27b, sample_gpt_oss_20b,
    sample_deepseek_v3, sample_qwen3_next, sample_scout,
};

static void test_as_planned(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        for (int budget = BUDGET_UTILIZATION; budget <= BUDGET_ASKED; budget++)
            for (int pp = 1; pp <= 3; pp += 2) {
                struct sample s;
                struct request *q = sample_request(&s, models[i]());
                s.engine.budget = (enum budget)budget;
                s.engine.graphs_in_budget = pp == 1;
                q->users = 7;
                q->used = pp == 1 ? 0 : GP_GIB;
                struct plan p = explained(q, sample_layout(2, pp, 1, 1), NULL);
                as_planned(&p);
            }
}

/* The equations, evaluated by hand with the inputs that are shown. */
static void test_equations(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->utilization = 0.95;
    struct plan p = explained(q, sample_layout(2, 1, 1, 1), NULL);
    assert_near(need("budget")->value.value, 0.95 * 79.19, 1e-9);
    assert_non_null(strstr(inputs_of(need("budget")), "utilization 0.95 (request)"));
    assert_non_null(strstr(inputs_of(need("budget")), "usable 79.190 GiB (sheet)"));
    assert_near(need("activation: sampling")->value.value,
                (1024 * 128256.0 * (3 * 4 + 2) + 8192 * 4096.0 * 2) / GP_GIB + 0.12, 1e-9);
    assert_non_null(strstr(inputs_of(need("activation: sampling")), "seqs 1,024 (engine default)"));
    assert_near(need("activation: forward")->value.value,
                8192 * (2 * 4096 + 3 * 14336.0 / 2) * 2 / GP_GIB + 0.12, 1e-9);
    assert_non_null(strstr(inputs_of(need("activation: forward")), "ff 14,336 (exact)"));
    assert_near(need("KV: 32 full layers")->value.value, 0.5, 1e-12);
    assert_non_null(strstr(inputs_of(need("KV: 32 full layers")), "kv_t 4 (exact)"));
    assert_near(need("weights: mlp")->value.value, 32 * 3 * 14336 * 4096.0 / GP_GIB, 1e-9);
    assert_non_null(strstr(inputs_of(need("weights: mlp")), "share of one GPU 0.5, tp 2"));
    assert_near(need("weights: rope table")->value.value, 131072 * 128 * 2.0 / GP_GIB, 1e-12);
    assert_int_equal(need("weights")->value.origin, ORIGIN_EXACT);
    assert_int_equal(need("KV pool")->value.origin, ORIGIN_MODEL);
    assert_int_equal(p.verdict, VERDICT_FITS);
    q->utilization = 0;
    q->max_num_seqs = 64;
    explained(q, sample_layout(2, 1, 1, 1), NULL);
    assert_non_null(strstr(inputs_of(need("budget")), "utilization 0.9 (engine default)"));
    assert_non_null(strstr(inputs_of(need("activation: sampling")), "seqs 64 (request)"));
}

static void test_sources(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    snprintf(s.engine.evidence[TERM_NON_TORCH], sizeof(s.engine.evidence[0]), "logged, 0.19");
    explained(q, sample_layout(1, 1, 1, 1), NULL);
    assert_string_equal(source_of(need("non-torch")),
                        "vLLM 0.17-0.19 of 2026-11: logged, 0.19; logs of vLLM 0.19");
    assert_string_equal(source_of(need("usable memory")), "h100-sxm: nvidia-smi");
    assert_string_equal(source_of(need("parameters")), "llama-3.1-8b: config.json");
    s.model.source[0] = '\0';
    explained(q, sample_layout(1, 1, 1, 1), NULL);
    assert_non_null(strstr(source_of(need("parameters")), "assumed"));
}

static void test_parts_of_weights(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gpt_oss_20b());
    double dense;

    (void)state;
    q->precision = sample_gpt_oss_precision();
    explained(q, sample_layout(1, 1, 1, 1), NULL);
    assert_near(need("weights: of which padding")->value.value,
                need("weights: expert")->value.value * (1 - 2880.0 * 2880 / (3072.0 * 2944)), 1e-9);
    q = sample_request(&s, sample_deepseek_v3());
    explained(q, sample_layout(8, 1, 1, 1), NULL);
    assert_near(need("weights: absorbed MLA")->value.value,
                61 * 512.0 * 128 * (128 + 128) * 2 / 8 / GP_GIB, 1e-9);
    q = sample_request(&s, sample_llama_8b());
    explained(q, sample_layout(1, 1, 1, 1), NULL);
    dense = need("weights")->value.value;
    assert_null(find("weights: saved by pruning"));
    q->prune = PRUNE_2_4;
    explained(q, sample_layout(1, 1, 1, 1), NULL);
    assert_near(need("weights: saved by pruning")->value.value + need("weights")->value.value,
                dense, 1e-9);
}

static void test_refused(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_qwen3_14b());

    (void)state;
    explained(q, sample_layout(5, 1, 1, 1), NULL);
    well_formed();
    assert_in_range(count, 3, 6);
    assert_non_null(strstr(inputs_of(need("GPUs")), "refused"));
    assert_null(find("weights"));
}

/* ---- cost ---- */

static void test_cost(void **state)
{
    struct market market = sample_aws_market();
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());
    struct plan p = explained(q, sample_layout(8, 1, 1, 1), &market);
    const struct buy *b = &p.cost.buy;

    (void)state;
    as_planned(&p);
    assert_near(need("instances")->value.value, p.cost.on_demand.instances, 0);
    assert_near(need("rent: on demand")->value.value, 55.04, 1e-9);
    assert_non_null(strstr(inputs_of(need("rent: on demand")), "age 124 days"));
    assert_non_null(strstr(source_of(need("rent: on demand")), "2026-07-20"));
    assert_near(need("rent per month")->value.value, 55.04 * 730, 1e-6);
    same("buy: capital", b->capital, 1);
    same("buy: running", b->running, 1);
    same("buy: per hour", b->per_hour, 1);
    assert_near(need("break-even")->value.value, b->break_even_hours, 1e-6);
    assert_non_null(strstr(inputs_of(need("buy: running")), "electricity 0.0861 $/kWh (profile)"));
    market.electricity = 0.2;
    explained(q, sample_layout(8, 1, 1, 1), &market);
    assert_non_null(strstr(inputs_of(need("buy: running")), "electricity 0.2 $/kWh (request)"));
    q->price = WANT_SPOT; /* nobody offers it */
    explained(q, sample_layout(8, 1, 1, 1), &market);
    assert_null(find("instances"));
    assert_null(find("break-even"));
}

/* ---- every model and engine that is shipped; under a sanitizer a fourth of the pairs ---- */

static void test_catalogue(void **state)
{
    struct catalog *catalog = open_profiles();
    const struct model *const *list;
    const struct engine *engines;
    size_t model_count, engine_count;
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    assert_int_equal(catalog_models(catalog, &list, &model_count, NULL), GP_OK);
    assert_int_equal(catalog_engines(catalog, &engines, &engine_count, NULL), GP_OK);
    assert_true(model_count > 100 && engine_count >= 7);
    q->precision = profile_precision(catalog, "bf16");
    q->kv = profile_format(catalog, "bf16");
    q->gpu = profile_gpu(catalog, "h100-sxm");
    for (size_t m = 0; m < model_count; m++)
        for (size_t e = SANITIZED ? m % 4 : 0; e < engine_count; e += SANITIZED ? 4 : 1) {
            q->model = list[m];
            q->engine = &engines[e];
            struct plan p = explained(q, sample_layout(1, 1, 1, 1), NULL);
            if (p.has_memory)
                as_planned(&p);
        }
    catalog_free(catalog);
}

/* Layouts that cut everything, with experts, MLA, states and windows. */
static void test_speed(void **state)
{
    static const char *const ids[] = {"llama-3.1-70b", "deepseek-v3", "qwen3-next-80b-a3b",
                                      "gpt-oss-120b", "gemma-3-27b"};
    struct catalog *catalog = open_profiles();
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());

    (void)state;
    q->precision = profile_precision(catalog, "fp8");
    q->kv = profile_format(catalog, "bf16");
    q->gpu = profile_gpu(catalog, "h200-sxm");
    q->engine = profile_engine(catalog, "vllm");
    q->users = 16;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        for (int pp = 1; pp <= 2; pp++) {
            q->model = profile_model(catalog, ids[i]);
            struct plan p = explained(q, sample_layout(8, pp, 1, 1), NULL);
            assert_int_equal(p.speed.gap, SPEED_KNOWN);
            as_planned(&p);
        }
    /* the equation with what is shown: 80 layers of 2 x 28672 / 8 by 8192 in FP8 */
    q->model = profile_model(catalog, "llama-3.1-70b");
    q->users = 1;
    explained(q, sample_layout(8, 1, 1, 1), NULL);
    const struct family *f = q->gpu->family;
    double n = 2 * 28672.0 / 8, k = 8192, w = 1;
    double compute = 2 * n * k / (f->product[KERNEL_FP8].compute * q->gpu->rate[MATH_FP8].value);
    double memory =
        (n * k * w + 2 * (n + k)) / (f->product[KERNEL_FP8].memory * q->gpu->bandwidth.value);
    assert_true(compute < 0.02 * memory);
    assert_near(need("product: mlp 7168 x 8192")->value.value, 80 * memory * 1e3,
                1e-3 * 80 * memory * 1e3); /* scales beside the weights */
    assert_non_null(
        strstr(inputs_of(need("product: mlp 7168 x 8192")), "N 7,168 (cut), K 8,192 (cut)"));
    catalog_free(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_planned), cmocka_unit_test(test_equations),
        cmocka_unit_test(test_sources),    cmocka_unit_test(test_parts_of_weights),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_cost),
        cmocka_unit_test(test_catalogue),  cmocka_unit_test(test_speed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
