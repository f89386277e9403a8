/*
 * benchlog_merge.c - the result files of many hosts as one, and whether devices of one name do the
 * same work in the same time.
 *
 * Of each work that several of them did well, the spread is (slowest - fastest) / median. A
 * straggler is a device whose rate lies more than 3 % under the median's. Of two, the faster takes
 * the place of the median: what one can, the other could. Worked: 100, 101, 102 and 107 us: median
 * 101.5, spread 6.9 %, and the last is at 101.5 / 107 = 0.949 of the median's rate, 5.1 % slower.
 *
 * Refused are the same run twice, which would make a device its own like, and two versions of the
 * method, of which one file can name only one.
 */
#include "measure/result/benchlog.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* ---- one document ---- */

enum gp_status benchlog_mergeable(const struct benchlog *logs, const char *const *names, int count,
                                  struct gp_err *err)
{
    json_t *seen = json_object(), *one; /* run -> its file's place */
    enum gp_status rc = GP_OK;
    size_t k;

    for (int i = 0; i < count && !rc; i++) {
        const json_t *method = json_object_get(logs[i].json, "method_version");
        json_t *runs = json_object_get(logs[i].json, "hosts"); /* of one that was merged */
        json_t *alone = json_pack("[O]", logs[i].json);

        if (i && method && !json_equal(method, json_object_get(logs[0].json, "method_version")))
            rc = gp_fail(err, GP_E_FILE, names[i], "measure both with one version of gpuplan",
                         "was measured by another method_version than %.300s", names[0]);
        json_array_foreach(json_array_size(runs) ? runs : alone, k, one)
        {
            const char *id = json_string_value(json_object_get(one, "run_id"));
            const json_t *had = json_object_get(seen, id ? id : "");

            if (had && !rc)
                rc = gp_fail(err, GP_E_FILE, names[i], "name each run once",
                             "is the same run (run_id) as %.300s", names[json_integer_value(had)]);
            if (id)
                json_object_set_new(seen, id, json_integer(i));
        }
        json_decref(alone);
    }
    json_decref(seen);
    return rc;
}

static json_t *renumbered_copy(const json_t *json, const char *key, int number)
{
    json_t *copy = json_copy((json_t *)json);

    json_object_set_new(copy, key, json_integer(number));
    return copy;
}

/* Of a file that was merged before, its hosts; so that each run stays named. */
static void add_hosts(const struct benchlog *log, json_t *hosts)
{
    static const char *const kept[] = {"run_id", "host", "software", "settings"};
    json_t *before = json_object_get(log->json, "hosts");

    if (json_array_size(before) > 0) {
        json_array_extend(hosts, before);
        return;
    }
    json_t *from = json_object();
    json_object_set_new(from, "name", gp_json_text(log->host));
    json_object_set_new(from, "status", gp_json_text(log->status));
    json_object_set_new(from, "started", gp_json_text(log->started));
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        json_object_set(from, kept[i], json_object_get(log->json, kept[i]));
    json_array_append_new(hosts, from);
}

static void add_log(const struct benchlog *log, int base, json_t *devices, json_t *points)
{
    const json_t *list = json_object_get(log->json, "devices");

    for (int d = 0; d < log->device_count; d++) {
        json_t *device = renumbered_copy(json_array_get(list, (size_t)d), "id", base + d);

        json_object_set_new(device, "host", gp_json_text(log->device[d].host));
        if (!json_object_get(device, "run_id")) /* of one that was merged before */
            json_object_set(device, "run_id", json_object_get(log->json, "run_id"));
        json_array_append_new(devices, device);
    }
    for (int i = 0; i < log->count; i++)
        json_array_append_new(
            points, renumbered_copy(log->point[i].json, "device", base + log->point[i].device));
}

json_t *benchlog_merge(const struct benchlog *logs, const char *const *names, int count)
{
    json_t *json = json_object(), *devices = json_array(), *points = json_array();
    json_t *hosts = json_array(), *warnings = json_array();
    int base = 0, worst = RUN_COMPLETE;
    uint64_t hash = GP_HASH; /* the same files merged again have the same name */
    char text[40];

    for (int i = 0; i < count; base += logs[i++].device_count) {
        const char *id = json_string_value(json_object_get(logs[i].json, "run_id"));
        int status = line_word(run_status_words, RUN_STATUSES, logs[i].status);

        id = id ? id : logs[i].host;
        hash = gp_hash(gp_hash(hash, id, strlen(id)), "\n", 1);
        worst = status > worst ? status : worst;
        add_log(&logs[i], base, devices, points);
        add_hosts(&logs[i], hosts);
        if (i) /* each against the first: a line per difference, not per pair */
            benchlog_compare_settings(&logs[0], &logs[i], names ? names[0] : logs[0].host,
                                      names ? names[i] : logs[i].host, warnings);
    }
    gp_format(text, sizeof(text), "merged-%016llx", (unsigned long long)hash);
    json_object_set_new(json, "schema", json_string(BENCHLOG_SCHEMA));
    json_object_set(json, "method_version", json_object_get(logs[0].json, "method_version"));
    json_object_set_new(json, "status", json_string(run_status_words[worst]));
    json_object_set_new(json, "run_id", json_string(text));
    json_object_set_new(json, "started", gp_json_text(logs[0].started));
    json_object_set_new(json, "host",
                        json_pack("{so}", "name", gp_json_text(count == 1 ? logs[0].host : "")));
    json_object_set_new(json, "warnings", warnings);
    json_object_set_new(json, "hosts", hosts);
    json_object_set_new(json, "devices", devices);
    json_object_set_new(json, "stragglers", json_array()); /* here in the file */
    json_object_set_new(json, "points", points);
    benchlog_conclude(json);
    return json;
}

