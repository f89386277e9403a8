/*
 * session_device.h - an engine, and its devices, from its lines into plain values.
 *
 * A line is read here once, when it comes. Its JSON is kept beside the values for two
 * purposes alone: the journal's fingerprint and the result file, which hold whatever the
 * engine said, known here or not.
 */
#ifndef GP_MEASURE_SESSION_DEVICE_H
#define GP_MEASURE_SESSION_DEVICE_H

#include <jansson.h>
#include <stdbool.h>

#include "catalog/catalog.h"
#include "catalog/gpu.h"
#include "measure/point/field.h"
#include "measure/session_facts.h"

struct session_engine {
    char name[40]; /* as it calls itself: "cuda", "cpu"; "" = it does not */
    char version[520];
    char driver[80]; /* of all its devices; "" = each says its own */
    json_t *line;    /* its hello */
};

struct found_device {
    struct session_device facts; /* facts.gpu points to gpu below */
    struct gpu gpu;              /* of the catalogue, or the slice of one */
    json_t *line;                /* as the engine listed it */
};

/* The values of a line, and *the line itself* (incref'd). Zeroed before. */
void session_engine_read(struct session_engine *engine, const json_t *line);
void session_engine_fini(struct session_engine *engine);
void session_device_read(struct found_device *device, const struct session_engine *engine,
                         const json_t *line);
void session_device_fini(struct found_device *device);

/* Looks a GPU up in the catalogue, by name and memory. */
void session_device_match(struct found_device *device, struct catalog *catalog);

/* What a device's line says of one: read into the struct, and checked before that. */
#define SESSION_DEVICE_FIELDS 11
extern const struct field session_device_fields[SESSION_DEVICE_FIELDS];

/* What is said only of a device that was opened to measure: its limits. */
void session_device_opened(struct session_device *facts, const json_t *line);

/* A line of sensors; limits and memory are the device's. */
void session_sensors_read(const struct session_device *facts, const json_t *line,
                          struct session_sensors *out);

/* A device as the result file has it. opened: its line then, or NULL. */
json_t *session_device_json(const struct session_device *facts, const char *backend,
                            const json_t *listed, const json_t *opened);

/* A number or a text of a line: NAN or "" when it is not there. */
double session_number(const json_t *line, const char *key);
const char *session_text(const json_t *line, const char *key);

#endif
