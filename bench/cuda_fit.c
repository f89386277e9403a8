/*
 * cuda_fit.c - do the planned bytes really fit?
 *
 * They are allocated in pieces of 1 GiB, as engines allocate weights and cache blocks,
 * and every byte is written, which is also what is timed. The allocation stops at the
 * first refusal, and the answer says how far it came: "78.50 of 79.00 GiB".
 */
#include "base/str.h"
#include "bench/cuda_ctx.h"

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
    bool ok = true;

    (void)variant;
    for (int p = 0; ok && p < s->count; p++)
        ok = cuda_ok(ctx, cudaMemsetAsync(s->pieces[p], 1 + i % 100, s->sizes[p], ctx->stream),
                     "memset");
    return ok;
}

static void fit_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct fit_state *s = ctx->work.state;
    unsigned char byte = 0;

    out->done = out->ok = fit_enqueue(ctx, variant, 6) && cuda_wait(ctx, "check");
    for (int p = 0; out->done && p < s->count; p++) {
        out->done = cuda_fetch(ctx, &byte, (char *)s->pieces[p] + s->sizes[p] - 1, 1, "check");
        out->ok = out->ok && byte == 7;
        out->n++;
    }
    if (out->done && !out->ok)
        gp_copy(out->why, sizeof out->why, "memory does not read back as written");
}

static void fit_release(struct cuda_ctx *ctx)
{
    struct fit_state *s = ctx->work.state;

    for (int p = 0; p < s->count; p++)
        cuda_give(ctx, s->pieces[p]);
}

static bool take_pieces(struct cuda_ctx *ctx, struct fit_state *s, double bytes)
{
    char refused[sizeof ctx->fault];
    double done = 0;

    while (done < bytes) {
        double piece = bytes - done < PIECE ? bytes - done : PIECE;

        if (s->count == PIECES_MAX)
            return cuda_refuse(ctx, POINT_UNSUPPORTED, "more than %d GiB", PIECES_MAX);
        s->pieces[s->count] = cuda_take(ctx, piece);
        if (!s->pieces[s->count] && ctx->state == POINT_OOM) {
            gp_copy(refused, sizeof refused, ctx->fault);
            return cuda_refuse(ctx, POINT_OOM,
                               "%.2f of %.2f GiB could be allocated, then it %.150s", done / 0x1p30,
                               bytes / 0x1p30, refused);
        }
        if (!s->pieces[s->count])
            return false;
        s->sizes[s->count++] = (size_t)piece;
        done += piece;
    }
    return true;
}

bool cuda_fit_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    static const struct cuda_work work = {
        .enqueue = fit_enqueue, .check = fit_check, .release = fit_release};

    if (point->bytes < 1)
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "no bytes to fit");
    out->bytes = point->bytes;
    gp_copy(out->algorithm, sizeof out->algorithm, "cudaMalloc by 1 GiB, cudaMemsetAsync");
    return take_pieces(ctx, cuda_begin(ctx, point, &work, sizeof(struct fit_state)), point->bytes);
}
