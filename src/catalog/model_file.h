/*
 * model_file.h - profiles/models/<id>.cfg into a struct model.
 *
 * Called by the catalogue once per folder of the search path that has the file; the
 * first call finds *model zeroed except for its id, later ones the values of earlier
 * files.
 */
#ifndef GP_CATALOG_MODEL_FILE_H
#define GP_CATALOG_MODEL_FILE_H

#include "base/str.h"
#include "catalog/profile.h"
#include "model/model.h"

struct model_item {
    struct model model; /* first: its id is the item's */
    char aliases[512];  /* '|' separated */
};

/* Into a struct model_item: a profile_read_fn. */
void model_file_read(struct profile_group top, void *item);

/* A profile of the model that reads back as the same shape; its exact bytes, which only
 * its files know, are left out. */
void model_file_write(const struct model *model, struct strbuf *out);

#endif
