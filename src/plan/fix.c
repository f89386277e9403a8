/*
 * fix.c - what to change so that a plan fits (plan_fixes of plan.h).
 *
 * Every proposal is a copy of the request with one field changed (or a pair of engine
 * options, where neither alone is enough), planned like any other request; only those
 * that fit (or, where nothing does, are at least marginal) are offered, in the order in which
 * one tries them: options, quantized KV, a shorter context, fewer users, another layout,
 * quantized weights, host memory, another GPU, more GPUs. Of one kind a known cost stands before
 * an unknown one, one machine before several, then less money.
 */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "plan/search.h"
#include "plan/solve.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof((list)[0])))
#define OTHER_GPUS 3 /* offered besides the one asked for */

struct fix_search {
    const struct plan *plan;       /* its request as it was asked */
    const struct request *planned; /* with what the search turned of the engine's options */
    const struct choices *choices;
    const struct market *market;
    struct fix found[2 * PLAN_MAX_FIXES];
    int count;
    struct layout cut[8]; /* offered by propose_cut() */
    int cuts;
    bool no_gpu; /* it is known that no other GPU does it */
};

/* The order in which one tries them. */
enum rank {
    RANK_KNOB,
    RANK_EAGER, /* slower steps */
    RANK_KV,
    RANK_CONTEXT,
    RANK_USERS,
    RANK_HOST_USUAL, /* of an engine that is run so */
    RANK_LAYOUT,     /* of no more GPUs */
    RANK_ENGINE,
    RANK_PRECISION,
    RANK_BOTH = RANK_PRECISION + 10, /* engine and precision; lower ones lie between */
    RANK_HOST,                       /* much of its speed */
    RANK_GPU,
    RANK_MORE,  /* GPUs of the same kind */
    RANK_OTHER, /* less than half of the context or the users that were asked for */
};

#define SHRINKS 0.5 /* of what was asked, at least: less is another question */

/* One proposal: which fields of the request it changed, and how it is said. */
struct proposal {
    struct request request;
    unsigned changes; /* bits of enum change */
    enum fix_kind kind;
    int rank;
};

#define BIT(change) (1u << (change))

static struct proposal fix_begin(const struct fix_search *f, enum fix_kind kind, int rank,
                                 unsigned changes)
{
    return (struct proposal){
        .request = f->plan->request, .kind = kind, .rank = rank, .changes = changes};
}

static double margin_of(const struct plan *plan)
{
    return plan->has_memory ? plan_margin(plan) : 0;
}

static void fix_offer(struct fix_search *f, const struct proposal *p, const struct evaluation *e)
{
    const struct plan *asked = f->plan;
    const struct request *q = &p->request;
    bool owned = q->price == WANT_BUY && e->price.per_hour > 0;
    bool held = e->verdict == VERDICT_FITS || !request_asks_speed(q);

    if (f->count >= COUNT_OF(f->found))
        return;
    struct fix *fix = &f->found[f->count++];
    *fix = (struct fix){
        .kind = p->kind,
        .changes = p->changes,
        .request = *q,
        .verdict = e->verdict,
        .gain = e->margin - margin_of(asked),
        .gpus = e->layout.gpus,
        .spans = evaluation_spans(q, e),
        .rank = p->rank == RANK_LAYOUT && e->layout.gpus > asked->layout.gpus ? RANK_MORE
                : p->rank == RANK_KNOB && p->changes & BIT(CHANGE_EAGER)      ? RANK_EAGER
                                                                              : p->rank,
        .per_hour = e->price.per_hour,
        .ttft = e->ttft,
        .tpot = e->tpot,
    };
    /* A search takes what is owned at the most that it draws, and speed as if all users that
     * may not fit were held: both are then those of the plan. */
    if (owned || !held) {
        struct request own = evaluation_request(q, e);
        struct plan plan;

        plan_layout(&own, &e->layout, f->market, &plan);
        fix->per_hour = plan.cost.per_hour;
        fix->ttft = request_asks_speed(q) ? plan.speed.ttft.value : 0;
        fix->tpot = request_asks_speed(q) ? plan.speed.tpot.value : 0;
    }
    fix->cost_known = fix->per_hour > 0 && asked->cost.per_hour > 0;
    fix->cost_delta = fix->cost_known ? fix->per_hour - asked->cost.per_hour : 0;
    if (p->changes & BIT(CHANGE_GPU))
        fix->request.gpu_count = search_named_count(q, e, f->market);
    if (p->changes & BIT(CHANGE_MAX_PP))
        fix->request.max_pp = e->layout.pp;
    fix->changes |= plan_keep_context(&asked->request, &fix->request);
}

unsigned plan_keep_context(const struct request *asked, const struct request *fixed)
{
    bool same = request_usual_context(asked) == request_usual_context(fixed);

    return (unsigned)(asked->context_auto && !same) << CHANGE_CONTEXT;
}

/* Is p better than the plan? *e: the best layout of it. */
static bool fix_helps(const struct fix_search *f, const struct proposal *p, struct evaluation *e)
{
    bool fits = f->plan->verdict <= VERDICT_MARGINAL; /* nothing less is of use */

    (fits ? search_offer : search_starting)(&p->request, f->market, SEARCH_FEWEST_GPUS, e);
    return e->verdict != VERDICT_SLOW && e->verdict < f->plan->verdict;
}

