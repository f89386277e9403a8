/*
 * s_compare.c - the Compare screen: the form's load on all GPUs in several precisions.
 *
 * The load is what the plan's form says but for GPU, precision and layout: those are
 * what is compared, and every row finds its own layout. It is planned anew when the
 * load has changed, by the worker (rows_task.h); what is shown of it, and in
 * which order, is compare_view.c. Enter takes a row into the plan, where it gives the
 * same numbers.
 */
#include "tui/compare/s_compare.h"

#include <stdlib.h>
#include <string.h>

#include "answer/print_compare.h"
#include "answer/print_why.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "plan/terms.h"
#include "tui/list.h"

#define USUAL "native,fp8,int4-awq"

/* ---- the load ---- */

/* The form without what is compared. To be freed; it borrows from the form. */
static struct form *load_of(const struct form *form)
{
    static const enum field compared[] = {FIELD_PRECISION, FIELD_GPU, FIELD_GPUS,    FIELD_TP,
                                          FIELD_PP,        FIELD_EP,  FIELD_REPLICAS};
    struct form *load = gp_malloc(sizeof(*load));

    *load = *form;
    for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++)
        values_set(&load->values, compared[i], "");
    return load;
}

/* The ids of the list, which is cut up in `copy`. */
static int split(const char *list, char *copy, size_t size, const char **words)
{
    char *rest;
    int n = 0;

    gp_copy(copy, size, list);
    for (char *word = strtok_r(copy, ",", &rest); word && n < COMPARE_FORMATS;
         word = strtok_r(NULL, ",", &rest))
        words[n++] = word;
    return n;
}

/* The plan's own precision is always among them. */
static void add_own(struct compare_state *s, const struct form *form)
{
    const char *own = form->values.value[FIELD_PRECISION], *words[COMPARE_FORMATS];
    char copy[sizeof(s->precisions)];
    int n = split(s->precisions, copy, sizeof(copy), words);
    size_t len = strlen(s->precisions);

    for (int i = 0; i < n; i++)
        if (strcmp(words[i], own) == 0)
            return;
    if (own[0])
        gp_format(s->precisions + len, sizeof(s->precisions) - len, ",%s", own);
}

/* The plan's row is the first, whatever sorts; one with a count or a layout of its own is
 * none of the table. */
static void pin_own(struct compare_state *s, const struct form *form)
{
    struct request q;
    char key[COMPARE_KEY];

    if (!form->answered)
        return;
    q = form->answer->plan.request;
    q.gpu_count = 0; /* every row finds its own number */
    compare_key(&q, key);
    compare_view_own(&s->view, key, form_lays_out(form) ? &form->answer->plan : NULL);
}

static void drop_rows(struct compare_state *s)
{
    compare_view_begin(&s->view, NULL);
    rows_task_drop(&s->rows);
}

static void begin(struct compare_state *s, struct app *app, const struct form *load)
{
    struct comparison *run;
    char copy[sizeof(s->precisions)];
    struct options options;

    form_ask(load, &options);
    options.precision_count = split(s->precisions, copy, sizeof(copy), options.precisions);
    drop_rows(s);
    if (!comparison_begin(app->form->planner, &options, &run, &s->err))
        rows_task_begin(&s->rows, app->worker, run);
    rows_task_take(&s->rows);
    compare_view_begin(&s->view, s->rows.run);
    compare_view_update(&s->view);
}

static void follow(struct compare_state *s);

/* Plans anew if the load is another one than that of the rows. */
static void refresh(struct app *app, void *state)
{
    struct compare_state *s = state;
    struct form *load = load_of(app->form);
    struct strbuf text;

    s->version = app->form->version;
    add_own(s, app->form);
    strbuf_init(&text);
    form_command(load, "compare", &text);
    strbuf_addf(&text, " %s", s->precisions);
    if (strcmp(text.text, s->load.text) != 0) {
        strbuf_clear(&s->load);
        strbuf_add(&s->load, text.text);
        begin(s, app, load);
    }
    pin_own(s, app->form);
    follow(s);
    app_touch(app);
    strbuf_fini(&text);
    free(load);
}

/* ---- focus ---- */

static void go_to(struct compare_state *s, size_t at)
{
    size_t last = s->view.shown_count > 0 ? s->view.shown_count - 1 : 0;

    s->at = at < last ? at : last;
    s->detail_top = 0;
    if (compare_focus(s))
        gp_copy(s->focus, sizeof(s->focus), compare_focus(s)->key);
}

