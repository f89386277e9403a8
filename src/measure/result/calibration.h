/*
 * calibration.h - a calibration (plan/calibration.h) as the JSON of a result file.
 *
 *   {"run_id", "equation", "terms": [{"device", "run_id", "kind", "of", "type",
 *    "ops_per_s" or "bytes_per_s": {"value", "low", "high"}, "pct_spec_bw", "overhead_s",
 *    "n", "rms_pct"}], "products": [{"device", "run_id", "type", "peak_ops_per_s",
 *    "pct_spec_peak", "n", "efficiency": [{"log2_ops", "efficiency", "n", "rms_pct"}]}]}
 *
 * What is not known is null. Read, every length is bounded before memory is taken, every
 * number is checked, and a band must hold its value; a term of a kind or type that this
 * version does not know is left out.
 */
#ifndef GP_MEASURE_RESULT_CALIBRATION_H
#define GP_MEASURE_RESULT_CALIBRATION_H

#include <jansson.h>

#include "base/err.h"
#include "plan/calibration.h"

json_t *calibration_to_json(const struct calibration *calibration);
/* GP_E_FILE names the field; *out then holds nothing. */
enum gp_status calibration_from_json(const char *where, const json_t *json, struct calibration *out,
                                     struct gp_err *err);

#endif
