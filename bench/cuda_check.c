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
 *
 * The GPU waits for all that: the host decodes each element once, by tables, and a full check is
 * shared among the processors near the GPU (16 at the most: other GPUs are checked meanwhile).
 */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "bench/cpu_pool.h"
#include "bench/cuda_lt.h"

enum { BLOCK = 64 }; /* rows and columns of a full check: the host computes them */
enum { THREADS_MOST = 16 };

struct sample {
    int64_t rows[BLOCK], columns[BLOCK];
    int row_count, column_count;
    void *a[BLOCK], *b[BLOCK], *d[BLOCK]; /* on the host */
    uint8_t *a_scale, *b_scale;
    double *value[2 * BLOCK]; /* rows, then columns: k elements, with their scales */
    double zeros[2 * BLOCK];  /* of those elements */
    double ref[BLOCK][BLOCK], sum_abs[BLOCK][BLOCK];
    const struct lt_gemm *gemm;
};

/* Without threads where they cannot be had, or are not worth waking. */
static void check_share(cpu_work *work, void *ctx, double operations)
{
    cpu_set_t near;
    struct cpu_pool *pool = NULL;

    if (operations > 1e5 && sched_getaffinity(0, sizeof near, &near) == 0) {
        int count = CPU_COUNT(&near);

        pool = cpu_pool_new(count < THREADS_MOST ? count : THREADS_MOST);
    }
    if (pool)
        cpu_pool_run(pool, work, ctx);
    else
        work(ctx, 0, 1);
    cpu_pool_free(pool);
}

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

/* The scales of both operands, where the type has any. */
static bool fetch_scales(struct cuda_ctx *ctx, const struct lt_gemm *g, const struct lt_operands *o,
                         uint8_t **a, uint8_t **b)
{
    const enum cuda_scale *s = g->type->scales;

    if (s[0] == SCALE_NONE)
        return true;
    *a = cuda_fetch_new(ctx, o->a_scale, cuda_scale_bytes(s[0], g->m, g->k), "scales");
    *b = cuda_fetch_new(ctx, o->b_scale, cuda_scale_bytes(s[1], g->n, g->k), "scales");
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
    for (int v = 0; v < 2 * BLOCK; v++)
        free(s->value[v]);
    free(s->a_scale);
    free(s->b_scale);
    free(s);
}

/* The scales of a row of A (operand 0) or a column of B (1), onto its elements. */
static void apply_scales(const struct lt_gemm *g, int operand, const uint8_t *scales, int64_t row,
                         double *value)
{
    enum cuda_scale kind = g->type->scales[operand];
    int64_t outer = operand ? g->n : g->m, block = cuda_scale_block(kind, g->k);

    for (int64_t l = 0; scales && l < g->k; l += block) {
        double scale = cuda_scale_get(kind, scales, outer, row, l / block, g->k);

        for (int64_t e = l; e < l + block && e < g->k; e++)
            value[e] *= scale;
    }
}

/* Every `parts`-th row and column. */
static void sample_decode(void *ctx, int part, int parts)
{
    struct sample *s = ctx;
    const struct lt_gemm *g = s->gemm;

    for (int v = part; v < s->row_count + s->column_count; v += parts) {
        int j = v - s->row_count;
        const void *stored = j < 0 ? s->a[v] : s->b[j];

        number_get_all(g->type->bits, stored, (size_t)g->k, s->value[v]);
        for (int64_t l = 0; l < g->k; l++)
            s->zeros[v] += s->value[v][l] == 0;
        apply_scales(g, j >= 0, j < 0 ? s->a_scale : s->b_scale, j < 0 ? s->rows[v] : s->columns[j],
                     s->value[v]);
    }
}

/* Every `parts`-th row. */
static void sample_multiply(void *ctx, int part, int parts)
{
    struct sample *s = ctx;

    for (int i = part; i < s->row_count; i += parts)
        for (int j = 0; j < s->column_count; j++) {
            const double *a = s->value[i], *b = s->value[s->row_count + j];
            double sum = 0, absolute = 0;

            for (int64_t l = 0; l < s->gemm->k; l++) {
                double product = a[l] * b[l];

                sum += product;
                absolute += fabs(product);
            }
            s->ref[i][j] = sum;
            s->sum_abs[i][j] = absolute;
        }
}

