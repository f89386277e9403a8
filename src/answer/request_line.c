/*
 * request_line.c - see request_line.h.
 */
#include "answer/request_line.h"

#include <jansson.h>
#include <string.h>

#include "answer/spelling.h"
#include "base/json.h"
#include "base/path.h"
#include "base/units.h"

/* ---- reading ---- */

static enum gp_status take_value(struct options *options, int id, const char *where,
                                 const json_t *value, struct gp_err *err)
{
    enum option_id option = (enum option_id)id;

    if (options->value[id].given)
        return options_twice(where, err);
    if (option_rows[id].type == OPTION_FLAG && !json_is_boolean(value) && !json_is_null(value))
        return gp_fail(err, GP_E_USAGE, where, option_rows[id].help, "must be true or false");
    if (json_is_string(value))
        return options_text(options, option, where, json_string_value(value), err);
    if (json_is_number(value))
        return options_number(options, option, where, json_number_value(value), err);
    if (json_is_true(value) && option_rows[id].type == OPTION_FLAG)
        return options_text(options, option, where, "", err);
    if (json_is_null(value) || json_is_false(value))
        return GP_OK; /* the default */
    return gp_fail(err, GP_E_USAGE, where, option_rows[id].help, "must be text, a number or null");
}

/* What says how an answer is printed, and where, belongs to the whole run; only a
 * number of --output is part of a request. */
static bool is_request_option(int id, const json_t *value)
{
    struct options scratch = {0};
    struct gp_err err;

    if (id == OPT_OUT)
        return !json_is_string(value) ||
               (options_text(&scratch, OPT_OUT, "", json_string_value(value), &err) == GP_OK &&
                scratch.value[OPT_OUTPUT].given);
    return (option_rows[id].commands & FOR_PLAN) && !(option_rows[id].commands & FOR_LIST);
}

static enum gp_status unknown_key(const char *where, const char *key, struct gp_err *err)
{
    const char *names[OPTION_COUNT];
    char hint[256];
    size_t n = 0;

    for (int i = 0; i < OPTION_COUNT; i++)
        if (is_request_option(i, NULL))
            names[n++] = option_rows[i].name;
    if (!spelling_option(key, "", names, n, hint, sizeof(hint)))
        gp_copy(hint, sizeof(hint), "see gpuplan --help");
    return gp_fail(err, GP_E_USAGE, where, hint, "unknown option '%.60s'", key);
}

enum gp_status request_line_options(const char *place, json_t *request, struct options *options,
                                    struct gp_err *err)
{
    const char *key;
    json_t *value;
    char where[GP_PATH_MAX];
    enum gp_status rc = GP_OK;

    json_object_foreach(request, key, value)
    {
        int id = option_find(key);

        if (strcmp(key, "id") == 0)
            continue;
        gp_format(where, sizeof(where), "%s%.60s", place, key);
        if (id < 0 || !key[1])
            return unknown_key(where, key, err);
        if (!is_request_option(id, value))
            return gp_fail(err, GP_E_USAGE, where, "leave it out", "is not part of a request");
        rc = take_value(options, id, where, value, err);
        if (rc)
            return rc;
    }
    return GP_OK;
}

void request_line_place(struct gp_err *err, const char *place)
{
    char where[sizeof(err->where)];

    gp_copy(where, sizeof(where), err->where);
    if (where[0] && strncmp(where, "--", 2) != 0)
        return;
    for (char *p = where; *p; p++)
        *p = *p == '-' ? '_' : *p;
    gp_format(err->where, sizeof(err->where), "%s%s%s", place, where[0] ? ": " : "",
              where[0] ? where + 2 : "");
}

enum gp_status request_line_read(const char *where, long line, const char *text, size_t len,
                                 struct request_line *out, struct gp_err *err)
{
    char place[GP_PATH_MAX];
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    gp_format(place, sizeof(place), "%s:%ld", where, line);
    if (len > REQUEST_LINE_MAX)
        rc = gp_fail(err, GP_E_USAGE, place, "one request per line", "is longer than %d bytes",
                     REQUEST_LINE_MAX);
    else
        rc = gp_json_parse(place, text, len, &out->json, err);
    if (!rc && !json_is_object(out->json))
        rc = gp_fail(err, GP_E_USAGE, place, "{\"model\": \"llama-3.1-8b\"}",
                     "is not a JSON object");
    gp_format(place, sizeof(place), "%s:%ld: ", where, line);
    if (!rc)
        rc = request_line_options(place, out->json, &out->options, err);
    gp_format(place, sizeof(place), "%s:%ld", where, line);
    if (rc)
        request_line_place(err, place);
    return rc;
}

void request_line_fini(struct request_line *line)
{
    json_decref(line->json);
    line->json = NULL;
}

/* ---- writing ---- */

/* A flag as true, a plain number as one, all else as the text it was given as. */
static json_t *value_json(int id, const struct option_value *v)
{
    double number;

    if (option_rows[id].type == OPTION_FLAG)
        return json_true();
    if (!v->text)
        return gp_json_number(v->number);
    if (v->number > 0 && units_parse_number(v->text, "", &number, NULL) == GP_OK)
        return gp_json_number(number);
    return gp_json_text(v->text);
}

void request_line_write(const struct options *options, struct strbuf *out)
{
    json_t *line = json_object();

    for (int id = 0; id < OPTION_COUNT; id++) {
        char key[40];

        if (!options->value[id].given || !is_request_option(id, json_null()))
            continue;
        gp_copy(key, sizeof(key), option_rows[id].name);
        for (char *p = key; *p; p++)
            *p = *p == '-' ? '_' : *p;
        json_object_set_new(line, key, value_json(id, &options->value[id]));
    }
    gp_json_write(line, false, out);
    strbuf_add(out, "\n");
    json_decref(line);
}
