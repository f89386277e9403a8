/*
 * cuda_peer.c - from the memory of one GPU to that of another.
 *
 * Both must be visible to this process, which drives them alone: pairs are measured one after the
 * other, so that none shares a link with another that is measured. Peer access is enabled in both
 * directions where it can be, as frameworks do. A pair whose source cannot reach the target is
 * unsupported: its copies go through the host, and that is what the other transfers measure.
 *
 * "peer-both" copies both ways at once, each on a stream of its source; the time is from before
 * both to after both, and the bytes are those of both.
 *
 * Streams and events are the sources': those of cuda_run.c belong to the opened device.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bench/cuda_ctx.h"

struct way {
    int from, to;
    char *source, *target, *pattern; /* the last in host memory */
    cudaStream_t stream;             /* of the source */
    bool enabled;                    /* access, here, to be disabled */
};

struct peer_state {
    size_t bytes;
    int ways;
    struct way way[2];             /* there, and back */
    cudaEvent_t start, stop, fork; /* of the first way's stream */
    cudaEvent_t join;              /* of the second's */
};

/* Both ways begin after the start event, and end before the stop event. */
static bool peer_enqueue(struct cuda_ctx *ctx, struct peer_state *s, int launches)
{
    cudaStream_t first = s->way[0].stream, second = s->way[1].stream;
    bool both = s->ways == 2;
    bool ok = cuda_record(ctx, s->start, first) &&
              (!both || (cuda_record(ctx, s->fork, first) && cuda_depend(ctx, second, s->fork)));

    for (int i = 0; ok && i < launches; i++) {
        if (i * s->ways >= CUDA_GATE_CALLS)
            cuda_gate_open(ctx, 0);
        for (const struct way *w = s->way; ok && w < s->way + s->ways; w++)
            ok = cuda_ok(
                ctx, cudaMemcpyPeerAsync(w->target, w->to, w->source, w->from, s->bytes, w->stream),
                "copy to a peer");
    }
    return ok &&
           (!both || (cuda_record(ctx, s->join, second) && cuda_depend(ctx, first, s->join))) &&
           cuda_record(ctx, s->stop, first);
}

static bool peer_run(struct cuda_ctx *ctx, int variant, int launches, double *seconds)
{
    struct peer_state *s = ctx->work.state;

    (void)variant;
    cuda_gate_close(ctx, s->way[0].stream, 0);
    bool ok = peer_enqueue(ctx, s, launches);
    cuda_gate_open(ctx, 0);
    return ok && cuda_ok(ctx, cudaStreamSynchronize(s->way[0].stream), "copy to a peer") &&
           cuda_elapsed(ctx, s->start, s->stop, seconds);
}

/* The whole message, into a target that held something else, of each way. */
static void peer_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct peer_state *s = ctx->work.state;
    char *arrived = cuda_host(ctx, s->bytes);
    double seconds;

    out->done = out->ok = arrived != NULL;
    for (int w = 0; out->done && w < s->ways; w++)
        out->done = cuda_select(ctx, s->way[w].to) &&
                    cuda_ok(ctx, cudaMemset(s->way[w].target, 0x55, s->bytes), "poison") &&
                    cuda_ok(ctx, cudaDeviceSynchronize(), "poison");
    out->done = out->done && peer_run(ctx, variant, 1, &seconds);
    for (int w = 0; out->done && w < s->ways; w++) {
        out->done = cuda_fetch(ctx, arrived, s->way[w].target, s->bytes, "check");
        out->ok = out->ok && memcmp(arrived, s->way[w].pattern, s->bytes) == 0;
        out->n++;
    }
    cudaSetDevice(ctx->device);
    if (out->done && !out->ok)
        gp_copy(out->why, sizeof out->why, "the data that arrived differs from the data sent");
    free(arrived);
}

static void peer_release(struct cuda_ctx *ctx)
{
    struct peer_state *s = ctx->work.state;
    cudaEvent_t events[] = {s->start, s->stop, s->fork, s->join};

    for (int i = 0; i < 2; i++) {
        struct way *w = &s->way[i];

        cudaSetDevice(w->to);
        cuda_give(ctx, w->target);
        cudaSetDevice(w->from);
        cuda_give(ctx, w->source);
        if (w->enabled)
            cudaDeviceDisablePeerAccess(w->to);
        if (w->stream)
            cudaStreamDestroy(w->stream);
        free(w->pattern);
    }
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    cudaSetDevice(ctx->device);
}

