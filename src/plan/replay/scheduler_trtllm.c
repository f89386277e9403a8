/*
 * scheduler_trtllm.c - TensorRT-LLM's PyTorch back end (pyexecutor/scheduler/scheduler.py:
 * GuaranteedNoEvictPolicy, PyMicroBatchScheduler): who is let in has the blocks up to its last
 * token, max_tokens and not the answer's length, and is never paused; decodes go first.
 */
#include "plan/replay/replica.h"

static void reserve_blocks(struct replica *r)
{
    r->lacks_slots = r->lacks_blocks = false;
    while (replica_waiting(r) > 0) {
        r->lacks_slots = r->running >= r->rules->slots;
        if (r->lacks_slots)
            return;
        int i = replica_first(r);
        struct seq *s = &r->seq[i];
        struct prefix_hit hit = replica_hit(r, s);
        int64_t need = blocks_of(r, s->prompt + s->most) - blocks_of(r, hit.tokens);

        r->lacks_blocks = need > blocks_left(&r->blocks) - hit.idle;
        if (r->lacks_blocks)
            return;
        replica_admit(r, i);
        replica_take_hit(r, i, &hit);
        blocks_take(&r->blocks, need);
        s->held += need;
    }
}

static int trtllm_pack(struct replica *r)
{
    int left = r->rules->budget - r->decoding * r->rules->decode_tokens;

    reserve_blocks(r);
    for (int i = r->head, n = r->prompts; n > 0 && left > 0; i = r->seq[i].after) {
        struct seq *s = &r->seq[i];

        if (s->state != SEQ_PROMPT)
            continue;
        n--;
        int rest = seq_known(s) - s->computed;
        /* one that no step holds is cut, down to its last piece */
        bool cuts = r->rules->chunks || seq_known(s) > r->rules->budget;
        if (rest > left && !cuts)
            break;
        int tokens = rest < left ? rest : left;
        if (tokens < rest && tokens >= r->rules->block)
            tokens = tokens / r->rules->block * r->rules->block;
        replica_chunk(r, i, tokens);
        left -= tokens;
        if (tokens < rest)
            break;
    }
    return r->decoding;
}

const struct scheduler_rules scheduler_trtllm = {.pack = trtllm_pack, .reserves = true};
