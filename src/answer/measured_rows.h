/*
 * measured_rows.h - what --calibration's files measured, beside what is predicted for the
 * same load without them and with them.
 *
 *   error = predicted / measured - 1
 */
#ifndef GP_ANSWER_MEASURED_ROWS_H
#define GP_ANSWER_MEASURED_ROWS_H

#include "answer/planner.h"
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

#endif
