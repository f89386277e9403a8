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
#include "catalog/files.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"

#define COUNT_MAX 1e13
#define VISION_NEEDED 6 /* the first of vision_counts[] */

static const struct profile_word mixer_table[] = {
#define X(NAME, word, class, needs) {word, MIXER_##NAME},
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

#define AT(member) PROFILE_AT(struct model, member)
#define EXTRA(member) PROFILE_AT(struct model_extra, member)

static const struct profile_field name_fields[] = {
    {"name", PROFILE_TEXT, AT(name)},
    {"family", PROFILE_TEXT, AT(family)},
};

static const struct profile_field use_fields[] = {
    {"weights_only", PROFILE_FLAG, AT(weights_only)},
    {"pooling", PROFILE_FLAG, AT(pooling)},
};

static const struct profile_field published_fields[] = {
    {"params", PROFILE_INTEGER, AT(published), 1, COUNT_MAX, .label = "params_published",
     .show = SHOW_PARAMS, .in = "published"},
    {NULL, PROFILE_INTEGER, AT(published_extra), .label = "params_published_beyond_total"},
    {"note", PROFILE_TEXT, AT(published_note), .label = "params_published_note", .in = "published"},
    {"source", PROFILE_TEXT, AT(published_source), .label = "params_published_source",
     .in = "published"},
    {"mtp", PROFILE_INTEGER, AT(mtp_params), 0, COUNT_MAX, .label = "params_mtp",
     .show = SHOW_PARAMS},
};

static const struct profile_field shape_fields[] = {
    {"hidden", PROFILE_COUNT, AT(hidden), 1, 1 << 20, .group = "shape"},
    {"vocab", PROFILE_COUNT, AT(vocab), 1, 1 << 26},
    {NULL, PROFILE_COUNT, AT(layer_count), .label = "layers"},
    {"tied", PROFILE_FLAG, AT(tied), .label = "tied_embedding"},
    {"positions", PROFILE_COUNT, AT(positions), 0, 1 << 26},
    {"max_context", PROFILE_COUNT, AT(max_context), 0, 1 << 30, .as = "tokens",
     .show = SHOW_THOUSANDS},
    {"contexts", PROFILE_TEXTS, AT(contexts), .show = SHOW_SET},
    {"embed_norm", PROFILE_FLAG, AT(embed_norm), .show = SHOW_NOT},
    {"final_norm", PROFILE_FLAG, AT(final_norm), .show = SHOW_NOT},
    {"final_norm_bias", PROFILE_FLAG, AT(final_norm_bias), .show = SHOW_NOT},
};

static const struct profile_field native_fields[] = {
    {"native_name", PROFILE_TEXT, AT(native_name)},
    {"native_kv", PROFILE_TEXT, AT(native_kv)},
};

static const struct profile_field evidence_fields[] = {
    {"source", PROFILE_TEXT, AT(source), .group = "evidence"},
    {"gathered", PROFILE_TEXT, AT(date), .label = "date"},
    {"note", PROFILE_TEXT, AT(note)},
};

const struct profile_table model_tables[MODEL_PARTS] = {
    [MODEL_NAMES] = PROFILE_TABLE(name_fields),
    [MODEL_USE] = PROFILE_TABLE(use_fields),
    [MODEL_PUBLISHED] = PROFILE_TABLE(published_fields),
    [MODEL_NATIVE] = PROFILE_TABLE(native_fields),
    [MODEL_SHAPE] = PROFILE_TABLE(shape_fields),
    [MODEL_EVIDENCE] = PROFILE_TABLE(evidence_fields),
};

static const struct profile_field extra_fields[] = {
    {"name", PROFILE_TEXT, EXTRA(name)},
    {"role", PROFILE_WORD, EXTRA(role), .words = format_file_roles},
    {"elements", PROFILE_INTEGER, EXTRA(elements), 1, COUNT_MAX},
};

#define TOWER(member) PROFILE_AT(struct model_vision, member)

static const struct profile_field vision_fields[] = {
    {"gated", PROFILE_FLAG, TOWER(gated)},
    {"source", PROFILE_TEXT, TOWER(source)},
};

static const struct profile_field yarn_fields[] = {
    {"context", PROFILE_COUNT, PROFILE_AT(struct model_yarn, context), 1, 1 << 30},
    {"original", PROFILE_COUNT, PROFILE_AT(struct model_yarn, original), 1, 1 << 30},
    {"theta", PROFILE_COUNT, PROFILE_AT(struct model_yarn, theta), 1, 1 << 30},
    {"source", PROFILE_TEXT, PROFILE_AT(struct model_yarn, source)},
};

static const struct profile_field checkpoint_fields[] = {
    {"format", PROFILE_TEXT, PROFILE_AT(struct model_checkpoint, format)},
    {"ff", PROFILE_COUNT, PROFILE_AT(struct model_checkpoint, ff), 1, 1000000},
    {"source", PROFILE_TEXT, PROFILE_AT(struct model_checkpoint, source)},
};

/* ---- layers --------------------------------------------------------------------- */

static void read_counts(struct profile_group group, const struct layer_field *f, int count,
                        void *object)
{
    for (; count > 0; count--, f++) {
        void *at = (char *)object + f->offset;

        if (f->kind == LAYER_COUNT)
            profile_count(group, f->key, at, 0, f->high);
        else if (f->kind == LAYER_FLAG)
            profile_bool(group, f->key, at);
        else
            profile_word(group, f->key, at, qk_norm_table);
    }
}

static void read_kind(struct profile_group group, struct layer_kind *kind)
{
    int mixer = (int)kind->mixer;

    profile_word(group, "mixer", &mixer, mixer_table);
    kind->mixer = (enum mixer)mixer;
    read_counts(group, layer_fields, LAYER_FIELDS, kind);
    profile_integer(group, "extra", &kind->extra, 0, 1e12);
}

/* What a profile need not say. */
static struct layer_kind default_kind(void)
{
    return (struct layer_kind){.mixer = MIXER_FULL, .gated = true, .norms = 2};
}

/* letters[k] stands for kind k. Brackets do not nest, or 512(512(...)) would never end. */
static void read_pattern(struct profile_group top, const char *letters, struct model *model)
{
    char text[1024] = "";
    const char *at = text, *wrong = NULL, *start = NULL; /* in the bracket that is open */
    int again = 0;                                       /* so often its content is to come */

    profile_require(top, "pattern");
    profile_string(top, "pattern", text, sizeof(text));
    model->layer_count = 0;
    while (*at && !wrong) {
        bool numbered = *at >= '0' && *at <= '9';
        int times = numbered ? 0 : 1;

        if (*at == ')' && start) {
            again--;
            at = again > 0 ? start : at + 1;
            start = again > 0 ? start : NULL;
            continue;
        }
        for (; *at >= '0' && *at <= '9'; at++)
            if (times <= MODEL_MAX_LAYERS)
                times = times * 10 + (*at - '0');
        const char *found = *at ? strchr(letters, *at) : NULL;
        if (times < 1 || times > MODEL_MAX_LAYERS) {
            wrong = "a number is outside 1..512";
        } else if (*at == '(') {
            wrong = start              ? "brackets cannot be nested"
                    : !strchr(at, ')') ? "a bracket is never closed"
                                       : NULL;
            start = wrong ? NULL : ++at;
            again = times;
        } else if (!found) {
            wrong = "no layer kind has this letter";
        } else if (model->layer_count + times > MODEL_MAX_LAYERS) {
            wrong = "more than 512 layers";
        } else {
            while (times-- > 0)
                model->layer[model->layer_count++] = (uint8_t)(found - letters);
            at++;
        }
    }
    if (wrong)
        profile_fail(top, "pattern", "as in \"10(5LG)2L\"", "%s at \"%.20s\"", wrong, at);
}

static void read_kinds(struct profile_group top, const struct layer_kind *shared,
                       struct model *model)
{
    char letters[MODEL_MAX_KINDS + 1] = "";

    model->kind_count = profile_length(top, "kinds", MODEL_MAX_KINDS);
    for (int k = 0; k < model->kind_count && !profile_failed(top.profile); k++) {
        struct profile_group item = profile_item(top, "kinds", k);
        char text[2] = "";

        profile_require(item, "letter");
        profile_string(item, "letter", text, sizeof(text));
        if (text[0] == '\0' || strchr("0123456789()", text[0]) || strchr(letters, text[0]))
            profile_fail(item, "letter", "choose another",
                         "\"%s\" is taken, or is a digit or bracket", text);
        letters[k] = text[0];
        model->kind[k] = *shared;
        read_kind(item, &model->kind[k]);
    }
    read_pattern(top, letters, model);
}

/* A later file that only changes fields of `layer` changes them in every kind. */
static void read_layers(struct profile_group top, struct model *model)
{
    struct profile_group layer = profile_sub(top, "layer");
    struct layer_kind shared = default_kind();

    if (profile_has(top, "kinds")) {
        read_kind(layer, &shared);
        read_kinds(top, &shared, model);
    } else if (model->kind_count == 0 && profile_here(layer)) {
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
        if (model->kind[k].v_head_dim == 0)
            model->kind[k].v_head_dim = model->kind[k].head_dim;
}

/* ---- the rest ------------------------------------------------------------------- */

static void read_vision(struct profile_group group, struct model *m)
{
    for (int i = 0; i < VISION_NEEDED; i++)
        profile_require(group, vision_counts[i].key);
    read_counts(group, vision_counts, VISION_COUNTS, &m->vision);
    PROFILE_FIELDS(group, vision_fields, &m->vision);
}

static void read_roles(struct profile_group group, char role[ROLE_COUNT][FORMAT_ID_MAX])
{
    for (const struct profile_word *w = format_file_roles; w->word && profile_here(group); w++)
        profile_string(group, w->word, role[w->value], FORMAT_ID_MAX);
}

static void read_extras(struct profile_group top, struct model *m)
{
    int count = profile_length(top, "extra", MODEL_MAX_EXTRAS);

    if (count > 0)
        m->extra_count = count;
    for (int i = 0; i < count && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "extra", i);

        m->extra[i] = (struct model_extra){.role = ROLE_OTHER};
        profile_require(item, "name");
        profile_require(item, "elements");
        PROFILE_FIELDS(item, extra_fields, &m->extra[i]);
    }
    count = profile_length(top, "checkpoints", MODEL_MAX_CHECKPOINTS);
    if (count > 0)
        m->checkpoint_count = count;
    for (int i = 0; i < count && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "checkpoints", i);

        m->checkpoint[i] = (struct model_checkpoint){0};
        profile_require(item, "format");
        PROFILE_FIELDS(item, checkpoint_fields, &m->checkpoint[i]);
        read_roles(profile_sub(item, "roles"), m->checkpoint[i].role);
    }
}

