/*
 * profile.h - reading the profile files: typed, range-checked, with file and line.
 *
 * A profile is a libconfig text of at most 1 MiB without @include. It decides nothing
 * about GPUs or models; it only answers "the number called memory_gib in this group,
 * between 0.1 and 4096" and says "profiles/gpus/x.cfg:12: memory_gib: 8000 is outside
 * 0.1..4096" when it cannot.
 *
 * Getters return nothing. A key that is absent leaves the caller's value alone, so that
 * a default, or the value of an earlier file of the same id, stays: that is the whole
 * overlay rule. The first error sticks, later getters do nothing, and profile_finish()
 * returns it; so a reader is a table of fields and a plain list of getters, which
 * profile_read() calls between opening and finishing:
 *
 *   static const struct profile_field fields[] = {
 *       {"name", PROFILE_TEXT, PROFILE_AT(struct gpu, name)},
 *       {"memory_gb", PROFILE_NUMBER, PROFILE_AT(struct gpu, memory), 0.1, 4096, 1e9},
 *   };
 *   profile_fields(top, fields, sizeof fields / sizeof *fields, gpu);
 *
 * Every getter also makes its key known; profile_finish() warns of the others with the
 * nearest known name. A group that was never entered is one unknown key.
 *
 * libconfig 1.5 silently wraps an integer beyond 32 bits (4294967297 reads as 1).
 * The text is therefore scanned first: 3000000000 is refused, 3000000000L and 3e9 are
 * not.
 */
#ifndef GP_CATALOG_PROFILE_H
#define GP_CATALOG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/quantity.h"

#define PROFILE_MAX_BYTES (1024 * 1024)
#define PROFILE_MAX_DEPTH 16

struct profile;
struct compiled;
struct config_setting_t; /* libconfig's */

/* A group of settings. A value: copy it freely, it lives as long as its profile. One
 * without a setting (a sub-group that is absent) answers every getter with nothing. */
struct profile_group {
    struct profile *profile;
    struct config_setting_t *setting;
    struct config_setting_t *common; /* of an item of a set: what it does not say, this does */
};

/* A word and what it stands for; tables end with a NULL word. */
struct profile_word {
    const char *word;
    int value;
};

typedef void (*profile_warn_fn)(void *ctx, const char *line);

/* Adds what the file says to *target, which is zeroed or holds what earlier files of the
 * same id said. */
typedef void (*profile_read_fn)(struct profile_group top, void *target);

/* One whole file: opened, read, finished. */
enum gp_status profile_read(const char *path, profile_read_fn read, void *target,
                            profile_warn_fn warn, void *ctx, struct gp_err *err);
/* The same, of the catalogue's own: a text that is among the compiled ones is not parsed. */
enum gp_status profile_read_compiled(const char *path, const struct compiled *compiled,
                                     profile_read_fn read, void *target, profile_warn_fn warn,
                                     void *ctx, struct gp_err *err);

/* A set is a file of several items of a class: `set = ( { id = "a"; ... }, { id = "b"; ... } )`.
 * What an item does not say is taken from the keys outside the list. */
#define PROFILE_SET "set"
#define PROFILE_SET_MAX 512
/* One item of it, as profile_read_compiled() reads a file; GP_E_FILE when it is not in there. */
enum gp_status profile_read_item(const char *path, const struct compiled *compiled, const char *id,
                                 profile_read_fn read, void *target, profile_warn_fn warn,
                                 void *ctx, struct gp_err *err);

/* On failure *out is NULL. compiled (compiled.h) may be NULL; the profile must not outlive it. */
enum gp_status profile_open(const char *path, const struct compiled *compiled, struct profile **out,
                            struct gp_err *err);
/* The same from memory; `name` stands for the file in messages. */
enum gp_status profile_parse(const char *name, const char *text, size_t len, struct profile **out,
                             struct gp_err *err);
void profile_free(struct profile *profile);

struct profile_group profile_top(struct profile *profile);

/* The first error of any getter, or GP_OK. Safe to ask at any time, as in loops. */
bool profile_failed(const struct profile *profile);
/* Returns the first error, or warns of unknown keys (warn may be NULL). */
enum gp_status profile_finish(struct profile *profile, profile_warn_fn warn, void *ctx,
                              struct gp_err *err);

/* Is the key there? Makes it known. */
bool profile_has(struct profile_group group, const char *key);
/* An error when it is not. Keys of one group that are missing are one error, which names them
 * all. */
void profile_require(struct profile_group group, const char *key);
/* Keys without which an item cannot be used, and whether any of its files has given them. */
struct profile_need {
    const char *key;
    bool there;
};
void profile_needs(struct profile_group group, const struct profile_need *needs, size_t count,
                   const char *hint);
#define PROFILE_NEEDS(group, needs, hint) \
    profile_needs(group, needs, sizeof(needs) / sizeof(*(needs)), hint)
/* "file:line" of a key, or of its group where it has none such. */
void profile_where(struct profile_group group, const char *key, char *text, size_t size);

