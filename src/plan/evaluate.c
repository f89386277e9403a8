/*
 * evaluate.c - see evaluate.h.
 */
#include "plan/evaluate.h"

#include <math.h>

#include "plan/goals.h"
#include "plan/power.h"

static uint64_t reasons_of_layout(const struct request *q, const struct load *load,
                                  const struct layout *l, const struct binding *b)
{
    const struct engine *e = q->engine;
    uint64_t reasons = load->reasons;
    double users = ceil(q->users / layout_decoding(l));

    if (!q->model->weights_only && users > load->max_num_seqs)
        reasons |= REASON_BIT(REASON_SEQS);
    if (e->slots_most > 0 && fmax(q->max_num_seqs, users) > e->slots_most)
        reasons |= REASON_BIT(REASON_SLOTS);
    if (e->defaults_clip && load->max_batched_tokens < load->max_num_seqs)
        reasons |= REASON_BIT(REASON_TOKENS);
    if (b->state == MEMORY_LACKS && b->weights.low > b->budget.high)
        reasons |= REASON_BIT(REASON_WEIGHTS);
    else if (b->state == MEMORY_LACKS && e->state_share > 0 && b->pool.high > 0 &&
             b->states.known && users > b->states.high)
        reasons |= REASON_BIT(REASON_HELD);
    else if (b->state == MEMORY_LACKS)
        reasons |= b->pool.high <= 0 ? REASON_BIT(REASON_OVERHEAD) : REASON_BIT(REASON_KV);
    else if (b->state == MEMORY_SPREADS)
        reasons |= REASON_BIT(REASON_SPREADS);
    else if (b->state == MEMORY_CROSSES || b->state == MEMORY_DOUBTS)
        reasons |= REASON_BIT(REASON_CROSSES) | REASON_BIT(REASON_DECIDES);
    /* SGLang's fraction covers weights and KV; what it leaves must hold everything else. What
     * vLLM's leaves must hold is mostly taken out of the pool: its value decides. */
    enum budget budget = memory_budget(q);
    double rest = budget == BUDGET_STATIC        ? b->spare.low
                  : budget == BUDGET_UTILIZATION ? b->spare.value
                                                 : 0;
    if (rest < 0)
        reasons |=
            b->spare.high < 0 ? REASON_BIT(REASON_REST_LACKS) : REASON_BIT(REASON_REST_TIGHT);
    if (e->state_exit && b->states.known && b->pool.high > 0 && load->max_num_seqs > b->states.low)
        reasons |= load->max_num_seqs > b->states.high
                       ? REASON_BIT(REASON_STATES)
                       : REASON_BIT(REASON_STATES_TIGHT) | REASON_BIT(REASON_DECIDES);
    /* what lies outside the budget comes out of what it leaves */
    if (reasons == 0 && b->state == MEMORY_OVERRUNS)
        reasons |= REASON_BIT(REASON_OVERRUNS) | REASON_BIT(REASON_DECIDES);
    return reasons;
}

/* The share of a band that is `need` or more. */
static double share_of(const struct quantity *q, double need)
{
    if (need <= q->low || need > q->high)
        return need <= q->low;
    return need <= q->value ? 1 - (need - q->low) / (q->value - q->low) / 2
                            : (q->high - need) / (q->high - q->value) / 2;
}

double evaluation_likely(const struct load *load, const struct evaluation *e)
{
    const struct binding *b = &e->binding;
    double likely = share_of(&b->pool, b->least);

    if (e->reasons & REASON_BIT(REASON_OVERRUNS))
        likely = fmin(likely, share_of(&b->free, 0));
    if (e->reasons & REASON_BIT(REASON_REST_TIGHT))
        likely = fmin(likely, share_of(&b->spare, 0));
    if (e->reasons & REASON_BIT(REASON_STATES_TIGHT))
        likely = fmin(likely, share_of(&b->states, load->max_num_seqs));
    return likely;
}

/* What is asked of the speed, before the memory is judged: the users that a rate leads
 * to; and after it: the goals. */
