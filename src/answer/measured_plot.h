/*
 * measured_plot.h - what was measured beside what was predicted before: a table of the files
 * of --calibration, error = predicted / measured - 1, and points over the predicted curve.
 *
 *   times     of a server's own benchmark: TPOT or TTFT against users; predicted without these
 *             points, with its band, and corrected by them; of requests of one length
 *   products  of --bench: rate / predicted rate against the tokens at once; the band around 1
 *             is what the law leaves open where nothing is measured (speed_doubt_law)
 */
#ifndef GP_ANSWER_MEASURED_PLOT_H
#define GP_ANSWER_MEASURED_PLOT_H

#include <stdbool.h>

#include "answer/memory_curve.h"
#include "answer/planner.h"
#include "answer/plot.h"
#include "base/err.h"
#include "base/table.h"
#include "logs/read/serverbench.h"

struct measured_row {
    const char *what; /* "TPOT", "TTFT" */
    double users, prompt, output;
    double measured, predicted, corrected; /* s */
    double low, high;                      /* of what is predicted */
};

struct measured_rows {
    int count;
    struct measured_row row[2 * ANCHORS_MAX];
    char words[200]; /* the files, and the median error before and after */
};

/* None when the answer is not corrected by a file. */
enum gp_status measured_rows_read(const struct answer *answer, struct measured_rows *out,
                                  struct gp_err *err);
/* The same load in the answer's layout, without the measured points or corrected by them. */
struct measured_times {
    struct quantity tpot, ttft; /* s; unknown: no estimate */
};
struct measured_times measured_rows_predict(const struct answer *answer, const struct anchor *point,
                                            bool corrected);

/* The table wants table_fini(). */
void measured_rows_table(const struct measured_rows *rows, struct table *table);

/* what: "TPOT" or "TTFT". False: nothing to draw. */
bool measured_plot_times(const struct answer *answer, const struct measured_rows *rows,
                         const char *what, struct plot *plot, char words[CURVE_WORDS]);
/* sheet: the answer's GPU as it is in the catalogue; NULL: as measured (of processors, whose
 * bandwidth and rate are measured). False: no product of it was measured. */
bool measured_plot_products(const struct answer *answer, const struct gpu *sheet, struct plot *plot,
                            char words[CURVE_WORDS]);

#endif
