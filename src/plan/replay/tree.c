/*
 * tree.c - see tree.h.
 */
#include "plan/replay/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NONE (-1)
#define BUCKETS_FIRST 256

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

/* ---- which tokens are alike ---- */

/* Tokens of its prompt that have hashes. */
static int hashed_tokens(const struct tree *t, int request)
{
    const struct replay_load *l = t->load;

    if (!l->hash)
        return 0;
    int64_t tokens = (int64_t)(l->hash_at[request + 1] - l->hash_at[request]) * l->hash_tokens;
    return (int)(tokens < l->prompt[request] ? tokens : l->prompt[request]);
}

static uint64_t key_mixed(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;

    return x ^ x >> 31;
}

/* What its block `at` is found by. */
static uint64_t block_key(const struct tree *t, int request, int at)
{
    const struct replay_load *l = t->load;
    int64_t token = (int64_t)at * t->block;

    if (token + t->block <= hashed_tokens(t, request))
        return key_mixed(l->hash[l->hash_at[request] + token / l->hash_tokens],
                         (uint64_t)(token % l->hash_tokens));
    return key_mixed((uint64_t)(l->turn ? l->turn[request].session : request), ~(uint64_t)at);
}

/* Tokens that two turns of a session share. */
static int session_history(const struct replay_load *l, int a, int b)
{
    for (int again = 0; again < 2; again++, a ^= b, b ^= a, a ^= b) {
        int least = INT32_MAX;

        for (int i = l->turn[a].next; i >= 0; i = l->turn[i].next) {
            least = min_of(least, l->turn[i].history);
            if (i == b)
                return least;
        }
    }
    return 0;
}

/* Blocks from..to of both are alike up to the one that is returned. */
static int alike_to(const struct tree *t, int a, int b, int from, int to)
{
    const struct replay_load *l = t->load;
    int at = from;

    if (a == b)
        return to;
    int hashed = min_of(hashed_tokens(t, a), hashed_tokens(t, b)) / t->block;
    int group = l->hash ? l->hash_tokens / t->block : 1;
    while (at < min_of(to, hashed)) {
        if (l->hash[l->hash_at[a] + at / group] != l->hash[l->hash_at[b] + at / group])
            return at;
        at = min_of((at / group + 1) * group, min_of(to, hashed));
    }
    if (l->turn && l->turn[a].session == l->turn[b].session) {
        int end = min_of(session_history(l, a, b) / t->block, to);

        return end > at ? end : at;
    }
    return at;
}

/* ---- nodes ---- */

static int *bucket_of(const struct tree *t, int parent, uint64_t key)
{
    return &t->bucket[key_mixed(key, (uint64_t)parent) & (uint64_t)(t->buckets - 1)];
}

static void bucket_put(struct tree *t, int i)
{
    int *at = bucket_of(t, t->node[i].parent, t->node[i].key);

    t->node[i].next = *at;
    *at = i;
}

/* As many buckets as nodes, or more. */
static void buckets_grow(struct tree *t)
{
    int *was = t->bucket, count = t->buckets;

    t->buckets = count > 0 ? 2 * count : BUCKETS_FIRST;
    t->bucket = gp_malloc((size_t)t->buckets * sizeof(*t->bucket));
    for (int i = 0; i < t->buckets; i++)
        t->bucket[i] = NONE;
    for (int n = 0; n < count; n++)
        for (int i = was[n], next; i != NONE; i = next) {
            next = t->node[i].next;
            bucket_put(t, i);
        }
    free(was);
}

static void bucket_add(struct tree *t, int i)
{
    struct tree_node *n = &t->node[i];

    n->key = block_key(t, n->request, n->from);
    if (++t->keyed > t->buckets)
        buckets_grow(t);
    bucket_put(t, i);
}

static void bucket_remove(struct tree *t, int i)
{
    int *at = bucket_of(t, t->node[i].parent, t->node[i].key);

    while (*at != i)
        at = &t->node[*at].next;
    *at = t->node[i].next;
    t->keyed--;
}

static int node_new(struct tree *t)
{
    if (t->unused == NONE) {
        size_t from = t->cap;

        t->node = gp_grow(t->node, &t->cap, t->cap + 64, sizeof(*t->node));
        for (size_t i = t->cap; i-- > from;) {
            t->node[i].next = t->unused;
            t->unused = (int)i;
        }
    }
    int i = t->unused;
    t->unused = t->node[i].next;
    return i;
}

static void order_remove(struct tree *t, int i)
{
    struct tree_node *n = &t->node[i];

    *(n->older == NONE ? &t->oldest : &t->node[n->older].newer) = n->newer;
    *(n->newer == NONE ? &t->newest : &t->node[n->newer].older) = n->older;
}

/* Behind those that were used no later. */
static void order_add(struct tree *t, int i)
{
    struct tree_node *n = &t->node[i];

    n->older = t->newest;
    while (n->older != NONE && t->node[n->older].used > n->used)
        n->older = t->node[n->older].older;
    n->newer = n->older == NONE ? t->oldest : t->node[n->older].newer;
    *(n->older == NONE ? &t->oldest : &t->node[n->older].newer) = i;
    *(n->newer == NONE ? &t->newest : &t->node[n->newer].older) = i;
}

