/*
 * solve.c - see solve.h.
 */
#include "plan/solve.h"

#include <math.h>
#include <string.h>

#include "plan/search.h"

#define MOST_TOKENS 1e9 /* what --context and --users take */
#define MOST_USERS 1e6

static const struct market no_market;

/* The largest value of the field that fits: on a layout, or, as every cut of a given count is
 * open, on any that the whole search finds. Nothing counts as fitting. */
static double solve_most(const struct request *q, enum solve field, const struct layout *layout)
{
    struct request r = *q;
    bool context = field == SOLVE_CONTEXT;
    double *value = context ? &r.context : &r.users;
    double unit = context ? q->engine->block : 1;
    double most = !context                    ? MOST_USERS
                  : q->model->max_context > 0 ? q->model->max_context
                                              : MOST_TOKENS;
    struct evaluation e;

    if (!context && layout && (q->max_num_seqs > 0 || q->engine->seqs_small > 0))
        most = fmin(memory_max_num_seqs(q) * layout->replicas, most);
    double low = 0, high = floor(most / unit) + 1;
    while (high - low > 1) {
        double mid = floor((low + high) / 2);

        *value = mid * unit;
        if (layout) {
            struct load load = load_sum(&r);

            evaluate(&r, &load, NULL, layout, &e);
        } else {
            search_layout(&r, &no_market, SEARCH_FEWEST_GPUS, &e);
        }
        *(e.verdict == VERDICT_FITS ? &low : &high) = mid;
    }
    return low * unit;
}

double solve_context(const struct request *q, const struct layout *layout)
{
    return solve_most(q, SOLVE_CONTEXT, layout);
}

double solve_users(const struct request *q, const struct layout *layout)
{
    return solve_most(q, SOLVE_USERS, layout);
}

/* With an open count: on the best layout for the smallest value, since a request that
 * needs less never needs more GPUs. */
static double solve_smallest(const struct request *q, enum solve field)
{
    struct request small = *q;
    struct evaluation e;

    if (field == SOLVE_CONTEXT)
        small.context = q->engine->block;
    else
        small.users = 1;
    search_layout(&small, &no_market, SEARCH_FEWEST_GPUS, &e);
    if (e.verdict != VERDICT_FITS)
        return 0;
    return solve_most(q, field, &e.layout);
}

static bool solve_field(const struct request *q, enum solve field, const struct trace *trace,
                        const struct market *market, struct plan *out)
{
    struct request best = *q;
    double value = q->gpu_count > 0 ? solve_most(q, field, NULL) : solve_smallest(q, field);

    if (value <= 0)
        return false;
    if (field == SOLVE_USERS)
        best.users = value;
    else if (!request_take_context(&best, value, trace))
        return false;
    plan_request(&best, market, out);
    return out->verdict == VERDICT_FITS;
}

static bool solve_precision(const struct request *q, const struct choices *offers,
                            const struct market *market, struct plan *out)
{
    for (int i = 0; i < offers->lower_count; i++) {
        struct request r = *q;

        request_take_precision(&r, &offers->lower[i]);
        plan_request(&r, market, out);
        if (out->verdict == VERDICT_FITS)
            return true;
    }
    return false;
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
        search_layout(&c.request, market, goal, &c.best);
        if (c.best.verdict != VERDICT_FITS ||
            (by != SOLVE_GPU_FEWEST && c.best.price.per_hour <= 0) ||
            (best.best.valid && !better_gpu(by, &c, &best)))
            continue;
        best = c;
    }
    if (best.best.valid)
        search_plan(&best.request, market, goal, out);
    return best.best.valid;
}

bool solve_has_limit(const struct request *q, enum solve field)
{
    return !q->model->weights_only || (field != SOLVE_CONTEXT && field != SOLVE_USERS);
}

bool solve_request(const struct request *q, enum solve field, const struct choices *offers,
                   const struct market *market, struct plan *out)
{
    struct request open = *q;
    bool done = false;

    switch (field) {
    case SOLVE_CONTEXT:
    case SOLVE_USERS:
        if (solve_has_limit(q, field)) {
            done = solve_field(q, field, offers->trace, market, out);
            break;
        }
        plan_request(q, market, out);
        return out->verdict == VERDICT_FITS;
    case SOLVE_PRECISION:
        done = solve_precision(q, offers, market, out);
        break;
    case SOLVE_BUDGET:
        done = solve_gpu(q, SOLVE_GPU_LEAST_MONEY, offers, market, out);
        break;
    case SOLVE_GPUS:
        open.gpu_count = 0;
        plan_request(&open, market, out);
        return out->verdict == VERDICT_FITS;
    case SOLVE_NONE:
        break;
    }
    if (!done && q->gpu) /* nobody may have named one */
        plan_request(q, market, out);
    return done;
}
