/*
 * hfjson.c - the text of a config.json to a document, at a bounded price.
 *
 * Such files are not quite JSON: Python writes NaN and Infinity, and integers of 30
 * digits. These words are blanked out before the JSON library sees the text. While
 * looking for them, values and brackets are counted: a file is refused when its tree
 * would take more than 24 times its length (and 4 MiB), or 128 MiB, or is nested more
 * than 32 deep.
 *
 * Example: "time_step_limit": [0.0, Infinity] becomes [0.0, null    ].
 */
#include "model/read/hfconfig.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CONFIG_MAX (16u << 20)
#define DEPTH_MAX 32
#define VALUE_COST 64u /* bytes of memory a JSON value may take */
#define CONTAINER_COST 360u
#define COST_FLOOR (4u << 20)
#define COST_FACTOR 24u
#define COST_MAX (128u << 20)
#define DIGITS_MAX 18

struct prescan {
    char *text;
    size_t len, pos;
    size_t values, containers;
    int depth, deepest;
};

static void blank_word(struct prescan *scan, size_t len)
{
    const char *with = len >= 4 ? "null" : "\"" HF_NAN "\"";
    size_t n = strlen(with);

    memset(scan->text + scan->pos, ' ', len);
    memcpy(scan->text + scan->pos, with, n);
}

/* NaN, Infinity, -Infinity, and integers too long for 64 bits: no JSON library takes
 * them, and no figure that matters here is one. */
static bool blank_literal(struct prescan *scan)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    const char *at = scan->text + scan->pos;
    size_t left = scan->len - scan->pos, digits;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t n = strlen(words[i]);

        if (left >= n && memcmp(at, words[i], n) == 0) {
            blank_word(scan, n);
            scan->pos += n;
            return true;
        }
    }
    if (*at != '-' && (*at < '0' || *at > '9'))
        return false;
    digits = 1;
    while (digits < left && at[digits] != '\0' && strchr("0123456789+-.eE", at[digits]))
        digits++;
    if (digits > DIGITS_MAX && strcspn(at, ".eE") >= digits)
        blank_word(scan, digits);
    scan->pos += digits;
    return true;
}

static void prescan_step(struct prescan *scan)
{
    char c = scan->text[scan->pos];

    if (c == '{' || c == '[') {
        scan->containers++;
        if (++scan->depth > scan->deepest)
            scan->deepest = scan->depth;
    } else if (c == '}' || c == ']') {
        scan->depth--;
    } else if (c == ',') {
        scan->values++;
    }
    scan->pos++;
}

static void prescan_string(struct prescan *scan)
{
    scan->pos++;
    while (scan->pos < scan->len && scan->text[scan->pos] != '"')
        scan->pos += scan->text[scan->pos] == '\\' ? 2 : 1;
    scan->pos++;
}

static enum gp_status prescan_check(const char *where, const struct prescan *scan,
                                    struct gp_err *err)
{
    double cost = (double)scan->values * VALUE_COST + (double)scan->containers * CONTAINER_COST;

    if (scan->deepest > DEPTH_MAX)
        return gp_fail(err, GP_E_FILE, where, "this is not the configuration of a model",
                       "nested %d levels deep, more than %d", scan->deepest, DEPTH_MAX);
    if (cost > COST_MAX || cost > COST_FLOOR + (double)scan->len * COST_FACTOR)
        return gp_fail(err, GP_E_FILE, where, "this is not the configuration of a model",
                       "%zu values and %zu lists or objects are too many", scan->values,
                       scan->containers);
    return GP_OK;
}

json_t *hf_load(const char *where, const char *text, size_t len, struct gp_err *err)
{
    struct prescan scan = {.len = len};
    json_error_t error;
    json_t *root = NULL;

    if (len > CONFIG_MAX) {
        gp_fail(err, GP_E_FILE, where, "this is not the configuration of a model",
                "%zu bytes, more than 16 MiB", len);
        return NULL;
    }
    scan.text = gp_malloc(len + 1);
    memcpy(scan.text, text, len);
    scan.text[len] = '\0';
    while (scan.pos < len) {
        if (scan.text[scan.pos] == '"')
            prescan_string(&scan);
        else if (!blank_literal(&scan))
            prescan_step(&scan);
    }
    if (prescan_check(where, &scan, err) == GP_OK) {
        root = json_loadb(scan.text, len, JSON_REJECT_DUPLICATES, &error);
        if (root == NULL)
            gp_fail(err, GP_E_FILE, where, "the file is damaged or is not a config.json",
                    "line %d: %.200s", error.line, error.text);
    }
    free(scan.text);
    if (root != NULL && !json_is_object(root)) {
        gp_fail(err, GP_E_FILE, where, "the file is not a config.json",
                "not an object at the top level");
        json_decref(root);
        root = NULL;
    }
    return root;
}
