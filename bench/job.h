/*
 * job.h - what an engine is to measure: the lines on its standard input.
 *
 * job_line() takes one line, a line_reader cuts them out of a stream. A line that is wrong
 * is refused with its number and the field, whatever it holds.
 */
#ifndef GP_BENCH_JOB_H
#define GP_BENCH_JOB_H

#include "base/err.h"
#include "measure/point/method.h"
#include "measure/point/point.h"

#define JOB_POINTS_MAX 200000 /* lines of points in one plan */

struct job_point {
    int index; /* the runner's number of the point; comes again in a second pass */
    struct point point;
};

struct job {
    bool settled; /* settings have come */
    bool run;     /* the plan is complete */
    bool wait;    /* for "go" when the device is warm */
    bool go;
    bool stop; /* stop after this point */
    struct method_settings settings;
    int device;
    double progress_s;
    struct job_point *points;
    size_t count, cap;
    int lines; /* read so far, for messages */
};

void job_init(struct job *job);
void job_fini(struct job *job);

/* GP_E_FILE names the line and the field. After "run" only "go" and "stop" have a meaning
 * and nothing else is an error. */
enum gp_status job_line(struct job *job, const char *text, size_t len, struct gp_err *err);

/* Lines cut out of a stream; at most PROTOCOL_LINE bytes are kept. */
struct line_reader {
    int fd;
    char *text;
    size_t len, cap, used; /* used: bytes of the line given out last */
    bool too_long, eof;
};

void line_reader_init(struct line_reader *reader, int fd);
void line_reader_fini(struct line_reader *reader);

/* The next line without its newline, valid until the next call. NULL at the end of
 * input, when a signal came in between (errno EINTR), or when the line is too long. */
const char *line_reader_next(struct line_reader *reader, size_t *len);

#endif
