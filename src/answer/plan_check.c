/*
 * plan_check.c - see plan_check.h. The file is anybody's.
 */
#include "answer/plan_check.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"

#define SAME_SHARE 1e-6 /* figures are saved with 12 digits */

/* The value at "cost.per_hour"; of a quantity the object. */
static json_t *value_at(const json_t *value, const char *path)
{
    char key[64];

    for (; value && *path; path += strcspn(path, ".") + (path[strcspn(path, ".")] == '.')) {
        gp_format(key, sizeof(key), "%.*s", (int)strcspn(path, "."), path);
        value = json_object_get(value, key);
    }
    return (json_t *)value;
}

static const char *text_at(const json_t *value, const char *path)
{
    const char *text = json_string_value(value_at(value, path));

    return text ? text : "";
}

/* NAN where there is none. */
static double number_at(const json_t *value, const char *path)
{
    const json_t *at = value_at(value, path);
    const json_t *number = json_is_object(at) ? json_object_get(at, "value") : at;

    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* ---- the request that asks it again ---- */

/* "vllm@0.33+" -> "vllm"; "vllm@0.17-0.19", "vllm@up to 0.7" -> a version of it. */
static json_t *engine_again(const char *text)
{
    size_t len = strlen(text), id = strcspn(text, "@");
    const char *version = text + id + (text[id] == '@');

    if (!*version || text[len - 1] == '+' || strcmp(version, "all versions") == 0)
        return json_sprintf("%.*s", (int)id, text);
    version += strncmp(version, "up to ", 6) == 0 ? 6 : 0;
    return json_sprintf("%.*s@%.*s", (int)id, text, (int)strcspn(version, "-"), version);
}

static json_t *ask_again(const json_t *plan, bool train)
{
    static const char *const degrees[] = {"tp", "pp", "cp", "ep", "replicas"};
    /* keys of `request` that follow from others, or are told together below */
    static const char apart[] =
        "precision gpu engine output users tp pp ep dp replicas max_pp used";
    json_t *request = json_object_get(plan, "request"), *layout = json_object_get(plan, "layout");
    json_t *asked = json_object(), *value;
    double gpus = number_at(layout, "gpus"), used = number_at(request, "used");
    bool split = number_at(layout, "prefill") > 0;
    const char *key;

    json_object_foreach(request, key, value)
    {
        int id = option_find(key);
        bool none = json_is_null(value) || json_is_false(value) || json_number_value(value) == 0;

        if (json_is_string(value))
            none = strcmp(json_string_value(value), "none") == 0;
        if (id < 0 || gp_has_word(apart, " ", key) || (none && !json_is_true(value)) ||
            (id == OPT_LORA_RANK && !train))
            continue;
        if (json_is_number(value) && option_rows[id].type == OPTION_TEXT) /* --prune 50 */
            json_object_set_new(asked, key, json_sprintf("%.12g", json_number_value(value)));
        else
            json_object_set(asked, key, value);
    }
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
        if (number_at(layout, degrees[i]) > 0 &&
            !(split && (strcmp(degrees[i], "tp") == 0 || strcmp(degrees[i], "replicas") == 0)) &&
            !(json_is_true(value_at(request, "device_map")) && strcmp(degrees[i], "pp") == 0))
            json_object_set(asked, degrees[i], value_at(layout, degrees[i]));
    if (split)
        json_object_set_new(asked, "disaggregate",
                            json_sprintf("%.0fxTP%.0f:%.0fxTP%.0f", number_at(layout, "prefill"),
                                         number_at(layout, "prefill_tp"),
                                         number_at(layout, "decode"), number_at(layout, "tp")));
    json_object_set_new(asked, "gpu",
                        json_sprintf(gpus > 0 ? "%s:%.0f" : "%s", text_at(request, "gpu"), gpus));
    if (used > 0)
        json_object_set_new(asked, "used", gp_json_number(used * GP_GIB));
    if (json_is_false(value_at(request, "precision_native")))
        json_object_set(asked, "precision", value_at(request, "precision"));
    if (train) { /* what it chose of itself: 0 and "none" are choices, too */
        json_object_set(asked, "train", value_at(request, "method"));
        json_object_set(asked, "recompute", value_at(request, "recompute"));
        if (number_at(request, "zero") >= 0)
            json_object_set(asked, "zero", value_at(request, "zero"));
        return asked;
    }
    json_object_set_new(asked, "engine", engine_again(text_at(request, "engine")));
    json_object_set(asked, "output_tokens", value_at(request, "output"));
    if (!(number_at(request, "rate") > 0)) /* from which users follow */
        json_object_set(asked, "users", value_at(request, "users"));
    if (number_at(request, "lora_slots") > 0)
        json_object_set_new(asked, "lora",
                            json_sprintf("%.0f:%.0f", number_at(request, "lora_slots"),
                                         number_at(request, "lora_rank")));
    return asked;
}

/* It says of its rows what --plan needs to ask them, but not all options that the comparison
 * was asked with: the row is named that would be rented. */
static enum gp_status refuse_comparison(const char *where, const json_t *json, struct gp_err *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789._/+-"; /* may stand in a command that is pasted */
    const json_t *rows = json_object_get(json, "rows"), *row = json_array_get(rows, 0);
    char words[120] = "";

    for (size_t i = json_array_size(rows); i-- > 0;)
        if (json_is_true(json_object_get(json_array_get(rows, i), "front")))
            row = json_array_get(rows, i);
    const char *model = text_at(json, "request.model"), *precision = text_at(row, "precision");
    const char *gpu = text_at(row, "gpu");
    if (model[0] && precision[0] && gpu[0] && !model[strspn(model, plain)] &&
        !precision[strspn(precision, plain)] && !gpu[strspn(gpu, plain)])
        gp_format(words, sizeof(words), "-m %.40s -p %.24s -g %.40s:%d ", model, precision, gpu,
                  (int)number_at(row, "gpus"));
    gp_fail(err, GP_E_FILE, where, "",
            "is a comparison, which does not hold all options of its "
            "plans: save those to watch, a file each");
    gp_format(err->hint, sizeof(err->hint),
              "gpuplan --plan %s... --format json -o FILE, with the options of the comparison",
              words);
    return GP_E_FILE;
}

enum gp_status plan_check_read(const char *where, const char *text, size_t len,
                               struct request_line *out, struct gp_err *err)
{
    char place[GP_PATH_MAX];
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    rc = gp_json_parse(where, text, len, &out->json, err);
    if (rc)
        return rc;
    const char *schema = text_at(out->json, "schema");
    bool train = strcmp(schema, "gpuplan.train/1") == 0;
    if (strcmp(schema, "gpuplan.compare/1") == 0)
        return refuse_comparison(where, out->json, err);
    if (!train && strcmp(schema, "gpuplan.plan/1") != 0)
        return gp_fail(err, GP_E_FILE, where, "gpuplan --plan --format json -o FILE makes one",
                       schema[0] ? "is a %.60s, not a gpuplan.plan/1 or gpuplan.train/1"
                                 : "is not a saved plan%s",
                       schema);
    if (!text_at(out->json, "request.model")[0] || !text_at(out->json, "request.gpu")[0])
        return gp_fail(err, GP_E_FILE, where, "save the plan again",
                       "has no request with a model and a GPU");
    gp_format(place, sizeof(place), "%.120s: request.", where);
    json_t *asked = ask_again(out->json, train);
    json_object_set_new(out->json, "asked", asked); /* its texts are borrowed */
    rc = request_line_options(place, asked, &out->options, err);
    return rc ? (err->code = GP_E_FILE) : GP_OK;
}

/* ---- what changed ---- */

/* The first fact that differs, "engine range: vllm@0.33+, was vllm@0.32+". */
static void add_why(const json_t *saved, const json_t *now, bool price, struct record *out)
{
    static const struct {
        const char *path, *what;
        bool price;
    } causes[] = {
        {"cost.on_demand.instance", "instance", true},
        {"cost.on_demand.date", "date of the price", true},
        {"cost.on_demand.source", "source of the price", true},
        {"request.engine", "engine range", false},
        {"sources.engine_date", "date of the engine's profile", false},
        {"sources.gpu_date", "date of the GPU's profile", false},
        {"sources.model_date", "date of the model's profile", false},
        {"sources.engine", "source of the engine's profile", false},
        {"sources.gpu", "source of the GPU's profile", false},
        {"sources.model", "source of the model's profile", false},
    };
    char text[240];

    gp_copy(text, sizeof(text),
            price ? "a new price" : "new figures of a profile, or a new gpuplan");
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        const char *a = text_at(saved, causes[i].path), *b = text_at(now, causes[i].path);

        if (causes[i].price != price || strcmp(a, b) == 0)
            continue;
        gp_format(text, sizeof(text), "%s: %.90s, was %.90s", causes[i].what, b[0] ? b : "none",
                  a[0] ? a : "none");
        gp_tame(text);
        break;
    }
    record_text(out, "why", text);
}

