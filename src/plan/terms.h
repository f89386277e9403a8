/*
 * terms.h - what a plan's estimators computed, term by term: --why.
 *
 * A term is a name, a symbol, an equation in the field's symbols, the inputs that the
 * equation names, a value with its band, and a source. Texts are constants or borrowed
 * from the profiles; answer/print_why.c writes them out. Nothing is computed here:
 * values are read from the plan, and where only a part of one is shown (the rope table,
 * padding, the KV of one layer kind) the estimator is asked again with the rest taken
 * away.
 *
 *   layout, GPU, model   GPUs, physical and usable memory, parameters
 *   weights              role by role, what the engine adds            weights.c
 *   overheads            activation, non-torch, graphs                 memory.c
 *   KV cache             per token, per layer kind, per request        kvcache.c
 *   the pool             what is left, what it holds, what is needed
 *   cost                 instances, rent, capital, break-even          cost.c
 *   speed                parts of a step, TPOT, TTFT, throughput       terms_speed.c
 *
 * and of fine-tuning, in train.c. Each estimator has its own terms beside its
 * equations.
 *
 * Example, Llama-3.1-8B on an H100, vLLM 0.19 at 0.95, the line of the budget:
 *   budget = utilization * usable: utilization 0.95 (request), usable 79.19 GiB (sheet)
 *   = 75.23 GiB
 */
#ifndef GP_PLAN_TERMS_H
#define GP_PLAN_TERMS_H

#include "base/quantity.h"

#define TERMS_MAX 112
#define INPUTS_MAX 16 /* of one term */

enum input_style {
    INPUT_WORD,   /* name and unit alone: "precision fp8", "no head on this stage" */
    INPUT_NUMBER, /* "utilization 0.92 (request)", "s 8,192 (request)" */
    INPUT_BYTES,  /* "usable 79.190 GiB (sheet)", in GiB with its band */
    INPUT_EXACT,  /* bytes in their own unit: "block bytes 2 MiB (exact)" */
    INPUT_MONEY   /* "rent $2.29/h" */
};

struct term_input {
    enum input_style style;
    const char *name; /* "utilization", name_len bytes of it; 0 = none */
    int name_len;
    struct quantity value;
    const char *unit;   /* behind the number; NULL = none */
    const char *origin; /* "request", "engine default"; NULL: not told */
    int times;          /* "32 x full 4,096 B a layer"; 0 = one */
};

struct term_source {
    const char *name;            /* "vLLM", "h100-sxm", "the parts above" */
    const char *version, *date;  /* "" = none */
    const char *evidence, *text; /* "logged, 0.19"; "NVIDIA datasheet" */
};

/* A number in a name, with what stands before it: " x ", 8192. */
struct term_size {
    const char *before;
    int number;
};

#define SIZES_MAX 3

struct term {
    const char *name;                 /* "weights", "KV per token", "activation: sampling" */
    const char *part;                 /* of the name, "mlp": "weights: mlp"; NULL = none */
    int layers;                       /* and of how many: "KV: 52 sliding layers"; 0 = none */
    struct term_size size[SIZES_MAX]; /* "product: mlp 7168 x 8192" */
    int size_count;
    const char *symbol;   /* what equations call it: "weights", "sampling"; W_i of many */
    const char *equation; /* "utilization * usable" */
    struct term_input input[INPUTS_MAX];
    int input_count;
    struct quantity value;
    const char *unit; /* "GiB", "tokens", "$/h": value is already in it */
    struct term_source source;
};

struct plan;

/* Fills out[] and returns how many. A plan whose layout was refused has few. The terms
 * borrow texts from the plan and its profiles. */
int terms_of_plan(const struct plan *plan, struct term out[TERMS_MAX]);

#endif
