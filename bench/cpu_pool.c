/*
 * cpu_pool.c - a fixed team of threads, woken by a generation number.
 *
 * Waking costs 10 to 50 us, so a sample gives each thread all of its launches at once
 * instead of one at a time; and who waits looks again for some 30 us before it sleeps, as an
 * engine's threads do between two products.
 */
#include "bench/cpu_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct cpu_pool {
    int threads, made, busy;
    unsigned generation;
    bool quit;
    cpu_work *work;
    void *ctx;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    struct member {
        struct cpu_pool *pool;
        pthread_t thread;
        int part;
    } member[];
};

enum { LOOKS = 500 };

static void pause_one(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Until there is something new to do, or not soon. */
static void look_for_work(const struct cpu_pool *pool, unsigned seen)
{
    for (int i = 0; i < LOOKS; i++, pause_one())
        if (__atomic_load_n(&pool->generation, __ATOMIC_ACQUIRE) != seen)
            return;
}

static void look_for_end(const struct cpu_pool *pool)
{
    for (int i = 0; i < LOOKS; i++, pause_one())
        if (__atomic_load_n(&pool->busy, __ATOMIC_ACQUIRE) == 0)
            return;
}

static void *pool_serve(void *arg)
{
    struct member *me = arg;
    struct cpu_pool *pool = me->pool;
    unsigned seen = 0;
    bool quit;

    for (;;) {
        look_for_work(pool, seen);
        pthread_mutex_lock(&pool->lock);
        while (pool->generation == seen && !pool->quit)
            pthread_cond_wait(&pool->begin, &pool->lock);
        quit = pool->quit;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        if (quit)
            return NULL;
        pool->work(pool->ctx, me->part, pool->threads);
        pthread_mutex_lock(&pool->lock);
        if (__atomic_sub_fetch(&pool->busy, 1, __ATOMIC_RELEASE) == 0)
            pthread_cond_signal(&pool->end);
        pthread_mutex_unlock(&pool->lock);
    }
}

struct cpu_pool *cpu_pool_new(int threads)
{
    struct cpu_pool *pool;

    threads = threads < 1 ? 1 : threads;
    pool = calloc(1, sizeof *pool + (size_t)threads * sizeof pool->member[0]);
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    pool->threads = threads;
    for (pool->made = 1; pool->made < threads; pool->made++) {
        struct member *one = &pool->member[pool->made];

        one->pool = pool;
        one->part = pool->made;
        if (pthread_create(&one->thread, NULL, pool_serve, one) != 0) {
            cpu_pool_free(pool);
            return NULL;
        }
    }
    return pool;
}

void cpu_pool_free(struct cpu_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i < pool->made; i++)
        pthread_join(pool->member[i].thread, NULL);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void cpu_pool_run(struct cpu_pool *pool, cpu_work *work, void *ctx)
{
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->ctx = ctx;
    __atomic_store_n(&pool->busy, pool->threads - 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&pool->generation, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work(ctx, 0, pool->threads);
    look_for_end(pool);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

int cpu_pool_threads(const struct cpu_pool *pool)
{
    return pool->threads;
}

void cpu_pool_share(size_t bytes, int part, int parts, size_t *from, size_t *to)
{
    size_t pages = (bytes + 4095) / 4096, each = pages / (size_t)parts;

    *from = (size_t)part * each * 4096;
    *to = part == parts - 1 ? bytes : (size_t)(part + 1) * each * 4096;
}