/* ---- the same work on several devices of one name ---- */

struct entry { /* one good point of one device */
    const struct point_result *point;
    const struct benchlog_device *device;
};

static int by_work(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = strcmp(a->device->name, b->device->name);

    if (!order)
        order = strcmp(a->point->id, b->point->id);
    if (!order)
        order = strcmp(a->point->variant, b->point->variant);
    if (order)
        return order;
    return (a->point->median > b->point->median) - (a->point->median < b->point->median);
}

/* To be freed. What is allocated once ("fit") has no rate to compare. */
static struct entry *entries_by_work(const struct benchlog *log, int *n)
{
    struct entry *e = gp_calloc((size_t)log->count + 1, sizeof(*e));

    *n = 0;
    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (result_good(p) && !bench_test_is(p->test, TEST_IS_ONCE))
            e[(*n)++] = (struct entry){p, &log->device[p->device]};
    }
    qsort(e, (size_t)*n, sizeof(*e), by_work);
    return e;
}

/* The end of the entries of one work that begin here, and what each of them, sorted by time, is
 * compared with, s. */
static int end_of_work(const struct entry *e, int from, int n, double *usual)
{
    const struct entry *first = &e[from];
    int end = from + 1;

    while (end < n && strcmp(first->device->name, e[end].device->name) == 0 &&
           strcmp(first->point->id, e[end].point->id) == 0 &&
           strcmp(first->point->variant, e[end].point->variant) == 0)
        end++;
    int count = end - from;
    if (count < 3)
        *usual = first->point->median;
    else if (count % 2)
        *usual = first[count / 2].point->median;
    else
        *usual = (first[count / 2 - 1].point->median + first[count / 2].point->median) / 2;
    return end;
}

json_t *benchlog_stragglers(const struct benchlog *log)
{
    json_t *list = json_array();
    int n;
    struct entry *e = entries_by_work(log, &n);

    for (int i = 0, end; i < n; i = end) {
        double usual;

        end = end_of_work(e, i, n, &usual);
        for (int k = i; k < end; k++) {
            double ratio = usual / e[k].point->median;

            if (ratio >= 1 - BENCHLOG_STRAGGLER)
                continue;
            json_t *one = json_object();
            json_object_set_new(one, "host", gp_json_text(e[k].device->host));
            json_object_set_new(one, "device", json_integer(e[k].device->id));
            json_object_set_new(one, "name", gp_json_text(e[k].device->name));
            json_object_set_new(one, "id", gp_json_text(e[k].point->id));
            json_object_set_new(one, "variant", gp_json_text(e[k].point->variant));
            json_object_set_new(one, "ratio", gp_json_number(ratio));
            json_object_set_new(one, "of", json_integer(end - i));
            json_array_append_new(list, one);
        }
    }
    free(e);
    return list;
}

/* ---- in words ---- */

struct share { /* of one device, over the works that others did, too */
    int works, slow;
    double most; /* slower by so much, of 1 */
};

struct spread { /* of the devices of one name */
    int devices, works;
    double widest; /* spread of any work */
};

static void say_name(const struct benchlog *log, const char *name, const struct share *share,
                     const struct spread *spread, json_t *list)
{
    bool slow = false;

    for (int d = 0; d < log->device_count; d++) {
        const struct benchlog_device *device = &log->device[d];
        bool elsewhere = strcmp(device->host, log->host) != 0;

        if (strcmp(device->name, name) != 0 || !share[d].slow)
            continue;
        slow = true;
        benchlog_text(list,
                      "device %ld%s%.155s is up to %.1f %% slower than the %s of %d devices, by "
                      "more than %.0f %% in %d of %d points",
                      device->id, elsewhere ? " of " : "", elsewhere ? device->host : "",
                      100 * share[d].most, spread->devices < 3 ? "faster" : "median",
                      spread->devices, 100 * BENCHLOG_STRAGGLER, share[d].slow, share[d].works);
    }
    if (!slow)
        benchlog_text(list, "%d devices (%s) agree within %.1f %% in %d points", spread->devices,
                      name, 100 * spread->widest, spread->works);
}

void benchlog_text_spread(const struct benchlog *log, json_t *list)
{
    struct share *share = gp_calloc((size_t)log->device_count + 1, sizeof(*share));
    struct spread spread = {0};
    int n;
    struct entry *e = entries_by_work(log, &n);

    for (int i = 0, end; i < n; i = end) {
        double usual;

        end = end_of_work(e, i, n, &usual);
        double width = e[end - 1].point->median - e[i].point->median;
        if (end - i > 1) {
            spread.works++;
            spread.devices = end - i > spread.devices ? end - i : spread.devices;
            spread.widest = fmax(spread.widest, width / usual);
        }
        for (int k = i; k < end && end - i > 1; k++) {
            struct share *s = &share[e[k].device - log->device];
            double slower = 1 - usual / e[k].point->median;

            s->works++;
            s->slow += slower > BENCHLOG_STRAGGLER;
            s->most = fmax(s->most, slower);
        }
        if (end < n && strcmp(e[i].device->name, e[end].device->name) == 0)
            continue;
        if (spread.works) /* that was the last work of the devices of this name */
            say_name(log, e[i].device->name, share, &spread, list);
        spread = (struct spread){0};
    }
    free(e);
    free(share);
}
