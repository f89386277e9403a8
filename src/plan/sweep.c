/*
 * sweep.c - see sweep.h.
 */
#include "plan/sweep.h"

#include <math.h>
#include <string.h>

#include "plan/solve.h"

#define MOST_TOKENS 16777216.0 /* of a model that names no maximum */
#define MOST_USERS 1e6

static const struct market no_market;

static double unit_of(const struct request *q, enum sweep of)
{
    return of == SWEEP_CONTEXT && q->engine->block > 0 ? q->engine->block : 1;
}

static struct request sweep_with(const struct request *q, enum sweep of, double x)
{
    struct request r = *q;

    if (of == SWEEP_CONTEXT) {
        r.context = x;
    } else { /* that many, whatever a rate would lead to */
        r.users = x;
        r.rate = 0;
    }
    return r;
}

double sweep_taken(const struct sweep_point *p)
{
    return p->used + p->weights.value + p->activation.value + p->runtime.value + p->kv.value;
}

double sweep_limit(const struct sweep_point *p)
{
    return p->used + p->weights.value + p->activation.value + p->runtime.value + p->pool.value;
}

void sweep_at(const struct request *q, const struct layout *layout, enum sweep of, double x,
              struct sweep_point *out)
{
    struct request r = sweep_with(q, of, x);
    struct plan plan;
    const struct memory *m = &plan.memory;

    plan_layout(&r, layout, &no_market, &plan);
    *out = (struct sweep_point){.x = x,
                                .verdict = plan.verdict,
                                .limit = plan.limit,
                                .used = q->used,
                                .known = plan.has_memory};
    if (!plan.has_memory)
        return;
    out->weights = m->weights;
    out->activation = m->activation;
    out->kv = m->kv_reserved;
    out->runtime = quantity_add(m->non_torch, m->graphs_charged);
    out->pool = m->kv_pool;
    out->usable = m->usable;
    out->budget = m->budget;
    out->free = m->free;
    out->tokens = m->kv_cache_tokens.known ? m->kv_cache_tokens.value : 0;
    out->requests = m->max_concurrency.known ? m->max_concurrency.value : 0;
}

/* ---- values ---- */

int sweep_values(const struct request *q, enum sweep of, double low, double high, double *out,
                 int most)
{
    double unit = unit_of(q, of);
    int count = 0;

    low = fmax(low, unit);
    for (int i = 0; i < most && high >= low; i++) {
        double part = most > 1 ? (double)i / (most - 1) : 0;
        double x = unit * round(low * pow(high / low, part) / unit);

        if (x <= high && (count == 0 || x > out[count - 1]))
            out[count++] = x;
    }
    return count;
}

int sweep_insert(double *values, int count, int most, double value)
{
    int at = count;

    while (at > 0 && values[at - 1] > value)
        at--;
    if (count == most || (at > 0 && values[at - 1] == value))
        return count;
    memmove(&values[at + 1], &values[at], (size_t)(count - at) * sizeof *values);
    values[at] = value;
    return count + 1;
}

/* ---- the end ---- */

static struct evaluation evaluate_at(const struct request *q, const struct layout *layout,
                                     enum sweep of, double x)
{
    struct request r = sweep_with(q, of, x);
    struct load load = load_sum(&r);
    struct evaluation e;

    evaluate(&r, &load, NULL, layout, &e);
    return e;
}

struct sweep_end sweep_end(const struct request *request, const struct layout *layout,
                           enum sweep of)
{
    struct request own = *request, *q = &own;
    struct sweep_end end = {0, 0, LIMIT_NONE};
    double most = of == SWEEP_USERS           ? MOST_USERS
                  : q->model->max_context > 0 ? q->model->max_context
                                              : MOST_TOKENS;
    double unit = unit_of(q, of), low, high = floor(most / unit) + 1;

    q->ttft = q->tpot = q->throughput = q->budget = 0; /* goals do not end memory */

    end.fits = of == SWEEP_CONTEXT ? solve_context(q, layout) : solve_users(q, layout);
    for (low = floor(end.fits / unit); high - low > 1;) {
        double mid = floor((low + high) / 2);

        bool holds = evaluate_at(q, layout, of, mid * unit).verdict != VERDICT_DOES_NOT_FIT;

        *(holds ? &low : &high) = mid;
    }
    end.marginal = low * unit;
    end.after = evaluate_at(q, layout, of, (low + 1) * unit).limit;
    return end;
}
