/*
 * pool_measured.h - how fast weights load, from what --bench transfer measured.
 */
#ifndef GP_POOL_POOL_MEASURED_H
#define GP_POOL_POOL_MEASURED_H

#include "base/err.h"

/* Bytes/s from storage to a device, the slowest of the devices in a result file.
 * GP_E_FILE: it cannot be read, or holds no such measurement. */
enum gp_status pool_measured_load(const char *path, double *rate, struct gp_err *err);

#endif
