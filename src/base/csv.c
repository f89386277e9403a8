/*
 * csv.c - see csv.h.
 *
 * A record is copied into one buffer, each field terminated by a NUL; positions become
 * pointers only when the record is complete, because the buffer may move until then.
 */
#include "base/csv.h"

#include <string.h>

void csv_init(struct csv *csv, const char *name, const char *text, size_t len)
{
    memset(csv, 0, sizeof *csv);
    csv->name = name;
    csv->at = text;
    csv->end = text + len;
    csv->next_line = 1;
    strbuf_init(&csv->buf);
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        csv->at += 3; /* a byte order mark is not part of the first name */
}

void csv_fini(struct csv *csv)
{
    strbuf_fini(&csv->buf);
}

static enum gp_status refuse_record(const struct csv *csv, const char *text, struct gp_err *err)
{
    char where[192];

    gp_format(where, sizeof where, "%s:%d", csv->name, csv->line);
    return gp_fail(err, GP_E_FILE, where, "", "%s", text);
}

static enum gp_status csv_quoted(struct csv *csv, struct gp_err *err)
{
    for (csv->at++; csv->at < csv->end; csv->at++) {
        if (*csv->at == '"' && csv->at + 1 < csv->end && csv->at[1] == '"')
            csv->at++;
        else if (*csv->at == '"') {
            csv->at++;
            return GP_OK;
        }
        if (*csv->at == '\n')
            csv->next_line++;
        strbuf_addn(&csv->buf, csv->at, 1);
        if (csv->buf.len > CSV_RECORD_MAX)
            return refuse_record(csv, "a quoted field is never closed", err);
    }
    return refuse_record(csv, "a quoted field is never closed", err);
}

static bool line_end(const struct csv *csv)
{
    if (csv->at >= csv->end || *csv->at == '\n')
        return true;
    return *csv->at == '\r' && (csv->at + 1 >= csv->end || csv->at[1] == '\n');
}

static enum gp_status one_field(struct csv *csv, struct gp_err *err)
{
    const char *start = csv->at;

    if (csv->at < csv->end && *csv->at == '"') {
        enum gp_status rc = csv_quoted(csv, err);

        if (rc != GP_OK)
            return rc;
        if (!line_end(csv) && *csv->at != ',')
            return refuse_record(csv, "text follows a closing quote", err);
        return GP_OK;
    }
    while (!line_end(csv) && *csv->at != ',' && csv->at - start <= CSV_RECORD_MAX)
        csv->at++;
    strbuf_addn(&csv->buf, start, (size_t)(csv->at - start));
    return csv->buf.len > CSV_RECORD_MAX ? refuse_record(csv, "a line is too long", err) : GP_OK;
}

static void skip_line_end(struct csv *csv)
{
    if (csv->at < csv->end && *csv->at == '\r')
        csv->at++;
    if (csv->at < csv->end && *csv->at == '\n') {
        csv->at++;
        csv->next_line++;
    }
}

static enum gp_status csv_record(struct csv *csv, struct gp_err *err)
{
    size_t offset[CSV_FIELDS_MAX];

    strbuf_clear(&csv->buf);
    csv->count = 0;
    for (;;) {
        if (csv->count == CSV_FIELDS_MAX)
            return refuse_record(csv, "has more than 64 fields", err);
        offset[csv->count++] = csv->buf.len;
        enum gp_status rc = one_field(csv, err);
        if (rc != GP_OK)
            return rc;
        strbuf_addn(&csv->buf, "", 1); /* the terminator */
        if (line_end(csv))
            break;
        csv->at++; /* the comma */
    }
    for (size_t i = 0; i < csv->count; i++)
        csv->field[i] = csv->buf.text + offset[i];
    skip_line_end(csv);
    return GP_OK;
}

enum gp_status csv_next(struct csv *csv, bool *more, struct gp_err *err)
{
    while (csv->at < csv->end && line_end(csv))
        skip_line_end(csv);
    *more = csv->at < csv->end;
    csv->line = csv->next_line;
    if (*more && csv->count == 0 && /* once, before the first record */
        memchr(csv->at, '\0', (size_t)(csv->end - csv->at)) != NULL)
        return refuse_record(csv, "holds a NUL byte: not a text file", err);
    return *more ? csv_record(csv, err) : GP_OK;
}
