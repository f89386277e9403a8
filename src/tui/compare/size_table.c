/*
 * size_table.c - see size_table.h.
 */
#include "tui/compare/size_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/compare_run.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/units.h"
#include "plan/terms.h"
#include "plan/weights.h"
#include "tui/list.h"
#include "tui/membar.h"

static const char *const sizes[] = {"8B", "14B", "32B", "70B", "120B", "400B"};
/* By how often they are asked for: what a narrow screen has is the first of them. */
static const char *const formats[] = {"fp16", "fp8",    "int8", "int4-awq", "nvfp4",
                                      "q8_0", "q4_k_m", "fp32", "fp64"};

#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))
#define FORMATS ((int)(sizeof(formats) / sizeof(formats[0])))
#define ABOVE 2     /* lines over the rows */
#define LEFT_COLS 2 /* cursor or mark */
#define NAME_COLS 12
#define WIDE_NAME 20
#define EACH_COLS 9 /* "24 x 34.4" */
#define HOUR_COLS 7
#define WIDE_COLS 120

struct size_cell {
    bool known;
    struct resolved resolved;
    struct plan plan;
    char why[120]; /* it is not known */
};

/* What the worker fills; what is asked is set before. */
struct size_job {
    struct form_values values;
    char gpu[GPU_ID_MAX + 32];
    char model[SIZES + 1][FORM_VALUE], format[FORMATS + 1][32];
    int rows, columns, own_row, own_column; /* own: the plan's, -1: it has none here */
    struct size_cell *cell;                 /* (rows, columns); owned */
};

/* ---- cells, by the worker ---- */

static bool sizes_unit(void *ctx, int i, struct planner *planner)
{
    struct size_job *job = ctx;
    struct size_cell *cell = &job->cell[i];
    struct options options;
    struct gp_err err = {0};

    values_write_options(&job->values, &options);
    cell->known =
        planner_resolve(planner, &options, job->model[i / job->columns],
                        job->format[i % job->columns], job->gpu, &cell->resolved, &err) == GP_OK;
    if (cell->known)
        planner_plan(planner, &cell->resolved, &cell->plan);
    else
        gp_copy(cell->why, sizeof(cell->why), err.text);
    return i + 1 < job->rows * job->columns;
}

static void sizes_free(void *ctx)
{
    struct size_job *job = ctx;

    free(job->cell);
    free(job);
}

/* ---- what it is of ---- */

/* The load of the form: what is compared has its default. */
static void sizes_ask(struct size_job *job, const struct form *form)
{
    static const enum field compared[] = {FIELD_MODEL, FIELD_PRECISION, FIELD_GPU, FIELD_GPUS,
                                          FIELD_TP,    FIELD_PP,        FIELD_EP,  FIELD_REPLICAS};
    const struct request *q = &form->answer->plan.request;
    const char *own = form->values.value[FIELD_MODEL];

    job->values = form->values;
    for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++)
        values_set(&job->values, compared[i], "");
    job->own_row = job->own_column = -1;
    for (int i = 0; i < SIZES; i++)
        if (gp_casecmp(own, sizes[i]) == 0)
            job->own_row = i;
    if (job->own_row < 0) {
        job->own_row = 0;
        gp_copy(job->model[job->rows++], FORM_VALUE, own);
    }
    for (int i = 0; i < SIZES; i++)
        gp_copy(job->model[job->rows++], FORM_VALUE, sizes[i]);
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(q->precision.id, formats[i]) == 0)
            job->own_column = i;
    if (job->own_column < 0 && strcmp(q->precision.id, "bf16") != 0) { /* as large as fp16 */
        job->own_column = 0;
        gp_copy(job->format[job->columns++], sizeof(job->format[0]), q->precision.id);
    }
    for (int i = 0; i < FORMATS; i++)
        gp_copy(job->format[job->columns++], sizeof(job->format[0]), formats[i]);
}

void size_table_fini(struct size_table *t)
{
    task_drop(&t->task);
}

void size_table_show(struct app *app, struct size_table *t)
{
    static const struct task_ops ops = {TASK_SCREEN, sizes_unit, sizes_free};
    const struct form *form = app->form;
    bool first = !t->task;

    if (!form->answered || (t->task && t->version == form->version))
        return;
    task_drop(&t->task);
    t->version = form->version;
    t->job = gp_calloc(1, sizeof(*t->job));
    sizes_ask(t->job, form);
    gp_copy(t->job->gpu, sizeof(t->job->gpu),
            t->gpu[0] ? t->gpu : form->answer->plan.request.gpu->id);
    t->job->cell = gp_calloc((size_t)t->job->rows * (size_t)t->job->columns, sizeof(*t->job->cell));
    if (first) {
        t->row = t->job->own_row;
        t->column = int_max(t->job->own_column, 0);
    }
    t->row = int_min(t->row, t->job->rows - 1);
    t->column = int_min(t->column, t->job->columns - 1);
    t->task = task_begin(app->worker, &ops, t->job);
    app_touch(app);
}

