/*
 * plan_check.c - see plan_check.h.
 */
#include "answer/plan_check.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"

/* What is compared: the place in gpuplan.plan/1 or gpuplan.train/1, and what a change of it
 * comes from. */
static const struct {
    const char *name, *path;
    bool price;
} rows[] = {
    {"usable", "memory.per_gpu.usable", false},
    {"budget", "memory.per_gpu.budget", false},
    {"weights", "memory.per_gpu.weights", false},
    {"activation", "memory.per_gpu.activation", false},
    {"non_torch", "memory.per_gpu.non_torch", false},
    {"graphs", "memory.per_gpu.graphs", false},
    {"kv_pool", "memory.per_gpu.kv_pool", false},
    {"kv_needed", "memory.per_gpu.kv_needed", false},
    {"free", "memory.per_gpu.free", false},
    {"usable", "memory_per_gpu.usable", false},
    {"weights", "memory_per_gpu.weights", false},
    {"adapters", "memory_per_gpu.adapters", false},
    {"modules", "memory_per_gpu.modules", false},
    {"gradients", "memory_per_gpu.gradients", false},
    {"master", "memory_per_gpu.master", false},
    {"optimizer", "memory_per_gpu.optimizer", false},
    {"activations", "memory_per_gpu.activations", false},
    {"logits", "memory_per_gpu.logits", false},
    {"live_layer", "memory_per_gpu.live_layer", false},
    {"step", "memory_per_gpu.step", false},
    {"buffers", "memory_per_gpu.buffers", false},
    {"fragmentation", "memory_per_gpu.fragmentation", false},
    {"context", "memory_per_gpu.context", false},
    {"free", "memory_per_gpu.free", false},
    {"offloaded", "memory_per_host.offloaded", false},
    {"max_concurrency", "memory.max_concurrency", false},
    {"ttft", "speed.ttft", false},
    {"tpot", "speed.tpot", false},
    {"output_tokens_per_s", "speed.output_tokens_per_s", false},
    {"per_hour", "cost.per_hour", true},
    {"per_million_output_tokens", "cost.per_million_output_tokens", true},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

#define SAME_SHARE 1e-6 /* figures are saved with 12 digits */

static const json_t *at_path(const json_t *value, const char *path)
{
    char key[64];

    while (value && *path) {
        size_t len = strcspn(path, ".");

        gp_format(key, sizeof(key), "%.*s", (int)len, path);
        value = json_object_get(value, key);
        path += len + (path[len] == '.');
    }
    return value;
}

static const char *text_at(const json_t *value, const char *path)
{
    const char *text = json_string_value(at_path(value, path));

    return text ? text : "";
}

/* NAN where there is none. */
static double value_at(const json_t *plan, const char *path)
{
    const json_t *quantity = at_path(plan, path);
    const json_t *value = json_is_object(quantity) ? json_object_get(quantity, "value") : quantity;

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- why ---- */

/* The first fact that differs: "vLLM 0.32+ -> 0.33+". */
static bool moved(const json_t *saved, const json_t *now, const char *path, const char *what,
                  char *text, size_t size)
{
    const char *a = text_at(saved, path), *b = text_at(now, path);

    if (strcmp(a, b) == 0)
        return false;
    gp_format(text, size, "%s: %.90s, was %.90s", what, b[0] ? b : "none", a[0] ? a : "none");
    gp_tame(text);
    return true;
}

static void why_of(const json_t *saved, const json_t *now, bool price, char *text, size_t size)
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

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (causes[i].price <= price && causes[i].price == price &&
            moved(saved, now, causes[i].path, causes[i].what, text, size))
            return;
    gp_copy(text, size, price ? "a new price" : "new figures of a profile, or a new gpuplan");
}

/* ---- terms ---- */

static bool differs(double saved, double now)
{
    if (isnan(saved) || isnan(now))
        return isnan(saved) != isnan(now);
    return fabs(now - saved) > SAME_SHARE * fmax(fabs(saved), fabs(now));
}

static void record_terms(const json_t *saved, const json_t *now, struct record *doc)
{
    record_list(doc, "terms");
    for (size_t i = 0; i < ROWS; i++) {
        double a = value_at(saved, rows[i].path), b = value_at(now, rows[i].path);
        char why[240];

        if (!differs(a, b))
            continue;
        struct record *r = record_append(doc, "terms");
        why_of(saved, now, rows[i].price, why, sizeof(why));
        record_text(r, "name", rows[i].name);
        record_text(r, "unit", text_at(at_path(now, rows[i].path), "unit"));
        record_quantity(r, "saved", "", isnan(a) ? quantity_unknown() : quantity_exact(a), 1, 2);
        record_quantity(r, "now", "", isnan(b) ? quantity_unknown() : quantity_exact(b), 1, 2);
        record_quantity(r, "change", "%",
                        isnan(a) || isnan(b) || a == 0 ? quantity_unknown()
                                                       : quantity_exact((b - a) / fabs(a) * 100),
                        1, 1);
        record_text(r, "why", why);
    }
}

/* ---- the verdict ---- */

static int rank(const char *status)
{
    return strcmp(status, "does-not-fit") == 0 ? 2 : strcmp(status, "marginal") == 0 ? 1 : 0;
}

struct broken {
    bool fit, goal, budget, better;
};

static struct broken compare(const json_t *saved, const json_t *now, double tolerance)
{
    const char *was = text_at(saved, "verdict.status"), *is = text_at(now, "verdict.status");
    double paid = value_at(saved, "cost.per_hour"), pays = value_at(now, "cost.per_hour");
    bool slow = strcmp(is, "slow") == 0 && strcmp(was, "slow") != 0;
    bool money = strcmp(text_at(now, "verdict.limit"), "budget") == 0;
    struct broken b = {
        .fit = rank(is) > rank(was),
        .goal = slow && !money,
        .budget = (slow && money) || pays > paid * (1 + tolerance) || (!isnan(paid) && isnan(pays)),
        .better = rank(is) < rank(was) || pays < paid * (1 - SAME_SHARE),
    };

    return b;
}

static void record_broke(const struct broken *b, struct record *doc)
{
    record_list(doc, "broke");
    if (b->fit)
        record_item(doc, "broke", "fit");
    if (b->goal)
        record_item(doc, "broke", "goal");
    if (b->budget)
        record_item(doc, "broke", "budget");
}

void plan_check(const json_t *saved, const struct strbuf *text, const char *file, double tolerance,
                struct record *doc, bool *broke)
{
    json_t *now = NULL;

    gp_json_parse("plan", text->text, text->len, &now, NULL);
    struct broken b = compare(saved, now, tolerance);
    const json_t *reasons = at_path(now, "verdict.reasons");
    const char *reason = json_string_value(json_array_get(reasons, 0));

    *broke = b.fit || b.goal || b.budget;
    record_text(doc, "schema", "gpuplan.check-plan/1");
    record_text(doc, "file", file);
    record_text(doc, "status", *broke ? "broke" : b.better ? "better" : "same");
    record_broke(&b, doc);
    record_text(doc, "model", text_at(now, "request.model_id"));
    record_text(doc, "gpu", text_at(now, "request.gpu"));
    record_count(doc, "gpus", "", value_at(now, "layout.gpus"));
    record_text(doc, "verdict_saved", text_at(saved, "verdict.status"));
    record_text(doc, "verdict", text_at(now, "verdict.status"));
    record_text(doc, "train", text_at(now, "request.method"));
    record_text(doc, "engine_saved", text_at(saved, "request.engine"));
    record_text(doc, "engine", text_at(now, "request.engine"));
    record_text(doc, "reason", reason ? reason : "");
    record_terms(saved, now, doc);
    json_decref(now);
}

/* ---- text ---- */

static void print_broke(const struct record *doc, struct strbuf *out)
{
    const struct fact *list = record_find(doc, "broke");

    for (size_t i = 0; list && i < list->record_count; i++)
        strbuf_addf(out, "%s%s", i ? ", " : ": ", record_get(&list->records[i], ""));
}

void plan_check_text(const struct record *doc, struct strbuf *out)
{
    const struct fact *terms = record_find(doc, "terms");

    const struct fact *gpus = record_find(doc, "gpus");
    char train[40];

    gp_format(train, sizeof(train), record_get(doc, "train")[0] ? "--train %.20s" : "%s",
              record_get(doc, "train"));
    strbuf_addf(out, "%s", record_get(doc, "status"));
    print_broke(doc, out);
    strbuf_addf(out, "\n%s on %.0f x %s, %s: %s, was %s%s%s\n", record_get(doc, "model"),
                gpus ? gpus->number.value : 0, record_get(doc, "gpu"),
                train[0] ? train : record_get(doc, "engine"), record_get(doc, "verdict"),
                record_get(doc, "verdict_saved"), record_get(doc, "reason")[0] ? ": " : "",
                record_get(doc, "reason"));
    if (terms && terms->record_count > 0) {
        strbuf_add(out, "\n");
        record_table(terms->records, terms->record_count, NULL, RECORD_TEXT, out);
    }
}
