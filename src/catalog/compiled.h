/*
 * compiled.h - the shipped profiles, read once at build time: their settings as they stand after
 * libconfig has read them.
 *
 * Two thirds of a --plan went into reading texts that never change between two releases. So `make`
 * writes profiles/compiled beside them (gpuplan --compile-profiles DIR), and a profile whose text
 * is in there is not parsed again. A text is known by its length and a hash of its bytes, not by
 * its name or its date: a file that was edited, or is somebody's own, is simply not found and is
 * read as ever. The file holds nothing else and nothing depends on it: without it, or with one of
 * another program version or processor, everything is only slower.
 *
 * It is an input like others: each entry's bytes have a hash of their own, and nothing in one is
 * followed that does not stay within it.
 */
#ifndef GP_CATALOG_COMPILED_H
#define GP_CATALOG_COMPILED_H

#include <stddef.h>

#include "base/str.h"

#define COMPILED_FILE "compiled"

struct compiled; /* an open file */
struct config_t;
struct config_setting_t;

/* NULL when there is no such file, or none for this program. */
struct compiled *compiled_open(const char *path);
void compiled_free(struct compiled *compiled);

/* The settings of a text as libconfig would build them, in one piece of memory, *tree, that the
 * caller frees after the last use of them; NULL when the text is not in there, or compiled is
 * NULL. The strings are the file's: they last as long as it is open. */
struct config_setting_t *compiled_find(const struct compiled *compiled, const char *text,
                                       size_t len, struct config_t *config, void **tree);

/* One text, ready for the file. */
struct compiled_text {
    size_t len, nodes;
    uint64_t hash;
    struct strbuf block;
};

/* False: the settings hold what cannot be written. The caller frees out->block either way. */
bool compiled_text(struct compiled_text *out, const char *text, size_t len,
                   const struct config_setting_t *root);
/* The bytes of the file; sorts the texts. */
void compiled_file(struct compiled_text *texts, size_t count, struct strbuf *out);

#endif
