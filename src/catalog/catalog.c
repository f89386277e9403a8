/*
 * catalog.c - the search path, and the profiles found there.
 *
 * GPUs, models, engines and servers are registries (registry.h): one file per id, opened
 * when asked for. Formats are one file, prices one file per provider;
 * each is read whole the first time, because a plan that needs one row needs to see all
 * of them.
 *
 * The program finds its own profiles beside itself (a build tree has a link there), in the
 * installed data directory or built in; newer ones that `gpuplan --data` installed take their
 * place. None is needed when the user names a folder.
 */
#include "catalog/catalog.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/archive.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/suggest.h"
#include "catalog/compiled.h"
#include "catalog/files.h"
#include "catalog/launch_file.h"
#include "catalog/names.h"
#include "catalog/registry.h"

#ifndef GP_PKGDATADIR
#define GP_PKGDATADIR "/usr/local/share/gpuplan"
#endif

struct server_item {
    struct server server; /* first: its id is the item's */
    char aliases[1];      /* servers have none */
};

static void engine_fini(void *item)
{
    free(((struct engine_item *)item)->list.engines);
}

#define ID_SIZE(type) sizeof(((struct type *)0)->id)

enum class { GPUS, FAMILIES, MODELS, ENGINES, LAUNCHES, SERVERS, CLASS_COUNT };

static const char *const alias_key[] = {"aliases", NULL};
static const char *const gpu_keys[] = {"aliases", "nvml_names", "pci_ids", "name", NULL};

static const struct registry_class classes[CLASS_COUNT] = {
    {"gpus", "GPU", sizeof(struct gpu_item), ID_SIZE(gpu), gpu_keys, gpu_file_read, NULL},
    {"families", "GPU family", sizeof(struct family_item), ID_SIZE(family), alias_key,
     family_file_read, NULL},
    {"models", "model", sizeof(struct model_item), ID_SIZE(model), alias_key, model_file_read,
     NULL},
    {"engines", "engine", sizeof(struct engine_item), ID_SIZE(engine_item), alias_key,
     engine_file_read, engine_fini},
    {"launch", "launch table", sizeof(struct launch_engine), ID_SIZE(launch_engine), alias_key,
     launch_file_read, NULL},
    {"servers", "server", sizeof(struct server_item), ID_SIZE(server), alias_key, price_file_server,
     NULL},
};

#define TYPED 16

struct typed_gpu { /* what was typed for a GPU, and all that answer to it, in the order of names */
    char text[64];
    const struct gpu **gpus;
    size_t count, cap;
    size_t likeliest;
};

struct catalog {
    struct search_path path;
    struct data_stamp stamp;     /* of the first folder */
    char not_there[GP_PATH_MAX]; /* a named folder that does not exist */
    const char *named_by;        /* ... and where: --profiles or GPUPLAN_PROFILES */
    struct warn_list warnings;
    struct registry registry[CLASS_COUNT];
    void *pointers[CLASS_COUNT]; /* to the items of a class, for GPUs and models */
    const struct gpu **offered;
    size_t offered_count;
    const struct gpu **sold;
    size_t sold_count, sold_cap;
    bool sold_known;
    struct engine *engine_list;
    size_t engine_count;
    struct server *server_list;
    struct format_list formats;
    struct instance_list instances;
    struct ownership ownership;
    struct name_rules names;
    struct typed_gpu typed[TYPED]; /* the last ones; names do not change */
    size_t typed_next;
    bool formats_read, instances_read, ownership_read, names_read;
};

/* ---- the search path ------------------------------------------------------------ */

static bool add_dir(struct search_path *path, const char *dir)
{
    if (!path_is_dir(dir) || path->count == SEARCH_MAX)
        return false;
    for (size_t i = 0; i < path->count; i++) {
        char *known = realpath(path->dir[i], NULL), *asked = realpath(dir, NULL);
        bool same = known != NULL && asked != NULL && strcmp(known, asked) == 0;

        free(known);
        free(asked);
        if (same)
            return true;
    }
    return gp_copy(path->dir[path->count], sizeof path->dir[0], dir) && ++path->count > 0;
}

static void add_named(struct catalog *catalog, const char *dir, const char *named_by)
{
    if (add_dir(&catalog->path, dir))
        return;
    gp_copy(catalog->not_there, sizeof catalog->not_there, dir);
    catalog->named_by = named_by;
}

struct catalog *catalog_new_path(const char *const *dirs, size_t count)
{
    struct catalog *catalog = gp_calloc(1, sizeof *catalog);

    for (int i = 0; i < CLASS_COUNT; i++)
        catalog->registry[i] = (struct registry){
            .class = &classes[i], .path = &catalog->path, .warnings = &catalog->warnings};
    for (size_t i = 0; i < count; i++)
        add_named(catalog, dirs[i], "--profiles");
    return catalog;
}

/* What came with the program: beside it, installed, or built in. */
static bool find_shipped(char *dir, size_t size)
{
    char program[GP_PATH_MAX];

    if (path_program_dir(program, sizeof program) && path_join(dir, size, program, "profiles") &&
        path_is_dir(dir))
        return true;
    return (gp_copy(dir, size, GP_PKGDATADIR "/profiles") && path_is_dir(dir)) ||
           (gp_copy(dir, size, BUILTIN_ROOT "profiles") && path_is_dir(dir));
}

bool catalog_data_folder(bool system, char *dir, size_t size)
{
    const char *named = getenv("GPUPLAN_DATA");

    if (system)
        return gp_copy(dir, size, named != NULL && named[0] == '/' ? named : "/var/lib/gpuplan");
    return path_data_home(dir, size, "data");
}

/* The newest of what was shipped and what --data installed since; of one day, the former. */
static void add_newest(struct catalog *catalog)
{
    char best[GP_PATH_MAX], dir[GP_PATH_MAX], *day;
    struct data_stamp stamp;

    if (find_shipped(best, sizeof best))
        data_stamp_read(best, &catalog->stamp, NULL);
    else
        best[0] = '\0';
    for (int system = 1; system >= 0; system--) {
        if (!catalog_data_folder(system, dir, sizeof dir) ||
            !gp_append(dir, sizeof dir, "", "/" DATA_CURRENT "/profiles") || !path_is_dir(dir) ||
            data_stamp_read(dir, &stamp, NULL) != GP_OK ||
            strcmp(stamp.date, catalog->stamp.date) <= 0)
            continue;
        day = realpath(dir, NULL); /* another may take its place meanwhile */
        catalog->stamp = stamp;
        gp_copy(best, sizeof best, day != NULL ? day : dir);
        free(day);
    }
    if (best[0] != '\0')
        add_dir(&catalog->path, best);
}

