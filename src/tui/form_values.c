/*
 * form_values.c - see form_values.h.
 */
#include "tui/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/calibrate.h"
#include "answer/spelling.h"
#include "base/str.h"
#include "base/units.h"

static const char *where_of(enum field field, char *text, size_t size)
{
    gp_format(text, size, "--%s", option_rows[field_rows[field].option].name);
    return text;
}

bool field_is_flag(enum field field)
{
    return option_rows[field_rows[field].option].type == OPTION_FLAG;
}

/* ---- one value ---- */

/* The words for "choose for me" and for the default are the empty text. */
static bool means_default(enum field field, const char *text)
{
    static const char *const words[FIELD_COUNT] = {
        [FIELD_PRECISION] = "native", [FIELD_PRUNE] = "none", [FIELD_DRAFT] = "none",
        [FIELD_LORA] = "none",        [FIELD_NO_KV] = "off",  [FIELD_PRICE] = "on-demand",
        [FIELD_PROVIDER] = "all",     [FIELD_REGION] = "any", [FIELD_DATED] = "off"};

    return !text[0] || (field != FIELD_MODEL && strcmp(text, "auto") == 0) ||
           (words[field] && strcmp(text, words[field]) == 0);
}

static enum gp_status check_count(const char *text, struct gp_err *err)
{
    double value;
    enum gp_status rc = units_parse_number(text, "GPUs", &value, err);

    if (!rc && (value < 1 || value > PLAN_MAX_GPUS || value != floor(value)))
        rc = gp_fail(err, GP_E_USAGE, "GPUs", "or auto: the fewest that fit",
                     "'%s' is not a count from 1 to %d", text, PLAN_MAX_GPUS);
    return rc;
}

/* Does it exist? Asked with this one value beside a model that always does, so that
 * what is wrong is the value and not how it goes with others. */
static enum gp_status look_up(struct planner *planner, enum field field, const char *text,
                              struct gp_err *err)
{
    struct options options = {0};
    struct resolved out;
    bool model = field == FIELD_MODEL || field == FIELD_DRAFT, gpu = field == FIELD_GPU;
    bool own = field == FIELD_DRAFT && strcmp(text, "mtp") == 0;

    if (field_rows[field].kind == FIELD_NUMBER || field == FIELD_PRICE || own ||
        field_is_flag(field))
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

static enum gp_status value_check(struct planner *planner, enum field field, const char *text,
                                  struct gp_err *err)
{
    struct options scratch = {0};
    char where[80];
    enum gp_status rc;

    if (field == FIELD_GPUS)
        return check_count(text, err);
    if (field_is_flag(field) && strcmp(text, "on") != 0)
        return gp_fail(err, GP_E_USAGE, where_of(field, where, sizeof(where)), "off|on",
                       "'%s' is not one of the choices", text);
    rc = options_text(&scratch, field_rows[field].option, where_of(field, where, sizeof(where)),
                      text, err);
    return rc ? rc : look_up(planner, field, text, err);
}

/* "l40s:2" is both fields. */
static enum gp_status put_gpu(struct planner *planner, struct form_values *values, const char *text,
                              struct gp_err *err)
{
    char id[FORM_VALUE];
    char *colon;
    enum gp_status rc = value_check(planner, FIELD_GPU, text, err);

