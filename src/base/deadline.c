/* deadline.c - see deadline.h. Who comes last, the thread or the caller, frees what they share. */
#include "base/deadline.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"

#define DRIVER_WAIT 15.0 /* s: eight GPUs that sleep take several each to wake */
#define DRIVER_MOST 3600.0

struct errand {
    void (*work)(void *state), (*drop)(void *state);
    void *state;
    bool done, left;
    pthread_mutex_t lock;
    pthread_cond_t ended;
};

static void errand_free(struct errand *e)
{
    pthread_cond_destroy(&e->ended);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

static void *errand_thread(void *arg)
{
    struct errand *e = arg;

    e->work(e->state);
    pthread_mutex_lock(&e->lock);
    e->done = true;
    bool left = e->left;
    pthread_cond_signal(&e->ended);
    pthread_mutex_unlock(&e->lock);
    if (left) {
        e->drop(e->state);
        errand_free(e);
    }
    return NULL;
}

static struct errand *errand_new(void (*work)(void *state), void (*drop)(void *state), void *state)
{
    struct errand *e = gp_calloc(1, sizeof(*e));
    pthread_condattr_t monotonic;

    *e = (struct errand){.work = work, .drop = drop, .state = state};
    pthread_mutex_init(&e->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&e->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return e;
}

bool deadline_run(double seconds, void (*work)(void *state), void (*drop)(void *state), void *state)
{
    struct errand *e = errand_new(work, drop, state);
    double until = clock_now() + seconds;
    struct timespec at = {.tv_sec = (time_t)until};
    pthread_t thread;

    at.tv_nsec = (long)((until - floor(until)) * 1e9);
    if (!thread_begin(&thread, errand_thread, e)) {
        errand_free(e);
        work(state);
        return true;
    }
    pthread_mutex_lock(&e->lock);
    while (!e->done && clock_now() < until)
        pthread_cond_timedwait(&e->ended, &e->lock, &at);
    bool done = e->done;
    e->left = !done;
    pthread_mutex_unlock(&e->lock);
    if (!done) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    errand_free(e);
    return true;
}

double deadline_driver(void)
{
    const char *text = secure_getenv("GPUPLAN_DRIVER_WAIT");
    double seconds = text ? strtod(text, NULL) : 0;

    return seconds > 0 && seconds <= DRIVER_MOST ? seconds : DRIVER_WAIT;
}
