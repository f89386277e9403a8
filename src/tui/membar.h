/*
 * membar.h - the memory of one GPU as one bar and a legend: Plan and Compare.
 *
 * All of it is of the budget, which is what the verdict goes by: weights, KV of the users,
 * activation, what the engine runs on (contexts, libraries, CUDA graphs as they are
 * charged), and what is to spare. Physical and usable memory stand behind `y`.
 *
 * A glyph per part, so that it reads without colour. Parts less than a cell wide but
 * more than nothing get one cell; what is more than the budget runs over its end, which
 * is marked.
 */
#ifndef GP_TUI_MEMBAR_H
#define GP_TUI_MEMBAR_H

#include "plan/plan.h"
#include "tui/toolkit/canvas.h"

struct membar_part {
    const char *name; /* "weights" */
    enum glyph glyph;
    enum ink ink;
    double bytes; /* > 0 */
};
enum { MEMBAR_PARTS = 6 };

/* The parts of a plan that has_memory, spare last; they add up to the budget, or to the
 * need where that is more. Returns how many. */
int membar_parts(const struct plan *plan, struct membar_part parts[MEMBAR_PARTS]);
/* The bar over row y of `in`, and the budget in GiB behind it. */
void membar_draw(struct canvas *canvas, struct rect in, int y, const struct plan *plan);
/* "█ weights 33.9 ▓ KV 1.3 ▒ act 0.6 ░ run 2.8" in GiB, in one row; less where there is
 * no room for all. */
void membar_legend(struct canvas *canvas, struct rect in, int y, const struct plan *plan);

#endif
