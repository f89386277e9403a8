/*
 * print_why.h - the terms of terms.h as text: name (symbol) = value, equation, inputs,
 * source.
 */
#ifndef GP_ANSWER_PRINT_WHY_H
#define GP_ANSWER_PRINT_WHY_H

#include "base/str.h"
#include "plan/terms.h"

/* "weights: mlp", "KV: 52 sliding layers" */
#define TERM_NAME_MAX 64
const char *term_name(const struct term *term, char text[TERM_NAME_MAX]);

/* One term, without a heading. */
void print_why_term(const struct term *term, struct strbuf *out);

void print_why(const struct term *terms, int count, struct strbuf *out);

/* "utilization 0.92 (request), usable 79.190 GiB (sheet)" */
void term_inputs_text(const struct term *term, struct strbuf *out);
/* "vLLM 0.19 of 2026-11: logged, 0.19; NVIDIA datasheet" */
void term_source_text(const struct term_source *source, struct strbuf *out);

#endif
