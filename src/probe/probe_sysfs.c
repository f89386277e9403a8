/*
 * probe_sysfs.c - GPUs on the PCI bus, as Linux shows them below /sys.
 *
 * Link speeds stand there as "16.0 GT/s PCIe": 2.5, 5, 8, 16, 32 and 64 are generations
 * 1 to 6. Sensors of a card (hwmon) are in uW, thousandths of a degree and Hz.
 *
 * What no driver's library tells: vendor and device, for an AMD card whose kernel driver is loaded
 * the size of its memory, for one of NVIDIA its name and UUID, by the driver's /proc. One or
 * three short reads per PCI device: well under a millisecond.
 */
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "probe/probe_backend.h"

/* Which classes of a vendor's devices are GPUs: display controllers (03xxxx), and of
 * those who sell accelerators, processing accelerators (12xxxx). */
static const struct {
    unsigned vendor;
    bool accelerators;
} vendors[] = {
    {PCI_NVIDIA, false},
    {PCI_AMD, true},
    {PCI_INTEL, false},
    {PCI_HABANA, true},
};

/* A short file of one number: "0x030200", "206141652992", "16.0 GT/s PCIe". */
static bool read_number(const char *device, const char *file, double *value)
{
    char text[64], *end;

    if (!sys_line(text, sizeof(text), "%s/bus/pci/devices/%s/%s", probe_sys(), device, file))
        return false;
    *value = strtod(text, &end);
    return end > text && strchr(" ", *end) && *value >= 0 && *value < 0x1p53;
}

static double number_of(const char *device, const char *file)
{
    double value;

    return read_number(device, file, &value) ? value : 0;
}

static unsigned id_of(const char *device, const char *file)
{
    return (unsigned)fmin(number_of(device, file), UINT_MAX);
}

static bool is_gpu(unsigned class, unsigned vendor)
{
    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
        if (vendors[i].vendor == vendor)
            return class >> 16 == 0x03 || (vendors[i].accelerators && class >> 16 == 0x12);
    return false;
}

static int link_generation(double gigatransfers)
{
    static const double speeds[] = {2.5, 5, 8, 16, 32, 64};

    for (int i = 0; i < 6; i++)
        if (gigatransfers == speeds[i])
            return i + 1;
    return 0;
}

static int link_width(double lanes)
{
    return lanes >= 1 && lanes <= 32 ? (int)lanes : 0;
}

/* The first folder below hwmon/, as "0000:e5:00.0/hwmon/hwmon3/". */
static bool find_hwmon(const char *bus_id, char *path, size_t size)
{
    char parent[GP_PATH_MAX];
    DIR *dir = NULL;
    const struct dirent *entry;
    bool found = false;

    if (gp_format(parent, sizeof(parent), "%s/bus/pci/devices/%s/hwmon", probe_sys(), bus_id))
        dir = opendir(parent);
    while (dir && !found && (entry = readdir(dir)))
        if (strncmp(entry->d_name, "hwmon", 5) == 0)
            found = gp_format(path, size, "%s/hwmon/%s", bus_id, entry->d_name);
    if (dir)
        closedir(dir);
    return found;
}

static void read_sensor(const char *hwmon, const char *file, double unit, struct quantity *out)
{
    double value;

    if (read_number(hwmon, file, &value))
        *out = quantity_of(value * unit, ORIGIN_MEASURED);
}

/* What NVIDIA's kernel module says of one in /proc: "Model: \t\t NVIDIA L4". */
static void read_nvidia(struct device *d)
{
    static const struct {
        const char *label;
        size_t at, size;
    } fields[] = {{"Model:", offsetof(struct device, name), sizeof(d->name)},
                  {"GPU UUID:", offsetof(struct device, uuid), sizeof(d->uuid)}};
    char path[GP_PATH_MAX], line[256];
    FILE *file = NULL;

    probe_here_driver(d->driver, sizeof(d->driver));
    if (gp_format(path, sizeof(path), "%s/driver/nvidia/gpus/%s/information", probe_proc(),
                  d->bus_id))
        file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file))
        for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
            if (strncmp(line, fields[i].label, strlen(fields[i].label)) == 0) {
                char *text = (char *)d + fields[i].at;

                gp_copy(text, fields[i].size, gp_trim(line + strlen(fields[i].label)));
                gp_sanitize(text);
            }
    if (file)
        fclose(file);
}

static void ask_device(const char *bus_id, struct probe_list *list, int *index)
{
    unsigned class = id_of(bus_id, "class");
    unsigned vendor = id_of(bus_id, "vendor");
    unsigned device = id_of(bus_id, "device");
    double used;
    char hwmon[160];

    if (!is_gpu(class, vendor) || device == 0)
        return;
    /* NVML has said which of the machine's GPUs are ours to use */
    if (vendor == PCI_NVIDIA && list->nvml_answered)
        return;
    struct device *d = probe_add(list, "sysfs", (*index)++);
    if (!d)
        return;
    gp_copy(d->bus_id, sizeof(d->bus_id), bus_id);
    d->vendor_id = vendor;
    d->device_id = device;
    double total = number_of(bus_id, "mem_info_vram_total");
    if (total > 0)
        d->memory_total = quantity_of(total, ORIGIN_MEASURED);
    if (total > 0 && read_number(bus_id, "mem_info_vram_used", &used) && used <= total) {
        d->memory_used = quantity_of(used, ORIGIN_MEASURED);
        d->memory_free = quantity_of(total - used, ORIGIN_MEASURED);
    }
    d->pcie.gen = link_generation(number_of(bus_id, "current_link_speed"));
    d->pcie.gen_max = link_generation(number_of(bus_id, "max_link_speed"));
    d->pcie.width = link_width(number_of(bus_id, "current_link_width"));
    d->pcie.width_max = link_width(number_of(bus_id, "max_link_width"));
    read_sensor(bus_id, "gpu_busy_percent", 0.01, &d->busy);
    read_sensor(bus_id, "mem_busy_percent", 0.01, &d->memory_busy);
    if (find_hwmon(bus_id, hwmon, sizeof(hwmon))) {
        read_sensor(hwmon, "power1_input", 1e-6, &d->power);
        read_sensor(hwmon, "power1_average", 1e-6, &d->power);
        read_sensor(hwmon, "power1_cap", 1e-6, &d->power_limit);
        read_sensor(hwmon, "temp1_input", 1e-3, &d->temperature);
        read_sensor(hwmon, "freq1_input", 1, &d->clock);
        read_sensor(hwmon, "freq2_input", 1, &d->memory_clock);
    }
    if (vendor == PCI_NVIDIA) {
        read_nvidia(d);
        gp_copy(d->error, sizeof(d->error), list->nvml_reason);
    }
}

static int entry_is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

void probe_sysfs(struct probe_list *list)
{
    char path[GP_PATH_MAX];
    struct dirent **names = NULL;
    size_t before = list->count;
    int index = 0;
    int count = -1;

    if (path_join(path, sizeof(path), probe_sys(), "bus/pci/devices"))
        count = scandir(path, &names, entry_is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        ask_device(names[i]->d_name, list, &index);
        free(names[i]);
    }
    free(names);
    if (count < 0)
        gp_copy(list->sysfs_reason, sizeof(list->sysfs_reason), "the PCI bus cannot be read");
    else if (list->count == before)
        gp_copy(list->sysfs_reason, sizeof(list->sysfs_reason),
                list->nvml_answered ? "no GPU of another maker on the PCI bus"
                                    : "no GPU on the PCI bus");
}
