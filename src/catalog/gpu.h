/*
 * gpu.h - the facts of one accelerator that a plan needs.
 *
 * Memory has two sizes: what the driver's tool prints (physical) and what a program
 * can use (usable): 79.65 and 79.19 GiB on an H100. Plans use the second; where nobody
 * has seen it, it is derived from the first with a band (gpu_usable).
 * A rate of 0 means the hardware has no such mode; unknown means nobody told us.
 */
#ifndef GP_CATALOG_GPU_H
#define GP_CATALOG_GPU_H

#include "base/err.h"
#include "base/quantity.h"
#include "model/format.h"

#define GPU_ID_MAX 48
#define GPU_MAX_SLICES 12

struct gpu_slice {              /* one MIG profile */
    char profile[24];           /* "3g.40gb" */
    double memory;              /* bytes, as the profile's name promises */
    int compute, compute_of;    /* slices of the GPU's compute */
    int memory_part, memory_of; /* memory slices: part of total; 0 = unknown */
    int max_count;              /* of this profile on one GPU; 0 = unknown */
};

struct family; /* speed/family.h */
struct gpu;

/* Unlike GPUs that serve one model together, in the order of their pipeline stages. Engines
 * that split layers by memory (llama.cpp) give stage i those from act * share[i] on, act the
 * layers and the output matrix; others give each as many. */
#define GPU_MIX_MAX 8
struct gpu_mix {
    int count;
    const struct gpu *at[GPU_MIX_MAX];
    double share[GPU_MIX_MAX + 1]; /* of the layers, summed: 0 .. 1 */
    double uneven;                 /* the slowest stage's time over the mean; 1 = all alike */
};

struct gpu {
    char id[GPU_ID_MAX];
    char name[80];
    char vendor[16];
    char architecture[32];
    char form_factor[40];
    char memory_type[32];             /* "GDDR6X", "HBM3" */
    char nvml_names[160];             /* '|' separated, as the driver prints them */
    char pci_ids[160];                /* '|' separated "10de:2330" */
    int compute_capability;           /* 90 for 9.0; 0 = not an NVIDIA GPU */
    double memory_marketed;           /* bytes: 80e9 */
    struct quantity physical;         /* bytes, as the driver's tool prints */
    double whole;                     /* bytes of the GPU that a MIG slice is of; 0 = no slice */
    struct quantity usable;           /* bytes a program can have; unknown -> gpu_usable() */
    bool in_set;                      /* one of several in a file: planned where it is named */
    bool memory_only;                 /* neither planned for speed nor priced */
    bool host;                        /* the processors of this machine: its memory is the host's */
    struct quantity bandwidth;        /* bytes/s */
    struct quantity l2;               /* bytes */
    struct quantity rate[MATH_COUNT]; /* FLOP/s dense, FP32 accumulate */
    struct quantity rate_fp16acc;     /* FLOP/s, FP16 accumulate */
    struct quantity power;            /* W, board or module limit */
    char interconnect[32];            /* "nvlink4", "pcie", "xgmi" */
    double link_bandwidth;            /* bytes/s, all links, both directions; 0 = none */
    int link_domain;                  /* GPUs that reach each other over it; 0 = unknown, 1 = a
                                 * MIG slice, which reaches no other */
    int joined;                      /* hosts that are sold to be joined for TP; 0 = none */
    int pcie_gen, pcie_lanes;
    bool no_peer_access; /* GPUs on PCIe reach each other through host memory alone */
    int sm_count, boost_mhz;
    int mig_max; /* instances; 0 = no MIG */
    int slice_count;
    struct gpu_slice slice[GPU_MAX_SLICES];
    struct quantity launch_price, street_price; /* dollars */
    char street_as_of[16], street_source[128];
    int release_year;
    char confidence[8]; /* "high", "medium", "low" */
    char note[320];
    char source[512];
    char family_id[32];          /* profiles/families/ID.cfg; "" = by its architecture */
    const struct gpu_mix *mix;   /* borrowed; NULL = all GPUs of a plan are this one */
    const struct family *family; /* borrowed; NULL = no profile of its generation */
};

/* Usable bytes: the profile's figure; else physical less 0.2..2.0 % (what has been
 * seen: H100 0.6 %, A100-80 1.1 %, L40S 1.3 %, RTX 3090 1.8 %), origin model. */
struct quantity gpu_usable(const struct gpu *gpu);

/* An accelerator of which no more than the memory is known, and so not what engines add there;
 * "24GB" is a GPU like any, without a speed. */
bool gpu_is_foreign(const struct gpu *gpu);

/* Is its memory the host's, so that nothing is gained by keeping some of it there? */
bool gpu_shares_memory(const struct gpu *gpu);

/* Is it the one of its computer, and nobody joins two of those: a laptop's, a Jetson's? */
bool gpu_is_alone(const struct gpu *gpu);

/* Do n of them reach each other over a link of their own (NVLink, xGMI)? */
bool gpu_linked(const struct gpu *gpu, int n);

/* Is its 16-bit arithmetic assumed from its bandwidth, as no sheet names it? */
bool gpu_rate_assumed(const struct gpu *gpu);
/* One GPU in place of mix->at[0 .. count): means of their figures, rates weighed by the layers
 * that each has, so that a step's time is the sum of theirs; *mix: share and uneven. by_memory:
 * layers by usable memory, else as many on each. Worked: RTX 5090 and 5070 Ti, 31.8 and 15.7
 * GiB: two thirds of the layers at 1,792 GB/s, a third at 896: 1,344 GB/s. */
void gpu_mixed(struct gpu_mix *mix, bool by_memory, struct gpu *out);

/* "H100 SXM5 80GB": the name without the vendor's. */
const char *gpu_short_name(const struct gpu *gpu);

/* The GPU that a MIG slice of it is: memory, rates, bandwidth and id ("h100/3g.40gb")
 * replaced, links gone. GP_E_USAGE names the profiles there are. */
enum gp_status gpu_slice_of(const struct gpu *gpu, const char *profile, struct gpu *out,
                            struct gp_err *err);

#endif