/* The rows moved: the one in focus stays it, or the first is. */
static void follow(struct compare_state *s)
{
    s->at = s->focus[0] ? compare_view_find(&s->view, s->focus) : 0;
    if (s->at >= s->view.shown_count) {
        s->at = 0;
        s->detail_top = 0;
    }
}

static void focus_step(struct compare_state *s, int by)
{
    go_to(s, (size_t)list_clamp((int)s->at + by, 0, LIST_ALL));
}

/* ---- time ---- */

static void open(struct app *app, void *state)
{
    struct compare_state *s = state;

    compare_view_init(&s->view);
    strbuf_init(&s->load);
    gp_copy(s->precisions, sizeof(s->precisions), USUAL);
    s->version = app->form->version - 1;
}

static void close(struct app *app, void *state)
{
    struct compare_state *s = state;

    (void)app;
    compare_view_fini(&s->view);
    rows_task_drop(&s->rows);
    strbuf_fini(&s->load);
}

/* Plan shows the first rows where it has room. */
static bool is_below_plan(const struct app *app)
{
    struct frame frame = app_frame(app);
    struct rect box[PLAN_PANELS];

    if (app->screen != SCREEN_PLAN)
        return false;
    frame_plan(frame.body, frame.size, PLAN_FORM, box);
    return !rect_empty(box[PLAN_ROWS]);
}

/* Nobody looks at them, and they are of another load than the plan's. */
static void stop_stale(struct compare_state *s)
{
    if (!s->rows.run || s->rows.complete)
        return;
    drop_rows(s);
    strbuf_clear(&s->load);
}

static double compare_tick(struct app *app, void *state, double now)
{
    struct compare_state *s = state;
    bool shown = app->screen == SCREEN_COMPARE || is_below_plan(app);
    bool stale = s->version != app->form->version;

    (void)now;
    if (stale && app->display.touched && !app->scripted)
        return shown ? 0 : -1; /* what the key itself changed is painted first */
    if (stale && shown)
        refresh(app, s);
    else if (stale)
        stop_stale(s);
    if (rows_task_take(&s->rows)) {
        compare_view_update(&s->view);
        follow(s);
        app_touch(app);
    }
    return !s->rows.run || s->rows.complete ? -1 : WORKER_POLL;
}

/* ---- actions ---- */

/* The row's GPU, count and precision; a layout of before is let go. */
static void use_row(struct app *app, struct compare_state *s)
{
    static const enum field layout[] = {FIELD_TP, FIELD_PP, FIELD_EP, FIELD_REPLICAS};
    const struct compare_row *row = compare_focus(s);
    struct strbuf given;
    struct gp_err err;

    if (!row || row == &s->view.plan_row) {
        app_show(app, SCREEN_PLAN);
        return;
    }
    strbuf_init(&given);
    for (size_t i = 0; i < sizeof(layout) / sizeof(layout[0]); i++)
        if (app->form->values.value[layout[i]][0])
            strbuf_addf(&given, "--%s auto ", option_rows[field_rows[layout[i]].option].name);
    comparison_options(s->rows.run, row->compared, &given);
    if (form_options(app->form, given.text, &err)) {
        app_report_err(app, &err);
    } else {
        app_show(app, SCREEN_PLAN);
        app_report(app, false, "taken into the plan: %s; u: undo", given.text);
    }
    strbuf_fini(&given);
}

static void sort_by(struct compare_state *s, int column, bool reverse)
{
    compare_view_sort(&s->view, (enum compare_column)(column % COLUMN_COUNT), reverse);
    go_to(s, 0);
}

static bool filter_done(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct compare_state *s = ctx;

    if (compare_view_filter(&s->view, text, err))
        return false;
    follow(s);
    if (text[0] && s->at == 0)
        go_to(s, 1); /* the first is the plan's, which no filter hides */
    app_touch(app);
    return true;
}

static void ask_filter(struct app *app, struct compare_state *s)
{
    prompt_open(&app->display,
                &(struct prompt_ask){.label = "Only rows with: ",
                                     .text = s->view.filter,
                                     .hint = "words, !not, mem>=40 $<10 gpus=1; nothing: all",
                                     .history = PROMPT_SEARCH,
                                     .done = filter_done,
                                     .ctx = s});
}

/* The cursor goes on to the row below, so that several are marked in a row. */
static void mark_row(struct compare_state *s)
{
    const struct compare_row *row = compare_focus(s);
    char key[COMPARE_KEY];

    if (!row)
        return;
    gp_copy(key, sizeof(key), row->key);
    focus_step(s, 1);
    compare_view_mark(&s->view, key);
    follow(s);
}

