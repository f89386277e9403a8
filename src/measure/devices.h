/*
 * devices.h - the GPUs of this machine, as the catalogue knows them.
 *
 * Joins the probe, which knows drivers, and the catalogue, which knows figures. Where a
 * machine has several kinds of GPU, "the GPU in this machine" is the one with the most
 * memory, the first of equals: an RTX 4090 beside an A2 is an RTX 4090.
 */
#ifndef GP_MEASURE_DEVICES_H
#define GP_MEASURE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/report_catalog.h"
#include "catalog/catalog.h"

/* The class "devices" of --list: a row per device, and doc's "reason" when there is
 * none. GP_E_DEVICE when that is because a driver is broken. */
extern const struct report_class devices_class;

/* --gpu local, and the default of --gpu: a planner_local_fn. */
bool devices_local(struct catalog *catalog, char *text, size_t size);

#endif