/* What the rows and columns of a sample are, and their products in double. */
static bool sample_compute(struct cuda_ctx *ctx, const struct lt_gemm *g,
                           const struct lt_operands *o, struct sample *s)
{
    int count = s->row_count + s->column_count;

    s->gemm = g;
    if (!fetch_all(ctx, g, o, s))
        return false;
    for (int v = 0; v < count; v++)
        if (!(s->value[v] = cuda_host(ctx, (size_t)g->k * sizeof(double))))
            return false;
    check_share(sample_decode, s, count * (double)g->k);
    check_share(sample_multiply, s, s->row_count * s->column_count * (double)g->k);
    return true;
}

/* Rows and columns of one matrix of a batch whose product has been made. */
static void compare_sample(struct cuda_ctx *ctx, const struct lt_gemm *g, const struct summing *how,
                           const struct lt_operands *o, struct sample *s, struct check *out)
{
    double zeros = 0;

    if (!sample_compute(ctx, g, o, s)) {
        out->done = false;
        return;
    }
    for (int v = 0; v < 2 * BLOCK; v++)
        zeros += s->zeros[v];
    method_no_zeros(out, ctx->settings.fill, zeros,
                    (double)(s->row_count + s->column_count) * (double)g->k);
    for (int e = 0; e < s->row_count * s->column_count; e++) {
        int i = e / s->column_count, j = e % s->column_count;
        double d = number_get(g->type->out, s->d[j], (size_t)s->rows[i]);

        if (!check_within(out, how, d, s->ref[i][j], s->sum_abs[i][j]) && out->ok)
            check_wrong(out, s->rows[i], s->columns[j], d, s->ref[i][j]);
    }
}

/* Of a batch its first and its last matrix. */
static void check_some(struct cuda_ctx *ctx, struct lt_gemm *g, int variant,
                       const struct lt_operands *o, int rows, int columns, struct check *out)
{
    const struct summing how = lt_summing(g, variant);
    int poison = g->type->out == NUMBER_S32 ? 0x7f : 0xff;
    size_t bytes = number_bytes(g->type->out, (size_t)g->m * (size_t)g->n * (size_t)g->batch);

    *out = (struct check){0};
    if (!cuda_ok(ctx, cudaMemsetAsync(o->d, poison, bytes, ctx->stream), "poison") ||
        !lt_launch(ctx, g, variant, o) || !cuda_wait(ctx, "check"))
        return;
    out->done = out->ok = true;
    for (int b = 0; b < g->batch && out->done && out->ok; b += g->batch > 2 ? g->batch - 1 : 1) {
        struct lt_operands one = lt_of_batch(g, o, b);
        struct sample *s = gp_calloc(1, sizeof *s);

        s->row_count = check_spread(g->m, rows, s->rows);
        s->column_count = check_spread(g->n_asked, columns, s->columns);
        compare_sample(ctx, g, &how, &one, s, out);
        sample_free(s);
    }
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

struct decoding {
    const struct lt_gemm *gemm;
    const char *stored;
    const uint8_t *scales;
    int operand;
    int64_t first, count;
    double *out;
};

/* Every `parts`-th row or column. */
static void decode_some(void *ctx, int part, int parts)
{
    const struct decoding *d = ctx;
    size_t k = (size_t)d->gemm->k, row = number_bytes(d->gemm->type->bits, k);

    for (int64_t i = part; i < d->count; i += parts) {
        double *out = d->out + (size_t)i * k;

        number_get_all(d->gemm->type->bits, d->stored + (size_t)i * row, k, out);
        apply_scales(d->gemm, d->operand, d->scales, d->first + i, out);
    }
}

/* `count` rows of A (operand 0) or columns of B from the first on, as doubles. */
static bool check_decode(struct cuda_ctx *ctx, const struct lt_gemm *g, const struct panels *p,
                         const struct lt_operands *o, int operand, int64_t first, int64_t count)
{
    const void *from = operand ? o->b : o->a;
    const uint8_t *scales = operand ? p->b_scale : p->a_scale;
    size_t row = number_bytes(g->type->bits, (size_t)g->k);
    void *stored = cuda_fetch_new(ctx, (const char *)from + (size_t)first * row,
                                  (size_t)count * row, "copy of an operand");
    struct decoding all = {g, stored, scales, operand, first, count, operand ? p->b : p->a};

    if (!stored)
        return false;
    check_share(decode_some, &all, (double)count * (double)g->k);
    free(stored);
    return true;
}

/* Or their magnitudes. */
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
    struct sample *s = gp_calloc(1, sizeof *s);

    s->rows[0] = i;
    s->columns[0] = j;
    s->row_count = s->column_count = 1;
    bool ok = sample_compute(ctx, g, o, s);
    if (ok) {
        double ratio, d = number_get(g->type->out, s->d[0], (size_t)i);

        ok = !method_within(how, d, s->ref[0][0], s->sum_abs[0][0], &ratio);
        if (ok)
            check_wrong(out, i, j, d, s->ref[0][0]);
        else
            cuda_refuse(ctx, POINT_ERROR, "cuBLASLt's product of doubles is wrong at d[%lld,%lld]",
                        (long long)i, (long long)j);
    }
    sample_free(s);
    return ok;
}

