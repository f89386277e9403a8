/*
 * record.c - see record.h: building a record, writing it as JSON, printing it for people.
 */
#include "answer/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/texts.h"
#include "base/units.h"
#include "base/wrap.h"

#define ITEMS_FIRST 10

void record_init(struct record *record)
{
    *record = (struct record){0};
}

void record_fini(struct record *record)
{
    if (record->texts) {
        texts_fini(record->texts);
        free(record->texts);
    }
    *record = (struct record){0};
}

/* ---- building ---- */

/* Room for one more of the items; what they grew out of stays until record_fini(). */
static void *items_grow(struct texts *texts, void *items, size_t *cap, size_t count, size_t size)
{
    if (count < *cap)
        return items;
    *cap = count > 0 ? 2 * count : ITEMS_FIRST;
    void *room = texts_alloc(texts, *cap * size);
    if (count > 0)
        memcpy(room, items, count * size);
    return room;
}

static struct fact *fact_add(struct record *record, enum fact_kind kind, const char *name)
{
    if (!record->texts)
        record->texts = gp_calloc(1, sizeof(*record->texts));
    record->facts = items_grow(record->texts, record->facts, &record->cap, record->count,
                               sizeof(*record->facts));
    struct fact *f = &record->facts[record->count++];
    *f = (struct fact){.kind = kind, .group = record->group, .name = name, .unit = ""};
    return f;
}

void record_group(struct record *record, const char *group)
{
    record->group = group;
}

static void text_add(struct record *record, enum fact_kind kind, const char *name, const char *text)
{
    struct fact *f = fact_add(record, kind, name);

    f->text = text && text[0] ? texts_add(record->texts, text) : "";
}

void record_text(struct record *record, const char *name, const char *text)
{
    text_add(record, FACT_TEXT, name, text);
}

static void record_textv(struct record *record, const char *name, const char *fmt, va_list args)
{
    struct fact *f = fact_add(record, FACT_TEXT, name);

    f->text = texts_addv(record->texts, fmt, args);
}

void record_textf(struct record *record, const char *name, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    record_textv(record, name, fmt, args);
    va_end(args);
}

void record_words(struct record *record, const char *name, const char *words)
{
    text_add(record, FACT_WORDS, name, words);
}

void record_flag(struct record *record, const char *name, bool value)
{
    fact_add(record, FACT_FLAG, name)->text = value ? "yes" : "no";
}

void record_count(struct record *record, const char *name, const char *unit, double value)
{
    struct fact *f = fact_add(record, FACT_COUNT, name);

    f->unit = unit;
    f->known = isfinite(value);
    f->number = quantity_exact(value);
}

void record_positive(struct record *record, const char *name, const char *unit, double value)
{
    record_count(record, name, unit, value > 0 ? value : NAN);
}

void record_quantity(struct record *record, const char *name, const char *unit,
                     struct quantity value, double divide, int decimals)
{
    struct fact *f = fact_add(record, FACT_QUANTITY, name);

    f->unit = unit;
    f->decimals = decimals;
    f->known = value.known && isfinite(value.value);
    f->number = value;
    f->number.value /= divide;
    f->number.low /= divide;
    f->number.high /= divide;
}

void record_series(struct record *record, const char *name, const char *unit, enum origin origin,
                   const double *value, size_t n)
{
    struct strbuf text = STRBUF_EMPTY;

    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            strbuf_add(&text, ", ");
        gp_json_add_number(&text, value[i]);
    }
    record_text(record, name, text.text);
    strbuf_fini(&text);
    struct fact *f = &record->facts[record->count - 1];
    f->kind = FACT_SERIES;
    f->unit = unit;
    f->number.origin = origin;
}

void record_listed(struct record *record, const char *name, const char *unit, double value,
                   double divide, int decimals)
{
    record_quantity(record, name, unit,
                    value > 0 ? quantity_of(value, ORIGIN_SHEET) : quantity_unknown(), divide,
                    decimals);
}

