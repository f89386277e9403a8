/* probe_here.c - see probe_here.h. */
#include "probe/probe_here.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "probe/probe_backend.h"

bool probe_here_driver(char *text, size_t size)
{
    char path[GP_PATH_MAX];
    FILE *file = NULL;
    bool read;

    if (path_join(path, sizeof(path), probe_sys(), "module/nvidia/version"))
        file = fopen(path, "re");
    read = file && fgets(text, (int)size, file);
    if (file)
        fclose(file);
    if (read)
        text[strcspn(text, "\n")] = '\0';
    return read && text[0];
}

/* "GPU UUID: \t GPU-1234" is a line of it. */
static bool file_has(const char *path, const char *uuid)
{
    FILE *file = fopen(path, "re");
    char line[256];
    bool has = false;

    while (file && !has && fgets(line, sizeof(line), file))
        has = strstr(line, "UUID") && strstr(line, uuid);
    if (file)
        fclose(file);
    return has;
}

bool probe_here_uuid(const char *uuid)
{
    char folder[GP_PATH_MAX], path[GP_PATH_MAX];
    const struct dirent *one;
    bool found = false;
    DIR *dir = NULL;

    if (uuid[0] && path_join(folder, sizeof(folder), probe_proc(), "driver/nvidia/gpus"))
        dir = opendir(folder);
    while (dir && !found && (one = readdir(dir)))
        found = one->d_name[0] != '.' &&
                gp_format(path, sizeof(path), "%s/%s/information", folder, one->d_name) &&
                file_has(path, uuid);
    if (dir)
        closedir(dir);
    return found;
}
