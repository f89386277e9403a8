/*
 * replica.h - one engine at work: who runs, who waits, who holds which blocks; for the
 * schedulers.
 *
 * A tick is a step in which requests decode. What a decoding request has computed follows from
 * the ticks since it began, so that nothing walks over them:
 *
 *   computed = seq.computed + tick - seq.tick      its last token comes with tick seq.last
 *
 * A request needs a block when what it has computed fills the ones before: all whose
 * (computed - tick) mod block is alike do so in the same tick, and are counted together.
 */
#ifndef GP_PLAN_REPLAY_REPLICA_H
#define GP_PLAN_REPLAY_REPLICA_H

#include "plan/replay/blocks.h"
#include "plan/replay/replay.h"
#include "plan/replay/tree.h"

#define SEQ_NONE (-1)

enum seq_state { SEQ_UNUSED, SEQ_WAITS, SEQ_PROMPT, SEQ_DECODES };

/* A request in flight, or one that lost its blocks and waits. */
struct seq {
    int request, prompt, output, most;
    int made;     /* tokens of the answer, */
    int computed; /* and tokens in the cache, when it began to decode at `tick` */
    int64_t tick, last;
    int64_t entered;         /* to tell who came later */
    int64_t turn;            /* ... to wait, by priority */
    int seen, rest;          /* SGLang: tokens it had, and lacked, when it was last looked at */
    int64_t began;           /* step that made the first token since it was let in */
    int64_t held;            /* blocks of its own, beside the groups it shares; of a decoding
                                * one those of `computed` */
    int groups;              /* leading groups of its prompt of which it holds an item */
    int left;                /* an item of what it had computed behind them when it left; or none */
    int node, shared;        /* of the tree: the last that it locks, and the blocks up to it */
    int heap, before, after; /* places: by `last`; among those that run */
    int enters;              /* its class of (computed - tick) mod block */
    enum seq_state state;
    bool told;    /* its end */
    double token; /* s: when its last token came, of one that lost its blocks */
};

/* The order of those that wait, and of those that give way: the least first. */
struct urgency {
    int64_t rank; /* by its priority; */
    double at;    /* ... then by its arrival (vLLM), s, */
    int64_t turn; /* ... or as it came to wait (SGLang) */
};

/* A list of requests that wait: new ones by number, others as ~seq. By priority it is a heap. */
struct queue {
    int *item;             /* owned */
    struct urgency *key;   /* of each, by priority; else NULL; owned */
    int first, count, cap; /* cap: a power of two */
};

struct released {
    double at;
    int seq;
    bool prompt; /* its prompt made the only token */
};

struct stretch {
    int64_t steps;             /* 0 = there is none */
    double start, first, more; /* s; first: of its first step */
};

struct scheduler_rules;

struct replica {
    const struct replay_rules *rules;
    const struct replay_load *load;
    const struct replay_clock *clock;
    const struct replay *replay;
    struct replay_result *out;
    /* told of each last token, and of each request that is refused */
    void (*ended)(void *ctx, struct replica *replica, int request, double at, bool refused);
    void *ended_ctx;
    const struct scheduler_rules *scheduler;
    bool alone, reserves; /* its */
    int number;
    bool hands_on; /* its prompts, with their first token, to another one */
    bool joins;    /* others' prompts come to it worked off; */
    bool stuck;    /* ... the first of them finds no slot or no blocks */
    double link;   /* s: when its link, to the others or to host memory, is free */
    bool away;     /* no request is sent to it: it is lost, or not yet there; */
    bool lost;     /* ... and this one still holds those that it had */

    struct seq *seq; /* owned */
    int seqs, unused;
    int head, tail; /* of those that run, as they were let in */
    int running;    /* slots that are taken */
    int prompts;    /* of them, those with a prompt to compute */
    int decoding;
    double context; /* tokens that these hold, */
    int64_t yet;    /* ... and may yet make, counted from tick 0 on; */
    int most;       /* ... the most that one ever might */
    int began;      /* of them those that began with step began_step */
    int64_t began_step;
    int64_t tick, entered, steps; /* steps: its own so far */
    int *enter;                   /* of (computed - tick) mod block; owned */
    int entering;                 /* -tick mod block: those of it need a block in the next tick */
    int *heap;                    /* decoding ones by `last`; owned */
    size_t heap_cap;
    struct queue queue;
    bool urgent;                /* the queue is by priority */
    int64_t turns;              /* those that came to wait so far */
    struct blocks blocks, host; /* host: KV of prompts that host memory keeps, too */
    struct tree tree;           /* SGLang's, of blocks; else there is none */
    int *item;                  /* of each group of a request, as it holds it; owned */
    int64_t reserved;           /* blocks up to their last tokens (no-evict) */

