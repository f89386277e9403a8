/*
 * form_values.c - the texts of a form: checked, put in, read from options and lines, written
 * as options (form.h).
 */
#include "tui/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/calibrate.h"
#include "answer/option.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/draft.h"
#include "tui/toolkit/words.h"

static bool field_is_flag(enum field field)
{
    return option_rows[field_rows[field].option].type == OPTION_FLAG;
}

/* ---- one value ---- */

void values_set(struct form_values *values, enum field field, const char *text)
{
    const char *gpu = values->value[FIELD_GPU], *count = values->value[FIELD_GPUS];

    memset(values->value[field], 0, FORM_VALUE); /* so that equal ones compare equal */
    gp_copy(values->value[field], FORM_VALUE, text);
    if (field != FIELD_GPU && field != FIELD_GPUS)
        return;
    memset(values->gpu, 0, FORM_VALUE);
    gp_format(values->gpu, FORM_VALUE, "%s%s%s", gpu, gpu[0] && count[0] ? ":" : "",
              gpu[0] ? count : "");
}

void values_default(struct form_values *values, const char *profiles)
{
    memset(values, 0, sizeof(*values));
    values->profiles = profiles;
    values_set(values, FIELD_MODEL, MODEL_DEFAULT);
}

/* A count is of some GPU: of the one that was chosen, if nobody named one. */
static enum gp_status values_put_count(struct form_values *values, const char *text,
                                       const struct answer *answer, struct gp_err *err)
{
    char count[32];
    double value;
    enum gp_status rc = units_parse_number(text, "GPUs", &value, err);

    if (rc)
        return rc;
    if (value < 1 || value > PLAN_MAX_GPUS || value != floor(value))
        return gp_fail(err, GP_E_USAGE, "GPUs", "or auto: the fewest that fit",
                       "'%s' is not a count from 1 to %d", text, PLAN_MAX_GPUS);
    if (!values->value[FIELD_GPU][0] && !answer)
        return gp_fail(err, GP_E_USAGE, "GPUs", "choose a GPU first", "a count needs a GPU");
    if (!values->value[FIELD_GPU][0])
        values_set(values, FIELD_GPU, answer->plan.request.gpu->id);
    gp_format(count, sizeof(count), "%.0f", value);
    values_set(values, FIELD_GPUS, count);
    return GP_OK;
}

/* Does it exist? Asked with this one value beside a model that always does, so that
 * what is wrong is the value and not how it goes with others. */
static enum gp_status value_look_up(struct planner *planner, enum field field, const char *text,
                                    struct gp_err *err)
{
    const enum option_type type = option_rows[field_rows[field].option].type;
    struct options options = {0};
    struct resolved out;
    const char *checkpoint;
    bool model = field == FIELD_MODEL || field == FIELD_DRAFT, gpu = field == FIELD_GPU;

    if (type != OPTION_TEXT ||
        (field == FIELD_DRAFT && draft_kind_of(text, &checkpoint) != DRAFT_MODEL))
        return GP_OK;
    if (field == FIELD_MEASURED) { /* of this model and GPU: how it fits them, the plan says */
        struct serverbench bench = {.count = 0};

        return strcmp(text, "none") == 0 ? GP_OK : calibrate_points(text, &bench, err);
    }
    if (!model && !gpu)
        options_text(&options, field_rows[field].option, "", text, NULL);
    return planner_resolve(planner, &options, model ? text : MODEL_DEFAULT, NULL,
                           gpu ? text : "h100-sxm", &out, err);
}

enum gp_status values_put(struct planner *planner, struct form_values *values, enum field field,
                          const char *text, const struct answer *answer, struct gp_err *err)
{
    struct options scratch = {0};
    char copy[FORM_VALUE], where[80];

    gp_format(where, sizeof(where), "--%s", option_rows[field_rows[field].option].name);
    if (!gp_copy(copy, sizeof(copy), text))
        return gp_fail(err, GP_E_USAGE, where, "", "is longer than %d bytes", FORM_VALUE - 1);
    char *value = gp_trim(copy);
    if (option_means_default(field_rows[field].option, value)) {
        values_set(values, field, field == FIELD_MODEL ? MODEL_DEFAULT : "");
        if (field == FIELD_GPU) /* a count alone means nothing */
            values_set(values, FIELD_GPUS, "");
        return GP_OK;
    }
    if (field == FIELD_GPUS)
        return values_put_count(values, value, answer, err);
    if (field_is_flag(field) && strcmp(value, "on") != 0)
        return gp_fail(err, GP_E_USAGE, where, "off|on", "'%s' is not one of the choices", value);
    enum gp_status rc = options_text(&scratch, field_rows[field].option, where, value, err);
    if (!rc)
        rc = value_look_up(planner, field, value, err);
    if (rc)
        return rc;
    char *colon = field == FIELD_GPU ? strrchr(value, ':') : NULL;
    if (colon) { /* "l40s:2" is both fields */
        *colon = '\0';
        values_set(values, FIELD_GPUS, colon + 1);
    }
    values_set(values, field, value);
    if (field == FIELD_RATE) /* each says how many requests there are: the last one holds */
        values_set(values, FIELD_USERS, "");
    if (field == FIELD_USERS)
        values_set(values, FIELD_RATE, "");
    return GP_OK;
}

/* ---- from options and to them ---- */

enum gp_status values_of_options(struct planner *planner, const struct options *options,
                                 struct form_values *values, struct gp_err *err)
{
    enum gp_status rc = options_inference(options, "the screens plan inference", err);

