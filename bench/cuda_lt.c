/*
 * cuda_lt.c - see cuda_lt.h.
 *
 * 16 heuristics (--algos) are asked for with a workspace of 32 MiB (--workspace; less silently
 * removes split-k), and none that adds up the parts of a split k in the output's type: its results
 * are less precise than those of the others. The first is measured as "heuristic". A framework may
 * get another: see cuda_gemm.c. Alpha is one in the scale type's own C type: a float one given to
 * an FP16 scale would be zero.
 */
#include "bench/cuda_lt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "bench/cuda_algo.h"
#include "bench/cuda_symbols.h"

/* cublasLtMatmulPreferenceAttributes_t of 13.2 and later, by number, so that an engine built with
 * older headers knows them, too. They take 64 bits: the library (13.10) refuses the 32 that its
 * header speaks of. */
enum { AVERAGE_K = 13, AVERAGE_M, AVERAGE_N };

/* Bytes of the elements of a matrix, `outer` rows or columns of k or of m each. */
static size_t lt_elements(const struct lt_gemm *g, enum number bits, int64_t outer, int64_t inner)
{
    return number_bytes(bits, (size_t)outer * (size_t)inner * (size_t)g->batch);
}

static size_t operand_bytes(const struct lt_gemm *g, int operand, int64_t outer)
{
    return cuda_aligned(lt_elements(g, g->type->bits, outer, g->k)) +
           cuda_aligned(cuda_scale_bytes(g->type->scales[operand], outer, g->k));
}

size_t lt_a_bytes(const struct lt_gemm *g)
{
    return operand_bytes(g, 0, g->m);
}

size_t lt_b_bytes(const struct lt_gemm *g)
{
    return operand_bytes(g, 1, g->n);
}

size_t lt_d_bytes(const struct lt_gemm *g)
{
    return cuda_aligned(lt_elements(g, g->type->out, g->n, g->m));
}

void lt_close(struct lt_gemm *g)
{
    if (g->desc)
        cublasLtMatmulDescDestroy(g->desc);
    if (g->a_layout)
        cublasLtMatrixLayoutDestroy(g->a_layout);
    if (g->b_layout)
        cublasLtMatrixLayoutDestroy(g->b_layout);
    if (g->d_layout)
        cublasLtMatrixLayoutDestroy(g->d_layout);
    g->desc = NULL;
    g->a_layout = g->b_layout = g->d_layout = NULL;
}

static bool set_desc(struct cuda_ctx *ctx, struct lt_gemm *g,
                     cublasLtMatmulDescAttributes_t attribute, const void *value, size_t size)
{
    return lt_ok(ctx, cublasLtMatmulDescSetAttribute(g->desc, attribute, value, size),
                 "cublasLtMatmulDescSetAttribute");
}

static bool scale_pointers(struct cuda_ctx *ctx, struct lt_gemm *g, const struct lt_operands *o)
{
    if (g->type->scales[0] == SCALE_NONE)
        return true;
    return set_desc(ctx, g, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &o->a_scale, sizeof o->a_scale) &&
           set_desc(ctx, g, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &o->b_scale, sizeof o->b_scale);
}

static bool scale_modes(struct cuda_ctx *ctx, struct lt_gemm *g)
{
#if CUDART_VERSION >= 12080
    int32_t a = cuda_scale_mode(g->type->scales[0]), b = cuda_scale_mode(g->type->scales[1]);
    struct lt_operands any = {.a_scale = ctx->workspace, .b_scale = ctx->workspace};

    if (g->type->scales[0] == SCALE_NONE)
        return true;
    /* A scale of that kind without a pointer is an invalid value to the heuristic already: any
     * memory will do until lt_launch() gives that of the operands. */
    return set_desc(ctx, g, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &a, sizeof a) &&
           set_desc(ctx, g, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &b, sizeof b) &&
           scale_pointers(ctx, g, &any);
#else
    (void)ctx;
    return g->type->scales[0] == SCALE_NONE;
#endif
}

