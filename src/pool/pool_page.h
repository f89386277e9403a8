/*
 * pool_page.h - a pool's answer as one page for the colleague who has no terminal: the
 * ladder, GPUs by the hour, workloads, what-ifs, sources.
 */
#ifndef GP_POOL_POOL_PAGE_H
#define GP_POOL_POOL_PAGE_H

#include "answer/document.h"
#include "pool/pool_run.h"

/* command: the line that prints the same answer. */
void pool_page(const struct pool_run *run, const char *command, struct strbuf *out);

#endif
