/*
 * s_plan.c - the Plan screen: the form, and beside it the answer that moves as the form
 * changes.
 *
 * Panels: form and answer, on a large screen also alternatives, what breaks first, and
 * Compare's rows below. Where there is no room for two, a strip of the answer stands above
 * the one in focus; Tab goes to the other. The form is drawn around its focus, the answer
 * scrolls below its first rows, which never move.
 */
#include "tui/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/print_plan.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "tui/app.h"
#include "tui/compare/compare_view.h"
#include "tui/list.h"
#include "tui/plan/plan_alternatives.h"
#include "tui/plan/plan_answer.h"
#include "tui/plan/plan_form.h"

#define AT_ONCE 0.006 /* s that opening a list waits for its outcomes */

struct plan_state {
    int panel;              /* PLAN_FORM or PLAN_ANSWER */
    int focus;              /* a row of the form: a field, or a fold (plan_form.h) */
    unsigned open;          /* bits of the folds that are open */
    int top;                /* first row shown of the answer's page */
    enum field edited;      /* the one a window is open for */
    enum field reset;       /* the field reset last, */
    unsigned reset_version; /* and the form's version then: again resets all */
    bool was_reset;
    struct plan_more more;
    struct plan_choices choices; /* of the list that is open */
};

/* The field in focus; FIELD_COUNT: a fold is. */
static enum field focus_field(const struct plan_state *s)
{
    return s->focus < FIELD_COUNT ? (enum field)s->focus : FIELD_COUNT;
}

/* ---- where things stand ---- */

static void panel_rects(const struct app *app, const struct plan_state *s,
                        struct rect out[PLAN_PANELS])
{
    struct frame frame = app_frame(app);

    frame_plan(frame.body, frame.size, s->panel, out);
}

static const struct plan_more *more_of(const struct plan_state *s, const struct form *form)
{
    return plan_more_fresh(&s->more, form) ? &s->more : NULL;
}

/* The inside of the answer's panel below its head, which does not scroll. */
static struct rect page_rect(struct rect box, enum size_class size)
{
    struct rect in = rect_inside(box);
    int head = size == SIZE_ONE ? 0 : PLAN_HEAD;

    return (struct rect){in.y + head, in.x, in.rows - head, in.cols};
}

/* Rows of the answer's page in a panel that is `in` large. */
static int page_rows(const struct form *form, const struct plan_state *s, struct rect in)
{
    struct page page = {.canvas = NULL, .in = in};

    plan_answer_page(&page, form, more_of(s, form));
    return page.y;
}

/* ---- painting ---- */

static void draw_form(struct canvas *canvas, struct rect box, const struct form *form,
                      const struct plan_state *s)
{
    struct plan_rows rows = plan_form_rows(s->open);
    struct rect in = rect_inside(box);
    int top = plan_form_top(&rows, s->focus, in.rows);
    char part[40] = "";

    if (rows.count > in.rows)
        gp_format(part, sizeof(part), "%d-%d of %d", top + 1,
                  top + in.rows < rows.count ? top + in.rows : rows.count, rows.count);
    canvas_box(canvas, box, "Ask", part);
    plan_form_draw(canvas, in, form, &rows, top, s->panel == PLAN_FORM ? s->focus : -1);
}

static void draw_answer(struct canvas *canvas, struct rect box, const struct form *form,
                        const struct plan_state *s, enum size_class size)
{
    struct rect in = page_rect(box, size), all = rect_inside(box);
    int rows = page_rows(form, s, in), top = list_clamp(s->top, 0, rows - in.rows);
    struct page page = {.canvas = canvas, .in = in, .y = -top};
    char title[120], part[40] = "";

    plan_answer_title(form, title, sizeof(title));
    if (rows > in.rows)
        gp_format(part, sizeof(part), s->panel == PLAN_ANSWER ? "%d-%d of %d" : "%d-%d of %d, Tab",
                  top + 1, top + in.rows < rows ? top + in.rows : rows, rows);
    canvas_box(canvas, box, title, part);
    if (size != SIZE_ONE)
        plan_head_draw(canvas, all, form);
    if (in.rows > 0)
        plan_answer_page(&page, form, more_of(s, form));
    if (s->panel == PLAN_ANSWER)
        canvas_cursor(canvas, in, 0, 0);
}

