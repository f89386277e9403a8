/*
 * activation.c - see activation.h for the law.
 */
#include "plan/activation.h"

#include <math.h>

#include "plan/draft.h"
#include "plan/kvcache.h"
#include "plan/rules.h"
#include "plan/terms_list.h"

/* Per logit: two rows per request, and an FP32 copy of one (_dummy_sampler_run). */
#define REJECTION_BYTES 8

/* An H100's, where a GPU's profile does not say. */
#define SMS_ASSUMED 132

/* ---- the vision tower ---- */

/* What of a layer's tensors the allocator still has when the widest is made is a reading of
 * the source, not of a log. */
#define PASS_LOW 0.75
#define PASS_HIGH 1.35
#define KEPT_HIGH 1.25

struct vision vision_estimate(const struct request *q, const struct load *load, int tp)
{
    const struct model_vision *v = &q->model->vision;
    const char *run = q->engine->vision_run;
    double act = q->precision.base->bits / 8;
    struct vision out = {0};

    out.outputs = out.pixels = out.pass = quantity_exact(0);
    if (!load->has_vision || v->width == 0 || run[0] == '\0')
        return out;
    /* groups of frames of the largest video: whole ones, in a request of full length */
    double groups = fmax(1, fmin(floor(q->context / v->tokens), v->groups));
    out.tokens = groups * v->tokens;
    out.patches = groups * v->patches;
    double budget = fmax(load->max_batched_tokens, out.tokens);
    double prompt = fmax(1, floor(q->context / out.tokens));
    out.items = fmax(1, fmin(floor(budget / out.tokens), load->max_num_seqs * prompt));
    double patches = out.items * out.patches, pixels = patches * v->pixels * act;
    double each =
        engine_lists(run, "padded") ? fmax(load->max_batched_tokens, out.tokens) : out.tokens;
    double outputs = out.items * each * q->model->hidden * (1 + v->deepstack) * act;
    /* values of one patch in the widest moment of a layer */
    double d = v->width, f = (double)v->ff / tp;
    double width = fmax(2 * d + 8 * d / tp, v->gated ? 5 * d + 3 * f : 2 * d + 2 * f);
    double pass = pixels + patches * width * act;
    double mask = engine_names_family(q->engine->vision_masks, q->model->family)
                      ? patches * patches * act
                      : 0;
    out.outputs = quantity_band(outputs, outputs, KEPT_HIGH * outputs, ORIGIN_MODEL);
    if (!load->second && engine_lists(run, "pixels"))
        out.pixels = quantity_band(pixels, pixels, KEPT_HIGH * pixels, ORIGIN_MODEL);
    out.pass = quantity_band(pass + mask, PASS_LOW * pass, PASS_HIGH * pass + mask, ORIGIN_MODEL);
    return out;
}

/* ---- a step ---- */

/* Two scratch tensors of c*topk rows: after gate and up, and after the product. vLLM
 * shares them over layers but never gives them back. MXFP4 kernels need none. */
static double moe_bytes(const struct request *q, const struct layout *l, double tokens, double act)
{
    double most = 0, h = q->model->hidden;
    double cut = l->ep > l->tp ? 1 : (double)l->tp / l->ep;

    if (q->precision.by_role[ROLE_EXPERT]->math == MATH_FP4)
        return 0;
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];

        if (kind->experts_active == 0)
            continue;
        double width = kind->expert_ff / cut;
        double hidden = kind->latent > 0 ? kind->latent : h;
        most = fmax(most, kind->experts_active * (fmax(2 * width, hidden) + fmax(width, hidden)));
    }
    return tokens * most * act;
}

/* Before the experts of a group of replicas each GPU has the tokens of all of them, and what they
 * made of them where that is not reduced in place. Other ways to exchange them (DeepEP) do not. */
static struct quantity gathered_tokens(const struct request *q, const struct layout *l,
                                       double tokens, double act)
{
    double bytes = layout_ways(l) * tokens * q->model->hidden * act;

    return q->engine->gathers_tokens && layout_ways(l) > 1
               ? quantity_band(bytes, 0, 2 * bytes, ORIGIN_MODEL)
               : quantity_exact(0);
}

