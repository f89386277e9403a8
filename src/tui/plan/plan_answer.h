/*
 * plan_answer.h - what stands beside the form on the Plan screen. The first rows never
 * move: verdict, GPUs, $/h and $ per million; how full and what is to spare; the bar; its
 * legend. Below them a page that scrolls: speed, cost, ways to change, and why.
 *
 * Only shows what form->answer and plan_more hold; what is written here is rounded, never
 * reckoned (sums and differences of shown parts excepted).
 */
#ifndef GP_TUI_PLAN_PLAN_ANSWER_H
#define GP_TUI_PLAN_PLAN_ANSWER_H

#include "tui/form.h"
#include "tui/plan/plan_alternatives.h"
#include "tui/toolkit/page.h"

#define PLAN_HEAD 4 /* rows of the head */

void plan_head_draw(struct canvas *canvas, struct rect in, const struct form *form);
/* The head of a small screen, in FRAME_STRIP rows: verdict, memory, speed. */
void plan_strip_draw(struct canvas *canvas, struct rect in, const struct form *form);
/* "Answer: 2 x L40S, TP 2" */
void plan_answer_title(const struct form *form, char *text, size_t size);

/* The rows below the head. more: NULL = not planned yet. */
void plan_answer_page(struct page *page, const struct form *form, const struct plan_more *more);
/* plan_side.c: alternatives, what breaks first, tokens/s over users; fills the rectangle. */
void plan_side_draw(struct canvas *canvas, struct rect in, const struct form *form,
                    const struct plan_more *more);
/* plan_pin.c: the difference to the plan that is pinned; nothing when none is. */
void plan_pin_page(struct page *page, const struct form *form);

/* "l40s:4", "kv-precision fp8": what a fix of the plan changes, as people say it. */
char *plan_fix_change(const struct plan *plan, const struct fix *fix, char text[FIX_OPTIONS_MAX]);
/* Have points measured here corrected its speed? */
bool plan_is_measured(const struct plan *plan);
/* What it comes to: planned, or what is known before; planned may be NULL. */
struct outcome plan_fix_outcome(const struct fix *fix, const struct outcome *planned);

/* plan_why.c: the terms of the answer, those of this field first. */
void plan_why_text(const struct form *form, enum field first, struct strbuf *out);

#endif
