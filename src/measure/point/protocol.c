/*
 * protocol.c - the settings, as the planner writes and an engine reads them.
 *
 * METHOD_NUMBERS has their names and bounds. A field that is missing keeps the value of
 * the preset "normal"; one that is out of bounds is an error that names it: an engine
 * that quietly measured for another time than it was told would be lying.
 */
#include "measure/point/protocol.h"

#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "measure/point/field.h"

#define LOCK_MOST 100000 /* MHz */

static const struct field number_fields[] = {
#define X(member, normal, called, least, most, ...)                                        \
    FIELD_AT(struct method_settings, called, member, .type = FIELD_NUMBER, .low = (least), \
             .high = (most)),
    METHOD_NUMBERS(X)
#undef X
};

static const struct field word_fields[] = {
    FIELD_WORD_AT(struct method_settings, "fill", fill, method_fills, FILL_COUNT, 0),
    FIELD_WORD_AT(struct method_settings, "check", check, method_checks, CHECK_COUNT, 0),
};

struct head {
    int device;
    int64_t seed;
};

static const struct field head_fields[] = {
    FIELD_AT(struct head, "device", device, .type = FIELD_INT, .high = 1023),
    FIELD_AT(struct head, "seed", seed, .type = FIELD_INT64, .low = -9.3e18, .high = 9.3e18,
             .is = FIELD_CHECKED),
};

json_t *protocol_settings(const struct method_settings *settings, int device)
{
    json_t *json = json_pack("{si ss si sI}", "protocol", PROTOCOL_VERSION, "do", "settings",
                             "device", device, "seed", (json_int_t)settings->seed);
    double clock = settings->lock_clock;

    fields_write(FIELDS(number_fields), settings, false, json);
    json_object_set_new(json, "lock_clocks",
                        clock > 0            ? gp_json_number(clock)
                        : clock == LOCK_BASE ? json_string("base")
                                             : json_null());
    json_object_set_new(json, "force", json_boolean(settings->force));
    fields_write(FIELDS(word_fields), settings, false, json);
    return json;
}

enum gp_status protocol_read_settings(const json_t *json, const char *where,
                                      struct method_settings *out, int *device, struct gp_err *err)
{
    struct reading r = {.where = where, .err = err};
    struct method_settings made = method_preset(PRESET_NORMAL);
    const char *what = json_string_value(json_object_get(json, "do"));
    const json_t *lock = json_object_get(json, "lock_clocks"),
                 *seed = json_object_get(json, "seed");
    const char *base = json_string_value(lock);
    double clock = json_number_value(lock);
    struct head head = {.device = 0};

    if (!what || strcmp(what, "settings") != 0)
        reading_refuse(&r, "do", "settings must come first");
    if (json_integer_value(json_object_get(json, "protocol")) != PROTOCOL_VERSION)
        reading_refuse(&r, "protocol", "is not one that this engine speaks");
    fields_read(&r, FIELDS(head_fields), json, &head);
    fields_read(&r, FIELDS(number_fields), json, &made);
    if (made.min_time > made.max_time)
        reading_refuse(&r, "min_time", "is longer than max_time");
    if (made.device_warmup_min > made.device_warmup_max)
        reading_refuse(&r, "device_warmup_min", "is longer than device_warmup_max");
    fields_read(&r, FIELDS(word_fields), json, &made);
    if (base ? strcmp(base, "base") != 0
             : json_is_number(lock) && !(clock >= 1 && clock <= LOCK_MOST))
        reading_refuse(&r, "lock_clocks", "is neither base nor MHz");
    if (r.status)
        return r.status;
    made.lock_clock = base ? LOCK_BASE : clock;
    made.force = json_is_true(json_object_get(json, "force"));
    if (seed)
        made.seed = (uint64_t)json_integer_value(seed);
    *out = made;
    *device = head.device;
    return GP_OK;
}

json_t *protocol_environment(const char *const *prefixes)
{
    json_t *json = json_object();

    for (char **e = environ; *e; e++)
        for (int i = 0; prefixes[i]; i++) {
            const char *equals = strchr(*e, '=');
            char name[64];

            if (equals && strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0 &&
                gp_format(name, sizeof(name), "%.*s", (int)(equals - *e), *e))
                json_object_set_new(json, name, gp_json_text(equals + 1));
        }
    return json;
}
