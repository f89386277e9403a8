/*
 * hfmodules.c - a quantised checkpoint, matrix by matrix and layer by layer.
 *
 * A quantiser's configuration comes down to rules (hfquant.c): a pattern, and how the
 * modules that it names are stored, or that they stay as they were. Of the rules that name a
 * module the first one holds; what none names is stored as the rest. Each matrix of each
 * layer is asked for on its own, so that half of the layers, one matrix of three or twenty of
 * 256 experts count as what they are:
 *
 *   bytes of a role = sum over layers, matrices: bytes of rows x cols as its rule says
 *
 * The format of a role is that of most of its elements. What is counted so is no more than
 * what a text promises: model->bytes is then `inferred`, with a band.
 *
 * Example: 8B Llama in NVFP4 with down_proj of 16 of 32 layers left alone: 16 x 58.7 M
 * elements in 16 bit, 2 bytes, the rest 4.5 bits: 6.87 GiB; mlp is still "nvfp4".
 */
#include "model/read/hfquant.h"
#include "model/read/tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BUDGET 100000000L
#define NAMES_MAX 24

#define LINEAR                                                                               \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT | 1u << ROLE_ATTN_LATENT | \
     1u << ROLE_INDEXER | 1u << ROLE_RECURRENT | 1u << ROLE_MLP | 1u << ROLE_EXPERT |        \
     1u << ROLE_SHARED)

/* How the modules of our tensors are called below a layer, the usual name first: a pattern
 * with look-ahead, which names all but something, is asked for that one alone. */
