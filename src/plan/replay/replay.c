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

/* ---- arrivals ---- */

/* What is to come at a known time, the first of it first. */
struct event {
    double at;
    int request;
};

struct agenda {
    struct event *item; /* owned; a heap */
    int count;
    size_t cap;
};

static bool comes_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->request < b->request;
}

static void agenda_push(struct agenda *a, double at, int request)
{
    struct event event = {at, request};
    int i = a->count++;

    a->item = gp_grow(a->item, &a->cap, (size_t)a->count, sizeof(*a->item));
    for (; i > 0 && comes_before(&event, &a->item[(i - 1) / 2]); i = (i - 1) / 2)
        a->item[i] = a->item[(i - 1) / 2];
    a->item[i] = event;
}

static int agenda_pop(struct agenda *a)
{
    int request = a->item[0].request, i = 0;
    struct event last = a->item[--a->count];

    for (int child; (child = 2 * i + 1) < a->count; i = child) {
        child += child + 1 < a->count && comes_before(&a->item[child + 1], &a->item[child]);
        if (!comes_before(&a->item[child], &last))
            break;
        a->item[i] = a->item[child];
    }
    a->item[i] = last;
    return request;
}

static double agenda_next(const struct agenda *a)
{
    return a->count > 0 ? a->item[0].at : INFINITY;
}

struct run {
    const struct replay *replay;
    struct replay_result *out;
    struct replica *replica; /* owned */
    double *decide;          /* of each; owned */
    int *work;               /* requests that each has; owned */
    int *first; /* a tree over them: [1] decides first, of each node the first of the two below
                     * it, from [leaves] on the replicas; owned */
    int leaves; /* a power of two */
    /* where at most so many are in flight each waits for the end of another: when one of `users`
     * is free */
    struct agenda users, turns, again; /* again: of those that were lost, and, their numbers behind
                                        * all others, prompts on their way to who decodes */
    int turn[2]; /* of the replicas that take requests, and of those that take prompts from them */
    int next, replicas; /* replicas: the one that is added, too */
    bool enough;
    bool apart; /* between arrivals no replica's doing is another's: each goes on by itself */
    double lose_at, add_at; /* s; INFINITY: no longer, or never */
};

static bool is_first(const struct replay_load *l, int request)
{
    return !l->turn || l->turn[request].history < 0;
}

/* When the next request comes, and whether it is the turn of a session that goes on. Those of an
 * open loop each need a user; of a closed one a session keeps its own. */
static double next_arrival(const struct run *run, bool *goes_on)
{
    const struct replay_load *l = run->replay->load;
    double fresh = run->next == l->count ? INFINITY : l->arrival ? l->arrival[run->next] : 0;
    double turn = agenda_next(&run->turns);
    double fresh_at = l->users > 0 ? fmax(fresh, agenda_next(&run->users)) : fresh;
    double turn_at = l->users > 0 && l->arrival ? fmax(turn, agenda_next(&run->users)) : turn;

    *goes_on = turn_at < fresh_at || (turn_at == fresh_at && turn < fresh);
    return *goes_on ? turn_at : fresh_at;
}

static void request_ended(void *ctx, struct replica *r, int request, double at, bool refused)
{
    struct run *run = ctx;
    const struct replay_load *l = run->replay->load;
    int next = l->turn ? l->turn[request].next : -1;

    if (r && r->hands_on && !refused && l->output[request] > 1) {
        r->link = fmax(r->link, at) + run->replay->handoff +
                  l->prompt[request] * run->replay->handoff_token;
        agenda_push(&run->again, r->link, l->count + request);
        return;
    }
    run->out->refused += refused;
    run->enough |=
        !refused && run->replay->enough && run->replay->enough(run->replay->enough_ctx, request);
    /* without an answer its session does not go on */
    for (; refused && next >= 0; next = l->turn[next].next)
        run->out->refused++;
    if (next >= 0) {
        run->out->outcome[next].replica = run->out->outcome[request].replica;
        agenda_push(&run->turns,
                    fmax(at + (double)l->turn[next].think, l->arrival ? l->arrival[next] : 0),
                    next);
    }
    if (l->users > 0 && (l->arrival || next < 0))
        agenda_push(&run->users, at, 0);
}

