/*
 * hfquant.c - quantization_config: in which format each role is published.
 *
 * Every quantiser writes its own form. Each is reduced to one format id for linear
 * layers and a list of modules left alone (below). Embedding, norms and routers
 * are always kept in 16 bit, the head unless the form says it is not.
 *
 * Example: {"quant_method": "fp8", "weight_block_size": [128, 128]} makes all linear
 * roles "fp8-block"; gpt-oss's "mxfp4" with self_attn in modules_to_not_convert leaves
 * the experts.
 */
#include "model/read/hfconfig.h"
#include "model/read/tensors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/read/jscan.h"

/* ---- does an entry name a module? ----
 *
 * Quantised checkpoints list what they left alone: exact module paths, parts of paths
 * ("self_attn", "lm_head"), shell globs ("model.layers.*.mlp.gate*") and regular
 * expressions after "re:". All come from an untrusted file, so the matcher is a small
 * backtracking one with a budget of steps instead of a regular expression library
 * that a pattern can send round for hours.
 *
 * Example: "re:.*mlp\.(gate|up)_proj$" matches "model.layers.3.mlp.up_proj".
 *
 * The expression part knows what such lists use: literals, ., \., \d, [...] sets,
 * groups with alternatives, *, +, ? after one of these, ^ and $. Anything else
 * (look-ahead, counted repetition) makes the pattern match nothing. Matching begins at
 * the start of the module's path, as Python's re.match does.
 */

#define DEPTH_MAX 64
#define PATTERN_MAX 1024
#define MODULE_MAX 256

struct matcher {
    long *budget;
    int depth;
};

/* ---- globs: * and ? ---- */

static bool match_glob(const char *p, const char *s, long *budget)
{
    const char *star = NULL, *back = s;

    while (*s != '\0') {
        if (--*budget <= 0)
            return false;
        if (*p == '*') {
            star = p++;
            back = s;
        } else if (*p == '?' || *p == *s) {
            p++;
            s++;
        } else if (star != NULL) {
            p = star + 1;
            s = ++back;
        } else {
            return false;
        }
    }
    while (*p == '*')
        p++;
    return *p == '\0';
}

/* ---- regular expressions ---- */

/* The pattern is cut into atoms: where one ends (before its repetition). */
static const char *atom_end(const char *p, const char *end)
{
    int depth = 0;

    if (*p == '\\')
        return p + 2 <= end ? p + 2 : NULL;
    if (*p == '[') {
        const char *close = memchr(p + 1, ']', (size_t)(end - p - 1));

        return close == NULL ? NULL : close + 1;
    }
    if (*p != '(')
        return p + 1;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end)
            p++;
        else if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p + 1;
    }
    return NULL;
}

static bool in_set(const char *p, const char *end, char c)
{
    bool negate = *p == '^', found = false;

    if (negate)
        p++;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end && p[1] == 'd') {
            found = found || (c >= '0' && c <= '9');
            p++;
        } else if (p + 2 < end && p[1] == '-') {
            found = found || (c >= p[0] && c <= p[2]);
            p += 2;
        } else {
            found = found || *p == c;
        }
    }
    return found != negate;
}

