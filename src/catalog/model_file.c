/*
 * model_file.c - the keys of a model profile.
 *
 * What all layers share stands in `layer`; a model of several kinds of layer lists in
 * `kinds` what differs, each with a letter, and writes the layers down as a pattern in
 * which a number repeats the letter or bracket after it:
 *
 *   hidden = 5376;  vocab = 262208;  tied = true;  max_context = 131072;
 *   layer = { heads = 32; kv_heads = 16; head_dim = 128; ff = 21504; gated = true; };
 *   kinds = ( { letter = "L"; mixer = "sliding"; window = 1024; },
 *             { letter = "G"; mixer = "full"; } );
 *   pattern = "10(5LG)2L";                                   # 62 layers
 *
 * A uniform model has `layer` and layer_count only. `dtype` is the 16-bit (or 32-bit)
 * type of what is not quantised, `native` the format of the linear layers as published,
 * `native_roles` what differs from it. `published` is a count stated by the release or
 * a third party, with what it holds beyond ours: the MTP layers, a second copy of a
 * tied head, FP8 scales, other.
 */
#include "catalog/model_file.h"

#include <string.h>

#include "catalog/format_file.h"
#include "util/str.h"

#define COUNT_MAX 1e13

static const struct profile_word mixer_table[] = {
#define X(NAME, word) {word, MIXER_##NAME},
    MIXERS(X)
#undef X
    {NULL, 0},
};

static const struct profile_word qk_norm_table[] = {
    {"none", QK_NORM_NONE},
    {"head", QK_NORM_HEAD},
    {"full", QK_NORM_FULL},
    {NULL, 0},
};

/* ---- one layer kind ------------------------------------------------------------- */

#define BOOL_FIELD(name) {#name, offsetof(struct layer_kind, name)}

static const struct {
    const char *key;
    size_t offset;
} bool_fields[] = {
    BOOL_FIELD(q_bias),      BOOL_FIELD(kv_bias),     BOOL_FIELD(o_bias),
    BOOL_FIELD(out_gate),    BOOL_FIELD(sinks),       BOOL_FIELD(cross),
    BOOL_FIELD(kv_shared),   BOOL_FIELD(k_is_v),      BOOL_FIELD(index_shared),
    BOOL_FIELD(gated),       BOOL_FIELD(mlp_bias),    BOOL_FIELD(shared_gate),
    BOOL_FIELD(router_bias), BOOL_FIELD(expert_bias), BOOL_FIELD(norm_bias),
};

static void read_kind(struct profile_group group, struct layer_kind *kind)
{
    int mixer = (int)kind->mixer, qk_norm = (int)kind->qk_norm;

    profile_word(group, "mixer", &mixer, mixer_table);
    profile_word(group, "qk_norm", &qk_norm, qk_norm_table);
    kind->mixer = (enum mixer)mixer;
    kind->qk_norm = (enum qk_norm)qk_norm;
    for (int i = 0; i < LAYER_COUNTS; i++)
        profile_count(group, layer_counts[i].key,
                      (int *)(void *)((char *)kind + layer_counts[i].offset), 0,
                      layer_counts[i].high);
    for (size_t i = 0; i < sizeof(bool_fields) / sizeof(bool_fields[0]); i++)
        profile_bool(group, bool_fields[i].key,
                     (bool *)(void *)((char *)kind + bool_fields[i].offset));
    profile_integer(group, "extra", &kind->extra, 0, 1e12);
}

/* What a profile need not say. */
static struct layer_kind default_kind(void)
{
    return (struct layer_kind){.mixer = MIXER_FULL, .gated = true, .norms = 2};
}

static void finish_kind(struct layer_kind *kind)
{
    if (kind->v_head_dim == 0)
        kind->v_head_dim = kind->head_dim;
}

/* ---- the pattern ---------------------------------------------------------------- */

struct pattern {
    struct profile_group top;
    const char *letters; /* letters[k] stands for kind k */
    struct model *model;
    const char *at;
    bool bracket; /* inside one: they do not nest, or 512(512(...)) would never end */
};

static void pattern_fail(struct pattern *p, const char *what)
{
    profile_fail(p->top, "pattern", "as in \"10(5LG)2L\"", "%s at \"%.20s\"", what,
                 p->at);
}

static bool add_layer(struct pattern *p, char letter)
{
    const char *found = strchr(p->letters, letter);

    if (!found || letter == '\0') {
        pattern_fail(p, "no layer kind has this letter");
        return false;
    }
    if (p->model->layer_count == MODEL_MAX_LAYERS) {
        pattern_fail(p, "more than 512 layers");
        return false;
    }
    p->model->layer[p->model->layer_count++] = (uint8_t)(found - p->letters);
    return true;
}

static int pattern_number(struct pattern *p)
{
    int number = 0;

    if (*p->at < '0' || *p->at > '9')
        return 1;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++)
        if (number <= MODEL_MAX_LAYERS)
            number = number * 10 + (*p->at - '0');
    return number;
}

