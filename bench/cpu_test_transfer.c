/*
 * cpu_test_transfer.c - test transfer: a file into memory, as a loader reads weights.
 *
 * Host and device memory are one here, so copies between them have no meaning and only "storage" is
 * measured: readers pread() chunks of 4 MiB straight to their place, several at once, so that the
 * disk always has the next request before it has answered the last. The check compares 64 places
 * with what an ordinary read finds there.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/str.h"
#include "bench/cpu_engine.h"
#include "bench/storage.h"

enum { CHUNK = 4 << 20, PAGE = 4096, READERS = 4, PLACES = 64 };

struct transfer_work {
    struct storage storage;
    size_t bytes, room; /* room: bytes rounded up to whole pages */
    char *base;
    struct cpu_pool *readers;
    atomic_size_t next;
    atomic_bool failed;
};

static void transfer_release(void *ctx)
{
    struct transfer_work *work = ctx;

    cpu_pool_free(work->readers);
    cpu_release(work->base, work->room);
    storage_close(&work->storage);
}

static void read_part(void *ctx, int part, int parts)
{
    struct transfer_work *work = ctx;
    size_t at;

    (void)part;
    (void)parts;
    while (!work->failed && (at = atomic_fetch_add(&work->next, CHUNK)) < work->bytes) {
        size_t room = work->room - at < CHUNK ? work->room - at : CHUNK;
        size_t want = work->bytes - at < CHUNK ? work->bytes - at : CHUNK;

        if (!storage_read(&work->storage, work->base + at, room, want, at))
            work->failed = true;
    }
}

static bool read_file(struct transfer_work *work)
{
    storage_begin(&work->storage);
    work->next = 0;
    work->failed = false;
    cpu_pool_run(work->readers, read_part, work);
    return !work->failed;
}

static bool transfer_prepare(struct cpu_engine *engine, const struct point *point, void *ctx,
                             struct prepared *out)
{
    struct transfer_work *work = ctx;
    char why[200];

    work->storage.file = -1;
    if (point->kind != KIND_STORAGE)
        return cpu_refuse(&engine->why, POINT_UNSUPPORTED,
                          "host memory is this device's memory: nothing is transferred");
    if (point->bytes + PAGE > cpu_budget(engine))
        return cpu_refuse(&engine->why, POINT_OOM, "needs %.2f GB of memory", point->bytes / 1e9);
    work->bytes = (size_t)point->bytes;
    work->room = (work->bytes + PAGE - 1) / PAGE * PAGE;
    work->base = cpu_alloc(work->room);
    work->readers = cpu_pool_new(READERS);
    if (!work->base || !work->readers)
        return cpu_refuse(&engine->why, POINT_OOM, "the buffer could not be allocated");
    if (!storage_open(&work->storage, point->path, work->bytes, why, sizeof(why)))
        return cpu_refuse(&engine->why, POINT_ERROR, "%s", why);
    memset(work->base, 0xee, work->room);
    if (!read_file(work))
        return cpu_refuse(&engine->why, POINT_ERROR, "reading failed: %s", strerror(errno));
    if (!work->storage.direct)
        cpu_flag(engine, "page-cache");
    out->bytes = (double)work->room;
    out->params = json_pack("{s:b, s:i, s:i}", "direct", work->storage.direct, "readers", READERS,
                            "chunk_bytes", CHUNK);
    return true;
}

static bool transfer_run(struct cpu_engine *engine, void *ctx, int launches, double *seconds)
{
    bool ok = true;

    (void)engine, (void)seconds;
    for (int i = 0; ok && i < launches; i++)
        ok = read_file(ctx);
    return ok;
}

static void transfer_check(struct cpu_engine *engine, void *ctx, struct check *out)
{
    struct transfer_work *work = ctx;
    char place[PAGE];

    (void)engine;
    memset(work->base, 0xee, work->room);
    out->done = true;
    out->ok = read_file(work);
    for (int i = 0; i < PLACES && out->ok; i++, out->n++) {
        size_t at = work->bytes / PLACES * (size_t)i;
        size_t want = work->bytes - at < sizeof place ? work->bytes - at : sizeof place;

        out->ok = storage_check(&work->storage, place, want, at) &&
                  memcmp(place, work->base + at, want) == 0;
    }
    if (!out->ok)
        gp_copy(out->why, sizeof out->why, "memory does not match the file");
}

const struct cpu_test cpu_test_transfer = {sizeof(struct transfer_work),
                                           transfer_prepare,
                                           transfer_run,
                                           transfer_check,
                                           transfer_release,
                                           NULL};
