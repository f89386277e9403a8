/*
 * draft.c - see draft.h. vLLM: models/deepseek_mtp.py, v1/spec_decode/llm_base_proposer.py
 * _maybe_share_embeddings(), _maybe_share_lm_head(); SGLang: models/deepseek_nextn.py,
 * speculative/eagle_worker_v2.py set_embed_and_head().
 */
#include "plan/draft.h"

#include <math.h>

#define LAYERS_MOST 4

static double kind_elements(const struct model *m, int k)
{
    struct tensor t[MODEL_MAX_TENSORS];
    int count = model_layer_tensors(m, k, t);
    double elements = 0;

    for (int i = 0; i < count; i++)
        elements += t[i].rows * t[i].cols * t[i].count;
    return elements;
}

/* A model of n layers of kind a, each followed by one of kind b unless that is negative,
 * with the projection and the norms; their elements are `with`. */
static void draft_build(const struct model *m, int a, int b, int n, double with, struct model *out)
{
    *out = *m;
    out->layer_count = 0;
    for (int i = 0; i < n; i++) {
        out->layer[out->layer_count++] = (uint8_t)a;
        if (b >= 0)
            out->layer[out->layer_count++] = (uint8_t)b;
    }
    out->vocab = out->positions = out->max_context = 0;
    out->tied = out->final_norm = out->final_norm_bias = out->embed_norm = false;
    out->bytes.known = false;
    out->mtp_params = out->published = 0;
    out->extra_count = 1;
    out->extra[0] = (struct model_extra){"MTP projection and norms", ROLE_NORM, with};
}

/* n layers of kinds a and b, and copies of embedding and head, that leave of the model's own
 * count a ten thousandth at most, beside what it has outside its layers, which the MTP layers
 * may have again: the head of Qwen4's hyper-connections. */
static bool fits_count(const struct model *m, int a, int b, struct model *out)
{
    double h = m->hidden, projection = 2 * h * h + 3 * h, outside = 0;
    double layer = kind_elements(m, a) + (b >= 0 ? kind_elements(m, b) : 0);

    for (int i = 0; i < m->extra_count; i++)
        outside += m->extra[i].role == ROLE_OTHER ? m->extra[i].elements : 0;
    for (int n = 1; n <= LAYERS_MOST; n++)
        for (int copies = 0; copies <= 2; copies++) {
            double left = m->mtp_params - n * (layer + projection + copies * h * m->vocab);

            if (left < 0 || left > m->mtp_params * 1e-4 + outside)
                continue;
            draft_build(m, a, b, n, n * projection + left, out);
            return true;
        }
    return false;
}

static bool draft_attends(const struct layer_kind *k)
{
    return mixer_is(k->mixer, MIXER_IS_ATTENTION);
}

/* Of one kind alone, or with each kind that has only an MLP. */
static bool fits_any(const struct model *m, struct model *out)
{
    for (int a = m->kind_count - 1; a >= 0; a--)
        for (int b = -1; draft_attends(&m->kind[a]) && b < m->kind_count; b++)
            if ((b < 0 || mixer_is(m->kind[b].mixer, MIXER_IS_NOTHING)) && fits_count(m, a, b, out))
                return true;
    return false;
}

int draft_mtp(const struct model *whole, struct model *out)
{
    struct model m = *whole;
    int last = -1;

    if (m.mtp_params <= 0)
        return 0;
    for (int k = 0; k < m.kind_count; k++) {
        if (mixer_is(m.kind[k].mixer, MIXER_IS_POOLED))
            m.kind[k].compress = 0; /* it looks back no further than its window */
        last = draft_attends(&m.kind[k]) ? k : last;
    }
    if (fits_any(&m, out))
        return out->layer_count;
    for (int k = 0; k < m.kind_count; k++)
        m.kind[k].extra = 0; /* without hyper-connections, as Hunyuan 4's */
    if (fits_any(&m, out))
        return out->layer_count;
    if (last < 0)
        return 0;
    /* another shape: one layer, and what it has more is on every GPU */
    draft_build(&m, last, -1, 1, fmax(m.mtp_params - kind_elements(&m, last), 0), out);
    out->assumed = true;
    return 1;
}

const struct format *draft_kv(const struct request *q)
{
    return q->engine->gguf ? q->precision.base : q->kv;
}

struct request draft_request(const struct request *q)
{
    struct request d = *q;

    d.model = q->draft;
    d.precision = q->draft_mtp ? q->precision : q->draft_precision;
    d.kv = draft_kv(q);
    d.draft = NULL;
    d.draft_mtp = d.kv_on_host = false;
    d.lora_slots = d.host_layers = d.host_experts = 0;
    d.host_bytes = d.host_kv = 0;
    d.prune = PRUNE_NONE;
    return d;
}
