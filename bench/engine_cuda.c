/*
 * engine_cuda.c - the CUDA backend: opening a GPU, and the points.
 *
 * The devices are those of cuda_devices.c; NVML is asked about the same PCI bus id.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "bench/cuda_ctx.h"
#include "bench/cuda_library.h"
#include "bench/cuda_lt.h"

static char version[512];

static void drop_work(struct cuda_ctx *ctx)
{
    if (ctx->work.name) {
        ctx->work.release(ctx);
        free(ctx->work.state);
    }
    ctx->work = (struct cuda_work){0};
}

static void drop_heater(struct cuda_ctx *ctx)
{
    ctx->work = ctx->heater;
    drop_work(ctx);
    ctx->heater = ctx->work;
    ctx->heats = 0;
}

static void cuda_close(void *opaque)
{
    struct cuda_ctx *ctx = opaque;

    if (!ctx)
        return;
    drop_heater(ctx);
    cuda_choices_free(ctx);
    cuda_blocks_free(ctx);
    cuda_give(ctx, ctx->flush);
    cuda_give(ctx, ctx->workspace);
    cuda_timer_fini(ctx);
    if (ctx->lt)
        cublasLtDestroy(ctx->lt);
    if (ctx->side)
        cudaStreamDestroy(ctx->side);
    if (ctx->stream)
        cudaStreamDestroy(ctx->stream);
    cuda_sensors_close(ctx);
    free(ctx);
}

/* The first call that needs the device: a context is made here or nowhere. */
static enum gp_status make_context(int index, struct bench_device *device, struct gp_err *err)
{
    size_t free_bytes = 0, total = 0;
    char why[160];

    if (!cuda_library_supports(device->cc, cublasLtGetVersion(), why, sizeof why))
        return gp_fail(err, GP_E_DEVICE, device->name,
                       "name the libraries of a CUDA 12: GPUPLAN_CUDA=DIR", "%s", why);
    cudaError_t error = cudaSetDevice(index);
    if (error == cudaSuccess)
        error = cudaMemGetInfo(&free_bytes, &total);
    if (error != cudaSuccess)
        return cuda_fail_device(error, device->name, err);
    device->free = (double)free_bytes;
    device->memory = (double)total;
    return GP_OK;
}

static enum gp_status cuda_open(int index, const struct method_settings *settings, void **out,
                                struct bench_device *device, struct gp_err *err)
{
    struct cuda_ctx *ctx;
    enum gp_status rc;
    int count;

    *out = NULL;
    *device = (struct bench_device){0};
    if ((rc = cuda_count(&count, err)) != GP_OK)
        return rc;
    if (index < 0 || index >= count)
        return gp_fail(err, GP_E_DEVICE, "", "see --devices", "no GPU %d: there are %d here", index,
                       count);
    if ((rc = cuda_describe(index, device, err)) != GP_OK)
        return rc;
    cuda_bind_near(device->pci);
    cuda_add_node(device->pci, device->more);
    if ((rc = make_context(index, device, err)) != GP_OK)
        goto failed;
    ctx = gp_calloc(1, sizeof *ctx);
    ctx->device = index;
    ctx->cc = device->cc;
    ctx->sms = device->units;
    ctx->l2 = device->cache;
    ctx->lt_version = cublasLtGetVersion();
    ctx->settings = *settings;
    if (!cuda_stream_new(ctx, &ctx->stream) || !cuda_stream_new(ctx, &ctx->side) ||
        !lt_ok(ctx, cublasLtCreate(&ctx->lt), "cublasLtCreate") ||
        !cuda_ok(ctx, cudaMalloc(&ctx->workspace, cuda_aligned((size_t)settings->workspace + 1)),
                 "workspace") ||
        !cuda_timer_init(ctx)) {
        rc = gp_fail(err, GP_E_DEVICE, device->name, "see nvidia-smi", "%s", ctx->fault);
        cuda_close(ctx);
        goto failed;
    }
    cuda_sensors_open(ctx, device);
    *out = ctx;
    return GP_OK;
failed:
    json_decref(device->more);
    device->more = NULL;
    return rc;
}

