/*
 * bench_options.h - the options of --bench that the screen can be given.
 *
 * All that the table of options (answer/option.h) has for measuring, but those that
 * only a command can follow: its exit code, its other files, what it prints. Each is a
 * text as the option takes it, "" for its default; nothing is parsed twice.
 */
#ifndef GP_TUI_BENCH_BENCH_OPTIONS_H
#define GP_TUI_BENCH_BENCH_OPTIONS_H

#include <stdbool.h>

#include "answer/option.h"
#include "answer/planner.h"
#include "base/err.h"
#include "base/str.h"

#define BENCH_VALUE 160

struct bench_options {
    char value[OPTION_COUNT][BENCH_VALUE];
};

/* Is it one of them? */
bool bench_option(enum option_id id);

/* Checks a value by itself, as the command would, and puts it in. "" and the default's
 * own words are the default; a flag is on or off. */
enum gp_status bench_options_put(struct bench_options *bench, struct planner *planner,
                                 enum option_id id, const char *text, struct gp_err *err);
/* "rel-ci 2 --force --seed=7", all of it or, where something is wrong, nothing. */
enum gp_status bench_options_line(struct bench_options *bench, struct planner *planner,
                                  const char *line, struct gp_err *err);

/* Into an ask; the texts are borrowed. */
enum gp_status bench_options_ask(const struct bench_options *bench, struct options *options,
                                 struct gp_err *err);
/* " --preset quick --force" */
void bench_options_command(const struct bench_options *bench, struct strbuf *out);

/* The default for people, with its unit: "50 ms". */
char *bench_option_default(enum option_id id, char *text, size_t size);
/* What it takes: "10 to 1000 ms", "cold, weights-cold, hot", "LOW[:HIGH]". */
char *bench_option_range(enum option_id id, char *text, size_t size);

#endif
