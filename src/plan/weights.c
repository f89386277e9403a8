/*
 * weights.c - see weights.h.
 */
#include "plan/weights.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "plan/draft.h"
#include "plan/kvcache.h"
#include "plan/terms_list.h"

/* What the files of a published checkpoint hold beside the count of its config.json in 16 bit:
 * buffers, and heads that are tied and stored all the same (facts of 181 hub totals). */
#define INFERRED_LOW 0.995
#define INFERRED_HIGH 1.005

/* MXFP4 experts are padded for the kernels: hidden to 256, width to 128 by Marlin (logged:
 * gpt-oss-20b 13.64 GiB where its tensors make 12.8). */
static double expert_padding(const struct request *q, const struct load *load,
                             const struct layer_kind *kind, const struct layout *l)
{
    const struct engine *e = q->engine;

    if (!load->pads_experts || kind->experts == 0)
        return 1;
    double cut = l->ep > l->tp ? 1 : (double)l->tp / l->ep;
    double width = kind->expert_ff / cut, hidden = q->model->hidden;
    return ceil(width / e->pad_width) * e->pad_width / width *
           (ceil(hidden / e->pad_hidden) * e->pad_hidden / hidden);
}

/* Triton pads next to nothing, but kept the scales (1/17 of the bytes) twice up to 0.24;
 * TensorRT-LLM's kernels pad both to 256. Which one runs depends on version, GPU and what
 * is installed, so the band covers them (fused_moe/oracle/mxfp4.py). */
static double most_padding(const struct request *q, const struct layer_kind *kind,
                           const struct layout *l)
{
    double cut = l->ep > l->tp ? 1 : (double)l->tp / l->ep;
    double width = kind->expert_ff / cut, hidden = q->model->hidden;

    if (kind->experts == 0)
        return 1;
    return fmax(ceil(width / 256) * 256 / width * (ceil(hidden / 256) * 256 / hidden), 18.0 / 17);
}

static double sum_shares(const double bytes[SHARE_COUNT], const double shares[SHARE_COUNT])
{
    double sum = 0;

    for (int s = 0; s < SHARE_COUNT; s++)
        sum += bytes[s] * shares[s];
    return sum;
}

/* Of what lies outside the layers. A tower of the library's own code is on every GPU as a whole,
 * and so is one whose heads TP does not divide: InternViT-6B's 25 (vLLM 0.33 intern_vit.py:141,
 * gemma4_mm.py:1102). */
static void outside_shares(const struct request *q, const struct layout *l,
                           double shares[SHARE_COUNT])
{
    const char *whole = q->engine->towers_whole;
    bool split = q->model->vision.heads == 0 || q->model->vision.heads % l->tp == 0;

    layout_shares(NULL, l, shares);
    if (engine_names_family(whole, q->model->family) ||
        (!split && engine_lists(whole, "indivisible")))
        shares[SHARE_TOWER] = 1;
}

/* ---- adapters: vLLM lora/layers/base_linear.py, column_parallel_linear.py and fused_moe.py
 * create_lora_weights(); SGLang lora/mem_pool.py get_lora_A_shape(), get_lora_B_shape();
 * llama.cpp src/llama-adapter.cpp ---- */

#define ATTENTION \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT | 1u << ROLE_ATTN_LATENT)
#define LINEAR                                                                                    \
    (ATTENTION | 1u << ROLE_ROUTER | 1u << ROLE_INDEXER | 1u << ROLE_RECURRENT | 1u << ROLE_MLP | \
     1u << ROLE_EXPERT | 1u << ROLE_SHARED)

/* Is it cut by its inputs? */
static bool by_inputs(const struct tensor *t)
{
    return t->role == ROLE_ATTN_OUT || strstr(t->name, "down_proj") ||
           strstr(t->name, "out_proj") ||
           (t->role == ROLE_RECURRENT && strcmp(t->name, "o_proj") == 0);
}

