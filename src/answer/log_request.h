/*
 * log_request.h - the request that a start-up log answers: what the engine was told.
 *
 *   struct enginelog + options given on the command line --log_request()--> options to plan
 *
 * The log's options are read by the table that --launch writes them by (launch.h); those
 * that are given win. What the log does not name and nobody gives is the engine's default;
 * without a GPU in either there is none to plan for, but the one in this machine.
 */
#ifndef GP_ANSWER_LOG_REQUEST_H
#define GP_ANSWER_LOG_REQUEST_H

#include "answer/launch.h"
#include "logs/read/enginelog.h"

#define LOG_NOTES 6

struct log_request {
    struct launch_request request; /* its options borrow from it: keep it where it is */
    struct launch_reading reading; /* the log's options; `unknown`: those that are not planned */
    char gpu[64];                  /* id of the GPU that the log names; "" = none */
    char gpu_text[96];             /* with its count, as --gpu takes it */
    char note[LOG_NOTES][200];     /* what was assumed */
    int notes;
};

/* GP_E_USAGE or GP_E_FILE: the engine has no table, or an option's value cannot be. */
enum gp_status log_request(struct catalog *catalog, const struct enginelog *log,
                           const struct options *base, struct log_request *out, struct gp_err *err);

#endif