static void add_term(const json_t *saved, const json_t *now, const char *path, struct record *doc)
{
    double a = number_at(saved, path), b = number_at(now, path);

    if ((isnan(a) && isnan(b)) || fabs(b - a) <= SAME_SHARE * fmax(fabs(a), fabs(b)))
        return;
    struct record *r = record_append(doc, "terms");
    record_text(r, "name", strrchr(path, '.') + 1);
    record_text(r, "unit", text_at(value_at(now, path), "unit"));
    record_quantity(r, "saved", "", isnan(a) ? quantity_unknown() : quantity_exact(a), 1, 2);
    record_quantity(r, "now", "", isnan(b) ? quantity_unknown() : quantity_exact(b), 1, 2);
    record_quantity(r, "change", "%",
                    isnan(a) || isnan(b) || a == 0 ? quantity_unknown()
                                                   : quantity_exact((b - a) / fabs(a) * 100),
                    1, 1);
    add_why(saved, now, strncmp(path, "cost.", 5) == 0, r);
}

static int verdict_rank(const char *status)
{
    return strcmp(status, "does-not-fit") == 0 ? 2 : strcmp(status, "marginal") == 0 ? 1 : 0;
}

void plan_check(const json_t *saved, const struct strbuf *text, const char *file, double tolerance,
                struct record *doc)
{
    json_t *now = NULL;

