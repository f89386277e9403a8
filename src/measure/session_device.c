/* session_device.c - see session_device.h. */
#include "measure/session_device.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "measure/point/field.h"
#include "measure/point/method.h"
#include "measure/point/point.h"
#include "probe/probe.h"

double session_number(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *session_text(const json_t *line, const char *key)
{
    const char *text = json_string_value(json_object_get(line, key));

    return text ? text : "";
}

/* ---- the engine ---- */

void session_engine_read(struct session_engine *engine, const json_t *line)
{
    const json_t *software = json_object_get(line, "software");

    session_engine_fini(engine);
    gp_copy(engine->name, sizeof(engine->name), session_text(line, "engine"));
    gp_copy(engine->version, sizeof(engine->version), session_text(line, "version"));
    gp_copy(engine->driver, sizeof(engine->driver), session_text(software, "driver"));
    engine->line = json_incref((json_t *)line);
}

void session_engine_fini(struct session_engine *engine)
{
    json_decref(engine->line);
    memset(engine, 0, sizeof(*engine));
}

/* ---- a device ---- */

#define TEXT(name, member) FIELD_TEXT_AT(struct session_device, name, member)
#define NUMBER(name, member) FIELD_NUMBER_AT(struct session_device, name, member, 1e18)
#define MEMORY(name) FIELD_NUMBER_AT(struct session_device, #name, name, 1.2e15) /* 2^50 */

const struct field session_device_fields[SESSION_DEVICE_FIELDS] = {
    FIELD_AT(struct session_device, "index", id, .type = FIELD_INT, .high = 65535),
    FIELD_AT(struct session_device, "name", name, .type = FIELD_TEXT, .is = FIELD_NEEDED,
             .size = sizeof(((struct session_device *)0)->name)),
    TEXT("uuid", uuid),
    TEXT("pci", pci),
    TEXT("more.driver", driver),
    MEMORY(memory),
    MEMORY(free),
    MEMORY(cache),
    NUMBER("bandwidth_sheet", bandwidth),
    NUMBER("more.power_limit_w", power_limit),
    NUMBER("more.sm_clock_max_mhz", sm_clock_max),
};

/* The types it multiplies; *told: it says so. */
static unsigned product_types(const json_t *list, bool *told)
{
    const json_t *word;
    unsigned types = 0;
    size_t i;

    *told = json_is_array(list);
    json_array_foreach(list, i, word)
    {
        for (int t = 0; t < TYPE_COUNT; t++)
            if (json_is_string(word) &&
                strcmp(json_string_value(word), bench_type_word((enum bench_type)t)) == 0)
                types |= 1u << t;
    }
    return types;
}

void session_device_read(struct found_device *device, const struct session_engine *engine,
                         const json_t *line)
{
    const json_t *more = json_object_get(line, "more");
    struct session_device *d = &device->facts;
    struct reading reading = {.where = ""}; /* what is wrong was refused with the line */

    memset(device, 0, sizeof(*device));
    device->line = json_incref((json_t *)line);
    d->running = -1;
    d->memory = d->free = d->cache = d->bandwidth = d->power_limit = d->sm_clock_max = NAN;
    fields_read(&reading, FIELDS(session_device_fields), line, d);
    if (engine->driver[0])
        gp_copy(d->driver, sizeof(d->driver), engine->driver);
    d->products = product_types(json_object_get(more, "product_types"), &d->says_products);
}

void session_device_fini(struct found_device *device)
{
    json_decref(device->line);
}

/* CUDA names a MIG instance "NVIDIA A100-SXM4-40GB MIG 1g.5gb": the slice is known by
 * its profile, and by the memory where a driver leaves the profile out. */
static void read_slice(const char *name, struct device *device)
{
    const char *mig = strstr(name, " MIG ");

    if (mig)
        gp_copy(device->slice, sizeof(device->slice), mig + 5);
}

void session_device_match(struct found_device *found, struct catalog *catalog)
{
    struct session_device *d = &found->facts;
    const struct gpu *const *gpus, *gpu;
    struct device device;
    size_t count;

    if (!d->name[0] || catalog_gpus(catalog, &gpus, &count, NULL))
        return;
    memset(&device, 0, sizeof(device));
    gp_copy(device.name, sizeof(device.name), d->name);
    read_slice(d->name, &device);
    device.memory_total = isfinite(d->memory) ? quantity_exact(d->memory) : quantity_unknown();
    gpu = probe_match(&device, gpus, count);
    if (!gpu)
        return;
    if (!device.slice[0])
        found->gpu = *gpu;
    else if (gpu_slice_of(gpu, device.slice, &found->gpu, NULL) != GP_OK)
        return;
    d->gpu = &found->gpu;
}

void session_device_opened(struct session_device *facts, const json_t *line)
{
    struct session_device opened = *facts;
    struct reading reading = {.where = ""};

    fields_read(&reading, FIELDS(session_device_fields), line, &opened);
    facts->power_limit = opened.power_limit;
    facts->sm_clock_max = opened.sm_clock_max;
}

/* ---- sensors ---- */

static const char *throttle_of(const json_t *line)
{
    const json_t *bits = json_object_get(line, "throttle_bits");

    return json_is_integer(bits)
               ? throttle_word(method_throttle_now((uint64_t)json_integer_value(bits)))
               : "";
}

#define AT(field) offsetof(struct session_sensors, field)
const struct session_sensor_row session_sensor_rows[SESSION_SENSOR_ROWS] = {
    {"power_w", {"power_w"}, AT(power), 1},
    {"power_limit_w", {NULL}, AT(power_limit), 1},
    {"clock_mhz", {"sm_clock_mhz", "clock_mhz"}, AT(sm_clock), 1},
    {"clock_max_mhz", {NULL}, AT(sm_clock_max), 1},
    {"mem_clock_mhz", {"mem_clock_mhz"}, AT(memory_clock), 1},
    {"temp_c", {"temp_c"}, AT(temperature), 1},
    {"mem_temp_c", {"mem_temp_c"}, AT(memory_temperature), 1},
    {"memory_used", {"memory_used"}, AT(memory_used), 1},
    {"memory", {NULL}, AT(memory_total), 1},
    {"busy_pct", {"sm_active_pct", "gpu_busy_pct"}, AT(busy), 100},
    {"tensor_active_pct", {"tensor_active_pct"}, AT(tensor), 100},
    {"dram_active_pct", {"dram_active_pct"}, AT(dram), 100},
    {"load1", {"load1"}, AT(load), 1},
};
#undef AT

double *session_sensor(struct session_sensors *sensors, int row)
{
    return (double *)(void *)((char *)sensors + session_sensor_rows[row].offset);
}

void session_sensors_read(const struct session_device *facts, const json_t *line,
                          struct session_sensors *out)
{
    for (int i = 0; i < SESSION_SENSOR_ROWS; i++) {
        const struct session_sensor_row *row = &session_sensor_rows[i];
        double value = NAN;

        for (int k = 0; k < 2 && row->said[k] && !isfinite(value); k++)
            value = session_number(line, row->said[k]) / row->unit;
        *session_sensor(out, i) = value;
    }
    out->power_limit = facts->power_limit;
    out->sm_clock_max = facts->sm_clock_max;
    out->memory_total = facts->memory;
    out->throttle = throttle_of(line);
    out->samples = session_number(line, "samples");
    out->sample = session_number(line, "sample_s");
}

/* ---- the result file ---- */

/* What can be told only of a device that was opened: driver, limits, free memory. */
static void add_opened(json_t *device, const json_t *opened)
{
    json_t *more = json_object();

    json_object_update(more, json_object_get(device, "more"));
    json_object_update(more, json_object_get(opened, "more"));
    json_object_set_new(device, "more", more);
    if (json_is_number(json_object_get(opened, "free")))
        json_object_set(device, "free", json_object_get(opened, "free"));
}

json_t *session_device_json(const struct session_device *facts, const char *backend,
                            const json_t *listed, const json_t *opened)
{
    json_t *json = json_copy((json_t *)listed);

    json_object_del(json, "t");
    json_object_del(json, "index");
    add_opened(json, opened);
    json_object_set_new(json, "id", json_integer(facts->id));
    json_object_set_new(json, "backend", json_string(backend));
    json_object_set_new(json, "profile", facts->gpu ? gp_json_text(facts->gpu->id) : json_null());
    json_object_set_new(json, "state", json_string(facts->failed ? "failed" : "ok"));
    json_object_set_new(json, "reason", facts->why[0] ? gp_json_text(facts->why) : json_null());
    return json;
}
