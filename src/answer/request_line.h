/*
 * request_line.h - a request as one line of JSON, the options by their long names:
 *
 *   {"model": "70B", "users": 16, "max_num_seqs": 32}
 *
 * What --batch reads line by line. Dashes become underscores; "id" is
 * the caller's own; options that say how an answer is printed are refused.
 */
#ifndef GP_ANSWER_REQUEST_LINE_H
#define GP_ANSWER_REQUEST_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/option.h"
#include "answer/planner.h"
#include "answer/record.h"
#include "base/err.h"
#include "base/str.h"

#define REQUEST_LINE_MAX (1 << 20) /* bytes of one line */
#define SAVED_PLAN_BYTES (4 << 20)

struct request_line {
    struct options options; /* borrows texts from json */
    struct json_t *json;    /* owned; the line as it was read, NULL when it is no JSON */
};

/* where and line name the request in errors. request_line_fini() also after an error. */
enum gp_status request_line_read(const char *where, long line, const char *text, size_t len,
                                 struct request_line *out, struct gp_err *err);
/* The options that ask for a saved gpuplan.plan/1 or gpuplan.train/1 again: those of its `request`,
 * and what was chosen, which stays chosen, by its `layout`. out->json: the saved answer. */
enum gp_status request_line_saved(const char *where, const char *text, size_t len,
                                  struct request_line *out, struct gp_err *err);
void request_line_fini(struct request_line *line);

/* An error about an option of the command line ("--max-num-seqs"), told of the request
 * at `place`: "FILE:7: max_num_seqs". */
void request_line_place(struct gp_err *err, const char *place);

/* The line that reads back to these options. */
void request_line_write(const struct options *options, struct strbuf *out);

/* Appends one line of JSON, gpuplan.plan/1, gpuplan.train/1 or gpuplan.error/1, to
 * out. False for the last. where and line name the request in errors. row: in place of
 * gpuplan.plan/1 gpuplan.row/1, for which nothing but the plan is sought. */
bool batch_answer(struct planner *planner, const char *where, long line, const char *text,
                  size_t len, bool row, struct strbuf *out);

/* The answer of a request as gpuplan.plan/1 or gpuplan.train/1; brief: report.h. place names the
 * request in errors. */
enum gp_status batch_report(struct planner *planner, const struct options *options,
                            const char *place, bool brief, struct record *doc, struct gp_err *err);

#endif
