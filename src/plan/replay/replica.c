/*
 * replica.c - see replica.h.
 */
#include "plan/replay/replica.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- who waits ---- */

static void queue_grow(struct queue *q, bool urgent)
{
    int cap = q->cap > 0 ? 2 * q->cap : 64;
    int *item = gp_malloc((size_t)cap * sizeof(*item));

    for (int i = 0; i < q->count; i++)
        item[i] = q->item[(q->first + i) & (q->cap - 1)];
    free(q->item);
    if (urgent)
        q->key = gp_realloc(q->key, (size_t)cap * sizeof(*q->key));
    *q = (struct queue){item, q->key, 0, q->count, cap};
}

struct urgency replica_urgency(const struct replica *r, int request, int64_t turn)
{
    const struct replay_rules *rules = r->rules;
    int priority = r->load->priority[request];
    bool told = priority != PRIORITY_UNTOLD;

    if (rules->scheduler == SCHEDULER_SGLANG)
        return (struct urgency){.rank = !told               ? INT64_MAX / 2
                                        : rules->high_first ? -(int64_t)priority
                                                            : priority,
                                .turn = turn};
    return (struct urgency){told ? priority : 0, r->out->arrival[request], request};
}

static void queue_set(struct queue *q, int at, int item, struct urgency key)
{
    q->item[at] = item;
    q->key[at] = key;
}

static int queue_up(struct queue *q, int at, int item, struct urgency key)
{
    for (int up; at > 0 && is_before(key, q->key[up = (at - 1) / 2]); at = up)
        queue_set(q, at, q->item[up], q->key[up]);
    queue_set(q, at, item, key);
    return at;
}

/* The first of a heap leaves it. */
static void queue_pop(struct queue *q)
{
    int last = --q->count, at = 0;
    struct urgency key = q->key[last];

    for (int child; (child = 2 * at + 1) < last; at = child) {
        child += child + 1 < last && is_before(q->key[child + 1], q->key[child]);
        if (!is_before(q->key[child], key))
            break;
        queue_set(q, at, q->item[child], q->key[child]);
    }
    queue_set(q, at, q->item[last], key);
}

static bool push_urgent(struct replica *r, int item)
{
    struct queue *q = &r->queue;
    int64_t turn = r->turns++;
    int request = item < 0 ? r->seq[~item].request : item;

    if (item < 0)
        r->seq[~item].turn = turn;
    return queue_up(q, q->count++, item, replica_urgency(r, request, turn)) == 0;
}

static void queue_drop_first(struct replica *r)
{
    struct queue *q = &r->queue;

    if (r->urgent) {
        queue_pop(q);
        return;
    }
    q->first = (q->first + 1) & (q->cap - 1);
    q->count--;
}

bool replica_push(struct replica *r, int item, bool first)
{
    struct queue *q = &r->queue;

    if (q->count == q->cap)
        queue_grow(q, r->urgent);
    if (r->urgent)
        return push_urgent(r, item);
    if (first)
        q->first = (q->first - 1) & (q->cap - 1);
    q->item[(q->first + (first ? 0 : q->count)) & (q->cap - 1)] = item;
    return q->count++ == 0;
}

int replica_first_ones(const struct replica *r, int *item, int most)
{
    const struct queue *q = &r->queue;
    int n = q->count < most ? q->count : most;

    if (!r->urgent) {
        for (int i = 0; i < n; i++)
            item[i] = q->item[(q->first + i) & (q->cap - 1)];
        return n;
    }
    struct queue copy = {.count = q->count};
    size_t count = (size_t)q->count;
    copy.item = memcpy(gp_malloc(count * sizeof(*copy.item)), q->item, count * sizeof(*copy.item));
    copy.key = memcpy(gp_malloc(count * sizeof(*copy.key)), q->key, count * sizeof(*copy.key));
    for (int i = 0; i < n; i++) {
        item[i] = copy.item[0];
        queue_pop(&copy);
    }
    free(copy.item);
    free(copy.key);
    return n;
}

static int seq_new(struct replica *r)
{
    if (r->unused == SEQ_NONE) {
        size_t cap = (size_t)r->seqs;
        int from = r->seqs;

        r->seq = gp_grow(r->seq, &cap, cap + 64, sizeof(*r->seq));
        r->seqs = (int)cap;
        for (int i = r->seqs; i-- > from;) {
            r->seq[i].state = SEQ_UNUSED;
            r->seq[i].after = r->unused;
            r->unused = i;
        }
    }
    int i = r->unused;
    r->unused = r->seq[i].after;
    return i;
}

