/*
 * app_act.c - what actions mean on every screen that does not mean something of its
 * own: help, the command, the prompts, files, quitting.
 *
 * q: what would be lost is asked about first, one after the other: a measurement that
 * runs or is in no file, then a plan that was changed since it was saved or opened. Who
 * only looked round, or undid what he changed, is let go.
 */
#include "tui/loop.h"

#include <stdlib.h>
#include <string.h>

#include "tui/settings.h"
#include "tui/toolkit/edit.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/term.h"
#include "util/path.h"

/* ---- help, the command, the prompt ---- */

/* "keys\thelp" as two columns. */
static void add_columns(const char *lines, struct strbuf *out)
{
    int wide = 0;

    for (const char *p = lines; *p; p += strcspn(p, "\n") + 1) {
        int keys = (int)strcspn(p, "\t\n");

        if (p[keys] == '\t' && keys > wide)
            wide = keys;
    }
    for (const char *p = lines; *p; p += strcspn(p, "\n") + 1) {
        int line = (int)strcspn(p, "\n"), keys = (int)strcspn(p, "\t\n");

        if (keys < line)
            strbuf_addf(out, "  %-*.*s  %.*s\n", wide, keys, p, line - keys - 1,
                        p + keys + 1);
        else
            strbuf_addf(out, "%s%.*s\n", p > lines ? "\n" : "", line, p);
    }
}

static void open_help(struct app *app)
{
    struct strbuf lines, text;
    char title[60];

    strbuf_init(&lines);
    strbuf_init(&text);
    action_help(app->screen, &lines);
    add_columns(lines.text, &text);
    strbuf_add(
        &text,
        "\nThe : line takes every action by its name, options as --plan "
        "takes them (users 16, --gpu l4:2), on Bench those of --bench too (rel-ci "
        "2 force), solve FIELD, a screen with a whole request (plan -m 8B -g l4), and: "
        "export FILE, save FILE, load FILE. Tab completes.\n"
        "More: man gpuplan, gpuplan-model(7).\n");
    gp_format(title, sizeof(title), "Help: %s", screen_names[app->screen]);
    pager_open(&app->display, title, text.text);
    strbuf_fini(&lines);
    strbuf_fini(&text);
}

static void show_command(struct app *app)
{
    const struct screen_ops *ops = app->screens[app->screen];
    struct strbuf text;

    strbuf_init(&text);
    if (ops->command)
        ops->command(app, app_state(app, app->screen), &text);
    if (text.len == 0)
        app_report(app, false, "no command prints this screen");
    else if (gp_width(text.text) < app->display.cols - 2 &&
             text.len < sizeof(app->display.report))
        app_report(app, false, "%s", text.text);
    else
        pager_open(&app->display, "The command that prints the same", text.text);
    strbuf_fini(&text);
}

static bool run_line(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    (void)ctx;
    return app_command(app, text, err);
}

static void complete_line(struct app *app, void *ctx, const char *text,
                          struct strbuf *out)
{
    (void)ctx;
    app_complete(app, text, out);
}

static void open_prompt(struct app *app)
{
    struct prompt_ask options = {.label = ":",
                                 .text = "",
                                 .hint = "an action, or a field: users 16, gpu l4:2; "
                                         "Tab completes",
                                 .history = PROMPT_COMMAND,
                                 .done = run_line,
                                 .complete = complete_line};

    prompt_open(&app->display, &options);
}

/* ---- export ---- */

/* What follows the last dot of a file's name. */
static const char *suffix_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot ? dot + 1 : "";
}

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = words; n > 0 && (p = strstr(p, word)) != NULL; p += n)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return true;
    return false;
}

bool app_export(struct app *app, const char *text, struct gp_err *err)
{
    const struct screen_ops *ops = app->screens[app->screen];
    char path[GP_PATH_MAX];
    struct strbuf out;
    enum gp_status rc;

    if (!ops->export)
        return gp_fail(err, GP_E_USAGE, screen_names[app->screen], "",
                       "has nothing to export") == GP_OK;
    if (app_target(text, path, sizeof(path), err))
        return false;
    if (!has_word(ops->suffixes, suffix_of(path)))
        return gp_fail(err, GP_E_USAGE, path, ops->suffixes,
                       "the suffix sets the format") == GP_OK;
    strbuf_init(&out);
    rc = ops->export(app, app_state(app, app->screen), suffix_of(path), &out, err);
    if (!rc)
        rc = path_write(path, out.text, out.len, err);
    strbuf_fini(&out);
    if (!rc)
        app_report(app, false, "written to %s", path);
    return rc == GP_OK;
}

