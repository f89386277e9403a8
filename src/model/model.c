/*
 * model.c - sums over a model's tensors, and whether its shape makes sense.
 *
 * Every figure here is a sum over model_layer_tensors() and model_global_tensors():
 *
 *   params        = sum rows*cols*count            (double is exact up to 2^53)
 *   params_active = the same with routed experts times active/experts, and without
 *                   the vision tower: what works on one token of text
 *
 * Example: Mixtral-8x7B: 8 experts of 3*4096*14336 in 32 layers are 45.10e9 of
 * 46,702,792,704 parameters; 2 of 8 work on a token, so 12,879,925,248 are active.
 */
#include "model/model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

/* ---- words ---------------------------------------------------------------------- */

static const char *const role_words[ROLE_COUNT] = {
    [ROLE_EMBED] = "embedding",
    [ROLE_HEAD] = "head",
    [ROLE_NORM] = "norm",
    [ROLE_ROUTER] = "router",
    [ROLE_ATTN_Q] = "attention q",
    [ROLE_ATTN_KV] = "attention kv",
    [ROLE_ATTN_OUT] = "attention out",
    [ROLE_ATTN_LATENT] = "attention latent",
    [ROLE_INDEXER] = "indexer",
    [ROLE_RECURRENT] = "recurrent",
    [ROLE_MLP] = "mlp",
    [ROLE_EXPERT] = "expert",
    [ROLE_SHARED] = "shared",
    [ROLE_LAYER_EMBED] = "layer embedding",
    [ROLE_NGRAM] = "ngram table",
    [ROLE_VISION] = "vision",
    [ROLE_OTHER] = "other",
};

static const char *const mixer_words[MIXER_COUNT] = {
#define X(NAME, word, class, needs) word,
    MIXERS(X)
#undef X
};

const enum mixer_class mixer_classes[MIXER_COUNT] = {
#define X(NAME, word, class, needs) MIXER_CLASS_##class,
    MIXERS(X)
#undef X
};

const char *role_word(enum tensor_role role)
{
    return (unsigned)role < ROLE_COUNT ? role_words[role] : "?";
}

const char *mixer_word(enum mixer mixer)
{
    return (unsigned)mixer < MIXER_COUNT ? mixer_words[mixer] : "?";
}

/* ---- sums ----------------------------------------------------------------------- */

int model_kind_layers(const struct model *model, int k)
{
    int layers = 0;

    for (int i = 0; i < model->layer_count; i++)
        layers += model->layer[i] == k;
    return layers;
}

void model_count_kinds(const struct model *model, int first, int end, int layers[MODEL_MAX_KINDS])
{
    for (int k = 0; k < model->kind_count; k++)
        layers[k] = 0;
    if (model->kind_count == 1)
        layers[0] = end - first;
    for (int i = first; i < end && model->kind_count > 1; i++)
        layers[model->layer[i]]++;
}

static double elements_of(const struct tensor *t)
{
    return t->rows * t->cols * t->count;
}

static void add_roles(const struct tensor *t, int count, int layers, double params[ROLE_COUNT])
{
    for (int i = 0; i < count; i++)
        params[t[i].role] += layers * elements_of(&t[i]);
}

void model_params_roles(const struct model *model, double params[ROLE_COUNT])
{
    struct tensor t[MODEL_MAX_TENSORS];
    int layers[MODEL_MAX_KINDS];

    memset(params, 0, ROLE_COUNT * sizeof(*params));
    model_count_kinds(model, 0, model->layer_count, layers);
    add_roles(t, model_global_tensors(model, t), 1, params);
    for (int k = 0; k < model->kind_count; k++)
        add_roles(t, model_layer_tensors(model, k, t), layers[k], params);
}

double model_params(const struct model *model)
{
    double params[ROLE_COUNT], total = 0;

    model_params_roles(model, params);
    for (int r = 0; r < ROLE_COUNT; r++)
        total += params[r];
    return total;
}

double model_params_role(const struct model *model, enum tensor_role role)
{
    double params[ROLE_COUNT];

    model_params_roles(model, params);
    return params[role];
}

/* Only routed experts (and their biases) come in `experts` copies, of which some work on a
 * token; of a table it looks up a few rows. */
static double active_sum(const struct layer_kind *kind, const struct tensor *t, int count)
{
    double total = 0;

    for (int i = 0; i < count; i++) {
        bool routed = kind && kind->experts > 0 && strncmp(t[i].name, "experts.", 8) == 0;

        if (t[i].role != ROLE_VISION && t[i].role != ROLE_NGRAM)
            total +=
                elements_of(&t[i]) * (routed ? (double)kind->experts_active / kind->experts : 1);
    }
    return total;
}

