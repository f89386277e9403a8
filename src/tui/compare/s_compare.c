/*
 * s_compare.c - the Compare screen: the form's load on all GPUs in several precisions.
 *
 * The load is what the plan's form says but for GPU, precision and layout: those are
 * what is compared, and every row finds its own layout. It is planned anew when the
 * load has changed, by the worker; what is shown of it, and in which order, is
 * compare_view.c. Enter takes a row into the plan, where it gives the
 * same numbers.
 */
#include "tui/compare/compare_view.h"

#include <stdlib.h>
#include <string.h>

#include "answer/answer_lines.h"
#include "answer/compare_run.h"
#include "answer/print_plan.h"
#include "answer/sentence.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "plan/terms.h"
#include "tui/app.h"
#include "tui/compare/side_by_side.h"
#include "tui/compare/size_table.h"
#include "tui/list.h"
#include "tui/membar.h"
#include "tui/plan_summary.h"
#include "tui/toolkit/canvas.h"

#define COMPARE_FORMATS OPTIONS_MAX_MANY /* precisions at once */
#define COMPARE_ABOVE 2                  /* lines over the rows: what is shown, titles */
#define MARKS_WIDTH 3                    /* cursor or mark, front, blank */
#define USUAL "native,fp8,int4-awq"

/* ---- rows, planned by the worker ---- */

/* The task's. */
struct rows_job {
    struct comparison *run;
    struct compared **row; /* (total) planned, not taken yet; NULL: taken */
};

struct rows_task {
    struct comparison *run; /* NULL: none; with the rows that were taken */
    struct task *task;
    struct rows_job *job; /* the task's */
    bool complete;        /* all rows are taken, sorted, those on the front marked */
};

struct compare_state {
    struct rows_task rows; /* run NULL: none, and err says why */
    struct gp_err err;
    struct compare_view view;
    struct strbuf load;                   /* the command the rows are of */
    unsigned version;                     /* of the form */
    char precisions[COMPARE_FORMATS * 8]; /* ids, ',' between */
    char focus[COMPARE_KEY];              /* row that the user went to; "" = the first */
    char focus_was[COMPARE_KEY];          /* when a filter began to be typed */
    size_t at;                            /* where it is */
    int panel, detail_top;                /* COMPARE_TABLE or _DETAIL; first line of it */
    bool by_size;                         /* sizes are shown instead of the rows, */
    bool sides;                           /* or rows beside each other */
    int side;                             /* of them in focus */
    struct size_table sizes;
};

static bool rows_unit(void *ctx, int i, struct planner *planner)
{
    struct rows_job *job = ctx;

    (void)planner;
    free(job->row[i]); /* one that was cut short */
    job->row[i] = comparison_plan(job->run, (size_t)i);
    return (size_t)i + 1 < comparison_total(job->run);
}

static void rows_free(void *ctx)
{
    struct rows_job *job = ctx;

    for (size_t i = 0; i < comparison_total(job->run); i++)
        free(job->row[i]);
    free(job->row);
    comparison_free(job->run);
    free(job);
}

static const struct task_ops rows_ops = {TASK_BELOW, rows_unit, rows_free};

/* Takes what has come: true when there was a new row. */
static bool rows_task_take(struct rows_task *rows)
{
    if (!rows->run || rows->complete)
        return false;
    size_t before = comparison_done(rows->run);
    size_t done = (size_t)task_done(rows->task);
    for (size_t i = before; i < done; i++) {
        rows->complete = !comparison_take(rows->run, rows->job->row[i]);
        rows->job->row[i] = NULL;
    }
    return done > before;
}

/* ---- words ---- */

static void show_holds(struct page *page, const struct compare_row *row)
{
    const struct plan *p = &row->compared->plan;
    struct answer_lines layout;
    struct strbuf requests;
    char tokens[32];

    if (!p->has_memory)
        return;
    strbuf_init(&requests);
    answer_lines(p, NULL, LINE_LAYOUT, &layout);
    record_cell(record_find(&row->facts, "holds"), &requests);
    page_wordsf(page, 0, INK_TEXT, "%s: holds %s requests of %s tokens, %.0f asked for%s",
                layout.list[0].text, requests.text,
                units_tokens(tokens, sizeof(tokens), memory_end_tokens(&p->request)),
                p->request.users,
                row->compared->front ? "; * nothing that fits is cheaper and holds as many" : "");
    strbuf_fini(&requests);
    answer_lines_fini(&layout);
}