static void show_why(struct app *app, const struct compare_state *s)
{
    const struct compare_row *row = compare_focus(s);
    struct term terms[TERMS_MAX];
    struct strbuf text, title;

    if (!row)
        return;
    strbuf_init(&text);
    strbuf_init(&title);
    compare_detail_title(row, &title);
    print_why(terms, terms_of_plan(&row->compared->plan, terms), &text);
    pager_open(&app->display, title.text, text.text);
    strbuf_fini(&text);
    strbuf_fini(&title);
}

static void precisions_chosen(struct app *app, void *ctx, const char *ids)
{
    struct compare_state *s = ctx;

    gp_copy(s->precisions, sizeof(s->precisions), ids[0] ? ids : USUAL);
    refresh(app, s);
}

static void precisions(struct app *app, struct compare_state *s)
{
    const struct format *formats;
    size_t count;
    struct gp_err err;

    if (catalog_formats(planner_catalog(app->form->planner), &formats, &count, &err)) {
        app_report_err(app, &err);
        return;
    }
    struct choice *choices = gp_calloc(count + 1, sizeof(*choices));
    gp_copy(choices[0].id, sizeof(choices[0].id), "native");
    gp_copy(choices[0].text, sizeof(choices[0].text), "native  as published");
    for (size_t i = 0; i < count; i++) {
        struct choice *c = &choices[i + 1];

        gp_copy(c->id, sizeof(c->id), formats[i].id);
        gp_format(c->text, sizeof(c->text), "%s  %s", formats[i].id, formats[i].name);
        gp_format(c->more, sizeof(c->more), "%.4g bit, %s", formats[i].bits, formats[i].family);
    }
    chooser_open(&app->display, &(struct chooser_ask){.title = "Precisions to compare",
                                                      .choices = choices,
                                                      .count = (int)count + 1,
                                                      .many = true,
                                                      .marked = s->precisions,
                                                      .chosen = precisions_chosen,
                                                      .ctx = s});
    free(choices);
}

/* One step back: to the table, then to all rows. */
static bool back_one(struct compare_state *s)
{
    if (s->panel != COMPARE_TABLE) {
        s->panel = COMPARE_TABLE;
        return true;
    }
    if (!s->view.filter[0])
        return false;
    compare_view_filter(&s->view, "", NULL);
    follow(s);
    return true;
}

/* Motions scroll the panel in focus. */
static void scroll(const struct app *app, struct compare_state *s, int by)
{
    struct rect in[COMPARE_PANELS];
    const struct compare_row *row = compare_focus(s);

    compare_panels(app, s, in);
    int most =
        row ? compare_detail_lines(row, in[COMPARE_DETAIL].cols) - in[COMPARE_DETAIL].rows : 0;
    s->detail_top = list_clamp(s->detail_top + by, 0, most);
}

static bool focus_move(const struct app *app, struct compare_state *s, enum action action)
{
    int by = list_step(action, compare_page(app, s));

    if (by == 0)
        return false;
    if (s->panel == COMPARE_DETAIL)
        scroll(app, s, by);
    else
        focus_step(s, by);
    return true;
}

static bool compare_act(struct app *app, void *state, enum action action)
{
    struct compare_state *s = state;

    if (focus_move(app, s, action))
        return true;
    switch (action) {
    case ACT_USE:
        if (s->panel == COMPARE_TABLE)
            s->panel = COMPARE_DETAIL;
        else
            use_row(app, s);
        return true;
    case ACT_APPLY:
        use_row(app, s);
        return true;
    case ACT_SORT:
        sort_by(s, s->view.sort + 1, false);
        return true;
    case ACT_REVERSE:
        sort_by(s, s->view.sort, !s->view.reverse);
        return true;
    case ACT_FILTER:
        ask_filter(app, s);
        return true;
    case ACT_PRECISIONS:
        precisions(app, s);
        return true;
    case ACT_MARK:
        mark_row(s);
        return true;
    case ACT_WHY:
        show_why(app, s);
        return true;
    case ACT_PANEL:
    case ACT_PANEL_BACK:
        s->panel = s->panel == COMPARE_TABLE ? COMPARE_DETAIL : COMPARE_TABLE;
        return true;
    case ACT_BACK:
        return back_one(s);
    default:
        return false;
    }
}

