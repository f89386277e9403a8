/*
 * lp.c - see lp.h.
 */
#include "core/pool/lp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define SMALL       1e-9
#define REFRESH     64  /* steps between two inversions */
#define STUCK_STEPS 200 /* without a gain: the first column that gains enters (Bland)  \
                         */

void lp_init(struct lp *lp, int rows)
{
    size_t n = (size_t)rows;

    *lp = (struct lp){.rows = rows};
    lp->right = gp_calloc(n, sizeof(*lp->right));
    lp->price = gp_calloc(n, sizeof(*lp->price));
    lp->inverse = gp_calloc(n * n, sizeof(*lp->inverse));
    lp->level = gp_calloc(n, sizeof(*lp->level));
    lp->step = gp_calloc(n, sizeof(*lp->step));
    lp->basis = gp_calloc(n, sizeof(*lp->basis));
}

void lp_fini(struct lp *lp)
{
    free(lp->right);
    free(lp->price);
    free(lp->inverse);
    free(lp->level);
    free(lp->step);
    free(lp->basis);
    free(lp->columns);
    free(lp->entries);
    *lp = (struct lp){0};
}

int lp_add(struct lp *lp, double gain, const struct lp_entry *entries, int count)
{
    struct lp_column column = {.gain = gain, .first = lp->entry_count, .place = -1};

    for (int i = 0; i < count; i++) {
        if (entries[i].value == 0)
            continue;
        lp->entries = gp_grow(lp->entries, &lp->entry_cap, lp->entry_count + 1,
                              sizeof(*lp->entries));
        lp->entries[lp->entry_count++] = entries[i];
        column.count++;
    }
    lp->columns = gp_grow(lp->columns, &lp->column_cap, lp->column_count + 1,
                          sizeof(*lp->columns));
    lp->columns[lp->column_count] = column;
    return (int)lp->column_count++;
}

/* ---- the basis ---- */

static bool pivot_rows(double *a, double *inverse, int n, int at)
{
    int best = at;

    for (int i = at + 1; i < n; i++)
        if (fabs(a[i * n + at]) > fabs(a[best * n + at]))
            best = i;
    if (fabs(a[best * n + at]) < 1e-12)
        return false;
    for (int k = 0; k < n && best != at; k++) {
        double x = a[at * n + k], y = inverse[at * n + k];
        a[at * n + k] = a[best * n + k];
        a[best * n + k] = x;
        inverse[at * n + k] = inverse[best * n + k];
        inverse[best * n + k] = y;
    }
    return true;
}

