/*
 * journal.h - what was measured, on disk before the next point begins.
 *
 * A journal is a text file of JSON lines. The first is the header with a fingerprint (devices,
 * software, settings, method version, hash of the plan); each other line is one record, a finished
 * point as a result file has it (point/result.h), written whole and fdatasync'ed. "run" (may be NULL for these functions) is what the caller
 * wants back to go on:
 *
 *   {"schema": "gpuplan.journal/2", "fingerprint": {...}, "run": {...}}
 *   {"device": 0, "pass": 0, "id": "...", "state": "ok", "time_s": {...}, ...}
 *
 * A run that is killed at any byte loses at most the record being written. Reading forgives a torn
 * last line (it is cut off; a whole one that only lacks its newline counts), skips other corrupt
 * lines with a warning that names file and line, and refuses a fingerprint that is not this run's,
 * naming the first field that differs. When the disk is full, the part of the line that was written
 * is taken back, and the error says how many results are safe; adding may be tried again.
 */
#ifndef GP_MEASURE_JOURNAL_H
#define GP_MEASURE_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "measure/point/method.h"

#define JOURNAL_SCHEMA "gpuplan.journal/2"
#define JOURNAL_WARNINGS 16

struct journal;

/* What a journal holds. */
struct journal_read {
    json_t *header;                      /* NULL: the run died before its first line was whole */
    json_t *records;                     /* array, in the order written */
    size_t good;                         /* bytes up to the end of the last whole line */
    bool unended;                        /* the last record lacks its newline */
    bool torn;                           /* bytes after `good` are the start of a record */
    char warning[JOURNAL_WARNINGS][240]; /* "run.part:7: ..." */
    int warning_count;                   /* shown; skipped counts all */
    int skipped;                         /* lines that are not records */
};

/* The fingerprint of a run: settings and method version, the plan's hash, and what the engine said
 * of itself and its devices (hello and device lines, borrowed). What changes between two runs on
 * one machine (free memory, clocks) is not in it. */
json_t *journal_fingerprint(const struct method_settings *settings, const char *plan_hash,
                            const json_t *hello, const json_t *const *device, int count);

/* Parses a journal. GP_E_FILE when it is none, or when fingerprint (may be NULL) is not the
 * header's. *out always wants journal_read_fini. */
enum gp_status journal_parse(const char *where, const char *text, size_t len,
                             const json_t *fingerprint, struct journal_read *out,
                             struct gp_err *err);
enum gp_status journal_load(const char *path, const json_t *fingerprint, struct journal_read *out,
                            struct gp_err *err);
void journal_read_fini(struct journal_read *read);

/* Starts a new journal; refuses a file that is there (resume or remove it). */
enum gp_status journal_create(const char *path, const json_t *fingerprint, const json_t *run,
                              struct journal **out, struct gp_err *err);
/* Reads one and goes on after its last whole line. A file that is missing is created. */
enum gp_status journal_resume(const char *path, const json_t *fingerprint, const json_t *run,
                              struct journal_read *read, struct journal **out, struct gp_err *err);
/* Its header, for the caller; NULL: the run died before it was whole. Refused while another run
 * writes it. */
enum gp_status journal_header(const char *path, json_t **header, struct gp_err *err);

/* Appends a point that an engine reported, on disk when it returns GP_OK. */
enum gp_status journal_add_point(struct journal *journal, int device, int pass, const json_t *point,
                                 struct gp_err *err);

int journal_records(const struct journal *journal); /* safe on disk */
/* Closes; with remove the file is deleted (its results are in the final file). */
void journal_close(struct journal *journal, bool remove);

#endif
