/*
 * test_properties.c - what every answer has to hold, on random requests over the catalogue.
 *
 *   launch    what --plan calls a fit, --launch prints
 *   advice    what is printed as a fix claims no more than its command gives, and is no worse
 *   more      more users, longer requests, a higher rate, all at full length: no less money
 *   knob      no option is named that does not make a marginal plan fit
 *   compare   each row of --compare is what --plan says of its GPU and precision
 *
 * GPUPLAN_PROPERTIES sets how many requests of each (default 40).
 */
#include "requests.h"

#include "answer/compare_run.h"
#include "answer/launch.h"

static unsigned asked_fixes, launched, compared;

/* A goal is missed by the speed that is shown, or by none. */
static void check_goals(const struct options *options, const struct plan *p)
{
    const struct request *q = &p->request;
    const struct speed *v = &p->speed;
    bool known = v->gap == SPEED_KNOWN;
    bool ttft = known && q->ttft > 0 && v->ttft.value > q->ttft;
    bool tpot = known && q->tpot > 0 && v->tpot.value > q->tpot;
    bool rate = known && q->rate > 0 && v->requests.value < q->rate;
    bool tokens = known && v->tokens.value < q->throughput * (1 - 1e-9);
    bool dear = q->budget > 0 && p->cost.per_hour > q->budget;
    if (verdict_holds(p->verdict) &&
        (p->verdict == VERDICT_SLOW) != (ttft || tpot || rate || tokens || dear))
        wrong("%s: %s, with TTFT %g s and TPOT %g s", command_of(options), verdict_word(p->verdict),
              v->ttft.value, v->tpot.value);
}

/* The plan alone, without fixes. */
static bool plan_alone(const struct options *options, struct answer *out)
{
    struct gp_err err = {0};
    if (!options->value[OPT_GPU].given)
        return planner_answer(planner, options, out, &err) == GP_OK;
    if (!resolve(options, &out->resolved))
        return false;
    planner_plan(planner, &out->resolved, &out->plan);
    return true;
}

/* ---- fixes ---- */

/* What a fix says of itself is what its plan says. */
static void check_fix(const struct options *asked, const struct plan *without, const struct fix *f,
                      const char *command, const struct plan *got)
{
    double gain = plan_margin(got) - (without->has_memory ? plan_margin(without) : 0);
    if (got->verdict > without->verdict)
        wrong("%s: advised for %s, and worse", command, command_of(asked));
    else if (got->verdict != f->verdict || got->layout.gpus != f->gpus)
        wrong("%s: a fix for %s says %s on %d GPUs; asked, it is %s on %d", command,
              command_of(asked), verdict_word(f->verdict), f->gpus, verdict_word(got->verdict),
              got->layout.gpus);
    else if (fabs(got->cost.per_hour - f->per_hour) > 1e-6)
        wrong("%s: a fix for %s costs $%g; asked, it is $%g", command, command_of(asked),
              f->per_hour, got->cost.per_hour);
    else if (f->tpot > 0 && fabs(got->speed.tpot.value / f->tpot - 1) > 1e-6)
        wrong("%s: a fix for %s has a TPOT of %g s; asked, it is %g s", command, command_of(asked),
              f->tpot, got->speed.tpot.value);
    else if (fabs(gain - f->gain) > GP_MIB)
        wrong("%s: a fix for %s gains %.3f GiB; asked, it is %.3f", command, command_of(asked),
              f->gain / GP_GIB, gain / GP_GIB);
}

static void check_fixes(const struct options *asked, const struct answer *a)
{
    for (int i = 0; i < a->fix_count; i++) {
        const struct fix *f = &a->fixes[i];
        struct strbuf command;
        struct answer got;
        strbuf_init(&command);
        planner_fix_command(asked, a, f, &command);
        char *text = strdup(command.text);
        struct options options = ask_of(text);
        asked_fixes++;
        if (!plan_alone(&options, &got)) {
            wrong("%s: refused", command.text);
        } else {
            check_fix(asked, &a->plan, f, command.text, &got.plan);
            check_goals(&options, &got.plan);
        }
        const struct fix *before = i > 0 && !f->better ? f - 1 : NULL;
        if (before && f->verdict == before->verdict &&
            (before->rank > f->rank ||
             (before->rank == f->rank && f->per_hour > 0 && before->per_hour <= 0)))
            wrong("%s: fix %d stands above one that is tried first", command_of(asked), i);
        free(text);
        strbuf_fini(&command);
    }
}

