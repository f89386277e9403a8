/*
 * draft.c - see draft.h. vLLM: models/deepseek_mtp.py, v1/spec_decode/llm_base_proposer.py
 * _maybe_share_embeddings(), _maybe_share_lm_head(); SGLang: models/deepseek_nextn.py,
 * speculative/eagle_worker_v2.py set_embed_and_head().
 */
#include "plan/draft.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

#define LAYERS_MOST 4

/* SpecForge configs/: *-eagle3.json, qwen3-8b-dflash.json, qwen3.5-27b-dflash.json; z-lab/dflash
 * tests/fixtures/dflash2-config.json. */
#define EAGLE3_WORDS 32000
#define EAGLE3_READS 3 /* layers of the model whose states it reads */
#define DFLASH_LAYERS 5
#define DFLASH_READS 5
#define HEAD_DIM 128
#define WIDTH_USUAL 4 /* of an MLP, in hidden sizes */

const struct draft_facts draft_facts[DRAFT_KIND_COUNT] = {
    [DRAFT_NONE] = {"none", "", "nothing", "0", false, false, 0},
    [DRAFT_MODEL] = {"model", "", "the draft", "its tensors / tp, all on the last stage", false,
                     false, 3},
    [DRAFT_MTP] = {"mtp", "nextn", "MTP layers",
                   "layers + 2*h*h + 3*h; embedding and head are the model's", true, false, 0},
    [DRAFT_EAGLE3] = {"eagle3", "eagle-3", "the EAGLE-3 head",
                      "layer + (nh + 2*kv)*d*h + 3*h*h + 4*h + V*h", true, false, 3},
    [DRAFT_DFLASH] = {"dflash", "d-flash", "DFlash's layers", "layers + 5*h*h + 2*h", true, true,
                      15},
    [DRAFT_NGRAM] = {"ngram", "n-gram", "n-grams", "0", false, false, 5},
};

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

enum draft_kind draft_kind_of(const char *text, const char **checkpoint)
{
    size_t len = strcspn(text, ":");

    *checkpoint = text[len] ? text + len + 1 : "";
    for (int k = DRAFT_MTP; k < DRAFT_KIND_COUNT; k++)
        if (is_word(text, len, draft_facts[k].word) || is_word(text, len, draft_facts[k].also))
            return (enum draft_kind)k;
    return DRAFT_MODEL;
}

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

/* A Llama's layer with the attention of the model's last layer that attends. */
static struct layer_kind dense_layer(const struct model *m)
{
    struct layer_kind k = {.gated = true, .norms = 2};

    while (!mixer_is(k.mixer, MIXER_IS_GROUPED)) /* the first such is full attention */
        k.mixer++;
    for (int i = 0; i < m->kind_count; i++) {
        const struct layer_kind *of = &m->kind[i];

        k.ff = of->ff > k.ff ? of->ff : k.ff;
        if (!draft_attends(of) || of->heads <= 0)
            continue;
        bool latent = of->kv_heads <= 0 || mixer_is(of->mixer, MIXER_IS_LATENT);
        k.heads = of->heads;
        k.kv_heads = latent ? of->heads : of->kv_heads;
        k.head_dim = k.v_head_dim = latent ? HEAD_DIM : of->head_dim;
    }
    if (k.heads == 0) { /* a model without attention */
        k.heads = k.kv_heads = m->hidden > HEAD_DIM ? m->hidden / HEAD_DIM : 1;
        k.head_dim = k.v_head_dim = HEAD_DIM;
    }
    k.ff = k.ff > 0 ? k.ff : WIDTH_USUAL * m->hidden;
    return k;
}

static double or_usual(int told, double usual)
{
    return told > 0 ? told : usual;
}

void draft_shape(const struct model *model, enum draft_kind kind, const struct draft_head *told,
                 struct model *out)
{
    struct model m = *model;
    bool block = kind == DRAFT_DFLASH;
    double of = model->hidden, reads = or_usual(told->reads, block ? DFLASH_READS : EAGLE3_READS);
    int layers = (int)or_usual(told->layers, block ? DFLASH_LAYERS : 1);
    struct layer_kind k = dense_layer(model);

    if (told->heads > 0) {
        k.heads = told->heads;
        k.kv_heads = (int)or_usual(told->kv_heads, told->heads);
        k.head_dim = (int)or_usual(told->head_dim, or_usual(told->hidden, of) / told->heads);
    }
    k.v_head_dim = k.head_dim;
    k.ff = (int)or_usual(told->ff, k.ff);
    m.hidden = (int)or_usual(told->hidden, of);
    double h = m.hidden;
    m.kind[0] = k;
    m.kind_count = 1;
    memset(m.native, 0, sizeof(m.native));
    draft_build(&m, 0, -1, layers, reads * of * h + (block ? 2 : 4) * h, out);
    gp_copy(out->extra[0].name, sizeof(out->extra[0].name), "projection and norms");
    if (!block) {
        out->extra[out->extra_count++] =
            (struct model_extra){"second half of query, key, value", ROLE_ATTN_Q,
                                 ((double)k.heads + 2.0 * k.kv_heads) * k.head_dim * h};
        out->extra[out->extra_count++] = (struct model_extra){
            "output matrix", ROLE_HEAD, fmin(or_usual(told->words, EAGLE3_WORDS), m.vocab) * h};
    }
    out->assumed = told->hidden <= 0;
}

double draft_words(const struct model *draft)
{
    for (int i = 0; i < draft->extra_count; i++)
        if (draft->extra[i].role == ROLE_HEAD)
            return draft->extra[i].elements / draft->hidden;
    return 0;
}

/* ---- tokens that a step yields ---- */

/* a + a^2 + .. + a^k */
static double powers_sum(double a, int k)
{
    double sum = 0;

    for (int i = 0; i < k; i++)
        sum = a * (1 + sum);
    return sum;
}

static double listed_sum(const struct request *q, int k)
{
    int n = q->accept_listed;
    double last = q->accept_at[n - 1], before = n > 1 ? q->accept_at[n - 2] : 1, sum = 0;
    double falls = before > 0 ? last / before : 0;

    for (int i = 0; i < k; i++) {
        last = i < n ? q->accept_at[i] : last * falls;
        sum += last;
    }
    return sum;
}

double draft_length(const struct request *q, int k)
{
    double low = 0, high = 1;

    if (q->accept_listed > 0)
        return 1 + listed_sum(q, k);
    if (q->accept_length <= 0 || k == q->draft_tokens)
        return q->accept_length;
    for (int i = 0; i < 40; i++) {
        double a = (low + high) / 2;

        *(powers_sum(a, q->draft_tokens) < q->accept_length - 1 ? &low : &high) = a;
    }
    return 1 + powers_sum(high, k);
}

const struct precision *draft_precision(const struct request *q)
{
    return q->draft_kind == DRAFT_MTP ? &q->precision : &q->draft_precision;
}

const struct format *draft_kv(const struct request *q)
{
    return q->engine->gguf ? q->precision.base : q->kv;
}

struct request draft_request(const struct request *q)
{
    struct request d = *q;

    d.model = q->draft;
    d.precision = *draft_precision(q);
    d.kv = draft_kv(q);
    d.draft = NULL;
    d.draft_kind = DRAFT_NONE;
    d.kv_on_host = false;
    d.lora_slots = d.host_layers = d.host_experts = 0;
    d.host_bytes = d.host_kv = 0;
    d.prune = PRUNE_NONE;
    return d;
}
