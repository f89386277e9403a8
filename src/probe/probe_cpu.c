/* probe_cpu.c - see probe_cpu.h. */
#include "probe/probe_cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "probe/cpu_topology.h"
#include "probe/probe_backend.h"

static FILE *open_in(const char *folder, const char *file)
{
    char path[GP_PATH_MAX];

    return path_join(path, sizeof(path), folder, file) ? fopen(path, "re") : NULL;
}

/* ---- what the machine is ---- */

static void read_info(struct processor *p)
{
    struct cpu_info info;

    cpu_info_read(probe_proc(), &info);
    gp_copy(p->name, sizeof(p->name), info.name);
    p->cpus = info.cpus;
    p->cores = info.cores;
    p->sockets = info.sockets;
    p->clock = info.clock;
}

static void read_caches(struct processor *p)
{
    struct cpu_caches caches;
    cpu_set_t all;

    CPU_ZERO(&all);
    for (int cpu = 0; cpu < p->cpus && cpu < CPU_SETSIZE; cpu++)
        CPU_SET((size_t)cpu, &all);
    cpu_caches_read(probe_sys(), &all, &caches);
    p->level2 = caches.level2;
    p->level3 = caches.level3;
}

/* ---- what changes ---- */

static void read_memory(struct processor *p)
{
    struct cpu_memory memory;

    cpu_memory_read(probe_proc(), &memory);
    p->memory = memory.total;
    p->available = memory.available;
}

static void read_load(struct processor *p)
{
    FILE *file = open_in(probe_proc(), "loadavg");

    if (!file || fscanf(file, "%lf", &p->load) != 1)
        p->load = NAN;
    if (file)
        fclose(file);
}

static void read_busy(struct processor *p)
{
    FILE *file = open_in(probe_proc(), "stat");
    unsigned long long v[8] = {0}, total = 0, idle;

    if (!file || fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2],
                        &v[3], &v[4], &v[5], &v[6], &v[7]) < 4)
        memset(v, 0, sizeof(v));
    if (file)
        fclose(file);
    for (int i = 0; i < 8; i++)
        total += v[i];
    idle = v[3] + v[4];
    p->busy = NAN;
    if (p->total > 0 && total > p->total && idle >= p->idle)
        p->busy = 1 - (double)(idle - p->idle) / (double)(total - p->total);
    p->total = total;
    p->idle = idle;
}

static void read_temperature(struct processor *p)
{
    FILE *file = open_in(probe_sys(), "class/thermal/thermal_zone0/temp");
    double thousandths;

    p->temperature = file && fscanf(file, "%lf", &thousandths) == 1 ? thousandths / 1000 : NAN;
    if (file)
        fclose(file);
}

void processor_read(struct processor *p)
{
    int before = p->cpus;

    read_info(p);
    if (before == 0)
        read_caches(p);
    read_memory(p);
    read_load(p);
    read_busy(p);
    read_temperature(p);
}
