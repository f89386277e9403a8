/*
 * list.h - rows of which some are in sight and one is in focus: forms, tables, points.
 *
 * The row in focus stands in the middle, but at both ends of the list.
 */
#ifndef GP_TUI_LIST_H
#define GP_TUI_LIST_H

#include "tui/action.h"
#include "tui/toolkit/canvas.h"

#define LIST_ALL 1000000 /* more rows than any list has */
#define LIST_COLUMNS 10  /* of a table */

/* Rows that a motion goes down, < 0: up. page: those of PgUp and PgDn. 0: the action is
 * no motion. */
int list_step(enum action action, int page);
/* The value, or the end of low..high that is nearer; low when high is less. */
int list_clamp(int value, int low, int high);
/* The first row in sight when `rows` of `count` are, and `at` is in focus. */
int list_top(int at, int count, int rows);
/* Row y as the one in focus. */
void list_focus(struct canvas *canvas, struct rect in, int y);

/* ---- tables ---- */
struct list_column {
    const char *title;
    int cols;   /* a blank stands between two; 0: what the others leave */
    int least;  /* shown when the table is at least so wide */
    bool right; /* numbers */
};
struct list_table {
    const struct list_column *columns;
    int count, x[LIST_COLUMNS], cols[LIST_COLUMNS]; /* 0: not shown */
};
/* Where the columns stand in a table of so many cells. */
struct list_table list_table(const struct list_column *columns, int count, int cols);
void list_titles(struct canvas *canvas, struct rect in, const struct list_table *table);
void list_cell(struct canvas *canvas, struct rect in, int y, const struct list_table *table,
               int column, enum ink ink, const char *text);
/* Text in `cols` columns from x on, at their left or right. */
void list_text(struct canvas *canvas, struct rect in, int y, int x, int cols, bool right,
               enum ink ink, const char *text);

#endif