const char *catalog_data_date(const struct catalog *catalog)
{
    return catalog->stamp.date;
}

struct catalog *catalog_new(const char *profiles_dir)
{
    struct catalog *catalog = catalog_new_path(NULL, 0);
    const char *from_env = getenv("GPUPLAN_PROFILES");
    char home[GP_PATH_MAX], own[GP_PATH_MAX];

    add_newest(catalog);
    if (catalog->path.count > 0 && gp_format(own, sizeof own, "%s.compiled", catalog->path.dir[0]))
        catalog->path.compiled = compiled_open(own);
    if (path_data_home(home, sizeof home, "profiles"))
        add_dir(&catalog->path, home);
    if (from_env != NULL && from_env[0] != '\0')
        add_named(catalog, from_env, "GPUPLAN_PROFILES");
    if (profiles_dir != NULL)
        add_named(catalog, profiles_dir, "--profiles");
    return catalog;
}

void catalog_free(struct catalog *catalog)
{
    if (catalog == NULL)
        return;
    for (int i = 0; i < CLASS_COUNT; i++) {
        registry_fini(&catalog->registry[i]);
        free(catalog->pointers[i]);
    }
    free(catalog->offered);
    free(catalog->sold);
    names_fini(&catalog->names);
    for (size_t i = 0; i < TYPED; i++)
        free(catalog->typed[i].gpus);
    for (size_t i = 0; i < catalog->warnings.count; i++)
        free(catalog->warnings.lines[i]);
    free(catalog->warnings.lines);
    free(catalog->engine_list);
    free(catalog->server_list);
    free(catalog->formats.formats);
    free(catalog->instances.instances);
    compiled_free(catalog->path.compiled);
    free(catalog);
}

/* Everything below calls this first. */
static enum gp_status require_folder(const struct catalog *catalog, struct gp_err *err)
{
    if (catalog->not_there[0] != '\0')
        return gp_fail(err, GP_E_USAGE, catalog->named_by, "name a folder that holds profiles",
                       "%.200s is not a folder", catalog->not_there);
    if (catalog->path.count == 0)
        return gp_fail(err, GP_E_FILE, GP_PKGDATADIR "/profiles",
                       "install gpuplan or set GPUPLAN_PROFILES", "no profiles found");
    return GP_OK;
}

static enum gp_status find_item(struct catalog *catalog, enum class class, const char *id,
                                void **item, struct gp_err *err)
{
    enum gp_status rc = require_folder(catalog, err);

    return rc == GP_OK ? registry_find(&catalog->registry[class], id, item, err) : rc;
}

/* The whole class, sorted. */
static enum gp_status find_all(struct catalog *catalog, enum class class,
                               const struct registry **out, struct gp_err *err)
{
    enum gp_status rc = require_folder(catalog, err);

    *out = &catalog->registry[class];
    return rc == GP_OK ? registry_complete(&catalog->registry[class], REGISTRY_ALL, err) : rc;
}

/* ---- formats -------------------------------------------------------------------- */

static int by_format_id(const void *a, const void *b)
{
    return strcmp(((const struct format *)a)->id, ((const struct format *)b)->id);
}

/* A file that each folder may have. */
static enum gp_status read_each(struct catalog *catalog, const char *name, profile_read_fn read,
                                void *target, struct gp_err *err)
{
    enum gp_status rc = require_folder(catalog, err);

    for (size_t i = 0; i < catalog->path.count && rc == GP_OK; i++) {
        char path[GP_PATH_MAX];

        if (path_join(path, sizeof path, catalog->path.dir[i], name) && path_is_there(path))
            rc = profile_read_compiled(path, catalog->path.compiled, read, target, warn_list_add,
                                       &catalog->warnings, err);
    }
    return rc;
}

static enum gp_status read_formats(struct catalog *catalog, struct gp_err *err)
{
    enum gp_status rc;

    if (catalog->formats_read)
        return require_folder(catalog, err);
    rc = read_each(catalog, "formats.cfg", format_file_read, &catalog->formats, err);
    if (rc == GP_OK && catalog->formats.count > 0)
        qsort(catalog->formats.formats, catalog->formats.count, sizeof(struct format),
              by_format_id);
    catalog->formats_read = rc == GP_OK;
    return rc;
}

/* The id or other name of a format that is nearest to a text. */
static void suggest_format(const struct format_list *list, const char *text, char *hint,
                           size_t size)
{
    struct format *own = gp_calloc(list->count + 1, sizeof *own); /* whose names are cut apart */
    const char **names = gp_calloc(list->count * (sizeof own->aliases + 1) + 1, sizeof *names);
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        char *rest;

        own[i] = list->formats[i];
        names[count++] = own[i].id;
        for (char *name = strtok_r(own[i].aliases, "|", &rest); name != NULL;
             name = strtok_r(NULL, "|", &rest))
            names[count++] = name;
    }
    const char *near = suggest_name(text, names, count);

    gp_format(hint, size, near ? "did you mean %s?" : "see gpuplan --list formats", near);
    free(names);
    free(own);
}

enum gp_status catalog_format(struct catalog *catalog, const char *id, const struct format **format,
                              struct gp_err *err)
{
    const struct format_list *list = &catalog->formats;
    enum gp_status rc = read_formats(catalog, err);
    char hint[256];

    *format = NULL;
    if (rc != GP_OK)
        return rc;
    for (size_t i = 0; i < list->count && *format == NULL; i++)
        if (gp_casecmp(list->formats[i].id, id) == 0)
            *format = &list->formats[i];
    for (size_t i = 0; i < list->count && *format == NULL; i++)
        if (alias_match(list->formats[i].aliases, id) == MATCH_WHOLE)
            *format = &list->formats[i];
    if (*format != NULL)
        return GP_OK;
    suggest_format(list, id, hint, sizeof hint);
    return gp_fail(err, GP_E_USAGE, "", hint, "no format '%.80s'", id);
}

/* ---- by id ---------------------------------------------------------------------- */

