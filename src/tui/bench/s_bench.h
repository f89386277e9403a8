/*
 * s_bench.h - the screen Bench from inside.
 *
 *   s_bench.c           its life: keys, ticks, events, what is exported
 *   s_bench_choose.c    before: what is measured, on what, how; what a start would do
 *   s_bench_live.c      meanwhile and after: points, devices, what is left; the summary
 *   s_bench_confirm.c   the second page: what the plan rests on, predicted beside measured
 *   s_bench_diagnose.c  the third page: why a device is slow
 *   bench_session.c     below them: the form as options of --bench, the session
 *   devices_view.c      at any time: the monitor
 *
 *   choose --Enter--> run --all points, x, X, time--> done --r--> choose
 *
 * One measure/session.h belongs to the screen from the moment it is first shown; it lists
 * the devices beside the screen and then waits. A change of the form (or of the plan on
 * the form) only makes it stale; the next tick plans anew.
 */
#ifndef GP_TUI_BENCH_S_BENCH_H
#define GP_TUI_BENCH_S_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/path.h"
#include "measure/point/test.h"
#include "measure/session.h"
#include "tui/app.h"
#include "tui/bench/bench_options.h"
#include "tui/bench/gauge.h"
#include "tui/toolkit/canvas.h"

#define BENCH_DEVICES 16 /* that have a panel */
#define BENCH_NOTES 8

/* What is measured: the tests that are chosen, just what the plan on the form rests on, or
 * why a device is slow. */
enum bench_page { BENCH_PAGE_TESTS, BENCH_PAGE_CONFIRM, BENCH_PAGE_DIAGNOSE };
enum bench_stage { STAGE_CHOOSE, STAGE_RUN, STAGE_DONE };

struct bench_form {
    unsigned tests; /* bit per enum bench_test */
    struct bench_options bench;
    uint64_t left_out; /* bit per device found */
};

struct bench_sum { /* of one test's points */
    enum bench_test test;
    int points;
    double seconds, bytes; /* all passes; the most at once */
};

struct bench_line { /* of the list of points */
    int point;      /* index, -1 = a heading */
    enum bench_test test;
};

struct bench_live { /* what one device told */
    struct gauges gauges;
    struct {                /* of the point that runs */
        int point;          /* index; -1 = none was told of */
        int count;          /* of samples taken */
        double least, most; /* s, of those that were told */
        struct spark last;  /* s, the newest */
    } samples;
    double next; /* when the next second begins; 0: nothing was told */
};

struct bench {
    enum bench_stage stage;
    struct bench_form values;
    int row;                 /* of the form in focus */
    enum option_id edited;   /* a window is open for it */
    int panel;               /* in focus: of choose, 0 form, 1 plan; of frame_bench */
    struct session *session; /* NULL: err says why */
    struct gp_err err;
    struct bench_ask *ask; /* the session's; owned */
    bool stale;            /* the values or the form changed */
    unsigned version;      /* of the form when it was planned */
    bool wanted;           /* start as soon as the devices are known */
    enum bench_page page;
    enum {
        REFRESH_NOT,
        REFRESH_MEASURED,
        REFRESH_DROPPED
    } refresh;               /* why the plan is made once more */
    struct confirm *confirm; /* the terms of Confirm; owned, NULL until the devices are known */
    struct bench_diagnosis *diagnosis; /* of Diagnose; owned, NULL on another page */

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
    double second;            /* when the next one begins */
    int stopping;             /* 1 after the point, 2 now */
    char saved[GP_PATH_MAX];  /* under this name as well */
    char unwritten[240];      /* why the result is in no file; "" when it is in one */
    char resume[GP_PATH_MAX]; /* the journal that the next session goes on with */

    bool monitor; /* the devices lie over it */
    struct devices_view *view;
};

