/*
 * plan_file.c - a plan saved to a file and loaded from it, by a prompt.
 */
#include <string.h>

#include "tui/app_parts.h"
#include "tui/plan/plan_parts.h"
#include "util/path.h"
#include "util/str.h"

static void save_now(struct app *app, void *ctx)
{
    const struct plan_file *file = ctx;
    struct gp_err err = {0};
    struct strbuf quoted;

    if (form_save(app->form, file->path, &err)) {
        app_report_err(app, &err);
        return;
    }
    app->quit = file->quit;
    strbuf_init(&quoted);
    strbuf_quote(&quoted, file->path);
    app_report(app, false, "saved to %s; gpuplan --batch %s prints its answer",
               file->path, quoted.text);
    strbuf_fini(&quoted);
}

static bool save_named(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct plan_file *file = ctx;
    char question[GP_PATH_MAX + 40];

    if (!text[0] || !gp_copy(file->path, sizeof file->path, text))
        return gp_fail(err, GP_E_USAGE, "", "such as plan.json",
                       "a file needs a name") == GP_OK;
    if (path_is_there(text) && strcmp(text, app->form->file) != 0) {
        gp_format(question, sizeof(question), "%s is there already. Replace it?", text);
        question_open(app, question, save_now, file);
        return true;
    }
    save_now(app, file);
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

static void complete_file(struct app *app, void *ctx, const char *text,
                          struct strbuf *out)
{
    (void)app;
    (void)ctx;
    app_complete_path(text, out);
}

bool plan_file_ask(struct app *app, struct plan_file *file, enum plan_file_use use)
{
    const char *name = app->form->file;
    bool load = use == PLAN_LOAD;
    struct prompt_ask options = {.label = load ? "Open: " : "Save as: ",
                                 .text = name[0] || load ? name : "plan.json",
                                 .hint = "one line of --batch",
                                 .history = PROMPT_FILE,
                                 .done = load ? load_named : save_named,
                                 .complete = complete_file,
                                 .ctx = file};

    file->quit = use == PLAN_SAVE_AND_QUIT;
    prompt_open(app, &options);
    return true;
}
