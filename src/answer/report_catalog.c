/*
 * report_catalog.c - the classes, filtering a list, and finding an id in any class.
 */
#include "answer/report_catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/suggest.h"
#include "catalog/registry.h"
#include "model/read/hub_cache.h"

const struct report_class report_classes[] = {
    {"models", "model", report_model_rows, report_model_show},
    {"gpus", "gpu", report_gpu_rows, report_gpu_show},
    {"engines", "engine", report_engine_rows, report_engine_show},
    {"instances", "instance", report_instance_rows, report_instance_show},
    {"formats", "format", report_format_rows, report_format_show},
    {"servers", "server", report_server_rows, report_server_show},
    {"families", "family", report_family_rows, report_family_show},
    {NULL, NULL, NULL, NULL},
};

const struct report_class *report_class_find(const char *word, struct gp_err *err)
{
    const char *words[16];
    char hint[256] = "";
    size_t n = 0, len = 0;

    for (const struct report_class *c = report_classes; c->word; c++) {
        if (gp_casecmp(word, c->word) == 0 || gp_casecmp(word, c->singular) == 0)
            return c;
        words[n++] = c->word;
    }
    words[n++] = "devices"; /* the command's own: what is in this machine */
    if (suggest(word, words, n, "*", hint, sizeof(hint)))
        gp_copy(hint + strlen(hint), sizeof(hint) - strlen(hint), " ");
    for (size_t i = 0; i < n; i++) {
        len = strlen(hint);
        gp_format(hint + len, sizeof(hint) - len, "%s%s", i ? ", " : "classes: ", words[i]);
    }
    if (word[0])
        gp_fail(err, GP_E_USAGE, "--list", hint, "unknown class '%.60s'", word);
    else
        gp_fail(err, GP_E_USAGE, "--list", hint, "needs a class");
    return NULL;
}

/* ---- lists ---- */

static bool text_holds(const char *text, const char *part)
{
    size_t n = strlen(part);

    for (; *text; text++) {
        size_t i = 0;

        while (i < n && text[i] && gp_lower(text[i]) == gp_lower(part[i]))
            i++;
        if (i == n)
            return true;
    }
    return n == 0;
}

static bool row_holds(const struct record *row, const char *part)
{
    for (size_t i = 0; i < row->count; i++)
        if (!row->facts[i].detail && row->facts[i].text && row->facts[i].kind != FACT_FLAG &&
            text_holds(row->facts[i].text, part))
            return true;
    return false;
}

static void rows_filter(struct fact *items, const char *const *filters, int filter_count)
{
    size_t kept = 0;

    for (size_t i = 0; i < items->record_count; i++) {
        bool keep = true;

        for (int k = 0; k < filter_count && keep; k++)
            keep = row_holds(&items->records[i], filters[k]);
        if (keep)
            items->records[kept++] = items->records[i];
        else
            record_fini(&items->records[i]);
    }
    items->record_count = kept;
}

enum gp_status report_list(struct catalog *catalog, const struct report_class *class,
                           const char *const *filters, int filter_count, struct record *doc,
                           struct gp_err *err)
{
    record_text(doc, "schema", "gpuplan.list/1");
    record_text(doc, "class", class->word);
    record_list(doc, "items");
    size_t items = doc->count - 1; /* rows() may add facts about all of them */
    enum gp_status rc = class->rows(catalog, doc, err);
    if (!rc)
        rows_filter(&doc->facts[items], filters, filter_count);
    return rc;
}

/* ---- one item ---- */

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

struct names {
    const char **names;
    size_t count, cap;
};

/* The nearest ids of all classes. */
static enum gp_status unknown_id(struct catalog *catalog, const char *id, struct gp_err *err)
{
    struct record lists[sizeof(report_classes) / sizeof(report_classes[0])];
    struct names all = {0};
    char hint[200];
    int n = 0;

    for (; report_classes[n].word; n++) {
        record_init(&lists[n]);
        record_list(&lists[n], "items");
        report_classes[n].rows(catalog, &lists[n], NULL);
        const struct fact *items = &lists[n].facts[0];
        for (size_t i = 0; i < items->record_count; i++) {
            all.names = gp_grow(all.names, &all.cap, all.count + 1, sizeof(*all.names));
            all.names[all.count++] = record_get(&items->records[i], "id");
        }
    }
    suggest(id, all.names, all.count, "*", hint, sizeof(hint));
    gp_fail(err, GP_E_USAGE, "--show", hint[0] ? hint : "see gpuplan --list CLASS",
            "no model, GPU, engine, instance, format, server or family '%.80s'", id);
    free(all.names);
    while (n > 0)
        record_fini(&lists[--n]);
    return GP_E_USAGE;
}

static void show_begin(struct record *doc, const struct report_class *class)
{
    record_init(doc);
    record_text(doc, "schema", "gpuplan.show/1");
    record_text(doc, "class", class->singular);
}

/* "There is no such item" is about one class only; anything else is the answer. */
static bool is_answer(enum gp_status rc, const struct gp_err *err)
{
    return rc != GP_E_USAGE || strcmp(err->where, "--show") == 0;
}

enum gp_status report_show(struct planner *planner, const char *id, struct record *doc,
                           struct gp_err *err)
{
    struct gp_err mine = {0};
    struct hub_model cached;
    enum gp_status rc = GP_E_USAGE;

    for (const struct report_class *c = report_classes; c->word; c++) {
        show_begin(doc, c);
        rc = c->show(planner, id, doc, &mine);
        if (is_answer(rc, &mine)) {
            if (rc && err)
                *err = mine;
            return rc;
        }
        record_fini(doc);
    }
    show_begin(doc, &report_classes[0]);
    if (path_is_file(id) || path_is_dir(id) || hub_cache_find(id, &cached))
        return report_local_model(planner, id, doc, err);
    return unknown_id(planner_catalog(planner), id, err);
}
