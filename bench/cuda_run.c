/*
 * cuda_run.c - how long the device takes for a sample of operations.
 *
 * A sample is one graph of `launches` operations between two events. When a sample is
 * asked for, the next one is put into the queue before the first is waited for: the
 * device never runs dry between samples, its clocks stay up, and launch costs of the
 * host do not show. What was queued last is given back by the next call of the same
 * variant and size; a call for something else waits it out and throws it away.
 *   seconds = cudaEventElapsedTime(start, stop) / 1000, of all launches.
 * Where capture fails the launches are enqueued one by one between the events.
 */
#include <stdio.h>
#include <time.h>

#include "bench/cuda_ctx.h"

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define RANGE_PUSH(name) nvtxRangePushA(name)
#define RANGE_POP()      nvtxRangePop()
#endif
#endif
#ifndef RANGE_PUSH
#define RANGE_PUSH(name) ((void)(name))
#define RANGE_POP()      ((void)0)
#endif

double cuda_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool cuda_timer_init(struct cuda_ctx *ctx)
{
    for (int i = 0; i < 2; i++)
        if (!cuda_ok(ctx, cudaEventCreate(&ctx->timer.start[i]), "cudaEventCreate") ||
            !cuda_ok(ctx, cudaEventCreate(&ctx->timer.stop[i]), "cudaEventCreate"))
            return false;
    return true;
}

void cuda_timer_reset(struct cuda_ctx *ctx)
{
    struct cuda_timer *t = &ctx->timer;

    cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), "waiting for the device");
    if (t->exec)
        cudaGraphExecDestroy(t->exec);
    t->exec = NULL;
    t->launches = 0;
    t->ahead = false;
}

void cuda_timer_fini(struct cuda_ctx *ctx)
{
    for (int i = 0; i < 2; i++) {
        if (ctx->timer.start[i])
            cudaEventDestroy(ctx->timer.start[i]);
        if (ctx->timer.stop[i])
            cudaEventDestroy(ctx->timer.stop[i]);
    }
}

static bool enqueue_all(struct cuda_ctx *ctx, int variant, int first, int launches)
{
    for (int i = 0; i < launches; i++)
        if (!ctx->work.enqueue(ctx, variant, first + i))
            return false;
    return true;
}

/* Captures the launches; false leaves no graph and tells the caller to do without. */
static bool capture(struct cuda_ctx *ctx, int variant, int launches)
{
    cudaGraph_t graph = NULL;
    bool ok;

    /* once outside: the first call may load a module, which a capture forbids */
    if (!enqueue_all(ctx, variant, 0, 1) ||
        !cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), "first launch"))
        return false;
    if (cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeThreadLocal) !=
        cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    ok = enqueue_all(ctx, variant, 0, launches);
    ok = cudaStreamEndCapture(ctx->stream, &graph) == cudaSuccess && ok && graph;
    ok = ok && cudaGraphInstantiateWithFlags(&ctx->timer.exec, graph, 0) == cudaSuccess;
    if (graph)
        cudaGraphDestroy(graph);
    if (!ok) {
        ctx->timer.exec = NULL;
        cudaGetLastError();
    }
    return ok;
}

static bool enqueue_sample(struct cuda_ctx *ctx, int slot)
{
    struct cuda_timer *t = &ctx->timer;

    return cuda_ok(ctx, cudaEventRecord(t->start[slot], ctx->stream), "event") &&
           (t->exec
                ? cuda_ok(ctx, cudaGraphLaunch(t->exec, ctx->stream), "graph launch")
                : enqueue_all(ctx, t->variant, 0, t->launches)) &&
           cuda_ok(ctx, cudaEventRecord(t->stop[slot], ctx->stream), "event");
}

static bool elapsed(struct cuda_ctx *ctx, int slot, double *seconds)
{
    float ms = 0;

    if (!cuda_ok(ctx, cudaEventSynchronize(ctx->timer.stop[slot]),
                 "waiting for a sample") ||
        !cuda_ok(
            ctx,
            cudaEventElapsedTime(&ms, ctx->timer.start[slot], ctx->timer.stop[slot]),
            "event time"))
        return false;
    *seconds = 1e-3 * (double)ms;
    return true;
}

static bool setup(struct cuda_ctx *ctx, int variant, int launches)
{
    struct cuda_timer *t = &ctx->timer;

    cuda_timer_reset(ctx);
    if (ctx->lost)
        return false;
    if (!t->plain && !capture(ctx, variant, launches)) {
        if (ctx->lost)
            return false;
        t->plain = true;
    }
    t->variant = variant;
    t->launches = launches;
    t->slot = 0;
    return true;
}

bool cuda_run(struct cuda_ctx *ctx, int variant, int launches, double *seconds)
{
    struct cuda_timer *t = &ctx->timer;
    bool ok;

    if (ctx->lost || launches < 1)
        return false;
    if (ctx->work.run)
        return ctx->work.run(ctx, variant, launches, seconds);
    if ((t->variant != variant || t->launches != launches) &&
        !setup(ctx, variant, launches))
        return false;
    RANGE_PUSH(ctx->work.name);
    ok = (t->ahead || enqueue_sample(ctx, t->slot)) && enqueue_sample(ctx, !t->slot) &&
         elapsed(ctx, t->slot, seconds);
    RANGE_POP();
    t->ahead = ok;
    t->slot = !t->slot;
    return ok;
}

bool cuda_time_plain(struct cuda_ctx *ctx, const struct cuda_work *work, int variant,
                     int first, int launches, double *seconds)
{
    cudaEvent_t *start = ctx->timer.start, *stop = ctx->timer.stop;
    bool ok = cuda_ok(ctx, cudaEventRecord(start[0], ctx->stream), "event");

    for (int i = 0; ok && i < launches; i++)
        ok = work->enqueue(ctx, variant, first + i);
    return ok && cuda_ok(ctx, cudaEventRecord(stop[0], ctx->stream), "event") &&
           elapsed(ctx, 0, seconds);
}
