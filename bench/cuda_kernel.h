/*
 * cuda_kernel.h - the two kernels of our own: reading and copying memory as fast as it
 * goes.
 *
 * Kept as PTX text that the driver compiles (dlopen of libcuda.so.1), so that no CUDA
 * compiler is needed. gp_read: every thread XORs 16-byte words of the buffer in a grid
 * stride and stores its result: nothing can be optimised away, and the XOR of all results
 * is the XOR of the buffer, which the host can check. gp_copy stores them instead.
 */
#ifndef GP_BENCH_CUDA_KERNEL_H
#define GP_BENCH_CUDA_KERNEL_H

#include "bench/cuda_ctx.h"

enum { KERNEL_THREADS = 256, KERNEL_UNROLL = 4 };

struct cuda_kernel;

/* "gp_read" or "gp_copy"; NULL, and refused, where the driver cannot be had or does not
 * compile. The device's context must exist. */
struct cuda_kernel *cuda_kernel_open(struct cuda_ctx *ctx, const char *name);
void cuda_kernel_close(struct cuda_kernel *kernel);
/* `to` gets blocks x KERNEL_THREADS words of 32 bits (gp_read), or `bytes` (gp_copy), a
 * multiple of 16. */
cudaError_t cuda_kernel_run(struct cuda_kernel *kernel, const void *from, size_t bytes, void *to,
                            unsigned blocks, cudaStream_t stream);

#endif
