/*
 * attach.h - a running server's metrics beside the plan: --attach.
 *
 * Occupancy, waiting, preemptions, TTFT and TPOT stand beside what the plan predicts for that
 * load; one rule, the first that holds of a table, says what binds, what it wastes and which
 * of the engine's own options to change next.
 *
 * Example: vLLM, pool 97 % full, 4 preemptions a minute, 12 waiting: the KV pool binds;
 * --kv-cache-dtype fp8 next, or --max-num-seqs 180.
 */
#ifndef GP_LOGS_ATTACH_H
#define GP_LOGS_ATTACH_H

#include "answer/planner.h"
#include "answer/record.h"
#include "logs/read/scrape.h"

/* The options to plan with, and the texts that they borrow beside the scrape's: keep both. */
struct attach_options {
    struct options options;
    char gpu[128];
    bool one;                  /* no count was given: one GPU is meant */
    bool no_prompt, no_output; /* the page does not tell these lengths */
    double users;              /* requests in flight; the plan may be of those at once */
    enum verdict verdict;      /* with all of them in flight */
};

/* Those given; of the page model, engine, users and lengths where they are not (its totals over
 * its requests where it has no histogram). A server is one replica without a pipeline, on the
 * GPUs that were named, unless told otherwise. GP_E_USAGE when one is out of range. */
enum gp_status attach_request(const struct scrape *scrape, struct planner *planner,
                              const struct options *given, struct attach_options *out,
                              struct gp_err *err);

/* Plans it; where its pool cannot hold all requests in flight, those that it runs at once: an
 * overloaded server is compared, too. request: its users become those that were planned. */
enum gp_status attach_plan(const struct scrape *scrape, struct planner *planner,
                           struct attach_options *request, struct answer *answer,
                           struct gp_err *err);

/* gpuplan.attach/1. answer: the plan; NULL: none, and why says what is missing. */
void attach(const char *file, const struct scrape *scrape, struct planner *planner,
            const struct attach_options *request, const struct answer *answer, const char *why,
            struct record *doc);

/* The same for people. */
void attach_text(const struct record *doc, struct strbuf *out);

#endif
