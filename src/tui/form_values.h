/*
 * form_values.h - the fields of a plan and their values: what the user has said, nothing
 * of what follows from it.
 *
 * One text per field, "" for the default, exactly what the options of --plan take. There
 * is no second parser: a value is checked by options_text() as on the command line and
 * looked up by the planner. Two fields share one option: GPU "l40s" and GPUs "2" are
 * --gpu l40s:2.
 *
 * To add a field: its name in enum field, its row in field.c.
 */
#ifndef GP_TUI_FORM_VALUES_H
#define GP_TUI_FORM_VALUES_H

#include <stdbool.h>

#include "request/planner.h"
#include "util/err.h"

enum field {
    FIELD_MODEL, FIELD_PRECISION, FIELD_GPU, FIELD_GPUS,
    FIELD_CONTEXT, FIELD_PROMPT, FIELD_OUTPUT, FIELD_USERS, FIELD_KV,
    FIELD_TP, FIELD_PP, FIELD_EP, FIELD_REPLICAS, FIELD_MAX_PP,
    FIELD_ENGINE, FIELD_MAX_SEQS, FIELD_BATCHED, FIELD_UTILIZATION, FIELD_HEADROOM,
    FIELD_USED, FIELD_PRUNE,
    FIELD_PRICE, FIELD_HOURS, FIELD_ELECTRICITY,
    FIELD_COUNT
};

enum field_kind { FIELD_CHOICE, FIELD_WORD, FIELD_NUMBER };

struct field_row {
    const char *label;   /* "Weights" */
    const char *section; /* heading before it; NULL: none */
    enum option_id option; /* GPU and GPUs are one option: "l40s:2" */
    enum field_kind kind;
    bool doubles;        /* a step is x2 and /2 (tokens, users), else a fixed one */
    double step;         /* of those that do not double */
    enum solve solve;    /* what `s` solves for; SOLVE_NONE: cannot */
    const char *explain; /* one or two lines: what it is, its equation */
};
extern const struct field_row field_rows[FIELD_COUNT];

#define FORM_VALUE 256

struct form_values {
    char value[FIELD_COUNT][FORM_VALUE]; /* as the option takes it; "" = default */
};

#define MODEL_DEFAULT "8B"

/* The form as options. option[FORM_VALUE] is filled with GPU and GPUs together; it and
 * the form must outlive the options. */
void values_ask(const struct form_values *values, char option[FORM_VALUE],
                struct options *options);
/* The opposite; what is not given is "". */
enum gp_status values_of_options(const struct options *options,
                                 struct form_values *values, struct gp_err *err);
/* Checks a value by itself, as text and by looking it up, and puts it in. answer: the
 * plan before, NULL = none; it says which GPU a count is of when nobody named one. */
enum gp_status values_put(struct planner *planner, struct form_values *values,
                          enum field field, const char *text,
                          const struct answer *answer, struct gp_err *err);
/* Pairs "option value" into the form, each checked likewise. */
enum gp_status values_options(struct planner *planner, struct form_values *values,
                              const char *given, const struct answer *answer,
                              struct gp_err *err);

#endif
