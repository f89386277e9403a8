/*
 * form.c - changes of the form, undo, the pin, fixes, solving, files (form.h).
 *
 * A change is a copy of the form with one value put in; form_commit() makes it the
 * form's, keeps the texts it replaces for undo, and plans it: there is one way to plan.
 *
 * A saved plan is one line of --batch: gpuplan --batch FILE prints the answer that the
 * screen shows. The file is written whole or not at all. Reading it is reading a request
 * from a stranger: a key that is no field, a value that cannot be and a second request
 * are refused, and then the form is as it was.
 */
#include "tui/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/request_line.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "tui/worker.h"

/* ---- planning ---- */

void form_write_options(const struct form *form, struct options *options)
{
    values_write_options(&form->values, options);
}

void form_copy(const struct form *form, struct form_copy *out)
{
    out->values = form->values;
    out->answer = *form->answer;
}

static void form_answered(struct form *form)
{
    form->why_count = form->answered ? terms_of_plan(&form->answer->plan, form->why) : 0;
    form->version++;
    form_show(form);
}

static void form_plan_here(struct form *form)
{
    struct options options;

    form_write_options(form, &options);
    form->err = (struct gp_err){0};
    form->answered = planner_answer(form->planner, &options, form->answer, &form->err) == GP_OK &&
                     planner_betters(form->planner, form->answer, &form->err) == GP_OK;
    form_answered(form);
}

/* ---- planning, by the worker ----
 *
 * Under a rate or goals a plan may take a second, and a key is to be painted within 16 ms. So on
 * a terminal a changed form begins a task of the first rank and waits FORM_JOB_WAIT for it, which
 * is enough for most. What takes longer leaves the answer before where it stands, with
 * form->planning set, until form_poll() has taken the new one. A form that changes meanwhile
 * drops its task and begins another.
 *
 * form_solve() is such a task too: the thread finds the value, then plans the form with it. When
 * the form changes meanwhile, the value is not put in. */

#define FORM_JOB_WAIT 0.006 /* s */

/* Puts the values in as one step of undo, not planned yet; false: the form has them. */
static bool form_take(struct form *form, const struct form_values *values)
{
    struct form_change changes[FIELD_COUNT];
    int count = 0;

    for (int f = 0; f < FIELD_COUNT; f++)
        if (strcmp(values->value[f], form->values.value[f]) != 0) {
            changes[count].field = (enum field)f;
            gp_copy(changes[count++].text, FORM_VALUE, form->values.value[f]);
        }
    if (count == 0)
        return false;
    form->values = *values;
    form->undo_last = ++form->undo_at;
    if (form->undo_last - form->undo_first >= FORM_UNDO)
        form->undo_first = form->undo_last - FORM_UNDO + 1;
    struct form_step *step = &form->undo[form->undo_at % FORM_UNDO];
    step->count = count;
    step->change = gp_realloc(step->change, (size_t)count * sizeof(changes[0]));
    memcpy(step->change, changes, (size_t)count * sizeof(changes[0]));
    return true;
}

struct form_job {
    struct form_values before; /* the form's when it began */
    enum field solve;
    /* what the unit leaves */
    struct form_values values; /* the form's, with the value found */
    struct gp_err solve_err;   /* why there is none */
    struct answer *answer;     /* owned; to these */
    bool answered;
    struct gp_err err;
};

static bool job_unit(void *ctx, int i, struct planner *planner)
{
    struct form_job *job = ctx;
    struct options options;

    (void)i;
    job->values = job->before;
    job->err = job->solve_err = (struct gp_err){0};
    if (job->solve != FIELD_COUNT &&
        values_solve(planner, &job->values, job->solve, &job->solve_err) != GP_OK)
        return false;
    values_write_options(&job->values, &options);
    job->answered = planner_answer(planner, &options, job->answer, &job->err) == GP_OK &&
                    planner_betters(planner, job->answer, &job->err) == GP_OK;
    return false;
}

static void job_free(void *ctx)
{
    struct form_job *job = ctx;

    free(job->answer);
    free(job);
}

static const struct task_ops job_ops = {TASK_ANSWER, job_unit, job_free};

