/*
 * cuda_run.c - how long the device takes for a sample of operations.
 *
 * A sample is one graph of `launches` operations between two events. When a sample is
 * asked for, the next one is put into the queue before the first is waited for: the
 * device never runs dry between samples, its clocks stay up, and launch costs of the
 * host do not show. What was queued last is given back by the next call of the same
 * variant and size; a call for something else waits it out and throws it away.
 *   seconds = cudaEventElapsedTime(start, stop) / 1000, of all launches.
 * Where capture fails the launches are enqueued one by one between the events, behind a
 * gate: a host function that holds the stream until they are all in the queue, so that
 * the device does not wait for the host between two of them. A full queue (some 1024
 * launches) makes the next call wait, for ever if the gate did: it opens after 256
 * calls, and by itself after 0.5 s; then no further sample is gated. params.launch says
 * "graph", "gated" or "stream".
 *
 * Launch-bound: the host took as long to hand a sample in as the device to do it, or an
 * operation of a graph takes less than twice what an empty node does (a memset of four
 * bytes: 1.5 us on the parts that were seen described, and then 3 us of a small product
 * say little about its arithmetic).
 */
#include <sched.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "bench/cuda_ctx.h"

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define RANGE_PUSH(name) nvtxRangePushA(name)
#define RANGE_POP() nvtxRangePop()
#endif
#endif
#ifndef RANGE_PUSH
#define RANGE_PUSH(name) ((void)(name))
#define RANGE_POP() ((void)0)
#endif

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

    cuda_wait(ctx, "waiting for the device");
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

/* ---- the gate ---- */

enum { GATE_OPEN, GATE_CLOSED, GATE_LATE };
enum {
    GATE_LEAST = 4 /* launches: the first of an algorithm may load its code, which waits
                    * for the device; those who time so few have not launched it yet */
};
#define GATE_SECONDS 0.5

static atomic_int gates[2]; /* by slot; a host function may outlive a lost context */

/* Called by the driver's thread, which must not call CUDA. */
static void CUDART_CB wait_at_gate(void *gate)
{
    double end = clock_now() + GATE_SECONDS;
    int closed = GATE_CLOSED;

    while (atomic_load((atomic_int *)gate) == GATE_CLOSED) {
        if (clock_now() > end)
            atomic_compare_exchange_strong((atomic_int *)gate, &closed, GATE_LATE);
        sched_yield();
    }
}

void cuda_gate_close(struct cuda_ctx *ctx, cudaStream_t stream, int slot)
{
    struct cuda_timer *t = &ctx->timer;

    t->closed = false;
    if (t->gateless || ctx->lost)
        return;
    atomic_store(&gates[slot], GATE_CLOSED);
    t->closed = cudaLaunchHostFunc(stream, wait_at_gate, &gates[slot]) == cudaSuccess;
    t->gateless = !t->closed;
    if (t->gateless)
        cudaGetLastError();
}

void cuda_gate_open(struct cuda_ctx *ctx, int slot)
{
    struct cuda_timer *t = &ctx->timer;

    if (t->closed && atomic_exchange(&gates[slot], GATE_OPEN) == GATE_LATE)
        t->gateless = true;
    t->closed = false;
}

static bool enqueue_all(struct cuda_ctx *ctx, int variant, int first, int launches)
{
    for (int i = 0; i < launches; i++)
        if (!ctx->work.enqueue(ctx, variant, first + i))
            return false;
    return true;
}

/* The same behind a gate, from the start event to the stop event. *opened: when the
 * device could begin. The gate is open afterwards, also when a launch failed. */
static bool enqueue_gated(struct cuda_ctx *ctx, const struct cuda_work *work, int variant,
                          int first, int launches, int slot, double *opened)
{
    int calls = work->calls > 0 ? work->calls : 1;

    *opened = clock_now();
    cuda_gate_close(ctx, ctx->stream, slot);
    bool ok = cuda_record(ctx, ctx->timer.start[slot], ctx->stream);
    for (int i = 0; ok && i < launches; i++) {
        if (ctx->timer.closed && i * calls >= CUDA_GATE_CALLS) {
            cuda_gate_open(ctx, slot);
            *opened = clock_now();
        }
        ok = work->enqueue(ctx, variant, first + i);
    }
    ok = ok && cuda_record(ctx, ctx->timer.stop[slot], ctx->stream);
    if (ctx->timer.closed) {
        cuda_gate_open(ctx, slot);
        *opened = clock_now();
    }
    return ok;
}

