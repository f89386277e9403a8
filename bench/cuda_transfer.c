/*
 * cuda_transfer.c - host to device, device to host, both at once, storage to device.
 *
 * Pinned copies go through the graph and events of cuda_run.c. Pageable copies block
 * the host, so they are timed by its clock. "storage" reads a file in pieces of 8 MiB
 * into two pinned buffers, each sent on while the other is read, as a loader of weights
 * does; with O_DIRECT where the file system has it, else the page cache is emptied of
 * the file before each turn. Without a path a temporary file of that size is written
 * first.
 *
 * What a short copy takes by itself, from the call until the host knows that it is
 * done, is beside the point's time, which is one of many in a queue: params.alone_s.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cuda_ctx.h"
#include "util/clock.h"
#include "util/json.h"
#include "util/str.h"

enum { STORAGE_PIECE = 8 << 20, SLOTS = 2 };
enum { BOTH_CALLS = 6 }; /* of one copy both ways */
enum { ALONE_MAX = 4096 /* bytes */, ALONE_TURNS = 33 };

struct transfer_state {
    size_t bytes;
    bool to_device, to_host, pinned;
    char *host_in, *host_out; /* to the device; back from it */
    char *device_in, *device_out;
    cudaEvent_t fork, join;
    int file; /* storage; -1 otherwise */
    bool direct;
    char *slots[SLOTS];
    cudaEvent_t sent[SLOTS];
};

static bool send(struct cuda_ctx *ctx, struct transfer_state *s)
{
    return cuda_ok(ctx,
                   cudaMemcpyAsync(s->device_in, s->host_in, s->bytes,
                                   cudaMemcpyHostToDevice, ctx->stream),
                   "copy to the device");
}

static bool fetch(struct cuda_ctx *ctx, struct transfer_state *s, cudaStream_t stream)
{
    return cuda_ok(ctx,
                   cudaMemcpyAsync(s->host_out, s->device_out, s->bytes,
                                   cudaMemcpyDeviceToHost, stream),
                   "copy from the device");
}

/* "both": the way back runs on the side stream, between a fork and a join. */
static bool transfer_enqueue(struct cuda_ctx *ctx, int variant, int i)
{
    struct transfer_state *s = ctx->work.state;

    (void)variant, (void)i;
    if (!s->to_host)
        return send(ctx, s);
    if (!s->to_device)
        return fetch(ctx, s, ctx->stream);
    return cuda_ok(ctx, cudaEventRecord(s->fork, ctx->stream), "event") &&
           cuda_ok(ctx, cudaStreamWaitEvent(ctx->side, s->fork, 0), "event") &&
           send(ctx, s) && fetch(ctx, s, ctx->side) &&
           cuda_ok(ctx, cudaEventRecord(s->join, ctx->side), "event") &&
           cuda_ok(ctx, cudaStreamWaitEvent(ctx->stream, s->join, 0), "event");
}

/* By the host's clock, until it knows that all have been done. */
static bool host_run(struct cuda_ctx *ctx, int variant, int launches, double *seconds)
{
    double began = clock_now();

    for (int i = 0; i < launches; i++)
        if (!transfer_enqueue(ctx, variant, i))
            return false;
    if (!cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), "copy"))
        return false;
    *seconds = clock_now() - began;
    return true;
}

/* A whole piece, or to the end of the file, for O_DIRECT wants whole blocks; at least
 * `want`, though a read may give less at once. */
