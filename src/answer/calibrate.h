/*
 * calibrate.h - what was measured, from where it is kept or from --calibration into a request.
 *
 * Of a device:
 *
 *   $XDG_STATE_HOME/gpuplan/calibration/ID@UUID.json     (~/.local/state; "/" as "+")
 *
 * One file per device, a result without its samples (measure/result/measured.h), which --bench and
 * --confirm write; by HOST where a device has no UUID. A plan for ID takes
 *
 *   1  what --calibration names, if it is a result of --bench, or what labs shared
 *   2  this machine's own device: its UUID is in /proc/driver/nvidia, or the host is this one
 *   3  a device of the same kind
 *   4  a GPU of the same generation
 *
 * the newest of each. What was measured with another driver, another file of a library, or on other
 * processors than are here now, is not used, with a word on it. --calibration none: none of it.
 *
 * Of a server's memory, its start-up log (plan/logged.h), which is planned as --check-log plans it:
 * its own options, on the request's GPU; what it does not tell of model, format and engine's
 * version is the request's. A log of another model, format, engine or GPU, or of a start that
 * failed, is not used, with a word on it. Of several logs the first that is of the request is.
 *
 * Of a server's speed, the results of its benchmarks: points of the request's model, precision, GPU
 * and engine, and of the layout that it gives with --tp, --pp and --replicas; what it leaves open
 * is as the plan would have it without goals.
 */
#ifndef GP_ANSWER_CALIBRATE_H
#define GP_ANSWER_CALIBRATE_H

#include "answer/own_points.h"
#include "answer/planner.h"
#include "measure/result/benchlog.h"

struct calibrations; /* what was read so far; made when it is needed */

void calibrations_free(struct calibrations *calibrations);
/* The next request looks again for what is kept; what requests borrowed stays. */
void calibrations_forget(struct calibrations *calibrations);

/* Puts measured figures in place of the request's GPU, whose id stays; says what it took or
 * left in resolved->calibrated and resolved->uncalibrated. */
enum gp_status calibrate_gpu(struct calibrations **calibrations, struct catalog *catalog,
                             const struct options *options, struct resolved *resolved,
                             struct gp_err *err);

/* A GPU of the catalogue with what is kept of it; used[size]: what that is, "" = nothing. */
enum gp_status calibrate_catalog_gpu(struct calibrations **calibrations, struct catalog *catalog,
                                     const char *id, const struct gpu **gpu, char *used,
                                     size_t size, struct gp_err *err);

/* list: the files of --calibration. Sets what logs and benchmarks correct, once the rest of the
 * request is resolved, and resolved->measured. */
enum gp_status calibrate_request(struct planner *planner, struct calibrations **calibrations,
                                 const char *list, struct resolved *resolved, struct gp_err *err);

/* The logs of the list alone, into resolved->request.logged, and what it took or left into
 * resolved->logged and resolved->unlogged. GP_E_FILE: a log cannot be read. */
enum gp_status calibrate_from_logs(struct planner *planner, struct calibrations **calibrations,
                                   const char *list, struct resolved *resolved, struct gp_err *err);

/* Keeps what a run measured of each device; GP_OK where there is nothing to keep. */
enum gp_status calibration_keep(const struct benchlog *log, struct gp_err *err);

/* A GPU with what a run has measured of it so far beside what is kept, as it would be kept if the
 * run ended now; lent until the next call. False: nothing of it counts. */
bool calibrate_running(struct calibrations **calibrations, struct catalog *catalog,
                       const struct gpu *sheet, const struct benchlog *log, const struct gpu **gpu);

/* Removes what is kept of a GPU's kind; how many files. */
int calibration_drop(const char *gpu);

#endif
