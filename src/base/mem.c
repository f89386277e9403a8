/*
 * mem.c - malloc and its family, ending the program when there is nothing left.
 *
 * This and nothing else in the libraries prints and ends the program: after a failed
 * allocation of a few kilobytes not even a proper error can be built. Nothing that is
 * half done is finished or flushed on the way. gp_grow() doubles, so that
 * adding n items one by one costs O(n): a list of 1000 items moves 7 times, not 1000.
 */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_INTERNAL 70
#define GROW_FIRST 16

void (*gp_before_exit)(void);

void gp_out_of_memory(void)
{
    static const char line[] = "gpuplan: out of memory\n";
    ssize_t n;

    if (gp_before_exit)
        gp_before_exit();
    n = write(STDERR_FILENO, line, sizeof line - 1);
    (void)n;
    _exit(EXIT_INTERNAL);
}

static void *checked(void *ptr)
{
    if (!ptr)
        gp_out_of_memory();
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
