/*
 * fuzz_benchlog.c - any bytes as a share, and as a result file; what is accepted is printed in
 * every view, compared with itself and merged, and the merged file must be accepted too.
 */
#include <stdint.h>
#include <stdlib.h>

#include "measure/result/shared.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct benchlog logs[2], again;
    struct benchlog_changes changes;
    struct strbuf out;
    struct gp_err err;
    struct shared shared = {0};
    json_t *json, *warnings;

    shared_parse("fuzz.json", (const char *)data, size, &shared, &err);
    shared_fini(&shared);
    if (benchlog_parse("fuzz.json", (const char *)data, size, &logs[0], &err))
        return 0;
    logs[1] = logs[0];
    strbuf_init(&out);
    for (int view = BENCHLOG_TEXT; view <= BENCHLOG_MARKDOWN; view++)
        benchlog_print(&logs[0], (enum benchlog_view)view, &out);
    benchlog_prometheus(&logs[0], &out);
    benchlog_compare(&logs[0], &logs[1], 0.05, &changes);
    benchlog_changes_print(&changes, BENCHLOG_TEXT, false, &out);
    warnings = benchlog_differences(&logs[0], &logs[1], "a", "b");
    if (json_array_size(warnings))
        abort(); /* from itself */
    json_decref(benchlog_changes_json(&changes, "a", "b", warnings));
    json_decref(warnings);
    if (changes.slower || changes.faster)
        abort(); /* than itself */
    benchlog_changes_fini(&changes);
    json = benchlog_merge(logs, NULL, 1);
    if (benchlog_from_json("merged", json, &again, &err))
        abort(); /* what we write, we read */
    benchlog_fini(&again);
    json_decref(json);
    strbuf_fini(&out);
    benchlog_fini(&logs[0]);
    return 0;
}
