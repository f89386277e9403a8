/*
 * desk.c - changes of the form, undo, the pin, fixes and solving (desk.h).
 *
 * A change is a copy of the form with one value put in; desk_commit() makes it the
 * desk's and plans it. So undo is the form before, and there is one way to plan.
 */
#include "tui/desk_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/str.h"
#include "util/units.h"

/* ---- planning ---- */

void desk_replan(struct desk *desk)
{
    struct ask ask;

    form_ask(&desk->form, desk->gpu_option, &ask);
    desk->err = (struct gp_err){0};
    desk->answered =
        planner_answer(desk->planner, &ask, desk->answer, &desk->err) == GP_OK;
    desk->why_count = desk->answered ? explain_plan(&desk->answer->plan, desk->why) : 0;
    desk->version++;
    desk_show(desk);
}

static const struct answer *answer_of(const struct desk *desk)
{
    return desk->answered ? desk->answer : NULL;
}

/* ---- undo: forms undo_first..undo_last of a ring, undo_at is the one now ---- */

void desk_commit(struct desk *desk, const struct form *form)
{
    if (memcmp(form, &desk->form, sizeof(*form)) == 0)
        return;
    desk->form = *form;
    desk->undo_last = ++desk->undo_at;
    if (desk->undo_last - desk->undo_first >= DESK_UNDO)
        desk->undo_first = desk->undo_last - DESK_UNDO + 1;
    desk->undo[desk->undo_at % DESK_UNDO] = *form;
    desk_replan(desk);
}

bool desk_changed(const struct desk *desk)
{
    for (int f = 0; f < FIELD_COUNT; f++)
        if (strcmp(desk->form.value[f], desk->kept.value[f]) != 0)
            return true;
    return false;
}

static bool go_to(struct desk *desk, int at)
{
    if (at < desk->undo_first || at > desk->undo_last)
        return false;
    desk->undo_at = at;
    desk->form = desk->undo[at % DESK_UNDO];
    desk_replan(desk);
    return true;
}

bool desk_undo(struct desk *desk)
{
    return go_to(desk, desk->undo_at - 1);
}

bool desk_redo(struct desk *desk)
{
    return go_to(desk, desk->undo_at + 1);
}

/* ---- making one ---- */

static enum gp_status first_form(struct desk *desk, const struct ask *ask,
                                 struct gp_err *err)
{
    struct form given;
    enum gp_status status = form_of_ask(ask, &given, err);

    gp_copy(desk->form.value[FIELD_MODEL], FORM_VALUE, MODEL_DEFAULT);
    for (int f = 0; f < FIELD_COUNT && !status; f++)
        if (given.value[f][0])
            status = form_put(desk->planner, &desk->form, (enum field)f, given.value[f],
                              NULL, err);
    return status;
}

static enum field solved_field(const struct ask *ask)
{
    static const struct {
        const char *word;
        enum field field;
    } rows[] = {{"gpus", FIELD_GPUS},
                {"context", FIELD_CONTEXT},
                {"users", FIELD_USERS},
                {"precision", FIELD_PRECISION},
                {"budget", FIELD_GPU}};
    const char *word = ask_word(ask, OPT_SOLVE, "");

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].word, word) == 0)
            return rows[i].field;
    return FIELD_COUNT;
}

struct desk *desk_new(struct planner *planner, const struct ask *ask,
                      struct gp_err *err)
{
    static const struct ask nothing;
    struct desk *desk = gp_calloc(1, sizeof(*desk));
    enum field field;

    desk->planner = planner;
    desk->answer = gp_calloc(1, sizeof(*desk->answer));
    desk->pin = gp_calloc(1, sizeof(*desk->pin));
    desk->pin_model = gp_calloc(1, sizeof(*desk->pin_model));
    desk->why = gp_calloc(EXPLAIN_MAX, sizeof(*desk->why));
    ask = ask ? ask : &nothing;
    gp_copy(desk->profiles, sizeof(desk->profiles), ask_word(ask, OPT_PROFILES, ""));
    if (first_form(desk, ask, err)) {
        desk_free(desk);
        return NULL;
    }
    desk->undo[0] = desk->form;
    desk_replan(desk);
    field = solved_field(ask);
    if (field != FIELD_COUNT)
        desk_solve(desk, field, NULL); /* nothing fits: the plan says so */
    desk->kept = desk->form;
    return desk;
}

