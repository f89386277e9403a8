/*
 * session_record.h - what was measured: one record per point, variant and pass, and which
 * of them stands for its point.
 *
 * An engine's answer is read into a struct session_result once, when it comes. Its JSON is
 * kept for the journal and the result file, which hold all of it (samples, algorithm,
 * sensors); what the passes of a point make of one another is in the struct, and
 * written into a copy of the JSON at the end.
 *
 * The later of two passes stands for a point (the engine already chose the middle one when
 * they differ), but what was wrong once is not made right by the next pass, a figure is
 * not lost to an error, and of three passes that drift the middle one stands.
 */
#ifndef GP_MEASURE_SESSION_RECORD_H
#define GP_MEASURE_SESSION_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "measure/point/point.h"
#include "measure/session_facts.h"

#define RECORD_PASSES 16

struct session_record {
    int device; /* as its engine counts */
    int point;  /* its index in the plan */
    int pass;
    struct session_result result; /* all but the prediction; texts borrowed from line */
    double median[RECORD_PASSES]; /* s, of each pass that the engine compared */
    bool drift, failed_once;      /* flags: of the engine, or from other passes */
    bool passes_changed;          /* median[] is not the line's */
    char other[400];              /* what another pass came to, as result.reason */
    json_t *line;
};

/* In the order in which they were measured. */
struct session_records {
    struct session_record **record;
    int count;
    size_t cap;
};

/* Takes a copy of the line. */
struct session_record *records_add(struct session_records *records, int device, int index,
                                   const struct point *point, const json_t *line);
void records_fini(struct session_records *records);

/* Passes of a point that were answered, whatever the variant. */
int records_passes(const struct session_records *records, int device, int index);

/* The medians of all passes, where they are more than the engine compared: a resumed run
 * has some of each. */
void records_compare_passes(const struct session_records *records, struct session_record *record);

/* ---- what stands for the points of one device ---- */
struct session_shown {
    struct session_record **variant; /* [points][SESSION_VARIANTS], borrowed; NULL = none */
    struct session_record **failed;  /* [points]: failed before it had variants; likewise */
};
void shown_init(struct session_shown *shown, int points);
void shown_fini(struct session_shown *shown);
void shown_take(struct session_shown *shown, struct session_record *record);
/* The SESSION_VARIANTS results of a point, those that are first. */
struct session_record **shown_of(const struct session_shown *shown, int index);

/* The line as the result file has it, with what other passes made of it. */
json_t *session_record_json(const struct session_record *record);

#endif
