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
#define SET_SUFFIX ".set"
#define ID_MAX 255 /* bytes */
#define NAME_MAX_BYTES 159

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
    free(registry->sets);
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

static bool is_set(const char *id)
{
    size_t len = strlen(id), end = strlen(SET_SUFFIX);

    return len > end && strcmp(id + len - end, SET_SUFFIX) == 0;
}

/* The next id = "..." that begins a line; NULL: there is none. */
static const char *next_id(const char *bytes, const char *at, size_t *len)
{
    for (; (at = strstr(at, "id")) != NULL; at += 2) {
        const char *before = at, *value = at + 2;

        while (before > bytes && before[-1] != '\n' && strchr(" \t({,", before[-1]))
            before--;
        value += strspn(value, " \t=:");
        if ((before > bytes && before[-1] != '\n') || *value++ != '"')
            continue;
        *len = strcspn(value, "\"\n");
        return value;
    }
    return NULL;
}

/* The ids of a set, by a look at the lines that begin with one: to parse it would cost more than
 * a whole plan. */
static void add_set(struct registry *registry, size_t dir, const char *file)
{
    char path[GP_PATH_MAX], *bytes;
    size_t len;

    if (!gp_format(path, sizeof path, "%s/%s/%s", registry->path->dir[dir], registry->class->folder,
                   file) ||
        path_read(path, PROFILE_MAX_BYTES, &bytes, &len, NULL) != GP_OK)
        return;
    file = texts_add(&registry->texts, file);
    for (const char *id = bytes; (id = next_id(bytes, id, &len)) != NULL; id += len) {
        if (len > ID_MAX)
            continue;
        registry->sets = gp_grow(registry->sets, &registry->set_cap, registry->set_count + 1,
                                 sizeof *registry->sets);
        registry->sets[registry->set_count++] = (struct registry_set){
            .id = texts_addn(&registry->texts, id, len), .file = file, .dir = dir};
    }
    free(bytes);
}

/* Which ids are in which sets; looked for once. */
static void know_sets(struct registry *registry)
{
    for (size_t i = 0; i < registry->path->count && !registry->sets_known; i++) {
        char dir[GP_PATH_MAX], **files = NULL;
        size_t count = 0;

        if (!path_join(dir, sizeof dir, registry->path->dir[i], registry->class->folder) ||
            path_list(dir, SET_SUFFIX SUFFIX, &files, &count, NULL) != GP_OK)
            continue;
        for (size_t j = 0; j < count; j++)
            add_set(registry, i, files[j]);
        path_list_free(files, count);
    }
    registry->sets_known = true;
}

/* Of that folder of the search path; "": its id is in none. */
static const char *set_of(struct registry *registry, size_t dir, const char *id)
{
    know_sets(registry);
    for (size_t i = 0; i < registry->set_count; i++)
        if (registry->sets[i].dir == dir && registry->sets[i].id[0] == id[0] &&
            strcmp(registry->sets[i].id, id) == 0)
            return registry->sets[i].file;
    return "";
}

/* Reads the item from every folder that has it but those of `without`, a bit for each. *item
 * stays NULL when none has; *last: the folder read last. */
static enum gp_status load_from(struct registry *registry, const char *id, unsigned without,
                                size_t *last, void **item, struct gp_err *err)
{
    const struct registry_class *class = registry->class;
    char path[GP_PATH_MAX];
    enum gp_status rc = GP_OK;
    void *fresh = NULL;

    *item = NULL;
    *last = 0;
    if (strlen(id) >= class->id_size || is_set(id))
        return GP_OK;
    for (size_t i = 0; i < registry->path->count && rc == GP_OK; i++) {
        const struct compiled *compiled = registry->path->compiled;
        const char *set = "";

        if (without >> i & 1)
            continue;
        bool file = file_of(registry, i, id, path, sizeof path) && path_is_there(path);
        if (!file &&
            (*(set = set_of(registry, i, id)) == '\0' ||
             !gp_format(path, sizeof path, "%s/%s/%s", registry->path->dir[i], class->folder, set)))
            continue;
        *last = i;
        if (fresh == NULL) {
            fresh = gp_calloc(1, class->size);
            gp_copy(fresh, class->id_size, id);
        }
        if (file)
            rc = profile_read_compiled(path, compiled, class->read, fresh, warn_list_add,
                                       registry->warnings, err);
        else
            rc = profile_read_item(path, compiled, id, class->read, fresh, warn_list_add,
                                   registry->warnings, err);
    }
    if (rc != GP_OK || fresh == NULL) {
        if (fresh != NULL)
            registry_item_free(class, fresh);
        return rc;
    }
    registry->items =
        gp_grow(registry->items, &registry->cap, registry->count + 1, sizeof *registry->items);
    registry->items[registry->count++] = fresh;
    *item = fresh;
    return GP_OK;
}

