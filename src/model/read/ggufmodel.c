/*
 * ggufmodel.c - GGUF metadata and tensors to a model's shape.
 *
 * Sizes of heads, windows, latents and states come from the keys under the
 * architecture's name; what is there at all comes from the tensors. The table of
 * architectures holds what neither tells: which recurrence an architecture's ssm_
 * tensors are, and which layers slide where the file has no pattern (llama.cpp 0c1e57098,
 * src/models/NAME.cpp). One that is not in it is planned with the attention that its
 * tensors show, all of it cached, and said to be assumed.
 *
 * llama.cpp caches every layer of llama and phi3 files in full even where a window is
 * named, so these get none.
 *
 * Metadata says how many heads there are; the tensors say the rest without any table
 * of architectures: a bias is there or it is not, ffn_down's row length is the width of
 * the MLP, the third dimension of ffn_down_exps is the number of experts. One table
 * maps tensor names to the figures they carry (GGUF lists the row length first).
 *
 * Example: blk.0.ffn_down_exps.weight of 768 x 2048 x 128: 128 experts, 768 wide.
 *
 * Example: qwen3 with head_count 32, head_count_kv 8, key_length 128 caches 2*8*128
 * elements per token and layer.
 */
#include "model/read/gguf.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/read/jscan.h"
#include "model/read/tensors.h"

/* ---- what tensors tell ---- */

enum { IS_THERE = -1, ELEMENTS = -2 };

struct fact {
    const char *name;
    size_t offset;
    int dim; /* 0 = row length, 1 = rows, 2 = copies, or one of the above */
};

#define LAYER(field) offsetof(struct gguf_layer, field)
#define WHOLE(field) offsetof(struct gguf_facts, field)

static const struct fact layer_facts[] = {
    {"attn_q.weight", LAYER(q_rows), 1},
    {"attn_k.weight", LAYER(k_rows), 1},
    {"attn_v.weight", LAYER(v_rows), 1},
    {"attn_qkv.weight", LAYER(qkv_rows), 1},
    {"attn_q.bias", LAYER(q_bias), 0},
    {"attn_qkv.bias", LAYER(qkv_bias), 0},
    {"attn_output.bias", LAYER(o_bias), 0},
    {"attn_sinks.weight", LAYER(sinks), 0},
    {"attn_sinks", LAYER(sinks), 0},
    {"attn_q_norm.weight", LAYER(q_norm), ELEMENTS},
    {"attn_q_a.weight", LAYER(q_lora), 1},
    {"attn_kv_a_mqa.weight", LAYER(kv_a_rows), 1},
    {"indexer.attn_q_b.weight", LAYER(index_q_rows), 1},
    {"indexer.attn_k.weight", LAYER(index_k_rows), 1},
    {"ffn_down.weight", LAYER(ff), 0},
    {"ffn_up.weight", LAYER(up_rows), 1},
    {"ffn_gate.weight", LAYER(ff_gate), IS_THERE},
    {"ffn_down.bias", LAYER(down_bias), IS_THERE},
    {"ffn_down_exps.weight", LAYER(expert_ff), 0},
    {"ffn_down_exps.weight", LAYER(experts), 2},
    {"ffn_gate_exps.weight", LAYER(expert_gate), IS_THERE},
    {"ffn_gate_up_exps.weight", LAYER(expert_gate), IS_THERE},
    {"ffn_down_exps.bias", LAYER(expert_bias), IS_THERE},
    {"ffn_gate_inp.bias", LAYER(router_bias), IS_THERE},
    {"exp_probs_b.bias", LAYER(router_bias), IS_THERE},
    {"exp_probs_b", LAYER(router_bias), IS_THERE},
    {"ffn_down_shexp.weight", LAYER(shared_ff), 0},
    {"ffn_gate_inp_shexp.weight", LAYER(shared_gate), IS_THERE},
    {"ffn_latent_down.weight", LAYER(latent), 1},
    {"ssm_conv1d.weight", LAYER(conv_kernel), 0},
    {"shortconv.conv.weight", LAYER(conv_kernel), 0},
};

static const struct fact whole_facts[] = {
    {"token_embd.weight", WHOLE(hidden), 0},
    {"token_embd.weight", WHOLE(vocab), 1},
    {"output.weight", WHOLE(head), IS_THERE},
    {"output_norm.weight", WHOLE(final_norm), IS_THERE},
    {"output_norm.bias", WHOLE(final_norm_bias), IS_THERE},
    {"token_embd_norm.weight", WHOLE(embed_norm), IS_THERE},
    {"position_embd.weight", WHOLE(positions), 1},
};

