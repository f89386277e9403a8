/*
 * json.c - strict reading and steady writing over jansson.
 *
 * jansson itself allows 2048 levels and recurses through them; what gpuplan reads is
 * never deeper than ten, so the depth is checked before anything is built. 12
 * significant digits hold any byte count below 931 GiB to the byte (larger whole
 * numbers are written as integers anyway) and print 32.9 as 32.9.
 */
#include "util/json.h"

#include <math.h>
#include <string.h>

#include "util/mem.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53: beyond it doubles skip integers */
#define GUESS  8192 /* bytes of a plan */
#define DIGITS    12

/* Nesting that the text opens at most, brackets inside strings left out. */
static int depth_of(const char *text, size_t len)
{
    int depth = 0, deepest = 0;
    bool in_string = false;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '[' || c == '{'))
            deepest = ++depth > deepest ? depth : deepest;
        else if (!in_string && (c == ']' || c == '}'))
            depth--;
    }
    return deepest;
}

enum gp_status gp_json_parse(const char *where, const char *text, size_t len,
                             json_t **out, struct gp_err *err)
{
    json_error_t what;
    char at[192];

    *out = NULL;
    if (depth_of(text, len) > JSON_DEPTH_MAX)
        return gp_fail(err, GP_E_FILE, where, "", "nested deeper than %d levels",
                       JSON_DEPTH_MAX);
    *out = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &what);
    if (*out)
        return GP_OK;
    gp_format(at, sizeof at, "%s:%d:%d", where, what.line, what.column);
    return gp_fail(err, GP_E_FILE, at, "", "not valid JSON: %s", what.text);
}

json_t *gp_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    if (fabs(value) < WHOLE_MAX && value == floor(value))
        return json_integer((json_int_t)value);
    return json_real(value);
}

json_t *gp_json_above_zero(double value)
{
    return value > 0 ? gp_json_number(value) : json_null();
}

json_t *gp_json_text_or_null(const char *text)
{
    return text && *text ? gp_json_text(text) : json_null();
}

json_t *gp_json_text(const char *text)
{
    json_t *value = json_string(text);
    struct strbuf clean;

    if (value)
        return value;
    strbuf_init(&clean);
    for (; *text; text++)
        strbuf_add(&clean, (unsigned char)*text < 0x80 ? (char[]){*text, '\0'}
                                                       : "\xEF\xBF\xBD");
    value = json_string(clean.text);
    strbuf_fini(&clean);
    return value;
}

/* jansson leaves what a terminal takes for a command beyond ASCII as it is; only texts
 * hold such characters, so each may be written as JSON writes it: \u009b. */
static void escape(struct strbuf *out, size_t from)
{
    struct strbuf tame;
    uint32_t ch = 0;
    int bytes = 1;

    strbuf_init(&tame);
    for (size_t at = from; at < out->len && bytes > 0; at += (size_t)bytes) {
        bytes = gp_utf8(out->text + at, &ch); /* jansson writes nothing else */
        if (ch > 0xFFFF && !gp_is_tame(ch)) /* a surrogate pair */
            strbuf_addf(&tame, "\\u%04x\\u%04x", 0xD7C0 + (ch >> 10),
                        0xDC00 + (ch & 0x3FF));
        else if (ch >= 0x7F && !gp_is_tame(ch))
            strbuf_addf(&tame, "\\u%04x", ch);
        else
            strbuf_addn(&tame, out->text + at, (size_t)bytes);
    }
    out->len = from;
    strbuf_addn(out, tame.text, tame.len);
    strbuf_fini(&tame);
}

void gp_json_write(const json_t *value, bool indent, struct strbuf *out)
{
    size_t from = out->len;
    size_t layout = (indent ? JSON_INDENT(2) : 0) | JSON_REAL_PRECISION(DIGITS) |
                    JSON_ENCODE_ANY;
    size_t room = GUESS, need;

    /* straight into the buffer: a callback per token costs a third of a plan */
    strbuf_reserve(out, room);
    need = json_dumpb(value, out->text + out->len, room, layout);
    if (need > room) {
        strbuf_reserve(out, need);
        json_dumpb(value, out->text + out->len, need, layout);
    }
    out->len += need;
    out->text[out->len] = '\0';
    if (!gp_lines_are_tame(out->text + from, out->len - from))
        escape(out, from);
    if (indent)
        strbuf_add(out, "\n");
}
