/*
 * cpu_gemm.c - one linear layer's operands, runs and check, whatever the library.
 *
 * W is filled once and packed `weights` times. The rows of W that the check will look
 * at are chosen and kept before W is given up, so that the check needs no second copy
 * of a large matrix: 16 rows of k floats, k = 14336: 0.9 MB. A full check keeps as many
 * as 64 Mi multiply-adds need, half a second of one processor.
 *
 * The check runs the timed call once more on the last used copies into a y full of NaN
 * (integers: 0x7f7f7f7f) and compares 16 x 16 results, or all, with sums in double.
 */
#include "bench/cpu_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct cpu_gemm {
    const struct gemm_library *library;
    struct gemm_shape shape;
    struct gemm_made made;
    enum bench_fill fill;
    struct copies {
        int count;
        size_t bytes;
        void **data, **handle;
    } copies[GEMM_OPERANDS];
    int next_weight, next_row;
    bool full;       /* all results are checked, as far as that is bearable */
    int64_t sampled; /* rows of W kept */
    int64_t columns; /* of x that are checked with each */
    char *kept;      /* [sampled][k], as W was stored */
    void *result;    /* of cpu_gemm_keep() */
    double *one;     /* [k], of one row */
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

void cpu_gemm_threads(int threads)
{
    if (cpu_gemm_library())
        cpu_gemm_library()->threads(threads);
}

struct cpu_gemm *cpu_gemm_new(const struct gemm_shape *shape, struct refusal *why)
{
    const struct gemm_library *library = cpu_gemm_library();
    struct gemm_made made = {.op = NULL};
    struct cpu_gemm *gemm;

    if (!library) {
        cpu_refuse(why, POINT_UNSUPPORTED, "this engine was built without oneDNN and BLAS");
        return NULL;
    }
    if (!library->make(shape, &made, why))
        return NULL;
    gemm = gp_calloc(1, sizeof *gemm);
    gemm->library = library;
    gemm->shape = *shape;
    gemm->made = made;
    gemm->copies[GEMM_W].bytes = made.packed;
    gemm->copies[GEMM_X].bytes = number_bytes(made.x, (size_t)shape->n * (size_t)shape->k);
    gemm->copies[GEMM_Y].bytes = number_bytes(made.y, (size_t)shape->n * (size_t)shape->m);
    return gemm;
}

const struct gemm_made *cpu_gemm_made(const struct cpu_gemm *gemm)
{
    return &gemm->made;
}

double cpu_gemm_row_bytes(const struct cpu_gemm *gemm)
{
    return (double)gemm->copies[GEMM_X].bytes + (double)gemm->copies[GEMM_Y].bytes;
}

double cpu_gemm_source_bytes(const struct cpu_gemm *gemm)
{
    return (double)gemm->shape.m * (double)gemm->shape.k * (double)number_bytes(gemm->made.w, 1);
}

/* ---- operands ---- */

struct filling {
    enum bench_fill fill;
    enum number number;
    char *base;
    size_t bytes;
    uint64_t seed;
};

enum { FILL_BLOCK = 4 << 20 }; /* bytes; so that values do not depend on threads */

static void fill_part(void *ctx, int part, int parts)
{
    const struct filling *f = ctx;
    size_t step = (size_t)parts * FILL_BLOCK;

    for (size_t at = (size_t)part * FILL_BLOCK; at < f->bytes; at += step)
        number_fill(f->fill, f->number, f->base + at,
                    f->bytes - at < FILL_BLOCK ? f->bytes - at : FILL_BLOCK,
                    f->seed + at / FILL_BLOCK);
}

static void gemm_fill(struct cpu_pool *pool, enum bench_fill how, enum number number, void *base,
                      size_t bytes, uint64_t seed)
{
    struct filling filling = {how, number, base, bytes, seed};

    cpu_pool_run(pool, fill_part, &filling);
}

/* Rows spread over the matrix, the first and the last among them. */
static int64_t gemm_spread(int64_t count, int64_t samples, int64_t i)
{
    int64_t at = samples > 0 && count > samples ? count * i / samples : i;

    if (count > 4 * samples)
        at += i % 3; /* not at one place of the kernel's tiles */
    return i == samples - 1 || at >= count ? count - 1 : at;
}