static void node_use(struct tree *t, int i)
{
    struct tree_node *n = &t->node[i];

    n->used = t->walks;
    if (n->locks > 0)
        return;
    order_remove(t, i);
    order_add(t, i);
}

/* The node of its blocks up to `at`; what is left of it is below that. */
static int node_split(struct tree *t, int i, int at)
{
    int upper = node_new(t);
    struct tree_node *u = &t->node[upper], *n = &t->node[i];

    bucket_remove(t, i);
    *u = *n;
    u->to = at;
    u->used = t->walks;
    n->from = at;
    n->parent = upper;
    bucket_add(t, upper);
    bucket_add(t, i);
    node_use(t, i);
    if (u->locks == 0)
        order_add(t, upper);
    return upper;
}

/* ---- walks ---- */

/* The child of a node that begins as the request does at its end. */
static int child_of(const struct tree *t, int node, int request, int at)
{
    uint64_t key = block_key(t, request, at);
    int i = *bucket_of(t, node, key);

    while (i != NONE && (t->node[i].parent != node || t->node[i].key != key ||
                         alike_to(t, t->node[i].request, request, at, at + 1) == at))
        i = t->node[i].next;
    return i;
}

struct tree_place tree_find(const struct tree *t, int request, int blocks)
{
    struct tree_place place = {TREE_ROOT, 0};

    while (place.blocks < blocks && place.blocks == t->node[place.node].to) {
        int i = child_of(t, place.node, request, place.blocks);

        if (i == NONE)
            break;
        place.node = i;
        place.blocks =
            alike_to(t, t->node[i].request, request, place.blocks, min_of(t->node[i].to, blocks));
    }
    return place;
}

struct tree_place tree_match(struct tree *t, int request, int blocks)
{
    struct tree_place place = tree_find(t, request, blocks);

    t->walks++;
    if (place.blocks < t->node[place.node].to)
        place.node = node_split(t, place.node, place.blocks);
    for (int i = place.node; i != TREE_ROOT; i = t->node[i].parent) {
        t->node[i].request = request; /* the last to be alike: the next turn is near */
        node_use(t, i);
    }
    return place;
}

int tree_insert(struct tree *t, int request, int blocks, int *node)
{
    struct tree_place place = tree_match(t, request, blocks);

    *node = place.node;
    if (place.blocks == blocks)
        return blocks;
    int i = node_new(t);
    t->node[i] = (struct tree_node){.request = request,
                                    .from = place.blocks,
                                    .to = blocks,
                                    .parent = place.node,
                                    .used = t->walks};
    bucket_add(t, i);
    order_add(t, i);
    /* in order of the walk it comes before those above it */
    for (int up = place.node; up != TREE_ROOT; up = t->node[up].parent)
        node_use(t, up);
    t->pool->idle += blocks - place.blocks;
    *node = i;
    return place.blocks;
}

void tree_lock(struct tree *t, int node)
{
    for (int i = node; i != TREE_ROOT; i = t->node[i].parent)
        if (t->node[i].locks++ == 0) {
            order_remove(t, i);
            t->pool->idle -= t->node[i].to - t->node[i].from;
        }
}

void tree_unlock(struct tree *t, int node)
{
    for (int i = node; i != TREE_ROOT; i = t->node[i].parent)
        if (--t->node[i].locks == 0) {
            order_add(t, i);
            t->pool->idle += t->node[i].to - t->node[i].from;
        }
}

int64_t tree_idle(const struct tree *t, int node)
{
    int64_t idle = 0;

    for (int i = node; i != TREE_ROOT; i = t->node[i].parent)
        idle += t->node[i].locks == 0 ? t->node[i].to - t->node[i].from : 0;
    return idle;
}

void tree_evict(struct tree *t, int64_t tokens)
{
    int64_t need = (tokens + t->block - 1) / t->block;

    if (need <= t->pool->free)
        return;
    need += t->coarse ? t->pool->free : 0;
    while (t->pool->free < need && t->oldest != NONE) {
        int i = t->oldest, blocks = t->node[i].to - t->node[i].from;

        order_remove(t, i);
        bucket_remove(t, i);
        t->node[i].next = t->unused;
        t->unused = i;
        t->pool->idle -= blocks;
        t->pool->free += blocks;
    }
}

void tree_init(struct tree *t, const struct replay_load *load, struct blocks *pool, int block,
               bool coarse)
{
    *t = (struct tree){.load = load,
                       .pool = pool,
                       .block = block,
                       .coarse = coarse,
                       .unused = NONE,
                       .oldest = NONE,
                       .newest = NONE};
    buckets_grow(t);
    int root = node_new(t);
    t->node[root] = (struct tree_node){.locks = 1, .parent = NONE, .older = NONE, .newer = NONE};
}

void tree_fini(struct tree *t)
{
    free(t->node);
    free(t->bucket);
    memset(t, 0, sizeof(*t));
}
