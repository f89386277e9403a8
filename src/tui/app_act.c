/*
 * app_act.c - what actions mean on every screen that does not mean something of its
 * own: help, the command, the prompts, files, quitting.
 *
 * q: what would be lost is asked about first, one after the other: a measurement that
 * runs or is in no file, then a plan that was changed since it was saved or opened. Who
 * only looked round, or undid what he changed, is let go.
 */
#include "tui/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/document.h"
#include "answer/report_page.h"
#include "base/mem.h"
#include "base/path.h"
#include "tui/settings.h"
#include "tui/toolkit/edit.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/term.h"

#define HELP_COLS 46 /* of a column of help */

/* ---- help, the command, the prompt ---- */

static void open_help(struct app *app)
{
    const struct screen_ops *ops = app->screens[app->screen];
    struct strbuf text;
    char title[60];

    strbuf_init(&text);
    /* what was reported, and what is in focus: the rows below the screen may have no room */
    if (app->display.report[0])
        strbuf_addf(&text, "%s\n\n", app->display.report);
    if (ops->explain) {
        ops->explain(app, app->state[app->screen], &text);
        strbuf_add(&text, "\n\n");
    }
    action_help(app->screen, &text);
    strbuf_add(&text,
               "\nThe : line takes every action by its name, options as --plan "
               "takes them (users 16, --gpu l4:2), on Bench those of --bench too (rel-ci "
               "2 force), solve FIELD, a screen with a whole request (plan -m 8B -g l4), and: "
               "export FILE, save FILE, load FILE. Tab completes.\n"
               "More: man gpuplan, gpuplan-model(7).\n");
    gp_format(title, sizeof(title), "Help: %s", screen_names[app->screen]);
    pager_open(&app->display, title, text.text);
    pager_columns(&app->display, HELP_COLS);
    strbuf_fini(&text);
}

static void show_command(struct app *app)
{
    const struct screen_ops *ops = app->screens[app->screen];
    struct strbuf text;

    strbuf_init(&text);
    if (ops->command)
        ops->command(app, app_state(app, app->screen), &text);
    if (text.len > 0)
        term_copy(text.text);
    if (text.len == 0)
        app_report(app, false, "no command prints this screen");
    else if (gp_width(text.text) < app->display.cols - 2 && text.len < sizeof(app->display.report))
        app_report(app, false, "%s", text.text);
    else
        pager_open(&app->display, "The command that prints the same; it is copied", text.text);
    strbuf_fini(&text);
}

static bool run_line(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    (void)ctx;
    return app_command(app, text, err);
}

static void complete_line(struct app *app, void *ctx, const char *text, struct strbuf *out)
{
    (void)ctx;
    app_complete(app, text, out);
}

static void open_prompt(struct app *app)
{
    struct prompt_spec options = {.label = ":",
                                  .text = "",
                                  .hint = "an action, or a field: users 16, gpu l4:2; "
                                          "Tab completes",
                                  .history = PROMPT_COMMAND,
                                  .done = run_line,
                                  .complete = complete_line};

    prompt_open(&app->display, &options);
}

/* ---- the page of --report, made by the worker while keys are answered ----
 *
 * It takes some hundred plans; the file is written when all are there. Who quits meanwhile
 * waits for it: a file that was asked for is written. */

struct page_job {
    struct form_copy form;
    char path[GP_PATH_MAX];
    struct report_page *page; /* while it is made */
    struct strbuf out;        /* when it is done, */
    struct gp_err err;        /* or why it cannot be */
};

static bool page_unit(void *ctx, int i, struct planner *planner)
{
    struct page_job *job = ctx;
    struct options options;

    if (i == 0) {
        report_page_free(job->page);
        job->err = (struct gp_err){0};
        values_write_options(&job->form.values, &options);
        if (report_page_begin(planner, &options, NULL, &job->page, &job->err))
            job->page = NULL;
    }
    if (!job->page)
        return false;
    if (report_page_step(job->page, 1))
        return true;
    strbuf_clear(&job->out);
    report_page_write(job->page, &job->out);
    report_page_free(job->page);
    job->page = NULL;
    return false;
}

static void page_free(void *ctx)
{
    struct page_job *job = ctx;

    report_page_free(job->page);
    strbuf_fini(&job->out);
    free(job);
}

static const struct task_ops page_ops = {TASK_PAGE, page_unit, page_free};

/* Of the form's answer, into that file, in the format of its suffix. An earlier page that is not
 * done yet is finished first. */
static enum gp_status page_job_begin(struct app *app, const char *path, struct gp_err *err)
{
    struct page_job *job;

    page_job_end(app);
    if (!app->form->answered) {
        *err = app->form->err;
        return err->code;
    }
    job = gp_calloc(1, sizeof(*job));
    form_copy(app->form, &job->form);
    gp_copy(job->path, sizeof(job->path), path);
    strbuf_init(&job->out);
    app->page = job;
    app->page_task = task_begin(app->worker, &page_ops, job);
    app_report(app, false, "writing %s ...", path);
    return GP_OK;
}

