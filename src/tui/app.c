/*
 * app.c - the front end's state, what screens ask of it, and what stands around each of them:
 * tabs, explanation, keys; see app.h.
 */
#include "tui/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "tui/toolkit/key.h"

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
    if (!app_has(app, screen) && app->screens[screen]->offer) {
        app->screens[screen]->offer(app);
        return;
    }
    if (!app_has(app, screen)) {
        app_report(app, true, "nothing is loaded for %s: name its file, as in :%s FILE",
                   screen_names[screen],
                   action_rows[ACT_SCREENS + screen].name + strlen("screen-"));
        return;
    }
    void *state = app_state(app, screen);

    app->screen = screen;
    app->display.touched = true;
    if (app->screens[screen]->show)
        app->screens[screen]->show(app, state);
}

void app_take(struct app *app, const char *options)
{
    static const enum field layout[] = {FIELD_TP, FIELD_PP, FIELD_EP, FIELD_REPLICAS};
    struct strbuf given;
    struct gp_err err;

    strbuf_init(&given);
    for (size_t i = 0; i < sizeof(layout) / sizeof(layout[0]); i++)
        if (app->form->values.value[layout[i]][0])
            strbuf_addf(&given, "--%s auto ", option_rows[field_rows[layout[i]].option].name);
    strbuf_add(&given, options);
    if (form_options(app->form, given.text, &err)) {
        app_report_err(app, &err);
    } else {
        app_show(app, SCREEN_PLAN);
        app_report(app, false, "taken into the plan: %s; u: undo", given.text);
    }
    strbuf_fini(&given);
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

/* ---- tabs ---- */

#define WIDE_TABS 72   /* columns from which every tab has its name, */
#define APART_TABS 100 /* and from which they stand apart */

struct tab {
    int x, cols;
    char text[24];
};

/* " gpuplan [1 Plan]   2 Compare    3 Curves  ...", closer, or "[1 Plan] 2 3 4". Returns the
 * column behind the last. */
static int lay_tabs(const struct app *app, struct tab tabs[SCREEN_COUNT])
{
    bool wide = app->display.cols >= WIDE_TABS;
    int x = wide ? 9 : 0;

    for (int i = 0; i < SCREEN_COUNT; i++) {
        bool shown = i == (int)app->screen;
        struct tab *tab = &tabs[i];

        *tab = (struct tab){.x = x};
        if (!app_has(app, (enum screen_id)i) && !app->screens[i]->offer)
            continue;
        gp_format(tab->text, sizeof(tab->text), "%s%d%s%s%s", shown ? "[" : " ", i + 1,
                  wide || shown ? " " : "", wide || shown ? screen_names[i] : "",
                  shown ? "]" : " ");
        tab->x = x;
        tab->cols = (int)strlen(tab->text);
        x += tab->cols + (app->display.cols >= APART_TABS ? 2 : 0);
    }
    return x;
}

enum screen_id app_tab_at(const struct app *app, int x)
{
    struct tab tabs[SCREEN_COUNT];

    lay_tabs(app, tabs);
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (x >= tabs[i].x && x < tabs[i].x + tabs[i].cols)
            return (enum screen_id)i;
    return SCREEN_COUNT;
}

static void draw_tabs(const struct app *app, struct canvas *canvas, struct rect in)
{
    const struct screen_ops *ops = app->screens[app->screen];
    struct tab tabs[SCREEN_COUNT];
    struct strbuf title;
    int x = lay_tabs(app, tabs);
    struct rect right = {in.y, in.x + x, 1, in.cols - x - 1};

    canvas_text(canvas, in, 0, 0, INK_TITLE, app->display.cols >= WIDE_TABS ? " gpuplan" : "");
    for (int i = 0; i < SCREEN_COUNT; i++)
        canvas_text(canvas, in, 0, tabs[i].x, INK_TITLE, tabs[i].text);
    strbuf_init(&title);
    if (app->form->planning)
        strbuf_add(&title, "planning...");
    else if (ops->title)
        ops->title(app, app->state[app->screen], &title);
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (app->state[i] && app->screens[i]->running) {
            struct strbuf mark;

            strbuf_init(&mark);
            app->screens[i]->running(app->state[i], &mark);
            if (mark.len > 0)
                strbuf_addf(&title, "%s%s", title.len ? "   " : "", mark.text);
            strbuf_fini(&mark);
        }
    if (!rect_empty(right))
        canvas_right(canvas, right, 0, INK_TITLE, title.text);
    strbuf_fini(&title);
    canvas_ink(canvas, in, 0, 0, in.cols, INK_TITLE);
    canvas_ink(canvas, in, 0, tabs[app->screen].x, tabs[app->screen].cols, INK_TAB);
}

/* ---- the explanation, or what was reported ---- */

static void draw_explain(const struct app *app, struct canvas *canvas, struct rect in)
{
    const struct screen_ops *ops = app->screens[app->screen];
    struct rect inside = {in.y, in.x + 1, in.rows, in.cols - 2};
    struct strbuf text;

    strbuf_init(&text);
    if (app->display.report[0])
        strbuf_add(&text, app->display.report);
    else if (ops->explain)
        ops->explain(app, app->state[app->screen], &text);
    canvas_wrap(canvas, inside, 0,
                app->display.report[0] && app->display.report_bad ? INK_BAD : INK_TEXT, text.text);
    strbuf_fini(&text);
}

/* ---- keys ---- */

/* A window's keys in `cols` columns: those that have room, and always the last, which
 * is the way out. */
static void window_bar(const char *keys, int cols, struct strbuf *out)
{
    const char *last = keys, *next;

    for (next = strstr(keys, "  "); next; next = strstr(last, "  "))
        last = next + 2;
    for (const char *p = keys; p < last && gp_width(keys) > cols; p = next + 2) {
        next = strstr(p, "  ");
        if ((int)out->len + (int)(next + 2 - p) + gp_width(last) > cols)
            break;
        strbuf_addn(out, p, (size_t)(next + 2 - p));
    }
    strbuf_add(out, gp_width(keys) > cols ? last : keys);
}

static const char *app_word(const void *ctx, enum action action)
{
    const struct app *app = ctx;
    const char *(*word)(const void *, enum action) = app->screens[app->screen]->word;

    if (action == ACT_UNDO && app->form->undo_at <= app->form->undo_first)
        return NULL;
    return word && action != ACT_UNDO ? word(app->state[app->screen], action)
                                      : action_rows[action].word;
}

static void bar_words(const struct app *app, struct strbuf *left, struct strbuf *right)
{
    const char *window = overlay_bar(&app->display);

    strbuf_init(left);
    strbuf_init(right);
    if (window)
        window_bar(window, app->display.cols - 2, left);
    else
        action_bar(app->screen, app->display.cols - 2, app_word, app, left, right);
}

/* "Enter:edit  a:apply": the key's letters stand out. */
static void draw_keys(struct canvas *canvas, struct rect in, int x, const char *text)
{
    for (const char *p = text; *p;) {
        size_t item = strcspn(p, " "), key = strcspn(p + 1, ":") + 1;
        int at = x + gp_width(text) - gp_width(p);

        if (key < item)
            canvas_ink(canvas, in, 0, at, (int)key, INK_KEY);
        p += item;
        p += strspn(p, " ");
    }
}

static void draw_bar(const struct app *app, struct canvas *canvas, struct rect in)
{
    struct rect inside = {in.y, in.x + 1, 1, in.cols - 2};
    struct strbuf left, right;

    bar_words(app, &left, &right);
    int x = inside.cols - gp_width(right.text);
    canvas_fit(canvas, inside, 0, 0, right.len ? x - 1 : x, INK_TEXT, left.text);
    draw_keys(canvas, inside, 0, left.text);
    canvas_text(canvas, inside, 0, x, INK_TEXT, right.text);
    draw_keys(canvas, inside, x, right.text);
    strbuf_fini(&left);
    strbuf_fini(&right);
}

/* The key of the item that covers column x of the text. */
static int key_in(const char *text, int x)
{
    char name[16];

    for (const char *p = text; *p;) {
        size_t item = strcspn(p, " "), key = strcspn(p + 1, ":") + 1;
        const char *end = strstr(p, "  ");
        int from = gp_width(text) - gp_width(p);
        int to = end ? gp_width(text) - gp_width(end) : gp_width(text);

        if (x >= from && x < to && key < item) {
            gp_format(name, sizeof(name), "%.*s", (int)key, p);
            return key_find(name);
        }
        if (!end)
            break;
        p = end + strspn(end, " ");
    }
    return K_NONE;
}

int app_bar_at(const struct app *app, int x)
{
    struct strbuf left, right;

    bar_words(app, &left, &right);
    int from = app->display.cols - 1 - gp_width(right.text);
    int key = right.len && x >= from ? key_in(right.text, x - from) : key_in(left.text, x - 1);
    strbuf_fini(&left);
    strbuf_fini(&right);
    return key;
}

/* ---- all of it ---- */

void app_draw(const struct app *app, struct canvas *canvas)
{
    struct frame frame = app_frame(app);

    canvas->charset = app->settings.charset;
    canvas_clear(canvas, app->display.rows, app->display.cols);
    if (frame.size == SIZE_TOO_SMALL) {
        struct rect all = canvas_rect(canvas); /* lines of at most 20 columns */

        canvas_textf(canvas, all, 0, 0, INK_TEXT, "%dx%d is too small.", canvas->cols,
                     canvas->rows);
        canvas_textf(canvas, all, 1, 0, INK_TEXT, "gpuplan needs %dx%d.", FRAME_MIN_COLS,
                     FRAME_MIN_ROWS);
        canvas_text(canvas, all, 2, 0, INK_TEXT,
                    app->display.report[0] ? app->display.report : "Resize, or q: quit.");
        canvas_cursor(canvas, all, 2, 0);
        return;
    }
    draw_tabs(app, canvas, frame.tabs);
    app->screens[app->screen]->draw(app, app->state[app->screen], canvas, &frame);
    draw_explain(app, canvas, frame.explain);
    overlay_draw(&app->display, canvas, frame.body, frame.explain);
    draw_bar(app, canvas, frame.bar);
}
