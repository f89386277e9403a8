/*
 * print_why.c - see print_why.h.
 */
#include "answer/print_why.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* A number as it is shown, an input's and a term's alike: four digits, all of those before
 * the point. */
static const char *number_text(enum input_style style, double number, char *text, size_t size)
{
    if (style == INPUT_BYTES)
        units_memory(text, size, number);
    else if (style == INPUT_EXACT)
        units_bytes(text, size, number);
    else if (style == INPUT_MONEY)
        units_money(text, size, number);
    else if (number == floor(number) || fabs(number) >= 1000)
        units_tokens(text, size, number);
    else
        units_plain(text, size, number, 4);
    return text;
}

void term_inputs_text(const struct term *term, struct strbuf *out)
{
    char value[48], low[48], high[48];

    for (int i = 0; i < term->input_count; i++) {
        const struct term_input *in = &term->input[i];
        const struct quantity *q = &in->value;

        if (i > 0)
            strbuf_add(out, ", ");
        if (in->times > 0)
            strbuf_addf(out, "%d x ", in->times);
        strbuf_addn(out, in->name, (size_t)in->name_len);
        if (in->style != INPUT_WORD && !q->known) {
            strbuf_add(out, " unknown");
        } else if (in->style != INPUT_WORD) {
            strbuf_addf(out, " %s", number_text(in->style, q->value, value, sizeof(value)));
            number_text(in->style, q->low, low, sizeof(low));
            number_text(in->style, q->high, high, sizeof(high));
            if (strcmp(low, high) != 0)
                strbuf_addf(out, ", %s to %s", low, high);
        }
        if (in->unit) /* "$2.29/h" is joined */
            strbuf_addf(out, "%s%s", in->style == INPUT_MONEY ? "" : " ", in->unit);
        if (in->origin && in->origin[0])
            strbuf_addf(out, " (%s)", in->origin);
    }
}

void term_source_text(const struct term_source *s, struct strbuf *out)
{
    strbuf_addf(out, "%s%s%s%s%s: %s%s%s", s->name, s->version[0] ? " " : "", s->version,
                s->date[0] ? " of " : "", s->date, s->evidence, s->evidence[0] ? "; " : "",
                s->text);
}

/* A band's end without the unit that the value has: "2.256 GiB (2.026..2.476)". */
static void cut_unit(char *end, const char *value)
{
    const char *unit = strchr(value, ' ');
    char *own = strchr(end, ' ');

    if (unit && own && strcmp(own, unit) == 0)
        *own = '\0';
}

static void print_value(const struct term *t, struct strbuf *out)
{
    const struct quantity *q = &t->value;
    bool gib = strcmp(t->unit, "GiB") == 0, money = t->unit[0] == '$';
    enum input_style style = gib ? INPUT_BYTES : money ? INPUT_MONEY : INPUT_NUMBER;
    double scale = gib ? GP_GIB : 1;
    char value[48], low[48], high[48];

    if (!q->known) {
        strbuf_add(out, "unknown");
        return;
    }
    strbuf_add(out, number_text(style, q->value * scale, value, sizeof(value)));
    if (money) /* "$2.29/h" */
        strbuf_add(out, t->unit + 1);
    else if (!gib)
        strbuf_addf(out, " %s", t->unit);
    number_text(style, q->low * scale, low, sizeof(low));
    number_text(style, q->high * scale, high, sizeof(high));
    cut_unit(low, value);
    cut_unit(high, value);
    if (q->high - q->low > 0.0005 * fabs(q->value) && strcmp(low, high) != 0)
        strbuf_addf(out, " (%s..%s)", low, high);
    strbuf_addf(out, ", %s", origin_word(q->origin));
}

const char *term_name(const struct term *t, char text[TERM_NAME_MAX])
{
    if (t->layers > 0)
        gp_format(text, TERM_NAME_MAX, "%s: %d %s layer%s", t->name, t->layers, t->part,
                  t->layers > 1 ? "s" : "");
    else
        gp_format(text, TERM_NAME_MAX, "%s%s%s", t->name, t->part ? ": " : "",
                  t->part ? t->part : "");
    for (int i = 0; i < t->size_count; i++)
        gp_append(text, TERM_NAME_MAX, t->size[i].before, "%d", t->size[i].number);
    return text;
}

void print_why_term(const struct term *t, struct strbuf *out)
{
    char name[TERM_NAME_MAX];

    strbuf_addf(out, "  %s", term_name(t, name));
    if (strcmp(t->symbol, t->name) != 0)
        strbuf_addf(out, " (%s)", t->symbol);
    strbuf_add(out, " = ");
    print_value(t, out);
    strbuf_addf(out, "\n      %s", t->equation);
    if (t->input_count > 0)
        strbuf_add(out, "\n      with ");
    term_inputs_text(t, out);
    if (t->source.name)
        strbuf_add(out, "\n      from ");
    if (t->source.name)
        term_source_text(&t->source, out);
    strbuf_add(out, "\n");
}

void print_why(const struct term *terms, int count, struct strbuf *out)
{
    strbuf_add(out, "\nwhy\n");
    for (int i = 0; i < count; i++)
        print_why_term(&terms[i], out);
}
