/*
 * probe_sysfs.c - GPUs on the PCI bus, as Linux shows them below /sys.
 *
 * What no driver's library tells: vendor and device, and for an AMD card whose kernel
 * driver is loaded the size of its memory. Names are not kept there. One open folder
 * and one or three short reads per PCI device: well under a millisecond.
 */
#include "probe/probe_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/path.h"
#include "util/str.h"

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

/* A short file of one number: "0x030200" or "206141652992". */
static bool read_number(int folder, const char *device, const char *file, int base,
                        unsigned long long *value)
{
    char path[300], text[40], *end;
    if (!gp_format(path, sizeof(path), "%s/%s", device, file))
        return false;
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    *value = strtoull(text, &end, base);
    return end > text && (*end == '\n' || *end == '\0');
}

static bool is_gpu(unsigned long long class, unsigned vendor)
{
    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
        if (vendors[i].vendor == vendor)
            return class >> 16 == 0x03 ||
                   (vendors[i].accelerators && class >> 16 == 0x12);
    return false;
}

static void ask_memory(int folder, struct device *d)
{
    unsigned long long total, used;
    if (!read_number(folder, d->bus_id, "mem_info_vram_total", 10, &total) ||
        total == 0)
        return;
    d->memory_total = quantity_of((double)total, ORIGIN_MEASURED);
    if (!read_number(folder, d->bus_id, "mem_info_vram_used", 10, &used) ||
        used > total)
        return;
    d->memory_used = quantity_of((double)used, ORIGIN_MEASURED);
    d->memory_free = quantity_of((double)(total - used), ORIGIN_MEASURED);
}

static void ask_device(int folder, const char *bus_id, struct probe_list *list,
                       int *index)
{
    unsigned long long class, vendor, device;
    if (!read_number(folder, bus_id, "class", 16, &class) ||
        (class >> 16 != 0x03 && class >> 16 != 0x12) ||
        !read_number(folder, bus_id, "vendor", 16, &vendor) ||
        !read_number(folder, bus_id, "device", 16, &device) ||
        !is_gpu(class, (unsigned)vendor))
        return;
    /* NVML has said which of the machine's GPUs are ours to use */
    if (vendor == PCI_NVIDIA && list->nvml_answered)
        return;
    struct device *d = probe_add(list, "sysfs", (*index)++);
    if (!d)
        return;
    gp_copy(d->bus_id, sizeof(d->bus_id), bus_id);
    d->vendor_id = (unsigned)vendor;
    d->device_id = (unsigned)device;
    ask_memory(folder, d);
    probe_pcie(folder, bus_id, &d->pcie);
    probe_hwmon(folder, bus_id, d);
    if (vendor == PCI_NVIDIA)
        gp_copy(d->error, sizeof(d->error), list->nvml_reason);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

void probe_sysfs(struct probe_list *list)
{
    const char *root = secure_getenv("GPUPLAN_SYSFS");
    char path[GP_PATH_MAX];
    struct dirent **names = NULL;
    size_t before = list->count;
    int index = 0;
    int folder = -1, count = -1;
    if (path_join(path, sizeof(path), root && *root ? root : "/sys", "bus/pci/devices"))
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0)
        count = scandir(path, &names, visible, alphasort);
    for (int i = 0; i < count; i++) {
        ask_device(folder, names[i]->d_name, list, &index);
        free(names[i]);
    }
    free(names);
    if (folder >= 0)
        close(folder);
    if (count < 0)
        gp_copy(list->sysfs_reason, sizeof(list->sysfs_reason),
                "the PCI bus cannot be read");
    else if (list->count == before)
        gp_copy(list->sysfs_reason, sizeof(list->sysfs_reason),
                list->nvml_answered ? "no GPU of another maker on the PCI bus"
                                    : "no GPU on the PCI bus");
}
