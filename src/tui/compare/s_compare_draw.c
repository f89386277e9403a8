/*
 * s_compare_draw.c - how Compare looks: a line of what is shown, the table, and the row
 * in focus below it, or in its place where there is one column.
 */
#include "tui/compare/s_compare.h"

#include <string.h>

#include "base/units.h"
#include "tui/list.h"
#include "tui/outcome.h"

#define MARKS_WIDTH 3 /* cursor or mark, front, blank */

const struct compare_row *compare_focus(const struct compare_state *s)
{
    return s->at < s->view.shown_count ? compare_view_row(&s->view, s->at) : NULL;
}

static struct rect inside_of(struct rect panel, enum size_class size)
{
    return size == SIZE_ONE ? panel : rect_inside(panel);
}

/* Two lines of the row in focus, or half of the screen when it is opened. */
static int detail_rows(const struct compare_state *s, struct rect body)
{
    return s->panel == COMPARE_DETAIL ? int_max(body.rows / 2, COMPARE_ROWS) : COMPARE_ROWS;
}

void compare_panels(const struct app *app, const struct compare_state *s,
                    struct rect out[COMPARE_PANELS])
{
    struct frame f = app_frame(app);

    frame_stack(f.body, f.size, s->panel, detail_rows(s, f.body), out);
    for (int i = 0; i < COMPARE_PANELS; i++)
        if (!rect_empty(out[i]))
            out[i] = inside_of(out[i], f.size);
}

int compare_page(const struct app *app, const struct compare_state *s)
{
    struct rect in[COMPARE_PANELS];

    compare_panels(app, s, in);
    return in[COMPARE_TABLE].rows > COMPARE_ABOVE ? in[COMPARE_TABLE].rows - COMPARE_ABOVE : 1;
}

int compare_top(const struct compare_state *s, int page)
{
    return list_top((int)s->at, (int)s->view.shown_count, page);
}

void compare_count(const struct compare_state *s, struct strbuf *out)
{
    if (s->rows.run && !s->view.complete)
        strbuf_addf(out, "%zu/%zu planned", comparison_done(s->rows.run),
                    comparison_total(s->rows.run));
    else if (s->view.shown_count < s->view.count)
        strbuf_addf(out, "%zu of %zu", s->view.shown_count, s->view.count);
    else
        strbuf_addf(out, "%zu rows", s->view.count);
}