static bool atom_matches(const char *p, const char *end, char c)
{
    if (c == '\0')
        return false;
    if (*p == '[')
        return in_set(p + 1, end - 1, c);
    if (*p == '\\')
        return p[1] == 'd'   ? c >= '0' && c <= '9'
               : p[1] == 'w' ? (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                   (c >= 'A' && c <= 'Z') || c == '_'
                             : p[1] == c;
    return *p == '.' || *p == c;
}

static const char *run_pattern(struct matcher *m, const char *p, const char *end, const char *s);

/* Where alternatives of a group begin and end. */
static const char *next_bar(const char *p, const char *end)
{
    int depth = 0;

    for (; p < end; p++) {
        if (*p == '\\')
            p++;
        else if (*p == '(')
            depth++;
        else if (*p == ')')
            depth--;
        else if (*p == '|' && depth == 0)
            break;
    }
    return p < end ? p : end;
}

/* One alternative, then the rest of the pattern: the alternative is matched alone and
 * must be followed by the rest; shorter matches of it are not retried. */
static const char *match_group(struct matcher *m, const char *p, const char *end, const char *rest,
                               const char *rest_end, const char *s)
{
    if (p < end && *p == '?') {
        if (p + 1 >= end || p[1] != ':')
            return NULL; /* look-ahead */
        p += 2;
    }
    for (;;) {
        const char *bar = next_bar(p, end);
        const char *after = run_pattern(m, p, bar, s);

        if (after != NULL) {
            const char *done = run_pattern(m, rest, rest_end, after);

            if (done != NULL)
                return done;
        }
        if (bar >= end)
            return NULL;
        p = bar + 1;
    }
}

/* Repeats a one-character atom, longest first. */
static const char *match_repeat(struct matcher *m, const char *p, const char *atom, char mark,
                                const char *rest, const char *end, const char *s)
{
    const char *least = mark == '+' ? s + 1 : s;
    const char *last = s;

    while (atom_matches(p, atom, *last) && (mark != '?' || last == s))
        last++;
    for (; last >= least; last--) {
        const char *done = run_pattern(m, rest, end, last);

        if (done != NULL)
            return done;
        if (last == s)
            break;
    }
    return NULL;
}

/* Returns where the match ends in s, or NULL. */
static const char *run_pattern(struct matcher *m, const char *p, const char *end, const char *s)
{
    const char *result = NULL, *atom, *rest;

    if (*m->budget <= 0)
        return NULL;
    --*m->budget;
    if (m->depth >= DEPTH_MAX)
        return NULL;
    if (p >= end)
        return s;
    if (*p == '$' && p + 1 == end)
        return *s == '\0' ? s : NULL;
    if (*p == '^')
        return run_pattern(m, p + 1, end, s);
    atom = atom_end(p, end);
    if (atom == NULL || strchr("*+?{", *p) != NULL)
        return NULL;
    rest = atom < end && strchr("*+?", *atom) != NULL ? atom + 1 : atom;
    m->depth++;
    if (*p == '(') {
        result = match_group(m, p + 1, atom - 1, rest, end, s);
        if (result == NULL && rest != atom && *atom != '+')
            result = run_pattern(m, rest, end, s);
    } else if (rest != atom) {
        result = match_repeat(m, p, atom, *atom, rest, end, s);
    } else if (atom_matches(p, atom, *s)) {
        m->depth--; /* plain text does not nest */
        return run_pattern(m, rest, end, s + 1);
    }
    m->depth--;
    return result;
}

/* ---- names ---- */

/* A glob names a module or one of the modules it lies in. */
static bool glob_path(const char *pattern, const char *module, long *budget)
{
    char path[MODULE_MAX];
    char *dot;

    if (strlen(module) >= sizeof path)
        return false;
    strcpy(path, module);
    do {
        if (match_glob(pattern, path, budget))
            return true;
        dot = strrchr(path, '.');
        if (dot != NULL)
            *dot = '\0';
    } while (dot != NULL);
    return false;
}

bool hfmatch(const char *pattern, const char *module, long *budget)
{
    size_t len = strlen(pattern);

    if (*budget <= 0 || len >= PATTERN_MAX)
        return false;
    if (strncmp(pattern, "re:", 3) == 0) {
        struct matcher m = {.budget = budget};

        for (const char *p = pattern + 3, *end = pattern + len, *bar;; p = bar + 1) {
            bar = next_bar(p, end);
            if (run_pattern(&m, p, bar, module) != NULL)
                return true;
            if (bar >= end)
                return false;
        }
    }
    if (strpbrk(pattern, "*?") != NULL)
        return glob_path(pattern, module, budget);
    --*budget;
    /* a run of whole components of the path */
    while (len > 0 && pattern[len - 1] == '.')
        len--;
    for (const char *at = module; len > 0 && *at != '\0'; at++)
        if ((at == module || at[-1] == '.') && strncmp(at, pattern, len) == 0 &&
            (at[len] == '\0' || at[len] == '.'))
            return true;
    return false;
}

/* ---- which roles do a list's entries cover? ----
 *
 * Quantised checkpoints list the modules they left alone (or, in mixed ones, the
 * modules of each group). A role counts as covered when the list names one of its
 * modules in at least half of the layers that have it. Entries may be paths, parts of
 * paths, globs or expressions (hfmatch.h), and there may be 20,000 of them: one with a
 * layer number is only held against that layer, one without wildcards only against one
 * layer.
 *
 * Example: {"model.layers.0.mlp", "lm_head"} covers the MLP of one layer of 32, so no
 * role, and the head.
 */

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

static void hfexcept_add(struct exceptions *list, const char *text)
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

static void hfexcept_add_list(struct exceptions *list, const json_t *array)
{
    const json_t *item;
    size_t i;

    json_array_foreach(array, i, item)
    {
        if (json_is_string(item) && json_string_length(item) < 1024)
            hfexcept_add(list, json_string_value(item));
    }
}

static struct exceptions *hfexcept_new(void)
{
    struct exceptions *list = gp_calloc(1, sizeof *list);

    list->budget = BUDGET;
    return list;
}

static void hfexcept_free(struct exceptions *list)
{
    free(list->plain.items);
    free(list->patterns.items);
    for (int i = 0; i < MODEL_MAX_LAYERS; i++)
        free(list->of_layer[i].items);
    free(list);
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
        return mixer_is(kind->mixer, MIXER_IS_GATED);
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

static bool hfexcept_role(struct exceptions *list, const struct model *model, enum tensor_role role)
{
    const struct role_modules *row = role_table, *end = row + sizeof role_table / sizeof *row;
    struct tensor tensors[MODEL_MAX_TENSORS];
    bool has[MODEL_MAX_KINDS] = {false};
    int layers = 0, covered = 0;

    while (row < end && row->role != role)
        row++;
    if (row == end)
        return false;
    for (int k = 0; k < model->kind_count; k++)
        for (int i = model_layer_tensors(model, k, tensors); i-- > 0;)
            has[k] |= tensors[i].role == role;
    for (int i = 0; i < model->layer_count; i++) {
        if (!has[model->layer[i]])
            continue;
        layers++;
        covered += covered_in(list, row, &model->kind[model->layer[i]], i);
    }
    if (layers == 0 || 2 * covered >= layers)
        return layers > 0;
    /* by an entry that names no layer: all of them, or none */
    for (int n = 0; n < MODULES_MAX && row->names[n] != NULL; n++)
        if (any_matches(list, &list->plain, 0, row->names[n]))
            return true;
    return false;
}

static bool hfexcept_head(struct exceptions *list)
{
    static const char *const names[] = {"lm_head", "head", "language_model.lm_head",
                                        "model.lm_head"};

    const struct names *const lists[] = {&list->plain, &list->patterns};

    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (int l = 0; l < 2; l++)
            for (size_t i = 0; i < lists[l]->count; i++)
                if (hfmatch(lists[l]->items[i], names[n], &list->budget))
                    return true;
    return false;
}

/* ---- quantization_config ---- */

#define LINEAR                                                                               \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT | 1u << ROLE_ATTN_LATENT | \
     1u << ROLE_INDEXER | 1u << ROLE_RECURRENT | 1u << ROLE_MLP | 1u << ROLE_EXPERT |        \
     1u << ROLE_SHARED)

/* ---- applying ---- */

static void set_native(struct hf *hf, enum tensor_role role, const char *id)
{
    gp_copy(hf->model->native[role], FORMAT_ID_MAX, id);
}

/* Gives the linear roles the format, apart from the exceptions. */
static void quant_apply(struct hf *hf, const char *id, struct exceptions *list, bool head)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        if (LINEAR >> role & 1 && !hfexcept_role(list, hf->model, (enum tensor_role)role))
            set_native(hf, (enum tensor_role)role, id);
    if (head && !hf->model->tied && !hfexcept_head(list))
        set_native(hf, ROLE_HEAD, id);
    if (list->budget <= 0)
        hf_fail(hf, "quantization_config", "", "its patterns take too long to match");
}

