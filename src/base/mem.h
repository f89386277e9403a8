/*
 * mem.h - allocation that succeeds or ends the program.
 *
 * Planning needs a few hundred kilobytes; when even those are missing there is nothing
 * useful left to do, so these print one line and exit 70. Sizes that come from a file
 * are checked against the file's own length by the caller before they get here.
 */
#ifndef GP_BASE_MEM_H
#define GP_BASE_MEM_H

#include <stddef.h>

void *gp_malloc(size_t size);
void *gp_calloc(size_t count, size_t size);
void *gp_realloc(void *ptr, size_t size);
char *gp_strdup(const char *text);

/* Makes room for at least `want` items of `size` bytes in *items (doubling), and keeps
 * *cap. Returns the (possibly moved) array. */
void *gp_grow(void *items, size_t *cap, size_t want, size_t size);

/* For qsort() of doubles, the least first. */
int gp_by_value(const void *left, const void *right);
/* The middle of n values, which it sorts; 0: there are none. */
double gp_middle(double *values, int n);

#endif
