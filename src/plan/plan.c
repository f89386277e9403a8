/*
 * plan.c - one layout as it is shown, see plan.h. The search for a layout, fixes and
 * solving have their own files.
 */
#include "plan/plan.h"

#include <math.h>
#include <string.h>

#include "plan/goals.h"

double plan_margin(const struct plan *p)
{
    const struct memory *m = &p->memory;
    double kv = m->kv_pool.value - m->kv_reserved.value;

    if (p->limit != LIMIT_USED)
        return kv;
    return fmin(kv, m->usable.value - p->request.used - m->budget.value);
}

struct quantity plan_holds(const struct plan *p, const struct quantity *of_replica)
{
    double n = layout_decoding(&p->layout);

    if (!of_replica->known)
        return quantity_unknown();
    return quantity_band(n * floor(of_replica->value), n * floor(of_replica->low),
                         n * floor(of_replica->high), of_replica->origin);
}

struct quantity plan_capacity(const struct plan *p)
{
    const struct memory *m = &p->memory;

    if (!p->has_memory)
        return quantity_unknown();
    return plan_holds(p, p->request.reserve == RESERVE_FULL ? &m->max_concurrency : &m->holds_load);
}

/* ---- the knob ---- */

struct quantity plan_knob_part(const struct memory *m, enum knob knob)
{
    bool charged = m->graphs_charged.high > 0;
    const struct quantity *const parts[KNOB_COUNT] = {
        [KNOB_GRAPHS] = charged ? &m->graphs_charged : &m->graphs,
        [KNOB_ACTIVATION] = &m->activation,
        [KNOB_NON_TORCH] = &m->non_torch,
        [KNOB_USABLE] = &m->usable,
        [KNOB_WEIGHTS] = &m->weights,
    };

    if (knob == KNOB_LENGTHS)
        return quantity_band(m->kv_mean.value, m->kv_mean.value, m->kv_reserved.value,
                             m->kv_reserved.origin);
    return parts[knob] ? *parts[knob] : quantity_unknown();
}

static enum knob knob_of(const struct plan *p)
{
    uint64_t band = REASON_BIT(REASON_REST_LACKS) | REASON_BIT(REASON_REST_TIGHT);
    bool marginal = p->verdict == VERDICT_MARGINAL;
    bool graphs = p->memory.graphs_charged.high > 0 || p->limit == LIMIT_OVERHEAD;
    enum knob widest = KNOB_NONE;
    double most = -1;

    if (!(p->reasons >> REASON_DECIDES & 1) && !(marginal && (p->reasons & band)))
        return marginal && (p->reasons & REASON_BIT(REASON_SPREADS))       ? KNOB_LENGTHS
               : marginal && (p->reasons & REASON_BIT(REASON_MEMORY_ONLY)) ? KNOB_ENGINE
                                                                           : KNOB_NONE;
    /* the part with the widest band, of those that the budget has to hold */
    const enum knob parts[] = {KNOB_ACTIVATION, KNOB_GRAPHS, KNOB_NON_TORCH, KNOB_USABLE,
                               KNOB_WEIGHTS};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        struct quantity q = plan_knob_part(&p->memory, parts[i]);

        if (q.high - q.low > most && (parts[i] != KNOB_GRAPHS || graphs)) {
            most = q.high - q.low;
            widest = parts[i];
        }
    }
    return widest;
}

/* ---- one layout ---- */

int plan_idle(const struct plan *p)
{
    const struct request *q = &p->request;
    double idle = layout_decoding(&p->layout) - ceil(q->users);

    return q->rate <= 0 && !q->model->weights_only && idle > 0 ? (int)idle : 0;
}

/* The others wait outside of the memory. */
static struct request plan_held(const struct plan *p, const struct load *load)
{
    struct request held = p->request;

    held.users = evaluate_held(&p->request, load, &p->layout);
    return held;
}

void plan_stage(const struct plan *p, const struct load *load, int stage, struct memory *out)
{
    struct request held = plan_held(p, load);

    memory_stage(&held, load, &p->layout, stage, out);
}

static void fill_figures(const struct load *load, const struct prices *prices, struct plan *p)
{
    const struct market *market = prices->market;
    const struct request *q = &p->request;
    const struct speed *v = &p->speed;
    struct request held = plan_held(p, load);

    memory_estimate(&held, load, &p->layout, &p->memory);
    p->warnings = warnings_of_request(q, load) |
                  (uint32_t)memory_may_take_whole(q) << WARNING_SLICE |
                  (uint32_t)(plan_idle(p) > 0) << WARNING_IDLE |
                  (uint32_t)(p->layout.tp > request_domain(q)) << WARNING_TP_HOSTS;
    if (load->logit_copies_low < load->logit_copies && p->verdict != VERDICT_FITS)
        p->warnings |= 1u << WARNING_SAMPLER;
    cost_estimate(prices, &p->layout, &p->cost);
    p->knob = knob_of(p);
    if (p->verdict != VERDICT_DOES_NOT_FIT || p->limit == LIMIT_POWER)
        speed_estimate(&p->request, load, &p->layout, &p->memory, &p->speed);
    if (p->layout.prefill > 0 && p->speed.gap == SPEED_KNOWN) {
        /* what replicas of as many GPUs do when each works its prompts off itself */
        struct request whole = p->request;
        struct layout l = p->layout;
        struct memory m;

        whole.split = false;
        l.replicas = l.gpus / (l.tp * l.pp);
        l.prefill = l.prefill_tp = 0;
        p->unsplit_speed.gap = SPEED_NO_LAYOUT;
        if (l.gpus % (l.tp * l.pp) == 0) {
            memory_estimate(&whole, load, &l, &m);
            speed_estimate(&whole, load, &l, &m, &p->unsplit_speed);
        }
    }
    power_estimate(&p->request, load, &p->layout, &p->speed, market, &p->power);
    if (p->power.loaded)
        cost_draw(&p->cost, market,
                  p->power.total.value + power_unused(&p->power, &p->layout, p->cost.buy.gpus));
    /* the budget, whose price is known here; and goals that what may fit misses, too */
    if (p->verdict != VERDICT_DOES_NOT_FIT)
        p->reasons |= reasons_of_budget(q, p->cost.per_hour);
    if (p->verdict == VERDICT_MARGINAL && v->gap == SPEED_KNOWN) {
        static const enum reason reasons[SPEED_GOAL_LATE] = {REASON_TTFT, REASON_TPOT,
                                                             REASON_THROUGHPUT, REASON_RATE};
        struct goal goals[SPEED_GOALS];

        goals_of(q, v, goals);
        for (int i = 0; i < SPEED_GOAL_LATE; i++)
            p->reasons |= (uint64_t)goal_fails(q, goals[i].state) << reasons[i];
    }
    p->verdict = reasons_verdict(p->reasons);
    p->limit = reasons_limit(p->reasons);
    if (p->cost.machines > 0)
        p->layout.hosts = p->cost.machines;
}

