/*
 * plan_summary.h - what a choice would come to, in the columns that every table of choices
 * has: verdict, GPUs, dollars per hour, TPOT, dollars per million output tokens.
 *
 *   verdict    n      $/h TPOT ms     $/M
 *   fits       2    $2.00    52.1  $30.09
 */
#ifndef GP_TUI_PLAN_SUMMARY_H
#define GP_TUI_PLAN_SUMMARY_H

#include "plan/plan.h"
#include "tui/form.h"
#include "tui/toolkit/theme.h"

struct plan_summary {
    bool known;       /* it was planned */
    const char *gain; /* "cheaper": in place of the verdict; NULL */
    enum verdict verdict;
    enum limit limit;
    int gpus;
    double per_hour, million; /* dollars; 0 = unknown */
    double tpot;              /* s; 0 = unknown */
};

struct plan_summary plan_summary_of(const struct plan *plan);
enum ink plan_summary_ink(enum verdict verdict);

/* The columns as text, and their titles; each as wide as what is asked for. */
/* up to $/h; TPOT and $/M in place of $/h; up to TPOT; all of them */
enum plan_summary_width {
    PLAN_SUMMARY_LEAST = 21,
    PLAN_SUMMARY_GAIN = 28,
    PLAN_SUMMARY_SHORT = 29,
    PLAN_SUMMARY_WHOLE = 37
};
#define PLAN_SUMMARY_TEXT 80
#define PLAN_SUMMARY_SOON "..." /* in place of one that is being planned */
char *plan_summary_text(const struct plan_summary *summary, int cols, char text[PLAN_SUMMARY_TEXT]);
const char *plan_summary_titles(int cols);
/* Which of two is better: what fits before slow, marginal and not, then the cheaper by
 * the hour, unknown prices last, then fewer GPUs. < 0: a is. */
int plan_summary_compare(const struct plan_summary *a, const struct plan_summary *b);

/* ---- summaries of every GPU or every format ---- */

struct plan_summary_row {
    char id[256];
    struct plan_summary summary;
};
struct plan_summaries {
    enum field field;              /* FIELD_MODEL, FIELD_GPU or FIELD_PRECISION */
    bool open;                     /* count and layout are free, whatever the form says */
    struct plan_summary_row *rows; /* (count); owned */
    int count;
};

void plan_summaries_free(struct plan_summaries *summaries);
/* Every choice of the field, to be planned with the rest of the form as it is. */
void plan_summaries_list(struct plan_summaries *summaries, struct form *form, enum field field,
                         bool open);
/* Plans row i, if it is not known; for any thread, with a planner of its own. */
void plan_summaries_plan(struct plan_summaries *summaries, int i, const struct form_copy *form,
                         struct planner *planner);
/* The row of an id; -1: none. */
int plan_summaries_find(const struct plan_summaries *summaries, const char *id);

#endif