static void page_write(struct app *app)
{
    struct page_job *job = app->page;

    if (!job->err.code)
        path_write(job->path, job->out.text, job->out.len, &job->err);
    if (job->err.code)
        app_report_err(app, &job->err);
    else
        app_report(app, false, "written %s %s: the plan, alternatives and curves",
                   job->err.text[0] ? "in place:" : "to", job->path);
    task_drop(&app->page_task);
    app->page = NULL;
    app_touch(app);
}

bool page_job_tick(struct app *app)
{
    if (app->page && task_finished(app->page_task))
        page_write(app);
    return app->page != NULL;
}

void page_job_end(struct app *app)
{
    if (!app->page)
        return;
    task_wait(app->page_task, INFINITY);
    page_write(app);
}

/* ---- export ---- */

/* What follows the last dot of a file's name. */
static const char *suffix_of(const char *path)
{
    const char *dot = strrchr(path_name(path), '.');

    return dot ? dot + 1 : "";
}

bool app_export(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    const struct screen_ops *ops = app->screens[app->screen];
    struct gp_err why = {0};
    char path[GP_PATH_MAX];
    struct strbuf out;

    (void)ctx;
    if (!ops->export)
        return gp_fail(err, GP_E_USAGE, screen_names[app->screen], "", "has nothing to export") ==
               GP_OK;
    if (app_target(text, path, sizeof(path), err))
        return false;
    if (!gp_has_word(ops->suffixes, " ", suffix_of(path))) {
        if (document_is_page(path))
            return page_job_begin(app, path, err) == GP_OK;
        return gp_fail(err, GP_E_USAGE, path, ops->suffixes, "the suffix sets the format") == GP_OK;
    }
    strbuf_init(&out);
    enum gp_status rc = ops->export(app, app_state(app, app->screen), suffix_of(path), &out, err);
    if (!rc)
        rc = path_write(path, out.text, out.len, &why);
    strbuf_fini(&out);
    if (!rc)
        app_report(app, false, "written %s %s", why.text[0] ? "in place:" : "to", path);
    else if (why.code)
        *err = why;
    return rc == GP_OK;
}

static void complete_path(struct app *app, void *ctx, const char *text, struct strbuf *out)
{
    (void)app;
    (void)ctx;
    edit_paths(text, out);
}

/* "compare.csv", or the first of compare-2.csv, compare-3.csv, ... that is not there. */
static void export_name(const struct app *app, char *name, size_t size)
{
    const char *suffixes = app->screens[app->screen]->suffixes;
    const char *word = strchr(action_rows[ACT_SCREEN_PLAN + app->screen].name, '-') + 1;
    int len = (int)strcspn(suffixes, " ");

    gp_format(name, size, "%s.%.*s", word, len, suffixes);
    for (int i = 2; path_is_there(name) && i < 1000; i++)
        gp_format(name, size, "%s-%d.%.*s", word, i, len, suffixes);
}

static void open_export(struct app *app)
{
    const struct screen_ops *ops = app->screens[app->screen];
    char hint[120], name[64];
    struct prompt_spec options = {.label = "Export to: ",
                                  .text = name,
                                  .hint = hint,
                                  .history = PROMPT_FILE,
                                  .done = app_export,
                                  .complete = complete_path};

    if (!ops->export) {
        app_report(app, false, "%s has nothing to export", screen_names[app->screen]);
        return;
    }
    export_name(app, name, sizeof(name));
    gp_format(hint, sizeof(hint), "a file; its suffix sets the format: %s; or a page: html",
              ops->suffixes);
    prompt_open(&app->display, &options);
}

/* ---- the form, to and from a file ---- */

static bool save_form(struct app *app, const char *path, struct gp_err *err)
{
    struct strbuf quoted;

    if (form_save(app->form, path, err))
        return false;
    strbuf_init(&quoted);
    strbuf_quote(&quoted, path);
    app_report(app, false, "saved to %s; gpuplan --batch %s prints its answer", path, quoted.text);
    strbuf_fini(&quoted);
    return true;
}

bool app_save(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    char path[GP_PATH_MAX];

    (void)ctx;
    if (strcmp(text, app->form->file) == 0) /* saved there before */
        return save_form(app, text, err);
    return app_target(text, path, sizeof(path), err) == GP_OK && save_form(app, path, err);
}

static void save_now(struct app *app, void *ctx)
{
    struct gp_err err = {0};

    (void)ctx;
    if (save_form(app, app->saving.path, &err))
        app->quit = app->saving.quit;
    else
        app_report_err(app, &err);
}

static bool save_named(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    char question[GP_PATH_MAX + 40];

    (void)ctx;
    if (!text[0] || !gp_copy(app->saving.path, sizeof(app->saving.path), text))
        return gp_fail(err, GP_E_USAGE, "", "such as plan.json", "a file needs a name") == GP_OK;
    if (path_is_there(text) && strcmp(text, app->form->file) != 0) {
        gp_format(question, sizeof(question), "%s exists. Replace it?", text);
        question_open(&app->display, question, save_now, NULL);
        return true;
    }
    save_now(app, NULL);
    return true;
}

