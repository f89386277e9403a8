/*
 * record.h - facts about one thing, written down once for every way of printing them.
 *
 * A record is a list of named facts in order. --show prints one as "name: value" lines,
 * --list, --compare and --table print several as the rows of a table, and all of them
 * become JSON by the same walk. So no notation can know more than another, and a fact
 * is named in one place only.
 *
 * A name is the JSON key ("kv_pool"); people read it with blanks ("KV pool"). A number
 * with a unit is a quantity and keeps its band and origin; a count has neither. Texts
 * that are empty and numbers that are unknown are null, "-" in a table. A struct's members
 * become facts by a table (record_members), one row each.
 *
 * How a number that nobody counted is marked in a table: ~ estimated, ? assumed.
 */
#ifndef GP_ANSWER_RECORD_H
#define GP_ANSWER_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/quantity.h"
#include "base/str.h"
#include "base/table.h"

enum fact_kind {
    FACT_TEXT,
    FACT_WORDS, /* several texts, '|' separated */
    FACT_FLAG,
    FACT_COUNT,    /* a whole number, exact */
    FACT_QUANTITY, /* a number with unit, band and origin */
    FACT_SERIES,   /* numbers in a row, as JSON writes them; with a unit they have an origin */
    FACT_RECORD,   /* a record of its own */
    FACT_LIST      /* several records */
};

enum fact_style {
    STYLE_PLAIN,
    STYLE_THOUSANDS,
    STYLE_PARAMS,
    STYLE_MARK,
    STYLE_NOTE /* a table for people shows the note */
};

struct record;

/* Makes the rows of one part of a list (record_parts): record_append(into, name). */
typedef void record_part_fn(const void *ctx, int part, struct record *into);

struct record_parts {
    record_part_fn *make;
    const void *ctx; /* borrowed */
    int count;
};

struct fact {
    enum fact_kind kind;
    enum fact_style style;  /* of a number, or a flag (MARK: * or nothing), for people */
    const char *group;      /* heading in --show, table in --table; borrowed */
    const char *name;       /* borrowed */
    const char *unit;       /* borrowed; "" when the name says it */
    const char *title;      /* of its column, with unit; NULL: name and unit; borrowed */
    int decimals;           /* in tables and --show */
    bool detail;            /* too long for an aligned table: JSON, CSV and --show */
    int spare;              /* of columns, the first that a narrow table leaves out; 0: never */
    bool known;             /* of a count */
    bool rows;              /* a list: JSON writes each of its records on a line of its own */
    struct quantity number; /* in `unit` */
    const char *text;
    const char *note;       /* NULL: none */
    struct record *records; /* FACT_RECORD has one */
    size_t record_count, record_cap;
    struct record_parts *parts; /* of a list whose rows are made when they are written */
};

struct record {
    struct fact *facts;
    size_t count, cap;
    const char *group;   /* of the facts that are added next; borrowed */
    struct texts *texts; /* owned: all of the facts, and of the records inside; NULL: none yet */
};

void record_init(struct record *record);
/* Of the outermost: it frees those inside. */
void record_fini(struct record *record);

