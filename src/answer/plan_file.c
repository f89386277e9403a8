/*
 * plan_file.c - see plan_file.h. The file is anybody's.
 */
#include "answer/plan_file.h"

#include <jansson.h>
#include <string.h>

#include "answer/request_line.h"
#include "base/json.h"
#include "base/units.h"

/* Keys of `request` that are no option of their own: they follow from others, or are told
 * together below. */
static const char *const apart[] = {
    "model_id",     "precision_native",
    "gpu",          "gpu_count",
    "gpu_from",     "engine",
    "output",       "tp",
    "pp",           "ep",
    "dp",           "replicas",
    "max_pp",       "used",
    "lora_slots",   "lora_rank",
    "model_origin", "beyond_context",
    "precision",    "users",
    "calibrated",   "uncalibrated",
    "logged",       "unlogged",
};

static bool is_apart(const char *key)
{
    for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
        if (strcmp(key, apart[i]) == 0)
            return true;
    return false;
}

/* The options as they are gathered. */
struct reading {
    struct plan_file *out;
    const json_t *request, *layout;
    bool train;
    const char *where;
    struct gp_err *err;
};

static enum gp_status set_text(const struct reading *r, enum option_id id, const char *text)
{
    char place[sizeof(r->err->where)];

    gp_format(place, sizeof(place), "%.120s: request.%s", r->where, option_rows[id].name);
    return options_text(&r->out->options, id, place, text, r->err);
}

static enum gp_status set_number(const struct reading *r, enum option_id id, double number)
{
    char place[sizeof(r->err->where)];

    gp_format(place, sizeof(place), "%.120s: request.%s", r->where, option_rows[id].name);
    return options_number(&r->out->options, id, place, number, r->err);
}

/* Null, false and a number of 0 where the option takes none are defaults. */
static enum gp_status take_key(const struct reading *r, const char *key, const json_t *value)
{
    bool adapters = r->train && strcmp(key, "lora_rank") == 0;
    int found = is_apart(key) && !adapters ? -1 : option_find(key);
    enum option_id id = (enum option_id)found;

    if (found < 0 || !key[1] || !(option_rows[id].commands & FOR_PLAN))
        return GP_OK;
    if (json_is_true(value) && option_rows[id].type == OPTION_FLAG)
        return set_text(r, id, "");
    if (json_is_string(value) && strcmp(json_string_value(value), "none") != 0)
        return set_text(r, id, json_string_value(value));
    if (json_is_number(value) && json_number_value(value) != 0 &&
        option_rows[id].type == OPTION_TEXT) { /* --prune 50 */
        gp_format(r->out->number, sizeof(r->out->number), "%.12g", json_number_value(value));
        return set_text(r, id, r->out->number);
    }
    if (json_is_number(value) && json_number_value(value) != 0)
        return set_number(r, id, json_number_value(value));
    return GP_OK;
}

static enum gp_status take_keys(const struct reading *r)
{
    enum gp_status rc = GP_OK;
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)r->request, key, value)
    {
        rc = take_key(r, key, value);
        if (rc)
            return rc;
    }
    return rc;
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* What was chosen stays chosen. */
static enum gp_status take_layout(const struct reading *r)
{
    static const struct {
        const char *key;
        enum option_id option;
    } rows[] = {
        {"tp", OPT_TP}, {"pp", OPT_PP}, {"cp", OPT_CP}, {"ep", OPT_EP}, {"replicas", OPT_REPLICAS}};
    bool split = number_of(r->layout, "prefill") > 0;
    bool series = json_is_true(json_object_get(r->request, "device_map"));
    enum gp_status rc = GP_OK;
    double gpus = number_of(r->layout, "gpus");

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !rc; i++)
        if (number_of(r->layout, rows[i].key) > 0 &&
            !(split && (rows[i].option == OPT_TP || rows[i].option == OPT_REPLICAS)) &&
            !(series && rows[i].option == OPT_PP)) /* its GPUs say it */
            rc = set_number(r, rows[i].option, number_of(r->layout, rows[i].key));
    if (split) /* its TPs and replicas are told together */
        gp_format(r->out->split, sizeof(r->out->split), "%.0fxTP%.0f:%.0fxTP%.0f",
                  number_of(r->layout, "prefill"), number_of(r->layout, "prefill_tp"),
                  number_of(r->layout, "decode"), number_of(r->layout, "tp"));
    if (split && !rc)
        rc = set_text(r, OPT_DISAGGREGATE, r->out->split);
    gp_format(r->out->gpu, sizeof(r->out->gpu), gpus > 0 && gpus <= 1e6 ? "%.80s:%.0f" : "%.80s",
              text_of(r->request, "gpu"), gpus);
    return rc ? rc : set_text(r, OPT_GPU, r->out->gpu);
}

/* "vllm@0.33+" -> "vllm"; "vllm@0.17-0.19", "vllm@up to 0.7" -> a version of it. */
static enum gp_status take_engine(const struct reading *r)
{
    const char *text = text_of(r->request, "engine"), *at = strchr(text, '@');
    size_t len = strlen(text), id = at ? (size_t)(at - text) : len;
    bool closed = at && text[len - 1] != '+' && strcmp(at, "@all versions") != 0;
    const char *version = at && strncmp(at, "@up to ", 7) == 0 ? at + 7 : at ? at + 1 : "";

