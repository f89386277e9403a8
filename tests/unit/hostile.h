/*
 * hostile.h - what the tests of the file readers share: fixtures, and a child process
 * whose memory is limited, to show that a small file cannot make a reader take much.
 */
#ifndef GP_TESTS_HOSTILE_H
#define GP_TESTS_HOSTILE_H

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/path.h"
#include "tests/sanitized.h"
#include "unit.h"

static inline const char *fixture_path(const char *name)
{
    static char path[1024];
    const char *dir = getenv("srcdir");

    snprintf(path, sizeof path, "%s/tests/fixtures/models/%s", dir && *dir ? dir : ".", name);
    return path;
}

/* The whole fixture; the caller frees. */
static inline char *fixture_text(const char *name, size_t *len)
{
    struct gp_err err = {0};
    char *text;

    if (path_read(fixture_path(name), 1u << 24, &text, len, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    return text;
}

/* Runs fn in a child that may take `mib` more memory than it has now and 5 s; fn must
 * return true. Address sanitizer reserves terabytes: there fn runs unlimited. */
static inline void run_limited(bool (*fn)(void), unsigned mib)
{
    int status = -1;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
#if !SANITIZED
        unsigned long pages = 0;
        FILE *statm = fopen("/proc/self/statm", "r");
        struct rlimit limit;

        if (statm == NULL || fscanf(statm, "%lu", &pages) != 1)
            _exit(3);
        fclose(statm);
        limit.rlim_cur = limit.rlim_max =
            pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mib << 20);
        if (setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(4);
#else
        (void)mib;
#endif
        alarm(5);
        _exit(fn() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the child ended with status %d", status);
}

#endif
