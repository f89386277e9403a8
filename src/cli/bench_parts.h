/*
 * bench_parts.h - gpuplan --bench around a session (run/session.h): what belongs to a
 * command line.
 *
 *   cmd_bench.c       the command: all of it in order, signals, and the exit code
 *   bench_progress.c  what is said meanwhile on standard error
 *   bench_rank.c      one of several ranks under srun or mpirun, and rank 0's merge
 *   bench_print.c     the result on standard output and in further files
 *   bench_glance.c    the figures of the quick subset, at a glance
 */
#ifndef GP_CLI_BENCH_PARTS_H
#define GP_CLI_BENCH_PARTS_H

#include <stdbool.h>

#include "cli/command.h"
#include "result/benchlog.h"
#include "run/session.h"
#include "util/err.h"
#include "util/str.h"

enum progress_kind { PROGRESS_NONE, PROGRESS_TTY, PROGRESS_PLAIN, PROGRESS_JSON };

struct bench_progress {
    enum progress_kind kind;
    bool shown;      /* a line stands on the terminal */
    double last;     /* s, when a line was last written */
    char point[128]; /* id of the last one that began, or ended */
    int device;      /* that it is of: its place among the session's */
    char rate[32];   /* of the last result; "" = none yet */
    double operations, bytes;                      /* the same, per second */
    struct session_sensors sensors[SESSION_DEVICES]; /* by place, as read last */
};

struct bench_job {
    struct invocation *in;
    struct session *session;
    struct session_plan plan; /* of the session, once it is ready */
    int rank, ranks;          /* ranks 0 or 1: alone */
    int local_rank;
    bool over;         /* the run is: there is something to finish */
    enum gp_status rc; /* why it ended before; err says it */
    struct gp_err err;
    bool unwritten; /* the result could not be written */
    char job_id[96];
    bool to_stdout; /* --output - */
    double clock;   /* s, monotonic, when it began */
    struct bench_progress progress;
};


/* ranks */
void bench_rank_find(struct bench_job *job);
/* Rank 0: waits for the other files and merges; says which are missing, *missing. */
enum gp_status bench_rank_merge(struct bench_job *job, int *missing,
                                struct gp_err *err);

/* progress */
void bench_progress_init(struct bench_job *job, const char *word);
void bench_progress_event(struct bench_job *job, const struct session_event *event);
void bench_progress_say(struct bench_job *job, const char *text); /* on a line */
void bench_progress_end(struct bench_job *job);

/* The result as the user asked for it: on standard output (with `say` below a text),
 * as the view that --output names, and for --prom. */
enum gp_status bench_show(struct bench_job *job, const struct benchlog *log,
                          const struct strbuf *say, struct gp_err *err);
/* A few lines per device: what it reached, test by test. */
void bench_glance(const struct benchlog *log, struct strbuf *out);
enum gp_status bench_write_view(struct bench_job *job, const struct benchlog *log,
                                struct gp_err *err);
enum gp_status bench_write_prom(const struct bench_job *job, const struct benchlog *log,
                                struct gp_err *err);

#endif
