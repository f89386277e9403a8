/*
 * journal.c - appending results so that a crash, a signal or a full disk costs at most the one
 * being written, and reading them whatever state they were left in.
 *
 * A record goes out in one write() where the system takes it whole, then fdatasync(). When either
 * fails, the file is cut back to the end of the last record that is safe, so that the journal never
 * ends in half a line while the program still runs. The file is locked: two runs appending to one
 * journal would interleave their points.
 *
 * A line that is read counts when it is a whole JSON object that a result file could hold
 * (result_read). The torn tail of a killed run is expected and silent; any other bad line is
 * skipped, counted and named. The first line decides whether the file is a journal at all: a file
 * that is none is never cut or written to. Only when the text is the beginning of a header, torn,
 * is it taken for a run that died at once.
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
#include "measure/point/field.h"
#include "measure/point/protocol.h"
#include "measure/point/result.h"

#define JOURNAL_BYTES ((size_t)1 << 30)
#define RECORD_BYTES (PROTOCOL_LINE + 4096) /* an engine's line and what wraps it */

struct journal {
    int fd;
    char path[GP_PATH_MAX];
    off_t safe; /* bytes that are on disk and whole */
    int records;
};

/* ---- the fingerprint ---- */

static void copy_keys(json_t *to, const json_t *from, const char *const *keys)
{
    for (; *keys; keys++)
        if (json_object_get(from, *keys))
            json_object_set(to, *keys, json_object_get(from, *keys));
}

json_t *journal_fingerprint(const struct method_settings *settings, const char *plan_hash,
                            const json_t *hello, const json_t *const *device, int count)
{
    /* settings that change a figure, as the engine gets them */
    static const char *const setting_keys[] = {
        "rel_ci", "max_time", "min_time", "sample_time",     "warmup", "seed",      "max_memory",
        "fill",   "check",    "algos",    "workspace_bytes", "force",  "sensors_s", NULL};
    static const char *const engine_keys[] = {"engine", "version", "software", NULL};
    static const char *const device_keys[] = {"index", "name", "uuid",  "pci",
                                              "kind",  "cc",   "units", NULL};
    static const char *const driver_keys[] = {"cuda_driver", NULL};
    json_t *json = json_object(), *devices = json_array(), *kept = json_object();
    json_t *all = protocol_settings(settings, 0);

    json_object_set_new(json, "method_version", json_integer(METHOD_VERSION));
    json_object_set_new(json, "plan", gp_json_text(plan_hash));
    copy_keys(kept, all, setting_keys);
    json_decref(all);
    json_object_set_new(kept, "lock_clock", gp_json_number(settings->lock_clock));
    json_object_set_new(json, "settings", kept);
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();

        copy_keys(one, hello, engine_keys);
        copy_keys(one, device[i], device_keys);
        copy_keys(one, json_object_get(device[i], "more"), driver_keys);
        json_array_append_new(devices, one);
    }
    json_object_set_new(json, "devices", devices);
    return json;
}

/* As it would be written; "nothing" where there is none. */
static void value_text(const json_t *value, struct strbuf *text)
{
    strbuf_clear(text);
    if (value)
        gp_json_write(value, false, text);
    else
        strbuf_add(text, "nothing");
}

struct difference {
    char path[120];
    struct strbuf had, has;
};

/* The first place where two fingerprints differ, as a path. The values as they would be
 * written are what is compared: 0.1 that went through a file is 0.1 still. */
static bool find_difference(const json_t *had, const json_t *has, const char *path,
                            struct difference *out)
{
    bool lists = json_is_array(had) && json_is_array(has), differs = false;
    const char *key;
    json_t *value, *all;
    char at[120];

