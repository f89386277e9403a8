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
#include "answer/sentence.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "probe/cpu_host.h"
#include "probe/probe.h"
#include "tui/app.h"
#include "tui/compare/compare_view.h"
#include "tui/list.h"
#include "tui/plan/plan_alternatives.h"
#include "tui/plan/plan_answer.h"

#define AT_ONCE 0.006 /* s that opening a list waits for its summaries */
#define LABEL_COLS 11
#define HERE_ROWS 3 /* of what this machine is, below a form that leaves them */

/* ---- the form's rows: fields under headings, and the sections that experts need, folded into
 * a row each that says their values ("+ Layout  auto: TP 2") ----
 *
 * A row of the form that can have the focus is a number: a field is its enum, a fold is
 * FIELD_COUNT and more. */

enum { PLAN_FOLDS = 3, PLAN_FORM_ROWS = FIELD_COUNT + 8 };

struct plan_rows {
    int row[PLAN_FORM_ROWS]; /* a field, a fold, or -1 - field for the heading before it */
    int count;
};

static const struct fold {
    enum field first;
    const char *explain;
} folds[PLAN_FOLDS] = {
    {FIELD_TP, "Layout: how the GPUs share the model; auto finds the cheapest that fits.\n"
               "Enter opens TP, PP, EP, replicas"},
    {FIELD_ENGINE, "Engine: what serves, its KV format, slots, budget, offload, draft, adapters.\n"
                   "Enter opens them"},
    {FIELD_PRICE, "Cost: which prices count, hours, electricity; limits of $/h and watts.\n"
                  "Enter opens them"},
};

/* The fold of a field; -1: it is always in sight. */
static int fold_at(int field)
{
    int fold = -1;

    for (int i = 0; i < PLAN_FOLDS; i++)
        if (field >= (int)folds[i].first)
            fold = i;
    return fold;
}

static bool plan_form_is_open(unsigned open, int fold)
{
    return open >> (fold - FIELD_COUNT) & 1u;
}

static void plan_form_fold(unsigned *open, int fold, bool opens)
{
    unsigned bit = 1u << (fold - FIELD_COUNT);

    *open = opens ? *open | bit : *open & ~bit;
}

/* A bit beside those of the folds: there are goals of speed, and so what counts as reached. */
#define PLAN_GOALS (1u << PLAN_FOLDS)

static unsigned plan_form_open(const struct form *form, unsigned open, int focus)
{
    bool goals = focus == FIELD_GOALS;

    for (int f = FIELD_TTFT; f <= FIELD_GOALS; f++)
        goals = goals || form->values.value[f][0];
    return goals ? open | PLAN_GOALS : open;
}

static struct plan_rows plan_form_rows(unsigned open)
{
    struct plan_rows rows = {0};

    for (int f = 0; f < FIELD_COUNT; f++) {
        int fold = fold_at(f);

        if (f == FIELD_GOALS && !(open & PLAN_GOALS))
            continue;

        if (fold >= 0 && f == (int)folds[fold].first)
            rows.row[rows.count++] = FIELD_COUNT + fold;
        else if (fold < 0 && f > 0 && field_rows[f].form->section)
            rows.row[rows.count++] = -1 - f;
        if (fold < 0 || plan_form_is_open(open, FIELD_COUNT + fold))
            rows.row[rows.count++] = f;
    }
    return rows;
}

static int rows_find(const struct plan_rows *rows, int focus)
{
    int at = 0;

    while (at + 1 < rows->count && rows->row[at] != focus)
        at++;
    return at;
}

/* The first row shown: the focus stands in the middle as far as that is possible. */
static int plan_form_top(const struct plan_rows *rows, int focus, int height)
{
    return list_top(rows_find(rows, focus), rows->count, height);
}

