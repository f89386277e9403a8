/*
 * planner_calib.h - the device's own measurements, from where they are kept into a request.
 *
 *   $XDG_STATE_HOME/gpuplan/calibration/ID@UUID.json     (~/.local/state; "/" as "+")
 *
 * One file per device, a result without its samples (measure/result/measured.h), which --bench and
 * --confirm write; by HOST where a device has no UUID. A plan for ID takes
 *
 *   1  what --calibration names, if it is a result of --bench
 *   2  this machine's own device: its UUID is in /proc/driver/nvidia, or the host is this one
 *   3  a device of the same kind
 *   4  a GPU of the same generation
 *
 * the newest of each. What was measured with another driver, another file of a library, or
 * on other processors than are here now, is not used, with a word on it. --calibration none:
 * none of it.
 */
#ifndef GP_ANSWER_PLANNER_CALIB_H
#define GP_ANSWER_PLANNER_CALIB_H

#include "answer/planner.h"
#include "catalog/catalog.h"
#include "measure/result/benchlog.h"

struct planner_calib; /* what was read so far: figures that requests borrow */

void planner_calib_free(struct planner_calib *calib);

/* Puts measured figures in place of the request's GPU, whose id stays; says what it took or
 * left in resolved->calibrated and resolved->uncalibrated. *calib is made when it is needed. */
enum gp_status planner_calib_apply(struct planner_calib **calib, struct catalog *catalog,
                                   const struct options *options, struct resolved *resolved,
                                   struct gp_err *err);

/* A GPU of the catalogue with what is kept of it; used[size]: what that is, "" = nothing. */
enum gp_status planner_calib_gpu(struct planner_calib **calib, struct catalog *catalog,
                                 const char *id, const struct gpu **gpu, char *used, size_t size,
                                 struct gp_err *err);

/* Is that file of --calibration a result of --bench? */
bool planner_calib_is_result(const char *path);

/* The next request looks again; what requests borrowed stays until the planner is freed. */
void planner_calib_forget(struct planner_calib *calib);

/* Removes what is kept of a GPU's kind; how many files. */
int planner_calib_drop(const char *gpu);

/* Keeps what a run measured of each device; GP_OK where there is nothing to keep. */
enum gp_status planner_calib_keep(const struct benchlog *log, struct gp_err *err);

#endif
