/*
 * pool_cases.h - pools made of a seed, for the tests of the solver.
 */
#ifndef TEST_POOL_CASES_H
#define TEST_POOL_CASES_H

#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "pool/pool.h"

struct pool_case {
    struct pool pool;
    struct pool_type types[POOL_MOST_TYPES];
    struct pool_workload *workloads;
    struct pool_candidate *candidates;
    struct pool_job jobs[8];
    double *demand;
    uint64_t state;
};

static inline unsigned case_below(struct pool_case *c, unsigned n)
{
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((c->state >> 33) % n);
}

static inline double case_share(struct pool_case *c)
{
    return case_below(c, 1000001) / 1e6;
}

static inline void case_init(struct pool_case *c, uint64_t seed, int types, int workloads,
                             int hours, int ways)
{
    size_t w = (size_t)workloads, h = (size_t)hours;

    *c = (struct pool_case){.state = seed * 2654435761u + 12345};
    c->workloads = gp_calloc(w, sizeof(*c->workloads));
    c->candidates = gp_calloc(w * (size_t)ways, sizeof(*c->candidates));
    c->demand = gp_calloc(w * h, sizeof(*c->demand));
    c->pool = (struct pool){.hours = hours,
                            .type_count = types,
                            .workload_count = workloads,
                            .types = c->types,
                            .workloads = c->workloads,
                            .candidates = c->candidates,
                            .jobs = c->jobs,
                            .pue = 1};
    for (int i = 0; i < workloads; i++)
        c->workloads[i] =
            (struct pool_workload){.demand = &c->demand[(size_t)i * h], .burst = 1, .priority = 1};
}

static inline void case_fini(struct pool_case *c)
{
    free(c->workloads);
    free(c->candidates);
    free(c->demand);
}

static inline struct pool_candidate *case_way(struct pool_case *c, int w, int type, int gpus,
                                              double rate)
{
    struct pool_candidate *way = &c->candidates[c->pool.candidate_count++];

    *way = (struct pool_candidate){.workload = w,
                                   .type = type,
                                   .slice = POOL_NO_SLICE,
                                   .gpus = gpus,
                                   .rate = rate,
                                   .composed_rate = rate};
    return way;
}

/* Mixes on six GPU types in TP 1, 2, 4 and 8, rates by bandwidth. They differ in the sizes
 * of their models, in how their demand goes over the day, and in what there is to use. */
enum case_family {
    CASE_SPREAD,   /* 3 to 405 billion parameters, peaks all over the day */
    CASE_TOGETHER, /* mostly large ones, all peaks within four hours */
    CASE_SMALL,    /* 3 to 14 billion, two peaks a day and hardly a soul at night */
    CASE_SCARCE,   /* all sizes, a stock that is too small, little to buy, not all types */
    CASE_OPEN,     /* weights of 8 or 16 bit, electricity, purchases with an end */
    CASE_FAMILIES
};

static inline double case_size(struct pool_case *c, enum case_family family)
{
    static const double sizes[] = {3, 7, 8, 13, 14, 27, 32, 34, 70, 72, 123, 235, 405};
    unsigned at = family == CASE_TOGETHER ? 6 + case_below(c, 7)
                  : family == CASE_SMALL  ? case_below(c, 5)
                                          : case_below(c, 13);

    return sizes[at];
}

/* Share of the peak in hour t. */
static inline double case_day(enum case_family family, double phase, double width, int t)
{
    double day = 0.5 + 0.5 * cos((t - phase) * 2 * 3.14159265358979 / 24);
    double twice = 0.5 + 0.5 * cos((t - phase) * 2 * 3.14159265358979 / 9);

    if (family == CASE_SMALL)
        return 0.02 + 0.98 * (day > 0.3 ? twice * day : 0);
    return width + (1 - width) * day * day;
}

