/*
 * plan_check.h - a saved plan against the same request answered today: --check-plan.
 *
 * A saved answer (gpuplan.plan/1, or gpuplan.train/1 of --train) gives its options by its `request`
 * and what was chosen, which stays chosen, by its `layout`. An open version range ("vllm@0.33+")
 * asks for the newest one, a closed one for itself. Keys that are no option are left out.
 *
 *   fit     it fitted, and is marginal or does not fit; or was marginal and does not fit
 *   goal    a goal of speed was met, and is missed
 *   budget  it costs more than `tolerance` more per hour than it did, has no price any
 *           more, or exceeds the budget that was asked for
 */
#ifndef GP_ANSWER_PLAN_CHECK_H
#define GP_ANSWER_PLAN_CHECK_H

#include <stdbool.h>

#include "answer/record.h"
#include "answer/request_line.h"

#define PLAN_CHECK_BYTES (4 << 20) /* of a saved plan */

/* out->json: the saved answer. request_line_fini() also after an error. */
enum gp_status plan_check_read(const char *where, const char *text, size_t len,
                               struct request_line *out, struct gp_err *err);

/* gpuplan.check-plan/1 of a saved answer and the text of today's; tolerance: a share, 0.05. */
void plan_check(const struct json_t *saved, const struct strbuf *text, const char *file,
                double tolerance, struct record *doc);

#endif
