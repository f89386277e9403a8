/*
 * record_json.c - a record as JSON, written as it is walked.
 *
 * --batch writes thousands of answers: a tree of jansson's, built, walked and freed,
 * took more than planning them.
 */
#include "answer/record.h"

#include <string.h>

#include "base/json.h"

struct writer {
    struct strbuf *out;
    bool indent; /* by two, or all on one line */
    int depth;
};

static void write_record(struct writer *w, const struct record *record, const char *id);

/* ---- brackets ---- */

static void new_line(struct writer *w)
{
    if (!w->indent)
        return;
    strbuf_addc(w->out, '\n');
    for (int i = 0; i < w->depth; i++)
        strbuf_addn(w->out, "  ", 2);
}

static void open_bracket(struct writer *w, char bracket)
{
    strbuf_addc(w->out, bracket);
    w->depth++;
}

static void close_bracket(struct writer *w, char bracket, bool empty)
{
    w->depth--;
    if (!empty)
        new_line(w);
    strbuf_addc(w->out, bracket);
}

static void next_item(struct writer *w, bool first)
{
    if (!first)
        strbuf_addn(w->out, ", ", w->indent ? 1 : 2);
    new_line(w);
}

static void next_member(struct writer *w, const char *name, bool first)
{
    next_item(w, first);
    gp_json_add_name(w->out, name);
}

/* ---- values ---- */

static void write_text(struct writer *w, const char *text)
{
    if (text[0])
        gp_json_add_text(w->out, text);
    else
        strbuf_add(w->out, "null");
}

static void write_words(struct writer *w, const char *text)
{
    bool empty = *text == '\0';
    struct strbuf word;

    strbuf_init(&word);
    open_bracket(w, '[');
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, "|");

        strbuf_clear(&word);
        strbuf_addn(&word, text, n);
        next_item(w, first);
        gp_json_add_text(w->out, word.text);
        text += n + (text[n] == '|');
    }
    close_bracket(w, ']', empty);
    strbuf_fini(&word);
}

/* An item (record_item) is its text, any other record an object. */
static void write_items(struct writer *w, const struct fact *f, bool rows, bool *first)
{
    bool indent = w->indent;

    for (size_t i = 0; i < f->record_count; i++) {
        const struct record *inner = &f->records[i];

        next_item(w, *first);
        *first = false;
        w->indent = indent && !rows;
        if (inner->count == 1 && !inner->facts[0].name[0])
            gp_json_add_text(w->out, inner->facts[0].text);
        else
            write_record(w, inner, NULL);
        w->indent = indent;
    }
}

static void write_list(struct writer *w, const struct fact *f)
{
    bool first = true;

    open_bracket(w, '[');
    write_items(w, f, f->rows, &first);
    for (int part = 0; f->parts && part < f->parts->count; part++) {
        struct record made;

        record_init(&made);
        record_list(&made, f->name);
        f->parts->make(f->parts->ctx, part, &made);
        write_items(w, record_find(&made, f->name), f->rows, &first);
        record_fini(&made);
    }
    close_bracket(w, ']', first);
}

/* Most bounds are the value itself, which stands in out[from, from + len). */
static void write_bound(struct writer *w, const char *name, double bound, double value, size_t from,
                        size_t len)
{
    next_member(w, name, false);
    if (bound != value) {
        gp_json_add_number(w->out, bound);
        return;
    }
    strbuf_reserve(w->out, len);
    strbuf_addn(w->out, w->out->text + from, len);
}

static void write_quantity(struct writer *w, const struct fact *f)
{
    const struct quantity *q = &f->number;

    open_bracket(w, '{');
    next_member(w, "value", true);
    size_t from = w->out->len;
    gp_json_add_number(w->out, q->value);
    size_t len = w->out->len - from;
    write_bound(w, "low", q->low, q->value, from, len);
    write_bound(w, "high", q->high, q->value, from, len);
    next_member(w, "unit", false);
    write_text(w, f->unit);
    next_member(w, "origin", false);
    gp_json_add_text(w->out, origin_word(q->origin));
    close_bracket(w, '}', false);
}

static void write_fact(struct writer *w, const struct fact *f)
{
    switch (f->kind) {
    case FACT_TEXT:
        write_text(w, f->text);
        break;
    case FACT_WORDS:
        write_words(w, f->text);
        break;
    case FACT_FLAG:
        strbuf_add(w->out, f->text[0] == 'y' ? "true" : "false");
        break;
    case FACT_COUNT:
        if (f->known)
            gp_json_add_number(w->out, f->number.value);
        else
            strbuf_add(w->out, "null");
        break;
    case FACT_QUANTITY:
        if (f->known)
            write_quantity(w, f);
        else
            strbuf_add(w->out, "null");
        break;
    case FACT_SERIES:
        if (f->unit[0] == '\0') {
            strbuf_addf(w->out, "[%s]", f->text);
            break;
        }
        strbuf_addf(w->out, "{\"values\": [%s], \"unit\": ", f->text);
        gp_json_add_text(w->out, f->unit);
        strbuf_add(w->out, ", \"origin\": ");
        gp_json_add_text(w->out, origin_word(f->number.origin));
        strbuf_add(w->out, "}");
        break;
    case FACT_RECORD:
        write_record(w, &f->records[0], NULL);
        break;
    case FACT_LIST:
        write_list(w, f);
    }
}

static void write_record(struct writer *w, const struct record *record, const char *id)
{
    open_bracket(w, '{');
    for (size_t i = 0; i < record->count; i++) {
        next_member(w, record->facts[i].name, i == 0);
        write_fact(w, &record->facts[i]);
    }
    if (id) {
        next_member(w, "id", record->count == 0);
        strbuf_add(w->out, id);
    }
    close_bracket(w, '}', record->count == 0 && !id);
}

/* ---- whole ---- */

void record_json(const struct record *record, struct strbuf *out)
{
    struct writer w = {out, true, 0};

    write_record(&w, record, NULL);
    strbuf_addc(out, '\n');
}

void record_json_line(const struct record *record, const char *id, struct strbuf *out)
{
    struct writer w = {out, false, 0};

    write_record(&w, record, id);
    strbuf_addc(out, '\n');
}
