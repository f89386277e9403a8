/*
 * fix.c - what to change so that a plan fits (plan_fixes of plan.h).
 *
 * Every proposal is a copy of the request with one field changed, planned like any
 * other request; only those that fit (or, where nothing does, are at least marginal)
 * are offered. The order: less money first, then what changes the request least.
 */
#include "core/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/solve.h"
#include "util/str.h"
#include "util/units.h"

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
    RANK_PRECISION
};

static void propose(struct fixer *f, const struct request *r, enum rank rank,
                    const char *option, const char *what)
{
    struct plan p;
    plan_request(r, f->market, &p);
    if (p.verdict == VERDICT_DOES_NOT_FIT || p.verdict >= f->plan->verdict)
        return;
    if (f->count >= (int)(sizeof(f->found) / sizeof(f->found[0])))
        return;
    struct fix *fix = &f->found[f->count++];
    memset(fix, 0, sizeof(*fix));
    gp_copy(fix->what, sizeof(fix->what), what);
    gp_copy(fix->option, sizeof(fix->option), option);
    fix->verdict = p.verdict;
    fix->gain = plan_margin(&p) - (f->plan->has_memory ? plan_margin(f->plan) : 0);
    fix->gpus = p.layout.gpus;
    fix->per_hour = p.cost.per_hour;
    fix->cost_known = p.cost.per_hour > 0 && f->plan->cost.per_hour > 0;
    fix->cost_delta = fix->cost_known ? p.cost.per_hour - f->plan->cost.per_hour : 0;
    fix->rank = (int)rank;
}

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

static void engine_knobs(struct fixer *f)
{
    static const double seqs[] = {512, 256, 128, 64, 32};
    struct request r = f->plan->request;
    char option[64];
    int before = f->count;
    for (size_t i = 0; i < sizeof(seqs) / sizeof(seqs[0]) && f->count == before; i++) {
        if (seqs[i] >= memory_max_num_seqs(&f->plan->request) || seqs[i] < r.users)
            continue;
        r.max_num_seqs = seqs[i];
        gp_format(option, sizeof(option), "--max-num-seqs %.0f", seqs[i]);
        propose(f, &r, RANK_KNOB, option, "fewer slots: a smaller sampler workspace");
    }
    r = f->plan->request;
    if (r.users > memory_max_num_seqs(&r)) {
        r.max_num_seqs = r.users;
        gp_format(option, sizeof(option), "--max-num-seqs %.0f", r.users);
        propose(f, &r, RANK_KNOB, option, "a slot for every user");
    }
    r = f->plan->request;
    if (memory_budget(&r) != BUDGET_ASKED && f->plan->memory.fraction < 0.95) {
        r.utilization = 0.95;
        propose(f, &r, RANK_KNOB, "--memory-utilization 0.95",
                "let the engine take more of the memory");
    }
    if (r.used > 0 && f->plan->limit == LIMIT_USED) {
        double left = 1 - r.used / gpu_usable(r.gpu).value;
        r.utilization = floor(left * 100) / 100;
        gp_format(option, sizeof(option), "--memory-utilization %.2f", r.utilization);
        propose(f, &r, RANK_KNOB, option, "take only what is free");
    }
}

static void formats(struct fixer *f)
{
    struct request r = f->plan->request;
    char option[64], what[120];
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
    }
}

/* Plans r with the count left open, then with the count that this took, if the request
 * fixes one: what the user has to type is "--gpu ID:N" as well. True when it was
 * offered. */
static bool propose_cut(struct fixer *f, struct request r, const char *cut,
                        const char *name)
{
    struct plan p;
    char option[64], what[120];
    int before = f->count;
    r.gpu_count = 0;
    plan_request(&r, f->market, &p);
    if (p.verdict == VERDICT_DOES_NOT_FIT)
        return false;
    for (int i = 0; i < f->cuts; i++)
        if (memcmp(&f->cut[i], &p.layout, sizeof(p.layout)) == 0)
            return true; /* by another name */
    if (f->plan->request.gpu_count > 0) {
        r.gpu_count = p.layout.gpus;
        gp_format(option, sizeof(option), "--gpu %s:%d%s%s", r.gpu->id, r.gpu_count,
                  cut[0] ? " " : "", cut);
    } else {
        gp_copy(option, sizeof(option), cut);
    }
    gp_format(what, sizeof(what), "%s: %d GPU%s in all", name, p.layout.gpus,
              p.layout.gpus == 1 ? "" : "s");
    propose(f, &r, RANK_LAYOUT, option, what);
    if (f->count > before && f->cuts < (int)(sizeof(f->cut) / sizeof(f->cut[0])))
        f->cut[f->cuts++] = p.layout;
    return f->count > before;
}

