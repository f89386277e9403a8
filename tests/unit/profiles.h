/*
 * profiles.h - the shipped profiles, for tests that ask them rather than hand-built
 * structs, and the folder of reference tables beside the source tree, if there is one.
 */
#ifndef GP_TESTS_PROFILES_H
#define GP_TESTS_PROFILES_H

#include "catalog/catalog.h"
#include "plan/request.h"

#include "unit.h"

static inline const char *source_dir(void)
{
    const char *dir = getenv("srcdir");
    return dir && *dir ? dir : ".";
}

/* <source tree>/<name>, in a buffer that the next call overwrites. */
static inline const char *source_path(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof(path), "%s/%s", source_dir(), name);
    return path;
}

static inline struct catalog *open_profiles(void)
{
    const char *dir = source_path("profiles");
    struct catalog *catalog = catalog_new_path(&dir, 1);
    assert_non_null(catalog);
    return catalog;
}

static inline const struct model *profile_model(struct catalog *catalog, const char *id)
{
    const struct model *model = NULL;
    struct gp_err err = {0};
    if (catalog_model(catalog, id, &model, &err) != GP_OK)
        fail_msg("%s: %s: %s", id, err.where, err.text);
    return model;
}

static inline const struct gpu *profile_gpu(struct catalog *catalog, const char *id)
{
    const struct gpu *gpu = NULL;
    struct gp_err err = {0};
    if (catalog_gpu(catalog, id, &gpu, &err) != GP_OK)
        fail_msg("%s: %s: %s", id, err.where, err.text);
    return gpu;
}

static inline const struct engine *profile_engine(struct catalog *catalog, const char *name)
{
    const struct engine *engine = NULL;
    struct gp_err err = {0};
    if (catalog_engine(catalog, name, &engine, &err) != GP_OK)
        fail_msg("%s: %s: %s", name, err.where, err.text);
    return engine;
}

static inline const struct format *profile_format(struct catalog *catalog, const char *id)
{
    const struct format *format = NULL;
    struct gp_err err = {0};
    if (catalog_format(catalog, id, &format, &err) != GP_OK)
        fail_msg("%s: %s: %s", id, err.where, err.text);
    return format;
}

/* A format asked for: the roles it keeps stay in BF16. */
static inline struct precision profile_precision(struct catalog *catalog, const char *id)
{
    struct precision p = {.weight = profile_format(catalog, id),
                          .base = profile_format(catalog, "bf16")};
    snprintf(p.id, sizeof(p.id), "%s", id);
    for (int r = 0; r < ROLE_COUNT; r++)
        p.by_role[r] = p.weight->keep_roles >> r & 1 ? p.base : p.weight;
    return p;
}

/* A table of the folder named by GPUPLAN_SHARED, else ../shared; NULL without it. */
static inline FILE *open_shared(const char *name)
{
    const char *dir = getenv("GPUPLAN_SHARED");
    char path[4096];
    if (dir && *dir)
        snprintf(path, sizeof(path), "%s/%s", dir, name);
    else
        snprintf(path, sizeof(path), "%s/../shared/%s", source_dir(), name);
    return fopen(path, "r");
}

/* One CSV row (RFC 4180, no line breaks inside) into fields of `line`, in place. */
static inline int csv_split(char *line, char *fields[], int most)
{
    int count = 0;
    char *at = line;
    line[strcspn(line, "\r\n")] = '\0';
    while (count < most) {
        char *to = at, *from = at;
        bool quoted = *from == '"';
        fields[count++] = at;
        from += quoted;
        while (*from && (quoted || *from != ',')) {
            if (quoted && *from == '"' && *++from != '"') {
                quoted = false;
                continue;
            }
            *to++ = *from++;
        }
        bool more = *from == ',';
        at = from + 1;
        *to = '\0';
        if (!more)
            break;
    }
    return count;
}

static inline int csv_column(char *const fields[], int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i], name) == 0)
            return i;
    fail_msg("no column %s", name);
    return -1;
}

#endif
