/*
 * launch_file.h - profiles/launch/<engine>.cfg: the options by which an engine is started.
 *
 * A plan sets values (enum launch_setting); an engine of one version has a row for each
 * option that carries one. Writing a command walks the rows, reading one looks them up, so
 * that both know the same options:
 *
 *   { setting = "context"; flag = "--max-model-len"; line = "991"; }
 *   8192  ->  --max-model-len 8192  ->  8192
 *
 * A row holds for the versions `from` to `until`. Several rows may carry one value.
 */
#ifndef GP_CATALOG_LAUNCH_FILE_H
#define GP_CATALOG_LAUNCH_FILE_H

#include <stdbool.h>

#include "catalog/profile.h"
#include "model/format.h"

/* X(NAME, a profile's word, it is a text) */
#define LAUNCH_SETTINGS(X)                                                  \
    X(MODEL, "model", true)                                                 \
    X(DTYPE, "dtype", true)               /* id of a format */              \
    X(QUANTIZATION, "quantization", true) /* likewise */                    \
    X(KV, "kv_precision", true)           /* likewise */                    \
    X(CONTEXT, "context", false)                                            \
    X(SEQS, "max_num_seqs", false)                                          \
    X(UNIFIED, "unified", false) /* all slots share one cache */            \
    X(TOKENS, "max_batched_tokens", false)                                  \
    X(SHARE, "share", false) /* of memory, in the engine's own meaning */   \
    X(EAGER, "eager", false) /* no CUDA graphs */                           \
    X(PRIORITY, "priority", false) /* requests go by theirs */              \
    X(LOW_FIRST, "low_first", false)                                        \
    X(TP, "tp", false)                                                      \
    X(PP, "pp", false)                                                      \
    X(DP, "dp", false) /* parts of the attention in one group */            \
    X(EP, "ep", false)                                                      \
    X(YARN, "yarn", true)                /* JSON, an object */              \
    X(YARN_FACTOR, "yarn_factor", false)                                    \
    X(YARN_ORIGINAL, "yarn_original", false)                                \
    X(CPU_OFFLOAD, "cpu_offload", false) /* GiB of each GPU */              \
    X(KV_OFFLOAD, "kv_offload", false)   /* in the engine's unit */         \
    X(GPU_LAYERS, "gpu_layers", false)                                      \
    X(CPU_MOE, "cpu_moe", false)                                            \
    X(NO_KV, "no_kv_offload", false)                                        \
    X(SPLIT_MODE, "split_mode", true)                                       \
    X(SPLIT, "split", true) /* layers of each GPU */                        \
    X(DRAFT, "draft", true)                                                 \
    X(DRAFT_KIND, "draft_kind", true) /* a word of draft_facts (draft.h) */ \
    X(DRAFT_TOKENS, "draft_tokens", false)                                  \
    X(DRAFT_STEPS, "draft_steps", false) /* of what drafts one at a time */ \
    X(NGRAM_TOKENS, "ngram_tokens", false)                                  \
    X(LORA_SLOTS, "lora_slots", false)                                      \
    X(LORA_RANK, "lora_rank", false)                                        \
    X(TEXT_ONLY, "text_only", false)                                        \
    X(PREFIX, "prefix_caching", false)                                      \
    X(FLASH, "flash", false)                                                \
    X(FIXED, "fixed", false) /* always */                                   \
    X(SEVERAL_GPUS, "several_gpus", false)                                  \
    X(CONFIG, "config", true) /* name of the engine's own file */           \
    X(GPUS_PER_NODE, "gpus_per_node", false)                                \
    X(RAY, "ray", false)                                                    \
    X(NODES, "nodes", false)                                                \
    X(NODE_RANK, "node_rank", true)                                         \
    X(MASTER, "master", true)                                               \
    X(DP_LOCAL, "dp_local", false)                                          \
    X(DP_START, "dp_start", true)                                           \
    X(DP_ADDRESS, "dp_address", true)                                       \
    X(HEADLESS, "headless", false)                                          \
    X(HOST, "host", true) /* what a container's server listens on */        \
    X(PORT, "port", true)

enum launch_setting {
#define X(NAME, word, text) LAUNCH_##NAME,
    LAUNCH_SETTINGS(X)
#undef X
        LAUNCH_SETTING_COUNT
};

