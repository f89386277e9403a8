/* runner_child.c - posix_spawn, pipes, signals and waitpid, nothing of the protocol. */
#include "measure/runner_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define KILL_WAIT 5.0 /* s for a killed process to go; one stuck in a driver may not */

extern char **environ;

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Moves a descriptor above the standard three, which the new process will overwrite. */
static bool move_up(int *fd)
{
    if (*fd > 2)
        return true;
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
    if (moved < 0)
        return false;
    close(*fd);
    *fd = moved;
    return true;
}

/* ours[i], theirs[i]: input, output, error. */
static bool open_streams(int ours[3], int theirs[3])
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    ours[0] = pair[0];
    theirs[0] = pair[1];
    for (int i = 1; i < 3; i++) {
        if (pipe2(pair, O_CLOEXEC) != 0)
            return false;
        ours[i] = pair[0];
        theirs[i] = pair[1];
    }
    for (int i = 0; i < 3; i++)
        if (!move_up(&ours[i]) || !move_up(&theirs[i]) || fcntl(ours[i], F_SETFL, O_NONBLOCK) != 0)
            return false;
    return true;
}

/* Default handlers and an empty mask, whatever gpuplan has set for itself. */
static int spawn_engine(pid_t *pid, char *const argv[], const int theirs[3])
{
    static const int defaults[] = {SIGPIPE, SIGINT,  SIGTERM, SIGHUP,
                                   SIGQUIT, SIGCHLD, SIGTSTP, SIGWINCH};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t set;

    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&files, theirs[i], i);
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attr, &set);
    for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
        sigaddset(&set, defaults[i]);
    posix_spawnattr_setsigdefault(&attr, &set);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                        POSIX_SPAWN_SETSIGMASK);
    int rc = posix_spawn(pid, argv[0], &files, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return rc;
}

void child_signal(struct child *child, int signal)
{
    if (child->pid > 0)
        kill(-child->pid, signal);
}

/* Until the leader is reaped, no other process can get its group's number. */
bool child_reap(struct child *child)
{
    siginfo_t info = {0};

    if (child->pid <= 0)
        return child->exited;
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        if (errno == EINTR)
            return false;
        child->exited = true; /* ECHILD: our parent made us ignore SIGCHLD */
        child->pid = 0;
        return true;
    }
    if (info.si_pid == 0)
        return false;
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    child->exited = true;
    child->pid = 0;
    return true;
}

void child_fini(struct child *child)
{
    double until = clock_now() + KILL_WAIT;

    child_signal(child, SIGKILL);
    while (child->pid > 0 && !child_reap(child) && clock_now() < until)
        poll(NULL, 0, 2);
    close_fd(&child->in);
    close_fd(&child->out);
    close_fd(&child->err);
    strbuf_fini(&child->send);
}

enum gp_status child_start(struct child *child, char *const argv[], struct gp_err *err)
{
    int ours[3] = {-1, -1, -1}, theirs[3] = {-1, -1, -1};

    memset(child, 0, sizeof(*child));
    strbuf_init(&child->send);
    int rc = open_streams(ours, theirs) ? spawn_engine(&child->pid, argv, theirs) : errno;
    for (int i = 0; i < 3; i++)
        close_fd(&theirs[i]);
    child->in = ours[0];
    child->out = ours[1];
    child->err = ours[2];
    if (rc == 0)
        return GP_OK;
    child->pid = 0;
    child_fini(child);
    return gp_fail(err, GP_E_DEVICE, argv[0],
                   rc == ENOENT || rc == EACCES ? "is it installed and executable?" : "",
                   "cannot start the engine: %s", strerror(rc));
}

bool child_has_more(const struct child *child)
{
    return child->in >= 0 && child->sent < child->send.len;
}

void child_flush(struct child *child)
{
    while (child_has_more(child)) {
        ssize_t n = send(child->in, child->send.text + child->sent, child->send.len - child->sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
            close_fd(&child->in); /* it no longer listens; its end says why */
        if (n <= 0)
            return;
        child->sent += (size_t)n;
    }
    strbuf_clear(&child->send);
    child->sent = 0;
}

void child_say(struct child *child, const char *text, size_t len)
{
    strbuf_addn(&child->send, text, len);
    child_flush(child);
}

static long read_fd(int *fd, char *dst, size_t size)
{
    ssize_t n;

    if (*fd < 0)
        return 0;
    do
        n = read(*fd, dst, size);
    while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return -1;
    if (n <= 0)
        close_fd(fd);
    return n > 0 ? (long)n : 0;
}

long child_read(struct child *child, char *dst, size_t size)
{
    return read_fd(&child->out, dst, size);
}

/* Keeps the last CHILD_WORDS bytes. At most 64 reads, so that an engine that never
 * stops complaining does not keep us from everything else. */
void child_read_words(struct child *child)
{
    char chunk[1024];
    long n;

    for (int i = 0; i < 64 && (n = read_fd(&child->err, chunk, sizeof(chunk))) > 0; i++) {
        size_t add = (size_t)n, room = CHILD_WORDS - child->words_len;

        if (add > room) {
            size_t drop = add - room;

            memmove(child->words, child->words + drop, child->words_len - drop);
            child->words_len -= drop;
        }
        for (size_t c = 0; c < add; c++) {
            unsigned char byte = (unsigned char)chunk[c];
            bool plain = byte == '\n' || (byte >= 0x20 && byte < 0x7f);

            child->words[child->words_len++] = plain ? (char)byte : ' ';
        }
        child->words[child->words_len] = '\0';
    }
}

static const struct {
    int signal;
    const char *name, *hint;
} signals[] = {
    {SIGKILL, "SIGKILL", "killed from outside, perhaps because memory ran out"},
    {SIGSEGV, "SIGSEGV", "a fault of the engine or of a library it uses"},
    {SIGABRT, "SIGABRT", "a library gave up"},
    {SIGBUS, "SIGBUS", "memory or a mapped file went away"},
    {SIGILL, "SIGILL", "a library uses instructions this processor lacks"},
    {SIGFPE, "SIGFPE", "a fault of the engine or of a library it uses"},
    {SIGTERM, "SIGTERM", "another process ended it"},
    {SIGINT, "SIGINT", "another process ended it"},
    {SIGHUP, "SIGHUP", "another process ended it"},
    {SIGPIPE, "SIGPIPE", ""},
    {SIGXCPU, "SIGXCPU", "a limit on processor time"},
    {SIGXFSZ, "SIGXFSZ", "a limit on file size"},
};

const char *child_ending(const struct child *child, char *what, size_t size)
{
    int number = WTERMSIG(child->status), code = WEXITSTATUS(child->status);

    if (!WIFSIGNALED(child->status)) {
        gp_format(what, size, "ended with exit code %d", code);
        return code == 2   ? "it refused its plan"
               : code == 4 ? "it has no usable device or library"
                           : "";
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        if (signals[i].signal == number) {
            gp_format(what, size, "ended by signal %d (%s)", number, signals[i].name);
            return signals[i].hint;
        }
    gp_format(what, size, "ended by signal %d", number);
    return "";
}