static bool pattern_run(struct pattern *p);

/* "(" runs ")", times over. */
static bool pattern_bracket(struct pattern *p, int times)
{
    const char *start = p->at + 1;

    if (p->bracket || !strchr(start, ')')) {
        pattern_fail(p, p->bracket ? "brackets cannot be nested"
                                   : "a bracket is never closed");
        return false;
    }
    p->bracket = true;
    for (int i = 0; i < times; i++) {
        p->at = start;
        while (*p->at != ')')
            if (!pattern_run(p))
                return false;
    }
    p->bracket = false;
    p->at++;
    return true;
}

/* One letter or bracket with its number. */
static bool pattern_run(struct pattern *p)
{
    int times = pattern_number(p);

    if (times < 1 || times > MODEL_MAX_LAYERS) {
        pattern_fail(p, "a number is outside 1..512");
        return false;
    }
    if (*p->at == '(')
        return pattern_bracket(p, times);
    for (int i = 0; i < times; i++)
        if (!add_layer(p, *p->at))
            return false;
    p->at++;
    return true;
}

static void read_pattern(struct profile_group top, const char *letters,
                         struct model *model)
{
    char text[1024] = "";
    struct pattern p = {top, letters, model, text, false};

    profile_require(top, "pattern");
    profile_string(top, "pattern", text, sizeof(text));
    model->layer_count = 0;
    while (!profile_failed(top.profile) && *p.at)
        if (!pattern_run(&p))
            return;
}

/* ---- layers --------------------------------------------------------------------- */

static void read_letter(struct profile_group item, char *letters, int k)
{
    char text[2] = "";

    profile_require(item, "letter");
    profile_string(item, "letter", text, sizeof(text));
    if (profile_failed(item.profile))
        return;
    if (text[0] == '\0' || strchr("0123456789()", text[0]) || strchr(letters, text[0]))
        profile_fail(item, "letter", "choose another",
                     "\"%s\" is taken, or is a digit or bracket", text);
    letters[k] = text[0];
}

static void read_kinds(struct profile_group top, const struct layer_kind *shared,
                       struct model *model)
{
    char letters[MODEL_MAX_KINDS + 1] = "";
    int count = profile_length(top, "kinds", MODEL_MAX_KINDS);

    model->kind_count = count;
    for (int k = 0; k < count && !profile_failed(top.profile); k++) {
        struct profile_group item = profile_item(top, "kinds", k);
        model->kind[k] = *shared;
        read_letter(item, letters, k);
        read_kind(item, &model->kind[k]);
    }
    read_pattern(top, letters, model);
}

/* A later file that only changes fields of `layer` changes them in every kind. */
static void read_layers(struct profile_group top, struct model *model)
{
    struct profile_group layer = profile_sub(top, "layer");
    bool fresh = model->kind_count == 0;
    struct layer_kind shared = default_kind();

    if (profile_has(top, "kinds")) {
        read_kind(layer, &shared);
        read_kinds(top, &shared, model);
    } else if (fresh && profile_here(layer)) {
        profile_require(top, "layer_count");
        read_kind(layer, &shared);
        model->kind[0] = shared;
        model->kind_count = 1;
    } else if (profile_here(layer)) {
        for (int k = 0; k < model->kind_count; k++)
            read_kind(layer, &model->kind[k]);
    }
    if (model->kind_count == 1)
        profile_count(top, "layer_count", &model->layer_count, 1, MODEL_MAX_LAYERS);
    for (int k = 0; k < model->kind_count; k++)
        finish_kind(&model->kind[k]);
}

/* ---- the rest ------------------------------------------------------------------- */

static void read_names(struct profile_group top, struct model *m)
{
    profile_string(top, "name", m->name, sizeof(m->name));
    profile_string(top, "family", m->family, sizeof(m->family));
    profile_string(top, "note", m->note, sizeof(m->note));
    profile_string(top, "source", m->source, sizeof(m->source));
    profile_string(top, "gathered", m->date, sizeof(m->date));
}

static void read_shape(struct profile_group top, struct model *m)
{
    profile_bool(top, "weights_only", &m->weights_only);
    profile_count(top, "hidden", &m->hidden, 1, 1 << 20);
    profile_count(top, "vocab", &m->vocab, 1, 1 << 26);
    profile_bool(top, "tied", &m->tied);
    profile_bool(top, "final_norm", &m->final_norm);
    profile_bool(top, "final_norm_bias", &m->final_norm_bias);
    profile_bool(top, "embed_norm", &m->embed_norm);
    profile_count(top, "positions", &m->positions, 0, 1 << 26);
    profile_count(top, "max_context", &m->max_context, 0, 1 << 30);
    profile_integer(top, "mtp", &m->mtp_params, 0, COUNT_MAX);
}

