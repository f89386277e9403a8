/*
 * runner_line.h - what an engine may say, and when: the judge of its lines.
 *
 * An engine is another program, perhaps crashing, perhaps another version: what it
 * writes is checked before anybody uses it. A line is refused when
 *
 *   it is longer than PROTOCOL_LINE, or not one strict JSON object with a word "t"
 *   it comes before hello, or hello and device come twice
 *   a point is started or reported that was not asked for, under another id, before it
 *   was started, or more often than it was asked for (once per variant and pass)
 *   a state, a status or a level is not a known word
 *   a field of runner_line.c's tables is of another type, too long or out of range
 *
 * An answer that comes in turn but cannot be kept becomes an error of its point alone, which names
 * the field: what a file's reader would refuse (point/result.h), the name of an algorithm or a flag
 * that is not printable, a check that is neither true nor false, another type than the plan's, and
 * median, interval, least and most that are not those of the samples, or rates that are not the
 * plan's operations and bytes over the median (1e-6 apart). Unknown "t" and unknown fields are
 * ignored, so that engines may say more one day.
 */
#ifndef GP_MEASURE_RUNNER_LINE_H
#define GP_MEASURE_RUNNER_LINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "measure/point/field.h"
#include "measure/point/line.h"
#include "measure/runner.h"

#define LINE_VARIANTS 8 /* of one point */
#define LINE_WORD 32    /* bytes of a variant's name */

/* What a line says of a device, read into struct session_device (session_plan.c). */
#define SESSION_DEVICE_FIELDS 11
extern const struct field session_device_fields[SESSION_DEVICE_FIELDS];

/* One point as it was asked for and answered. */
struct line_point {
    int asked; /* passes; 0 = not asked for */
    int started;
    int variants;
    char variant[LINE_VARIANTS][LINE_WORD];
    int answered[LINE_VARIANTS];
};

/* What one engine has said so far. */
struct line_state {
    const struct point *points; /* borrowed */
    struct line_point *point;   /* by index, 0..limit-1 */
    int limit;
    int device;
    bool listing; /* any number of devices, no points */
    bool hello, known_device, done;
    bool ready;             /* warm, or at work */
    enum run_status status; /* when done */
    bool error;             /* it said so itself; `said` holds it */
    int current;            /* index of the point that runs, -1 = none */
    long chatter;           /* lines since the last that was progress */
    struct gp_err said;
};

void line_init(struct line_state *state, const struct point *points, const int *order, int count,
               int device);
void line_fini(struct line_state *state);

enum line_verdict {
    LINE_IGNORED, /* fine, but nothing to report */
    LINE_EVENT,   /* *event's kind, index and json are filled */
    LINE_REFUSED  /* *err says why */
};

/* Judges one line (without its newline). *json is the parsed object, to be released;
 * `where` names the engine in messages. */
enum line_verdict line_judge(struct line_state *state, const char *where, const char *text,
                             size_t len, struct runner_event *event, json_t **json,
                             struct gp_err *err);

/* Is this kind of event a sign that the work goes on? (Sensors and logs are not: they
 * may come from a thread that lives while the work hangs.) */
bool line_is_progress(enum runner_event_kind kind);

/* dst = text on one line: control characters become spaces, cut at size. */
void line_clean(char *dst, size_t size, const char *text);

#endif
