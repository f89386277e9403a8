/*
 * terms.c - see terms.h: layout, GPU, weights, overheads and pool.
 *
 * "Of which" terms are differences of two answers of weights_stage(), with a part and
 * without it. Example: gpt-oss-20b in MXFP4 on one GPU: 13.64 GiB with its experts
 * padded from 2880 to 3072 x 2944, 12.8 without.
 */
#include "core/terms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/draft.h"
#include "core/terms_list.h"
#include "util/str.h"
#include "util/units.h"

static const char *set_by(double request, const char *otherwise)
{
    return request > 0 ? "request" : otherwise;
}

/* ---- the inputs that several terms have ---- */

static void know_request(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    const struct layout *l = &p->layout;
    know_number(w, "tp", l->tp, set_by(q->tp, "chosen"));
    know_number(w, "pp", l->pp, set_by(q->pp, "chosen"));
    know_number(w, "replicas", l->replicas, set_by(q->replicas, "chosen"));
    know_number(w, "ep", l->ep > 1 ? l->ep : 0, "request");
    know_unit(w, "GPUs per host", q->host_gpus, NULL,
              q->host_assumed ? "assumed" : "sheet");
    know_number(w, "s", q->context, "request");
    know_number(w, "block", q->engine->block, "engine");
    know_unit(w, "a", q->precision.base->bits / 8, "B", q->precision.base->id);
    know_number(w, "headroom", q->headroom, "request");
    know_bytes(w, "used", quantity_of(q->used, ORIGIN_ASSUMED));
}

static void know_model(struct terms *w)
{
    const struct model *m = w->plan->request.model;
    const struct layer_kind *moe = NULL;
    double ff = 0;
    know_word(w, "model", m->name);
    know_number(w, "L", m->layer_count, "exact");
    know_number(w, "h", m->hidden, "exact");
    know_number(w, "V", m->vocab, "exact");
    know_number(w, "params", model_params(m), "exact");
    know_number(w, "vision", model_params_role(m, ROLE_VISION), "exact");
    know_number(w, "max_context", m->max_context, "exact");
    know_number(w, "published", m->published - m->published_extra, m->published_source);
    for (int k = m->kind_count - 1; k >= 0; k--) {
        ff = fmax(ff, fmax(m->kind[k].ff, m->kind[k].shared_ff));
        moe = m->kind[k].experts > 0 ? &m->kind[k] : moe;
    }
    know_number(w, "experts", moe ? moe->experts : 0, "exact");
    know_number(w, "active", moe ? moe->experts_active : 0, "exact");
    know_number(w, "ff", ff, "exact");
}

static void know_memory(struct terms *w)
{
    const struct request *q = &w->plan->request;
    const struct memory *m = &w->plan->memory;
    const struct kv_sequence *s = &m->sequence;
    const char *set = set_by(q->utilization, "engine default");
    know_number(w, "utilization", m->fraction, set);
    know_number(w, "fraction", m->fraction, set);
    know_bytes(w, "usable", m->usable);
    know_bytes(w, "budget", m->budget);
    know_bytes(w, "weights", m->weights);
    know_bytes(w, "activation", m->activation);
    know_bytes(w, "non_torch", m->non_torch);
    know_bytes(w, "graphs", m->graphs);
    know_bytes(w, "graphs charged", m->graphs_charged);
    know_bytes(w, "KV pool", m->kv_pool);
    know_bytes(w, "users' need", m->kv_reserved);
    know_number(w, "users per replica", m->users, "request");
    know_number(w, "c", m->max_batched_tokens,
                set_by(q->max_batched_tokens, "engine default"));
    know_number(w, "seqs", m->max_num_seqs,
                set_by(q->max_num_seqs,
                       q->engine->seqs_small > 0 ? "engine default" : "one per user"));
    know_exact(w, "KV per token on this GPU", s->per_token);
    know_exact(w, "keys and values", s->exact);
    know_exact(w, "state", s->state);
    know_exact(w, "block bytes", s->block);
    know_exact(w, "one request is given", s->reserved);
}

/* ---- layout, GPU, model ---- */

