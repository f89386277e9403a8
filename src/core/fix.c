/*
 * fix.c - what to change so that a plan fits (plan_fixes of plan.h).
 *
 * Every proposal is a copy of the request with one field changed (or a pair of engine
 * options, where neither alone is enough), planned like any other request; only those
 * that fit (or, where nothing does, are at least marginal) are offered. The order: a
 * known cost before an unknown one, one machine before several, less money, then what
 * changes the request least.
 */
#include "core/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "core/solve.h"
#include "util/str.h"
#include "util/units.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof((list)[0])))
#define OTHER_GPUS     3 /* offered besides the one asked for */

struct fixer {
    const struct plan *plan;
    const struct choices *choices;
    const struct market *market;
    struct fix found[2 * PLAN_MAX_FIXES];
    int count;
    struct layout cut[8]; /* offered by propose_cut() */
    int cuts;
};

/* The rank says how much a fix takes from what was asked for. */
enum rank {
    RANK_KNOB,
    RANK_KV,
    RANK_LAYOUT,
    RANK_GPU,
    RANK_USERS,
    RANK_CONTEXT,
    RANK_ENGINE,
    RANK_PRECISION,
    RANK_BOTH = RANK_PRECISION + 10 /* engine and precision; lower ones lie between */
};

static void offer(struct fixer *f, const struct request *r, const struct evaluation *e,
                  enum rank rank, const char *option, const char *what)
{
    const struct plan *asked = f->plan;
    double per_hour = e->price.per_hour;
    if (f->count >= COUNT_OF(f->found))
        return;
    struct fix *fix = &f->found[f->count++];
    memset(fix, 0, sizeof(*fix));
    gp_copy(fix->what, sizeof(fix->what), what);
    gp_copy(fix->option, sizeof(fix->option), option);
    fix->verdict = e->verdict;
    fix->gain = e->margin - (asked->has_memory ? plan_margin(asked) : 0);
    fix->gpus = e->layout.gpus;
    fix->per_hour = per_hour;
    fix->cost_known = per_hour > 0 && asked->cost.per_hour > 0;
    fix->cost_delta = fix->cost_known ? per_hour - asked->cost.per_hour : 0;
    fix->spans = evaluation_spans(r, e);
    fix->rank = (int)rank;
}

static bool propose(struct fixer *f, const struct request *r, enum rank rank,
                    const char *option, const char *what)
{
    struct evaluation e;
    search_layout(r, f->market, SEARCH_FEWEST_GPUS, &e);
    if (e.verdict == VERDICT_DOES_NOT_FIT || e.verdict >= f->plan->verdict)
        return false;
    offer(f, r, &e, rank, option, what);
    return true;
}

/* ---- less of it ---- */

static void less_of_it(struct fixer *f)
{
    struct request r = f->plan->request;
    char what[120], option[64], text[32];
    double users = solve_users(&r, &f->plan->layout);
    double context = solve_context(&r, &f->plan->layout);
    if (users >= 1 && users < r.users) {
        r.users = users;
        gp_format(option, sizeof(option), "--users %.0f", users);
        gp_format(what, sizeof(what), "fewer users at once: %.0f", users);
        propose(f, &r, RANK_USERS, option, what);
        r.users = f->plan->request.users;
    }
    if (context >= 256 && context < r.context) {
        r.context = context;
        gp_format(option, sizeof(option), "--context %.0f", context);
        gp_format(what, sizeof(what), "a shorter context: %s tokens",
                  units_tokens(text, sizeof(text), context));
        propose(f, &r, RANK_CONTEXT, option, what);
    }
}

/* ---- options of the engine ---- */

enum knob { KNOB_UTILIZATION, KNOB_TOKENS, KNOB_SEQS, KNOB_COUNT };

/* Steps of one option, the mildest first; 0 ends the list. */
struct knob_row {
    const char *option; /* with its format */
    const char *what;
    double steps[6];
};

