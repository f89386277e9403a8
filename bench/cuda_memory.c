/*
 * cuda_memory.c - how fast device memory is read, written and copied.
 *
 * read and copy: the kernels of cuda_kernel.h; write: cudaMemset; copy-engine: cudaMemcpy
 * on the device, which was seen at half the speed of a kernel for some sizes and GPUs;
 * read-product: A of an FP16 product with one column, where there are no kernels. A copy
 * reads and writes. Buffers rotate like operands: 64 MiB under a cache of 50 MiB
 * need two copies, 16 MiB need seven; "hot" has one and says so.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bench/cuda_ctx.h"
#include "bench/cuda_kernel.h"

enum { WRITTEN = 0xa5, SPOTS = 16, SPOT = 4096, PRODUCT_DEPTH = 4096 };

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
                       cuda_kernel_run(s->kernel, s->from + at, s->bytes,
                                       s->reads ? s->to : s->to + at, s->blocks, ctx->stream),
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
    cuda_kernel_close(s->kernel);
}

static void memory_plan(struct cuda_ctx *ctx, const struct point *point, struct memory_state *s,
                        bool both, struct prepared *out)
{
    unsigned most = (unsigned)ctx->sms * 8, turn = KERNEL_THREADS * KERNEL_UNROLL;
    double each;

    s->bytes = (size_t)point->bytes / 16 * 16;
    s->stride = cuda_aligned(s->bytes);
    s->copies = 1;
    each = (both ? 2 : 1) * (double)s->stride;
    out->cold = false;
    if (point->cache != CACHE_HOT)
        s->copies = cuda_rotation(ctx, each, each, 0, &out->cold);
    s->blocks = (unsigned)((s->bytes / 16 + turn - 1) / turn);
    if (s->blocks > most)
        s->blocks = most;
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
        if (!s->from || !cuda_fill(ctx, BITS_FP32, s->from, all, 0))
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
    if ((reads || copies) && !(s->kernel = cuda_kernel_open(ctx, reads ? "gp_read" : "gp_copy")))
        return false;
    memory_plan(ctx, point, s, copies || engine, out);
    gp_copy(out->algorithm, sizeof out->algorithm,
            reads    ? "16-byte loads, 4 in flight a thread"
            : copies ? "16-byte loads and stores, 4 in flight a thread"
            : engine ? "cudaMemcpyAsync"
                     : "cudaMemsetAsync");
    return memory_allocate(ctx, s, copies || engine);
}
