/* planner_cpu.c - see planner_cpu.h. */
#include "answer/planner_cpu.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "probe/cpu_host.h"

#define CORE_BANDWIDTH 12e9    /* bytes/s: some 20 lines of 64 bytes in 100 ns */
#define SOCKET_BANDWIDTH 50e9  /* two channels */
#define SERVER_BANDWIDTH 200e9 /* eight */
#define SERVER_CORES 16        /* of a socket, above which it is a server's */
#define BANDWIDTH_BAND 2.5
#define CLOCK 2.5e9 /* Hz, where none can be read */
#define CLOCK_BAND 1.8
#define FLOPS 32.0 /* per cycle, where no vectors are named */
#define USABLE 0.94
#define USABLE_LEAST 0.80
#define USABLE_MOST 0.98

static struct quantity around(double value, double band)
{
    return quantity_band(value, value / band, value * band, ORIGIN_ASSUMED);
}

static struct quantity bandwidth_of(const struct cpu_host *h)
{
    int sockets = h->sockets > 0 ? h->sockets : 1;
    double socket = h->cores / sockets > SERVER_CORES ? SERVER_BANDWIDTH : SOCKET_BANDWIDTH;

    return around(fmin(h->cores * CORE_BANDWIDTH, sockets * socket), BANDWIDTH_BAND);
}

static struct quantity rate_of(const struct cpu_host *h)
{
    double clock = h->clock > 0 ? h->clock : CLOCK;

    return around(h->cores * clock * (h->vector ? h->vector->flops : FLOPS), CLOCK_BAND);
}

static void describe(const struct cpu_host *h, struct gpu *out)
{
    char slow[32] = "";

    if (h->slow > 0)
        gp_format(slow, sizeof(slow), " (and %d slower)", h->slow);
    gp_format(out->name, sizeof(out->name), "%.40s, %d core%s%s", h->name, h->cores,
              h->cores == 1 ? "" : "s", slow);
    gp_copy(out->architecture, sizeof(out->architecture), h->vector ? h->vector->name : "CPU");
    gp_format(out->note, sizeof(out->note),
              "bandwidth and rates assumed from %d cores%s%s; gpuplan --confirm measures them",
              h->cores, h->vector ? " with " : "", h->vector ? h->vector->name : "");
    gp_copy(out->source, sizeof(out->source), "/proc/cpuinfo, /proc/meminfo, cgroups of now");
}

enum gp_status planner_cpu_gpu(struct catalog *catalog, struct gpu *out, struct gp_err *err)
{
    struct cpu_host h;

    cpu_host_read(&h);
    if (h.memory <= 0)
        return gp_fail(err, GP_E_DEVICE, "--gpu cpu", "name a GPU",
                       "cannot read how much memory this machine has");
    memset(out, 0, sizeof(*out));
    gp_copy(out->id, sizeof(out->id), CPU_ID);
    gp_copy(out->vendor, sizeof(out->vendor), CPU_ID);
    gp_copy(out->form_factor, sizeof(out->form_factor), "CPU");
    gp_copy(out->interconnect, sizeof(out->interconnect), "none");
    gp_copy(out->confidence, sizeof(out->confidence), "low");
    gp_copy(out->family_id, sizeof(out->family_id), CPU_ID);
    describe(&h, out);
    out->host = true;
    out->link_domain = 1;
    out->memory_marketed = h.memory;
    out->physical = quantity_of(h.memory, ORIGIN_MEASURED);
    out->usable = quantity_band(h.memory * USABLE, h.memory * USABLE_LEAST, h.memory * USABLE_MOST,
                                ORIGIN_ASSUMED);
    out->bandwidth = bandwidth_of(&h);
    out->rate[MATH_FP32] = out->rate[MATH_FP16] = out->rate[MATH_BF16] = rate_of(&h);
    return catalog_family(catalog, CPU_ID, &out->family, err);
}
