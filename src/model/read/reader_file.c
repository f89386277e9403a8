/*
 * reader_file.c - opens files of a model's folder without being led out of it.
 *
 * A folder from the network may hold links to anything. A name is resolved first, and
 * what it resolves to must lie in the folder. One layout is let through on purpose:
 * the Hugging Face cache keeps snapshots/<revision>/<name> as links to ../../blobs/,
 * which belong to the same model. Only regular files are read, at positions, so that
 * a 5 GB file costs what its header costs.
 *
 * Example: /m/llama/model.safetensors -> /etc/shadow is refused;
 * models--x/snapshots/abc/model.safetensors -> models--x/blobs/123 is read.
 */
#include "model/read/reader_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

static bool lies_in(const char *path, const char *dir)
{
    size_t len = strlen(dir);

    return strncmp(path, dir, len) == 0 && (path[len] == '/' || len == 1);
}

/* ".../snapshots/<revision>" -> ".../blobs"; false for any other folder. */
static bool cache_blobs(const char *dir, char *blobs, size_t size)
{
    const char *revision = strrchr(dir, '/');
    const char *mark = "/snapshots";
    size_t len = strlen(mark), stem;

    if (revision == NULL || (size_t)(revision - dir) < len ||
        strncmp(revision - len, mark, len) != 0)
        return false;
    stem = (size_t)(revision - dir) - len;
    return gp_format(blobs, size, "%.*s/blobs", (int)stem, dir);
}

static bool is_inside(const char *dir, const char *path)
{
    char folder[PATH_MAX], target[PATH_MAX], blobs[PATH_MAX];

    if (realpath(dir, folder) == NULL || realpath(path, target) == NULL)
        return false;
    return lies_in(target, folder) ||
           (cache_blobs(folder, blobs, sizeof blobs) && lies_in(target, blobs));
}

enum gp_status reader_file_open(const char *dir, const char *name, struct reader_file *file,
                                bool *found, struct gp_err *err)
{
    struct stat info;

    file->fd = -1;
    *found = false;
    if (dir == NULL ? !gp_copy(file->path, sizeof file->path, name)
                    : !path_join(file->path, sizeof file->path, dir, name))
        return gp_fail(err, GP_E_FILE, name, "", "the path is too long");
    if (lstat(file->path, &info) != 0 && errno == ENOENT)
        return GP_OK;
    if (dir != NULL && !is_inside(dir, file->path))
        return gp_fail(err, GP_E_FILE, file->path, "replace the link by the file",
                       "a link that is broken or leads out of the folder");
    file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return gp_fail(err, GP_E_FILE, file->path, "", "cannot be opened: %s", strerror(errno));
    if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        reader_close(file);
        return gp_fail(err, GP_E_FILE, file->path, "", "not a regular file");
    }
    file->size = (uint64_t)info.st_size;
    *found = true;
    return GP_OK;
}

void reader_close(struct reader_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

bool reader_read(const struct reader_file *file, uint64_t offset, void *dst, size_t len)
{
    char *to = dst;

    if (offset > file->size || len > file->size - offset)
        return false;
    while (len > 0) {
        ssize_t got = pread(file->fd, to, len, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        offset += (uint64_t)got;
        len -= (size_t)got;
    }
    return true;
}

enum gp_status reader_slurp(const struct reader_file *file, size_t limit, char **text,
                            struct gp_err *err)
{
    *text = NULL;
    if (file->size > limit)
        return gp_fail(err, GP_E_FILE, file->path, "", "%llu bytes, more than %zu",
                       (unsigned long long)file->size, limit);
    *text = gp_malloc((size_t)file->size + 1);
    (*text)[file->size] = '\0';
    if (!reader_read(file, 0, *text, (size_t)file->size)) {
        free(*text);
        *text = NULL;
        return gp_fail(err, GP_E_FILE, file->path, "", "cannot be read");
    }
    return GP_OK;
}
