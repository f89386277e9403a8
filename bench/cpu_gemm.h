/*
 * cpu_gemm.h - linear layers on the CPU: y[n, m] = x[n, k] * W[m, k]^T, row-major.
 *
 * A struct gemm_library is what a math library must do; oneDNN is used where it is built
 * in, else BLAS (FP32 only), else nothing. Weights are put into the library's own layout
 * ahead of time, as a framework does when it loads a model, and that is not timed.
 *
 * A struct cpu_gemm is one such layer with `weights` packed copies and `rows` copies of x
 * and y: rotating copies of one matrix (gemm.c), or the matrices of many layers (decode).
 * All copies hold the same values at other addresses, which is what a cache goes by.
 */
#ifndef GP_BENCH_CPU_GEMM_H
#define GP_BENCH_CPU_GEMM_H

#include "bench/backend.h"
#include "bench/cpu_pool.h"
#include "bench/number.h"

struct refusal; /* cpu_engine.h */

struct gemm_shape {
    enum bench_type type;
    int64_t m, n, k;
};

/* What the library made of a shape. */
struct gemm_made {
    void *op;
    enum number x, w, y; /* how the three are stored before packing */
    size_t packed;       /* bytes of W in the library's layout */
    bool emulated;       /* the processor has no instruction for this type */
    char algorithm[96];
};

enum gemm_operand { GEMM_W, GEMM_X, GEMM_Y, GEMM_OPERANDS }; /* W as it is packed */

struct gemm_library {
    const char *name;
    void (*version)(char *text, size_t size);
    const void *(*place)(void); /* an address in the library's file; NULL: it is the engine */
    /* The isa the library uses, as it names it; "" = it does not say. */
    void (*isa)(char *text, size_t size);
    void (*threads)(int threads);
    bool (*make)(const struct gemm_shape *shape, struct gemm_made *out, struct refusal *why);
    bool (*pack)(void *op, void *w, void *packed);
    /* A library's handle of an operand; NULL = failed. */
    void *(*operand)(void *op, enum gemm_operand which, void *data);
    void (*forget)(void *handle);
    bool (*execute)(void *op, void *weights, void *input, void *output);
    bool (*wait)(void *op);
    void (*free)(void *op);
};

/* The math library built in; NULL = none. */
const struct gemm_library *cpu_gemm_library(void);
void cpu_gemm_threads(int threads);
extern const struct gemm_library gemm_onednn, gemm_blas;

struct cpu_gemm;

/* Asks the library; nothing large is allocated yet. NULL: refused. */
struct cpu_gemm *cpu_gemm_new(const struct gemm_shape *shape, struct refusal *why);
/* Allocates and fills as the settings say; `weights` packed copies, `rows` copies of x and y. */
bool cpu_gemm_fill(struct cpu_gemm *gemm, struct cpu_pool *pool, int weights, int rows,
                   const struct method_settings *settings, struct refusal *why);
bool cpu_gemm_run(struct cpu_gemm *gemm, int weights, int rows);
bool cpu_gemm_wait(struct cpu_gemm *gemm);
void cpu_gemm_check(struct cpu_gemm *gemm, struct check *out);
/* Keeps the result that was made last; is the last one the same bit for bit? All copies hold the
 * same values, so that it does not matter of which. */
bool cpu_gemm_keep(struct cpu_gemm *gemm);
bool cpu_gemm_same(const struct cpu_gemm *gemm);
void cpu_gemm_free(struct cpu_gemm *gemm);

const struct gemm_made *cpu_gemm_made(const struct cpu_gemm *gemm);
double cpu_gemm_row_bytes(const struct cpu_gemm *gemm);    /* of one x and one y */
double cpu_gemm_source_bytes(const struct cpu_gemm *gemm); /* W before packing */

/* Aligned to a page; NULL when there is no memory for it. */
void *cpu_alloc(size_t bytes);
void cpu_release(void *base, size_t bytes);

#endif
