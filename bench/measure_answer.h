/*
 * measure_answer.h - what a point came to, and the line that says it.
 */
#ifndef GP_BENCH_MEASURE_ANSWER_H
#define GP_BENCH_MEASURE_ANSWER_H

#include "bench/measure.h"

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
    double passes[3]; /* medians, s */
    int pass_count;
    bool drift;
};

/* Sends the line "point"; borrows all of the result. */
void measure_send(struct bench_run *run, const struct result *r);

#endif
