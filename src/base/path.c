/*
 * path.c - reading, listing and writing files, and where a user's files lie.
 *
 * Reading refuses what is not a regular file (a FIFO would hang, a device never end)
 * and what is longer than the caller can use, before anything is allocated. Writing
 * goes to a temporary sibling that is renamed over the target: a reader sees the old
 * file or the new one, and an interrupted run leaves the old one. What a rename cannot
 * replace is written directly: descriptors that a shell opened, devices, pipes, and a
 * file whose folder cannot be written.
 */
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/mem.h"
#include "base/say.h"
#include "base/str.h"

#define READ_STEP 65536
#define LINKS_MAX 16

bool path_join(char *dst, size_t size, const char *dir, const char *name)
{
    size_t len = strlen(dir);
    const char *slash = len && dir[len - 1] != '/' ? "/" : "";

    return gp_format(dst, size, "%s%s%s", dir, slash, name);
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_builtin(const char *path)
{
    return strncmp(path, BUILTIN_ROOT, strlen(BUILTIN_ROOT)) == 0;
}

/* The next file that is built in below a folder, or NULL: what its name says behind that. */
static const char *next_builtin(const char *dir, size_t *at)
{
    const char *folder = dir + strlen(BUILTIN_ROOT);
    size_t count, head = strlen(folder);
    const struct archive_file *files = archive_builtin(&count);

    while (*at < count) {
        const char *name = files[(*at)++].name;

        if (strncmp(name, folder, head) == 0 && name[head] == '/')
            return name + head + 1;
    }
    return NULL;
}

bool path_is_dir(const char *path)
{
    struct stat st;
    size_t at = 0;

    if (is_builtin(path))
        return next_builtin(path, &at) != NULL;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool path_is_file(const char *path)
{
    struct stat st;

    if (is_builtin(path))
        return archive_builtin_find(path) != NULL;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool path_is_there(const char *path)
{
    struct stat st;

    if (is_builtin(path))
        return path_is_file(path) || path_is_dir(path);
    return lstat(path, &st) == 0 || errno != ENOENT;
}

/* The XDG specification says to ignore a relative path. */
static bool home_path(char *dst, size_t size, const char *variable, const char *usual,
                      const char *sub)
{
    const char *xdg = getenv(variable);
    const char *home = getenv("HOME");

    if (xdg && xdg[0] == '/')
        return gp_format(dst, size, "%s/gpuplan/%s", xdg, sub);
    if (home && home[0] == '/')
        return gp_format(dst, size, "%s/%s/gpuplan/%s", home, usual, sub);
    return false;
}

bool path_data_home(char *dst, size_t size, const char *sub)
{
    return home_path(dst, size, "XDG_DATA_HOME", ".local/share", sub);
}

bool path_state_home(char *dst, size_t size, const char *sub)
{
    return home_path(dst, size, "XDG_STATE_HOME", ".local/state", sub);
}

bool path_config_home(char *dst, size_t size, const char *sub)
{
    return home_path(dst, size, "XDG_CONFIG_HOME", ".config", sub);
}

bool path_program_dir(char *dst, size_t size)
{
    char exe[GP_PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);

    if (len <= 0 || (size_t)len >= sizeof exe - 1)
        return false;
    exe[len] = '\0';
    char *slash = strrchr(exe, '/');
    if (!slash)
        return false;
    *(slash == exe ? slash + 1 : slash) = '\0';
    return gp_copy(dst, size, exe);
}

/* ---- reading ---- */

static enum gp_status read_all(int fd, const char *path, size_t limit, char **text, size_t *len,
                               struct gp_err *err)
{
    char *data = NULL;
    size_t used = 0, cap = 0;

    for (;;) {
        size_t want = limit - used < READ_STEP ? limit - used + 1 : READ_STEP;

        data = gp_grow(data, &cap, used + want + 1, 1);
        ssize_t got = read(fd, data + used, want);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            free(data);
            return gp_fail(err, GP_E_FILE, path, "", "cannot read: %s", strerror(errno));
        }
        used += (size_t)got;
        if (used > limit) {
            free(data);
            return gp_fail(err, GP_E_FILE, path, "", "longer than %zu bytes", limit);
        }
        if (got == 0)
            break;
    }
    data[used] = '\0';
    *text = data;
    *len = used;
    return GP_OK;
}

#define NO_DESCRIPTOR (-2)
#define OF_ANOTHER (-1) /* process */

/* What lies in /proc/PID/fd is no link, though it reads like one. */
static int descriptor_of(const char *path)
{
    const char *name = path_name(path);
    char dir[GP_PATH_MAX], real[PATH_MAX], own[64], *end;
    long number = strtol(name, &end, 10);

    if (*name < '0' || *name > '9' || *end || number > INT_MAX ||
        !gp_format(dir, sizeof dir, "%.*s.", (int)(name - path), path) || !realpath(dir, real) ||
        strncmp(real, "/proc/", 6) != 0 || strcmp(path_name(real), "fd") != 0)
        return NO_DESCRIPTOR;
    gp_format(own, sizeof own, "/proc/%ld/", (long)getpid());
    return strncmp(real, own, strlen(own)) == 0 ? (int)number : OF_ANOTHER;
}

/* Follows symbolic links, also one whose target does not exist yet, as far as a descriptor. */
static bool resolve_links(char *dst, size_t size, const char *path, int *descriptor)
{
    *descriptor = NO_DESCRIPTOR;
    if (!gp_copy(dst, size, path))
        return false;
    for (int i = 0; i < LINKS_MAX; i++) {
        char link[GP_PATH_MAX], dir[GP_PATH_MAX];
        ssize_t len = readlink(dst, link, sizeof link - 1);

        if (len < 0 || (*descriptor = descriptor_of(dst)) != NO_DESCRIPTOR)
            return true;
        if ((size_t)len >= sizeof link - 1)
            return false;
        link[len] = '\0';
        gp_copy(dir, sizeof dir, dst);
        char *slash = strrchr(dir, '/');
        if (link[0] == '/' || !slash) {
            if (!gp_copy(dst, size, link))
                return false;
            continue;
        }
        slash[1] = '\0';
        if (!path_join(dst, size, dir, link))
            return false;
    }
    errno = ELOOP;
    return false;
}

/* Is it a descriptor of this process, whose other end somebody holds: /dev/fd/63? */
static bool is_open_here(const char *path)
{
    char target[GP_PATH_MAX];
    int descriptor;

    return resolve_links(target, sizeof target, path, &descriptor) && descriptor >= 0;
}

void path_head(const char *path, char *head, size_t size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = -1;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        got = pread(fd, head, size - 1, 0);
    if (fd >= 0)
        close(fd);
    head[got > 0 ? got : 0] = '\0';
}

static enum gp_status read_builtin(const char *path, size_t limit, char **text, size_t *len,
                                   struct gp_err *err)
{
    const struct archive_file *file = archive_builtin_find(path);

    if (file == NULL || file->len > limit)
        return gp_fail(err, GP_E_FILE, path, "", "is not built in");
    *text = gp_malloc(file->len + 1);
    memcpy(*text, file->bytes, file->len);
    (*text)[file->len] = '\0';
    *len = file->len;
    return GP_OK;
}

enum gp_status path_read(const char *path, size_t limit, char **text, size_t *len,
                         struct gp_err *err)
{
    enum gp_status rc;
    struct stat st;
    bool dash = strcmp(path, "-") == 0;

    if (dash && isatty(STDIN_FILENO))
        return gp_fail(err, GP_E_FILE, "-", "COMMAND | gpuplan ... -",
                       "standard input is a terminal");
    if (dash)
        return read_all(STDIN_FILENO, "standard input", limit, text, len, err);
    if (is_builtin(path))
        return read_builtin(path, limit, text, len, err);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return gp_fail(err, GP_E_FILE, path, "", "cannot open: %s", strerror(errno));
    bool known = fstat(fd, &st) == 0;
    if (known && S_ISFIFO(st.st_mode) && is_open_here(path) && fcntl(fd, F_SETFL, 0) == 0)
        rc = read_all(fd, path, limit, text, len, err); /* of a shell's <(...) */
    else if (!known || !S_ISREG(st.st_mode))
        rc = gp_fail(err, GP_E_FILE, path, "-, <(...) or a copy", "not a regular file");
    else if ((unsigned long long)st.st_size > limit)
        rc = gp_fail(err, GP_E_FILE, path, "", "%lld bytes, more than the %zu allowed",
                     (long long)st.st_size, limit);
    else
        rc = read_all(fd, path, limit, text, len, err);
    close(fd);
    return rc;
}

enum gp_status path_read_input(const char *path, size_t limit, char **text, size_t *len,
                               struct gp_err *err)
{
    if (strcmp(path, "-") != 0)
        return path_read(path, limit, text, len, err);
    return read_all(STDIN_FILENO, "standard input", limit, text, len, err);
}

/* ---- writing ---- */

static bool write_all(int fd, const char *text, size_t len)
{
    while (len) {
        ssize_t put = write(fd, text, len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        text += put;
        len -= (size_t)put;
    }
    return true;
}

static enum gp_status cannot_write(const char *path, struct gp_err *err)
{
    return gp_fail(err, GP_E_FILE, path, "", "cannot write: %s", strerror(errno));
}

bool path_is_stream(const char *path, bool *is_stdout)
{
    char target[GP_PATH_MAX];
    int descriptor = NO_DESCRIPTOR;
    struct stat st;
    bool dash = strcmp(path, "-") == 0;
    bool found = !dash && resolve_links(target, sizeof target, path, &descriptor);

    *is_stdout = dash || descriptor == STDOUT_FILENO;
    return dash || descriptor != NO_DESCRIPTOR ||
           (found && stat(target, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

void path_hold_signals(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

void path_let_signals(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* The temporary file has the rights and, where that is allowed, the owner of what it replaces. */
static bool take_rights(int fd, const char *path)
{
    struct stat st;
    mode_t mode;

    if (stat(path, &st) == 0) {
        mode = st.st_mode & 0777;
        if (fchown(fd, st.st_uid, st.st_gid) != 0)
            errno = 0; /* only root gives files away */
    } else {           /* what a new file would get */
        mode = umask(0);
        umask(mode);
        mode = 0666 & ~mode;
    }
    return fchmod(fd, mode) == 0;
}

/* errno of what failed; 0: written. *refused: by the folder, and the file could still be written
 * in place. A signal waits until the temporary file is gone. */
static int write_renamed(const char *path, const char *text, size_t len, bool *refused)
{
    char temporary[GP_PATH_MAX];
    int fd, why = 0;

    *refused = false;
    if (!gp_format(temporary, sizeof temporary, "%s.XXXXXX", path))
        return ENAMETOOLONG;
    fd = mkstemp(temporary);
    if (fd < 0) {
        *refused = errno == EACCES || errno == EPERM || errno == EROFS;
        return errno;
    }
    if (!write_all(fd, text, len) || !take_rights(fd, path) || fsync(fd) != 0)
        why = errno;
    if (close(fd) != 0 && !why)
        why = errno;
    if (!why && rename(temporary, path) != 0) {
        why = errno;
        *refused = why == EBUSY || why == EACCES || why == EPERM; /* mounted, or a sticky folder */
    }
    if (why)
        unlink(temporary);
    return why;
}

/* Through a descriptor that is open, or what the path opens; cut behind the text where it is a
 * file that is written anew. */
static int write_directly(const char *path, int descriptor, bool anew, const char *text, size_t len)
{
    int fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
                             : open(path, O_WRONLY | O_CLOEXEC | (anew ? 0 : O_APPEND));
    int why = 0;

    if (fd < 0)
        return errno;
    if (!write_all(fd, text, len) || (anew && (ftruncate(fd, (off_t)len) != 0 || fsync(fd) != 0)))
        why = errno;
    if (close(fd) != 0 && !why)
        why = errno;
    return why;
}

static enum gp_status write_file(const char *path, const char *text, size_t len, struct gp_err *err)
{
    char target[GP_PATH_MAX];
    bool refused = false;
    sigset_t before;
    int descriptor, why;
    struct stat st;

    if (!resolve_links(target, sizeof target, path, &descriptor))
        return gp_fail(err, GP_E_FILE, path, "", "too many links, or too long a name");
    if (descriptor != NO_DESCRIPTOR || (stat(target, &st) == 0 && !S_ISREG(st.st_mode))) {
        why = write_directly(target, descriptor, false, text, len);
    } else {
        path_hold_signals(&before);
        why = write_renamed(target, text, len, &refused);
        path_let_signals(&before);
    }
    if (refused && access(target, W_OK) == 0) {
        why = write_directly(target, NO_DESCRIPTOR, true, text, len);
        if (!why)
            gp_fail(err, GP_OK, target, "a run that is interrupted there leaves half a file",
                    "written in place: its folder does not let it be replaced");
    }
    errno = why;
    return why ? cannot_write(target, err) : GP_OK;
}

enum gp_status path_write(const char *path, const char *text, size_t len, struct gp_err *err)
{
    struct strbuf clean;

    if (strcmp(path, "-") == 0)
        return gp_out(text, len) ? GP_OK : cannot_write("standard output", err);
    if (gp_lines_are_clean(text, len))
        return write_file(path, text, len, err);
    strbuf_init(&clean); /* may be printed on a terminal */
    strbuf_addn(&clean, text, len);
    clean.len = gp_sanitize_lines(clean.text, clean.len);
    enum gp_status rc = write_file(path, clean.text, clean.len, err);
    strbuf_fini(&clean);
    return rc;
}

/* ---- listing ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
    char **names;
    size_t count, cap;
};

/* Dot files are editors' locks and copies, never profiles. */
static void keep_name(struct names *list, const char *name, const char *suffix)
{
    size_t len = strlen(name), tail = strlen(suffix);

    if (name[0] == '.' || len < tail || strcmp(name + len - tail, suffix) != 0)
        return;
    list->names = gp_grow(list->names, &list->cap, list->count + 1, sizeof *list->names);
    list->names[list->count++] = gp_strdup(name);
}

enum gp_status path_list(const char *dir, const char *suffix, char ***names, size_t *count,
                         struct gp_err *err)
{
    struct names list = {0};
    struct dirent *entry;
    const char *name;
    size_t at = 0;
    DIR *stream = NULL;
    enum gp_status rc = GP_OK;

    *names = NULL;
    *count = 0;
    if (is_builtin(dir)) {
        while ((name = next_builtin(dir, &at)) != NULL)
            if (strchr(name, '/') == NULL)
                keep_name(&list, name, suffix);
    } else {
        stream = opendir(dir);
        if (!stream && errno == ENOENT)
            return GP_OK;
        if (!stream)
            return gp_fail(err, GP_E_FILE, dir, "", "cannot list: %s", strerror(errno));
        while (errno = 0, (entry = readdir(stream)) != NULL) /* NULL is the end, or an error */
            keep_name(&list, entry->d_name, suffix);
        if (errno)
            rc = gp_fail(err, GP_E_FILE, dir, "", "cannot list: %s", strerror(errno));
        closedir(stream);
    }
    if (rc) {
        path_list_free(list.names, list.count);
        return rc;
    }
    if (list.count)
        qsort(list.names, list.count, sizeof *list.names, by_name);
    *names = list.names;
    *count = list.count;
    return GP_OK;
}

void path_list_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}
