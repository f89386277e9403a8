/*
 * print_train.h - gpuplan --plan --train: fine-tuning memory, planned and printed.
 */
#ifndef GP_CLI_PRINT_TRAIN_H
#define GP_CLI_PRINT_TRAIN_H

#include "base/err.h"
#include "cli/command.h"

/* Answers the invocation's options with a training plan (gpuplan.train/1 in JSON). */
enum gp_status train_run(struct invocation *in, struct gp_err *err);

#endif
