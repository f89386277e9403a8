/*
 * quit.c - q: what would be lost is asked about first, one after the other: a
 * measurement that runs or is in no file, then a plan that was changed since it was
 * kept. Who only looked round, or undid what he changed, is let go.
 */
#include "tui/app_parts.h"

#include <string.h>

#include "tui/plan/plan_parts.h"
#include "tui/toolkit/key.h"

/* ---- a plan that was changed ---- */

struct plan_question {
    struct overlay overlay;
    char text[GP_PATH_MAX];
};

static void plan_key(struct app *app, struct overlay *overlay, int key)
{
    overlay->closed = true;
    if (key == 'w')
        plan_save_and_quit(app);
    else if (key == 'q' || key == 'Q' || key == K_F10)
        app->quit = true;
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
        gp_format(question->text, sizeof question->text, "The changes are not in %s.",
                  slash ? slash + 1 : file);
    else
        gp_copy(question->text, sizeof question->text, "The plan is not saved.");
    overlay_push(app, &question->overlay);
}

/* ---- a measurement ---- */

static bool run_would_be_lost(const struct app *app, char *why, size_t size)
{
    return app_busy(app, why, size) || app_unsaved(app, why, size);
}

void quit_small(struct app *app)
{
    char why[120];

    if (run_would_be_lost(app, why, sizeof why) || form_changed(app->form))
        app_report(app, true, "Not saved! Q: quit.");
    else
        app->quit = true;
}

void quit_ask(struct app *app)
{
    char why[120], text[200];

    if (!run_would_be_lost(app, why, sizeof why)) {
        quit_plan(app, NULL);
        return;
    }
    gp_format(text, sizeof text, "%s. Quit?", why);
    question_open(app, text, quit_plan, NULL);
}
