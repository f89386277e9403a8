/*
 * scheduler_sglang.c - SGLang (managers/scheduler.py: get_next_batch_to_run;
 * schedule_policy.py: PrefillAdder; schedule_batch.py: retract_decode): prompts run alone and
 * first, one of them may be cut; else all that decode make a step.
 */
#include <math.h>

#include "plan/replay/replica.h"

#define MOST_COUNTED 4096 /* tokens that may yet be made, of a request: CLIP_MAX_NEW_TOKENS */
#define RETRACT_AHEAD 20  /* tokens each that shall fit afterwards: SGLANG_RETRACT_DECODE_STEPS */

/* Tokens that the scheduler has seen of it: the step in flight has not told its own yet. */
static int64_t seq_seen(const struct replica *r, const struct seq *s)
{
    bool flies = r->rules->overlap && (r->last_decoded || s->began + 1 == r->out->steps);

    return seq_made(r, s) - (flies && s->state == SEQ_DECODES);
}

static int64_t clip_tokens(int64_t tokens)
{
    return tokens < 0 ? 0 : tokens < MOST_COUNTED ? tokens : MOST_COUNTED;
}

/* What is left for a batch of prompts, tokens. As the engine does, what is promised is summed
 * and then taken off: rounded alike. */
struct adder {
    int64_t chunk, input, free;
    int64_t taken;   /* by this batch at once */
    double promised; /* that, and what may yet be made */
};

static double memory_of(const struct adder *a)
{
    return (double)a->free - a->promised;
}

static int64_t whole_pages(const struct replica *r, int64_t tokens)
{
    return blocks_of(r, tokens) * r->rules->block;
}

static struct adder adder_of(const struct replica *r)
{
    double promised = 0;

    for (int i = r->head, n = r->decoding; n > 0; i = r->seq[i].after)
        if (r->seq[i].state == SEQ_DECODES) {
            promised += (double)clip_tokens(r->seq[i].most - seq_seen(r, &r->seq[i])) * r->ratio;
            n--;
        }
    /* those whose last token is under way are in the batch still */
    for (int n = 0; n < r->released_count; n++) {
        const struct seq *s =
            &r->seq[r->released[(r->released_first + n) & (r->released_cap - 1)].seq];

        promised += (double)clip_tokens(s->most - s->made + 1) * r->ratio;
    }
    return (struct adder){.chunk = r->rules->budget,
                          .input = r->rules->input,
                          .free = blocks_left(&r->blocks) * r->rules->block,
                          .promised = promised};
}

static void add_tokens(struct replica *r, struct adder *a, int i, int64_t n, bool whole)
{
    int64_t pages = whole_pages(r, n);

    a->taken += pages + r->rules->block;
    a->promised += (double)(pages + r->rules->block + (whole ? clip_tokens(r->seq[i].most) : 0));
    a->input -= pages;
    a->chunk -= pages;
    replica_chunk(r, i, (int)n);
}

/* The prompt that was cut goes on before any other. */
static void add_unfinished(struct replica *r, struct adder *a)
{
    struct seq *s = &r->seq[r->unfinished];
    int64_t rest = seq_known(s) - s->computed, left = blocks_left(&r->blocks) * r->rules->block;
    int64_t memory = (int64_t)memory_of(a), n = memory < a->chunk ? memory : a->chunk;

    n = n > 0 ? n : a->chunk < left ? a->chunk : left;
    if (n <= 0)
        return;
    bool whole = rest <= n;
    add_tokens(r, a, r->unfinished, whole ? rest : n, whole);
    if (whole)
        r->unfinished = SEQ_NONE;
}

