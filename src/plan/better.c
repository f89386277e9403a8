/*
 * better.c - see better.h.
 */
#include "plan/better.h"

#include <math.h>

#include "plan/place.h"
#include "plan/search.h"
#include "plan/solve.h"

#define CHEAPER 0.90 /* of the dollars per million, at most */
#define LONGER 1.25  /* times the TPOT, at most */
#define FULLER 2.0   /* the same with more users, or where as much is saved */
#define FASTER 0.85  /* of the TPOT, at most */
#define DEARER 2.5   /* times the dollars per hour, at most */
#define MOST_USERS 4096
#define USERS_STEPS 8
#define KINDS 7
#define OFF_HOST 2 /* of them, the first */

/* The best of what one kind of change leads to, for each aim. */
struct best {
    const struct plan *plan;
    const struct market *market;
    double per_million; /* of the plan; 0 = unknown */
    struct fix of[BETTER_COUNT];
    bool any[BETTER_COUNT];
};

double better_per_million(const struct fix *f)
{
    double rate = f->tokens * request_priced(&f->request);

    return f->per_hour > 0 && rate > 0 ? f->per_hour / 3600 / rate * 1e6 : 0;
}

const char *better_word(enum better better)
{
    static const char *const words[BETTER_COUNT] = {"", "cheaper", "fuller", "faster"};

    return words[better];
}

/* Like plan_pace(). */
static double pace_of(const struct fix *f)
{
    return f->request.model->pooling ? f->ttft : f->tpot;
}

/* Dollars per hour of the plan's GPUs, on a marketplace or bought where no list has them. */
static double own_price(const struct cost *c)
{
    return c->per_hour > 0   ? c->per_hour
           : c->market.known ? c->market.per_hour
           : c->buy.known    ? c->buy.per_hour.value
                             : 0;
}

/* own: the price of its GPUs, likewise. */
static enum better aim_of(const struct best *b, const struct fix *f, double own)
{
    const struct plan *asked = b->plan;
    bool pooling = asked->request.model->pooling;
    double pace = plan_pace(asked).value,
           asks = pooling ? asked->request.ttft : asked->request.tpot;
    double million = better_per_million(f);
    bool fuller = f->request.users > asked->request.users;
    bool dearer = f->cost_delta > 0.005, other = f->request.gpu != asked->request.gpu;
    bool cheaper = million > 0 && million <= CHEAPER * b->per_million && !dearer;
    double paid = own_price(&asked->cost), now = asked->speed.tokens.value,
           per_million = b->per_million;

    /* what nobody rents out is bought: of a count that was given it is there already */
    if (asked->cost.per_hour <= 0 && asked->request.gpu_count <= 0 && !other && !fuller &&
        own > 0 && f->tokens > 0 && now > 0) {
        million = own / f->tokens;
        per_million = paid / now;
        cheaper = f->gpus < asked->layout.gpus && million <= CHEAPER * per_million;
    }
    double longer = fuller || !cheaper ? FULLER : fmin(fmax(per_million / million, LONGER), FULLER);

    if (f->kind == FIX_CONTEXT || f->kind == FIX_KV)
        return !dearer && pace_of(f) <= FASTER * pace ? BETTER_FASTER : BETTER_NONE;
    double goal = asks > 0 ? asks : pace * longer;
    if (cheaper && pace_of(f) <= goal)
        return fuller ? BETTER_FULLER : BETTER_CHEAPER;
    if (pace_of(f) <= FASTER * pace &&
        (f->per_hour <= 0 || f->per_hour <= DEARER * paid || (paid <= 0 && !other)))
        return BETTER_FASTER;
    return BETTER_NONE;
}

/* Bits are given up for money: of two formats that save as much an hour the one with more of them
 * is better. */
static bool better_beats(const struct fix *a, const struct fix *b)
{
    if (a->better == BETTER_FASTER)
        return pace_of(a) < pace_of(b);
    if (a->kind == FIX_PRECISION && b->kind == FIX_PRECISION && a->cost_delta < -0.005 &&
        fabs(a->per_hour - b->per_hour) < 0.005)
        return a->request.precision.weight->bits > b->request.precision.weight->bits;
    double x = better_per_million(a), y = better_per_million(b);

    return x != y ? x < y : a->gpus < b->gpus;
}

/* Plans a proposal; where the plan has layers on the host, with as many there as it takes. */
static bool better_plan(const struct best *b, const struct request *q, struct evaluation *e,
                        struct plan *out)
{
    search_offer(q, b->market, SEARCH_FEWEST_GPUS, e);
    if (e->verdict == VERDICT_FITS) {
        struct request turned = evaluation_request(q, e);

        plan_layout(&turned, &e->layout, b->market, out);
        return true;
    }
    if (!b->plan->request.host_placed || q->gpu_count <= 0)
        return false;
    plan_request(q, b->market, out);
    place_request(q, b->market, out);
    return true;
}

