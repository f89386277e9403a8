/*
 * host.h - what a step waits for where weights or KV stay in host memory.
 *
 * llama.cpp and Ollama compute there what lies there, up to so many tokens a step; of longer
 * ones (prompts) each tensor is copied to the GPU first:
 *
 *   computed   sum of layers * hypot(B / (em*BW), T*W / (cores*unpack))
 *              + barriers*layers + hop*crossings + KV / (em*BW)
 *   copied     B / (copy*PCIe)
 *
 * B bytes of a layer that T tokens read (experts: of those that they reach), W weights that
 * one token multiplies, em and unpack of processors (profiles/families/cpu.cfg), copy and hop
 * of the engine. vLLM's bytes are read over PCIe by the GPU's own kernels, in every step.
 *
 * A step crosses from GPU to host and back for each layer whose experts or KV are there, and
 * once where whole layers are.
 *
 * Example: Qwen3-30B-A3B Q4_K_M, experts of 36 layers on 10 cores with 102 GB/s: 36 * 22.6 MB
 * are 0.81 GB: hypot(0.81 / 76.5, 36 * 37.7 M / 110 G) = 16.2 ms, and 72 crossings 2.2.
 */
#ifndef GP_PLAN_SPEED_HOST_H
#define GP_PLAN_SPEED_HOST_H

#include "plan/layout.h"
#include "plan/load.h"
#include "plan/request.h"

/* Layers alike: of a dense part, or of experts. */
struct host_part {
    double layers;
    double bytes, weights;  /* of one layer, or of one of its experts */
    double experts, active; /* 0 = dense */
};

struct host_load {
    bool any;
    struct host_part part[2 * MODEL_MAX_KINDS + 1];
    int parts;
    double whole[MODEL_MAX_KINDS];   /* layers of a kind that are there */
    double experts[MODEL_MAX_KINDS]; /* ... whose experts are, these among them */
    double layers;                   /* whole ones */
    double all;                      /* bytes of all layers, where a share of each is there */
    double crossings;                /* of a step */
    bool kv;                         /* all of it is there */
    bool head;                       /* the output matrix */
};

/* The processors and memory beside this GPU, where nobody told them. */
void host_guess(const struct gpu *gpu, struct host *host);

/* Is the bandwidth of the host known, where something is computed there? */
bool host_known(const struct request *request);

void host_load_sum(const struct request *request, const struct load *load, struct host_load *out);

/* Does the host compute a step of so many tokens itself? */
bool host_computes(const struct request *request, double tokens);

/* s of a step over so many tokens; without the barriers and crossings. share: of the weights
 * that a GPU of the layout has. */
double host_time(const struct host_load *load, const struct request *request, double tokens,
                 double share);
/* s of the barriers and crossings of a step that is computed there. */
double host_fixed(const struct host_load *load, const struct request *request);
/* Bytes per second that a GPU takes from host memory. */
double host_link_rate(const struct request *request);
/* Bytes per second of KV that is there. */
double host_kv_rate(const struct request *request);
/* Factors on the host's part of a step: its bandwidth's band, and the law's. */
void host_doubt(const struct request *request, double *low, double *high);

#endif
