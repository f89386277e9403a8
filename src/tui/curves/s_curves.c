/*
 * s_curves.c - the screen Curves: one plot of a table of curves, and what stands at its
 * cursor.
 *
 * A curve is a row of curve_rows (curves.h). It is filled when the plan has changed, or
 * the file, or the range that is looked at, never while drawing. The cursor stands on
 * computed points where there are some, so that every number read off is one that
 * --plan prints; on a mark's series it goes from mark to mark.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/result/benchlog.h"
#include "tui/app.h"
#include "tui/curves/curves.h"
#include "tui/list.h"
#include "tui/settings.h"

#define FAR 10            /* columns of a page */
#define MOST_FILES 200    /* of a folder, looked into */
#define START 512         /* bytes of a file that are looked at */
#define LAST_RUN "@bench" /* stands for the last run of Bench */
#define ZOOM_LEAST 1.2    /* a range is no less than this, high over low */
#define VALUE_COL 15      /* where values begin */
#define TEXT_ROWS 30      /* of an export as text */
#define TEXT_COLS 100

#define INTENSITY_AXIS "intensity, FLOP per byte of memory (log2)"
#define USERS_AXIS "users: requests in flight (log2)"
#define LAYOUT_EXPLAIN "A point is a plan, its band shaded: "
#define LOAD_CURVE                                                                             \
    .snap = true, .begin = curve_begin_load, .take = curve_take_load, .fill = curve_fill_load, \
    .read = curve_read_load

const struct curve_row curve_rows[CURVE_COUNT] = {
    [CURVE_LATENCY] = {"TPOT and TTFT", USERS_AXIS,
                       LAYOUT_EXPLAIN "TPOT of a step, TTFT = wait + prefill.", LOAD_CURVE},
    [CURVE_THROUGHPUT] = {"Output tokens per second", USERS_AXIS,
                          LAYOUT_EXPLAIN "tokens/s = requests/s x output, all users.", LOAD_CURVE},
    [CURVE_COST] = {"Cost per million tokens", USERS_AXIS,
                    LAYOUT_EXPLAIN "$/M tokens = 1e6 $/h / (3600 tokens/s).", LOAD_CURVE},
    [CURVE_MEMORY] = {"Memory", USERS_AXIS,
                      "Memory of one GPU by part, stacked; each point is a plan of its own.",
                      .snap = true, .fill = curve_fill_memory, .read = curve_read_memory},
    [CURVE_ROOFLINE] = {"Roofline", INTENSITY_AXIS,
                        "Roof = min(rate, intensity x bandwidth) of the sheet; marks are "
                        "predicted, or measured (o).",
                        .fill = curve_fill_roofline, .read = curve_read_roofline},
};

static const struct curve_view WHOLE = {NAN, NAN, NAN, 0};

/* ---- filling ---- */

static struct curve_view *view_of(struct curves *c)
{
    return &c->view[c->curve];
}

/* x of the cursor. */
static double curves_cursor(const struct curves *c)
{
    double x = c->view[c->curve].cursor;

    x = isfinite(x) ? x : c->start;
    return fmin(fmax(x, c->plot.x.low), c->plot.x.high);
}

static void read_cursor(struct curves *c, struct form *form)
{
    c->readings = 0;
    c->at[0] = '\0';
    if (c->plot.count > 0)
        curve_rows[c->curve].read(c, form, curves_cursor(c));
}

/* The measured products of a file are no curve of the plan. */
static bool is_measured(const struct curves *c)
{
    return c->curve == CURVE_ROOFLINE && c->set > 0;
}

/* Draws what is planned. */
static void curve_redraw(struct app *app, struct curves *c)
{
    struct curve_view *v = view_of(c);

    plot_clear(&c->plot);
    curve_rows[c->curve].fill(c, app->form);
    gp_copy(c->plot.title, sizeof(c->plot.title), c->title);
    if (v->series >= c->plot.count)
        v->series = 0;
    while (v->series < c->plot.count - 1 && c->plot.series[v->series].shade)
        v->series++;
    read_cursor(c, app->form);
    app_touch(app);
}

