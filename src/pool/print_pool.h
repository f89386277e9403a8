/*
 * print_pool.h - a gpuplan.pool/1 for people: the ladder, what it means, who has what at
 * which hour, what if.
 */
#ifndef GP_POOL_PRINT_POOL_H
#define GP_POOL_PRINT_POOL_H

#include "answer/document.h"
#include "answer/print_plan.h"
#include "pool/pool_run.h"

/* hours: CSV is of the hours of the chosen rung, else of the ladder. */
void print_pool(const struct pool_run *run, enum output_format format, bool quiet, bool hours,
                struct strbuf *out);

/* The same as one page for the colleague who has no terminal: the ladder, GPUs by the hour,
 * workloads, what-ifs, sources. command: the line that prints the same answer. */
void pool_page(const struct pool_run *run, const char *command, struct strbuf *out);

/* GPUs that each workload takes, a character for each hour by its share of the peak: the
 * heat map, also of the screen. */
char pool_heat(double value, double peak);

#endif