static void add_layout(struct terms *w)
{
    const struct plan *p = w->plan;
    int stage = p->memory.stage, pp = p->layout.pp;
    term_add(w, "GPUs", "tp * pp * replicas", quantity_exact(p->layout.gpus), "GPUs",
             source_counted("layout rules of vLLM and Megatron-LM"),
             p->limit == LIMIT_LAYOUT
                 ? "tp, pp, replicas, ep, GPUs per host, refused: see the reasons"
                 : "tp, pp, replicas, ep, GPUs per host");
    if (!p->has_memory || pp < 2)
        return;
    int first = layout_stage_begin(&p->request, pp, stage);
    int end = layout_stage_begin(&p->request, pp, stage + 1);
    know_number(w, "stage", stage + 1, NULL);
    know_number(w, "first layer", first + 1, NULL);
    know_number(w, "last layer", end, NULL);
    term_add(w, "layers of the binding stage",
             "floor(L/pp), the remainder to the stages before the last",
             quantity_exact(end - first), "layers",
             source_counted("vLLM's partition; the stage whose pool holds least binds"),
             "L, pp, stage, first layer, last layer");
}

static void add_gpu(struct terms *w)
{
    const struct gpu *g = w->plan->request.gpu;
    bool slice = strchr(g->id, '/') != NULL;
    know_word(w, "GPU", g->name);
    know_word(w, "confidence", g->confidence[0] ? g->confidence : "unknown");
    know_unit(w, "marketed", g->memory_marketed / 1e9, "GB", NULL);
    know_bytes(w, "physical", g->physical);
    term_add(w, "physical memory",
             slice ? "GPU's memory * the slice's share"
                   : "what the driver's tool prints",
             g->physical, "GiB", source_gpu(g), "GPU, confidence, marketed");
    term_add(w, "usable memory",
             slice ? "GPU's usable memory * the slice's share, less up to 2 %"
             : g->usable.known ? "what a program could allocate"
                               : "physical - 1.2 %, band 0.2 to 2.0 %",
             gpu_usable(g), "GiB", source_gpu(g), "physical");
}

static void add_parameters(struct terms *w)
{
    const struct model *m = w->plan->request.model;
    double total = model_params(m), active = model_params_active(m);
    term_add(w, "parameters", "sum of rows*cols, all tensors", quantity_exact(total),
             "parameters", source_model(m), "model, L, h, V, published");
    if (active != total)
        term_add(w, "active parameters",
                 "parameters - vision - routed experts * (1 - active/experts)",
                 quantity_exact(active), "parameters", source_model(m),
                 "experts, active, vision");
}

/* ---- weights ---- */

static bool holds_role(const struct tensor *t, int count, enum tensor_role role)
{
    for (int i = 0; i < count; i++)
        if (t[i].role == role)
            return true;
    return false;
}

/* The first layer kind with tensors of this role; NULL when they lie outside. */
static const struct layer_kind *kind_of_role(const struct model *m,
                                             enum tensor_role role)
{
    struct tensor t[MODEL_MAX_TENSORS];
    for (int k = 0; k < m->kind_count; k++)
        if (holds_role(t, model_layer_tensors(m, k, t), role))
            return &m->kind[k];
    return NULL;
}

/* What is said of a format: bits, and the scales beside them. */
static const char *know_format(struct terms *w, const struct format *f)
{
    double params = model_params(w->plan->request.model);
    know_number(w, "bits", f->mix ? format_core_bits(f, params) : f->bits, f->id);
    know_number(w, "embedding", f->embed_bits, "sheet");
    know_number(w, "output", f->output_bits, "sheet");
    know_unit(w, "scales per group", f->group_bytes, "B", "exact");
    know_number(w, "rows of a group", f->group_rows, "exact");
    know_number(w, "inputs of a group", f->group_cols, "exact");
    know_unit(w, "scales per input", f->input_bytes, "B", "exact");
    know_unit(w, "scales per tensor", f->tensor_bytes, "B", "exact");
    return f->mix ? "elements, bits, embedding, output, share of one GPU, tp, ep, stage"
                  : "elements, bits, scales per group, rows of a group, inputs of a "
                    "group, scales per input, scales per tensor, share of one GPU, tp, "
                    "ep, stage";
}

