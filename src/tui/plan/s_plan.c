/*
 * s_plan.c - the Plan screen: the form, and beside it the answer that moves as the form
 * changes.
 *
 * Panels: form, answer, side (reasons, suggestions, sources). Where there is no room
 * for all, the one in focus is shown; Tab goes to the next. The form is redrawn around
 * its focus, the others scroll by their first row.
 */
#include "tui/screen.h"

#include <stdlib.h>
#include <string.h>

#include "output/print_plan.h"
#include "output/sentence.h"
#include "tui/app.h"
#include "tui/list.h"
#include "tui/plan/plan_answer.h"
#include "util/str.h"

#define LABEL_COLS 12
#define FORM_ROWS  (FIELD_COUNT + 8) /* fields and headings */

struct plan_state {
    int panel; /* PLAN_FORM, ... */
    enum field focus;
    int top[PLAN_PANELS];   /* first row shown of answer and side */
    enum field edited;      /* the one a window is open for */
    enum field reset;       /* the field reset last, */
    unsigned reset_version; /* and the form's version then: again resets all */
    bool was_reset;
};

/* ---- where things stand ---- */

static void panel_rects(const struct app *app, const struct plan_state *s,
                        struct rect out[PLAN_PANELS])
{
    struct frame frame = app_frame(app);

    frame_plan(frame.body, frame.size, s->panel, out);
}

static void fill_page(struct page *page, const struct form *form, int panel, bool alone)
{
    if (panel == PLAN_ANSWER)
        plan_answer_page(page, form, alone);
    else
        plan_side_page(page, form);
}

/* Rows of an answer or side panel that is `in` large. */
static int page_rows(const struct form *form, struct rect in, int panel, bool alone)
{
    struct page page = {.canvas = NULL, .in = in};

    fill_page(&page, form, panel, alone);
    return page.y;
}

/* ---- the form ---- */

/* The fields in rows, -1 - field for the heading before it; the first section's stands
 * in the frame. Returns how many. */
static int form_rows(int rows[FORM_ROWS])
{
    int n = 0;

    for (int f = 0; f < FIELD_COUNT; f++) {
        if (f > 0 && field_rows[f].section)
            rows[n++] = -1 - f;
        rows[n++] = f;
    }
    return n;
}

/* The first row shown: the focus stands in the middle as far as that is possible. */
static int form_top(const int *rows, int count, enum field focus, int height)
{
    int at = 0;

    while (rows[at] != (int)focus)
        at++;
    return list_top(at, count, height);
}

static const char *section_of(int row)
{
    int field = row < 0 ? -1 - row : row;

    while (!field_rows[field].section)
        field--;
    return field_rows[field].section;
}

static void draw_field(struct canvas *canvas, struct rect in, int y,
                       const struct form *form, enum field field, bool focus)
{
    bool list = field_rows[field].kind != FIELD_NUMBER;
    int x = LABEL_COLS + 1;

    if (focus)
        canvas_glyph(canvas, in, y, 0, INK_TEXT, GLYPH_CURSOR);
    canvas_fit(canvas, in, y, 1, LABEL_COLS, INK_TEXT, field_rows[field].label);
    canvas_fit(canvas, in, y, x, in.cols - x - 2, INK_TEXT, form->shown[field]);
    if (list)
        canvas_glyph(canvas, in, y, in.cols - 1, INK_TEXT, GLYPH_OPEN);
    if (focus)
        list_focus(canvas, in, y);
}

