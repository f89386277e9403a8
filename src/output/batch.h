/*
 * batch.h - one line of --batch: a JSON object of options in, an answer as JSON out.
 */
#ifndef GP_OUTPUT_BATCH_H
#define GP_OUTPUT_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "request/planner.h"
#include "util/str.h"

#define BATCH_LINE_MAX (1 << 20) /* bytes of one request */

/* Appends one line of JSON, gpuplan.plan/1 or gpuplan.error/1, to out. False for the
 * latter. where and line name the request in errors. */
bool batch_answer(struct planner *planner, const char *where, long line, const char *text,
                  size_t len, struct strbuf *out);

/* A request that was read: its ask borrows texts from it. */
struct batch_request {
    struct options options;
    void *json; /* owned */
};

/* Reads one line without answering it; batch_fini() also after an error. */
enum gp_status batch_read(const char *where, long line, const char *text, size_t len,
                          struct batch_request *out, struct gp_err *err);
void batch_fini(struct batch_request *request);

/* The line that reads back to this ask: {"model": "70B", "users": 16}. */
void batch_write(const struct options *options, struct strbuf *out);

#endif
