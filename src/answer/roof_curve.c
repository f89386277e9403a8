/*
 * roof_curve.c - see roof_curve.h.
 */
#include "answer/roof_curve.h"

#include <math.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/products.h"
#include "plan/speed/step.h"

#define LAYERS 24 /* products of a model at most */

/* ---- axes and lines ---- */

double roof_curve_floor2(double value)
{
    return value > 0 && isfinite(value) ? exp2(floor(log2(value) + 1e-9)) : 1;
}

double roof_curve_ceil2(double value)
{
    return value > 0 && isfinite(value) ? exp2(ceil(log2(value) - 1e-9)) : 1;
}

double roof_curve_rates(struct plot *plot, double low, double high, double most, bool whole)
{
    bool giga = most > 0 && most < 1e12;
    double unit = giga ? 1e9 : 1e12;

    plot->y = (struct plot_axis){.low = roof_curve_floor2(low / unit),
                                 .high = roof_curve_ceil2(high / unit),
                                 .log = true,
                                 .base = 2,
                                 .unit = whole  ? (giga ? "GOP/s" : "TOP/s")
                                         : giga ? "GFLOP/s"
                                                : "TFLOP/s"};
    plot->y.title = plot->y.unit;
    return unit;
}

void roof_curve_line(struct plot *plot, const char *name, enum plot_role role, char label,
                     struct roof roof, double unit)
{
    bool flat = roof.rate.known && roof.rate.value > 0;
    bool slope = roof.bandwidth.known && roof.bandwidth.value > 0;
    double rate = flat ? roof.rate.value : INFINITY;
    double bandwidth = slope ? roof.bandwidth.value : INFINITY;
    double low = plot->x.low, high = plot->x.high, ridge = rate / bandwidth;
    struct plot_series *s = flat || slope ? plot_add(plot, name, role, 0) : NULL;

    if (!s)
        return;
    s->label = label;
    plot_point(s, low, fmin(rate, low * bandwidth) / unit);
    if (ridge > low && ridge < high)
        plot_point(s, ridge, rate / unit);
    plot_point(s, high, fmin(rate, high * bandwidth) / unit);
}

/* ---- points ---- */

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

static double stored_bytes(const struct request *q, const struct format *f, double m, double k,
                           bool head)
{
    struct format copy = *f;

    if (f->mix)
        copy.bits = head ? f->output_bits : format_core_bits(f, model_params(q->model));
    return format_bytes(&copy, m, k);
}

struct work {
    double intensity, rate; /* FLOP per byte; FLOP/s that the law of speed predicts */
    enum roof_bound bound;  /* of the sheet */
    bool above;             /* faster than the sheet allows */
};

static struct work work_of(const struct request *q, const struct products_layer *layer, double n)
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

    return (struct work){operations / bytes, time > 0 ? operations / time : NAN, line.bound,
                         line.time.known && time > 0 && time < line.time.value};
}

double roof_curve_tokens(const struct model *model, const struct products_layer *layer, double n)
{
    for (int k = 0; k < model->kind_count && layer->role == ROLE_EXPERT; k++)
        if (model->kind[k].experts > 0)
            return fmax(1, n * model->kind[k].experts_active / model->kind[k].experts);
    return n;
}

struct tally {
    int memory, above, all;
};

static struct tally add_batch(struct roof_curve *c, const struct plan *plan, const char *name,
                              double n, double unit, struct plot *plot)
{
    const struct request *q = &plan->request;
    struct products_layer layer[LAYERS];
    int count = products_layers(q->model, &plan->layout, layer, LAYERS), mark = 0;
    struct plot_series *s;
    struct tally tally = {0};

    for (int i = 0; i < plot->count; i++)
        mark += plot->series[i].mark != 0;
    c->batch[plot->count] = n;
    s = plot_add(plot, name, plot_role(mark), (char)('1' + mark));
    for (int i = 0; i < count; i++) {
        struct work w = work_of(q, &layer[i], roof_curve_tokens(q->model, &layer[i], n));

        plot_point(s, w.intensity, w.rate / unit);
        tally.memory += w.bound == ROOF_MEMORY;
        tally.above += w.above;
        tally.all++;
    }
    return tally;
}

/* "memory bound", or how many products are. */
static const char *tally_text(struct tally tally, struct texts *t)
{
    if (tally.memory == tally.all || tally.memory == 0)
        return tally.memory ? "memory bound" : "arithmetic bound";
    return texts_addf(t, "memory bound in %d of %d products", tally.memory, tally.all);
}

/* ---- the curve ---- */

static bool is_positive(struct quantity q)
{
    return q.known && q.value > 0;
}

static void add_roof(struct plot *plot, const struct gpu *gpu, enum format_math math, char label,
                     double unit)
{
    struct roof roof = roof_of_gpu(gpu, math, false);
    char name[64];

    gp_format(name, sizeof(name), "%s roof%s", format_math_word(math),
              is_positive(roof.rate) ? "" : " (no rate known)");
    roof_curve_line(plot, name, label == 'a' ? PLOT_TEXT : PLOT_DIM, label, roof, unit);
}