static bool make_layout(struct cuda_ctx *ctx, cublasLtMatrixLayout_t *layout, cudaDataType_t type,
                        int64_t rows, int64_t columns, int batch)
{
    int32_t count = batch;
    int64_t stride = rows * columns;

    if (!lt_ok(ctx,
               cublasLtMatrixLayoutCreate(layout, type, (uint64_t)rows, (uint64_t)columns, rows),
               "cublasLtMatrixLayoutCreate"))
        return false;
    return batch == 1 ||
           (lt_ok(ctx,
                  cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                   &count, sizeof count),
                  "batch count") &&
            lt_ok(ctx,
                  cublasLtMatrixLayoutSetAttribute(
                      *layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
                  "batch stride"));
}

/* Of all products alike, as if each had been told: m, n and k of each lie on the device. */
static bool group_layouts(struct cuda_ctx *ctx, struct lt_gemm *g)
{
    const int64_t of[] = {g->m, g->n, g->k};
    size_t count = (size_t)g->batch;
    int32_t *host = cuda_host(ctx, 3 * count * sizeof *host), *m = g->shapes;
    int32_t *n = m + count, *k = n + count;
    const char *what = "cublasLtGroupedMatrixLayoutCreate";
    bool ok = host != NULL;

    for (size_t i = 0; ok && i < 3 * count; i++)
        host[i] = (int32_t)of[i / count];
    ok = ok && cuda_send(ctx, m, host, 3 * count * sizeof *host, ctx->stream, "shapes");
    free(host);
    return ok &&
           lt_ok(ctx,
                 cublasLtGroupedMatrixLayoutCreate(&g->a_layout, g->type->ab, g->batch, k, m, k),
                 what) &&
           lt_ok(ctx,
                 cublasLtGroupedMatrixLayoutCreate(&g->b_layout, g->type->ab, g->batch, k, n, k),
                 what) &&
           lt_ok(ctx,
                 cublasLtGroupedMatrixLayoutCreate(&g->d_layout, g->type->d, g->batch, m, n, m),
                 what);
}

static bool describe_product(struct cuda_ctx *ctx, struct lt_gemm *g)
{
    int32_t op = g->plain_a ? CUBLAS_OP_N : CUBLAS_OP_T;
    const struct cuda_type *t = g->type;

    if (!lt_ok(ctx, cublasLtMatmulDescCreate(&g->desc, t->compute, t->scale),
               "cublasLtMatmulDescCreate") ||
        !set_desc(ctx, g, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof op) || !scale_modes(ctx, g))
        return false;
    if (t->fast && ctx->cc < 100) { /* as inference engines set it */
        int8_t fast = 1;

        g->fast_accum = true;
        if (!set_desc(ctx, g, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast))
            return false;
    }
    if (g->shapes)
        return group_layouts(ctx, g);
    return make_layout(ctx, &g->a_layout, t->ab, g->plain_a ? g->m : g->k, g->plain_a ? g->k : g->m,
                       g->batch) &&
           make_layout(ctx, &g->b_layout, t->ab, g->k, g->n, g->batch) &&
           make_layout(ctx, &g->d_layout, t->d, g->m, g->n, g->batch);
}

static double workspace_of(const struct cuda_ctx *ctx, const struct lt_gemm *g)
{
    return g->workspace > 0 ? fmin(g->workspace, ctx->settings.workspace) : ctx->settings.workspace;
}

/* Keeps the algorithms that the library itself calls good. */
static cublasStatus_t ask_algorithms(struct cuda_ctx *ctx, struct lt_gemm *g)
{
    cublasLtMatmulPreference_t preference = NULL;
    uint64_t workspace = (uint64_t)workspace_of(ctx, g);
    uint32_t reductions = g->any_reduction ? CUBLASLT_REDUCTION_SCHEME_MASK
                                           : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE; /* and none */
    const int64_t average[] = {g->k, g->m, g->n};
    int found = 0;
    cublasStatus_t status = cublasLtMatmulPreferenceCreate(&preference);

    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions, sizeof reductions);
    for (int i = 0; i < 3 && g->shapes && status == CUBLAS_STATUS_SUCCESS; i++)
        status = cublasLtMatmulPreferenceSetAttribute(
            preference, (cublasLtMatmulPreferenceAttributes_t)(AVERAGE_K + i), &average[i],
            sizeof average[i]);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasLtMatmulAlgoGetHeuristic(ctx->lt, g->desc, g->a_layout, g->b_layout,
                                                g->d_layout, g->d_layout, preference,
                                                (int)ctx->settings.algos, g->algos, &found);
    if (preference)
        cublasLtMatmulPreferenceDestroy(preference);
    g->algo_count = 0;
    for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < found; i++)
        if (g->algos[i].state == CUBLAS_STATUS_SUCCESS && g->algos[i].workspaceSize <= workspace)
            g->algos[g->algo_count++] = g->algos[i];
    return status;
}