/* The focus so many rows further down. */
static int plan_form_move(unsigned open, int focus, int by)
{
    struct plan_rows rows = plan_form_rows(open);
    int at = rows_find(&rows, focus), step = by < 0 ? -1 : 1;

    for (int left = by < 0 ? -by : by; left > 0; left--) {
        int next = at + step;

        while (next >= 0 && next < rows.count && rows.row[next] < 0)
            next += step; /* headings take no focus */
        if (next < 0 || next >= rows.count)
            break;
        at = next;
    }
    return rows.row[at];
}

/* "TP4 x2 EP8", where "TP 4 x 2 replicas, EP 8" has no room. */
static const char *short_layout(const struct layout *l, struct texts *t)
{
    const struct {
        const char *word;
        int number;
    } parts[] = {{" PP", l->pp}, {" x", l->replicas}, {" EP", l->ep}};
    const char *text = texts_addf(t, "TP%d", l->tp);

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i].number > 1)
            text = texts_addf(t, "%s%s%d", text, parts[i].word, parts[i].number);
    return text;
}

/* "+ Layout  auto: TP 2" */
static void draw_fold(struct canvas *canvas, struct rect in, int y, const struct form *form,
                      int fold, bool open)
{
    const struct plan *plan = &form->answer->plan;
    bool given = fold == 2; /* has any field of it a value of its own? */
    int room = in.cols - LABEL_COLS - 1;
    struct texts t = {0};
    const char *value = "", *text;

    for (int f = (int)folds[fold].first; f < FIELD_COUNT && fold_at(f) == fold; f++)
        given = given || form->values.value[f][0];
    if (form->answered)
        value = fold == 0   ? sentence_layout(&plan->layout, &t)
                : fold == 1 ? texts_addf(&t, "%s %s", plan->request.engine->name,
                                         plan->request.engine->range)
                            : form->shown[FIELD_PRICE];
    text = given ? value : texts_addf(&t, "auto: %s", value);
    if (gp_width(text) > room && fold == 0 && form->answered)
        text = texts_addf(&t, "%s%s", given ? "" : "auto: ", short_layout(&plan->layout, &t));
    if (gp_width(text) > room && !given)
        text = texts_addf(&t, "~%s", text + strlen("auto: "));
    canvas_text(canvas, in, y, 0, INK_KEY, open ? "-" : "+");
    canvas_fit(canvas, in, y, 1, LABEL_COLS, INK_HEADING,
               field_rows[folds[fold].first].form->section);
    canvas_fit(canvas, in, y, LABEL_COLS + 1, in.cols - LABEL_COLS - 1, INK_TEXT, text);
    texts_fini(&t);
}

static void draw_field(struct canvas *canvas, struct rect in, int y, const struct form *form,
                       int field)
{
    bool list = !field_is_number((enum field)field);
    int x = LABEL_COLS + 1;

    canvas_fit(canvas, in, y, 1, LABEL_COLS, INK_TEXT, field_rows[field].form->label);
    canvas_fit(canvas, in, y, x, in.cols - x - (list ? 1 : 0), INK_TEXT, form->shown[field]);
    if (list)
        canvas_glyph(canvas, in, y, in.cols - 1, INK_TEXT, GLYPH_OPEN);
}

/* ---- why: the terms of the answer, those of this field first ---- */

/* Those of the answer's rows, what is asked most first: the index begins with them. */
static const char *const answer_terms[] = {"TPOT", "TTFT", "output", "GPUs", "free", "rent"};
enum { ANSWER_TERMS = sizeof(answer_terms) / sizeof(answer_terms[0]), FIELD_TERMS = 3 };

/* The place of a term among those of a field, or of the answer; *count: it is none of them. */
static int term_rank(enum field field, const struct term *term, int *count)
{
    const char *const *names = field < FIELD_COUNT ? field_rows[field].form->terms : answer_terms;
    int most = field < FIELD_COUNT ? FIELD_TERMS : ANSWER_TERMS, rank = 0;

    for (*count = 0; *count < most && names[*count];)
        (*count)++;
    while (rank < *count && strncmp(term->name, names[rank], strlen(names[rank])) != 0)
        rank++;
    return rank;
}

