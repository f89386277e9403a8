/*
 * reader_file.h - files of a folder that is not trusted: no name leads out of it, only
 * regular files are read, never more than the caller's limit.
 */
#ifndef GP_MODEL_READ_READER_FILE_H
#define GP_MODEL_READ_READER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/path.h"

struct reader_file {
    int fd;
    uint64_t size;
    char path[GP_PATH_MAX];
};

/* Opens `name` in `dir`, following links only as far as the folder (or the blobs of
 * the same Hugging Face cache entry); dir NULL: name is the user's own path. Only
 * regular files. *found is false, and the result GP_OK, when there is none. */
enum gp_status reader_file_open(const char *dir, const char *name, struct reader_file *file,
                                bool *found, struct gp_err *err);
void reader_close(struct reader_file *file);
bool reader_read(const struct reader_file *file, uint64_t offset, void *dst, size_t len);
/* All of it, terminated, at most `limit` bytes; the caller frees. */
enum gp_status reader_slurp(const struct reader_file *file, size_t limit, char **text,
                            struct gp_err *err);

#endif