/* Lets `device` reach the other's memory; *enabled when it could not before. */
static cudaError_t peer_enable(int device, int other, bool *enabled)
{
    cudaError_t error = cudaSetDevice(device);

    if (error == cudaSuccess)
        error = cudaDeviceEnablePeerAccess(other, 0);
    *enabled = error == cudaSuccess;
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaErrorPeerAccessAlreadyEnabled ? cudaSuccess : error;
}

static bool peer_reach(struct cuda_ctx *ctx, struct peer_state *s)
{
    int from = s->way[0].from, to = s->way[0].to, there = 0, back = 0;
    cudaError_t error = cudaSuccess;

    if (!cuda_ok(ctx, cudaDeviceCanAccessPeer(&there, from, to), "peer access") ||
        !cuda_ok(ctx, cudaDeviceCanAccessPeer(&back, to, from), "peer access"))
        return false;
    if (!there)
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "GPU %d cannot reach the memory of GPU %d%s",
                           from, to, back ? ", which can reach its" : ", nor that its");
    if (!back && s->ways == 2)
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "GPU %d cannot reach the memory of GPU %d", to,
                           from);
    for (int w = 0; w < (back ? 2 : 1); w++) {
        error = peer_enable(s->way[w].from, s->way[w].to, &s->way[w].enabled);
        if (error != cudaSuccess && w < s->ways)
            return cuda_refuse(ctx, POINT_UNSUPPORTED,
                               "GPU %d could reach the memory of GPU %d, but it cannot be enabled: "
                               "%.80s (CUDA error %d)",
                               s->way[w].from, s->way[w].to, cudaGetErrorString(error), (int)error);
    }
    ctx->params = json_pack("{s:i, s:i, s:b}", "from", from, "to", to, "access_back", back);
    return true;
}

static bool peer_fill(struct cuda_ctx *ctx, struct peer_state *s, struct way *w)
{
    if (!(w->pattern = malloc(s->bytes)))
        return cuda_refuse(ctx, POINT_OOM, "needs %.2f GiB of host memory",
                           (double)s->bytes / 0x1p30);
    number_fill(FILL_UNIFORM, NUMBER_S8, w->pattern, s->bytes,
                ctx->settings.seed + (uint64_t)w->from);
    return cuda_select(ctx, w->to) && (w->target = cuda_take(ctx, (double)s->bytes)) &&
           cuda_select(ctx, w->from) && (w->source = cuda_take(ctx, (double)s->bytes)) &&
           cuda_stream_new(ctx, &w->stream) &&
           cuda_send(ctx, w->source, w->pattern, s->bytes, w->stream, "fill");
}

/* Each of the device whose stream it is recorded on. */
static bool peer_events(struct cuda_ctx *ctx, struct peer_state *s)
{
    return cuda_select(ctx, s->way[0].from) && cuda_ok(ctx, cudaEventCreate(&s->start), "event") &&
           cuda_ok(ctx, cudaEventCreate(&s->stop), "event") && cuda_mark_new(ctx, &s->fork) &&
           cuda_select(ctx, s->way[1].from) && cuda_mark_new(ctx, &s->join);
}

bool cuda_peer_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    static const struct cuda_work work = {
        .run = peer_run, .gated = true, .check = peer_check, .release = peer_release};
    struct peer_state *s;
    int count = 0;

    if (!cuda_ok(ctx, cudaGetDeviceCount(&count), "cudaGetDeviceCount"))
        return false;
    if (point->from == point->to || point->from >= count || point->to >= count)
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "from GPU %d to GPU %d, of %d that are visible",
                           point->from, point->to, count);
    s = cuda_begin(ctx, point, &work, sizeof *s);
    s->ways = point->kind == KIND_PEER_BOTH ? 2 : 1;
    s->way[0].from = s->way[1].to = point->from;
    s->way[0].to = s->way[1].from = point->to;
    s->bytes = (size_t)point->bytes;
    out->bytes = 2 * s->ways * point->bytes;
    gp_copy(out->algorithm, sizeof out->algorithm,
            s->ways == 2 ? "cudaMemcpyPeerAsync, both ways at once" : "cudaMemcpyPeerAsync");
    bool ok = peer_reach(ctx, s);
    for (int w = 0; ok && w < s->ways; w++)
        ok = peer_fill(ctx, s, &s->way[w]);
    ok = ok && peer_events(ctx, s);
    cudaSetDevice(ctx->device);
    return ok;
}
