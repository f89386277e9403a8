/*
 * scheduler_sglang.c - SGLang (managers/scheduler.py: get_next_batch_to_run;
 * schedule_policy.py: PrefillAdder; schedule_batch.py: retract_decode): prompts run alone and
 * first, one of them may be cut; else all that decode make a step.
 */
#include <math.h>

#include "plan/replay/replica.h"

#define MOST_COUNTED 4096 /* tokens that may yet be made, of a request: CLIP_MAX_NEW_TOKENS */
#define KEPT_EVERY 32     /* batches of prompts: WAITING_PREFIX_REFRESH_INTERVAL */
#define KEPT_MOST 128     /* requests: WAITING_QUEUE_PREFIX_MATCH_MAX */
#define RETRACT_AHEAD 20  /* tokens each that shall fit afterwards: SGLANG_RETRACT_DECODE_STEPS */

/* Tokens that the scheduler has seen of it: the step in flight has not told its own yet. */
static int64_t seq_seen(const struct replica *r, const struct seq *s)
{
    bool flies = r->rules->overlap && (r->last_decoded || s->began + 1 == r->steps);

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

static int64_t page_spare(const struct replica *r)
{
    return r->rules->bare ? 0 : r->rules->block;
}

/* Tokens that those which decode may yet make, as the scheduler sees them. */
static int64_t tokens_yet(const struct replica *r)
{
    int64_t sum = 0, last = r->began_step + 1 == r->steps ? r->began : 0;
    int64_t fly = !r->rules->overlap                      ? 0
                  : r->last_decoded || last > r->decoding ? r->decoding
                                                          : last;

    if (r->most <= MOST_COUNTED)
        return r->yet - r->decoding * r->tick + fly;
    for (int i = r->head, n = r->decoding; n > 0; i = r->seq[i].after)
        if (r->seq[i].state == SEQ_DECODES) {
            sum += clip_tokens(r->seq[i].most - seq_seen(r, &r->seq[i]));
            n--;
        }
    return sum;
}

static struct adder adder_of(const struct replica *r)
{
    double promised = (double)tokens_yet(r) * r->ratio;

    /* those whose last token is under way are in the batch still */
    for (int n = 0; n < r->released_count; n++) {
        const struct seq *s = &r->seq[r->released[n].seq];

        promised += (double)clip_tokens(s->most - s->made + 1) * r->ratio;
    }
    promised += (double)clip_tokens(r->leaving_most) * r->ratio;
    return (struct adder){.chunk = r->rules->budget,
                          .input = r->rules->input,
                          .free = blocks_left(&r->blocks) * r->rules->block,
                          .promised = promised};
}

static void add_tokens(struct replica *r, struct adder *a, int i, int64_t n, bool whole)
{
    int64_t pages = whole_pages(r, n);

    a->taken += pages + page_spare(r);
    a->promised += (double)(pages + page_spare(r) + (whole ? clip_tokens(r->seq[i].most) : 0));
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

/* Requests of the batch that decodes, as the scheduler sees it. */
static int in_batch(const struct replica *r)
{
    return r->decoding + r->released_count + r->leaving;
}

/* The first that waits; false: the batch is complete. */
static bool add_first(struct replica *r, struct adder *a)
{
    int i = replica_first(r);
    struct seq *s = &r->seq[i];
    int64_t block = r->rules->block;
    struct prefix_hit hit = replica_hit(r, s);
    int64_t rest = seq_known(s) - hit.tokens;

    s->seen = seq_known(s);
    s->rest = (int)rest;
    a->free -= hit.idle * block; /* what it finds can no longer be given to others */
    if ((double)(rest + clip_tokens(s->most - s->made) + page_spare(r)) >= memory_of(a)) {
        r->lacks_blocks = r->tries = true;
        r->full = r->rules->late || r->chunks > 0 || in_batch(r) > 0;
        return false;
    }
    if (a->input <= 0 || a->chunk <= 0 ||
        (r->rules->bare && whole_pages(r, rest) >= a->input && r->chunks > 0))
        return false;
    int64_t cut = ((hit.tokens + a->chunk / block * block) / block * block) - hit.tokens;
    bool whole = whole_pages(r, rest) <= a->chunk;
    if (!whole && cut <= 0)
        return false;
    replica_admit(r, i);
    replica_take_hit(r, i, &hit);
    add_tokens(r, a, i, whole ? rest : cut, whole);
    if (!whole)
        r->unfinished = i;
    if (memory_of(a) <= 0 || a->free <= a->taken) {
        r->full = r->lacks_blocks = r->tries = true;
        return false;
    }
    return true;
}

/* The batch takes its blocks at once; with pages leaves of the tree go as if each took one more. */
static void take_chunks(struct replica *r)
{
    int64_t tokens = r->rules->block > 1 ? (int64_t)r->chunks * r->rules->block : 0;

    if (r->tree.buckets == 0)
        return;
    for (int i = 0; i < r->chunks; i++)
        tokens += r->chunk[i].tokens;
    tree_evict(&r->tree, tokens > r->owed * r->rules->block ? tokens : r->owed * r->rules->block);
    blocks_take(&r->blocks, r->owed);
    r->owed = 0;
}

static void free_tokens(struct replica *r, int64_t tokens)
{
    if (r->tree.buckets > 0)
        tree_evict(&r->tree, tokens);
}

/* Leaves of the tree go for a step of all that decode, of which n enter a block: first for these,
 * then as if each did. */
static void make_room(struct replica *r, int64_t n)
{
    free_tokens(r, n * r->rules->block);
    free_tokens(r, (int64_t)(r->decoding + r->wasted) * r->rules->block);
}

/* Now and then what those that wait will find counts as used, of the first of them last. */
static void keep_prefixes(struct replica *r)
{
    int first[KEPT_MOST];

    if (r->tree.buckets == 0 || r->rules->late || r->queue.count == 0 ||
        r->kept_rounds++ % KEPT_EVERY != 0)
        return;
    for (int n = replica_first_ones(r, first, KEPT_MOST); n-- > 0;) {
        int item = first[n];
        const struct replay_load *l = r->load;
        int known = item < 0 ? seq_known(&r->seq[~item]) : l->prompt[item];

        tree_match(&r->tree, item < 0 ? r->seq[~item].request : item, known / r->rules->block);
    }
}

/* Of the batch: a seq, or -2 - its place among the released ones. */
static struct seq *seq_of(struct replica *r, int victim)
{
    return &r->seq[victim < SEQ_NONE ? r->released[-2 - victim].seq : victim];
}

/* Fewest tokens made, then the longest prompt, then the last of the batch. */
static bool goes_first(const struct seq *a, int64_t seen, const struct seq *b, int64_t seen_b)
{
    if (seen != seen_b)
        return seen < seen_b;
    return a->prompt != b->prompt ? a->prompt > b->prompt : a->entered > b->entered;
}

/* One of the batch, in which those are, too, whose last token is under way: -2 - its place among
 * the released ones. */
static int victim_of(const struct replica *r)
{
    const struct seq *found = NULL;
    int64_t least = 0;
    int victim = SEQ_NONE;

    for (int i = r->head; i != SEQ_NONE; i = r->seq[i].after) {
        const struct seq *s = &r->seq[i];

        if (s->state != SEQ_DECODES || (found && !goes_first(s, seq_seen(r, s), found, least)))
            continue;
        found = s;
        least = seq_seen(r, s);
        victim = i;
    }
    for (int n = 0; n < r->wasted; n++) {
        const struct seq *s = &r->seq[r->released[n].seq];

        if (found && !goes_first(s, s->made - 1, found, least))
            continue;
        found = s;
        least = s->made - 1;
        victim = -2 - n;
    }
    return victim;
}

/* Blocks for the tokens that those make whose last is under way. */
static int64_t wasted_blocks(const struct replica *r)
{
    int64_t n = 0;

    for (int k = 0; k < r->wasted; k++)
        n += r->seq[r->released[k].seq].computed % r->rules->block == 0;
    return n;
}

/* Blocks for the next tokens of all, as the scheduler counts them: to 0.5.22 as if each had a
 * token under way, which behind a batch of prompts the others have not. */
static int64_t wanted_blocks(const struct replica *r)
{
    int64_t n = wasted_blocks(r);

    if (!r->rules->late || !r->rules->overlap || r->rules->block == 1 || r->last_decoded)
        return n + replica_entering(r);
    for (int i = r->head; i != SEQ_NONE; i = r->seq[i].after) {
        const struct seq *s = &r->seq[i];

        n += s->state == SEQ_DECODES && (s->prompt + seq_seen(r, s)) % r->rules->block == 0;
    }
    return n;
}

/* It loses its blocks, none of which is found later. */
static void retract_one(struct replica *r, int victim)
{
    struct seq *gone = seq_of(r, victim);

    gone->rest = r->rules->priority == PRIORITY_ALL ? 0 : gone->seen;
    if (victim < SEQ_NONE) {
        replica_take_back(r, -2 - victim);
        return;
    }
    struct seq *s = &r->seq[victim];
    int lost = (int)(seq_made(r, s) - seq_seen(r, s)); /* the one under way is thrown away */

    replica_preempt(r, victim, false, s->computed);
    s->made -= lost;
    r->out->output_tokens -= lost;
}

static void retract_some(struct replica *r)
{
    double made = 0, most = 0;

    r->retracts = true;
    do {
        int victim = victim_of(r);

        r->wasted -= victim < SEQ_NONE;
        retract_one(r, victim);
        free_tokens(r, (int64_t)RETRACT_AHEAD * (r->decoding + r->wasted));
        free_tokens(r, wanted_blocks(r) * r->rules->block);
    } while (r->decoding + r->wasted > 1 && wanted_blocks(r) > blocks_left(&r->blocks));
    for (int i = r->head; i != SEQ_NONE; i = r->seq[i].after)
        if (r->seq[i].state == SEQ_DECODES) {
            made += (double)seq_seen(r, &r->seq[i]) + RETRACT_AHEAD;
            most += r->seq[i].most;
        }
    for (int n = 0; n < r->wasted; n++) { /* they are in the batch still */
        const struct seq *s = &r->seq[r->released[n].seq];

        made += s->made - 1 + RETRACT_AHEAD;
        most += s->most;
    }
    r->ratio = fmin(made / (most + 1), 1);
    r->full = false;
}

/* ---- by priority ---- */

#define GIVES_WAY 10 /* --priority-scheduling-preemption-threshold */

/* The least urgent of the batch of those before `end`; SEQ_NONE: there is none. */
static int least_urgent(const struct replica *r, struct urgency end)
{
    struct urgency worst = {.rank = INT64_MIN};
    int found = SEQ_NONE;

    for (int i = r->head; i != SEQ_NONE; i = r->seq[i].after) {
        struct urgency u = seq_urgency(r, &r->seq[i]);

        if (r->seq[i].state != SEQ_DECODES || !is_before(u, end) || !is_before(worst, u))
            continue;
        worst = u;
        found = i;
    }
    for (int n = 0; n < r->released_count; n++) {
        struct urgency u = seq_urgency(r, &r->seq[r->released[n].seq]);

        if (!is_before(u, end) || !is_before(worst, u))
            continue;
        worst = u;
        found = -2 - n;
    }
    return found;
}

/* The first of the batch that is not before `least`. */
static int first_from(struct replica *r, struct urgency least)
{
    int64_t entered = INT64_MAX;
    int found = SEQ_NONE;

    for (int i = r->head; i != SEQ_NONE && found == SEQ_NONE; i = r->seq[i].after)
        if (r->seq[i].state == SEQ_DECODES && !is_before(seq_urgency(r, &r->seq[i]), least)) {
            entered = r->seq[i].entered;
            found = i;
        }
    for (int n = 0; n < r->released_count; n++) {
        const struct seq *s = &r->seq[r->released[n].seq];

        if (s->entered < entered && !is_before(seq_urgency(r, s), least)) {
            entered = s->entered;
            found = -2 - n;
        }
    }
    return found;
}

/* Tokens that are kept for what one of the batch may yet make. */
static double kept_tokens(struct replica *r, int victim)
{
    const struct seq *s = seq_of(r, victim);
    int64_t seen = victim < SEQ_NONE ? s->made - 1 : seq_seen(r, s);

    return (double)clip_tokens(s->most - seen) * r->ratio;
}

/* Slots are full: those that are less urgent by far than the first that waits give way to it, as
 * many as its tokens take (to 0.5.8 all). False: nobody does. */
static bool make_way(struct replica *r, struct adder *a, int *free)
{
    if (r->hands_on || r->joins) /* nobody decodes beside prompts */
        return false;
    int first = replica_first(r), victim;
    const struct seq *s = &r->seq[first];
    struct urgency own = seq_urgency(r, s), least = {.rank = INT64_MAX};
    bool all = r->rules->priority == PRIORITY_ALL;
    double lacks = (double)(s->rest + clip_tokens(s->most)) - memory_of(a);
    double kept = (double)clip_tokens(s->most - s->made) * r->ratio;

    while ((victim = least_urgent(r, least)) != SEQ_NONE &&
           (all || lacks > 0 || least.rank == INT64_MAX)) {
        struct urgency u = seq_urgency(r, seq_of(r, victim));

        if (u.rank - own.rank <= GIVES_WAY)
            break;
        r->tries = true;
        least = u;
        lacks -= kept_tokens(r, victim);
    }
    if (least.rank == INT64_MAX || lacks > 0)
        return false;
    while ((victim = first_from(r, least)) != SEQ_NONE) {
        int64_t before = blocks_left(&r->blocks);

        a->promised -= all ? kept : kept_tokens(r, victim);
        retract_one(r, victim);
        free_tokens(r, (int64_t)RETRACT_AHEAD * in_batch(r));
        a->free += (blocks_left(&r->blocks) - before) * r->rules->block;
        ++*free;
    }
    r->lacks_slots = false;
    return true;
}

static void pack_prompts(struct replica *r)
{
    int cut = r->unfinished != SEQ_NONE;
    int free = r->rules->slots - (r->running - cut) - r->leaving;

    if ((in_batch(r) == 0 && !r->rules->late) || r->urgent)
        r->full = false;
    if ((r->full || replica_waiting(r) == 0) && !cut)
        return;
    r->lacks_slots = free <= 0;
    if (free <= 0 && !cut && !r->urgent) {
        r->full = true;
        return;
    }
    keep_prefixes(r);
    struct adder a = adder_of(r);
    if (cut)
        add_unfinished(r, &a);
    /* to 0.5.22 the first is looked at even when the prompt that goes on leaves nothing */
    bool looks = cut && r->rules->late;
    for (; replica_waiting(r) > 0 && (looks || (a.input > 0 && a.chunk > 0)); looks = false) {
        if (r->chunks >= free) {
            r->full = r->lacks_slots = true;
            if (!r->urgent)
                return;
        }
        if (r->full && !make_way(r, &a, &free))
            return;
        if (!add_first(r, &a))
            return;
    }
}

static void sglang_idle(struct replica *r)
{
    r->ratio = r->rules->ratio;
}

/* Who has ended by now leaves the batch: at once, or when it next decodes. */
static void leave_batch(struct replica *r)
{
    int prompts = r->rules->overlap ? 0 : r->left_alone; /* these never joined it */

    if (r->left > 0 && (!r->rules->late || prompts > 0))
        r->full = false;
    r->leaving += r->rules->late ? r->left - prompts : 0;
    r->leaving_most = r->leaving > 0 ? r->leaving_most : 0;
    r->left = r->left_alone = 0;
    blocks_give(&r->blocks, r->spent[1]);
    r->spent[2] = r->spent[1];
    r->spent[1] = r->spent[0];
    r->spent[0] = 0;
}

/* A step of all that decode. */
static int pack_decodes(struct replica *r)
{
    bool left = r->leaving > 0;

    r->joins_none = false;
    r->leaving = 0;
    r->leaving_most = 0;
    r->wasted = r->rules->late ? r->released_count : 0;
    free_tokens(r, wanted_blocks(r) * r->rules->block);
    if (wanted_blocks(r) > blocks_left(&r->blocks)) {
        if (r->released_count > 0 && !r->rules->late) { /* what these hold is soon free */
            r->full = false;
            return 0;
        }
        if (r->decoding + r->wasted > 1 && !r->hands_on) /* there no batch decodes */
            retract_some(r);
    }
    int64_t spent = wasted_blocks(r);
    make_room(r, replica_entering(r) + spent);
    if (spent <= blocks_left(&r->blocks)) {
        blocks_take(&r->blocks, spent);
        r->spent[0] = spent;
    }
    if (left || r->decoding + r->wasted == 0)
        r->full = false;
    return r->decoding;
}

static int sglang_pack(struct replica *r)
{
    if (r->tree.buckets > 0 && r->unfinished != SEQ_NONE)
        replica_tree_add(r, r->unfinished);
    leave_batch(r);
    /* a batch of prompts that joins an empty one brings its own mark; one that was cut takes it */
    if (r->joins_none || r->unfinished != SEQ_NONE)
        r->full = false;
    r->wasted = 0;
    r->retracts = r->tries = false;
    bool held = r->leaving > 0;
    if (!r->full)
        r->lacks_slots = r->lacks_blocks = false;
    r->joins_none = in_batch(r) == 0;
    pack_prompts(r);
    take_chunks(r);
    if (r->chunks > 0)
        return 0;
    int decodes = pack_decodes(r);
    /* the last of the batch has left it: the engine looks again, without overlap as if idle */
    r->again = held && decodes == 0 && r->wasted == 0;
    if (r->again && !r->rules->overlap)
        sglang_idle(r);
    return decodes;
}

static int64_t sglang_steady(const struct replica *r)
{
    /* before the steps behind it blocks come free */
    bool gives = r->spent[0] > 0 || r->spent[1] > 0 || r->prompted_count > 0 ||
                 (r->stuck && r->spent[2] > 0);

    bool tries = r->urgent && (r->tries || (r->tree.buckets > 0 && !r->rules->late));

    return gives || (replica_waiting(r) > 0 && (!r->full || tries)) ? 1 : INT64_MAX;
}

static void sglang_decoded(struct replica *r, int64_t ticks)
{
    if (!r->retracts)
        r->ratio = fmax(r->ratio - r->rules->ratio_step * (double)ticks, r->rules->ratio_least);
}

const struct scheduler_rules scheduler_sglang = {
    .pack = sglang_pack,
    .alone = true,
    .make_room = make_room,
    .steady = sglang_steady,
    .decoded = sglang_decoded,
    .idle = sglang_idle,
};
