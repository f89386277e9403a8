/*
 * hfvision.c - config.json: how many elements a vision tower and its projector have.
 *
 * A tower is a stack of transformer layers between a patch embedding and a projector
 * into the language model. Both are a row of a table: the sum over the keys of
 * vision_config, read from the modelling code of transformers 5.23, and the values
 * that the class assumes for keys that a file leaves out. The names are d, f and n
 * (width, MLP and layers of the tower), p (patch), grid (patches along an edge), t
 * (width of the language model), each `key` of vision_config and `^key` of the whole
 * file.
 *
 * Example: Gemma-3-4b's SigLIP (1152, 4304, 27 layers) and projector: 419,816,304.
 * A tower without a row is counted as a plain stack of the sizes it states, within a band; one
 * that states none is named as missing, with what the largest published ones have.
 */
#include "model/read/hfconfig.h"
#include "model/read/jscan.h"
#include "model/read/tensors.h"

#include <string.h>

struct tower {
    struct hf *hf;
    const json_t *config; /* vision_config */
    const char *defaults;
};

struct tower_row {
    const char *types;    /* model_type of vision_config; of the file for a projector */
    const char *defaults; /* "key=value ..." */
    const char *sum;
};

/* Attention and an MLP of two matrices with biases, two LayerNorms; and the patches. */
#define LAYERS "n*(4*d*d + 2*d*f + 9*d + f)"
#define PATCHES " + 3*p*p*d"
#define MOVING " + 3*temporal_patch_size*p*p*d"
/* Patches of merge x merge become one word. */
#define WIDE "spatial_merge_size*spatial_merge_size*d"
#define MERGER(out) " + " WIDE "*" WIDE " + " WIDE " + " WIDE "*(" out ") + (" out ")"
#define TWO_LINEARS "d*t + t + t*t + t"
#define SIGLIP_HEAD " + vision_use_head*(4*d*d + 2*d*f + f + 8*d)"
#define QWEN3                                                      \
    LAYERS MOVING " + d + num_position_embeddings*d + 2*d" MERGER( \
        "out_hidden_size") " + deepstack_visual_indexes*(2*" WIDE MERGER("out_hidden_size") ")"
#define QWEN3_DEFAULTS                                          \
    "patch_size=16 temporal_patch_size=2 spatial_merge_size=2 " \
    "num_position_embeddings=2304 out_hidden_size=3584"
/* Its hidden_size is that of the language model. */
#define E "embed_dim"
#define QWEN2                                                                    \
    "n*(4*" E "*" E " + 2*" E "*" E "*mlp_ratio + 9*" E " + " E "*mlp_ratio) + " \
    "3*temporal_patch_size*p*p*" E " + 2*" E " + 16*" E "*" E " + 4*" E " + 4*" E "*d + d"
#define QWEN2_DEFAULTS "patch_size=14 temporal_patch_size=2 mlp_ratio=4"
#define QWEN25 "n*(4*d*d + 3*d*f + 7*d + 2*f)" MOVING " + d" MERGER("out_hidden_size")
#define QWEN25_DEFAULTS "patch_size=14 temporal_patch_size=2 spatial_merge_size=2"
#define GLM_MERGER(inner) \
    " + o*o + 2*o + 3*o*(" inner ") + o*d*spatial_merge_size*spatial_merge_size + o"
#define GLM_DEFAULTS "patch_size=14 image_size=336 temporal_patch_size=2 spatial_merge_size=2"
#define INTERNVL                                                                  \
    "n*(4*d*d + 2*d*f + f + 8*d + 3*d*attention_bias - 2*d*norm_type^rms_norm + " \
    "2*d*use_qk_norm) + (grid*grid + 2)*d" PATCHES " + d + 2*d*(use_mean_pooling = 0)"
#define INTERNVL_DEFAULTS "patch_size=14 image_size=448 use_mean_pooling=1"

/* Its parameters: the total of Gemma 3n's model card less all else, alike for both sizes. */
#define MOBILENET_V5 "294126912"
/* Whisper's encoder: two convolutions, layers without a bias of the keys. */
#define WHISPER "n*(4*d*d + 2*d*f + f + 8*d) + 3*num_mel_bins*d + 3*d*d + 4*d"