void record_fitted(struct record *record, const char *name, const char *unit, double value,
                   double divide, int decimals)
{
    record_quantity(record, name, unit,
                    value > 0 ? quantity_of(value, ORIGIN_MODEL) : quantity_unknown(), divide,
                    decimals);
}

static void record_member(struct record *record, const struct member *m, const void *at)
{
    const char *unit = m->unit ? m->unit : "";
    double divide = m->divide > 0 ? m->divide : 1;
    int tenths;

    switch (m->kind) {
    case MEMBER_CHARS:
        record_text(record, m->name, at);
        break;
    case MEMBER_WORDS:
        record_words(record, m->name, at);
        break;
    case MEMBER_WORD:
        record_text(record, m->name, *(const char *const *)at);
        break;
    case MEMBER_VERSION:
        tenths = *(const int *)at;
        record_textf(record, m->name, tenths > 0 ? "%d.%d" : "", tenths / 10, tenths % 10);
        break;
    case MEMBER_FLAG:
        record_flag(record, m->name, *(const bool *)at);
        break;
    case MEMBER_SET:
        record_flag(record, m->name, *(const int *)at != 0);
        break;
    case MEMBER_INT:
        record_count(record, m->name, unit, *(const int *)at);
        break;
    case MEMBER_SOME_INT:
        record_positive(record, m->name, unit, *(const int *)at);
        break;
    case MEMBER_NUMBER:
        record_count(record, m->name, unit, *(const double *)at);
        break;
    case MEMBER_SOME:
        record_positive(record, m->name, unit, *(const double *)at);
        break;
    case MEMBER_BYTES:
        record_quantity(record, m->name, "GiB", *(const struct quantity *)at, GP_GIB, 2);
        break;
    case MEMBER_LISTED:
        record_listed(record, m->name, unit, *(const double *)at, divide, m->decimals);
        break;
    case MEMBER_LISTED_INT:
        record_listed(record, m->name, unit, *(const int *)at, divide, m->decimals);
        break;
    case MEMBER_FITTED:
        record_fitted(record, m->name, unit, *(const double *)at, divide, m->decimals);
        break;
    case MEMBER_QUANTITY:
        record_quantity(record, m->name, unit, *(const struct quantity *)at, divide, m->decimals);
    }
}

void record_members(struct record *record, const struct member *members, size_t count,
                    const void *base)
{
    for (size_t i = 0; i < count; i++) {
        const struct member *m = &members[i];
        const char *at = (const char *)base + m->offset;

        if (m->optional && (m->kind == MEMBER_FLAG ? !*at : *(const int *)at == 0))
            continue;
        if (m->group)
            record_group(record, m->group);
        record_member(record, m, at);
        record_style(record, m->style);
        if (m->detail)
            record_detail(record);
    }
}

void record_style(struct record *record, enum fact_style style)
{
    record->facts[record->count - 1].style = style;
}

void record_title(struct record *record, const char *title)
{
    record->facts[record->count - 1].title = title;
}

void record_detail(struct record *record)
{
    record->facts[record->count - 1].detail = true;
}

void record_spare(struct record *r, int number)
{
    r->facts[r->count - 1].spare = number;
}

void record_note(struct record *record, const char *note)
{
    record->facts[record->count - 1].note = texts_add(record->texts, note);
}

void record_note_at(struct record *record, const char *name, const char *note)
{
    for (size_t i = 0; i < record->count; i++)
        if (strcmp(record->facts[i].name, name) == 0 && !record->facts[i].note)
            record->facts[i].note = texts_add(record->texts, note);
}

static struct record *fact_grow(struct record *record, struct fact *f)
{
    f->records =
        items_grow(record->texts, f->records, &f->record_cap, f->record_count, sizeof(*f->records));
    struct record *inner = &f->records[f->record_count++];
    *inner = (struct record){.texts = record->texts};
    return inner;
}

struct record *record_inside(struct record *record, const char *name)
{
    return fact_grow(record, fact_add(record, FACT_RECORD, name));
}

static struct fact *fact_find(const struct record *record, const char *name)
{
    for (size_t i = 0; i < record->count; i++)
        if (strcmp(record->facts[i].name, name) == 0)
            return &record->facts[i];
    return NULL;
}