static void draw_side(struct canvas *canvas, struct rect box, const struct form *form,
                      const struct plan_state *s)
{
    canvas_box(canvas, box, "Alternatives, cheapest first", NULL);
    if (more_of(s, form))
        plan_side_draw(canvas, rect_inside(box), form, &s->more);
}

static void draw_rows(const struct app *app, struct canvas *canvas, struct rect box)
{
    canvas_box(canvas, box, "Compare", "2: all rows");
    if (app->state[SCREEN_COMPARE])
        compare_rows_draw(app->state[SCREEN_COMPARE], canvas, rect_inside(box));
}

static void plan_draw(const struct app *app, const void *state, struct canvas *canvas,
                      const struct frame *frame)
{
    const struct plan_state *s = state;
    struct rect box[PLAN_PANELS];

    frame_plan(frame->body, frame->size, s->panel, box);
    if (!rect_empty(box[PLAN_STRIP]))
        plan_strip_draw(canvas, box[PLAN_STRIP], app->form);
    if (!rect_empty(box[PLAN_FORM]))
        draw_form(canvas, box[PLAN_FORM], app->form, s);
    if (!rect_empty(box[PLAN_ANSWER]))
        draw_answer(canvas, box[PLAN_ANSWER], app->form, s, frame->size);
    if (!rect_empty(box[PLAN_SIDE]))
        draw_side(canvas, box[PLAN_SIDE], app->form, s);
    if (!rect_empty(box[PLAN_ROWS]))
        draw_rows(app, canvas, box[PLAN_ROWS]);
}

/* ---- time ---- */

/* What takes planning beyond the answer, begun after the answer itself is painted. */
static double plan_tick(struct app *app, void *state, double now)
{
    struct plan_state *s = state;
    struct rect box[PLAN_PANELS];
    int told, taken = s->more.taken;
    bool more;

    (void)now;
    if (app->screen != SCREEN_PLAN) {
        plan_more_stop(&s->more);
        return -1;
    }
    if (app->display.touched && !app->scripted && !plan_more_fresh(&s->more, app->form))
        return 0; /* what the key itself changed is painted first */
    panel_rects(app, s, box);
    if (!rect_empty(box[PLAN_ROWS]))
        app_state(app, SCREEN_COMPARE); /* it plans its rows by itself */
    told = plan_choices_go_on(&s->choices, app->form, &app->display);
    if (plan_more_fresh(&s->more, app->form) && s->more.done && told < 0)
        return -1;
    more = plan_more_go_on(&s->more, app->form, app->worker);
    if (told > 0 || s->more.taken != taken || !more)
        app_touch(app);
    return more || told >= 0 ? WORKER_POLL : -1;
}

static void plan_close(struct app *app, void *state)
{
    struct plan_state *s = state;

    (void)app;
    plan_choices_free(&s->choices);
    plan_more_free(&s->more);
}

/* ---- moving ---- */

static void scroll(const struct app *app, struct plan_state *s, int by)
{
    struct rect box[PLAN_PANELS], in;

    panel_rects(app, s, box);
    in = page_rect(box[PLAN_ANSWER], app_frame(app).size);
    s->top = list_clamp(s->top + by, 0, page_rows(app->form, s, in) - in.rows);
}

static int page_of(const struct app *app, const struct plan_state *s)
{
    struct rect box[PLAN_PANELS];
    int rows;

    panel_rects(app, s, box);
    rows = box[s->panel].rows - 3 - (s->panel == PLAN_ANSWER ? PLAN_HEAD : 0);
    return rows > 1 ? rows : 1;
}

static void focus_or_scroll(struct app *app, struct plan_state *s, int by)
{
    if (s->panel == PLAN_FORM)
        s->focus = plan_form_move(s->open, s->focus, by);
    else
        scroll(app, s, by);
}

/* ---- changing ---- */

static void report_change(struct app *app, enum gp_status rc, const struct gp_err *err)
{
    if (rc)
        app_report_err(app, err);
    else if (!app->form->planning && !app->form->answered)
        app_report_err(app, &app->form->err);
}