static bool fix_propose(struct fix_search *f, const struct proposal *p)
{
    struct evaluation e;

    if (!fix_helps(f, p, &e))
        return false;
    /* which leaves out what a plan may prefer to what may not fit */
    if (e.verdict == VERDICT_MARGINAL)
        search_layout_planned(&p->request, f->market, SEARCH_FEWEST_GPUS, &e);
    if (e.verdict == VERDICT_SLOW || e.verdict >= f->plan->verdict)
        return false;
    fix_offer(f, p, &e);
    return true;
}

/* The most, or the least, in (low, high) of a count of the request with which it fits, by
 * halves: fewer slots of adapters, more layers in host memory. */
static void propose_halved(struct fix_search *f, struct proposal *p, int *count, int low, int high,
                           bool most)
{
    struct evaluation e;

    while (high - low > 1) {
        *count = low + (high - low) / 2;
        search_offer(&p->request, f->market, SEARCH_FEWEST_GPUS, &e);
        *((e.verdict == VERDICT_FITS) == most ? &low : &high) = *count;
    }
    *count = most ? low : high;
    if (most ? low > 0 : high > low)
        fix_propose(f, p);
}

/* ---- options of the engine ---- */

#define KNOBS_FIRST CHANGE_UTILIZATION
#define KNOBS_END (CHANGE_EAGER + 1)

/* Steps of one option, the mildest first; 0 ends the list. */
static const double knob_steps[CHANGE_COUNT][6] = {
    [CHANGE_UTILIZATION] = {0.95},
    [CHANGE_TOKENS] = {4096, 2048, 1024, 512},
    [CHANGE_SEQS] = {512, 256, 128, 64, 32},
    [CHANGE_EAGER] = {1},
};

/* Turns one option of r; false when the step takes nothing, or more than the load has
 * room for: a slot for each user, and tokens of a step for each slot, as vLLM asks. */
static bool turn_knob(struct proposal *p, enum change knob, double step)
{
    struct request *r = &p->request;
    double users = ceil(r->users / (r->replicas > 0 ? r->replicas : 1));

    switch (knob) {
    case CHANGE_UTILIZATION:
        if (memory_budget(r) == BUDGET_ASKED ||
            (r->utilization > 0 ? r->utilization : r->engine->fraction) >= step)
            return false;
        r->utilization = step;
        break;
    case CHANGE_TOKENS:
        if (step >= memory_max_batched_tokens(r) || step < memory_max_num_seqs(r))
            return false;
        r->max_batched_tokens = step;
        break;
    case CHANGE_SEQS:
        if (step >= memory_max_num_seqs(r) || step < users)
            return false;
        r->max_num_seqs = step;
        break;
    case CHANGE_EAGER:
        if (r->eager || !engine_has_eager(r->engine))
            return false;
        r->eager = true;
        break;
    default:
        return false;
    }
    p->changes |= BIT(knob);
    return true;
}

/* Turns one option, or two of them, to the mildest steps that fit. */
static bool propose_knobs(struct fix_search *f, enum change a, enum change b)
{
    for (const double *x = knob_steps[a]; *x > 0; x++) {
        struct proposal p = fix_begin(f, FIX_KNOBS, RANK_KNOB, 0);

        if (!turn_knob(&p, a, *x))
            continue;
        if (a == b && fix_propose(f, &p))
            return true;
        for (const double *y = knob_steps[b]; a != b && *y > 0; y++) {
            struct proposal both = p;

            if (turn_knob(&both, b, *y) && fix_propose(f, &both))
                return true;
        }
    }
    return false;
}

/* May options of the engine do it? Each step of vLLM's frees memory, but a larger share leaves less
 * beside it: what all of them together do not cure, with that and without, none does. */
static bool knobs_help(const struct fix_search *f)
{
    const struct request *asked = &f->plan->request;
    bool help = request_asks_speed(asked) || memory_budget(asked) != BUDGET_UTILIZATION;

    for (int share = 0; share < 2 && !help; share++) {
        struct proposal p = fix_begin(f, FIX_KNOBS, RANK_KNOB, 0);
        struct evaluation e;

        for (int a = KNOBS_FIRST + !share; a < KNOBS_END; a++)
            for (const double *step = knob_steps[a]; *step > 0; step++)
                turn_knob(&p, (enum change)a, *step);
        help = p.changes && fix_helps(f, &p, &e);
    }
    return help;
}

static void turn_knobs(struct fix_search *f)
{
    bool any = false;

    if (!knobs_help(f))
        return;
    for (int a = KNOBS_FIRST; a < KNOBS_END; a++)
        if (a != CHANGE_SEQS || f->plan->limit != LIMIT_STATES)
            any = propose_knobs(f, (enum change)a, (enum change)a) || any;
    for (int a = KNOBS_FIRST; a < KNOBS_END && !any; a++)
        for (int b = a + 1; b < KNOBS_END; b++)
            propose_knobs(f, (enum change)a, (enum change)b);
}

