/*
 * test.c - the rows, and what differs from test to test: arithmetic, ids, requirements.
 *
 * Operations count a multiply and an add as two. Bytes are the least that must cross
 * the memory interface: each operand read once, each result written once, block scales
 * included (one byte per 32 elements of MXFP8, per 16 of NVFP4; four per block of FP8); a scale per
 * row, four bytes of k, is not.
 *   gemm m=4096 n=8 k=4096 bf16: 2*m*n*k = 268 MFLOP;
 *   2*(m*k + k*n) + 2*m*n = 33.7 MB; of 16 experts of that shape 16 times as much.
 * A decoder step reads all weights of its layers and head once, and each sequence's keys
 * and values; its dimensions are those of the shard that is measured.
 */
#include "measure/point/test.h"

#include <string.h>

#include "base/str.h"
#include "measure/point/line.h"
#include "measure/point/point.h"

/* ---- products ---- */

static double product_count(const struct point *p)
{
    return p->groups > 1 ? p->groups : 1;
}

static double product_operations(const struct point *p)
{
    return 2.0 * (double)p->m * (double)p->n * (double)p->k * product_count(p);
}

static double product_bytes(const struct point *p)
{
    const struct type_row *type = &type_rows[p->type];
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;

    return product_count(p) * (m * k * (type->bytes + type->scale[0]) +
                               k * n * (type->bytes + type->scale[1]) + m * n * type->out);
}

static const char *product_refuse(const struct point *p, const char **field)
{
    *field = p->m < 1 ? "m" : p->n < 1 ? "n" : "k";
    return p->m < 1 || p->n < 1 || p->k < 1 ? "must be at least 1" : NULL;
}

static void gemm_name(const struct point *p, char *text, size_t size)
{
    gp_format(text, size, "gemm/%s/%lldx%lldx%lld/%s", bench_type_word(p->type), (long long)p->m,
              (long long)p->n, (long long)p->k, bench_cache_word(p->cache));
}

static const char *or_dash(const char *text)
{
    return text[0] ? text : "-";
}

static void batch_name(const struct point *p, char *text, size_t size)
{
    char groups[16] = "";

    if (p->groups > 1)
        gp_format(groups, sizeof(groups), "%dx", p->groups);
    gp_format(text, size, "batch/%s/%s/tp%d/%s/%s%lldx%lldx%lld/%s", or_dash(p->model),
              or_dash(p->layer), p->tp > 0 ? p->tp : 1, bench_type_word(p->type), groups,
              (long long)p->m, (long long)p->n, (long long)p->k, bench_cache_word(p->cache));
}

/* For one token a layer reads its weights; for more, and of experts, a line is too simple. */
static bool batch_term(const struct point *p, char *text, size_t size)
{
    return gp_copy(text, size, "weights") && p->n == 1 && p->groups <= 1;
}

/* ---- decode ---- */

/* Elements of all linear weights of one decoder layer: q, k, v, o, gate, up, down. */
static double layer_weights(const struct point *p)
{
    double hidden = (double)p->hidden, q = (double)p->heads * p->head_dim;
    double kv = (double)p->kv_heads * p->head_dim;

    return hidden * (2 * q + 2 * kv + 3.0 * (double)p->ff);
}

static double decode_operations(const struct point *p)
{
    double head = (double)p->hidden * (double)p->vocab;
    double scores = 2.0 * p->heads * p->head_dim * p->context; /* q*k and p*v */

    return 2.0 * (double)p->n * (p->layers * (layer_weights(p) + scores) + head);
}

/* Of what no engine multiplies, the bytes of the type that stands in the point. */
void point_decode_bytes(const struct point *p, double *linear, double *attention)
{
    struct decode_types t;
    char why[160];

    if (!point_decode_types(p, &t, why, sizeof(why)))
        t = (struct decode_types){p->type, p->type, TYPE_BF16};
    const struct type_row *weights = &type_rows[t.linear];
    const struct type_row *head = &type_rows[t.head];
    *linear = p->layers * layer_weights(p) * (weights->bytes + weights->scale[0]) +
              (double)p->hidden * (double)p->vocab * (head->bytes + head->scale[0]);
    *attention = 2.0 * p->layers * (double)p->n * p->context * p->kv_heads * (double)p->head_dim *
                 type_rows[t.kv].bytes;
}

static double decode_bytes(const struct point *p)
{
    double linear, attention;

    point_decode_bytes(p, &linear, &attention);
    return linear + attention;
}

