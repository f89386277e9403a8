/*
 * point.h - one thing to measure, as planned by gpuplan and understood by an engine.
 *
 * A point says what (test, type, shape, cache state), never how long or how: that is
 * settings.h and method.h. It travels as one JSON object per line (protocol.h), and its
 * id names it in journals, results and comparisons: the same id is the same work.
 *
 * GEMM shapes follow cuBLASLt's column-major TN form of a linear layer:
 * y[n tokens, m out] = x[n, k in] * W[m, k]^T: the weight is A (m x k), n is the batch.
 * Of routed experts as many such products as the step's tokens reach, of n tokens each: all
 * of them are one operation. 64 tokens of Qwen3-30B-A3B: 123 experts of 4 tokens.
 */
#ifndef GP_MEASURE_POINT_POINT_H
#define GP_MEASURE_POINT_POINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/point/test.h"

#define POINT_ID_MAX 128
#define POINT_DEVICES 64 /* indices that a point may name: 0..63 */

struct point {
    char id[POINT_ID_MAX]; /* "gemm/bf16/4096x8x4096/weights-cold" (no device, no algo) */
    enum bench_test test;
    enum bench_type type;
    int64_t m, n, k; /* GEMM, BATCH */
    int groups;      /* BATCH: experts, each with its weights and n tokens; 0 = one product */
    int64_t tokens;  /* of the step whose experts these are; 0 = n */
    enum bench_cache cache;
    enum bench_kind kind; /* MEMORY, TRANSFER, ALLREDUCE */
    double bytes;         /* MEMORY, TRANSFER, ALLREDUCE, FIT: bytes of one operation */
    int from, to;         /* TRANSFER peer: devices, by index */
    uint64_t devices;     /* ALLREDUCE: those that sum, a bit per index */
    char layer[24];       /* BATCH: "qkv" "o" "gate_up" "down" "lm_head" */
    char model[64];       /* BATCH, DECODE, FIT: whose layer this is */
    int tp;               /* of that model; 1 */
    /* DECODE: one step of a decoder of `layers` layers. Formats as planned; "" = the type's
     * own, for the cache that of its activations */
    char weights[32], head[32], kv[32];
    char stand_in[96]; /* "8 of 256 experts as one MLP"; "" = the model as it is */
    int pp;            /* stages that the model's layers are cut into; 0 = 1 */
    int layers, heads, kv_heads, head_dim;
    int64_t hidden, ff, vocab;
    double context; /* tokens each sequence has in the KV cache */
    char path[256]; /* TRANSFER storage: the file read; "" = a temporary one */
};

/* What one operation of the point does; 0 where it has no meaning. */
double point_operations(const struct point *point); /* FLOP or integer operations */
double point_bytes(const struct point *point);      /* bytes it must move at the least */

/* Tokens of the step that a layer is measured for. */
int64_t point_tokens(const struct point *point);

/* Is it work of several devices, driven by one engine while no other works? */
bool point_together(const struct point *point);
/* Or of one device while no other works? Copies of the host, for its memory, its disk and the
 * ports to it are those of all devices: side by side none would show what its own link does. */
bool point_in_turn(const struct point *point);

/* Its kind for people and in its id: "read", and where the bytes stay in the last cache
 * (CACHE_HOT) "read-cache", which is no figure of memory. */
const char *point_kind(const struct point *point);

/* Of a decoder step (point.c): bytes of weights and head, and of the caches. */
void point_decode_bytes(const struct point *point, double *linear, double *attention);
/* The formats that are planned, by their words in the id. */
const char *point_weights(const struct point *point);
const char *point_head(const struct point *point);
const char *point_kv(const struct point *point);
struct decode_types {
    enum bench_type linear, head, kv;
};
/* Those that can be multiplied as they are stored: false, and why, where one cannot. */
bool point_decode_types(const struct point *point, struct decode_types *out, char *why,
                        size_t size);
/* What a result's params say of a step of which `real` layers were measured: its bytes, how
 * attention was run, and the parts of a real step that were not, with what the engine adds. */
json_t *point_decode_params(const struct point *point, int real, const char *attention,
                            const char *omitted);

/* Fills id from the other fields. */
void point_name(struct point *point);
void point_devices(uint64_t devices, char *text, size_t size); /* "0-3,6" */
unsigned point_hash(const char *text); /* FNV-1a, where an id has no room for the text */

json_t *point_to_json(const struct point *point);
/* GP_E_FILE names the field. Dimensions are bounded to 2^31, bytes to 2^50. */
enum gp_status point_from_json(const json_t *json, const char *where, struct point *out,
                               struct gp_err *err);

#endif
