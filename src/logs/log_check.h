/*
 * log_check.h - a start-up log against the plan of the same request: --check-log.
 *
 * Each figure that the log tells stands beside the same sum of the plan's terms: its band,
 * the error (predicted / logged - 1) and whether the logged one lies in the band, to half of
 * the log's last digit; of weights and of the card to 0.5 %, by which allocators and drivers
 * differ from what is counted.
 *
 * Example: Llama-3.1-8B on an H100, vLLM 0.19: weights logged 14.99 GiB, predicted 14.99,
 * KV pool 58.11 and 58.10.
 */
#ifndef GP_LOGS_LOG_CHECK_H
#define GP_LOGS_LOG_CHECK_H

#include <stdbool.h>

#include "answer/log_request.h"
#include "answer/planner.h"
#include "answer/record.h"

struct log_verdict {
    bool failed; /* the start did */
    int terms;   /* that are compared, */
    int outside; /* and outside of their band */
};

/* gpuplan.check-log/1. answer: the plan; NULL where the log tells too little for one, and
 * why says what is missing. */
void log_check(const char *file, const struct enginelog *log, const struct log_request *request,
               const struct answer *answer, const char *why, struct record *doc,
               struct log_verdict *verdict);

/* The same for people. */
void log_check_text(const struct record *doc, struct strbuf *out);

#endif
