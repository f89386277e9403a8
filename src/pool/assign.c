/*
 * assign.c - see assign.h.
 */
#include "pool/assign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- storage ---- */

static size_t way_count(const struct grid *grid)
{
    return (size_t)grid->first[grid->workloads];
}

void assign_init(struct assign *a, const struct grid *grid)
{
    size_t hours = (size_t)grid->hours, w = (size_t)grid->workloads;

    *a = (struct assign){.grid = grid};
    a->x = arrays_add(&a->arrays, way_count(grid) * hours + 1, sizeof(*a->x));
    a->held = arrays_add(&a->arrays, way_count(grid) + 1, sizeof(*a->held));
    a->own = arrays_add(&a->arrays, w * (size_t)grid->types, sizeof(*a->own));
    a->use = arrays_add(&a->arrays, grid_cells(grid), sizeof(*a->use));
    a->cut = arrays_add(&a->arrays, grid_cells(grid), sizeof(*a->cut));
    if (grid->sliced)
        a->slices = arrays_add(&a->arrays, grid_cells(grid) * POOL_MOST_SLICES, sizeof(*a->slices));
    a->serve = arrays_add(&a->arrays, w * hours, sizeof(*a->serve));
    a->workers = arrays_add(&a->arrays, (size_t)grid->jobs * hours + 1, sizeof(*a->workers));
    a->job_held = arrays_add(&a->arrays, (size_t)grid->jobs + 1, sizeof(*a->job_held));
    for (int i = 0; i < grid->workloads; i++)
        for (int t = 0; t < grid->hours; t++)
            a->serve[i * grid->hours + t] = grid->need[i * grid->hours + t] * grid->penalty[i] +
                                            grid->pool->workloads[i].minimum * grid->missing[i];
}

void assign_fini(struct assign *a)
{
    arrays_free(&a->arrays);
    *a = (struct assign){0};
}

void assign_copy(struct assign *to, const struct assign *from)
{
    for (int i = 0; i < from->arrays.count; i++)
        memcpy(to->arrays.block[i], from->arrays.block[i], from->arrays.size[i]);
    memcpy(to->room, from->room, sizeof(to->room));
}

/* ---- covers ---- */

void assign_cuts(const struct grid *grid, int w, const short *x, int *cuts)
{
    int count[POOL_MOST_TYPES][POOL_MOST_SLICES] = {{0}};

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice >= 0)
            count[grid->ways[i].type][grid->ways[i].slice] += x[i - grid->first[w]];
    for (int g = 0; g < grid->types; g++)
        cuts[g] = slices_gpus(&grid->pool->types[g], grid->type[g].weight, count[g], NULL);
}

double assign_serving(const struct grid *grid, int w, int t, const short *x, double *unmet)
{
    double left = grid->need[w * grid->hours + t], slack = left * 1e-9, cost = 0, own = 0;
    int lacking = grid->pool->workloads[w].minimum, cuts[POOL_MOST_TYPES];

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        int count = x[i - grid->first[w]];

        left -= count * way->rate;
        lacking -= count;
        if (way->slice < 0)
            cost += count * way->gpus * grid->type[way->type].run;
    }
    if (unmet)
        *unmet = left > slack ? left : 0;
    cost = cost + (left > slack ? left * grid->penalty[w] : 0) +
           (lacking > 0 ? lacking * grid->missing[w] : 0);
    if (!grid->constant[w] || !grid->sliced)
        return cost;
    assign_cuts(grid, w, x, cuts);
    for (int g = 0; g < grid->types; g++)
        own += grid->type[g].run * cuts[g];
    return cost + own;
}

void assign_set(struct assign *a, int w, int t, const short *x)
{
    const struct grid *grid = a->grid;
    short *now = &a->x[grid_place(grid, w, t)];
    bool changed[POOL_MOST_TYPES] = {false};

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        short *old = &now[i - grid->first[w]];
        int more = x[i - grid->first[w]] - *old, at = t * grid->types + way->type;

        if (more == 0)
            continue;
        *old = x[i - grid->first[w]];
        if (grid->constant[w]) /* on GPUs of its own: assign_own() */
            continue;
        if (way->slice >= 0) {
            a->slices[at * POOL_MOST_SLICES + way->slice] += more;
            changed[way->type] = true;
        } else {
            a->use[at] += more * way->seat;
        }
    }
    for (int g = 0; g < grid->types && grid->sliced; g++) {
        int at = t * grid->types + g, cut;

        if (!changed[g])
            continue;
        cut = slices_gpus(&grid->pool->types[g], grid->type[g].weight,
                          &a->slices[at * POOL_MOST_SLICES], NULL);
        a->use[at] += cut - a->cut[at];
        a->cut[at] = cut;
    }
    a->serve[w * grid->hours + t] = assign_serving(grid, w, t, x, NULL);
}

