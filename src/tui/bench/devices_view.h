/*
 * devices_view.h - the monitor inside Bench: what devices are here and what they do
 * now.
 *
 * The drivers are opened when it is first shown and asked once a second while it is. A
 * row per GPU (or MIG instance) and one for the processor; below it all that is known
 * of the one in focus. Numbers that a driver does not tell are "-".
 */
#ifndef GP_TUI_BENCH_DEVICES_VIEW_H
#define GP_TUI_BENCH_DEVICES_VIEW_H

#include <stdbool.h>

#include "tui/app.h"

struct devices_view;

struct devices_view *devices_view_new(void);
void devices_view_free(struct devices_view *view);

/* Looks again when a second has passed; s until it wants to be called again. */
double devices_view_tick(struct app *app, struct devices_view *view, double now);
void devices_view_draw(const struct devices_view *view, struct canvas *canvas,
                       const struct frame *frame);
bool devices_view_act(struct devices_view *view, enum action action);
void devices_view_click(struct devices_view *view, int y);
void devices_view_explain(const struct devices_view *view, struct strbuf *out);
void devices_view_title(const struct devices_view *view, struct strbuf *out);

#endif