static void engine_knobs(struct fix_search *f)
{
    const struct request *asked = &f->plan->request;
    uint64_t rest = REASON_BIT(REASON_REST_LACKS) | REASON_BIT(REASON_REST_TIGHT);

    turn_knobs(f);
    if (asked->engine->state_exit && f->plan->limit == LIMIT_STATES &&
        f->plan->memory.state_blocks.low >= 1) {
        struct proposal p = fix_begin(f, FIX_STATES, RANK_KNOB, BIT(CHANGE_SEQS));

        p.request.max_num_seqs = f->plan->memory.state_blocks.low;
        fix_propose(f, &p);
    }
    if (f->planned->users > memory_max_num_seqs(asked)) {
        struct proposal p = fix_begin(f, FIX_SLOTS, RANK_KNOB, BIT(CHANGE_SEQS));

        p.request.max_num_seqs = f->planned->users;
        fix_propose(f, &p);
    }
    /* What the fraction leaves is short: the largest smaller one that fits. */
    bool found = !f->plan->has_memory || !(f->plan->reasons & rest);
    for (int percent = 90; percent >= 40 && !found; percent -= 5) {
        struct proposal p = fix_begin(f, FIX_SHARE, RANK_KNOB, BIT(CHANGE_UTILIZATION));

        p.request.utilization = percent / 100.0;
        found = p.request.utilization < f->plan->memory.fraction && fix_propose(f, &p);
    }
    if (asked->used > 0 && f->plan->limit == LIMIT_USED) {
        struct proposal p = fix_begin(f, FIX_UNUSED, RANK_KNOB, BIT(CHANGE_UTILIZATION));
        double left = 1 - asked->used / gpu_usable(asked->gpu).value;

        p.request.utilization = floor(left * 100) / 100;
        fix_propose(f, &p);
    }
}

/* ---- goals of speed ---- */

/* Shares of the users that run at once, the most first. */
static const double at_once[] = {7 / 8., 3 / 4., 5 / 8., 1 / 2., 3 / 8., 1 / 4.};

/* Users may wait as long as a goal of TTFT lets them; nobody else said how many run. */
static bool may_wait(const struct request *q)
{
    return q->ttft > 0 && q->tpot > 0 && q->rate <= 0 && q->max_num_seqs <= 0;
}

static struct proposal run_at_once(const struct fix_search *f, double share, int copies)
{
    struct proposal p = fix_begin(f, FIX_AT_ONCE, RANK_USERS, BIT(CHANGE_SEQS));

    p.request.max_num_seqs = fmax(floor(p.request.users / copies * share), 1);
    return p;
}

/* The most users at once in so many copies with which the fewest GPUs do. */
static void wait_in_copies(struct fix_search *f, int copies, struct proposal *found,
                           struct evaluation *best)
{
    struct evaluation e;

    for (int i = 0; i < COUNT_OF(at_once); i++) {
        struct proposal p = run_at_once(f, at_once[i], copies);

        search_offer(&p.request, f->market, SEARCH_FEWEST_GPUS, &e);
        if (e.verdict != VERDICT_FITS || e.layout.gpus >= best->layout.gpus)
            continue;
        *best = e;
        *found = p;
    }
}

/* Where the goals took more GPUs than they would if some users waited. */
static void wait_for_fewer(struct fix_search *f)
{
    const struct layout *l = &f->plan->layout;
    struct evaluation best = {.layout = *l};
    struct proposal found;

    if (f->plan->verdict != VERDICT_FITS || f->plan->request.gpu_count > 0 || l->gpus == 1 ||
        !may_wait(&f->plan->request))
        return;
    wait_in_copies(f, 1, &found, &best);
    if (l->replicas > 2)
        wait_in_copies(f, l->replicas - 1, &found, &best);
    if (best.layout.gpus < l->gpus)
        fix_offer(f, &found, &best);
}

static void reach_goals(struct fix_search *f)
{
    /* More users keep more of the GPUs busy. */
    static const double times[] = {1.25, 1.5, 2, 3, 4, 6, 8, 12, 16};
    bool done = f->plan->limit != LIMIT_TPOT || !may_wait(&f->plan->request);

    for (int i = 0; i < COUNT_OF(at_once) && !done; i++) {
        struct proposal p = run_at_once(f, at_once[i], f->plan->layout.replicas);

        done = fix_propose(f, &p);
    }
    done = f->plan->limit != LIMIT_THROUGHPUT;
    for (int i = 0; i < COUNT_OF(times) && !done; i++) {
        struct proposal p = fix_begin(f, FIX_MORE_USERS, RANK_USERS, BIT(CHANGE_USERS));

        p.request.users = ceil(p.request.users * times[i]);
        done = fix_propose(f, &p);
    }
    /* Where the tokens of a step were given: those that reach the goals. */
    struct proposal p = fix_begin(f, FIX_STEPS, RANK_KNOB, BIT(CHANGE_TOKENS));
    struct evaluation e;

    if (p.request.max_batched_tokens <= 0)
        return;
    p.request.max_batched_tokens = 0;
    search_layout(&p.request, f->market, SEARCH_FEWEST_GPUS, &e);
    p.request.max_batched_tokens = e.chunk > 0 ? e.chunk : memory_max_batched_tokens(&p.request);
    fix_propose(f, &p);
}

/* ---- host memory ---- */

/* The fewest layers, or layers' experts, in host memory with which it fits; of the GPUs that
 * were asked for. */
static void on_host(struct fix_search *f)
{
    const struct request *q = &f->plan->request;
    const struct memory *m = &f->plan->memory;
    double lacks = fmax(m->kv_reserved.value - m->kv_pool.low, -m->free.low);
    int usual = q->engine->gguf ? RANK_HOST_USUAL : RANK_HOST;
    struct proposal p;

    if (q->gpu_count == 0 || gpu_shares_memory(q->gpu))
        return;
    if (engine_lists(q->engine->offload, "experts") && model_experts(q->model) > 0) {
        p = fix_begin(f, FIX_HOST_EXPERTS, usual, BIT(CHANGE_CPU_MOE));
        propose_halved(f, &p, &p.request.host_experts, q->host_experts, q->model->layer_count,
                       false);
    } else if (engine_lists(q->engine->offload, "layers")) {
        p = fix_begin(f, FIX_HOST_LAYERS, usual, BIT(CHANGE_GPU_LAYERS));
        propose_halved(f, &p, &p.request.host_layers, q->host_layers, q->model->layer_count, false);
    }
    if (engine_lists(q->engine->offload, "bytes") && lacks > 0) { /* whole GiB per GPU */
        p = fix_begin(f, FIX_HOST_BYTES, RANK_HOST, BIT(CHANGE_CPU_OFFLOAD));
        p.request.host_bytes = ceil((p.request.host_bytes + lacks) / GP_GIB) * GP_GIB;
        fix_propose(f, &p);
    }
    if (engine_lists(q->engine->kv_offload, "all")) {
        p = fix_begin(f, FIX_HOST_KV, RANK_HOST, BIT(CHANGE_NO_KV));
        p.request.kv_on_host = true;
        fix_propose(f, &p);
    }
}