static bool read_piece(struct cuda_ctx *ctx, struct transfer_state *s, char *to,
                       size_t at, size_t want)
{
    size_t done = 0;

    while (done < want) {
        ssize_t got =
            pread(s->file, to + done, STORAGE_PIECE - done, (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            snprintf(ctx->fault, sizeof ctx->fault, "reading the file: %s",
                     got < 0 ? strerror(errno) : "it is shorter than it was");
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/* Some file systems take O_DIRECT for the file and refuse it when reading. */
static bool settle(struct cuda_ctx *ctx, struct transfer_state *s)
{
    s->direct = fcntl(s->file, F_SETFL, O_DIRECT) == 0;
    if (s->direct && pread(s->file, s->slots[0], STORAGE_PIECE, 0) < 0 &&
        fcntl(s->file, F_SETFL, 0) == 0)
        s->direct = false;
    ctx->cached = !s->direct;
    return read_piece(ctx, s, s->slots[0], 0, 1);
}

/* One turn through the file; the last piece may be shorter. */
static bool storage_turn(struct cuda_ctx *ctx, struct transfer_state *s)
{
    size_t done = 0;

    if (!s->direct)
        posix_fadvise(s->file, 0, 0, POSIX_FADV_DONTNEED);
    for (int slot = 0; done < s->bytes; slot = !slot) {
        size_t want = s->bytes - done < STORAGE_PIECE ? s->bytes - done : STORAGE_PIECE;

        if (!cuda_ok(ctx, cudaEventSynchronize(s->sent[slot]), "copy to the device") ||
            !read_piece(ctx, s, s->slots[slot], done, want) ||
            !cuda_ok(ctx,
                     cudaMemcpyAsync(s->device_in + done, s->slots[slot], want,
                                     cudaMemcpyHostToDevice, ctx->stream),
                     "copy to the device") ||
            !cuda_ok(ctx, cudaEventRecord(s->sent[slot], ctx->stream), "event"))
            return false;
        done += want;
    }
    return cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), "copy to the device");
}

static bool storage_run(struct cuda_ctx *ctx, int variant, int launches,
                        double *seconds)
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

static bool same(struct cuda_ctx *ctx, const void *device, const void *host,
                 size_t bytes)
{
    char *copy = malloc(bytes);
    bool ok = copy &&
              cuda_ok(ctx, cudaMemcpy(copy, device, bytes, cudaMemcpyDeviceToHost),
                      "check") &&
              memcmp(copy, host, bytes) == 0;

    free(copy);
    return ok;
}

/* slots[] hold the last two pieces read, which are compared with the device. */
static bool same_storage(struct cuda_ctx *ctx, struct transfer_state *s)
{
    size_t pieces = (s->bytes + STORAGE_PIECE - 1) / STORAGE_PIECE;
    size_t last = (pieces - 1) * STORAGE_PIECE;

    return same(ctx, s->device_in + last, s->slots[(pieces - 1) % SLOTS],
                s->bytes - last) &&
           (pieces < 2 || same(ctx, s->device_in + last - STORAGE_PIECE,
                               s->slots[pieces % SLOTS], STORAGE_PIECE));
}

static void transfer_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct transfer_state *s = ctx->work.state;
    double seconds;

    *out = (struct check){0};
    if (s->device_in)
        cuda_ok(ctx, cudaMemsetAsync(s->device_in, 0, s->bytes, ctx->stream), "poison");
    if (s->host_out)
        memset(s->host_out, 0, s->bytes);
    if (s->file >= 0)
        out->done = storage_run(ctx, variant, 1, &seconds);
    else
        out->done = host_run(ctx, variant, 1, &seconds);
    if (!out->done) {
        snprintf(out->why, sizeof out->why, "%.110s", ctx->fault);
        return;
    }
    out->n = 1;
    out->ok = (s->file < 0 || same_storage(ctx, s)) &&
              (!s->host_in || same(ctx, s->device_in, s->host_in, s->bytes)) &&
              (!s->host_out || same(ctx, s->device_out, s->host_out, s->bytes));
    if (!out->ok)
        snprintf(out->why, sizeof out->why,
                 "the data that arrived differs from the data sent");
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
    if (s->file >= 0)
        close(s->file);
    free(s);
}

/* ---- preparing ---- */

/* Pages are touched here, by this thread, which runs near the GPU. */
static char *host_take(struct cuda_ctx *ctx, struct transfer_state *s, char *why,
                       size_t size)
{
    void *memory = NULL;
    uint64_t seed = ctx->settings.seed;

    if (!s->pinned)
        memory = malloc(s->bytes);
    else if (cudaHostAlloc(&memory, s->bytes, cudaHostAllocDefault) != cudaSuccess)
        cudaGetLastError(), memory = NULL;
    if (!memory) {
        snprintf(why, size, "needs %.2f GiB of %shost memory",
                 (double)s->bytes / 0x1p30, s->pinned ? "pinned " : "");
        return NULL;
    }
    convert_fill(BITS_INT8, memory, s->bytes, &seed);
    return memory;
}

static bool write_temporary(struct transfer_state *s, char *why, size_t size)
{
    const char *folder = getenv("TMPDIR");
    char path[300], *data = malloc(1 << 20);
    uint64_t seed = 1;
    size_t done = 0;

    gp_format(path, sizeof path, "%s/gpuplan-transfer-XXXXXX",
              folder && folder[0] ? folder : "/var/tmp");
    s->file = data ? mkstemp(path) : -1;
    if (s->file >= 0) {
        unlink(path);
        convert_fill(BITS_INT8, data, 1 << 20, &seed);
        while (done < s->bytes) {
            ssize_t put = write(s->file, data, 1 << 20);

            if (put <= 0)
                break;
            done += (size_t)put;
        }
    }
    free(data);
    if (s->file >= 0 && done >= s->bytes && fsync(s->file) == 0)
        return true;
    snprintf(why, size, "%.80s: a temporary file of %.2f GiB: %s", path,
             (double)s->bytes / 0x1p30, strerror(errno));
    return false;
}

static enum point_state storage_prepare(struct cuda_ctx *ctx, const struct point *point,
                                        struct transfer_state *s, char *why,
                                        size_t size)
{
    struct stat about;

    if (point->path[0]) {
        s->file = open(point->path, O_RDONLY | O_CLOEXEC);
        if (s->file < 0 || fstat(s->file, &about) != 0)
            return snprintf(why, size, "%.150s: %s", point->path, strerror(errno)),
                   POINT_ERROR;
        if ((double)about.st_size < (double)s->bytes)
            return snprintf(why, size, "%.150s has only %lld bytes", point->path,
                            (long long)about.st_size),
                   POINT_UNSUPPORTED;
    } else if (!write_temporary(s, why, size)) {
        return POINT_ERROR;
    }
    for (int i = 0; i < SLOTS; i++)
        if (!cuda_ok(ctx,
                     cudaHostAlloc((void **)&s->slots[i], STORAGE_PIECE,
                                   cudaHostAllocDefault),
                     "pinned memory") ||
            !cuda_ok(ctx, cudaEventCreateWithFlags(&s->sent[i], cudaEventDisableTiming),
                     "event"))
            return cuda_failed(ctx, why, size);
    return settle(ctx, s) ? POINT_OK : cuda_failed(ctx, why, size);
}

static enum point_state buffers_prepare(struct cuda_ctx *ctx, struct transfer_state *s,
                                        bool storage, char *why, size_t size)
{
    bool oom = false;

    if (s->to_device &&
        !(s->device_in = cuda_take(ctx, (double)s->bytes, &oom, why, size)))
        return oom ? POINT_OOM : POINT_ERROR;
    if (s->to_host &&
        !(s->device_out = cuda_take(ctx, (double)s->bytes, &oom, why, size)))
        return oom ? POINT_OOM : POINT_ERROR;
    if (s->to_device && !storage && !(s->host_in = host_take(ctx, s, why, size)))
        return POINT_OOM;
    if (s->to_host && !(s->host_out = host_take(ctx, s, why, size)))
        return POINT_OOM;
    if (s->to_host && (!cuda_fill(ctx, BITS_INT8, s->device_out, s->bytes, 3) ||
                       !cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), "fill")))
        return cuda_failed(ctx, why, size);
    if (s->to_host && s->to_device &&
        (!cuda_ok(ctx, cudaEventCreateWithFlags(&s->fork, cudaEventDisableTiming),
                  "event") ||
         !cuda_ok(ctx, cudaEventCreateWithFlags(&s->join, cudaEventDisableTiming),
                  "event")))
        return cuda_failed(ctx, why, size);
    return POINT_OK;
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

