/*
 * model.h - the shape of a model, and every tensor that follows from it.
 *
 * A model is a list of layers; each layer is one of a few kinds (struct layer_kind):
 * a mixer (some attention or some recurrence) and an MLP. Llama-3.1-70B is 80 layers
 * of one kind; Gemma-3 is 52 of a sliding and 10 of a full kind; Jamba alternates
 * four. model_tensors() turns a kind into its tensors, with shapes, and everything
 * else (parameter counts, weight bytes in any format, sharding over GPUs) is a sum
 * over those tensors: there is no second formula for the same thing.
 *
 * Example: Llama-3.1-8B, one layer: q 4096x4096, k and v 1024x4096, o 4096x4096,
 * gate and up 14336x4096, down 4096x14336, two norms of 4096 = 218,112,000 elements;
 * 32 layers + embedding and head 2 x 128256x4096 + norm 4096 = 8,030,261,248.
 *
 * Plain value structs without pointers: copy them freely.
 */
#ifndef GP_MODEL_MODEL_H
#define GP_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/format.h"

#define MODEL_ID_MAX 64
#define MODEL_MAX_LAYERS 512
#define MODEL_MAX_KINDS 16
#define MODEL_MAX_TENSORS 64 /* of one layer kind, or of the model outside its layers */
#define MODEL_MAX_EXTRAS 8
#define MODEL_MAX_CHECKPOINTS 4

/* What a tensor is for. The role decides how it is sharded (layout.h) and whether a
 * format quantises it (format.keep_roles, model.native). */
enum tensor_role {
    ROLE_EMBED,       /* token embedding, learned positions */
    ROLE_HEAD,        /* output matrix, when not tied */
    ROLE_NORM,        /* norms, biases, sinks and other small vectors */
    ROLE_ROUTER,      /* MoE gate */
    ROLE_ATTN_Q,      /* query projection (and output gate) */
    ROLE_ATTN_KV,     /* key and value projections: at least one KV head per GPU */
    ROLE_ATTN_OUT,    /* attention output projection */
    ROLE_ATTN_LATENT, /* MLA down projections: on every TP rank */
    ROLE_INDEXER,     /* DSA indexer: on every TP rank */
    ROLE_RECURRENT,   /* Mamba, DeltaNet, KDA, lightning projections */
    ROLE_MLP,         /* dense MLP */
    ROLE_EXPERT,      /* routed experts */
    ROLE_SHARED,      /* shared experts, latent projections of a LatentMoE */
    ROLE_LAYER_EMBED, /* per-layer embeddings (Gemma E2B/E4B): may stay on the CPU */
    ROLE_NGRAM,       /* tables of hashed n-grams (Qwen4-Exp, Engram): likewise */
    ROLE_VISION,      /* vision tower and its projector */
    ROLE_OTHER,       /* anything a file holds that has no role above */
    ROLE_COUNT
};

/* What a mixer is: all but its readers (hflayers.c, hfarch.c, ggufmodel.c), its tensors
 * (model_tensors.c) and its cache (kvcache.c) ask for these and not for its name. */
