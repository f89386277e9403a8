/*
 * registry.c - see registry.h.
 *
 * Aliases: "meta-llama/Llama-3.1-8B-Instruct" is found by that text, whatever its case,
 * and by "Llama-3.1-8B-Instruct" when only one item has it.
 */
#include "catalog/registry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/suggest.h"

#define SUFFIX ".cfg"

void warn_list_add(void *warn_list, const char *line)
{
    struct warn_list *list = warn_list;

    list->lines = gp_grow(list->lines, &list->cap, list->count + 1, sizeof *list->lines);
    list->lines[list->count] = gp_strdup(line);
    gp_sanitize(list->lines[list->count++]);
}

void registry_fini(struct registry *registry)
{
    for (size_t k = 0; k < registry->count; k++)
        registry_item_free(registry->class, registry->items[k]);
    free(registry->items);
    free(registry->names);
    texts_fini(&registry->texts);
}

void registry_item_free(const struct registry_class *class, void *item)
{
    if (class->fini != NULL)
        class->fini(item);
    free(item);
}

static const char *id_of(const void *item)
{
    return item;
}

bool registry_id_ok(const char *id)
{
    if (!isalnum((unsigned char)id[0]) || strstr(id, "..") != NULL)
        return false;
    for (; *id != '\0'; id++)
        if (!isalnum((unsigned char)*id) && strchr("._+-", *id) == NULL)
            return false;
    return true;
}

static void *in_memory(const struct registry *registry, const char *id)
{
    for (size_t i = 0; i < registry->count; i++)
        if (strcmp(id_of(registry->items[i]), id) == 0)
            return registry->items[i];
    return NULL;
}

static bool file_of(const struct registry *registry, size_t dir, const char *id, char *path,
                    size_t size)
{
    return gp_format(path, size, "%s/%s/%s" SUFFIX, registry->path->dir[dir],
                     registry->class->folder, id);
}

/* Reads the item from every folder that has it. *item stays NULL when none has. */
static enum gp_status load_item(struct registry *registry, const char *id, void **item,
                                struct gp_err *err)
{
    char path[GP_PATH_MAX];
    bool found = false;
    enum gp_status rc = GP_OK;
    void *fresh;

    *item = NULL;
    if (strlen(id) >= registry->class->id_size)
        return GP_OK;
    fresh = gp_calloc(1, registry->class->size);
    gp_copy(fresh, registry->class->id_size, id);
    for (size_t i = 0; i < registry->path->count && rc == GP_OK; i++) {
        if (!file_of(registry, i, id, path, sizeof path) || !path_is_there(path))
            continue;
        rc = profile_read_compiled(path, registry->path->compiled, registry->class->read, fresh,
                                   warn_list_add, registry->warnings, err);
        found = true;
    }
    if (rc != GP_OK || !found) {
        registry_item_free(registry->class, fresh);
        return rc;
    }
    registry->items =
        gp_grow(registry->items, &registry->cap, registry->count + 1, sizeof *registry->items);
    registry->items[registry->count++] = fresh;
    *item = fresh;
    return GP_OK;
}

/* ---- the ids there are ---------------------------------------------------------- */

struct names {
    char **names;
    size_t count, cap;
    struct warn_list *warnings; /* takes the files with invalid names; or NULL */
};

static void names_fini(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct names *names, const char *dir, const char *file)
{
    char id[256], line[GP_PATH_MAX];
    size_t len = strlen(file) - strlen(SUFFIX);

    gp_format(id, sizeof id, "%.*s", (int)len, file);
    if (len >= sizeof id || !registry_id_ok(id)) {
        gp_format(line, sizeof line,
                  "%s/%s: skipped: an id may hold only letters, digits and . _ + -", dir, file);
        if (names->warnings != NULL)
            warn_list_add(names->warnings, line);
        return;
    }
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], id) == 0)
            return;
    names->names = gp_grow(names->names, &names->cap, names->count + 1, sizeof *names->names);
    names->names[names->count++] = gp_strdup(id);
}

