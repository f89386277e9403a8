/*
 * plan_form.c - see plan_form.h.
 */
#include "tui/plan/plan_form.h"

#include <string.h>

#include "answer/sentence.h"
#include "base/str.h"
#include "tui/list.h"

#define LABEL_COLS 11

/* ---- folds: sections of the table of fields ---- */

static void layout_value(const struct form *form, char *text, size_t size)
{
    char layout[96];

    gp_format(text, size, "%s",
              sentence_layout(&form->answer->plan.layout, layout, sizeof(layout)));
}

static void engine_value(const struct form *form, char *text, size_t size)
{
    const struct engine *e = form->answer->plan.request.engine;

    gp_format(text, size, "%s %s", e->name, e->range);
}

static void cost_value(const struct form *form, char *text, size_t size)
{
    gp_copy(text, size, form->shown[FIELD_PRICE]);
}

static const struct fold {
    enum field first;
    void (*value)(const struct form *, char *, size_t);
    const char *explain;
} folds[PLAN_FOLDS] = {
    {FIELD_TP, layout_value,
     "Layout: how the GPUs share the model; auto finds the cheapest that fits.\n"
     "Enter opens TP, PP, EP, replicas"},
    {FIELD_ENGINE, engine_value,
     "Engine: what serves, its KV format, slots, budget, offload, draft, adapters.\n"
     "Enter opens them"},
    {FIELD_PRICE, cost_value,
     "Cost: which prices count, hours, electricity; limits of $/h and watts.\n"
     "Enter opens them"},
};

/* The fold of a field; -1: it is always in sight. */
static int fold_of(int field)
{
    int fold = -1;

    for (int i = 0; i < PLAN_FOLDS; i++)
        if (field >= (int)folds[i].first)
            fold = i;
    return fold;
}

bool plan_form_is_open(unsigned open, int fold)
{
    return open >> (fold - FIELD_COUNT) & 1u;
}

void plan_form_fold(unsigned *open, int fold, bool opens)
{
    unsigned bit = 1u << (fold - FIELD_COUNT);

    *open = opens ? *open | bit : *open & ~bit;
}

void plan_form_show(unsigned *open, enum field field)
{
    if (fold_of((int)field) >= 0)
        plan_form_fold(open, FIELD_COUNT + fold_of((int)field), true);
}

const char *plan_form_explain(int fold)
{
    return folds[fold - FIELD_COUNT].explain;
}

/* ---- rows ---- */

struct plan_rows plan_form_rows(unsigned open)
{
    struct plan_rows rows = {.open = open};

    for (int f = 0; f < FIELD_COUNT; f++) {
        int fold = fold_of(f);

        if (fold >= 0 && f == (int)folds[fold].first)
            rows.row[rows.count++] = FIELD_COUNT + fold;
        else if (fold < 0 && f > 0 && field_rows[f].form->section)
            rows.row[rows.count++] = -1 - f;
        if (fold < 0 || plan_form_is_open(open, FIELD_COUNT + fold))
            rows.row[rows.count++] = f;
    }
    return rows;
}

static int place_of(const struct plan_rows *rows, int focus)
{
    int at = 0;

    while (at + 1 < rows->count && rows->row[at] != focus)
        at++;
    return at;
}

int plan_form_top(const struct plan_rows *rows, int focus, int height)
{
    return list_top(place_of(rows, focus), rows->count, height);
}

int plan_form_move(unsigned open, int focus, int by)
{
    struct plan_rows rows = plan_form_rows(open);
    int at = place_of(&rows, focus), step = by < 0 ? -1 : 1;

    for (int left = by < 0 ? -by : by; left > 0; left--) {
        int next = at + step;

        while (next >= 0 && next < rows.count && rows.row[next] < 0)
            next += step; /* headings take no focus */
        if (next < 0 || next >= rows.count)
            break;
        at = next;
    }
    return rows.row[at];
}

/* ---- painting ---- */

/* Has any field of the fold a value of its own? */
static bool is_given(const struct form *form, int fold)
{
    for (int f = (int)folds[fold].first; f < FIELD_COUNT && fold_of(f) == fold; f++)
        if (form->values.value[f][0])
            return true;
    return false;
}

static void draw_fold(struct canvas *canvas, struct rect in, int y, const struct form *form,
                      int fold, bool open)
{
    char text[120] = "", value[100] = "";

    if (form->answered)
        folds[fold].value(form, value, sizeof(value));
    gp_format(text, sizeof(text), "%s%s", is_given(form, fold) || fold == 2 ? "" : "auto: ", value);
    if (gp_width(text) > in.cols - LABEL_COLS - 1)
        gp_copy(text, sizeof(text), value);
    canvas_text(canvas, in, y, 0, INK_KEY, open ? "-" : "+");
    canvas_fit(canvas, in, y, 1, LABEL_COLS, INK_HEADING,
               field_rows[folds[fold].first].form->section);
    canvas_fit(canvas, in, y, LABEL_COLS + 1, in.cols - LABEL_COLS - 1, INK_TEXT, text);
}

static void draw_field(struct canvas *canvas, struct rect in, int y, const struct form *form,
                       int field)
{
    bool list = !field_is_number((enum field)field);
    int x = LABEL_COLS + 1;

    canvas_fit(canvas, in, y, 1, LABEL_COLS, INK_TEXT, field_rows[field].form->label);
    canvas_fit(canvas, in, y, x, in.cols - x - (list ? 1 : 0), INK_TEXT, form->shown[field]);
    if (list)
        canvas_glyph(canvas, in, y, in.cols - 1, INK_TEXT, GLYPH_OPEN);
}

void plan_form_draw(struct canvas *canvas, struct rect in, const struct form *form,
                    const struct plan_rows *rows, int top, int focus)
{
    for (int y = 0; y < in.rows && top + y < rows->count; y++) {
        int row = rows->row[top + y];

        if (row < 0)
            canvas_rule(canvas, in, y, field_rows[-1 - row].form->section);
        else if (row < FIELD_COUNT)
            draw_field(canvas, in, y, form, row);
        else
            draw_fold(canvas, in, y, form, row - FIELD_COUNT, plan_form_is_open(rows->open, row));
        if (row >= 0 && row == focus) {
            if (row < FIELD_COUNT)
                canvas_glyph(canvas, in, y, 0, INK_TEXT, GLYPH_CURSOR);
            list_focus(canvas, in, y);
        }
    }
}