bool app_load(struct app *app, void *ctx, const char *text, struct gp_err *err)
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
    struct prompt_spec options = {.label = load ? "Open: " : "Save as: ",
                                  .text = name[0] || load ? name : "plan.json",
                                  .hint = "a file; gpuplan --batch reads it, o opens it",
                                  .history = PROMPT_FILE,
                                  .done = load ? app_load : save_named,
                                  .complete = complete_path};

    app->saving.quit = quit;
    prompt_open(&app->display, &options);
}

/* ---- quitting: a plan that was changed ---- */

static void save_and_quit(struct app *app, void *ctx)
{
    (void)ctx;
    ask_form_file(app, false, true);
}

static void quit_unsaved(struct app *app, void *ctx)
{
    (void)ctx;
    app->quit = true;
}

static void quit_plan(struct app *app, void *ctx)
{
    const char *file = app->form->file;
    struct question question = {.bar = "w:save  q:quit anyway  Esc:stay",
                                .answer = {{'w', save_and_quit}, {'q', quit_unsaved}}};

    if (!form_changed(app->form)) {
        quit_unsaved(app, ctx);
        return;
    }
    gp_format(question.text, sizeof(question.text), "%s%s.",
              file[0] ? "The changes are not in " : "The plan is not saved", path_name(file));
    question_ask(&app->display, &question);
}

/* ---- quitting: a measurement ---- */

static bool run_would_be_lost(const struct app *app, char *why, size_t size)
{
    if (app_busy(app, why, size))
        return true;
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (app->state[i] && app->screens[i]->unsaved &&
            app->screens[i]->unsaved(app, app->state[i], why, size))
            return true;
    return false;
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

/* "undone: Users 21 -> 16 (U redoes)" */
static void say_step(struct app *app, bool undone, const struct form_step *step)
{
    struct strbuf text;

    strbuf_init(&text);
    for (int i = 0; step && i < step->count; i++) {
        enum field field = step->change[i].field;
        const char *was = step->change[i].text, *now = app->form->values.value[field];

        strbuf_addf(&text, "%s%s %s -> %s", i ? ", " : "", field_rows[field].form->label,
                    was[0] ? was : "default", now[0] ? now : "default");
    }
    if (!step)
        app_report(app, false, undone ? "nothing to undo" : "nothing to redo");
    else if (step->count > 3)
        app_report(app, false, "%s: %d fields (%s)", undone ? "undone" : "redone", step->count,
                   undone ? "U redoes" : "u undoes");
    else
        app_report(app, false, "%s: %s (%s)", undone ? "undone" : "redone", text.text,
                   undone ? "U redoes" : "u undoes");
    strbuf_fini(&text);
}

/* What an action means on a screen that gives it no meaning of its own; motions that are
 * not here have nothing to move. */
static void act_everywhere(struct app *app, enum action action)
{
    char why[120];

    if (action >= ACT_SCREENS && action < ACT_SCREENS + SCREEN_COUNT)
        app_show(app, (enum screen_id)(action - ACT_SCREENS));
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
    case ACT_REDO:
        say_step(app, action == ACT_UNDO,
                 action == ACT_UNDO ? form_undo(app->form) : form_redo(app->form));
        break;
    case ACT_EXPORT:
        open_export(app);
        break;
    case ACT_SAVE:
    case ACT_LOAD:
        ask_form_file(app, action == ACT_LOAD, false);
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
        app->settings.mouse = !app->settings.mouse;
        term_mouse(app->settings.mouse);
        app_report(app, false,
                   app->settings.mouse ? "mouse: on; Shift selects text" : "mouse: off");
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
        break;
    }
}

/* All but those that move or change a value. */
bool app_needs_answer(enum action action)
{
    static const enum action list[] = {
        ACT_UP,   ACT_DOWN,     ACT_LEFT,    ACT_RIGHT,  ACT_PAGE_UP, ACT_PAGE_DOWN,
        ACT_MORE, ACT_LESS,     ACT_FIRST,   ACT_LAST,   ACT_PANEL,   ACT_PANEL_BACK,
        ACT_UNDO, ACT_REDO,     ACT_BACK,    ACT_PROMPT, ACT_HELP,    ACT_REDRAW,
        ACT_QUIT, ACT_QUIT_NOW, ACT_SUSPEND, ACT_THEME,  ACT_CHARSET, ACT_MOUSE};

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (list[i] == action)
            return false;
    return true;
}

void app_act(struct app *app, enum action action)
{
    const struct screen_ops *ops = app->screens[app->screen];

    app->display.touched = true;
    if (!ops->act || !ops->act(app, app_state(app, app->screen), action))
        act_everywhere(app, action);
}
