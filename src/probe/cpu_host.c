/* cpu_host.c - see cpu_host.h. */
#include "probe/cpu_host.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "probe/probe_backend.h"

#define SLOW 0.7 /* of the fastest core's capacity: another kind of core */

static bool read_text(const char *path, char *text, size_t size)
{
    char full[GP_PATH_MAX];
    FILE *file = NULL;

    if (path_join(full, sizeof(full), probe_sys(), path))
        file = fopen(full, "re");
    bool ok = file && fgets(text, (int)size, file);
    if (file)
        fclose(file);
    return ok;
}

static double read_number(const char *path)
{
    char text[64];

    return read_text(path, text, sizeof(text)) ? strtod(text, NULL) : 0;
}

/* Processors of a list "0-3,8". */
static int list_count(const char *list)
{
    int count = 0;

    for (char *end; isdigit((unsigned char)*list); list = *end == ',' ? end + 1 : end) {
        long first = strtol(list, &end, 10), last = first;

        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (last < first || last - first >= CPU_SETSIZE)
            return 0;
        count += (int)(last - first) + 1;
    }
    return count;
}

/* Intel names its small cores, which have no second thread; Arm gives each a capacity. */
static int slow_cores(int cpus)
{
    char text[256], path[96];
    double capacity[CPU_SETSIZE], most = 0;
    int slow = 0, known = 0;

    if (read_text("devices/cpu_atom/cpus", text, sizeof(text)))
        return list_count(text);
    for (int i = 0; i < cpus && i < CPU_SETSIZE; i++) {
        gp_format(path, sizeof(path), "devices/system/cpu/cpu%d/cpu_capacity", i);
        if ((capacity[known] = read_number(path)) <= 0)
            break;
        most = fmax(most, capacity[known++]);
    }
    for (int i = 0; i < known; i++)
        slow += capacity[i] < SLOW * most;
    return slow;
}

static bool is_elsewhere(void)
{
    return strcmp(probe_proc(), "/proc") != 0 || strcmp(probe_sys(), "/sys") != 0;
}

static double machine_memory(void)
{
    struct cpu_memory memory;

    cpu_memory_read(probe_proc(), &memory);
    if (isfinite(memory.total) && memory.total > 0)
        return memory.total;
    return is_elsewhere() ? 0 : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* What the scheduler and the cgroups leave of them. */
static void host_limit(struct cpu_host *h)
{
    struct cpu_topology t;
    double granted = cpu_memory_limit("");

    cpu_topology_read("", NULL, &t);
    h->cores = t.threads < h->cores || h->cores < 1 ? t.threads : h->cores;
    if (granted > 0 && (h->memory <= 0 || granted < h->memory))
        h->memory = granted;
}

void cpu_host_read(struct cpu_host *h)
{
    struct cpu_info info;

    memset(h, 0, sizeof(*h));
    cpu_info_read(probe_proc(), &info);
    gp_copy(h->name, sizeof(h->name), info.name[0] ? info.name : "CPU");
    h->cores = info.cores > 0 ? info.cores : info.cpus;
    h->sockets = info.sockets;
    h->vector = info.vector;
    h->clock = 1e3 * read_number("devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if (h->clock <= 0 && isfinite(info.clock))
        h->clock = info.clock;
    h->memory = machine_memory();
    if (!is_elsewhere())
        host_limit(h);
    h->slow = slow_cores(info.cpus);
    h->slow = h->slow < h->cores ? h->slow : 0;
    h->cores = h->cores - h->slow > 0 ? h->cores - h->slow : 1;
}
