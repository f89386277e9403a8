/*
 * branch.c - see branch.h.
 */
#include "pool/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MOST_PARTS 256
#define STEPS 60 /* of the prices of a part */

struct part {
    double bound;
    int low[POOL_MOST_TYPES], high[POOL_MOST_TYPES];
    double units[POOL_MOST_TYPES]; /* in the mean of its steps */
    double cap[2];
    double *lambda;
};

struct tree {
    struct bound *b;
    double upper;
    bool (*stop)(void *ctx);
    void *ctx;
    struct part parts[MOST_PARTS]; /* still open */
    int count;
};

static size_t size_of(const struct bound *b)
{
    return (size_t)b->grid->hours * (size_t)b->grid->types * sizeof(*b->lambda);
}

/* Units of each type that the covers of the last steps take in the mean. */
static void mean_units(const struct bound *b, double *units)
{
    const struct grid *grid = b->grid;

    for (int g = 0; g < grid->types; g++) {
        double peak = 0;

        for (int t = 0; t < grid->hours; t++)
            peak = fmax(peak, b->mean_use[t * grid->types + g]);
        units[g] = peak > 0 ? (peak + grid->type[g].spare) / grid->type[g].unit : 0;
    }
}

/* The part as b stands; what cannot hold a better plan is not kept. */
static void add_part(struct tree *tree, double least)
{
    struct bound *b = tree->b;
    struct part *part = &tree->parts[tree->count];

    part->bound = fmax(b->best, least);
    if (part->bound >= tree->upper * (1 - 1e-9))
        return;
    memcpy(part->low, b->low, sizeof(part->low));
    memcpy(part->high, b->high, sizeof(part->high));
    memcpy(part->cap, b->cap, sizeof(part->cap));
    mean_units(b, part->units);
    part->lambda = gp_malloc(size_of(b));
    memcpy(part->lambda, b->lambda, size_of(b));
    tree->count++;
}

static int lowest_part(const struct tree *tree)
{
    int lowest = 0;

    for (int i = 1; i < tree->count; i++)
        if (tree->parts[i].bound < tree->parts[lowest].bound)
            lowest = i;
    return lowest;
}

/* The type to divide by; -1 when every interval is a single size. */
static int pick_type(const struct tree *tree, const struct part *part, int *at)
{
    const struct grid *grid = tree->b->grid;
    double most = -1;
    int best = -1;

    for (int g = 0; g < grid->types; g++) {
        const struct grid_type *type = &grid->type[g];
        int low = part->low[g] / type->unit, high = part->high[g] / type->unit;
        int k = (int)fmin(fmax(floor(part->units[g] + 1e-6), low), high - 1);
        double off = part->units[g] - floor(part->units[g] + 1e-6);
        double worth = fmin(off, 1 - off) * type->unit * fmax(type->own_buy, 1e-6);

        if (low < high && worth > most) {
            most = worth;
            best = g;
            *at = k;
        }
    }
    return best;
}

static void raise_part(struct tree *tree, const struct part *from, int g, int low, int high)
{
    struct bound *b = tree->b;

    memcpy(b->low, from->low, sizeof(b->low));
    memcpy(b->high, from->high, sizeof(b->high));
    memcpy(b->cap, from->cap, sizeof(b->cap));
    memcpy(b->trial_cap, from->cap, sizeof(b->trial_cap));
    memcpy(b->trial, from->lambda, size_of(b));
    b->low[g] = low;
    b->high[g] = high;
    b->best = -INFINITY;
    b->step = 1;
    b->fails = 0;
    for (int i = 0; i < STEPS && b->best < tree->upper * (1 - 1e-9); i++) {
        bound_step(b, tree->upper);
        if (tree->stop(tree->ctx))
            break;
    }
    add_part(tree, from->bound);
}

static void divide(struct tree *tree, int index)
{
    struct part part = tree->parts[index];
    int at = 0, g = pick_type(tree, &part, &at);
    int unit;

    tree->parts[index] = tree->parts[--tree->count];
    unit = tree->b->grid->type[g].unit;
    raise_part(tree, &part, g, part.low[g], at * unit);
    raise_part(tree, &part, g, (at + 1) * unit, part.high[g]);
    free(part.lambda);
}

void branch_raise(struct bound *b, double upper, uint64_t work, bool (*stop)(void *ctx), void *ctx)
{
    struct tree *tree = gp_calloc(1, sizeof(*tree));
    struct part all;
    uint64_t until = b->work + work;
    double best = b->best;
    int ignored;

    tree->b = b;
    tree->upper = upper;
    tree->stop = stop;
    tree->ctx = ctx;
    add_part(tree, b->best);
    if (tree->count == 0) {
        free(tree);
        return;
    }
    all = tree->parts[0];
    all.lambda = gp_malloc(size_of(b));
    memcpy(all.lambda, b->lambda, size_of(b));
    while (tree->count > 0 && tree->count < MOST_PARTS - 1 && b->work < until && !stop(ctx)) {
        int index = lowest_part(tree);

        best = fmax(best, tree->parts[index].bound);
        if (pick_type(tree, &tree->parts[index], &ignored) < 0)
            break;
        divide(tree, index);
    }
    b->best = fmax(best, tree->count > 0 ? tree->parts[lowest_part(tree)].bound : upper);
    memcpy(b->lambda, all.lambda, size_of(b));
    memcpy(b->low, all.low, sizeof(b->low));
    memcpy(b->high, all.high, sizeof(b->high));
    memcpy(b->cap, all.cap, sizeof(b->cap));
    for (int i = 0; i < tree->count; i++)
        free(tree->parts[i].lambda);
    free(all.lambda);
    free(tree);
}
