/*
 * quote.c - see quote.h.
 */
#include "base/quote.h"

#include <ctype.h>
#include <string.h>

/* Characters that YAML takes as they are, and that a terminal does, too. */
static bool yaml_is_plain(uint32_t ch)
{
    return gp_is_clean(ch) && ch != 0xFFFE && ch != 0xFFFF;
}

static void quote_yaml(struct strbuf *out, const char *text)
{
    strbuf_addc(out, '"');
    while (*text) {
        uint32_t ch = 0xFFFD;
        int bytes = gp_utf8(text, &ch);

        if (*text == '"' || *text == '\\')
            strbuf_addc(out, '\\');
        if (*text == '\n')
            strbuf_add(out, "\\n");
        else if (bytes > 0 && yaml_is_plain(ch))
            strbuf_addn(out, text, (size_t)bytes);
        else
            strbuf_addf(out, "\\U%08X", (unsigned)ch);
        text += bytes > 0 ? bytes : 1;
    }
    strbuf_addc(out, '"');
}

static void quote_comment(struct strbuf *out, const char *text)
{
    size_t from = out->len;

    strbuf_add(out, text);
    gp_sanitize(out->text + from);
    out->len = from + strlen(out->text + from);
}

static void cut_dashes(struct strbuf *out, size_t from)
{
    while (out->len > from && out->text[out->len - 1] == '-')
        out->text[--out->len] = '\0';
}

/* No tag begins with a dash or a dot. */
static void quote_tag(struct strbuf *out, const char *text)
{
    size_t from = out->len;

    text += strspn(text, "-.");
    for (; *text; text++)
        strbuf_addc(out, isascii(*text) && (isalnum(*text) || strchr("_.-", *text)) ? *text : '-');
    cut_dashes(out, from);
}

static void quote_label(struct strbuf *out, const char *text)
{
    size_t from = out->len;

    for (; *text && out->len - from < 52; text++)
        if (isascii(*text) && isalnum(*text))
            strbuf_addc(out, gp_lower(*text));
        else if (out->len > from && out->text[out->len - 1] != '-')
            strbuf_addc(out, '-');
    cut_dashes(out, from);
}

void quote_add(struct strbuf *out, enum quote how, const char *text)
{
    static void (*const quotes[])(struct strbuf *, const char *) = {
        [QUOTE_SHELL] = strbuf_quote, [QUOTE_YAML] = quote_yaml,   [QUOTE_COMMENT] = quote_comment,
        [QUOTE_TAG] = quote_tag,      [QUOTE_LABEL] = quote_label,
    };

    quotes[how](out, text);
}

void quote_file(struct strbuf *out, const char *name, const char *text)
{
    char end[24] = "END";

    /* a word that the text does not hold is no line of it */
    for (int i = 2; strstr(text, end); i++)
        gp_format(end, sizeof(end), "END%d", i);
    strbuf_add(out, "cat >");
    strbuf_quote(out, name);
    strbuf_addf(out, " <<'%s'\n%s%s%s\n", end, text,
                text[0] && text[strlen(text) - 1] != '\n' ? "\n" : "", end);
}
