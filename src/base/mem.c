/*
 * mem.c - malloc and its family, ending the program when there is nothing left.
 *
 * gp_grow() doubles, so that adding n items one by one costs O(n): a list of 1000 items moves 7
 * times, not 1000.
 */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"

#define GROW_FIRST 16

static void *mem_checked(void *ptr)
{
    if (!ptr)
        gp_out_of_memory();
    return ptr;
}

void *gp_malloc(size_t size)
{
    return mem_checked(malloc(size ? size : 1));
}

void *gp_calloc(size_t count, size_t size)
{
    return mem_checked(count && size ? calloc(count, size) : calloc(1, 1));
}

void *gp_realloc(void *ptr, size_t size)
{
    return mem_checked(realloc(ptr, size ? size : 1));
}

char *gp_strdup(const char *text)
{
    return mem_checked(strdup(text));
}

void *gp_grow(void *items, size_t *cap, size_t want, size_t size)
{
    size_t next = *cap;

    if (want <= *cap)
        return items;
    if (size && want > SIZE_MAX / 2 / size)
        gp_out_of_memory();
    if (next < GROW_FIRST)
        next = GROW_FIRST;
    while (next < want)
        next *= 2;
    *cap = next;
    return gp_realloc(items, next * size);
}

int gp_by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

double gp_middle(double *values, int n)
{
    if (n <= 0)
        return 0;
    qsort(values, (size_t)n, sizeof(*values), gp_by_value);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