/* Of a layer of that kind on one GPU. */
static struct lora_elements layer_elements(const struct request *q, int kind,
                                           const struct layout *l)
{
    struct tensor t[MODEL_MAX_TENSORS];
    struct lora_elements sum = {0, 0, 0};
    int count = model_layer_tensors(q->model, kind, t);

    for (int i = 0; i < count; i++) {
        bool expert = t[i].role == ROLE_EXPERT, inputs = by_inputs(&t[i]);
        double cut = layout_share(&q->model->kind[kind], t[i].role, l);
        double whole = expert ? 1.0 / (l->ep > 0 ? l->ep : 1) : 1; /* fewer experts */

        if (!(LINEAR >> t[i].role & 1) || (expert && !q->engine->lora_experts))
            continue;
        double one =
            t[i].count * (t[i].cols * (inputs ? cut : whole) + t[i].rows * (inputs ? whole : cut));
        sum.all += one;
        sum.attention += ATTENTION >> t[i].role & 1 ? one : 0;
        sum.experts += expert ? one : 0;
    }
    return sum;
}

/* ---- cut for a layout ---- */

void weights_cut(const struct request *q, const struct load *load, const struct layout *l,
                 struct weights_cut *out)
{
    double shares[SHARE_COUNT];

    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];

        layout_shares(kind, l, shares);
        shares[SHARE_EXPERT] *= expert_padding(q, load, kind, l);
        out->layer[k] = sum_shares(load->cut[k], shares) + sum_shares(load->added[k], shares);
        double experts = load->cut[k][SHARE_EXPERT] * shares[SHARE_EXPERT];
        double plain = experts / expert_padding(q, load, kind, l);
        out->less[k] = experts - plain;
        out->more[k] = load->pads_experts ? fmax(plain * most_padding(q, kind, l) - experts, 0) : 0;
        out->expert[k] = experts;
        if (q->lora_slots > 0)
            out->lora[k] = layer_elements(q, k, l);
    }
    outside_shares(q, l, shares);
    out->held = load->host_bytes;
    out->fused = fmax(load->fused[0] * shares[SHARE_TP], load->fused[1] * shares[SHARE_EXPERT]);
    for (int p = 0; p < PLACE_COUNT; p++)
        out->outside[p] = sum_shares(load->outside[p], shares);
    out->each = load->rope_table;
    if (q->host_layers > q->model->layer_count)
        out->outside[PLACE_LAST] = out->outside[PLACE_EITHER] = 0;
}

double weights_stage_sum(const double of_kind[MODEL_MAX_KINDS], int kinds, const int *layers)
{
    double sum = 0;

    for (int k = 0; k < kinds; k++)
        sum += layers[k] * of_kind[k];
    return sum;
}

double weights_total(const struct weights_cut *w, int kinds, const int *layers, bool first,
                     bool last)
{
    double total = w->each + weights_stage_sum(w->layer, kinds, layers);

    if (first)
        total += w->outside[PLACE_FIRST];
    if (last)
        total += w->outside[PLACE_LAST];
    return first || last ? total + w->outside[PLACE_EITHER] : total;
}

/* ---- in host memory ---- */

/* The output matrix, and the embedding that serves as one. */
static bool place_on_host(const struct request *q, enum place place)
{
    return q->host_layers > q->model->layer_count && place != PLACE_FIRST;
}

struct quantity weights_held(const struct request *q, const struct weights_cut *w, int first,
                             int end)
{
    double layers = 0, experts = 0;

    for (int i = first; i < end && i < q->host_experts; i++)
        experts += w->expert[q->model->layer[i]];
    if (w->held <= 0)
        return quantity_exact(experts);
    for (int i = first; i < end; i++)
        layers += w->layer[q->model->layer[i]];
    double asked = fmin(w->held, layers);
    double most = fmin(w->held + w->fused, layers);
    /* what is packed anew after loading is on the GPU again */
    bool lost = !q->engine->offload_kept && q->precision.weight->bits < 16;
    return quantity_band(lost ? 0 : asked, lost ? 0 : asked, most, ORIGIN_MODEL);
}