/* Returns the unit of the rates. */
static double set_axes(struct plot *plot, double low, double high, struct roof *roof, double ridge,
                       bool whole)
{
    double rate = is_positive(roof->rate) ? roof->rate.value : 0;
    double bandwidth = is_positive(roof->bandwidth) ? roof->bandwidth.value : 0;
    double peak = rate;

    plot->x = (struct plot_axis){
        .log = true, .base = 2, .title = "intensity, FLOP per byte of memory (log2)"};
    plot_range(plot, low, high, 1, roof_curve_ceil2(fmax(8 * ridge, 2048)));
    if (!(peak > 0))
        peak = bandwidth * plot->x.high;
    return roof_curve_rates(plot,
                            bandwidth > 0 ? fmin(plot->x.low * bandwidth, peak / 16) : peak / 64,
                            peak * 1.2, rate, whole);
}

/* The products of decode steps of one user, of the users of a replica and of 64, and of a
 * prompt; and what there is to say of them. */
static void add_batches(struct roof_curve *c, const struct plan *plan, double ridge, double unit,
                        struct plot *plot, char words[CURVE_WORDS])
{
    const struct request *q = &plan->request;
    double users = fmax(1, ceil(plan->memory.users));
    double batch[] = {1, users, 64};
    struct tally own = {0}, prefill;
    struct texts t = {0};
    int above = 0;

    for (int i = 0; i < 3; i++) {
        struct tally decode;

        if ((i == 1 && users == 1) || (i == 2 && users == 64))
            continue;
        decode =
            add_batch(c, plan, texts_addf(&t, "decode b=%.0f", batch[i]), batch[i], unit, plot);
        above += decode.above;
        if (batch[i] == users)
            own = decode;
    }
    prefill = add_batch(c, plan, texts_addf(&t, "prefill %s", UNITS_TOKENS(q->prompt)), q->prompt,
                        unit, plot);
    above += prefill.above;
    if (ridge > 0)
        gp_format(words, CURVE_WORDS,
                  "ridge %.0f FLOP/B%s; decode at %.0f user%s is %s, prefill of %s tokens %s",
                  ridge, q->gpu->confidence[0] == 'l' ? " (figures of low confidence)" : "", users,
                  users == 1 ? "" : "s", tally_text(own, &t), UNITS_TOKENS(q->prompt),
                  tally_text(prefill, &t));
    else
        gp_format(words, CURVE_WORDS, "no ridge: the sheet of %s lacks a rate or a bandwidth",
                  q->gpu->id);
    if (above > 0) /* the law is fitted to what was measured: a sheet may promise less */
        gp_append(words, CURVE_WORDS, "; ", "%d product%s above the sheet's roof", above,
                  above == 1 ? "" : "s");
    texts_fini(&t);
}

bool roof_curve(struct roof_curve *c, const struct plan *plan, double low, double high,
                struct plot *plot, char words[CURVE_WORDS])
{
    const struct request *q = &plan->request;
    enum format_math math = math_of(q, q->precision.weight);
    enum format_math base = math_of(q, q->precision.base);
    struct roof roof = roof_of_gpu(q->gpu, math, false);
    bool both = is_positive(roof.rate) && is_positive(roof.bandwidth);
    double ridge = both ? roof.rate.value / roof.bandwidth.value : 0;
    struct texts why = {0};
    double unit;

    if (!is_positive(roof.rate) && !is_positive(roof.bandwidth)) {
        gp_format(words, CURVE_WORDS, "no roofline: the sheet of %s has neither rate nor bandwidth",
                  q->gpu->id);
        return false;
    }
    if (!plan->has_memory) {
        gp_format(words, CURVE_WORDS, "no products to show: %s", sentence_first_reason(plan, &why));
        texts_fini(&why);
        return false;
    }
    unit = set_axes(plot, low, high, &roof, ridge, math == MATH_INT8 || math == MATH_INT4);
    add_roof(plot, q->gpu, math, 'a', unit);
    if (base != math && is_positive(q->gpu->rate[base])) /* some products are computed in it */
        add_roof(plot, q->gpu, base, 'b', unit);
    add_batches(c, plan, ridge, unit, plot, words);
    c->start = ridge > 0 ? ridge : 64;
    gp_format(plot->title, sizeof(plot->title), "Roofline  %s %s (dense)", q->gpu->id,
              format_math_word(math));
    return true;
}

/* ---- by batch ---- */

#define MOST_BATCH 8192.0

bool roof_curve_by_batch(const struct plan *plan, double low_x, double high_x, struct plot *plot)
{
    struct products_layer layer[LAYERS];
    double low = INFINITY, high = 0, unit;
    int count =
        plan->has_memory ? products_layers(plan->request.model, &plan->layout, layer, LAYERS) : 0;

    for (int i = 0; i < count; i++) {
        double n = roof_curve_tokens(plan->request.model, &layer[i], MOST_BATCH);

        low = fmin(low, work_of(&plan->request, &layer[i], 1).rate);
        high = fmax(high, work_of(&plan->request, &layer[i], n).rate);
    }
    if (!(high > 0))
        return false;
    plot->x = (struct plot_axis){.log = true, .base = 2, .title = "batch: tokens at once (log2)"};
    plot_range(plot, low_x, high_x, 1, MOST_BATCH);
    unit = roof_curve_rates(plot, low, high * 1.1, high, false);
    for (int i = 0; i < count && i < 8; i++) {
        struct plot_series *s = plot_add(plot, layer[i].name, plot_role(i), 0);

        if (!s)
            break;
        s->label = (char)('a' + i);
        for (double n = 1; n <= MOST_BATCH; n *= 2) {
            double tokens = roof_curve_tokens(plan->request.model, &layer[i], n);

            plot_point(s, n, work_of(&plan->request, &layer[i], tokens).rate / unit);
        }
    }
    return true;
}