void assign_ask(const struct grid *grid, int w, int t, const double *guide,
                struct cover_item *items, struct cover_request *ask)
{
    *ask = (struct cover_request){.items = items,
                                  .count = grid->first[w + 1] - grid->first[w],
                                  .need = grid->need[w * grid->hours + t],
                                  .penalty = grid->penalty[w],
                                  .missing = grid->missing[w],
                                  .minimum = grid->pool->workloads[w].minimum,
                                  .groups = grid->types};
    for (int i = 0; i < ask->count; i++) {
        const struct way *way = &grid->ways[grid->first[w] + i];
        const struct grid_type *type = &grid->type[way->type];
        double share = way->slice >= 0 ? type->weight[way->slice] : 0;

        items[i].rate = way->rate;
        items[i].group = way->type;
        items[i].seat = way->slice >= 0 ? 0 : way->seat;
        items[i].price = way->slice >= 0 ? share * (type->run + guide[way->type])
                                         : way->gpus * type->run + way->seat * guide[way->type];
    }
}

#define PARTS 840 /* of a GPU: 1 to 8 slices are whole numbers of them */

/* Slices that are left of GPUs which are cut, as items of their own: from[item] is the way.
 * Each profile of a type is a group. */
static void ask_for_left(const struct grid *grid, int w, const struct assign_left *left,
                         const double *more, struct cover_request *ask, struct cover_item *items,
                         int *room, int *from)
{
    int group[POOL_MOST_TYPES][POOL_MOST_SLICES] = {{0}}, ways = ask->count;

    for (int i = 0; i < ways && ask->count < POOL_MOST_WAYS && ask->groups < POOL_MOST_WAYS; i++) {
        const struct way *way = &grid->ways[grid->first[w] + i];
        int *at = way->slice < 0 ? NULL : &group[way->type][way->slice];

        if (!at || left->slices[way->type][way->slice] <= 0)
            continue;
        if (*at == 0) {
            room[ask->groups] = left->slices[way->type][way->slice];
            *at = ask->groups++;
        }
        from[ask->count] = i;
        items[ask->count++] = (struct cover_item){
            .price = more ? more[i] : 0, .rate = way->rate, .seat = 1, .group = *at};
    }
}

void assign_cover(const struct grid *grid, int w, int t, const double *guide, const double *more,
                  const struct assign_left *left, int nodes, struct cover *out)
{
    struct cover_item items[POOL_MOST_WAYS];
    struct cover_request ask;
    int room[POOL_MOST_WAYS], from[POOL_MOST_WAYS], ways;

    assign_ask(grid, w, t, guide, items, &ask);
    ways = ask.count;
    for (int i = 0; more && i < ways; i++)
        items[i].price += more[i];
    ask.nodes = nodes;
    if (left) {
        for (int g = 0; g < grid->types; g++)
            room[g] = left->gpus[g] > 0 ? left->gpus[g] : 0;
        ask.room = room;
        if (grid->sliced) {
            /* slices take their part of a GPU that is cut for them alone: what fits can be cut */
            for (int g = 0; g < grid->types; g++)
                room[g] = (room[g] < POOL_MOST_GPUS ? room[g] : POOL_MOST_GPUS) * PARTS;
            for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
                const struct way *way = &grid->ways[i];
                const struct pool_type *type = &grid->pool->types[way->type];
                int most = 1;

                for (int k = 0; k < type->cuts && way->slice >= 0; k++)
                    most = type->cut[k][way->slice] > most ? type->cut[k][way->slice] : most;
                items[i - grid->first[w]].seat =
                    way->slice >= 0 ? (PARTS + most - 1) / most : way->seat * PARTS;
            }
            ask_for_left(grid, w, left, more, &ask, items, room, from);
        }
    }
    cover_solve(&ask, out);
    for (int i = ways; i < ask.count; i++)
        out->x[from[i]] = (short)(out->x[from[i]] + out->x[i]);
}

