/*
 * terms_list.c - see terms_list.h.
 */
#include "plan/terms_list.h"

#include <string.h>

#include "base/units.h"

/* ---- inputs ---- */

static struct term_input *terms_list_know(struct terms *terms, enum input_style style,
                                          const char *name, struct quantity value)
{
    if (terms->known_count == KNOWN_MAX)
        terms->known_count--; /* made for all of a plan's, with room to spare */
    struct term_input *in = &terms->known[terms->known_count++];
    *in = (struct term_input){.style = style, .name = name, .value = value};
    in->name_len = (int)strlen(name);
    return in;
}

void input_unit(struct terms *terms, const char *name, double number, const char *unit,
                const char *origin)
{
    struct term_input *in = terms_list_know(terms, INPUT_NUMBER, name, quantity_exact(number));

    in->unit = unit;
    in->origin = origin;
}

void input_number(struct terms *terms, const char *name, double number, const char *origin)
{
    input_unit(terms, name, number, NULL, origin);
}

void input_bytes(struct terms *terms, const char *name, struct quantity bytes)
{
    terms_list_know(terms, INPUT_BYTES, name, bytes)->origin = origin_word(bytes.origin);
}

void input_exact(struct terms *terms, const char *name, double bytes)
{
    terms_list_know(terms, INPUT_EXACT, name, quantity_exact(bytes))->origin = "exact";
}

void input_money(struct terms *terms, const char *name, struct quantity dollars, const char *unit,
                 const char *origin)
{
    struct term_input *in = terms_list_know(terms, INPUT_MONEY, name, dollars);

    in->unit = unit;
    in->origin = origin;
}

void input_word(struct terms *terms, const char *name, const char *word)
{
    terms_list_know(terms, INPUT_WORD, name, quantity_unknown())->unit = word;
}

void inputs_truncate(struct terms *terms, int count)
{
    terms->known_count = count;
}

/* The input of this name, else the name itself as one. */
static struct term_input find_known(const struct terms *terms, const char *name, int len)
{
    for (int i = terms->known_count - 1; i >= 0; i--) {
        const struct term_input *in = &terms->known[i];

        if (in->name_len == len && strncmp(in->name, name, (size_t)len) == 0)
            return *in;
    }
    return (struct term_input){.style = INPUT_WORD, .name = name, .name_len = len};
}

/* A term's value as an input of others. */
static void input_symbol(struct terms *terms, const char *symbol, struct quantity value,
                         const char *unit)
{
    struct term_input in = find_known(terms, symbol, (int)strlen(symbol));

    if (in.style != INPUT_WORD)
        return;
    if (strcmp(unit, "GiB") == 0)
        input_bytes(terms, symbol, value);
    else if (unit[0] == '$')
        input_money(terms, symbol, value, unit + 1, origin_word(value.origin));
    else
        input_unit(terms, symbol, value.value, unit, origin_word(value.origin));
}

static bool is_something(const struct term_input *in)
{
    return in->style == INPUT_WORD    ? !in->unit || in->unit[0]
           : in->style == INPUT_BYTES ? !in->value.known || in->value.high != 0
                                      : in->value.value > 0;
}

/* ---- terms ---- */

void term_add(struct terms *terms, const char *name, const char *symbol, const char *equation,
              struct quantity value, const char *unit, struct term_source source,
              const char *inputs)
{
    if (terms->count == TERMS_MAX)
        return;
    struct term *t = &terms->term[terms->count++];
    t->name = name;
    t->part = NULL;
    t->layers = 0;
    t->size_count = 0;
    t->symbol = symbol;
    t->equation = equation;
    t->value = strcmp(unit, "GiB") == 0 ? quantity_scale(value, 1 / GP_GIB) : value;
    t->unit = unit;
    t->source = source;
    t->input_count = 0;
    while (*inputs && t->input_count < INPUTS_MAX) {
        const char *end = strstr(inputs, ", ");
        int len = (int)(end ? end - inputs : (long)strlen(inputs));
        struct term_input in = find_known(terms, inputs, len);

        if (is_something(&in))
            t->input[t->input_count++] = in;
        inputs += len + (end ? 2 : 0);
    }
    input_symbol(terms, symbol, value, unit);
}

void term_is_part(struct terms *terms, const char *part, int layers)
{
    struct term *t = &terms->term[terms->count - 1];

    t->part = part;
    t->layers = layers;
}

void term_has_size(struct terms *terms, const char *before, int number)
{
    struct term *t = &terms->term[terms->count - 1];

    if (t->size_count < SIZES_MAX)
        t->size[t->size_count++] = (struct term_size){before, number};
}

void term_takes_last(struct terms *terms, int times)
{
    struct term *t = &terms->term[terms->count - 1];
    struct term_input *last = &terms->known[--terms->known_count];

    last->times = times;
    if (t->input_count < INPUTS_MAX)
        t->input[t->input_count++] = *last;
}

/* ---- sources ---- */

struct term_source source_engine(const struct engine *e, enum engine_term term)
{
    return (struct term_source){e->name, e->range, e->date, e->evidence[term],
                                e->source[0] ? e->source : "no source"};
}

struct term_source source_rule(const struct engine *e, enum engine_term term,
                               enum engine_term other)
{
    return source_engine(e, e->evidence[term][0] ? term : other);
}

struct term_source source_model(const struct model *m)
{
    return (struct term_source){m->id, "", m->date, "",
                                m->source[0] ? m->source : "no source, the shape is assumed"};
}

struct term_source source_text(const char *name, const char *text)
{
    return (struct term_source){name, "", "", "", text[0] ? text : "no source"};
}

struct term_source source_gpu(const struct gpu *g)
{
    return source_text(g->id, g->source);
}

struct term_source source_counted(const char *what)
{
    return source_text("gpuplan-model(7)", what);
}
