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

#include "catalog/profile.h"
#include "core/price.h"
#include "util/err.h"

struct instance_list {
    struct instance *instances;
    size_t count, cap;
};

/* user: the file is the user's own; its rows win over the catalogue's. */
enum gp_status price_file_read(const char *path, bool user, struct instance_list *list,
                               profile_warn_fn warn, void *ctx, struct gp_err *err);

enum gp_status price_file_ownership(const char *path, struct ownership *own,
                                    profile_warn_fn warn, void *ctx,
                                    struct gp_err *err);

enum gp_status price_file_server(const char *path, struct server *server,
                                 profile_warn_fn warn, void *ctx, struct gp_err *err);

#endif
