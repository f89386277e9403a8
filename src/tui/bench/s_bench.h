/*
 * s_bench.h - the screen Bench from inside.
 *
 *   s_bench.c      its life: keys, ticks, events, exports; the session, and the form as options
 *                  of --bench; its pages before a run: what is measured, on what, how; Confirm,
 *                  what the plan rests on, predicted beside measured; Diagnose, why a device is
 *                  slow
 *   confirm_page.c what Confirm shows
 *   bench_live.c   meanwhile and after: points, devices, what is left, the summary; and the
 *                  monitor of all devices
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
#include "tui/toolkit/canvas.h"
#include "tui/toolkit/plot_draw.h"

enum gauge {
    GAUGE_POWER,
    GAUGE_CLOCK,
    GAUGE_TEMP,
    GAUGE_BUSY,
    GAUGE_MEMORY,
    GAUGE_LOAD,
    GAUGE_TENSOR,
    GAUGE_DRAM,
    GAUGE_COUNT
};

struct gauges { /* of one device, each in its unit; NAN = not told */
    double now[GAUGE_COUNT], limit[GAUGE_COUNT];
    struct spark minute[GAUGE_COUNT];
    char throttle[24]; /* why the clock is held down; "" = not told */
};

#define BENCH_DEVICES 16 /* that have a panel */
#define BENCH_NOTES 8

#define BENCH_TIME(seconds) session_text_time((char[32]){""}, 32, seconds)
#define BENCH_BYTES(bytes) units_bytes((char[32]){""}, 32, bytes)

/* What is measured: the tests that are chosen, just what the plan on the form rests on, or
 * why a device is slow. */
enum bench_page { BENCH_PAGE_TESTS, BENCH_PAGE_CONFIRM, BENCH_PAGE_DIAGNOSE };
enum bench_stage { STAGE_CHOOSE, STAGE_RUN, STAGE_DONE };

struct bench_form {
    unsigned tests; /* bit per enum bench_test */
    struct bench_options bench;
    uint64_t left_out; /* bit per device found */
};

/* In the list of points: a heading over those of a test, and the test of such a heading. */
#define BENCH_HEADING(test) (-1 - (int)(test))

struct bench_live { /* what one device told */
    struct gauges gauges;
    struct {                /* of the point that runs */
        int point;          /* index; -1 = none was told of */
        int count;          /* of samples taken */
        int told;           /* of them; */
        double least, most; /* s, of those that were told, */
        double sum, squares;
        struct spark last; /* s, the newest */
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
    struct bench_request *ask; /* the session's; owned */
    bool stale;                /* the values or the form changed */
    unsigned version;          /* of the form when it was planned */
    bool wanted;               /* start as soon as the devices are known */
    enum bench_page page;
    enum {
        REFRESH_NOT,
        REFRESH_MEASURED,
        REFRESH_DROPPED
    } refresh;               /* why the plan is made once more */
    const struct gpu *host;  /* its processors as a plan takes them; NULL: not measured on */
    struct confirm *confirm; /* the terms of Confirm; owned, NULL until the devices are known */
    struct task *narrowing;  /* TPOT with what is measured so far, at work; NULL: it is not */
    struct narrowing *narrow;
    struct quantity so_far;            /* what came of it last */
    struct bench_diagnosis *diagnosis; /* of Diagnose; owned, NULL on another page */

    struct session_plan plan;
    int *lines; /* of the list of points: an index, or a heading; owned */
    int line_count;

    bool adopt;  /* the plan of this machine is on its way: it is confirmed when it comes */
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

/* ---- s_bench.c ---- */
/* A label, and from column `indent` on what fmt says over as many rows as it needs. */
void bench_fact(struct page *page, int indent, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* "file  ~/result.json" in one row; only the name where there is no room for more. */
void bench_file(struct page *page, const char *name, const char *path);
/* This machine's processors, where they are measured: as the plan has them, else as any plan would;
 * NULL. */
const struct gpu *bench_host(const struct bench *b);
bool bench_unfinished(const struct bench *b); /* done, and something is left to do */
/* Another session for the same plan, which begins with what this one measured. */
void bench_go_on(struct app *app, struct bench *b);

/* ---- confirm_page.c ---- */
void confirm_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                  struct rect box);

/* ---- bench_live.c ---- */
void gauges_init(struct gauges *gauges); /* nothing told */
void bench_sensors(struct bench *b, const struct session_event *event, double now);
bool bench_seconds(struct bench *b, double now); /* a second has passed: true */
/* The list of points in a box no higher than they are, with predicted time and flags where there is
 * room; below, where there is some, their sweeps of a layer side by side. The rows it took. */
int bench_points_draw(const struct bench *b, struct canvas *canvas, struct rect in);
void bench_live_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame);
bool bench_warms(const struct bench *b); /* has no point begun yet? */
/* s: the mean of the samples of the point that runs; *spread: half its 95 % interval, relative,
 * NAN with fewer than three. NAN: there is none yet. */
double bench_sample_mean(const struct bench *b, int point, double *spread);
void bench_progress_draw(const struct bench *b, struct page *page); /* two rows */
/* What the device in focus tells, with its last minute, in the rest of the page. */
void bench_gauges_draw(const struct bench *b, struct page *page);
void bench_live_act(struct app *app, struct bench *b, enum action action);
bool bench_points_act(struct bench *b, enum action action, int page);
void bench_point_explain(const struct bench *b, struct strbuf *out);
void bench_done_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame);
bool bench_done_act(struct app *app, struct bench *b, enum action action);

struct devices_view *devices_view_new(void);
void devices_view_free(struct devices_view *view);
/* Looks again when a second has passed; s until it wants to be called again. */
double devices_view_tick(struct app *app, struct devices_view *view, double now);
void devices_view_draw(const struct devices_view *view, struct canvas *canvas,
                       const struct frame *frame);
bool devices_view_act(struct devices_view *view, enum action action);
void devices_view_click(struct devices_view *view, int y);
void devices_view_title(const struct devices_view *view, struct strbuf *out);

#endif
