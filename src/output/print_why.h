/*
 * print_why.h - the terms of explain.h as text: name = value, equation, inputs, source.
 */
#ifndef GP_OUTPUT_PRINT_WHY_H
#define GP_OUTPUT_PRINT_WHY_H

#include "core/explain.h"
#include "util/str.h"

/* One term, without a heading. */
void print_why_term(const struct term_why *term, struct strbuf *out);

void print_why(const struct term_why *terms, int count, struct strbuf *out);

#endif
