/*
 * sheet.h - facts about one thing, written down once for every way of printing them.
 *
 * A sheet is a list of named facts in order. --show prints one as "name: value" lines,
 * --list, --compare and --table print several as the rows of a table, and all of them
 * become JSON by the same walk. So no notation can know more than another, and a fact
 * is named in one place only.
 *
 * A name is the JSON key ("kv_pool"); people read it with blanks ("KV pool"). A number
 * with a unit is a quantity and keeps its band and origin; a count has neither. Texts
 * that are empty and numbers that are unknown are null, "-" in a table.
 *
 * How a number that nobody counted is marked in a table: ~ estimated, ? assumed.
 */
#ifndef GP_DATA_SHEET_H
#define GP_DATA_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "core/quantity.h"
#include "util/str.h"

enum fact_kind {
    FACT_TEXT,
    FACT_WORDS, /* several texts, '|' separated */
    FACT_FLAG,
    FACT_COUNT,    /* a whole number, exact */
    FACT_QUANTITY, /* a number with unit, band and origin */
    FACT_SHEET,    /* a sheet of its own */
    FACT_LIST      /* several sheets */
};

enum fact_style { STYLE_PLAIN, STYLE_THOUSANDS, STYLE_PARAMS, STYLE_MARK };

struct fact {
    enum fact_kind kind;
    enum fact_style style; /* of a count, or a flag (MARK: * or nothing), for people */
    const char *group;     /* heading in --show, table in --table; borrowed */
    const char *name;      /* borrowed */
    const char *unit;      /* borrowed; "" when the name says it */
    const char *title;     /* of its column, with unit; NULL: name and unit; borrowed */
    int decimals;          /* in tables and --show */
    bool detail;           /* too long for an aligned table: JSON, CSV and --show */
    bool known;            /* of a count */
    struct quantity number; /* in `unit` */
    char *text;             /* owned */
    struct sheet *sheets;   /* owned; FACT_SHEET has one */
    size_t sheet_count, sheet_cap;
};

struct sheet {
    struct fact *facts; /* owned */
    size_t count, cap;
    const char *group; /* of the facts that are added next; borrowed */
};

void sheet_init(struct sheet *sheet);
void sheet_fini(struct sheet *sheet);

/* Each adds a fact. Names, units and groups must outlive the sheet (literals). */
void sheet_group(struct sheet *sheet, const char *group);
void sheet_text(struct sheet *sheet, const char *name, const char *text);
void sheet_textf(struct sheet *sheet, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void sheet_words(struct sheet *sheet, const char *name, const char *words);
void sheet_flag(struct sheet *sheet, const char *name, bool value);
void sheet_count(struct sheet *sheet, const char *name, const char *unit, double value);
/* 0 stands for unknown. */
void sheet_positive(struct sheet *sheet, const char *name, const char *unit,
                    double value);
/* divide turns the SI value into `unit`. */
void sheet_quantity(struct sheet *sheet, const char *name, const char *unit,
                    struct quantity value, double divide, int decimals);
/* The last fact added: how it is shown; its column's title; that aligned tables leave
 * it out. */
void sheet_style(struct sheet *sheet, enum fact_style style);
void sheet_title(struct sheet *sheet, const char *title);
void sheet_detail(struct sheet *sheet);

/* An empty sheet inside this one / at the end of the list of that name (made when it is
 * not there). The pointer holds until the next fact is added to `sheet`. */
struct sheet *sheet_inside(struct sheet *sheet, const char *name);
struct sheet *sheet_append(struct sheet *sheet, const char *name);
/* A list that may stay empty. */
void sheet_list(struct sheet *sheet, const char *name);

const struct fact *sheet_find(const struct sheet *sheet, const char *name);
/* The text of a fact, "" when there is none. */
const char *sheet_get(const struct sheet *sheet, const char *name);

/* Indented JSON, ended by a newline. */
void sheet_json(const struct sheet *sheet, struct strbuf *out);

enum sheet_as { SHEET_TEXT, SHEET_CSV, SHEET_MARKDOWN };

/* Rows with the same facts as a table: those without a group and those of `group`
 * (NULL: all). CSV has every fact, each quantity with low, high and origin. */
void sheet_table(const struct sheet *rows, size_t count, const char *group,
                 enum sheet_as as, struct strbuf *out);

/* A fact as a cell of an aligned table: "~65.74", "4", "-". */
void sheet_cell(const struct fact *fact, struct strbuf *out);

/* "name: value unit (origin, low..high)", one line each, under the groups' headings. */
void sheet_lines(const struct sheet *sheet, struct strbuf *out);

#endif
