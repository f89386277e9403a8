/*
 * format_file.h - profiles/formats.cfg: every weight format, in one file.
 *
 * One file because every plan needs several of them; a later file of the search path
 * may change single fields of an id or add formats of its own.
 */
#ifndef GP_CATALOG_FORMAT_FILE_H
#define GP_CATALOG_FORMAT_FILE_H

#include <stddef.h>

#include "catalog/profile.h"
#include "model/format.h"

struct format_list {
    struct format *formats;
    size_t count, cap;
};

/* Into a struct format_list: a profile_read_fn. */
void format_file_read(struct profile_group top, void *list);

/* The roles of enum tensor_role as profiles write them ("embedding", "router", ...). */
extern const struct profile_word format_file_roles[];

#endif