int replica_first(struct replica *r)
{
    struct queue *q = &r->queue;

    if (q->count == 0)
        return SEQ_NONE;
    int *item = &q->item[q->first & (q->cap - 1)];
    if (*item < 0)
        return ~*item;
    int i = seq_new(r), id = *item;
    const struct replay_load *l = r->load;
    r->seq[i] = (struct seq){.request = id,
                             .prompt = l->prompt[id],
                             .output = r->hands_on ? 1 : l->output[id],
                             .most = r->hands_on ? 1
                                     : l->most   ? l->most[id]
                                                 : l->output[id],
                             .turn = r->urgent ? q->key[0].turn : 0,
                             .left = BLOCKS_NONE,
                             .heap = -1,
                             .state = SEQ_WAITS,
                             .token = NAN};
    *item = ~i;
    return i;
}

/* ---- those that decode, by their last tick ---- */

/* Of those that end in the same tick the first in the engine's order ends first. */
static bool ends_before(const struct seq *a, const struct seq *b)
{
    return a->last != b->last ? a->last < b->last : a->entered < b->entered;
}

static void heap_set(struct replica *r, int at, int i)
{
    r->heap[at] = i;
    r->seq[i].heap = at;
}

static void heap_up(struct replica *r, int at)
{
    int i = r->heap[at];

    for (int up; at > 0 && ends_before(&r->seq[i], &r->seq[r->heap[up = (at - 1) / 2]]); at = up)
        heap_set(r, at, r->heap[up]);
    heap_set(r, at, i);
}

static void heap_down(struct replica *r, int at, int count)
{
    int i = r->heap[at];

    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && ends_before(&r->seq[r->heap[child + 1]], &r->seq[r->heap[child]]))
            child++;
        if (!ends_before(&r->seq[r->heap[child]], &r->seq[i]))
            break;
        heap_set(r, at, r->heap[child]);
    }
    heap_set(r, at, i);
}

void replica_decode_begin(struct replica *r, int i)
{
    struct seq *s = &r->seq[i];

    s->state = SEQ_DECODES;
    s->tick = r->tick;
    s->began = r->steps;
    r->began = s->began == r->began_step ? r->began + 1 : 1;
    r->began_step = s->began;
    r->yet += s->most - s->made + s->tick;
    r->most = s->most > r->most ? s->most : r->most;
    s->last = r->tick + s->output - s->made;
    r->heap = gp_grow(r->heap, &r->heap_cap, (size_t)r->decoding + 1, sizeof(*r->heap));
    heap_set(r, r->decoding, i);
    heap_up(r, r->decoding++);
    r->context += s->computed;
    s->enters = (s->computed + r->entering) % r->rules->block;
    r->enter[s->enters]++;
}

void replica_decode_end(struct replica *r, int i)
{
    struct seq *s = &r->seq[i];
    int at = s->heap, last = r->heap[--r->decoding];

    if (last != i) {
        heap_set(r, at, last);
        heap_up(r, at);
        heap_down(r, r->seq[last].heap, r->decoding);
    }
    s->heap = -1;
    r->enter[s->enters]--;
    if (!r->reserves)
        s->held += blocks_of(r, seq_computed(r, s)) - blocks_of(r, s->computed);
    r->context -= (double)seq_computed(r, s);
    r->yet -= s->most - s->made + s->tick;
    int64_t ticks = r->tick - s->tick;
    s->computed += (int)ticks;
    s->made += (int)ticks;
    s->state = SEQ_PROMPT;
}

void replica_hold_back(struct replica *r, int i)
{
    r->held = gp_grow(r->held, &r->held_cap, (size_t)r->held_back + 1, sizeof(*r->held));
    r->held[r->held_back++] = i;
    r->enter[r->seq[i].enters]--;
}

bool replica_held_back(struct replica *r, int i)
{
    int n = 0;

    while (n < r->held_back && r->held[n] != i)
        n++;
    if (n == r->held_back)
        return false;
    r->held[n] = r->held[--r->held_back];
    r->enter[r->seq[i].enters]++;
    return true;
}

