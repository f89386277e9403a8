/*
 * archive.h - a tar archive that lies in memory: ustar, plain files only.
 *
 * What this program makes itself (the profiles inside a static planner, gpuplan-data-DATE.tar)
 * has regular files with short names and nothing else, so nothing else is read: links, devices,
 * folders' names that lead elsewhere and the formats' extensions are refused by name. Every
 * length is checked against the bytes that are left before it is used.
 */
#ifndef GP_BASE_ARCHIVE_H
#define GP_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define ARCHIVE_NAME_MAX 256

struct archive_file {
    char name[ARCHIVE_NAME_MAX]; /* "profiles/gpus/l4.cfg" */
    const char *bytes;           /* within the archive */
    size_t len;
};

/* The file at *at, which moves on; GP_OK with an empty name at the end. Only names that are safe
 * to write below a folder: [A-Za-z0-9._+-] between slashes, no part that begins with a dot. */
enum gp_status archive_next(const char *bytes, size_t len, size_t *at, struct archive_file *file,
                            struct gp_err *err);

/* The files that were linked into this program, sorted, as is named BUILTIN_ROOT NAME; NULL: none
 * were. They stay where they are. */
#define BUILTIN_ROOT "builtin:"
const struct archive_file *archive_builtin(size_t *count);
const struct archive_file *archive_builtin_find(const char *path);

#endif