    double decide, end; /* s: when the next step is packed; INFINITY: nothing to do */
    struct stretch stretch;
    struct released *released; /* ended ones whose slots and blocks are not yet free; owned */
    int released_count;
    size_t released_cap;
    struct released *prompted; /* whose prompts are worked off, but not yet in the tree; owned */
    int prompted_count;
    size_t prompted_cap;
    double joined;   /* s: end of the last step that decoded; ... */
    int fresh;       /* those that began to decode since, */
    double fresh_at; /* the last of them then */

    struct replay_chunk *chunk; /* of the step that is packed; owned */
    int chunks;
    size_t chunk_cap;
    int *preempted; /* requests; owned */
    int preemptions;
    size_t preempted_cap;
    int64_t taken; /* blocks that its decoding ones have already; */
    int64_t owed;  /* ... that its prompts have, but that are not yet taken for them */
    int held_back; /* decoding ones that this step leaves out */
    int *held;     /* owned */
    size_t held_cap;

    /* SGLang's */
    bool full, joins_none; /* nobody is let in; the last prompts joined nobody */
    int left, left_alone;  /* slots that came free since the last step; of prompts alone */
    int leaving;           /* have ended, but hold their slots until the next that decodes */
    int64_t leaving_most;  /* tokens that these were thought to make yet */
    int wasted;            /* have ended, but are in the step all the same */
    bool again;            /* nobody is in it, but some may be when the step before is done */
    int64_t spent[3];      /* blocks for that, of the last steps; of the third they are back */
    bool last_decoded;     /* the last step was one of those that decode */
    int unfinished;        /* the prompt that was cut */
    int kept_rounds;       /* batches of prompts, for the prefixes that some wait for */
    double ratio;
    bool retracts;                  /* the step that is packed lacked blocks */
    bool tries;                     /* by priority the first that waits may be let in later */
    bool lacks_slots, lacks_blocks; /* why the queue's head was not let in; */
    bool finds;                     /* ... others may yet take blocks that it finds (vLLM) */
    double counted;                 /* s up to which the integrals are */
};

void replica_init(struct replica *replica, const struct replay *replay, int number,
                  struct replay_result *out);
void replica_fini(struct replica *replica);

/* Its pool as the first n requests leave it, answered one after the other. */
void replica_warm(struct replica *replica, int n);

/* A request comes at `at`. */
void replica_arrive(struct replica *replica, int request, double at);

/* Steps that are decided at `at` or later are another stretch. */
void replica_part(struct replica *replica, double at);
/* A stretch of decode steps comes to its end, at replica->decide: arrivals of that moment come
 * before the next step is packed. */
void replica_settle(struct replica *replica);
/* Packs the next step at replica->decide. */
void replica_step(struct replica *replica);
/* The integrals up to `at`; often they are. */
void replica_count_on(struct replica *replica, double at);
static inline void replica_count(struct replica *r, double at)
{
    if (at > r->counted)
        replica_count_on(r, at);
}

/* ---- for the schedulers ---- */

/* Blocks of so many tokens. */
static inline int64_t blocks_of(const struct replica *r, int64_t tokens)
{
    return (tokens + r->rules->block - 1) / r->rules->block;
}

static inline struct seq *seq_at(struct replica *r, int i)
{
    return &r->seq[i];
}

static inline int64_t seq_computed(const struct replica *r, const struct seq *s)
{
    return s->computed + (s->state == SEQ_DECODES ? r->tick - s->tick : 0);
}

static inline int64_t seq_made(const struct replica *r, const struct seq *s)
{
    return s->made + (s->state == SEQ_DECODES ? r->tick - s->tick : 0);
}

/* Tokens that it has to have computed before it makes another. */
static inline int seq_known(const struct seq *s)
{
    return s->prompt + s->made;
}

/* Decoding requests that need a block in the next tick. */
static inline int replica_entering(const struct replica *r)
{
    return r->enter[r->entering];
}

/* Requests that may be let in with prompts to compute. */
static inline int replica_waiting(const struct replica *r)
{
    return r->stuck ? 0 : r->queue.count;
}

/* The first that wait, `most` of them: new requests, or ~seq; returns how many. */
int replica_first_ones(const struct replica *replica, int *item, int most);

