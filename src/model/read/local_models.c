/*
 * local_models.c - see local_models.h.
 */
#include "model/read/local_models.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define DEPTH 2

struct look {
    char **paths;
    size_t count, cap;
    int left; /* names that may still be looked at */
};

static void found(struct look *look, const char *path)
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
            found(look, path);
        else if (depth > 0 && path_is_dir(path))
            look_into(look, path, depth - 1);
    }
    path_list_free(names, count);
    if (model)
        found(look, folder);
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

void local_models_free(char **paths, size_t count)
{
    path_list_free(paths, count);
}
