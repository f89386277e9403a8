/*
 * seating.c - see seating.h.
 */
#include "core/pool/seating.h"

#include <stdlib.h>
#include <string.h>

#include "core/pool/slices.h"
#include "util/mem.h"

#define NOBODY (-1)

struct placing {
    const struct pool *pool;
    const struct pool_rung *rung;
    struct seating *out;
    int *owner;    /* [box] workload it belongs to all day; NOBODY */
    int *left;     /* [candidate] replicas of this hour that have no GPUs yet */
    int *jobs_left;
    int *room;     /* [box] free GPUs in this hour */
    int next_unit;
    bool servers;
};

/* ---- boxes ---- */

static void add_box(struct placing *p, int type, int gpus, int chassis)
{
    struct seating *o = p->out;
    struct seating_box *box = &o->box[o->box_count];

    *box = (struct seating_box){.type = type, .first = o->gpus, .gpus = gpus,
                              .chassis = chassis};
    for (int i = 0; i < gpus; i++)
        o->box_of[o->gpus + i] = o->box_count;
    o->gpus += gpus;
    o->box_count++;
}

static void add_servers(struct placing *p)
{
    for (int t = 0; t < p->pool->type_count; t++) {
        int each = p->pool->types[t].server_gpus;
        for (int left = p->rung->gpus[t]; left > 0; left -= each) {
            int n = left < each ? left : each;
            for (int i = 0; i < n; i++)
                p->out->type[p->out->gpus + i] = t;
            add_box(p, t, n, -1);
        }
    }
}

/* Types one after the other into the slots there are; what is over goes into a last one. */
static void add_chassis(struct placing *p, const struct seating_chassis *chassis, int count,
                        int total)
{
    int left = total, t = 0, of_type = 0;

    for (int c = 0; left > 0; c++) {
        int n = c >= count || left < chassis[c].slots ? left : chassis[c].slots;
        for (int i = 0; i < n; i++) {
            while (of_type == p->rung->gpus[t]) {
                t++;
                of_type = 0;
            }
            p->out->type[p->out->gpus + i] = t;
            of_type++;
        }
        add_box(p, -1, n, c < count ? c : count);
        left -= n;
    }
}

/* ---- one hour ---- */

static int seat_of(const struct placing *p, int candidate)
{
    const struct pool_candidate *c = &p->pool->candidates[candidate];

    return p->servers ? pool_seat(c->gpus, p->pool->types[c->type].server_gpus) : c->gpus;
}

static int owner_of(const struct placing *p, int workload)
{
    bool apart = p->rung->id == POOL_FIXED || p->pool->workloads[workload].alone;

    return p->servers && apart ? workload : NOBODY;
}

static size_t cell(const struct seating *o, int hour, int gpu)
{
    return (size_t)hour * (size_t)o->gpus + (size_t)gpu;
}

static void put(struct placing *p, int hour, int gpu, int who, int unit, int cut)
{
    struct seating *o = p->out;

    o->who[cell(o, hour, gpu)] = who;
    o->unit[cell(o, hour, gpu)] = unit;
    o->cut[cell(o, hour, gpu)] = (signed char)cut;
    p->room[o->box_of[gpu]]--;
}

static int free_of_type(const struct placing *p, int hour, int b, int type)
{
    const struct seating_box *box = &p->out->box[b];
    int n = 0;

    if (box->type >= 0)
        return box->type == type ? p->room[b] : 0;
    for (int g = box->first; g < box->first + box->gpus; g++)
        n += p->out->type[g] == type && p->out->who[cell(p->out, hour, g)] == SEATING_FREE;
    return n;
}

static bool may_own(const struct placing *p, int b, int owner)
{
    return p->owner[b] == owner || (p->owner[b] == NOBODY && owner != NOBODY &&
                                    p->room[b] == p->out->box[b].gpus);
}

/* The box with the least room that still holds n; NOBODY: none does. */
static int best_box(const struct placing *p, int hour, int type, int n, int owner)
{
    int best = NOBODY, least = 0;

    for (int b = 0; b < p->out->box_count; b++) {
        if (p->room[b] < n || !may_own(p, b, owner))
            continue;
        int room = free_of_type(p, hour, b, type);
        if (room >= n && (best == NOBODY || room < least)) {
            best = b;
            least = room;
        }
    }
    return best;
}

