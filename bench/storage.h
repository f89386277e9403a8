/*
 * storage.h - the file that the test "transfer/storage" reads, as a loader reads weights.
 *
 * O_DIRECT leaves the page cache out; where the file system refuses it, when the file is opened or
 * only when it is read, the file is dropped from the cache before each turn, and the point says
 * "page-cache". Without a path a temporary file of random bytes is written (TMPDIR, else /var/tmp)
 * and unlinked at once.
 */
#ifndef GP_BENCH_STORAGE_H
#define GP_BENCH_STORAGE_H

#include <stdbool.h>
#include <stddef.h>

struct storage {
    int file; /* -1: none is open */
    bool direct;
};

/* A file of at least so many bytes; path "": a temporary one. False: `why` says why not. */
bool storage_open(struct storage *storage, const char *path, size_t bytes, char *why, size_t size);
void storage_close(struct storage *storage);
void storage_begin(const struct storage *storage); /* a turn, from a cold cache */
/* At least `want` bytes at that offset, into room for whole blocks. False: errno, 0 = it is shorter
 * than it was. */
bool storage_read(const struct storage *storage, char *to, size_t room, size_t want, size_t at);
/* The same through the page cache, for a check: exactly so many. */
bool storage_check(struct storage *storage, char *to, size_t bytes, size_t at);

#endif
