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

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONFIG_LIMIT (16u << 20)

/* ---- the profile ---- */

/* ", sha256 ba78..." of the config.json that was read; "" when there is none. */
static enum gp_status add_hash(const char *path, char *text, size_t size, struct gp_err *err)
{
    char config[GP_PATH_MAX], hex[65], *bytes = NULL;

    text[0] = '\0';
    if (path_is_dir(path) ? !path_join(config, sizeof config, path, "config.json")
                          : !gp_copy(config, sizeof config, path))
        return GP_OK;
    size_t len = strlen(config);
    if (len <= 5 || strcmp(config + len - 5, ".json") != 0 || !path_is_there(config))
        return GP_OK;
    enum gp_status rc = path_read(config, CONFIG_LIMIT, &bytes, &len, err);
    if (!rc) {
        sha256_hex(bytes, len, hex);
        gp_format(text, size, ", sha256 %s", hex);
    }
    free(bytes);
    return rc;
}

static enum gp_status import_run(struct invocation *in, struct gp_err *err)
{
    struct hub_model hub = {.name = ""};
    struct model model;
    time_t now = (time_t)planner_today(in->planner) * 86400;
    struct tm day;
    const char *path = in->args[0], *date = in->arg_count == 2 ? in->args[1] : NULL;
    char hash[96], id[MODEL_ID_MAX];

    if (date && date_days(date) < 0)
        return gp_fail(err, GP_E_USAGE, date, "a date looks like 2026-11-21", "is not a date");
    if (in->format != OUTPUT_TEXT)
        return gp_fail(err, GP_E_USAGE, "--format", "leave it out", "a profile has one format");
    if (!path_is_there(path) && hub_cache_find(path, &hub))
        path = hub.path;
    enum gp_status rc = checkpoint_read(path, &model, err);
    if (!rc)
        rc = add_hash(path, hash, sizeof hash, err);
    if (rc)
        return rc;
    if (hub.name[0])
        gp_format(model.source, sizeof model.source,
                  "%s of the hub's cache, revision "
                  "%s%s",
                  hub.name, hub.revision, hash);
    else
        gp_format(model.source, sizeof model.source, "%.160s%s", path, hash);
    if (date)
        gp_copy(model.date, sizeof model.date, date);
    else if (!gmtime_r(&now, &day) || !strftime(model.date, sizeof(model.date), "%Y-%m-%d", &day))
        model.date[0] = '\0';
    gp_copy(id, sizeof(id), path_name(model.name));
    for (char *c = id; *c; c++) /* an id may be a file's name */
        *c = strchr("abcdefghijklmnopqrstuvwxyz0123456789.-", gp_lower(*c)) ? gp_lower(*c) : '-';
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
    .least = 1,
    .most = 2,
    .takes = "a model's folder, its config.json, a GGUF file, or the name of a model in the hub's "
             "local cache",
    .example = "PATH|ORG/NAME [DATE]",
    .run = import_run,
};