bool size_table_go_on(struct app *app, struct size_table *t)
{
    size_table_show(app, t);
    if (!t->task)
        return false;
    app_touch(app);
    return !task_finished(t->task);
}

/* NULL: it is not planned yet. */
static const struct size_cell *cell_at(const struct size_table *t, int row, int column)
{
    int i = t->task ? row * t->job->columns + column : 0;

    return t->task && i < task_done(t->task) ? &t->job->cell[i] : NULL;
}

static const struct size_cell *cell_focus(const struct size_table *t)
{
    return cell_at(t, t->row, t->column);
}

/* What the load takes of one GPU. */
static double cell_load(const struct plan *p)
{
    const struct memory *m = &p->memory;

    return m->weights.value + m->kv_reserved.value + m->activation.value + m->non_torch.value +
           m->graphs.value;
}

/* ---- painting ---- */

struct grid {
    int name, each, cols; /* columns of the name, of a figure, of a cell with its gap */
    int seen;             /* formats */
    int high;             /* rows of a size */
};

static struct grid grid_of(const struct size_table *t, struct rect in)
{
    struct grid g = {.name = in.cols >= WIDE_COLS ? WIDE_NAME : NAME_COLS, .high = 2};

    g.cols = EACH_COLS + HOUR_COLS;
    g.seen = int_max((in.cols - LEFT_COLS - g.name) / g.cols, 1);
    if (t->task && g.seen > t->job->columns) { /* as wide as there is room */
        g.seen = t->job->columns;
        g.cols = int_min((in.cols - LEFT_COLS - g.name) / g.seen, g.cols + 4);
    }
    if (t->task && in.rows - ABOVE >= 3 * t->job->rows)
        g.high = 3;
    return g;
}

static int first_format(const struct size_table *t, int seen)
{
    int left = t->column < t->left ? t->column : t->left;

    left = t->column >= left + seen ? t->column - seen + 1 : left;
    return list_clamp(left, 0, t->job->columns - seen);
}

static int first_size(const struct size_table *t, const struct grid *g, struct rect in)
{
    return list_top(t->row, t->job->rows, int_max((in.rows - ABOVE) / g->high, 1));
}

static void draw_cell(const struct size_cell *cell, struct canvas *canvas, struct rect in, int y,
                      int x)
{
    const struct plan *p = cell ? &cell->plan : NULL;
    struct texts t = {0};
    enum ink ink = INK_TEXT;
    const char *hour = "-";

    if (!cell || !cell->known) {
        list_text(canvas, in, y, x, EACH_COLS, true, INK_DIM, cell ? "-" : "...");
        return;
    }
    if (p->verdict == VERDICT_DOES_NOT_FIT) {
        list_text(canvas, in, y, x, EACH_COLS, true, INK_DIM, "no fit");
        const struct limit_words *why = &limit_words[p->limit];
        int room = EACH_COLS + HOUR_COLS - 1;

        canvas_fit(canvas, in, y + 1, x + 1, room, INK_DIM,
                   gp_width(why->noun) > room ? why->file : why->noun);
        return;
    }
    if (p->verdict != VERDICT_FITS)
        ink = INK_WARN;
    list_text(canvas, in, y, x, EACH_COLS, true, ink,
              texts_addf(&t, "%.1f", cell_load(p) * p->layout.gpus / GP_GIB));
    if (cost_wanted(&p->cost) && cost_wanted(&p->cost)->known)
        hour = texts_addf(&t, "$%.2f", cost_wanted(&p->cost)->per_hour);
    list_text(canvas, in, y, x + EACH_COLS, HOUR_COLS, true, ink, hour);
    list_text(canvas, in, y + 1, x, EACH_COLS, true, INK_DIM,
              texts_addf(&t, "%d x %.1f", p->layout.gpus, cell_load(p) / GP_GIB));
    if (p->verdict != VERDICT_FITS)
        canvas_fit(canvas, in, y + 1, x + EACH_COLS + 1, HOUR_COLS - 1, INK_WARN,
                   verdict_words[p->verdict].brief);
    texts_fini(&t);
}

