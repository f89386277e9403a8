/*
 * scheduler_llamacpp.c - llama.cpp's server (tools/server/server-context.cpp: update_slots): a
 * slot for each request with room for its whole context, one token of each that decodes, then
 * prompts in the order of the slots up to n_batch tokens.
 */
#include "plan/replay/replica.h"

static int llamacpp_pack(struct replica *r)
{
    int left = r->rules->budget - r->decoding * r->rules->decode_tokens;

    r->lacks_slots = false;
    while (replica_waiting(r) > 0) {
        r->lacks_slots = r->running >= r->rules->slots;
        if (r->lacks_slots)
            break;
        int i = replica_first(r);
        struct prefix_hit hit = replica_hit(r, &r->seq[i]);
        int64_t room = blocks_of(r, r->seq[i].prompt + r->seq[i].most) - blocks_of(r, hit.tokens);

        replica_admit(r, i);
        replica_take_hit(r, i, &hit);
        room = room < blocks_left(&r->blocks) ? room : blocks_left(&r->blocks);
        blocks_take(&r->blocks, room);
        r->seq[i].held += room;
        /* a slot that is taken anew loses what it kept */
        blocks_keep_sessions(&r->blocks, r->rules->slots - r->running);
    }
    for (int i = r->head, n = r->prompts; n > 0 && left > 0; i = r->seq[i].after) {
        struct seq *s = &r->seq[i];

        if (s->state != SEQ_PROMPT)
            continue;
        n--;
        int rest = seq_known(s) - s->computed;
        replica_chunk(r, i, rest < left ? rest : left);
        left -= rest < left ? rest : left;
    }
    return r->decoding;
}

const struct scheduler_rules scheduler_llamacpp = {.pack = llamacpp_pack, .reserves = true};
