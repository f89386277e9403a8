/*
 * app.c - the front end's state, and what screens ask of it; see app.h.
 */
#include "tui/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* ---- what screens call ---- */

void app_report(struct app *app, bool bad, const char *fmt, ...)
{
    char text[sizeof(app->display.report)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    display_report(&app->display, bad, text);
}

void app_report_err(struct app *app, const struct gp_err *err)
{
    char line[GP_ERR_LINE];

    display_report(&app->display, true, gp_err_line(err, line));
}

void app_touch(struct app *app)
{
    app->display.touched = true;
}

struct frame app_frame(const struct app *app)
{
    return frame_of(app->display.rows, app->display.cols);
}

void *app_state(struct app *app, enum screen_id screen)
{
    const struct screen_ops *ops = app->screens[screen];

    if (!app->state[screen]) {
        app->state[screen] = gp_calloc(1, ops->state_size);
        if (ops->open)
            ops->open(app, app->state[screen]);
        app->due[screen] = 0;
    }
    return app->state[screen];
}

bool app_has(const struct app *app, enum screen_id screen)
{
    bool (*here)(const void *) = app->screens[screen]->here;

    return !here || here(app->state[screen]);
}

void app_show(struct app *app, enum screen_id screen)
{
    if (!app_has(app, screen)) {
        app_report(app, true, "nothing is loaded for %s: name its file, as in :%s FILE",
                   screen_names[screen], screen_names[screen]);
        return;
    }
    void *state = app_state(app, screen);

    app->screen = screen;
    app->display.touched = true;
    if (app->screens[screen]->show)
        app->screens[screen]->show(app, state);
}

bool app_busy(const struct app *app, char *why, size_t size)
{
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (app->state[i] && app->screens[i]->busy &&
            app->screens[i]->busy(app, app->state[i], why, size))
            return true;
    return false;
}

enum gp_status app_target(const char *text, char *path, size_t size, struct gp_err *err)
{
    size_t n = strlen(text);
    bool replace = n > 0 && text[n - 1] == '!';

    if (!gp_format(path, size, "%.*s", (int)(n - replace), text) || !path[0])
        return gp_fail(err, GP_E_USAGE, "export", "a name such as plan.txt", "no file is named");
    if (!replace && path_is_there(path))
        return gp_fail(err, GP_E_USAGE, path, "end the name with ! to replace it",
                       "already exists");
    return GP_OK;
}
