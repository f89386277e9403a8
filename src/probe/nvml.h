/*
 * nvml.h - the driver's management library (NVML), as its API reference declares it: no
 * header of it is needed, and it is opened when it is there. The probe and the sensors of
 * the CUDA engine call it.
 *
 * Most functions are optional, NULL in drivers that are older than they, and every value
 * may be "not supported". Power is in mW, energy in mJ, clocks in MHz.
 */
#ifndef GP_PROBE_NVML_H
#define GP_PROBE_NVML_H

#include <stdint.h>

#define NVML_LIBRARY "libnvidia-ml.so.1"

enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NO_PERMISSION = 4,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_DRIVER_NOT_LOADED = 9
};

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_LINKS = 36 /* of a GPU, at the most */ };
#define NVML_CLOCK_TDP 0xffffff01u /* in place of MHz: the base clock */

struct nvml_device; /* opaque */

struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

struct nvml_memory_v2 {
    unsigned version;                               /* the size of this struct | 2 << 24 */
    unsigned long long total, reserved, free, used; /* bytes */
};

struct nvml_pci { /* of _v3 */
    char bus_id_legacy[16];
    unsigned domain, bus, device;
    unsigned pci_device_id; /* device << 16 | vendor: 0x233010de is 10de:2330 */
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

enum { NVML_FIELD_MEMORY_TEMP = 82, NVML_FIELD_POWER_INSTANT = 186 };
struct nvml_field {
    unsigned id, scope;
    int64_t timestamp, latency;
    int type, status;
    union {
        double d;
        unsigned u;
        uint64_t ull;
    } value;
};

/* Counters of Hopper and newer: two samples, and what happened between them. */
enum { NVML_GPM_SM = 2, NVML_GPM_TENSOR = 5, NVML_GPM_DRAM = 10, NVML_GPM_MAX = 1024 };
struct nvml_gpm_metric {
    unsigned id;
    int status;
    double value;
    const char *names[3];
};
struct nvml_gpm_query {
    unsigned version, count;
    void *first, *second;
    struct nvml_gpm_metric metrics[NVML_GPM_MAX];
};
struct nvml_gpm_support {
    unsigned version, supported;
};

_Static_assert(sizeof(struct nvml_memory) == 24, "nvmlMemory_t");
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(struct nvml_pci) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct nvml_process_v1) == 16, "nvmlProcessInfo_v1_t");
_Static_assert(sizeof(struct nvml_process) == 24, "nvmlProcessInfo_v2_t");
_Static_assert(sizeof(struct nvml_field) == 40, "nvmlFieldValue_t");
_Static_assert(sizeof(struct nvml_gpm_metric) == 40, "nvmlGpmMetric_t");

/* Who cannot do without a function. */
enum { NVML_FOR_PROBE = 1, NVML_FOR_SENSORS = 2, NVML_FOR_ALL = 3 };

/* The functions that are called: member of struct nvml_api, name, what it takes (a device
 * first, where it is DEVICE), and who needs it. */