/* alone: the answer is not in sight, so its verdict stands in the frame. */
static void draw_form(struct canvas *canvas, struct rect box, const struct form *form,
                      const struct plan_state *s, bool alone)
{
    struct rect in = rect_inside(box);
    int rows[FORM_ROWS], count = form_rows(rows);
    int top = form_top(rows, count, s->focus, in.rows);
    const char *title = section_of(rows[top]);
    char part[80] = "";

    if (alone)
        plan_decision(form, box.cols - 9, part, sizeof(part));
    else if (count > in.rows)
        gp_format(part, sizeof(part), "field %d of %d", (int)s->focus + 1, FIELD_COUNT);
    if (alone && gp_width(part) + gp_width(title) + 8 >= box.cols)
        title = ""; /* the decision is what must be seen */
    canvas_box(canvas, box, title, part);
    for (int y = 0; y < in.rows && top + y < count; y++) {
        int row = rows[top + y];

        if (row < 0)
            canvas_rule(canvas, in, y, section_of(row));
        else
            draw_field(canvas, in, y, form, (enum field)row,
                       row == (int)s->focus && s->panel == PLAN_FORM);
    }
}

/* ---- answer and side ---- */

static void draw_page(struct canvas *canvas, struct rect box, const struct form *form,
                      const struct plan_state *s, int panel, bool alone)
{
    struct rect in = rect_inside(box);
    int rows = page_rows(form, in, panel, alone);
    int top = list_clamp(s->top[panel], 0, rows - in.rows);
    struct page page = {.canvas = canvas, .in = in, .y = -top};
    char title[120] = "Suggestions and sources", part[40] = "";

    if (panel == PLAN_ANSWER)
        plan_answer_title(form, title, sizeof(title));
    if (rows > in.rows)
        gp_format(part, sizeof(part), "%d-%d of %d", top + 1,
                  top + in.rows < rows ? top + in.rows : rows, rows);
    canvas_box(canvas, box, title, part);
    fill_page(&page, form, panel, alone);
    if (s->panel == panel)
        canvas_cursor(canvas, in, 0, 0);
}

static void plan_draw(const struct app *app, const void *state, struct canvas *canvas,
                      const struct frame *frame)
{
    const struct plan_state *s = state;
    struct rect box[PLAN_PANELS];

    frame_plan(frame->body, frame->size, s->panel, box);
    if (!rect_empty(box[PLAN_FORM]))
        draw_form(canvas, box[PLAN_FORM], app->form, s,
                  rect_empty(box[PLAN_ANSWER]) && rect_empty(box[PLAN_SIDE]));
    for (int panel = PLAN_ANSWER; panel < PLAN_PANELS; panel++)
        if (!rect_empty(box[panel]))
            draw_page(canvas, box[panel], app->form, s, panel,
                      rect_empty(box[PLAN_SIDE]));
}

/* ---- moving ---- */

static void scroll(const struct app *app, struct plan_state *s, int by)
{
    struct rect box[PLAN_PANELS], in;
    int rows;

    panel_rects(app, s, box);
    in = rect_inside(box[s->panel]);
    rows = page_rows(app->form, in, s->panel, rect_empty(box[PLAN_SIDE]));
    s->top[s->panel] = list_clamp(s->top[s->panel] + by, 0, rows - in.rows);
}

static int page_of(const struct app *app, const struct plan_state *s)
{
    struct rect box[PLAN_PANELS];
    int rows;

    panel_rects(app, s, box);
    rows = box[s->panel].rows - 3;
    return rows > 1 ? rows : 1;
}

static void focus_or_scroll(struct app *app, struct plan_state *s, int by)
{
    if (s->panel == PLAN_FORM)
        s->focus = (enum field)list_clamp((int)s->focus + by, 0, FIELD_COUNT - 1);
    else
        scroll(app, s, by);
}

/* ---- changing ---- */

static void report_change(struct app *app, enum gp_status rc,
                          const struct gp_err *err)
{
    if (rc)
        app_report_err(app, err);
    else if (!app->form->answered)
        app_report_err(app, &app->form->err);
}

static bool field_step(struct app *app, struct plan_state *s, int by)
{
    struct gp_err err = {0};

    if (s->panel != PLAN_FORM)
        return false;
    report_change(app, form_step(app->form, s->focus, by, &err), &err);
    return true;
}

