/*
 * session_options.h - the options of a run, kept in its journal, so that --resume FILE
 * alone goes on with it. What is given beside it counts; the fingerprint then decides
 * whether that is still the same run.
 */
#ifndef GP_MEASURE_SESSION_OPTIONS_H
#define GP_MEASURE_SESSION_OPTIONS_H

#include <jansson.h>
#include <stddef.h>

#include "answer/option.h"
#include "base/err.h"

/* "run" of the journal's header. */
json_t *session_options_json(const struct options *options, const char *tests);

/* Takes what was not given from the journal that --resume names, into options and
 * tests[size]. *header, its header, owns the texts from then on; NULL = nothing taken. */
enum gp_status session_options_recall(struct options *options, char *tests, size_t size,
                                      json_t **header, struct gp_err *err);

#endif
