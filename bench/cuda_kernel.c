/*
 * cuda_kernel.c - the driver's functions and the PTX of cuda_kernel.h.
 *
 * Four independent 16-byte loads are in flight per thread and turn, 64 bytes; with 2048
 * threads on each of 132 SMs that is 17 MB, more than latency x bandwidth of any GPU
 * (3.3 TB/s x 1 us = 3.3 MB).
 */
#include "bench/cuda_kernel.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char ptx[] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry gp_read(.param .u64 p_from, .param .u64 p_count, .param .u64 "
    "p_out)\n"
    "{\n"
    ".reg .pred %p<3>;\n"
    ".reg .b32 %r<32>;\n"
    ".reg .b64 %d<16>;\n"
    "ld.param.u64 %d1, [p_from];\n"
    "ld.param.u64 %d2, [p_count];\n" /* 16-byte words */
    "ld.param.u64 %d3, [p_out];\n"
    "cvta.to.global.u64 %d1, %d1;\n"
    "cvta.to.global.u64 %d3, %d3;\n"
    "mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %ntid.x;\n"
    "mov.u32 %r3, %tid.x;\n"
    "mov.u32 %r4, %nctaid.x;\n"
    "mad.lo.u32 %r5, %r1, %r2, %r3;\n"
    "mul.lo.u32 %r6, %r2, %r4;\n"
    "cvt.u64.u32 %d4, %r5;\n" /* i */
    "cvt.u64.u32 %d5, %r6;\n" /* threads in all */
    "mul.wide.u32 %d6, %r5, 4;\n"
    "add.u64 %d3, %d3, %d6;\n" /* where this thread's result goes */
    "shl.b64 %d7, %d5, 4;\n"   /* stride in bytes */
    "shl.b64 %d8, %d4, 4;\n"
    "add.u64 %d8, %d1, %d8;\n" /* address of word i */
    "mov.u32 %r7, 0;\n"
    "mul.lo.u64 %d9, %d5, 3;\n"
    "shl.b64 %d10, %d5, 2;\n"
    "shl.b64 %d11, %d7, 2;\n"
    "FOUR:\n"
    "add.u64 %d12, %d4, %d9;\n" /* the last of the four words */
    "setp.ge.u64 %p1, %d12, %d2;\n"
    "@%p1 bra ONE;\n"
    "add.u64 %d13, %d8, %d7;\n"
    "add.u64 %d14, %d13, %d7;\n"
    "add.u64 %d15, %d14, %d7;\n"
    "ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%d8];\n"
    "ld.global.v4.u32 {%r12, %r13, %r14, %r15}, [%d13];\n"
    "ld.global.v4.u32 {%r16, %r17, %r18, %r19}, [%d14];\n"
    "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d15];\n"
    "xor.b32 %r8, %r8, %r9;\n"
    "xor.b32 %r10, %r10, %r11;\n"
    "xor.b32 %r12, %r12, %r13;\n"
    "xor.b32 %r14, %r14, %r15;\n"
    "xor.b32 %r16, %r16, %r17;\n"
    "xor.b32 %r18, %r18, %r19;\n"
    "xor.b32 %r20, %r20, %r21;\n"
    "xor.b32 %r22, %r22, %r23;\n"
    "xor.b32 %r8, %r8, %r10;\n"
    "xor.b32 %r12, %r12, %r14;\n"
    "xor.b32 %r16, %r16, %r18;\n"
    "xor.b32 %r20, %r20, %r22;\n"
    "xor.b32 %r8, %r8, %r12;\n"
    "xor.b32 %r16, %r16, %r20;\n"
    "xor.b32 %r7, %r7, %r8;\n"
    "xor.b32 %r7, %r7, %r16;\n"
    "add.u64 %d4, %d4, %d10;\n"
    "add.u64 %d8, %d8, %d11;\n"
    "bra FOUR;\n"
    "ONE:\n"
    "setp.ge.u64 %p2, %d4, %d2;\n"
    "@%p2 bra DONE;\n"
    "ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%d8];\n"
    "xor.b32 %r8, %r8, %r9;\n"
    "xor.b32 %r10, %r10, %r11;\n"
    "xor.b32 %r7, %r7, %r8;\n"
    "xor.b32 %r7, %r7, %r10;\n"
    "add.u64 %d4, %d4, %d5;\n"
    "add.u64 %d8, %d8, %d7;\n"
    "bra ONE;\n"
    "DONE:\n"
    "st.global.u32 [%d3], %r7;\n"
    "ret;\n"
    "}\n";

struct cuda_kernel {
    void *library, *module, *function;
    int (*load)(void **module, const void *image);
    int (*unload)(void *module);
    int (*get)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                  unsigned by, unsigned bz, unsigned shared, void *stream,
                  void **params, void **extra);
};

static bool bind(void *library, const char *name, void *slot)
{
    void *symbol = dlsym(library, name);

    *(void **)slot = symbol;
    return symbol != NULL;
}

struct cuda_kernel *cuda_kernel_open(char *why, size_t size)
{
    struct cuda_kernel *k = calloc(1, sizeof *k);
    int status;

    if (!k) {
        snprintf(why, size, "out of host memory");
        return NULL;
    }
    k->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!k->library) {
        snprintf(why, size,
                 "the read kernel needs libcuda.so.1, which cannot be loaded");
    } else if (!bind(k->library, "cuModuleLoadData", &k->load) ||
               !bind(k->library, "cuModuleUnload", &k->unload) ||
               !bind(k->library, "cuModuleGetFunction", &k->get) ||
               !bind(k->library, "cuLaunchKernel", &k->launch)) {
        snprintf(why, size, "libcuda.so.1 lacks functions that the read kernel needs");
    } else if ((status = k->load(&k->module, ptx)) != 0 ||
               (status = k->get(&k->function, k->module, "gp_read")) != 0) {
        snprintf(why, size, "the driver does not compile the read kernel (error %d)",
                 status);
    } else {
        return k;
    }
    cuda_kernel_close(k);
    return NULL;
}

void cuda_kernel_close(struct cuda_kernel *k)
{
    if (!k)
        return;
    if (k->module)
        k->unload(k->module);
    if (k->library)
        dlclose(k->library);
    free(k);
}

cudaError_t cuda_kernel_read(struct cuda_kernel *k, const void *from, size_t bytes,
                             void *out, unsigned blocks, cudaStream_t stream)
{
    uint64_t address = (uint64_t)(uintptr_t)from, count = bytes / 16;
    uint64_t result = (uint64_t)(uintptr_t)out;
    void *params[] = {&address, &count, &result};

    /* the driver's numbers are the runtime's since CUDA 10.1 */
    return (cudaError_t)k->launch(k->function, blocks, 1, 1, KERNEL_THREADS, 1, 1, 0,
                                  stream, params, NULL);
}