/* ---- this machine, found out beside the keys ---- */

struct here_job {
    char text[200]; /* "here: 2 x NVIDIA L40S (44.99 GiB), AMD EPYC 7B13, 128 GiB" */
};

static bool here_unit(void *ctx, int i, struct planner *planner)
{
    struct here_job *job = ctx;
    struct device *device = gp_calloc(PROBE_MAX, sizeof(*device));
    struct probe *probe = probe_open();
    struct cpu_host host;
    size_t count = 0;

    (void)i, (void)planner;
    cpu_host_read(&host);
    probe_read(probe, device, PROBE_MAX, &count, NULL);
    probe_close(probe);
    gp_copy(job->text, sizeof(job->text), "here: ");
    if (count > 0)
        gp_append(job->text, sizeof(job->text), "", "%zu x %.60s%s%s%s, ", count,
                  device[0].name[0] ? device[0].name : "GPU",
                  device[0].memory_total.known ? " (" : "",
                  device[0].memory_total.known ? UNITS_GIB(device[0].memory_total.value) : "",
                  device[0].memory_total.known ? ")" : "");
    gp_append(job->text, sizeof(job->text), "", "%.60s", host.name[0] ? host.name : "a CPU");
    if (host.memory > 0)
        gp_append(job->text, sizeof(job->text), "", ", %s", UNITS_GIB(host.memory));
    if (count == 0)
        gp_append(job->text, sizeof(job->text), "", ", no GPU");
    gp_sanitize(job->text);
    free(device);
    return false;
}

/* ---- the screen ---- */

struct plan_state {
    int panel;              /* PLAN_FORM or PLAN_ANSWER */
    int focus;              /* a row of the form: a field, or a fold */
    unsigned open;          /* bits of the folds that are open */
    int top;                /* first row shown of the answer's page */
    enum field edited;      /* the one a window is open for */
    enum field reset;       /* the field reset last, */
    unsigned reset_version; /* and the form's version then: again resets all */
    bool was_reset;
    struct plan_alternatives more;
    struct choice_plans choices; /* of the list that is open */
    struct plan_page *page;      /* owned */
    struct task *here;           /* what this machine is; kept, as its job has the words */
    struct here_job *here_job;
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

static const struct plan_alternatives *more_of(const struct plan_state *s, const struct form *form)
{
    return plan_alternatives_fresh(&s->more, form) ? &s->more : NULL;
}

/* The inside of the answer's panel below its head, which does not scroll. */
static struct rect page_rect(struct rect box, enum size_class size)
{
    struct rect in = rect_inside(box);
    int head = size == SIZE_ONE ? 0 : PLAN_HEAD;

