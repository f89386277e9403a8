/*
 * cuda_check.c - is what was timed also right?
 *
 * The result is poisoned (NaN; 0x7f7f7f7f for integers), the very call is made once more, and 16
 * rows x 16 columns of it (64 x 64 with --check full) are recomputed in double from the bits that
 * lie on the device: ref = sum a*b, S = sum |a*b|, allowance by method_within(). Only those rows of
 * A, columns of B and columns of D are copied: contiguous, because A is stored k x m (but for one
 * product of the decoder).
 *
 * --check full compares every result: operands are turned into doubles on the host, and cuBLASLt
 * multiplies those, A*B for ref and |A|*|B| for S. That goes in panels of rows of A and columns of
 * B, at most 128 MiB of doubles each: with k = 8192 2048 of them, and 8192 x 8192 results are 16
 * pairs of panels. Sums of FP64 err by no more than k * 2^-53 of S, far less than any allowance,
 * and those of INT8 are exact. A reference may be wrong itself: the first result that differs is
 * recomputed on the host, which decides; and the 64 x 64 are the host's, which a reference wrong in
 * the same way as the result would not pass.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bench/cuda_lt.h"

enum { BLOCK = 64 }; /* rows and columns of a full check: the host computes them */

struct sample {
    int64_t rows[BLOCK], columns[BLOCK];
    int row_count, column_count;
    void *a[BLOCK], *b[BLOCK], *d[BLOCK]; /* on the host */
    uint8_t *a_scale, *b_scale;
};

/* Spread over 0..n-1 with both ends, no two alike. */
static int check_spread(int64_t n, int most, int64_t *out)
{
    int count = n < most ? (int)n : most;

    for (int i = 0; i < count; i++)
        out[i] = count == 1 ? 0 : (n - 1) * i / (count - 1);
    return count;
}

/* The k elements of row i of A: one after the other, or m apart (the decoder's P*V). */
static void *fetch_row(struct cuda_ctx *ctx, const struct lt_gemm *g, const char *a, int64_t i)
{
    size_t one = number_bytes(g->type->bits, 1);
    size_t row = number_bytes(g->type->bits, (size_t)g->k);
    void *host;

    if (!g->plain_a)
        return cuda_fetch_new(ctx, a + (size_t)i * row, row, "copy of an operand");
    host = cuda_host(ctx, row);
    if (host && cuda_ok(ctx,
                        cudaMemcpy2D(host, one, a + (size_t)i * one, (size_t)g->m * one, one,
                                     (size_t)g->k, cudaMemcpyDeviceToHost),
                        "copy of an operand"))
        return host;
    free(host);
    return NULL;
}

/* The block scales of both operands, where the type has any. */
static bool fetch_scales(struct cuda_ctx *ctx, const struct lt_gemm *g, const struct lt_operands *o,
                         uint8_t **a, uint8_t **b)
{
    enum cuda_scale block = g->type->block;

    if (block == SCALE_NONE)
        return true;
    *a = cuda_fetch_new(ctx, o->a_scale, cuda_scale_bytes(block, g->m, g->k), "scales");
    *b = cuda_fetch_new(ctx, o->b_scale, cuda_scale_bytes(block, g->n, g->k), "scales");
    return *a && *b;
}

static bool fetch_all(struct cuda_ctx *ctx, const struct lt_gemm *g, const struct lt_operands *o,
                      struct sample *s)
{
    size_t row = number_bytes(g->type->bits, (size_t)g->k);
    size_t column = number_bytes(g->type->out, (size_t)g->m);

