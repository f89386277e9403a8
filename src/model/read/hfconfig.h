/*
 * hfconfig.h - the inside of the config.json reader, shared by its files.
 *
 *   hfcheck.c    types and ranges of the known keys
 *   hfkeys.c     keys and their other names, sums that a table row states as text
 *   hfconfig.c   text to JSON, nesting, what concerns the model as a whole
 *   hfarch.c     the table of architectures: what a model_type implies
 *   hflayers.c   each layer's attention or recurrence, and MLP
 *   hfvision.c   vision towers
 *   hfquant.c    quantization_config: from a quantiser's form to schemes and rules
 *   hfmodules.c  ... and from these to bytes, matrix by matrix
 *   hfmatch.c    does a rule name a module?
 *
 * A reader that finds something wrong notes it once (hf_fail) and goes on with zeros;
 * the caller looks at hf->rc at the end. That keeps every getter an expression.
 */
#ifndef GP_MODEL_READ_HFCONFIG_H
#define GP_MODEL_READ_HFCONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"
#include "model/read/checkpoint.h"

struct hf;

/* What the modelling code of an architecture does whatever config.json says. */
enum hf_trait {
    HF_TIED = 1u << 0,       /* tie_word_embeddings when the key is absent */
    HF_UNGATED = 1u << 1,    /* MLP of two matrices */
    HF_NORM_BIAS = 1u << 2,  /* LayerNorm with bias, the final one too */
    HF_QK_HEAD = 1u << 3,    /* norms of q and k per head */
    HF_QK_FULL = 1u << 4,    /* over all heads */
    HF_QK_KEY = 1u << 5,     /* ... only if use_qk_norm is true */
    HF_QKV_BIAS = 1u << 6,   /* q, k, v always have biases */
    HF_O_BIAS = 1u << 7,     /* and o */
    HF_BIAS_KEY = 1u << 8,   /* attention_bias gives q, k, v biases */
    HF_BIAS_KEY_O = 1u << 9, /* attention_bias gives o one */
    HF_MLP_BIAS = 1u << 10,  /* the MLP always has biases */
    HF_USE_BIAS = 1u << 11,  /* use_bias gives every linear layer one */
    HF_MOE_FF = 1u << 12,    /* experts are intermediate_size wide */
    HF_SHARED_GATE = 1u << 13,
    HF_ROUTER_BIAS = 1u << 14,
    HF_EXPERT_BIAS = 1u << 15,
    HF_SINKS = 1u << 16,
    HF_OUT_GATE = 1u << 17,
    HF_MLA = 1u << 18,       /* full attention is latent */
    HF_SWA = 1u << 19,       /* sliding_window holds for every layer */
    HF_SWA_KEY = 1u << 20,   /* only where use_sliding_window is true */
    HF_NO_NORM = 1u << 21,   /* norms without weights (OLMo) */
    HF_MTP_COPY = 1u << 22,  /* MTP layers store embedding and head again */
    HF_LLAMA4 = 1u << 23,    /* dense width is intermediate_size_mlp */
    HF_HEAD_BIAS = 1u << 24, /* the output matrix has a bias */
    HF_DSA = 1u << 25,       /* an indexer in every MLA layer */
    HF_FF_4H = 1u << 26,     /* a missing width is 4 * hidden */
    HF_MLP_KEY = 1u << 27,   /* mlp_bias gives the MLP biases */
    HF_SWA_SINKS = 1u << 28, /* sinks in sliding layers alone */
    HF_LOW_GATE = 1u << 29,  /* KDA's output gate has a low rank */
    HF_STREAMS = 1u << 30,   /* hc_mult residual streams, mixed as in DeepSeek V4 */
};

struct hf_arch {
    const char *types; /* of model_type, separated by blanks */
    const char *family;
    int norms;         /* per layer */
    int pattern;       /* every n-th layer is full, the others slide; 0 = none */
    enum mixer linear; /* what "linear_attention" or "mamba" means here */
    unsigned traits;
    const char *defaults; /* "key=value ..." that the architecture's class assumes */
    const char *width;    /* of a dense MLP, where it is not intermediate_size */
    const char *each;     /* elements of a layer that no other rule counts */
    const char *once;     /* and of the model outside its layers */
    const char *refuse;   /* the fact that is missing to plan this type */
    int parts;            /* layers of ours that make one of the file's; 0 = one */
    void (*layer)(struct hf *hf, int i, struct layer_kind *kind); /* not the standard */
    void (*finish)(struct hf *hf);                                /* after the layers */
};

/* What a known key may hold. A set: some may hold one thing or another. */
enum hf_kind {
    HF_COUNT = 1u << 0, /* whole, low..high, also when written 8192.0 */
    HF_GROUP = 1u << 1, /* likewise, but not 0: -1 is a whole row */
    HF_NUMBER = 1u << 2,
    HF_FLAG = 1u << 3,
    HF_TEXT = 1u << 4,
    HF_OBJECT = 1u << 5,
    HF_TEXTS = 1u << 6, /* lists */
    HF_COUNTS = 1u << 7,
    HF_OBJECTS = 1u << 8,
};

