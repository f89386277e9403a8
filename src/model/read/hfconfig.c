/*
 * hfconfig.c - config.json: from text to a model's shape.
 *
 * These files are not quite JSON (hfjson.c), the same figure has a dozen names
 * (hfkeys.c), and the language model may lie one or two levels down, under text_config or
 * thinker_config.text_config.
 *
 * Example: {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, ...}
 * becomes 32 layers of one kind and 8,030,261,248 parameters.
 */
#include "model/read/hfconfig.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/read/jscan.h"
#include "model/read/tensors.h"

/* ---- the text, at a bounded price ----
 *
 * Such files are not quite JSON: Python writes NaN and Infinity, and integers of 30
 * digits. These words are blanked out before the JSON library sees the text. While
 * looking for them, values and brackets are counted: a file is refused when its tree
 * would take more than 24 times its length (and 4 MiB), or 128 MiB, or is nested more
 * than 32 deep.
 *
 * Example: "time_step_limit": [0.0, Infinity] becomes [0.0, null    ].
 */

#define CONFIG_MAX (16u << 20)
#define DEPTH_MAX 32
#define VALUE_COST 64u /* bytes of memory a JSON value may take */
#define CONTAINER_COST 360u
#define COST_FLOOR (4u << 20)
#define COST_FACTOR 24u
#define COST_MAX (128u << 20)
#define DIGITS_MAX 18

struct prescan {
    char *text;
    size_t len, pos;
    size_t values, containers;
    int depth, deepest;
};

static void blank_word(struct prescan *scan, size_t len)
{
    const char *with = len >= 4 ? "null" : "\"" HF_NAN "\"";
    size_t n = strlen(with);

    memset(scan->text + scan->pos, ' ', len);
    memcpy(scan->text + scan->pos, with, n);
}

/* NaN, Infinity, -Infinity, and integers too long for 64 bits: no JSON library takes
 * them, and no figure that matters here is one. */
static bool blank_literal(struct prescan *scan)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    const char *at = scan->text + scan->pos;
    size_t left = scan->len - scan->pos, digits;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t n = strlen(words[i]);

        if (left >= n && memcmp(at, words[i], n) == 0) {
            blank_word(scan, n);
            scan->pos += n;
            return true;
        }
    }
    if (*at != '-' && (*at < '0' || *at > '9'))
        return false;
    digits = 1;
    while (digits < left && at[digits] != '\0' && strchr("0123456789+-.eE", at[digits]))
        digits++;
    if (digits > DIGITS_MAX && strcspn(at, ".eE") >= digits)
        blank_word(scan, digits);
    scan->pos += digits;
    return true;
}

static json_t *hf_load(const char *where, const char *text, size_t len, struct gp_err *err)
{
    struct prescan scan = {.len = len};
    json_error_t error;
    json_t *root = NULL;

    if (len > CONFIG_MAX) {
        gp_fail(err, GP_E_FILE, where, "this is not the configuration of a model",
                "%zu bytes, more than 16 MiB", len);
        return NULL;
    }
    scan.text = gp_malloc(len + 1);
    memcpy(scan.text, text, len);
    scan.text[len] = '\0';
    while (scan.pos < len) {
        char c = scan.text[scan.pos];

        if (c == '"') {
            for (scan.pos++; scan.pos < len && scan.text[scan.pos] != '"'; scan.pos++)
                scan.pos += scan.text[scan.pos] == '\\';
        } else if (blank_literal(&scan)) {
            continue;
        } else if (c == '{' || c == '[') {
            scan.containers++;
            if (++scan.depth > scan.deepest)
                scan.deepest = scan.depth;
        } else {
            scan.depth -= c == '}' || c == ']';
            scan.values += c == ',';
        }
        scan.pos++;
    }
    double cost = (double)scan.values * VALUE_COST + (double)scan.containers * CONTAINER_COST;
    if (scan.deepest > DEPTH_MAX) {
        gp_fail(err, GP_E_FILE, where, "this is not the configuration of a model",
                "nested %d levels deep, more than %d", scan.deepest, DEPTH_MAX);
    } else if (cost > COST_MAX || cost > COST_FLOOR + (double)len * COST_FACTOR) {
        gp_fail(err, GP_E_FILE, where, "this is not the configuration of a model",
                "%zu values and %zu lists or objects are too many", scan.values, scan.containers);
    } else {
        root = json_loadb(scan.text, len, JSON_REJECT_DUPLICATES, &error);
        if (root == NULL)
            gp_fail(err, GP_E_FILE, where, "the file is damaged or is not a config.json",
                    "line %d: %.200s", error.line, error.text);
    }
    free(scan.text);
    if (root != NULL && !json_is_object(root)) {
        gp_fail(err, GP_E_FILE, where, "the file is not a config.json",
                "not an object at the top level");
        json_decref(root);
        root = NULL;
    }
    return root;
}

