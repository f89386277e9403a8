/*
 * planner_cpu.h - --gpu cpu: the processors of this machine, as a device like others.
 *
 *   bandwidth  min(cores x 12, sockets x 50) GB/s of up to 16 cores a socket, x 200 GB/s of
 *              more; a band of /2.5..x2.5: nobody but root can ask what memory is built in
 *   FP32       cores x clock x operations per cycle of the widest vectors; 2.5 GHz where no
 *              clock can be read. It is the rate of 16-bit and quantized weights too, which
 *              llama.cpp unpacks into those vectors
 *   memory     of the machine or its cgroup, less 2 to 20 % for the system and others
 *
 * All of it is `assumed`, but the memory; --confirm and --bench replace it by what they
 * measure here (plan/speed/calib.h).
 *
 * Example: 2 cores with AVX-512 at 2.5 GHz, one socket: 24 GB/s (9.6..60), 320 GFLOP/s.
 */
#ifndef GP_ANSWER_PLANNER_CPU_H
#define GP_ANSWER_PLANNER_CPU_H

#include "base/err.h"
#include "catalog/catalog.h"
#include "catalog/gpu.h"

#define CPU_ID "cpu" /* as --gpu takes it */

/* GP_E_DEVICE: not even the size of the memory can be read. */
enum gp_status planner_cpu_gpu(struct catalog *catalog, struct gpu *out, struct gp_err *err);

#endif
