/*
 * s_pool.c - the tab of what is not there yet: models that share a stock of GPUs.
 */
#include "tui/screen.h"

static void draw(const struct app *app, const void *state, struct canvas *canvas,
                 const struct frame *frame)
{
    struct rect in = frame->body;
    (void)app;
    (void)state;
    if (frame->size != SIZE_ONE) {
        canvas_box(canvas, in, "Pool", NULL);
        in = rect_inside(in);
    }
    canvas_wrap(
        canvas, in, 0, INK_TEXT,
        "Pool: models shared over a stock of GPUs through a day; not built yet");
    canvas_cursor(canvas, in, 0, 0);
}

const struct screen_ops screen_pool = {
    .name = "Pool",
    .state_size = 1,
    .draw = draw,
};
