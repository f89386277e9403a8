/*
 * jscan.h - walks a large JSON object one member at a time.
 *
 * A safetensors header or an index file is one flat object that may be 100 MB long.
 * Building a document tree of it would take ten times its size, so the members are
 * cut out here, and only one value at a time is given to the JSON library. The cut
 * follows strings, escapes and brackets; whether a value is well formed is the
 * library's business. Memory: none beyond one member.
 *
 * Example: {"a": [1, 2], "b": "x"} gives the slices ("a", [1, 2]) and ("b", "x").
 */
#ifndef GP_MODEL_READ_JSCAN_H
#define GP_MODEL_READ_JSCAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct jslice {
    const char *text; /* not terminated */
    size_t len;
};

struct jscan {
    const char *where; /* the file, for messages */
    const char *text;
    size_t len, pos;
    int max_depth; /* brackets inside one value */
    bool first;    /* no member was read yet */
    struct gp_err *err;
};

/* Stands before the first member; fails when the text is not an object. */
enum gp_status jscan_open(struct jscan *scan, const char *where, struct jslice object,
                          int max_depth, struct gp_err *err);

/* The next member: key with its quotes, value without blanks around it. *more is
 * false at the closing brace, after which only blanks may follow. */
enum gp_status jscan_next(struct jscan *scan, struct jslice *key, struct jslice *value, bool *more);

/* The text of a string slice (with quotes) in dst[size]; false when it is not a valid
 * string, holds a NUL or does not fit. */
bool jslice_string(struct jslice slice, char *dst, size_t size);

/* Parses one value; NULL with *err set to `where` when it is not valid JSON. */
json_t *jslice_parse(const char *where, struct jslice slice, struct gp_err *err);

/* Copies a name from an untrusted file for a message: control bytes become '?', and
 * a long one is cut. Returns dst. */
char *safe_text(char *dst, size_t size, const char *text, size_t len);

#endif