#define HF_HINT "correct the file or download it again; null or leaving it out means the default"

struct hf_field {
    const char *keys; /* separated by blanks */
    unsigned kinds;
    double low, high;
    const char *words;   /* the texts it may hold, separated by blanks; NULL = any */
    const char *letters; /* the letters its text is made of */
    int items;           /* how many a list has; 0 = any number */
};

/* A value and where it stands: path "text_config", name "n_embd". */
struct hf_found {
    json_t *value;
    const char *path;
    char name[64];
};

struct hf {
    const char *where;
    const char *side_where; /* a quantiser's file beside it */
    const char *level;      /* "text_config", "" when root and text are one */
    struct gp_err *err;
    enum gp_status rc;
    json_t *root; /* the whole file */
    json_t *text; /* the level of the language model */
    const struct hf_arch *arch;
    const char *type; /* model_type, as messages name it */
    struct model *model;
    bool headers;                  /* tensors are at hand: plan an unknown type too */
    int layer;                     /* being read; -1 outside the layers */
    const json_t *own;             /* what the file says of that layer alone */
    const struct layer_kind *kind; /* of that layer, as far as it is read */
};

/* The value of a name in a sum. */
typedef double hf_value_fn(const void *object, const char *name);

/* What stands for NaN, which has no room for null: counted as absent. */
#define HF_NAN "\x7f"

/* What a text such as "2*h + heads*d" comes to; NULL is 0. */
double hfexpr(const char *text, hf_value_fn *value, const void *object);

/* hfarch.c */
const struct hf_arch *hfarch_find(const char *type);
bool hfarch_nearest(const char *type, char *near, size_t size);
/* For a type without a row: heads and widths as the file states them. */
const struct hf_arch *hfarch_stand_in(void);

/* hfcheck.c: an error for each known key of a wrong type or out of range. */
void hf_check(struct hf *hf, const char *path, const json_t *object, const struct hf_field *fields,
              size_t count);
void hf_check_model(struct hf *hf);

/* hfkeys.c: getters. Keys are canonical; the alias table knows the others. */
void hf_fail(struct hf *hf, const char *key, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
json_t *hf_present(const json_t *object, const char *key);
/* Takes the first word off a list that blanks divide; false at its end. */
bool hf_next_word(const char **list, char word[64]);
/* The value of a key of one object under any of its names, which is name[64]. */
json_t *hf_get_at(const json_t *object, const char *key, char name[64]);
struct hf_found hf_find(const struct hf *hf, const char *key);
json_t *hf_get(const struct hf *hf, const char *key); /* NULL: absent or null */
int hf_int(struct hf *hf, const char *key, int fallback);
int hf_need(struct hf *hf, const char *key); /* absent is an error */
bool hf_bool(struct hf *hf, const char *key, bool fallback);
const char *hf_text(const struct hf *hf, const char *key);
bool hf_has(const struct hf *hf, const char *key);
/* An int of a sub-object; absent: fallback. */
int hf_sub_int(struct hf *hf, const json_t *object, const char *key, int fallback);
bool hf_trait(const struct hf *hf, unsigned trait);
void hf_extra(struct hf *hf, const char *name, enum tensor_role role, double elements);
/* Is value one of the integers of the list under key? */
bool hf_listed(const struct hf *hf, const char *key, int value);
/* The value of a key in a text "key=value ...", else 0. */
double hf_assumed(const char *defaults, const char *key);
/* A number or flag of the file, or what the class assumes, else 0. */
double hf_number(const struct hf *hf, const char *key);
/* A sum over the names of the layer being read and the keys of the file. */
double hf_sum(const struct hf *hf, const char *text);

/* hflayers.c */
void hflayers_build(struct hf *hf);
void hf_attention(struct hf *hf, int i, struct layer_kind *kind, enum mixer mixer);
void hf_mlp(struct hf *hf, int i, struct layer_kind *kind);

void hf_experts(struct hf *hf, struct layer_kind *kind);
void hf_recurrence(struct hf *hf, struct layer_kind *kind, enum mixer mixer);
void hf_standard_layer(struct hf *hf, int i, struct layer_kind *kind);
/* The word that layer_types holds for layer i, or NULL. */
const char *hf_layer_word(const struct hf *hf, int i);
enum mixer hf_layer_mixer(struct hf *hf, int i);

/* hfvision.c */
void hfvision_add(struct hf *hf);

/* hfquant.c: side is a file of a quantiser beside config.json, or NULL. */
void hfquant_read(struct hf *hf, json_t *side);
/* hfmatch.c: does a pattern of an ignore list name a module? *budget is counted down; at 0 nothing
 * matches any more. */
bool hfmatch(const char *pattern, const char *module, long *budget);

/* config.json and, when side_len > 0, the text of a quantiser's file beside it.
 * headers: the tensors will be summed, so that an unknown type is no error. */
enum gp_status hfconfig_parse_pair(const char *where, const char *text, size_t len,
                                   const char *side_where, const char *side, size_t side_len,
                                   bool headers, struct model *out, struct gp_err *err);

#endif
