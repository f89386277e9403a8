/*
 * placement.c - see pool_run.h.
 */
#include "pool/pool_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pool/grid.h"

#define NOBODY (-1)

struct placing {
    struct arrays arrays; /* those of one cell for each of something */
    const struct pool *pool;
    const struct pool_rung *rung;
    struct placement *out;
    int *owner;     /* [host] workload it belongs to all day; NOBODY */
    bool *touched;  /* [host] somebody without a claim was on it, at some hour */
    int *host_room; /* [host] GPUs that it still takes in this hour */
    int *free;      /* [chassis x types + type] free GPUs in this hour */
    int *left;      /* [candidate] replicas of this hour that have no GPUs yet */
    int *jobs_left;
    int (*cuts)[POOL_MOST_CUTS]; /* [candidate] GPUs cut for it and those after it */
    int *cut_first;              /* [candidate] whose cuts its slices are in; NOBODY: no slice */
    int hosts, next_unit;
    bool any_sleeps; /* some workload has any */
};

/* ---- servers and chassis ---- */

static void add_one(struct placing *p, int type, int gpus, int listed, int hosts, int per_host)
{
    struct placement *o = p->out;
    struct placement_chassis *at = &o->chassis[o->chassis_count];

    *at = (struct placement_chassis){.type = type,
                                     .first = o->gpus,
                                     .gpus = gpus,
                                     .listed = listed,
                                     .first_host = p->hosts,
                                     .hosts = hosts,
                                     .per_host = per_host};
    for (int i = 0; i < gpus; i++)
        o->chassis_of[o->gpus + i] = o->chassis_count;
    o->gpus += gpus;
    o->chassis_count++;
    p->hosts += hosts;
}

static bool in_servers(const struct placing *p, int type)
{
    return !pool_composes(p->pool, type, p->rung->id);
}

/* Types one after the other into the slots there are; what is over goes into a last one,
 * with hosts as large as servers and as many as it takes. */
static void add_chassis(struct placing *p, const struct chassis_size *chassis, int count)
{
    int left = 0, t = 0, of_type = 0, largest = 1;

    for (int i = 0; i < p->pool->type_count; i++) {
        int each = p->pool->types[i].server_gpus;

        largest = each > largest ? each : largest;
        left += in_servers(p, i) ? 0 : p->rung->gpus[i];
    }
    for (int c = 0; left > 0; c++) {
        int n = c >= count || left < chassis[c].slots ? left : chassis[c].slots;

        for (int i = 0; i < n; i++) {
            while (in_servers(p, t) || of_type == p->rung->gpus[t]) {
                t++;
                of_type = 0;
            }
            p->out->type[p->out->gpus + i] = t;
            of_type++;
        }
        add_one(p, -1, n, c < count ? c : count, c < count ? chassis[c].hosts : n,
                c < count ? chassis[c].per_host : largest);
        left -= n;
    }
}

/* ---- one hour ---- */

static int seat_of(const struct placing *p, int candidate)
{
    const struct pool_candidate *c = &p->pool->candidates[candidate];

    return in_servers(p, c->type) ? pool_seat(c->gpus, p->pool->types[c->type].server_gpus)
                                  : c->gpus;
}

static double rate_of(const struct placing *p, int candidate)
{
    const struct pool_candidate *c = &p->pool->candidates[candidate];

    return in_servers(p, c->type) ? c->rate : c->composed_rate;
}

static int owner_of(const struct placing *p, int candidate)
{
    const struct pool_candidate *c = &p->pool->candidates[candidate];
    bool own = p->rung->id == POOL_FIXED || p->pool->workloads[c->workload].alone ||
               (p->rung->id == POOL_COMPOSED && in_servers(p, c->type));

    return own ? c->workload : NOBODY;
}

static void put_gpu(struct placing *p, int hour, int gpu, int who, int unit, int cut, int host)
{
    struct placement *o = p->out;
    int b = o->chassis_of[gpu];

    o->who[placement_cell(o, hour, gpu)] = who;
    o->unit[placement_cell(o, hour, gpu)] = unit;
    o->cut[placement_cell(o, hour, gpu)] = (signed char)cut;
    o->host[placement_cell(o, hour, gpu)] = host + 1;
    p->free[b * p->pool->type_count + o->type[gpu]]--;
    p->host_room[o->chassis[b].first_host + host]--;
}

