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

/* Its request and layout alone. */
void report_plan_head(const struct answer *answer, struct record *doc);

/* Schema and date of data, with which every answer begins. */
void report_begin(struct record *doc, const char *schema, const char *data_date);

void report_error(const struct gp_err *err, struct record *doc);

/* ---- training (gpuplan.train/1) ---- */

enum train_group {
    TRAIN_OF_GPU, /* what the memory of one GPU holds, in the order it is shown */
    TRAIN_SUM,
    TRAIN_PRINTED, /* the sums that a run prints */
    TRAIN_OF_HOST
};
struct train_part {
    const char *key,
        *name;     /* "live_layer" in JSON; "recomputed layer" for people, NULL: not shown */
    size_t offset; /* of its quantity in struct train_memory */
    enum train_group group;
};
#define TRAIN_PARTS 20
extern const struct train_part train_parts[TRAIN_PARTS];

const struct quantity *train_part_bytes(const struct train_memory *memory,
                                        const struct train_part *part);

/* Has this run such a part? */
bool train_part_is_there(const struct quantity *bytes);

/* In the columns of an inference plan: verdict, GPUs, parts, cost. */
void report_train_rows(const struct train_answer *answer, struct record *rows);

void report_train(const struct train_answer *answer, bool why, struct record *doc);

#endif
