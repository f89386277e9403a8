/*
 * points_order.c - in which order points are measured, and the hash that names them all.
 */
#include "measure/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Test by test, because a product heats what the next test finds cool. */
int *points_order(uint64_t seed, const struct points *points)
{
    size_t n = (size_t)points->count, k = 0;
    int *order = gp_calloc(POINTS_PASSES * n + 1, sizeof *order);
    int *mixed = gp_calloc(n + 1, sizeof *mixed);

    method_order(seed, points->count, mixed);
    for (int test = 0; test < TEST_COUNT; test++)
        for (size_t i = 0; i < n; i++)
            if ((int)points->point[mixed[i]].test == test)
                order[k++] = mixed[i];
    for (size_t i = 0; i < n; i++)
        order[n + i] = order[n - 1 - i];
    free(mixed);
    return order;
}

/* Of the ids, each with its terminator. */
void points_hash(const struct points *points, char text[17])
{
    uint64_t hash = GP_HASH;

    for (int i = 0; i < points->count; i++)
        hash = gp_hash(hash, points->point[i].id, strlen(points->point[i].id) + 1);
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}