/* GPUs that only hold a replica without a request are not paid for unsaid. */
static void check_idle(const struct options *asked, const struct answer *a)
{
    const struct plan *p = &a->plan;
    bool found = false;
    /* one of several that share experts cannot be left out */
    if (p->verdict != VERDICT_FITS || plan_idle(p) < layout_ways(&p->layout) ||
        p->request.gpu_count == 0 || p->request.replicas > 0 || p->cost.per_hour <= 0 ||
        p->speed.gap != SPEED_KNOWN)
        return;
    for (int i = 0; i < a->fix_count; i++)
        found |= a->fixes[i].better == BETTER_CHEAPER && a->fixes[i].gpus < p->layout.gpus;
    if (!(p->warnings & 1u << WARNING_IDLE) || !found)
        wrong("%s: %d replicas idle on %d GPUs, and nothing cheaper", command_of(asked),
              plan_idle(p), p->layout.gpus);
}

static void random_fixes(void)
{
    unsigned requests = number_from("GPUPLAN_PROPERTIES", 40), planned = 0;
    asked_fixes = 0;
    for (unsigned i = 0; i < requests; i++) {
        struct options options = random_ask();
        struct resolved r;
        struct answer a;
        struct gp_err err = {0};
        random_more(&options);
        random_companions(&options);
        if (!resolve(&options, &r))
            continue;
        assert_int_equal(planner_answer(planner, &options, &a, &err), GP_OK);
        assert_int_equal(planner_betters(planner, &a, &err), GP_OK);
        check_idle(&options, &a);
        check_fixes(&options, &a);
        planned++;
    }
    printf("%u random requests planned, %u fixes asked\n", planned, asked_fixes);
    assert_true(asked_fixes > planned / 2);
}

/* What a printed fix claims is what its command answers. */
static void test_random_fixes(void **state)
{
    (void)state;
    each_seed(random_fixes);
}

/* What a fix promises under loads that the random requests do not draw. */
static void test_fixes_of_loads(void **state)
{
    static const char *const loads[] = {
        "-g h100-sxm:4 --rate 20 --tpot 20 --ttft 400",
        "-g l40s:4 --rate 3 --output 1",
        "-g h100-sxm -u 64 --disaggregate 1xTP2:1xTP4 --tpot 10",
        "-g h100-sxm:8 --rate 12 --disaggregate auto --ttft 150",
        "-g h100-sxm:6 -u 300 --disaggregate 2xTP1:1xTP4",
        "-g h100-sxm:8 --rate 40 --disaggregate 2xTP2:1xTP4 --output 16",
    };
    int fixes = 0;
    (void)state;
    found_wrong = 0;
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        char text[256];
        struct answer a;
        struct gp_err err = {0};
        snprintf(text, sizeof(text), "gpuplan --plan -m llama-3.1-70b -p fp8 -c 8k %s", loads[i]);
        struct options options = ask_of(text);
        if (planner_answer(planner, &options, &a, &err))
            fail_msg("%s: %s", loads[i], err.text);
        check_fixes(&options, &a);
        fixes += a.fix_count;
    }
    assert_true(fixes > 5);
    assert_int_equal(found_wrong, 0);
}

/* ---- what fits can be launched ---- */

static void check_launch(const struct options *asked, const struct answer *a)
{
    struct launch launch[2];
    struct gp_err err = {0};
    if (a->plan.verdict != VERDICT_FITS && a->plan.verdict != VERDICT_SLOW)
        return;
    if (launch_make(planner, asked, a, launch, &err) != GP_OK) {
        wrong("%s: %s, but --launch: %s: %s", command_of(asked), verdict_word(a->plan.verdict),
              err.where, err.text);
        return;
    }
    const struct launch_place place = {0};
    struct launch_command command;
    launch_command(launch, &place, &command);
    assert_true(command.argv.count > 0);
    launch_command_fini(&command);
    launched++;
}

/* ---- of more load no less money ---- */

static double raised(double now)
{
    return ceil(now * (1 + random_below(16) / 4.0)) + 1;
}

