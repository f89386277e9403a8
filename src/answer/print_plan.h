/*
 * print_plan.h - a plan as text, CSV or Markdown for people.
 */
#ifndef GP_ANSWER_PRINT_PLAN_H
#define GP_ANSWER_PRINT_PLAN_H

#include <stdbool.h>

#include "answer/planner.h"
#include "answer/record.h"
#include "base/str.h"
#include "plan/terms.h"

/* The terms of terms.h as text: name (symbol) = value, equation, inputs, source.
 *
 * "weights: mlp", "KV: 52 sliding layers" */
#define TERM_NAME_MAX 64
const char *term_name(const struct term *term, char text[TERM_NAME_MAX]);

/* One term, without a heading. */
void print_why_term(const struct term *term, struct strbuf *out);

void print_why(const struct term *terms, int count, struct strbuf *out);

/* "utilization 0.92 (request), usable 79.190 GiB (sheet)" */
void term_inputs_text(const struct term *term, struct strbuf *out);
/* "vLLM 0.19 of 2026-11: logged, 0.19; NVIDIA datasheet" */
void term_source_text(const struct term_source *source, struct strbuf *out);

enum output_format {
    OUTPUT_TEXT,
    OUTPUT_JSON,
    OUTPUT_CSV,
    OUTPUT_MARKDOWN,
    OUTPUT_PROMETHEUS /* of measurements alone */
};

/* The whole answer. why: each term's equation, inputs and source follow; verbose: the
 * sources of all profiles do; neither: they are one line of dates. */
void print_plan(const struct answer *answer, const struct options *options, bool why, bool verbose,
                struct strbuf *out);

/* "fits: 2 x h100-sxm, TP 2" on one line. */
void print_plan_line(const struct answer *answer, struct strbuf *out);

/* As rows of part, value, low, high, unit, origin and note: verdict, GPU and count, the
 * memory of one GPU, the cost. */
void print_plan_rows(const struct answer *answer, struct record *rows);
void print_plan_table(const struct answer *answer, enum output_format format, struct strbuf *out);

/* What its machines cost, as a paragraph; the price that was asked for, as rows. */
void print_cost(const struct plan *plan, struct strbuf *out);
void print_cost_rows(const struct plan *plan, struct record *rows);

/* The notation of a table. */
enum record_as output_record_as(enum output_format format);
/* A line above or below such a table. */
void output_line(const char *text, enum output_format format, struct strbuf *out);

/* As --format json prints it. */
void print_plan_json(const struct answer *answer, const struct options *options, bool why,
                     struct strbuf *out);

#endif