static int fill_box(struct placing *p, int hour, int b, int type, int n, int who, int unit,
                    int cut)
{
    const struct seating_box *box = &p->out->box[b];

    for (int g = box->first; g < box->first + box->gpus && n > 0; g++) {
        if (p->out->type[g] != type || p->out->who[cell(p->out, hour, g)] != SEATING_FREE)
            continue;
        put(p, hour, g, who, unit, cut);
        n--;
    }
    return n;
}

/* One replica of `n` GPUs: within a box; of more than a server, in whole ones. */
static bool place_one(struct placing *p, int hour, int type, int n, int owner, int who,
                      int cut)
{
    int each = p->servers ? p->pool->types[type].server_gpus : n;
    int first = NOBODY;

    for (int left = n; left > 0; left -= each) {
        int b = best_box(p, hour, type, left < each ? left : each, owner);
        if (b == NOBODY) {
            for (int g = 0; g < p->out->gpus && first != NOBODY; g++)
                if (p->out->unit[cell(p->out, hour, g)] == first) { /* taken back */
                    p->out->who[cell(p->out, hour, g)] = SEATING_FREE;
                    p->out->unit[cell(p->out, hour, g)] = 0;
                    p->room[p->out->box_of[g]]++;
                }
            return false;
        }
        if (owner != NOBODY)
            p->owner[b] = owner;
        if (first == NOBODY)
            first = p->next_unit++;
        fill_box(p, hour, b, type, left < each ? left : each, who, first, cut);
    }
    return true;
}

/* ---- what is to run ---- */

/* Replicas and workers of an hour; GPUs that are cut follow. */
static void count_left(struct placing *p, int hour)
{
    const struct pool *pool = p->pool;

    for (int c = 0; c < pool->candidate_count; c++)
        p->left[c] = pool->candidates[c].slice == POOL_NO_SLICE
                         ? p->rung->replicas[c * pool->hours + hour]
                         : 0;
    for (int j = 0; j < pool->job_count; j++)
        p->jobs_left[j] = p->rung->workers[j * pool->hours + hour];
}

/* GPUs of a type that are cut in each way. */
static int count_cuts(const struct placing *p, int hour, int type, int cuts[POOL_MOST_CUTS])
{
    const struct pool *pool = p->pool;
    int count[POOL_MOST_SLICES] = {0}, any = 0;
    double weight[POOL_MOST_SLICES];

    memset(cuts, 0, sizeof(int) * POOL_MOST_CUTS);
    for (int c = 0; c < pool->candidate_count; c++) {
        if (pool->candidates[c].type != type || pool->candidates[c].slice < 0)
            continue;
        int n = p->rung->replicas[c * pool->hours + hour];
        count[pool->candidates[c].slice] += n;
        any += n;
    }
    if (any == 0)
        return 0;
    slices_weights(&pool->types[type], weight);
    return slices_gpus(&pool->types[type], weight, count, cuts);
}

/* Who a cut GPU belongs to: the type's first candidate that is a slice of it. */
static int cut_who(const struct pool *pool, int type)
{
    for (int c = 0; c < pool->candidate_count; c++)
        if (pool->candidates[c].type == type && pool->candidates[c].slice >= 0)
            return c + 1;
    return SEATING_FREE;
}

/* GPUs of whatever a cell holds. */
static int size_at(const struct placing *p, size_t at)
{
    int who = p->out->who[at];

    return p->out->cut[at] >= 0 ? 1
           : who > 0            ? seat_of(p, who - 1)
                                : p->pool->jobs[-who - 1].gpus;
}

/* Puts the whole replica whose first GPU is g where it was. */
static void keep_unit(struct placing *p, int hour, int before, int g)
{
    struct seating *o = p->out;
    size_t was = cell(o, before, g);
    int unit = o->unit[was], left = size_at(p, was);

    for (; g < o->gpus && left > 0; g++) {
        if (o->unit[cell(o, before, g)] != unit)
            continue;
        put(p, hour, g, o->who[was], unit, o->cut[was]);
        left--;
    }
}