/* How an option carries its value. X(NAME, a profile's word) */
#define LAUNCH_FORMS(X)                                                         \
    X(VALUE, "value")         /* the word after it */                           \
    X(COUNT, "count")         /* likewise, a whole number */                    \
    X(SWITCH, "switch")       /* it is there */                                 \
    X(FIRST, "first")         /* a word without an option */                    \
    X(FILES, "files")         /* it is there so often, each time with a file */ \
    X(RPC, "rpc")             /* the other hosts: HOST1:50052,HOST2:50052 */    \
    X(LEAST, "least")         /* a value of `least` or more; tells nothing */   \
    X(READ, "read")           /* a value, in commands of others alone */        \
    X(JSON, "json")           /* a member of the JSON after it */               \
    X(ENV, "env")             /* a variable of the environment */               \
    X(YAML, "yaml")           /* a key of the engine's file */                  \
    X(MODELFILE, "modelfile") /* a parameter of Ollama's */

#define X(NAME, word) LAUNCH_AS_##NAME,
enum launch_form { LAUNCH_FORMS(X) };
#undef X

/* What a number counts in the option. X(NAME, a profile's word) */
#define LAUNCH_UNITS(X)                                        \
    X(ONE, "one")                                              \
    X(GROUP, "group") /* times the parts of the attention */   \
    X(CELLS, "cells") /* of one slot -> of the cache of all */ \
    X(ALL, "all")     /* a switch that stands for tp times those parts */

#define X(NAME, word) LAUNCH_PER_##NAME,
enum launch_unit { LAUNCH_UNITS(X) };
#undef X

struct launch_flag {
    enum launch_setting setting;
    enum launch_form form;
    enum launch_unit unit;
    char flag[48];               /* "--max-model-len" */
    char also[96];               /* other spellings, '|' between */
    char name[48];               /* in the engine's own configuration: "max_model_len" */
    char key[32];                /* of JSON */
    char constant[24];           /* in place of the value, which is not told then; "" */
    char prefix[24], suffix[24]; /* of the value */
    double add;                  /* to the number */
    double least;                /* of LAUNCH_AS_LEAST */
    long from, until;            /* engine_version(), inclusive */
    char line[48];               /* of the source */
};

/* What an engine calls a format. */
struct launch_word {
    enum launch_setting setting;
    char value[FORMAT_ID_MAX];
    char word[32];
    bool read; /* known when read, not written */
    long from, until;
};

#define LAUNCH_FLAGS_MAX 64
#define LAUNCH_WORDS_MAX 48

struct launch_engine {
    char id[24];     /* first: the item's */
    char aliases[1]; /* that of struct engine has them */
    char name[32];
    char command[96];                   /* '|' between its words */
    char image[96];                     /* of a container; {version} */
    char image_amd[96], image_host[96]; /* likewise, of AMD GPUs and of processors; "" */
    char image_command[96];             /* `command` in it; "" = the same */
    char cache[64], cache_host[64];     /* where it keeps models: in it, on a host; "" */
    char health[24];                    /* path that answers when it serves; "" */
    int port;                           /* of the first replica, and the engine's default */
    bool all_gpus;                      /* takes every GPU that it sees */
    bool kv_always;                     /* the KV cache's type is always told */
    char hosts[8];                      /* "mpi"; "one": it stays on one; "": by its options */
    char unneeded[48];                  /* settings that it needs no option for, '|' between */
    char ranks[32];      /* what mpirun starts the command with on several hosts; "" */
    char triton[16];     /* Triton's backend that runs it; "" = none */
    bool on_demand;      /* loads a model when it is asked for it: no batch job */
    char then[96];       /* commands to type when it runs; {model}; "" = none */
    char lora_names[32]; /* option that names the adapters; "" = its flags take files */
    int dp_tp;           /* TP that attention data parallel asks for; 0 = any */
    struct launch_flag flag[LAUNCH_FLAGS_MAX];
    struct launch_word word[LAUNCH_WORDS_MAX];
    int flag_count, word_count;
    char source[256], date[16];
};

const char *launch_setting_word(enum launch_setting setting);
bool launch_setting_is_text(enum launch_setting setting);

/* Into a struct launch_engine: a profile_read_fn. */
void launch_file_read(struct profile_group top, void *item);

#endif
