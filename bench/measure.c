/*
 * measure.c - measuring one point with a backend: warm-up, passes, heat, drift, check; and the
 * answer to it as JSON, with its flags.
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
#include "bench/measure.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "measure/point/result.h"

#define LATENCY_BELOW 1e-4 /* s: of operations that take longer it says nothing */
#define LATENCY_SAMPLES 32
#define IDLE_MAX 2.0    /* s without work after which the device is heated again ... */
#define REHEAT 1.0      /* ... for so long at most */
#define COOL_BY 5.0     /* degrees */
#define CLOCK_LEAST 0.9 /* of the warm-up's mean */
#define READINGS 60     /* of the sensors that the answer of a soak has */
#define TROUBLE 0xE8    /* event bits: hw slowdown, sw and hw thermal, power brake */

struct result {
    const struct job_point *job;
    const struct prepared *prepared;
    int variant; /* its number */
    enum point_state state;
    const char *reason;        /* "" */
    struct measured *measured; /* NULL when nothing was measured */
    struct watched watched;
    struct check check;
    json_t *latency;  /* or null */
    json_t *soak;     /* what was counted, also of a device that then failed; NULL = nothing */
    double passes[3]; /* medians, s */
    int pass_count;
    bool drift;
};

/* What is behind a sampler: the run and the variant, -1 for the warm-up's work. */
struct work {
    struct bench_run *run;
    int variant;
};

static double work_now(void *ctx)
{
    (void)ctx;
    return clock_now();
}

static bool work_stop(void *ctx)
{
    const struct work *work = ctx;

    return work->run->stop_now() || watch_gone(work->run->watch) ||
           (work->run->warming && work->run->stop_soon());
}

static bool work_run(void *ctx, int launches, double *seconds)
{
    const struct work *work = ctx;
    const struct backend *backend = work->run->backend;

    if (work->variant < 0)
        return backend->warm(work->run->ctx, seconds);
    bool ran = backend->run(work->run->ctx, work->variant, launches, seconds);
    watch_sample(work->run->watch, ran && launches > 0 ? *seconds / launches : 0);
    return ran;
}

static void tell_window(struct bench_run *run, bool begin)
{
    if (run->backend->window)
        run->backend->window(run->ctx, begin);
}

static json_t *measure_counters(struct bench_run *run)
{
    return run->backend->counters ? run->backend->counters(run->ctx) : NULL;
}

static void work_window(void *ctx)
{
    const struct work *work = ctx;

    watch_window(work->run->watch);
    tell_window(work->run, true);
    json_decref(work->run->counted);
    work->run->counted = measure_counters(work->run);
}

/* What was counted and averaged since the samples began, among the sensors where there are any. */
static void add_counted(struct bench_run *run, json_t *sensors)
{
    json_t *now = measure_counters(run), *value;
    const char *name;

    json_object_foreach(json_is_object(sensors) ? now : NULL, name, value)
    {
        const json_t *before = json_object_get(run->counted, name);
        double grown = json_number_value(value) - json_number_value(before);

        json_object_set_new(sensors, name,
                            json_is_number(before) && grown >= 0 ? gp_json_number(grown)
                                                                 : json_null());
    }
    json_decref(now);
    json_decref(run->counted);
    run->counted = NULL;
    if (json_is_object(sensors) && run->backend->means) {
        json_t *means = run->backend->means(run->ctx);

        json_object_update(sensors, means);
        json_decref(means);
    }
}

/* Mean SM clock since the last call. */
static double work_clock(void *ctx)
{
    const struct work *work = ctx;
    struct watched watched = watch_close(work->run->watch);

    json_decref(watched.sensors);
    watch_window(work->run->watch);
    return watched.clock;
}

static struct sampler sampler_of(struct work *work)
{
    return (struct sampler){.ctx = work,
                            .now = work_now,
                            .run = work_run,
                            .stop = work_stop,
                            .window = work_window,
                            .clock = work_clock};
}

static void send_log(struct bench_run *run, const char *text, const char *more)
{
    char line[512];

    gp_format(line, sizeof line, "%s%s", text, more);
    watch_send(run->watch, json_pack("{s:s, s:s, s:o}", "t", line_kind_words[LINE_LOG], "level",
                                     "warning", "text", gp_json_text(line)));
}

/* What the engine says of its last failure, else the fallback. */
static const char *last_reason(struct bench_run *run, const char *fallback)
{
    const char *text = run->backend->reason ? run->backend->reason(run->ctx) : NULL;

    return text && text[0] ? text : fallback;
}