/* Norms over the hidden width. */
static const char *const norm_names[] = {
    "attn_norm",       "attn_norm_2",       "attn_output_norm", "post_attention_norm",
    "ffn_norm",        "post_ffw_norm",     "pre_ffw_norm_2",   "post_ffw_norm_1",
    "post_ffw_norm_2", "layer_output_norm", "ffn_norm_exps",
};

static int clip_int(double value)
{
    return value >= 0 && value <= INT_MAX ? (int)value : INT_MAX;
}

static double elements_of(const struct file_tensor *tensor)
{
    double elements = 1;

    for (int d = 0; d < tensor->rank; d++)
        elements *= tensor->dims[d];
    return elements;
}

static void note_facts(const struct fact *table, size_t count, void *base, const char *name,
                       const struct file_tensor *tensor)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            int dim = table[i].dim, value = 1; /* IS_THERE */

            if (dim == ELEMENTS)
                value = clip_int(elements_of(tensor));
            else if (dim != IS_THERE && dim < tensor->rank)
                value = clip_int(tensor->dims[dim]);

            memcpy((char *)base + table[i].offset, &value, sizeof value);
        }
    }
}

static void note_norm(struct gguf_layer *layer, const char *name)
{
    size_t len = strcspn(name, ".");

    for (size_t i = 0; i < sizeof norm_names / sizeof norm_names[0]; i++) {
        if (strlen(norm_names[i]) != len || strncmp(norm_names[i], name, len) != 0)
            continue;
        if (strcmp(name + len, ".weight") == 0)
            layer->norms++;
        else if (strcmp(name + len, ".bias") == 0)
            layer->norm_biases++;
    }
}

bool gguf_facts_add(struct gguf_facts *facts, const struct file_tensor *tensor)
{
    struct gguf_layer *layer;
    char *rest;
    long number;

    facts->elements += elements_of(tensor);
    if (strncmp(tensor->name, "blk.", 4) != 0 || tensor->name[4] < '0' || tensor->name[4] > '9') {
        note_facts(whole_facts, sizeof whole_facts / sizeof whole_facts[0], facts, tensor->name,
                   tensor);
        return true;
    }
    number = strtol(tensor->name + 4, &rest, 10);
    if (number < 0 || number >= MODEL_MAX_LAYERS || *rest != '.')
        return false;
    layer = &facts->layer[number];
    layer->tensors++;
    layer->elements += elements_of(tensor);
    note_facts(layer_facts, sizeof layer_facts / sizeof layer_facts[0], layer, rest + 1, tensor);
    note_norm(layer, rest + 1);
    return true;
}

/* ---- architectures ---- */

/* Architectures of general.architecture. */
struct gguf_arch {
    const char *names;
    int pattern;    /* every n-th layer is full, the others slide, of -n the first of
                     * n; 0 = all full */
    enum mixer ssm; /* what ssm_ tensors are */
    int chunk;      /* the sliding layers are chunks of this */
};