    if (rc)
        return rc;
    gp_copy(id, sizeof(id), text);
    colon = strrchr(id, ':');
    if (colon) {
        *colon = '\0';
        gp_copy(values->value[FIELD_GPUS], FORM_VALUE, colon + 1);
    }
    gp_copy(values->value[FIELD_GPU], FORM_VALUE, id);
    return GP_OK;
}

/* A count is of some GPU: of the one that was chosen, if nobody named one. */
static enum gp_status put_count(struct form_values *values, const char *text,
                                const struct answer *answer, struct gp_err *err)
{
    enum gp_status rc = check_count(text, err);

    if (rc)
        return rc;
    if (!values->value[FIELD_GPU][0] && !answer)
        return gp_fail(err, GP_E_USAGE, "GPUs", "choose a GPU first", "a count needs a GPU");
    if (!values->value[FIELD_GPU][0])
        gp_copy(values->value[FIELD_GPU], FORM_VALUE, answer->plan.request.gpu->id);
    gp_format(values->value[FIELD_GPUS], FORM_VALUE, "%.0f", strtod(text, NULL));
    return GP_OK;
}

static void put_default(struct form_values *values, enum field field)
{
    gp_copy(values->value[field], FORM_VALUE, field == FIELD_MODEL ? MODEL_DEFAULT : "");
    if (field == FIELD_GPU) /* a count alone means nothing */
        values->value[FIELD_GPUS][0] = '\0';
}

void values_default(struct form_values *values)
{
    memset(values, 0, sizeof(*values));
    put_default(values, FIELD_MODEL);
}

enum gp_status values_put(struct planner *planner, struct form_values *values, enum field field,
                          const char *text, const struct answer *answer, struct gp_err *err)
{
    char copy[FORM_VALUE], where[80];
    const char *value;
    enum gp_status rc;

    if (!gp_copy(copy, sizeof(copy), text))
        return gp_fail(err, GP_E_USAGE, where_of(field, where, sizeof(where)), "",
                       "is longer than %d bytes", FORM_VALUE - 1);
    value = gp_trim(copy);
    if (means_default(field, value)) {
        put_default(values, field);
        return GP_OK;
    }
    if (field == FIELD_GPU)
        return put_gpu(planner, values, value, err);
    if (field == FIELD_GPUS)
        return put_count(values, value, answer, err);
    rc = value_check(planner, field, value, err);
    if (rc)
        return rc;
    gp_copy(values->value[field], FORM_VALUE, value);
    if (field == FIELD_RATE) /* each says how many requests there are: the last one holds */
        values->value[FIELD_USERS][0] = '\0';
    if (field == FIELD_USERS)
        values->value[FIELD_RATE][0] = '\0';
    return GP_OK;
}

/* ---- options as a form ---- */

enum field field_of(int option)
{
    if (option == OPT_OUT) /* "output 256" */
        return FIELD_OUTPUT;
    for (int f = 0; f < FIELD_COUNT; f++)
        if ((int)field_rows[f].option == option)
            return (enum field)f;
    return FIELD_COUNT;
}

static enum gp_status one_of_each(const struct options *options, struct gp_err *err)
{
    enum gp_status rc = options_inference(options, "the screens plan inference", err);

    if (!rc && (options->model_count > 1 || options->precision_count > 1 || options->gpu_count > 1))
        rc = gp_fail(err, GP_E_USAGE, "", "Compare (2) takes several",
                     "the form holds one model, precision and GPU");
    return rc;
}

/* A plan's option that the form cannot hold is no plan of the form: never left out unsaid. */
static bool has_no_field(int id)
{
    unsigned commands = option_rows[id].commands;

    return field_of(id) == FIELD_COUNT && commands & FOR_SCREEN && commands & FOR_PLAN &&
           commands != FOR_ALL;
}

static enum gp_status options_have_fields(const struct options *options, struct gp_err *err)
{
    char where[80];

    for (int id = 0; id < OPTION_COUNT; id++)
        if (options->value[id].given && has_no_field(id)) {
            gp_format(where, sizeof(where), "--%s", option_rows[id].name);
            return gp_fail(err, GP_E_USAGE, where, "gpuplan --plan takes it",
                           "has no field on the screens");
        }
    return GP_OK;
}

enum gp_status values_of_options(struct planner *planner, const struct options *options,
                                 struct form_values *values, struct gp_err *err)
{
    enum gp_status rc = one_of_each(options, err);

