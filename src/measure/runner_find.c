/*
 * runner_find.c - where an engine program lies.
 *
 * $GPUPLAN_LIBEXEC alone when it is set; else beside gpuplan itself, as in a build tree
 * or a folder copied to another machine; else where it was installed. Never $PATH: what
 * is started is what belongs to this gpuplan.
 */
#include "measure/runner.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"

#ifndef GP_LIBEXECDIR
#define GP_LIBEXECDIR "" /* not installed */
#endif

static bool can_run(const char *path)
{
    return path_is_file(path) && access(path, X_OK) == 0;
}

bool runner_find(const char *name, char *path, size_t size)
{
    const char *asked = getenv("GPUPLAN_LIBEXEC");
    char program[64], beside[GP_PATH_MAX];

    if (!gp_format(program, sizeof program, "gpuplan-bench-%s", name))
        return false;
    if (asked && *asked)
        return path_join(path, size, asked, program) && can_run(path);
    if (path_program_dir(beside, sizeof beside) && path_join(path, size, beside, program) &&
        can_run(path))
        return true;
    return *GP_LIBEXECDIR && path_join(path, size, GP_LIBEXECDIR, program) && can_run(path);
}
