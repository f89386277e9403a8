/*
 * cuda_check.c - is what was timed also right?
 *
 * The result is poisoned (NaN; 0x7f7f7f7f for integers), the very call is made once
 * more, and 16 rows x 16 columns of it (64 x 64 with --check full) are recomputed in
 * double from the bits that lie on the device: ref = sum a*b, S = sum |a*b|, allowance
 * by method_within(). Only those rows of A, columns of B and columns of D are copied:
 * contiguous, because A is stored k x m.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_lt.h"

enum { BLOCK = 64 }; /* rows and columns of a full check: the host computes them */

struct sample {
    int64_t rows[BLOCK], columns[BLOCK];
    int row_count, column_count;
    void *a[BLOCK], *b[BLOCK], *d[BLOCK]; /* on the host */
    uint8_t *a_scale, *b_scale;
};

/* Spread over 0..n-1 with both ends, no two alike. */
static int spread(int64_t n, int most, int64_t *out)
{
    int count = n < most ? (int)n : most;

    for (int i = 0; i < count; i++)
        out[i] = count == 1 ? 0 : (n - 1) * i / (count - 1);
    return count;
}

static void *fetch(struct cuda_ctx *ctx, const void *from, size_t offset, size_t bytes)
{
    void *host = malloc(bytes ? bytes : 1);

    if (!host)
        snprintf(ctx->fault, sizeof ctx->fault, "out of host memory");
    else if (!cuda_ok(ctx,
                      cudaMemcpy(host, (const char *)from + offset, bytes,
                                 cudaMemcpyDeviceToHost),
                      "copy of a result")) {
        free(host);
        host = NULL;
    }
    return host;
}

static bool fetch_all(struct cuda_ctx *ctx, const struct lt_gemm *g,
                      const struct lt_operands *o, struct sample *s)
{
    size_t row = cuda_bits_bytes(g->type->bits, (size_t)g->k);
    size_t column = cuda_bits_bytes(g->type->out, (size_t)g->m);

    for (int i = 0; i < s->row_count; i++)
        if (!(s->a[i] = fetch(ctx, o->a, (size_t)s->rows[i] * row, row)))
            return false;
    for (int i = 0; i < s->column_count; i++)
        if (!(s->b[i] = fetch(ctx, o->b, (size_t)s->columns[i] * row, row)) ||
            !(s->d[i] = fetch(ctx, o->d, (size_t)s->columns[i] * column, column)))
            return false;
    if (g->type->block == SCALE_NONE)
        return true;
    s->a_scale =
        fetch(ctx, o->a_scale, 0, cuda_scale_bytes(g->type->block, g->m, g->k));
    s->b_scale =
        fetch(ctx, o->b_scale, 0, cuda_scale_bytes(g->type->block, g->n, g->k));
    return s->a_scale && s->b_scale;
}

static void sample_free(struct sample *s)
{
    for (int i = 0; i < BLOCK; i++) {
        free(s->a[i]);
        free(s->b[i]);
        free(s->d[i]);
    }
    free(s->a_scale);
    free(s->b_scale);
}

static double reference(const struct lt_gemm *g, const struct sample *s, int i, int j,
                        double *sum_abs)
{
    int block = cuda_scale_block(g->type->block);
    double sum = 0, absolute = 0;

    for (int64_t l = 0; l < g->k; l++) {
        double product = convert_get(g->type->bits, s->a[i], (size_t)l) *
                         convert_get(g->type->bits, s->b[j], (size_t)l);
        if (block)
            product *=
                convert_scale(g->type->block, s->a_scale, s->rows[i], l / block, g->k) *
                convert_scale(g->type->block, s->b_scale, s->columns[j], l / block,
                              g->k);
        sum += product;
        absolute += fabs(product);
    }
    *sum_abs = absolute;
    return sum;
}

static void look_for_zeros(const struct lt_gemm *g, const struct sample *s,
                           enum bench_fill fill, struct check *out)
{
    double zeros = 0;

    for (int i = 0; i < s->row_count; i++)
        for (int64_t l = 0; l < g->k; l++)
            zeros += convert_get(g->type->bits, s->a[i], (size_t)l) == 0;
    for (int j = 0; j < s->column_count; j++)
        for (int64_t l = 0; l < g->k; l++)
            zeros += convert_get(g->type->bits, s->b[j], (size_t)l) == 0;
    method_no_zeros(out, fill, zeros,
                    (double)(s->row_count + s->column_count) * (double)g->k);
}

static void compare(const struct lt_gemm *g, const struct sample *s,
                    enum bench_fill fill, struct check *out)
{
    out->ok = true;
    look_for_zeros(g, s, fill, out);
    for (int i = 0; i < s->row_count; i++)
        for (int j = 0; j < s->column_count; j++) {
            double sum_abs, ratio = 0, ref = reference(g, s, i, j, &sum_abs);
            double d = convert_get(g->type->out, s->d[j], (size_t)s->rows[i]);
            bool good = method_within((int)g->type->type, d, ref, sum_abs, &ratio);

            out->n++;
            if (ratio > out->max_err || isnan(ratio))
                out->max_err = isnan(ratio) ? HUGE_VAL : ratio;
            if (good || !out->ok)
                continue;
            out->ok = false;
            snprintf(out->why, sizeof out->why, "d[%lld,%lld] is %.6g, not %.6g",
                     (long long)s->rows[i], (long long)s->columns[j], d, ref);
        }
}

static void check_some(struct cuda_ctx *ctx, struct lt_gemm *g, int variant,
                       const struct lt_operands *o, int rows, int columns,
                       struct check *out)
{
    struct sample s = {0};
    int poison = g->type->out == BITS_INT32 ? 0x7f : 0xff;
    size_t bytes =
        cuda_bits_bytes(g->type->out, (size_t)g->m * (size_t)g->n * (size_t)g->batch);

    *out = (struct check){0};
    s.row_count = spread(g->m, rows, s.rows);
    s.column_count = spread(g->n_asked, columns, s.columns);
    if (cuda_ok(ctx, cudaMemsetAsync(o->d, poison, bytes, ctx->stream), "poison") &&
        lt_launch(ctx, g, variant, o) &&
        cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), "check") &&
        fetch_all(ctx, g, o, &s)) {
        out->done = true;
        compare(g, &s, ctx->settings.fill, out);
    } else {
        snprintf(out->why, sizeof out->why, "%.110s", ctx->fault);
    }
    sample_free(&s);
}

void lt_check(struct cuda_ctx *ctx, struct lt_gemm *g, int variant,
              const struct lt_operands *o, struct check *out)
{
    check_some(ctx, g, variant, o, CHECK_ROWS, CHECK_COLUMNS, out);
}

void lt_check_full(struct cuda_ctx *ctx, struct lt_gemm *g, int variant,
                   const struct lt_operands *o, struct check *out)
{
    check_some(ctx, g, variant, o, BLOCK, BLOCK, out);
    out->mode = g->m <= BLOCK && g->n_asked <= BLOCK ? "full" : "block";
}
