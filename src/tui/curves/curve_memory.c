/*
 * curve_memory.c - the plan's memory against context and against users.
 *
 * Lines are stacked: each is the sum of the parts below it, so that the distance of two
 * is a part, and the last one is everything. Where it crosses the limit, requests no
 * longer fit. Every point is a plan of its own (core/sweep.h).
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tui/curves/curves.h"
#include "output/sentence.h"
#include "util/mem.h"
#include "util/str.h"
#include "util/units.h"

#define LEAST_TOKENS 256.0
#define MOST_TOKENS  131072.0 /* shown of a model that names no maximum */
#define MOST_USERS   1024.0   /* shown when users cost nothing */

/* What is stacked, from below. */
static const struct stack {
    const char *name;
    char label;
    enum ink ink;
    size_t offset; /* of its quantity in struct sweep_point */
} stack[] = {
    {"weights", 'a', INK_WEIGHTS, offsetof(struct sweep_point, weights)},
    {"+ activation", 'b', INK_ACTIVATION, offsetof(struct sweep_point, activation)},
    {"+ runtime", 'c', INK_RUNTIME, offsetof(struct sweep_point, runtime)},
    {"+ KV cache", 'd', INK_KV, offsetof(struct sweep_point, kv)},
};
enum { STACK = sizeof(stack) / sizeof(stack[0]) };

static const struct quantity *part_of(const struct sweep_point *p, int k)
{
    return (const struct quantity *)((const char *)p + stack[k].offset);
}

static enum sweep sweep_of(const struct curves *c)
{
    return c->curve == CURVE_CONTEXT ? SWEEP_CONTEXT : SWEEP_USERS;
}

/* "8,192 tokens", "1 user" */
static char *count_text(enum sweep of, double x, char *text, size_t size)
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

static void range_of(struct curves *c, const struct plan *plan, enum sweep of)
{
    double own = own_of(plan, of), most = plan->request.model->max_context;

    if (of == SWEEP_CONTEXT) {
        most = most > 0 ? most : fmax(MOST_TOKENS, curve_ceil2(own));
        curve_range(c, fmin(LEAST_TOKENS, own), fmax(most, own));
        return;
    }
    most = curve_ceil2(fmax(fmax(4 * own, 2 * c->end.marginal), 16));
    curve_range(c, 1, fmin(most, fmax(MOST_USERS, curve_ceil2(4 * own))));
}

static void sample(struct curves *c, const struct plan *plan, enum sweep of)
{
    double x[CURVES_SAMPLES], low = c->plot.x.low, high = c->plot.x.high;
    double wanted[] = {own_of(plan, of), c->end.fits, c->end.marginal};
    int count = sweep_values(&plan->request, of, low, high, x, CURVES_SAMPLES - 3);

    for (int i = 0; i < 3; i++)
        if (wanted[i] >= low && wanted[i] <= high && wanted[i] > 0)
            count = sweep_insert(x, count, CURVES_SAMPLES, wanted[i]);
    free(c->sample);
    c->sample = gp_calloc((size_t)count + 1, sizeof(*c->sample));
    c->samples = count;
    for (int i = 0; i < count; i++)
        sweep_at(&plan->request, &plan->layout, of, x[i], &c->sample[i]);
}

/* ---- series ---- */

/* Up to what is taken, but not so far that the limit is at the bottom; where not even
 * the first point fits, so far that it can be seen. */
static double ceiling(const struct curves *c)
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

static void add_stack(struct curves *c)
{
    struct plot_series *s[STACK], *limit, *usable;

    for (int k = 0; k < STACK; k++) {
        s[k] = plot_add(&c->plot, stack[k].name, stack[k].ink, 0);
        s[k]->label = stack[k].label;
    }
    limit = plot_add(&c->plot, "limit", INK_WARN, 0);
    limit->label = 'l';
    usable = plot_add(&c->plot, "usable", INK_DIM, 0);
    usable->label = 'u';
    for (int i = 0; i < c->samples; i++) {
        const struct sweep_point *p = &c->sample[i];
        double high = p->used;

        for (int k = 0; k < STACK; k++) {
            high += part_of(p, k)->value;
            plot_point(s[k], p->x, p->known ? high : NAN);
        }
        plot_point(limit, p->x, p->known ? sweep_limit(p) : NAN);
        plot_point(usable, p->x, p->known ? p->usable.value : NAN);
    }
}

static void add_marks(struct curves *c, const struct plan *plan, enum sweep of)
{
    struct plot_series *own = plot_add(&c->plot, "the plan", INK_HEADING, 'P'), *end;

    for (int i = 0; i < c->samples; i++)
        if (c->sample[i].x == own_of(plan, of) && c->sample[i].known)
            plot_point(own, c->sample[i].x, sweep_taken(&c->sample[i]));
    if (!(c->end.fits >= c->plot.x.low && c->end.fits <= c->plot.x.high))
        return;
    end = plot_add(&c->plot, "fits to", INK_OK, 0);
    end->label = 'f';
    plot_point(end, c->end.fits, 0);
    plot_point(end, c->end.fits, c->plot.y.high);
}

