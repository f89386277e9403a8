/*
 * cpu_test_transfer.c - test transfer: a file into memory, as a loader reads weights.
 *
 * Host and device memory are one here, so copies between them have no meaning and only
 * "storage" is measured: readers pread() chunks of 4 MiB straight to their place, several
 * at once, so that the disk always has the next request before it has answered the last.
 * O_DIRECT leaves the page cache out; where the file system refuses it the file is
 * dropped from the cache before each launch and the point says "page-cache".
 *
 * Without a path a temporary file of random bytes is written (TMPDIR, else /var/tmp) and
 * unlinked at once. The check compares 64 places with what an ordinary read finds there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "bench/cpu_engine.h"

enum { CHUNK = 4 << 20, PAGE = 4096, READERS = 4, PLACES = 64 };

struct transfer_work {
    int file, plain; /* file: O_DIRECT where possible; plain: for the check */
    bool direct;
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
    if (work->file >= 0)
        close(work->file);
    if (work->plain >= 0)
        close(work->plain);
}

static bool write_random(int file, size_t bytes, char *scratch)
{
    for (size_t at = 0; at < bytes; at += CHUNK) {
        size_t want = bytes - at < CHUNK ? bytes - at : CHUNK;

        number_fill(FILL_UNIFORM, NUMBER_S32, scratch, CHUNK, at + 1);
        for (size_t done = 0; done < want;) {
            ssize_t got = pwrite(file, scratch + done, want - done, (off_t)(at + done));

            if (got <= 0)
                return false;
            done += (size_t)got;
        }
    }
    return fsync(file) == 0;
}

/* O_DIRECT, where the file system has it. */
static bool open_file(struct transfer_work *work, const char *path)
{
    work->file = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    work->direct = work->file >= 0;
    if (!work->direct)
        work->file = open(path, O_RDONLY | O_CLOEXEC);
    return work->file >= 0;
}

/* Both descriptors of a temporary file; its name is gone when this returns. */
static bool make_temporary(struct transfer_work *work)
{
    const char *dir = getenv("TMPDIR");
    char path[512], *scratch = cpu_alloc(CHUNK);
    bool ok = false;

    if (!gp_format(path, sizeof path, "%s/gpuplan-bench-XXXXXX", dir && *dir ? dir : "/var/tmp"))
        path[0] = '\0';
    work->plain = scratch && path[0] ? mkstemp(path) : -1;
    if (work->plain >= 0) {
        ok = open_file(work, path);
        unlink(path);
        ok = ok && write_random(work->plain, work->bytes, scratch);
    }
    cpu_release(scratch, CHUNK);
    return ok;
}

static bool read_chunk(struct transfer_work *work, size_t at)
{
    size_t end = at + CHUNK < work->room ? at + CHUNK : work->room;

    while (at < end && at < work->bytes) {
        ssize_t got = pread(work->file, work->base + at, end - at, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

static void read_part(void *ctx, int part, int parts)
{
    struct transfer_work *work = ctx;
    size_t at;

    (void)part;
    (void)parts;
    while (!work->failed && (at = atomic_fetch_add(&work->next, CHUNK)) < work->bytes)
        if (!read_chunk(work, at))
            work->failed = true;
}

static bool read_file(struct transfer_work *work)
{
    if (!work->direct)
        posix_fadvise(work->file, 0, 0, POSIX_FADV_DONTNEED);
    work->next = 0;
    work->failed = false;
    cpu_pool_run(work->readers, read_part, work);
    return !work->failed;
}

static bool transfer_prepare(struct cpu_engine *engine, const struct point *point, void *ctx,
                             struct prepared *out)
{
    struct transfer_work *work = ctx;
    const char *path = point->path;
    struct stat info;
    bool ok;
    int mode;

    work->file = work->plain = -1;
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
    if (path[0]) {
        work->plain = open(path, O_RDONLY | O_CLOEXEC);
        ok = open_file(work, path) && work->plain >= 0;
    } else {
        ok = make_temporary(work);
    }
    if (!ok)
        return cpu_refuse(&engine->why, POINT_ERROR, "%s: %s", path[0] ? path : "temporary file",
                          strerror(errno));
    if (fstat(work->plain, &info) != 0 || !S_ISREG(info.st_mode) ||
        (double)info.st_size < point->bytes)
        return cpu_refuse(&engine->why, POINT_ERROR,
                          "%s: holds fewer than %.0f bytes or is not a file", path, point->bytes);
    memset(work->base, 0xee, work->room);
    ok = read_file(work);
    /* some file systems take O_DIRECT when opening and refuse it when reading */
    if (!ok && work->direct && (mode = fcntl(work->file, F_GETFL)) >= 0 &&
        fcntl(work->file, F_SETFL, mode & ~O_DIRECT) == 0) {
        work->direct = false;
        ok = read_file(work);
    }
    if (!ok)
        return cpu_refuse(&engine->why, POINT_ERROR, "reading failed: %s", strerror(errno));
    if (!work->direct)
        cpu_flag(engine, "page-cache");
    out->bytes = (double)work->room;
    out->params = json_pack("{s:b, s:i, s:i}", "direct", work->direct, "readers", READERS,
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

        out->ok = pread(work->plain, place, want, (off_t)at) == (ssize_t)want &&
                  memcmp(place, work->base + at, want) == 0;
    }
    if (!out->ok)
        gp_copy(out->why, sizeof out->why, "memory does not match the file");
}

const struct cpu_test cpu_test_transfer = {sizeof(struct transfer_work), transfer_prepare,
                                           transfer_run, transfer_check, transfer_release};
