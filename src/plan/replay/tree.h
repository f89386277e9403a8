/*
 * tree.h - SGLang's prefix cache (mem_cache/radix_cache.py): a tree whose nodes hold the blocks of
 * a piece of a prompt or answer, behind those of the nodes above.
 *
 * Whose tokens are alike follows from the load: hashed groups by their hash, the turns of a
 * session up to the history they share, all else by request. A walk splits the node in which it
 * ends, and makes what it passes the last used. Who runs locks its path; of the others the
 * longest unused leaf is given away whole, even if less is needed.
 *
 * Nodes that nobody locks are in a list by use, of one walk the deepest first: so its first is
 * always a leaf.
 */
#ifndef GP_PLAN_REPLAY_TREE_H
#define GP_PLAN_REPLAY_TREE_H

#include "plan/replay/blocks.h"
#include "plan/replay/replay.h"

#define TREE_ROOT 0

struct tree_node {
    int request, from, to; /* blocks from..to of its tokens */
    int parent, locks;
    uint64_t key;     /* of its first block */
    int64_t used;     /* walk */
    int older, newer; /* in order of use, while nobody locks it */
    int next;         /* of its bucket, or of the unused */
};

struct tree {
    const struct replay_load *load;
    struct blocks *pool;    /* free, and idle: of nodes that nobody locks */
    int block;              /* tokens */
    bool coarse;            /* where some is lacking, leaves as for all go (0.5.15) */
    struct tree_node *node; /* owned */
    size_t cap;
    int unused, oldest, newest;
    int64_t walks;
    int *bucket; /* owned; nodes by parent and first block */
    int buckets; /* a power of two; 0 = there is no tree */
    int keyed;   /* nodes in them */
};

/* Blocks from the root to a node. */
struct tree_place {
    int node, blocks;
};

void tree_init(struct tree *tree, const struct replay_load *load, struct blocks *pool, int block,
               bool coarse);
void tree_fini(struct tree *tree);

/* What is there of a request's first blocks; a node may hold more than them. */
struct tree_place tree_find(const struct tree *tree, int request, int blocks);
/* The same by a walk. */
struct tree_place tree_match(struct tree *tree, int request, int blocks);
/* Puts the blocks in that are not there: these were the pool's to spend, and are the tree's now.
 * Returns how many were there; *node: of the last. */
int tree_insert(struct tree *tree, int request, int blocks, int *node);
/* All from the root to a node. */
void tree_lock(struct tree *tree, int node);
void tree_unlock(struct tree *tree, int node);
/* Of these, blocks that nobody locks. */
int64_t tree_idle(const struct tree *tree, int node);
/* Gives leaves away until so many tokens are free, or there is none. */
void tree_evict(struct tree *tree, int64_t tokens);

#endif