static int64_t at_least_one(double count)
{
    return count < 1 ? 1 : (int64_t)count;
}

/* How much is checked: 16 x 16, or whole rows within CHECK_FULL_MOST. */
static void plan_check(struct cpu_gemm *gemm)
{
    int64_t m = gemm->shape.m, n = gemm->shape.n, rows = CHECK_ROWS;
    int64_t columns = CHECK_COLUMNS;
    double k = (double)gemm->shape.k;

    if (gemm->full) {
        columns = at_least_one(CHECK_FULL_MOST / k);
        columns = columns < n ? columns : n;
        rows = at_least_one(CHECK_FULL_MOST / k / (double)columns);
    }
    gemm->sampled = rows < m ? rows : m;
    gemm->columns = columns < n ? columns : n;
}

static bool keep_samples(struct cpu_gemm *gemm, const void *w)
{
    size_t row = (size_t)gemm->shape.k * number_bytes(gemm->made.w, 1);

    plan_check(gemm);
    gemm->kept = malloc((size_t)gemm->sampled * row);
    gemm->one = malloc((size_t)gemm->shape.k * sizeof *gemm->one);
    for (int64_t i = 0; gemm->kept && i < gemm->sampled; i++)
        memcpy(gemm->kept + (size_t)i * row,
               (const char *)w + (size_t)gemm_spread(gemm->shape.m, gemm->sampled, i) * row, row);
    return gemm->kept && gemm->one;
}

/* One copy of an operand; w: W before it is packed. */
static bool make_copy(struct cpu_gemm *gemm, struct cpu_pool *pool, enum gemm_operand which, int i,
                      void *w, uint64_t seed)
{
    const struct gemm_library *library = gemm->library;
    struct copies *c = &gemm->copies[which];

    if (!(c->data[i] = cpu_alloc(c->bytes)))
        return false;
    if (which == GEMM_W && !library->pack(gemm->made.op, w, c->data[i]))
        return false;
    if (which == GEMM_X)
        gemm_fill(pool, gemm->fill, gemm->made.x, c->data[i], c->bytes, seed ^ 0xac7);
    else if (which == GEMM_Y)
        memset(c->data[i], 0xff, c->bytes); /* first touch */
    c->handle[i] = library->operand(gemm->made.op, which, c->data[i]);
    return c->handle[i] != NULL;
}

bool cpu_gemm_fill(struct cpu_gemm *gemm, struct cpu_pool *pool, int weights, int rows,
                   const struct method_settings *settings, struct refusal *why)
{
    size_t bytes = (size_t)cpu_gemm_source_bytes(gemm);
    void *w = cpu_alloc(bytes);
    bool ok = w != NULL;

    gemm->fill = settings->fill;
    gemm->full = settings->check == CHECK_FULL;
    if (ok) {
        gemm_fill(pool, gemm->fill, gemm->made.w, w, bytes, settings->seed);
        ok = keep_samples(gemm, w);
    }
    for (int which = 0; which < GEMM_OPERANDS; which++) {
        struct copies *c = &gemm->copies[which];

        c->count = which == GEMM_W ? weights : rows;
        c->data = gp_calloc((size_t)c->count, sizeof(void *));
        c->handle = gp_calloc((size_t)c->count, sizeof(void *));
        for (int i = 0; ok && i < c->count; i++)
            ok = make_copy(gemm, pool, (enum gemm_operand)which, i, w, settings->seed);
    }
    cpu_release(w, bytes);
    return ok || cpu_refuse(why, POINT_OOM, "the operands could not be allocated or packed");
}

void cpu_gemm_free(struct cpu_gemm *gemm)
{
    if (!gemm)
        return;
    for (int which = 0; which < GEMM_OPERANDS; which++) {
        struct copies *c = &gemm->copies[which];

        for (int i = 0; i < c->count; i++) {
            if (c->handle[i])
                gemm->library->forget(c->handle[i]);
            cpu_release(c->data[i], c->bytes);
        }
        free(c->data);
        free(c->handle);
    }
    gemm->library->free(gemm->made.op);
    free(gemm->kept);
    free(gemm->result);
    free(gemm->one);
    free(gemm);
}