enum mixer_class {
    MIXER_CLASS_NOTHING,
    MIXER_CLASS_GROUPED,  /* heads with keys and values: cached per KV head */
    MIXER_CLASS_WINDOWED, /* of which it sees the last `window` tokens at most */
    MIXER_CLASS_CHUNKED,  /* or those of its chunk of `window` tokens */
    MIXER_CLASS_LATENT,   /* caches one vector for all heads, which every GPU holds, and
                            * projects it up to keys and values */
    MIXER_CLASS_POOLED,   /* such a vector is key and value; beyond the window, of several tokens */
    MIXER_CLASS_RECURRENT, /* keeps a state of one size instead of keys and values */
    MIXER_CLASS_GATED,     /* likewise, with gates of low rank (Kimi's) */
    MIXER_CLASS_MAMBA
};
enum mixer_trait {
    MIXER_IS_NOTHING = 1 << MIXER_CLASS_NOTHING,
    MIXER_IS_CHUNKED = 1 << MIXER_CLASS_CHUNKED,
    MIXER_IS_WINDOWED = 1 << MIXER_CLASS_WINDOWED | MIXER_IS_CHUNKED,
    MIXER_IS_GROUPED = 1 << MIXER_CLASS_GROUPED | MIXER_IS_WINDOWED,
    MIXER_IS_PROJECTED = 1 << MIXER_CLASS_LATENT,
    MIXER_IS_POOLED = 1 << MIXER_CLASS_POOLED,
    MIXER_IS_LATENT = MIXER_IS_PROJECTED | MIXER_IS_POOLED,
    MIXER_IS_ATTENTION = MIXER_IS_GROUPED | MIXER_IS_LATENT,
    MIXER_IS_MAMBA = 1 << MIXER_CLASS_MAMBA,
    MIXER_IS_GATED = 1 << MIXER_CLASS_GATED,
    MIXER_IS_RECURRENT = 1 << MIXER_CLASS_RECURRENT | MIXER_IS_GATED | MIXER_IS_MAMBA
};

/* What mixes the tokens of a layer: X(NAME, its word in profiles and answers, its class, the
 * counts of its layer kind that it cannot do without).
 *   full       MHA, GQA, MQA over the whole context
 *   sliding    the same over the last `window` tokens
 *   chunked    the same inside chunks of `window` tokens (Llama 4)
 *   mla        multi-head latent attention; index_heads > 0: DSA
 *   csa        DeepSeek V4: window + pool compressed `compress`:1
 *   deltanet   gated DeltaNet (Qwen3-Next, Qwen3.5)
 *   kda        Kimi delta attention
 *   lightning  MiniMax linear attention
 *   conv       gated short convolution (LFM2) */
#define MIXERS(X)                                                                                 \
    X(NONE, "none", NOTHING, "") /* an MLP-only layer (Nemotron-H) */                             \
    X(FULL, "full", GROUPED, "heads kv_heads head_dim")                                           \
    X(SLIDING, "sliding", WINDOWED, "heads kv_heads head_dim window")                             \
    X(CHUNKED, "chunked", CHUNKED, "heads kv_heads head_dim window")                              \
    X(MLA, "mla", LATENT, "heads kv_lora nope_dim v_head_dim")                                    \
    X(CSA, "csa", POOLED, "heads head_dim q_lora window o_groups o_lora")                         \
    X(MAMBA1, "mamba1", MAMBA, "lin_v_heads lin_v_dim lin_k_dim dt_rank conv_kernel")             \
    X(MAMBA2, "mamba2", MAMBA, "lin_v_heads lin_v_dim lin_k_dim groups conv_kernel")              \
    X(DELTANET, "deltanet", RECURRENT, "lin_k_heads lin_v_heads lin_k_dim lin_v_dim conv_kernel") \
    X(KDA, "kda", GATED, "lin_k_heads lin_v_heads lin_k_dim lin_v_dim conv_kernel")               \
    X(LIGHTNING, "lightning", RECURRENT, "lin_k_heads lin_v_heads lin_k_dim lin_v_dim")           \
    X(CONV, "conv", RECURRENT, "lin_v_heads lin_v_dim conv_kernel")

enum mixer {
#define X(NAME, word, class, needs) MIXER_##NAME,
    MIXERS(X)
#undef X
        MIXER_COUNT
};

enum qk_norm { QK_NORM_NONE, QK_NORM_HEAD /* 2d */, QK_NORM_FULL /* (nh+kv)d */ };

/* One kind of layer. Counts are per layer; 0 = absent. */
struct layer_kind {
    enum mixer mixer;

    /* attention */
    int heads;      /* nh, query heads */
    int kv_heads;   /* kv */
    int head_dim;   /* d, of K (and of Q) */
    int v_head_dim; /* of V; equal to head_dim unless said */
    int window;     /* tokens, SLIDING, CHUNKED and CSA */
    enum qk_norm qk_norm;
    bool q_bias, kv_bias, o_bias;
    bool out_gate;  /* q projection twice as wide (Qwen3-Next) */
    bool sinks;     /* one scalar per head (gpt-oss) */
    bool cross;     /* a second attention, over the encoder's output (Whisper) */
    bool kv_shared; /* stores no KV of its own, reads an earlier layer's (Gemma E2B) */
    bool k_is_v;    /* one projection serves as K and V; both are cached */

