/*
 * catalog_class.h - the four classes of the catalogue that keep one file per id.
 *
 * Only catalog.c includes it.
 */
#ifndef GP_CATALOG_CATALOG_CLASS_H
#define GP_CATALOG_CATALOG_CLASS_H

#include "catalog/engine_file.h"
#include "catalog/registry.h"
#include "core/gpu.h"
#include "core/model.h"
#include "core/price.h"

struct gpu_item {
    struct gpu gpu; /* first: its id is the item's */
    char aliases[160];
};

struct model_item {
    struct model model;
    char aliases[512];
};

struct engine_item {
    char id[24];
    char aliases[96];
    struct engine_list list;
};

struct server_item {
    struct server server;
    char aliases[1]; /* servers have none */
};

extern const struct registry_class catalog_gpu_class, catalog_model_class;
extern const struct registry_class catalog_engine_class, catalog_server_class;

#endif
