/*
 * benchlog_merge.c - the result files of many hosts as one; see benchlog.h.
 */
#include "measure/result/benchlog.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static json_t *renumbered(const json_t *json, const char *key, int number)
{
    json_t *copy = json_copy((json_t *)json);

    json_object_set_new(copy, key, json_integer(number));
    return copy;
}

static const char *worst(const struct benchlog *logs, int count)
{
    const char *status = "complete";

    for (int i = 0; i < count; i++)
        if (strcmp(logs[i].status, "failed") == 0)
            return "failed";
        else if (strcmp(logs[i].status, "interrupted") == 0)
            status = "interrupted";
    return status;
}

static void take_log(const struct benchlog *log, int base, json_t *devices, json_t *points)
{
    const json_t *list = json_object_get(log->json, "devices");

    for (int d = 0; d < log->device_count; d++) {
        json_t *device = renumbered(json_array_get(list, (size_t)d), "id", base + d);

        json_object_set_new(device, "host", gp_json_text(log->device[d].host));
        if (!json_object_get(device, "run_id")) /* of one that was merged before */
            json_object_set(device, "run_id", json_object_get(log->json, "run_id"));
        json_array_append_new(devices, device);
    }
    for (int i = 0; i < log->count; i++)
        json_array_append_new(
            points, renumbered(log->point[i].json, "device", base + log->point[i].device));
}

static json_t *host_of(const struct benchlog *log)
{
    json_t *from = json_object();

    json_object_set_new(from, "name", gp_json_text(log->host));
    json_object_set_new(from, "status", gp_json_text(log->status));
    json_object_set_new(from, "started", gp_json_text(log->started));
    json_object_set(from, "run_id", json_object_get(log->json, "run_id"));
    json_object_set(from, "host", json_object_get(log->json, "host"));
    json_object_set(from, "software", json_object_get(log->json, "software"));
    json_object_set(from, "settings", json_object_get(log->json, "settings"));
    return from;
}

/* Of a file that was merged before, its hosts; so that each run stays named. */
static void add_hosts(const struct benchlog *log, json_t *hosts)
{
    const json_t *before = json_object_get(log->json, "hosts");

    if (json_array_size(before) > 0)
        json_array_extend(hosts, (json_t *)before);
    else
        json_array_append_new(hosts, host_of(log));
}

static void add_head(const struct benchlog *logs, const char *const *names, int count, json_t *json)
{
    json_t *host = json_object();
    char id[40];

    benchlog_merged_id(logs, count, id, sizeof id);
    json_object_set_new(json, "schema", json_string(BENCHLOG_SCHEMA));
    json_object_set(json, "method_version", json_object_get(logs[0].json, "method_version"));
    json_object_set_new(json, "status", json_string(worst(logs, count)));
    json_object_set_new(json, "run_id", json_string(id));
    json_object_set_new(json, "started", gp_json_text(logs[0].started));
    json_object_set_new(host, "name", gp_json_text(count == 1 ? logs[0].host : ""));
    json_object_set_new(json, "host", host);
    json_object_set_new(json, "warnings", benchlog_merge_warnings(logs, names, count));
}

json_t *benchlog_merge(const struct benchlog *logs, const char *const *names, int count)
{
    json_t *json = json_object(), *devices = json_array(), *points = json_array();
    json_t *hosts = json_array();
    struct benchlog all;
    int base = 0;

    add_head(logs, names, count, json);
    for (int i = 0; i < count; base += logs[i++].device_count) {
        take_log(&logs[i], base, devices, points);
        add_hosts(&logs[i], hosts);
    }
    json_object_set_new(json, "hosts", hosts);
    json_object_set_new(json, "devices", devices);
    json_object_set_new(json, "stragglers", json_array()); /* here in the file */
    json_object_set_new(json, "points", points);
    if (benchlog_from_json("the merged result", json, &all, NULL) == GP_OK) {
        json_object_set_new(json, "stragglers", benchlog_stragglers(&all));
        json_object_set_new(json, "calibration", benchlog_calibration(&all));
        json_object_set_new(json, "summary", benchlog_summary(&all));
        benchlog_fini(&all);
    }
    return json;
}
