/*
 * s_compare_draw.c - how Compare looks: a line of what is shown, the table, and the row
 * in focus below it, or in its place where there is one column.
 */
#include "tui/compare/s_compare.h"

#include <string.h>

#include "tui/list.h"
#include "util/units.h"

#define MARKS_WIDTH 3 /* cursor or mark, front, blank */

const struct compare_row *compare_focus(const struct compare_state *s)
{
    return s->at < s->view.shown_count ? compare_view_row(&s->view, s->at) : NULL;
}

static struct rect inside_of(struct rect panel, enum size_class size)
{
    return size == SIZE_ONE ? panel : rect_inside(panel);
}

void compare_panels(const struct app *app, const struct compare_state *s,
                    struct rect out[COMPARE_PANELS])
{
    struct frame f = app_frame(app);
    frame_stack(f.body, f.size, s->panel, COMPARE_ROWS, out);
    for (int i = 0; i < COMPARE_PANELS; i++)
        if (!rect_empty(out[i]))
            out[i] = inside_of(out[i], f.size);
}

int compare_page(const struct app *app, const struct compare_state *s)
{
    struct rect in[COMPARE_PANELS];
    compare_panels(app, s, in);
    return in[COMPARE_TABLE].rows > COMPARE_ABOVE
               ? in[COMPARE_TABLE].rows - COMPARE_ABOVE
               : 1;
}

int compare_top(const struct compare_state *s, int page)
{
    return list_top((int)s->at, (int)s->view.shown_count, page);
}

void compare_count(const struct compare_state *s, struct strbuf *out)
{
    if (s->run && !s->view.complete)
        strbuf_addf(out, "%zu/%zu planned", comparison_done(s->run),
                    comparison_total(s->run));
    else if (s->view.shown_count < s->view.count)
        strbuf_addf(out, "%zu of %zu", s->view.shown_count, s->view.count);
    else
        strbuf_addf(out, "%zu rows", s->view.count);
}

