/*
 * terms.c - see terms.h: the inputs that several terms have, layout, GPU, parameters,
 * margin.
 */
#include "plan/terms.h"

#include <math.h>
#include <string.h>

#include "plan/terms_list.h"

static const char *set_by(double request, const char *otherwise)
{
    return request > 0 ? "request" : otherwise;
}

/* ---- the inputs that several terms have ---- */

static void input_model(struct terms *w)
{
    const struct model *m = w->plan->request.model;
    const struct layer_kind *moe = NULL;
    double ff = 0;

    input_word(w, "model", m->name);
    input_number(w, "L", m->layer_count, "exact");
    input_number(w, "h", m->hidden, "exact");
    input_number(w, "V", m->vocab, "exact");
    input_number(w, "params", model_params(m), "exact");
    input_number(w, "vision", model_params_role(m, ROLE_VISION), "exact");
    input_number(w, "n-grams", model_params_role(m, ROLE_NGRAM), "exact");
    input_number(w, "max_context", m->max_context, "exact");
    input_number(w, "published", m->published - m->published_extra, m->published_source);
    for (int k = m->kind_count - 1; k >= 0; k--) {
        ff = fmax(ff, fmax(m->kind[k].ff, m->kind[k].shared_ff));
        moe = m->kind[k].experts > 0 ? &m->kind[k] : moe;
    }
    input_number(w, "experts", moe ? moe->experts : 0, "exact");
    input_number(w, "active", moe ? moe->experts_active : 0, "exact");
    input_number(w, "ff", ff, "exact");
}

static void input_memory(struct terms *w)
{
    const struct request *q = &w->plan->request;
    const struct memory *m = &w->plan->memory;
    const struct kv_sequence *s = &m->sequence;
    const char *set = set_by(q->utilization, "engine default");

    input_number(w, "utilization", m->fraction, set);
    input_number(w, "fraction", m->fraction, set);
    input_bytes(w, "need", m->kv_reserved);
    input_number(w, "users per replica", m->users, "request");
    input_number(w, "c", m->max_batched_tokens, set_by(q->max_batched_tokens, "engine default"));
    input_number(
        w, "seqs", m->max_num_seqs,
        set_by(q->max_num_seqs, q->engine->seqs_small > 0 ? "engine default" : "one per user"));
    input_exact(w, "KV per token on this GPU", s->per_token);
    input_exact(w, "keys and values", s->exact);
    input_exact(w, "state", s->state);
    input_exact(w, "block bytes", s->block);
    input_exact(w, "given", s->reserved);
}

/* ---- layout, GPU, model ---- */

static void add_layout(struct terms *w)
{
    const struct plan *p = w->plan;
    int stage = p->memory.stage, pp = p->layout.pp;

    input_number(w, "prefill", p->layout.prefill_tp > 0 ? p->layout.prefill : 0, "replicas");
    input_number(w, "their tp", p->layout.prefill_tp, "request, or chosen");
    term_add(w, "GPUs", "gpus",
             p->layout.prefill_tp > 0 ? "pp * (their tp * prefill + tp * (replicas - prefill))"
                                      : "tp * pp * replicas",
             quantity_exact(p->layout.gpus), "GPUs",
             source_counted("layout rules of vLLM and Megatron-LM"),
             p->limit == LIMIT_LAYOUT
                 ? "tp, pp, replicas, prefill, their tp, ep, GPUs per host, refused: see the "
                   "reasons"
                 : "tp, pp, replicas, prefill, their tp, ep, GPUs per host");
    if (!p->has_memory || pp < 2)
        return;
    int first = layout_stage_begin(&p->request, pp, stage);
    int end = layout_stage_begin(&p->request, pp, stage + 1);
    input_number(w, "stage", stage + 1, NULL);
    input_number(w, "first layer", first + 1, NULL);
    input_number(w, "last layer", end, NULL);
    term_add(w, "layers of the binding stage", "stage layers",
             "floor(L/pp), the remainder to the stages before the last",
             quantity_exact(end - first), "layers",
             source_counted("vLLM's partition; the stage whose pool holds least binds"),
             "L, pp, stage, first layer, last layer");
}

static void add_margin(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct memory *m = &p->memory;

    input_word(w, "verdict", verdict_word(p->verdict));
    term_add(w, "margin", "margin", "pool - need", quantity_sub(m->kv_pool, m->kv_reserved), "GiB",
             source_counted("fits: low end >= 0; marginal: the band crosses 0, or the pool "
                            "holds the mean need and one request of full length"),
             "pool, need, verdict");
}

/* ---- the whole ---- */

int terms_of_plan(const struct plan *plan, struct term out[TERMS_MAX])
{
    struct terms terms = {.plan = plan, .term = out};

    const struct plan *p = terms.plan;
    const struct request *q = &p->request;
    const struct layout *l = &p->layout;

    input_number(&terms, "tp", l->tp, set_by(q->tp, "chosen"));
    input_number(&terms, "pp", l->pp, set_by(q->pp, "chosen"));
    input_number(&terms, "replicas", l->replicas, set_by(q->replicas, "chosen"));
    input_number(&terms, "ep", l->ep > 1 ? l->ep : 0, "request");
    input_unit(&terms, "GPUs per host", q->host_gpus, NULL, q->host_assumed ? "assumed" : "sheet");
    input_number(&terms, "s", q->context, "request");
    input_number(&terms, "block", q->engine->block, "engine");
    input_unit(&terms, "a", q->precision.base->bits / 8, "B", q->precision.base->id);
    input_number(&terms, "headroom", q->headroom, "request");
    input_bytes(&terms, "used", quantity_of(q->used, ORIGIN_ASSUMED));
    input_model(&terms);
    add_layout(&terms);
    const struct gpu *g = terms.plan->request.gpu;
    bool slice = strchr(g->id, '/') != NULL;

    input_word(&terms, "GPU", g->name);
    input_word(&terms, "confidence", g->confidence[0] ? g->confidence : "unknown");
    input_unit(&terms, "marketed", g->memory_marketed / 1e9, "GB", NULL);
    input_bytes(&terms, "physical", g->physical);
    term_add(&terms, "physical memory", "physical",
             slice ? "GPU's memory * the slice's share" : "what the driver's tool prints",
             g->physical, "GiB", source_gpu(g), "GPU, confidence, marketed");
    term_add(&terms, "usable memory", "usable",
             slice             ? "GPU's usable memory * the slice's share, less up to 2 %"
             : g->usable.known ? "what a program could allocate"
                               : "physical - 1.2 %, band 0.2 to 2.0 %",
             gpu_usable(g), "GiB", source_gpu(g), "physical");
    const struct model *m = terms.plan->request.model;
    double total = model_params(m), active = model_params_active(m);

    term_add(&terms, "parameters", "params", "sum of rows*cols, all tensors", quantity_exact(total),
             "parameters", source_model(m), "model, L, h, V, published");
    if (active != total)
        term_add(&terms, "active parameters", "active params",
                 "params - vision - routed experts * (1 - active/experts)", quantity_exact(active),
                 "parameters", source_model(m), "params, experts, active, vision");
    if (!plan->has_memory)
        return terms.count;
    input_memory(&terms);
    weights_terms(&terms);
    memory_terms(&terms);
    if (!plan->request.model->weights_only)
        add_margin(&terms);
    cost_terms(&terms);
    terms_speed(&terms);
    terms_power(&terms);
    return terms.count;
}