/* An error of the caller's own about a key, with its file and line. hint may be "". */
void profile_fail(struct profile_group group, const char *key, const char *hint, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

/* Quantities: int, int64 or float, finite, low <= number <= high. */
void profile_number(struct profile_group group, const char *key, double *value, double low,
                    double high);
/* A quantity: one number, or (value, low, high) with low <= value <= high, times `unit`
 * (GP_GIB, 1e9, 1e12); low and high are in the file's unit. */
void profile_quantity(struct profile_group group, const char *key, struct quantity *value,
                      double unit, double low, double high, enum origin origin);
/* Counts: int or int64 only; 8.0 is refused. */
void profile_count(struct profile_group group, const char *key, int *value, int low, int high);
/* Large exact counts (8030261248L), up to 2^53. */
void profile_integer(struct profile_group group, const char *key, double *value, double low,
                     double high);
void profile_bool(struct profile_group group, const char *key, bool *value);
/* Text that fits in size - 1 bytes, without control characters. */
void profile_string(struct profile_group group, const char *key, char *value, size_t size);
/* One of the table's words; a near miss is suggested. */
void profile_word(struct profile_group group, const char *key, int *value,
                  const struct profile_word *words);
/* A list or array of strings, or a single one, joined with '|'. */
void profile_strings(struct profile_group group, const char *key, char *value, size_t size);
/* Bits of the words in a list of strings: each word's value is a bit number. */
void profile_bits(struct profile_group group, const char *key, unsigned *bits,
                  const struct profile_word *words);

/* Lists. profile_length: how many items `key` has (0 when absent), an error when it is
 * no list or array, or has more than `max`. */
int profile_length(struct profile_group group, const char *key, int max);
/* Item i of a list of groups; an error when that item is none. */
struct profile_group profile_item(struct profile_group group, const char *key, int i);
void profile_count_at(struct profile_group group, const char *key, int i, int *value, int low,
                      int high);
void profile_number_at(struct profile_group group, const char *key, int i, double *value,
                       double low, double high);

/* Members of a struct: a class of the catalogue is a table of them, which its reader fills,
 * --show prints (answer/report_catalog.h) and gpuplan-profile(5) lists. */
enum profile_kind {
    PROFILE_TEXT,     /* char[] */
    PROFILE_TEXTS,    /* char[]: profile_strings() */
    PROFILE_DATE,     /* char[]: "2026", "2026-07", "2026-Q2" or "2026-07-20" */
    PROFILE_FLAG,     /* bool */
    PROFILE_WORD,     /* an enum */
    PROFILE_BITS,     /* unsigned, a bit for each word */
    PROFILE_COUNT,    /* int */
    PROFILE_INTEGER,  /* double */
    PROFILE_NUMBER,   /* double */
    PROFILE_QUANTITY, /* struct quantity of a data sheet */
    PROFILE_SHARE,    /* int[2]: [part, whole], as in [3, 7] */
    PROFILE_LIST      /* an array of structs, from a list of groups */
};

/* How --show prints a member otherwise than its kind says. */
enum profile_show {
    SHOW_PLAIN,
    SHOW_FITTED,  /* a number that was fitted, not one of a data sheet */
    SHOW_VERSION, /* an int in tenths: "9.0" */
    SHOW_COUNT,   /* a number without unit and origin; 0 is one */
    SHOW_SOME,    /* the same; 0 stands for unknown */
    SHOW_LISTED,  /* a count of a data sheet: with unit and origin */
    SHOW_PARAMS,  /* parameters: "70.55 B" */
    SHOW_THOUSANDS,
    SHOW_EXACT, /* an exact number with its unit */
    SHOW_KNOWN, /* the same; 0 stands for unknown */
    SHOW_SET,   /* the same, or a text; left out where there is none */
    SHOW_NOT
};

struct profile_list;

struct profile_field {
    const char *key; /* NULL: no key has it; it is shown only */
    enum profile_kind kind;
    size_t offset, size;              /* of the member: PROFILE_AT */
    double low, high;                 /* of a number, as the file has it */
    double unit;                      /* the member is the number times this; 0 = 1 */
    const char *label;                /* in --show; NULL = the key */
    const char *as;                   /* and the name of `unit` there; NULL = none */
    int decimals;                     /* and its decimals */
    enum profile_show show;           /* and how */
    const char *group;                /* and a heading before it */
    const char *in;                   /* the sub-group in which the key stands; NULL = none */
    const struct profile_word *words; /* of a WORD */
    const struct profile_list *list;  /* of a LIST */
    bool required;
    bool detail; /* too long for the table of --list */
};

struct profile_table {
    const struct profile_field *fields;
    size_t count;
};

/* A later file's list takes the place of the whole earlier one. */
struct profile_list {
    struct profile_table item;
    size_t item_size;
    size_t count; /* offset of the int that counts the items */
    int max;
};

#define PROFILE_AT(type, member) \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define PROFILE_TABLE(fields)                      \
    {                                              \
        fields, sizeof(fields) / sizeof(*(fields)) \
    }
#define PROFILE_FIELDS(group, fields, base) \
    profile_fields(group, fields, sizeof(fields) / sizeof(*(fields)), base)

void profile_fields(struct profile_group group, const struct profile_field *fields, size_t count,
                    void *base);

/* A sub-group; one without a setting when absent; an error when it is not a group. */
struct profile_group profile_sub(struct profile_group group, const char *key);
/* The same by a name that is data, not a key of the program; an error when absent. */
struct profile_group profile_sub_named(struct profile_group group, const char *name);
/* True when the group has a setting. */
bool profile_here(struct profile_group group);

#endif