/* Slices of the GPUs that are cut for the others, and not taken; how many GPUs those are. */
static int slices_left(const struct assign *a, int w, int t, int g, int *free)
{
    const struct grid *grid = a->grid;
    const struct pool_type *type = &grid->pool->types[g];
    const short *x = assign_at(a, w, t);
    int count[POOL_MOST_SLICES], cuts[POOL_MOST_CUTS], gpus;

    memcpy(count, &a->slices[(t * grid->types + g) * POOL_MOST_SLICES], sizeof(count));
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice >= 0 && grid->ways[i].type == g)
            count[grid->ways[i].slice] -= x[i - grid->first[w]];
    gpus = slices_gpus(type, grid->type[g].weight, count, cuts);
    for (int p = 0; p < type->slices; p++) {
        free[p] = -count[p];
        for (int k = 0; k < type->cuts && gpus > 0; k++)
            free[p] += cuts[k] * type->cut[k][p];
    }
    return gpus;
}

void assign_left(const struct assign *a, int w, int t, const int *room, struct assign_left *left)
{
    const struct grid *grid = a->grid;
    const int *use = &a->use[t * grid->types], *cut = &a->cut[t * grid->types];
    const short *x = assign_at(a, w, t);

    for (int g = 0; g < grid->types; g++)
        left->gpus[g] = room[g] - use[g];
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice < 0)
            left->gpus[grid->ways[i].type] += x[i - grid->first[w]] * grid->ways[i].seat;
    for (int g = 0; g < grid->types && grid->sliced; g++)
        left->gpus[g] += cut[g] - slices_left(a, w, t, g, left->slices[g]);
}

/* ---- GPUs of one's own ---- */

void assign_holding(const struct grid *grid, int w, const short *held, int *own)
{
    if (grid->sliced)
        assign_cuts(grid, w, held, own);
    else
        memset(own, 0, sizeof(*own) * (size_t)grid->types);
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice < 0)
            own[grid->ways[i].type] += held[i - grid->first[w]] * grid->ways[i].seat;
    for (int g = 0; g < grid->types; g++)
        own[g] = grid_own_units(&grid->type[g], own[g]);
}

void assign_own(struct assign *a, int w, const short *held)
{
    const struct grid *grid = a->grid;
    int own[POOL_MOST_TYPES], *old = &a->own[w * grid->types];

    assign_holding(grid, w, held, own);
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        a->held[i] = held[i - grid->first[w]];
    for (int g = 0; g < grid->types; g++) {
        for (int t = 0; t < grid->hours; t++)
            a->use[t * grid->types + g] += own[g] - old[g];
        old[g] = own[g];
    }
}

/* ---- jobs ---- */

double assign_job_cost(const struct grid *grid, int j, double done)
{
    const struct pool_job *job = &grid->pool->jobs[j];
    double undone = job->gpu_hours - done;

    return fmin(done, job->gpu_hours) * grid->type[job->type].run +
           (undone > 1e-9 ? undone * grid->job_penalty[j] : 0);
}

double assign_job_done(const struct assign *a, int j)
{
    int sum = 0;

    for (int t = 0; t < a->grid->hours; t++)
        sum += a->workers[j * a->grid->hours + t];
    return (double)sum * a->grid->pool->jobs[j].gpus;
}

void assign_own_job(struct assign *a, int j, int held)
{
    const struct grid *grid = a->grid;
    const struct pool_job *job = &grid->pool->jobs[j];
    double done = 0;

    for (int t = 0; t < grid->hours; t++) {
        bool works = t >= job->first && t < job->end && done < job->gpu_hours - 1e-9;

        a->use[t * grid->types + job->type] +=
            grid_own_units(&grid->type[job->type], held * grid->job_seat[j]) -
            grid_own_units(&grid->type[job->type], a->job_held[j] * grid->job_seat[j]);
        a->workers[j * grid->hours + t] = works ? held : 0;
        done += a->workers[j * grid->hours + t] * job->gpus;
    }
    a->job_held[j] = held;
}

/* Workers of a job that find at least `level` GPUs left in an hour, one after the other. */
static int workers_above(int left, int level, int seat, int most)
{
    int n = left < level ? 0 : (left - level) / seat + 1;

    return n < most ? n : most;
}

static double all_above(const struct assign *a, int j, const int *left, int level)
{
    const struct pool_job *job = &a->grid->pool->jobs[j];
    double sum = 0;

    for (int t = job->first; t < job->end; t++)
        sum += workers_above(left[t], level, a->grid->job_seat[j], job->most);
    return sum;
}