bool form_poll(struct form *form)
{
    struct form_job *job = form->job;
    struct answer *before = form->answer;

    if (!form->planning || !task_finished(form->task))
        return false;
    if (job->solve != FIELD_COUNT) {
        form->solved.done = true;
        form->solved.err = job->solve_err;
    }
    if (!job->solve_err.code) {
        form_take(form, &job->values);
        form->answer = job->answer;
        job->answer = before;
        form->answered = job->answered;
        form->err = job->err;
    }
    task_drop(&form->task);
    form->job = NULL;
    form->planning = false;
    form_answered(form);
    return true;
}

/* solve: the field whose best value is found first; FIELD_COUNT: none. */
static void form_job_begin(struct form *form, enum field solve)
{
    struct form_job *job = gp_calloc(1, sizeof(*job));

    if (form->planning && form->job->solve != FIELD_COUNT) {
        form->solved.done = true;
        gp_fail(&form->solved.err, GP_E_USAGE, field_rows[form->job->solve].form->label,
                "solve again", "another change came first");
    }
    task_drop(&form->task);
    job->before = form->values;
    job->solve = solve;
    job->answer = gp_calloc(1, sizeof(*job->answer));
    form->job = job;
    form->task = task_begin(form->worker, &job_ops, job);
    form->planning = true;
    task_wait(form->task, clock_now() + FORM_JOB_WAIT);
    if (!form_poll(form))
        form_show(form);
}

void form_again(struct form *form)
{
    if (form->worker)
        form_job_begin(form, FIELD_COUNT);
    else
        form_plan_here(form);
}

void form_command(const struct form *form, const char *command, struct strbuf *out)
{
    struct options options;

    form_write_options(form, &options);
    options_command(&options, command, "", out);
}

/* ---- undo ---- */

/* Puts the texts of the step that led to form `at` back; it then holds those they replace. */
static const struct form_step *form_swap(struct form *form, int at)
{
    const struct form_step *step = &form->undo[at % FORM_UNDO];

    for (int i = 0; i < step->count; i++) {
        struct form_change *change = &step->change[i];
        char now[FORM_VALUE];

        gp_copy(now, sizeof(now), form->values.value[change->field]);
        values_set(&form->values, change->field, change->text);
        gp_copy(change->text, FORM_VALUE, now);
    }
    form_again(form);
    return step;
}

const struct form_step *form_undo(struct form *form)
{
    return form->undo_at <= form->undo_first ? NULL : form_swap(form, form->undo_at--);
}

const struct form_step *form_redo(struct form *form)
{
    return form->undo_at >= form->undo_last ? NULL : form_swap(form, ++form->undo_at);
}

static const struct answer *answer_of(const struct form *form)
{
    return form->answered ? form->answer : NULL;
}

static void form_commit(struct form *form, const struct form_values *values)
{
    if (form_take(form, values))
        form_again(form);
}

bool form_changed(const struct form *form)
{
    return memcmp(form->values.value, form->kept.value, sizeof(form->kept.value)) != 0;
}

bool form_lays_out(const struct form *form)
{
    static const enum field fields[] = {FIELD_GPUS, FIELD_TP, FIELD_PP, FIELD_EP, FIELD_REPLICAS};

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (form->values.value[fields[i]][0])
            return true;
    return false;
}

/* ---- making one ---- */

struct form *form_new(struct planner *planner, const struct options *options, struct gp_err *err)
{
    static const struct options nothing;
    struct form *form = gp_calloc(1, sizeof(*form));

    form->planner = planner;
    form->answer = gp_calloc(1, sizeof(*form->answer));
    form->pin = gp_calloc(1, sizeof(*form->pin));
    form->pin_model = gp_calloc(1, sizeof(*form->pin_model));
    form->why = gp_calloc(TERMS_MAX, sizeof(*form->why));
    options = options ? options : &nothing;
    if (values_of_options(planner, options, &form->values, err)) {
        form_free(form);
        return NULL;
    }
    form_plan_here(form);
    int solve = options_choice(options, OPT_SOLVE) + 1;
    for (int f = 0; f < FIELD_COUNT && solve; f++)
        if ((int)field_rows[f].form->solve == solve)
            form_solve(form, (enum field)f, NULL);
    form->solved.done = false; /* nothing fits: the plan says so */
    form->kept = form->values;
    return form;
}

