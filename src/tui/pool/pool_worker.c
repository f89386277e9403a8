/*
 * pool_worker.c - the thread that solves; see s_pool.h.
 */
#include "tui/pool/s_pool.h"

#include "util/thread.h"

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

/* One rung of a proposal: is it worth it? */
static void try_rung(struct pool_worker *w)
{
    struct pool_options options = {.seed = w->options.seed,
                                   .work = pool_work(&w->of->c->pool) / PART,
                                   .stop = asked_to_stop,
                                   .stop_ctx = w};
    struct pool_answer answer;

    pool_solve_rung(&w->of->c->pool, w->only, &options, &answer);
    w->of->total = answer.rungs[w->only].total;
    w->of->unmet = answer.rungs[w->only].unmet_share;
    pool_answer_fini(&answer);
}

static void *work(void *ctx)
{
    struct pool_worker *w = ctx;
    struct gp_err err;

    if (w->what_ifs) /* names no other GPU: asks no planner, cannot fail */
        pool_run_what_ifs(NULL, w->run, &w->options, &err);
    else if (w->only < POOL_RUNGS)
        try_rung(w);
    else
        pool_run_solve(w->run, &w->options);
    atomic_store(&w->done, true);
    return NULL;
}

/* Without a thread the screen waits: better than no answer. */
static void begin(struct pool_screen *s)
{
    struct pool_worker *w = &s->worker;

    w->options = s->options;
    w->options.stop = asked_to_stop;
    w->options.progress = tell;
    w->options.stop_ctx = w->options.progress_ctx = w;
    atomic_store(&w->done, false);
    atomic_store(&w->stop, false);
    atomic_store(&w->total, 0);
    atomic_store(&w->bound, 0);
    w->on = thread_begin(&w->thread, work, w);
    if (!w->on)
        work(w);
}

void pool_worker_solve(struct pool_screen *s)
{
    s->worker.run = s->run;
    s->worker.only = POOL_RUNGS;
    s->worker.what_ifs = false;
    begin(s);
}

void pool_worker_try(struct pool_screen *s, struct pool_proposal *proposal)
{
    s->worker.of = proposal;
    s->worker.only = s->run->rung;
    s->worker.what_ifs = false;
    begin(s);
}

void pool_worker_ask(struct pool_screen *s)
{
    s->worker.run = s->run;
    s->worker.what_ifs = true;
    begin(s);
}

bool pool_worker_ended(struct pool_worker *w)
{
    if (!atomic_load(&w->done))
        return false;
    if (w->on)
        pthread_join(w->thread, NULL);
    w->on = false;
    return true;
}

void pool_worker_stop(struct pool_worker *w)
{
    atomic_store(&w->stop, true);
    if (w->on)
        pthread_join(w->thread, NULL);
    w->on = false;
}
