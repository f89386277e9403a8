/*
 * compare.c - see compare.h.
 */
#include "plan/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

double compare_capacity(const struct plan *p)
{
    struct quantity held = plan_capacity(p);

    return held.known ? held.value : 0;
}

/* ---- the front ---- */

/* What a plan gives for its price: with goals of speed tokens for a dollar, else the
 * requests that it holds. */
static double compare_worth(const struct plan *p)
{
    if (!request_asks_speed(&p->request))
        return compare_capacity(p);
    struct quantity million = plan_token_price(p);
    return million.known ? 1 / million.value : 0;
}

/* The cheapest first; of the same price, the one that gives the most. */
static int cheap_first(const void *left, const void *right)
{
    const struct plan *a = &(*(struct compared *const *)left)->plan;
    const struct plan *b = &(*(struct compared *const *)right)->plan;
    double ca = compare_worth(a), cb = compare_worth(b);

    if (a->cost.per_hour != b->cost.per_hour)
        return a->cost.per_hour < b->cost.per_hour ? -1 : 1;
    return (ca < cb) - (ca > cb);
}

/* One pass in that order: a plan is beaten by what is cheaper and gives as much, or
 * costs the same and gives more. */
void compare_front(struct compared *const *rows, size_t count)
{
    struct compared **order = gp_calloc(count + 1, sizeof(*order));
    double cheaper = -1, same = -1, price = 0; /* the most that such a plan gives */
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const struct plan *p = &rows[i]->plan;

        rows[i]->front = false;
        if (p->verdict == VERDICT_FITS && p->cost.per_hour > 0 && !plan_spans(p))
            order[n++] = rows[i];
    }
    qsort(order, n, sizeof(*order), cheap_first);
    for (size_t i = 0; i < n; i++) {
        double held = compare_worth(&order[i]->plan);

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

static int compare_sign(double difference)
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
    return compare_sign(a->cost.per_hour - b->cost.per_hour);
}

/* The most first. */
static int by_worth(const struct plan *a, const struct plan *b)
{
    return compare_sign(compare_worth(b) - compare_worth(a));
}

static int by_gpus(const struct plan *a, const struct plan *b)
{
    return a->layout.gpus - b->layout.gpus;
}

static int by_memory(const struct plan *a, const struct plan *b)
{
    return compare_sign(a->layout.gpus * a->request.gpu->physical.value -
                        b->layout.gpus * b->request.gpu->physical.value);
}

static int by_name(const struct plan *a, const struct plan *b)
{
    int n = strcmp(a->request.gpu->id, b->request.gpu->id);

    return n ? n : strcmp(a->request.precision.id, b->request.precision.id);
}

/* Of two figures the smaller first, what is not known last. */
static int by_figure(const struct quantity *a, const struct quantity *b, bool known_a, bool known_b)
{
    if (known_a != known_b)
        return known_a ? -1 : 1;
    return known_a ? compare_sign(a->value - b->value) : 0;
}

static int by_speed(const struct plan *a, const struct plan *b, const struct quantity *x,
                    const struct quantity *y)
{
    return by_figure(x, y, a->speed.gap == SPEED_KNOWN, b->speed.gap == SPEED_KNOWN);
}

static int by_million(const struct plan *a, const struct plan *b)
{
    struct quantity x = plan_token_price(a), y = plan_token_price(b);

    return by_figure(&x, &y, x.known, y.known);
}

static int by_tpot(const struct plan *a, const struct plan *b)
{
    return by_speed(a, b, &a->speed.tpot, &b->speed.tpot);
}

static int by_ttft(const struct plan *a, const struct plan *b)
{
    return by_speed(a, b, &a->speed.ttft, &b->speed.ttft);
}

/* The most first. */
static int by_tokens(const struct plan *a, const struct plan *b)
{
    if (a->speed.gap != SPEED_KNOWN || b->speed.gap != SPEED_KNOWN)
        return by_tpot(a, b);
    return -by_speed(a, b, &a->speed.tokens, &b->speed.tokens);
}

typedef int order_fn(const struct plan *a, const struct plan *b);

static int compare_ordered(const struct plan *a, const struct plan *b, order_fn *first)
{
    order_fn *const then[] = {first == by_cost ? by_span : first,
                              by_span,
                              by_cost,
                              by_worth,
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

/* A function for qsort() of each order. */
#define ORDERS(X)               \
    X(COMPARE_COST, cost)       \
    X(COMPARE_GPUS, gpus)       \
    X(COMPARE_MEMORY, memory)   \
    X(COMPARE_NAME, name)       \
    X(COMPARE_MILLION, million) \
    X(COMPARE_TPOT, tpot)       \
    X(COMPARE_TTFT, ttft)       \
    X(COMPARE_TOKENS, tokens)

#define X(order, key)                                             \
    static int key##_first(const void *a, const void *b)          \
    {                                                             \
        return compare_ordered(PLAN_OF(a), PLAN_OF(b), by_##key); \
    }
ORDERS(X)
#undef X

void compare_sort(struct compared **rows, size_t count, enum compare_order order)
{
#define X(order, key) [order] = key##_first,
    static int (*const orders[])(const void *, const void *) = {ORDERS(X)};
#undef X
    qsort(rows, count, sizeof(*rows), orders[order]);
}
