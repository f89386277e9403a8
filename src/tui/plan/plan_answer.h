/*
 * plan_answer.h - what stands beside the form on the Plan screen: the answer, and its
 * reasons, suggestions and sources. Rows of text, painted or only counted.
 */
#ifndef GP_TUI_PLAN_PLAN_ANSWER_H
#define GP_TUI_PLAN_PLAN_ANSWER_H

#include "tui/form.h"
#include "tui/toolkit/page.h"

/* The answer; alone: nothing stands beside it, so it also says why and what to do. */
void plan_answer_page(struct page *page, const struct form *form, bool alone);
/* Reasons, warnings, suggestions, the difference to the pin, sources. */
void plan_side_page(struct page *page, const struct form *form);

/* "FITS  2 GPUs  $6.98/h  $2.87/M", or that there is no answer; the verdict alone where
 * that is wider than `cols`. */
void plan_decision(const struct form *form, int cols, char *text, size_t size);
/* "2 x NVIDIA L40S", or that there is none. */
void plan_answer_title(const struct form *form, char *text, size_t size);

/* The terms of the answer, those of this field first. */
void plan_why_text(const struct form *form, enum field first, struct strbuf *out);

#endif
