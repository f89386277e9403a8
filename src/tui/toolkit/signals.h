/*
 * signals.h - the terminal is given back whatever signal ends the program.
 *
 * SIGTERM, SIGHUP and SIGINT are left to the loop, which stops what runs and ends with
 * 128 + number. If it does not within two seconds (it waits for a terminal that takes
 * nothing: Ctrl-S, or nobody reads), and at once for any other signal that would end
 * the program (Ctrl-\, SIGUSR1, a crash), the handler itself writes what leaves the
 * screen, puts the line's modes back and lets the signal do what it does.
 */
#ifndef GP_TUI_TOOLKIT_SIGNALS_H
#define GP_TUI_TOOLKIT_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct give_back {
    struct termios before; /* the line's modes as they were found */
    char leave[256];       /* bytes that leave the screen */
    size_t leave_len;
    bool given; /* it has the terminal: the program is stopped */
};

/* *back must stay; it may change. A signal that comes is also written to `wake`. */
void signals_catch(const struct give_back *back, int wake);
void signals_release(void);
/* The signal that asks for the end, once; 0: none. */
int signals_take(void);
int signals_waiting(void); /* the same, and it stays */
/* The loop heeded it and goes on. */
void signals_go_on(void);
/* For who ends the program without a signal and cannot close the terminal. */
void signals_give_back(void);

#endif
