/*
 * watch.h - the thread that reads the sensors while the device works, and the one door through
 * which both threads write lines.
 *
 * What a backend's sensors() may hold: numbers by name ("temp_c", "power_w", "sm_clock_mhz", ...),
 * words, and one with a meaning of its own: "throttle_bits", an integer of NVML's clocks event
 * reasons. Samples inside the window become {"samples":n, "temp_c":{"mean","min","max"}, ...,
 * "throttle":{"class","bits","fraction"}}; fewer than three say nothing and give null.
 */
#ifndef GP_BENCH_WATCH_H
#define GP_BENCH_WATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/backend.h"

struct watch;

/* What a window came to. */
struct watched {
    json_t *sensors; /* object or null; the caller's */
    enum throttle throttle;
    double clock; /* mean of sm_clock_mhz; 0 = unknown */
};

/* Writes one line and flushes it; false when the other side is gone. Takes the object. */
bool output_send(FILE *out, json_t *object);

struct watch *watch_new(FILE *out);
void watch_free(struct watch *watch);

/* Writes a line, nothing when the other side has gone. Takes the object. */
void watch_send(struct watch *watch, json_t *line);
/* The last line: what the thread would still say is dropped. */
void watch_end(struct watch *watch, json_t *line);
bool watch_gone(struct watch *watch);

/* Starts and stops the thread; ctx is the backend's. */
bool watch_start(struct watch *watch, const struct backend *backend, void *ctx, double sensors_s,
                 double progress_s);
void watch_stop(struct watch *watch);

void watch_point(struct watch *watch, int index); /* -1 = none runs */
void watch_window(struct watch *watch);           /* from here on samples count */
/* One more batch has been timed, in a window; seconds: of one operation of it. */
void watch_sample(struct watch *watch, double seconds);
/* Of the window so far: at most so many readings, evenly spread, each with its "t_s". */
json_t *watch_readings(struct watch *watch, int most);
struct watched watch_close(struct watch *watch); /* ends the window */

/* The latest reading of a number; fallback when there is none. */
double watch_latest(struct watch *watch, const char *name, double fallback);

#endif