static void take_away(struct placing *p, int hour, int unit)
{
    struct placement *o = p->out;

    for (int g = 0; g < o->gpus; g++) {
        size_t at = placement_cell(o, hour, g);
        int b = o->chassis_of[g];

        if (o->unit[at] != unit)
            continue;
        p->host_room[o->chassis[b].first_host + o->host[at] - 1]++;
        p->free[b * p->pool->type_count + o->type[g]]++;
        o->who[at] = PLACEMENT_FREE;
        o->unit[at] = o->host[at] = 0;
        o->cut[at] = -1;
    }
}

/* The host of a chassis that is left with least room when it takes n; NOBODY: none does. A host
 * that a workload has claimed is its own; one that others have used is theirs. */
static int best_host(const struct placing *p, int b, int n, int owner, bool claim)
{
    const struct placement_chassis *at = &p->out->chassis[b];
    int best = NOBODY;

    for (int h = at->first_host; h < at->first_host + at->hosts; h++) {
        bool may = claim ? owner != NOBODY && p->owner[h] == NOBODY && !p->touched[h]
                         : p->owner[h] == owner;

        if (may && p->host_room[h] >= n && (best == NOBODY || p->host_room[h] < p->host_room[best]))
            best = h;
    }
    return best;
}

/* The chassis with the least room that still holds n; NOBODY: none does. */
static int best_chassis(const struct placing *p, int type, int n, int owner, bool claim, int *host)
{
    int best = NOBODY, least = 0;

    for (int b = 0; b < p->out->chassis_count; b++) {
        int room = p->free[b * p->pool->type_count + type], at;

        if (room < n || (best != NOBODY && room >= least) ||
            (at = best_host(p, b, n, owner, claim)) == NOBODY)
            continue;
        best = b;
        least = room;
        *host = at;
    }
    return best;
}

static bool is_free(const struct placing *p, int hour, int gpu, int type)
{
    return p->out->type[gpu] == type &&
           p->out->who[placement_cell(p->out, hour, gpu)] == PLACEMENT_FREE;
}

/* On n free GPUs that stand side by side and aligned to n, so that they share the links of a
 * board; else on the first of the chassis. */
static void fill_chassis(struct placing *p, int hour, int b, int type, int n, int host, int who,
                         int unit, int cut)
{
    const struct placement_chassis *at = &p->out->chassis[b];
    int from = at->first;

    for (int g = at->first; g + n <= at->first + at->gpus; g += n) {
        int run = 0;

        while (run < n && is_free(p, hour, g + run, type))
            run++;
        if (run == n) {
            from = g;
            break;
        }
    }
    for (int g = from; n > 0; g++) {
        if (!is_free(p, hour, g, type))
            continue;
        put_gpu(p, hour, g, who, unit, cut, host - at->first_host);
        n--;
    }
}

/* One replica of `n` GPUs: within a host; of more than one holds, in whole ones. */
static bool place_one(struct placing *p, int hour, int type, int n, int owner, int who, int cut)
{
    int each = in_servers(p, type) ? p->pool->types[type].server_gpus : 1, unit = p->next_unit;

    for (int b = 0; b < p->out->chassis_count && !in_servers(p, type); b++)
        each = p->out->chassis[b].per_host > each ? p->out->chassis[b].per_host : each;
    for (int left = n; left > 0; left -= each) {
        int host = NOBODY, take = left < each ? left : each;
        int b = best_chassis(p, type, take, owner, false, &host);

        if (b == NOBODY)
            b = best_chassis(p, type, take, owner, true, &host);
        if (b == NOBODY) {
            if (left < n)
                take_away(p, hour, unit);
            return false;
        }
        p->owner[host] = owner;
        p->touched[host] |= owner == NOBODY;
        fill_chassis(p, hour, b, type, take, host, who, unit, cut);
    }
    p->next_unit++;
    return true;
}

/* ---- what is to run ---- */

/* GPUs of the group of candidate c that are cut in each way. */
static void count_cuts(struct placing *p, int hour, int c)
{
    const struct pool *pool = p->pool;
    const struct pool_type *type = &pool->types[pool->candidates[c].type];
    int count[POOL_MOST_SLICES] = {0};
    double weight[POOL_MOST_SLICES];

    for (int i = c; i < pool->candidate_count; i++)
        if (p->cut_first[i] == c)
            count[pool->candidates[i].slice] += p->rung->replicas[i * pool->hours + hour];
    slices_weights(type, weight);
    slices_gpus(type, weight, count, p->cuts[c]);
}

