/*
 * session_inside.h - a session is its parts, one for each stage, and here they meet: for
 * session.c (its life and what can be seen of it), session_work.c (engines at work) and
 * session_result.c (the document). The other stages know only their own part.
 */
#ifndef GP_MEASURE_SESSION_INSIDE_H
#define GP_MEASURE_SESSION_INSIDE_H

#include <jansson.h>
#include <stdbool.h>
#include <time.h>

#include "measure/journal.h"
#include "measure/result/benchlog.h"
#include "measure/session.h"
#include "measure/session_files.h"
#include "measure/session_look.h"
#include "measure/session_notes.h"
#include "measure/session_plan.h"
#include "measure/session_predict.h"
#include "measure/session_record.h"

struct device_run { /* what one device does in a run */
    struct session_device facts;
    const json_t *listed; /* its line in the engine's list, borrowed */
    json_t *opened;       /* the same when it was opened to measure; NULL = not yet */
    struct session_shown shown;
    struct session_roof roof;
    double began; /* s, when facts.running began; 0 = it was answered */
    int test;     /* of it, or of the one before; -1 = none in this phase */
    bool rested;  /* the device rested before it */
    int *order;   /* of the phase that runs */
};

struct session_estimate {
    double estimated, took; /* s, of what is done: their quotient corrects the rest */
    double left;            /* s, estimated, of what is not */
    double rests;           /* between tests, that are to come */
    bool warms;             /* no point has begun yet */
    int done, of;
};

struct session_work {
    struct runner *runner;         /* of the phase; NULL between phases */
    bool together;                 /* the second phase, of what devices do together */
    int place_of[SESSION_DEVICES]; /* of the device, by engine number of the runner */
    struct session_records records;
    bool resumed; /* some were there already */
    struct journal *journal;
    struct session_estimate estimate;
    time_t date;                   /* when it began */
    double began, ended;           /* s, clock_now */
    bool stopped, limit_hit, disk; /* asked to; time limit; a record was not saved */
    int level;                     /* stops asked for so far */
    int signal;                    /* that stopped it, 0 = none */
};

struct session {
    enum session_state state;
    struct session_ask ask; /* its texts are the three below */
    struct options options; /* its pointer here */
    char tests[256], folder[GP_PATH_MAX], job[96];
    json_t *recalled; /* header of the journal gone on with: its texts are borrowed */
    struct session_notes notes;
    struct session_look look;
    struct bench_plan plan;
    struct session_files files;
    struct device_run *device; /* those of the plan */
    int devices;
    struct session_work work;
    struct gp_err broken; /* why it is BROKEN */
    bool broken_said;
    char text[NOTES_TEXT]; /* of the event delivered last */
    struct benchlog log;   /* DONE */
    bool have_log;
};

/* ---- session_work.c ---- */
enum gp_status session_open_journal(struct session *s, struct gp_err *err);
void session_begin_phase(struct session *s, bool together);
bool session_work_step(struct session *s, double seconds, struct session_event *event);
/* Is no device lost or refused that takes part in a point of several? */
bool session_all_well(const struct session *s, const struct point *point);
bool session_has_begun(const struct session *s); /* a point, since the start */
/* A record as it is seen: with the prediction. */
void session_see_result(const struct session *s, const struct device_run *d,
                        const struct session_record *record, struct session_result *out);
/* The best figures of what stands for the points, as the roof of the others. */
void session_find_roof(const struct session *s, struct device_run *d);

/* ---- session_result.c, session_host.c ---- */
json_t *session_document(struct session *s);
json_t *session_tool(const struct session *s);
json_t *session_host(const struct session *s);

#endif
