/*
 * bench_parts.h - one run of gpuplan --bench, and the files that make it up.
 *
 *   bench_setup.c     options -> engine, devices, points, names of files
 *   bench_rank.c      one of several ranks under srun or mpirun: its device, its file,
 *                     and rank 0's merge
 *   bench_run.c       engines at work: events, signals, journal
 *   bench_progress.c  what is said meanwhile on standard error
 *   bench_result.c    records -> gpuplan.bench/1, predicted beside measured
 *   bench_summary.c   the words: what limits the device, do the sheet's figures hold
 *   cmd_bench.c       the command: all of it in order, and the exit code
 */
#ifndef GP_CLI_BENCH_PARTS_H
#define GP_CLI_BENCH_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "bench/method.h"
#include "bench/point.h"
#include "cli/command.h"
#include "core/gpu.h"
#include "data/benchlog.h"
#include "data/planner.h"
#include "run/journal.h"
#include "run/points.h"
#include "run/runner.h"
#include "util/err.h"
#include "util/path.h"

#define BENCH_DEVICES  64
#define BENCH_WARNINGS 64

enum progress_kind { PROGRESS_NONE, PROGRESS_TTY, PROGRESS_PLAIN, PROGRESS_JSON };

struct bench_progress {
    enum progress_kind kind;
    bool shown;             /* a line stands on the terminal */
    double last;            /* s, when a line was last written */
    double estimated, took; /* s, of what is done: their quotient corrects the ETA */
    double left;            /* s, estimated, of what is not */
    double began[BENCH_DEVICES]; /* s, when the device's point began */
    int done, of;
    char point[BENCH_DEVICES][POINT_ID_MAX];
    char rate[64];
    double temp, power; /* 0 = unknown */
};

struct bench_device_run {
    const json_t *json;    /* as the engine lists it; in devices below */
    int index;             /* as the engine counts */
    const struct gpu *gpu; /* of the catalogue; NULL = not in it */
    bool failed;
    char why[400];
};

struct bench_job {
    struct invocation *in;
    char backend[8]; /* "cuda", "cpu" */
    char program[GP_PATH_MAX];
    char chosen[400]; /* why this backend */
    json_t *hello, *devices;
    struct bench_device_run device[BENCH_DEVICES];
    int device_count;
    unsigned tests;
    struct answer *answer; /* of the model asked for, or NULL */
    bool model_assumed;    /* nobody named it */
    struct point_shape shapes[POINTS_SHAPES];
    struct points_ask ask;
    struct points points;
    int passes;
    double time_limit; /* s, 0 = none */

    int rank, ranks; /* ranks 0 or 1: alone */
    int local_rank;
    char job_id[96];
    char host[72];
    char base[GP_PATH_MAX];   /* result file as asked for (rank 0 merges into it) */
    char result[GP_PATH_MAX]; /* this process's result file */
    char journal_path[GP_PATH_MAX];
    bool to_stdout; /* --output -: no file of its own */

    struct journal *journal;
    json_t *records; /* {"device", "pass", "point"} */
    int resumed;     /* records that were there already */
    time_t began;
    double clock;         /* s, monotonic, when it began */
    int signal;           /* that stopped it, 0 = none */
    bool limit_hit, disk; /* disk: a record could not be saved */
    struct gp_err disk_err;
    char warning[BENCH_WARNINGS][256];
    int warning_count;
    struct bench_progress progress;
};

void bench_warn(struct bench_job *job, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
double bench_now(void); /* s, monotonic */

/* setup */
enum gp_status bench_setup(struct bench_job *job, struct gp_err *err);
void bench_job_fini(struct bench_job *job);
void bench_dry_run(const struct bench_job *job, struct strbuf *out);

/* ranks */
void bench_rank_find(struct bench_job *job);
/* dst = base with ".rank3.HOST" before its suffix. */
bool bench_rank_name(const struct bench_job *job, char *dst, size_t size);
/* Rank 0: waits for the other files and merges; missing ranks are named in it. */
enum gp_status bench_rank_merge(struct bench_job *job, struct gp_err *err);

/* run */
void bench_signals(bool on); /* on: from now on they stop the run, not the program */
enum gp_status bench_run(struct bench_job *job, struct gp_err *err);

/* progress */
void bench_progress_init(struct bench_job *job, const char *word);
void bench_progress_start(struct bench_job *job, int device, int index);
void bench_progress_sensors(struct bench_job *job, const json_t *sensors);
void bench_progress_point(struct bench_job *job, int device, int index,
                          const json_t *line);
void bench_progress_say(struct bench_job *job, const char *text); /* on a line */
void bench_progress_end(struct bench_job *job);

/* result */
json_t *bench_result(struct bench_job *job, const char *status);
/* Words about the results, as an array of texts. */
json_t *bench_summary(const struct benchlog *log);

#endif