/* Asks for more of one thing; false where that is none. */
static bool ask_more(struct options *o, const struct request *q)
{
    static const enum option_id ids[] = {OPT_USERS,  OPT_RATE,    OPT_PROMPT,
                                         OPT_OUTPUT, OPT_CONTEXT, OPT_RESERVE};
    enum option_id id = ids[random_below(6)];
    double prompt = q->prompt, output = q->output, context = q->context;
    bool lengths = !o->value[OPT_TRACE].given;
    if (q->gpu_count > 0)
        return false; /* of GPUs that one has the fastest layout is taken */
    if ((id == OPT_USERS && (q->rate > 0 || q->throughput > 0)) ||
        (id == OPT_RATE && (q->rate <= 0 || q->throughput > 0)) ||
        (id == OPT_OUTPUT && request_asks_speed(q)))
        return false; /* these bring the tokens that are asked for, or fewer prompts a step */
    if (id == OPT_PROMPT && q->split && q->rate <= 0 && (q->ttft <= 0 || q->tpot > 0))
        return false; /* more users wait for their first token, and fewer decode at once */
    if (id == OPT_PROMPT && (q->host_layers > 0 || q->host_experts > 0) &&
        q->prompt < q->engine->speed.host_tokens)
        return false; /* more tokens at once are computed by the GPU */
    if (id == OPT_USERS)
        give(o, id, "%.0f", raised(q->users));
    else if (id == OPT_RATE)
        give(o, id, "%.2f", q->rate * (1 + (1 + random_below(16)) / 4.0));
    else if (id == OPT_RESERVE)
        give(o, id, "full");
    else if (id == OPT_PROMPT)
        prompt = raised(prompt);
    else if (id == OPT_OUTPUT)
        output = raised(output);
    else
        context = raised(context);
    if (lengths) {
        give(o, OPT_PROMPT, "%.0f", prompt);
        give(o, OPT_OUTPUT, "%.0f", output);
    }
    give(o, OPT_CONTEXT, "%.0f", fmax(context, prompt + output));
    return true;
}

/* What is bought is paid for at once: its electricity follows the load, not the plan. */
static double money_of(const struct plan *p)
{
    const struct buy *buy = &p->cost.buy;
    return p->request.price == WANT_BUY && buy->known ? buy->capital.value : p->cost.per_hour;
}

/* A pipeline inside a host, which has to cost a fourth less than what people run: it may be worth
 * that beside what more load costs otherwise, and not beside what less load does. */
static bool is_pipeline(const struct plan *p)
{
    return p->layout.pp > 1 && p->layout.tp < p->request.host_gpus;
}

static void check_more(const struct options *asked, const struct plan *p)
{
    char saved[OPTION_COUNT][64];
    memcpy(saved, texts, sizeof(saved));
    char *less = strdup(command_of(asked));
    for (int i = 0; i < 4; i++) {
        struct options options = *asked;
        struct answer a;
        if (ask_more(&options, &p->request) && plan_alone(&options, &a) &&
            a.plan.verdict == VERDICT_FITS) {
            double before = money_of(p), now = money_of(&a.plan);
            compared++;
            if (p->verdict != VERDICT_FITS)
                wrong("%s: fits, and is %s with less load: %s", command_of(&options),
                      verdict_word(p->verdict), less);
            else if (now > 0 && (before <= 0 || before > now + 0.01) &&
                     p->layout.gpus >= a.plan.layout.gpus && /* fewer GPUs come first */
                     !(is_pipeline(&a.plan) && now >= COST_MUCH_LESS * before - 0.01))
                wrong("%s: $%.2f on %d GPUs, and $%.2f on %d with less load: %s",
                      command_of(&options), now, a.plan.layout.gpus, before, p->layout.gpus, less);
        }
        memcpy(texts, saved, sizeof(saved));
    }
    free(less);
}

static void random_answers(void)
{
    unsigned requests = number_from("GPUPLAN_PROPERTIES", 40), planned = 0;
    launched = compared = 0;
    for (unsigned i = 0; i < requests; i++) {
        struct options options = random_ask();
        struct answer a = {0};
        if (random_below(2)) {
            random_more(&options);
            random_companions(&options);
        } else if (random_below(4) == 0) {
            options.gpu_count = 0;
            options.value[OPT_GPU].given = false;
        }
        if (!plan_alone(&options, &a))
            continue;
        planned++;
        check_goals(&options, &a.plan);
        check_launch(&options, &a);
        check_more(&options, &a.plan);
    }
    printf("%u random requests planned, %u launched, %u compared with more load\n", planned,
           launched, compared);
    assert_true(launched > planned / 8 && compared > planned / 8);
}