/* The same in the repositories' own code. */
#define INTERNVIT_DEFAULTS "patch_size=14 image_size=448"
#define INTERNVIT                                                           \
    "n*(4*d*d + 2*d*f + f + 8*d + 3*d*qkv_bias - 2*d*norm_type^rms_norm + " \
    "2*d*qk_normalization) + (grid*grid + 2)*d" PATCHES " + d"

/* The tower alone: its projector is a row below. */
static const struct tower_row bare_towers[] = {
    {"siglip_vision_model", "vision_use_head=1 patch_size=16 image_size=224",
     LAYERS PATCHES " + d + grid*grid*d + 2*d" SIGLIP_HEAD},
    {"siglip2_vision_model", "vision_use_head=1 patch_size=16 num_patches=256",
     LAYERS PATCHES " + d + num_patches*d + 2*d" SIGLIP_HEAD},
    {"clip_vision_model", "patch_size=32 image_size=224",
     LAYERS PATCHES " + (grid*grid + 2)*d + 4*d"},
    {"idefics2 idefics2_vision idefics3_vision smolvlm_vision", NULL,
     LAYERS PATCHES " + d + grid*grid*d + 2*d"},
    {"video_llama_3_vision", NULL, LAYERS PATCHES " + 3*d"},
    {"pixtral", "patch_size=16", "n*(4*d*d + 3*d*f + 2*d)" PATCHES " + d"},
    {"paddleocr_vl_vision", "patch_size=14 image_size=384",
     LAYERS PATCHES " + d + grid*grid*d + 2*d"},
    {"internvl_vision", INTERNVL_DEFAULTS, INTERNVL},
    {"intern_vit_6b intern_vit_300m", INTERNVIT_DEFAULTS,
     INTERNVIT}, /* the 300M one calls itself so, too */
    {"minimax_m3_vl_vision", "patch_size=14 temporal_patch_size=2 spatial_merge_size=2",
     LAYERS MOVING " + 2*d"},
    {"step3p5_vision", "patch_size=14 max_position_embeddings=2704",
     LAYERS PATCHES " + 2*d*n + max_position_embeddings*d + 2*d + 18*d*d + 2*d + "
                    "72*d*d + 4*d"},
    {"deepseek_v41_vision", "patch_size=14", "n*(4*d*d + 3*d*f + 6*d)" PATCHES " + 2*d"},
    {"moonvit kimi_k25 kimi_k25_vision", "patch_size=14", LAYERS PATCHES " + d + 64*64*d + 2*d"},
};

