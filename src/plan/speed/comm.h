/*
 * comm.h - what GPUs of a layout say to each other in a step.
 *
 *   all-reduce   m * latency + root*sqrt(S / 1 MB) + 2(n-1)/n * S / rate
 *   hop          S / rate + 10 us       between pipeline stages
 *
 * S bytes, n GPUs. Over the GPUs' own link (NVLink, xGMI) where its domain holds all of
 * them, else over PCIe. m is the engine's factor.
 *
 * Over H hosts each of them first reduces among its own GPUs, and the hosts' shares go
 * around over the network, on all of a host's adapters at once:
 *
 *   all-reduce   as above within a host + 2(H-1) * 8 us + 2(H-1)/H * S / 115 GB/s
 *   hop          S / (115 GB/s / 8) + 18 us
 *
 * The two figures are of 4 hosts of 8 GPUs (validation/bandwidth_measured.csv, NCCL
 * all-reduce, 32 KiB to 16 GiB; stas00/ml-engineering@744d01e18b79): which adapters a host
 * of the user's has is not known. Small messages are all latency: then within a host it is
 * NCCL's, 2 to 4.2 times that of an engine's own kernels, which do not leave their host.
 * 4 hosts of 8 B200 on EFA take 0.37 ms for 1 MiB (the same file), 7 times as long on the
 * network: COMM_SLOW, the band's upper end.
 *
 * Example: 8 H100 over NVLink, one token of h = 8192 in 16 bit: 16 KB: 1.35 * 4.0 us +
 * 8 us * 0.128 + 0.06 us = 6.5 us. 16 in 2 hosts: 4.2 * 5.4 + 1.1 + 16 + 0.1 = 40 us.
 */
#ifndef GP_PLAN_SPEED_COMM_H
#define GP_PLAN_SPEED_COMM_H

#include <stdbool.h>

#include "catalog/family.h"
#include "catalog/gpu.h"

#define COMM_SLOW 7.0 /* times as long as said a network may take */

struct comm {
    int gpus;
    double latency, root; /* s; root per sqrt(MB) */
    double rate;          /* bytes/s in one direction */
    double hop;           /* likewise of a copy between two; 0 = as the rate */
    bool pcie;            /* not over a link of the GPUs' own */
    bool known;           /* false: nothing is known of the link */
    int hosts;            /* that share the group */
};

/* n GPUs of a group, so many of them in a host; factor: the engine's on the latency. */
struct comm comm_of(const struct gpu *gpu, const struct family *family, int n, int host,
                    double factor);

/* Whose all-reduce it is: an engine has kernels of its own for the GPUs of a host on a link of
 * their own, or two on PCIe (vLLM's custom_all_reduce.py); else the vendor's. */
const char *comm_library(const struct comm *comm, const struct gpu *gpu);

int comm_size(int gpus); /* place in link_law's figures: of 2, 4 or 8 */
double comm_allreduce(const struct comm *comm, double bytes); /* s */
double comm_apart(const struct comm *comm, double bytes);     /* s of it on the network */
double comm_hop(const struct comm *comm, double bytes);       /* s */
double comm_hop_hosts(double bytes);                          /* s, to another host */

#endif
