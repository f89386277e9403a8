/*
 * probe_here.h - what the kernel tells of this machine's GPUs without a driver's library: files
 * of a few bytes, read in microseconds, where NVML takes tens of milliseconds to start.
 */
#ifndef GP_PROBE_PROBE_HERE_H
#define GP_PROBE_PROBE_HERE_H

#include <stdbool.h>
#include <stddef.h>

/* The loaded NVIDIA driver's version, /sys/module/nvidia/version; false: none is loaded. */
bool probe_here_driver(char *text, size_t size);

/* Is a GPU of that UUID in this machine, by /proc/driver/nvidia/gpus? */
bool probe_here_uuid(const char *uuid);

#endif
