/*
 * print_why.c - see print_why.h.
 */
#include "output/print_why.h"

#include <math.h>

#include "util/units.h"

static void print_value(const struct term_why *t, struct strbuf *out)
{
    const struct quantity *q = &t->value;
    if (!q->known)
        strbuf_add(out, "unknown");
    else if (q->high - q->low > 0.0005 * fabs(q->value))
        strbuf_addf(out, "%s %s (%s..%s), %s", UNITS_PLAIN(q->value, 6), t->unit,
                    UNITS_PLAIN(q->low, 6), UNITS_PLAIN(q->high, 6),
                    origin_word(q->origin));
    else
        strbuf_addf(out, "%s %s, %s", UNITS_PLAIN(q->value, 10), t->unit,
                    origin_word(q->origin));
}

void print_why_term(const struct term_why *t, struct strbuf *out)
{
    strbuf_addf(out, "  %s = ", t->name);
    print_value(t, out);
    if (t->equation[0])
        strbuf_addf(out, "\n      %s", t->equation);
    if (t->inputs[0])
        strbuf_addf(out, "\n      with %s", t->inputs);
    if (t->source[0])
        strbuf_addf(out, "\n      from %s", t->source);
    strbuf_add(out, "\n");
}

void print_why(const struct term_why *terms, int count, struct strbuf *out)
{
    strbuf_add(out, "\nwhy\n");
    for (int i = 0; i < count; i++)
        print_why_term(&terms[i], out);
}