/* ---- Mistral's params.json ----
 *
 * {"dim", "n_layers", "hidden_dim", ..., "moe", "vision_encoder", "quantization"} in the words
 * of a config.json, as vLLM 0.28 reads it (transformers_utils/configs/mistral.py).
 */

struct renamed {
    const char *from, *to;
};

static void rename_keys(json_t *from, json_t *to, const struct renamed *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *value = json_object_get(from, names[i].from);

        if (value != NULL && json_object_get(to, names[i].to) == NULL)
            json_object_set(to, names[i].to, value);
    }
}

#define RENAME(from, to, names) rename_keys(from, to, names, sizeof names / sizeof *(names))

static void mistral_quantization(json_t *root)
{
    json_t *said = json_object_get(root, "quantization");

    if (json_object_get(said, "config_groups") != NULL) {
        json_object_set(root, "quantization_config", said);
        if (json_object_get(said, "quant_method") == NULL)
            json_object_set_new(said, "quant_method", json_string("compressed-tensors"));
    } else if (json_object_get(said, "qformat_weight") != NULL) {
        const char *word = json_string_value(json_object_get(said, "qformat_weight"));
        bool fp8 = word != NULL && strncmp(word, "fp8", 3) == 0;

        json_object_set_new(root, "quantization_config",
                            json_pack("{s:s}", "quant_method", fp8 ? "fp8" : "params.json's"));
    }
    json_object_del(root, "quantization"); /* else MLX's */
}

/* A tower beside a text level of its own; `root` becomes the whole. */
static json_t *mistral_vision(json_t *root, json_t *encoder)
{
    static const struct renamed names[] = {
        {"hidden_size", "hidden_size"},
        {"intermediate_size", "intermediate_size"},
        {"num_hidden_layers", "num_hidden_layers"},
        {"image_size", "image_size"},
        {"num_attention_heads", "num_attention_heads"},
        {"patch_size", "patch_size"},
    };
    json_t *merge = json_object_get(encoder, "spatial_merge_size");
    json_t *whole = json_pack("{s:s, s:O, s:{s:s}}", "model_type", merge ? "mistral3" : "llava",
                              "text_config", root, "vision_config", "model_type", "pixtral");

    RENAME(encoder, json_object_get(whole, "vision_config"), names);
    if (merge != NULL)
        json_object_set(whole, "spatial_merge_size", merge);
    RENAME(root, whole, ((const struct renamed[]){{"quantization_config", "quantization_config"}}));
    return whole;
}