/* Workers go one by one where most is left, to the first of equals, so that later jobs
 * find room in every hour. They all find more than some level left, but for the last,
 * which find just that: the level is searched, not walked to. */
static double job_fill(struct assign *a, int j, int *left)
{
    const struct grid *grid = a->grid;
    const struct pool_job *job = &grid->pool->jobs[j];
    int *workers = &a->workers[j * grid->hours], seat = grid->job_seat[j];
    bool is_worth = grid->type[job->type].run < grid->job_penalty[j];
    double wanted = is_worth ? ceil((job->gpu_hours - 1e-9) / job->gpus) : 0;
    int low = seat, high = seat, done = 0;

    for (int t = job->first; t < job->end; t++)
        high = left[t] + 1 > high ? left[t] + 1 : high;
    while (high - low > 1) { /* at `low` find room as many as are wanted, or it is the lowest */
        int middle = low + (high - low) / 2;

        if (all_above(a, j, left, middle) < wanted)
            high = middle;
        else
            low = middle;
    }
    wanted -= all_above(a, j, left, low + 1);
    memset(workers, 0, sizeof(*workers) * (size_t)grid->hours);
    for (int t = job->first; t < job->end; t++) {
        int n = workers_above(left[t], low + 1, seat, job->most);
        bool last = wanted >= 1 && workers_above(left[t], low, seat, job->most) > n;

        workers[t] = n + last;
        wanted -= last;
        left[t] -= workers[t] * seat;
        done += workers[t];
    }
    return assign_job_cost(grid, j, (double)done * job->gpus);
}

/* Which job is served first: the most urgent, that whose workers take most, or that which
 * is worth most. */
enum job_order { BY_END, BY_SEAT, BY_WORTH, JOB_ORDERS };

/* In that order: the most urgent job first, that whose workers take most, or that which is
 * worth most. */
static double fill_all(struct assign *a, int g, int room, enum job_order order)
{
    const struct grid *grid = a->grid;
    const struct pool_job *jobs = grid->pool->jobs;
    int left[POOL_MOST_HOURS];
    bool done[POOL_MOST_JOBS] = {false};
    double cost = 0;

    for (int t = 0; t < grid->hours; t++)
        left[t] = room - a->use[t * grid->types + g];
    for (int round = 0; round < grid->jobs; round++) {
        int next = -1;

        for (int j = 0; j < grid->jobs; j++) {
            int i = next < 0 ? j : next;
            double ahead = order == BY_SEAT    ? grid->job_seat[j] - grid->job_seat[i]
                           : order == BY_WORTH ? grid->job_penalty[j] - grid->job_penalty[i]
                                               : 0;

            if (!done[j] && jobs[j].type == g &&
                (next < 0 || (ahead != 0 ? ahead > 0 : jobs[j].end < jobs[i].end)))
                next = j;
        }
        if (next < 0)
            break;
        done[next] = true;
        cost += job_fill(a, next, left);
    }
    return cost;
}

double assign_jobs(struct assign *a, int g, int room)
{
    const struct grid *grid = a->grid;
    double least = 0, cost = fill_all(a, g, room, BY_END); /* least: when all are done */
    enum job_order best = BY_END, last = BY_END;

    for (int j = 0; j < grid->jobs; j++)
        if (grid->pool->jobs[j].type == g)
            least += grid->pool->jobs[j].gpu_hours * fmin(grid->type[g].run, grid->job_penalty[j]);
    for (int order = BY_SEAT; order < JOB_ORDERS && cost > least + 1e-9; order++) {
        double other = fill_all(a, g, room, last = (enum job_order)order);

        if (other < cost - 1e-9) {
            cost = other;
            best = last;
        }
    }
    return best == last ? cost : fill_all(a, g, room, best);
}

/* ---- sums ---- */

int assign_peak(const struct assign *a, int g)
{
    int peak = 0;

    for (int t = 0; t < a->grid->hours; t++)
        if (a->use[t * a->grid->types + g] > peak)
            peak = a->use[t * a->grid->types + g];
    return peak;
}