/* False when it does not fit as surely as the plan does. */
static bool better_weigh(struct best *b, struct fix *f)
{
    struct evaluation e;
    struct plan p;

    if (!better_plan(b, &f->request, &e, &p))
        return false;
    if (p.verdict != VERDICT_FITS || p.speed.gap != SPEED_KNOWN ||
        (plan_spans(&p) && !plan_spans(b->plan)))
        return false;
    f->gpus = p.layout.gpus;
    f->per_hour = p.cost.per_hour;
    f->cost_known = f->per_hour > 0 && b->plan->cost.per_hour > 0;
    f->cost_delta = f->cost_known ? f->per_hour - b->plan->cost.per_hour : 0;
    f->gain = plan_margin(&p) - plan_margin(b->plan);
    f->tpot = p.speed.tpot.value;
    f->ttft = p.speed.ttft.value;
    f->tokens = p.speed.tokens.value;
    f->spans = plan_spans(&p);
    f->better = aim_of(b, f, own_price(&p.cost));
    if (f->better != BETTER_NONE && (!b->any[f->better] || better_beats(f, &b->of[f->better]))) {
        struct fix *best = &b->of[f->better];

        *best = *f;
        b->any[f->better] = true;
        if (f->changes & 1u << CHANGE_GPU)
            best->request.gpu_count = search_named_count(&f->request, &e, b->market);
        best->changes |= plan_keep_context(&b->plan->request, &best->request);
    }
    return true;
}

static struct fix better_begin(const struct plan *plan, enum fix_kind kind, enum change change)
{
    struct fix f = {.kind = kind, .request = plan->request, .changes = 1u << change};

    plan_untuned(plan, &f.request);
    return f;
}

/* Where the count was given: as many as it takes, and those that have a request, with layers on
 * the host as the plan has them. */
static void on_fewer_gpus(struct best *b)
{
    const struct plan *p = b->plan;
    const struct layout *l = &p->layout;
    struct fix f = better_begin(p, FIX_OPEN, CHANGE_GPU);
    int busy = l->gpus - l->gpus / l->replicas * plan_idle(p);

    if (p->request.gpu_count <= 0 || l->gpus == 1 || p->request.gpu->mix)
        return;
    f.changes |= plan_free_layout(&f.request);
    f.request.gpu_count = 0;
    if ((better_weigh(b, &f) && busy == f.gpus) || busy == l->gpus)
        return;
    f.request.gpu_count = busy;
    better_weigh(b, &f);
}

/* Of a count that TP does not divide as many as it does: two of three, four of six. */
static void on_some_of_them(struct best *b)
{
    const struct plan *p = b->plan;
    struct fix f = better_begin(p, FIX_LARGER_TP, CHANGE_TP);
    int tp = 1;

    if (p->request.gpu_count <= 0 || p->request.pp > 0 || p->layout.pp == 1 || plan_spans(p) ||
        p->request.gpu->mix)
        return;
    while (tp * 2 < p->layout.gpus)
        tp *= 2;
    if (tp == 1)
        return;
    f.changes |= plan_free_layout(&f.request) | 1u << CHANGE_GPU;
    f.request.tp = f.request.gpu_count = tp;
    better_weigh(b, &f);
}

/* By TP; where the engine put layers on the host, by what holds them. */
static void on_twice_as_many(struct best *b)
{
    const struct plan *p = b->plan;
    bool host = p->request.host_placed;
    struct fix f = better_begin(p, host ? FIX_GPU : FIX_LARGER_TP, host ? CHANGE_GPU : CHANGE_TP);

    /* where a pipeline spans hosts, TP may as well, over as many */
    int most = plan_spans(p) && p->layout.pp > 1 ? p->layout.gpus : request_domain(&f.request);

    if ((host ? p->layout.gpus : p->layout.tp) * 2 > most || gpu_is_alone(f.request.gpu) ||
        f.request.gpu->mix)
        return;
    if (host)
        f.changes |= plan_free_layout(&f.request);
    else
        f.request.tp = p->layout.tp * 2;
    if (f.request.gpu_count > 0) {
        f.request.gpu_count = p->layout.gpus * 2;
        f.changes |= 1u << CHANGE_GPU;
    }
    better_weigh(b, &f);
}

/* On the GPUs of the plan: from the most that the pool holds down by thirds, to the first
 * whose TPOT is still good enough. */
