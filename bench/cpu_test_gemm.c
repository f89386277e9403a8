/*
 * cpu_test_gemm.c - tests gemm and batch: one linear layer, operands rotating.
 *
 * What rotates: cold = W, x and y; weights-cold = W alone, as in decoding, where the
 * activations have just been written; hot = nothing. 4096 x 4096 in bf16 is 33.5 MB, so
 * beside 34 MiB of caches three copies of W are walked before the first comes again.
 * With fewer than 256 rows the reading of W decides, and many more are walked
 * (cpu_rotation).
 */
#include <math.h>
#include <stdlib.h>

#include "bench/cpu_engine.h"
#include "util/clock.h"
#include "util/str.h"

enum { SKINNY = 256 };

struct gemm_work {
    struct cpu_gemm *gemm;
    int rotation, rows, next;
};

static void release(void *ctx)
{
    struct gemm_work *work = ctx;

    if (work)
        cpu_gemm_free(work->gemm);
    free(work);
}

static int rotation_of(const struct cpu_engine *engine, const struct point *point,
                       double weight, double row, double room, bool *cold)
{
    bool deep = point->n < SKINNY;

    *cold = true;
    if (point->cache == CACHE_HOT)
        return 1;
    if (point->cache == CACHE_WEIGHTS_COLD)
        return cpu_rotation(engine, weight, room - row, deep, cold);
    return cpu_rotation(engine, weight + row, room, deep, cold);
}

static enum point_state prepare(struct cpu_engine *engine, const struct point *point,
                                void **ctx, struct prepared *out, char *why,
                                size_t size)
{
    struct gemm_shape shape = {point->type, point->m, point->n, point->k};
    struct gemm_work *work = calloc(1, sizeof *work);
    double budget = cpu_budget(engine), weight, row, source;
    const struct gemm_made *made;
    enum point_state state;

    *ctx = work;
    if (!work)
        return POINT_OOM;
    /* Asking the library about a shape that cannot be held is asking for trouble. */
    if (bench_type_bytes(shape.type) * (double)shape.m * (double)shape.k > budget) {
        gp_format(why, size,
                  "one copy of the weights is above the %.1f GB that may be "
                  "used",
                  budget / 1e9);
        return POINT_OOM;
    }
    state = cpu_gemm_new(&shape, &work->gemm, why, size);
    if (state != POINT_OK)
        return state;
    made = cpu_gemm_made(work->gemm);
    weight = (double)made->packed;
    row = cpu_gemm_row_bytes(work->gemm);
    source = cpu_gemm_source_bytes(work->gemm);
    if (weight + row + source > budget) {
        gp_format(why, size, "needs %.2f GB, %.2f GB may be used",
                  (weight + row + source) / 1e9, budget / 1e9);
        return POINT_OOM;
    }
    work->rotation =
        rotation_of(engine, point, weight, row, budget - source, &out->cold);
    work->rows = point->cache == CACHE_COLD ? work->rotation : 1;
    out->rotation = work->rotation;
    out->multiple = 1;
    out->bytes = work->rotation * weight + work->rows * row;
    if (made->emulated)
        cpu_flag(engine, "emulated");
    gp_copy(out->algorithm, sizeof out->algorithm, made->algorithm);
    out->params = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:s}", "a",
                            number_word(made->w), "b", number_word(made->x), "d",
                            number_word(made->y), "compute",
                            point->type == TYPE_INT8 ? "s32" : "fp32", "transa", "T",
                            "transb", "N", "n_padded", (json_int_t)point->n, "threads",
                            engine->topology.threads, "weights_layout", "packed");
    return cpu_gemm_fill(work->gemm, engine->pool, work->rotation, work->rows,
                         &engine->settings, why, size);
}

static bool run(struct cpu_engine *engine, void *ctx, int launches, double *seconds)
{
    struct gemm_work *work = ctx;
    double start = clock_now();

    (void)engine;
    for (int i = 0; i < launches; i++) {
        if (!cpu_gemm_run(work->gemm, work->next, work->next % work->rows))
            return false;
        work->next = (work->next + 1) % work->rotation;
    }
    if (!cpu_gemm_wait(work->gemm))
        return false;
    *seconds = clock_now() - start;
    return true;
}

static void check(struct cpu_engine *engine, void *ctx, struct check *out)
{
    struct gemm_work *work = ctx;

    (void)engine;
    cpu_gemm_check(work->gemm, out);
}

const struct cpu_test cpu_test_gemm = {prepare, run, check, release};
