/*
 * curves_draw.c - the screen Curves painted: the plot, and what stands at its cursor.
 */
#include <math.h>

#include "tui/app.h"
#include "tui/curves/curves.h"

#define VALUE_COL 15 /* where values begin */
#define TEXT_ROWS 30 /* of an export as text */
#define TEXT_COLS 100

/* The cell under the cursor of the series in focus; the real cursor stands there. */
static void draw_focus(struct canvas *canvas, struct rect in, const struct curves *c)
{
    const struct plot_series *s = &c->plot.series[c->view[c->curve].series];
    struct rect area = plot_area(in, &c->plot);
    double x = curves_cursor(c), y;
    int i, row, col;

    if (s->mark) {
        i = curve_nearest(&c->plot, s, x);
        y = i < 0 ? NAN : s->y[i];
        x = i < 0 ? x : s->x[i];
    } else {
        y = plot_read(&c->plot, s, x);
    }
    if (!plot_cell(&c->plot, area, x, y, &row, &col) &&
        !plot_cell(&c->plot, area, curves_cursor(c), c->plot.y.low, &row, &col))
        return;
    canvas_ink(canvas, area, row, col, 1, INK_FOCUS);
    canvas_cursor(canvas, area, row, col);
}

static void draw_plot(struct canvas *canvas, struct rect box, const struct curves *c, bool alone)
{
    struct rect in = rect_inside(box);
    struct plot plot = c->plot;
    char unit[40], title[128];

    gp_format(unit, sizeof(unit), "y: %s", plot_unit(&plot.y));
    gp_format(title, sizeof(title), "%d %s", c->curve + 1, c->title);
    canvas_box(canvas, box, title, c->plot.count ? unit : NULL);
    if (c->plot.count == 0) {
        canvas_wrap(canvas, in, 0, INK_TEXT, c->words);
        canvas_cursor(canvas, in, 0, 0);
        return;
    }
    plot.legend = alone ? 2 : 0;
    plot.x.title = NULL; /* it stands in the lower edge */
    gp_format(title, sizeof(title), " %s ", c->plot.x.title);
    canvas_fit(canvas, box, box.rows - 1, 2, box.cols - 4, INK_DIM, title);
    plot_draw(canvas, in, &plot, curves_cursor(c));
    draw_focus(canvas, in, c);
}

/* "a weights     33.88 GiB  33.10..34.20" in `width` columns. */
static void draw_value(struct canvas *canvas, struct rect in, int y, int x, int width,
                       const struct curve_reading *r)
{
    char text[80];
    int used;

    gp_format(text, sizeof(text), "%c %s", r->mark ? r->mark : ' ', r->name);
    canvas_fit(canvas, in, y, x, width, r->ink, text);
    used = gp_width(text) + 1;
    if (used < VALUE_COL && VALUE_COL + gp_width(r->value) <= width)
        used = VALUE_COL;
    canvas_fit(canvas, in, y, x + used, width - used, INK_TEXT, r->value);
    used += gp_width(r->value) + 2;
    if (r->more[0] && used + gp_width(r->more) <= width)
        canvas_text(canvas, in, y, x + used, INK_DIM, r->more);
}

static void draw_reading(struct canvas *canvas, struct rect box, const struct curves *c, bool alone)
{
    struct rect in = rect_inside(box);
    int columns = in.cols < 70 ? 1 : in.cols >= 110 && c->readings > 2 * in.rows ? 3 : 2;
    int rows = in.rows, each = in.cols / columns, top = 0;

    if (alone && c->readings > rows)
        top = c->top < c->readings - rows ? c->top : c->readings - rows;
    canvas_box(canvas, box, c->at[0] ? c->at : "Reading", NULL);
    if (rows * columns < c->readings) /* what does not fit is not left out silently */
        canvas_text(canvas, box, box.rows - 1, 3, INK_DIM, alone ? " j k: more " : " e: all ");
    for (int i = 0; i + top < c->readings && i < rows * columns; i++)
        draw_value(canvas, in, i % rows, i / rows * each + 1, each - 2, &c->reading[i + top]);
    if (alone)
        canvas_cursor(canvas, in, 0, 1);
}

void curves_draw(const struct app *app, const void *state, struct canvas *canvas,
                 const struct frame *frame)
{
    const struct curves *c = state;
    struct rect panels[CURVES_PANELS];

    (void)app;
    frame_stack(frame->body, frame->size, c->panel, CURVES_ROWS, panels);
    if (!rect_empty(panels[CURVES_READING]))
        draw_reading(canvas, panels[CURVES_READING], c, frame->size <= SIZE_ONE);
    if (!rect_empty(panels[CURVES_PLOT]))
        draw_plot(canvas, panels[CURVES_PLOT], c, frame->size <= SIZE_ONE);
}

void curves_text(const struct app *app, const struct curves *c, struct strbuf *out)
{
    struct canvas canvas;
    struct plot plot = c->plot;

    plot.legend = 6;
    canvas_init(&canvas, app->settings.charset);
    canvas_clear(&canvas, TEXT_ROWS, TEXT_COLS);
    plot_draw(&canvas, canvas_rect(&canvas), &plot, curves_cursor(c));
    strbuf_addf(out, "%s\ny: %s\n", c->title, plot_unit(&plot.y));
    canvas_dump(&canvas, out);
    strbuf_addf(out, "%s\n\n%s\n", c->words, c->at);
    for (int i = 0; i < c->readings; i++)
        strbuf_addf(out, "%c %-24s %s  %s\n", c->reading[i].mark ? c->reading[i].mark : ' ',
                    c->reading[i].name, c->reading[i].value, c->reading[i].more);
    canvas_fini(&canvas);
}
