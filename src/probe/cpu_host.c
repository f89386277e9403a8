/* cpu_host.c - see cpu_host.h. */
#include "probe/cpu_host.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "probe/probe_backend.h"

#define SLOW 0.7 /* of the fastest core's capacity: another kind of core */

/* NAN when there is none. */
static double read_number(const char *folder, const char *file)
{
    char text[64], *end;

    if (!sys_line(text, sizeof(text), "%s/%s", folder, file))
        return NAN;
    double value = strtod(text, &end);
    return end > text ? value : NAN;
}

/* Intel names its small cores, which have no second thread; Arm gives each a capacity. */
static int slow_cores(int cpus)
{
    char text[256];
    double capacity[CPU_SETSIZE], most = 0;
    int slow = 0, known = 0;
    cpu_set_t small;

    if (sys_line(text, sizeof(text), "%s/devices/cpu_atom/cpus", probe_sys()))
        return cpu_list_read(text, &small) ? CPU_COUNT(&small) : 0;
    for (int i = 0; i < cpus && i < CPU_SETSIZE; i++) {
        sys_line(text, sizeof(text), "%s/devices/system/cpu/cpu%d/cpu_capacity", probe_sys(), i);
        if ((capacity[known] = strtod(text, NULL)) <= 0)
            break;
        most = fmax(most, capacity[known++]);
    }
    for (int i = 0; i < known; i++)
        slow += capacity[i] < SLOW * most;
    return slow;
}

void cpu_host_read(struct cpu_host *h)
{
    bool elsewhere = strcmp(probe_proc(), "/proc") != 0 || strcmp(probe_sys(), "/sys") != 0;
    struct cpu_memory memory;
    struct cpu_info info;

    memset(h, 0, sizeof(*h));
    cpu_info_read(probe_proc(), &info);
    cpu_memory_read(probe_proc(), &memory);
    gp_copy(h->name, sizeof(h->name), info.name[0] ? info.name : "CPU");
    h->cores = info.cores > 0 ? info.cores : info.cpus;
    h->sockets = info.sockets;
    h->vector = info.vector;
    h->clock = 1e3 * read_number(probe_sys(), "devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if (!(h->clock > 0))
        h->clock = isfinite(info.clock) ? info.clock : 0;
    if (isfinite(memory.total) && memory.total > 0)
        h->memory = memory.total;
    else if (!elsewhere)
        h->memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (!elsewhere) { /* what the scheduler and the cgroups leave of them */
        struct cpu_topology t;
        double granted = cpu_memory_limit("");

        cpu_topology_read("", NULL, &t);
        h->cores = t.threads < h->cores || h->cores < 1 ? t.threads : h->cores;
        if (granted > 0 && (h->memory <= 0 || granted < h->memory))
            h->memory = granted;
    }
    h->slow = slow_cores(info.cpus);
    h->slow = h->slow < h->cores ? h->slow : 0;
    h->cores = h->cores - h->slow > 0 ? h->cores - h->slow : 1;
}

/* ---- what changes ---- */

static void read_busy(struct processor *p)
{
    unsigned long long v[8] = {0}, total = 0;
    char line[512];

    if (!sys_line(line, sizeof(line), "%s/stat", probe_proc()) ||
        sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
               &v[4], &v[5], &v[6], &v[7]) < 4)
        memset(v, 0, sizeof(v));
    for (int i = 0; i < 8; i++)
        total += v[i];
    unsigned long idle = v[3] + v[4];
    p->busy = NAN;
    if (p->total > 0 && total > p->total && idle >= p->idle)
        p->busy = 1 - (double)(idle - p->idle) / (double)(total - p->total);
    p->total = total;
    p->idle = idle;
}

void processor_read(struct processor *p)
{
    bool first = p->cpus == 0;
    struct cpu_memory memory;
    struct cpu_info info;

    cpu_info_read(probe_proc(), &info);
    gp_copy(p->name, sizeof(p->name), info.name);
    p->cpus = info.cpus;
    p->cores = info.cores;
    p->sockets = info.sockets;
    p->clock = info.clock;
    if (first) {
        struct cpu_caches caches;
        cpu_set_t all;

        CPU_ZERO(&all);
        for (int cpu = 0; cpu < p->cpus && cpu < CPU_SETSIZE; cpu++)
            CPU_SET((size_t)cpu, &all);
        cpu_caches_read(probe_sys(), &all, &caches);
        p->level2 = caches.level2;
        p->level3 = caches.level3;
    }
    cpu_memory_read(probe_proc(), &memory);
    p->memory = memory.total;
    p->available = memory.available;
    p->load = read_number(probe_proc(), "loadavg");
    p->temperature = read_number(probe_sys(), "class/thermal/thermal_zone0/temp") / 1000;
    read_busy(p);
}