static bool field_step(struct app *app, struct plan_state *s, int by)
{
    struct gp_err err = {0};

    if (s->panel != PLAN_FORM)
        return false;
    if (focus_field(s) == FIELD_COUNT)
        plan_form_fold(&s->open, s->focus, by > 0);
    else
        report_change(app, form_step(app->form, focus_field(s), by, &err), &err);
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
    bool told = plan_choices_begin(&s->choices, app->form, s->edited, &s->more, app->worker);
    struct choice *choices =
        form_choices(app->form, s->edited, s->edited != FIELD_PRECISION, &count);
    struct chooser_ask options = {.title = field_rows[s->edited].label,
                                  .heads = told ? outcome_titles(CHOICE_COLS) : NULL,
                                  .choices = choices,
                                  .count = count,
                                  .selected = app->form->values.value[s->edited],
                                  .free = form_free_text(s->edited),
                                  .paths = s->edited == FIELD_MODEL,
                                  .chosen = choice_chosen,
                                  .ctx = s};

    if (told)
        plan_choices_tell(&s->choices, app->form, choices, count, clock_now() + AT_ONCE);
    chooser_open(&app->display, &options);
    free(choices);
}

static bool number_typed(struct app *app, void *ctx, const char *text, struct gp_err *err)
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
    s->edited = focus_field(s);
    if (s->edited == FIELD_COUNT)
        plan_form_fold(&s->open, s->focus, !plan_form_is_open(s->open, s->focus));
    else if (field_rows[s->edited].kind == FIELD_NUMBER)
        edit_number(app, s);
    else
        edit_choice(app, s);
    return true;
}

static bool on_a_fold(struct app *app)
{
    app_report(app, false, "Enter opens these fields");
    return true;
}

/* The first press resets the field, the next one everything. */
static bool field_reset(struct app *app, struct plan_state *s)
{
    struct form *form = app->form;
    struct gp_err err = {0};
    enum field field = focus_field(s);
    bool again = s->was_reset && s->reset == field && s->reset_version == form->version;
    enum gp_status rc;

    if (field == FIELD_COUNT)
        return on_a_fold(app);
    rc = again ? form_reset_all(form, &err) : form_reset(form, field, &err);
    s->was_reset = !again;
    s->reset = field;
    s->reset_version = form->version;
    if (rc)
        app_report_err(app, &err);
    else if (again)
        app_report(app, false, "all fields reset to their defaults; u undoes it");
    else
        app_report(app, false, "%s: reset to its default; r again resets every field",
                   field_rows[field].label);
    return true;
}

