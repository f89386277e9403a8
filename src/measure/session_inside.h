/*
 * session_inside.h - a session is its parts, one for each stage, and here they meet:
 *
 *   session_plan.c    which engine and devices there are, and which points they measure
 *   session.c         the life of a session: engines at work, events, what can be seen of it, words
 *   session_record.c  what was measured, and what the roofline allowed
 *   session_file.c    the names of its files, the journal's header, the result document
 */
#ifndef GP_MEASURE_SESSION_INSIDE_H
#define GP_MEASURE_SESSION_INSIDE_H

#include <jansson.h>
#include <stdbool.h>
#include <time.h>

#include "base/path.h"
#include "catalog/catalog.h"
#include "catalog/gpu.h"
#include "measure/journal.h"
#include "measure/points.h"
#include "measure/result/benchlog.h"
#include "measure/runner.h"
#include "measure/session.h"
#include "plan/roofline.h"

/* ---- remarks that the result keeps, and texts to be delivered, one per step ---- */

#define NOTES_MAX 64   /* remarks of one session */
#define NOTES_WAIT 16  /* texts that wait; the oldest goes when there are more */
#define NOTES_TEXT 800 /* bytes of one that is delivered */

struct session_notes {
    struct session_remark {
        const char *code; /* "busy": for programs, as text is for people */
        char text[SESSION_NOTE];
    } * remark;
    size_t cap;
    int count;
    int kept;                /* of them, those that another plan does not drop */
    char *queue[NOTES_WAIT]; /* malloc'ed */
    int queued;
};

