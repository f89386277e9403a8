/*
 * activation.c - see activation.h for the law.
 */
#include "core/activation.h"

#include <math.h>

#include "core/draft.h"
#include "core/graph.h"
#include "core/kvcache.h"
#include "core/terms_list.h"

/* Per logit: two rows per request, and an FP32 copy of one (_dummy_sampler_run). */
#define REJECTION_BYTES 8

/* Two scratch tensors of c*topk rows: after gate and up, and after the product. vLLM
 * shares them over layers but never gives them back. MXFP4 kernels need none. */
static double moe_bytes(const struct request *q, const struct layout *l, double tokens,
                        double act)
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
        most = fmax(most, kind->experts_active *
                              (fmax(2 * width, hidden) + fmax(width, hidden)));
    }
    return tokens * most * act;
}

/* llama.cpp has steps of 32 tokens and more computed on the GPU: a tensor at a time is
 * copied there, into the compute buffer, whose peak may be at another moment. */
static struct quantity host_copy(const struct load *load, const struct layout *l)
{
    double copy = load->max_batched_tokens >= 32 ? load->host_copy / l->tp : 0;
    return quantity_band(copy, 0, copy, ORIGIN_MODEL);
}

/* Requests whose logits are there at once. */
static double logit_rows(const struct request *q, const struct load *load,
                         const struct layout *l)
{
    double users = ceil(q->users / l->replicas);
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

/* llama.cpp: one buffer, of the graph. */
static struct activation graph_activation(const struct request *q, const struct load *load,
                                          const struct layout *l)
{
    struct activation a = {0};
    double users = ceil(q->users / l->replicas);
    double slots = kvcache_slots(q, users);
    double bytes = graph_bytes(q, l->tp, load->max_batched_tokens, users * q->context,
                               slots);
    struct quantity factor = q->engine->compute_graph;
    if (q->draft) { /* a context of its own */
        struct request d = draft_request(q);
        bytes += graph_bytes(&d, l->tp, load->max_batched_tokens, users * q->context, slots);
    }
    a.sampling = a.moe = quantity_exact(0);
    a.forward = quantity_add(quantity_scale(factor, bytes), q->engine->forward_base);
    a.forward.high =
        fmax(a.forward.high, graph_bytes_of_rows(q, load->max_batched_tokens));
    a.vision = load->has_vision ? q->engine->vision : quantity_exact(0);
    a.host = host_copy(load, l);
    a.peak = quantity_add(quantity_add(a.forward, a.vision), a.host);
    return a;
}

struct activation activation_estimate(const struct request *q, const struct load *load,
                                    const struct layout *l, bool has_head)
{
    if (q->engine->compute_graph.known)
        return graph_activation(q, load, l);
    const struct engine *e = q->engine;
    const struct model *m = q->model;
    double act = q->precision.base->bits / 8, h = m->hidden;
    double tokens = load->max_batched_tokens;
    struct activation a;
    double rows = logit_rows(q, load, l);
    double logits = rows * m->vocab * (load->logit_copies * 4 + act);
    double layer = tokens * (2 * h + 3 * load->mlp_width / l->tp) * act;
    a.sampling =
        quantity_add(quantity_of(logits + tokens * h * act, ORIGIN_MODEL), e->base);
    if (q->draft_tokens > 0) /* vLLM: the rejection sampler is run after the other */
        a.sampling.high += rows * m->vocab * REJECTION_BYTES;
    a.forward = quantity_add(quantity_of(layer, ORIGIN_MODEL), e->forward_base);
    a.moe = quantity_of(e->moe_workspace * moe_bytes(q, l, tokens, act), ORIGIN_MODEL);
    a.vision = load->has_vision ? e->vision : quantity_exact(0);
    a.peak = a.forward;
    if (has_head && a.sampling.value > a.forward.value)
        a.peak = a.sampling;
    a.host = host_copy(load, l);
    a.peak = quantity_add(a.peak, quantity_add(quantity_add(a.moe, a.vision), a.host));
    return a;
}

/* ---- terms ---- */

static void add_moe(struct terms *w, struct quantity workspace)
{
    const struct request *q = &w->plan->request;
    const struct layer_kind *k = model_kind_of_role(q->model, ROLE_EXPERT);
    if (!k)
        return;
    know_number(w, "factor", q->engine->moe_workspace, "model");
    know_number(w, "topk", k->experts_active, "exact");
    know_number(w, "mff", k->expert_ff, "exact");
    know_number(w, "latent width in place of h", k->latent, "exact");
    term_add(w, "activation: MoE workspace", "MoE",
             q->precision.by_role[ROLE_EXPERT]->math == MATH_FP4
                 ? "0: FP4 kernels need none"
                 : "factor * c*topk*(max(2*mff/t, h) + max(mff/t, h))*a",
             workspace, "GiB", source_engine(q->engine, TERM_MOE),
             "factor, topk, mff, latent width in place of h, c, h, a, t = tp/ep, "
             "1 when ep > tp");
}

static const char *const sampling_equations[] = {
    [ROWS_SLOTS] = "seqs*V*(copies*4 + a) + c*h*a + base",
    [ROWS_USERS] = "users*V*(copies*4 + a) + c*h*a + base",
    [ROWS_PROMPTS] = "ceil(c/(s - 1))*V*(copies*4 + a) + c*h*a + base",
};

static void add_compute_buffer(struct terms *w)
{
    const struct memory *m = &w->plan->memory;
    const struct request *q = &w->plan->request;
    struct term_source source = source_engine(q->engine, TERM_FORWARD);
    know_number(w, "cells", m->users * q->context, "request");
    know_number(w, "slots", kvcache_slots(q, m->users), "engine");
    know_number(w, "factor", q->engine->compute_graph.value, "model");
    term_add(
        w, "activation", "activation",
        "the graph's buffer: c*(2*cells + max(4*cells + 20*h, 4*widest layer)), or "
        "c*4*h + slots*4*V",
        m->activation, "GiB", source,
        "c, cells, those of windows too, slots, h, V, ff, factor");
}

void activation_terms(struct terms *w, const struct load *load)
{
    const struct plan *p = w->plan;
    const struct engine *e = p->request.engine;
    if (e->compute_graph.known) {
        add_compute_buffer(w);
        return;
    }
    bool has_head = p->memory.stage == p->layout.pp - 1;
    struct activation a = activation_estimate(&p->request, load, &p->layout, has_head);
    bool sampling = has_head && a.sampling.value > a.forward.value;
    know_number(w, "copies", load->logit_copies, "model");
    know_bytes(w, "base", e->base);
    know_bytes(w, "forward base", e->forward_base);
    if (has_head)
        term_add(
            w, "activation: sampling", "sampling", sampling_equations[e->logit_rows],
            a.sampling, "GiB", source_engine(e, TERM_LOGITS),
            e->logit_rows == ROWS_USERS ? "users per replica, V, copies, c, h, a, base"
                                        : "seqs, V, copies, c, h, a, base");
    term_add(w, "activation: forward", "forward", "c*(2*h + 3*ff/tp)*a + forward base",
             a.forward, "GiB", source_engine(e, TERM_FORWARD),
             "c, h, a, ff, tp, forward base");
    add_moe(w, a.moe);
    if (a.vision.known && a.vision.value > 0)
        term_add(w, "activation: vision", "vision", "a constant of the engine",
                 a.vision, "GiB", source_engine(e, TERM_VISION), "vision");
    if (a.host.value > 0)
        term_add(w, "activation: copy from host memory", "copy",
                 "the largest tensor there / tp, or less at another moment", a.host,
                 "GiB", source_engine(e, TERM_OFFLOAD), "tp");
    term_add(w, "activation", "activation",
             has_head ? "max(sampling, forward) + MoE + vision + copy"
                      : "forward + MoE + vision + copy",
             p->memory.activation, "GiB",
             source_engine(e, sampling ? TERM_LOGITS : TERM_FORWARD),
             sampling   ? "the sampling moment as the larger"
             : has_head ? "the forward moment as the larger"
                        : "the forward moment as the larger, no head on this stage");
}
