/* storage.c - see storage.h. */
#include "bench/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "bench/number.h"

enum { PAGE = 4096, PIECE = 1 << 20 };

/* Its name is gone when this returns; -1: errno. */
static int make_temporary(size_t bytes)
{
    const char *dir = getenv("TMPDIR");
    char path[512], *data = malloc(PIECE);
    sigset_t before;
    ssize_t put = 0;
    int file = -1;

    path_hold_signals(&before);
    if (data &&
        gp_format(path, sizeof(path), "%s/gpuplan-bench-XXXXXX", dir && *dir ? dir : "/var/tmp"))
        file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    path_let_signals(&before);
    for (size_t done = 0; file >= 0 && put >= 0 && done < bytes; done += (size_t)put) {
        size_t want = bytes - done < PIECE ? bytes - done : PIECE;

        number_fill(FILL_UNIFORM, NUMBER_S32, data, PIECE, done + 1);
        put = write(file, data, want);
    }
    free(data);
    if (file >= 0 && (put < 0 || fsync(file) != 0)) {
        close(file);
        file = -1;
    }
    return file;
}

bool storage_open(struct storage *s, const char *path, size_t bytes, char *why, size_t size)
{
    alignas(PAGE) static char page[PAGE];
    struct stat about;

    errno = 0;
    s->file = path[0] ? open(path, O_RDONLY | O_CLOEXEC) : make_temporary(bytes);
    if (s->file < 0 || fstat(s->file, &about) != 0) {
        gp_format(why, size, "%.150s: %s", path[0] ? path : "temporary file",
                  errno ? strerror(errno) : "its folder's name is too long");
        return false;
    }
    if (!S_ISREG(about.st_mode) || (size_t)about.st_size < bytes) {
        gp_format(why, size, "%.150s: holds fewer than %zu bytes or is not a file", path, bytes);
        return false;
    }
    s->direct = fcntl(s->file, F_SETFL, O_DIRECT) == 0;
    if (s->direct && pread(s->file, page, PAGE, 0) < 0 && fcntl(s->file, F_SETFL, 0) == 0)
        s->direct = false;
    return true;
}

void storage_close(struct storage *s)
{
    if (s->file >= 0)
        close(s->file);
    s->file = -1;
}

void storage_begin(const struct storage *s)
{
    if (!s->direct)
        posix_fadvise(s->file, 0, 0, POSIX_FADV_DONTNEED);
}

bool storage_read(const struct storage *s, char *to, size_t room, size_t want, size_t at)
{
    for (size_t done = 0; done < want;) {
        ssize_t got = pread(s->file, to + done, room - done, (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = 0;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool storage_check(struct storage *s, char *to, size_t bytes, size_t at)
{
    if (s->direct)
        fcntl(s->file, F_SETFL, 0);
    bool ok = storage_read(s, to, bytes, bytes, at);
    if (s->direct)
        fcntl(s->file, F_SETFL, O_DIRECT);
    return ok;
}