static const struct {
    const char *tensor, *modules;
} module_names[] = {
#define FUSED_QKV                                                                     \
    " self_attn.qkv_proj attention.wqkv self_attention.query_key_value "              \
    "attention.query_key_value attn.c_attn attn.qkv_proj attn.Wqkv self_attn.W_pack " \
    "linear_attn.in_proj_qkv linear_attn.in_proj_qkvz"
    {"q_proj", "self_attn.q_proj attn.q_proj attention.wq attention.q_proj mixer.q_proj" FUSED_QKV},
    {"k_proj", "self_attn.k_proj attn.k_proj attention.wk attention.k_proj mixer.k_proj" FUSED_QKV},
    {"v_proj", "self_attn.v_proj attn.v_proj attention.wv attention.v_proj mixer.v_proj" FUSED_QKV},
    {"q_proj, k_proj", "self_attn.q_proj self_attn.k_proj" FUSED_QKV},
    {"qkv_proj", "self_attn.qkv_proj" FUSED_QKV},
    {"o_proj", "self_attn.o_proj self_attn.out_proj self_attn.dense attn.o_proj attention.wo "
               "attention.o_proj mixer.o_proj attention.dense self_attention.dense attn.c_proj "
               "attn.out_proj"},
    {"g_proj", "self_attn.g_proj"},
    {"g_a_proj", "self_attn.g_a_proj"},
    {"g_b_proj", "self_attn.g_b_proj"},
    {"f_a_proj", "self_attn.f_a_proj"},
    {"f_b_proj", "self_attn.f_b_proj"},
    {"b_proj", "self_attn.b_proj"},
    {"output_gate", "self_attn.output_gate"},
    {"encoder_attn.", "encoder_attn."},
    {"q_a_proj", "self_attn.q_a_proj self_attn.fused_qkv_a_proj_with_mqa attn.wq_a "
                 "attn.fused_wqa_wkv"},
    {"q_b_proj", "self_attn.q_b_proj attn.wq_b"},
    {"kv_a_proj_with_mqa", "self_attn.kv_a_proj_with_mqa self_attn.fused_qkv_a_proj_with_mqa"},
    {"kv_b_proj", "self_attn.kv_b_proj"},
    {"kv_proj", "attn.wkv attn.fused_wqa_wkv self_attn.kv_proj"},
    {"o_a_proj", "attn.wo_a self_attn.o_a_proj"},
    {"o_b_proj", "attn.wo_b self_attn.o_b_proj"},
    {"indexer.wq_b", "self_attn.indexer.wq_b attn.indexer.wq_b self_attn.index_q_proj"},
    {"indexer.q_b_proj", "attn.indexer.wq_b self_attn.indexer.q_b_proj"},
    {"indexer.wk", "self_attn.indexer.wk attn.indexer.wk self_attn.index_k_proj"},
    {"in_proj_qkvz", "linear_attn.in_proj_qkvz linear_attn.in_proj_qkv linear_attn.in_proj_z"},
    {"in_proj_ba", "linear_attn.in_proj_ba linear_attn.in_proj_b linear_attn.in_proj_a"},
    {"in_proj", "mamba.in_proj mixer.in_proj conv.in_proj"},
    {"x_proj", "mamba.x_proj mixer.x_proj"},
    {"dt_proj", "mamba.dt_proj mixer.dt_proj"},
    {"out_proj", "linear_attn.out_proj mamba.out_proj mixer.out_proj conv.out_proj "
                 "self_attn.out_proj"},
    {"gate_proj", "mlp.gate_proj mlp.gate_up_proj mlp.w1 mlp.w2 mlp.fc1 feed_forward.w1 "
                  "feed_forward.gate_proj ffn.gate_proj ffn.w1 mixer.gate_proj"},
    {"up_proj", "mlp.up_proj mlp.gate_up_proj mlp.w3 mlp.w1 mlp.c_fc mlp.fc1 fc1 mlp.fc_in "
                "mlp.dense_h_to_4h feed_forward.w3 feed_forward.up_proj ffn.up_proj ffn.w3 "
                "mixer.up_proj"},
    {"down_proj", "mlp.down_proj mlp.c_proj mlp.fc2 fc2 mlp.fc_out mlp.dense_4h_to_h "
                  "feed_forward.w2 feed_forward.down_proj ffn.down_proj ffn.w2 mixer.down_proj"},
#define EXPERTS(own, fused, w)                                                                \
    "mlp.experts.0." own fused " mlp.switch_mlp." own " mlp.experts." own " mlp.experts.0." w \
    " ffn.experts.0." own " ffn.experts.0." w " block_sparse_moe.experts.0." w                \
    " block_sparse_moe.experts.0." own " block_sparse_moe.switch_mlp." own                    \
    " feed_forward.experts." own " feed_forward.experts.0." own " mixer.experts.0." own       \
    " moe.experts.0." own " experts.0." own " experts." own " ffn.switch_mlp." own
    {"experts.gate_proj", EXPERTS("gate_proj", " mlp.experts.gate_up_proj", "w1")},
    {"experts.up_proj", EXPERTS("up_proj", " mlp.experts.gate_up_proj", "w3")},
    {"experts.down_proj", EXPERTS("down_proj", "", "w2")},
#define SHARED(own)                                                                \
    "mlp.shared_experts." own " mlp.shared_expert." own " ffn.shared_experts." own \
    " feed_forward.shared_expert." own " mixer.shared_experts." own                \
    " block_sparse_moe.shared_experts." own " shared_mlp." own " mlp.shared_mlp." own
    {"shared_experts.gate_proj", SHARED("gate_proj")},
    {"shared_experts.up_proj", SHARED("up_proj")},
    {"shared_experts.down_proj", SHARED("down_proj")},
    {"fc1_latent_proj", "mixer.fc1_latent_proj"},
    {"fc2_latent_proj", "mixer.fc2_latent_proj"},
    {"per_layer_input_gate", "per_layer_input_gate"},
    {"per_layer_projection", "per_layer_projection"},
};

/* In front of the number of a layer, the usual one first. */
static const char *const layer_prefixes[] = {
    "model.layers.",
    "model.language_model.layers.",
    "language_model.model.layers.",
    "layers.",
    "backbone.layers.",
    "transformer.h.",
    "transformer.layers.",
};

static const char *const head_names[] = {"lm_head", "model.lm_head", "language_model.lm_head",
                                         "head", "output"};
/* Of a tower some modules, under the paths that towers have. */
static const char *const tower_names[] = {
    "visual.blocks.0.attn.qkv",
    "model.visual.blocks.0.mlp.gate_proj",
    "visual.blocks.0.mlp.linear_fc1",
    "vision_tower.encoder.layers.0.self_attn.q_proj",
    "model.vision_tower.vision_model.encoder.layers.0.mlp.fc1",
    "vision_tower.transformer.layers.0.attention.q_proj",
    "vision_model.model.layers.0.self_attn.q_proj",
    "vision_model.encoder.layers.0.attn.qkv",
    "vision_encoder.transformer.layers.0.attention.wq",
    "model.vision_model.encoder.layers.0.self_attn.q_proj",
    "vision_embed_tokens.layers.0",
    "vpm.encoder.layers.0.self_attn.q_proj",
    "audio_tower.layers.0.self_attn.q_proj",
};
static const char *const embed_names[] = {"model.embed_tokens",
                                          "embed_tokens",
                                          "model.language_model.embed_tokens",
                                          "language_model.model.embed_tokens",
                                          "transformer.wte",
                                          "backbone.embeddings"};