double weights_on_host(const struct request *q, const struct load *load)
{
    const struct model *m = q->model;
    double bytes = 0;

    for (int i = 0; i < load_host_layers(q); i++)
        for (int r = 0; r < ROLE_COUNT; r++)
            if (load_on_host(q, i, r))
                bytes += load->layer[m->layer[i]][r];
    for (int r = 0; r < ROLE_COUNT; r++)
        if (place_on_host(q, load_place(m, (enum tensor_role)r)))
            bytes += load->global[r];
    return bytes;
}

double weights_host_kv(const struct request *q, const struct load *load, double users)
{
    int layers = q->model->layer_count - layout_gpu_layers(q);
    struct request r = *q;

    if (q->kv_on_host)
        layers = q->model->layer_count;
    else
        r.draft = NULL; /* its layers are on GPUs */
    if (layers == 0 || q->model->weights_only)
        return 0;
    struct kv_sequence one =
        kvcache_sequence(&r, 1, 0, layers, q->context, load->max_batched_tokens);
    return users * one.reserved + one.fixed;
}

/* ---- how sure they are ---- */

/* A config.json promises, headers tell; what is not counted is on each GPU at worst. */
static struct quantity weights_promised(const struct request *q, struct quantity bytes)
{
    const struct model_bytes *b = &q->model->bytes;
    bool own = q->precision.native && b->low > 0;
    double width = q->precision.base->bits / 8;
    double towers = q->model->unsure_params * width, missing = q->model->missing_params * width;

    if (!b->inferred)
        return bytes;
    return quantity_band(bytes.value, fmax(bytes.low * (own ? b->low : INFERRED_LOW) - towers, 0),
                         bytes.high * (own ? b->high : INFERRED_HIGH) + towers + missing,
                         ORIGIN_MODEL);
}

struct quantity weights_files(const struct request *q)
{
    return weights_promised(q, quantity_exact(load_checkpoint(q).file_bytes));
}

struct quantity weights_sure(const struct request *q, const struct load *load,
                             const struct weights_cut *cut, const int *layers, double bytes)
{
    int kinds = q->model->kind_count;
    const struct quantity *loaded = &q->engine->loaded;
    enum origin shape = q->model->assumed ? ORIGIN_ASSUMED : ORIGIN_EXACT;
    struct quantity out = quantity_of(bytes, shape);

    if (load->pads_experts)
        out = quantity_band(bytes, bytes - weights_stage_sum(cut->less, kinds, layers),
                            bytes + weights_stage_sum(cut->more, kinds, layers), ORIGIN_MODEL);
    if (q->model->assumed && q->precision.native && q->model->bytes.known)
        out = quantity_exact(bytes);   /* whatever the shape */
    else if (q->precision.weight->mix) /* a blend of types meets published sizes within 0.5 % */
        out = quantity_band(out.value, out.low * 0.995,
                            out.high * 1.005 + weights_stage_sum(load->recipe, kinds, layers),
                            ORIGIN_MODEL);
    out = weights_promised(q, out);
    if (q->precision.named)
        out = quantity_band(out.value, out.low * q->precision.named_low,
                            out.high * q->precision.named_high, ORIGIN_MODEL);
    if (loaded->value > 0)
        out = quantity_band(out.value * loaded->value, out.low * loaded->low,
                            out.high * loaded->high, ORIGIN_MODEL);
    return out;
}

/* ---- the draft ---- */

