/*
 * engine.c - see engine.h.
 */
#include "catalog/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const char *engine_term_word(enum engine_term term)
{
    static const char *const words[TERM_COUNT] = {
        [TERM_BUDGET] = "budget",
        [TERM_DEFAULTS] = "defaults",
        [TERM_LOGITS] = "logits",
        [TERM_FORWARD] = "forward",
        [TERM_MOE] = "moe",
        [TERM_VISION] = "vision",
        [TERM_NON_TORCH] = "non_torch",
        [TERM_GRAPHS] = "graphs",
        [TERM_BLOCK] = "block",
        [TERM_OFFLOAD] = "offload",
        [TERM_DRAFT] = "draft",
        [TERM_LORA] = "lora",
        [TERM_KV_OFFLOAD] = "kv_offload",
        [TERM_PROMPT_CACHE] = "prompt_cache",
        [TERM_TABLES] = "tables",
        [TERM_ROPE] = "rope",
        [TERM_STATE] = "state",
        [TERM_SPARSE] = "sparse",
        [TERM_PADDING] = "padding",
        [TERM_LOADED] = "loaded",
    };

    return words[term];
}

const char *engine_budget_word(enum budget budget)
{
    static const char *const words[] = {
#define X(NAME, word) word,
        BUDGETS(X)
#undef X
    };

    return words[budget];
}

double engine_kv_unit(const struct engine *e)
{
    return strcmp(e->kv_offload, "gpu") == 0 ? 1e9 : GP_GIB;
}

const char *engine_rows_word(enum logit_rows rows)
{
    static const char *const words[] = {
#define X(NAME, word) word,
        LOGIT_ROWS(X)
#undef X
    };

    return words[rows];
}

bool engine_lists(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = list; p && *p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (strncmp(p, word, n) == 0 && (p[n] == '|' || p[n] == '\0'))
            return true;
    return false;
}

bool engine_runs_on(const struct engine *engine, const char *vendor)
{
    return !engine->vendors[0] || engine_lists(engine->vendors, vendor);
}

/* FP64 runs nowhere. Of a format without a family, a user's own, nothing is known. */
bool engine_runs_format(const struct engine *engine, const struct format *weight)
{
    const char *runs = engine->weight_formats;

    return weight->bits <= 32 &&
           (!runs[0] || !weight->family[0] || engine_lists(runs, weight->family) ||
            engine_lists(runs, weight->id));
}

int engine_format_cc(const struct engine *engine, const char *format)
{
    size_t n = strlen(format);

    for (const char *p = engine->quantized_cc; p && *p;) {
        const char *colon = strchr(p, ':'), *next = strchr(p, '|');

        if (colon && ((*p == '*' && colon == p + 1) ||
                      ((size_t)(colon - p) == n && strncmp(p, format, n) == 0)))
            return (int)strtol(colon + 1, NULL, 10);
        p = next ? next + 1 : NULL;
    }
    return 0;
}

bool engine_names_family(const char *list, const char *family)
{
    return strcmp(list, "all") == 0 || engine_lists(list, family);
}

/* The number at *text, which it passes; -1 when there is none up to 9999. */
static long version_number(const char **text)
{
    char *end;

    if (**text < '0' || **text > '9')
        return -1;
    long number = strtol(*text, &end, 10);
    *text = end;
    return number > 9999 ? -1 : number;
}

long engine_version(const char *text, long patch)
{
    if (*text == 'v' || *text == 'b')
        text++;
    long major = version_number(&text), minor = 0;
    if (*text == '.') {
        text++;
        minor = version_number(&text);
        if (text[0] == '.' && text[1] >= '0' && text[1] <= '9') {
            text++;
            patch = version_number(&text);
        }
    }
    if (major < 0 || minor < 0 || patch < 0)
        return -1;
    /* what follows (".1", "rc2", ".post1") does not move a version out of its range */
    if (*text != '\0' && *text != '.' && *text != 'r' && *text != '+' && *text != '-')
        return -1;
    return (major * 10000 + minor) * 10000 + patch;
}

const struct engine_tier *engine_tier(const struct engine *e, double physical)
{
    for (int i = 0; i < e->tier_count; i++)
        if (e->tier[i].below <= 0 || physical < e->tier[i].below)
            return &e->tier[i];
    return NULL;
}
