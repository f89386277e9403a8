/*
 * nvml_parts.h - the part of NVML's stable C interface that the probe uses, after
 * NVIDIA's NVML API reference: nvmlMemory_t is total, free, used; nvmlPciInfo_t (of
 * _v3) holds the device id above the vendor id in pciDeviceId, so 0x233010de is
 * 10de:2330; power is in mW, clocks in MHz, utilization in per cent.
 */
#ifndef GP_PROBE_NVML_PARTS_H
#define GP_PROBE_NVML_PARTS_H

#include "probe/probe_parts.h"

enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_DRIVER_NOT_LOADED = 9
};

enum { NVML_SM = 1, NVML_MEMORY = 2, NVML_LINKS = 18 }; /* clocks; NVLinks of a GPU */

struct nvml_device; /* opaque */

struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

struct nvml_memory_v2 {
    unsigned version; /* the size of this struct | 2 << 24 */
    unsigned long long total, reserved, free, used; /* bytes */
};

struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device;
    unsigned pci_device_id; /* device << 16 | vendor */
    unsigned pci_subsystem_id;
    char bus_id[32];
};

struct nvml_process_v1 {
    unsigned pid;
    unsigned long long memory; /* bytes; all ones = not told */
};

struct nvml_process { /* of _v2 and _v3 */
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

struct nvml_busy {
    unsigned gpu, memory; /* per cent of the time */
};

_Static_assert(sizeof(struct nvml_memory) == 24, "nvmlMemory_t");
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(struct nvml_pci) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct nvml_process_v1) == 16, "nvmlProcessInfo_v1_t");
_Static_assert(sizeof(struct nvml_process) == 24, "nvmlProcessInfo_v2_t");

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, struct nvml_device **device);
    int (*name)(struct nvml_device *device, char *text, unsigned size);
    int (*memory)(struct nvml_device *device, struct nvml_memory *memory);
    /* optional: NULL in drivers that are older than they */
    int (*memory_v2)(struct nvml_device *device, struct nvml_memory_v2 *memory);
    int (*pci)(struct nvml_device *device, struct nvml_pci *pci);
    int (*uuid)(struct nvml_device *device, char *text, unsigned size);
    int (*driver)(char *text, unsigned size);
    int (*mig_mode)(struct nvml_device *device, unsigned *current, unsigned *pending);
    int (*mig_count)(struct nvml_device *device, unsigned *count);
    int (*mig_handle)(struct nvml_device *device, unsigned index,
                      struct nvml_device **instance);
    int (*processes)(struct nvml_device *device, unsigned *count, void *list);
    int (*processes_v3)(struct nvml_device *device, unsigned *count, void *list);
    int (*processes_v2)(struct nvml_device *device, unsigned *count, void *list);
    int (*power)(struct nvml_device *device, unsigned *mw);
    int (*power_limit)(struct nvml_device *device, unsigned *mw);
    int (*clock)(struct nvml_device *device, int type, unsigned *mhz);
    int (*max_clock)(struct nvml_device *device, int type, unsigned *mhz);
    int (*temperature)(struct nvml_device *device, int sensor, unsigned *celsius);
    int (*busy)(struct nvml_device *device, struct nvml_busy *busy);
    int (*reasons)(struct nvml_device *device, unsigned long long *bits);
    int (*reasons_old)(struct nvml_device *device, unsigned long long *bits);
    int (*link_gen)(struct nvml_device *device, unsigned *gen);
    int (*link_width)(struct nvml_device *device, unsigned *width);
    int (*max_link_gen)(struct nvml_device *device, unsigned *gen);
    int (*max_link_width)(struct nvml_device *device, unsigned *width);
    int (*link_state)(struct nvml_device *device, unsigned link, unsigned *active);
    void *library;
    char version[80]; /* of the driver */
};

/* What it does now (probe_nvml_live.c). */
void nvml_live(const struct nvml *nvml, struct nvml_device *handle, struct device *d);
/* Who computes on it. */
void nvml_processes(const struct nvml *nvml, struct nvml_device *handle,
                    struct device *d);

#endif
