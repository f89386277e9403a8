/*
 * wrap.h - text as wide as the terminal.
 *
 * A line that is too wide goes on below where its last column begins, a column being what two
 * blanks stand before; a command to paste goes on with a backslash:
 *
 *   TTFT   219 ms  63..1095 ms   126 ms on an    |   gpuplan --plan -m llama-3.1-70b \
 *                                idle engine     |       --gpu h200-sxm:1
 */
#ifndef GP_BASE_WRAP_H
#define GP_BASE_WRAP_H

#include "base/str.h"

/* Columns of standard output: what COLUMNS says, else the terminal's, else 80. COLUMNS=0 is no
 * limit, and so is one of over 10,000. */
int wrap_cols(void);

/* Columns of the widest line. */
int wrap_widest(const char *text);

/* Wraps each line of the text that is wider than cols; 0 leaves all as they are. */
void wrap_text(struct strbuf *text, int cols);

#endif