/* Puts the whole replica whose first GPU is g where it was. */
static void keep_unit(struct placing *p, int hour, int before, int g)
{
    struct placement *o = p->out;
    size_t was = placement_cell(o, before, g);
    int unit = o->unit[was], who = o->who[was];
    int left = o->cut[was] >= 0 ? 1 : who > 0 ? seat_of(p, who - 1) : p->pool->jobs[-who - 1].gpus;

    for (; g < o->gpus && left > 0; g++) {
        if (o->unit[placement_cell(o, before, g)] != unit)
            continue;
        put_gpu(p, hour, g, who, unit, o->cut[was], o->host[placement_cell(o, before, g)] - 1);
        left--;
    }
}

/* GPUs of the hour before stay with whom they served. */
static void keep_running(struct placing *p, int hour, int before)
{
    struct placement *o = p->out;

    for (int g = 0; g < o->gpus; g++) {
        size_t was = placement_cell(o, before, g);
        int who = o->who[was];
        int *left = who == PLACEMENT_FREE ? NULL
                    : o->cut[was] >= 0    ? &p->cuts[who - 1][o->cut[was]]
                    : who > 0             ? &p->left[who - 1]
                                          : &p->jobs_left[-who - 1];

        if (!left || *left <= 0 || o->who[placement_cell(o, hour, g)] != PLACEMENT_FREE)
            continue;
        keep_unit(p, hour, before, g);
        --*left;
    }
}

/* Is the whole replica of cell (before, g) free to be where it was? */
static bool may_return(const struct placing *p, int hour, int before, int g)
{
    const struct placement *o = p->out;
    int unit = o->unit[placement_cell(o, before, g)];

    for (int k = g; k < o->gpus; k++)
        if (o->unit[placement_cell(o, before, k)] == unit &&
            o->who[placement_cell(o, hour, k)] != PLACEMENT_FREE)
            return false;
    return true;
}

/* Engines that sleep wake where they are, those that stopped last first. */
static void wake_suspended(struct placing *p, int hour)
{
    struct placement *o = p->out;

    for (int back = 2; back < o->hours && p->any_sleeps; back++)
        for (int g = 0; g < o->gpus; g++) {
            int before = (hour - back + o->hours) % o->hours;
            int c = o->who[placement_cell(o, before, g)] - 1;

            if (c < 0 || o->cut[placement_cell(o, before, g)] >= 0 || p->left[c] <= 0 ||
                !p->pool->workloads[p->pool->candidates[c].workload].sleeps ||
                !in_servers(p, p->pool->candidates[c].type) || !may_return(p, hour, before, g))
                continue;
            keep_unit(p, hour, before, g);
            p->left[c]--;
        }
}

/* Smaller replicas of its workload in place of one that finds no host with room. */
static void place_smaller(struct placing *p, int hour, int c)
{
    const struct pool_candidate *cand = p->pool->candidates, *lost = &cand[c];
    double need = p->left[c] * rate_of(p, c);

    for (int size = seat_of(p, c) - 1; size > 0 && need > 0; size--)
        for (int i = 0; i < p->pool->candidate_count && need > 0; i++)
            while (cand[i].workload == lost->workload && cand[i].slice < 0 &&
                   seat_of(p, i) == size && rate_of(p, i) > 0 && need > 0 &&
                   place_one(p, hour, cand[i].type, size, owner_of(p, i), i + 1, -1))
                need -= rate_of(p, i);
}

/* Replicas, workers and cut GPUs that found no place. */
static int count_unplaced(const struct placing *p)
{
    int n = 0;

    for (int c = 0; c < p->pool->candidate_count; c++) {
        n += p->left[c];
        for (int k = 0; p->cut_first[c] == c && k < POOL_MOST_CUTS; k++)
            n += p->cuts[c][k];
    }
    for (int j = 0; j < p->pool->job_count; j++)
        n += p->jobs_left[j];
    return n;
}

/* What has a place in this hour, from who is where; of slices that have no GPU the fullest
 * profile goes first. */
