/*
 * catalog_class.c - how the items of each class are read and what they must have.
 *
 * Each class is a row for registry.c: the folder, the word in messages, where the aliases
 * are, and the two functions that read a file and check the result.
 */
#include "catalog/catalog_class.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/gpu_file.h"
#include "catalog/model_file.h"
#include "catalog/price_file.h"
#include "util/str.h"

static enum gp_status read_gpu(const char *path, void *item, struct warn_list *warnings,
                               struct gp_err *err)
{
    struct gpu_item *it = item;

    return gpu_file_read(path, &it->gpu, it->aliases, sizeof it->aliases, warn_list_add,
                         warnings, err);
}

static enum gp_status check_gpu(const char *path, const void *item, struct gp_err *err)
{
    const struct gpu_item *it = item;

    return gpu_file_check(path, &it->gpu, err);
}

static enum gp_status read_model(const char *path, void *item,
                                 struct warn_list *warnings, struct gp_err *err)
{
    struct model_item *it = item;

    return model_file_read(path, &it->model, it->aliases, sizeof it->aliases,
                           warn_list_add, warnings, err);
}

/* What contradicts itself is named with its file. */
static enum gp_status check_model(const char *path, const void *item,
                                  struct gp_err *err)
{
    const struct model_item *it = item;
    struct gp_err inner;
    char where[192];

    memset(&inner, 0, sizeof inner);
    if (model_check(&it->model, &inner) == GP_OK)
        return GP_OK;
    gp_format(where, sizeof where, "%s%s%s", path, inner.where[0] != '\0' ? ": " : "",
              inner.where);
    return gp_fail(err, GP_E_FILE, where, inner.hint, "%s", inner.text);
}

static enum gp_status read_engine(const char *path, void *item,
                                  struct warn_list *warnings, struct gp_err *err)
{
    struct engine_item *it = item;

    return engine_file_read(path, it->id, &it->list, it->aliases, sizeof it->aliases,
                            warn_list_add, warnings, err);
}

static enum gp_status check_engine(const char *path, const void *item,
                                   struct gp_err *err)
{
    const struct engine_item *it = item;
    char where[192];

    if (it->list.count > 0)
        return GP_OK;
    gp_format(where, sizeof where, "%s: ranges", path);
    return gp_fail(err, GP_E_FILE, where, "an engine needs at least one version range",
                   "is missing");
}

static void fini_engine(void *item)
{
    struct engine_item *it = item;

    free(it->list.engines);
}

static enum gp_status read_server(const char *path, void *item,
                                  struct warn_list *warnings, struct gp_err *err)
{
    struct server_item *it = item;

    return price_file_server(path, &it->server, warn_list_add, warnings, err);
}

static enum gp_status check_server(const char *path, const void *item,
                                   struct gp_err *err)
{
    (void)path;
    (void)item;
    (void)err;
    return GP_OK; /* price_file_server has seen to it */
}

const struct registry_class catalog_gpu_class = {
    .folder = "gpus",
    .what = "GPU",
    .size = sizeof(struct gpu_item),
    .id_size = sizeof((struct gpu *)0)->id,
    .alias_offset = offsetof(struct gpu_item, aliases),
    .read = read_gpu,
    .check = check_gpu,
};

const struct registry_class catalog_model_class = {
    .folder = "models",
    .what = "model",
    .size = sizeof(struct model_item),
    .id_size = sizeof((struct model *)0)->id,
    .alias_offset = offsetof(struct model_item, aliases),
    .read = read_model,
    .check = check_model,
};

const struct registry_class catalog_engine_class = {
    .folder = "engines",
    .what = "engine",
    .size = sizeof(struct engine_item),
    .id_size = sizeof((struct engine_item *)0)->id,
    .alias_offset = offsetof(struct engine_item, aliases),
    .read = read_engine,
    .check = check_engine,
    .fini = fini_engine,
};

const struct registry_class catalog_server_class = {
    .folder = "servers",
    .what = "server",
    .size = sizeof(struct server_item),
    .id_size = sizeof((struct server *)0)->id,
    .alias_offset = offsetof(struct server_item, aliases),
    .read = read_server,
    .check = check_server,
};
