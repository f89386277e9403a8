/*
 * cpu_gemm_blas.c - FP32 linear layers by cblas_sgemm, where oneDNN is not built in.
 *
 * In BLAS's column-major words: D[m, n] = A^T * B with A = W[m, k] (stored k x m, leading
 * dimension k) and B = x. There is no layout to pack weights into: a copy is a copy.
 */
#ifdef GP_HAVE_CBLAS

#include <cblas.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "bench/cpu_engine.h"

static void blas_version(char *text, size_t size)
{
    char *(*config)(void);
    char word[64] = "BLAS", *space;

    *(void **)&config = dlsym(RTLD_DEFAULT, "openblas_get_config");
    if (config) /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." */
        gp_copy(word, sizeof word, config());
    if ((space = strchr(word, ' ')) && (space = strchr(space + 1, ' ')))
        *space = '\0';
    gp_copy(text, size, word);
}

static const void *blas_place(void)
{
    return dlsym(RTLD_DEFAULT, "cblas_sgemm");
}

static void blas_isa(char *text, size_t size)
{
    char *(*core)(void);

    *(void **)&core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    gp_copy(text, size, core ? core() : "");
}

static void blas_threads(int count)
{
    void (*set)(int);

    *(void **)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (set)
        set(count);
}

static bool blas_make(const struct gemm_shape *shape, struct gemm_made *out, struct refusal *why)
{
    if (shape->type != TYPE_FP32)
        return cpu_refuse(why, POINT_UNSUPPORTED,
                          "BLAS knows fp32 only; %s needs a build with oneDNN",
                          bench_type_word(shape->type));
    if (shape->m > INT_MAX || shape->n > INT_MAX || shape->k > INT_MAX)
        return cpu_refuse(why, POINT_UNSUPPORTED, "dimensions are too large for BLAS");
    out->op = gp_malloc(sizeof *shape);
    memcpy(out->op, shape, sizeof *shape);
    out->x = out->w = out->y = NUMBER_F32;
    out->packed = (size_t)shape->m * (size_t)shape->k * sizeof(float);
    gp_copy(out->algorithm, sizeof out->algorithm, "cblas_sgemm");
    return true;
}

static bool blas_pack(void *op, void *w, void *packed)
{
    const struct gemm_shape *s = op;

    memcpy(packed, w, (size_t)s->m * (size_t)s->k * sizeof(float));
    return true;
}

static bool blas_execute(void *op, void *w, void *x, void *y)
{
    const struct gemm_shape *s = op;
    int m = (int)s->m, n = (int)s->n, k = (int)s->k;

    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, 1, w, k, x, k, 0, y, m);
    return true;
}

/* The handle of an operand is the operand, and a call returns when it is done. */
static void *blas_operand(void *op, enum gemm_operand which, void *data)
{
    (void)op, (void)which;
    return data;
}

static void blas_forget(void *handle)
{
    (void)handle;
}

static bool blas_is_done(void *op)
{
    (void)op;
    return true;
}

const struct gemm_library gemm_blas = {
    .name = "blas",
    .version = blas_version,
    .isa = blas_isa,
    .threads = blas_threads,
    .make = blas_make,
    .pack = blas_pack,
    .operand = blas_operand,
    .forget = blas_forget,
    .execute = blas_execute,
    .wait = blas_is_done,
    .free = free,
    .place = blas_place,
};

#else
typedef int built_without_blas;
#endif