void form_free(struct form *form)
{
    if (!form)
        return;
    task_drop(&form->task);
    for (int i = 0; i < FORM_UNDO; i++)
        free(form->undo[i].change);
    free(form->answer);
    free(form->pin);
    free(form->pin_model);
    free(form->why);
    free(form);
}

/* ---- changes ---- */

enum gp_status form_set(struct form *form, enum field field, const char *text, struct gp_err *err)
{
    struct form_values values = form->values;
    enum gp_status rc = values_put(form->planner, &values, field, text, answer_of(form), err);

    if (!rc)
        form_commit(form, &values);
    return rc;
}

enum gp_status form_options(struct form *form, const char *given, struct gp_err *err)
{
    struct form_values values = form->values;
    enum gp_status rc = values_options(form->planner, &values, given, answer_of(form), err);

    if (!rc)
        form_commit(form, &values);
    return rc;
}

enum gp_status form_request(struct form *form, const char *given, struct gp_err *err)
{
    struct form_values values;

    values_default(&values, form->values.profiles);
    enum gp_status rc = values_options(form->planner, &values, given, NULL, err);
    if (!rc)
        form_commit(form, &values);
    return rc;
}

/* ---- steps ---- */

static enum gp_status step_choice(struct form *form, enum field field, int by, struct gp_err *err)
{
    int count, at = -1;
    struct choice *choices = form_choices(form, field, false, &count);
    enum gp_status rc = GP_OK;

    for (int i = 0; i < count && at < 0; i++)
        if (gp_casecmp(choices[i].id, form->values.value[field]) == 0)
            at = i;
    if (count > 0) {
        at = at < 0 ? (by > 0 ? 0 : count - 1) : (at + by + count) % count;
        rc = form_set(form, field, choices[at].id, err);
    }
    free(choices);
    return rc;
}

/* The number after `value`; one that doubles moves along the powers of two. */
static double step_next(enum field field, double value, int by)
{
    double step = field_rows[field].form->step, power;

    if (field == FIELD_RATE)
        return by > 0 ? value * 2 : value / 2;
    if (step > 0) /* on the multiples of the step */
        return (by > 0 ? floor(value / step + 1e-6) + 1 : ceil(value / step - 1e-6) - 1) * step;
    if (value < 1)
        return by > 0 ? 1 : 0;
    power = exp2(floor(log2(value)));
    if (by > 0)
        return power * 2;
    return power < value ? power : power / 2;
}

static enum gp_status step_number(struct form *form, enum field field, int by, struct gp_err *err)
{
    const struct option_row *option = &option_rows[field_rows[field].option];
    double scale = option->type == OPTION_BYTES ? GP_GIB : 1;
    double low = field == FIELD_GPUS ? 1 : option->low / scale;
    double most = field == FIELD_GPUS ? PLAN_MAX_GPUS : option->high / scale;
    double value = form_number(form, field), next;
    bool given = form->values.value[field][0];
    char text[64];

    if (field == FIELD_CONTEXT && form->answered &&
        form->answer->plan.request.model->max_context > 0)
        most = form->answer->plan.request.model->max_context;
    if (value < 0)
        return gp_fail(err, GP_E_USAGE, field_rows[field].form->label, "Enter takes a value",
                       "no value to step from");
    if (field == FIELD_RATE && !given) { /* what is served, to two digits */
        double unit = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;

        value = value > 0 ? round(value / unit) * unit : 1;
    }
    next = step_next(field, value, by);
    if (next > most && value < most)
        next = most;
    if (next < low && (gp_has_word("auto none", " ", option->fallback) || field == FIELD_GPUS))
        return form_set(form, field, "", err);
    if (next > most || (next < low && value <= low)) {
        double end = next > most ? most : low;

        return gp_fail(err, GP_E_USAGE, field_rows[field].form->label, "", "%.10g is the %s", end,
                       end > 1 ? "most" : "end");
    }
    gp_format(text, sizeof(text), option->type == OPTION_BYTES ? "%gGiB" : "%.10g",
              fmax(next, low));
    return form_set(form, field, text, err);
}

