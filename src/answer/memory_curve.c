/*
 * memory_curve.c - see memory_curve.h.
 */
#include "answer/memory_curve.h"

#include <math.h>
#include <stddef.h>

#include "answer/sentence.h"
#include "base/str.h"
#include "base/units.h"

#define LEAST_TOKENS 256.0
#define MOST_TOKENS 131072.0 /* shown of a model that names no maximum */
#define MOST_USERS 1024.0    /* shown when users cost nothing */

const struct memory_stack memory_stack[MEMORY_STACK] = {
    {"weights", 'a', PLOT_WEIGHTS, offsetof(struct sweep_point, weights)},
    {"+ activation", 'b', PLOT_ACTIVATION, offsetof(struct sweep_point, activation)},
    {"+ runtime", 'c', PLOT_RUNTIME, offsetof(struct sweep_point, runtime)},
    {"+ KV cache", 'd', PLOT_KV, offsetof(struct sweep_point, kv)},
};

const struct quantity *memory_part(const struct sweep_point *p, int k)
{
    return (const struct quantity *)((const char *)p + memory_stack[k].offset);
}

char *memory_count(enum sweep of, double x, char *text, size_t size)
{
    char number[32];

    units_tokens(number, sizeof(number), x);
    gp_format(text, size, "%s %s%s", number, of == SWEEP_CONTEXT ? "token" : "user",
              x == 1 ? "" : "s");
    return text;
}

/* ---- samples ---- */

static double own_of(const struct plan *plan, enum sweep of)
{
    return of == SWEEP_CONTEXT ? plan->request.context : plan->request.users;
}

static double power_of_two(double value)
{
    return value > 0 && isfinite(value) ? exp2(ceil(log2(value) - 1e-9)) : 1;
}

static void set_range(const struct memory_curve *m, const struct plan *plan, struct plot *plot,
                      double low, double high)
{
    double own = own_of(plan, m->of), most = plan->request.model->max_context;

    if (m->of == SWEEP_CONTEXT) {
        most = most > 0 ? most : fmax(MOST_TOKENS, power_of_two(own));
        plot_range(plot, low, high, fmin(LEAST_TOKENS, own), fmax(most, own));
        return;
    }
    most = power_of_two(fmax(fmax(4 * own, 2 * m->end.marginal), 16));
    plot_range(plot, low, high, 1, fmin(most, fmax(MOST_USERS, power_of_two(4 * own))));
}

static void take_samples(struct memory_curve *m, const struct plan *plan, const struct plot *plot)
{
    double x[MEMORY_SAMPLES], low = plot->x.low, high = plot->x.high;
    double wanted[] = {own_of(plan, m->of), m->end.fits, m->end.marginal};
    int count = sweep_values(&plan->request, m->of, low, high, x, MEMORY_SAMPLES - 3);

    for (int i = 0; i < 3; i++)
        if (wanted[i] >= low && wanted[i] <= high && wanted[i] > 0)
            count = sweep_insert(x, count, MEMORY_SAMPLES, wanted[i]);
    m->samples = count;
    for (int i = 0; i < count; i++)
        sweep_at(&plan->request, &plan->layout, m->of, x[i], &m->sample[i]);
}

/* ---- series ---- */

/* Up to what is taken, but not so far that the limit is at the bottom; where not even
 * the first point fits, so far that it can be seen. */
static double memory_ceiling(const struct memory_curve *c)
{
    double most = 0, limit = 0, first = 0;

    for (int i = 0; i < c->samples; i++) {
        const struct sweep_point *p = &c->sample[i];

        most = fmax(most, sweep_taken(p));
        limit = fmax(limit, fmax(sweep_limit(p), p->usable.value));
        if (i == 0)
            first = sweep_taken(p);
    }
    return 1.05 * fmin(fmax(most, limit), fmax(1.3 * limit, 1.1 * first));
}