static void curve_title(struct curves *c, const struct form *form)
{
    static const char *const memory[] = {" against context", " against users"};
    const struct plan *p = &form->answer->plan;
    const char *title = curve_rows[c->curve].title;

    if (is_measured(c))
        gp_format(c->title, sizeof(c->title), "%s, measured  %s", title,
                  c->file[0] ? c->file : "last run of Bench");
    else if (!form->answered)
        gp_copy(c->title, sizeof(c->title), title);
    else
        gp_format(c->title, sizeof(c->title), "%s%s  %s %s, %d x %s TP %d", title,
                  c->curve == CURVE_MEMORY ? memory[c->sweep] : "", p->request.model->name,
                  p->request.precision.id, p->layout.gpus, p->request.gpu->id, p->layout.tp);
}

static void curve_fill(struct app *app, struct curves *c)
{
    const struct curve_row *row = &curve_rows[c->curve];
    struct form *form = app->form;

    plot_clear(&c->plot);
    task_drop(&c->task);
    c->plot.x = (struct plot_axis){.log = true, .base = 2, .title = row->x_title};
    c->start = NAN;
    c->sets = c->curve == CURVE_ROOFLINE ? 1 + curve_measured_sets(&c->log) : 0;
    c->set = c->sets > 0 ? (c->set % c->sets + c->sets) % c->sets : c->set;
    c->words[0] = c->at[0] = '\0';
    c->version = form->version;
    c->filled = true;
    curve_title(c, form);
    if (!form->answered && !is_measured(c))
        gp_format(c->words, sizeof(c->words), "no plan: %s", form->err.text);
    else if (!row->begin || row->begin(c, form, app->worker))
        curve_redraw(app, c);
    if (c->task && row->take(c))
        curve_redraw(app, c);
    read_cursor(c, form);
    app_touch(app);
}

/* ---- moving ---- */

static int columns_of(const struct app *app, const struct curves *c)
{
    struct frame frame = app_frame(app);
    struct rect panel[CURVES_PANELS];

    frame_stack(frame.body, frame.size, CURVES_PLOT, CURVES_ROWS, panel);
    return plot_area(rect_inside(panel[CURVES_PLOT]), &c->plot).cols;
}

/* The nearest x of the series that lies at least `columns` beyond; its last one. */
static double next_point(const struct curves *c, const struct plot_series *s, double x, int width,
                         int columns)
{
    int way = columns < 0 ? -1 : 1;
    double here = plot_place(&c->plot.x, x), best = x, far = INFINITY, most = 0;
    double least = s->mark ? 1e-9 : (abs(columns) - 0.5) / fmax(width - 1, 1);

    for (int i = 0; i < s->count; i++) {
        double place = plot_place(&c->plot.x, s->x[i]), gap = way * (place - here);

        if (!(place >= -1e-9 && place <= 1 + 1e-9) || gap <= 0)
            continue;
        if (gap >= least && gap < far) {
            far = gap;
            best = s->x[i];
        } else if (isinf(far) && gap > most) {
            most = gap;
            best = s->x[i];
        }
    }
    return best;
}

static void cursor_move(struct app *app, struct curves *c, int columns)
{
    struct curve_view *v = view_of(c);
    const struct plot_series *s = &c->plot.series[v->series];
    int width = columns_of(app, c);

    if (c->plot.count == 0)
        return;
    if (s->mark || curve_rows[c->curve].snap)
        v->cursor = next_point(c, s, curves_cursor(c), width, columns);
    else
        v->cursor = plot_move(&c->plot, width, curves_cursor(c), columns);
    read_cursor(c, app->form);
}

/* The cursor onto the nearest point of the series in focus, where it stands on such. */
static void cursor_snap(struct app *app, struct curves *c)
{
    struct curve_view *v = view_of(c);
    const struct plot_series *s = &c->plot.series[v->series];

    if ((s->mark || curve_rows[c->curve].snap) && s->count > 0)
        v->cursor = s->x[curve_nearest(&c->plot, s, curves_cursor(c))];
    read_cursor(c, app->form);
}

static void choose_series(struct app *app, struct curves *c, int by)
{
    struct curve_view *v = view_of(c);

    if (c->plot.count == 0)
        return;
    do
        v->series = (v->series + by + c->plot.count) % c->plot.count;
    while ((c->plot.series[v->series].count == 0 || c->plot.series[v->series].shade) &&
           v->series != 0);
    cursor_snap(app, c);
    app_report(app, false, "series %d of %d: %s", v->series + 1, c->plot.count,
               c->plot.series[v->series].name);
}

static void up_down(struct app *app, struct curves *c, int by)
{
    if (c->panel == CURVES_READING && app_frame(app).size == SIZE_ONE) {
        c->top = list_clamp(c->top + by, 0, c->readings - 1);
    } else if (c->sets > 1) {
        c->set += by;
        curve_fill(app, c);
    } else {
        choose_series(app, c, by);
    }
}

