/*
 * script.c - the front end driven by a file instead of a terminal: for tests, for
 * pictures in documents, for trying a screen without one.
 *
 *   # a comment
 *   Down Down Enter "l40s" Enter    names of keys (key.h), and text in quotes
 *   :users 16                       a line as typed at the prompt
 *   :size 120 36                    columns and rows of the screen
 *   :dump FILE   :inks FILE         the screen as text, or a letter per ink; - = stdout
 *   :paste TEXT                     text that is pasted; \n and \t as in C
 *   :bytes TEXT   :pieces TEXT      what a terminal sends, at once or a byte every 0.1 s
 *   :wait [SECONDS]                 until no measurement or search goes on
 *   :until TEXT                     until the screen shows it
 *   :click ROW COLUMN               the mouse, from 1 1
 *
 * What is wrong at the prompt is shown as there; what is wrong in the script ends it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/path.h"
#include "tui/loop.h"
#include "tui/toolkit/key_input.h"
#include "tui/toolkit/utf8.h"

#define SCRIPT_BYTES 1048576 /* of a script, at most */
#define SCREEN_LIMIT 1000    /* columns or rows, at most */
#define WAIT_SECONDS 120.0
#define SETTLED 0.5 /* a tick wished no earlier than this is only a monitor's */

struct script {
    struct app *app;
    char where[192]; /* file:line */
};

/* The screen as it is now; out: its text; NULL: it is drawn alone. */
static void script_look(struct app *app, struct strbuf *out)
{
    struct canvas canvas;

    canvas_init(&canvas, app->settings.charset);
    app_draw(app, &canvas);
    if (out)
        canvas_dump(&canvas, out);
    canvas_fini(&canvas);
}

/* Draws whenever the terminal would have: screens may note where things stand. */
static void script_settle(struct app *app)
{
    app_tick(app);
    script_look(app, NULL);
}

static void press_key(struct app *app, int key)
{
    if (app->quit)
        return;
    app_key(app, key);
    script_settle(app);
}

/* ---- lines that begin with ':' ---- */

static enum gp_status set_size(struct script *script, const char *args, struct gp_err *err)
{
    int cols, rows;

    if (sscanf(args, "%d %d", &cols, &rows) != 2 || cols < 1 || rows < 1 || cols > SCREEN_LIMIT ||
        rows > SCREEN_LIMIT)
        return gp_fail(err, GP_E_USAGE, script->where, ":size 80 24", "needs columns and rows");
    app_resize(script->app, rows, cols);
    script_settle(script->app);
    return GP_OK;
}

static enum gp_status click_at(struct script *script, const char *args, struct gp_err *err)
{
    int y, x;

    if (sscanf(args, "%d %d", &y, &x) != 2)
        return gp_fail(err, GP_E_USAGE, script->where, ":click 1 20", "needs a row and a column");
    app_click(script->app, y - 1, x - 1);
    script_settle(script->app);
    return GP_OK;
}

/* The characters of a text, "\n" and "\t" being one. */
static enum gp_status script_paste(struct script *script, const char *args, struct gp_err *err)
{
    struct paste pasted;
    uint32_t ch;

    (void)err;
    paste_begin(&pasted);
    while ((ch = utf8_next(&args)) != 0) {
        if (ch == '\\' && (*args == 'n' || *args == 't'))
            ch = *args++ == 'n' ? '\n' : '\t';
        paste_add(&pasted, ch);
    }
    paste_end(&pasted);
    app_paste(script->app, &pasted);
    script_settle(script->app);
    return GP_OK;
}

static void input_take(struct script *script, struct key_input *input, int key)
{
    if (key == K_PASTE)
        app_paste(script->app, &input->paste);
    else if (key != K_NONE)
        press_key(script->app, key);
}

/* Bytes through the reader that a terminal's go through, by a clock of their own. */
static enum gp_status script_bytes(struct script *script, const char *text, double pause)
{
    struct key_input input = {0};
    double now = 1;

    while (*text) {
        unsigned int byte = (unsigned char)*text++;

        if (byte == '\\' && *text == 'e') {
            byte = 27;
            text++;
        } else if (byte == '\\' && sscanf(text, "x%2x", &byte) == 1) {
            text += 3;
        } else if (byte == '\\' && *text == '\\') {
            text++;
        }
        now += pause;
        input_take(script, &input, key_input_silence(&input, now));
        input_take(script, &input, key_input_byte(&input, (unsigned char)byte, now));
    }
    input_take(script, &input, key_input_silence(&input, now + 1));
    return GP_OK;
}

static enum gp_status bytes_at_once(struct script *script, const char *args, struct gp_err *err)
{
    (void)err;
    return script_bytes(script, args, 0);
}

static enum gp_status bytes_in_pieces(struct script *script, const char *args, struct gp_err *err)
{
    (void)err;
    return script_bytes(script, args, 0.1);
}

