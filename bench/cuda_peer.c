/*
 * cuda_peer.c - from the memory of one GPU to that of another.
 *
 * Both must be visible to this process, which drives them alone: pairs are measured one
 * after the other, so that none shares a link with another that is measured. Peer
 * access is enabled in both directions where it can be, as frameworks do. A pair whose
 * source cannot reach the target is unsupported: its copies go through the host, and
 * that is what the other transfers measure.
 *
 * Stream and events are the source's: those of cuda_run.c belong to the opened device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_ctx.h"
#include "util/str.h"

struct peer_state {
    int from, to;
    size_t bytes;
    char *source, *target, *pattern; /* the last in host memory */
    cudaStream_t stream;
    cudaEvent_t start, stop;
    bool there, back; /* what was enabled here, to be disabled */
};

static bool peer_run(struct cuda_ctx *ctx, int variant, int launches, double *seconds)
{
    struct peer_state *s = ctx->work.state;
    float ms = 0;
    bool ok = cuda_ok(ctx, cudaEventRecord(s->start, s->stream), "event");

    (void)variant;
    for (int i = 0; ok && i < launches; i++)
        ok = cuda_ok(ctx,
                     cudaMemcpyPeerAsync(s->target, s->to, s->source, s->from, s->bytes,
                                         s->stream),
                     "copy to a peer");
    if (!ok || !cuda_ok(ctx, cudaEventRecord(s->stop, s->stream), "event") ||
        !cuda_ok(ctx, cudaStreamSynchronize(s->stream), "copy to a peer") ||
        !cuda_ok(ctx, cudaEventElapsedTime(&ms, s->start, s->stop), "event time"))
        return false;
    *seconds = 1e-3 * (double)ms;
    return true;
}

/* The whole message, into a target that held something else. */
static void peer_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct peer_state *s = ctx->work.state;
    char *arrived = malloc(s->bytes);
    double seconds;

    *out = (struct check){0};
    out->done =
        arrived && cuda_ok(ctx, cudaSetDevice(s->to), "cudaSetDevice") &&
        cuda_ok(ctx, cudaMemset(s->target, 0x55, s->bytes), "poison") &&
        cuda_ok(ctx, cudaDeviceSynchronize(), "poison") &&
        peer_run(ctx, variant, 1, &seconds) &&
        cuda_ok(ctx, cudaMemcpy(arrived, s->target, s->bytes, cudaMemcpyDeviceToHost),
                "check");
    cudaSetDevice(ctx->device);
    out->n = 1;
    out->ok = out->done && memcmp(arrived, s->pattern, s->bytes) == 0;
    free(arrived);
    if (!out->done)
        snprintf(out->why, sizeof out->why, "%.110s",
                 arrived ? ctx->fault : "out of host memory");
    else if (!out->ok)
        snprintf(out->why, sizeof out->why, "what arrived is not what was sent");
}

static void peer_release(struct cuda_ctx *ctx)
{
    struct peer_state *s = ctx->work.state;

    cudaSetDevice(s->to);
    cuda_give(ctx, s->target);
    if (s->back)
        cudaDeviceDisablePeerAccess(s->from);
    cudaSetDevice(s->from);
    cuda_give(ctx, s->source);
    if (s->there)
        cudaDeviceDisablePeerAccess(s->to);
    if (s->start)
        cudaEventDestroy(s->start);
    if (s->stop)
        cudaEventDestroy(s->stop);
    if (s->stream)
        cudaStreamDestroy(s->stream);
    cudaSetDevice(ctx->device);
    free(s->pattern);
    free(s);
}

/* Lets `device` reach the other's memory; *enabled when it could not before. */
static cudaError_t enable(int device, int other, bool *enabled)
{
    cudaError_t error = cudaSetDevice(device);

    if (error == cudaSuccess)
        error = cudaDeviceEnablePeerAccess(other, 0);
    *enabled = error == cudaSuccess;
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaErrorPeerAccessAlreadyEnabled ? cudaSuccess : error;
}

