/*
 * texts.c - see texts.h. Blocks of memory in a list, each twice as large as the one before and
 * filled from its beginning; a text that is longer than what is left begins a block.
 */
#include "base/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK 2048 /* the first */
#define BLOCK_MOST 65536
#define FORMAT_GUESS 256
#define ALIGNED sizeof(double)

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
        size_t room = !block ? BLOCK : block->size < BLOCK_MOST ? 2 * block->size : BLOCK_MOST;

        room = size > room ? size : room;
        room += -room % ALIGNED;
        block = gp_malloc(sizeof(*block) + room);
        *block = (struct texts_block){.before = t->last, .size = room};
        t->last = block;
    }
    block->used += size;
    return block->bytes + block->used - size;
}

void *texts_alloc(struct texts *t, size_t size)
{
    if (t->last)
        t->last->used += -t->last->used % ALIGNED;
    return texts_room(t, size);
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
    char *text = texts_room(t, FORMAT_GUESS);
    va_list again;

    va_copy(again, args);
    int n = vsnprintf(text, FORMAT_GUESS, fmt, args);
    size_t size = n < 0 ? 1 : (size_t)n + 1;

    t->last->used -= size < FORMAT_GUESS ? FORMAT_GUESS - size : 0;
    if (size > FORMAT_GUESS) {
        t->last->used -= FORMAT_GUESS;
        text = texts_room(t, size);
        vsnprintf(text, size, fmt, again);
    }
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
