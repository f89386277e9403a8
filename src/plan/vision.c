/*
 * vision.c - see vision.h for the law.
 */
#include "plan/vision.h"

#include <math.h>

#include "plan/load.h"
#include "plan/terms_list.h"

/* What of a layer's tensors the allocator still has when the widest is made is a reading of
 * the source, not of a log. */
#define PASS_LOW 0.75
#define PASS_HIGH 1.35
#define KEPT_HIGH 1.25

/* Groups of frames of the largest video: whole ones, in a request of full length. */
static double groups_of(const struct model_vision *v, double context)
{
    return fmax(1, fmin(floor(context / v->tokens), v->groups));
}

/* Values of one patch in the widest moment of a layer. */
static double layer_width(const struct model_vision *v, double tp)
{
    double d = v->width, f = v->ff / tp;

    return fmax(2 * d + 8 * d / tp, v->gated ? 5 * d + 3 * f : 2 * d + 2 * f);
}

struct vision vision_estimate(const struct request *q, const struct load *load, int tp)
{
    const struct model_vision *v = &q->model->vision;
    const char *run = q->engine->vision_run;
    double act = q->precision.base->bits / 8;
    struct vision out = {0};

    out.outputs = out.pixels = out.pass = quantity_exact(0);
    if (!load->has_vision || v->width == 0 || run[0] == '\0')
        return out;
    double groups = groups_of(v, q->context);
    out.tokens = groups * v->tokens;
    out.patches = groups * v->patches;
    double budget = fmax(load->max_batched_tokens, out.tokens);
    double prompt = fmax(1, floor(q->context / out.tokens));
    out.items = fmax(1, fmin(floor(budget / out.tokens), load->max_num_seqs * prompt));
    double patches = out.items * out.patches, pixels = patches * v->pixels * act;
    double each =
        engine_lists(run, "padded") ? fmax(load->max_batched_tokens, out.tokens) : out.tokens;
    double outputs = out.items * each * q->model->hidden * (1 + v->deepstack) * act;
    double pass = pixels + patches * layer_width(v, tp) * act;
    double mask = engine_names_family(q->engine->vision_masks, q->model->family)
                      ? patches * patches * act
                      : 0;
    out.outputs = quantity_band(outputs, outputs, KEPT_HIGH * outputs, ORIGIN_MODEL);
    if (!load->second && engine_lists(run, "pixels"))
        out.pixels = quantity_band(pixels, pixels, KEPT_HIGH * pixels, ORIGIN_MODEL);
    out.pass = quantity_band(pass + mask, PASS_LOW * pass, PASS_HIGH * pass + mask, ORIGIN_MODEL);
    return out;
}

/* ---- terms ---- */

static struct term_source source_tower(const struct model *m)
{
    return m->vision.source[0] ? source_text(m->id, m->vision.source) : source_model(m);
}

void vision_terms(struct terms *w, const struct vision *v)
{
    const struct request *q = &w->plan->request;
    const struct engine *e = q->engine;
    const struct model_vision *m = &q->model->vision;
    struct quantity items = quantity_of(v->items, ORIGIN_MODEL);

    know_number(w, "d", m->width, "exact");
    know_number(w, "f", m->ff, "exact");
    know_number(w, "pixels", m->pixels, "exact");
    know_number(w, "deepstack", m->deepstack, "exact");
    know_number(w, "tokens", m->tokens, "exact");
    know_number(w, "patches", m->patches, "exact");
    know_number(w, "groups", m->groups, "exact");
    term_add(w, "activation: vision tokens", "T",
             m->groups > 0 ? "tokens * max(1, min(s/tokens, groups))"
                           : "tokens, as the model's processor makes them",
             quantity_exact(v->tokens), "tokens", source_tower(q->model),
             m->groups > 0 ? "tokens, s, groups" : "tokens");
    term_add(w, "activation: vision patches", "P", "patches * T/tokens", quantity_exact(v->patches),
             "patches", source_tower(q->model), "patches, T, tokens");
    term_add(w, "activation: vision items", "items", "max(1, min(max(c, T)/T, seqs*max(1, s/T)))",
             items, "items", source_engine(e, TERM_VISION), "c, T, seqs, s");
    bool padded = engine_lists(e->vision_run, "padded");
    term_add(w, "activation: encoder cache", "outputs",
             padded ? "items*max(c, T)*h*(1 + deepstack)*a" : "items*T*h*(1 + deepstack)*a",
             v->outputs, "GiB", source_engine(e, TERM_VISION),
             padded ? "items, c, T, h, deepstack, a" : "items, T, h, deepstack, a");
    if (v->pixels.value > 0)
        term_add(w, "activation: vision pixels", "pixel batch", "items*P*pixels*a", v->pixels,
                 "GiB", source_engine(e, TERM_VISION), "items, P, pixels, a");
    term_add(w, "activation: vision tower", "pass",
             m->gated ? "items*P*(pixels + max(2*d + 8*d/tp, 5*d + 3*f/tp))*a [+ mask]"
                      : "items*P*(pixels + max(2*d + 8*d/tp, 2*d + 2*f/tp))*a",
             v->pass, "GiB", source_engine(e, TERM_VISION), "items, P, pixels, d, f, tp, a");
}