/* Of a request, by priority. */
struct urgency replica_urgency(const struct replica *replica, int request, int64_t turn);
static inline struct urgency seq_urgency(const struct replica *r, const struct seq *s)
{
    return replica_urgency(r, s->request, s->turn);
}
static inline bool is_before(struct urgency a, struct urgency b)
{
    return a.rank != b.rank ? a.rank < b.rank : a.at != b.at ? a.at < b.at : a.turn < b.turn;
}

/* The first that waits; SEQ_NONE where nobody does. Makes a seq of a new request. */
int replica_first(struct replica *replica);
/* It is let in, as the last of those that run. */
void replica_admit(struct replica *replica, int seq);
/* Tokens of its prompt that are here. */
double replica_knows(const struct replica *replica, int request);
/* What a request finds of its prompt. */
struct prefix_hit {
    int tokens; /* all of it; of them so many are only in host memory */
    int host;
    int groups; /* in the pool: leading groups that others have, */
    int node;   /* or the tree's node, and the blocks up to it */
    int shared;
    int64_t idle; /* blocks that this takes of those left */
};

struct prefix_hit replica_hit(struct replica *replica, const struct seq *s);
/* Takes it. */
void replica_take_hit(struct replica *replica, int seq, const struct prefix_hit *hit);
/* A chunk of n tokens of its prompt, for which there are blocks. */
void replica_chunk(struct replica *replica, int seq, int n);
/* It loses its blocks and waits again, first or last. Of what it computed so many tokens may be
 * found when it comes again. */
void replica_preempt(struct replica *replica, int seq, bool first, int64_t found);
/* Blocks that decoding requests enter in this step are theirs before others look for some. */
static inline void replica_take(struct replica *r, int64_t n)
{
    blocks_take(&r->blocks, n);
    r->taken += n;
}
/* ... they are not entered after all. */
static inline void replica_take_none(struct replica *r, int64_t n)
{
    blocks_give(&r->blocks, n);
    r->taken -= n;
}

/* One whose last token is under way, behind all that go on, loses its blocks before it comes;
 * false: there is none. */
bool replica_release_last(struct replica *replica);
/* released[n], whose last token is under way, loses its blocks before it comes. */
void replica_release_now(struct replica *replica, int n);
/* A chunk of this step is taken back, of one that loses its blocks; its tokens. */
int replica_chunk_back(struct replica *replica, int seq);
/* released[n], whose last token is under way, loses its blocks: the token is thrown away, and it
 * waits again, last. Whoever waits for its end has been told, and is not told again. */
void replica_take_back(struct replica *replica, int n);
/* A decoding request is left out of this step. */
void replica_hold_back(struct replica *replica, int seq);
/* Was it? It no longer is. */
bool replica_held_back(struct replica *replica, int seq);

/* ---- for the pace of steps (pace.c) ---- */

/* Requests whose prompts were worked off elsewhere are let in, and decode from the next step on:
 * with that the client has their first token. */
void replica_join(struct replica *replica);

/* It waits, first or last (by priority, where that is): a new request, or ~seq of one that lost its
 * blocks. True: nobody waits before it. */
bool replica_push(struct replica *replica, int item, bool first);
void replica_decode_begin(struct replica *replica, int seq);
/* What it has computed and made stands in it again. */
void replica_decode_end(struct replica *replica, int seq);
/* Those left out of a step that is over; ticked: others decoded in it. */
void replica_shift_held(struct replica *replica, bool ticked);
/* What is whole by now of its groups can be found by others. */
void replica_groups_add(struct replica *replica, int seq);
/* What it has computed is in the tree. */
void replica_tree_add(struct replica *replica, int seq);
/* Its last token came: slot and blocks are free when the engine sees that. alone: with its
 * prompt. */
void replica_end(struct replica *replica, int seq, double at, bool alone);
/* Those that have ended by replica->decide. */
void replica_release(struct replica *replica);
/* The first that waits would wait for ever. */
void replica_refuse_first(struct replica *replica);

/* What an engine does alone. pack(): chunks, preemptions and held_back of the next step;
 * returns the requests that decode in it. */
struct scheduler_rules {
    int (*pack)(struct replica *replica);
    bool alone;    /* prompts have steps of their own */
    bool reserves; /* blocks up to its last token when a request is let in */
    /* Blocks of a tree are given away for a step of all that decode; n of them enter one. */
    void (*make_room)(struct replica *replica, int64_t n);
    /* Ticks until a decode step is another than those before. */
    int64_t (*steady)(const struct replica *replica);
    void (*decoded)(struct replica *replica, int64_t ticks);
    void (*idle)(struct replica *replica);
};

extern const struct scheduler_rules scheduler_vllm, scheduler_sglang, scheduler_trtllm,
    scheduler_llamacpp;

#endif
