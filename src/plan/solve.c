/*
 * solve.c - see solve.h.
 */
#include "plan/solve.h"

#include <math.h>
#include <string.h>

#include "plan/goals.h"
#include "plan/search.h"

#define MOST_TOKENS 1e9 /* what --context and --users take */
#define MOST_USERS 1e6

static const struct market no_market;

enum odds { ODDS_CERTAIN, ODDS_LIKELY };

/* Does it fit, or with ODDS_LIKELY at least where all is as expected? What is marginal for want of
 * a figure is neither. */
static bool holds_with(const struct request *q, const struct load *load, const struct evaluation *e,
                       enum odds odds)
{
    if (e->verdict == VERDICT_FITS || odds == ODDS_CERTAIN || e->verdict != VERDICT_MARGINAL)
        return e->verdict == VERDICT_FITS;
    return e->limit != LIMIT_NONE && e->miss <= 1 && evaluation_likely(load, e) >= 0.5 &&
           !q->gpu->memory_only;
}

static bool request_holds(const struct request *q, const struct layout *layout, enum odds odds)
{
    struct load load = load_sum(q);
    struct evaluation e;

    if (layout)
        evaluate(q, &load, NULL, layout, &e);
    else
        search_layout(q, &no_market, SEARCH_FEWEST_GPUS, &e);
    if (knobs_any(&e.turned)) {
        struct request turned = evaluation_request(q, &e);

        load = load_sum(&turned);
    }
    return holds_with(q, &load, &e, odds);
}

/* The largest value of the field, from one that is known, that holds: on a layout, or, as every cut
 * of a given count is open, on any that the whole search finds. */
static double solve_most(const struct request *q, enum solve field, const struct layout *layout,
                         enum odds odds, double known)
{
    struct request r = *q;
    bool context = field == SOLVE_CONTEXT;
    double *value = context ? &r.context : &r.users;
    double unit = context ? q->engine->block : 1;
    double most = !context                    ? MOST_USERS
                  : q->model->max_context > 0 ? q->model->max_context
                                              : MOST_TOKENS;

    if (!context && layout && (q->max_num_seqs > 0 || q->engine->seqs_small > 0))
        most = fmin(memory_max_num_seqs(q) * layout->replicas, most);
    double low = known / unit, high = floor(most / unit) + 1;
    while (high - low > 1) {
        double mid = floor((low + high) / 2);

        *value = mid * unit;
        *(request_holds(&r, layout, odds) ? &low : &high) = mid;
    }
    return low * unit;
}

double solve_context(const struct request *q, const struct layout *layout)
{
    return solve_most(q, SOLVE_CONTEXT, layout, ODDS_CERTAIN, 0);
}

double solve_users(const struct request *q, const struct layout *layout)
{
    return solve_most(q, SOLVE_USERS, layout, ODDS_CERTAIN, 0);
}

/* With an open count: the best layout for the smallest value, since a request that needs less never
 * needs more GPUs. The engine's options stay open. */
static struct request on_layout_of_smallest(const struct request *q, enum solve field)
{
    struct request small = *q, fixed = *q;
    struct evaluation e;
    const struct layout *l = &e.layout;

    if (q->gpu_count > 0 || q->split)
        return fixed;
    if (field == SOLVE_CONTEXT)
        small.context = q->engine->block;
    else
        small.users = 1;
    search_layout(&small, &no_market, SEARCH_FEWEST_GPUS, &e);
    fixed.gpu_count = l->gpus;
    fixed.tp = l->tp;
    fixed.pp = l->pp;
    return fixed;
}

static struct solution solve_field(const struct request *q, enum solve field,
                                   const struct trace *trace, const struct market *market,
                                   struct plan *out)
{
    struct solution s = {0};
    struct request r = on_layout_of_smallest(q, field), best = *q;

    best.gpu_count = r.gpu_count;
    double certain = solve_most(&r, field, NULL, ODDS_CERTAIN, 0);
    double likely = solve_most(&r, field, NULL, ODDS_LIKELY, certain);
    double value = certain > 0 ? certain : likely;

    s.likely = likely > certain ? likely : 0;
    if (value <= 0)
        return s;
    if (field == SOLVE_USERS)
        best.users = value;
    else if (!request_take_context(&best, value, trace))
        return (struct solution){0};
    plan_request(&best, market, out);
    out->request.gpu_count = q->gpu_count;
    s.found = certain > 0 && out->verdict == VERDICT_FITS;
    if (s.found && request_has_goals(q) && q->goals != GOALS_SURE) {
        struct goal goals[SPEED_GOALS];

        s.goals = goals_of(&out->request, &out->speed, goals) > GOAL_MET;
        r.goals = GOALS_SURE;
        s.sure = s.goals ? solve_most(&r, field, NULL, ODDS_CERTAIN, 0) : 0;
    }
    return s;
}

