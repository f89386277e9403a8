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

#include "answer/compare_run.h"
#include "answer/load_curve.h"
#include "answer/memory_curve.h"
#include "answer/roof_curve.h"
#include "base/path.h"
#include "measure/result/benchlog.h"
#include "tui/form.h"
#include "tui/rows_task.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/plot_draw.h"

enum {
    CURVE_SPEED,
    CURVE_COST,
    CURVE_GPUS,
    CURVE_CONTEXT,
    CURVE_USERS,
    CURVE_ROOFLINE,
    CURVE_FRONT,
    CURVE_BATCH,
    CURVE_GEMM,
    CURVE_COUNT
};

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
    struct load_curve load;
    struct task *task;     /* of the load curve; NULL: none runs */
    struct load_job *job;  /* the task's */
    struct rows_task rows; /* of the front */
    bool working;          /* take() has more to come */

    struct benchlog log, bench;           /* shown; the last run of Bench; json NULL: none */
    char file[GP_PATH_MAX];               /* of log */
    int set, sets;                        /* which device (and type) of the file */
    int source[PLOT_SERIES][PLOT_POINTS]; /* in log.point */
    struct roof_curve roof;
};

enum curve_take { CURVE_SAME, CURVE_MORE, CURVE_LAST }; /* points have come: of several */

struct curve_row {
    const char *name; /* "memory-context": of files */
    const char *title;
    const char *x_title; /* of the axis, which is logarithmic */
    const char *explain; /* one or two lines, with the equation */
    bool measured;       /* wants a result file */
    bool snap;           /* the cursor stands on points that were computed */
    /* Where points take long: begin() gives them to the worker, if there are any, take()
     * takes those that are planned, and fill() draws them. NULL: fill() does it all. */
    bool (*begin)(struct curves *c, struct form *form, struct worker *worker);
    enum curve_take (*take)(struct curves *c);
    void (*fill)(struct curves *c, struct form *form);
    void (*read)(struct curves *c, const struct form *form, double x);
};
extern const struct curve_row curve_rows[CURVE_COUNT];

bool curve_begin_load(struct curves *c, struct form *form, struct worker *worker);
enum curve_take curve_take_load(struct curves *c);
void curve_fill_load(struct curves *c, struct form *form);
void curve_read_load(struct curves *c, const struct form *form, double x);
bool curve_begin_front(struct curves *c, struct form *form, struct worker *worker);
enum curve_take curve_take_front(struct curves *c);
void curve_fill_front(struct curves *c, struct form *form);
void curve_read_front(struct curves *c, const struct form *form, double x);
void curve_fill_memory(struct curves *c, struct form *form);
void curve_read_memory(struct curves *c, const struct form *form, double x);
void curve_fill_roofline(struct curves *c, struct form *form);
void curve_read_roofline(struct curves *c, const struct form *form, double x);
/* The plan's layers by batch, as the law of speed predicts them: nothing is measured. */
void curve_fill_predicted(struct curves *c, struct form *form);
void curve_fill_gemm(struct curves *c, struct form *form);
void curve_fill_batch(struct curves *c, struct form *form);
void curve_read_measured(struct curves *c, const struct form *form, double x);

/* ---- for those who fill ---- */
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
double curves_cursor(const struct curves *c); /* x of it */
void curves_draw(const struct app *app, const void *state, struct canvas *canvas,
                 const struct frame *frame);
/* What is shown as text, for people. */
void curves_text(const struct app *app, const struct curves *c, struct strbuf *out);

/* Bench's finished run: offered first, and shown when no file is. The log is shared,
 * the caller keeps its own. */
void curves_show_log(struct app *app, const struct benchlog *log);

#endif