struct quantity weights_draft(const struct request *q, const struct load *load,
                              const struct layout *l, int stage)
{
    bool spread = q->engine->gguf && l->pp > 1;
    double shares[SHARE_COUNT], total = load->draft_each;

    if (!q->draft || (!spread && stage != l->pp - 1))
        return quantity_exact(0);
    for (int k = 0; k < q->draft->kind_count; k++) {
        layout_shares(&q->draft->kind[k], l, shares);
        total += sum_shares(load->draft[k], shares);
    }
    /* vLLM and SGLang share the model's embedding with its MTP layers where both are on one
     * stage: not with a pipeline */
    total += draft_facts[q->draft_kind].shares && l->pp > 1 ? load->global[ROLE_EMBED] / l->tp : 0;
    double value = spread ? total / l->pp : total;
    if (spread) /* by the memory that is free when it is loaded */
        return quantity_band(value, value / 2, fmin(value * 2, total), ORIGIN_MODEL);
    if (draft_precision(q)->weight->mix)
        return quantity_band(value, value * 0.995, value * 1.005, ORIGIN_MODEL);
    if (load->draft_wide > 1)
        return quantity_band(value, value, value * load->draft_wide, ORIGIN_MODEL);
    return quantity_of(value, q->draft->assumed ? ORIGIN_ASSUMED : ORIGIN_EXACT);
}

/* vLLM sizes those of MXFP4 experts as its kernels pad the experts: to 256 at most. */
static double lora_padding(const struct request *q, const struct layer_kind *k,
                           const struct layout *l)
{
    bool mxfp4 = strcmp(q->precision.by_role[ROLE_EXPERT]->id, "mxfp4") == 0;
    double cut = l->ep > l->tp ? 1 : (double)l->tp / l->ep;
    double width = k->expert_ff / cut, hidden = q->model->hidden;

    if (!mxfp4 || q->engine->pad_hidden <= 0 || width <= 0)
        return 0;
    return fmax(ceil(width / 256) * 256 / width, ceil(hidden / 256) * 256 / hidden) - 1;
}

struct quantity lora_bytes(const struct request *q, const struct weights_cut *cut,
                           const struct layout *l, int first, int end)
{
    const struct model *m = q->model;
    struct lora_elements sum = {0, 0, 0};
    double padded = 0;
    int layers[MODEL_MAX_KINDS];
    double element = q->engine->lora_fp32 ? 4 : q->precision.base->bits / 8;
    double bytes = (double)q->lora_slots * q->lora_rank * element;

    if (q->lora_slots <= 0)
        return quantity_exact(0);
    model_count_kinds(m, first, end, layers);
    for (int k = 0; k < m->kind_count; k++) {
        struct lora_elements one = cut->lora[k];

        sum.all += layers[k] * one.all;
        sum.attention += layers[k] * one.attention;
        padded += layers[k] * one.experts * lora_padding(q, &m->kind[k], l);
    }
    /* embedding and head, of the stage that has them */
    double words = (first == 0) + (end == m->layer_count);
    double high = sum.all + padded + words * ((double)m->vocab + m->hidden);
    double low = q->engine->lora_chosen ? sum.attention : sum.all;
    return quantity_band(bytes * sum.all, bytes * low * (q->engine->lora_fp32 ? 0.5 : 1),
                         bytes * high, ORIGIN_MODEL);
}

/* ---- by role ---- */

struct weights weights_stage(const struct request *q, const struct load *load,
                             const struct layout *l, int stage)
{
    struct weights w = {.loaded = load->rope_table};
    double shares[SHARE_COUNT], outside[SHARE_COUNT];
    int layers[MODEL_MAX_KINDS], experts[MODEL_MAX_KINDS];
    int first = layout_stage_begin(q, l->pp, stage);
    int end = layout_stage_begin(q, l->pp, stage + 1);

    model_count_kinds(q->model, first, end, layers);
    first = first < q->host_experts ? q->host_experts : first;
    model_count_kinds(q->model, first < end ? first : end, end, experts);
    outside_shares(q, l, outside);
    for (int r = 0; r < ROLE_COUNT; r++) {
        enum tensor_role role = (enum tensor_role)r;
        enum place place = load_place(q->model, role);
        bool here =
            (place != PLACE_LAST && stage == 0) || (place != PLACE_FIRST && stage == l->pp - 1);

        if (here && !place_on_host(q, place))
            w.role[r] = load->global[r] * outside[load_outside_rule(q, role)];
        for (int k = 0; k < q->model->kind_count; k++) {
            const struct layer_kind *kind = &q->model->kind[k];
            double bytes = layers[k] * load->layer[k][r];

            if (role == ROLE_EXPERT)
                bytes = experts[k] * load->layer[k][r] * expert_padding(q, load, kind, l);
            w.role[r] += bytes * layout_share(kind, role, l);
        }
        w.total += w.role[r];
    }
    for (int k = 0; k < q->model->kind_count; k++) {
        layout_shares(&q->model->kind[k], l, shares);
        w.loaded += layers[k] * sum_shares(load->added[k], shares);
    }
    w.total += w.loaded;
    return w;
}

