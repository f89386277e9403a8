/*
 * hfquant.c - quantization_config: how the modules of a checkpoint are stored.
 *
 * Every quantiser writes its own form. Each is reduced to schemes and rules (hfquant.h): what
 * linear layers are stored as, what embedding and head, and which modules differ. Norms and
 * routers always keep 16 bit. A method that is not known is no error of the file: the shape
 * is whole, and --precision plans it.
 *
 * Example: {"quant_method": "fp8", "weight_block_size": [128, 128]} makes all linear
 * roles "fp8-block"; gpt-oss's "mxfp4" with self_attn in modules_to_not_convert leaves
 * the experts.
 *
 * Layouts: the quantisers' own code, by release: transformers 5.24 (integrations/),
 * compressed-tensors 0.20, auto-round 0.16, mlx-lm 0.32, hqq 0.2.8, optimum-quanto 0.2.7,
 * amd-quark 0.13, modelopt 0.47, torchao 0.18.
 */
#include "model/read/hfquant.h"
#include "model/read/tensors.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/read/jscan.h"

struct form {
    struct hf *hf;
    struct quant *q;
    json_t *config;
    const char *method;    /* quant_method */
    int rest, embed, head; /* schemes of what no rule names */
    bool towers;           /* towers are quantised as the rest, unless a rule names them */
};

/* ---- values ---- */

