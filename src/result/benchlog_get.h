/*
 * benchlog_get.h - what a result file says beyond struct benchlog, without its JSON.
 *
 * For the screens, which know no JSON. A number that is absent or none is 0, a text "";
 * texts live as long as the file.
 */
#ifndef GP_RESULT_BENCHLOG_GET_H
#define GP_RESULT_BENCHLOG_GET_H

#include "result/benchlog.h"

/* Of a point's parameters: "m", "n", "k", "bytes"; "layer", "model", "cache". */
double benchlog_param(const struct benchlog_point *point, const char *key);
const char *benchlog_param_text(const struct benchlog_point *point, const char *key);
/* Of a device, by its place in benchlog.device: "profile", "kind". */
const char *benchlog_device_text(const struct benchlog *log, int place,
                                 const char *key);

/* The same file once more: each wants benchlog_fini. False: it is none any more. */
bool benchlog_share(const struct benchlog *log, struct benchlog *out);

#endif