/* *family stays as it is where there is no such profile. */
static enum gp_status family_of(struct catalog *catalog, const char *id,
                                const struct family **family, struct gp_err *err)
{
    struct gp_err unknown = {0};
    void *item = NULL;
    enum gp_status rc = registry_find(&catalog->registry[FAMILIES], id, &item, &unknown);

    if (item != NULL)
        *family = &((struct family_item *)item)->family;
    if (rc == GP_OK || rc == GP_E_USAGE)
        return GP_OK;
    *err = unknown;
    return rc;
}

/* What a sheet leaves out is assumed in a band: the generation, and the 16-bit arithmetic by the
 * bandwidth. */
enum gp_status catalog_gpu_family(struct catalog *catalog, struct gpu *gpu, struct gp_err *err)
{
    const struct family *unknown = NULL;
    bool rated = gpu->rate[MATH_BF16].known || gpu->rate[MATH_FP16].known;
    enum gp_status rc = GP_OK;

    if (gpu->memory_only || (gpu->family != NULL && rated))
        return GP_OK;
    if (gpu->family == NULL)
        rc = family_of(catalog, gpu->family_id, &gpu->family, err);
    if (rc == GP_OK && (gpu->family == NULL || !rated))
        rc = family_of(catalog, FAMILY_UNKNOWN, &unknown, err);
    if (gpu->family == NULL)
        gpu->family = unknown;
    if (rc != GP_OK || rated || unknown == NULL || !gpu->bandwidth.known)
        return rc;
    const struct quantity *w = &gpu->bandwidth, *f = &unknown->flop_per_byte;
    gpu->rate[MATH_BF16] = gpu->rate[MATH_FP16] =
        quantity_band(w->value * f->value, w->low * f->low, w->high * f->high, ORIGIN_ASSUMED);
    return GP_OK;
}

static enum gp_status read_names(struct catalog *catalog, struct gp_err *err)
{
    enum gp_status rc = catalog->names_read ? GP_OK
                                            : read_each(catalog, "names.cfg", names_file_read,
                                                        &catalog->names, err);

    catalog->names_read = rc == GP_OK;
    return rc;
}

#define MEMORY_BAND 0.05            /* "24GB" of a card of 23.99 GiB */
#define ANY_FORM "PCIe SXM OAM MXM" /* before the GPU itself is read */

/* How well a GPU answers to what was typed, by the best of its names: 0, not at all. */
static int gpu_answers(struct catalog *catalog, const struct gpu_words *typed,
                       const struct registry_name *name, const struct gpu **gpu)
{
    struct registry *registry = &catalog->registry[GPUS];
    void *item = NULL;

    if (name_gpu_match(&catalog->names, typed, name->name, ANY_FORM, 0) == 0 ||
        registry_find(registry, name->id, &item, NULL) != GP_OK)
        return 0;
    *gpu = item;
    if (typed->gb > 0 && fabs(typed->gb * 1e9 / (*gpu)->memory_marketed - 1) > MEMORY_BAND)
        return 0;
    return name_gpu_match(&catalog->names, typed, name->name, (*gpu)->form_factor,
                          (*gpu)->memory_marketed / 1e9);
}

/* Of two that answer as well: one of its own file before those of sets, there the first, as the
 * desktop card stands before the laptop's; else the one with more memory, then more bandwidth. */
static bool is_likelier_gpu(const struct gpu *one, const struct gpu *than)
{
    if (one->in_set)
        return false;
    if (than->in_set || one->memory_marketed != than->memory_marketed)
        return than->in_set || one->memory_marketed > than->memory_marketed;
    return one->bandwidth.value > than->bandwidth.value;
}

/* All GPUs whose names say the same otherwise, each once. */
static enum gp_status match_gpus(struct catalog *catalog, const char *text,
                                 const struct typed_gpu **out, struct gp_err *err)
{
    struct typed_gpu *t = &catalog->typed[catalog->typed_next % TYPED];
    const struct registry_name *names;
    enum gp_status rc = read_names(catalog, err);
    struct gpu_words typed;
    size_t count = 0;
    double nearest = 0;
    int closest = 0;

    for (size_t i = 0; i < TYPED; i++)
        if (catalog->typed[i].text[0] != '\0' && strcmp(catalog->typed[i].text, text) == 0) {
            *out = &catalog->typed[i];
            return rc;
        }
    *out = t;
    t->text[0] = '\0';
    t->count = 0;
    if (rc == GP_OK)
        rc = registry_names(&catalog->registry[GPUS], &names, &count, err);
    name_gpu_words(&catalog->names, text, &typed);
    for (size_t i = 0; i < count && rc == GP_OK; i++) {
        const struct gpu *one;
        int match = gpu_answers(catalog, &typed, &names[i], &one);
        size_t at = 0;

        if (match == 0)
            continue;
        while (at < t->count && t->gpus[at] != one)
            at++;
        if (at == t->count) {
            t->gpus = gp_grow(t->gpus, &t->cap, t->count + 1, sizeof *t->gpus);
            t->gpus[t->count++] = one;
        }
        double apart = typed.gb > 0 ? fabs(typed.gb * 1e9 - one->memory_marketed) : 0;
        if (match > closest ||
            (match == closest &&
             (apart < nearest ||
              (apart == nearest && is_likelier_gpu(one, t->gpus[t->likeliest]))))) {
            t->likeliest = at;
            nearest = apart;
        }
        closest = match > closest ? match : closest;
    }
    if (rc == GP_OK && gp_copy(t->text, sizeof t->text, text))
        catalog->typed_next++;
    else
        t->text[0] = '\0';
    return rc;
}

void catalog_gpu_namesakes(struct catalog *catalog, const char *text, const char *id,
                           struct strbuf *out)
{
    const struct typed_gpu *typed;

    if (match_gpus(catalog, text, &typed, NULL) != GP_OK)
        return;
    for (size_t i = 0; i < typed->count; i++)
        if (strcmp(typed->gpus[i]->id, id) != 0)
            strbuf_addf(out, "%s%s", out->len > 0 ? ", " : "", typed->gpus[i]->id);
}

enum gp_status catalog_gpu(struct catalog *catalog, const char *id, const struct gpu **gpu,
                           struct gp_err *err)
{
    const struct typed_gpu *typed = NULL;
    void *item = NULL;
    enum gp_status rc = find_item(catalog, GPUS, id, &item, NULL);

