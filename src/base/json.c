/*
 * json.c - strict reading and steady writing over jansson.
 *
 * jansson itself allows 2048 levels and recurses through them; what gpuplan reads is
 * never deeper than ten, so the depth is checked before anything is built. 12
 * significant digits hold any byte count below 931 GiB to the byte (larger whole
 * numbers are written as integers anyway) and print 32.9 as 32.9.
 */
#include "base/json.h"

#include <math.h>
#include <string.h>

#define WHOLE_MAX 9007199254740992.0 /* 2^53: beyond it doubles skip integers */
#define GUESS 8192                   /* bytes of a plan */
#define DIGITS 12
#define NUMBER_MAX (DIGITS + 5) /* "0.000" before them */
#define NO_UTF8 "\xEF\xBF\xBD"  /* U+FFFD */

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

enum gp_status gp_json_parse(const char *where, const char *text, size_t len, json_t **out,
                             struct gp_err *err)
{
    json_error_t what;
    char at[192];

    *out = NULL;
    if (depth_of(text, len) > JSON_DEPTH_MAX)
        return gp_fail(err, GP_E_FILE, where, "", "nested deeper than %d levels", JSON_DEPTH_MAX);
    *out = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &what);
    if (*out)
        return GP_OK;
    gp_format(at, sizeof at, "%s:%d:%d", where, what.line, what.column);
    return gp_fail(err, GP_E_FILE, at, "", "not valid JSON: %s", what.text);
}

void gp_json_scrub(char *text, size_t len)
{
    bool quoted = false;

    for (size_t i = 0; i < len; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && len - i >= 8 && memcmp(text + i, "Infinity", 8) == 0)
            memcpy(text + i, "null    ", 8);
        else if (!quoted && len - i >= 3 && memcmp(text + i, "NaN", 3) == 0)
            memcpy(text + i, "0  ", 3);
    }
}

json_t *gp_json_at(const json_t *value, const char *path)
{
    char key[64];

    for (; value && *path; path += strcspn(path, "."), path += *path == '.') {
        gp_format(key, sizeof(key), "%.*s", (int)strcspn(path, "."), path);
        value = json_object_get(value, key);
    }
    return (json_t *)value;
}

const char *gp_json_text_at(const json_t *value, const char *path)
{
    const char *text = json_string_value(gp_json_at(value, path));

    return text ? text : "";
}

double gp_json_number_at(const json_t *value, const char *path)
{
    const json_t *at = gp_json_at(value, path);

    at = json_is_object(at) ? json_object_get(at, "value") : at;
    return json_is_number(at) ? json_number_value(at) : NAN;
}

double gp_json_number_of(const json_t *value, const char *paths)
{
    char path[160];

    while (paths) {
        size_t n = strcspn(paths, "|");

        gp_format(path, sizeof(path), "%.*s", (int)n, paths);
        double number = gp_json_number_at(value, path);
        if (!isnan(number))
            return number;
        paths = paths[n] == '|' ? paths + n + 1 : NULL;
    }
    return NAN;
}

static bool is_whole(double value)
{
    return fabs(value) < WHOLE_MAX && value == floor(value);
}

json_t *gp_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    if (is_whole(value))
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
    struct strbuf clean = STRBUF_EMPTY;

    if (value)
        return value;
    for (int bytes = 1; *text; text += bytes > 0 ? bytes : 1) {
        uint32_t ch;

        bytes = gp_utf8(text, &ch);
        strbuf_addn(&clean, bytes > 0 ? text : NO_UTF8, bytes > 0 ? (size_t)bytes : 3);
    }
    value = json_string(clean.text);
    strbuf_fini(&clean);
    return value;
}

/* Controls below ' ' as jansson writes them. */
static void add_escape(struct strbuf *out, uint32_t ch)
{
    if (ch > 0xFFFF) /* a surrogate pair */
        strbuf_addf(out, "\\u%04x\\u%04x", 0xD7C0 + (ch >> 10), 0xDC00 + (ch & 0x3FF));
    else
        strbuf_addf(out, ch < ' ' ? "\\u%04X" : "\\u%04x", ch);
}

/* jansson leaves what a terminal takes for a command beyond ASCII as it is; only texts
 * hold such characters, so each may be written as JSON writes it: \u009b. */
static void json_escape(struct strbuf *out, size_t from)
{
    struct strbuf clean = STRBUF_EMPTY;
    uint32_t ch = 0;
    int bytes = 1;

    for (size_t at = from; at < out->len && bytes > 0; at += (size_t)bytes) {
        bytes = gp_utf8(out->text + at, &ch); /* jansson writes nothing else */
        if (ch >= 0x7F && !gp_is_clean(ch))
            add_escape(&clean, ch);
        else
            strbuf_addn(&clean, out->text + at, (size_t)bytes);
    }
    out->len = from;
    strbuf_addn(out, clean.text, clean.len);
    strbuf_fini(&clean);
}

