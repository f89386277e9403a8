/*
 * replay_run.h - a plan's requests replayed: from options to percentiles, and their record.
 */
#ifndef GP_ANSWER_REPLAY_RUN_H
#define GP_ANSWER_REPLAY_RUN_H

#include "answer/planner.h"
#include "answer/record.h"
#include "base/str.h"
#include "catalog/shape.h"
#include "plan/replay/forecast.h"

/* Requests that came in one hour. */
struct replay_hour {
    int requests;
    double late[LATE_COUNT]; /* s; NAN: none of them was answered */
};

/* Requests by the replicas that there were when they came. */
enum replay_phase { PHASE_WHOLE, PHASE_LOST, PHASE_ADDED, PHASE_COUNT };

struct replay_run {
    struct answer answer;
    struct forecast forecast;
    struct forecast_ask ask;
    bool solved;                /* --solve rate: */
    struct quantity rate;       /* requests/s up to which all goals are kept; the replay is of it */
    double hourly[SHAPE_HOURS]; /* of --arrivals of a shape: shares of the mean */
    bool weekly;                /* they begin on a Monday at midnight */
    struct replay_hour *hour;   /* of forecast.hours, where a replay takes that long; owned */
    struct replay_hour phase[PHASE_COUNT]; /* where one is lost or added */
    double cold_start;                     /* s, of the one that is added */
    int measured;               /* requests of a benchmark, whose own times follow */
    double truth[LATE_COUNT];   /* s; NAN: not told */
    struct runner_up cure;      /* that keeps the goals at the rate cure_rate; gpus 0: none */
    double cure_rate;           /* of the busiest hour; 0: no goal is missed */
    bool done;                  /* false: the plan does not fit, nothing was replayed */
};

/* The plan of the options, and its replay. GP_E_USAGE: the engine or the layout cannot be replayed,
 * or the options contradict each other. */
enum gp_status replay_run_options(struct planner *planner, const struct options *options,
                                  struct replay_run *out, struct gp_err *err);
void replay_run_fini(struct replay_run *run);

/* Does it keep up, and within the goals? */
bool replay_run_passes(const struct replay_run *run);

/* gpuplan.replay/1. */
void report_replay(const struct replay_run *run, struct record *doc);
void print_replay(const struct replay_run *run, struct strbuf *out);

/* What --timeline and --requests-out write. */
void replay_timeline_csv(const struct replay_run *run, struct strbuf *out);
void replay_requests_csv(const struct replay_run *run, struct strbuf *out);

#endif