    if (rc == GP_E_USAGE)
        rc = match_gpus(catalog, id, &typed, err);
    else if (rc != GP_OK)
        rc = find_item(catalog, GPUS, id, &item, err);
    if (typed != NULL && rc == GP_OK && typed->count > 0)
        item = (void *)typed->gpus[typed->likeliest];
    if (rc == GP_OK && item == NULL) /* what is near takes long to find: asked for last */
        rc = err != NULL ? find_item(catalog, GPUS, id, &item, err) : GP_E_USAGE;
    if (rc == GP_OK)
        rc = catalog_gpu_family(catalog, item, err);
    *gpu = rc == GP_OK ? item : NULL; /* items begin with what they hold */
    return rc;
}

enum gp_status catalog_family(struct catalog *catalog, const char *id, const struct family **family,
                              struct gp_err *err)
{
    void *item = NULL;
    enum gp_status rc = find_item(catalog, FAMILIES, id, &item, err);

    *family = item;
    return rc;
}

bool catalog_suggest_gpu(struct catalog *catalog, const char *text, const char *as, char *hint,
                         size_t size)
{
    return require_folder(catalog, NULL) == GP_OK &&
           registry_suggest(&catalog->registry[GPUS], text, as, hint, size);
}

enum gp_status catalog_model(struct catalog *catalog, const char *id, const struct model **model,
                             struct gp_err *err)
{
    void *item = NULL;
    enum gp_status rc = find_item(catalog, MODELS, id, &item, err);

    *model = item;
    return rc;
}

const char *catalog_base_models(struct catalog *catalog, const char *model_id)
{
    void *item = NULL;

    if (find_item(catalog, MODELS, model_id, &item, NULL) != GP_OK)
        return "";
    return ((struct model_item *)item)->base;
}

/* Two of one size: what a name says is rounded. */
#define SIZE_BAND 0.03

enum gp_status catalog_read_name(struct catalog *catalog, const char *text,
                                 struct name_reading *out, struct gp_err *err)
{
    const struct registry_name *names;
    enum gp_status rc = read_names(catalog, err);
    const struct model *model;
    size_t count;

    *out = (struct name_reading){.id = NULL};
    if (rc == GP_OK)
        rc = read_formats(catalog, err);
    if (rc == GP_OK)
        rc = registry_names(&catalog->registry[MODELS], &names, &count, err);
    if (rc != GP_OK ||
        !name_read_model(&catalog->names, names, count, catalog->formats.formats,
                         catalog->formats.count, text, out) ||
        out->id == NULL || out->size == 0)
        return rc;
    rc = catalog_model(catalog, out->id, &model, err);
    if (rc == GP_OK && fabs(out->size * 1e9 / model_params(model) - 1) > SIZE_BAND)
        out->id = NULL;
    return rc;
}

void catalog_near_models(struct catalog *catalog, const char *text, char *hint, size_t size)
{
    const struct registry_name *names;
    const char **asked, *near;
    size_t count, ids = 0, tails = 0;

    hint[0] = '\0';
    if (require_folder(catalog, NULL) != GP_OK ||
        registry_names(&catalog->registry[MODELS], &names, &count, NULL) != GP_OK)
        return;
    asked = gp_calloc(count + 1, sizeof *asked);
    for (size_t i = 0; i < count; i++) /* the first letter of a family is rarely the wrong one */
        if (names[i].name == names[i].id && /* "30b-a3b" leaves the family out */
            (isdigit((unsigned char)text[0]) || gp_lower(names[i].id[0]) == gp_lower(text[0])))
            asked[ids++] = names[i].id;
    if (!suggest(text, asked, ids, "*", hint, size)) { /* a name of it that is no id */
        for (size_t i = 0; i < count; i++) {
            const char *slash = strrchr(names[i].name, '/');

            if (slash != NULL && gp_lower(slash[1]) == gp_lower(text[0]))
                asked[tails++] = slash + 1;
        }
        near = suggest_name(text, asked, tails);
        for (size_t i = 0; i < count && near != NULL; i++)
            if (near > names[i].name && near < names[i].name + strlen(names[i].name))
                gp_format(hint, size, "did you mean %s?", names[i].id);
    }
    free(asked);
}

const char *catalog_aliases(struct catalog *catalog, const char *model_id)
{
    void *item = NULL;

    if (find_item(catalog, MODELS, model_id, &item, NULL) != GP_OK)
        return "";
    return ((struct model_item *)item)->aliases;
}

/* ---- engines -------------------------------------------------------------------- */

/* A single range over all versions takes any version. */
static enum gp_status pick_range(const struct engine_list *list, const char *version,
                                 const struct engine **engine, struct gp_err *err)
{
    long number = engine_version(version, ENGINE_LAST_PATCH);
    struct strbuf hint;

    strbuf_init(&hint);
    for (size_t i = 0; i < list->count; i++) {
        const struct engine *one = &list->engines[i];

        if (number >= one->from && number <= one->until)
            *engine = one;
        strbuf_addf(&hint, "%s%s", i == 0 ? "known versions: " : ", ", one->range);
    }
    if (*engine == NULL && number < 0)
        gp_fail(err, GP_E_USAGE, "--engine", "write it as in vllm@0.19", "'%.40s' is not a version",
                version);
    else if (*engine == NULL)
        gp_fail(err, GP_E_USAGE, "--engine", hint.text, "no figures for %s %.40s",
                list->engines[0].name, version);
    strbuf_fini(&hint);
    return *engine != NULL ? GP_OK : GP_E_USAGE;
}

void catalog_engine_id(const struct engine *e, char *text, size_t size)
{
    long version = e->from > 0 ? e->from : e->until < LONG_MAX ? e->until : 0;
    long minor = version / 10000, patch = version % 10000;

    if (version == 0)
        gp_copy(text, size, e->id);
    else if (minor / 10000 >= 1000) /* builds, not versions */
        gp_format(text, size, "%s@b%ld", e->id, minor / 10000);
    else if (patch == 0 || patch == ENGINE_LAST_PATCH)
        gp_format(text, size, "%s@%ld.%ld", e->id, minor / 10000, minor % 10000);
    else
        gp_format(text, size, "%s@%ld.%ld.%ld", e->id, minor / 10000, minor % 10000, patch);
}

/* A misspelled word would refuse a format without a reason that can be found. */
static enum gp_status check_formats(struct catalog *catalog, const char *words, const char *at,
                                    struct gp_err *err)
{
    enum gp_status rc = read_formats(catalog, err);
    size_t len;

