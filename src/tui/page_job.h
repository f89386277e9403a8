/*
 * page_job.h - the page of --report, made by the worker while keys are answered.
 *
 * It takes some hundred plans; the file is written when all are there. Who quits meanwhile
 * waits for it: a file that was asked for is written.
 */
#ifndef GP_TUI_PAGE_JOB_H
#define GP_TUI_PAGE_JOB_H

#include <stdbool.h>

#include "base/err.h"
#include "tui/app.h"

/* Of the form's answer, into that file, in the format of its suffix. An earlier page that
 * is not done yet is finished first. */
enum gp_status page_job_begin(struct app *app, const char *path, struct gp_err *err);
/* Writes it when it is done. True: it is not. */
bool page_job_tick(struct app *app);
/* Waits for it. */
void page_job_end(struct app *app);

#endif
