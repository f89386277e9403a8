/*
 * runner_answer.h - may what an engine says of a point be kept?
 *
 * The lines are whole and in turn when they come here (runner_line.h). What is wrong
 * with the figures of one point spoils that point only: it becomes an error that names
 * the field, so that one odd value does not cost the result file. Refused are
 *
 *   what benchlog.h refuses to read in a file, by that very function
 *   the name of an algorithm or a flag that is not printable text
 *   a check or "valid" that is neither true nor false
 *   params.type that is not the plan's
 *   median, interval, least and most that are not those of the samples, and rates that
 * are not the plan's operations and bytes over the median (1e-6 apart)
 */
#ifndef GP_MEASURE_RUNNER_ANSWER_H
#define GP_MEASURE_RUNNER_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "measure/point/point.h"

/* Would a file with this point be read? False: `why` as below. */
bool answer_readable(const json_t *point, char *why, size_t size);

/* False: `why` names the field and what is wrong with it. */
bool answer_fit(const struct point *point, const json_t *line, char *why, size_t size);

/* The line that stands for an unfit one. */
json_t *answer_error(const struct point *point, const json_t *line, const char *why);

#endif
