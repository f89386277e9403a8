/*
 * hfvision.c - config.json: how many elements a vision tower has.
 *
 * A tower is a stack of transformer layers between a patch embedding and a projector
 * into the language model. For width d, MLP f and n layers:
 *
 *   SigLIP       n(4(d*d+d) + 2d*f + f + d + 4d) + patches and positions, final norm
 *   Llama 4      the same, plus class token and a pixel-shuffle MLP
 *   Qwen3-VL     fused qkv, positions, mergers of 4 patches into the text width
 *   Gemma 4      gated MLP, norms of q and k, two position tables
 *   Pixtral      gated MLP without biases, patch merger and two projections
 *
 * Example: Gemma-3-4b's SigLIP (1152, 4304, 27 layers) and projector: 419,816,304.
 * A tower that is none of these is not counted, and a note says so.
 */
#include "checkpoint/hfconfig.h"
#include "checkpoint/tensors.h"

#include <string.h>

struct tower {
    struct hf *hf;
    const json_t *config; /* vision_config */
    double d, f, n;       /* width, MLP, layers */
    double text;          /* hidden size of the language model */
};

static double tower_size(const struct tower *t, const char *key, int fallback)
{
    return hf_sub_int(t->hf, t->config, key, fallback);
}

/* Attention with biases, MLP of two matrices with biases, two LayerNorms. */
static double plain_layer(const struct tower *t)
{
    return 4 * (t->d * t->d + t->d) + 2 * t->d * t->f + t->f + t->d + 4 * t->d;
}

static double siglip(const struct tower *t)
{
    double patch = tower_size(t, "patch_size", 14);
    double side = patch > 0 ? tower_size(t, "image_size", 896) / patch : 0;
    double body = 3 * patch * patch * t->d + t->d + side * side * t->d;

    return body + t->n * plain_layer(t) + 2 * t->d + t->d * t->text + t->d;
}

static double llama4(const struct tower *t)
{
    double patch = tower_size(t, "patch_size", 14);
    double side =
        patch > 0 ? (double)((int)(tower_size(t, "image_size", 336) / patch)) : 0;
    double in = tower_size(t, "projector_input_dim", 4096);
    double out = tower_size(t, "projector_output_dim", 4096);
    double embed =
        3 * patch * patch * t->d + t->d + (side * side + 1) * t->d + 4 * t->d;

    return embed + t->n * plain_layer(t) + t->f * in + in * out +
           tower_size(t, "vision_output_dim", 4096) * t->text;
}

static double qwen3(const struct tower *t)
{
    double patch = tower_size(t, "patch_size", 16),
           merge = tower_size(t, "spatial_merge_size", 2);
    double pixels = tower_size(t, "in_channels", 3) *
                    tower_size(t, "temporal_patch_size", 2) * patch * patch;
    double wide = merge * merge * t->d,
           out = tower_size(t, "out_hidden_size", (int)t->text);
    double linears = wide * wide + wide + wide * out + out;
    double deep = (double)json_array_size(
        json_object_get(t->config, "deepstack_visual_indexes"));

    return pixels * t->d + t->d +
           tower_size(t, "num_position_embeddings", 2304) * t->d +
           t->n * plain_layer(t) + 2 * t->d + linears + deep * (2 * wide + linears);
}

static double gemma4(const struct tower *t)
{
    double patch = tower_size(t, "patch_size", 16);
    double head = tower_size(t, "head_dim", 64);
    double q = head * tower_size(t, "num_attention_heads", 12);
    double kv = head * tower_size(t, "num_key_value_heads", 12);
    double layer = 2 * t->d * q + 2 * t->d * kv + 3 * t->d * t->f + 2 * head + 4 * t->d;
    double positions = 2 * tower_size(t, "position_embedding_size", 10240);

    return 3 * patch * patch * t->d + positions * t->d + t->n * layer + t->d * t->text;
}

static double pixtral(const struct tower *t)
{
    double patch = tower_size(t, "patch_size", 16);
    double merge = hf_sub_int(t->hf, t->hf->root, "spatial_merge_size", 2);
    double layer = 4 * t->d * t->d + 3 * t->d * t->f + 2 * t->d;

    return 3 * patch * patch * t->d + t->d + t->n * layer + t->d +
           merge * merge * t->d * t->d + t->d * t->text + t->text * t->text;
}

static const struct {
    const char *type; /* of vision_config, or of the whole file */
    double (*count)(const struct tower *t);
} towers[] = {
    {"siglip_vision_model", siglip},
    {"llama4_vision_model", llama4},
    {"gemma4_vision", gemma4},
    {"pixtral", pixtral},
    {"qwen3_vl", qwen3},      {"qwen3_vl_vision", qwen3},
    {"qwen3_vl_moe", qwen3},  {"qwen3_vl_moe_vision", qwen3},
    {"qwen3_5", qwen3},       {"qwen3_5_vision", qwen3},
    {"qwen3_5_moe", qwen3},   {"qwen3_5_moe_vision", qwen3},
};

/* Of a tower that is counted; others may have lists where these have numbers. */
static void check_tower(const struct tower *t)
{
    static const char *const keys[] = {
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "depth",
        "patch_size",
        "image_size",
        "projector_input_dim",
        "projector_output_dim",
        "vision_output_dim",
        "spatial_merge_size",
        "in_channels",
        "temporal_patch_size",
        "out_hidden_size",
        "num_position_embeddings",
        "head_dim",
        "num_attention_heads",
        "num_key_value_heads",
        "position_embedding_size",
    };
    static const struct hf_field deep = {"deepstack_visual_indexes", .kinds = HF_COUNTS,
                                         0, 65536};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct hf_field field = {keys[i], .kinds = HF_COUNT, 1, 1048576};

        hf_check(t->hf, "vision_config", t->config, &field, 1);
    }
    hf_check(t->hf, "vision_config", t->config, &deep, 1);
}

static void read_widths(struct tower *t)
{
    check_tower(t);
    t->d = tower_size(t, "hidden_size", 0);
    t->f = tower_size(t, "intermediate_size", 0);
    t->n = hf_sub_int(t->hf, t->config, "num_hidden_layers",
                      hf_sub_int(t->hf, t->config, "depth", 0));
    t->text = t->hf->model->hidden;
}

void hfvision_add(struct hf *hf)
{
    static const struct hf_field type_field = {"model_type", .kinds = HF_TEXT};
    static const struct hf_field sides[] = {{"vision_config", .kinds = HF_OBJECT},
                                            {"audio_config", .kinds = HF_OBJECT}};
    struct tower t = {.hf = hf, .config = json_object_get(hf->root, "vision_config")};
    const char *type = json_string_value(json_object_get(t.config, "model_type"));

    hf_check(hf, "", hf->root, sides, 2);
    if (hf->rc == GP_OK && json_is_object(json_object_get(hf->root, "audio_config")))
        reader_note(hf->model, "parameters of the audio tower are not counted");
    if (!json_is_object(t.config) || hf->rc != GP_OK)
        return;
    hf_check(hf, "vision_config", t.config, &type_field, 1);
    for (size_t i = 0; type != NULL && i < sizeof towers / sizeof towers[0]; i++) {
        if (strcmp(towers[i].type, type) != 0)
            continue;
        read_widths(&t);
        if (t.d > 0 && t.f > 0 && t.n > 0) {
            hf_extra(hf, "vision tower and projector", ROLE_VISION,
                     towers[i].count(&t));
            return;
        }
    }
    reader_note(hf->model, "parameters of the vision tower are not counted");
}
