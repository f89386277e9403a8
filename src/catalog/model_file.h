/*
 * model_file.h - profiles/models/<id>.cfg into a struct model.
 *
 * Called by the catalogue once per folder of the search path that has the file; the
 * first call finds *model zeroed except for its id, later ones the values of earlier
 * files.
 */
#ifndef GP_CATALOG_MODEL_FILE_H
#define GP_CATALOG_MODEL_FILE_H

#include <stddef.h>

#include "catalog/profile.h"
#include "core/model.h"
#include "util/err.h"

/* aliases: '|' separated, kept when the file has none. */
enum gp_status model_file_read(const char *path, struct model *model, char *aliases,
                               size_t aliases_size, profile_warn_fn warn, void *ctx,
                               struct gp_err *err);
/* The same from a profile that is open already (tests, fuzzing). */
enum gp_status model_file_parse(struct profile *profile, struct model *model,
                                char *aliases, size_t aliases_size,
                                profile_warn_fn warn, void *ctx, struct gp_err *err);

#endif