static inline void case_family(struct pool_case *c, enum case_family family, uint64_t seed,
                               int workloads, double scale)
{
    static const struct {
        double gib, gb_s, hour, busy, idle;
        int stock;
    } gpu[] = {{141, 4800, 3.6, 700, 75, 8}, {80, 3350, 2.6, 700, 70, 24},
               {80, 2039, 1.6, 400, 50, 16}, {48, 864, 0.9, 350, 35, 16},
               {24, 600, 0.6, 150, 20, 8},   {24, 300, 0.4, 72, 12, 8}};
    bool scarce = family == CASE_SCARCE, open = family == CASE_OPEN;

    case_init(c, seed, 6, workloads, 24, 48);
    for (int g = 0; g < 6; g++)
        c->types[g] = (struct pool_type){.stock = scarce ? gpu[g].stock : 0,
                                         .buy = scarce ? 8 * (g % 2)
                                                : open ? 8 * (4 + g)
                                                       : 20000,
                                         .stock_hour = scarce ? gpu[g].hour : 0,
                                         .buy_hour = gpu[g].hour,
                                         .cloud_hour = 1.7 * gpu[g].hour,
                                         .busy_watts = gpu[g].busy,
                                         .idle_watts = gpu[g].idle,
                                         .server_gpus = 8};
    c->pool.electricity = open ? 0.12 : 0;
    c->pool.pue = open ? 1.3 : 1;
    for (int w = 0; w < workloads; w++) {
        double gb = case_size(c, family) * (1 + case_below(c, 2));
        double peak = scale * (200 + 3000 * case_share(c)) * 70 / (gb + 20);
        double phase = 24 * case_share(c), width = 0.15 + 0.6 * case_share(c);
        if (family == CASE_TOGETHER)
            phase = 12 + phase / 6;
        for (int g = 0; g < 6; g++)
            for (int tp = 1; tp <= 8; tp *= 2) {
                double room = 0.9 * tp * gpu[g].gib - gb;
                double tpot = gb / (tp * gpu[g].gb_s * 0.7) + 0.0004 * (tp - 1);
                if (room < 4 || tpot > 0.05)
                    continue;
                case_way(c, w, g, tp, fmin(room * 2, 128) / (tpot * 1.6));
                if (open) /* the other precision */
                    case_way(c, w, g, tp, fmin(room, 64) / (tpot * 2.1))->load_s = 20;
            }
        for (int t = 0; t < 24; t++)
            c->demand[w * 24 + t] = peak * case_day(family, phase, width, t);
    }
}

static inline void case_mix(struct pool_case *c, uint64_t seed, int workloads, double scale)
{
    case_family(c, CASE_SPREAD, seed, workloads, scale);
}

/* ---- tiny pools in which every feature comes up by chance ---- */

static inline double case_pick(struct pool_case *c, double often, double value)
{
    return case_share(c) < often ? value : 0;
}

static inline void any_type(struct pool_case *c, int g)
{
    static const signed char cuts[2][3][2] = {{{4, 0}, {2, 1}, {0, 2}}, {{3, 0}, {1, 1}, {0, 1}}};
    static const int servers[] = {1, 2, 3, 4};
    struct pool_type *type = &c->types[g];
    bool stocked = case_below(c, 2);

    *type = (struct pool_type){.stock = stocked ? (int)case_below(c, 9) : 0,
                               .buy = case_below(c, 3) ? (int)case_below(c, 24) : 40,
                               .buy_hour = 1 + 0.5 * case_below(c, 6),
                               .run_hour = case_pick(c, 0.4, 0.125 * case_below(c, 8)),
                               .premium_hour = case_pick(c, 0.3, 0.25 * case_below(c, 4)),
                               .busy_watts = 100 + 50 * case_below(c, 13),
                               .server_gpus = servers[case_below(c, 4)],
                               .module = case_below(c, 4) == 0,
                               .spare = (int)case_pick(c, 0.3, 1 + case_below(c, 2))};
    type->stock_hour = type->buy_hour * 0.25 * case_below(c, 5);
    type->cloud_hour = case_pick(c, 0.8, type->buy_hour * (1 + 0.25 * case_below(c, 8)));
    type->idle_watts = type->busy_watts * 0.1 * case_below(c, 6);
    if (case_below(c, 3) == 0) {
        type->slices = 2;
        type->cuts = 3;
        for (int k = 0, at = (int)case_below(c, 2); k < 3; k++)
            memcpy(type->cut[k], cuts[at][k], sizeof(cuts[at][k]));
    }
}

