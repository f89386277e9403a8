/*
 * loop.c - the loop: keys, ticks and paints, in this order; see loop.h.
 *
 * Keys that are waiting are all taken before anything is painted, so that a key held
 * down never leaves a queue behind. What ticks change is painted at most 30 times a
 * second, what a key changes at once.
 */
#include "tui/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/term.h"

#define PAINT_PAUSE 0.033 /* s between two paints that no key asked for */
#define KEYS_AT_ONCE 100  /* taken before a paint, at most */
#define MODELS_AT_ONCE 8  /* read ahead between two looks for a key */

#define X(id, word, ...) &screen_##word,
static const struct screen_ops *const screens[SCREEN_COUNT] = {SCREENS(X)};
#undef X

/* ---- begin and end ---- */

enum gp_status app_begin(struct app *app, const struct app_start *start, struct gp_err *err)
{
    memset(app, 0, sizeof(*app));
    app->screens = screens;
    app->display = (struct display){.rows = 24, .cols = 80, .app = app};
    app->settings = start->settings;
    app->scripted = start->script != NULL;
    app->form = form_new(start->planner, start->options, err);
    if (!app->form)
        return err->code;
    app->worker = worker_new(start->planner, app->form->values.profiles);
    if (start->report)
        app_report(app, true, "%s", start->report);
    app_show(app, SCREEN_PLAN);
    if (app->settings.screen != SCREEN_PLAN && app_has(app, app->settings.screen))
        app_show(app, app->settings.screen);
    if (start->command && !app_command(app, start->command, err))
        return err->code;
    return GP_OK;
}

void app_end(struct app *app)
{
    page_job_end(app);
    overlay_close_all(&app->display);
    for (int i = 0; i < SCREEN_COUNT; i++) {
        if (app->state[i] && app->screens[i]->close)
            app->screens[i]->close(app, app->state[i]);
        free(app->state[i]);
    }
    recent_models_keep(app->form);
    form_free(app->form);
    worker_free(app->worker); /* last: its planner has the answer's model */
}

/* ---- the loop ---- */

static void loop_run(struct app *app)
{
    struct canvas canvas;
    double painted = -1;
    bool ahead = true;

    canvas_init(&canvas, app->settings.charset);
    while (!app->quit) {
        double wait = app_tick(app), pause = painted + PAINT_PAUSE - clock_now();

        if (app->display.touched && pause <= 0) {
            app_draw(app, &canvas);
            term_paint(&canvas, app->settings.scheme, app->whole);
            app->display.touched = app->whole = false;
            painted = clock_now();
        } else if (app->display.touched) {
            wait = wait < 0 ? pause : fmin(wait, pause);
        }
        if (ahead && painted > 0 && !app->display.touched) {
            /* The first list of models would have to read them all: while nobody types. */
            ahead = catalog_models_ahead(planner_catalog(app->form->planner), MODELS_AT_ONCE);
            wait = 0;
        }
        int key = app->held == K_NONE ? term_key(wait) : term_no_key(wait);
        if (key != K_NONE)
            painted = -1;
        /* This key and those that wait behind it. A key is only asked for when it will be
         * taken: what is left after KEYS_AT_ONCE, or behind one that is held, waits in the
         * terminal. */
        for (int i = 0; key != K_NONE; i++) {
            app_key(app, key);
            key = app->quit || app->held != K_NONE || i == KEYS_AT_ONCE - 1 ? K_NONE : term_key(0);
        }
    }
    canvas_fini(&canvas);
}

static enum gp_status run_keys(struct app *app, const struct app_start *start, struct gp_err *err)
{
    struct app_settings *settings = &app->settings;

    if (start->script) {
        if (!settings->scheme_given)
            settings->scheme = SCHEME_DARK;
        if (!settings->charset_given)
            settings->charset = term_charset();
        return script_run(app, start->script, err);
    }
    enum gp_status rc = term_open(err);
    if (rc)
        return rc;
    if (!settings->scheme_given)
        settings->scheme = term_scheme();
    if (!settings->charset_given || term_charset() == CHARSET_ASCII)
        settings->charset = term_charset();
    term_size(&app->display.rows, &app->display.cols);
    term_mouse(settings->mouse);
    worker_start(app->worker);
    app->form->worker = app->worker;
    loop_run(app);
    return GP_OK;
}

int app_run(const struct app_start *start, struct gp_err *err)
{
    struct app app;
    enum gp_status rc = start->script ? GP_OK : term_usable(err);

    if (!rc)
        rc = app_begin(&app, start, err);
    if (rc)
        return gp_status_exit(rc);
    rc = run_keys(&app, start, err);
    app_end(&app);
    term_close();
    return rc ? gp_status_exit(rc) : app.exit_code;
}