void replica_shift_held(struct replica *r, bool ticked)
{
    for (int k = 0; k < r->held_back; k++) {
        struct seq *s = &r->seq[r->held[k]];

        if (ticked) {
            s->tick++;
            s->last++;
            r->yet++;
            heap_down(r, s->heap, r->decoding);
            s->enters = s->enters > 0 ? s->enters - 1 : r->rules->block - 1;
        }
        r->enter[s->enters]++;
    }
}

/* ---- blocks ---- */

static int group_blocks(const struct replica *r)
{
    return r->load->hash_tokens / r->rules->block;
}

static uint32_t hash_count(const struct replica *r, const struct seq *s)
{
    const struct replay_load *l = r->load;

    if (!l->hash || !r->rules->caches || r->rules->slot_keeps)
        return 0;
    return l->hash_at[s->request + 1] - l->hash_at[s->request];
}

static int session_item(const struct replica *r, const struct blocks *blocks, int request)
{
    const struct replay_load *l = r->load;

    if (!l->turn || !r->rules->caches || l->turn[request].history <= 0)
        return BLOCKS_NONE;
    return blocks_find(blocks, ~(uint64_t)l->turn[request].session);
}

/* What it left itself, or the turn before it. */
static int left_item(const struct replica *r, const struct seq *s)
{
    return s->left != BLOCKS_NONE ? s->left : session_item(r, &r->blocks, s->request);
}

double replica_knows(const struct replica *r, int request)
{
    const struct replay_load *l = r->load;
    double known = 0;

    if (r->tree.buckets > 0)
        return tree_find(&r->tree, request, l->prompt[request] / r->rules->block).blocks *
               (double)r->rules->block;
    for (uint32_t at = l->hash ? l->hash_at[request] : 0; l->hash && at < l->hash_at[request + 1];
         at++, known += l->hash_tokens)
        if (blocks_find(&r->blocks, l->hash[at]) == BLOCKS_NONE)
            break;
    int item = session_item(r, &r->blocks, request);
    if (item == BLOCKS_NONE)
        return known;
    const struct blocks_item *left = &r->blocks.item[item];
    return fmax(known, fmin((double)(left->from + left->count) * r->rules->block,
                            l->turn[request].history));
}

/* Blocks up to which the turn before left its session's. */
static int history_end(const struct replica *r, const struct seq *s, const struct blocks_item *item)
{
    int end = item->from + item->count, history = r->load->turn[s->request].history;

    return end < history / r->rules->block ? end : history / r->rules->block;
}

/* What host memory has behind the first `hit` blocks of a prompt, blocks. */
static int host_hit(const struct replica *r, const struct seq *s, int hit, int most)
{
    uint32_t hashes = hash_count(r, s);
    int group = hashes > 0 ? group_blocks(r) : 1, from = hit;

    if (r->host.all == 0)
        return 0;
    for (uint32_t n = (uint32_t)(hit / group); hit % group == 0 && n < hashes && hit < most; n++) {
        int i = blocks_find(&r->host, r->load->hash[r->load->hash_at[s->request] + n]);

        if (i == BLOCKS_NONE || r->host.item[i].count < group)
            break;
        hit += group;
    }
    int left = session_item(r, &r->host, s->request);
    if (left != BLOCKS_NONE && hit >= r->host.item[left].from) {
        int end = history_end(r, s, &r->host.item[left]);

        hit = end > hit ? end : hit;
    }
    return (hit < most ? hit : most) - from;
}

/* What others left in the pool of the first `most` blocks; returns how many. */
static int pool_hit(const struct replica *r, const struct seq *s, int most, struct prefix_hit *hit)
{
    uint32_t hashes = hash_count(r, s);
    int found = 0;

    while ((uint32_t)hit->groups < hashes && found < most &&
           found == hit->groups * group_blocks(r)) {
        int i = blocks_find(&r->blocks, r->load->hash[r->load->hash_at[s->request] + hit->groups]);

        if (i == BLOCKS_NONE)
            break;
        hit->idle += r->blocks.item[i].holders == 0 ? r->blocks.item[i].count : 0;
        found += r->blocks.item[i].count;
        hit->groups++;
    }
    int left = left_item(r, s);
    if (left != BLOCKS_NONE && found >= r->blocks.item[left].from) {
        const struct blocks_item *item = &r->blocks.item[left];
        int end = s->left == BLOCKS_NONE ? history_end(r, s, item) : item->from + item->count;

        end = end < most ? end : most;
        hit->idle += end > found ? end - item->from : 0;
        found = end > found ? end : found;
    }
    return found < most ? found : most;
}