static void decode_name(const struct point *p, char *text, size_t size)
{
    gp_format(text, size, "decode/%s/tp%d/w-%s/h-%s/kv-%s/b%lld/ctx%.0f/%dx%dx%dx%d/%lldx%lldx%lld",
              or_dash(p->model), p->tp > 0 ? p->tp : 1, point_weights(p), point_head(p),
              point_kv(p), (long long)p->n, p->context, p->layers, p->heads, p->kv_heads,
              p->head_dim, (long long)p->hidden, (long long)p->ff, (long long)p->vocab);
}

static const char *decode_refuse(const struct point *p, const char **field)
{
    *field = "decode";
    return p->n < 1 || p->layers < 1 || p->heads < 1 || p->kv_heads < 1 || p->head_dim < 1 ||
                   p->hidden < 1 || p->ff < 1 || p->vocab < 1
               ? "misses a dimension (n, layers, heads, kv_heads, head_dim, hidden, ff, vocab)"
               : NULL;
}

/* ---- sized ---- */

/* FNV-1a: tells paths apart where the id has no room for them. */
static void transfer_name(const struct point *p, char *text, size_t size)
{
    char devices[256];

    point_devices(p->devices, devices, sizeof(devices));
    if (bench_kind_is(p->kind, KIND_IS_ALL))
        gp_format(text, size, "transfer/%s/%s/%.0f", bench_kind_word(p->kind), devices, p->bytes);
    else if (bench_kind_is(p->kind, KIND_IS_PAIR))
        gp_format(text, size, "transfer/%s/%d-%d/%.0f", bench_kind_word(p->kind), p->from, p->to,
                  p->bytes);
    else if (p->path[0]) /* another file may lie on another disk */
        gp_format(text, size, "transfer/%s/%.0f/%08x", bench_kind_word(p->kind), p->bytes,
                  point_hash(p->path));
    else
        gp_format(text, size, "transfer/%s/%.0f", bench_kind_word(p->kind), p->bytes);
}

static const char *transfer_refuse(const struct point *p, const char **field)
{
    *field = "devices";
    return bench_kind_is(p->kind, KIND_IS_ALL) && !(p->devices & (p->devices - 1))
               ? "must be two or more"
               : NULL;
}

/* Bytes of all of them count. */
static double transfer_bytes(const struct point *p)
{
    double devices = bench_kind_is(p->kind, KIND_IS_ALL) ? __builtin_popcountll(p->devices) : 1;

    return p->bytes * kind_rows[p->kind].ways * devices;
}

/* Every pair has a link of its own. */
static bool transfer_term(const struct point *p, char *text, size_t size)
{
    if (bench_kind_is(p->kind, KIND_IS_PAIR))
        gp_format(text, size, "%s/%d-%d", bench_kind_word(p->kind), p->from, p->to);
    else
        gp_copy(text, size, bench_kind_word(p->kind));
    return true;
}

static void fit_name(const struct point *p, char *text, size_t size)
{
    gp_format(text, size, "fit/%s/%.0f", or_dash(p->model), p->bytes);
}

static void allreduce_name(const struct point *p, char *text, size_t size)
{
    char devices[256];

    point_devices(p->devices, devices, sizeof(devices));
    gp_format(text, size, "allreduce/%s/%s/%s/%.0f", bench_type_word(p->type),
              bench_kind_word(p->kind), devices, p->bytes);
}

static const char *allreduce_refuse(const struct point *p, const char **field)
{
    *field = "devices";
    return !(p->devices & (p->devices - 1)) ? "must be two or more" : NULL;
}

/* Latency bounds small sums, links large ones: no one line fits both. */
static bool allreduce_term(const struct point *p, char *text, size_t size)
{
    gp_format(text, size, "%s/%s", bench_kind_word(p->kind),
              p->bytes <= 65536     ? "small"
              : p->bytes >= 4194304 ? "large"
                                    : "medium");
    return true;
}

/* ---- the rows ---- */

const struct test_row test_rows[TEST_COUNT] = {
#define TEST(ID, word, ...) [TEST_##ID] = {__VA_ARGS__},
#include "measure/point/test_rows.h"
#undef TEST
};

const char *const cal_term_words[CAL_COUNT] = {
    [CAL_NONE] = "",     [CAL_RATE] = "rate",           [CAL_BANDWIDTH] = "bandwidth",
    [CAL_LINK] = "link", [CAL_ALLREDUCE] = "allreduce", [CAL_LAUNCH] = "launch",
};

