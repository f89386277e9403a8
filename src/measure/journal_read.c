/*
 * journal_read.c - reading a journal that a crash, a full disk or an editor may have
 * left in any state.
 *
 * A line counts when it is a whole JSON object with a "point" that has an id and a
 * state, and that a result file could hold. The torn tail of a killed run is expected and
 * silent (torn); any other bad line is skipped, counted and named. The first line decides
 * whether the file is a journal at all: a file that is none is never cut or written to.
 * Only when the text is the beginning of a header, torn, is it taken for a run that died
 * at once.
 */
#include "measure/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "measure/point/point.h"
#include "measure/point/protocol.h"
#include "measure/runner_answer.h"

#define JOURNAL_BYTES ((size_t)1 << 30)
#define PASS_MAX 1000
#define DEVICE_MAX 65535
#define RECORD_BYTES (PROTOCOL_LINE + 4096) /* an engine's line and what wraps it */

static const char head_start[] = "{\"schema\": \"" JOURNAL_SCHEMA "\"";

void journal_read_fini(struct journal_read *read)
{
    json_decref(read->header);
    json_decref(read->records);
    read->header = read->records = NULL;
}

static void warn_of_line(struct journal_read *read, const char *where, int line, const char *text)
{
    read->skipped++;
    if (read->warning_count == JOURNAL_WARNINGS)
        return;
    gp_format(read->warning[read->warning_count++], sizeof read->warning[0],
              "%s:%d: %s; the line is skipped", where, line, text);
}

/* ---- the fingerprint ------------------------------------------------------------- */

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

static bool find_difference(const json_t *had, const json_t *has, const char *path,
                            struct difference *out);

/* In what two objects, or two lists of one length, hold. */
static bool find_inside(const json_t *had, const json_t *has, const char *path,
                        struct difference *out)
{
    const char *key;
    json_t *value;
    char at[120];
    size_t i;

    json_object_foreach((json_t *)has, key, value)
    {
        gp_format(at, sizeof at, "%s%s%s", path, *path ? "." : "", key);
        if (find_difference(json_object_get(had, key), value, at, out))
            return true;
    }
    json_object_foreach((json_t *)had, key, value)
    {
        gp_format(at, sizeof at, "%s%s%s", path, *path ? "." : "", key);
        if (!json_object_get(has, key) && find_difference(value, NULL, at, out))
            return true;
    }
    json_array_foreach(had, i, value)
    {
        gp_format(at, sizeof at, "%s[%zu]", path, i);
        if (find_difference(value, json_array_get(has, i), at, out))
            return true;
    }
    return false;
}

/* The first place where two fingerprints differ, as a path. The values as they would be
 * written are what is compared: 0.1 that went through a file is 0.1 still. */
static bool find_difference(const json_t *had, const json_t *has, const char *path,
                            struct difference *out)
{
    bool lists = json_is_array(had) && json_is_array(has);

    if (had && has && json_equal(had, has))
        return false;
    if ((json_is_object(had) && json_is_object(has)) ||
        (lists && json_array_size(had) == json_array_size(has)))
        return find_inside(had, has, path, out);
    value_text(had, &out->had);
    value_text(has, &out->has);
    if (had && has && strcmp(out->had.text, out->has.text) == 0)
        return false;
    gp_copy(out->path, sizeof out->path, path);
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

/* ---- lines ----------------------------------------------------------------------- */

static enum gp_status not_a_journal(const char *where, struct gp_err *err)
{
    char at[192];

    gp_format(at, sizeof at, "%s:1", where);
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
        json_decref(header);
        return not_a_journal(where, err);
    }
    out->header = header;
    return GP_OK;
}

static bool is_pass(const json_t *record)
{
    const json_t *pass = json_object_get(record, "pass");

    return !pass || (json_is_integer(pass) && json_integer_value(pass) >= 0 &&
                     json_integer_value(pass) <= PASS_MAX);
}

