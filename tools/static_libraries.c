/*
 * static_libraries.c - dlopen() of a static planner, which refuses; linked by --wrap.
 *
 * glibc's would load the C library of the machine beside the one within, and that ends in a crash
 * unless both are of one version. What is asked for (NVML) is optional: GPUs are then told
 * by /proc and /sys.
 */
#include <stddef.h>

void *__wrap_dlopen(const char *name, int flags);
char *__wrap_dlerror(void);

void *__wrap_dlopen(const char *name, int flags)
{
    (void)name;
    (void)flags;
    return NULL;
}

char *__wrap_dlerror(void)
{
    static char why[] = "a static gpuplan opens none";

    return why;
}
