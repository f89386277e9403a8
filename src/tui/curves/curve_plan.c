/*
 * curve_plan.c - the curves of the plan: what fills their plots, and what stands at the
 * cursor. The data are answer/{load,memory,roof}_curve.c.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "tui/curves/curves.h"

#define LAYERS 24        /* products of a model at most */
#define SAME_LENGTH 0.05 /* requests whose lengths differ by less are alike */

/* ---- for those who fill and read ---- */

void curve_range(struct curves *c, double low, double high)
{
    const struct curve_view *v = &c->view[c->curve];

    plot_range(&c->plot, v->low, v->high, low, high);
}

void curve_say(struct curves *c, char mark, enum ink ink, const char *name, const char *fmt, ...)
{
    struct curve_reading *r;
    va_list args;

    if (c->readings == CURVES_READINGS)
        return;
    r = &c->reading[c->readings++];
    r->mark = mark;
    r->ink = ink;
    r->more[0] = '\0';
    gp_copy(r->name, sizeof(r->name), name);
    va_start(args, fmt);
    vsnprintf(r->value, sizeof(r->value), fmt, args);
    va_end(args);
    gp_tame(r->value);
}

void curve_more(struct curves *c, const char *fmt, ...)
{
    struct curve_reading *r = c->readings ? &c->reading[c->readings - 1] : NULL;
    va_list args;

    if (!r)
        return;
    va_start(args, fmt);
    vsnprintf(r->more, sizeof(r->more), fmt, args);
    va_end(args);
}

