/*
 * sensors_nvml.h - clocks, power, temperature and why a GPU is held back, from the
 * driver's management library, opened at run time; no header of it is needed.
 *
 * The device is found by its PCI bus id and compared by UUID, never by index: the order
 * of NVML is not CUDA's, and CUDA_VISIBLE_DEVICES changes only CUDA's. On a MIG
 * instance the UUIDs differ, and what is read is the whole GPU's: `shared` says so.
 */
#ifndef GP_BENCH_SENSORS_NVML_H
#define GP_BENCH_SENSORS_NVML_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct nvml;

/* NULL when there is no library or no such device; `why` says which. */
struct nvml *nvml_open(const char *pci, const char *uuid, char *why, size_t size);
void nvml_close(struct nvml *nvml);
bool nvml_shared(const struct nvml *nvml);
/* Processes that compute on the device beside this one, which must do so, too; 0 where
 * that cannot be known (a MIG instance, no permission). */
int nvml_others(struct nvml *nvml);
/* Holds the SM clock at so many MHz, or at the base clock, LOCK_BASE (method.h): until it
 * is unlocked, whatever becomes of this process. False: `why` says why not. */
bool nvml_lock_clock(struct nvml *nvml, double mhz, char *why, size_t size);
void nvml_unlock_clock(struct nvml *nvml);
/* What does not change: driver, limits, largest clocks and link, persistence mode; a new
 * object. */
json_t *nvml_facts(struct nvml *nvml);
/* temp_c, power_w, power_kind ("instant", "average"), sm_clock_mhz, mem_clock_mhz, pstate,
 * throttle_bits, pcie_gen, pcie_width and, where the device has counters (Hopper and
 * newer), sm_active_pct, tensor_active_pct, dram_active_pct over the last 100 ms or, where
 * calls are rarer, since the last one; elsewhere
 * gpu_busy_pct, the part of the last second or less with a kernel. NULL when nothing
 * answers. */
json_t *nvml_sensors(struct nvml *nvml);
/* Those counters from the one call to the other, as {"mean": 87.5, "min": null, ...}: no
 * mean of readings, which would be closer to each other than the counters allow. Null for
 * less than 100 ms; NULL without counters. While another thread reads the sensors. */
void nvml_window_begin(struct nvml *nvml);
json_t *nvml_window_means(struct nvml *nvml);
/* energy_j, spent since the driver was loaded; NULL where it is not counted. May be
 * called while another thread reads the sensors. */
json_t *nvml_counters(struct nvml *nvml);

#endif
