/*
 * plan_check.h - a saved plan against the same request answered today: --check-plan.
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

struct json_t;

/* gpuplan.check-plan/1 of two gpuplan.plan/1 or two gpuplan.train/1; text: today's;
 * *broke: one of the three did. tolerance: a share, 0.05. */
void plan_check(const struct json_t *saved, const struct strbuf *text, const char *file,
                double tolerance, struct record *doc, bool *broke);

/* The same for people. */
void plan_check_text(const struct record *doc, struct strbuf *out);

#endif