/* Roles that a quantised checkpoint quantises unless native_roles says otherwise. */
#define LINEAR_ROLES                                                                         \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT | 1u << ROLE_ATTN_LATENT | \
     1u << ROLE_INDEXER | 1u << ROLE_RECURRENT | 1u << ROLE_MLP | 1u << ROLE_EXPERT |        \
     1u << ROLE_SHARED)

static void read_native(struct profile_group top, struct model *m)
{
    static const struct profile_word dtypes[] = {{"bf16", 0}, {"fp16", 1}, {"fp32", 2}, {NULL, 0}};
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
    read_roles(profile_sub(top, "native_roles"), m->native);
}

/* What the published count holds beyond ours; after the shape, as the copy of a tied head is
 * vocab x hidden. */
static void read_beyond(struct profile_group group, struct model *m)
{
    bool mtp = false, head_copy = false;
    double scales = 0, other = 0;

    profile_require(group, "params");
    profile_bool(group, "mtp", &mtp);
    profile_bool(group, "head_copy", &head_copy);
    profile_integer(group, "scales", &scales, 0, COUNT_MAX);
    profile_integer(group, "other", &other, 0, COUNT_MAX);
    m->published_extra =
        scales + other + (mtp ? m->mtp_params : 0) + (head_copy ? (double)m->vocab * m->hidden : 0);
}