static const struct gguf_arch archs[] = {
    {"llama4", .pattern = 4, .chunk = 8192},
    {"gemma2 gpt-oss", .pattern = 2},
    {"gemma3 gemma4", .pattern = 6},
    {"cohere2 olmo2 exaone4 afmoe exaone-moe mellum muse-glimmer mimo2 step35 granite_swa spark2_5",
     .pattern = 4},
    {"plamo3", .pattern = 8},
    {"cohere2moe laguna smallthinker", .pattern = -4},
    {"qwen3next qwen35 qwen35moe", .ssm = MIXER_DELTANET},
    {"nemotron_h nemotron_h_moe mamba2 granitehybrid", .ssm = MIXER_MAMBA2},
    {"jamba mamba", .ssm = MIXER_MAMBA1},
    {"lfm2 lfm2moe", .ssm = MIXER_CONV},
    /* all layers see the whole context; and the encoders */
    {"llama mistral3 qwen2 qwen2moe qwen2vl qwen3 qwen3moe qwen3vl qwen3vlmoe gemma phi2 phi3 "
     "phimoe "
     "deepseek deepseek2 glm-dsa glm4 glm4moe chatglm command-r falcon gpt2 gptneox bloom "
     "starcoder "
     "starcoder2 stablelm nemotron granite granitemoe minimax-m2 olmo olmoe internlm2 baichuan "
     "exaone "
     "seed_oss smollm3 ernie4_5 ernie4_5-moe hunyuan-moe hunyuan-dense dots1 bailingmoe deci "
     "bailingmoe2 apertus arcee arctic bitnet codeshell dbrx gptj grok grovemoe hunyuan_vl hy_v3 "
     "jais "
     "jais2 maincoder minicpm minicpm3 mistral4 mpt orion paddleocr pangu-embedded plamo plm qwen "
     "refact xverse bert nomic-bert nomic-bert-moe neo-bert modern-bert eurobert jina-bert-v2 "
     "jina-bert-v3 gemma-embedding llama-embed",
     .pattern = 0},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* general.file_type, the mixes of llama.cpp. */
static const struct {
    int type;
    const char *name;
} file_types[] = {
    {0, "F32"},      {1, "F16"},      {2, "Q4_0"},       {3, "Q4_1"},    {7, "Q8_0"},
    {8, "Q5_0"},     {9, "Q5_1"},     {10, "Q2_K"},      {11, "Q3_K_S"}, {12, "Q3_K_M"},
    {13, "Q3_K_L"},  {14, "Q4_K_S"},  {15, "Q4_K_M"},    {16, "Q5_K_S"}, {17, "Q5_K_M"},
    {18, "Q6_K"},    {19, "IQ2_XXS"}, {20, "IQ2_XS"},    {21, "Q2_K_S"}, {22, "IQ3_XS"},
    {23, "IQ3_XXS"}, {24, "IQ1_S"},   {25, "IQ4_NL"},    {26, "IQ3_S"},  {27, "IQ3_M"},
    {28, "IQ2_S"},   {29, "IQ2_M"},   {30, "IQ4_XS"},    {31, "IQ1_M"},  {32, "BF16"},
    {36, "TQ1_0"},   {37, "TQ2_0"},   {38, "MXFP4_MOE"},
};

struct build {
    const struct gguf_meta *meta;
    const struct gguf_facts *facts;
    const struct gguf_arch *arch;
    char name[64]; /* general.architecture, which begins its keys */
    struct model *model;
    struct gp_err *err;
    enum gp_status rc;
};

/* ---- keys ---- */

static void fail_key(struct build *b, const char *key, const char *what)
{
    char where[192];

    if (b->rc != GP_OK)
        return;
    snprintf(where, sizeof where, "%s: %s.%s", b->meta->where, b->name, key);
    b->rc = gp_fail(b->err, GP_E_FILE, where, "", "%s", what);
}

static int whole_number(struct build *b, const char *key, double value)
{
    if (value >= 0 && value <= INT_MAX && floor(value) == value)
        return (int)value;
    fail_key(b, key, "not a whole number of 0..2147483647");
    return 0;
}

static const struct gguf_kv *find_pair(const struct build *b, const char *key)
{
    char name[128];

    snprintf(name, sizeof name, "%s.%s", b->name, key);
    return gguf_find(b->meta, name);
}

/* A number, or a list's entry for layer i. */
static int layer_number(struct build *b, const char *key, int i, int fallback)
{
    const struct gguf_kv *kv = find_pair(b, key);

    if (kv == NULL)
        return fallback;
    if (!kv->array && kv->numeric)
        return whole_number(b, key, kv->number);
    if (kv->array && kv->first != SIZE_MAX && (uint64_t)i < kv->count)
        return whole_number(b, key, b->meta->numbers[kv->first + (size_t)i]);
    fail_key(b, key, "neither a number nor one for each layer");
    return 0;
}

static int key_number(struct build *b, const char *key, int fallback)
{
    const struct gguf_kv *kv = find_pair(b, key);

    if (kv == NULL || kv->array)
        return fallback;
    return layer_number(b, key, 0, fallback);
}

static int key_need(struct build *b, const char *key)
{
    if (find_pair(b, key) == NULL)
        fail_key(b, key, "missing");
    return key_number(b, key, 0);
}

/* ---- layers ---- */

static bool layer_slides(struct build *b, int i)
{
    const struct gguf_kv *kv = find_pair(b, "attention.sliding_window_pattern");
    int every = abs(b->arch->pattern), full = b->arch->pattern < 0 ? i : i + 1;

    if (every == 0)
        return false;
    if (kv != NULL && kv->array)
        return layer_number(b, "attention.sliding_window_pattern", i, 0) != 0;
    every = key_number(b, "attention.sliding_window_pattern", every);
    return every > 0 && full % every != 0;
}

static void layer_latent(struct build *b, const struct gguf_layer *layer, struct layer_kind *kind)
{
    int key = key_number(b, "attention.key_length_mla", 0);

    kind->mixer = MIXER_MLA;
    kind->kv_heads = kind->heads;
    kind->kv_lora = key_need(b, "attention.kv_lora_rank");
    kind->rope_dim = key_need(b, "rope.dimension_count");
    if (key == 0)
        key = key_need(b, "attention.key_length");
    kind->head_dim = key;
    kind->nope_dim = key > kind->rope_dim ? key - kind->rope_dim : 0;
    kind->v_head_dim = key_number(b, "attention.value_length_mla", 0);
    if (kind->v_head_dim == 0)
        kind->v_head_dim = key_need(b, "attention.value_length");
    kind->q_lora = layer->q_lora;
    if (layer->kv_a_rows != kind->kv_lora + kind->rope_dim)
        fail_key(b, "attention.kv_lora_rank", "does not match the rows of attn_kv_a_mqa");
    if (layer->index_k_rows > 0) {
        kind->index_dim = layer->index_k_rows;
        kind->index_heads = layer->index_q_rows / layer->index_k_rows;
    }
}

/* Rows of q, k and v must be what the keys make of them. */
static void check_rows(struct build *b, const struct gguf_layer *layer, struct layer_kind *kind)
{
    double q = (double)kind->heads * kind->head_dim;
    double k = (double)kind->kv_heads * kind->head_dim;
    double v = (double)kind->kv_heads * kind->v_head_dim;

    if (layer->qkv_rows > 0 && layer->q_rows == 0) {
        if (layer->qkv_rows != q + k + v)
            fail_key(b, "attention.head_count", "does not match the rows of attn_qkv");
        return;
    }
    kind->out_gate = layer->q_rows == 2 * q;
    kind->k_is_v = layer->v_rows == 0 && layer->k_rows > 0;
    if (layer->q_rows != q && !kind->out_gate)
        fail_key(b, "attention.head_count", "does not match the rows of attn_q");
    if (layer->k_rows > 0 && layer->k_rows != k)
        fail_key(b, "attention.head_count_kv", "does not match the rows of attn_k");
    if (layer->v_rows > 0 && layer->v_rows != v)
        fail_key(b, "attention.value_length", "does not match the rows of attn_v");
}

static void layer_grouped(struct build *b, int i, const struct gguf_layer *layer,
                          struct layer_kind *kind)
{
    int even = kind->heads > 0 ? b->model->hidden / kind->heads : 0;
    int shared = key_number(b, "attention.shared_kv_layers", 0);
    int window = key_number(b, "attention.sliding_window", b->arch->chunk);

    kind->mixer = MIXER_FULL;
    if (window > 0 && window < b->model->max_context && layer_slides(b, i)) {
        kind->mixer = b->arch->chunk > 0 ? MIXER_CHUNKED : MIXER_SLIDING;
        kind->window = window;
    }
    kind->kv_heads = layer_number(b, "attention.head_count_kv", i, kind->heads);
    kind->head_dim = key_number(b, "attention.key_length", even);
    kind->v_head_dim = key_number(b, "attention.value_length", kind->head_dim);
    if (kind->mixer == MIXER_SLIDING) {
        kind->head_dim = key_number(b, "attention.key_length_swa", kind->head_dim);
        kind->v_head_dim = key_number(b, "attention.value_length_swa", kind->v_head_dim);
    }
    kind->kv_shared = shared > 0 && i >= b->model->layer_count - shared;
    check_rows(b, layer, kind);
    kind->q_bias = kind->kv_bias = layer->q_bias > 0 || layer->qkv_bias > 0;
    kind->o_bias = layer->o_bias > 0;
    kind->sinks = layer->sinks > 0;
    if (layer->q_norm > 0)
        kind->qk_norm =
            layer->q_norm == kind->head_dim && kind->heads > 1 ? QK_NORM_HEAD : QK_NORM_FULL;
}

static void layer_recurrence(struct build *b, const struct gguf_layer *layer,
                             struct layer_kind *kind)
{
    int state = key_number(b, "ssm.state_size", 0), inner = key_number(b, "ssm.inner_size", 0);
    int rank = key_number(b, "ssm.time_step_rank", 0);

    kind->mixer = b->arch->ssm;
    kind->conv_kernel = layer->conv_kernel;
    if (kind->mixer == MIXER_CONV) {
        kind->lin_v_dim = b->model->hidden % 64 == 0 ? 64 : 1;
        kind->lin_v_heads = b->model->hidden / kind->lin_v_dim;
        return;
    }
    kind->lin_k_dim = state;
    kind->groups = key_number(b, "ssm.group_count", 1);
    if (kind->mixer == MIXER_MAMBA1) {
        kind->groups = 0;
        kind->dt_rank = rank;
        kind->lin_v_dim = inner % 64 == 0 ? 64 : 1;
        kind->lin_v_heads = inner / kind->lin_v_dim;
    } else if (rank > 0) {
        kind->lin_v_heads = rank;
        kind->lin_v_dim = inner / rank;
    }
    if (kind->mixer == MIXER_DELTANET) {
        kind->lin_k_heads = kind->groups;
        kind->groups = 0;
    }
    if (layer->conv_kernel == 0 || inner <= 0 || rank <= 0)
        fail_key(b, "ssm.inner_size", "keys of the recurrent layers are missing");
}

static void layer_mlp(struct build *b, int i, const struct gguf_layer *layer,
                      struct layer_kind *kind)
{
    kind->ff = layer->ff;
    kind->gated = layer->ff_gate > 0 || layer->expert_gate > 0 ||
                  (layer->ff > 0 && layer->up_rows == 2 * (double)layer->ff);
    kind->mlp_bias = layer->down_bias > 0;
    kind->experts = layer->experts;
    if (layer->experts > 0) {
        kind->expert_ff = layer->expert_ff;
        kind->experts_active = key_need(b, "expert_used_count");
        kind->expert_bias = layer->expert_bias > 0;
        kind->router_bias = layer->router_bias > 0;
        kind->latent = layer->latent;
    } else if (key_number(b, "expert_count", 0) > 0 && layer->ff == 0 &&
               mixer_is(kind->mixer, MIXER_IS_ATTENTION) && layer->shared_ff == 0) {
        char what[96];

        snprintf(what, sizeof what,
                 "layer %d has no ffn_down_exps: convert the file "
                 "again with a newer llama.cpp",
                 i);
        fail_key(b, "expert_count", what);
    }
    kind->shared_ff = layer->shared_ff;
    kind->shared_gate = layer->shared_gate > 0;
}

static void add_layer(struct build *b, int i)
{
    const struct gguf_layer *layer = &b->facts->layer[i];
    struct model *model = b->model;
    struct layer_kind kind;
    int k = 0;

    if (layer->tensors == 0) {
        fail_key(b, "block_count", "is larger than the number of layers in the file");
        return;
    }
    memset(&kind, 0, sizeof kind);
    if (layer->conv_kernel > 0 && b->arch->ssm != MIXER_NONE) {
        layer_recurrence(b, layer, &kind);
    } else if (layer->q_rows > 0 || layer->qkv_rows > 0 || layer->kv_a_rows > 0) {
        kind.heads = layer_number(b, "attention.head_count", i, 0);
        if (layer->kv_a_rows > 0)
            layer_latent(b, layer, &kind);
        else
            layer_grouped(b, i, layer, &kind);
    }
    layer_mlp(b, i, layer, &kind);
    kind.norms = layer->norms;
    kind.norm_bias = layer->norm_biases > 0;
    kind.layer_embed = key_number(b, "embedding_length_per_layer_input", 0);
    while (k < model->kind_count && memcmp(&model->kind[k], &kind, sizeof kind) != 0)
        k++;
    if (k == MODEL_MAX_KINDS) {
        fail_key(b, "block_count", "more kinds of layers than gpuplan supports");
        return;
    }
    if (k == model->kind_count)
        model->kind[model->kind_count++] = kind;
    model->layer[i] = (uint8_t)k;
}

/* ---- the whole ---- */

static void find_arch(struct build *b)
{
    static const struct gguf_arch other = {.names = ""}; /* its tensors can be counted */
    const char *name = gguf_string(b->meta, "general.architecture");

    b->arch = &other;
    safe_text(b->name, sizeof b->name, name ? name : "general", strlen(name ? name : "general"));
    if (name == NULL) {
        fail_key(b, "architecture", "missing");
        return;
    }
    for (size_t i = 0; i < COUNT_OF(archs); i++)
        if (gp_has_word(archs[i].names, " ", name))
            b->arch = &archs[i];
    if (b->arch != &other)
        return;
    b->model->assumed = true;
    checkpoint_note(b->model,
                    "unknown architecture \"%s\": weights are those of its tensors; every "
                    "layer with attention is assumed to cache all its heads, others to keep "
                    "nothing",
                    b->name);
}

static void read_globals(struct build *b)
{
    struct model *model = b->model;
    const struct gguf_facts *facts = b->facts;
    const char *name = gguf_string(b->meta, "general.name");

    model->hidden = key_need(b, "embedding_length");
    model->vocab = facts->vocab;
    model->tied = facts->head == 0;
    model->final_norm = facts->final_norm > 0;
    model->final_norm_bias = facts->final_norm_bias > 0;
    model->embed_norm = facts->embed_norm > 0;
    model->positions = facts->positions;
    model->max_context = key_need(b, "context_length");
    model->layer_count = key_need(b, "block_count") - key_number(b, "nextn_predict_layers", 0);
    gp_copy(model->family, sizeof model->family, b->name);
    safe_text(model->name, sizeof model->name, name != NULL ? name : b->name,
              strlen(name != NULL ? name : b->name));
    gp_copy(model->id, sizeof model->id, model->name);
    gp_copy(model->source, sizeof model->source, b->meta->where);
    if (facts->vocab == 0)
        fail_key(b, "vocab_size", "token_embd.weight is missing");
    else if (facts->hidden != model->hidden)
        fail_key(b, "embedding_length", "does not match the rows of token_embd");
    if (b->rc == GP_OK && (model->layer_count < 1 || model->layer_count > MODEL_MAX_LAYERS))
        fail_key(b, "block_count", "outside 1..512");
}

/* What the file holds beyond the tensors that follow from the shape (rope factors,
 * scales): counted as they are. MTP layers apart. */
static void settle_elements(struct build *b)
{
    struct model *model = b->model;
    double mtp = 0, other;

    for (int i = model->layer_count; i < MODEL_MAX_LAYERS; i++)
        mtp += b->facts->layer[i].elements;
    model->mtp_params = mtp;
    other = b->facts->elements - mtp - model_params(model);
    if (other > 0 && other < 1e13) {
        struct model_extra *extra = &model->extra[model->extra_count++];

        gp_copy(extra->name, sizeof extra->name, "further tensors of the file");
        extra->role = ROLE_OTHER;
        extra->elements = other;
    } else if (other < 0) {
        checkpoint_note(model, "the file holds %.0f elements fewer than its architecture has",
                        -other);
    }
}

static void name_types(struct build *b)
{
    double type = -1;

    gp_copy(b->model->native_dtype, FORMAT_ID_MAX, "fp16");
    for (int role = 0; role < ROLE_COUNT; role++)
        gp_copy(b->model->native[role], FORMAT_ID_MAX, "fp16");
    gguf_number(b->meta, "general.file_type", &type);
    gp_copy(b->model->native_name, sizeof b->model->native_name, "GGUF");
    for (size_t i = 0; i < sizeof file_types / sizeof file_types[0]; i++)
        if (file_types[i].type == type)
            snprintf(b->model->native_name, sizeof b->model->native_name, "GGUF %s",
                     file_types[i].name);
}

enum gp_status gguf_model(const struct gguf_meta *meta, const struct gguf_facts *facts,
                          struct model *out, struct gp_err *err)
{
    struct build b = {.meta = meta, .facts = facts, .model = out, .err = err};

    memset(out, 0, sizeof *out);
    find_arch(&b);
    if (b.rc == GP_OK)
        read_globals(&b);
    if (b.rc == GP_OK) {
        const struct gguf_kv *causal = find_pair(&b, "attention.causal");

        /* attention to both sides, as in text encoders: nothing is cached */
        out->weights_only = causal != NULL && causal->numeric && causal->number == 0;
        if (out->weights_only)
            checkpoint_note(out, "encoder: no KV cache");
    }
    for (int i = 0; b.rc == GP_OK && i < out->layer_count; i++)
        add_layer(&b, i);
    if (b.rc != GP_OK)
        return b.rc;
    b.rc = model_check(out, err);
    if (b.rc != GP_OK)
        return b.rc;
    settle_elements(&b);
    name_types(&b);
    return GP_OK;
}