    if (had && has && json_equal(had, has))
        return false;
    if (json_is_object(had) && json_is_object(has)) {
        all = json_copy((json_t *)has); /* and what is in the other alone */
        json_object_update_missing(all, (json_t *)had);
        json_object_foreach(all, key, value)
        {
            gp_format(at, sizeof(at), "%s%s%s", path, *path ? "." : "", key);
            differs = differs || find_difference(json_object_get(had, key),
                                                 json_object_get(has, key), at, out);
        }
        json_decref(all);
        return differs;
    }
    if (lists && json_array_size(had) == json_array_size(has)) {
        for (size_t i = 0; i < json_array_size(had) && !differs; i++) {
            gp_format(at, sizeof(at), "%s[%zu]", path, i);
            differs = find_difference(json_array_get(had, i), json_array_get(has, i), at, out);
        }
        return differs;
    }
    value_text(had, &out->had);
    value_text(has, &out->has);
    if (had && has && strcmp(out->had.text, out->has.text) == 0)
        return false;
    gp_copy(out->path, sizeof(out->path), path);
    if (lists) {
        strbuf_clear(&out->had);
        strbuf_clear(&out->has);
        strbuf_addf(&out->had, "%zu entries", json_array_size(had));
        strbuf_addf(&out->has, "%zu", json_array_size(has));
    }
    return true;
}

static enum gp_status check_fingerprint(const char *where, const json_t *header,
                                        const json_t *fingerprint, struct gp_err *err)
{
    const json_t *had = json_object_get(header, "fingerprint");
    struct difference d;
    enum gp_status rc = GP_OK;

    strbuf_init(&d.had);
    strbuf_init(&d.has);
    if (fingerprint && find_difference(had, fingerprint, "", &d))
        rc = gp_fail(err, GP_E_FILE, where,
                     "give the same options on the same machine, or another --output",
                     "belongs to another run: %s was %.47s and is now %.47s",
                     *d.path ? d.path : "fingerprint", d.had.text, d.has.text);
    strbuf_fini(&d.had);
    strbuf_fini(&d.has);
    return rc;
}

/* ---- reading ---- */

void journal_read_fini(struct journal_read *read)
{
    json_decref(read->header);
    json_decref(read->records);
    read->header = read->records = NULL;
}

static enum gp_status not_a_journal(const char *where, const char *schema, struct gp_err *err)
{
    char at[192];

    gp_format(at, sizeof(at), "%s:1", where);
    if (schema && strncmp(schema, JOURNAL_SCHEMA, sizeof(JOURNAL_SCHEMA) - 2) == 0)
        return gp_fail(
            err, GP_E_FILE, at, "finish it with that version, or start over",
            "a journal of another version of gpuplan (%.40s, this one reads " JOURNAL_SCHEMA ")",
            schema);
    return gp_fail(err, GP_E_FILE, at, "--resume wants the .part file of a run",
                   "not a journal: the first line is not a " JOURNAL_SCHEMA " header");
}

static enum gp_status read_header(const char *where, const char *line, size_t len,
                                  struct journal_read *out, struct gp_err *err)
{
    json_t *header = NULL;
    const char *schema;

    if (len <= RECORD_BYTES)
        gp_json_parse(where, line, len, &header, NULL);
    schema = json_string_value(json_object_get(header, "schema"));
    if (!schema || strcmp(schema, JOURNAL_SCHEMA) != 0 ||
        !json_is_object(json_object_get(header, "fingerprint"))) {
        not_a_journal(where, schema, err);
        json_decref(header);
        return GP_E_FILE;
    }
    out->header = header;
    return GP_OK;
}

/* What a record has beside an engine's answer. */
static const struct field record_fields[] = {
    FIELD_AT(struct point_result, "device", device, .type = FIELD_INT, .is = FIELD_NEEDED,
             .high = 65535),
    {.name = "pass", .type = FIELD_INT, .is = FIELD_CHECKED, .high = 1000},
};

/* False and why not, when the line is not a record. */
static bool read_record(const char *line, size_t len, json_t *records, struct gp_err *why)
{
    struct reading r = {.where = "", .err = why};
    struct point_result result;
    json_t *record = NULL;

    if (len > RECORD_BYTES)
        return gp_fail(why, GP_E_FILE, "", "", "longer than %d bytes", (int)RECORD_BYTES) == GP_OK;
    if (gp_json_parse("", line, len, &record, why) != GP_OK) {
        why->where[0] = '\0';
        return false;
    }
    if (!json_is_object(record))
        reading_refuse(&r, "", "no record of a point");
    else if (fields_read(&r, FIELDS(record_fields), record, &result) &&
             result_read(&r, record, RESULT_ANSWER, &result))
        json_array_append(records, record);
    json_decref(record);
    return !r.status;
}