/* ---- formats and engines ---- */

/* The KV cache in the 16 bit that any engine has. */
static unsigned plain_kv(struct request *r)
{
    if (r->kv == r->precision.base)
        return 0;
    r->kv = r->precision.base;
    r->kv_auto = r->kv == r->precision.kv;
    return BIT(CHANGE_KV);
}

static void fix_formats(struct fix_search *f)
{
    bool alone = false;
    uint64_t refused = REASON_BIT(REASON_KV_FORMAT) | REASON_BIT(REASON_KV_GPU);
    struct proposal plain = fix_begin(f, FIX_KV, RANK_KV, 0);

    plain.changes = f->plan->reasons & refused ? plain_kv(&plain.request) : 0;
    if (plain.changes)
        fix_propose(f, &plain);

    if (f->choices->kv && f->plan->request.kv->bits > f->choices->kv->bits) {
        struct proposal p = fix_begin(f, FIX_KV, RANK_KV, BIT(CHANGE_KV));

        p.request.kv = f->choices->kv;
        p.request.kv_auto = false;
        fix_propose(f, &p);
    }
    for (int i = 0; i < f->choices->lower_count; i++) {
        struct proposal p = fix_begin(f, FIX_PRECISION, RANK_PRECISION + i, BIT(CHANGE_PRECISION));

        request_take_precision(&p.request, &f->choices->lower[i]);
        fix_propose(f, &p);
        if (alone || f->plan->layout.gpus <= 1)
            continue;
        p.kind = FIX_ONE_GPU;
        p.request.gpu_count = 1;
        p.changes |= BIT(CHANGE_GPU);
        alone = fix_propose(f, &p);
    }
}

/* An engine that reads GGUF keeps the KV cache in 16 bit or in a format of its own. */
static void gguf_formats(struct fix_search *f, const struct engine *engine)
{
    struct proposal p = fix_begin(f, FIX_GGUF, RANK_BOTH, 0);
    const struct request asked = p.request;

    for (int i = 0; i < f->choices->gguf_count; i++) {
        struct request *r = &p.request;

        *r = asked;
        r->engine = engine;
        request_take_precision(r, &f->choices->gguf[i]);
        p.changes =
            BIT(CHANGE_ENGINE) | BIT(CHANGE_PRECISION) | (r->kv->bits < 16 ? plain_kv(r) : 0);
        if (fix_propose(f, &p))
            return;
    }
}

/* Does another engine have the options that are given? Those of host memory, drafts and
 * adapters it may have or not. */
static bool takes_options(const struct engine *e, const struct request *q)
{
    bool own = q->host_layers > 0 || q->host_experts > 0 || q->host_bytes > 0 || q->host_kv > 0 ||
               q->kv_on_host || q->draft || q->lora_slots > 0;

    return !own && (!q->split || e->disaggregation[0]) && (!q->text_only || e->language_only);
}

static void fix_engines(struct fix_search *f)
{
    for (int i = 0; i < f->choices->engine_count; i++) {
        const struct engine *e = f->choices->engines[i];

        if (!takes_options(e, &f->plan->request))
            continue;
        if (e->gguf) {
            gguf_formats(f, e);
        } else if (f->plan->limit == LIMIT_TYPE) {
            struct proposal p = fix_begin(f, FIX_ENGINE, RANK_ENGINE, BIT(CHANGE_ENGINE));

            p.request.engine = e;
            fix_propose(f, &p);
        }
    }
}

/* ---- layouts ---- */

/* Plans p with the count left open, then with the count that this took, if the request
 * fixes one: what the user has to type is "--gpu ID:N" as well. True when it was
 * offered, or had been by another name. */
static bool propose_cut(struct fix_search *f, struct proposal p)
{
    struct evaluation e;

    p.request.gpu_count = 0;
    (request_asks_speed(&p.request) ? search_layout : search_starting)(&p.request, f->market,
                                                                       SEARCH_FEWEST_GPUS, &e);
    if (e.verdict == VERDICT_DOES_NOT_FIT)
        return false;
    for (int i = 0; i < f->cuts; i++)
        if (memcmp(&f->cut[i], &e.layout, sizeof(e.layout)) == 0)
            return true;
    if (f->plan->request.gpu_count > 0) {
        p.request.gpu_count = e.layout.gpus;
        p.changes |= BIT(CHANGE_GPU);
    }
    if (!fix_propose(f, &p))
        return false;
    if (f->cuts < COUNT_OF(f->cut))
        f->cut[f->cuts++] = e.layout;
    return true;
}

unsigned plan_free_layout(struct request *r)
{
    int told = r->prefill_tp > 0 ? r->tp : 0; /* said with the split, which stays */
    unsigned changes = (unsigned)(r->tp > 0 && told == 0) << CHANGE_TP |
                       (unsigned)(r->pp > 0) << CHANGE_PP | (unsigned)(r->ep > 0) << CHANGE_EP |
                       (unsigned)(r->replicas > 0) << CHANGE_REPLICAS |
                       (unsigned)(r->dp > 0) << CHANGE_DP;

    r->tp = told;
    r->pp = r->ep = r->replicas = r->dp = 0;
    return changes;
}

