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

#define INTENSITY_AXIS "intensity, FLOP per byte of memory (log2)"
#define MEMORY_EXPLAIN "Memory of one GPU by part, stacked; each point is a plan of its own."

#define USERS_AXIS "users: requests in flight (log2)"
#define LAYOUT_EXPLAIN "A point is a plan, its band shaded: "

const struct curve_row curve_rows[CURVE_COUNT] = {
    [CURVE_SPEED] = {"speed", "TPOT and TTFT", USERS_AXIS,
                     LAYOUT_EXPLAIN "TPOT of a step, TTFT = wait + prefill.", .snap = true,
                     .begin = curve_begin_load, .take = curve_take_load, .fill = curve_fill_load,
                     .read = curve_read_load},
    [CURVE_COST] = {"cost", "Cost per million tokens", USERS_AXIS,
                    LAYOUT_EXPLAIN "$/M tokens = 1e6 $/h / (3600 tokens/s).", .snap = true,
                    .begin = curve_begin_load, .take = curve_take_load, .fill = curve_fill_load,
                    .read = curve_read_load},
    [CURVE_GPUS] = {"gpus", "GPUs needed", USERS_AXIS,
                    "The fewest of the plan's GPUs that reach the goals; each point is a "
                    "search.",
                    .snap = true, .begin = curve_begin_load, .take = curve_take_load,
                    .fill = curve_fill_load, .read = curve_read_load},
    [CURVE_CONTEXT] = {"memory-context", "Memory against context", "tokens of a request (log2)",
                       MEMORY_EXPLAIN, .snap = true, .fill = curve_fill_memory,
                       .read = curve_read_memory},
    [CURVE_USERS] = {"memory-users", "Memory against users", USERS_AXIS, MEMORY_EXPLAIN,
                     .snap = true, .fill = curve_fill_memory, .read = curve_read_memory},
    [CURVE_ROOFLINE] = {"roofline", "Roofline", INTENSITY_AXIS,
                        "Roof = min(rate, intensity x bandwidth) of the sheet; marks are "
                        "predicted.",
                        .fill = curve_fill_roofline, .read = curve_read_roofline},
    [CURVE_FRONT] = {"front", "All GPUs and formats", "dollars per hour",
                     "A point is a row of Compare, * on its front; the cursor reads the "
                     "nearest.",
                     .begin = curve_begin_front, .take = curve_take_front, .fill = curve_fill_front,
                     .read = curve_read_front},
    [CURVE_BATCH] = {"batch", "Measured against predicted", "batch: tokens at once (log2)",
                     "Rate of each layer by tokens at once: measured, and predicted.",
                     .measured = true, .snap = true, .fill = curve_fill_batch,
                     .read = curve_read_measured},
    [CURVE_GEMM] = {"gemm", "Measured matrix products", INTENSITY_AXIS,
                    "Measured: operations / median time; roof = min(rate, intensity x "
                    "bandwidth).",
                    .measured = true, .fill = curve_fill_gemm, .read = curve_read_measured},
};

static const struct curve_view WHOLE = {NAN, NAN, NAN, 0};

/* ---- filling ---- */

static struct curve_view *view_of(struct curves *c)
{
    return &c->view[c->curve];
}

static void read_cursor(struct curves *c, struct form *form)
{
    c->readings = 0;
    c->at[0] = '\0';
    if (c->plot.count > 0)
        curve_rows[c->curve].read(c, form, curves_cursor(c));
}

/* What the plan is, for the title of the curve. */
static void name_plan(struct curves *c, const struct form *form)
{
    const struct plan *p = &form->answer->plan;

    gp_format(c->title, sizeof(c->title), "%s  %s %s, %d x %s TP %d", curve_rows[c->curve].title,
              p->request.model->name, p->request.precision.id, p->layout.gpus, p->request.gpu->id,
              p->layout.tp);
}

/* Draws what is planned. */
static void curve_redraw(struct app *app, struct curves *c)
{
    plot_clear(&c->plot);
    curve_rows[c->curve].fill(c, app->form);
    gp_copy(c->plot.title, sizeof(c->plot.title), c->title);
    if (view_of(c)->series >= c->plot.count)
        view_of(c)->series = 0;
    while (view_of(c)->series < c->plot.count - 1 && c->plot.series[view_of(c)->series].shade)
        view_of(c)->series++;
    read_cursor(c, app->form);
    app_touch(app);
}

/* Draws what has come of the worker. */
static void curve_take(struct app *app, struct curves *c)
{
    enum curve_take took = curve_rows[c->curve].take(c);

    c->working = took != CURVE_LAST;
    if (took != CURVE_SAME)
        curve_redraw(app, c);
}

/* What another curve, or another plan, waited for. */
static void curve_drop(struct curves *c)
{
    task_drop(&c->task);
    rows_task_drop(&c->rows);
    c->working = false;
}