void record_list(struct record *record, const char *name)
{
    if (!fact_find(record, name))
        fact_add(record, FACT_LIST, name);
}

void record_long_list(struct record *record, const char *name)
{
    record_list(record, name);
    fact_find(record, name)->rows = true;
}

void record_parts(struct record *record, const char *name, record_part_fn *make, const void *ctx,
                  int parts)
{
    record_long_list(record, name);
    struct fact *f = fact_find(record, name);
    f->parts = texts_alloc(record->texts, sizeof(*f->parts));
    *f->parts = (struct record_parts){make, ctx, parts};
}

size_t record_parts_first(const struct fact *list, size_t most, struct record *out)
{
    size_t count = 0;

    record_list(out, list->name);
    for (int part = 0; part < list->parts->count; part++) {
        struct record rest = {0};
        bool kept = fact_find(out, list->name)->record_count < most;
        size_t before = fact_find(out, list->name)->record_count;

        record_list(&rest, list->name);
        list->parts->make(list->parts->ctx, part, kept ? out : &rest);
        count += fact_find(kept ? out : &rest, list->name)->record_count - (kept ? before : 0);
        record_fini(&rest);
    }
    return count;
}

struct record *record_append(struct record *record, const char *name)
{
    record_list(record, name);
    return fact_grow(record, fact_find(record, name));
}

void record_item(struct record *record, const char *name, const char *text)
{
    record_text(record_append(record, name), "", text);
}

void record_itemf(struct record *record, const char *name, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    record_textv(record_append(record, name), "", fmt, args);
    va_end(args);
}

const struct fact *record_find(const struct record *record, const char *name)
{
    return fact_find(record, name);
}

const char *record_get(const struct record *record, const char *name)
{
    const struct fact *f = fact_find(record, name);

    return f && f->text ? f->text : "";
}

double record_number(const struct record *record, const char *name)
{
    const struct fact *f = fact_find(record, name);

    return f && f->known ? f->number.value : 0;
}

struct writer {
    struct strbuf *out;
    bool indent; /* by two, or all on one line */
    int depth;
};

static void write_record(struct writer *w, const struct record *record, const char *id);

/* ---- brackets ---- */

/* Where the text is a literal, its length is known here. */
static inline void add_literal(struct writer *w, const char *text)
{
    size_t len = strlen(text);

    strbuf_reserve(w->out, len);
    memcpy(w->out->text + w->out->len, text, len + 1);
    w->out->len += len;
}

static void new_line(struct writer *w)
{
    strbuf_addc(w->out, '\n');
    for (int i = 0; i < w->depth; i++)
        add_literal(w, "  ");
}

static void open_bracket(struct writer *w, char bracket)
{
    strbuf_addc(w->out, bracket);
    w->depth++;
}

static void close_bracket(struct writer *w, char bracket, bool empty)
{
    w->depth--;
    if (!empty && w->indent)
        new_line(w);
    strbuf_addc(w->out, bracket);
}

static inline void next_item(struct writer *w, bool first)
{
    if (!first)
        strbuf_addc(w->out, ',');
    if (w->indent)
        new_line(w);
    else if (!first)
        strbuf_addc(w->out, ' ');
}

/* `member` is `, "low": ` or the like, a literal. */
static inline void add_member(struct writer *w, const char *member)
{
    if (!w->indent) {
        add_literal(w, member);
        return;
    }
    next_item(w, false);
    add_literal(w, member + 2);
}

static void add_name(struct writer *w, const char *name, bool first)
{
    struct strbuf *out = w->out;
    size_t len = strlen(name);

    if (w->indent)
        next_item(w, first);
    strbuf_reserve(out, len + 6);
    char *to = out->text + out->len;
    if (!w->indent && !first) {
        *to++ = ',';
        *to++ = ' ';
    }
    *to++ = '"'; /* a name needs no escape */
    memcpy(to, name, len);
    memcpy(to + len, "\": ", 4);
    out->len = (size_t)(to + len + 3 - out->text);
}

/* ---- values ---- */

