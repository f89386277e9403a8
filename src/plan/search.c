/*
 * search.c - see search.h.
 */
#include "plan/search.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "plan/goals.h"
#include "plan/rules.h"
#include "plan/speed/host.h"

/* Tokens of one step that a search may turn to, and the request and load of each. */
static const double chunks[] = {512, 1024, 2048, 4096, 8192, 16384};
#define CHUNKS (sizeof(chunks) / sizeof(chunks[0]))

/* A request with options of the engine turned, and its load. */
struct setting {
    bool known;
    struct knobs knobs; /* of the ladder */
    bool smaller;       /* its share */
    struct request request;
    struct load load;
};

/* What is turned before more GPUs or a slower layout are taken, the mildest first: slots that the
 * load does not need, a larger share of the memory, the tokens of a step, the graphs; and a
 * smaller share where it leaves too little beside it: of SGLang, whose own share rises with fewer
 * slots, the largest that leaves enough. */
#define SHARE_LEFT (-1)
static const struct {
    struct knobs knobs;
    bool smaller;
} ladder[] = {
    {{.utilization = 0.90}, true},
    {{.utilization = 0.85}, true},
    {{.utilization = 0.80}, true},
    {{.utilization = 0.70}, true},
    {{.seqs = 256}, false},
    {{.seqs = 128}, false},
    {{.seqs = 64}, false},
    {{.seqs = 64, .utilization = 0.95}, false},
    {{.seqs = 64, .tokens = 4096, .utilization = 0.95}, false},
    {{.seqs = 32, .tokens = 2048, .utilization = 0.95}, false},
    {{.seqs = 32, .tokens = 1024, .utilization = 0.95}, false},
    {{.seqs = 32, .tokens = 1024, .utilization = SHARE_LEFT}, true},
    {{.seqs = 32, .tokens = 1024, .utilization = 0.95, .eager = true}, false},
};
#define MOST_UTILIZATION 0.95 /* of them */
#define LADDER (sizeof(ladder) / sizeof(ladder[0]))

/* Of a thread, as nothing that is planned knows on whose behalf it is. */
static _Thread_local const atomic_bool *abandon;

void search_abandon(const atomic_bool *flag)
{
    abandon = flag;
}

bool search_abandoned(void)
{
    return abandon && atomic_load_explicit(abandon, memory_order_relaxed);
}

/* How a cut is looked at: one tier after the other, until something fits. */
enum tier {
    TIER_HOST,    /* each group of GPUs in one host */
    TIER_HOSTS,   /* over whole hosts */
    TIER_UNUSUAL, /* what people do not run */
    TIER_COUNT
};

struct cut {
    int tp, pp, ep;
    int tier;       /* enum tier */
    bool fixed;     /* its fewest replicas are judged, and no options change that verdict */
    bool valid;     /* it was looked at, and is; where prompts are apart each split is checked */
    bool slow;      /* however often it is copied, it misses a goal, and no more stages mend that */
    size_t shallow; /* the cut of fewer stages, otherwise the same; its own place: none */
};

#define WAYS 240 /* a number up to a million has no more divisors */

struct search {
    const struct request *request;
    struct load load;
    struct step_load step;    /* of it, where there are goals of speed */
    struct serve_cut step_of; /* the layout that was judged last */
    struct stages_kept kept;
    struct prices prices;
    enum search_goal goal;
    const enum worse_by *order;
    bool fits_only;                 /* how near the rest comes is not asked */
    bool no_rest;                   /* nor which layout does */
    bool offers_only;               /* nor what is marginal */
    bool together;                  /* nor what spreads a request over machines */
    double heaviest;                /* bytes of a GPU that weights may take */
    double per_hour;                /* dollars and GPUs: what takes more of both is of no use */
    int gpus;                       /* ... */
    int most;                       /* GPUs that are of use */
    struct evaluation best, second; /* second: the best that fits with another TP or PP */
    bool any, has_second;
    struct layout marginal;  /* of the fewest GPUs, then stages; gpus 0 = none seen */
    int fewest;              /* GPUs of what fits; INT_MAX = nothing does */
    struct setting *chunked; /* CHUNKS; NULL: the engine's options are as asked */
    struct setting *turned;  /* steps of the ladder that differ; NULL: likewise */
    int steps;               /* how many */
    uint64_t tp_valid;       /* bit n: TP alone may cut n GPUs of a host */
    uint64_t tp_known;       /* ... of those that were asked for */
    struct cut *cuts;        /* that may be, fewer stages first: those of less than `stages` */
    size_t cut_count, cut_cap;
    int stages;
    int ways[WAYS], way_count; /* EP that may be */
    size_t shallow;            /* where the cut of a stage less than the next one is looked for */
    bool one_chunk;            /* prompts are, so that more stages work them off no sooner */
    struct cut *first;         /* whose first layout is judged next; NULL = of none */
    int tier;                  /* enum tier: what is looked at */
    bool against;              /* of it what pays off against the best of the others */
    bool has_usual;
    struct evaluation usual; /* that, whether it fits or not */
    double least;            /* of what counts most, for what people do not run; 0 = anything */
    struct evaluation slow;  /* the nearest miss of those that need less than the best */
    bool has_slow;
    struct search_seen *seen; /* what searches of the same before this one evaluated; NULL: none */
};

/* The engine's options as asked, or turned: settings[] of a ladder, then chunks[]. */
enum { SETTING_OWN = -1, SETTING_CHUNK = LADDER };

/* An evaluation that is kept: of which request, layout and setting. */
struct seen {
    int gpu_count, goals, fits_only, tp, pp, ep, replicas, setting; /* tp 0: none */
    struct evaluation e;
};

struct search_seen {
    struct seen *item; /* cap of them, by hash; owned */
    size_t count, cap; /* cap: a power of two */
};

#define SEEN_KEY (offsetof(struct seen, setting) + sizeof(int)) /* bytes */

static struct seen *seen_slot(const struct search_seen *t, const struct seen *key)
{
    size_t i = (size_t)gp_hash(GP_HASH, key, SEEN_KEY) & (t->cap - 1);

    while (t->item[i].tp > 0 && memcmp(&t->item[i], key, SEEN_KEY) != 0)
        i = (i + 1) & (t->cap - 1);
    return &t->item[i];
}

static void seen_keep(struct search_seen *t, const struct seen *seen)
{
    if (2 * (t->count + 1) > t->cap) {
        struct search_seen more = {.count = t->count, .cap = t->cap > 0 ? 2 * t->cap : 256};

        more.item = gp_calloc(more.cap, sizeof(*more.item));
        for (size_t i = 0; i < t->cap; i++)
            if (t->item[i].tp > 0)
                *seen_slot(&more, &t->item[i]) = t->item[i];
        free(t->item);
        *t = more;
    }
    *seen_slot(t, seen) = *seen;
    t->count++;
}

struct search_seen *search_seen_new(void)
{
    return gp_calloc(1, sizeof(struct search_seen));
}

void search_seen_free(struct search_seen *seen)
{
    if (seen)
        free(seen->item);
    free(seen);
}

/* Do so few replicas miss goals of percentiles, as a replay has shown? */
static bool misses_late(const struct search *s, const struct layout *l)
{
    return !s->request->split && late_least(s->request, l) > l->replicas;
}

/* evaluate() with the options as asked, or, at `setting`, those of c; once for all searches. */
static void search_judge(struct search *s, int setting, const struct setting *c,
                         const struct layout *l, struct evaluation *e)
{
    const struct request *q = s->request;
    struct seen key = {.gpu_count = q->gpu_count,
                       .goals = q->goals,
                       .fits_only = s->fits_only,
                       .tp = l->tp,
                       .pp = l->pp,
                       .ep = l->ep,
                       .replicas = l->replicas,
                       .setting = setting};
    const struct seen *kept = s->seen && s->seen->cap > 0 ? seen_slot(s->seen, &key) : NULL;

    if (kept && kept->tp > 0) {
        *e = kept->e;
    } else {
        evaluate(c ? &c->request : q, c ? &c->load : &s->load, &s->prices, l, e);
        if (s->seen) {
            key.e = *e;
            seen_keep(s->seen, &key);
        }
    }
    if (!misses_late(s, l) || e->verdict > VERDICT_MARGINAL)
        return;
    if (e->verdict <= VERDICT_SLOW) { /* since it was kept */
        e->reasons |= REASON_BIT(REASON_TTFT_LATE);
        e->verdict = reasons_verdict(e->reasons);
        e->limit = reasons_limit(e->reasons);
    }
    e->miss = fmax(e->miss, late_miss(q, l));
}

static bool search_fits(const struct search *s)
{
    return s->any && s->best.verdict == VERDICT_FITS;
}

/* ---- which of two is better ---- */