static void pause_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};

    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

static enum gp_status wait_for(struct script *script, const char *args, struct gp_err *err)
{
    double limit = args[0] ? strtod(args, NULL) : WAIT_SECONDS;
    double end = clock_now() + limit;
    char why[120];

    for (;;) {
        double wish = app_tick(script->app);
        bool busy = app_busy(script->app, why, sizeof(why));

        if (!busy && (wish < 0 || wish >= SETTLED))
            break;
        if (clock_now() > end)
            return gp_fail(err, GP_E_USAGE, script->where, busy ? why : "",
                           "still something to do after %g s", limit);
        if (wish > 0)
            pause_for(fmin(wish, 0.05));
    }
    script_settle(script->app);
    return GP_OK;
}

/* What goes on goes on, to see a measurement at work: until it shows, not for a time. */
static enum gp_status wait_until(struct script *script, const char *text, struct gp_err *err)
{
    double end = clock_now() + WAIT_SECONDS;
    struct strbuf shown;
    bool found = false;

    if (!text[0])
        return gp_fail(err, GP_E_USAGE, script->where, ":until running", "needs a text");
    strbuf_init(&shown);
    for (;;) {
        strbuf_clear(&shown);
        script_look(script->app, &shown);
        found = strstr(shown.text, text) != NULL;
        if (found || clock_now() > end)
            break;
        double wish = app_tick(script->app);
        pause_for(wish < 0 || wish > 0.02 ? 0.02 : wish);
    }
    strbuf_fini(&shown);
    return found ? GP_OK
                 : gp_fail(err, GP_E_USAGE, script->where, "",
                           "the screen does not show '%.100s' after %g s", text, WAIT_SECONDS);
}

static const struct {
    const char *name;
    enum gp_status (*run)(struct script *, const char *, struct gp_err *);
} words[] = {{"size", set_size},       {"click", click_at},         {"paste", script_paste},
             {"bytes", bytes_at_once}, {"pieces", bytes_in_pieces}, {"wait", wait_for},
             {"until", wait_until}};

/* What only a script may say; else what the prompt takes, its errors shown as there. */
static enum gp_status run_command(struct script *script, const char *line, struct gp_err *err)
{
    struct gp_err said = {0};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i].name);

        if (strncmp(line, words[i].name, n) == 0 && (line[n] == ' ' || !line[n]))
            return words[i].run(script, line + n + strspn(line + n, " "), err);
    }
    if (strncmp(line, "dump ", 5) != 0 && strncmp(line, "inks ", 5) != 0)
        script->app->display.report[0] = '\0'; /* as a key does; looking is none */
    for (int i = 0; i < SCREEN_COUNT; i++)
        script->app->due[i] = 0;
    if (!app_command(script->app, line, &said))
        app_report_err(script->app, &said);
    script_settle(script->app);
    return GP_OK;
}

/* ---- keys ---- */

/* The text after an opening quote; *text moves behind the closing one. */
static enum gp_status type_text(struct script *script, const char **text, struct gp_err *err)
{
    const char *p = *text;

    while (*p && *p != '"') {
        if (*p == '\\' && p[1])
            p++;
        press_key(script->app, (int)utf8_next(&p));
    }
    if (*p != '"')
        return gp_fail(err, GP_E_USAGE, script->where, "", "a quote is not closed");
    *text = p + 1;
    return GP_OK;
}

static enum gp_status key_line(struct script *script, const char *line, struct gp_err *err)
{
    while (*(line += strspn(line, " \t"))) {
        char name[32];
        size_t n = strcspn(line, " \t");

        if (*line == '#' && (line[1] == ' ' || !line[1]))
            return GP_OK;
        if (*line == '"' && n > 1) {
            line++;
            if (type_text(script, &line, err))
                return err->code;
            continue;
        }
        if (!gp_format(name, sizeof(name), "%.*s", (int)n, line) || key_find(name) == K_NONE)
            return gp_fail(err, GP_E_USAGE, script->where, "Enter, Down, a, \"text\"",
                           "unknown key '%.30s'", name);
        press_key(script->app, key_find(name));
        line += n;
    }
    return GP_OK;
}

enum gp_status script_run(struct app *app, const char *path, struct gp_err *err)
{
    struct script script = {.app = app};
    char *text, *line, *next;
    size_t len;
    int number = 0;

    enum gp_status rc = path_read(path, SCRIPT_BYTES, &text, &len, err);
    if (rc)
        return rc;
    script_settle(app);
    for (line = text; line && !rc && !app->quit; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        gp_format(script.where, sizeof(script.where), "%.150s:%d", path, number);
        line += strspn(line, " \t");
        if (line[0] == ':' && line[1])
            rc = run_command(&script, line + 1, err);
        else
            rc = key_line(&script, line, err);
    }
    free(text);
    return rc;
}
