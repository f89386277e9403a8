/* clock_lock.c - posix_spawn and a socket pair; NVML itself is in sensors_nvml.c. */
#include "bench/clock_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "bench/sensors_nvml.h"
#include "measure/point/method.h"

#define TAKE_WAIT 10.0   /* s: a driver that sleeps takes seconds to wake */
#define GIVE_WAIT 2.0    /* s */
#define DESCRIPTORS 1024 /* more than an engine has open */
#define LOCKED "locked\n"

struct clock_lock {
    pid_t pid;
    int fd;
};

/* ---- this program ---- */

/* Reads until the end, or a whole line into `line` where there is one; false when
 * neither comes in time. */
static bool lock_read_line(int fd, double seconds, char *line, size_t size)
{
    double until = clock_now() + seconds, left;
    size_t len = 0;

    while ((left = until - clock_now()) > 0) {
        struct pollfd look = {.fd = fd, .events = POLLIN};
        char byte;
        ssize_t n;

        if (poll(&look, 1, (int)(1e3 * left) + 1) <= 0)
            continue;
        n = read(fd, &byte, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0 && line && len + 1 < size)
            line[len++] = byte;
        if (line)
            line[len] = '\0';
        if (n <= 0 || (line && byte == '\n'))
            return true;
    }
    return false;
}

static struct clock_lock *lock_start(const char *pci, double mhz, char *why, size_t size)
{
    struct clock_lock *lock = calloc(1, sizeof *lock);
    char bus[24], clock[16] = "base";
    char name[] = "gpuplan-bench-cuda", option[] = "--hold-clocks";
    char *const argv[] = {name, option, bus, clock, NULL};
    posix_spawn_file_actions_t files;
    int pair[2], rc;

    gp_copy(bus, sizeof bus, pci);
    if (mhz != LOCK_BASE)
        gp_format(clock, sizeof clock, "%.0f", mhz);
    rc = !lock ? ENOMEM : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ? errno : 0;
    if (rc == 0) { /* input and output of the other process are pair[1] */
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_adddup2(&files, pair[1], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&files, pair[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        rc = posix_spawn(&lock->pid, "/proc/self/exe", &files, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&files);
        close(pair[1]);
        if (rc == 0) {
            lock->fd = pair[0];
            return lock;
        }
        close(pair[0]);
    }
    gp_format(why, size, "no process can be started for it: %s", strerror(rc));
    free(lock);
    return NULL;
}

struct clock_lock *clock_lock_take(const char *pci, double mhz, char *why, size_t size)
{
    struct clock_lock *lock = lock_start(pci, mhz, why, size);
    char line[160] = "";

    if (!lock)
        return NULL;
    if (!lock_read_line(lock->fd, TAKE_WAIT, line, sizeof line))
        gp_copy(why, size, "the driver does not answer");
    else if (strcmp(line, LOCKED) == 0)
        return lock;
    else
        gp_format(why, size, "%.*s", (int)strcspn(line, "\n"),
                  line[0] ? line : "the process for it failed");
    clock_lock_give(lock);
    return NULL;
}

void clock_lock_give(struct clock_lock *lock)
{
    if (!lock)
        return;
    shutdown(lock->fd, SHUT_WR);
    if (lock_read_line(lock->fd, GIVE_WAIT, NULL, 0))
        waitpid(lock->pid, NULL, 0);
    close(lock->fd);
    free(lock);
}

/* ---- the other process ---- */

static void lock_answer(const char *text)
{
    ssize_t sent = write(STDOUT_FILENO, text, strlen(text));

    (void)sent; /* when nobody hears it, the input has ended */
}

int clock_lock_hold(const char *pci, const char *clock)
{
    unsigned whole = (unsigned)strtoul(clock, NULL, 10);
    double mhz = strcmp(clock, "base") == 0 ? LOCK_BASE : whole;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    char why[160] = "", byte;
    struct nvml *nvml;
    bool locked;
    ssize_t n;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], SIG_IGN); /* they would leave the clocks locked */
    setsid();
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
        close(fd); /* the engine's output must end with the engine */
    nvml = nvml_open(pci, "", why, sizeof why);
    locked = nvml && nvml_lock_clock(nvml, mhz, why, sizeof why);
    if (locked) {
        lock_answer(LOCKED);
        do /* until the engine is gone */
            n = read(STDIN_FILENO, &byte, 1);
        while (n > 0 || (n < 0 && errno == EINTR));
        nvml_unlock_clock(nvml);
    } else {
        lock_answer(why);
        lock_answer("\n");
    }
    nvml_close(nvml);
    return locked ? 0 : 1;
}
