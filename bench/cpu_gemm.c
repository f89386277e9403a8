/*
 * cpu_gemm.c - one linear layer's operands, runs and check, whatever the library.
 *
 * W is filled once and packed `weights` times. The rows of W that the check will look
 * at are chosen and kept as double before W is given up, so that the check needs no
 * second copy of a large matrix:  16 rows of k doubles, k = 14336: 1.8 MB.
 *
 * The check runs the timed call once more on the last used copies into a y full of NaN
 * (integers: 0x7f7f7f7f) and compares 16 x 16 results with sums in double.
 */
#include "bench/cpu_gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

struct cpu_gemm {
    const struct gemm_library *library;
    struct gemm_shape shape;
    struct gemm_made made;
    enum bench_fill fill;
    int weights, rows; /* copies */
    int next_weight, next_row;
    size_t x_bytes, y_bytes; /* of one copy */
    void **w, **x, **y;      /* memory */
    void **w_handle, **x_handle, **y_handle;
    int sampled; /* rows of W kept */
    int64_t sample[CHECK_ROWS];
    double *kept; /* [sampled][k] */
};

const struct gemm_library *cpu_gemm_library(void)
{
#if defined(GP_HAVE_ONEDNN)
    return &gemm_onednn;
#elif defined(GP_HAVE_CBLAS)
    return &gemm_blas;
#else
    return NULL;
#endif
}

enum point_state cpu_gemm_new(const struct gemm_shape *shape, struct cpu_gemm **out,
                              char *why, size_t size)
{
    const struct gemm_library *library = cpu_gemm_library();
    struct cpu_gemm *gemm = calloc(1, sizeof *gemm);
    enum point_state state;

    *out = NULL;
    if (!gemm || !library) {
        free(gemm);
        gp_copy(why, size, "this engine was built without oneDNN and BLAS");
        return POINT_UNSUPPORTED;
    }
    gemm->library = library;
    gemm->shape = *shape;
    state = library->make(shape, &gemm->made, why, size);
    if (state != POINT_OK) {
        free(gemm);
        return state;
    }
    gemm->x_bytes = (size_t)shape->n * (size_t)shape->k * number_size(gemm->made.x);
    gemm->y_bytes = (size_t)shape->n * (size_t)shape->m * number_size(gemm->made.y);
    *out = gemm;
    return POINT_OK;
}

const struct gemm_made *cpu_gemm_made(const struct cpu_gemm *gemm)
{
    return &gemm->made;
}

double cpu_gemm_row_bytes(const struct cpu_gemm *gemm)
{
    return (double)gemm->x_bytes + (double)gemm->y_bytes;
}

double cpu_gemm_source_bytes(const struct cpu_gemm *gemm)
{
    return (double)gemm->shape.m * (double)gemm->shape.k *
           (double)number_size(gemm->made.w);
}

/* ---- operands ---- */

struct filling {
    enum bench_fill fill;
    enum number number;
    char *base;
    size_t count;
    uint64_t seed;
};

enum { FILL_BLOCK = 1 << 20 }; /* numbers; so that values do not depend on threads */

static void fill_part(void *ctx, int part, int parts)
{
    const struct filling *f = ctx;
    size_t step = (size_t)parts * FILL_BLOCK;

    for (size_t at = (size_t)part * FILL_BLOCK; at < f->count; at += step) {
        size_t rest = f->count - at;

        number_fill_as(f->fill, f->number, f->base + at * number_size(f->number),
                       rest < FILL_BLOCK ? rest : FILL_BLOCK,
                       f->seed + at / FILL_BLOCK);
    }
}

static void fill(struct cpu_pool *pool, enum bench_fill how, enum number number,
                 void *base, size_t count, uint64_t seed)
{
    struct filling filling = {how, number, base, count, seed};

    cpu_pool_run(pool, fill_part, &filling);
}

/* Rows spread over the matrix, the first and the last among them. */
static int64_t spread(int64_t count, int samples, int i)
{
    return count <= samples   ? i
           : i == samples - 1 ? count - 1
                              : count * i / samples + i % 3;
}

