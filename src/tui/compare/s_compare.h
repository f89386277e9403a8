/*
 * s_compare.h - the state of the Compare screen, and the functions that its files
 * share: s_compare.c acts, s_compare_draw.c draws, compare_detail.c one row at length.
 */
#ifndef GP_TUI_COMPARE_S_COMPARE_H
#define GP_TUI_COMPARE_S_COMPARE_H

#include "tui/app.h"
#include "tui/compare/compare_view.h"
#include "tui/rows_task.h"

#define COMPARE_FORMATS OPTIONS_MAX_MANY /* precisions at once */
#define COMPARE_ABOVE 2                  /* lines over the rows: what is shown, titles */

struct compare_state {
    struct rows_task rows; /* run NULL: none, and err says why */
    struct gp_err err;
    struct compare_view view;
    struct strbuf load;                   /* the command the rows are of */
    unsigned version;                     /* of the form */
    char precisions[COMPARE_FORMATS * 8]; /* ids, ',' between */
    char focus[COMPARE_KEY];              /* row that the user went to; "" = the first */
    size_t at;                            /* where it is */
    int panel, detail_top;                /* COMPARE_TABLE or _DETAIL; first line of it */
};

/* The row in focus; NULL when none is shown. */
const struct compare_row *compare_focus(const struct compare_state *state);

/* The insides of the panels that are shown, the others empty. */
void compare_panels(const struct app *app, const struct compare_state *state,
                    struct rect out[COMPARE_PANELS]);
/* Rows that are seen at once / the first of them when so many are. */
int compare_page(const struct app *app, const struct compare_state *state);
int compare_top(const struct compare_state *state, int page);

/* "9 of 225", "planned 120 of 225" */
void compare_count(const struct compare_state *state, struct strbuf *out);

/* A screen's draw(). */
void compare_draw(const struct app *app, const void *state, struct canvas *canvas,
                  const struct frame *frame);

/* Titles and the first rows of the table, as Plan shows them below itself. */
void compare_rows_draw(const void *state, struct canvas *canvas, struct rect in);

/* ---- compare_detail.c: the row in focus at length: its memory as a bar, layout, what
 * it holds and costs, why not, who says so ---- */
/* Into the rectangle, from line `top` on. */
void compare_detail_draw(struct canvas *canvas, struct rect in, const struct compare_row *row,
                         int top);
/* Its lines when they are so many columns wide. */
int compare_detail_lines(const struct compare_row *row, int cols);
/* "l40s x 4, fp8: fits" */
void compare_detail_title(const struct compare_row *row, struct strbuf *out);

#endif