void desk_free(struct desk *desk)
{
    if (!desk)
        return;
    free(desk->answer);
    free(desk->pin);
    free(desk->pin_model);
    free(desk->why);
    free(desk);
}

/* ---- changes ---- */

enum gp_status desk_set(struct desk *desk, enum field field, const char *text,
                        struct gp_err *err)
{
    struct form form = desk->form;
    enum gp_status status =
        form_put(desk->planner, &form, field, text, answer_of(desk), err);

    if (!status)
        desk_commit(desk, &form);
    return status;
}

enum gp_status desk_options(struct desk *desk, const char *options, struct gp_err *err)
{
    struct form form = desk->form;
    enum gp_status status =
        form_options(desk->planner, &form, options, answer_of(desk), err);

    if (!status)
        desk_commit(desk, &form);
    return status;
}

/* Behind the --profiles that desk_command() begins with: these are not changed. */
static const char *skip_profiles(const struct desk *desk, const char *options)
{
    struct strbuf same;
    size_t n;

    strbuf_init(&same);
    strbuf_add(&same, "--profiles ");
    strbuf_quote(&same, desk->profiles);
    n = strncmp(options, same.text, same.len) == 0 ? same.len : 0;
    strbuf_fini(&same);
    return options + n;
}

enum gp_status desk_request(struct desk *desk, const char *options, struct gp_err *err)
{
    struct form form = {0};
    enum gp_status status =
        form_put(desk->planner, &form, FIELD_MODEL, MODEL_DEFAULT, NULL, err);

    if (!status)
        status =
            form_options(desk->planner, &form, skip_profiles(desk, options), NULL, err);
    if (!status)
        desk_commit(desk, &form);
    return status;
}

enum gp_status desk_reset(struct desk *desk, enum field field, struct gp_err *err)
{
    return desk_set(desk, field, "", err);
}

enum gp_status desk_reset_all(struct desk *desk, struct gp_err *err)
{
    struct form form = {0};
    enum gp_status status =
        form_put(desk->planner, &form, FIELD_MODEL, MODEL_DEFAULT, NULL, err);

    if (!status)
        desk_commit(desk, &form);
    return status;
}

/* ---- steps ---- */

static enum gp_status step_choice(struct desk *desk, enum field field, int by,
                                  struct gp_err *err)
{
    int count, at = -1;
    struct choice *choices = choices_make(desk, field, false, &count);
    enum gp_status status = GP_OK;

    for (int i = 0; i < count && at < 0; i++)
        if (gp_casecmp(choices[i].id, desk->form.value[field]) == 0)
            at = i;
    if (count > 0) {
        at = at < 0 ? (by > 0 ? 0 : count - 1) : (at + by + count) % count;
        status = desk_set(desk, field, choices[at].id, err);
    }
    free(choices);
    return status;
}

static bool may_be_auto(enum field field)
{
    return strcmp(option_rows[field_rows[field].option].fallback, "auto") == 0 ||
           field == FIELD_GPUS;
}

