/*
 * profile_scan.h - refuses what libconfig 1.5 would misread, before it reads.
 *
 * Integers beyond 32 bits without an L (they wrap silently), any integer beyond 64
 * bits, @include, NUL bytes, brackets nested deeper than PROFILE_MAX_DEPTH, and groups
 * so large that libconfig would take minutes over them.
 * Strings and comments are skipped the way libconfig skips them.
 */
#ifndef GP_CATALOG_PROFILE_SCAN_H
#define GP_CATALOG_PROFILE_SCAN_H

#include <stddef.h>

#include "base/err.h"

enum gp_status profile_scan(const char *name, const char *text, size_t len, struct gp_err *err);

#endif
