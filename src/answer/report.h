/*
 * report.h - answers as records, which become JSON (gpuplan.plan/1, gpuplan.error/1).
 *
 * Memory is in GiB, money in dollars, tokens in tokens; every quantity says value, low,
 * high, unit and origin; what is not known is null. Schemas only grow within a version.
 */
#ifndef GP_ANSWER_REPORT_H
#define GP_ANSWER_REPORT_H

#include "answer/planner.h"
#include "answer/record.h"
#include "base/err.h"
#include "plan/terms.h"

/* brief leaves out who said what of the model, GPU and engine: a fifth of the bytes. */
void report_plan(const struct answer *answer, const struct options *options, bool why, bool brief,
                 struct record *doc);

void report_error(const struct gp_err *err, struct record *doc);

/* a training plan as a record, which becomes JSON (gpuplan.train/1).
 */

/* A part of the memory of one GPU, in the order it is shown. */
struct train_part {
    const char *key, *name; /* "live_layer" in JSON; "recomputed layer" for people */
    size_t offset;          /* of its quantity in struct train_memory */
};

#define TRAIN_PARTS 15
extern const struct train_part train_parts[TRAIN_PARTS];

/* The sums that a run prints. */
#define TRAIN_PRINTED 3
extern const struct train_part train_printed[TRAIN_PRINTED];

/* Of a host, not of a GPU. */
extern const struct train_part train_host;

const struct quantity *train_part_bytes(const struct train_memory *memory,
                                        const struct train_part *part);

/* Has this run such a part? */
bool train_part_is_there(const struct quantity *bytes);

/* In the columns of an inference plan: verdict, GPUs, parts, cost. */
void report_train_rows(const struct train_answer *answer, struct record *rows);

void report_train(const struct train_answer *answer, bool why, struct record *doc);

#endif