void measure_warmup(struct bench_run *run)
{
    struct work work = {run, -1};
    struct sampler sampler = sampler_of(&work);
    struct warmed warmed;

    watch_window(run->watch);
    run->warming = true;
    method_warmup(&run->job.settings, &sampler, &warmed);
    run->warming = false;
    struct watched watched = watch_close(run->watch); /* of what came after the last whole window */
    json_decref(watched.sensors);
    run->clock = warmed.clock;
    run->heats = !warmed.failed;
    run->busy = clock_now();
    if (warmed.failed)
        send_log(run, "no warm-up: ", last_reason(run, "no test can warm the device up"));
}

/* After a long preparation clocks have dropped: a short heating brings them back. */
static void measure_reheat(struct bench_run *run)
{
    struct method_settings brief = run->job.settings;
    struct work work = {run, -1};
    struct sampler sampler = sampler_of(&work);
    struct warmed warmed;

    if (!run->heats || clock_now() - run->busy < IDLE_MAX || !(brief.device_warmup_min > 0))
        return;
    brief.device_warmup_min = fmin(brief.device_warmup_min / 3, REHEAT);
    brief.device_warmup_max = brief.device_warmup_min;
    method_warmup(&brief, &sampler, &warmed);
}

/* ---- the answer ---- */

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
    if (!check->done)
        return json_null();
    json_t *json = json_pack("{s:s, s:I, s:b, s:i}", "mode", check->mode ? check->mode : "sample",
                             "n", (json_int_t)check->n, "ok", check->ok, "tol", 1);
    json_object_set_new(json, "max_err", gp_json_number(check->max_err));
    json_object_set_new(json, "zeros", gp_json_number(check->zeros));
    json_object_set_new(json, "why", gp_json_text_or_null(check->why));
    json_object_set_new(json, "cause", gp_json_text_or_null(check->cause));
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

    if (!name[0])
        return json_null();
    json_t *json = json_pack("{s:o}", "name", gp_json_text(name));
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

/* Sends the line "point"; borrows all of the result. */
static void measure_send(struct bench_run *run, const struct result *r)
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
    if (r->soak)
        json_object_set(json, "soak", r->soak);
    watch_send(run->watch, json);
}

/* ---- measuring ---- */

/* Between two tests: what one does to clocks and temperature is not for the next. */
static void measure_rest(struct bench_run *run, enum bench_test test)
{
    double end = clock_now() + run->job.settings.pause;
    const struct timespec step = {.tv_nsec = 10 * 1000 * 1000};

    if (run->test >= 0 && run->test != (int)test)
        while (clock_now() < end && !run->stop_now())
            nanosleep(&step, NULL);
    run->test = (int)test;
}

/* Waits until the device says that the trouble is over or it is 5 degrees cooler. */
static void cool_down(struct bench_run *run)
{
    double end = clock_now() + run->job.settings.device_warmup_max;
    double hot = watch_latest(run->watch, "temp_c", 0);
    const struct timespec step = {.tv_nsec = 100 * 1000 * 1000};

    while (clock_now() < end && !run->stop_now()) {
        double bits = watch_latest(run->watch, "throttle_bits", 0);

        nanosleep(&step, NULL);
        if (!((unsigned long long)bits & TROUBLE))
            return;
        if (hot > 0 && watch_latest(run->watch, "temp_c", hot) <= hot - COOL_BY)
            return;
    }
}

/* The planned bytes are allocated and touched once: nothing to repeat. */
static void measure_once(const struct sampler *sampler, struct measured *out)
{
    double seconds = 0;

    *out = (struct measured){.launches = 1, .runs = 1, .reason = STOP_CONVERGED};
    sampler->window(sampler->ctx);
    if (!sampler->run(sampler->ctx, 1, &seconds) || !(seconds > 0)) {
        out->failed = true;
        return;
    }
    out->samples[0] = out->times[0] = seconds;
    out->stats = method_stats(out->samples, out->times, 1);
}

static void measure_pass(struct bench_run *run, const struct result *r, struct measured *out,
                         struct watched *watched)
{
    enum bench_test test = r->job->point.test;
    struct method_settings settings = run->job.settings;
    struct work work = {run, r->variant};
    struct sampler sampler = sampler_of(&work);
    int multiple = r->prepared->multiple ? r->prepared->multiple : r->prepared->rotation;

    if (bench_test_is(test, TEST_NEEDS_DEVICES))
        settings = method_of_sums(&settings);
    if (bench_test_is(test, TEST_IS_ONCE))
        measure_once(&sampler, out);
    else
        method_measure(&settings, &sampler, multiple, out);
    json_decref(watched->sensors);
    *watched = watch_close(run->watch);
    add_counted(run, watched->sensors);
    tell_window(run, false);
    run->busy = clock_now();
}

static bool sample_is_usable(const struct measured *measured)
{
    return !measured->failed && !measured->interrupted;
}

