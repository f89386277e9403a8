/*
 * cuda_memory.c - how fast device memory is read, written and copied.
 *
 * The two kernels of our own are kept as PTX text that the driver compiles (dlopen of
 * libcuda.so.1), so that no CUDA compiler is needed. gp_read: every thread XORs 16-byte words of
 * the buffer in a grid stride and stores its result: nothing can be optimised away, and the XOR of
 * all results is the XOR of the buffer, which the host can check. gp_copy stores them instead. Four
 * independent 16-byte loads are in flight per thread and turn, 64 bytes; with 2048 threads on each
 * of 132 SMs that is 17 MB, more than latency x bandwidth of an H100 (3.3 TB/s x 0.8 us = 2.7 MB)
 * or a B200 (8 TB/s x 0.8 us = 6.4 MB).
 *
 * All blocks are resident at once, or the last of them would run nearly alone: 36 to 40 registers
 * let 6 blocks of 256 threads onto an SM, so 8 are demanded of the compiler, which then takes 32
 * without a spill on 9.0 and 10.0 (ptxas 13.0); an SM of 1024 or 1536 threads holds 4 or 6, and the
 * driver says how many. And each thread has as many turns: 256 MiB are 16384 turns of a block, 16
 * for each of 1024 rather than 15.5 of 1056, whose rest would be loaded word by word.
 *
 * read and copy: those kernels; write: cudaMemset; copy-engine: cudaMemcpy on the device, which was
 * seen at half the speed of a kernel for some sizes and GPUs; read-product: A of an FP16 product
 * with one column, where there are no kernels. A copy reads and writes. Buffers rotate like
 * operands: 64 MiB under a cache of 50 MiB need two copies, 16 MiB need seven; "hot" has one and
 * says so.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "bench/cuda_ctx.h"

enum { KERNEL_THREADS = 256, KERNEL_UNROLL = 4, KERNEL_BLOCKS = 8 /* on an SM, wanted */ };

enum { WRITTEN = 0xa5, SPOTS = 16, SPOT = 4096, PRODUCT_DEPTH = 4096 };

/* ---- the kernels ---- */

/* Both kernels: thread i of all takes the 16-byte words i, i + threads, ... and has four of
 * them in flight while there are four left. %d8 is the address of the word it is at, %d12
 * (a copy) that of its target; %d4 is its number, %d2 how many there are. */
#define PTX_BEGIN(name)                                                  \
    ".visible .entry " name "(.param .u64 p_from, .param .u64 p_count, " \
    ".param .u64 p_to)\n"                                                \
    ".maxntid 256, 1, 1\n"                                               \
    ".minnctapersm 8\n"                                                  \
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
    int (*resident)(int *blocks, void *function, int threads, size_t shared); /* on an SM */
};

static bool kernel_bind(void *library, const char *name, void *slot)
{
    return (*(void **)slot = dlsym(library, name)) != NULL;
}

static void kernel_close(struct cuda_kernel *k)
{
    if (!k)
        return;
    if (k->module)
        k->unload(k->module);
    if (k->library)
        dlclose(k->library);
    free(k);
}

/* "gp_read" or "gp_copy"; NULL, and refused, where the driver cannot be had or does not
 * compile. The device's context must exist. */
static struct cuda_kernel *kernel_open(struct cuda_ctx *ctx, const char *name)
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
    kernel_close(k);
    return NULL;
}