static void from_params(struct hf *hf)
{
    static const struct renamed names[] = {
        {"dim", "hidden_size"},
        {"n_layers", "num_hidden_layers"},
        {"n_heads", "num_attention_heads"},
        {"n_kv_heads", "num_key_value_heads"},
        {"hidden_dim", "intermediate_size"},
        {"tied_embeddings", "tie_word_embeddings"},
        {"max_seq_len", "max_position_embeddings"},
    };
    static const struct renamed experts[] = {
        {"num_experts", "num_experts"},
        {"num_experts_per_tok", "num_experts_per_tok"},
        {"expert_hidden_dim", "moe_intermediate_size"},
        {"num_shared_experts", "n_shared_experts"},
        {"first_k_dense_replace", "first_k_dense_replace"},
    };
    json_t *root = hf->root, *moe = hf_present(root, "moe");
    json_t *encoder = hf_present(root, "vision_encoder");

    if (hf_present(root, "model_type") != NULL || hf_present(root, "dim") == NULL ||
        hf_present(root, "n_layers") == NULL || hf_present(root, "hidden_dim") == NULL)
        return;
    RENAME(root, root, names);
    RENAME(moe, root, experts);
    if (json_object_get(root, "max_position_embeddings") == NULL)
        json_object_set_new(root, "max_position_embeddings", json_integer(128000));
    json_object_set_new(root, "dtype", json_string("bfloat16"));
    json_object_set_new(root, "model_type",
                        json_string(hf_present(root, "kv_lora_rank") ? "deepseek_v3"
                                    : moe != NULL                    ? "mixtral"
                                                                     : "mistral"));
    mistral_quantization(root);
    if (hf_present(root, "multimodal") != NULL)
        checkpoint_note(hf->model, "params.json: parts under multimodal are not counted");
    if (json_is_object(encoder)) {
        hf->root = mistral_vision(root, encoder);
        json_decref(root);
    }
}

/* ---- nesting and architecture ---- */

/* The object under a key, NULL when there is none; anything else is an error. */
static json_t *inner_object(struct hf *hf, json_t *outer, const char *path, const char *key)
{
    json_t *inner = hf_present(outer, key);
    char name[64];

    if (inner == NULL || json_is_object(inner))
        return inner;
    snprintf(name, sizeof name, "%s%s", path, key);
    hf_fail(hf, name, HF_HINT, "must be an object");
    return NULL;
}

/* Sets text and level. All are read: a wrong one is not an absent one. */
static void language_level(struct hf *hf)
{
    static const char *const names[] = {"text_config", "llm_config", "language_config"};
    json_t *thinker = inner_object(hf, hf->root, "", "thinker_config");
    json_t *deep = inner_object(hf, thinker, "thinker_config.", "text_config");
    char name[64];

    hf->text = deep != NULL ? deep : hf->root;
    hf->level = deep != NULL ? "thinker_config.text_config" : "";
    for (size_t i = sizeof names / sizeof names[0]; i-- > 0;) {
        json_t *inner = inner_object(hf, hf->root, "", names[i]);

        if (inner != NULL) {
            hf->text = inner;
            hf->level = names[i];
        }
    }
    if (hf_get_at(hf->root, "hidden_size", name) != NULL &&
        hf_get_at(hf->root, "num_hidden_layers", name) != NULL) {
        hf->text = hf->root;
        hf->level = "";
    }
}

/* model_type of one level, NULL when it names none. */
static const char *type_at(struct hf *hf, const json_t *object, const char *path)
{
    static const struct hf_field field = {"model_type", .kinds = HF_TEXT};

    hf_check(hf, path, object, &field, 1);
    return json_string_value(hf_present(object, field.keys));
}

static void find_arch(struct hf *hf)
{
    const char *inner = type_at(hf, hf->text, hf->level);
    const char *type = type_at(hf, hf->root, "");
    const struct hf_arch *outer = type != NULL ? hfarch_find(type) : NULL;
    char shown[64];

    if (hf->rc != GP_OK)
        return;
    if (inner != NULL)
        hf->arch = hfarch_find(inner);
    if (outer != NULL && (hf->arch == NULL || outer->refuse != NULL))
        hf->arch = outer;
    else if (type == NULL || hf->arch != NULL)
        type = inner;
    if (type == NULL) {
        hf_fail(hf, "model_type", "is this the config.json of a language model?", "missing");
        return;
    }
    safe_text(shown, sizeof(shown), type, strlen(type));
    hf->type = type;
    if (hf->headers && (hf->arch == NULL || hf->arch->refuse != NULL)) {
        hf->arch = hfarch_stand_in(); /* its tensors can be counted: said first */
        hf->type = "an unknown type";
        hf->model->assumed = true;
        checkpoint_note(hf->model,
                        "unknown architecture \"%.39s\": weights are those of its tensors; every "
                        "layer is assumed to cache keys and values of all its heads",
                        shown);
    } else if (hf->arch == NULL) {
        static const char profile[] = "describe the model in a profile: gpuplan-profile(5)";
        char near[48], hint[160];

        snprintf(hint, sizeof hint, "%s", profile);
        if (hfarch_nearest(type, near, sizeof near))
            snprintf(hint, sizeof hint, "did you mean %s? Otherwise %s", near, profile);
        hf_fail(hf, "model_type", hint, "unknown architecture \"%s\"", shown);
    } else if (hf->arch->refuse != NULL) {
        hf_fail(hf, "model_type", "describe the model in a profile: gpuplan-profile(5)",
                "%s cannot be planned: %s", shown, hf->arch->refuse);
    }
}

