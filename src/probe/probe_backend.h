/*
 * probe_backend.h - the two who look for devices, NVML and the PCI bus, and the list that
 * they fill for probe.c.
 */
#ifndef GP_PROBE_PROBE_BACKEND_H
#define GP_PROBE_PROBE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/cpu_topology.h"
#include "probe/probe.h"

#define PCI_AMD 0x1002
#define PCI_NVIDIA 0x10de
#define PCI_HABANA 0x1da3
#define PCI_INTEL 0x8086

struct probe_list {
    struct device *out; /* the caller's, max of them */
    size_t max, count;
    bool nvml_answered;     /* NVIDIA's driver has said which GPUs are ours */
    bool broken;            /* a driver is here and cannot be used */
    char nvml_reason[200];  /* why NVML shows no GPU; "" = it does */
    char sysfs_reason[100]; /* likewise for the PCI bus */
    char hint[200];
};

/* A new device, everything unknown; NULL when the caller's array is full. */
struct device *probe_add(struct probe_list *list, const char *backend, int index);

struct nvml; /* NVIDIA's library while it is open; NULL = it is not */

/* Opens it when it is not; closed by probe_nvml_close(NULL is fine). */
void probe_nvml(struct probe_list *list, struct nvml **nvml);
void probe_nvml_close(struct nvml *nvml);
void probe_sysfs(struct probe_list *list); /* after NVML: adds what is not there yet */

/* /proc and /sys, or what stands for them in a test. */
const char *probe_proc(void);
const char *probe_sys(void);

#endif
