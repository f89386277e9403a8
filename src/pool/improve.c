/*
 * improve.c - see assign.h.
 */
#include "pool/assign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define COVER_WORK 14  /* units of a cover beside its nodes */
#define TRIED 24       /* workloads tried for one mend */
#define MENDS 200      /* of one hour */
#define HEAT 3e-4      /* of the plan's cost: what a move may cost at first, */
#define CELL_HEAT 0.2  /* or of its mean for a workload and hour, if that is more */
#define SHORT_EVERY 64 /* moves between two looks for shortages */
#define REPLANS 2      /* of days in which a move made something start */
#define STOP_EVERY 32  /* moves between two looks at the clock */
#define DAY_COVERS 24  /* that the hours of a day which is planned anew may choose from */
#define PRICED 3       /* ways at a time in move_priced() */
#define SHUFFLED 3     /* workloads at a time in move_shuffle() */
#define ALL_DAY (-1)   /* in place of an hour: what a workload holds */

/* ---- the state of a search: a plan whose changes can be taken back, and what they cost ---- */

struct change {
    int w, t;                /* hour, or ALL_DAY */
    short x[POOL_MOST_WAYS]; /* before */
};

/* A day that is planned anew. */
struct day {
    int w, ways, hours, count;
    short x[DAY_COVERS][POOL_MOST_WAYS];
    int now[POOL_MOST_HOURS];                 /* what the hours have */
    double cost[POOL_MOST_HOURS][DAY_COVERS]; /* $ more than that; INFINITY: no room */
    double change[DAY_COVERS][DAY_COVERS];    /* $ of the starts from one to the next */
    signed char from[POOL_MOST_HOURS][DAY_COVERS];
};

struct search {
    struct arrays arrays;
    struct assign *a;
    const struct grid *grid;
    struct improve *how;
    struct change *log; /* of the move at hand */
    size_t logged, log_cap;
    int room[POOL_MOST_TYPES]; /* before the move at hand */
    double *starts;            /* [workload] $ */
    double jobs, least_jobs;   /* $ of those that fill free GPUs; when all are done */
    int *kept;                 /* [hour x types + type] what a move leaves to them */
    uint64_t *seen, looks;     /* [workload] the look at the log that met it last */
    bool starting;             /* some start costs something */
    bool is_short;             /* somebody is short of something */
    bool *tabu;                /* [workload] that made room for others in the hour at hand */
    struct day day;
    uint64_t spent;
    double part, gone; /* of the time; of work or time */
};

static unsigned random_below(struct search *s, unsigned n)
{
    return pool_random(&s->how->random, n);
}

static double random_share(struct search *s)
{
    return (random_below(s, 1u << 24) + 0.5) / (1u << 24);
}

static int *hour_use(const struct search *s, int t)
{
    return &s->a->use[t * s->grid->types];
}

/* GPUs of a type that an hour may use beside those kept for jobs. */
static int hour_room(const struct search *s, int t, int g)
{
    int room = s->a->room[g] - (s->kept ? s->kept[t * s->grid->types + g] : 0);

    return room > 0 ? room : 0;
}

/* The type of which an hour takes most over the room; -1: none. */
static int worst_type(const struct search *s, int t)
{
    const int *use = hour_use(s, t);
    int worst = -1, most = 0;

    for (int g = 0; g < s->grid->types; g++) {
        int over = use[g] - hour_room(s, t, g);

        if (over > most) {
            most = over;
            worst = g;
        }
    }
    return worst;
}

/* What a workload lacks in an hour. */
static double unmet_of(const struct search *s, int w, int t)
{
    double unmet;

    assign_serving(s->grid, w, t, assign_at(s->a, w, t), &unmet);
    return unmet;
}

static double fleets_cost(const struct search *s)
{
    double sum = 0;

    for (int g = 0; g < s->grid->types; g++)
        sum += grid_own(&s->grid->type[g], s->a->room[g], NULL);
    return sum;
}

/* $ of jobs in the GPUs that are left. */
static double jobs_cost(const struct search *s)
{
    double sum = 0;

    for (int g = 0; g < s->grid->types && s->grid->jobs > 0; g++)
        sum += assign_jobs(s->a, g, s->a->room[g]);
    return sum;
}

static struct change *log_change(struct search *s, int w, int t)
{
    s->log = gp_grow(s->log, &s->log_cap, s->logged + 1, sizeof(*s->log));
    s->log[s->logged].w = w;
    s->log[s->logged].t = t;
    return &s->log[s->logged++];
}

/* Replicas of a workload in an hour; $ of serving and cut GPUs that this changes. */
static double set_replicas(struct search *s, int w, int t, const short *x)
{
    const struct grid *grid = s->grid;
    const double *serve = &s->a->serve[w * grid->hours + t];
    double before = *serve;

    memcpy(log_change(s, w, t)->x, assign_at(s->a, w, t), ways_size(grid, w));
    for (int g = 0; g < grid->types && grid->sliced; g++)
        before += s->a->cut[t * grid->types + g] * grid->type[g].run;
    assign_set(s->a, w, t, x);
    before = *serve - before;
    for (int g = 0; g < grid->types && grid->sliced; g++)
        before += s->a->cut[t * grid->types + g] * grid->type[g].run;
    return before;
}

