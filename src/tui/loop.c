/*
 * loop.c - the loop: keys, ticks and paints, in this order; see loop.h.
 *
 * Keys that are waiting are all taken before anything is painted, so that a key held
 * down never leaves a queue behind. What ticks change is painted at most 30 times a
 * second, what a key changes at once.
 *
 * A key, a click, a paste or the passing of time goes to the window on top, else to the screen,
 * else it means what it means everywhere. Every open screen ticks, also when another is shown: a
 * measurement goes on while its user looks at the plan.
 */
#include "tui/loop.h"

#include <math.h>
#include <signal.h>
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

/* ---- tabs ---- */

#define WIDE_TABS 72 /* columns from which every tab has its name */

struct tab {
    int x, cols;
    char text[24];
};

/* " gpuplan [1 Plan]   2 Compare    3 Curves  ..." or "[1 Plan] 2 3 4". Returns the
 * column behind the last. */
static int lay_tabs(const struct app *app, struct tab tabs[SCREEN_COUNT])
{
    bool wide = app->display.cols >= WIDE_TABS;
    int x = wide ? 9 : 0;

    for (int i = 0; i < SCREEN_COUNT; i++) {
        bool shown = i == (int)app->screen;
        struct tab *tab = &tabs[i];

        *tab = (struct tab){.x = x};
        if (!app_has(app, (enum screen_id)i))
            continue;
        gp_format(tab->text, sizeof(tab->text), "%s%d%s%s%s", shown ? "[" : " ", i + 1,
                  wide || shown ? " " : "", wide || shown ? screen_names[i] : "",
                  shown ? "]" : " ");
        tab->x = x;
        tab->cols = (int)strlen(tab->text);
        x += tab->cols + (wide ? 2 : 0);
    }
    return x;
}

/* The screen whose tab is in this column of the first row; SCREEN_COUNT: none. */
static enum screen_id app_tab_at(const struct app *app, int x)
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

static void bar_words(const struct app *app, struct strbuf *left, struct strbuf *right)
{
    const char *window = overlay_bar(&app->display);

    strbuf_init(left);
    strbuf_init(right);
    if (window)
        window_bar(window, app->display.cols - 2, left);
    else
        action_bar(app->screen, app->display.cols - 2, app->screens[app->screen]->word,
                   app->state[app->screen], left, right);
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
    int x;

    bar_words(app, &left, &right);
    x = inside.cols - gp_width(right.text);
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

/* The key whose word is in this column of the last row; K_NONE: none. */
static int app_bar_at(const struct app *app, int x)
{
    struct strbuf left, right;
    int key, from;

    bar_words(app, &left, &right);
    from = app->display.cols - 1 - gp_width(right.text);
    key = right.len && x >= from ? key_in(right.text, x - from) : key_in(left.text, x - 1);
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
            app_report(app, false, "%s: %s is the best that fits", field_rows[field].form->label,
                       app->form->shown[field]);
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
        int key;

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
        key = app->held == K_NONE ? term_key(wait) : term_no_key(wait);
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
    enum gp_status rc;

    if (start->script) {
        if (!settings->scheme_given)
            settings->scheme = SCHEME_DARK;
        if (!settings->charset_given)
            settings->charset = term_charset();
        return script_run(app, start->script, err);
    }
    rc = term_open(err);
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