/* The same for one group of a mixed checkpoint: what its targets name. */
static void apply_targets(struct hf *hf, const char *id, struct exceptions *targets,
                          struct exceptions *list)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        if (LINEAR >> role & 1 && hfexcept_role(targets, hf->model, (enum tensor_role)role) &&
            !hfexcept_role(list, hf->model, (enum tensor_role)role))
            set_native(hf, (enum tensor_role)role, id);
}

static void name_it(struct hf *hf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void name_it(struct hf *hf, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(hf->model->native_name, sizeof hf->model->native_name, fmt, args);
    va_end(args);
}

static void quant_unknown(struct hf *hf, const char *key, const char *value)
{
    char shown[64];

    hf_fail(hf, key,
            "known: fp8, gptq, awq, bitsandbytes, compressed-tensors, "
            "modelopt, mxfp4, and MLX's quantization",
            "unknown quantization method \"%s\"",
            safe_text(shown, sizeof shown, value, strlen(value)));
}

/* Checked before: negative only as group_size -1, a whole row. */
static int quant_number(struct hf *hf, const json_t *config, const char *key, int fallback)
{
    const json_t *value = hf_present(config, key);

    if (value != NULL && json_number_value(value) < 0)
        return 0;
    return hf_sub_int(hf, config, key, fallback);
}

static const char *word_of(const json_t *config, const char *key)
{
    const char *text = json_string_value(json_object_get(config, key));

    return text == NULL ? "" : text;
}

static bool quant_flag(const json_t *config, const char *key)
{
    const json_t *value = json_object_get(config, key);

    return json_is_true(value) || json_integer_value(value) != 0;
}

/* ---- what may stand there ---- */

#define GROUP_TOP 1048576

/* Of quantization_config and MLX's quantization, whoever wrote them. */
static const struct hf_field config_fields[] = {
    {"quant_method", .kinds = HF_TEXT},
    {"bits", .kinds = HF_COUNT, 1, 32},
    {"group_size", .kinds = HF_GROUP, -1, GROUP_TOP},
    {"weight_block_size", .kinds = HF_COUNTS, 1, 65536, .items = 2},
    {"modules_to_not_convert", .kinds = HF_TEXTS},
    {"ignored_layers", .kinds = HF_TEXTS},
    {"llm_int8_skip_modules", .kinds = HF_TEXTS},
    {"ignore", .kinds = HF_TEXTS},
    {"exclude_modules", .kinds = HF_TEXTS},
    {"lm_head", .kinds = HF_FLAG},
    {"expert_dtype", .kinds = HF_TEXT},
    {"load_in_4bit", .kinds = HF_FLAG},
    {"load_in_8bit", .kinds = HF_FLAG},
    {"_load_in_4bit", .kinds = HF_FLAG},
    {"_load_in_8bit", .kinds = HF_FLAG},
    {"bnb_4bit_use_double_quant", .kinds = HF_FLAG},
    {"config_groups", .kinds = HF_OBJECT},
    {"quant_algo", .kinds = HF_TEXT},
    {"quantized_layers", .kinds = HF_OBJECT},
    {"kv_cache_quant_algo", .kinds = HF_TEXT},
    {"kv_cache_scheme", .kinds = HF_OBJECT | HF_TEXT}, /* "FP8": ModelOpt */
};

static const struct hf_field group_fields[] = {
    {"targets", .kinds = HF_TEXTS},
    {"weights", .kinds = HF_OBJECT},
    {"input_activations", .kinds = HF_OBJECT},
};

/* Of compressed-tensors' weights and kv_cache_scheme. */
static const struct hf_field scheme_fields[] = {
    {"num_bits", .kinds = HF_COUNT, 1, 32},
    {"type", .kinds = HF_TEXT, .words = "int float"},
    {"strategy", .kinds = HF_TEXT,
     .words = "tensor channel group block token tensor_group "
              "attn_head"},
    {"group_size", .kinds = HF_GROUP, -1, GROUP_TOP},
    {"symmetric", .kinds = HF_FLAG},
};

#define CHECK(hf, path, object, fields) \
    hf_check(hf, path, object, fields, sizeof fields / sizeof *fields)

static void check_config(struct hf *hf, const char *path, const json_t *config)
{
    const json_t *scheme = hf_present(config, "kv_cache_scheme");
    char below[96];

    CHECK(hf, path, config, config_fields);
    snprintf(below, sizeof below, "%s.kv_cache_scheme", path);
    if (json_is_object(scheme))
        CHECK(hf, below, scheme, scheme_fields);
}

/* ---- the forms ---- */

static void read_fp8(struct hf *hf, const json_t *config, struct exceptions *list)
{
    const json_t *block = json_object_get(config, "weight_block_size");
    json_int_t rows = json_integer_value(json_array_get(block, 0));
    json_int_t cols = json_integer_value(json_array_get(block, 1));
    const char *inside = word_of(config, "expert_dtype");
    const char *experts = inside[0] != '\0' ? inside : hf_text(hf, "expert_dtype");

    hfexcept_add_list(list, json_object_get(config, "modules_to_not_convert"));
    hfexcept_add_list(list, json_object_get(config, "ignored_layers"));
    if (json_is_array(block) && (rows != 128 || cols != 128))
        checkpoint_note(hf->model, "FP8 blocks of %d x %d are counted as 128 x 128", (int)rows,
                        (int)cols);
    quant_apply(hf, json_is_array(block) ? "fp8-block" : "fp8-tensor", list, false);
    name_it(hf, json_is_array(block) ? "fp8 e4m3, 128x128 blocks" : "fp8 e4m3, a scale per tensor");
    if (experts != NULL && strcmp(experts, "fp4") == 0)
        set_native(hf, ROLE_EXPERT, "mxfp4");
    if (hf_has(hf, "engram_layer_ids")) /* a scale per 32 of a row */
        set_native(hf, ROLE_NGRAM, "mxfp8");
}

static void read_gptq_awq(struct hf *hf, const json_t *config, struct exceptions *list,
                          const char *method)
{
    bool awq = strcmp(method, "awq") == 0;
    int bits = quant_number(hf, config, "bits", awq ? 4 : 0); /* AwqConfig's defaults */
    int group = quant_number(hf, config, "group_size", 128);  /* of both */
    const char *id = bits == 8                  ? "int8-gptq"
                     : bits == 4 && group == 32 ? "int4-g32"
                     : bits == 4                ? (awq ? "int4-awq" : "int4-gptq")
                                                : NULL;

    if (id == NULL) {
        hf_fail(hf, "quantization_config.bits", HF_HINT,
                bits == 0 ? "missing" : "%d is not supported, only 4 and 8 are", bits);
        return;
    }
    hfexcept_add_list(list, json_object_get(config, "modules_to_not_convert"));
    quant_apply(hf, id, list, quant_flag(config, "lm_head"));
    if (group == 0)
        name_it(hf, "%s %d bit, a scale per row", method, bits);
    else
        name_it(hf, "%s %d bit, group %d", method, bits, group);
    if (bits == 4 && group == 0)
        checkpoint_note(hf->model, "scales of whole rows are counted as groups of 128");
    else if (bits == 4 && group != 128 && group != 32)
        checkpoint_note(hf->model, "scales of groups of %d are counted as groups of 128", group);
}

static void read_bnb(struct hf *hf, const json_t *config, struct exceptions *list)
{
    bool four = quant_flag(config, "load_in_4bit") || quant_flag(config, "_load_in_4bit");
    bool dq = quant_flag(config, "bnb_4bit_use_double_quant");

    hfexcept_add_list(list, json_object_get(config, "llm_int8_skip_modules"));
    if (!four && !quant_flag(config, "load_in_8bit") && !quant_flag(config, "_load_in_8bit")) {
        hf_fail(hf, "quantization_config", "", "neither load_in_4bit nor load_in_8bit is set");
        return;
    }
    quant_apply(hf, !four ? "int8-bnb" : dq ? "nf4-dq" : "nf4", list, false);
    name_it(hf, "bitsandbytes %s", !four ? "int8" : dq ? "nf4 double quant" : "nf4");
}

/* One weights scheme of compressed-tensors. */
static const char *scheme_format(struct hf *hf, const json_t *group)
{
    const json_t *weights = json_object_get(group, "weights");
    int bits = quant_number(hf, weights, "num_bits", 0);
    int size = quant_number(hf, weights, "group_size", 0);
    const char *strategy = word_of(weights, "strategy");
    bool symmetric = !json_is_false(json_object_get(weights, "symmetric"));
    bool activations = json_is_object(json_object_get(group, "input_activations"));

    if (strcmp(word_of(weights, "type"), "float") == 0) {
        if (bits == 4)
            return size == 32 ? "mxfp4" : size == 16 ? "nvfp4" : NULL;
        if (bits != 8)
            return NULL;
        return size == 32                        ? "mxfp8"
               : strcmp(strategy, "block") == 0  ? "fp8-block"
               : strcmp(strategy, "tensor") == 0 ? "fp8-tensor"
                                                 : "fp8";
    }
    if (bits == 8)
        return size > 0 && !activations ? "int8-gptq" : "int8";
    if (bits != 4)
        return NULL;
    return size == 32 ? "int4-g32" : symmetric ? "int4" : "int4-awq";
}

static bool check_group(struct hf *hf, const char *name, const json_t *group)
{
    char shown[32], path[96];

    safe_text(shown, sizeof shown, name, strlen(name));
    snprintf(path, sizeof path, "quantization_config.config_groups.%s", shown);
    if (!json_is_object(group))
        hf_fail(hf, path, HF_HINT, "must be an object");
    CHECK(hf, path, group, group_fields);
    if (hf->rc == GP_OK && hf_present(group, "weights") == NULL)
        hf_fail(hf, path, HF_HINT, "has no weights");
    snprintf(path, sizeof path, "quantization_config.config_groups.%s.weights", shown);
    CHECK(hf, path, hf_present(group, "weights"), scheme_fields);
    return hf->rc == GP_OK;
}

static void read_group(struct hf *hf, const json_t *group, struct exceptions *list)
{
    const json_t *targets = json_object_get(group, "targets");
    const char *id = scheme_format(hf, group);

    if (id == NULL) {
        hf_fail(hf, "quantization_config.config_groups", "",
                "weights of this num_bits, type and group_size are not supported");
        return;
    }
    if (hf->model->native_name[0] == '\0')
        name_it(hf, "%s (compressed-tensors)", id);
    /* "Linear" means every linear layer */
    bool all = json_array_size(targets) == 0;
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const char *text = json_string_value(json_array_get(targets, i));

        all |= text != NULL && strcmp(text, "Linear") == 0;
    }
    if (all) {
        quant_apply(hf, id, list, true);
    } else {
        struct exceptions *named = hfexcept_new();

        hfexcept_add_list(named, targets);
        apply_targets(hf, id, named, list);
        hfexcept_free(named);
    }
}