static struct solution solve_precision(const struct request *q, const struct choices *offers,
                                       const struct market *market, struct plan *out)
{
    struct solution s = {0};
    struct request likely;

    for (int i = 0; i < offers->lower_count; i++) {
        struct request r = *q;

        request_take_precision(&r, &offers->lower[i]);
        plan_request(&r, market, out);
        s.found = out->verdict == VERDICT_FITS;
        if (s.found)
            return s;
        if (!s.likely_precision && request_holds(&r, NULL, ODDS_LIKELY)) {
            s.likely_precision = true;
            likely = r;
        }
    }
    if (s.likely_precision)
        plan_request(&likely, market, out);
    return s;
}

static bool has_offer(const struct gpu *gpu, const struct request *q, const struct market *market)
{
    if (q->price == WANT_BUY)
        return gpu->street_price.known || gpu->launch_price.known;
    for (size_t i = 0; i < market->instance_count; i++)
        if (strcmp(market->instances[i].gpu, gpu->id) == 0 &&
            market_takes(market, &market->instances[i]))
            return true;
    return false;
}

/* ---- which GPU ---- */

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/* The best layout on one GPU. */
struct candidate {
    struct request request;
    struct evaluation best;
};

static double price_of(const struct candidate *c)
{
    return c->best.price.per_hour > 0 ? c->best.price.per_hour : INFINITY;
}

/* Is a a better choice of GPU than b? */
static bool better_gpu(enum solve_gpu by, const struct candidate *a, const struct candidate *b)
{
    int gpus = compare_numbers(a->best.layout.gpus, b->best.layout.gpus);
    int price = compare_numbers(price_of(a), price_of(b));
    int spans =
        (int)evaluation_spans(&a->request, &a->best) - (int)evaluation_spans(&b->request, &b->best);
    const int orders[][3] = {
        [SOLVE_GPU_FEWEST] = {gpus, spans, price},
        [SOLVE_GPU_CHEAPEST] = {spans, price, gpus},
        [SOLVE_GPU_LEAST_MONEY] = {price, spans, gpus},
    };

    for (int i = 0; i < 3; i++)
        if (orders[by][i] != 0)
            return orders[by][i] < 0;
    return false;
}

bool solve_gpu(const struct request *q, enum solve_gpu by, const struct choices *offers,
               const struct market *market, struct plan *out)
{
    enum search_goal goal = by == SOLVE_GPU_LEAST_MONEY ? SEARCH_LEAST_MONEY : SEARCH_FEWEST_GPUS;
    struct candidate best = {0};

    for (size_t i = 0; i < offers->gpu_count; i++) {
        struct candidate c = {.request = search_on(q, offers->gpus[i], 0, market)};

        if (by != SOLVE_GPU_FEWEST && !has_offer(c.request.gpu, q, market))
            continue;
        search_offer(&c.request, market, goal, &c.best);
        if (c.best.verdict != VERDICT_FITS ||
            (by != SOLVE_GPU_FEWEST && c.best.price.per_hour <= 0) ||
            (best.best.valid && !better_gpu(by, &c, &best)))
            continue;
        if (late_asked(q)) { /* what keeps percentiles costs as much at least */
            plan_request(&c.request, market, out);
            c.best.layout = out->layout;
            c.best.price.per_hour = out->cost.per_hour;
            if (out->verdict != VERDICT_FITS || (best.best.valid && !better_gpu(by, &c, &best)))
                continue;
        }
        best = c;
    }
    if (best.best.valid && late_asked(q))
        plan_request(&best.request, market, out);
    else if (best.best.valid)
        search_plan(&best.request, market, goal, out);
    return best.best.valid;
}

bool solve_has_limit(const struct request *q, enum solve field)
{
    return !q->model->weights_only || (field != SOLVE_CONTEXT && field != SOLVE_USERS);
}

struct solution solve_request(const struct request *q, enum solve field,
                              const struct choices *offers, const struct market *market,
                              struct plan *out)
{
    struct request open = *q;
    struct solution s = {0};

    switch (field) {
    case SOLVE_CONTEXT:
    case SOLVE_USERS:
        if (solve_has_limit(q, field)) {
            s = solve_field(q, field, offers->trace, market, out);
            break;
        }
        plan_request(q, market, out);
        s.found = out->verdict == VERDICT_FITS;
        return s;
    case SOLVE_PRECISION:
        s = solve_precision(q, offers, market, out);
        break;
    case SOLVE_BUDGET:
        s.found = solve_gpu(q, SOLVE_GPU_LEAST_MONEY, offers, market, out);
        break;
    case SOLVE_GPUS:
        open.gpu_count = 0;
        plan_request(&open, market, out);
        s.found = out->verdict == VERDICT_FITS;
        if (!s.found && request_holds(&open, NULL, ODDS_LIKELY))
            s.likely = out->layout.gpus;
        return s;
    case SOLVE_NONE:
        break;
    }
    if (!s.found && s.likely <= 0 && !s.likely_precision && q->gpu) /* nobody may have named one */
        plan_request(q, market, out);
    return s;
}
