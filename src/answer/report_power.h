/*
 * report_power.h - watts, energy and utilisation of a plan in gpuplan.plan/1.
 */
#ifndef GP_ANSWER_REPORT_POWER_H
#define GP_ANSWER_REPORT_POWER_H

#include "answer/record.h"
#include "plan/plan.h"

/* The object "power"; null where the data sheet gives no limit. */
void report_power(const struct plan *plan, struct record *doc);

/* What a load uses of a plan, and what that makes tokens cost, into "cost". */
void report_usage(const struct plan *plan, struct record *cost);

#endif