/* NULL and why not in `why`, when the line is not a record. */
static json_t *read_record(const char *line, size_t len, char *why, size_t size)
{
    json_t *record = NULL;
    const json_t *point, *device;
    struct gp_err err;

    if (len > RECORD_BYTES) {
        gp_format(why, size, "longer than %d bytes", (int)RECORD_BYTES);
        return NULL;
    }
    if (gp_json_parse("", line, len, &record, &err) != GP_OK) {
        gp_copy(why, size, err.text);
        return NULL;
    }
    point = json_object_get(record, "point");
    device = json_object_get(record, "device");
    if (json_is_integer(device) && json_integer_value(device) >= 0 &&
        json_integer_value(device) <= DEVICE_MAX && is_pass(record) &&
        json_is_string(json_object_get(point, "id")) &&
        json_is_string(json_object_get(point, "state"))) {
        if (answer_readable(point, why, size))
            return record;
    } else {
        gp_copy(why, size, "no record of a point (device, pass, point.id, point.state)");
    }
    json_decref(record);
    return NULL;
}

static void take_line(const char *where, int number, const char *line, size_t len,
                      struct journal_read *out)
{
    char why[160];
    json_t *record = read_record(line, len, why, sizeof why);

    if (record)
        json_array_append_new(out->records, record);
    else
        warn_of_line(out, where, number, why);
}

/* What follows the last newline: a record without one, or the start of one. */
static void take_tail(const char *tail, size_t len, struct journal_read *out)
{
    char why[160];
    json_t *record = len ? read_record(tail, len, why, sizeof why) : NULL;

    if (record) {
        json_array_append_new(out->records, record);
        out->good += len;
        out->unended = true;
    } else {
        out->torn = len > 0;
    }
}

/* The text is the start of a header and nothing else. */
static bool torn_header(const char *text, size_t len)
{
    size_t n = sizeof head_start - 1;

    return memcmp(text, head_start, len < n ? len : n) == 0;
}

/* No line is whole. The header may be, when only its newline is missing. */
static enum gp_status parse_first(const char *where, const char *text, size_t len,
                                  struct journal_read *out, struct gp_err *err)
{
    if (!torn_header(text, len))
        return not_a_journal(where, err);
    if (read_header(where, text, len, out, NULL) == GP_OK) {
        out->good = len;
        out->unended = true;
    } else {
        out->torn = len > 0;
    }
    return GP_OK;
}

enum gp_status journal_parse(const char *where, const char *text, size_t len,
                             const json_t *fingerprint, struct journal_read *out,
                             struct gp_err *err)
{
    const char *end = len ? memchr(text, '\n', len) : NULL;
    size_t at = 0;
    int number = 0;

    memset(out, 0, sizeof *out);
    out->records = json_array();
    if (!end) {
        enum gp_status rc = parse_first(where, text, len, out, err);

        return rc != GP_OK || !out->header
                   ? rc
                   : check_fingerprint(where, out->header, fingerprint, err);
    }
    for (; end; end = at < len ? memchr(text + at, '\n', len - at) : NULL) {
        size_t line = (size_t)(end - (text + at));

        if (number++ > 0)
            take_line(where, number, text + at, line, out);
        else if (read_header(where, text, line, out, err) != GP_OK ||
                 check_fingerprint(where, out->header, fingerprint, err) != GP_OK)
            return GP_E_FILE;
        at += line + 1;
        out->good = at;
    }
    take_tail(text + at, len - at, out);
    return GP_OK;
}

enum gp_status journal_load(const char *path, const json_t *fingerprint, struct journal_read *out,
                            struct gp_err *err)
{
    char *text = NULL;
    size_t len = 0;
    enum gp_status rc;

    memset(out, 0, sizeof *out);
    rc = path_read(path, JOURNAL_BYTES, &text, &len, err);
    if (rc != GP_OK)
        return rc;
    rc = journal_parse(path, text, len, fingerprint, out, err);
    free(text);
    return rc;
}
