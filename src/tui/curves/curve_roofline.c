/*
 * curve_roofline.c - the roofline of the plan's GPU, and the plan's matrix products on
 * it.
 *
 *   attainable = min(rate, intensity * bandwidth),  intensity = operations / bytes
 *   ridge = rate / bandwidth: the intensity at which the two are equal
 *
 * The products are those of one layer of each kind as one GPU holds them
 * (run/points.h), for one token, for the users' tokens at once, for 64, and for a whole
 * prompt. A product of m x k weights with n tokens does 2mnk operations and moves
 *
 *   weights as stored + n*k activations in the type of the arithmetic + m*n results
 *
 * Weight-only formats are read in their few bits and computed in 16. An expert gets its
 * share of the tokens, n * active / experts, but at least one. Attention over the KV
 * cache is none of these products. The roof is a bound; a mark is what the law of speed
 * (core/speed/gemm.h) predicts, which lies below it: one that does not is said to.
 *
 * Example: H100 SXM in FP8, 1979 TFLOP/s over 3.35 TB/s: ridge 591 FLOP per byte; one
 * token does 2 FLOP per byte of weights.
 */
#include <math.h>
#include <string.h>

#include "core/roofline.h"
#include "core/speed/step.h"
#include "output/sentence.h"
#include "run/points.h"
#include "tui/curves/curves.h"
#include "util/str.h"
#include "util/units.h"

#define LAYERS 24 /* products of a model at most */

/* The type in which this GPU computes with weights of that format: its own, else the 16
 * bit of the activations, else FP16. */
static enum format_math math_of(const struct request *q, const struct format *f)
{
    const enum format_math tries[] = {f->math, q->precision.base->math, MATH_FP16};

    for (int i = 0; i < 3; i++)
        if (!q->gpu->rate[tries[i]].known || q->gpu->rate[tries[i]].value > 0)
            return tries[i];
    return f->math;
}

static double operand_bytes(enum format_math math)
{
    switch (math) {
    case MATH_FP32:
    case MATH_TF32:
        return 4;
    case MATH_FP8:
    case MATH_INT8:
        return 1;
    case MATH_FP4:
    case MATH_INT4:
        return 0.5;
    default:
        return 2;
    }
}

static double stored_bytes(const struct request *q, const struct format *f, double m,
                           double k, bool head)
{
    struct format copy = *f;

    if (f->mix)
        copy.bits = head ? f->output_bits : format_core_bits(f, model_params(q->model));
    return format_bytes(&copy, m, k);
}

/* ---- points ---- */

struct work {
    double intensity, rate; /* FLOP per byte; FLOP/s that the law of speed predicts */
    enum roof_bound bound;  /* of the sheet */
    bool above;             /* faster than the sheet allows */
};

static struct work work_of(const struct request *q, const struct points_layer *layer,
                           double n)
{
    const struct format *f = q->precision.by_role[layer->role];
    enum format_math math = math_of(q, f);
    struct roof roof = roof_of_gpu(q->gpu, math, false);
    double m = (double)layer->m, k = (double)layer->k;
    double operations = 2 * m * n * k;
    double bytes = stored_bytes(q, f, m, k, layer->role == ROLE_HEAD) +
                   n * k * operand_bytes(math) + m * n * q->precision.base->bits / 8;
    struct roofline line = roofline_work(&roof, operations, bytes);
    double time = step_product_time(
        q, f, m, k, stored_bytes(q, f, m, k, layer->role == ROLE_HEAD) / (m * k), n);

    return (struct work){operations / bytes, time > 0 ? operations / time : NAN,
                         line.bound,
                         line.time.known && time > 0 && time < line.time.value};
}

/* Tokens that one expert sees of n. */
static double tokens_of(const struct model *model, const struct points_layer *layer,
                        double n)
{
    for (int k = 0; k < model->kind_count && layer->role == ROLE_EXPERT; k++)
        if (model->kind[k].experts > 0)
            return fmax(1, n * model->kind[k].experts_active / model->kind[k].experts);
    return n;
}

struct tally {
    int memory, above, all;
};

