/*
 * cuda_transfer.c - host to device, device to host, both at once, storage to device.
 *
 * Pinned copies go through the graph and events of cuda_run.c. Pageable copies block the host, so
 * they are timed by its clock. "storage" reads a file in pieces of 8 MiB into two pinned buffers,
 * each sent on while the other is read, as a loader of weights does; see storage.h.
 *
 * What a short copy takes by itself, from the call until the host knows that it is done, is beside
 * the point's time, which is one of many in a queue: params.alone_s.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "bench/cuda_ctx.h"
#include "bench/storage.h"

enum { STORAGE_PIECE = 8 << 20, SLOTS = 2 };
enum { BOTH_CALLS = 6 }; /* of one copy both ways */
enum { ALONE_MAX = 4096 /* bytes */, ALONE_TURNS = 33 };

struct transfer_state {
    size_t bytes;
    bool to_device, to_host, pinned;
    char *host_in, *host_out; /* to the device; back from it */
    char *device_in, *device_out;
    cudaEvent_t fork, join;
    struct storage storage; /* its file is -1 otherwise */
    char *slots[SLOTS];
    cudaEvent_t sent[SLOTS];
};

static bool transfer_send(struct cuda_ctx *ctx, struct transfer_state *s)
{
    return cuda_send_later(ctx, s->device_in, s->host_in, s->bytes, ctx->stream,
                           "copy to the device");
}

static bool transfer_fetch(struct cuda_ctx *ctx, struct transfer_state *s, cudaStream_t stream)
{
    return cuda_ok(
        ctx, cudaMemcpyAsync(s->host_out, s->device_out, s->bytes, cudaMemcpyDeviceToHost, stream),
        "copy from the device");
}

/* "both": the way back runs on the side stream, between a fork and a join. */
static bool transfer_enqueue(struct cuda_ctx *ctx, int variant, int i)
{
    struct transfer_state *s = ctx->work.state;

    (void)variant, (void)i;
    if (!s->to_host)
        return transfer_send(ctx, s);
    if (!s->to_device)
        return transfer_fetch(ctx, s, ctx->stream);
    return cuda_record(ctx, s->fork, ctx->stream) && cuda_depend(ctx, ctx->side, s->fork) &&
           transfer_send(ctx, s) && transfer_fetch(ctx, s, ctx->side) &&
           cuda_record(ctx, s->join, ctx->side) && cuda_depend(ctx, ctx->stream, s->join);
}

/* By the host's clock, until it knows that all have been done. */
static bool host_run(struct cuda_ctx *ctx, int variant, int launches, double *seconds)
{
    double began = clock_now();

    for (int i = 0; i < launches; i++)
        if (!transfer_enqueue(ctx, variant, i))
            return false;
    if (!cuda_wait(ctx, "copy"))
        return false;
    *seconds = clock_now() - began;
    return true;
}

/* A whole piece, or to the end of the file, for O_DIRECT wants whole blocks; at least `want`. */
static bool read_piece(struct cuda_ctx *ctx, struct transfer_state *s, char *to, size_t at,
                       size_t want)
{
    return storage_read(&s->storage, to, STORAGE_PIECE, want, at) ||
           cuda_refuse(ctx, POINT_ERROR, "reading the file: %s",
                       errno ? strerror(errno) : "it is shorter than it was");
}

/* One turn through the file; the last piece may be shorter. */
static bool storage_turn(struct cuda_ctx *ctx, struct transfer_state *s)
{
    size_t done = 0;

    storage_begin(&s->storage);
    for (int slot = 0; done < s->bytes; slot = !slot) {
        size_t want = s->bytes - done < STORAGE_PIECE ? s->bytes - done : STORAGE_PIECE;

        if (!cuda_ok(ctx, cudaEventSynchronize(s->sent[slot]), "copy to the device") ||
            !read_piece(ctx, s, s->slots[slot], done, want) ||
            !cuda_send_later(ctx, s->device_in + done, s->slots[slot], want, ctx->stream,
                             "copy to the device") ||
            !cuda_record(ctx, s->sent[slot], ctx->stream))
            return false;
        done += want;
    }
    return cuda_wait(ctx, "copy to the device");
}

