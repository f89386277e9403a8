/*
 * cuda_devices.c - which GPUs there are, what is known of one, and what lies near it.
 *
 * Devices are CUDA's, so CUDA_VISIBLE_DEVICES and MIG are respected by itself. The bandwidth of the
 * data sheet comes from the driver: 2 x memory clock x bus width / 8, for an H100 2 x 2619 MHz x
 * 5120 / 8 = 3.35 TB/s; newer drivers no longer give the clock, then it is unknown (0).
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "bench/cuda_ctx.h"
#include "bench/cuda_library.h"
#include "measure/point/protocol.h"
#include "probe/cpu_topology.h"

/* -1: the driver does not tell. */
static int device_attribute(enum cudaDeviceAttr name, int device)
{
    int value = -1;

    if (cudaDeviceGetAttribute(&value, name, device) == cudaSuccess)
        return value;
    cudaGetLastError();
    return -1;
}

static double device_figure(enum cudaDeviceAttr name, int device)
{
    int value = device_attribute(name, device);

    return value > 0 ? value : 0;
}

/* Which of the visible GPUs' memory this one reaches; null: its own, or unknown. */
static json_t *device_peers(int device)
{
    json_t *list = json_array();
    int count = 0, can;

    if (cudaGetDeviceCount(&count) != cudaSuccess)
        cudaGetLastError();
    for (int i = 0; i < count; i++) {
        bool known = i != device && cudaDeviceCanAccessPeer(&can, device, i) == cudaSuccess;

        json_array_append_new(list, known ? json_boolean(can) : json_null());
    }
    cudaGetLastError();
    return list;
}

static json_t *device_versions(void)
{
    int driver = 0, runtime = 0, lt = 0;

    if (cuda_library_open(NULL) == GP_OK) {
        cudaDriverGetVersion(&driver);
        runtime = cuda_library_runtime();
        lt = (int)cublasLtGetVersion();
    }
    return json_pack("{s:o, s:o, s:o}", "cuda_driver", gp_json_above_zero(driver), "cuda_runtime",
                     gp_json_above_zero(runtime), "cublaslt", gp_json_above_zero(lt));
}

json_t *cuda_software(void)
{
    json_t *software = device_versions();

    output_library(software, cuda_library_place());
    return software;
}

/* Variables that the libraries read. All that begin so are recorded; one that is set to `value`
 * (NULL: to anything) makes something else of the products of these types, of 0: of every point,
 * and that is flagged. */
