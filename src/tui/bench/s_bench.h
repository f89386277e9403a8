/*
 * s_bench.h - the screen Bench from inside.
 *
 *   s_bench.c         its life: the session, keys, ticks, what is exported
 *   s_bench_ask.c     the form as the options of --bench
 *   s_bench_choose.c  before: what is measured, on what, for how long
 *   s_bench_options.c how: an option changed, the window with the rarely used ones
 *   s_bench_plan.c    what a start would do
 *   s_bench_live.c    meanwhile: points, devices, what is left
 *   s_bench_done.c    after: summary, predicted beside measured, where it is
 *   devices_view.c    at any time: the monitor
 *
 *   choose --Enter--> run --all points, x, X, time--> done --r--> choose
 *
 * One run/session.h belongs to the screen from the moment it is first shown; it lists
 * the devices beside the screen and then waits. A change of the form (or of the plan on
 * the form) only makes it stale; the next tick plans anew.
 */
#ifndef GP_TUI_BENCH_S_BENCH_H
#define GP_TUI_BENCH_S_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "point/test.h"
#include "run/session.h"
#include "run/session_say.h"
#include "tui/app.h"
#include "tui/bench/bench_options.h"
#include "tui/bench/devices_view.h"
#include "tui/toolkit/spark.h"
#include "util/path.h"

#define BENCH_DEVICES 16 /* that have a panel */
#define BENCH_NOTES   8
#define BENCH_TEXTS   256

enum bench_stage { STAGE_CHOOSE, STAGE_RUN, STAGE_DONE };

enum bench_row { /* of the form, in order; all but two stand several times */
                 ROW_START,
                 ROW_TEST,
                 ROW_OPTION,
                 ROW_MORE,
                 ROW_DEVICE
};

struct bench_form {
    unsigned tests; /* bit per enum bench_test */
    struct bench_options bench;
    uint64_t left_out; /* bit per device found */
};

struct bench_sum { /* of one test's points */
    const char *test;
    int points;
    double seconds, bytes; /* all passes; the most at once */
};

struct bench_line { /* of the list of points */
    int point;      /* index, -1 = a heading */
    const char *test;
};

struct bench_live { /* what one device told */
    bool told;
    struct session_sensors now;
    char throttle[24]; /* "" = not told */
    struct spark power, clock, temperature, memory, tensor, load;
    double next; /* when the next second begins */
};

struct bench {
    enum bench_stage stage;
    struct bench_form values;
    int row;                 /* of the form in focus */
    enum option_id edited;   /* a window is open for it */
    int panel;               /* in focus: of choose, 0 form, 1 plan; of frame_bench */
    struct session *session; /* NULL: err says why */
    struct gp_err err;
    char *text[BENCH_TEXTS]; /* what the session's ask points to; owned */
    int texts;
    bool stale;       /* the form or the form changed */
    unsigned version; /* of the form when it was planned */
    bool wanted;      /* start as soon as the devices are known */

    struct session_plan plan;
    struct bench_sum sum[TEST_COUNT];
    int sums;
    struct bench_line *lines;
    int line_count;

    int device;  /* place of the one whose points are shown */
    int point;   /* in focus */
    bool follow; /* the focus goes with the point that runs */
    struct bench_live live[BENCH_DEVICES];
    char note[BENCH_NOTES][240]; /* the newest last */
    int notes;
    double second;           /* when the next one begins */
    int stopping;            /* 1 after the point, 2 now */
    char saved[GP_PATH_MAX]; /* under this name as well */
    char unwritten[240];     /* why the result is in no file; "" when it is in one */
    char resume[GP_PATH_MAX]; /* the journal that the next session goes on with */

    bool monitor; /* the devices lie over it */
    struct devices_view *view;
};