static void draw_heads(const struct size_table *t, struct canvas *canvas, struct rect in,
                       const struct grid *g, int left)
{
    canvas_text(canvas, in, 1, LEFT_COLS, INK_HEADING, "size");
    for (int i = 0; i < g->seen; i++) {
        int x = LEFT_COLS + g->name + i * g->cols;

        list_text(canvas, in, 1, x, EACH_COLS, true, left + i == t->column ? INK_TAB : INK_HEADING,
                  t->job->format[left + i]);
        list_text(canvas, in, 1, x + EACH_COLS, HOUR_COLS, true, INK_DIM, "$/h");
    }
}

/* A size in two rows: what is in all, what is each. */
static void draw_size(const struct size_table *t, struct canvas *canvas, struct rect in, int row,
                      int y, const struct grid *g, int left)
{
    const struct size_cell *first = cell_at(t, row, 0);

    if (row == t->job->own_row)
        canvas_text(canvas, in, y, 0, INK_HEADING, "=");
    if (row == t->row)
        canvas_glyph(canvas, in, y, 0, INK_TEXT, GLYPH_CURSOR);
    canvas_fit(canvas, in, y, LEFT_COLS, g->name - 1, INK_HEADING, t->job->model[row]);
    if (first && first->known)
        canvas_textf(canvas, in, y + 1, LEFT_COLS, INK_DIM, "%s%s",
                     UNITS_PARAMS(model_params(first->resolved.request.model)),
                     g->name >= WIDE_NAME && first->resolved.generic ? " assumed" : "");
    for (int i = 0; i < g->seen; i++) {
        int x = LEFT_COLS + g->name + i * g->cols;

        draw_cell(cell_at(t, row, left + i), canvas, in, y, x);
        if (row != t->row || left + i != t->column)
            continue;
        canvas_ink(canvas, in, y, x, EACH_COLS + HOUR_COLS, INK_FOCUS);
        canvas_ink(canvas, in, y + 1, x, EACH_COLS + HOUR_COLS, INK_FOCUS);
        canvas_cursor(canvas, in, y, x);
    }
}

/* "70B fp16 on 4 x l40s: fits" */
static void cell_title(const struct size_table *t, const struct size_cell *cell, struct strbuf *out)
{
    strbuf_addf(out, "%s %s on ", t->job->model[t->row], t->job->format[t->column]);
    if (cell && cell->known && cell->plan.has_memory)
        strbuf_addf(out, "%d x ", cell->plan.layout.gpus);
    strbuf_addf(out, "%s", t->job->gpu);
    if (cell)
        strbuf_addf(out, ": %s", cell->known ? plan_verdict_cell(&cell->plan) : cell->why);
}

/* The bar of the cell in focus, and, where there is room, of its size in every other format. */
static void draw_bars(const struct size_table *t, struct canvas *canvas, struct rect in)
{
    struct rect bar = {in.y, in.x + NAME_COLS, in.rows, in.cols - NAME_COLS};
    const struct size_cell *cell = cell_focus(t);
    struct texts why = {0};

    if (!cell || !cell->known)
        return;
    if (cell->plan.has_memory) {
        membar_draw(canvas, in, 0, &cell->plan);
        membar_legend(canvas, in, 1, &cell->plan);
    } else {
        canvas_wrap(canvas, in, 0, INK_WARN, sentence_first_reason(&cell->plan, &why));
    }
    texts_fini(&why);
    if (in.rows < 6)
        return;
    canvas_textf(canvas, in, 3, 0, INK_HEADING, "%s in each format, on one GPU",
                 t->job->model[t->row]);
    for (int i = 0, y = 4; i < t->job->columns && y<in.rows; i++, y += in.rows> 22 ? 2 : 1) {
        cell = cell_at(t, t->row, i);
        canvas_fit(canvas, in, y, 0, NAME_COLS - 1, i == t->column ? INK_HEADING : INK_TEXT,
                   t->job->format[i]);
        if (cell && cell->known && cell->plan.has_memory)
            membar_draw(canvas, bar, y, &cell->plan);
        else if (cell && cell->known)
            canvas_text(canvas, bar, y, 0, INK_DIM, "no fit");
    }
}

static void table_panels(const struct size_table *t, const struct frame *frame,
                         struct rect out[COMPARE_PANELS])
{
    int rows = t->task ? 3 * t->job->rows + ABOVE + 2 : 0, below = frame->body.rows - rows;

    frame_stack(frame->body, frame->size, COMPARE_TABLE,
                below > 2 * COMPARE_ROWS ? below : COMPARE_ROWS, out);
}