enum gp_status journal_parse(const char *where, const char *text, size_t len,
                             const json_t *fingerprint, struct journal_read *out,
                             struct gp_err *err)
{
    static const char start[] = "{\"schema\": \"" JOURNAL_SCHEMA "\"";
    const char *end = len ? memchr(text, '\n', len) : NULL;
    struct gp_err why;
    size_t at = 0;

    memset(out, 0, sizeof(*out));
    out->records = json_array();
    if (!end) { /* no line is whole; the header may be, when only its newline is missing */
        if (memcmp(text, start, len < sizeof(start) - 1 ? len : sizeof(start) - 1) != 0)
            return not_a_journal(where, NULL, err);
        out->unended = read_header(where, text, len, out, NULL) == GP_OK;
        out->torn = !out->unended && len > 0;
        out->good = out->unended ? len : 0;
        return out->header ? check_fingerprint(where, out->header, fingerprint, err) : GP_OK;
    }
    for (int number = 1; end; number++, end = at < len ? memchr(text + at, '\n', len - at) : NULL) {
        size_t line = (size_t)(end - (text + at));

        if (number == 1 && (read_header(where, text, line, out, err) != GP_OK ||
                            check_fingerprint(where, out->header, fingerprint, err) != GP_OK))
            return GP_E_FILE;
        if (number > 1 && !read_record(text + at, line, out->records, &why)) {
            out->skipped++;
            if (out->warning_count < JOURNAL_WARNINGS)
                gp_format(out->warning[out->warning_count++], sizeof(out->warning[0]),
                          "%s:%d: %s%s%s; the line is skipped", where, number, why.where,
                          why.where[0] ? " " : "", why.text);
        }
        at += line + 1;
        out->good = at;
    }
    /* what follows the last newline: a record without one, or the start of one */
    out->unended = at < len && read_record(text + at, len - at, out->records, &why);
    out->torn = at < len && !out->unended;
    out->good += out->unended ? len - at : 0;
    return GP_OK;
}

enum gp_status journal_load(const char *path, const json_t *fingerprint, struct journal_read *out,
                            struct gp_err *err)
{
    char *text = NULL;
    size_t len = 0;

    memset(out, 0, sizeof(*out));
    enum gp_status rc = path_read(path, JOURNAL_BYTES, &text, &len, err);
    if (rc != GP_OK)
        return rc;
    rc = journal_parse(path, text, len, fingerprint, out, err);
    free(text);
    return rc;
}

/* ---- writing ---- */

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

    strbuf_init(&line);
    gp_json_write(value, false, &line);
    strbuf_add(&line, "\n");
    bool ok = write_all(journal->fd, line.text, line.len) && sync_data(journal->fd);
    int why = errno;
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

    json_object_set_new(record, "device", json_integer(device));
    json_object_set_new(record, "pass", json_integer(pass));
    json_object_update_missing(record, (json_t *)point);
    json_object_del(record, "t"); /* of the line alone, as the index */
    json_object_del(record, "index");
    enum gp_status rc = append_line(journal, record, err);
    journal->records += rc == GP_OK;
    json_decref(record);
    return rc;
}

/* ---- opening ---- */

static struct journal *journal_new(int fd, const char *path)
{
    struct journal *journal = gp_calloc(1, sizeof(*journal));

    journal->fd = fd;
    gp_copy(journal->path, sizeof(journal->path), path);
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

    json_object_set_new(header, "schema", json_string(JOURNAL_SCHEMA));
    json_object_set(header, "fingerprint", (json_t *)fingerprint);
    if (run)
        json_object_set(header, "run", (json_t *)run);
    enum gp_status rc = append_line(journal, header, err);
    json_decref(header);
    return rc;
}

enum gp_status journal_create(const char *path, const json_t *fingerprint, const json_t *run,
                              struct journal **out, struct gp_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int why = errno;

    *out = NULL;
    if (fd < 0 && why == EEXIST && is_live(path))
        return report_locked(path, err);
    if (fd < 0)
        return cannot_open(path, why, err);
    struct journal *journal = journal_new(fd, path);
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
    enum gp_status rc;

    *out = NULL;
    memset(read, 0, sizeof(*read));
    if (fd < 0 && errno == ENOENT) {
        read->records = json_array();
        return journal_create(path, fingerprint, run, out, err);
    }
    if (fd < 0)
        return cannot_open(path, errno, err);
    struct journal *journal = journal_new(fd, path);
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
