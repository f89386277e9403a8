/*
 * test_walk.c - every model of the catalogue, planned as vLLM of today would start it: with
 * as many of the largest GPUs as it takes it starts; on one small GPU, and with a context
 * as long as it can be, either it starts or the check that stops it is named; and whatever
 * does not fit, on any engine, has a way out.
 */
#include "answer/planner.h"
#include "answer/startup.h"

#include "base/mem.h"
#include "base/str.h"
#include "profiles.h"

struct walk {
    struct planner *planner;
    const struct model *const *models;
    size_t count;
};

static struct plan planned(const struct walk *w, const struct model *m, const char *gpu,
                           double context)
{
    struct options o = {0};
    struct gp_err err = {0};
    struct resolved r;
    struct plan p;
    options_text(&o, OPT_GPU, "gpu", gpu, NULL);
    options_text(&o, OPT_ENGINE, "engine", "vllm", NULL);
    if (context > 0)
        options_number(&o, OPT_CONTEXT, "context", context, NULL);
    if (planner_resolve(w->planner, &o, m->id, NULL, NULL, &r, &err))
        fail_msg("%s: %s: %s", m->id, err.where, err.text);
    assert_true(startup_known(r.request.engine));
    plan_request(&r.request, &r.market, &p);
    return p;
}

/* A verdict without a check is a start; each check comes with its words. */
static void check_verdict(const struct model *m, const struct plan *p)
{
    struct startup s = startup_check(p);
    if (!model_is_served(m))
        return; /* its weights alone are planned */
    if ((p->verdict == VERDICT_FITS) != (s.check == NULL))
        fail_msg("%s: %s, limit %s, but stopped by %s", m->id, verdict_word(p->verdict),
                 limit_word(p->limit), s.check ? s.check : "nothing");
    struct texts texts = {0};
    const char *text = s.check ? startup_message(p, &s, &texts) : NULL;
    if (text && (strlen(text) < 40 || strchr(text, '{')))
        fail_msg("%s: %s: %s", m->id, s.check, text);
    texts_fini(&texts);
}

static void test_large(void **state)
{
    const struct walk *w = *state;
    for (size_t i = 0; i < w->count; i++) {
        struct plan p = planned(w, w->models[i], "b300", 0);
        if (p.verdict != VERDICT_FITS && !(p.reasons >> REASON_DROPPED & 1))
            fail_msg("%s: %s, limit %s", w->models[i]->id, verdict_word(p.verdict),
                     limit_word(p.limit));
        check_verdict(w->models[i], &p);
    }
}

static void test_small(void **state)
{
    const struct walk *w = *state;
    for (size_t i = 0; i < w->count; i++) {
        const struct model *m = w->models[i];
        struct plan p = planned(w, m, "rtx-4090:1", 0);
        check_verdict(m, &p);
        p = planned(w, m, "h100-sxm:1", m->max_context);
        check_verdict(m, &p);
    }
}

/* Small GPUs, engines with and without tensor parallelism, options that are wrong. */
static void test_way_out(void **state)
{
    static const struct {
        const char *gpu, *engine;
        double tp, slots, users;
    } asked[] = {
        {"t4:1", "ollama", 0, 0, 8},          {"a100-sxm-80:2", "ollama", 2, 16, 32},
        {"rtx-4090:1", "llama.cpp", 0, 0, 4}, {"t4", "vllm", 0, 0, 16},
        {"l4:3", "sglang", 3, 0, 64},         {"mi300x:1", "tensorrt-llm", 0, 0, 1},
        {"h100-sxm:1", "mlx", 0, 0, 1},
    };
    const struct walk *w = *state;
    struct answer *a = gp_malloc(sizeof(*a));
    for (size_t i = 0; i < w->count; i++) {
        const struct model *m = w->models[i];
        size_t k = i % (sizeof(asked) / sizeof(asked[0]));
        struct options o = {0};
        struct gp_err err = {0};
        if (!model_is_served(m))
            continue;
        options_text(&o, OPT_GPU, "gpu", asked[k].gpu, NULL);
        options_text(&o, OPT_ENGINE, "engine", asked[k].engine, NULL);
        options_number(&o, OPT_USERS, "users", asked[k].users, NULL);
        if (asked[k].tp > 0)
            options_number(&o, OPT_TP, "tp", asked[k].tp, NULL);
        if (asked[k].slots > 0)
            options_number(&o, OPT_MAX_NUM_SEQS, "max-num-seqs", asked[k].slots, NULL);
        options_text(&o, OPT_MODEL, "model", m->id, NULL);
        if (planner_answer(w->planner, &o, a, &err))
            fail_msg("%s: %s: %s", m->id, err.where, err.text);
        if (a->plan.verdict == VERDICT_DOES_NOT_FIT && a->fix_count == 0)
            fail_msg("%s on %s, %s: no way out of limit %s", m->id, asked[k].gpu, asked[k].engine,
                     limit_word(a->plan.limit));
        for (int n = 0; n < a->fix_count; n++)
            assert_true(a->fixes[n].verdict < a->plan.verdict || a->plan.verdict == VERDICT_FITS);
    }
    free(a);
}

int main(void)
{
    struct walk w = {.planner = planner_new(source_path("profiles"), 0, NULL)};
    if (catalog_models(planner_catalog(w.planner), &w.models, &w.count, NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_large, &w),
        cmocka_unit_test_prestate(test_small, &w),
        cmocka_unit_test_prestate(test_way_out, &w),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    planner_free(w.planner);
    return failed;
}