static void write_text(struct writer *w, const char *text)
{
    if (text[0])
        gp_json_add_text(w->out, text);
    else
        add_literal(w, "null");
}

static void write_words(struct writer *w, const char *text)
{
    bool empty = *text == '\0';
    struct strbuf word = STRBUF_EMPTY;

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
        struct record made = {0};

        record_list(&made, f->name);
        f->parts->make(f->parts->ctx, part, &made);
        write_items(w, record_find(&made, f->name), f->rows, &first);
        record_fini(&made);
    }
    close_bracket(w, ']', first);
}

/* Most bounds are the value itself, which stands in out[from, from + len). */
static void write_bound(struct writer *w, double bound, double value, size_t from, size_t len)
{
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
    next_item(w, true);
    add_literal(w, "\"value\": ");
    size_t from = w->out->len;
    gp_json_add_number(w->out, q->value);
    size_t len = w->out->len - from;
    add_member(w, ", \"low\": ");
    write_bound(w, q->low, q->value, from, len);
    add_member(w, ", \"high\": ");
    write_bound(w, q->high, q->value, from, len);
    add_member(w, ", \"unit\": ");
    write_text(w, f->unit);
    add_member(w, ", \"origin\": ");
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
        add_literal(w, f->text[0] == 'y' ? "true" : "false");
        break;
    case FACT_COUNT:
        if (f->known)
            gp_json_add_number(w->out, f->number.value);
        else
            add_literal(w, "null");
        break;
    case FACT_QUANTITY:
        if (f->known)
            write_quantity(w, f);
        else
            add_literal(w, "null");
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
        add_name(w, record->facts[i].name, i == 0);
        write_fact(w, &record->facts[i]);
    }
    if (id) {
        add_name(w, "id", record->count == 0);
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

#define VALUE_MAX 80

/* Words that people write in capitals, in names made of small letters. */
static void name_words(char *dst, size_t size, const char *name)
{
    static const char *const capitals[][2] = {
        {"gpu", "GPU"},   {"gpus", "GPUs"}, {"kv", "KV"},     {"tp", "TP"},   {"pp", "PP"},
        {"id", "ID"},     {"ram", "RAM"},   {"mig", "MIG"},   {"sm", "SM"},   {"l2", "L2"},
        {"pcie", "PCIe"}, {"pci", "PCI"},   {"nvml", "NVML"}, {"mtp", "MTP"}, {"vcpus", "vCPUs"}};
    size_t used = 0;

    dst[0] = '\0';
    while (*name && used + 1 < size) {
        size_t n = strcspn(name, "_");
        const char *word = name;

        for (size_t i = 0; i < sizeof(capitals) / sizeof(capitals[0]); i++)
            if (strlen(capitals[i][0]) == n && strncmp(name, capitals[i][0], n) == 0)
                word = capitals[i][1];
        gp_format(dst + used, size - used, "%s%.*s", used ? " " : "", (int)n, word);
        used += strlen(dst + used);
        name += n + (name[n] == '_');
    }
}

static const char *origin_mark(enum origin origin)
{
    return origin == ORIGIN_MODEL ? "~" : origin == ORIGIN_ASSUMED ? "?" : "";
}

static void count_text(const struct fact *f, char *dst, size_t size)
{
    if (f->style == STYLE_PARAMS)
        units_params(dst, size, f->number.value);
    else if (f->style == STYLE_THOUSANDS)
        units_tokens(dst, size, f->number.value);
    else
        gp_format(dst, size, "%.12g", f->number.value);
}

/* '|' becomes a comma. */
static void words_text(const char *words, struct strbuf *out)
{
    for (; *words; words++)
        strbuf_addn(out, *words == '|' ? ", " : words, *words == '|' ? 2 : 1);
}

/* ---- tables ---- */

static bool is_number(const struct fact *f)
{
    return f->kind == FACT_COUNT || f->kind == FACT_QUANTITY;
}

/* The columns whose number is in 1 .. spared are left out. */
static bool is_column(const struct fact *f, const char *group, enum record_as as, int spared)
{
    if (f->spare > 0 && f->spare <= spared)
        return false;
    if (f->kind == FACT_LIST || f->kind == FACT_RECORD || f->kind == FACT_SERIES ||
        (f->detail && as != RECORD_CSV))
        return false;
    return !group || !f->group || strcmp(f->group, group) == 0;
}

struct columns {
    struct table_column *column;
    size_t count;
};

static void add_column(struct columns *c, const char *title, bool right)
{
    c->column[c->count++] =
        (struct table_column){gp_strdup(title), right ? TABLE_RIGHT : TABLE_LEFT};
}

static void fact_columns(struct columns *c, const struct fact *f, enum record_as as)
{
    static const char *const ends[] = {"low", "high", "origin"};
    char title[VALUE_MAX];

    if (as == RECORD_CSV) {
        add_column(c, f->name, is_number(f));
        for (int i = 0; i < 3 && f->kind == FACT_QUANTITY; i++) {
            gp_format(title, sizeof(title), "%s_%s", f->name, ends[i]);
            add_column(c, title, i < 2);
        }
        return;
    }
    name_words(title, sizeof(title), f->name);
    if (f->title)
        gp_copy(title, sizeof(title), f->title);
    else if (f->unit[0])
        gp_append(title, sizeof(title), " ", "%s", f->unit);
    add_column(c, title, is_number(f));
}

static void csv_cells(struct table *table, const struct fact *f)
{
    const struct quantity *q = &f->number;

    if (f->kind == FACT_QUANTITY && f->known) {
        table_cellf(table, "%.10g", q->value);
        table_cellf(table, "%.10g", q->low);
        table_cellf(table, "%.10g", q->high);
        table_cell(table, origin_word(q->origin));
    } else if (f->kind == FACT_QUANTITY) {
        for (int i = 0; i < 4; i++)
            table_cell(table, "");
    } else if (f->kind == FACT_COUNT) {
        table_cellf(table, f->known ? "%.15g" : "", q->value);
    } else {
        table_cell(table, f->text);
    }
}

void record_cell(const struct fact *f, struct strbuf *out)
{
    char text[VALUE_MAX];
    size_t from = out->len;

    if (f->style == STYLE_NOTE && f->note) {
        strbuf_add(out, f->note);
    } else if (f->kind == FACT_QUANTITY && f->known && f->style == STYLE_THOUSANDS) {
        strbuf_addf(out, "%s%s", origin_mark(f->number.origin),
                    units_tokens(text, sizeof(text), f->number.value));
    } else if (f->kind == FACT_QUANTITY && f->known) {
        strbuf_addf(out, "%s%.*f", origin_mark(f->number.origin), f->decimals, f->number.value);
    } else if (f->kind == FACT_COUNT && f->known) {
        count_text(f, text, sizeof(text));
        strbuf_add(out, text);
    } else if (f->style == STYLE_MARK) {
        strbuf_add(out, f->text[0] == 'y' ? "*" : "");
        return;
    } else if (f->kind == FACT_WORDS) {
        words_text(f->text, out);
    } else if (f->text) {
        strbuf_add(out, f->text);
    }
    if (out->len == from)
        strbuf_add(out, f->kind == FACT_QUANTITY && f->note ? f->note : "-");
}

static void table_as(const struct table *table, enum record_as as, struct strbuf *out)
{
    if (as == RECORD_TEXT)
        table_text(table, out);
    else if (as == RECORD_CSV)
        table_csv(table, out);
    else
        table_markdown(table, out);
}

static void table_use(const struct record *rows, size_t count, const char *group, enum record_as as,
                      int spared, record_table_fn *use, void *ctx)
{
    struct table table;
    struct columns c = {0};
    struct strbuf cell = STRBUF_EMPTY;

    if (count == 0)
        return;
    c.column = gp_calloc(rows[0].count * 4 + 1, sizeof(*c.column));
    for (size_t i = 0; i < rows[0].count; i++)
        if (is_column(&rows[0].facts[i], group, as, spared))
            fact_columns(&c, &rows[0].facts[i], as);
    table_init(&table, c.column, c.count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rows[i].count; k++) {
            const struct fact *f = &rows[i].facts[k];

            if (!is_column(f, group, as, spared))
                continue;
            if (as == RECORD_CSV) {
                csv_cells(&table, f);
                continue;
            }
            strbuf_clear(&cell);
            record_cell(f, &cell);
            table_cell(&table, cell.text);
        }
    use(ctx, &table);
    table_fini(&table);
    strbuf_fini(&cell);
    for (size_t i = 0; i < c.count; i++)
        free((char *)c.column[i].title);
    free(c.column);
}

void record_table_use(const struct record *rows, size_t count, const char *group, enum record_as as,
                      record_table_fn *use, void *ctx)
{
    table_use(rows, count, group, as, 0, use, ctx);
}

struct printing {
    enum record_as as;
    struct strbuf *out;
};

static void print_table(void *ctx, const struct table *table)
{
    const struct printing *p = ctx;

    table_as(table, p->as, p->out);
}

void record_table(const struct record *rows, size_t count, const char *group, enum record_as as,
                  struct strbuf *out)
{
    struct printing p = {as, out};

    record_table_use(rows, count, group, as, print_table, &p);
}

void record_table_narrow(const struct record *rows, size_t count, int cols, struct strbuf *out)
{
    struct printing p = {RECORD_TEXT, out};
    size_t from = out->len;
    int most = 0;

    for (size_t i = 0; count > 0 && i < rows[0].count; i++)
        most = rows[0].facts[i].spare > most ? rows[0].facts[i].spare : most;
    for (int spared = 0; spared <= most; spared++) {
        out->len = from;
        out->text[from] = '\0';
        table_use(rows, count, NULL, RECORD_TEXT, spared, print_table, &p);
        if (cols <= 0 || wrap_widest(out->text + from) <= cols)
            return;
    }
}

/* Facts of a record inside another one are named by both: ttft.p50, hours.0.requests. */
static void add_rows(const struct record *record, const char *inside, struct table *table)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct fact *f = &record->facts[i];
        const double figures[] = {f->number.value, f->number.low, f->number.high};
        char name[VALUE_MAX];

        gp_format(name, sizeof(name), "%s%s%s", inside, inside[0] ? "." : "", f->name);
        if (f->kind == FACT_RECORD || f->kind == FACT_LIST) {
            for (size_t k = 0; k < f->record_count; k++) {
                char item[VALUE_MAX];

                gp_format(item, sizeof(item), f->kind == FACT_LIST ? "%s.%zu" : "%s", name, k);
                add_rows(&f->records[k], item, table);
            }
            continue;
        }
        table_cell(table, name);
        for (int k = 0; k < 3; k++)
            if (f->kind == FACT_COUNT) /* a share or a mean, too */
                table_cellf(table, f->known ? "%.15g" : "", figures[k]);
            else if (is_number(f)) /* it may be unknown */
                table_cellf(table, f->known ? "%.*f" : "", f->decimals, figures[k]);
            else
                table_cell(table, k == 0 && f->text ? f->text : "");
        table_cell(table, f->unit);
        table_cell(table, f->known ? origin_word(f->number.origin) : "");
        table_cell(table, f->note ? f->note : "");
    }
}

