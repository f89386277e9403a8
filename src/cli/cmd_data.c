/*
 * cmd_data.c - gpuplan --data [FILE]: what day the profiles in use are of; newer ones from a file.
 *
 * The bundle is a tar archive (catalog/bundle.h). How it was packed is undone by the program that
 * everybody has for it, whose output is as little trusted as the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "catalog/bundle.h"
#include "catalog/catalog.h"
#include "cli/command.h"

extern char **environ;

#define STEP 65536

static const struct packing {
    const char *magic, *program;
} packings[] = {
    {"\xfd"
     "7zXZ",
     "xz"},
    {"\x1f\x8b", "gzip"},
    {"\x28\xb5\x2f\xfd", "zstd"},
};

/* A child that writes what the file holds; its output's descriptor, or -1. */
static int start_unpacking(const char *program, const char *path, pid_t *pid)
{
    char name[16], option[] = "-dc";
    char *argv[] = {name, option, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], failed;

    gp_copy(name, sizeof name, program);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    failed = posix_spawnp(pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed)
        return ends[0];
    close(ends[0]);
    return -1;
}

static enum gp_status read_packed(const char *path, const char *program, char **bytes, size_t *len,
                                  struct gp_err *err)
{
    int status = 0, in;
    size_t cap = 0;
    ssize_t n = 1;
    pid_t pid;

    *bytes = NULL;
    *len = 0;
    in = start_unpacking(program, path, &pid);
    if (in < 0)
        return gp_fail(err, GP_E_FILE, path, "unpack it elsewhere and give the .tar",
                       "needs %s, which is not installed", program);
    while (n != 0 && *len <= BUNDLE_BYTES) {
        *bytes = gp_grow(*bytes, &cap, *len + STEP, 1);
        n = read(in, *bytes + *len, STEP);
        if (n < 0 && errno != EINTR)
            break;
        *len += n > 0 ? (size_t)n : 0;
    }
    close(in);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (*len > BUNDLE_BYTES)
        return gp_fail(err, GP_E_FILE, path, "", "holds more than %u MiB", BUNDLE_BYTES >> 20);
    if (n != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return gp_fail(err, GP_E_FILE, path, "copy it again",
                       WIFEXITED(status) && WEXITSTATUS(status) == 127
                           ? "needs %s, which is not installed"
                           : "%s cannot unpack it: it is damaged or cut short",
                       program);
    return GP_OK;
}

static enum gp_status read_bundle(const char *path, char **bytes, size_t *len, struct gp_err *err)
{
    char head[16];

    path_head(path, head, sizeof head);
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++)
        if (strncmp(head, packings[i].magic, strlen(packings[i].magic)) == 0)
            return read_packed(path, packings[i].program, bytes, len, err);
    return path_read(path, BUNDLE_BYTES, bytes, len, err);
}

static enum gp_status install_file(struct invocation *in, const char *used, struct gp_err *err)
{
    bool system = options_flag(&in->options, OPT_SYSTEM);
    char folder[GP_PATH_MAX], *bytes = NULL;
    struct data_stamp stamp;
    size_t len;
    enum gp_status rc = read_bundle(in->args[0], &bytes, &len, err);

    if (rc == GP_OK)
        rc = bundle_check(bytes, len, &stamp, err);
    if (rc == GP_OK && strcmp(stamp.date, used) < 0)
        rc = gp_fail(err, GP_E_USAGE, in->args[0], "--profiles FOLDER plans by older ones",
                     "is of %s, older than what is in use (%s)", stamp.date, used);
    if (rc == GP_OK && strcmp(stamp.date, used) == 0)
        strbuf_addf(&in->out, "data of %s are in use already\n", used);
    else if (rc == GP_OK && !catalog_data_folder(system, folder, sizeof folder))
        rc = gp_fail(err, GP_E_FILE, "--data", "set HOME or XDG_DATA_HOME", "there is no home");
    else if (rc == GP_OK && (rc = bundle_install(bytes, len, folder, err)) == GP_OK)
        strbuf_addf(&in->out, "data of %s installed in %s\n", stamp.date, folder);
    if (rc != GP_OK && strncmp(err->where, in->args[0], strlen(in->args[0])) != 0) {
        char within[sizeof err->where];

        gp_copy(within, sizeof within, err->where);
        gp_format(err->where, sizeof err->where, "%s%s%s", in->args[0], within[0] ? ": " : "",
                  within);
    }
    free(bytes);
    return rc;
}

static enum gp_status data_run(struct invocation *in, struct gp_err *err)
{
    const char *used = catalog_data_date(planner_catalog(in->planner));

    if (in->format != OUTPUT_TEXT)
        return gp_fail(err, GP_E_USAGE, "--format", "leave it out", "data have one line of text");
    if (in->arg_count > 0)
        return install_file(in, used, err);
    strbuf_addf(&in->out, "%s\n", used[0] ? used : "no date");
    return GP_OK;
}

const struct command cmd_data = {
    .name = "data",
    .usage = "[FILE]",
    .brief = "the day of the profiles in use; newer ones from gpuplan-data-DATE.tar.xz",
    .bit = FOR_DATA,
    .most = 1,
    .takes = "at most one file",
    .example = "gpuplan-data-2026-11-27.tar.xz",
    .run = data_run,
};
