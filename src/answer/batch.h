/*
 * batch.h - one line of --batch: a request (request_line.h) in, an answer as JSON out.
 */
#ifndef GP_ANSWER_BATCH_H
#define GP_ANSWER_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/planner.h"
#include "answer/record.h"
#include "base/str.h"

/* Appends one line of JSON, gpuplan.plan/1, gpuplan.train/1 or gpuplan.error/1, to
 * out. False for the last. where and line name the request in errors. */
bool batch_answer(struct planner *planner, const char *where, long line, const char *text,
                  size_t len, struct strbuf *out);

/* The answer of a request as gpuplan.plan/1 or gpuplan.train/1; brief: report.h. place names the
 * request in errors. */
enum gp_status batch_report(struct planner *planner, const struct options *options,
                            const char *place, bool brief, struct record *doc, struct gp_err *err);

#endif