struct prefix_hit replica_hit(struct replica *r, const struct seq *s)
{
    int block = r->rules->block, most = (seq_known(s) - 1) / block, found;
    struct prefix_hit hit = {0};

    if (r->tree.buckets > 0) {
        struct tree_place place = tree_match(&r->tree, s->request, most);

        hit.node = place.node;
        hit.shared = found = place.blocks;
        hit.idle = tree_idle(&r->tree, place.node);
    } else {
        found = pool_hit(r, s, most, &hit);
    }
    if (found == 0 && r->load->cached > 0 && s->left == BLOCKS_NONE && !r->load->hash &&
        !r->load->turn) {
        /* of whom, nobody knows: as its own */
        found = (int)fmin(r->load->cached * s->prompt, most * block) / block;
        hit.idle = found;
    }
    int host = host_hit(r, s, found, most);
    hit.tokens = (found + host) * block;
    hit.host = host * block;
    hit.idle += host;
    return hit;
}

/* Host memory keeps so many blocks under a key, behind those `from`. */
static void host_keep(struct replica *r, int64_t n, uint64_t key, int from)
{
    int had = blocks_find(&r->host, key);

    if (had != BLOCKS_NONE)
        blocks_give(&r->host, blocks_reclaim(&r->host, had));
    if (n > r->host.all)
        return;
    blocks_take(&r->host, n);
    blocks_leave_session(&r->host, n, key, from);
}

/* Who ends leaves what it has of its groups there, too; returns their blocks. */
static int host_keep_groups(struct replica *r, const struct seq *s)
{
    int hashes = (int)hash_count(r, s), n = 0;

    for (; n < hashes && (n + 1) * r->load->hash_tokens <= s->computed; n++)
        host_keep(r, group_blocks(r), r->load->hash[r->load->hash_at[s->request] + (uint32_t)n],
                  n * group_blocks(r));
    return hashes > 0 ? n * group_blocks(r) : 0;
}

void replica_tree_add(struct replica *r, int i)
{
    struct seq *s = &r->seq[i];
    int full = s->computed / r->rules->block, prompt = s->prompt / r->rules->block, node;
    int had = tree_insert(&r->tree, s->request, full, &node);

    if (!r->rules->late && prompt < full) { /* the answer can go without the prompt */
        tree_match(&r->tree, s->request, prompt);
        node = tree_match(&r->tree, s->request, full).node;
    }
    blocks_give(&r->blocks, had - s->shared); /* the tree holds each token once */
    s->held -= full - s->shared;
    tree_lock(&r->tree, node);
    tree_unlock(&r->tree, s->node);
    s->node = node;
    s->shared = full;
}

void replica_groups_add(struct replica *r, int i)
{
    struct seq *s = &r->seq[i];
    int hashes = (int)hash_count(r, s), n = hashes > 0 ? group_blocks(r) : 0;
    int full = s->computed / r->rules->block;
    int *item = r->item ? r->item + r->load->hash_at[s->request] : NULL;

    while (hashes > 0) {
        if (s->groups > 0) {
            struct blocks_item *last = &r->blocks.item[item[s->groups - 1]];
            int in_it = full - (s->groups - 1) * n;

            if (last->filler == i) {
                int more = (in_it < n ? in_it : n) - last->count;

                last->count += more;
                s->held -= more;
                last->filler = in_it < n ? i : SEQ_NONE;
            }
            if (in_it < n)
                return;
        }
        if (s->groups == hashes || full <= s->groups * n)
            return;
        item[s->groups] =
            blocks_add(&r->blocks, r->load->hash[r->load->hash_at[s->request] + s->groups], i);
        s->groups++;
    }
}

/* Who comes back from host memory does so in turn; the step does not wait for it. */
static void host_load(struct replica *r, const struct seq *s, int tokens)
{
    struct replay_outcome *o = &r->out->outcome[s->request];

    r->link = fmax(r->link, r->decide) + tokens * r->rules->host_token;
    if (s->made == 0) { /* later ones are between two tokens */
        o->loads = (float)(r->link - r->decide);
        r->out->host_tokens += tokens;
    }
}

