/*
 * slices.c - see slices.h.
 */
#include "pool/slices.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define NODES 60 /* tries for one set of slices: hundreds of thousands of sets are asked for */

static double cut_weight(const struct pool_type *type, int k, const double *weight)
{
    double sum = 0;

    for (int p = 0; p < type->slices; p++)
        sum += type->cut[k][p] * weight[p];
    return sum;
}

/* The most a profile may weigh beside the others. */
static double weight_room(const struct pool_type *type, int p, const double *weight)
{
    double room = INFINITY;

    for (int k = 0; k < type->cuts; k++)
        if (type->cut[k][p] > 0)
            room = fmin(room, (1 - cut_weight(type, k, weight)) / type->cut[k][p]);
    return isinf(room) ? 0 : weight[p] + room;
}

void slices_weights(const struct pool_type *type, double weight[POOL_MOST_SLICES])
{
    for (int p = 0; p < type->slices; p++) {
        int most = 0;

        for (int k = 0; k < type->cuts; k++)
            most = type->cut[k][p] > most ? type->cut[k][p] : most;
        weight[p] = most > 0 ? 1.0 / most : 0;
    }
    for (int k = 0; k < type->cuts; k++) { /* scaled down where a cut weighs too much */
        double sum = cut_weight(type, k, weight);

        for (int p = 0; p < type->slices && sum > 1; p++)
            if (type->cut[k][p] > 0)
                weight[p] /= sum;
    }
    for (int p = 0; p < type->slices; p++) /* and up where there is room */
        weight[p] = fmax(0, weight_room(type, p, weight) * (1 - 1e-12));
}

struct search {
    const struct pool_type *type;
    const double *weight;
    int left[POOL_MOST_SLICES];
    int taken[POOL_MOST_CUTS], best[POOL_MOST_CUTS];
    int gpus, fewest, nodes;
};

static int hardest(const struct search *s)
{
    int best = -1;

    for (int p = 0; p < s->type->slices; p++)
        if (s->left[p] > 0 && (best < 0 || s->weight[p] > s->weight[best]))
            best = p;
    return best;
}

static int least_more(const struct search *s)
{
    double sum = 0;

    for (int p = 0; p < s->type->slices; p++)
        sum += s->left[p] > 0 ? s->left[p] * s->weight[p] : 0;
    return (int)ceil(sum - 1e-9);
}

static double cut_use(const struct search *s, int k)
{
    double sum = 0;

    for (int p = 0; p < s->type->slices; p++) {
        int used = s->type->cut[k][p] < s->left[p] ? s->type->cut[k][p] : s->left[p];

        sum += used > 0 ? used * s->weight[p] : 0;
    }
    return sum;
}

static void descend(struct search *s)
{
    int p = hardest(s);
    bool tried[POOL_MOST_CUTS] = {0};

    if (p < 0) {
        if (s->gpus < s->fewest) {
            s->fewest = s->gpus;
            memcpy(s->best, s->taken, sizeof(s->best));
        }
        return;
    }
    if (s->gpus + least_more(s) >= s->fewest)
        return;
    for (int round = 0; round < s->type->cuts; round++) { /* the fullest cut first */
        int pick = -1;

        for (int k = 0; k < s->type->cuts; k++)
            if (!tried[k] && s->type->cut[k][p] > 0 &&
                (pick < 0 || cut_use(s, k) > cut_use(s, pick) + 1e-12))
                pick = k;
        if (pick < 0 || (s->nodes-- <= 0 && s->fewest < POOL_MOST_GPUS))
            return;
        tried[pick] = true;
        for (int q = 0; q < s->type->slices; q++)
            s->left[q] -= s->type->cut[pick][q];
        s->taken[pick]++;
        s->gpus++;
        descend(s);
        s->gpus--;
        s->taken[pick]--;
        for (int q = 0; q < s->type->slices; q++)
            s->left[q] += s->type->cut[pick][q];
    }
}

int slices_gpus(const struct pool_type *type, const double weight[POOL_MOST_SLICES],
                const int count[POOL_MOST_SLICES], int cuts[POOL_MOST_CUTS])
{
    struct search s = {.type = type, .weight = weight, .fewest = POOL_MOST_GPUS, .nodes = NODES};
    bool any = false;

    if (cuts)
        memset(cuts, 0, sizeof(int) * POOL_MOST_CUTS);
    for (int p = 0; p < type->slices; p++) {
        s.left[p] = count[p];
        any = any || count[p] > 0;
    }
    if (!any)
        return 0;
    descend(&s);
    if (cuts)
        memcpy(cuts, s.best, sizeof(s.best));
    return s.fewest;
}
