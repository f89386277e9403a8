/*
 * report.h - answers as JSON (gpuplan.plan/1, gpuplan.error/1).
 *
 * Memory is in GiB, money in dollars, tokens in tokens; every quantity says value, low,
 * high, unit and origin; what is not known is null. Schemas only grow within a version.
 */
#ifndef GP_OUTPUT_REPORT_H
#define GP_OUTPUT_REPORT_H

#include <jansson.h>

#include "core/explain.h"
#include "request/planner.h"
#include "util/err.h"

/* {"value": 32.9, "low": 32.9, "high": 32.9, "unit": "GiB", "origin": "exact"} or null.
 * divide turns the SI value into the unit. */
json_t *report_quantity(struct quantity q, double divide, const char *unit);

/* One term of --why. */
json_t *report_term(const struct term_why *term);

/* brief leaves out who said what of the model, GPU and engine: a fifth of the bytes. */
json_t *report_plan(const struct answer *answer, const struct options *options,
                    bool why, bool brief);
json_t *report_error(const struct gp_err *err);

#endif
