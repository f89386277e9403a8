/*
 * report.h - answers as records, which become JSON (gpuplan.plan/1, gpuplan.error/1).
 *
 * Memory is in GiB, money in dollars, tokens in tokens; every quantity says value, low,
 * high, unit and origin; what is not known is null. Schemas only grow within a version.
 */
#ifndef GP_ANSWER_REPORT_H
#define GP_ANSWER_REPORT_H

#include "answer/planner.h"
#include "answer/record.h"
#include "base/err.h"
#include "plan/terms.h"

/* brief leaves out who said what of the model, GPU and engine: a fifth of the bytes. */
void report_plan(const struct answer *answer, const struct options *options, bool why, bool brief,
                 struct record *doc);

/* What its machines cost, and with `tokens` per token served. */
void report_cost(const struct plan *plan, bool tokens, struct record *doc);

/* The list `why`, as --why prints it. */
void report_terms(const struct term *terms, int count, struct record *doc);

void report_error(const struct gp_err *err, struct record *doc);

#endif
