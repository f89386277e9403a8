/*
 * session_result.c - the records of a session as one gpuplan.bench/1 document.
 *
 * Points stand in the order of the plan. The last pass of a point stands for it (the
 * engine already chose the middle one when passes differ), the medians of all passes
 * beside it, and what the roofline predicts.
 *
 * A sum of S bytes over n devices sends and receives 2(n-1)/n S through the link of
 * each, however it is done: rate.bus_bytes_per_s is that over the time, and comparable
 * with the link's rate and between numbers of devices. 1 MiB over 8 in 20 us: 92 GB/s.
 *
 * rate.pct_spec_peak and pct_spec_bw are the point's two rates over the sheet's,
 * whichever bounds it: 8192 x 8192 x 8192 in BF16 in 1.5 ms on an H100 SXM are 733
 * TFLOP/s, 74 % of 989, and 268 GB/s, 8 % of 3350.
 */
#include "run/session_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/protocol.h"
#include "util/json.h"
#include "util/mem.h"

/* What can be told only of a device that was opened: driver, limits, free memory. */
static void add_opened(json_t *device, const json_t *opened)
{
    json_t *more = json_object();

    json_object_update(more, json_object_get(device, "more"));
    json_object_update(more, json_object_get(opened, "more"));
    json_object_set_new(device, "more", more);
    if (json_is_number(json_object_get(opened, "free")))
        json_object_set(device, "free", json_object_get(opened, "free"));
}