static enum point_state reach(struct cuda_ctx *ctx, struct peer_state *s, char *why,
                              size_t size)
{
    int there = 0, back = 0;
    cudaError_t error;

    if (!cuda_ok(ctx, cudaDeviceCanAccessPeer(&there, s->from, s->to), "peer access") ||
        !cuda_ok(ctx, cudaDeviceCanAccessPeer(&back, s->to, s->from), "peer access"))
        return cuda_failed(ctx, why, size);
    if (!there)
        return snprintf(why, size, "GPU %d cannot reach the memory of GPU %d%s",
                        s->from, s->to,
                        back ? ", which can reach its" : ", nor that its"),
               POINT_UNSUPPORTED;
    if ((error = enable(s->from, s->to, &s->there)) != cudaSuccess)
        return snprintf(why, size,
                        "GPU %d could reach the memory of GPU %d, but it cannot be "
                        "enabled: %.80s (CUDA error %d)",
                        s->from, s->to, cudaGetErrorString(error), (int)error),
               POINT_UNSUPPORTED;
    if (back)
        enable(s->to, s->from, &s->back);
    ctx->params =
        json_pack("{s:i, s:i, s:b}", "from", s->from, "to", s->to, "access_back", back);
    return POINT_OK;
}

static enum point_state fill(struct cuda_ctx *ctx, struct peer_state *s, char *why,
                             size_t size)
{
    uint64_t seed = ctx->settings.seed;
    bool oom = false;

    if (!(s->pattern = malloc(s->bytes)))
        return snprintf(why, size, "needs %.2f GiB of host memory",
                        (double)s->bytes / 0x1p30),
               POINT_OOM;
    convert_fill(BITS_INT8, s->pattern, s->bytes, &seed);
    if (!cuda_ok(ctx, cudaSetDevice(s->to), "cudaSetDevice"))
        return cuda_failed(ctx, why, size);
    if (!(s->target = cuda_take(ctx, (double)s->bytes, &oom, why, size)))
        return oom ? POINT_OOM : POINT_ERROR;
    if (!cuda_ok(ctx, cudaSetDevice(s->from), "cudaSetDevice"))
        return cuda_failed(ctx, why, size);
    if (!(s->source = cuda_take(ctx, (double)s->bytes, &oom, why, size)))
        return oom ? POINT_OOM : POINT_ERROR;
    if (!cuda_ok(ctx,
                 cudaMemcpy(s->source, s->pattern, s->bytes, cudaMemcpyHostToDevice),
                 "fill") ||
        !cuda_ok(ctx, cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking),
                 "stream") ||
        !cuda_ok(ctx, cudaEventCreate(&s->start), "event") ||
        !cuda_ok(ctx, cudaEventCreate(&s->stop), "event"))
        return cuda_failed(ctx, why, size);
    return POINT_OK;
}

enum point_state cuda_peer_prepare(struct cuda_ctx *ctx, const struct point *point,
                                   struct prepared *out, char *why, size_t size)
{
    struct peer_state *s;
    enum point_state state;
    int count = 0;

    if (!cuda_ok(ctx, cudaGetDeviceCount(&count), "cudaGetDeviceCount"))
        return cuda_failed(ctx, why, size);
    if (point->from == point->to || point->from >= count || point->to >= count)
        return snprintf(why, size, "from GPU %d to GPU %d, of %d that are visible",
                        point->from, point->to, count),
               POINT_UNSUPPORTED;
    if (!(s = calloc(1, sizeof *s)))
        return snprintf(why, size, "out of host memory"), POINT_ERROR;
    s->from = point->from;
    s->to = point->to;
    s->bytes = (size_t)point->bytes;
    ctx->work = (struct cuda_work){.active = true,
                                   .name = point->id,
                                   .run = peer_run,
                                   .check = peer_check,
                                   .release = peer_release,
                                   .state = s};
    out->bytes = 2 * point->bytes;
    out->cold = true;
    gp_copy(out->algorithm, sizeof out->algorithm, "cudaMemcpyPeerAsync");
    state = reach(ctx, s, why, size);
    if (state == POINT_OK)
        state = fill(ctx, s, why, size);
    cudaSetDevice(ctx->device);
    return state;
}
