/*
 * bound.h - what no plan of a rung can undercut, and good first plans beside it.
 *
 * The GPUs that all share are given a price lambda[t,g] >= 0 for each hour instead of a
 * limit (Lagrangian relaxation). Then every workload and hour is a small covering
 * problem of its own, and so is the size of each fleet:
 *
 *   L(lambda) = sum over w, t of min cover(prices + lambda[t])
 *             + sum over j of min job(lambda)
 *             + sum over g of min over n of
 *                   own(n) - sum over t of lambda[t,g] (n - spare)
 *
 * L is a lower bound for any lambda, whatever found it. It is raised by the volume
 * algorithm (Barahona, Anbil 2000): steps along the mean of the violations. Where a
 * type can be bought without end, its lambda sum to at most its price. Caps on slots
 * and power have a price of their own. Starts are left out: they only cost more.
 */
#ifndef GP_POOL_BOUND_H
#define GP_POOL_BOUND_H

#include "pool/assign.h"

struct bound {
    const struct grid *grid;
    struct arrays arrays; /* those that follow */
    double best;          /* $: the highest L so far */
    double *lambda;       /* [hour x types + type] of it */
    double *trial;        /* the same, of the last step */
    double *use;          /* violations are use - fleet; of the last step, and their mean */
    double *mean_use;
    double fleet[POOL_MOST_TYPES], mean_fleet[POOL_MOST_TYPES];
    double cap[2], trial_cap[2];                     /* prices of a slot and a watt */
    int low[POOL_MOST_TYPES], high[POOL_MOST_TYPES]; /* fleets, in whole units */
    double step;                                     /* share of the Polyak step */
    int fails;                                       /* steps since L rose */
    short *x;                                        /* [grid_place() + way] of the last step */
    short *held;                                     /* [way] constant workloads */
    int *job_held;
    int leaves; /* fixed_solve's, for one workload */
    uint64_t work;
};

void bound_init(struct bound *b, const struct grid *grid, int leaves);
void bound_fini(struct bound *b);

/* One step upwards, when the best plan known costs `upper`. */
void bound_step(struct bound *b, double upper);

/* The least that a job costs which fills free GPUs, at prices lambda[hour x types + type]
 * of them; use (may be NULL) gets the GPUs that it takes then. */
double bound_job(const struct grid *grid, int j, const double *lambda, double *use);

/* One part of L: a workload and hour at prices lambda[g], what it takes added to use[g];
 * and a fleet of low..high GPUs when the prices of its hours sum to `sum` and each GPU
 * costs `more` besides (*kept: the best size, or NULL). */
double bound_cover(struct bound *b, int w, int t, const double *lambda, double *use);
double bound_fleet(const struct grid_type *type, int low, int high, double more, double sum,
                   int *kept);

/* The covers of the last step as a plan. */
void bound_plan(const struct bound *b, struct assign *a);

/* ---- a higher bound where whole units count: fleets in intervals ----
 *
 * The prices cannot see that a fleet is a whole number of servers. So the plans are divided by
 * the size of one fleet, at most k units here, at least k + 1 there, each part gets its own
 * prices and bound, and the lowest of all parts still open bounds the whole (branch and bound).
 * The part with the lowest bound is divided first, by the type whose mean use is furthest from
 * whole units, in dollars.
 *
 * Example: servers of 8 at $218 a day and 56.4 GPUs needed at least: $1539 without, 8 servers and
 * $1744 with it, when 7 servers leave a shortage that costs more.
 */

/* Raises b->best until it meets `upper`, the work is spent or stop() says so; the prices stay
 * those of all plans. */
void bound_divide(struct bound *b, double upper, uint64_t work, bool (*stop)(void *ctx), void *ctx);

/* ---- a still higher one: prices of the hours, sizes of the fleets (fleet.c) ----
 *
 * Once the fleets n[g] are chosen, the hours no longer touch each other. The least that
 * serving hour t costs within n is at least
 *
 *   V(t, n) = max over lambda >= 0 of sum over w of min cover(prices + lambda)
 *                                     - sum over g of lambda[g] room(n[g])
 *
 * and every lambda gives a plane under it, good for all n (Benders 1962). So the cost
 * of any plan is at least
 *
 *   min over whole n of own(n) + sum over t of the highest plane of hour t at n
 *
 * which is a linear program of few rows but for the wholeness; that is branched on. The
 * bound is taken from its weights, summed anew: it holds whatever the program missed.
 * Where an hour cannot be served with fleets n, it cannot be with smaller ones: what such
 * an hour costs (pack.c) is a floor for all of them. On the side units of the best plan's
 * fleets are traded between types.
 */

/* Can the hours be taken one by one: no workload with GPUs of its own?
 * Jobs take from the room of their hours, in parts of workers. */
bool fleet_takes(const struct grid *grid);

