/*
 * profile_scan.c - one pass over a profile's text with libconfig's own token rules.
 *
 * A word is a run of [A-Za-z0-9_.+-*]; it is an integer when it is digits (or 0x and
 * hexadecimal digits) after an optional sign, followed by nothing, L or LL. libconfig
 * reads the first two with a 32-bit type and the last two with a 64-bit one, and checks
 * neither: 2147483648 becomes -2147483648. So they are checked here. It also looks
 * through a whole group for each new name, so groups are kept to 1024 settings.
 */
#include "catalog/profile_scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "catalog/profile.h"

#define SETTINGS_MAX 1024 /* of one group */

struct scan {
    const char *name;
    const char *at, *end;
    int line;
    int depth;
    int settings[PROFILE_MAX_DEPTH + 1]; /* so far, of the group open at each depth */
    struct gp_err *err;
};

static enum gp_status refuse_word(const struct scan *scan, const char *hint, const char *text,
                                  const char *word, size_t len)
{
    char where[192], cut[48];

    if (len >= sizeof cut)
        len = sizeof cut - 1;
    memcpy(cut, word, len);
    cut[len] = '\0';
    gp_format(where, sizeof where, "%s:%d", scan->name, scan->line);
    return gp_fail(scan->err, GP_E_FILE, where, hint, "%s %s", cut, text);
}

static void skip_line(struct scan *scan)
{
    const char *stop = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));

    scan->at = stop != NULL ? stop : scan->end;
}

static void skip_block_comment(struct scan *scan)
{
    for (scan->at += 2; scan->at < scan->end; scan->at++) {
        if (*scan->at == '\n')
            scan->line++;
        if (*scan->at == '*' && scan->at + 1 < scan->end && scan->at[1] == '/') {
            scan->at += 2;
            return;
        }
    }
}

static void skip_string(struct scan *scan)
{
    const char *quote = memchr(scan->at + 1, '"', (size_t)(scan->end - scan->at - 1));
    size_t len = quote ? (size_t)(quote - scan->at) : 0;

    /* most have neither: a look at all of them at once is the shorter way */
    if (quote && !memchr(scan->at, '\\', len) && !memchr(scan->at, '\n', len)) {
        scan->at = quote + 1;
        return;
    }
    for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++) {
        if (*scan->at == '\n')
            scan->line++;
        if (*scan->at == '\\' && scan->at + 1 < scan->end && scan->at[1] != '\n')
            scan->at++;
    }
    if (scan->at < scan->end)
        scan->at++;
}

static inline bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || (c >= '*' && c <= '-' && c != ',');
}

/* Length of the integer at the start of a word of `len`, without its L; 0 for none. */
static size_t integer_digits(const char *word, size_t len, bool *hex)
{
    size_t i = 0;

    *hex = false;
    if (len > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
        *hex = true;
        for (i = 2; i < len && isxdigit((unsigned char)word[i]); i++)
            ;
        return i;
    }
    if (len > 0 && (word[0] == '-' || word[0] == '+'))
        i++;
    if (i == len || !isdigit((unsigned char)word[i]))
        return 0;
    while (i < len && isdigit((unsigned char)word[i]))
        i++;
    return i;
}

static enum gp_status check_word(const struct scan *scan, const char *word, size_t len)
{
    char digits[40];
    bool hex;
    size_t used = integer_digits(word, len, &hex);
    size_t rest = len - used;
    bool wide = rest > 0 && word[used] == 'L';
    long long value;

    if (len == 1 && *word == '.')
        return refuse_word(scan, "", "is not a number", word, len);
    if (used == 0 || (rest > 0 && !wide) || rest > 2 || (rest == 2 && word[used + 1] != 'L'))
        return GP_OK; /* a name, a float, or something libconfig itself refuses */
    if (used >= sizeof digits)
        return refuse_word(scan, "write it with a decimal point", "has too many digits", word, len);
    memcpy(digits, word, used);
    digits[used] = '\0';
    errno = 0;
    value = strtoll(digits, NULL, hex ? 16 : 10);
    if (errno == ERANGE)
        return refuse_word(scan, "write it with a decimal point", "does not fit in 64 bits", word,
                           len);
    if (!wide && (value > INT32_MAX || value < INT32_MIN))
        return refuse_word(scan, "append an L", "does not fit in 32 bits", word, len);
    return GP_OK;
}

static enum gp_status scan_word(struct scan *scan)
{
    const char *word = scan->at;

    const char *at = word, *end = scan->end;

    while (at < end && word_char(*at))
        at++;
    scan->at = at;
    return check_word(scan, word, (size_t)(scan->at - word));
}

static enum gp_status scan_mark(struct scan *scan)
{
    char c = *scan->at++;

    if (c == '\n')
        scan->line++;
    else if (c == '@')
        return refuse_word(scan, "put the settings into the file itself", "is not supported",
                           "@include", 8);
    else if ((c == ')' || c == ']' || c == '}') && scan->depth > 0)
        scan->depth--;
    else if (c == '(' || c == '[' || c == '{') {
        if (scan->depth == PROFILE_MAX_DEPTH)
            return refuse_word(scan, "", "is nested too deeply", &c, 1);
        scan->settings[++scan->depth] = 0;
    } else if ((c == '=' || c == ':') && ++scan->settings[scan->depth] > SETTINGS_MAX)
        return refuse_word(scan, "", "exceeds 1024 settings in one group", &c, 1);
    return GP_OK;
}

enum gp_status profile_scan(const char *name, const char *text, size_t len, struct gp_err *err)
{
    struct scan scan = {.name = name, .at = text, .end = text + len, .line = 1, .err = err};
    enum gp_status rc = GP_OK;

    if (memchr(text, '\0', len) != NULL)
        return gp_fail(err, GP_E_FILE, name, "", "holds a NUL byte: not a text file");
    while (rc == GP_OK && scan.at < scan.end) {
        char next = scan.at + 1 < scan.end ? scan.at[1] : '\0';

        if (*scan.at == ' ')
            while (++scan.at < scan.end && *scan.at == ' ')
                ;
        else if (*scan.at == '#' || (*scan.at == '/' && next == '/'))
            skip_line(&scan);
        else if (*scan.at == '/' && next == '*')
            skip_block_comment(&scan);
        else if (*scan.at == '"')
            skip_string(&scan);
        else if (word_char(*scan.at))
            rc = scan_word(&scan);
        else
            rc = scan_mark(&scan);
    }
    return rc;
}
