/*
 * compare.c - see compare.h.
 */
#include "core/compare.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

double compare_capacity(const struct plan *p)
{
    if (!p->has_memory || !p->memory.max_concurrency.known)
        return 0;
    return p->memory.max_concurrency.value * p->layout.replicas;
}

/* ---- the front ---- */

static bool competes(const struct plan *p)
{
    return p->verdict == VERDICT_FITS && p->cost.per_hour > 0 && !plan_spans(p);
}

/* The cheapest first; of the same price, the one that holds the most. */
static int cheap_first(const void *left, const void *right)
{
    const struct plan *a = &(*(struct compared *const *)left)->plan;
    const struct plan *b = &(*(struct compared *const *)right)->plan;
    double ca = compare_capacity(a), cb = compare_capacity(b);
    if (a->cost.per_hour != b->cost.per_hour)
        return a->cost.per_hour < b->cost.per_hour ? -1 : 1;
    return (ca < cb) - (ca > cb);
}

/* One pass in that order: a plan is beaten by what is cheaper and holds as many, or
 * costs the same and holds more. */
void compare_front(struct compared *const *rows, size_t count)
{
    struct compared **order = gp_calloc(count + 1, sizeof(*order));
    double cheaper = -1, same = -1, price = 0; /* the most that such a plan holds */
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        rows[i]->front = false;
        if (competes(&rows[i]->plan))
            order[n++] = rows[i];
    }
    qsort(order, n, sizeof(*order), cheap_first);
    for (size_t i = 0; i < n; i++) {
        double held = compare_capacity(&order[i]->plan);
        if (order[i]->plan.cost.per_hour > price) {
            cheaper = same > cheaper ? same : cheaper;
            same = held;
            price = order[i]->plan.cost.per_hour;
        }
        order[i]->front = held > cheaper && held == same;
    }
    free(order);
}

/* ---- the order ---- */

static int sign(double difference)
{
    return (difference > 0) - (difference < 0);
}

static int by_span(const struct plan *a, const struct plan *b)
{
    return (int)plan_spans(a) - (int)plan_spans(b);
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
    order_fn *const then[] = {first == by_cost ? by_span : first,
                              by_span,
                              by_cost,
                              by_gpus,
                              by_memory,
                              by_name};
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
