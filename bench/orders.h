/*
 * orders.h - what an engine has been told to do: the lines on its standard input.
 *
 * orders_line() takes one line, orders_read() bytes from a descriptor, cut into lines.
 * Whatever stands in a line, the worst it can do is be refused by name.
 */
#ifndef GP_BENCH_ORDERS_H
#define GP_BENCH_ORDERS_H

#include "bench/method.h"
#include "point/point.h"
#include "util/err.h"

#define ORDERS_POINTS_MAX 200000 /* lines of points in one plan */

struct order {
    int index; /* the runner's number of the point; comes again in a second pass */
    struct point point;
};

struct orders {
    bool settled; /* settings have come */
    bool run;     /* the plan is complete */
    bool wait;    /* for "go" when the device is warm */
    bool go;
    bool stop; /* stop after this point */
    struct method_settings settings;
    int device;
    double progress_s;
    struct order *points;
    size_t count, cap;
    int lines; /* read so far, for messages */
};

void orders_init(struct orders *orders);
void orders_fini(struct orders *orders);

/* GP_E_FILE names the line and the field. After "run" only "go" and "stop" have a meaning
 * and nothing else is an error. */
enum gp_status orders_line(struct orders *orders, const char *text, size_t len,
                           struct gp_err *err);

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