static void choice_chosen(struct app *app, void *ctx, const char *id)
{
    struct plan_state *s = ctx;
    struct gp_err err = {0};

    report_change(app, form_set(app->form, s->edited, id, &err), &err);
}

static void edit_choice(struct app *app, struct plan_state *s)
{
    int count;
    struct choice *choices = form_choices(app->form, s->edited, true, &count);
    struct chooser_ask options = {.title = field_rows[s->edited].label,
                                  .choices = choices,
                                  .count = count,
                                  .selected = app->form->values.value[s->edited],
                                  .free = form_free_text(s->edited),
                                  .paths = s->edited == FIELD_MODEL,
                                  .chosen = choice_chosen,
                                  .ctx = s};

    chooser_open(&app->display, &options);
    free(choices);
}

static bool number_typed(struct app *app, void *ctx, const char *text,
                         struct gp_err *err)
{
    struct plan_state *s = ctx;
    enum gp_status rc = form_set(app->form, s->edited, text, err);

    if (!rc)
        report_change(app, GP_OK, NULL);
    return rc == GP_OK;
}

static void edit_number(struct app *app, struct plan_state *s)
{
    const struct field_row *row = &field_rows[s->edited];
    const struct option_row *option = &option_rows[row->option];
    const char *fallback = s->edited == FIELD_GPUS ? "auto" : option->fallback;
    char label[40], hint[200];
    struct prompt_ask options = {.label = label,
                                 .text = app->form->values.value[s->edited],
                                 .hint = hint,
                                 .history = PROMPT_VALUE,
                                 .done = number_typed,
                                 .ctx = s};

    gp_format(label, sizeof(label), "%s: ", row->label);
    gp_format(hint, sizeof(hint), "%s; empty: %s",
              option->type == OPTION_TOKENS  ? "tokens, such as 8192 or 32k"
              : option->type == OPTION_BYTES ? "a size, such as 2GiB"
              : s->edited == FIELD_GPUS      ? "a count"
              : option->unit[0]              ? option->unit
                                             : "a share, such as 0.9",
              fallback);
    prompt_open(&app->display, &options);
}

static bool field_edit(struct app *app, struct plan_state *s)
{
    if (s->panel != PLAN_FORM)
        return false;
    s->edited = s->focus;
    if (field_rows[s->focus].kind == FIELD_NUMBER)
        edit_number(app, s);
    else
        edit_choice(app, s);
    return true;
}

/* The first press resets the field, the next one everything. */
static bool field_reset(struct app *app, struct plan_state *s)
{
    struct form *form = app->form;
    struct gp_err err = {0};
    bool again =
        s->was_reset && s->reset == s->focus && s->reset_version == form->version;
    enum gp_status rc =
        again ? form_reset_all(form, &err) : form_reset(form, s->focus, &err);

    s->was_reset = !again;
    s->reset = s->focus;
    s->reset_version = form->version;
    if (rc)
        app_report_err(app, &err);
    else if (again)
        app_report(app, false, "all fields reset to their defaults; u undoes it");
    else
        app_report(app, false, "%s: reset to its default; r again resets every field",
                   field_rows[s->focus].label);
    return true;
}

static bool field_solve(struct app *app, struct plan_state *s)
{
    struct gp_err err = {0};

    if (form_solve(app->form, s->focus, &err))
        app_report_err(app, &err);
    else
        app_report(app, false, "%s: %s is the best that fits",
                   field_rows[s->focus].label, app->form->shown[s->focus]);
    return true;
}

/* ---- suggestions ---- */

static void fix_chosen(struct app *app, void *ctx, const char *id)
{
    int i = atoi(id) - 1;
    char option[FIX_OPTIONS_MAX];
    struct gp_err err = {0};

    (void)ctx;
    planner_fix_options(&app->form->answer->fixes[i], option);
    if (form_apply(app->form, i, &err))
        app_report_err(app, &err);
    else
        app_report(app, false, "applied: %s (u undoes it)", option);
}