/* A remark for the result; gpuplan-bench(1) lists the codes. */
void notes_add(struct session_notes *notes, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void notes_queue(struct session_notes *notes, const char *text);

/* ---- which engine is there, and which devices it has (session_plan.c) ---- */

struct found_device {
    struct session_device facts; /* facts.gpu points to gpu below */
    struct gpu gpu;              /* of the catalogue, or the slice of one */
    json_t *line;                /* as the engine listed it, known here or not: for the journal's
                                  * fingerprint and the result file */
};

struct session_look {
    struct runner *runner; /* of the list; NULL: none runs */
    int trying;            /* place among the backends that are tried, -1 at first */
    double asked_at;       /* s, when an engine was asked; 0 = said that it was */
    char why_not[320];     /* the backend before could not be used */
    char backend[8], program[GP_PATH_MAX];
    char chosen[400]; /* why this backend and not another, "" = it was asked for */
    json_t *engine;   /* its hello */
    struct found_device *found;
    int count;
    size_t cap;
};

enum look_state { LOOK_WAITS, LOOK_DONE, LOOK_FAILED };

/* Goes on for at most `seconds`. LOOK_DONE: the GPUs were looked up in the catalogue. LOOK_FAILED:
 * no engine will do, *err says why. */
enum look_state look_step(struct session_look *look, const struct options *options,
                          struct planner *planner, double seconds, struct session_notes *notes,
                          struct gp_err *err);
void look_fini(struct session_look *look);
/* s that an engine may be silent: $GPUPLAN_ENGINE_TIMEOUT, or as usual. */
double look_timeout(double usual);

/* What is said only of a device that was opened to measure: its limits. */
void session_device_opened(struct session_device *facts, const json_t *line);
/* A line of sensors; limits and memory are the device's. */
void session_sensors_read(const struct session_device *facts, const json_t *line,
                          struct session_sensors *out);

/* ---- from options to points (session_plan.c) ---- */

struct bench_plan {
    unsigned tests;                                /* bit per enum bench_test */
    struct answer *answer;                         /* of the model asked for, or NULL */
    struct point_shape *shapes;                    /* --shapes, or NULL */
    char storage[sizeof((struct point *)0)->path]; /* --storage, whole */
    double time_limit;                             /* s, 0 = none */
    double size_least, size_most;                  /* bytes, of --size */
    struct found_device *device[SESSION_DEVICES];  /* chosen, borrowed */
    int devices;
    struct points_options options;
    struct points points;
};

/* Words alone: what the options show to be wrong is said before an engine is started. */
enum gp_status bench_plan_check(struct bench_plan *plan, const struct session_request *ask,
                                struct gp_err *err);
/* Devices and points; on failure the plan is empty. */
enum gp_status bench_plan_make(struct bench_plan *plan, const struct session_request *ask,
                               struct session_look *look, struct session_notes *notes,
                               struct gp_err *err);
void bench_plan_drop(struct bench_plan *plan); /* what was made */

/* ---- what was measured (session_record.c) ---- */

#define RECORD_PASSES 16

struct session_record {
    int device; /* as its engine counts */
    int point;  /* its index in the plan */
    int pass;
    struct point_result result; /* all but the prediction */
    json_t *json;               /* the engine's answer, with what other passes made of it */
};

struct session_records { /* in the order in which they were measured */
    struct session_record **record;
    int count;
    size_t cap;
};

/* Takes a copy of an engine's answer. */
struct session_record *records_add(struct session_records *records, int device, int index,
                                   const struct point *point, const json_t *answer);
void records_fini(struct session_records *records);
/* Passes of a point that were answered, whatever the variant. */
int records_passes(const struct session_records *records, int device, int index);
/* The medians of all passes, where they are more than the engine compared: a resumed run has some
 * of each. */
void records_compare_passes(const struct session_records *records, struct session_record *record);

struct session_shown {               /* what stands for the points of one device */
    struct session_record **variant; /* [points][SESSION_VARIANTS], borrowed; NULL = none */
    struct session_record **failed;  /* [points]: failed before it had variants; likewise */
};
void shown_take(struct session_shown *shown, struct session_record *record);
/* The SESSION_VARIANTS results of a point, those that are first. */
struct session_record **shown_of(const struct session_shown *shown, int index);

/* The best of this run that is good, as a roof without a sheet; 0 = none. */
struct session_roof {
    double read;                          /* bytes/s beyond the cache */
    double rate[TYPE_COUNT];              /* operations/s of products */
    const struct point *best[TYPE_COUNT]; /* the point of that rate, borrowed */
};

void session_roof_take(struct session_roof *roof, const struct session_device *device,
                       const struct point *point, const struct point_result *result);
/* What the roofline allows a point; unknown when nothing bounds it. */
struct roofline session_predict(const struct session_device *device,
                                const struct session_roof *roof, const struct point *point);
/* What the data sheet alone says of the type's rate, and of the bandwidth that the point's bytes go
 * through: of memory, or of the link both ways in one; a quantity that it does not say, or that the
 * point does not use, is unknown. */
struct roof session_sheet(const struct session_device *device, const struct session_roof *roof,
                          const struct point *point);

/* ---- the whole ---- */

struct session_files {
    char host[72];
    char base[GP_PATH_MAX];    /* result file as asked for */
    char result[GP_PATH_MAX];  /* of this process: FILE, of ranks FILE.rankN.HOST */
    char journal[GP_PATH_MAX]; /* FILE.part, with every point that is done, until the result is
                                * whole and on disk */
    bool to_stdout;            /* --output -: no file of its own */
};

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
    int before; /* measured by the runs that this one goes on with */
};

struct session_work {
    struct runner *runner; /* of the phase; NULL between phases */
    int phase; /* 0: each device by itself, all at once; 1 + place: that one, while no other works;
                * 1 + devices: what devices do together */
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
    struct session_request ask; /* its texts are the three below */
    struct options options;     /* its pointer here */
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

/* ---- session.c ---- */
/* Is no device lost or refused that takes part in a point of several? */
bool session_all_well(const struct session *s, const struct point *point);
/* A record as it is seen: with the prediction, and its shares of the sheet. */
void session_see_result(const struct session *s, const struct device_run *d,
                        const struct session_record *record, struct point_result *out);
/* The best figures of what stands for the points, as the roof of the others. */
void session_find_roof(const struct session *s, struct device_run *d);

/* ---- session_file.c ---- */
/* Names the files; GP_E_FILE when --resume names a journal that is not there. */
enum gp_status session_name_files(struct session *s, struct gp_err *err);
/* What was not given, from the journal that --resume names. What is given beside it counts; the
 * fingerprint then decides whether that is still the same run. */
enum gp_status session_recall_options(struct session *s, struct gp_err *err);
/* "run" of the journal's header: the options, so that --resume FILE alone goes on with it. */
json_t *session_options_json(const struct session *s);
json_t *session_document(struct session *s);

#endif
