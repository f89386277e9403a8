/*
 * improve.c - see improve.h.
 */
#include "pool/improve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pool/day.h"
#include "pool/keep.h"
#include "pool/nudge.h"

#define TRIED 24       /* workloads tried for one mend */
#define MENDS 200      /* of one hour */
#define HEAT 3e-4      /* of the plan's cost: what a move may cost at first, */
#define CELL_HEAT 0.2  /* or of its mean for a workload and hour, if that is more */
#define SHORT_EVERY 64 /* moves between two looks for shortages */
#define REPLANS 2      /* of days in which a move made something start */
#define STOP_EVERY 32  /* moves between two looks at the clock */

/* ---- mending an hour ---- */

/* GPUs of each type that a workload takes in an hour; slices by weight. */
static void taken(const struct climb *c, int w, int t, double *gpus)
{
    const struct grid *grid = c->grid;

    memset(gpus, 0, sizeof(*gpus) * (size_t)grid->types);
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];

        gpus[way->type] += c->a->x[i * grid->hours + t] *
                           (way->slice >= 0 ? grid->type[way->type].weight[way->slice] : way->seat);
    }
}

struct mend {
    int w;
    double score; /* $ per GPU of relief, scarcity included */
    short x[POOL_MOST_WAYS];
};

/* The best cover of (w, t) that gives back GPUs of type g. With `push` it may crowd out
 * others. */
static bool try_mend(struct climb *c, int w, int t, int g, bool push, struct mend *out)
{
    const struct grid *grid = c->grid;
    int room[POOL_MOST_TYPES], ways = grid->first[w + 1] - grid->first[w];
    double guide[POOL_MOST_TYPES], had[POOL_MOST_TYPES], relief, price = 0;
    struct assign_left left;
    struct cover cover;

    taken(c, w, t, had);
    if (had[g] <= 0)
        return false;
    for (int h = 0; h < grid->types; h++)
        room[h] = climb_room(c, t, h);
    assign_left(c->a, w, t, room, &left);
    for (int h = 0; h < grid->types; h++) {
        if (push && h != g)
            left.gpus[h] = room[h];
        guide[h] = c->how->lambda[t * grid->types + h];
    }
    if (grid->sliced)
        guide[g] = 4 * guide[g] + 1e-3;
    assign_cover(grid, w, t, guide, NULL, &left, 400, &cover);
    c->spent += (uint64_t)cover.nodes + COVER_WORK;
    relief = had[g];
    for (int i = 0; i < ways; i++) {
        const struct way *way = &grid->ways[grid->first[w] + i];
        double seat = way->slice >= 0 ? grid->type[way->type].weight[way->slice] : way->seat;

        out->x[i] = (short)cover.x[i];
        if (way->type == g)
            relief -= cover.x[i] * seat;
        else
            price += cover.x[i] * seat * guide[way->type];
    }
    if (relief <= 1e-9)
        return false;
    for (int h = 0; h < grid->types; h++)
        price -= h == g ? 0 : had[h] * guide[h];
    out->w = w;
    price += assign_serving(grid, w, t, out->x, NULL) - c->a->serve[w * grid->hours + t];
    out->score = price / fmin(relief, fmax(1, climb_use(c, t)[g] - climb_room(c, t, g)));
    return true;
}

static bool find_mend(struct climb *c, int t, int g, bool push, const bool *tabu, struct mend *best)
{
    int workloads = c->grid->workloads;
    int at = (int)climb_below(c, (unsigned)workloads), tried = 0;
    bool found = false;

    for (int k = 0; k < workloads && tried < TRIED; k++, at = (at + 1) % workloads) {
        struct mend mend;

        if (c->grid->constant[at] || tabu[at] || !try_mend(c, at, t, g, push, &mend))
            continue;
        tried++;
        if (!found || mend.score < best->score)
            *best = mend;
        found = true;
    }
    return found;
}

/* Serves an hour within the room; *cost: how much more that is. False when it takes
 * more than `limit`. */
