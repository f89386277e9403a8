/*
 * rules_llamacpp.c - llama.cpp: the compute buffer that it reserves for one graph of n_ubatch
 * tokens, and caches for every slot. llama.cpp 0c1e57098: src/llama-context.cpp graph_reserve(),
 * llama-graph.cpp build_attn_inp_kv(), llama-kv-cache-iswa.cpp.
 *
 * ggml plans the whole graph before it runs and reuses what is dead. Two moments are as
 * large as a buffer: when the attention masks are cast for flash attention, and inside
 * the widest layer. Per token of a batch of c, in bytes:
 *
 *   masks  = 2 * all cells                        FP16 copies, alive to the end
 *   cast   = 4 * all cells + 20 * h               FP32 inputs they are made from
 *   layer  = 4 * widest [+ 4 * full cells, when windows come first: not yet cast]
 *   bytes  = c * (masks + max(cast, layer)), or c*4*h + rows*4*V when that is more
 *            rows: one of each slot, and of each token it drafts
 *
 *   widest, dense      3*ff/tp + 2*h
 *           experts    topk*max(3*mff, mff + 2*h)/tp + 3*shared/tp + 3*h
 *           recurrent  23 * width of the values + 2*h   (chunked DeltaNet; Qwen3.5-9B)
 *
 * Without flash attention nothing is cast, and the scores of all heads are in the layer:
 * masks = 4 * all cells, widest = heads/tp * full cells + 4*h at least.
 *
 * Example: Gemma-4-12B, 8,192 full cells, 4,608 in the windows, c = 512:
 *   512 * (2*12800 + 4*(3*15360 + 2*3840) + 4*8192) = 133.5 MiB; logged: 135.
 */
#include "plan/draft.h"
#include "plan/rules.h"

#include <math.h>

#define CELL_PAD 256.0
#define RECURRENT_WIDTHS 23.0

double graph_window_cells(double window, double slots, double batch, double cells)
{
    return ceil(fmin(window * slots + batch, cells) / CELL_PAD) * CELL_PAD;
}

/* Elements per token that are alive at once in a layer, but for masks and scores. */
static double kind_width(const struct layer_kind *k, double hidden, int tp)
{
    double width = 3.0 * k->ff / tp + 2 * hidden;

    if (k->experts > 0) {
        double ff = k->latent > 0 ? k->latent : hidden;
        double experts = fmax(3.0 * k->expert_ff / tp, (double)k->expert_ff / tp + 2 * ff);

        width = fmax(width, k->experts_active * experts + 3.0 * k->shared_ff / tp + 3 * hidden);
    }
    if (mixer_is(k->mixer, MIXER_IS_RECURRENT))
        width = fmax(width, RECURRENT_WIDTHS * k->lin_v_heads * k->lin_v_dim / tp + 2 * hidden);
    return width;
}

double graph_bytes(const struct request *q, int tp, double batch, double cells, double slots)
{
    const struct model *m = q->model;
    double full = 0, window = 0; /* cells of each */
    double width = 0, heads = 0; /* of the widest layer; the most of a full one */

    for (int k = 0; k < m->kind_count; k++) {
        const struct layer_kind *kind = &m->kind[k];

        width = fmax(width, kind_width(kind, m->hidden, tp));
        if (mixer_is(kind->mixer, MIXER_IS_WINDOWED)) {
            window = fmax(window, graph_window_cells(kind->window, slots, batch, cells));
        } else if (mixer_is(kind->mixer, MIXER_IS_ATTENTION)) {
            full = cells;
            heads = fmax(heads, kind->heads);
        }
    }
    double h = m->hidden, all = full + window, per_token;

    if (q->engine->flash_attention) {
        double layer = 4 * width + (window > 0 ? 4 * full : 0);

        per_token = 2 * all + fmax(4 * all + 20 * h, layer);
    } else {
        per_token = 4 * all + 4 * fmax(width, heads / tp * full + 4 * h);
    }
    double rows = slots * (1 + q->draft_tokens);
    return fmax(batch * per_token, batch * 4 * h + rows * 4 * q->model->vocab);
}

double graph_bytes_of_rows(const struct request *q, double batch)
{
    return batch * 4 * ((double)q->model->vocab + 2.0 * q->model->hidden);
}

/* ---- caches ---- */

/* -c cells are asked for, whoever uses them; windows and states for every slot. */
static void llamacpp_reserve(struct kv_sequence *s, const struct kv_cut *cut,
                             const struct kv_group *groups, int count, const struct request *q)
{
    const struct engine *e = q->engine;
    bool keeps = draft_facts[q->draft_kind].shares; /* common_speculative need_n_rs_seq() */
    double rows = keeps ? 1 + q->draft_tokens : 1;  /* llama-memory-recurrent.cpp */

    if (!e->window_slots)
        return;
    s->reserved = 0;
    for (int g = 0; g < count; g++) {
        const struct kv_type *t = groups[g].type;

        if (mixer_is(t->kind->mixer, MIXER_IS_WINDOWED))
            s->fixed += groups[g].layers * t->bytes *
                        graph_window_cells(t->kind->window, cut->slots, cut->batch, cut->cells);
        else
            s->reserved += groups[g].layers * ceil(cut->tokens / e->block) * e->block * t->bytes;
        s->fixed += groups[g].layers * t->state * cut->slots * rows;
    }
}

const struct engine_rules llamacpp_rules = {.reserve = llamacpp_reserve};
