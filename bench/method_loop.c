/*
 * method_loop.c - the two loops over a sampler: heating a device until it is steady,
 * and measuring one point.
 *
 * Nothing that is cold is counted: the first three launches (modules loading, clocks
 * rising, pages touched) only say roughly how long one operation takes, then whole
 * batches run until `warmup` seconds have passed; samples come after.
 */
#include "measure/point/method.h"

#include <math.h>

#define STEADY 0.01    /* two windows differ less than this */
#define FIRST 3        /* single launches before the first batch */
#define WINDOWS 3.0    /* in device_warmup_min, each at most ... */
#define WINDOW_MAX 1.0 /* ... s */
#define LONGEST 0.1    /* of max_time: a sample that has 16 launches all the same */
#define RESIZE 1.25    /* a batch is resized when its estimate is off by more */

static bool loop_is_stopped(const struct sampler *sampler)
{
    return sampler->stop && sampler->stop(sampler->ctx);
}

/* Runs the work for one window; its rate in runs/s, or -1 when it failed or stopped. */
static double window_rate(const struct sampler *sampler, double length, bool *failed)
{
    double began = sampler->now(sampler->ctx), took = 0, seconds;
    int runs = 0;

    while (took < length) {
        if (loop_is_stopped(sampler))
            return -1;
        if (!sampler->run(sampler->ctx, 1, &seconds)) {
            *failed = true;
            return -1;
        }
        runs++;
        took = sampler->now(sampler->ctx) - began;
    }
    return runs / took;
}

static bool rates_are_near(double before, double now)
{
    return before > 0 && fabs(now - before) < STEADY * before;
}

void method_warmup(const struct method_settings *settings, const struct sampler *sampler,
                   struct warmed *out)
{
    double began = sampler->now(sampler->ctx), before = -1, clock = 0;
    double length = fmin(settings->device_warmup_min / WINDOWS, WINDOW_MAX);

    *out = (struct warmed){0};
    while (length > 0 && out->seconds < settings->device_warmup_max) {
        double rate = window_rate(sampler, length, &out->failed);

        out->seconds = sampler->now(sampler->ctx) - began;
        if (rate < 0) {
            out->interrupted = !out->failed;
            return;
        }
        out->rate = rate;
        clock = sampler->clock ? sampler->clock(sampler->ctx) : 0;
        /* a clock that nobody knows, before or now, holds nothing up */
        out->steady = rates_are_near(before, rate) &&
                      (!(out->clock > 0 && clock > 0) || rates_are_near(out->clock, clock));
        out->clock = clock > 0 ? clock : out->clock;
        if (out->steady && out->seconds >= settings->device_warmup_min)
            return;
        before = rate;
    }
}

/* One batch of so many runs; the seconds of one operation, or 0 after marking what went wrong. */
static double loop_batch(const struct sampler *sampler, int launches, int runs,
                         struct measured *out)
{
    double all = 0, seconds = 0;

    for (int i = 0; i < runs; i++) {
        if (loop_is_stopped(sampler)) {
            out->interrupted = true;
            return 0;
        }
        if (!sampler->run(sampler->ctx, launches, &seconds) || !(seconds > 0) ||
            !isfinite(seconds)) {
            out->failed = true;
            return 0;
        }
        all += seconds;
    }
    return all / runs / launches;
}

/* Leaves a size of a batch that is about right, for another graph has to be made for
 * another; where samples are of several runs, it is not too short, lest it takes two. */
static void loop_resize(const struct method_settings *settings, double each, int rotation,
                        struct measured *out)
{
    int want = method_launches(each, settings->sample_time, LONGEST * settings->max_time, rotation);
    double above = settings->sample_runs > 1 ? 1 : RESIZE;

    if (want > above * out->launches || want * RESIZE < out->launches)
        out->launches = want;
    double runs = ceil(settings->sample_time / each / out->launches - 1e-9);
    out->runs = (int)fmax(fmin(runs, settings->sample_runs), 1);
}

/* Leaves the size of a batch in out; false when it failed or was stopped. One batch that
 * something held up says nothing, the last one too: the faster of two does. */
static bool warm_point(const struct method_settings *settings, const struct sampler *sampler,
                       int rotation, struct measured *out)
{
    double began = sampler->now(sampler->ctx), before = INFINITY, each;
    int launched = FIRST;

    for (int i = 0; i < FIRST; i++) {
        if (!(each = loop_batch(sampler, 1, 1, out)))
            return false;
        out->first = i ? out->first : each;
        before = fmin(before, each);
    }
    loop_resize(settings, before, rotation, out);
    while (sampler->now(sampler->ctx) - began < settings->warmup ||
           launched < settings->warmup_launches) {
        launched += out->launches * out->runs;
        if (!(each = loop_batch(sampler, out->launches, out->runs, out)))
            return false;
        loop_resize(settings, fmin(before, each), rotation, out);
        before = each;
    }
    return true;
}

void method_measure(const struct method_settings *settings, const struct sampler *sampler,
                    int rotation, struct measured *out)
{
    double each;
    int n = 0;

    out->launches = out->runs = 0;
    out->first = 0;
    out->reason = STOP_NOT;
    out->interrupted = out->failed = false;
    out->stats = (struct stats){0};
    if (!warm_point(settings, sampler, rotation, out))
        return;
    if (sampler->window)
        sampler->window(sampler->ctx);
    double began = sampler->now(sampler->ctx);
    while (out->reason == STOP_NOT &&
           (each = loop_batch(sampler, out->launches, out->runs, out)) > 0) {
        out->samples[n] = each;
        out->times[n] = sampler->now(sampler->ctx) - began;
        n++;
        out->reason = method_stop(settings, out->samples, n, out->times[n - 1]);
    }
    out->stats = method_stats(out->samples, out->times, n);
    out->stats.converged = out->reason == STOP_CONVERGED;
}
