/*
 * cmd_import_model.c - gpuplan --import-model PATH|ORG/NAME [DATE]: a model profile from
 * a folder, a config.json, a GGUF file or a model in the hub's local cache.
 *
 * The source says where it was read and what it was: the revision of a snapshot, else
 * the SHA-256 of its config.json or of the file's name alone for GGUF. Without DATE the
 * profile carries the day on which it is made.
 */
#include "base/clock.h"
#include "base/path.h"
#include "base/sha256.h"
#include "catalog/files.h"
#include "cli/command.h"
#include "model/read/checkpoint.h"
#include "model/read/hub_cache.h"
#include "plan/cost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONFIG_LIMIT (16u << 20)

/* ", sha256 ba78..." of the config.json that was read; "" when there is none. */
static void add_hash(const char *path, char *text, size_t size)
{
    char config[GP_PATH_MAX], hex[65], *bytes = NULL;
    size_t len;

    text[0] = '\0';
    if (path_is_dir(path) ? !path_join(config, sizeof config, path, "config.json")
                          : !gp_copy(config, sizeof config, path))
        return;
    len = strlen(config);
    if (len > 5 && strcmp(config + len - 5, ".json") == 0 &&
        path_read(config, CONFIG_LIMIT, &bytes, &len, NULL) == GP_OK) {
        sha256_hex(bytes, len, hex);
        gp_format(text, size, ", sha256 %s", hex);
    }
    free(bytes);
}

static void write_day(long days, char *date, size_t size)
{
    time_t now = (time_t)days * 86400;
    struct tm day;

    if (gmtime_r(&now, &day) == NULL || strftime(date, size, "%Y-%m-%d", &day) == 0)
        date[0] = '\0';
}

/* An id that may be a file's name: lower case, what is no letter or digit is '-'. */
static void file_id(const char *name, char *id, size_t size)
{
    const char *last = strrchr(name, '/');
    size_t n = 0;

    for (const char *c = last ? last + 1 : name; *c && n + 1 < size; c++)
        id[n++] =
            strchr("abcdefghijklmnopqrstuvwxyz0123456789.-", gp_lower(*c)) ? gp_lower(*c) : '-';
    id[n] = '\0';
}

static enum gp_status arguments(const struct invocation *in, const char **date, struct gp_err *err)
{
    *date = NULL;
    if (in->arg_count < 1 || in->arg_count > 2)
        return gp_fail(err, GP_E_USAGE, "--import-model", "PATH|ORG/NAME [DATE]",
                       "takes a model's folder, its config.json, a GGUF file, or the "
                       "name of a model in the hub's local cache");
    if (in->arg_count == 2)
        *date = in->args[1];
    if (*date && date_days(*date) < 0)
        return gp_fail(err, GP_E_USAGE, *date, "a date looks like 2026-11-21", "is not a date");
    if (in->format != OUTPUT_TEXT)
        return gp_fail(err, GP_E_USAGE, "--format", "leave it out", "a profile has one format");
    return GP_OK;
}

static enum gp_status run(struct invocation *in, struct gp_err *err)
{
    struct hub_model hub = {.name = ""};
    struct model model;
    const char *date, *path = NULL;
    char hash[96], id[MODEL_ID_MAX];
    enum gp_status rc = arguments(in, &date, err);

    if (rc)
        return rc;
    path = in->args[0];
    if (!path_is_there(path) && hub_cache_find(path, &hub))
        path = hub.path;
    rc = reader_model(path, &model, err);
    if (rc)
        return rc;
    add_hash(path, hash, sizeof hash);
    if (hub.name[0])
        gp_format(model.source, sizeof model.source,
                  "%s of the hub's cache, revision "
                  "%s%s",
                  hub.name, hub.revision, hash);
    else
        gp_format(model.source, sizeof model.source, "%.160s%s", path, hash);
    if (date)
        gp_copy(model.date, sizeof model.date, date);
    else
        write_day(planner_today(in->planner), model.date, sizeof model.date);
    file_id(model.name, id, sizeof id);
    strbuf_addf(&in->out,
                "# %.0f parameters.\n"
                "# Put this file at $XDG_DATA_HOME/gpuplan/profiles/models/%s.cfg\n"
                "# (XDG_DATA_HOME is ~/.local/share unless set), then: --model %s\n\n",
                model_params(&model), id, id);
    model_file_write(&model, &in->out);
    return GP_OK;
}

const struct command cmd_import_model = {
    .name = "import-model",
    .usage = "PATH|ORG/NAME [DATE]",
    .brief = "a model profile from a folder, config.json, GGUF file or the hub's cache",
    .bit = FOR_IMPORT_MODEL,
    .run = run,
};
