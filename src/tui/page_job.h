/*
 * page_job.h - the page of --report, made while keys are answered.
 *
 * It takes some hundred plans; they are done in slices between keys, and the file is
 * written when all are there. Who quits meanwhile waits for it: a file that was asked for
 * is written.
 */
#ifndef GP_TUI_PAGE_JOB_H
#define GP_TUI_PAGE_JOB_H

#include <stdbool.h>

#include "tui/app.h"
#include "util/err.h"

/* Of the form's answer, into that file, in the format of its suffix. An earlier page that
 * is not done yet is finished first. */
enum gp_status page_job_begin(struct app *app, const char *path, struct gp_err *err);
/* Goes on for some milliseconds. Seconds until it wants to be called again; < 0: there is
 * nothing to do. */
double page_job_tick(struct app *app, double now);
/* All that is left. */
void page_job_end(struct app *app);

#endif
