/*
 * engine_file.h - profiles/engines/<id>.cfg: an engine's version ranges.
 *
 * Keys shared by the ranges stand at the top of the file; each range gives what
 * differs. Ranges are sorted by version, and may not overlap.
 */
#ifndef GP_CATALOG_ENGINE_FILE_H
#define GP_CATALOG_ENGINE_FILE_H

#include <stddef.h>

#include "catalog/profile.h"
#include "core/engine.h"
#include "util/err.h"

struct engine_list {
    struct engine *engines;
    size_t count, cap;
};

/* Adds the ranges of the engine `id` to the list; a range that is there already (same
 * first version) has its fields changed. aliases: '|' separated, kept when the file has
 * none. */
enum gp_status engine_file_read(const char *path, const char *id,
                                struct engine_list *list, char *aliases,
                                size_t aliases_size, profile_warn_fn warn, void *ctx,
                                struct gp_err *err);

#endif