/* "12 of 300 fit and meet goals  sort $/M ^  filter -  * best for its cost" */
static void draw_state(const struct compare_state *s, struct canvas *canvas, struct rect in)
{
    static const char best[] = "* best for its cost";
    const struct compare_column_row *column = &compare_columns[s->view.sort];
    char text[160];
    int x;

    gp_format(text, sizeof(text), "%zu of %zu fit and meet goals  sort %s ", s->view.good,
              s->view.count, column->sort);
    x = 1 + canvas_text(canvas, in, 0, 1, INK_TEXT, text);
    canvas_glyph(canvas, in, 0, x, INK_TEXT,
                 s->view.reverse == column->descends ? GLYPH_UP : GLYPH_DOWN);
    gp_format(text, sizeof(text), "filter %s", s->view.filter[0] ? s->view.filter : "-");
    x += 3;
    x += canvas_fit(canvas, in, 0, x, in.cols - x, s->view.filter[0] ? INK_KEY : INK_DIM, text);
    if (x + 2 + (int)strlen(best) <= in.cols)
        canvas_text(canvas, in, 0, x + 2, INK_DIM, best);
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

static const char *cell_text(const struct compare_view *view, const struct canvas *canvas,
                             enum compare_column column, struct strbuf *text)
{
    char *band = canvas->charset == CHARSET_ASCII ? strstr(text->text, "±") : NULL;

    if (band) /* two bytes either way */
        memcpy(band, "+-", 2);
    return text->text + (view->mark[column] && text->text[0] == view->mark[column]);
}

/* Why it does not fit, in place of figures: "no fit: short 21.2 GiB on each". */
static void draw_refusal(const struct compare_row *row, struct canvas *canvas, struct rect in,
                         int y, int x)
{
    const struct plan *p = &row->compared->plan;
    double lacks = p->has_memory ? -plan_margin(p) : 0;
    char text[160];

    gp_format(text, sizeof(text), "no fit: %s", limit_words[p->limit].noun);
    if (lacks > 0)
        gp_format(text + strlen(text), sizeof(text) - strlen(text), ", short %.1f GiB",
                  lacks / GP_GIB);
    canvas_fit(canvas, in, y, x, in.cols - x, INK_DIM, text);
}

static void draw_cells(const struct compare_view *view, const struct compare_row *row,
                       struct canvas *canvas, struct rect in, int y, const struct grid *g)
{
    struct strbuf text;
    int x = MARKS_WIDTH;
    bool out = row->compared->plan.verdict == VERDICT_DOES_NOT_FIT;

    strbuf_init(&text);
    for (int i = 0; i < g->count; i++) {
        enum compare_column column = g->column[i];

        if (out && column == COLUMN_VERDICT) {
            draw_refusal(row, canvas, in, y, x);
            break;
        }
        strbuf_clear(&text);
        compare_view_cell(row, column, &text);
        if (column == COLUMN_GPU) /* ids begin alike */
            canvas_fit_end(canvas, in, y, x, g->width[i], ink_of(row, column), text.text);
        else
            list_text(canvas, in, y, x, g->width[i], compare_columns[column].right,
                      ink_of(row, column), cell_text(view, canvas, column, &text));
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

static void draw_empty(const struct compare_state *s, struct canvas *canvas, struct rect in)
{
    struct strbuf text;
    struct rect below = {in.y + COMPARE_ABOVE, in.x + 1, in.rows - COMPARE_ABOVE, in.cols - 2};

    strbuf_init(&text);
    if (!s->rows.run)
        strbuf_addf(&text, "nothing to compare: %s%s%s%s%s", s->err.where,
                    s->err.where[0] ? ": " : "", s->err.text, s->err.hint[0] ? "; " : "",
                    s->err.hint);
    else if (s->view.complete)
        strbuf_addf(&text, "no row matches %s (Esc shows all)", s->view.filter);
    canvas_wrap(canvas, below, 0, s->rows.run ? INK_TEXT : INK_BAD, text.text);
    strbuf_fini(&text);
}

static void draw_rows(const struct compare_state *s, struct canvas *canvas, struct rect in)
{
    struct grid g = grid_of(s, in.cols);
    size_t page = in.rows > COMPARE_ABOVE ? (size_t)(in.rows - COMPARE_ABOVE) : 0;
    size_t top = (size_t)compare_top(s, (int)page);

    draw_titles(s, canvas, in, 1, &g);
    for (size_t i = 0; i < page && top + i < s->view.shown_count; i++)
        draw_row(&s->view, compare_view_row(&s->view, top + i), top + i == s->at, canvas, in,
                 COMPARE_ABOVE + (int)i, &g);
    if (s->panel == COMPARE_TABLE)
        canvas_cursor(canvas, in, COMPARE_ABOVE + (int)(s->at - top), 0);
}

void compare_rows_draw(const void *state, struct canvas *canvas, struct rect in)
{
    const struct compare_state *s = state;
    struct grid g = grid_of(s, in.cols);

    draw_titles(s, canvas, in, 0, &g);
    for (size_t i = 0; (int)i + 1 < in.rows && i < s->view.shown_count; i++)
        draw_row(&s->view, compare_view_row(&s->view, i), false, canvas, in, (int)i + 1, &g);
}

static void add_load(const struct compare_state *s, struct strbuf *out)
{
    const struct resolved *load = s->rows.run ? comparison_load(s->rows.run) : NULL;
    char tokens[32];

    if (!load)
        strbuf_add(out, "GPUs x precisions");
    else
        strbuf_addf(out, "%s, %.0f x %s tokens", load->model_text, load->request.users,
                    units_tokens(tokens, sizeof(tokens), load->request.context));
}

static void draw_table(const struct compare_state *s, struct canvas *canvas, struct rect in,
                       enum size_class size)
{
    struct rect inside = inside_of(in, size);
    int page = int_max(inside.rows - COMPARE_ABOVE, 0), count = (int)s->view.shown_count;
    int top = compare_top(s, page);
    struct strbuf title;
    char part[48] = "";

    if (count > page)
        gp_format(part, sizeof(part), "%d-%d of %d", top + 1, int_min(top + page, count), count);
    strbuf_init(&title);
    add_load(s, &title);
    if (size != SIZE_ONE)
        canvas_box(canvas, in, title.text, part);
    strbuf_fini(&title);
    in = inside;
    if (s->rows.run)
        draw_state(s, canvas, in);
    if (s->view.shown_count > 0)
        draw_rows(s, canvas, in);
    else
        draw_empty(s, canvas, in);
}

static void draw_detail(const struct compare_state *s, struct canvas *canvas, struct rect in,
                        enum size_class size)
{
    const struct compare_row *row = compare_focus(s);
    struct rect inside = inside_of(in, size);
    struct strbuf title;
    char where[48] = "";

    strbuf_init(&title);
    if (row) {
        int lines = compare_detail_lines(row, inside.cols);

        compare_detail_title(row, &title);
        if (lines > inside.rows)
            gp_format(where, sizeof(where), "%d-%d of %d, Tab", s->detail_top + 1,
                      s->detail_top + inside.rows, lines);
    }
    if (size != SIZE_ONE)
        canvas_box(canvas, in, title.text, where[0] ? where : NULL);
    if (row)
        compare_detail_draw(canvas, inside, row, s->detail_top);
    if (s->panel == COMPARE_DETAIL)
        canvas_cursor(canvas, inside, 0, 0);
    strbuf_fini(&title);
}

void compare_draw(const struct app *app, const void *state, struct canvas *canvas,
                  const struct frame *frame)
{
    const struct compare_state *s = state;
    struct rect panel[COMPARE_PANELS];

    (void)app;
    frame_stack(frame->body, frame->size, s->panel, detail_rows(s, frame->body), panel);
    if (!rect_empty(panel[COMPARE_DETAIL]))
        draw_detail(s, canvas, panel[COMPARE_DETAIL], frame->size);
    if (!rect_empty(panel[COMPARE_TABLE]))
        draw_table(s, canvas, panel[COMPARE_TABLE], frame->size);
}