enum gp_status form_step(struct form *form, enum field field, int by, struct gp_err *err)
{
    return field_is_number(field) ? step_number(form, field, by, err)
                                  : step_choice(form, field, by, err);
}

/* ---- pin ---- */

void form_pin(struct form *form)
{
    form->pinned = !form->pinned && form->answered;
    if (form->pinned) {
        *form->pin = *form->answer;
        *form->pin_model = *form->answer->plan.request.model;
        form->pin->plan.request.model = form->pin_model;
        form->pin->resolved.request.model = form->pin_model;
        form->pin_form = form->values;
    }
    form->version++;
}

/* ---- fixes and solving ---- */

enum gp_status form_apply(struct form *form, int i, struct gp_err *err)
{
    char options[FIX_OPTIONS_MAX];

    if (!form->answered || i < 0 || i >= form->answer->fix_count)
        return gp_fail(err, GP_E_USAGE, "", "", "no such suggestion");
    return form_options(form, planner_fix_options(&form->answer->fixes[i], options), err);
}

enum gp_status form_solve(struct form *form, enum field field, struct gp_err *err)
{
    struct form_values values = form->values;

    if (field_rows[field].form->solve == SOLVE_NONE)
        return gp_fail(err, GP_E_USAGE, field_rows[field].form->label,
                       "GPU, GPUs, Context, Users and Weights can", "cannot be solved for");
    form->solved.done = false;
    form->solved.field = field;
    form->solved.err = (struct gp_err){0};
    if (form->worker) {
        form_job_begin(form, field);
        return GP_OK;
    }
    if (!values_solve(form->planner, &values, field, &form->solved.err) && form_take(form, &values))
        form_plan_here(form);
    form->solved.done = true;
    return GP_OK;
}

bool form_solved(struct form *form, enum field *field, struct gp_err *err)
{
    bool done = form->solved.done;

    *field = form->solved.field;
    *err = form->solved.err;
    form->solved.done = false;
    return done;
}

/* ---- files ---- */

enum gp_status form_save(struct form *form, const char *path, struct gp_err *err)
{
    struct strbuf line;
    struct options options;

    if (!path[0] || strcmp(path, "-") == 0)
        return gp_fail(err, GP_E_USAGE, "", "such as plan.json", "a file needs a name");
    strbuf_init(&line);
    form_write_options(form, &options);
    request_line_write(&options, &line);
    enum gp_status rc = path_write(path, line.text, line.len, err);
    strbuf_fini(&line);
    if (!rc) {
        gp_copy(form->file, sizeof(form->file), path);
        form->kept = form->values;
    }
    return rc;
}

enum gp_status form_load(struct form *form, const char *path, struct gp_err *err)
{
    struct form_values values = {0};
    struct request_line request = {0};
    const struct options *options = &request.options;
    char *text, *from;
    size_t len;
    long number = 1;
    enum gp_status rc = path_read(path, REQUEST_LINE_MAX, &text, &len, err);

    if (rc)
        return rc;
    for (from = text; *from && strchr(" \t\r\n", *from); from++)
        number += *from == '\n';
    const char *line = gp_trim(from);
    if (!*line)
        rc = gp_fail(err, GP_E_FILE, path, "", "is empty");
    else if (strchr(line, '\n'))
        rc =
            gp_fail(err, GP_E_FILE, path, "keep one line", "holds several requests, a plan is one");
    else
        rc = request_line_read(path, number, line, strlen(line), &request, err);
    if (!rc && options->value[OPT_SOLVE].given)
        rc = gp_fail(err, GP_E_USAGE, path, "leave it out: s solves for a field",
                     "solve is not a field of the form");
    if (!rc && !options->value[OPT_MODEL].given)
        rc = gp_fail(err, GP_E_USAGE, path, "", "names no model");
    if (!rc)
        rc = values_of_options(form->planner, options, &values, err);
    request_line_fini(&request);
    free(text);
    if (rc)
        return rc;
    values.profiles = form->values.profiles;
    form_commit(form, &values);
    gp_copy(form->file, sizeof(form->file), path);
    form->kept = form->values;
    return GP_OK;
}
