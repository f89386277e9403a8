/*
 * own_points.h - what a server's own benchmark measured of it, from the files of --calibration.
 */
#ifndef GP_ANSWER_OWN_POINTS_H
#define GP_ANSWER_OWN_POINTS_H

#include "logs/read/serverbench.h"

/* The points of the servers' benchmarks among those files. */
enum gp_status calibrate_points(const char *list, struct serverbench *out, struct gp_err *err);

#endif
