/*
 * bench_print.h - a result of --bench for people and programs.
 */
#ifndef GP_CLI_BENCH_PRINT_H
#define GP_CLI_BENCH_PRINT_H

#include <stdbool.h>

#include "answer/print_plan.h"
#include "base/str.h"
#include "measure/result/benchlog.h"

struct json_t;

/* quiet: without the table of points. */
void bench_print(const struct benchlog *log, enum output_format format, bool quiet,
                 struct strbuf *out);
/* The figures of the quick subset, a line per test and device. */
void bench_glance(const struct benchlog *log, struct strbuf *out);
/* The texts of a list, a line each. */
void bench_print_lines(const struct json_t *list, const char *before, bool markdown,
                       struct strbuf *out);
/* The devices of a merged result that lag behind their like, a line each. */
void bench_stragglers(const struct json_t *result, struct strbuf *out);
enum benchlog_view bench_view(enum output_format format);

#endif
