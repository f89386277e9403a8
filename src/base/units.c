/*
 * units.c - numbers to text with a unit and back; the only code that knows prefixes.
 *
 * Memory counts in powers of 1024 (an H100's 85,525,004,288 bytes are "79.65 GiB"),
 * rates in powers of 1000 (3.35e12 bytes/s are "3.35 TB/s"). What a user types is read
 * strictly: "80GB" is 80e9 bytes, "80GiB" and "80G" are 85.9e9, and a bare "80" is
 * asked about rather than taken for 80 bytes.
 *
 * The C numeric locale is assumed: the program sets LC_CTYPE only.
 */
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define BYTES_MAX 1e18
#define TOKENS_MAX 1e12
#define PARAMS_MIN 1e3
#define PARAMS_MAX 1e15

struct scale {
    const char *name;
    double factor;
};

/* ---- to text ---- */

static char *units_unknown(char *text, size_t size)
{
    gp_copy(text, size, "?");
    return text;
}

/* Three significant digits below 1000, without trailing zeros: 2.5, 31.5, 160. */
static void three_digits(char *text, size_t size, double value)
{
    double magnitude = fabs(value);
    int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;

    snprintf(text, size, "%.*f", decimals, value);
    if (!strchr(text, '.'))
        return;
    char *end = text + strlen(text);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        *--end = '\0';
}

/* The largest unit in which the value, as printed, is at least 1. */
static char *units_scaled(char *text, size_t size, double value, const struct scale *scales)
{
    char digits[48];

    if (!isfinite(value))
        return units_unknown(text, size);
    while (scales[1].name && fabs(value) < scales->factor * 0.99995)
        scales++;
    three_digits(digits, sizeof digits, value / scales->factor);
    gp_format(text, size, "%s %s", digits, scales->name);
    return text;
}

/* The rounded number with a comma between thousands. */
static void units_thousands(char *text, size_t size, double value)
{
    char digits[48];
    size_t len, used = 0;

    snprintf(digits, sizeof digits, "%.0f", fabs(value));
    len = strlen(digits);
    if (!size)
        return;
    for (size_t i = 0; i < len && used + 2 < size; i++) {
        if (i && (len - i) % 3 == 0)
            text[used++] = ',';
        if (used + 1 < size)
            text[used++] = digits[i];
    }
    text[used] = '\0';
}

char *units_gib(char *text, size_t size, double bytes)
{
    if (!isfinite(bytes))
        return units_unknown(text, size);
    gp_format(text, size, "%.2f GiB", bytes / GP_GIB);
    return text;
}

char *units_memory(char *text, size_t size, double bytes)
{
    if (bytes != 0 && fabs(bytes) < 0.0995 * GP_GIB)
        return units_bytes(text, size, bytes);
    if (!isfinite(bytes))
        return units_unknown(text, size);
    gp_format(text, size, "%.3f GiB", bytes / GP_GIB);
    return text;
}

char *units_bytes(char *text, size_t size, double bytes)
{
    static const struct scale scales[] = {
        {"TiB", GP_GIB * 1024.0}, {"GiB", GP_GIB}, {"MiB", GP_MIB},
        {"KiB", GP_KIB},          {"B", 1.0},      {NULL, 0},
    };

    return units_scaled(text, size, bytes, scales);
}

char *units_tokens(char *text, size_t size, double tokens)
{
    char digits[64];

    if (!isfinite(tokens) || fabs(tokens) >= 1e18)
        return units_unknown(text, size);
    units_thousands(digits, sizeof digits, tokens);
    gp_format(text, size, "%s%s", tokens <= -0.5 ? "-" : "", digits);
    return text;
}

const char *units_weekday(int day)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

    return days[(day % 7 + 7) % 7];
}

char *units_hour(char *text, size_t size, int hours, int hour)
{
    gp_format(text, size, "%s%s%02d:00", hours > 24 ? units_weekday(hour / 24) : "",
              hours > 24 ? " " : "", hour % 24);
    return text;
}

