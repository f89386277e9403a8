/*
 * planner_train.h - from the options of --train to an answer, for every command.
 */
#ifndef GP_ANSWER_PLANNER_TRAIN_H
#define GP_ANSWER_PLANNER_TRAIN_H

#include "answer/planner.h"
#include "plan/train/train.h"

struct train_answer {
    struct resolved resolved;
    struct train_memory memory;
    struct train_fix fixes[TRAIN_MAX_FIXES];
    int fix_count;
    struct plan priced; /* request, layout and cost alone; no cost: !has_memory */
};

enum gp_status planner_train(struct planner *planner, const struct options *options,
                             struct train_answer *out, struct gp_err *err);

#endif