double assign_starts(const struct assign *a, int w)
{
    const struct grid *grid = a->grid;
    double cost = 0;

    if (grid->constant[w])
        return 0;
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        int starts = 0, before = assign_at(a, w, grid->hours - 1)[i - grid->first[w]];

        for (int t = 0; t < grid->hours; t++) {
            int now = assign_at(a, w, t)[i - grid->first[w]];

            starts += now > before ? now - before : 0;
            before = now;
        }
        cost += starts * grid->ways[i].start;
    }
    return cost;
}

bool assign_has_jobs(const struct grid *grid, int g)
{
    for (int j = 0; j < grid->jobs && !grid->jobs_own; j++)
        if (grid->pool->jobs[j].type == g)
            return true;
    return false;
}

/* Is the whole fleet within slots and watts when type g has this room? */
static bool room_allowed(const struct assign *a, int g, int room)
{
    int kept[POOL_MOST_TYPES];

    for (int h = 0; h < a->grid->types; h++)
        grid_own(&a->grid->type[h], h == g ? room : a->room[h], &kept[h]);
    return grid_allows(a->grid, kept);
}

/* The room of a type that its jobs are worth; $ of it and of them. */
static double fit_jobs(struct assign *a, int g)
{
    const struct grid *grid = a->grid;
    const struct grid_type *type = &grid->type[g];
    int most = grid_room(type), best_room = a->room[g];
    double best = INFINITY;

    for (int room = a->room[g]; room <= most;) {
        double undone = assign_jobs(a, g, room);
        double cost = grid_own(type, room, NULL) + undone;

        if (!room_allowed(a, g, room))
            break;
        if (cost < best - 1e-9) {
            best = cost;
            best_room = room;
        }
        if (grid_own(type, room, NULL) > best)
            break;
        room = grid_room_with(type, room + 1);
    }
    a->room[g] = best_room;
    return grid_own(type, best_room, NULL) + assign_jobs(a, g, best_room);
}

/* All types, the jobs of the first one first. */
static double fit_from(struct assign *a, int first)
{
    const struct grid *grid = a->grid;
    double cost = 0;

    for (int k = 0; k < grid->types; k++) {
        int g = (first + k) % grid->types;

        a->room[g] = grid->id == POOL_CLOUD ? grid->type[g].most
                                            : grid_room_with(&grid->type[g], assign_peak(a, g));
    }
    for (int k = 0; k < grid->types && grid->id != POOL_CLOUD; k++) {
        int g = (first + k) % grid->types;

        if (assign_has_jobs(grid, g))
            cost += fit_jobs(a, g);
    }
    return cost;
}

void assign_fit(struct assign *a)
{
    const struct grid *grid = a->grid;
    bool capped = grid->slots > 0 || grid->watts > 0;
    double best = fit_from(a, 0);
    int first = 0, last = 0;

    for (int g = 1; g < grid->types && capped && best > 0; g++) {
        double cost;

        if (!assign_has_jobs(grid, g))
            continue;
        cost = fit_from(a, last = g);
        if (cost < best - 1e-9) {
            best = cost;
            first = g;
        }
    }
    if (first != last)
        fit_from(a, first);
}

bool assign_allowed(const struct assign *a)
{
    for (int g = 0; g < a->grid->types; g++)
        if (a->room[g] > grid_room(&a->grid->type[g]))
            return a->grid->id == POOL_CLOUD;
    return room_allowed(a, 0, a->room[0]);
}

double assign_total(struct assign *a)
{
    const struct grid *grid = a->grid;
    double total = 0;

    for (int g = 0; g < grid->types; g++) {
        total += grid_own(&grid->type[g], a->room[g], NULL);
        for (int t = 0; t < grid->hours; t++)
            total += a->cut[t * grid->types + g] * grid->type[g].run;
        if (assign_has_jobs(grid, g))
            total += assign_jobs(a, g, a->room[g]);
    }
    for (int w = 0; w < grid->workloads; w++) {
        for (int t = 0; t < grid->hours; t++)
            total += a->serve[w * grid->hours + t];
        total += assign_starts(a, w);
    }
    for (int j = 0; j < grid->jobs && grid->jobs_own; j++)
        total += assign_job_cost(grid, j, assign_job_done(a, j));
    return total;
}

/* ---- what a plan costs, uses and leaves idle ---- */

struct account {
    const struct grid *grid;
    struct assign *a;
    struct pool_rung *out;
    double busy[POOL_MOST_TYPES]; /* GPU-hours that draw busy power */
};

/* ---- the plan itself ---- */

/* ---- where the GPU-hours of one workload in one hour go ---- */

