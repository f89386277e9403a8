/*
 * measure.h - one point from its start line to its result lines.
 *
 * prepare - (heat again after a pause) - for each variant: measure, measure once more after cooling
 * down when it was throttled, compare with the pass before, check - release.
 */
#ifndef GP_BENCH_MEASURE_H
#define GP_BENCH_MEASURE_H

#include "bench/backend.h"
#include "bench/job.h"
#include "bench/watch.h"

struct bench_run {
    const struct backend *backend;
    void *ctx;
    struct job job;
    struct watch *watch;
    bool (*stop_now)(void);
    bool (*stop_soon)(void);     /* after the point, and so before the first */
    double (*medians)[VARIANTS]; /* of the pass before, by point index; 0 = none yet */
    double clock;                /* mean of the warm-up; 0 = unknown */
    json_t *counted;             /* by the backend when samples began; NULL */
    bool heats;                  /* the warm-up worked */
    bool warming;                /* it is on */
    double busy;                 /* when the device last worked */
    int test;                    /* of the point before; -1 = there was none */
};

enum measured_point { POINT_DONE, POINT_STOPPED, POINT_DEVICE_LOST };

/* Heats the device; where nothing can (no library) it says so and goes on. */
void measure_warmup(struct bench_run *run);
enum measured_point measure_point(struct bench_run *run, const struct job_point *jp);

#endif
