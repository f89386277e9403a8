/*
 * logged.c - see logged.h.
 */
#include "plan/logged.h"

#include <math.h>

#include "base/units.h"

#define DIGIT (0.01 * GP_GIB) /* half of the last one that engines print, of two starts */
#define REPEAT 0.002          /* of the device: what two starts of a server differ by */

/* The share of a residual that is carried to other limits and to other layouts. Of layouts
 * that of all engines' rows, of activation and non-torch none of which helped; of limits
 * assumed: no two rows differ in them alone (tests/accuracy/logged.h). */
static const struct carried {
    const char *word;
    bool seqs, tokens; /* it depends on them */
    double limits, layout;
} carried[LOGGED_TERMS] = {
    [LOGGED_WEIGHTS] = {"weights", false, false, 0, 0.4},
    [LOGGED_ACTIVATION] = {"activation", true, true, 0.5, 0},
    [LOGGED_NON_TORCH] = {"non-torch", false, false, 0, 0},
    [LOGGED_GRAPHS] = {"CUDA graphs", true, false, 0.5, 0.4},
    [LOGGED_CHARGED] = {"CUDA graphs charged", true, false, 0.5, 0.4},
};
#define FARTHEST 0.7 /* of a residual that is carried, as a logarithm: a factor of 2 */

const char *logged_word(enum logged_term term)
{
    return carried[term].word;
}

bool logged_of(const struct request *q)
{
    const struct logged *g = &q->logged;

    return g->count > 0 && g->model == q->model && g->gpu == q->gpu && g->engine == q->engine &&
           g->weight == q->precision.weight && g->draft == q->draft &&
           g->lora_slots == q->lora_slots;
}

static bool same_layout(const struct logged *g, const struct layout *l)
{
    return g->tp == l->tp && g->pp == l->pp && g->ep == l->ep;
}

/* How much of the residual stands on this layout, of an estimate that is not counted. */
static double share_of(const struct logged *g, const struct carried *c, const struct layout *l,
                       double seqs, double tokens)
{
    if (!same_layout(g, l))
        return c->layout;
    return (c->seqs && g->seqs != seqs) || (c->tokens && g->tokens != tokens) ? c->limits : 1;
}

enum logged_how logged_how(const struct request *q, const struct layout *l, double seqs,
                           double tokens, enum logged_term term, enum origin origin)
{
    double share = share_of(&q->logged, &carried[term], l, seqs, tokens);

    if (!logged_of(q) || !q->logged.known[term] || share <= 0)
        return LOGGED_NOT;
    if (share < 1 && origin == ORIGIN_EXACT) /* it differs by the log's rounding */
        return LOGGED_NOT;
    return share < 1 ? LOGGED_SCALED : LOGGED_SAME;
}

struct quantity logged_apply(const struct request *q, const struct layout *l, double seqs,
                             double tokens, enum logged_term term, struct quantity estimate)
{
    enum logged_how how = logged_how(q, l, seqs, tokens, term, estimate.origin);
    double by = q->logged.by[term];

    if (how == LOGGED_NOT || !estimate.known)
        return estimate;
    if (how == LOGGED_SAME) {
        double value = estimate.value * exp(by);

        return quantity_band(value, fmax(value - DIGIT, 0), value + DIGIT, ORIGIN_MEASURED);
    }
    by = fmax(fmin(by, FARTHEST), -FARTHEST);
    return quantity_scale(estimate,
                          exp(by * share_of(&q->logged, &carried[term], l, seqs, tokens)));
}

/* Bytes that the pool has more than its terms leave: of this layout, whatever its limits. */
struct quantity logged_pool(const struct request *q, const struct layout *l, double seqs,
                            double tokens, double usable, struct quantity pool)
{
    const struct logged *g = &q->logged;
    double value = pool.value + g->pool, repeat = REPEAT * usable;

    if (!logged_of(q) || !g->pool_known || !pool.known || !same_layout(g, l))
        return pool;
    if (g->seqs == seqs && g->tokens == tokens)
        return quantity_band(value, value - repeat, value + repeat, ORIGIN_MEASURED);
    return quantity_band(value, fmin(pool.low + g->pool, value - repeat),
                         fmax(pool.high + g->pool, value + repeat), pool.origin);
}
