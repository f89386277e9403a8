/*
 * planner_measured.h - what was measured here or on a server, from --calibration into a request.
 *
 * Points of a server are of the request's model, precision, GPU and engine, and of the
 * layout that it gives with --tp, --pp and --replicas; what it leaves open is as the plan
 * would have it without goals. Where a command compares several models, precisions or GPUs,
 * the first of each was measured. Of anything else the law stays as it is.
 */
#ifndef GP_ANSWER_PLANNER_MEASURED_H
#define GP_ANSWER_PLANNER_MEASURED_H

#include "answer/planner.h"
#include "answer/planner_log.h"
#include "logs/read/serverbench.h"

/* What a request was resolved from, as texts; precision may be NULL. */
struct resolved_from {
    const char *model, *precision, *gpu;
};

/* Reads the files of --calibration, once the rest of the request is resolved. */
enum gp_status resolve_measured(struct planner *planner, struct planner_logs **logs,
                                const struct options *options, const struct resolved_from *from,
                                struct resolved *out, struct gp_err *err);

/* The points of the servers' benchmarks among those files, "FILE,FILE". */
enum gp_status planner_measured_read(const char *list, struct serverbench *out, struct gp_err *err);

#endif