/* Applies the only suggestion, or opens a list of them. */
static bool apply(struct app *app)
{
    const struct answer *a = app->form->answer;
    int count = app->form->answered ? a->fix_count : 0;
    struct choice choices[PLAN_MAX_FIXES] = {0};
    struct chooser_ask options = {
        .title = "What would fit", .choices = choices, .count = count,
        .chosen = fix_chosen};

    for (int i = 0; i < count; i++) {
        const struct fix *f = &a->fixes[i];
        struct choice *c = &choices[i];
        char what[SENTENCE_MAX], option[FIX_OPTIONS_MAX], cost[32] = "cost unknown";

        if (f->per_hour > 0)
            gp_format(cost, sizeof(cost), "%.2f $/h", f->per_hour);
        gp_format(c->id, sizeof(c->id), "%d", i + 1);
        gp_format(c->text, sizeof(c->text), "%d. %s", i + 1,
                  planner_fix_options(f, option));
        gp_format(c->more, sizeof(c->more), "%s, %s", sentence_fix(f, what), cost);
    }
    if (count > 1)
        chooser_open(&app->display, &options);
    else if (count == 1)
        fix_chosen(app, NULL, "1");
    else
        app_report(app, false, "nothing to apply");
    return true;
}

/* ---- find, why, pin ---- */

static void field_chosen(struct app *app, void *ctx, const char *id)
{
    struct plan_state *s = ctx;

    (void)app;
    s->panel = PLAN_FORM;
    s->focus = (enum field)list_clamp(atoi(id), 0, FIELD_COUNT - 1);
}

static bool field_find(struct app *app, struct plan_state *s)
{
    struct choice choices[FIELD_COUNT] = {0};
    char selected[16];
    struct chooser_ask options = {.title = "Fields",
                                  .choices = choices,
                                  .count = FIELD_COUNT,
                                  .selected = selected,
                                  .chosen = field_chosen,
                                  .ctx = s};

    gp_format(selected, sizeof(selected), "%d", (int)s->focus);
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct field_row *row = &field_rows[f];

        gp_format(choices[f].id, sizeof(choices[f].id), "%d", f);
        gp_format(choices[f].text, sizeof(choices[f].text), "%-12s --%s", row->label,
                  option_rows[row->option].name);
        gp_copy(choices[f].more, sizeof(choices[f].more), app->form->shown[f]);
    }
    chooser_open(&app->display, &options);
    return true;
}

static bool show_why(struct app *app, const struct plan_state *s)
{
    bool values = s->panel == PLAN_FORM;
    struct strbuf text;
    char title[80] = "Why";

    if (!app->form->answered) {
        app_report_err(app, &app->form->err);
        return true;
    }
    strbuf_init(&text);
    plan_why_text(app->form, values ? s->focus : FIELD_COUNT, &text);
    if (values)
        gp_format(title, sizeof(title), "Why: %s first", field_rows[s->focus].label);
    pager_open(&app->display, title, text.text);
    strbuf_fini(&text);
    return true;
}

static bool pin_toggle(struct app *app)
{
    if (!app->form->answered && !app->form->pinned) {
        app_report(app, false, "no answer to pin");
        return true;
    }
    form_pin(app->form);
    app_report(app, false, "%s",
               app->form->pinned
                   ? "pinned: the answer shows the difference; p again unpins"
                   : "unpinned");
    return true;
}

/* ---- the table ---- */

static bool back_to_form(struct plan_state *s)
{
    bool away = s->panel != PLAN_FORM;

    s->panel = PLAN_FORM;
    return away;
}

