/*
 * gguf.c - see gguf.h.
 */
#include "model/gguf.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define F16_BITS 16
#define F32_BITS 32
#define Q8_0_BITS 8.5

/* ---- which part a tensor is ---- */

static const struct {
    const char *name;
    unsigned part;
} parts[] = {
    {"q_proj", PART_Q},
    {"q_proj, k_proj", PART_Q},
    {"k_proj", PART_K},
    {"v_proj", PART_V},
    {"qkv_proj", PART_V},
    {"in_proj_qkvz", PART_V}, /* less z */
    {"o_proj", PART_OUT},
    {"gate_proj", PART_GATE},
    {"up_proj", PART_UP},
    {"down_proj", PART_DOWN},
    {"shared_experts.gate_proj", PART_GATE},
    {"shared_experts.up_proj", PART_UP},
    {"shared_experts.down_proj", PART_DOWN},
    {"experts.gate_proj", PART_GATE | PART_EXPERT},
    {"experts.up_proj", PART_UP | PART_EXPERT},
    {"experts.down_proj", PART_DOWN | PART_EXPERT},
};

/* Families whose attention llama.cpp stores as one matrix, attn_qkv. */
static bool is_fused(const struct model *m)
{
    static const char *const families[] = {"phi3", "falcon", "bloom", "gpt2"};

    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (strcmp(m->family, families[i]) == 0)
            return true;
    return false;
}

static unsigned part_of(const struct model *m, const struct tensor *t)
{
    unsigned part = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !part; i++)
        if (strcmp(parts[i].name, t->name) == 0)
            part = parts[i].part;
    return part & (PART_Q | PART_K) && is_fused(m) ? PART_V : part;
}

/* Converted as F32 and left so. */
static bool stays_wide(const struct tensor *t)
{
    return t->role == ROLE_NORM || t->role == ROLE_ROUTER ||
           strcmp(t->name, "embed_positions") == 0;
}

/* ---- when a rule holds ---- */

/* Of the tensors of a part, in the order of the layers: this is i of n. */
struct place {
    int i, n;
};

static bool has_more(struct place p)
{
    return p.i < p.n / 8 || p.i >= 7 * p.n / 8 || (p.i - p.n / 8) % 3 == 2;
}

/* What llama.cpp calls 70B: Llama and Qwen2 of 80 layers, with shared KV heads. */
static bool is_70b(const struct model *m)
{
    const struct layer_kind *k = &m->kind[0];

    return m->layer_count == 80 && m->kind_count == 1 && k->window == 0 &&
           mixer_is(k->mixer, MIXER_IS_GROUPED) && k->experts == 0 && k->heads != k->kv_heads &&
           !is_fused(m);
}

static int gqa_of(const struct layer_kind *first)
{
    if (mixer_is(first->mixer, MIXER_IS_PROJECTED))
        return first->heads;
    return first->kv_heads > 0 ? first->heads / first->kv_heads : 0;
}

static bool rule_holds(enum gguf_when when, const struct model *m, struct place p)
{
    const struct layer_kind *first = &m->kind[m->layer[0]];

    switch (when) {
    case WHEN_MORE:
        return has_more(p);
    case WHEN_FIRST_2:
        return p.i < 2;
    case WHEN_FIRST_4:
        return p.i < 4;
    case WHEN_FIRST_8TH:
        return p.i < p.n / 8;
    case WHEN_FIRST_16TH:
        return p.i < p.n / 16;
    case WHEN_MIDDLE:
        return p.i >= p.n / 8 && p.i < 7 * p.n / 8;
    case WHEN_GQA_4:
        return gqa_of(first) >= 4;
    case WHEN_SHARED:
        return gqa_of(first) >= 4 || model_experts(m) >= 4;
    case WHEN_EXPERTS_8:
        return model_experts(m) == 8;
    case WHEN_70B:
        return is_70b(m);
    default:
        return true;
    }
}

/* ---- bits ---- */

static double fitting_bits(double bits, int block, double fallback, double cols)
{
    if (block == 0 || fmod(cols, block) == 0)
        return bits;
    return fallback > 0 && fmod(cols, 32) == 0 ? fallback : F16_BITS;
}

/* Elements of which only the number is known fill their blocks. */
static double part_columns(const struct tensor *t)
{
    return t->rows > 1 ? t->cols : 0;
}

/* Of a tensor that no rule is for. */
static double rest_bits(const struct format *f, double cols)
{
    return fitting_bits(f->bits, f->block, f->fallback_bits, cols);
}

