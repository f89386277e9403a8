/*
 * parts.h - the memory of a plan as the list of parts that people are shown.
 *
 * The same parts, names, order and notes in --plan's table, its bar, and on the screen:
 * three lines of what there is (physical, usable, budget), then what takes it up, then
 * what is free or short, then what stays in host memory. Those with a role that fills
 * (parts_fills) add up with `free`, or less `short`, to usable.
 */
#ifndef GP_ANSWER_PARTS_H
#define GP_ANSWER_PARTS_H

#include <stdbool.h>

#include "plan/plan.h"

enum part_role {
    PART_LIMIT, /* physical, usable, budget: no part of the sum */
    PART_WEIGHTS,
    PART_KV,
    PART_ACTIVATION,
    PART_RUNTIME, /* context, libraries, CUDA graphs */
    PART_FREE,
    PART_ROLE_COUNT
};

struct part {
    const char *name;
    enum part_role role;
    struct quantity q; /* bytes of one GPU */
    char note[96];
};

#define PARTS_MAX 15

/* The parts of a plan that has_memory. Returns how many. */
int parts_list(const struct plan *plan, struct part parts[PARTS_MAX]);

/* Does it take up memory? */
bool parts_fills(enum part_role role);

#endif