/* ---- rules ---- */

struct rule {
    char *pattern;
    const char *below; /* of one with a layer's number: the path after it */
    int scheme, layer; /* layer -1: not of one layer */
    bool varies;       /* has digits: may name some layers and not others */
    bool looks;        /* has a look-ahead: names what it does not say */
    bool numbered;     /* says more of experts than that: may name some and not others */
};

struct rule_list {
    int *items;
    size_t count, cap;
};

struct quant {
    struct hf *hf;
    struct format *scheme;
    size_t schemes, scheme_cap;
    struct rule *rule;
    size_t rules, rule_cap;
    struct rule_list general, numbered, of_layer[MODEL_MAX_LAYERS];
    int of_role[ROLE_COUNT]; /* of roles that rules do not name: tables */
    size_t *of_expert;       /* the rule of each of a layer's experts; SIZE_MAX: none */
    size_t expert_cap;
    bool layered; /* a rule may tell layers apart */
    long budget;
};

struct quant *quant_new(struct hf *hf)
{
    struct quant *q = gp_calloc(1, sizeof *q);

    q->hf = hf;
    q->budget = BUDGET;
    q->scheme = gp_grow(NULL, &q->scheme_cap, 1, sizeof *q->scheme);
    memset(q->scheme, 0, sizeof *q->scheme);
    q->schemes = QUANT_KEPT + 1;
    return q;
}

void quant_free(struct quant *q)
{
    for (size_t i = 0; i < q->rules; i++)
        free(q->rule[i].pattern);
    for (int i = 0; i < MODEL_MAX_LAYERS; i++)
        free(q->of_layer[i].items);
    free(q->general.items);
    free(q->numbered.items);
    free(q->of_expert);
    free(q->rule);
    free(q->scheme);
    free(q);
}

int quant_scheme(struct quant *q, const struct format *f)
{
    for (size_t i = 0; i < q->schemes; i++)
        if (memcmp(&q->scheme[i], f, sizeof *f) == 0)
            return (int)i;
    q->scheme = gp_grow(q->scheme, &q->scheme_cap, q->schemes + 1, sizeof *f);
    q->scheme[q->schemes] = *f;
    return (int)q->schemes++;
}

void quant_role(struct quant *q, enum tensor_role role, int scheme)
{
    q->of_role[role] = scheme;
}

const struct format *quant_format(const struct quant *q, int scheme)
{
    return &q->scheme[scheme];
}

static void rule_list_add(struct rule_list *list, int rule)
{
    list->items = gp_grow(list->items, &list->cap, list->count + 1, sizeof rule);
    list->items[list->count++] = rule;
}

static bool is_pattern(const char *text)
{
    return strncmp(text, "re:", 3) == 0 || strpbrk(text, "*?") != NULL;
}

/* "...layers.17.rest": 17, and below is "rest" ("" of a whole layer); else -1. */
static int layer_number(const char *text, const char **below)
{
    static const char *const words[] = {"layers.", "h.", "blocks.", "layer."};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t len = strlen(words[w]);

        for (const char *at = text; (at = strstr(at, words[w])) != NULL; at += len) {
            char *end;
            long number;

            if ((at != text && at[-1] != '.') || at[len] < '0' || at[len] > '9')
                continue;
            number = strtol(at + len, &end, 10);
            if ((*end != '.' && *end != '\0') || number >= MODEL_MAX_LAYERS)
                continue;
            *below = *end == '.' ? end + 1 : end;
            return (int)number;
        }
    }
    return -1;
}

/* What follows "experts" where it may tell one from another by number, else NULL. */
static const char *expert_numbers(const char *text)
{
    const char *at = strstr(text, "experts");

    return at != NULL && (strpbrk(at, "0123456789") != NULL || strstr(at, "\\d") != NULL) ? at
                                                                                          : NULL;
}