double weights_file_bytes(const struct request *q)
{
    return load_checkpoint(q).file_bytes;
}

/* ---- terms ---- */

/* "Of which" terms are differences of two answers of weights_stage(), with a part and
 * without it. Example: gpt-oss-20b in MXFP4 on one GPU: 13.64 GiB with its experts
 * padded from 2880 to 3072 x 2944, 12.8 without. */

/* Of a role's elements, in the mean. */
static double role_bits(const struct request *q, enum tensor_role role)
{
    const struct format *f = q->precision.by_role[role];
    struct load load = load_checkpoint(q);
    double bytes = load.global[role], elements = model_params_role(q->model, role);

    if (!f->typed || elements <= 0)
        return f->mix ? format_core_bits(f, model_params(q->model)) : f->bits;
    for (int k = 0; k < q->model->kind_count; k++)
        bytes += load.layer[k][role] * model_kind_layers(q->model, k);
    return bytes * 8 / elements;
}

/* What is said of a format: bits, and the scales beside them. */
static const char *input_format(struct terms *w, const struct format *f, enum tensor_role role)
{
    input_number(w, "bits", role_bits(&w->plan->request, role), f->id);
    input_number(w, "embedding", f->embed_bits, "sheet");
    input_number(w, "output", f->output_bits, "sheet");
    input_unit(w, "scales per group", f->group_bytes, "B", "exact");
    input_number(w, "rows of a group", f->group_rows, "exact");
    input_number(w, "inputs of a group", f->group_cols, "exact");
    input_unit(w, "scales per input", f->input_bytes, "B", "exact");
    input_unit(w, "scales per tensor", f->tensor_bytes, "B", "exact");
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
    bool padded = role == ROLE_EXPERT && q->engine->pad_hidden > 0 && strcmp(f->id, "mxfp4") == 0;
    int known = w->known_count;

    input_number(w, "elements", model_params_role(q->model, role), "exact");
    const struct layer_kind *kind = model_kind_of_role(q->model, role);
    double outside[SHARE_COUNT];

    outside_shares(q, &p->layout, outside);
    input_number(w, "share of one GPU",
                 kind ? layout_share(kind, role, &p->layout) : outside[load_outside_rule(q, role)],
                 NULL);
    input_unit(w, "stage", p->layout.pp > 1 ? p->memory.stage + 1 : 0, "alone", NULL);
    term_add(w, "weights", "W_i",
             own && q->model->bytes.inferred ? "bytes of each matrix by the rules of "
                                               "config.json * share"
             : own                           ? "bytes of the checkpoint's tensors * share"
             : padded ? "(rows*cols*bits/8 + scales) * share + padding, shown below"
                      : "(rows*cols*bits/8 + scales) * share",
             quantity_of(p->memory.split.role[role], p->memory.weights.origin), "GiB",
             own ? source_model(q->model) : source_text(f->id, f->source),
             own ? "elements, share of one GPU, tp, ep, stage" : input_format(w, f, role));
    term_is_part(w, role_word(role), 0);
    inputs_truncate(w, known);
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
    struct load load = load_sum(q);
    bool fp32 = engine_names_family(e->rope_fp32, q->model->family);
    bool mrope = engine_names_family(e->rope_4x, q->model->family);

    if (load.rope_table <= 0)
        return;
    input_number(w, "tables", load.rope_tables, "exact");
    input_unit(w, "value", fp32 ? 4 : 2, "B", "engine");
    input_number(w, "rows a position", mrope ? 4 : 0, "engine");
    term_add(w, "weights: rope table", "rope", "sum over tables: positions * rotary width * value",
             quantity_exact(load.rope_table), "GiB", source_engine(e, TERM_ROPE),
             "tables, max_context, rows a position, value");
}