/* Of what is in the pool here. */
static void pool_take_hit(struct replica *r, int i, const struct prefix_hit *hit, int here)
{
    struct seq *s = &r->seq[i];
    int64_t found = 0;

    for (int n = 0; n < hit->groups; n++) {
        uint32_t at = r->load->hash_at[s->request] + n;
        int item = blocks_find(&r->blocks, r->load->hash[at]);

        r->item[at] = item;
        found += r->blocks.item[item].count;
        blocks_hold(&r->blocks, item);
        if (r->blocks.item[item].filler == SEQ_NONE && r->blocks.item[item].count < group_blocks(r))
            r->blocks.item[item].filler = i;
    }
    int left = left_item(r, s);
    if (left != BLOCKS_NONE && here > found) {
        int count = blocks_reclaim(&r->blocks, left);

        s->held = here - found;
        blocks_give(&r->blocks, count - s->held);
    } else if (left != BLOCKS_NONE) {
        blocks_forget(&r->blocks, left);
    } else if (hit->groups == 0 && here > 0) {
        s->held = here;
        blocks_take(&r->blocks, s->held);
    }
}

/* Blocks beyond those that are found; with a tree, when the step is packed. */
static void take_blocks(struct replica *r, struct seq *s, int64_t n)
{
    s->held += n;
    if (r->tree.buckets > 0)
        r->owed += n;
    else
        blocks_take(&r->blocks, n);
}

void replica_take_hit(struct replica *r, int i, const struct prefix_hit *hit)
{
    struct seq *s = &r->seq[i];
    int host = hit->host / r->rules->block, here = hit->tokens / r->rules->block - host;

    if (hit->host > 0)
        host_load(r, s, hit->host);
    if (r->tree.buckets > 0) {
        tree_lock(&r->tree, hit->node);
        s->node = hit->node;
        s->shared = hit->shared;
        take_blocks(r, s, here - hit->shared);
    } else {
        pool_take_hit(r, i, hit, here);
    }
    take_blocks(r, s, host);
    s->left = BLOCKS_NONE;
    s->groups = hit->groups;
    s->computed = hit->tokens;
    if (s->made == 0) {
        r->out->outcome[s->request].cached = hit->tokens;
        r->out->cached_tokens += hit->tokens;
        if (r->load->turn && r->load->turn[s->request].history > 0)
            r->out->history_tokens += hit->tokens;
    }
}

/* Will the next turn ask for what it leaves? */
static bool session_goes_on(const struct replica *r, const struct seq *s)
{
    const struct replay_turn *turn = r->load->turn;

    if (!turn || r->rules->slot_keeps) /* a slot does not know either */
        return turn != NULL;
    int next = turn[s->request].next;
    return next >= 0 && turn[next].history > 0;
}

/* Blocks of the groups that it shares. */
static int64_t shared_blocks(const struct replica *r, const struct seq *s)
{
    int64_t n = 0;

    for (int i = 0; i < s->groups; i++)
        n += r->blocks.item[r->item[r->load->hash_at[s->request] + i]].count;
    return n;
}

/* The session's next turn finds so many blocks in host memory, behind those `from`. */
static void host_keep_session(struct replica *r, const struct seq *s, int64_t n, int from)
{
    if (r->host.all > 0)
        host_keep(r, n, ~(uint64_t)r->load->turn[s->request].session, from);
}

static void seq_free_tree(struct replica *r, int i, bool ends)
{
    struct seq *s = &r->seq[i];

    if (ends && r->host.all > 0) {
        int shared = host_keep_groups(r, s);

        if (session_goes_on(r, s))
            host_keep_session(r, s, s->computed / r->rules->block - shared, shared);
    }
    if (ends)
        replica_tree_add(r, i);
    for (int n = 0; n < r->prompted_count; n++)
        if (r->prompted[n].seq == i)
            r->prompted[n].seq = SEQ_NONE;
    tree_unlock(&r->tree, s->node);
    blocks_give(&r->blocks, s->held);
    s->held = s->node = s->shared = 0;
}

