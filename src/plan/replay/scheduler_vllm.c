/*
 * scheduler_vllm.c - vLLM (v1/core/sched/scheduler.py: schedule): each step gives every running
 * request what it lacks, in order of admission, then lets others in while tokens are left.
 *
 * Who runs lacks one token, or the rest of a prompt. As long as tokens and blocks suffice for
 * all of them their order does not matter, and they are only counted. By priority
 * (request_queue.py) the queue is in another order, and so are those that give way.
 */
#include "plan/replay/replica.h"

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

/* Tokens of a prompt in a step that has `left`. */
static int chunk_tokens(const struct replica *r, int rest, int left)
{
    bool all = r->rules->threshold <= 0 || (r->rules->lone && r->running + r->queue.count <= 1);

    return min_of(all ? rest : min_of(rest, r->rules->threshold), left);
}

/* Those that run, where there is enough for all; false: there is not. */
static bool pack_all(struct replica *r, int *left)
{
    int tokens = r->decoding * r->rules->decode_tokens;
    int64_t blocks = replica_entering(r);
    int prompts = r->prompts;

    if (tokens > *left)
        return false;
    for (int i = r->tail; prompts > 0; i = r->seq[i].before) {
        struct seq *s = &r->seq[i];

        if (s->state != SEQ_PROMPT)
            continue;
        prompts--;
        /* the last one alone may be cut without a look at the order */
        int n = chunk_tokens(r, seq_known(s) - s->computed, *left - tokens);
        if (n < chunk_tokens(r, seq_known(s) - s->computed, r->rules->budget) &&
            (r->prompts > 1 || i != r->tail))
            return false;
        tokens += n;
        blocks += blocks_of(r, s->computed + n) - blocks_of(r, s->computed);
    }
    if (blocks > blocks_left(&r->blocks))
        return false;
    replica_take(r, replica_entering(r));
    *left -= r->decoding * r->rules->decode_tokens;
    prompts = r->prompts;
    for (int i = r->head; prompts > 0; i = r->seq[i].after) {
        struct seq *s = &r->seq[i];

        if (s->state != SEQ_PROMPT)
            continue;
        prompts--;
        int n = chunk_tokens(r, seq_known(s) - s->computed, *left);
        if (n <= 0)
            continue;
        replica_chunk(r, i, n);
        *left -= n;
    }
    return true;
}

/* Who gives way: the last that runs. By priority the least urgent, of those, too, whose last token
 * is under way: -2 - its place among the released ones. */
static int victim_of(const struct replica *r)
{
    struct urgency worst = {.rank = INT64_MIN};
    int victim = r->tail;

    if (!r->urgent)
        return victim;
    for (int i = r->head; i != SEQ_NONE; i = r->seq[i].after)
        if (is_before(worst, seq_urgency(r, &r->seq[i]))) {
            worst = seq_urgency(r, &r->seq[i]);
            victim = i;
        }
    for (int n = 0; n < r->released_count; n++)
        if (is_before(worst, seq_urgency(r, &r->seq[r->released[n].seq]))) {
            worst = seq_urgency(r, &r->seq[r->released[n].seq]);
            victim = -2 - n;
        }
    return victim;
}

/* It loses its blocks. A token that a step in flight computes has no hash yet; packed: what this
 * step would compute has one. Returns the tokens that are left over for others. */
static int lose_blocks(struct replica *r, int i, bool packed)
{
    const struct seq *s = &r->seq[i];
    bool decodes = s->state == SEQ_DECODES,
         flies = r->rules->overlap && decodes && r->tick > s->tick;
    int64_t computed = seq_computed(r, s), found = computed - flies;
    int tokens = 0;

    if (packed && decodes) {
        replica_take_none(r, blocks_of(r, computed + 1) - blocks_of(r, computed));
        tokens = r->rules->decode_tokens;
        found++;
    } else if (packed) {
        tokens = replica_chunk_back(r, i);
    }
    replica_preempt(r, i, true, found);
    return r->rules->priority == PRIORITY_KEEPS_BUDGET ? 0 : tokens;
}

/* One gives way to i, or is i. True: it stood before i, so that up to 0.32 the next one is passed
 * over. */
