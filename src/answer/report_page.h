/*
 * report_page.h - --report: one page about a plan, for the colleague who has no terminal.
 *
 * The answer, alternatives (the rows of --compare over all GPUs), curves, what was measured
 * beside what was predicted, sources and dates. Of --train: the answer, memory, cost and
 * fixes. It is made in steps, because alternatives and curves take longer than a key may:
 *
 *   report_page_begin(planner, &options, NULL, &page, err);
 *   while (report_page_step(page, 1))
 *       ... look at the clock, go on later
 *   report_page_write(page, DOCUMENT_HTML, &out);
 *   report_page_free(page);
 */
#ifndef GP_ANSWER_REPORT_PAGE_H
#define GP_ANSWER_REPORT_PAGE_H

#include <stdbool.h>

#include "answer/document.h"
#include "answer/planner.h"
#include "base/err.h"

struct report_page;

/* answer: that of the options when it is planned already, copied; NULL: it is planned here.
 * The page borrows from the planner, not from the options. */
enum gp_status report_page_begin(struct planner *planner, const struct options *options,
                                 const struct answer *answer, struct report_page **out,
                                 struct gp_err *err);
/* At most so many plans more. True while there is more to do. */
bool report_page_step(struct report_page *page, int plans);
void report_page_write(const struct report_page *page, struct strbuf *out);
/* Does the plan fit and reach its goals? */
bool report_page_fits(const struct report_page *page);
/* Why it has no alternatives; "": it has them, or needs none. */
const char *report_page_trouble(const struct report_page *page);
void report_page_free(struct report_page *page); /* NULL: nothing */

#endif