/* Can it be done at all with this n? The state, and for UNSUPPORTED the status. */
static enum point_state try_shape(struct cuda_ctx *ctx, struct lt_gemm *g, cublasStatus_t *status)
{
    if (!describe_product(ctx, g))
        return POINT_ERROR;
    *status = ask_algorithms(ctx, g);
    if (g->algo_count > 0)
        return POINT_OK;
    switch (*status) {
    case CUBLAS_STATUS_SUCCESS:
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_INVALID_VALUE: /* of this n; of the padded one: a fault */
        return POINT_UNSUPPORTED;
    default:
        lt_ok(ctx, *status, "cublasLtMatmulAlgoGetHeuristic");
        return POINT_ERROR;
    }
}

bool lt_open(struct cuda_ctx *ctx, struct lt_gemm *g)
{
    const struct cuda_type *t = g->type;
    cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
    enum point_state state = POINT_UNSUPPORTED;
    char why[200];

    if (!t)
        return cuda_refuse(ctx, POINT_UNSUPPORTED,
                           "cuBLASLt does not have this type: only the CPU engine measures it");
    int64_t pads[] = {g->pads ? t->n_fallback : t->n_multiple, t->n_fallback};
    if (!cuda_type_supported(t->type, ctx->cc, ctx->lt_version, why, sizeof why) ||
        !cuda_type_shape(t, g->m, g->k, why, sizeof why))
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "%s", why);
    g->batch = g->batch ? g->batch : 1;
    for (int i = 0; i < 2 && state == POINT_UNSUPPORTED; i++) {
        g->n = (g->n_asked + pads[i] - 1) / pads[i] * pads[i];
        state = try_shape(ctx, g, &status);
        if (state != POINT_OK)
            lt_close(g);
    }
    if (state != POINT_UNSUPPORTED)
        return state == POINT_OK;
    if (status == CUBLAS_STATUS_INVALID_VALUE) /* our description is wrong, which says
                                                * nothing of the GPU */
        return lt_ok(ctx, status, "cublasLtMatmulAlgoGetHeuristic");
    return cuda_refuse(ctx, POINT_UNSUPPORTED,
                       "cuBLASLt %zu.%zu.%zu has no algorithm for %s %lldx%lldx%lld: %s",
                       ctx->lt_version / 10000, ctx->lt_version / 100 % 100, ctx->lt_version % 100,
                       bench_type_word(t->type), (long long)g->m, (long long)g->n_asked,
                       (long long)g->k, lt_word(status));
}

bool lt_same(const struct lt_gemm *a, int variant_a, const struct lt_gemm *b, int variant_b)
{
    return memcmp(&a->algos[a->chosen[variant_a]].algo, &b->algos[b->chosen[variant_b]].algo,
                  sizeof a->algos[0].algo) == 0;
}

struct lt_operands lt_place(const struct lt_gemm *g, void *a, void *b, void *d)
{
    struct lt_operands o = {.a = a, .b = b, .d = d};

    if (g->type->scales[0] != SCALE_NONE) {
        o.a_scale = (char *)a + cuda_aligned(lt_elements(g, g->type->bits, g->m, g->k));
        o.b_scale = (char *)b + cuda_aligned(lt_elements(g, g->type->bits, g->n, g->k));
    }
    return o;
}

struct lt_operands lt_of_batch(const struct lt_gemm *g, const struct lt_operands *all, int i)
{
    size_t each[] = {lt_elements(g, g->type->bits, g->m, g->k) / (size_t)g->batch,
                     lt_elements(g, g->type->bits, g->n, g->k) / (size_t)g->batch,
                     lt_elements(g, g->type->out, g->n, g->m) / (size_t)g->batch};
    struct lt_operands o = *all;

    o.a = (char *)o.a + (size_t)i * each[0];
    o.b = (char *)o.b + (size_t)i * each[1];
    o.d = (char *)o.d + (size_t)i * each[2];
    return o;
}

