/*
 * cmd_check_plan.c - gpuplan --check-plan FILE: a saved plan against its request answered today.
 *
 *   fit     it fitted, and is marginal or does not fit; or was marginal and does not fit
 *   goal    a goal of speed was met, and is missed
 *   budget  it costs more than --tolerance more per hour than it did, has no price any
 *           more, or exceeds the budget that was asked for
 */
#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/request_line.h"
#include "base/json.h"
#include "base/path.h"

#define SAME_SHARE 1e-6 /* figures are saved with 12 digits */

static struct quantity quantity_finite(double value)
{
    return isfinite(value) ? quantity_exact(value) : quantity_unknown();
}

/* A figure that changed, and the first fact behind it that did: "engine range: vllm@0.33+, was
 * vllm@0.32+". */
static void add_term(const json_t *saved, const json_t *now, const char *path, struct record *doc)
{
    static const char *const facts[][2] = {
        {"cost.on_demand.instance", "instance"},
        {"cost.on_demand.date", "date of the price"},
        {"cost.on_demand.source", "source of the price"},
        {"request.engine", "engine range"},
        {"sources.engine_date", "date of the engine's profile"},
        {"sources.gpu_date", "date of the GPU's profile"},
        {"sources.model_date", "date of the model's profile"},
        {"sources.engine", "source of the engine's profile"},
        {"sources.gpu", "source of the GPU's profile"},
        {"sources.model", "source of the model's profile"},
    };
    double a = gp_json_number_at(saved, path), b = gp_json_number_at(now, path);
    bool price = strncmp(path, "cost.", 5) == 0;
    char why[240];

    if ((isnan(a) && isnan(b)) || fabs(b - a) <= SAME_SHARE * fmax(fabs(a), fabs(b)))
        return;
    gp_copy(why, sizeof(why), price ? "a new price" : "new figures of a profile, or a new gpuplan");
    for (size_t i = price ? 0 : 3; i < (price ? 3 : sizeof(facts) / sizeof(facts[0])); i++) {
        const char *was = gp_json_text_at(saved, facts[i][0]),
                   *is = gp_json_text_at(now, facts[i][0]);

        if (strcmp(was, is) == 0)
            continue;
        gp_format(why, sizeof(why), "%s: %.90s, was %.90s", facts[i][1], is[0] ? is : "none",
                  was[0] ? was : "none");
        gp_sanitize(why);
        break;
    }
    struct record *r = record_append(doc, "terms");
    record_text(r, "name", strrchr(path, '.') + 1);
    record_text(r, "unit", gp_json_text_at(gp_json_at(now, path), "unit"));
    record_quantity(r, "saved", "", quantity_finite(a), 1, 2);
    record_quantity(r, "now", "", quantity_finite(b), 1, 2);
    record_quantity(r, "change", "%", quantity_finite((b - a) / fabs(a) * 100), 1, 1);
    record_text(r, "why", why);
}

static int verdict_rank(const char *status)
{
    return strcmp(status, "does-not-fit") == 0 ? 2 : strcmp(status, "marginal") == 0 ? 1 : 0;
}

static void compare_plans(const json_t *saved, const json_t *now, double tolerance,
                          struct record *doc)
{
    static const char *const memory[] = {"memory.per_gpu", "memory_per_gpu", "memory_per_host"};
    static const char *const figures[] = {"memory.max_concurrency",
                                          "speed.ttft",
                                          "speed.tpot",
                                          "speed.output_tokens_per_s",
                                          "cost.per_hour",
                                          "cost.per_million_output_tokens",
                                          "speed.prompts_per_s",
                                          "cost.per_million_prompt_tokens"};
    const char *was = gp_json_text_at(saved, "verdict.status"),
               *is = gp_json_text_at(now, "verdict.status"), *key;
    double paid = gp_json_number_at(saved, "cost.per_hour"),
           pays = gp_json_number_at(now, "cost.per_hour");
    bool slow = strcmp(is, "slow") == 0 && strcmp(was, "slow") != 0;
    bool money = strcmp(gp_json_text_at(now, "verdict.limit"), "budget") == 0;
    bool fit = verdict_rank(is) > verdict_rank(was), goal = slow && !money;
    bool budget = (slow && money) || pays > paid * (1 + tolerance) || (!isnan(paid) && isnan(pays));
    bool better = verdict_rank(is) < verdict_rank(was) || pays < paid * (1 - SAME_SHARE);
    const char *reason = json_string_value(json_array_get(gp_json_at(now, "verdict.reasons"), 0));
    json_t *value;
    char path[96];

