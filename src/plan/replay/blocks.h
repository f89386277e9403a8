/*
 * blocks.h - the KV pool in blocks, and what ended requests leave in it.
 *
 * Blocks are free and unhashed, or in an item: a group of blocks with the hash of a prompt's
 * tokens, or what one request left behind. An item that nobody holds waits in order of last
 * use, and gives its blocks away from its end when others are not free; what is left of it can
 * still be found. Groups of a trace may be many blocks (512 tokens of 16): one item for all of
 * them. Two requests that compute the same tokens at once make two items of one hash.
 */
#ifndef GP_PLAN_REPLAY_BLOCKS_H
#define GP_PLAN_REPLAY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCKS_NONE (-1)

struct blocks_item {
    uint64_t hash;
    int count;  /* blocks that it has */
    bool kept;  /* who left it may still ask for it */
    int filler; /* who computes the rest of the group */
    int from;   /* of what one request left: the blocks before its first */
    int holders;
    int before, after; /* in order of use, while nobody holds it */
    int next;          /* of its bucket, or of the unused items */
    bool hashed;       /* can be found */
    bool session;      /* was left by one */
};

struct blocks {
    int64_t all, free, idle;  /* idle: in items that nobody holds */
    bool in_turn;             /* blocks without a hash wait for reuse like others */
    struct blocks_item *item; /* owned */
    size_t cap;
    int unused, oldest, newest;
    int *bucket; /* owned */
    int buckets; /* a power of two; 0 = none */
    int keyed;   /* items of sessions */
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
/* Gives back n of a request that ends, in order of use; junk: nobody will ask for them. */
int blocks_leave(struct blocks *blocks, int64_t n, bool junk);
/* The same of a session, whose next turn finds them by its key; from: the blocks before them. */
void blocks_leave_session(struct blocks *blocks, int64_t n, uint64_t key, int from);
/* The longest unused of what sessions left is given away, until so many are left. */
void blocks_keep_sessions(struct blocks *blocks, int most);
/* Gives back n that have no hash. */
void blocks_give(struct blocks *blocks, int64_t n);

/* The oldest item of this hash; BLOCKS_NONE: there is none. */
int blocks_find(const struct blocks *blocks, uint64_t hash);
/* A new one, which `filler` holds and fills. */
int blocks_add(struct blocks *blocks, uint64_t hash, int filler);
void blocks_hold(struct blocks *blocks, int item);
void blocks_release(struct blocks *blocks, int item);
/* Of an item that one request left behind: what is left of it is taken by it again, so many; or
 * it will not ask for it. */
int blocks_reclaim(struct blocks *blocks, int item);
void blocks_forget(struct blocks *blocks, int item);

#endif
