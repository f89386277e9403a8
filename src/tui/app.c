/*
 * app.c - the loop: keys, ticks and paints, in this order.
 *
 * Keys that are waiting are all taken before anything is painted, so that a key held
 * down never leaves a queue behind. Every open screen ticks, also when another is
 * shown: a measurement goes on while its user looks at the plan. What ticks change is
 * painted at most 30 times a second, what a key changes at once.
 */
#include "tui/app.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app_parts.h"
#include "tui/script.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/term.h"
#include "util/clock.h"
#include "util/mem.h"

#define PAINT_PAUSE  0.033 /* s between two paints that no key asked for */
#define KEYS_AT_ONCE 100   /* taken before a paint, at most */
#define WHEEL_ROWS   3

#define X(id, word, name) &screen_##word,
const struct screen_ops *const screens[SCREEN_COUNT] = {SCREENS(X)};
#undef X

double app_now(void)
{
    return clock_now();
}

/* ---- what screens call ---- */

void app_report(struct app *app, bool bad, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(app->report, sizeof app->report, fmt, args);
    va_end(args);
    app->report_bad = bad;
    app->touched = true;
}

void app_report_err(struct app *app, const struct gp_err *err)
{
    app_report(app, true, "%s%s%s%s%s%s", err->where, err->where[0] ? ": " : "",
               err->text, err->hint[0] ? " (" : "", err->hint, err->hint[0] ? ")" : "");
}

void app_touch(struct app *app)
{
    app->touched = true;
}

void *app_state(struct app *app, enum screen_id screen)
{
    const struct screen_ops *ops = screens[screen];

    if (!app->state[screen]) {
        app->state[screen] = gp_calloc(1, ops->state_size);
        if (ops->open)
            ops->open(app, app->state[screen]);
        app->due[screen] = 0;
    }
    return app->state[screen];
}

void app_show(struct app *app, enum screen_id screen)
{
    void *state = app_state(app, screen);

    app->screen = screen;
    app->touched = true;
    if (screens[screen]->show)
        screens[screen]->show(app, state);
}

void app_act(struct app *app, enum action action)
{
    const struct screen_ops *ops = screens[app->screen];

    app->touched = true;
    if (!ops->act || !ops->act(app, app_state(app, app->screen), action))
        app_everywhere(app, action);
}

/* ---- begin and end ---- */

enum gp_status app_begin(struct app *app, const struct app_start *start,
                         struct gp_err *err)
{
    memset(app, 0, sizeof *app);
    app->settings = start->settings;
    app->scripted = start->script != NULL;
    app->rows = 24;
    app->cols = 80;
    app->form = form_new(start->planner, start->options, err);
    if (!app->form)
        return err->code;
    if (start->report)
        app_report(app, true, "%s", start->report);
    app_show(app, app->settings.screen);
    return GP_OK;
}

void app_end(struct app *app)
{
    overlay_close_all(app);
    for (int i = 0; i < SCREEN_COUNT; i++) {
        if (app->state[i] && screens[i]->close)
            screens[i]->close(app, app->state[i]);
        free(app->state[i]);
    }
    form_free(app->form);
}

/* ---- ticks ---- */

double app_tick(struct app *app)
{
    double next = INFINITY;

    for (int i = 0; i < SCREEN_COUNT; i++) {
        const struct screen_ops *ops = screens[i];

        if (!app->state[i] || !ops->tick)
            continue;
        if (app->due[i] <= app_now()) {
            double wish = ops->tick(app, app->state[i], app_now());

            app->due[i] = wish < 0 ? INFINITY : app_now() + wish;
        }
        next = fmin(next, app->due[i]);
    }
    return isinf(next) ? -1 : fmax(next - app_now(), 0);
}

bool app_busy(const struct app *app, char *why, size_t size)
{
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (app->state[i] && screens[i]->busy &&
            screens[i]->busy(app, app->state[i], why, size))
            return true;
    return false;
}

bool app_unsaved(const struct app *app, char *why, size_t size)
{
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (app->state[i] && screens[i]->unsaved &&
            screens[i]->unsaved(app, app->state[i], why, size))
            return true;
    return false;
}

/* ---- keys ---- */

/* The first Ctrl-C while a measurement runs only stops that, after its point. */
static bool stops_bench(struct app *app)
{
    const struct screen_ops *ops = screens[SCREEN_BENCH];
    void *state = app->state[SCREEN_BENCH];
    char why[120];

    if (app->interrupted || !state || !ops->busy || !ops->act ||
        !ops->busy(app, state, why, sizeof why))
        return false;
    app->interrupted = true;
    app_report(app, false, "stops after this point; Ctrl-C again quits");
    ops->act(app, state, ACT_STOP);
    return true;
}

static void hang_up(struct app *app)
{
    int sig = term_signal();

    if (sig == SIGINT && stops_bench(app))
        return;
    app->exit_code = 128 + (sig ? sig : 1);
    app->quit = true;
}

static bool too_small(const struct app *app)
{
    return frame_of(app->rows, app->cols).size == SIZE_TOO_SMALL;
}

void app_resize(struct app *app, int rows, int cols)
{
    app->rows = rows;
    app->cols = cols;
    app->touched = true;
    if (too_small(app))
        app->report[0] = '\0'; /* what to do has its place */
}

