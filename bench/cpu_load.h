/*
 * cpu_load.h - did anybody else want the processors while a point was measured?
 *
 * Two readings, before and after; what they differ by says
 *   waited  s this process's threads were ready to run and had no processor
 *   others  s the allowed processors worked for somebody else
 *   stolen  s a hypervisor kept from them
 * each over wall x threads. Waiting alone may be our own doing (more threads than cores
 * for a moment), others' work alone may have been on a processor we left free:
 * contended is when both are above 5 %, or when as much was stolen.
 *
 * One `yes` beside two threads on two cores, 0.3 s: it runs 0.15 s, others 0.25; one of
 * the threads waits as long, waited 0.25.
 */
#ifndef GP_BENCH_CPU_LOAD_H
#define GP_BENCH_CPU_LOAD_H

#include <stdbool.h>

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

#endif
