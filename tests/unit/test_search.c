/*
 * test_search.c - the layout is the best of all, on random requests over the catalogue.
 *
 * GPUPLAN_SEARCH_REQUESTS sets how many of each seed (default 2; CI 40); requests.h draws them.
 */
#include "requests.h"

#include "answer/compare_run.h"

/* ---- against all layouts, one by one ---- */

/* The keys of search.h's order before speed, and that; less is better, the first counts most. */
#define KEYS 4
struct keys {
    bool any;
    double key[KEYS]; /* GPUs paid for, idle, machines, money */
    double tokens;
};

static struct keys keys_of(const struct request *q, const struct evaluation *e)
{
    const struct layout *l = &e->layout;
    double money = e->price.per_hour > 0 ? round(e->price.per_hour * 100) : INFINITY;
    return (struct keys){true,
                         {e->price.gpus > 0 ? e->price.gpus : l->gpus,
                          q->rate <= 0 && l->replicas > q->users,
                          e->price.rented                    ? 2 * e->price.apart
                          : layout_widest(l) <= q->host_gpus ? 1
                                                             : 2,
                          q->gpu_count > 0 ? 0 : money},
                         0};
}

static int compare_keys(const struct keys *a, const struct keys *b)
{
    for (int i = 0; i < KEYS; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return 0;
}

/* Tokens/s of what fits; where a rate is asked those of a user, and where it is not served for
 * sure none: what is sure goes before what is fast. */
static double tokens_of(const struct request *q, const struct load *load,
                        const struct prices *prices, const struct evaluation *e)
{
    struct request sure = *q;
    struct evaluation again;
    if (q->rate <= 0)
        return evaluate_tokens(q, load, &e->layout);
    sure.goals = GOALS_SURE;
    evaluate(&sure, load, prices, &e->layout, &again);
    return again.verdict == VERDICT_FITS ? 1 / e->tpot : 0;
}

/* Those of the best of all layouts of one stage that fit in a host with the engine's own
 * options, and the most tokens/s of those that are as good, of a user where a rate is served;
 * more GPUs than the best pays for are none. */
static struct keys best_of_all(const struct request *q, const struct load *load,
                               const struct prices *prices)
{
    int experts = model_experts(q->model), most = PLAN_MAX_GPUS;
    struct keys best = {0};
    for (int tp = 1; tp <= q->host_gpus; tp++)
        for (int n = 1; tp * (n - q->split) <= (best.any ? best.key[0] : most); n++)
            for (int ep = 1; ep <= (experts > 1 ? experts : 1); ep++) {
                struct layout l = {.tp = tp, .pp = 1, .ep = ep, .replicas = n};
                struct evaluation e;
                if (tp * n % ep != 0 || layout_group(&l) > q->host_gpus)
                    continue;
                evaluate(q, load, prices, &l, &e);
                struct keys keys = keys_of(q, &e);
                int worse = best.any ? compare_keys(&keys, &best) : -1;
                if (e.verdict != VERDICT_FITS || worse > 0)
                    continue;
                keys.tokens = tokens_of(q, load, prices, &e);
                if (worse < 0 || keys.tokens > best.tokens)
                    best = keys;
            }
    return best;
}

static void check_best(const struct options *options, const struct resolved *r,
                       const struct plan *p)
{
    const struct request *q = &r->request;
    struct load load = load_sum(q);
    struct step_load step;
    struct prices prices;
    struct evaluation e;
    prices_init(q, &r->market, &prices);
    step_load_sum(q, &load, &step);
    load.step = &step;
    struct keys best = best_of_all(q, &load, &prices), found = {0};
    evaluate(q, &load, &prices, &p->layout, &e);
    if (p->verdict == VERDICT_FITS) {
        found = keys_of(q, &e);
        found.tokens = q->rate > 0 ? 1 / p->speed.tpot.value : p->speed.tokens.value;
    }
    prices_fini(&prices);
    int worse = found.any && best.any ? compare_keys(&found, &best) : 0;
    if (best.any && (!found.any || worse > 0 || (worse == 0 && found.tokens < 0.94 * best.tokens)))
        wrong("%s: %g GPUs paid for, %g cents, %g tokens/s; but %g, %g and %g do",
              command_of(options), found.key[0], found.key[3], found.tokens, best.key[0],
              best.key[3], best.tokens);
}

/* ---- one more constraint ---- */

static const char *constrain(struct options *options, const struct plan *p)
{
    static const enum option_id ids[] = {OPT_TP,     OPT_PP,    OPT_EP,      OPT_REPLICAS,
                                         OPT_MAX_PP, OPT_USERS, OPT_CONTEXT, OPT_GPU};
    enum option_id id = ids[random_below(8)];
    if (id == OPT_USERS && (p->request.rate > 0 || p->request.throughput > 0))
        id = OPT_CONTEXT; /* more users are no harder where they bring the tokens */
    if (id == OPT_GPU) {
        options->gpu_count = 0;
        give(options, OPT_GPU, "%s:%u", p->request.gpu->id, 1 + random_below(64));
    } else if (id == OPT_USERS || id == OPT_CONTEXT) {
        double now = id == OPT_USERS ? p->request.users : p->request.context;
        give(options, id, "%.0f", now + 1 + random_below(1000));
        /* the load stays: of a longer context longer prompts would be assumed */
        give(options, OPT_PROMPT, "%.0f", p->request.prompt);
        give(options, OPT_OUTPUT, "%.0f", p->request.output);
    } else if (id == OPT_MAX_PP || id == OPT_PP) {
        give(options, id, "%u", 1 + random_below(SEARCH_MAX_PP));
    } else {
        give(options, id, "%u", 1u << random_below(5));
    }
    return option_rows[id].name;
}

/* GPUs that are paid for where r's request runs as p says. */
static int paid_for(const struct resolved *r, const struct plan *p)
{
    struct prices prices;
    prices_init(&r->request, &r->market, &prices);
    int rented = cost_price(&prices, &p->layout).gpus;
    prices_fini(&prices);
    return rented > 0 ? rented : p->layout.gpus;
}

/* A pipeline inside a host: looked at last where count and TP are open, as people do not run
 * it where TP divides; where one of them is asked for it counts like any other. TP over hosts is
 * planned where it is asked for alone. */
static bool is_unusual(const struct request *q, const struct layout *l)
{
    return (l->pp > 1 && l->tp < q->host_gpus) || l->tp > request_domain(q);
}

static void check_constrained(const struct options *asked, const struct resolved *open,
                              const struct plan *p, const struct plan *cheapest)
{
    struct options options = *asked;
    struct resolved r;
    const char *name = constrain(&options, p);
    if (!resolve(&options, &r))
        return;
    struct plan more = search(&r);
    if (more.verdict != VERDICT_FITS)
        return;
    int paid = p->verdict == VERDICT_FITS ? paid_for(open, p) : 0;
    if ((paid == 0 && more.layout.tp <= request_domain(&r.request)) ||
        (paid_for(&r, &more) < paid && !is_unusual(&r.request, &more.layout)))
        wrong("%s: %d GPUs to pay for, and %d without --%s", command_of(&options),
              paid_for(&r, &more), paid, name);
    if (more.cost.per_hour > 0 && !is_unusual(&r.request, &more.layout) &&
        !(cheapest->cost.per_hour > 0 && cheapest->cost.per_hour <= more.cost.per_hour + 0.01))
        wrong("%s: $%g, but the least money is $%g", command_of(&options), more.cost.per_hour,
              cheapest->cost.per_hour);
}

static void check_constraints(const struct options *asked, const struct resolved *open,
                              const struct plan *p, const struct plan *cheapest)
{
    char saved[OPTION_COUNT][64];
    memcpy(saved, texts, sizeof(saved));
    for (int i = 0; i < 8; i++) {
        check_constrained(asked, open, p, cheapest);
        memcpy(texts, saved, sizeof(saved));
    }
}

/* Of what is rented fewer would do: as many fit when they are asked for. */
static void check_enough(const struct options *options, const struct resolved *open,
                         const struct plan *p)
{
    struct resolved r = *open;
    if (!(p->reasons & REASON_BIT(REASON_RENTED)))
        return;
    r.request.gpu_count = p->enough;
    if (p->enough >= p->layout.gpus || search(&r).verdict != VERDICT_FITS)
        wrong("%s: %d GPUs do not do", command_of(options), p->enough);
}

/* What is found is what the same count gives when it is asked for, but for a faster one that
 * costs more: of GPUs that one has, speed counts before money. */
static void check_count(const struct options *options, const struct resolved *open,
                        const struct plan *p)
{
    struct resolved r = *open;
    r.request.gpu_count = p->layout.gpus;
    struct plan same = search(&r);
    if ((is_unusual(&r.request, &same.layout) && !is_unusual(&r.request, &p->layout)) ||
        (p->cost.per_hour > 0 &&
         !(same.cost.per_hour <= p->cost.per_hour && same.cost.per_hour > 0)))
        return;
    if (same.layout.tp != p->layout.tp || same.layout.pp != p->layout.pp ||
        same.layout.ep != p->layout.ep || same.layout.replicas != p->layout.replicas ||
        same.layout.prefill != p->layout.prefill || same.layout.prefill_tp != p->layout.prefill_tp)
        wrong("%s: another layout when its %d GPUs are asked for", command_of(options),
              p->layout.gpus);
    if (p->cost.machines > 0 && p->layout.hosts != p->cost.machines)
        wrong("%s: %d hosts, %d machines priced", command_of(options), p->layout.hosts,
              p->cost.machines);
}

/* The stage that is shown is the worst of them, so that no other one is short. */
static void check_stages(const struct options *options, const struct plan *p)
{
    struct load load = load_sum(&p->request);
    struct request held = p->request;
    held.users = evaluate_held(&held, &load, &p->layout);
    for (int stage = 0; p->has_memory && stage < p->layout.pp; stage++) {
        struct memory m;
        memory_stage(&held, &load, &p->layout, stage, &m);
        if (m.room > p->memory.room)
            wrong("%s: stage %d of %d is worse than stage %d", command_of(options), stage + 1,
                  p->layout.pp, p->memory.stage + 1);
    }
}

/* The numbers of a search are those of the plan that is shown. */
static void check_evaluation(const struct options *options, const struct resolved *r,
                             const struct plan *p)
{
    struct load load = load_sum(&p->request);
    struct prices prices;
    struct evaluation e;
    prices_init(&p->request, &r->market, &prices);
    evaluate(&p->request, &load, &prices, &p->layout, &e);
    prices_fini(&prices);
    if (e.verdict != p->verdict || e.limit != p->limit || e.valid != p->has_memory ||
        e.layout.hosts != p->layout.hosts)
        wrong("%s: %s by %s, evaluated %s by %s", command_of(options), verdict_word(p->verdict),
              limit_word(p->limit), verdict_word(e.verdict), limit_word(e.limit));
    if (!e.valid)
        return;
    assert_int_equal(evaluation_spans(&p->request, &e), plan_spans(p));
    assert_near(e.price.per_hour, p->cost.per_hour, 1e-9);
    assert_near(e.margin, plan_margin(p), 1);
    assert_near(e.binding.weights.value, p->memory.split.total, 1);
    assert_near(e.binding.free.low, p->memory.free.low, 1);
}

/* Fewer GPUs are not sure where more are likely, unless they cost as much. */
static void check_sure(const struct options *options, const struct plan *likely,
                       const struct plan *sure)
{
    bool as_dear =
        likely->cost.per_hour > 0 && sure->cost.per_hour >= likely->cost.per_hour - 0.005;
    if (sure->verdict == VERDICT_FITS && likely->verdict == VERDICT_FITS &&
        sure->layout.gpus < likely->layout.gpus && !as_dear)
        wrong("%s: sure on %d GPUs, TP %d x PP %d, likely on %d", command_of(options),
              sure->layout.gpus, sure->layout.tp, sure->layout.pp, likely->layout.gpus);
}

/* What is too slow fails a goal by its band; who wants to be sure pays no less, and what is named
 * beside a plan is what the same request with other odds, or with goals a tenth wider, finds. */
static void check_odds(const struct options *options, const struct resolved *asked,
                       const struct answer *a)
{
    const struct plan *p = &a->plan;
    const struct goals_beside *g = &a->goals;
    struct resolved r = *asked;
    bool dear = r.request.budget > 0 && p->cost.per_hour > r.request.budget;
    if (g->state == GOAL_NOT_ASKED)
        return;
    if (verdict_holds(p->verdict) &&
        (p->verdict == VERDICT_SLOW) != (dear || goal_fails(&p->request, g->state)))
        wrong("%s: %s, and its goals are %s", command_of(options), verdict_word(p->verdict),
              goal_word(g->state));
    r.request.goals = GOALS_SURE;
    r.request.budget = 0;
    struct plan sure = search(&r);
    struct goal list[SPEED_GOALS];
    if (sure.verdict == VERDICT_FITS && goals_of(&sure.request, &sure.speed, list) != GOAL_MET)
        wrong("%s --goals sure: fits, and is not sure", command_of(options));
    check_sure(options, p, &sure);
    if (g->sure.layout.gpus != (sure.verdict == VERDICT_FITS ? sure.layout.gpus : 0) &&
        r.request.gpu_count == 0 && g->state != GOAL_MET)
        wrong("%s: sure with %d GPUs, planned with %d", command_of(options), g->sure.layout.gpus,
              sure.verdict == VERDICT_FITS ? sure.layout.gpus : 0);
    if (g->near.layout.gpus == 0)
        return;
    r.request.goals = GOALS_LIKELY;
    r.request.gpu_count = g->near.layout.gpus;
    struct plan near = search(&r);
    if (near.verdict != VERDICT_SLOW || g->near.more <= 0 || g->near.more > GOALS_NEAR - 1 + 1e-4 ||
        (near.cost.per_hour > 0 && near.cost.per_hour >= p->cost.per_hour))
        wrong("%s: %d GPUs miss a goal by %g; asked, they are %s", command_of(options),
              g->near.layout.gpus, g->near.more, verdict_word(near.verdict));
}

/* One goal less never costs more GPUs. */
static void check_fewer_goals(const struct options *options, const struct resolved *asked,
                              const struct plan *p)
{
    for (int i = 0; i < 4; i++) {
        struct resolved r = *asked;
        double *const goals[] = {&r.request.ttft, &r.request.tpot, &r.request.throughput,
                                 &r.request.budget};
        if (*goals[i] <= 0)
            continue;
        *goals[i] = 0;
        struct plan less = search(&r);
        if (p->verdict == VERDICT_FITS &&
            (less.verdict != VERDICT_FITS || less.layout.gpus > p->layout.gpus))
            wrong("%s: %d GPUs, and %s on %d without goal %d", command_of(options), p->layout.gpus,
                  verdict_word(less.verdict), less.layout.gpus, i);
    }
}

/* ---- other commands ---- */

/* --solve budget and gpus are not beaten by a row of --compare, whose rows are those of
 * --plan. */
static void check_commands(const struct options *asked)
{
    struct options options = *asked;
    struct answer budget, fewest;
    struct comparison *c;
    struct gp_err err = {0};
    options.gpu_count = 0;
    options.value[OPT_GPU].given = false;
    assert_int_equal(comparison_begin(planner, &options, &c, &err), GP_OK);
    comparison_step(c, comparison_total(c));
    give(&options, OPT_SOLVE, "budget");
    assert_int_equal(planner_answer(planner, &options, &budget, &err), GP_OK);
    give(&options, OPT_SOLVE, "gpus");
    assert_int_equal(planner_answer(planner, &options, &fewest, &err), GP_OK);
    for (size_t i = 0; i < comparison_done(c); i++) {
        const struct plan *p = &comparison_row(c, i)->plan;
        struct resolved r = *comparison_load(c);
        r.request = p->request;
        plan_untuned(p, &r.request);
        struct plan same = search(&r);
        if (same.verdict != p->verdict ||
            (p->verdict == VERDICT_FITS && same.layout.gpus != p->layout.gpus))
            wrong("%s: --compare and --plan differ on %s", command_of(asked), p->request.gpu->id);
        if (comparison_row(c, i)->front && plan_spans(p))
            wrong("%s: %s is starred and spans machines", command_of(asked), p->request.gpu->id);
        if (p->verdict != VERDICT_FITS)
            continue;
        if (!fewest.solved.found || p->layout.gpus < fewest.plan.layout.gpus)
            wrong("%s: --solve gpus finds %d, %d of %s fit", command_of(asked),
                  fewest.plan.layout.gpus, p->layout.gpus, p->request.gpu->id);
        if (p->cost.per_hour > 0 &&
            (!budget.solved.found || p->cost.per_hour < budget.plan.cost.per_hour - 0.01))
            wrong("%s: --solve budget finds $%g, %s costs $%g", command_of(asked),
                  budget.plan.cost.per_hour, p->request.gpu->id, p->cost.per_hour);
    }
    comparison_free(c);
}

/* The search of offers leaves out what a limit rules out by a bound: it finds what the other one
 * does, or nothing where that does. */
static void check_bounded(const struct options *asked, const struct request *q,
                          const struct market *market)
{
    struct evaluation all, offer;
    search_layout(q, market, SEARCH_FEWEST_GPUS, &all);
    search_layout_within(q, market, INFINITY, PLAN_MAX_GPUS, &offer);
    bool same = memcmp(&all.layout, &offer.layout, sizeof(all.layout)) == 0;
    if ((all.verdict == VERDICT_FITS) != (offer.verdict == VERDICT_FITS) ||
        (all.verdict == VERDICT_FITS && !same))
        wrong("%s, budget %g, cap %g, slots %g: %s on %d GPUs, as an offer %s on %d",
              command_of(asked), q->budget, q->power_cap, q->max_num_seqs,
              verdict_word(all.verdict), all.layout.gpus, verdict_word(offer.verdict),
              offer.layout.gpus);
}

/* The search that knows only what fits finds what is planned. What may cost as much as the
 * best, or take as many GPUs, is still found; what may do neither is not asked for. */
static void check_within(const struct options *asked, const struct resolved *r,
                         const struct plan *p)
{
    static const double shares[] = {0.5, 0.999, 1, 3};
    struct evaluation all, paid, counted;
    search_layout(&r->request, &r->market, SEARCH_FEWEST_GPUS, &all);
    for (int i = 0; i < 4; i++) {
        struct request budget = r->request, cap = r->request, slots = r->request;
        budget.budget = shares[i] * fmax(all.price.per_hour, 0.01);
        cap.power_cap = shares[i] * fmax(all.layout.gpus * power_most(&r->request), 1);
        slots.max_num_seqs = 32 << 3 * i;
        check_bounded(asked, &budget, &r->market);
        check_bounded(asked, &cap, &r->market);
        check_bounded(asked, &slots, &r->market);
    }
    if ((all.verdict == VERDICT_FITS) != (p->verdict == VERDICT_FITS) ||
        (all.verdict == VERDICT_FITS && all.layout.gpus != p->layout.gpus))
        wrong("%s: %s on %d GPUs, planned %s on %d", command_of(asked), verdict_word(all.verdict),
              all.layout.gpus, verdict_word(p->verdict), p->layout.gpus);
    if (all.verdict != VERDICT_FITS)
        return;
    search_layout_within(&r->request, &r->market, 0, all.layout.gpus, &counted);
    paid = counted;
    if (all.price.per_hour > 0)
        search_layout_within(&r->request, &r->market, all.price.per_hour, 0, &paid);
    if (memcmp(&paid.layout, &all.layout, sizeof(all.layout)) != 0 ||
        memcmp(&counted.layout, &all.layout, sizeof(all.layout)) != 0)
        wrong("%s: %d GPUs at $%g, within that price %d, within that count %d", command_of(asked),
              all.layout.gpus, all.price.per_hour, paid.layout.gpus, counted.layout.gpus);
}

/* As many take two seconds. */
static unsigned asked_requests(void)
{
    return number_from("GPUPLAN_SEARCH_REQUESTS", 2);
}

static void random_requests(void)
{
    unsigned requests = asked_requests(), fitting = 0;
    for (unsigned i = 0; i < requests; i++) {
        struct options options = random_ask();
        struct resolved r;
        struct answer a;
        struct gp_err err = {0};
        struct plan cheapest;
        if (!resolve(&options, &r))
            continue;
        assert_int_equal(planner_answer(planner, &options, &a, &err), GP_OK);
        fitting += a.plan.verdict == VERDICT_FITS;
        check_best(&options, &r, &a.plan);
        check_stages(&options, &a.plan);
        check_evaluation(&options, &r, &a.plan);
        check_fewer_goals(&options, &r, &a.plan);
        check_odds(&options, &r, &a);
        if (a.plan.verdict == VERDICT_FITS)
            check_count(&options, &r, &a.plan);
        check_enough(&options, &r, &a.plan);
        check_within(&options, &r, &a.plan);
        search_plan(&r.request, &r.market, SEARCH_LEAST_MONEY, &cheapest);
        check_constraints(&options, &r, &a.plan, &cheapest);
        if (i % 20 == 10) /* over all GPUs: seconds */
            check_commands(&options);
    }
    printf("%u random requests, %u fit\n", requests, fitting);
    assert_true(requests < 12 || (fitting > requests / 8 && fitting < requests));
}

static void test_random_requests(void **state)
{
    (void)state;
    each_seed(random_requests);
}

/* Rates of some replicas, as each band has its own count there: of layouts that people run none may
 * be sure, and of the others fewer GPUs than those that are likely. */
static void random_rates(void)
{
    unsigned beside = 0;
    for (unsigned i = 0; i < 8 * asked_requests(); i++) {
        struct options options = random_ask();
        struct resolved r;
        give(&options, OPT_RATE, "0.1");
        options.value[OPT_USERS].given = false;
        if (!resolve(&options, &r))
            continue;
        struct plan one = search(&r), likely, sure;
        if (one.verdict != VERDICT_FITS)
            continue;
        give(&options, OPT_RATE, "%.3f", one.speed.full.value * (1 + random_below(12)) / 4);
        if (!resolve(&options, &r))
            continue;
        likely = search(&r);
        r.request.goals = GOALS_SURE;
        sure = search(&r);
        beside += sure.verdict == VERDICT_FITS && sure.layout.gpus > likely.layout.gpus;
        check_sure(&options, &likely, &sure);
    }
    printf("%u rates that are sure with more GPUs\n", beside);
}

static void test_random_rates(void **state)
{
    (void)state;
    each_seed(random_rates);
}

/* ---- what was found wrong ---- */

static struct answer answer_of(const char *command)
{
    char text[256];
    struct answer a;
    struct gp_err err = {0};
    snprintf(text, sizeof(text), "gpuplan --plan %s", command);
    struct options options = ask_of(text);
    if (planner_answer(planner, &options, &a, &err))
        fail_msg("%s: %s", command, err.text);
    return a;
}

static struct plan plan_of(const char *command)
{
    return answer_of(command).plan;
}

/* A pipeline of five is likely, and what is sure takes more. */
static void test_sure_count(void **state)
{
    struct answer a = answer_of("-m qwen3-32b -g rtx-4090 --rate 2.5");
    (void)state;
    assert_int_equal(a.plan.layout.gpus, 5);
    assert_int_equal(a.goals.sure.layout.gpus, 6);
}

/* Of what is too slow a pipeline serves 3.52 requests/s and TP 3.41: people run TP. */
static void test_hardly_nearer(void **state)
{
    struct plan p = plan_of("-m llama-3.1-8b -g l4:2 --rate 5");
    (void)state;
    assert_int_equal(p.verdict, VERDICT_SLOW);
    assert_int_equal(p.layout.pp, 1);
}

/* The likeliest of all layouts of a count, as far as a search tells them apart. */
struct likeliest {
    const struct resolved *r;
    struct load load;
    struct step_load step;
    struct evaluation best;
    const char *command;
};

static void check_likelier(void *ctx, int tp, int pp, int ep)
{
    struct likeliest *b = ctx;
    struct evaluation e;
    struct layout l;
    if (!search_cut(&b->r->request, tp, pp, ep, &l))
        return;
    evaluate(&b->r->request, &b->load, NULL, &l, &e);
    if (e.verdict != VERDICT_MARGINAL)
        return;
    double more = evaluation_likely(&b->load, &e), found = evaluation_likely(&b->load, &b->best);
    if ((more >= 0.5 && found < 0.5) ||
        (e.binding.state == b->best.binding.state && more > found + 0.1 &&
         (more >= 0.5) == (found >= 0.5) && e.layout.gpus == b->best.layout.gpus))
        wrong("%s: TP %d x PP %d, EP %d starts by %.2f, found TP %d x PP %d, EP %d by %.2f",
              b->command, tp, pp, ep, more, b->best.layout.tp, b->best.layout.pp, b->best.layout.ep,
              found);
}

static bool is_likeliest(const struct options *options)
{
    struct resolved r;
    if (!resolve(options, &r))
        return false;
    struct plan p = search(&r);
    request_turn(&r.request, &p.turned);
    struct likeliest b = {.r = &r, .load = load_sum(&r.request), .command = command_of(options)};
    if (p.verdict != VERDICT_MARGINAL || r.request.gpu_count <= 0 || r.request.split ||
        request_has_goals(&r.request))
        return false;
    step_load_sum(&r.request, &b.load, &b.step);
    b.load.step = &b.step;
    evaluate(&r.request, &b.load, NULL, &p.layout, &b.best);
    search_cuts(&r.request, check_likelier, &b);
    return true;
}

/* Of marginal layouts that is taken which starts where all is as expected, then the surer; with
 * goals of speed the nearer to these. */
static void test_marginal_layouts(void **state)
{
    unsigned marginal = 0;
    (void)state;
    random_state = 8;
    found_wrong = 0;
    for (unsigned i = 0; i < 100 * asked_requests(); i++) {
        struct options options = random_ask();
        options.gpu_count = 0;
        give(&options, OPT_GPU, "%s:%u", gpus[random_below((unsigned)gpu_count)]->id,
             1u << random_below(4));
        marginal += is_likeliest(&options);
    }
    printf("%u marginal plans\n", marginal);
    assert_true(marginal >= asked_requests());
    if (found_wrong > 0)
        fail_msg("%u wrong", found_wrong);
}

/* Does one user or one token of context more leave far fewer tokens/s, and neither plan say
 * so? Only of the same layout, where all run or as many. */
static void check_neighbour(const struct options *asked, const struct plan *p, enum option_id id)
{
    char saved[OPTION_COUNT][64];
    struct options options = *asked;
    struct resolved r;
    const struct speed *a = &p->speed;
    double now = id == OPT_USERS ? p->request.users : p->request.context;
    memcpy(saved, texts, sizeof(saved));
    give(&options, id, "%.0f", now + 1);
    struct plan next = {0};
    if (resolve(&options, &r))
        next = search(&r);
    const struct speed *b = &next.speed;
    bool same = memcmp(&next.layout, &p->layout, sizeof(p->layout)) == 0 &&
                next.verdict == p->verdict && a->gap == SPEED_KNOWN && b->gap == SPEED_KNOWN &&
                b->running >= a->running &&
                next.request.max_batched_tokens == p->request.max_batched_tokens &&
                memcmp(&next.turned, &p->turned, sizeof(p->turned)) == 0;
    bool told = a->beside.load != NEIGHBOUR_NONE || b->beside.load != NEIGHBOUR_NONE;
    if (same && b->tokens.value < 0.96 * a->tokens.value && !told)
        wrong("%s: %.1f tokens/s, and no word of %.1f before", command_of(&options),
              b->tokens.value, a->tokens.value);
    memcpy(texts, saved, sizeof(saved));
}

static void test_neighbours(void **state)
{
    unsigned told = 0;
    (void)state;
    random_state = 11;
    found_wrong = 0;
    for (unsigned i = 0; i < 100 * asked_requests(); i++) {
        struct options options = random_ask();
        struct resolved r;
        /* where a step lies by a prompt and its users together */
        give(&options, OPT_USERS, "%u", 1 + random_below(128));
        give(&options, OPT_CONTEXT, "%u", 256 + random_below(1024));
        if (options.value[OPT_RATE].given || !resolve(&options, &r))
            continue;
        struct plan p = search(&r);
        told += p.speed.beside.load != NEIGHBOUR_NONE;
        check_neighbour(&options, &p, OPT_USERS);
        check_neighbour(&options, &p, OPT_CONTEXT);
    }
    printf("%u plans beside a step\n", told);
    assert_true(told > 0 || asked_requests() < 40);
    if (found_wrong > 0)
        fail_msg("%u wrong", found_wrong);
}

/* The step of 512 tokens in a CUDA graph: 460 of a prompt and 52 users. */
static void test_step_beside(void **state)
{
    struct plan p[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct options options = {0};
        struct resolved r;
        give(&options, OPT_MODEL, "lfm2-24b-a2b");
        give(&options, OPT_GPU, "h100-sxm:8");
        give(&options, OPT_CONTEXT, "613");
        give(&options, OPT_TP, "8");
        give(&options, OPT_REPLICAS, "1");
        give(&options, OPT_USERS, "%d", 52 + i);
        assert_true(resolve(&options, &r));
        p[i] = search(&r);
    }
    assert_int_equal(p[0].speed.beside.load, NEIGHBOUR_USER_MORE);
    assert_int_equal(p[1].speed.beside.load, NEIGHBOUR_USER_LESS);
    assert_true(p[0].speed.beside.graphs && p[1].speed.beside.graphs);
    assert_near(p[0].speed.beside.tokens, p[1].speed.tokens.value, 1e-6 * p[1].speed.tokens.value);
    assert_near(p[1].speed.beside.tokens, p[0].speed.tokens.value, 1e-6 * p[0].speed.tokens.value);
}

static void test_deepseek_on_l40s(void **state)
{
    static const char load[] = "-m deepseek-v3 -u 256 -c 32k";
    char text[128];
    (void)state;
    snprintf(text, sizeof(text), "%s -g l40s", load);
    struct plan open = plan_of(text);
    snprintf(text, sizeof(text), "%s -g l40s --tp 8", load);
    struct plan eight = plan_of(text);
    assert_int_equal(open.verdict, VERDICT_FITS);
    assert_int_equal(eight.verdict, VERDICT_FITS);
    assert_true(open.layout.gpus <= 64 && open.layout.gpus <= eight.layout.gpus);
    snprintf(text, sizeof(text), "%s -g mi300x", load);
    open = plan_of(text);
    snprintf(text, sizeof(text), "%s -g mi300x:8", load);
    assert_int_equal(plan_of(text).verdict, VERDICT_FITS);
    assert_true(open.verdict == VERDICT_FITS && open.layout.gpus <= 8);
}

/* Where slots are what runs out no smaller count does, whatever options are turned. */
static void test_slots(void **state)
{
    static const char *const asked[] = {
        "-m qwen3.5-27b -p nvfp4 --kv-precision fp8 -c 512 -g b300",
        "-m llama-3.1-8b -g h100-sxm",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        char text[128];
        struct evaluation e, fewer;
        snprintf(text, sizeof(text), "%s -u 100000", asked[i]);
        struct resolved r = answer_of(text).resolved;
        search_layout(&r.request, &r.market, SEARCH_FEWEST_GPUS, &e);
        assert_int_equal(e.verdict, VERDICT_FITS);
        for (int n = 1; n <= 16; n++) {
            r.request.gpu_count = e.layout.gpus - n;
            search_layout(&r.request, &r.market, SEARCH_FEWEST_GPUS, &fewer);
            if (fewer.verdict == VERDICT_FITS && fewer.price.gpus < e.price.gpus)
                fail_msg("%s: %d GPUs, and %d do", text, e.layout.gpus, fewer.layout.gpus);
        }
    }
}

/* PCIe cards share a host as slots go, not as the largest instance that rents them; the
 * largest server on sale is no host to plan with. */
static void test_hosts(void **state)
{
    (void)state;
    struct plan p = plan_of("-m llama-3.1-8b -g rtx-3060-12g:3 --pp 3");
    assert_int_equal(p.layout.hosts, 1);
    p = plan_of("-m llama-3.1-405b -p fp8 -g l40s:16");
    assert_true(p.layout.tp <= 8 && p.layout.hosts > 1);
    p = plan_of("-m llama-3.1-8b -g a100-sxm-40:16 --tp 16");
    assert_int_equal(p.request.host_gpus, 8); /* one listed instance has 16, much dearer a GPU */
    p = plan_of("-m kimi-k2 -p int4 -g a100-sxm-40 -u 32");
    assert_true(p.layout.hosts == 2 && p.cost.per_hour < 32);
    p = plan_of("-m llama-3.1-8b -g a100-sxm-40:16 --tp 16 --provider gcp");
    assert_int_equal(p.request.host_gpus, 16);
}

/* A pipeline over two hosts is looked at beside more of them. */
static void test_pipeline_of_hosts(void **state)
{
    (void)state;
    struct plan p = plan_of("-m deepseek-v3.2 -g h20-96 -u 100");
    assert_true(p.layout.tp == 8 && p.layout.pp == 2 && p.layout.gpus == 16);
}

/* What a runner-up serves is what is said where it is asked for. */
static void test_second_of_a_rate(void **state)
{
    (void)state;
    struct plan p = plan_of("-m qwen3-embedding-8b -g l4 --rate 100");
    assert_true(p.second.limit == LIMIT_RATE && p.second.layout.tp == 1);
    char asked[96];
    snprintf(asked, sizeof(asked), "-m qwen3-embedding-8b -g l4:%d --rate 100",
             p.second.layout.gpus);
    struct plan same = plan_of(asked);
    assert_true(fabs(p.second.more / same.speed.capacity - 1) < 0.001);
}

/* --max-pp limits a given count, too; --pp alone may exceed it. */
static void test_max_pp(void **state)
{
    (void)state;
    struct plan p = plan_of("-m llama-3.1-405b -p fp8 -g rtx-3090:21");
    assert_true(p.layout.pp <= SEARCH_MAX_PP);
    p = plan_of("-m llama-3.1-405b -p fp8 -g rtx-3090 --max-pp 3");
    assert_true(p.layout.pp <= 3);
    p = plan_of("-m llama-3.1-405b -p fp8 -g rtx-3090 --tp 1 --pp 21");
    assert_int_equal(p.layout.pp, 21);
}

/* What is abandoned looks at no layout more. */
static void test_abandoned(void **state)
{
    atomic_bool flag = true;
    (void)state;
    search_abandon(&flag);
    assert_int_not_equal(plan_of("-m llama-3.1-405b -g h100-sxm").verdict, VERDICT_FITS);
    atomic_store(&flag, false);
    assert_int_equal(plan_of("-m llama-3.1-405b -g h100-sxm").verdict, VERDICT_FITS);
    search_abandon(NULL);
}

/* ---- options ---- */

static void test_command_of_a_fix(void **state)
{
    static const char *const cases[][3] = {
        {"-m 70B -g l40s:1 -c 8k", "--gpu l40s:2", "gpuplan --plan -m 70B -c 8k --gpu l40s:2"},
        {"-m 70B --tp 2", "--tp auto --pp auto", "gpuplan --plan -m 70B --tp auto --pp auto"},
        {"-m 70B --max-pp 4 --pp 2", "--pp 3", "gpuplan --plan -m 70B --max-pp 4 --pp 3"},
        {"-m ./a'b --solve gpus", "--users 3", "gpuplan --plan -m './a'\\''b' --users 3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        struct strbuf out;
        snprintf(text, sizeof(text), "gpuplan --plan %s", cases[i][0]);
        struct options options = ask_of(text);
        strbuf_init(&out);
        options_command(&options, "plan", cases[i][1], &out);
        assert_string_equal(out.text, cases[i][2]);
        strbuf_fini(&out);
    }
}

/* However many options a fix changes, and however long their values are, all are said. */
static void test_whole_fix(void **state)
{
    struct plan p = plan_of("-m llama-3.1-8b -g h100-sxm:1");
    struct gpu gpu = *p.request.gpu;
    struct engine engine = *p.request.engine;
    struct format kv = *p.request.kv;
    struct fix fix = {.request = p.request, .changes = (1u << CHANGE_COUNT) - 1};
    struct request *r = &fix.request;
    char text[FIX_OPTIONS_MAX];
    (void)state;
    memset(gpu.id, 'g', sizeof(gpu.id) - 1);
    memset(engine.id, 'e', sizeof(engine.id) - 1);
    memset(kv.id, 'k', sizeof(kv.id) - 1);
    memset(r->precision.id, 'p', sizeof(r->precision.id) - 1);
    r->gpu = &gpu;
    r->engine = &engine;
    r->kv = &kv;
    r->kv_auto = false;
    r->gpu_count = r->tp = r->pp = r->ep = r->replicas = r->dp = r->max_pp = PLAN_MAX_GPUS;
    r->users = r->max_num_seqs = r->max_batched_tokens = r->context = 1e9;
    r->utilization = 0.95;
    r->host_experts = 1000;
    r->host_bytes = 1e15;
    r->lora_slots = 1024;
    r->lora_rank = 4096;
    planner_fix_options(&fix, text);
    int options = 0;
    for (const char *at = strstr(text, "--"); at; at = strstr(at + 2, "--"))
        options++;
    assert_int_equal(options, CHANGE_COUNT);
    assert_true(strlen(text) + 1 < FIX_OPTIONS_MAX);
    assert_non_null(strstr(text, " --lora 1024:4096"));
}

/* With no engine named no GPU is refused for its vendor that an engine runs on. */
static void test_engine_of_a_vendor(void **state)
{
    const struct engine *engines, *usual;
    size_t count;
    struct gp_err err = {0};
    (void)state;
    assert_int_equal(catalog_engines(planner_catalog(planner), &engines, &count, &err), GP_OK);
    assert_int_equal(catalog_engine(planner_catalog(planner), CATALOG_ENGINE, &usual, &err), GP_OK);
    for (size_t g = 0; g < gpu_count; g++) {
        char command[128];
        bool served = false;
        for (size_t i = 0; i < count; i++)
            served |= engine_runs_on(&engines[i], gpus[g]);
        gp_format(command, sizeof(command), "-m llama-3.1-8b -g %s", gpus[g]->id);
        struct plan p = plan_of(command);
        if (served && (p.reasons >> REASON_VENDOR & 1))
            fail_msg("%s: %s does not run there, others do", gpus[g]->id, p.request.engine->name);
        assert_int_equal(p.warnings >> WARNING_ENGINE & 1, p.request.engine != usual);
    }
}

/* A fix on another vendor's GPU is planned with the engine that its command takes. */
static void test_engine_of_a_fix(void **state)
{
    struct answer a;
    struct gp_err err = {0};
    int others = 0;
    (void)state;
    char text[] = "gpuplan --plan -m llama-3.1-405b -g apple-m4-max";
    struct options options = ask_of(text);
    assert_int_equal(planner_answer(planner, &options, &a, &err), GP_OK);
    assert_string_equal(a.plan.request.engine->id, "mlx");
    for (int i = 0; i < a.fix_count; i++) {
        struct strbuf out;
        struct answer b;
        strbuf_init(&out);
        planner_fix_command(&options, &a, &a.fixes[i], &out);
        char command[512];
        gp_format(command, sizeof(command), "%s", out.text);
        struct options again = ask_of(command);
        assert_int_equal(planner_answer(planner, &again, &b, &err), GP_OK);
        assert_string_equal(b.plan.request.engine->id, a.fixes[i].request.engine->id);
        assert_int_equal(b.plan.verdict, VERDICT_FITS);
        others += strcmp(b.plan.request.gpu->vendor, "apple") != 0;
        strbuf_fini(&out);
    }
    assert_true(others > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_requests),
        cmocka_unit_test(test_random_rates),
        cmocka_unit_test(test_sure_count),
        cmocka_unit_test(test_hardly_nearer),
        cmocka_unit_test(test_marginal_layouts),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_step_beside),
        cmocka_unit_test(test_deepseek_on_l40s),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_pipeline_of_hosts),
        cmocka_unit_test(test_second_of_a_rate),
        cmocka_unit_test(test_max_pp),
        cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_command_of_a_fix),
        cmocka_unit_test(test_whole_fix),
        cmocka_unit_test(test_engine_of_a_vendor),
        cmocka_unit_test(test_engine_of_a_fix),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
