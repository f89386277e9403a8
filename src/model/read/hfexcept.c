/*
 * hfexcept.c - see hfexcept.h.
 *
 * A role is recognised by the names its modules go by in the families that publish
 * quantised checkpoints (role_table); paths are tried under each of the prefixes that
 * a language model's layers have.
 *
 * Example: "re:.*self_attn.*" is tried on "model.layers.0.self_attn.q_proj" and so on.
 */
#include "model/read/hfexcept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/read/hfmatch.h"
#include "model/read/tensors.h"

#define BUDGET 20000000L
#define MODULES_MAX 5

/* How a role's modules are called below a layer. */
struct role_modules {
    enum tensor_role role;
    const char *names[MODULES_MAX];
};

static const struct role_modules role_table[] = {
    {ROLE_ATTN_Q, {"self_attn.q_proj", "self_attn.q_b_proj", "attn.wq_b", "mixer.q_proj"}},
    {ROLE_ATTN_KV,
     {"self_attn.k_proj", "self_attn.kv_b_proj", "attn.fused_wqa_wkv", "mixer.k_proj"}},
    {ROLE_ATTN_OUT, {"self_attn.o_proj", "attn.wo_b", "mixer.o_proj"}},
    {ROLE_ATTN_LATENT,
     {"self_attn.kv_a_proj_with_mqa", "self_attn.q_a_proj", "attn.fused_wqa_wkv"}},
    {ROLE_INDEXER,
     {"self_attn.indexer.wq_b", "self_attn.indexer.wk", "attn.indexer.wq_b",
      "self_attn.index_q_proj"}},
    {ROLE_RECURRENT,
     {"linear_attn.in_proj_qkv", "linear_attn.in_proj_qkvz", "mixer.in_proj", "mamba.in_proj",
      "self_attn.q_proj"}},
    {ROLE_MLP, {"mlp.gate_proj", "mlp.down_proj", "mixer.up_proj", "ffn.down_proj"}},
    {ROLE_EXPERT,
     {"mlp.experts.0.down_proj", "ffn.experts.0.down_proj", "mixer.experts.0.down_proj",
      "block_sparse_moe.experts.0.w2", "experts.0.down_proj"}},
    {ROLE_SHARED,
     {"mlp.shared_experts.down_proj", "mlp.shared_expert.down_proj", "ffn.shared_experts.down_proj",
      "mixer.shared_experts.down_proj", "block_sparse_moe.shared_experts.down_proj"}},
};

static const char *const layer_prefixes[] = {
    "model.layers.",    "model.language_model.layers.", "language_model.model.layers.", "layers.",
    "backbone.layers.",
};

struct names {
    const char **items;
    size_t count, cap;
};

struct exceptions {
    struct names plain;                      /* no wildcards, no layer number */
    struct names patterns;                   /* globs and expressions */
    struct names of_layer[MODEL_MAX_LAYERS]; /* from "layers." on */
    long budget;
};

static void names_add(struct names *names, const char *text)
{
    names->items = gp_grow(names->items, &names->cap, names->count + 1, sizeof text);
    names->items[names->count++] = text;
}

static bool is_pattern(const char *text)
{
    return strncmp(text, "re:", 3) == 0 || strpbrk(text, "*?") != NULL;
}

/* "...layers.17.rest": 17, and where "layers.17.rest" begins; else -1. */
static int layer_number(const char *text, const char **from)
{
    const char *at = strstr(text, "layers.");
    char *end;
    long number;

    if (at == NULL || at[7] < '0' || at[7] > '9')
        return -1;
    number = strtol(at + 7, &end, 10);
    if ((*end != '.' && *end != '\0') || number >= MODEL_MAX_LAYERS)
        return -1;
    *from = at;
    return (int)number;
}

void hfexcept_add(struct exceptions *list, const char *text)
{
    const char *from = text;
    int layer = is_pattern(text) ? -1 : layer_number(text, &from);

    if (!is_pattern(text) && tensorname_is_aside(text))
        return;
    if (layer >= 0)
        names_add(&list->of_layer[layer], from);
    else
        names_add(is_pattern(text) ? &list->patterns : &list->plain, text);
}

void hfexcept_add_list(struct exceptions *list, const json_t *array)
{
    const json_t *item;
    size_t i;

    json_array_foreach(array, i, item)
    {
        if (json_is_string(item) && json_string_length(item) < 1024)
            hfexcept_add(list, json_string_value(item));
    }
}

struct exceptions *hfexcept_new(void)
{
    struct exceptions *list = gp_calloc(1, sizeof *list);