void record_rows_table(const struct record *record, struct table *table)
{
    static const struct table_column columns[] = {
        {"part", TABLE_LEFT}, {"value", TABLE_RIGHT}, {"low", TABLE_RIGHT}, {"high", TABLE_RIGHT},
        {"unit", TABLE_LEFT}, {"origin", TABLE_LEFT}, {"note", TABLE_LEFT}};

    table_init(table, columns, sizeof(columns) / sizeof(columns[0]));
    add_rows(record, "", table);
}

void record_rows(const struct record *record, enum record_as as, struct strbuf *out)
{
    struct table table;

    record_rows_table(record, &table);
    table_as(&table, as, out);
    table_fini(&table);
}

/* ---- lines ---- */

static void value_text(const struct fact *f, struct strbuf *out)
{
    const struct quantity *q = &f->number;
    char text[VALUE_MAX];
    size_t from = out->len;

    if (f->kind == FACT_QUANTITY && f->known) {
        strbuf_addf(out, "%.*f %s (%s", f->decimals, q->value, f->unit, origin_word(q->origin));
        if (q->low < q->value || q->high > q->value)
            strbuf_addf(out, ", %.*f..%.*f", f->decimals, q->low, f->decimals, q->high);
        strbuf_add(out, ")");
    } else if (f->kind == FACT_COUNT && f->known) {
        count_text(f, text, sizeof(text));
        strbuf_addf(out, "%s%s%s", text, f->unit[0] ? " " : "", f->unit);
        if (f->style == STYLE_PARAMS)
            strbuf_addf(out, " (%.0f)", q->value);
    } else if (f->kind == FACT_WORDS && f->text[0]) {
        words_text(f->text, out);
    } else {
        strbuf_add(out, f->text && f->text[0] ? f->text : "unknown");
    }
    for (size_t i = from; i < out->len; i++) /* a file's text must not command the terminal */
        if ((unsigned char)out->text[i] < 0x20 || out->text[i] == 0x7F)
            out->text[i] = ' ';
}