static void with_more_users(struct best *b)
{
    const struct request *asked = &b->plan->request;
    double most = fmin(solve_users(asked, &b->plan->layout), MOST_USERS);

    if (asked->rate > 0 || !isfinite(most))
        return;
    for (int i = 0; i < USERS_STEPS && most > asked->users && !b->any[BETTER_FULLER]; i++) {
        struct fix f = better_begin(b->plan, FIX_MORE_USERS, CHANGE_USERS);

        f.request.users = most;
        if (asked->gpu_count <= 0) {
            f.changes |= 1u << CHANGE_GPU;
            f.request.gpu_count = b->plan->layout.gpus;
        }
        better_weigh(b, &f);
        most = floor(most * 2 / 3);
    }
}

/* Where the engine put layers on the host: what takes them back, a shorter context first where
 * nobody asked for that one, else a KV cache of fewer bits. It has to hold the requests that are
 * described, or half of the context that was asked for. */
static void off_the_host(struct best kinds[OFF_HOST], const struct choices *choices)
{
    const struct plan *p = kinds[0].plan;
    const struct request *asked = &p->request;
    struct fix kv = better_begin(p, FIX_KV, CHANGE_KV);
    struct fix shorter = better_begin(p, FIX_CONTEXT, CHANGE_CONTEXT);
    bool usual = asked->context_auto;

    if (!asked->host_placed)
        return;
    if (choices->kv && asked->kv->bits > choices->kv->bits) {
        kv.request.kv = choices->kv;
        kv.request.kv_auto = false;
        better_weigh(&kinds[usual], &kv);
    }
    double context = solve_context(&shorter.request, &p->layout);
    double least = usual ? asked->prompt + asked->output : asked->context / 2;
    if (context >= least && context < asked->context &&
        request_take_context(&shorter.request, context, choices->trace))
        better_weigh(&kinds[!usual], &shorter);
}

static void better_keep(const struct best kinds[], int kind_count, enum better better,
                        struct fix out[PLAN_MAX_FIXES], int *count)
{
    int first = *count;

    for (int k = 0; k < kind_count && *count < PLAN_MAX_FIXES; k++) {
        int at = *count;

        if (!kinds[k].any[better])
            continue;
        for (; at > first && better_beats(&kinds[k].of[better], &out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = kinds[k].of[better];
        ++*count;
    }
    if (better == BETTER_FASTER && *count > first + 1)
        *count = first + 1; /* one says enough */
}

void plan_betters(const struct plan *plan, const struct choices *choices,
                  const struct market *market, struct fix out[PLAN_MAX_FIXES], int *count)
{
    struct best kinds[KINDS], *const rest = kinds + OFF_HOST;
    struct quantity million = plan_token_price(plan);

    if (plan->verdict != VERDICT_FITS || plan->speed.gap != SPEED_KNOWN)
        return;
    for (int k = 0; k < KINDS; k++)
        kinds[k] = (struct best){
            .plan = plan, .market = market, .per_million = million.known ? million.value : 0};
    /* A layout that was found for these GPUs, and not asked for, is as good as open. */
    for (int i = 0; i < choices->lower_count; i++) {
        struct fix f = better_begin(plan, FIX_PRECISION, CHANGE_PRECISION);

        request_take_precision(&f.request, &choices->lower[i]);
        better_weigh(&rest[0], &f);
    }
    for (size_t i = 0; i < choices->gpu_count; i++) {
        struct fix f = better_begin(plan, FIX_GPU, CHANGE_GPU);

        if (choices->gpus[i] == plan->request.gpu)
            continue;
        f.request = search_on(&f.request, choices->gpus[i], 0, market);
        f.changes |= plan_free_layout(&f.request);
        better_weigh(&rest[1], &f);
    }
    on_some_of_them(&rest[2]);
    on_twice_as_many(&rest[2]);
    /* of what lies on the host a second card of its kind holds more: that before another GPU */
    if (plan->request.host_placed && rest[2].any[BETTER_FASTER])
        rest[1].any[BETTER_FASTER] = false;
    with_more_users(&rest[3]);
    on_fewer_gpus(&rest[4]);
    off_the_host(kinds, choices);
    for (int k = 0; k < OFF_HOST && *count < PLAN_MAX_FIXES; k++)
        if (kinds[k].any[BETTER_FASTER])
            out[(*count)++] = kinds[k].of[BETTER_FASTER];
    for (int better = BETTER_CHEAPER; better < BETTER_COUNT; better++)
        better_keep(rest, KINDS - OFF_HOST, (enum better)better, out, count);
}
