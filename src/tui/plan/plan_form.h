/*
 * plan_form.h - the rows of the form: fields under headings, and the sections that experts
 * need, folded into a row each that says their values ("+ Layout  auto: TP 2").
 *
 * A row of the form that can have the focus is a number: a field is its enum, a fold is
 * FIELD_COUNT and more.
 */
#ifndef GP_TUI_PLAN_PLAN_FORM_H
#define GP_TUI_PLAN_PLAN_FORM_H

#include "tui/form.h"
#include "tui/toolkit/canvas.h"

enum { PLAN_FOLDS = 3, PLAN_FORM_ROWS = FIELD_COUNT + 8 };

struct plan_rows {
    int row[PLAN_FORM_ROWS]; /* a field, a fold, or -1 - field for the heading before it */
    int count;
    unsigned open; /* bits of the folds that are open */
};

struct plan_rows plan_form_rows(unsigned open);
/* The first row shown: the focus stands in the middle as far as that is possible. */
int plan_form_top(const struct plan_rows *rows, int focus, int height);
/* focus: the row in focus, -1 = none. */
void plan_form_draw(struct canvas *canvas, struct rect in, const struct form *form,
                    const struct plan_rows *rows, int top, int focus);

/* The focus so many rows further down. */
int plan_form_move(unsigned open, int focus, int by);
bool plan_form_is_open(unsigned open, int fold);
void plan_form_fold(unsigned *open, int fold, bool opens);
/* Opens the section that a field is in. */
void plan_form_show(unsigned *open, enum field field);
/* What a fold is, and how to open it. */
const char *plan_form_explain(int fold);

#endif
