/*
 * cpu_pool.h - threads that wait between pieces of work, one piece per thread at a time.
 *
 * cpu_pool_run() calls work(ctx, part, parts) once for each of `parts` threads, the
 * caller being part 0, and returns when all have finished.
 */
#ifndef GP_BENCH_CPU_POOL_H
#define GP_BENCH_CPU_POOL_H

#include <stddef.h>

struct cpu_pool;
typedef void cpu_work(void *ctx, int part, int parts);

/* NULL when the threads cannot be had. */
struct cpu_pool *cpu_pool_new(int threads);
void cpu_pool_free(struct cpu_pool *pool);
void cpu_pool_run(struct cpu_pool *pool, cpu_work *work, void *ctx);
int cpu_pool_threads(const struct cpu_pool *pool);

/* Bytes [*from, *to) of `bytes` that belong to part; borders at multiples of 4096. */
void cpu_pool_share(size_t bytes, int part, int parts, size_t *from, size_t *to);

#endif