static const struct knob_row knob_rows[KNOB_COUNT] = {
    [KNOB_UTILIZATION] = {"--memory-utilization %.2f",
                          "let the engine take more of the memory",
                          {0.95}},
    [KNOB_TOKENS] = {"--max-batched-tokens %.0f",
                     "fewer tokens in one step: a smaller activation peak",
                     {4096, 2048, 1024, 512}},
    [KNOB_SEQS] = {"--max-num-seqs %.0f",
                   "fewer slots: a smaller sampler workspace",
                   {512, 256, 128, 64, 32}},
};

/* Turns one option of r; false when the step takes nothing, or more than the load has
 * room for: a slot for each user, and tokens of a step for each slot, as vLLM asks. */
static bool turn_knob(struct request *r, enum knob knob, double step)
{
    const struct engine *e = r->engine;
    double users = ceil(r->users / (r->replicas > 0 ? r->replicas : 1));
    switch (knob) {
    case KNOB_UTILIZATION:
        if (memory_budget(r) == BUDGET_ASKED ||
            (r->utilization > 0 ? r->utilization : e->fraction) >= step)
            return false;
        r->utilization = step;
        return true;
    case KNOB_TOKENS:
        if (step >= memory_max_batched_tokens(r) || step < memory_max_num_seqs(r))
            return false;
        r->max_batched_tokens = step;
        return true;
    case KNOB_SEQS:
        if (step >= memory_max_num_seqs(r) || step < users)
            return false;
        r->max_num_seqs = step;
        return true;
    case KNOB_COUNT:
        break;
    }
    return false;
}

/* Turns one option, or two of them, to the mildest steps that fit. */
static bool propose_knobs(struct fixer *f, enum knob a, enum knob b)
{
    const struct knob_row *x = &knob_rows[a], *y = &knob_rows[b];
    char option[96], format[96], what[120];
    for (int i = 0; i < COUNT_OF(x->steps) && x->steps[i] > 0; i++) {
        struct request r = f->plan->request;
        if (!turn_knob(&r, a, x->steps[i]))
            continue;
        if (a == b) {
            gp_format(option, sizeof(option), x->option, x->steps[i]);
            if (propose(f, &r, RANK_KNOB, option, x->what))
                return true;
            continue;
        }
        gp_format(format, sizeof(format), "%s %s", x->option, y->option);
        gp_format(what, sizeof(what), "%s, and %s", x->what, y->what);
        for (int j = 0; j < COUNT_OF(y->steps) && y->steps[j] > 0; j++) {
            struct request both = r;
            gp_format(option, sizeof(option), format, x->steps[i], y->steps[j]);
            if (turn_knob(&both, b, y->steps[j]) &&
                propose(f, &both, RANK_KNOB, option, what))
                return true;
        }
    }
    return false;
}

static void engine_knobs(struct fixer *f)
{
    struct request r = f->plan->request;
    char option[64];
    bool any = false;
    for (int a = 0; a < KNOB_COUNT; a++)
        any = propose_knobs(f, (enum knob)a, (enum knob)a) || any;
    for (int a = 0; a < KNOB_COUNT && !any; a++)
        for (int b = a + 1; b < KNOB_COUNT; b++)
            propose_knobs(f, (enum knob)a, (enum knob)b);
    if (r.users > memory_max_num_seqs(&r)) {
        r.max_num_seqs = r.users;
        gp_format(option, sizeof(option), "--max-num-seqs %.0f", r.users);
        propose(f, &r, RANK_KNOB, option, "a slot for every user");
        r = f->plan->request;
    }
    if (r.used > 0 && f->plan->limit == LIMIT_USED) {
        double left = 1 - r.used / gpu_usable(r.gpu).value;
        r.utilization = floor(left * 100) / 100;
        gp_format(option, sizeof(option), "--memory-utilization %.2f", r.utilization);
        propose(f, &r, RANK_KNOB, option, "take only what is free");
    }
}

