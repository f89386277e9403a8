/*
 * hfkeys.c - the keys of a config.json, under whichever of their names they stand.
 *
 * The same figure has a dozen names: the table below maps each to the one used here.
 * What the file leaves out, the architecture's class may assume (hf_arch.defaults).
 *
 * Example: hf_int(hf, "hidden_size", 0) of {"n_embd": 768} is 768.
 */
#include "model/read/hfconfig.h"
#include <ctype.h>

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct alias {
    const char *key;    /* the name used in this program */
    const char *others; /* separated by spaces, in order of preference */
};

static const struct alias aliases[] = {
    {"hidden_size", "n_embd d_model embed_dim dim"},
    {"num_hidden_layers", "n_layer n_layers num_layers decoder_layers depth layers"},
    {"num_attention_heads", "n_head n_heads num_heads decoder_attention_heads attention_heads"},
    {"num_key_value_heads", "num_kv_heads n_head_kv n_kv_heads kv_n_heads multi_query_group_num "
                            "num_attention_groups"},
    {"head_dim", "attention_head_dim kv_channels"},
    {"intermediate_size",
     "n_inner ffn_dim decoder_ffn_dim ffn_hidden_size dense_intermediate_size dff "
     "block_ff_dim"},
    {"moe_intermediate_size", "expert_ffn_hidden_size"},
    {"num_experts", "num_local_experts n_routed_experts moe_num_experts"},
    {"num_experts_per_tok",
     "num_experts_per_token experts_per_token top_k_experts moe_topk moe_k moe_top_k"},
    {"n_shared_experts", "num_shared_experts moe_num_shared_experts num_shared_expert"},
    {"shared_expert_intermediate_size",
     "moe_shared_expert_intermediate_size shared_intermediate_size share_expert_dim"},
    {"moe_latent_size", "routed_expert_hidden_size"},
    {"vocab_size", "padded_vocab_size n_vocab"},
    {"max_position_embeddings",
     "n_positions n_ctx max_sequence_length max_seq_len seq_length model_max_length "
     "max_target_positions"},
    {"num_nextn_predict_layers", "mtp_num_hidden_layers num_mtp_layers num_mtp_modules"},
    {"dtype", "torch_dtype"},
    {"layer_types", "layers_block_type"},
    {"use_qk_norm", "qk_layernorm"},
    {"attention_bias", "add_qkv_bias qkv_bias use_qkv_bias"},
    {"use_bias", "bias"},
    {"sliding_window_pattern", "_sliding_window_pattern"},
    {"linear_conv_kernel_dim", "short_conv_kernel_size"},
    {"first_k_dense_replace", "num_dense_layers"},
    {"full_attention_interval", "layer_group_size"},
    {"index_n_heads", "sparse_num_index_heads"},
    {"index_head_dim", "sparse_index_dim"},
    {"full_attn_idxs", "attn_layer_indices"},
    {"sliding_window", "window_size"},
    {"tie_word_embeddings", "tie_embedding"},
};

void hf_fail(struct hf *hf, const char *key, const char *hint, const char *fmt, ...)
{
    char text[256], where[192];
    va_list args;

    if (hf->rc != GP_OK)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    snprintf(where, sizeof where, "%s: %s", hf->where, key);
    hf->rc = gp_fail(hf->err, GP_E_FILE, where, hint, "%s", text);
}

/* A value that is there: null and the blanked NaN (hfjson.c) count as absent. */
json_t *hf_present(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);

    if (json_is_null(value) || (text != NULL && strcmp(text, HF_NAN) == 0))
        return NULL;
    return value;
}

bool hf_next_word(const char **list, char word[64])
{
    size_t n = strcspn(*list, " ");

    snprintf(word, 64, "%.*s", (int)n, *list);
    *list += n + ((*list)[n] == ' ');
    return n > 0;
}

json_t *hf_get_at(const json_t *object, const char *key, char name[64])
{
    json_t *value = hf_present(object, key);
    const char *others = "";

    for (size_t i = 0; value == NULL && i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(aliases[i].key, key) == 0)
            others = aliases[i].others;
    snprintf(name, 64, "%s", key);
    while (value == NULL && hf_next_word(&others, name))
        value = hf_present(object, name);
    return value;
}

/* A key that this layer has for itself, sliding layers also as swa_key, or an entry of
 * key_per_layer. */
static json_t *find_own(const struct hf *hf, const char *key, char name[64])
{
    json_t *value = hf_present(hf->own, key);
    bool window = mixer_is(hf->kind->mixer, MIXER_IS_WINDOWED);

    snprintf(name, 64, "%s", key);
    if (value == NULL && window)
        value = hf_get_at(hf_present(hf->text, "attention_other_setting"), key, name);
    if (value == NULL && window) {
        snprintf(name, 64, "swa_%s", key);
        value = hf_present(hf->text, name);
    }
    if (value != NULL)
        return value;
    snprintf(name, 64, "%s_per_layer", key);
    return json_array_get(hf_present(hf->text, name), (size_t)hf->layer);
}

