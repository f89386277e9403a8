/*
 * latency.c - from a key to the painted screen: prints figures, judges nothing.
 *
 *   make latency        or: tests/tui/latency ./gpuplan [OPTION]...
 *
 * Runs the program on a pseudo-terminal of 120 x 36 as a terminal emulator would, sends
 * one key, and takes the time until the last byte of what it paints has come; a key is
 * done when nothing came for 5 ms. Keys that paint nothing do not count. Beside it: until
 * the first bytes, which are all that a key shows that is answered in two paints ("planning"
 * first); and what the thread that reads keys and paints has worked meanwhile, which says the
 * same on a machine that is busy with other things.
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUIET 5     /* ms without a byte: it has painted */
#define NOTHING 400 /* ms: the key paints nothing */
#define START 1500  /* likewise, after the start */
#define CALM 300    /* likewise, before the next key of what may take longer than keys */
#define REPEATS 60

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double first_byte; /* ms from `from` of last_byte() */

/* ms from `from` to the last byte before `quiet` ms without; < 0: none came in `first`. */
static double last_byte(int fd, double from, int first, int quiet)
{
    struct pollfd in = {.fd = fd, .events = POLLIN};
    static char bytes[65536];
    double last = -1;

    while (poll(&in, 1, last < 0 ? first : quiet) > 0 && read(fd, bytes, sizeof bytes) > 0) {
        first_byte = last < 0 ? now() - from : first_byte;
        last = now() - from;
    }
    return last;
}

static pid_t program;

/* ms of work of its first thread so far; 0: this system does not say. */
static double work(void)
{
    char path[64];
    double ns = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)program, (int)program);
    file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lf", &ns) != 1)
        ns = 0;
    fclose(file);
    return ns * 1e-6;
}

static double press(int fd, const char *key)
{
    double from = now();

    if (write(fd, key, strlen(key)) < 0)
        return -1;
    return last_byte(fd, from, NOTHING, QUIET);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sends the keys in turn and prints a line. calm: ms without a byte before the next. */
static double series(int fd, const char *what, const char *const *keys, int calm)
{
    double took[REPEATS], before, most = 0, first = 0;
    int n = 0, next = 0;

    for (int i = 0; i < REPEATS; i++) {
        double ms;

        before = work();
        ms = press(fd, keys[next]);
        /* a lone Esc waits for what might follow it, whatever is painted then */
        ms = strcmp(keys[next], "\033") == 0 ? -1 : ms;
        next = keys[next + 1] ? next + 1 : 0;
        first = ms >= 0 && first_byte > first ? first_byte : first;
        most = work() - before > most ? work() - before : most;
        if (calm)
            last_byte(fd, now(), calm, calm);
        if (ms >= 0)
            took[n++] = ms;
    }
    if (n == 0)
        return 0;
    qsort(took, (size_t)n, sizeof took[0], by_value);
    printf("%-35s median %5.1f ms   95 %% %5.1f ms   worst %5.1f ms   first %5.1f ms   "
           "work %5.1f ms\n",
           what, took[n / 2], took[n * 95 / 100], took[n - 1], first, most);
    return took[n * 95 / 100];
}

static const struct {
    const char *what, *enter, *leave;
    const char *keys[6];
    int calm;
} tests[] = {
    {"Plan: another field", "1", "", {"j", "j", "k", "k"}, 0},
    {"Plan: another model, planned anew", "1g", "", {"+", "+", "-", "-"}, 0},
    {"Plan: number of users, planned anew", "1:model 70B\rg/users\r", "", {"+", "+", "-", "-"}, 0},
    {"Plan: GPU by GPU, planned anew", "1g/gpu\r", "", {"l", "l", "l", "h"}, 0},
    {"Plan: a rate under goals, anew",
     "1:model llama-3.1-70b\r:gpu l40s\r:ttft 1000\r:tpot 20\r:rate 2\rg/rate\r",
     "",
     {"+", "+", "-", "-"},
     0},
    {"Plan: solved under a rate", "g/gpu\r", "", {"s", "u"}, CALM},
    {"Plan: keys that need the answer", "g/rate\r", "", {"+a", "\033", "-y", "\033"}, CALM},
    {"Plan: experts under goals, anew",
     ":model deepseek-v3\r:gpu h200-sxm\r:rate 3\r",
     "",
     {"+", "+", "-", "-"},
     0},
    {"Plan: as it began", ":rate 0\rrr:model 70B\r:gpu l40s\r", "", {"j", "k"}, 0},
    {"Model chooser: a letter", "1g\r", "\033", {"l", "3", "\177", "\177"}, 0},
    {"Compare: another row", "2", "", {"j", "j", "j", "k"}, 0},
    {"Compare: another order", "2", "", {"s"}, 0},
    {"Curves: another value", "3", "", {"l", "l", "l", "h"}, 0},
    {"Replay: time and rate", "6", "", {"l", "+", "h", "-"}, 0},
    {"from tab to tab", "", "", {"1", "2", "3", "4"}, 0},
};

static void run(char **argv)
{
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("GPUPLAN_NVML", "/nonexistent", 1);
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

int main(int argc, char **argv)
{
    struct winsize size = {.ws_row = 36, .ws_col = 120};
    double worst = 0;
    int fd, status;
    pid_t pid;

    if (argc < 2) {
        fprintf(stderr, "usage: latency PROGRAM [OPTION]...\n");
        return 2;
    }
    pid = forkpty(&fd, NULL, NULL, &size);
    if (pid < 0)
        return 77;
    if (pid == 0)
        run(argv + 1);
    program = pid;
    last_byte(fd, now(), START, START);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        double ms;

        press(fd, tests[i].enter);
        last_byte(fd, now(), START / 3, START / 3);
        ms = series(fd, tests[i].what, tests[i].keys, tests[i].calm);
        press(fd, tests[i].leave);
        worst = ms > worst ? ms : worst;
    }
    printf("95 of 100 keys are painted within %.1f ms; the aim is 16 ms\n", worst);
    kill(pid, SIGTERM);
    close(fd);
    waitpid(pid, &status, 0);
    return 0;
}