/* Of what it has computed so many tokens have a hash; ends: it will not ask for them. */
static void seq_free_blocks(struct replica *r, int i, int64_t tokens, bool ends)
{
    struct seq *s = &r->seq[i];
    int64_t own = s->held;

    if (r->tree.buckets > 0) {
        seq_free_tree(r, i, ends);
        return;
    }
    s->held = 0;
    if (r->host.all > 0 && ends)
        host_keep_groups(r, s);
    if (r->rules->caches && own > 0) {
        int64_t whole = own - (blocks_of(r, s->computed) - tokens / r->rules->block);

        whole = whole < 0 ? 0 : whole;
        if (ends && session_goes_on(r, s)) {
            int64_t shared = shared_blocks(r, s), most = tokens / r->rules->block - shared;

            whole = whole < most ? whole : most;
            blocks_give(&r->blocks, own - whole);
            blocks_leave_session(&r->blocks, whole, ~(uint64_t)r->load->turn[s->request].session,
                                 (int)shared);
            host_keep_session(r, s, whole, (int)shared);
        } else {
            blocks_give(&r->blocks, own - whole);
            s->left = blocks_leave(&r->blocks, whole, ends);
            if (s->left != BLOCKS_NONE)
                r->blocks.item[s->left].from = (int)(tokens / r->rules->block - whole);
        }
    } else {
        blocks_give(&r->blocks, own);
    }
    /* the end of a prompt is taken by others before its beginning */
    for (int n = s->groups; n-- > 0;) {
        int item = r->item[r->load->hash_at[s->request] + n];

        if (r->blocks.item[item].filler == i)
            r->blocks.item[item].filler = SEQ_NONE;
        blocks_release(&r->blocks, item);
    }
    s->groups = 0;
}

static void warm_tree(struct replica *r, int id)
{
    int tokens = r->load->prompt[id] + r->load->output[id] - 1, full = tokens / r->rules->block;
    struct tree_place place = tree_match(&r->tree, id, full);
    int node;

    tree_lock(&r->tree, place.node);
    tree_evict(&r->tree, (int64_t)(full - place.blocks) * r->rules->block);
    r->blocks.free -= full - place.blocks;
    tree_unlock(&r->tree, place.node);
    tree_insert(&r->tree, id, full, &node);
}

static void warm_groups(struct replica *r, int id)
{
    const struct replay_load *l = r->load;
    int tokens = l->prompt[id] + l->output[id] - 1, full = tokens / r->rules->block;
    int group = group_blocks(r);
    int64_t own = blocks_of(r, tokens);

    for (uint32_t at = l->hash_at[id]; at < l->hash_at[id + 1]; at++, own -= group) {
        int item = blocks_find(&r->blocks, l->hash[at]);

        if (item != BLOCKS_NONE) {
            blocks_hold(&r->blocks, item);
        } else {
            blocks_take(&r->blocks, group);
            item = blocks_add(&r->blocks, l->hash[at], SEQ_NONE);
            r->blocks.item[item].count = group;
        }
        r->item[at] = item;
    }
    blocks_take(&r->blocks, own);
    blocks_give(&r->blocks, blocks_of(r, tokens) - full);
    blocks_leave(&r->blocks, own - (blocks_of(r, tokens) - full), true);
    for (uint32_t at = l->hash_at[id + 1]; at-- > l->hash_at[id];)
        blocks_release(&r->blocks, r->item[at]);
}

void replica_warm(struct replica *r, int n)
{
    const struct replay_load *l = r->load;

    for (int id = 0; id < n && l->hash && r->rules->caches && !r->rules->slot_keeps; id++) {
        struct seq s = {.request = id, .computed = l->prompt[id] + l->output[id] - 1};

        if (blocks_of(r, s.computed) > r->rules->blocks)
            continue;
        if (r->tree.buckets > 0)
            warm_tree(r, id);
        else
            warm_groups(r, id);
        if (r->host.all > 0)
            host_keep_groups(r, &s);
    }
}

/* ---- those that run ---- */

static void list_remove(struct replica *r, int i)
{
    struct seq *s = &r->seq[i];

    *(s->before == SEQ_NONE ? &r->head : &r->seq[s->before].after) = s->after;
    *(s->after == SEQ_NONE ? &r->tail : &r->seq[s->after].before) = s->before;
}

