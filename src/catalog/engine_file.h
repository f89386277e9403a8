/*
 * engine_file.h - profiles/engines/<id>.cfg: an engine's version ranges.
 *
 * Keys shared by the ranges stand at the top of the file; each range gives what
 * differs from the one before it. Ranges stand in the order of their versions, and may not
 * overlap.
 */
#ifndef GP_CATALOG_ENGINE_FILE_H
#define GP_CATALOG_ENGINE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/path.h"
#include "catalog/engine.h"
#include "catalog/profile.h"

struct engine_list {
    struct engine *engines;
    size_t count, cap;
};

struct engine_item {
    char id[24];
    char aliases[96];                  /* '|' separated */
    char formats_at[GP_PATH_MAX + 16]; /* "file:line" of the last weight_formats; "" */
    bool checked;                      /* they are formats of the catalogue */
    struct engine_list list;
};

/* Into a struct engine_item with its id: a profile_read_fn. What a later file says at its
 * top changes every range that is there, what its range says that range and the newer ones:
 * a copy of a file, laid over it, changes nothing. */
void engine_file_read(struct profile_group top, void *item);

#endif