/* Turns of a block in all, shared evenly among as many blocks as can be resident. */
static unsigned kernel_blocks(const struct cuda_ctx *ctx, struct cuda_kernel *k, size_t bytes)
{
    size_t turn = KERNEL_THREADS * KERNEL_UNROLL, turns = (bytes / 16 + turn - 1) / turn;
    int blocks = KERNEL_BLOCKS;

    if (kernel_bind(k->library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", &k->resident) &&
        (k->resident(&blocks, k->function, KERNEL_THREADS, 0) != 0 || blocks < 1))
        blocks = KERNEL_BLOCKS;
    size_t most = (size_t)ctx->sms * (size_t)blocks;
    most = (turns + most - 1) / most; /* turns of each */
    return (unsigned)((turns + most - 1) / most);
}

/* `to` gets blocks x KERNEL_THREADS words of 32 bits (gp_read), or `bytes` (gp_copy), a
 * multiple of 16. */
static cudaError_t kernel_run(struct cuda_kernel *k, const void *from, size_t bytes, void *to,
                              unsigned blocks, cudaStream_t stream)
{
    uint64_t address = (uint64_t)(uintptr_t)from, count = bytes / 16;
    uint64_t target = (uint64_t)(uintptr_t)to;
    void *params[] = {&address, &count, &target};

    /* the driver's numbers are the runtime's since CUDA 10.1 */
    return (cudaError_t)k->launch(k->function, blocks, 1, 1, KERNEL_THREADS, 1, 1, 0, stream,
                                  params, NULL);
}

/* ---- the test ---- */

struct memory_state {
    size_t bytes, stride;
    int copies;
    char *from, *to;
    unsigned blocks;
    bool reads;
    struct cuda_kernel *kernel; /* NULL: the runtime does it */
};

static bool memory_enqueue(struct cuda_ctx *ctx, int variant, int i)
{
    struct memory_state *s = ctx->work.state;
    size_t at = (size_t)(i % s->copies) * s->stride;

    (void)variant;
    if (s->kernel) /* a launch that is refused leaves the device as it was */
        return cuda_ok(ctx,
                       kernel_run(s->kernel, s->from + at, s->bytes, s->reads ? s->to : s->to + at,
                                  s->blocks, ctx->stream),
                       s->reads ? "read kernel" : "copy kernel");
    if (s->from)
        return cuda_ok(ctx,
                       cudaMemcpyAsync(s->to + at, s->from + at, s->bytes, cudaMemcpyDeviceToDevice,
                                       ctx->stream),
                       "copy on the device");
    return cuda_ok(ctx, cudaMemsetAsync(s->to + at, WRITTEN, s->bytes, ctx->stream), "memset");
}

static uint32_t xor_of(const uint32_t *words, size_t count)
{
    uint32_t x = 0;

    for (size_t i = 0; i < count; i++)
        x ^= words[i];
    return x;
}

/* The XOR of the whole buffer, by the host, piece by piece. */
static bool xor_buffer(struct cuda_ctx *ctx, const char *from, size_t bytes, uint32_t *x)
{
    size_t piece = 16u << 20, n;
    uint32_t *host = cuda_host(ctx, piece);
    bool ok = host != NULL;

    *x = 0;
    for (size_t done = 0; ok && done < bytes; done += n) {
        n = bytes - done < piece ? bytes - done : piece;
        ok = cuda_fetch(ctx, host, from + done, n, "copy of a buffer");
        *x ^= ok ? xor_of(host, n / 4) : 0;
    }
    free(host);
    return ok;
}

static void check_read(struct cuda_ctx *ctx, struct memory_state *s, struct check *out)
{
    size_t count = (size_t)s->blocks * KERNEL_THREADS;
    uint32_t *got = cuda_fetch_new(ctx, s->to, count * 4, "copy of a result"), want = 0;

    out->done = got && xor_buffer(ctx, s->from, s->bytes, &want);
    out->n = out->done;
    out->ok = out->done && xor_of(got, count) == want;
    if (out->done && !out->ok)
        gp_copy(out->why, sizeof out->why, "the words read are not those in memory");
    free(got);
}

static void check_spots(struct cuda_ctx *ctx, struct memory_state *s, struct check *out)
{
    static char want[SPOT], got[SPOT];
    size_t length = s->bytes < SPOT ? s->bytes : SPOT;

    memset(want, WRITTEN, sizeof want);
    out->ok = out->done = true;
    for (int i = 0; i < SPOTS && out->done; i++) {
        size_t at = (s->bytes - length) / (SPOTS - 1) * (size_t)i;

        out->done = cuda_fetch(ctx, got, s->to + at, length, "copy of a result") &&
                    (!s->from || cuda_fetch(ctx, want, s->from + at, length, "copy"));
        out->ok = out->ok && memcmp(want, got, length) == 0;
        out->n++;
    }
    if (out->done && !out->ok)
        gp_copy(out->why, sizeof out->why, "memory does not read back as written");
}

static void memory_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct memory_state *s = ctx->work.state;
    size_t written = s->reads ? 4 : s->bytes;

    if (!cuda_ok(ctx, cudaMemsetAsync(s->to, 0, written, ctx->stream), "poison") ||
        !memory_enqueue(ctx, variant, 0) || !cuda_wait(ctx, "check"))
        return;
    if (s->reads)
        check_read(ctx, s, out);
    else
        check_spots(ctx, s, out);
}