static bool plan_act(struct app *app, void *state, enum action action)
{
    struct plan_state *s = state;
    int by = list_step(action, page_of(app, s));

    if (by != 0) {
        focus_or_scroll(app, s, by);
        return true;
    }
    switch (action) {
    case ACT_LEFT:
    case ACT_LESS:
        return field_step(app, s, -1);
    case ACT_RIGHT:
    case ACT_MORE:
        return field_step(app, s, +1);
    case ACT_PANEL:
    case ACT_PANEL_BACK:
        s->panel += action == ACT_PANEL ? 1 : PLAN_PANELS - 1;
        s->panel %= PLAN_PANELS;
        return true;
    case ACT_BACK:
        return back_to_form(s);
    case ACT_EDIT:
        return field_edit(app, s);
    case ACT_RESET:
        return field_reset(app, s);
    case ACT_SOLVE:
        return field_solve(app, s);
    case ACT_APPLY:
        return apply(app);
    case ACT_FIND:
        return field_find(app, s);
    case ACT_WHY:
        return show_why(app, s);
    case ACT_PIN:
        return pin_toggle(app);
    default:
        return false;
    }
}

/* A click sets the focus; on the field in focus it is Enter. */
static void plan_click(struct app *app, void *state, int y, int x)
{
    struct plan_state *s = state;
    struct rect box[PLAN_PANELS], in;
    int rows[FORM_ROWS], count = form_rows(rows), at, hit = -1;
    struct frame frame = app_frame(app);

    panel_rects(app, s, box);
    y += frame.body.y;
    x += frame.body.x;
    for (int i = 0; i < PLAN_PANELS; i++)
        if (!rect_empty(box[i]) && y >= box[i].y && y < box[i].y + box[i].rows &&
            x >= box[i].x && x < box[i].x + box[i].cols)
            hit = i;
    if (hit < 0)
        return;
    if (hit != PLAN_FORM) {
        s->panel = hit;
        return;
    }
    in = rect_inside(box[PLAN_FORM]);
    at = form_top(rows, count, s->focus, in.rows) + y - in.y;
    if (y < in.y || y >= in.y + in.rows || at >= count || rows[at] < 0)
        return;
    if (s->panel == PLAN_FORM && rows[at] == (int)s->focus)
        field_edit(app, s);
    s->panel = PLAN_FORM;
    s->focus = (enum field)rows[at];
}

static void plan_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct plan_state *s = state;

    (void)app;
    if (s->panel == PLAN_FORM)
        strbuf_add(out, field_rows[s->focus].explain);
    else if (s->panel == PLAN_ANSWER)
        strbuf_add(out, "Memory of one GPU; exact: counted, sheet: a vendor's figure, "
                        "model: estimated.\nfree = usable - weights - overheads - "
                        "users' need; y shows every equation");
    else
        strbuf_add(out, "Each suggestion was planned like any request: a takes one.\n"
                        "Gain is room per GPU; cost is against this plan");
}

static void plan_title(const struct app *app, const void *state, struct strbuf *out)
{
    const char *file = app->form->file, *slash = strrchr(file, '/');

    (void)state;
    if (file[0])
        strbuf_addf(out, "%s%s", slash ? slash + 1 : file,
                    form_changed(app->form) ? "*" : "");
}

static enum gp_status plan_export(const struct app *app, const void *state,
                                  const char *suffix, struct strbuf *out,
                                  struct gp_err *err)
{
    const struct form *form = app->form;
    struct options options;

    (void)state;
    form_ask(form, &options);
    if (!form->answered) {
        *err = form->err;
        return err->code;
    }
    if (strcmp(suffix, "json") == 0)
        print_plan_json(form->answer, &options, false, out);
    else if (strcmp(suffix, "txt") == 0)
        print_plan(form->answer, &options, false, false, out);
    else
        print_plan_table(form->answer, OUTPUT_CSV, out);
    return GP_OK;
}

static void plan_command(const struct app *app, const void *state, struct strbuf *out)
{
    (void)state;
    form_command(app->form, "plan", out);
}

const struct screen_ops screen_plan = {
    .state_size = sizeof(struct plan_state),
    .draw = plan_draw,
    .act = plan_act,
    .explain = plan_explain,
    .title = plan_title,
    .suffixes = "txt json csv",
    .export = plan_export,
    .command = plan_command,
    .click = plan_click,
};