/* The nearest smaller or larger TP that is offered. */
static void other_tp(struct fix_search *f, enum fix_kind kind, int step)
{
    struct proposal p = fix_begin(f, kind, RANK_LAYOUT, BIT(CHANGE_TP));

    for (int tp = f->plan->layout.tp + step; step < 0 ? tp >= 1 : tp <= request_domain(&p.request);
         tp += step) {
        p.request.tp = tp;
        if (propose_cut(f, p))
            return;
    }
}

/* Opens up the layout, keeping the GPU: any layout of as many GPUs, then of more; the
 * next smaller TP that is valid; the next larger one that fits. */
static void fix_layouts(struct fix_search *f)
{
    const struct request *asked = &f->plan->request;
    struct proposal p = fix_begin(f, FIX_SAME_COUNT, RANK_LAYOUT, 0);

    p.changes = plan_free_layout(&p.request);
    bool same_count = p.changes && asked->gpu_count > 0 && fix_propose(f, &p);
    p.kind = FIX_OPEN;
    if (!same_count && (p.changes || asked->gpu_count > 0))
        propose_cut(f, p);
    if (asked->tp <= 0)
        return;
    if (f->plan->limit == LIMIT_LAYOUT)
        other_tp(f, FIX_SMALLER_TP, -1);
    other_tp(f, FIX_LARGER_TP, 1);
}

/* Where only more stages than max_pp fit, or where they need fewer GPUs. */
static void deeper_pipeline(struct fix_search *f)
{
    struct proposal p = fix_begin(f, FIX_PIPELINE, RANK_LAYOUT, BIT(CHANGE_MAX_PP));
    struct request *r = &p.request;
    struct evaluation e;
    bool fits = f->plan->verdict == VERDICT_FITS;
    int most = r->max_pp > 0 ? r->max_pp : SEARCH_MAX_PP;

    if (r->pp > 0 || r->model->layer_count <= most ||
        (fits && (r->gpu_count > 0 || f->plan->layout.gpus <= most + 1)))
        return;
    r->max_pp = r->model->layer_count;
    search_offer(r, f->market, SEARCH_FEWEST_GPUS, &e);
    if (e.verdict != VERDICT_FITS || e.layout.pp <= most ||
        (fits && e.layout.gpus >= f->plan->layout.gpus))
        return;
    fix_offer(f, &p, &e);
}

/* Where blocks of state for all slots, not weights or users, took more GPUs than were
 * needed: the most slots with which the fewest do. */
static void fewer_slots(struct fix_search *f)
{
    const struct request *asked = &f->plan->request;
    struct evaluation e, best = {0};
    struct proposal p, found;

    if (!asked->engine->state_exit || asked->gpu_count > 0 || !f->plan->memory.state_blocks.known)
        return;
    for (const double *step = knob_steps[CHANGE_SEQS]; *step > 0; step++) {
        p = fix_begin(f, FIX_FEWER_SLOTS, RANK_KNOB, 0);
        if (!turn_knob(&p, CHANGE_SEQS, *step))
            continue;
        search_offer(&p.request, f->market, SEARCH_FEWEST_GPUS, &e);
        if (e.verdict != VERDICT_FITS || e.layout.gpus >= f->plan->layout.gpus ||
            (best.layout.gpus > 0 && e.layout.gpus >= best.layout.gpus))
            continue;
        best = e;
        found = p;
    }
    if (best.layout.gpus > 0)
        fix_offer(f, &found, &best);
}

/* ---- other GPUs ---- */

struct other {
    struct request request;
    struct evaluation best;
    bool known;
};

static void offer_gpu(struct fix_search *f, const struct other *o)
{
    struct proposal p = fix_begin(f, FIX_GPU, RANK_GPU, BIT(CHANGE_GPU));
    const struct engine *usual = o->request.usual_engine;

    p.changes |= plan_free_layout(&p.request);
    p.request = o->request;
    if (usual && usual != p.request.engine) /* asked without its name, that GPU may get a third */
        p.changes |= BIT(CHANGE_ENGINE);
    fix_offer(f, &p, &o->best);
}

/* Less is better: a known price, one machine, the price, the number of GPUs; then the first. */
static bool cheaper_gpu(const struct other *a, const struct other *b)
{
    double x = a->best.price.per_hour, y = b->best.price.per_hour;
    bool spans = evaluation_spans(&a->request, &a->best);

    if ((x > 0) != (y > 0))
        return x > 0;
    if (spans != evaluation_spans(&b->request, &b->best))
        return !spans;
    if (x != y)
        return x < y;
    if (a->best.layout.gpus != b->best.layout.gpus)
        return a->best.layout.gpus < b->best.layout.gpus;
    return strcmp(a->request.gpu->id, b->request.gpu->id) < 0;
}

/* The fewest of a GPU that the weights go into; more than PLAN_MAX_GPUS: no number. */
static int fewest_of(const struct request *q, const struct load *load, const struct gpu *gpu)
{
    int n = 1;

    if (q->usual_engine && q->usual_engine != q->engine) /* what stays on the host may differ */
        return n;
    while (n <= PLAN_MAX_GPUS && search_too_heavy(q, load, gpu_usable(gpu).high, n, 1, n))
        n++;
    return n;
}