static bool field_solve(struct app *app, struct plan_state *s)
{
    struct gp_err err = {0};
    enum field field = focus_field(s);

    if (field == FIELD_COUNT)
        return on_a_fold(app);
    if (form_solve(app->form, field, &err))
        app_report_err(app, &err);
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
static bool apply(struct app *app, const struct plan_state *s)
{
    const struct answer *a = app->form->answer;
    const struct plan_more *more = more_of(s, app->form);
    int count = app->form->answered ? a->fix_count : 0;
    struct choice choices[PLAN_MAX_FIXES] = {0};
    struct chooser_ask options = {.title = verdict_holds(a->plan.verdict) ? "Changes" : "Ways out",
                                  .heads = outcome_titles(OUTCOME_WHOLE),
                                  .choices = choices,
                                  .count = count,
                                  .chosen = fix_chosen};

    for (int i = 0; i < count; i++) {
        struct outcome o = plan_fix_outcome(&a->fixes[i], more ? &more->fix[i] : NULL);
        struct choice *c = &choices[i];
        char change[FIX_OPTIONS_MAX];

        gp_format(c->id, sizeof(c->id), "%d", i + 1);
        gp_format(c->text, sizeof(c->text), "%d. %s", i + 1,
                  plan_fix_change(&a->plan, &a->fixes[i], change));
        outcome_text(&o, OUTCOME_WHOLE, c->more);
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
    s->focus = list_clamp(atoi(id), 0, FIELD_COUNT - 1);
    plan_form_show(&s->open, (enum field)s->focus);
}

static bool field_find(struct app *app, struct plan_state *s)
{
    struct choice choices[FIELD_COUNT] = {0};
    char selected[32];
    struct chooser_ask options = {.title = "Fields",
                                  .choices = choices,
                                  .count = FIELD_COUNT,
                                  .selected = selected,
                                  .chosen = field_chosen,
                                  .ctx = s};

    gp_format(selected, sizeof(selected), "%d", s->focus);
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
    bool values = s->panel == PLAN_FORM && focus_field(s) != FIELD_COUNT;
    struct strbuf text;
    char title[80] = "Why";

    if (!app->form->answered) {
        app_report_err(app, &app->form->err);
        return true;
    }
    strbuf_init(&text);
    plan_why_text(app->form, values ? focus_field(s) : FIELD_COUNT, &text);
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
               app->form->pinned ? "pinned: the answer shows the difference; p again unpins"
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
        s->panel = s->panel == PLAN_FORM ? PLAN_ANSWER : PLAN_FORM;
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
        return apply(app, s);
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

static bool is_in(struct rect box, int y, int x)
{
    return !rect_empty(box) && y >= box.y && y < box.y + box.rows && x >= box.x &&
           x < box.x + box.cols;
}

/* A click sets the focus; on the row in focus it is Enter. */
static void plan_click(struct app *app, void *state, int y, int x)
{
    struct plan_state *s = state;
    struct rect box[PLAN_PANELS], in;
    struct plan_rows rows = plan_form_rows(s->open);
    struct frame frame = app_frame(app);
    int at;

    panel_rects(app, s, box);
    y += frame.body.y;
    x += frame.body.x;
    if (is_in(box[PLAN_ANSWER], y, x) || is_in(box[PLAN_STRIP], y, x))
        s->panel = PLAN_ANSWER;
    if (!is_in(box[PLAN_FORM], y, x))
        return;
    in = rect_inside(box[PLAN_FORM]);
    at = plan_form_top(&rows, s->focus, in.rows) + y - in.y;
    if (y < in.y || y >= in.y + in.rows || at >= rows.count || rows.row[at] < 0)
        return;
    if (s->panel == PLAN_FORM && rows.row[at] == s->focus)
        field_edit(app, s);
    s->panel = PLAN_FORM;
    s->focus = rows.row[at];
}

static void plan_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct plan_state *s = state;

    (void)app;
    if (s->panel == PLAN_FORM && focus_field(s) != FIELD_COUNT)
        strbuf_add(out, field_rows[s->focus].explain);
    else if (s->panel == PLAN_FORM)
        strbuf_add(out, plan_form_explain(s->focus));
    else
        strbuf_add(out, "Answer: all memory is of the engine's budget on one GPU; bands are "
                        "low..high.\nUp and Down scroll; a: change it; y: every equation");
}

/* The file, or the model where there is none yet; edited: "*". */
static void plan_title(const struct app *app, const void *state, struct strbuf *out)
{
    const char *file = app->form->file;
    bool changed = form_changed(app->form);

    (void)state;
    if (file[0] || changed)
        strbuf_addf(out, "%s%s", path_name(file[0] ? file : app->form->values.value[FIELD_MODEL]),
                    changed ? "*" : "");
}

static enum gp_status plan_export(const struct app *app, const void *state, const char *suffix,
                                  struct strbuf *out, struct gp_err *err)
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
        print_plan_table(form->answer, suffix[0] == 'm' ? OUTPUT_MARKDOWN : OUTPUT_CSV, out);
    return GP_OK;
}

static void plan_command(const struct app *app, const void *state, struct strbuf *out)
{
    (void)state;
    form_command(app->form, "plan", out);
}

const struct screen_ops screen_plan = {
    .state_size = sizeof(struct plan_state),
    .close = plan_close,
    .draw = plan_draw,
    .act = plan_act,
    .tick = plan_tick,
    .explain = plan_explain,
    .title = plan_title,
    .suffixes = "txt json csv md",
    .export = plan_export,
    .command = plan_command,
    .click = plan_click,
};
