/*
 * cpu_host.h - the processors of this machine as a device to plan for.
 *
 * What a program here can use: cores of the affinity mask, less where the cgroup grants less;
 * memory of the machine, less where the cgroup grants less. On a machine of two kinds of core the
 * fast ones alone count: llama.cpp and others run on those. A container or a virtual machine may
 * show none of it: what is unknown is 0 or NULL, never a guess, but for one core at least.
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

/* The machine's processors as they are now, from /proc/cpuinfo, /proc/meminfo and /sys. What share
 * of the time they worked is between two readings: keep the struct and read into it again.
 * Unknown: NAN, 0 or "". */
struct processor {
    char name[96];
    int cpus, cores, sockets;       /* cpus: with hyper-threads */
    double level2, level3;          /* bytes, of all of them */
    double clock;                   /* Hz, mean of now */
    double temperature;             /* degrees C, of the first sensor */
    double memory, available;       /* bytes */
    double load;                    /* runnable processes, mean of a minute */
    double busy;                    /* 0..1 since the last reading */
    unsigned long long total, idle; /* ticks, of that reading */
};

/* Zeroed before the first time. Reads some dozen small files: a few milliseconds. */
void processor_read(struct processor *processor);

#endif