    gp_format(r->out->engine, sizeof(r->out->engine), "%.*s%s%.*s", (int)(id < 24 ? id : 24), text,
              closed ? "@" : "", closed ? (int)(strcspn(version, "-") % 16) : 0, version);
    return set_text(r, OPT_ENGINE, r->out->engine);
}

/* Of both kinds. */
static enum gp_status take_memory(const struct reading *r)
{
    double used = number_of(json_object_get(r->request, "used"), "value");
    enum gp_status rc = used > 0 ? set_number(r, OPT_USED, used * GP_GIB) : GP_OK;

    if (!rc && json_is_false(json_object_get(r->request, "precision_native")))
        rc = set_text(r, OPT_PRECISION, text_of(r->request, "precision"));
    return rc;
}

/* Users follow from a rate. */
static enum gp_status take_load(const struct reading *r)
{
    enum gp_status rc = set_number(r, OPT_OUTPUT, number_of(r->request, "output"));
    double slots = number_of(r->request, "lora_slots");

    if (!rc && number_of(r->request, "rate") <= 0)
        rc = set_number(r, OPT_USERS, number_of(r->request, "users"));
    gp_format(r->out->lora, sizeof(r->out->lora), "%.0f:%.0f", slots,
              number_of(r->request, "lora_rank"));
    return !rc && slots > 0 ? set_text(r, OPT_LORA, r->out->lora) : rc;
}

/* What --train chose of itself: 0 and "none" are choices, too. A refused layout has none. */
static enum gp_status take_train(const struct reading *r)
{
    const json_t *zero = json_object_get(r->request, "zero");
    enum gp_status rc = set_text(r, OPT_TRAIN, text_of(r->request, "method"));

    if (!rc && json_is_number(zero) && json_number_value(zero) >= 0)
        rc = set_number(r, OPT_ZERO, json_number_value(zero));
    return rc ? rc : set_text(r, OPT_RECOMPUTE, text_of(r->request, "recompute"));
}

/* May it stand in a command that somebody pastes? */
static bool is_plain(const char *text)
{
    return text[0] && text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789._/+-")] == '\0';
}

/* It says of its rows what --plan needs to ask them, but not all options that the comparison
 * was asked with: the row is named that would be rented. */
static enum gp_status comparison(const char *where, const json_t *json, struct gp_err *err)
{
    const json_t *rows = json_object_get(json, "rows"), *row = json_array_get(rows, 0), *at;
    char command[200];
    size_t i;

    json_array_foreach(rows, i, at)
    {
        if (json_is_true(json_object_get(at, "front"))) {
            row = at;
            break;
        }
    }
    const char *model = text_of(json_object_get(json, "request"), "model");
    const char *precision = text_of(row, "precision"), *gpu = text_of(row, "gpu");
    gp_copy(command, sizeof(command), "gpuplan --plan ... --format json -o FILE");
    if (is_plain(model) && is_plain(precision) && is_plain(gpu))
        gp_format(command, sizeof(command),
                  "gpuplan --plan -m %.40s -p %.24s -g %.40s:%d ... --format json -o FILE", model,
                  precision, gpu, (int)json_integer_value(json_object_get(row, "gpus")));
    gp_fail(err, GP_E_FILE, where, "",
            "is a comparison, which does not hold all options of its "
            "plans: save those to watch, a file each");
    if (err)
        gp_format(err->hint, sizeof(err->hint), "%s, with the options of the comparison", command);
    return GP_E_FILE;
}

static enum gp_status foreign(const char *where, const char *schema, struct gp_err *err)
{
    return gp_fail(err, GP_E_FILE, where, "gpuplan --plan --format json -o FILE makes one",
                   schema[0] ? "is a %.60s, not a gpuplan.plan/1 or gpuplan.train/1"
                             : "is not a saved plan%s",
                   schema);
}

enum gp_status plan_file_read(const char *where, const char *text, size_t len,
                              struct plan_file *out, struct gp_err *err)
{
    struct reading r = {.out = out, .where = where, .err = err};
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    rc = gp_json_parse(where, text, len, &out->json, err);
    if (rc)
        return rc;
    const char *schema = text_of(out->json, "schema");
    r.request = json_object_get(out->json, "request");
    r.layout = json_object_get(out->json, "layout");
    r.train = strcmp(schema, "gpuplan.train/1") == 0;
    if (strcmp(schema, "gpuplan.compare/1") == 0)
        return comparison(where, out->json, err);
    if (!r.train && strcmp(schema, "gpuplan.plan/1") != 0)
        return foreign(where, schema, err);
    if (!text_of(r.request, "model")[0] || !text_of(r.request, "gpu")[0])
        return gp_fail(err, GP_E_FILE, where, "save the plan again",
                       "has no request with a model and a GPU");
    rc = take_keys(&r);
    if (!rc)
        rc = take_layout(&r);
    if (!rc)
        rc = take_memory(&r);
    if (!rc)
        rc = r.train ? take_train(&r) : take_engine(&r);
    if (!rc && !r.train)
        rc = take_load(&r);
    if (rc && err)
        err->code = GP_E_FILE;
    return rc ? GP_E_FILE : GP_OK;
}

void plan_file_fini(struct plan_file *file)
{
    json_decref(file->json);
    file->json = NULL;
}