#define DEVICE(...) (struct nvml_device * device, __VA_ARGS__)
#define NVML_FUNCTIONS(X)                                                                          \
    X(init, "nvmlInit_v2", (void), NVML_FOR_ALL)                                                   \
    X(shutdown, "nvmlShutdown", (void), NVML_FOR_ALL)                                              \
    X(count, "nvmlDeviceGetCount_v2", (unsigned *count), NVML_FOR_PROBE)                           \
    X(by_index, "nvmlDeviceGetHandleByIndex_v2", (unsigned index, struct nvml_device **device),    \
      NVML_FOR_PROBE)                                                                              \
    X(by_pci, "nvmlDeviceGetHandleByPciBusId_v2", (const char *pci, struct nvml_device **device),  \
      NVML_FOR_SENSORS)                                                                            \
    X(name, "nvmlDeviceGetName", DEVICE(char *text, unsigned size), NVML_FOR_PROBE)                \
    X(uuid, "nvmlDeviceGetUUID", DEVICE(char *text, unsigned size), NVML_FOR_SENSORS)              \
    X(memory, "nvmlDeviceGetMemoryInfo", DEVICE(struct nvml_memory *out), NVML_FOR_PROBE)          \
    X(memory_v2, "nvmlDeviceGetMemoryInfo_v2", DEVICE(struct nvml_memory_v2 *out), 0)              \
    X(pci, "nvmlDeviceGetPciInfo_v3", DEVICE(struct nvml_pci *out), 0)                             \
    X(driver, "nvmlSystemGetDriverVersion", (char *text, unsigned size), 0)                        \
    X(mig_mode, "nvmlDeviceGetMigMode", DEVICE(unsigned *now, unsigned *pending), 0)               \
    X(mig_count, "nvmlDeviceGetMaxMigDeviceCount", DEVICE(unsigned *count), 0)                     \
    X(mig_handle, "nvmlDeviceGetMigDeviceHandleByIndex",                                           \
      DEVICE(unsigned index, struct nvml_device **instance), 0)                                    \
    X(processes, "nvmlDeviceGetComputeRunningProcesses", DEVICE(unsigned *count, void *list), 0)   \
    X(processes_v2, "nvmlDeviceGetComputeRunningProcesses_v2",                                     \
      DEVICE(unsigned *count, void *list), 0)                                                      \
    X(processes_v3, "nvmlDeviceGetComputeRunningProcesses_v3",                                     \
      DEVICE(unsigned *count, void *list), 0)                                                      \
    X(power, "nvmlDeviceGetPowerUsage", DEVICE(unsigned *mw), 0)                                   \
    X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", DEVICE(unsigned *mw), 0)                     \
    X(default_limit, "nvmlDeviceGetPowerManagementDefaultLimit", DEVICE(unsigned *mw), 0)          \
    X(energy, "nvmlDeviceGetTotalEnergyConsumption", DEVICE(unsigned long long *mj), 0)            \
    X(persistence, "nvmlDeviceGetPersistenceMode", DEVICE(int *mode), 0)                           \
    X(pstate, "nvmlDeviceGetPerformanceState", DEVICE(int *state), 0)                              \
    X(clock, "nvmlDeviceGetClockInfo", DEVICE(int type, unsigned *mhz), 0)                         \
    X(max_clock, "nvmlDeviceGetMaxClockInfo", DEVICE(int type, unsigned *mhz), 0)                  \
    X(lock, "nvmlDeviceSetGpuLockedClocks", DEVICE(unsigned low, unsigned high), 0)                \
    X(unlock, "nvmlDeviceResetGpuLockedClocks", (struct nvml_device * device), 0)                  \
    X(temperature, "nvmlDeviceGetTemperature", DEVICE(int sensor, unsigned *celsius), 0)           \
    X(busy, "nvmlDeviceGetUtilizationRates", DEVICE(struct nvml_busy *out), 0)                     \
    X(reasons, "nvmlDeviceGetCurrentClocksEventReasons", DEVICE(unsigned long long *bits), 0)      \
    X(reasons_old, "nvmlDeviceGetCurrentClocksThrottleReasons", /* before 535 */                   \
      DEVICE(unsigned long long *bits), 0)                                                         \
    X(link_gen, "nvmlDeviceGetCurrPcieLinkGeneration", DEVICE(unsigned *gen), 0)                   \
    X(link_width, "nvmlDeviceGetCurrPcieLinkWidth", DEVICE(unsigned *width), 0)                    \
    X(max_link_gen, "nvmlDeviceGetMaxPcieLinkGeneration", DEVICE(unsigned *gen), 0)                \
    X(max_link_width, "nvmlDeviceGetMaxPcieLinkWidth", DEVICE(unsigned *width), 0)                 \
    X(ecc_mode, "nvmlDeviceGetEccMode", DEVICE(unsigned *now, unsigned *pending), 0)               \
    X(ecc_errors, "nvmlDeviceGetTotalEccErrors",                                                   \
      DEVICE(int kind, int since, unsigned long long *errors), 0)                                  \
    X(peer, "nvmlDeviceGetP2PStatus", DEVICE(struct nvml_device *other, int what, int *status), 0) \
    X(link_state, "nvmlDeviceGetNvLinkState", DEVICE(unsigned link, unsigned *active), 0)          \
    X(fields, "nvmlDeviceGetFieldValues", DEVICE(int count, struct nvml_field *out), 0)            \
    X(gpm_support, "nvmlGpmQueryDeviceSupport", DEVICE(struct nvml_gpm_support *out), 0)           \
    X(gpm_alloc, "nvmlGpmSampleAlloc", (void **sample), 0)                                         \
    X(gpm_free, "nvmlGpmSampleFree", (void *sample), 0)                                            \
    X(gpm_get, "nvmlGpmSampleGet", DEVICE(void *sample), 0)                                        \
    X(gpm_metrics, "nvmlGpmMetricsGet", (struct nvml_gpm_query * query), 0)

struct nvml_api {
#define X(member, name, parameters, need) int(*member) parameters;
    NVML_FUNCTIONS(X)
#undef X
};
#undef DEVICE

/* From the open library; the name of the first that is missing and needed, or NULL. */
const char *nvml_bind(struct nvml_api *api, void *library, unsigned need);

/* The newest of several functions for the same. */
int nvml_reasons(const struct nvml_api *api, struct nvml_device *device, unsigned long long *bits);
/* A count of 0 asks how many there are: -1 where that is not told. */
int nvml_processes(const struct nvml_api *api, struct nvml_device *device, unsigned *count,
                   void *list);
int nvml_process_count(const struct nvml_api *api, struct nvml_device *device);

#endif