static void read_extras(struct profile_group top, struct model *m)
{
    int count = profile_length(top, "extra", MODEL_MAX_EXTRAS);

    if (count > 0)
        m->extra_count = count;
    for (int i = 0; i < count && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "extra", i);
        struct model_extra *e = &m->extra[i];
        int role = ROLE_OTHER;

        memset(e, 0, sizeof(*e));
        profile_require(item, "name");
        profile_require(item, "elements");
        profile_string(item, "name", e->name, sizeof(e->name));
        profile_word(item, "role", &role, format_file_roles);
        profile_integer(item, "elements", &e->elements, 1, COUNT_MAX);
        e->role = (enum tensor_role)role;
    }
}

/* Roles that a quantised checkpoint quantises unless native_roles says otherwise. */
#define LINEAR_ROLES                                                                   \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT |                    \
     1u << ROLE_ATTN_LATENT | 1u << ROLE_INDEXER | 1u << ROLE_RECURRENT |              \
     1u << ROLE_MLP | 1u << ROLE_EXPERT | 1u << ROLE_SHARED)

static void read_native(struct profile_group top, struct model *m)
{
    static const struct profile_word dtypes[] = {
        {"bf16", 0}, {"fp16", 1}, {"fp32", 2}, {NULL, 0}};
    struct profile_group roles = profile_sub(top, "native_roles");
    char linear[FORMAT_ID_MAX] = "";
    int dtype = 0;

    if (profile_has(top, "dtype") || m->native_dtype[0] == '\0') {
        profile_word(top, "dtype", &dtype, dtypes);
        gp_copy(m->native_dtype, sizeof(m->native_dtype), dtypes[dtype].word);
        for (int r = 0; r < ROLE_COUNT; r++)
            gp_copy(m->native[r], sizeof(m->native[r]), dtypes[dtype].word);
        gp_copy(m->native_name, sizeof(m->native_name), dtypes[dtype].word);
    }
    profile_string(top, "native", linear, sizeof(linear));
    for (int r = 0; linear[0] && r < ROLE_COUNT; r++)
        if (LINEAR_ROLES >> r & 1)
            gp_copy(m->native[r], sizeof(m->native[r]), linear);
    for (const struct profile_word *w = format_file_roles; w->word; w++)
        profile_string(roles, w->word, m->native[w->value], sizeof(m->native[0]));
    profile_string(top, "native_name", m->native_name, sizeof(m->native_name));
    profile_string(top, "native_kv", m->native_kv, sizeof(m->native_kv));
}

/* After the shape, as the copy of a tied head is vocab x hidden. */
static void read_published(struct profile_group top, struct model *m)
{
    struct profile_group group = profile_sub(top, "published");
    bool mtp = false, head_copy = false;
    double scales = 0, other = 0;

    if (!profile_here(group))
        return;
    profile_require(group, "params");
    profile_integer(group, "params", &m->published, 1, COUNT_MAX);
    profile_bool(group, "mtp", &mtp);
    profile_bool(group, "head_copy", &head_copy);
    profile_integer(group, "scales", &scales, 0, COUNT_MAX);
    profile_integer(group, "other", &other, 0, COUNT_MAX);
    profile_string(group, "note", m->published_note, sizeof(m->published_note));
    profile_string(group, "source", m->published_source, sizeof(m->published_source));
    m->published_extra = scales + other + (mtp ? m->mtp_params : 0) +
                         (head_copy ? (double)m->vocab * m->hidden : 0);
}

static void read_model(struct profile_group top, struct model *m)
{
    if (m->kind_count == 0)
        m->final_norm = true;
    read_names(top, m);
    read_shape(top, m);
    read_layers(top, m);
    read_extras(top, m);
    read_native(top, m);
    read_published(top, m);
}

/* model_check() with the file's name in front of the place. */
static enum gp_status check_shape(const char *path, const struct model *model,
                                  struct gp_err *err)
{
    struct gp_err inner;
    enum gp_status status = model_check(model, &inner);

    if (status == GP_OK)
        return GP_OK;
    return gp_fail(err, status, path, inner.hint, "%s: %s", inner.where, inner.text);
}

enum gp_status model_file_parse(struct profile *profile, struct model *model,
                                char *aliases, size_t aliases_size,
                                profile_warn_fn warn, void *ctx, struct gp_err *err)
{
    struct profile_group top = profile_top(profile);
    enum gp_status status;

    profile_strings(top, "aliases", aliases, aliases_size);
    read_model(top, model);
    status = profile_finish(profile, warn, ctx, err);
    if (status == GP_OK)
        status = check_shape(profile_name(profile), model, err);
    return status;
}

enum gp_status model_file_read(const char *path, struct model *model, char *aliases,
                               size_t aliases_size, profile_warn_fn warn, void *ctx,
                               struct gp_err *err)
{
    struct profile *profile;
    enum gp_status status = profile_open(path, &profile, err);

    if (status != GP_OK)
        return status;
    status = model_file_parse(profile, model, aliases, aliases_size, warn, ctx, err);
    profile_free(profile);
    return status;
}