/* ModelOpt's word. */
static void read_kv_word(struct hf *hf, const char *key, const char *word)
{
    static const char *const words[][2] = {{"FP8", "fp8"}, {"NVFP4", "nvfp4"}, {"INT8", "int8"}};
    char path[64];

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i][0]) == 0)
            gp_copy(hf->model->native_kv, FORMAT_ID_MAX, words[i][1]);
    gp_format(path, sizeof path, "quantization_config.%s", key);
    if (word[0] != '\0' && gp_casecmp(word, "none") != 0 && hf->model->native_kv[0] == '\0')
        quant_unknown(hf, path, word);
}

static void read_kv_scheme(struct hf *hf, const json_t *config)
{
    const json_t *scheme = json_object_get(config, "kv_cache_scheme");
    const char *id = NULL;
    int bits = quant_number(hf, scheme, "num_bits", 0);

    if (!json_is_object(scheme)) {
        read_kv_word(hf, "kv_cache_scheme", word_of(config, "kv_cache_scheme"));
        return;
    }
    if (bits == 8)
        id = strcmp(word_of(scheme, "type"), "float") == 0 ? "fp8" : "int8";
    else if (bits == 4)
        id = "nvfp4";
    if (id != NULL)
        gp_copy(hf->model->native_kv, FORMAT_ID_MAX, id);
    else
        hf_fail(hf, "quantization_config.kv_cache_scheme.num_bits", HF_HINT,
                "%d is not supported, only 4 and 8 are", bits);
}

