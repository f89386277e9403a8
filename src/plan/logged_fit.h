/*
 * logged_fit.h - the figures of a server's log beside the plan of the same request.
 *
 * The residual of each term that the log tells, and of the KV pool what these leave over:
 *
 *   by   = ln(logged / estimate)
 *   pool = logged pool - pool of the logged terms
 *
 * Example: vLLM logs 1.22 GiB of graphs, 1.05 are estimated: by = 0.15.
 */
#ifndef GP_PLAN_LOGGED_FIT_H
#define GP_PLAN_LOGGED_FIT_H

#include "plan/logged.h"

/* Bytes of one GPU; NAN = not logged. */
struct logged_figures {
    double term[LOGGED_TERMS];
    double pool;
};

enum logged_doubt {
    LOGGED_FINE,
    LOGGED_NOTHING,     /* no figure that is also estimated */
    LOGGED_WEIGHTS_OFF, /* by more than a quarter: another precision, model or layout */
    LOGGED_POOL_OFF     /* by more than a tenth of the device */
};

/* Bytes of one GPU that are estimated of each term, without a log; 0 = none. */
void logged_estimates(const struct request *request, const struct layout *layout,
                      double bytes[LOGGED_TERMS]);

/* request and layout: what the log is of, without a log. *planned: the bytes that are
 * estimated of what is off. Of a doubt *out corrects nothing. */
enum logged_doubt logged_fit(const struct request *request, const struct layout *layout,
                             const struct logged_figures *figures, struct logged *out,
                             double *planned);

#endif