static void count_ran(struct placing *p, int hour)
{
    struct placement *o = p->out;
    const struct pool *pool = p->pool;
    bool *seen = gp_calloc((size_t)p->next_unit, sizeof(*seen));

    for (int c = 0; c < pool->candidate_count; c++)
        o->ran[c * pool->hours + hour] =
            p->cut_first[c] == NOBODY ? 0 : p->rung->replicas[c * pool->hours + hour];
    for (int g = 0; g < o->gpus; g++) {
        size_t at = placement_cell(o, hour, g);

        if (o->who[at] <= 0 || o->cut[at] >= 0 || seen[o->unit[at]])
            continue;
        seen[o->unit[at]] = true;
        o->ran[(o->who[at] - 1) * pool->hours + hour]++;
    }
    for (int c = 0; c < pool->candidate_count; c++) {
        int lost = 0;

        for (int k = 0; k < POOL_MOST_CUTS && p->cut_first[c] == c; k++)
            lost += p->cuts[c][k];
        for (int i = c; i < pool->candidate_count && lost > 0; i++) {
            int *ran = &o->ran[i * pool->hours + hour];

            if (p->cut_first[i] != c)
                continue;
            lost -= *ran;
            *ran = lost >= 0 ? 0 : -lost;
        }
    }
    free(seen);
}

/* Replicas, the largest seats first, then GPUs that are cut, and workers; how many find no
 * place. */
static int place_rest(struct placing *p, int hour)
{
    const struct pool *pool = p->pool;

    for (int size = POOL_MOST_GPUS, next; size > 0; size = next) {
        next = 0;
        for (int c = 0; c < pool->candidate_count; c++) {
            int seat = seat_of(p, c), type = pool->candidates[c].type;

            while (seat == size && p->left[c] > 0 &&
                   place_one(p, hour, type, size, owner_of(p, c), c + 1, -1))
                p->left[c]--;
            if (p->left[c] > 0 && seat < size && seat > next)
                next = seat;
        }
    }
    for (int c = 0; c < pool->candidate_count; c++)
        for (int k = 0; p->cut_first[c] == c && k < POOL_MOST_CUTS; k++)
            while (p->cuts[c][k] > 0 &&
                   place_one(p, hour, pool->candidates[c].type, 1, owner_of(p, c), c + 1, k))
                p->cuts[c][k]--;
    for (int j = 0; j < pool->job_count; j++) {
        const struct pool_job *job = &pool->jobs[j];
        int size = in_servers(p, job->type)
                       ? pool_seat(job->gpus, pool->types[job->type].server_gpus)
                       : job->gpus;

        while (p->jobs_left[j] > 0 && place_one(p, hour, job->type, size, NOBODY, -(j + 1), -1))
            p->jobs_left[j]--;
    }
    return count_unplaced(p);
}

static void begin_hour(struct placing *p, int hour)
{
    struct placement *o = p->out;
    size_t at = placement_cell(o, hour, 0), n = sizeof(int) * (size_t)o->gpus;

    memset(&o->who[at], 0, n);
    memset(&o->unit[at], 0, n);
    memset(&o->host[at], 0, n);
    memset(&o->cut[at], -1, (size_t)o->gpus);
    memset(p->free, 0, sizeof(int) * (size_t)o->chassis_count * (size_t)p->pool->type_count);
    for (int g = 0; g < o->gpus; g++)
        p->free[o->chassis_of[g] * p->pool->type_count + o->type[g]]++;
    for (int b = 0; b < o->chassis_count; b++)
        for (int h = 0; h < o->chassis[b].hosts; h++)
            p->host_room[o->chassis[b].first_host + h] = o->chassis[b].per_host;
    for (int c = 0; c < p->pool->candidate_count; c++) {
        p->left[c] = p->cut_first[c] == NOBODY ? p->rung->replicas[c * p->pool->hours + hour] : 0;
        if (p->cut_first[c] == c)
            count_cuts(p, hour, c);
    }
    for (int j = 0; j < p->pool->job_count; j++)
        p->jobs_left[j] = p->rung->workers[j * p->pool->hours + hour];
}

/* ---- hours beside each other ---- */

struct mates {         /* by unit */
    int *now, *before; /* GPUs */
    int *mate;         /* the one of the hour before on the same GPUs; NOBODY: several */
    size_t cap;
};

/* Pairs each replica of an hour with the one that had the same GPUs, host and work. */
static void mates_find(struct mates *m, const struct placement *o, int hour, int before)
{
    for (int g = 0; g < o->gpus; g++) {
        m->now[o->unit[placement_cell(o, hour, g)]] = 0;
        m->before[o->unit[placement_cell(o, before, g)]] = 0;
        m->mate[o->unit[placement_cell(o, hour, g)]] = 0;
    }
    for (int g = 0; g < o->gpus; g++) {
        size_t at = placement_cell(o, hour, g), was = placement_cell(o, before, g);
        int unit = o->unit[at], other = o->unit[was];
        bool same =
            o->who[at] == o->who[was] && o->cut[at] == o->cut[was] && o->host[at] == o->host[was];

        m->before[other]++;
        if (m->now[unit]++ == 0)
            m->mate[unit] = same ? other : NOBODY;
        else if (!same || m->mate[unit] != other)
            m->mate[unit] = NOBODY;
    }
}