static bool storage_run(struct cuda_ctx *ctx, int variant, int launches, double *seconds)
{
    double began = clock_now();

    (void)variant;
    for (int i = 0; i < launches; i++)
        if (!storage_turn(ctx, ctx->work.state))
            return false;
    *seconds = clock_now() - began;
    return true;
}

/* ---- check: what arrived is what was sent ---- */

static bool transfer_same(struct cuda_ctx *ctx, const void *device, const void *host, size_t bytes)
{
    char *copy = cuda_fetch_new(ctx, device, bytes, "check");
    bool ok = copy && memcmp(copy, host, bytes) == 0;

    free(copy);
    return ok;
}

/* slots[] hold the last two pieces read, which are compared with the device. */
static bool same_storage(struct cuda_ctx *ctx, struct transfer_state *s)
{
    size_t pieces = (s->bytes + STORAGE_PIECE - 1) / STORAGE_PIECE;
    size_t last = (pieces - 1) * STORAGE_PIECE;

    return transfer_same(ctx, s->device_in + last, s->slots[(pieces - 1) % SLOTS],
                         s->bytes - last) &&
           (pieces < 2 || transfer_same(ctx, s->device_in + last - STORAGE_PIECE,
                                        s->slots[pieces % SLOTS], STORAGE_PIECE));
}

static void transfer_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct transfer_state *s = ctx->work.state;
    double seconds;

    if (s->device_in)
        cuda_ok(ctx, cudaMemsetAsync(s->device_in, 0, s->bytes, ctx->stream), "poison");
    if (s->host_out)
        memset(s->host_out, 0, s->bytes);
    out->done = s->storage.file >= 0 ? storage_run(ctx, variant, 1, &seconds)
                                     : host_run(ctx, variant, 1, &seconds);
    out->n = out->done;
    out->ok = out->done && (s->storage.file < 0 || same_storage(ctx, s)) &&
              (!s->host_in || transfer_same(ctx, s->device_in, s->host_in, s->bytes)) &&
              (!s->host_out || transfer_same(ctx, s->device_out, s->host_out, s->bytes));
    if (out->done && !out->ok)
        gp_copy(out->why, sizeof out->why, "the data that arrived differs from the data sent");
}

static void host_give(struct transfer_state *s, char *memory)
{
    if (memory && s->pinned)
        cudaFreeHost(memory);
    else
        free(memory);
}

static void transfer_release(struct cuda_ctx *ctx)
{
    struct transfer_state *s = ctx->work.state;

    host_give(s, s->host_in);
    host_give(s, s->host_out);
    cuda_give(ctx, s->device_in);
    cuda_give(ctx, s->device_out);
    if (s->fork)
        cudaEventDestroy(s->fork);
    if (s->join)
        cudaEventDestroy(s->join);
    for (int i = 0; i < SLOTS; i++) {
        if (s->slots[i])
            cudaFreeHost(s->slots[i]);
        if (s->sent[i])
            cudaEventDestroy(s->sent[i]);
    }
    storage_close(&s->storage);
}

/* ---- preparing ---- */

/* Pages are touched here, by this thread, which runs near the GPU. */
static bool host_take(struct cuda_ctx *ctx, struct transfer_state *s, char **out)
{
    void *memory = NULL;

    if (!s->pinned)
        memory = malloc(s->bytes);
    else if (cudaHostAlloc(&memory, s->bytes, cudaHostAllocDefault) != cudaSuccess)
        cudaGetLastError(), memory = NULL;
    if (!memory)
        return cuda_refuse(ctx, POINT_OOM, "needs %.2f GiB of %shost memory",
                           (double)s->bytes / 0x1p30, s->pinned ? "pinned " : "");
    number_fill(FILL_UNIFORM, NUMBER_S8, memory, s->bytes, ctx->settings.seed);
    *out = memory;
    return true;
}