    record_text(doc, "status", fit || goal || budget ? "broke" : better ? "better" : "same");
    record_list(doc, "broke");
    if (fit)
        record_item(doc, "broke", "fit");
    if (goal)
        record_item(doc, "broke", "goal");
    if (budget)
        record_item(doc, "broke", "budget");
    record_text(doc, "model", gp_json_text_at(now, "request.model_id"));
    record_text(doc, "gpu", gp_json_text_at(now, "request.gpu"));
    record_count(doc, "gpus", "", gp_json_number_at(now, "layout.gpus"));
    record_text(doc, "verdict_saved", was);
    record_text(doc, "verdict", is);
    record_text(doc, "train", gp_json_text_at(now, "request.method"));
    record_text(doc, "engine_saved", gp_json_text_at(saved, "request.engine"));
    record_text(doc, "engine", gp_json_text_at(now, "request.engine"));
    record_text(doc, "reason", reason ? reason : "");
    record_list(doc, "terms");
    for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
        json_object_foreach(gp_json_at(now, memory[i]), key, value)
        {
            gp_format(path, sizeof(path), "%s.%s", memory[i], key);
            add_term(saved, now, path, doc);
        }
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        add_term(saved, now, figures[i], doc);
}

static void print_check(const struct record *doc, struct strbuf *out)
{
    const struct fact *terms = record_find(doc, "terms"), *broke = record_find(doc, "broke");
    const char *train = record_get(doc, "train"), *reason = record_get(doc, "reason");

    strbuf_add(out, record_get(doc, "status"));
    for (size_t i = 0; i < broke->record_count; i++)
        strbuf_addf(out, "%s%s", i ? ", " : ": ", record_get(&broke->records[i], ""));
    strbuf_addf(out, "\n%s on %.0f x %s, %s%s: %s, was %s%s%s\n", record_get(doc, "model"),
                record_number(doc, "gpus"), record_get(doc, "gpu"), train[0] ? "--train " : "",
                train[0] ? train : record_get(doc, "engine"), record_get(doc, "verdict"),
                record_get(doc, "verdict_saved"), reason[0] ? ": " : "", reason);
    if (terms->record_count > 0) {
        strbuf_add(out, "\n");
        record_table(terms->records, terms->record_count, NULL, RECORD_TEXT, out);
    }
}

static enum gp_status run_check_plan(struct invocation *in, struct gp_err *err)
{
    const struct option_value *tolerance = &in->options.value[OPT_TOLERANCE];
    struct request_line saved = {0};
    struct record doc, plan; /* the check; the same request, answered now */
    struct strbuf now_text = STRBUF_EMPTY;
    json_t *now = NULL;
    char *text = NULL;
    size_t len = 0;

    record_init(&doc);
    record_init(&plan);
    enum gp_status rc = path_read(in->args[0], SAVED_PLAN_BYTES, &text, &len, err);
    if (!rc)
        rc = request_line_saved(in->args[0], text, len, &saved, err);
    if (!rc)
        rc = batch_report(in->planner, &saved.options, in->args[0], false, &plan, err);
    if (!rc) {
        record_json(&plan, &now_text);
        rc = gp_json_parse("plan", now_text.text, now_text.len, &now, err);
    }
    if (!rc) {
        record_text(&doc, "schema", "gpuplan.check-plan/1");
        record_text(&doc, "file", in->args[0]);
        compare_plans(saved.json, now, (tolerance->given ? tolerance->number : 5) / 100, &doc);
        command_print(in, &doc, "status", print_check);
        in->exit_code = strcmp(record_get(&doc, "status"), "broke") == 0;
    }
    json_decref(now);
    record_fini(&plan);
    record_fini(&doc);
    strbuf_fini(&now_text);
    request_line_fini(&saved);
    free(text);
    return rc;
}

const struct command cmd_check_plan = {
    .name = "check-plan",
    .usage = "FILE",
    .brief = "plan a saved request again: exit 1 when it no longer fits, or misses a goal or "
             "budget",
    .bit = FOR_CHECK_PLAN,
    .least = 1,
    .most = 1,
    .takes = "one file",
    .example = "gpuplan --plan --format json -o FILE makes one",
    .text = "a check",
    .run = run_check_plan,
};