static inline void any_workload(struct pool_case *c, int w, int ways)
{
    struct pool_workload *own = &c->workloads[w];
    double rate = 4 + case_below(c, 8);

    own->burst = 1 + case_pick(c, 0.3, 0.25 * case_below(c, 5));
    own->penalty = case_pick(c, 0.5, 0.5 + case_below(c, 8));
    own->priority = 1 + (int)case_below(c, 3);
    own->minimum = (int)case_pick(c, 0.3, case_below(c, 3));
    own->alone = case_below(c, 3) == 0;
    for (int i = 1 + (int)case_below(c, (unsigned)ways); i > 0; i--) {
        int g = (int)case_below(c, (unsigned)c->pool.type_count);
        int gpus = 1 + (int)case_below(c, 4);
        struct pool_candidate *way =
            case_way(c, w, g, gpus, gpus * rate * (0.5 + 0.125 * case_below(c, 8)));
        if (c->types[g].slices > 0 && case_below(c, 2)) {
            way->gpus = 1;
            way->slice = (int)case_below(c, 2);
            way->rate = rate * (0.2 + 0.3 * way->slice);
        }
        way->composed_rate = way->rate * (case_below(c, 3) ? 1 : 0.75);
        if (case_below(c, 12) == 0)
            way->composed_rate = 0;
        else if (case_below(c, 12) == 0)
            way->rate = 0;
        way->free_rate = case_pick(c, 0.5, 1.5 * way->rate);
        way->load_s = case_pick(c, 0.5, 60 * case_below(c, 20));
    }
    for (int t = 0; t < c->pool.hours; t++)
        c->demand[w * c->pool.hours + t] = case_below(c, 6) ? case_below(c, 4 * (unsigned)rate) : 0;
}

static inline void any_job(struct pool_case *c, struct pool_job *job)
{
    int hours = c->pool.hours, first = (int)case_below(c, (unsigned)hours);

    *job = (struct pool_job){.type = (int)case_below(c, (unsigned)c->pool.type_count),
                             .gpus = 1 + (int)case_below(c, 4),
                             .most = 1 + (int)case_below(c, 3),
                             .gpu_hours = case_below(c, 16) * 0.75,
                             .first = first,
                             .end = first + 1 + (int)case_below(c, (unsigned)(hours - first)),
                             .penalty = case_pick(c, 0.6, 0.5 + case_below(c, 8))};
}

/* Stock, purchases, modules, spares, slices, premium, running cost and power; minimum
 * replicas, isolation, bursts, priorities, ways that only run composed or only in servers;
 * jobs; caps on slots and watts; starts: each in some of the pools. */
static inline void case_any(struct pool_case *c, uint64_t seed)
{
    int types, workloads, hours;

    *c = (struct pool_case){.state = seed * 2654435761u + 99};
    types = 1 + (int)case_below(c, 3);
    workloads = 1 + (int)case_below(c, 3);
    hours = 1 + (int)case_below(c, 4);
    case_init(c, seed, types, workloads, hours, 3);
    for (int g = 0; g < types; g++)
        any_type(c, g);
    for (int w = 0; w < workloads; w++)
        any_workload(c, w, 3);
    c->pool.job_count = case_below(c, 2) ? (int)case_below(c, 3) : 0;
    for (int j = 0; j < c->pool.job_count; j++)
        any_job(c, &c->jobs[j]);
    c->pool.electricity = case_pick(c, 0.5, 0.5 * case_below(c, 4));
    c->pool.pue = 1 + case_pick(c, 0.5, 0.25 * case_below(c, 3));
    c->pool.watts = case_pick(c, 0.2, 500 * (1 + case_below(c, 16)));
    c->pool.chassis_slots = (int)case_pick(c, 0.2, 1 + case_below(c, 16));
    if (case_below(c, 2) == 0)
        for (int k = 0; k < POOL_CHANGES; k++)
            c->pool.change_s[k] = case_pick(c, 0.5, 120.0 * case_below(c, 12));
}

#endif