static void add_role(struct terms *w, enum tensor_role role)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    const struct format *f = q->precision.by_role[role];
    bool own = q->precision.native && q->model->bytes.known && q->prune == PRUNE_NONE;
    bool padded =
        role == ROLE_EXPERT && q->engine->pad_hidden > 0 && strcmp(f->id, "mxfp4") == 0;
    char name[48];
    int known = w->known_count;
    know_number(w, "elements", model_params_role(q->model, role), "exact");
    know_number(w, "share of one GPU",
                layout_share(q->model, kind_of_role(q->model, role), role, &p->layout),
                NULL);
    know_unit(w, "stage", p->layout.pp > 1 ? p->memory.stage + 1 : 0, "alone", NULL);
    gp_format(name, sizeof(name), "weights: %s", role_word(role));
    term_add(w, name,
             own      ? "bytes of the checkpoint's tensors * share"
             : padded ? "(rows*cols*bits/8 + scales) * share + padding, shown below"
                      : "(rows*cols*bits/8 + scales) * share",
             quantity_of(p->memory.split.role[role], p->memory.weights.origin), "GiB",
             own ? source_model(q->model) : source_text(f->id, f->source),
             own ? "elements, share of one GPU, tp, ep, stage" : know_format(w, f));
    terms_forget(w, known);
}

static struct weights weights_with(const struct plan *p, const struct model *model,
                                   const struct engine *engine, enum prune prune)
{
    struct request q = p->request;
    q.model = model;
    q.engine = engine;
    q.prune = prune;
    struct load load = load_sum(&q);
    return weights_stage(&q, &load, &p->layout, p->memory.stage);
}

static void add_ropes(struct terms *w)
{
    const struct request *q = &w->plan->request;
    const struct engine *e = q->engine;
    const char *family = q->model->family;
    struct load load = load_sum(q);
    bool fp32 = engine_names_family(e->rope_fp32, family);
    bool mrope = engine_names_family(e->rope_4x, family);
    if (load.rope_table <= 0)
        return;
    know_number(w, "tables", load.rope_tables, "exact");
    know_unit(w, "value", fp32 ? 4 : 2, "B", "engine");
    know_number(w, "rows a position", mrope ? 4 : 0, "engine");
    term_add(w, "weights: rope table", "sum over tables: positions * rotary width * value",
             quantity_exact(load.rope_table), "GiB", source_engine(e, TERM_ROPE),
             "tables, max_context, rows a position, value");
}

/* What the engine `e`, without one of the things that the plan's adds at load time, adds
 * less. */
static void add_added(struct terms *w, const char *name, const char *equation,
                      const struct engine *e, const char *inputs)
{
    const struct plan *p = w->plan;
    struct weights less = weights_with(p, p->request.model, e, p->request.prune);
    double bytes = p->memory.split.loaded - less.loaded;
    if (bytes > 0)
        term_add(w, name, equation, quantity_exact(bytes), "GiB",
                 source_engine(p->request.engine, TERM_LOADED), inputs);
}

/* loaded = rope tables + absorbed MLA + second scales. */
static void add_loaded(struct terms *w)
{
    const struct engine *e = w->plan->request.engine;
    struct engine no_mla = *e, no_scales = *e;
    no_mla.mla_copies[0] = no_scales.nvfp4_scales_twice[0] = '\0';
    add_ropes(w);
    add_added(w, "weights: absorbed MLA",
              engine_lists(e->mla_copies, "values")
                  ? "layers * kvl * nh * (nope + v) * 16 bit / tp"
                  : "layers * kvl * nh * nope * 16 bit / tp",
              &no_mla, "kv_b once more, cut per head, for decoding, tp");
    add_added(w, "weights: NVFP4 scales, second layout", "elements / 16 * share",
              &no_scales, "elements, tp, ep");
}

static void add_padding(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    enum origin origin = p->memory.weights.origin;
    struct engine plain = *q->engine;
    plain.pad_hidden = 0;
    double bare = weights_with(p, q->model, &plain, q->prune).total;
    double padding = p->memory.split.total - bare;
    know_number(w, "ph", q->engine->pad_hidden, "engine");
    know_number(w, "pw", q->engine->pad_width, "engine");
    know_bytes(w, "unpadded weights", quantity_of(bare, origin));
    if (padding > 0)
        term_add(w, "weights: of which padding",
                 "experts * (ceil(mff/pw)*pw/mff * ceil(h/ph)*ph/h - 1)",
                 quantity_of(padding, origin), "GiB",
                 source_rule(q->engine, TERM_PADDING, TERM_MOE),
                 "ph, pw, h, unpadded weights");
}

