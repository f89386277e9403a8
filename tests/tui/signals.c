/*
 * signals.c - every signal that ends gpuplan leaves the terminal as it was.
 *
 * gpuplan runs on a pseudo-terminal of our own: one that is read, one that Ctrl-S has
 * stopped, and one that nobody reads. It must end with 128 + the signal's number, the
 * line's modes must be those from before, and the last thing on the screen its end. SIGTSTP, at
 * any moment, stops it with the terminal as it was; it goes on, or ends when it is asked to.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 10.0       /* s */
#define LEAVE "\033[?1049l" /* an xterm's own screen ends */

enum manner { READ, STOPPED, UNREAD, MANNERS };
static const char *const manners[MANNERS] = {"read", "stopped by Ctrl-S", "not read"};

struct pane {
    int master, slave;
    pid_t pid;
    struct termios before;
    char text[1 << 20]; /* all that was read */
    size_t len;
};

static int failures, checks;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void expect(bool good, int sig, enum manner manner, const char *what)
{
    checks++;
    if (good)
        return;
    failures++;
    printf("FAILED: signal %d (%s), terminal %s: %s\n", sig, strsignal(sig), manners[manner], what);
}

/* ---- the terminal ---- */

/* A process whose parent is of another session is never stopped: this is a shell with one job,
 * whose number it tells. The job returns. */
static void run_as_job(int tells)
{
    pid_t job = fork();
    int status = 0;

    setpgid(job, job);
    if (job == 0) {
        while (tcgetpgrp(STDIN_FILENO) != getpid())
            usleep(1000);
        return;
    }
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(STDIN_FILENO, job);
    if (write(tells, &job, sizeof(job)) != sizeof(job) || waitpid(job, &status, 0) != job)
        _exit(99);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void run_program(struct pane *pane, int tells)
{
    static const struct rlimit no_core = {0, 0};

    setrlimit(RLIMIT_CORE, &no_core);
    setsid();
    ioctl(pane->slave, TIOCSCTTY, 0);
    for (int fd = 0; fd < 3; fd++)
        dup2(pane->slave, fd);
    close(pane->slave);
    close(pane->master);
    /* what started the test may ignore them: a shell does, of what it runs behind */
    for (int sig = 1; sig <= SIGRTMIN + 1; sig++)
        signal(sig, SIG_DFL);
    if (tells >= 0)
        run_as_job(tells);
    execl("./gpuplan", "gpuplan", "-m", "8B", "-g", "l4:1", (char *)NULL);
    _exit(127);
}

static void start_telling(struct pane *pane, int tells)
{
    struct winsize size = {.ws_row = 40, .ws_col = 120};

    pane->len = 0;
    pane->text[0] = '\0';
    pane->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (pane->master < 0 || grantpt(pane->master) != 0 || unlockpt(pane->master) != 0)
        exit(77); /* no pseudo-terminals here */
    pane->slave = open(ptsname(pane->master), O_RDWR | O_NOCTTY);
    if (pane->slave < 0 || tcgetattr(pane->slave, &pane->before) != 0)
        exit(77);
    ioctl(pane->master, TIOCSWINSZ, &size);
    fcntl(pane->master, F_SETFL, O_NONBLOCK);
    fflush(stdout);
    pane->pid = fork();
    if (pane->pid == 0)
        run_program(pane, tells);
}

static void start(struct pane *pane)
{
    start_telling(pane, -1);
}

static void take(struct pane *pane, int ms)
{
    struct pollfd fd = {.fd = pane->master, .events = POLLIN};
    ssize_t n;

    poll(&fd, 1, ms);
    while ((n = read(pane->master, pane->text + pane->len, sizeof pane->text - 1 - pane->len)) > 0)
        pane->len += (size_t)n;
    pane->text[pane->len] = '\0';
}

static bool shows(struct pane *pane, const char *word)
{
    double until = now() + PATIENCE;

    while (now() < until && !strstr(pane->text, word))
        take(pane, 20);
    return strstr(pane->text, word) != NULL;
}

/* It has painted what the terminal took of it, and waits for the rest. */
static void block(struct pane *pane, enum manner manner)
{
    struct winsize large = {.ws_row = 200, .ws_col = 500};
    int before, held = -1;

    if (manner == STOPPED && write(pane->master, "\023", 1) != 1)
        return;
    usleep(50000);
    ioctl(pane->master, TIOCSWINSZ, &large);
    do {
        before = held;
        usleep(100000);
        ioctl(pane->master, FIONREAD, &held);
    } while (held != before);
}

/* ---- one signal ---- */

static bool has_ended(struct pane *pane, enum manner manner, int *status)
{
    double until = now() + PATIENCE;

    while (now() < until) {
        if (manner == READ)
            take(pane, 5);
        else
            usleep(5000);
        if (waitpid(pane->pid, status, WNOHANG) == pane->pid)
            return true;
    }
    kill(pane->pid, SIGKILL);
    waitpid(pane->pid, status, 0);
    return false;
}

static bool same_modes(const struct pane *pane)
{
    struct termios after;

    return tcgetattr(pane->slave, &after) == 0 && after.c_iflag == pane->before.c_iflag &&
           after.c_oflag == pane->before.c_oflag && after.c_lflag == pane->before.c_lflag &&
           after.c_cflag == pane->before.c_cflag &&
           memcmp(after.c_cc, pane->before.c_cc, sizeof after.c_cc) == 0;
}

/* Nothing but modes and a message follows the end of the screen. */
static bool left_screen(struct pane *pane)
{
    const char *end = NULL;

    take(pane, 50);
    for (const char *p = pane->text; (p = strstr(p, LEAVE)); p++)
        end = p;
    return end && strlen(end) < 160;
}

static void try_signal(int sig, enum manner manner)
{
    static struct pane pane;
    int status = 0;

    start(&pane);
    if (!shows(&pane, "quit")) {
        puts("FAILED: does not start");
        exit(1);
    }
    if (manner != READ)
        block(&pane, manner);
    kill(pane.pid, sig);
    expect(has_ended(&pane, manner, &status), sig, manner, "does not end");
    expect(WIFSIGNALED(status) ? WTERMSIG(status) == sig : WEXITSTATUS(status) == 128 + sig, sig,
           manner, "does not end with 128 and its number");
    expect(same_modes(&pane), sig, manner, "the line's modes changed");
    expect(left_screen(&pane), sig, manner, "the screen is still there");
    close(pane.slave);
    close(pane.master);
}

/* ---- stopped ---- */

static bool is_stopped(struct pane *pane, pid_t job)
{
    double until = now() + PATIENCE;
    char path[64], line[256], state = ' ';

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)job);
    while (now() < until && state != 'T') {
        FILE *file = fopen(path, "r");
        const char *end = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;

        state = end && end[1] ? end[2] : ' ';
        if (file)
            fclose(file);
        take(pane, 5);
    }
    return state == 'T';
}

