/*
 * cpu_engine.h - what the tests of the CPU engine share: one open device, and for each
 * test the four things a backend does with a point.
 */
#ifndef GP_BENCH_CPU_ENGINE_H
#define GP_BENCH_CPU_ENGINE_H

#include "bench/backend.h"
#include "bench/cpu_gemm.h"
#include "bench/cpu_pool.h"
#include "probe/cpu_topology.h"

/* Why a point, or a product of it, cannot be measured. */
struct refusal {
    enum point_state state;
    char text[240];
};
bool cpu_refuse(struct refusal *why, enum point_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); /* false */

/* ---- did anybody else want the processors while a point was measured? ---- */

/* Two readings, before and after; what they differ by says
 *   waited  s this process's threads were ready to run and had no processor
 *   others  s the allowed processors worked for somebody else
 *   stolen  s a hypervisor kept from them
 * each over wall x threads. Waiting alone may be our own doing (more threads than cores
 * for a moment), others' work alone may have been on a processor we left free:
 * contended is when both are above 5 %, or when as much was stolen.
 *
 * One `yes` beside two threads on two cores, 0.3 s: it runs 0.15 s, others 0.25; one of the threads
 * waits as long, waited 0.25. */
struct cpu_load {
    double wall, own, waited, busy, steal; /* s since some beginning; -1 = unknown */
};

struct cpu_share { /* of wall x threads; 0 where it is unknown */
    double waited, others, stolen;
    bool contended;
};

void cpu_load_read(struct cpu_load *out);
struct cpu_share cpu_load_share(const struct cpu_load *before, const struct cpu_load *after,
                                int threads);

/* ---- the open device ---- */

struct cpu_engine {
    struct method_settings settings;
    struct cpu_topology topology;
    struct cpu_pool *pool;
    struct cpu_gemm *heater;     /* for warm() */
    const struct cpu_test *test; /* of the prepared point */
    void *work;                  /* the test's own */
    struct refusal why;          /* prepare() failed */
    json_t *params;              /* of the prepared point, or NULL */
    const char *flags[8];        /* of the prepared point; NULL ends */
    struct cpu_load before;      /* when the samples began */
    bool sampling;
};

struct cpu_test {
    size_t size; /* of `work`, which is all zero before prepare() */
    /* False, and refused in engine->why; release() follows. */
    bool (*prepare)(struct cpu_engine *engine, const struct point *point, void *work,
                    struct prepared *out);
    /* The engine times it, unless it sets *seconds. */
    bool (*run)(struct cpu_engine *engine, void *work, int launches, double *seconds);
    void (*check)(struct cpu_engine *engine, void *work, struct check *out);
    void (*release)(void *work);                /* what is in it */
    bool (*soak)(void *work, struct soak *out); /* NULL: not of this test */
};

/* What measures a test of measure/point/test_rows.h on a CPU: weak, so that a test that no file has
 * is a null pointer, and refused. */
#define TEST(ID, word, ...) extern const struct cpu_test cpu_test_##word __attribute__((weak));
#include "measure/point/test_rows.h"
#undef TEST

/* Bytes one point may allocate: the setting, or a quarter of what is free now; never more
 * than nine tenths of what is free. */
double cpu_budget(const struct cpu_engine *engine);
/* The same where another share of what is free is the default. */
double cpu_share(const struct cpu_engine *engine, double share);

/* Copies of `bytes` for which there is `room`: twice the caches are walked before one
 * returns, or many times where memory alone decides (`deep`). */
int cpu_rotation(const struct cpu_engine *engine, double bytes, double room, bool deep, bool *cold);

/* Adds a flag to the point, once; the ninth is dropped. */
void cpu_flag(struct cpu_engine *engine, const char *flag);
void cpu_flag_product(struct cpu_engine *engine, const struct gemm_made *made);

#endif