    for (int i = 0; i < s->row_count; i++)
        if (!(s->a[i] = fetch_row(ctx, g, o->a, s->rows[i])))
            return false;
    for (int i = 0; i < s->column_count; i++) {
        const char *b = (const char *)o->b + (size_t)s->columns[i] * row;
        const char *d = (const char *)o->d + (size_t)s->columns[i] * column;

        if (!(s->b[i] = cuda_fetch_new(ctx, b, row, "copy of an operand")) ||
            !(s->d[i] = cuda_fetch_new(ctx, d, column, "copy of a result")))
            return false;
    }
    return fetch_scales(ctx, g, o, &s->a_scale, &s->b_scale);
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

static double check_reference(const struct lt_gemm *g, const struct sample *s, int i, int j,
                              double *sum_abs)
{
    int block = cuda_scale_block(g->type->block);
    double sum = 0, absolute = 0;

    for (int64_t l = 0; l < g->k; l++) {
        double product = number_get(g->type->bits, s->a[i], (size_t)l) *
                         number_get(g->type->bits, s->b[j], (size_t)l);

        if (block)
            product *= cuda_scale_get(g->type->block, s->a_scale, s->rows[i], l / block, g->k) *
                       cuda_scale_get(g->type->block, s->b_scale, s->columns[j], l / block, g->k);
        sum += product;
        absolute += fabs(product);
    }
    *sum_abs = absolute;
    return sum;
}

static double zeros_in(const struct lt_gemm *g, void *const *vectors, int count)
{
    double zeros = 0;

    for (int i = 0; i < count; i++)
        for (int64_t l = 0; l < g->k; l++)
            zeros += number_get(g->type->bits, vectors[i], (size_t)l) == 0;
    return zeros;
}

static void check_some(struct cuda_ctx *ctx, struct lt_gemm *g, int variant,
                       const struct lt_operands *o, int rows, int columns, struct check *out)
{
    const struct summing how = lt_summing(g, variant);
    struct sample s = {0};
    int poison = g->type->out == NUMBER_S32 ? 0x7f : 0xff;
    size_t bytes = number_bytes(g->type->out, (size_t)g->m * (size_t)g->n * (size_t)g->batch);

    *out = (struct check){0};
    s.row_count = check_spread(g->m, rows, s.rows);
    s.column_count = check_spread(g->n_asked, columns, s.columns);
    if (cuda_ok(ctx, cudaMemsetAsync(o->d, poison, bytes, ctx->stream), "poison") &&
        lt_launch(ctx, g, variant, o) && cuda_wait(ctx, "check") && fetch_all(ctx, g, o, &s)) {
        out->done = out->ok = true;
        method_no_zeros(out, ctx->settings.fill,
                        zeros_in(g, s.a, s.row_count) + zeros_in(g, s.b, s.column_count),
                        (double)(s.row_count + s.column_count) * (double)g->k);
        for (int e = 0; e < s.row_count * s.column_count; e++) {
            int i = e / s.column_count, j = e % s.column_count;
            double sum_abs, ref = check_reference(g, &s, i, j, &sum_abs);
            double d = number_get(g->type->out, s.d[j], (size_t)s.rows[i]);

            if (!check_within(out, &how, d, ref, sum_abs) && out->ok)
                check_wrong(out, s.rows[i], s.columns[j], d, ref);
        }
    }
    sample_free(&s);
}

void lt_check(struct cuda_ctx *ctx, struct lt_gemm *g, int variant, const struct lt_operands *o,
              struct check *out)
{
    check_some(ctx, g, variant, o, CHECK_ROWS, CHECK_COLUMNS, out);
}

/* ---- all of it, against products of doubles ---- */

enum { PANEL_MOST = 2048, PANEL_LEAST = 16 };
#define PANEL_BYTES 134217728.0 /* of doubles, of one operand */

enum { DEV_A, DEV_B, DEV_B_ABS, DEV_D, DEV_COUNT };

struct panels {
    int64_t width;              /* rows of A, and columns of B, at once */
    uint8_t *a_scale, *b_scale; /* on the host, all of them */
    double *a, *b;              /* on the host, k x width */
    double *ref, *sum;          /* width x width */
    char *d;                    /* as stored */
    char *device[DEV_COUNT];
    struct summing how;
};

struct spot { /* a panel of rows and one of columns */
    int64_t row, rows, column, columns;
};

static const struct cuda_type doubles = {
    .compute = CUBLAS_COMPUTE_64F,
    .scale = CUDA_R_64F,
    .ab = CUDA_R_64F,
    .d = CUDA_R_64F,
    .bits = NUMBER_F64,
    .out = NUMBER_F64,
    .m_multiple = 1,
    .k_multiple = 1,
    .n_multiple = 1,
    .n_fallback = 1,
};

static void panels_free(struct cuda_ctx *ctx, struct panels *p)
{
    void *host[] = {p->a_scale, p->b_scale, p->a, p->b, p->ref, p->sum, p->d};

    for (size_t i = 0; i < sizeof host / sizeof host[0]; i++)
        free(host[i]);
    for (int i = 0; i < DEV_COUNT; i++)
        cuda_give(ctx, p->device[i]);
    *p = (struct panels){0};
}

static bool panels_take(struct cuda_ctx *ctx, const struct lt_gemm *g, int64_t width, double room,
                        struct panels *p)
{
    size_t operand = (size_t)width * (size_t)g->k * sizeof(double);
    size_t block = (size_t)(width * width) * sizeof(double);
    bool ok = 3 * (double)operand + (double)block <= room;