static void show_reasons(struct page *page, const struct plan *p)
{
    struct strbuf text;
    struct texts texts = {0};
    const char *said;

    strbuf_init(&text);
    if (p->verdict != VERDICT_FITS && p->limit != LIMIT_NONE)
        strbuf_addf(&text, "limit %s: ", limit_word(p->limit));
    for (int i = 0; (said = sentence_reason(p, i, &texts)); i++)
        strbuf_addf(&text, "%s%s", i ? "; " : "", said);
    if (p->verdict == VERDICT_MARGINAL && p->knob != KNOB_NONE)
        strbuf_addf(&text, "%swhat decides: %s", p->reasons ? "; " : "", sentence_knob(p, &texts));
    page_words(page, 0, p->verdict == VERDICT_FITS ? INK_TEXT : INK_WARN, text.text);
    strbuf_fini(&text);
    texts_fini(&texts);
}

/* "TPOT 22.8 ms (17.0..32.5 ms), TTFT 248 ms (124..620 ms), ..." in one paragraph. */
static void show_speed(struct page *page, const struct plan *p)
{
    struct answer_lines lines;
    int n = answer_lines(p, NULL, LINE_SPEED, &lines);
    struct strbuf text;

    strbuf_init(&text);
    for (int i = 0; i < n; i++)
        if (lines.list[i].amount[0])
            strbuf_addf(&text, "%s%s %s (%s)", i ? ", " : "", lines.list[i].name,
                        lines.list[i].amount, lines.list[i].note);
        else if (!lines.list[i].name[0])
            strbuf_addf(&text, "speed: %s", lines.list[i].text);
    page_words(page, 0, INK_TEXT, text.text);
    if (p->speed.gap == SPEED_KNOWN)
        page_wordsf(page, 0, INK_DIM, "bound by %s", sentence_speed_bound(p));
    strbuf_fini(&text);
    answer_lines_fini(&lines);
}

/* The offer of the price class that was asked for, and what is to be known of it. */
static void show_cost(struct page *page, const struct plan *p)
{
    static const char *const classes[] = {"on demand", "spot", "marketplace", "buy"};
    struct answer_lines lines;
    int n = answer_lines(p, NULL, LINE_COST, &lines), wanted = 0;
    const char *note = p->cost.note != COST_NOTE_NONE ? sentence_cost_note(p, &lines.texts) : "";
    const char *then = note[0] ? "; " : "";

    while (wanted < n && !lines.list[wanted].wanted)
        wanted++;
    if (wanted < n)
        page_wordsf(page, 0, INK_TEXT, "%s %s/h, %s/month: %s%s%s%s%s", lines.list[wanted].name,
                    lines.list[wanted].amount, lines.list[wanted].month, lines.list[wanted].text,
                    lines.list[wanted].note[0] ? "; " : "", lines.list[wanted].note, then, note);
    else
        page_wordsf(page, 0, INK_TEXT, "%s: no price is known%s%s", classes[p->request.price], then,
                    note);
    answer_lines_fini(&lines);
}

/* ---- all of it ---- */

static void show_detail(struct page *page, const struct compare_row *row)
{
    const struct plan *p = &row->compared->plan;
    struct answer_lines lines;

    if (p->verdict != VERDICT_FITS)
        show_reasons(page, p);
    show_holds(page, row);
    show_cost(page, p);
    show_speed(page, p);
    if (p->verdict == VERDICT_FITS)
        show_reasons(page, p);
    answer_lines(p, NULL, LINE_WARNING, &lines);
    for (int i = 0; i < lines.count; i++)
        page_wordsf(page, 0, INK_WARN, "warning: %s", lines.list[i].text);
    answer_lines_fini(&lines);
    answer_lines(p, NULL, LINE_SOURCE, &lines);
    for (int i = 0; i < lines.count; i++) /* of what differs from row to row */
        if (strcmp(lines.list[i].name, "model") != 0 && strcmp(lines.list[i].name, "format") != 0)
            page_wordsf(page, 0, INK_DIM, "%s: %s", lines.list[i].name, lines.list[i].text);
    answer_lines_fini(&lines);
}

static void detail_lay_out(struct page *page, const struct compare_row *row)
{
    const struct plan *p = &row->compared->plan;

    if (p->has_memory) {
        if (page->canvas) {
            membar_draw(page->canvas, page->in, page->y, p);
            membar_legend(page->canvas, page->in, page->y + 1, p);
        }
        page->y += 2;
    }
    show_detail(page, row);
}

/* "l40s x 4, fp8: fits" */
static void compare_detail_title(const struct compare_row *row, struct strbuf *out)
{
    const struct plan *p = &row->compared->plan;

    strbuf_add(out, p->request.gpu->id);
    if (p->has_memory)
        strbuf_addf(out, " x %d", p->layout.gpus);
    strbuf_addf(out, ", %s%s: %s", p->request.precision.id,
                p->request.precision.native ? " (as published)" : "", plan_verdict_cell(p));
}