/* ---- runs ---- */

bool cpu_gemm_run(struct cpu_gemm *gemm, int weight, int row)
{
    gemm->next_weight = weight;
    gemm->next_row = row;
    return gemm->library->execute(gemm->made.op, gemm->copies[GEMM_W].handle[weight],
                                  gemm->copies[GEMM_X].handle[row],
                                  gemm->copies[GEMM_Y].handle[row]);
}

bool cpu_gemm_wait(struct cpu_gemm *gemm)
{
    return gemm->library->wait(gemm->made.op);
}

bool cpu_gemm_keep(struct cpu_gemm *gemm)
{
    size_t bytes = gemm->copies[GEMM_Y].bytes;

    free(gemm->result);
    if ((gemm->result = malloc(bytes)))
        memcpy(gemm->result, gemm->copies[GEMM_Y].data[gemm->next_row], bytes);
    return gemm->result != NULL;
}

bool cpu_gemm_same(const struct cpu_gemm *gemm)
{
    return memcmp(gemm->result, gemm->copies[GEMM_Y].data[gemm->next_row],
                  gemm->copies[GEMM_Y].bytes) == 0;
}

/* ---- check ---- */

/* Of kept rows of W and one column of x. */
static void look_for_zeros(const struct cpu_gemm *gemm, const void *x, struct check *out)
{
    int64_t k = gemm->shape.k;
    int64_t count = (gemm->sampled < CHECK_ROWS ? gemm->sampled : CHECK_ROWS) * k;
    double zeros = 0;

    for (int64_t i = 0; i < count; i++)
        zeros += number_get(gemm->made.w, gemm->kept, (size_t)i) == 0;
    for (int64_t i = 0; i < k; i++)
        zeros += number_get(gemm->made.x, x, (size_t)i) == 0;
    method_no_zeros(out, gemm->fill, zeros, (double)(count + k));
}

/* gemm->one holds that row of W. */
static void gemm_compare(const struct cpu_gemm *gemm, int64_t i, int64_t column, const void *x,
                         const void *y, struct check *out)
{
    const double *w = gemm->one;
    int64_t k = gemm->shape.k;
    size_t at = (size_t)(column * gemm->shape.m + i);
    const struct summing how = {.type = gemm->shape.type, .k = (double)k};
    double ref = 0, sum = 0, got = number_get(gemm->made.y, y, at);

    for (int64_t j = 0; j < k; j++) {
        double one = w[j] * number_get(gemm->made.x, x, (size_t)(column * k + j));

        ref += one;
        sum += fabs(one);
    }
    if (check_within(out, &how, got, ref, sum) || !out->ok)
        return;
    check_wrong(out, i, column, got, ref);
    if (gemm->made.emulated) /* its own arithmetic is the likelier to err */
        out->cause = "library";
}

void cpu_gemm_check(struct cpu_gemm *gemm, struct check *out)
{
    int64_t m = gemm->shape.m, n = gemm->shape.n, k = gemm->shape.k;
    int row = gemm->next_row;
    void *x = gemm->copies[GEMM_X].data[row], *y = gemm->copies[GEMM_Y].data[row];

    *out = (struct check){.done = true};
    memset(y, gemm->made.y == NUMBER_S32 ? 0x7f : 0xff, gemm->copies[GEMM_Y].bytes);
    if (gemm->full)
        out->mode = gemm->sampled < m || gemm->columns < n ? "rows" : "full";
    out->ok = cpu_gemm_run(gemm, gemm->next_weight, row) && cpu_gemm_wait(gemm);
    if (!out->ok) {
        gp_copy(out->why, sizeof out->why, "the library refused the call");
        out->cause = "library";
        return;
    }
    look_for_zeros(gemm, x, out);
    for (int64_t i = 0; i < gemm->sampled; i++) {
        for (int64_t j = 0; j < k; j++)
            gemm->one[j] = number_get(gemm->made.w, gemm->kept, (size_t)(i * k + j));
        for (int64_t c = 0; c < gemm->columns; c++)
            gemm_compare(gemm, gemm_spread(m, gemm->sampled, i), gemm_spread(n, gemm->columns, c),
                         x, y, out);
    }
}