static bool mend_hour(struct climb *c, int t, double limit, bool *tabu, double *cost)
{
    int g, pushes = 0;
    bool clean = true;

    *cost = 0;
    for (int i = 0; i < MENDS && (g = climb_worst(c, t)) >= 0; i++) {
        struct mend mend;
        size_t mark = c->logged;
        double more;

        if (!find_mend(c, t, g, false, tabu, &mend))
            break;
        more = climb_set(c, mend.w, t, mend.x);
        if (*cost + more > limit) { /* shortage: somebody else has to make room */
            climb_undo(c, mark);
            if (pushes++ >= 3 || !find_mend(c, t, g, true, tabu, &mend))
                break;
            more = climb_set(c, mend.w, t, mend.x);
            tabu[mend.w] = true;
            clean = false;
        }
        *cost += more;
        if (*cost > limit)
            break;
    }
    if (!clean)
        memset(tabu, 0, sizeof(*tabu) * (size_t)c->grid->workloads);
    return climb_worst(c, t) < 0 && *cost <= limit;
}

/* Serves one workload and hour anew within the room, a GPU of type g taken to cost
 * guide[g]; the true cost of the change. */
static double serve_guided(struct climb *c, int w, int t, const double *guide, const double *more)
{
    const struct grid *grid = c->grid;
    int room[POOL_MOST_TYPES];
    struct assign_left left;
    struct cover cover;
    short x[POOL_MOST_WAYS];

    for (int g = 0; g < grid->types; g++)
        room[g] = climb_room(c, t, g);
    assign_left(c->a, w, t, room, &left);
    assign_cover(grid, w, t, guide, more, &left, 400, &cover);
    c->spent += (uint64_t)cover.nodes + COVER_WORK;
    for (int i = 0; i < grid->first[w + 1] - grid->first[w]; i++)
        x[i] = (short)cover.x[i];
    return climb_set(c, w, t, x);
}

/* The same, GPUs that others want `factor` times as dear as the bound says. What takes
 * more than the room (covers do not see where slices are cut) is taken back. */
static double serve_anew(struct climb *c, int w, int t, double factor)
{
    double guide[POOL_MOST_TYPES], cost;
    size_t mark = c->logged;

    for (int g = 0; g < c->grid->types; g++)
        guide[g] = factor * c->how->lambda[t * c->grid->types + g];
    cost = serve_guided(c, w, t, guide, NULL);
    if (climb_worst(c, t) < 0)
        return cost;
    climb_undo(c, mark);
    return 0;
}

/* ---- moves of fleets ---- */

static int pick_type(struct climb *c)
{
    int at = (int)climb_below(c, (unsigned)c->grid->types);

    for (int k = 0; k < c->grid->types; k++, at = (at + 1) % c->grid->types)
        if (c->a->room[at] > 0)
            return at;
    return -1;
}

/* Serves what is short of something from the room there is. */
static double serve_short(struct climb *c)
{
    const struct grid *grid = c->grid;
    double cost = 0;

    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours && !grid->constant[w]; t++) {
            double unmet;
            short x[POOL_MOST_WAYS];

            assign_get(c->a, w, t, x);
            assign_serving(grid, w, t, x, &unmet);
            if (unmet > 0)
                cost += serve_anew(c, w, t, 1);
        }
    return cost;
}

/* Serves a workload anew in every hour, by running cost or by what is scarce. */
static double serve_day(struct climb *c)
{
    int w = (int)climb_below(c, (unsigned)c->grid->workloads);
    double cost = 0, factor = climb_below(c, 2) * climb_share(c);

    for (int t = 0; t < c->grid->hours && !c->grid->constant[w]; t++)
        cost += serve_anew(c, w, t, factor);
    return cost;
}

static bool is_short(const struct climb *c)
{
    const struct grid *grid = c->grid;

    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours && !grid->constant[w]; t++) {
            double unmet;
            short x[POOL_MOST_WAYS];

            assign_get(c->a, w, t, x);
            assign_serving(grid, w, t, x, &unmet);
            if (unmet > 0)
                return true;
        }
    return false;
}

/* More of one type, for what is short; half the time fewer of another for it. */
static bool propose_more(struct climb *c)
{
    int g = (int)climb_below(c, (unsigned)c->grid->types), h = pick_type(c);
    const struct grid_type *type = &c->grid->type[g];
    int units = 1 + (int)climb_below(c, 1u << climb_below(c, 4));

    c->a->room[g] = grid_room_with(type, units * type->unit + c->a->room[g] -
                                             (c->a->room[g] ? 0 : type->spare));
    if (h >= 0 && h != g && climb_below(c, 2)) {
        int unit = c->grid->type[h].unit;

        c->a->room[h] -= unit * (1 + (int)climb_below(c, 4));
        c->a->room[h] = c->a->room[h] < 0 ? 0 : c->a->room[h];
    }
    return assign_allowed(c->a);
}