/* ---- s_bench.c ---- */
enum session_state bench_state(const struct bench *b); /* BROKEN without a session */
void bench_changed(struct app *app, struct bench *b);  /* of the form: plans anew */
void bench_renew(struct app *app, struct bench *b);    /* another session */
void bench_begin(struct app *app, struct bench *b);
bool bench_unfinished(const struct bench *b); /* done, and something is left to do */
void bench_go_on(struct app *app, struct bench *b);
void bench_note(struct bench *b, const char *text);
/* "file  ~/result.json" in one row. */
void bench_file(struct canvas *canvas, struct rect in, int y, const char *name,
                const char *path);
/* First line shown so that line `at` of `count` is in sight. */
int bench_top(int at, int count, int rows);

/* ---- s_bench_export.c ---- */
void bench_command(const struct app *app, const void *state, struct strbuf *out);
enum gp_status bench_export(const struct app *app, const void *state,
                            const char *suffix, struct strbuf *out, struct gp_err *err);

/* ---- s_bench_ask.c ---- */
/* The texts of ask are the bench's, until bench_ask_drop(); tests: their names, as
 * struct session_ask wants them. */
enum gp_status bench_ask(struct app *app, struct bench *b, struct options *options,
                         char tests[96], struct gp_err *err);
void bench_ask_drop(struct bench *b);
void bench_ask_keep(struct bench *b, struct options *options); /* copies of its texts */
void bench_ask_devices(const struct bench *b, char *text, size_t size); /* "" = all */
enum gp_status bench_take_devices(struct bench *b, const char *text,
                                  struct gp_err *err);
bool bench_ask_model(const struct bench *b); /* does a test measure the model? */

/* ---- s_bench_plan.c ---- */
void bench_plan_draw(const struct app *app, const struct bench *b,
                     struct canvas *canvas, struct rect in, bool focus);

/* ---- s_bench_choose.c ---- */
int bench_rows(const struct bench *b);
enum bench_row bench_row_of(const struct bench *b, int row, int *which);
void bench_choose_draw(const struct app *app, const struct bench *b,
                       struct canvas *canvas, const struct frame *frame);
bool bench_choose_act(struct app *app, struct bench *b, enum action action);
const char *bench_choose_word(const struct bench *b, enum action action);
void bench_choose_explain(const struct bench *b, struct strbuf *out);
void bench_choose_click(struct app *app, struct bench *b, const struct frame *frame,
                        int y, int x);

/* ---- s_bench_options.c ---- */
bool bench_option_row(enum option_id id); /* has it a row? (s_bench_choose.c) */
/* Other options; refused while a run is on. */
enum gp_status bench_set_all(struct app *app, struct bench *b,
                             const struct bench_options *bench, struct gp_err *err);
void bench_step(struct app *app, struct bench *b, enum option_id id, int by);
void bench_edit(struct app *app, struct bench *b, enum option_id id);
void bench_more_text(const struct bench *b, char *text, size_t size);
/* The window with all options that have no row. */
void bench_options_open(struct app *app, struct bench *b, enum option_id focus);

/* ---- s_bench_live.c ---- */
void bench_sensors(struct bench *b, const struct session_event *event, double now);
bool bench_seconds(struct bench *b, double now); /* a second has passed: true */
void bench_live_draw(const struct app *app, const struct bench *b,
                     struct canvas *canvas, const struct frame *frame);
bool bench_warms(const struct bench *b); /* has no point begun yet? */
void bench_live_act(struct app *app, struct bench *b, enum action action);
/* The list of points into a rectangle; whole: with predicted time and flags. */
void bench_points_draw(const struct bench *b, struct canvas *canvas, struct rect in,
                       bool whole);
bool bench_points_act(struct bench *b, enum action action, int page);
void bench_point_explain(const struct bench *b, struct strbuf *out);

/* ---- s_bench_done.c ---- */
void bench_done_draw(const struct app *app, const struct bench *b,
                     struct canvas *canvas, const struct frame *frame);
bool bench_done_act(struct app *app, struct bench *b, enum action action);
/* Did a device refuse because others use it, and not because it failed? */

#endif