/* ---- who decides next ---- */

/* Of two the one before, of equal ones the first; -1: there is none. */
static int first_of(const struct run *run, int a, int b)
{
    return b < 0 || (a >= 0 && run->decide[a] <= run->decide[b]) ? a : b;
}

static void keep_decision(struct run *run, int i)
{
    const struct replica *r = &run->replica[i];

    run->decide[i] = r->decide;
    run->work[i] = r->running - r->released_count + r->queue.count;
    for (int n = (run->leaves + i) / 2; n > 0; n /= 2) {
        int first = first_of(run, run->first[2 * n], run->first[2 * n + 1]);

        if (first == run->first[n] && first != i) /* those above have not changed */
            break;
        run->first[n] = first;
    }
}

static void keep_decisions(struct run *run)
{
    for (int i = 0; i < run->replicas; i++)
        keep_decision(run, i);
}

static void decisions_init(struct run *run)
{
    for (run->leaves = 1; run->leaves < run->replicas;)
        run->leaves *= 2;
    run->decide = gp_malloc((size_t)run->replicas * sizeof(*run->decide));
    run->work = gp_malloc((size_t)run->replicas * sizeof(*run->work));
    run->first = gp_malloc(2 * (size_t)run->leaves * sizeof(*run->first));
    for (int i = 0; i < 2 * run->leaves; i++)
        run->first[i] = i >= run->leaves && i - run->leaves < run->replicas ? i - run->leaves : -1;
    for (int i = 0; i < run->replicas; i++)
        run->decide[i] = run->replica[i].decide;
    keep_decisions(run);
}

/* ---- the router ---- */

#define PREFIX_SHARE 0.5 /* of a prompt: where less is known, the least load decides */

/* Replicas that take requests; or, where some only work prompts off, those that take these. */
struct role {
    int first, end, *turn;
};

static struct role role_of(struct run *run, bool handed)
{
    int prefills = run->replay->prefills;

    return (struct role){handed ? prefills : 0, handed || prefills == 0 ? run->replicas : prefills,
                         &run->turn[handed]};
}

/* Of those that are there. */
static int next_in_turn(const struct run *run, const struct role *role)
{
    int i;

    do
        i = role->first + (*role->turn)++ % (role->end - role->first);
    while (run->replica[i].away);
    return i;
}

/* Where the turn of its session before was; of those that work prompts off the one that has all
 * prompts of the session. */
static int session_replica(const struct run *run, const struct role *role, int request)
{
    int session = run->replay->load->turn[request].session;

    return run->replay->prefills > 0 ? role->first + session % (role->end - role->first)
                                     : run->out->outcome[request].replica;
}

static int route_request(struct run *run, const struct role *role, int request)
{
    const struct replay *p = run->replay;
    bool sessions = p->router == ROUTER_SESSION && p->load->turn;
    double known = 0;
    int best = role->first;

    if (p->router == ROUTER_ROUND)
        return next_in_turn(run, role);
    if (sessions && (p->prefills > 0 || !is_first(p->load, request))) {
        int kept = session_replica(run, role, request);

        if (!run->replica[kept].away)
            return kept;
    }
    if (p->router == ROUTER_PREFIX && role->first == 0 && (p->load->hash || p->load->turn)) {
        while (run->replica[best].away)
            best++;
        for (int i = role->first; i < role->end; i++) {
            double n = run->replica[i].away ? -1 : replica_knows(&run->replica[i], request);

            if (n > known || (n == known && run->work[i] < run->work[best]))
                best = i;
            known = n > known ? n : known;
        }
        if (known >= PREFIX_SHARE * p->load->prompt[request])
            return best;
    }
    /* those of equal load take turns */
    best = next_in_turn(run, role);
    for (int i = role->first; i < role->end; i++)
        if (!run->replica[i].away && run->work[i] < run->work[best])
            best = i;
    return best;
}

