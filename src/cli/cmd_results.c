/*
 * cmd_results.c - gpuplan --compare-results FILE...: result files of --bench.
 *
 * Of two, the second against the first, point by point. Of more (the hosts of a cluster), or of one
 * alone, all devices in one document, and those that lag behind their like.
 */
#include <string.h>

#include "base/json.h"
#include "base/say.h"
#include "cli/bench_print.h"
#include "cli/command.h"
#include "measure/result/benchlog.h"

/* In front of what is printed; where a table for programs has no room for them, on
 * standard error. */
static void print_warnings(const struct invocation *in, const json_t *warnings, struct strbuf *out)
{
    bool aside = in->format == OUTPUT_CSV || in->format == OUTPUT_PROMETHEUS;

    for (size_t i = 0; i < json_array_size(warnings) && aside; i++)
        log_line("gpuplan: warning: %s", benchlog_line(json_array_get(warnings, i)));
    if (!aside)
        bench_print_lines(warnings, "warning: ", in->format == OUTPUT_MARKDOWN, out);
    if (json_array_size(warnings) && in->format == OUTPUT_MARKDOWN)
        strbuf_add(out, "\n");
}

static bool compare_two(struct invocation *in, const struct benchlog logs[2])
{
    double tolerance = options_or(&in->options, OPT_TOLERANCE, 5) / 100;
    json_t *warnings = benchlog_differences(&logs[0], &logs[1], "A", "B"), *json;
    struct benchlog_changes changes;

    benchlog_compare(&logs[0], &logs[1], tolerance, &changes);
    if (in->format == OUTPUT_JSON) {
        json = benchlog_changes_json(&changes, in->args[0], in->args[1], warnings);
        gp_json_write(json, true, &in->out);
        json_decref(json);
    } else {
        print_warnings(in, warnings, &in->out);
        benchlog_changes_print(&changes, bench_view(in->format), in->quiet, &in->out);
    }
    json_decref(warnings);
    bool confirmed = benchlog_confirmed(&changes);
    if (!confirmed && in->format == OUTPUT_TEXT && !options_flag(&in->options, OPT_STRICT))
        strbuf_add(&in->out, "exit code 0 all the same: with --strict it is 5\n");
    benchlog_changes_fini(&changes);
    return confirmed;
}

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
        strbuf_addf(out, "%s: device %ld", host[0] ? host : "a host without a name",
                    log->device[i].id);
        for (int d = i + 1; d < log->device_count; d++)
            if (strcmp(log->device[d].host, host) == 0)
                strbuf_addf(out, ", %ld", log->device[d].id);
        strbuf_add(out, "\n");
    }
}

static enum gp_status side_by_side(struct invocation *in, const struct benchlog *logs, int count,
                                   bool *agree, struct gp_err *err)
{
    enum gp_status rc = benchlog_mergeable(logs, in->args, count, err);
    json_t *json = rc ? NULL : benchlog_merge(logs, in->args, count);
    struct benchlog all = {0};

    if (!rc)
        rc = benchlog_from_json("the files together", json, &all, err);
    bool news = all.device_count > 1 && in->format == OUTPUT_TEXT && !in->verbose;
    if (!rc && in->format == OUTPUT_JSON) {
        gp_json_write(json, true, &in->out);
    } else if (!rc) {
        print_warnings(in, json_object_get(json, "warnings"), &in->out);
        if (news)
            bench_stragglers(json, &in->out);
        if (in->format == OUTPUT_PROMETHEUS)
            benchlog_prometheus(&all, &in->out);
        else if (news && !in->quiet)
            benchlog_print_news(&all, &in->out);
        else if (in->format != OUTPUT_TEXT || !in->quiet)
            benchlog_print(&all, bench_view(in->format), &in->out);
    }
    if (!rc && in->format == OUTPUT_TEXT) {
        bench_print_lines(json_object_get(json, "summary"), "", false, &in->out);
        strbuf_addf(&in->out, "%d devices, %d points\n", all.device_count, all.count);
        print_hosts(&all, &in->out);
        if (!news)
            bench_stragglers(json, &in->out);
    }
    *agree = json_array_size(json_object_get(json, "stragglers")) == 0;
    benchlog_fini(&all);
    json_decref(json);
    return rc;
}

static enum gp_status run_compare(struct invocation *in, struct gp_err *err)
{
    bool to_file = strcmp(options_word(&in->options, OPT_OUT, "-"), "-") != 0, agree = true;
    struct benchlog logs[INVOCATION_MAX_ARGS];
    enum gp_status rc = GP_OK;
    int n = 0;

    if (to_file && !in->options.value[OPT_FORMAT].given)
        in->format = OUTPUT_JSON; /* a file is for keeping: the record and not a table */
    for (; n < in->arg_count && !rc; n++)
        rc = benchlog_read(in->args[n], &logs[n], err);
    if (!rc && n == 2 && in->format == OUTPUT_PROMETHEUS)
        rc = gp_fail(err, GP_E_USAGE, "--format", "text, json, csv or markdown",
                     "two files are compared: prometheus is for one, or many");
    else if (!rc && n == 2)
        agree = compare_two(in, logs);
    else if (!rc)
        rc = side_by_side(in, logs, n, &agree, err);
    if (!rc && !agree && options_flag(&in->options, OPT_STRICT))
        in->exit_code = gp_status_exit(GP_E_CHECK);
    for (int i = 0; i < n; i++)
        benchlog_fini(&logs[i]);
    return rc;
}

const struct command cmd_compare_results = {
    .name = "compare-results",
    .usage = "FILE... [OPTION]...",
    .brief = "result files of --bench: two point by point, more with devices that lag",
    .bit = FOR_COMPARE_RESULTS,
    .least = 1,
    .most = INVOCATION_MAX_ARGS,
    .takes = "result files",
    .example = "A B, the reference first",
    .run = run_compare,
};
