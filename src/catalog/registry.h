/*
 * registry.h - one class of the catalogue that keeps one file per id: GPUs, models,
 * engines, servers.
 *
 * A lookup by id opens <dir>/<folder>/<id>.cfg in every folder of the search path and
 * nothing else; the files are read in order into the same item. Where there is none, it looks
 * for the id in the folder's sets, <name>.set.cfg, which hold several items each. Text that is
 * not an id is compared with the names in all files. Read files are kept.
 */
#ifndef GP_CATALOG_REGISTRY_H
#define GP_CATALOG_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/path.h"
#include "base/texts.h"
#include "catalog/profile.h"

#define SEARCH_MAX 6

/* The folders looked through; the later win. All but the first are the user's. */
struct search_path {
    char dir[SEARCH_MAX][GP_PATH_MAX];
    size_t count;
    struct compiled *compiled; /* of the first; or NULL */
};

struct warn_list {
    char **lines;
    size_t count, cap, taken;
};

void warn_list_add(void *warn_list, const char *line); /* a profile_warn_fn */

/* Items are structs whose first member is char id[]. A file is read into one. */
struct registry_class {
    const char *folder;           /* "gpus" */
    const char *what;             /* "GPU", in "no GPU 'h100'" */
    size_t size;                  /* of an item */
    size_t id_size;               /* of its id */
    const char *const *name_keys; /* of what else it is called; NULL ends them */
    profile_read_fn read;
    void (*fini)(void *item); /* or NULL */
};

struct registry_name {
    const char *name, *id; /* an id is a name of its own */
};

#define REGISTRY_FOUND 16

struct registry_found { /* what a text was found to name, among the names */
    char text[64];
    const char *id;
};

enum registry_extent { REGISTRY_SOME, REGISTRY_FILES, REGISTRY_ALL };

struct registry_set { /* that an id is in a set */
    const char *id;
    const char *file; /* in the class's folder of that dir of the search path */
    size_t dir;
};

struct registry {
    const struct registry_class *class;
    const struct search_path *path;
    struct warn_list *warnings;
    void **items; /* in the order they were read; sorted by id once complete */
    size_t count, cap;
    enum registry_extent complete;
    struct registry_name *names; /* once asked for */
    size_t name_count, name_cap;
    struct registry_found found[REGISTRY_FOUND]; /* the last ones; names do not change */
    size_t found_next;
    struct registry_set *sets;
    size_t set_count, set_cap;
    bool sets_known;
    struct texts texts; /* of names and sets */
};

void registry_fini(struct registry *registry);
void registry_item_free(const struct registry_class *class, void *item);

/* Is a text one of these aliases, whatever its case, or what follows the '/' of one? */
enum match { MATCH_NONE, MATCH_TAIL, MATCH_WHOLE };
enum match alias_match(const char *aliases, const char *text);

/* By id or alias. GP_E_USAGE with the nearest ids when there is no such item. */
enum gp_status registry_find(struct registry *registry, const char *text, void **item,
                             struct gp_err *err);
/* Every name there is, by id. The files are looked through, not read. */
enum gp_status registry_names(struct registry *registry, const struct registry_name **list,
                              size_t *count, struct gp_err *err);
/* Reads the files of one item each, or the sets as well; registry->items is then the whole class,
 * sorted, and what was read of the sets before. */
enum gp_status registry_complete(struct registry *registry, enum registry_extent extent,
                                 struct gp_err *err);

/* Reads up to `most` of them ahead; what is wrong with one is left to
 * registry_complete(). True: there may be more. */
bool registry_read_ahead(struct registry *registry, size_t most);

/* True for a name that may become part of a file name: no '/', no "..", not hidden. */
bool registry_id_ok(const char *id);

/* suggest() among the ids there are. */
bool registry_suggest(struct registry *registry, const char *text, const char *as, char *hint,
                      size_t size);

#endif
