/*
 * front_run.h - gpuplan.front/1: what speed costs (plan/front.h), over all GPUs and
 * precisions of a comparison; and how --compare --front prints it.
 */
#ifndef GP_ANSWER_FRONT_RUN_H
#define GP_ANSWER_FRONT_RUN_H

#include <stdbool.h>

#include "answer/planner.h"
#include "answer/print_plan.h"
#include "answer/record.h"
#include "base/err.h"

/* any: is there a point at all? */
enum gp_status report_front(struct planner *planner, const struct options *options,
                            struct record *doc, bool *any, struct gp_err *err);

/* quiet: without the words above and below the table. */
void print_front(const struct record *doc, enum output_format format, bool quiet,
                 struct strbuf *out);

#endif