/* ---- formats and engines ---- */

static void formats(struct fixer *f)
{
    struct request r = f->plan->request;
    char option[96], what[120];
    bool alone = false;
    if (f->choices->kv_fp8 && r.kv->bits > 8) {
        r.kv = f->choices->kv_fp8;
        propose(f, &r, RANK_KV, "--kv-precision fp8", "an FP8 KV cache");
        r.kv = f->plan->request.kv;
    }
    for (int i = 0; i < f->choices->lower_count; i++) {
        r.precision = f->choices->lower[i];
        gp_format(option, sizeof(option), "--precision %s", r.precision.id);
        gp_format(what, sizeof(what), "weights in %s", r.precision.weight->name);
        propose(f, &r, RANK_PRECISION + i, option, what);
        if (alone || f->plan->layout.gpus <= 1)
            continue;
        struct request one = r;
        one.gpu_count = 1;
        gp_format(option, sizeof(option), "--gpu %s:1 --precision %s", r.gpu->id,
                  r.precision.id);
        gp_format(what, sizeof(what), "one GPU, weights in %s",
                  r.precision.weight->name);
        alone = propose(f, &one, RANK_PRECISION + i, option, what);
    }
}

/* An engine that reads GGUF keeps the KV cache in 16 bit or in a format of its own. */
static void gguf_formats(struct fixer *f, const struct engine *engine)
{
    struct request r = f->plan->request;
    char option[96], what[120];
    r.engine = engine;
    for (int i = 0; i < f->choices->gguf_count; i++) {
        r.precision = f->choices->gguf[i];
        r.kv = r.kv->bits < 16 ? r.precision.base : r.kv;
        gp_format(option, sizeof(option), "--engine %s --precision %s%s", engine->id,
                  r.precision.id,
                  r.kv != f->plan->request.kv ? " --kv-precision auto" : "");
        gp_format(what, sizeof(what), "%s, weights in %s", engine->name,
                  r.precision.weight->name);
        if (propose(f, &r, f->plan->limit == LIMIT_TYPE ? RANK_ENGINE : RANK_BOTH,
                    option, what))
            return;
    }
}

static void engines(struct fixer *f)
{
    char option[96], what[120];
    for (int i = 0; i < f->choices->engine_count; i++) {
        const struct engine *e = f->choices->engines[i];
        struct request r = f->plan->request;
        if (e->gguf) {
            gguf_formats(f, e);
        } else if (f->plan->limit == LIMIT_TYPE) {
            r.engine = e;
            gp_format(option, sizeof(option), "--engine %s", e->id);
            gp_format(what, sizeof(what), "with %s", e->name);
            propose(f, &r, RANK_ENGINE, option, what);
        }
    }
}

/* ---- layouts ---- */

/* Plans r with the count left open, then with the count that this took, if the request
 * fixes one: what the user has to type is "--gpu ID:N" as well. True when it was
 * offered, or had been by another name. */
static bool propose_cut(struct fixer *f, struct request r, const char *cut,
                        const char *name)
{
    struct evaluation e;
    char option[96], what[120];
    r.gpu_count = 0;
    search_layout(&r, f->market, SEARCH_FEWEST_GPUS, &e);
    if (e.verdict == VERDICT_DOES_NOT_FIT)
        return false;
    for (int i = 0; i < f->cuts; i++)
        if (memcmp(&f->cut[i], &e.layout, sizeof(e.layout)) == 0)
            return true;
    if (f->plan->request.gpu_count > 0) {
        r.gpu_count = e.layout.gpus;
        gp_format(option, sizeof(option), "--gpu %s:%d%s%s", r.gpu->id, r.gpu_count,
                  cut[0] ? " " : "", cut);
    } else {
        gp_copy(option, sizeof(option), cut);
    }
    gp_format(what, sizeof(what), "%s: %d GPU%s in all", name, e.layout.gpus,
              e.layout.gpus == 1 ? "" : "s");
    if (!propose(f, &r, RANK_LAYOUT, option, what))
        return false;
    if (f->cuts < COUNT_OF(f->cut))
        f->cut[f->cuts++] = e.layout;
    return true;
}