/* Changes a->room: fewer of one type, and maybe some of another. */
static bool propose(struct climb *c)
{
    const struct grid *grid = c->grid;
    int g = pick_type(c), h = (int)climb_below(c, (unsigned)grid->types), drop, most;
    const struct grid_type *from, *to = &grid->type[h];

    if (g < 0)
        return false;
    from = &grid->type[g];
    drop = from->unit * (1 + (int)climb_below(c, 1u << climb_below(c, 4)));
    if (drop > c->a->room[g])
        drop = c->a->room[g];
    if (h != g && climb_below(c, 3) > 0) {
        double worth = drop * from->own_buy / fmax(to->own_buy, 1e-9);

        most = (int)fmin(worth / to->unit, 64);
        if (most < 1) { /* one unit of the dear for several of the cheap */
            drop =
                (int)fmin(c->a->room[g], ceil(to->unit * to->own_buy / fmax(from->own_buy, 1e-9)));
            drop = drop / from->unit * from->unit + from->unit;
            if (drop > c->a->room[g])
                drop = c->a->room[g];
            most = 1;
        }
        most -= climb_below(c, 2) && most > 1 ? (int)climb_below(c, (unsigned)most) : 0;
        c->a->room[h] =
            grid_room_with(to, most * to->unit + c->a->room[h] - (c->a->room[h] ? 0 : to->spare));
    }
    c->a->room[g] -= drop;
    return assign_allowed(c->a);
}

/* The change in cost, or INFINITY when it was taken back; `hope`: $ that jobs may gain. */
static double move_fleets(struct climb *c, double slack, double hope, bool *tabu)
{
    const struct grid *grid = c->grid;
    double before = climb_own(c), cost = 0, saved = hope;
    int first = (int)climb_below(c, (unsigned)grid->hours);
    bool ok, more;

    memcpy(c->room, c->a->room, sizeof(c->room));
    c->logged = 0;
    c->spent += 8;
    more = climb_below(c, c->is_short ? 2 : 16) == 0;
    ok = hope > 0 && climb_below(c, 2) ? true : more ? propose_more(c) : propose(c);
    if (ok) {
        for (int g = 0; g < grid->types; g++)
            saved -= grid_own(&grid->type[g], c->a->room[g], NULL) -
                     grid_own(&grid->type[g], c->room[g], NULL);
        ok = more || saved > -slack;
    }
    for (int k = 0, t = first; k < grid->hours && ok; k++, t = (t + 1) % grid->hours) {
        double mended = 0;

        if (climb_worst(c, t) < 0)
            continue;
        ok = mend_hour(c, t, saved + slack - cost, tabu, &mended);
        cost += mended;
    }
    if (ok && c->is_short)
        cost += serve_short(c);
    if (ok && (more || climb_below(c, 8) == 0))
        cost += serve_day(c);
    for (int k = 0; ok && k < REPLANS && climb_starts(c, false) > 1e-9; k++)
        cost += day_replan(c, c->log[climb_below(c, (unsigned)c->logged)].w);
    if (ok) {
        cost += climb_own(c) - before + climb_rest(c, false);
        ok = cost < slack;
    }
    if (ok) {
        climb_rest(c, true);
        return cost;
    }
    climb_undo(c, 0);
    memcpy(c->a->room, c->room, sizeof(c->room));
    return INFINITY;
}

static double move(struct climb *c, double slack, bool *tabu)
{
    double cost, hope = 0;

    if (c->grid->jobs == 0)
        return move_fleets(c, slack, 0, tabu);
    if (keep_for_jobs(c->a, &c->how->random, c->kept))
        hope = fmax(0, c->jobs - c->least_jobs);
    cost = move_fleets(c, slack, hope, tabu);
    keep_nothing(c->grid, c->kept);
    return cost;
}

/* ---- too much for what there is ---- */

static double mend_all(struct climb *c, bool *tabu)
{
    double sum = 0;

    for (int t = 0; t < c->grid->hours; t++) {
        double more = 0;

        if (climb_worst(c, t) >= 0)
            mend_hour(c, t, INFINITY, tabu, &more);
        sum += more;
    }
    return sum;
}

/* GPUs over the slots, or as many as the watts are over the cap. */
static double excess(const struct climb *c)
{
    const struct grid *grid = c->grid;
    double gpus = 0, watts = 0, hottest = 1;

    for (int g = 0; g < grid->types; g++) {
        int kept;

        grid_own(&grid->type[g], c->a->room[g], &kept);
        gpus += (double)kept * grid->type[g].slots;
        watts += kept * grid->type[g].watts;
        hottest = fmax(hottest, grid->type[g].watts);
    }
    return fmax(grid->slots > 0 ? gpus - grid->slots : 0,
                grid->watts > 0 ? (watts - grid->watts) / hottest : 0);
}

