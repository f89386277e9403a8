/*
 * overlay.c - the stack of windows: who gets the key, and when a window is freed.
 *
 * A window that is done only says so (closed). It is freed here, after its key()
 * returned, wherever in the stack it then lies: the callback of a prompt may have put a
 * pager on top of it.
 */
#include "tui/toolkit/overlay.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tui/toolkit/edit.h"

void display_report(struct display *display, bool bad, const char *text)
{
    gp_copy(display->report, sizeof(display->report), text);
    display->report_bad = bad;
    display->touched = true;
}

struct overlay *overlay_new(const struct overlay_ops *ops)
{
    struct overlay *overlay = gp_calloc(1, ops->size);

    overlay->ops = ops;
    overlay->bar = ops->bar;
    return overlay;
}

void overlay_push(struct display *display, struct overlay *overlay)
{
    overlay->below = display->top;
    display->top = overlay;
    display->touched = true;
}

static void free_closed(struct display *display)
{
    struct overlay **at = &display->top;

    while (*at) {
        struct overlay *overlay = *at;

        if (!overlay->closed) {
            at = &overlay->below;
            continue;
        }
        *at = overlay->below;
        if (overlay->ops->free)
            overlay->ops->free(overlay);
        free(overlay);
    }
}

bool overlay_key(struct display *display, int key)
{
    struct overlay *top = display->top;
    bool passed;

    if (!top)
        return false;
    top->passed = false;
    top->ops->key(display, top, key);
    passed = top->passed;
    free_closed(display);
    display->touched = true;
    return !passed;
}

const char *overlay_paste(struct display *display, const struct paste *paste)
{
    struct overlay *top = display->top;
    const char *why = NULL;

    if (!top || !top->ops->line)
        return "paste needs an input line: open one with : or Enter";
    if (paste->over || !edit_type(top->ops->line(top), paste->text))
        why = "the pasted text is too long for this line: ignored";
    top->ops->pasted(display, top, why);
    return why;
}

static void draw_from(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                      struct rect bottom)
{
    if (!overlay)
        return;
    draw_from(overlay->below, canvas, body, bottom);
    overlay->ops->draw(overlay, canvas, body, bottom);
}

void overlay_draw(const struct display *display, struct canvas *canvas, struct rect body,
                  struct rect bottom)
{
    draw_from(display->top, canvas, body, bottom);
}

const char *overlay_bar(const struct display *display)
{
    return display->top ? display->top->bar : NULL;
}

void overlay_close_all(struct display *display)
{
    while (display->top) {
        display->top->closed = true;
        free_closed(display);
    }
}