void model_file_read(struct profile_group top, void *target)
{
    struct model_item *item = target;
    struct model *m = &item->model;
    struct profile_group vision = profile_sub(top, "vision"), yarn = profile_sub(top, "yarn"),
                         published = profile_sub(top, "published");
    struct gp_err inner = {0};

    if (m->kind_count == 0)
        m->final_norm = true;
    profile_strings(top, "aliases", item->aliases, sizeof item->aliases);
    profile_strings(top, "base", item->base, sizeof item->base);
    read_native(top, m);
    for (int i = 0; i < MODEL_PARTS; i++)
        profile_fields(top, model_tables[i].fields, model_tables[i].count, m);
    read_layers(top, m);
    read_extras(top, m);
    if (profile_here(vision))
        read_vision(vision, m);
    if (profile_here(yarn)) {
        for (size_t i = 0; i < sizeof(yarn_fields) / sizeof(yarn_fields[0]); i++)
            profile_require(yarn, yarn_fields[i].key);
        PROFILE_FIELDS(yarn, yarn_fields, &m->yarn);
    }
    if (profile_here(published))
        read_beyond(published, m);
    if (!profile_failed(top.profile) && model_check(m, &inner) != GP_OK)
        profile_fail(top, NULL, inner.hint, "%s: %s", inner.where, inner.text);
}