/* Takes units away from a type; how much dearer that is, in all. */
static double drop_units(struct climb *c, int g, int units, bool *tabu)
{
    const struct grid_type *type = &c->grid->type[g];
    double before = grid_own(type, c->a->room[g], NULL);
    int room = c->a->room[g] - units * type->unit;

    c->a->room[g] = room > 0 ? room : 0;
    return mend_all(c, tabu) + grid_own(type, c->a->room[g], NULL) - before;
}

void improve_shed(struct assign *a, struct improve *how)
{
    struct climb c;
    bool *tabu = gp_calloc((size_t)a->grid->workloads, sizeof(*tabu));

    climb_init(&c, a, how);
    for (int g = 0; g < a->grid->types; g++)
        if (a->room[g] > grid_room(&a->grid->type[g]))
            a->room[g] = grid_room(&a->grid->type[g]);
    mend_all(&c, tabu);
    while (excess(&c) > 1e-9 && c.spent < how->work) {
        double least = INFINITY;
        int best = -1, share = (int)ceil(excess(&c) / 8);

        for (int g = 0; g < a->grid->types; g++) {
            const struct grid_type *type = &a->grid->type[g];
            int room = a->room[g], units = (share + type->unit - 1) / type->unit;
            double cost;

            if (room <= 0)
                continue;
            c.logged = 0;
            cost = drop_units(&c, g, units, tabu) / fmax(1, room - a->room[g]);
            climb_undo(&c, 0);
            a->room[g] = room;
            if (best < 0 || cost < least) {
                best = g;
                least = cost;
            }
        }
        if (best < 0)
            break;
        c.logged = 0;
        drop_units(&c, best, (share + a->grid->type[best].unit - 1) / a->grid->type[best].unit,
                   tabu);
    }
    how->work -= c.spent < how->work ? c.spent : how->work;
    climb_fini(&c);
    free(tabu);
}

/* ---- moves within the room ---- */

/* A workload that is short of something in this hour, else any. */
static int pick_workload(struct climb *c, int t)
{
    const struct grid *grid = c->grid;
    int at = (int)climb_below(c, (unsigned)grid->workloads), first = at;
    bool wanting = climb_below(c, 2);

    for (int k = 0; k < grid->workloads; k++, at = (at + 1) % grid->workloads) {
        double unmet;
        short x[POOL_MOST_WAYS];

        if (grid->constant[at])
            continue;
        assign_get(c->a, at, t, x);
        assign_serving(grid, at, t, x, &unmet);
        if (!wanting || unmet > 0)
            return at;
        c->spent++;
    }
    return grid->constant[first] ? -1 : first;
}

#define SHUFFLED 3 /* workloads at a time */

/* Takes a few workloads of one hour off their GPUs and serves them anew, one after the
 * other, at prices that are off by chance. */
static double shuffle(struct climb *c, double slack)
{
    static const short nothing[POOL_MOST_WAYS];
    const struct grid *grid = c->grid;
    int t = (int)climb_below(c, (unsigned)grid->hours), picked[SHUFFLED], count = 0;
    double cost = 0, guide[POOL_MOST_TYPES], factor = 2 * climb_share(c);
    double more[POOL_MOST_WAYS];

    c->logged = 0;
    for (int k = 1 + (int)climb_below(c, SHUFFLED); k > 0; k--) {
        int w = pick_workload(c, t);

        if (w < 0)
            break;
        cost += climb_set(c, w, t, nothing);
        picked[count++] = w;
    }
    for (int g = 0; g < grid->types; g++)
        guide[g] = factor * c->how->lambda[t * grid->types + g] +
                   climb_below(c, 2) * climb_share(c) * grid->type[g].own_buy / grid->hours;
    for (int k = 0; k < count; k++) {
        bool noisy = climb_below(c, 2);

        if (noisy)
            climb_noise(c, picked[k], more);
        cost += serve_guided(c, picked[k], t, guide, noisy ? more : NULL);
    }
    if (climb_worst(c, t) < 0 && cost < slack + 1e-12) {
        cost += climb_rest(c, false);
        if (cost < slack + 1e-12) {
            climb_rest(c, true);
            return cost;
        }
    }
    climb_undo(c, 0);
    return INFINITY;
}