    for (const char *p = words; *p != '\0' && rc == GP_OK; p += len + (p[len] == '|')) {
        char word[FORMAT_ID_MAX];
        bool found = false;

        len = strcspn(p, "|");
        gp_format(word, sizeof word, "%.*s", (int)len, p);
        for (size_t i = 0; i < catalog->formats.count && !found && len < sizeof word; i++)
            found = strcmp(catalog->formats.formats[i].id, word) == 0 ||
                    strcmp(catalog->formats.formats[i].family, word) == 0;
        if (!found)
            rc = gp_fail(err, GP_E_FILE, at, "see gpuplan --list formats",
                         "'%.*s' is no format and no family of formats", (int)(len < 80 ? len : 80),
                         p);
    }
    return rc;
}

static enum gp_status check_engine(struct catalog *catalog, struct engine_item *item,
                                   struct gp_err *err)
{
    const struct engine *e = item->list.engines;
    enum gp_status rc = GP_OK;

    for (size_t i = 0; i < item->list.count && !item->checked && rc == GP_OK; i++)
        if (i == 0 || strcmp(e[i].weight_formats, e[i - 1].weight_formats) != 0)
            rc = check_formats(catalog, e[i].weight_formats, item->formats_at, err);
    item->checked = rc == GP_OK;
    return rc;
}

enum gp_status catalog_engine(struct catalog *catalog, const char *name,
                              const struct engine **engine, struct gp_err *err)
{
    const char *at = strchr(name, '@');
    size_t len = at != NULL ? (size_t)(at - name) : strlen(name);
    const struct engine_list *list;
    enum gp_status rc;
    void *item = NULL;
    char id[96];

    *engine = NULL;
    gp_format(id, sizeof id, "%.*s", (int)(len < sizeof id ? len : sizeof id - 1), name);
    rc = find_item(catalog, ENGINES, id, &item, err);
    if (rc == GP_OK)
        rc = check_engine(catalog, item, err);
    if (rc != GP_OK)
        return rc;
    list = &((struct engine_item *)item)->list;
    if (at != NULL)
        return pick_range(list, at + 1, engine, err);
    *engine = &list->engines[list->count - 1];
    return GP_OK;
}

const struct engine *catalog_engine_before(struct catalog *catalog, const struct engine *engine)
{
    void *item = NULL;

    if (find_item(catalog, ENGINES, engine->id, &item, NULL) != GP_OK)
        return NULL;
    return engine > ((struct engine_item *)item)->list.engines ? engine - 1 : NULL;
}

enum gp_status catalog_launch(struct catalog *catalog, const char *id,
                              const struct launch_engine **launch, struct gp_err *err)
{
    void *item = NULL;
    enum gp_status rc = find_item(catalog, LAUNCHES, id, &item, err);

    *launch = item;
    return rc;
}

/* ---- whole classes -------------------------------------------------------------- */

/* The items of a class, which begin with the structs that callers read. */
static enum gp_status list_pointers(struct catalog *catalog, enum class class, void **list,
                                    size_t *count, struct gp_err *err)
{
    const struct registry *registry;
    enum gp_status rc = find_all(catalog, class, &registry, err);

    *list = NULL;
    *count = 0;
    if (rc != GP_OK)
        return rc;
    if (catalog->pointers[class] == NULL) {
        catalog->pointers[class] = gp_calloc(registry->count + 1, sizeof(void *));
        if (registry->count > 0)
            memcpy(catalog->pointers[class], registry->items, registry->count * sizeof(void *));
    }
    *list = catalog->pointers[class];
    *count = registry->count;
    return GP_OK;
}

enum gp_status catalog_gpus(struct catalog *catalog, const struct gpu *const **list, size_t *count,
                            struct gp_err *err)
{
    void *items;
    enum gp_status rc = list_pointers(catalog, GPUS, &items, count, err);

    *list = items;
    for (size_t i = 0; i < *count && rc == GP_OK; i++)
        rc = catalog_gpu_family(catalog, ((void **)items)[i], err);
    return rc;
}

enum gp_status catalog_gpus_offered(struct catalog *catalog, const struct gpu *const **list,
                                    size_t *count, struct gp_err *err)
{
    struct registry *registry = &catalog->registry[GPUS];
    enum gp_status rc = require_folder(catalog, err);

    if (rc == GP_OK)
        rc = registry_complete(registry, REGISTRY_FILES, err);
    if (rc == GP_OK && catalog->offered == NULL) {
        catalog->offered = gp_calloc(registry->count + 1, sizeof(struct gpu *));
        for (size_t i = 0; i < registry->count && rc == GP_OK; i++) {
            struct gpu *gpu = registry->items[i];

            if (gpu->in_set)
                continue;
            rc = catalog_gpu_family(catalog, gpu, err);
            catalog->offered[catalog->offered_count++] = gpu;
        }
    }
    *list = catalog->offered;
    *count = rc == GP_OK ? catalog->offered_count : 0;
    return rc;
}

static int by_gpu_id(const void *a, const void *b)
{
    return strcmp((*(const struct gpu *const *)a)->id, (*(const struct gpu *const *)b)->id);
}

static bool is_sold(const struct catalog *catalog, const char *id)
{
    for (size_t i = 0; i < catalog->sold_count; i++)
        if (catalog->sold[i]->id[0] == id[0] && strcmp(catalog->sold[i]->id, id) == 0)
            return true;
    return false;
}

enum gp_status catalog_gpus_sold(struct catalog *catalog, const struct gpu *const **list,
                                 size_t *count, struct gp_err *err)
{
    const struct instance *rows;
    size_t n;
    enum gp_status rc = catalog_instances(catalog, &rows, &n, err);

    if (rc != GP_OK)
        return catalog_gpus_offered(catalog, list, count, err);
    for (size_t i = 0; i < n && !catalog->sold_known; i++) {
        struct gpu *gpu;
        void *item = NULL;

        if ((i > 0 && strcmp(rows[i].gpu, rows[i - 1].gpu) == 0) || is_sold(catalog, rows[i].gpu))
            continue;
        rc = find_item(catalog, GPUS, rows[i].gpu, &item, NULL);
        if (rc != GP_OK && rc != GP_E_USAGE) /* a wrong file is said where all are read */
            return catalog_gpus_offered(catalog, list, count, err);
        if (item == NULL)
            continue;
        gpu = item;
        if (gpu->in_set || strcmp(gpu->id, rows[i].gpu) != 0 ||
            catalog_gpu_family(catalog, gpu, err) != GP_OK)
            continue;
        catalog->sold = gp_grow(catalog->sold, &catalog->sold_cap, catalog->sold_count + 1,
                                sizeof *catalog->sold);
        catalog->sold[catalog->sold_count++] = gpu;
    }
    if (catalog->sold_count > 0)
        qsort(catalog->sold, catalog->sold_count, sizeof *catalog->sold, by_gpu_id);
    catalog->sold_known = true;
    *list = catalog->sold;
    *count = catalog->sold_count;
    return GP_OK;
}