static enum gp_status list_ids(const struct registry *registry, struct names *names,
                               struct gp_err *err)
{
    for (size_t i = 0; i < registry->path->count; i++) {
        char dir[GP_PATH_MAX];
        char **files = NULL;
        size_t count = 0;
        enum gp_status rc;

        if (!path_join(dir, sizeof dir, registry->path->dir[i], registry->class->folder))
            continue;
        rc = path_list(dir, SUFFIX, &files, &count, err);
        if (rc != GP_OK) {
            names_fini(names);
            return rc;
        }
        for (size_t j = 0; j < count; j++)
            add_name(names, dir, files[j]);
        path_list_free(files, count);
    }
    if (names->count > 0)
        qsort(names->names, names->count, sizeof *names->names, by_text);
    return GP_OK;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(id_of(*(void *const *)a), id_of(*(void *const *)b));
}

enum gp_status registry_complete(struct registry *registry, struct gp_err *err)
{
    struct names names = {.warnings = registry->warnings};
    enum gp_status rc;
    void *item;

    if (registry->complete)
        return GP_OK;
    rc = list_ids(registry, &names, err);
    if (rc != GP_OK)
        return rc;
    for (size_t i = 0; i < names.count && rc == GP_OK; i++)
        if (in_memory(registry, names.names[i]) == NULL)
            rc = load_item(registry, names.names[i], &item, err);
    names_fini(&names);
    if (rc != GP_OK)
        return rc;
    if (registry->count > 0)
        qsort(registry->items, registry->count, sizeof *registry->items, by_id);
    registry->complete = true;
    return GP_OK;
}

bool registry_read_ahead(struct registry *registry, size_t most)
{
    struct names names = {0};
    enum gp_status rc = GP_OK;
    size_t read = 0;
    void *item;

    if (registry->complete || list_ids(registry, &names, NULL) != GP_OK)
        return false;
    for (size_t i = 0; i < names.count && read < most && rc == GP_OK; i++)
        if (in_memory(registry, names.names[i]) == NULL) {
            rc = load_item(registry, names.names[i], &item, NULL);
            read++;
        }
    names_fini(&names);
    return read == most && rc == GP_OK;
}

/* *item stays NULL when there is no such file. */
static enum gp_status by_name(struct registry *registry, const char *id, void **item,
                              struct gp_err *err)
{
    *item = in_memory(registry, id);
    return *item != NULL ? GP_OK : load_item(registry, id, item, err);
}

/* ---- aliases -------------------------------------------------------------------- */

enum match alias_match(const char *aliases, const char *text)
{
    enum match best = MATCH_NONE;
    char alias[160];

    while (*aliases != '\0') {
        size_t len = strcspn(aliases, "|");
        const char *tail;

        if (len < sizeof alias) {
            memcpy(alias, aliases, len);
            alias[len] = '\0';
            tail = strrchr(alias, '/');
            if (gp_casecmp(alias, text) == 0)
                return MATCH_WHOLE;
            if (tail != NULL && gp_casecmp(tail + 1, text) == 0)
                best = MATCH_TAIL;
        }
        aliases += len + (aliases[len] == '|');
    }
    return best;
}

static const char *skip_blank(const char *c)
{
    for (;;) {
        c += strspn(c, " \t\r\n,");
        if (*c != '#')
            return c;
        c += strcspn(c, "\n");
    }
}

static void add_registry_name(struct registry *registry, const char *name, const char *id)
{
    registry->names = gp_grow(registry->names, &registry->name_cap, registry->name_count + 1,
                              sizeof *registry->names);
    registry->names[registry->name_count++] = (struct registry_name){name, id};
}

/* Adds the texts of a key that begins a line: aliases = ["a", "b"]. To parse every file of a class
 * would cost more than a whole plan. */
static void scan_key(struct registry *registry, const char *bytes, const char *key, const char *id)
{
    size_t len = strlen(key);

    for (const char *at = bytes; (at = strstr(at, key)) != NULL; at += len) {
        const char *c = skip_blank(at + len);
        char text[160];

        if ((at > bytes && at[-1] != '\n') || (*c != '=' && *c != ':'))
            continue;
        c = skip_blank(c + 1);
        bool list = *c == '[' || *c == '(';
        if (list)
            c = skip_blank(c + 1);
        while (*c == '"') {
            size_t n = strcspn(c + 1, "\"\n");

            if (gp_format(text, sizeof text, "%.*s", (int)n, c + 1))
                add_registry_name(registry, texts_add(&registry->texts, text), id);
            if (!list || c[n + 1] != '"')
                break;
            c = skip_blank(c + n + 2);
        }
    }
}