int curve_nearest(const struct plot *plot, const struct plot_series *s, double x)
{
    double at = plot_place(&plot->x, x), least = INFINITY;
    int best = -1;

    for (int i = 0; i < s->count; i++) {
        double far = fabs(plot_place(&plot->x, s->x[i]) - at);

        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

void curve_read_series(struct curves *c, const struct form *form, double x,
                       void (*mark)(struct curves *c, const struct form *form, int series, int i))
{
    for (int i = 0; i < c->plot.count; i++) {
        const struct plot_series *s = &c->plot.series[i];
        double y = s->mark || s->shade ? NAN : plot_read(&c->plot, s, x);

        if (s->mark && s->count > 0)
            mark(c, form, i, curve_nearest(&c->plot, s, x));
        else if (isfinite(y))
            curve_say(c, s->label, plot_ink(s->role), s->name, "%s %s", UNITS_PLAIN(y, 4),
                      plot_unit(&c->plot.y));
    }
}

/* ---- latency, throughput, cost ---- */

static const enum load_kind load_kinds[CURVE_COUNT] = {
    [CURVE_LATENCY] = LOAD_SPEED, [CURVE_THROUGHPUT] = LOAD_TOKENS, [CURVE_COST] = LOAD_COST};

struct load_job {
    struct load_curve curve; /* without points */
    struct load_point point[LOAD_POINTS];
};

static bool load_unit(void *ctx, int i, struct planner *planner)
{
    struct load_job *job = ctx;

    (void)planner;
    load_curve_point(&job->curve, i, &job->point[i]);
    return i + 1 < job->curve.count;
}

static const struct task_ops load_ops = {TASK_SCREEN, load_unit, free};

bool curve_begin_load(struct curves *c, struct form *form, struct worker *worker)
{
    const struct curve_view *v = &c->view[c->curve];
    const struct plan *plan = &form->answer->plan;
    struct texts why = {0};

    if (!plan->has_memory) {
        gp_format(c->words, sizeof(c->words), "no curve: %s", sentence_first_reason(plan, &why));
        texts_fini(&why);
        return false;
    }
    load_curve_begin(load_kinds[c->curve], form->answer, v->low, v->high, &c->load);
    c->measured.count = 0;
    if (c->curve == CURVE_LATENCY && measured_rows_read(form->answer, &c->measured, NULL))
        c->measured.count = 0; /* the answer has said what is wrong with the file */
    c->job = gp_calloc(1, sizeof(*c->job));
    c->job->curve = c->load;
    c->task = task_begin(worker, &load_ops, c->job);
    return true;
}

bool curve_take_load(struct curves *c)
{
    int done = task_done(c->task);
    bool more = true;

    if (done == c->load.done)
        return false;
    while (more && c->load.done < done)
        more = load_curve_take(&c->load, &c->job->point[c->load.done]);
    if (!more)
        task_drop(&c->task);
    return true;
}

/* Times that were measured with requests as long as the plan's. */
static void add_measured(struct curves *c, const struct request *q, const char *what, char mark,
                         enum plot_role role)
{
    struct plot_series *s = NULL;

    for (int i = 0; i < c->measured.count; i++) {
        const struct measured_row *r = &c->measured.row[i];

        if (strcmp(r->what, what) != 0 || fabs(r->prompt - q->prompt) > SAME_LENGTH * q->prompt ||
            fabs(r->output - q->output) > SAME_LENGTH * q->output)
            continue;
        s = s ? s : plot_add(&c->plot, what, role, mark);
        if (!s)
            return;
        gp_format(s->name, sizeof(s->name), "%s measured", what);
        plot_point(s, r->users, r->measured * 1e3);
        c->plot.y.low = fmin(c->plot.y.low, r->measured * 1e3 / 1.1);
        c->plot.y.high = fmax(c->plot.y.high, r->measured * 1e3 * 1.1);
    }
}

void curve_fill_load(struct curves *c, struct form *form)
{
    const struct request *q = &form->answer->plan.request;

    if (load_curve_plot(&c->load, &c->plot, c->words)) {
        add_measured(c, q, "TPOT", '1', PLOT_1);
        add_measured(c, q, "TTFT", '2', PLOT_2);
        c->start = c->load.own;
    } else if (c->load.done < c->load.count)
        gp_copy(c->words, sizeof(c->words), "planning ...");
}

static void read_time(struct curves *c, char mark, enum ink ink, const char *name,
                      const struct quantity *q)
{
    if (!q->known)
        return;
    curve_say(c, mark, ink, name, "%s ms", UNITS_PLAIN(q->value * 1e3, 4));
    curve_more(c, "%s..%s", UNITS_PLAIN(q->low * 1e3, 4), UNITS_PLAIN(q->high * 1e3, 4));
}

static void read_money(struct curves *c, char mark, const char *name, const struct quantity *q)
{
    char money[32];

    if (!q->known)
        return;
    curve_say(c, mark, mark ? plot_ink(PLOT_3) : INK_TEXT, name, "%s",
              units_money(money, sizeof(money), q->value));
    if (q->high > q->low)
        curve_more(c, "%.2f..%.2f", q->low, q->high);
}

/* Every point is a plan: what it says of itself. */
void curve_read_load(struct curves *c, const struct form *form, double x)
{
    const struct load_point *p = load_curve_at(&c->load, x);
    char text[48];

    (void)form;
    if (!p)
        return;
    gp_format(c->at, sizeof(c->at), "%s: %s%s%s",
              memory_count(SWEEP_USERS, p->users, text, sizeof(text)),
              verdict_words[p->verdict].brief, p->limit != LIMIT_NONE ? ", " : "",
              p->limit != LIMIT_NONE ? limit_word(p->limit) : "");
    if (p->gpus)
        curve_say(c, 0, INK_TEXT, "GPUs", "%d", p->gpus);
    read_time(c, c->curve == CURVE_LATENCY ? 't' : 0, plot_ink(PLOT_1), "TPOT", &p->tpot);
    read_time(c, c->curve == CURVE_LATENCY ? 'f' : 0, plot_ink(PLOT_2), "TTFT", &p->ttft);
    if (p->tokens.known) {
        bool shown = c->curve == CURVE_THROUGHPUT;

        curve_say(c, shown ? 'o' : 0, shown ? plot_ink(PLOT_1) : INK_TEXT, "output", "%.0f tok/s",
                  p->tokens.value);
        curve_more(c, "%.0f..%.0f", p->tokens.low, p->tokens.high);
    }
    read_money(c, c->curve == CURVE_COST ? 'm' : 0, "$/M tok", &p->million);
    read_money(c, 0, "$ an hour", &p->per_hour);
    for (int i = 0; i < c->plot.count; i++) {
        const struct plot_series *s = &c->plot.series[i];
        int k = isdigit((unsigned char)s->mark) ? curve_nearest(&c->plot, s, x) : -1;

        if (k < 0)
            continue;
        curve_say(c, s->mark, plot_ink(s->role), s->name, "%s ms", UNITS_PLAIN(s->y[k], 4));
        curve_more(c, "at %.0f users", s->x[k]);
    }
}

/* ---- memory ---- */

void curve_fill_memory(struct curves *c, struct form *form)
{
    const struct plan *plan = &form->answer->plan;
    const struct curve_view *v = &c->view[CURVE_MEMORY];

    if (memory_curve(&c->memory, plan, c->sweep, v->low, v->high, &c->plot, c->words))
        c->start = c->sweep == SWEEP_CONTEXT ? plan->request.context : plan->request.users;
}

/* Lines and marks by the names and figures that they have in the plot, and beside them
 * what each adds, what is free, how far it may go. */
static void read_memory_series(struct curves *c, const struct sweep_point *p)
{
    char text[48];

    for (int i = 0; i < c->plot.count; i++) {
        const struct plot_series *s = &c->plot.series[i];
        char sign = s->label ? s->label : s->mark;

        if (s->count == 0 || s->shade)
            continue;
        curve_say(c, sign, plot_ink(s->role), s->name, "%.2f GiB",
                  (s->mark ? s->y[0] : plot_read(&c->plot, s, p->x)) / GP_GIB);
        if (sign > 'a' && sign < 'a' + MEMORY_STACK)
            curve_more(c, "+%.2f GiB", memory_part(p, sign - 'a')->value / GP_GIB);
        else if (s->label == 'u')
            curve_more(c, "%.2f %s", fabs(p->free.value) / GP_GIB,
                       p->free.value < 0 ? "short" : "free");
    }
    if (!(c->memory.end.fits > 0))
        return;
    curve_say(c, ':', INK_OK, "fits to", "%s",
              memory_count(c->memory.of, c->memory.end.fits, text, sizeof(text)));
    if (c->memory.end.marginal > c->memory.end.fits)
        curve_more(c, "marginal to %.0f", c->memory.end.marginal);
}

void curve_read_memory(struct curves *c, const struct form *form, double x)
{
    const struct sweep_point *p = NULL;
    char text[48];

    (void)form;
    for (int i = 0; i < c->memory.samples; i++)
        if (!p || fabs(c->memory.sample[i].x - x) < fabs(p->x - x))
            p = &c->memory.sample[i];
    if (!p || !p->known)
        return;
    gp_format(c->at, sizeof(c->at), "%s: %s%s%s",
              memory_count(c->memory.of, p->x, text, sizeof(text)), verdict_words[p->verdict].brief,
              p->limit != LIMIT_NONE ? ", " : "",
              p->limit != LIMIT_NONE ? limit_word(p->limit) : "");
    read_memory_series(c, p);
    if (p->pool.value > 0)
        curve_say(c, 0, INK_TEXT, "KV pool", "%.2f GiB", p->pool.value / GP_GIB);
    else
        curve_say(c, 0, INK_TEXT, "KV pool", "none");
    if (p->requests > 0 && p->requests < 1e9)
        curve_more(c, "%.1f requests", p->requests);
    for (int k = 1; k <= MEMORY_STACK; k++) { /* parts that are a distance of two lines */
        const struct quantity *q = k < MEMORY_STACK ? memory_part(p, k) : &p->free;

        curve_say(c, 0, INK_TEXT, k < MEMORY_STACK ? memory_stack[k].name + 2 : "free", "%.2f GiB",
                  q->value / GP_GIB);
        if (q->high - q->low > 0.01 * GP_GIB)
            curve_more(c, "%.2f..%.2f", q->low / GP_GIB, q->high / GP_GIB);
    }
    if (p->used > 0)
        curve_say(c, 0, INK_TEXT, "used by others", "%.2f GiB", p->used / GP_GIB);
}

/* ---- roofline ---- */

void curve_fill_roofline(struct curves *c, struct form *form)
{
    const struct curve_view *v = &c->view[CURVE_ROOFLINE];

    if (c->set > 0) {
        curve_fill_measured(c, form);
        return;
    }
    if (!roof_curve(&c->roof, &form->answer->plan, v->low, v->high, &c->plot, c->words))
        return;
    c->start = c->roof.start;
    gp_copy(c->title, sizeof(c->title), c->plot.title);
}

/* A mark is a product, in the order of the plan's layers. */
static void read_product(struct curves *c, const struct form *form, int series, int i)
{
    const struct plot_series *s = &c->plot.series[series];
    const struct plan *plan = &form->answer->plan;
    const struct model *model = plan->request.model;
    struct products_layer layer[LAYERS];

    products_layers(model, &plan->layout, layer, LAYERS);
    curve_say(c, s->mark, plot_ink(s->role), s->name, "%s %s %s", layer[i].name,
              UNITS_PLAIN(s->y[i], 4), plot_unit(&c->plot.y));
    curve_more(c, "%.0fx%.0fx%.0f, %s FLOP/B", (double)layer[i].m,
               roof_curve_tokens(model, &layer[i], c->roof.batch[series]), (double)layer[i].k,
               UNITS_PLAIN(s->x[i], 3));
}

void curve_read_roofline(struct curves *c, const struct form *form, double x)
{
    if (c->set > 0) {
        curve_read_measured(c, form, x);
        return;
    }
    gp_format(c->at, sizeof(c->at), "%s FLOP/B: %s", UNITS_PLAIN(x, 4),
              x == c->start  ? "the ridge"
              : x < c->start ? "memory bound"
                             : "arithmetic bound");
    curve_read_series(c, form, x, read_product);
}
