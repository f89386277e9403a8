/*
 * diagnose_print.h - the verdict of --bench --diagnose in words, with its evidence.
 */
#ifndef GP_OUTPUT_DIAGNOSE_PRINT_H
#define GP_OUTPUT_DIAGNOSE_PRINT_H

#include "core/diagnose.h"
#include "output/record.h"

/* One device of gpuplan.diagnose/1. name, profile: of the device; "" = not known. */
void diagnose_record(const struct diagnose_facts *facts, const char *name, const char *profile,
                     struct record *device);

/* All of it for people: the first line of each device is its verdict. */
void diagnose_text(const struct record *doc, struct strbuf *out);

#endif