/* The row in focus; NULL when none is shown. */
static const struct compare_row *compare_focus(const struct compare_state *s)
{
    return s->at < s->view.shown_count ? compare_view_row(&s->view, s->at) : NULL;
}

/* Two lines of the row in focus, or half of the screen when it is opened. */
static int detail_rows(const struct compare_state *s, struct rect body)
{
    return s->panel == COMPARE_DETAIL ? int_max(body.rows / 2, COMPARE_ROWS) : COMPARE_ROWS;
}

/* The insides of the panels that are shown, the others empty. */
static void compare_panels(const struct app *app, const struct compare_state *s,
                           struct rect out[COMPARE_PANELS])
{
    struct frame f = app_frame(app);

    frame_stack(f.body, f.size, s->panel, detail_rows(s, f.body), out);
    for (int i = 0; i < COMPARE_PANELS; i++)
        if (!rect_empty(out[i]))
            out[i] = f.size == SIZE_ONE ? out[i] : rect_inside(out[i]);
}

/* Rows that are seen at once / the first of them when so many are. */
static int compare_page(const struct app *app, const struct compare_state *s)
{
    struct rect in[COMPARE_PANELS];

    compare_panels(app, s, in);
    return in[COMPARE_TABLE].rows > COMPARE_ABOVE ? in[COMPARE_TABLE].rows - COMPARE_ABOVE : 1;
}

static int compare_top(const struct compare_state *s, int page)
{
    return list_top((int)s->at, (int)s->view.shown_count, page);
}

/* "12 of 300 fit and meet goals  sort $/M ^  filter -  * best for its cost" */
static void draw_state(const struct compare_state *s, struct canvas *canvas, struct rect in)
{
    static const char best[] = "* best for its cost";
    const struct compare_column_row *column = &compare_columns[s->view.sort];
    struct texts t = {0};
    bool filtered = s->view.filter[0];
    int x = 1 + canvas_textf(canvas, in, 0, 1, INK_TEXT, "%zu of %zu fit and meet goals  sort %s ",
                             s->view.good, s->view.count, column->sort);

    canvas_glyph(canvas, in, 0, x, INK_TEXT,
                 s->view.reverse == column->descends ? GLYPH_UP : GLYPH_DOWN);
    x += 3;
    x += canvas_fit(canvas, in, 0, x, in.cols - x, filtered ? INK_KEY : INK_DIM,
                    texts_addf(&t, "filter %s", filtered ? s->view.filter : "-"));
    if (x + 2 + (int)strlen(best) <= in.cols)
        canvas_text(canvas, in, 0, x + 2, INK_DIM, best);
    texts_fini(&t);
}

struct grid {
    enum compare_column column[COLUMN_COUNT];
    int count, width[COLUMN_COUNT];
};

static struct grid grid_of(const struct compare_state *s, int cols)
{
    struct grid g;
    int gpu_width;

    g.count = compare_view_columns(&s->view, cols - MARKS_WIDTH, g.column, &gpu_width);
    for (int i = 0; i < g.count; i++)
        g.width[i] = g.column[i] == COLUMN_GPU ? gpu_width : s->view.width[g.column[i]];
    return g;
}

static void draw_titles(const struct compare_state *s, struct canvas *canvas, struct rect in, int y,
                        const struct grid *g)
{
    int x = MARKS_WIDTH;

    for (int i = 0; i < g->count; i++) {
        const struct compare_column_row *column = &compare_columns[g->column[i]];
        char title[32];

        gp_format(title, sizeof(title), "%.1s%s", &s->view.mark[g->column[i]], column->title);
        list_text(canvas, in, y, x, g->width[i], column->right,
                  g->column[i] == s->view.sort ? INK_TAB : INK_HEADING, title);
        x += g->width[i] + 2;
    }
}

static enum ink ink_of(const struct compare_row *row, enum compare_column column)
{
    static const enum ink inks[] = {
        [VERDICT_FITS] = INK_OK,
        [VERDICT_SLOW] = INK_WARN,
        [VERDICT_MARGINAL] = INK_WARN,
        [VERDICT_DOES_NOT_FIT] = INK_DIM,
    };
    enum verdict verdict = row->compared->plan.verdict;

    if (row->marked)
        return INK_HEADING;
    return column == COLUMN_VERDICT || verdict == VERDICT_DOES_NOT_FIT ? inks[verdict] : INK_TEXT;
}

static void draw_cells(const struct compare_view *view, const struct compare_row *row,
                       struct canvas *canvas, struct rect in, int y, const struct grid *g)
{
    const struct plan *p = &row->compared->plan;
    bool out = p->verdict == VERDICT_DOES_NOT_FIT;
    struct strbuf text;
    int x = MARKS_WIDTH;

