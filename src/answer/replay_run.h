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

/* Some of the requests: those that came in one hour, say. */
struct replay_part {
    int requests;
    double late[LATE_COUNT]; /* s; NAN: none of them was answered */
};

/* Requests by the replicas that there were when they came. */
enum replay_phase { PHASE_WHOLE, PHASE_LOST, PHASE_ADDED, PHASE_COUNT };

#define REPLAY_PRIORITIES 8 /* more are not told apart */

struct replay_run {
    struct answer answer;
    struct forecast forecast;
    struct forecast_ask ask;
    bool solved;                /* --solve rate: */
    struct quantity rate;       /* requests/s up to which all goals are kept; the replay is of it */
    double hourly[SHAPE_HOURS]; /* of --arrivals of a shape: shares of the mean */
    bool weekly;                /* they begin on a Monday at midnight */
    struct replay_part *hour;   /* of forecast.hours, where a replay takes that long; owned */
    struct replay_part phase[PHASE_COUNT]; /* where one is lost or added */
    int priorities;                        /* values that requests have, */
    int priority[REPLAY_PRIORITIES];       /* ... in order, none first */
    struct replay_part urgent[REPLAY_PRIORITIES];
    double cold_start;        /* s, of the one that is added */
    struct replay_part truth; /* of a benchmark's own times */
    struct runner_up cure;    /* that keeps the goals at the rate cure_rate; gpus 0: none */
    double cure_rate;         /* of the busiest hour; 0: no goal is missed */
    bool done;                /* false: the plan does not fit, nothing was replayed */
};

/* The plan of the options, and its replay. GP_E_USAGE: the engine or the layout cannot be replayed,
 * or the options contradict each other. */
enum gp_status replay_run_options(struct planner *planner, const struct options *options,
                                  struct replay_run *out, struct gp_err *err);
/* Its two halves: the plan and what arrives; then the replay of that, as often as wanted. */
enum gp_status replay_run_read(struct planner *planner, const struct options *options,
                               struct replay_run *out, struct gp_err *err);
enum gp_status replay_run_forecast(struct planner *planner, struct replay_run *run,
                                   struct gp_err *err);
void replay_run_fini(struct replay_run *run);

/* Requests/s up to which such a plan keeps the goals, or keeps up where there are none; of a day or
 * week the mean, its busiest hour counted. NAN: the plan does not fit. */
enum gp_status replay_run_most(struct planner *planner, const struct options *options, double *rate,
                               struct gp_err *err);

/* Does it keep up, and within the goals? */
bool replay_run_passes(const struct replay_run *run);
bool replay_run_has_goals(const struct replay_run *run);
/* "kept for sure", "missed": a goal of a percentile. */
const char *replay_goal_words(const struct quantity *at, double most);
void replay_run_prices(const struct replay_run *run, struct quantity *hour,
                       struct quantity *million);

/* gpuplan.replay/1. */
void report_replay(const struct replay_run *run, struct record *doc);
void print_replay(const struct replay_run *run, struct strbuf *out);
/* "KEEPS UP with 2 requests/s" */
void print_replay_load(const struct replay_run *run, struct strbuf *out);

/* TTFT of those whose first token came in each of `spans` parts of the timeline, at most all of
 * them, s; NAN: of none. */
void replay_ttft_spans(const struct replay_run *run, int spans, double *p50, double *p99);
/* What --timeline and --requests-out write. */
void replay_timeline_csv(const struct replay_run *run, struct strbuf *out);
void replay_requests_csv(const struct replay_run *run, struct strbuf *out);

#endif
