/*
 * cuda_kernel.c - the driver's functions and the PTX of cuda_kernel.h.
 *
 * Four independent 16-byte loads are in flight per thread and turn, 64 bytes; with 2048
 * threads on each of 132 SMs that is 17 MB, more than latency x bandwidth of any GPU
 * (3.3 TB/s x 1 us = 3.3 MB).
 */
#include "bench/cuda_kernel.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/mem.h"

/* Both kernels: thread i of all takes the 16-byte words i, i + threads, ... and has four of
 * them in flight while there are four left. %d8 is the address of the word it is at, %d12
 * (a copy) that of its target; %d4 is its number, %d2 how many there are. */
#define PTX_BEGIN(name)                                                  \
    ".visible .entry " name "(.param .u64 p_from, .param .u64 p_count, " \
    ".param .u64 p_to)\n"                                                \
    "{\n"                                                                \
    ".reg .pred %p<3>;\n"                                                \
    ".reg .b32 %r<32>;\n"                                                \
    ".reg .b64 %d<32>;\n"                                                \
    "ld.param.u64 %d1, [p_from];\n"                                      \
    "ld.param.u64 %d2, [p_count];\n"                                     \
    "ld.param.u64 %d3, [p_to];\n"                                        \
    "cvta.to.global.u64 %d1, %d1;\n"                                     \
    "cvta.to.global.u64 %d3, %d3;\n"                                     \
    "mov.u32 %r1, %ctaid.x;\n"                                           \
    "mov.u32 %r2, %ntid.x;\n"                                            \
    "mov.u32 %r3, %tid.x;\n"                                             \
    "mov.u32 %r4, %nctaid.x;\n"                                          \
    "mad.lo.u32 %r5, %r1, %r2, %r3;\n"                                   \
    "mul.lo.u32 %r6, %r2, %r4;\n"                                        \
    "cvt.u64.u32 %d4, %r5;\n" /* i */                                    \
    "cvt.u64.u32 %d5, %r6;\n" /* threads in all */                       \
    "shl.b64 %d7, %d5, 4;\n"  /* stride in bytes */                      \
    "shl.b64 %d8, %d4, 4;\n"                                             \
    "add.u64 %d12, %d3, %d8;\n"                                          \
    "add.u64 %d8, %d1, %d8;\n"                                           \
    "mul.lo.u64 %d9, %d5, 3;\n"                                          \
    "shl.b64 %d10, %d5, 2;\n"                                            \
    "shl.b64 %d11, %d7, 2;\n"

/* To ONE, unless there are four; loads them. */
#define PTX_FOUR                                                 \
    "FOUR:\n"                                                    \
    "add.u64 %d13, %d4, %d9;\n" /* the last of the four words */ \
    "setp.ge.u64 %p1, %d13, %d2;\n"                              \
    "@%p1 bra ONE;\n"                                            \
    "add.u64 %d13, %d8, %d7;\n"                                  \
    "add.u64 %d14, %d13, %d7;\n"                                 \
    "add.u64 %d15, %d14, %d7;\n"                                 \
    "ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%d8];\n"          \
    "ld.global.v4.u32 {%r12, %r13, %r14, %r15}, [%d13];\n"       \
    "ld.global.v4.u32 {%r16, %r17, %r18, %r19}, [%d14];\n"       \
    "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d15];\n"       \
    "add.u64 %d4, %d4, %d10;\n"                                  \
    "add.u64 %d8, %d8, %d11;\n"

/* To DONE, unless there is one; loads it. */
#define PTX_ONE                                         \
    "bra FOUR;\n"                                       \
    "ONE:\n"                                            \
    "setp.ge.u64 %p2, %d4, %d2;\n"                      \
    "@%p2 bra DONE;\n"                                  \
    "ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%d8];\n" \
    "add.u64 %d4, %d4, %d5;\n"                          \
    "add.u64 %d8, %d8, %d7;\n"