static void read_compressed(struct hf *hf, const json_t *config, struct exceptions *list)
{
    json_t *groups = json_object_get(config, "config_groups");
    const char *key;
    json_t *group;

    hf->model->native_name[0] = '\0';
    hfexcept_add_list(list, json_object_get(config, "ignore"));
    if (json_object_size(groups) == 0 || json_object_size(groups) > 64)
        hf_fail(hf, "quantization_config.config_groups", "", "is empty or has too many entries");
    json_object_foreach(groups, key, group)
    {
        if (check_group(hf, key, group))
            read_group(hf, group, list);
    }
    read_kv_scheme(hf, config);
}

/* ---- ModelOpt ---- */

static const struct {
    const char *algo, *id;
} algos[] = {
    {"FP8", "fp8-tensor"},
    {"FP8_PER_CHANNEL_PER_TOKEN", "fp8"},
    {"FP8_PB_WO", "fp8-block"},
    {"FP8_PB_REAL", "fp8-block"},
    {"NVFP4", "nvfp4"},
    {"NVFP4_AWQ", "nvfp4"},
    {"W4A16_NVFP4", "nvfp4"},
    {"MXFP4", "mxfp4"},
    {"W4A8_MXFP4_FP8", "mxfp4"},
    {"MXFP8", "mxfp8"},
    {"W4A16_AWQ", "int4-awq"},
    {"INT4_AWQ", "int4-awq"},
    {"W4A8_AWQ", "int4-awq"},
    {"W8A8_SQ_PER_CHANNEL", "int8"},
    {"W8A8_SQ_PER_CHANNEL_PER_TOKEN_PLUGIN", "int8"},
    {"W8A16", "int8"},
    {"W4A16", "int4"},
};

