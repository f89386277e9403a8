/*
 * request_line.c - see request_line.h.
 */
#include "answer/request_line.h"

#include <jansson.h>
#include <string.h>

#include "answer/compare_run.h"
#include "answer/option.h"
#include "answer/report.h"
#include "base/json.h"
#include "base/path.h"
#include "base/units.h"

#define KEY_MAX 61 /* bytes of a key in an error */

/* ---- reading ---- */

/* Of an option that is numbers with commas between, a number or a list of them as that text;
 * NULL: it is something else. */
static json_t *numbers_text(int id, const json_t *value)
{
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    char text[400] = "";

    if (option_rows[id].type != OPTION_TEXT || option_rows[id].high <= 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_is_array(value) ? json_array_get(value, i) : value;

        if (!json_is_number(one))
            return NULL;
        gp_append(text, sizeof(text), ",", "%.12g", json_number_value(one));
    }
    return text[0] ? json_string(text) : NULL;
}

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
    if (id == OPT_OUT) {
        struct options scratch = {0};

        return !json_is_string(value) ||
               (options_text(&scratch, OPT_OUT, "", json_string_value(value), NULL) == GP_OK &&
                scratch.value[OPT_OUTPUT].given);
    }
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

static enum gp_status request_line_options(const char *place, json_t *request,
                                           struct options *options, struct gp_err *err)
{
    const char *key;
    json_t *value;
    char where[GP_PATH_MAX];
    enum gp_status rc = GP_OK;

