/*
 * validate.c - validates JSON files against a JSON Schema, for tests/cli/schema.sh.
 *
 *   validate SCHEMA FILE...     each file one value or one value per line
 *   validate --schema SCHEMA... the schemas alone: every key has a description
 *
 * Knows the part of the language that schemas/ uses: type, const, enum, properties,
 * required, additionalProperties, items, anyOf, oneOf and $ref into $defs. A keyword that
 * it does not know is an error, so that no schema says more than is checked.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 256

static const json_t *root; /* the schema's file, for $ref */
static bool quiet;         /* a branch of anyOf or oneOf is being tried */
static int problems;

static bool problem(const char *path, const char *fmt, ...)
{
    va_list args;

    if (quiet)
        return false;
    problems++;
    printf("%s: ", path[0] ? path : "the value");
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf("\n");
    return false;
}

static bool is_type(const json_t *value, const char *type)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "object",   [JSON_ARRAY] = "array", [JSON_STRING] = "string",
        [JSON_INTEGER] = "integer", [JSON_REAL] = "number", [JSON_TRUE] = "boolean",
        [JSON_FALSE] = "boolean",   [JSON_NULL] = "null",
    };

    return strcmp(names[json_typeof(value)], type) == 0 ||
           (json_is_integer(value) && strcmp(type, "number") == 0);
}

static bool check(const json_t *schema, const json_t *value, const char *path);

static const json_t *defined(const char *ref)
{
    static const char prefix[] = "#/$defs/";

    if (strncmp(ref, prefix, sizeof(prefix) - 1) != 0)
        return NULL;
    return json_object_get(json_object_get(root, "$defs"), ref + sizeof(prefix) - 1);
}

static bool check_type(const json_t *type, const json_t *value, const char *path)
{
    const json_t *one;
    size_t i;

    if (json_is_string(type) && is_type(value, json_string_value(type)))
        return true;
    json_array_foreach(type, i, one) if (is_type(value, json_string_value(one))) return true;
    return problem(path, "has another type");
}

static bool check_enum(const json_t *words, const json_t *value, const char *path)
{
    const json_t *one;
    size_t i;

    json_array_foreach(words, i, one) if (json_equal(one, value)) return true;
    return problem(path, "'%s' is none of the words",
                   json_is_string(value) ? json_string_value(value) : "this");
}

static bool check_object(const json_t *schema, json_t *value, const char *path)
{
    const json_t *known = json_object_get(schema, "properties"), *name, *part;
    const json_t *more = json_object_get(schema, "additionalProperties");
    char below[PATH_SIZE];
    const char *key;
    json_t *member;
    bool good = true;
    size_t i;

    json_array_foreach(json_object_get(schema, "required"), i,
                       name) if (!json_object_get(value, json_string_value(name))) good =
        problem(path, "lacks %s", json_string_value(name));
    json_object_foreach(value, key, member)
    {
        snprintf(below, sizeof(below), "%s.%s", path, key);
        part = json_object_get(known, key);
        if (part || json_is_object(more))
            good &= check(part ? part : more, member, below);
        else if (json_is_false(more))
            good = problem(below, "is not in the schema");
    }
    return good;
}

static bool check_array(const json_t *schema, const json_t *value, const char *path)
{
    const json_t *items = json_object_get(schema, "items"), *one;
    char below[PATH_SIZE];
    bool good = true;
    size_t i;

    json_array_foreach(value, i, one)
    {
        snprintf(below, sizeof(below), "%s[%zu]", path, i);
        good &= !json_is_object(items) || check(items, one, below);
    }
    return good;
}

/* One of the branches, and where it is oneOf only one. When none is, the problems of
 * the branch whose class is that of the value, or of the first. */
static bool check_branches(const json_t *branches, bool one, const json_t *value, const char *path)
{
    const json_t *branch, *named = json_array_get(branches, 0), *class;
    bool before = quiet;
    size_t i, n = 0;

    quiet = true;
    json_array_foreach(branches, i, branch)
    {
        const char *ref = json_string_value(json_object_get(branch, "$ref"));

        n += check(branch, value, path);
        class = json_object_get(
            json_object_get(json_object_get(defined(ref ? ref : ""), "properties"), "class"),
            "const");
        if (class && json_equal(class, json_object_get(value, "class")))
            named = branch;
    }
    quiet = before;
    if (n == 0 && !quiet)
        check(named, value, path);
    if (n == 0 || (one && n > 1))
        return problem(path, "is %zu of the kinds that it may be", n);
    return true;
}

