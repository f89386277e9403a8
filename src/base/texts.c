/*
 * texts.c - see texts.h. Blocks of memory in a list, filled from their beginning; a text that is
 * longer than what is left begins a block.
 */
#include "base/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK 2048

struct texts_block {
    struct texts_block *before;
    size_t used, size;
    char bytes[];
};

void texts_fini(struct texts *t)
{
    while (t->last) {
        struct texts_block *block = t->last;

        t->last = block->before;
        free(block);
    }
}

static char *texts_room(struct texts *t, size_t size)
{
    struct texts_block *block = t->last;

    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;

        block = gp_malloc(sizeof(*block) + room);
        *block = (struct texts_block){.before = t->last, .size = room};
        t->last = block;
    }
    block->used += size;
    return block->bytes + block->used - size;
}

const char *texts_addn(struct texts *t, const char *text, size_t len)
{
    char *room = texts_room(t, len + 1);

    memcpy(room, text, len);
    room[len] = '\0';
    return room;
}

const char *texts_add(struct texts *t, const char *text)
{
    return texts_addn(t, text, strlen(text));
}

const char *texts_addv(struct texts *t, const char *fmt, va_list args)
{
    struct texts_block *block = t->last;
    size_t left = block ? block->size - block->used : 0;
    va_list again;

    va_copy(again, args);
    int n = vsnprintf(left > 0 ? block->bytes + block->used : NULL, left, fmt, args);
    size_t size = n < 0 ? 1 : (size_t)n + 1;
    char *text = texts_room(t, size);

    if (size > left)
        vsnprintf(text, size, fmt, again);
    va_end(again);
    return text;
}

const char *texts_addf(struct texts *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = texts_addv(t, fmt, args);
    va_end(args);
    return text;
}