static bool give_way(struct replica *r, int victim, int i, int *left)
{
    bool released = victim < SEQ_NONE;
    int64_t entered = r->seq[released ? r->released[-2 - victim].seq : victim].entered;
    bool before = entered < r->seq[i].entered;

    if (released) {
        replica_release_now(r, -2 - victim);
        return before && r->rules->priority != PRIORITY_GOES_ON;
    }
    bool packed = before && !replica_held_back(r, victim);
    *left += lose_blocks(r, victim, packed);
    return before && (r->rules->priority == PRIORITY_KEEPS_BUDGET ||
                      (r->rules->priority == PRIORITY_GIVES_BACK && !packed));
}

/* The next one behind those up to *entered is passed over; returns who is next then. */
static int pass_over(struct replica *r, int next, int64_t *entered)
{
    int64_t least = next == SEQ_NONE ? INT64_MAX : r->seq[next].entered;

    for (int n = 0; n < r->released_count; n++) {
        int64_t at = r->seq[r->released[n].seq].entered;

        least = at > *entered && at < least ? at : least;
    }
    *entered = least;
    if (next == SEQ_NONE || least < r->seq[next].entered)
        return next;
    if (r->seq[next].state == SEQ_DECODES)
        replica_hold_back(r, next);
    return r->seq[next].after;
}

/* In order; who finds no block takes those of who gives way. */
static void pack_in_order(struct replica *r, int *left)
{
    int i = r->head, next;

    for (; i != SEQ_NONE && *left > 0; i = next) {
        struct seq *s = &r->seq[i];
        bool decodes = s->state == SEQ_DECODES, self = false;
        int64_t computed = seq_computed(r, s), entered = s->entered;
        int n = decodes ? min_of(r->rules->decode_tokens, *left)
                        : chunk_tokens(r, seq_known(s) - (int)computed, *left);
        int64_t need = blocks_of(r, computed + (decodes ? 1 : n)) - blocks_of(r, computed);
        int over = 0;

        while (!self && need > blocks_left(&r->blocks)) {
            if (!r->urgent && replica_release_last(r))
                continue;
            int victim = victim_of(r);
            next = s->after;
            self = victim == i;
            over += give_way(r, victim, i, left);
        }
        if (self && r->rules->priority != PRIORITY_GOES_ON) {
            i = next;
            break;
        }
        if (self)
            continue;
        next = s->after;
        *left -= n;
        if (decodes)
            replica_take(r, need);
        else
            replica_chunk(r, i, n);
        while (over-- > 0)
            next = pass_over(r, next, &entered);
    }
    for (; i != SEQ_NONE; i = r->seq[i].after)
        if (r->seq[i].state == SEQ_DECODES)
            replica_hold_back(r, i);
}

static void admit_waiting(struct replica *r, int left)
{
    while (left > 0 && replica_waiting(r) > 0) {
        r->lacks_slots = r->running >= r->rules->slots;
        if (r->lacks_slots)
            return;
        int i = replica_first(r);
        struct seq *s = &r->seq[i];
        struct prefix_hit hit = replica_hit(r, s);
        int n = chunk_tokens(r, seq_known(s) - hit.tokens, left);
        int64_t had = blocks_of(r, hit.tokens), need = blocks_of(r, hit.tokens + n) - had;
        int64_t most = r->rules->whole_prompt ? blocks_of(r, seq_known(s)) - had : need;

        r->lacks_blocks = most > blocks_left(&r->blocks) - hit.idle;
        /* of whole prompts only who was preempted: when his own go he may find others' */
        r->finds = r->lacks_blocks && hit.idle > 0 &&
                   (!r->rules->whole_prompt || r->urgent || s->made > 0);
        if (r->lacks_blocks)
            return;
        replica_admit(r, i);
        replica_take_hit(r, i, &hit);
        replica_chunk(r, i, n);
        left -= n;
    }
}

static int vllm_pack(struct replica *r)
{
    int left = r->rules->budget;

    r->lacks_slots = r->lacks_blocks = r->finds = false;
    if (!pack_all(r, &left))
        pack_in_order(r, &left);
    if (r->preemptions == 0)
        admit_waiting(r, left);
    return r->decoding - r->held_back;
}

/* The first that waits may be let in when others have taken blocks that it found. */
static int64_t vllm_steady(const struct replica *r)
{
    return r->finds ? 1 : INT64_MAX;
}

const struct scheduler_rules scheduler_vllm = {.pack = vllm_pack, .steady = vllm_steady};