    /* MLA (and the low-rank query of CSA) */
    int q_lora;  /* 0: full-rank query */
    int kv_lora; /* kvl */
    int rope_dim, nope_dim;
    int rotary;                 /* of head_dim, what turns with the position; 0 = all of it */
    int rope_rows;              /* positions in its table of cos and sin; 0 = max_context */
    int index_heads, index_dim; /* DSA and CSA indexer */
    int index_pool;             /* tokens per index key; 0 = one each */
    bool index_shared;          /* uses an earlier layer's index keys: stores none */
    int compress;               /* CSA: tokens per pooled entry; 0 = window only */
    bool csa2;            /* V4.1's CSA: index keys come from the pooled entries, and layers with
                       * kv_shared read the pool and the index keys of an earlier one */
    int o_groups, o_lora; /* CSA: output projection in groups of low rank */
    int streams;          /* hyper-connections: parallel residual streams (V4: 4) */

    /* recurrence. Mamba2: lin_v_heads heads of lin_v_dim, state lin_k_dim (n), groups.
     * Mamba1: inner = lin_v_heads*lin_v_dim, state lin_k_dim, dt rank dt_rank.
     * DeltaNet and KDA: lin_k_heads x lin_k_dim keys, lin_v_heads x lin_v_dim values.
     * Conv: lin_v_heads*lin_v_dim channels. */
    int lin_k_heads, lin_v_heads, lin_k_dim, lin_v_dim;
    int groups, conv_kernel, dt_rank;
    int gate_rank; /* KDA: of the output gate; 0 = full */
    bool unnormed; /* Mamba2: its output has no norm (Falcon-H1) */

    /* MLP: dense when ff > 0, MoE when experts > 0, both in parallel for Gemma 4 */
    int ff;     /* dense intermediate size */
    bool gated; /* gate, up, down (3 matrices) or up, down (2) */
    bool mlp_bias;
    int experts, experts_active;
    int expert_ff;    /* of one expert */
    int shared_ff;    /* all shared experts together */
    bool shared_gate; /* h-wide gate of the shared expert (Qwen) */
    bool router_bias; /* one bias or correction per expert */
    bool expert_bias; /* biases in the experts (gpt-oss) */
    int latent;       /* LatentMoE: width the experts work in; 0 = hidden */
    int layer_embed;  /* width of the per-layer embedding (Gemma E2B: 256) */

    int norms;      /* h-wide norm vectors per layer (2 for Llama, 4 for Gemma 2) */
    bool norm_bias; /* LayerNorm: each norm also has a bias */
    double extra;   /* further elements per layer that no rule above counts (small) */
};

/* Elements outside the layers that a rule cannot derive: vision tower, learned
 * positions, pooler. Shown by name, counted as they are. */
struct model_extra {
    char name[40];
    enum tensor_role role;
    double elements;
};

/* The shape of a vision tower, and the largest item that it is given (activation.h). All 0:
 * there is none, or nobody states its shape. */
struct model_vision {
    int width, ff, layers; /* of its transformer */
    bool gated;            /* its MLP has three matrices */
    int pixels;            /* values of one patch: 3*14*14; of two frames 3*14*14*2 */
    int patches, tokens;   /* of the largest item: patches that the tower computes, tokens
                            * that it makes of them for the language model */
    int groups;            /* a video: it has so many groups of frames at most, each as
                            * large as said, and no more than the context takes; 0 = one */
    int deepstack;         /* inner layers whose outputs the language model is given too */
    int heads;             /* of its attention; read from a config.json without the others, too */
    char source[192];
};

/* A published checkpoint in another format than the release's own: what its list of
 * modules that stay as they are, or are quantised otherwise, makes of the roles; and the width
 * of an MLP that was padded so that TP cuts whole groups of scales. */