/* Gauss and Jordan; a is used up. */
static bool invert(double *a, double *inverse, int n)
{
    memset(inverse, 0, sizeof(*inverse) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        inverse[i * n + i] = 1;
    for (int at = 0; at < n; at++) {
        if (!pivot_rows(a, inverse, n, at))
            return false;
        double by = 1 / a[at * n + at];
        for (int k = 0; k < n; k++) {
            a[at * n + k] *= by;
            inverse[at * n + k] *= by;
        }
        for (int i = 0; i < n; i++) {
            double f = a[i * n + at];
            if (i == at || f == 0)
                continue;
            for (int k = 0; k < n; k++) {
                a[i * n + k] -= f * a[at * n + k];
                inverse[i * n + k] -= f * inverse[at * n + k];
            }
        }
    }
    return true;
}

static bool refresh(struct lp *lp)
{
    size_t n = (size_t)lp->rows;
    double *a = gp_calloc(n * n, sizeof(*a));
    bool ok;

    for (int k = 0; k < lp->rows; k++) {
        const struct lp_column *c = &lp->columns[lp->basis[k]];
        for (int i = 0; i < c->count; i++)
            a[(size_t)lp->entries[c->first + (size_t)i].row * n + (size_t)k] +=
                lp->entries[c->first + (size_t)i].value;
    }
    ok = invert(a, lp->inverse, lp->rows);
    lp->age = 0;
    free(a);
    lp->work += n * n * n / 32;
    for (size_t i = 0; i < n && ok; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += lp->inverse[i * n + k] * lp->right[k];
        lp->level[i] = fabs(sum) < SMALL ? 0 : sum;
    }
    return ok;
}

bool lp_begin(struct lp *lp, const int *basis)
{
    for (size_t j = 0; j < lp->column_count; j++)
        lp->columns[j].place = -1;
    for (int k = 0; k < lp->rows; k++) {
        lp->basis[k] = basis[k];
        lp->columns[basis[k]].place = k;
    }
    if (!refresh(lp))
        return false;
    for (int k = 0; k < lp->rows; k++)
        if (lp->level[k] < 0)
            return false;
    return true;
}

/* ---- steps ---- */

static void set_prices(struct lp *lp)
{
    size_t n = (size_t)lp->rows;

    memset(lp->price, 0, n * sizeof(*lp->price));
    for (size_t i = 0; i < n; i++) {
        double gain = lp->columns[lp->basis[i]].gain;
        for (size_t k = 0; k < n && gain != 0; k++)
            lp->price[k] += gain * lp->inverse[i * n + k];
    }
}

static double gain_of(const struct lp *lp, const struct lp_column *c)
{
    double sum = c->gain;

    for (int i = 0; i < c->count; i++) {
        const struct lp_entry *e = &lp->entries[c->first + (size_t)i];
        sum -= lp->price[e->row] * e->value;
    }
    return sum;
}

static int entering(const struct lp *lp, bool first)
{
    double most = 0;
    int best = -1;

    for (size_t j = 0; j < lp->column_count; j++) {
        const struct lp_column *c = &lp->columns[j];
        double gain, size;
        if (c->place >= 0)
            continue;
        gain = gain_of(lp, c);
        size = SMALL * (1 + fabs(c->gain));
        if (gain <= size || gain <= most)
            continue;
        most = gain;
        best = (int)j;
        if (first)
            break;
    }
    return best;
}

/* Row that leaves; -1: none, no end. */
static int leaving(struct lp *lp, const struct lp_column *c)
{
    size_t n = (size_t)lp->rows;
    double least = INFINITY;
    int best = -1;

    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < c->count; k++) {
            const struct lp_entry *e = &lp->entries[c->first + (size_t)k];
            sum += lp->inverse[i * n + (size_t)e->row] * e->value;
        }
        lp->step[i] = sum;
        if (sum <= SMALL)
            continue;
        double ratio = lp->level[i] / sum;
        if (ratio < least - 1e-12 ||
            (ratio <= least + 1e-12 && best >= 0 && sum > lp->step[best])) {
            least = fmin(ratio, least);
            best = (int)i;
        }
    }
    return best;
}

static void exchange(struct lp *lp, int row, int column)
{
    size_t n = (size_t)lp->rows, r = (size_t)row;
    double by = 1 / lp->step[row];

    lp->age++;
    lp->columns[lp->basis[row]].place = -1;
    lp->basis[row] = column;
    lp->columns[column].place = row;
    for (size_t k = 0; k < n; k++)
        lp->inverse[r * n + k] *= by;
    lp->level[row] *= by;
    for (size_t i = 0; i < n; i++) {
        double f = lp->step[i];
        if (i == r || f == 0)
            continue;
        for (size_t k = 0; k < n; k++)
            lp->inverse[i * n + k] -= f * lp->inverse[r * n + k];
        lp->level[i] = fmax(0, lp->level[i] - f * lp->level[row]);
    }
}

bool lp_solve(struct lp *lp, int steps)
{
    double value = -INFINITY;
    int stuck = 0;

    for (int i = 0; i < steps; i++) {
        int column, row;
        if (lp->age >= REFRESH && !refresh(lp))
            return false;
        set_prices(lp);
        lp->work += (uint64_t)(lp->rows * lp->rows) / 32 + lp->entry_count / 32 + 1;
        column = entering(lp, stuck > STUCK_STEPS);
        if (column < 0)
            return true;
        row = leaving(lp, &lp->columns[column]);
        if (row < 0)
            return false;
        exchange(lp, row, column);
        stuck = lp_value(lp) > value + SMALL * fabs(value) ? 0 : stuck + 1;
        value = fmax(value, lp_value(lp));
    }
    return false;
}

double lp_value(const struct lp *lp)
{
    double sum = 0;

    for (int i = 0; i < lp->rows; i++)
        sum += lp->level[i] * lp->columns[lp->basis[i]].gain;
    return sum;
}

double lp_level(const struct lp *lp, int column)
{
    int place = lp->columns[column].place;

    return place < 0 ? 0 : lp->level[place];
}
