/*
 * blocks.h - the KV pool in blocks, and what ended requests leave in it.
 *
 * Blocks are free and unhashed, or in an item: a group of blocks with the hash of a prompt's
 * tokens, or what one request left behind. An item that nobody holds waits in order of last
 * use, and gives its blocks away from its end when others are not free. Groups of a trace may
 * be many blocks (512 tokens of 16): one item for all of them.
 */
#ifndef GP_PLAN_REPLAY_BLOCKS_H
#define GP_PLAN_REPLAY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCKS_NONE (-1)

struct blocks_item {
    uint64_t hash;
    int count, whole; /* blocks it still has, of so many */
    int holders;
    int before, after; /* in order of use, while nobody holds it */
    int next;          /* of its bucket, or of the unused items */
    bool hashed;       /* can be found */
};

struct blocks {
    int64_t all, free, idle;  /* idle: in items that nobody holds */
    struct blocks_item *item; /* owned */
    size_t cap;
    int unused, oldest, newest;
    int *bucket; /* owned */
    int buckets; /* a power of two; 0 = none */
};

/* hashes: how many different ones may come; 0 = none. */
void blocks_init(struct blocks *blocks, int64_t all, int64_t hashes);
void blocks_fini(struct blocks *blocks);

static inline int64_t blocks_left(const struct blocks *b)
{
    return b->free + b->idle;
}

/* Takes n of what blocks_left() says: free ones, then the longest unused. */
void blocks_take(struct blocks *blocks, int64_t n);
/* Gives back n that nobody will ask for, or that may be asked for by an item (junk: by none). */
static inline void blocks_give(struct blocks *b, int64_t n)
{
    b->free += n;
}
int blocks_leave(struct blocks *blocks, int64_t n, bool junk);

/* A whole item of this hash; BLOCKS_NONE: there is none. */
int blocks_find(const struct blocks *blocks, uint64_t hash);
/* Of n blocks that its maker holds. */
int blocks_add(struct blocks *blocks, uint64_t hash, int n);
void blocks_hold(struct blocks *blocks, int item);
void blocks_release(struct blocks *blocks, int item);
/* What is left of an item that one request left behind is taken by it again: so many. */
int blocks_reclaim(struct blocks *blocks, int item);

#endif