static void name_it(struct hf *hf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void name_it(struct hf *hf, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(hf->model->native_name, sizeof hf->model->native_name, fmt, args);
    va_end(args);
}

/* What is written there is known by no release of the quantiser that was read. */
static void quant_unknown(struct hf *hf, const char *key, const char *value)
{
    char shown[64];

    hf_fail(hf, key, "--precision plans the model in a format of gpuplan --list formats",
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

static void lower_word(const char *word, char low[64])
{
    gp_copy(low, 64, word);
    for (char *c = low; *c != '\0'; c++)
        *c = gp_lower(*c);
}

static bool quant_flag(const json_t *config, const char *key)
{
    const json_t *value = json_object_get(config, key);

    return json_is_true(value) || json_integer_value(value) != 0;
}

/* A form of the method that engines tell apart: "gptq-3bit". */
static void name_variant(struct form *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void name_variant(struct form *f, const char *fmt, ...)
{
    char *out = f->hf->model->native_method;
    size_t len = strlen(f->method), size = sizeof f->hf->model->native_method;
    va_list args;

    va_start(args, fmt);
    gp_format(out, size, "%s-", f->method);
    if (len + 1 < size)
        vsnprintf(out + len + 1, size - len - 1, fmt, args);
    va_end(args);
}

/* ---- schemes ---- */

static int scheme_add(struct form *f, const char *id, struct format scheme)
{
    struct format out = scheme; /* padding of the caller's is not compared */

    gp_copy(out.id, sizeof out.id, id);
    return quant_scheme(f->q, &out);
}

/* group 0: a set of scales for a row. */
static int scheme_grouped(struct form *f, const char *id, double bits, int group,
                          double group_bytes)
{
    return scheme_add(
        f, id,
        (struct format){
            .bits = bits, .group_cols = group, .group_rows = 1, .group_bytes = group_bytes});
}

static int scheme_tensor(struct form *f, const char *id, double bits)
{
    return scheme_add(f, id, (struct format){.bits = bits, .tensor_bytes = 4});
}

/* A pair of whole numbers: rows and columns. */
static int block_side(const json_t *pair, size_t side, int fallback)
{
    json_int_t number = json_integer_value(json_array_get(pair, side));

    return number > 0 ? (int)number : fallback;
}

static int scheme_block(struct form *f, const char *id, int rows, int cols, double bytes)
{
    return scheme_add(
        f, id,
        (struct format){.bits = 8, .group_rows = rows, .group_cols = cols, .group_bytes = bytes});
}

/* Microscaling and what is stored like it, by the catalogue's names. */
static int scheme_named(struct form *f, const char *id)
{
    if (strcmp(id, "nvfp4") == 0)
        return scheme_add(
            f, id,
            (struct format){
                .bits = 4, .group_cols = 16, .group_rows = 1, .group_bytes = 1, .tensor_bytes = 4});
    if (strncmp(id, "mxfp", 4) == 0)
        return scheme_grouped(f, id, id[4] - '0', 32, 1);
    if (strcmp(id, "fp8-tensor") == 0)
        return scheme_tensor(f, id, 8);
    if (strcmp(id, "fp8-block") == 0)
        return scheme_block(f, id, 128, 128, 4);
    if (strcmp(id, "int8") == 0)
        return scheme_grouped(f, id, 8, 0, 2);
    return scheme_grouped(f, id, 8, 0, 4); /* fp8, int8-bnb */
}

/* Integers that are unpacked to 16 bit: the format whose kernels are theirs. */
static const char *integer_id(double bits, int group, bool zeros, bool indexed)
{
    return bits > 4      ? "int8-gptq"
           : group == 0  ? "int4-row"
           : group <= 32 ? "int4-g32"
           : group <= 64 ? "int4-g64"
           : indexed     ? "int4-gptq"
           : zeros       ? "int4-awq"
                         : "int4";
}

/* A 16-bit scale per group, a zero point of the element's width, GPTQ's index per input. */
static int scheme_integer(struct form *f, double bits, int group, bool zeros, bool indexed)
{
    return scheme_add(f, integer_id(bits, group, zeros, indexed),
                      (struct format){.bits = bits,
                                      .group_cols = group,
                                      .group_rows = 1,
                                      .group_bytes = 2 + (zeros ? bits / 8 : 0),
                                      .input_bytes = indexed ? 4 : 0});
}

/* ---- what may stand there ---- */

#define GROUP_TOP 1048576

/* Of quantization_config and MLX's quantization, whoever wrote them. */
static const struct hf_field config_fields[] = {
    {"quant_method expert_dtype quant_algo kv_cache_quant_algo weights forward_dtype mode",
     .kinds = HF_TEXT},
    {"q_group_size", .kinds = HF_GROUP, -1, GROUP_TOP},
    {"weight_block_size", .kinds = HF_COUNTS, 1, 65536, .items = 2},
    {"modules_to_not_convert ignored_layers llm_int8_skip_modules skip_modules "
     "linear_weights_not_to_quantize ignore exclude exclude_modules modules_to_convert",
     .kinds = HF_TEXTS},
    {"block_name_to_quantize to_quant_block_names", .kinds = HF_TEXT | HF_TEXTS},
    {"lm_head", .kinds = HF_FLAG | HF_OBJECT}, /* MLX: settings of the module */
    {"load_in_4bit load_in_8bit _load_in_4bit _load_in_8bit bnb_4bit_use_double_quant",
     .kinds = HF_FLAG},
    {"config_groups dynamic extra_config global_quant_config layer_quant_config config_for_layers "
     "module_quant_configs module_config_overrides tensor_storage quant_config quantized_layers",
     .kinds = HF_OBJECT},
    {"kv_cache_scheme", .kinds = HF_OBJECT | HF_TEXT}, /* "FP8": ModelOpt */
    {"head_bits", .kinds = HF_NUMBER, 1, 32},
    {"in_group_size out_group_size", .kinds = HF_COUNT, 1, 65536},
    {"num_codebooks", .kinds = HF_COUNT, 1, 64},
    {"nbits_per_codebook", .kinds = HF_COUNT, 1, 24},
    {"nbits num_bits w_bit", .kinds = HF_COUNT, 1, 16},
};
/* ExLlama's are a mean over the matrices. */
static const struct hf_field whole_bits = {"bits", .kinds = HF_COUNT, 1, 32};
static const struct hf_field mean_bits = {"bits", .kinds = HF_NUMBER, 1, 32};
/* AutoRound's of FP8 are blocks, too. */
static const struct hf_field one_group = {"group_size", .kinds = HF_GROUP, -1, GROUP_TOP};
static const struct hf_field block_group = {"group_size", .kinds = HF_GROUP | HF_COUNTS, -1,
                                            GROUP_TOP, .items = 2};

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
    {"block_structure", .kinds = HF_COUNTS, 1, 65536, .items = 2},
    {"symmetric", .kinds = HF_FLAG},
};

#define CHECK(hf, path, object, fields) \
    hf_check(hf, path, object, fields, sizeof fields / sizeof *fields)

static void check_config(struct hf *hf, const char *path, const json_t *config)
{
    const json_t *scheme = hf_present(config, "kv_cache_scheme");
    bool mean = strncmp(word_of(config, "quant_method"), "exl", 3) == 0;
    bool blocks = strstr(word_of(config, "quant_method"), "round") != NULL;
    char below[96];

    CHECK(hf, path, config, config_fields);
    hf_check(hf, path, config, mean ? &mean_bits : &whole_bits, 1);
    hf_check(hf, path, config, blocks ? &block_group : &one_group, 1);
    snprintf(below, sizeof below, "%s.kv_cache_scheme", path);
    if (json_is_object(scheme))
        CHECK(hf, below, scheme, scheme_fields);
}

/* Modules of a sub-object, each with settings of its own. */
static bool check_module(struct form *f, const char *key, const char *module, const json_t *row)
{
    static const struct hf_field fields[] = {
        {"bits num_bits", .kinds = HF_NUMBER, 1, 32},
        {"group_size", .kinds = HF_COUNT | HF_GROUP, -1, GROUP_TOP},
        {"bits_per_weight", .kinds = HF_NUMBER, 0.1, 32},
        {"mode data_type quant_algo weight_dtype dtype", .kinds = HF_TEXT},
    };
    char shown[64], path[160];

    safe_text(shown, sizeof shown, module, strlen(module));
    snprintf(path, sizeof path, "quantization_config.%s.%s", key, shown);
    if (!json_is_object(row))
        hf_fail(f->hf, path, HF_HINT, "must be an object");
    else
        CHECK(f->hf, path, row, fields);
    return f->hf->rc == GP_OK;
}

static bool bits_missing(struct form *f, const char *key, int bits)
{
    char path[64];

    snprintf(path, sizeof path, "quantization_config.%s", key);
    if (bits == 0)
        hf_fail(f->hf, path, HF_HINT, "missing");
    else if (bits > 8)
        hf_fail(f->hf, path, HF_HINT, "%d is not supported, only 1..8 are", bits);
    return f->hf->rc != GP_OK;
}

/* What a number at the end means: ModelOpt's "layers.1*" is the tree below layer 1, not 10 to 19
 * (vLLM 0.33 modelopt.py apply_vllm_mapper), AWQ's "layers.1" is any name that holds it. */
static void keep_numbered(struct form *f, const char *text)
{
    size_t len = strlen(text), star = len > 0 && text[len - 1] == '*';
    bool digit = len > star && text[len - star - 1] >= '0' && text[len - star - 1] <= '9';
    bool tree = digit && star && strncmp(f->method, "modelopt", 8) == 0;
    bool held = digit && !star && strstr(f->method, "awq") != NULL;
    char name[1024];

    if (len < sizeof name - 2) {
        gp_format(name, sizeof name, "%s%.*s%s", held ? "*" : "", (int)(len - tree), text,
                  held ? "*" : "");
        quant_rule(f->q, "", name, QUANT_KEPT);
    }
}

/* The lists of what stays, whatever the quantiser calls it. */
static bool keep_lists(struct form *f)
{
    static const char *const keys[] = {
        "modules_to_not_convert",
        "ignored_layers",
        "llm_int8_skip_modules",
        "skip_modules",
        "ignore",
        "exclude_modules",
        "exclude",
        "linear_weights_not_to_quantize",
    };

    bool any = false;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *list = json_object_get(f->config, keys[i]), *item;
        size_t at;

        json_array_foreach(list, at, item) keep_numbered(f, json_string_value(item));
        any |= json_array_size(list) > 0;
    }
    return any;
}

/* ---- FP8 ---- */

static void read_mixed(struct form *f, json_t *layers);

static void read_fp8(struct form *f)
{
    const json_t *block = json_object_get(f->config, "weight_block_size");
    int rows = block_side(block, 0, 1), cols = block_side(block, 1, 1);
    bool bytes = strcmp(word_of(f->config, "scale_fmt"), "ue8m0") == 0; /* powers of two */
    const char *inside = word_of(f->config, "expert_dtype");
    const char *experts = inside[0] != '\0' ? inside : hf_text(f->hf, "expert_dtype");
    json_t *layers = json_object_get(f->config, "quantized_layers");

    f->towers = keep_lists(f);  /* DeepSeek's have none, and leave the tower as it is */
    if (json_is_object(layers)) /* DeepSeek V4: experts in NVFP4 */
        read_mixed(f, layers);
    if (experts != NULL && strcmp(experts, "fp4") == 0)
        quant_rule(f->q, "re:", ".*\\.experts\\.", scheme_named(f, "mxfp4"));
    if (hf_has(f->hf, "engram_layer_ids")) /* a scale per 32 of a row */
        quant_role(f->q, ROLE_NGRAM, scheme_named(f, "mxfp8"));
    f->rest = json_is_array(block) ? scheme_block(f, "fp8-block", rows, cols, bytes ? 1 : 4)
                                   : scheme_named(f, "fp8-tensor");
    quant_rules(f->q, "", json_object_get(f->config, "modules_to_convert"), f->rest);
    if (json_is_array(block))
        name_it(f->hf, "fp8 e4m3, %dx%d blocks", rows, cols);
    else
        name_it(f->hf, "fp8 e4m3, a scale per tensor");
}

/* Methods that are one format throughout: id and words are their row's. */
static void read_plain(struct form *f)
{
    static const struct {
        const char *methods, *id, *words;
    } rows[] = {
        {"fbgemm_fp8", "fp8", "fp8 e4m3, a scale per channel (fbgemm)"},
        {"ptpc_fp8 w8a8_fp8", "fp8", "fp8 e4m3, a scale per channel"},
        {"deepspeedfp", "fp8", "fp8 (DeepSpeed)"},
        {"mxfp8", "mxfp8", "mxfp8"},
        {"nvfp4 petit_nvfp4", "nvfp4", "nvfp4"},
        {"w8a8_int8 experts_int8 tpu_int8", "int8", "int8, a scale per channel"},
        {"eetq", "int8-gptq", "int8, a scale per channel (EETQ)"},
    };
    size_t i = 0;

    keep_lists(f);
    while (!gp_has_word(rows[i].methods, " ", f->method))
        i++;
    if (strcmp(f->method, "eetq") == 0)
        f->rest = scheme_grouped(f, rows[i].id, 8, 0, 2);
    else
        f->rest = scheme_named(f, rows[i].id);
    name_it(f->hf, "%s", rows[i].words);
}

/* gpt-oss's: experts alone (vLLM 0.33 mxfp4.py leaves other linear layers as they are); of a model
 * without any, all of it. */
static void read_mxfp4(struct form *f)
{
    int scheme = scheme_named(f, "mxfp4");
    bool experts = model_experts(f->hf->model) > 0;

    keep_lists(f);
    if (experts)
        quant_rule(f->q, "re:", ".*\\.experts\\.", scheme);
    f->rest = experts ? QUANT_KEPT : scheme;
    name_it(f->hf, "mxfp4");
}

static void read_int8_block(struct form *f)
{
    const json_t *block = json_object_get(f->config, "weight_block_size");

    keep_lists(f);
    f->rest = scheme_block(f, "int8", block_side(block, 0, 128), block_side(block, 1, 128), 4);
    name_it(f->hf, "int8, blocks");
}

/* DeepSeek's W4AFP8: experts in INT4, the rest as published. */
static void read_w4afp8(struct form *f)
{
    keep_lists(f);
    quant_rule(f->q, "re:", ".*\\.experts\\.", scheme_integer(f, 4, 128, false, false));
    f->rest = scheme_named(f, "fp8-block");
    name_it(f->hf, "experts int4, groups of 128; the rest fp8, 128x128 blocks");
}

/* ---- integers in groups: GPTQ, AWQ, AutoRound and their kin ---- */

static void name_groups(struct form *f, const char *method, double bits, int group)
{
    if (group == 0)
        name_it(f->hf, "%s %g bit, a scale per row", method, bits);
    else
        name_it(f->hf, "%s %g bit, group %d", method, bits, group);
}

/* Bits that only some releases have kernels for. */
static void odd_bits(struct form *f, int bits)
{
    if (strcmp(f->method, "gptq") == 0 && bits != 4 && bits < 8)
        name_variant(f, "%dbit", bits);
}

/* GPTQModel's `dynamic`: "-:expression" stays, "+:expression" or an expression alone has bits
 * and group of its own. */
static void read_dynamic(struct form *f, int bits, int group)
{
    const char *key;
    const json_t *row;

    json_object_foreach(json_object_get(f->config, "dynamic"), key, row)
    {
        bool marked = (key[0] == '-' || key[0] == '+') && key[1] == ':';
        const char *text = marked ? key + 2 : key;

        if (key[0] == '-' && marked) {
            quant_rule(f->q, "re:", text, QUANT_KEPT);
        } else if (check_module(f, "dynamic", key, row)) {
            int own = quant_number(f->hf, row, "bits", bits);

            odd_bits(f, own);
            quant_rule(f->q, "re:", text,
                       own > 8
                           ? QUANT_KEPT
                           : scheme_integer(f, own, quant_number(f->hf, row, "group_size", group),
                                            true, true));
        }
    }
}

/* Lists of lists of modules: those alone are quantised. */
static bool only_blocks(struct form *f, int scheme)
{
    const json_t *blocks = json_object_get(f->config, "modules_in_block_to_quantize");
    const json_t *block;
    size_t i;

    if (!json_is_array(blocks) || json_array_size(blocks) == 0)
        return false;
    quant_rules(f->q, "", blocks, scheme);
    json_array_foreach(blocks, i, block) quant_rules(f->q, "", block, scheme);
    return true;
}

static void read_gptq_awq(struct form *f)
{
    bool awq = strstr(f->method, "awq") != NULL, gptq = strstr(f->method, "gptq") != NULL;
    int bits = quant_number(f->hf, f->config, "bits", awq ? 4 : 0); /* AwqConfig's defaults */
    int group = quant_number(f->hf, f->config, "group_size",
                             quant_number(f->hf, f->config, "q_group_size", 128));
    bool sparse = strstr(f->method, "_24") != NULL;

    if (bits == 0)
        bits = quant_number(f->hf, f->config, "w_bit", strcmp(f->method, "marlin") == 0 ? 4 : 0);
    if (bits_missing(f, "bits", bits))
        return;
    int scheme = sparse ? scheme_grouped(f, "int4", bits / 2.0 + 1, group, 2)
                        : scheme_integer(f, bits, group, awq || gptq, gptq);
    keep_lists(f);
    read_dynamic(f, bits, group);
    f->rest = only_blocks(f, scheme) ? QUANT_KEPT : scheme;
    f->head = quant_flag(f->config, "lm_head") ? scheme : QUANT_KEPT;
    odd_bits(f, bits);
    if (strcmp(f->method, "gptq") == 0 && json_is_false(json_object_get(f->config, "sym")))
        name_variant(f, "asymmetric");
    name_groups(f, f->method, bits, group);
}

/* A row of AutoRound: data_type int, mx_fp, nv_fp, fp; 16 bit and more is left alone. A pair of
 * group sizes is a block of FP8. */
static int autoround_scheme(struct form *f, const json_t *row, int bits, int group,
                            const char *type, bool awq)
{
    const char *own = word_of(row, "data_type");
    const json_t *pair = json_object_get(f->config, "group_size");

    bits = quant_number(f->hf, row, "bits", bits);
    group = quant_number(f->hf, row, "group_size", group);
    type = own[0] != '\0' ? own : type;
    if (bits == 0 || bits > 8)
        return QUANT_KEPT;
    if (strncmp(type, "mx", 2) == 0)
        return scheme_named(f, bits == 4 ? "mxfp4" : bits == 6 ? "mxfp6" : "mxfp8");
    if (strncmp(type, "nv", 2) == 0)
        return scheme_named(f, "nvfp4");
    if (strncmp(type, "fp", 2) == 0 && json_is_array(pair))
        return scheme_block(f, "fp8-block", block_side(pair, 0, 1), block_side(pair, 1, 1), 4);
    if (strncmp(type, "fp", 2) == 0)
        return scheme_named(f, bits == 8 ? "fp8" : "mxfp4");
    return scheme_integer(f, bits, group, true, !awq);
}

static bool is_expression(const char *text)
{
    return strpbrk(text, "\\*+?[](){}|^$") != NULL;
}

/* An expression that may begin anywhere in the name, as Python's re.search takes it. */
static void search_rule(struct form *f, const char *text, int scheme)
{
    char search[1100];

    snprintf(search, sizeof search, "re:.*(?:%.1000s)", text);
    quant_rule(f->q, "", search, scheme);
}

/* Does a list of blocks, or a text of them with ',' between, hold a tower's? */
static bool has_tower(const json_t *blocks)
{
    const char *text = json_string_value(blocks);
    char part[256];
    bool any = false;

    for (size_t i = 0; i < json_array_size(blocks); i++)
        any |= has_tower(json_array_get(blocks, i));
    for (; text != NULL && *text != '\0'; text += strspn(text, ",")) {
        size_t len = strcspn(text, ",");

        gp_format(part, sizeof part, "%.*s", (int)len, text);
        any |= tensorname_is_aside(part);
        text += len;
    }
    return any;
}

static void read_autoround(struct form *f)
{
    int bits = quant_number(f->hf, f->config, "bits", 4);
    bool blocks = json_is_array(json_object_get(f->config, "group_size"));
    int group = blocks ? 128 : quant_number(f->hf, f->config, "group_size", 128);
    const char *packing = word_of(f->config, "packing_format");
    const char *type = word_of(f->config, "data_type");
    const char *key;
    const json_t *row;

    bool awq = strstr(packing[0] != '\0' ? packing : word_of(f->config, "backend"), "awq") != NULL;
    f->towers = has_tower(json_object_get(f->config, "block_name_to_quantize")) ||
                has_tower(json_object_get(f->config, "to_quant_block_names"));
    keep_lists(f);
    json_object_foreach(json_object_get(f->config, "extra_config"), key, row)
    {
        if (check_module(f, "extra_config", key, row)) {
            int scheme = autoround_scheme(f, row, bits, group, type, awq);

            if (is_expression(key))
                search_rule(f, key, scheme);
            else
                quant_rule(f->q, "", key, scheme);
        }
    }
    read_dynamic(f, bits, group);
    f->rest = autoround_scheme(f, NULL, bits, group, type, awq);
    f->head = quant_flag(f->config, "quant_lm_head") ? f->rest : QUANT_KEPT;
    if (type[0] != '\0' && strncmp(type, "int", 3) != 0)
        name_variant(f, "%.2s", type);
    if (type[0] != '\0' && strncmp(type, "int", 3) != 0)
        name_it(f->hf, "%.20s %d bit, group %d (AutoRound)", type, bits, group);
    else
        name_groups(f, "AutoRound", bits, group);
}

/* Weights of a method whose scheme is integers in groups by `bits` or `nbits`. */
static void read_groups(struct form *f)
{
    static const struct {
        const char *method, *words;
        int bits, group;
        double group_bytes, input_bytes;
    } rows[] = {
        {"sinq", "SINQ", 4, 64, 4, 2}, /* a scale per input besides */
        {"qqq", "QQQ", 4, 128, 2, 0},
        {"squeezellm", "SqueezeLLM", 4, 0, 32, 0}, /* a table of 16 values a row */
        {"rtn", "RTN", 4, 128, 2, 0},
        {"bitblas", "BitBLAS", 4, 128, 2.5, 0},
        {"moe_wna16", "WNA16", 4, 128, 2.5, 0},
        {"higgs", "HIGGS", 4, 256, 2, 0},
        {"ipex", "IPEX", 4, 128, 2.5, 0},
        {"neuron_quant", "Neuron", 8, 0, 2, 0},
    };
    size_t i = 0;

    while (strcmp(rows[i].method, f->method) != 0)
        i++;
    int bits = quant_number(f->hf, f->config, "bits",
                            quant_number(f->hf, f->config, "nbits", rows[i].bits));
    int group = quant_number(f->hf, f->config, "group_size", rows[i].group);
    if (bits_missing(f, "bits", bits))
        return;
    keep_lists(f);
    f->rest = scheme_add(f, integer_id(bits, group, false, false),
                         (struct format){.bits = bits,
                                         .group_cols = group,
                                         .group_rows = 1,
                                         .group_bytes = rows[i].group_bytes,
                                         .input_bytes = rows[i].input_bytes});
    name_groups(f, rows[i].words, bits, group);
}

/* HQQ: a scale and a zero point of 16 bit a group, or of 8 where they are quantised too; ten
 * values of 3 bit in a word, those of 5 and 6 in a byte (hqq quantize.py bit_to_packing).
 * quant_config is one for all, or one for each tag ("self_attn.q_proj"). */
static int hqq_scheme(struct form *f, const json_t *settings)
{
    const json_t *weights = json_object_get(settings, "weight_quant_params");
    const json_t *of = json_is_object(weights) ? weights : settings;
    int bits = quant_number(f->hf, of, "nbits", 4);
    int group = json_is_null(json_object_get(of, "group_size"))
                    ? 0
                    : quant_number(f->hf, of, "group_size", 64);
    bool scale = json_is_object(json_object_get(settings, "scale_quant_params"));
    bool zero = json_is_object(json_object_get(settings, "zero_quant_params"));

    if (bits_missing(f, "quant_config.nbits", bits))
        return QUANT_KEPT;
    if (f->hf->model->native_name[0] == '\0')
        name_groups(f, "HQQ", bits, group);
    return scheme_grouped(f, integer_id(bits, group, true, false),
                          bits == 3  ? 3.2
                          : bits > 4 ? 8
                                     : bits,
                          group, (scale ? 1 : 2) + (zero ? 1 : 2));
}

static void read_hqq(struct form *f)
{
    json_t *settings = json_object_get(f->config, "quant_config"), *row;
    const char *key;
    bool tagged = false;

    keep_lists(f);
    f->hf->model->native_name[0] = '\0';
    json_object_foreach(settings, key, row)
    {
        bool tag = json_is_object(json_object_get(row, "weight_quant_params"));

        tagged |= tag;
        if (tag)
            quant_rule(f->q, "", key, hqq_scheme(f, row));
    }
    if (!tagged)
        f->rest = hqq_scheme(f, settings);
}

static void read_bnb(struct form *f)
{
    bool four = quant_flag(f->config, "load_in_4bit") || quant_flag(f->config, "_load_in_4bit");
    bool dq = quant_flag(f->config, "bnb_4bit_use_double_quant");

    keep_lists(f);
    if (!four && !quant_flag(f->config, "load_in_8bit") &&
        !quant_flag(f->config, "_load_in_8bit")) {
        hf_fail(f->hf, "quantization_config", "", "neither load_in_4bit nor load_in_8bit is set");
        return;
    }
    f->rest = !four ? scheme_named(f, "int8-bnb")
              : dq  ? scheme_grouped(f, "nf4-dq", 4, 64, 1.015625)
                    : scheme_grouped(f, "nf4", 4, 64, 4);
    name_it(f->hf, "bitsandbytes %s", !four ? "int8" : dq ? "nf4 double quant" : "nf4");
}

/* quanto: a scale per row of 8 bit; a scale and a shift per 128 of fewer. */
static void read_quanto(struct form *f)
{
    const char *weights = word_of(f->config, "weights");

    keep_lists(f);
    if (strcmp(weights, "float8") == 0 || strncmp(weights, "qfloat8", 7) == 0)
        f->rest = scheme_grouped(f, "fp8", 8, 0, 2);
    else if (strstr(weights, "int4") != NULL || strstr(weights, "int2") != NULL)
        f->rest = scheme_grouped(f, "int4", strstr(weights, "4") != NULL ? 4 : 2, 128, 4);
    else if (weights[0] == '\0' || strstr(weights, "int8") != NULL)
        f->rest = scheme_grouped(f, "int8-gptq", 8, 0, 2);
    else
        quant_unknown(f->hf, "quantization_config.weights", weights);
    name_it(f->hf, "%.40s (quanto)", weights[0] != '\0' ? weights : "int8");
}

/* ---- codebooks and trellises ---- */

/* ExLlama: `bits` is the mean over the matrices, scales included; the head has its own. */
static void read_exl(struct form *f)
{
    double bits = json_number_value(json_object_get(f->config, "bits"));
    double head = json_number_value(json_object_get(f->config, "head_bits"));
    const char *key;
    const json_t *row;

    if (bits <= 0) {
        hf_fail(f->hf, "quantization_config.bits", HF_HINT, "missing");
        return;
    }
    json_object_foreach(json_object_get(f->config, "tensor_storage"), key, row)
    {
        double own = json_number_value(json_object_get(row, "bits_per_weight"));

        if (check_module(f, "tensor_storage", key, row))
            quant_rule(f->q, "", key,
                       own > 0 ? scheme_add(f, integer_id(own, 128, false, false),
                                            (struct format){.bits = own})
                               : QUANT_KEPT);
    }
    f->rest = scheme_add(f, integer_id(bits, 128, false, false), (struct format){.bits = bits});
    f->head = head > 0 && head < 16 ? scheme_add(f, integer_id(head, 128, false, false),
                                                 (struct format){.bits = head})
                                    : QUANT_KEPT;
    name_it(f->hf, "%.8s, %g bits a weight", f->method, bits);
}

/* AQLM: a code of some bits a group of inputs and codebook, a 16-bit scale a row, and the
 * codebooks of each matrix. */
static void read_aqlm(struct form *f)
{
    double in = quant_number(f->hf, f->config, "in_group_size", 8);
    double out = quant_number(f->hf, f->config, "out_group_size", 1);
    double books = quant_number(f->hf, f->config, "num_codebooks", 1);
    int code = quant_number(f->hf, f->config, "nbits_per_codebook", 16);
    double bits = books * code / (in * out);

    keep_lists(f);
    f->rest = scheme_add(f, integer_id(bits, 128, false, false),
                         (struct format){.bits = bits,
                                         .group_rows = 1,
                                         .group_bytes = 2,
                                         .tensor_bytes = books * ldexp(1, code) * in * out * 2});
    name_it(f->hf, "AQLM, %g codebooks of %d bit per %g inputs", books, code, in * out);
}

/* A number of a pair: [of outliers, of the rest]. */
static double second_of(const json_t *row, const char *key)
{
    return json_number_value(json_array_get(json_object_get(row, key), 1));
}

/* VPTQ: an index of a vector of inputs into a table of centroids, and of what is left into a
 * second one. */
static int vptq_scheme(struct form *f, const json_t *row)
{
    double length = second_of(row, "vector_lens"), main = second_of(row, "num_centroids");
    double left = second_of(row, "num_res_centroids");
    double groups = json_number_value(json_object_get(row, "group_num"));

    if (length < 1 || main < 2 || length > 1024 || main > 16777216 || left > 16777216)
        return QUANT_KEPT;
    double bits = (ceil(log2(main)) + (left >= 2 ? ceil(log2(left)) : 0)) / length;
    return scheme_add(f, integer_id(bits, 128, false, false),
                      (struct format){.bits = bits,
                                      .input_bytes = 4, /* order, weight and bias of each input */
                                      .tensor_bytes = fmin(fmax(groups, 1), 4096) * length *
                                                      (main + (left >= 2 ? left : 0)) * 2});
}

static void read_vptq(struct form *f)
{
    const char *key;
    const json_t *row;

    keep_lists(f);
    json_object_foreach(json_object_get(f->config, "config_for_layers"), key, row)
    {
        if (check_module(f, "config_for_layers", key, row))
            quant_rule(f->q, "", key, vptq_scheme(f, row));
    }
    f->rest = vptq_scheme(f, json_object_get(f->config, "shared_layer_config"));
    name_it(f->hf, "VPTQ");
}

/* SpQR: 3 bit, a scale and a zero point of 3 bit per 16, theirs of 16 bit per 16 x 16, and
 * outliers of 32 bit, of which only the tensors tell the number: about 1 in 100. */
static void read_spqr(struct form *f)
{
    keep_lists(f);
    f->rest = scheme_add(f, "int4", (struct format){.bits = 3 + 6.0 / 16 + 64.0 / 256 + 0.32});
    name_it(f->hf, "SpQR 3 bit");
}

static void read_bitnet(struct form *f)
{
    bool online = strcmp(word_of(f->config, "quantization_mode"), "online") == 0;

    keep_lists(f);
    f->rest = online ? QUANT_KEPT
                     : scheme_add(f, "int4-row", (struct format){.bits = 2, .tensor_bytes = 2});
    name_it(f->hf, "BitNet%s", online ? ", made ternary when it is loaded" : ", 2 bit");
}

/* FP4 of fp_quant and of Four Over Six; the weights they came from may be kept beside. */
static void read_fp4(struct form *f)
{
    const char *type = word_of(f->config, f->method[1] == 'p' ? "forward_dtype" : "dtype");
    const char *own = word_of(f->config, "weight_dtype");
    bool master = quant_flag(f->config, "store_master_weights") ||
                  quant_flag(f->config, "keep_master_weights");
    const char *id = strncmp(own[0] != '\0' ? own : type, "mx", 2) == 0 ? "mxfp4" : "nvfp4", *key;
    const json_t *row;

    keep_lists(f);
    json_object_foreach(json_object_get(f->config, "module_config_overrides"), key, row)
    {
        const char *dtype = word_of(row, "weight_dtype");

        if (check_module(f, "module_config_overrides", key, row))
            quant_rule(
                f->q, "", key,
                scheme_named(f, strncmp(dtype[0] ? dtype : id, "mx", 2) == 0 ? "mxfp4" : "nvfp4"));
    }
    struct format stored = *quant_format(f->q, scheme_named(f, id));
    if (quant_flag(f->config, "pseudoquantization"))
        f->rest = QUANT_KEPT;
    else if (master)
        stored.bits += 16, f->rest = quant_scheme(f->q, &stored);
    else
        f->rest = scheme_named(f, id);
    name_it(f->hf, "%s (%.20s)%s", id, f->method, master ? " beside 16-bit weights" : "");
}

/* Gemma's own: bits by expression, a scale a row; embeddings too where it says so. */
static void read_gemma(struct form *f)
{
    int bits = quant_number(f->hf, f->config, "num_bits", 4);
    const char *key;
    const json_t *row;

    keep_lists(f);
    json_object_foreach(json_object_get(f->config, "module_quant_configs"), key, row)
    {
        int own = quant_number(f->hf, row, "num_bits", bits);

        if (!check_module(f, "module_quant_configs", key, row) || bits_missing(f, "num_bits", own))
            continue;
        search_rule(f, key, scheme_grouped(f, integer_id(own, 0, false, false), own, 0, 2));
    }
    if (bits_missing(f, "num_bits", bits))
        return;
    f->rest = scheme_grouped(f, integer_id(bits, 0, false, false), bits, 0, 2);
    f->embed = quant_flag(f->config, "quantize_embeddings") ? f->rest : QUANT_KEPT;
    name_it(f->hf, "Gemma %d bit, a scale per row", bits);
}

/* ---- AMD's Quark ---- */

/* Of several steps the narrowest is what is stored: FP4 under a scale in FP8, INT4 that is
 * unpacked to FP8 (vLLM 0.33 quark.py). */
static const json_t *quark_weight(const json_t *layer)
{
    const json_t *weight = json_object_get(layer, "weight"), *row, *narrow = weight;
    double least = 0;
    size_t i;

    json_array_foreach(weight, i, row)
    {
        const char *type = word_of(row, "dtype");
        double bits = strtod(type + strcspn(type, "0123456789"), NULL);

        if (i == 0 || (bits > 0 && bits < least)) {
            narrow = row;
            least = bits > 0 ? bits : 32;
        }
    }
    return narrow;
}

static int quark_scheme(struct form *f, const json_t *layer)
{
    const json_t *weight = quark_weight(layer);

    if (!json_is_object(weight))
        return QUANT_KEPT;
    const char *type = word_of(weight, "dtype"), *scheme = word_of(weight, "qscheme");
    const char *scale = word_of(weight, "scale_format");
    const char *element = word_of(weight, "mx_element_dtype");
    int group = quant_number(f->hf, weight, "group_size", 0);
    bool e8m0 = strstr(scale, "e8m0") != NULL || strncmp(type, "mx", 2) == 0;
    const char *name = strcmp(type, "mx") == 0 && element[0] != '\0' ? element : type;

    if (strstr(name, "float16") != NULL || strstr(name, "int16") != NULL)
        return QUANT_KEPT;
    if (strncmp(name, "fp4", 3) == 0)
        return scheme_named(f, e8m0 || group != 16 ? "mxfp4" : "nvfp4");
    if (strncmp(name, "fp6", 3) == 0 || strcmp(name, "mx6") == 0)
        return scheme_named(f, "mxfp6");
    if (strncmp(name, "fp8", 3) == 0)
        return e8m0                                 ? scheme_named(f, "mxfp8")
               : strcmp(scheme, "per_channel") == 0 ? scheme_named(f, "fp8")
               : strcmp(scheme, "per_block") == 0   ? scheme_named(f, "fp8-block")
               : strcmp(scheme, "per_group") == 0   ? scheme_grouped(f, "fp8", 8, group, 4)
                                                    : scheme_named(f, "fp8-tensor");
    if (strstr(name, "int") != NULL) {
        double bits = strtod(strstr(name, "int") + 3, NULL);
        bool zeros = name[0] == 'u' || json_is_false(json_object_get(weight, "symmetric"));

        if (bits == 8 && json_is_object(json_object_get(layer, "input_tensors")))
            return scheme_named(f, "int8");
        if (bits >= 1 && bits <= 8)
            return scheme_integer(f, bits, strcmp(scheme, "per_group") == 0 ? group : 0, zeros,
                                  false);
    }
    if (strcmp(name, "mx9") == 0)
        return scheme_grouped(f, "mxfp8", 9, 0, 0);
    quant_unknown(f->hf, "quantization_config.global_quant_config.weight.dtype", name);
    return QUANT_KEPT;
}

static void read_quark(struct form *f)
{
    const json_t *all = json_object_get(f->config, "global_quant_config"), *row;
    const json_t *kinds = json_object_get(f->config, "layer_type_quant_config");
    json_t *kv = json_object_get(f->config, "kv_cache_quant_config");
    const json_t *first;
    const char *key, *word = "";

    keep_lists(f);
    json_object_foreach(json_object_get(f->config, "layer_quant_config"), key, row)
        quant_rule(f->q, "", key, quark_scheme(f, row));
    first =
        json_is_object(json_object_get(kinds, "Linear")) ? json_object_get(kinds, "Linear") : all;
    f->rest = f->head = quark_scheme(f, first);
    json_object_foreach(kv, key, row) word =
        word_of(json_object_get(row, "output_tensors"), "dtype");
    const char *type = word_of(quark_weight(first), "dtype");
    if (strstr(type, "int") != NULL || strncmp(type, "fp6", 3) == 0)
        name_variant(f, "%.8s", type);
    if (strncmp(word, "fp8", 3) == 0)
        gp_copy(f->hf->model->native_kv, FORMAT_ID_MAX, "fp8");
    name_it(f->hf, "%.30s (Quark)", type);
}

/* ---- PyTorch's torchao ---- */

/* {"_type": "PerGroup", "_data": {"group_size": 32}} and the like: what a value holds. */
static const json_t *ao_inside(const json_t *value)
{
    const json_t *data = json_object_get(value, "_data");

    return data != NULL ? data : value;
}

static int ao_group(struct form *f, const json_t *data, int fallback)
{
    const json_t *grain = json_object_get(data, "granularity");

    if (!json_is_object(grain))
        grain = json_object_get(data, "weight_granularity");
    if (json_is_object(grain) && strcmp(word_of(grain, "_type"), "PerAxis") == 0)
        return 0;
    if (json_is_object(grain))
        data = ao_inside(grain);
    return quant_number(f->hf, data, "group_size", fallback);
}

/* int4 of "Int4WeightOnlyConfig", "int4_weight_only", or of its weight_dtype. */
static int ao_bits(const json_t *data, const char *type)
{
    const json_t *dtype = json_object_get(data, "weight_dtype");
    const char *word = json_string_value(ao_inside(dtype));
    const char *at = word != NULL ? strstr(word, "int") : NULL;

    if (at == NULL) { /* the last number of Int8DynamicActivationInt4Weight */
        at = strstr(type, "nt4") != NULL ? "int4" : strstr(type, "nt8") != NULL ? "int8" : "int4";
        if (strstr(type, "Int4Weight") == NULL && strstr(type, "Int8Weight") != NULL)
            at = "int8";
    }
    return at[3] >= '1' && at[3] <= '8' ? at[3] - '0' : 8;
}

static int ao_scheme(struct form *f, const char *type, const json_t *data)
{
    char low[64];

    lower_word(type, low);
    bool rows = strstr(json_string_value(json_object_get(data, "granularity"))
                           ? word_of(data, "granularity")
                           : word_of(json_is_array(json_object_get(data, "granularity"))
                                         ? json_array_get(json_object_get(data, "granularity"), 0)
                                         : json_object_get(data, "granularity"),
                                     "_type"),
                       "Row") != NULL;
    if (strstr(low, "nvfp4") != NULL)
        return scheme_named(f, "nvfp4");
    if (strncmp(low, "mx", 2) == 0) {
        const char *element = json_string_value(ao_inside(json_object_get(data, "weight_dtype")));

        return scheme_named(f, element != NULL && strstr(element, "float4") != NULL ? "mxfp4"
                                                                                    : "mxfp8");
    }
    if (strstr(low, "int4weight") != NULL || strstr(low, "int4_weight") != NULL ||
        strstr(low, "intx") != NULL || strstr(low, "fpx") != NULL) {
        int bits = ao_bits(data, type),
            group = ao_group(f, data, strstr(low, "dynamic") ? 32 : 128);
        const char *packing = word_of(data, "intx_packing_format");
        bool loose = strstr(low, "intx") != NULL &&
                     (packing[0] == '\0' || strstr(packing, "unpacked") != NULL);

        /* IntX keeps a byte for each element; tinygemm a scale and a zero point a group */
        return scheme_grouped(f, integer_id(bits, group, true, false), loose ? 8 : bits, group, 4);
    }
    if (strstr(low, "float8") != NULL)
        return rows || strstr(low, "weight_only") != NULL || strstr(low, "weightonly") != NULL
                   ? scheme_named(f, "fp8")
                   : scheme_named(f, "fp8-tensor");
    if (strstr(low, "int8") != NULL)
        return strstr(low, "activation") != NULL ? scheme_named(f, "int8")
                                                 : scheme_grouped(f, "int8-gptq", 8, 0, 2);
    quant_unknown(f->hf, "quantization_config.quant_type", type);
    return QUANT_KEPT;
}

static int ao_object(struct form *f, const json_t *value)
{
    return json_is_object(value) ? ao_scheme(f, word_of(value, "_type"), ao_inside(value))
                                 : QUANT_KEPT;
}

static void read_torchao(struct form *f)
{
    const json_t *type = json_object_get(f->config, "quant_type"), *row;
    const json_t *one = json_object_get(type, "default");
    const char *key, *word = json_string_value(type);

    keep_lists(f);
    if (one == NULL)
        one = type;
    if (word != NULL) {
        f->rest = ao_scheme(f, word, json_object_get(f->config, "quant_type_kwargs"));
    } else if (strstr(word_of(one, "_type"), "FqnToConfig") != NULL) {
        const json_t *data = ao_inside(one);
        json_t *of = json_object_get(data, "fqn_to_config");

        if (of == NULL)
            of = json_object_get(data, "module_fqn_to_config");
        json_object_foreach(of, key, row) if (strcmp(key, "_default") != 0)
            quant_rule(f->q, "", key, ao_object(f, row));
        f->rest = ao_object(f, json_object_get(of, "_default"));
    } else if (json_is_object(one)) {
        f->rest = ao_object(f, one);
    } else {
        hf_fail(f->hf, "quantization_config.quant_type", HF_HINT, "missing");
    }
    if (quant_flag(f->config, "include_input_output_embeddings"))
        f->embed = f->head = f->rest;
    name_it(f->hf, "%.40s (torchao)", word != NULL ? word : word_of(one, "_type"));
}

/* ---- compressed-tensors ---- */

/* One weights scheme; -1: of no known form. `format` says how the values lie. */
static int group_scheme(struct form *f, const json_t *group, const char *format)
{
    const json_t *weights = json_object_get(group, "weights");
    const json_t *block = json_object_get(weights, "block_structure");
    const char *own = word_of(group, "format"), *strategy = word_of(weights, "strategy");
    int bits = quant_number(f->hf, weights, "num_bits", 8);
    int size = quant_number(f->hf, weights, "group_size", 0);
    bool symmetric = !json_is_false(json_object_get(weights, "symmetric"));
    bool activations = json_is_object(json_object_get(group, "input_activations"));
    bool indexed = strcmp(word_of(weights, "actorder"), "group") == 0;
    const char *sparse = word_of(json_object_get(f->config, "sparsity_config"), "format");
    bool half = strstr(sparse, "24") != NULL;

    format = own[0] != '\0' ? own : format;
    half |= strstr(format, "24") != NULL;
    if (strcmp(format, "dense") == 0)
        return QUANT_KEPT; /* trained for it, stored in 16 bit */
    if (half)
        name_variant(f, "2:4");
    else if (bits == 4 && strcmp(word_of(weights, "type"), "float") != 0 &&
             strcmp(word_of(json_object_get(group, "input_activations"), "type"), "float") == 0)
        name_variant(f, "w4afp8");
    else if (strcmp(word_of(weights, "type"), "float") != 0 && bits != 4 && bits != 8)
        name_variant(f, "int%d", bits);
    else if (size == 32 && strcmp(word_of(weights, "type"), "float") == 0)
        name_variant(f, "mxfp%d", bits);
    int scheme = -1;
    if (strcmp(word_of(weights, "type"), "float") == 0) {
        if (bits == 4)
            scheme = size == 16   ? scheme_named(f, "nvfp4")
                     : size == 32 ? scheme_named(f, "mxfp4")
                                  : -1;
        else if (bits == 6 && size == 32)
            scheme = scheme_named(f, "mxfp6");
        else if (bits == 8)
            scheme = size == 32             ? scheme_named(f, "mxfp8")
                     : json_is_array(block) ? scheme_block(f, "fp8-block", block_side(block, 0, 1),
                                                           block_side(block, 1, 1), 4)
                     : strcmp(strategy, "block") == 0  ? scheme_named(f, "fp8-block")
                     : strcmp(strategy, "tensor") == 0 ? scheme_named(f, "fp8-tensor")
                     : size > 0                        ? scheme_grouped(f, "fp8", 8, size, 4)
                                                       : scheme_named(f, "fp8");
    } else if (bits <= 8) {
        bool loose = strcmp(format, "int-quantized") == 0 || strcmp(format, "naive-quantized") == 0;

        if (bits == 8 && (size == 0 || activations))
            scheme = scheme_named(f, "int8");
        else
            scheme = scheme_integer(f, loose ? 8 : bits, size, !symmetric, indexed || bits == 8);
    }
    if (scheme > 0 && half) { /* two values of four, and which they are */
        struct format kept = *quant_format(f->q, scheme);

        kept.bits = kept.bits / 2 + 1;
        scheme = quant_scheme(f->q, &kept);
    }
    return scheme;
}

static bool check_group(struct hf *hf, const char *name, const json_t *group)
{
    char shown[32], path[96];

    safe_text(shown, sizeof shown, name, strlen(name));
    snprintf(path, sizeof path, "quantization_config.config_groups.%s", shown);
    if (!json_is_object(group))
        hf_fail(hf, path, HF_HINT, "must be an object");
    CHECK(hf, path, group, group_fields);
    if (hf->rc == GP_OK && json_object_get(group, "weights") == NULL)
        hf_fail(hf, path, HF_HINT, "has no weights");
    snprintf(path, sizeof path, "quantization_config.config_groups.%s.weights", shown);
    CHECK(hf, path, hf_present(group, "weights"), scheme_fields);
    return hf->rc == GP_OK;
}

/* Classes of linear layers: all of them. */
static bool is_class(const char *text)
{
    return strstr(text, "Linear") != NULL && strpbrk(text, ".*\\") == NULL;
}

static void read_group(struct form *f, const json_t *group)
{
    const json_t *targets = json_object_get(group, "targets");
    int scheme = hf_present(group, "weights") == NULL
                     ? QUANT_KEPT /* activations or the cache alone */
                     : group_scheme(f, group, word_of(f->config, "format"));

    if (scheme < 0) {
        hf_fail(f->hf, "quantization_config.config_groups", "",
                "weights of this num_bits, type and group_size are not supported");
        return;
    }
    if (f->hf->model->native_name[0] == '\0' && scheme != QUANT_KEPT)
        name_it(f->hf, "%s (compressed-tensors)", quant_format(f->q, scheme)->id);
    /* "Linear" means every linear layer */
    bool all = json_array_size(targets) == 0;
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const char *text = json_string_value(json_array_get(targets, i));

        if (text == NULL)
            continue;
        all |= is_class(text);
        if (strcmp(text, "Embedding") == 0)
            f->embed = scheme;
        if (!is_class(text))
            quant_rule(f->q, "", text, scheme);
    }
    if (all)
        f->rest = f->head = scheme;
}

/* ModelOpt's word. */
static void read_kv_word(struct hf *hf, const char *key, const char *word)
{
    static const char *const words[][2] = {
        {"FP8", "fp8"}, {"NVFP4", "nvfp4"}, {"INT8", "int8"}, {"FP8_AFFINE", "fp8"}};
    char path[64];

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (gp_casecmp(word, words[i][0]) == 0)
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

static void read_compressed(struct form *f)
{
    json_t *groups = json_object_get(f->config, "config_groups");
    const char *key;
    json_t *group;

    f->hf->model->native_name[0] = '\0';
    keep_lists(f);
    if (json_object_size(groups) == 0 || json_object_size(groups) > 64)
        hf_fail(f->hf, "quantization_config.config_groups", "", "is empty or has too many entries");
    json_object_foreach(groups, key, group)
    {
        if (check_group(f->hf, key, group))
            read_group(f, group);
    }
    read_kv_scheme(f->hf, f->config);
    if (f->hf->model->native_name[0] == '\0')
        name_it(f->hf, "%s (compressed-tensors)", f->hf->model->native_dtype);
}

/* ---- ModelOpt ---- */

static const struct {
    const char *id, *algos;
} algos[] = {
    {"fp8-tensor", "fp8"},
    {"fp8", "fp8_per_channel_per_token fp8_pc_pt"},
    {"fp8-block", "fp8_pb_wo fp8_pb_real fp8_block_scales"},
    {"nvfp4", "nvfp4 nvfp4_awq nvfp4_svdquant w4a16_nvfp4 w4a8_nvfp4_fp8"},
    {"mxfp4", "mxfp4 w4a8_mxfp4_fp8 w4a16_mxfp4"},
    {"mxfp8", "mxfp8"},
    {"int4-awq", "w4a16_awq int4_awq w4a8_awq"},
    {"int4", "w4a16"},
    {"int8", "w8a8_sq_per_channel w8a8_sq_per_channel_per_token_plugin int8_sq int8"},
    {"int8-gptq", "int8_wo w8a16"},
};

/* -1: no algorithm of this name. group_size or block_size: of the integers'. */
static int algo_scheme(struct form *f, const json_t *row, const char *algo)
{
    int group =
        quant_number(f->hf, row, "group_size", quant_number(f->hf, row, "awq_block_size", 128));

    char low[64];

    lower_word(algo, low);
    for (size_t i = 0; i < sizeof algos / sizeof algos[0]; i++) {
        if (!gp_has_word(algos[i].algos, " ", low))
            continue;
        if (strncmp(algos[i].id, "int4", 4) == 0)
            return scheme_integer(f, 4, group, algos[i].id[4] == '-', false);
        if (strcmp(algos[i].id, "int8-gptq") == 0)
            return scheme_grouped(f, algos[i].id, 8, 0, 2);
        return scheme_named(f, algos[i].id);
    }
    return -1;
}

/* quantized_layers: module -> {quant_algo}. */
static void read_mixed(struct form *f, json_t *layers)
{
    const char *module;
    char shown[64], path[112];
    json_t *row;

    json_object_foreach(layers, module, row)
    {
        const char *algo = word_of(row, "quant_algo");
        int scheme;

        safe_text(shown, sizeof shown, module, strlen(module));
        snprintf(path, sizeof path, "quantized_layers.%s", shown);
        if (!check_module(f, "quantized_layers", module, row))
            return;
        scheme = gp_casecmp(algo, "none") == 0 ? QUANT_KEPT : algo_scheme(f, row, algo);
        if (scheme < 0)
            quant_unknown(f->hf, path, algo);
        else
            quant_rule(f->q, "", module, scheme);
    }
}

static void read_modelopt(struct form *f)
{
    const char *algo = word_of(f->config, "quant_algo");
    json_t *layers = json_object_get(f->config, "quantized_layers");
    int scheme = algo_scheme(f, f->config, algo);

    read_kv_word(f->hf, "kv_cache_quant_algo", word_of(f->config, "kv_cache_quant_algo"));
    read_kv_scheme(f->hf, f->config);
    keep_lists(f);
    if (json_is_object(layers))
        read_mixed(f, layers);
    char low[64];
    lower_word(algo, low);
    if (strcmp(f->method, "modelopt") == 0 && low[0] != '\0' && strcmp(low, "fp8") != 0)
        name_variant(f, "%s", low);
    if (scheme > 0)
        f->rest = f->head = scheme;
    else if (json_is_object(json_object_get(f->config, "config_groups")))
        read_compressed(f);
    else if (!json_is_object(layers) && (algo[0] != '\0' || f->hf->model->native_kv[0] == '\0'))
        quant_unknown(f->hf, "quantization_config.quant_algo", algo);
    name_it(f->hf, "%.60s (ModelOpt)", algo);
}

/* ---- MLX ---- */

/* "affine": a scale and a bias of 16 bit a group; else by the names of the modes. */
static int mlx_scheme(struct form *f, const json_t *row, int bits, int group, const char *mode)
{
    static const char *const ids[] = {"mlx-2bit", "mlx-2bit", "mlx-2bit", "mlx-3bit", "mlx-4bit",
                                      "mlx-5bit", "mlx-6bit", "mlx-8bit", "mlx-8bit"};
    const char *own = word_of(row, "mode");

    mode = own[0] != '\0' ? own : row != NULL ? "affine" : mode; /* to_quantized()'s default */
    bits = quant_number(f->hf, row, "bits", bits);
    group = quant_number(f->hf, row, "group_size", group);
    if (strcmp(mode, "nvfp4") == 0)
        return scheme_grouped(f, "mlx-4bit", 4, 16, 1);
    if (strcmp(mode, "mxfp4") == 0 || strcmp(mode, "mxfp8") == 0)
        return scheme_grouped(f, mode[4] == '4' ? "mlx-4bit" : "mlx-8bit", mode[4] - '0', 32, 1);
    if (bits < 1 || bits > 8)
        return QUANT_KEPT;
    return scheme_grouped(f, ids[bits], bits, group, 4);
}

/* Every matrix, embedding and head too; a module's own row, or false, goes before. */
static void read_mlx(struct form *f)
{
    int bits = quant_number(f->hf, f->config, "bits", 0);
    int group = quant_number(f->hf, f->config, "group_size", 0);
    const char *mode = word_of(f->config, "mode"), *key;
    const json_t *row;

    if (mode[0] == '\0' || strcmp(mode, "affine") == 0) {
        if (bits == 0 || bits > 8)
            hf_fail(f->hf, "quantization.bits", HF_HINT,
                    bits == 0 ? "missing" : "%d is not supported, only 2..8 are", bits);
        else if (group == 0)
            hf_fail(f->hf, "quantization.group_size", HF_HINT, "must be a whole number of 1..%d",
                    GROUP_TOP);
    } else if (strcmp(mode, "mxfp4") != 0 && strcmp(mode, "mxfp8") != 0 &&
               strcmp(mode, "nvfp4") != 0) {
        quant_unknown(f->hf, "quantization.mode", mode);
    }
    keep_lists(f);
    json_object_foreach(f->config, key, row)
    {
        if (json_is_false(row) && strchr(key, '.') != NULL)
            quant_rule(f->q, "", key, QUANT_KEPT);
        else if (json_is_object(row) && f->hf->rc == GP_OK && check_module(f, "mlx", key, row))
            quant_rule(f->q, "", key, mlx_scheme(f, row, bits, group, mode));
    }
    if (f->hf->rc != GP_OK)
        return;
    f->rest = f->embed = f->head = mlx_scheme(f, NULL, bits, group, mode);
    if (mode[0] != '\0' && strcmp(mode, "affine") != 0)
        name_it(f->hf, "MLX %.10s", mode);
    else
        name_it(f->hf, "MLX %d bit, group %d", bits, group);
    checkpoint_note(f->hf->model, "MLX quantization runs on Apple hardware");
}

/* ---- dispatch ---- */

/* What converts every linear layer takes those of towers, too: the others walk the layers of the
 * language model. */
static const struct {
    const char *methods;
    void (*read)(struct form *f);
    double low, high; /* what the file may hold beside the count: scales, padding, tables */
    bool towers;
} forms[] = {
    {"fp8", read_fp8, 0.995, 1.01, true},
    {"fbgemm_fp8 ptpc_fp8 w8a8_fp8 deepspeedfp mxfp8 nvfp4 petit_nvfp4 w8a8_int8 experts_int8 "
     "tpu_int8 eetq",
     read_plain, 0.99, 1.01, true},
    {"mxfp4", read_mxfp4, 0.99, 1.01, false},
    {"blockwise_int8", read_int8_block, 0.99, 1.01, true},
    {"w4afp8", read_w4afp8, 0.98, 1.02, true},
    {"gptq awq gptq_marlin gptq_marlin_24 gptq_bitblas awq_marlin cpu_awq marlin gptq_v2 ipex_awq",
     read_gptq_awq, 0.985, 1.015, false},
    {"auto-round auto_round autoround intel/auto-round inc", read_autoround, 0.98, 1.02, false},
    {"sinq qqq squeezellm rtn bitblas moe_wna16 higgs ipex neuron_quant", read_groups, 0.96, 1.04,
     false},
    {"hqq", read_hqq, 0.97, 1.03, true},
    {"bitsandbytes", read_bnb, 0.98, 1.02, true},
    {"quanto", read_quanto, 0.97, 1.03, true},
    {"exl2 exl3", read_exl, 0.96, 1.04, false},
    {"aqlm", read_aqlm, 0.97, 1.03, false},
    {"vptq", read_vptq, 0.9, 1.1, false},
    {"spqr", read_spqr, 0.9, 1.1, false},
    {"bitnet", read_bitnet, 0.97, 1.03, false},
    {"fp_quant fouroversix", read_fp4, 0.98, 1.02, true},
    {"gemma", read_gemma, 0.97, 1.03, false},
    {"quark", read_quark, 0.985, 1.015, true},
    {"torchao", read_torchao, 0.97, 1.03, true},
    {"compressed-tensors compressed_tensors sparseml", read_compressed, 0.985, 1.015, true},
    {"modelopt modelopt_fp4 modelopt_fp8 modelopt_mixed modelopt_mxfp8", read_modelopt, 0.985,
     1.015, true},
    {"metal mlx", read_mlx, 0.985, 1.015, false},
};

/* A method without a form: the shape is whole, the bytes are not known. */
static void leave_unread(struct hf *hf, const char *method)
{
    char shown[64];

    safe_text(shown, sizeof shown, method, strlen(method));
    gp_copy(hf->model->native_unread, sizeof hf->model->native_unread,
            shown[0] != '\0' ? shown : "unnamed");
    name_it(hf, "unknown method \"%s\"", shown);
}

static void read_form(struct hf *hf, json_t *config, const char *method)
{
    char low[64];
    struct form f = {.hf = hf, .config = config, .method = low};
    size_t i = 0;

    lower_word(method, low);
    while (i < sizeof forms / sizeof *forms && !gp_has_word(forms[i].methods, " ", low))
        i++;
    if (i == sizeof forms / sizeof *forms) {
        leave_unread(hf, method);
        return;
    }
    gp_copy(hf->model->native_method, sizeof hf->model->native_method, low);
    f.q = quant_new(hf);
    f.towers = forms[i].towers;
    forms[i].read(&f);
    if (f.towers)
        quant_role(f.q, ROLE_VISION, f.rest);
    quant_count(f.q, f.rest, f.embed, f.head);
    hf->model->bytes.low = forms[i].low;
    hf->model->bytes.high = forms[i].high;
    quant_free(f.q);
}

/* Legacy Quark exports call themselves "fp8" or "awq"; the first releases of others leave the
 * method out, and so do the files beside config.json of AutoAWQ and AutoGPTQ. */
static const char *method_of(const json_t *config)
{
    static const char *const own[][2] = {
        {"global_quant_config", "quark"},
        {"load_in_4bit", "bitsandbytes"},
        {"load_in_8bit", "bitsandbytes"},
        {"quant_algo", "modelopt"},
        {"config_groups", "compressed-tensors"},
        {"w_bit", "awq"},
        {"desc_act", "gptq"},
    };
    const char *method = word_of(config, "quant_method");

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if ((i == 0 || method[0] == '\0') && json_object_get(config, own[i][0]) != NULL &&
            (i > 2 || !json_is_false(json_object_get(config, own[i][0]))))
            return own[i][1];
    return method;
}

/* A file beside config.json, which errors name: ModelOpt's has its settings under
 * "quantization". */
static void read_side(struct hf *hf, json_t *side)
{
    json_t *inner = hf_present(side, "quantization");
    json_t *config = inner != NULL ? inner : side;
    const char *where = hf->where, *method = method_of(config);

    hf->where = hf->side_where;
    if (!json_is_object(config))
        hf_fail(hf, "quantization", HF_HINT, "must be an object");
    check_config(hf, "quantization", config);
    if (hf->rc == GP_OK && method[0] == '\0' && inner == NULL)
        hf_fail(hf, "quantization", HF_HINT, "missing");
    if (hf->rc == GP_OK)
        read_form(hf, config, inner != NULL ? "modelopt" : method);
    hf->where = where;
}

void hfquant_read(struct hf *hf, json_t *side)
{
    json_t *config = hf_get(hf, "quantization_config");
    json_t *mlx = hf_get(hf, "quantization");

    if (config == NULL)
        config = hf_get(hf, "compression_config");
    check_config(hf, "quantization_config", config);
    check_config(hf, "quantization", mlx);
    if (hf->rc != GP_OK)
        return;
    if (config != NULL && method_of(config)[0] != '\0')
        read_form(hf, config, method_of(config));
    else if (side != NULL)
        read_side(hf, side);
    else if (mlx != NULL)
        read_form(hf, mlx, "mlx");
    else if (config != NULL)
        leave_unread(hf, "");
}