static const char *algo_format(const char *algo)
{
    for (size_t i = 0; i < sizeof algos / sizeof algos[0]; i++)
        if (gp_casecmp(algos[i].algo, algo) == 0)
            return algos[i].id;
    return NULL;
}

/* quantized_layers: module -> {quant_algo}. One pass per format that occurs. */
static void read_mixed(struct hf *hf, json_t *layers, struct exceptions *list)
{
    static const struct hf_field algo = {"quant_algo", .kinds = HF_TEXT};
    const char *module;
    char shown[64], path[112];
    json_t *row;

    json_object_foreach(layers, module, row)
    {
        safe_text(shown, sizeof shown, module, strlen(module));
        snprintf(path, sizeof path, "quantized_layers.%s", shown);
        if (!json_is_object(row))
            hf_fail(hf, path, HF_HINT, "must be an object");
        hf_check(hf, path, row, &algo, 1);
        if (hf->rc == GP_OK && algo_format(word_of(row, "quant_algo")) == NULL)
            quant_unknown(hf, path, word_of(row, "quant_algo"));
    }
    for (size_t i = 0; i < sizeof algos / sizeof algos[0]; i++) {
        struct exceptions *named;

        if (i > 0 && strcmp(algos[i].id, algos[i - 1].id) == 0)
            continue;
        named = hfexcept_new();
        json_object_foreach(layers, module, row)
        {
            const char *id = algo_format(word_of(row, "quant_algo"));

            if (id != NULL && strcmp(id, algos[i].id) == 0 && strlen(module) < 1024)
                hfexcept_add(named, module);
        }
        apply_targets(hf, algos[i].id, named, list);
        if (hfexcept_head(named))
            set_native(hf, ROLE_HEAD, algos[i].id);
        hfexcept_free(named);
    }
}