/* The number after `value`; a doubling one moves along the powers of two. */
static double next_number(const struct field_row *row, double value, int by)
{
    double power;

    if (!row->doubles) /* on the multiples of the step */
        return (by > 0 ? floor(value / row->step + 1e-6) + 1
                       : ceil(value / row->step - 1e-6) - 1) *
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
static double most_of(const struct desk *desk, enum field field)
{
    const struct option_row *row = &option_rows[field_rows[field].option];
    int context = desk->answered ? desk->answer->plan.request.model->max_context : 0;

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

static enum gp_status step_number(struct desk *desk, enum field field, int by,
                                  struct gp_err *err)
{
    const struct field_row *row = &field_rows[field];
    const struct option_row *option = &option_rows[row->option];
    double low = field == FIELD_GPUS ? 1 : option->low, most = most_of(desk, field);
    double value = desk_number(desk, field), next;
    char text[64];

    if (value < 0)
        return gp_fail(err, GP_E_USAGE, row->label, "Enter takes a value",
                       "there is no value to step from");
    next = next_number(row, value, by);
    if (next > most && value < most)
        next = most;
    if (next > most)
        return at_the_end(field, most, err);
    if (next < low && may_be_auto(field))
        return desk_set(desk, field, "", err);
    if (next < low && value <= low)
        return at_the_end(field, low, err);
    number_words(field, fmax(next, low), text, sizeof(text));
    return desk_set(desk, field, text, err);
}

enum gp_status desk_step(struct desk *desk, enum field field, int by,
                         struct gp_err *err)
{
    return field_rows[field].kind == FIELD_NUMBER ? step_number(desk, field, by, err)
                                                  : step_choice(desk, field, by, err);
}

/* ---- pin ---- */

void desk_pin(struct desk *desk)
{
    desk->pinned = !desk->pinned && desk->answered;
    if (desk->pinned) {
        *desk->pin = *desk->answer;
        *desk->pin_model = *desk->answer->plan.request.model;
        desk->pin->plan.request.model = desk->pin_model;
        desk->pin->resolved.request.model = desk->pin_model;
        desk->pin_form = desk->form;
    }
    desk->version++;
}

/* ---- fixes and solving ---- */

enum gp_status desk_apply(struct desk *desk, int i, struct gp_err *err)
{
    if (!desk->answered || i < 0 || i >= desk->answer->fix_count)
        return gp_fail(err, GP_E_USAGE, "", "", "there is no such suggestion");
    return desk_options(desk, desk->answer->fixes[i].option, err);
}

static void solved_text(enum field field, const struct plan *plan, char *text,
                        size_t size)
{
    const struct request *q = &plan->request;

    switch (field) {
    case FIELD_GPUS:
        gp_format(text, size, "%d", plan->layout.gpus);
        break;
    case FIELD_CONTEXT:
        gp_format(text, size, "%.0f", q->context);
        break;
    case FIELD_USERS:
        gp_format(text, size, "%.0f", q->users);
        break;
    case FIELD_PRECISION:
        gp_copy(text, size, q->precision.native ? "" : q->precision.id);
        break;
    default:
        gp_copy(text, size, q->gpu->id);
    }
}

/* Puts the solution in; the cheapest GPU takes as many as it needs. */
static enum gp_status take_solution(struct desk *desk, enum field field,
                                    const struct answer *found, struct gp_err *err)
{
    struct form form = desk->form;
    char text[FORM_VALUE];
    enum gp_status status;

    if (field == FIELD_GPU)
        form.value[FIELD_GPUS][0] = '\0';
    solved_text(field, &found->plan, text, sizeof(text));
    status = form_put(desk->planner, &form, field, text, found, err);
    if (!status)
        desk_commit(desk, &form);
    return status;
}

enum gp_status desk_solve(struct desk *desk, enum field field, struct gp_err *err)
{
    static const char *const words[] = {"none",  "gpus",      "context",
                                        "users", "precision", "budget"};
    const struct field_row *row = &field_rows[field];
    char option[FORM_VALUE];
    struct ask ask;
    struct answer *found;
    enum gp_status status;

    if (row->solve == SOLVE_NONE)
        return gp_fail(err, GP_E_USAGE, row->label,
                       "GPU, GPUs, Context, Users and Weights can",
                       "cannot be solved for");
    found = gp_calloc(1, sizeof(*found));
    form_ask(&desk->form, option, &ask);
    ask_text(&ask, OPT_SOLVE, "--solve", words[row->solve], NULL);
    status = planner_answer(desk->planner, &ask, found, err);
    if (!status && !found->solved)
        status = gp_fail(err, GP_E_USAGE, row->label, "a: suggestions",
                         "no value of it makes this fit");
    if (!status && !solve_has_limit(&found->plan.request, row->solve))
        status = gp_fail(err, GP_E_USAGE, row->label, "",
                         "there is no limit: this model keeps no KV");
    if (!status)
        status = take_solution(desk, field, found, err);
    free(found);
    return status;
}
