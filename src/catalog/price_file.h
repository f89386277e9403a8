/*
 * price_file.h - prices/<provider>.cfg, prices/ownership.cfg and servers/<id>.cfg.
 *
 * A price file holds what its rows share (provider, date, kind, source) and one short
 * group per instance. Rows are matched over the search path by provider, type and
 * region: a later file changes the fields it gives.
 */
#ifndef GP_CATALOG_PRICE_FILE_H
#define GP_CATALOG_PRICE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/price.h"
#include "catalog/profile.h"

struct instance_list {
    struct instance *instances;
    size_t count, cap;
    bool user; /* of the file read next: its rows win over the catalogue's */
};

/* Each a profile_read_fn: into a struct instance_list, a struct ownership and a
 * struct server. */
void price_file_read(struct profile_group top, void *list);
void price_file_ownership(struct profile_group top, void *own);
void price_file_server(struct profile_group top, void *server);

#endif
