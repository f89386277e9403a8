/*
 * sheet.c - building a sheet, and its JSON. sheet_print.c prints it for people.
 */
#include "data/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/report.h"
#include "util/json.h"
#include "util/mem.h"

void sheet_init(struct sheet *sheet)
{
    *sheet = (struct sheet){0};
}

void sheet_fini(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->count; i++) {
        struct fact *f = &sheet->facts[i];
        for (size_t k = 0; k < f->sheet_count; k++)
            sheet_fini(&f->sheets[k]);
        free(f->sheets);
        free(f->text);
    }
    free(sheet->facts);
    *sheet = (struct sheet){0};
}

/* ---- building ---- */

static struct fact *add(struct sheet *sheet, enum fact_kind kind, const char *name)
{
    sheet->facts =
        gp_grow(sheet->facts, &sheet->cap, sheet->count + 1, sizeof(*sheet->facts));
    struct fact *f = &sheet->facts[sheet->count++];
    *f = (struct fact){.kind = kind, .group = sheet->group, .name = name, .unit = ""};
    return f;
}

void sheet_group(struct sheet *sheet, const char *group)
{
    sheet->group = group;
}

void sheet_text(struct sheet *sheet, const char *name, const char *text)
{
    add(sheet, FACT_TEXT, name)->text = gp_strdup(text ? text : "");
}

void sheet_textf(struct sheet *sheet, const char *name, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    sheet_text(sheet, name, text);
    free(text);
}

void sheet_words(struct sheet *sheet, const char *name, const char *words)
{
    add(sheet, FACT_WORDS, name)->text = gp_strdup(words ? words : "");
}

void sheet_flag(struct sheet *sheet, const char *name, bool value)
{
    add(sheet, FACT_FLAG, name)->text = gp_strdup(value ? "yes" : "no");
}

void sheet_count(struct sheet *sheet, const char *name, const char *unit, double value)
{
    struct fact *f = add(sheet, FACT_COUNT, name);
    f->unit = unit;
    f->known = isfinite(value);
    f->number = quantity_exact(value);
}

void sheet_positive(struct sheet *sheet, const char *name, const char *unit,
                    double value)
{
    sheet_count(sheet, name, unit, value > 0 ? value : NAN);
}

void sheet_quantity(struct sheet *sheet, const char *name, const char *unit,
                    struct quantity value, double divide, int decimals)
{
    struct fact *f = add(sheet, FACT_QUANTITY, name);
    f->unit = unit;
    f->decimals = decimals;
    f->known = value.known && isfinite(value.value);
    f->number = value;
    f->number.value /= divide;
    f->number.low /= divide;
    f->number.high /= divide;
}

void sheet_style(struct sheet *sheet, enum fact_style style)
{
    sheet->facts[sheet->count - 1].style = style;
}

void sheet_title(struct sheet *sheet, const char *title)
{
    sheet->facts[sheet->count - 1].title = title;
}

void sheet_detail(struct sheet *sheet)
{
    sheet->facts[sheet->count - 1].detail = true;
}

static struct sheet *grow(struct fact *f)
{
    f->sheets =
        gp_grow(f->sheets, &f->sheet_cap, f->sheet_count + 1, sizeof(*f->sheets));
    struct sheet *inner = &f->sheets[f->sheet_count++];
    sheet_init(inner);
    return inner;
}

struct sheet *sheet_inside(struct sheet *sheet, const char *name)
{
    return grow(add(sheet, FACT_SHEET, name));
}

static struct fact *find(const struct sheet *sheet, const char *name)
{
    for (size_t i = 0; i < sheet->count; i++)
        if (strcmp(sheet->facts[i].name, name) == 0)
            return &sheet->facts[i];
    return NULL;
}

void sheet_list(struct sheet *sheet, const char *name)
{
    if (!find(sheet, name))
        add(sheet, FACT_LIST, name);
}

struct sheet *sheet_append(struct sheet *sheet, const char *name)
{
    sheet_list(sheet, name);
    return grow(find(sheet, name));
}

const struct fact *sheet_find(const struct sheet *sheet, const char *name)
{
    return find(sheet, name);
}

const char *sheet_get(const struct sheet *sheet, const char *name)
{
    const struct fact *f = find(sheet, name);
    return f && f->text ? f->text : "";
}

/* ---- JSON ---- */

static json_t *json_of(const struct sheet *sheet);

static json_t *words_json(const char *text)
{
    json_t *list = json_array();
    while (*text) {
        char word[256];
        size_t n = strcspn(text, "|");
        gp_format(word, sizeof(word), "%.*s", (int)(n < 255 ? n : 255), text);
        json_array_append_new(list, gp_json_text(word));
        text += n + (text[n] == '|');
    }
    return list;
}

static json_t *list_json(const struct fact *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->sheet_count; i++)
        json_array_append_new(list, json_of(&f->sheets[i]));
    return list;
}

static json_t *fact_json(const struct fact *f)
{
    switch (f->kind) {
    case FACT_TEXT:
        return f->text[0] ? gp_json_text(f->text) : json_null();
    case FACT_WORDS:
        return words_json(f->text);
    case FACT_FLAG:
        return json_boolean(f->text[0] == 'y');
    case FACT_COUNT:
        return f->known ? gp_json_number(f->number.value) : json_null();
    case FACT_QUANTITY:
        return f->known ? report_quantity(f->number, 1, f->unit) : json_null();
    case FACT_SHEET:
        return json_of(&f->sheets[0]);
    case FACT_LIST:
        break;
    }
    return list_json(f);
}

static json_t *json_of(const struct sheet *sheet)
{
    json_t *object = json_object();
    for (size_t i = 0; i < sheet->count; i++)
        json_object_set_new_nocheck(object, sheet->facts[i].name,
                                    fact_json(&sheet->facts[i]));
    return object;
}

void sheet_json(const struct sheet *sheet, struct strbuf *out)
{
    json_t *root = json_of(sheet);
    gp_json_write(root, true, out);
    json_decref(root);
}
