/*
 * weights.c - see weights.h.
 */
#include "core/weights.h"

#include <math.h>

#include "core/kvcache.h"

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
        out->layer[k] = sum_shares(load->cut[k], shares) +
                        sum_shares(load->added[k], shares);
        double experts = load->cut[k][SHARE_EXPERT] * shares[SHARE_EXPERT];
        double plain = experts / expert_padding(q, load, kind, l);
        out->less[k] = experts - plain;
        out->more[k] = load->pads_experts ? fmax(plain * most_padding(q, kind, l) - experts, 0)
                                          : 0;
        out->expert[k] = experts;
    }
    layout_shares(NULL, l, shares);
    out->held = load->host_bytes;
    out->fused = fmax(load->fused[0] * shares[SHARE_TP],
                      load->fused[1] * shares[SHARE_EXPERT]);
    for (int p = 0; p < PLACE_COUNT; p++)
        out->outside[p] = sum_shares(load->outside[p], shares);
    out->each = load->rope_table;
    if (q->host_layers > q->model->layer_count)
        out->outside[PLACE_LAST] = out->outside[PLACE_EITHER] = 0;
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

/* ---- in host memory ---- */

static double experts_held(const struct request *q, const struct weights_cut *w,
                           int first, int end)
{
    double bytes = 0;
    for (int i = first; i < end && i < q->host_experts; i++)
        bytes += w->expert[q->model->layer[i]];
    return bytes;
}

/* The output matrix, and the embedding that serves as one. */
static bool place_on_host(const struct request *q, enum place place)
{
    return q->host_layers > q->model->layer_count && place != PLACE_FIRST;
}

struct quantity weights_held(const struct request *q, const struct weights_cut *w,
                             int first, int end)
{
    double layers = 0, experts = experts_held(q, w, first, end);
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

/* ---- the draft ---- */

/* vLLM and SGLang share the model's embedding with its MTP layers where both are on one
 * stage: not with a pipeline. */
static double draft_total(const struct request *q, const struct load *load,
                          const struct layout *l)
{
    double shares[SHARE_COUNT], bytes = load->draft_each;
    for (int k = 0; k < q->draft->kind_count; k++) {
        layout_shares(&q->draft->kind[k], l, shares);
        bytes += sum_shares(load->draft[k], shares);
    }
    return bytes + (q->draft_mtp && l->pp > 1 ? load->global[ROLE_EMBED] / l->tp : 0);
}

struct quantity weights_draft(const struct request *q, const struct load *load,
                              const struct layout *l, int stage)
{
    bool spread = q->engine->gguf && l->pp > 1;
    if (!q->draft || (!spread && stage != l->pp - 1))
        return quantity_exact(0);
    double total = draft_total(q, load, l), value = spread ? total / l->pp : total;
    enum origin origin = q->draft->assumed ? ORIGIN_ASSUMED : ORIGIN_EXACT;
    if (spread) /* by the memory that is free when it is loaded */
        return quantity_band(value, value / 2, fmin(value * 2, total), ORIGIN_MODEL);
    if ((q->draft_mtp ? q->precision : q->draft_precision).weight->mix)
        return quantity_band(value, value * 0.995, value * 1.005, ORIGIN_MODEL);
    if (load->draft_wide > 1)
        return quantity_band(value, value, value * load->draft_wide, ORIGIN_MODEL);
    return quantity_of(value, origin);
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
    double shares[SHARE_COUNT];
    int layers[MODEL_MAX_KINDS], experts[MODEL_MAX_KINDS];
    int first = layout_stage_begin(q, l->pp, stage);
    int end = layout_stage_begin(q, l->pp, stage + 1);
    model_count_kinds(q->model, first, end, layers);
    first = first < q->host_experts ? q->host_experts : first;
    model_count_kinds(q->model, first < end ? first : end, end, experts);
    for (int r = 0; r < ROLE_COUNT; r++) {
        enum tensor_role role = (enum tensor_role)r;
        enum place place = load_place(q->model, role);
        if (on_stage(place, stage, l->pp) && !place_on_host(q, place))
            w.role[r] = load->global[r] * layout_share(q->model, NULL, role, l);
        for (int k = 0; k < q->model->kind_count; k++) {
            const struct layer_kind *kind = &q->model->kind[k];
            double bytes = layers[k] * load->layer[k][r];
            if (role == ROLE_EXPERT)
                bytes = experts[k] * load->layer[k][r] *
                        expert_padding(q, load, kind, l);
            w.role[r] += bytes * layout_share(q->model, kind, role, l);
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