/* The order of search.h: each key a number of which less is better. */
#define KEYS 11
enum { ORDER_COUNTED = SEARCH_LEAST_MONEY + 1 }; /* of GPUs whose count was given */
static const enum worse_by orders[][KEYS] = {
    [SEARCH_FEWEST_GPUS] = {WORSE_PAID, WORSE_IDLE, WORSE_MACHINES, WORSE_MONEY, WORSE_UNSURE,
                            WORSE_TOKENS, WORSE_OPTIONS, WORSE_STAGES, WORSE_GPUS, WORSE_REPLICAS,
                            WORSE_EXPERTS},
    [ORDER_COUNTED] = {WORSE_PAID, WORSE_IDLE, WORSE_MACHINES, WORSE_UNSURE, WORSE_TOKENS,
                       WORSE_OPTIONS, WORSE_STAGES, WORSE_GPUS, WORSE_MONEY, WORSE_REPLICAS,
                       WORSE_EXPERTS},
    [SEARCH_LEAST_MONEY] = {WORSE_MONEY, WORSE_PAID, WORSE_IDLE, WORSE_MACHINES, WORSE_UNSURE,
                            WORSE_TOKENS, WORSE_OPTIONS, WORSE_STAGES, WORSE_GPUS, WORSE_REPLICAS,
                            WORSE_EXPERTS},
};

/* GPUs that are rented; where none are, those that it takes. */
static int gpus_paid(const struct evaluation *e)
{
    return e->price.gpus > 0 ? e->price.gpus : e->layout.gpus;
}

/* Tokens/s of the load that is asked. Of a rate all that serve it make as many: those of a user. */
static double speed_of(const struct search *s, const struct evaluation *e)
{
    double pace = s->request->model->pooling ? e->ttft : e->tpot;

    if (s->request->rate > 0)
        return pace > 0 ? 1 / pace : 0;
    return e->tokens;
}

static double key_of(const struct search *s, const struct evaluation *e, enum worse_by key)
{
    switch (key) {
    case WORSE_MONEY:
        return e->price.per_hour > 0 ? round(e->price.per_hour * 100) / 100 : INFINITY;
    case WORSE_PAID:
        return gpus_paid(e);
    case WORSE_GPUS:
        return e->layout.gpus;
    case WORSE_IDLE:
        return s->request->rate <= 0 && e->layout.replicas > s->request->users;
    case WORSE_MACHINES:
        if (e->price.rented)
            return e->price.apart ? 2 : 0;
        return layout_widest(&e->layout) <= request_tp_domain(s->request) ? 1 : 2;
    case WORSE_STAGES:
        return e->layout.pp;
    case WORSE_TOKENS: /* in steps of 5 %, so that nothing is turned for less */
        return speed_of(s, e) > 0 ? -floor(log(speed_of(s, e)) * 20) : 0;
    case WORSE_UNSURE:
        return e->sure < 0;
    case WORSE_OPTIONS:
        return knobs_any(&e->turned);
    case WORSE_REPLICAS:
        return e->layout.replicas;
    case WORSE_EXPERTS:
        return e->layout.ep;
    case WORSE_GOAL:
    case WORSE_NOTHING:
    case WORSE_COUNT:
        break;
    }
    return 0;
}

/* The first key in which a and b differ, and by how much b is worse. */
static enum worse_by deciding_key(const struct search *s, const struct evaluation *a,
                                  const struct evaluation *b, double *more)
{
    for (int k = 0; k < KEYS; k++) {
        enum worse_by key = s->order[k];
        double x = key_of(s, a, key), y = key_of(s, b, key);

        *more = y - x;
        if ((key == WORSE_TOKENS && (speed_of(s, a) <= 0 || speed_of(s, b) <= 0)) ||
            (key == WORSE_UNSURE && (a->sure == 0 || b->sure == 0)))
            continue;
        if (x != y)
            return key;
    }
    *more = 0;
    return WORSE_NOTHING;
}

static bool better_fit(const struct search *s, const struct evaluation *a,
                       const struct evaluation *b)
{
    double more;

    deciding_key(s, a, b, &more);
    return more > 0;
}

/* Do a and b differ in nothing that counts more than their speed? */
static bool ties_to_speed(const struct search *s, const struct evaluation *a,
                          const struct evaluation *b)
{
    for (const enum worse_by *key = s->order; *key != WORSE_UNSURE; key++)
        if (key_of(s, a, *key) != key_of(s, b, *key))
            return false;
    return true;
}

/* What a layout produces, worked out where it first decides. */
static void judge_tokens(struct search *s, struct evaluation *e)
{
    if (e->tokens != 0)
        return;
    if (knobs_any(&e->turned)) {
        struct request r = evaluation_request(s->request, e);
        struct load load = s->load;

        load_turn(&r, &load);
        load.step = NULL;
        e->tokens = evaluate_tokens(&r, &load, &e->layout);
    } else {
        if (!s->load.step) {
            step_load_sum(s->request, &s->load, &s->step);
            s->load.step = &s->step;
            s->load.cut_step = &s->step_of;
        }
        e->tokens = evaluate_tokens(s->request, &s->load, &e->layout);
    }
    e->tokens = e->tokens > 0 ? e->tokens : -1; /* unknown, and not asked again */
}

/* Does it meet the goals of speed by the whole band? Likewise. */
static void judge_sure(const struct search *s, struct evaluation *e)
{
    struct request r = evaluation_request(s->request, e);
    struct load load = s->load;
    struct evaluation sure;

    if (e->sure != 0 || r.goals == GOALS_SURE || !request_has_goals(&r))
        return;
    r.goals = GOALS_SURE;
    r.budget = 0;
    load_turn(&r, &load);
    load.step = r.eager == s->request->eager ? load.step : NULL;
    evaluate(&r, &load, NULL, &e->layout, &sure);
    e->sure = sure.verdict == VERDICT_FITS ? 1 : -1;
}

static double rank_of(double miss)
{
    return ceil(log(miss) / log(1.25));
}

static bool lacks_memory(const struct evaluation *p)
{
    return p->limit == LIMIT_WEIGHTS || p->limit == LIMIT_OVERHEAD || p->limit == LIMIT_KV;
}

/* Of two that are marginal: what starts where all is as expected, what is surer, fewer GPUs or
 * less money, and of as many what is likelier, by steps of a tenth: for less no layout is
 * turned. */
static bool more_likely(const struct search *s, const struct evaluation *a,
                        const struct evaluation *b)
{
    double x = evaluation_likely(&s->load, a), y = evaluation_likely(&s->load, b);
    enum worse_by first = s->order[0];

    if ((x >= 0.5) != (y >= 0.5))
        return x >= 0.5;
    if (a->binding.state != b->binding.state)
        return a->binding.state < b->binding.state;
    if (key_of(s, a, first) == key_of(s, b, first) && floor(x * 10) != floor(y * 10))
        return x > y;
    return better_fit(s, a, b);
}

/* A better verdict first; of what is marginal, what is likelier to start; of what does not
 * fit, what exceeds the power cap alone, then what misses the least. */
static bool search_better(const struct search *s, const struct evaluation *a,
                          const struct evaluation *b)
{
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict;
    /* where no layout reaches the goals of speed: much nearer ones first, by steps of a
     * fourth, so that many more GPUs are not taken for a little */
    if (a->verdict == VERDICT_SLOW && rank_of(a->miss) != rank_of(b->miss))
        return rank_of(a->miss) < rank_of(b->miss);
    if (a->verdict == VERDICT_MARGINAL)
        return more_likely(s, a, b);
    if (a->verdict == VERDICT_DOES_NOT_FIT &&
        (a->limit == LIMIT_POWER) != (b->limit == LIMIT_POWER))
        return a->limit == LIMIT_POWER;
    if (a->verdict == VERDICT_DOES_NOT_FIT && lacks_memory(a) && lacks_memory(b) &&
        a->margin != b->margin)
        return a->margin > b->margin;
    return better_fit(s, a, b);
}

static bool same_cut(const struct evaluation *a, const struct evaluation *b)
{
    return a->layout.tp == b->layout.tp && a->layout.pp == b->layout.pp;
}

static void take_second(struct search *s, const struct evaluation *e)
{
    s->second = *e;
    s->has_second = true;
}

/* Fewer GPUs, or as many in fewer stages. */
static bool is_smaller(const struct layout *a, const struct layout *b)
{
    return a->gpus < b->gpus || (a->gpus == b->gpus && a->pp < b->pp);
}

/* May it start, and reach the goals of speed where there are any? */
static bool may_do(const struct evaluation *e)
{
    return e->verdict == VERDICT_MARGINAL && e->miss <= 1;
}

/* Is what people do not run worth it, beside the best of what they run? In fewer machines or a
 * smaller slice for much less money, or for a price where that has none; without a price in fewer
 * machines. */