void quant_rule(struct quant *q, const char *prefix, const char *text, int scheme)
{
    size_t len = strlen(text);
    struct rule rule = {.scheme = scheme, .layer = -1};

    if (len >= 1024)
        return;
    rule.pattern = gp_malloc(strlen(prefix) + len + 1);
    strcpy(rule.pattern, prefix);
    strcat(rule.pattern, text);
    bool pattern = is_pattern(rule.pattern);
    if (!pattern)
        rule.layer = layer_number(rule.pattern, &rule.below);
    if (!pattern && rule.layer < 0 && len > 7 && strcmp(text + len - 7, ".weight") == 0)
        rule.pattern[strlen(rule.pattern) - 7] = '\0';
    rule.varies = pattern && strpbrk(rule.pattern, "0123456789") != NULL;
    rule.looks = strstr(rule.pattern, "(?!") != NULL;
    const char *numbers = rule.layer < 0 ? expert_numbers(rule.pattern) : NULL;
    const char *digits = strstr(rule.pattern, "\\d");
    rule.numbered = numbers != NULL;
    q->layered |= rule.layer >= 0 || (rule.varies && !rule.numbered) ||
                  (rule.numbered && (rule.pattern + strcspn(rule.pattern, "0123456789") < numbers ||
                                     (digits != NULL && digits < numbers)));
    bool aside = !pattern && prefix[0] == '\0' && tensorname_is_aside(text);
    q->rule = gp_grow(q->rule, &q->rule_cap, q->rules + 1, sizeof rule);
    q->rule[q->rules] = rule;
    if (!aside) /* a tower's or a draft's: asked of towers alone */
        rule_list_add(rule.layer >= 0 ? &q->of_layer[rule.layer] : &q->general, (int)q->rules);
    if (rule.numbered)
        rule_list_add(&q->numbered, (int)q->rules);
    q->rules++;
}

void quant_rules(struct quant *q, const char *prefix, const json_t *array, int scheme)
{
    const json_t *item;
    size_t i;

    json_array_foreach(array, i, item)
    {
        if (json_is_string(item))
            quant_rule(q, prefix, json_string_value(item), scheme);
    }
}

/* ---- which rule names a module? ---- */

struct names {
    char text[NAMES_MAX][64]; /* below a layer */
    int count;
    bool experts;
};

/* Experts beside a dense MLP (Gemma 4) are not below "mlp"; Mixtral's are w1 to w3 alone; a fused
 * name of a recurrence is not one of attention. Names that hold another ("switch_mlp.up_proj")
 * would answer to it: only MLX, Hunyuan and Granite have them. */
static bool names_take(const struct quant *q, const struct layer_kind *kind, enum tensor_role role,
                       const char *name)
{
    const char *family = q->hf->model->family;

    if (strncmp(name, "linear_attn.", 12) == 0 && role != ROLE_RECURRENT)
        return false;
    if (strstr(name, "switch_mlp") != NULL)
        return hf_has(q->hf, "quantization");
    if (strstr(name, "shared_mlp") != NULL)
        return strcmp(family, "hunyuan") == 0 || strcmp(family, "granite") == 0;
    if (role == ROLE_EXPERT && gp_has_word("mixtral phimoe", " ", family))
        return strncmp(name, "block_sparse_moe.experts.0.w", 28) == 0;
    return role != ROLE_EXPERT || kind->ff == 0 || strncmp(name, "mlp.", 4) != 0;
}

static void names_of(const struct quant *q, const struct layer_kind *kind, const struct tensor *t,
                     struct names *out)
{
    size_t row = 0, rows = sizeof module_names / sizeof *module_names;

    out->count = 0;
    out->experts = t->role == ROLE_EXPERT && t->count > 1;
    while (row < rows && strcmp(module_names[row].tensor, t->name) != 0)
        row++;
    const char *list = row < rows ? module_names[row].modules : t->name;
    while (out->count < NAMES_MAX && hf_next_word(&list, out->text[out->count]))
        out->count += names_take(q, kind, t->role, out->text[out->count]);
}

/* Is `path` the module, or what it lies in? Of experts the number is any: *expert is that of
 * `path`, -1 where it has none. */
