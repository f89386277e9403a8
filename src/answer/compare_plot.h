/*
 * compare_plot.h - the rows of a comparison as points: what each costs against what it
 * gives, and which of them are on the front (plan/compare.h).
 *
 * Without goals of speed it is dollars per hour against requests held, with goals against
 * dollars per million output tokens: what the front is of. A row that has no price or does
 * not fit has no point.
 */
#ifndef GP_ANSWER_COMPARE_PLOT_H
#define GP_ANSWER_COMPARE_PLOT_H

#include <stdbool.h>

#include "answer/compare_run.h"
#include "answer/memory_curve.h"
#include "answer/plot.h"

/* Series '*' is the front, 'o' what is not on it, 'P' the plan itself. False: there is no
 * point, and words say so. */
bool compare_plot(const struct comparison *comparison, const struct plan *own, struct plot *plot,
                  char words[CURVE_WORDS]);
#endif
