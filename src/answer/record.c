/*
 * record.c - building a record. record_json.c writes it as JSON, record_print.c for
 * people.
 */
#include "answer/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/units.h"

void record_init(struct record *record)
{
    *record = (struct record){0};
}

void record_fini(struct record *record)
{
    for (size_t i = 0; i < record->count; i++) {
        struct fact *f = &record->facts[i];

        for (size_t k = 0; k < f->record_count; k++)
            record_fini(&f->records[k]);
        free(f->records);
        free(f->parts);
        free(f->text);
        free(f->note);
    }
    free(record->facts);
    *record = (struct record){0};
}

/* ---- building ---- */

static struct fact *fact_add(struct record *record, enum fact_kind kind, const char *name)
{
    record->facts = gp_grow(record->facts, &record->cap, record->count + 1, sizeof(*record->facts));
    struct fact *f = &record->facts[record->count++];
    *f = (struct fact){.kind = kind, .group = record->group, .name = name, .unit = ""};
    return f;
}

void record_group(struct record *record, const char *group)
{
    record->group = group;
}

void record_text(struct record *record, const char *name, const char *text)
{
    fact_add(record, FACT_TEXT, name)->text = gp_strdup(text ? text : "");
}

void record_textf(struct record *record, const char *name, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    record_text(record, name, text);
    free(text);
}

void record_words(struct record *record, const char *name, const char *words)
{
    fact_add(record, FACT_WORDS, name)->text = gp_strdup(words ? words : "");
}

void record_flag(struct record *record, const char *name, bool value)
{
    fact_add(record, FACT_FLAG, name)->text = gp_strdup(value ? "yes" : "no");
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
    struct strbuf text;

    strbuf_init(&text);
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

void record_note(struct record *record, const char *note)
{
    record->facts[record->count - 1].note = gp_strdup(note);
}

static struct record *fact_grow(struct fact *f)
{
    f->records = gp_grow(f->records, &f->record_cap, f->record_count + 1, sizeof(*f->records));
    struct record *inner = &f->records[f->record_count++];
    record_init(inner);
    return inner;
}

struct record *record_inside(struct record *record, const char *name)
{
    return fact_grow(fact_add(record, FACT_RECORD, name));
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
    f->parts = gp_calloc(1, sizeof(*f->parts));
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
    return fact_grow(fact_find(record, name));
}

void record_item(struct record *record, const char *name, const char *text)
{
    record_text(record_append(record, name), "", text);
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