static void add_pruning(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    enum origin origin = p->memory.weights.origin;
    bool half = q->prune == PRUNE_2_4;
    if (q->prune == PRUNE_NONE)
        return;
    double dense = weights_with(p, q->model, q->engine, PRUNE_NONE).total;
    know_bytes(w, "dense weights", quantity_of(dense, origin));
    know_number(w, "share of zeros", half ? 0 : q->prune_share, "request");
    term_add(w, "weights: saved by pruning",
             half ? "linears * (1 - (bits/2 + 1)/bits)"
                  : "0: zeros are stored like any other weight",
             quantity_of(dense - p->memory.split.total, origin), "GiB",
             source_counted(half ? "half the values and a 2-bit index for each of them"
                                 : "dense storage"),
             "dense weights, share of zeros");
}

/* What stays in host memory: it is in no sum above. */
static void add_host(struct terms *w)
{
    const struct request *q = &w->plan->request;
    const struct memory *m = &w->plan->memory;
    know_number(w, "layers in host memory", q->host_layers, "request");
    know_number(w, "layers whose experts are there", q->host_experts, "request");
    know_exact(w, "asked for", q->host_bytes);
    if (m->host.high > 0)
        term_add(w, "host memory: weights",
                 q->host_bytes > 0 ? "whole parameters of layers until there is as much"
                                   : "sum over those layers, all GPUs together",
                 m->host, "GiB", source_engine(q->engine, TERM_OFFLOAD),
                 "layers in host memory, layers whose experts are there, asked for");
    if (m->host_kv.value > 0 && q->host_kv <= 0 && !q->kv_on_host)
        term_add(w, "host memory: KV", "KV of those layers, all users of a replica",
                 m->host_kv, "GiB", source_engine(q->engine, TERM_OFFLOAD),
                 "layers in host memory, users per replica, s");
    know_exact(w, "KV asked for", q->host_kv);
    if (q->host_kv > 0 || q->kv_on_host)
        term_add(w, "host memory: KV",
                 q->kv_on_host ? "the whole cache, all users of a replica"
                               : "as asked for, beside the pool: it holds no request in "
                                 "flight",
                 m->host_kv, "GiB", source_engine(q->engine, TERM_KV_OFFLOAD),
                 "KV asked for, users per replica, s");
}

/* The draft, and where it differs from a model of its own. */
static void add_draft(struct terms *w)
{
    const struct request *q = &w->plan->request;
    const struct memory *m = &w->plan->memory;
    if (!q->draft)
        return;
    know_word(w, "draft", q->draft->name);
    know_word(w, "its weights", q->draft_mtp ? q->precision.id : q->draft_precision.id);
    know_word(w, "its KV", draft_kv(q)->id);
    know_number(w, "its layers", q->draft->layer_count, "exact");
    know_number(w, "its parameters", model_params(q->draft), "exact");
    know_number(w, "drafted tokens", q->draft_tokens, "request");
    term_add(w, q->draft_mtp ? "weights: MTP" : "weights: draft",
             q->draft_mtp ? "layers + 2*h*h + 3*h; embedding and head are the model's"
                          : "its tensors / tp, all on the last stage",
             m->draft, "GiB", source_engine(q->engine, TERM_DRAFT),
             "draft, its weights, its KV, its layers, its parameters, drafted tokens, tp, pp");
}

static void add_lora(struct terms *w)
{
    const struct request *q = &w->plan->request;
    if (q->lora_slots <= 0)
        return;
    know_number(w, "adapters", q->lora_slots, "request");
    know_number(w, "r", q->lora_rank, "request");
    term_add(w, "weights: LoRA slots",
             "adapters * r * (cols + rows), one of them / tp, of each linear layer",
             w->plan->memory.lora, "GiB", source_engine(q->engine, TERM_LORA),
             "adapters, r, L, h, ff, experts, tp, ep, a");
}

