/* session_drive.c - see session_drive.h. */
#include "measure/session_drive.h"

#include <signal.h>
#include <string.h>

#define TICK 0.25 /* s that one step waits at most */
#define SIGNALS 4 /* that are caught at most */

static volatile sig_atomic_t seen, last_seen;

static struct caught {
    int number;
    struct sigaction before;
} caught[SIGNALS];
static int caught_count;

static void on_signal(int number)
{
    last_seen = number;
    seen++;
}

void session_signals_catch(const int *numbers, int count)
{
    struct sigaction action;

    seen = last_seen = 0;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (int i = 0; i < count && caught_count < SIGNALS; i++) {
        struct caught *c = &caught[caught_count];

        c->number = numbers[i];
        if (sigaction(c->number, &action, &c->before) != 0)
            continue;
        if (c->before.sa_handler == SIG_IGN)
            sigaction(c->number, &c->before, NULL);
        else
            caught_count++;
    }
}

void session_signals_release(void)
{
    while (caught_count > 0) {
        caught_count--;
        sigaction(caught[caught_count].number, &caught[caught_count].before, NULL);
    }
    seen = 0;
}

int session_signals(int *last)
{
    *last = last_seen;
    return seen;
}

static void heed_signals(struct session *s, int *heeded)
{
    while (*heeded < 2 && *heeded < seen)
        session_stop(s, (*heeded)++ == 0 ? SESSION_AFTER_POINT : SESSION_NOW, last_seen);
}

void session_drive(struct session *s, session_take *take, void *ctx)
{
    struct session_event event;
    int heeded = 0;
    bool going = true;

    while (going) {
        heed_signals(s, &heeded);
        if (session_step(s, TICK, &event))
            going = take(ctx, &event);
    }
    heed_signals(s, &heeded); /* one that came late decides the exit code alone */
}
