/* watch.c - one mutex for everything both threads touch; sensors() is called outside. */
#include "bench/watch.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "measure/point/protocol.h"

#define WINDOW_MAX 4096 /* readings kept of one window; even */
#define LEAST 3         /* readings that say something */

struct watch {
    FILE *out;
    bool gone;  /* nobody reads any more */
    bool ended; /* the last line is written */
    const struct backend *backend;
    void *ctx;
    double sensors_s, progress_s, last_line;
    bool running, quit, open;
    int index, samples;
    double sample;    /* s of one operation, the latest; 0 = none */
    json_t *readings; /* array: those of the window, one of `stride` */
    int seen, stride;
    double first, last; /* s, when the first and the last of them were taken */
    json_t *latest;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

struct watch *watch_new(FILE *out)
{
    struct watch *watch = gp_calloc(1, sizeof *watch);
    pthread_condattr_t monotonic;

    watch->out = out;
    watch->index = -1;
    watch->readings = json_array();
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return watch;
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    watch_stop(watch);
    json_decref(watch->readings);
    json_decref(watch->latest);
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

bool output_send(FILE *out, json_t *object)
{
    struct strbuf line;

    strbuf_init(&line);
    gp_json_write(object, false, &line);
    strbuf_add(&line, "\n");
    json_decref(object);
    bool sent = fwrite(line.text, 1, line.len, out) == line.len && fflush(out) == 0;
    strbuf_fini(&line);
    return sent;
}

/* With the lock held. */
static void send_locked(struct watch *watch, json_t *line)
{
    if (watch->gone || watch->ended)
        json_decref(line);
    else
        watch->gone = !output_send(watch->out, line);
}

void watch_send(struct watch *watch, json_t *line)
{
    pthread_mutex_lock(&watch->lock);
    send_locked(watch, line);
    pthread_mutex_unlock(&watch->lock);
}

void watch_end(struct watch *watch, json_t *line)
{
    pthread_mutex_lock(&watch->lock);
    send_locked(watch, line);
    watch->ended = true;
    pthread_mutex_unlock(&watch->lock);
}

bool watch_gone(struct watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    bool gone = watch->gone;
    pthread_mutex_unlock(&watch->lock);
    return gone;
}

/* ---- the thread ---- */

/* Locked: in a long window every second reading does as well, of those to come too. */
static void watch_thin(struct watch *watch)
{
    json_t *kept = json_array();

    for (size_t i = 0; i < json_array_size(watch->readings); i += 2)
        json_array_append(kept, json_array_get(watch->readings, i));
    json_decref(watch->readings);
    watch->readings = kept;
    watch->stride *= 2;
}

static void watch_add(struct watch *watch, json_t *reading, double now)
{
    if (watch->seen++ % watch->stride != 0)
        return;
    if (json_array_size(watch->readings) == 0)
        watch->first = now;
    watch->last = now;
    json_array_append(watch->readings, reading);
    if (json_array_size(watch->readings) == WINDOW_MAX)
        watch_thin(watch);
}

/* Locked: keeps a reading, and says it when it is time. Takes the reading. */
static void watch_keep(struct watch *watch, json_t *reading)
{
    double now = clock_now();
    json_t *line;

    json_decref(watch->latest);
    watch->latest = json_is_object(reading) ? json_incref(reading) : NULL;
    if (watch->open && watch->latest)
        watch_add(watch, reading, now);
    if (now - watch->last_line >= watch->progress_s) {
        line =
            json_pack("{s:s, s:i}", "t", line_kind_words[LINE_SENSORS], "samples", watch->samples);
        if (watch->sample > 0)
            json_object_set_new(line, "sample_s", json_real(watch->sample));
        if (watch->index >= 0)
            json_object_set_new(line, "index", json_integer(watch->index));
        if (watch->latest)
            json_object_update_missing(line, reading);
        send_locked(watch, line);
        watch->last_line = now;
    }
    json_decref(reading);
}

/* Locked: sleeps until `when` or until it is to end. */
static void sleep_until(struct watch *watch, double when)
{
    struct timespec at = {.tv_sec = (time_t)when};

    at.tv_nsec = (long)((when - floor(when)) * 1e9);
    while (!watch->quit && clock_now() < when)
        pthread_cond_timedwait(&watch->wake, &watch->lock, &at);
}

/* The moment after `now` that is due. A driver may take longer to answer than the time
 * between two readings: what it missed is left out, so that it is never asked without a
 * pause, which would slow down what is measured. */
static double watch_after(double due, double now, double every)
{
    return due + every * fmax(1, floor((now - due) / every) + 1);
}

static void *watch_thread(void *arg)
{
    struct watch *watch = arg;
    double next = clock_now();

    pthread_mutex_lock(&watch->lock);
    while (!watch->quit) {
        json_t *reading = NULL;

        pthread_mutex_unlock(&watch->lock);
        if (watch->backend->sensors)
            reading = watch->backend->sensors(watch->ctx);
        pthread_mutex_lock(&watch->lock);
        watch_keep(watch, reading);
        next = watch_after(next, clock_now(), watch->sensors_s);
        sleep_until(watch, next);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

bool watch_start(struct watch *watch, const struct backend *backend, void *ctx, double sensors_s,
                 double progress_s)
{
    watch->backend = backend;
    watch->ctx = ctx;
    watch->sensors_s = sensors_s;
    watch->progress_s = progress_s;
    watch->quit = false;
    watch->last_line = clock_now();
    watch->running = pthread_create(&watch->thread, NULL, watch_thread, watch) == 0;
    return watch->running;
}

void watch_stop(struct watch *watch)
{
    if (!watch->running)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->quit = true;
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    watch->running = false;
}

void watch_point(struct watch *watch, int index)
{
    pthread_mutex_lock(&watch->lock);
    watch->index = index;
    watch->samples = 0;
    watch->sample = 0;
    watch->last_line = clock_now();
    pthread_mutex_unlock(&watch->lock);
}

void watch_window(struct watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    json_array_clear(watch->readings);
    watch->open = true;
    watch->samples = watch->seen = 0;
    watch->sample = 0;
    watch->stride = 1;
    pthread_mutex_unlock(&watch->lock);
}

void watch_sample(struct watch *watch, double seconds)
{
    pthread_mutex_lock(&watch->lock);
    if (watch->open) { /* not those that warm up, which are of other work */
        watch->samples++;
        watch->sample = seconds;
    }
    pthread_mutex_unlock(&watch->lock);
}

double watch_latest(struct watch *watch, const char *name, double fallback)
{
    pthread_mutex_lock(&watch->lock);
    const json_t *value = json_object_get(watch->latest, name);
    double number = json_is_number(value) ? json_number_value(value) : fallback;
    pthread_mutex_unlock(&watch->lock);
    return number;
}

/* ---- what a window comes to ---- */

/* mean, min, max of one name over the readings that have it; null without any. */
static json_t *watch_summary(const json_t *readings, const char *name, double *mean)
{
    double sum = 0, low = INFINITY, high = -INFINITY;
    json_t *reading;
    size_t i, n = 0;

    json_array_foreach(readings, i, reading)
    {
        const json_t *value = json_object_get(reading, name);
        double number = json_number_value(value);

        if (!json_is_number(value))
            continue;
        sum += number;
        low = fmin(low, number);
        high = fmax(high, number);
        n++;
    }
    *mean = n ? sum / (double)n : 0;
    if (!n)
        return json_null();
    json_t *out = json_object();
    json_object_set_new(out, "mean", gp_json_number(*mean));
    json_object_set_new(out, "min", gp_json_number(low));
    json_object_set_new(out, "max", gp_json_number(high));
    return out;
}

static json_t *watch_throttling(const json_t *readings, double every, enum throttle *class)
{
    uint64_t *bits = gp_calloc(json_array_size(readings) + 1, sizeof *bits), all = 0;
    int n = 0, active = 0;
    json_t *reading;
    size_t i;

    json_array_foreach(readings, i, reading)
    {
        const json_t *value = json_object_get(reading, "throttle_bits");

        if (json_is_integer(value)) {
            bits[n] = (uint64_t)json_integer_value(value);
            all |= bits[n];
            active += method_throttle_now(bits[n++]) != THROTTLE_NONE;
        }
    }
    *class = method_throttle(bits, n, every);
    free(bits);
    json_t *out = json_pack("{s:s, s:I}", "class", throttle_word(*class), "bits", (json_int_t)all);
    json_object_set_new(out, "fraction", n ? gp_json_number((double)active / n) : json_null());
    return out;
}

static void watch_summarise(const json_t *readings, double every, struct watched *out)
{
    json_t *value;
    json_t *last = json_array_get(readings, json_array_size(readings) - 1);
    json_t *all = json_object();
    const char *name;
    double mean;

    json_object_set_new(all, "samples", json_integer((json_int_t)json_array_size(readings)));
    json_object_foreach(last, name, value)
    {
        if (strcmp(name, "throttle_bits") == 0)
            json_object_set_new(all, "throttle", watch_throttling(readings, every, &out->throttle));
        else if (json_is_number(value)) {
            json_object_set_new(all, name, watch_summary(readings, name, &mean));
            if (strcmp(name, "sm_clock_mhz") == 0)
                out->clock = mean;
        } else
            json_object_set(all, name, value);
    }
    out->sensors = all;
}

/* s that one reading stands for: due ones may have been missed or left out. */
static double watch_spacing(const struct watch *watch)
{
    double between = (watch->last - watch->first) / (double)(json_array_size(watch->readings) - 1);

    return watch->sensors_s * fmax(1, round(between / watch->sensors_s));
}

json_t *watch_readings(struct watch *watch, int most)
{
    json_t *list = json_array();

    pthread_mutex_lock(&watch->lock);
    size_t count = json_array_size(watch->readings);
    size_t step = (count + (size_t)most - 1) / (size_t)most;
    for (size_t i = 0; i < count; i += step) {
        json_t *reading = json_copy(json_array_get(watch->readings, i));
        double between = count > 1 ? (watch->last - watch->first) / (double)(count - 1) : 0;

        json_object_set_new(reading, "t_s", gp_json_number((double)i * between));
        json_array_append_new(list, reading);
    }
    pthread_mutex_unlock(&watch->lock);
    return list;
}

struct watched watch_close(struct watch *watch)
{
    struct watched out = {.throttle = THROTTLE_UNKNOWN};

    pthread_mutex_lock(&watch->lock);
    watch->open = false;
    if (json_array_size(watch->readings) >= LEAST)
        watch_summarise(watch->readings, watch_spacing(watch), &out);
    else
        out.sensors = json_null();
    json_array_clear(watch->readings);
    pthread_mutex_unlock(&watch->lock);
    return out;
}
