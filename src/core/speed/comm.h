/*
 * comm.h - what GPUs of a layout say to each other in a step.
 *
 *   all-reduce   m * latency + root*sqrt(S / 1 MB) + 2(n-1)/n * S / rate
 *   hop          S / rate + 10 us       between pipeline stages
 *
 * S bytes, n GPUs. Over the GPUs' own link (NVLink, xGMI) where its domain holds all of
 * them, else over PCIe. m is the engine's factor.
 *
 * Example: 8 H100 over NVLink, one token of h = 8192 in 16 bit: 16 KB: 1.35 * 4.0 us +
 * 8 us * 0.128 + 0.06 us = 6.5 us.
 */
#ifndef GP_CORE_SPEED_COMM_H
#define GP_CORE_SPEED_COMM_H

#include <stdbool.h>

#include "core/gpu.h"
#include "core/speed/family.h"

struct comm {
    int gpus;
    double latency, root; /* s; root per sqrt(MB) */
    double rate;          /* bytes/s in one direction */
    bool pcie;            /* not over a link of the GPUs' own */
    bool known;           /* false: nothing is known of the link */
};

/* n GPUs of a group; factor: the engine's on the latency. */
struct comm comm_of(const struct gpu *gpu, const struct family *family, int n,
                    double factor);

double comm_allreduce(const struct comm *comm, double bytes); /* s */
double comm_hop(const struct comm *comm, double bytes);       /* s */

#endif