/* *status stays SUCCESS where the scales could not be set: ctx->fault says so. */
static bool lt_matmul(struct cuda_ctx *ctx, struct lt_gemm *g, int algo,
                      const struct lt_operands *o, cublasStatus_t *status)
{
    static const float one = 1, zero = 0;
    static const int32_t one_int = 1, zero_int = 0;
    static const uint16_t one_half = 0x3c00, zero_half = 0;
    static const double one_double = 1, zero_double = 0;
    const void *alpha = &one, *beta = &zero;

    if (g->type->scale == CUDA_R_32I)
        alpha = &one_int, beta = &zero_int;
    else if (g->type->scale == CUDA_R_16F)
        alpha = &one_half, beta = &zero_half;
    else if (g->type->scale == CUDA_R_64F)
        alpha = &one_double, beta = &zero_double;
    *status = CUBLAS_STATUS_SUCCESS;
    if (!scale_pointers(ctx, g, o))
        return false;
    *status = cublasLtMatmul(ctx->lt, g->desc, alpha, g->shapes ? o->a_list : o->a, g->a_layout,
                             g->shapes ? o->b_list : o->b, g->b_layout, beta,
                             g->shapes ? o->d_list : o->d, g->d_layout,
                             g->shapes ? o->d_list : o->d, g->d_layout, &g->algos[algo].algo,
                             ctx->workspace, (size_t)workspace_of(ctx, g), ctx->stream);
    return lt_ok(ctx, *status, "cublasLtMatmul");
}

bool lt_launch(struct cuda_ctx *ctx, struct lt_gemm *g, int variant, const struct lt_operands *o)
{
    cublasStatus_t status;

    return lt_matmul(ctx, g, g->chosen[variant], o, &status);
}

bool lt_choose(struct cuda_ctx *ctx, struct lt_gemm *g, const struct lt_operands *o, double *first)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    bool refused = true;

    *first = 0;
    for (int i = 0; i < g->algo_count; i++) {
        if (cuda_timer_begin(ctx) && lt_matmul(ctx, g, i, o, &status) &&
            cuda_timer_end(ctx, first)) {
            g->chosen[LT_HEURISTIC] = g->chosen[LT_TUNED] = i;
            ctx->fault[0] = '\0'; /* those before it are no fault of the point */
            return true;
        }
        if (ctx->lost)
            return false;
        refused = refused && status == CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (!refused)
        return false;
    return cuda_refuse(
        ctx, POINT_UNSUPPORTED,
        "none of the %d algorithms that cuBLASLt names for %s %lldx%lldx%lld runs: %s",
        g->algo_count, bench_type_word(g->type->type), (long long)g->m, (long long)g->n,
        (long long)g->k, lt_word(status));
}

static const struct {
    cublasLtMatmulAlgoConfigAttributes_t attribute;
    const char *name, *key; /* name NULL: only in fields */
    enum algo_part part;    /* that has words; ALGO_PARTS = a number */
    bool half;              /* of 16 bits: another size is refused */
} algo_fields[] = {
    {CUBLASLT_ALGO_CONFIG_ID, "id", "id", ALGO_PARTS, false},
    {CUBLASLT_ALGO_CONFIG_TILE_ID, "tile", "tile", ALGO_TILE, false},
    {CUBLASLT_ALGO_CONFIG_STAGES_ID, "stages", "stages", ALGO_STAGES, false},
    {CUBLASLT_ALGO_CONFIG_SPLITK_NUM, "split-k", "split_k", ALGO_PARTS, false},
    {CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, NULL, "reduction", ALGO_REDUCTION, false},
    {CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, NULL, "swizzle", ALGO_PARTS, false},
    {CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, NULL, "custom", ALGO_PARTS, false},
    {CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, NULL, "inner", ALGO_INNER, true},
    {CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, NULL, "cluster", ALGO_CLUSTER, true},
};
enum { ALGO_FIELDS = sizeof algo_fields / sizeof algo_fields[0] };

static bool algo_field(const struct lt_gemm *g, int i, int field, int *value)
{
    uint16_t half = 0;
    int32_t whole = 0;
    bool told =
        cublasLtMatmulAlgoConfigGetAttribute(
            &g->algos[i].algo, algo_fields[field].attribute,
            algo_fields[field].half ? (void *)&half : (void *)&whole,
            algo_fields[field].half ? sizeof half : sizeof whole, NULL) == CUBLAS_STATUS_SUCCESS;

    *value = algo_fields[field].half ? half : whole;
    return told;
}

