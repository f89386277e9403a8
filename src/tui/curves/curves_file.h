/*
 * curves_file.h - which result file the measured curves show (curves_file.c asks).
 */
#ifndef GP_TUI_CURVES_CURVES_FILE_H
#define GP_TUI_CURVES_CURVES_FILE_H

#include <stdbool.h>

struct app;

#define CURVES_BENCH "@bench" /* stands for the last run of Bench */

/* A list of the results in the current folder and Bench's own; another may be typed. */
void curves_choose_file(struct app *app);
/* Shows that file, or reports why it cannot. */
void curves_open_file(struct app *app, const char *path);
bool curves_has_bench(const struct app *app);

#endif