char *units_plain(char *text, size_t size, double value, int digits)
{
    double magnitude = fabs(value);

    gp_format(text, size, "%.*g", digits, value);
    if (strchr(text, 'e') && magnitude >= 1 && magnitude < 1e15)
        gp_format(text, size, "%.0f", value);
    return text;
}

char *units_seconds(char *text, size_t size, double seconds, int digits)
{
    if (seconds < 1e-3)
        gp_format(text, size, "%s us", UNITS_PLAIN(seconds * 1e6, digits));
    else if (seconds < 1)
        gp_format(text, size, "%s ms", UNITS_PLAIN(seconds * 1e3, digits));
    else
        gp_format(text, size, "%s s", UNITS_PLAIN(seconds, digits));
    return text;
}

char *units_params(char *text, size_t size, double params)
{
    static const struct scale scales[] = {{"T", 1e12}, {"B", 1e9}, {"M", 1e6}, {NULL, 0}};

    if (!isfinite(params) || fabs(params) >= 1e18)
        return units_unknown(text, size);
    for (const struct scale *scale = scales; scale->name; scale++)
        if (fabs(params) >= scale->factor * 0.99999) {
            gp_format(text, size, "%.2f %s", params / scale->factor, scale->name);
            return text;
        }
    return units_tokens(text, size, params);
}

char *units_watts(char *text, size_t size, double watts)
{
    if (!isfinite(watts))
        return units_unknown(text, size);
    if (watts < 999.5)
        gp_format(text, size, "%.0f W", watts);
    else
        gp_format(text, size, "%.*f kW", watts < 9995 ? 2 : watts < 99950 ? 1 : 0, watts / 1000);
    return text;
}

char *units_money(char *text, size_t size, double dollars)
{
    char digits[64];
    double magnitude = fabs(dollars);

    if (!isfinite(dollars) || magnitude >= 1e18)
        return units_unknown(text, size);
    if (magnitude >= 999.995)
        units_thousands(digits, sizeof digits, dollars);
    else
        snprintf(digits, sizeof digits, "%.*f", magnitude > 0 && magnitude < 0.0995 ? 4 : 2,
                 magnitude);
    gp_format(text, size, "%s$%s", dollars < 0 ? "-" : "", digits);
    return text;
}

char *units_bandwidth(char *text, size_t size, double bytes_per_s)
{
    static const struct scale scales[] = {
        {"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1.0}, {NULL, 0},
    };

    return units_scaled(text, size, bytes_per_s, scales);
}

/* ---- from text ---- */

/* A decimal number at the start of text: no inf, nan, hex or leading blank, all of
 * which strtod would take. Leaves *rest behind it. */
static bool leading_number(const char *text, double *value, const char **rest)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t whole = strspn(at, "0123456789");
    size_t part = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
    char *end = NULL;

    if (whole + part == 0 || (at[0] == '0' && gp_lower(at[1]) == 'x'))
        return false;
    *value = strtod(text, &end);
    *rest = end;
    return isfinite(*value);
}

static const char *skip_blank(const char *text)
{
    return text + strspn(text, " \t");
}

/* "12 GiB" -> 12 times the factor of the matching suffix; false when there is none. */
static bool parse_scaled(const char *text, const struct scale *scales, double *value)
{
    const char *rest;

    if (!leading_number(text, value, &rest))
        return false;
    rest = skip_blank(rest);
    for (; scales->name; scales++)
        if (gp_casecmp(rest, scales->name) == 0) {
            *value *= scales->factor;
            return true;
        }
    return false;
}