/* True when the key is about the terminal, not about what is shown. */
static bool terminal_key(struct app *app, int key)
{
    int rows = app->rows, cols = app->cols;

    switch (key) {
    case K_HANGUP:
        hang_up(app);
        return true;
    case K_RESUME:
    case K_RESIZE: /* back to the same size, it may still have lost what was painted */
        app->whole = true;
        term_size(&rows, &cols);
        app_resize(app, rows, cols);
        return true;
    case KEY_CTRL('l'):
        app->whole = true;
        return true;
    case KEY_CTRL('z'):
        app_everywhere(app, ACT_SUSPEND);
        return true;
    default:
        return false;
    }
}

static void mouse(struct app *app)
{
    struct term_mouse at;

    if (!term_mouse_read(&at))
        return;
    if (at.click)
        app_click(app, at.y, at.x);
    for (int i = 0; !at.click && i < WHEEL_ROWS; i++)
        app_key(app, at.wheel < 0 ? K_UP : K_DOWN);
}

void app_click(struct app *app, int y, int x)
{
    struct frame frame = frame_of(app->rows, app->cols);
    const struct screen_ops *ops = screens[app->screen];
    int key = y == frame.bar.y ? app_bar_at(app, x) : K_NONE;

    app->touched = true;
    if (key != K_NONE)
        app_key(app, key);
    if (app->overlay || key != K_NONE)
        return;
    if (y == frame.tabs.y && app_tab_at(app, x) < SCREEN_COUNT)
        app_show(app, app_tab_at(app, x));
    else if (ops->click && y >= frame.body.y && y < frame.body.y + frame.body.rows)
        ops->click(app, app_state(app, app->screen), y - frame.body.y,
                   x - frame.body.x);
}

void app_paste(struct app *app, const struct paste *paste)
{
    const char *why = overlay_paste(app, paste);

    app_report(app, false, "%s", why ? why : "");
}

static void unknown_key(struct app *app, int key)
{
    char name[16], help[16];

    app_report(app, false, "%s does nothing here; %s lists the keys",
               key_text(key, name, sizeof name),
               action_key(ACT_HELP, help, sizeof help));
}

void app_key(struct app *app, int key)
{
    enum action action = action_of_key(key, app->screen);

    app->touched = true;
    for (int i = 0; i < SCREEN_COUNT; i++)
        app->due[i] = 0;
    if (terminal_key(app, key))
        return;
    if (key == K_MOUSE) {
        mouse(app);
        return;
    }
    if (key == K_PASTE) {
        app_paste(app, term_paste());
        return;
    }
    app->report[0] = '\0';
    if (too_small(app)) {
        if (action == ACT_QUIT)
            quit_small(app);
        else if (action == ACT_QUIT_NOW)
            app->quit = true;
        return;
    }
    if (overlay_key(app, key))
        return;
    if (action == ACT_NONE)
        unknown_key(app, key);
    else
        app_act(app, action);
}

/* ---- the loop ---- */

static void paint(struct app *app, struct canvas *canvas)
{
    app_draw(app, canvas);
    term_paint(canvas, app->settings.scheme, app->whole);
    app->touched = app->whole = false;
}

/* This key and those that wait behind it. A key is only asked for when it will be
 * taken: what is left after KEYS_AT_ONCE waits in the terminal. */
static void take_keys(struct app *app, int key)
{
    for (int i = 0; key != K_NONE; i++) {
        app_key(app, key);
        key = app->quit || i == KEYS_AT_ONCE - 1 ? K_NONE : term_key(0);
    }
}

static void loop(struct app *app)
{
    struct canvas canvas;
    double painted = -1;

    canvas_init(&canvas, app->settings.charset);
    while (!app->quit) {
        double wait = app_tick(app), pause = painted + PAINT_PAUSE - app_now();
        int key;

        if (app->touched && pause <= 0) {
            paint(app, &canvas);
            painted = app_now();
        } else if (app->touched) {
            wait = wait < 0 ? pause : fmin(wait, pause);
        }
        key = term_key(wait);
        if (key != K_NONE)
            painted = -1;
        take_keys(app, key);
    }
    canvas_fini(&canvas);
}

static void terminal_settings(struct app *app)
{
    struct app_settings *settings = &app->settings;

    if (!settings->scheme_given)
        settings->scheme = term_scheme();
    if (!settings->charset_given || term_charset() == CHARSET_ASCII)
        settings->charset = term_charset();
    term_size(&app->rows, &app->cols);
    term_mouse(settings->mouse);
}

static enum gp_status run(struct app *app, const struct app_start *start,
                          struct gp_err *err)
{
    enum gp_status status;

    if (start->script) {
        if (!app->settings.scheme_given)
            app->settings.scheme = SCHEME_DARK;
        if (!app->settings.charset_given)
            app->settings.charset = term_charset();
        return script_run(app, start->script, err);
    }
    status = term_open(err);
    if (status)
        return status;
    terminal_settings(app);
    loop(app);
    return GP_OK;
}

int app_run(const struct app_start *start, struct gp_err *err)
{
    struct app app;
    enum gp_status status = start->script ? GP_OK : term_usable(err);

    if (!status)
        status = app_begin(&app, start, err);
    if (status)
        return gp_status_exit(status);
    status = run(&app, start, err);
    app_end(&app);
    term_close();
    return status ? gp_status_exit(status) : app.exit_code;
}