static void read_modelopt(struct hf *hf, const json_t *config, struct exceptions *list)
{
    const char *algo = word_of(config, "quant_algo");
    json_t *layers = json_object_get(config, "quantized_layers");
    const char *id = algo_format(algo);

    hfexcept_add_list(list, json_object_get(config, "exclude_modules"));
    hfexcept_add_list(list, json_object_get(config, "ignore"));
    read_kv_word(hf, "kv_cache_quant_algo", word_of(config, "kv_cache_quant_algo"));
    read_kv_scheme(hf, config);
    if (strcmp(algo, "MIXED_PRECISION") == 0 && json_is_object(layers))
        read_mixed(hf, layers, list);
    else if (id != NULL)
        quant_apply(hf, id, list, true);
    else if (json_is_object(json_object_get(config, "config_groups")))
        read_compressed(hf, config, list);
    else if (algo[0] != '\0' || hf->model->native_kv[0] == '\0')
        quant_unknown(hf, "quantization_config.quant_algo", algo);
    name_it(hf, "%.60s (ModelOpt)", algo);
}

/* MLX: every matrix, embedding and head too; a scale and a bias of 16 bit per group. */
static void read_mlx(struct hf *hf, const json_t *config, struct exceptions *list)
{
    int bits = quant_number(hf, config, "bits", 0);
    int group = quant_number(hf, config, "group_size", 0);
    const char *id = bits == 8 ? "mlx-8bit" : bits == 4 ? "mlx-4bit" : NULL;

    if (id == NULL) {
        hf_fail(hf, "quantization.bits", HF_HINT,
                bits == 0 ? "missing" : "%d is not supported, only 4 and 8 are", bits);
        return;
    }
    if (group == 0) {
        hf_fail(hf, "quantization.group_size", HF_HINT, "must be a whole number of 1..%d",
                GROUP_TOP);
        return;
    }
    quant_apply(hf, id, list, true);
    set_native(hf, ROLE_EMBED, id);
    name_it(hf, "MLX %d bit, group %d", bits, group);
    checkpoint_note(hf->model,
                    "MLX quantization runs on Apple hardware; its %g bits per weight are "
                    "counted as %s",
                    bits + 32.0 / group, id);
}