/* ---- the model as a whole ---- */

static void read_dtype(struct hf *hf)
{
    static const char *const words[][2] = {
        {"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"},
        {"half", "fp16"},     {"float", "fp32"},
    };
    const char *text = hf_text(hf, "dtype");
    const char *id = NULL;

    if (text != NULL && strncmp(text, "torch.", 6) == 0)
        text += 6;
    for (size_t i = 0; text != NULL && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i][0]) == 0)
            id = words[i][1];
    if (id == NULL) {
        id = "bf16";
        checkpoint_note(hf->model, "config.json names no 16- or 32-bit dtype: assumed bf16");
    }
    gp_copy(hf->model->native_dtype, sizeof hf->model->native_dtype, id);
    for (int role = 0; role < ROLE_COUNT; role++)
        gp_copy(hf->model->native[role], FORMAT_ID_MAX, id);
    gp_copy(hf->model->native_name, sizeof hf->model->native_name, id);
}

/* max_position_embeddings, or what YaRN stretches the original length to. */
static void read_context(struct hf *hf)
{
    const json_t *rope = hf_get(hf, "rope_scaling");
    int length = hf_need(hf, "max_position_embeddings");
    const char *type;
    double factor, original;

    if (rope == NULL)
        rope = hf_get(hf, "rope_parameters");
    type = json_string_value(json_object_get(rope, "rope_type"));
    if (type == NULL)
        type = json_string_value(json_object_get(rope, "type"));
    factor = json_number_value(json_object_get(rope, "factor"));
    original = json_number_value(json_object_get(rope, "original_max_position_embeddings"));
    if (type != NULL && strcmp(type, "yarn") == 0 && factor > 1) {
        double stretched = (original > 0 ? original : length) * factor;

        if (stretched > INT_MAX)
            hf_fail(hf, "rope_scaling.factor", HF_HINT, "%g extends the context past %d tokens",
                    factor, INT_MAX);
        else if (stretched > length)
            length = (int)stretched;
    }
    hf->model->max_context = length;
}

static void read_globals(struct hf *hf)
{
    struct model *model = hf->model;
    const char *version = json_string_value(hf_present(hf->root, "transformers_version"));
    const json_t *outer = hf_present(hf->root, "tie_word_embeddings");

    model->hidden = hf_need(hf, "hidden_size");
    model->vocab = hf_need(hf, "vocab_size");
    /* Both levels have a say: the inner one first, but since transformers 5 the class of the
     * whole model ties them. */
    model->tied = version != NULL && version[0] >= '5' && json_is_boolean(outer)
                      ? json_is_true(outer)
                      : hf_bool(hf, "tie_word_embeddings", hf_trait(hf, HF_TIED));
    model->final_norm = !hf_trait(hf, HF_NO_NORM);
    model->final_norm_bias = model->final_norm && hf_trait(hf, HF_NORM_BIAS);
    gp_copy(model->family, sizeof model->family, hf->arch->family);
    read_context(hf);
    read_dtype(hf);
    if (hf_trait(hf, HF_HEAD_BIAS) && hf_bool(hf, "lm_head_bias", true))
        hf_extra(hf, "lm_head.bias", ROLE_NORM, model->vocab);
}

