/*
 * compare.c - see compare.h.
 */
#include "core/compare.h"

#include <stdlib.h>
#include <string.h>

double compare_capacity(const struct plan *p)
{
    if (!p->has_memory || !p->memory.max_concurrency.known)
        return 0;
    return p->memory.max_concurrency.value * p->layout.replicas;
}

/* ---- the front ---- */

static bool beats(const struct plan *a, const struct plan *b)
{
    double more = compare_capacity(a) - compare_capacity(b);
    double dearer = a->cost.per_hour - b->cost.per_hour;
    return more >= 0 && dearer <= 0 && (more > 0 || dearer < 0);
}

static bool competes(const struct plan *p)
{
    return p->verdict == VERDICT_FITS && p->cost.per_hour > 0;
}

void compare_front(struct compared *const *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rows[i]->front = competes(&rows[i]->plan);
        for (size_t k = 0; k < count && rows[i]->front; k++)
            if (competes(&rows[k]->plan) && beats(&rows[k]->plan, &rows[i]->plan))
                rows[i]->front = false;
    }
}

/* ---- the order ---- */

static int sign(double difference)
{
    return (difference > 0) - (difference < 0);
}

static int by_cost(const struct plan *a, const struct plan *b)
{
    bool ka = a->cost.per_hour > 0, kb = b->cost.per_hour > 0;
    if (ka != kb)
        return ka ? -1 : 1;
    return sign(a->cost.per_hour - b->cost.per_hour);
}

static int by_gpus(const struct plan *a, const struct plan *b)
{
    return a->layout.gpus - b->layout.gpus;
}

static int by_memory(const struct plan *a, const struct plan *b)
{
    return sign(a->layout.gpus * a->request.gpu->physical.value -
                b->layout.gpus * b->request.gpu->physical.value);
}

static int by_name(const struct plan *a, const struct plan *b)
{
    int n = strcmp(a->request.gpu->id, b->request.gpu->id);
    return n ? n : strcmp(a->request.precision.id, b->request.precision.id);
}

typedef int order_fn(const struct plan *a, const struct plan *b);

static int ordered(const struct plan *a, const struct plan *b, order_fn *first)
{
    order_fn *const then[] = {first, by_cost, by_gpus, by_memory, by_name};
    int n = first == by_name ? 0 : (int)a->verdict - (int)b->verdict;
    for (size_t i = 0; i < sizeof(then) / sizeof(then[0]) && n == 0; i++)
        n = then[i](a, b);
    return n;
}

/* ---- sorting ---- */

#define PLAN_OF(item) (&(*(struct compared *const *)(item))->plan)

static int cost_first(const void *a, const void *b)
{
    return ordered(PLAN_OF(a), PLAN_OF(b), by_cost);
}

static int gpus_first(const void *a, const void *b)
{
    return ordered(PLAN_OF(a), PLAN_OF(b), by_gpus);
}

static int memory_first(const void *a, const void *b)
{
    return ordered(PLAN_OF(a), PLAN_OF(b), by_memory);
}

static int name_first(const void *a, const void *b)
{
    return ordered(PLAN_OF(a), PLAN_OF(b), by_name);
}

void compare_sort(struct compared **rows, size_t count, enum compare_order order)
{
    static int (*const orders[])(const void *, const void *) = {
        [COMPARE_COST] = cost_first,
        [COMPARE_GPUS] = gpus_first,
        [COMPARE_MEMORY] = memory_first,
        [COMPARE_NAME] = name_first,
    };
    qsort(rows, count, sizeof(*rows), orders[order]);
}
