/*
 * test_probe.c - devices asked of a stand-in NVML library and a made-up /sys, and found
 * again in a small catalogue.
 *
 * The stand-in is tests/fixtures/fake_nvml.c; $FAKE_NVML tells it what to be.
 */
#include "probe/probe.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "profiles.h"
#include "unit.h"

#define MIB GP_MIB

static char dir[GP_PATH_MAX];
static struct device devices[8];
static size_t count;
static struct gp_err err;

/* ---- matching ---- */

static struct gpu make_gpu(const char *id, const char *names, const char *pci, double gib)
{
    struct gpu gpu;

    memset(&gpu, 0, sizeof gpu);
    gp_copy(gpu.id, sizeof gpu.id, id);
    gp_copy(gpu.nvml_names, sizeof gpu.nvml_names, names);
    gp_copy(gpu.pci_ids, sizeof gpu.pci_ids, pci);
    gpu.physical = quantity_of(gib * GP_GIB, ORIGIN_SHEET);
    return gpu;
}

static struct gpu h100, v16, v32, a100, ti16, mi300, a2, a16;
static const struct gpu *const gpus[] = {&h100, &v16, &v32, &a100, &ti16, &mi300, &a2, &a16};

static int make_catalogue(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    h100 = make_gpu("h100", "NVIDIA H100 80GB HBM3", "10de:2330", 79.65);
    v16 = make_gpu("v100-16", "Tesla V100", "10de:1db1", 16);
    v32 = make_gpu("v100-32", "Tesla V100", "10de:1db5", 32);
    a100 = make_gpu("a100", "NVIDIA A100-SXM4-40GB|A100-SXM4-40GB", "10de:20b0", 40);
    gp_copy(a100.slice[0].profile, sizeof a100.slice[0].profile, "1g.5gb");
    gp_copy(a100.slice[1].profile, sizeof a100.slice[1].profile, "3g.20gb");
    a100.slice_count = 2;
    ti16 = make_gpu("4060-ti-16", "NVIDIA GeForce RTX 4060 Ti", "10de:2803|10de:2805", 16);
    mi300 = make_gpu("mi300x", "", "1002:74a1|1002:74a9", 192);
    a2 = make_gpu("a2", "NVIDIA A2", "10de:25b6", 15);
    a16 = make_gpu("a16", "NVIDIA A16", "10de:25b6", 15);
    snprintf(dir, sizeof dir, "%s/gpuplan-probe-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(dir))
        return -1;
    return setenv("GPUPLAN_SYSFS", dir, 1); /* with nothing in it */
}

static int remove_dir(void **state)
{
    char command[GP_PATH_MAX + 64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

/* gib 0 and pci 0: unknown */
static const char *match(const char *name, double gib, unsigned vendor, unsigned id)
{
    struct device d;

    memset(&d, 0, sizeof d);
    gp_copy(d.name, sizeof d.name, name);
    if (gib > 0)
        d.memory_total = quantity_of(gib * GP_GIB, ORIGIN_MEASURED);
    d.vendor_id = vendor;
    d.device_id = id;
    const struct gpu *gpu = probe_match(&d, gpus, sizeof gpus / sizeof gpus[0]);
    return gpu ? gpu->id : "none";
}

static void test_match_name(void **state)
{
    (void)state;
    assert_string_equal(match("NVIDIA H100 80GB HBM3", 79.65, 0, 0), "h100");
    assert_string_equal(match("H100 80GB HBM3", 79.65, 0, 0), "h100");
    assert_string_equal(match("nvidia h100 80gb hbm3", 0, 0, 0), "none");
    assert_string_equal(match("NVIDIA h100 80gb hbm3", 0, 0, 0), "h100");
    assert_string_equal(match("NVIDIA A100-SXM4-40GB", 39.59, 0, 0), "a100");
    assert_string_equal(match("NVIDIA H100", 79.65, 0, 0), "none");
    assert_string_equal(match("", 79.65, 0, 0), "none");
    assert_string_equal(match("NVIDIA ", 79.65, 0, 0), "none");
}

static void test_match_memory(void **state)
{
    (void)state;
    assert_string_equal(match("Tesla V100", 15.77, 0, 0), "v100-16");
    assert_string_equal(match("Tesla V100", 31.74, 0, 0), "v100-32");
    assert_string_equal(match("Tesla V100", 24, 0, 0), "none");
    assert_string_equal(match("Tesla V100", 0, 0, 0), "none"); /* either */
    assert_string_equal(match("NVIDIA GeForce RTX 4060 Ti", 15.99, 0, 0), "4060-ti-16");
    /* the card of 8 GB: a PCI id in common does not make it the other */
    assert_string_equal(match("NVIDIA GeForce RTX 4060 Ti", 8, 0x10de, 0x2803), "none");
    assert_string_equal(match("NVIDIA H100 80GB HBM3", 79.65 * 0.93, 0, 0), "h100");
    assert_string_equal(match("NVIDIA H100 80GB HBM3", 79.65 * 0.91, 0, 0), "none");
    assert_string_equal(match("NVIDIA H100 80GB HBM3", 79.65 * 1.09, 0, 0), "none");
}

static void test_match_pci(void **state)
{
    (void)state;
    assert_string_equal(match("", 191.98, 0x1002, 0x74a9), "mi300x");
    assert_string_equal(match("", 0, 0x1002, 0x74a1), "mi300x");
    assert_string_equal(match("", 64, 0x1002, 0x74a1), "none");
    assert_string_equal(match("", 0, 0x10de, 0x74a1), "none");
    assert_string_equal(match("NVIDIA Graphics Device", 79.6, 0x10de, 0x2330), "h100");
    /* two cards of one id cannot be told apart */
    assert_string_equal(match("", 15, 0x10de, 0x25b6), "none");
    assert_string_equal(match("NVIDIA A16", 15, 0x10de, 0x25b6), "a16");
}

static const char *match_slice(const char *name, const char *slice)
{
    struct device d;

    memset(&d, 0, sizeof d);
    gp_copy(d.name, sizeof d.name, name);
    gp_copy(d.slice, sizeof d.slice, slice);
    d.memory_total = quantity_of(4.75 * GP_GIB, ORIGIN_MEASURED);
    const struct gpu *gpu = probe_match(&d, gpus, sizeof gpus / sizeof gpus[0]);
    return gpu ? gpu->id : "none";
}

static void test_match_slice(void **state)
{
    (void)state;
    assert_string_equal(match_slice("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "1g.5gb"), "a100");
    assert_string_equal(match_slice("A100-SXM4-40GB MIG 1g.5gb", "1g.5gb"), "a100");
    assert_string_equal(match_slice("NVIDIA A100-SXM4-40GB MIG 9g.5gb", "9g.5gb"), "none");
    assert_string_equal(match_slice("NVIDIA H100 80GB HBM3 MIG 1g.5gb", "1g.5gb"), "none");
}

/* Every name in the shipped profiles leads to the GPU that it stands in, at the memory
 * and with the PCI id that stand beside it. */
static void test_match_profiles(void **state)
{
    struct catalog *catalog = open_profiles();
    const struct gpu *const *all;
    size_t n, names = 0;

    (void)state;
    assert_int_equal(catalog_gpus(catalog, &all, &n, &err), GP_OK);
    for (size_t i = 0; i < n; i++) {
        char list[sizeof all[i]->nvml_names], *rest = list;

        gp_copy(list, sizeof list, all[i]->nvml_names);
        for (char *name; (name = strtok_r(rest, "|", &rest)); names++) {
            struct device d = {.memory_total = all[i]->physical};

            gp_copy(d.name, sizeof d.name, name);
            sscanf(all[i]->pci_ids, "%x:%x", &d.vendor_id, &d.device_id);
            const struct gpu *found = probe_match(&d, all, n);
            char pci[16];

            gp_format(pci, sizeof pci, "%04x:%04x", d.vendor_id, d.device_id);
            /* two cards of one name and one PCI id are one to the driver */
            if (found != all[i] && (!found || (d.device_id != 0 && !strstr(found->pci_ids, pci))))
                fail_msg("'%s' is not found to be %s", name, all[i]->id);
        }
    }
    assert_true(names > 50);
    catalog_free(catalog);
}

/* ---- NVML ---- */

/* library: "", "_basic", "_old"; see tests/files.mk */
static enum gp_status probe_max(const char *library, const char *scene, size_t max)
{
    const char *build = getenv("top_builddir");
    char path[GP_PATH_MAX];

    gp_format(path, sizeof path, "%s/tests/fixtures/fake_nvml%s.so", build ? build : ".", library);
    setenv("GPUPLAN_NVML", path, 1);
    setenv("FAKE_NVML", scene, 1);
    memset(devices, 0x55, sizeof devices);
    memset(&err, 0, sizeof err);
    return probe_devices(devices, max, &count, &err);
}

static enum gp_status probe(const char *library, const char *scene)
{
    return probe_max(library, scene, sizeof devices / sizeof devices[0]);
}

static void expect_reason(const char *part)
{
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
}

static void test_no_driver(void **state)
{
    (void)state;
    setenv("GPUPLAN_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
    count = 9;
    assert_int_equal(probe_devices(devices, 8, &count, &err), GP_OK);
    assert_int_equal(count, 0);
    assert_int_equal(err.code, GP_OK);
    expect_reason("no NVIDIA driver library");
    expect_reason("the PCI bus cannot be read");
    assert_int_equal(probe_devices(devices, 8, &count, NULL), GP_OK);
}

static void test_no_device(void **state)
{
    (void)state;
    assert_int_equal(probe("", "none"), GP_OK);
    assert_int_equal(count, 0);
    expect_reason("the NVIDIA driver 570.86.15 is here, but shows no GPU");
    assert_int_equal(probe("_basic", "none"), GP_OK);
    expect_reason("the NVIDIA driver is here, but shows no GPU");
}

static void test_broken_driver(void **state)
{
    (void)state;
    assert_int_equal(probe("", "mismatch"), GP_E_DEVICE);
    assert_int_equal(count, 0);
    expect_reason("of different versions (NVML error 18)");
    assert_string_not_equal(err.hint, "");
    assert_int_equal(probe("", "strange"), GP_E_DEVICE);
    expect_reason("(NVML error 4711)");
    assert_int_equal(probe("", "uncounted"), GP_E_DEVICE);
    expect_reason("cannot count its GPUs");
    assert_int_equal(probe("_old", "two"), GP_E_DEVICE);
    expect_reason("too old: it has no nvmlDeviceGetCount_v2");
    assert_int_equal(probe("", "unloaded"), GP_OK); /* a library without a driver */
    expect_reason("not loaded");
}

static void test_two(void **state)
{
    const struct device *d = &devices[0];

    (void)state;
    assert_int_equal(probe("", "two"), GP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(d->name, "NVIDIA GeForce RTX 4090");
    assert_int_equal(d->mig, DEVICE_MIG_NONE);
    assert_int_equal(d->processes, 0);
    d = &devices[1];
    assert_int_equal(d->index, 1);
    assert_string_equal(d->name, "NVIDIA H100 80GB HBM3");
    assert_string_equal(d->slice, "");
    assert_string_equal(d->uuid, "GPU-11111111-2222-3333-4444-555555555555");
    assert_string_equal(d->bus_id, "0000:3b:00.0");
    assert_int_equal(d->vendor_id, 0x10de);
    assert_int_equal(d->device_id, 0x2330);
    assert_string_equal(d->driver, "570.86.15");
    assert_near(d->memory_total.value, 81559 * MIB, 0);
    assert_near(d->memory_used.value, 3 * GP_GIB, 0);
    assert_near(d->memory_free.value, 81559 * MIB - 3 * GP_GIB, 0);
    assert_near(d->memory_reserved.value, 500 * MIB, 0);
    assert_int_equal(d->memory_total.origin, ORIGIN_MEASURED);
    assert_int_equal(d->mig, DEVICE_MIG_OFF);
    assert_int_equal(d->processes, 2);
    assert_string_equal(d->backend, "nvml");
    assert_string_equal(d->error, "");
    assert_ptr_equal(probe_match(d, gpus, 8), &h100);
}

static void test_live(void **state)
{
    const struct device *d = &devices[1];

    (void)state;
    assert_int_equal(probe("", "two"), GP_OK);
    assert_near(d->power.value, 664.25, 1e-9);
    assert_near(d->power_limit.value, 700, 0);
    assert_near(d->clock.value, 1935e6, 0);
    assert_near(d->clock_max.value, 1980e6, 0);
    assert_near(d->memory_clock.value, 2619e6, 0);
    assert_near(d->temperature.value, 66, 0);
    assert_near(d->busy.value, 0.98, 1e-9);
    assert_near(d->memory_busy.value, 0.41, 1e-9);
    assert_string_equal(d->throttle, "power cap");
    assert_int_equal(d->pcie.gen, 5);
    assert_int_equal(d->pcie.width_max, 16);
    assert_int_equal(d->links, 18);
    assert_int_equal(d->links_active, 17);
    assert_int_equal(devices[0].links, 0); /* it has no NVLink, and says so */
    assert_string_equal(devices[0].throttle, "idle");
    assert_int_equal(devices[0].pcie.gen, 1);
    assert_int_equal(devices[0].pcie.gen_max, 4);
    assert_int_equal(probe("", "other"), GP_OK);
    assert_false(devices[0].power.known); /* not supported is not 0 W */
    assert_true(devices[0].clock.known);
}

static void test_processes(void **state)
{
    const struct device *d = &devices[1];
    char path[GP_PATH_MAX + 16];
    FILE *comm;

    (void)state;
    snprintf(path, sizeof path, "mkdir -p '%s/4242'", dir);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/4242/comm", dir);
    comm = fopen(path, "w"); /* path_write() would clean it */
    assert_non_null(comm);
    fputs("py\033thon\n", comm);
    fclose(comm);
    setenv("GPUPLAN_PROC", dir, 1);
    assert_int_equal(probe("", "two"), GP_OK);
    assert_int_equal(d->listed, 2);
    assert_int_equal(d->process[0].pid, 4242);
    assert_near(d->process[0].memory.value, 2 * GP_GIB, 0);
    assert_string_equal(d->process[0].name, "py?thon");
    assert_int_equal(d->process[1].pid, 4243);
    assert_false(d->process[1].memory.known);
    assert_string_equal(d->process[1].name, "");
    assert_int_equal(devices[0].listed, 0);
    unsetenv("GPUPLAN_PROC");
}

/* The library is opened once however often it is asked. */
static void test_open_once(void **state)
{
    struct probe *kept = probe_open();
    char log[GP_PATH_MAX + 16], *text;
    size_t len;

    (void)state;
    snprintf(log, sizeof log, "%s/log", dir);
    assert_int_equal(probe("", "two"), GP_OK); /* names the library */
    setenv("FAKE_NVML_LOG", log, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(probe_read(kept, devices, 8, &count, &err), GP_OK);
        assert_int_equal(count, 2);
    }
    unsetenv("FAKE_NVML_LOG");
    probe_close(kept);
    probe_close(NULL);
    assert_int_equal(path_read(log, 100, &text, &len, NULL), GP_OK);
    assert_int_equal(len, 1);
    free(text);
}

static void test_without_optional(void **state)
{
    const struct device *d = &devices[1];

    (void)state;
    assert_int_equal(probe("_basic", "two"), GP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(d->name, "NVIDIA H100 80GB HBM3");
    assert_near(d->memory_total.value, 81559 * MIB, 0);
    assert_false(d->memory_reserved.known);
    assert_string_equal(d->uuid, "");
    assert_string_equal(d->bus_id, "");
    assert_string_equal(d->driver, "");
    assert_int_equal(d->mig, DEVICE_MIG_UNKNOWN);
    assert_int_equal(d->processes, -1);
    assert_false(d->power.known);
    assert_false(d->busy.known);
    assert_int_equal(d->links, -1);
    assert_int_equal(d->pcie.gen, 0);
    assert_string_equal(d->throttle, "");
    assert_ptr_equal(probe_match(d, gpus, 8), &h100);
}

static void test_hostile_texts(void **state)
{
    const struct device *d = &devices[0];

    (void)state;
    assert_int_equal(probe("", "long"), GP_OK);
    assert_int_equal(count, 1);
    assert_int_equal(strlen(d->name), sizeof d->name - 1);
    assert_int_equal(strncmp(d->name, "?[2Jx", 5), 0);
    assert_int_equal(strlen(d->uuid), sizeof d->uuid - 1);
    assert_false(d->memory_used.known); /* more free than there is */
    assert_int_equal(probe("", "short"), GP_OK);
    assert_string_equal(d->name, "");
    assert_string_equal(d->uuid, "");
    assert_non_null(strstr(d->error, "(NVML error 7)"));
    assert_true(d->memory_total.known);
}

static void test_lost_and_many(void **state)
{
    (void)state;
    assert_int_equal(probe("", "lost"), GP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(devices[0].error, "");
    assert_non_null(strstr(devices[1].error, "(NVML error 15)"));
    assert_false(devices[1].memory_total.known);
    assert_null(probe_match(&devices[1], gpus, 8));
    assert_int_equal(probe("", "many"), GP_OK);
    assert_int_equal(count, 8);
    assert_int_equal(probe_max("", "many", 1), GP_OK);
    assert_int_equal(count, 1);
    assert_int_equal(devices[1].index, 0x55555555); /* not touched */
    assert_int_equal(probe_max("", "mig", 1), GP_OK);
    assert_int_equal(count, 1);
    assert_string_equal(devices[0].slice, "1g.5gb");
    assert_int_equal(probe_max("", "two", 0), GP_OK);
    assert_int_equal(count, 0);
}

static void test_mig(void **state)
{
    (void)state;
    assert_int_equal(probe("", "mig"), GP_OK);
    assert_int_equal(count, 2); /* the GPU itself is only its instances */
    assert_string_equal(devices[0].slice, "1g.5gb");
    assert_near(devices[0].memory_total.value, 4864 * MIB, 0);
    assert_string_equal(devices[1].slice, "3g.20gb");
    assert_string_equal(devices[1].uuid, "MIG-3");
    assert_string_equal(devices[1].bus_id, "0000:07:00.0");
    assert_int_equal(devices[1].index, 0);
    assert_string_equal(devices[1].error, "");
    assert_ptr_equal(probe_match(&devices[1], gpus, 8), &a100);
    assert_int_equal(probe("", "mig-empty"), GP_OK);
    assert_int_equal(count, 1);
    assert_string_equal(devices[0].slice, "");
    assert_int_equal(devices[0].mig, DEVICE_MIG_ON);
    assert_non_null(strstr(devices[0].error, "no instance"));
}

/* ---- sysfs ---- */

static void put_file(const char *device, const char *name, const char *text)
{
    char path[GP_PATH_MAX + 128];

    snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/%s", dir, device, name);
    assert_int_equal(path_write(path, text, strlen(text), NULL), GP_OK);
}

static void put_device(const char *bus_id, const char *class, const char *vendor,
                       const char *device)
{
    char command[GP_PATH_MAX + 128];

    snprintf(command, sizeof command, "mkdir -p '%s/sys/bus/pci/devices/%s'", dir, bus_id);
    assert_int_equal(system(command), 0);
    put_file(bus_id, "class", class);
    put_file(bus_id, "vendor", vendor);
    put_file(bus_id, "device", device);
}

static void make_sysfs(void)
{
    char path[GP_PATH_MAX + 16];

    put_device("0000:e5:00.0", "0x120000\n", "0x1002\n", "0x74a1\n");
    put_file("0000:e5:00.0", "mem_info_vram_total", "206141652992\n");
    put_file("0000:e5:00.0", "mem_info_vram_used", "297693184\n");
    put_file("0000:e5:00.0", "current_link_speed", "16.0 GT/s PCIe\n");
    put_file("0000:e5:00.0", "max_link_speed", "32.0 GT/s PCIe\n");
    put_file("0000:e5:00.0", "current_link_width", "8\n");
    put_file("0000:e5:00.0", "max_link_width", "16\n");
    put_file("0000:e5:00.0", "gpu_busy_percent", "73\n");
    put_device("0000:03:00.0", "0x030200\n", "0x10de\n", "0x2330\n");
    put_device("0000:00:02.0", "0x030000\n", "0x8086\n", "0x46a6\n");
    put_device("0000:00:1f.0", "0x060100\n", "0x8086\n", "0x7a06\n"); /* a bridge */
    put_device("0000:00:0b.0", "0x120000\n", "0x8086\n", "0x7d1d\n"); /* an NPU */
    put_device("0000:04:00.0", "0x030000\n", "0x1a03\n", "0x2000\n"); /* a BMC */
    put_device("0000:05:00.0", "0x030000\n", "1002 and more\n", "x\n");
    put_device("0000:06:00.0", "", "", "");
    snprintf(path, sizeof path, "%s/sys", dir);
    setenv("GPUPLAN_SYSFS", path, 1);
}

/* Without its library the driver still says a name, which is not trusted more than others. */
static void test_proc(void **state)
{
    static const char text[] = "Model: \t\t NVIDIA H100 80GB \033[2JHBM3\nIRQ:   \t\t 42\n"
                               "GPU UUID: \t GPU-0a1b\nVideo BIOS: \t 96.00\n";
    char path[GP_PATH_MAX + 128];

    (void)state;
    make_sysfs();
    snprintf(path, sizeof path, "mkdir -p '%s/proc/driver/nvidia/gpus/0000:03:00.0'", dir);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/proc/driver/nvidia/gpus/0000:03:00.0/information", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(path, sizeof path, "%s/proc", dir);
    setenv("GPUPLAN_PROC", path, 1);
    setenv("GPUPLAN_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
    assert_int_equal(probe_devices(devices, 8, &count, &err), GP_OK);
    assert_string_equal(devices[1].name, "NVIDIA H100 80GB ?[2JHBM3");
    assert_string_equal(devices[1].uuid, "GPU-0a1b");
    unsetenv("GPUPLAN_PROC");
}

static void test_sysfs(void **state)
{
    (void)state;
    make_sysfs();
    setenv("GPUPLAN_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
    assert_int_equal(probe_devices(devices, 8, &count, &err), GP_OK);
    assert_int_equal(count, 3);
    assert_string_equal(devices[0].bus_id, "0000:00:02.0");
    assert_int_equal(devices[0].vendor_id, 0x8086);
    assert_string_equal(devices[0].backend, "sysfs");
    assert_string_equal(devices[0].error, "");
    assert_int_equal(devices[1].device_id, 0x2330);
    assert_non_null(strstr(devices[1].error, "no NVIDIA driver library"));
    assert_ptr_equal(probe_match(&devices[1], gpus, 8), &h100);
    assert_int_equal(devices[2].index, 2);
    assert_near(devices[2].memory_total.value, 206141652992.0, 0);
    assert_near(devices[2].memory_used.value, 297693184.0, 0);
    assert_false(devices[0].memory_total.known);
    assert_int_equal(devices[2].pcie.gen, 4);
    assert_int_equal(devices[2].pcie.gen_max, 5);
    assert_int_equal(devices[2].pcie.width, 8);
    assert_int_equal(devices[2].pcie.width_max, 16);
    assert_near(devices[2].busy.value, 0.73, 1e-9);
    assert_false(devices[2].power.known);
    assert_int_equal(devices[0].pcie.gen, 0);
    assert_ptr_equal(probe_match(&devices[2], gpus, 8), &mi300);
}

static void test_sysfs_beside_nvml(void **state)
{
    (void)state;
    make_sysfs();
    assert_int_equal(probe("", "two"), GP_OK);
    assert_int_equal(count, 4); /* the NVIDIA card on the bus is not counted twice */
    assert_string_equal(devices[2].bus_id, "0000:00:02.0");
    assert_string_equal(devices[3].bus_id, "0000:e5:00.0");
    assert_int_equal(probe("", "mismatch"), GP_OK); /* other devices are there */
    assert_int_equal(count, 3);
    assert_non_null(strstr(devices[1].error, "(NVML error 18)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match_name),
        cmocka_unit_test(test_match_memory),
        cmocka_unit_test(test_match_pci),
        cmocka_unit_test(test_match_slice),
        cmocka_unit_test(test_match_profiles),
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_no_device),
        cmocka_unit_test(test_broken_driver),
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_live),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_open_once),
        cmocka_unit_test(test_without_optional),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_lost_and_many),
        cmocka_unit_test(test_mig),
        cmocka_unit_test(test_sysfs),
        cmocka_unit_test(test_proc),
        cmocka_unit_test(test_sysfs_beside_nvml),
    };

    return cmocka_run_group_tests(tests, make_catalogue, remove_dir);
}
