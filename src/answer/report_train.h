/*
 * report_train.h - a training plan as a record, which becomes JSON (gpuplan.train/1).
 */
#ifndef GP_ANSWER_REPORT_TRAIN_H
#define GP_ANSWER_REPORT_TRAIN_H

#include "answer/planner_train.h"
#include "answer/record.h"

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