/* It paints, is resized or idle, as `round` falls. */
static void keep_busy(struct pane *pane, int round)
{
    struct winsize size = {.ws_row = (unsigned short)(30 + round % 20), .ws_col = 120};

    if (write(pane->master, round % 2 ? "2" : "1", 1) == 1 && round % 3 == 0)
        ioctl(pane->master, TIOCSWINSZ, &size);
    for (double until = now() + (double)(round * 7919 % 50000) / 1e6; now() < until;)
        take(pane, 1);
}

static void try_stops(int rounds)
{
    static const char on[] = "\033[?2004h", off[] = "\033[?2004l";
    static struct pane pane;
    int tells[2], status = 0;
    pid_t job = 0;

    if (pipe(tells) != 0)
        exit(99);
    start_telling(&pane, tells[1]);
    if (read(tells[0], &job, sizeof(job)) != sizeof(job) || !shows(&pane, "quit")) {
        puts("FAILED: does not start as a job");
        exit(1);
    }
    for (int round = 0; round <= rounds; round++) {
        keep_busy(&pane, round);
        kill(job, SIGTSTP);
        expect(is_stopped(&pane, job), SIGTSTP, READ, "does not stop");
        expect(same_modes(&pane), SIGTSTP, READ, "the line's modes changed");
        expect(left_screen(&pane), SIGTSTP, READ, "the screen is still there");
        const char *last = NULL;
        for (const char *p = pane.text; (p = strstr(p, "\033[?2004")); p++)
            last = p;
        expect(last && strncmp(last, off, sizeof(off) - 1) == 0, SIGTSTP, READ,
               "bracketed paste is still on");
        if (round == rounds) /* asked to end while it is stopped */
            kill(job, SIGTERM);
        pane.text[pane.len = 0] = '\0';
        kill(job, SIGCONT);
        expect(round == rounds || shows(&pane, on), SIGTSTP, READ, "does not go on");
    }
    expect(has_ended(&pane, READ, &status) && WEXITSTATUS(status) == 128 + SIGTERM, SIGTSTP, READ,
           "does not end by SIGTERM when it is stopped");
    expect(same_modes(&pane), SIGTSTP, READ, "the line's modes changed at the end");
    close(pane.slave);
    close(pane.master);
}

/* gpuplan ignores SIGXFSZ: a file that becomes too large is an error. */
static bool ends_programs(int sig)
{
    static const int others[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN,  SIGTTOU,
                                 SIGCONT, SIGCHLD, SIGURG,  SIGWINCH, SIGXFSZ};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (sig == others[i])
            return false;
    return sig < 32 || sig >= SIGRTMIN; /* between them are the C library's own */
}

int main(void)
{
#ifndef GP_HAVE_CURSES
    puts("SKIPPED: this gpuplan has no terminal screens");
    return 77;
#endif
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("GPUPLAN_PLAIN");
    unsetenv("GPUPLAN_SCRIPT");
    setenv("ASAN_OPTIONS",
           "handle_segv=0:handle_abort=0:handle_sigbus=0:"
           "handle_sigfpe=0:handle_sigill=0",
           1);
    for (int sig = 1; sig <= SIGRTMIN + 1; sig++)
        if (ends_programs(sig))
            try_signal(sig, READ);
    for (enum manner manner = STOPPED; manner < MANNERS; manner++) {
        try_signal(SIGTERM, manner);
        try_signal(SIGQUIT, manner);
    }
    try_stops(60);
    printf("%d checks, %d failures\n", checks, failures);
    return failures > 0;
}
