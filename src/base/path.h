/*
 * path.h - file names, directories of this user, and files written whole or not at all.
 */
#ifndef GP_BASE_PATH_H
#define GP_BASE_PATH_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GP_PATH_MAX 1024

/* dst = dir "/" name; false when it does not fit. */
bool path_join(char *dst, size_t size, const char *dir, const char *name);

/* What follows the last slash; of a name without one, all of it. */
const char *path_name(const char *path);

bool path_is_dir(const char *path);
bool path_is_file(const char *path);
/* Something has this name, be it readable or a link to nothing. */
bool path_is_there(const char *path);

/* $XDG_DATA_HOME/gpuplan/<sub>, or ~/.local/share/...; false when neither is set. */
bool path_data_home(char *dst, size_t size, const char *sub);

/* Likewise $XDG_STATE_HOME/gpuplan/<sub>, or ~/.local/state/... */
bool path_state_home(char *dst, size_t size, const char *sub);
/* Likewise $XDG_CONFIG_HOME/gpuplan/<sub>, or ~/.config/... */
bool path_config_home(char *dst, size_t size, const char *sub);

/* The directory of the running executable (from /proc/self/exe); false if unknown. */
bool path_program_dir(char *dst, size_t size);

/* The first bytes of a regular file into head[size], terminated; "" of anything else: to ask
 * what a file is without waiting for a pipe. */
void path_head(const char *path, char *head, size_t size);

/* Reads a whole file of at most `limit` bytes: a regular one, a pipe that is open here (a shell's
 * <(...)), and "-", which is standard input unless that is a terminal. Not another FIFO, which may
 * have no writer, nor a device. *text is terminated and belongs to the caller (free). GP_E_FILE
 * names the file. */
enum gp_status path_read(const char *path, size_t limit, char **text, size_t *len,
                         struct gp_err *err);

/* The same, and "-" is standard input whatever that is. */
enum gp_status path_read_input(const char *path, size_t limit, char **text, size_t *len,
                               struct gp_err *err);

/* Writes text to `path` by a temporary sibling and rename, following a symlink, so
 * that the file is whole or untouched. "-" means standard output; /dev/stdout, /dev/fd/N and
 * pipes are written through. A file that cannot be replaced (its folder cannot be written, it is
 * a mount) is written in place: then *err holds a note that is to be said, with GP_OK. Lines of
 * text: what could command a terminal is written as '?' (str.h). */
enum gp_status path_write(const char *path, const char *text, size_t len, struct gp_err *err);

/* It is written through, and nothing can lie beside it: "-", a descriptor that is open
 * (/dev/stdout, /dev/fd/63), a device, a pipe. */
bool path_is_stream(const char *path, bool *is_stdout);

/* Signals wait from the first to the second, so that none ends the program between making a
 * temporary file and removing it. */
void path_hold_signals(sigset_t *before);
void path_let_signals(const sigset_t *before);

/* The names in a directory that end in `suffix`, sorted; caller frees each and the
 * array with path_list_free. A missing directory is an empty list. */
enum gp_status path_list(const char *dir, const char *suffix, char ***names, size_t *count,
                         struct gp_err *err);
void path_list_free(char **names, size_t count);

#endif