struct served_load {
    bool asked, judged;
    struct step_load own;
    struct serve_cut cut;
    const struct step *step;
    struct serve serve;
    double slots;     /* of a replica */
    bool held;        /* as many are served as arrive */
    double served;    /* requests/s at most; set where it is not held, or split */
    double rate_miss; /* how many times more arrive */
};

static void served_load_of(const struct request *q, const struct load *load, const struct layout *l,
                           struct served_load *p)
{
    if (!p->asked)
        return;
    p->cut.load = NULL;
    if (!load->step)
        step_load_sum(q, load, &p->own);
    if (load->step && load->cut_step)
        p->step = serve_cut(load->cut_step, load->step, l);
    else
        p->step = serve_cut(&p->cut, load->step ? load->step : &p->own, l);
    p->judged = p->held = true;
    p->served = 0;
    p->slots = speed_slots(q, load);
    if (p->step->gap == SPEED_KNOWN)
        p->held = speed_serve(q, p->step, load, l, p->slots, &p->serve);
    if (p->step->gap == SPEED_KNOWN && (!p->held || q->split))
        p->served = speed_capacity(q, load, l, p->step, p->slots);
    p->rate_miss = p->held ? 0 : q->rate / p->served;
    if (q->rate <= 0 && q->split)
        p->served = p->serve.requests * speed_groups(l);
}

double evaluate_tokens(const struct request *q, const struct load *load, const struct layout *l)
{
    struct served_load served; /* large: the rest is filled in */

    served.asked = true;
    served_load_of(q, load, l, &served);
    return served.step->gap == SPEED_KNOWN ? served.serve.requests * speed_busy(q, l) * q->output
                                           : 0;
}

struct request evaluation_request(const struct request *q, const struct evaluation *e)
{
    struct request turned = *q;

    request_turn(&turned, &e->turned);
    if (e->chunk > 0)
        turned.max_batched_tokens = e->chunk;
    return turned;
}

/* How many times worse than a goal, 0 where there is none; more than 1 is a reason. */
static double miss_of(double value, double goal, enum reason reason, uint64_t *reasons)
{
    if (goal <= 0)
        return 0;
    *reasons |= value > goal ? REASON_BIT(reason) : 0;
    return value / goal;
}

/* Of as many at once as the pool holds while they are spread. */
static double admitted_of(const struct request *q, const struct load *load,
                          const struct evaluation *e)
{
    struct request held = *q;
    struct load own = *load;
    struct memory m;

    held.users = e->users;
    own.max_num_seqs = memory_max_num_seqs(&held);
    memory_estimate(&held, &own, &e->layout, &m);
    return speed_admitted(q, &own, &m);
}

#define CLEARLY 1.1 /* served: capacity jumps a little from one number at once to another */

/* What a rate comes to is solved with as many slots as there may be; the plan admits what the pool
 * holds. Where half of that or more are in flight, or as many serve little more than arrives, the
 * two may differ. */
static void served_as_admitted(const struct request *q, const struct load *load,
                               const struct evaluation *e, struct served_load *p)
{
    const struct binding *b = &e->binding;
    double held = memory_requests_held(b, b->pool.low);
    struct serve at;

    if (p->serve.running < 0.5 * held &&
        speed_capacity(q, load, &e->layout, p->step, held) > CLEARLY * q->rate)
        return;
    double admitted = admitted_of(q, load, e);
    p->held = speed_serve(q, p->step, load, &e->layout, admitted, &at);
    p->serve = at;
    if (p->held)
        return;
    p->served = speed_capacity(q, load, &e->layout, p->step, admitted);
    p->rate_miss = q->rate / p->served;
}