/* "--tp auto --ep auto", of those that were given. */
static void freed_options(const struct request *q, char *text, size_t size)
{
    const struct {
        const char *name;
        int given;
    } rows[] = {{"tp", q->tp}, {"pp", q->pp}, {"ep", q->ep}, {"replicas", q->replicas}};
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].given > 0) {
            gp_format(text + n, size - n, "%s--%s auto", n ? " " : "", rows[i].name);
            n = strlen(text);
        }
}

/* Opens up the layout, keeping the GPU: any layout of as many GPUs, then of more; the
 * next smaller TP that is valid; the next larger one that fits. */
static void layouts(struct fixer *f)
{
    const struct plan *p = f->plan;
    struct request r = p->request;
    char cut[80], name[64];
    freed_options(&r, cut, sizeof(cut));
    r.tp = r.pp = r.ep = r.replicas = 0;
    bool same_count = cut[0] && r.gpu_count > 0 &&
                      propose(f, &r, RANK_LAYOUT, cut, "another layout of them");
    if (!same_count && (cut[0] || r.gpu_count > 0))
        propose_cut(f, r, cut, "as many as it takes");
    if (p->request.tp <= 0)
        return;
    r = p->request;
    for (r.tp = p->layout.tp - 1; r.tp >= 1 && p->limit == LIMIT_LAYOUT; r.tp--) {
        gp_format(cut, sizeof(cut), "--tp %d", r.tp);
        if (propose_cut(f, r, cut, "the next smaller TP that is valid"))
            break;
    }
    for (r.tp = p->layout.tp + 1; r.tp <= r.host_gpus; r.tp++) {
        gp_format(cut, sizeof(cut), "--tp %d", r.tp);
        gp_format(name, sizeof(name), "TP %d", r.tp);
        if (propose_cut(f, r, cut, name))
            break;
    }
}

/* Where only more stages than max_pp fit, or where they need fewer GPUs. */
static void deeper_pipeline(struct fixer *f)
{
    struct request r = f->plan->request;
    struct evaluation e;
    char option[96], what[120];
    bool fits = f->plan->verdict == VERDICT_FITS;
    int most = r.max_pp > 0 ? r.max_pp : SEARCH_MAX_PP;
    if (r.pp > 0 || r.model->layer_count <= most ||
        (fits && (r.gpu_count > 0 || f->plan->layout.gpus <= most + 1)))
        return;
    r.max_pp = r.model->layer_count;
    search_layout(&r, f->market, SEARCH_FEWEST_GPUS, &e);
    if (e.verdict != VERDICT_FITS || e.layout.pp <= most ||
        (fits && e.layout.gpus >= f->plan->layout.gpus))
        return;
    gp_format(option, sizeof(option), "--max-pp %d", e.layout.pp);
    gp_format(what, sizeof(what), "a pipeline of %d stages: %d GPUs in all",
              e.layout.pp, e.layout.gpus);
    offer(f, &r, &e, RANK_LAYOUT, option, what);
}

/* ---- other GPUs ---- */

struct other {
    struct request request;
    struct evaluation best;
    bool known;
};

static void offer_gpu(struct fixer *f, const struct other *o)
{
    char option[96], what[120], freed[64];
    int gpus = o->best.layout.gpus;
    freed_options(&f->plan->request, freed, sizeof(freed));
    gp_format(option, sizeof(option), "--gpu %s:%d%s%s", o->request.gpu->id, gpus,
              freed[0] ? " " : "", freed);
    gp_format(what, sizeof(what), "%d x %s", gpus, o->request.gpu->name);
    offer(f, &o->request, &o->best, RANK_GPU, option, what);
}