/* As measured, or once more when the device was slowed by heat or hardware. */
static void measure_cool(struct bench_run *run, struct result *r)
{
    measure_pass(run, r, r->measured, &r->watched);
    if (!sample_is_usable(r->measured) ||
        (r->watched.throttle != THROTTLE_THERMAL && r->watched.throttle != THROTTLE_HW))
        return;
    send_log(run, "throttled: cools down and is measured once more", "");
    cool_down(run);
    measure_pass(run, r, r->measured, &r->watched);
}

/* A small operation by itself is slower than one of many in a queue: what a caller sees
 * who waits for each. Said beside, never instead. */
static json_t *measure_latency(struct bench_run *run, const struct result *r)
{
    bool product = bench_test_is(r->job->point.test, TEST_IS_PRODUCT);
    double samples[LATENCY_SAMPLES], times[LATENCY_SAMPLES], began = clock_now();
    struct stats stats;
    int n = 0;

    if (!run->backend->latency || !product || r->measured->stats.median > LATENCY_BELOW)
        return json_null();
    while (n < LATENCY_SAMPLES && !run->stop_now() &&
           run->backend->latency(run->ctx, r->variant, &samples[n])) {
        times[n] = clock_now() - began;
        n++;
    }
    if (n < LATENCY_SAMPLES)
        return json_null();
    stats = method_stats(samples + 1, times + 1, n - 1); /* the first was cold */
    json_t *json = stats_to_json(&stats, NULL);
    json_object_del(json, "converged"); /* they are so many, whatever they say */
    json_object_del(json, "samples");
    return json;
}

/* A second pass that differs from the first gets a third at once; the middle counts.
 * Where that is the first, which was said long ago, the nearer to it is said, and
 * whoever reads the passes takes the first (src/run/session_view.c). */
static void settle_drift(struct bench_run *run, struct result *r)
{
    double *kept = &run->medians[r->job->index][r->variant];
    double before = *kept, second = r->measured->stats.median;
    struct measured *third;
    struct watched watched = {0};

    *kept = second;
    r->passes[r->pass_count++] = second;
    if (!(before > 0) || bench_test_is(r->job->point.test, TEST_IS_ONCE))
        return;
    r->passes[0] = before;
    r->passes[r->pass_count++] = second;
    r->drift = method_drift(before, second);
    if (!r->drift)
        return;
    third = gp_malloc(sizeof *third);
    measure_pass(run, r, third, &watched);
    if (sample_is_usable(third)) {
        double median = third->stats.median;

        r->passes[r->pass_count++] = median;
        if ((median - before) * (median - second) < 0 ||
            fabs(median - before) < fabs(second - before)) {
            *r->measured = *third;
            json_decref(r->watched.sensors);
            r->watched = watched;
            watched.sensors = NULL;
        }
    }
    json_decref(watched.sensors);
    free(third);
}

static bool is_lost(struct bench_run *run)
{
    return run->backend->lost && run->backend->lost(run->ctx);
}

static enum measured_point failed_run(struct bench_run *run, struct result *r)
{
    double seconds;

    r->state = POINT_ERROR;
    r->reason = last_reason(run, "the device failed while it ran");
    measure_send(run, r);
    /* A fault that stays (an uncorrectable error, a device off the bus) fails all: what
     * worked in the warm-up does so no more. */
    if (is_lost(run) || (run->heats && !run->backend->warm(run->ctx, &seconds)))
        return POINT_DEVICE_LOST;
    return POINT_DONE;
}

/* ---- soak ---- */

/* Said at once, for a soak may last for days. */
static void say_first_wrong(struct bench_run *run, const struct soak *soak, double after)
{
    char text[128];

    gp_format(text, sizeof text, "product %lld differs from the first after %.0f s",
              (long long)soak->products, after);
    watch_send(run->watch, json_pack("{s:s, s:s, s:s, s:s}", "t", line_kind_words[LINE_LOG],
                                     "level", "warning", "code", "wrong", "text", text));
}

/* Runs for as long as asked, or until told to stop, and leaves what was counted. A sample is the
 * mean of a two-hundredth of the time, so that the samples show what it came to over time. */
