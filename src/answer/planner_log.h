/*
 * planner_log.h - a server's start-up log, from --calibration into a request (plan/logged.h).
 *
 * The log is planned as --check-log plans it: its own options, on the request's GPU; what it
 * does not tell of model, format and engine's version is the request's. A log of another
 * model, format, engine or GPU, or of a start that failed, is not used, with a word on it.
 * Of several logs the first that is of the request is.
 */
#ifndef GP_ANSWER_PLANNER_LOG_H
#define GP_ANSWER_PLANNER_LOG_H

#include "answer/planner.h"

struct planner_logs; /* what was read so far */

void planner_logs_free(struct planner_logs *logs);

/* Is that file of --calibration a log? Results and benchmarks are JSON. */
bool planner_log_is(const char *path);

/* list: the files of --calibration. Sets resolved->request.logged, and what it took or left
 * in resolved->logged and resolved->unlogged. GP_E_FILE: a log cannot be read. */
enum gp_status planner_log_apply(struct planner *planner, struct planner_logs **logs,
                                 const char *list, struct resolved *resolved, struct gp_err *err);

#endif
