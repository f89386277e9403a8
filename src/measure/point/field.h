/*
 * field.h - a JSON object as a C struct, by one table of fields.
 *
 * A row says what a field is called, what it holds, in which range, and where it lies
 * in the struct. Who writes, reads, checks or prints the object walks the rows. What is
 * read is hostile: lengths, types and ranges are checked, and the first field that is
 * wrong is named. A field that is missing or null leaves the struct as it is.
 *
 *     FIELD_NUMBER_AT(struct point_result, "rate.ops_per_s", ops, 1e24)
 */
#ifndef GP_MEASURE_POINT_FIELD_H
#define GP_MEASURE_POINT_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum field_type {
    FIELD_INT, /* whole numbers: int, long, int64_t */
    FIELD_LONG,
    FIELD_INT64,
    FIELD_NUMBER, /* double; written as null where it is not finite */
    FIELD_TEXT,   /* char[size] */
    FIELD_STRING, /* const char *, borrowed from the JSON, of at most `size` bytes */
    FIELD_WORD,   /* an enum, by its place in `words`, of which there are `size` */
    FIELD_OBJECT  /* it is one: looked at by others, and nothing is stored */
};

enum field_property {
    FIELD_NEEDED = 1 << 0,    /* may not be missing */
    FIELD_RAW = 1 << 1,       /* a text that may hold control characters */
    FIELD_FLAT = 1 << 2,      /* of "a.b", "a" may be the number itself */
    FIELD_LATER = 1 << 3,     /* an unknown word is of a later version: `size` is stored */
    FIELD_CHECKED = 1 << 4,   /* looked at, but not stored */
    FIELD_ZERO_NULL = 1 << 5, /* a number that is 0 is unknown: written as null */
    FIELD_BLANK = 1 << 6      /* a text that is "" is written so, and not as null */
};

struct field {
    const char *name; /* dots lead into objects: "rate.ops_per_s" */
    enum field_type type;
    size_t offset, size;
    double low, high; /* of a number, as the JSON has it */
    double unit;      /* of the JSON, per one of the struct: 100 = per cent; 0 = the same */
    unsigned is;      /* enum field_property, as bits */
    const char *const *words;
};

/* Who reads, and what was wrong first. */
struct reading {
    const char *where; /* the file or the stream, for messages */
    char at[96];       /* the object in it: "points[3]"; "" = the whole */
    const char *hint;
    struct gp_err *err;
    enum gp_status status; /* GP_OK, or GP_E_FILE once something was refused */
};

/* "where: at.field" does not do; only the first one counts. Returns false. */
bool reading_refuse(struct reading *reading, const char *field, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The value at a name; NULL: missing, null, or refused because something before it is
 * not an object. */
const json_t *reading_find(struct reading *reading, const json_t *from, const struct field *field);
/* False when something was refused, now or before. */
bool fields_read(struct reading *reading, const struct field *fields, int count, const json_t *json,
                 void *out);

/* Adds the fields to an object, in the order of the rows, and makes the objects that a name with
 * dots leads into. `sparse`: a zero or "" is left out; else "" and a word that there is not are
 * null. */
void fields_write(const struct field *fields, int count, const void *from, bool sparse,
                  json_t *json);

/* The number in a struct, in the unit of its field's name. */
double field_number(const struct field *field, const void *from);

/* Rows: of a member of struct `s` that is called otherwise, and further designators; of
 * a text; of a word. */
#define FIELD_AT(s, called, member, ...)                             \
    {                                                                \
        .name = (called), .offset = offsetof(s, member), __VA_ARGS__ \
    }
#define FIELD_TEXT_AT(s, called, member) \
    FIELD_AT(s, called, member, .type = FIELD_TEXT, .size = sizeof(((s *)0)->member))
#define FIELD_WORD_AT(s, called, member, list, count, properties)                     \
    FIELD_AT(s, called, member, .type = FIELD_WORD, .words = (list), .size = (count), \
             .is = (properties))
#define FIELD_NUMBER_AT(s, called, member, most) \
    FIELD_AT(s, called, member, .type = FIELD_NUMBER, .high = (most))
/* A table and how many rows it has, as the functions above take them. */
#define FIELDS(table) (table), (int)(sizeof(table) / sizeof((table)[0]))

#endif