static bool check(const json_t *schema, const json_t *value, const char *path)
{
    const char *keyword;
    json_t *with;
    bool good = true;

    json_object_foreach((json_t *)schema, keyword, with)
    {
        if (strcmp(keyword, "$ref") == 0) {
            const json_t *target = defined(json_string_value(with));

            good &= target ? check(target, value, path)
                           : problem(path, "%s: no such $ref", json_string_value(with));
        } else if (strcmp(keyword, "type") == 0) {
            good &= check_type(with, value, path);
        } else if (strcmp(keyword, "const") == 0) {
            good &= json_equal(with, value) || problem(path, "is another constant");
        } else if (strcmp(keyword, "enum") == 0) {
            good &= check_enum(with, value, path);
        } else if (strcmp(keyword, "anyOf") == 0 || strcmp(keyword, "oneOf") == 0) {
            good &= check_branches(with, keyword[0] == 'o', value, path);
        }
    }
    if (json_is_object(value))
        good &= check_object(schema, (json_t *)value, path);
    if (json_is_array(value))
        good &= check_array(schema, value, path);
    return good;
}

/* ---- the schema itself ---- */

static void check_schema(const json_t *schema, const char *path)
{
    static const char *const keywords[] = {
        "$schema",    "title", "description", "type",
        "const",      "enum",  "required",    "additionalProperties",
        "properties", "items", "anyOf",       "oneOf",
        "$ref",       "$defs"};
    const char *keyword, *key;
    char below[PATH_SIZE];
    json_t *with, *part;
    size_t i;

    json_object_foreach((json_t *)schema, keyword, with)
    {
        bool known = false;

        for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
            known |= strcmp(keyword, keywords[i]) == 0;
        if (!known)
            problem(path, "keyword %s is not known to this test", keyword);
        if (json_is_array(with) && strcmp(keyword + 1, "neOf") == 0)
            json_array_foreach(with, i, part) check_schema(part, path);
    }
    json_object_foreach(json_object_get(schema, "properties"), key, part)
    {
        const char *text = json_string_value(json_object_get(part, "description"));

        snprintf(below, sizeof(below), "%s.%s", path, key);
        if (!text || strlen(text) < 3)
            problem(below, "has no description");
        check_schema(part, below);
    }
    json_object_foreach(json_object_get(schema, "$defs"), key, part)
    {
        snprintf(below, sizeof(below), "%s$defs.%s", path, key);
        check_schema(part, below);
    }
    if (json_is_object(json_object_get(schema, "items")))
        check_schema(json_object_get(schema, "items"), path);
    json_array_foreach(
        json_object_get(schema, "required"), i,
        part) if (!json_object_get(json_object_get(schema, "properties"), json_string_value(part)))
        problem(path, "requires %s and does not describe it", json_string_value(part));
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    if (!json)
        problem(path, "line %d: %s", error.line, error.text);
    return json;
}

/* Something other than blanks follows. */
static bool more_in(FILE *file)
{
    int c = getc(file);

    while (c == ' ' || c == '\n')
        c = getc(file);
    return c != EOF && ungetc(c, file) != EOF;
}

/* Every value of the file; one at least. */
static void check_file(const char *path)
{
    FILE *file = fopen(path, "r");
    json_error_t error;
    json_t *value;
    int count = 0;

    if (!file) {
        problem(path, "cannot be read");
        return;
    }
    while (more_in(file)) {
        value = json_loadf(file, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        if (!value) {
            problem(path, "value %d: %s", count + 1, error.text);
            break;
        }
        count += check(root, value, path);
        json_decref(value);
    }
    if (count == 0)
        problem(path, "holds nothing valid");
    fclose(file);
}

int main(int argc, char **argv)
{
    bool schemas = argc > 1 && strcmp(argv[1], "--schema") == 0;
    json_t *json = NULL;

    if (argc < 3)
        return 2;
    for (int i = 2; schemas && i < argc; i++) {
        json = load(argv[i]);
        if (json)
            check_schema(json, argv[i]);
        json_decref(json);
    }
    if (schemas)
        return problems > 0;
    json = load(argv[1]);
    root = json;
    for (int i = 2; json && i < argc; i++)
        check_file(argv[i]);
    json_decref(json);
    return problems > 0;
}
