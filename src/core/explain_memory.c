/*
 * explain_memory.c - the parts of one GPU: weights, overheads, and the pool they leave.
 *
 * What is shown as "of which" (rope table, absorbed MLA, padding, what pruning saves)
 * is a difference of two answers of weights_stage(): with it and without it. Example:
 * gpt-oss-20b in MXFP4 on one GPU: 13.64 GiB with its experts padded from 2880 to
 * 3072 x 2944, 12.8 without.
 */
#include "core/explain_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

static const char *asked(bool request)
{
    return request ? "request" : "engine default";
}

/* ---- weights ---- */

static void describe_format(const struct why *why, const struct format *f,
                            struct term_why *t)
{
    double params = model_params(why->plan->request.model);
    if (f->mix) {
        why_in(t, "%s %.4f bits, embedding %.4g, output %.4g (sheet)", f->id,
               format_core_bits(f, params), f->embed_bits, f->output_bits);
        return;
    }
    why_in(t, "%s %.4g bits (exact)", f->id, f->bits);
    if (f->group_bytes > 0) {
        char rows[16] = "all", cols[16] = "all";
        if (f->group_rows > 0)
            gp_format(rows, sizeof(rows), "%d", f->group_rows);
        if (f->group_cols > 0)
            gp_format(cols, sizeof(cols), "%d", f->group_cols);
        why_in(t, "%.4g B per %s rows x %s inputs (exact)", f->group_bytes, rows, cols);
    }
    if (f->input_bytes > 0)
        why_in(t, "%.4g B per input (exact)", f->input_bytes);
    if (f->tensor_bytes > 0)
        why_in(t, "%.4g B per tensor (exact)", f->tensor_bytes);
}

static bool holds(const struct tensor *t, int count, enum tensor_role role)
{
    for (int i = 0; i < count; i++)
        if (t[i].role == role)
            return true;
    return false;
}

/* The first layer kind with tensors of this role; NULL when they lie outside. */
static const struct layer_kind *kind_of(const struct model *m, enum tensor_role role)
{
    struct tensor t[MODEL_MAX_TENSORS];
    for (int k = 0; k < m->kind_count; k++)
        if (holds(t, model_layer_tensors(m, k, t), role))
            return &m->kind[k];
    return NULL;
}

static bool own_bytes(const struct request *q)
{
    return q->precision.native && q->model->bytes.known && q->prune == PRUNE_NONE;
}

static bool pads_experts(const struct request *q)
{
    return q->engine->pad_hidden > 0 &&
           strcmp(q->precision.by_role[ROLE_EXPERT]->id, "mxfp4") == 0;
}

