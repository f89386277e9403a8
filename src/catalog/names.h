/*
 * names.h - what people call a model or a GPU: from what was typed to an id, and of a model to the
 * format of its weights.
 *
 *   Qwen/Qwen3-32B-AWQ                        qwen3-32b, int4-awq
 *   https://huggingface.co/Qwen/Qwen3-32B     qwen3-32b
 *   hf.co/unsloth/Qwen3-4B-GGUF:Q6_K          qwen3-4b, q6_k
 *   llama3.3:70b-instruct-q4_K_M (Ollama)     llama-3.3-70b, q4_k_m
 *   cogito                                    qwen2.5-14b, q4_k_m: what Ollama means by it
 *   NVIDIA GeForce RTX 4090                   rtx-4090
 *
 * Texts are compared as their words: runs of letters and numbers in lower case, whatever stands
 * between them; "Qwen3-8B" is qwen, 3, 8, b. From the right of a model's name, words are taken off
 * that say how it is stored (FP8) or trained (Instruct) until what is left is a name of the
 * catalogue. Which words those are, and which publisher means which format by them, is data:
 * profiles/names.cfg.
 */
#ifndef GP_CATALOG_NAMES_H
#define GP_CATALOG_NAMES_H

#include "catalog/gpu.h"
#include "catalog/profile.h"
#include "catalog/registry.h"
#include "model/format.h"

#define NAME_WORDS_MAX 160 /* bytes of a name as words */

/* "Meta-Llama-3.1-8B" as "meta-llama-3.1-8-b"; "" when it is too long. */
void name_words(const char *text, char words[NAME_WORDS_MAX]);

struct name_scheme { /* a suffix that says how weights are stored */
    char suffix[40]; /* as words */
    char by[320];    /* '|' separated publishers who mean this by it; "" = any */
    char of[160];    /* and of bases that begin so, as words; "" = any */
    char format[FORMAT_ID_MAX];
    char other[FORMAT_ID_MAX]; /* what it may be instead; "" = nothing */
};

struct name_tag {    /* a family of Ollama's library */
    char text[32];   /* as it is written there */
    char family[32]; /* as words */
    char size[32];   /* without a tag or with "latest"; as words */
    char sizes[512]; /* '|' separated: "8b llama-3.1-8b q8_0", a tag, its model and format */
    char format[FORMAT_ID_MAX];
};

struct name_other { /* a word of what is another model than the one it names */
    char word[32];
    char what[80], hint[120];
    char but[64]; /* '|' separated publishers by whom it is none */
};

struct name_rules {
    struct name_scheme *schemes;
    struct name_tag *tags;
    struct name_other *others;
    size_t scheme_count, scheme_cap, tag_count, tag_cap, other_count, other_cap;
    /* '|' separated words */
    char leading[160];        /* before a name, as of its publisher */
    char kinds[800];          /* how a model was trained: its shape stays */
    char shapes[320];         /* before or in a name: its shape does not stay */
    char gguf[FORMAT_ID_MAX]; /* of a GGUF repository or a tag that names no format */
    char gpu_ignored[400];    /* of GPUs: vendors, generations */
    char gpu_numbered[80];    /* before a number that says nothing: sxm */
    char gpu_variants[320];   /* of a GPU's id that need not be typed: sxm */
    char gpu_leading[120];    /* Apple's machines, before the name of a chip: macbook pro */
    char gpu_modifiers[160];  /* behind a GPU's name: of another card, as ti and laptop */
    char gpu_others[240];     /* makers of what no engine here runs on */
    char gpu_portable[240];   /* portable machines, before the name of a desktop's card */
    char gpu_machines[2400];  /* "p5e.48xlarge h200-sxm:8": types of clouds without a price */
    char gpu_short[120];      /* "s super": what is written for another word behind a number */
};

void names_file_read(struct profile_group top, void *rules);
void names_fini(struct name_rules *rules);

struct name_reading {
    const char *id;                                   /* of the catalogue; NULL: none */
    char repository[160];                             /* ORG/NAME on the hub; "" = none is named */
    char name[NAME_WORDS_MAX];                        /* as typed, without a host and a publisher */
    char format[FORMAT_ID_MAX], other[FORMAT_ID_MAX]; /* "" = as published; nothing else */
    double size;  /* in billions, where it stands beside a base that names none; 0 */
    bool derived; /* the base is the end of a longer name */
    bool gguf;    /* `format` is that of a GGUF */
    const struct name_other *unlike; /* it is no such model */
    const char *base;                /* but of this one; NULL: none was found */
};

/* An address on the hub or of Ollama's library, and no path. */
bool name_is_address(const char *text);

/* known: registry_names() of models. False for what can only be a path: /m, ./m, a/b/c. */
bool name_read_model(const struct name_rules *rules, const struct registry_name *known,
                     size_t count, const struct format *formats, size_t format_count,
                     const char *text, struct name_reading *out);

#define GPU_WORDS 24

struct gpu_words { /* of a name, but for what says nothing */
    char text[NAME_WORDS_MAX];
    const char *word[GPU_WORDS]; /* in text: no copy of it is one */
    int count;
    double gb;       /* as in "A100 80GB", or 0 */
    char version[2]; /* the 4 of SXM4, or "" */
};

/* "dual-3090", "Quad RTX A6000": how many, and what stands behind the word; NULL: none does. */
const char *name_counted(const char *text, int *count);

/* Of what was typed: words that run together are taken apart. */
void name_gpu_words(const struct name_rules *rules, const char *text, struct gpu_words *out);

/* Does a name of a GPU answer what was typed? 3: it has the same words; 2: but for its memory; 1:
 * but for variants; 0: no. form: how it is built in, which may be typed beside its name. memory_gb:
 * what the GPU has, as a name may say it (0: any). */
int name_gpu_match(const struct name_rules *rules, const struct gpu_words *typed, const char *name,
                   const char *form, double memory_gb);

/* What says in a shop's, lspci's or a whole machine's name which GPU it is, as words: the longest
 * of `known` that stands in it, and the memory. False where there is none, or it could be another.
 *
 *   AD102 [GeForce RTX 4090] (rev a1)                    rtx-4090
 *   MSI GeForce RTX 5080 16G VENTUS 3X OC                rtx-5080-16-gb
 *   rtx-4080s                                            rtx-4080-super
 *   Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE]        false */
bool name_gpu_known(const struct name_rules *rules, const struct registry_name *known, size_t count,
                    const char *text, char out[NAME_WORDS_MAX]);

/* Is this a cloud's machine of that type? "ND96isr H100 v5" is Standard_ND96isr_H100_v5, and
 * SageMaker's ml.g5.xlarge is g5.xlarge. */
bool name_same_machine(const char *type, const char *typed);

/* 4080s, 4070tis, 4090 mobile: what shops and people make of a word behind a number. */
void name_gpu_in_full(const struct name_rules *rules, const char *text, char out[NAME_WORDS_MAX]);

/* The GPUs, "h200-sxm:8", of a machine that neither prices nor servers hold. */
bool name_gpu_machine(const struct name_rules *rules, const char *text, char gpu[64]);

/* Are the words of one text those of the other, or does the other go on behind them? */
bool name_begins(const char *text, const char *name);

#endif