/* Each adds a fact. Names, units and groups must outlive the record (literals). */
void record_group(struct record *record, const char *group);
void record_text(struct record *record, const char *name, const char *text);
void record_textf(struct record *record, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void record_words(struct record *record, const char *name, const char *words);
void record_flag(struct record *record, const char *name, bool value);
void record_count(struct record *record, const char *name, const char *unit, double value);
/* 0 stands for unknown. */
void record_positive(struct record *record, const char *name, const char *unit, double value);
/* divide turns the SI value into `unit`. */
void record_quantity(struct record *record, const char *name, const char *unit,
                     struct quantity value, double divide, int decimals);
/* A figure of a data sheet or list; 0 stands for unknown. */
void record_listed(struct record *record, const char *name, const char *unit, double value,
                   double divide, int decimals);

/* n numbers, which only JSON has: {"values": [...], "unit", "origin"}, or with unit "" the array
 * alone. */
void record_series(struct record *record, const char *name, const char *unit, enum origin origin,
                   const double *value, size_t n);

/* A constant that was fitted or estimated; 0 stands for unknown. */
void record_fitted(struct record *record, const char *name, const char *unit, double value,
                   double divide, int decimals);

/* A member of a struct as a fact; a table of them is a record of that struct. */
enum member_kind {
    MEMBER_CHARS,   /* char[] */
    MEMBER_WORDS,   /* char[], '|' separated */
    MEMBER_WORD,    /* const char * */
    MEMBER_VERSION, /* int, tenths: "9.0"; 0 stands for none */
    MEMBER_FLAG,    /* bool */
    MEMBER_SET,     /* int or enum, as a flag: is it other than 0? */
    MEMBER_INT,
    MEMBER_SOME_INT, /* 0 stands for unknown */
    MEMBER_NUMBER,   /* double */
    MEMBER_SOME,     /* double; 0 stands for unknown */
    MEMBER_BYTES,    /* struct quantity in bytes, told in GiB */
    MEMBER_LISTED,   /* double: record_listed() */
    MEMBER_LISTED_INT,
    MEMBER_FITTED,  /* double, fitted or estimated: ORIGIN_MODEL; 0 stands for unknown */
    MEMBER_QUANTITY /* struct quantity in `unit` */
};
struct member {
    const char *name; /* of the fact */
    enum member_kind kind;
    size_t offset;    /* in the struct */
    const char *unit; /* NULL = none */
    double divide;    /* as record_quantity() takes it; 0 = 1 */
    int decimals;
    bool detail;   /* record_detail() */
    bool optional; /* left out when it is 0 or "no" */
    enum fact_style style;
    const char *group; /* record_group() before it; NULL = as it is */
};
#define MEMBER_AT(type, member) .offset = offsetof(type, member)

void record_members(struct record *record, const struct member *members, size_t count,
                    const void *base);
#define RECORD_MEMBERS(record, members, base) \
    record_members(record, members, sizeof(members) / sizeof((members)[0]), base)

/* The last fact added: how it is shown; its column's title; that aligned tables leave
 * it out; what to know about it, in record_rows(), and in place of a number that is unknown. */
void record_style(struct record *record, enum fact_style style);
void record_title(struct record *record, const char *title);
void record_detail(struct record *record);
void record_note(struct record *record, const char *note);
/* The same of the fact of that name. */
void record_note_at(struct record *record, const char *name, const char *note);
/* A table of text that is too wide leaves the column out, that with the lowest number first. */
void record_spare(struct record *record, int number);

/* An empty record inside this one / at the end of the list of that name (made when it is
 * not there). The pointer holds until the next fact is added to `record`. */
struct record *record_inside(struct record *record, const char *name);
struct record *record_append(struct record *record, const char *name);
/* A list that may stay empty. */
void record_list(struct record *record, const char *name);
/* One whose records may be so many that each is a line in JSON. */
void record_long_list(struct record *record, const char *name);
/* A long list that is too large to be kept: its rows are made part by part as JSON writes them. */
void record_parts(struct record *record, const char *name, record_part_fn *make, const void *ctx,
                  int parts);
/* The first rows of it, `most` or a few more, become that list of `out`; how many there are. */
size_t record_parts_first(const struct fact *list, size_t most, struct record *out);
/* A text at the end of that list. */
void record_item(struct record *record, const char *name, const char *text);
void record_itemf(struct record *record, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

const struct fact *record_find(const struct record *record, const char *name);
/* The text of a fact, "" when there is none. */
const char *record_get(const struct record *record, const char *name);
/* Its number, 0 when it is not known. */
double record_number(const struct record *record, const char *name);

/* Indented JSON, ended by a newline. */
void record_json(const struct record *record, struct strbuf *out);
/* The same on one line, with `id`, which is JSON, as the last member; NULL: without. */
void record_json_line(const struct record *record, const char *id, struct strbuf *out);

enum record_as { RECORD_TEXT, RECORD_CSV, RECORD_MARKDOWN };

/* Rows with the same facts as a table: those without a group and those of `group`
 * (NULL: all). CSV has every fact, each quantity with low, high and origin. */
void record_table(const struct record *rows, size_t count, const char *group, enum record_as as,
                  struct strbuf *out);

/* As text in so many columns, as far as columns can be spared; 0: all of them. */
void record_table_narrow(const struct record *rows, size_t count, int cols, struct strbuf *out);

/* The same as a table that lives while use() runs: for pages. */
typedef void record_table_fn(void *ctx, const struct table *table);
void record_table_use(const struct record *rows, size_t count, const char *group, enum record_as as,
                      record_table_fn *use, void *ctx);

/* Each fact of one record as a row: part, value, low, high, unit, origin, note. */
void record_rows(const struct record *record, enum record_as as, struct strbuf *out);
/* The same as a table, which wants table_fini(). */
void record_rows_table(const struct record *record, struct table *table);

/* A fact as a cell of an aligned table: "~65.74", "4", "-". */
void record_cell(const struct fact *fact, struct strbuf *out);

/* "name: value unit (origin, low..high)", one line each, under the groups' headings. */
void record_lines(const struct record *record, struct strbuf *out);

/* What was seen beside what a plan predicts, as the row of a table: name, unit,
 * seen, predicted, its band, the error and whether the first lies in the band.
 *
 * Example: KV pool 58.11 GiB logged, 58.10 predicted, 57.96..58.20: error -0.0 %, yes.
 */
struct predicted_vs_seen {
    const char *name, *unit;         /* borrowed: literals */
    const char *seen_name;           /* "logged", "seen" */
    struct quantity seen, predicted; /* SI */
    double divide;                   /* turns them into `unit` */
    double slack; /* SI: by which the band is wider, as the seen one is rounded */
    int digits;
};

/* Adds it to the list of that name. Returns whether it can be compared; *in: it lies in
 * the band. The row may get further facts: record_append()'s pointer is in *row. */
bool predicted_vs_seen_record(const struct predicted_vs_seen *beside, struct record *doc,
                              const char *list, struct record **row, bool *in);

#endif