/* llama.cpp has steps of 32 tokens and more computed on the GPU: a tensor at a time is
 * copied there, into the compute buffer, whose peak may be at another moment. */
static struct quantity host_copy(const struct load *load, const struct layout *l)
{
    double copy = load->max_batched_tokens >= 32 ? load->host_copy / l->tp : 0;

    return quantity_band(copy, 0, copy, ORIGIN_MODEL);
}

/* Requests whose logits are there at once. */
static double logit_rows(const struct request *q, const struct load *load, const struct layout *l)
{
    double users = ceil(q->users / layout_decoding(l));

    switch (q->engine->logit_rows) {
    case ROWS_USERS:
        return fmin(users, load->max_num_seqs);
    case ROWS_PROMPTS:
        return ceil(load->max_batched_tokens / fmax(q->context - 1, 1));
    case ROWS_SLOTS:
        break;
    }
    return load->max_num_seqs;
}

/* A tower of no known shape, and an engine that nobody read: a constant. */
static void run_tower(const struct request *q, const struct load *load, const struct layout *l,
                      struct activation *a)
{
    a->tower = vision_estimate(q, load, l->tp);
    a->vision = a->tower.items > 0 ? quantity_add(a->tower.outputs, a->tower.pixels)
                : load->has_vision ? q->engine->vision
                                   : quantity_exact(0);
}

/* The rows that top-k works in (topk_topp_triton.py). */
static double sampler_rows(const struct request *q)
{
    return q->gpu->sm_count > 0 ? q->gpu->sm_count : SMS_ASSUMED;
}

static double sampler_buffer(const struct request *q, const struct load *load, double rows)
{
    if (!q->engine->sampler_buffer || load->logit_copies < 3)
        return 0;
    return fmin(rows, sampler_rows(q)) * q->model->vocab * 4;
}

/* llama.cpp: one buffer, of the graph. */
static struct activation graph_activation(const struct request *q, const struct load *load,
                                          const struct layout *l)
{
    struct activation a = {0};
    double users = ceil(q->users / layout_decoding(l));
    double slots = kvcache_slots(q, users);
    double bytes = graph_bytes(q, l->tp, load->max_batched_tokens, users * q->context, slots);
    struct quantity factor = q->engine->compute_graph;

    if (q->draft) { /* a context of its own */
        struct request d = draft_request(q);

        bytes += graph_bytes(&d, l->tp, load->max_batched_tokens, users * q->context, slots);
    }
    a.sampling = a.moe = quantity_exact(0);
    a.forward = quantity_add(quantity_scale(factor, bytes), q->engine->forward_base);
    a.forward.high = fmax(a.forward.high, graph_bytes_of_rows(q, load->max_batched_tokens));
    run_tower(q, load, l, &a);
    a.host = host_copy(load, l);
    a.peak = quantity_add(quantity_add(a.forward, a.vision), a.host);
    return a;
}

/* No logits: the widest layer over a step's prompts, whose outputs a pooler may copy to
 * FP32 (vLLM 0.33 gpu_model_runner.py: _dummy_pooler_run_task). */
static struct activation encoder_activation(const struct request *q, const struct load *load,
                                            const struct layout *l)
{
    struct activation a = {0};
    double tokens = load->max_batched_tokens, act = q->precision.base->bits / 8;
    double h = q->model->hidden, ff = load->mlp_width / l->tp;

    a.sampling = a.moe = a.host = a.vision = quantity_exact(0);
    a.forward =
        quantity_add(quantity_band(tokens * (2 * h + 3 * ff) * act, tokens * (2 * h + 2 * ff) * act,
                                   tokens * ((5 * h + 3 * ff) * act + 4 * h), ORIGIN_MODEL),
                     q->engine->forward_base);
    a.peak = a.forward;
    return a;
}

