/*
 * report_pool.h - --report of a pool: the verdict, the ladder, GPUs by the hour, sources.
 */
#ifndef GP_OUTPUT_REPORT_POOL_H
#define GP_OUTPUT_REPORT_POOL_H

#include "output/document.h"
#include "request/pool_run.h"

/* The page of the chosen rung; command: what prints the same answer. */
void report_pool_page(const struct pool_run *run, const char *command,
                      enum document_format format, struct strbuf *out);

#endif
