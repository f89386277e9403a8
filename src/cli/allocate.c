/*
 * allocate.c - no allocation of this program returns NULL, in no library it uses.
 *
 * libconfig 1.5 does not look at what malloc() returned, and others go on with half of
 * what they were to build: a crash, or an answer without its source. So the program has
 * malloc, calloc and realloc of its own in front of the C library's, or of one that is
 * preloaded, and ends as gp_malloc() does. free() stays as it is. The engines do
 * without: to find out how much memory there is, they must be told that there is none.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/exit.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_ITS_OWN 1 /* AddressSanitizer: its allocator ends the program as well */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_ITS_OWN 1
#endif
#endif

#ifndef HAS_ITS_OWN

/* dlsym() of some C libraries allocates, and does without when it gets nothing. */
static void *libc_function(const char *name)
{
    static _Thread_local bool within;
    void *function;

    if (within)
        return NULL;
    within = true;
    function = dlsym(RTLD_NEXT, name);
    within = false;
    return function;
}

static void *not_null(void *ptr, size_t size)
{
    if (!ptr && size)
        gp_out_of_memory();
    return ptr;
}

void *malloc(size_t size)
{
    static void *(*real)(size_t);

    if (!real && !(real = libc_function("malloc")))
        return NULL;
    return not_null(real(size), size);
}

void *calloc(size_t count, size_t size)
{
    static void *(*real)(size_t, size_t);

    if (!real && !(real = libc_function("calloc")))
        return NULL;
    return not_null(real(count, size), count && size);
}

void *realloc(void *ptr, size_t size)
{
    static void *(*real)(void *, size_t);

    if (!real && !(real = libc_function("realloc")))
        return NULL;
    return not_null(real(ptr, size), size);
}

#endif