static bool keep_samples(struct cpu_gemm *gemm, const void *w)
{
    int64_t m = gemm->shape.m, k = gemm->shape.k;

    gemm->sampled = m < CHECK_ROWS ? (int)m : CHECK_ROWS;
    gemm->kept = malloc((size_t)gemm->sampled * (size_t)k * sizeof *gemm->kept);
    for (int i = 0; gemm->kept && i < gemm->sampled; i++) {
        gemm->sample[i] = spread(m, CHECK_ROWS, i);
        if (gemm->sample[i] >= m)
            gemm->sample[i] = m - 1;
        for (int64_t j = 0; j < k; j++)
            gemm->kept[i * k + j] =
                number_get(gemm->made.w, w, (size_t)(gemm->sample[i] * k + j));
    }
    return gemm->kept != NULL;
}

static bool pack_weights(struct cpu_gemm *gemm, const void *w)
{
    const struct gemm_library *library = gemm->library;

    for (int i = 0; i < gemm->weights; i++) {
        gemm->w[i] = cpu_alloc(gemm->made.packed);
        if (!gemm->w[i] ||
            !library->pack(gemm->made.op, (void *)(uintptr_t)w, gemm->w[i]))
            return false;
        gemm->w_handle[i] = library->weights(gemm->made.op, gemm->w[i]);
        if (!gemm->w_handle[i])
            return false;
    }
    return true;
}

static bool make_rows(struct cpu_gemm *gemm, struct cpu_pool *pool, uint64_t seed)
{
    const struct gemm_library *library = gemm->library;

    for (int i = 0; i < gemm->rows; i++) {
        gemm->x[i] = cpu_alloc(gemm->x_bytes);
        gemm->y[i] = cpu_alloc(gemm->y_bytes);
        if (!gemm->x[i] || !gemm->y[i])
            return false;
        fill(pool, gemm->fill, gemm->made.x, gemm->x[i],
             (size_t)gemm->shape.n * (size_t)gemm->shape.k, seed ^ 0xac7);
        memset(gemm->y[i], 0xff, gemm->y_bytes); /* first touch */
        gemm->x_handle[i] = library->input(gemm->made.op, gemm->x[i]);
        gemm->y_handle[i] = library->output(gemm->made.op, gemm->y[i]);
        if (!gemm->x_handle[i] || !gemm->y_handle[i])
            return false;
    }
    return true;
}

static bool make_tables(struct cpu_gemm *gemm)
{
    void ***tables[] = {&gemm->w,        &gemm->w_handle, &gemm->x,
                        &gemm->x_handle, &gemm->y,        &gemm->y_handle};

    for (int i = 0; i < 6; i++) {
        *tables[i] =
            calloc((size_t)(i < 2 ? gemm->weights : gemm->rows), sizeof(void *));
        if (!*tables[i])
            return false;
    }
    return true;
}

enum point_state cpu_gemm_fill(struct cpu_gemm *gemm, struct cpu_pool *pool,
                               int weights, int rows,
                               const struct method_settings *settings, char *why,
                               size_t size)
{
    size_t count = (size_t)gemm->shape.m * (size_t)gemm->shape.k;
    size_t bytes = count * number_size(gemm->made.w);
    void *w = cpu_alloc(bytes);
    bool ok = false;

    gemm->weights = weights;
    gemm->rows = rows;
    gemm->fill = settings->fill;
    if (w && make_tables(gemm)) {
        fill(pool, gemm->fill, gemm->made.w, w, count, settings->seed);
        ok = keep_samples(gemm, w) && pack_weights(gemm, w) &&
             make_rows(gemm, pool, settings->seed);
    }
    cpu_release(w, bytes);
    if (!ok)
        gp_copy(why, size, "the operands could not be allocated or packed");
    return ok ? POINT_OK : POINT_OOM;
}