static bool mates_same(const struct mates *m, int unit)
{
    return unit > 0 && m->mate[unit] > 0 && m->now[unit] == m->before[m->mate[unit]];
}

static void mates_size(struct mates *m, int units)
{
    size_t n = (size_t)units + 1, cap = m->cap;

    m->now = gp_grow(m->now, &cap, n, sizeof(*m->now));
    cap = m->cap;
    m->before = gp_grow(m->before, &cap, n, sizeof(*m->before));
    m->mate = gp_grow(m->mate, &m->cap, n, sizeof(*m->mate));
}

static void place_hour(struct placing *p, struct mates *m, int hour, int before)
{
    struct placement *o = p->out;

    begin_hour(p, hour);
    if (before >= 0)
        keep_running(p, hour, before);
    wake_suspended(p, hour);
    if (place_rest(p, hour) == 0)
        return;
    begin_hour(p, hour); /* packed anew */
    place_rest(p, hour);
    for (int c = 0; c < p->pool->candidate_count; c++)
        if (p->left[c] > 0)
            place_smaller(p, hour, c);
    if (before < 0)
        return;
    mates_size(m, p->next_unit);
    mates_find(m, o, hour, before);
    for (int g = 0; g < o->gpus; g++) { /* what got what it had keeps its number */
        int *unit = &o->unit[placement_cell(o, hour, g)];

        if (mates_same(m, *unit))
            *unit = m->mate[*unit];
    }
}

bool placement_returns(const struct placement *o, int hour, int gpu)
{
    for (int t = 0; t < o->hours; t++)
        if (t != hour &&
            o->unit[placement_cell(o, t, gpu)] == o->unit[placement_cell(o, hour, gpu)])
            return true;
    return false;
}

bool placement_starts(const struct placement *o, int hour, int gpu)
{
    size_t at = placement_cell(o, hour, gpu);

    return o->who[at] != PLACEMENT_FREE && !o->stays[at];
}

/* Twice around: the second time hour 0 follows the last. Then stays and moves are filled; a
 * replica is counted once, by its first GPU. */
static void place_hours(struct placing *p)
{
    struct placement *o = p->out;
    int hours = p->pool->hours;
    struct mates m = {0};

    /* Hosts for what shares none, before anybody else has one: all that it ever runs. */
    const struct pool *pool = p->pool;

    begin_hour(p, 0);
    memset(p->cuts, 0, sizeof(*p->cuts) * (size_t)pool->candidate_count);
    memset(p->jobs_left, 0, sizeof(*p->jobs_left) * (size_t)pool->job_count);
    for (int c = 0; c < pool->candidate_count; c++) {
        bool owns = owner_of(p, c) != NOBODY;

        p->left[c] = 0;
        for (int t = 0; owns && p->cut_first[c] == NOBODY && t < pool->hours; t++)
            if (p->rung->replicas[c * pool->hours + t] > p->left[c])
                p->left[c] = p->rung->replicas[c * pool->hours + t];
    }
    place_rest(p, 0);
    for (int hour = 0; hour < hours; hour++)
        place_hour(p, &m, hour, hour - 1);
    for (int hour = 0; hour < hours; hour++) {
        place_hour(p, &m, hour, (hour > 0 ? hour : hours) - 1);
        o->unplaced += count_unplaced(p);
        for (int c = 0; c < p->pool->candidate_count; c++)
            if (p->left[c] > 0 && seat_of(p, c) > o->lacking) {
                o->lacking = seat_of(p, c);
                o->lacking_type = p->pool->candidates[c].type;
            }
        count_ran(p, hour);
    }
    o->whole = o->unplaced == 0;
    o->units = p->next_unit;
    mates_size(&m, p->next_unit);
    for (int t = 0; t < hours; t++) {
        mates_find(&m, o, t, (t > 0 ? t : hours) - 1);
        for (int g = 0; g < o->gpus; g++) {
            int unit = o->unit[placement_cell(o, t, g)];

            o->stays[placement_cell(o, t, g)] = mates_same(&m, unit);
            if (unit == 0 || m.now[unit] == 0 || mates_same(&m, unit))
                continue;
            o->moves[t]++;
            m.now[unit] = 0;
        }
    }
    free(m.now);
    free(m.before);
    free(m.mate);
}