/* A workload's own GPUs: what works now, what works at its peak, what never does. */
static void split_own(struct account *c, int w, int t, const double *working)
{
    const struct grid *grid = c->grid;
    double *stranded = c->out->stranded;
    int now[POOL_MOST_TYPES], held[POOL_MOST_TYPES];
    double peak[POOL_MOST_TYPES] = {0};

    assign_cuts(grid, w, assign_at(c->a, w, t), now);
    assign_cuts(grid, w, &c->a->held[grid->first[w]], held);
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice < 0)
            peak[grid->ways[i].type] += c->a->held[i] * grid->ways[i].gpus;
    for (int g = 0; g < grid->types; g++) {
        int own = c->a->own[w * grid->types + g];
        double most = peak[g] + held[g], spare = own > 0 ? grid->type[g].own_spare : 0;

        c->busy[g] += now[g];
        stranded[POOL_STRANDED_SLICE] += now[g];
        stranded[POOL_STRANDED_PEAKS] += most - working[g] - now[g];
        stranded[POOL_STRANDED_SPARE] += spare;
        stranded[POOL_STRANDED_SERVER] += own - most - spare;
        c->out->used_hours += own;
    }
}

/* GPUs at work, what is left of those that are cut, and what the demand asks of them; those on
 * GPUs that all share are added to working[type]. */
static void split_workload(struct account *c, int w, int t, double *working)
{
    const struct grid *grid = c->grid;
    double *stranded = c->out->stranded, need = grid->need[w * grid->hours + t];
    double mean = grid->pool->workloads[w].demand[t], now[POOL_MOST_TYPES] = {0};
    double gpus = 0, rate = 0, free_rate = 0; /* slices by their share; without goals */

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        int x = assign_at(c->a, w, t)[i - grid->first[w]];
        double each = way->slice >= 0 ? grid->type[way->type].weight[way->slice] : way->gpus;

        gpus += x * each;
        rate += x * way->rate;
        free_rate += x * fmax(grid->pool->candidates[way->candidate].free_rate, way->rate);
        if (way->slice >= 0) {
            stranded[POOL_STRANDED_SLICE] -= x * each;
        } else {
            c->busy[way->type] += x * way->gpus;
            now[way->type] += x * way->gpus;
        }
    }
    if (gpus > 0) {
        double met = fmin(1, need / rate), useful = fmin(fmin(1, mean / rate), mean / free_rate);

        stranded[POOL_STRANDED_REPLICA] += gpus * (1 - met);
        stranded[POOL_STRANDED_HEADROOM] += gpus * (met - useful);
        c->out->utilisation += gpus * useful;
    }
    if (grid->constant[w])
        split_own(c, w, t, now);
    for (int g = 0; g < grid->types && !grid->constant[w]; g++)
        working[g] += now[g];
}

/* The GPUs that all share, of which working[type] work. */
static void split_shared(struct account *c, int t, const double *working)
{
    const struct grid *grid = c->grid;

    for (int g = 0; g < grid->types; g++) {
        int at = t * grid->types + g, seats = c->a->use[at] - c->a->cut[at];

        for (int w = 0; w < grid->workloads; w++)
            seats -= c->a->own[w * grid->types + g];
        for (int j = 0; j < grid->jobs && grid->jobs_own; j++)
            if (grid->pool->jobs[j].type == g)
                seats -= grid_own_units(&grid->type[g], c->a->job_held[j] * grid->job_seat[j]);
        c->busy[g] += c->a->cut[at];
        c->out->stranded[POOL_STRANDED_SLICE] += c->a->cut[at];
        c->out->stranded[POOL_STRANDED_SERVER] += seats - working[g];
        c->out->used_hours += seats + c->a->cut[at];
    }
}

/* ---- jobs ---- */

