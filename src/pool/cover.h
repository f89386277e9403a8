/*
 * cover.h - the cheapest way to serve one demand: counts x of a few items.
 *
 *   min  sum price x + penalty x max(0, need - sum rate x)
 *                    + missing x max(0, minimum - sum x)
 *   with sum of seat x over the items of a group at most room[group]
 *
 * Where paid[group] seats are paid for in any case, worth[group] $ are added for each of
 * them that is not taken.
 *
 * Depth first over the items, cheapest per rate first, with the fractional cost of the
 * rest as bound (Dantzig 1957). Exact, unless it takes more than COVER_NODES steps;
 * then `lower` is what cannot be undercut, and the counts are the best that were seen.
 *
 * Example: need 10; item 0 of rate 4 for $4, item 1 of rate 3 for $3.5: 0 twice and 1
 * once serve 11 for $11.5.
 */
#ifndef GP_POOL_COVER_H
#define GP_POOL_COVER_H

#include <stdint.h>

#include "pool/pool.h"

#define COVER_NODES 20000

struct cover_item {
    double price; /* $, at least 0 */
    double rate;  /* over 0 */
    int seat;     /* of the group's room; 0: none */
    int group;
};

struct cover_ask {
    const struct cover_item *items;
    int count; /* at most POOL_MOST_WAYS */
    double need, penalty, missing;
    int minimum;
    const int *room;     /* [groups]; NULL: as much as wanted */
    int groups;          /* at most POOL_MOST_WAYS */
    const int *paid;     /* [groups] seats; NULL: none */
    const double *worth; /* [groups] $ of a seat, with paid: at most its part of a price */
    int nodes;           /* steps it may take; 0: COVER_NODES */
};

struct cover {
    double cost, lower;
    int nodes;
    int x[POOL_MOST_WAYS];
};

void cover_solve(const struct cover_ask *ask, struct cover *out);

#endif
