/*
 * family_file.h - profiles/families/<id>.cfg into a struct family.
 *
 * Times are given in microseconds and nanoseconds as their keys say, shares of the data
 * sheet as fractions; the struct holds seconds.
 */
#ifndef GP_CATALOG_FAMILY_FILE_H
#define GP_CATALOG_FAMILY_FILE_H

#include "catalog/family.h"
#include "catalog/profile.h"

struct family_item {
    struct family family; /* first: its id is the item's */
    char aliases[1];      /* families have none */
};

/* The kernels as profiles write them. */
extern const struct profile_word family_file_kernels[];

/* Into a struct family_item: a profile_read_fn. */
void family_file_read(struct profile_group top, void *item);

#endif