/* ---- writing -------------------------------------------------------------------- */

static void add_text(struct strbuf *out, const char *key, const char *text)
{
    if (text[0] == '\0')
        return;
    strbuf_addf(out, "%s = \"", key);
    for (const char *c = text; *c != '\0'; c++)
        strbuf_addf(out, (*c == '"' || *c == '\\') ? "\\%c" : "%c",
                    (unsigned char)*c < 0x20 ? ' ' : *c);
    strbuf_add(out, "\";\n");
}

/* The fields of a table in which a model differs from one that a profile need not describe. */
static void add_fields(struct strbuf *out, struct profile_table table, const struct model *m)
{
    for (const struct profile_field *f = table.fields; f < table.fields + table.count; f++) {
        const void *at = (const char *)m + f->offset;
        double number = f->kind == PROFILE_INTEGER ? *(const double *)at
                        : f->kind == PROFILE_COUNT ? *(const int *)at
                                                   : 0;
        bool usual = f->offset == offsetof(struct model, final_norm);

        if (!f->key || f->in)
            continue;
        if (f->kind == PROFILE_TEXT)
            add_text(out, f->key, at);
        else if (f->kind == PROFILE_FLAG && *(const bool *)at != usual)
            strbuf_addf(out, "%s = %s;\n", f->key, usual ? "false" : "true");
        else if (number != 0)
            strbuf_addf(out, "%s = %.0f%s;\n", f->key, number, number > INT_MAX ? "L" : "");
    }
}

/* The fields in which an object differs from one that a profile need not describe. */
static void add_counts(struct strbuf *out, const char *indent, const struct layer_field *f,
                       int count, const void *object, const void *plain)
{
    for (; count > 0; count--, f++) {
        size_t size = f->kind == LAYER_FLAG ? sizeof(bool) : sizeof(int);
        int value = 0, fallback = 0;

        memcpy(&value, (const char *)object + f->offset, size);
        memcpy(&fallback, (const char *)plain + f->offset, size);
        if (value == fallback)
            continue;
        if (f->kind == LAYER_COUNT)
            strbuf_addf(out, "%s%s = %d;\n", indent, f->key, value);
        else if (f->kind == LAYER_FLAG)
            strbuf_addf(out, "%s%s = %s;\n", indent, f->key, value ? "true" : "false");
        else
            strbuf_addf(out, "%s%s = \"%s\";\n", indent, f->key, qk_norm_table[value].word);
    }
}