static void read_names(struct hf *hf)
{
    const char *name = json_string_value(json_object_get(hf->root, "_name_or_path"));
    char shown[96];

    if (name == NULL || name[0] == '\0' || name[0] == '/' || name[0] == '.')
        name = json_string_value(json_array_get(json_object_get(hf->root, "architectures"), 0));
    if (name == NULL)
        name = hf->type;
    safe_text(shown, sizeof shown, name, strlen(name));
    gp_copy(hf->model->name, sizeof hf->model->name, shown);
    gp_copy(hf->model->id, sizeof hf->model->id, shown);
    gp_copy(hf->model->source, sizeof hf->model->source, hf->where);
}

/* A prediction layer is one more layer of the last kind, a projection of two hidden
 * states into one and three norms; DeepSeek's also store embedding and head, and V4's
 * looks back no further than its window and mixes its streams once more. */
static void read_mtp(struct hf *hf)
{
    struct model one = *hf->model;
    int layers = hf_int(hf, "num_nextn_predict_layers", 0);
    int last = one.layer[one.layer_count - 1];
    double h = one.hidden, elements = 2 * h * h + 3 * h;

    if (layers <= 0)
        return;
    if (one.kind[last].csa2) { /* another kind of draft, of shapes of its own */
        checkpoint_note(hf->model, "DSpark's draft of %d layers is not counted", layers);
        return;
    }
    if (mixer_is(one.kind[last].mixer, MIXER_IS_POOLED)) {
        one.kind[last].compress = 0;
        elements += one.extra[0].elements;
    }
    struct tensor tensors[MODEL_MAX_TENSORS];
    for (int i = model_layer_tensors(&one, last, tensors); i-- > 0;)
        elements += tensors[i].rows * tensors[i].cols * tensors[i].count;
    if (hf_trait(hf, HF_MTP_COPY))
        elements += 2.0 * one.vocab * h;
    hf->model->mtp_params = layers * elements;
}

static void hf_build(struct hf *hf, json_t *side)
{
    from_params(hf);
    language_level(hf);
    find_arch(hf);
    hf_check_model(hf);
    if (hf->rc != GP_OK)
        return;
    read_globals(hf);
    hflayers_build(hf);
    if (hf->rc == GP_OK && hf->arch->finish != NULL)
        hf->arch->finish(hf);
    hfvision_add(hf);
    read_names(hf);
    if (hf->rc == GP_OK)
        hf->rc = model_check(hf->model, hf->err);
    if (hf->rc == GP_OK) {
        read_mtp(hf);
        hf->model->bytes.inferred = true; /* until its tensors are summed */
        hfquant_read(hf, side);
        /* vLLM turns "auto" into FP8 entries for CSA (deepseek_v4/attention.py) */
        struct model *m = hf->model;
        if (m->native_kv[0] == '\0' && mixer_is(m->kind[m->layer[0]].mixer, MIXER_IS_POOLED))
            gp_copy(m->native_kv, sizeof m->native_kv, "fp8");
    }
}

enum gp_status hfconfig_parse_pair(const char *where, const char *text, size_t len,
                                   const char *side_where, const char *side, size_t side_len,
                                   bool headers, struct model *out, struct gp_err *err)
{
    struct hf hf = {
        .where = where, .side_where = side_where, .err = err, .headers = headers, .model = out};
    json_t *beside = NULL;

    memset(out, 0, sizeof *out);
    hf.root = hf_load(where, text, len, err);
    if (hf.root == NULL)
        return GP_E_FILE;
    if (side_len > 0) {
        beside = hf_load(side_where, side, side_len, err);
        if (beside == NULL) {
            json_decref(hf.root);
            return GP_E_FILE;
        }
    }
    hf_build(&hf, beside);
    json_decref(hf.root);
    json_decref(beside);
    return hf.rc;
}

enum gp_status hfconfig_parse(const char *where, const char *text, size_t len, struct model *out,
                              struct gp_err *err)
{
    return hfconfig_parse_pair(where, text, len, NULL, NULL, 0, false, out, err);
}