/* ---- bench_session.c ---- */
enum session_state bench_state(const struct bench *b); /* BROKEN without a session */
void bench_changed(struct app *app, struct bench *b);  /* of the form: plans anew */
void bench_renew(struct app *app, struct bench *b);    /* another session */
void bench_replan(struct app *app, struct bench *b);   /* same devices, another plan */
void bench_begin(struct app *app, struct bench *b);
void bench_drop(struct bench *b); /* the session and what it made */
/* What the plan comes to, test by test, and the list of its points under headings. */
void bench_sum_up(struct bench *b);
bool bench_unfinished(const struct bench *b); /* done, and something is left to do */
/* Another session for the same plan, which begins with what this one measured. */
void bench_go_on(struct app *app, struct bench *b);
void bench_ask_devices(const struct bench *b, char *text, size_t size); /* "" = all */
enum gp_status bench_take_devices(struct bench *b, const char *text, struct gp_err *err);
bool bench_ask_model(const struct bench *b); /* does a test measure the model? */
void bench_note(struct bench *b, const char *text);
/* A label, and from column `indent` on what fmt says over as many rows as it needs. */
void bench_fact(struct page *page, int indent, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A path under the home folder as "~/...". */
char *bench_path(char *text, size_t size, const char *path);
/* "file  ~/result.json" in one row; only the name where there is no room for more. */
void bench_file(struct page *page, const char *name, const char *path);

/* ---- s_bench_choose.c ---- */
void bench_choose_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame);
bool bench_choose_act(struct app *app, struct bench *b, enum action action);
const char *bench_choose_word(const struct bench *b, enum action action);
void bench_choose_explain(const struct bench *b, struct strbuf *out);
void bench_choose_click(struct app *app, struct bench *b, const struct frame *frame, int y, int x);

/* Other options; refused while a run is on. */
enum gp_status bench_set_all(struct app *app, struct bench *b, const struct bench_options *bench,
                             struct gp_err *err);
/* The window with all options that have no row. */
void bench_options_open(struct app *app, struct bench *b, enum option_id focus);

/* ---- s_bench_live.c ---- */
void bench_sensors(struct bench *b, const struct session_event *event, double now);
bool bench_seconds(struct bench *b, double now); /* a second has passed: true */
void bench_live_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                     const struct frame *frame);
bool bench_warms(const struct bench *b); /* has no point begun yet? */
void bench_live_act(struct app *app, struct bench *b, enum action action);
bool bench_points_act(struct bench *b, enum action action, int page);
void bench_point_explain(const struct bench *b, struct strbuf *out);

void bench_done_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                     const struct frame *frame);
bool bench_done_act(struct app *app, struct bench *b, enum action action);

/* ---- s_bench_confirm.c ---- */
/* Is the plan one of this machine, so that the page comes first? */
bool bench_confirm_first(const struct app *app);
/* What the session asks for there. */
enum gp_status bench_confirm_ask(const struct form *form, struct options *options, char *tests,
                                 size_t size, struct gp_err *err);
void bench_confirm_ready(const struct app *app, struct bench *b); /* points are known */
void bench_confirm_over(struct app *app, struct bench *b);        /* all is measured */
void bench_confirm_tick(struct app *app, struct bench *b);        /* has the plan of that come? */
void bench_confirm_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                        const struct frame *frame);
void bench_confirm_explain(struct strbuf *out);
/* Of both pages: turns them, drops what is kept; of this one, whether it can start. */
bool bench_confirm_act(struct app *app, struct bench *b, enum action action);

/* ---- s_bench_diagnose.c ---- */
void bench_diagnose_new(struct bench *b); /* before its session is made */
void bench_diagnose_free(struct bench *b);
void bench_diagnose_ask(const struct bench *b, struct options *options, char *tests, size_t size);
void bench_diagnose_event(struct bench *b, const struct session_event *event);
/* After session_finish(): says the verdict; false: this is another page. */
bool bench_diagnose_over(struct app *app, struct bench *b);
void bench_diagnose_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame);
const char *bench_diagnose_word(const struct bench *b); /* "slow"; "" before */
void bench_diagnose_explain(struct strbuf *out);
enum gp_status bench_diagnose_export(const struct bench *b, const char *suffix, struct strbuf *out,
                                     struct gp_err *err);
bool bench_diagnose_act(struct app *app, struct bench *b, enum action action);

/* ---- devices_view.c ---- */
struct devices_view *devices_view_new(void);
void devices_view_free(struct devices_view *view);
/* Looks again when a second has passed; s until it wants to be called again. */
double devices_view_tick(struct app *app, struct devices_view *view, double now);
void devices_view_draw(const struct devices_view *view, struct canvas *canvas,
                       const struct frame *frame);
bool devices_view_act(struct devices_view *view, enum action action);
void devices_view_click(struct devices_view *view, int y);
void devices_view_explain(struct strbuf *out);
void devices_view_title(const struct devices_view *view, struct strbuf *out);

#endif
