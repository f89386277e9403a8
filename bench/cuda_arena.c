/*
 * cuda_arena.c - device memory for operands, and random data in it.
 *
 * Zeros and constants draw less power and run faster than data, so operands are filled: 64 MiB of
 * random elements per kind are made once on the host and copied over each operand from an offset of
 * its own, an odd multiple of 256 bytes, so that no two copies are alike. They are sent on
 * ctx->stream, which waits for no other: a plain cudaMemcpy() of pageable memory may return before
 * all has arrived. A tenth of free memory is never taken; a point's budget is max_memory, by
 * default a quarter of what is free: 80 GB free -> 20 GB.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "bench/cuda_ctx.h"

enum { UNIT = 256, BLOCK_UNITS = (64 << 20) / UNIT };
#define BLOCK_SHARE (1.0 / 128) /* of free memory: 64 MiB where 8 GiB are free */

size_t cuda_aligned(size_t bytes)
{
    return (bytes + CUDA_ALIGN - 1) / CUDA_ALIGN * CUDA_ALIGN;
}

double cuda_share(struct cuda_ctx *ctx, double share)
{
    size_t free_bytes = 0, total = 0;
    double most = ctx->settings.max_memory;

    if (!cuda_ok(ctx, cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo"))
        return 0;
    if (most <= 0)
        return share * (double)free_bytes;
    return most < 0.9 * (double)free_bytes ? most : 0.9 * (double)free_bytes;
}

double cuda_budget(struct cuda_ctx *ctx)
{
    return cuda_share(ctx, METHOD_SHARE);
}

int cuda_rotation(struct cuda_ctx *ctx, double rotates, double each, double fixed, bool *cold)
{
    double room = (cuda_budget(ctx) - fixed) * rotates / each;

    return method_rotation(ctx->l2, rotates, room, cold);
}

void *cuda_begin(struct cuda_ctx *ctx, const struct point *point, const struct cuda_work *work,
                 size_t size)
{
    ctx->work = *work;
    ctx->work.name = point->id;
    return ctx->work.state = gp_calloc(1, size);
}

void *cuda_host(struct cuda_ctx *ctx, size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);

    if (!memory)
        cuda_refuse(ctx, POINT_ERROR, "out of host memory");
    return memory;
}

void *cuda_fetch_new(struct cuda_ctx *ctx, const void *from, size_t bytes, const char *what)
{
    void *host = cuda_host(ctx, bytes);

    if (host && cuda_fetch(ctx, host, from, bytes, what))
        return host;
    free(host);
    return NULL;
}

void *cuda_take(struct cuda_ctx *ctx, double bytes)
{
    void *memory = NULL;
    size_t free_bytes = 0, total = 0;

    if (bytes < CUDA_ALIGN)
        bytes = CUDA_ALIGN;
    if (bytes < 0x1p62) {
        cudaError_t error = cudaMalloc(&memory, (size_t)bytes);

        if (error == cudaSuccess)
            return memory;
        if (error != cudaErrorMemoryAllocation)
            return cuda_ok(ctx, error, "cudaMalloc"), NULL;
        cudaGetLastError();
    }
    cudaMemGetInfo(&free_bytes, &total);
    cuda_refuse(ctx, POINT_OOM, "needs %.2f GiB of device memory, %.2f GiB of %.2f are free",
                bytes / 0x1p30, (double)free_bytes / 0x1p30, (double)total / 0x1p30);
    return NULL;
}

void cuda_give(struct cuda_ctx *ctx, void *memory)
{
    if (memory)
        cuda_ok(ctx, cudaFree(memory), "cudaFree");
}

/* One more than a round number: shifted against powers of two. */
static size_t block_units(struct cuda_ctx *ctx)
{
    size_t free_bytes = 0, total = 0;

    if (!cuda_ok(ctx, cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo"))
        return 1;
    double most = BLOCK_SHARE * (double)free_bytes / UNIT;
    return most < BLOCK_UNITS ? (size_t)most + 1 : BLOCK_UNITS + 1;
}

static bool block_make(struct cuda_ctx *ctx, enum bench_fill fill, enum number bits)
{
    struct cuda_block *block = &ctx->blocks[fill][bits];
    size_t bytes = block_units(ctx) * UNIT;
    void *host = cuda_host(ctx, bytes);

    if (!host)
        return false;
    number_fill(fill, bits, host, bytes, ctx->settings.seed + (uint64_t)bits);
    bool ok = cuda_ok(ctx, cudaMalloc(&block->device, bytes), "cudaMalloc") &&
              cuda_send(ctx, block->device, host, bytes, ctx->stream, "copy of random data");
    free(host);
    if (ok)
        block->bytes = bytes;
    else
        cuda_give(ctx, block->device), block->device = NULL;
    return ok;
}

bool cuda_fill(struct cuda_ctx *ctx, enum bench_fill fill, enum number bits, void *to, size_t bytes,
               uint64_t salt)
{
    struct cuda_block *block = &ctx->blocks[fill][bits];
    size_t piece;

    if (fill == FILL_ZEROS)
        return cuda_ok(ctx, cudaMemsetAsync(to, 0, bytes, ctx->stream), "fill");
    if (!block->device && !block_make(ctx, fill, bits))
        return false;
    size_t offset = (salt * 2 + 1) * 7919 % (block->bytes / UNIT) * UNIT;
    for (size_t done = 0; done < bytes; done += piece) {
        piece = block->bytes - offset;
        if (piece > bytes - done)
            piece = bytes - done;
        if (!cuda_ok(ctx,
                     cudaMemcpyAsync((char *)to + done, (char *)block->device + offset, piece,
                                     cudaMemcpyDeviceToDevice, ctx->stream),
                     "fill"))
            return false;
        offset = 0;
    }
    return true;
}

void cuda_blocks_free(struct cuda_ctx *ctx)
{
    for (int fill = 0; fill < FILL_COUNT; fill++)
        for (int i = 0; i <= NUMBER_E2M1; i++) {
            cuda_give(ctx, ctx->blocks[fill][i].device);
            ctx->blocks[fill][i] = (struct cuda_block){0};
        }
}