static bool path_covers(const char *path, const char *module, int *expert)
{
    const char *start = module;

    *expert = -1;
    while (*path != '\0' && *path == *module) {
        bool numbered = strncmp(path, "experts.", 8) == 0 && path[8] >= '0' && path[8] <= '9' &&
                        module[7] == '.' && module[8] == '0';

        path++, module++;
        if (numbered) {
            *expert = atoi(path + 7);
            path += 7 + strspn(path + 7, "0123456789");
            module += 8;
        }
    }
    return (*path == '\0' || strcmp(path, ".weight") == 0 || strcmp(path, ".") == 0) &&
           (*module == '\0' || *module == '.' || module == start || module[-1] == '.');
}

/* A name of matrices that some models load as one answers to a pattern that says it, not to
 * "re:.*v_proj$", which is one of them. */
static bool is_said(const char *pattern, const char *name)
{
    static const char *const fused[] = {"gate_up", "qkv", "query_key_value", "W_pack", "c_attn"};

    for (size_t i = 0; i < sizeof fused / sizeof *fused; i++)
        if (strstr(name, fused[i]) != NULL)
            return strstr(pattern, fused[i]) != NULL;
    return true;
}

static bool rule_names(struct quant *q, const struct rule *rule, const struct names *names,
                       int layer)
{
    size_t prefixes = rule->looks ? 1 : sizeof layer_prefixes / sizeof *layer_prefixes;
    int count = rule->looks && names->count > 1 ? 1 : names->count;
    char path[160];

    if (!is_pattern(rule->pattern))
        prefixes = 1; /* a part of a path: the prefix is none of it, mostly */
    for (size_t p = 0; p < prefixes; p++)
        for (int n = 0; n < count; n++) {
            snprintf(path, sizeof path, "%s%d.%s", layer_prefixes[p], layer, names->text[n]);
            if ((n == 0 || is_said(rule->pattern, names->text[n])) &&
                hfmatch(rule->pattern, path, &q->budget))
                return true;
        }
    return false;
}

/* The first rule for a tensor of a layer, SIZE_MAX: none. `steady` is the one among those
 * that say the same of all layers, or unasked. */
struct steady {
    bool asked;
    size_t rule;
};

static size_t general_rule(struct quant *q, const struct names *names, int layer, bool varies)
{
    for (size_t i = 0; i < q->general.count; i++) {
        size_t r = (size_t)q->general.items[i];

        if (q->rule[r].varies == varies && !(names->experts && q->rule[r].numbered) &&
            rule_names(q, &q->rule[r], names, layer))
            return r;
    }
    return SIZE_MAX;
}

/* Does a pattern speak of experts under this name? Of one that does not say in what they lie the
 * first name stands for all. */
static bool expert_name_fits(const char *pattern, const struct names *names, int n)
{
    const char *mark = strstr(names->text[n], ".experts.0.");
    int said = 0;

    if (mark == NULL)
        return false;
    for (int i = 0; i < names->count; i++) {
        size_t len = strcspn(names->text[i], ".");

        said += strncmp(names->text[i], "experts", 7) != 0 &&
                memmem(pattern, strlen(pattern), names->text[i], len) != NULL;
    }
    size_t len = (size_t)(mark - names->text[n]), first = strcspn(names->text[0], ".");
    return said > 0 ? memmem(pattern, strlen(pattern), names->text[n], len) != NULL
                    : len == first && strncmp(names->text[n], names->text[0], len) == 0;
}

/* Asks each expert for itself, under the names that fit, until one answers: that is the
 * checkpoint's own from then on. */
static void ask_experts(struct quant *q, size_t r, const struct names *names, int layer, int count)
{
    const char *pattern = q->rule[r].pattern;
    bool found = false;

    for (int n = 0; n < names->count && !found; n++)
        for (int p = 0; p < 3 && !found && expert_name_fits(pattern, names, n); p++)
            for (int e = 0; e < count && q->budget > 0; e++) {
                const char *mark = strstr(names->text[n], "experts.0.");
                char path[160];

                snprintf(path, sizeof path, "%s%d.%.*sexperts.%d.%s", layer_prefixes[p], layer,
                         (int)(mark - names->text[n]), names->text[n], e, mark + 10);
                if (q->of_expert[e] <= r || !hfmatch(pattern, path, &q->budget))
                    continue;
                q->of_expert[e] = r;
                found = true;
            }
}