struct fleet_search {
    double upper;   /* $ of the best plan known */
    const short *x; /* [grid_place() + way] of it, as it changes */
    uint64_t work;  /* units it may spend */
    bool (*stop)(void *ctx);
    double (*take)(void *ctx, const short *x); /* a plan is found; $ of the best then */
    void *ctx;
};

/* Raises b->best until it meets the best plan, the work is spent or stop() says so. */
void fleet_raise(struct bound *b, struct fleet_search *search);

/* ---- a rung with isolated workloads as two pools: those, and the others (isolated.c) ----
 *
 * An isolated workload holds whole units of its own all day (C and D), so the fleets of a
 * plan are n = a + r: what the isolated hold, and what the others share with all spares.
 * When each GPU of both has the price mu[g] (Lagrange 1788, Guignard and Kim 1987),
 *
 *   cost >= A(mu) + R(mu) + sum over g of min over n (own(n) - mu[g] n)
 *
 * for every mu >= 0: A is a rung A (or B, of composed GPUs) of the isolated workloads, and
 * R the same rung of the others, both with whole units. Where nothing is in stock and
 * nothing scarce, mu is the price of a GPU, the last sum 0, and nothing is lost. Both plans
 * together are one of the rung. Where they take more of a type than there is, the plans are
 * divided by what the isolated hold of it: at most k units, which bounds A anew, or more,
 * which leaves less to R (branch and bound).
 *
 * Example: servers of 8 at $218 a day, an isolated workload that needs 3 GPUs and others
 * that need 9 at a time: 1 + 2 servers, $654; 12 GPUs of all would be 2.
 */

struct isolated_search {
    const struct assign *plan; /* the best one, as it changes */
    double upper;              /* $ of it */
    /* Solves the pool of the isolated workloads or of the others: *rung. False: stop. */
    bool (*solve)(void *ctx, const struct pool *pool, bool isolated, struct pool_rung *rung);
    /* replicas[candidate x hours + hour] of the whole; $ of the best plan then */
    double (*take)(void *ctx, int *replicas);
    void *ctx;
};

/* Does a workload hold GPUs of its own where others, or jobs, may share? */
bool isolated_takes(const struct grid *grid);

/* Raises b->best until it meets the best plan or solve() says stop. */
void isolated_raise(struct bound *b, struct isolated_search *search);

/* ---- pack.c: one hour within fleets that are given, or what all hold all day: the
 * cheapest covers that fit, and what no covers undercut.
 *
 *   min sum of cost of the covers     one for each workload, within limits of their GPUs
 *
 * as a linear program over covers, which are made as its prices ask for them (Dantzig,
 * Wolfe 1960). Its value bounds the cost from below; few workloads are split between covers
 * in it, and those are branched on by the GPUs that one takes of a type (patterns),
 * at most k here and more there, the part with the lowest bound first. Which of them is tried
 * on the program before (strong branching: Applegate, Bixby, Chvatal, Cook 1995). Each part is
 * rounded to a plan as well.
 *
 * For a day (PACK_DAY, A and B) a cover is what a workload or job holds, in whole
 * units, and it costs what serving every hour with that does.
 */

#define PACK_MOST_LIMITS (2 * POOL_MOST_TYPES + 2)
#define PACK_DAY (-1) /* in place of an hour */

struct pack_limit { /* sum of per[g] x GPUs taken <= room, or $ for each one over it */
    double per[POOL_MOST_TYPES];
    double room;
    double over; /* INFINITY: there are no more */
};

struct pack {
    const struct grid *grid;
    int t; /* hour, or PACK_DAY */
    int limit_count;
    struct pack_limit limits[PACK_MOST_LIMITS];
    double price[POOL_MOST_TYPES]; /* $ for each GPU taken */
    double goal;                   /* $ from which on nothing is of use */
    uint64_t work;                 /* units that it may take; what is left of them */
    int leaves;                    /* fixed_solve's, of a day */
    bool (*stop)(void *ctx);       /* NULL: never */
    void *ctx;
    short *x;    /* [way], and of a day [job]: a plan to begin with; the best */
    double cost; /* of it; INFINITY: it does not fit */
    double bound;
    struct branch *branch; /* what it keeps from solve to solve; NULL at first */
};

/* Limits of an hour: the GPUs that are there; and of a day: stock, purchases, caps, which
 * price what is owned. `spared`: slots and watts for the spares of all types are kept
 * back, which not every plan needs: for a plan, not for a bound. */
void pack_rooms(struct pack *p, const double *room);
void pack_fleets(struct pack *p, bool spared);

/* Begins with p->x and p->bound. Other rooms, goals and works may follow: what it knows
 * of covers stays until pack_fini(). */
void pack_solve(struct pack *p);
void pack_fini(struct pack *p);

/* The prices of GPUs at which no covers undercut the most: in lambda[types], beside
 * what they cost; the bound. *value: the least that covers cost at them. */
double pack_prices(struct pack *p, double *lambda, double *value);

#endif
