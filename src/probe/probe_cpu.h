/*
 * probe_cpu.h - the processor of this machine, for those who have no GPU.
 *
 * Name, cores and caches from /proc/cpuinfo and /sys, memory from /proc/meminfo. What
 * share of the time its processors worked is between two readings: keep the struct and
 * read into it again. Unknown: NAN, 0 or "".
 */
#ifndef GP_PROBE_PROBE_CPU_H
#define GP_PROBE_PROBE_CPU_H

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
