/*
 * probe_cpu.c - see probe_cpu.h.
 *
 * A cache shared by several processors is counted once: by the first in its
 * shared_cpu_list. Two cores of 1 MiB level 2 each and 32 MiB level 3 together: 2 MiB
 * and 32 MiB.
 */
#include "probe/probe_cpu.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/path.h"
#include "util/str.h"

#define CPUS   4096 /* looked at, at most */
#define CACHES 8    /* of one processor */

static FILE *open_below(const char *variable, const char *root, const char *file)
{
    const char *other = secure_getenv(variable);
    char path[GP_PATH_MAX];
    if (!path_join(path, sizeof(path), other && *other ? other : root, file))
        return NULL;
    return fopen(path, "re");
}

static FILE *open_proc(const char *file)
{
    return open_below("GPUPLAN_PROC", "/proc", file);
}

static bool read_sys(const char *file, char *text, size_t size)
{
    FILE *from = open_below("GPUPLAN_SYSFS", "/sys", file);
    bool ok = from && fgets(text, (int)size, from);
    if (from)
        fclose(from);
    if (ok)
        text[strcspn(text, "\n")] = '\0';
    return ok;
}

/* ---- /proc/cpuinfo ---- */

static bool field(const char *line, const char *name, const char **value)
{
    size_t n = strlen(name);
    const char *colon = strchr(line, ':');
    if (strncmp(line, name, n) != 0 || !colon ||
        (line[n] != '\t' && line[n] != ' ' && line[n] != ':'))
        return false;
    *value = colon + 1 + strspn(colon + 1, " \t");
    return true;
}

/* Cores are told apart by socket and number in it; ids below 64 x 1024. */
static void read_info(struct processor *p)
{
    static unsigned char seen[64 * 1024 / 8];
    FILE *file = open_proc("cpuinfo");
    char line[1024];
    const char *value;
    double clocks = 0;
    int clocked = 0;
    unsigned socket = 0, core, most = 0;
    p->cpus = p->cores = p->sockets = 0;
    memset(seen, 0, sizeof(seen));
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (field(line, "processor", &value))
            p->cpus++;
        else if (field(line, "model name", &value) && !p->name[0])
            gp_copy(p->name, sizeof(p->name), value);
        else if (field(line, "cpu MHz", &value) && ++clocked)
            clocks += strtod(value, NULL) * 1e6;
        else if (field(line, "physical id", &value)) {
            socket = (unsigned)strtoul(value, NULL, 10) % 64;
            most = socket > most ? socket : most;
        } else if (field(line, "core id", &value)) {
            core = socket * 1024 + (unsigned)strtoul(value, NULL, 10) % 1024;
            p->cores += !(seen[core / 8] >> core % 8 & 1);
            seen[core / 8] |= (unsigned char)(1 << core % 8);
        }
    }
    if (file)
        fclose(file);
    gp_tame(p->name);
    p->sockets = p->cores > 0 ? (int)most + 1 : 0;
    p->clock = clocked ? clocks / clocked : NAN;
}

/* ---- /sys ---- */

static double cache_bytes(int cpu, int index, int *level)
{
    char path[128], text[64];
    *level = 0;
    gp_format(path, sizeof(path), "devices/system/cpu/cpu%d/cache/index%d/level", cpu,
              index);
    if (!read_sys(path, text, sizeof(text)))
        return -1;
    *level = atoi(text);
    gp_format(path, sizeof(path),
              "devices/system/cpu/cpu%d/cache/index%d/"
              "shared_cpu_list",
              cpu, index);
    if (!read_sys(path, text, sizeof(text)) || atoi(text) != cpu)
        return 0; /* another processor counts it */
    gp_format(path, sizeof(path), "devices/system/cpu/cpu%d/cache/index%d/size", cpu,
              index);
    return read_sys(path, text, sizeof(text)) ? strtod(text, NULL) * 1024 : 0;
}

static void read_caches(struct processor *p)
{
    p->level2 = p->level3 = 0;
    for (int cpu = 0; cpu < p->cpus && cpu < CPUS; cpu++)
        for (int i = 0; i < CACHES; i++) {
            int level;
            double bytes = cache_bytes(cpu, i, &level);
            if (bytes < 0)
                break;
            p->level2 += level == 2 ? bytes : 0;
            p->level3 += level == 3 ? bytes : 0;
        }
}

/* ---- what changes ---- */

static void read_memory(struct processor *p)
{
    FILE *file = open_proc("meminfo");
    char line[256];
    const char *value;
    p->memory = p->available = NAN;
    while (file && fgets(line, sizeof(line), file))
        if (field(line, "MemTotal", &value))
            p->memory = strtod(value, NULL) * 1024;
        else if (field(line, "MemAvailable", &value))
            p->available = strtod(value, NULL) * 1024;
    if (file)
        fclose(file);
}

static void read_load(struct processor *p)
{
    FILE *file = open_proc("loadavg");
    if (!file || fscanf(file, "%lf", &p->load) != 1)
        p->load = NAN;
    if (file)
        fclose(file);
}

static void read_busy(struct processor *p)
{
    FILE *file = open_proc("stat");
    unsigned long long v[8] = {0}, total = 0, idle;
    if (!file || fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0],
                        &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 4)
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
    char text[64];
    p->temperature = NAN;
    if (read_sys("class/thermal/thermal_zone0/temp", text, sizeof(text)))
        p->temperature = strtod(text, NULL) / 1000;
}

void processor_read(struct processor *p)
{
    bool first = p->cpus == 0;
    read_info(p);
    if (first)
        read_caches(p);
    read_memory(p);
    read_load(p);
    read_busy(p);
    read_temperature(p);
}