static bool pays_off(const struct search *s, const struct evaluation *e)
{
    const struct evaluation *u = &s->usual;
    bool fewer = e->layout.hosts < u->layout.hosts, less = gpus_paid(e) < gpus_paid(u);

    if (e->price.per_hour <= 0)
        return fewer;
    return (u->price.per_hour <= 0 ||
            e->price.per_hour <= COST_MUCH_LESS * u->price.per_hour + 0.005) &&
           (fewer || less);
}

#define NEARER 1.25 /* times, at least, likewise */

/* Is it too slow, as the best of what people run, and not much nearer to the goals? */
static bool is_no_nearer(const struct search *s, const struct evaluation *e)
{
    return s->tier == TIER_UNUSUAL && s->has_usual && e->verdict == VERDICT_SLOW &&
           s->usual.verdict == VERDICT_SLOW && e->miss * NEARER > s->usual.miss;
}

/* Files one judged layout among what was seen. */
static void search_consider(struct search *s, struct evaluation *e)
{
    bool fits = e->verdict == VERDICT_FITS;

    if ((s->against && !pays_off(s, e)) || is_no_nearer(s, e) || (s->together && e->price.apart))
        return;
    if (fits && search_fits(s) && ties_to_speed(s, e, &s->best)) {
        judge_tokens(s, &s->best);
        judge_tokens(s, e);
        judge_sure(s, &s->best);
        judge_sure(s, e);
    }

    if (fits && e->layout.gpus < s->fewest)
        s->fewest = e->layout.gpus;
    if (may_do(e) && (s->marginal.gpus == 0 || is_smaller(&e->layout, &s->marginal)))
        s->marginal = e->layout;
    if (!s->any || search_better(s, e, &s->best)) {
        if (search_fits(s) && !same_cut(e, &s->best))
            take_second(s, &s->best);
        s->best = *e;
        s->any = true;
    } else if (fits && !same_cut(e, &s->best) && (!s->has_second || better_fit(s, e, &s->second))) {
        take_second(s, e);
    }
}

/* ---- what is looked at ---- */

/* Does it need less of what counts most than the best so far? */
static bool needs_less(const struct search *s, const struct evaluation *e)
{
    enum worse_by first = s->order[0];

    return !search_fits(s) || key_of(s, e, first) < key_of(s, &s->best, first);
}

/* As much will do where the best one's steps were turned, too. */
static bool could_win(const struct search *s, const struct evaluation *e)
{
    enum worse_by first = s->order[0];

    return needs_less(s, e) ||
           (s->best.chunk > 0 && key_of(s, e, first) == key_of(s, &s->best, first));
}

/* The tokens of a prompt that one step takes. */
static double prompt_step(const struct request *q, double chunk)
{
    return fmin(fmax(q->prompt * (1 - q->prefix_hit), 1), chunk);
}

static const struct setting *search_chunked(struct search *s, size_t i)
{
    struct setting *c = &s->chunked[i];

    if (!c->known) {
        c->request = *s->request;
        c->request.max_batched_tokens = chunks[i];
        c->load = load_sum(&c->request);
        c->load.step = &s->step;
        c->load.cut_step = &s->step_of;
        c->load.fits_only = true;
        c->load.cut_valid = s->load.cut_valid;
        c->known = true;
    }
    return c;
}

/* Do steps of chunks[i] reach the goals? */
static bool search_reaches(struct search *s, size_t i, const struct layout *l, struct evaluation *e)
{
    struct evaluation turned;
    const struct setting *c = search_chunked(s, i);

    search_judge(s, SETTING_CHUNK + (int)i, c, l, &turned);
    if (turned.verdict != VERDICT_FITS)
        return false;
    *e = turned;
    e->chunk = chunks[i];
    return true;
}

/* Other steps for what misses its goals with those of the engine, larger ones first, the
 * nearest first; those alone that cut a prompt in another way. */
static void turn_chunk(struct search *s, const struct layout *l, struct evaluation *e)
{
    const struct request *q = s->request;
    double usual = prompt_step(q, s->load.max_batched_tokens), last = usual;

    for (size_t i = 0; i < CHUNKS; i++) {
        double step = prompt_step(q, chunks[i]);

        if (step > last && search_reaches(s, i, l, e))
            return;
        last = fmax(last, step);
    }
    for (size_t i = CHUNKS; i-- > 0;)
        if (prompt_step(q, chunks[i]) < usual && search_reaches(s, i, l, e))
            return;
}

/* ---- what cannot be reached ---- */

#define CLOSE 1e-5     /* of a goal, as near as figures under load are solved for */
#define CALIBRATED 0.8 /* where points of the device bend the law, more users may be faster */

/* How many times worse than a goal of speed any number of replicas of l stays, in steps of
 * whatever size; at most 1: it may reach them all. */
static double least_miss(struct search *s, const struct layout *l)
{
    const struct request *q = s->request;
    double ttft, tpot, miss = 0, other;
    const struct step *step;

    if (q->rate > 0 && q->throughput > q->rate * q->output)
        miss = q->throughput / (q->rate * q->output);
    bool late = late_asked(q);
    if ((q->ttft <= 0 && q->tpot <= 0 && q->throughput <= 0 && !late) || s->step.gap != SPEED_KNOWN)
        return miss;
    step = serve_cut(&s->step_of, &s->step, l);
    if (step->gap != SPEED_KNOWN)
        return 0;
    speed_least(q, &s->load, l, step, &ttft, &tpot);
    for (size_t i = 0; s->chunked && q->max_batched_tokens <= 0 && i < CHUNKS; i++) {
        speed_least(q, &search_chunked(s, i)->load, l, step, &other, &tpot);
        ttft = fmin(ttft, other);
    }
    double most = q->users * q->output / (ttft + fmax(q->output - 1, 0) * tpot);
    struct goal_ends end = goals_ends(q, step, NULL, 1); /* with more at once they are further */
    if (q->split && q->tp <= 0) /* prompts may be worked off in a larger TP */
        ttft = 0;
    miss = fmax(miss, q->ttft > 0 ? ttft * end.ttft / q->ttft : 0);
    miss = fmax(miss, q->tpot > 0 ? tpot * end.tpot / q->tpot : 0);
    if (late && late_mean_ttft(q) > 0)
        miss = fmax(miss, ttft / late_mean_ttft(q));
    if (late && late_mean_tpot(q) > 0)
        miss = fmax(miss, tpot / late_mean_tpot(q));
    miss = fmax(miss, q->rate <= 0 ? q->throughput * end.tpot / most : 0);
    return miss * (q->gpu->family->calib ? CALIBRATED : 1);
}

/* Misses the goals however often it is copied, and is nothing that an answer names. */
static bool is_hopeless(const struct search *s, double least)
{
    if (least <= 1 + CLOSE)
        return false;
    if (s->fits_only)
        return true;
    if (search_fits(s))
        return !s->chunked || (s->has_slow && s->slow.miss <= least);
    return s->any && s->best.verdict == VERDICT_SLOW && rank_of(least) > rank_of(s->best.miss);
}

/* GPUs that replicas of l take at least: where prompts may be worked off in a TP of their
 * own, what is left of the last need not be taken. */
static int least_gpus(const struct request *q, const struct layout *l)
{
    int all = layout_gpus(l);

    return evaluate_sides(q, l) ? all - (l->tp - 1) * l->pp : all;
}

/* The most replicas that so many GPUs hold. */
static int most_replicas(const struct request *q, const struct layout *l, int gpus)
{
    int each = l->tp * l->pp;

    return evaluate_sides(q, l) ? (gpus + each - l->pp) / each : gpus / each;
}

/* What a replica needs outside its pool depends on its users: logits of all of them, or
 * llama.cpp's graph over all their cells. */
static bool users_cost_more(const struct request *q)
{
    return q->engine->compute_graph.known || q->engine->logit_rows == ROWS_USERS;
}

/* Does a request lack more than options of the engine can free? They free no more than what it
 * takes besides weights and KV, and what the share leaves. */
static bool lacks_too_much(const struct search *s, const struct evaluation *e)
{
    const struct binding *b = &e->binding;

    return b->each - b->pool.high >
           b->overhead.high + s->load.usable.high * fmax(MOST_UTILIZATION - s->load.fraction, 0);
}

/* Could they make it fit? */
static bool may_turn(const struct search *s, const struct evaluation *e)
{
    return e->valid && !lacks_too_much(s, e) &&
           (e->queues || e->limit == LIMIT_WEIGHTS || e->limit == LIMIT_OVERHEAD ||
            e->limit == LIMIT_KV || e->limit == LIMIT_STATES);
}

/* Is what it misses no memory? More replicas then lack none either; no option is to be turned. */
static bool has_memory(const struct evaluation *e)
{
    return e->verdict <= VERDICT_MARGINAL && !e->queues && e->limit != LIMIT_WEIGHTS &&
           e->limit != LIMIT_OVERHEAD && e->limit != LIMIT_KV && e->limit != LIMIT_STATES;
}

