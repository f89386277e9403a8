/*
 * session_result.c - the records of a session as one gpuplan.bench/1 document.
 *
 * Points stand in the order of the plan, each variant as the pass that stands for it
 * (session_record.h), and what the roofline predicts.
 *
 * A sum of S bytes over n devices sends and receives 2(n-1)/n S through the link of
 * each, however it is done: rate.bus_bytes_per_s is that over the time, and comparable
 * with the link's rate and between numbers of devices. 1 MiB over 8 in 20 us: 92 GB/s.
 *
 * rate.pct_spec_peak and pct_spec_bw are the point's two rates over the sheet's,
 * whichever bounds it: 8192 x 8192 x 8192 in BF16 in 1.5 ms on an H100 SXM are 733
 * TFLOP/s, 74 % of 989, and 268 GB/s, 8 % of 3350.
 */
#include "measure/session_inside.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "measure/point/protocol.h"

static json_t *device_list(const struct session *s)
{
    json_t *list = json_array();

    for (int i = 0; i < s->devices; i++)
        json_array_append_new(list, session_device_json(&s->device[i].facts, s->look.backend,
                                                        s->device[i].listed, s->device[i].opened));
    return list;
}

static json_t *settings_json(const struct session *s)
{
    static const char *const presets[] = {"quick", "normal", "thorough"};
    json_t *json = protocol_settings(&s->plan.options.settings, 0);
    char hash[17];

    json_object_del(json, "protocol");
    json_object_del(json, "do");
    json_object_del(json, "device");
    if (!(s->plan.options.settings.max_memory > 0))
        json_object_set_new(json, "max_memory", json_null());
    points_hash(&s->plan.points, hash);
    json_object_set_new(json, "preset", json_string(presets[s->plan.options.preset]));
    json_object_set_new(json, "passes", json_integer(POINTS_PASSES));
    json_object_set_new(json, "plan", json_string(hash));
    return json;
}

/* ---- points ---- */

static json_t *prediction(const struct session_result *r)
{
    json_t *json;

    if (!isfinite(r->predicted))
        return json_null();
    json = json_object();
    json_object_set_new(json, "time_s", gp_json_number(r->predicted));
    json_object_set_new(json, "bound", json_string(r->bound));
    json_object_set_new(json, "origin", json_string(r->origin));
    json_object_set_new(json, "ratio", isfinite(r->ratio) ? gp_json_number(r->ratio) : json_null());
    return json;
}

static void add_bus_rate(const struct point *p, double bytes, json_t *json)
{
    double gpus = session_number(json_object_get(json, "params"), "gpus");

    if (p->test == TEST_ALLREDUCE && gpus >= 2 && bytes > 0)
        json_object_set_new(json_object_get(json, "rate"), "bus_bytes_per_s",
                            gp_json_number(2 * (gpus - 1) / gpus * bytes));
}

static json_t *per_cent(double rate, struct quantity sheet)
{
    return rate > 0 && sheet.known && sheet.value > 0 ? gp_json_number(100 * rate / sheet.value)
                                                      : json_null();
}

static void add_sheet(const struct device_run *d, const struct point *p,
                      const struct session_result *r, json_t *json)
{
    struct roof sheet = session_sheet(&d->facts, &d->roof, p);
    json_t *rate = json_object_get(json, "rate");

    if (!json_is_object(rate))
        return;
    json_object_set_new(rate, "pct_spec_peak", per_cent(r->operations, sheet.rate));
    json_object_set_new(rate, "pct_spec_bw", per_cent(r->bytes, sheet.bandwidth));
}

static json_t *measured(const struct session *s, const struct device_run *d,
                        const struct session_record *record)
{
    const struct point *p = &s->plan.points.point[record->point];
    json_t *json = session_record_json(record);
    struct session_result r;

    session_see_result(s, d, record, &r);
    add_bus_rate(p, r.bytes, json);
    add_sheet(d, p, &r, json);
    json_object_set_new(json, "test", json_string(bench_test_word(p->test)));
    json_object_set_new(json, "predicted", prediction(&r));
    return json;
}

