/*
 * form.c - changes of the form, undo, the pin, fixes, solving, files (form.h).
 *
 * A change is a copy of the form with one value put in; form_commit() makes it the
 * form's and plans it. So undo is the form before, and there is one way to plan.
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
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "tui/form_job.h"
#include "tui/worker.h"

/* ---- planning ---- */

void form_ask(const struct form *form, struct options *options)
{
    values_ask(&form->values, form->gpu_option, form->profiles, options);
}

void form_copy(const struct form *form, struct form_copy *out)
{
    out->values = form->values;
    memcpy(out->gpu_option, form->gpu_option, sizeof(out->gpu_option));
    memcpy(out->profiles, form->profiles, sizeof(out->profiles));
    out->answer = *form->answer;
}

void form_copy_ask(const struct form_copy *copy, struct options *options)
{
    values_ask(&copy->values, copy->gpu_option, copy->profiles, options);
}

void form_answered(struct form *form)
{
    form->why_count = form->answered ? terms_of_plan(&form->answer->plan, form->why) : 0;
    form->version++;
    form_show(form);
}

static void form_plan_here(struct form *form)
{
    struct options options;

    form_ask(form, &options);
    form->err = (struct gp_err){0};
    form->answered = planner_answer(form->planner, &options, form->answer, &form->err) == GP_OK &&
                     planner_betters(form->planner, form->answer, &form->err) == GP_OK;
    form_answered(form);
}

void form_again(struct form *form)
{
    if (form->worker)
        form_job_begin(form, FIELD_COUNT);
    else
        form_plan_here(form);
}

/* After a change of its values. */
static void form_plan(struct form *form)
{
    if (form->worker)
        form_job_begin(form, FIELD_COUNT);
    else
        form_plan_here(form);
}

/* ---- the command ---- */

void form_command(const struct form *form, const char *command, struct strbuf *out)
{
    strbuf_addf(out, "gpuplan --%s", command);
    if (form->profiles[0]) {
        strbuf_add(out, " --profiles ");
        strbuf_quote(out, form->profiles);
    }
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct option_row *row = &option_rows[field_rows[f].option];
        const char *text = f == FIELD_GPU ? form->gpu_option : form->values.value[f];

        if (f == FIELD_GPUS || !text[0])
            continue;
        if (row->key)
            strbuf_addf(out, " -%c", row->key);
        else
            strbuf_addf(out, " --%s", row->name);
        if (field_is_flag((enum field)f))
            continue;
        strbuf_add(out, " ");
        strbuf_quote(out, text);
    }
}

static const struct answer *answer_of(const struct form *form)
{
    return form->answered ? form->answer : NULL;
}

/* ---- undo: forms undo_first..undo_last of a ring, undo_at is the one now ---- */

bool form_take(struct form *form, const struct form_values *values)
{
    if (memcmp(values, &form->values, sizeof(*values)) == 0)
        return false;
    form->values = *values;
    values_gpu(values, form->gpu_option);
    form->undo_last = ++form->undo_at;
    if (form->undo_last - form->undo_first >= FORM_UNDO)
        form->undo_first = form->undo_last - FORM_UNDO + 1;
    form->undo[form->undo_at % FORM_UNDO] = *values;
    return true;
}

static void form_commit(struct form *form, const struct form_values *values)
{
    if (form_take(form, values))
        form_plan(form);
}

bool form_changed(const struct form *form)
{
    for (int f = 0; f < FIELD_COUNT; f++)
        if (strcmp(form->values.value[f], form->kept.value[f]) != 0)
            return true;
    return false;
}

bool form_lays_out(const struct form *form)
{
    static const enum field fields[] = {FIELD_GPUS, FIELD_TP, FIELD_PP, FIELD_EP, FIELD_REPLICAS};

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (form->values.value[fields[i]][0])
            return true;
    return false;
}

static bool undo_to(struct form *form, int at)
{
    if (at < form->undo_first || at > form->undo_last)
        return false;
    form->undo_at = at;
    form->values = form->undo[at % FORM_UNDO];
    values_gpu(&form->values, form->gpu_option);
    form_plan(form);
    return true;
}

