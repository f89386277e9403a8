/*
 * cpu_host.h - the processors of this machine as a device to plan for.
 *
 * What a program here can use: cores of the affinity mask, less where the cgroup grants
 * less; memory of the machine, less where the cgroup grants less. On a machine of two kinds
 * of core the fast ones alone count: llama.cpp and others run on those. A container or a
 * virtual machine may show none of it: what is unknown is 0 or NULL, never a guess, but for
 * one core at least.
 *
 * $GPUPLAN_PROC and $GPUPLAN_SYSFS stand for /proc and /sys (probe.c); the machine that they
 * describe has neither a mask nor cgroups.
 */
#ifndef GP_PROBE_CPU_HOST_H
#define GP_PROBE_CPU_HOST_H

#include "probe/cpu_topology.h"

struct cpu_host {
    char name[96];
    int cores;                       /* physical, of the fast kind */
    int slow;                        /* of the other */
    int sockets;                     /* 0 = unknown */
    double clock;                    /* Hz, the highest that is told, else of now; 0 = unknown */
    double memory;                   /* bytes; 0 = unknown */
    const struct cpu_vector *vector; /* NULL = unknown */
};

void cpu_host_read(struct cpu_host *out);

#endif