void replica_admit(struct replica *r, int i)
{
    struct seq *s = &r->seq[i];
    struct replay_outcome *o = &r->out->outcome[s->request];

    queue_drop_first(r);
    s->before = r->tail;
    s->after = SEQ_NONE;
    *(r->tail == SEQ_NONE ? &r->head : &r->seq[r->tail].after) = i;
    r->tail = i;
    s->state = SEQ_PROMPT;
    s->entered = r->entered++;
    r->running++;
    r->prompts++;
    if (isnan(o->queue))
        o->queue = (float)(r->decide - r->out->arrival[s->request]);
}

void replica_chunk(struct replica *r, int i, int n)
{
    struct seq *s = &r->seq[i];

    if (!r->reserves) {
        int64_t need = blocks_of(r, s->computed + n) - blocks_of(r, s->computed);

        take_blocks(r, s, need);
    }
    r->chunk = gp_grow(r->chunk, &r->chunk_cap, (size_t)r->chunks + 1, sizeof(*r->chunk));
    r->chunk[r->chunks++] = (struct replay_chunk){i, s->request, n, s->computed};
    s->computed += n;
    if (!r->alone)
        replica_groups_add(r, i);
}

int replica_chunk_back(struct replica *r, int i)
{
    int n = 0;

    while (n < r->chunks && r->chunk[n].seq != i)
        n++;
    if (n == r->chunks)
        return 0;
    int tokens = r->chunk[n].tokens;
    memmove(&r->chunk[n], &r->chunk[n + 1], (size_t)(--r->chunks - n) * sizeof(*r->chunk));
    return tokens;
}

void replica_join(struct replica *r)
{
    r->stuck = false;
    while (r->joins && r->queue.count > 0) {
        int i = replica_first(r);
        struct seq *s = &r->seq[i];

        if (s->made > 0) /* it lost its blocks here, and is computed anew here */
            return;
        int64_t need = blocks_of(r, s->prompt + (r->reserves ? s->most : 0));
        r->lacks_slots = r->running >= r->rules->slots;
        r->lacks_blocks = need > blocks_left(&r->blocks);
        r->stuck = r->lacks_slots || r->lacks_blocks;
        if (r->stuck)
            return;
        replica_admit(r, i);
        r->prompts--;
        blocks_take(&r->blocks, need);
        s->held = need;
        s->computed = s->prompt;
        s->made = 1;
        r->out->outcome[s->request].ttft = (float)(r->decide - r->out->arrival[s->request]);
        replica_decode_begin(r, i);
        r->fresh++;
        r->fresh_at = r->decide;
    }
}

static void tell_preempted(struct replica *r, int request)
{
    r->preempted =
        gp_grow(r->preempted, &r->preempted_cap, (size_t)r->preemptions + 1, sizeof(*r->preempted));
    r->preempted[r->preemptions++] = request;
}

/* It loses its blocks and waits again. */
static void seq_lose(struct replica *r, int i, bool first, int64_t found)
{
    struct seq *s = &r->seq[i];

    r->running--;
    r->out->preemptions++;
    r->out->recomputed += s->computed;
    if (r->out->outcome[s->request].preemptions < UINT16_MAX)
        r->out->outcome[s->request].preemptions++;
    seq_free_blocks(r, i, found, false);
    s->computed = 0;
    s->state = SEQ_WAITS;
    replica_push(r, ~i, first);
    tell_preempted(r, s->request);
}

void replica_preempt(struct replica *r, int i, bool first, int64_t found)
{
    struct seq *s = &r->seq[i];

    if (s->state == SEQ_DECODES) {
        replica_decode_end(r, i);
        s->token = r->joined;
    } else {
        r->prompts--;
    }
    list_remove(r, i);
    seq_lose(r, i, first, found);
}

void replica_end(struct replica *r, int i, double at, bool alone)
{
    struct seq *s = &r->seq[i];
    struct replay_outcome *o = &r->out->outcome[s->request];

    list_remove(r, i);
    if (!r->hands_on || r->load->output[s->request] == 1) {
        o->e2e = (float)(at - r->out->arrival[s->request]);
        r->out->completed++;
        r->out->last = fmax(r->out->last, at);
    }
    int place = r->released_count++;
    r->released =
        gp_grow(r->released, &r->released_cap, (size_t)r->released_count, sizeof(*r->released));
    for (; place > 0; place--) { /* a prompt's only token may come in the order of the others */
        const struct released *before = &r->released[place - 1];

        if (before->at < at || r->seq[before->seq].entered < s->entered)
            break;
        r->released[place] = *before;
    }
    r->released[place] = (struct released){at, i, alone};
    if (!s->told)
        r->ended(r->ended_ctx, r, s->request, at, false);
    s->told = true;
}