static bool storage_prepare(struct cuda_ctx *ctx, const struct point *point,
                            struct transfer_state *s)
{
    char why[200];
    bool ok = true;

    if (!storage_open(&s->storage, point->path, s->bytes, why, sizeof(why)))
        return cuda_refuse(ctx, POINT_ERROR, "%s", why);
    for (int i = 0; ok && i < SLOTS; i++)
        ok = cuda_ok(ctx, cudaHostAlloc((void **)&s->slots[i], STORAGE_PIECE, cudaHostAllocDefault),
                     "pinned memory") &&
             cuda_mark_new(ctx, &s->sent[i]);
    ctx->cached = !s->storage.direct;
    return ok && read_piece(ctx, s, s->slots[0], 0, 1);
}

static bool buffers_prepare(struct cuda_ctx *ctx, struct transfer_state *s, bool storage)
{
    double bytes = (double)s->bytes;

    if ((s->to_device && !(s->device_in = cuda_take(ctx, bytes))) ||
        (s->to_host && !(s->device_out = cuda_take(ctx, bytes))) ||
        (s->to_device && !storage && !host_take(ctx, s, &s->host_in)) ||
        (s->to_host && !host_take(ctx, s, &s->host_out)))
        return false;
    if (s->to_host && (!cuda_fill(ctx, FILL_UNIFORM, NUMBER_S8, s->device_out, s->bytes, 3) ||
                       !cuda_wait(ctx, "fill")))
        return false;
    return !(s->to_host && s->to_device) ||
           (cuda_mark_new(ctx, &s->fork) && cuda_mark_new(ctx, &s->join));
}

/* Also the very first launch, which is no turn. */
static bool time_alone(struct cuda_ctx *ctx, double *first)
{
    double took[ALONE_TURNS];

    if (!cuda_time_plain(ctx, &ctx->work, 0, 0, 1, first))
        return false;
    for (int i = 0; i < ALONE_TURNS; i++)
        if (!host_run(ctx, 0, 1, &took[i]))
            return false;
    ctx->params = json_object();
    json_object_set_new(ctx->params, "alone_s",
                        gp_json_number(method_stats(took, NULL, ALONE_TURNS).median));
    return true;
}

bool cuda_transfer_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    static const struct cuda_work work = {
        .enqueue = transfer_enqueue, .check = transfer_check, .release = transfer_release};
    bool storage = point->kind == KIND_STORAGE;
    struct transfer_state *s;

    if (point->bytes < 1 || point->bytes > 0x1p46)
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "a size of %.0f bytes", point->bytes);
    if (bench_kind_is(point->kind, KIND_IS_ALL))
        return cuda_together_prepare(ctx, point, out);
    if (point_together(point))
        return cuda_peer_prepare(ctx, point, out);
    s = cuda_begin(ctx, point, &work, sizeof *s);
    s->bytes = (size_t)point->bytes;
    s->storage.file = -1;
    s->pinned = bench_kind_is(point->kind, KIND_IS_PINNED);
    s->to_device = bench_kind_is(point->kind, KIND_IS_IN);
    s->to_host = bench_kind_is(point->kind, KIND_IS_OUT);
    ctx->work.calls = s->to_host && s->to_device ? BOTH_CALLS : 1;
    ctx->work.run = storage ? storage_run : s->pinned ? NULL : host_run;
    out->bytes = (double)s->bytes * (s->to_device + s->to_host);
    if (!buffers_prepare(ctx, s, storage) || (storage && !storage_prepare(ctx, point, s)))
        return false;
    gp_copy(out->algorithm, sizeof out->algorithm,
            !storage            ? "cudaMemcpyAsync"
            : s->storage.direct ? "O_DIRECT reads, two pinned buffers of 8 MiB"
                                : "page cache emptied, two pinned buffers of 8 MiB");
    return ctx->work.run || s->bytes > ALONE_MAX || time_alone(ctx, &out->first);
}