static bool fits_on(struct fix_search *f, struct other *o, double per_hour)
{
    search_layout_within(&o->request, f->market, per_hour, 0, &o->best);
    o->known = o->best.verdict == VERDICT_FITS;
    return o->known;
}

/* The cheapest of the others; and of the same vendor the cheapest that does it in as many
 * as were asked for. */
struct others {
    struct other best[OTHER_GPUS], same;
    int count;
};

struct offered {
    const struct gpu *gpu;
    int fewest;   /* that the weights go into */
    double about; /* dollars an hour for what the plan needs; INFINITY = nobody offers it */
    bool spans;   /* no machine holds the fewest */
};

/* Dollars an hour for so many of a GPU, at least. */
static double least_for(const struct fix_search *f, const struct offered *o, int count)
{
    return isfinite(o->about) ? cost_least(o->gpu, count, f->plan->request.price, f->market)
                              : INFINITY;
}

static void try_gpu(struct fix_search *f, const struct offered *offered, struct others *found)
{
    const struct request *asked = &f->plan->request;
    const struct gpu *gpu = offered->gpu;
    const struct other *last = &found->best[OTHER_GPUS - 1];
    struct other o;
    bool full = found->count == OTHER_GPUS && last->best.price.per_hour > 0;
    bool last_spans = full && evaluation_spans(&last->request, &last->best);
    /* dollars an hour above which this one is dearer than all that are kept */
    bool beaten = full && (!last_spans || offered->spans);
    double most = beaten ? last->best.price.per_hour : INFINITY;
    /* likewise in as many as were asked for: what is spread is worse than any that is not */
    const struct other *of_count = &found->same;
    bool whole = of_count->known && !evaluation_spans(&of_count->request, &of_count->best);
    double same = whole ? of_count->best.price.per_hour : 0;
    bool behind = full && (!isfinite(offered->about) || (offered->spans && !last_spans) ||
                           (beaten && least_for(f, offered, offered->fewest) > most));
    bool open = !behind && offered->fewest <= PLAN_MAX_GPUS;
    bool counted = asked->gpu_count >= offered->fewest &&
                   strcmp(gpu->vendor, asked->gpu->vendor) == 0 &&
                   !(same > 0 && least_for(f, offered, asked->gpu_count) > same);

    if (!open && !counted)
        return;
    o.request = search_on(asked, gpu, 0, f->market);
    plan_free_layout(&o.request);
    bool fits = open && fits_on(f, &o, most);

    /* a pipeline only where people run none of the layouts that the price leaves out */
    if (fits && beaten && o.best.layout.pp > 1)
        fits = fits_on(f, &o, INFINITY);
    if (fits) {
        /* among the cheapest OTHER_GPUS, in order */
        int at = found->count;

        while (at > 0 && cheaper_gpu(&o, &found->best[at - 1]))
            at--;
        if (at < OTHER_GPUS) {
            found->count = found->count < OTHER_GPUS ? found->count + 1 : found->count;
            memmove(&found->best[at + 1], &found->best[at],
                    (size_t)(found->count - 1 - at) * sizeof(found->best[0]));
            found->best[at] = o;
        }
    }
    if (!counted || (open && !fits && !beaten)) /* what does not fit in any number */
        return;
    o.request.gpu_count = asked->gpu_count;
    if (fits_on(f, &o, INFINITY) && (!found->same.known || cheaper_gpu(&o, &found->same)))
        found->same = o;
}

/* Is a GPU without a price of no use any more? */
static bool all_priced(const struct fix_search *f, const struct others *found)
{
    bool counted = f->plan->request.gpu_count > 0;

    return found->count == OTHER_GPUS && found->best[OTHER_GPUS - 1].best.price.per_hour > 0 &&
           (!counted || (found->same.known && found->same.best.price.per_hour > 0));
}

static int by_money(const void *pa, const void *pb)
{
    const struct offered *a = pa, *b = pb;

    if (a->spans != b->spans)
        return (int)a->spans - (int)b->spans;
    if (a->about != b->about)
        return a->about < b->about ? -1 : 1;
    return strcmp(a->gpu->id, b->gpu->id);
}

/* Is it refused on every GPU, by the model or by an engine that stays? */
static bool refused_anywhere(const struct plan *p)
{
    const uint64_t of_engine = REASON_BIT(REASON_FP16) | REASON_BIT(REASON_FORMAT) |
                               REASON_BIT(REASON_METHOD) | REASON_BIT(REASON_FAMILY) |
                               REASON_BIT(REASON_DROPPED) |
                               REASON_BIT(REASON_KV_FORMAT) | REASON_BIT(REASON_KV_BLOCK) |
                               REASON_BIT(REASON_DRAFT);
    const struct engine *usual = p->request.usual_engine;
    bool stays = !usual || usual == p->request.engine;

    return p->reasons & (REASON_BIT(REASON_CONTEXT) | (stays ? of_engine : 0));
}

/* Does anybody rent it out? */
static bool is_sold(const struct choices *c, const struct gpu *gpu)
{
    for (size_t i = 0; i < c->gpu_count; i++)
        if (c->gpus[i] == gpu)
            return true;
    return !c->all_gpus;
}

/* Those of a list, but for the one asked for: priced or not, in the order in which they are looked
 * at. Returns how many. */
static size_t order_gpus(const struct fix_search *f, const struct load *load,
                         const struct gpu *const *gpus, size_t gpu_count, bool priced,
                         struct offered order[])
{
    const struct request *asked = &f->plan->request;
    const struct memory *m = &f->plan->memory;
    double need =
        f->plan->has_memory ? m->file_bytes + m->kv_reserved.value * f->plan->layout.gpus : 0;
    size_t count = 0;

