/*
 * cpu_test_gemm.c - tests gemm and batch: one linear layer, operands rotating.
 *
 * What rotates: cold = W, x and y; weights-cold = W alone, as in decoding, where the activations
 * have just been written; hot = nothing. 4096 x 4096 in bf16 is 33.5 MB, so beside 34 MiB of caches
 * three copies of W are walked before the first comes again. With fewer than 256 rows the reading
 * of W decides, and many more are walked (cpu_rotation).
 *
 * Experts: an operation is one product after another, each of W, x and y of its own (neither oneDNN
 * nor BLAS is asked for a batch); what rotates are all of them.
 */
#include "base/clock.h"
#include "base/str.h"
#include "bench/cpu_engine.h"

enum { SKINNY = 256 };

struct gemm_work {
    struct cpu_gemm *gemm;
    int groups; /* products in one operation */
    int rotation, rows, next;
};

static void gemm_release(void *ctx)
{
    struct gemm_work *work = ctx;

    cpu_gemm_free(work->gemm);
}

static int rotation_of(const struct cpu_engine *engine, const struct point *point, double weight,
                       double row, double room, bool *cold)
{
    bool deep = point->n < SKINNY;

    *cold = true;
    if (point->cache == CACHE_HOT)
        return 1;
    if (point->cache == CACHE_WEIGHTS_COLD)
        return cpu_rotation(engine, weight, room - row, deep, cold);
    return cpu_rotation(engine, weight + row, room, deep, cold);
}

static bool gemm_prepare(struct cpu_engine *engine, const struct point *point, void *ctx,
                         struct prepared *out)
{
    struct gemm_shape shape = {point->type, point->m, point->n, point->k};
    struct gemm_work *work = ctx;
    double budget = cpu_budget(engine);

    work->groups = point->groups > 1 ? point->groups : 1;
    /* Asking the library about a shape that cannot be held is asking for trouble. */
    if (bench_type_bytes(shape.type) * (double)shape.m * (double)shape.k * work->groups > budget)
        return cpu_refuse(&engine->why, POINT_OOM,
                          "one copy of the weights is above the %.1f GB that may be used",
                          budget / 1e9);
    if (!(work->gemm = cpu_gemm_new(&shape, &engine->why)))
        return false;
    const struct gemm_made *made = cpu_gemm_made(work->gemm);
    double weight = (double)made->packed * work->groups;
    double row = cpu_gemm_row_bytes(work->gemm) * work->groups;
    double source = cpu_gemm_source_bytes(work->gemm);
    if (weight + row + source > budget)
        return cpu_refuse(&engine->why, POINT_OOM, "needs %.2f GB, %.2f GB may be used",
                          (weight + row + source) / 1e9, budget / 1e9);
    work->rotation = rotation_of(engine, point, weight, row, budget - source, &out->cold);
    work->rows = point->cache == CACHE_COLD ? work->rotation : 1;
    out->rotation = work->rotation;
    out->multiple = 1;
    out->bytes = work->rotation * weight + work->rows * row;
    cpu_flag_product(engine, made);
    gp_copy(out->algorithm, sizeof out->algorithm, made->algorithm);
    out->params = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:s}", "a", number_word(made->w), "b",
        number_word(made->x), "d", number_word(made->y), "compute",
        point->type == TYPE_INT8 ? "s32" : "fp32", "transa", "T", "transb", "N", "n_padded",
        (json_int_t)point->n, "threads", engine->topology.threads, "weights_layout", "packed");
    if (work->groups > 1)
        json_object_set_new(out->params, "experts_as", json_string("loop"));
    return cpu_gemm_fill(work->gemm, engine->pool, work->rotation * work->groups,
                         work->rows * work->groups, &engine->settings, &engine->why);
}

static bool gemm_run(struct cpu_engine *engine, void *ctx, int launches, double *seconds)
{
    struct gemm_work *work = ctx;

    (void)engine, (void)seconds;
    for (int i = 0; i < launches; i++) {
        int weight = work->next * work->groups, row = work->next % work->rows * work->groups;

        for (int g = 0; g < work->groups; g++)
            if (!cpu_gemm_run(work->gemm, weight + g, row + g))
                return false;
        work->next = (work->next + 1) % work->rotation;
    }
    return cpu_gemm_wait(work->gemm);
}

/* All experts are alike, and so must their results be. */
static void check_experts(struct gemm_work *work, struct check *out)
{
    bool ok = cpu_gemm_keep(work->gemm);

    for (int g = 0; ok && g < work->groups; g++) {
        ok = cpu_gemm_run(work->gemm, g, g) && cpu_gemm_wait(work->gemm);
        if (ok && cpu_gemm_same(work->gemm))
            continue;
        out->ok = false;
        gp_format(out->why, sizeof out->why, "expert %d of %d differs from another", g + 1,
                  work->groups);
    }
}

static void gemm_check(struct cpu_engine *engine, void *ctx, struct check *out)
{
    struct gemm_work *work = ctx;

    (void)engine;
    cpu_gemm_check(work->gemm, out);
    if (out->ok && work->groups > 1)
        check_experts(work, out);
}

static bool gemm_soak(void *ctx, struct soak *out)
{
    struct gemm_work *work = ctx;
    double began = clock_now();
    bool ok = gemm_run(NULL, work, 1, NULL);

    out->seconds += clock_now() - began;
    if (!ok)
        return false;
    if (out->products++ > 0) {
        out->compared++;
        out->wrong += !cpu_gemm_same(work->gemm);
        return true;
    }
    return cpu_gemm_keep(work->gemm);
}

#define PRODUCT                                                                               \
    {                                                                                         \
        sizeof(struct gemm_work), gemm_prepare, gemm_run, gemm_check, gemm_release, gemm_soak \
    }

const struct cpu_test cpu_test_gemm = PRODUCT, cpu_test_batch = PRODUCT;
