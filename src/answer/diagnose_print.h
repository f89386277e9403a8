/*
 * diagnose_print.h - the verdict of --bench --diagnose in words, with its evidence.
 */
#ifndef GP_ANSWER_DIAGNOSE_PRINT_H
#define GP_ANSWER_DIAGNOSE_PRINT_H

#include "answer/record.h"
#include "plan/diagnose.h"

/* One device of gpuplan.diagnose/1. name, profile: of the device; "" = not known. */
void diagnose_record(const struct diagnose_facts *facts, const char *name, const char *profile,
                     struct record *device);

/* All of it for people: the first line of each device is its verdict. */
void diagnose_text(const struct record *doc, struct strbuf *out);

#endif
