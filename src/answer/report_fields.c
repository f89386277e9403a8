/*
 * report_fields.c - an item of the catalogue as facts, by the table that reads its profile.
 */
#include <string.h>

#include "answer/report_catalog.h"

static const enum member_kind member_kinds[] = {
    [PROFILE_TEXT] = MEMBER_CHARS,     [PROFILE_TEXTS] = MEMBER_WORDS,
    [PROFILE_DATE] = MEMBER_CHARS,     [PROFILE_FLAG] = MEMBER_FLAG,
    [PROFILE_COUNT] = MEMBER_SOME_INT, [PROFILE_INTEGER] = MEMBER_SOME,
    [PROFILE_NUMBER] = MEMBER_LISTED,  [PROFILE_QUANTITY] = MEMBER_QUANTITY,
};

static enum member_kind member_kind(const struct profile_field *f)
{
    switch (f->show) {
    case SHOW_FITTED:
        return MEMBER_FITTED;
    case SHOW_VERSION:
        return MEMBER_VERSION;
    case SHOW_COUNT:
        return MEMBER_NUMBER;
    case SHOW_SOME:
    case SHOW_PARAMS:
        return MEMBER_SOME;
    case SHOW_LISTED:
        return MEMBER_LISTED_INT;
    default:
        return member_kinds[f->kind];
    }
}

/* "layer embedding, router": the words of a profile as people write them. */
static void report_bits(struct record *s, const char *name, unsigned bits,
                        const struct profile_word *words)
{
    struct strbuf text;

    strbuf_init(&text);
    for (; words->word; words++)
        if (bits >> words->value & 1)
            strbuf_addf(&text, "%s%s", text.len ? "|" : "", words->word);
    for (char *dash = text.text; (dash = strchr(dash, '-'));)
        *dash = ' ';
    record_words(s, name, text.text);
    strbuf_fini(&text);
}

void report_fields(struct record *s, struct profile_table table, const void *base)
{
    for (const struct profile_field *f = table.fields; f < table.fields + table.count; f++) {
        const char *name = f->label ? f->label : f->key;
        const char *at = (const char *)base + f->offset;
        const int *n = (const int *)(const void *)at;
        const double *number = (const double *)(const void *)at;

        if (f->show == SHOW_NOT ||
            (f->show == SHOW_SET && (f->kind == PROFILE_NUMBER ? *number <= 0 : !*at)))
            continue;
        if (f->group)
            record_group(s, f->group);
        if (f->kind == PROFILE_LIST) {
            n = (const int *)(const void *)((const char *)base + f->list->count);
            record_list(s, name);
            for (int i = 0; i < *n; i++, at += f->list->item_size)
                report_fields(record_append(s, name), f->list->item, at);
        } else if (f->kind == PROFILE_SHARE) {
            record_textf(s, name, n[1] > 0 ? "%d/%d" : "", n[0], n[1]);
        } else if (f->kind == PROFILE_WORD) {
            const struct profile_word *w = f->words;

            while (w->word && w->value != *n)
                w++;
            record_text(s, name, w->word);
        } else if (f->kind == PROFILE_BITS) {
            report_bits(s, name, *(const unsigned *)(const void *)at, f->words);
        } else if (f->kind == PROFILE_NUMBER && f->show >= SHOW_EXACT) {
            record_quantity(s, name, f->as,
                            *number > 0 || f->show == SHOW_EXACT ? quantity_exact(*number)
                                                                 : quantity_unknown(),
                            1, f->decimals);
        } else {
            struct member m = {.name = name,
                               .kind = member_kind(f),
                               .offset = f->offset,
                               .unit = f->as,
                               .divide = f->unit,
                               .decimals = f->decimals};

            record_members(s, &m, 1, base);
        }
        if (f->show == SHOW_PARAMS || f->show == SHOW_THOUSANDS)
            record_style(s, f->show == SHOW_PARAMS ? STYLE_PARAMS : STYLE_THOUSANDS);
        if (f->detail)
            record_detail(s);
    }
}