static struct tally add_batch(struct curves *c, const struct plan *plan,
                              const char *name, double n, double unit)
{
    const struct request *q = &plan->request;
    struct points_layer layer[LAYERS];
    int count = points_layers(q->model, &plan->layout, layer, LAYERS), mark = 0;
    struct plot_series *s;
    struct tally tally = {0};

    for (int i = 0; i < c->plot.count; i++)
        mark += c->plot.series[i].mark != 0;
    c->batch[c->plot.count] = n;
    s = plot_add(&c->plot, name, plot_role(mark), (char)('1' + mark));
    for (int i = 0; i < count; i++) {
        struct work w =
            work_of(q, &layer[i], tokens_of(q->model, &layer[i], n));

        plot_point(s, w.intensity, w.rate / unit);
        tally.memory += w.bound == ROOF_MEMORY;
        tally.above += w.above;
        tally.all++;
    }
    return tally;
}

/* "memory bound", or how many products are. */
static void tally_text(struct tally t, char *text, size_t size)
{
    if (t.memory == t.all || t.memory == 0)
        gp_format(text, size, "%s bound", t.memory ? "memory" : "arithmetic");
    else
        gp_format(text, size, "memory bound in %d of %d products", t.memory, t.all);
}

/* ---- roofs ---- */

static bool known(struct quantity q)
{
    return q.known && q.value > 0;
}

static void add_roof(struct curves *c, const struct gpu *gpu, enum format_math math,
                     char label, double unit)
{
    struct roof roof = roof_of_gpu(gpu, math, false);
    char name[64];

    gp_format(name, sizeof(name), "%s roof%s", format_math_word(math),
              known(roof.rate) ? "" : " (no rate known)");
    curve_roof(c, name, label == 'a' ? PLOT_TEXT : PLOT_DIM, label, roof, unit);
}

/* The 16-bit type too, where some products are computed in it. */
static void add_roofs(struct curves *c, const struct request *q, double unit)
{
    enum format_math math = math_of(q, q->precision.weight);
    enum format_math base = math_of(q, q->precision.base);

    add_roof(c, q->gpu, math, 'a', unit);
    if (base != math && known(q->gpu->rate[base]))
        add_roof(c, q->gpu, base, 'b', unit);
}

/* ---- the curve ---- */

/* Returns the unit of the rates. */
static double set_axes(struct curves *c, double ridge, double rate, double bandwidth,
                       bool whole)
{
    double peak = rate;

    curve_range(c, 1, curve_ceil2(fmax(8 * ridge, 2048)));
    if (!(peak > 0))
        peak = bandwidth * c->plot.x.high;
    return curve_rates(c, bandwidth > 0 ? fmin(c->plot.x.low * bandwidth, peak / 16)
                                        : peak / 64,
                       peak * 1.2, rate, whole);
}

/* The users of one replica decode together. */
static void say_words(struct curves *c, const struct plan *plan, double ridge,
                      struct tally decode, struct tally prefill, double users)
{
    char text[64], own[64], tokens[32];
    bool estimate = plan->request.gpu->confidence[0] == 'l';

    tally_text(decode, own, sizeof(own));
    tally_text(prefill, text, sizeof(text));
    if (ridge > 0)
        gp_format(c->words, sizeof(c->words),
                  "ridge %.0f FLOP/B%s; decode at %.0f user%s is %s, prefill of %s "
                  "tokens %s",
                  ridge, estimate ? " (figures of low confidence)" : "", users,
                  users == 1 ? "" : "s", own,
                  units_tokens(tokens, sizeof(tokens), plan->request.prompt), text);
    else
        gp_format(c->words, sizeof(c->words),
                  "no ridge: the sheet of %s lacks a rate or a bandwidth",
                  plan->request.gpu->id);
}

/* The law is fitted to what was measured: a sheet may promise less than a GPU gives. */
static void say_above(struct curves *c, int above)
{
    size_t used = strlen(c->words);

    if (above > 0)
        gp_format(c->words + used, sizeof(c->words) - used,
                  "; %d product%s above the sheet's roof", above, above == 1 ? "" : "s");
}

static void add_batches(struct curves *c, const struct plan *plan, double ridge,
                        double unit)
{
    double users = fmax(1, ceil(plan->memory.users));
    double batch[] = {1, users, 64};
    struct tally own = {0}, prefill, above = {0};
    char name[64], tokens[32];

    for (int i = 0; i < 3; i++) {
        struct tally t;

        if ((i == 1 && users == 1) || (i == 2 && users == 64))
            continue;
        gp_format(name, sizeof(name), "decode b=%.0f", batch[i]);
        t = add_batch(c, plan, name, batch[i], unit);
        above.above += t.above;
        if (batch[i] == users)
            own = t;
    }
    gp_format(name, sizeof(name), "prefill %s",
              units_tokens(tokens, sizeof(tokens), plan->request.prompt));
    prefill = add_batch(c, plan, name, plan->request.prompt, unit);
    say_words(c, plan, ridge, own, prefill, users);
    say_above(c, above.above + prefill.above);
}