/* ---- the search ---- */

static bool is_over(struct climb *c, uint64_t moves)
{
    double work = (double)c->spent / (double)c->how->work;

    if (moves % STOP_EVERY == 0)
        c->part = c->how->part(c->how->ctx);
    c->gone = fmax(work, c->part);
    return c->gone >= 1;
}

void improve_run(struct assign *a, struct improve *how)
{
    struct climb c;
    struct assign best;
    double total = assign_total(a), least = total;
    double hot = fmax(HEAT, CELL_HEAT / (a->grid->workloads * a->grid->hours));
    bool *tabu = gp_calloc((size_t)a->grid->workloads, sizeof(*tabu)), away = false;

    climb_init(&c, a, how);
    assign_init(&best, a->grid);
    assign_copy(&best, a);
    for (uint64_t moves = 1; !is_over(&c, moves); moves++) {
        double heat = hot * least * (1 - c.gone);

        c.is_short = moves % SHORT_EVERY == 1 ? is_short(&c) : c.is_short;
        double slack = climb_below(&c, 2) ? -1e-9 * least : -heat * log(climb_share(&c)) * 0.3;
        double cost = moves % 4 == 0                  ? shuffle(&c, fmax(slack, 0))
                      : moves % 16 == 1               ? nudge_home(&c, slack)
                      : moves % 4 == 2                ? nudge_some(&c, slack)
                      : moves % 32 == 9 && c.starting ? day_move(&c, slack)
                                                      : move(&c, slack, tabu);
        if (isinf(cost))
            continue;
        total += cost;
        away = true;
        if (total < least * (1 - 1e-12)) {
            least = total;
            assign_copy(&best, a);
            away = false;
        }
    }
    if (away)
        assign_copy(a, &best);
    how->work -= c.spent < how->work ? c.spent : how->work;
    assign_fini(&best);
    climb_fini(&c);
    free(tabu);
}

/* ---- polish ---- */

static bool keeps_room(const struct climb *c, int t)
{
    return climb_worst(c, t) < 0;
}

/* Is what was just changed in hour t better? Else it is taken back. */
static bool keeps(struct climb *c, int t, double cost)
{
    if (keeps_room(c, t) && cost + climb_rest(c, false) < -1e-9) {
        climb_rest(c, true);
        return true;
    }
    climb_undo(c, 0);
    return false;
}

/* The cover of hour `from` kept for the hours after or before it. */
static bool try_hold(struct climb *c, int w, int from, int step, int length)
{
    int hours = c->grid->hours, t = from;
    short x[POOL_MOST_WAYS];
    double cost = 0;
    bool ok = true;

    c->logged = 0;
    assign_get(c->a, w, from, x);
    for (int k = 0; k < length && ok; k++) {
        t = (t + step + hours) % hours;
        cost += climb_set(c, w, t, x);
        ok = keeps_room(c, t);
    }
    c->spent += (uint64_t)length * 4;
    if (ok && cost + climb_rest(c, false) < -1e-9) {
        climb_rest(c, true);
        return true;
    }
    climb_undo(c, 0);
    return false;
}

static bool polish_hour(struct climb *c, int w, int t)
{
    const struct grid *grid = c->grid;
    bool better;

    c->logged = 0;
    better = keeps(c, t, serve_anew(c, w, t, 0));
    for (int length = 1; c->starting && length <= 8 && length < grid->hours; length *= 2)
        better = try_hold(c, w, t, 1, length) || try_hold(c, w, t, -1, length) || better;
    return better;
}

static bool polish_day(struct climb *c, int w)
{
    double cost;

    c->logged = 0;
    cost = day_replan(c, w);
    if (cost + climb_rest(c, false) < -1e-9) {
        climb_rest(c, true);
        return true;
    }
    climb_undo(c, 0);
    return false;
}

void improve_polish(struct assign *a, struct improve *how)
{
    struct climb c;
    bool better = true;

    climb_init(&c, a, how);
    for (int round = 0; round < 6 && better; round++) {
        better = false;
        for (int w = 0; w < a->grid->workloads; w++) {
            if (is_over(&c, (uint64_t)w))
                break;
            for (int t = 0; t < a->grid->hours && !a->grid->constant[w]; t++)
                better |= polish_hour(&c, w, t);
            better |= c.starting && polish_day(&c, w);
        }
    }
    how->work -= c.spent < how->work ? c.spent : how->work;
    climb_fini(&c);
}