static void split_job(struct account *c, int j)
{
    const struct grid *grid = c->grid;
    const struct pool_job *job = &grid->pool->jobs[j];
    double done = assign_job_done(c->a, j), useful = fmin(done, job->gpu_hours);
    double seats = done / job->gpus * grid->job_seat[j];
    double owned =
        (double)grid_own_units(&grid->type[job->type], c->a->job_held[j] * grid->job_seat[j]) *
        grid->hours;
    double spare = owned > 0 ? (double)grid->type[job->type].own_spare * grid->hours : 0;

    c->busy[job->type] += useful;
    c->out->utilisation += useful;
    c->out->jobs_undone += job->gpu_hours - useful;
    if (grid->id != POOL_CLOUD) /* it ends there when the job does */
        c->out->stranded[POOL_STRANDED_REPLICA] += done - useful;
    c->out->stranded[POOL_STRANDED_SERVER] += seats - done;
    c->out->stranded[POOL_STRANDED_SPARE] += spare;
    if (grid->jobs_own)
        c->out->stranded[POOL_STRANDED_PEAKS] += owned - seats - spare;
    c->out->used_hours += grid->jobs_own ? owned : seats;
    if (job->gpu_hours - useful > 1e-9)
        c->out->cost.penalty += (job->gpu_hours - useful) * grid->job_penalty[j];
}

/* ---- fleets ---- */

static int most_used(const struct account *c, int g)
{
    int most = 0;

    for (int t = 0; t < c->grid->hours; t++)
        if (c->out->use[t * c->grid->types + g] > most)
            most = c->out->use[t * c->grid->types + g];
    return most;
}

static void split_fleet(struct account *c, int g)
{
    const struct grid *grid = c->grid;
    const struct grid_type *type = &grid->type[g];
    const struct pool_type *from = &grid->pool->types[g];
    struct pool_rung *out = c->out;
    int kept = out->gpus[g], peak = most_used(c, g), spare = kept > 0 ? type->spare : 0;
    int idle = from->stock > kept ? from->stock - kept : 0;
    double idle_cost = kept * type->own_energy, pue = fmax(grid->pool->pue, 1);

    if (grid->id == POOL_CLOUD) {
        out->cost.running += c->busy[g] * type->run;
        out->kwh += c->busy[g] * from->busy_watts * pue / 1000;
        out->owned_hours += c->busy[g];
        return;
    }
    for (int t = 0; t < grid->hours; t++) {
        out->stranded[POOL_STRANDED_PEAKS] += peak - out->use[t * grid->types + g];
        out->stranded[POOL_STRANDED_SERVER] += kept - spare - peak;
        out->stranded[POOL_STRANDED_SPARE] += spare;
        out->stranded[POOL_STRANDED_TYPE] += idle;
        out->owned_hours += kept + idle;
    }
    out->cost.purchase += grid_own(type, c->a->room[g], NULL) - idle_cost;
    out->cost.running += c->busy[g] * (type->run - type->run_energy);
    out->cost.energy += idle_cost + c->busy[g] * type->run_energy;
    out->kwh += (kept * from->idle_watts * grid->hours +
                 c->busy[g] * (from->busy_watts - from->idle_watts)) *
                pue / 1000;
}

/* ---- shortages and starts ---- */

static double unit_cost(const struct pool *pool, int w)
{
    double best = INFINITY;

    for (int i = 0; i < pool->candidate_count; i++) {
        const struct pool_candidate *c = &pool->candidates[i];
        double rate = fmax(c->rate, c->composed_rate);

        if (c->workload == w && rate > 0)
            best = fmin(best, c->gpus * fmax(pool->types[c->type].buy_hour, 1e-3) / rate);
    }
    return isinf(best) ? 1 : best;
}

static void count_unmet(struct account *c)
{
    const struct grid *grid = c->grid;
    double missed = 0, asked = 0;

    c->out->unmet =
        gp_calloc((size_t)grid->workloads * (size_t)grid->hours, sizeof(*c->out->unmet));
    for (int w = 0; w < grid->workloads; w++) {
        double worth = unit_cost(grid->pool, w);

        for (int t = 0; t < grid->hours; t++) {
            double *unmet = &c->out->unmet[w * grid->hours + t];
            const short *x = assign_at(c->a, w, t);
            int lacking = grid->pool->workloads[w].minimum;

            assign_serving(grid, w, t, x, unmet);
            for (int i = 0; i < grid->first[w + 1] - grid->first[w]; i++)
                lacking -= x[i];
            c->out->cost.penalty +=
                *unmet * grid->penalty[w] + (lacking > 0 ? lacking * grid->missing[w] : 0);
            missed += *unmet * worth;
            asked += grid->need[w * grid->hours + t] * worth;
        }
    }
    c->out->unmet_share = asked > 0 ? missed / asked : 0;
}

