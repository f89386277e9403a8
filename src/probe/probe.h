/*
 * probe.h - the GPUs of this machine, as its drivers and buses tell them.
 *
 * Two backends are asked in turn: NVML (NVIDIA's own library, opened when it is there)
 * knows name, memory and MIG; sysfs (the PCI bus) knows vendor and device of whatever
 * else is plugged in, and the memory of an AMD card. Nothing found is no error. A
 * device is then looked for in the catalogue (probe_match):
 *
 *     same name as nvml_names, and |total - physical| <= 8 % of physical
 *     else, the only GPU with its PCI id that has this much memory
 *
 * Eight per cent, because ECC on GDDR takes 1/16 and the driver keeps a little, while
 * GPUs of one name differ by a fifth or more. Worked: "NVIDIA A100-SXM4-40GB" with
 * 39.59 GiB is a100-sxm-40 (40.0 GiB, 1.0 %); "NVIDIA GeForce RTX 4060 Ti" with 8.0 GiB
 * is not the card of 16 GiB that has the same name.
 *
 * What a device does now (power, clocks, links, processes) is asked as well; a driver
 * that does not know a function only loses that figure. Who looks again and again keeps
 * a struct probe, so that the library is opened once.
 *
 * For tests, GPUPLAN_NVML names the library to open instead of libnvidia-ml.so.1,
 * GPUPLAN_SYSFS the folder to read instead of /sys and GPUPLAN_PROC that for /proc.
 */
#ifndef GP_PROBE_PROBE_H
#define GP_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/quantity.h"
#include "catalog/gpu.h"

#define PROBE_MAX 128      /* devices of one machine: 16 GPUs of 7 MIG instances */
#define PROBE_PROCESSES 16 /* that are named, of one device */

enum device_mig {
    DEVICE_MIG_UNKNOWN,
    DEVICE_MIG_NONE, /* the GPU has no such mode */
    DEVICE_MIG_OFF,
    DEVICE_MIG_ON
};

struct device_process {
    long pid;
    struct quantity memory; /* bytes of the device; unknown: the driver does not tell */
    char name[32];          /* of its program; "" = not ours to see */
};

struct device_link { /* PCIe; 0 = unknown */
    int gen, width;  /* now: saves power when it is idle */
    int gen_max, width_max;
};

struct device {
    int index;       /* as its backend counts, from 0; of the whole GPU for an instance */
    char name[96];   /* as the driver prints it; "" = unknown */
    char slice[24];  /* profile of a MIG instance, "3g.40gb"; "" = a whole GPU */
    char uuid[96];   /* "" = unknown */
    char bus_id[32]; /* "0000:3b:00.0"; "" = unknown */
    unsigned vendor_id, device_id;   /* PCI; 0 = unknown */
    char driver[80];                 /* version; "" = unknown */
    struct quantity memory_total;    /* bytes, what the driver's tool prints */
    struct quantity memory_free;     /* bytes */
    struct quantity memory_used;     /* bytes, total less free: programs and driver */
    struct quantity memory_reserved; /* bytes of `used` that the driver keeps */
    enum device_mig mig;
    int processes; /* that compute on it now; -1 = unknown */
    int listed;    /* of them, in process[] */
    struct device_process process[PROBE_PROCESSES];
    struct quantity power, power_limit; /* W */
    struct quantity clock, clock_max;   /* Hz, of what computes */
    struct quantity memory_clock;       /* Hz */
    struct quantity temperature;        /* degrees C */
    struct quantity busy, memory_busy;  /* 0..1 of the time, over the last second */
    struct device_link pcie;
    int links, links_active;    /* NVLink; -1 = unknown, 0 = it has none */
    int ecc;                    /* 1 on, 0 off, -1 unknown */
    struct quantity ecc_errors; /* that could not be corrected, since the driver started */
    int peers, peers_lost;      /* other GPUs; of them without direct access; -1 = unknown */
    char throttle[24];          /* "none", "power cap", "thermal", "hardware"; "" = unknown */
    const char *backend;        /* "nvml", "sysfs" */
    char error[160];            /* what could not be asked, and why; "" = nothing */
};

/* Fills at most max devices. GP_OK with *count 0 when there is none, and then err says
 * why (no driver, no device). GP_E_DEVICE when there is none because a driver is here
 * but cannot be used (too old, does not start). */
enum gp_status probe_devices(struct device *out, size_t max, size_t *count, struct gp_err *err);

/* The same for who asks again: drivers stay open until probe_close(NULL is fine). A
 * driver that could not be used is tried again. */
struct probe;
struct probe *probe_open(void);
void probe_close(struct probe *probe);
enum gp_status probe_read(struct probe *probe, struct device *out, size_t max, size_t *count,
                          struct gp_err *err);

/* The GPU of the catalogue that this is (the whole one for a MIG instance), or NULL
 * when none is or more than one might be. */
const struct gpu *probe_match(const struct device *device, const struct gpu *const *gpus,
                              size_t count);

/* What the kernel tells of the GPUs without a driver's library: files of a few bytes, read in
 * microseconds, where NVML takes tens of milliseconds to start. The loaded NVIDIA driver's version,
 * /sys/module/nvidia/version; false: none is loaded. */
bool probe_here_driver(char *text, size_t size);
/* Is a GPU of that UUID in this machine, by /proc/driver/nvidia/gpus? */
bool probe_here_uuid(const char *uuid);

#endif
