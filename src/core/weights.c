/*
 * weights.c - see weights.h.
 */
#include "core/weights.h"

#include <math.h>
#include <string.h>

#define PRUNABLE                                                                       \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT | 1u << ROLE_MLP |   \
     1u << ROLE_EXPERT | 1u << ROLE_SHARED)

/* 2:4 keeps bits/2 per weight and 1 bit of index: 16 -> 9, 8 -> 5, 4 -> 3. */
static double prune_factor(const struct request *q, enum tensor_role role)
{
    double bits = q->precision.by_role[role]->bits;
    if (q->prune != PRUNE_2_4 || !(PRUNABLE >> role & 1) || bits <= 0)
        return 1;
    return (bits / 2 + 1) / bits;
}

/* llama.cpp stores the output matrix, and a tied embedding, in the mix's output type,
 * the embedding in its own, and everything else in a blend. */
static double mix_bytes(const struct request *q, const struct tensor *t, double core)
{
    const struct format *f = q->precision.weight;

    bool output = t->role == ROLE_HEAD || (t->role == ROLE_EMBED && q->model->tied);
    double bits = output                  ? f->output_bits
                  : t->role == ROLE_EMBED ? f->embed_bits
                                          : core;
    if (t->rows > 1 && f->block > 0 && fmod(t->cols, f->block) != 0 &&
        f->fallback_bits > bits)
        bits = f->fallback_bits;
    return t->rows * t->cols * bits / 8;
}

static double tensor_bytes(const struct request *q, const struct tensor *t, double core)
{
    const struct format *f = q->precision.by_role[t->role];
    if (q->precision.weight->mix && t->role == ROLE_VISION)
        return 0; /* GGUF: a file of its own (mmproj) */
    double bytes = f->mix ? mix_bytes(q, t, core) : format_bytes(f, t->rows, t->cols);
    return t->count * bytes * prune_factor(q, t->role);
}

/* MXFP4 experts are padded for the kernels: hidden to 256, width to 128 (vLLM since
 * 0.12; logged: gpt-oss-20b 13.64 GiB where its tensors make 12.8). */
static double expert_padding(const struct request *q, const struct layer_kind *kind,
                             const struct layout *l)
{
    const struct engine *e = q->engine;
    if (e->pad_hidden <= 0 ||
        strcmp(q->precision.by_role[ROLE_EXPERT]->id, "mxfp4") != 0)
        return 1;
    double cut = l->ep > l->tp ? 1 : (double)l->tp / l->ep;
    double width = kind->expert_ff / cut, hidden = q->model->hidden;
    return ceil(width / e->pad_width) * e->pad_width / width *
           (ceil(hidden / e->pad_hidden) * e->pad_hidden / hidden);
}

static void add_tensors(const struct request *q, const struct layout *l,
                        const struct layer_kind *kind, const struct tensor *t,
                        int count, double times, struct weights *w)
{
    const struct format *f = q->precision.weight;
    double core = f->mix ? format_core_bits(f, model_params(q->model)) : 0;
    for (int i = 0; i < count; i++) {
        double bytes = tensor_bytes(q, &t[i], core) * times;
        if (t[i].role == ROLE_EXPERT && kind)
            bytes *= expert_padding(q, kind, l);
        w->role[t[i].role] += bytes * layout_share(q->model, kind, t[i].role, l);
    }
}

/* The same from a checkpoint's own bytes: kind k's bytes spread over its layers. */
static void add_exact(const struct request *q, const struct layout *l, int k,
                      double times, struct weights *w)
{
    const struct model *m = q->model;
    const struct layer_kind *kind = k < m->kind_count ? &m->kind[k] : NULL;
    double layers = kind ? model_kind_layers(m, k) : 1;
    for (int r = 0; r < ROLE_COUNT; r++) {
        double bytes = m->bytes.by_role[k][r] * times / layers;
        if (r == ROLE_EXPERT && kind)
            bytes *= expert_padding(q, kind, l);
        w->role[r] += bytes * layout_share(m, kind, (enum tensor_role)r, l);
    }
}

