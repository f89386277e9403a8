/*
 * session_parts.h - a session from inside, and the files that make it up.
 *
 *   session.c         its life: states, stopping, notes, one step
 *   session_look.c    which engine, which devices
 *   session_options.c options, kept in the journal
 *   session_plan.c    options -> points
 *   session_files.c   names of files, the journal, the end
 *   session_work.c    engines at work: events, time limit, what is left
 *   session_view.c    what can be seen meanwhile
 *   session_predict.c the roofline of a point on a device
 *   session_result.c  records -> gpuplan.bench/1
 *   session_host.c    where and by what it was measured
 */
#ifndef GP_RUN_SESSION_PARTS_H
#define GP_RUN_SESSION_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "bench/method.h"
#include "core/gpu.h"
#include "core/roofline.h"
#include "point/point.h"
#include "result/benchlog.h"
#include "run/journal.h"
#include "run/points.h"
#include "run/runner.h"
#include "run/session.h"
#include "util/path.h"

#define SESSION_NOTES   64
#define SESSION_QUEUE   16

struct session_unit {   /* one device */
    const json_t *json; /* as the engine lists it; in session.listed */
    json_t *opened;     /* the same when it was opened to measure; NULL = not yet */
    int index;          /* as the engine counts */
    bool known, failed; /* known: gpu below is of the catalogue */
    struct gpu gpu;     /* or of its slice */
    char why[SESSION_NOTE];
    int running;    /* index of a point, -1 = none */
    double began;   /* s, when that began; 0 = it was answered */
    int test;       /* of it, or of the one before; -1 = none in this phase */
    bool rested;    /* the device rested before it */
    /* the best of this run that is good, as a roof without a sheet; 0 = none */
    double read;             /* bytes/s beyond the cache */
    double rate[TYPE_COUNT]; /* operations/s of products */
    const struct point *best[TYPE_COUNT]; /* the point of that rate, in session.points */
    int *order;     /* of the phase that runs */
    json_t **shown; /* [points][SESSION_VARIANTS]: last results, borrowed */
    json_t **bad;   /* [points]: what ended before it had variants, or NULL; likewise */
};

struct session_estimate {
    double estimated, took; /* s, of what is done: their quotient corrects the rest */
    double left;            /* s, estimated, of what is not */
    double rests;           /* between tests, that are to come */
    bool warms;             /* no point has begun yet */
    int done, of;
};

struct session {
    enum session_state state;
    struct session_ask how; /* ask in it points to the next */
    struct options options;
    json_t *recalled; /* header of the journal gone on with, or NULL */
    char tests_text[256], folder[GP_PATH_MAX], job[96];

    /* looking */
    struct runner *runner; /* of the list, then of the phase */
    int trying;            /* place among the backends that are tried */
    char why_not[320];     /* the one before could not be used */
    char backend[8], program[GP_PATH_MAX], chosen[400];
    json_t *hello, *listed;
    struct session_unit unit[SESSION_DEVICES];
    int count;
    struct session_unit *found; /* all of listed, for session_found_device */

    struct gp_err broken; /* why it is BROKEN */
    bool told;            /* and that was said */

    /* plan */
    unsigned tests;
    struct answer *answer; /* of the model asked for, or NULL */
    bool model_assumed;    /* nobody named it */
    struct point_shape shapes[POINTS_SHAPES];
    char storage[sizeof((struct point *)0)->path]; /* --storage, whole */
    struct points_options points_options;
    struct points points;
    double time_limit; /* s, 0 = none */

    /* files */
    char host[72];
    char base[GP_PATH_MAX];   /* result file as asked for */
    char result[GP_PATH_MAX]; /* of this process; the same but for ranks */
    char journal_path[GP_PATH_MAX];
    bool to_stdout; /* --output -: no file of its own */
    struct journal *journal;

    double asked_at; /* when an engine was asked for its devices; 0 = said that it was */

    /* work */
    json_t *records; /* {"device", "pass", "point"} */
    bool resumed;    /* some were there already */
    time_t began;
    double clock, ended;           /* s, monotonic */
    bool together;                 /* the second phase, of what devices do together */
    int unit_of[SESSION_DEVICES];  /* by engine number of the runner */
    bool stopped, limit_hit, disk; /* by somebody; by time; a record was not saved */
    int level;                     /* stops asked for so far */
    int signal;                    /* that stopped it, 0 = none */
    struct gp_err disk_err;
    struct session_estimate estimate;
    struct session_remark {
        const char *code; /* "busy": for programs, as text is for people */
        char text[SESSION_NOTE];
    } note[SESSION_NOTES];
    int note_count, look_notes;     /* look_notes: of them, what a plan leaves */
    char queue[SESSION_QUEUE][800]; /* notes that are still to be delivered */
    int queued;
    char text[800]; /* of the event delivered last */

    struct benchlog log; /* DONE */
    bool have_log;
};

/* s that an engine may be silent: $GPUPLAN_ENGINE_TIMEOUT, or as usual. */
double session_timeout(double usual);
/* Keeps a note for the result; gpuplan-bench(1) lists the codes. */
void session_warn(struct session *s, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Queues a note for the caller; the oldest goes when there are too many. */
void session_say(struct session *s, const char *text);
double session_figure(const json_t *json, const char *key);    /* NAN = none */
const char *session_word(const json_t *json, const char *key); /* "" = none */

bool session_look(struct session *s, double seconds, struct session_event *event);
json_t *session_options(const struct session *s);
/* Takes what was not given from the journal that is to be gone on with. */
enum gp_status session_recall(struct session *s, struct gp_err *err);
enum gp_status session_choose(struct session *s, struct gp_err *err);
enum gp_status session_check(struct session *s, struct gp_err *err); /* words alone */
enum gp_status session_make_plan(struct session *s, struct gp_err *err);
void session_drop_plan(struct session *s);
enum gp_status session_name_files(struct session *s, struct gp_err *err);
enum gp_status session_open_journal(struct session *s, struct gp_err *err);
void session_phase(struct session *s, bool together);
/* Is no device lost or refused that takes part in a point of several? */
bool session_all_well(const struct session *s, const struct point *point);
bool session_has_begun(const struct session *s); /* a point, since the start */
bool session_work(struct session *s, double seconds, struct session_event *event);

/* What the roofline allows a point; unknown when nothing bounds it. */
struct roofline session_predict(const struct session_unit *u,
                                const struct point *point);
/* What the data sheet alone says of the type's rate, and of the bandwidth that the
 * point's bytes go through: of memory, or of the link both ways in one; a quantity that
 * it does not say, or that the point does not use, is unknown. */
struct roof session_sheet(const struct session_unit *u, const struct point *point);
void session_show(struct session_unit *u, int index, json_t *point);
void session_flag(json_t *point, const char *flag); /* once */
/* What a run measured, as the roof of its points: session_predict.c. */
void session_clear_roof(struct session_unit *u);
void session_take_roof(struct session_unit *u, const struct point *p,
                       const json_t *point);
void session_find_roof(const struct session *s, struct session_unit *u); /* of shown */
void session_sensors(const struct session_unit *u, const json_t *json,
                     struct session_sensors *out);
void session_read_result(const struct session *s, const struct session_unit *u,
                         int index, const json_t *point, struct session_result *out);

json_t *session_document(struct session *s);
json_t *session_tool(const struct session *s);
json_t *session_host(const struct session *s);

#endif
