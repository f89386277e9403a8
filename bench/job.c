/* job.c - see job.h. */
#include "bench/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "measure/point/field.h"
#include "measure/point/protocol.h"

#define READ_AT_ONCE 65536

static const struct field job_fields[] = {
    FIELD_AT(struct job, "progress_s", progress_s, .type = FIELD_NUMBER, .low = 0.001, .high = 60),
};

void job_init(struct job *job)
{
    *job = (struct job){.settings = method_preset(PRESET_NORMAL), .progress_s = 0.5};
}

void job_fini(struct job *job)
{
    free(job->points);
    job->points = NULL;
    job->count = job->cap = 0;
}

static enum gp_status do_settings(struct job *job, const json_t *json, const char *where,
                                  struct gp_err *err)
{
    struct reading r = {.where = where, .err = err};

    if (job->settled)
        return gp_fail(err, GP_E_FILE, where, "", "settings came twice");
    enum gp_status rc = protocol_read_settings(json, where, &job->settings, &job->device, err);
    if (rc == GP_OK)
        fields_read(&r, FIELDS(job_fields), json, job);
    rc = rc ? rc : r.status;
    job->settled = rc == GP_OK;
    return rc;
}

static enum gp_status do_point(struct job *job, const json_t *json, const char *where,
                               struct gp_err *err)
{
    const json_t *index = json_object_get(json, "index");
    struct job_point made;

    if (!job->settled)
        return gp_fail(err, GP_E_FILE, where, "", "settings must come first");
    if (job->count >= JOB_POINTS_MAX)
        return gp_fail(err, GP_E_FILE, where, "", "more than %d points", JOB_POINTS_MAX);
    if (!json_is_integer(index) || json_integer_value(index) < 0 ||
        json_integer_value(index) >= JOB_POINTS_MAX)
        return gp_fail(err, GP_E_FILE, where, "", "index is not a point's number");
    made.index = (int)json_integer_value(index);
    enum gp_status rc = point_from_json(json_object_get(json, "point"), where, &made.point, err);
    if (rc != GP_OK)
        return rc;
    job->points = gp_grow(job->points, &job->cap, job->count + 1, sizeof *job->points);
    job->points[job->count++] = made;
    return GP_OK;
}

static enum gp_status take_verb(struct job *job, const json_t *json, const char *where,
                                struct gp_err *err)
{
    const char *word = json_string_value(json_object_get(json, "do"));

    if (!word)
        return gp_fail(err, GP_E_FILE, where, "", "no object with a word \"do\"");
    if (strcmp(word, "stop") == 0) {
        job->stop = true;
    } else if (job->run) {
        job->go = job->go || strcmp(word, "go") == 0;
    } else if (strcmp(word, "settings") == 0) {
        return do_settings(job, json, where, err);
    } else if (strcmp(word, "point") == 0) {
        return do_point(job, json, where, err);
    } else if (strcmp(word, "run") == 0) {
        if (!job->settled)
            return gp_fail(err, GP_E_FILE, where, "", "settings must come first");
        job->wait = json_is_true(json_object_get(json, "wait"));
        job->run = true;
    }
    return GP_OK; /* another is of a later protocol */
}

enum gp_status job_line(struct job *job, const char *text, size_t len, struct gp_err *err)
{
    bool late = job->run; /* nothing that comes now may end the measurement */
    json_t *json = NULL;
    char where[32];

    gp_format(where, sizeof where, "plan:%d", ++job->lines);
    if (len > PROTOCOL_LINE && !late)
        return gp_fail(err, GP_E_FILE, where, "", "longer than %d bytes", PROTOCOL_LINE);
    if (len == 0 || len > PROTOCOL_LINE)
        return GP_OK;
    enum gp_status rc = gp_json_parse(where, text, len, &json, err);
    if (rc == GP_OK)
        rc = take_verb(job, json, where, err);
    json_decref(json);
    return late ? GP_OK : rc;
}

/* ---- lines of a stream ---- */

void line_reader_init(struct line_reader *reader, int fd)
{
    *reader = (struct line_reader){.fd = fd};
}

void line_reader_fini(struct line_reader *reader)
{
    free(reader->text);
    reader->text = NULL;
}

/* More bytes after those there are; false at the end, or on a signal. */
static bool read_more(struct line_reader *reader)
{
    reader->text = gp_grow(reader->text, &reader->cap, reader->len + READ_AT_ONCE, 1);
    ssize_t got = read(reader->fd, reader->text + reader->len, READ_AT_ONCE);
    if (got > 0)
        reader->len += (size_t)got;
    else if (got == 0 || errno != EINTR)
        reader->eof = true;
    return got > 0;
}

const char *line_reader_next(struct line_reader *reader, size_t *len)
{
    size_t searched = 0;
    char *end;

    if (reader->used) {
        reader->len -= reader->used;
        memmove(reader->text, reader->text + reader->used, reader->len);
        reader->used = 0;
    }
    for (;;) {
        end = reader->len > searched ? memchr(reader->text + searched, '\n', reader->len - searched)
                                     : NULL;
        if (end)
            break;
        searched = reader->len;
        reader->too_long = reader->len > PROTOCOL_LINE;
        if (reader->too_long || reader->eof || !read_more(reader))
            return NULL;
    }
    *len = (size_t)(end - reader->text);
    reader->used = *len + 1;
    return reader->text;
}