bool form_undo(struct form *form)
{
    return undo_to(form, form->undo_at - 1);
}

bool form_redo(struct form *form)
{
    return undo_to(form, form->undo_at + 1);
}

/* ---- making one ---- */

static enum field solved_field(const struct options *options)
{
    int solve = options_choice(options, OPT_SOLVE) + 1;

    for (int f = 0; f < FIELD_COUNT && solve; f++)
        if ((int)field_rows[f].solve == solve)
            return (enum field)f;
    return FIELD_COUNT;
}

struct form *form_new(struct planner *planner, const struct options *options, struct gp_err *err)
{
    static const struct options nothing;
    struct form *form = gp_calloc(1, sizeof(*form));
    enum field field;

    form->planner = planner;
    form->answer = gp_calloc(1, sizeof(*form->answer));
    form->pin = gp_calloc(1, sizeof(*form->pin));
    form->pin_model = gp_calloc(1, sizeof(*form->pin_model));
    form->why = gp_calloc(TERMS_MAX, sizeof(*form->why));
    options = options ? options : &nothing;
    gp_copy(form->profiles, sizeof(form->profiles), options_word(options, OPT_PROFILES, ""));
    if (values_of_options(planner, options, &form->values, err)) {
        form_free(form);
        return NULL;
    }
    form->undo[0] = form->values;
    values_gpu(&form->values, form->gpu_option);
    form_plan_here(form);
    field = solved_field(options);
    if (field != FIELD_COUNT)
        form_solve(form, field, NULL);
    form->solved.done = false; /* nothing fits: the plan says so */
    form->kept = form->values;
    return form;
}