enum gp_status catalog_families(struct catalog *catalog, const struct family *const **list,
                                size_t *count, struct gp_err *err)
{
    void *items;
    enum gp_status rc = list_pointers(catalog, FAMILIES, &items, count, err);

    *list = items;
    return rc;
}

enum gp_status catalog_models(struct catalog *catalog, const struct model *const **list,
                              size_t *count, struct gp_err *err)
{
    void *items;
    enum gp_status rc = list_pointers(catalog, MODELS, &items, count, err);

    *list = items;
    return rc;
}

bool catalog_models_ahead(struct catalog *catalog, size_t most)
{
    return require_folder(catalog, NULL) == GP_OK &&
           registry_read_ahead(&catalog->registry[MODELS], most);
}

enum gp_status catalog_formats(struct catalog *catalog, const struct format **list, size_t *count,
                               struct gp_err *err)
{
    enum gp_status rc = read_formats(catalog, err);

    *list = rc == GP_OK ? catalog->formats.formats : NULL;
    *count = rc == GP_OK ? catalog->formats.count : 0;
    return rc;
}

enum gp_status catalog_engines(struct catalog *catalog, const struct engine **list, size_t *count,
                               struct gp_err *err)
{
    const struct registry *registry;
    enum gp_status rc = find_all(catalog, ENGINES, &registry, err);

    *list = NULL;
    *count = 0;
    for (size_t i = 0; rc == GP_OK && i < registry->count; i++)
        rc = check_engine(catalog, registry->items[i], err);
    if (rc != GP_OK)
        return rc;
    for (size_t i = 0, cap = 0, all = catalog->engine_count; all == 0 && i < registry->count; i++) {
        const struct engine_list *ranges = &((struct engine_item *)registry->items[i])->list;

        catalog->engine_list =
            gp_grow(catalog->engine_list, &cap, catalog->engine_count + ranges->count,
                    sizeof *catalog->engine_list);
        for (size_t j = 0; j < ranges->count; j++)
            catalog->engine_list[catalog->engine_count++] = ranges->engines[j];
    }
    *list = catalog->engine_list;
    *count = catalog->engine_count;
    return GP_OK;
}

enum gp_status catalog_servers(struct catalog *catalog, const struct server **list, size_t *count,
                               struct gp_err *err)
{
    const struct registry *registry;
    enum gp_status rc = find_all(catalog, SERVERS, &registry, err);

    *list = NULL;
    *count = 0;
    if (rc != GP_OK)
        return rc;
    if (catalog->server_list == NULL) {
        catalog->server_list = gp_calloc(registry->count + 1, sizeof *catalog->server_list);
        for (size_t i = 0; i < registry->count; i++)
            catalog->server_list[i] = ((struct server_item *)registry->items[i])->server;
    }
    *list = catalog->server_list;
    *count = registry->count;
    return GP_OK;
}

/* ---- prices --------------------------------------------------------------------- */

/* The prices of a folder; of --version, which passes a date, the newest date alone, by a look at
 * the texts. */
static enum gp_status read_prices(struct catalog *catalog, size_t at, char date[16],
                                  struct gp_err *err)
{
    char dir[GP_PATH_MAX], path[GP_PATH_MAX], **names = NULL, *text;
    size_t count = 0, len;
    enum gp_status rc = GP_OK;

    if (path_join(dir, sizeof dir, catalog->path.dir[at], "prices"))
        rc = path_list(dir, ".cfg", &names, &count, err);
    catalog->instances.user = at > 0;
    for (size_t i = 0; i < count && rc == GP_OK; i++) {
        if (strcmp(names[i], "ownership.cfg") == 0 || !path_join(path, sizeof path, dir, names[i]))
            continue;
        if (date == NULL) {
            rc = profile_read_compiled(path, catalog->path.compiled, price_file_read,
                                       &catalog->instances, warn_list_add, &catalog->warnings, err);
            continue;
        }
        rc = path_read(path, PROFILE_MAX_BYTES, &text, &len, err);
        if (rc != GP_OK)
            break;
        for (const char *p = text; (p = strstr(p, "date = \"")); p++)
            if (strncmp(p + 8, date, 10) > 0)
                gp_format(date, 16, "%.10s", p + 8);
        free(text);
    }
    path_list_free(names, count);
    return rc;
}

void catalog_version(const char *profiles_dir, struct strbuf *out)
{
    struct catalog *catalog = catalog_new(profiles_dir);
    struct gp_err err = {0};
    enum gp_status rc = require_folder(catalog, &err);
    char date[16] = "";

    for (size_t at = 0; at < catalog->path.count && rc == GP_OK; at++)
        rc = read_prices(catalog, at, date, &err);
    if (rc == GP_OK)
        strbuf_addf(out, "catalogue    %s, data of %s, prices up to %s\n", catalog->path.dir[0],
                    catalog->stamp.date[0] ? catalog->stamp.date : "no date", date);
    else
        strbuf_addf(out, "catalogue    %s: %s\n", err.where, err.text);
    catalog_free(catalog);
}

static int by_offer(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;
    int order = strcmp(x->provider, y->provider);

    if (order == 0)
        order = strcmp(x->type, y->type);
    return order != 0 ? order : strcmp(x->region, y->region);
}

enum gp_status catalog_instances(struct catalog *catalog, const struct instance **list,
                                 size_t *count, struct gp_err *err)
{
    struct instance_list *rows = &catalog->instances;
    enum gp_status rc = require_folder(catalog, err);

    *list = NULL;
    *count = 0;
    if (!catalog->instances_read) {
        for (size_t i = 0; i < catalog->path.count && rc == GP_OK; i++)
            rc = read_prices(catalog, i, NULL, err);
        if (rc == GP_OK && rows->count > 0)
            qsort(rows->instances, rows->count, sizeof *rows->instances, by_offer);
        if (rc != GP_OK)
            rows->count = 0; /* asked again, they are read again */
        catalog->instances_read = rc == GP_OK;
    }
    if (rc != GP_OK)
        return rc;
    *list = rows->instances;
    *count = rows->count;
    return GP_OK;
}

