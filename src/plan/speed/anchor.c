/*
 * anchor.c - see anchor.h.
 */
#include "plan/speed/anchor.h"

#include <math.h>

#include "base/mem.h"
#include "plan/speed/serve.h"
#include "plan/speed/speed.h"

#define NOISE 0.08 /* of a point, as a logarithm */
#define FAR 0.10   /* of three or more, one that is further from the others counts less */
#define ROUNDS 12

/* Spread of each factor before anything is measured. */
static const double spread[CORRECT_COUNT] = {
    [CORRECT_FIXED] = 0.25,
    [CORRECT_WORK] = 0.20,
    [CORRECT_PROMPTS] = 0.40,
};
#define WORK_FEW \
    0.10 /* of work, with fewer than three points: these do not tell a scale from
                       * a bend of the law between them */

/* What the law says of one point, with the factors of `correction`. */
static bool anchor_predict(const struct request *request, const struct load *load,
                           const struct correction *correction, const struct anchor *a,
                           struct serve *out)
{
    struct request q = *request;
    struct step_load sums;
    struct step step;
    struct step_others others;
    struct serve_load l = {.users = a->users / speed_groups(&a->layout),
                           .admitted = INFINITY,
                           .prompt = a->prompt,
                           .output = a->output,
                           .cached = a->prompt * q.prefix_hit,
                           .chunk = load->max_batched_tokens};

    q.correction = *correction;
    step_load_sum(&q, load, &sums);
    step_cut(&sums, &a->layout, &step);
    step_attach(&step, &a->layout, &others);
    if (step.gap != SPEED_KNOWN)
        return false;
    serve_estimate(&step, &l, out);
    return true;
}

/* ln(predicted / measured) of TPOT for one point. */
static double miss_of(const struct request *q, const struct load *load, const struct correction *c,
                      const struct anchor *a)
{
    struct serve s;

    return anchor_predict(q, load, c, a, &s) ? log(s.tpot / a->tpot) : NAN;
}

/* The normal equations of one round, about the logarithms `at` of the factors: their
 * matrix in h, and minus the gradient in g. */
struct normal {
    double h[CORRECT_COUNT][CORRECT_COUNT], g[CORRECT_COUNT];
};

#define DELTA 1e-4

static void anchor_improve(const struct request *q, const struct load *load,
                           const struct anchor *anchor, int count, struct correction *c)
{
    struct normal n = {0};
    double x[CORRECT_COUNT];

    for (int i = 0; i < CORRECT_COUNT; i++) {
        double s = i == CORRECT_WORK && c->points < 3 ? WORK_FEW : spread[i];

        n.h[i][i] = 1 / (s * s);
        n.g[i] = -log(c->by[i]) / (s * s);
    }
    for (int k = 0; k < count; k++) {
        if (anchor[k].tpot <= 0)
            continue;
        double miss = miss_of(q, load, c, &anchor[k]), slope[CORRECT_COUNT];

        for (int i = 0; i < CORRECT_COUNT; i++) {
            struct correction moved = *c;

            moved.by[i] *= exp(DELTA);
            slope[i] = (miss_of(q, load, &moved, &anchor[k]) - miss) / DELTA;
        }
        double far = c->points >= 3 ? miss / FAR : 0;
        double weight = 1 / (NOISE * NOISE * (1 + far * far));
        for (int i = 0; i < CORRECT_COUNT; i++) {
            for (int j = 0; j < CORRECT_COUNT; j++)
                n.h[i][j] += weight * slope[i] * slope[j];
            n.g[i] -= weight * slope[i] * miss;
        }
    }
    /* Gaussian elimination; the prior on the diagonal keeps every pivot above zero */
    for (int k = 0; k < CORRECT_COUNT; k++)
        for (int i = k + 1; i < CORRECT_COUNT; i++) {
            double f = n.h[i][k] / n.h[k][k];

            for (int j = k; j < CORRECT_COUNT; j++)
                n.h[i][j] -= f * n.h[k][j];
            n.g[i] -= f * n.g[k];
        }
    for (int i = CORRECT_COUNT - 1; i >= 0; i--) {
        x[i] = n.g[i];
        for (int j = i + 1; j < CORRECT_COUNT; j++)
            x[i] -= n.h[i][j] * x[j];
        x[i] /= n.h[i][i];
    }
    for (int i = 0; i < CORRECT_COUNT; i++)
        c->by[i] *= exp(x[i]);
}

/* Of the points' misses the middle one: where to start, so that a point apart from the
 * others counts little from the first round on. */
static double middle_miss(const struct request *q, const struct load *load,
                          const struct correction *c, const struct anchor *anchor, int count)
{
    double miss[ANCHORS_MAX];
    int n = 0;

    for (int k = 0; k < count; k++) {
        double m = anchor[k].tpot > 0 ? miss_of(q, load, c, &anchor[k]) : NAN;

        if (isfinite(m))
            miss[n++] = m;
    }
    return gp_middle(miss, n);
}

/* TTFT by one factor, after the steps' times are right. Of requests that came all at once it is a
 * queue's, and so is that of a rate that was not served: one that is apart does not count. */
#define FIRST_SPREAD 0.5
#define FIRST_NOISE 0.3
static double fit_first(const struct request *q, const struct load *load,
                        const struct correction *c, const struct anchor *anchor, int count)
{
    double miss[ANCHORS_MAX];
    struct serve s;
    int n = 0;

    for (int k = 0; k < count; k++)
        if (anchor[k].ttft > 0 && !anchor[k].at_once && anchor_predict(q, load, c, &anchor[k], &s))
            miss[n++] = log(anchor[k].ttft / s.ttft);
    double weight = n / (FIRST_NOISE * FIRST_NOISE);
    return exp(gp_middle(miss, n) * weight / (weight + 1 / (FIRST_SPREAD * FIRST_SPREAD)));
}

bool anchor_fit(const struct request *q, const struct anchor *anchor, int count,
                struct correction *out)
{
    struct load load = load_sum(q);
    struct correction c = {.first = 1,
                           .model = q->model,
                           .gpu = q->gpu,
                           .engine = q->engine,
                           .weight = q->precision.weight};

    for (int i = 0; i < CORRECT_COUNT; i++)
        c.by[i] = 1;
    for (int k = 0; k < count; k++)
        c.points += anchor[k].tpot > 0 && isfinite(miss_of(q, &load, &c, &anchor[k]));
    *out = (struct correction){0};
    if (c.points == 0)
        return false;
    c.by[CORRECT_WORK] = exp(-middle_miss(q, &load, &c, anchor, count));
    for (int i = 0; i < ROUNDS; i++)
        anchor_improve(q, &load, anchor, count, &c);
    c.tp = anchor[0].layout.tp;
    c.pp = anchor[0].layout.pp;
    c.replicas = anchor[0].layout.replicas;
    c.first = fit_first(q, &load, &c, anchor, count);
    *out = c;
    return true;
}