    strbuf_init(&text);
    for (int i = 0; i < g->count; i++) {
        enum compare_column column = g->column[i];

        strbuf_clear(&text);
        if (out && column == COLUMN_VERDICT) { /* why, in place of figures */
            strbuf_addf(&text, "no fit: %s", limit_words[p->limit].noun);
            if (p->has_memory && plan_margin(p) < 0)
                strbuf_addf(&text, ", short %.1f GiB", -plan_margin(p) / GP_GIB);
            canvas_fit(canvas, in, y, x, in.cols - x, INK_DIM, text.text);
            break;
        }
        if (column == COLUMN_BAR) {
            struct rect bar = {in.y, in.x + x, in.rows, g->width[i]};

            if (p->has_memory)
                membar_draw(canvas, bar, y, p);
            continue; /* the last of them */
        }
        compare_view_cell(row, column, &text);
        char *band = canvas->charset == CHARSET_ASCII ? strstr(text.text, "±") : NULL;
        bool marked = view->mark[column] && text.text[0] == view->mark[column];
        if (band) /* two bytes either way */
            memcpy(band, "+-", 2);
        if (column == COLUMN_GPU) /* ids begin alike */
            canvas_fit_end(canvas, in, y, x, g->width[i], ink_of(row, column), text.text);
        else
            list_text(canvas, in, y, x, g->width[i], compare_columns[column].right,
                      ink_of(row, column), text.text + marked);
        x += g->width[i] + 2;
    }
    strbuf_fini(&text);
}

static void draw_row(const struct compare_view *view, const struct compare_row *row, bool focus,
                     struct canvas *canvas, struct rect in, int y, const struct grid *g)
{
    bool own = row == &view->plan_row || (!view->planned && strcmp(row->key, view->own) == 0);

    if (row->marked || own)
        canvas_text(canvas, in, y, 0, INK_HEADING, own ? "=" : "+");
    if (row->compared->front)
        canvas_text(canvas, in, y, 1, INK_OK, "*");
    draw_cells(view, row, canvas, in, y, g);
    if (!focus)
        return;
    if (!own)
        canvas_glyph(canvas, in, y, 0, INK_FOCUS, GLYPH_CURSOR);
    canvas_ink(canvas, in, y, 0, in.cols, INK_FOCUS);
}

void compare_rows_draw(const void *state, struct canvas *canvas, struct rect in)
{
    const struct compare_state *s = state;
    struct grid g = grid_of(s, in.cols);

    draw_titles(s, canvas, in, 0, &g);
    for (size_t i = 0; (int)i + 1 < in.rows && i < s->view.shown_count; i++)
        draw_row(&s->view, compare_view_row(&s->view, i), false, canvas, in, (int)i + 1, &g);
}

static void draw_table(const struct compare_state *s, struct canvas *canvas, struct rect in,
                       enum size_class size)
{
    struct rect inside = size == SIZE_ONE ? in : rect_inside(in);
    int page = int_max(inside.rows - COMPARE_ABOVE, 0), count = (int)s->view.shown_count;
    int top = compare_top(s, page);
    const struct resolved *load = s->rows.run ? comparison_load(s->rows.run) : NULL;
    bool named = load && load->model_read[0];
    struct texts t = {0};

    if (size != SIZE_ONE)
        canvas_box(canvas, in,
                   load ? texts_addf(&t, "%s%s%s, %s", load->model_text, named ? ": " : "",
                                     named ? load->request.model->id : "",
                                     sentence_load(&load->request, &t))
                        : "GPUs x precisions",
                   count > page
                       ? texts_addf(&t, "%d-%d of %d", top + 1, int_min(top + page, count), count)
                       : NULL);
    in = inside;
    if (s->rows.run)
        draw_state(s, canvas, in);
    if (count > 0) {
        struct grid g = grid_of(s, in.cols);

        draw_titles(s, canvas, in, 1, &g);
        for (int i = top; i < top + page && i < count; i++)
            draw_row(&s->view, compare_view_row(&s->view, (size_t)i), i == (int)s->at, canvas, in,
                     COMPARE_ABOVE + i - top, &g);
        if (s->panel == COMPARE_TABLE)
            canvas_cursor(canvas, in, COMPARE_ABOVE + (int)s->at - top, 0);
    } else {
        struct rect below = {in.y + COMPARE_ABOVE, in.x + 1, in.rows - COMPARE_ABOVE, in.cols - 2};

        canvas_wrap(canvas, below, 0, s->rows.run ? INK_TEXT : INK_BAD,
                    !s->rows.run ? texts_addf(&t, "nothing to compare: %s%s%s%s%s", s->err.where,
                                              s->err.where[0] ? ": " : "", s->err.text,
                                              s->err.hint[0] ? "; " : "", s->err.hint)
                    : s->view.complete
                        ? texts_addf(&t, "no row matches %s (Esc shows all)", s->view.filter)
                        : "");
    }
    texts_fini(&t);
}