/* GPUs of the hour before stay with whom they served. */
static void keep_running(struct placing *p, int hour, int before, int **cuts)
{
    struct seating *o = p->out;

    for (int g = 0; g < o->gpus; g++) {
        size_t was = cell(o, before, g);
        int who = o->who[was];
        int *left = who == SEATING_FREE ? NULL
                    : o->cut[was] >= 0 ? &cuts[o->type[g]][o->cut[was]]
                    : who > 0          ? &p->left[who - 1]
                                       : &p->jobs_left[-who - 1];
        if (!left || *left <= 0 || o->who[cell(o, hour, g)] != SEATING_FREE)
            continue;
        keep_unit(p, hour, before, g);
        --*left;
    }
}

static bool place_candidates(struct placing *p, int hour, int size)
{
    const struct pool *pool = p->pool;
    bool all = true;

    for (int c = 0; c < pool->candidate_count; c++) {
        const struct pool_candidate *cand = &pool->candidates[c];
        if (p->left[c] == 0 || seat_of(p, c) != size)
            continue;
        while (p->left[c] > 0 && place_one(p, hour, cand->type, size,
                                           owner_of(p, cand->workload), c + 1, -1))
            p->left[c]--;
        all = all && p->left[c] == 0;
    }
    return all;
}

static bool place_jobs(struct placing *p, int hour)
{
    bool all = true;

    for (int j = 0; j < p->pool->job_count; j++) {
        const struct pool_job *job = &p->pool->jobs[j];
        while (p->jobs_left[j] > 0 &&
               place_one(p, hour, job->type, job->gpus, NOBODY, -(j + 1), -1))
            p->jobs_left[j]--;
        all = all && p->jobs_left[j] == 0;
    }
    return all;
}

static bool place_cuts(struct placing *p, int hour, int **cuts)
{
    bool all = true;

    for (int t = 0; t < p->pool->type_count; t++)
        for (int k = 0; k < POOL_MOST_CUTS; k++) {
            while (cuts[t][k] > 0 &&
                   place_one(p, hour, t, 1, NOBODY, cut_who(p->pool, t), k))
                cuts[t][k]--;
            all = all && cuts[t][k] == 0;
        }
    return all;
}

/* Sizes of seats that this hour needs, the largest first. */
static int next_size(const struct placing *p, int below)
{
    int size = 0;

    for (int c = 0; c < p->pool->candidate_count; c++)
        if (p->left[c] > 0 && seat_of(p, c) < below && seat_of(p, c) > size)
            size = seat_of(p, c);
    return size;
}

static bool place_rest(struct placing *p, int hour, int **cuts)
{
    bool all = true;

    for (int size = next_size(p, POOL_MOST_GPUS); size > 0; size = next_size(p, size))
        all = place_candidates(p, hour, size) && all;
    all = place_cuts(p, hour, cuts) && all;
    return place_jobs(p, hour) && all;
}

static void begin_hour(struct placing *p, int hour, int **cuts)
{
    struct seating *o = p->out;

    memset(&o->who[cell(o, hour, 0)], 0, sizeof(int) * (size_t)o->gpus);
    memset(&o->unit[cell(o, hour, 0)], 0, sizeof(int) * (size_t)o->gpus);
    memset(&o->cut[cell(o, hour, 0)], -1, (size_t)o->gpus);
    for (int b = 0; b < o->box_count; b++)
        p->room[b] = o->box[b].gpus;
    count_left(p, hour);
    for (int t = 0; t < p->pool->type_count; t++)
        count_cuts(p, hour, t, cuts[t]);
}

static void place_hour(struct placing *p, int hour, int before, int **cuts)
{
    begin_hour(p, hour, cuts);
    if (before >= 0)
        keep_running(p, hour, before, cuts);
    if (place_rest(p, hour, cuts))
        return;
    begin_hour(p, hour, cuts); /* packed anew */
    if (place_rest(p, hour, cuts))
        return;
    for (int c = 0; c < p->pool->candidate_count; c++)
        p->out->unplaced += p->left[c];
    for (int j = 0; j < p->pool->job_count; j++)
        p->out->unplaced += p->jobs_left[j];
    p->out->whole = false;
}