static void drop(struct cpu_gemm *gemm, void **base, void **handle, int count,
                 size_t bytes)
{
    for (int i = 0; i < count; i++) {
        if (handle && handle[i])
            gemm->library->forget(handle[i]);
        if (base)
            cpu_release(base[i], bytes);
    }
    free(base);
    free(handle);
}

void cpu_gemm_free(struct cpu_gemm *gemm)
{
    if (!gemm)
        return;
    drop(gemm, gemm->w, gemm->w_handle, gemm->weights, gemm->made.packed);
    drop(gemm, gemm->x, gemm->x_handle, gemm->rows, gemm->x_bytes);
    drop(gemm, gemm->y, gemm->y_handle, gemm->rows, gemm->y_bytes);
    gemm->library->free(gemm->made.op);
    free(gemm->kept);
    free(gemm);
}

/* ---- runs ---- */

bool cpu_gemm_run(struct cpu_gemm *gemm, int weight, int row)
{
    gemm->next_weight = weight;
    gemm->next_row = row;
    return gemm->library->execute(gemm->made.op, gemm->w_handle[weight],
                                  gemm->x_handle[row], gemm->y_handle[row]);
}

bool cpu_gemm_wait(struct cpu_gemm *gemm)
{
    return gemm->library->wait(gemm->made.op);
}

/* ---- check ---- */

/* Of the kept rows of W and one column of x. */
static void look_for_zeros(const struct cpu_gemm *gemm, const void *x,
                           struct check *out)
{
    int64_t k = gemm->shape.k, count = gemm->sampled * k;
    double zeros = 0;

    for (int64_t i = 0; i < count; i++)
        zeros += gemm->kept[i] == 0;
    for (int64_t i = 0; i < k; i++)
        zeros += number_get(gemm->made.x, x, (size_t)i) == 0;
    method_no_zeros(out, gemm->fill, zeros, (double)(count + k));
}

static void compare(const struct cpu_gemm *gemm, int i, int64_t column, const void *x,
                    const void *y, struct check *out)
{
    const double *w = gemm->kept + (int64_t)i * gemm->shape.k;
    int64_t k = gemm->shape.k;
    size_t at = (size_t)(column * gemm->shape.m + gemm->sample[i]);
    double ref = 0, sum = 0, ratio, got = number_get(gemm->made.y, y, at);

    for (int64_t j = 0; j < k; j++) {
        double one = w[j] * number_get(gemm->made.x, x, (size_t)(column * k + j));

        ref += one;
        sum += fabs(one);
    }
    out->n++;
    if (!method_within(gemm->shape.type, got, ref, sum, &ratio) && out->ok) {
        out->ok = false;
        gp_format(out->why, sizeof out->why, "y[%lld, %lld] is %.9g, not %.9g%s",
                  (long long)column, (long long)gemm->sample[i], got, ref,
                  gemm->shape.type == TYPE_INT8 && gemm->made.emulated
                      ? ": 16-bit sums saturate without VNNI"
                      : "");
    }
    if (!(ratio <= out->max_err))
        out->max_err = ratio;
}

void cpu_gemm_check(struct cpu_gemm *gemm, struct check *out)
{
    int row = gemm->next_row;
    int64_t n = gemm->shape.n;
    int columns = n < CHECK_COLUMNS ? (int)n : CHECK_COLUMNS;

    memset(out, 0, sizeof *out);
    memset(gemm->y[row], gemm->made.y == NUMBER_S32 ? 0x7f : 0xff, gemm->y_bytes);
    out->done = true;
    out->ok = cpu_gemm_run(gemm, gemm->next_weight, row) && cpu_gemm_wait(gemm);
    if (!out->ok) {
        gp_copy(out->why, sizeof out->why, "the library refused the call");
        return;
    }
    look_for_zeros(gemm, gemm->x[row], out);
    for (int c = 0; c < columns; c++) {
        int64_t column = spread(n, CHECK_COLUMNS, c);

        for (int i = 0; i < gemm->sampled; i++)
            compare(gemm, i, column < n ? column : n - 1, gemm->x[row], gemm->y[row],
                    out);
    }
}