static const char ptx[] = ".version 6.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
    /* each thread's XOR of its words goes to word i of 4 bytes */
    PTX_BEGIN("gp_read") "mul.wide.u32 %d6, %r5, 4;\n"
                         "add.u64 %d3, %d3, %d6;\n"
                         "mov.u32 %r7, 0;\n" PTX_FOUR "xor.b32 %r8, %r8, %r9;\n"
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
                         "xor.b32 %r7, %r7, %r16;\n" PTX_ONE "xor.b32 %r8, %r8, %r9;\n"
                         "xor.b32 %r10, %r10, %r11;\n"
                         "xor.b32 %r7, %r7, %r8;\n"
                         "xor.b32 %r7, %r7, %r10;\n"
                         "bra ONE;\n"
                         "DONE:\n"
                         "st.global.u32 [%d3], %r7;\n"
                         "ret;\n"
                         "}\n" PTX_BEGIN("gp_copy") PTX_FOUR
    "add.u64 %d16, %d12, %d7;\n"
    "add.u64 %d17, %d16, %d7;\n"
    "add.u64 %d18, %d17, %d7;\n"
    "st.global.v4.u32 [%d12], {%r8, %r9, %r10, %r11};\n"
    "st.global.v4.u32 [%d16], {%r12, %r13, %r14, %r15};\n"
    "st.global.v4.u32 [%d17], {%r16, %r17, %r18, %r19};\n"
    "st.global.v4.u32 [%d18], {%r20, %r21, %r22, %r23};\n"
    "add.u64 %d12, %d12, %d11;\n" PTX_ONE "st.global.v4.u32 [%d12], {%r8, %r9, %r10, %r11};\n"
    "add.u64 %d12, %d12, %d7;\n"
    "bra ONE;\n"
    "DONE:\n"
    "ret;\n"
    "}\n";

struct cuda_kernel {
    void *library, *module, *function;
    int (*load)(void **module, const void *image);
    int (*unload)(void *module);
    int (*get)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned shared, void *stream, void **params, void **extra);
};

static bool kernel_bind(void *library, const char *name, void *slot)
{
    return (*(void **)slot = dlsym(library, name)) != NULL;
}

struct cuda_kernel *cuda_kernel_open(struct cuda_ctx *ctx, const char *name)
{
    struct cuda_kernel *k = gp_calloc(1, sizeof *k);
    int status;

    k->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!k->library)
        cuda_refuse(ctx, POINT_UNSUPPORTED, "a kernel needs libcuda.so.1, which cannot be loaded");
    else if (!kernel_bind(k->library, "cuModuleLoadData", &k->load) ||
             !kernel_bind(k->library, "cuModuleUnload", &k->unload) ||
             !kernel_bind(k->library, "cuModuleGetFunction", &k->get) ||
             !kernel_bind(k->library, "cuLaunchKernel", &k->launch))
        cuda_refuse(ctx, POINT_UNSUPPORTED, "libcuda.so.1 lacks functions that a kernel needs");
    else if ((status = k->load(&k->module, ptx)) != 0 ||
             (status = k->get(&k->function, k->module, name)) != 0)
        cuda_refuse(ctx, POINT_UNSUPPORTED, "the driver does not compile %s (error %d)", name,
                    status);
    else
        return k;
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

cudaError_t cuda_kernel_run(struct cuda_kernel *k, const void *from, size_t bytes, void *to,
                            unsigned blocks, cudaStream_t stream)
{
    uint64_t address = (uint64_t)(uintptr_t)from, count = bytes / 16;
    uint64_t target = (uint64_t)(uintptr_t)to;
    void *params[] = {&address, &count, &target};

    /* the driver's numbers are the runtime's since CUDA 10.1 */
    return (cudaError_t)k->launch(k->function, blocks, 1, 1, KERNEL_THREADS, 1, 1, 0, stream,
                                  params, NULL);
}