static enum gp_status load_item(struct registry *registry, const char *id, void **item,
                                struct gp_err *err)
{
    size_t last;

    return load_from(registry, id, 0, &last, item, err);
}

/* The same for a list, where one file of the user's that is wrong is warned of and left out. */
static enum gp_status load_listed(struct registry *registry, const char *id, struct gp_err *err)
{
    struct gp_err wrong;
    char why[GP_ERR_LINE], line[GP_ERR_LINE + 16];
    unsigned without = 0;
    size_t last;
    void *item;

    while (load_from(registry, id, without, &last, &item, &wrong) != GP_OK) {
        if (last == 0) {
            if (err != NULL)
                *err = wrong;
            return wrong.code;
        }
        without |= 1u << last;
        gp_format(line, sizeof line, "warning: %s: not used", gp_err_line(&wrong, why));
        warn_list_add(registry->warnings, line);
    }
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

/* len of the file's name are the id. */
static void add_name(struct names *names, const char *dir, const char *file, size_t len)
{
    char id[ID_MAX + 1], line[GP_PATH_MAX];
    bool whole = len <= ID_MAX;

    memcpy(id, file, whole ? len : ID_MAX);
    id[whole ? len : ID_MAX] = '\0';
    if (!whole || !registry_id_ok(id)) {
        gp_format(line, sizeof line,
                  "%s/%s: skipped: an id may hold only letters, digits and . _ + -", dir, file);
        if (names->warnings != NULL)
            warn_list_add(names->warnings, line);
        return;
    }
    if (is_set(id))
        return;
    names->names = gp_grow(names->names, &names->cap, names->count + 1, sizeof *names->names);
    names->names[names->count++] = gp_strdup(id);
}

/* Sorted, each once. */
static void sort_once(struct names *names)
{
    size_t kept = 0;

    if (names->count > 0)
        qsort(names->names, names->count, sizeof *names->names, by_text);
    for (size_t i = 0; i < names->count; i++)
        if (kept > 0 && strcmp(names->names[kept - 1], names->names[i]) == 0)
            free(names->names[i]);
        else
            names->names[kept++] = names->names[i];
    names->count = kept;
}

static enum gp_status list_ids(struct registry *registry, enum registry_extent extent,
                               struct names *names, struct gp_err *err)
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
            add_name(names, dir, files[j], strlen(files[j]) - strlen(SUFFIX));
        path_list_free(files, count);
    }
    if (extent == REGISTRY_ALL)
        know_sets(registry);
    for (size_t i = 0; extent == REGISTRY_ALL && i < registry->set_count; i++)
        add_name(names, registry->sets[i].file, registry->sets[i].id, strlen(registry->sets[i].id));
    sort_once(names);
    return GP_OK;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(id_of(*(void *const *)a), id_of(*(void *const *)b));
}

enum gp_status registry_complete(struct registry *registry, enum registry_extent extent,
                                 struct gp_err *err)
{
    struct names names = {.warnings = registry->warnings};
    enum gp_status rc;

    if (registry->complete >= extent)
        return GP_OK;
    rc = list_ids(registry, extent, &names, err);
    if (rc != GP_OK)
        return rc;
    for (size_t i = 0; i < names.count && rc == GP_OK; i++)
        if (in_memory(registry, names.names[i]) == NULL)
            rc = load_listed(registry, names.names[i], err);
    names_fini(&names);
    if (rc != GP_OK)
        return rc;
    if (registry->count > 0)
        qsort(registry->items, registry->count, sizeof *registry->items, by_id);
    registry->complete = extent;
    return GP_OK;
}

bool registry_read_ahead(struct registry *registry, size_t most)
{
    struct names names = {0};
    enum gp_status rc = GP_OK;
    size_t read = 0;
    void *item;

    if (registry->complete == REGISTRY_ALL ||
        list_ids(registry, REGISTRY_ALL, &names, NULL) != GP_OK)
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
        const char *c = skip_blank(at + len), *before = at;

        while (before > bytes && (before[-1] == ' ' || before[-1] == '\t'))
            before--;
        if ((before > bytes && before[-1] != '\n') || (*c != '=' && *c != ':'))
            continue;
        c = skip_blank(c + 1);
        bool list = *c == '[' || *c == '(';
        if (list)
            c = skip_blank(c + 1);
        while (*c == '"') {
            size_t n = strcspn(c + 1, "\"\n");

            if (n <= NAME_MAX_BYTES)
                add_registry_name(registry, texts_addn(&registry->texts, c + 1, n), id);
            if (!list || c[n + 1] != '"')
                break;
            c = skip_blank(c + n + 2);
        }
    }
}