static void say_words(struct curves *c, const struct plan *plan, enum sweep of)
{
    char fits[48], marginal[64] = "", own[48];
    const char *what = of == SWEEP_CONTEXT ? "" : " at once";

    count_text(of, own_of(plan, of), own, sizeof(own));
    if (c->end.marginal > c->end.fits) {
        count_text(of, c->end.marginal, fits, sizeof(fits));
        gp_format(marginal, sizeof(marginal), ", marginal to %s", fits);
    }
    if (c->end.fits <= 0)
        gp_copy(fits, sizeof(fits), "nothing fits for certain");
    else
        count_text(of, c->end.fits, fits, sizeof(fits));
    gp_format(c->words, sizeof(c->words), "%s%s%s%s; then %s. The plan's %s: %s",
              c->end.fits > 0 ? "fits to " : "", fits, what, marginal,
              limit_word(c->end.after), own, verdict_word(plan->verdict));
}

void curve_fill_memory(struct curves *c, struct form *form)
{
    enum sweep of = sweep_of(c);
    const struct plan *plan = &form->answer->plan;
    char why[SENTENCE_MAX];

    if (!plan->has_memory) {
        gp_format(c->words, sizeof(c->words), "no memory to show: %s",
                  sentence_first_reason(plan, why));
        return;
    }
    c->end = sweep_end(&plan->request, &plan->layout, of);
    range_of(c, plan, of);
    sample(c, plan, of);
    c->plot.y = (struct plot_axis){
        .high = ceiling(c), .bytes = true, .title = "memory of one GPU, bytes"};
    add_stack(c);
    add_marks(c, plan, of);
    c->start = own_of(plan, of);
    say_words(c, plan, of);
}

/* ---- reading ---- */

/* Lines and marks by the names and figures that they have in the plot, and beside them
 * what each adds, what is free, how far it may go. */
static void say_series(struct curves *c, const struct sweep_point *p)
{
    char text[48];

    for (int i = 0; i < c->plot.count; i++) {
        const struct plot_series *s = &c->plot.series[i];
        char sign = s->label ? s->label : s->mark;

        if (s->count == 0)
            continue;
        if (s->label == 'f')
            curve_say(c, sign, s->ink, s->name, "%s",
                      count_text(sweep_of(c), s->x[0], text, sizeof(text)));
        else
            curve_say(c, sign, s->ink, s->name, "%.2f GiB",
                      (s->mark ? s->y[0] : plot_read(&c->plot, s, p->x)) / GP_GIB);
        if (i > 0 && i < STACK)
            curve_more(c, "+%.2f GiB", part_of(p, i)->value / GP_GIB);
        else if (s->label == 'u')
            curve_more(c, "%.2f %s", fabs(p->free.value) / GP_GIB,
                       p->free.value < 0 ? "short" : "free");
        else if (s->label == 'f' && c->end.marginal > c->end.fits)
            curve_more(c, "marginal to %.0f", c->end.marginal);
    }
}

/* A part that is a distance of two lines, with its band. */
static void say_part(struct curves *c, const char *name, const struct quantity *q)
{
    curve_say(c, 0, INK_TEXT, name, "%.2f GiB", q->value / GP_GIB);
    if (q->high - q->low > 0.01 * GP_GIB)
        curve_more(c, "%.2f..%.2f", q->low / GP_GIB, q->high / GP_GIB);
}

void curve_read_memory(struct curves *c, const struct form *form, double x)
{
    enum sweep of = sweep_of(c);
    const struct sweep_point *p = NULL;
    char text[48];

    (void)form;
    for (int i = 0; i < c->samples; i++)
        if (!p || fabs(c->sample[i].x - x) < fabs(p->x - x))
            p = &c->sample[i];
    if (!p || !p->known)
        return;
    gp_format(c->at, sizeof(c->at), "%s: %s%s%s",
              count_text(of, p->x, text, sizeof(text)), verdict_word(p->verdict),
              p->limit != LIMIT_NONE ? ", " : "",
              p->limit != LIMIT_NONE ? limit_word(p->limit) : "");
    say_series(c, p);
    if (p->pool.value > 0)
        curve_say(c, 0, INK_TEXT, "KV pool", "%.2f GiB", p->pool.value / GP_GIB);
    else
        curve_say(c, 0, INK_TEXT, "KV pool", "none");
    if (p->requests > 0 && p->requests < 1e9)
        curve_more(c, "%.1f requests", p->requests);
    for (int k = 1; k < STACK; k++)
        say_part(c, stack[k].name + 2, part_of(p, k));
    say_part(c, "free", &p->free);
    if (p->used > 0)
        curve_say(c, 0, INK_TEXT, "used by others", "%.2f GiB", p->used / GP_GIB);
}