/* ---- points ---- */

static cuda_prepare *const prepares[TEST_COUNT] = {
#define TEST(ID, word, ...) [TEST_##ID] = cuda_##word##_prepare,
#include "measure/point/test_rows.h"
#undef TEST
};

/* What is kept between points, so that `fit` and the decoder have the whole device. */
static void drop_kept(struct cuda_ctx *ctx)
{
    drop_heater(ctx);
    cuda_give(ctx, ctx->flush);
    ctx->flush = NULL;
    cuda_blocks_free(ctx);
}

static bool prepare_work(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    if (ctx->lost)
        return false;
    if ((unsigned)point->test >= TEST_COUNT || !prepares[point->test])
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "%s is not measured on a GPU",
                           bench_test_word(point->test));
    ctx->fault[0] = '\0';
    ctx->shared = ctx->bound = ctx->extrapolated = ctx->cached = false;
    ctx->padded = ctx->reduced = 0;
    ctx->emulated = cuda_environment(point, "emulated");
    ctx->changed = cuda_environment(point, "environment");
    if (bench_test_is(point->test, TEST_IS_ONCE) || bench_test_is(point->test, TEST_IS_WHOLE))
        drop_kept(ctx);
    cuda_floors(ctx);
    if (!prepares[point->test](ctx, point, out))
        return false;
    /* before a graph is captured, which launches too */
    return !ctx->work.enqueue || ctx->work.run || out->first != 0 ||
           cuda_time_plain(ctx, &ctx->work, 0, 0, 1, &out->first);
}

static enum point_state prepare_point(void *opaque, const struct point *point, struct prepared *out,
                                      char *why, size_t size)
{
    struct cuda_ctx *ctx = opaque;

    *out = (struct prepared){.rotation = 1, .cold = true, .variants = 1, .variant = {""}};
    ctx->work = (struct cuda_work){0};
    ctx->state = POINT_ERROR;
    if (!prepare_work(ctx, point, out)) {
        gp_format(why, size, "%s%s", ctx->lost ? "device lost: " : "",
                  ctx->fault[0] ? ctx->fault : "failed");
        return ctx->lost ? POINT_ERROR : ctx->state;
    }
    if (!ctx->params)
        ctx->params = json_object();
    json_object_set_new(ctx->params, "node_floor_s", gp_json_above_zero(ctx->node));
    json_object_set_new(ctx->params, "event_floor_s", gp_json_above_zero(ctx->pair));
    out->params = ctx->params;
    memcpy(out->algo, ctx->algo, sizeof out->algo);
    return POINT_OK;
}

static void release_point(void *opaque)
{
    struct cuda_ctx *ctx = opaque;

    cuda_timer_reset(ctx);
    ctx->timer.plain = ctx->timer.gateless = false;
    json_decref(ctx->params);
    ctx->params = NULL;
    for (int v = 0; v < VARIANTS; v++) {
        json_decref(ctx->algo[v]);
        ctx->algo[v] = NULL;
    }
    drop_work(ctx);
}

/* Before and after the samples: does another process compute here? */
static void engine_window(void *opaque, bool begin)
{
    struct cuda_ctx *ctx = opaque;

    cuda_sensors_window(ctx, begin);
    if (begin)
        return;
    ctx->bound = cuda_launch_bound(ctx);
    if (ctx->params && (ctx->work.enqueue || ctx->work.gated))
        json_object_set_new(ctx->params, "launch", json_string(cuda_launch_word(ctx)));
}

static bool is_lost(void *ctx)
{
    return ((struct cuda_ctx *)ctx)->lost;
}

static void check_point(void *opaque, int variant, struct check *out)
{
    struct cuda_ctx *ctx = opaque;

    cuda_timer_reset(ctx);
    *out = (struct check){0};
    if (!ctx->lost)
        ctx->work.check(ctx, variant, out);
    if (!out->done) {
        out->ok = false;
        gp_copy(out->why, sizeof out->why, ctx->fault);
    }
}