static void role_term(struct why *why, enum tensor_role role)
{
    const struct plan *p = why->plan;
    const struct request *q = &p->request;
    const struct format *f = q->precision.by_role[role];
    double share = layout_share(q->model, kind_of(q->model, role), role, &p->layout);
    char name[48];
    gp_format(name, sizeof(name), "weights: %s", role_word(role));
    struct term_why *t =
        why_add(why, name,
                own_bytes(q) ? "bytes of the checkpoint's tensors * share"
                : role == ROLE_EXPERT && pads_experts(q)
                    ? "(rows*cols*bits/8 + scales) * share "
                      "+ padding, shown below"
                    : "(rows*cols*bits/8 + scales) * share");
    why_in_count(t, "elements", model_params_role(q->model, role), "exact");
    if (!own_bytes(q))
        describe_format(why, f, t);
    why_in(t, "share of one GPU %.4g (tp %d, ep %d)", share, p->layout.tp,
           p->layout.ep);
    if (p->layout.pp > 1)
        why_in(t, "this stage's layers only");
    why_gib(t, quantity_of(p->memory.split.role[role], p->memory.weights.origin));
    if (own_bytes(q))
        why_model(why, t);
    else
        gp_format(t->source, sizeof(t->source), "%s: %s", f->id,
                  f->source[0] ? f->source : "no source");
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

/* loaded = rope table + absorbed MLA; without positions there is no table. */
static void loaded_terms(struct why *why)
{
    const struct plan *p = why->plan;
    const struct model *m = p->request.model;
    struct model no_rope = *m;
    struct term_why *t;
    double loaded = p->memory.split.loaded;
    if (loaded <= 0)
        return;
    no_rope.max_context = 0;
    double absorbed =
        weights_with(p, &no_rope, p->request.engine, p->request.prune).loaded;
    if (loaded - absorbed > 0) {
        t = why_add(why, "weights: rope table", "max_context * rotary width * 16 bit");
        why_in_count(t, "max_context", m->max_context, "exact");
        why_gib(t, quantity_exact(loaded - absorbed));
        why_engine(why, t, TERM_FORWARD);
    }
    if (absorbed > 0) {
        t = why_add(why, "weights: absorbed MLA",
                    "layers * kvl * nh * (nope + v) * 16 bit / tp");
        why_in(t, "kv_b once more, cut per head, for decoding");
        why_in(t, "tp %d", p->layout.tp);
        why_gib(t, quantity_exact(absorbed));
        why_engine(why, t, TERM_FORWARD);
    }
}

static void padding_term(struct why *why)
{
    const struct plan *p = why->plan;
    const struct request *q = &p->request;
    struct engine plain = *q->engine;
    plain.pad_hidden = 0;
    double bare = weights_with(p, q->model, &plain, q->prune).total;
    double padding = p->memory.split.total - bare;
    if (padding <= 0)
        return;
    struct term_why *t =
        why_add(why, "weights: of which padding",
                "experts * (ceil(mff/pw)*pw/mff * ceil(h/ph)*ph/h - 1)");
    why_in(t, "ph %d, pw %d (engine)", q->engine->pad_hidden, q->engine->pad_width);
    why_in_count(t, "h", q->model->hidden, "exact");
    why_in_bytes(t, "unpadded weights", quantity_of(bare, p->memory.weights.origin));
    why_gib(t, quantity_of(padding, p->memory.weights.origin));
    why_engine(why, t, TERM_MOE);
}

static void pruning_term(struct why *why)
{
    const struct plan *p = why->plan;
    const struct request *q = &p->request;
    if (q->prune == PRUNE_NONE)
        return;
    double dense = weights_with(p, q->model, q->engine, PRUNE_NONE).total;
    bool half = q->prune == PRUNE_2_4;
    struct term_why *t = why_add(why, "weights: saved by pruning",
                                 half ? "linears * (1 - (bits/2 + 1)/bits)"
                                      : "0: zeros are stored like any other weight");
    why_in_bytes(t, "dense weights", quantity_of(dense, p->memory.weights.origin));
    if (!half)
        why_in(t, "%.4g of the weights are zero (request)", q->prune_share);
    why_gib(t, quantity_of(dense - p->memory.split.total, p->memory.weights.origin));
    why_counted(t, half ? "2:4 keeps half the values and a 2-bit index for each of them"
                        : "dense storage");
}

void explain_weights(struct why *why)
{
    const struct plan *p = why->plan;
    const struct memory *m = &p->memory;
    struct term_why *t = why_add(why, "checkpoint", "sum over all tensors, one copy");
    why_in(t, "precision %s", p->request.precision.id);
    if (p->request.model->bytes.known)
        why_in(t, "its files take %.0f bytes", p->request.model->bytes.file_bytes);
    why_gib(t, quantity_of(m->file_bytes, m->weights.origin));
    why_model(why, t);
    for (int r = 0; r < ROLE_COUNT; r++)
        if (m->split.role[r] > 0)
            role_term(why, (enum tensor_role)r);
    loaded_terms(why);
    t = why_add(why, "weights", "sum over the roles + what the engine adds");
    why_in(t, "tp %d, pp %d, ep %d", p->layout.tp, p->layout.pp, p->layout.ep);
    why_gib(t, m->weights);
    why_model(why, t);
    padding_term(why);
    pruning_term(why);
}

/* ---- activation ---- */

static void batch_inputs(const struct why *why, struct term_why *t)
{
    const struct request *q = &why->plan->request;
    const struct memory *m = &why->plan->memory;
    why_in_count(t, "c", m->max_batched_tokens, asked(q->max_batched_tokens > 0));
    why_in_count(t, "h", q->model->hidden, "exact");
    why_in(t, "a %.4g B (%s)", q->precision.base->bits / 8, q->precision.base->id);
}

static void sampling_term(struct why *why, const struct activation *a)
{
    const struct request *q = &why->plan->request;
    struct term_why *t =
        why_add(why, "activation: sampling", "seqs*V*(copies*4 + a) + c*h*a + base");
    why_in_count(t, "seqs", why->plan->memory.max_num_seqs,
                 q->max_num_seqs > 0         ? "request"
                 : q->engine->seqs_small > 0 ? "engine default"
                                             : "one per user");
    why_in_count(t, "V", q->model->vocab, "exact");
    why_in(t, "copies %.4g (model)", q->engine->logit_copies);
    batch_inputs(why, t);
    why_in_bytes(t, "base", q->engine->base);
    why_gib(t, a->sampling);
    why_engine(why, t, TERM_LOGITS);
}

static void forward_term(struct why *why, const struct activation *a)
{
    const struct request *q = &why->plan->request;
    double ff = 0;
    for (int k = 0; k < q->model->kind_count; k++)
        ff = fmax(ff, fmax(q->model->kind[k].ff, q->model->kind[k].shared_ff));
    struct term_why *t =
        why_add(why, "activation: forward", "c*(2*h + 3*ff/tp)*a + forward base");
    batch_inputs(why, t);
    why_in_count(t, "ff", ff, "exact");
    why_in(t, "tp %d", why->plan->layout.tp);
    why_in_bytes(t, "forward base", q->engine->forward_base);
    why_gib(t, a->forward);
    why_engine(why, t, TERM_FORWARD);
}

static void moe_term(struct why *why, const struct activation *a)
{
    const struct request *q = &why->plan->request;
    const struct layer_kind *k = kind_of(q->model, ROLE_EXPERT);
    if (!k)
        return;
    bool fp4 = q->precision.by_role[ROLE_EXPERT]->math == MATH_FP4;
    struct term_why *t =
        why_add(why, "activation: MoE workspace",
                fp4 ? "0: FP4 kernels need none"
                    : "factor * c*topk*(max(2*mff/t, h) + max(mff/t, h))*a");
    why_in(t, "factor %.4g (model)", q->engine->moe_workspace);
    why_in_count(t, "topk", k->experts_active, "exact");
    why_in_count(t, "mff", k->expert_ff, "exact");
    if (k->latent > 0)
        why_in_count(t, "latent width in place of h", k->latent, "exact");
    batch_inputs(why, t);
    why_in(t, "t = tp/ep, 1 when ep > tp");
    why_gib(t, a->moe);
    why_engine(why, t, TERM_MOE);
}

static void vision_term(struct why *why, const struct activation *a)
{
    if (!a->vision.known || a->vision.value <= 0)
        return;
    struct term_why *t = why_add(why, "activation: vision", "a constant of the engine");
    why_in_count(t, "vision parameters",
                 model_params_role(why->plan->request.model, ROLE_VISION), "exact");
    why_gib(t, a->vision);
    why_engine(why, t, TERM_VISION);
}

static void peak_term(struct why *why, const struct activation *a, bool has_head)
{
    bool sampling = has_head && a->sampling.value > a->forward.value;
    struct term_why *t = why_add(why, "activation",
                                 has_head ? "max(sampling, forward) + MoE + vision"
                                          : "forward + MoE + vision");
    why_in(t, "%s moment is the larger", sampling ? "the sampling" : "the forward");
    if (!has_head)
        why_in(t, "no head on this stage");
    why_gib(t, why->plan->memory.activation);
    why_engine(why, t, sampling ? TERM_LOGITS : TERM_FORWARD);
}

static void non_torch_term(struct why *why)
{
    const struct layout *l = &why->plan->layout;
    struct term_why *t = why_add(why, "non-torch",
                                 l->tp > 1   ? "engine's constant at tp > 1"
                                 : l->pp > 1 ? "engine's constant at tp = 1, pp > 1"
                                             : "engine's constant on one GPU");
    why_in(t, "context, cuBLAS%s", l->tp > 1 ? ", NCCL, all-reduce buffers" : "");
    why_gib(t, why->plan->memory.non_torch);
    why_engine(why, t, TERM_NON_TORCH);
}

void explain_overheads(struct why *why)
{
    const struct plan *p = why->plan;
    const struct engine *e = p->request.engine;
    bool has_head = p->memory.stage == p->layout.pp - 1;
    struct load load = load_sum(&p->request);
    struct activation a = memory_activation(&p->request, &load, &p->layout, has_head);
    struct term_why *t;
    if (has_head)
        sampling_term(why, &a);
    forward_term(why, &a);
    moe_term(why, &a);
    vision_term(why, &a);
    peak_term(why, &a, has_head);
    non_torch_term(why);
    t = why_add(why, "CUDA graphs", "engine's constant");
    why_in(t, "%s",
           e->budget != BUDGET_UTILIZATION ? "beside the pool"
           : e->graphs_in_budget           ? "charged to the budget before the KV pool"
                                           : "captured later, outside the budget");
    why_gib(t, p->memory.graphs);
    why_engine(why, t, TERM_GRAPHS);
}

/* ---- budget, pool, need ---- */

struct budget_words {
    const char *budget, *pool;
};

static const struct budget_words budgets[] = {
    [BUDGET_UTILIZATION] = {"utilization * usable * (1 - headroom)",
                            "budget - weights - activation - non_torch"},
    [BUDGET_FREE] = {"(usable - used) * (1 - headroom)",
                     "fraction * (budget - weights - activation - non_torch - graphs)"},
    [BUDGET_STATIC] = {"fraction * (usable - used) * (1 - headroom)",
                       "budget - weights"},
    [BUDGET_ASKED] = {"(usable - used) * (1 - headroom)",
                      "budget - weights - activation - non_torch - graphs"},
};

static void fraction_input(const struct why *why, struct term_why *t, const char *name)
{
    why_in(t, "%s %.4g (%s)", name, why->plan->memory.fraction,
           asked(why->plan->request.utilization > 0));
}

static void budget_term(struct why *why)
{
    const struct request *q = &why->plan->request;
    const struct memory *m = &why->plan->memory;
    enum budget b = memory_budget(q);
    struct term_why *t = why_add(why, "budget", budgets[b].budget);
    if (b == BUDGET_UTILIZATION || b == BUDGET_STATIC)
        fraction_input(why, t, b == BUDGET_STATIC ? "fraction" : "utilization");
    why_in_bytes(t, "usable", m->usable);
    if (q->used > 0)
        why_in_bytes(t, "used", quantity_of(q->used, ORIGIN_ASSUMED));
    if (q->headroom > 0)
        why_in(t, "headroom %.4g (request)", q->headroom);
    why_gib(t, m->budget);
    why_engine(why, t, TERM_BUDGET);
}

static void pool_term(struct why *why)
{
    const struct request *q = &why->plan->request;
    const struct memory *m = &why->plan->memory;
    enum budget b = memory_budget(q);
    bool graphs = b == BUDGET_UTILIZATION && q->engine->graphs_in_budget;
    char equation[200];
    gp_format(equation, sizeof(equation), "%s%s", budgets[b].pool,
              graphs ? " - graphs" : "");
    struct term_why *t = why_add(why, "KV pool", equation);
    if (b == BUDGET_FREE)
        fraction_input(why, t, "fraction");
    why_in_bytes(t, "budget", m->budget);
    why_in_bytes(t, "weights", m->weights);
    if (b != BUDGET_STATIC) {
        why_in_bytes(t, "activation", m->activation);
        why_in_bytes(t, "non_torch", m->non_torch);
    }
    if (graphs || b == BUDGET_FREE || b == BUDGET_ASKED)
        why_in_bytes(t, "graphs", m->graphs);
    why_gib(t, m->kv_pool);
    why_engine(why, t, TERM_BUDGET);
}

static void holds_terms(struct why *why)
{
    const struct request *q = &why->plan->request;
    const struct memory *m = &why->plan->memory;
    bool uniform = m->sequence.per_token > 0;
    struct term_why *t;
    if (!m->kv_cache_tokens.known)
        return;
    t = why_add(why, "KV cache tokens",
                uniform ? "floor(KV pool / (block * KV per token)) * block"
                        : "max concurrency * s");
    why_in_bytes(t, "KV pool", m->kv_pool);
    if (uniform) {
        why_in_count(t, "block", q->engine->block, "engine");
        why_in_exact(t, "KV per token on this GPU", m->sequence.per_token);
    } else {
        why_in_count(t, "s", q->context, "request");
    }
    why_value(t, m->kv_cache_tokens, 1, "tokens");
    why_engine(why, t, TERM_BLOCK);

    t = why_add(why, "max concurrency",
                m->sequence.block > 0
                    ? "floor(KV pool / block bytes) * block bytes / KV of one request"
                    : "KV pool / state of one request");
    why_in_bytes(t, "KV pool", m->kv_pool);
    if (m->sequence.block > 0)
        why_in_exact(t, "block bytes", m->sequence.block);
    why_in_exact(t, "one request is given", m->sequence.reserved);
    why_value(t, m->max_concurrency, 1, "requests");
    why_engine(why, t, TERM_BLOCK);
}

static void users_input(const struct why *why, struct term_why *t)
{
    const struct plan *p = why->plan;
    why_in(t, "users per replica %.0f = ceil(%.0f / %d) (request)", p->memory.users,
           p->request.users, p->layout.replicas);
}

static void need_terms(struct why *why)
{
    const struct memory *m = &why->plan->memory;
    struct quantity margin = quantity_sub(m->kv_pool, m->kv_reserved);
    struct term_why *t = why_add(why, "users' KV", "users * keys and values of one");
    users_input(why, t);
    why_in_exact(t, "KV of one request", m->sequence.exact);
    why_gib(t, m->kv_needed);
    why_model(why, t);
    if (m->state.value > 0) {
        t = why_add(why, "users' state", "users * state of one request");
        users_input(why, t);
        why_in_exact(t, "state of one request", m->sequence.state);
        why_gib(t, m->state);
        why_model(why, t);
    }
    t = why_add(why, "users' need", "users * what the engine sets aside for one");
    users_input(why, t);
    why_in_exact(t, "one request is given", m->sequence.reserved);
    why_gib(t, m->kv_reserved);
    why_engine(why, t, TERM_BLOCK);
    t = why_add(why, "margin", "KV pool - users' need");
    why_in_bytes(t, "KV pool", m->kv_pool);
    why_in_bytes(t, "users' need", m->kv_reserved);
    why_in(t, "verdict %s", verdict_word(why->plan->verdict));
    why_gib(t, margin);
    why_counted(t, "fits: low end >= 0; marginal: the band crosses 0");
}

static void rest_terms(struct why *why)
{
    const struct request *q = &why->plan->request;
    const struct memory *m = &why->plan->memory;
    struct term_why *t =
        why_add(why, "free", "usable - used - weights - overheads - users' need");
    why_in_bytes(t, "usable", m->usable);
    if (q->used > 0)
        why_in_bytes(t, "used", quantity_of(q->used, ORIGIN_ASSUMED));
    why_in_bytes(t, "weights", m->weights);
    why_in_bytes(t, "activation", m->activation);
    why_in_bytes(t, "non_torch", m->non_torch);
    why_in_bytes(t, "graphs", m->graphs);
    why_in_bytes(t, "users' need", m->kv_reserved);
    why_gib(t, m->free);
    why_counted(t, "the parts above");
    t = why_add(why, "rule of thumb", "params * bits/8 * 1.25, all GPUs together");
    why_in_count(t, "params", model_params(q->model), "exact");
    why_in(t, "bits %.4g (%s)", q->precision.weight->bits, q->precision.weight->id);
    why_gib(t, quantity_of(m->rule_of_thumb, ORIGIN_ASSUMED));
    why_counted(t, "the field's rule, shown to compare with, used for nothing");
}

void explain_pool(struct why *why)
{
    budget_term(why);
    if (!why->plan->request.model->weights_only) {
        pool_term(why);
        holds_terms(why);
        need_terms(why);
    }
    rest_terms(why);
}
