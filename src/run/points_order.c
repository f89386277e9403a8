/*
 * points_order.c - in which order points are measured, and the hash that names them all.
 */
#include "run/points.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/mem.h"

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

/* FNV-1a over the ids, each with its terminator. */
void points_hash(const struct points *points, char text[17])
{
    uint64_t hash = 14695981039346656037u;

    for (int i = 0; i < points->count; i++) {
        const char *c = points->point[i].id;

        do
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        while (*c++);
    }
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}
