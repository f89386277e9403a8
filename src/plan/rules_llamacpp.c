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
 * Since ggml-org/llama.cpp#23764 masks are FP16 from the start: nothing is cast, cast = 0. Since
 * #23907 the backends for NVIDIA and AMD reserve FP16 copies of a quantized cache, of all cells,
 * in the attention that is copied last:
 *
 *   copies = 2 * cells * (K and V of a token) + 4*c * (3*heads*d/tp + 2*h)
 *   bytes  = c * masks + max(c * layer, copies)
 *
 * Example: Gemma-4-12B, 8,192 full cells, 4,608 in the windows, c = 512:
 *   512 * (2*12800 + 4*(3*15360 + 2*3840) + 4*8192) = 133.5 MiB; logged: 135.
 * Qwen3.8-27B, 131,072 cells of q4_0: 512*2*131072 + 2*131072*2*4*256 + 2048*(3*24*256 + 2*5120)
 *   = 128 + 512 + 56 MiB. From there to 262,144 cells it grows by 640 MiB, the cache by 2,304:
 *   2,944 in all, as nvidia-smi shows on two cards.
 */
#include "plan/draft.h"
#include "plan/rules.h"

#include <math.h>

#define CELL_PAD 256.0
#define RECURRENT_WIDTHS 23.0
#define FUSED_WIDTHS 8.0 /* of the fused operator: what goes into its convolution and comes out */

double graph_window_cells(double window, double slots, double batch, double cells)
{
    return ceil(fmin(window * slots + batch, cells) / CELL_PAD) * CELL_PAD;
}

/* Elements per token that are alive at once in a layer, but for masks and scores. */
static double kind_width(const struct layer_kind *k, double hidden, int tp, double recurrent)
{
    double width = 3.0 * k->ff / tp + 2 * hidden;

    if (k->experts > 0) {
        double ff = k->latent > 0 ? k->latent : hidden;
        double experts = fmax(3.0 * k->expert_ff / tp, (double)k->expert_ff / tp + 2 * ff);

        width = fmax(width, k->experts_active * experts + 3.0 * k->shared_ff / tp + 3 * hidden);
    }
    if (mixer_is(k->mixer, MIXER_IS_RECURRENT))
        width = fmax(width, recurrent * k->lin_v_heads * k->lin_v_dim / tp + 2 * hidden);
    return width;
}

/* The FP16 copies of one layer's keys and values, and what is alive beside them. */
static double kind_copies(const struct request *q, const struct layer_kind *k, int tp, double batch,
                          double cells)
{
    bool latent = mixer_is(k->mixer, MIXER_IS_PROJECTED);
    double heads = fmax((double)k->kv_heads / tp, 1);
    double values = latent ? k->kv_lora + k->rope_dim : heads * (k->head_dim + k->v_head_dim);

    if (q->kv->bits >= 16 || q->kv_on_host || !engine_lists(q->engine->kv_copies, q->gpu->vendor))
        return 0;
    return 2 * cells * values +
           4 * batch * (3.0 * k->heads * k->head_dim / tp + 2.0 * q->model->hidden);
}

double graph_bytes(const struct request *q, int tp, double batch, double cells, double slots)
{
    const struct model *m = q->model;
    double full = 0, window = 0; /* cells of each */
    double copies = 0;
    double width = 0, heads = 0; /* of the widest layer; the most of a full one */

    for (int k = 0; k < m->kind_count; k++) {
        const struct layer_kind *kind = &m->kind[k];

        width = fmax(width, kind_width(kind, m->hidden, tp,
                                       q->engine->masks_fp16 ? FUSED_WIDTHS : RECURRENT_WIDTHS));
        if (mixer_is(kind->mixer, MIXER_IS_WINDOWED)) {
            double own = graph_window_cells(kind->window, slots, batch, cells);

            window = fmax(window, own);
            copies = fmax(copies, kind_copies(q, kind, tp, batch, own));
        } else if (mixer_is(kind->mixer, MIXER_IS_ATTENTION)) {
            full = cells;
            heads = fmax(heads, kind->heads);
            copies = fmax(copies, kind_copies(q, kind, tp, batch, cells));
        }
    }
    double h = m->hidden, all = full + window, per_token;

    if (q->engine->flash_attention) {
        bool cast = !q->engine->masks_fp16;
        double layer = 4 * width + (cast && window > 0 ? 4 * full : 0);

        if (cast)
            layer = fmax(layer, 4 * all + 20 * h);
        per_token = 2 * all + fmax(layer, copies / batch);
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