/* Each part between its line and the one below it. */
static void add_stack(const struct memory_curve *m, struct plot *plot)
{
    struct plot_series *part[MEMORY_STACK], *line[MEMORY_STACK];

    for (int k = 0; k < MEMORY_STACK; k++)
        part[k] = plot_add_shade(plot, memory_stack[k].name, memory_stack[k].role, PLOT_PART);
    for (int k = 0; k < MEMORY_STACK; k++) {
        line[k] = plot_add(plot, memory_stack[k].name, memory_stack[k].role, 0);
        line[k]->label = memory_stack[k].label;
    }
    for (int i = 0; i < m->samples; i++) {
        const struct sweep_point *p = &m->sample[i];
        double low, high = p->used;

        for (int k = 0; k < MEMORY_STACK; k++) {
            low = high;
            high += memory_part(p, k)->value;
            plot_span(part[k], p->x, p->known ? low : NAN, p->known ? high : NAN);
            plot_point(line[k], p->x, p->known ? high : NAN);
        }
    }
}

/* The limit, what is usable, and where the plan stands. */
static void add_limits(const struct memory_curve *m, const struct plan *plan, struct plot *plot)
{
    struct plot_series *limit = plot_add(plot, "limit", PLOT_WARN, 0);
    struct plot_series *usable = plot_add(plot, "usable", PLOT_DIM, 0);
    struct plot_series *own = plot_add(plot, "the plan", PLOT_HEADING, 'P');
    char text[48];

    limit->label = 'l';
    usable->label = 'u';
    for (int i = 0; i < m->samples; i++) {
        const struct sweep_point *p = &m->sample[i];

        plot_point(limit, p->x, p->known ? sweep_limit(p) : NAN);
        plot_point(usable, p->x, p->known ? p->usable.value : NAN);
        if (p->x == own_of(plan, m->of) && p->known)
            plot_point(own, p->x, sweep_taken(p));
    }
    if (m->end.fits > 0)
        plot_rule(plot, true, m->end.fits, PLOT_OK, "fits to %s",
                  memory_count(m->of, m->end.fits, text, sizeof(text)));
}

static void write_words(const struct memory_curve *c, const struct plan *plan,
                        char words[CURVE_WORDS])
{
    const struct sweep_end *end = &c->end;
    char fits[48] = "nothing fits for certain", marginal[48] = "", own[48];

    memory_count(c->of, own_of(plan, c->of), own, sizeof(own));
    if (end->marginal > end->fits)
        memory_count(c->of, end->marginal, marginal, sizeof(marginal));
    if (end->fits > 0)
        memory_count(c->of, end->fits, fits, sizeof(fits));
    gp_format(words, CURVE_WORDS, "%s%s%s%s%s; then %s. The plan's %s: %s",
              end->fits > 0 ? "fits to " : "", fits, c->of == SWEEP_CONTEXT ? "" : " at once",
              marginal[0] ? ", marginal to " : "", marginal, limit_words[end->after].end, own,
              verdict_words[plan->verdict].brief);
}

bool memory_curve(struct memory_curve *m, const struct plan *plan, enum sweep of, double low,
                  double high, struct plot *plot, char words[CURVE_WORDS])
{
    struct texts why = {0};

    m->of = of;
    m->samples = 0;
    if (!plan->has_memory) {
        gp_format(words, CURVE_WORDS, "no memory to show: %s", sentence_first_reason(plan, &why));
        texts_fini(&why);
        return false;
    }
    m->end = sweep_end(&plan->request, &plan->layout, of);
    plot->x = (struct plot_axis){.log = true,
                                 .base = 2,
                                 .title = of == SWEEP_CONTEXT ? "tokens of a request (log2)"
                                                              : "users: requests in flight (log2)"};
    set_range(m, plan, plot, low, high);
    take_samples(m, plan, plot);
    plot->y = (struct plot_axis){
        .high = memory_ceiling(m), .bytes = true, .title = "memory of one GPU, bytes"};
    add_stack(m, plot);
    add_limits(m, plan, plot);
    write_words(m, plan, words);
    return true;
}
