/*
 * pool_worker.c - the thread that solves; see s_pool.h. One that is no longer wanted is left
 * to itself: it ends soon, and frees what it worked on. So no key waits for it.
 */
#include "tui/pool/s_pool.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/thread.h"

#define PART 4 /* of the usual work goes into a change that is tried */

static bool asked_to_stop(void *ctx)
{
    return atomic_load(&((struct pool_worker *)ctx)->stop);
}

static void tell(void *ctx, enum pool_rung_id rung, double total, double bound)
{
    struct pool_worker *w = ctx;

    atomic_store(&w->rung, (int)rung);
    atomic_store(&w->total, total);
    atomic_store(&w->bound, bound);
}

static void worker_delete(struct pool_worker *w)
{
    pool_run_delete(w->run);
    pool_case_free(w->c);
    free(w);
}

/* One rung of a change: is it worth it? */
static void try_rung(struct pool_worker *w)
{
    struct pool_options options = {.seed = w->options.seed,
                                   .work = pool_work(&w->c->pool) / PART,
                                   .stop = asked_to_stop,
                                   .stop_ctx = w};
    struct pool_outcome *out = &w->outcome;
    struct pool_answer answer;

    pool_solve_rung(&w->c->pool, w->only, &options, &answer);
    const struct pool_rung *r = &answer.rungs[w->only];
    *out = (struct pool_outcome){r->total, r->total - r->cost.penalty, r->unmet_share, 0};
    for (int t = 0; t < w->c->pool.type_count; t++)
        out->gpus += r->gpus[t];
    pool_answer_fini(&answer);
}

static void *work(void *ctx)
{
    struct pool_worker *w = ctx;

    if (w->what_ifs)
        pool_run_what_ifs(w->run, &w->options);
    else if (w->c)
        try_rung(w);
    else
        pool_run_solve(w->run, &w->options);
    if (atomic_exchange(&w->state, POOL_WORK_ENDED) == POOL_WORK_LEFT)
        worker_delete(w);
    return NULL;
}

/* Without a thread the screen waits: better than no answer. */
static void begin(struct pool_screen *s, struct pool_worker *w)
{
    s->worker = w;
    w->options = s->options;
    w->options.stop = asked_to_stop;
    w->options.progress = tell;
    w->options.stop_ctx = w->options.progress_ctx = w;
    w->on = thread_begin(&w->thread, work, w);
    if (!w->on)
        work(w);
}

void pool_worker_solve(struct pool_screen *s)
{
    struct pool_worker *w = gp_calloc(1, sizeof(*w));

    w->run = s->run;
    begin(s, w);
}

void pool_worker_try(struct pool_screen *s, struct pool_case *c)
{
    struct pool_worker *w = gp_calloc(1, sizeof(*w));

    w->c = c;
    w->only = s->run->rung;
    begin(s, w);
}

void pool_worker_ask(struct pool_screen *s)
{
    struct pool_worker *w = gp_calloc(1, sizeof(*w));

    w->run = s->run;
    w->what_ifs = true;
    begin(s, w);
}

bool pool_worker_ended(struct pool_screen *s, struct pool_outcome *out)
{
    struct pool_worker *w = s->worker;

    if (!w)
        return true;
    if (atomic_load(&w->state) != POOL_WORK_ENDED)
        return false;
    if (w->on)
        pthread_join(w->thread, NULL);
    if (out)
        *out = w->outcome;
    w->run = NULL; /* the screen's */
    w->c = NULL;
    s->worker = NULL;
    worker_delete(w);
    return true;
}

void pool_worker_halt(struct pool_screen *s)
{
    if (s->worker)
        atomic_store(&s->worker->stop, true);
}

void pool_worker_drop(struct pool_screen *s)
{
    struct pool_worker *w = s->worker;

    if (!w || pool_worker_ended(s, NULL))
        return;
    if (w->run)
        s->run = NULL; /* it frees them now */
    for (int i = 0; i < s->proposal_count; i++)
        if (s->proposals[i].c == w->c)
            s->proposals[i].c = NULL;
    s->worker = NULL;
    atomic_store(&w->stop, true);
    pthread_detach(w->thread);
    if (atomic_exchange(&w->state, POOL_WORK_LEFT) == POOL_WORK_ENDED)
        worker_delete(w);
}
