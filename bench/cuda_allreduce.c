/*
 * cuda_allreduce.c - the sum over the point's GPUs, by NCCL, opened at run time.
 *
 * One process drives them all: a communicator, a stream and a buffer each. "plain" launches from
 * the host, "graph" replays one captured graph per device. Every buffer holds BF16 ones (FP32 where
 * the point says so), in place; the check refills them and expects the number of devices. Time is
 * that of this engine's own device's stream. How many devices took part goes into the point's
 * params: gpuplan makes the bus bandwidth of it.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bench/cuda_ctx.h"
#include "bench/cuda_library.h"

enum { NCCL_FLOAT32 = 7, NCCL_BFLOAT16 = 9, NCCL_SUM = 0 };

struct nccl {
    void *library;
    int (*init)(void **comms, int count, const int *devices);
    int (*destroy)(void *comm);
    int (*group_start)(void), (*group_end)(void);
    int (*allreduce)(const void *from, void *to, size_t count, int type, int op, void *comm,
                     cudaStream_t stream);
    const char *(*error)(int status);
    int (*version)(int *version); /* NULL = this NCCL does not say */
};

struct allreduce_state {
    struct nccl nccl;
    int count, own; /* devices; which of them this engine was opened on */
    int device[POINT_DEVICES];
    bool wide, graph;
    size_t elements;
    void *comms[POINT_DEVICES], *buffers[POINT_DEVICES];
    cudaStream_t streams[POINT_DEVICES];
    cudaGraphExec_t execs[POINT_DEVICES];
    int captured; /* launches in the graphs; 0 = none */
};

static bool nccl_bind(struct nccl *nccl)
{
    const struct {
        const char *name;
        void *slot;
    } symbols[] = {
        {"ncclCommInitAll", &nccl->init},       {"ncclCommDestroy", &nccl->destroy},
        {"ncclGroupStart", &nccl->group_start}, {"ncclGroupEnd", &nccl->group_end},
        {"ncclAllReduce", &nccl->allreduce},    {"ncclGetErrorString", &nccl->error},
    };

    nccl->library = cuda_library_load("libnccl.so.2");
    for (size_t i = 0; nccl->library && i < sizeof symbols / sizeof symbols[0]; i++)
        if (!(*(void **)symbols[i].slot = dlsym(nccl->library, symbols[i].name)))
            return false;
    if (nccl->library)
        *(void **)&nccl->version = dlsym(nccl->library, "ncclGetVersion");
    return nccl->library != NULL;
}

static bool nccl_ok(struct cuda_ctx *ctx, struct nccl *nccl, int status, const char *what)
{
    return status == 0 || cuda_refuse(ctx, POINT_ERROR, "%s: NCCL: %s", what, nccl->error(status));
}

static bool reduce_once(struct cuda_ctx *ctx, struct allreduce_state *s)
{
    bool ok = nccl_ok(ctx, &s->nccl, s->nccl.group_start(), "ncclGroupStart");

    for (int d = 0; ok && d < s->count; d++)
        ok = nccl_ok(ctx, &s->nccl,
                     s->nccl.allreduce(s->buffers[d], s->buffers[d], s->elements,
                                       s->wide ? NCCL_FLOAT32 : NCCL_BFLOAT16, NCCL_SUM,
                                       s->comms[d], s->streams[d]),
                     "ncclAllReduce");
    return nccl_ok(ctx, &s->nccl, s->nccl.group_end(), "ncclGroupEnd") && ok;
}

static void drop_graphs(struct allreduce_state *s)
{
    for (int d = 0; d < s->count; d++) {
        if (s->execs[d])
            cudaGraphExecDestroy(s->execs[d]);
        s->execs[d] = NULL;
    }
    s->captured = 0;
}

/* One graph per device, captured together: the collective spans all of them. */
static bool allreduce_capture(struct cuda_ctx *ctx, struct allreduce_state *s, int launches)
{
    bool ok = true;

    drop_graphs(s);
    for (int d = 0; ok && d < s->count; d++)
        ok = cuda_ok(ctx, cudaStreamBeginCapture(s->streams[d], cudaStreamCaptureModeThreadLocal),
                     "capture");
    for (int i = 0; ok && i < launches; i++)
        ok = reduce_once(ctx, s);
    for (int d = 0; d < s->count; d++) {
        cudaGraph_t graph = NULL;

        cudaSetDevice(s->device[d]);
        ok = cuda_ok(ctx, cudaStreamEndCapture(s->streams[d], &graph), "capture") && ok &&
             cuda_ok(ctx, cudaGraphInstantiateWithFlags(&s->execs[d], graph, 0), "graph");
        if (graph)
            cudaGraphDestroy(graph);
    }
    cudaSetDevice(ctx->device);
    s->captured = ok ? launches : 0;
    return ok;
}

static bool wait_all(struct cuda_ctx *ctx, struct allreduce_state *s)
{
    bool ok = true;

    for (int d = 0; d < s->count; d++)
        ok = cuda_ok(ctx, cudaStreamSynchronize(s->streams[d]), "allreduce") && ok;
    return ok;
}