struct model_checkpoint {
    char format[FORMAT_ID_MAX];           /* that of the rest: "nvfp4" */
    char role[ROLE_COUNT][FORMAT_ID_MAX]; /* "" = as the format itself says */
    int ff;                               /* of its MLPs; 0 = the model's own */
    char source[224];                     /* its repository and file */
};

/* Bytes of a checkpoint, when there is one: exact from its own tensors, or inferred from the
 * rules of its config.json, whose files have low to high times as many. [kind][role], the row
 * kind_count holds what lies outside the layers. */
struct model_bytes {
    bool known;
    bool inferred;
    double low, high;                                /* 0: not said */
    double by_role[MODEL_MAX_KINDS + 1][ROLE_COUNT]; /* bytes, summed over layers */
    double file_bytes;                               /* of all files */
};

/* YaRN, where the model's makers say that it reads longer texts by it. A release that is served so
 * is a model of its own, whose max_context is original * factor. */
struct model_yarn {
    int context;      /* tokens at most; 0: none is named */
    int original;     /* of its training, original_max_position_embeddings */
    int theta;        /* rope_theta */
    int factor;       /* in use; 0: none */
    int trained;      /* max_context without it, where it is in use */
    char source[192];
};

struct model {
    char id[MODEL_ID_MAX];
    char name[96];
    char family[40];
    int hidden;                      /* h */
    int vocab;                       /* V; 0 for a vision or speech encoder */
    bool tied;                       /* output matrix = embedding */
    int layer_count;                 /* L */
    int layer_parts;                 /* of ours that make one of a checkpoint's; 0 = 1 */
    uint8_t layer[MODEL_MAX_LAYERS]; /* index into kind[], layer by layer */
    int kind_count;
    struct layer_kind kind[MODEL_MAX_KINDS];
    bool final_norm; /* h-wide norm before the head */
    bool final_norm_bias;
    bool embed_norm; /* LayerNorm after the embedding (BLOOM): 2h */
    int positions;   /* learned position embeddings: rows of h; 0 */
    int extra_count;
    struct model_extra extra[MODEL_MAX_EXTRAS];
    struct model_vision vision;
    int max_context;                        /* tokens; 0 = not a decoder */
    struct model_yarn yarn;                 /* to more than that */
    char contexts[96];                      /* "2507 262144|coder 262144": of the releases that
                                             * have such a word in their name */
    bool assumed;                           /* a bare size: the shape is nobody's */
    bool weights_only;                      /* encoders, vision, speech, image: no KV cache */
    bool pooling;                           /* a prompt is answered with a vector or a score */
    char native_dtype[FORMAT_ID_MAX];       /* "bf16", "fp16", "fp32" */
    char native[ROLE_COUNT][FORMAT_ID_MAX]; /* format of each role as published */
    char native_down[2][FORMAT_ID_MAX];     /* the down projections of a GGUF file, whose mixes
                                         * give them two types, layer by layer; "" = none */
    char native_name[96];                   /* in words: "fp8 128x128 block" */
    char native_method[64];                 /* quantization_config.quant_method, "" = none;
                                             * with a form that engines tell apart "gptq-3bit" */
    char native_unread[32];                 /* a quantiser's method that has no reader here */
    char native_kv[FORMAT_ID_MAX];          /* KV format a checkpoint asks for; "" = activations' */
    int checkpoint_count;
    struct model_checkpoint checkpoint[MODEL_MAX_CHECKPOINTS];
    struct model_bytes bytes;   /* exact bytes of a local checkpoint */
    double mtp_params;          /* MTP layers, counted apart, not loaded by default */
    double published;           /* exact published count, 0 = none */
    char published_note[96];    /* what that count includes beyond params_total */
    char published_source[256]; /* who published it */
    double published_extra;     /* elements in `published` beyond params_total */
    double missing_params;      /* elements at most of parts that are not counted */
    double unsure_params;       /* that its towers may have more or less */
    char note[384];
    char source[320];
    char date[16]; /* when the figures were gathered: "2026-11" */
};

