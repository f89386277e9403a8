/*
 * family.h - what GPUs of one generation make of their data sheet.
 *
 * A data sheet gives peak rates; kernels reach a share of them that depends on the
 * generation and on the format of the weights. Those shares, and what a link or a launch
 * costs, are read from profiles/families/, each fitted or measured as its file says. A
 * share of 0 is unknown: family_product() then falls back on a kernel that is alike and
 * says so.
 *
 * Example, Hopper, BF16: products reach 0.80 of the arithmetic and 0.88 of the bandwidth;
 * prefill attention 0.50 of the BF16 rate; reads of the KV cache 0.82 of the bandwidth.
 */
#ifndef GP_CATALOG_FAMILY_H
#define GP_CATALOG_FAMILY_H

#include <stdbool.h>

#include "catalog/gpu.h"
#include "model/format.h"

/* How a matrix product runs. X(NAME, a profile's word) */
#define KERNELS(X)                                                         \
    X(16, "16-bit") /* FP16 and BF16 */                                    \
    X(32, "fp32")                                                          \
    X(FP8, "fp8")             /* one scale per tensor or channel */        \
    X(FP8_BLOCK, "fp8-block") /* scales per block of weights, MXFP8 too */ \
    X(FP4, "fp4")             /* NVFP4: FP4 arithmetic */                  \
    X(MXFP4, "mxfp4")                                                      \
    X(INT8, "int8")      /* INT8 arithmetic */                             \
    X(W8, "w8a16")       /* 8-bit weights, 16-bit arithmetic */            \
    X(W4, "w4a16")       /* 4-bit weights, 16-bit arithmetic: AWQ, GPTQ */ \
    X(GGUF16, "gguf-16") /* llama.cpp, weights of 16 bit */                \
    X(GGUF, "gguf")      /* llama.cpp, quantized blocks */

#define X(NAME, word) KERNEL_##NAME,
enum kernel { KERNELS(X) KERNEL_COUNT };
#undef X

struct product_share {
    double compute, memory; /* of the sheet's dense rate and of its bandwidth; 0 unknown */
};

struct expert_share {
    double compute, memory;
    double each; /* s per expert that has tokens */
};

/* An all-reduce of S bytes over 2, 4 or 8 GPUs:
 * latency + root*sqrt(S / 1 MB) + 2(n-1)/n * S / (share * one direction of the link). */
#define LINK_SIZES 3
struct link_law {
    double latency[LINK_SIZES]; /* s; 0 = unknown */
    double root[LINK_SIZES];    /* s */
    double share[LINK_SIZES];
};

struct calib; /* calib.h */

struct family {
    char id[32];
    char name[64];
    double norm; /* p of the GEMM law (gemm.h) */
    bool waves;  /* products come in whole waves of tiles (gemm.h) */
    struct product_share product[KERNEL_COUNT];
    struct expert_share expert[KERNEL_COUNT];
    double expert_token;      /* s per token and layer: routing, permutation */
    double prefill_attention; /* share of the 16-bit rate */
    double kv_memory;         /* share of the bandwidth, reads of the cache */
    double kv_split;          /* pairs of sequence and KV head whose reads few of them waste */
    double mla_compute;       /* share of the 16-bit rate, MLA's decode */
    double mla_walk;          /* s per token that one block of it walks where nobody wrote a kernel
                               * for the GPU; 0 = there is one */
    double launch;            /* factor on the engine's time per kernel */
    double unpack;            /* weights/s that a core unpacks and multiplies; processors */
    double layer;             /* ... on its time per layer, where it has one (engine.h) */
    struct link_law link, pcie;
    struct link_law staged; /* PCIe without peer access: through host memory */
    double hop;             /* bytes/s of a copy between two GPUs, measured; 0 = by the law */
    struct quantity
        flop_per_byte;         /* of the bandwidth: 16-bit arithmetic where a sheet names none */
    double pcie_rate;          /* bytes/s, one direction, where a GPU's profile names no link */
    double spread;             /* factor on the bands: 1 where served speed was fitted */
    double spread_fast;        /* the same towards faster; 0 = spread */
    const struct calib *calib; /* borrowed: what was measured is in these figures; or NULL */
    char evidence[512];
    char source[320];
    char date[16];
};

/* The profile of GPUs whose own generation is not known or has no profile: their speed is by
 * their bandwidth, in a wide band. */
#define FAMILY_UNKNOWN "unknown"

const char *kernel_word(enum kernel kernel); /* "fp8-block" */

/* How weights of this format run on this GPU: a type that it has no arithmetic for is
 * unpacked to 16 bit. gguf: by llama.cpp's own kernels. */
enum kernel kernel_of(const struct format *format, const struct gpu *gpu, bool gguf);

/* Dense FLOP/s of the arithmetic that the kernel uses; 0 = unknown. */
double kernel_rate(enum kernel kernel, const struct gpu *gpu);

/* The shares of a kernel, of one that is alike where there is no figure; *alike tells. */
struct product_share family_product(const struct family *family, enum kernel kernel, bool *alike);
struct expert_share family_expert(const struct family *family, enum kernel kernel, bool *alike);

/* The share of its arithmetic that a kernel reaches, of that on cards of full rate. GeForce cards
 * add up in FP32 at half the rate of the same chip elsewhere, while all else that takes time of a
 * product is as there:
 *
 *   1 / sqrt(1 + (1/ec^2 - 1) * (rate with FP32 sums / rate with FP16 sums)^2)
 *
 * Example: ec 0.593 of an L40S is 0.827 of an RTX 4090, whose sheet has half the rate. */
double family_compute(enum kernel kernel, const struct gpu *gpu, double compute);

/* The share of the bandwidth at which a kernel reads weights, of the share that it would
 * reach without unpacking them. Those of 4 and 8 bits become 16-bit values one by one:
 *
 *   1 / hypot(1/em, 2.85 * weights per byte * BW / (64 * SMs * clock))
 *
 * MXFP4's is a shift, and its figures were fitted as they are; where a family has none of its
 * own, those of 4 bits stand in, and are unpacked. 2.85 by the A100's table of int4 products
 * (tests/accuracy/operators: 0.59 of 2,039 GB/s for 1 to 4 tokens); 64 integer lanes of a
 * multiprocessor: CUDA C++ Programming Guide, arithmetic throughput. Example: em 0.83: 0.79 on
 * an RTX 5090, 0.49 on an H200, 0.38 on a B200. Other vendors' units, and where no count is
 * known: em.
 *
 * llama.cpp's quants on Pascal (6.x), whose lanes do all else, too: 4.4 instructions per weight
 * (a P40 asks for 3.7, a GTX 1050 Ti for 5.3). Example: em 0.75: 0.44 on a GTX 1050 Ti. */
double family_unpacked(enum kernel kernel, const struct gpu *gpu, double memory);

#endif
