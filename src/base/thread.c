/*
 * thread.c - see thread.h.
 */
#include "base/thread.h"

#include <signal.h>

bool thread_begin(pthread_t *thread, void *(*work)(void *), void *ctx)
{
    static const int crash[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t blocked, before;

    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(crash) / sizeof(crash[0]); i++)
        sigdelset(&blocked, crash[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before); /* the new thread has this one's mask */
    bool begun = pthread_create(thread, NULL, work, ctx) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}
