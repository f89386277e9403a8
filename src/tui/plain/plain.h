/*
 * plain.h - the front end for screen readers and pipes: numbered questions, sentences.
 *
 * Lines of text on standard output, answers on standard input; no escape codes, no
 * boxes, nothing is drawn twice. The same form as the screens: every number is the one
 * that --plan prints for the command named at the end.
 *
 *     gpuplan plain mode (from --plain). ...
 *     Model [llama-3.1-8b]:
 *     Result: fits.
 */
#ifndef GP_TUI_PLAIN_PLAIN_H
#define GP_TUI_PLAIN_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tui/app.h"

/* What turned plain mode on: "--plain", "GPUPLAN_PLAIN" or "gpuplan.cfg"; NULL:
 * nothing. option: --plain was given; config: gpuplan.cfg says plain = true. The
 * variable counts when it is set and neither empty nor 0; "0" also turns what
 * gpuplan.cfg says off. */
const char *plain_because(bool option, bool config);

/* Asks until the user quits or the input ends. The exit code: 0, or 1 when the last
 * plan does not fit and the input ended (a script asked), or of *err. */
int plain_run(const struct app_start *start, const char *because, struct gp_err *err);

#endif