    for (size_t i = 0; i < gpu_count; i++) {
        const struct gpu *gpu = gpus[i];
        int about = (int)fmin(fmax(1, ceil(need / gpu->memory_marketed)), PLAN_MAX_GPUS);
        double money =
            is_sold(f->choices, gpu) ? cost_least(gpu, about, asked->price, f->market) : INFINITY;

        if (strcmp(gpu->id, asked->gpu->id) == 0 || isfinite(money) != priced)
            continue;
        int fewest = fewest_of(asked, load, gpu);
        order[count++] =
            (struct offered){gpu, fewest, money, priced && fewest > cost_widest(gpu, f->market)};
    }
    qsort(order, count, sizeof(*order), by_money);
    return count;
}

/* The cheapest other GPUs that fit; and of the same vendor the cheapest that does it in
 * as many as were asked for, a larger card in the same slots. Where both are one GPU at
 * one price (an instance is rented whole), the count that was asked for. What looks cheapest
 * comes first, as what is dearer than all that are kept is hardly searched; what nobody offers
 * is looked at only where there are not enough of the others: most GPUs are that. */
static void other_gpus(struct fix_search *f)
{
    const struct choices *c = f->choices;
    const struct request *asked = &f->plan->request;
    struct others found = {.count = 0};
    const struct other *same = &found.same;

    if (f->no_gpu || refused_anywhere(f->plan))
        return;
    const struct load load = load_sum(asked);
    const struct gpu *const *gpus = c->gpus;
    size_t all = c->gpu_count;
    struct offered *order = gp_calloc(all, sizeof(*order));
    size_t count = order_gpus(f, &load, gpus, all, true, order);

    for (size_t i = 0; i < count; i++)
        try_gpu(f, &order[i], &found);
    if (!all_priced(f, &found)) {
        gpus = c->all_gpus ? c->all_gpus(c->all_ctx, &all) : gpus;
        free(order);
        order = gp_calloc(all, sizeof(*order));
        count = order_gpus(f, &load, gpus, all, false, order);
        for (size_t i = 0; i < count && !all_priced(f, &found); i++)
            try_gpu(f, &order[i], &found);
    }
    free(order);
    for (int i = 0; i < found.count; i++)
        if (!same->known || found.best[i].request.gpu != same->request.gpu ||
            found.best[i].best.price.per_hour < same->best.price.per_hour)
            offer_gpu(f, &found.best[i]);
    if (same->known)
        offer_gpu(f, same);
}

/* ---- all of them ---- */

static int count_bits(unsigned bits)
{
    int count = 0;

    for (; bits; bits >>= 1)
        count += bits & 1;
    return count;
}