enum gp_status catalog_ownership(struct catalog *catalog, const struct ownership **own,
                                 struct gp_err *err)
{
    enum gp_status rc = require_folder(catalog, err);
    bool found = catalog->ownership_read;

    *own = NULL;
    for (size_t i = 0; i < catalog->path.count && rc == GP_OK && !found; i++) {
        char path[GP_PATH_MAX];

        if (!path_join(path, sizeof path, catalog->path.dir[i], "prices/ownership.cfg") ||
            !path_is_there(path))
            continue;
        rc = profile_read_compiled(path, catalog->path.compiled, price_file_ownership,
                                   &catalog->ownership, warn_list_add, &catalog->warnings, err);
        catalog->ownership_read = rc == GP_OK;
    }
    if (rc != GP_OK)
        return rc;
    if (!catalog->ownership_read)
        return gp_fail(err, GP_E_FILE, "prices/ownership.cfg", "it belongs in the profiles folder",
                       "is not found");
    *own = &catalog->ownership;
    return GP_OK;
}

/* ---- GPUs by what they are sold in ---------------------------------------------- */

/* "DGX H100": the largest server whose name begins so. */
static const struct server *find_server(struct catalog *catalog, const char *text)
{
    const struct server *list, *best = NULL;
    size_t count;

    if (!strpbrk(text, "0123456789") || catalog_servers(catalog, &list, &count, NULL) != GP_OK)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (list[i].gpus > 0 && list[i].gpu_ids[0] &&
            (name_begins(text, list[i].id) || name_begins(text, list[i].name)) &&
            (!best || list[i].gpus > best->gpus))
            best = &list[i];
    return best;
}

#define SYSTEM_GPUS 8 /* of an HGX board or a DGX that has no profile of its own */

/* Where " MIG 1g.10gb" stands in nvidia-smi's name, or "-MIG-1g.10gb" in a node's label; NULL. */
static const char *find_mig(const char *text)
{
    for (const char *at = text; (at = strcasestr(at, "mig")) != NULL; at++)
        if (at > text && strchr(" -/", at[-1]) && at[3] && strchr(" -", at[3]) &&
            isdigit((unsigned char)at[4]))
            return at - 1;
    return NULL;
}

bool catalog_gpu_is_slice(const char *text)
{
    return find_mig(text) != NULL;
}

int catalog_vgpu_memory(const char *text)
{
    const char *dash = strrchr(text, '-');
    char *end;
    long gb = dash && isdigit((unsigned char)dash[1]) ? strtol(dash + 1, &end, 10) : 0;

    /* an Ascend-910C is none */
    return gb > 0 && gb < 500 && *end && strchr("QCqc", *end) && !end[1] ? (int)gb : 0;
}