    return (struct rect){in.y + head, in.x, in.rows - head, in.cols};
}

/* The answer for these panels. */
static const struct plan_page *page_of(const struct app *app, const struct plan_state *s,
                                       const struct rect box[PLAN_PANELS])
{
    plan_page_make(s->page, app->form, more_of(s, app->form), box[PLAN_STRIP].cols,
                   rect_inside(box[PLAN_ANSWER]).cols, app->settings.charset);
    return s->page;
}

/* ---- painting ---- */

static void draw_form(struct canvas *canvas, struct rect box, const struct form *form,
                      const struct plan_state *s)
{
    struct plan_rows rows = plan_form_rows(plan_form_open(form, s->open, s->focus));
    struct rect in = rect_inside(box);
    int top = plan_form_top(&rows, s->focus, in.rows);
    char part[40] = "";

    if (rows.count > in.rows)
        gp_format(part, sizeof(part), "%d-%d of %d", top + 1, int_min(top + in.rows, rows.count),
                  rows.count);
    canvas_box(canvas, box, "Ask", part);
    if (s->panel == PLAN_FORM)
        canvas_accent(canvas, box);
    for (int y = 0; y < in.rows && top + y < rows.count; y++) {
        int row = rows.row[top + y];
        bool focus = s->panel == PLAN_FORM && row == s->focus;

        if (row < 0)
            canvas_rule(canvas, in, y, field_rows[-1 - row].form->section);
        else if (row < FIELD_COUNT)
            draw_field(canvas, in, y, form, row);
        else
            draw_fold(canvas, in, y, form, row - FIELD_COUNT, plan_form_is_open(s->open, row));
        if (focus && row < FIELD_COUNT)
            canvas_glyph(canvas, in, y, 0, INK_TEXT, GLYPH_CURSOR);
        if (focus)
            list_focus(canvas, in, y);
    }
    if (rows.count + HERE_ROWS < in.rows && task_finished(s->here))
        canvas_wrap(canvas,
                    (struct rect){in.y + in.rows - HERE_ROWS, in.x + 1, HERE_ROWS, in.cols - 2}, 0,
                    INK_DIM, s->here_job->text);
}

static void draw_answer(struct canvas *canvas, struct rect box, const struct plan_page *page,
                        const struct plan_state *s, enum size_class size)
{
    struct rect in = page_rect(box, size);
    int rows = page->lines.rows, top = list_clamp(s->top, 0, rows - in.rows);
    char part[40] = "";

    if (rows > in.rows)
        gp_format(part, sizeof(part), s->panel == PLAN_ANSWER ? "%d-%d of %d" : "%d-%d of %d, Tab",
                  top + 1, top + in.rows < rows ? top + in.rows : rows, rows);
    canvas_box(canvas, box, page->title, part);
    if (s->panel == PLAN_ANSWER)
        canvas_accent(canvas, box);
    if (size != SIZE_ONE)
        canvas_copy(canvas, rect_inside(box), &page->head, 0);
    canvas_copy(canvas, in, &page->lines, top);
    if (s->panel == PLAN_ANSWER)
        canvas_cursor(canvas, in, 0, 0);
}

static void plan_draw(const struct app *app, const void *state, struct canvas *canvas,
                      const struct frame *frame)
{
    const struct plan_state *s = state;
    struct rect box[PLAN_PANELS];

    frame_plan(frame->body, frame->size, s->panel, box);
    const struct plan_page *page = page_of(app, s, box);
    if (!rect_empty(box[PLAN_STRIP]))
        canvas_copy(canvas, box[PLAN_STRIP], &page->head, 0);
    if (!rect_empty(box[PLAN_FORM]))
        draw_form(canvas, box[PLAN_FORM], app->form, s);
    if (!rect_empty(box[PLAN_ANSWER]))
        draw_answer(canvas, box[PLAN_ANSWER], page, s, frame->size);
    if (!rect_empty(box[PLAN_SIDE])) {
        canvas_box(canvas, box[PLAN_SIDE], "Alternatives, cheapest first", NULL);
        if (more_of(s, app->form))
            plan_side_draw(canvas, rect_inside(box[PLAN_SIDE]), app->form, &s->more);
    }
    if (!rect_empty(box[PLAN_ROWS])) {
        canvas_box(canvas, box[PLAN_ROWS], "Compare", "2: all rows");
        if (app->state[SCREEN_COMPARE])
            compare_rows_draw(app->state[SCREEN_COMPARE], canvas, rect_inside(box[PLAN_ROWS]));
    }
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
        plan_alternatives_stop(&s->more);
        return -1;
    }
    if (app->display.touched && !app->scripted && !plan_alternatives_fresh(&s->more, app->form))
        return 0; /* what the key itself changed is painted first */
    panel_rects(app, s, box);
    if (!rect_empty(box[PLAN_ROWS]))
        app_state(app, SCREEN_COMPARE); /* it plans its rows by itself */
    told = plan_choices_go_on(&s->choices, app->form, &app->display);
    if (plan_alternatives_fresh(&s->more, app->form) && s->more.done && told < 0)
        return -1;
    more = plan_alternatives_go_on(&s->more, app->form, app->worker);
    if (told > 0 || s->more.taken != taken || !more)
        app_touch(app);
    return more || told >= 0 ? WORKER_POLL : -1;
}

