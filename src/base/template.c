/*
 * template.c - see template.h.
 */
#include "base/template.h"

#include <string.h>

#include "base/quote.h"

#define DEPTH_MAX 12

/* ---- quotes ---- */

static void quote_dollar(struct strbuf *out, const char *text)
{
    struct strbuf doubled = STRBUF_EMPTY;

    for (; *text; text++)
        strbuf_addf(&doubled, "%s%c", *text == '$' ? "$" : "", *text);
    quote_add(out, QUOTE_YAML, doubled.text);
    strbuf_fini(&doubled);
}

static void quote_inner(struct strbuf *out, const char *text)
{
    for (; *text; text++)
        strbuf_add(out, *text == '\'' ? "'\\''" : (char[]){*text, '\0'});
}

static bool add_quoted(struct strbuf *out, const char *quote, const char *text)
{
    static const struct {
        const char *name;
        enum quote how;
    } quotes[] = {{"shell", QUOTE_SHELL},
                  {"yaml", QUOTE_YAML},
                  {"comment", QUOTE_COMMENT},
                  {"tag", QUOTE_TAG},
                  {"label", QUOTE_LABEL}};

    for (size_t i = 0; i < sizeof(quotes) / sizeof(quotes[0]); i++)
        if (strcmp(quote, quotes[i].name) == 0) {
            quote_add(out, quotes[i].how, text);
            return true;
        }
    if (strcmp(quote, "dollar") == 0)
        quote_dollar(out, text);
    else if (strcmp(quote, "inner") == 0)
        quote_inner(out, text);
    else if (strcmp(quote, "raw") == 0)
        strbuf_add(out, text);
    else
        return false;
    return true;
}

/* ---- tags ---- */

struct tag {
    char kind;       /* one of "#^/<>!", or ' ': a value */
    char name[64];   /* path of the value, name of the section or block */
    char quote[16];  /* "" = raw */
    size_t from, to; /* of the text: braces, and the rest of a line that it stands on alone */
    size_t indent;   /* blanks before it on that line */
};

struct rendering {
    const char *where, *text; /* the whole template */
    const json_t *context[DEPTH_MAX];
    int depth, nested;
    struct strbuf *out;
    struct gp_err *err;
};

static enum gp_status fail_at(const struct rendering *r, size_t at, const char *what,
                              const char *name)
{
    char where[512];
    int line = 1;

    for (size_t i = 0; i < at; i++)
        line += r->text[i] == '\n';
    gp_format(where, sizeof(where), "%.480s:%d", r->where, line);
    return gp_fail(r->err, GP_E_FILE, where, "see Targets in gpuplan-profile(5)", "%s '%.60s'",
                   what, name);
}

/* The next tag of text[at..end); kind '\0': there is none. */
static enum gp_status next_tag(const struct rendering *r, size_t at, size_t end, struct tag *tag)
{
    const char *open = strstr(r->text + at, "{{"), *close, *bar;
    char inside[128];

    tag->kind = '\0';
    if (!open || (size_t)(open - r->text) >= end)
        return GP_OK;
    tag->from = (size_t)(open - r->text);
    close = strstr(open, "}}");
    if (!close || (size_t)(close - r->text) + 2 > end)
        return fail_at(r, tag->from, "no }} ends", "{{");
    tag->to = (size_t)(close - r->text) + 2;
    tag->kind = strchr("#^/<>!", open[2]) ? open[2] : ' ';
    if (tag->kind != '!' &&
        !gp_format(inside, sizeof(inside), "%.*s", (int)(close - open - 2 - (tag->kind != ' ')),
                   open + 2 + (tag->kind != ' ')))
        return fail_at(r, tag->from, "a tag is too long:", open);
    bar = tag->kind == ' ' ? strchr(inside, '|') : NULL;
    gp_copy(tag->quote, sizeof(tag->quote), bar ? bar + 1 : "raw");
    if (bar)
        inside[bar - inside] = '\0';
    gp_copy(tag->name, sizeof(tag->name), tag->kind == '!' ? "" : gp_trim(inside));
    tag->indent = 0;
    while (tag->from > tag->indent && strchr(" \t", r->text[tag->from - tag->indent - 1]))
        tag->indent++;
    size_t begin = tag->from - tag->indent;
    size_t after = tag->to + strspn(r->text + tag->to, " \t");
    bool alone = tag->kind != ' ' && (begin == 0 || r->text[begin - 1] == '\n') &&
                 (r->text[after] == '\n' || r->text[after] == '\0');
    if (alone && begin >= at) {
        tag->from = begin;
        tag->to = after + (r->text[after] == '\n');
    } else {
        tag->indent = 0;
    }
    return GP_OK;
}

/* Where the section or block that `tag` opens is ended. */
static enum gp_status find_end(const struct rendering *r, const struct tag *tag, size_t end,
                               struct tag *closing)
{
    size_t at = tag->to;
    int depth = 0;

    for (;;) {
        enum gp_status rc = next_tag(r, at, end, closing);

        if (rc)
            return rc;
        if (!closing->kind)
            return fail_at(r, tag->from, "nothing ends", tag->name);
        if (closing->kind == '/' && depth-- == 0)
            return strcmp(closing->name, tag->name) == 0
                       ? GP_OK
                       : fail_at(r, closing->from, "ends what did not begin:", closing->name);
        depth += strchr("#^<", closing->kind) != NULL;
        at = closing->to;
    }
}