/* A workload with GPUs of its own holds `more` replicas of way i, or fewer; $ that this changes in
 * serving it. */
static double hold_more(struct search *s, int w, int i, int more)
{
    const struct grid *grid = s->grid;
    short held[POOL_MOST_WAYS], x[POOL_MOST_WAYS];
    double cost = 0;

    memcpy(held, &s->a->held[grid->first[w]], ways_size(grid, w));
    memcpy(log_change(s, w, ALL_DAY)->x, held, sizeof(held));
    more += held[i];
    held[i] = (short)(more < 0 ? 0 : more > POOL_MOST_REPLICAS ? POOL_MOST_REPLICAS : more);
    assign_own(s->a, w, held);
    for (int t = 0; t < grid->hours; t++) {
        fixed_serve(grid, w, t, held, x);
        cost += set_replicas(s, w, t, x);
    }
    s->spent += (uint64_t)(grid->hours * COVER_WORK);
    return cost;
}

static void undo_to(struct search *s, size_t mark)
{
    while (s->logged > mark) {
        const struct change *change = &s->log[--s->logged];

        if (change->t == ALL_DAY)
            assign_own(s->a, change->w, change->x);
        else
            assign_set(s->a, change->w, change->t, change->x);
    }
}

/* $ of starts that the move changes; they are known from then on when it is kept. */
static double starts_change(struct search *s, bool keep)
{
    double sum = 0;

    if (!s->starting)
        return 0;
    s->looks++;
    for (size_t i = 0; i < s->logged; i++) {
        int w = s->log[i].w;
        double now;

        if (s->seen[w] == s->looks)
            continue;
        s->seen[w] = s->looks;
        now = assign_starts(s->a, w);
        sum += now - s->starts[w];
        if (keep)
            s->starts[w] = now;
    }
    return sum;
}

/* What a move does beside serving and owning: to starts, and to jobs, which have what it leaves. */
static double rest_change(struct search *s, bool keep)
{
    double before = s->jobs, now = jobs_cost(s);

    s->spent += (uint64_t)(s->grid->jobs * s->grid->hours / 8);
    if (keep)
        s->jobs = now;
    return now - before + starts_change(s, keep);
}

static void begin_move(struct search *s)
{
    memcpy(s->room, s->a->room, sizeof(s->room));
    s->logged = 0;
}

/* A move that costs that much is kept when it is less than slack; else it is taken back:
 * INFINITY. */
static double settle_move(struct search *s, double cost, double slack)
{
    if (cost < slack) {
        rest_change(s, true);
        return cost;
    }
    undo_to(s, 0);
    memcpy(s->a->room, s->room, sizeof(s->room));
    return INFINITY;
}

/* Keeps what was changed where it fits and costs less. */
static bool settle_better(struct search *s, bool fits, double cost)
{
    return !isinf(settle_move(s, fits ? cost + rest_change(s, false) : INFINITY, -1e-9));
}

/* $ per replica by chance for each way of a workload, up to what its GPUs and starts cost: so
 * that covers come up that no price of GPUs would ask for. */
static void add_noise(struct search *s, int w, double *more)
{
    const struct grid *grid = s->grid;

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        const struct grid_type *type = &grid->type[way->type];
        double each = grid_seat(grid, i) * (type->own_buy / grid->hours + type->run);

        more[i - grid->first[w]] = random_below(s, 2) * random_share(s) * (each + way->start);
    }
}

static struct search *search_new(struct assign *a, struct improve *how)
{
    const struct grid *grid = a->grid;
    size_t workloads = (size_t)grid->workloads;
    struct search *s = gp_calloc(1, sizeof(*s));

    s->a = a;
    s->grid = grid;
    s->how = how;
    s->starts = arrays_add(&s->arrays, workloads, sizeof(*s->starts));
    s->seen = arrays_add(&s->arrays, workloads, sizeof(*s->seen));
    s->tabu = arrays_add(&s->arrays, workloads, sizeof(*s->tabu));
    if (grid->jobs > 0)
        s->kept = arrays_add(&s->arrays, (size_t)(grid->hours * grid->types), sizeof(*s->kept));
    for (int w = 0; w < grid->workloads; w++)
        s->starts[w] = assign_starts(a, w);
    for (int i = 0; i < grid->first[grid->workloads]; i++)
        s->starting |= grid->ways[i].start > 0;
    s->jobs = jobs_cost(s);
    for (int j = 0; j < grid->jobs; j++)
        s->least_jobs += assign_job_cost(grid, j, grid->pool->jobs[j].gpu_hours);
    return s;
}