/* "mixer full, layers 32, heads 32"; what is absent or "no" is left out. */
static void short_line(const struct record *record, struct strbuf *out)
{
    const char *comma = "";
    char name[VALUE_MAX];

    for (size_t i = 0; i < record->count; i++) {
        const struct fact *f = &record->facts[i];
        bool no = f->kind == FACT_FLAG && f->text[0] == 'n';

        if (is_number(f) ? !f->known : !f->text || !f->text[0] || no)
            continue;
        name_words(name, sizeof(name), f->name);
        strbuf_addf(out, "%s%s", comma, name);
        if (f->kind != FACT_FLAG) {
            strbuf_add(out, " ");
            value_text(f, out);
        }
        comma = ", ";
    }
    strbuf_add(out, "\n");
}

void record_lines(const struct record *record, struct strbuf *out)
{
    const char *group = NULL;
    char name[VALUE_MAX];

    for (size_t i = 0; i < record->count; i++) {
        const struct fact *f = &record->facts[i];

        if (f->group && (!group || strcmp(group, f->group) != 0))
            strbuf_addf(out, "%s%s\n", i ? "\n" : "", f->group);
        group = f->group;
        name_words(name, sizeof(name), f->name);
        strbuf_addf(out, "  %s:", name);
        if (f->kind != FACT_LIST && f->kind != FACT_RECORD) {
            strbuf_add(out, " ");
            value_text(f, out);
            strbuf_add(out, "\n");
            continue;
        }
        strbuf_add(out, f->record_count ? "\n" : " none\n");
        for (size_t k = 0; k < f->record_count; k++) {
            strbuf_add(out, "    ");
            short_line(&f->records[k], out);
        }
    }
}

bool predicted_vs_seen_record(const struct predicted_vs_seen *b, struct record *doc,
                              const char *list, struct record **row, bool *in)
{
    const struct quantity *p = &b->predicted, *seen = &b->seen;
    bool both = p->known && seen->known;
    struct record *r = record_append(doc, list);

    *in = both && seen->value >= p->low - b->slack && seen->value <= p->high + b->slack;
    record_text(r, "name", b->name);
    record_text(r, "unit", b->unit);
    record_quantity(r, b->seen_name, "", *seen, b->divide, b->digits);
    record_quantity(r, "predicted", "", *p, b->divide, b->digits);
    record_quantity(r, "low", "", p->known ? quantity_of(p->low, p->origin) : *p, b->divide,
                    b->digits);
    record_quantity(r, "high", "", p->known ? quantity_of(p->high, p->origin) : *p, b->divide,
                    b->digits);
    record_quantity(r, "error", "%",
                    both && seen->value != 0 ? quantity_exact((p->value / seen->value - 1) * 100)
                                             : quantity_unknown(),
                    1, 1);
    record_text(r, "in_band", !both ? "" : *in ? "yes" : "no");
    *row = r;
    return both;
}
