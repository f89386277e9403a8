/*
 * weights.c - see weights.h.
 */
#include "core/weights.h"

#include <math.h>

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
    return fmax(ceil(width / 256) * 256 / width * (ceil(hidden / 256) * 256 / hidden),
                18.0 / 17);
}

static double sum_shares(const double bytes[SHARE_COUNT],
                         const double shares[SHARE_COUNT])
{
    double sum = 0;
    for (int s = 0; s < SHARE_COUNT; s++)
        sum += bytes[s] * shares[s];
    return sum;
}

void weights_cut(const struct request *q, const struct load *load,
                 const struct layout *l, struct weights_cut *out)
{
    double shares[SHARE_COUNT];
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];
        layout_shares(kind, l, shares);
        shares[SHARE_EXPERT] *= expert_padding(q, load, kind, l);
        out->layer[k] = sum_shares(load->cut[k], shares) + load->absorbed[k] / l->tp;
        double experts = load->cut[k][SHARE_EXPERT] * shares[SHARE_EXPERT];
        double plain = experts / expert_padding(q, load, kind, l);
        out->less[k] = experts - plain;
        out->more[k] = load->pads_experts ? fmax(plain * most_padding(q, kind, l) - experts, 0)
                                          : 0;
    }
    layout_shares(NULL, l, shares);
    for (int p = 0; p < PLACE_COUNT; p++)
        out->outside[p] = sum_shares(load->outside[p], shares);
    out->each = load->rope_table;
}

double weights_stage_sum(const double of_kind[MODEL_MAX_KINDS], int kinds,
                         const int *layers)
{
    double sum = 0;
    for (int k = 0; k < kinds; k++)
        sum += layers[k] * of_kind[k];
    return sum;
}

double weights_total(const struct weights_cut *w, int kinds, const int *layers,
                     bool first, bool last)
{
    double total = w->each + weights_stage_sum(w->layer, kinds, layers);
    if (first)
        total += w->outside[PLACE_FIRST];
    if (last)
        total += w->outside[PLACE_LAST];
    return first || last ? total + w->outside[PLACE_EITHER] : total;
}

/* ---- by role ---- */

static bool on_stage(enum place place, int stage, int pp)
{
    bool first = stage == 0, last = stage == pp - 1;
    return place == PLACE_FIRST ? first : place == PLACE_LAST ? last : first || last;
}

struct weights weights_stage(const struct request *q, const struct load *load,
                             const struct layout *l, int stage)
{
    struct weights w = {.loaded = load->rope_table};
    int layers[MODEL_MAX_KINDS];
    model_count_kinds(q->model, layout_stage_first(q->model, l->pp, stage),
                      layout_stage_first(q->model, l->pp, stage + 1), layers);
    for (int r = 0; r < ROLE_COUNT; r++) {
        enum tensor_role role = (enum tensor_role)r;
        if (on_stage(load_place(q->model, role), stage, l->pp))
            w.role[r] = load->global[r] * layout_share(q->model, NULL, role, l);
        for (int k = 0; k < q->model->kind_count; k++) {
            const struct layer_kind *kind = &q->model->kind[k];
            double bytes = layers[k] * load->layer[k][r];
            if (role == ROLE_EXPERT)
                bytes *= expert_padding(q, load, kind, l);
            w.role[r] += bytes * layout_share(q->model, kind, role, l);
        }
        w.total += w.role[r];
    }
    for (int k = 0; k < q->model->kind_count; k++)
        w.loaded += layers[k] * load->absorbed[k] / l->tp;
    w.total += w.loaded;
    return w;
}

double weights_file_bytes(const struct request *q)
{
    return load_checkpoint(q).file_bytes;
}