/* With the projector in it. */
static const struct tower_row towers[] = {
    {"llama4_vision_model",
     "patch_size=14 image_size=336 projector_input_dim=4096 "
     "projector_output_dim=4096 vision_output_dim=4096",
     LAYERS PATCHES " + d + (grid*grid + 1)*d + 4*d + f*projector_input_dim + "
                    "projector_input_dim*projector_output_dim + vision_output_dim*t"},
    {"gemma4_vision",
     "patch_size=16 head_dim=64 num_attention_heads=12 num_key_value_heads=12 "
     "position_embedding_size=10240",
     "n*(2*d*head_dim*(num_attention_heads + num_key_value_heads) + 3*d*f + "
     "2*head_dim + 4*d)" PATCHES " + 2*position_embedding_size*d + d*t"},
    {"qwen2_vl qwen2_vl_vision", QWEN2_DEFAULTS, QWEN2},
    {"qwen2_5_vl qwen2_5_vl_vision qwen2_5_omni_vision_encoder", QWEN25_DEFAULTS, QWEN25},
    {"qwen3_vl qwen3_vl_vision qwen3_vl_moe qwen3_vl_moe_vision qwen3_5 qwen3_5_vision qwen3_5_moe "
     "qwen3_5_moe_vision qwen3_omni_moe_vision_encoder qwen4_exp_vision cohere_compass_vision",
     QWEN3_DEFAULTS, QWEN3},
    {"exaone4_5_vision", QWEN25_DEFAULTS " num_heads=16 num_key_value_heads=8",
     "n*(2*d*d + 2*d*(d/num_heads*num_key_value_heads) + 3*d*f + 5*d + 2*f + "
     "2*(d/num_heads*num_key_value_heads))" MOVING " + d" MERGER("out_hidden_size")},
    {"glm4v_vision glm4v_moe_vision", GLM_DEFAULTS,
     "n*(4*d*d + 3*d*o + 2*d + 3*d*attention_bias)" MOVING
     " + d + grid*grid*d + 2*d" GLM_MERGER("f")},
    {"glm_ocr_vision", GLM_DEFAULTS " in_channels=3",
     "n*(4*d*d + 3*d*f + 7*d + 2*f + 2*(d/num_heads))" MOVING " + 2*d" GLM_MERGER("o*in_channels")},
    {"glm5_next_vision", GLM_DEFAULTS,
     "n*(4*d*d + 3*d*f + 7*d + 2*f + 2*(d/num_heads))" MOVING
     " + 2*d" GLM_MERGER("projection_intermediate_size")},
    {"mllama_vision_model",
     "patch_size=14 image_size=448 max_num_tiles=4 num_global_layers=8 "
     "vision_output_dim=7680",
     "(n + num_global_layers)*(4*d*d + 2*d*f + f + 5*d) + 2*num_global_layers" PATCHES
     " + d + (grid*grid + 1)*d*(1 + (supported_aspect_ratios + 1)*max_num_tiles) + "
     "2*(supported_aspect_ratios + 1)*max_num_tiles*d + 4*d + 3 + vision_output_dim*t + t"},
    {"gemma3n_vision", "hidden_size=2048 vocab_size=128", /* MobileNet v5 300M has no sizes here */
     MOBILENET_V5 " + vocab_size*d + 2*d + d*t"},
    {"gemma4_unified_vision", /* no layers: patches straight into the language model */
     "hidden_size=1 patch_size=16 pooling_kernel_size=3 mm_embed_dim=3840 "
     "mm_posemb_size=1120",
     "2*mm_posemb_size*mm_embed_dim + (mm_embed_dim + 2)*3*p*p*pooling_kernel_size*"
     "pooling_kernel_size + 5*mm_embed_dim + mm_embed_dim*t"},
};

static const struct tower_row projectors[] = {
    {"gemma3 shieldgemma2", NULL, "d*t + d"},
    {"paligemma", NULL, "d*t + t"},
    {"llava video_llama_3", NULL, TWO_LINEARS},
    {"llava_next llava_next_video llava_onevision", NULL, TWO_LINEARS " + t"},
    {"vipllava", NULL, "10*d + 5*d*t + t + t*t + t"},
    {"idefics3 smolvlm", "^scale_factor=2", "d*^scale_factor*^scale_factor*t"},
    {"mistral3", "^spatial_merge_size=2",
     "d + ^spatial_merge_size*^spatial_merge_size*d*d + d*t + t*t + "
     "2*t*^multimodal_projector_bias"},
    {"mistral_large4 lighton_ocr", "^spatial_merge_size=2",
     "d + ^spatial_merge_size*^spatial_merge_size*d*d + d*t + t*t"},
    {"internvl internvl_chat qianfan_ocr", NULL, "8*d + 4*d*t + t + t*t + t"},
    {"minimax_m3_vl", "spatial_merge_size=2",
     "^projector_hidden_size*(d + 1 + spatial_merge_size*spatial_merge_size*t + 1) + "
     "2*(^projector_hidden_size + 1)*t"},
    {"step3p7", NULL, "4*d*t + t*^projector_bias"},
    {"lfm2_vl", "^downsample_factor=2 ^projector_use_layernorm=1 ^projector_bias=1",
     "^projector_use_layernorm*8*d + 4*d*^projector_hidden_size + "
     "^projector_hidden_size*t + ^projector_bias*(^projector_hidden_size + t)"},
    {"cohere2_vision", "^alignment_intermediate_size=36864 ^downsample_factor=2",
     "4*d*^alignment_intermediate_size + ^alignment_intermediate_size + "
     "^alignment_intermediate_size/2*t + t"},
    {"kimi_vl kimi_k25", NULL, "2*d + 16*d*d + 4*d + 4*d*t + t"},
    {"deepseek_v41", "downsample_ratio=3",
     "downsample_ratio*downsample_ratio*d*t + t + t*t + t + 3*t"},
    {"hyperclovax_vision_v2", NULL, "out_hidden_size*t + t"},
};