/* Half (by > 0) or twice the range, the cursor where it is. */
static void zoom_by(struct app *app, struct curves *c, int by)
{
    struct curve_view *v = view_of(c);
    double factor = by > 0 ? 0.5 : 2;
    double x = curves_cursor(c), low = c->plot.x.low, high = c->plot.x.high;

    if (c->plot.count == 0 || !(low > 0))
        return;
    if (factor < 1 && pow(high / low, factor) < ZOOM_LEAST)
        return;
    v->cursor = x;
    v->low = x * pow(low / x, factor);
    v->high = x * pow(high / x, factor);
    curve_fill(app, c);
}

static bool is_zoomed(const struct curves *c)
{
    return isfinite(c->view[c->curve].low);
}

/* ---- result files ---- */

static void open_file(struct app *app, const char *path)
{
    struct curves *c = app_state(app, SCREEN_CURVES);
    bool last = strcmp(path, LAST_RUN) == 0;
    struct benchlog log;
    struct gp_err err;

    if (last && !benchlog_share(&c->bench, &log))
        return;
    if (!last && benchlog_read(path, &log, &err)) {
        app_report_err(app, &err);
        return;
    }
    benchlog_fini(&c->log);
    c->log = log;
    c->set = 1;
    c->curve = CURVE_ROOFLINE;
    c->view[CURVE_ROOFLINE] = WHOLE;
    gp_copy(c->file, sizeof(c->file), last ? "" : path);
    curve_fill(app, c);
    if (c->sets == 1)
        app_report(app, false, "this result has no matrix products (gpuplan --bench gemm, batch)");
}

void curves_show_log(struct app *app, const struct benchlog *log)
{
    struct curves *c = app_state(app, SCREEN_CURVES);
    struct benchlog copy;

    if (!benchlog_share(log, &copy))
        return;
    benchlog_fini(&c->bench);
    c->bench = copy;
    open_file(app, LAST_RUN);
}

struct found {
    struct choice *choice;
    int count;
    size_t cap;
};

static struct choice *found_add(struct found *f)
{
    f->choice = gp_grow(f->choice, &f->cap, (size_t)f->count + 1, sizeof(*f->choice));
    memset(&f->choice[f->count], 0, sizeof(*f->choice));
    return &f->choice[f->count++];
}

/* The value of a JSON text near the start, "" when it is not there. */
static char *json_text(const char *text, const char *key, char out[64])
{
    char quoted[48];
    const char *at;

    gp_format(quoted, sizeof(quoted), "\"%s\"", key);
    at = strstr(text, quoted);
    at = at ? strchr(at + strlen(quoted), '"') : NULL;
    gp_copy(out, 64, at ? at + 1 : "");
    out[strcspn(out, "\"")] = '\0';
    gp_tame(out);
    return out;
}

/* A result is known by its schema, near the start. */
static bool is_result(const char *path, char *more, size_t size)
{
    char text[START + 1], schema[64], started[64], status[64];

    path_head(path, text, sizeof text);
    gp_format(more, size, "%s  %s", json_text(text, "started", started),
              json_text(text, "status", status));
    return strcmp(json_text(text, "schema", schema), BENCHLOG_SCHEMA) == 0;
}

static void look_into(struct found *f, const char *folder)
{
    char **names, path[GP_PATH_MAX], more[160];
    size_t count;

    if (path_list(folder, ".json", &names, &count, NULL))
        return;
    for (size_t i = 0; i < count && i < MOST_FILES; i++) {
        struct choice *c;
        bool here = strcmp(folder, ".") == 0;

        if (!path_join(path, sizeof(path), folder, names[i]))
            continue;
        if (here) /* without the "./" */
            gp_copy(path, sizeof(path), names[i]);
        if (strlen(path) >= sizeof(c->id) || !is_result(path, more, sizeof(more)))
            continue;
        c = found_add(f);
        gp_copy(c->id, sizeof(c->id), path);
        gp_copy(c->text, sizeof(c->text), names[i]);
        gp_format(c->more, sizeof(c->more), "%s%s%s", more, here ? "" : "  in ",
                  here ? "" : folder);
    }
    path_list_free(names, count);
}

static void file_chosen(struct app *app, void *ctx, const char *id)
{
    (void)ctx;
    open_file(app, id);
}