/* The first that waits; false: the batch is complete. */
static bool add_first(struct replica *r, struct adder *a)
{
    int i = replica_first(r), groups;
    struct seq *s = &r->seq[i];
    int64_t idle, block = r->rules->block;
    int hit = replica_hit(r, s, &groups, &idle);
    int64_t rest = seq_known(s) - hit;

    a->free -= idle * block; /* what it finds can no longer be given to others */
    if ((double)(rest + clip_tokens(s->most - s->made) + block) >= memory_of(a)) {
        r->lacks_blocks = true;
        r->full = r->chunks > 0 || r->decoding + r->released_count > 0;
        return false;
    }
    int64_t cut = ((hit + a->chunk / block * block) / block * block) - hit;
    bool whole = whole_pages(r, rest) <= a->chunk;
    if (!whole && cut <= 0)
        return false;
    replica_admit(r, i);
    replica_take_hit(r, i, groups, hit);
    add_tokens(r, a, i, whole ? rest : cut, whole);
    if (!whole)
        r->unfinished = i;
    if (memory_of(a) <= 0 || a->free <= a->taken) {
        r->full = r->lacks_blocks = true;
        return false;
    }
    return true;
}

static void pack_prompts(struct replica *r)
{
    int cut = r->unfinished != SEQ_NONE, free = r->rules->slots - (r->running - cut);

    if (r->decoding + r->released_count == 0)
        r->full = false;
    if ((r->full || r->queue.count == 0) && !cut)
        return;
    r->lacks_slots = free <= 0;
    if (free <= 0 && !cut) {
        r->full = true;
        return;
    }
    struct adder a = adder_of(r);
    if (cut)
        add_unfinished(r, &a);
    while (r->queue.count > 0 && a.input > 0 && a.chunk > 0) {
        if (r->chunks >= free) {
            r->full = r->lacks_slots = true;
            return;
        }
        if (!add_first(r, &a))
            return;
    }
}

/* Fewest tokens made, then the longest prompt, then the last of the batch. */
static int victim_of(const struct replica *r)
{
    int found = SEQ_NONE;

    for (int i = r->head; i != SEQ_NONE; i = r->seq[i].after) {
        const struct seq *s = &r->seq[i], *f = &r->seq[found == SEQ_NONE ? i : found];

        if (s->state != SEQ_DECODES)
            continue;
        int64_t made = seq_seen(r, s), least = seq_seen(r, f);
        if (found == SEQ_NONE || made < least || (made == least && s->prompt >= f->prompt))
            found = i;
    }
    return found;
}

static void retract_some(struct replica *r)
{
    double made = 0, most = 0;

    do {
        int victim = victim_of(r);
        struct seq *s = &r->seq[victim];
        int lost = (int)(seq_made(r, s) - seq_seen(r, s)); /* the one under way is thrown away */

        replica_preempt(r, victim, false, s->computed);
        s->made -= lost;
        r->out->output_tokens -= lost;
    } while (r->decoding > 1 && replica_entering(r, 0) > blocks_left(&r->blocks));
    for (int i = r->head; i != SEQ_NONE; i = r->seq[i].after)
        if (r->seq[i].state == SEQ_DECODES) {
            made += (double)seq_seen(r, &r->seq[i]) + RETRACT_AHEAD;
            most += r->seq[i].most;
        }
    r->ratio = fmin(made / (most + 1), 1);
    r->full = false;
}

static int sglang_pack(struct replica *r)
{
    /* a batch of prompts that joins an empty one brings its own mark */
    if (r->joins_none)
        r->full = false;
    if (!r->full)
        r->lacks_slots = r->lacks_blocks = false;
    r->joins_none = r->decoding + r->released_count == 0;
    pack_prompts(r);
    if (r->chunks > 0)
        return 0;
    r->joins_none = false;
    if (r->decoding > 1 && replica_entering(r, 0) > blocks_left(&r->blocks)) {
        if (r->released_count > 0) { /* what these hold is free by the next step */
            r->full = false;
            return 0;
        }
        retract_some(r);
    }
    return r->decoding;
}

static int64_t sglang_steady(const struct replica *r)
{
    return r->queue.count > 0 && !r->full ? 1 : INT64_MAX;
}

static void sglang_decoded(struct replica *r, int64_t ticks)
{
    if (r->preemptions == 0)
        r->ratio = fmax(r->ratio - r->rules->ratio_step * (double)ticks, r->rules->ratio_least);
}

static void sglang_idle(struct replica *r)
{
    r->ratio = r->rules->ratio;
}

const struct scheduler_rules scheduler_sglang = {
    .pack = sglang_pack,
    .alone = true,
    .steady = sglang_steady,
    .decoded = sglang_decoded,
    .idle = sglang_idle,
};