/* What it spent is gone from the work that may still be spent. */
static void search_free(struct search *s)
{
    s->how->work -= s->spent < s->how->work ? s->spent : s->how->work;
    free(s->log);
    arrays_free(&s->arrays);
    free(s);
}

static bool is_over(struct search *s, uint64_t moves)
{
    double work = (double)s->spent / (double)s->how->work;

    if (moves % STOP_EVERY == 0)
        s->part = s->how->part(s->how->ctx);
    s->gone = fmax(work, s->part);
    return s->gone >= 1;
}

/* ---- mending an hour ---- */

struct mend {
    int w;
    double score; /* $ per GPU of relief, scarcity included */
    short x[POOL_MOST_WAYS];
};

/* The best cover of (w, t) that gives back GPUs of type g. With `push` it may crowd out others. */
static bool try_mend(struct search *s, int w, int t, int g, bool push, struct mend *out)
{
    const struct grid *grid = s->grid;
    int room[POOL_MOST_TYPES], first = grid->first[w], ways = grid->first[w + 1] - first;
    double guide[POOL_MOST_TYPES], had[POOL_MOST_TYPES] = {0}, relief, price = 0;
    struct assign_left left;
    struct cover cover;

    for (int i = first; i < first + ways; i++)
        had[grid->ways[i].type] += assign_at(s->a, w, t)[i - first] * grid_seat(grid, i);
    if (had[g] <= 0)
        return false;
    for (int h = 0; h < grid->types; h++)
        room[h] = hour_room(s, t, h);
    assign_left(s->a, w, t, room, &left);
    for (int h = 0; h < grid->types; h++) {
        if (push && h != g)
            left.gpus[h] = room[h];
        guide[h] = s->how->lambda[t * grid->types + h];
    }
    if (grid->sliced)
        guide[g] = 4 * guide[g] + 1e-3;
    assign_cover(grid, w, t, guide, NULL, &left, 400, &cover);
    s->spent += (uint64_t)cover.nodes + COVER_WORK;
    relief = had[g];
    for (int i = 0; i < ways; i++) {
        int type = grid->ways[first + i].type;
        double seat = grid_seat(grid, first + i);

        out->x[i] = cover.x[i];
        if (type == g)
            relief -= cover.x[i] * seat;
        else
            price += cover.x[i] * seat * guide[type];
    }
    if (relief <= 1e-9)
        return false;
    for (int h = 0; h < grid->types; h++)
        price -= h == g ? 0 : had[h] * guide[h];
    out->w = w;
    price += assign_serving(grid, w, t, out->x, NULL) - s->a->serve[w * grid->hours + t];
    out->score = price / fmin(relief, fmax(1, hour_use(s, t)[g] - hour_room(s, t, g)));
    return true;
}