static void add_weights(struct terms *w)
{
    const struct request *q = &w->plan->request;
    const struct memory *m = &w->plan->memory;
    know_word(w, "precision", q->precision.id);
    know_number(w, "bytes of its files",
                q->model->bytes.known ? q->model->bytes.file_bytes : 0, "exact");
    term_add(w, "checkpoint", "sum over all tensors, one copy",
             quantity_of(m->file_bytes, m->weights.origin), "GiB",
             source_model(q->model), "precision, bytes of its files");
    for (int r = 0; r < ROLE_COUNT; r++)
        if (m->split.role[r] > 0)
            add_role(w, (enum tensor_role)r);
    add_loaded(w);
    double host = load_sum(q).on_host;
    if (host > 0)
        term_add(w, "weights: in host memory", "embeddings that are only looked up",
                 quantity_of(host, m->weights.origin), "GiB",
                 source_engine(q->engine, TERM_FORWARD), "not on a GPU");
    add_host(w);
    add_draft(w);
    add_lora(w);
    bool more = q->draft || q->lora_slots > 0;
    term_add(w, "weights",
             q->host_bytes > 0 ? "sum over the roles + added by the engine - host memory"
             : more            ? "sum over the roles + added by the engine + draft + slots"
                               : "sum over the roles + added by the engine",
             m->weights, "GiB", source_model(q->model), "tp, pp, ep");
    add_padding(w);
    add_pruning(w);
}

/* ---- activation, non-torch, graphs ---- */