/* A list of the results in the current folder and Bench's own; another may be typed. */
static void choose_file(struct app *app, struct curves *c, int by)
{
    struct found found = {NULL, 0, 0};
    struct chooser_ask options = {.title = "Result file",
                                  .chosen = file_chosen,
                                  .free = "a path of a gpuplan.bench/1 file",
                                  .paths = true};
    char folder[GP_PATH_MAX];

    (void)by;
    if (c->bench.json) {
        struct choice *bench = found_add(&found);

        gp_copy(bench->id, sizeof(bench->id), LAST_RUN);
        gp_copy(bench->text, sizeof(bench->text), "last run of Bench");
    }
    look_into(&found, ".");
    settings_results(folder, sizeof(folder));
    if (strcmp(folder, ".") != 0)
        look_into(&found, folder);
    options.choices = found.choice;
    options.count = found.count;
    chooser_open(&app->display, &options);
    free(found.choice);
}

/* ---- the screen ---- */

static void curves_open(struct app *app, void *state)
{
    struct curves *c = state;

    (void)app;
    plot_init(&c->plot);
    for (int i = 0; i < CURVE_COUNT; i++)
        c->view[i] = WHOLE;
}

static void curves_close(struct app *app, void *state)
{
    struct curves *c = state;

    (void)app;
    plot_fini(&c->plot);
    task_drop(&c->task);
    benchlog_fini(&c->log);
    benchlog_fini(&c->bench);
}

static void curves_show(struct app *app, void *state)
{
    struct curves *c = state;

    if (!c->filled || c->version != app->form->version)
        curve_fill(app, c);
}

static double curves_tick(struct app *app, void *state, double now)
{
    struct curves *c = state;

    (void)now;
    if (app->screen != SCREEN_CURVES)
        return -1;
    curves_show(app, c);
    if (c->task && curve_rows[c->curve].take(c))
        curve_redraw(app, c);
    return c->task ? WORKER_POLL : -1;
}

static void choose_curve(struct app *app, struct curves *c, int by)
{
    c->curve = (c->curve + by + CURVE_COUNT) % CURVE_COUNT;
    c->top = 0;
    curve_fill(app, c);
}

/* The curve of a letter; pressed again, memory is shown against the other. */
static void curve_by_letter(struct app *app, struct curves *c, int curve)
{
    if (curve == CURVE_MEMORY && c->curve == curve) {
        c->sweep = c->sweep == SWEEP_USERS ? SWEEP_CONTEXT : SWEEP_USERS;
        c->view[curve] = WHOLE;
    }
    choose_curve(app, c, curve - c->curve);
}

static void panel_next(struct app *app, struct curves *c, int by)
{
    if (app_frame(app).size == SIZE_ONE)
        c->panel = (c->panel + 1) % CURVES_PANELS;
    else
        choose_series(app, c, by);
}

static bool curves_act(struct app *app, void *state, enum action action)
{
    static const struct {
        enum action action;
        void (*act)(struct app *app, struct curves *c, int by);
        int by;
    } acts[] = {
        {ACT_CURVE_LATENCY, curve_by_letter, CURVE_LATENCY},
        {ACT_CURVE_THROUGHPUT, curve_by_letter, CURVE_THROUGHPUT},
        {ACT_CURVE_COST, curve_by_letter, CURVE_COST},
        {ACT_CURVE_MEMORY, curve_by_letter, CURVE_MEMORY},
        {ACT_CURVE_ROOFLINE, curve_by_letter, CURVE_ROOFLINE},
        {ACT_CURVE_NEXT, choose_curve, 1},
        {ACT_CURVE_BACK, choose_curve, -1},
        {ACT_LEFT, cursor_move, -1},
        {ACT_RIGHT, cursor_move, 1},
        {ACT_PAGE_UP, cursor_move, -FAR},
        {ACT_PAGE_DOWN, cursor_move, FAR},
        {ACT_FIRST, cursor_move, -LIST_ALL},
        {ACT_LAST, cursor_move, LIST_ALL},
        {ACT_UP, up_down, -1},
        {ACT_DOWN, up_down, 1},
        {ACT_ZOOM_IN, zoom_by, 1},
        {ACT_ZOOM_OUT, zoom_by, -1},
        {ACT_PANEL, panel_next, 1},
        {ACT_PANEL_BACK, panel_next, -1},
        {ACT_SERIES, choose_series, 1},
        {ACT_MEASURED, choose_file, 0},
    };
    struct curves *c = state;
    bool back = action == ACT_BACK && is_zoomed(c), done = back;

    curves_show(app, state);
    if (back) {
        view_of(c)->low = view_of(c)->high = NAN;
        curve_fill(app, c);
    }
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        if (acts[i].action == action) {
            acts[i].act(app, c, acts[i].by);
            done = true;
        }
    if (done)
        app_touch(app);
    return done;
}