bool catalog_gpu_reading(struct catalog *catalog, const char *text, char *reading, size_t size)
{
    const struct instance *instances;
    const struct registry_name *names;
    const struct server *server;
    const struct gpu *gpu;
    const char *mig = find_mig(text), *colon = strrchr(text, ':');
    char plain[160], known[NAME_WORDS_MAX];
    size_t count;
    int times = colon ? atoi(colon + 1) : 0;

    if (times < 1 || times > 1000 || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        colon = NULL;
    if (!gp_format(plain, sizeof plain, "%.*s",
                   (int)(colon ? (size_t)(colon - text) : strlen(text)), text))
        return false;
    times = colon ? times : 1;
    if (mig != NULL) {
        gp_format(plain, sizeof plain, "%.*s", (int)(mig - text), text);
        return catalog_gpu(catalog, plain, &gpu, NULL) == GP_OK &&
               gp_format(reading, size, "%s/%.*s%s", gpu->id,
                         (int)strcspn(mig + strlen(" MIG "), " :"), mig + strlen(" MIG "),
                         colon ? colon : "");
    }
    char machine[64];
    if (catalog_instances(catalog, &instances, &count, NULL) == GP_OK)
        for (size_t i = 0; i < count; i++)
            if (!instances[i].per_gpu && name_same_machine(instances[i].type, plain))
                return gp_format(reading, size, "%s:%d", instances[i].gpu,
                                 instances[i].gpu_count * times);
    if (read_names(catalog, NULL) == GP_OK && name_gpu_machine(&catalog->names, plain, machine))
        return gp_format(reading, size, "%.*s:%d", (int)strcspn(machine, ":"), machine,
                         atoi(strchr(machine, ':') + 1) * times);
    const char *bare = plain + (strncasecmp(plain, "NVIDIA ", 7) == 0 ? 7 : 0);
    server = find_server(catalog, plain);
    if (server == NULL && bare != plain)
        server = find_server(catalog, bare);
    if (server != NULL)
        return gp_format(reading, size, "%.*s:%d", (int)strcspn(server->gpu_ids, "|"),
                         server->gpu_ids, server->gpus * times);
    if ((strncasecmp(bare, "HGX ", 4) == 0 || strncasecmp(bare, "DGX ", 4) == 0) &&
        catalog_gpu(catalog, bare + 4, &gpu, NULL) == GP_OK)
        return gp_format(reading, size, "%s:%d", gpu->id, SYSTEM_GPUS * times);
    bool ready = read_names(catalog, NULL) == GP_OK &&
                 registry_names(&catalog->registry[GPUS], &names, &count, NULL) == GP_OK;
    /* chips that are sold with several memories: "MacBook Pro M3 Max 36GB" */
    char *memory = plain + strlen(plain);
    while (memory > plain && memory[-1] != ' ' && memory[-1] != '-')
        memory--;
    const char joint = memory > plain ? memory[-1] : '\0';
    if (ready && joint && isdigit((unsigned char)memory[0]) &&
        (joint == ' ' || strcasestr(memory, "gb"))) { /* m4-max-32 is of 32 cores */
        memory[-1] = '\0';
        if (catalog_gpu(catalog, plain, &gpu, NULL) == GP_OK ||
            !name_gpu_known(&catalog->names, names, count, plain, known))
            gp_copy(known, sizeof known, plain);
        if (catalog_gpu(catalog, known, &gpu, NULL) == GP_OK && strcmp(gpu->vendor, "apple") == 0)
            return fabs(atof(memory) * 1e9 / gpu->memory_marketed - 1) < MEMORY_BAND
                       ? gp_format(reading, size, "%s%s", gpu->id, colon ? colon : "")
                       : gp_format(reading, size, "%s:%s%s%s", gpu->id, memory,
                                   memory[strspn(memory, "0123456789.")] ? "" : "gb",
                                   colon ? colon : "");
        memory[-1] = joint;
    }
    const char *slash = strchr(plain, '/'); /* "nvidia/h100" */
    if (ready && slash != NULL) {
        gp_format(known, sizeof known, "%.*s", (int)(slash - plain), plain);
        for (char *c = known; *c != '\0'; c++)
            *c = gp_lower(*c);
        if (gp_has_word(catalog->names.gpu_ignored, "|", known) &&
            catalog_gpu(catalog, slash + 1, &gpu, NULL) == GP_OK)
            return gp_format(reading, size, "%s%s", gpu->id, colon ? colon : "");
    }
    if (strpbrk(text, "+/") && strchr(text, ' ') && !strchr(text, ':') && /* Max+ 395 */
        catalog_gpu(catalog, text, &gpu, NULL) == GP_OK)
        return gp_copy(reading, size, gpu->id);
    if (ready && isdigit((unsigned char)text[0])) { /* 5080 mobile */
        name_gpu_in_full(&catalog->names, text, known);
        if (catalog_gpu(catalog, known, &gpu, NULL) == GP_OK)
            return gp_copy(reading, size, gpu->id);
    }
    const char *plus = strchr(text, '+'); /* Nitro+ and no "rtx-5090+foo"; an id is misspelt */
    return ready && name_counted(text, &times) == NULL && /* "Dual" is a series of cards, too */
           (strchr(text, '[') || !strpbrk(text, strchr(text, ' ') ? ":@" : ":/@")) &&
           (!plus || plus[1] == ' ' || (!plus[1] && strchr(text, ' '))) &&
           name_gpu_known(&catalog->names, names, count, text, known) &&
           catalog_gpu(catalog, known, &gpu, NULL) == GP_OK && gp_copy(reading, size, known);
}

const char *catalog_near_instance(struct catalog *catalog, const char *text)
{
    const struct instance *list;
    const char *near = NULL, **types;
    size_t count, same = 0;

    if (!(strpbrk(text, "._") || strstr(text, "gpu")) ||
        catalog_instances(catalog, &list, &count, NULL) != GP_OK)
        return NULL;
    types = gp_calloc(count + 1, sizeof *types);
    for (size_t i = 0; i < count; i++)
        types[i] = list[i].type;
    near = suggest_name(text, types, count);
    free(types);
    while (near && near[same] && gp_lower(near[same]) == gp_lower(text[same]))
        same++;
    return same >= 3 && 2 * same >= strlen(text) / 2 ? near : NULL;
}

/* ---- files that are read by others ---------------------------------------------- */

static bool find_file(struct catalog *catalog, const char *folder, const char *id,
                      const char *suffix, char *path, size_t size)
{
    char name[GP_PATH_MAX];

    if (require_folder(catalog, NULL) || !registry_id_ok(id) ||
        !gp_format(name, sizeof name, "%s/%s%s", folder, id, suffix))
        return false;
    for (size_t at = catalog->path.count; at-- > 0;)
        if (path_join(path, size, catalog->path.dir[at], name) && path_is_file(path))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t catalog_names(struct catalog *catalog, const char *folder, const char *suffix, char ***names)
{
    char dir[GP_PATH_MAX];
    size_t count = 0, cap = 0, kept = 0;

    *names = NULL;
    for (size_t at = 0; at < catalog->path.count && !require_folder(catalog, NULL); at++) {
        char **files = NULL;
        size_t here = 0;

        if (!path_join(dir, sizeof dir, catalog->path.dir[at], folder) ||
            path_list(dir, suffix, &files, &here, NULL) != GP_OK)
            continue;
        *names = gp_grow(*names, &cap, count + here + 1, sizeof **names);
        for (size_t i = 0; i < here; i++) {
            files[i][strlen(files[i]) - strlen(suffix)] = '\0';
            (*names)[count++] = gp_strdup(files[i]);
        }
        path_list_free(files, here);
    }
    if (count > 0)
        qsort(*names, count, sizeof **names, by_name);
    for (size_t i = 0; i < count; i++) /* each once, of whatever folder */
        if (kept > 0 && strcmp((*names)[kept - 1], (*names)[i]) == 0)
            free((*names)[i]);
        else
            (*names)[kept++] = (*names)[i];
    return kept;
}

bool catalog_template(struct catalog *catalog, const char *id, char *path, size_t size)
{
    return find_file(catalog, "launch", id, ".tmpl", path, size);
}

enum gp_status catalog_file(struct catalog *catalog, const char *folder, const char *what,
                            const char *id, char *path, size_t size, struct gp_err *err)
{
    char **names, hint[256] = "";
    size_t count;
    enum gp_status rc = require_folder(catalog, err);

    if (rc != GP_OK || find_file(catalog, folder, id, ".cfg", path, size))
        return rc;
    count = catalog_names(catalog, folder, ".cfg", &names);
    if (!suggest(id, (const char *const *)names, count, "*", hint, sizeof hint)) {
        gp_copy(hint, sizeof hint, "a file, or one of: ");
        for (size_t i = 0; i < count; i++)
            gp_append(hint, sizeof hint, i ? ", " : "", "%s", names[i]);
    }
    path_list_free(names, count);
    return gp_fail(err, GP_E_USAGE, "", hint, "no %s '%.100s'", what, id);
}

enum gp_status catalog_check(struct catalog *catalog, struct gp_err *err)
{
    const struct instance *instances;
    const struct registry *registry;
    const struct format *formats;
    const struct ownership *own;
    size_t count;
    enum gp_status rc = catalog_formats(catalog, &formats, &count, err);

    for (int i = 0; i < CLASS_COUNT && rc == GP_OK; i++)
        rc = find_all(catalog, i, &registry, err);
    if (rc == GP_OK)
        rc = catalog_instances(catalog, &instances, &count, err);
    if (rc == GP_OK)
        rc = catalog_ownership(catalog, &own, err);
    return rc == GP_OK ? read_names(catalog, err) : rc;
}

size_t catalog_warnings(struct catalog *catalog, const char *const **lines)
{
    struct warn_list *list = &catalog->warnings;
    size_t fresh = list->count - list->taken;

    *lines = (const char *const *)(list->lines != NULL ? list->lines + list->taken : NULL);
    list->taken = list->count;
    return fresh;
}