static int by_worth(const void *pa, const void *pb)
{
    const struct fix *a = pa, *b = pb;

    if (a->verdict != b->verdict)
        return (int)a->verdict - (int)b->verdict;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    if ((a->per_hour > 0) != (b->per_hour > 0))
        return a->per_hour > 0 ? -1 : 1;
    if (a->spans != b->spans)
        return (int)a->spans - (int)b->spans;
    if (fabs(a->per_hour - b->per_hour) > 0.005)
        return a->per_hour < b->per_hour ? -1 : 1;
    if (a->gpus != b->gpus)
        return a->gpus - b->gpus;
    if (count_bits(a->changes) != count_bits(b->changes))
        return count_bits(a->changes) - count_bits(b->changes);
    if (a->per_hour != b->per_hour)
        return a->per_hour < b->per_hour ? -1 : 1;
    if (a->changes != b->changes)
        return a->changes > b->changes ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

static int fix_pick(struct fix_search *f, struct fix out[PLAN_MAX_FIXES])
{
    qsort(f->found, (size_t)f->count, sizeof(f->found[0]), by_worth);
    bool any_fits = f->count > 0 && f->found[0].verdict == VERDICT_FITS;
    int n = 0;
    for (int i = 0; i < f->count && n < PLAN_MAX_FIXES; i++)
        if (!any_fits || f->found[i].verdict == VERDICT_FITS)
            out[n++] = f->found[i];
    return n;
}

/* Fewer users or tokens, and options of the engine. */
static void fix_load(struct fix_search *f)
{
    const struct plan *plan = f->plan;
    const struct request *asked = &plan->request;
    struct proposal p;
    double users = asked->rate > 0 ? 0 : solve_users(f->planned, &f->plan->layout);
    double context = solve_context(f->planned, &f->plan->layout);

    p = fix_begin(f, FIX_USERS, users < SHRINKS * asked->users ? RANK_OTHER : RANK_USERS,
                  BIT(CHANGE_USERS));
    if (users >= 1 && users < asked->users) {
        p.request.users = users;
        fix_propose(f, &p);
    }
    p = fix_begin(f, FIX_CONTEXT, context < SHRINKS * asked->context ? RANK_OTHER : RANK_CONTEXT,
                  BIT(CHANGE_CONTEXT));
    /* all that the model was made for, on as many GPUs as that takes, before less on these */
    struct proposal whole = p;
    bool taken = plan->reasons & REASON_BIT(REASON_CONTEXT) && asked->gpu_count <= 0 &&
                 request_take_context(&whole.request, asked->model->max_context, f->choices->trace);

    whole.rank = RANK_CONTEXT;
    taken = taken && fix_propose(f, &whole);
    if (!taken && context >= 256 && context < asked->context &&
        request_take_context(&p.request, context, f->choices->trace))
        fix_propose(f, &p);
    if (plan->request.lora_slots > 1) {
        p = fix_begin(f, FIX_LORA, RANK_USERS, BIT(CHANGE_LORA));
        propose_halved(f, &p, &p.request.lora_slots, 0, p.request.lora_slots, true);
    }
    engine_knobs(f);
}

static void propose_all(struct fix_search *f)
{
    const struct plan *plan = f->plan;
    struct proposal p;

    deeper_pipeline(f);
    fewer_slots(f);
    wait_for_fewer(f);
    if (plan->verdict == VERDICT_SLOW)
        reach_goals(f);
    if (plan->verdict != VERDICT_FITS) {
        fix_layouts(f);
        fix_engines(f);
        other_gpus(f);
        if (plan->request.draft) {
            p = fix_begin(f, FIX_DRAFT, RANK_CONTEXT, BIT(CHANGE_DRAFT));
            p.request.draft = NULL;
            p.request.draft_kind = DRAFT_NONE;
            p.request.draft_tokens = 0;
            fix_propose(f, &p);
        }
    }
    if (plan->verdict != VERDICT_FITS && plan->has_memory) {
        const struct request *asked = &f->plan->request;
        const struct load load = load_sum(asked);

        if (!search_lacks(asked, &load))
            fix_load(f);
        fix_formats(f);
        on_host(f);
    }
}

/* ---- several things wrong at once ---- */

/* Takes back what no model, engine or layout of this kind could serve, whatever the
 * memory: a proposal that changes one field cannot cure two of them. */
static struct proposal put_right(const struct fix_search *f)
{
    uint64_t reasons = f->plan->reasons;
    struct proposal p = fix_begin(f, FIX_REPAIRED, RANK_LAYOUT, 0);
    struct request *r = &p.request;
    struct request held = *r;

    if (r->context > r->model->max_context &&
        request_take_context(&held, r->model->max_context, f->choices->trace)) {
        *r = held;
        p.changes |= BIT(CHANGE_CONTEXT);
    }
    if (reasons & (REASON_BIT(REASON_KV_FORMAT) | REASON_BIT(REASON_KV_GPU)))
        p.changes |= plain_kv(r);
    if (reasons & REASON_BIT(REASON_SLOTS)) {
        r->max_num_seqs = 0;
        p.changes |= BIT(CHANGE_SEQS);
    }
    if (reasons & (REASON_BIT(REASON_LAYOUT) | REASON_BIT(REASON_GPU_COUNT)))
        p.changes |= plan_free_layout(r);
    return p;
}

/* Of which another GPU is free anyway, and has been tried. */
#define CHANGES_LAYOUT \
    (BIT(CHANGE_TP) | BIT(CHANGE_PP) | BIT(CHANGE_EP) | BIT(CHANGE_REPLICAS) | BIT(CHANGE_DP))

/* The fixes of a changed request, each with that change besides its own. */
static void fix_changed(struct fix_search *f, const struct proposal *p,
                        void (*proposals)(struct fix_search *f))
{
    struct plan right, own;

    if (p->changes == 0 || fix_propose(f, p))
        return;
    plan_request(&p->request, f->market, &right);
    own = right;
    plan_untuned(&right, &own.request);
    struct fix_search again = {.plan = &own,
                               .planned = &right.request,
                               .choices = f->choices,
                               .market = f->market,
                               .no_gpu = !(p->changes & ~CHANGES_LAYOUT)};
    proposals(&again);
    double asked = f->plan->cost.per_hour;
    for (int i = 0; i < again.count && f->count < COUNT_OF(f->found); i++) {
        struct fix *fix = &f->found[f->count++];

        *fix = again.found[i];
        fix->changes |= p->changes | plan_keep_context(&f->plan->request, &fix->request);
        fix->gain += margin_of(&right) - margin_of(f->plan);
        fix->cost_known = fix->per_hour > 0 && asked > 0;
        fix->cost_delta = fix->cost_known ? fix->per_hour - asked : 0;
    }
}

/* Some models no layout of this engine holds, on any GPU: another one that cuts layers,
 * on these GPUs or on others. */
static void fix_elsewhere(struct fix_search *f)
{
    for (int i = 0; i < f->choices->engine_count && f->count == 0; i++) {
        struct proposal p = put_right(f);

        p.kind = FIX_ENGINE;
        p.request.engine = f->choices->engines[i];
        if (p.request.engine->gguf || !takes_options(p.request.engine, &f->plan->request))
            continue;
        p.request.max_num_seqs = 0;
        p.changes |= BIT(CHANGE_ENGINE) | plan_free_layout(&p.request) | plain_kv(&p.request) |
                     (unsigned)(f->plan->request.max_num_seqs > 0) << CHANGE_SEQS;
        fix_changed(f, &p, other_gpus);
    }
}

int plan_fixes(const struct plan *plan, const struct choices *choices, const struct market *market,
               struct fix out[PLAN_MAX_FIXES])
{
    struct fix_search f; /* found[] is large, and filled as it is counted */
    struct plan asked = *plan;

    plan_untuned(plan, &asked.request);
    f.plan = &asked;
    f.planned = &plan->request;
    f.choices = choices;
    f.market = market;
    f.count = f.cuts = 0;
    f.no_gpu = false;
    propose_all(&f);
    int n = fix_pick(&f, out);
    if (plan->verdict != VERDICT_DOES_NOT_FIT || (n > 0 && out[0].verdict == VERDICT_FITS))
        return n;
    struct proposal p = put_right(&f);

    fix_changed(&f, &p, propose_all);
    if (f.count == 0)
        fix_elsewhere(&f);
    return fix_pick(&f, out);
}
