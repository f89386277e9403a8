/*
 * cpu_engine.c - what the tests of the CPU engine ask of the open device: bytes they may
 * take, copies they rotate through, flags of the point.
 */
#include "bench/cpu_engine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEEPER 8 /* so many times twice the caches */

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
