/*
 * protocol.c - the settings, as the planner writes and an engine reads them.
 *
 * METHOD_NUMBERS has their names and bounds. A field that is missing keeps the value of
 * the preset "normal"; one that is out of bounds is an error that names it: an engine
 * that quietly measured for another time than it was told would be lying.
 */
#include "measure/point/protocol.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "measure/point/line.h"

#define DEVICES_MAX 1024
#define LOCK_MOST 100000 /* MHz */

/* null, "base" or MHz. */
static json_t *lock_to_json(double clock)
{
    return clock > 0            ? gp_json_number(clock)
           : clock == LOCK_BASE ? json_string("base")
                                : json_null();
}

static bool read_lock(const json_t *value, double *clock)
{
    const char *word = json_string_value(value);

    if (json_is_number(value))
        *clock = json_number_value(value);
    else
        *clock = word ? LOCK_BASE : 0;
    return word ? strcmp(word, "base") == 0
                : !json_is_number(value) || (*clock >= 1 && *clock <= LOCK_MOST);
}

json_t *protocol_settings(const struct method_settings *settings, int device)
{
    struct method_settings copy = *settings;
    json_t *json = json_object();

    json_object_set_new(json, "protocol", json_integer(PROTOCOL_VERSION));
    json_object_set_new(json, "do", json_string("settings"));
    json_object_set_new(json, "device", json_integer(device));
    json_object_set_new(json, "seed", json_integer((json_int_t)copy.seed));
    for (int i = 0; i < METHOD_NUMBER_COUNT; i++)
        json_object_set_new(json, method_numbers[i].name, gp_json_number(*method_number(&copy, i)));
    json_object_set_new(json, "lock_clocks", lock_to_json(copy.lock_clock));
    json_object_set_new(json, "force", json_boolean(copy.force));
    json_object_set_new(json, "fill", json_string(method_fills[copy.fill]));
    json_object_set_new(json, "check", json_string(method_checks[copy.check]));
    return json;
}

static enum gp_status refuse_field(struct gp_err *err, const char *where, const char *field,
                                   const char *what)
{
    char at[192];

    gp_format(at, sizeof at, "%s: %s", where, field);
    return gp_fail(err, GP_E_FILE, at, "", "%s", what);
}

/* The integer of that name, fallback when there is none; false when it is no such. */
static bool read_integer(const json_t *json, const char *name, json_int_t low, json_int_t high,
                         json_int_t fallback, json_int_t *out)
{
    const json_t *value = json_object_get(json, name);

    *out = value ? json_integer_value(value) : fallback;
    return (!value || json_is_integer(value)) && *out >= low && *out <= high;
}

/* Place of the word of that name in a list; it stays as it is where there is none. */
static bool word_in(const json_t *json, const char *name, const char *const *words, int count,
                    int *place)
{
    const json_t *value = json_object_get(json, name);

    if (value)
        *place = line_word(words, count, json_string_value(value));
    return *place >= 0;
}

static enum gp_status read_words(const json_t *json, const char *where, struct method_settings *out,
                                 struct gp_err *err)
{
    int fill = (int)out->fill, check = (int)out->check;

    if (!word_in(json, "fill", method_fills, FILL_COUNT, &fill))
        return refuse_field(err, where, "fill", "is unknown");
    if (!word_in(json, "check", method_checks, CHECK_COUNT, &check))
        return refuse_field(err, where, "check", "is unknown");
    if (!read_lock(json_object_get(json, "lock_clocks"), &out->lock_clock))
        return refuse_field(err, where, "lock_clocks", "is neither base nor MHz");
    out->force = json_is_true(json_object_get(json, "force"));
    out->fill = (enum bench_fill)fill;
    out->check = (enum bench_check)check;
    return GP_OK;
}

static enum gp_status read_numbers(const json_t *json, const char *where,
                                   struct method_settings *out, struct gp_err *err)
{
    for (int i = 0; i < METHOD_NUMBER_COUNT; i++) {
        const char *name = method_numbers[i].name;
        const json_t *value = json_object_get(json, name);
        double number = json_number_value(value);

        if (!value)
            continue;
        if (!json_is_number(value))
            return refuse_field(err, where, name, "is not a number");
        if (!(number >= method_numbers[i].low && number <= method_numbers[i].high))
            return refuse_field(err, where, name, "is out of range");
        *method_number(out, i) = number;
    }
    if (out->min_time > out->max_time)
        return refuse_field(err, where, "min_time", "is longer than max_time");
    if (out->device_warmup_min > out->device_warmup_max)
        return refuse_field(err, where, "device_warmup_min", "is longer than device_warmup_max");
    return GP_OK;
}

enum gp_status protocol_read_settings(const json_t *json, const char *where,
                                      struct method_settings *out, int *device, struct gp_err *err)
{
    struct method_settings made = method_preset(PRESET_NORMAL);
    const char *what = json_string_value(json_object_get(json, "do"));
    json_int_t version, index, seed;
    enum gp_status rc;

    if (!what || strcmp(what, "settings") != 0)
        return refuse_field(err, where, "do", "settings must come first");
    if (!read_integer(json, "protocol", PROTOCOL_VERSION, PROTOCOL_VERSION, -1, &version))
        return refuse_field(err, where, "protocol", "is not one that this engine speaks");
    if (!read_integer(json, "device", 0, DEVICES_MAX - 1, 0, &index))
        return refuse_field(err, where, "device", "is not a device number");
    if (!read_integer(json, "seed", INT64_MIN, INT64_MAX, (json_int_t)made.seed, &seed))
        return refuse_field(err, where, "seed", "is not a whole number");
    if ((rc = read_numbers(json, where, &made, err)) != GP_OK ||
        (rc = read_words(json, where, &made, err)) != GP_OK)
        return rc;
    made.seed = (uint64_t)seed;
    *out = made;
    *device = (int)index;
    return GP_OK;
}
