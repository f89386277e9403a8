/*
 * compare_filter.c - the words that a row of Compare must hold; see compare_view.h.
 */
#include "tui/compare/compare_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "tui/toolkit/words.h"

#define WORD_MAX 64

/* What a number in a filter is called, and the fact it is. */
static const struct {
    const char *name, *fact;
} numbers[] = {
    {"mem", "memory"},
    {"gpus", "gpus"},
    {"tp", "tp"},
    {"pp", "pp"},
    {"rep", "replicas"},
    {"weights", "weights"},
    {"pool", "kv_pool"},
    {"kv", "kv_pool"},
    {"requests", "max_concurrency"},
    {"$", "per_hour"},
    {"$/h", "per_hour"},
    {"$/month", "per_month"},
    {"tpot", "tpot"},
    {"ttft", "ttft"},
    {"tok/s", "output_tokens_per_s"},
    {"$/M", "per_million_output_tokens"},
};
enum { NUMBER_COUNT = sizeof(numbers) / sizeof(numbers[0]) };

/* ---- words ---- */

struct word {
    bool not, is_number;
    char text[WORD_MAX]; /* or the number's name */
    double number;
    bool less, equal, more; /* does a row with such a number hold it? */
};

/* The next word of the filter: its length in *at, 0 at the end. */
static const char *next(const char *filter, size_t *length)
{
    filter += strspn(filter, " \t");
    *length = strcspn(filter, " \t");
    return filter;
}

static const char *fact_of(const char *name)
{
    for (int i = 0; i < NUMBER_COUNT; i++)
        if (gp_casecmp(numbers[i].name, name) == 0)
            return numbers[i].fact;
    return NULL;
}

static enum gp_status no_number(const char *name, struct gp_err *err)
{
    char names[160] = "";

    for (int i = 0; i < NUMBER_COUNT; i++)
        gp_format(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " " : "",
                  numbers[i].name);
    return gp_fail(err, GP_E_USAGE, "filter", names, "unknown column '%s'", name);
}

static enum gp_status read_word(const char *text, size_t length, struct word *out,
                                struct gp_err *err)
{
    char whole[WORD_MAX];
    const char *sign;
    size_t signs;

    *out = (struct word){.not = *text == '!' && length > 1};
    text += out->not ;
    length -= out->not ;
    if (length >= sizeof(whole))
        return gp_fail(err, GP_E_USAGE, "filter", "", "a word is too long");
    gp_format(whole, sizeof(whole), "%.*s", (int)length, text);
    sign = whole + strcspn(whole, "<>=");
    gp_format(out->text, sizeof(out->text), "%.*s", (int)(sign - whole), whole);
    if (!*sign)
        return GP_OK;
    out->is_number = true;
    out->less = *sign == '<';
    out->more = *sign == '>';
    out->equal = *sign == '=' || sign[1] == '=';
    signs = *sign != '=' && out->equal ? 2 : 1;
    if (!fact_of(out->text))
        return no_number(out->text, err);
    if (units_parse_number(sign + signs, "filter", &out->number, NULL))
        return gp_fail(err, GP_E_USAGE, "filter", "as in mem>=40, $<10", "'%s' is not a number",
                       sign + signs);
    return GP_OK;
}

enum gp_status compare_filter_check(const char *filter, struct gp_err *err)
{
    struct word word;
    size_t length;
    enum gp_status rc = GP_OK;

    if (strlen(filter) >= COMPARE_FILTER)
        return gp_fail(err, GP_E_USAGE, "filter", "", "is longer than %d characters",
                       COMPARE_FILTER - 1);
    for (filter = next(filter, &length); length > 0 && !rc; filter = next(filter + length, &length))
        rc = read_word(filter, length, &word, err);
    return rc;
}

/* ---- rows ---- */

static bool holds_text(const struct compare_row *row, const char *word)
{
    static const char *const facts[] = {"gpu", "precision", "verdict", "limit", "offer", "engine"};
    const struct gpu *gpu = row->compared->plan.request.gpu;

    if (gp_casecmp(word, "front") == 0)
        return row->compared->front;
    if (gp_casecmp(word, "marked") == 0)
        return row->marked;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        if (words_match(word, record_get(&row->facts, facts[i]), ""))
            return true;
    return words_match(word, gpu->name, gpu->vendor) || words_match(word, gpu->architecture, "");
}

/* What is not known is neither more nor less than anything. */
static bool holds_number(const struct compare_row *row, const struct word *word)
{
    const struct fact *f = record_find(&row->facts, fact_of(word->text));
    double value = f ? f->number.value : 0;

    if (!f || !f->known)
        return false;
    return value < word->number ? word->less : value > word->number ? word->more : word->equal;
}

bool compare_filter_row(const char *filter, const struct compare_row *row)
{
    struct word word;
    size_t length;

    for (filter = next(filter, &length); length > 0; filter = next(filter + length, &length)) {
        if (read_word(filter, length, &word, NULL))
            continue;
        bool holds = word.is_number ? holds_number(row, &word) : holds_text(row, word.text);
        if (holds == word.not )
            return false;
    }
    return true;
}