bool seating_starts(const struct seating *o, int hour, int gpu)
{
    int before = hour > 0 ? hour - 1 : o->hours - 1;

    return o->who[cell(o, hour, gpu)] != SEATING_FREE &&
           (o->who[cell(o, hour, gpu)] != o->who[cell(o, before, gpu)] ||
            o->cut[cell(o, hour, gpu)] != o->cut[cell(o, before, gpu)] ||
            (hour > 0 && o->unit[cell(o, hour, gpu)] != o->unit[cell(o, before, gpu)]));
}

/* Each replica once, by its first GPU that is new to it. */
static void count_moves(struct seating *o, int units)
{
    int *seen = gp_calloc((size_t)units + 1, sizeof(*seen)); /* hour + 1 */

    for (int t = 0; t < o->hours; t++)
        for (int g = 0; g < o->gpus; g++) {
            int unit = o->unit[cell(o, t, g)];
            if (seen[unit] == t + 1 || !seating_starts(o, t, g))
                continue;
            seen[unit] = t + 1;
            o->moves[t]++;
        }
    free(seen);
}

static void place_hours(struct placing *p)
{
    int types = p->pool->type_count;
    int **cuts = gp_calloc((size_t)types + 1, sizeof(*cuts));

    for (int t = 0; t < types; t++)
        cuts[t] = gp_calloc(POOL_MOST_CUTS, sizeof(int));
    for (int hour = 0; hour < p->pool->hours; hour++)
        place_hour(p, hour, hour - 1, cuts);
    for (int t = 0; t < types; t++)
        free(cuts[t]);
    free(cuts);
    count_moves(p->out, p->next_unit);
}

static void allocate(struct seating *o, size_t gpus, size_t hours)
{
    o->box = gp_calloc(gpus + 1, sizeof(*o->box));
    o->type = gp_calloc(gpus + 1, sizeof(*o->type));
    o->box_of = gp_calloc(gpus + 1, sizeof(*o->box_of));
    o->who = gp_calloc(gpus * hours + 1, sizeof(*o->who));
    o->unit = gp_calloc(gpus * hours + 1, sizeof(*o->unit));
    o->cut = gp_calloc(gpus * hours + 1, sizeof(*o->cut));
    o->moves = gp_calloc(hours, sizeof(*o->moves));
}

void seating_rung(const struct pool *pool, const struct pool_rung *rung,
                const struct seating_chassis *chassis, int chassis_count, struct seating *out)
{
    struct placing p = {.pool = pool, .rung = rung, .out = out, .next_unit = 1};
    long total = 0;

    *out = (struct seating){.hours = pool->hours, .whole = true};
    for (int t = 0; t < pool->type_count; t++)
        total += rung->gpus[t];
    if (total * pool->hours > SEATING_MOST || !rung->replicas)
        out->whole = false;
    if (!out->whole)
        total = 0;
    allocate(out, (size_t)total, (size_t)pool->hours);
    if (total == 0)
        return;
    p.servers = rung->id == POOL_FIXED || rung->id == POOL_SHARED || rung->id == POOL_CLOUD;
    if (p.servers)
        add_servers(&p);
    else
        add_chassis(&p, chassis, chassis_count, (int)total);
    p.owner = gp_calloc((size_t)out->box_count + 1, sizeof(*p.owner));
    p.room = gp_calloc((size_t)out->box_count + 1, sizeof(*p.room));
    p.left = gp_calloc((size_t)pool->candidate_count + 1, sizeof(*p.left));
    p.jobs_left = gp_calloc((size_t)pool->job_count + 1, sizeof(*p.jobs_left));
    for (int b = 0; b < out->box_count; b++)
        p.owner[b] = NOBODY;
    place_hours(&p);
    free(p.owner);
    free(p.room);
    free(p.left);
    free(p.jobs_left);
}

void seating_fini(struct seating *o)
{
    free(o->box);
    free(o->type);
    free(o->box_of);
    free(o->who);
    free(o->unit);
    free(o->cut);
    free(o->moves);
    memset(o, 0, sizeof(*o));
}
