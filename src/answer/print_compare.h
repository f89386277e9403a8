/*
 * print_compare.h - a gpuplan.compare/1 as text, JSON, CSV or Markdown: what --compare
 * prints and the screen exports.
 */
#ifndef GP_ANSWER_PRINT_COMPARE_H
#define GP_ANSWER_PRINT_COMPARE_H

#include <stdbool.h>

#include "answer/print_plan.h"
#include "answer/record.h"
#include "base/str.h"

/* quiet: without the words above and below the table. */
void print_compare(const struct record *doc, enum output_format format, bool quiet,
                   struct strbuf *out);

#endif