void gp_json_write(const json_t *value, bool indent, struct strbuf *out)
{
    size_t from = out->len;
    size_t layout = (indent ? JSON_INDENT(2) : 0) | JSON_REAL_PRECISION(DIGITS) | JSON_ENCODE_ANY;
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
    if (!gp_lines_are_clean(out->text + from, out->len - from))
        json_escape(out, from);
    if (indent)
        strbuf_add(out, "\n");
}

/* ---- without a tree ---- */

/* Half of the digits of a number, with zeros in front. */
static void write_digits(uint32_t value, char text[DIGITS / 2])
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";

    memcpy(text, pairs + 2 * (value / 10000), 2);
    memcpy(text + 2, pairs + 2 * (value / 100 % 100), 2);
    memcpy(text + 4, pairs + 2 * (value % 100), 2);
}

/* Is the product, which lies between two whole numbers, to be rounded up? Where it seems to lie
 * halfway, by what was rounded off it, and to an even one if that is nothing. */
static bool rounds_up(double value, double power, double product, int64_t below)
{
    double rest = product - (double)below;

    if (rest != 0.5)
        return rest > 0.5;
    double off = fma(value, power, -product);
    return off > 0 || (off == 0 && below % 2 != 0);
}

/* What jansson prints with %.12g of a number from 1e-9 to 1e12: a tenth of its work. Elsewhere the
 * length returned is 0. Writes up to NUMBER_MAX bytes. */
static size_t plain_digits(double value, char *text)
{
    static const double power[] = {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
                                   1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
                                   1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20};
    const double *one = &power[9];
    char digit[DIGITS];
    int order = 0; /* of the first digit */

    if (!(value >= one[-9] && value < one[DIGITS]))
        return 0;
    while (value < one[order])
        order--;
    while (value >= one[order + 1])
        order++;
    double product = value * one[DIGITS - 1 - order];
    int64_t digits = (int64_t)product;
    bool whole = value == (double)(int64_t)value;
    digits += rounds_up(value, one[DIGITS - 1 - order], product, digits);
    if (digits >= (int64_t)1e12 || (order == DIGITS - 1 && !whole))
        return 0;
    uint32_t low = (uint32_t)(digits % 1000000);
    write_digits((uint32_t)(digits / 1000000), digit);
    write_digits(low, digit + DIGITS / 2);
    int least = order < 0 ? 1 : order + 2 - whole; /* up to the point, or one behind it */
    int count = low == 0 && least <= DIGITS / 2 ? DIGITS / 2 : DIGITS;
    while (count > least && digit[count - 1] == '0')
        count--;
    if (order < 0 && order >= -4) {
        memcpy(text, "0.000", 5);
        memcpy(text + 1 - order, digit, DIGITS);
        return (size_t)(1 - order + count);
    }
    int point = order < 0 ? 1 : order + 1;
    memcpy(text, digit, DIGITS);
    if (count > point) {
        text[point] = '.';
        memcpy(text + point + 1, digit + point, (size_t)(count - point));
        count++;
    }
    if (order < 0) {
        text[count++] = 'e';
        text[count++] = '-';
        text[count++] = (char)('0' - order);
    }
    return (size_t)count;
}

void gp_json_add_number(struct strbuf *out, double value)
{
    if (value >= 0 && value < 10 && value == (int)value) { /* half of all numbers */
        strbuf_addc(out, (char)('0' + (int)value));
        return;
    }
    strbuf_reserve(out, NUMBER_MAX + 1);
    char *text = out->text + out->len;
    size_t sign = value < 0, len = plain_digits(fabs(value), text + sign);
    if (len == 0) {
        json_t *number = gp_json_number(value);

        gp_json_write(number, false, out);
        json_decref(number);
        return;
    }
    text[0] = sign ? '-' : text[0];
    out->len += sign + len;
    out->text[out->len] = '\0';
}

/* Adds the bytes that stand in a JSON text as they are; there is room for them. Returns
 * where they end. */
static const char *add_plain(struct strbuf *out, const char *text)
{
    static const bool plain[256] = {
        [' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true};
    char *to = out->text + out->len;

    while (plain[(unsigned char)*text])
        *to++ = *text++;
    out->len = (size_t)(to - out->text);
    return text;
}

/* The character at text, which is not one of those; returns its bytes. */
static size_t add_special(struct strbuf *out, const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *known = strchr(escaped, *text);
    uint32_t ch;
    int bytes = gp_utf8(text, &ch);

    if (bytes == 0)
        strbuf_add(out, NO_UTF8);
    else if (known)
        strbuf_addf(out, "\\%c", letters[known - escaped]);
    else if (gp_is_clean(ch))
        strbuf_addn(out, text, (size_t)bytes);
    else
        add_escape(out, ch);
    return bytes > 0 ? (size_t)bytes : 1;
}

void gp_json_add_text(struct strbuf *out, const char *text)
{
    const char *end = text + strlen(text);

    strbuf_addc(out, '"');
    while (text < end) {
        strbuf_reserve(out, (size_t)(end - text));
        text = add_plain(out, text);
        if (text < end)
            text += add_special(out, text);
    }
    strbuf_addc(out, '"');
}
