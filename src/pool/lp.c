/*
 * lp.c - see lp.h.
 */
#include "pool/lp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SMALL 1e-9
#define REFRESH 64      /* steps between two inversions */
#define STUCK_STEPS 200 /* without a gain: the first column that gains enters (Bland) */
#define IS_KEY (-2)

void lp_init(struct lp *lp, int rows, int sets)
{
    size_t n = (size_t)rows + 1, s = (size_t)sets + 1;

    *lp = (struct lp){.rows = rows, .sets = sets};
    lp->right = arrays_add(&lp->arrays, n, sizeof(*lp->right));
    lp->price = arrays_add(&lp->arrays, n, sizeof(*lp->price));
    lp->worth = arrays_add(&lp->arrays, s, sizeof(*lp->worth));
    lp->inverse = arrays_add(&lp->arrays, n * n, sizeof(*lp->inverse));
    lp->level = arrays_add(&lp->arrays, n, sizeof(*lp->level));
    lp->key_level = arrays_add(&lp->arrays, s, sizeof(*lp->key_level));
    lp->step = arrays_add(&lp->arrays, n, sizeof(*lp->step));
    lp->key_step = arrays_add(&lp->arrays, s, sizeof(*lp->key_step));
    lp->basis = arrays_add(&lp->arrays, n, sizeof(*lp->basis));
    lp->key = arrays_add(&lp->arrays, s, sizeof(*lp->key));
}

void lp_fini(struct lp *lp)
{
    arrays_free(&lp->arrays);
    free(lp->columns);
    free(lp->entries);
    *lp = (struct lp){0};
}

int lp_add(struct lp *lp, double gain, int set, const struct lp_entry *entries, int count)
{
    struct lp_column column = {.gain = gain, .first = lp->entry_count, .set = set, .place = -1};

    for (int i = 0; i < count; i++) {
        if (entries[i].value == 0)
            continue;
        lp->entries =
            gp_grow(lp->entries, &lp->entry_cap, lp->entry_count + 1, sizeof(*lp->entries));
        lp->entries[lp->entry_count++] = entries[i];
        column.count++;
    }
    lp->columns = gp_grow(lp->columns, &lp->column_cap, lp->column_count + 1, sizeof(*lp->columns));
    lp->columns[lp->column_count] = column;
    return (int)lp->column_count++;
}

int lp_basic(const struct lp *lp, int i)
{
    return i < lp->rows ? lp->basis[i] : lp->key[i - lp->rows];
}

/* The key of a column's set; NULL: it is in none, or the key itself. */
static const struct lp_column *key_of(const struct lp *lp, const struct lp_column *c)
{
    return c->set == LP_FREE || c->place == IS_KEY ? NULL : &lp->columns[lp->key[c->set]];
}

/* ---- the basis ---- */

