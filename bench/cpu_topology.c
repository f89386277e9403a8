/*
 * cpu_topology.c - affinity, cores, caches, cgroup limits and memory from /proc and /sys.
 *
 * A cgroup's files are looked for where systemd and container runtimes mount them; where
 * the path that /proc/self/cgroup names is not visible (a namespace), the mount's top is
 * the group itself. Limits of all groups from there upwards hold, so the tightest counts.
 *   v1: cpu.cfs_quota_us 150000 / cpu.cfs_period_us 100000 = 1.5 processors
 *   v2: cpu.max "150000 100000" = 1.5 processors, "max 100000" = no limit
 */
#include "bench/cpu_topology.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/str.h"

enum { PATH_SIZE = 512, MAX_CACHES = 1024 };

/* First line of root/path without its newline; false when there is none. */
static bool read_line(const char *root, const char *path, char *line, size_t size)
{
    char full[PATH_SIZE];
    FILE *file;
    bool ok;

    if (!gp_format(full, sizeof full, "%s%s", root, path) || !(file = fopen(full, "r")))
        return false;
    ok = fgets(line, (int)size, file) != NULL;
    fclose(file);
    if (ok)
        line[strcspn(line, "\n")] = '\0';
    return ok;
}

/* "32768K" in bytes; 0 when it is no size. */
static double parse_size(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || !(value > 0))
        return 0;
    return value * (*end == 'K' ? 1024.0 : *end == 'M' ? 1048576.0 : 1.0);
}

/* ---- caches and cores ---- */

struct seen { /* caches counted so far: level and first processor that shares it */
    int count;
    struct { int level, first; } item[MAX_CACHES];
};

static bool first_time(struct seen *seen, int level, int first)
{
    for (int i = 0; i < seen->count; i++)
        if (seen->item[i].level == level && seen->item[i].first == first)
            return false;
    if (seen->count < MAX_CACHES) {
        seen->item[seen->count].level = level;
        seen->item[seen->count++].first = first;
    }
    return true;
}

static bool cache_field(const char *root, int cpu, int index, const char *field,
                        char *line, size_t size)
{
    char path[PATH_SIZE];

    gp_format(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu,
              index, field);
    return read_line(root, path, line, size);
}

static void add_caches(const char *root, int cpu, struct seen *seen, double *by_level)
{
    char line[256];

    for (int index = 0; index < 8; index++) {
        int level, first = cpu;

        if (!cache_field(root, cpu, index, "type", line, sizeof line))
            break;
        if (strcmp(line, "Instruction") == 0 ||
            !cache_field(root, cpu, index, "level", line, sizeof line))
            continue;
        level = atoi(line);
        if (level < 2 || level > 4)
            continue;
        if (cache_field(root, cpu, index, "shared_cpu_list", line, sizeof line) &&
            isdigit((unsigned char)line[0]))
            first = atoi(line);
        if (first_time(seen, level, first) &&
            cache_field(root, cpu, index, "size", line, sizeof line))
            by_level[level] += parse_size(line);
    }
}

static bool new_core(const char *root, int cpu, struct seen *seen)
{
    char path[PATH_SIZE], line[256];
    int first = cpu;

    gp_format(path, sizeof path,
              "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    if (read_line(root, path, line, sizeof line) && isdigit((unsigned char)line[0]))
        first = atoi(line);
    return first_time(seen, 0, first);
}

static void read_processors(const char *root, const cpu_set_t *mask,
                            struct cpu_topology *out)
{
    struct seen *seen = calloc(1, sizeof *seen);
    double by_level[5] = {0};

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, mask))
            continue;
        out->cpus++;
        if (!seen)
            continue;
        if (new_core(root, cpu, seen))
            out->cores++;
        add_caches(root, cpu, seen, by_level);
    }
    free(seen);
    out->cpus = out->cpus ? out->cpus : 1;
    out->cores = out->cores ? out->cores : out->cpus;
    out->level2 = by_level[2];
    out->last_level = by_level[4] > 0   ? by_level[4]
                      : by_level[3] > 0 ? by_level[3]
                                        : by_level[2];
    out->cache = by_level[2] + by_level[3] + by_level[4];
}

/* ---- cgroups ---- */

/* What one group, named by its directory, allows; 0 = no limit. */
typedef double group_limit(const char *root, const char *dir);

/* The tightest positive limit from mount + path upwards; 0 = none. */
static double tightest(const char *root, const char *mount, const char *path,
                       group_limit *limit)
{
    char dir[PATH_SIZE], *slash;
    double least = 0;

    if (!gp_format(dir, sizeof dir, "%s%s", mount, path))
        return 0;
    for (;;) {
        double one = limit(root, dir);

        if (one > 0 && (least <= 0 || one < least))
            least = one;
        if (strlen(dir) <= strlen(mount) || !(slash = strrchr(dir, '/')))
            return least;
        *slash = '\0';
    }
}

static double number_at(const char *root, const char *dir, const char *file)
{
    char path[PATH_SIZE], line[128];

    if (!gp_format(path, sizeof path, "%s/%s", dir, file) ||
        !read_line(root, path, line, sizeof line))
        return -1;
    return isdigit((unsigned char)line[0]) ? strtod(line, NULL) : -1;
}