static void soak_run(struct bench_run *run, struct result *r)
{
    double length = run->job.settings.soak, slice = length / METHOD_MAX_SAMPLES;
    double began = clock_now(), at = 0, wrong_at = -1;
    struct measured *m = r->measured;
    struct work work = {run, r->variant};
    struct soak soak = {0}, before = {0};
    int n = 0;

    work_window(&work);
    while (!m->failed && at < length && !run->stop_soon() && !work_stop(&work)) {
        m->failed = !run->backend->soak(run->ctx, r->variant, &soak);
        at = clock_now() - began;
        if (soak.wrong > 0 && wrong_at < 0)
            say_first_wrong(run, &soak, wrong_at = at);
        if (soak.products == before.products || at < (n + 1) * slice || n == METHOD_MAX_SAMPLES)
            continue;
        m->samples[n] = (soak.seconds - before.seconds) / (double)(soak.products - before.products);
        m->times[n] = at;
        watch_sample(run->watch, m->samples[n++]);
        before = soak;
    }
    if (n == 0 && soak.products > 0) { /* stopped at once */
        m->samples[n] = soak.seconds / (double)soak.products;
        m->times[n++] = at;
    }
    m->interrupted = n == 0 && !m->failed;
    m->stats = n ? method_stats(m->samples, m->times, n) : (struct stats){0};
    m->stats.converged = true;
    m->launches = (int)fmin((double)soak.products, INT_MAX);
    m->runs = 1;
    r->soak =
        json_pack("{s:f, s:I, s:I, s:I}", "seconds", at, "products", (json_int_t)soak.products,
                  "compared", (json_int_t)soak.compared, "wrong", (json_int_t)soak.wrong);
    json_object_set_new(r->soak, "first_wrong_s", wrong_at < 0 ? json_null() : json_real(wrong_at));
    json_object_set_new(r->soak, "readings", watch_readings(run->watch, READINGS));
    r->watched = watch_close(run->watch);
    add_counted(run, r->watched.sensors);
    tell_window(run, false);
    if (soak.wrong == 0)
        return;
    r->check.done = true;
    r->check.ok = false;
    gp_format(r->check.why, sizeof r->check.why,
              "%lld of %lld results differ from the first, the first of them after %.0f s",
              (long long)soak.wrong, (long long)soak.compared, wrong_at);
}

static enum measured_point measure_soak(struct bench_run *run, struct result r)
{
    struct measured *m = gp_calloc(1, sizeof *m);
    enum measured_point done = POINT_DONE;

    r.measured = m;
    r.latency = json_null();
    if (run->job.settings.check != CHECK_NONE)
        run->backend->check(run->ctx, r.variant, &r.check);
    soak_run(run, &r);
    if (m->interrupted)
        done = POINT_STOPPED;
    else if (m->failed)
        done = failed_run(run, &r);
    else
        measure_send(run, &r);
    json_decref(r.latency);
    json_decref(r.watched.sensors);
    json_decref(r.soak);
    free(m);
    return done;
}

static enum measured_point measure_variant(struct bench_run *run, struct result r)
{
    struct measured *m = gp_calloc(1, sizeof *m);
    enum measured_point done = POINT_DONE;

    r.measured = m;
    measure_cool(run, &r);
    if (m->interrupted) {
        done = POINT_STOPPED;
    } else if (m->failed) {
        done = failed_run(run, &r);
    } else {
        settle_drift(run, &r);
        r.latency = measure_latency(run, &r);
        if (run->job.settings.check != CHECK_NONE)
            run->backend->check(run->ctx, r.variant, &r.check);
        if (!r.check.ok && !r.check.why[0]) /* sums say more, and why */
            gp_copy(r.check.why, sizeof r.check.why, "memory does not hold what was written");
        measure_send(run, &r);
        json_decref(r.latency);
    }
    json_decref(r.watched.sensors);
    free(m);
    return done;
}

enum measured_point measure_point(struct bench_run *run, const struct job_point *jp)
{
    struct prepared prepared = {.rotation = 1, .variants = 1};
    enum measured_point done = POINT_DONE;
    char why[256] = "";
    struct result r = {.job = jp, .prepared = &prepared, .reason = why};

    watch_send(run->watch,
               json_pack("{s:s, s:i}", "t", line_kind_words[LINE_START], "index", jp->index));
    measure_rest(run, jp->point.test);
    watch_point(run->watch, jp->index);
    r.state = run->backend->prepare(run->ctx, &jp->point, &prepared, why, sizeof why);
    if (r.state != POINT_OK)
        measure_send(run, &r);
    else if (!bench_test_is(jp->point.test, TEST_IS_ONCE))
        measure_reheat(run);
    if (r.state == POINT_OK && run->job.settings.soak > 0) {
        done = measure_soak(run, r); /* of what the library chooses */
        prepared.variants = 0;
    }
    for (; r.state == POINT_OK && done == POINT_DONE && r.variant < prepared.variants; r.variant++)
        if (prepared.variant[r.variant] || r.variant == 0)
            done = measure_variant(run, r);
    if (done == POINT_DONE && is_lost(run)) /* while it was prepared or checked */
        done = POINT_DEVICE_LOST;
    watch_point(run->watch, -1);
    run->backend->release(run->ctx);
    return done;
}
