/*
 * s_bench_plan.c - what a start of Bench would do: points, time, memory, and why this
 * engine.
 */
#include "tui/bench/s_bench.h"
#include "tui/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu.h"
#include "util/units.h"

static int say(struct canvas *canvas, struct rect in, int y, const char *label,
               const char *text)
{
    struct rect right = {in.y + y, in.x + 8, in.rows - y, in.cols - 8};

    if (y >= in.rows || !text[0])
        return 0;
    canvas_text(canvas, in, y, 0, INK_DIM, label);
    return canvas_wrap(canvas, right, 0, INK_TEXT, text);
}

/* What is free on the chosen device that has the least; NAN = unknown. */
static double least_free(const struct bench *b)
{
    struct session_device d;
    double least = NAN;

    for (int i = 0; session_device(b->session, i, &d); i++)
        least = fmin(least, d.free);
    return least;
}

static int draw_figures(const struct bench *b, struct canvas *canvas, struct rect in)
{
    const struct session_plan *p = &b->plan;
    double free = least_free(b);
    char text[320], left[40], right[40];
    int y = 0;

    gp_format(text, sizeof text, "%d, %d passes on %d device%s", p->points, p->passes,
              p->devices, p->devices == 1 ? "" : "s");
    y += say(canvas, in, y, "points", text);
    gp_format(text, sizeof text, "about %s",
              session_say_time(left, sizeof left, p->seconds));
    y += say(canvas, in, y, "time", text);
    gp_format(text, sizeof text, "%s at once%s%s%s",
              units_bytes(left, sizeof left, p->bytes), isfinite(free) ? ", " : "",
              isfinite(free) ? units_gib(right, sizeof right, free) : "",
              isfinite(free) ? " free" : "");
    y += say(canvas, in, y, "memory", text);
    gp_format(text, sizeof text, "%s%s%s", p->backend, p->chosen[0] ? ": " : "",
              p->chosen);
    y += say(canvas, in, y, "engine", text);
    return y;
}

static int draw_sums(const struct bench *b, struct canvas *canvas, struct rect in,
                     int y)
{
    char time[32], bytes[32];

    canvas_rule(canvas, in, y++, "Points, time, memory");
    for (int i = 0; i < b->sums && y < in.rows; i++, y++)
        canvas_textf(canvas, in, y, 0, INK_TEXT, "%-9s %4d  %12s  %8s", b->sum[i].test,
                     b->sum[i].points,
                     session_say_time(time, sizeof time, b->sum[i].seconds),
                     units_bytes(bytes, sizeof bytes, b->sum[i].bytes));
    return y;
}

static int draw_devices(const struct bench *b, struct canvas *canvas, struct rect in,
                        int y)
{
    struct session_device d;
    char text[200];

    if (strcmp(b->plan.backend, "cpu") == 0)
        return y;
    for (int i = 0; session_device(b->session, i, &d) && y < in.rows; i++) {
        gp_format(text, sizeof text, "%d is %s", d.id,
                  d.gpu ? d.gpu->id : "not in the catalogue: nothing is predicted");
        y += say(canvas, in, y, i ? "" : "profile", text);
    }
    return y;
}

static void folder_text(const struct app *app, char *text, size_t size)
{
    char path[GP_PATH_MAX];
    const char *home = getenv("HOME");
    size_t n = home ? strlen(home) : 0;

    settings_results(&app->settings, path, sizeof path);
    if (n > 1 && strncmp(path, home, n) == 0 && path[n] == '/')
        gp_format(text, size, "~%s/", path + n);
    else
        gp_format(text, size, "%s/", path);
}

static void draw_notes(const struct bench *b, struct canvas *canvas, struct rect in,
                       int y)
{
    bool first = true;

    for (int i = 0; i < session_notes(b->session) && y < in.rows; i++) {
        const char *note = session_note(b->session, i);

        if (strcmp(note, b->plan.chosen) == 0)
            continue; /* it stands above */
        if (first && y + 1 < in.rows)
            canvas_rule(canvas, in, y++, "Notes");
        first = false;
        y += canvas_wrap(canvas, in, y, INK_TEXT, note);
    }
}

static void draw_error(const struct bench *b, struct canvas *canvas, struct rect in)
{
    char text[sizeof b->err.where + sizeof b->err.text + 8];
    int y;

    gp_format(text, sizeof text, "%s%s%s", b->err.where, b->err.where[0] ? ": " : "",
              b->err.text);
    y = canvas_wrap(canvas, in, 0, INK_WARN, text);
    if (b->err.hint[0])
        y += canvas_wrap(canvas, in, y, INK_TEXT, b->err.hint);
    if (bench_state(b) == SESSION_BROKEN)
        canvas_wrap(canvas, in, y + 1, INK_TEXT, "r looks again");
}

void bench_plan_draw(const struct app *app, const struct bench *b,
                     struct canvas *canvas, struct rect in, bool focus)
{
    struct rect inside = rect_inside(in);
    char text[GP_PATH_MAX + 8];
    int y;

    canvas_box(canvas, in, "The plan", focus ? "Enter: points" : NULL);
    if (focus)
        canvas_cursor(canvas, inside, 0, 0);
    if (bench_state(b) == SESSION_LOOKING) {
        canvas_wrap(canvas, inside, 0, INK_TEXT, "The engines are asked for devices.");
        return;
    }
    if (b->err.text[0] || !b->session) {
        draw_error(b, canvas, inside);
        return;
    }
    y = draw_figures(b, canvas, inside);
    y = draw_devices(b, canvas, inside, y);
    folder_text(app, text, sizeof text);
    y += say(canvas, inside, y, "results", text);
    y = draw_sums(b, canvas, inside, y);
    draw_notes(b, canvas, inside, y);
}