/* Opens up the layout, keeping the GPU: any cut; the next TP; the next PP. */
static void layouts(struct fixer *f)
{
    const struct plan *p = f->plan;
    struct request r = p->request;
    char cut[48], name[64];
    bool refused = p->limit == LIMIT_LAYOUT;
    r.tp = r.pp = 0;
    if (p->request.tp > 0 || p->request.pp > 0)
        propose_cut(f, r, "--tp auto --pp auto", "any layout");
    else if (p->request.gpu_count > 0)
        propose_cut(f, r, "", "as many as it takes");
    for (int tp = p->layout.tp - 1; tp >= 1 && refused; tp--) {
        r.tp = tp;
        r.pp = p->request.pp;
        gp_format(cut, sizeof(cut), "--tp %d", tp);
        if (propose_cut(f, r, cut, "the next smaller TP that is valid"))
            break;
    }
    for (int tp = p->layout.tp + 1; tp <= 64 && tp <= r.host_gpus; tp++) {
        r.tp = tp;
        r.pp = p->layout.pp;
        gp_format(cut, sizeof(cut), p->layout.pp > 1 ? "--tp %d --pp %d" : "--tp %d",
                  tp, p->layout.pp);
        gp_format(name, sizeof(name), "TP %d", tp);
        if (propose_cut(f, r, cut, name))
            break;
    }
    for (int pp = p->layout.pp + 1; pp <= 16; pp++) {
        r.tp = refused ? 1 : p->layout.tp;
        r.pp = pp;
        gp_format(cut, sizeof(cut), "--tp %d --pp %d", r.tp, pp);
        gp_format(name, sizeof(name), "PP %d", pp);
        if (propose_cut(f, r, cut, name))
            break;
    }
}

/* The smallest GPU of the same vendor with more memory that fits in the same number. */
static void next_gpu(struct fixer *f)
{
    const struct plan *p = f->plan;
    const struct gpu *best = NULL;
    struct request r = p->request;
    char option[64], what[120];
    double have = gpu_usable(r.gpu).value, need = have;
    for (int step = 0; step < 3; step++) {
        best = NULL;
        for (size_t i = 0; i < f->choices->gpu_count; i++) {
            const struct gpu *g = f->choices->gpus[i];
            double size = gpu_usable(g).value;
            bool same = strcmp(g->vendor, r.gpu->vendor) == 0 &&
                        g->compute_capability >= p->request.gpu->compute_capability;
            bool assumed;
            cost_host_gpus(g, f->market, &assumed);
            if (same && size > need * 1.05 && !assumed &&
                (!best || size < gpu_usable(best).value))
                best = g;
        }
        if (!best)
            return;
        need = gpu_usable(best).value;
        r.gpu = best;
        r.host_gpus = cost_host_gpus(best, f->market, &r.host_assumed);
        r.gpu_count = p->layout.gpus;
        gp_format(option, sizeof(option), "--gpu %s:%d", best->id, r.gpu_count);
        gp_format(what, sizeof(what), "%d x %s", r.gpu_count, best->name);
        int before = f->count;
        propose(f, &r, RANK_GPU, option, what);
        if (f->count > before)
            return;
    }
}

/* Fits before marginal; then money; then what takes least from the request. Fixes of
 * unknown cost come after those whose cost is known. */
static int by_worth(const void *pa, const void *pb)
{
    const struct fix *a = pa, *b = pb;
    if (a->verdict != b->verdict)
        return (int)a->verdict - (int)b->verdict;
    if ((a->per_hour > 0) != (b->per_hour > 0))
        return a->per_hour > 0 ? -1 : 1;
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
    if (plan->verdict == VERDICT_FITS)
        return 0;
    layouts(&f);
    if (plan->has_memory) {
        less_of_it(&f);
        engine_knobs(&f);
        formats(&f);
        next_gpu(&f);
    }
    qsort(f.found, (size_t)f.count, sizeof(f.found[0]), by_worth);
    bool any_fits = f.count > 0 && f.found[0].verdict == VERDICT_FITS;
    int n = 0;
    for (int i = 0; i < f.count && n < PLAN_MAX_FIXES; i++)
        if (!any_fits || f.found[i].verdict == VERDICT_FITS)
            out[n++] = f.found[i];
    return n;
}
