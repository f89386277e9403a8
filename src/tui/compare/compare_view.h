/*
 * compare_view.h - which rows of a comparison are shown, in which order, and their
 * columns. Pure: no canvas, no keys.
 *
 * Every row keeps its facts (the sheet that --compare prints), and cells, order and
 * filter all read those: a number on the screen cannot differ from that of the command.
 *
 * Order: the plan's own row, which no filter hides; marked rows; then what fits, what is
 * marginal, what does not fit, whichever
 * column sorts; then the column, what is not known last; then as --compare has it.
 *
 * A filter is words that must all hold, case ignored. "h100" stands in the GPU's id,
 * name, vendor or architecture, the precision, verdict, limit or offer; "!nvidia" does
 * not; "mem>=40" compares a number (names: compare_filter.c), "$<10" dollars per
 * hour, "front" and "marked" are rows that are it.
 */
#ifndef GP_TUI_COMPARE_COMPARE_VIEW_H
#define GP_TUI_COMPARE_COMPARE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/compare_run.h"
#include "base/err.h"
#include "base/str.h"
#include "tui/toolkit/canvas.h"

enum compare_column {
    COLUMN_GPU,
    COLUMN_PRECISION,
    COLUMN_GPUS,
    COLUMN_VERDICT,
    COLUMN_TPOT,
    COLUMN_TOKENS,
    COLUMN_HOUR,
    COLUMN_MILLION,
    COLUMN_REQUESTS,
    COLUMN_LAYOUT,
    COLUMN_MEMORY,
    COLUMN_WEIGHTS,
    COLUMN_POOL,
    COLUMN_MONTH,
    COLUMN_LIMIT,
    COLUMN_BAR, /* memory as a bar, drawn by the screen */
    COLUMN_COUNT
};

#define COMPARE_FILTER 120
#define COMPARE_BAR 30 /* cells of the bar's column */
#define COMPARE_KEY 96

struct compare_row {
    const struct compared *compared; /* of the comparison */
    struct record facts;             /* owned */
    char key[COMPARE_KEY];           /* which GPU and precision: "l40s:0 fp8" */
    bool marked;
};

struct compare_view {
    const struct comparison *comparison; /* NULL: none yet; borrowed */
    struct compare_row *rows;            /* in the comparison's order */
    size_t count, cap;
    bool complete; /* all are planned: sorted, front known */
    size_t *shown; /* (count): indices of rows, in the order shown */
    size_t shown_count;
    enum compare_column sort;
    bool reverse;
    char filter[COMPARE_FILTER];
    int width[COLUMN_COUNT]; /* of the widest cell or title */
    char mark[COLUMN_COUNT]; /* '~' or '?' when every number has it: so has the title, no
                              * cell; 0 */
    size_t good;             /* rows that fit and meet the goals */
    char own[COMPARE_KEY];   /* the plan's row; "" = none */
    struct compared plan;    /* the plan itself, where its count or layout is given */
    struct compare_row plan_row;
    bool planned;               /* ... which then is the first row */
    char (*marks)[COMPARE_KEY]; /* keys of the rows marked; they outlive the rows */
    size_t mark_count, mark_cap;
};

void compare_view_init(struct compare_view *view);
void compare_view_fini(struct compare_view *view);

/* Another comparison (NULL: none): no rows; sort, filter and marks stay. */
void compare_view_begin(struct compare_view *view, const struct comparison *comparison);
/* Takes the rows planned since, or all anew when the comparison has come to its end. */
void compare_view_update(struct compare_view *view);

/* The plan: its row is that of this key, or, when the plan says more than GPU and format,
 * a row of its own. */
void compare_view_own(struct compare_view *view, const char *key,
                      const struct plan *plan /* NULL: the row of the key is it */);

/* Indices of the rows that the filter leaves, in order; pin: the plan's own one first,
 * whatever the filter. out: (count). Returns how many. */
size_t compare_view_order(const struct compare_view *view, bool pin, size_t *out);

/* Row i of those shown. */
const struct compare_row *compare_view_row(const struct compare_view *view, size_t i);
/* Where the row of this key is shown; shown_count when it is not. */
size_t compare_view_find(const struct compare_view *view, const char *key);

void compare_view_sort(struct compare_view *view, enum compare_column column, bool reverse);
/* "" = all. A filter that cannot be (a comparison with a word) changes nothing. */
enum gp_status compare_view_filter(struct compare_view *view, const char *filter,
                                   struct gp_err *err);
/* While it is typed: a last word that is not whole yet ("mem>") is left out. */
void compare_view_typed(struct compare_view *view, const char *text);
/* What tells a row from every other: GPU, count, precision. */
void compare_key(const struct request *request, char key[COMPARE_KEY]);
void compare_view_mark(struct compare_view *view, const char *key);

/* ---- columns ---- */

struct compare_column_row {
    const char *fact;   /* of comparison_facts(); also what JSON calls it */
    const char *title;  /* "weights GiB" */
    const char *sort;   /* in the header when it sorts: "weights" */
    const char *option; /* what --sort calls this order; NULL: nothing */
    bool right;
    bool descends; /* the largest first, unless reversed */
    int rank;      /* the lower, the longer it stays in a narrow table */
};
extern const struct compare_column_row compare_columns[COLUMN_COUNT];

/* The columns that fit in `cols` with a blank between them: by rank, the one that sorts
 * before those that may go. *least: of the GPU's column. Returns how many, in order. */
int compare_view_columns(const struct compare_view *view, int cols,
                         enum compare_column out[COLUMN_COUNT], int *gpu_width);
/* By its key in JSON of a model that answers with tokens; NULL: the row has none. */
const struct fact *compare_view_fact(const struct compare_row *row, const char *key);
void compare_view_cell(const struct compare_row *row, enum compare_column column,
                       struct strbuf *out);

/* Titles and the first rows of the screen's table, as Plan shows them below itself; state: of
 * Compare. (s_compare.c) */
void compare_rows_draw(const void *state, struct canvas *canvas, struct rect in);

#endif