    values_default(values);
    if (!rc)
        rc = options_have_fields(options, err);
    for (int id = 0; id < OPTION_COUNT && !rc; id++) {
        const struct option_value *v = &options->value[id];
        enum field field = field_of(id);
        char number[64]; /* that reads back to what was given as one */

        gp_format(number, sizeof(number), option_rows[id].type == OPTION_BYTES ? "%.17gB" : "%.15g",
                  v->number);
        if (v->given && field != FIELD_COUNT)
            rc = values_put(planner, values, field,
                            field_is_flag(field) ? "on"
                            : v->text            ? v->text
                                                 : number,
                            NULL, err);
    }
    return rc;
}

/* ---- as options ---- */

void values_gpu(const struct form_values *values, char option[FORM_VALUE])
{
    const char *gpu = values->value[FIELD_GPU], *count = values->value[FIELD_GPUS];

    gp_format(option, FORM_VALUE, "%s%s%s", gpu, gpu[0] && count[0] ? ":" : "",
              gpu[0] ? count : "");
}

void values_ask(const struct form_values *values, const char *gpu_option, const char *profiles,
                struct options *options)
{
    memset(options, 0, sizeof(*options));
    for (int f = 0; f < FIELD_COUNT; f++) {
        const char *text = f == FIELD_GPU ? gpu_option : values->value[f];

        if (f != FIELD_GPUS && text[0])
            options_text(options, field_rows[f].option, "", text, NULL);
    }
    if (profiles[0])
        options_text(options, OPT_PROFILES, "", profiles, NULL);
}

/* ---- options as text ---- */

/* The next word of *text, quotes around it taken off; false at the end. */
static bool next_word(const char **text, char *word, size_t size)
{
    const char *from = *text + strspn(*text, " \t");
    char stop = *from == '"' || *from == '\'' ? *from : '\0';
    size_t len;

    if (!*from)
        return false;
    from += stop != '\0';
    if (stop)
        len = strchr(from, stop) ? (size_t)(strchr(from, stop) - from) : strlen(from);
    else
        len = strcspn(from, " \t");
    gp_format(word, size, "%.*s", (int)len, from);
    *text = from + len + (stop && from[len] == stop);
    return true;
}

static enum gp_status find_field(const char *word, enum field *field, struct gp_err *err)
{
    const char *names[FIELD_COUNT];
    int id = option_find_word(word);
    char hint[256];

    *field = field_of(id);
    if (*field != FIELD_COUNT)
        return GP_OK;
    if (id >= 0)
        return gp_fail(err, GP_E_USAGE, word, "give it to gpuplan in the shell",
                       "has no field on the screens");
    for (int f = 0; f < FIELD_COUNT; f++)
        names[f] = option_rows[field_rows[f].option].name;
    if (!spelling_option(word + strspn(word, "-"), "", names, FIELD_COUNT, hint, sizeof(hint)))
        gp_copy(hint, sizeof(hint), "? lists what can be set");
    return gp_fail(err, GP_E_USAGE, word, hint, "is not a field of the plan");
}

/* "--users=16", "users=16" and "-u16" as a name and the value, which is returned; NULL:
 * it is another word. */
static const char *split_word(const char *word, char *name, size_t size)
{
    bool key = word[0] == '-' && word[1] && word[1] != '-' && option_find(word + 1) < 0;
    size_t n = key ? 2 : strcspn(word, "=");

    gp_format(name, size, "%.*s", (int)n, word);
    return word[n] ? word + n + (word[n] == '=') : NULL;
}

/* "on" or "off" behind a flag; a flag alone is on. */
static void next_switch(const char **text, char *word, size_t size)
{
    const char *from = *text;

    if (next_word(text, word, size) && (strcmp(word, "on") == 0 || strcmp(word, "off") == 0))
        return;
    *text = from;
    gp_copy(word, size, "on");
}

enum gp_status values_options(struct planner *planner, struct form_values *values,
                              const char *words, const struct answer *answer, struct gp_err *err)
{
    char word[FORM_VALUE + 64], name[FORM_VALUE + 64], value[FORM_VALUE + 64];
    bool given[FIELD_COUNT] = {false};
    enum gp_status rc = GP_OK;

    while (!rc && next_word(&words, word, sizeof(word))) {
        const char *joined = split_word(word, name, sizeof(name));
        enum field field;

        rc = find_field(name, &field, err);
        if (rc)
            return rc;
        if (joined)
            gp_copy(value, sizeof(value), joined);
        else if (field_is_flag(field))
            next_switch(&words, value, sizeof(value));
        else if (!next_word(&words, value, sizeof(value)))
            return gp_fail(err, GP_E_USAGE, name, "as in: users 16", "needs a value");
        if (given[field])
            return gp_fail(err, GP_E_USAGE, name, "the form holds one of each", "is given twice");
        given[field] = true;
        rc = values_put(planner, values, field, value, answer, err);
    }
    return rc;
}
