/* session_options.c - see session_options.h. */
#include "measure/session_options.h"

#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "measure/journal.h"
#include "measure/session.h"
#include "measure/session_device.h"

/* Of a command alone: what it prints, its exit code, its files. */
static const enum option_id of_command[] = {OPT_DRY_RUN,  OPT_RESUME,  OPT_STRICT,   OPT_TOLERANCE,
                                            OPT_EXPECT,   OPT_PROM,    OPT_PROGRESS, OPT_SORT,
                                            OPT_PROFILES, OPT_FORMAT,  OPT_OUT,      OPT_WHY,
                                            OPT_QUIET,    OPT_VERBOSE, OPT_HELP,     OPT_VERSION};

bool session_measures_by(enum option_id id)
{
    for (size_t i = 0; i < sizeof(of_command) / sizeof(of_command[0]); i++)
        if (id == of_command[i])
            return false;
    return option_rows[id].commands & FOR_BENCH;
}

/* ---- into the journal ---- */

static json_t *texts_json(const char *const *texts, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, gp_json_text(texts[i]));
    return list;
}

static json_t *value_json(const struct options *options, enum option_id id)
{
    const struct option_value *value = &options->value[id];

    switch (id) {
    case OPT_MODEL:
        return texts_json(options->models, options->model_count);
    case OPT_PRECISION:
        return texts_json(options->precisions, options->precision_count);
    case OPT_GPU:
        return texts_json(options->gpus, options->gpu_count);
    default:
        return value->text ? gp_json_text(value->text) : gp_json_number(value->number);
    }
}

json_t *session_options_json(const struct options *options, const char *tests)
{
    json_t *json = json_object(), *kept = json_object();

    for (int id = 0; id < OPTION_COUNT; id++)
        if (options->value[id].given && session_measures_by((enum option_id)id))
            json_object_set_new(kept, option_rows[id].name,
                                value_json(options, (enum option_id)id));
    json_object_set_new(json, "tests", json_string(tests));
    json_object_set_new(json, "options", kept);
    return json;
}

/* ---- out of it ---- */

static enum gp_status recall_value(struct options *options, enum option_id id, const char *where,
                                   const json_t *value, struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    const json_t *item;
    size_t i;

    if (json_is_number(value))
        return options_number(options, id, where, json_number_value(value), err);
    if (json_is_string(value))
        return options_text(options, id, where, json_string_value(value), err);
    if (!json_is_array(value) || !option_rows[id].many)
        return gp_fail(err, GP_E_FILE, where, "", "is not the value of an option");
    json_array_foreach(value, i, item)
    {
        if (!rc && json_is_string(item))
            rc = options_text(options, id, where, json_string_value(item), err);
    }
    return rc;
}

enum gp_status session_options_recall(struct options *options, char *tests, size_t size,
                                      json_t **header, struct gp_err *err)
{
    const char *path = options_word(options, OPT_RESUME, NULL), *name;
    const json_t *run;
    json_t *value;
    enum gp_status rc;
    char where[GP_PATH_MAX];

    if (!path || !path_is_there(path)) /* session_files_name says so */
        return GP_OK;
    json_decref(*header);
    *header = NULL;
    if ((rc = journal_header(path, header, err)) != GP_OK)
        return rc;
    run = json_object_get(*header, "run");
    if (!tests[0])
        gp_copy(tests, size, session_text(run, "tests"));
    json_object_foreach(json_object_get(run, "options"), name, value)
    {
        int id = option_find(name);

        gp_format(where, sizeof(where), "%s: %s", path, name);
        if (id >= 0 && session_measures_by((enum option_id)id) && !options->value[id].given && !rc)
            rc = recall_value(options, (enum option_id)id, where, value, err);
    }
    return rc;
}