/* Audio towers with their projector. */
static const struct tower_row audio_towers[] = {
    {"gemma4_audio", /* Conformer: 5 of attention, 16 of two MLPs, 3 around the convolution */
     "hidden_size=1024 num_hidden_layers=12 num_attention_heads=8 conv_kernel_size=5 "
     "output_proj_dims=1536",
     "n*(24*d*d + (9 + conv_kernel_size)*d + d/num_attention_heads) + "
     "9*128 + 128 + 9*128*32 + 32 + 32*32*d + d*output_proj_dims + output_proj_dims + "
     "output_proj_dims*t"},
    {"gemma3n_audio", /* the same, of 128 bins and 32 channels of its own, with a vocabulary */
     "hidden_size=1536 conf_num_hidden_layers=12 conf_num_attention_heads=8 "
     "conf_conv_kernel_size=5 vocab_size=128",
     "conf_num_hidden_layers*(24*d*d + (9 + conf_conv_kernel_size)*d + "
     "d/conf_num_attention_heads) + 9*128 + 128 + 9*128*32 + 32 + 32*32*d + vocab_size*d + 2*d + "
     "d*t"},
    {"qwen2_5_omni_audio_encoder", "num_mel_bins=128 output_dim=3584",
     WHISPER " + d*output_dim + 3*output_dim"},
    {"qwen2_audio_encoder", "num_mel_bins=128 max_source_positions=1500",
     WHISPER " + max_source_positions*d + d*t + t"},
    {"voxtral_encoder", "num_mel_bins=128 max_source_positions=1500",
     WHISPER " + max_source_positions*d + f*t + t*t"},
    {"phi4_multimodal_audio", "num_blocks=24", /* Conformer: two gated MLPs, three convolutions */
     "num_blocks*(8*d*d + 6*d*f) + 2*(d*t + t*t)"},
};

/* A number or flag; of a list its first number, of a list of layers how many. */
static double tower_number(const struct tower *t, const char *key)
{
    bool whole = key[0] == '^';
    const json_t *object = whole ? t->hf->root : t->config;
    char name[64];
    const json_t *value = hf_get_at(object, key + whole, name);
    const struct hf_field field = {name, .kinds = HF_COUNT | HF_FLAG | HF_COUNTS, 0, 1048576};

    if (json_is_array(value) && strstr(key, "ratios") != NULL)
        return (double)json_array_size(value); /* of pairs */
    hf_check(t->hf, whole ? "" : "vision_config", object, &field, 1);
    if (value == NULL)
        return hf_assumed(t->defaults, key);
    if (json_is_array(value) && strstr(key, "indexes") != NULL)
        return (double)json_array_size(value);
    if (json_is_array(value))
        value = json_array_get(value, 0);
    return json_is_true(value) ? 1 : json_number_value(value);
}

static double tower_value(const void *object, const char *name)
{
    const struct tower *t = object;
    static const char *const names[][3] = {
        {"d", "hidden_size", "vt_hidden_size"}, /* vt_: Kimi's */
        {"f", "intermediate_size", "vt_intermediate_size"},
        {"f", "intermediate_size", "encoder_ffn_dim"},
        {"n", "num_hidden_layers", "vt_num_hidden_layers"},
        {"n", "num_hidden_layers", "encoder_layers"},
        {"p", "patch_size", "patch_size"},
        {"o", "out_hidden_size", "out_hidden_size"},
    };
    const char *word = strchr(name, '^');
    char key[64];

    if (strcmp(name, "t") == 0)
        return t->hf->model->hidden;
    if (strcmp(name, "grid") == 0)
        return hfexpr("image_size/p", tower_value, object);
    if (word != NULL && word != name) {
        const char *text;

        snprintf(key, sizeof key, "%.*s", (int)(word - name), name);
        text = json_string_value(json_object_get(t->config, key));
        return text != NULL && strcmp(text, word + 1) == 0;
    }
    const char *usual = name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], name) != 0)
            continue;
        usual = names[i][1];
        if (json_object_get(t->config, names[i][2]) != NULL)
            return tower_number(t, names[i][2]);
    }
    return tower_number(t, usual);
}