struct comparing {
    enum number type;
    const struct panels *panels;
    const struct spot *at;
    struct compared { /* by one thread */
        struct check check;
        int64_t wrong; /* the first; -1 = none */
    } by[THREADS_MOST];
};

/* Columns from one border to the next. */
static void compare_some(void *ctx, int part, int parts)
{
    struct comparing *c = ctx;
    const struct panels *p = c->panels;
    int64_t rows = c->at->rows, columns = c->at->columns;
    struct compared by = {.wrong = -1};

    for (int64_t e = columns * part / parts * rows; e < columns * (part + 1) / parts * rows; e++) {
        double d = number_get(c->type, p->d, (size_t)e);

        if (!check_within(&by.check, &p->how, d, p->ref[e], p->sum[e]) && by.wrong < 0)
            by.wrong = e;
    }
    c->by[part] = by;
}

static bool compare_panel(struct cuda_ctx *ctx, const struct lt_gemm *g,
                          const struct lt_operands *o, const struct panels *p,
                          const struct spot *at, struct check *out)
{
    size_t one = number_bytes(g->type->out, 1);
    size_t height = (size_t)at->rows * one, pitch = (size_t)g->m * one;
    struct comparing c = {.type = g->type->out, .panels = p, .at = at};

    for (int i = 0; i < THREADS_MOST; i++)
        c.by[i].wrong = -1;
    if (!cuda_ok(
            ctx,
            cudaMemcpy2D(p->d, height,
                         (const char *)o->d + (size_t)at->column * pitch + (size_t)at->row * one,
                         pitch, height, (size_t)at->columns, cudaMemcpyDeviceToHost),
            "copy of a result"))
        return false;
    check_share(compare_some, &c, 20 * (double)at->rows * (double)at->columns);
    for (int i = 0; i < THREADS_MOST; i++) {
        const struct compared *by = &c.by[i];

        out->n += by->check.n;
        out->max_err = fmax(out->max_err, by->check.max_err);
        if (by->wrong >= 0 && out->ok &&
            !check_confirm(ctx, g, o, &p->how, at->row + by->wrong % at->rows,
                           at->column + by->wrong / at->rows, out))
            return false;
    }
    return true;
}

/* The rows of A from `at->row` on times the columns of B that lie on the device. */
static bool check_panel(struct cuda_ctx *ctx, const struct lt_gemm *g, const struct lt_operands *o,
                        struct panels *p, const struct spot *at, struct check *out)
{
    size_t count = (size_t)(at->rows * g->k);

    if (!check_decode(ctx, g, p, o, 0, at->row, at->rows) ||
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
    bool ok = panels_open(ctx, g, o, room, &p);

    p.how = lt_summing(g, variant);
    for (at.column = 0; ok && at.column < g->n_asked; at.column += at.columns) {
        at.columns = g->n_asked - at.column;
        if (at.columns > p.width)
            at.columns = p.width;
        size_t count = (size_t)(at.columns * g->k);
        ok = check_decode(ctx, g, &p, o, 1, at.column, at.columns) &&
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
    bool whole = true;

    check_some(ctx, g, variant, o, BLOCK, BLOCK, out);
    out->mode = g->m <= BLOCK && g->n_asked <= BLOCK && g->batch <= 2 ? "full" : "block";
    if (!out->ok || out->mode[0] == 'f')
        return;
    for (int b = 0; b < g->batch && whole && all.ok; b++) {
        struct lt_operands one = lt_of_batch(g, o, b);

        whole = check_all(ctx, g, variant, &one, room, &all);
    }
    if (whole) {
        all.mode = "full";
        all.zeros = out->zeros;
        *out = all;
    } else {
        gp_copy(out->why, sizeof out->why, ctx->fault);
    }
    if (!ctx->lost)
        ctx->fault[0] = '\0'; /* of the check, not of the point */
}
