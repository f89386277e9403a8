/*
 * format.h - how many bytes a tensor takes in a weight format.
 *
 * A format stores `bits` per element and, beside them, scales (and zero points): one
 * set per group of elements along a row, per row, per block of rows x columns, or per
 * tensor. For a linear layer of rows (output features) x cols (input features):
 *
 *   bytes = rows*cols*bits/8
 *         + ceil(rows/group_rows) * ceil(cols/group_cols) * group_bytes
 *         + cols*input_bytes + tensor_bytes
 *
 * Example, INT4 group 128 with FP16 scale and 4-bit zero (AWQ), 4096 x 4096:
 *   8,388,608 + 4096*32*2.5 = 8,716,288 bytes = 4.15625 bits per weight.
 *
 * GGUF block types store rows in blocks of `block` elements and fall back to another
 * type when a row is no multiple of it. GGUF file mixes (Q4_K_M) give the embedding
 * and output types, and rules for the type of everything else (gguf.h) beside its mean
 * bits; where there are no rules the mean stands for them.
 */
#ifndef GP_MODEL_FORMAT_H
#define GP_MODEL_FORMAT_H

#include <stdbool.h>

#define FORMAT_ID_MAX 32

enum format_math { /* what the arithmetic runs in where the hardware has it */
                   MATH_FP32,
                   MATH_TF32,
                   MATH_FP16,
                   MATH_BF16,
                   MATH_FP8,
                   MATH_INT8,
                   MATH_INT4,
                   MATH_FP4,
                   MATH_COUNT
};

/* A GGUF file mix: what part of the model takes which type, when (gguf.h). */
struct format_rule {
    unsigned part; /* bits of enum gguf_part */
    int when;      /* enum gguf_when */
    double bits;   /* the type, as below */
    int block;
    double fallback_bits;
};

#define FORMAT_RULES 10

struct format {
    char id[FORMAT_ID_MAX]; /* "fp8", "int4-awq", "q4_k_m" */
    char name[64];
    char aliases[96];      /* '|' separated ids that mean the same */
    char family[32];       /* as listed: "scalar", "fp8", "gguf-file-mix", ... */
    enum format_math math; /* native arithmetic */
    bool weight_only;      /* dequantised before the arithmetic (math is 16-bit) */
    double bits;           /* bits per element, without scales */
    double per_weight;     /* the same with scales, on a large matrix; a mix: of an 8B model */
    int group_cols;        /* elements of a row that share scales; 0 = the whole row */
    int group_rows;        /* rows that share them; 0 = the whole tensor */
    double group_bytes;    /* bytes of scale and zero point per group; 0 = none */
    double input_bytes;    /* bytes per input feature (GPTQ g_idx: 4) */
    double tensor_bytes;   /* bytes once per tensor (FP8 per-tensor scale: 4) */
    unsigned keep_roles;   /* bit per enum tensor_role kept in the model's 16-bit type */
    int block;             /* GGUF: elements per block, rows must be a multiple; else 0 */
    double fallback_bits;  /* GGUF: bits per element of the fallback type; 0 = none */
    bool mix;              /* GGUF file mix: the next four fields hold */
    double core_bits_8b;   /* mean bits of all but embedding and output, small models */
    double core_bits_70b;  /* the same for large ones */
    double embed_bits;     /* token embedding */
    double output_bits;    /* output matrix (also a tied embedding) */
    bool typed;            /* a mix by rules: each tensor's type is known */
    int rules;
    struct format_rule rule[FORMAT_RULES];
    char rule_words[224]; /* as in the profile, '|' between them */
    char source[160];
};

/* Bytes of one rows x cols tensor, at `bits` per element. For a GGUF mix `bits` is that
 * of its base type: put format_core_bits() there (in a copy) to plan a whole model. */
double format_bytes(const struct format *format, double rows, double cols);

/* Mean bits per weight of a GGUF mix for a model of params_total parameters:
 * log-linear between the 8B and the 70B figure, clamped outside. */
double format_core_bits(const struct format *format, double params_total);

const char *format_math_word(enum format_math math); /* "fp8" */

#endif
