/*
 * output.h - what an engine writes: protocol.h's lines, its device, its libraries.
 */
#ifndef GP_BENCH_OUTPUT_H
#define GP_BENCH_OUTPUT_H

#include <stdio.h>

#include "bench/backend.h"

/* Writes one line and flushes it; false when the other side is gone. Takes the object. */
bool output_send(FILE *out, json_t *object);

json_t *output_device(const struct bench_device *device);

/* Adds the file that the code or data at `in` was loaded from to software.files: its path,
 * size and change time. A plan looks whether it is still that file (planner_calib.h). */
void output_library(json_t *software, const void *in);

#endif
