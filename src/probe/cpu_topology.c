/*
 * cpu_topology.c - see cpu_topology.h.
 *
 * Each cache and each core is counted once, by the first processor that shares it.
 *
 * A cgroup's files are looked for where systemd and container runtimes mount them; where
 * the path that /proc/self/cgroup names is not visible (a namespace), the mount's top is
 * the group itself. Limits of all groups from there upwards hold, so the tightest counts.
 *   v1: cpu.cfs_quota_us 150000 / cpu.cfs_period_us 100000 = 1.5 processors
 *   v2: cpu.max "150000 100000" = 1.5 processors, "max 100000" = no limit
 */
#include "probe/cpu_topology.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

enum { PATH_SIZE = 512, MAX_CACHES = 1024 };
enum { SOCKETS = 64, CORES = 1024 }; /* that ids tell apart */
enum { CACHES = 8 };                 /* of one processor */

static FILE *open_in(const char *folder, const char *path)
{
    char full[PATH_SIZE];

    return gp_format(full, sizeof(full), "%s%s", folder, path) ? fopen(full, "re") : NULL;
}

bool sys_line(char *line, size_t size, const char *fmt, ...)
{
    char path[PATH_SIZE];
    va_list args;
    FILE *file;

    line[0] = '\0';
    va_start(args, fmt);
    int n = vsnprintf(path, sizeof(path), fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof(path) || !(file = fopen(path, "re")))
        return false;
    if (!fgets(line, (int)size, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return line[0] != '\0';
}

bool cpu_list_read(const char *list, cpu_set_t *out)
{
    CPU_ZERO(out);
    for (char *end; isdigit((unsigned char)*list); list = *end == ',' ? end + 1 : end) {
        long first = strtol(list, &end, 10), last = first;

        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (last < first)
            return false;
        for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_SET((size_t)cpu, out);
    }
    return CPU_COUNT(out) > 0;
}

/* ---- /proc/cpuinfo and /proc/meminfo ---- */

/* The value of a line "name : value"; false when it is another's. */
static bool line_field(const char *line, const char *name, const char **value)
{
    size_t n = strlen(name);
    const char *colon = strchr(line, ':');

    if (strncmp(line, name, n) != 0 || !colon ||
        (line[n] != '\t' && line[n] != ' ' && line[n] != ':'))
        return false;
    *value = colon + 1 + strspn(colon + 1, " \t");
    return true;
}

/* In the order of preference. */
static const struct cpu_vector vectors[] = {
    {"avx512f", "AVX-512", 64}, {"fma", "AVX2", 32}, {"avx", "AVX", 16},
    {"sse2", "SSE2", 8},        {"sve", "SVE", 32},  {"asimd", "NEON", 16},
};

static const struct cpu_vector *vector_widest(const char *flags)
{
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
        if (gp_has_word(flags, " ", vectors[i].flag))
            return &vectors[i];
    return NULL;
}

/* Cores are told apart by socket and number in it; ids below 64 x 1024. */
void cpu_info_read(const char *proc, struct cpu_info *out)
{
    unsigned char seen[SOCKETS * CORES / 8] = {0};
    FILE *file = open_in(proc, "/cpuinfo");
    char line[8192]; /* flags are 2,000 characters and more */
    const char *value;
    double clocks = 0;
    int clocked = 0;
    unsigned socket = 0, core, most = 0;

    memset(out, 0, sizeof(*out));
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line_field(line, "processor", &value)) {
            out->cpus++;
        } else if (line_field(line, "model name", &value) && !out->name[0]) {
            gp_copy(out->name, sizeof(out->name), value);
        } else if (!out->vector &&
                   (line_field(line, "flags", &value) || line_field(line, "Features", &value))) {
            out->vector = vector_widest(value);
        } else if (line_field(line, "cpu MHz", &value) && ++clocked) {
            clocks += strtod(value, NULL) * 1e6;
        } else if (line_field(line, "physical id", &value)) {
            socket = (unsigned)strtoul(value, NULL, 10) % SOCKETS;
            most = socket > most ? socket : most;
        } else if (line_field(line, "core id", &value)) {
            core = socket * CORES + (unsigned)strtoul(value, NULL, 10) % CORES;
            out->cores += !(seen[core / 8] >> core % 8 & 1);
            seen[core / 8] |= (unsigned char)(1 << core % 8);
        }
    }
    if (file)
        fclose(file);
    gp_sanitize(out->name);
    out->sockets = out->cores > 0 ? (int)most + 1 : 0;
    out->clock = clocked ? clocks / clocked : NAN;
}