static json_t *devices(const struct session *s)
{
    json_t *list = json_array();

    for (int i = 0; i < s->count; i++) {
        const struct session_unit *u = &s->unit[i];
        json_t *one = json_copy((json_t *)u->json);

        json_object_del(one, "t");
        json_object_del(one, "index");
        add_opened(one, u->opened);
        json_object_set_new(one, "id", json_integer(u->index));
        json_object_set_new(one, "backend", json_string(s->backend));
        json_object_set_new(one, "profile",
                            u->known ? gp_json_text(u->gpu.id) : json_null());
        json_object_set_new(one, "state", json_string(u->failed ? "failed" : "ok"));
        json_object_set_new(one, "reason",
                            u->why[0] ? gp_json_text(u->why) : json_null());
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *settings(const struct session *s)
{
    static const char *const presets[] = {"quick", "normal", "thorough"};
    json_t *json = protocol_settings(&s->points_options.settings, 0);
    char hash[17];

    json_object_del(json, "protocol");
    json_object_del(json, "do");
    json_object_del(json, "device");
    if (!(s->points_options.settings.max_memory > 0))
        json_object_set_new(json, "max_memory", json_null());
    points_hash(&s->points, hash);
    json_object_set_new(json, "preset", json_string(presets[s->points_options.preset]));
    json_object_set_new(json, "passes", json_integer(POINTS_PASSES));
    json_object_set_new(json, "plan", json_string(hash));
    return json;
}

/* ---- points ---- */

static json_t *predicted(const struct session_unit *u, const struct point *p,
                         const json_t *json)
{
    double median = session_figure(json_object_get(json, "time_s"), "median");
    struct roofline line = session_predict(u, p);
    json_t *out;

    if (!line.time.known)
        return json_null();
    out = json_object();
    json_object_set_new(out, "time_s", gp_json_number(line.time.value));
    json_object_set_new(out, "bound", json_string(roof_bound_word(line.bound)));
    json_object_set_new(out, "origin", json_string(origin_word(line.time.origin)));
    json_object_set_new(out, "ratio",
                        median > 0 ? gp_json_number(line.time.value / median)
                                   : json_null());
    return out;
}

/* Passes that an engine could not compare, because the run was resumed in between. */
static void compare_passes(const struct session *s, int device, json_t *point)
{
    json_t *medians = json_array();
    const json_t *record;
    size_t i;

    json_array_foreach(s->records, i, record)
    {
        const json_t *p = json_object_get(record, "point");

        if (json_integer_value(json_object_get(record, "device")) == device &&
            strcmp(session_word(p, "id"), session_word(point, "id")) == 0 &&
            strcmp(session_word(p, "variant"), session_word(point, "variant")) == 0 &&
            strcmp(session_word(p, "state"), "ok") == 0)
            json_array_append(medians,
                              json_object_get(json_object_get(p, "time_s"), "median"));
    }
    if (json_array_size(medians) > json_array_size(json_object_get(point, "passes"))) {
        json_object_set(point, "passes", medians);
        if (json_array_size(medians) > 1 &&
            method_drift(json_number_value(json_array_get(medians, 0)),
                         json_number_value(json_array_get(medians, 1))))
            session_flag(point, "drift");
    }
    json_decref(medians);
}

static void add_bus_rate(const struct point *p, json_t *point)
{
    double gpus = session_figure(json_object_get(point, "params"), "gpus");
    json_t *rate = json_object_get(point, "rate");
    double algorithm = session_figure(rate, "bytes_per_s");

    if (p->test == TEST_ALLREDUCE && gpus >= 2 && algorithm > 0)
        json_object_set_new(rate, "bus_bytes_per_s",
                            gp_json_number(2 * (gpus - 1) / gpus * algorithm));
}

static json_t *per_cent(double rate, struct quantity sheet)
{
    return rate > 0 && sheet.known && sheet.value > 0
               ? gp_json_number(100 * rate / sheet.value)
               : json_null();
}

static void add_sheet(const struct session_unit *u, const struct point *p,
                      json_t *point)
{
    struct roof sheet = session_sheet(u, p);
    json_t *rate = json_object_get(point, "rate");

    if (!json_is_object(rate))
        return;
    json_object_set_new(rate, "pct_spec_peak",
                        per_cent(session_figure(rate, "ops_per_s"), sheet.rate));
    json_object_set_new(rate, "pct_spec_bw",
                        per_cent(session_figure(rate, "bytes_per_s"), sheet.bandwidth));
}

static json_t *measured(const struct session *s, const struct session_unit *u,
                        const struct point *p, const json_t *shown)
{
    json_t *point = json_deep_copy(shown);

    json_object_del(point, "t");
    json_object_del(point, "index");
    json_object_set_new(point, "device", json_integer(u->index));
    if (s->resumed)
        compare_passes(s, u->index, point);
    add_bus_rate(p, point);
    add_sheet(u, p, point);
    json_object_set_new(point, "test", json_string(bench_test_word(p->test)));
    return point;
}

/* What was planned and has no record: named, so that nobody looks for it in vain. */
static json_t *skipped(const struct session *s, const struct session_unit *u,
                       const struct point *p)
{
    json_t *one = json_object();
    const char *why = u->failed ? "the engine failed"
                      : point_together(p) && !session_all_well(s, p)
                          ? "a device that takes part failed"
                      : s->stopped   ? "interrupted"
                      : s->limit_hit ? "time limit"
                      : s->disk      ? "disk full"
                                     : "interrupted";

    json_object_set_new(one, "id", gp_json_text(p->id));
    json_object_set_new(one, "device", json_integer(u->index));
    json_object_set_new(one, "test", json_string(bench_test_word(p->test)));
    json_object_set_new(one, "variant", json_string(""));
    json_object_set_new(one, "state", json_string("skipped"));
    json_object_set_new(one, "reason", json_string(why));
    json_object_set_new(one, "params", point_to_json(p));
    return one;
}

/* Flags first, for what they leave good is the roof of the others. */
static void add_points(const struct session *s, struct session_unit *u, bool first,
                       json_t *list)
{
    const struct point **of =
        gp_calloc((size_t)s->points.count * SESSION_VARIANTS + 1, sizeof *of);
    size_t from = json_array_size(list), n = 0;

    for (int i = 0; i < s->points.count; i++) {
        const struct point *p = &s->points.point[i];
        json_t **slot = u->shown + (size_t)i * SESSION_VARIANTS;

        for (int v = 0; v < SESSION_VARIANTS && slot[v]; v++) {
            json_array_append_new(list, measured(s, u, p, slot[v]));
            of[n++] = p;
        }
        if (!slot[0] && (!point_together(p) || first)) {
            json_array_append_new(list, skipped(s, u, p));
            of[n++] = NULL;
        }
    }
    session_clear_roof(u);
    for (size_t k = 0; k < n; k++)
        if (of[k])
            session_take_roof(u, of[k], json_array_get(list, from + k));
    for (size_t k = 0; k < n; k++) {
        json_t *point = json_array_get(list, from + k);

        if (of[k])
            json_object_set_new(point, "predicted", predicted(u, of[k], point));
    }
    free(of);
}

static json_t *points(struct session *s)
{
    json_t *list = json_array();

    for (int d = 0; d < s->count; d++)
        add_points(s, &s->unit[d], d == 0, list);
    return list;
}

/* ---- the document ---- */

static json_t *warnings(const struct session *s)
{
    json_t *list = json_array();

    for (int i = 0; i < session_notes(s); i++)
        benchlog_warn(list, session_note_code(s, i), session_note(s, i));
    return list;
}

static json_t *launch(const struct session *s)
{
    json_t *json = json_object();

    json_object_set_new(json, "job", gp_json_text(s->job));
    json_object_set_new(json, "rank", json_integer(s->how.rank));
    json_object_set_new(json, "ranks", json_integer(s->how.ranks));
    return json;
}

static void add_run(const struct session *s, json_t *json)
{
    char stamp[32], id[160];

    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime(&s->began));
    gp_format(id, sizeof id, "%s-%s-%ld", s->host, stamp, (long)getpid());
    json_object_set_new(json, "schema", json_string(BENCHLOG_SCHEMA));
    json_object_set_new(json, "method_version", json_integer(METHOD_VERSION));
    json_object_set_new(json, "status", json_string(session_status(s)));
    json_object_set_new(json, "run_id", gp_json_text(id));
    json_object_set_new(json, "started", gp_json_text(stamp));
    json_object_set_new(json, "elapsed_s", gp_json_number(s->ended - s->clock));
    json_object_set_new(json, "tool", session_tool(s));
    json_object_set_new(json, "host", session_host(s));
}

json_t *session_document(struct session *s)
{
    json_t *json = json_object();
    struct benchlog log;

    add_run(s, json);
    if (s->how.ranks > 1)
        json_object_set_new(json, "launch", launch(s));
    json_object_set(json, "software", json_object_get(s->hello, "software"));
    json_object_set_new(json, "engine", json_copy(s->hello));
    json_object_del(json_object_get(json, "engine"), "t");
    json_object_set_new(json, "devices", devices(s));
    json_object_set_new(json, "settings", settings(s));
    json_object_set_new(json, "points", points(s));
    json_object_set_new(json, "warnings", warnings(s));
    if (benchlog_from_json("result", json, &log, NULL) == GP_OK) {
        json_object_set_new(json, "stragglers", benchlog_stragglers(&log));
        json_object_set_new(json, "calibration", benchlog_calibration(&log));
        json_object_set_new(json, "summary", benchlog_summary(&log));
        benchlog_fini(&log);
    }
    return json;
}