/* Gauss and Jordan; a is used up. */
static bool invert_matrix(double *a, double *inverse, int n)
{
    memset(inverse, 0, sizeof(*inverse) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        inverse[i * n + i] = 1;
    for (int at = 0; at < n; at++) {
        int best = at;
        double by;

        for (int i = at + 1; i < n; i++)
            if (fabs(a[i * n + at]) > fabs(a[best * n + at]))
                best = i;
        if (fabs(a[best * n + at]) < 1e-12)
            return false;
        by = 1 / a[best * n + at];
        for (int k = 0; k < n; k++) { /* the rows change places */
            double x = a[best * n + k], y = inverse[best * n + k];

            a[best * n + k] = a[at * n + k];
            inverse[best * n + k] = inverse[at * n + k];
            a[at * n + k] = x * by;
            inverse[at * n + k] = y * by;
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

/* Adds `by` times the entries of a column to out[row x stride]. */
static void add_entries(const struct lp *lp, const struct lp_column *c, double by, double *out,
                        size_t stride)
{
    for (int i = 0; i < c->count; i++) {
        const struct lp_entry *e = &lp->entries[c->first + (size_t)i];

        out[(size_t)e->row * stride] += by * e->value;
    }
}

/* x of the basis and of the keys, from the inverse. */
static void set_levels(struct lp *lp)
{
    size_t n = (size_t)lp->rows;
    double *rest = lp->step; /* of the right sides, beside keys at 1 */

    memcpy(rest, lp->right, n * sizeof(*rest));
    for (int s = 0; s < lp->sets; s++) {
        add_entries(lp, &lp->columns[lp->key[s]], -1, rest, 1);
        lp->key_level[s] = 1;
    }
    for (size_t i = 0; i < n; i++) {
        int set = lp->columns[lp->basis[i]].set;
        double sum = 0;

        for (size_t k = 0; k < n; k++)
            sum += lp->inverse[i * n + k] * rest[k];
        lp->level[i] = fabs(sum) < SMALL ? 0 : sum;
        if (set != LP_FREE)
            lp->key_level[set] -= lp->level[i];
    }
    for (int s = 0; s < lp->sets; s++)
        lp->key_level[s] = fabs(lp->key_level[s]) < SMALL ? 0 : lp->key_level[s];
}

static bool refresh_inverse(struct lp *lp)
{
    size_t n = (size_t)lp->rows;
    double *a = gp_calloc(n * n + 1, sizeof(*a));
    bool ok;

    for (size_t k = 0; k < n; k++) {
        const struct lp_column *c = &lp->columns[lp->basis[k]], *key = key_of(lp, c);

        add_entries(lp, c, 1, &a[k], n);
        if (key)
            add_entries(lp, key, -1, &a[k], n);
    }
    ok = invert_matrix(a, lp->inverse, lp->rows);
    free(a);
    lp->age = ok ? 0 : REFRESH;
    lp->work += n * n * n / 32;
    if (ok)
        set_levels(lp);
    return ok;
}

bool lp_begin(struct lp *lp, const int *basis, const int *key)
{
    for (size_t j = 0; j < lp->column_count; j++)
        lp->columns[j].place = -1;
    for (int k = 0; k < lp->rows; k++) {
        lp->basis[k] = basis[k];
        lp->columns[basis[k]].place = k;
    }
    for (int s = 0; s < lp->sets; s++) {
        lp->key[s] = key[s];
        lp->columns[key[s]].place = IS_KEY;
    }
    if (!refresh_inverse(lp))
        return false;
    for (int i = 0; i < lp->rows + lp->sets; i++)
        if (lp_level(lp, lp_basic(lp, i)) < 0)
            return false;
    return true;
}

/* ---- steps ---- */

/* sum + by times the product of a column with row[]. */
static inline double add_product(const struct lp *lp, const struct lp_column *c, double by,
                                 const double *row, double sum)
{
    for (int i = 0; i < c->count; i++) {
        const struct lp_entry *e = &lp->entries[c->first + (size_t)i];

        sum += by * (row[e->row] * e->value);
    }
    return sum;
}

static inline double column_price(const struct lp *lp, const struct lp_column *c)
{
    return add_product(lp, c, 1, lp->price, 0);
}

static void set_prices(struct lp *lp)
{
    size_t n = (size_t)lp->rows;

    memset(lp->price, 0, n * sizeof(*lp->price));
    for (size_t i = 0; i < n; i++) {
        const struct lp_column *c = &lp->columns[lp->basis[i]], *key = key_of(lp, c);
        double gain = c->gain - (key ? key->gain : 0);

        for (size_t k = 0; k < n && gain != 0; k++)
            lp->price[k] += gain * lp->inverse[i * n + k];
    }
    for (int s = 0; s < lp->sets; s++) {
        const struct lp_column *key = &lp->columns[lp->key[s]];

        lp->worth[s] = key->gain - column_price(lp, key);
    }
}

/* What one of a column would gain; 0: it is in the basis, or too little. */
static inline double gain_of(const struct lp *lp, int column)
{
    const struct lp_column *c = &lp->columns[column];
    double gain;

    if (c->place != -1 || c->closed)
        return 0;
    gain = c->gain - column_price(lp, c) - (c->set == LP_FREE ? 0 : lp->worth[c->set]);
    return gain > SMALL * (1 + fabs(c->gain)) ? gain : 0;
}

/* Looks at all columns: the best of them, and others for the next steps. */
static int find_hot(struct lp *lp)
{
    double gains[LP_HOT];

    lp->hot_count = 0;
    lp->work += lp->entry_count / 32;
    for (int j = 0; j < (int)lp->column_count; j++) {
        double gain = gain_of(lp, j);
        int at = lp->hot_count < LP_HOT ? lp->hot_count : LP_HOT - 1;

        if (gain <= 0 || (lp->hot_count == LP_HOT && gain <= gains[at]))
            continue;
        lp->hot_count += lp->hot_count < LP_HOT;
        for (; at > 0 && gains[at - 1] < gain; at--) {
            gains[at] = gains[at - 1];
            lp->hot[at] = lp->hot[at - 1];
        }
        gains[at] = gain;
        lp->hot[at] = j;
    }
    return lp->hot_count > 0 ? lp->hot[0] : -1;
}

/* The column that enters: the best of those that looked best when all were looked at, else the
 * best of all; when it is stuck the first that gains. -1: none gains. */
static int entering_column(struct lp *lp, bool stuck)
{
    double most = 0;
    int best = -1;

    for (int i = 0; i < lp->hot_count && !stuck; i++) {
        double gain = gain_of(lp, lp->hot[i]);

        if (gain > most) {
            most = gain;
            best = lp->hot[i];
        }
    }
    if (best >= 0 || !stuck)
        return best >= 0 ? best : find_hot(lp);
    for (int j = 0; j < (int)lp->column_count; j++)
        if (gain_of(lp, j) > 0)
            return j;
    return -1;
}

/* What one of a column takes from the basis and from the keys. */
static void set_steps(struct lp *lp, const struct lp_column *c)
{
    const struct lp_column *key = key_of(lp, c);
    size_t n = (size_t)lp->rows;

    memset(lp->key_step, 0, sizeof(*lp->key_step) * (size_t)lp->sets);
    if (c->set != LP_FREE)
        lp->key_step[c->set] = 1;
    for (size_t i = 0; i < n; i++) {
        int set = lp->columns[lp->basis[i]].set;
        double sum = add_product(lp, c, 1, &lp->inverse[i * n], 0);

        if (key)
            sum = add_product(lp, key, -1, &lp->inverse[i * n], sum);
        lp->step[i] = sum;
        if (set != LP_FREE)
            lp->key_step[set] -= sum;
    }
}

/* What leaves: a row, or rows + a set; -1: none, no end. *most: how far it goes. */
static int leaving_place(const struct lp *lp, double *most)
{
    double least = INFINITY, pivot = 0;
    int best = -1;

    for (int i = 0; i < lp->rows + lp->sets; i++) {
        bool row = i < lp->rows;
        double step = row ? lp->step[i] : lp->key_step[i - lp->rows], ratio;

        if (step <= SMALL)
            continue;
        ratio = (row ? lp->level[i] : lp->key_level[i - lp->rows]) / step;
        if (ratio < least - 1e-12 || (ratio <= least + 1e-12 && best >= 0 && step > pivot)) {
            least = fmin(ratio, least);
            pivot = step;
            best = i;
        }
    }
    *most = least;
    return best;
}

static void move_levels(struct lp *lp, double by)
{
    for (int i = 0; i < lp->rows; i++)
        lp->level[i] = fmax(0, lp->level[i] - by * lp->step[i]);
    for (int s = 0; s < lp->sets; s++)
        if (lp->key_step[s] != 0)
            lp->key_level[s] = fmax(0, lp->key_level[s] - by * lp->key_step[s]);
}

/* A column in place of one of the basis. */
static void exchange_column(struct lp *lp, int row, int column, double by)
{
    size_t n = (size_t)lp->rows, r = (size_t)row;
    double part = 1 / lp->step[row];

    move_levels(lp, by);
    lp->age++;
    lp->columns[lp->basis[row]].place = -1;
    lp->basis[row] = column;
    lp->columns[column].place = row;
    lp->level[row] = by;
    for (size_t k = 0; k < n; k++)
        lp->inverse[r * n + k] *= part;
    for (size_t i = 0; i < n; i++) {
        double f = lp->step[i];

        if (i == r || f == 0)
            continue;
        for (size_t k = 0; k < n; k++)
            lp->inverse[i * n + k] -= f * lp->inverse[r * n + k];
    }
}

/* A key leaves: the column that enters takes its place, unless one of its set is in the basis.
 * Then that becomes the key, the key takes its row, and leaves from there: where others of the
 * set had the old key deducted, it is the new one. */
static void exchange_key(struct lp *lp, int set, int entering, double by)
{
    size_t n = (size_t)lp->rows, r = 0;
    double level, step;
    int column;

    while (r < n && lp->columns[lp->basis[r]].set != set)
        r++;
    if (r == n) {
        move_levels(lp, by);
        lp->columns[lp->key[set]].place = -1;
        lp->key[set] = entering;
        lp->columns[entering].place = IS_KEY;
        lp->key_level[set] = by;
        return;
    }
    column = lp->basis[r];
    level = lp->level[r];
    step = lp->step[r];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n && i != r && lp->columns[lp->basis[i]].set == set; k++)
            lp->inverse[r * n + k] += lp->inverse[i * n + k];
    for (size_t k = 0; k < n; k++)
        lp->inverse[r * n + k] = -lp->inverse[r * n + k];
    lp->basis[r] = lp->key[set];
    lp->columns[lp->key[set]].place = (int)r;
    lp->key[set] = column;
    lp->columns[column].place = IS_KEY;
    lp->level[r] = lp->key_level[set];
    lp->step[r] = lp->key_step[set];
    lp->key_level[set] = level;
    lp->key_step[set] = step;
    exchange_column(lp, (int)r, entering, by);
}

bool lp_solve(struct lp *lp, int steps)
{
    int stuck = 0; /* steps without a gain */

    lp->hot_count = 0;
    for (int i = 0; i < steps; i++) {
        int column, leaves;
        double by;

        if (lp->age >= REFRESH && !refresh_inverse(lp))
            return false;
        set_prices(lp);
        lp->work += ((uint64_t)(lp->rows * lp->rows + lp->sets) + lp->entry_count) / 32 + 1;
        column = entering_column(lp, stuck > STUCK_STEPS);
        if (column < 0)
            return true;
        set_steps(lp, &lp->columns[column]);
        leaves = leaving_place(lp, &by);
        if (leaves < 0)
            return false;
        if (leaves < lp->rows)
            exchange_column(lp, leaves, column, by);
        else
            exchange_key(lp, leaves - lp->rows, column, by);
        stuck = by > SMALL ? 0 : stuck + 1;
    }
    return false;
}

double lp_value(const struct lp *lp)
{
    double sum = 0;

    for (int i = 0; i < lp->rows; i++)
        sum += lp->level[i] * lp->columns[lp->basis[i]].gain;
    for (int s = 0; s < lp->sets; s++)
        sum += lp->key_level[s] * lp->columns[lp->key[s]].gain;
    return sum;
}

double lp_level(const struct lp *lp, int column)
{
    const struct lp_column *c = &lp->columns[column];

    return c->place == IS_KEY ? lp->key_level[c->set] : c->place < 0 ? 0 : lp->level[c->place];
}
