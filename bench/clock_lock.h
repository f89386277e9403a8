/*
 * clock_lock.h - holds a GPU's SM clock while this program runs, however it ends.
 *
 * A lock is the driver's, and outlives the process that asked for it. So another holds
 * it: this program again, as PROGRAM --hold-clocks PCI base|MHZ, in a session of its own,
 * where the signals of a terminal and those to our process group do not reach it. It
 * locks, answers with a line, reads until its input ends, unlocks, and is gone. Its input
 * ends when this program does, also by SIGKILL.
 *
 * NVML does not tell what was locked before: the clocks become the driver's own again.
 */
#ifndef GP_BENCH_CLOCK_LOCK_H
#define GP_BENCH_CLOCK_LOCK_H

#include <stddef.h>

struct clock_lock;

/* Locks the GPU at that PCI bus id to `mhz`, or to LOCK_BASE (method.h). NULL when that is
 * not possible; `why` says why not. May take ten seconds. */
struct clock_lock *clock_lock_take(const char *pci, double mhz, char *why, size_t size);
/* Unlocks, and waits up to two seconds until that is done. */
void clock_lock_give(struct clock_lock *lock);

/* The other process: for main(), before anything else. Its exit code. */
int clock_lock_hold(const char *pci, const char *clock);

#endif
