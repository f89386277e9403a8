/*
 * curves.h - what a curve is: a row of the table in s_curves.c and a function that
 * fills a plot from the plan or from a result file.
 *
 * To add a curve: a fill function, and a row. fill() is called when the plan changed,
 * the file, or the range that is looked at; it sets axes, series and words. read() says
 * what stands at the cursor; the screen keeps both and only paints them.
 */
#ifndef GP_TUI_CURVES_CURVES_H
#define GP_TUI_CURVES_CURVES_H

#include "answer/curves.h"
#include "base/path.h"
#include "measure/result/benchlog.h"
#include "tui/form.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/plot_draw.h"
#include "tui/worker.h"

enum { CURVE_LATENCY, CURVE_THROUGHPUT, CURVE_COST, CURVE_MEMORY, CURVE_ROOFLINE, CURVE_COUNT };

#define CURVES_READINGS 24

struct curve_reading { /* one value at the cursor */
    char mark;         /* of its series; 0: none */
    enum ink ink;
    char name[64], value[64];
    char more[64]; /* shown where there is room for it */
};

struct curve_view {
    double low, high; /* of x that is shown; NAN: all of it */
    double cursor;    /* NAN: where the curve wants it */
    int series;       /* in focus */
};

struct curves {
    int curve; /* which one is shown */
    struct curve_view view[CURVE_COUNT];
    struct plot plot;
    double start;                                 /* where the curve wants the cursor */
    char title[120], words[CURVE_WORDS], at[120]; /* at: over the readings */
    struct curve_reading reading[CURVES_READINGS];
    int readings;
    unsigned version; /* of the form when it was filled */
    bool filled;
    int panel; /* in focus where there is room for one only */
    int top;   /* first reading shown there */

    struct memory_curve memory;
    enum sweep sweep; /* what memory is shown against */
    struct load_curve load;
    struct measured_rows measured; /* by --calibration's files: marks of latency */
    struct task *task;             /* of the load curve; NULL: none runs */
    struct load_job *job;          /* the task's */
    struct roof_curve roof;

    struct benchlog log, bench;           /* shown; the last run of Bench; json NULL: none */
    char file[GP_PATH_MAX];               /* of log */
    int set, sets;                        /* of the roofline: 0 the plan, 1.. products of log */
    int source[PLOT_SERIES][PLOT_POINTS]; /* in log.point */
};

struct curve_row {
    const char *title;
    const char *x_title; /* of the axis, which is logarithmic */
    const char *explain; /* one or two lines, with the equation */
    bool snap;           /* the cursor stands on points that were computed */
    /* begin() gives points that take long to the worker, if there are any: take() takes those
     * that are planned, and fill() draws them. NULL: fill() does it all. */
    bool (*begin)(struct curves *c, struct form *form, struct worker *worker);
    bool (*take)(struct curves *c); /* true: points have come */
    void (*fill)(struct curves *c, struct form *form);
    void (*read)(struct curves *c, const struct form *form, double x);
};
extern const struct curve_row curve_rows[CURVE_COUNT];

/* ---- curve_plan.c ---- */
bool curve_begin_load(struct curves *c, struct form *form, struct worker *worker);
bool curve_take_load(struct curves *c);
void curve_fill_load(struct curves *c, struct form *form);
void curve_read_load(struct curves *c, const struct form *form, double x);
void curve_fill_memory(struct curves *c, struct form *form);
void curve_read_memory(struct curves *c, const struct form *form, double x);
void curve_fill_roofline(struct curves *c, struct form *form);
void curve_read_roofline(struct curves *c, const struct form *form, double x);

/* ---- curve_measured.c ---- */
/* Sets of matrix products that a result has: of a device, a test, a model's layers. */
int curve_measured_sets(const struct benchlog *log);
/* Set c->set - 1 of c->log. */
void curve_fill_measured(struct curves *c, struct form *form);
void curve_read_measured(struct curves *c, const struct form *form, double x);

/* ---- for those who fill (curve_plan.c) ---- */
/* The range of x that is shown: what was zoomed to, or low..high. */
void curve_range(struct curves *c, double low, double high);
void curve_say(struct curves *c, char mark, enum ink ink, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Beside the value said last. */
void curve_more(struct curves *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reads every series of rates at x. mark: what to say of point i of a mark's series. */
void curve_read_series(struct curves *c, const struct form *form, double x,
                       void (*mark)(struct curves *c, const struct form *form, int series, int i));
/* The point of a mark's series that is nearest to x; -1: it has none. */
int curve_nearest(const struct plot *plot, const struct plot_series *s, double x);

/* ---- the screen ---- */
struct app;
/* Bench's finished run: offered first, and shown when no file is. The log is shared,
 * the caller keeps its own. */
void curves_show_log(struct app *app, const struct benchlog *log);

#endif
