/*
 * replay.c - see replay.h: arrivals against the replicas' own next moments, in order of time; at
 * one moment results come before arrivals, and these before the next step.
 */
#include "plan/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/replay/replica.h"

static const char *const router_words[ROUTER_COUNT] = {
#define X(NAME, word) [ROUTER_##NAME] = word,
    ROUTERS(X)
#undef X
};

const char *router_word(enum router router)
{
    return router_words[router];
}

/* ---- arrivals ---- */

/* Where at most so many are in flight, each waits for the end of another: the moments at which
 * one of `users` is free, the least first. */
struct free_users {
    double *at; /* owned; a heap */
    int count;
};

static void users_push(struct free_users *f, double at)
{
    int i = f->count++;

    for (; i > 0 && f->at[(i - 1) / 2] > at; i = (i - 1) / 2)
        f->at[i] = f->at[(i - 1) / 2];
    f->at[i] = at;
}

static void users_pop(struct free_users *f)
{
    double last = f->at[--f->count];
    int i = 0;

    for (int child; (child = 2 * i + 1) < f->count; i = child) {
        child += child + 1 < f->count && f->at[child + 1] < f->at[child];
        if (f->at[child] >= last)
            break;
        f->at[i] = f->at[child];
    }
    f->at[i] = last;
}

struct run {
    const struct replay *replay;
    struct replay_result *out;
    struct replica *replica; /* owned */
    struct free_users users;
    int next, turn;
};

static double next_arrival(const struct run *run)
{
    const struct replay_load *l = run->replay->load;

    if (run->next == l->count)
        return INFINITY;
    double at = l->arrival ? l->arrival[run->next] : 0;
    if (l->users <= 0)
        return at;
    return run->users.count > 0 ? fmax(at, run->users.at[0]) : INFINITY;
}

static void user_free(void *ctx, double at)
{
    struct run *run = ctx;

    if (run->replay->load->users > 0)
        users_push(&run->users, at);
}

/* ---- the router ---- */

static int work_of(const struct replica *r)
{
    return r->running - r->released_count + r->queue.count;
}

/* Leading groups of a request's prompt that a replica has. */
static int groups_known(const struct replica *r, int request)
{
    const struct replay_load *l = r->load;
    int n = 0;

    for (uint32_t at = l->hash_at[request]; at < l->hash_at[request + 1]; at++, n++)
        if (blocks_find(&r->blocks, l->hash[at]) == BLOCKS_NONE)
            break;
    return n;
}

#define PREFIX_SHARE 0.5 /* of a prompt: where less is known, the least load decides */

static int route_request(struct run *run, int request)
{
    const struct replay *p = run->replay;
    int best = 0, known = 0;

    if (p->router == ROUTER_ROUND)
        return run->turn++ % p->replicas;
    if (p->router == ROUTER_PREFIX && p->load->hash) {
        for (int i = 0; i < p->replicas; i++) {
            int n = groups_known(&run->replica[i], request);

            if (n > known ||
                (n == known && work_of(&run->replica[i]) < work_of(&run->replica[best])))
                best = i;
            known = n > known ? n : known;
        }
        if ((double)known * p->load->hash_tokens >= PREFIX_SHARE * p->load->prompt[request])
            return best;
    }
    /* those of equal load take turns */
    best = run->turn++ % p->replicas;
    for (int i = 0; i < p->replicas; i++)
        if (work_of(&run->replica[i]) < work_of(&run->replica[best]))
            best = i;
    return best;
}

static void arrive_next(struct run *run, double at)
{
    const struct replay_load *l = run->replay->load;
    const struct replay_rules *rules = run->replay->rules;
    int id = run->next++;
    int64_t tokens = (int64_t)l->prompt[id] + l->output[id];

    if (l->users > 0)
        users_pop(&run->users);
    run->out->arrival[id] = at;
    if (id == 0)
        run->out->first = at;
    if (tokens > rules->context || (tokens + rules->block - 1) / rules->block > rules->blocks) {
        run->out->refused++;
        if (l->users > 0)
            users_push(&run->users, at);
        return;
    }
    int to = run->replay->replicas > 1 ? route_request(run, id) : 0;
    run->out->outcome[id].replica = (uint16_t)to;
    replica_arrive(&run->replica[to], id, at);
}

static struct replica *next_replica(const struct run *run)
{
    struct replica *next = &run->replica[0];

    for (int i = 1; i < run->replay->replicas; i++)
        if (run->replica[i].decide < next->decide)
            next = &run->replica[i];
    return next;
}

void replay_run(const struct replay *replay, struct replay_result *out)
{
    const struct replay_load *l = replay->load;
    struct run run = {.replay = replay, .out = out};

    memset(out, 0, sizeof(*out));
    out->count = l->count;
    out->outcome = gp_malloc((size_t)l->count * sizeof(*out->outcome));
    out->arrival = gp_malloc((size_t)l->count * sizeof(*out->arrival));
    for (int i = 0; i < l->count; i++) {
        out->outcome[i] = (struct replay_outcome){.queue = NAN, .ttft = NAN, .e2e = NAN};
        out->arrival[i] = NAN;
    }
    if (replay->span_seconds > 0) {
        out->span_seconds = replay->span_seconds;
        out->span = gp_calloc(REPLAY_TIMELINE, sizeof(*out->span));
    }
    if (l->users > 0) {
        run.users.at = gp_calloc((size_t)l->users + 1, sizeof(*run.users.at));
        run.users.count = l->users;
    }
    out->first = l->arrival ? l->arrival[0] : 0;
    run.replica = gp_calloc((size_t)replay->replicas, sizeof(*run.replica));
    for (int i = 0; i < replay->replicas; i++) {
        replica_init(&run.replica[i], replay, i, out);
        run.replica[i].ended = user_free;
        run.replica[i].ended_ctx = &run;
    }
    for (;;) {
        struct replica *r = next_replica(&run);
        double at = next_arrival(&run);

        if ((at == INFINITY && r->decide == INFINITY) || (replay->stop && replay->stop()))
            break;
        if (r->stretch.steps > 0 && r->decide <= at)
            replica_settle(r);
        else if (at <= r->decide)
            arrive_next(&run, at);
        else
            replica_step(r);
    }
    for (int i = 0; i < replay->replicas; i++)
        replica_fini(&run.replica[i]);
    free(run.replica);
    free(run.users.at);
}

void replay_result_fini(struct replay_result *result)
{
    free(result->outcome);
    free(result->arrival);
    free(result->span);
    memset(result, 0, sizeof(*result));
}