static bool export_done(struct app *app, void *ctx, const char *text,
                        struct gp_err *err)
{
    (void)ctx;
    return app_export(app, text, err);
}

static void complete_path(struct app *app, void *ctx, const char *text,
                          struct strbuf *out)
{
    (void)app;
    (void)ctx;
    edit_paths(text, out);
}

static void open_export(struct app *app)
{
    const struct screen_ops *ops = app->screens[app->screen];
    char hint[120];
    struct prompt_ask options = {.label = "Export to: ",
                                 .text = "",
                                 .hint = hint,
                                 .history = PROMPT_FILE,
                                 .done = export_done,
                                 .complete = complete_path};

    if (!ops->export) {
        app_report(app, false, "%s has nothing to export", screen_names[app->screen]);
        return;
    }
    gp_format(hint, sizeof(hint), "a file; its suffix sets the format: %s",
              ops->suffixes);
    prompt_open(&app->display, &options);
}

/* ---- the form, to and from a file ---- */

static void save_now(struct app *app, void *ctx)
{
    const char *path = app->saving.path;
    struct gp_err err = {0};
    struct strbuf quoted;

    (void)ctx;
    if (form_save(app->form, path, &err)) {
        app_report_err(app, &err);
        return;
    }
    app->quit = app->saving.quit;
    strbuf_init(&quoted);
    strbuf_quote(&quoted, path);
    app_report(app, false, "saved to %s; gpuplan --batch %s prints its answer", path,
               quoted.text);
    strbuf_fini(&quoted);
}

static bool save_named(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    char question[GP_PATH_MAX + 40];

    (void)ctx;
    if (!text[0] || !gp_copy(app->saving.path, sizeof(app->saving.path), text))
        return gp_fail(err, GP_E_USAGE, "", "such as plan.json",
                       "a file needs a name") == GP_OK;
    if (path_is_there(text) && strcmp(text, app->form->file) != 0) {
        gp_format(question, sizeof(question), "%s exists. Replace it?", text);
        question_open(&app->display, question, save_now, NULL);
        return true;
    }
    save_now(app, NULL);
    return true;
}

static bool load_named(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    (void)ctx;
    if (form_load(app->form, text, err))
        return false;
    app_report(app, false, "loaded from %s", text);
    return true;
}

static void ask_form_file(struct app *app, bool load, bool quit)
{
    const char *name = app->form->file;
    struct prompt_ask options = {.label = load ? "Open: " : "Save as: ",
                                 .text = name[0] || load ? name : "plan.json",
                                 .hint = "one line of --batch",
                                 .history = PROMPT_FILE,
                                 .done = load ? load_named : save_named,
                                 .complete = complete_path};

    app->saving.quit = quit;
    prompt_open(&app->display, &options);
}

/* ---- quitting: a plan that was changed ---- */

struct plan_question {
    struct overlay overlay;
    char text[GP_PATH_MAX];
};

static void plan_key(struct display *display, struct overlay *overlay, int key)
{
    overlay->closed = true;
    if (key == 'w')
        ask_form_file(display->app, false, true);
    else if (key == 'q' || key == 'Q' || key == K_F10)
        display->app->quit = true;
    else if (key != K_ESC && key != KEY_CTRL('g'))
        overlay->closed = false;
}

static void plan_draw(const struct overlay *overlay, struct canvas *canvas,
                      struct rect body, struct rect bottom)
{
    (void)body;
    canvas_fill(canvas, bottom);
    canvas_fit(canvas, bottom, bottom.rows - 1, 1, bottom.cols - 2, INK_WARN,
               ((const struct plan_question *)overlay)->text);
    canvas_cursor(canvas, bottom, bottom.rows - 1, 1);
}

static const struct overlay_ops plan_ops = {
    .size = sizeof(struct plan_question),
    .draw = plan_draw,
    .key = plan_key,
    .bar = "w:save  q:quit anyway  Esc:stay",
};

static void quit_plan(struct app *app, void *ctx)
{
    const char *file = app->form->file, *slash = strrchr(file, '/');
    struct plan_question *question;

    (void)ctx;
    if (!form_changed(app->form)) {
        app->quit = true;
        return;
    }
    question = (struct plan_question *)overlay_new(&plan_ops);
    if (file[0])
        gp_format(question->text, sizeof(question->text), "The changes are not in %s.",
                  slash ? slash + 1 : file);
    else
        gp_copy(question->text, sizeof(question->text), "The plan is not saved.");
    overlay_push(&app->display, &question->overlay);
}