/* What neither options nor more replicas change; what one request lacks among it. */
static bool is_fixed(const struct search *s, const struct evaluation *e)
{
    const struct request *q = s->request;
    bool open = q->gpu_count == 0 && q->replicas <= 0;

    return e->verdict == VERDICT_FITS || (!open && !may_turn(s, e)) || !e->valid ||
           e->limit == LIMIT_TYPE || e->limit == LIMIT_CONTEXT || e->limit == LIMIT_USED ||
           (lacks_too_much(s, e) && (e->limit == LIMIT_WEIGHTS || !users_cost_more(q)));
}

/* Is it too slow, or does a rate pile up to more requests at once than there are slots, as other
 * steps may change? */
static bool may_quicken(const struct request *q, const struct evaluation *e)
{
    return e->verdict == VERDICT_SLOW || (q->rate > 0 && e->limit == LIMIT_SEQS);
}

/* Judges one layout; false when it is not valid. */
static bool try_layout(struct search *s, const struct layout *l, struct evaluation *e)
{
    if (misses_late(s, l)) { /* nothing else of it counts */
        s->first = NULL;
        *e = (struct evaluation){.layout = *l,
                                 .valid = true,
                                 .verdict = VERDICT_SLOW,
                                 .limit = reasons_limit(REASON_BIT(REASON_TTFT_LATE)),
                                 .miss = late_miss(s->request, l)};
        return true;
    }
    search_judge(s, SETTING_OWN, NULL, l, e);
    if (s->first) {
        s->first->fixed = is_fixed(s, e);
        s->first = NULL;
    }
    if (s->chunked && may_quicken(s->request, e) && could_win(s, e)) {
        if (e->verdict == VERDICT_SLOW && needs_less(s, e) &&
            !(s->has_slow && s->slow.miss <= e->miss)) {
            s->slow = *e;
            s->has_slow = true;
        }
        if (s->request->max_batched_tokens <= 0 && e->limit != LIMIT_BUDGET)
            turn_chunk(s, l, e);
    }
    if (e->valid)
        search_consider(s, e);
    return e->valid;
}

/* More GPUs than this cannot be best, or second where that is asked: all that a layout
 * takes are paid. */
static int most_gpus(const struct search *s)
{
    if (s->goal != SEARCH_FEWEST_GPUS)
        return s->most;
    if (s->chunked && search_fits(s))
        return gpus_paid(&s->best) - (s->best.chunk > 0 ? 0 : 1);
    if ((s->turned || s->against || s->fits_only) && search_fits(s))
        return gpus_paid(&s->best);
    return s->has_second ? gpus_paid(&s->second) : s->most;
}

int search_most_stages(const struct request *q)
{
    int most = q->max_pp > 0 ? q->max_pp : SEARCH_MAX_PP;
    int layers = q->model->layer_count > 1 ? q->model->layer_count : 1;

    return most < layers ? most : layers;
}

static int least_replicas(int tp, int ep)
{
    struct layout l = {.tp = tp, .pp = 1, .ep = ep};

    return layout_group(&l) / tp;
}

/* As few as give each replica no more users than it holds: in the pool, in the memory that is
 * left outside of it, and in the slots; 0 = no number does. What a replica needs does not
 * depend on how many there are. */
static int replicas_for(const struct search *s, const struct binding *b, double pool, double free,
                        int step)
{
    double held = s->load.max_num_seqs;

    if (b->each > 0)
        held = fmin(memory_requests_held(b, fmin(pool, free + b->reserved)), held);
    double replicas = held >= 1 ? ceil(s->request->users / held) : 0;

    return (int)fmin(ceil(replicas / step) * step, PLAN_MAX_GPUS + 1);
}

/* Adds replicas until the users fit for sure. Each number is the least that the stage
 * which binds at the one before allows, so that the first that fits is the fewest. Then
 * once what the high ends of the bands say, which may be marginal. */
static void try_replicas(struct search *s, struct layout l, int step)
{
    struct evaluation e;
    const struct binding *b = &e.binding;
    int most = most_gpus(s) / (l.tp * l.pp), first = l.replicas;

    if (!try_layout(s, &l, &e))
        return;
    int perhaps = replicas_for(s, b, b->pool.high, b->free.high, step);
    bool rounded = false; /* a quotient may come out one too few */
    while (e.verdict != VERDICT_FITS) {
        int next = replicas_for(s, b, b->pool.low, b->free.low, step);

        if (next <= l.replicas && (rounded || next == 0))
            break;
        rounded = next <= l.replicas;
        l.replicas = rounded ? l.replicas + step : next;
        if (l.replicas > most)
            break;
        try_layout(s, &l, &e);
    }
    if (e.verdict != VERDICT_FITS && perhaps > first && perhaps <= most) {
        l.replicas = perhaps;
        try_layout(s, &l, &e);
    }
}

/* The fewest replicas in (low, high] of a verdict no worse than `worst`; high has one. */
static void bisect_replicas(struct search *s, struct layout l, int step, int low,
                            enum verdict worst)
{
    int high = l.replicas;
    struct evaluation e;

    while (high - low > step) {
        l.replicas = low + (high - low) / step / 2 * step;
        bool enough = try_layout(s, &l, &e) && e.verdict <= worst;
        *(enough ? &high : &low) = l.replicas;
    }
}

/* ---- the engine's own options ---- */

/* A step of the ladder without what was asked for, is no change, or what the load has no room
 * for: a slot for each user, and tokens of a step for each slot. */
static struct knobs search_knobs(const struct search *s, size_t i)
{
    const struct request *q = s->request;
    struct knobs k = ladder[i].knobs;
    double users = ceil(q->users / (q->replicas > 0 ? q->replicas : 1));

    while (k.seqs > 0 && k.seqs < users && k.seqs < s->load.max_num_seqs)
        k.seqs *= 2;
    if (q->max_num_seqs > 0 || q->rate > 0 || q->draft_tokens > 0 || k.seqs >= s->load.max_num_seqs)
        k.seqs = 0;
    double seqs = k.seqs > 0 ? k.seqs : s->load.max_num_seqs;
    if (q->max_batched_tokens > 0 || k.tokens >= s->load.max_batched_tokens || k.tokens < seqs)
        k.tokens = 0;
    enum budget budget = memory_budget(q);
    bool larger = budget == BUDGET_UTILIZATION && k.utilization > s->load.fraction;
    bool left = k.utilization == SHARE_LEFT && budget == BUDGET_STATIC;
    bool smaller = left || ((budget == BUDGET_STATIC || budget == BUDGET_UTILIZATION) &&
                            k.utilization > 0 && k.utilization < s->load.fraction);

    if (q->utilization > 0 || !(ladder[i].smaller ? smaller : larger))
        k.utilization = 0;
    if (!engine_has_eager(q->engine) || q->gpu->host)
        k.eager = false;
    return k;
}

/* The steps of the ladder that turn something, each another than the one before: of options
 * that were asked for, or are no more than that by themselves, none does. */
static void search_ladder(struct search *s, struct setting list[LADDER])
{
    struct knobs last = {0};

    s->steps = 0;
    for (size_t i = 0; i < LADDER; i++) {
        struct knobs k = search_knobs(s, i);

        if ((k.seqs == last.seqs && k.tokens == last.tokens && k.utilization == last.utilization &&
             k.eager == last.eager) ||
            (ladder[i].smaller && k.utilization == 0))
            continue;
        list[s->steps].known = false;
        list[s->steps].smaller = ladder[i].smaller;
        list[s->steps++].knobs = last = k;
    }
}

static const struct setting *search_setting(struct search *s, int i)
{
    struct setting *c = &s->turned[i];

    if (!c->known) {
        c->request = *s->request;
        request_turn(&c->request, &c->knobs);
        c->load = s->load;
        load_turn(&c->request, &c->load);
        if (c->request.eager != s->request->eager)
            c->load.step = NULL; /* its steps are others */
        c->known = true;
    }
    return c;
}

/* The step *c with the largest share, in percent, that leaves room beside it for what e, judged
 * with the engine's own, lacks; false: it lacks nothing there. */
static bool share_left(const struct search *s, const struct layout *l, const struct evaluation *e,
                       const struct setting *c, struct setting *out)
{
    const struct binding *b = &e->binding;
    double own = memory_fraction(&c->request, &c->load, l);
    double share = floor(100 * own * (1 + b->spare.low / b->budget.low)) / 100;

    if (!(b->spare.low < 0) || !(share > 0))
        return false;
    *out = *c;
    out->request = *s->request;
    out->knobs.utilization = share;
    request_turn(&out->request, &out->knobs);
    out->load = s->load;
    load_turn(&out->request, &out->load);
    return true;
}

/* The mildest step of the ladder with which l fits; where nothing does yet, those that may.
 * Where none does, *e is the step that comes nearest: the last ones may leave too little beside
 * the budget. *lacks: one of them lacks memory for its users alone. */
