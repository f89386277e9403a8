/*
 * lp.h - a small linear program, columns added as it is worked on.
 *
 *   max  sum of gain[j] x[j]     over x >= 0
 *   with sum of the columns' entries x[j] = right side, row by row
 *        sum of x[j] over the columns of a set = 1
 *
 * Primal simplex (Dantzig 1963). A set needs no row: one of its columns, the key, is
 * what the others leave of the 1, and the inverse is that of the rows alone
 * (generalized upper bounds: Dantzig, Van Slyke 1967). So there may be thousands of
 * sets beside a few hundred rows, and any number of columns of a few entries. A solved
 * program that gets more columns or other gains goes on from where it stands.
 *
 * Example: max 3a + 2b with a + b = 1, a set, and a + s = 0.6: a = 0.6, b = 0.4, 2.6;
 * one more on the right of the row is worth 1, of the set 2.
 */
#ifndef GP_POOL_LP_H
#define GP_POOL_LP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool/grid.h"

#define LP_HOT 16
#define LP_FREE (-1) /* a column in no set */

struct lp_column {
    double gain;
    size_t first; /* of its entries */
    int count;
    int set;
    int place;   /* in the basis; -1: none, its x is 0; -2: the key of its set */
    bool closed; /* does not enter */
};

struct lp_entry {
    int row;
    double value;
};

struct lp {
    struct arrays arrays; /* of rows and sets */
    int rows, sets;
    double *right;     /* [rows] */
    double *price;     /* [rows] of one more on the right side */
    double *worth;     /* [sets] likewise */
    double *inverse;   /* [rows x rows] of the basis, each column less its key */
    double *level;     /* [rows] x of the basis */
    double *key_level; /* [sets] x of the keys */
    double *step, *key_step;
    int *basis;                 /* [rows] columns */
    int *key;                   /* [sets] columns */
    int age;                    /* steps since the inverse was made */
    int hot[LP_HOT], hot_count; /* columns that promise most */
    struct lp_column *columns;
    size_t column_count, column_cap;
    struct lp_entry *entries;
    size_t entry_count, entry_cap;
    uint64_t work; /* units spent: multiplications / 32 */
};

void lp_init(struct lp *lp, int rows, int sets);
void lp_fini(struct lp *lp);

/* Its index; entries with a value of 0 may be given. */
int lp_add(struct lp *lp, double gain, int set, const struct lp_entry *entries, int count);

/* Begins with these columns, one for each row and one of each set; false when they are
 * no basis, or x would be negative. */
bool lp_begin(struct lp *lp, const int *basis, const int *key);

/* False: no end to the gain, or the steps are used up; the prices are the last ones. */
bool lp_solve(struct lp *lp, int steps);

double lp_value(const struct lp *lp);

/* x of a column. */
double lp_level(const struct lp *lp, int column);

/* The columns that may be above 0: i from 0 to rows + sets - 1. */
int lp_basic(const struct lp *lp, int i);

#endif