    values_default(values, options_word(options, OPT_PROFILES, ""));
    if (!rc && (options->model_count > 1 || options->precision_count > 1 || options->gpu_count > 1))
        rc = gp_fail(err, GP_E_USAGE, "", "Compare (2) takes several",
                     "the form holds one model, precision and GPU");
    for (int id = 0; id < OPTION_COUNT && !rc; id++) {
        const struct option_row *row = &option_rows[id];
        const struct option_value *v = &options->value[id];
        enum field field = field_of(id);
        char text[64]; /* that reads back to the number it was given as */

        if (!v->given)
            continue;
        if (field != FIELD_COUNT) {
            gp_format(text, sizeof(text), row->type == OPTION_BYTES ? "%.17gB" : "%.15g",
                      v->number);
            rc = values_put(planner, values, field,
                            row->type == OPTION_FLAG ? "on"
                            : v->text                ? v->text
                                                     : text,
                            NULL, err);
        } else if (row->commands & FOR_SCREEN && row->commands & FOR_PLAN &&
                   row->commands != FOR_ALL) { /* of the plan, and never left out unsaid */
            gp_format(text, sizeof(text), "--%s", row->name);
            rc = gp_fail(err, GP_E_USAGE, text, "gpuplan --plan takes it",
                         "has no field on the screens");
        }
    }
    return rc;
}

void values_write_options(const struct form_values *values, struct options *options)
{
    memset(options, 0, sizeof(*options));
    for (int f = 0; f < FIELD_COUNT; f++) {
        const char *text = f == FIELD_GPU ? values->gpu : values->value[f];

        if (f != FIELD_GPUS && text[0])
            options_text(options, field_rows[f].option, "", text, NULL);
    }
    if (values->profiles[0])
        options_text(options, OPT_PROFILES, "", values->profiles, NULL);
}

/* ---- a line of options ---- */

static enum gp_status field_unknown(const char *name, int id, struct gp_err *err)
{
    const char *names[FIELD_COUNT];
    char hint[256];

    if (id >= 0)
        return gp_fail(err, GP_E_USAGE, name, "give it to gpuplan in the shell",
                       "has no field on the screens");
    for (int f = 0; f < FIELD_COUNT; f++)
        names[f] = option_rows[field_rows[f].option].name;
    if (!spelling_option(name + strspn(name, "-"), "", names, FIELD_COUNT, hint, sizeof(hint)))
        gp_copy(hint, sizeof(hint), "? lists what can be set");
    return gp_fail(err, GP_E_USAGE, name, hint, "is not a field of the plan");
}

enum gp_status values_options(struct planner *planner, struct form_values *values,
                              const char *words, const struct answer *answer, struct gp_err *err)
{
    char word[FORM_VALUE + 64], name[FORM_VALUE + 64], next[FORM_VALUE + 64];
    bool given[FIELD_COUNT] = {false};
    enum gp_status rc = GP_OK;

    while (!rc && words_next(&words, word, sizeof(word))) {
        bool whole = word[0] == '-' && option_find(word + 1) >= 0; /* "-users" */
        const char *value, *rest = words;
        int id = option_split(word + whole, name, sizeof(name), &value);
        enum field field = field_of(id);
        bool flag = field != FIELD_COUNT && field_is_flag(field);

        if (field == FIELD_COUNT && id != OPT_PROFILES)
            return field_unknown(name, id, err);
        if (!value && words_next(&rest, next, sizeof(next)) &&
            (!flag || strcmp(next, "on") == 0 || strcmp(next, "off") == 0)) {
            value = next;
            words = rest;
        } else if (!value && flag) {
            value = "on";
        }
        if (!value)
            return gp_fail(err, GP_E_USAGE, name, "as in: users 16", "needs a value");
        if (id == OPT_PROFILES) { /* form_command() writes them; they do not change */
            if (strcmp(value, values->profiles) != 0)
                rc = field_unknown(name, id, err);
            continue;
        }
        if (given[field])
            return gp_fail(err, GP_E_USAGE, name, "the form holds one of each", "is given twice");
        given[field] = true;
        rc = values_put(planner, values, field, value, answer, err);
    }
    return rc;
}

/* ---- solving ---- */

enum gp_status values_solve(struct planner *planner, struct form_values *values, enum field field,
                            struct gp_err *err)
{
    const struct option_field *row = field_rows[field].form;
    char word[OPTION_CHOICE_MAX], number[32];
    struct answer *found = gp_calloc(1, sizeof(*found));
    const struct request *q = &found->plan.request;
    struct options options;

    values_write_options(values, &options);
    options_text(&options, OPT_SOLVE, "", option_choice(OPT_SOLVE, (int)row->solve - 1, word),
                 NULL);
    enum gp_status rc = planner_answer(planner, &options, found, err);
    const struct solution *solved = &found->solved;
    if (!rc && !solved->found && solved->likely <= 0 && !solved->likely_precision)
        rc = gp_fail(err, GP_E_USAGE, row->label, "a: suggestions",
                     "no value of this field makes the plan fit");
    if (!rc && !solve_has_limit(q, row->solve))
        rc = gp_fail(err, GP_E_USAGE, row->label, "", "no limit: this model keeps no KV");
    if (!rc) {
        if (field == FIELD_GPU) /* the cheapest takes as many as it needs */
            values_set(values, FIELD_GPUS, "");
        gp_format(number, sizeof(number), "%.0f", field_planned(found, field));
        rc = values_put(planner, values, field,
                        field == FIELD_GPU         ? q->gpu->id
                        : field != FIELD_PRECISION ? number
                        : q->precision.native      ? ""
                                                   : q->precision.id,
                        found, err);
    }
    free(found);
    return rc;
}
