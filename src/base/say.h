/*
 * say.h - writes to standard output and standard error: nothing from a file, a device
 * or a command line can command the terminal.
 */
#ifndef GP_BASE_SAY_H
#define GP_BASE_SAY_H

#include <stdbool.h>
#include <stddef.h>

/* Lines on standard output, at once; false (and errno) when it cannot be written. */
bool gp_out(const char *text, size_t len);
/* The same of JSON that gp_json_add_text() wrote: what would command a terminal is
 * escaped in it, and is not looked for again. */
bool gp_out_json(const char *text, size_t len);
/* A line on standard error; its end is added. */
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A line there in place of the one before, on a terminal; "" takes that away. */
void log_over(const char *line);

#endif
