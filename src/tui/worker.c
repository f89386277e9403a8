/*
 * worker.c - see worker.h.
 */
#include "tui/worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/thread.h"
#include "plan/search.h"

struct task {
    const struct task_ops *ops;
    void *job;
    struct worker *worker;
    struct task *next; /* older */
    atomic_int done;   /* units */
    atomic_bool finished;
    bool dropped; /* while its unit runs: the thread frees it */
};

struct worker {
    struct planner *planner; /* borrowed */
    struct planner *own;     /* the thread's */
    char profiles[GP_PATH_MAX];
    pthread_t thread;
    bool on;
    atomic_bool abandon; /* the unit that runs is not needed, or not now */
    /* what follows is under the lock */
    pthread_mutex_t lock;
    pthread_cond_t change; /* there is something to do, or to stop for */
    struct task *tasks;    /* newest first */
    struct task *now;      /* its unit runs; NULL: none */
    bool stop, reload;
};

/* ---- the thread ---- */

static void task_free(struct task *t)
{
    t->ops->free(t->job);
    free(t);
}

static struct task *task_next(const struct worker *w)
{
    struct task *best = NULL;

    for (struct task *t = w->tasks; t; t = t->next)
        if (!atomic_load(&t->finished) && (!best || t->ops->rank < best->ops->rank))
            best = t;
    return best;
}

/* What the unit left is there before it is counted. */
static void task_unit(struct task *t, struct planner *planner)
{
    int i = atomic_load(&t->done);
    bool more = t->ops->unit(t->job, i, planner);

    if (atomic_load(&t->worker->abandon))
        return; /* it runs again, unless it was dropped */
    atomic_store(&t->done, i + 1);
    atomic_store(&t->finished, !more);
}

static void *worker_work(void *ctx)
{
    struct worker *w = ctx;

    search_abandon(&w->abandon);
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        struct task *t = w->now = task_next(w);
        bool reload = w->reload;

        if (!t) {
            pthread_cond_wait(&w->change, &w->lock);
            continue;
        }
        w->reload = false;
        atomic_store(&w->abandon, false);
        pthread_mutex_unlock(&w->lock);
        if (!w->own && w->planner)
            w->own = planner_twin(w->planner, w->profiles[0] ? w->profiles : NULL);
        if (reload && w->own)
            planner_measured_anew(w->own);
        task_unit(t, w->own);
        pthread_mutex_lock(&w->lock);
        w->now = NULL;
        if (t->dropped)
            task_free(t);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- the worker ---- */

struct worker *worker_new(struct planner *planner, const char *profiles)
{
    struct worker *w = gp_calloc(1, sizeof(*w));

    w->planner = planner;
    gp_copy(w->profiles, sizeof(w->profiles), profiles);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, NULL);
    return w;
}

void worker_start(struct worker *w)
{
    w->on = thread_begin(&w->thread, worker_work, w);
}

static void worker_set(struct worker *w, bool *flag)
{
    pthread_mutex_lock(&w->lock);
    *flag = true;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
}

void worker_free(struct worker *w)
{
    if (!w)
        return;
    worker_set(w, &w->stop);
    atomic_store(&w->abandon, true);
    if (w->on)
        pthread_join(w->thread, NULL);
    planner_free(w->own);
    pthread_cond_destroy(&w->change);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void worker_reload_measurements(struct worker *w)
{
    worker_set(w, &w->reload);
}

/* ---- tasks ---- */

struct task *task_begin(struct worker *w, const struct task_ops *ops, void *job)
{
    struct task *t = gp_calloc(1, sizeof(*t));

    t->ops = ops;
    t->job = job;
    t->worker = w;
    while (!w->on && !task_finished(t))
        task_unit(t, w->planner);
    pthread_mutex_lock(&w->lock);
    t->next = w->tasks;
    w->tasks = t;
    if (ops->rank == TASK_ANSWER && w->now && w->now->ops->rank != TASK_ANSWER)
        atomic_store(&w->abandon, true);
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
    return t;
}

int task_done(const struct task *t)
{
    return atomic_load(&t->done);
}

bool task_finished(const struct task *t)
{
    return atomic_load(&t->finished);
}

void task_wait(struct task *t, double until)
{
    static const struct timespec pause = {.tv_nsec = 300000};

    while (!task_finished(t) && clock_now() < until)
        nanosleep(&pause, NULL);
}

void task_drop(struct task **task)
{
    struct task *t = *task, **at;

    *task = NULL;
    if (!t)
        return;
    struct worker *w = t->worker;
    pthread_mutex_lock(&w->lock);
    for (at = &w->tasks; *at != t;)
        at = &(*at)->next;
    *at = t->next;
    if (w->now == t) {
        t->dropped = true;
        atomic_store(&w->abandon, true);
    } else {
        task_free(t);
    }
    pthread_mutex_unlock(&w->lock);
}
