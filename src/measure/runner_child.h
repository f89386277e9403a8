/*
 * runner_child.h - an engine as a process: its group, its three streams, its end.
 *
 * Each engine leads a process group of its own, so that Ctrl-C on the terminal reaches
 * gpuplan alone (which then decides) and a signal to the group also reaches whatever
 * the engine started. Its standard input is a socket, because only a socket can be
 * written to without risking SIGPIPE in a library; output and error are pipes. Every
 * descriptor is close-on-exec, so that no engine holds another's pipe open.
 */
#ifndef GP_MEASURE_RUNNER_CHILD_H
#define GP_MEASURE_RUNNER_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

#define CHILD_WORDS 4096 /* bytes kept of its standard error, the last ones */

struct child {
    pid_t pid;          /* 0 = none, or reaped */
    int in, out, err;   /* our ends, -1 = closed; they never block */
    struct strbuf send; /* what it has yet to read */
    size_t sent;
    bool exited;
    int status; /* as from waitpid, once exited */
    char words[CHILD_WORDS + 1];
    size_t words_len;
};

/* Runs argv[0], a path; no shell. */
enum gp_status child_start(struct child *child, char *const argv[], struct gp_err *err);

/* Appends to what is sent, and sends what the engine takes now. */
void child_say(struct child *child, const char *text, size_t len);
void child_flush(struct child *child);
bool child_has_more(const struct child *child); /* still something to send */

/* Reads what is there into dst: bytes, 0 at the end of the stream, -1 nothing now. */
long child_read(struct child *child, char *dst, size_t size);
void child_read_words(struct child *child);

/* To the whole group; nothing when it is gone. */
void child_signal(struct child *child, int signal);

/* True once it has ended: then the rest of its group is killed and it is reaped. */
bool child_reap(struct child *child);

/* How it ended, in words: "ended by signal 9 (SIGKILL)"; what that may mean, or "". */
const char *child_ending(const struct child *child, char *what, size_t size);

/* Kills what runs, reaps it and closes everything. */
void child_fini(struct child *child);

#endif
