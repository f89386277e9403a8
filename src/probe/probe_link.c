/*
 * probe_link.c - what Linux tells of a PCI device below /sys, and of a process below
 * /proc.
 *
 * Link speeds stand there as "16.0 GT/s PCIe": 2.5, 5, 8, 16, 32 and 64 are generations
 * 1 to 6. Sensors of a card (hwmon) are in uW, thousandths of a degree and Hz.
 */
#include "probe/probe_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/path.h"
#include "util/str.h"

/* The first line of a short file. */
static bool read_line(int folder, const char *path, char *text, size_t size)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return true;
}

static bool read_number(int folder, const char *path, double *value)
{
    char text[64], *end;
    if (!read_line(folder, path, text, sizeof(text)))
        return false;
    *value = strtod(text, &end);
    return end > text;
}

static double number_of(int folder, const char *bus_id, const char *file)
{
    char path[300];
    double value = 0;
    gp_format(path, sizeof(path), "%s/%s", bus_id, file);
    return read_number(folder, path, &value) ? value : 0;
}

static int generation(double gigatransfers)
{
    static const double speeds[] = {2.5, 5, 8, 16, 32, 64};
    for (int i = 0; i < 6; i++)
        if (gigatransfers == speeds[i])
            return i + 1;
    return 0;
}

static int width(double lanes)
{
    return lanes >= 1 && lanes <= 32 ? (int)lanes : 0;
}

void probe_pcie(int folder, const char *bus_id, struct device_link *link)
{
    link->gen = generation(number_of(folder, bus_id, "current_link_speed"));
    link->gen_max = generation(number_of(folder, bus_id, "max_link_speed"));
    link->width = width(number_of(folder, bus_id, "current_link_width"));
    link->width_max = width(number_of(folder, bus_id, "max_link_width"));
}

/* The first folder below hwmon/, as "0000:e5:00.0/hwmon/hwmon3/". */
static bool find_hwmon(int folder, const char *bus_id, char *path, size_t size)
{
    char parent[64];
    gp_format(parent, sizeof(parent), "%s/hwmon", bus_id);
    int fd = openat(folder, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    bool found = false;
    if (!dir && fd >= 0)
        close(fd);
    while (dir && !found && (entry = readdir(dir)))
        if (strncmp(entry->d_name, "hwmon", 5) == 0)
            found = gp_format(path, size, "%s/%s", parent, entry->d_name);
    if (dir)
        closedir(dir);
    return found;
}

static void take(int folder, const char *hwmon, const char *file, double unit,
                 struct quantity *out)
{
    char path[300];
    double value;
    gp_format(path, sizeof(path), "%s/%s", hwmon, file);
    if (read_number(folder, path, &value) && value >= 0)
        *out = quantity_of(value * unit, ORIGIN_MEASURED);
}

void probe_hwmon(int folder, const char *bus_id, struct device *d)
{
    char hwmon[160];
    take(folder, bus_id, "gpu_busy_percent", 0.01, &d->busy);
    take(folder, bus_id, "mem_busy_percent", 0.01, &d->memory_busy);
    if (!find_hwmon(folder, bus_id, hwmon, sizeof(hwmon)))
        return;
    take(folder, hwmon, "power1_input", 1e-6, &d->power);
    take(folder, hwmon, "power1_average", 1e-6, &d->power);
    take(folder, hwmon, "power1_cap", 1e-6, &d->power_limit);
    take(folder, hwmon, "temp1_input", 1e-3, &d->temperature);
    take(folder, hwmon, "freq1_input", 1, &d->clock);
    take(folder, hwmon, "freq2_input", 1, &d->memory_clock);
}

void probe_process_name(long pid, char *name, size_t size)
{
    const char *root = secure_getenv("GPUPLAN_PROC");
    char path[GP_PATH_MAX], text[64] = "";
    gp_format(path, sizeof(path), "%s/%ld/comm", root && *root ? root : "/proc", pid);
    if (!read_line(AT_FDCWD, path, text, sizeof(text)))
        text[0] = '\0';
    gp_tame(text);
    gp_copy(name, size, text);
}