static bool soak_point(void *opaque, int variant, struct soak *out)
{
    struct cuda_ctx *ctx = opaque;

    return !ctx->lost && ctx->work.soak && ctx->work.soak(ctx, variant, out);
}

/* ---- heat ---- */

/* The hungriest types first. A cube of 4096 fills every GPU and fits beside a model. May
 * be made anew after `fit`, while a point is prepared: it says nothing of itself in ctx. */
static bool heater_prepare(struct cuda_ctx *ctx)
{
    static const enum bench_type types[] = {TYPE_BF16, TYPE_FP16, TYPE_FP32};
    char why[sizeof ctx->fault];
    struct prepared out;

    for (size_t i = 0; i < sizeof types / sizeof types[0] && !ctx->lost; i++) {
        struct point point = {.test = TEST_GEMM,
                              .type = types[i],
                              .m = 4096,
                              .n = 4096,
                              .k = 4096,
                              .cache = CACHE_COLD};

        if (cuda_gemm_prepare(ctx, &point, &out)) {
            ctx->heater = ctx->work;
            ctx->heater.name = "warm-up";
            return true;
        }
        drop_work(ctx);
    }
    gp_copy(why, sizeof why, ctx->fault);
    return cuda_refuse(ctx, POINT_ERROR, "warm-up: %.200s", why);
}

/* 50 ms of work, the same each time. */
static bool warm_device(void *opaque, double *seconds)
{
    struct cuda_ctx *ctx = opaque;
    struct cuda_work kept = ctx->work;
    bool ok;

    if (ctx->lost || (!ctx->heater.name && !heater_prepare(ctx))) {
        ctx->work = kept;
        return false;
    }
    ctx->work = ctx->heater;
    if (ctx->heats == 0) {
        ok = cuda_time_plain(ctx, &ctx->work, LT_HEURISTIC, 0, 4, seconds);
        ctx->heats = ok && *seconds > 0 ? (int)(0.05 / (*seconds / 4)) + 1 : 64;
        if (ctx->heats > 4096)
            ctx->heats = 4096;
    }
    ok = cuda_time_plain(ctx, &ctx->work, LT_HEURISTIC, 0, ctx->heats, seconds);
    ctx->work = kept;
    return ok;
}

static void add_flags(void *opaque, int variant, json_t *flags)
{
    const struct cuda_ctx *ctx = opaque;
    const struct {
        const char *word;
        bool set;
    } all[] = {
        {"reduced_precision", ctx->reduced >> variant & 1},
        {"no_graph", ctx->timer.plain},
        {"launch_bound", ctx->bound},
        {"shared", ctx->shared},
        {"emulated", ctx->emulated},
        {"environment", ctx->changed},
        {"padded", ctx->padded >> variant & 1},
        {"extrapolated", ctx->extrapolated},
        {"page-cache", ctx->cached},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].set)
            json_array_append_new(flags, json_string(all[i].word));
}

static const char *last_reason(void *opaque)
{
    return ((struct cuda_ctx *)opaque)->fault;
}

const struct backend engine_cuda = {
    .name = "cuda",
    .version = version,
    .software = cuda_software,
    .devices = cuda_devices,
    .open = cuda_open,
    .close = cuda_close,
    .warm = warm_device,
    .prepare = prepare_point,
    .run = cuda_run,
    .check = check_point,
    .release = release_point,
    .sensors = cuda_sensors,
    .counters = cuda_counters,
    .means = cuda_means,
    .flags = add_flags,
    .window = engine_window,
    .busy = cuda_busy,
    .hold = cuda_lock_clock,
    .latency = cuda_latency,
    .soak = soak_point,
    .lost = is_lost,
    .reason = last_reason,
};

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--hold-clocks") == 0)
        return clock_lock_hold(argv[2], argv[3]);
    cuda_library_open(NULL); /* cuda_count() says what is missing */
    cuda_library_describe(version, sizeof version);
    return bench_main(&engine_cuda, argc, argv);
}