static void curve_fill(struct app *app, struct curves *c)
{
    const struct curve_row *row = &curve_rows[c->curve];
    struct form *form = app->form;

    plot_clear(&c->plot);
    curve_drop(c);
    c->plot.x = (struct plot_axis){.log = true, .base = 2, .title = row->x_title};
    c->start = NAN;
    c->sets = 0;
    c->words[0] = c->at[0] = '\0';
    c->version = form->version;
    c->filled = true;
    gp_copy(c->title, sizeof(c->title), row->title);
    if (!row->measured && !form->answered)
        gp_format(c->words, sizeof(c->words), "no plan: %s", form->err.text);
    else if (row->measured && !c->log.json && c->curve == CURVE_BATCH && form->answered)
        curve_redraw(app, c); /* what is predicted */
    else if (row->measured && !c->log.json)
        gp_copy(c->words, sizeof(c->words),
                "nothing measured yet: o opens a result file, 4 measures this machine");
    else {
        if (!row->measured)
            name_plan(c, form);
        if (row->begin)
            c->working = row->begin(c, form, app->worker);
        if (c->working || !row->begin)
            curve_redraw(app, c);
        if (c->working)
            curve_take(app, c);
    }
    if (row->measured && c->log.json)
        gp_format(c->title, sizeof(c->title), "%s  %s", row->title,
                  c->file[0] ? c->file : "last run of Bench");
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
static void snap(struct app *app, struct curves *c)
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
    snap(app, c);
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
static void zoom(struct app *app, struct curves *c, int by)
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

static bool zoomed(const struct curves *c)
{
    return isfinite(c->view[c->curve].low);
}

static void unzoom(struct app *app, struct curves *c)
{
    view_of(c)->low = view_of(c)->high = NAN;
    curve_fill(app, c);
}

/* ---- result files ---- */

/* A measured curve that this file has points of. */
static void show_measured(struct app *app, struct curves *c)
{
    if (curve_rows[c->curve].measured && c->plot.count > 0)
        return;
    for (int i = 0; i < CURVE_COUNT; i++) {
        c->curve = i;
        if (!curve_rows[i].measured)
            continue;
        curve_fill(app, c);
        if (c->plot.count > 0)
            return;
    }
}

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
    c->set = 0;
    gp_copy(c->file, sizeof(c->file), last ? "" : path);
    for (int i = 0; i < CURVE_COUNT; i++)
        if (curve_rows[i].measured)
            c->view[i] = WHOLE;
    curve_fill(app, c);
    show_measured(app, c);
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
    curve_drop(c);
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
    if (c->working)
        curve_take(app, c);
    return c->working ? WORKER_POLL : -1;
}

static void choose_curve(struct app *app, struct curves *c, int by)
{
    c->curve = (c->curve + by + CURVE_COUNT) % CURVE_COUNT;
    c->top = 0;
    curve_fill(app, c);
}

/* The curve of a letter; its second one when the letter is pressed again. */
static void curve_by_letter(struct app *app, struct curves *c, int curve)
{
    bool pair = curve == CURVE_CONTEXT || curve == CURVE_BATCH;

    choose_curve(app, c, curve + (pair && c->curve == curve) - c->curve);
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
        {ACT_CURVE_SPEED, curve_by_letter, CURVE_SPEED},
        {ACT_CURVE_COST, curve_by_letter, CURVE_COST},
        {ACT_CURVE_GPUS, curve_by_letter, CURVE_GPUS},
        {ACT_CURVE_MEMORY, curve_by_letter, CURVE_CONTEXT},
        {ACT_CURVE_ROOFLINE, curve_by_letter, CURVE_ROOFLINE},
        {ACT_CURVE_FRONT, curve_by_letter, CURVE_FRONT},
        {ACT_CURVE_MEASURED, curve_by_letter, CURVE_BATCH},
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
        {ACT_ZOOM_IN, zoom, 1},
        {ACT_ZOOM_OUT, zoom, -1},
        {ACT_PANEL, panel_next, 1},
        {ACT_PANEL_BACK, panel_next, -1},
        {ACT_SERIES, choose_series, 1},
        {ACT_MEASURED, choose_file, 0},
    };
    struct curves *c = state;
    bool back = action == ACT_BACK && zoomed(c), done = back;

    curves_show(app, state);
    if (back)
        unzoom(app, c);
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
    snap(app, c);
    app_touch(app);
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
    strbuf_addf(out, "%d of %d%s", c->curve + 1, CURVE_COUNT, zoomed(c) ? ", zoom" : "");
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

/* The form with the cursor's context or users and the plan's layout; a search over GPU
 * counts leaves that open. */
static void command_at(const struct app *app, const struct curves *c, struct strbuf *out)
{
    struct form_values values = app->form->values;
    const struct layout *l = &app->form->answer->plan.layout;
    const struct {
        enum field field;
        int value;
    } cut[] = {
        {FIELD_TP, l->tp}, {FIELD_PP, l->pp}, {FIELD_EP, l->ep}, {FIELD_REPLICAS, l->replicas}};
    struct options options;
    char number[32];

    for (int i = 0; i < 4 && c->curve != CURVE_GPUS; i++) {
        gp_format(number, sizeof(number), "%d", cut[i].value);
        values_set(&values, cut[i].field, number);
    }
    if (c->curve == CURVE_GPUS) {
        values_set(&values, FIELD_GPUS, "");
        values_set(&values, FIELD_REPLICAS, "");
    }
    if (!values.value[FIELD_GPU][0]) /* the curve is of the one that was chosen */
        values_set(&values, FIELD_GPU, app->form->answer->plan.request.gpu->id);
    gp_format(number, sizeof(number), "%.0f", curves_cursor(c));
    values_set(&values, c->curve == CURVE_CONTEXT ? FIELD_CONTEXT : FIELD_USERS, number);
    values_ask(&values, &options);
    options_command(&options, "plan", "", out);
}

static void curves_command(const struct app *app, const void *state, struct strbuf *out)
{
    const struct curves *c = state;
    bool plans = curve_rows[c->curve].snap && !curve_rows[c->curve].measured;

    if (curve_rows[c->curve].measured && c->file[0]) {
        strbuf_add(out, "gpuplan --merge ");
        strbuf_quote(out, c->file);
        strbuf_add(out, " --format csv");
    } else if (c->curve == CURVE_FRONT) {
        form_command(app->form, "compare", out);
    } else if (plans && app->form->answered && c->plot.count > 0) {
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
