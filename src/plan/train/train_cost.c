/*
 * train_cost.c - what the machines of a training run cost (cost.h).
 *
 * All ranks exchange gradients or weights in every step, so that as many GPUs as a host
 * holds stay in one machine: they are priced as one group. Where no machine of that size
 * is offered, the group is halved, down to TP.
 *
 * Example: 16 GPUs on hosts of 8 are two groups of 8, two machines.
 */
#include "plan/train/train.h"

static struct layout groups_of(const struct train *t, int group)
{
    return (struct layout){
        .tp = group, .pp = 1, .ep = 1, .replicas = (t->gpus + group - 1) / group, .gpus = t->gpus};
}

static bool train_cost_priced(const struct cost *c)
{
    const struct rent *rent = cost_wanted(c);

    return rent ? rent->known : c->buy.known;
}

void train_cost(const struct request *q, const struct train *t, const struct market *market,
                struct layout *layout, struct cost *out)
{
    int host = q->host_gpus > 1 ? q->host_gpus : 1;
    int group = t->gpus < host ? t->gpus : host;
    struct prices prices;

    *layout = groups_of(t, group);
    layout->hosts = layout_hosts(layout, host);
    prices_init(q, market, &prices);
    cost_estimate(&prices, layout, out);
    for (int less = group / 2; !train_cost_priced(out) && less >= t->tp && less > 0; less /= 2) {
        struct layout part = groups_of(t, less);
        struct cost cost;

        cost_estimate(&prices, &part, &cost);
        if (!train_cost_priced(&cost))
            continue;
        *out = cost;
        *layout = part;
    }
    prices_fini(&prices);
    if (out->machines > 0)
        layout->hosts = out->machines;
}
