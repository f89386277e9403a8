/*
 * plan_answer.h - what stands beside the form on the Plan screen. The first rows never
 * move: verdict, GPUs, $/h and $ per million; how full and what is to spare; the bar; its
 * legend. Below them a page that scrolls: speed, cost, ways to change, and why.
 *
 * Only shows what form->answer and plan_more hold; what is written here is rounded, never
 * reckoned (sums and differences of shown parts excepted). It is laid out when one of these or
 * its width changes, and copied to the screen until then.
 */
#ifndef GP_TUI_PLAN_PLAN_ANSWER_H
#define GP_TUI_PLAN_PLAN_ANSWER_H

#include "tui/form.h"
#include "tui/plan/plan_alternatives.h"
#include "tui/toolkit/canvas.h"

#define PLAN_HEAD 4 /* rows of the head */

struct plan_page {
    struct plan_page_of { /* what it was laid out of */
        unsigned version; /* of the form */
        int more;         /* units of plan_more; 0: not planned yet */
        int strip, cols;  /* widths; no strip: there is a head */
        enum charset charset;
    } of;
    char title[120];           /* "Answer: 2 x L40S, TP 2" */
    struct canvas head, lines; /* cells as they are shown; owned */
};

/* Lays the answer out anew where it has changed. more: NULL = not planned yet; strip: the
 * columns of a small screen's strip, 0: none. */
void plan_page_make(struct plan_page *page, const struct form *form,
                    const struct plan_alternatives *more, int strip, int cols,
                    enum charset charset);
void plan_page_fini(struct plan_page *page);

/* The first rows. */
void plan_head_draw(struct canvas *canvas, struct rect in, const struct form *form);
/* Alternatives, what breaks first, tokens/s over users; fills the rectangle. */
void plan_side_draw(struct canvas *canvas, struct rect in, const struct form *form,
                    const struct plan_alternatives *more);

/* "l40s:4", "kv-precision fp8": what a fix of the plan changes, as people say it. */
char *plan_fix_change(const struct plan *plan, const struct fix *fix, char text[FIX_OPTIONS_MAX]);
/* What it comes to: planned, or what is known before; planned may be NULL. */
struct plan_summary plan_fix_outcome(const struct fix *fix, const struct plan_summary *planned);

#endif
