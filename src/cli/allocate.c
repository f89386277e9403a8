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

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
} libc;

/* All three by the first call of any: dlerror() reallocates its text, and a dlsym() in there would
 * free it. dlsym() of some C libraries allocates, and does without when it gets nothing. */
static bool find_libc(void)
{
    static _Thread_local bool within;

    if (within)
        return false;
    within = true;
    *(void **)&libc.malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&libc.calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&libc.realloc = dlsym(RTLD_NEXT, "realloc");
    within = false;
    return libc.malloc && libc.calloc && libc.realloc;
}

static inline bool libc_found(void) /* the last of them is there */
{
    return libc.realloc || find_libc();
}

static void *not_null(void *ptr, size_t size)
{
    if (!ptr && size)
        gp_out_of_memory();
    return ptr;
}

void *malloc(size_t size)
{
    return libc_found() ? not_null(libc.malloc(size), size) : NULL;
}

void *calloc(size_t count, size_t size)
{
    return libc_found() ? not_null(libc.calloc(count, size), count && size) : NULL;
}

void *realloc(void *ptr, size_t size)
{
    return libc_found() ? not_null(libc.realloc(ptr, size), size) : NULL;
}

#endif
