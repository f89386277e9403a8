/*
 * scheduler_vllm.c - vLLM (v1/core/sched/scheduler.py: schedule): each step gives every running
 * request what it lacks, in order of admission, then lets others in while tokens are left.
 *
 * Who runs lacks one token, or the rest of a prompt. As long as tokens and blocks suffice for
 * all of them their order does not matter, and they are only counted.
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

/* The last that runs loses its blocks. A token that a step in flight computes has no hash yet. */
static void preempt_last(struct replica *r)
{
    const struct seq *s = &r->seq[r->tail];
    bool flies = r->rules->overlap && s->state == SEQ_DECODES && r->tick > s->tick;

    replica_preempt(r, r->tail, true, seq_computed(r, s) - flies);
}

/* In order; who finds no block takes those of the last. */
static void pack_in_order(struct replica *r, int *left)
{
    int i = r->head, next;

    for (; i != SEQ_NONE && *left > 0; i = next) {
        struct seq *s = &r->seq[i];
        bool decodes = s->state == SEQ_DECODES;
        int64_t computed = seq_computed(r, s);
        int n = decodes ? min_of(r->rules->decode_tokens, *left)
                        : chunk_tokens(r, seq_known(s) - (int)computed, *left);
        int64_t need = blocks_of(r, computed + (decodes ? 1 : n)) - blocks_of(r, computed);
        bool self = false;

        while (!self && need > blocks_left(&r->blocks)) {
            if (replica_release_last(r))
                continue;
            self = r->tail == i;
            preempt_last(r);
        }
        if (self)
            return;
        next = s->after;
        *left -= n;
        if (decodes)
            replica_take(r, need);
        else
            replica_chunk(r, i, n);
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
        r->finds = r->lacks_blocks && hit.idle > 0 && (!r->rules->whole_prompt || s->made > 0);
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