/* "9 of 225   sort: $/h ^   filter: mem>=40" */
static void draw_state(const struct compare_state *s, struct canvas *canvas,
                       struct rect in)
{
    const struct compare_column_row *column = &compare_columns[s->view.sort];
    struct strbuf text;
    int x;
    strbuf_init(&text);
    compare_count(s, &text);
    strbuf_addf(&text, "   sort: %s ", column->sort);
    x = 1 + canvas_text(canvas, in, 0, 1, INK_TEXT, text.text);
    canvas_glyph(canvas, in, 0, x, INK_TEXT,
                 s->view.reverse == column->descends ? GLYPH_UP : GLYPH_DOWN);
    strbuf_clear(&text);
    if (s->view.filter[0])
        strbuf_addf(&text, "filter: %s", s->view.filter);
    else
        strbuf_add(&text, "stars: by $/h and requests held");
    canvas_fit(canvas, in, 0, x + 4, in.cols - x - 4,
               s->view.filter[0] ? INK_KEY : INK_DIM, text.text);
    strbuf_fini(&text);
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

static void draw_titles(const struct compare_state *s, struct canvas *canvas,
                        struct rect in, const struct grid *g)
{
    int x = MARKS_WIDTH;
    for (int i = 0; i < g->count; i++) {
        const struct compare_column_row *column = &compare_columns[g->column[i]];
        list_text(canvas, in, 1, x, g->width[i], column->right,
                  g->column[i] == s->view.sort ? INK_TAB : INK_HEADING, column->title);
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
    return column == COLUMN_VERDICT || verdict == VERDICT_DOES_NOT_FIT ? inks[verdict]
                                                                       : INK_TEXT;
}

static void draw_row(const struct compare_row *row, bool focus, bool own,
                     struct canvas *canvas, struct rect in, int y, const struct grid *g)
{
    struct strbuf text;
    int x = MARKS_WIDTH;
    strbuf_init(&text);
    if (row->marked || own)
        canvas_text(canvas, in, y, 0, INK_HEADING, row->marked ? "+" : "=");
    if (row->compared->front)
        canvas_text(canvas, in, y, 1, INK_OK, "*");
    for (int i = 0; i < g->count; i++) {
        strbuf_clear(&text);
        compare_view_cell(row, g->column[i], &text);
        list_text(canvas, in, y, x, g->width[i], compare_columns[g->column[i]].right,
                  ink_of(row, g->column[i]), text.text);
        x += g->width[i] + 2;
    }
    if (focus) {
        canvas_glyph(canvas, in, y, 0, INK_FOCUS, GLYPH_CURSOR);
        canvas_ink(canvas, in, y, 0, in.cols, INK_FOCUS);
    }
    strbuf_fini(&text);
}

static void draw_empty(const struct compare_state *s, struct canvas *canvas,
                       struct rect in)
{
    struct strbuf text;
    struct rect below = {in.y + COMPARE_ABOVE, in.x + 1, in.rows - COMPARE_ABOVE,
                         in.cols - 2};
    strbuf_init(&text);
    if (!s->run)
        strbuf_addf(&text, "nothing to compare: %s%s%s%s%s", s->err.where,
                    s->err.where[0] ? ": " : "", s->err.text,
                    s->err.hint[0] ? "; " : "", s->err.hint);
    else if (s->view.complete)
        strbuf_addf(&text, "no row matches %s (Esc shows all)", s->view.filter);
    canvas_wrap(canvas, below, 0, s->run ? INK_TEXT : INK_BAD, text.text);
    strbuf_fini(&text);
}

static void draw_rows(const struct compare_state *s, struct canvas *canvas,
                      struct rect in)
{
    struct grid g = grid_of(s, in.cols);
    size_t page = in.rows > COMPARE_ABOVE ? (size_t)(in.rows - COMPARE_ABOVE) : 0;
    size_t top = (size_t)compare_top(s, (int)page);
    draw_titles(s, canvas, in, &g);
    for (size_t i = 0; i < page && top + i < s->view.shown_count; i++)
        draw_row(compare_view_row(&s->view, top + i), top + i == s->at,
                 strcmp(compare_view_row(&s->view, top + i)->key, s->own) == 0, canvas,
                 in, COMPARE_ABOVE + (int)i, &g);
    if (s->panel == COMPARE_TABLE)
        canvas_cursor(canvas, in, COMPARE_ABOVE + (int)(s->at - top), 0);
}

static void add_load(const struct compare_state *s, struct strbuf *out)
{
    const struct resolved *load = s->run ? comparison_load(s->run) : NULL;
    char tokens[32];
    if (!load)
        strbuf_add(out, "GPUs x precisions");
    else
        strbuf_addf(out, "%s, %.0f x %s tokens", load->model_text, load->request.users,
                    units_tokens(tokens, sizeof(tokens), load->request.context));
}

static void draw_table(const struct compare_state *s, struct canvas *canvas,
                       struct rect in, enum size_class size)
{
    struct strbuf title;
    strbuf_init(&title);
    add_load(s, &title);
    if (size != SIZE_ONE)
        canvas_box(canvas, in, title.text, NULL);
    strbuf_fini(&title);
    in = inside_of(in, size);
    if (s->run)
        draw_state(s, canvas, in);
    if (s->view.shown_count > 0)
        draw_rows(s, canvas, in);
    else
        draw_empty(s, canvas, in);
}

static void draw_detail(const struct compare_state *s, struct canvas *canvas,
                        struct rect in, enum size_class size)
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
    frame_stack(frame->body, frame->size, s->panel, COMPARE_ROWS, panel);
    if (!rect_empty(panel[COMPARE_DETAIL]))
        draw_detail(s, canvas, panel[COMPARE_DETAIL], frame->size);
    if (!rect_empty(panel[COMPARE_TABLE]))
        draw_table(s, canvas, panel[COMPARE_TABLE], frame->size);
}
