/*
 * app_key.c - what a key, a click, a paste or the passing of time means now: it goes to
 * the window on top, else to the screen, else it means what it means everywhere.
 *
 * Every open screen ticks, also when another is shown: a measurement goes on while its
 * user looks at the plan.
 */
#include "tui/loop.h"

#include <math.h>
#include <signal.h>

#include "base/clock.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/term.h"

#define WHEEL_ROWS 3

/* ---- ticks ---- */

#define POLL_FORM 0.005 /* s */

static void key_taken(struct app *app, int key);

/* Has the answer come? What is drawn rests on it, and perhaps a key waits for it. */
static void tick_form(struct app *app)
{
    bool come = form_poll(app->form);
    int key = app->held;
    enum field field;
    struct gp_err err;

    if (form_solved(app->form, &field, &err)) {
        app_touch(app);
        if (err.code)
            app_report_err(app, &err);
        else
            app_report(app, false,
                       app->form->answer->plan.verdict == VERDICT_MARGINAL
                           ? "%s: certain at none, likely up to %s"
                           : "%s: %s is the best that fits",
                       field_rows[field].form->label, app->form->shown[field]);
    }
    if (!come)
        return;
    app->display.touched = true;
    for (int i = 0; i < SCREEN_COUNT; i++)
        app->due[i] = 0;
    if (!app->form->answered)
        app_report_err(app, &app->form->err);
    app->held = K_NONE;
    if (key != K_NONE)
        key_taken(app, key);
}

double app_tick(struct app *app)
{
    double next = page_job_tick(app) ? clock_now() + WORKER_POLL : INFINITY;

    tick_form(app);
    if (app->form->planning)
        next = fmin(next, clock_now() + POLL_FORM);
    for (int i = 0; i < SCREEN_COUNT; i++) {
        const struct screen_ops *ops = app->screens[i];

        /* these plan from the answer while nobody types */
        bool waits = i == SCREEN_PLAN || i == SCREEN_COMPARE || i == SCREEN_CURVES;

        if (!app->state[i] || !ops->tick || (app->form->planning && waits))
            continue;
        if (app->due[i] <= clock_now()) {
            double wish = ops->tick(app, app->state[i], clock_now());

            app->due[i] = wish < 0 ? INFINITY : clock_now() + wish;
        }
        next = fmin(next, app->due[i]);
    }
    return isinf(next) ? -1 : fmax(next - clock_now(), 0);
}

/* ---- keys ---- */

/* The first Ctrl-C while a measurement runs only stops that, after its point. */
static void hang_up(struct app *app)
{
    const struct screen_ops *ops = app->screens[SCREEN_BENCH];
    void *state = app->state[SCREEN_BENCH];
    int sig = term_signal();
    char why[120];

    if (sig == SIGINT && !app->interrupted && state && ops->busy(app, state, why, sizeof(why))) {
        app->interrupted = true;
        app_report(app, false, "stops after this point; Ctrl-C again quits");
        ops->act(app, state, ACT_STOP);
        return;
    }
    app->exit_code = 128 + (sig ? sig : 1);
    app->quit = true;
}

static bool too_small(const struct app *app)
{
    return app_frame(app).size == SIZE_TOO_SMALL;
}

void app_resize(struct app *app, int rows, int cols)
{
    app->display.rows = rows;
    app->display.cols = cols;
    app->display.touched = true;
    for (int i = 0; i < SCREEN_COUNT; i++)
        app->due[i] = 0; /* there may be room for more */
    if (too_small(app))
        app->display.report[0] = '\0'; /* what to do has its place */
}

/* True when the key is about the terminal, not about what is shown. */
static bool terminal_key(struct app *app, int key)
{
    int rows = app->display.rows, cols = app->display.cols;

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
        app_act(app, ACT_SUSPEND);
        return true;
    default:
        return false;
    }
}

void app_click(struct app *app, int y, int x)
{
    struct frame frame = app_frame(app);
    const struct screen_ops *ops = app->screens[app->screen];
    int key = y == frame.bar.y ? app_bar_at(app, x) : K_NONE;

    app->display.touched = true;
    if (key != K_NONE)
        app_key(app, key);
    if (app->display.top || key != K_NONE)
        return;
    if (y == frame.tabs.y && app_tab_at(app, x) < SCREEN_COUNT)
        app_show(app, app_tab_at(app, x));
    else if (ops->click && y >= frame.body.y && y < frame.body.y + frame.body.rows)
        ops->click(app, app_state(app, app->screen), y - frame.body.y, x - frame.body.x);
}

void app_paste(struct app *app, const struct paste *paste)
{
    const char *why = overlay_paste(&app->display, paste);

    app_report(app, false, "%s", why ? why : "");
}

/* Windows act on the answer when Enter is pressed, some keys always, and a click may. */
static bool needs_answer(const struct app *app, int key)
{
    struct term_mouse at;

    if (key == K_MOUSE)
        return term_mouse_read(&at) && at.click;
    if (too_small(app) || key == K_PASTE)
        return false;
    if (app->display.top)
        return key == K_ENTER;
    return app_needs_answer(action_of_key(key, app->screen));
}

static void key_taken(struct app *app, int key)
{
    enum action action = action_of_key(key, app->screen);
    const struct screen_ops *ops = app->screens[app->screen];
    char name[16], help[16];
    struct term_mouse at;

    if (key == K_MOUSE && term_mouse_read(&at) && at.click)
        app_click(app, at.y, at.x);
    else if (key == K_MOUSE)
        for (int i = 0; i < (at.wheel ? WHEEL_ROWS : 0); i++)
            app_key(app, at.wheel < 0 ? K_UP : K_DOWN);
    else if (key == K_PASTE)
        app_paste(app, term_paste());
    else if (too_small(app) && action == ACT_QUIT)
        quit_small(app);
    else if (too_small(app))
        app->quit = app->quit || action == ACT_QUIT_NOW;
    else if (overlay_key(&app->display, key))
        return;
    else if (ops->type && ops->type(app, app_state(app, app->screen), key))
        return;
    else if (action == ACT_NONE)
        app_report(app, false, "%s does nothing here; %s lists the keys",
                   key_text(key, name, sizeof(name)), action_key(ACT_HELP, help, sizeof(help)));
    else
        app_act(app, action);
}

void app_key(struct app *app, int key)
{
    app->display.touched = true;
    for (int i = 0; i < SCREEN_COUNT; i++)
        app->due[i] = 0;
    if (terminal_key(app, key))
        return;
    if (key != K_MOUSE && key != K_PASTE && action_of_key(key, app->screen) != ACT_HELP)
        app->display.report[0] = '\0';
    if (app->form->planning && needs_answer(app, key))
        app->held = key;
    else
        key_taken(app, key);
}
