/*
 * jscan.c - members of a large JSON object, cut out one after the other.
 *
 * Every byte is read once; the state is a position and, inside a value, the
 * depth of brackets. See jscan.h for why there is no document tree here.
 */
#include "model/read/jscan.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct jscan *scan)
{
    while (scan->pos < scan->len && is_blank(scan->text[scan->pos]))
        scan->pos++;
}

static enum gp_status scan_fail(struct jscan *scan, const char *what)
{
    return gp_fail(scan->err, GP_E_FILE, scan->where, "the file is cut off or damaged",
                   "%s at byte %zu of the JSON text", what, scan->pos);
}

char *safe_text(char *dst, size_t size, const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len && n + 1 < size; i++) {
        unsigned char c = (unsigned char)text[i];

        dst[n++] = c >= 0x20 && c < 0x7f ? (char)c : '?';
    }
    dst[n] = '\0';
    if (n + 1 == size && n < len && n >= 3)
        memcpy(dst + n - 3, "...", 3);
    return dst;
}

enum gp_status jscan_open(struct jscan *scan, const char *where, struct jslice object,
                          int max_depth, struct gp_err *err)
{
    memset(scan, 0, sizeof *scan);
    scan->where = where;
    scan->text = object.text;
    scan->len = object.len;
    scan->max_depth = max_depth;
    scan->first = true;
    scan->err = err;
    skip_blanks(scan);
    if (scan->pos == scan->len || scan->text[scan->pos] != '{')
        return scan_fail(scan, "no '{'");
    scan->pos++;
    return GP_OK;
}

/* Stands after the closing quote; false when there is none. */
static bool skip_string(struct jscan *scan)
{
    scan->pos++;
    while (scan->pos < scan->len) {
        char c = scan->text[scan->pos++];

        if (c == '"')
            return true;
        if (c == '\\')
            scan->pos++;
    }
    scan->pos = scan->len;
    return false;
}

static enum gp_status skip_value(struct jscan *scan)
{
    int depth = 0;

    while (scan->pos < scan->len) {
        char c = scan->text[scan->pos];

        if (c == '"') {
            if (!skip_string(scan))
                return scan_fail(scan, "a string that is cut off");
            continue;
        }
        if (c == '{' || c == '[') {
            if (++depth > scan->max_depth)
                return scan_fail(scan, "values nested too deeply");
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return GP_OK;
            depth--;
        } else if (c == ',' && depth == 0) {
            return GP_OK;
        }
        scan->pos++;
    }
    return scan_fail(scan, "a value that is cut off");
}

/* The closing brace: nothing but blanks may follow it. */
static enum gp_status scan_close(struct jscan *scan, bool *more)
{
    scan->pos++;
    skip_blanks(scan);
    if (scan->pos != scan->len)
        return scan_fail(scan, "text after the closing brace");
    *more = false;
    return GP_OK;
}

enum gp_status jscan_next(struct jscan *scan, struct jslice *key, struct jslice *value, bool *more)
{
    enum gp_status rc;

    skip_blanks(scan);
    if (scan->pos < scan->len && scan->text[scan->pos] == '}')
        return scan_close(scan, more);
    if (!scan->first) {
        if (scan->pos == scan->len || scan->text[scan->pos] != ',')
            return scan_fail(scan, "no comma or closing brace");
        scan->pos++;
        skip_blanks(scan);
    }
    scan->first = false;
    if (scan->pos == scan->len || scan->text[scan->pos] != '"')
        return scan_fail(scan, "no quoted name");
    key->text = scan->text + scan->pos;
    if (!skip_string(scan))
        return scan_fail(scan, "a name without its closing quote");
    key->len = (size_t)(scan->text + scan->pos - key->text);
    skip_blanks(scan);
    if (scan->pos == scan->len || scan->text[scan->pos] != ':')
        return scan_fail(scan, "no colon after a name");
    scan->pos++;
    skip_blanks(scan);
    value->text = scan->text + scan->pos;
    rc = skip_value(scan);
    if (rc != GP_OK)
        return rc;
    value->len = (size_t)(scan->text + scan->pos - value->text);
    while (value->len > 0 && is_blank(value->text[value->len - 1]))
        value->len--;
    if (value->len == 0)
        return scan_fail(scan, "a name without a value");
    *more = true;
    return GP_OK;
}

/* Printable ASCII without escapes needs no decoder. */
static bool is_plain(struct jslice slice)
{
    for (size_t i = 1; i + 1 < slice.len; i++) {
        unsigned char c = (unsigned char)slice.text[i];

        if (c < 0x20 || c >= 0x7f || c == '\\')
            return false;
    }
    return true;
}

bool jslice_string(struct jslice slice, char *dst, size_t size)
{
    json_t *string;
    bool fits;

    if (slice.len < 2 || slice.text[0] != '"' || slice.text[slice.len - 1] != '"')
        return false;
    if (is_plain(slice)) {
        if (slice.len - 2 >= size)
            return false;
        memcpy(dst, slice.text + 1, slice.len - 2);
        dst[slice.len - 2] = '\0';
        return true;
    }
    string = json_loadb(slice.text, slice.len, JSON_DECODE_ANY, NULL);
    if (!json_is_string(string)) {
        json_decref(string);
        return false;
    }
    fits = json_string_length(string) < size;
    if (fits)
        memcpy(dst, json_string_value(string), json_string_length(string) + 1);
    json_decref(string);
    return fits;
}

json_t *jslice_parse(const char *where, struct jslice slice, struct gp_err *err)
{
    json_error_t error;
    json_t *value =
        json_loadb(slice.text, slice.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);

    if (value == NULL)
        gp_fail(err, GP_E_FILE, where, "the file is damaged", "not valid JSON: %.120s", error.text);
    return value;
}
