/*
 * bundle.h - the data of a day: profiles, prices and names as one file, apart from the program.
 *
 * gpuplan-data-DATE.tar.xz (tools/bundle.sh) holds, in this order and nothing else:
 *
 *   MANIFEST            a line for each file that follows, as sha256sum -c reads it
 *   profiles/...        profiles/data.cfg has the format (1) and the date (2026-11-27)
 *   profiles.compiled   the same parsed (compiled.h)
 *
 * It is somebody else's file: the manifest must name every file in the archive's own order, each
 * name greater than the one before, each with the SHA-256 of its bytes; and every profile must be
 * readable by this program before it takes the place of what is there. It is unpacked beside that,
 * FOLDER/2026-11-27, and then FOLDER/current leads there: a link that changes in one rename, so
 * that a plan is made with the one or the other. The data before stays; what is older goes.
 */
#ifndef GP_CATALOG_BUNDLE_H
#define GP_CATALOG_BUNDLE_H

#include <stddef.h>

#include "base/err.h"

#define DATA_FORMAT 1 /* of profiles, the newest that this program reads */
#define DATA_CURRENT "current"
#define BUNDLE_BYTES (64u << 20)

struct data_stamp {
    int format;
    char date[16]; /* "2026-11-27"; "" = none */
};

/* By DIR/data.cfg; GP_OK and no date where there is none. A newer format is an error. */
enum gp_status data_stamp_read(const char *dir, struct data_stamp *stamp, struct gp_err *err);

/* An archive in memory: is it whole, and what day is it of? */
enum gp_status bundle_check(const char *bytes, size_t len, struct data_stamp *stamp,
                            struct gp_err *err);

/* A checked one becomes FOLDER/current, or nothing there has changed. */
enum gp_status bundle_install(const char *bytes, size_t len, const char *folder,
                              struct gp_err *err);

#endif