const struct kind_row kind_rows[KIND_COUNT] = {
    [KIND_NONE] = {TEST_COUNT, "", NULL, 1, 0, 0},
    [KIND_READ] = {TEST_MEMORY, "read", "read-cache", 1, 0, 0},
    [KIND_WRITE] = {TEST_MEMORY, "write", "write-cache", 1, 0, 0},
    [KIND_COPY] = {TEST_MEMORY, "copy", "copy-cache", 2, 0, 0},
    [KIND_COPY_ENGINE] = {TEST_MEMORY, "copy-engine", "copy-engine-cache", 2, 0, KIND_IS_TOP},
    [KIND_READ_PRODUCT] = {TEST_MEMORY, "read-product", "read-product-cache", 1, 0, KIND_IS_TOP},
    [KIND_H2D_PINNED] = {TEST_TRANSFER, "h2d-pinned", NULL, 1, 2e10, KIND_IS_PINNED | KIND_IS_IN},
    [KIND_D2H_PINNED] = {TEST_TRANSFER, "d2h-pinned", NULL, 1, 2e10, KIND_IS_PINNED | KIND_IS_OUT},
    [KIND_BOTH_PINNED] = {TEST_TRANSFER, "both-pinned", NULL, 2, 3e10,
                          KIND_IS_PINNED | KIND_IS_IN | KIND_IS_OUT},
    [KIND_H2D_PAGEABLE] = {TEST_TRANSFER, "h2d-pageable", NULL, 1, 5e9, KIND_IS_IN},
    [KIND_D2H_PAGEABLE] = {TEST_TRANSFER, "d2h-pageable", NULL, 1, 5e9, KIND_IS_OUT},
    [KIND_STORAGE] = {TEST_TRANSFER, "storage", NULL, 1, 1e9, KIND_IS_IN},
    [KIND_PEER] = {TEST_TRANSFER, "peer", NULL, 1, 5e10, KIND_IS_PAIR},
    [KIND_PEER_BOTH] = {TEST_TRANSFER, "peer-both", NULL, 2, 1e11, KIND_IS_PAIR},
    [KIND_H2D_ALL] = {TEST_TRANSFER, "h2d-all", NULL, 1, 2e10,
                      KIND_IS_ALL | KIND_IS_PINNED | KIND_IS_IN},
    [KIND_D2H_ALL] = {TEST_TRANSFER, "d2h-all", NULL, 1, 2e10,
                      KIND_IS_ALL | KIND_IS_PINNED | KIND_IS_OUT},
    [KIND_PLAIN] = {TEST_ALLREDUCE, "plain", NULL, 1, 0, 0},
    [KIND_GRAPH] = {TEST_ALLREDUCE, "graph", NULL, 1, 0, 0},
};

const char *const bench_type_words[TYPE_COUNT] = {
    [TYPE_FP32] = "fp32",          [TYPE_FP32_PEDANTIC] = "fp32-pedantic",
    [TYPE_TF32] = "tf32",          [TYPE_FP16] = "fp16",
    [TYPE_FP16ACC] = "fp16-acc16", [TYPE_BF16] = "bf16",
    [TYPE_INT8] = "int8",          [TYPE_FP8] = "fp8",
    [TYPE_FP8_ROW] = "fp8-row",    [TYPE_FP8_BLOCK] = "fp8-block",
    [TYPE_MXFP8] = "mxfp8",        [TYPE_NVFP4] = "nvfp4",
};

const struct type_row type_rows[TYPE_COUNT] = {
    /* bytes, scales, result, rate of a sheet, sums, activations, cpu, sums, stored, later */
    [TYPE_FP32] = {4, {0}, 4, "fp32", "fp32", "fp32", true, true, {"ggml-f32"}, false},
    [TYPE_FP32_PEDANTIC] = {4, {0}, 4, "fp32", "fp32", "fp32", false, false, {0}, false},
    [TYPE_TF32] = {4, {0}, 4, "tf32", "fp32", "fp32", false, false, {0}, false},
    [TYPE_FP16] = {2, {0}, 2, "fp16", "fp32", "fp16", true, true, {"ggml-f16"}, false},
    [TYPE_FP16ACC] = {2, {0}, 2, "fp16", "fp16", "fp16", false, false, {0}, false},
    [TYPE_BF16] = {2, {0}, 2, "bf16", "fp32", "bf16", true, true, {"ggml-bf16"}, false},
    [TYPE_INT8] = {1, {0}, 4, "int8", "int32", "bf16", true, false, {0}, false},
    /* scales by tensor, row or column are applied to the sums, which is little work */
    [TYPE_FP8] = {1, {0}, 2, "fp8", "fp32", "bf16", false, false, {"fp8-tensor"}, false},
    [TYPE_FP8_ROW] = {1, {0}, 2, "fp8", "fp32", "bf16", false, false, {0}, true},
    [TYPE_FP8_BLOCK] =
        {1, {4.0 / (128 * 128), 4.0 / 128}, 2, "fp8", "fp32", "bf16", false, false, {0}, true},
    [TYPE_MXFP8] = {1, {1.0 / 32, 1.0 / 32}, 2, "fp8", "fp32", "bf16", false, false, {0}, false},
    [TYPE_NVFP4] = {0.5, {1.0 / 16, 1.0 / 16}, 2, "fp4", "fp32", "bf16", false, false, {0}, false},
};

