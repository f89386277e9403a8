/*
 * gemm.h - the time of one matrix product, weights N x K times T tokens, and of experts.
 *
 *   t = ((2NKT / (ec*P))^p + (bytes / (em*BW))^p)^(1/p)
 *   bytes = NK*w + 2T(N + K)
 *
 * P the dense rate of the kernel's arithmetic, BW the memory's bandwidth, ec and em the
 * shares that the generation reaches, w bytes per weight with its scales. p-norm: near
 * the knee neither arithmetic nor memory is fully hidden behind the other. The launch is
 * no part of it: inside a step's graph the fixed time per kernel carries it (step.h).
 *
 * Where a generation's tables show it, the arithmetic is that of whole waves of tiles:
 *
 *   x = min over tiles a x b and splits s of K:
 *         ceil(ceil(T/a) * ceil(N/b) * s / SMs) * SMs * a * b * (K/s + 140) / e / (T*N*K)
 *
 * x times the arithmetic of T*N*K is issued: the last wave is not full, edges are cut, each
 * tile begins with 140 of K without result, small tiles reach e of the rate. T*x never
 * falls with T. Up to 64 tokens kernels of other shapes run, and memory decides: 1.
 *
 * Example: T 1024, N 4096, K 4096 on 188 multiprocessors: 128 tiles of 256 x 128, K in four
 * parts, are 512 in three waves of 188: 564/512 * (1024 + 140)/1024 = 1.25.
 *
 * Source: tile sizes of CUTLASS's kernels; 140 and e by the operator tables of the RTX PRO
 * 6000 (tests/accuracy/operators).
 *
 * Where the device itself was measured, factors that points of such shapes left (calib.h)
 * follow.
 *
 * An engine that runs prompts on 16-bit copies of quantized weights writes those first,
 * (w + 2)*N*K bytes, where more than 64 tokens share the product.
 *
 * Example: 28672 x 4096 in BF16 on an H100, T = 1: 0.23 GFLOP and 235 MB; ec 0.80 of
 * 989 TFLOPS, em 0.88 of 3.35 TB/s: 0.3 us and 79.7 us; p = 2.5: 79.7 us.
 *
 * Source: fits of aiconfigurator's operator tables (validation of gpuplan's own,
 * gpuplan-model(7)).
 *
 * A layer's routed experts:
 *
 *   A = E*k*T / (E - k + k*T)                        experts that T tokens reach
 *   t = sqrt((F / (ec*P))^2 + (B / (em*BW))^2) + each*A/ep + token*T + fixed
 *   F = 2*m*T*k*h*Ie / n,   B = m*A*h*Ie*w / n * imbalance + 2*T*k*(2h + m*Ie) / n
 *   imbalance = 1 + 0.3*sqrt(ep/A) where experts are spread (EP)
 *
 * m matrices (3 with a gate), n GPUs that share the layer's experts, T the tokens of all
 * of them, w bytes per weight. A is of experts whose popularity is spread exponentially: some
 * are asked for by most tokens, others by few, so that a batch reaches fewer than by a fair
 * draw. Each expert that has tokens costs a while of its own (a block of a grouped
 * product), by format.
 *
 * Where a kernel gives each expert room for a block of tokens, chosen or not, A = E and T
 * grows by that room in B: the memory is gone over, the arithmetic of empty blocks skipped.
 *
 * Example: Qwen3-235B, E 128, k 8, one token: A = 8; 64 tokens: 103.7.
 */
#ifndef GP_PLAN_SPEED_GEMM_H
#define GP_PLAN_SPEED_GEMM_H

#include <math.h>
#include <stdbool.h>

#define GEMM_OCTAVES 14

/* (a^p + b^p)^(1/p) of two times, s. */
static inline double gemm_norm(double a, double b, double p)
{
    double high = a > b ? a : b, low = a > b ? b : a;
    double q = 1 / p, z;

    if (p == 2 || low <= 0)
        return low <= 0 ? high : sqrt(a * a + b * b);
    z = pow(low / high, p);
    if (z < 1e-3) /* the series of the root, to 1e-13 */
        return high *
               (1 + z * q * (1 + z * (q - 1) / 2 * (1 + z * (q - 2) / 3 * (1 + z * (q - 3) / 4))));
    return high * pow(1 + z, q);
}

/* One product, cut for a layout; seconds and seconds per token. */
struct gemm {
    double weights;           /* reading the weights */
    double traffic;           /* reading and writing one token's values */
    double compute;           /* arithmetic of one token */
    double unpack;            /* writing the weights in 16 bit */
    double times;             /* such products in a step */
    double rows, cols;        /* N, K */
    double sms;               /* multiprocessors that work in whole waves; 0: no matter */
    bool measured;            /* near[] counts: what points of it make of the law (calib.h) */
    float near[GEMM_OCTAVES]; /* factors at 1, 2, 4 .. tokens */
};

/* Between two octaves, linear in the logarithm of the tokens. */
static inline double gemm_near(const struct gemm *g, double tokens)
{
    double x = tokens > 1 ? log2(tokens) : 0;
    int i = x < GEMM_OCTAVES - 2 ? (int)x : GEMM_OCTAVES - 2;
    double part = x - i < 1 ? x - i : 1;

    return g->near[i] + part * (g->near[i + 1] - g->near[i]);
}

double waves_issued(double tokens, double rows, double cols, double sms);

#define GEMM_UNPACKED 64 /* tokens above which they are; llama.cpp's MMQ_MAX_BATCH_SIZE */

static inline double gemm_time(const struct gemm *g, double tokens, double compute, double p)
{
    double issued = g->sms > 0 ? waves_issued(tokens, g->rows, g->cols, g->sms) : 1;
    double t =
        gemm_norm(g->compute * tokens * compute * issued, g->weights + g->traffic * tokens, p);

    if (g->measured)
        t *= gemm_near(g, tokens);
    return g->times * (tokens > GEMM_UNPACKED ? t + g->unpack : t);
}

/* Routed experts of one layer, cut for a layout. */
struct moe {
    double experts, active; /* E, k */
    double compute;         /* s of one token's arithmetic */
    double expert;          /* s of reading one expert's weights, over n GPUs */
    double traffic;         /* s of one token's values */
    double each;            /* s per active expert, / ep */
    double token;           /* s per token */
    double fixed;           /* s per layer */
    double ep;
    double pad;   /* tokens' worth of empty rows that are worked on; 0 = none */
    double times; /* such layers in a step */
};

double moe_reached(double experts, double active, double tokens);
double moe_read(const struct moe *moe, double tokens); /* A: with weights that are read */
/* compute: factor on the arithmetic's time. */
double moe_time(const struct moe *moe, double tokens, double compute); /* s */

#endif
