/*
 * weights.c - see weights.h.
 */
#include "core/weights.h"

#include <math.h>
#include <string.h>

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

static void add_layers(const struct request *q, const struct load *load,
                       const struct layout *l, int first, int end, struct weights *w)
{
    double layers[MODEL_MAX_KINDS] = {0};
    for (int i = first; i < end; i++)
        layers[q->model->layer[i]]++;
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];
        if (layers[k] == 0)
            continue;
        for (int r = 0; r < ROLE_COUNT; r++) {
            double bytes = load->layer[k][r] * layers[k];
            if (bytes <= 0)
                continue;
            if (r == ROLE_EXPERT)
                bytes *= expert_padding(q, kind, l);
            w->role[r] += bytes * layout_share(q->model, kind, (enum tensor_role)r, l);
        }
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

static void add_globals(const struct request *q, const struct load *load,
                        const struct layout *l, int stage, struct weights *w)
{
    for (int r = 0; r < ROLE_COUNT; r++)
        if (load->global[r] > 0 &&
            on_stage(q->model, (enum tensor_role)r, stage, l->pp))
            w->role[r] +=
                load->global[r] * layout_share(q->model, NULL, (enum tensor_role)r, l);
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

struct weights weights_stage(const struct request *q, const struct load *load,
                             const struct layout *l, int stage)
{
    struct weights w = {0};
    int first = layout_stage_first(q->model, l->pp, stage);
    int end = layout_stage_first(q->model, l->pp, stage + 1);
    add_layers(q, load, l, first, end, &w);
    add_globals(q, load, l, stage, &w);
    if (q->engine->rope_table)
        w.loaded = rope_bytes(q) + absorbed_bytes(q, l, first, end);
    w.total = w.loaded;
    for (int r = 0; r < ROLE_COUNT; r++)
        w.total += w.role[r];
    return w;
}

double weights_file_bytes(const struct request *q)
{
    return load_sum(q).file_bytes;
}