static bool turn_options(struct search *s, const struct layout *l, struct evaluation *e,
                         bool *lacks)
{
    const struct setting *most = search_setting(s, s->steps - 1);
    struct evaluation last, nearest;
    struct setting left;
    bool seen = false;

    *lacks = false;
    /* Each step leaves more room than those before: where the last leaves too little, none does.
     * At a rate more requests run at once in slower steps. */
    uint64_t rest = REASON_BIT(REASON_REST_LACKS) | REASON_BIT(REASON_REST_TIGHT);

    if (s->request->rate <= 0 && !(e->reasons & rest)) {
        search_judge(s, s->steps - 1, most, l, &last);
        if (last.verdict == VERDICT_DOES_NOT_FIT && !(last.reasons & rest)) {
            *e = last;
            return false;
        }
    }
    for (int i = 0; i < s->steps; i++) {
        const struct setting *c = search_setting(s, i);

        /* graphs are given up for what would not start, not for more users: e is the step before */
        bool users = (e->limit == LIMIT_KV || e->queues) && e->binding.each <= e->binding.pool.low;

        if (c->request.eager && !s->request->eager && users)
            continue;
        if (c->smaller && !(e->reasons & rest))
            continue;
        if (c->knobs.utilization == SHARE_LEFT) {
            if (!share_left(s, l, e, c, &left))
                continue;
            c = &left;
        }
        search_judge(s, i, c, l, e);
        e->turned = c->knobs;
        /* what holds the users while they are spread needs no other options */
        bool spread = s->any && s->best.verdict == VERDICT_MARGINAL &&
                      !knobs_any(&s->best.turned) && s->best.binding.state == MEMORY_SPREADS;
        if (e->verdict == VERDICT_FITS ||
            (e->verdict == VERDICT_MARGINAL && !search_fits(s) && !spread))
            search_consider(s, e);
        if (e->verdict == VERDICT_FITS)
            return true;
        *lacks = *lacks || e->limit == LIMIT_KV || e->queues;
        if (!seen || e->verdict < nearest.verdict)
            nearest = *e;
        seen = true;
    }
    *e = seen ? nearest : *e;
    return false;
}

/* No fewer replicas than have a slot for each user: no option that a search turns adds one. False:
 * their number was given, and has not. */
static bool raise_to_slots(const struct search *s, struct layout *l, int step)
{
    const struct request *q = s->request;
    double slots = s->load.max_num_seqs, most = q->engine->slots_most;
    double least = ceil(q->users / (most > 0 ? fmin(slots, most) : slots));

    if (request_asks_speed(q) || q->model->weights_only || least <= l->replicas)
        return true;
    l->replicas = (int)fmin(ceil(least / step) * step, PLAN_MAX_GPUS + 1);
    return q->gpu_count == 0 && q->replicas <= 0;
}

/* Raises *next to the replicas that leave each fewer users than those of l, where it is memory of
 * theirs that l, judged as e, lacks; false: none do. */
static bool search_relieves(const struct search *s, const struct layout *l,
                            const struct evaluation *e, int *next, int step)
{
    const struct request *q = s->request;
    double each = ceil(q->users / l->replicas) - 1, least;
    bool lacks = s->offers_only && q->rate <= 0 && !q->split && e->verdict >= VERDICT_MARGINAL;

    if (request_asks_speed(q) && !lacks)
        return true;
    least = each > 0 ? ceil(q->users / each / step) * step : INFINITY;
    *next = (int)fmin(fmax(*next, least), PLAN_MAX_GPUS + 1);
    return each > 0;
}

/* One cut with the engine's options turned, in fewer replicas than fit without. */
static void try_turned(struct search *s, struct layout l, int step)
{
    const struct request *q = s->request;
    bool open = q->gpu_count == 0 && q->replicas <= 0, lacks;
    struct evaluation e;

    for (int most = most_replicas(q, &l, most_gpus(s)); l.replicas <= most;) {
        search_judge(s, SETTING_OWN, NULL, &l, &e);
        if (is_fixed(s, &e) || has_memory(&e))
            return;
        if (search_fits(s) && gpus_paid(&e) > gpus_paid(&s->best))
            return;
        if (may_turn(s, &e)) {
            if (turn_options(s, &l, &e, &lacks))
                return;
            /* not by the last step either, and replicas share neither of them */
            if ((e.limit == LIMIT_WEIGHTS || e.limit == LIMIT_OVERHEAD) && !lacks &&
                !users_cost_more(q))
                return;
        }
        int next = replicas_for(s, &e.binding, e.binding.pool.high, e.binding.free.high, step);

        next = next > l.replicas ? next : l.replicas + step;
        if (!open || !search_relieves(s, &l, &e, &next, step))
            return;
        l.replicas = next;
    }
}

/* Do more replicas make nothing of it? */
static bool is_final(const struct evaluation *e, double least)
{
    return e->limit == LIMIT_BUDGET || e->limit == LIMIT_WEIGHTS ||
           (least > 1 + CLOSE && e->verdict == VERDICT_SLOW && rank_of(e->miss) <= rank_of(least));
}

static bool in_budget(const struct search *s, const struct evaluation *e)
{
    return e->price.per_hour <= s->request->budget;
}

/* The most replicas, of at most so many, of which that is true: of a price alone. More cost no
 * less, as instances are rented whole. */
static int most_that(const struct search *s, struct layout l, int most, int step,
                     bool (*is)(const struct search *s, const struct evaluation *e))
{
    int low = l.replicas, high = most + step;
    struct evaluation e;

    while (high - low > step) {
        e.layout = l;
        e.layout.replicas = low + (high - low) / step / 2 * step;
        e.layout.gpus = layout_gpus(&e.layout);
        e.price = cost_price(&s->prices, &e.layout);
        *(is(s, &e) ? &low : &high) = e.layout.replicas;
    }
    return low;
}

/* The same as try_replicas(): doubled until the users fit, then halved between. */
static void double_replicas(struct search *s, struct layout l, int step, double least)
{
    struct evaluation e;
    int most = most_replicas(s->request, &l, most_gpus(s)) / step * step, low = 0, no = 0;

    if (s->request->rate <= 0) /* no faster with more, and no more room for each */
        most = (int)fmin(most, ceil(s->request->users) * step);
    /* Replicas that the power cap holds, of at most `most`; those of l at least. */
    double each = l.tp * l.pp * power_most(s->request);
    double held =
        each > 0 && s->request->power_cap > 0 ? floor(s->request->power_cap / each) : most;

    held = floor(held / step) * step;
    most = held >= most ? most : (int)fmax(held, l.replicas);
    if (s->chunked && search_fits(s) && !evaluate_sides(s->request, &l))
        most = most_that(s, l, most, step, could_win); /* what could not would end the doubling */
    if (!try_layout(s, &l, &e))
        return;
    while (e.verdict != VERDICT_FITS && !is_final(&e, least) && l.replicas < most) {
        low = l.replicas;
        no = e.verdict == VERDICT_DOES_NOT_FIT ? low : no;
        l.replicas = 2 * l.replicas < most ? 2 * l.replicas : most;
        try_layout(s, &l, &e);
    }
    if (e.limit == LIMIT_BUDGET && low > 0) { /* doubled too far */
        int over = l.replicas;

        l.replicas = low;
        l.replicas = most_that(s, l, over - step, step, in_budget);
        if (l.replicas > low)
            try_layout(s, &l, &e);
    }
    if (e.verdict == VERDICT_FITS && low > 0)
        bisect_replicas(s, l, step, low, VERDICT_FITS);
    if (e.verdict <= VERDICT_MARGINAL && no > 0)
        bisect_replicas(s, l, step, no, VERDICT_MARGINAL);
}

bool search_too_heavy(const struct request *q, const struct load *l, double usable, int tp, int pp,
                      int ep)
{
    if (q->host_layers > 0 || q->host_experts > 0 || q->host_bytes > 0)
        return false;
    double experts = l->expert_bytes / (ep > tp ? ep : tp);
    double rest = (l->file_bytes - l->expert_bytes - l->on_host - l->tables) / tp;
    return (experts + rest) / pp > usable;
}

/* Bytes of a GPU that weights may take, at most, where something may fit: its memory, or what the
 * engine lets itself take of it, as asked or with its options turned. */
static double weights_most(const struct request *q, const struct load *l, bool turned)
{
    double fraction = turned ? fmax(l->fraction, MOST_UTILIZATION) : l->fraction;

    if (q->gpu->mix || logged_of(q) || memory_budget(q) != BUDGET_UTILIZATION)
        return l->usable.high;
    return l->usable.high * fraction * (1 - q->headroom);
}

bool search_lacks(const struct request *q, const struct load *l)
{
    return q->gpu_count > 0 &&
           search_too_heavy(q, l, weights_most(q, l, true), q->gpu_count, 1, q->gpu_count);
}

static bool too_heavy(const struct search *s, int tp, int pp, int ep)
{
    return search_too_heavy(s->request, &s->load, s->heaviest, tp, pp, ep);
}

