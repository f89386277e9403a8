/*
 * bench_diagnose.h - gpuplan --bench --diagnose: why is this device slow?
 */
#ifndef GP_CLI_BENCH_DIAGNOSE_H
#define GP_CLI_BENCH_DIAGNOSE_H

#include "cli/command.h"

/* Measures for less than a minute and writes the verdict; 5 when a device is slow or broken, 6 when
 * nothing could be measured. */
enum gp_status bench_diagnose(struct invocation *in, struct gp_err *err);

#endif