/* The first rule of each expert of a layer; `first` is that of all of them. */
static void rules_of_experts(struct quant *q, const struct names *names, int layer, int count,
                             size_t first)
{
    const struct rule_list *own = &q->of_layer[layer];

    q->of_expert = gp_grow(q->of_expert, &q->expert_cap, (size_t)count, sizeof *q->of_expert);
    for (int e = 0; e < count; e++)
        q->of_expert[e] = first;
    for (size_t i = 0; i < q->numbered.count; i++)
        ask_experts(q, (size_t)q->numbered.items[i], names, layer, count);
    for (size_t i = 0; i < own->count; i++) {
        size_t r = (size_t)own->items[i];
        int expert;

        for (int n = 0; n < names->count; n++)
            if (path_covers(q->rule[r].below, names->text[n], &expert) && expert >= 0 &&
                expert < count && r < q->of_expert[expert])
                q->of_expert[expert] = r;
    }
}

/* How many of a tensor's matrices in one layer each scheme stores; of all but experts there
 * is one, by the first rule that names it. */
static void share_matrices(struct quant *q, const struct tensor *t, const struct names *names,
                           int layer, struct steady *steady, int rest, double *of_scheme)
{
    int theirs = layer / (q->hf->model->layer_parts > 1 ? q->hf->model->layer_parts : 1);
    const struct rule_list *own = &q->of_layer[theirs];
    size_t first;

    if (!steady->asked)
        *steady = (struct steady){true, general_rule(q, names, theirs, false)};
    first = general_rule(q, names, theirs, true);
    first = steady->rule < first ? steady->rule : first;
    bool numbered = names->experts && q->numbered.count > 0;
    for (size_t i = 0; i < own->count; i++) {
        const struct rule *rule = &q->rule[own->items[i]];
        int expert = -1;
        bool covers = false;

        for (int n = 0; n < names->count && !covers; n++)
            covers = path_covers(rule->below, names->text[n], &expert);
        numbered |= covers && expert >= 0 && names->experts;
        if (covers && expert < 0 && (size_t)own->items[i] < first)
            first = (size_t)own->items[i];
    }
    if (!numbered) {
        of_scheme[first == SIZE_MAX ? rest : q->rule[first].scheme] += t->count;
        return;
    }
    rules_of_experts(q, names, theirs, (int)t->count, first);
    for (int e = 0; e < (int)t->count; e++)
        of_scheme[q->of_expert[e] == SIZE_MAX ? rest : q->rule[q->of_expert[e]].scheme] += 1;
}

/* ---- counting ---- */

/* 0: what stays as it was. */
static void count_plain(struct quant *q)
{
    struct format plain = {.bits = strcmp(q->hf->model->native_dtype, "fp32") == 0 ? 32 : 16};

    gp_copy(plain.id, sizeof plain.id, q->hf->model->native_dtype);
    q->scheme[QUANT_KEPT] = plain;
}

struct tally {
    double elements[ROLE_COUNT]; /* by the scheme that has most */
    double *of[ROLE_COUNT];
};

static void tally_add(struct quant *q, struct tally *tally, int row, const struct tensor *t,
                      const double *of_scheme)
{
    struct model *m = q->hf->model;

    for (size_t s = 0; s < q->schemes; s++) {
        if (of_scheme[s] <= 0)
            continue;
        double bytes = of_scheme[s] * format_bytes(&q->scheme[s], t->rows, t->cols);

        m->bytes.by_role[row][t->role] += bytes;
        tally->of[t->role][s] += of_scheme[s] * t->rows * t->cols;
    }
}

static void count_layers(struct quant *q, int rest, struct tally *tally)
{
    struct model *m = q->hf->model;
    struct tensor tensors[MODEL_MAX_TENSORS];
    double *of_scheme = gp_calloc(q->schemes, sizeof *of_scheme);
    struct names names;

    for (int k = 0; k < m->kind_count; k++)
        for (int i = model_layer_tensors(m, k, tensors); i-- > 0;) {
            const struct tensor *t = &tensors[i];
            bool linear = LINEAR >> t->role & 1 && t->rows > 1 && t->cols > 1;
            struct steady steady = {false, SIZE_MAX};
            bool known = false;

            names_of(q, &m->kind[k], t, &names);
            for (int layer = 0; layer < m->layer_count; layer++) {
                if (m->layer[layer] != k)
                    continue;
                if (!known || q->layered) {
                    memset(of_scheme, 0, q->schemes * sizeof *of_scheme);
                    if (linear)
                        share_matrices(q, t, &names, layer, &steady, rest, of_scheme);
                    else
                        of_scheme[q->of_role[t->role]] = t->count;
                    known = true;
                }
                tally_add(q, tally, k, t, of_scheme);
            }
        }
    free(of_scheme);
}

