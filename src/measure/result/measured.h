/*
 * measured.h - what a result file says of one device, as an estimate takes it (calib.h).
 *
 * Only the figures that frameworks get count (heuristic, cold weights). A point that was
 * disturbed (contended, shared, throttled, wrong ...) is left out and counted; one that only
 * scattered (unconverged, drift) counts less. Products are taken by
 * kernel, with the best read, and of a GPU the empty launch. Of processors those of GGUF's
 * formats (the engine's kernels), and of the others the rate of the best FP32 product.
 *
 * A kept file is such a result without samples, sensors and algorithms: some 700 bytes a point
 * instead of 10,000, so that a plan reads it in a millisecond.
 */
#ifndef GP_MEASURE_RESULT_MEASURED_H
#define GP_MEASURE_RESULT_MEASURED_H

#include "measure/result/benchlog.h"
#include "plan/speed/calib.h"

#define MEASURED_BYTES ((size_t)4 << 20) /* of a kept file */

/* The device's id in the catalogue, "cpu" of processors, "" where the file does not say. */
const char *measured_profile(const struct benchlog *log, int device);

/* How products of a type run; false: as none that an estimate knows. */
bool measured_kernel(enum bench_type type, enum kernel *kernel);

double measured_bytes(enum bench_type type); /* per weight, with its block's scale */

/* Of the device at that place; from is the caller's. False: nothing of it counts. */
bool measured_take(const struct benchlog *log, int device, struct calib *out);

/* The file of that device alone, to keep; points of `old`, an earlier one of the same device
 * or NULL, stay where this run has none of the same. NULL: nothing of it counts. */
json_t *measured_slim(const struct benchlog *log, int device, const struct benchlog *old);

#endif