/* Has a layer of this kind a tensor that is counted as v, or an MLP? */
static bool is_counted(const struct model *m, int k, bool v)
{
    const struct layer_kind *kind = &m->kind[k];

    if (!v)
        return kind->ff > 0 || kind->experts > 0 || kind->shared_ff > 0;
    if (mixer_is(kind->mixer, MIXER_IS_RECURRENT))
        return kind->lin_k_heads > 0;
    return mixer_is(kind->mixer, MIXER_IS_GROUPED) && !kind->k_is_v;
}

struct choice {
    enum gguf_when when; /* of the last: always */
    double bits;
};

/* The rules for a part that this model can meet, in order: what they ask of the model is asked
 * here, once, and what they ask of a layer is left. */
static int choices_of(const struct model *m, const struct format *f, unsigned part, double cols,
                      struct choice *out)
{
    struct place nowhere = {0, 1};
    int n = 0;

    for (int i = 0; i < f->rules; i++) {
        const struct format_rule *r = &f->rule[i];
        enum gguf_when when = (enum gguf_when)r->when;
        bool placed = when >= WHEN_MORE && when <= WHEN_MIDDLE;

        if (!(r->part & part) || (!placed && !rule_holds(when, m, nowhere)))
            continue;
        out[n++] = (struct choice){placed ? when : WHEN_ALL,
                                   fitting_bits(r->bits, r->block, r->fallback_bits, cols)};
        if (!placed)
            return n;
    }
    out[n++] = (struct choice){WHEN_ALL, rest_bits(f, cols)};
    return n;
}

/* The mean over the layers of a kind. The quantizer counts the values it meets; of MLPs it
 * takes the layer's number where the model has experts, else it counts them too. */
static double mean_bits(const struct model *m, const struct format *f, int k, unsigned part,
                        double cols)
{
    bool v = part & PART_V, by_layer = !v && model_experts(m) > 0;
    int layers = 0, i = 0;
    struct place p = {0, m->layer_count};
    struct choice choice[FORMAT_RULES + 1];
    double sum = 0;

    if (choices_of(m, f, part, cols, choice) == 1)
        return choice[0].bits;
    if (v) {
        p.n = 0;
        for (int l = 0; l < m->layer_count; l++)
            p.n += is_counted(m, m->layer[l], true);
    }
    for (int l = 0; l < m->layer_count; l++) {
        const struct choice *c = choice;

        p.i = by_layer ? l : i;
        i += is_counted(m, m->layer[l], v);
        if (m->layer[l] != k)
            continue;
        while (!rule_holds(c->when, m, p))
            c++;
        sum += c->bits;
        layers++;
    }
    return layers > 0 ? sum / layers : f->bits;
}

/* ---- outside the layers ---- */

/* llama.cpp gives a tied embedding the output's type, and that of layers beside it. */
static double outside_bits(const struct model *m, const struct format *f, const struct tensor *t)
{
    bool embeds = t->role == ROLE_EMBED || t->role == ROLE_LAYER_EMBED || t->role == ROLE_NGRAM;
    double cols = part_columns(t);

    if (t->role == ROLE_HEAD || (embeds && m->tied))
        return f->block > 0 && fmod(cols, f->block) != 0 && f->bits < Q8_0_BITS ? Q8_0_BITS
                                                                                : f->output_bits;
    if (embeds)
        return fitting_bits(f->embed_bits, f->block, fmax(f->fallback_bits, f->embed_bits), cols);
    if (strcmp(t->name, "per_layer_model_projection") == 0)
        return F16_BITS;
    return rest_bits(f, cols);
}

/* Rows of the gate z, which is a matrix of its own in GGUF. */
static double gate_rows(const struct model *m, int k, const struct tensor *t)
{
    bool fused = k >= 0 && strcmp(t->name, "in_proj_qkvz") == 0;

    return fused ? (double)m->kind[k].lin_v_heads * m->kind[k].lin_v_dim : 0;
}

double gguf_bytes(const struct model *m, const struct format *mix, int k, const struct tensor *t)
{
    double z = gate_rows(m, k, t), rest = rest_bits(mix, part_columns(t));
    unsigned part = part_of(m, t);
    double bits = rest;

    if (stays_wide(t))
        bits = F32_BITS;
    else if (k < 0)
        bits = outside_bits(m, mix, t);
    else if (part)
        bits = mean_bits(m, mix, k, part, t->cols);
    return t->cols * ((t->rows - z) * bits + z * rest) / 8;
}
