/*
 * mem.c - malloc and its family, ending the program when there is nothing left.
 *
 * This and nothing else in the libraries prints and exits: after a failed allocation
 * of a few kilobytes not even a proper error can be built. gp_grow() doubles, so that
 * adding n items one by one costs O(n): a list of 1000 items moves 7 times, not 1000.
 */
#include "util/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_INTERNAL 70
#define GROW_FIRST    16

void (*gp_before_exit)(void);

static void *checked(void *ptr)
{
    if (!ptr) {
        if (gp_before_exit)
            gp_before_exit();
        fputs("gpuplan: out of memory\n", stderr);
        exit(EXIT_INTERNAL);
    }
    return ptr;
}

void *gp_malloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *gp_calloc(size_t count, size_t size)
{
    return checked(count && size ? calloc(count, size) : calloc(1, 1));
}

void *gp_realloc(void *ptr, size_t size)
{
    return checked(realloc(ptr, size ? size : 1));
}

char *gp_strdup(const char *text)
{
    return checked(strdup(text));
}

void *gp_grow(void *items, size_t *cap, size_t want, size_t size)
{
    size_t next = *cap;

    if (want <= *cap)
        return items;
    if (size && want > SIZE_MAX / 2 / size)
        checked(NULL);
    if (next < GROW_FIRST)
        next = GROW_FIRST;
    while (next < want)
        next *= 2;
    *cap = next;
    return gp_realloc(items, next * size);
}