    p->width = width;
    for (int i = 0; ok && i < DEV_COUNT; i++)
        ok = (p->device[i] = cuda_take(ctx, (double)(i == DEV_D ? block : operand)));
    ok = ok && (p->a = malloc(operand)) && (p->b = malloc(operand)) && (p->ref = malloc(block)) &&
         (p->sum = malloc(block)) && (p->d = malloc(block));
    if (!ok)
        panels_free(ctx, p);
    return ok;
}

/* The widest that there is room for. */
static bool panels_open(struct cuda_ctx *ctx, const struct lt_gemm *g, const struct lt_operands *o,
                        double room, struct panels *p)
{
    int64_t width = g->m > g->n_asked ? g->m : g->n_asked;
    bool ok = false;

    if (width > PANEL_MOST)
        width = PANEL_MOST;
    while (width > PANEL_LEAST && 8 * (double)width * (double)g->k > PANEL_BYTES)
        width /= 2;
    for (; !ok && width >= PANEL_LEAST; width /= 2)
        ok = panels_take(ctx, g, width, room, p);
    return ok ? fetch_scales(ctx, g, o, &p->a_scale, &p->b_scale)
              : cuda_refuse(ctx, POINT_OOM, "no memory for products of doubles");
}

/* `count` rows of A or columns of B from the first on, as doubles. */
static bool check_decode(struct cuda_ctx *ctx, const struct lt_gemm *g, const void *from,
                         const uint8_t *scales, int64_t first, int64_t count, double *out)
{
    size_t row = number_bytes(g->type->bits, (size_t)g->k);
    void *stored = cuda_fetch_new(ctx, (const char *)from + (size_t)first * row,
                                  (size_t)count * row, "copy of an operand");
    int block = scales ? cuda_scale_block(g->type->block) : 1;

    if (!stored)
        return false;
    for (size_t i = 0; i < (size_t)count * (size_t)g->k; i++)
        out[i] = number_get(g->type->bits, stored, i);
    free(stored);
    for (int64_t i = 0; scales && i < count; i++)
        for (int64_t l = 0; l < g->k; l += block) {
            double scale = cuda_scale_get(g->type->block, scales, first + i, l / block, g->k);

            for (int64_t e = l; e < l + block && e < g->k; e++)
                out[i * g->k + e] *= scale;
        }
    return true;
}

/* Or their magnitudes. In the order of the stream; what lies on the host may be changed at once. */
static bool check_upload(struct cuda_ctx *ctx, char *to, double *from, size_t count, bool absolute)
{
    for (size_t i = 0; absolute && i < count; i++)
        from[i] = fabs(from[i]);
    return cuda_send(ctx, to, from, count * sizeof *from, ctx->stream, "copy of a reference");
}

/* Choosing an algorithm is running it: nothing is left to launch. */
static bool check_multiply(struct cuda_ctx *ctx, const struct panels *p, int64_t k,
                           const struct spot *at, int b, double *out)
{
    struct lt_operands o = {.a = p->device[DEV_A], .b = p->device[b], .d = p->device[DEV_D]};
    struct lt_gemm g = {.type = &doubles, .m = at->rows, .n_asked = at->columns, .k = k};
    size_t bytes = (size_t)(at->rows * at->columns) * sizeof *out;
    double seconds;
    bool ok = lt_open(ctx, &g) && lt_choose(ctx, &g, &o, &seconds) &&
              cuda_fetch(ctx, out, p->device[DEV_D], bytes, "copy of a reference");

    lt_close(&g);
    return ok;
}

/* The first that differs, once more on the host. False: the reference is wrong. */
static bool check_confirm(struct cuda_ctx *ctx, const struct lt_gemm *g,
                          const struct lt_operands *o, const struct summing *how, int64_t i,
                          int64_t j, struct check *out)
{
    struct sample s = {.rows = {i}, .columns = {j}, .row_count = 1, .column_count = 1};
    bool ok = fetch_all(ctx, g, o, &s);

    if (ok) {
        double sum_abs, ratio, ref = check_reference(g, &s, 0, 0, &sum_abs);
        double d = number_get(g->type->out, s.d[0], (size_t)i);

        ok = !method_within(how, d, ref, sum_abs, &ratio);
        if (ok)
            check_wrong(out, i, j, d, ref);
        else
            cuda_refuse(ctx, POINT_ERROR, "cuBLASLt's product of doubles is wrong at d[%lld,%lld]",
                        (long long)i, (long long)j);
    }
    sample_free(&s);
    return ok;
}

static bool compare_panel(struct cuda_ctx *ctx, const struct lt_gemm *g,
                          const struct lt_operands *o, const struct panels *p,
                          const struct spot *at, struct check *out)
{
    size_t one = number_bytes(g->type->out, 1);
    size_t height = (size_t)at->rows * one, pitch = (size_t)g->m * one;

    if (!cuda_ok(
            ctx,
            cudaMemcpy2D(p->d, height,
                         (const char *)o->d + (size_t)at->column * pitch + (size_t)at->row * one,
                         pitch, height, (size_t)at->columns, cudaMemcpyDeviceToHost),
            "copy of a result"))
        return false;
    for (int64_t j = 0; j < at->columns; j++)
        for (int64_t i = 0; i < at->rows; i++) {
            size_t e = (size_t)(j * at->rows + i);
            double d = number_get(g->type->out, p->d, e);

            if (!check_within(out, &p->how, d, p->ref[e], p->sum[e]) && out->ok &&
                !check_confirm(ctx, g, o, &p->how, at->row + i, at->column + j, out))
                return false;
        }
    return true;
}

/* The rows of A from `at->row` on times the columns of B that lie on the device. */
static bool check_panel(struct cuda_ctx *ctx, const struct lt_gemm *g, const struct lt_operands *o,
                        struct panels *p, const struct spot *at, struct check *out)
{
    size_t count = (size_t)(at->rows * g->k);

