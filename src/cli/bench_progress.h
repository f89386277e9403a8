/*
 * bench_progress.h - running a measurement: what it says on standard error, and how it ends.
 */
#ifndef GP_CLI_BENCH_PROGRESS_H
#define GP_CLI_BENCH_PROGRESS_H

#include <stdbool.h>

#include "cli/command.h"
#include "measure/session.h"

enum progress_kind { PROGRESS_NONE, PROGRESS_TTY, PROGRESS_PLAIN, PROGRESS_JSON };

struct bench_progress {
    enum progress_kind kind;
    bool verbose;             /* also what engines say */
    bool shown;               /* a line stands on the terminal */
    double last;              /* s, when a line was last written */
    char point[128];          /* id of the last one that began, or ended */
    int device;               /* that it is of: its place among the session's */
    char rate[32];            /* of the last result; "" = none yet */
    double operations, bytes; /* the same, per second */
    struct session_sensors sensors[SESSION_DEVICES]; /* by place, as read last */
};

/* Each line of the text on a line of its own. */
void bench_progress_say(struct bench_progress *progress, const char *text);

/* One measurement of a command. */
struct bench_run {
    struct invocation *in;
    struct session *session;
    /* Devices and points are known: session_start(), or what is to be said instead. */
    enum gp_status (*ready)(struct bench_run *run, struct gp_err *err);
    void (*seen)(struct bench_run *run, const struct session_event *event); /* or NULL */
    struct bench_progress progress;
    bool over;         /* it is measured, or ready() says that it is enough */
    enum gp_status rc; /* why it ended before; err says it */
    struct gp_err err;
};

/* What --progress, --quiet and --verbose say. */
void bench_run_init(struct bench_run *run, struct invocation *in,
                    enum gp_status (*ready)(struct bench_run *run, struct gp_err *err));
/* The notes of a session, which has started. */
void bench_run_notes(struct bench_run *run);
/* Drives the session to its end. From here on signals stop it; bench_run_end() leaves them as they
 * were, frees it and says whether one came: 130, 143; 0. */
enum gp_status bench_run_drive(struct bench_run *run, struct gp_err *err);
int bench_run_end(struct bench_run *run);

#endif
