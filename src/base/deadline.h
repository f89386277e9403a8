/*
 * deadline.h - work that may never end, such as a call of a driver's library.
 *
 * A thread of its own does it, and is left to itself where it takes too long: whoever waits goes on
 * without the answer. A driver that has to wake takes seconds, one that is stuck takes for ever.
 */
#ifndef GP_BASE_DEADLINE_H
#define GP_BASE_DEADLINE_H

#include <stdbool.h>

/* True: done, and `state` is the caller's again. False: not within so many seconds; the thread has
 * the state, and gives it to `drop` should the work end after all. Where no thread can be had the
 * caller does the work, however long that takes. */
bool deadline_run(double seconds, void (*work)(void *state), void (*drop)(void *state),
                  void *state);

/* What a driver is waited for at the most, s: $GPUPLAN_DRIVER_WAIT, or 15. */
double deadline_driver(void);

#endif