static double quota_v1(const char *root, const char *dir)
{
    double quota = number_at(root, dir, "cpu.cfs_quota_us");
    double period = number_at(root, dir, "cpu.cfs_period_us");

    return quota > 0 && period > 0 ? quota / period : 0;
}

static double quota_v2(const char *root, const char *dir)
{
    char path[PATH_SIZE], line[128];
    double quota, period;

    if (!gp_format(path, sizeof path, "%s/cpu.max", dir) ||
        !read_line(root, path, line, sizeof line) ||
        sscanf(line, "%lf %lf", &quota, &period) != 2)
        return 0;
    return quota > 0 && period > 0 ? quota / period : 0;
}

static double room(double limit, double used)
{
    if (!(limit > 0) || limit > 1e18) /* v1 writes 2^63 for "no limit" */
        return 0;
    return used > 0 && used < limit ? limit - used : used >= limit ? 1 : limit;
}

static double memory_v1(const char *root, const char *dir)
{
    return room(number_at(root, dir, "memory.limit_in_bytes"),
                number_at(root, dir, "memory.usage_in_bytes"));
}

static double memory_v2(const char *root, const char *dir)
{
    return room(number_at(root, dir, "memory.max"),
                number_at(root, dir, "memory.current"));
}

/* Is `name` one of the comma-separated controllers? */
static bool has_controller(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += len)
        if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

static double least_of(double a, double b)
{
    return a <= 0 ? b : b <= 0 ? a : a < b ? a : b;
}

/* One line of /proc/self/cgroup, "id:controllers:path", for one resource. */
static double line_limit(const char *root, char *line, const char *controller,
                         group_limit *v1, group_limit *v2)
{
    char mount[PATH_SIZE], *list = strchr(line, ':'), *path;
    double limit = 0;

    if (!list || !(path = strchr(list + 1, ':')))
        return 0;
    *path++ = '\0';
    if (*++list == '\0') { /* v2, alone or beside v1 */
        limit = tightest(root, "/sys/fs/cgroup", path, v2);
        return least_of(limit, tightest(root, "/sys/fs/cgroup/unified", path, v2));
    }
    if (!has_controller(list, controller))
        return 0;
    gp_format(mount, sizeof mount, "/sys/fs/cgroup/%s", list);
    limit = tightest(root, mount, path, v1);
    gp_format(mount, sizeof mount, "/sys/fs/cgroup/%s", controller);
    return least_of(limit, tightest(root, mount, path, v1));
}

static double group_limit_of(const char *root, const char *controller, group_limit *v1,
                             group_limit *v2)
{
    char path[PATH_SIZE], line[PATH_SIZE];
    double least = 0;
    FILE *file;

    gp_format(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!(file = fopen(path, "r")))
        return 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        least = least_of(least, line_limit(root, line, controller, v1, v2));
    }
    fclose(file);
    return least;
}

/* ---- memory and name ---- */

/* The value of "key : value" in a /proc file; false when it is not there. */
static bool proc_value(const char *root, const char *file_name, const char *key,
                       char *value, size_t size)
{
    char path[PATH_SIZE], line[256];
    bool found = false;
    FILE *file;

    gp_format(path, sizeof path, "%s%s", root, file_name);
    if (!(file = fopen(path, "r")))
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');

        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon++;
        colon += strspn(colon, " \t");
        colon[strcspn(colon, "\n")] = '\0';
        found = true;
        gp_copy(value, size, colon);
    }
    fclose(file);
    return found;
}

static double meminfo(const char *root, const char *key)
{
    char value[64];

    if (!proc_value(root, "/proc/meminfo", key, value, sizeof value))
        return 0;
    return strtod(value, NULL) * 1024;
}

double cpu_memory_free(const char *root)
{
    double group = group_limit_of(root, "memory", memory_v1, memory_v2);

    return least_of(meminfo(root, "MemAvailable"), group);
}

void cpu_topology_read(const char *root, const cpu_set_t *mask,
                       struct cpu_topology *out)
{
    const char *wanted = getenv("OMP_NUM_THREADS");
    cpu_set_t own;
    int most;

    memset(out, 0, sizeof *out);
    if (!mask) {
        CPU_ZERO(&own);
        if (sched_getaffinity(0, sizeof own, &own) != 0)
            for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN) && i < CPU_SETSIZE; i++)
                CPU_SET((size_t)i, &own);
        mask = &own;
    }
    read_processors(root, mask, out);
    out->quota = group_limit_of(root, "cpu", quota_v1, quota_v2);
    out->threads = out->cores;
    if (out->quota > 0 && out->quota < out->threads)
        out->threads = out->quota < 1 ? 1 : (int)floor(out->quota);
    most = wanted ? atoi(wanted) : 0;
    if (most > 0 && most < out->threads)
        out->threads = most;
    out->memory = meminfo(root, "MemTotal");
    out->free = cpu_memory_free(root);
    if (!proc_value(root, "/proc/cpuinfo", "model name", out->name, sizeof out->name))
        gp_copy(out->name, sizeof out->name, "CPU");
}
