/*
 * journal.c - appending results so that a crash, a signal or a full disk costs at most
 * the one being written.
 *
 * A record goes out in one write() where the system takes it whole, then fdatasync().
 * When either fails, the file is cut back to the end of the last record that is safe,
 * so that the journal never ends in half a line while the program still runs. The file
 * is locked: two runs appending to one journal would interleave their points.
 */
#include "measure/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "measure/point/protocol.h"

struct journal {
    int fd;
    char path[GP_PATH_MAX];
    off_t safe; /* bytes that are on disk and whole */
    int records;
};

/* ---- the fingerprint ------------------------------------------------------------- */

static void copy_keys(json_t *to, const json_t *from, const char *const *keys)
{
    for (; *keys; keys++) {
        json_t *value = json_object_get(from, *keys);

        if (value)
            json_object_set(to, *keys, value);
    }
}

/* As the engine gets them, but for what does not change a figure. */
static json_t *settings_json(const struct method_settings *s)
{
    static const char *const keys[] = {
        "rel_ci", "max_time", "min_time", "sample_time",     "warmup", "seed",      "max_memory",
        "fill",   "check",    "algos",    "workspace_bytes", "force",  "sensors_s", NULL};
    json_t *all = protocol_settings(s, 0), *json = json_object();

    copy_keys(json, all, keys);
    json_object_set_new(json, "lock_clock", gp_json_number(s->lock_clock));
    json_decref(all);
    return json;
}

json_t *journal_fingerprint(const struct method_settings *settings, const char *plan_hash,
                            const json_t *const *hello, const json_t *const *device, int count)
{
    static const char *const engine_keys[] = {"engine", "version", "software", NULL};
    static const char *const device_keys[] = {"index", "name", "uuid",  "pci",
                                              "kind",  "cc",   "units", NULL};
    static const char *const driver_keys[] = {"cuda_driver", NULL};
    json_t *json = json_object(), *devices = json_array();

    json_object_set_new(json, "method_version", json_integer(METHOD_VERSION));
    json_object_set_new(json, "plan", gp_json_text(plan_hash));
    json_object_set_new(json, "settings", settings_json(settings));
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();

        copy_keys(one, hello[i], engine_keys);
        copy_keys(one, device[i], device_keys);
        copy_keys(one, json_object_get(device[i], "more"), driver_keys);
        json_array_append_new(devices, one);
    }
    json_object_set_new(json, "devices", devices);
    return json;
}

/* ---- writing --------------------------------------------------------------------- */

static bool write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n < 0 ? errno : ENOSPC;
            return false;
        }
        text += n;
        len -= (size_t)n;
    }
    return true;
}

