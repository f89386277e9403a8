/*
 * hub_cache.c - see hub_cache.h.
 */
#include "model/read/hub_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define REVISION_LIMIT 256

static bool cache_folder(char *dir, size_t size)
{
    const char *cache = getenv("HF_HUB_CACHE"), *home = getenv("HF_HOME");

    if (cache != NULL && cache[0] != '\0')
        return gp_copy(dir, size, cache);
    if (home != NULL && home[0] != '\0')
        return path_join(dir, size, home, "hub");
    home = getenv("HOME");
    return home != NULL && home[0] == '/' && path_join(dir, size, home, ".cache/huggingface/hub");
}

/* A name that stays in its folder. */
static bool is_plain_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL && gp_is_utf8(name);
}

/* The revision that refs/main names, else the only snapshot there is. */
static bool read_revision(const char *dir, struct hub_model *model)
{
    char path[GP_PATH_MAX], *text = NULL, **names;
    size_t len, count;

    if (path_join(path, sizeof path, dir, "refs/main") &&
        path_read(path, REVISION_LIMIT, &text, &len, NULL) == GP_OK)
        gp_format(model->revision, sizeof model->revision, "%.*s", (int)strcspn(text, " \r\n"),
                  text);
    free(text);
    if (model->revision[0] == '\0' && path_join(path, sizeof path, dir, "snapshots") &&
        path_list(path, "", &names, &count, NULL) == GP_OK) {
        if (count == 1)
            gp_copy(model->revision, sizeof model->revision, names[0]);
        path_list_free(names, count);
    }
    return is_plain_name(model->revision);
}

/* "models--org--name" of the cache; false when it holds no whole snapshot. */
static bool read_entry(const char *cache, const char *entry, struct hub_model *model)
{
    char dir[GP_PATH_MAX], config[GP_PATH_MAX];
    const char *org = entry + 8, *split;

    memset(model, 0, sizeof *model);
    if (strncmp(entry, "models--", 8) != 0 || !is_plain_name(entry) ||
        !path_join(dir, sizeof dir, cache, entry) || !read_revision(dir, model))
        return false;
    split = strstr(org, "--");
    if (split == NULL)
        return false;
    return gp_format(model->name, sizeof model->name, "%.*s/%s", (int)(split - org), org,
                     split + 2) &&
           gp_format(model->path, sizeof model->path, "%s/snapshots/%s", dir, model->revision) &&
           path_join(config, sizeof config, model->path, "config.json") && path_is_file(config);
}

bool hub_cache_find(const char *name, struct hub_model *model)
{
    char cache[GP_PATH_MAX], entry[160];
    const char *slash = strchr(name, '/');

    return slash != NULL && strchr(slash + 1, '/') == NULL && cache_folder(cache, sizeof cache) &&
           gp_format(entry, sizeof entry, "models--%.*s--%s", (int)(slash - name), name,
                     slash + 1) &&
           read_entry(cache, entry, model);
}

size_t hub_cache_list(struct hub_model **models)
{
    char cache[GP_PATH_MAX], **names = NULL;
    size_t found = 0, count = 0;

    *models = NULL;
    if (!cache_folder(cache, sizeof cache) || path_list(cache, "", &names, &count, NULL) != GP_OK)
        return 0;
    *models = gp_calloc(HUB_CACHE_MAX, sizeof **models);
    for (size_t i = 0; i < count && found < HUB_CACHE_MAX; i++)
        found += read_entry(cache, names[i], &(*models)[found]);
    path_list_free(names, count);
    return found;
}

/* ---- below a folder ---- */

#define DEPTH 2

struct look {
    char **paths;
    size_t count, cap;
    int left; /* names that may still be looked at */
};

static void look_found(struct look *look, const char *path)
{
    look->paths = gp_grow(look->paths, &look->cap, look->count + 1, sizeof(*look->paths));
    look->paths[look->count++] = gp_strdup(path);
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), len = strlen(suffix);

    return n > len && strcmp(name + n - len, suffix) == 0;
}