/* ---- dispatch ---- */

static void read_method(struct hf *hf, const json_t *config, struct exceptions *list)
{
    const char *method = word_of(config, "quant_method");
    json_t *layers = json_object_get(config, "quantized_layers");

    if (strcmp(method, "fp8") == 0) {
        read_fp8(hf, config, list);
        if (json_is_object(layers)) /* DeepSeek V4: experts in NVFP4 */
            read_mixed(hf, layers, list);
    } else if (strcmp(method, "fbgemm_fp8") == 0) {
        hfexcept_add_list(list, json_object_get(config, "modules_to_not_convert"));
        quant_apply(hf, "fp8", list, false);
        name_it(hf, "fp8 e4m3, a scale per channel (fbgemm)");
    } else if (strcmp(method, "mxfp4") == 0) {
        hfexcept_add_list(list, json_object_get(config, "modules_to_not_convert"));
        quant_apply(hf, "mxfp4", list, false);
        name_it(hf, "mxfp4");
    } else if (strcmp(method, "gptq") == 0 || strcmp(method, "awq") == 0)
        read_gptq_awq(hf, config, list, method);
    else if (strcmp(method, "bitsandbytes") == 0)
        read_bnb(hf, config, list);
    else if (strcmp(method, "compressed-tensors") == 0)
        read_compressed(hf, config, list);
    else if (strncmp(method, "modelopt", 8) == 0)
        read_modelopt(hf, config, list);
    else
        quant_unknown(hf, "quantization_config.quant_method", method);
}

void hfquant_read(struct hf *hf, const json_t *side)
{
    const json_t *config = hf_get(hf, "quantization_config");
    const json_t *mlx = hf_get(hf, "quantization");
    struct exceptions *list;

    check_config(hf, "quantization_config", config);
    check_config(hf, "quantization", mlx);
    if (hf->rc != GP_OK)
        return;
    list = hfexcept_new();
    if (config != NULL && word_of(config, "quant_method")[0] != '\0')
        read_method(hf, config, list);
    else if (side != NULL) { /* hf_quant_config.json: errors name that file */
        const json_t *beside = hf_present(side, "quantization");
        const char *where = hf->where;

        hf->where = hf->side_where;
        if (!json_is_object(beside))
            hf_fail(hf, "quantization", HF_HINT, beside == NULL ? "missing" : "must be an object");
        check_config(hf, "quantization", beside);
        if (hf->rc == GP_OK)
            read_modelopt(hf, beside, list);
        hf->where = where;
    } else if (mlx != NULL)
        read_mlx(hf, mlx, list);
    else if (config != NULL)
        quant_unknown(hf, "quantization_config.quant_method", "");
    hfexcept_free(list);
}
