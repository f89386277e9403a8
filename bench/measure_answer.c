/*
 * measure_answer.c - the answer to a point as JSON, with its flags.
 *
 * A result that is doubtful is kept and flagged, never dropped:
 *   not-cold     memory allowed too few copies: the last cache helped
 *   unconverged  the interval of the median did not get narrow enough
 *   drift        two passes differ by more than 3 %; the middle one of three is given
 *   throttled    too hot, or slowed by hardware, also after cooling down
 *   low_clock    the mean clock was under 90 % of that of the warm-up
 *   zeros        the operands were asked to be zeros, which draw less power
 *   wrong        the results fail the check: the time is of another computation
 * or that only inform:
 *   power_cap    the power limit slowed it, as it does in large products
 *   no_sensors   too short for the three readings that a class of throttling needs
 * and what only the engine knows: launch_bound, emulated, contended (a processor was
 * wanted by others), shared (another process computes on the GPU), padded,
 * extrapolated, no_graph.
 */
#include "bench/measure_answer.h"

#include <string.h>

#include "base/json.h"
#include "measure/point/result.h"

#define CLOCK_LEAST 0.9 /* of the warm-up's mean */

static json_t *params_of(const struct result *result)
{
    json_t *json = point_to_json(&result->job->point);

    json_object_set_new(json, "rotation", json_integer(result->prepared->rotation));
    json_object_set_new(json, "cold", json_boolean(result->prepared->cold));
    json_object_set_new(json, "allocated", gp_json_number(result->prepared->bytes));
    if (result->prepared->params)
        json_object_update_missing(json, result->prepared->params);
    if (result->state == POINT_OK)
        json_object_set_new(
            json, "launches",
            json_integer((json_int_t)result->measured->launches * result->measured->runs));
    return json;
}

/* The mean of a sensor over the window; 0 = unknown. */
static double mean_of(const json_t *sensors, const char *name)
{
    return json_number_value(json_object_get(json_object_get(sensors, name), "mean"));
}

/* Operations per joule, and per cycle of a GPU's clock, are what is left of a difference when power
 * or clock differ. */
static void add_rates(const struct result *r, struct point_result *out)
{
    double median = r->measured->stats.median;
    double watts = mean_of(r->watched.sensors, "power_w");
    double mhz = mean_of(r->watched.sensors, "sm_clock_mhz");

    out->ops = point_operations(&r->job->point) / median;
    out->bytes = point_bytes(&r->job->point) / median;
    out->per_joule = watts > 0 ? out->ops / watts : 0;
    out->per_clock = mhz > 0 ? out->ops / (1e6 * mhz) : 0;
}

static json_t *check_of(const struct check *check)
{
    json_t *json;

    if (!check->done)
        return json_null();
    json = json_pack("{s:s, s:I, s:b, s:i}", "mode", check->mode ? check->mode : "sample", "n",
                     (json_int_t)check->n, "ok", check->ok, "tol", 1);
    json_object_set_new(json, "max_err", gp_json_number(check->max_err));
    json_object_set_new(json, "zeros", gp_json_number(check->zeros));
    json_object_set_new(json, "why", gp_json_text_or_null(check->why));
    return json;
}

/* The first launch of all: the sampler's, unless prepare() has launched before. */
static json_t *first_of(const struct result *r)
{
    if (r->prepared->first == 0)
        return gp_json_above_zero(r->measured->first);
    /* a later variant was launched while the best was looked for */
    return r->variant == 0 ? gp_json_above_zero(r->prepared->first) : json_null();
}

static json_t *flags_of(struct bench_run *run, const struct result *r)
{
    bool hot = r->watched.throttle == THROTTLE_THERMAL || r->watched.throttle == THROTTLE_HW;
    enum bench_test test = r->job->point.test;
    bool rotates = bench_test_is(test, TEST_IS_ROTATED);
    bool once = bench_test_is(test, TEST_IS_ONCE);
    const struct {
        const char *word;
        bool set;
    } all[] = {
        {"zeros", bench_test_is(test, TEST_IS_LIBRARY) && run->job.settings.fill == FILL_ZEROS},
        {"not-cold", rotates && r->job->point.cache != CACHE_HOT && !r->prepared->cold},
        {"unconverged", !once && !r->measured->stats.converged},
        {"drift", r->drift},
        {"throttled", hot},
        {"low_clock", r->watched.clock > 0 && r->watched.clock < CLOCK_LEAST * run->clock},
        {"wrong", r->check.done && !r->check.ok},
        {"power_cap", r->watched.throttle == THROTTLE_POWER_CAP},
        {"no_sensors", !once && r->watched.throttle == THROTTLE_UNKNOWN &&
                           watch_latest(run->watch, "throttle_bits", -1) >= 0},
    };
    json_t *flags = json_array();

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].set)
            json_array_append_new(flags, json_string(all[i].word));
    if (run->backend->flags)
        run->backend->flags(run->ctx, r->variant, flags);
    return flags;
}

static json_t *algo_of(const struct result *r)
{
    const char *other = r->prepared->other[r->variant];
    const char *name = other[0] ? other : r->prepared->algorithm;
    json_t *json;

    if (!name[0])
        return json_null();
    json = json_pack("{s:o}", "name", gp_json_text(name));
    if (r->prepared->algo[r->variant])
        json_object_update(json, r->prepared->algo[r->variant]);
    return json;
}

static void add_measured(struct bench_run *run, json_t *json, const struct result *r)
{
    const struct measured *m = r->measured;
    json_t *passes = json_array();

    for (int i = 0; i < r->pass_count; i++)
        json_array_append_new(passes, gp_json_number(r->passes[i]));
    json_object_set_new(json, "algo", algo_of(r));
    json_object_set_new(json, "time_s", stats_to_json(&m->stats, m->samples));
    json_object_set_new(json, "first_s", first_of(r));
    json_object_set(json, "latency_s", r->latency);
    json_object_set_new(json, "passes", passes);
    json_object_set(json, "sensors", r->watched.sensors);
    json_object_set_new(json, "check", check_of(&r->check));
    json_object_set_new(json, "valid", json_boolean(!r->check.done || r->check.ok));
    json_object_set_new(json, "flags", flags_of(run, r));
}

void measure_send(struct bench_run *run, const struct result *r)
{
    const char *variant = r->measured ? r->prepared->variant[r->variant] : NULL;
    json_t *json = json_pack("{ss si}", "t", line_kind_words[LINE_POINT], "index", r->job->index);
    struct point_result said = {.id = r->job->point.id,
                                .variant = variant ? variant : "",
                                .state = r->state,
                                .reason = r->reason};

    if (r->state == POINT_OK)
        add_rates(r, &said);
    result_write(&said, RESULT_ANSWER, json);
    json_object_set_new(json, "params", params_of(r));
    if (r->state == POINT_OK)
        add_measured(run, json, r);
    watch_send(run->watch, json);
}
