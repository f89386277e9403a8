/*
 * comm.c - see comm.h.
 */
#include "plan/speed/comm.h"

#include <math.h>
#include <string.h>

#include "plan/roofline.h"

#define HOP 10e-6 /* s, aiconfigurator's figure for a transfer between two GPUs */

/* Between hosts, see comm.h. */
#define NETWORK_STEP 8e-6  /* s */
#define NETWORK_RATE 115e9 /* bytes/s of a host of 8, one direction; of fewer GPUs their share */
#define NETWORK_GPUS 8     /* that share it */

/* NCCL's latency on the GPUs' own link, times that of an engine's kernels: operator tables of A100,
 * H100 and B200, for 2, 4 and 8 GPUs. Over PCIe they are alike. */
static const double library_latency[] = {2.0, 2.8, 4.2};

int comm_size(int n)
{
    return n <= 2 ? 0 : n <= 4 ? 1 : 2;
}

static struct comm comm_over(const struct link_law *law, int n, double factor, double rate)
{
    int i = comm_size(n);
    /* beyond 8 the ring has more steps */
    double more = n > 8 ? n / 8.0 : 1;

    return (struct comm){.gpus = n,
                         .latency = factor * law->latency[i] * more,
                         .root = law->root[i],
                         .rate = law->share[i] * rate,
                         .known = law->latency[i] > 0 && rate > 0};
}

struct comm comm_of(const struct gpu *gpu, const struct family *f, int n, int host, double factor)
{
    /* a domain of the GPUs' own link may be wider than a host */
    int together = gpu->link_domain > host ? gpu->link_domain : host;
    bool spread = together > 0 && n > together;
    int within = spread ? together : n;
    bool own = f->link.latency[0] > 0 && gpu_linked(gpu, within);
    struct comm c = {.gpus = within, .known = true};

    if (within > 1 && own) {
        c = comm_over(&f->link, within, factor, gpu->link_bandwidth / 2);
    } else if (within > 1) {
        bool staged = gpu->no_peer_access && f->staged.latency[0] > 0;
        double rate = roofline_pcie(gpu->pcie_gen, gpu->pcie_lanes);

        c = comm_over(staged ? &f->staged : &f->pcie, within, factor,
                      rate > 0 ? rate : f->pcie_rate);
        c.pcie = true;
    }
    c.hop = f->hop;
    c.hosts = spread ? (n + together - 1) / together : 1;
    if (spread && !c.pcie) /* no engine's kernels reach another host */
        c.latency *= library_latency[comm_size(within)];
    return c;
}

const char *comm_library(const struct comm *c, const struct gpu *gpu)
{
    if (c->hosts <= 1 && (!c->pcie || c->gpus <= 2))
        return "the engine's own kernels";
    return strcmp(gpu->vendor, "amd") == 0 ? "RCCL" : "NCCL";
}

double comm_apart(const struct comm *c, double bytes)
{
    double others = 2.0 * (c->hosts - 1);
    double rate = NETWORK_RATE * fmin(fmax(c->gpus, 1), NETWORK_GPUS) / NETWORK_GPUS;

    return c->hosts > 1 ? others * NETWORK_STEP + others / c->hosts * bytes / rate : 0;
}

double comm_allreduce(const struct comm *c, double bytes)
{
    double apart = comm_apart(c, bytes);

    if (c->gpus <= 1 || !c->known)
        return apart;
    return apart + c->latency + c->root * sqrt(bytes / 1e6) +
           2.0 * (c->gpus - 1) / c->gpus * bytes / c->rate;
}

double comm_hop_hosts(double bytes)
{
    return HOP + NETWORK_STEP + bytes / (NETWORK_RATE / NETWORK_GPUS);
}

double comm_hop(const struct comm *c, double bytes)
{
    double rate = c->hop > 0 ? c->hop : c->rate;

    return HOP + (rate > 0 ? bytes / rate : 0);
}