void form_free(struct form *form)
{
    if (!form)
        return;
    task_drop(&form->task);
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

/* Behind the --profiles that form_command() begins with: these are not changed. */
static const char *skip_profiles(const struct form *form, const char *given)
{
    struct strbuf same;
    size_t n;

    strbuf_init(&same);
    strbuf_add(&same, "--profiles ");
    strbuf_quote(&same, form->profiles);
    n = strncmp(given, same.text, same.len) == 0 ? same.len : 0;
    strbuf_fini(&same);
    return given + n;
}

enum gp_status form_request(struct form *form, const char *given, struct gp_err *err)
{
    struct form_values values;
    enum gp_status rc;

    values_default(&values);
    rc = values_options(form->planner, &values, skip_profiles(form, given), NULL, err);
    if (!rc)
        form_commit(form, &values);
    return rc;
}

enum gp_status form_reset(struct form *form, enum field field, struct gp_err *err)
{
    return form_set(form, field, "", err);
}

enum gp_status form_reset_all(struct form *form, struct gp_err *err)
{
    return form_request(form, "", err);
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

static bool may_be_auto(enum field field)
{
    return gp_has_word("auto none", " ", option_rows[field_rows[field].option].fallback) ||
           field == FIELD_GPUS;
}

/* The number after `value`; a doubling one moves along the powers of two. */
static double next_number(const struct field_row *row, double value, int by)
{
    double power;

    if (row->option == OPT_RATE)
        return by > 0 ? value * 2 : value / 2;
    if (!row->doubles) /* on the multiples of the step */
        return (by > 0 ? floor(value / row->step + 1e-6) + 1 : ceil(value / row->step - 1e-6) - 1) *
               row->step;
    if (value < 1)
        return by > 0 ? 1 : 0;
    power = exp2(floor(log2(value)));
    if (by > 0)
        return power * 2;
    return power < value ? power : power / 2;
}

static void number_words(enum field field, double value, char *text, size_t size)
{
    if (field == FIELD_USED)
        gp_format(text, size, "%gGiB", value);
    else
        gp_format(text, size, "%.10g", value);
}

/* The range of the option, and what the model was made for. */
static double most_of(const struct form *form, enum field field)
{
    const struct option_row *row = &option_rows[field_rows[field].option];
    int context = form->answered ? form->answer->plan.request.model->max_context : 0;

    if (field == FIELD_CONTEXT && context > 0)
        return context;
    return field == FIELD_GPUS   ? PLAN_MAX_GPUS
           : field == FIELD_USED ? row->high / GP_GIB
                                 : row->high;
}

static enum gp_status at_the_end(enum field field, double end, struct gp_err *err)
{
    return gp_fail(err, GP_E_USAGE, field_rows[field].label, "", "%.10g is the %s", end,
                   end > 1 ? "most" : "end");
}

static enum gp_status step_number(struct form *form, enum field field, int by, struct gp_err *err)
{
    const struct field_row *row = &field_rows[field];
    const struct option_row *option = &option_rows[row->option];
    double low = field == FIELD_GPUS ? 1 : option->low, most = most_of(form, field);
    double value = form_number(form, field), next;
    char text[64];

    if (value < 0)
        return gp_fail(err, GP_E_USAGE, row->label, "Enter takes a value", "no value to step from");
    next = next_number(row, value, by);
    if (next > most && value < most)
        next = most;
    if (next > most)
        return at_the_end(field, most, err);
    if (next < low && may_be_auto(field))
        return form_set(form, field, "", err);
    if (next < low && value <= low)
        return at_the_end(field, low, err);
    number_words(field, fmax(next, low), text, sizeof(text));
    return form_set(form, field, text, err);
}

enum gp_status form_step(struct form *form, enum field field, int by, struct gp_err *err)
{
    return field_rows[field].kind == FIELD_NUMBER ? step_number(form, field, by, err)
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

    if (field_rows[field].solve == SOLVE_NONE)
        return gp_fail(err, GP_E_USAGE, field_rows[field].label,
                       "GPU, GPUs, Context, Users and Weights can", "cannot be solved for");
    form->solved.done = false;
    form->solved.field = field;
    form->solved.err = (struct gp_err){0};
    if (form->worker) {
        form_job_begin(form, field);
        return GP_OK;
    }
    if (!values_solve(form->planner, form->profiles, &values, field, &form->solved.err) &&
        form_take(form, &values))
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
    enum gp_status rc;

    if (!path[0] || strcmp(path, "-") == 0)
        return gp_fail(err, GP_E_USAGE, "", "such as plan.json", "a file needs a name");
    strbuf_init(&line);
    form_ask(form, &options);
    request_line_write(&options, &line);
    rc = path_write(path, line.text, line.len, err);
    strbuf_fini(&line);
    if (!rc) {
        gp_copy(form->file, sizeof(form->file), path);
        form->kept = form->values;
    }
    return rc;
}

/* The only line that is not blank; text loses its end. */
static enum gp_status only_line(const char *path, char *text, const char **line, long *number,
                                struct gp_err *err)
{
    *number = 1;
    for (; *text && strchr(" \t\r\n", *text); text++)
        *number += *text == '\n';
    *line = gp_trim(text);
    if (!**line)
        return gp_fail(err, GP_E_FILE, path, "", "is empty");
    if (strchr(*line, '\n'))
        return gp_fail(err, GP_E_FILE, path, "keep one line",
                       "holds several requests, a plan is one");
    return GP_OK;
}

static enum gp_status take_request(struct form *form, const char *path,
                                   const struct options *options, struct form_values *values,
                                   struct gp_err *err)
{
    if (options->value[OPT_SOLVE].given)
        return gp_fail(err, GP_E_USAGE, path, "leave it out: s solves for a field",
                       "solve is not a field of the form");
    if (!options->value[OPT_MODEL].given)
        return gp_fail(err, GP_E_USAGE, path, "", "names no model");
    return values_of_options(form->planner, options, values, err);
}

enum gp_status form_load(struct form *form, const char *path, struct gp_err *err)
{
    struct form_values values = {0};
    struct request_line request = {0};
    const char *line;
    char *text;
    size_t len;
    long number = 0;
    enum gp_status rc = path_read(path, REQUEST_LINE_MAX, &text, &len, err);

    if (rc)
        return rc;
    rc = only_line(path, text, &line, &number, err);
    if (!rc)
        rc = request_line_read(path, number, line, strlen(line), &request, err);
    if (!rc)
        rc = take_request(form, path, &request.options, &values, err);
    request_line_fini(&request);
    free(text);
    if (rc)
        return rc;
    form_commit(form, &values);
    gp_copy(form->file, sizeof(form->file), path);
    form->kept = form->values;
    return GP_OK;
}