/* Less is better: a known price, one machine, the price, the number of GPUs. */
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
    return a->best.layout.gpus < b->best.layout.gpus;
}

/* Puts o among the cheapest OTHER_GPUS, in order. */
static void keep_cheapest(struct other best[OTHER_GPUS], int *n, const struct other *o)
{
    int at = *n;
    while (at > 0 && cheaper_gpu(o, &best[at - 1]))
        at--;
    if (at >= OTHER_GPUS)
        return;
    *n = *n < OTHER_GPUS ? *n + 1 : *n;
    memmove(&best[at + 1], &best[at], (size_t)(*n - 1 - at) * sizeof(best[0]));
    best[at] = *o;
}

static bool fits_on(struct fixer *f, struct other *o)
{
    search_layout(&o->request, f->market, SEARCH_FEWEST_GPUS, &o->best);
    o->known = o->best.verdict == VERDICT_FITS;
    return o->known;
}

/* The cheapest other GPUs that fit; and of the same vendor the cheapest that does it in
 * as many as were asked for, a larger card in the same slots. Where both are one GPU at
 * one price (an instance is rented whole), the count that was asked for. */
static void other_gpus(struct fixer *f)
{
    const struct plan *asked = f->plan;
    struct other best[OTHER_GPUS], same = {0}, o;
    int n = 0, count = asked->request.gpu_count;
    for (size_t i = 0; i < f->choices->gpu_count; i++) {
        struct request *r = &o.request;
        *r = search_on(&asked->request, f->choices->gpus[i], 0, f->market);
        r->tp = r->pp = r->ep = r->replicas = 0;
        if (r->gpu == asked->request.gpu || !fits_on(f, &o))
            continue;
        keep_cheapest(best, &n, &o);
        if (o.best.layout.gpus > count ||
            strcmp(r->gpu->vendor, asked->request.gpu->vendor) != 0)
            continue;
        r->gpu_count = count;
        if (fits_on(f, &o) && (!same.known || cheaper_gpu(&o, &same)))
            same = o;
    }
    for (int i = 0; i < n; i++)
        if (!same.known || best[i].request.gpu != same.request.gpu ||
            best[i].best.price.per_hour < same.best.price.per_hour)
            offer_gpu(f, &best[i]);
    if (same.known)
        offer_gpu(f, &same);
}

/* ---- all of them ---- */

static int by_worth(const void *pa, const void *pb)
{
    const struct fix *a = pa, *b = pb;
    if (a->verdict != b->verdict)
        return (int)a->verdict - (int)b->verdict;
    if ((a->per_hour > 0) != (b->per_hour > 0))
        return a->per_hour > 0 ? -1 : 1;
    if (a->spans != b->spans)
        return (int)a->spans - (int)b->spans;
    if (fabs(a->per_hour - b->per_hour) > 0.005)
        return a->per_hour < b->per_hour ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (a->gpus != b->gpus)
        return a->gpus - b->gpus;
    return (int)strlen(a->option) - (int)strlen(b->option);
}

int plan_fixes(const struct plan *plan, const struct choices *choices,
               const struct market *market, struct fix out[PLAN_MAX_FIXES])
{
    struct fixer f = {.plan = plan, .choices = choices, .market = market};
    deeper_pipeline(&f);
    if (plan->verdict != VERDICT_FITS) {
        layouts(&f);
        engines(&f);
        other_gpus(&f);
    }
    if (plan->verdict != VERDICT_FITS && plan->has_memory) {
        less_of_it(&f);
        engine_knobs(&f);
        formats(&f);
    }
    qsort(f.found, (size_t)f.count, sizeof(f.found[0]), by_worth);
    bool any_fits = f.count > 0 && f.found[0].verdict == VERDICT_FITS;
    int n = 0;
    for (int i = 0; i < f.count && n < PLAN_MAX_FIXES; i++)
        if (!any_fits || f.found[i].verdict == VERDICT_FITS)
            out[n++] = f.found[i];
    return n;
}
