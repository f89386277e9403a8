/*
 * json.h - reading and writing JSON the same way everywhere.
 *
 * Reading is strict: one value, no duplicate keys, bounded nesting, and an error that
 * names file, line and column. Writing is deterministic: keys in the order they were
 * set, whole numbers without a point, at most 12 significant digits, never NaN.
 */
#ifndef GP_BASE_JSON_H
#define GP_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define JSON_DEPTH_MAX 64 /* deeper nesting than anything honest has */

/* Parses len bytes (the caller has bounded len). `where` is the file or stream for
 * messages; an error reads "where:line:column". */
enum gp_status gp_json_parse(const char *where, const char *text, size_t len, json_t **out,
                             struct gp_err *err);

/* Python's Infinity becomes null, its NaN 0, in place and outside of texts. */
void gp_json_scrub(char *text, size_t len);

/* The value at "cost.per_hour"; its text, "" where it is none; its number, or that of its "value",
 * NAN where it is none. */
json_t *gp_json_at(const json_t *value, const char *path);
const char *gp_json_text_at(const json_t *value, const char *path);
double gp_json_number_at(const json_t *value, const char *path);
/* Of several paths, "a.b|c", the first that leads to a number; paths may be NULL. */
double gp_json_number_of(const json_t *value, const char *paths);

/* An integer when the value is whole and fits one, null when it is not finite. */
json_t *gp_json_number(double value);
/* Null where it is not above 0: of what is unknown then. */
json_t *gp_json_above_zero(double value);

/* A string; bytes that are no UTF-8 become U+FFFD, so that this never fails. */
json_t *gp_json_text(const char *text);
/* Null where there is none (NULL or ""). */
json_t *gp_json_text_or_null(const char *text);

/* Appends the value: indented by two and ended by a newline, or on one line without. */
void gp_json_write(const json_t *value, bool indent, struct strbuf *out);

/* Append what gp_json_number() and gp_json_text() make, as gp_json_write() writes it:
 * for answers by the thousand, whose values are written as they are met. */
void gp_json_add_number(struct strbuf *out, double value);
void gp_json_add_text(struct strbuf *out, const char *text);

#endif
