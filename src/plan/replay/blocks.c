/*
 * blocks.c - see blocks.h.
 */
#include "plan/replay/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void blocks_init(struct blocks *b, int64_t all, int64_t hashes)
{
    memset(b, 0, sizeof(*b));
    b->all = b->free = all;
    b->unused = b->oldest = b->newest = BLOCKS_NONE;
    if (hashes <= 0)
        return;
    int64_t most = hashes < all ? hashes : all;
    for (b->buckets = 64; b->buckets < most && b->buckets < 1 << 24;)
        b->buckets *= 2;
    b->bucket = gp_malloc((size_t)b->buckets * sizeof(*b->bucket));
    for (int i = 0; i < b->buckets; i++)
        b->bucket[i] = BLOCKS_NONE;
}

void blocks_fini(struct blocks *b)
{
    free(b->item);
    free(b->bucket);
    memset(b, 0, sizeof(*b));
}

static int *bucket_of(const struct blocks *b, uint64_t hash)
{
    return &b->bucket[(hash * 0x9e3779b97f4a7c15 >> 32) & (uint64_t)(b->buckets - 1)];
}

static int item_new(struct blocks *b)
{
    if (b->unused == BLOCKS_NONE) {
        size_t from = b->cap;

        b->item = gp_grow(b->item, &b->cap, b->cap + 64, sizeof(*b->item));
        for (size_t i = b->cap; i-- > from;) {
            b->item[i].next = b->unused;
            b->unused = (int)i;
        }
    }
    int i = b->unused;
    b->unused = b->item[i].next;
    b->item[i] = (struct blocks_item){.before = BLOCKS_NONE, .after = BLOCKS_NONE};
    return i;
}

static void item_unhash(struct blocks *b, int i)
{
    struct blocks_item *item = &b->item[i];

    if (!item->hashed)
        return;
    for (int *at = bucket_of(b, item->hash); *at != BLOCKS_NONE; at = &b->item[*at].next)
        if (*at == i) {
            *at = item->next;
            break;
        }
    b->keyed -= item->session;
    item->hashed = item->session = false;
}

static void item_hash(struct blocks *b, int i, uint64_t hash)
{
    int *at = bucket_of(b, hash);

    b->item[i].hash = hash;
    b->item[i].hashed = true;
    while (*at != BLOCKS_NONE)
        at = &b->item[*at].next;
    b->item[i].next = BLOCKS_NONE;
    *at = i;
}

static void order_remove(struct blocks *b, int i)
{
    struct blocks_item *item = &b->item[i];

    *(item->before == BLOCKS_NONE ? &b->oldest : &b->item[item->before].after) = item->after;
    *(item->after == BLOCKS_NONE ? &b->newest : &b->item[item->after].before) = item->before;
    b->idle -= item->count;
}

static void order_add(struct blocks *b, int i)
{
    struct blocks_item *item = &b->item[i];

    item->after = BLOCKS_NONE;
    item->before = b->newest;
    *(b->newest == BLOCKS_NONE ? &b->oldest : &b->item[b->newest].after) = i;
    b->newest = i;
    b->idle += item->count;
}

static void item_drop(struct blocks *b, int i)
{
    b->item[i].next = b->unused;
    b->unused = i;
}

void blocks_take(struct blocks *b, int64_t n)
{
    int64_t free = n < b->free ? n : b->free;

    b->free -= free;
    n -= free;
    while (n > 0 && b->oldest != BLOCKS_NONE) {
        int i = b->oldest;
        struct blocks_item *item = &b->item[i];
        int64_t taken = n < item->count ? n : item->count;

        item->count -= (int)taken;
        b->idle -= taken;
        n -= taken;
        if (item->count == 0) {
            order_remove(b, i);
            item_unhash(b, i);
            if (!item->kept)
                item_drop(b, i);
        }
    }
}

int blocks_leave(struct blocks *b, int64_t n, bool junk)
{
    struct blocks_item *newest = b->newest == BLOCKS_NONE ? NULL : &b->item[b->newest];

    if (n == 0 && junk)
        return BLOCKS_NONE;
    if (junk && newest && !newest->hashed && !newest->kept) {
        newest->count += (int)n;
        b->idle += n;
        return BLOCKS_NONE;
    }
    int i = item_new(b);
    b->item[i].count = (int)n;
    b->item[i].kept = !junk;
    if (n > 0)
        order_add(b, i);
    return junk ? BLOCKS_NONE : i;
}

void blocks_leave_session(struct blocks *b, int64_t n, uint64_t key, int from)
{
    if (n <= 0)
        return;
    int i = item_new(b);
    item_hash(b, i, key);
    b->item[i].count = (int)n;
    b->item[i].from = from;
    b->item[i].session = true;
    b->keyed++;
    order_add(b, i);
}

void blocks_keep_sessions(struct blocks *b, int most)
{
    for (int i = b->oldest, next; b->keyed > most && i != BLOCKS_NONE; i = next) {
        next = b->item[i].after;
        if (!b->item[i].session)
            continue;
        b->free += b->item[i].count;
        order_remove(b, i);
        item_unhash(b, i);
        item_drop(b, i);
    }
}

void blocks_give(struct blocks *b, int64_t n)
{
    if (b->in_turn)
        blocks_leave(b, n, true);
    else
        b->free += n;
}

int blocks_reclaim(struct blocks *b, int i)
{
    int count = b->item[i].count;

    if (count > 0)
        order_remove(b, i);
    item_unhash(b, i);
    item_drop(b, i);
    return count;
}

void blocks_forget(struct blocks *b, int i)
{
    item_unhash(b, i);
    b->item[i].kept = false;
    if (b->item[i].count == 0)
        item_drop(b, i);
}

int blocks_find(const struct blocks *b, uint64_t hash)
{
    if (b->buckets == 0)
        return BLOCKS_NONE;
    int i = *bucket_of(b, hash);
    while (i != BLOCKS_NONE && b->item[i].hash != hash)
        i = b->item[i].next;
    return i;
}

int blocks_add(struct blocks *b, uint64_t hash, int filler)
{
    int i = item_new(b);

    item_hash(b, i, hash);
    b->item[i].filler = filler;
    b->item[i].holders = 1;
    return i;
}

void blocks_hold(struct blocks *b, int i)
{
    if (b->item[i].holders++ == 0)
        order_remove(b, i);
}

void blocks_release(struct blocks *b, int i)
{
    if (--b->item[i].holders == 0)
        order_add(b, i);
}