static bool find_mend(struct search *s, int t, int g, bool push, struct mend *best)
{
    int workloads = s->grid->workloads;
    int at = (int)random_below(s, (unsigned)workloads), tried = 0;
    bool found = false;

    for (int k = 0; k < workloads && tried < TRIED; k++, at = (at + 1) % workloads) {
        struct mend mend;

        if (s->grid->constant[at] || s->tabu[at] || !try_mend(s, at, t, g, push, &mend))
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
static bool mend_hour(struct search *s, int t, double limit, double *cost)
{
    int g, pushes = 0;
    bool clean = true;

    *cost = 0;
    for (int i = 0; i < MENDS && (g = worst_type(s, t)) >= 0; i++) {
        struct mend mend;
        size_t mark = s->logged;
        double more;

        if (!find_mend(s, t, g, false, &mend))
            break;
        more = set_replicas(s, mend.w, t, mend.x);
        if (*cost + more > limit) { /* shortage: somebody else has to make room */
            undo_to(s, mark);
            if (pushes++ >= 3 || !find_mend(s, t, g, true, &mend))
                break;
            more = set_replicas(s, mend.w, t, mend.x);
            s->tabu[mend.w] = true;
            clean = false;
        }
        *cost += more;
        if (*cost > limit)
            break;
    }
    if (!clean)
        memset(s->tabu, 0, sizeof(*s->tabu) * (size_t)s->grid->workloads);
    return worst_type(s, t) < 0 && *cost <= limit;
}

/* Serves one workload and hour anew within the room, a GPU of type g taken to cost
 * guide[g]; the true cost of the change. */
static double serve_guided(struct search *s, int w, int t, const double *guide, const double *more)
{
    const struct grid *grid = s->grid;
    int room[POOL_MOST_TYPES];
    struct assign_left left;
    struct cover cover;

    for (int g = 0; g < grid->types; g++)
        room[g] = hour_room(s, t, g);
    assign_left(s->a, w, t, room, &left);
    assign_cover(grid, w, t, guide, more, &left, 400, &cover);
    s->spent += (uint64_t)cover.nodes + COVER_WORK;
    return set_replicas(s, w, t, cover.x);
}

/* The same, GPUs that others want `factor` times as dear as the bound says. What takes
 * more than the room (covers do not see where slices are cut) is taken back. */
static double serve_anew(struct search *s, int w, int t, double factor)
{
    double guide[POOL_MOST_TYPES], cost;
    size_t mark = s->logged;

    for (int g = 0; g < s->grid->types; g++)
        guide[g] = factor * s->how->lambda[t * s->grid->types + g];
    cost = serve_guided(s, w, t, guide, NULL);
    if (worst_type(s, t) < 0)
        return cost;
    undo_to(s, mark);
    return 0;
}

/* Serves what is short of something from the room there is. */
static double serve_short(struct search *s)
{
    const struct grid *grid = s->grid;
    double cost = 0;

    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours && !grid->constant[w]; t++)
            if (unmet_of(s, w, t) > 0)
                cost += serve_anew(s, w, t, 1);
    return cost;
}

/* Serves a workload anew in every hour, by running cost or by what is scarce. */
static double serve_day(struct search *s)
{
    int w = (int)random_below(s, (unsigned)s->grid->workloads);
    double cost = 0, factor = random_below(s, 2) * random_share(s);

    for (int t = 0; t < s->grid->hours && !s->grid->constant[w]; t++)
        cost += serve_anew(s, w, t, factor);
    return cost;
}

/* ---- the day of one workload as a whole, by dynamic programming ---- */

/* Its place in the list; -1: there is none left. */
static int day_cover(struct day *d, const short *x)
{
    size_t size = sizeof(*x) * (size_t)d->ways;

    for (int k = 0; k < d->count; k++)
        if (memcmp(d->x[k], x, size) == 0)
            return k;
    if (d->count == DAY_COVERS)
        return -1;
    memcpy(d->x[d->count], x, size);
    return d->count++;
}

/* The covers of all hours, those that hold two hours one after the other, and the cheapest of
 * some hours at prices that are off by chance; false: the day has too many. */
static bool day_list(struct search *s, struct day *d)
{
    short x[POOL_MOST_WAYS];

    for (int t = 0; t < d->hours; t++) {
        d->now[t] = day_cover(d, assign_at(s->a, d->w, t));
        if (d->now[t] < 0)
            return false;
    }
    for (int t = 0; t < d->hours; t++) {
        const short *a = d->x[d->now[t]], *b = d->x[d->now[(t + 1) % d->hours]];

        for (int i = 0; i < d->ways; i++)
            x[i] = a[i] > b[i] ? a[i] : b[i];
        day_cover(d, x);
    }
    for (int t = 0; t < d->hours && d->count < DAY_COVERS; t++) {
        double guide[POOL_MOST_TYPES], more[POOL_MOST_WAYS];
        struct cover cover;

        for (int g = 0; g < s->grid->types; g++)
            guide[g] = random_share(s) * s->grid->type[g].own_buy / s->grid->hours;
        add_noise(s, d->w, more);
        assign_cover(s->grid, d->w, t, guide, more, NULL, 100, &cover);
        s->spent += (uint64_t)cover.nodes + COVER_WORK;
        day_cover(d, cover.x);
    }
    return true;
}

static void day_prices(struct search *s, struct day *d)
{
    const struct way *way = &s->grid->ways[s->grid->first[d->w]];

    for (int t = 0; t < d->hours; t++)
        for (int k = 0; k < d->count; k++) {
            size_t mark = s->logged;

            d->cost[t][k] = k == d->now[t] ? 0 : set_replicas(s, d->w, t, d->x[k]);
            if (k != d->now[t] && worst_type(s, t) >= 0)
                d->cost[t][k] = INFINITY;
            undo_to(s, mark);
        }
    for (int a = 0; a < d->count; a++)
        for (int b = 0; b < d->count; b++) {
            d->change[a][b] = 0;
            for (int i = 0; i < d->ways; i++)
                if (d->x[b][i] > d->x[a][i])
                    d->change[a][b] += (d->x[b][i] - d->x[a][i]) * way[i].start;
        }
}

/* The cheapest way through the hours that begins and ends with what hour `first` has;
 * into now[]. */
static void day_walk(struct day *d, int first)
{
    double best[DAY_COVERS], next[DAY_COVERS];
    int t = first, k = d->now[first];

    for (int i = 0; i < d->count; i++)
        best[i] = i == k ? 0 : INFINITY;
    for (int n = 1; n <= d->hours; n++) {
        t = (first + n) % d->hours;
        for (int b = 0; b < d->count; b++) {
            next[b] = INFINITY;
            for (int a = 0; a < d->count; a++)
                if (best[a] + d->change[a][b] < next[b]) {
                    next[b] = best[a] + d->change[a][b];
                    d->from[t][b] = (signed char)a;
                }
            next[b] += n < d->hours ? d->cost[t][b] : 0;
        }
        memcpy(best, next, sizeof(best));
    }
    for (int n = d->hours; n > 0; n--) {
        k = d->from[t][k];
        t = (t + d->hours - 1) % d->hours;
        d->now[t] = k;
    }
}

/* The best day of a workload that its covers allow, in place of the one it has; $ of
 * serving that this changes, its starts aside. */
static double plan_day(struct search *s, int w)
{
    struct day *d = &s->day;
    double cost = 0;

    d->w = w;
    d->hours = s->grid->hours;
    d->ways = s->grid->first[w + 1] - s->grid->first[w];
    d->count = 0;
    if (s->grid->constant[w] || !day_list(s, d))
        return 0;
    day_prices(s, d);
    day_walk(d, 0);
    day_walk(d, d->hours / 2);
    s->spent += (uint64_t)(d->hours * d->count * (COVER_WORK + d->count / 4));
    for (int t = 0; t < d->hours; t++)
        cost += set_replicas(s, w, t, d->x[d->now[t]]);
    return cost;
}

static double move_day(struct search *s)
{
    double cost = plan_day(s, (int)random_below(s, (unsigned)s->grid->workloads));

    return cost + rest_change(s, false);
}

/* ---- fleets ---- */

/* A type that has some room; -1: none. */
static int pick_type(struct search *s)
{
    int at = (int)random_below(s, (unsigned)s->grid->types);

    for (int k = 0; k < s->grid->types; k++, at = (at + 1) % s->grid->types)
        if (s->a->room[at] > 0)
            return at;
    return -1;
}

/* Adds units to a fleet. */
static void add_room(struct search *s, int g, int units)
{
    const struct grid_type *type = &s->grid->type[g];
    int room = s->a->room[g];

    s->a->room[g] = grid_room_with(type, units * type->unit + room - (room ? 0 : type->spare));
}

/* More of one type, for what is short; half the time fewer of another for it. */
static bool propose_more(struct search *s)
{
    int g = (int)random_below(s, (unsigned)s->grid->types), h = pick_type(s);

    add_room(s, g, 1 + (int)random_below(s, 1u << random_below(s, 4)));
    if (h >= 0 && h != g && random_below(s, 2)) {
        s->a->room[h] -= s->grid->type[h].unit * (1 + (int)random_below(s, 4));
        s->a->room[h] = s->a->room[h] < 0 ? 0 : s->a->room[h];
    }
    return assign_allowed(s->a);
}

/* Fewer of one type, and maybe some of another. */
static bool propose_fewer(struct search *s)
{
    const struct grid *grid = s->grid;
    int g = pick_type(s), h = (int)random_below(s, (unsigned)grid->types), drop, most;
    const struct grid_type *from, *to = &grid->type[h];

    if (g < 0)
        return false;
    from = &grid->type[g];
    drop = from->unit * (1 + (int)random_below(s, 1u << random_below(s, 4)));
    if (drop > s->a->room[g])
        drop = s->a->room[g];
    if (h != g && random_below(s, 3) > 0) {
        double worth = drop * from->own_buy / fmax(to->own_buy, 1e-9);

        most = (int)fmin(worth / to->unit, 64);
        if (most < 1) { /* one unit of the dear for several of the cheap */
            drop =
                (int)fmin(s->a->room[g], ceil(to->unit * to->own_buy / fmax(from->own_buy, 1e-9)));
            drop = drop / from->unit * from->unit + from->unit;
            if (drop > s->a->room[g])
                drop = s->a->room[g];
            most = 1;
        }
        most -= random_below(s, 2) && most > 1 ? (int)random_below(s, (unsigned)most) : 0;
        add_room(s, h, most);
    }
    s->a->room[g] -= drop;
    return assign_allowed(s->a);
}

/* `hope`: $ that jobs may gain. */
static double move_fleets(struct search *s, double slack, double hope)
{
    const struct grid *grid = s->grid;
    double before = fleets_cost(s), cost = 0, saved = hope;
    int first = (int)random_below(s, (unsigned)grid->hours);
    bool ok, more;

    s->spent += 8;
    more = random_below(s, s->is_short ? 2 : 16) == 0;
    ok = hope > 0 && random_below(s, 2) ? true : more ? propose_more(s) : propose_fewer(s);
    if (ok) {
        for (int g = 0; g < grid->types; g++)
            saved -= grid_own(&grid->type[g], s->a->room[g], NULL) -
                     grid_own(&grid->type[g], s->room[g], NULL);
        ok = more || saved > -slack;
    }
    for (int k = 0, t = first; k < grid->hours && ok; k++, t = (t + 1) % grid->hours) {
        double mended = 0;

        if (worst_type(s, t) < 0)
            continue;
        ok = mend_hour(s, t, saved + slack - cost, &mended);
        cost += mended;
    }
    if (ok && s->is_short)
        cost += serve_short(s);
    if (ok && (more || random_below(s, 8) == 0))
        cost += serve_day(s);
    for (int k = 0; ok && k < REPLANS && starts_change(s, false) > 1e-9; k++)
        cost += plan_day(s, s->log[random_below(s, (unsigned)s->logged)].w);
    return ok ? cost + (fleets_cost(s) - before + rest_change(s, false)) : INFINITY;
}

static void keep_workers(struct search *s, int j, int t, int workers)
{
    const struct grid *grid = s->grid;

    s->kept[t * grid->types + grid->pool->jobs[j].type] += workers * grid->job_seat[j];
}

/* GPUs that the next move leaves to jobs: by chance none, what they have now, or what does their
 * work from an hour by chance on. False: none. */
static bool keep_for_jobs(struct search *s)
{
    const struct grid *grid = s->grid;
    unsigned how = random_below(s, 3);

    for (int g = 0; g < grid->types && how == 1; g++)
        assign_jobs(s->a, g, s->a->room[g]);
    for (int j = 0; j < grid->jobs; j++) {
        const struct pool_job *job = &grid->pool->jobs[j];
        int hours = job->end - job->first, at;
        double left = ceil((job->gpu_hours - 1e-9) / job->gpus);

        for (int t = 0; t < grid->hours && how == 1; t++)
            keep_workers(s, j, t, s->a->workers[j * grid->hours + t]);
        if (how < 2)
            continue;
        at = (int)random_below(s, (unsigned)hours);
        for (int k = 0; k < hours && left > 0; k++, at = (at + 1) % hours) {
            int workers = (int)fmin(job->most, left);

            keep_workers(s, j, job->first + at, workers);
            left -= workers;
        }
    }
    return how > 0;
}

static double move_jobs(struct search *s, double slack)
{
    size_t size = (size_t)(s->grid->hours * s->grid->types) * sizeof(*s->kept);
    double cost, hope = 0;

    if (s->grid->jobs == 0)
        return move_fleets(s, slack, 0);
    if (keep_for_jobs(s))
        hope = fmax(0, s->jobs - s->least_jobs);
    cost = move_fleets(s, slack, hope);
    memset(s->kept, 0, size);
    return cost;
}

/* A workload on one way all day, as each hour needs it or as the busiest does, and fleets
 * that fit. */
static double move_home(struct search *s)
{
    const struct grid *grid = s->grid;
    int w = (int)random_below(s, (unsigned)grid->workloads), way;
    int ways = grid->first[w + 1] - grid->first[w];
    double before = fleets_cost(s), cost = 0, peak = 0, rate;
    bool steady;

    if (ways == 0 || grid->constant[w])
        return INFINITY;
    s->spent += (uint64_t)grid->hours * 2;
    steady = random_below(s, 2);
    way = (int)random_below(s, (unsigned)ways);
    rate = grid->ways[grid->first[w] + way].rate;
    for (int t = 0; t < grid->hours; t++)
        peak = fmax(peak, grid->need[w * grid->hours + t]);
    for (int t = 0; t < grid->hours; t++) {
        double need = steady ? peak : grid->need[w * grid->hours + t];
        double n = fmax(ceil(need / rate * (1 - 1e-9)), grid->pool->workloads[w].minimum);
        short x[POOL_MOST_WAYS] = {0};

        x[way] = (short)fmin(n, POOL_MOST_REPLICAS);
        cost += set_replicas(s, w, t, x);
    }
    for (int g = 0; g < grid->types; g++) {
        int room = grid_room_with(&grid->type[g], assign_peak(s->a, g));

        s->a->room[g] = assign_has_jobs(grid, g) && room < s->room[g] ? s->room[g] : room;
    }
    return assign_allowed(s->a) ? cost + fleets_cost(s) - before + rest_change(s, false) : INFINITY;
}

/* Replicas of way i that the need of an hour asks for beside the others. */
static int lacking_replicas(const struct search *s, int w, int t, int i, const short *x)
{
    const struct grid *grid = s->grid;
    double left = grid->need[w * grid->hours + t];
    int lacking = grid->pool->workloads[w].minimum, n;

    for (int k = 0; k < grid->first[w + 1] - grid->first[w]; k++) {
        left -= k == i ? 0 : x[k] * grid->ways[grid->first[w] + k].rate;
        lacking -= k == i ? 0 : x[k];
    }
    left = ceil(left / grid->ways[grid->first[w] + i].rate * (1 - 1e-9));
    n = left > 0 ? (int)fmin(left, POOL_MOST_REPLICAS) : 0;
    return n > lacking ? n : lacking > 0 ? lacking : 0;
}

/* Adds `more` replicas of way i to a workload, or with fill what it lacks, in `length` hours from
 * `first` on. */
static double add_replicas(struct search *s, int w, int i, int more, bool fill, int first,
                           int length)
{
    double cost = 0;

    for (int k = 0, t = first; k < length; k++, t = (t + 1) % s->grid->hours) {
        short x[POOL_MOST_WAYS];
        int n;

        memcpy(x, assign_at(s->a, w, t), ways_size(s->grid, w));
        n = fill ? lacking_replicas(s, w, t, i, x) : x[i] + more;
        n = n < 0 ? 0 : n > POOL_MOST_REPLICAS ? POOL_MOST_REPLICAS : n;
        if (x[i] == n)
            continue;
        x[i] = (short)n;
        cost += set_replicas(s, w, t, x);
    }
    return cost;
}

/* A few replicas more or fewer of some ways in some hours, another way making up for it. Room
 * follows as the plan needs it; for jobs as much as before, or a unit or two more. */
static double move_priced(struct search *s)
{
    const struct grid *grid = s->grid;
    int hours = grid->hours, first = (int)random_below(s, (unsigned)hours);
    int length = random_below(s, 2) ? 1 : 1 + (int)random_below(s, (unsigned)hours);
    int w = (int)random_below(s, (unsigned)grid->workloads);
    double before = fleets_cost(s), cost = 0;

    s->spent += (uint64_t)length * 4;
    for (int k = 1 + (int)random_below(s, PRICED); k > 0; k--) {
        int ways = grid->first[w + 1] - grid->first[w], way;
        int more = 1 + (int)random_below(s, 1u << random_below(s, 3));
        bool fill = random_below(s, 3) == 0;

        if (ways > 0) {
            more = random_below(s, 2) ? more : -more;
            way = (int)random_below(s, (unsigned)ways);
            cost += grid->constant[w] ? hold_more(s, w, way, more)
                                      : add_replicas(s, w, way, more, fill, first, length);
        }
        if (random_below(s, 2))
            w = (int)random_below(s, (unsigned)grid->workloads);
    }
    for (int g = 0; g < grid->types && grid->id != POOL_CLOUD; g++) {
        const struct grid_type *type = &grid->type[g];
        int room = grid_room_with(type, assign_peak(s->a, g)), kept = s->room[g];

        if (assign_has_jobs(grid, g) && random_below(s, 2)) {
            if (random_below(s, 2))
                kept = grid_room_with(type, kept + 1 + (int)random_below(s, 2) * type->unit);
            room = kept > room ? kept : room;
        }
        s->a->room[g] = room;
    }
    return assign_allowed(s->a) ? cost + fleets_cost(s) - before + rest_change(s, false) : INFINITY;
}

/* ---- moves within the room ---- */

/* A workload that is short of something in this hour, else any. */
static int pick_workload(struct search *s, int t)
{
    const struct grid *grid = s->grid;
    int at = (int)random_below(s, (unsigned)grid->workloads), first = at;
    bool wanting = random_below(s, 2);

    for (int k = 0; k < grid->workloads; k++, at = (at + 1) % grid->workloads) {
        if (grid->constant[at])
            continue;
        if (!wanting || unmet_of(s, at, t) > 0)
            return at;
        s->spent++;
    }
    return grid->constant[first] ? -1 : first;
}

/* Takes a few workloads of one hour off their GPUs and serves them anew, one after the
 * other, at prices that are off by chance. */
static double move_shuffle(struct search *s, double slack)
{
    static const short nothing[POOL_MOST_WAYS];
    const struct grid *grid = s->grid;
    int t = (int)random_below(s, (unsigned)grid->hours), picked[SHUFFLED], count = 0;
    double cost = 0, guide[POOL_MOST_TYPES], factor = 2 * random_share(s);
    double more[POOL_MOST_WAYS];

    for (int k = 1 + (int)random_below(s, SHUFFLED); k > 0; k--) {
        int w = pick_workload(s, t);

        if (w < 0)
            break;
        cost += set_replicas(s, w, t, nothing);
        picked[count++] = w;
    }
    for (int g = 0; g < grid->types; g++)
        guide[g] = factor * s->how->lambda[t * grid->types + g] +
                   random_below(s, 2) * random_share(s) * grid->type[g].own_buy / grid->hours;
    for (int k = 0; k < count; k++) {
        bool noisy = random_below(s, 2);

        if (noisy)
            add_noise(s, picked[k], more);
        cost += serve_guided(s, picked[k], t, guide, noisy ? more : NULL);
    }
    return worst_type(s, t) < 0 && cost < slack ? cost + rest_change(s, false) : INFINITY;
}

/* The cover of hour `from` kept for the hours after or before it. */
static bool try_hold(struct search *s, int w, int from, int step, int length)
{
    int hours = s->grid->hours, t = from;
    short x[POOL_MOST_WAYS];
    double cost = 0;
    bool fits = true;

    begin_move(s);
    memcpy(x, assign_at(s->a, w, from), ways_size(s->grid, w));
    for (int k = 0; k < length && fits; k++) {
        t = (t + step + hours) % hours;
        cost += set_replicas(s, w, t, x);
        fits = worst_type(s, t) < 0;
    }
    s->spent += (uint64_t)length * 4;
    return settle_better(s, fits, cost);
}

static bool polish_hour(struct search *s, int w, int t)
{
    double cost;
    bool better;

    begin_move(s);
    cost = serve_anew(s, w, t, 0);
    better = settle_better(s, worst_type(s, t) < 0, cost);
    for (int length = 1; s->starting && length <= 8 && length < s->grid->hours; length *= 2)
        better = try_hold(s, w, t, 1, length) || try_hold(s, w, t, -1, length) || better;
    return better;
}

/* ---- too much for what there is ---- */

static double mend_all(struct search *s)
{
    double sum = 0;

    for (int t = 0; t < s->grid->hours; t++) {
        double more = 0;

        if (worst_type(s, t) >= 0)
            mend_hour(s, t, INFINITY, &more);
        sum += more;
    }
    return sum;
}

/* GPUs over the slots, or as many as the watts are over the cap. */
static double gpus_over_caps(const struct search *s)
{
    const struct grid *grid = s->grid;
    double gpus = 0, watts = 0, hottest = 1;

    for (int g = 0; g < grid->types; g++) {
        int kept;

        grid_own(&grid->type[g], s->a->room[g], &kept);
        gpus += (double)kept * grid->type[g].slots;
        watts += kept * grid->type[g].watts;
        hottest = fmax(hottest, grid->type[g].watts);
    }
    return fmax(grid->slots > 0 ? gpus - grid->slots : 0,
                grid->watts > 0 ? (watts - grid->watts) / hottest : 0);
}

/* Takes so many GPUs away from a type, in units; how much dearer that is, in all. */
static double drop_gpus(struct search *s, int g, int gpus)
{
    const struct grid_type *type = &s->grid->type[g];
    double before = grid_own(type, s->a->room[g], NULL);
    int room = s->a->room[g] - (gpus + type->unit - 1) / type->unit * type->unit;

    s->logged = 0;
    s->a->room[g] = room > 0 ? room : 0;
    return mend_all(s) + grid_own(type, s->a->room[g], NULL) - before;
}

void improve_shed(struct assign *a, struct improve *how)
{
    struct search *s = search_new(a, how);

    for (int g = 0; g < a->grid->types; g++)
        if (a->room[g] > grid_room(&a->grid->type[g]))
            a->room[g] = grid_room(&a->grid->type[g]);
    mend_all(s);
    while (gpus_over_caps(s) > 1e-9 && s->spent < how->work) {
        double least = INFINITY;
        int best = -1, share = (int)ceil(gpus_over_caps(s) / 8);

        for (int g = 0; g < a->grid->types; g++) {
            int room = a->room[g];
            double cost;

            if (room <= 0)
                continue;
            cost = drop_gpus(s, g, share);
            cost /= fmax(1, room - a->room[g]);
            undo_to(s, 0);
            a->room[g] = room;
            if (best < 0 || cost < least) {
                best = g;
                least = cost;
            }
        }
        if (best < 0)
            break;
        drop_gpus(s, best, share);
    }
    search_free(s);
}

/* ---- the search ---- */

static bool is_short(const struct search *s)
{
    for (int w = 0; w < s->grid->workloads; w++)
        for (int t = 0; t < s->grid->hours && !s->grid->constant[w]; t++)
            if (unmet_of(s, w, t) > 0)
                return true;
    return false;
}

void improve_run(struct assign *a, struct improve *how)
{
    struct search *s = search_new(a, how);
    struct assign best;
    double total = assign_total(a), least = total;
    double hot = fmax(HEAT, CELL_HEAT / (a->grid->workloads * a->grid->hours));
    bool away = false;

    assign_init(&best, a->grid);
    assign_copy(&best, a);
    for (uint64_t moves = 1; !is_over(s, moves); moves++) {
        double heat = hot * least * (1 - s->gone);

        s->is_short = moves % SHORT_EVERY == 1 ? is_short(s) : s->is_short;
        double slack = random_below(s, 2) ? -1e-9 * least : -heat * log(random_share(s)) * 0.3;
        if (moves % 4 == 0)
            slack = fmax(slack, 0) + 1e-12;
        begin_move(s);
        double cost = moves % 4 == 0                   ? move_shuffle(s, slack)
                      : moves % 16 == 1                ? move_home(s)
                      : moves % 4 == 2                 ? move_priced(s)
                      : moves % 32 == 9 && s->starting ? move_day(s)
                                                       : move_jobs(s, slack);
        cost = settle_move(s, cost, slack);
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
    assign_fini(&best);
    search_free(s);
}

void improve_polish(struct assign *a, struct improve *how)
{
    struct search *s = search_new(a, how);
    bool better = true;

    for (int round = 0; round < 6 && better; round++) {
        better = false;
        for (int w = 0; w < a->grid->workloads; w++) {
            if (is_over(s, (uint64_t)w))
                break;
            for (int t = 0; t < a->grid->hours && !a->grid->constant[w]; t++)
                better |= polish_hour(s, w, t);
            if (!s->starting)
                continue;
            begin_move(s);
            better |= settle_better(s, true, plan_day(s, w));
        }
    }
    search_free(s);
}