static bool sync_data(int fd)
{
    while (fdatasync(fd) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP; /* a pipe or odd filesystem */
    return true;
}

static enum gp_status cannot_write(const struct journal *journal, int why, struct gp_err *err)
{
    return gp_fail(err, GP_E_FILE, journal->path, "free some space, then continue with --resume",
                   "cannot write: %s; the %d results before this one are safe in it", strerror(why),
                   journal->records);
}

static enum gp_status append_line(struct journal *journal, const json_t *value, struct gp_err *err)
{
    struct strbuf line;
    bool ok;
    int why;

    strbuf_init(&line);
    gp_json_write(value, false, &line);
    strbuf_add(&line, "\n");
    ok = write_all(journal->fd, line.text, line.len) && sync_data(journal->fd);
    why = errno;
    if (ok) {
        journal->safe += (off_t)line.len;
    } else if (ftruncate(journal->fd, journal->safe) == 0) {
        lseek(journal->fd, journal->safe, SEEK_SET);
    }
    strbuf_fini(&line);
    return ok ? GP_OK : cannot_write(journal, why, err);
}

enum gp_status journal_add_point(struct journal *journal, int device, int pass, const json_t *point,
                                 struct gp_err *err)
{
    json_t *record = json_object();
    enum gp_status rc;

    json_object_set_new(record, "device", json_integer(device));
    json_object_set_new(record, "pass", json_integer(pass));
    json_object_set(record, "point", (json_t *)point);
    rc = append_line(journal, record, err);
    journal->records += rc == GP_OK;
    json_decref(record);
    return rc;
}

/* ---- opening --------------------------------------------------------------------- */

static struct journal *journal_new(int fd, const char *path)
{
    struct journal *journal = gp_calloc(1, sizeof *journal);

    journal->fd = fd;
    gp_copy(journal->path, sizeof journal->path, path);
    return journal;
}

/* False when another run holds it; where nothing can be locked there is no other. */
static bool lock_file(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static bool is_live(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool live = fd >= 0 && !lock_file(fd);

    if (fd >= 0)
        close(fd);
    return live;
}

static enum gp_status cannot_open(const char *path, int why, struct gp_err *err)
{
    if (why == EEXIST)
        return gp_fail(err, GP_E_FILE, path, "continue with --resume, or remove it to start over",
                       "a journal of an earlier run is there");
    return gp_fail(err, GP_E_FILE, path, "name another place with --output", "cannot write: %s",
                   strerror(why));
}

static enum gp_status report_locked(const char *path, struct gp_err *err)
{
    return gp_fail(err, GP_E_FILE, path, "wait for it, or name another --output",
                   "another run is writing this journal");
}

static enum gp_status write_header(struct journal *journal, const json_t *fingerprint,
                                   const json_t *run, struct gp_err *err)
{
    json_t *header = json_object();
    enum gp_status rc;

    json_object_set_new(header, "schema", json_string(JOURNAL_SCHEMA));
    json_object_set(header, "fingerprint", (json_t *)fingerprint);
    if (run)
        json_object_set(header, "run", (json_t *)run);
    rc = append_line(journal, header, err);
    json_decref(header);
    return rc;
}

enum gp_status journal_create(const char *path, const json_t *fingerprint, const json_t *run,
                              struct journal **out, struct gp_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int why = errno;
    struct journal *journal;

    *out = NULL;
    if (fd < 0 && why == EEXIST && is_live(path))
        return report_locked(path, err);
    if (fd < 0)
        return cannot_open(path, why, err);
    journal = journal_new(fd, path);
    if (!lock_file(fd)) {
        journal_close(journal, false);
        return report_locked(path, err);
    }
    if (write_header(journal, fingerprint, run, err) != GP_OK) {
        journal_close(journal, true);
        return GP_E_FILE;
    }
    *out = journal;
    return GP_OK;
}

/* Behind the last whole line: a torn rest is cut off, a missing newline added, a
 * header that never got written is written. */
static enum gp_status continue_journal(struct journal *journal, const struct journal_read *read,
                                       const json_t *fingerprint, const json_t *run,
                                       struct gp_err *err)
{
    journal->safe = (off_t)read->good;
    journal->records = (int)json_array_size(read->records);
    if ((read->torn && ftruncate(journal->fd, journal->safe) != 0) ||
        lseek(journal->fd, journal->safe, SEEK_SET) < 0)
        return cannot_write(journal, errno, err);
    if (!read->header)
        return write_header(journal, fingerprint, run, err);
    if (!read->unended)
        return GP_OK;
    if (!write_all(journal->fd, "\n", 1) || !sync_data(journal->fd))
        return cannot_write(journal, errno, err);
    journal->safe++;
    return GP_OK;
}

enum gp_status journal_header(const char *path, json_t **header, struct gp_err *err)
{
    struct journal_read read;
    enum gp_status rc;

    *header = NULL;
    if (is_live(path))
        return report_locked(path, err);
    if ((rc = journal_load(path, NULL, &read, err)) == GP_OK)
        *header = json_incref(read.header);
    journal_read_fini(&read);
    return rc;
}

enum gp_status journal_resume(const char *path, const json_t *fingerprint, const json_t *run,
                              struct journal_read *read, struct journal **out, struct gp_err *err)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct journal *journal;
    enum gp_status rc;

    *out = NULL;
    memset(read, 0, sizeof *read);
    if (fd < 0 && errno == ENOENT) {
        read->records = json_array();
        return journal_create(path, fingerprint, run, out, err);
    }
    if (fd < 0)
        return cannot_open(path, errno, err);
    journal = journal_new(fd, path);
    if (!lock_file(fd))
        rc = report_locked(path, err);
    else
        rc = journal_load(path, fingerprint, read, err);
    if (rc == GP_OK)
        rc = continue_journal(journal, read, fingerprint, run, err);
    if (rc != GP_OK) {
        journal_close(journal, false);
        return rc;
    }
    *out = journal;
    return GP_OK;
}

int journal_records(const struct journal *journal)
{
    return journal->records;
}

void journal_close(struct journal *journal, bool remove)
{
    if (!journal)
        return;
    if (remove)
        unlink(journal->path);
    close(journal->fd);
    free(journal);
}