    if (!check_decode(ctx, g, o->a, p->a_scale, at->row, at->rows, p->a) ||
        !check_upload(ctx, p->device[DEV_A], p->a, count, false) ||
        !check_multiply(ctx, p, g->k, at, DEV_B, p->ref))
        return false;
    return check_upload(ctx, p->device[DEV_A], p->a, count, true) &&
           check_multiply(ctx, p, g->k, at, DEV_B_ABS, p->sum) &&
           compare_panel(ctx, g, o, p, at, out);
}

/* False, with the reason in ctx->fault, where there is no such reference. */
static bool check_all(struct cuda_ctx *ctx, const struct lt_gemm *g, int variant,
                      const struct lt_operands *o, double room, struct check *out)
{
    struct panels p = {0};
    struct spot at;
    bool ok;

    ok = panels_open(ctx, g, o, room, &p);
    p.how = lt_summing(g, variant);
    for (at.column = 0; ok && at.column < g->n_asked; at.column += at.columns) {
        size_t count;

        at.columns = g->n_asked - at.column;
        if (at.columns > p.width)
            at.columns = p.width;
        count = (size_t)(at.columns * g->k);
        ok = check_decode(ctx, g, o->b, p.b_scale, at.column, at.columns, p.b) &&
             check_upload(ctx, p.device[DEV_B], p.b, count, false) &&
             check_upload(ctx, p.device[DEV_B_ABS], p.b, count, true);
        for (at.row = 0; ok && at.row < g->m; at.row += at.rows) {
            at.rows = g->m - at.row < p.width ? g->m - at.row : p.width;
            ok = check_panel(ctx, g, o, &p, &at, out);
        }
    }
    panels_free(ctx, &p);
    return ok;
}

void lt_check_full(struct cuda_ctx *ctx, struct lt_gemm *g, int variant,
                   const struct lt_operands *o, double room, struct check *out)
{
    struct check all = {.done = true, .ok = true};

    check_some(ctx, g, variant, o, BLOCK, BLOCK, out);
    out->mode = g->m <= BLOCK && g->n_asked <= BLOCK ? "full" : "block";
    if (!out->ok || out->mode[0] == 'f')
        return;
    if (check_all(ctx, g, variant, o, room, &all)) {
        all.mode = "full";
        all.zeros = out->zeros;
        *out = all;
    } else {
        gp_copy(out->why, sizeof out->why, ctx->fault);
    }
    if (!ctx->lost)
        ctx->fault[0] = '\0'; /* of the check, not of the point */
}