/* ---- quitting: a measurement ---- */

static bool run_would_be_lost(const struct app *app, char *why, size_t size)
{
    return app_busy(app, why, size) || app_unsaved(app, why, size);
}

void quit_small(struct app *app)
{
    char why[120];

    if (run_would_be_lost(app, why, sizeof(why)) || form_changed(app->form))
        app_report(app, true, "Not saved! Q: quit.");
    else
        app->quit = true;
}

static void quit_ask(struct app *app)
{
    char why[120], text[200];

    if (!run_would_be_lost(app, why, sizeof(why))) {
        quit_plan(app, NULL);
        return;
    }
    gp_format(text, sizeof(text), "%s. Quit?", why);
    question_open(&app->display, text, quit_plan, NULL);
}

/* ---- small ones ---- */

static void undo_form(struct app *app, bool redo)
{
    bool done = redo ? form_redo(app->form) : form_undo(app->form);

    if (!done)
        app_report(app, false, "nothing to %s", redo ? "redo" : "undo");
}

/* The next scheme that this terminal can show. */
static void next_theme(struct app *app)
{
    enum scheme next = app->settings.scheme;

    do {
        next = (enum scheme)((next + 1) % SCHEME_COUNT);
    } while (!app->scripted && term_scheme_able(next) != next);
    app->settings.scheme = next;
    app->settings.scheme_given = true;
    app->whole = true;
    app_report(app, false, "colors: %s", theme_scheme_word(next));
}

static void next_charset(struct app *app)
{
    static const char *const words[] = {"ASCII", "blocks", "braille"};
    bool able = app->scripted || term_charset() != CHARSET_ASCII;

    if (able)
        app->settings.charset = (enum charset)((app->settings.charset + 2) % 3);
    app->settings.charset_given = able;
    app->whole = true;
    app_report(app, false, "drawn in: %s%s", words[app->settings.charset],
               able ? "" : " (the locale is not UTF-8)");
}

static void toggle_mouse(struct app *app)
{
    app->settings.mouse = !app->settings.mouse;
    term_mouse(app->settings.mouse);
    app_report(app, false,
               app->settings.mouse ? "mouse: on; Shift selects text" : "mouse: off");
}

static void save_settings(struct app *app)
{
    char path[GP_PATH_MAX];
    struct gp_err err = {0};

    app->settings.screen = app->screen;
    if (settings_write(&app->settings, path, sizeof(path), &err))
        app_report_err(app, &err);
    else
        app_report(app, false, "colors, mouse and screen are kept in %s", path);
}

static void act_everywhere(struct app *app, enum action action)
{
    char why[120];

    if (action >= ACT_SCREENS && action < ACT_SCREENS + SCREEN_COUNT) {
        app_show(app, (enum screen_id)(action - ACT_SCREENS));
        return;
    }
    switch (action) {
    case ACT_HELP:
        open_help(app);
        break;
    case ACT_QUIT:
        quit_ask(app);
        break;
    case ACT_QUIT_NOW:
        app->quit = true;
        break;
    case ACT_PROMPT:
        open_prompt(app);
        break;
    case ACT_UNDO:
        undo_form(app, false);
        break;
    case ACT_REDO:
        undo_form(app, true);
        break;
    case ACT_EXPORT:
        open_export(app);
        break;
    case ACT_SAVE:
        ask_form_file(app, false, false);
        break;
    case ACT_LOAD:
        ask_form_file(app, true, false);
        break;
    case ACT_COMMAND:
        show_command(app);
        break;
    case ACT_THEME:
        next_theme(app);
        break;
    case ACT_CHARSET:
        next_charset(app);
        break;
    case ACT_MOUSE:
        toggle_mouse(app);
        break;
    case ACT_SETTINGS:
        save_settings(app);
        break;
    case ACT_REDRAW:
        app->whole = true;
        break;
    case ACT_SUSPEND:
        term_suspend(app_busy(app, why, sizeof(why))
                         ? "gpuplan: engines go on measuring; fg resumes the screen"
                         : "");
        break;
    default:
        break; /* motions that have nothing to move */
    }
}

void app_act(struct app *app, enum action action)
{
    const struct screen_ops *ops = app->screens[app->screen];

    app->display.touched = true;
    if (!ops->act || !ops->act(app, app_state(app, app->screen), action))
        act_everywhere(app, action);
}