    gp_copy(where, sizeof(where), place);
    size_t at = strlen(where), most = sizeof(where) - at;
    json_object_foreach(request, key, value)
    {
        int id = option_find(key);

        if (strcmp(key, "id") == 0)
            continue;
        gp_copy(where + at, most < KEY_MAX ? most : KEY_MAX, key);
        if (id < 0 || !key[1])
            return unknown_key(where, key, err);
        if (!is_request_option(id, value))
            return gp_fail(err, GP_E_USAGE, where, "leave it out", "is not part of a request");
        json_t *numbers = numbers_text(id, value); /* the object owns it, options borrow it */

        if (numbers)
            json_object_set_new(request, key, numbers);
        rc = take_value(options, id, where, numbers ? numbers : value, err);
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

/* ---- saved plans ---- */

/* The newest of an open range ("vllm@0.33+"), a version of a closed one ("vllm@up to 0.7"). */
static json_t *engine_again(const char *text)
{
    int id = (int)strcspn(text, "@");
    const char *version = text + id + (text[id] == '@');

    if (!*version || strchr(version, '+') || strcmp(version, "all versions") == 0)
        return json_sprintf("%.*s", id, text);
    version += strncmp(version, "up to ", 6) == 0 ? 6 : 0;
    return json_sprintf("%.*s@%.*s", id, text, (int)strcspn(version, "-"), version);
}

/* The options that ask for this plan again. */
static json_t *options_again(const json_t *plan)
{
    static const char *const degrees[] = {"pp", "cp", "ep", "tp", "replicas"};
    /* keys of `request` that follow from others, or are set together below */
    static const char apart[] =
        "precision gpu engine output users tp pp ep dp replicas max_pp used lora_rank";
    json_t *request = json_object_get(plan, "request"), *layout = json_object_get(plan, "layout");
    json_t *again = json_object(), *value;
    const char *method = gp_json_text_at(request, "method"), *key;
    bool split = gp_json_number_at(layout, "prefill") > 0;

    json_object_foreach(request, key, value)
    {
        int id = option_find(key);
        bool none = json_is_null(value) || json_is_false(value) || json_number_value(value) == 0;

        if (json_is_string(value))
            none = strcmp(json_string_value(value), "none") == 0;
        if (id < 0 || gp_has_word(apart, " ", key) || (none && !json_is_true(value)))
            continue;
        if (json_is_number(value) && option_rows[id].type == OPTION_TEXT) /* --prune 50 */
            json_object_set_new(again, key, json_sprintf("%.12g", json_number_value(value)));
        else
            json_object_set(again, key, value);
    }
    for (size_t i = json_is_true(gp_json_at(request, "device_map")); i < (split ? 3 : 5); i++)
        if (gp_json_number_at(layout, degrees[i]) > 0)
            json_object_set(again, degrees[i], json_object_get(layout, degrees[i]));
    /* unlike GPUs have their counts in their name */
    const char *gpu = gp_json_text_at(request, "gpu");
    bool counted = gp_json_number_at(layout, "gpus") > 0 && !strchr(gpu, '+');
    json_object_set_new(
        again, "gpu",
        json_sprintf(counted ? "%s:%.0f" : "%s", gpu, gp_json_number_at(layout, "gpus")));
    if (gp_json_number_at(request, "used") > 0)
        json_object_set_new(again, "used",
                            gp_json_number(gp_json_number_at(request, "used") * GP_GIB));
    if (json_is_false(gp_json_at(request, "precision_native")))
        json_object_set(again, "precision", gp_json_at(request, "precision"));
    if (method[0]) { /* what it chose of itself: 0 and "none" are choices, too */
        json_object_set(again, "train", gp_json_at(request, "method"));
        json_object_set(again, "recompute", gp_json_at(request, "recompute"));
        json_object_set(again, "lora_rank", gp_json_at(request, "lora_rank"));
        if (gp_json_number_at(request, "zero") >= 0)
            json_object_set(again, "zero", gp_json_at(request, "zero"));
        return again;
    }
    json_object_set_new(again, "engine", engine_again(gp_json_text_at(request, "engine")));
    json_object_set(again, "output_tokens", gp_json_at(request, "output"));
    if (!(gp_json_number_at(request, "rate") > 0)) /* from which users follow */
        json_object_set(again, "users", gp_json_at(request, "users"));
    if (gp_json_number_at(request, "lora_slots") > 0)
        json_object_set_new(again, "lora",
                            json_sprintf("%.0f:%.0f", gp_json_number_at(request, "lora_slots"),
                                         gp_json_number_at(request, "lora_rank")));
    if (split)
        json_object_set_new(
            again, "disaggregate",
            json_sprintf("%.0fxTP%.0f:%.0fxTP%.0f", gp_json_number_at(layout, "prefill"),
                         gp_json_number_at(layout, "prefill_tp"),
                         gp_json_number_at(layout, "decode"), gp_json_number_at(layout, "tp")));
    return again;
}

enum gp_status request_line_saved(const char *where, const char *text, size_t len,
                                  struct request_line *out, struct gp_err *err)
{
    static const char how[] = "gpuplan --plan --format json -o FILE makes one";
    char place[GP_PATH_MAX];
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    rc = gp_json_parse(where, text, len, &out->json, err);
    if (rc)
        return rc;
    const char *schema = gp_json_text_at(out->json, "schema");
    if (strcmp(schema, "gpuplan.plan/1") != 0 && strcmp(schema, "gpuplan.train/1") != 0)
        return gp_fail(err, GP_E_FILE, where, how,
                       strcmp(schema, "gpuplan.compare/1") == 0
                           ? "is a %s, which does not hold all options of its plans"
                       : schema[0] ? "is a %.60s, not a gpuplan.plan/1 or gpuplan.train/1"
                                   : "is not a saved plan%s",
                       schema);
    if (!gp_json_text_at(out->json, "request.model")[0] ||
        !gp_json_text_at(out->json, "request.gpu")[0])
        return gp_fail(err, GP_E_FILE, where, how, "has no request with a model and a GPU");
    json_t *again = options_again(out->json);
    json_object_set_new(out->json, "again", again); /* its texts are borrowed */
    gp_format(place, sizeof(place), "%.120s: request.", where);
    rc = request_line_options(place, again, &out->options, err);
    return rc ? (err->code = GP_E_FILE) : GP_OK;
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

enum gp_status batch_report(struct planner *planner, const struct options *options,
                            const char *place, bool brief, struct record *doc, struct gp_err *err)
{
    struct answer a;
    struct train_answer t;
    bool why = options_flag(options, OPT_WHY), train = options->value[OPT_TRAIN].given;
    enum gp_status rc;

    if (train)
        rc = planner_train(planner, options, &t, err);
    else
        rc = options_inference(options, "is for --train only", err);
    if (!rc && !train)
        rc = planner_answer(planner, options, &a, err);
    if (rc)
        request_line_place(err, place);
    else if (train)
        report_train(&t, why, doc);
    else
        report_plan(&a, options, why, brief, doc);
    return rc;
}

/* Its plan alone, as gpuplan.row/1. */
static enum gp_status batch_row(struct planner *planner, const struct options *options,
                                const char *place, struct record *doc, struct gp_err *err)
{
    struct answer a;
    enum gp_status rc = options_inference(options, "is for --train only", err);

    if (!rc)
        rc = planner_decide(planner, options, &a, err);
    if (rc) {
        request_line_place(err, place);
        return rc;
    }
    report_begin(doc, "gpuplan.row/1", a.plan.request.data_date);
    record_text(doc, "model", a.plan.request.model->id);
    record_plan_row(doc, &a.plan, true);
    return GP_OK;
}

bool batch_answer(struct planner *planner, const char *where, long line, const char *text,
                  size_t len, bool row, struct strbuf *out)
{
    struct gp_err err = {0};
    struct request_line request;
    struct record doc;
    char place[GP_PATH_MAX];

    planner_between_requests(planner);
    gp_format(place, sizeof(place), "%s:%ld", where, line);
    record_init(&doc);
    enum gp_status rc = request_line_read(where, line, text, len, &request, &err);
    if (!rc && row && !request.options.value[OPT_TRAIN].given)
        rc = batch_row(planner, &request.options, place, &doc, &err);
    else if (!rc)
        rc = batch_report(planner, &request.options, place,
                          !options_flag(&request.options, OPT_WHY), &doc, &err);
    if (rc)
        report_error(&err, &doc);
    const json_t *id = json_object_get(request.json, "id");
    struct strbuf given;
    strbuf_init(&given);
    if (id)
        gp_json_write(id, false, &given);
    record_json_line(&doc, id ? given.text : NULL, out);
    strbuf_fini(&given);
    record_fini(&doc);
    request_line_fini(&request);
    return rc == GP_OK;
}