/* To a replica; where there is none, it waits for the one that is added. */
static void place_request(struct run *run, int item, double at)
{
    bool handed = item >= run->replay->load->count;
    struct role role = role_of(run, handed);
    int id = handed ? item - run->replay->load->count : item;
    bool there = false;

    for (int i = role.first; i < role.end && !there; i++)
        there = !run->replica[i].away;
    if (!there && run->add_at == INFINITY) {
        request_ended(run, NULL, id, at, true);
        return;
    }
    if (!there) {
        agenda_push(&run->again, run->add_at, item);
        return;
    }
    int to = role.end - role.first > 1 ? route_request(run, &role, id) : role.first;
    run->out->outcome[id].replica = (uint16_t)to;
    replica_arrive(&run->replica[to], id, at);
    keep_decision(run, to);
}

/* Does it ever find room? */
static bool has_room(const struct replay_rules *rules, int64_t tokens)
{
    return tokens <= rules->context && (tokens + rules->block - 1) / rules->block <= rules->blocks;
}

static void arrive_next(struct run *run, double at, bool goes_on)
{
    const struct replay_load *l = run->replay->load;
    const struct replay *p = run->replay;
    int id = goes_on ? agenda_pop(&run->turns) : run->next++;

    while (!goes_on && run->next < l->count && !is_first(l, run->next))
        run->next++;
    if (l->users > 0 && (l->arrival || !goes_on))
        agenda_pop(&run->users);
    run->out->arrival[id] = at;
    if (id == 0)
        run->out->first = at;
    if (!has_room(p->rules, (int64_t)l->prompt[id] + l->output[id]) ||
        (p->prefills > 0 && !has_room(p->prefill_rules, (int64_t)l->prompt[id] + 1))) {
        request_ended(run, NULL, id, at, true);
        return;
    }
    place_request(run, id, at);
}

/* ---- replicas that go and come ---- */

static void replica_start(struct run *run, int i)
{
    replica_init(&run->replica[i], run->replay, i, run->out);
    run->replica[i].ended = request_ended;
    run->replica[i].ended_ctx = run;
}

/* A request of a lost replica begins anew; its time goes on. */
static void begin_again(struct run *run, int id, int64_t made, double at)
{
    struct replay_outcome *o = &run->out->outcome[id];

    o->queue = o->ttft = NAN;
    o->loads = 0;
    run->out->output_tokens -= made;
    run->out->restarted++;
    agenda_push(&run->again, at, id);
}

/* It is lost with all that it has, at the end of the step that it was in. */
static void replica_lose(struct run *run, struct replica *r, double at)
{
    const struct queue *q = &r->queue;

    replica_count(r, at);
    for (int i = r->head; i != SEQ_NONE; i = r->seq[i].after)
        if (r->seq[i].state != SEQ_UNUSED)
            begin_again(run, r->seq[i].request, seq_made(r, &r->seq[i]), at);
    for (int n = 0; n < q->count; n++) {
        int item = q->item[(q->first + n) & (q->cap - 1)];
        int made = item < 0 ? r->seq[~item].made : 0;

        begin_again(run, item < 0 ? r->seq[~item].request : item, made > 0 ? made : r->joins, at);
    }
    int number = r->number;
    replica_fini(r);
    replica_start(run, number);
    r->away = true;
}

static void change_replicas(struct run *run, double at)
{
    struct replica *r = &run->replica[run->replay->replicas - 1];

    if (at == run->add_at) {
        run->add_at = INFINITY;
        run->replica[run->replay->replicas].away = false;
        run->replica[run->replay->replicas].counted = at;
        return;
    }
    run->lose_at = INFINITY;
    replica_part(r, at);
    r->away = r->lost = true;
    if (r->decide == INFINITY)
        replica_lose(run, r, at);
}