static uint64_t evaluate_goals(const struct request *q, const struct load *load,
                               const struct served_load *p, struct evaluation *e)
{
    uint64_t reasons = 0;

    if (p->step->gap != SPEED_KNOWN)
        return REASON_BIT(REASON_NO_SPEED);
    double busy = speed_busy(q, &e->layout);
    struct goal_ends end = goals_ends(q, p->step, &p->serve, p->serve.running * busy);
    double slow = q->throughput > 0 && e->tokens > 0 ? q->throughput / e->tokens * end.tpot : 0;
    double rate = p->rate_miss;

    e->miss = fmax(miss_of(e->ttft * end.ttft, q->ttft, REASON_TTFT, &reasons),
                   miss_of(e->tpot * end.tpot, q->tpot, REASON_TPOT, &reasons));
    if (late_asked(q)) {
        e->miss = fmax(e->miss, miss_of(e->ttft, late_mean_ttft(q), REASON_TTFT_LATE, &reasons));
        e->miss = fmax(e->miss, miss_of(e->tpot, late_mean_tpot(q), REASON_TPOT_LATE, &reasons));
        e->miss =
            fmax(e->miss, miss_of(late_miss(q, &e->layout), 1 + 1e-9, REASON_TTFT_LATE, &reasons));
    }
    if (q->rate <= 0 || slow > end.tpot) /* else what arrives is what is produced */
        e->miss = fmax(e->miss, miss_of(slow, slow > 0, REASON_THROUGHPUT, &reasons));
    if (q->rate > 0 && (p->held ? end.tpot > 1 : e->queues))
        rate = q->rate * end.tpot /
               speed_capacity(q, load, &e->layout, p->step, admitted_of(q, load, e));
    e->miss = fmax(e->miss, miss_of(rate, rate > 0, REASON_RATE, &reasons));
    return reasons | (uint64_t)!p->held << REASON_RATE;
}

/* Replicas for prompts alone, cut in another way, hold the weights and the prompts of a
 * step at full length. */
static uint64_t judge_prefill(const struct request *q, const struct load *load,
                              const struct layout *l)
{
    struct layout side = layout_prefill(l);
    struct request held = *q;
    struct binding b;
    double each = fmax(floor(load->max_batched_tokens / fmax(q->prompt, 1)), 1);

    held.users = side.replicas * fmin(each, load->max_num_seqs);
    memory_binding(&held, load, &side, &b);
    if (b.state == MEMORY_HOLDS)
        return 0;
    return b.state == MEMORY_LACKS ? REASON_BIT(REASON_PREFILL_LACKS)
                                   : REASON_BIT(REASON_PREFILL_TIGHT) | REASON_BIT(REASON_DECIDES);
}

/* users: that run at once. */
static void judge_memory(const struct request *q, const struct load *load, double users,
                         struct evaluation *e)
{
    struct request held;
    struct load own;

    if (users != q->users) {
        held = *q;
        held.users = users;
        q = &held;
        own = *load;
        own.max_num_seqs = memory_max_num_seqs(q);
        load = &own;
    }
    memory_binding(q, load, &e->layout, &e->binding);
    e->reasons = reasons_of_layout(q, load, &e->layout, &e->binding);
    if (e->layout.prefill_tp > 0)
        e->reasons |= judge_prefill(q, load, &e->layout);
    e->margin = e->binding.pool.value - e->binding.reserved;
}

uint64_t reasons_of_budget(const struct request *q, double per_hour)
{
    if (q->budget <= 0)
        return 0;
    return per_hour <= 0          ? REASON_BIT(REASON_NO_PRICE)
           : per_hour > q->budget ? REASON_BIT(REASON_BUDGET)
                                  : 0;
}

double evaluate_held(const struct request *q, const struct load *load, const struct layout *l)
{
    double slots = load->max_num_seqs * layout_decoding(l);

    return q->ttft > 0 && q->rate <= 0 ? fmin(q->users, slots) : q->users;
}

/* Memory is judged for those that run at once, speed for all of them; what does not fit
 * has no speed, unless a rate says how many run. */