static void algo_text(int field, int value, char *text, size_t size)
{
    if (algo_fields[field].part == ALGO_PARTS)
        gp_format(text, size, "%d", value);
    else
        cuda_algo_word(algo_fields[field].part, value, text, size);
}

static int algo_number(const struct lt_gemm *g, int i,
                       cublasLtMatmulAlgoConfigAttributes_t attribute)
{
    int value = 0;

    for (int f = 0; f < ALGO_FIELDS; f++)
        if (algo_fields[f].attribute == attribute && !algo_field(g, i, f, &value))
            value = 0;
    return value;
}

struct summing lt_summing(const struct lt_gemm *g, int variant)
{
    int i = g->chosen[variant];
    int scheme = algo_number(g, i, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
    struct summing how = {.type = g->type->type, .k = (double)g->k};

    how.split = algo_number(g, i, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
    if (scheme == CUBLASLT_REDUCTION_SCHEME_INPLACE)
        how.reduction = REDUCTION_IN_PLACE;
    else if (scheme == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)
        how.reduction = REDUCTION_OUTPUT;
    return how;
}

bool lt_reduced(const struct lt_gemm *g, int variant)
{
    const struct summing how = lt_summing(g, variant);
    bool narrower = number_bytes(g->type->out, 1) < sizeof(float);

    return narrower && how.split > 1 && how.reduction != REDUCTION_COMPUTE;
}

void lt_describe(const struct lt_gemm *g, int i, char *text, size_t size)
{
    size_t used = 0;
    int value;

    text[0] = '\0';
    for (int f = 0; f < ALGO_FIELDS && used < size; f++) {
        char word[16];

        if (!algo_fields[f].name || !algo_field(g, i, f, &value))
            continue;
        algo_text(f, value, word, sizeof word);
        used += (size_t)snprintf(text + used, size - used, "%s%s %s", used ? " " : "",
                                 algo_fields[f].name, word);
    }
}

json_t *lt_describe_json(const struct lt_gemm *g, int i)
{
    const cublasLtMatmulHeuristicResult_t *algo = &g->algos[i];
    json_t *json = json_pack("{s:i, s:i, s:i}", "rank", i, "of", g->algo_count, "tried", g->tried);
    char word[16];
    int value;

    for (int f = 0; f < ALGO_FIELDS; f++) {
        json_t *told = NULL;

        if (!algo_field(g, i, f, &value))
            told = json_null();
        else if (algo_fields[f].part == ALGO_PARTS)
            told = json_integer(value);
        else {
            algo_text(f, value, word, sizeof word);
            told = json_string(word);
        }
        json_object_set_new(json, algo_fields[f].key, told);
    }
    json_object_set_new(json, "workspace_bytes", gp_json_number((double)algo->workspaceSize));
    json_object_set_new(json, "waves", gp_json_above_zero((double)algo->wavesCount));
    return json;
}

/* `outer` rows of A or columns of B, and their scales. */
static bool lt_fill(struct cuda_ctx *ctx, const struct lt_gemm *g, enum cuda_scale scale,
                    int64_t outer, void *to, void *scales, uint64_t salt)
{
    size_t bytes = cuda_scale_bytes(scale, outer, g->k);
    uint8_t *host;

    if (!cuda_fill(ctx, ctx->settings.fill, g->type->bits, to,
                   lt_elements(g, g->type->bits, outer, g->k), salt))
        return false;
    if (bytes == 0)
        return true;
    if (!(host = cuda_host(ctx, bytes)))
        return false;
    cuda_scale_fill(scale, host, outer, g->k, ctx->settings.seed ^ salt);
    bool ok = cuda_send(ctx, scales, host, bytes, ctx->stream, "scales");
    free(host);
    return ok;
}

bool lt_fill_a(struct cuda_ctx *ctx, const struct lt_gemm *g, void *a, uint64_t salt)
{
    return lt_fill(ctx, g, g->type->scales[0], g->m, a, lt_place(g, a, a, NULL).a_scale, salt);
}

bool lt_fill_b(struct cuda_ctx *ctx, const struct lt_gemm *g, void *b, uint64_t salt)
{
    return lt_fill(ctx, g, g->type->scales[1], g->n, b, lt_place(g, b, b, NULL).b_scale, salt);
}