    gp_json_parse("plan", text->text, text->len, &now, NULL);
    static const char *const memory[] = {"memory.per_gpu", "memory_per_gpu", "memory_per_host"};
    static const char *const figures[] = {
        "memory.max_concurrency",    "speed.ttft",    "speed.tpot",
        "speed.output_tokens_per_s", "cost.per_hour", "cost.per_million_output_tokens"};
    const char *was = text_at(saved, "verdict.status"), *is = text_at(now, "verdict.status");
    double paid = number_at(saved, "cost.per_hour"), pays = number_at(now, "cost.per_hour");
    bool slow = strcmp(is, "slow") == 0 && strcmp(was, "slow") != 0;
    bool money = strcmp(text_at(now, "verdict.limit"), "budget") == 0;
    bool fit = verdict_rank(is) > verdict_rank(was), goal = slow && !money;
    bool budget = (slow && money) || pays > paid * (1 + tolerance) || (!isnan(paid) && isnan(pays));
    bool better = verdict_rank(is) < verdict_rank(was) || pays < paid * (1 - SAME_SHARE);
    const char *reason = json_string_value(json_array_get(value_at(now, "verdict.reasons"), 0));

    record_text(doc, "schema", "gpuplan.check-plan/1");
    record_text(doc, "file", file);
    record_text(doc, "status", fit || goal || budget ? "broke" : better ? "better" : "same");
    record_list(doc, "broke");
    if (fit)
        record_item(doc, "broke", "fit");
    if (goal)
        record_item(doc, "broke", "goal");
    if (budget)
        record_item(doc, "broke", "budget");
    record_text(doc, "model", text_at(now, "request.model_id"));
    record_text(doc, "gpu", text_at(now, "request.gpu"));
    record_count(doc, "gpus", "", number_at(now, "layout.gpus"));
    record_text(doc, "verdict_saved", was);
    record_text(doc, "verdict", is);
    record_text(doc, "train", text_at(now, "request.method"));
    record_text(doc, "engine_saved", text_at(saved, "request.engine"));
    record_text(doc, "engine", text_at(now, "request.engine"));
    record_text(doc, "reason", reason ? reason : "");
    record_list(doc, "terms");
    for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
        const char *key;
        json_t *value;
        char path[96];

        json_object_foreach(value_at(now, memory[i]), key, value)
        {
            gp_format(path, sizeof(path), "%s.%s", memory[i], key);
            add_term(saved, now, path, doc);
        }
    }
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        add_term(saved, now, figures[i], doc);
    json_decref(now);
}
