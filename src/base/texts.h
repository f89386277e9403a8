/*
 * texts.h - texts that live together: each is made once, keeps its place, and goes with
 * all the others. In place of buffers of a size that somebody has to guess:
 *
 *   struct texts texts = {0};
 *   const char *size = texts_addf(&texts, "%.2f GiB", gib);
 *   ...
 *   texts_fini(&texts);
 */
#ifndef GP_BASE_TEXTS_H
#define GP_BASE_TEXTS_H

#include <stdarg.h>
#include <stddef.h>

struct texts {
    struct texts_block *last; /* owned; {0} is empty */
};

void texts_fini(struct texts *texts);

/* Bytes for anything else that lives with them, aligned for numbers and pointers. */
void *texts_alloc(struct texts *texts, size_t size);

const char *texts_add(struct texts *texts, const char *text);
const char *texts_addn(struct texts *texts, const char *text, size_t len);
const char *texts_addf(struct texts *texts, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *texts_addv(struct texts *texts, const char *fmt, va_list args);

#endif
