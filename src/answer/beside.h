/*
 * beside.h - what was seen beside what a plan predicts, as the row of a table: name, unit,
 * seen, predicted, its band, the error and whether the first lies in the band.
 *
 * Example: KV pool 58.11 GiB logged, 58.10 predicted, 57.96..58.20: error -0.0 %, yes.
 */
#ifndef GP_ANSWER_BESIDE_H
#define GP_ANSWER_BESIDE_H

#include <stdbool.h>

#include "answer/record.h"

struct beside {
    const char *name, *unit;         /* borrowed: literals */
    const char *seen_name;           /* "logged", "seen" */
    struct quantity seen, predicted; /* SI */
    double divide;                   /* turns them into `unit` */
    double slack; /* SI: by which the band is wider, as the seen one is rounded */
    int digits;
};

/* Adds it to the list of that name. Returns whether it can be compared; *in: it lies in
 * the band. The row may get further facts: record_append()'s pointer is in *row. */
bool beside_record(const struct beside *beside, struct record *doc, const char *list,
                   struct record **row, bool *in);

#endif