#define TYPES(type) (1u << (type))
static const struct {
    const char *name, *value;
    unsigned types;
    const char *flag;
} variables[] = {
    {"NVIDIA_TF32_OVERRIDE", "1", TYPES(TYPE_FP32), "emulated"},
    {"NVIDIA_TF32_OVERRIDE", "0", TYPES(TYPE_TF32), "environment"}, /* FP32, ten times slower */
    {"CUBLAS_EMULATE_SINGLE_PRECISION", "1", TYPES(TYPE_FP32), "emulated"},
    {"CUBLAS_EMULATION_STRATEGY", NULL, TYPES(TYPE_FP32), "environment"},
    {"CUBLASLT_HEURISTICS_LUT_FILE", NULL, ~0u,
     "environment"},                               /* names the heuristic's algorithm */
    {"CUDA_FORCE_PTX_JIT", "1", 0, "environment"}, /* kernels of PTX, not those of this GPU */
    {"CUDA_LAUNCH_BLOCKING", "1", 0, "environment"},
    {"CUBLAS", NULL, 0, NULL},
    {"CUDA_", NULL, 0, NULL},
    {"NCCL_", NULL, 0, NULL},
    {"NVIDIA_TF32_OVERRIDE", NULL, 0, NULL},
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

bool cuda_environment(const struct point *point, const char *flag)
{
    bool product = bench_test_is(point->test, TEST_IS_LIBRARY);

    for (int i = 0; i < VARIABLES; i++) {
        const char *value = variables[i].flag ? getenv(variables[i].name) : NULL;
        unsigned types = variables[i].types;

        if (value && *value && strcmp(variables[i].flag, flag) == 0 &&
            (!variables[i].value || strcmp(value, variables[i].value) == 0) &&
            (!types || (product && types >> point->type & 1)))
            return true;
    }
    return false;
}

static json_t *more_facts(int device)
{
    const char *prefixes[VARIABLES + 1] = {NULL};
    static const struct {
        const char *name;
        enum cudaDeviceAttr attribute;
    } numbers[] = {
        {"bus_bits", cudaDevAttrGlobalMemoryBusWidth},
        {"mem_clock_khz", cudaDevAttrMemoryClockRate}, /* newer drivers do not tell */
        {"sm_clock_khz", cudaDevAttrClockRate},
    };
    json_t *more = device_versions();
    int ecc = device_attribute(cudaDevAttrEccEnabled, device);

    for (int i = 0; i < VARIABLES; i++)
        prefixes[i] = variables[i].name;
    json_object_set_new(more, "env", protocol_environment(prefixes));
    json_object_set_new(more, "peers", device_peers(device));
    json_object_set_new(more, "ecc", ecc >= 0 ? json_boolean(ecc) : json_null());
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_object_set_new(more, numbers[i].name,
                            gp_json_above_zero(device_attribute(numbers[i].attribute, device)));
    return more;
}

enum gp_status cuda_describe(int index, struct bench_device *out, struct gp_err *err)
{
    struct cuda_identity gpu;
    cudaError_t error = cuda_identify(index, &gpu);
    const unsigned char *u = gpu.uuid;

    if (error != cudaSuccess)
        return cuda_fail_device(error, "", err);
    *out = (struct bench_device){.index = index};
    gp_copy(out->name, sizeof out->name, gpu.name);
    gp_copy(out->kind, sizeof out->kind, "gpu");
    gp_format(out->uuid, sizeof out->uuid,
              "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0],
              u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
              u[14], u[15]);
    if (cudaDeviceGetPCIBusId(out->pci, sizeof out->pci, index) != cudaSuccess) {
        out->pci[0] = '\0';
        cudaGetLastError();
    }
    out->units = (int)device_figure(cudaDevAttrMultiProcessorCount, index);
    out->cc = 10 * (int)device_figure(cudaDevAttrComputeCapabilityMajor, index) +
              (int)device_figure(cudaDevAttrComputeCapabilityMinor, index);
    out->memory = (double)gpu.memory;
    out->cache = device_figure(cudaDevAttrL2CacheSize, index);
    out->bandwidth_sheet = 2e3 * device_figure(cudaDevAttrMemoryClockRate, index) *
                           device_figure(cudaDevAttrGlobalMemoryBusWidth, index) / 8;
    out->more = more_facts(index);
    return GP_OK;
}

enum gp_status cuda_count(int *count, struct gp_err *err)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    enum gp_status rc = cuda_library_open(err);

    *count = 0; /* the call leaves it alone when it fails */
    if (rc != GP_OK)
        return rc;
    cudaError_t error = cudaGetDeviceCount(count);
    if (error == cudaSuccess && *count > 0)
        return GP_OK;
    *count = 0;
    if (visible && (error == cudaSuccess || error == cudaErrorNoDevice))
        return gp_fail(err, GP_E_DEVICE, "", "name a GPU that nvidia-smi -L lists",
                       "no usable GPU: CUDA_VISIBLE_DEVICES=%.40s leaves none", visible);
    return cuda_fail_device(error == cudaSuccess ? cudaErrorNoDevice : error, "", err);
}

enum gp_status cuda_devices(struct bench_device *out, int max, int *count, struct gp_err *err)
{
    int found;
    enum gp_status rc = cuda_count(&found, err);

    *count = 0;
    for (int i = 0; rc == GP_OK && i < found && i < max; i++) {
        rc = cuda_describe(i, &out[i], err);
        *count += rc == GP_OK;
    }
    return rc;
}

/* What the kernel says of a PCI device. $GPUPLAN_SYSFS is for tests. */
static bool of_pci(const char *pci, const char *name, char *line, size_t size)
{
    const char *root = secure_getenv("GPUPLAN_SYSFS");
    char device[24];

    gp_copy(device, sizeof device, pci);
    for (char *c = device; *c; c++)
        *c = gp_lower(*c);
    return device[0] && sys_line(line, size, "%.200s/bus/pci/devices/%s/%s",
                                 root && *root ? root : "/sys", device, name);
}

/* The kernel says -1 where there is one node only, or it does not know. */
void cuda_add_node(const char *pci, json_t *facts)
{
    char line[32], *end;

    if (!of_pci(pci, "numa_node", line, sizeof line))
        return;
    long node = strtol(line, &end, 10);
    if (end != line && node >= 0)
        json_object_set_new(facts, "numa_node", json_integer(node));
}

void cuda_bind_near(const char *pci)
{
    static cpu_set_t now; /* what this process may use, before it was bound */
    static bool known;
    char list[512] = "";
    cpu_set_t near;

    if (!known && sched_getaffinity(0, sizeof now, &now) != 0)
        return;
    known = true;
    if (!of_pci(pci, "local_cpulist", list, sizeof list) || !cpu_list_read(list, &near))
        return;
    CPU_AND(&near, &near, &now);
    if (CPU_COUNT(&near) > 0)
        sched_setaffinity(0, sizeof near, &near);
}