/* ---- samples ---- */

/* Captures the launches; false leaves no graph and tells the caller to do without. */
static bool run_capture(struct cuda_ctx *ctx, int variant, int launches)
{
    cudaGraph_t graph = NULL;

    if (cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    bool ok = enqueue_all(ctx, variant, 0, launches);
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

/* The least time counts: a full queue makes the host wait, which is no fault of its. */
static bool enqueue_sample(struct cuda_ctx *ctx, int slot)
{
    struct cuda_timer *t = &ctx->timer;
    double opened = clock_now();
    bool ok;

    if (t->exec)
        ok = cuda_record(ctx, t->start[slot], ctx->stream) &&
             cuda_ok(ctx, cudaGraphLaunch(t->exec, ctx->stream), "graph launch") &&
             cuda_record(ctx, t->stop[slot], ctx->stream);
    else
        ok = enqueue_gated(ctx, &ctx->work, t->variant, 0, t->launches, slot, &opened);
    double took = clock_now() - opened;
    if (ok && (!(t->submit > 0) || took < t->submit))
        t->submit = took;
    return ok;
}

static bool run_elapsed(struct cuda_ctx *ctx, int slot, double *seconds)
{
    struct cuda_timer *t = &ctx->timer;

    return cuda_ok(ctx, cudaEventSynchronize(t->stop[slot]), "waiting for a sample") &&
           cuda_elapsed(ctx, t->start[slot], t->stop[slot], seconds);
}

static bool run_setup(struct cuda_ctx *ctx, int variant, int launches)
{
    struct cuda_timer *t = &ctx->timer;

    cuda_timer_reset(ctx);
    /* once before: the first call may load a module, which a capture forbids, and which
     * would wait for a gate */
    if (ctx->lost || !enqueue_all(ctx, variant, 0, 1) || !cuda_wait(ctx, "first launch"))
        return false;
    if (!t->plain && !run_capture(ctx, variant, launches)) {
        if (ctx->lost)
            return false;
        t->plain = true;
    }
    t->variant = variant;
    t->launches = launches;
    t->slot = 0;
    t->submit = t->took = 0;
    return true;
}

bool cuda_run(void *opaque, int variant, int launches, double *seconds)
{
    struct cuda_ctx *ctx = opaque;
    struct cuda_timer *t = &ctx->timer;

    if (ctx->lost || launches < 1)
        return false;
    if (ctx->work.run)
        return ctx->work.run(ctx, variant, launches, seconds);
    if ((t->variant != variant || t->launches != launches) && !run_setup(ctx, variant, launches))
        return false;
    RANGE_PUSH(ctx->work.name);
    bool ok = (t->ahead || enqueue_sample(ctx, t->slot)) && enqueue_sample(ctx, !t->slot) &&
              run_elapsed(ctx, t->slot, seconds);
    RANGE_POP();
    t->took = ok ? *seconds : 0;
    t->ahead = ok;
    t->slot = !t->slot;
    return ok;
}

bool cuda_timer_begin(struct cuda_ctx *ctx)
{
    return cuda_record(ctx, ctx->timer.start[0], ctx->stream);
}

bool cuda_timer_end(struct cuda_ctx *ctx, double *seconds)
{
    return cuda_record(ctx, ctx->timer.stop[0], ctx->stream) && run_elapsed(ctx, 0, seconds);
}

bool cuda_time_plain(struct cuda_ctx *ctx, const struct cuda_work *work, int variant, int first,
                     int launches, double *seconds)
{
    double opened;

    if (launches >= GATE_LEAST)
        return enqueue_gated(ctx, work, variant, first, launches, 0, &opened) &&
               run_elapsed(ctx, 0, seconds);
    bool ok = cuda_timer_begin(ctx);
    for (int i = 0; ok && i < launches; i++)
        ok = work->enqueue(ctx, variant, first + i);
    return ok && cuda_timer_end(ctx, seconds);
}

const char *cuda_launch_word(const struct cuda_ctx *ctx)
{
    return ctx->timer.exec ? "graph" : ctx->timer.gateless ? "stream" : "gated";
}

/* Without a flush the last cache is warm: another figure, so none. No fault of the point. */
static bool flush_take(struct cuda_ctx *ctx, size_t bytes)
{
    enum point_state state = ctx->state;
    char fault[sizeof ctx->fault], why[sizeof fault + 32];

    gp_copy(fault, sizeof fault, ctx->fault);
    if (!ctx->flush && bytes > 0)
        ctx->flush = cuda_take(ctx, (double)bytes);
    if (ctx->flush || ctx->lost)
        return ctx->flush != NULL;
    gp_format(why, sizeof why, "the last cache is not flushed: %s",
              bytes > 0 ? ctx->fault : "its size is unknown");
    if (ctx->params)
        json_object_set_new(ctx->params, "latency_null", gp_json_text(why));
    ctx->state = state;
    gp_copy(ctx->fault, sizeof ctx->fault, fault);
    return false;
}

bool cuda_latency(void *opaque, int variant, double *seconds)
{
    struct cuda_ctx *ctx = opaque;
    size_t bytes = (size_t)(2 * ctx->l2);

    if (ctx->lost || !ctx->work.enqueue)
        return false;
    cuda_timer_reset(ctx);
    if (!flush_take(ctx, bytes) ||
        !cuda_ok(ctx, cudaMemsetAsync(ctx->flush, 0x5a, bytes, ctx->stream), "flush"))
        return false;
    return cuda_wait(ctx, "flush") && cuda_time_plain(ctx, &ctx->work, variant, 0, 1, seconds);
}

/* ---- floors ---- */

enum { NODES = 64, FLOOR_TURNS = 5 };

static bool empty_node(struct cuda_ctx *ctx, int variant, int i)
{
    (void)variant, (void)i;
    return cuda_ok(ctx, cudaMemsetAsync(ctx->workspace, 0, 4, ctx->stream), "memset");
}

static bool no_node(struct cuda_ctx *ctx, int variant, int i)
{
    (void)ctx, (void)variant, (void)i;
    return true;
}

/* The least of some samples, over `each`; 0 when it cannot be told. */
static double run_least(struct cuda_ctx *ctx, int each)
{
    double best = 0, seconds;

    for (int i = 0; i < FLOOR_TURNS; i++) {
        if (!cuda_run(ctx, 0, NODES, &seconds))
            return 0;
        if (i == 0 || seconds < best)
            best = seconds;
    }
    return best / each;
}

void cuda_floors(struct cuda_ctx *ctx)
{
    struct cuda_work kept = ctx->work;

    if (ctx->node > 0 || ctx->lost)
        return;
    cuda_timer_reset(ctx);
    ctx->work = (struct cuda_work){.enqueue = empty_node, .name = "empty nodes"};
    ctx->node = run_least(ctx, NODES);
    if (ctx->timer.plain) /* of launches, not of nodes */
        ctx->node = 0;
    cuda_timer_reset(ctx);
    ctx->work.enqueue = no_node;
    if (!cuda_time_plain(ctx, &ctx->work, 0, 0, 1, &ctx->pair))
        ctx->pair = 0;
    ctx->timer.plain = false;
    ctx->work = kept;
}

bool cuda_launch_bound(const struct cuda_ctx *ctx)
{
    const struct cuda_timer *t = &ctx->timer;

    if (ctx->work.run || !(t->took > 0) || t->launches < 1)
        return false;
    return t->submit > 0.8 * t->took ||
           (t->exec && ctx->node > 0 && t->took / t->launches < 2 * ctx->node);
}
