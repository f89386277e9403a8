/*
 * hour.c - see hour.h.
 */
#include "core/pool/hour.h"

#include <math.h>
#include <string.h>

#define STEPS       40 /* of the prices */
#define FIRST_STEPS 8  /* after which they must have risen */
#define MEAN_SHARE  0.3

struct ascent {
    double lambda[POOL_MOST_TYPES]; /* best */
    double trial[POOL_MOST_TYPES];
    double excess[POOL_MOST_TYPES]; /* mean of use - room */
    double best, value;
    double step;
    int fails, count;
};

double hour_value(struct hour *h, const double *lambda, double *use)
{
    const struct grid *grid = h->b->grid;
    double sum = 0;

    memset(use, 0, sizeof(*use) * (size_t)grid->types);
    for (int w = 0; w < grid->workloads; w++)
        sum += bound_cover(h->b, w, h->t, lambda, use);
    return sum;
}

static void ascent_init(const struct hour *h, struct ascent *a, const double *lambda)
{
    *a = (struct ascent){.best = -INFINITY, .step = 1};
    memcpy(a->trial, lambda, sizeof(*lambda) * (size_t)h->b->grid->types);
}

/* Takes the value that the covers at a->trial had, and moves on; false at a top. */
static bool ascend(const struct hour *h, struct ascent *a, double value,
                   const double *use)
{
    int types = h->b->grid->types;
    double at = value, norm = 1e-12;

    for (int g = 0; g < types; g++) {
        at -= a->trial[g] * h->room[g];
        a->excess[g] +=
            (a->count ? MEAN_SHARE : 1) * (use[g] - h->room[g] - a->excess[g]);
    }
    a->count++;
    if (at > a->best) {
        a->best = at;
        a->value = value;
        a->fails = 0;
        memcpy(a->lambda, a->trial, sizeof(a->lambda));
    } else if (++a->fails >= 4) {
        a->step *= 0.5;
        a->fails = 0;
    }
    for (int g = 0; g < types; g++)
        if (a->lambda[g] > 0 || a->excess[g] > 0)
            norm += pow(h->scale[g] * a->excess[g], 2);
    for (int g = 0; g < types; g++)
        a->trial[g] =
            fmax(0, a->lambda[g] + a->step * fmax(h->gap, 1e-6) / norm * h->scale[g] *
                                       h->scale[g] * a->excess[g]);
    return norm > 1e-9 && a->step > 0.01;
}

double hour_raise(struct hour *h, double *lambda, double known, double *value)
{
    struct ascent a;
    double use[POOL_MOST_TYPES];
    bool more = true;

    ascent_init(h, &a, lambda);
    for (int i = 0; i < STEPS && more; i++) {
        double at = hour_value(h, a.trial, use);
        more = ascend(h, &a, at, use) && (i != FIRST_STEPS || a.best > known);
    }
    memcpy(lambda, a.lambda, sizeof(*lambda) * (size_t)h->b->grid->types);
    *value = a.value;
    return a.best;
}