bool search_cut(const struct request *q, int tp, int pp, int ep, struct layout *l)
{
    int step = least_replicas(tp, ep), count = q->gpu_count;
    int first = q->prefill > 0 ? q->prefill + q->decode : q->split ? 2 * step : step;

    *l = (struct layout){.tp = tp, .pp = pp, .ep = ep};
    if (q->prefill_tp > 0 && q->prefill_tp != tp) {
        l->prefill = q->prefill;
        l->prefill_tp = q->prefill_tp;
    }
    int by_count = count > 0 && l->prefill_tp == 0 ? most_replicas(q, l, count) : first;
    l->replicas = q->replicas > 0 ? q->replicas : by_count;
    bool counted = count == 0 || layout_gpus(l) == count ||
                   (layout_gpus(l) > count && least_gpus(q, l) <= count);
    return (q->dp <= 0 || layout_ways(l) == q->dp) && l->replicas >= 1 && l->replicas % step == 0 &&
           counted;
}

/* Does nothing fit for certain on this GPU, or may not even, whatever the layout and the options
 * that may be turned, as the engine refuses it, more slots are asked for than it has or a step has
 * tokens, or too little is known of it: a speed for goals, a draw for a cap? */
static bool is_refused(const struct search *s)
{
    const struct request *q = s->request;
    const struct engine *e = q->engine;
    bool clips = e->defaults_clip && !request_asks_speed(q); /* whose search turns to other steps */
    enum verdict verdict = reasons_verdict(s->load.reasons & ~REASON_BIT(REASON_PROMPT));

    if (verdict == VERDICT_DOES_NOT_FIT || (e->slots_most > 0 && q->max_num_seqs > e->slots_most) ||
        (clips && q->max_num_seqs > s->load.max_batched_tokens))
        return true;
    return s->offers_only &&
           (verdict > VERDICT_FITS || (request_asks_speed(q) && s->step.gap != SPEED_KNOWN) ||
            (q->power_cap > 0 && power_most(q) <= 0));
}

/* GPUs that the budget pays for and the power cap holds, at the most; without a price none. */
static int most_within(const struct search *s)
{
    const struct request *q = s->request;
    int most = q->budget > 0 ? prices_most_gpus(&s->prices, q->budget) : PLAN_MAX_GPUS;

    return q->power_cap > 0 ? (int)fmin(most, q->power_cap / power_most(q) * (1 + 1e-9)) : most;
}

/* May TP alone cut so many GPUs of a host? */
static bool is_valid_tp(struct search *s, int tp)
{
    if (!(s->tp_known >> tp & 1)) {
        struct request open = *s->request;
        struct layout l = {.tp = tp, .pp = 1, .ep = 1, .replicas = 1, .gpus = tp};

        open.gpu_count = 0;
        open.split = false;
        bool alone = layout_valid(&open, &l);
        l.ep = tp;
        s->tp_known |= (uint64_t)1 << tp;
        s->tp_valid |= (uint64_t)(alone || layout_valid(&open, &l)) << tp;
    }
    return s->tp_valid >> tp & 1;
}

/* Pipelines inside a host are for what TP does not divide; a replica takes 1, 2, 4, 8 GPUs of a
 * host or whole hosts, unless a count is given. */
static enum tier cut_tier(struct search *s, int tp, int pp, int ep)
{
    const struct request *q = s->request;
    struct layout l = {.tp = tp, .pp = pp, .ep = ep};
    int host = request_tp_domain(q) > 0 ? request_tp_domain(q) : 1, gpus = tp * pp;
    int unit = gpus <= host || gpus % host != 0 ? gpus : host; /* that TP might cut alone */
    bool whole = gpus <= host ? (gpus & (gpus - 1)) == 0 : gpus % host == 0;

    if (q->pp <= 0 && !q->engine->layers_only) {
        for (int wider = tp + 1; pp > 1 && wider <= host && wider < 64 && q->tp <= 0; wider++)
            if (unit % wider == 0 && is_valid_tp(s, wider))
                return TIER_UNUSUAL;
        if (!whole && q->gpu_count <= 0 && q->tp <= 0)
            return TIER_UNUSUAL;
    }
    return layout_group(&l) <= host ? TIER_HOST : TIER_HOSTS;
}

/* Does its first layout cost more than what is of use, in more GPUs? More replicas cost no less. */
static bool is_too_dear(const struct search *s, const struct layout *first)
{
    struct layout l = *first;

    if (!isfinite(s->per_hour))
        return false;
    l.gpus = least_gpus(s->request, &l);
    return l.gpus > s->gpus && cost_price(&s->prices, &l).per_hour > s->per_hour * (1 + 1e-9);
}

static void add_cut(void *ctx, int tp, int pp, int ep)
{
    struct search *s = ctx;
    struct layout l;

    if ((s->no_rest && too_heavy(s, tp, pp, ep)) || !search_cut(s->request, tp, pp, ep, &l) ||
        (s->request->gpu_count == 0 && least_gpus(s->request, &l) > s->most) || is_too_dear(s, &l))
        return;
    s->cuts = gp_grow(s->cuts, &s->cut_cap, s->cut_count + 1, sizeof(*s->cuts));
    struct cut c = {
        .tp = tp, .pp = pp, .ep = ep, .tier = cut_tier(s, tp, pp, ep), .shallow = s->cut_count};

    /* both are in the same order */
    for (size_t i = s->shallow; s->one_chunk && i < s->cut_count && s->cuts[i].pp < pp; i++)
        if (s->cuts[i].tp == tp && s->cuts[i].ep == ep && s->cuts[i].pp == pp - 1) {
            c.shallow = i;
            s->shallow = i + 1;
            break;
        }
    s->cuts[s->cut_count++] = c;
}

/* As many more replicas of what people do not run as cost what serves the goals at the middle of
 * the bands. False: their number was given, and costs less. */
static bool raise_replicas(const struct search *s, struct layout *l, int step)
{
    struct evaluation e;

    while (s->tier == TIER_UNUSUAL && s->least > 0) {
        e.layout = *l;
        e.layout.gpus = layout_gpus(l);
        e.price = cost_price(&s->prices, &e.layout);
        if (key_of(s, &e, s->order[0]) >= s->least || e.layout.gpus > s->most)
            break;
        if (s->request->replicas > 0 || l->prefill > 0)
            return false;
        l->replicas += step;
    }
    return true;
}

/* One (TP, PP, EP) of an open count, or of the count that was asked for. */
static void try_cut(struct search *s, struct cut *c)
{
    const struct request *q = s->request;
    struct layout l;
    struct evaluation e;
    int step = least_replicas(c->tp, c->ep), count = q->gpu_count;

    if (s->turned && c->fixed)
        return;
    search_cut(q, c->tp, c->pp, c->ep, &l);
    if (!raise_replicas(s, &l, step) ||
        ((s->no_rest || s->turned) && !raise_to_slots(s, &l, step)) ||
        (count == 0 && least_gpus(q, &l) > most_gpus(s)))
        return;
    if (!s->no_rest && (s->fits_only ? s->any : search_fits(s)) &&
        too_heavy(s, c->tp, c->pp, c->ep))
        return;
    if (!c->valid && !q->split) {
        l.gpus = layout_gpus(&l);
        c->valid = layout_valid(q, &l);
        c->fixed = !c->valid;
        if (c->fixed)
            return;
    }
    bool slow = s->one_chunk && !s->chunked && s->cuts[c->shallow].slow;
    double least = request_asks_speed(q) && !slow ? least_miss(s, &l) : 0;
    if (slow || is_hopeless(s, least)) {
        c->slow = c->fixed = s->fits_only && !s->chunked;
        return;
    }
    s->first = s->turned || s->chunked || s->steps == 0 ? NULL : c;
    if (s->turned) {
        try_turned(s, l, step);
        return;
    }
    if (count > 0 || q->replicas > 0) {
        try_layout(s, &l, &e);
        return;
    }
    if (users_cost_more(q) || request_asks_speed(q))
        double_replicas(s, l, step, least);
    else
        try_replicas(s, l, step);
}

/* Options of an engine that nobody runs yet, and that has some. */
static bool may_turn_any(const struct request *q)
{
    return !q->options_fixed && !q->model->weights_only && !gpu_is_foreign(q->gpu) &&
           memory_budget(q) != BUDGET_ASKED && model_is_served(q->model);
}

/* The EP that may be: what was asked for, else the divisors of the number of experts. */
static int expert_ways(const struct request *q, int ways[WAYS])
{
    bool whole = q->engine->gguf || q->engine->experts_whole;
    int experts = whole || q->ep > 0 ? 1 : model_experts(q->model);
    int count = 0;

    for (int ep = 1; ep <= experts && count < WAYS; ep++)
        if (experts % ep == 0)
            ways[count++] = ep;
    if (q->ep > 0 || count == 0)
        ways[count = 0, count++] = q->ep > 0 ? q->ep : 1;
    return count;
}