static void draw_detail(const struct compare_state *s, struct canvas *canvas, struct rect in,
                        enum size_class size)
{
    const struct compare_row *row = compare_focus(s);
    struct rect inside = size == SIZE_ONE ? in : rect_inside(in);
    struct strbuf title;
    char where[48] = "";

    strbuf_init(&title);
    if (row) {
        struct page page = {canvas, inside, -s->detail_top};

        detail_lay_out(&page, row);
        int lines = page.y + s->detail_top;
        compare_detail_title(row, &title);
        if (lines > inside.rows)
            gp_format(where, sizeof(where), "%d-%d of %d, Tab", s->detail_top + 1,
                      s->detail_top + inside.rows, lines);
    }
    if (size != SIZE_ONE)
        canvas_box(canvas, in, title.text, where[0] ? where : NULL);
    if (s->panel == COMPARE_DETAIL)
        canvas_cursor(canvas, inside, 0, 0);
    strbuf_fini(&title);
}

static void draw_sides(const struct compare_state *s, struct canvas *canvas,
                       const struct frame *frame)
{
    const struct compare_row *rows[SIDES_MOST];
    int count = sides_rows(&s->view, compare_focus(s), rows);
    struct rect in = frame->body;
    char shown[40] = "";

    if (frame->size != SIZE_ONE) {
        int seen = sides_seen(count, in.cols - 2);

        if (seen < count)
            gp_format(shown, sizeof(shown), "%d of %d, Left and Right", seen, count);
        canvas_box(canvas, in, "Side by side", shown[0] ? shown : NULL);
        in = rect_inside(in);
    }
    sides_draw(canvas, in, rows, count, list_clamp(s->side, 0, count - 1), show_detail);
}

/* A screen's draw(). */
static void compare_draw(const struct app *app, const void *state, struct canvas *canvas,
                         const struct frame *frame)
{
    const struct compare_state *s = state;
    struct rect panel[COMPARE_PANELS];

    (void)app;
    if (s->by_size) {
        size_table_draw(&s->sizes, canvas, frame);
        return;
    }
    if (s->sides) {
        draw_sides(s, canvas, frame);
        return;
    }
    frame_stack(frame->body, frame->size, s->panel, detail_rows(s, frame->body), panel);
    if (!rect_empty(panel[COMPARE_DETAIL]))
        draw_detail(s, canvas, panel[COMPARE_DETAIL], frame->size);
    if (!rect_empty(panel[COMPARE_TABLE]))
        draw_table(s, canvas, panel[COMPARE_TABLE], frame->size);
}

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
static int words_split(const char *list, char *copy, size_t size, const char **words)
{
    char *rest;
    int n = 0;

    gp_copy(copy, size, list);
    for (char *word = strtok_r(copy, ",", &rest); word && n < COMPARE_FORMATS;
         word = strtok_r(NULL, ",", &rest))
        words[n++] = word;
    return n;
}

/* The plan's row is the first, whatever sorts; one with a count or a layout of its own is
 * none of the table. */
static void pin_own(struct compare_state *s, const struct form *form)
{
    char key[COMPARE_KEY];

    if (!form->answered)
        return;
    struct request q = form->answer->plan.request;
    q.gpu_count = 0; /* every row finds its own number */
    compare_key(&q, key);
    compare_view_own(&s->view, key, form_lays_out(form) ? &form->answer->plan : NULL);
}

/* With their comparison: nobody looks at a row of it any more. */
static void drop_rows(struct compare_state *s)
{
    compare_view_begin(&s->view, NULL);
    task_drop(&s->rows.task);
    s->rows = (struct rows_task){0};
}

static void focus_follow(struct compare_state *s);

