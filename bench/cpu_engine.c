/*
 * cpu_engine.c - what the tests of the CPU engine ask of the open device: bytes they may
 * take, copies they rotate through, flags of the point.
 */
#include "bench/cpu_engine.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

#define DEEPER 8   /* so many times twice the caches */
#define SHARE 0.05 /* of the processors that others may have */

bool cpu_refuse(struct refusal *why, enum point_state state, const char *fmt, ...)
{
    va_list args;

    why->state = state;
    va_start(args, fmt);
    vsnprintf(why->text, sizeof why->text, fmt, args);
    va_end(args);
    return false;
}

double cpu_share(const struct cpu_engine *engine, double share)
{
    double room = cpu_memory_free(""), wanted = engine->settings.max_memory;

    return wanted > 0 ? fmin(wanted, 0.9 * room) : share * room;
}

double cpu_budget(const struct cpu_engine *engine)
{
    return cpu_share(engine, METHOD_SHARE);
}

void cpu_flag(struct cpu_engine *engine, const char *flag)
{
    for (size_t i = 0; i < sizeof engine->flags / sizeof engine->flags[0]; i++) {
        if (engine->flags[i] && strcmp(engine->flags[i], flag) != 0)
            continue;
        engine->flags[i] = flag;
        return;
    }
}

void cpu_flag_product(struct cpu_engine *engine, const struct gemm_made *made)
{
    if (made->emulated)
        cpu_flag(engine, "emulated");
    if (made->x == NUMBER_U7)
        cpu_flag(engine, "saturates");
}

/* Twice the cache is not enough where only memory limits: last-level caches of servers
 * keep part of what is walked in circles instead of replacing it all, and a virtual
 * machine is told of fewer of them than it reaches. Two cores of a machine that reports
 * 34 MiB read 128 MiB in circles at 118 GB/s, 256 MiB at 92, 512 at 87, 1024 at 83. */
int cpu_rotation(const struct cpu_engine *engine, double bytes, double room, bool deep, bool *cold)
{
    double cache = engine->topology.cache;
    int copies = method_rotation(cache, bytes, room, cold);
    bool deeper;

    return deep ? method_rotation(cache * DEEPER, bytes, room, &deeper) : copies;
}

/* ---- the load of others ----
 *
 * /proc/self/task/N/schedstat for what our threads waited, /proc/stat for what the allowed
 * processors did, getrusage for how much of that was ours. /proc/stat counts in ticks of 10 ms:
 * over 0.1 s on two processors one of twenty is 5 %, which is why the exact waiting time must
 * agree. */

/* All threads' time on a run queue without running, s; -1 where the kernel keeps none. */
static double load_waited(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    double sum = 0;
    bool any = false;

    while (tasks && (task = readdir(tasks))) {
        char path[320];
        unsigned long long ran, delay;
        FILE *file;

        gp_format(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        if (task->d_name[0] == '.' || !(file = fopen(path, "r")))
            continue;
        if (fscanf(file, "%llu %llu", &ran, &delay) == 2) {
            sum += 1e-9 * (double)delay;
            any = true;
        }
        fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return any ? sum : -1;
}

/* What the processors of the mask have done so far, all but idle, and what was stolen. */
static void load_worked(struct cpu_load *out)
{
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    char line[512];
    cpu_set_t mask;
    FILE *file = fopen("/proc/stat", "r");

    out->busy = out->steal = -1;
    if (!file || sched_getaffinity(0, sizeof mask, &mask) != 0)
        goto done;
    out->busy = out->steal = 0;
    while (fgets(line, sizeof line, file)) {
        unsigned long long user, nice, system, idle, wait, irq, soft, steal;
        unsigned cpu;

        if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &user, &nice,
                   &system, &idle, &wait, &irq, &soft, &steal) != 9 ||
            cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &mask))
            continue;
        out->busy += tick * (double)(user + nice + system + irq + soft);
        out->steal += tick * (double)steal;
    }
done:
    if (file)
        fclose(file);
}

void cpu_load_read(struct cpu_load *out)
{
    struct rusage usage = {0};

    load_worked(out);
    out->waited = load_waited();
    getrusage(RUSAGE_SELF, &usage);
    out->own = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    out->wall = clock_now();
}

static double load_part(double before, double after, double room)
{
    return before < 0 || after < 0 || !(room > 0) ? 0 : fmax(after - before, 0) / room;
}

struct cpu_share cpu_load_share(const struct cpu_load *before, const struct cpu_load *after,
                                int threads)
{
    double room = (after->wall - before->wall) * threads;
    struct cpu_share share = {
        .waited = load_part(before->waited, after->waited, room),
        .others = fmax(load_part(before->busy, after->busy, room) -
                           load_part(before->own, after->own, room),
                       0),
        .stolen = load_part(before->steal, after->steal, room),
    };

    share.contended = (share.waited > SHARE && share.others > SHARE) || share.stolen > SHARE;
    return share;
}

/* Large blocks ask for pages of 2 MiB: what a product then waits for is memory, not the
 * tables that say where it is (batch 1 of bf16: 50.2 GB/s in pages of 4 KiB, 52.0). */
void *cpu_alloc(size_t bytes)
{
    size_t page = (size_t)2 << 20;
    void *base =
        mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return NULL;
    if (bytes >= page)
        madvise(base, bytes, MADV_HUGEPAGE); /* a wish: refused, nothing is lost */
    return base;
}

void cpu_release(void *base, size_t bytes)
{
    if (base)
        munmap(base, bytes ? bytes : 1);
}
