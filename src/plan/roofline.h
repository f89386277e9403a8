/*
 * roofline.h - the least time that a data sheet allows a piece of work.
 *
 *   t = max(operations / rate, bytes / bandwidth)        on the device
 *   t = bytes / (lanes * lane rate)                      over PCIe, one direction
 *
 * rate is the sheet's dense rate of the type, bandwidth its memory bandwidth. Whichever
 * term is the larger bounds the work; with n = batch they are equal at the knee. It is
 * a bound, no estimate: launches, tails and refresh are not in it, so that what is
 * measured over it (ratio = t / measured, 0..1) says how much of the sheet a device
 * gives.
 *
 * Worked: H100 SXM, BF16 989.4 TFLOPS, 3.35 TB/s, m = 28672, k = 4096, n = 1:
 * 0.235 GFLOP take 0.24 us, 234.9 MB take 70 us: memory.  PCIe 5 x16: 32 GT/s * 16
 * lanes * 128/130 / 8 = 63.0 GB/s.
 */
#ifndef GP_PLAN_ROOFLINE_H
#define GP_PLAN_ROOFLINE_H

#include <stdbool.h>

#include "base/quantity.h"
#include "catalog/gpu.h"
#include "measure/point/test.h"
#include "plan/request.h"

enum roof_bound { ROOF_NONE, ROOF_MEMORY, ROOF_ARITHMETIC, ROOF_LINK };

struct roof {                  /* what bounds a device; an unknown quantity bounds nothing */
    struct quantity rate;      /* operations/s of the type */
    struct quantity bandwidth; /* bytes/s of its memory */
};

struct roofline {
    struct quantity time; /* s; unknown when nothing bounds it */
    enum roof_bound bound;
};

/* The roof of a GPU for a type of arithmetic; fp16acc: accumulated in FP16. */
struct roof roof_of_gpu(const struct gpu *gpu, enum format_math math, bool fp16acc);
struct roof roof_of_type(const struct gpu *gpu, enum bench_type type);

struct roofline roofline_work(const struct roof *roof, double operations, double bytes);

/* One prompt through an encoder on one GPU: each matrix of its layers once, and every token
 * attends to all. Unknown for what decodes. */
struct roofline roofline_prompt(const struct request *request);

/* Bytes over the host's link, one way; both ways at once take no longer. */
struct roofline roofline_link(const struct gpu *gpu, double bytes);
double roofline_pcie(int gen, int lanes); /* bytes/s one way; 0 = no such generation */

const char *roof_bound_word(enum roof_bound bound); /* "memory", "arithmetic", "link" */
enum roof_bound roof_bound_parse(const char *word); /* ROOF_NONE of any other */

#endif
