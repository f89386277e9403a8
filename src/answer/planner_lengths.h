/*
 * planner_lengths.h - how many requests of what length, from the options or a trace; and
 * whether prompts are worked off apart.
 *
 * A trace gives the lengths and, where neither users nor a rate is given, the rate of its
 * busiest minute: what is planned must hold then. The context defaults to its longest
 * request, where the model takes that.
 */
#ifndef GP_ANSWER_PLANNER_LENGTHS_H
#define GP_ANSWER_PLANNER_LENGTHS_H

#include "answer/option.h"
#include "catalog/trace.h"
#include "plan/request.h"

/* The trace read last: a long --batch names one in each line. */
struct planner_trace {
    char *path; /* NULL: none yet */
    struct trace trace;
};

void planner_trace_fini(struct planner_trace *kept);

/* Into q: context, prompt, output, spread, users and rate. context: where none is given.
 * *trace: the one that was named, NULL = none. */
enum gp_status planner_lengths(const struct options *options, struct planner_trace *kept,
                               double context, struct request *q, const struct trace **trace,
                               struct gp_err *err);

/* --disaggregate into q: split, prefill, decode, prefill_tp; --tp, and that of
 * the replicas that decode, into tp. The engine is known. */
enum gp_status planner_split(const struct options *options, struct request *q, struct gp_err *err);

#endif