    list->budget = BUDGET;
    return list;
}

void hfexcept_free(struct exceptions *list)
{
    free(list->plain.items);
    free(list->patterns.items);
    for (int i = 0; i < MODEL_MAX_LAYERS; i++)
        free(list->of_layer[i].items);
    free(list);
}

bool hfexcept_spent(const struct exceptions *list)
{
    return list->budget <= 0;
}

/* ---- comparing ---- */

static bool any_matches(struct exceptions *list, const struct names *names, int layer,
                        const char *module)
{
    char path[160];

    for (size_t p = 0; p < sizeof layer_prefixes / sizeof layer_prefixes[0]; p++) {
        snprintf(path, sizeof path, "%s%d.%s", layer_prefixes[p], layer, module);
        for (size_t i = 0; i < names->count && list->budget > 0; i++)
            if (hfmatch(names->items[i], path, &list->budget))
                return true;
    }
    return false;
}

/* Entries with this layer's number: the module itself or one it lies in. */
static bool layer_lists(const struct names *names, int layer, const char *module)
{
    char path[160];

    snprintf(path, sizeof path, "layers.%d.%s", layer, module);
    for (size_t i = 0; i < names->count; i++) {
        const char *entry = names->items[i];
        size_t len = strlen(entry);

        while (len > 0 && entry[len - 1] == '.')
            len--;
        if (strncmp(entry, path, len) == 0 && (path[len] == '.' || path[len] == '\0'))
            return true;
    }
    return false;
}

/* Experts beside a dense MLP (Gemma 4) are not below "mlp"; of the recurrences only Kimi's
 * is below "self_attn". */
static bool has_module(const struct layer_kind *kind, const struct role_modules *row,
                       const char *name)
{
    if (row->role == ROLE_RECURRENT && strncmp(name, "self_attn.", 10) == 0)
        return kind->mixer == MIXER_KDA;
    return row->role != ROLE_EXPERT || kind->ff == 0 || strncmp(name, "mlp.", 4) != 0;
}

static bool covered_in(struct exceptions *list, const struct role_modules *row,
                       const struct layer_kind *kind, int layer)
{
    for (int n = 0; n < MODULES_MAX && row->names[n] != NULL; n++)
        if (has_module(kind, row, row->names[n]) &&
            (layer_lists(&list->of_layer[layer], layer, row->names[n]) ||
             any_matches(list, &list->patterns, layer, row->names[n])))
            return true;
    return false;
}

/* By an entry that names no layer: all of them, or none. */
static bool covered_everywhere(struct exceptions *list, const struct role_modules *row)
{
    for (int n = 0; n < MODULES_MAX && row->names[n] != NULL; n++)
        if (any_matches(list, &list->plain, 0, row->names[n]))
            return true;
    return false;
}

static bool kind_has(const struct model *model, int k, enum tensor_role role)
{
    struct tensor tensors[MODEL_MAX_TENSORS];
    int count = model_layer_tensors(model, k, tensors);

    for (int i = 0; i < count; i++)
        if (tensors[i].role == role)
            return true;
    return false;
}

static const struct role_modules *find_row(enum tensor_role role)
{
    for (size_t i = 0; i < sizeof role_table / sizeof role_table[0]; i++)
        if (role_table[i].role == role)
            return &role_table[i];
    return NULL;
}

bool hfexcept_role(struct exceptions *list, const struct model *model, enum tensor_role role)
{
    const struct role_modules *row = find_row(role);
    bool has[MODEL_MAX_KINDS];
    int layers = 0, covered = 0;

    if (row == NULL)
        return false;
    for (int k = 0; k < model->kind_count; k++)
        has[k] = kind_has(model, k, role);
    for (int i = 0; i < model->layer_count; i++) {
        if (!has[model->layer[i]])
            continue;
        layers++;
        covered += covered_in(list, row, &model->kind[model->layer[i]], i);
    }
    return layers > 0 && (2 * covered >= layers || covered_everywhere(list, row));
}

bool hfexcept_head(struct exceptions *list)
{
    static const char *const names[] = {"lm_head", "head", "language_model.lm_head",
                                        "model.lm_head"};

    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        for (size_t i = 0; i < list->plain.count; i++)
            if (hfmatch(list->plain.items[i], names[n], &list->budget))
                return true;
        for (size_t i = 0; i < list->patterns.count; i++)
            if (hfmatch(list->patterns.items[i], names[n], &list->budget))
                return true;
    }
    return false;
}
