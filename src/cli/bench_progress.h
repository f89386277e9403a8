/*
 * bench_progress.h - what --bench says on standard error while it works.
 */
#ifndef GP_CLI_BENCH_PROGRESS_H
#define GP_CLI_BENCH_PROGRESS_H

#include <stdbool.h>

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

/* word: as --progress takes it. */
void bench_progress_init(struct bench_progress *progress, const char *word, bool quiet,
                         bool verbose);
void bench_progress_event(struct bench_progress *progress, const struct session *session,
                          const struct session_event *event);
/* Each line of the text on a line of its own. */
void bench_progress_say(struct bench_progress *progress, const char *text);
void bench_progress_end(struct bench_progress *progress);

#endif