enum gp_status registry_names(struct registry *registry, const struct registry_name **list,
                              size_t *count, struct gp_err *err)
{
    struct names ids = {0};
    enum gp_status rc = registry->names != NULL ? GP_OK : list_ids(registry, &ids, err);

    for (size_t i = 0; i < ids.count && rc == GP_OK; i++) {
        const char *id = texts_add(&registry->texts, ids.names[i]);

        for (size_t k = 0; k < registry->path->count; k++) {
            char path[GP_PATH_MAX], *bytes;
            size_t len;

            if (!file_of(registry, k, id, path, sizeof path) || !path_is_file(path) ||
                path_read(path, PROFILE_MAX_BYTES, &bytes, &len, NULL) != GP_OK)
                continue;
            for (const char *const *key = registry->class->name_keys; *key != NULL; key++)
                scan_key(registry, bytes, *key, id);
            free(bytes);
        }
        add_registry_name(registry, id, id);
    }
    names_fini(&ids);
    *list = registry->names;
    *count = rc == GP_OK ? registry->name_count : 0;
    return rc;
}

static enum gp_status find_alias(struct registry *registry, const char *text, void **item,
                                 struct gp_err *err)
{
    const struct registry_name *names, *tail = NULL, *other = NULL, *whole = NULL;
    char hint[256];
    size_t count;
    enum gp_status rc = registry_names(registry, &names, &count, err);

    *item = NULL;
    for (size_t i = 0; i < count && whole == NULL; i++) {
        enum match match = alias_match(names[i].name, text);

        if (match == MATCH_WHOLE)
            whole = &names[i];
        else if (match == MATCH_TAIL && tail == NULL)
            tail = &names[i];
        else if (match == MATCH_TAIL && strcmp(names[i].id, tail->id) != 0)
            other = &names[i];
    }
    if (whole == NULL && other != NULL) {
        gp_format(hint, sizeof hint, "use %s or %s", tail->id, other->id);
        return gp_fail(err, GP_E_USAGE, "", hint, "%s '%.80s' is ambiguous", registry->class->what,
                       text);
    }
    if (whole == NULL)
        whole = tail;
    return rc != GP_OK || whole == NULL ? rc : by_name(registry, whole->id, item, err);
}

/* ---- lookup --------------------------------------------------------------------- */

enum gp_status registry_find(struct registry *registry, const char *text, void **item,
                             struct gp_err *err)
{
    char id[160], hint[256];
    struct names names = {0};
    enum gp_status rc = GP_OK;

    *item = NULL;
    if (gp_copy(id, sizeof id, text) && registry_id_ok(id)) {
        rc = by_name(registry, id, item, err);
        for (char *c = id; *c != '\0'; c++)
            *c = gp_lower(*c);
        if (rc == GP_OK && *item == NULL && strcmp(id, text) != 0)
            rc = by_name(registry, id, item, err);
        if (rc != GP_OK || *item != NULL)
            return rc;
    }
    if (text[0] != '\0' && strchr(text, ':') == NULL) /* a tag says a format, too */
        rc = find_alias(registry, text, item, err);
    if (rc == GP_OK && *item == NULL)
        rc = list_ids(registry, &names, err);
    if (rc == GP_OK && *item == NULL) {
        if (!suggest(text, (const char *const *)names.names, names.count, "*", hint, sizeof hint))
            gp_format(hint, sizeof hint, "--list %s shows what there is", registry->class->folder);
        rc = gp_fail(err, GP_E_USAGE, "", hint, "no %s '%.120s'", registry->class->what, text);
    }
    names_fini(&names);
    return rc;
}

bool registry_suggest(const struct registry *registry, const char *text, const char *as, char *hint,
                      size_t size)
{
    struct names names = {0};
    bool found;

    if (list_ids(registry, &names, NULL) != GP_OK)
        return false;
    found = suggest(text, (const char *const *)names.names, names.count, as, hint, size);
    names_fini(&names);
    return found;
}