/* "model-00002-of-00003.gguf": the first part stands for all. */
static bool is_later_part(const char *name)
{
    const char *of = strstr(name, "-of-");
    unsigned part;

    return of && of - name >= 5 && sscanf(of - 5, "%5u", &part) == 1 && part > 1;
}

static void look_into(struct look *look, const char *folder, int depth)
{
    char **names, path[GP_PATH_MAX];
    size_t count;
    bool model = false;

    if (path_list(folder, "", &names, &count, NULL))
        return;
    for (size_t i = 0; i < count && look->left > 0; i++) {
        look->left--;
        if (!path_join(path, sizeof(path), folder, names[i]) || !gp_is_utf8(path))
            continue;
        if (strcmp(names[i], "config.json") == 0 || ends_in(names[i], ".safetensors"))
            model = model || path_is_file(path);
        else if (ends_in(names[i], ".gguf") && !is_later_part(names[i]))
            look_found(look, path);
        else if (depth > 0 && path_is_dir(path))
            look_into(look, path, depth - 1);
    }
    path_list_free(names, count);
    if (model)
        look_found(look, folder);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t local_models(const char *folder, char ***paths)
{
    struct look look = {.left = LOCAL_MODELS_LOOK};

    look_into(&look, folder, DEPTH);
    if (look.count)
        qsort(look.paths, look.count, sizeof(*look.paths), by_name);
    *paths = look.paths;
    return look.count;
}

static bool home_path(char *path, size_t size, const char *name)
{
    const char *home = getenv("HOME");

    return home != NULL && home[0] == '/' && path_join(path, size, home, name);
}

size_t lmstudio_models(char ***paths)
{
    char folder[GP_PATH_MAX];

    if (home_path(folder, sizeof(folder), ".lmstudio/models") && path_is_dir(folder))
        return local_models(folder, paths);
    if (home_path(folder, sizeof(folder), ".cache/lm-studio/models") && path_is_dir(folder))
        return local_models(folder, paths);
    *paths = NULL;
    return 0;
}

/* The tags of a model of Ollama's library: "llama3.3:70b", "qwen3" for its latest. */
static void look_for_tags(struct look *look, const char *library, const char *name)
{
    char folder[GP_PATH_MAX], text[256], **tags;
    size_t count;

    if (!is_plain_name(name) || !path_join(folder, sizeof(folder), library, name) ||
        path_list(folder, "", &tags, &count, NULL))
        return;
    for (size_t i = 0; i < count && look->left > 0; i++) {
        bool latest = strcmp(tags[i], "latest") == 0;

        look->left--;
        if (is_plain_name(tags[i]) &&
            gp_format(text, sizeof(text), "%s%s%s", name, latest ? "" : ":", latest ? "" : tags[i]))
            look_found(look, text);
    }
    path_list_free(tags, count);
}

size_t ollama_models(char ***names)
{
    struct look look = {.left = LOCAL_MODELS_LOOK};
    char folder[GP_PATH_MAX], library[GP_PATH_MAX], **models;
    const char *given = getenv("OLLAMA_MODELS");
    size_t count;
    bool known = given != NULL && given[0] != '\0'
                     ? gp_copy(folder, sizeof(folder), given)
                     : home_path(folder, sizeof(folder), ".ollama/models");

    if (known &&
        path_join(library, sizeof(library), folder, "manifests/registry.ollama.ai/library") &&
        path_list(library, "", &models, &count, NULL) == GP_OK) {
        for (size_t i = 0; i < count; i++)
            look_for_tags(&look, library, models[i]);
        path_list_free(models, count);
    }
    if (look.count)
        qsort(look.paths, look.count, sizeof(*look.paths), by_name);
    *names = look.paths;
    return look.count;
}

void local_models_free(char **paths, size_t count)
{
    path_list_free(paths, count);
}