static const struct tower_row *find_row(const struct tower_row *rows, size_t count,
                                        const char *type)
{
    for (size_t i = 0; type != NULL && i < count; i++)
        if (gp_has_word(rows[i].types, " ", type))
            return &rows[i];
    return NULL;
}

/* Elements of a row; 0 when there is none, or when the file gives no size for it. */
static double row_elements(struct tower *t, const struct tower_row *row)
{
    double elements;

    if (row == NULL || t->hf->rc != GP_OK)
        return 0;
    t->defaults = row->defaults;
    if (tower_value(t, "d") <= 0)
        return 0;
    elements = hfexpr(row->sum, tower_value, t);
    return t->hf->rc == GP_OK && elements > 0 ? elements : 0;
}

/* ---- towers without a row ----
 *
 * Attention of four matrices, an MLP of two or three, the patches, a projector of two matrices:
 * what all of them are, within 30 % (rows above against this sum). The largest published
 * towers: 5.5 B beside 72.7 B (InternVL3-78B), 0.30 B beside 0.49 B (InternVL3-1B).
 */
#define PLAIN_SLACK 0.3
#define TOWER_MOST 5.6e9
#define TOWER_SHARE 0.65

/* A size under the usual names, of a sub-object where the part is made of several. */
static double plain_size(struct hf *hf, const json_t *part, const char *keys)
{
    char name[64], key[64];
    const struct hf_field field = {key, .kinds = HF_COUNT | HF_COUNTS | HF_NUMBER, 0, 1048576};

    while (hf_next_word(&keys, key)) {
        const json_t *value = hf_get_at(part, key, name);

        hf_check(hf, "", part, &field, 1);
        if (json_is_number(value) && hf->rc == GP_OK)
            return json_number_value(value);
    }
    return 0;
}

static bool plain_gated(const json_t *part)
{
    const char *act = json_string_value(json_object_get(part, "hidden_act"));

    return act != NULL && (strstr(act, "silu") != NULL || strstr(act, "glu") != NULL);
}

static double plain_elements(struct hf *hf, const json_t *part)
{
    double d = plain_size(hf, part, "hidden_size width embed_dim d_model encoder_embed_dim");
    double n = plain_size(
        hf, part, "num_hidden_layers encoder_layers depth num_layers layers n_layers num_blocks");
    double f = plain_size(hf, part, "intermediate_size encoder_ffn_dim ffn_dim mlp_dim");
    double ratio = plain_size(hf, part, "mlp_ratio"), p = plain_size(hf, part, "patch_size");
    double t = hf->model->hidden;

    if (d <= 0 || n <= 0 || n > 1000 || hf->rc != GP_OK)
        return 0;
    f = f > 0 ? f : d * (ratio > 0 ? ratio : 4);
    return n * (4 * d * d + (plain_gated(part) ? 3 : 2) * d * f) + 3 * p * p * d + d * t + t * t;
}

/* What a reader says of a part that the tensors, where there are some, tell better. */
static void part_note(struct hf *hf, const char *name, const char *what)
{
    if (!hf->headers)
        checkpoint_note(hf->model, "%s %s", name, what);
}

static void part_missing(struct hf *hf, const char *name)
{
    struct model *m = hf->model;
    double most = TOWER_SHARE * model_params(m);
    char what[80];

    most = most < TOWER_MOST ? most : TOWER_MOST;
    m->missing_params += most;
    snprintf(what, sizeof what, "is not counted: up to %.3g B parameters more", most / 1e9);
    part_note(hf, name, what);
}

