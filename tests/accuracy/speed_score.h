/*
 * speed_score.h - errors of estimates and their bands, by what the rows have in common.
 *
 * A row weighs one, or its share of its pair of model and GPU where rows of few pairs are
 * many (serving_recent.csv). In the band: measured within estimate / low .. estimate * high.
 */
#ifndef GP_TESTS_ACCURACY_SPEED_SCORE_H
#define GP_TESTS_ACCURACY_SPEED_SCORE_H

#include "speed_rows.h"

struct plan_summary {
    double error;     /* estimate / measured - 1; NAN = no estimate */
    double low, high; /* factors of the band */
    double weight;
    unsigned doubts; /* bits of enum doubt */
};

struct score {
    int rows;
    double weight;       /* of the rows */
    double median, tail; /* of |error|; tail: 90 of 100 are less */
    double bias;         /* median error */
    double inside;       /* share of the rows in their band */
    double width;        /* mean of high / low */
    double low, high;    /* median factors of the band */
};

typedef const char *(*group_fn)(const struct row *row);

const char *group_all(const struct row *row);
const char *group_kind(const struct row *row); /* "MoE", "dense" */
const char *group_model(const struct row *row);
const char *group_gpu(const struct row *row);
const char *group_engine(const struct row *row);
const char *group_users(const struct row *row);
const char *group_phase(const struct row *row);
const char *group_pair(const struct row *row); /* lab, model and GPU */
const char *group_lab(const struct row *row);
const char *group_version(const struct row *row); /* engine and its range */
const char *group_load(const struct row *row);
const char *group_busy(const struct row *row); /* rates by what the plan would serve */
const char *group_full(const struct row *row); /* and engine and precision */

/* Estimates with the constants as they are now. */
void score_now(const struct rows *rows, struct plan_summary *outcome);
/* The same of TTFT in a closed loop. */
void score_ttft(const struct rows *rows, struct plan_summary *outcome);
/* Of output tokens/s, the error as of a time: above 0, slower than measured. */
void score_tokens(const struct rows *rows, struct plan_summary *outcome);
/* Every pair of model and GPU weighs the same. */
void score_by_pair(const struct rows *rows, struct plan_summary *outcome);

bool score_in_band(const struct plan_summary *outcome);

/* Of the rows whose group has this name; name NULL = all. */
struct score score_of(const struct rows *rows, const struct plan_summary *outcome, group_fn group,
                      const char *name);

/* The same for each doubt: rows that have it, and the band with the doubt `without` left
 * out of all (-1: none). */
void score_print_doubts(const char *title, const struct rows *rows,
                        const struct plan_summary *outcome, int without);

/* The factors that each doubt should have: of the rows left out, each end holds 95 of 100, the
 * other doubts as they are. A row weighs its outcome's weight. */
void score_print_asked(const struct rows *rows, const struct plan_summary *outcome);

/* A table with a line for each group of each kind. */
void score_print(const char *title, const struct rows *rows, const struct plan_summary *outcome,
                 const group_fn *groups, int count);

#endif
