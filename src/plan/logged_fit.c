/*
 * logged_fit.c - see logged_fit.h.
 */
#include "plan/logged_fit.h"

#include <math.h>

#include "plan/memory.h"

#define WEIGHTS_FARTHEST 0.223 /* ln 1.25 */
#define POOL_FARTHEST 0.10     /* of usable memory */

static double planned_of(const struct memory *m, enum logged_term term)
{
    struct quantity q = memory_term(m, term);

    return q.known ? q.value : 0;
}

/* Without any log. */
static void logged_fit_estimate(struct request *q, const struct layout *l, struct load *load,
                                struct memory *m)
{
    q->logged = (struct logged){.count = 0};
    *load = load_sum(q);
    memory_estimate(q, load, l, m);
}

void logged_estimates(const struct request *request, const struct layout *l,
                      double bytes[LOGGED_TERMS])
{
    struct request q = *request;
    struct load load;
    struct memory m;

    logged_fit_estimate(&q, l, &load, &m);
    for (int t = 0; t < LOGGED_TERMS; t++)
        bytes[t] = planned_of(&m, (enum logged_term)t);
}

enum logged_doubt logged_fit(const struct request *request, const struct layout *l,
                             const struct logged_figures *f, struct logged *out, double *planned)
{
    struct request q = *request;
    struct load load;
    struct memory m;

    logged_fit_estimate(&q, l, &load, &m);
    *out = (struct logged){.count = 0};
    q.logged = (struct logged){.tp = l->tp,
                               .pp = l->pp,
                               .ep = l->ep,
                               .seqs = load.max_num_seqs,
                               .tokens = load.max_batched_tokens,
                               .model = q.model,
                               .gpu = q.gpu,
                               .engine = q.engine,
                               .weight = q.precision.weight,
                               .draft = q.draft,
                               .lora_slots = q.lora_slots};
    for (int t = 0; t < LOGGED_TERMS; t++) {
        double estimate = planned_of(&m, (enum logged_term)t);

        q.logged.known[t] = f->term[t] > 0 && estimate > 0; /* false of NAN */
        q.logged.by[t] = q.logged.known[t] ? log(f->term[t] / estimate) : 0;
        q.logged.count += q.logged.known[t];
    }
    if (fabs(q.logged.by[LOGGED_WEIGHTS]) > WEIGHTS_FARTHEST) {
        *planned = m.weights.value;
        return LOGGED_WEIGHTS_OFF;
    }
    /* only of engines that share out what is left: others set aside what is asked for */
    if (f->pool > 0 && memory_budget(&q) != BUDGET_ASKED) {
        memory_estimate(&q, &load, l, &m);
        *planned = m.kv_pool.value;
        q.logged.pool = f->pool - m.kv_pool.value;
        q.logged.pool_known = true;
        q.logged.count++;
        if (fabs(q.logged.pool) > POOL_FARTHEST * m.usable.value)
            return LOGGED_POOL_OFF;
    }
    if (q.logged.count == 0)
        return LOGGED_NOTHING;
    *out = q.logged;
    return LOGGED_FINE;
}
