/*
 * cpu_topology.h - which processors this process may use, and what they share: the one
 * reader of /proc/cpuinfo, /proc/meminfo, the caches below /sys and the cgroups. Planner
 * and engines include it; it knows nothing of either.
 *
 *   cpus      the affinity mask
 *   cores     physical cores among them (siblings of one core count once, because two
 *             threads of one core share the units that are being measured)
 *   quota     processors' worth of time the cgroup grants (v1 and v2, the tightest of
 *             the groups above); 0 = no limit
 *   threads   min(cores, floor(quota), OMP_NUM_THREADS), at least 1: more threads than
 *             the quota pays for are stopped in the middle of a sample
 *   cache     bytes of the distinct last-level and level-2 caches these processors reach:
 *             victim caches do not hold what level 2 holds, so both must be walked
 *   free      what may be allocated now: MemAvailable, or less if the cgroup says so
 *
 * Two of eight processors of one 32 MiB level 3, 1 MiB of level 2 each, quota 1.5: cores
 * 2, threads 1, cache 34 MiB.
 */
#ifndef GP_PROBE_CPU_TOPOLOGY_H
#define GP_PROBE_CPU_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* The first line of a small file of the kernel's, without its newline. False, and "": there is
 * none, or it cannot be read, as in many containers. */
bool sys_line(char *line, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The processors of a list such as "0-3,8"; false: there are none. */
bool cpu_list_read(const char *list, cpu_set_t *out);

/* ---- the parts, by the folder that stands for /proc or /sys ---- */

struct cpu_info { /* of the whole machine; 0 or "" = unknown */
    char name[96];
    int cpus, cores, sockets;        /* cpus: with hyper-threads */
    double clock;                    /* Hz, mean of now; NAN = unknown */
    const struct cpu_vector *vector; /* NULL = unknown */
};

/* The widest FP32 arithmetic that the processors name. */
struct cpu_vector {
    const char *flag, *name; /* of /proc/cpuinfo; "AVX-512" */
    double flops;            /* per cycle and core: lanes x 2 x the pipes that most have */
};
void cpu_info_read(const char *proc, struct cpu_info *out);

struct cpu_memory { /* bytes; NAN = unknown */
    double total, available;
};
void cpu_memory_read(const char *proc, struct cpu_memory *out);

struct cpu_caches { /* bytes that these processors reach, each cache once */
    double level2, level3, last_level, all;
    int cores; /* of these processors; each its own where the siblings are unknown */
};
void cpu_caches_read(const char *sys, const cpu_set_t *mask, struct cpu_caches *out);

/* ---- what this process may use ---- */

struct cpu_topology {
    int cpus, cores, threads;
    double quota;
    double cache, last_level, level2; /* bytes */
    double memory, free;              /* bytes */
    char name[96];
};

/* `root` is put before /proc and /sys ("" in life); mask NULL asks the scheduler. */
void cpu_topology_read(const char *root, const cpu_set_t *mask, struct cpu_topology *out);

/* Bytes that the cgroups grant in all, the tightest; 0 = no limit. */
double cpu_memory_limit(const char *root);

/* Bytes that may be allocated now. */
double cpu_memory_free(const char *root);

#endif
