/*
 * speed_labs.h - what results that several labs merge (gpuplan --merge) leave of a plan's band.
 *
 * Nobody has published shares of several labs. So it is shown in two ways, each on rows that the
 * constants were not fitted on, dense models whose kernel --bench measures:
 *
 *   rows   a lab's share is made of its served rows, builds and hosts in them: its GPU's figures
 *          such that the mean error of these rows is none. Those of two or more other labs are
 *          merged, and the rows of the lab left out are planned by them, error and band.
 *   three  where a generation's band is wider than that of three labs whose figures lie 1 % apart
 *          (and are, in the mean, the fitted ones): the same errors in the narrower band.
 */
#ifndef GP_TESTS_ACCURACY_SPEED_LABS_H
#define GP_TESTS_ACCURACY_SPEED_LABS_H

#include "speed_score.h"

struct labs_tally { /* of `three`, over the sets */
    int rows;
    double before, after; /* rows inside */
    double wide, narrow;  /* sums of the widths' logarithms */
};

/* Rows of the lab of rows->row[first], by other labs' rows: before and after, NAN where no two
 * others have rows of the GPU's generation and kernel. */
void labs_merge(struct rows *rows, int first, struct plan_summary *before,
                struct plan_summary *after);

/* Prints both; how many limits do not hold: nine of ten rows inside, no wider. */
int labs_check(const struct rows *rows, const struct plan_summary *before,
               const struct plan_summary *after);

/* outcome: of a set's rows left out. */
void labs_three(struct rows *rows, const struct plan_summary *outcome, struct labs_tally *tally);
int labs_check_three(const struct labs_tally *tally);

#endif