double model_params_active(const struct model *model)
{
    struct tensor t[MODEL_MAX_TENSORS];
    double total = active_sum(NULL, t, model_global_tensors(model, t));

    for (int k = 0; k < model->kind_count; k++)
        total += model_kind_layers(model, k) *
                 active_sum(&model->kind[k], t, model_layer_tensors(model, k, t));
    return nearbyint(total);
}

int model_experts(const struct model *model)
{
    int most = 0;

    for (int k = 0; k < model->kind_count; k++)
        most = model->kind[k].experts > most ? model->kind[k].experts : most;
    return most;
}

bool model_has_mixer(const struct model *model, enum mixer_trait trait)
{
    for (int k = 0; k < model->kind_count; k++)
        if (mixer_is(model->kind[k].mixer, trait))
            return true;
    return false;
}

int model_trained_context(const struct model *model)
{
    return model->yarn.factor > 0 ? model->yarn.trained : model->max_context;
}

bool model_is_encoder(const struct model *model)
{
    if (!model->weights_only || model->vocab == 0 || model->layer_count == 0)
        return false;
    for (int k = 0; k < model->kind_count; k++)
        if (model->kind[k].cross)
            return false;
    return true;
}

bool model_is_served(const struct model *model)
{
    return !model->weights_only || model_is_encoder(model);
}

/* ---- structured pruning ---------------------------------------------------------- */

/* What was published or stored is another model now. */
static void forget_original(struct model *model)
{
    model->bytes.known = false; /* what is inferred of the shape stays so */
    model->published = 0;
    model->published_extra = 0;
}

void model_text_only(struct model *model)
{
    int kept = 0;

    for (int i = 0; i < model->extra_count; i++)
        if (model->extra[i].role != ROLE_VISION)
            model->extra[kept++] = model->extra[i];
    model->extra_count = kept;
    model->vision = (struct model_vision){0};
    for (int k = 0; k <= model->kind_count; k++)
        model->bytes.by_role[k][ROLE_VISION] = 0;
}

bool model_prune_layers(struct model *model, int layers)
{
    int last = model->layer_count - 1;

    if (layers < 1 || layers > last)
        return false;
    model->layer[last - layers] = model->layer[last];
    model->layer_count -= layers;
    forget_original(model);
    return true;
}

static int prune_to(int width, double share)
{
    int kept = (int)(width * (1 - share)) / 64 * 64;

    return width == 0 ? 0 : kept > 0 ? kept : 64 < width ? 64 : width;
}

void model_prune_width(struct model *model, double share)
{
    for (int k = 0; k < model->kind_count; k++) {
        struct layer_kind *kind = &model->kind[k];

        kind->ff = prune_to(kind->ff, share);
        kind->expert_ff = prune_to(kind->expert_ff, share);
        kind->shared_ff = prune_to(kind->shared_ff, share);
    }
    forget_original(model);
}

/* ---- checks --------------------------------------------------------------------- */

#define TOWER(name, high)                                                    \
    {                                                                        \
#name, offsetof(struct model_vision, name), LAYER_COUNT, high, #name \
    }

const struct layer_field vision_counts[VISION_COUNTS] = {
    TOWER(width, 65536),    TOWER(ff, 1 << 20),      TOWER(layers, 512),
    TOWER(pixels, 1 << 20), TOWER(patches, 1 << 24), TOWER(tokens, 1 << 24),
    TOWER(groups, 65536),   TOWER(deepstack, 64),    TOWER(heads, 4096),
};

#define OF(name) offsetof(struct layer_kind, name)
#define COUNT_AS(name, label, high)               \
    {                                             \
#name, OF(name), LAYER_COUNT, high, label \
    }
#define COUNT(name, high) COUNT_AS(name, #name, high)
#define FLAG(name)                            \
    {                                         \
#name, OF(name), LAYER_FLAG, 0, #name \
    }