static bool allreduce_run(struct cuda_ctx *ctx, int variant, int launches, double *seconds)
{
    struct allreduce_state *s = ctx->work.state;
    cudaStream_t first = s->streams[s->own];
    cudaEvent_t start = ctx->timer.start[0], stop = ctx->timer.stop[0];
    bool ok = true;

    (void)variant;
    if (s->graph && s->captured != launches && !allreduce_capture(ctx, s, launches))
        return false;
    if (!wait_all(ctx, s) || !cuda_record(ctx, start, first))
        return false;
    if (s->graph)
        for (int d = 0; ok && d < s->count; d++)
            ok = cuda_ok(ctx, cudaGraphLaunch(s->execs[d], s->streams[d]), "graph");
    else
        for (int i = 0; ok && i < launches; i++)
            ok = reduce_once(ctx, s);
    return ok && cuda_record(ctx, stop, first) && wait_all(ctx, s) &&
           cuda_elapsed(ctx, start, stop, seconds);
}

static bool fill_ones(struct cuda_ctx *ctx, struct allreduce_state *s)
{
    enum number bits = s->wide ? NUMBER_F32 : NUMBER_BF16;
    size_t bytes = number_bytes(bits, s->elements);
    uint16_t *halves = cuda_host(ctx, bytes);
    float *singles = (void *)halves;
    bool ok = halves != NULL;

    for (size_t i = 0; ok && i < s->elements; i++) {
        if (s->wide)
            singles[i] = 1;
        else
            halves[i] = 0x3f80;
    }
    for (int d = 0; ok && d < s->count; d++)
        ok = cuda_send(ctx, s->buffers[d], halves, bytes, s->streams[d], "fill");
    free(halves);
    return ok;
}

static void allreduce_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct allreduce_state *s = ctx->work.state;
    enum number bits = s->wide ? NUMBER_F32 : NUMBER_BF16;
    size_t each = number_bytes(bits, 1), spots[3] = {0, s->elements / 2, s->elements - 1};
    char value[4];
    double seconds;

    out->done = out->ok = fill_ones(ctx, s) && allreduce_run(ctx, variant, 1, &seconds);
    for (int d = 0; out->done && d < s->count; d++)
        for (int i = 0; i < 3; i++) {
            const char *from = (char *)s->buffers[d] + spots[i] * each;

            out->done = cuda_fetch(ctx, value, from, each, "check");
            out->ok = out->ok && out->done && number_get(bits, value, 0) == s->count;
            out->n++;
        }
    if (out->done && !out->ok)
        gp_copy(out->why, sizeof out->why, "the sum is not the number of devices");
}

static void allreduce_release(struct cuda_ctx *ctx)
{
    struct allreduce_state *s = ctx->work.state;

    drop_graphs(s);
    for (int d = 0; d < s->count; d++) {
        cudaSetDevice(s->device[d]);
        if (s->comms[d])
            s->nccl.destroy(s->comms[d]);
        cuda_give(ctx, s->buffers[d]);
        if (s->streams[d])
            cudaStreamDestroy(s->streams[d]);
    }
    cudaSetDevice(ctx->device);
    if (s->nccl.library)
        dlclose(s->nccl.library);
}

static bool allreduce_start(struct cuda_ctx *ctx, struct allreduce_state *s)
{
    size_t bytes = number_bytes(s->wide ? NUMBER_F32 : NUMBER_BF16, s->elements);
    bool ok = true;

    for (int d = 0; ok && d < s->count; d++)
        ok = cuda_select(ctx, s->device[d]) && cuda_stream_new(ctx, &s->streams[d]) &&
             (s->buffers[d] = cuda_take(ctx, (double)bytes));
    ok = ok &&
         nccl_ok(ctx, &s->nccl, s->nccl.init(s->comms, s->count, s->device), "ncclCommInitAll");
    cudaSetDevice(ctx->device);
    /* once as it is: NCCL connects by the first call, which is no work for a capture */
    return ok && fill_ones(ctx, s) && reduce_once(ctx, s) && wait_all(ctx, s);
}

bool cuda_allreduce_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    static const struct cuda_work work = {
        .run = allreduce_run, .check = allreduce_check, .release = allreduce_release};
    struct allreduce_state *s;
    int version = 0;

    if (!cuda_takes_part(ctx, point))
        return false;
    s = cuda_begin(ctx, point, &work, sizeof *s);
    if (!nccl_bind(&s->nccl))
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "needs NCCL: no libnccl.so.2 is found");
    for (int d = 0; d < POINT_DEVICES; d++)
        if (point->devices >> d & 1) {
            if (d == ctx->device)
                s->own = s->count;
            s->device[s->count++] = d;
        }
    s->wide = point->type == TYPE_FP32 || point->type == TYPE_TF32;
    s->graph = point->kind == KIND_GRAPH;
    s->elements = (size_t)point->bytes / (s->wide ? 4 : 2);
    if (s->elements == 0)
        s->elements = 1;
    ctx->params = json_pack("{s:i}", "gpus", s->count);
    if (s->nccl.version && s->nccl.version(&version) == 0)
        json_object_set_new(ctx->params, "nccl", json_integer(version));
    out->bytes = point->bytes;
    out->first = -1; /* that of the connections, which is not timed */
    gp_format(out->algorithm, sizeof out->algorithm, "NCCL, %d GPUs, one process", s->count);
    return allreduce_start(ctx, s);
}