/* Plans anew if the load is another one than that of the rows. */
static void compare_refresh(struct app *app, void *state)
{
    struct compare_state *s = state;
    struct form *load = load_of(app->form);
    struct strbuf text;

    s->version = app->form->version;
    const char *own = app->form->values.value[FIELD_PRECISION]; /* is always among them */
    if (own[0] && !gp_has_word(s->precisions, ",", own))
        gp_append(s->precisions, sizeof(s->precisions), ",", "%s", own);
    strbuf_init(&text);
    form_command(load, "compare", &text);
    strbuf_addf(&text, " %s", s->precisions);
    if (strcmp(text.text, s->load.text) != 0) {
        strbuf_clear(&s->load);
        strbuf_add(&s->load, text.text);
        char copy[sizeof(s->precisions)];
        struct options options;

        form_write_options(load, &options);
        options.precision_count =
            words_split(s->precisions, copy, sizeof(copy), options.precisions);
        drop_rows(s);
        if (!comparison_begin(app->form->planner, &options, &s->rows.run, &s->err)) {
            s->rows.job = gp_calloc(1, sizeof(*s->rows.job));
            s->rows.job->run = s->rows.run;
            s->rows.job->row =
                gp_calloc(comparison_total(s->rows.run) + 1, sizeof(*s->rows.job->row));
            s->rows.task = task_begin(app->worker, &rows_ops, s->rows.job);
        }
        rows_task_take(&s->rows);
        compare_view_begin(&s->view, s->rows.run);
        compare_view_update(&s->view);
    }
    pin_own(s, app->form);
    focus_follow(s);
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
static void focus_follow(struct compare_state *s)
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

static void compare_open(struct app *app, void *state)
{
    struct compare_state *s = state;

    compare_view_init(&s->view);
    strbuf_init(&s->load);
    gp_copy(s->precisions, sizeof(s->precisions), USUAL);
    s->version = app->form->version - 1;
}

static void compare_close(struct app *app, void *state)
{
    struct compare_state *s = state;

    (void)app;
    drop_rows(s);
    size_table_fini(&s->sizes);
    compare_view_fini(&s->view);
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

static double compare_tick(struct app *app, void *state, double now)
{
    struct compare_state *s = state;
    bool shown = app->screen == SCREEN_COMPARE || is_below_plan(app);
    bool stale = s->version != app->form->version;

    (void)now;
    if (s->by_size && app->screen == SCREEN_COMPARE) /* the rows wait until they are shown */
        return size_table_go_on(app, &s->sizes) ? WORKER_POLL : -1;
    if (stale && app->display.touched && !app->scripted)
        return shown ? 0 : -1; /* what the key itself changed is painted first */
    if (stale && shown)
        compare_refresh(app, s);
    else if (stale && s->rows.run && !s->rows.complete) { /* nobody looks at them */
        drop_rows(s);
        strbuf_clear(&s->load);
    }
    if (rows_task_take(&s->rows)) {
        compare_view_update(&s->view);
        focus_follow(s);
        app_touch(app);
    }
    return !s->rows.run || s->rows.complete ? -1 : WORKER_POLL;
}

/* ---- actions ---- */

/* The row's GPU, count and precision. */
static void use_row(struct app *app, struct compare_state *s, const struct compare_row *row)
{
    struct strbuf given;

    if (!row || row == &s->view.plan_row) {
        app_show(app, SCREEN_PLAN);
        return;
    }
    strbuf_init(&given);
    comparison_options(s->rows.run, row->compared, &given);
    app_take(app, given.text);
    strbuf_fini(&given);
}

static void sort_by(struct compare_state *s, int column, bool reverse)
{
    compare_view_sort(&s->view, (enum compare_column)(column % COLUMN_BAR), reverse);
    go_to(s, 0);
}

static void filter_shown(struct app *app, struct compare_state *s)
{
    focus_follow(s);
    if (s->view.filter[0] && s->at == 0)
        go_to(s, 1); /* the first is the plan's, which no filter hides */
    app_touch(app);
}

static bool filter_done(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct compare_state *s = ctx;

    if (compare_view_filter(&s->view, text, err))
        return false;
    filter_shown(app, s);
    return true;
}

static void filter_typed(struct app *app, void *ctx, const char *text)
{
    struct compare_state *s = ctx;

    gp_copy(s->focus, sizeof(s->focus), s->focus_was);
    compare_view_typed(&s->view, text);
    filter_shown(app, s);
}

static void show_why(struct app *app, const struct compare_state *s)
{
    const struct compare_row *row = compare_focus(s);
    struct strbuf title;

    if (!row)
        return;
    strbuf_init(&title);
    compare_detail_title(row, &title);
    compare_why_open(app, title.text, &row->compared->plan);
    strbuf_fini(&title);
}

static void precisions_chosen(struct app *app, void *ctx, const char *ids)
{
    struct compare_state *s = ctx;

    gp_copy(s->precisions, sizeof(s->precisions), ids[0] ? ids : USUAL);
    compare_refresh(app, s);
}

static void choose_precisions(struct app *app, struct compare_state *s)
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
    chooser_open(&app->display, &(struct chooser_spec){.title = "Precisions to compare",
                                                       .choices = choices,
                                                       .count = (int)count + 1,
                                                       .many = true,
                                                       .marked = s->precisions,
                                                       .chosen = precisions_chosen,
                                                       .ctx = s});
    free(choices);
}

/* Motions scroll the panel in focus. */
static bool focus_move(const struct app *app, struct compare_state *s, enum action action)
{
    int by = list_step(action, compare_page(app, s));
    const struct compare_row *row = compare_focus(s);
    struct rect in[COMPARE_PANELS];

    if (by != 0 && s->panel == COMPARE_DETAIL) {
        compare_panels(app, s, in);
        struct page page = {NULL, {0, 0, 0, in[COMPARE_DETAIL].cols}, 0};
        if (row)
            detail_lay_out(&page, row);
        s->detail_top = list_clamp(s->detail_top + by, 0, page.y - in[COMPARE_DETAIL].rows);
    } else if (by != 0) {
        focus_step(s, by);
    }
    return by != 0;
}

static bool sides_act(struct app *app, struct compare_state *s, enum action action)
{
    const struct compare_row *rows[SIDES_MOST];
    int count = sides_rows(&s->view, compare_focus(s), rows);

    s->side = list_clamp(s->side, 0, count - 1);
    if (action == ACT_LEFT || action == ACT_RIGHT)
        s->side = list_clamp(s->side + (action == ACT_RIGHT ? 1 : -1), 0, count - 1);
    else if ((action == ACT_USE || action == ACT_APPLY) && count > 0)
        use_row(app, s, rows[s->side]);
    else if (action == ACT_SIDES || action == ACT_BACK)
        s->sides = false;
    else /* the table's other keys mean nothing here */
        return action_rows[action].screens != ON_ALL && action != ACT_SAVE;
    return true;
}

static bool compare_act(struct app *app, void *state, enum action action)
{
    struct compare_state *s = state;
    const struct compare_row *row = compare_focus(s);
    char key[COMPARE_KEY];

    if (action == ACT_SIZES || (action == ACT_BACK && s->by_size)) {
        s->by_size = !s->by_size;
        compare_tick(app, s, 0);
        return true;
    }
    if (s->by_size)
        return size_table_act(app, &s->sizes, action);
    if (s->sides)
        return sides_act(app, s, action);
    if (focus_move(app, s, action))
        return true;
    switch (action) {
    case ACT_SIDES:
        s->sides = true;
        s->side = 0;
        return true;
    case ACT_USE:
        if (s->panel == COMPARE_TABLE)
            s->panel = COMPARE_DETAIL;
        else
            use_row(app, s, row);
        return true;
    case ACT_APPLY:
        use_row(app, s, row);
        return true;
    case ACT_SORT:
        sort_by(s, s->view.sort + 1, false);
        return true;
    case ACT_REVERSE:
        sort_by(s, s->view.sort, !s->view.reverse);
        return true;
    case ACT_FILTER:
        gp_copy(s->focus_was, sizeof(s->focus_was), s->focus);
        prompt_open(&app->display,
                    &(struct prompt_spec){.label = "Only rows with: ",
                                          .text = s->view.filter,
                                          .hint = "words, !not, mem>=40 $<10 gpus=1; nothing: all",
                                          .history = PROMPT_SEARCH,
                                          .done = filter_done,
                                          .typed = filter_typed,
                                          .ctx = s});
        return true;
    case ACT_PRECISIONS:
        choose_precisions(app, s);
        return true;
    case ACT_MARK:
        if (row) { /* the cursor goes on to the row below, so that several are marked in a row */
            gp_copy(key, sizeof(key), row->key);
            focus_step(s, 1);
            compare_view_mark(&s->view, key);
            focus_follow(s);
        }
        return true;
    case ACT_WHY:
        show_why(app, s);
        return true;
    case ACT_PANEL:
    case ACT_PANEL_BACK:
        s->panel = s->panel == COMPARE_TABLE ? COMPARE_DETAIL : COMPARE_TABLE;
        return true;
    case ACT_BACK: /* to the table, then to all rows */
        if (s->panel == COMPARE_TABLE && !s->view.filter[0])
            return false;
        if (s->panel == COMPARE_TABLE) {
            compare_view_filter(&s->view, "", NULL);
            focus_follow(s);
        }
        s->panel = COMPARE_TABLE;
        return true;
    default:
        return false;
    }
}

/* The column of whose title that is, sorts; again: the other way round. */
static void click_title(struct compare_state *s, struct rect in, int x)
{
    struct grid g = grid_of(s, in.cols);
    int at = in.x + MARKS_WIDTH;

    for (int i = 0; i < g.count; at += g.width[i++] + 2)
        if (x >= at && x <= at + g.width[i]) {
            sort_by(s, (int)g.column[i], g.column[i] == s->view.sort && !s->view.reverse);
            return;
        }
}

static void compare_click(struct app *app, void *state, int y, int x)
{
    struct compare_state *s = state;
    struct frame f = app_frame(app);
    struct rect in[COMPARE_PANELS];

    if (s->by_size)
        size_table_click(app, &s->sizes, y, x);
    if (s->by_size || s->sides)
        return;
    compare_panels(app, s, in);
    y += f.body.y - in[COMPARE_TABLE].y - COMPARE_ABOVE;
    if (y == -1 && !rect_empty(in[COMPARE_TABLE]))
        click_title(s, in[COMPARE_TABLE], x + f.body.x);
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
    if (s->by_size)
        size_table_explain(&s->sizes, out);
    if (s->sides)
        strbuf_add(out, "Left and Right choose a column, Enter takes it into the plan.\n"
                        "~ estimated, ? assumed, - unknown; TPOT with its band's wider side");
    if (!row || s->by_size || s->sides)
        return;
    compare_detail_title(row, out);
    strbuf_addf(
        out, "%s%s%s",
        strcmp(row->key, s->view.own) == 0 || row == &s->view.plan_row ? ", = the plan" : "",
        row->compared->front ? ", * best for its cost" : "", row->marked ? ", + marked" : "");
    strbuf_add(out, "\n~ estimated, ? assumed, - unknown; TPOT with its band's wider side");
}

/* "9 of 225", "120/225 planned" */
static void compare_title(const struct app *app, const void *state, struct strbuf *out)
{
    const struct compare_state *s = state;

    (void)app;
    if (s->by_size)
        size_table_title(&s->sizes, out);
    else if (s->rows.run && !s->view.complete)
        strbuf_addf(out, "%zu/%zu planned", comparison_done(s->rows.run),
                    comparison_total(s->rows.run));
    else if (s->view.shown_count < s->view.count)
        strbuf_addf(out, "%zu of %zu", s->view.shown_count, s->view.count);
    else
        strbuf_addf(out, "%zu rows", s->view.count);
}

/* ---- what others get of it ---- */

static enum gp_status compare_export(const struct app *app, const void *state, const char *suffix,
                                     struct strbuf *out, struct gp_err *err)
{
    const struct compare_state *s = state;
    const struct compare_column_row *column = &compare_columns[s->view.sort];
    struct record doc;
    char order[64];
    enum output_format format = strcmp(suffix, "json") == 0  ? OUTPUT_JSON
                                : strcmp(suffix, "csv") == 0 ? OUTPUT_CSV
                                : strcmp(suffix, "md") == 0  ? OUTPUT_MARKDOWN
                                                             : OUTPUT_TEXT;

    (void)app;
    if (s->by_size)
        return size_table_export(&s->sizes, format, out, err);
    if (!s->rows.run)
        return gp_fail(err, s->err.code, s->err.where, s->err.hint, "%s", s->err.text);
    if (!s->view.complete)
        return gp_fail(err, GP_E_USAGE, "export", "in a moment", "is still planning");
    const struct compared **rows = gp_calloc(s->view.count + 1, sizeof(*rows));
    size_t *at = gp_calloc(s->view.count + 1, sizeof(*at));
    size_t n = compare_view_order(&s->view, false, at), marked = 0; /* as the command has them */
    for (size_t i = 0; i < n; i++)
        marked += s->view.rows[at[i]].marked; /* these come first */
    n = marked > 0 ? marked : n;
    for (size_t i = 0; i < n; i++)
        rows[i] = s->view.rows[at[i]].compared;
    free(at);
    gp_format(order, sizeof(order), "%s%s", column->option ? column->option : column->sort,
              s->view.reverse ? " reversed" : "");
    record_init(&doc);
    comparison_record(s->rows.run, rows, n, 0, order, marked > 0 ? "marked" : s->view.filter, &doc);
    print_compare(&doc, format, false, 0, 0, out);
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
    int n = words_split(s->precisions, copy, sizeof(copy), words);

    if (s->by_size) {
        size_table_command(app, &s->sizes, out);
        free(load);
        return;
    }
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

/* What the rows beside each other have of the table's keys. */
static bool sides_has(enum action action)
{
    return action == ACT_USE || action == ACT_SIDES || action_rows[action].screens == ON_ALL;
}

static const char *compare_word(const void *state, enum action action)
{
    const struct compare_state *s = state;

    if (s->by_size)
        return !size_table_has(action) ? NULL
               : action == ACT_SIZES   ? "GPUs"
                                       : action_rows[action].word;
    if (action == ACT_OTHER_GPU || (s->sides && !sides_has(action)))
        return NULL;
    if (action == ACT_SIDES && s->sides)
        return "table";
    if (s->sides)
        return action_rows[action].word;
    return action == ACT_USE && s->panel == COMPARE_TABLE ? "open" : action_rows[action].word;
}

const struct screen_ops screen_compare = {
    .state_size = sizeof(struct compare_state),
    .open = compare_open,
    .close = compare_close,
    .show = compare_refresh,
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