enum gp_status units_parse_bytes(const char *text, const char *where, double *bytes,
                                 struct gp_err *err)
{
    static const struct scale scales[] = {
        {"", 0},         {"B", 1},
        {"K", GP_KIB},   {"KiB", GP_KIB},
        {"KB", 1e3},     {"M", GP_MIB},
        {"MiB", GP_MIB}, {"MB", 1e6},
        {"G", GP_GIB},   {"GiB", GP_GIB},
        {"GB", 1e9},     {"T", GP_GIB * 1024},
        {"TB", 1e12},    {"TiB", GP_GIB * 1024},
        {NULL, 0},
    };
    const char *hint = "write a size such as 2GiB, 512MiB or 80GB";
    const char *rest;
    double value, bare;

    if (!parse_scaled(text, scales, &value))
        return gp_fail(err, GP_E_USAGE, where, hint, "'%s' is not a size", text);
    if (leading_number(text, &bare, &rest) && !*skip_blank(rest) && bare != 0)
        return gp_fail(err, GP_E_USAGE, where, hint, "'%s' has no unit", text);
    if (value < 0 || value > BYTES_MAX)
        return gp_fail(err, GP_E_USAGE, where, hint, "%s is outside 0..1e18 bytes", text);
    *bytes = value;
    return GP_OK;
}

enum gp_status units_parse_tokens(const char *text, const char *where, double *tokens,
                                  struct gp_err *err)
{
    static const struct scale scales[] = {
        {"", 1}, {"k", 1024.0}, {"m", 1024.0 * 1024.0}, {NULL, 0}};
    const char *hint = "write a count such as 8192, 8k or 128k";
    double value;

    if (!parse_scaled(text, scales, &value))
        return gp_fail(err, GP_E_USAGE, where, hint, "'%s' is not a token count", text);
    if (value < 1 || value > TOKENS_MAX)
        return gp_fail(err, GP_E_USAGE, where, hint, "%s is outside 1..1e12 tokens", text);
    if (value != floor(value))
        return gp_fail(err, GP_E_USAGE, where, hint, "%s is not a whole number of tokens", text);
    *tokens = value;
    return GP_OK;
}

enum gp_status units_parse_params(const char *text, const char *where, double *params,
                                  struct gp_err *err)
{
    static const struct scale scales[] = {{"", 1},    {"K", 1e3},  {"M", 1e6},
                                          {"B", 1e9}, {"T", 1e12}, {NULL, 0}};
    const char *hint = "write a size such as 70B, 0.5B or 405e9";
    double value;

    if (!parse_scaled(text, scales, &value))
        return gp_fail(err, GP_E_USAGE, where, hint, "'%s' is not a parameter count", text);
    if (value < PARAMS_MIN || value > PARAMS_MAX)
        return gp_fail(err, GP_E_USAGE, where, hint, "%s is outside 1e3..1e15 parameters", text);
    *params = value;
    return GP_OK;
}

enum gp_status units_parse_number(const char *text, const char *where, double *value,
                                  struct gp_err *err)
{
    const char *rest;
    double parsed;

    if (!leading_number(text, &parsed, &rest) || *rest)
        return gp_fail(err, GP_E_USAGE, where, "", "'%s' is not a number", text);
    *value = parsed;
    return GP_OK;
}

enum gp_status units_parse_time(const char *text, const char *where, const char *unit,
                                double *value, struct gp_err *err)
{
    static const struct scale milliseconds[] = {{"", 1}, {"ms", 1}, {"s", 1e3}, {NULL, 0}};
    static const struct scale seconds[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {NULL, 0}};

    if (!parse_scaled(text, strcmp(unit, "ms") == 0 ? milliseconds : seconds, value))
        return gp_fail(err, GP_E_USAGE, where, "write it as 500ms or 1.5s", "'%s' is not a time",
                       text);
    return GP_OK;
}

enum gp_status units_parse_share(const char *text, const char *where, double *value,
                                 struct gp_err *err)
{
    static const struct scale scales[] = {{"", 1}, {"%", 0.01}, {NULL, 0}};

    if (!parse_scaled(text, scales, value))
        return gp_fail(err, GP_E_USAGE, where, "write it as 0.9 or 90%", "'%s' is not a number",
                       text);
    return GP_OK;
}