/* What was planned but not measured is listed too, with the reason. */
static json_t *skipped(const struct session *s, const struct session_device *d,
                       const struct point *p)
{
    json_t *one = json_object();
    const char *why = d->failed ? "the engine failed"
                      : point_together(p) && !session_all_well(s, p)
                          ? "a device that takes part failed"
                      : s->work.stopped   ? "interrupted"
                      : s->work.limit_hit ? "time limit"
                      : s->work.disk      ? "disk full"
                                          : "interrupted";

    json_object_set_new(one, "id", gp_json_text(p->id));
    json_object_set_new(one, "device", json_integer(d->id));
    json_object_set_new(one, "test", json_string(bench_test_word(p->test)));
    json_object_set_new(one, "variant", json_string(""));
    json_object_set_new(one, "state", json_string("skipped"));
    json_object_set_new(one, "reason", json_string(why));
    json_object_set_new(one, "params", point_to_json(p));
    return one;
}

/* Of a resumed run, passes that no engine could compare: their flags first, for what they
 * leave good is the roof of the others. */
static void compare_resumed(struct session *s, struct device_run *d)
{
    for (int i = 0; i < s->plan.points.count; i++) {
        struct session_record **slot = shown_of(&d->shown, i);

        for (int v = 0; v < SESSION_VARIANTS && slot[v]; v++)
            records_compare_passes(&s->work.records, slot[v]);
    }
    session_find_roof(s, d);
}

/* first: the device that several are driven by. */
static void add_points(const struct session *s, const struct device_run *d, bool first,
                       json_t *list)
{
    for (int i = 0; i < s->plan.points.count; i++) {
        const struct point *p = &s->plan.points.point[i];
        struct session_record **slot = shown_of(&d->shown, i);

        for (int v = 0; v < SESSION_VARIANTS && slot[v]; v++)
            json_array_append_new(list, measured(s, d, slot[v]));
        if (!slot[0] && (!point_together(p) || first))
            json_array_append_new(list, skipped(s, &d->facts, p));
    }
}

static json_t *point_list(struct session *s)
{
    json_t *list = json_array();

    for (int i = 0; i < s->devices; i++) {
        if (s->work.resumed)
            compare_resumed(s, &s->device[i]);
        add_points(s, &s->device[i], i == 0, list);
    }
    return list;
}

/* ---- the document ---- */

static json_t *warnings(const struct session *s)
{
    json_t *list = json_array();

    for (int i = 0; i < session_notes(s); i++)
        benchlog_warn(list, session_note_code(s, i), "%s", session_note(s, i));
    return list;
}

static json_t *launch(const struct session *s)
{
    json_t *json = json_object();

    json_object_set_new(json, "job", gp_json_text(s->job));
    json_object_set_new(json, "rank", json_integer(s->ask.rank));
    json_object_set_new(json, "ranks", json_integer(s->ask.ranks));
    return json;
}

static void add_run(const struct session *s, json_t *json)
{
    char stamp[32], id[160];

    strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", gmtime(&s->work.date));
    gp_format(id, sizeof(id), "%s-%s-%ld", s->files.host, stamp, (long)getpid());
    json_object_set_new(json, "schema", json_string(BENCHLOG_SCHEMA));
    json_object_set_new(json, "method_version", json_integer(METHOD_VERSION));
    json_object_set_new(json, "status", json_string(session_status(s)));
    json_object_set_new(json, "run_id", gp_json_text(id));
    json_object_set_new(json, "started", gp_json_text(stamp));
    json_object_set_new(json, "elapsed_s", gp_json_number(s->work.ended - s->work.began));
    json_object_set_new(json, "tool", session_tool(s));
    json_object_set_new(json, "host", session_host(s));
}

json_t *session_document(struct session *s)
{
    json_t *json = json_object();
    struct benchlog log;

    add_run(s, json);
    if (s->ask.ranks > 1)
        json_object_set_new(json, "launch", launch(s));
    json_object_set_new(json, "engine", json_deep_copy(s->look.engine.line));
    if (options_flag(&s->options, OPT_ANONYMOUS)) /* paths may name a user */
        json_object_del(json_object_get(json_object_get(json, "engine"), "software"), "files");
    json_object_set(json, "software", json_object_get(json_object_get(json, "engine"), "software"));
    json_object_del(json_object_get(json, "engine"), "t");
    json_object_set_new(json, "devices", device_list(s));
    json_object_set_new(json, "settings", settings_json(s));
    json_object_set_new(json, "points", point_list(s));
    json_object_set_new(json, "warnings", warnings(s));
    if (benchlog_from_json("result", json, &log, NULL) == GP_OK) {
        json_object_set_new(json, "stragglers", benchlog_stragglers(&log));
        json_object_set_new(json, "calibration", benchlog_calibration(&log));
        json_object_set_new(json, "summary", benchlog_summary(&log));
        benchlog_fini(&log);
    }
    return json;
}
