/*
 * test_walk.c - every model of the catalogue, planned as vLLM of today would start it: with
 * as many of the largest GPUs as it takes it starts; on one small GPU, and with a context
 * as long as it can be, either it starts or the check that stops it is named.
 */
#include "output/startup.h"
#include "request/planner.h"

#include "profiles.h"
#include "util/str.h"

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
    if (s.check && (strlen(s.text) < 40 || strchr(s.text, '{')))
        fail_msg("%s: %s: %s", m->id, s.check, s.text);
}

static void test_large(void **state)
{
    const struct walk *w = *state;
    for (size_t i = 0; i < w->count; i++) {
        struct plan p = planned(w, w->models[i], "b300", 0);
        if (p.verdict != VERDICT_FITS)
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

int main(void)
{
    struct walk w = {.planner = planner_new(source_path("profiles"), 0, NULL)};
    if (catalog_models(planner_catalog(w.planner), &w.models, &w.count, NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_large, &w),
        cmocka_unit_test_prestate(test_small, &w),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    planner_free(w.planner);
    return failed;
}