/* Those of so many stages. */
static void cuts_of(const struct request *q, int pp, const int ways[WAYS], int count,
                    search_cut_fn *cut, void *ctx)
{
    int host = request_tp_domain(q) > 0 ? request_tp_domain(q) : 1;
    struct layout one = {.tp = 1, .pp = 1, .ep = 1};
    bool sides = q->prefill_tp > 0 || evaluate_sides(q, &one);

    for (int tp = q->tp > 0 ? q->tp : 1; tp <= (q->tp > 0 ? q->tp : host); tp++)
        for (int i = 0;
             i < count && (q->gpu_count == 0 || q->gpu_count % (sides ? pp : tp * pp) == 0); i++)
            if (q->ep > 0 || ways[i] == 1 || !q->engine->ep_all || ways[i] % tp == 0)
                cut(ctx, tp, pp, ways[i]);
}

void search_cuts(const struct request *q, search_cut_fn *cut, void *ctx)
{
    int stages = q->pp > 0 ? q->pp : search_most_stages(q);
    int ways[WAYS], count = expert_ways(q, ways);

    for (int pp = q->pp > 0 ? q->pp : 1; pp <= stages; pp++)
        cuts_of(q, pp, ways, count, cut, ctx);
}

/* Lists the cuts of more stages, where they may be of use; false: none are. */
static bool list_more(struct search *s)
{
    const struct request *q = s->request;
    size_t listed = s->cut_count;

    while (s->cut_count == listed && s->stages <= (q->pp > 0 ? q->pp : search_most_stages(q)) &&
           (q->gpu_count > 0 || s->stages <= most_gpus(s)))
        cuts_of(q, s->stages++, s->ways, s->way_count, add_cut, s);
    return s->cut_count > listed;
}

/* All of the tier that is looked at. */
static void try_cuts(struct search *s)
{
    for (size_t i = 0; !search_abandoned() && (i < s->cut_count || list_more(s)); i++)
        if (s->cuts[i].tier == s->tier)
            try_cut(s, &s->cuts[i]);
}

/* ---- the answer ---- */

static void name_second(const struct search *s, struct plan *out)
{
    struct runner_up *r = &out->second;

    r->layout = s->second.layout;
    r->per_hour = s->second.price.per_hour;
    r->by = deciding_key(s, &s->best, &s->second, &r->more);
    if (r->by == WORSE_PAID && r->more == s->second.layout.gpus - s->best.layout.gpus)
        r->by = WORSE_GPUS; /* it takes them all */
    if (r->by == WORSE_TOKENS)
        r->more = 1 - speed_of(s, &s->second) / speed_of(s, &s->best);
}

/* What needs less than the best, and misses a goal. */
static void name_slow(const struct search *s, struct plan *out)
{
    struct runner_up *r = &out->second;
    const struct evaluation *e = &s->slow;
    const double figures[LIMIT_COUNT] = {
        [LIMIT_TTFT] = e->ttft,
        [LIMIT_TPOT] = e->tpot,
        [LIMIT_THROUGHPUT] = e->tokens,
        [LIMIT_BUDGET] = e->price.per_hour,
        [LIMIT_RATE] = s->request->rate / e->miss, /* TTFT and TPOT would be named first */
    };

    *r = (struct runner_up){.layout = e->layout,
                            .per_hour = e->price.per_hour,
                            .by = WORSE_GOAL,
                            .limit = e->limit,
                            .more = figures[e->limit]};
}

struct request search_on(const struct request *q, const struct gpu *gpu, int gpu_count,
                         const struct market *market)
{
    struct request r = *q;

    if (gpu != q->gpu && q->host.family) /* beside another GPU stands another host */
        host_guess(gpu, &r.host);
    r.gpu = gpu;
    if (q->usual_engine && engine_runs_on(q->usual_engine, gpu))
        r.engine = q->usual_engine;
    r.gpu_count = gpu_count;
    r.host_gpus = cost_host_gpus(gpu, market, &r.host_assumed);
    r.host_watts = cost_host_watts(gpu, market, &r.watts_assumed);
    return r;
}

static void search_fini(struct search *s)
{
    prices_fini(&s->prices);
    free(s->cuts);
}

/* What is asked of a search. */
enum extent {
    SEARCH_NEAREST, /* what fits, or comes nearest */
    SEARCH_FITS,    /* what fits: how near the rest comes is not asked */
    SEARCH_MAY_FIT, /* what fits or is marginal: of the rest not even a layout */
    SEARCH_OFFERS   /* what fits: of the rest not even a layout */
};

static void search_for(const struct request *q, const struct market *market, enum search_goal goal,
                       enum extent extent, double per_hour, int gpus, struct evaluation *out);
static bool search_all(struct search *s, const struct request *q, const struct market *market,
                       enum search_goal goal, enum extent extent, double per_hour, int gpus);

/* What people do not run is sought at the ends of the bands where they run nothing that reaches
 * the goals there. It may cost less than what is bought at the middle, where that was not looked
 * at: no such count is called sure beside a larger one that is likely. */
static double least_at_middle(const struct search *s, const struct market *market, double per_hour,
                              int gpus)
{
    struct request middle = *s->request;
    struct evaluation e;

    if (middle.goals != GOALS_SURE || !request_has_goals(&middle) || middle.gpu_count > 0)
        return 0;
    middle.goals = GOALS_LIKELY;
    search_for(&middle, market, s->goal, SEARCH_FITS, per_hour, gpus, &e);
    return e.verdict == VERDICT_FITS ? key_of(s, &e, s->order[0]) : 0;
}

/* Where what is rented at the lowest price holds more GPUs than a layout that fits takes: the best
 * layout of them all, if it is better. */
static void fill_rented(struct search *s, const struct market *market, enum extent extent)
{
    struct request all = *s->request;
    struct evaluation e, *best = &s->best;

    all.gpu_count = best->price.gpus;
    if (s->request->gpu_count > 0 || all.gpu_count <= s->fewest || all.gpu_count > PLAN_MAX_GPUS)
        return;
    search_for(&all, market, s->goal, extent, INFINITY, PLAN_MAX_GPUS, &e);
    if (e.verdict != VERDICT_FITS || e.price.per_hour > best->price.per_hour + 0.005)
        return;
    judge_tokens(s, best);
    judge_sure(s, best);
    judge_tokens(s, &e);
    judge_sure(s, &e);
    if (!better_fit(s, &e, best))
        return;
    if (!same_cut(&e, best))
        take_second(s, best);
    *best = e;
}

/* Where smaller slices cost less a GPU than those that are to be rented: more GPUs, for less
 * money. */
static void spend_less(struct search *s, const struct market *market)
{
    struct evaluation *best = &s->best;
    double per_hour = best->price.per_hour - 0.01;
    struct search less;

    if (s->goal != SEARCH_FEWEST_GPUS || s->request->gpu_count > 0 || !best->price.rented ||
        prices_own(&s->prices) || prices_most_gpus(&s->prices, per_hour) < best->price.gpus)
        return;
    less.together = !best->price.apart;
    search_all(&less, s->request, market, SEARCH_LEAST_MONEY, SEARCH_OFFERS, per_hour, 0);
    search_fini(&less);
    if (!search_fits(&less) || less.best.price.per_hour > per_hour)
        return;
    s->order = less.order;
    s->fewest = less.fewest;
    take_second(s, best);
    *best = less.best;
}

/* False when no layout of the given numbers is valid: best is then the nearest one. */
static bool search_all(struct search *s, const struct request *q, const struct market *market,
                       enum search_goal goal, enum extent extent, double per_hour, int gpus)
{
    s->goal = goal; /* the rest is filled in before it is read */
    s->per_hour = per_hour;
    s->gpus = gpus;
    s->step_of.load = NULL;
    s->order = orders[goal == SEARCH_FEWEST_GPUS && q->gpu_count > 0 ? ORDER_COUNTED : goal];
    s->fits_only = extent > SEARCH_NEAREST;
    s->no_rest = extent > SEARCH_FITS;
    s->offers_only = extent == SEARCH_OFFERS;
    s->any = s->has_second = s->has_slow = s->has_usual = s->against = false;
    s->marginal = (struct layout){0};
    s->fewest = INT_MAX;
    s->chunked = s->turned = NULL;
    s->tier = TIER_HOST;
    s->least = 0;
    s->request = q;
    s->seen = q->floors && !q->split ? q->floors->seen : NULL;
    s->load = load_sum(q);
    s->load.fits_only = s->fits_only;
    s->load.cut_valid = !q->split; /* try_cut() looks at them */
    s->kept.any = false;
    s->load.kept_stages = &s->kept;
    if (request_asks_speed(q)) {
        step_load_sum(q, &s->load, &s->step);
        s->load.step = &s->step;
        s->load.cut_step = &s->step_of;
    }
    prices_init(q, market, &s->prices);
    s->most = prices_most_gpus(&s->prices, per_hour);
    s->most = s->most > gpus ? s->most : gpus;
    s->most = s->most < PLAN_MAX_GPUS ? s->most : PLAN_MAX_GPUS;
    s->cuts = NULL;
    s->cut_count = s->cut_cap = s->shallow = 0;
    s->one_chunk = s->fits_only && request_asks_speed(q) && !q->split && !s->step.host.any &&
                   !q->gpu->mix && prompt_step(q, INFINITY) <= s->load.max_batched_tokens;
    s->heaviest = s->no_rest ? weights_most(q, &s->load, q->utilization <= 0) : s->load.usable.high;
    bool none = s->no_rest && is_refused(s);
    int within = s->offers_only && !none ? most_within(s) : PLAN_MAX_GPUS;