static bool exact(const struct request *q)
{
    return q->precision.native && q->model->bytes.known && q->prune == PRUNE_NONE;
}

static void add_layers(const struct request *q, const struct layout *l, int first,
                       int end, struct weights *w)
{
    double layers[MODEL_MAX_KINDS] = {0};
    for (int i = first; i < end; i++)
        layers[q->model->layer[i]]++;
    for (int k = 0; k < q->model->kind_count; k++) {
        struct tensor t[MODEL_MAX_TENSORS];
        if (layers[k] == 0)
            continue;
        if (exact(q))
            add_exact(q, l, k, layers[k], w);
        else
            add_tensors(q, l, &q->model->kind[k], t,
                        model_layer_tensors(q->model, k, t), layers[k], w);
    }
}

/* Which of the tensors outside the layers stand on this stage: the first has the
 * embedding and the vision tower, the last the head and final norm. */
static bool on_stage(const struct model *m, enum tensor_role role, int stage, int pp)
{
    bool first = stage == 0, last = stage == pp - 1;
    switch (role) {
    case ROLE_EMBED:
        return first || (last && m->tied);
    case ROLE_HEAD:
    case ROLE_NORM:
        return last;
    default:
        return first;
    }
}

static void add_globals(const struct request *q, const struct layout *l, int stage,
                        struct weights *w)
{
    struct weights all = {0};
    if (exact(q)) {
        add_exact(q, l, q->model->kind_count, 1, &all);
    } else {
        struct tensor t[MODEL_MAX_TENSORS];
        add_tensors(q, l, NULL, t, model_global_tensors(q->model, t), 1, &all);
    }
    for (int r = 0; r < ROLE_COUNT; r++)
        if (on_stage(q->model, (enum tensor_role)r, stage, l->pp))
            w->role[r] += all.role[r];
}

/* cos and sin of every position, of the widest rotary width; models that rotate a part
 * of each head are counted a little high. */
static double rope_bytes(const struct request *q)
{
    const struct model *m = q->model;
    int widest = 0;
    if (m->positions > 0)
        return 0;
    for (int k = 0; k < m->kind_count; k++) {
        const struct layer_kind *kind = &m->kind[k];
        int dim = kind->rope_dim > 0 ? kind->rope_dim : kind->head_dim;
        if (kind->mixer >= MIXER_FULL && kind->mixer <= MIXER_CSA && dim > widest)
            widest = dim;
    }
    return (double)m->max_context * widest * q->precision.base->bits / 8;
}

static double absorbed_bytes(const struct request *q, const struct layout *l, int first,
                             int end)
{
    double bytes = 0;
    for (int i = first; i < end; i++) {
        const struct layer_kind *k = &q->model->kind[q->model->layer[i]];
        if (k->mixer == MIXER_MLA)
            bytes += (double)k->kv_lora * k->heads * (k->nope_dim + k->v_head_dim) *
                     q->precision.base->bits / 8 / l->tp;
    }
    return bytes;
}

struct weights weights_stage(const struct request *q, const struct layout *l, int stage)
{
    struct weights w = {0};
    int first = layout_stage_first(q->model, l->pp, stage);
    int end = layout_stage_first(q->model, l->pp, stage + 1);
    add_layers(q, l, first, end, &w);
    add_globals(q, l, stage, &w);
    if (q->engine->rope_table)
        w.loaded = rope_bytes(q) + absorbed_bytes(q, l, first, end);
    w.total = w.loaded;
    for (int r = 0; r < ROLE_COUNT; r++)
        w.total += w.role[r];
    return w;
}

double weights_file_bytes(const struct request *q)
{
    struct request one = *q;
    struct engine plain = *q->engine;
    struct layout l = {.tp = 1, .pp = 1, .ep = 1, .replicas = 1, .gpus = 1, .hosts = 1};
    plain.rope_table = false;
    plain.pad_hidden = 0;
    one.engine = &plain;
    return weights_stage(&one, &l, 0).total;
}