void size_table_draw(const struct size_table *t, struct canvas *canvas, const struct frame *frame)
{
    struct rect panel[COMPARE_PANELS], in;
    struct strbuf title;

    if (!t->task) {
        canvas_wrap(canvas, frame->body, 0, INK_TEXT, "no plan: no table of sizes");
        return;
    }
    table_panels(t, frame, panel);
    in = frame->size == SIZE_ONE ? panel[COMPARE_TABLE] : rect_inside(panel[COMPARE_TABLE]);
    strbuf_init(&title);
    strbuf_addf(&title, "Sizes by format on %s", t->job->gpu);
    if (frame->size != SIZE_ONE)
        canvas_box(canvas, panel[COMPARE_TABLE], title.text, NULL);
    struct grid g = grid_of(t, in);
    int left = first_format(t, g.seen);
    int top = first_size(t, &g, in);
    canvas_fit(canvas, in, 0, 1, in.cols - 2, INK_DIM,
               "GiB in all for the plan's load, $/h; below: GPUs x GiB of each");
    if (left + g.seen < t->job->columns)
        canvas_right(canvas, in, 0, INK_KEY, canvas->charset == CHARSET_ASCII ? "> " : "▸ ");
    draw_heads(t, canvas, in, &g, left);
    for (int row = top, y = ABOVE; row < t->job->rows && y + 1 < in.rows; row++, y += g.high)
        draw_size(t, canvas, in, row, y, &g, left);
    if (!rect_empty(panel[COMPARE_DETAIL])) {
        strbuf_clear(&title);
        cell_title(t, cell_focus(t), &title);
        canvas_box(canvas, panel[COMPARE_DETAIL], title.text, NULL);
        draw_bars(t, canvas, rect_inside(panel[COMPARE_DETAIL]));
    }
    strbuf_fini(&title);
}

/* ---- keys ---- */

/* The cell's model, format and GPU. */
static void cell_use(struct app *app, const struct size_table *t)
{
    struct strbuf given;

    if (!cell_focus(t))
        return;
    strbuf_init(&given);
    strbuf_add(&given, "--model ");
    strbuf_quote(&given, t->job->model[t->row]);
    strbuf_addf(&given, " --precision %s --gpu %s", t->job->format[t->column], t->job->gpu);
    app_take(app, given.text);
    strbuf_fini(&given);
}

static void gpu_chosen(struct app *app, void *ctx, const char *id)
{
    struct size_table *t = ctx;

    gp_copy(t->gpu, sizeof(t->gpu), id);
    t->version = app->form->version - 1;
    size_table_show(app, t);
}

static void choose_gpu(struct app *app, struct size_table *t)
{
    int count;
    struct choice *choices = form_choices(app->form, FIELD_GPU, true, &count);

    if (count > 0)
        gp_copy(choices[0].text, sizeof(choices[0].text), "that of the plan");
    chooser_open(&app->display, &(struct chooser_spec){.title = "Table for GPU",
                                                       .choices = choices,
                                                       .count = count,
                                                       .selected = t->job->gpu,
                                                       .chosen = gpu_chosen,
                                                       .ctx = t});
    free(choices);
}

void compare_why_open(struct app *app, const char *title, const struct plan *plan)
{
    struct term terms[TERMS_MAX];
    struct strbuf text;

    strbuf_init(&text);
    print_why(terms, terms_of_plan(plan, terms), &text);
    pager_open(&app->display, title, text.text);
    strbuf_fini(&text);
}

bool size_table_has(enum action action)
{
    static const enum action own[] = {ACT_SIZES, ACT_USE, ACT_APPLY, ACT_WHY, ACT_OTHER_GPU};
    const unsigned compare = 1u << SCREEN_COMPARE;

    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (own[i] == action)
            return true;
    return !(action_rows[action].screens & compare) || action_rows[action].screens == ON_ALL ||
           action == ACT_SAVE;
}

bool size_table_act(struct app *app, struct size_table *t, enum action action)
{
    int by = list_step(action, 3);
    const struct size_cell *cell = cell_focus(t);
    struct strbuf title;

    if (!t->task)
        return false;
    if (by != 0 || action == ACT_LEFT || action == ACT_RIGHT) {
        t->row = list_clamp(t->row + by, 0, t->job->rows - 1);
        t->column = list_clamp(t->column + (action == ACT_RIGHT) - (action == ACT_LEFT), 0,
                               t->job->columns - 1);
        app_touch(app);
        return true;
    }
    if (action == ACT_USE || action == ACT_APPLY) {
        cell_use(app, t);
    } else if (action == ACT_OTHER_GPU) {
        choose_gpu(app, t);
    } else if (action == ACT_WHY && cell && cell->known) {
        strbuf_init(&title);
        cell_title(t, cell, &title);
        compare_why_open(app, title.text, &cell->plan);
        strbuf_fini(&title);
    } else {
        return !size_table_has(action); /* Compare's other keys mean nothing here */
    }
    return true;
}