static void judge_layout(const struct request *q, const struct load *load, struct evaluation *e)
{
    struct served_load served; /* large: the rest is filled in where speed is asked */
    double users;

    served.asked = request_asks_speed(q);
    served.judged = false;
    if (q->rate > 0) {
        served_load_of(q, load, &e->layout, &served);
        users = q->users;
        if (served.step->gap == SPEED_KNOWN) /* where more arrive than are served, as many as it
                                           * takes at once */
            users = served.held || q->split ? speed_users(&e->layout, &served.serve)
                                            : served.slots * layout_decoding(&e->layout);
        e->users = users;
    } else {
        users = evaluate_held(q, load, &e->layout);
        e->users = q->users;
    }
    judge_memory(q, load, users, e);
    /* of more than can be served the engine takes what the pool holds, and the rest queue */
    bool queues = q->rate > 0 && served.step->gap == SPEED_KNOWN && !served.held && !q->split;
    if (queues && reasons_verdict(e->reasons) > VERDICT_FITS) {
        const struct binding *b = &e->binding;
        double held = memory_requests_held(b, fmin(b->pool.low, b->free.low + b->reserved));

        held = fmin(held, served.slots) * layout_decoding(&e->layout);
        if (held >= 1 && held < users) {
            e->users = held;
            e->queues = true;
            judge_memory(q, load, held, e);
        }
    }
    if (q->rate > 0 && served.judged && served.step->gap == SPEED_KNOWN && served.held &&
        !q->split && reasons_verdict(e->reasons) <= VERDICT_MARGINAL)
        served_as_admitted(q, load, e, &served);
    if (q->rate <= 0 && served.asked && reasons_verdict(e->reasons) != VERDICT_DOES_NOT_FIT)
        served_load_of(q, load, &e->layout, &served);
    if (served.judged && served.step->gap == SPEED_KNOWN) {
        e->served = served.served;
        e->ttft = served.serve.ttft;
        e->tpot = served.serve.tpot;
        e->tokens = served.serve.requests * speed_busy(q, &e->layout) * q->output;
    }
    /* of what is marginal its goals are no reason: how near it comes to them is told all the
     * same */
    enum verdict holds = reasons_verdict(e->reasons);
    uint64_t goals =
        served.judged && holds <= VERDICT_MARGINAL ? evaluate_goals(q, load, &served, e) : 0;
    if (holds == VERDICT_FITS)
        e->reasons |= goals;
    else if (goals & REASON_BIT(REASON_NO_SPEED))
        e->miss = INFINITY;
    /* a circuit must hold the worst case, whatever the load */
    double most = q->power_cap > 0 ? power_most(q) : 0;
    if (q->power_cap > 0 && most <= 0)
        e->reasons |= REASON_BIT(REASON_NO_POWER);
    else if (e->layout.gpus * most > q->power_cap)
        e->reasons |= REASON_BIT(REASON_POWER);
}

static void evaluate_one(const struct request *q, const struct load *load,
                         const struct prices *prices, const struct layout *layout,
                         struct evaluation *e)
{
    struct layout *l = &e->layout;

    *l = *layout;
    l->gpus = layout_gpus(l);
    l->hosts = layout_hosts(l, q->host_gpus);
    e->price = (struct price){0};
    e->margin = e->miss = e->ttft = e->tpot = e->tokens = e->chunk = e->served = 0;
    e->turned = (struct knobs){0};
    e->sure = 0;
    e->queues = false;
    e->users = q->users;
    e->valid = load->cut_valid || layout_valid(q, l);
    e->reasons = REASON_BIT(REASON_LAYOUT);
    if (e->valid)
        judge_layout(q, load, e);
    if (e->valid && prices) {
        e->price = cost_price(prices, l);
        if (q->budget > 0 && reasons_verdict(e->reasons) <= VERDICT_SLOW)
            e->reasons |= reasons_of_budget(q, e->price.per_hour);
        if (q->budget > 0 && reasons_verdict(e->reasons) <= VERDICT_MARGINAL)
            e->miss = fmax(e->miss, e->price.per_hour / q->budget);
    }
    e->verdict = reasons_verdict(e->reasons);
    e->limit = reasons_limit(e->reasons);
    if (e->limit == LIMIT_USED)
        e->margin = fmin(e->margin, load->usable.value - q->used - load->budget.value);
    if (e->price.machines > 0)
        l->hosts = e->price.machines;
}