/* What came so far does not count; what it made is left as it is. */
static void begin_to_count(struct run *run, double at)
{
    struct replay_result *out = run->out, fresh = {.outcome = out->outcome,
                                                   .arrival = out->arrival,
                                                   .count = out->count,
                                                   .span = out->span,
                                                   .span_seconds = out->span_seconds,
                                                   .steps = out->steps,
                                                   .first = at,
                                                   .last = at};

    for (int i = 0; i < run->replicas; i++)
        replica_part(&run->replica[i], at);
    *out = fresh;
    for (int i = 0; i < run->replicas; i++)
        run->replica[i].counted = fmax(run->replica[i].counted, at);
    if (out->span)
        memset(out->span, 0, REPLAY_TIMELINE * sizeof(*out->span));
}

/* Its next step, and all before `until` where no other replica has to do with them. */
static void replica_go_on(const struct run *run, struct replica *r, double until)
{
    do
        r->stretch.steps > 0 ? replica_settle(r) : replica_step(r);
    while (run->apart && !run->enough && r->decide < until);
}

void replay_run(const struct replay *replay, struct replay_result *out)
{
    const struct replay_load *l = replay->load;
    struct run run = {.replay = replay,
                      .out = out,
                      .replicas = replay->replicas + (replay->add_at > 0),
                      .apart = l->arrival && !l->turn && l->users == 0 && replay->prefills == 0 &&
                               !(replay->lose_at > 0) && !replay->watch,
                      .lose_at = replay->lose_at > 0 ? replay->lose_at : INFINITY,
                      .add_at = replay->add_at > 0 ? replay->add_at : INFINITY};
    double warm = l->counts_from;

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
    for (int i = 0; i < l->users; i++)
        agenda_push(&run.users, 0, 0);
    out->first = l->arrival ? l->arrival[0] : 0;
    run.replica = gp_calloc((size_t)run.replicas, sizeof(*run.replica));
    for (int i = 0; i < run.replicas; i++) {
        replica_start(&run, i);
        run.replica[i].away = i >= replay->replicas;
    }
    decisions_init(&run);
    for (;;) {
        struct replica *r = &run.replica[run.first[1]];
        bool goes_on;
        double at = next_arrival(&run, &goes_on), again = agenda_next(&run.again);
        double change = fmin(run.lose_at, run.add_at);

        at = fmin(at, again);
        if ((at == INFINITY && r->decide == INFINITY) || run.enough ||
            (replay->stop && replay->stop()))
            break;
        if (warm > 0 && fmin(at, r->decide) >= warm) {
            begin_to_count(&run, warm);
            keep_decisions(&run);
            warm = 0;
            continue;
        }
        double until = fmin(fmin(at, change), warm > 0 ? warm : INFINITY);
        if (change <= fmin(at, r->decide)) {
            change_replicas(&run, change);
            keep_decisions(&run);
        } else if (r->stretch.steps > 0 && r->decide <= at)
            replica_go_on(&run, r, until);
        else if (r->lost && r->decide <= at)
            replica_lose(&run, r, r->decide);
        else if (again <= at && at <= r->decide)
            place_request(&run, agenda_pop(&run.again), at);
        else if (at <= r->decide)
            arrive_next(&run, at, goes_on);
        else
            replica_go_on(&run, r, until);
        keep_decision(&run, r->number);
    }
    for (int i = 0; i < run.replicas; i++)
        replica_fini(&run.replica[i]);
    free(run.replica);
    free(run.decide);
    free(run.work);
    free(run.first);
    free(run.users.item);
    free(run.turns.item);
    free(run.again.item);
}

void replay_result_fini(struct replay_result *result)
{
    free(result->outcome);
    free(result->arrival);
    free(result->span);
    memset(result, 0, sizeof(*result));
}
