/*
 * front.c - see front.h.
 */
#include "plan/front.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/evaluate.h"
#include "plan/search.h"

#define MOST_USERS 4096 /* of a copy */

void front_fini(struct front *front)
{
    free(front->points);
    *front = (struct front){0};
}

double front_of_user(const struct front_point *p)
{
    return 1 / p->tpot;
}

double front_of_gpu(const struct front_point *p)
{
    return p->tokens / p->layout.gpus;
}

double front_million(const struct front_point *p)
{
    return p->per_hour > 0 ? p->per_hour * 1e6 / 3600 / p->tokens : INFINITY;
}

/* ---- the points of a request ---- */

struct sweep {
    struct front *front;
    const struct request *asked;
    struct request plain; /* without goals, of so many users */
    struct load load;
    struct step_load step;
    struct prices prices;
};

static bool front_holds(struct sweep *s, const struct layout *l, double users, struct evaluation *e)
{
    s->plain.users = users;
    s->load.max_num_seqs = memory_max_num_seqs(&s->plain); /* slots may follow the users */
    evaluate(&s->plain, &s->load, &s->prices, l, e);
    return e->verdict == VERDICT_FITS;
}

static bool reaches_goals(const struct request *q, const struct front_point *p)
{
    return (q->ttft <= 0 || p->ttft <= q->ttft) && (q->tpot <= 0 || p->tpot <= q->tpot) &&
           (q->throughput <= 0 || p->tokens >= q->throughput) &&
           (q->budget <= 0 || (p->per_hour > 0 && p->per_hour <= q->budget));
}

static void add_point(struct front *f, const struct front_point *p)
{
    f->points = gp_grow(f->points, &f->cap, f->count + 1, sizeof(*f->points));
    f->points[f->count++] = *p;
}

static void sweep_users(struct sweep *s, const struct step *step, const struct evaluation *e)
{
    struct front_point p = {
        .request = s->asked, .layout = e->layout, .per_hour = e->price.per_hour};
    double groups = speed_groups(&e->layout);
    struct evaluation held;
    struct serve serve;
    struct speed band;

    for (double n = 1; n <= MOST_USERS; n = n < 16 ? n + 1 : ceil(n * 1.15)) {
        if (!front_holds(s, &e->layout, n * groups, &held))
            break;
        p.users = s->plain.users;
        speed_serve(&s->plain, step, &s->load, &e->layout, speed_slots(&s->plain, &s->load),
                    &serve);
        p.ttft = serve.ttft;
        p.tpot = serve.tpot;
        p.tokens = serve.requests * groups * s->plain.output;
        speed_band(step, serve.running * groups, &band);
        p.low = band.factor_low;
        p.high = band.factor_high;
        s->front->seen++;
        if (reaches_goals(s->asked, &p))
            add_point(s->front, &p);
    }
}

static void sweep_cut(void *ctx, int tp, int pp, int ep)
{
    struct sweep *s = ctx;
    struct layout l;
    struct evaluation e;
    struct step step;
    struct step_others others;

    if (!search_cut(s->asked, tp, pp, ep, &l) ||
        !front_holds(s, &l, l.replicas * (double)(tp * pp) / layout_group(&l), &e) ||
        evaluation_spans(&s->plain, &e))
        return;
    step_cut(&s->step, &l, &step);
    step_attach(&step, &l, &others);
    if (step.gap == SPEED_KNOWN)
        sweep_users(s, &step, &e);
}

void front_add(struct front *front, const struct request *q, const struct market *market)
{
    struct sweep s = {.front = front, .asked = q, .plain = *q};

    s.plain.ttft = s.plain.tpot = s.plain.throughput = s.plain.budget = s.plain.rate = 0;
    s.plain.users = 1;
    s.load = load_sum(&s.plain);
    step_load_sum(&s.plain, &s.load, &s.step);
    prices_init(&s.plain, market, &s.prices);
    search_cuts(q, sweep_cut, &s);
    prices_fini(&s.prices);
    front_keep(front);
}

/* ---- the fronts ---- */

static int front_sign(double difference)
{
    return (difference > 0) - (difference < 0);
}

static int fast_first(const struct front_point *a, const struct front_point *b)
{
    return front_sign(front_of_user(b) - front_of_user(a));
}

static int by_gpu(const void *left, const void *right)
{
    const struct front_point *a = left, *b = right;
    int order = fast_first(a, b);

    return order ? order : front_sign(front_of_gpu(b) - front_of_gpu(a));
}

static int by_money(const void *left, const void *right)
{
    const struct front_point *a = left, *b = right;
    double x = front_million(a), y = front_million(b);
    int order = fast_first(a, b);

    return order ? order : (x > y) - (x < y);
}

/* In order of speed for a user each must be better than all before it in the other. */
void front_keep(struct front *f)
{
    double most = 0, least = INFINITY;
    size_t kept = 0;

    if (f->count == 0)
        return;
    qsort(f->points, f->count, sizeof(*f->points), by_gpu);
    for (size_t i = 0; i < f->count; i++) {
        f->points[i].best_gpu = front_of_gpu(&f->points[i]) > most;
        most = fmax(most, front_of_gpu(&f->points[i]));
    }
    qsort(f->points, f->count, sizeof(*f->points), by_money);
    for (size_t i = 0; i < f->count; i++) {
        struct front_point *p = &f->points[i];

        p->best_money = front_million(p) < least;
        least = fmin(least, front_million(p));
        if (p->best_gpu || p->best_money)
            f->points[kept++] = *p;
    }
    f->count = kept;
}