struct hf_found hf_find(const struct hf *hf, const char *key)
{
    static const char *const parts[] = {"attn_config", "ffn_config", /* DBRX */
                                        "sparse_attention_config"};
    struct hf_found found = {.path = hf->level};

    if (hf->kind != NULL)
        found.value = find_own(hf, key, found.name);
    if (found.value != NULL)
        return found;
    found.path = hf->level;
    found.value = hf_get_at(hf->text, key, found.name);
    for (size_t i = 0; found.value == NULL && i < sizeof parts / sizeof *parts; i++) {
        found.path = parts[i];
        found.value = hf_get_at(hf_present(hf->text, parts[i]), key, found.name);
    }
    if (found.value == NULL && hf->text != hf->root) {
        found.path = "";
        found.value = hf_get_at(hf->root, key, found.name);
    }
    return found;
}

json_t *hf_get(const struct hf *hf, const char *key)
{
    return hf_find(hf, key).value;
}

bool hf_has(const struct hf *hf, const char *key)
{
    return hf_get(hf, key) != NULL;
}

const char *hf_text(const struct hf *hf, const char *key)
{
    return json_string_value(hf_get(hf, key));
}

bool hf_trait(const struct hf *hf, unsigned trait)
{
    return (hf->arch->traits & trait) != 0;
}

/* "key=value" in a text of them. */
static bool find_default(const char *at, const char *key, int *value)
{
    size_t len = strlen(key);

    while (at != NULL && *at != '\0') {
        if (strncmp(at, key, len) == 0 && at[len] == '=') {
            *value = (int)strtol(at + len + 1, NULL, 10);
            return true;
        }
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return false;
}

static bool class_default(const struct hf *hf, const char *key, int *value)
{
    return find_default(hf->arch->defaults, key, value);
}

double hf_assumed(const char *defaults, const char *key)
{
    int value = 0;

    find_default(defaults, key, &value);
    return value;
}

/* A whole number 0..INT_MAX, also when it is written 8192.0. */
static int whole_number(struct hf *hf, const json_t *value, const char *key)
{
    double number = json_is_number(value) ? json_number_value(value) : -1;

    if (!(number >= 0) || number > INT_MAX || floor(number) != number) {
        hf_fail(hf, key, HF_HINT, "must be a whole number of 0..%d", INT_MAX);
        return 0;
    }
    return (int)number;
}

int hf_int(struct hf *hf, const char *key, int fallback)
{
    json_t *value = hf_get(hf, key);

    if (json_is_array(value) && hf->kind != NULL)
        value = json_array_get(value, (size_t)hf->layer); /* one for each layer */
    if (value != NULL)
        return whole_number(hf, value, key);
    class_default(hf, key, &fallback);
    return fallback;
}

int hf_need(struct hf *hf, const char *key)
{
    int value = 0;

    if (hf_has(hf, key))
        return hf_int(hf, key, 0);
    if (!class_default(hf, key, &value))
        hf_fail(hf, key, "add it to the file: gpuplan does not guess shapes",
                "is missing; model_type %s needs it", hf->type);
    return value;
}

bool hf_bool(struct hf *hf, const char *key, bool fallback)
{
    json_t *value = hf_get(hf, key);
    int number;

    if (value == NULL)
        return class_default(hf, key, &number) ? number != 0 : fallback;
    if (json_is_boolean(value))
        return json_is_true(value);
    if (json_is_number(value))
        return json_number_value(value) != 0;
    hf_fail(hf, key, HF_HINT, "must be true or false");
    return fallback;
}

double hf_number(const struct hf *hf, const char *key)
{
    const char *word = strchr(key, '^'); /* key^word: is it that text? */
    char name[64];
    const json_t *value;
    int number = 0;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "^"), key);
    value = hf_get(hf, name);
    if (word != NULL)
        return json_is_string(value) && strcmp(json_string_value(value), word + 1) == 0;

    if (json_is_number(value))
        return json_number_value(value);
    if (value == NULL)
        class_default(hf, name, &number);
    return value == NULL ? number : json_is_true(value);
}

static bool architecture_has(const struct hf *hf, const char *word)
{
    const json_t *list = json_object_get(hf->root, "architectures");
    const char *name = json_string_value(json_array_get(list, 0));

    return name != NULL && strstr(name, word) != NULL;
}

static bool has_head(const struct hf *hf)
{
    return architecture_has(hf, "CausalLM") || architecture_has(hf, "MaskedLM") ||
           architecture_has(hf, "LMHead");
}

