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
    a->x = gp_calloc(way_count(grid) * hours + 1, sizeof(*a->x));
    a->held = gp_calloc(way_count(grid) + 1, sizeof(*a->held));
    a->own = gp_calloc(w * (size_t)grid->types, sizeof(*a->own));
    a->use = gp_calloc(grid_cells(grid), sizeof(*a->use));
    a->cut = gp_calloc(grid_cells(grid), sizeof(*a->cut));
    if (grid->sliced)
        a->slices = gp_calloc(grid_cells(grid) * POOL_MOST_SLICES, sizeof(*a->slices));
    a->serve = gp_calloc(w * hours, sizeof(*a->serve));
    a->workers = gp_calloc((size_t)grid->jobs * hours + 1, sizeof(*a->workers));
    a->job_held = gp_calloc((size_t)grid->jobs + 1, sizeof(*a->job_held));
    for (int i = 0; i < grid->workloads; i++)
        for (int t = 0; t < grid->hours; t++)
            a->serve[i * grid->hours + t] = grid->need[i * grid->hours + t] * grid->penalty[i] +
                                            grid->pool->workloads[i].minimum * grid->missing[i];
}

void assign_fini(struct assign *a)
{
    free(a->x);
    free(a->held);
    free(a->own);
    free(a->use);
    free(a->cut);
    free(a->slices);
    free(a->serve);
    free(a->workers);
    free(a->job_held);
    *a = (struct assign){0};
}

void assign_copy(struct assign *to, const struct assign *from)
{
    const struct grid *grid = from->grid;
    size_t hours = (size_t)grid->hours, w = (size_t)grid->workloads;

    memcpy(to->x, from->x, way_count(grid) * hours * sizeof(*to->x));
    memcpy(to->held, from->held, way_count(grid) * sizeof(*to->held));
    memcpy(to->own, from->own, w * (size_t)grid->types * sizeof(*to->own));
    memcpy(to->use, from->use, grid_cells(grid) * sizeof(*to->use));
    memcpy(to->cut, from->cut, grid_cells(grid) * sizeof(*to->cut));
    if (from->slices)
        memcpy(to->slices, from->slices, grid_cells(grid) * POOL_MOST_SLICES * sizeof(*to->slices));
    memcpy(to->serve, from->serve, w * hours * sizeof(*to->serve));
    memcpy(to->workers, from->workers, (size_t)grid->jobs * hours * sizeof(*to->workers));
    memcpy(to->job_held, from->job_held, (size_t)grid->jobs * sizeof(*to->job_held));
    memcpy(to->room, from->room, sizeof(to->room));
}

/* ---- covers ---- */

void assign_get(const struct assign *a, int w, int t, short *x)
{
    const struct grid *grid = a->grid;

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        x[i - grid->first[w]] = a->x[i * grid->hours + t];
}

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
    bool changed[POOL_MOST_TYPES] = {false};

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        short *old = &a->x[i * grid->hours + t];
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
                struct cover_item *items, struct cover_ask *ask)
{
    *ask = (struct cover_ask){.items = items,
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

/* Slices take their part of a GPU that is cut for them alone: what fits so can be cut. */
static void room_in_parts(const struct grid *grid, int w, struct cover_item *items, int *room)
{
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
}

/* Slices that are left of GPUs which are cut, as items of their own: from[item] is the way.
 * Each profile of a type is a group. */
static void ask_for_left(const struct grid *grid, int w, const struct assign_left *left,
                         const double *more, struct cover_ask *ask, struct cover_item *items,
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
    struct cover_ask ask;
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
            room_in_parts(grid, w, items, room);
            ask_for_left(grid, w, left, more, &ask, items, room, from);
        }
    }
    cover_solve(&ask, out);
    for (int i = ways; i < ask.count; i++)
        out->x[from[i]] += out->x[i];
}

/* Slices of the GPUs that are cut for the others, and not taken; how many GPUs those are. */
static int slices_left(const struct assign *a, int w, int t, int g, int *free)
{
    const struct grid *grid = a->grid;
    const struct pool_type *type = &grid->pool->types[g];
    int count[POOL_MOST_SLICES], cuts[POOL_MOST_CUTS], gpus;

    memcpy(count, &a->slices[(t * grid->types + g) * POOL_MOST_SLICES], sizeof(count));
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice >= 0 && grid->ways[i].type == g)
            count[grid->ways[i].slice] -= a->x[i * grid->hours + t];
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

    for (int g = 0; g < grid->types; g++)
        left->gpus[g] = room[g] - use[g];
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice < 0)
            left->gpus[grid->ways[i].type] += a->x[i * grid->hours + t] * grid->ways[i].seat;
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
        const short *x = &a->x[i * grid->hours];
        int starts = 0, before = x[grid->hours - 1];

        for (int t = 0; t < grid->hours; before = x[t++])
            starts += x[t] > before ? x[t] - before : 0;
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
