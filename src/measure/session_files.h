/*
 * session_files.h - the names of a session's files.
 *
 * FILE is the result; FILE.part, the journal, holds every point that is done until the
 * result is whole and on disk. Of several ranks, each has FILE.rankN.HOST.
 */
#ifndef GP_MEASURE_SESSION_FILES_H
#define GP_MEASURE_SESSION_FILES_H

#include <stdbool.h>
#include <time.h>

#include "answer/option.h"
#include "base/path.h"
#include "measure/session.h"

struct session_files {
    char host[72];
    char base[GP_PATH_MAX];   /* result file as asked for */
    char result[GP_PATH_MAX]; /* of this process; the same but for ranks */
    char journal[GP_PATH_MAX];
    bool to_stdout; /* --output -: no file of its own */
};

/* Names them all; GP_E_FILE when --resume names a journal that is not there. began: for
 * the name of a result without --output. */
enum gp_status session_files_name(struct session_files *files, const struct session_ask *ask,
                                  time_t began, struct gp_err *err);

#endif