/* What the engine `e`, without one of the things that the plan's adds at load time, adds
 * less. */
static void add_added(struct terms *w, const char *name, const char *symbol, const char *equation,
                      const struct engine *e, const char *inputs)
{
    const struct plan *p = w->plan;
    struct weights less = weights_with(p, p->request.model, e, p->request.prune);
    double bytes = p->memory.split.loaded - less.loaded;

    if (bytes > 0)
        term_add(w, name, symbol, equation, quantity_exact(bytes), "GiB",
                 source_engine(p->request.engine, TERM_LOADED), inputs);
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
    input_number(w, "ph", q->engine->pad_hidden, "engine");
    input_number(w, "pw", q->engine->pad_width, "engine");
    input_bytes(w, "unpadded weights", quantity_of(bare, origin));
    if (padding > 0)
        term_add(w, "weights: of which padding", "padding",
                 "experts * (ceil(mff/pw)*pw/mff * ceil(h/ph)*ph/h - 1)",
                 quantity_of(padding, origin), "GiB",
                 source_rule(q->engine, TERM_PADDING, TERM_MOE), "ph, pw, h, unpadded weights");
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
    input_bytes(w, "dense weights", quantity_of(dense, origin));
    input_number(w, "share of zeros", half ? 0 : q->prune_share, "request");
    term_add(w, "weights: saved by pruning", "pruned",
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
    double prompt_cache = model_is_served(q->model) ? q->engine->prompt_cache_gib * GP_GIB : 0;

    input_number(w, "layers in host memory", q->host_layers, "request");
    input_number(w, "layers whose experts are there", q->host_experts, "request");
    input_exact(w, "asked for", q->host_bytes);
    if (m->host.high > 0)
        term_add(w, "host memory: weights", "host",
                 q->host_bytes > 0 ? "whole parameters of layers until there is as much"
                                   : "sum over those layers, all GPUs together",
                 m->host, "GiB", source_engine(q->engine, TERM_OFFLOAD),
                 "layers in host memory, layers whose experts are there, asked for");
    if (m->tables.value > 0)
        term_add(w, "host memory: n-gram tables", "tables",
                 "n-grams x bytes of an element, once for a replica", m->tables, "GiB",
                 source_engine(q->engine, TERM_TABLES), "n-grams");
    if (m->host_kv.value > 0 && q->host_kv <= 0 && !q->kv_on_host)
        term_add(w, "host memory: KV", "host KV", "KV of those layers, all users of a replica",
                 m->host_kv, "GiB", source_engine(q->engine, TERM_OFFLOAD),
                 "layers in host memory, users per replica, s");
    input_unit(w, "cache-ram", prompt_cache / GP_GIB, "GiB", "engine default");
    if (prompt_cache > 0)
        term_add(w, "host memory: prompt cache", "prompts",
                 "states of prompts that left their slot, at most: --cache-ram, none with 0",
                 quantity_band(prompt_cache, 0, prompt_cache, ORIGIN_MODEL), "GiB",
                 source_engine(q->engine, TERM_PROMPT_CACHE), "cache-ram");
    input_exact(w, "KV asked for", q->host_kv);
    if (q->host_kv > 0 || q->kv_on_host)
        term_add(w, "host memory: KV", "host KV",
                 q->kv_on_host ? "the whole cache, all users of a replica"
                               : "as asked for, beside the pool: it holds no request "
                                 "in flight",
                 m->host_kv, "GiB", source_engine(q->engine, TERM_KV_OFFLOAD),
                 "KV asked for, users per replica, s");
}

/* The draft, and where it differs from a model of its own. */
static void add_draft(struct terms *w)
{
    const struct request *q = &w->plan->request;

    if (!q->draft)
        return;
    input_word(w, "draft", q->draft->name);
    input_word(w, "its weights", draft_precision(q)->id);
    input_word(w, "its KV", draft_kv(q)->id);
    input_number(w, "its layers", q->draft->layer_count, "exact");
    input_number(w, "its parameters", model_params(q->draft), "exact");
    input_number(w, "drafted tokens", q->draft_tokens, "request");
    term_add(w, q->draft_kind == DRAFT_MTP ? "weights: MTP" : "weights: draft", "draft",
             draft_facts[q->draft_kind].formula, w->plan->memory.draft, "GiB",
             source_engine(q->engine, TERM_DRAFT),
             "draft, its weights, its KV, its layers, its parameters, "
             "drafted tokens, tp, pp");
}

void weights_terms(struct terms *w)
{
    const struct request *q = &w->plan->request;
    const struct memory *m = &w->plan->memory;

    input_word(w, "precision", q->precision.id);
    input_number(w, "bytes of its files", q->model->bytes.known ? q->model->bytes.file_bytes : 0,
                 "exact");
    term_add(w, "checkpoint", "checkpoint", "sum over all tensors, one copy",
             quantity_of(m->file_bytes, m->weights.origin), "GiB", source_model(q->model),
             "precision, bytes of its files");
    for (int r = 0; r < ROLE_COUNT; r++)
        if (m->split.role[r] > 0)
            add_role(w, (enum tensor_role)r);
    /* loaded = rope tables + absorbed MLA + second scales. */
    const struct engine *e = q->engine;
    static const char *const sums[2][2] = {
        {"sum of W_i + rope + absorbed + second scales",
         "sum of W_i + rope + absorbed + second scales + draft + slots of LoRA"},
        {"sum of W_i + rope + absorbed + second scales - host",
         "sum of W_i + rope + absorbed + second scales - host + draft + slots of LoRA"},
    };
    struct engine no_mla = *e, no_scales = *e;

    no_mla.mla_copies[0] = no_scales.nvfp4_scales_twice[0] = '\0';
    add_ropes(w);
    add_added(w, "weights: absorbed MLA", "absorbed",
              engine_lists(e->mla_copies, "values") ? "layers * kvl * nh * (nope + v) * 16 bit / tp"
                                                    : "layers * kvl * nh * nope * 16 bit / tp",
              &no_mla, "kv_b once more, cut per head, for decoding, tp");
    add_added(w, "weights: NVFP4 scales, second layout", "second scales", "elements / 16 * share",
              &no_scales, "elements, tp, ep");
    double host = load_sum(q).on_host;
    if (host > 0)
        term_add(w, "weights: in host memory", "embedding on host",
                 "embeddings that are only looked up", quantity_of(host, m->weights.origin), "GiB",
                 source_engine(q->engine, TERM_FORWARD), "not on a GPU");
    add_host(w);
    add_draft(w);
    if (q->lora_slots > 0) {
        input_number(w, "adapters", q->lora_slots, "request");
        input_number(w, "r", q->lora_rank, "request");
        term_add(w, "weights: LoRA slots", "slots of LoRA",
                 "adapters * r * (cols + rows), one of them / tp, of each linear layer", m->lora,
                 "GiB", source_engine(e, TERM_LORA), "adapters, r, L, h, ff, experts, tp, ep, a");
    }
    term_add(w, "weights", "weights", sums[q->host_bytes > 0][q->draft || q->lora_slots > 0],
             m->weights, "GiB", source_model(q->model), "tp, pp, ep");
    add_padding(w);
    add_pruning(w);
}
