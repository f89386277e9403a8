/*
 * climb.c - see climb.h.
 */
#include "pool/climb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pool/day.h"
#include "pool/fixed.h"

#define OWN (-1)

unsigned climb_below(struct climb *c, unsigned n)
{
    c->how->random = c->how->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((c->how->random >> 33) % n);
}

double climb_share(struct climb *c)
{
    return (climb_below(c, 1u << 24) + 0.5) / (1u << 24);
}

/* ---- changes that can be taken back ---- */

int *climb_use(const struct climb *c, int t)
{
    return &c->a->use[t * c->grid->types];
}

double climb_set(struct climb *c, int w, int t, const short *x)
{
    const double *serve = &c->a->serve[w * c->grid->hours + t];
    double before = *serve;
    struct climb_change *change;

    c->log = gp_grow(c->log, &c->log_cap, c->logged + 1, sizeof(*c->log));
    change = &c->log[c->logged++];
    change->w = w;
    change->t = t;
    assign_get(c->a, w, t, change->x);
    for (int g = 0; g < c->grid->types && c->grid->sliced; g++)
        before += c->a->cut[t * c->grid->types + g] * c->grid->type[g].run;
    assign_set(c->a, w, t, x);
    before = *serve - before;
    for (int g = 0; g < c->grid->types && c->grid->sliced; g++)
        before += c->a->cut[t * c->grid->types + g] * c->grid->type[g].run;
    return before;
}

void climb_undo(struct climb *c, size_t mark)
{
    while (c->logged > mark) {
        const struct climb_change *change = &c->log[--c->logged];

        if (change->t == OWN)
            assign_own(c->a, change->w, change->x);
        else
            assign_set(c->a, change->w, change->t, change->x);
    }
}

/* So many replicas more of way i that a workload with GPUs of its own holds. */
double climb_hold(struct climb *c, int w, int i, int more)
{
    const struct grid *grid = c->grid;
    short held[POOL_MOST_WAYS], x[POOL_MOST_WAYS];
    struct climb_change *change;
    double cost = 0;

    memcpy(held, &c->a->held[grid->first[w]],
           sizeof(*held) * (size_t)(grid->first[w + 1] - grid->first[w]));
    c->log = gp_grow(c->log, &c->log_cap, c->logged + 1, sizeof(*c->log));
    change = &c->log[c->logged++];
    change->w = w;
    change->t = OWN;
    memcpy(change->x, held, sizeof(held));
    more += held[i];
    held[i] = (short)(more < 0 ? 0 : more > POOL_MOST_REPLICAS ? POOL_MOST_REPLICAS : more);
    assign_own(c->a, w, held);
    for (int t = 0; t < grid->hours; t++) {
        fixed_serve(grid, w, t, held, x);
        cost += climb_set(c, w, t, x);
    }
    c->spent += (uint64_t)(grid->hours * COVER_WORK);
    return cost;
}

double climb_starts(struct climb *c, bool keep)
{
    double sum = 0;

    if (!c->starting)
        return 0;
    c->looks++;
    for (size_t i = 0; i < c->logged; i++) {
        int w = c->log[i].w;
        double now;

        if (c->seen[w] == c->looks)
            continue;
        c->seen[w] = c->looks;
        now = assign_starts(c->a, w);
        sum += now - c->starts[w];
        if (keep)
            c->starts[w] = now;
    }
    return sum;
}

/* $ of jobs in the GPUs that are left. */
static double jobs_cost(const struct climb *c)
{
    double sum = 0;

    for (int g = 0; g < c->grid->types && c->grid->jobs > 0; g++)
        sum += assign_jobs(c->a, g, c->a->room[g]);
    return sum;
}

/* What a move does beside serving and owning: to starts, and to jobs, which have what it
 * leaves. */
double climb_rest(struct climb *c, bool keep)
{
    double before = c->jobs, now = jobs_cost(c);

    c->spent += (uint64_t)(c->grid->jobs * c->grid->hours / 8);
    if (keep)
        c->jobs = now;
    return now - before + climb_starts(c, keep);
}

/* ---- room ---- */

int climb_room(const struct climb *c, int t, int g)
{
    int room = c->a->room[g] - (c->kept ? c->kept[t * c->grid->types + g] : 0);

    return room > 0 ? room : 0;
}

int climb_worst(const struct climb *c, int t)
{
    const int *use = climb_use(c, t);
    int worst = -1, most = 0;

    for (int g = 0; g < c->grid->types; g++) {
        int over = use[g] - climb_room(c, t, g);

        if (over > most) {
            most = over;
            worst = g;
        }
    }
    return worst;
}

double climb_own(const struct climb *c)
{
    double sum = 0;

    for (int g = 0; g < c->grid->types; g++)
        sum += grid_own(&c->grid->type[g], c->a->room[g], NULL);
    return sum;
}

/* $ per replica by chance for each way of a workload, up to what its GPUs and starts cost: so
 * that covers come up that no price of GPUs would ask for. */
void climb_noise(struct climb *c, int w, double *more)
{
    const struct grid *grid = c->grid;

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        const struct grid_type *type = &grid->type[way->type];
        double each = grid_seat(grid, i) * (type->own_buy / grid->hours + type->run);

        more[i - grid->first[w]] = climb_below(c, 2) * climb_share(c) * (each + way->start);
    }
}

/* ---- the state of a search ---- */

void climb_init(struct climb *c, struct assign *a, struct improve *how)
{
    const struct grid *grid = a->grid;

    *c = (struct climb){.a = a, .grid = grid, .how = how};
    c->starts = gp_calloc((size_t)grid->workloads, sizeof(*c->starts));
    c->seen = gp_calloc((size_t)grid->workloads, sizeof(*c->seen));
    c->day = day_new();
    if (grid->jobs > 0)
        c->kept = gp_calloc((size_t)(grid->hours * grid->types), sizeof(*c->kept));
    for (int w = 0; w < grid->workloads; w++)
        c->starts[w] = assign_starts(a, w);
    for (int i = 0; i < grid->first[grid->workloads]; i++)
        c->starting |= grid->ways[i].start > 0;
    c->jobs = jobs_cost(c);
    for (int j = 0; j < grid->jobs; j++)
        c->least_jobs += assign_job_cost(grid, j, grid->pool->jobs[j].gpu_hours);
}

void climb_fini(struct climb *c)
{
    free(c->log);
    free(c->starts);
    free(c->seen);
    free(c->kept);
    free(c->day);
}

double climb_settle(struct climb *c, double cost, double slack)
{
    if (cost < slack) {
        climb_rest(c, true);
        return cost;
    }
    climb_undo(c, 0);
    return INFINITY;
}
