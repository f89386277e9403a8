/*
 * benchlog_get.c - see benchlog_get.h.
 */
#include "result/benchlog_get.h"

#include <math.h>

static const json_t *param(const struct benchlog_point *point, const char *key)
{
    return json_object_get(json_object_get(point->json, "params"), key);
}

double benchlog_param(const struct benchlog_point *point, const char *key)
{
    double value = json_number_value(param(point, key));

    return isfinite(value) && value > 0 ? value : 0;
}

static const char *text_of(const json_t *json)
{
    return json_is_string(json) ? json_string_value(json) : "";
}

const char *benchlog_param_text(const struct benchlog_point *point, const char *key)
{
    return text_of(param(point, key));
}

const char *benchlog_device_text(const struct benchlog *log, int place, const char *key)
{
    const json_t *list = json_object_get(log->json, "devices");

    if (place < 0)
        return "";
    return text_of(json_object_get(json_array_get(list, (size_t)place), key));
}

bool benchlog_share(const struct benchlog *log, struct benchlog *out)
{
    return log && log->json &&
           benchlog_from_json("the result", log->json, out, NULL) == GP_OK;
}