/* The scheme of a module outside the layers, under one of its names. */
static int outside_scheme(struct quant *q, const char *const *names, size_t count, int rest)
{
    for (size_t i = 0; i < q->general.count; i++) {
        const struct rule *rule = &q->rule[q->general.items[i]];

        for (size_t n = 0; n < (rule->looks ? 1 : count); n++)
            if (hfmatch(rule->pattern, names[n], &q->budget))
                return rule->scheme;
    }
    return rest;
}

/* A quantiser that takes every linear layer takes those of towers, unless a rule names one: any
 * is enough, as lists leave out the whole of it. Released files seldom have them so, and none says
 * that it was meant: the band keeps both. */
static int tower_scheme(struct quant *q, const struct tensor *t)
{
    size_t count = sizeof tower_names / sizeof *tower_names;

    for (size_t r = 0; r < q->rules; r++)
        for (size_t n = 0; n < count; n++)
            if (tensorname_is_aside(q->rule[r].pattern) ||
                hfmatch(q->rule[r].pattern, tower_names[n], &q->budget))
                return q->rule[r].scheme;
    const struct format *f = &q->scheme[q->of_role[ROLE_VISION]];
    q->hf->model->missing_params += t->rows * t->cols * t->count * (1 - f->bits / 16);
    return q->of_role[ROLE_VISION];
}

static void count_outside(struct quant *q, int embed, int head, int rest, struct tally *tally)
{
    struct model *m = q->hf->model;
    struct tensor tensors[MODEL_MAX_TENSORS];
    double *of_scheme = gp_calloc(q->schemes, sizeof *of_scheme);

    for (int i = model_global_tensors(m, tensors); i-- > 0;) {
        struct tensor *t = &tensors[i];
        const char *names[2] = {"model.language_model.per_layer_model_projection",
                                "model.per_layer_model_projection"};
        int scheme = q->of_role[t->role];

        if (strcmp(t->name, "embed_tokens") == 0)
            scheme =
                outside_scheme(q, embed_names, sizeof embed_names / sizeof *embed_names, embed);
        else if (t->role == ROLE_HEAD)
            scheme = outside_scheme(q, head_names, sizeof head_names / sizeof *head_names, head);
        else if (t->role == ROLE_MLP)
            scheme = outside_scheme(q, names, 2, rest);
        else if (t->role == ROLE_LAYER_EMBED)
            scheme = embed;
        else if (t->role == ROLE_VISION && q->of_role[ROLE_VISION] != QUANT_KEPT) {
            scheme = tower_scheme(q, t);
            t->rows = t->cols = sqrt(t->cols); /* many matrices, not one long row */
        }
        memset(of_scheme, 0, q->schemes * sizeof *of_scheme);
        of_scheme[scheme] = t->count;
        tally_add(q, tally, m->kind_count, t, of_scheme);
    }
    free(of_scheme);
}

void quant_count(struct quant *q, int rest, int embed, int head)
{
    struct model *m = q->hf->model;
    struct tally tally = {.elements = {0}};

    if (q->hf->rc != GP_OK)
        return;
    count_plain(q);
    for (int r = 0; r < ROLE_COUNT; r++)
        tally.of[r] = gp_calloc(q->schemes, sizeof *tally.of[r]);
    memset(m->bytes.by_role, 0, sizeof m->bytes.by_role);
    count_layers(q, rest, &tally);
    count_outside(q, embed, m->tied ? QUANT_KEPT : head, rest, &tally);
    for (int r = 0; r < ROLE_COUNT; r++) {
        size_t most = 0;

        for (size_t s = 1; s < q->schemes; s++)
            if (tally.of[r][s] > tally.of[r][most])
                most = s;
        if (tally.of[r][most] > 0)
            gp_copy(m->native[r], FORMAT_ID_MAX, q->scheme[most].id);
        free(tally.of[r]);
    }
    m->bytes.known = m->bytes.inferred = true;
    if (q->budget <= 0)
        hf_fail(q->hf, "quantization_config", "", "its patterns take too long to match");
}
