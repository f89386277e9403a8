/*
 * cover.c - see assign.h.
 */
#include "pool/assign.h"

#include <math.h>
#include <string.h>

struct search {
    const struct cover_request *ask;
    struct cover *out;
    int order[POOL_MOST_WAYS];           /* items, cheapest per rate first */
    double per_rate[POOL_MOST_WAYS + 1]; /* of order[i], at most the penalty */
    double cheapest[POOL_MOST_WAYS + 1]; /* of order[i..], at most `missing` */
    int room[POOL_MOST_WAYS];
    int unused[POOL_MOST_WAYS]; /* seats of paid, below 0: more are taken */
    short x[POOL_MOST_WAYS];
    double slack; /* differences that do not count */
    int nodes;    /* left */
    double open;  /* the least bound of what was not looked at */
};

static void sort_items(struct search *s)
{
    const struct cover_request *ask = s->ask;
    double value[POOL_MOST_WAYS];

    for (int i = 0; i < ask->count; i++) {
        double v = ask->items[i].price / ask->items[i].rate;
        int at = i;

        for (; at > 0 && value[at - 1] > v; at--) {
            value[at] = value[at - 1];
            s->order[at] = s->order[at - 1];
        }
        value[at] = v;
        s->order[at] = i;
    }
    s->per_rate[ask->count] = ask->penalty;
    s->cheapest[ask->count] = ask->missing;
    for (int i = ask->count - 1; i >= 0; i--) {
        s->per_rate[i] = fmin(value[i], ask->penalty);
        s->cheapest[i] = fmin(ask->items[s->order[i]].price, s->cheapest[i + 1]);
    }
}

/* $ of seats that are paid for and not taken. */
static double idle_cost(const struct search *s)
{
    double sum = 0;

    for (int k = 0; k < s->ask->groups; k++)
        sum += s->unused[k] > 0 ? s->unused[k] * s->ask->worth[k] : 0;
    return sum;
}

static void cover_leaf(struct search *s, double cost, double left, int lacking)
{
    const struct cover_request *ask = s->ask;
    double total = cost + (left > 0 ? left * ask->penalty : 0) +
                   (lacking > 0 ? lacking * ask->missing : 0) + (ask->paid ? idle_cost(s) : 0);

    if (total >= s->out->cost)
        return;
    s->out->cost = total;
    memcpy(s->out->x, s->x, sizeof(s->x[0]) * (size_t)ask->count);
}

/* x of an item in place of those that there were. */
static void set_count(struct search *s, int id, int x)
{
    const struct cover_item *item = &s->ask->items[id];
    int seats = (x - s->x[id]) * item->seat;

    if (s->ask->room)
        s->room[item->group] -= seats;
    if (s->ask->paid)
        s->unused[item->group] -= seats;
    s->x[id] = (short)x;
}

static void cover_descend(struct search *s, int i, double cost, double left, int lacking)
{
    const struct cover_request *ask = s->ask;
    const struct cover_item *item;
    double count;
    int id, most;
    bool only_rises; /* with fewer of this one */

    if (left <= s->slack || i == ask->count) { /* nothing, or no way, left */
        if (lacking <= 0 || i == ask->count) {
            cover_leaf(s, cost, left <= s->slack ? 0 : left, lacking);
            return;
        }
    }
    id = s->order[i];
    item = &ask->items[id];
    count = fmax(left > 0 ? ceil(left / item->rate * (1 - 1e-12)) : 0, lacking);
    most = count > POOL_MOST_REPLICAS ? POOL_MOST_REPLICAS : (int)count;
    if (ask->room && item->seat > 0 && most > s->room[item->group] / item->seat)
        most = s->room[item->group] / item->seat;
    only_rises = lacking <= 0 && !ask->paid && item->price <= s->per_rate[i + 1] * item->rate;
    for (int x = most; x >= 0; x--) {
        double now = cost + x * item->price, rest = left - x * item->rate, bound;

        /* seats that the rest takes may be paid for, for which it then costs that much less */
        set_count(s, id, x);
        bound = fmax(rest > 0 ? rest * s->per_rate[i + 1] : 0,
                     lacking - x > 0 ? (lacking - x) * s->cheapest[i + 1] : 0);
        bound = now + fmax(bound, ask->paid ? idle_cost(s) : 0);
        if (bound < s->out->cost && s->nodes-- <= 0) {
            s->open = fmin(s->open, bound);
            set_count(s, id, 0);
            return;
        }
        if (bound < s->out->cost)
            cover_descend(s, i + 1, now, rest, lacking - x);
        else if (rest > 0 && only_rises)
            break;
    }
    set_count(s, id, 0);
}

void cover_solve(const struct cover_request *ask, struct cover *out)
{
    struct search s = {.ask = ask, .out = out};
    int nodes = ask->nodes > 0 ? ask->nodes : COVER_NODES;

    memset(out->x, 0, sizeof(out->x[0]) * (size_t)ask->count);
    out->cost = INFINITY;
    s.slack = ask->need * 1e-12;
    s.nodes = nodes;
    s.open = INFINITY;
    if (ask->room)
        memcpy(s.room, ask->room, sizeof(s.room[0]) * (size_t)ask->groups);
    if (ask->paid)
        memcpy(s.unused, ask->paid, sizeof(s.unused[0]) * (size_t)ask->groups);
    sort_items(&s);
    cover_leaf(&s, 0, ask->need, ask->minimum);
    cover_descend(&s, 0, 0, ask->need, ask->minimum);
    out->lower = fmin(out->cost, s.open);
    out->nodes = nodes - s.nodes;
}