void cpu_memory_read(const char *proc, struct cpu_memory *out)
{
    FILE *file = open_in(proc, "/meminfo");
    char line[256];
    const char *value;

    out->total = out->available = NAN;
    while (file && fgets(line, sizeof(line), file))
        if (line_field(line, "MemTotal", &value))
            out->total = strtod(value, NULL) * 1024;
        else if (line_field(line, "MemAvailable", &value))
            out->available = strtod(value, NULL) * 1024;
    if (file)
        fclose(file);
}

/* ---- caches and cores ---- */

struct seen { /* caches counted so far: level and first processor that shares it */
    int count;
    struct {
        int level, first;
    } item[MAX_CACHES];
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

/* The first of the processors in a list "0-3,8"; cpu itself when there is no list. */
static int first_of_list(const char *list, int cpu)
{
    return isdigit((unsigned char)list[0]) ? atoi(list) : cpu;
}

static bool cache_field(const char *sys, int cpu, int index, const char *field, char line[256])
{
    return sys_line(line, 256, "%s/devices/system/cpu/cpu%d/cache/index%d/%s", sys, cpu, index,
                    field);
}

static void add_caches(const char *sys, int cpu, struct seen *seen, double *by_level)
{
    char line[256];

    for (int index = 0; index < CACHES; index++) {
        if (!cache_field(sys, cpu, index, "level", line))
            break;
        int level = atoi(line);
        if (level < 2 || level > 4 ||
            (cache_field(sys, cpu, index, "type", line) && strcmp(line, "Instruction") == 0))
            continue;
        cache_field(sys, cpu, index, "shared_cpu_list", line);
        if (first_time(seen, level, first_of_list(line, cpu)) &&
            cache_field(sys, cpu, index, "size", line)) { /* "32768K" */
            char *end;
            double size = strtod(line, &end);

            if (end > line && size > 0)
                by_level[level] += size * (*end == 'K' ? 1024.0 : *end == 'M' ? 1048576.0 : 1.0);
        }
    }
}

void cpu_caches_read(const char *sys, const cpu_set_t *mask, struct cpu_caches *out)
{
    struct seen *seen = gp_calloc(1, sizeof(*seen));
    double by_level[5] = {0};
    char line[256];

    memset(out, 0, sizeof(*out));
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, mask))
            continue;
        sys_line(line, sizeof(line), "%s/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 sys, cpu);
        out->cores += first_time(seen, 0, first_of_list(line, cpu));
        add_caches(sys, cpu, seen, by_level);
    }
    free(seen);
    out->level2 = by_level[2];
    out->level3 = by_level[3];
    out->last_level = by_level[4] > 0 ? by_level[4] : by_level[3] > 0 ? by_level[3] : by_level[2];
    out->all = by_level[2] + by_level[3] + by_level[4];
}

/* ---- cgroups ---- */

/* What one group, named by its directory, allows; 0 = no limit. v2: of that hierarchy. */
typedef double group_limit(const char *root, const char *dir, bool v2);

/* The tightest positive limit from mount + path upwards; 0 = none. */
static double group_tightest(const char *root, const char *mount, const char *path,
                             group_limit *limit, bool v2)
{
    char dir[PATH_SIZE], *slash;
    double least = 0;

    if (!gp_format(dir, sizeof(dir), "%s%s", mount, path))
        return 0;
    for (;;) {
        double one = limit(root, dir, v2);

        if (one > 0 && (least <= 0 || one < least))
            least = one;
        if (strlen(dir) <= strlen(mount) || !(slash = strrchr(dir, '/')))
            return least;
        *slash = '\0';
    }
}

static double number_at(const char *root, const char *dir, const char *file)
{
    char line[128];

    return sys_line(line, sizeof(line), "%s%s/%s", root, dir, file) &&
                   isdigit((unsigned char)line[0])
               ? strtod(line, NULL)
               : -1;
}

static double cpu_quota(const char *root, const char *dir, bool v2)
{
    double quota = number_at(root, dir, "cpu.cfs_quota_us"), period;
    char line[128];

    if (!v2)
        period = number_at(root, dir, "cpu.cfs_period_us");
    else if (!sys_line(line, sizeof(line), "%s%s/cpu.max", root, dir) ||
             sscanf(line, "%lf %lf", &quota, &period) != 2)
        return 0;
    return quota > 0 && period > 0 ? quota / period : 0;
}