/* Of a model that ranks or classifies; 0 otherwise. */
static double class_count(const struct hf *hf)
{
    size_t labels = json_object_size(json_object_get(hf->root, "id2label"));

    if (!architecture_has(hf, "Classification"))
        return 0;
    return labels > 0 ? (double)labels : 2;
}

static double layer_value(const void *object, const char *name)
{
    const struct hf *hf = object;
    const struct layer_kind *k = hf->kind;
    const struct {
        const char *name;
        double value;
    } names[] = {
        {"h", hf->model->hidden},
        {"V", hf->model->vocab},
        {"L", hf->model->layer_count},
        {"i", hf->layer},
        {"heads", k == NULL ? 0 : k->heads},
        {"kv", k == NULL ? 0 : k->kv_heads},
        {"d", k == NULL ? 0 : k->head_dim},
        {"dv", k == NULL ? 0 : k->v_head_dim},
        {"keys", k == NULL ? 0 : (double)k->lin_k_heads * k->lin_k_dim},
        {"key", k == NULL ? 0 : k->lin_k_dim},
        {"indexer", k != NULL && k->index_heads > 0 && !k->index_shared},
        {"ff", k == NULL ? 0 : k->ff},
        {"moe", k != NULL && k->experts > 0},
        {"attention", k != NULL && k->heads > 0},
        {"lm", has_head(hf)},
        {"pooler", !has_head(hf) && !architecture_has(hf, "Token")},
        {"classes", class_count(hf)},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].value;
    return hf_number(hf, name);
}

double hf_sum(const struct hf *hf, const char *text)
{
    return hfexpr(text, layer_value, hf);
}

int hf_sub_int(struct hf *hf, const json_t *object, const char *key, int fallback)
{
    const json_t *value = hf_present(object, key);

    return value == NULL ? fallback : whole_number(hf, value, key);
}

bool hf_listed(const struct hf *hf, const char *key, int value)
{
    const json_t *list = hf_get(hf, key);
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        if (json_is_integer(item) && json_integer_value(item) == value)
            return true;
    }
    return false;
}

void hf_extra(struct hf *hf, const char *name, enum tensor_role role, double elements)
{
    struct model *model = hf->model;
    struct model_extra *extra;

    if (elements <= 0 || model->extra_count >= MODEL_MAX_EXTRAS)
        return;
    extra = &model->extra[model->extra_count++];
    gp_copy(extra->name, sizeof extra->name, name);
    extra->role = role;
    extra->elements = elements;
}

/* ---- sums that a row of a table states as text ----
 *
 *   test    = sum [ ("<" | "=") sum ]          1 or 0
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }    / is whole: 7/2 = 3, and x/0 = 0
 *   factor  = number | name | "(" test ")"
 *
 * The texts are this program's own; only the values of their names come from a file.
 *
 * Example: "n*(4*d*d + 9*d) + p*p*3*d" with n=27, d=1152, p=14 is 143,987,328.
 */

struct cursor {
    const char *at;
    hf_value_fn *value;
    const void *object;
};

static double read_test(struct cursor *c);

static char next_sign(struct cursor *c, const char *signs)
{
    c->at += strspn(c->at, " ");
    return *c->at != '\0' && strchr(signs, *c->at) != NULL ? *c->at++ : '\0';
}

static double read_factor(struct cursor *c)
{
    char name[64], *end;
    size_t n = 0;
    double value;

    if (next_sign(c, "(")) {
        value = read_test(c);
        next_sign(c, ")");
        return value;
    }
    if (isdigit((unsigned char)*c->at)) {
        value = strtod(c->at, &end);
        c->at = end;
        return value;
    }
    while (n < sizeof name - 1 && (isalnum((unsigned char)*c->at) || *c->at == '_' ||
                                   *c->at == '^' || (*c->at == '-' && memchr(name, '^', n))))
        name[n++] = *c->at++;
    name[n] = '\0';
    return c->value(c->object, name);
}

static double read_product(struct cursor *c)
{
    double value = read_factor(c);
    char sign;

    while ((sign = next_sign(c, "*/")) != '\0') {
        double right = read_factor(c);

        if (sign == '*')
            value *= right;
        else
            value = right > 0 ? floor(value / right) : 0;
    }
    return value;
}

static double read_sum(struct cursor *c)
{
    double value = read_product(c);
    char sign;

    while ((sign = next_sign(c, "+-")) != '\0')
        value += (sign == '+' ? 1 : -1) * read_product(c);
    return value;
}

static double read_test(struct cursor *c)
{
    double value = read_sum(c);
    char sign = next_sign(c, "<=");

    if (sign == '<')
        return value < read_sum(c);
    return sign == '=' ? value == read_sum(c) : value;
}

double hfexpr(const char *text, hf_value_fn *value, const void *object)
{
    struct cursor c = {text, value, object};

    return text == NULL ? 0 : read_test(&c);
}