static void memory_release(struct cuda_ctx *ctx)
{
    struct memory_state *s = ctx->work.state;

    cuda_give(ctx, s->from);
    cuda_give(ctx, s->to);
    kernel_close(s->kernel);
}

static void memory_plan(struct cuda_ctx *ctx, const struct point *point, struct memory_state *s,
                        bool both, struct prepared *out)
{
    s->bytes = (size_t)point->bytes / 16 * 16;
    s->stride = cuda_aligned(s->bytes);
    s->copies = 1;
    double each = (both ? 2 : 1) * (double)s->stride;
    out->cold = false;
    if (point->cache != CACHE_HOT)
        s->copies = cuda_rotation(ctx, each, each, 0, &out->cold);
    if (s->kernel)
        s->blocks = kernel_blocks(ctx, s->kernel, s->bytes);
    out->rotation = s->copies;
    out->bytes = each * s->copies;
}

/* Weights of 16 bits for one token: what is read is A, and next to nothing else. */
static bool prepare_product(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    struct point product = {.test = TEST_GEMM,
                            .type = TYPE_FP16,
                            .m = (int64_t)point->bytes / (PRODUCT_DEPTH * 2),
                            .n = 1,
                            .k = PRODUCT_DEPTH,
                            .cache = point->cache == CACHE_HOT ? CACHE_HOT : CACHE_WEIGHTS_COLD};

    if ((double)(product.m * product.k * 2) != point->bytes)
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "a matrix of %d rows has no %.0f bytes",
                           PRODUCT_DEPTH, point->bytes);
    gp_copy(product.id, sizeof product.id, point->id);
    if (!cuda_gemm_prepare(ctx, &product, out))
        return false;
    ctx->work.name = point->id; /* the product's ends here */
    return true;
}

static bool memory_allocate(struct cuda_ctx *ctx, struct memory_state *s, bool copies)
{
    size_t all = s->stride * (size_t)s->copies;
    size_t sums = (size_t)s->blocks * KERNEL_THREADS * 4;

    if (s->reads || copies) {
        s->from = cuda_take(ctx, (double)all);
        if (!s->from || !cuda_fill(ctx, FILL_UNIFORM, NUMBER_F32, s->from, all, 0))
            return false;
    }
    s->to = cuda_take(ctx, (double)(s->reads ? sums : all));
    return s->to && cuda_wait(ctx, "fill");
}

bool cuda_memory_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    static const struct cuda_work work = {
        .enqueue = memory_enqueue, .check = memory_check, .release = memory_release};
    bool reads = point->kind == KIND_READ;
    bool copies = point->kind == KIND_COPY;
    bool engine = point->kind == KIND_COPY_ENGINE;
    struct memory_state *s;

    if (point->bytes < 16 || point->bytes > 0x1p50)
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "a size of %.0f bytes", point->bytes);
    if (point->kind == KIND_READ_PRODUCT)
        return prepare_product(ctx, point, out);
    s = cuda_begin(ctx, point, &work, sizeof *s);
    s->reads = reads;
    if ((reads || copies) && !(s->kernel = kernel_open(ctx, reads ? "gp_read" : "gp_copy")))
        return false;
    memory_plan(ctx, point, s, copies || engine, out);
    if (s->kernel)
        ctx->params = json_pack("{s:I}", "blocks", (json_int_t)s->blocks);
    gp_copy(out->algorithm, sizeof out->algorithm,
            reads    ? "16-byte loads, 4 in flight a thread"
            : copies ? "16-byte loads and stores, 4 in flight a thread"
            : engine ? "cudaMemcpyAsync"
                     : "cudaMemsetAsync");
    return memory_allocate(ctx, s, copies || engine);
}