static void plan_open(struct app *app, void *state)
{
    static const struct task_ops here = {TASK_PAGE, here_unit, free};
    struct plan_state *s = state;

    s->here_job = gp_calloc(1, sizeof(*s->here_job));
    s->here = task_begin(app->worker, &here, s->here_job);
    s->page = gp_calloc(1, sizeof(*s->page));
}

static void plan_close(struct app *app, void *state)
{
    struct plan_state *s = state;

    (void)app;
    plan_choices_free(&s->choices);
    plan_alternatives_free(&s->more);
    task_drop(&s->here);
    plan_page_fini(s->page);
    free(s->page);
}

/* ---- moving ---- */

static void answer_scroll(const struct app *app, struct plan_state *s, int by)
{
    struct rect box[PLAN_PANELS], in;

    panel_rects(app, s, box);
    in = page_rect(box[PLAN_ANSWER], app_frame(app).size);
    s->top = list_clamp(s->top + by, 0, page_of(app, s, box)->lines.rows - in.rows);
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

/* "Llama 3.3 70B, 70.55 B, int4-awq": what a name is read as; a path says so itself. False where
 * it is read as nothing, and out says why. */
static bool choice_means(struct app *app, void *ctx, const char *text, char *out, size_t size)
{
    const struct plan_state *s = ctx;
    bool model = s->edited == FIELD_MODEL;
    struct options options;
    struct resolved *r;
    struct gp_err err = {0};

    if ((model && path_is_there(text)) || strchr("./~", text[0]))
        return false;
    values_write_options(&app->form->values, &options);
    options.gpu_count = 0;
    r = gp_malloc(sizeof(*r));
    bool read = planner_resolve(app->form->planner, &options, model ? text : NULL, NULL,
                                model ? "h100-sxm" : text, r, &err) == GP_OK;
    if (!read)
        gp_format(out, size, "%s", err.text);
    else if (model)
        gp_format(out, size, "%s, %s, %s", r->request.model->name,
                  UNITS_PARAMS(model_params(r->request.model)), r->request.precision.id);
    else if (r->request.gpu_count > 0)
        gp_format(out, size, "%d x %s", r->request.gpu_count, gpu_short_name(r->request.gpu));
    else
        gp_copy(out, size, gpu_short_name(r->request.gpu));
    read = read && (model || !r->request.gpu->memory_only); /* 3g is sooner a slice than a memory */
    free(r);
    return read;
}

static void edit_choice(struct app *app, struct plan_state *s)
{
    int count;
    bool told = plan_choices_begin(&s->choices, app->form, s->edited, &s->more, app->worker);
    bool means = s->edited == FIELD_MODEL || s->edited == FIELD_GPU;
    struct choice *choices =
        form_choices(app->form, s->edited, s->edited != FIELD_PRECISION, &count);
    char heads[80];
    struct chooser_spec options = {.title = field_rows[s->edited].form->label,
                                   .heads = told ? heads : NULL,
                                   .choices = choices,
                                   .count = count,
                                   .selected = app->form->values.value[s->edited],
                                   .free = form_free_text(s->edited),
                                   .paths = s->edited == FIELD_MODEL,
                                   .means = means ? choice_means : NULL,
                                   .chosen = choice_chosen,
                                   .ctx = s};

    gp_format(heads, sizeof(heads), "%s%s", plan_summary_titles(s->choices.cols),
              s->edited == FIELD_MODEL ? "     params   active   context" : "");
    if (told)
        choice_plans_set_columns(&s->choices, app->form, choices, count, clock_now() + AT_ONCE);
    chooser_open(&app->display, &options);
    free(choices);
}

static bool number_typed(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct plan_state *s = ctx;

    if (form_set(app->form, s->edited, text, err))
        return false;
    report_change(app, GP_OK, NULL);
    return true;
}

static void edit_number(struct app *app, struct plan_state *s)
{
    const struct field_row *row = &field_rows[s->edited];
    const struct option_row *option = &option_rows[row->option];
    const char *fallback = s->edited == FIELD_GPUS ? "auto" : option->fallback;
    char label[40], hint[200];
    struct prompt_spec options = {.label = label,
                                  .text = app->form->values.value[s->edited],
                                  .hint = hint,
                                  .history = PROMPT_VALUE,
                                  .done = number_typed,
                                  .ctx = s};

    gp_format(label, sizeof(label), "%s: ", row->form->label);
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
    else if (field_is_number(s->edited))
        edit_number(app, s);
    else
        edit_choice(app, s);
    return true;
}

/* A digit is the first of a new number. */
static bool plan_type(struct app *app, void *state, int key)
{
    struct plan_state *s = state;

    if (key < '0' || key > '9' || s->panel != PLAN_FORM || focus_field(s) == FIELD_COUNT ||
        !field_is_number(focus_field(s)))
        return false;
    field_edit(app, s);
    overlay_key(&app->display, key);
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

    if (field == FIELD_COUNT)
        return on_a_fold(app);
    enum gp_status rc = again ? form_request(form, "", &err) : form_set(form, field, "", &err);
    s->was_reset = !again;
    s->reset = field;
    s->reset_version = form->version;
    if (rc)
        app_report_err(app, &err);
    else if (again)
        app_report(app, false, "all fields reset to their defaults; u undoes it");
    else
        app_report(app, false, "%s: reset to its default; r again resets every field",
                   field_rows[field].form->label);
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

static bool fix_open(struct app *app, const struct plan_state *s)
{
    const struct answer *a = app->form->answer;
    const struct plan_alternatives *more = more_of(s, app->form);
    int count = app->form->answered ? a->fix_count : 0;
    struct choice choices[PLAN_MAX_FIXES] = {0};
    struct chooser_spec options = {.title = verdict_holds(a->plan.verdict) ? "Changes" : "Ways out",
                                   .heads = plan_summary_titles(PLAN_SUMMARY_WHOLE),
                                   .choices = choices,
                                   .count = count,
                                   .chosen = fix_chosen};

    for (int i = 0; i < count; i++) {
        struct plan_summary o = plan_fix_outcome(&a->fixes[i], more ? &more->fix[i] : NULL);
        struct choice *c = &choices[i];
        char change[FIX_OPTIONS_MAX];

        gp_format(c->id, sizeof(c->id), "%d", i + 1);
        gp_format(c->text, sizeof(c->text), "%d. %s", i + 1,
                  plan_fix_change(&a->plan, &a->fixes[i], change));
        plan_summary_text(&o, PLAN_SUMMARY_WHOLE, c->more);
    }
    if (count > 0)
        chooser_open(&app->display, &options);
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
    if (fold_at(s->focus) >= 0)
        plan_form_fold(&s->open, FIELD_COUNT + fold_at(s->focus), true);
}

static bool field_find(struct app *app, struct plan_state *s)
{
    struct choice choices[FIELD_COUNT] = {0};
    char selected[32];
    struct chooser_spec options = {.title = "Fields",
                                   .choices = choices,
                                   .count = FIELD_COUNT,
                                   .selected = selected,
                                   .chosen = field_chosen,
                                   .ctx = s};

    gp_format(selected, sizeof(selected), "%d", s->focus);
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct field_row *row = &field_rows[f];

        gp_format(choices[f].id, sizeof(choices[f].id), "%d", f);
        gp_format(choices[f].text, sizeof(choices[f].text), "%-12s --%s", row->form->label,
                  option_rows[row->option].name);
        gp_copy(choices[f].more, sizeof(choices[f].more), app->form->shown[f]);
    }
    chooser_open(&app->display, &options);
    return true;
}

static bool show_why(struct app *app, const struct plan_state *s)
{
    bool values = s->panel == PLAN_FORM && focus_field(s) != FIELD_COUNT;
    enum field field = values ? focus_field(s) : FIELD_COUNT;
    const struct form *form = app->form;
    struct strbuf text;
    char title[80] = "Why";
    int count = 0;

    if (!app->form->answered) {
        app_report_err(app, &app->form->err);
        return true;
    }
    strbuf_init(&text);
    for (int rank = 0; rank <= count; rank++) { /* those of this field first */
        strbuf_add(&text, rank > 0 && rank == count ? "\nall the others\n" : "");
        for (int i = 0; i < form->why_count; i++)
            if (term_rank(field, &form->why[i], &count) == rank)
                print_why_term(&form->why[i], &text);
    }
    if (values && count > 0)
        gp_format(title, sizeof(title), "Why: %s first", field_rows[s->focus].form->label);
    pager_open(&app->display, title, text.text);
    if (!values)
        pager_index(&app->display);
    strbuf_fini(&text);
    return true;
}

/* ---- the table ---- */

static bool plan_act(struct app *app, void *state, enum action action)
{
    struct plan_state *s = state;
    struct rect box[PLAN_PANELS];
    struct gp_err err;
    bool away;
    int rows, by;

    panel_rects(app, s, box);
    rows = box[s->panel].rows - 3 - (s->panel == PLAN_ANSWER ? PLAN_HEAD : 0);
    by = list_step(action, int_max(rows, 1));
    if (by != 0) {
        if (s->panel == PLAN_FORM)
            s->focus = plan_form_move(plan_form_open(app->form, s->open, s->focus), s->focus, by);
        else
            answer_scroll(app, s, by);
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
        away = s->panel != PLAN_FORM;
        s->panel = PLAN_FORM;
        return away;
    case ACT_EDIT:
        return s->panel == PLAN_FORM ? field_edit(app, s) : show_why(app, s);
    case ACT_RESET:
        return field_reset(app, s);
    case ACT_SOLVE:
        if (focus_field(s) == FIELD_COUNT)
            return on_a_fold(app);
        if (form_solve(app->form, focus_field(s), &err))
            app_report_err(app, &err);
        return true;
    case ACT_APPLY:
        return fix_open(app, s);
    case ACT_FIND:
        return field_find(app, s);
    case ACT_WHY:
        return show_why(app, s);
    case ACT_OVER_TIME:
        app_show(app, SCREEN_REPLAY);
        return true;
    case ACT_PIN:
        if (!app->form->answered && !app->form->pinned) {
            app_report(app, false, "no answer to pin");
            return true;
        }
        form_pin(app->form);
        app_report(app, false, "%s",
                   app->form->pinned ? "pinned: the answer shows the difference; p again unpins"
                                     : "unpinned");
        return true;
    default:
        return false;
    }
}

static const char *plan_word(const void *state, enum action action)
{
    const struct plan_state *s = state;

    return action == ACT_EDIT && s->panel == PLAN_ANSWER ? "why" : action_rows[action].word;
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
    struct plan_rows rows = plan_form_rows(plan_form_open(app->form, s->open, s->focus));
    struct frame frame = app_frame(app);

    panel_rects(app, s, box);
    y += frame.body.y;
    x += frame.body.x;
    if (is_in(box[PLAN_ANSWER], y, x) || is_in(box[PLAN_STRIP], y, x))
        s->panel = PLAN_ANSWER;
    if (!is_in(box[PLAN_FORM], y, x))
        return;
    in = rect_inside(box[PLAN_FORM]);
    int at = plan_form_top(&rows, s->focus, in.rows) + y - in.y;
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
        strbuf_add(out, field_rows[s->focus].form->explain);
    else if (s->panel == PLAN_FORM)
        strbuf_add(out, folds[s->focus - FIELD_COUNT].explain);
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
    form_write_options(form, &options);
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
    .open = plan_open,
    .close = plan_close,
    .draw = plan_draw,
    .act = plan_act,
    .type = plan_type,
    .word = plan_word,
    .tick = plan_tick,
    .explain = plan_explain,
    .title = plan_title,
    .suffixes = "txt json csv md",
    .export = plan_export,
    .command = plan_command,
    .click = plan_click,
};
