/* field.c - see field.h. */
#include "measure/point/field.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "measure/point/line.h"

#define TEXT_MAX 512 /* bytes of a borrowed text without a size */

/* ---- the struct ---- */

static double unit_of(const struct field *field)
{
    return field->unit != 0 ? field->unit : 1;
}

double field_number(const struct field *field, const void *from)
{
    const void *at = (const char *)from + field->offset;

    switch (field->type) {
    case FIELD_INT:
        return *(const int *)at;
    case FIELD_LONG:
        return (double)*(const long *)at;
    case FIELD_INT64:
        return (double)*(const int64_t *)at;
    default:
        return *(const double *)at * unit_of(field);
    }
}

static void store_number(const struct field *field, double number, void *out)
{
    void *at = (char *)out + field->offset;

    switch (field->type) {
    case FIELD_INT:
        *(int *)at = (int)number;
        break;
    case FIELD_LONG:
        *(long *)at = (long)number;
        break;
    case FIELD_INT64:
        *(int64_t *)at = (int64_t)number;
        break;
    default:
        *(double *)at = number / unit_of(field);
    }
}

/* ---- reading ---- */

bool reading_refuse(struct reading *r, const char *field, const char *fmt, ...)
{
    char where[256], what[256];
    va_list args;

    if (r->status)
        return false;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    gp_format(where, sizeof(where), "%s%s%s%s%s", r->where, *r->where ? ": " : "", r->at,
              r->at[0] && *field ? "." : "", field);
    r->status = gp_fail(r->err, GP_E_FILE, where, r->hint ? r->hint : "", "%s", what);
    return false;
}

const json_t *reading_find(struct reading *r, const json_t *from, const struct field *f)
{
    char key[64];

    for (const char *at = f->name;; at++) {
        size_t len = strcspn(at, ".");

        if (len < sizeof(key))
            memcpy(key, at, len);
        key[len < sizeof(key) ? len : 0] = '\0';
        from = json_object_get(from, key);
        at += len;
        if (!from || json_is_null(from))
            return NULL;
        if (!*at || (f->is & FIELD_FLAT && json_is_number(from)))
            return from;
        if (!json_is_object(from)) {
            reading_refuse(r, key, "is not an object");
            return NULL;
        }
    }
}

static bool read_text(struct reading *r, const struct field *f, const json_t *value, void *out)
{
    const char *text = json_string_value(value);
    size_t most = f->type == FIELD_TEXT ? f->size - 1 : f->size ? f->size : TEXT_MAX;

    if (!text)
        return reading_refuse(r, f->name, "is not text");
    if (json_string_length(value) > most)
        return reading_refuse(r, f->name, "is longer than %zu bytes", most);
    for (const char *c = text; *c && !(f->is & FIELD_RAW); c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return reading_refuse(r, f->name, "holds control characters");
    if (f->is & FIELD_CHECKED)
        return true;
    if (f->type == FIELD_STRING)
        *(const char **)(void *)((char *)out + f->offset) = text;
    else
        gp_copy((char *)out + f->offset, f->size, text);
    return true;
}

static bool read_word(struct reading *r, const struct field *f, const json_t *value, void *out)
{
    const char *text = json_string_value(value);
    int place = line_word(f->words, (int)f->size, text);
    char list[160] = "";

    if (place < 0 && !(f->is & FIELD_LATER && text)) {
        for (size_t i = 0; i < f->size; i++)
            gp_append(list, sizeof(list), ", ", "%s", f->words[i]);
        return reading_refuse(r, f->name, "\"%.40s\" is not one of %s", text ? text : "", list);
    }
    *(int *)(void *)((char *)out + f->offset) = place < 0 ? (int)f->size : place;
    return true;
}

static bool read_number(struct reading *r, const struct field *f, const json_t *value, void *out)
{
    double number = json_number_value(value);

    if (f->type == FIELD_NUMBER && !json_is_number(value))
        return reading_refuse(r, f->name, "is not a number");
    if (f->type != FIELD_NUMBER && !json_is_integer(value))
        return reading_refuse(r, f->name, "is not a whole number");
    if (!(number >= f->low && number <= f->high))
        return reading_refuse(r, f->name, "is %.6g, outside %.6g..%.6g", number, f->low, f->high);
    if (!(f->is & FIELD_CHECKED))
        store_number(f, number, out);
    return true;
}

bool fields_read(struct reading *r, const struct field *fields, int count, const json_t *json,
                 void *out)
{
    for (int i = 0; i < count && !r->status; i++) {
        const struct field *f = &fields[i];
        const json_t *value = reading_find(r, json, f);

        if (!value && f->is & FIELD_NEEDED)
            reading_refuse(r, f->name, "is missing");
        else if (!value)
            continue;
        else if (f->type == FIELD_TEXT || f->type == FIELD_STRING)
            read_text(r, f, value, out);
        else if (f->type == FIELD_WORD)
            read_word(r, f, value, out);
        else if (f->type != FIELD_OBJECT)
            read_number(r, f, value, out);
        else if (!json_is_object(value))
            reading_refuse(r, f->name, "is not an object");
    }
    return !r->status;
}

/* ---- writing ---- */

/* NULL: it is zero, empty or none. */
static json_t *field_to_json(const struct field *f, const void *from, bool sparse)
{
    const char *at = (const char *)from + f->offset, *text = at;
    int place;

    switch (f->type) {
    case FIELD_STRING:
        text = *(const char *const *)(const void *)at;
        /* fall through */
    case FIELD_TEXT:
        return text && (*text || f->is & FIELD_BLANK) ? gp_json_text(text) : NULL;
    case FIELD_WORD:
        place = *(const int *)(const void *)at;
        return (size_t)place < f->size ? json_string(f->words[place]) : NULL;
    case FIELD_OBJECT:
        return NULL;
    default:
        return (sparse || f->is & FIELD_ZERO_NULL) && field_number(f, from) == 0
                   ? NULL
                   : gp_json_number(field_number(f, from));
    }
}

/* The object that a name with dots leads into is made where there is none. */
static void set_value(json_t *json, const char *name, json_t *value)
{
    const char *dot;
    char key[64];

    for (; (dot = strchr(name, '.')); name = dot + 1) {
        gp_format(key, sizeof(key), "%.*s", (int)(dot - name), name);
        if (!json_is_object(json_object_get(json, key)))
            json_object_set_new(json, key, json_object());
        json = json_object_get(json, key);
    }
    json_object_set_new(json, name, value);
}

void fields_write(const struct field *fields, int count, const void *from, bool sparse,
                  json_t *json)
{
    for (int i = 0; i < count; i++) {
        json_t *value = field_to_json(&fields[i], from, sparse);

        if (value || !sparse)
            set_value(json, fields[i].name, value ? value : json_null());
    }
}
