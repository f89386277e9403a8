/*
 * lp.h - a small linear program, columns added as it is worked on.
 *
 *   max  sum of gain[j] x[j]     over x >= 0
 *   with sum of the columns' entries x[j] = right side, row by row
 *
 * Primal simplex with an explicit inverse of the basis (Dantzig 1963): a few hundred
 * rows at most, and any number of columns of a few entries. A solved program that gets
 * more columns or other gains goes on from where it stands.
 *
 * Example: max 3a + 2b with a + b = 4 and a + s = 3: a = 3, b = 1, 11; the prices are 2
 * and 1.
 */
#ifndef GP_CORE_POOL_LP_H
#define GP_CORE_POOL_LP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lp_column {
    double gain;
    size_t first; /* of its entries */
    int count;
    int place; /* in the basis; -1: none, its x is 0 */
};

struct lp_entry {
    int row;
    double value;
};

struct lp {
    int rows;
    double *right;   /* [rows] */
    double *price;   /* [rows] of one more on the right side */
    double *inverse; /* [rows x rows] */
    double *level;   /* [rows] x of the basis */
    double *step;    /* [rows] */
    int *basis;      /* [rows] columns */
    int age;         /* steps since the inverse was made */
    struct lp_column *columns;
    size_t column_count, column_cap;
    struct lp_entry *entries;
    size_t entry_count, entry_cap;
    uint64_t work; /* units spent: multiplications / 64 */
};

void lp_init(struct lp *lp, int rows);
void lp_fini(struct lp *lp);

/* Its index; entries with a value of 0 may be given. */
int lp_add(struct lp *lp, double gain, const struct lp_entry *entries, int count);

/* Begins with these columns; false when they are no basis, or x would be negative. */
bool lp_begin(struct lp *lp, const int *basis);

/* False: no end to the gain, or the steps are used up; the prices are the last ones. */
bool lp_solve(struct lp *lp, int steps);

double lp_value(const struct lp *lp);

/* x of a column. */
double lp_level(const struct lp *lp, int column);

#endif