static void test_random_answers(void **state)
{
    (void)state;
    each_seed(random_answers);
}

/* ---- Compare and --plan ---- */

#define COMPARED 4 /* GPUs */

static void check_row(const struct options *asked, const struct plan *row, const char *gpu)
{
    const char *precision = row->request.precision.native ? "native" : row->request.precision.id;
    struct options options = *asked;
    struct resolved r;
    struct plan p;
    options.gpu_count = options.precision_count = 0;
    give(&options, OPT_GPU, "%s", gpu);
    give(&options, OPT_PRECISION, "%s", precision);
    if (!resolve(&options, &r)) {
        wrong("%s: refused, and a row of --compare", command_of(&options));
        return;
    }
    planner_plan(planner, &r, &p);
    const struct layout *a = &row->layout, *b = &p.layout;
    bool same = a->gpus == b->gpus && a->tp == b->tp && a->pp == b->pp && a->ep == b->ep &&
                a->replicas == b->replicas && a->prefill == b->prefill;
    const struct knobs *x = &row->turned, *y = &p.turned;
    bool turned = x->seqs == y->seqs && x->tokens == y->tokens &&
                  x->utilization == y->utilization && x->eager == y->eager;
    if (row->verdict != p.verdict || row->request.context != p.request.context || !same ||
        !turned || row->cost.per_hour != p.cost.per_hour ||
        row->speed.tpot.value != p.speed.tpot.value)
        wrong(
            "%s: %s, TP %d x PP %d on %d GPUs at $%g; in --compare %s, TP %d x PP %d on %d at $%g",
            command_of(&options), verdict_word(p.verdict), b->tp, b->pp, b->gpus, p.cost.per_hour,
            verdict_word(row->verdict), a->tp, a->pp, a->gpus, row->cost.per_hour);
}

static void random_rows(void)
{
    unsigned requests = number_from("GPUPLAN_PROPERTIES", 40), rows = 0;
    for (unsigned i = 0; i < requests / 2; i++) {
        struct options options = random_ask();
        static char names[COMPARED][64];
        struct comparison *c;
        struct gp_err err = {0};
        if (random_below(4) == 0)
            random_more(&options);
        if (random_below(4) == 0) {
            give(&options, OPT_ENGINE, "ollama");
            options.value[OPT_CONTEXT].given = false;
        }
        options.gpu_count = COMPARED;
        for (int g = 0; g < COMPARED; g++) {
            snprintf(names[g], sizeof(names[g]), random_below(2) ? "%s" : "%s:2",
                     gpus[random_below((unsigned)gpu_count)]->id);
            options.gpus[g] = names[g];
        }
        options.value[OPT_GPU].given = true;
        if (comparison_begin(planner, &options, &c, &err) != GP_OK)
            continue;
        comparison_step(c, comparison_total(c));
        for (size_t k = 0; k < comparison_done(c); k++) {
            const struct plan *p = &comparison_row(c, k)->plan;
            for (int g = 0; g < COMPARED; g++) {
                size_t n = strlen(p->request.gpu->id);
                bool counted = strchr(names[g], ':') != NULL;
                if (strncmp(names[g], p->request.gpu->id, n) == 0 &&
                    names[g][n] == (counted ? ':' : '\0') &&
                    p->request.gpu_count == (counted ? 2 : gpu_is_alone(p->request.gpu))) {
                    char saved[OPTION_COUNT][64];
                    memcpy(saved, texts, sizeof(saved));
                    check_row(&options, p, names[g]);
                    memcpy(texts, saved, sizeof(saved));
                    rows++;
                    break;
                }
            }
        }
        comparison_free(c);
    }
    printf("%u rows of comparisons planned again\n", rows);
    assert_true(rows > requests);
}

/* Compare and --plan agree in layout, options, price and speed. */
static void test_random_rows(void **state)
{
    (void)state;
    each_seed(random_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rows),
        cmocka_unit_test(test_random_answers),
        cmocka_unit_test(test_random_fixes),
        cmocka_unit_test(test_fixes_of_loads),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