const char *const bench_cache_words[CACHE_COUNT] = {
    [CACHE_COLD] = "cold",
    [CACHE_WEIGHTS_COLD] = "weights-cold",
    [CACHE_HOT] = "hot",
};

/* ---- looking them up ---- */

bool bench_test_is(enum bench_test test, unsigned properties)
{
    return (unsigned)test < TEST_COUNT && (test_rows[test].is & properties) == properties;
}

unsigned bench_tests_that(unsigned properties)
{
    unsigned bits = 0;

    for (int i = 0; i < TEST_COUNT; i++)
        bits |= (unsigned)bench_test_is((enum bench_test)i, properties) << i;
    return bits;
}

void bench_tests_list(unsigned tests, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < TEST_COUNT; i++)
        if (tests >> i & 1)
            gp_append(text, size, ",", "%s", bench_test_words[i]);
}

const char *const bench_test_words[TEST_COUNT] = {
#define TEST(ID, word, ...) #word,
#include "measure/point/test_rows.h"
#undef TEST
};

const char *bench_test_word(enum bench_test test)
{
    return (unsigned)test < TEST_COUNT ? bench_test_words[test] : "?";
}

bool bench_kind_is(enum bench_kind kind, unsigned properties)
{
    return (unsigned)kind < KIND_COUNT && (kind_rows[kind].is & properties) == properties;
}

const char *bench_kind_word(enum bench_kind kind)
{
    return (unsigned)kind < KIND_COUNT ? kind_rows[kind].word : "?";
}

const char *bench_kind_label(enum bench_kind kind, bool hot)
{
    const char *word = bench_kind_word(kind);

    return hot && (unsigned)kind < KIND_COUNT && kind_rows[kind].hot ? kind_rows[kind].hot : word;
}

int bench_kind_parse(enum bench_test test, const char *word)
{
    for (int i = KIND_NONE + 1; i < KIND_COUNT; i++)
        if (kind_rows[i].test == test && strcmp(word, kind_rows[i].word) == 0)
            return i;
    return -1;
}

bool bench_test_has_kinds(enum bench_test test)
{
    for (int i = KIND_NONE + 1; i < KIND_COUNT; i++)
        if (kind_rows[i].test == test)
            return true;
    return false;
}

const char *bench_type_word(enum bench_type type)
{
    return (unsigned)type < TYPE_COUNT ? bench_type_words[type] : "?";
}

int bench_type_parse(const char *word)
{
    return line_word(bench_type_words, TYPE_COUNT, word);
}

double bench_type_bytes(enum bench_type type)
{
    return (unsigned)type < TYPE_COUNT ? type_rows[type].bytes : 0;
}

bool bench_type_integer(enum bench_type type)
{
    return (unsigned)type < TYPE_COUNT && strcmp(type_rows[type].accumulate, "int32") == 0;
}

enum bench_type bench_type_of_arithmetic(const char *arithmetic)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (strcmp(arithmetic, type_rows[i].arithmetic) == 0)
            return (enum bench_type)i;
    return TYPE_COUNT;
}

enum bench_type bench_type_of_format(const char *format)
{
    int type = -1;

    for (int i = 0; i < TYPE_COUNT && type < 0; i++)
        if (line_word(type_rows[i].stored, 2, format) >= 0)
            type = i;
    if (type < 0)
        type = bench_type_parse(format);
    return type < 0 ? TYPE_COUNT : (enum bench_type)type;
}

const char *bench_cache_word(enum bench_cache cache)
{
    return (unsigned)cache < CACHE_COUNT ? bench_cache_words[cache] : "?";
}

int bench_cache_parse(const char *word)
{
    return line_word(bench_cache_words, CACHE_COUNT, word);
}