static void compare_click(struct app *app, void *state, int y, int x)
{
    struct compare_state *s = state;
    struct frame f = app_frame(app);
    struct rect in[COMPARE_PANELS];

    (void)x;
    compare_panels(app, s, in);
    y += f.body.y - in[COMPARE_TABLE].y - COMPARE_ABOVE;
    if (rect_empty(in[COMPARE_TABLE]) || y < 0)
        return;
    if (y >= in[COMPARE_TABLE].rows - COMPARE_ABOVE)
        s->panel = COMPARE_DETAIL;
    else
        go_to(s, (size_t)(compare_top(s, compare_page(app, s)) + y));
}

/* ---- words ---- */

static void compare_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct compare_state *s = state;
    const struct compare_row *row = compare_focus(s);

    (void)app;
    if (!row)
        return;
    compare_detail_title(row, out);
    strbuf_addf(
        out, "%s%s%s",
        strcmp(row->key, s->view.own) == 0 || row == &s->view.plan_row ? ", = the plan" : "",
        row->compared->front ? ", * best for its cost" : "", row->marked ? ", + marked" : "");
    strbuf_add(out, "\n~ estimated, ? assumed, - unknown; TPOT with its band's wider side");
}

static void compare_title(const struct app *app, const void *state, struct strbuf *out)
{
    (void)app;
    compare_count(state, out);
}

/* ---- what others get of it ---- */

static enum output_format format_of(const char *suffix)
{
    return strcmp(suffix, "json") == 0  ? OUTPUT_JSON
           : strcmp(suffix, "csv") == 0 ? OUTPUT_CSV
           : strcmp(suffix, "md") == 0  ? OUTPUT_MARKDOWN
                                        : OUTPUT_TEXT;
}

static enum gp_status compare_export(const struct app *app, const void *state, const char *suffix,
                                     struct strbuf *out, struct gp_err *err)
{
    const struct compare_state *s = state;
    const struct compare_column_row *column = &compare_columns[s->view.sort];
    struct record doc;
    char order[64];

    (void)app;
    if (!s->rows.run)
        return gp_fail(err, s->err.code, s->err.where, s->err.hint, "%s", s->err.text);
    if (!s->view.complete)
        return gp_fail(err, GP_E_USAGE, "export", "in a moment", "is still planning");
    const struct compared **rows = gp_calloc(s->view.count + 1, sizeof(*rows));
    size_t *at = gp_calloc(s->view.count + 1, sizeof(*at));
    size_t n = compare_view_order(&s->view, false, at); /* as the command has them */
    for (size_t i = 0; i < n; i++)
        rows[i] = s->view.rows[at[i]].compared;
    free(at);
    gp_format(order, sizeof(order), "%s%s", column->option ? column->option : column->sort,
              s->view.reverse ? " reversed" : "");
    record_init(&doc);
    comparison_record(s->rows.run, rows, n, order, s->view.filter, &doc);
    print_compare(&doc, format_of(suffix), false, out);
    record_fini(&doc);
    free(rows);
    return GP_OK;
}

/* What the command cannot say is said behind a #. */
static void compare_command(const struct app *app, const void *state, struct strbuf *out)
{
    const struct compare_state *s = state;
    const struct compare_column_row *column = &compare_columns[s->view.sort];
    struct form *load = load_of(app->form);
    const char *words[COMPARE_FORMATS];
    char copy[sizeof(s->precisions)];
    int n = split(s->precisions, copy, sizeof(copy), words);

    form_command(load, "compare", out);
    for (int i = 0; i < n; i++)
        strbuf_addf(out, " -p %s", words[i]);
    free(load);
    if (column->option && !s->view.reverse)
        strbuf_addf(out, " --sort %s", column->option);
    else
        strbuf_addf(out, " # sorted by %s%s", column->sort, s->view.reverse ? ", reversed" : "");
    if (s->view.filter[0])
        strbuf_addf(out, "%sonly: %s", column->option && !s->view.reverse ? " # " : "; ",
                    s->view.filter);
}

static const char *compare_word(const void *state, enum action action)
{
    const struct compare_state *s = state;

    return action == ACT_USE && s->panel == COMPARE_TABLE ? "open" : action_rows[action].word;
}

const struct screen_ops screen_compare = {
    .state_size = sizeof(struct compare_state),
    .open = open,
    .close = close,
    .show = refresh,
    .draw = compare_draw,
    .act = compare_act,
    .tick = compare_tick,
    .explain = compare_explain,
    .title = compare_title,
    .suffixes = "csv json md txt",
    .export = compare_export,
    .command = compare_command,
    .word = compare_word,
    .click = compare_click,
};