    within = q->gpu_count == 0 && gpu_is_alone(q->gpu) ? (int)fmin(within, 1) : within;
    s->most = s->most < within ? s->most : within;
    int most = q->gpu_count > 0 ? q->gpu_count : s->most;

    if (none || q->gpu_count > within || within < 1 ||
        (s->no_rest && too_heavy(s, most, 1, most))) {
        s->best = (struct evaluation){.verdict = VERDICT_DOES_NOT_FIT};
        return false;
    }
    struct setting turned[LADDER];
    int end = 0; /* of the tiers that were looked at whole */

    s->tp_valid = s->tp_known = 0;
    s->stages = q->pp > 0 ? q->pp : 1;
    s->way_count = expert_ways(q, s->ways);
    search_ladder(s, turned);
    for (s->tier = TIER_HOST; s->tier < TIER_COUNT; s->tier++) {
        /* percentiles are replayed, layout by layout: not of those, too */
        int least = s->tier == TIER_HOSTS ? 2 * request_tp_domain(q) : 2;

        if (search_fits(s) && (gpus_paid(&s->best) <= least || late_asked(q)))
            continue;
        s->against = search_fits(s) && s->tier == TIER_UNUSUAL;
        s->has_usual = s->any;
        s->usual = s->best;
        end = s->against ? end : s->tier + 1;
        if (s->tier == TIER_UNUSUAL)
            s->least = least_at_middle(s, market, per_hour, gpus);
        try_cuts(s);
        if (!may_turn_any(q) || s->steps == 0 || (search_fits(s) && gpus_paid(&s->best) == 1))
            continue;
        s->turned = turned;
        try_cuts(s);
        s->turned = NULL;
    }
    s->against = false;
    if (request_asks_speed(q) && s->any &&
        (s->best.verdict != VERDICT_DOES_NOT_FIT || may_quicken(q, &s->best))) {
        /* Once more over what needs less than the best, with other steps of the engine, as no
         * layout of less reaches the goals with its own. */
        struct setting list[CHUNKS];

        for (size_t i = 0; i < CHUNKS; i++)
            list[i].known = false;
        s->chunked = list;
        for (s->tier = 0; s->tier < end; s->tier++)
            try_cuts(s);
        s->chunked = NULL;
    }
    s->load.cut_valid = false;
    if (search_fits(s)) {
        fill_rented(s, market, extent);
        spend_less(s, market);
    }
    if (!s->any && s->no_rest) {
        s->best = (struct evaluation){.verdict = VERDICT_DOES_NOT_FIT};
    } else if (!s->any) {
        /* No layout of the given numbers is valid: the nearest one says why. */
        struct layout l = {.tp = q->tp > 0 ? q->tp : 1,
                           .pp = q->pp > 0 ? q->pp : 1,
                           .ep = q->ep > 0 ? q->ep : 1,
                           .replicas = q->replicas > 0 ? q->replicas : 1};
        int rest = q->gpu_count / (l.pp * l.replicas);

        if (q->prefill > 0) {
            l.replicas = q->prefill + q->decode;
            l.prefill = q->prefill;
            l.prefill_tp = q->prefill_tp != l.tp ? q->prefill_tp : 0;
        }
        if (q->tp <= 0 && rest > 0)
            l.tp = rest;
        if (q->dp > 1 && q->ep <= 0) {
            l.ep = l.tp * q->dp;
            l.replicas = q->dp;
        }
        evaluate(q, &s->load, &s->prices, &l, &s->best);
    }
    return s->any;
}

static void search_for(const struct request *q, const struct market *market, enum search_goal goal,
                       enum extent extent, double per_hour, int gpus, struct evaluation *out)
{
    struct search s;

    s.together = false;
    search_all(&s, q, market, goal, extent, per_hour, gpus);
    search_fini(&s);
    *out = s.best;
}

void search_offer(const struct request *q, const struct market *market, enum search_goal goal,
                  struct evaluation *out)
{
    search_for(q, market, goal, SEARCH_OFFERS, INFINITY, PLAN_MAX_GPUS, out);
}

void search_starting(const struct request *q, const struct market *market, enum search_goal goal,
                     struct evaluation *out)
{
    search_for(q, market, goal, SEARCH_MAY_FIT, INFINITY, PLAN_MAX_GPUS, out);
}

void search_layout_within(const struct request *q, const struct market *market, double per_hour,
                          int gpus, struct evaluation *out)
{
    search_for(q, market, SEARCH_FEWEST_GPUS, SEARCH_OFFERS, per_hour, gpus, out);
}

void search_layout_planned(const struct request *q, const struct market *market,
                           enum search_goal goal, struct evaluation *out)
{
    search_for(q, market, goal, SEARCH_NEAREST, INFINITY, PLAN_MAX_GPUS, out);
}

void search_layout(const struct request *q, const struct market *market, enum search_goal goal,
                   struct evaluation *out)
{
    search_for(q, market, goal, SEARCH_FITS, INFINITY, PLAN_MAX_GPUS, out);
}

int search_named_count(const struct request *q, const struct evaluation *e,
                       const struct market *market)
{
    struct request counted = *q;
    struct evaluation same;

    if (q->gpu_count > 0 || e->layout.gpus > PLAN_MAX_GPUS)
        return q->gpu_count;
    counted.gpu_count = e->layout.gpus;
    (e->verdict == VERDICT_FITS ? search_offer : search_layout)(&counted, market,
                                                                SEARCH_FEWEST_GPUS, &same);
    const struct knobs *a = &same.turned, *b = &e->turned;
    bool alike = memcmp(&same.layout, &e->layout, sizeof(same.layout)) == 0 && a->seqs == b->seqs &&
                 a->tokens == b->tokens && a->utilization == b->utilization &&
                 a->eager == b->eager && same.chunk == e->chunk;
    return alike ? counted.gpu_count : 0;
}

static void plan_best(const struct search *s, const struct request *q, struct plan *out)
{
    struct request tuned = evaluation_request(q, &s->best);
    bool any = s->best.chunk > 0 || knobs_any(&s->best.turned);
    struct load own;

    if (any)
        own = load_sum(&tuned);
    plan_fill(&tuned, any ? &own : &s->load, &s->best.layout, &s->prices, out);
    out->turned = s->best.turned;
    if (knobs_any(&out->turned))
        out->reasons |= REASON_BIT(REASON_TURNED);
    /* What the engine's own steps would have come to. */
    struct evaluation e;

    if (s->best.chunk <= 0)
        return;
    evaluate(s->request, &s->load, NULL, &s->best.layout, &e);
    out->default_options = (struct default_options){s->load.max_batched_tokens, e.ttft, e.tpot};
    out->reasons |= REASON_BIT(REASON_TUNED);
}

void search_plan(const struct request *q, const struct market *market, enum search_goal goal,
                 struct plan *out)
{
    struct search s;

    s.together = false;
    bool any = search_all(&s, q, market, goal, SEARCH_NEAREST, INFINITY, PLAN_MAX_GPUS);
    plan_best(&s, q, out);
    search_fini(&s);
    if (!any && q->gpu_count > search_most_stages(q) && q->pp <= 0)
        out->reasons |= REASON_BIT(REASON_GPU_COUNT);
    if (search_fits(&s) && s.has_slow && needs_less(&s, &s.slow))
        name_slow(&s, out);
    else if (search_fits(&s) && s.has_second)
        name_second(&s, out);
    if (search_fits(&s) && q->gpu_count <= 0 && s.fewest < s.best.layout.gpus &&
        s.best.price.gpus > s.fewest) {
        out->enough = s.fewest;
        out->reasons |= REASON_BIT(REASON_RENTED);
    }
    /* What comes close is worth a look: measuring may show that it fits. */
    if (search_fits(&s) && s.marginal.gpus > 0 && is_smaller(&s.marginal, &out->layout) &&
        (out->enough == 0 || s.marginal.gpus < out->enough)) {
        out->marginal_layout = s.marginal;
        out->reasons |= REASON_BIT(REASON_NEARLY);
    }
}
