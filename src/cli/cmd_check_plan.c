/*
 * cmd_check_plan.c - gpuplan --check-plan FILE: does a saved plan still hold?
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "answer/batch.h"
#include "answer/plan_check.h"
#include "base/path.h"

static void print_check(const struct record *doc, struct strbuf *out)
{
    const struct fact *terms = record_find(doc, "terms"), *gpus = record_find(doc, "gpus");
    const struct fact *broke = record_find(doc, "broke");
    const char *train = record_get(doc, "train"), *reason = record_get(doc, "reason");

    strbuf_add(out, record_get(doc, "status"));
    for (size_t i = 0; i < broke->record_count; i++)
        strbuf_addf(out, "%s%s", i ? ", " : ": ", record_get(&broke->records[i], ""));
    strbuf_addf(out, "\n%s on %.0f x %s, %s%s: %s, was %s%s%s\n", record_get(doc, "model"),
                gpus->number.value, record_get(doc, "gpu"), train[0] ? "--train " : "",
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
    struct record answer, doc; /* the same request, answered now; the check */
    struct strbuf now;
    char *text = NULL;
    size_t len = 0;
    enum gp_status rc;

    strbuf_init(&now);
    record_init(&answer);
    rc = path_read(in->args[0], PLAN_CHECK_BYTES, &text, &len, err);
    if (!rc)
        rc = plan_check_read(in->args[0], text, len, &saved, err);
    if (!rc)
        rc = batch_report(in->planner, &saved.options, in->args[0], false, &answer, err);
    if (!rc) {
        record_json(&answer, &now);
        record_init(&doc);
        plan_check(saved.json, &now, in->args[0], (tolerance->given ? tolerance->number : 5) / 100,
                   &doc);
        command_print(in, &doc, "status", print_check);
        in->exit_code = strcmp(record_get(&doc, "status"), "broke") == 0;
        record_fini(&doc);
    }
    record_fini(&answer);
    strbuf_fini(&now);
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