static double memory_limit(const char *root, const char *dir, bool v2)
{
    double limit = number_at(root, dir, v2 ? "memory.max" : "memory.limit_in_bytes");

    return limit > 0 && limit <= 1e18 ? limit : 0; /* v1 writes 2^63 for "no limit" */
}

static double memory_room(const char *root, const char *dir, bool v2)
{
    double limit = memory_limit(root, dir, v2);
    double used = number_at(root, dir, v2 ? "memory.current" : "memory.usage_in_bytes");

    return limit > 0 && used > 0 ? fmax(limit - used, 1) : limit;
}

static double least_of(double a, double b)
{
    return a <= 0 ? b : b <= 0 ? a : a < b ? a : b;
}

/* One line of /proc/self/cgroup, "id:controllers:path", for one resource. */
static double line_limit(const char *root, char *line, const char *controller, group_limit *limit)
{
    char mount[PATH_SIZE], *list = strchr(line, ':'), *path;

    if (!list || !(path = strchr(list + 1, ':')))
        return 0;
    *path++ = '\0';
    if (*++list == '\0') /* v2, alone or beside v1 */
        return least_of(group_tightest(root, "/sys/fs/cgroup", path, limit, true),
                        group_tightest(root, "/sys/fs/cgroup/unified", path, limit, true));
    if (!gp_has_word(list, ",", controller))
        return 0;
    gp_format(mount, sizeof(mount), "/sys/fs/cgroup/%s", list);
    double least = group_tightest(root, mount, path, limit, false);
    gp_format(mount, sizeof(mount), "/sys/fs/cgroup/%s", controller);
    return least_of(least, group_tightest(root, mount, path, limit, false));
}

static double group_limit_of(const char *root, const char *controller, group_limit *limit)
{
    char line[PATH_SIZE];
    double least = 0;
    FILE *file = open_in(root, "/proc/self/cgroup");

    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        least = least_of(least, line_limit(root, line, controller, limit));
    }
    if (file)
        fclose(file);
    return least;
}

/* ---- the whole ---- */

double cpu_memory_limit(const char *root)
{
    return group_limit_of(root, "memory", memory_limit);
}

double cpu_memory_free(const char *root)
{
    double group = group_limit_of(root, "memory", memory_room);
    char proc[PATH_SIZE];
    struct cpu_memory memory;

    gp_format(proc, sizeof(proc), "%s/proc", root);
    cpu_memory_read(proc, &memory);
    return least_of(isfinite(memory.available) ? memory.available : 0, group);
}

void cpu_topology_read(const char *root, const cpu_set_t *mask, struct cpu_topology *out)
{
    const char *wanted = getenv("OMP_NUM_THREADS");
    int most = wanted ? atoi(wanted) : 0;
    char proc[PATH_SIZE], sys[PATH_SIZE];
    struct cpu_memory memory;
    struct cpu_caches caches;
    struct cpu_info info;
    cpu_set_t own;

    memset(out, 0, sizeof(*out));
    gp_format(proc, sizeof(proc), "%s/proc", root);
    gp_format(sys, sizeof(sys), "%s/sys", root);
    CPU_ZERO(&own);
    if (!mask && sched_getaffinity(0, sizeof(own), &own) != 0)
        for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN) && i < CPU_SETSIZE; i++)
            CPU_SET((size_t)i, &own);
    mask = mask ? mask : &own;
    cpu_caches_read(sys, mask, &caches);
    cpu_info_read(proc, &info);
    cpu_memory_read(proc, &memory);
    out->cpus = CPU_COUNT(mask) > 0 ? CPU_COUNT(mask) : 1;
    out->cores = caches.cores > 0 ? caches.cores : out->cpus;
    out->level2 = caches.level2;
    out->last_level = caches.last_level;
    out->cache = caches.all;
    out->quota = group_limit_of(root, "cpu", cpu_quota);
    out->threads = out->cores;
    if (out->quota > 0 && out->quota < out->threads)
        out->threads = out->quota < 1 ? 1 : (int)floor(out->quota);
    if (most > 0 && most < out->threads)
        out->threads = most;
    out->memory = isfinite(memory.total) ? memory.total : 0;
    out->free = cpu_memory_free(root);
    gp_copy(out->name, sizeof(out->name), info.name[0] ? info.name : "CPU");
}