static void count_starts(struct account *c, int w)
{
    const struct grid *grid = c->grid;

    if (grid->constant[w])
        return;
    c->out->cost.starting += assign_starts(c->a, w);
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        double seconds = pool_start_s(grid->pool, way->candidate, grid->id);

        for (int t = 0; t < grid->hours; t++) {
            int before = assign_at(c->a, w, (t ? t : grid->hours) - 1)[i - grid->first[w]];
            int more = assign_at(c->a, w, t)[i - grid->first[w]] - before;

            if (more <= 0)
                continue;
            c->out->starts += more;
            c->out->stranded[POOL_STRANDED_START] += more * way->gpus * seconds / 3600;
        }
    }
}

void account_rung(struct assign *a, struct pool_rung *out)
{
    struct account c = {.grid = a->grid, .a = a, .out = out};
    const struct grid *grid = a->grid;
    int hours = grid->hours;
    size_t cells = (size_t)hours * (size_t)grid->types, workers = (size_t)(grid->jobs * hours);
    double *stranded = out->stranded;

    *out = (struct pool_rung){.id = grid->id};
    out->total = assign_total(a);
    out->replicas =
        gp_calloc((size_t)(grid->pool->candidate_count * hours) + 1, sizeof(*out->replicas));
    out->use = gp_calloc(cells, sizeof(*out->use));
    out->workers = gp_calloc(workers + 1, sizeof(*out->workers));
    for (int w = 0; w < grid->workloads; w++)
        for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
            for (int t = 0; t < hours; t++)
                out->replicas[grid->ways[i].candidate * hours + t] =
                    assign_at(a, w, t)[i - grid->first[w]];
    memcpy(out->use, a->use, cells * sizeof(*out->use));
    memcpy(out->workers, a->workers, workers * sizeof(*out->workers));
    for (int j = 0; j < grid->jobs && !grid->jobs_own; j++)
        for (int t = 0; t < hours; t++)
            out->use[t * grid->types + grid->pool->jobs[j].type] +=
                a->workers[j * hours + t] * grid->job_seat[j];
    for (int g = 0; g < grid->types; g++) {
        if (grid->id == POOL_CLOUD)
            out->gpus[g] = most_used(&c, g);
        else
            grid_own(&grid->type[g], a->room[g], &out->gpus[g]);
    }
    for (int t = 0; t < hours; t++) {
        double working[POOL_MOST_TYPES] = {0};

        for (int w = 0; w < grid->workloads; w++)
            split_workload(&c, w, t, working);
        split_shared(&c, t, working);
    }
    for (int j = 0; j < grid->jobs; j++)
        split_job(&c, j);
    for (int w = 0; w < grid->workloads; w++)
        count_starts(&c, w);
    count_unmet(&c);
    for (int g = 0; g < grid->types; g++)
        split_fleet(&c, g);
    /* the hours in which replicas start are hours that peaks leave idle */
    if (stranded[POOL_STRANDED_START] > stranded[POOL_STRANDED_PEAKS])
        stranded[POOL_STRANDED_START] = fmax(0, stranded[POOL_STRANDED_PEAKS]);
    stranded[POOL_STRANDED_PEAKS] -= stranded[POOL_STRANDED_START];
    out->utilisation = out->owned_hours > 0 ? out->utilisation / out->owned_hours : 0;
}

double account_coincidence(const struct pool *pool)
{
    double sum[POOL_MOST_HOURS] = {0}, peaks = 0, peak = 0;

    for (int w = 0; w < pool->workload_count; w++) {
        double worth = unit_cost(pool, w), most = 0;

        for (int t = 0; t < pool->hours; t++) {
            double need = worth * pool->workloads[w].demand[t];

            sum[t] += need;
            most = fmax(most, need);
        }
        peaks += most;
    }
    for (int t = 0; t < pool->hours; t++)
        peak = fmax(peak, sum[t]);
    return peaks > 0 ? peak / peaks : 1;
}

double pool_break_even(const struct pool *pool, const struct pool_rung *shared,
                       const struct pool_rung *hourly)
{
    double premium = 0, gpus = 0;

    for (int g = 0; g < pool->type_count; g++) {
        premium += hourly->gpus[g] * pool->types[g].premium_hour * pool->hours;
        gpus += pool_composes(pool, g, POOL_HOURLY) ? hourly->gpus[g] : 0;
    }
    return gpus > 0 ? (shared->total - (hourly->total - premium)) / (gpus * pool->hours) : 0;
}

void account_fini(struct pool_rung *rung)
{
    free(rung->use);
    free(rung->replicas);
    free(rung->workers);
    free(rung->unmet);
}