const struct layer_field layer_fields[LAYER_FIELDS] = {
    COUNT(heads, 65536),
    COUNT(kv_heads, 65536),
    COUNT(head_dim, 65536),
    COUNT(v_head_dim, 65536),
    COUNT(window, 1 << 30),
    COUNT(q_lora, 1 << 20),
    COUNT(kv_lora, 1 << 20),
    COUNT(rope_dim, 65536),
    COUNT(nope_dim, 65536),
    COUNT(rotary, 65536),
    COUNT(rope_rows, 1 << 30),
    COUNT(index_heads, 65536),
    COUNT(index_dim, 65536),
    COUNT(index_pool, 65536),
    COUNT(compress, 1 << 20),
    COUNT(o_groups, 65536),
    COUNT(o_lora, 1 << 20),
    COUNT(streams, 256),
    FLAG(index_shared),
    FLAG(csa2),
    {"qk_norm", OF(qk_norm), LAYER_QK_NORM, 0, "qk_norm"},
    FLAG(q_bias),
    FLAG(kv_bias),
    FLAG(o_bias),
    FLAG(out_gate),
    FLAG(sinks),
    FLAG(cross),
    FLAG(kv_shared),
    FLAG(k_is_v),
    FLAG(unnormed),
    COUNT_AS(lin_k_heads, "linear_k_heads", 1 << 20),
    COUNT_AS(lin_v_heads, "linear_v_heads", 1 << 20),
    COUNT_AS(lin_k_dim, "linear_k_dim", 65536),
    COUNT_AS(lin_v_dim, "linear_v_dim", 65536),
    COUNT(groups, 65536),
    COUNT(conv_kernel, 1024),
    COUNT(dt_rank, 1 << 20),
    COUNT(gate_rank, 1 << 20),
    COUNT_AS(ff, "intermediate", 1 << 24),
    COUNT(experts, 65536),
    COUNT(experts_active, 65536),
    COUNT_AS(expert_ff, "expert_intermediate", 1 << 24),
    COUNT_AS(shared_ff, "shared_intermediate", 1 << 24),
    COUNT(latent, 1 << 20),
    COUNT(layer_embed, 65536),
    FLAG(gated),
    FLAG(mlp_bias),
    FLAG(shared_gate),
    FLAG(router_bias),
    FLAG(expert_bias),
    {"norms", OF(norms), LAYER_COUNT, 64, NULL},
    {"norm_bias", OF(norm_bias), LAYER_FLAG, 0, NULL},
};

static int count_at(const void *object, size_t offset)
{
    int value;

    memcpy(&value, (const char *)object + offset, sizeof(value));
    return value;
}

static enum gp_status check_counts(const struct layer_field *fields, int count, const void *object,
                                   const char *where, struct gp_err *err)
{
    for (int i = 0; i < count; i++) {
        int value = fields[i].kind == LAYER_COUNT ? count_at(object, fields[i].offset) : 0;

        if (value < 0 || value > fields[i].high)
            return gp_fail(err, GP_E_FILE, where, "", "%s: %d is outside 0..%d", fields[i].key,
                           value, fields[i].high);
    }
    return GP_OK;
}

/* The counts that the mixer cannot do without. */
static enum gp_status check_needs(const struct layer_kind *kind, const char *where,
                                  struct gp_err *err)
{
#define X(NAME, word, class, needs) needs,
    static const char *const needs_of[MIXER_COUNT] = {MIXERS(X)};
#undef X
    size_t len;

    for (const char *need = needs_of[kind->mixer]; *need; need += len + (need[len] == ' ')) {
        len = strcspn(need, " ");
        for (int i = 0; i < LAYER_FIELDS; i++)
            if (strncmp(layer_fields[i].key, need, len) == 0 && !layer_fields[i].key[len] &&
                count_at(kind, layer_fields[i].offset) <= 0)
                return gp_fail(err, GP_E_FILE, where, "", "%s is missing for mixer \"%s\"",
                               layer_fields[i].key, mixer_word(kind->mixer));
    }
    return GP_OK;
}

static enum gp_status check_attention(const struct layer_kind *k, const char *where,
                                      struct gp_err *err)
{
    if (k->kv_heads > k->heads)
        return gp_fail(err, GP_E_FILE, where, "", "kv_heads: %d exceeds heads: %d", k->kv_heads,
                       k->heads);
    if (k->kv_heads > 0 && k->heads % k->kv_heads != 0)
        return gp_fail(err, GP_E_FILE, where, "", "heads: %d is not a multiple of kv_heads: %d",
                       k->heads, k->kv_heads);
    if (k->index_heads > 0 && k->index_dim <= 0)
        return gp_fail(err, GP_E_FILE, where, "", "index_heads needs index_dim");
    if (k->index_heads > 0 && mixer_is(k->mixer, MIXER_IS_POOLED) && k->q_lora <= 0)
        return gp_fail(err, GP_E_FILE, where, "", "index_heads needs q_lora");
    if (k->o_groups > 0 && k->heads * (long)k->head_dim % k->o_groups != 0)
        return gp_fail(err, GP_E_FILE, where, "", "o_groups: %d does not divide heads x head_dim",
                       k->o_groups);
    if (k->k_is_v && k->v_head_dim > 0 && k->v_head_dim != k->head_dim)
        return gp_fail(err, GP_E_FILE, where, "",
                       "k_is_v, but v_head_dim: %d differs from head_dim: %d", k->v_head_dim,
                       k->head_dim);
    return GP_OK;
}

static enum gp_status check_kind(const struct model *model, int k, struct gp_err *err)
{
    const struct layer_kind *kind = &model->kind[k];
    enum gp_status rc;
    char where[128];

