/*
 * cuda_fit.c - do the planned bytes really fit?
 *
 * They are allocated in pieces of 1 GiB, as engines allocate weights and cache blocks,
 * and every byte is written, which is also what is timed. The allocation stops at the
 * first refusal, and the answer says how far it came: "78.50 of 79.00 GiB".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_ctx.h"
#include "util/str.h"

enum { PIECES_MAX = 4096 };
#define PIECE 0x1p30

struct fit_state {
    int count;
    void *pieces[PIECES_MAX];
    size_t sizes[PIECES_MAX];
};

static bool fit_enqueue(struct cuda_ctx *ctx, int variant, int i)
{
    struct fit_state *s = ctx->work.state;

    (void)variant;
    for (int p = 0; p < s->count; p++)
        if (!cuda_ok(
                ctx,
                cudaMemsetAsync(s->pieces[p], 1 + i % 100, s->sizes[p], ctx->stream),
                "memset"))
            return false;
    return true;
}

static void fit_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct fit_state *s = ctx->work.state;
    unsigned char byte = 0;

    *out = (struct check){0};
    out->done = fit_enqueue(ctx, variant, 6) &&
                cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), "check");
    out->ok = out->done;
    for (int p = 0; out->done && p < s->count; p++) {
        out->done = cuda_ok(ctx,
                            cudaMemcpy(&byte, (char *)s->pieces[p] + s->sizes[p] - 1, 1,
                                       cudaMemcpyDeviceToHost),
                            "check");
        out->ok = out->ok && out->done && byte == 7;
        out->n++;
    }
    if (!out->done)
        snprintf(out->why, sizeof out->why, "%.110s", ctx->fault);
    else if (!out->ok)
        snprintf(out->why, sizeof out->why, "memory does not read back as written");
}

static void fit_release(struct cuda_ctx *ctx)
{
    struct fit_state *s = ctx->work.state;

    for (int p = 0; p < s->count; p++)
        cuda_give(ctx, s->pieces[p]);
    free(s);
}

static enum point_state fill_pieces(struct cuda_ctx *ctx, struct fit_state *s,
                                    double bytes, char *why, size_t size)
{
    char refused[200];
    double done = 0;
    bool oom = false;

    while (done < bytes) {
        double piece = bytes - done < PIECE ? bytes - done : PIECE;

        if (s->count == PIECES_MAX)
            return snprintf(why, size, "more than %d GiB", PIECES_MAX),
                   POINT_UNSUPPORTED;
        s->pieces[s->count] = cuda_take(ctx, piece, &oom, refused, sizeof refused);
        if (!s->pieces[s->count] && !oom)
            return gp_copy(why, size, refused), POINT_ERROR;
        if (oom) {
            snprintf(why, size, "%.2f of %.2f GiB could be allocated, then it %s",
                     done / 0x1p30, bytes / 0x1p30, refused);
            return POINT_OOM;
        }
        s->sizes[s->count++] = (size_t)piece;
        done += piece;
    }
    return POINT_OK;
}

enum point_state cuda_fit_prepare(struct cuda_ctx *ctx, const struct point *point,
                                  struct prepared *out, char *why, size_t size)
{
    struct fit_state *s;

    if (point->bytes < 1)
        return snprintf(why, size, "no bytes to fit"), POINT_UNSUPPORTED;
    if (!(s = calloc(1, sizeof *s)))
        return snprintf(why, size, "out of host memory"), POINT_ERROR;
    ctx->work = (struct cuda_work){.active = true,
                                   .name = point->id,
                                   .enqueue = fit_enqueue,
                                   .check = fit_check,
                                   .release = fit_release,
                                   .state = s};
    out->rotation = 1;
    out->cold = true;
    out->bytes = point->bytes;
    out->variants = 1;
    out->variant[0] = "";
    gp_copy(out->algorithm, sizeof out->algorithm,
            "cudaMalloc by 1 GiB, cudaMemsetAsync");
    return fill_pieces(ctx, s, point->bytes, why, size);
}