static void curves_click(struct app *app, void *state, int y, int x)
{
    struct curves *c = state;
    struct frame frame = app_frame(app);
    struct rect panels[CURVES_PANELS], area;

    frame_stack(frame.body, frame.size, c->panel, CURVES_ROWS, panels);
    area = plot_area(rect_inside(panels[CURVES_PLOT]), &c->plot);
    x -= area.x - frame.body.x;
    (void)y;
    if (c->plot.count == 0 || x < 0 || x >= area.cols)
        return;
    view_of(c)->cursor = plot_move(&c->plot, area.cols, c->plot.x.low, x);
    cursor_snap(app, c);
    app_touch(app);
}

/* ---- painting ---- */

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

static void curves_draw(const struct app *app, const void *state, struct canvas *canvas,
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

/* ---- words ---- */

static void curves_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct curves *c = state;

    (void)app;
    if (c->words[0] && c->plot.count > 0)
        strbuf_addf(out, "%s\n", c->words);
    strbuf_add(out, curve_rows[c->curve].explain);
}

static void curves_title(const struct app *app, const void *state, struct strbuf *out)
{
    const struct curves *c = state;

    (void)app;
    strbuf_addf(out, "%d of %d%s", c->curve + 1, CURVE_COUNT, is_zoomed(c) ? ", zoom" : "");
}

/* What is shown as text, for people. */
static void curves_text(const struct app *app, const struct curves *c, struct strbuf *out)
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

static enum gp_status curves_export(const struct app *app, const void *state, const char *suffix,
                                    struct strbuf *out, struct gp_err *err)
{
    const struct curves *c = state;

    if (c->plot.count == 0)
        return gp_fail(err, GP_E_NOTHING, "", "", "%s", c->words);
    if (strcmp(suffix, "csv") == 0)
        plot_csv(&c->plot, out);
    else if (strcmp(suffix, "svg") == 0)
        plot_svg(&c->plot, out);
    else
        curves_text(app, c, out);
    return GP_OK;
}

/* The form with the cursor's context or users and the plan's layout. */
static void command_at(const struct app *app, const struct curves *c, struct strbuf *out)
{
    struct form *copy = gp_malloc(sizeof(*copy));
    const struct plan *plan = &app->form->answer->plan;
    const struct {
        enum field field;
        int value;
    } cut[] = {{FIELD_TP, plan->layout.tp},
               {FIELD_PP, plan->layout.pp},
               {FIELD_EP, plan->layout.ep},
               {FIELD_REPLICAS, plan->layout.replicas}};
    bool context = c->curve == CURVE_MEMORY && c->sweep == SWEEP_CONTEXT;

    *copy = *app->form;
    for (int i = 0; i < 4; i++)
        gp_format(copy->values.value[cut[i].field], FORM_VALUE, "%d", cut[i].value);
    if (!copy->values.value[FIELD_GPU][0]) /* the curve is of the one that was chosen */
        gp_copy(copy->values.value[FIELD_GPU], FORM_VALUE, plan->request.gpu->id);
    gp_format(copy->values.value[context ? FIELD_CONTEXT : FIELD_USERS], FORM_VALUE, "%.0f",
              curves_cursor(c));
    form_command(copy, "plan", out);
    free(copy);
}

static void curves_command(const struct app *app, const void *state, struct strbuf *out)
{
    const struct curves *c = state;

    if (is_measured(c) && c->file[0]) {
        strbuf_add(out, "gpuplan --compare-results ");
        strbuf_quote(out, c->file);
        strbuf_add(out, " --format csv");
    } else if (curve_rows[c->curve].snap && app->form->answered && c->plot.count > 0) {
        command_at(app, c, out);
    } else {
        form_command(app->form, "plan", out);
    }
}

const struct screen_ops screen_curves = {
    .state_size = sizeof(struct curves),
    .open = curves_open,
    .close = curves_close,
    .show = curves_show,
    .draw = curves_draw,
    .act = curves_act,
    .tick = curves_tick,
    .explain = curves_explain,
    .title = curves_title,
    .suffixes = "txt csv svg",
    .export = curves_export,
    .command = curves_command,
    .click = curves_click,
};