void curve_fill_roofline(struct curves *c, struct form *form)
{
    const struct plan *plan = &form->answer->plan;
    const struct request *q = &plan->request;
    enum format_math math = math_of(q, q->precision.weight);
    struct roof roof = roof_of_gpu(q->gpu, math, false);
    double rate = known(roof.rate) ? roof.rate.value : 0;
    double bandwidth = known(roof.bandwidth) ? roof.bandwidth.value : 0;
    double ridge = rate > 0 && bandwidth > 0 ? rate / bandwidth : 0;
    char why[SENTENCE_MAX];
    double unit;

    if (rate <= 0 && bandwidth <= 0) {
        gp_format(c->words, sizeof(c->words),
                  "no roofline: the sheet of %s has neither rate nor bandwidth",
                  q->gpu->id);
        return;
    }
    if (!plan->has_memory) {
        gp_format(c->words, sizeof(c->words), "no products to show: %s",
                  sentence_first_reason(plan, why));
        return;
    }
    unit = set_axes(c, ridge, rate, bandwidth, math == MATH_INT8 || math == MATH_INT4);
    add_roofs(c, q, unit);
    add_batches(c, plan, ridge, unit);
    c->start = ridge > 0 ? ridge : 64;
    gp_format(c->title, sizeof(c->title), "Roofline  %s %s (dense)", q->gpu->id,
              format_math_word(math));
}

/* ---- by batch ---- */

#define MOST_BATCH 8192.0

static void add_layer(struct curves *c, const struct plan *plan,
                      const struct points_layer *layer, int i, double unit)
{
    const struct request *q = &plan->request;
    struct plot_series *s = plot_add(&c->plot, layer->name, plot_role(i), 0);

    if (!s)
        return;
    s->label = (char)('a' + i);
    for (double n = 1; n <= MOST_BATCH; n *= 2)
        plot_point(s, n, work_of(q, layer, tokens_of(q->model, layer, n)).rate / unit);
}

void curve_fill_predicted(struct curves *c, struct form *form)
{
    const struct plan *plan = &form->answer->plan;
    struct points_layer layer[LAYERS];
    double low = INFINITY, high = 0, unit;
    int count = plan->has_memory
                    ? points_layers(plan->request.model, &plan->layout, layer, LAYERS)
                    : 0;

    for (int i = 0; i < count; i++) {
        double n = tokens_of(plan->request.model, &layer[i], MOST_BATCH);

        low = fmin(low, work_of(&plan->request, &layer[i], 1).rate);
        high = fmax(high, work_of(&plan->request, &layer[i], n).rate);
    }
    gp_copy(c->words, sizeof(c->words),
            high > 0 ? "predicted only, nothing is measured: 4 measures this machine, o "
                       "opens a result file"
                     : "nothing measured yet: o opens a result file, 4 measures this "
                       "machine");
    if (!(high > 0))
        return;
    curve_range(c, 1, MOST_BATCH);
    unit = curve_rates(c, low, high * 1.1, high, false);
    for (int i = 0; i < count && i < 8; i++)
        add_layer(c, plan, &layer[i], i, unit);
    c->start = 1;
}

/* ---- reading ---- */

/* A mark is a product, in the order of the plan's layers. */
static void say_product(struct curves *c, const struct form *form, int series, int i)
{
    const struct plot_series *s = &c->plot.series[series];
    const struct plan *plan = &form->answer->plan;
    const struct model *model = plan->request.model;
    struct points_layer layer[LAYERS];

    points_layers(model, &plan->layout, layer, LAYERS);
    curve_say(c, s->mark, plot_ink(s->role), s->name, "%s %s %s", layer[i].name,
              UNITS_PLAIN(s->y[i], 4), plot_unit(&c->plot.y));
    curve_more(c, "%.0fx%.0fx%.0f, %s FLOP/B", (double)layer[i].m,
               tokens_of(model, &layer[i], c->batch[series]), (double)layer[i].k,
               UNITS_PLAIN(s->x[i], 3));
}

void curve_read_roofline(struct curves *c, const struct form *form, double x)
{
    gp_format(c->at, sizeof(c->at), "%s FLOP/B: %s", UNITS_PLAIN(x, 4),
              x == c->start  ? "the ridge"
              : x < c->start ? "memory bound"
                             : "arithmetic bound");
    curve_read_series(c, form, x, say_product);
}