/* A part with a configuration of its own and no row. */
static void part_plain(struct hf *hf, const json_t *part, const char *name, const char *extra)
{
    double elements = plain_elements(hf, part);

    if (hf->rc != GP_OK)
        return;
    if (elements <= 0) {
        part_missing(hf, name);
        return;
    }
    hf_extra(hf, extra, ROLE_VISION, elements);
    hf->model->unsure_params += PLAIN_SLACK * elements;
    part_note(hf, name, "is counted as plain layers of its sizes, within 30 %");
}

/* Any other part of the model that has a configuration of its own. */
static void note_parts(struct hf *hf)
{
    static const char *const known[] = {
        "text_config",         "llm_config",
        "language_config",     "thinker_config",
        "vision_config",       "audio_config",
        "quantization_config", "compression_config",
        "generation_config",   "attn_config",
        "ffn_config",          "linear_attn_config",
        "per_layer_config",    "sparse_attention_config",
    };
    const char *key;
    json_t *part;

    json_object_foreach(hf->root, key, part)
    {
        size_t len = strlen(key), i = 0;
        char shown[40];

        while (i < sizeof known / sizeof *known && strcmp(known[i], key) != 0)
            i++;
        if (i < sizeof known / sizeof *known || !json_is_object(part) || len < 7 ||
            strcmp(key + len - 7, "_config") != 0)
            continue;
        safe_text(shown, sizeof shown, key, len);
        part_plain(hf, part, shown, shown);
    }
}

#define FIND(rows, type) find_row(rows, sizeof(rows) / sizeof *(rows), type)

void hfvision_add(struct hf *hf)
{
    static const struct hf_field type_field = {"model_type", .kinds = HF_TEXT};
    static const struct hf_field sides[] = {{"vision_config", .kinds = HF_OBJECT},
                                            {"audio_config", .kinds = HF_OBJECT}};
    const json_t *thinker = json_object_get(hf->root, "thinker_config"); /* Qwen's Omni */
    const json_t *whole = json_is_object(thinker) ? thinker : hf->root;
    struct tower t = {.hf = hf, .config = json_object_get(whole, "vision_config")};
    const char *outer = json_string_value(json_object_get(hf->root, "model_type"));
    const char *type = json_string_value(json_object_get(t.config, "model_type"));
    const char *own = type != NULL && type[0] != '\0' ? type : outer;
    const struct tower_row *row = FIND(projectors, outer);
    const struct tower_row *bare = FIND(bare_towers, own);
    double tower, projector;

    hf_check(hf, whole == thinker ? "thinker_config" : "", whole, sides, 2);
    struct tower audio = {.hf = hf, .config = json_object_get(whole, "audio_config")};
    if (json_is_object(audio.config) && hf->rc == GP_OK) {
        const char *kind = json_string_value(json_object_get(audio.config, "model_type"));
        double elements = row_elements(&audio, FIND(audio_towers, kind));

        if (elements > 0)
            hf_extra(hf, "audio tower", ROLE_VISION, elements);
        else
            part_plain(hf, audio.config, "the audio tower", "audio tower");
    }
    if (hf->rc == GP_OK)
        note_parts(hf);
    if (!json_is_object(t.config) || hf->rc != GP_OK)
        return;
    hf_check(hf, "vision_config", t.config, &type_field, 1);
    hf->model->vision.heads =
        (int)plain_size(hf, t.config, "num_attention_heads num_heads heads attention_heads");
    tower = row_elements(&t, bare != NULL ? bare : FIND(towers, own));
    projector = tower > 0 ? row_elements(&t, row) : 0;
    if (tower <= 0) {
        part_plain(hf, t.config, "the vision tower", "vision tower");
        return;
    }
    if (bare != NULL && projector <= 0) { /* two matrices, as most have */
        double h = hf->model->hidden, d = plain_size(hf, t.config, "hidden_size vt_hidden_size");

        projector = d * h + h * h;
        hf->model->unsure_params += projector;
        part_note(hf, "the vision projector", "is counted as two matrices");
    }
    hf_extra(hf, row == NULL ? "vision tower" : "vision tower and projector", ROLE_VISION,
             tower + projector);
}