enum point_state cuda_transfer_prepare(struct cuda_ctx *ctx, const struct point *point,
                                       struct prepared *out, char *why, size_t size)
{
    bool storage = point->kind == KIND_STORAGE;
    struct transfer_state *s;
    enum point_state state;

    if (point->bytes < 1 || point->bytes > 0x1p46)
        return snprintf(why, size, "a size of %.0f bytes", point->bytes),
               POINT_UNSUPPORTED;
    if (point_together(point))
        return cuda_peer_prepare(ctx, point, out, why, size);
    if (!(s = calloc(1, sizeof *s)))
        return snprintf(why, size, "out of host memory"), POINT_ERROR;
    s->bytes = (size_t)point->bytes;
    s->file = -1;
    s->pinned = bench_kind_is(point->kind, KIND_IS_PINNED);
    s->to_device = bench_kind_is(point->kind, KIND_IS_IN);
    s->to_host = bench_kind_is(point->kind, KIND_IS_OUT);
    ctx->work = (struct cuda_work){.active = true,
                                   .name = point->id,
                                   .enqueue = transfer_enqueue,
                                   .calls = s->to_host && s->to_device ? BOTH_CALLS : 1,
                                   .check = transfer_check,
                                   .release = transfer_release,
                                   .state = s};
    state = buffers_prepare(ctx, s, storage, why, size);
    if (state == POINT_OK && storage)
        state = storage_prepare(ctx, point, s, why, size);
    if (storage)
        ctx->work.run = storage_run;
    else if (!s->pinned)
        ctx->work.run = host_run;
    else if (state == POINT_OK && s->bytes <= ALONE_MAX &&
             !time_alone(ctx, &out->first))
        return cuda_failed(ctx, why, size);
    out->bytes = (double)s->bytes * (s->to_device + s->to_host);
    out->cold = true;
    gp_copy(out->algorithm, sizeof out->algorithm,
            storage ? s->direct ? "O_DIRECT reads, two pinned buffers of 8 MiB"
                                : "page cache emptied, two pinned buffers of 8 MiB"
                    : "cudaMemcpyAsync");
    return state;
}
