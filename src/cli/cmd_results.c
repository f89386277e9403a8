/*
 * cmd_results.c - gpuplan --compare-results A B and gpuplan --merge FILE...
 *
 * Compare reads the first file as the reference; merge makes one file of many hosts' and names the
 * devices that lag behind their like.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/say.h"
#include "cli/bench_print.h"
#include "cli/command.h"
#include "measure/result/benchlog.h"

/* A file is for keeping, so without --format it is the record and not a table. */
static void choose_format(struct invocation *in)
{
    if (!in->options.value[OPT_FORMAT].given && options_flag(&in->options, OPT_OUT) &&
        strcmp(options_word(&in->options, OPT_OUT, "-"), "-") != 0)
        in->format = OUTPUT_JSON;
}

/* ---- --compare-results ---- */

/* In front of what is printed; where a table for programs has no room for them, on standard
 * error. */
static void print_warnings(const struct invocation *in, const json_t *warnings, struct strbuf *out)
{
    const json_t *line;
    size_t i;

    json_array_foreach(warnings, i, line) if (in->format == OUTPUT_CSV)
        gp_say("gpuplan: warning: %s", benchlog_line(line));
    else strbuf_addf(out, "%swarning: %s\n", in->format == OUTPUT_MARKDOWN ? "- " : "",
                     benchlog_line(line));
    if (json_array_size(warnings) && in->format == OUTPUT_MARKDOWN)
        strbuf_add(out, "\n");
}

static void print_changes(struct invocation *in, const struct benchlog_changes *changes,
                          json_t *warnings)
{
    json_t *json;

    if (in->format != OUTPUT_JSON) {
        print_warnings(in, warnings, &in->out);
        benchlog_changes_print(changes, bench_view(in->format), &in->out);
        return;
    }
    json = benchlog_changes_json(changes, in->args[0], in->args[1], warnings);
    gp_json_write(json, true, &in->out);
    json_decref(json);
}

static enum gp_status compare_run(struct invocation *in, struct gp_err *err)
{
    const struct option_value *given = &in->options.value[OPT_TOLERANCE];
    double tolerance = given->given ? given->number / 100 : 0.05;
    struct benchlog a, b;
    struct benchlog_changes changes;
    enum gp_status rc;
    json_t *warnings;

    choose_format(in);
    if (in->arg_count != 2)
        return gp_fail(err, GP_E_USAGE, "--compare-results", "A B, the reference first",
                       "takes two result files");
    if ((rc = benchlog_read(in->args[0], &a, err)) != GP_OK)
        return rc;
    if ((rc = benchlog_read(in->args[1], &b, err)) != GP_OK) {
        benchlog_fini(&a);
        return rc;
    }
    benchlog_compare(&a, &b, tolerance, &changes);
    warnings = benchlog_differences(&a, &b, "A", "B");
    print_changes(in, &changes, warnings);
    json_decref(warnings);
    if (options_flag(&in->options, OPT_STRICT) && !benchlog_confirmed(&changes))
        in->exit_code = gp_status_exit(GP_E_CHECK);
    benchlog_changes_fini(&changes);
    benchlog_fini(&a);
    benchlog_fini(&b);
    return GP_OK;
}

const struct command cmd_compare_results = {
    .name = "compare-results",
    .usage = "A B [OPTION]...",
    .brief = "two result files of --bench, point by point, regressions marked",
    .bit = FOR_COMPARE_RESULTS,
    .run = compare_run,
};

/* ---- --merge ---- */

/* "node1: devices 0, 1": each host once, in the order of its first device. */
static void print_hosts(const struct benchlog *log, struct strbuf *out)
{
    for (int i = 0; i < log->device_count; i++) {
        const char *host = log->device[i].host;
        int first = 0;

        while (strcmp(log->device[first].host, host) != 0)
            first++;
        if (first < i)
            continue;
        for (int d = i; d < log->device_count; d++)
            if (strcmp(log->device[d].host, host) == 0)
                strbuf_addf(out, "%s%s%ld",
                            d > i     ? ""
                            : host[0] ? host
                                      : "a host without a name",
                            d > i ? ", " : ": device ", log->device[d].id);
        strbuf_add(out, "\n");
    }
}

static void print_text(const struct benchlog *log, struct strbuf *out)
{
    const json_t *one;
    size_t i;

    benchlog_print(log, BENCHLOG_TEXT, out);
    json_array_foreach(json_object_get(log->json, "summary"), i, one)
        strbuf_addf(out, "%s\n", json_string_value(one));
    strbuf_addf(out, "%d devices, %d points\n", log->device_count, log->count);
    print_hosts(log, out);
    bench_stragglers(log->json, out);
}

static enum gp_status print_merged(struct invocation *in, json_t *json, struct gp_err *err)
{
    struct benchlog log;
    enum gp_status rc = benchlog_from_json("the merged result", json, &log, err);

    if (rc)
        return rc;
    if (in->format != OUTPUT_JSON)
        print_warnings(in, json_object_get(json, "warnings"), &in->out);
    if (in->format == OUTPUT_JSON)
        gp_json_write(json, true, &in->out);
    else if (in->format == OUTPUT_TEXT)
        print_text(&log, &in->out);
    else
        benchlog_print(&log, bench_view(in->format), &in->out);
    benchlog_fini(&log);
    return GP_OK;
}

static enum gp_status merge_run(struct invocation *in, struct gp_err *err)
{
    struct benchlog *logs;
    enum gp_status rc = GP_OK;
    int n = 0;

    choose_format(in);
    if (in->arg_count < 1)
        return gp_fail(err, GP_E_USAGE, "--merge", "FILE...", "takes result files");
    logs = gp_calloc((size_t)in->arg_count, sizeof(*logs));
    for (; n < in->arg_count && !rc; n++)
        rc = benchlog_read(in->args[n], &logs[n], err);
    if (!rc)
        rc = benchlog_mergeable(logs, in->args, n, err);
    if (!rc) {
        json_t *json = benchlog_merge(logs, in->args, n);

        rc = print_merged(in, json, err);
        if (options_flag(&in->options, OPT_STRICT) &&
            json_array_size(json_object_get(json, "stragglers")) > 0)
            in->exit_code = gp_status_exit(GP_E_CHECK);
        json_decref(json);
    }
    for (int i = 0; i < n; i++)
        benchlog_fini(&logs[i]);
    free(logs);
    return rc;
}

const struct command cmd_merge = {
    .name = "merge",
    .usage = "FILE... [OPTION]...",
    .brief = "merge result files of many hosts; names devices more than 3 % slower",
    .bit = FOR_MERGE,
    .run = merge_run,
};
