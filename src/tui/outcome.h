/*
 * outcome.h - what a choice would come to, in the columns that every table of choices
 * has: verdict, GPUs, dollars per hour, TPOT, dollars per million output tokens.
 *
 *   verdict    n      $/h TPOT ms     $/M
 *   fits       2    $2.00    52.1  $30.09
 */
#ifndef GP_TUI_OUTCOME_H
#define GP_TUI_OUTCOME_H

#include "plan/plan.h"
#include "tui/form.h"
#include "tui/toolkit/theme.h"

struct outcome {
    bool known;       /* it was planned */
    const char *gain; /* "cheaper": in place of the verdict; NULL */
    enum verdict verdict;
    enum limit limit;
    int gpus;
    double per_hour, million; /* dollars; 0 = unknown */
    double tpot;              /* s; 0 = unknown */
};

struct outcome outcome_of(const struct plan *plan);
enum ink outcome_ink(enum verdict verdict);

/* The columns as text, and their titles; each as wide as what is asked for. */
/* up to $/h; TPOT and $/M in place of $/h; up to TPOT; all of them */
enum outcome_width {
    OUTCOME_LEAST = 21,
    OUTCOME_GAIN = 28,
    OUTCOME_SHORT = 29,
    OUTCOME_WHOLE = 37
};
#define OUTCOME_TEXT 80
#define OUTCOME_SOON "..." /* in place of one that is being planned */
char *outcome_text(const struct outcome *outcome, int cols, char text[OUTCOME_TEXT]);
const char *outcome_titles(int cols);
/* Which of two is better: what fits before slow, marginal and not, then the cheaper by
 * the hour, unknown prices last, then fewer GPUs. < 0: a is. */
int outcome_compare(const struct outcome *a, const struct outcome *b);

/* ---- outcomes of every GPU or every format ---- */

struct outcome_row {
    char id[64];
    struct outcome outcome;
};
struct outcomes {
    enum field field;         /* FIELD_GPU or FIELD_PRECISION */
    bool open;                /* count and layout are free, whatever the form says */
    struct outcome_row *rows; /* (count); owned */
    int count;
};

void outcomes_free(struct outcomes *outcomes);
/* Every choice of the field, to be planned with the rest of the form as it is. */
void outcomes_list(struct outcomes *outcomes, struct form *form, enum field field, bool open);
/* Plans row i, if it is not known; for any thread, with a planner of its own. */
void outcomes_plan(struct outcomes *outcomes, int i, const struct form_copy *form,
                   struct planner *planner);
/* The row of an id; -1: none. */
int outcomes_find(const struct outcomes *outcomes, const char *id);

#endif