    gp_format(where, sizeof(where), "model %s: layer kind %d", model->id, k + 1);
    if ((unsigned)kind->mixer >= MIXER_COUNT || (unsigned)kind->qk_norm > QK_NORM_FULL)
        return gp_fail(err, GP_E_FILE, where, "", "unknown mixer or qk_norm");
    rc = check_counts(layer_fields, LAYER_FIELDS, kind, where, err);
    if (rc == GP_OK && !(kind->extra >= 0 && kind->extra <= 1e12))
        rc = gp_fail(err, GP_E_FILE, where, "", "extra: %g is outside 0..1e12", kind->extra);
    if (rc == GP_OK)
        rc = check_needs(kind, where, err);
    if (rc == GP_OK)
        rc = check_attention(kind, where, err);
    if (rc != GP_OK)
        return rc;
    if (kind->experts > 0 && kind->expert_ff <= 0)
        return gp_fail(err, GP_E_FILE, where, "", "expert_ff is missing for %d experts",
                       kind->experts);
    if (kind->experts > 0 && (kind->experts_active < 1 || kind->experts_active > kind->experts))
        return gp_fail(err, GP_E_FILE, where, "", "experts_active: %d is outside 1..%d",
                       kind->experts_active, kind->experts);
    if (kind->experts == 0 && (kind->experts_active > 0 || kind->expert_ff > 0 || kind->latent > 0))
        return gp_fail(err, GP_E_FILE, where, "",
                       "experts is missing, but a field of theirs is there");
    return GP_OK;
}

static enum gp_status check_layers(const struct model *m, const char *where, struct gp_err *err)
{
    if (m->kind_count < 0 || m->kind_count > MODEL_MAX_KINDS)
        return gp_fail(err, GP_E_FILE, where, "", "%d layer kinds are outside 0..%d", m->kind_count,
                       MODEL_MAX_KINDS);
    if (m->layer_count < 0 || m->layer_count > MODEL_MAX_LAYERS)
        return gp_fail(err, GP_E_FILE, where, "", "layer_count: %d is outside 0..%d",
                       m->layer_count, MODEL_MAX_LAYERS);
    if (m->layer_count == 0 && !m->weights_only)
        return gp_fail(err, GP_E_FILE, where, "", "has no layers");
    for (int i = 0; i < m->layer_count; i++)
        if (m->layer[i] >= m->kind_count)
            return gp_fail(err, GP_E_FILE, where, "", "layer %d is of kind %d, but there are %d",
                           i + 1, m->layer[i] + 1, m->kind_count);
    for (int k = 0; k < m->kind_count; k++) {
        enum gp_status rc = check_kind(m, k, err);

        if (rc != GP_OK)
            return rc;
    }
    return GP_OK;
}

enum gp_status model_check(const struct model *model, struct gp_err *err)
{
    int low = model->weights_only ? 0 : 1;
    const struct {
        const char *name;
        int value, low, high;
    } fields[] = {
        {"hidden", model->hidden, low, 1 << 20},
        {"vocab", model->vocab, low, 1 << 26},
        {"max_context", model->max_context, low, 1 << 30},
        {"positions", model->positions, 0, 1 << 26},
    };
    enum gp_status rc;
    char where[96];

    gp_format(where, sizeof(where), "model %s", model->id);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (fields[i].value < fields[i].low || fields[i].value > fields[i].high)
            return gp_fail(err, GP_E_FILE, where, "", "%s: %d is outside %d..%d", fields[i].name,
                           fields[i].value, fields[i].low, fields[i].high);
    if (!(model->mtp_params >= 0 && model->mtp_params <= 1e13))
        return gp_fail(err, GP_E_FILE, where, "", "mtp: %g is outside 0..1e13", model->mtp_params);
    rc = check_layers(model, where, err);
    if (rc == GP_OK && (model->extra_count < 0 || model->extra_count > MODEL_MAX_EXTRAS))
        rc = gp_fail(err, GP_E_FILE, where, "", "%d extras are outside 0..%d", model->extra_count,
                     MODEL_MAX_EXTRAS);
    for (int i = 0; rc == GP_OK && i < model->extra_count; i++) {
        const struct model_extra *e = &model->extra[i];

        if (!(e->elements >= 0 && e->elements <= 1e13) || (unsigned)e->role >= ROLE_COUNT)
            rc = gp_fail(err, GP_E_FILE, where, "", "extra %d: elements or role is wrong", i + 1);
    }
    if (rc == GP_OK)
        rc = check_counts(vision_counts, VISION_COUNTS, &model->vision, where, err);
    if (rc == GP_OK && model_params(model) <= 0)
        rc = gp_fail(err, GP_E_FILE, where, "", "has no parameters");
    return rc;
}