static void add_kind(struct strbuf *out, const struct layer_kind *kind)
{
    struct layer_kind plain = default_kind();

    plain.v_head_dim = kind->head_dim; /* as read_layers() has it */
    if (kind->mixer != plain.mixer)
        strbuf_addf(out, "        mixer = \"%s\";\n", mixer_word(kind->mixer));
    add_counts(out, "        ", layer_fields, LAYER_FIELDS, kind, &plain);
    if (kind->extra > 0)
        strbuf_addf(out, "        extra = %.0f%s;\n", kind->extra,
                    kind->extra > INT_MAX ? "L" : "");
}

static void add_layers(struct strbuf *out, const struct model *m)
{
    if (m->kind_count == 1) {
        strbuf_add(out, "layer = {\n");
        add_kind(out, &m->kind[0]);
        strbuf_addf(out, "};\nlayer_count = %d;\n", m->layer_count);
    }
    for (int k = 0; m->kind_count > 1 && k < m->kind_count; k++) {
        strbuf_addf(out, "%s    {\n        letter = \"%c\";\n", k == 0 ? "kinds = (\n" : "",
                    'A' + k);
        add_kind(out, &m->kind[k]);
        strbuf_add(out, k + 1 < m->kind_count ? "    },\n" : "    }\n);\n");
    }
    if (m->kind_count == 1)
        return;
    strbuf_add(out, "pattern = \""); /* "D60M": runs of layers by the letters of their kinds */
    for (int i = 0, run; i < m->layer_count; i += run) {
        for (run = 1; i + run < m->layer_count; run++)
            if (m->layer[i + run] != m->layer[i])
                break;
        if (run > 1)
            strbuf_addf(out, "%d", run);
        strbuf_addf(out, "%c", 'A' + m->layer[i]);
    }
    strbuf_add(out, "\";\n");
}

/* Every role whose format is not the type of the rest. */
static void add_native(struct strbuf *out, const struct model *m)
{
    bool open = false;

    add_text(out, "dtype", m->native_dtype);
    for (const struct profile_word *w = format_file_roles; w->word; w++) {
        if (strcmp(m->native[w->value], m->native_dtype) == 0 ||
            model_params_role(m, (enum tensor_role)w->value) <= 0)
            continue;
        strbuf_addf(out, "%s    %s = \"%s\";\n", open ? "" : "native_roles = {\n", w->word,
                    m->native[w->value]);
        open = true;
    }
    if (open)
        strbuf_add(out, "};\n");
    if (strcmp(m->native_name, m->native_dtype) != 0)
        add_text(out, "native_name", m->native_name);
    add_text(out, "native_kv", m->native_kv);
}

void model_file_write(const struct model *m, struct strbuf *out)
{
    static const struct model_vision none;

    add_fields(out, model_tables[MODEL_NAMES], m);
    strbuf_add(out, "\n");
    add_fields(out, model_tables[MODEL_USE], m);
    add_fields(out, model_tables[MODEL_SHAPE], m);
    add_native(out, m);
    strbuf_add(out, "\n");
    add_layers(out, m);
    for (int i = 0; i < m->extra_count; i++) {
        const struct profile_word *w = format_file_roles;

        while (w->word && w->value != (int)m->extra[i].role)
            w++;
        strbuf_addf(out, "%s    { name = \"%s\"; role = \"%s\"; elements = %.0fL; }%s\n",
                    i == 0 ? "extra = (\n" : "", m->extra[i].name, w->word ? w->word : "other",
                    m->extra[i].elements, i + 1 < m->extra_count ? "," : "\n);");
    }
    if (m->vision.width > 0) {
        strbuf_add(out, "vision = {\n");
        add_counts(out, "    ", vision_counts, VISION_COUNTS, &m->vision, &none);
        if (m->vision.gated)
            strbuf_add(out, "    gated = true;\n");
        add_text(out, "    source", m->vision.source);
        strbuf_add(out, "};\n");
    }
    add_fields(out, model_tables[MODEL_PUBLISHED], m);
    strbuf_add(out, "\n");
    add_fields(out, model_tables[MODEL_EVIDENCE], m);
}