void plan_fill(const struct request *q, const struct load *load, const struct layout *layout,
               const struct prices *prices, struct plan *p)
{
    struct evaluation e;
    struct load own;

    memset(p, 0, sizeof(*p));
    evaluate(q, load, NULL, layout, &e);
    p->request = *q;
    p->request.users = e.users;
    if (q->rate > 0) { /* slots may follow the users */
        own = load_sum(&p->request);
        load = &own;
    }
    p->layout = e.layout;
    p->verdict = e.verdict;
    p->limit = e.limit;
    p->reasons = e.reasons;
    p->has_memory = e.valid;
    p->speed.gap = SPEED_NO_LAYOUT;
    if (p->has_memory)
        fill_figures(load, prices, p);
}

void plan_layout(const struct request *q, const struct layout *layout, const struct market *market,
                 struct plan *p)
{
    struct load load = load_sum(q);
    struct prices prices;

    prices_init(q, market, &prices);
    plan_fill(q, &load, layout, &prices, p);
    prices_fini(&prices);
}

void plan_untuned(const struct plan *p, struct request *q)
{
    const struct knobs *k = &p->turned;

    if ((p->reasons & REASON_BIT(REASON_TUNED)) || k->tokens > 0)
        q->max_batched_tokens = 0;
    q->max_num_seqs = k->seqs > 0 ? 0 : q->max_num_seqs;
    q->utilization = k->utilization > 0 ? 0 : q->utilization;
    q->eager = q->eager && !k->eager;
    q->users = q->rate > 0 ? 1 : q->users; /* they follow from it */
    if (!q->host_placed)
        return;
    q->host_placed = false;
    q->host_layers = q->host_experts = 0;
    q->tp = q->unplaced_tp;
    q->pp = q->unplaced_pp;
}

void plan_prices(const struct plan *p, struct quantity *hour, struct quantity *month)
{
    const struct cost *c = &p->cost;
    bool buy = c->want == WANT_BUY && c->buy.known;

    *hour = buy ? c->buy.per_hour : quantity_of(c->per_hour, ORIGIN_SHEET);
    *month = buy ? c->buy.per_month : quantity_of(c->per_month, ORIGIN_SHEET);
    hour->known = month->known = p->has_memory && c->per_hour > 0;
}

enum goal_state plan_goals(const struct plan *p)
{
    struct goal goals[SPEED_GOALS];

    return p->has_memory && p->speed.gap == SPEED_KNOWN && p->verdict != VERDICT_DOES_NOT_FIT
               ? goals_of(&p->request, &p->speed, goals)
               : GOAL_NOT_ASKED;
}

const char *plan_verdict_cell(const struct plan *p)
{
    enum goal_state state = p->verdict == VERDICT_FITS ? plan_goals(p) : GOAL_NOT_ASKED;

    return state == GOAL_NOT_ASKED ? verdict_words[p->verdict].brief : goal_word(state);
}

const struct verdict_words *plan_verdict_words(const struct plan *p)
{
    enum goal_state state = plan_goals(p);

    if (p->verdict != VERDICT_SLOW)
        return &verdict_words[p->verdict];
    if (p->limit == LIMIT_BUDGET)
        return &slow_words[SLOW_BUDGET];
    return state == GOAL_LIKELY     ? &slow_words[SLOW_UNSURE]
           : state == GOAL_UNLIKELY ? &slow_words[SLOW_LIKELY]
                                    : &verdict_words[VERDICT_SLOW];
}

struct quantity plan_per_million(struct quantity hour, struct quantity rate)
{
    double million = 1e6 / 3600;

    if (!hour.known || rate.low <= 0)
        return quantity_unknown();
    return quantity_band(hour.value * million / rate.value, hour.low * million / rate.high,
                         hour.high * million / rate.low, ORIGIN_MODEL);
}

struct quantity plan_token_price(const struct plan *p)
{
    struct quantity hour, month;

    plan_prices(p, &hour, &month);
    if (p->speed.gap != SPEED_KNOWN)
        return quantity_unknown();
    return plan_per_million(hour, quantity_scale(p->speed.tokens, request_priced(&p->request)));
}

struct quantity plan_pace(const struct plan *p)
{
    return p->request.model->pooling ? p->speed.ttft : p->speed.tpot;
}

bool plan_spans(const struct plan *p)
{
    const struct rent *r = cost_wanted(&p->cost);

    return r && r->known ? r->apart : layout_widest(&p->layout) > request_domain(&p->request);
}
