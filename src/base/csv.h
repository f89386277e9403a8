/*
 * csv.h - RFC 4180 records from a text in memory, with line numbers.
 *
 * Quoted fields may hold commas, line ends and doubled quotes. LF, CRLF and a missing
 * last line end are all read. Fields are decoded into the reader's own buffer and live
 * until the next record.
 */
#ifndef GP_BASE_CSV_H
#define GP_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define CSV_FIELDS_MAX 64
#define CSV_RECORD_MAX 65536 /* bytes of one record */

struct csv {
    const char *name; /* for messages */
    const char *at, *end;
    int line; /* of the record last read */
    int next_line;
    size_t count; /* fields of the record */
    const char *field[CSV_FIELDS_MAX];
    struct strbuf buf;
};

void csv_init(struct csv *csv, const char *name, const char *text, size_t len);
void csv_fini(struct csv *csv);

/* Reads the next record that is not an empty line; *more is false at the end. */
enum gp_status csv_next(struct csv *csv, bool *more, struct gp_err *err);

#endif