struct activation activation_estimate(const struct request *q, const struct load *load,
                                      const struct layout *l, bool has_head)
{
    if (model_is_encoder(q->model))
        return encoder_activation(q, load, l);
    if (q->engine->compute_graph.known)
        return graph_activation(q, load, l);
    const struct engine *e = q->engine;
    const struct model *m = q->model;
    double act = q->precision.base->bits / 8, h = m->hidden;
    double tokens = load->max_batched_tokens;
    struct activation a;
    double rows = logit_rows(q, load, l);
    double logits =
        rows * m->vocab * (load->logit_copies * 4 + act) + sampler_buffer(q, load, rows);
    double layer = tokens * (2 * h + 3 * load->mlp_width / l->tp) * act;
    a.sampling = quantity_add(quantity_of(logits + tokens * h * act, ORIGIN_MODEL), e->base);
    a.sampling.low -= rows * m->vocab * 4 * (load->logit_copies - load->logit_copies_low);
    if (q->draft_tokens > 0) /* vLLM: the rejection sampler is run after the other */
        a.sampling.high += rows * m->vocab * REJECTION_BYTES;
    a.forward = quantity_add(quantity_of(layer, ORIGIN_MODEL), e->forward_base);
    a.moe = quantity_of(e->moe_workspace * moe_bytes(q, l, tokens, act), ORIGIN_MODEL);
    a.moe = quantity_add(a.moe, gathered_tokens(q, l, tokens, act));
    run_tower(q, load, l, &a);
    a.peak = a.forward;
    if (has_head && a.sampling.value > a.forward.value)
        a.peak = quantity_band(a.sampling.value, fmax(a.sampling.low, a.forward.low),
                               a.sampling.high, a.sampling.origin);
    a.host = host_copy(load, l);
    a.peak = quantity_add(a.peak, quantity_add(quantity_add(a.moe, a.vision), a.host));
    if (a.tower.items > 0)
        a.peak = quantity_max(a.peak, a.tower.pass);
    return a;
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

    input_number(w, "d", m->width, "exact");
    input_number(w, "f", m->ff, "exact");
    input_number(w, "pixels", m->pixels, "exact");
    input_number(w, "deepstack", m->deepstack, "exact");
    input_number(w, "tokens", m->tokens, "exact");
    input_number(w, "patches", m->patches, "exact");
    input_number(w, "groups", m->groups, "exact");
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

static void add_moe(struct terms *w, struct quantity workspace)
{
    const struct request *q = &w->plan->request;
    const struct layer_kind *k = model_kind_of_role(q->model, ROLE_EXPERT);

    if (!k)
        return;
    input_number(w, "factor", q->engine->moe_workspace, "model");
    input_number(w, "topk", k->experts_active, "exact");
    input_number(w, "mff", k->expert_ff, "exact");
    input_number(w, "latent width in place of h", k->latent, "exact");
    bool fp4 = q->precision.by_role[ROLE_EXPERT]->math == MATH_FP4;
    bool gathers = q->engine->gathers_tokens && layout_ways(&w->plan->layout) > 1;

    input_number(w, "ways", layout_ways(&w->plan->layout), "layout");
    term_add(w, "activation: MoE workspace", "MoE",
             fp4 && gathers ? "ways*c*h*a, none or twice that: the tokens of the group's replicas"
             : fp4          ? "0: FP4 kernels need none"
             : gathers      ? "factor * c*topk*(max(2*mff/t, h) + max(mff/t, h))*a + ways*c*h*a"
                            : "factor * c*topk*(max(2*mff/t, h) + max(mff/t, h))*a",
             workspace, "GiB", source_engine(q->engine, TERM_MOE),
             gathers ? "factor, topk, mff, latent width in place of h, c, h, a, t = tp/ep, "
                       "1 when ep > tp, ways"
                     : "factor, topk, mff, latent width in place of h, c, h, a, t = tp/ep, "
                       "1 when ep > tp");
}

struct equation {
    const char *text, *inputs;
};

static const struct equation sampling_equations[][2] = {
    [ROWS_SLOTS] = {{"seqs*V*(copies*4 + a) + c*h*a + base",
                     "seqs, V, copies, FlashInfer's where installed, c, h, a, base"},
                    {"seqs*V*(copies*4 + a) + min(seqs, SMs)*V*4 + c*h*a + base",
                     "seqs, SMs, V, copies, c, h, a, base"}},
    [ROWS_USERS] = {{"users*V*(copies*4 + a) + c*h*a + base",
                     "users per replica, V, copies, c, h, a, base"}},
    [ROWS_PROMPTS] = {{"ceil(c/(s - 1))*V*(copies*4 + a) + c*h*a + base",
                       "seqs, V, copies, c, h, a, base"}},
};

/* [tower][head] */
static const struct equation peaks[2][2] = {
    {{"forward + MoE + vision + copy", "the forward moment as the larger, no head on this stage"},
     {"max(sampling, forward) + MoE + vision + copy", "the forward moment as the larger"}},
    {{"max(pass, forward + MoE + outputs + pixel batch + copy)",
      "pass, forward, MoE, outputs, pixel batch, copy"},
     {"max(pass, max(sampling, forward) + MoE + outputs + pixel batch + copy)",
      "pass, sampling, forward, MoE, outputs, pixel batch, copy"}},
};

static void add_peak(struct terms *w, const struct activation *a, bool head)
{
    const struct plan *p = w->plan;
    bool sampling = head && a->sampling.value > a->forward.value;
    bool tower = a->tower.items > 0;
    bool pass = tower && a->tower.pass.value >= p->memory.activation.value;
    const struct equation *eq = &peaks[tower][head];

    if (a->moe.value <= 0)
        input_exact(w, "MoE", 0);
    if (a->host.value <= 0)
        input_exact(w, "copy", 0);
    if (a->tower.pixels.value <= 0)
        input_exact(w, "pixel batch", 0);
    enum engine_term term = pass ? TERM_VISION : sampling ? TERM_LOGITS : TERM_FORWARD;
    term_add(w, "activation", "activation", eq->text, p->memory.activation, "GiB",
             source_engine(p->request.engine, term),
             sampling && !tower ? "the sampling moment as the larger" : eq->inputs);
}

void activation_terms(struct terms *w, const struct load *load)
{
    const struct plan *p = w->plan;
    const struct engine *e = p->request.engine;
    bool encoder = model_is_encoder(p->request.model);

    if (e->compute_graph.known && !encoder) {
        const struct memory *m = &w->plan->memory;
        const struct request *q = &w->plan->request;
        struct term_source source = source_engine(q->engine, TERM_FORWARD);

        input_number(w, "cells", m->users * q->context, "request");
        input_number(w, "slots", kvcache_slots(q, m->users), "engine");
        input_number(w, "factor", q->engine->compute_graph.value, "model");
        term_add(w, "activation", "activation",
                 "the graph's buffer: c*(2*cells + max(4*cells + 20*h, 4*widest layer)), or "
                 "c*4*h + slots*4*V",
                 m->activation, "GiB", source,
                 "c, cells, those of windows too, slots, h, V, ff, factor");
        return;
    }
    bool has_head = p->memory.stage == p->layout.pp - 1 && !encoder;
    struct activation a = activation_estimate(&p->request, load, &p->layout, has_head);
    input_number(w, "copies", load->logit_copies, "model");
    input_number(w, "FlashInfer's where installed",
                 load->logit_copies_low < load->logit_copies ? load->logit_copies_low : 0,
                 "engine profile");
    input_bytes(w, "base", e->base);
    input_bytes(w, "forward base", e->forward_base);
    if (has_head) {
        bool buffer = e->logit_rows == ROWS_SLOTS && sampler_buffer(&p->request, load, 1) > 0;
        const struct equation *eq = &sampling_equations[e->logit_rows][buffer];

        input_number(w, "SMs", sampler_rows(&p->request), "gpu");
        term_add(w, "activation: sampling", "sampling", eq->text, a.sampling, "GiB",
                 source_engine(e, TERM_LOGITS), eq->inputs);
    }
    term_add(w, "activation: forward", "forward", "c*(2*h + 3*ff/tp)*a + forward base", a.forward,
             "GiB", source_engine(e, TERM_FORWARD), "c, h, a, ff, tp, forward base");
    add_moe(w, a.moe);
    if (a.tower.items > 0)
        vision_terms(w, &a.tower);
    else if (a.vision.known && a.vision.value > 0)
        term_add(w, "activation: vision", "vision", "a constant of the engine", a.vision, "GiB",
                 source_engine(e, TERM_VISION), "vision");
    if (a.host.value > 0)
        term_add(w, "activation: copy from host memory", "copy",
                 "the largest tensor there / tp, or less at another moment", a.host, "GiB",
                 source_engine(e, TERM_OFFLOAD), "tp");
    add_peak(w, &a, has_head);
}