static void add_moe(struct terms *w, struct quantity workspace)
{
    const struct request *q = &w->plan->request;
    const struct layer_kind *k = kind_of_role(q->model, ROLE_EXPERT);
    if (!k)
        return;
    know_number(w, "factor", q->engine->moe_workspace, "model");
    know_number(w, "topk", k->experts_active, "exact");
    know_number(w, "mff", k->expert_ff, "exact");
    know_number(w, "latent width in place of h", k->latent, "exact");
    term_add(w, "activation: MoE workspace",
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
    term_add(w, "activation",
             "the graph's buffer: c*(2*cells + max(4*cells + 20*h, 4*widest layer)), or "
             "c*4*h + slots*4*V",
             m->activation, "GiB", source,
             "c, cells, those of windows too, slots, h, V, ff, factor");
}

static void add_activation(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct engine *e = p->request.engine;
    if (e->compute_graph.known) {
        add_compute_buffer(w);
        return;
    }
    bool has_head = p->memory.stage == p->layout.pp - 1;
    struct load load = load_sum(&p->request);
    struct activation a = memory_activation(&p->request, &load, &p->layout, has_head);
    bool sampling = has_head && a.sampling.value > a.forward.value;
    know_number(w, "copies", load.logit_copies, "model");
    know_bytes(w, "base", e->base);
    know_bytes(w, "forward base", e->forward_base);
    if (has_head)
        term_add(w, "activation: sampling", sampling_equations[e->logit_rows], a.sampling,
                 "GiB", source_engine(e, TERM_LOGITS),
                 e->logit_rows == ROWS_USERS
                     ? "users per replica, V, copies, c, h, a, base"
                     : "seqs, V, copies, c, h, a, base");
    term_add(w, "activation: forward", "c*(2*h + 3*ff/tp)*a + forward base", a.forward,
             "GiB", source_engine(e, TERM_FORWARD), "c, h, a, ff, tp, forward base");
    add_moe(w, a.moe);
    if (a.vision.known && a.vision.value > 0)
        term_add(w, "activation: vision", "a constant of the engine", a.vision, "GiB",
                 source_engine(e, TERM_VISION), "vision");
    if (a.host.value > 0)
        term_add(w, "activation: copy from host memory",
                 "the largest tensor there / tp, or less at another moment", a.host, "GiB",
                 source_engine(e, TERM_OFFLOAD), "tp");
    term_add(w, "activation",
             a.host.value > 0 ? "the above together"
             : has_head ? "max(sampling, forward) + MoE + vision"
                      : "forward + MoE + vision",
             p->memory.activation, "GiB",
             source_engine(e, sampling ? TERM_LOGITS : TERM_FORWARD),
             sampling   ? "the sampling moment is the larger"
             : has_head ? "the forward moment is the larger"
                        : "the forward moment is the larger, no head on this stage");
}

static void add_overheads(struct terms *w)
{
    const struct memory *m = &w->plan->memory;
    const struct engine *e = w->plan->request.engine;
    const struct layout *l = &w->plan->layout;
    add_activation(w);
    term_add(w, "non-torch",
             l->tp > 1   ? "engine's constant at tp > 1"
             : l->pp > 1 ? "engine's constant at tp = 1, pp > 1"
                         : "engine's constant on one GPU",
             m->non_torch, "GiB", source_engine(e, TERM_NON_TORCH),
             l->tp > 1 ? "context, cuBLAS, NCCL, all-reduce, the runner's buffers"
                       : "context, cuBLAS, the runner's buffers");
    term_add(w, "CUDA graphs", "engine's constant", m->graphs, "GiB",
             source_engine(e, TERM_GRAPHS),
             e->budget != BUDGET_UTILIZATION ? "beside the pool"
                                             : "captured when the KV pool is set");
    if (e->budget == BUDGET_UTILIZATION)
        term_add(w, "CUDA graphs, charged", "the engine's own estimate, or 0",
                 m->graphs_charged, "GiB", source_engine(e, TERM_GRAPHS),
                 m->graphs_charged.high > 0 ? "taken from the budget before the KV pool"
                                            : "nothing is taken from the budget");
}

/* ---- budget, pool, need ---- */

struct equation {
    const char *text, *inputs;
};

static const struct equation budgets[] = {
    [BUDGET_UTILIZATION] = {"utilization * usable * (1 - headroom)",
                            "utilization, usable, used, headroom"},
    [BUDGET_FREE] = {"(usable - used) * (1 - headroom)", "usable, used, headroom"},
    [BUDGET_STATIC] = {"fraction * (usable - used - non_torch) * (1 - headroom)",
                       "fraction, usable, used, non_torch, headroom"},
    [BUDGET_ASKED] = {"(usable - used) * (1 - headroom)", "usable, used, headroom"},
};

static const struct equation pools[] = {
    [BUDGET_UTILIZATION] = {"budget - weights - activation - non_torch - graphs charged",
                            "budget, weights, activation, non_torch, graphs charged"},
    [BUDGET_FREE] = {"fraction * (budget - weights - activation - non_torch - graphs)",
                     "fraction, budget, weights, activation, non_torch, graphs"},
    [BUDGET_STATIC] = {"budget - weights [- what a vision tower keeps]",
                       "budget, weights"},
    [BUDGET_ASKED] = {"budget - weights - activation - non_torch - graphs",
                      "budget, weights, activation, non_torch, graphs"},
};

/* SGLang's own, from the memory of the GPU. */
static void add_fraction(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct engine_reserve *r = &p->request.engine->reserve;
    if (r->base <= 0 || p->request.utilization > 0)
        return;
    know_bytes(w, "base", quantity_exact(r->base));
    know_unit(w, "token", r->token / GP_MIB, "MiB", "engine");
    know_unit(w, "gpu", r->gpu / GP_MIB, "MiB", "engine");
    know_unit(w, "graph", r->graph / GP_MIB, "MiB", "engine");
    know_number(w, "batch", memory_graph_batch(&p->request, &p->layout), "engine");
    know_bytes(w, "least", quantity_exact(r->least));
    term_add(w, "fraction",
             "1 - max(base + token*max(c, 2048) + gpu*tp*pp + graph*batch + prefill graphs, "
             "least) / physical [* vision]",
             quantity_of(p->memory.fraction, ORIGIN_MODEL), "of GPU",
             source_engine(p->request.engine, TERM_BUDGET),
             "base, token, c, gpu, tp, pp, graph, batch, least, physical");
}

static void add_pool(struct terms *w)
{
    const struct engine *e = w->plan->request.engine;
    const struct memory *m = &w->plan->memory;
    enum budget b = memory_budget(&w->plan->request);
    bool uniform = m->sequence.per_token > 0, cell = m->sequence.cell > 0;
    know_exact(w, "cell", m->sequence.cell);
    term_add(w, "KV pool", pools[b].text, m->kv_pool, "GiB",
             source_engine(e, TERM_BUDGET), pools[b].inputs);
    if (!m->kv_cache_tokens.known)
        return;
    term_add(w, "KV cache tokens",
             cell      ? "floor(KV pool / cell)"
             : uniform ? "floor(KV pool / (block * KV per token)) * block"
                       : "max concurrency * s",
             m->kv_cache_tokens, "tokens", source_engine(e, TERM_BLOCK),
             cell      ? "KV pool, cell"
             : uniform ? "KV pool, block, KV per token on this GPU"
                       : "KV pool, s");
    term_add(w, "max concurrency",
             m->sequence.fixed > 0 ? "(KV pool - what all slots share) / KV of one request"
             : m->sequence.block > 0
                 ? "floor(KV pool / block bytes) * block bytes / KV of one request"
                 : "KV pool / state of one request",
             m->max_concurrency, "requests", source_engine(e, TERM_BLOCK),
             "KV pool, block bytes, one request is given");
}

static void add_need(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    if (m->state_blocks.known)
        term_add(w, "blocks of state", "floor(KV pool / block bytes); the slots need one each",
                 m->state_blocks, "blocks", source_rule(q->engine, TERM_STATE, TERM_BLOCK),
                 "KV pool, block bytes, seqs");
    term_add(w, "users' KV", "users * keys and values of one", m->kv_needed, "GiB",
             source_model(q->model), "users per replica, keys and values");
    if (m->state.value > 0)
        term_add(w, "users' state", "users * state of one request", m->state, "GiB",
                 source_model(q->model), "users per replica, state");
    term_add(w, "users' need", "users * reserved by the engine for one", m->kv_reserved,
             "GiB", source_engine(q->engine, TERM_BLOCK),
             "users per replica, one request is given");
    know_number(w, "mean tokens", memory_mean_tokens(q), "assumed");
    term_add(w, "users' mean need", "users * reserved for prompt + output/2 tokens",
             m->kv_mean, "GiB", source_engine(q->engine, TERM_BLOCK),
             "users per replica, mean tokens");
    know_word(w, "verdict", verdict_word(p->verdict));
    term_add(w, "margin", "KV pool - users' need",
             quantity_sub(m->kv_pool, m->kv_reserved), "GiB",
             source_counted("fits: low end >= 0; marginal: the band crosses 0, or the pool "
                            "holds the mean need and one request of full length"),
             "KV pool, users' need, verdict");
}

static void add_rest(struct terms *w)
{
    const struct memory *m = &w->plan->memory;
    const struct format *f = w->plan->request.precision.weight;
    term_add(w, "free", "usable - used - weights - overheads - users' need", m->free,
             "GiB", source_counted("the parts above"),
             "usable, used, weights, activation, non_torch, graphs, users' need");
    know_number(w, "bits", f->bits, f->id);
    term_add(w, "rule of thumb", "params * bits/8 * 1.25, all GPUs together",
             quantity_of(m->rule_of_thumb, ORIGIN_ASSUMED), "GiB",
             source_counted("the field's rule, to compare with: no figure rests on it"),
             "params, bits");
}

/* ---- the whole ---- */

int terms_of_plan(const struct plan *plan, struct term out[TERMS_MAX])
{
    struct terms terms = {.plan = plan, .term = out};
    enum budget b = memory_budget(&plan->request);
    know_request(&terms);
    know_model(&terms);
    add_layout(&terms);
    add_gpu(&terms);
    add_parameters(&terms);
    if (!plan->has_memory)
        return terms.count;
    know_memory(&terms);
    add_weights(&terms);
    add_overheads(&terms);
    terms_kv(&terms);
    add_fraction(&terms);
    term_add(&terms, "budget", budgets[b].text, plan->memory.budget, "GiB",
             source_engine(plan->request.engine, TERM_BUDGET), budgets[b].inputs);
    if (!plan->request.model->weights_only) {
        add_pool(&terms);
        add_need(&terms);
    }
    add_rest(&terms);
    terms_cost(&terms);
    terms_speed(&terms);
    return terms.count;
}