static void placing_init(struct placing *p)
{
    size_t hosts = (size_t)p->hosts + 1, n = (size_t)p->pool->candidate_count + 1;

    p->owner = arrays_add(&p->arrays, hosts, sizeof(*p->owner));
    p->touched = arrays_add(&p->arrays, hosts, sizeof(*p->touched));
    p->host_room = arrays_add(&p->arrays, hosts, sizeof(*p->host_room));
    p->free =
        arrays_add(&p->arrays, (size_t)p->out->chassis_count * (size_t)p->pool->type_count + 1,
                   sizeof(*p->free));
    p->left = arrays_add(&p->arrays, n, sizeof(*p->left));
    p->cuts = arrays_add(&p->arrays, n, sizeof(*p->cuts));
    p->cut_first = arrays_add(&p->arrays, n, sizeof(*p->cut_first));
    p->jobs_left = arrays_add(&p->arrays, (size_t)p->pool->job_count + 1, sizeof(*p->jobs_left));
    for (int h = 0; h < p->hosts; h++)
        p->owner[h] = NOBODY;
    for (int w = 0; w < p->pool->workload_count; w++)
        p->any_sleeps |= p->pool->workloads[w].sleeps;
    /* GPUs that are cut are a rung's own, but for those of A and B: each workload has its. */
    const struct pool *pool = p->pool;
    bool own = p->rung->id == POOL_FIXED || p->rung->id == POOL_COMPOSED;

    for (int c = 0; c < pool->candidate_count; c++) {
        const struct pool_candidate *one = &pool->candidates[c];
        int at = own ? c : 0;

        p->cut_first[c] = NOBODY;
        if (one->slice < 0)
            continue;
        while (own && at > 0 && pool->candidates[at - 1].workload == one->workload)
            at--;
        while (pool->candidates[at].slice < 0 || pool->candidates[at].type != one->type)
            at++;
        p->cut_first[c] = at;
    }
}

void placement_rung(const struct pool *pool, const struct pool_rung *rung,
                    const struct chassis_size *chassis, int chassis_count, struct placement *out)
{
    struct placing p = {.pool = pool, .rung = rung, .out = out, .next_unit = 1};
    size_t hours = (size_t)pool->hours, gpus;
    long total = 0;

    *out = (struct placement){.hours = pool->hours, .whole = true};
    for (int t = 0; t < pool->type_count; t++)
        total += rung->gpus[t];
    if (total * pool->hours > PLACEMENT_MOST || !rung->replicas)
        out->whole = false;
    gpus = out->whole ? (size_t)total : 0;
    struct arrays *all = &out->arrays;
    out->chassis = arrays_add(all, gpus + 1, sizeof(*out->chassis));
    out->type = arrays_add(all, gpus + 1, sizeof(*out->type));
    out->chassis_of = arrays_add(all, gpus + 1, sizeof(*out->chassis_of));
    out->who = arrays_add(all, gpus * hours + 1, sizeof(*out->who));
    out->unit = arrays_add(all, gpus * hours + 1, sizeof(*out->unit));
    out->host = arrays_add(all, gpus * hours + 1, sizeof(*out->host));
    out->cut = arrays_add(all, gpus * hours + 1, sizeof(*out->cut));
    out->stays = arrays_add(all, gpus * hours + 1, sizeof(*out->stays));
    out->moves = arrays_add(all, hours, sizeof(*out->moves));
    out->ran = arrays_add(all, (size_t)pool->candidate_count * hours + 1, sizeof(*out->ran));
    if (gpus == 0)
        return;
    for (int t = 0; t < p.pool->type_count; t++) {
        int each = p.pool->types[t].server_gpus;

        for (int left = in_servers(&p, t) ? p.rung->gpus[t] : 0; left > 0; left -= each) {
            int n = left < each ? left : each;

            for (int i = 0; i < n; i++)
                p.out->type[p.out->gpus + i] = t;
            add_one(&p, t, n, -1, 1, n);
        }
    }
    add_chassis(&p, chassis, chassis_count);
    placing_init(&p);
    place_hours(&p);
    arrays_free(&p.arrays);
}

void placement_fini(struct placement *o)
{
    arrays_free(&o->arrays);
    *o = (struct placement){.hours = 0};
}