void size_table_click(struct app *app, struct size_table *t, int y, int x)
{
    struct frame frame = app_frame(app);
    struct rect panel[COMPARE_PANELS], in;

    if (!t->task)
        return;
    table_panels(t, &frame, panel);
    in = frame.size == SIZE_ONE ? panel[COMPARE_TABLE] : rect_inside(panel[COMPARE_TABLE]);
    struct grid g = grid_of(t, in);
    y += frame.body.y - in.y - ABOVE;
    x += frame.body.x - in.x - LEFT_COLS - g.name;
    int row = first_size(t, &g, in) + y / g.high;
    int column = first_format(t, g.seen) + x / g.cols;
    if (y < 0 || x < 0 || row >= t->job->rows || column >= t->job->columns)
        return;
    if (row == t->row && column == t->column)
        cell_use(app, t);
    t->row = row;
    t->column = column;
    app_touch(app);
}

/* ---- words ---- */

void size_table_explain(const struct size_table *t, struct strbuf *out)
{
    const struct size_cell *cell = cell_focus(t);
    const struct request *q = cell ? &cell->plan.request : NULL;
    const struct plan *p = cell ? &cell->plan : NULL;
    struct quantity hour, month;

    if (!cell || !cell->known) {
        strbuf_add(out, cell ? cell->why : "");
        return;
    }
    double rule = table_rule(&cell->resolved);
    strbuf_addf(out, "%s: %s of weights", t->job->model[t->row], UNITS_GIB(weights_file_bytes(q)));
    if (p->verdict != VERDICT_DOES_NOT_FIT) {
        strbuf_addf(out, ", %.1f of %s usable on each GPU", cell_load(p) / GP_GIB,
                    UNITS_GIB(gpu_usable(q->gpu).value));
        plan_prices(p, &hour, &month);
        if (month.known)
            strbuf_addf(out, "; %s/month", UNITS_MONEY(month.value));
    }
    double gpus = ceil(rule / q->gpu->memory_marketed);
    strbuf_addf(out, "\nrule of thumb: size x %g/8 x 1.25 = %.0f GB: %.0f GPU%s of %.0f GB",
                q->precision.weight->bits, rule / 1e9, gpus, gpus > 1 ? "s" : "",
                q->gpu->memory_marketed / 1e9);
}

void size_table_title(const struct size_table *t, struct strbuf *out)
{
    if (!t->task)
        return;
    if (!task_finished(t->task))
        strbuf_addf(out, "%d/%d planned", task_done(t->task), t->job->rows * t->job->columns);
    else
        strbuf_addf(out, "%d sizes x %d", t->job->rows, t->job->columns);
}

/* ---- what others get of it ---- */

void size_table_command(const struct app *app, const struct size_table *t, struct strbuf *out)
{
    struct options options;

    if (!t->task) {
        form_command(app->form, "table", out);
        return;
    }
    values_write_options(&t->job->values, &options);
    options_command(&options, "table", "", out);
    for (int i = 0; i < t->job->rows; i++) {
        strbuf_add(out, " -m ");
        strbuf_quote(out, t->job->model[i]);
    }
    for (int i = 0; i < t->job->columns; i++)
        strbuf_addf(out, " -p %s", t->job->format[i]);
    strbuf_addf(out, " -g %s", t->job->gpu);
}

enum gp_status size_table_export(const struct size_table *t, enum output_format format,
                                 struct strbuf *out, struct gp_err *err)
{
    struct record doc;
    bool begun = false;

    if (!t->task || !task_finished(t->task))
        return gp_fail(err, GP_E_USAGE, "export", "in a moment", "is still planning");
    record_init(&doc);
    for (int i = 0; i < t->job->rows * t->job->columns; i++) {
        const struct size_cell *cell = &t->job->cell[i];

        if (!cell->known)
            continue;
        if (!begun)
            table_begin(&cell->resolved, &doc);
        begun = true;
        table_row(&cell->resolved, &cell->plan, &doc);
    }
    if (begun)
        print_table(&doc, format, false, out);
    record_fini(&doc);
    return begun ? GP_OK : gp_fail(err, GP_E_NOTHING, "", "", "no cell could be planned");
}