static void scan_keys(struct registry *registry, const char *bytes, const char *id)
{
    for (const char *const *key = registry->class->name_keys; *key != NULL; key++)
        scan_key(registry, bytes, *key, id);
}

/* Of a set: each item's keys stand between its id and the next one's. */
static void scan_set(struct registry *registry, char *bytes)
{
    size_t len = 0, next_len = 0;
    const char *id = next_id(bytes, bytes, &len), *next;

    for (; id != NULL; id = next, len = next_len) {
        next = next_id(bytes, id + len, &next_len);
        char *end = bytes + (next != NULL ? (size_t)(next - bytes) : strlen(bytes)), kept = *end;

        *end = '\0';
        if (len <= ID_MAX)
            scan_keys(registry, id + len, texts_addn(&registry->texts, id, len));
        *end = kept;
    }
}

static void scan_sets(struct registry *registry)
{
    const struct registry_set *last = NULL;

    know_sets(registry);
    for (size_t i = 0; i < registry->set_count; i++) {
        const struct registry_set *set = &registry->sets[i];
        char path[GP_PATH_MAX], *bytes;
        size_t len;

        if (last != NULL && last->file == set->file) /* the same text: one pointer a file */
            continue;
        last = set;
        if (!gp_format(path, sizeof path, "%s/%s/%s", registry->path->dir[set->dir],
                       registry->class->folder, set->file) ||
            path_read(path, PROFILE_MAX_BYTES, &bytes, &len, NULL) != GP_OK)
            continue;
        scan_set(registry, bytes);
        free(bytes);
    }
}

enum gp_status registry_names(struct registry *registry, const struct registry_name **list,
                              size_t *count, struct gp_err *err)
{
    struct names ids = {0}, files = {0};
    enum gp_status rc =
        registry->names != NULL ? GP_OK : list_ids(registry, REGISTRY_ALL, &ids, err);
    size_t at = 0;

    if (ids.count > 0 && rc == GP_OK)
        rc = list_ids(registry, REGISTRY_FILES, &files, err);
    for (size_t i = 0; i < ids.count && rc == GP_OK; i++) {
        const char *id = texts_add(&registry->texts, ids.names[i]);
        bool file = at < files.count && strcmp(files.names[at], id) == 0;

        at += file;
        for (size_t k = 0; file && k < registry->path->count; k++) {
            char path[GP_PATH_MAX], *bytes;
            size_t len;

            if (!file_of(registry, k, id, path, sizeof path) || !path_is_file(path) ||
                path_read(path, PROFILE_MAX_BYTES, &bytes, &len, NULL) != GP_OK)
                continue;
            scan_keys(registry, bytes, id);
            free(bytes);
        }
        add_registry_name(registry, id, id);
    }
    if (ids.count > 0)
        scan_sets(registry);
    names_fini(&ids);
    names_fini(&files);
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
    for (size_t i = 0; i < REGISTRY_FOUND; i++)
        if (registry->found[i].id != NULL && strcmp(registry->found[i].text, text) == 0)
            return by_name(registry, registry->found[i].id, item, err);
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
    if (rc != GP_OK || whole == NULL)
        return rc;
    struct registry_found *found = &registry->found[registry->found_next++ % REGISTRY_FOUND];
    found->id = gp_copy(found->text, sizeof found->text, text) ? whole->id : NULL;
    return by_name(registry, whole->id, item, err);
}

/* ---- lookup --------------------------------------------------------------------- */

/* The nearest ids, of files first: sets hold many that are hardly different. */
bool registry_suggest(struct registry *registry, const char *text, const char *as, char *hint,
                      size_t size)
{
    bool found = false;

    for (int extent = REGISTRY_FILES; extent <= REGISTRY_ALL && !found; extent++) {
        struct names names = {0};

        if (list_ids(registry, (enum registry_extent)extent, &names, NULL) != GP_OK)
            return false;
        found = suggest(text, (const char *const *)names.names, names.count, as, hint, size);
        names_fini(&names);
    }
    return found;
}

enum gp_status registry_find(struct registry *registry, const char *text, void **item,
                             struct gp_err *err)
{
    char id[160], hint[256];
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
    if (rc == GP_OK && *item == NULL && err == NULL) /* nobody reads what is near */
        return GP_E_USAGE;
    if (rc == GP_OK && *item == NULL) {
        if (!registry_suggest(registry, text, "*", hint, sizeof hint))
            gp_format(hint, sizeof hint, "--list %s shows what there is", registry->class->folder);
        rc = gp_fail(err, GP_E_USAGE, "", hint, "no %s '%.120s'", registry->class->what, text);
    }
    return rc;
}
