/*
 * cuda_together.c - copies between the host and several GPUs, all at once.
 *
 * What each GPU's link gives alone is measured in turn (cuda_transfer.c); root ports, sockets and
 * the host's memory are shared, and what they give to all together is this figure. One process
 * drives them: pinned memory near each GPU, a stream of each. All begin behind one event on the
 * first GPU's stream and are joined to it; the bytes are those of all.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bench/cuda_ctx.h"

struct side {
    int device;
    char *host, *memory;
    cudaStream_t stream;
    cudaEvent_t done;
};

struct together_state {
    size_t bytes;
    bool in; /* to the devices */
    int count;
    struct side side[POINT_DEVICES];
    cudaEvent_t start, stop, fork; /* of the first's stream */
};

static bool side_copy(struct cuda_ctx *ctx, const struct together_state *s, const struct side *side)
{
    return cuda_ok(ctx,
                   s->in ? cudaMemcpyAsync(side->memory, side->host, s->bytes,
                                           cudaMemcpyHostToDevice, side->stream)
                         : cudaMemcpyAsync(side->host, side->memory, s->bytes,
                                           cudaMemcpyDeviceToHost, side->stream),
                   "copy");
}

static bool together_enqueue(struct cuda_ctx *ctx, struct together_state *s, int launches)
{
    cudaStream_t first = s->side[0].stream;
    bool ok = cuda_record(ctx, s->start, first) && cuda_record(ctx, s->fork, first);

    for (int d = 1; ok && d < s->count; d++)
        ok = cuda_depend(ctx, s->side[d].stream, s->fork);
    for (int i = 0; ok && i < launches; i++) {
        if (i * s->count >= CUDA_GATE_CALLS - 3 * s->count)
            cuda_gate_open(ctx, 0);
        for (int d = 0; ok && d < s->count; d++)
            ok = side_copy(ctx, s, &s->side[d]);
    }
    for (int d = 1; ok && d < s->count; d++)
        ok = cuda_record(ctx, s->side[d].done, s->side[d].stream) &&
             cuda_depend(ctx, first, s->side[d].done);
    return ok && cuda_record(ctx, s->stop, first);
}

static bool together_run(struct cuda_ctx *ctx, int variant, int launches, double *seconds)
{
    struct together_state *s = ctx->work.state;

    (void)variant;
    cuda_gate_close(ctx, s->side[0].stream, 0);
    bool ok = together_enqueue(ctx, s, launches);
    cuda_gate_open(ctx, 0);
    return ok && cuda_ok(ctx, cudaStreamSynchronize(s->side[0].stream), "copy") &&
           cuda_elapsed(ctx, s->start, s->stop, seconds);
}

static void together_pattern(const struct cuda_ctx *ctx, const struct together_state *s,
                             const struct side *side, char *to)
{
    number_fill(FILL_UNIFORM, NUMBER_S8, to, s->bytes,
                ctx->settings.seed + (uint64_t)side->device + 1);
}

/* The whole message of each, where something else was before. */
static void together_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct together_state *s = ctx->work.state;
    char *sent = cuda_host(ctx, s->bytes), *arrived = cuda_host(ctx, s->bytes);
    double seconds;

    out->done = out->ok = sent && arrived;
    for (int d = 0; out->done && d < s->count; d++) {
        if (!s->in)
            memset(s->side[d].host, 0x55, s->bytes);
        else
            out->done = cuda_select(ctx, s->side[d].device) &&
                        cuda_ok(ctx, cudaMemset(s->side[d].memory, 0x55, s->bytes), "poison") &&
                        cuda_ok(ctx, cudaDeviceSynchronize(), "poison");
    }
    out->done =
        out->done && cuda_select(ctx, ctx->device) && together_run(ctx, variant, 1, &seconds);
    for (int d = 0; out->done && d < s->count; d++) {
        const struct side *side = &s->side[d];

        together_pattern(ctx, s, side, sent);
        out->done = !s->in || cuda_fetch(ctx, arrived, side->memory, s->bytes, "check");
        out->ok = out->ok && memcmp(s->in ? arrived : side->host, sent, s->bytes) == 0;
        out->n++;
    }
    if (out->done && !out->ok)
        gp_copy(out->why, sizeof out->why, "the data that arrived differs from the data sent");
    free(sent);
    free(arrived);
}

static void together_release(struct cuda_ctx *ctx)
{
    struct together_state *s = ctx->work.state;
    cudaEvent_t events[] = {s->start, s->stop, s->fork};

    for (int d = 0; d < s->count; d++) {
        struct side *side = &s->side[d];

        cudaSetDevice(side->device);
        if (side->done)
            cudaEventDestroy(side->done);
        if (side->stream)
            cudaStreamDestroy(side->stream);
        cuda_give(ctx, side->memory);
        if (side->host)
            cudaFreeHost(side->host);
    }
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    cudaSetDevice(ctx->device);
}

/* Pages are touched here, by this thread, which is near the GPU meanwhile. */
static bool side_start(struct cuda_ctx *ctx, const struct together_state *s, struct side *side)
{
    char pci[32] = "";
    void *host = NULL;

    if (!cuda_select(ctx, side->device))
        return false;
    if (cudaDeviceGetPCIBusId(pci, sizeof pci, side->device) == cudaSuccess)
        cuda_bind_near(pci);
    if (cudaHostAlloc(&host, s->bytes, cudaHostAllocPortable) != cudaSuccess) {
        cudaGetLastError();
        return cuda_refuse(ctx, POINT_OOM, "needs %.2f GiB of pinned host memory for each GPU",
                           (double)s->bytes / 0x1p30);
    }
    side->host = host;
    together_pattern(ctx, s, side, side->host);
    return (side->memory = cuda_take(ctx, (double)s->bytes)) &&
           cuda_stream_new(ctx, &side->stream) && cuda_mark_new(ctx, &side->done) &&
           cuda_send(ctx, side->memory, side->host, s->bytes, side->stream, "fill");
}

bool cuda_together_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    static const struct cuda_work work = {
        .run = together_run, .gated = true, .check = together_check, .release = together_release};
    struct together_state *s;
    char pci[32] = "";
    bool ok = true;

    if (!cuda_takes_part(ctx, point))
        return false;
    s = cuda_begin(ctx, point, &work, sizeof *s);
    s->bytes = (size_t)point->bytes;
    s->in = bench_kind_is(point->kind, KIND_IS_IN);
    s->side[s->count++].device = ctx->device; /* the timer's is the first */
    for (int d = 0; d < POINT_DEVICES; d++)
        if (point->devices >> d & 1 && d != ctx->device)
            s->side[s->count++].device = d;
    ctx->params = json_pack("{s:i}", "gpus", s->count);
    out->bytes = s->count * point->bytes; /* on the devices */
    gp_format(out->algorithm, sizeof out->algorithm, "cudaMemcpyAsync, %d GPUs at once", s->count);
    for (int d = 0; ok && d < s->count; d++)
        ok = side_start(ctx, s, &s->side[d]);
    if (cudaDeviceGetPCIBusId(pci, sizeof pci, ctx->device) == cudaSuccess)
        cuda_bind_near(pci);
    return cuda_select(ctx, ctx->device) && ok &&
           cuda_ok(ctx, cudaEventCreate(&s->start), "event") &&
           cuda_ok(ctx, cudaEventCreate(&s->stop), "event") && cuda_mark_new(ctx, &s->fork);
}
