/*
 * overlay.c - the stack of windows: who gets the key, and when a window is freed.
 *
 * A window that is done only says so (closed). It is freed here, after its key()
 * returned, wherever in the stack it then lies: the callback of a prompt may have put a
 * reader on top of it.
 */
#include "tui/toolkit/overlay.h"

#include <stdlib.h>

#include "tui/app.h"
#include "tui/toolkit/edit.h"
#include "tui/toolkit/paste.h"
#include "util/mem.h"

struct overlay *overlay_new(const struct overlay_ops *ops)
{
    struct overlay *overlay = gp_calloc(1, ops->size);

    overlay->ops = ops;
    return overlay;
}

void overlay_push(struct app *app, struct overlay *overlay)
{
    overlay->below = app->overlay;
    app->overlay = overlay;
    app->touched = true;
}

static void free_one(struct overlay *overlay)
{
    if (overlay->ops->free)
        overlay->ops->free(overlay);
    free(overlay);
}

static void sweep(struct app *app)
{
    struct overlay **at = &app->overlay;

    while (*at) {
        struct overlay *overlay = *at;

        if (!overlay->closed) {
            at = &overlay->below;
            continue;
        }
        *at = overlay->below;
        free_one(overlay);
    }
}

bool overlay_key(struct app *app, int key)
{
    struct overlay *top = app->overlay;

    if (!top)
        return false;
    top->ops->key(app, top, key);
    sweep(app);
    app->touched = true;
    return true;
}

const char *overlay_paste(struct app *app, const struct paste *paste)
{
    struct overlay *top = app->overlay;
    const char *why = NULL;

    if (!top || !top->ops->line)
        return "pasted text is taken only where text is typed: : or Enter opens a line";
    if (paste->over || !edit_type(top->ops->line(top), paste->text))
        why = "the pasted text is too long for this line; nothing of it was taken";
    top->ops->pasted(top, why);
    return why;
}

static void draw_from(const struct overlay *overlay, struct canvas *canvas,
                      struct rect body, struct rect bottom)
{
    if (!overlay)
        return;
    draw_from(overlay->below, canvas, body, bottom);
    overlay->ops->draw(overlay, canvas, body, bottom);
}

void overlay_draw(const struct app *app, struct canvas *canvas, struct rect body,
                  struct rect bottom)
{
    draw_from(app->overlay, canvas, body, bottom);
}

const char *overlay_bar(const struct app *app)
{
    return app->overlay ? app->overlay->ops->bar : NULL;
}

void overlay_close_all(struct app *app)
{
    while (app->overlay) {
        app->overlay->closed = true;
        sweep(app);
    }
}