/* ---- values ---- */

static const json_t *value_at(const struct rendering *r, const char *name)
{
    if (strcmp(name, ".") == 0)
        return r->context[r->depth - 1];
    for (int i = r->depth - 1; i >= 0; i--) {
        const json_t *value = json_object_get(r->context[i], name);

        if (value)
            return value;
    }
    return NULL;
}

static bool is_there(const json_t *value)
{
    return json_is_true(value) || json_object_size(value) > 0 || json_array_size(value) > 0 ||
           json_string_length(value) > 0 || (json_is_number(value) && json_number_value(value));
}

static bool add_value(struct rendering *r, const struct tag *tag)
{
    const json_t *value = value_at(r, tag->name);
    char digits[32] = "";

    if (json_is_number(value))
        gp_format(digits, sizeof(digits), "%.0f", json_number_value(value));
    return add_quoted(r->out, tag->quote,
                      json_is_string(value) ? json_string_value(value) : digits);
}

/* ---- rendering ---- */

static enum gp_status render_part(struct rendering *r, size_t at, size_t end);

/* The block of that name, wherever in the template it stands. */
static enum gp_status find_block(const struct rendering *r, const char *name, size_t *from,
                                 size_t *to)
{
    size_t end = strlen(r->text), at = 0;
    struct tag tag, closing;

    *from = *to = 0;
    for (;;) {
        enum gp_status rc = next_tag(r, at, end, &tag);

        if (rc || !tag.kind)
            return rc;
        at = tag.to;
        if (tag.kind != '<' || strcmp(tag.name, name) != 0)
            continue;
        rc = find_end(r, &tag, end, &closing);
        *from = tag.to;
        *to = closing.from;
        return rc;
    }
}

static enum gp_status render_block(struct rendering *r, const struct tag *tag)
{
    struct strbuf text, *out = r->out;
    size_t from, to;
    enum gp_status rc = find_block(r, tag->name, &from, &to);

    if (!rc && to == 0)
        rc = fail_at(r, tag->from, "no block", tag->name);
    if (!rc && r->nested == DEPTH_MAX)
        rc = fail_at(r, tag->from, "blocks in a circle:", tag->name);
    if (rc)
        return rc;
    strbuf_init(&text);
    r->out = &text;
    r->nested++;
    rc = render_part(r, from, to);
    r->nested--;
    r->out = out;
    for (const char *line = text.text; *line;) {
        size_t len = strcspn(line, "\n");

        strbuf_addf(out, "%*s", len ? (int)tag->indent : 0, "");
        strbuf_addn(out, line, len + (line[len] == '\n'));
        line += len + (line[len] == '\n');
    }
    strbuf_fini(&text);
    return rc;
}

static enum gp_status render_section(struct rendering *r, const struct tag *tag, size_t end,
                                     size_t *after)
{
    const json_t *value = value_at(r, tag->name);
    struct tag closing;
    enum gp_status rc = find_end(r, tag, end, &closing);

    if (rc)
        return rc;
    *after = closing.to;
    if (tag->kind == '<' || is_there(value) == (tag->kind == '^'))
        return GP_OK;
    if (r->depth == DEPTH_MAX)
        return fail_at(r, tag->from, "too many sections in another:", tag->name);
    size_t count = json_is_array(value) && tag->kind == '#' ? json_array_size(value) : 1;
    for (size_t i = 0; i < count && !rc; i++) {
        const json_t *element = json_is_array(value) ? json_array_get(value, i) : value;

        if (tag->kind == '#' && (json_is_object(element) || json_is_array(value)))
            r->context[r->depth++] = element;
        else
            r->context[r->depth] = r->context[r->depth - 1], r->depth++;
        rc = render_part(r, tag->to, closing.from);
        r->depth--;
    }
    return rc;
}

static enum gp_status render_part(struct rendering *r, size_t at, size_t end)
{
    enum gp_status rc = GP_OK;
    struct tag tag;

    while (!rc) {
        rc = next_tag(r, at, end, &tag);
        if (rc)
            break;
        strbuf_addn(r->out, r->text + at, (tag.kind ? tag.from : end) - at);
        if (!tag.kind)
            break;
        at = tag.to;
        if (strchr("#^<", tag.kind))
            rc = render_section(r, &tag, end, &at);
        else if (tag.kind == '>')
            rc = render_block(r, &tag);
        else if (tag.kind == '/')
            rc = fail_at(r, tag.from, "ends what did not begin:", tag.name);
        else if (tag.kind == ' ' && !add_value(r, &tag))
            rc = fail_at(r, tag.from, "no such quote:", tag.quote);
    }
    return rc;
}

enum gp_status template_render(const char *where, const char *text, const json_t *context,
                               struct strbuf *out, struct gp_err *err)
{
    struct rendering r = {where, text, {context}, 1, 0, out, err};

    return render_part(&r, 0, strlen(text));
}

enum gp_status template_block(const char *where, const char *text, const char *block,
                              const json_t *context, struct strbuf *out, struct gp_err *err)
{
    struct rendering r = {where, text, {context}, 1, 0, out, err};
    size_t from, to;
    enum gp_status rc = find_block(&r, block, &from, &to);

    return rc ? rc : render_part(&r, from, to);
}