static void seq_unuse(struct replica *r, int i)
{
    r->seq[i].state = SEQ_UNUSED;
    r->seq[i].after = r->unused;
    r->unused = i;
}

static int released_remove(struct replica *r, int n)
{
    int i = r->released[n].seq;

    memmove(&r->released[n], &r->released[n + 1],
            (size_t)(--r->released_count - n) * sizeof(*r->released));
    return i;
}

/* Slot and blocks of released[n] are free, of which so many tokens may be found. */
static void release_at(struct replica *r, int n, int64_t found)
{
    int i = released_remove(r, n);

    seq_free_blocks(r, i, found, true);
    seq_unuse(r, i);
    r->running--;
}

void replica_take_back(struct replica *r, int n)
{
    int i = released_remove(r, n);
    struct seq *s = &r->seq[i];

    s->made--;
    r->out->output_tokens--;
    r->out->completed--;
    r->out->outcome[s->request].e2e = NAN;
    if (s->made == 0)
        r->out->outcome[s->request].ttft = NAN;
    s->token = s->made > 0 ? r->joined : NAN;
    seq_lose(r, i, false, 0);
}

/* Prompts are in the tree when the engine sees that they are worked off; of one batch those of
 * requests that go on, here the ones before `entered`, in its order. */
static void prompted_add(struct replica *r, double at, int64_t entered)
{
    int n = 0;

    for (; n < r->prompted_count; n++) {
        const struct released *p = &r->prompted[n];

        if (p->at > at || (p->at == at && p->seq != SEQ_NONE && r->seq[p->seq].entered >= entered))
            break;
        if (p->seq != SEQ_NONE)
            replica_tree_add(r, p->seq);
    }
    if (n > 0)
        memmove(r->prompted, r->prompted + n,
                (size_t)(r->prompted_count - n) * sizeof(*r->prompted));
    r->prompted_count -= n;
}

void replica_release(struct replica *r)
{
    while (r->released_count > 0 && r->released[0].at <= r->decide) {
        const struct seq *s = &r->seq[r->released[0].seq];

        prompted_add(r, r->released[0].at, s->entered);

        r->left++;
        r->left_alone += r->released[0].prompt;
        r->leaving_most += s->most - s->made;
        release_at(r, 0, s->computed);
    }
    prompted_add(r, r->decide, INT64_MAX);
}

bool replica_release_last(struct replica *r)
{
    const struct seq *last = &r->seq[r->tail];
    int found = -1;

    for (int n = 0; n < r->released_count; n++)
        if (r->seq[r->released[n].seq].entered > last->entered) {
            last = &r->seq[r->released[n].seq];
            found = n;
        }
    if (found < 0)
        return false;
    replica_release_now(r, found);
    return true;
}

void replica_release_now(struct replica *r, int n)
{
    const struct seq *s = &r->seq[r->released[n].seq];

    tell_preempted(r, s->request);
    release_at(r, n, s->computed - (s->output > 1));
}

void replica_refuse_first(struct replica *r)
{
    int i = replica_first(r);
    struct seq *s = &r->seq[i];

    queue_drop_first(r);
    r->full = false;
    if (s->left != BLOCKS_NONE)
        blocks_forget(&r->blocks, s->left);
    int request = s->request;
    seq_unuse(r, i);
    r->ended(r->ended_ctx, r, request, r->decide, true);
}

void replica_fini(struct replica *r)
{
    free(r->seq);
    free(r->enter);
    free(r->heap);
    free(r->queue.item);
    free(r->queue.key);
    blocks_fini(&r->blocks);
    blocks_fini(&r->host);
    tree_fini(&r->tree);
    free(r->item);
    free(r->released);
    free(r->prompted);
    free(r->chunk);
    free(r->preempted);
    free(r->held);
    memset(r, 0, sizeof(*r));
}