/* Of two splits of the same replicas: the goals first, then fewer GPUs to rent or less money, where
 * both have a price, then fewer GPUs, where the sides' TP differ, then what is served. */
static bool better_split(const struct evaluation *a, const struct evaluation *b)
{
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict;
    if (fmax(a->miss, 1) != fmax(b->miss, 1))
        return a->miss < b->miss;
    if (a->price.gpus > 0 && b->price.gpus > 0) {
        if (a->price.gpus != b->price.gpus)
            return a->price.gpus < b->price.gpus;
        if (fabs(a->price.per_hour - b->price.per_hour) > 0.005)
            return a->price.per_hour < b->price.per_hour;
    }
    if (a->layout.gpus != b->layout.gpus)
        return a->layout.gpus < b->layout.gpus;
    return a->served > b->served;
}

/* Users whose answers end later ask later: fewer replicas that decode leave more time to the
 * prompts. */
static bool may_hurry(const struct request *q, const struct evaluation *e)
{
    return q->gpu_count <= 0 && q->replicas <= 0 && q->rate <= 0 && e->valid &&
           e->limit == LIMIT_TTFT;
}

#define SPLITS 16 /* of many replicas not each is looked at */

/* Replicas for prompts alone in each other TP, in place of whole replicas that decode;
 * where the number of GPUs is open, what is left of the last is not taken. */
static void evaluate_own_tp(const struct request *q, const struct load *load,
                            const struct prices *prices, const struct layout *layout,
                            struct evaluation *out)
{
    struct evaluation e;
    int all = layout->replicas * layout->tp, fits = all - layout->tp;

    for (int tp = 1; tp <= q->host_gpus && tp <= fits; tp++) {
        int most = fits / tp, step = (most + SPLITS / 2 - 1) / (SPLITS / 2);

        for (int n = 1; tp != layout->tp && n <= most; n += step) {
            struct layout l = *layout;
            int taken = (n * tp + l.tp - 1) / l.tp;

            l.prefill = n;
            l.prefill_tp = tp;
            int decode = layout->replicas - taken;
            do {
                l.replicas = n + decode;
                if (q->gpu_count > 0 && layout_gpus(&l) != q->gpu_count)
                    break;
                evaluate_one(q, load, prices, &l, &e);
                if (e.valid && (!out->valid || better_split(&e, out)))
                    *out = e;
                decode /= 2;
            } while (may_hurry(q, &e) && decode > 0);
        }
    }
}

bool evaluate_sides(const struct request *q, const struct layout *l)
{
    return q->split && q->prefill <= 0 && q->tp <= 0 && layout_ways(l) == 1;
}

static void evaluate_splits(const struct request *q, const struct load *load,
                            const struct prices *prices, const struct layout *layout,
                            struct evaluation *out)
{
    struct layout l = *layout;
    struct evaluation e;
    int ways = layout_ways(&l), groups = l.replicas / ways;
    int step = ways * (groups > SPLITS ? (groups + SPLITS - 1) / SPLITS : 1);

    l.prefill = q->prefill > 0 ? q->prefill : ways;
    evaluate_one(q, load, prices, &l, out);
    if (q->prefill > 0)
        return;
    for (l.prefill += step; l.prefill <= l.replicas - ways; l.prefill += step) {
        evaluate_one(q, load, prices, &l, &e);
        if (better_split(&e, out))
            *out = e;
    }
    if (evaluate_sides(q, &l))
        evaluate_own_tp(q, load, prices, layout, out);
}

void evaluate(const struct request *q, const struct load *load, const struct prices *prices,
              const struct layout *layout, struct evaluation *e)
{
    if (q->split && layout->prefill == 0)
        evaluate_splits(q, load, prices, layout, e);
    else
        evaluate_one(q, load, prices, layout, e);
}

bool evaluation_spans(const struct request *q, const struct evaluation *e)
{
    return e->price.rented ? e->price.apart : layout_widest(&e->layout) > request_domain(q);
}