/* One tensor or several alike. */
struct tensor {
    const char *name; /* "q_proj", as Hugging Face names it where it can */
    enum tensor_role role;
    double rows;  /* output features; 1 for a vector */
    double cols;  /* input features, or the vector's length */
    double count; /* how many of this shape (experts) */
};

/* The first layer kind with tensors of this role; NULL when they lie outside. */
const struct layer_kind *model_kind_of_role(const struct model *model, enum tensor_role role);
/* The tensors of one layer of kind k / outside the layers. Return how many. */
int model_layer_tensors(const struct model *model, int k, struct tensor out[MODEL_MAX_TENSORS]);
int model_global_tensors(const struct model *model, struct tensor out[MODEL_MAX_TENSORS]);

/* Elements of everything loaded (no MTP, no scales): "params_total". */
double model_params(const struct model *model);
/* Elements that work on one token: routed experts scaled by active/total, the vision
 * tower left out. */
double model_params_active(const struct model *model);
/* Elements of one role over the whole model. */
double model_params_role(const struct model *model, enum tensor_role role);
/* The same of all roles. */
void model_params_roles(const struct model *model, double params[ROLE_COUNT]);

/* The most routed experts that any layer has; 0 = a dense model. */
int model_experts(const struct model *model);

/* Tokens, without YaRN. */
int model_trained_context(const struct model *model);
/* A text encoder (BERT): prompts are read whole by an engine, without a KV cache. */
bool model_is_encoder(const struct model *model);
/* Does an engine for text run it? Vision, speech and image models are weights alone. */
bool model_is_served(const struct model *model);

bool model_has_mixer(const struct model *model, enum mixer_trait trait);

/* Layers of kind k. */
int model_kind_layers(const struct model *model, int k);
/* Of each kind, among layers [first, end). */
void model_count_kinds(const struct model *model, int first, int end, int layers[MODEL_MAX_KINDS]);

/* Refuses shapes that contradict themselves (kv_heads > heads, experts_active >
 * experts, a layer of a kind that is not there, dimensions outside sane bounds). */
enum gp_status model_check(const struct model *model, struct gp_err *err);

/* "embedding", "attention q", ... */
const char *role_word(enum tensor_role role);
/* The fields of a layer kind by their keys in a profile, in the order in which --show prints
 * them. A count beyond `high` means that the file is broken (products of three such bounds
 * still fit a double exactly enough). */
enum layer_field_kind { LAYER_COUNT, LAYER_FLAG, LAYER_QK_NORM };
struct layer_field {
    const char *key;
    size_t offset; /* in struct layer_kind */
    enum layer_field_kind kind;
    int high;          /* of a count */
    const char *label; /* in --show; NULL: not there */
};
#define LAYER_FIELDS 52
extern const struct layer_field layer_fields[LAYER_FIELDS];
/* The counts of a vision tower, in struct model_vision. */
#define VISION_COUNTS 9
extern const struct layer_field vision_counts[VISION_COUNTS];

const char *mixer_word(enum mixer mixer); /* "full", "sliding", "mla", ... */
extern const enum mixer_class mixer_classes[MIXER_COUNT];
static inline bool mixer_is(enum mixer mixer, enum mixer_trait trait)
{
    return (1 << mixer_classes[mixer] & trait) != 0;
}

/* Structured pruning: `layers` layers fewer, taken before the last one, which depth
 * pruning keeps; false when that leaves none. */
bool model_prune_layers(struct model *model, int layers);
/* Without its vision tower. */
void model_text_only(struct model *model);
/* Every MLP, of experts too, narrower by `share` (0..1), in whole multiples of 64. */
void model_prune_width(struct model *model, double share);

/* A model of about `params` parameters for a bare size such as "70B": the dense GQA
 * shape whose width follows the published models of that size. The caller shows it as
 * assumed. Exact for 8B and 70B (they are Llama-3.1's shapes). */
enum gp_status model_generic(double params, struct model *out, struct gp_err *err);

#endif
