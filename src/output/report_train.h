/*
 * report_train.h - a training plan as JSON (gpuplan.train/1).
 */
#ifndef GP_OUTPUT_REPORT_TRAIN_H
#define GP_OUTPUT_REPORT_TRAIN_H

#include <jansson.h>

#include "core/train.h"

/* A part of the memory of one GPU, in the order it is shown. */
struct train_part {
    const char *key, *name; /* "gradients"; "KV needed" style words for people */
    struct quantity bytes;
};

#define TRAIN_PARTS 14

/* Fills parts[] and returns how many. */
int train_parts(const struct train_memory *memory, struct train_part parts[TRAIN_PARTS]);

json_t *report_train(const struct request *request, const struct train_memory *memory,
                     const struct train_fix *fixes, int fix_count, bool why);

#endif
