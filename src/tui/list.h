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

/* Rows that a motion goes down, < 0: up. page: those of PgUp and PgDn. 0: the action is
 * no motion. */
int list_step(enum action action, int page);
/* The value, or the end of low..high that is nearer; low when high is less. */
int list_clamp(int value, int low, int high);
/* The first row in sight when `rows` of `count` are, and `at` is in focus. */
int list_top(int at, int count, int rows);
/* Row y as the one in focus. */
void list_focus(struct canvas *canvas, struct rect in, int y);

#endif
