/*
 * pool_page.h - a pool's answer as one page for the colleague who has no terminal: the
 * ladder, GPUs by the hour, workloads, what-ifs, sources.
 */
#ifndef GP_OUTPUT_POOL_PAGE_H
#define GP_OUTPUT_POOL_PAGE_H

#include "output/document.h"
#include "request/pool_run.h"

/* command: the line that prints the same answer. */
void pool_page(const struct pool_run *run, const char *command,
               enum document_format format, struct strbuf *out);

#endif
