/*
 * report_catalog.h - the catalogue as records: a short row of each item for --list, and
 * everything that is known of one item for --show.
 *
 *   gpuplan.list/1   class, items[]: the rows
 *   gpuplan.show/1   class, id, and every field with its unit and origin
 *
 * A row's first fact is "id", and --show finds the item again by it: "h100-sxm",
 * "vllm@0.17" (the first version of a range), "aws/p5.48xlarge".
 */
#ifndef GP_ANSWER_REPORT_CATALOG_H
#define GP_ANSWER_REPORT_CATALOG_H

#include <stddef.h>

#include "answer/planner.h"
#include "answer/record.h"
#include "base/err.h"
#include "catalog/profile.h"

struct report_class {
    const char *word; /* "gpus"; where it has no functions a folder, whose files name themselves */
    const char *singular; /* "gpu" */
    /* Appends a row per item to the list "items" of doc. */
    enum gp_status (*rows)(struct catalog *catalog, struct record *doc, struct gp_err *err);
    /* Adds all facts of one item. GP_E_USAGE when there is no such id. */
    enum gp_status (*show)(struct planner *planner, const char *id, struct record *out,
                           struct gp_err *err);
};

extern const struct report_class report_classes[]; /* ends with a NULL word */

/* NULL, and *err with the nearest word and all of them, when there is none. */
const struct report_class *report_class_find(const char *word, struct gp_err *err);

/* A whole gpuplan.list/1: rows that hold every one of the filters in a word of theirs,
 * case ignored. */
enum gp_status report_list(struct catalog *catalog, const struct report_class *class,
                           const char *const *filters, int filter_count, struct record *doc,
                           struct gp_err *err);

/* A whole gpuplan.show/1: an item of any class, or a local model. GP_E_USAGE with the
 * nearest ids of all classes when there is none. */
enum gp_status report_show(struct planner *planner, const char *id, struct record *doc,
                           struct gp_err *err);

#endif
