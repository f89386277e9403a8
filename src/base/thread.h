/*
 * thread.h - a thread that works beside the first one, to which signals belong.
 *
 * A handler that runs in another thread would race with what the first one reads of it. So
 * all signals but those of a crash, which come to the thread that made it, are blocked there.
 */
#ifndef GP_BASE_THREAD_H
#define GP_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* False: there is none to be had. */
bool thread_begin(pthread_t *thread, void *(*work)(void *ctx), void *ctx);

#endif
