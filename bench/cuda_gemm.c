/*
 * cuda_gemm.c - gemm and batch points: operands that rotate, algorithms that are tried.
 *
 * Experts are one strided batch: as many products of the same shape, whose matrices lie one after
 * another. Where the library has no algorithm for that, and of types with scales, of which it has
 * none for a batch, they are launched one by one: params.experts_as says "strided-batch" or "loop".
 * Beside the batch "grouped", the mode in which the library reads each expert's shape and addresses
 * on the device, as it must where tokens are routed: of 13.2 and later, experimental.
 *
 * Copies: cold rotates A, B and D, weights-cold A alone, hot nothing. R copies hold twice the last
 * cache: 4096x4096 bf16 weights are 32 MiB, a cache of 50 MiB wants ceil(100/32) = 4 of them.
 * Tuning: each of up to 16 (--algos) algorithms is screened with 2 launches and batches of 1 ms or
 * more; those within 1.5 of the best go on. The best three and the heuristic's first are timed
 * again, in batches of 5 ms, 4 to 16 of each, in turn and back (A B C C B A ...; an even number, so
 * that clocks that drift meet all of them alike); the best median that passes the check wins if it
 * is 0.5 % better than the heuristic's. What is found holds for all passes. All of it has a fifth
 * of the point's time, and that is what decides where it has no room for the rest: screening ends
 * after three fifths of it, however many are left (algo.tried says how many were not), and batches
 * are shorter than 5 ms rather than fewer than 4 (2, of launches that are too long even for those):
 * of 0.3 s 60 ms, where four algorithms get 1.5 ms, of 1 s 5 ms.
 *
 * Beside these two, where they are other algorithms, what PyTorch gets, which allows sums in the
 * output's type. A linear layer without bias goes through cublasGemmEx with cuBLAS's workspace, set
 * in CublasHandlePool.cpp to 32 MiB on compute capability 9.0 and to 2 x 4 MiB + 8 x 16 KiB
 * elsewhere ("framework"); cublasLt's path (bias, FP8, INT8) had 1 MiB ("framework-1M") and shares
 * that workspace where TORCH_CUBLASLT_UNIFIED_WORKSPACE is on. And of FP8 with fewer than 16
 * columns the product that engines run, of 16 ("padded").
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "bench/cuda_lt.h"

#define GAIN 0.995

#define SCREEN_SHARE 0.6 /* of the time for tuning */
#define BATCH 0.005      /* s, when they are timed again */
#define SOAK_IDLE 1.1    /* the host takes so much longer than the device for a burst ... */
#define SOAK_LONG 0.1    /* ... and not as many seconds: the next one is longer */

enum { SCREEN = 3, ROUNDS_LEAST = 4, ROUNDS_MOST = 16, BEST = 3 };

enum { FRAMEWORK = LT_TUNED + 1, FRAMEWORK_LT, PADDED, GROUPED, PAD_BELOW = 16 };
static const char *const variants[VARIANTS] = {
    [LT_HEURISTIC] = "heuristic",    [LT_TUNED] = "tuned", [FRAMEWORK] = "framework",
    [FRAMEWORK_LT] = "framework-1M", [PADDED] = "padded",  [GROUPED] = "grouped",
};

/* Bursts of --soak: products of one copy of the operands, one after the other. The last result of
 * a burst goes to the host on the side stream and is compared there while the next burst runs on
 * another copy. A burst grows as long as the host takes longer than the device. */
struct gemm_soak {
    cudaEvent_t copied[2];
    char *host[2]; /* pinned: the results of two bursts, by number & 1 */
    char **first;  /* by copy of the operands; NULL = none yet */
    int copies;
    int64_t burst; /* number of the next one */
    int launches[2], size;
    double compared; /* s, clock: when the last one was */
};

struct gemm_state {
    char id[POINT_ID_MAX];          /* "" = the warm-up's work */
    struct lt_gemm gemm;            /* of the variants "heuristic" and "tuned" */
    struct lt_gemm asked[VARIANTS]; /* of the others */
    bool other[VARIANTS];           /* is there such a variant? */
    int loop;                       /* experts that are launched one by one; else 1 */
    size_t b_bytes, d_bytes;        /* of the widest, of all experts */
    int copies_a, copies_bd;
    char *a, *b, *d;
    char *shapes, *lists; /* of GROUPED: of each product; addresses of A by copy, of B, of D */
    struct gemm_soak soak;
};

struct cuda_choices {
    struct choice {
        char id[POINT_ID_MAX];
        int heuristic, tuned; /* places in the library's list, and what was there */
        int tried;            /* of that list */
        cublasLtMatmulAlgo_t algo[2];
        struct checked { /* all of it, of this algorithm; check.done: there is one */
            cublasLtMatmulAlgo_t algo;
            struct check check;
        } checked[VARIANTS];
    } * list;
    size_t count, room;
};

/* The product of a variant, and which of its choices it is. */
static struct lt_gemm *variant_of(struct gemm_state *s, int variant, int *choice)
{
    *choice = variant == LT_TUNED ? LT_TUNED : LT_HEURISTIC;
    return variant > LT_TUNED ? &s->asked[variant] : &s->gemm;
}

static size_t gemm_a_bytes(const struct gemm_state *s)
{
    return (size_t)s->loop * lt_a_bytes(&s->gemm);
}

/* Of copy i, and of it those of an expert that is launched by itself. */
static struct lt_operands expert_operands(const struct gemm_state *s, int i, int expert)
{
    size_t ai = (size_t)(i % s->copies_a), bi = (size_t)(i % s->copies_bd);
    size_t e = (size_t)expert, loop = (size_t)s->loop;
    struct lt_operands o =
        lt_place(&s->gemm, s->a + ai * gemm_a_bytes(s) + e * lt_a_bytes(&s->gemm),
                 s->b + bi * s->b_bytes + e * (s->b_bytes / loop),
                 s->d + bi * s->d_bytes + e * (s->d_bytes / loop));

    if (s->lists) {
        size_t list = cuda_aligned((size_t)s->gemm.batch * sizeof(void *));
        char *b = s->lists + (size_t)s->copies_a * list, *d = b + (size_t)s->copies_bd * list;

        o.a_list = s->lists + ai * list;
        o.b_list = b + bi * list;
        o.d_list = d + bi * list;
    }
    return o;
}

static struct lt_operands gemm_operands(const struct gemm_state *s, int i)
{
    return expert_operands(s, i, 0);
}

static bool gemm_enqueue(struct cuda_ctx *ctx, int variant, int i)
{
    struct gemm_state *s = ctx->work.state;
    int choice;
    struct lt_gemm *g = variant_of(s, variant, &choice);
    bool ok = true;

    for (int e = 0; ok && e < s->loop; e++) {
        struct lt_operands o = expert_operands(s, i, e);

        ok = lt_launch(ctx, g, choice, &o);
    }
    return ok;
}

static struct checked *checked_before(struct cuda_ctx *ctx, const struct gemm_state *s, int variant)
{
    for (size_t i = 0; ctx->choices && i < ctx->choices->count; i++)
        if (strcmp(ctx->choices->list[i].id, s->id) == 0)
            return &ctx->choices->list[i].checked[variant];
    return NULL;
}

/* Of experts that are launched one by one: of the first and the last a sample, or all of all where
 * there is `room` for it, bytes. The first that is wrong ends it. */
static void check_experts(struct cuda_ctx *ctx, struct gemm_state *s, int variant, double room,
                          struct check *out)
{
    int choice, step = room > 0 || s->loop < 2 ? 1 : s->loop - 1;
    struct lt_gemm *g = variant_of(s, variant, &choice);
    int64_t seen = 0;
    double worst = 0;

    for (int e = 0; e < s->loop && (e == 0 || (out->done && out->ok)); e += step) {
        struct lt_operands o = expert_operands(s, 0, e);

        if (room > 0)
            lt_check_full(ctx, g, choice, &o, room, out);
        else
            lt_check(ctx, g, choice, &o, out);
        seen += out->n;
        worst = fmax(worst, out->max_err);
    }
    out->n = seen;
    out->max_err = worst;
}

/* All results once: the next pass looks at a sample, for it is the same algorithm on the same
 * operands, and checking all takes longer than measuring. What was found first is said again. */
static void gemm_check_full(struct cuda_ctx *ctx, struct gemm_state *s, int variant,
                            struct check *out)
{
    double held =
        s->copies_a * (double)gemm_a_bytes(s) + s->copies_bd * (double)(s->b_bytes + s->d_bytes);
    struct checked *before = checked_before(ctx, s, variant);
    int choice;
    const struct lt_gemm *g = variant_of(s, variant, &choice);
    const cublasLtMatmulAlgo_t *algo = &g->algos[g->chosen[choice]].algo;

    if (before && before->check.done && memcmp(&before->algo, algo, sizeof *algo) == 0) {
        check_experts(ctx, s, variant, 0, out);
        if (!out->done || !out->ok)
            return;
        before->check.max_err = fmax(before->check.max_err, out->max_err);
        *out = before->check;
        return;
    }
    check_experts(ctx, s, variant, cuda_budget(ctx) - held, out);
    if (before && out->done && out->ok)
        *before = (struct checked){*algo, *out};
}

static void gemm_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct gemm_state *s = ctx->work.state;

    if (ctx->settings.check == CHECK_FULL)
        gemm_check_full(ctx, s, variant, out);
    else
        check_experts(ctx, s, variant, 0, out);
}

/* ---- soak ---- */

static size_t soak_bytes(const struct gemm_state *s)
{
    return number_bytes(s->gemm.type->out, (size_t)(s->gemm.m * s->gemm.n));
}

static bool soak_open(struct cuda_ctx *ctx, struct gemm_state *s)
{
    struct gemm_soak *k = &s->soak;
    bool ok = true;

    cuda_timer_reset(ctx);
    ctx->timer.gateless = true; /* the queue is never empty */
    k->copies = s->copies_a < 2 ? s->copies_a : 2;
    k->first = gp_calloc((size_t)k->copies, sizeof *k->first);
    k->size = 1;
    for (int i = 0; ok && i < 2; i++)
        ok = cuda_mark_new(ctx, &k->copied[i]) &&
             cuda_ok(ctx, cudaHostAlloc((void **)&k->host[i], soak_bytes(s), cudaHostAllocDefault),
                     "pinned memory");
    return ok;
}

static void soak_close(struct gemm_soak *k)
{
    for (int i = 0; i < 2; i++) {
        if (k->host[i] && k->burst > i)
            cudaEventSynchronize(k->copied[i]);
        if (k->host[i])
            cudaFreeHost(k->host[i]);
        if (k->copied[i])
            cudaEventDestroy(k->copied[i]);
    }
    for (int i = 0; i < k->copies; i++)
        free(k->first[i]);
    free(k->first);
}

static bool soak_enqueue(struct cuda_ctx *ctx, struct gemm_state *s, int variant, int slot)
{
    struct gemm_soak *k = &s->soak;
    int copy = (int)(k->burst % k->copies);
    struct lt_operands o = gemm_operands(s, copy);
    bool ok = (s->copies_bd > 1 || k->burst == 0 || /* else its result is still on the way */
               cuda_depend(ctx, ctx->stream, k->copied[!slot])) &&
              cuda_record(ctx, ctx->timer.start[slot], ctx->stream);

    k->launches[slot] = k->size;
    for (int i = 0; ok && i < k->size; i++)
        ok = gemm_enqueue(ctx, variant, copy);
    return ok && cuda_record(ctx, ctx->timer.stop[slot], ctx->stream) &&
           cuda_depend(ctx, ctx->side, ctx->timer.stop[slot]) &&
           cuda_ok(ctx,
                   cudaMemcpyAsync(k->host[slot], o.d, soak_bytes(s), cudaMemcpyDeviceToHost,
                                   ctx->side),
                   "copy of a result") &&
           cuda_record(ctx, k->copied[slot], ctx->side);
}

static bool soak_compare(struct cuda_ctx *ctx, struct gemm_state *s, int64_t burst,
                         struct soak *out)
{
    struct gemm_soak *k = &s->soak;
    int slot = (int)(burst & 1);
    char **first = &k->first[burst % k->copies];
    double seconds;

    if (!cuda_ok(ctx, cudaEventSynchronize(k->copied[slot]), "waiting for a result") ||
        !cuda_elapsed(ctx, ctx->timer.start[slot], ctx->timer.stop[slot], &seconds))
        return false;
    if (*first) {
        out->compared++;
        out->wrong += memcmp(*first, k->host[slot], soak_bytes(s)) != 0;
    } else if (!(*first = cuda_host(ctx, soak_bytes(s)))) {
        return false;
    } else {
        memcpy(*first, k->host[slot], soak_bytes(s));
    }
    out->products += k->launches[slot];
    out->seconds += seconds;
    double took = clock_now() - k->compared;
    k->compared += took;
    if (took > SOAK_IDLE * seconds && took < SOAK_LONG && k->size < CUDA_GATE_CALLS)
        k->size += (k->size + 1) / 2;
    return true;
}

static bool gemm_soak(struct cuda_ctx *ctx, int variant, struct soak *out)
{
    struct gemm_state *s = ctx->work.state;
    struct gemm_soak *k = &s->soak;

    if (!k->first && !soak_open(ctx, s))
        return false;
    if (!soak_enqueue(ctx, s, variant, (int)(k->burst & 1)))
        return false;
    if (k->burst++ == 0) {
        k->compared = clock_now();
        return true;
    }
    return soak_compare(ctx, s, k->burst - 2, out);
}

static void gemm_release(struct cuda_ctx *ctx)
{
    struct gemm_state *s = ctx->work.state;

    soak_close(&s->soak);
    cuda_give(ctx, s->a);
    cuda_give(ctx, s->b);
    cuda_give(ctx, s->d);
    cuda_give(ctx, s->shapes);
    cuda_give(ctx, s->lists);
    lt_close(&s->gemm);
    for (int v = FRAMEWORK; v < VARIANTS; v++)
        lt_close(&s->asked[v]);
}

static void plan_copies(struct cuda_ctx *ctx, const struct point *point, struct gemm_state *s,
                        struct prepared *out)
{
    double a = (double)gemm_a_bytes(s), b = (double)s->b_bytes;
    double d = (double)s->d_bytes;

    s->copies_a = s->copies_bd = 1;
    out->cold = false;
    if (point->cache == CACHE_WEIGHTS_COLD)
        s->copies_a = cuda_rotation(ctx, a, a, b + d, &out->cold);
    else if (point->cache == CACHE_COLD)
        s->copies_a = s->copies_bd = cuda_rotation(ctx, a + b, a + b + d, 0, &out->cold);
    out->rotation = s->copies_a;
    out->bytes = s->copies_a * a + s->copies_bd * (b + d);
}

static bool gemm_allocate(struct cuda_ctx *ctx, struct gemm_state *s)
{
    const struct lt_gemm *widest = s->other[PADDED] ? &s->asked[PADDED] : &s->gemm;
    size_t a = gemm_a_bytes(s), b = s->b_bytes, d = s->d_bytes, loop = (size_t)s->loop;
    bool ok = (s->a = cuda_take(ctx, (double)a * s->copies_a)) &&
              (s->b = cuda_take(ctx, (double)b * s->copies_bd)) &&
              (s->d = cuda_take(ctx, (double)d * s->copies_bd));

    for (size_t i = 0; ok && i < (size_t)s->copies_a * loop; i++)
        ok = lt_fill_a(ctx, &s->gemm, s->a + i * (a / loop), i * 2);
    for (size_t i = 0; ok && i < (size_t)s->copies_bd * loop; i++)
        ok = lt_fill_b(ctx, widest, s->b + i * (b / loop), i * 2 + 1);
    return ok && cuda_wait(ctx, "fill");
}

/* ---- tuning ---- */

struct candidate {
    int algo;
    double seconds; /* of one launch; 0 = does not run */
};

static int by_seconds(const void *a, const void *b)
{
    double x = ((const struct candidate *)a)->seconds;
    double y = ((const struct candidate *)b)->seconds;

    return x < y ? -1 : x > y;
}

/* One batch, number i of this algorithm; s of one launch, 0 when it does not run. */
static double one_batch(struct cuda_ctx *ctx, struct gemm_state *s, int algo, int i, int launches)
{
    double seconds = 0;

    s->gemm.chosen[LT_TUNED] = algo;
    if (!cuda_time_plain(ctx, &ctx->work, LT_TUNED, i * launches, launches, &seconds))
        return 0;
    return seconds / launches;
}

static int batch_size(double each, double length)
{
    return each > 0 ? (int)fmin(length / each + 1, CUDA_MAX_COPIES) : 1;
}

/* Median of some batches of at least `length` s; 0 when it does not run. */
static double time_algo(struct cuda_ctx *ctx, struct gemm_state *s, int algo, double length)
{
    double took[SCREEN];
    double each = one_batch(ctx, s, algo, 0, 2);
    int launches = batch_size(each, length);

    for (int i = 0; i < SCREEN; i++)
        if (!(each > 0) || !((took[i] = one_batch(ctx, s, algo, i, launches)) > 0))
            return 0;
    return method_stats(took, NULL, SCREEN).median;
}

/* How many batches of each, an even number. */
static int rounds_in(const struct candidate *list, int count, double seconds)
{
    double whole = 0, single = 0; /* s of a round of batches, of single launches */

    for (int c = 0; c < count; c++) {
        whole += fmax(BATCH, list[c].seconds);
        single += list[c].seconds;
    }
    int rounds = (int)fmin(fmax(seconds, 0) / whole, ROUNDS_MOST) / 2 * 2;
    if (rounds >= ROUNDS_LEAST)
        return rounds;
    return seconds > ROUNDS_LEAST * single ? ROUNDS_LEAST : 2;
}

/* Several algorithms in turn, a batch of each, then again, as often as `seconds` have
 * room for: medians into list[].seconds. */
static void time_in_turn(struct cuda_ctx *ctx, struct gemm_state *s, struct candidate *list,
                         int count, double seconds)
{
    double took[BEST + 1][ROUNDS_MOST];
    int launches[BEST + 1], rounds = rounds_in(list, count, seconds);
    double length = fmin(BATCH, fmax(seconds, 0) / (rounds * count));

    for (int c = 0; c < count; c++)
        launches[c] = batch_size(list[c].seconds, length);
    for (int i = 0; i < rounds; i++)
        for (int j = 0; j < count; j++) {
            int c = i % 2 ? count - 1 - j : j;

            if (list[c].seconds > 0)
                took[c][i] = one_batch(ctx, s, list[c].algo, i, launches[c]);
            if (list[c].seconds > 0 && !(took[c][i] > 0))
                list[c].seconds = 0;
        }
    for (int c = 0; c < count; c++)
        if (list[c].seconds > 0)
            list[c].seconds = method_stats(took[c], NULL, rounds).median;
}

static int gemm_screen_algos(struct cuda_ctx *ctx, struct gemm_state *s, double deadline,
                             struct candidate *list)
{
    int count = 0;

    /* those before the heuristic's do not run */
    for (int i = s->gemm.chosen[LT_HEURISTIC]; i < s->gemm.algo_count && !ctx->lost; i++) {
        if (count > 0 && clock_now() > deadline)
            break;
        s->gemm.tried = i + 1;
        double seconds = time_algo(ctx, s, i, 0.001);
        if (seconds > 0)
            list[count++] = (struct candidate){i, seconds};
        else if (i == s->gemm.chosen[LT_HEURISTIC])
            return 0; /* the heuristic itself fails: nothing to tune */
    }
    qsort(list, (size_t)count, sizeof list[0], by_seconds);
    while (count > 1 && list[count - 1].seconds > 1.5 * list[0].seconds)
        count--;
    return count < BEST ? count : BEST;
}

/* Leaves the algorithm to measure beside the heuristic's in chosen[LT_TUNED]. */
static void gemm_tune_algo(struct cuda_ctx *ctx, struct gemm_state *s)
{
    struct candidate list[METHOD_MAX_ALGOS + 1];
    double began = clock_now(), budget = 0.2 * ctx->settings.max_time;
    int count = gemm_screen_algos(ctx, s, began + SCREEN_SHARE * budget, list);
    int heuristic = s->gemm.chosen[LT_HEURISTIC];

    if (count < 1)
        goto none_better;
    list[count] = (struct candidate){heuristic, list[0].seconds}; /* beside */
    time_in_turn(ctx, s, list, count + 1, began + budget - clock_now());
    struct candidate first = list[count];
    qsort(list, (size_t)count, sizeof list[0], by_seconds);
    for (int i = 0; i < count; i++) {
        struct lt_operands o = gemm_operands(s, 0);
        struct check check;

        if (list[i].algo == heuristic || !(list[i].seconds > 0) ||
            list[i].seconds > GAIN * first.seconds)
            continue;
        s->gemm.chosen[LT_TUNED] = list[i].algo;
        lt_check(ctx, &s->gemm, LT_TUNED, &o, &check);
        if (check.ok)
            return;
    }
none_better:
    s->gemm.chosen[LT_TUNED] = heuristic;
}

/* ---- one choice for all passes ---- */

void cuda_choices_free(struct cuda_ctx *ctx)
{
    if (ctx->choices)
        free(ctx->choices->list);
    free(ctx->choices);
    ctx->choices = NULL;
}

static bool same_algo(const struct lt_gemm *g, int i, const cublasLtMatmulAlgo_t *algo)
{
    return i < g->algo_count && memcmp(&g->algos[i].algo, algo, sizeof *algo) == 0;
}

/* What an earlier pass chose: two passes of "tuned" must be of the same algorithm, or
 * their difference is no drift. False: none did, or the library names others now. */
static bool gemm_recall_algo(const struct cuda_ctx *ctx, const char *id, struct lt_gemm *g)
{
    for (size_t i = 0; ctx->choices && i < ctx->choices->count; i++) {
        const struct choice *c = &ctx->choices->list[i];

        if (strcmp(c->id, id) != 0 || c->heuristic != g->chosen[LT_HEURISTIC] ||
            !same_algo(g, c->heuristic, &c->algo[LT_HEURISTIC]) ||
            !same_algo(g, c->tuned, &c->algo[LT_TUNED]))
            continue;
        g->chosen[LT_TUNED] = c->tuned;
        g->tried = c->tried;
        return true;
    }
    return false;
}

static void gemm_remember_algo(struct cuda_ctx *ctx, const char *id, const struct lt_gemm *g)
{
    struct cuda_choices *all = ctx->choices;

    if (!id[0]) /* the warm-up's work */
        return;
    if (!all)
        all = ctx->choices = gp_calloc(1, sizeof *all);
    all->list = gp_grow(all->list, &all->room, all->count + 1, sizeof *all->list);
    struct choice *c = &all->list[all->count++];
    *c = (struct choice){0};
    gp_copy(c->id, sizeof c->id, id);
    c->heuristic = g->chosen[LT_HEURISTIC];
    c->tuned = g->chosen[LT_TUNED];
    c->tried = g->tried;
    for (int v = 0; v < 2; v++)
        c->algo[v] = g->algos[g->chosen[v]].algo;
}

static void describe_algo(const struct lt_gemm *g, int algo, char *out, size_t size)
{
    char text[56], extra[56] = "";

    lt_describe(g, algo, text, sizeof text);
    if (algo > 0 && algo == g->chosen[LT_HEURISTIC])
        gp_format(extra, sizeof extra, ", the first that runs");
    if (g->n != g->n_asked)
        gp_format(extra + strlen(extra), sizeof extra - strlen(extra), ", n padded to %lld",
                  (long long)g->n);
    gp_format(out, size, "#%d of %d, %s%s%s", algo, g->algo_count, text, extra,
              g->fast_accum ? ", fast" : "");
}

/* Types as cuBLASLt gets them, under the names of the CPU engine. */
static json_t *gemm_facts(const struct lt_gemm *g)
{
    const char *compute = g->type->compute == CUBLAS_COMPUTE_32F_FAST_TF32  ? "tf32"
                          : g->type->compute == CUBLAS_COMPUTE_32F_PEDANTIC ? "fp32-pedantic"
                          : g->type->compute == CUBLAS_COMPUTE_16F          ? "fp16"
                          : g->type->compute == CUBLAS_COMPUTE_32I          ? "s32"
                                                                            : "fp32";

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "a", number_word(g->type->bits), "b",
                     number_word(g->type->bits), "d", number_word(g->type->out), "compute", compute,
                     "transa", "T", "transb", "N", "n_padded", (json_int_t)g->n);
}

static void gemm_describe(struct cuda_ctx *ctx, struct gemm_state *s, struct prepared *out)
{
    ctx->params = gemm_facts(&s->gemm);
    s->other[LT_TUNED] = s->gemm.chosen[LT_TUNED] != s->gemm.chosen[LT_HEURISTIC];
    for (int v = 0; v < VARIANTS; v++) {
        int choice;
        const struct lt_gemm *g = variant_of(s, v, &choice);

        out->variant[v] = v == LT_HEURISTIC || s->other[v] ? variants[v] : NULL;
        if (!out->variant[v])
            continue;
        out->variants = v + 1;
        ctx->algo[v] = lt_describe_json(g, g->chosen[choice]);
        if (g->n != g->n_asked)
            json_object_set_new(ctx->algo[v], "n_padded", json_integer(g->n));
        ctx->reduced |= (unsigned)lt_reduced(g, choice) << v;
        ctx->padded |= (unsigned)(g->n != g->n_asked) << v;
        describe_algo(g, g->chosen[choice], out->other[v], sizeof out->other[v]);
    }
}

/* ---- other variants ---- */

static double framework_workspace(int cc)
{
    return cc == 90 ? 32 * 1048576.0 : 2 * 4194304.0 + 8 * 16384.0;
}

/* Before operands are allocated: another may be wider. One that cannot be had is none. */
static void open_others(struct cuda_ctx *ctx, struct gemm_state *s)
{
    bool experts = s->loop > 1 || s->gemm.batch > 1;

    for (int v = FRAMEWORK; v < VARIANTS; v++) {
        struct lt_gemm *g = &s->asked[v];

        if (v == GROUPED  ? s->gemm.batch <= 1
            : v == PADDED ? s->gemm.type->type != TYPE_FP8 || s->gemm.n >= PAD_BELOW
                          : experts)
            continue; /* frameworks have kernels of their own for experts */
        if (v == GROUPED && !(s->shapes = cuda_take(ctx, 12.0 * s->gemm.batch)))
            continue;
        *g = (struct lt_gemm){.type = s->gemm.type,
                              .m = s->gemm.m,
                              .n_asked = s->gemm.n_asked,
                              .k = s->gemm.k,
                              .batch = s->gemm.batch,
                              .workspace = v == FRAMEWORK      ? framework_workspace(ctx->cc)
                                           : v == FRAMEWORK_LT ? 1048576
                                                               : 0,
                              .shapes = v == GROUPED ? s->shapes : NULL,
                              .any_reduction = v < PADDED,
                              .pads = v == PADDED};
        s->other[v] = !ctx->lost && lt_open(ctx, g) && (v == PADDED || g->n == s->gemm.n);
    }
}

/* The addresses of all products, copy by copy: only once the operands lie where they lie. */
static bool list_group(struct cuda_ctx *ctx, struct gemm_state *s)
{
    const struct lt_gemm *g = &s->asked[GROUPED];
    size_t list = cuda_aligned((size_t)g->batch * sizeof(void *));
    size_t bytes = (size_t)(s->copies_a + 2 * s->copies_bd) * list, at = 0;
    char *host = cuda_host(ctx, bytes);
    bool ok;

    for (int operand = 0; host && operand < 3; operand++)
        for (int i = 0; i < (operand ? s->copies_bd : s->copies_a); i++, at += list)
            for (int e = 0; e < g->batch; e++) {
                struct lt_operands all = gemm_operands(s, i), one = lt_of_batch(g, &all, e);

                ((void **)(host + at))[e] = operand == 0 ? one.a : operand == 1 ? one.b : one.d;
            }
    ok = host && (s->lists = cuda_take(ctx, (double)bytes)) &&
         cuda_send(ctx, s->lists, host, bytes, ctx->stream, "addresses");
    free(host);
    return ok;
}

static void choose_others(struct cuda_ctx *ctx, struct gemm_state *s)
{
    s->other[GROUPED] = s->other[GROUPED] && list_group(ctx, s);
    struct lt_operands o = gemm_operands(s, 0);

    for (int v = FRAMEWORK; v < VARIANTS; v++) {
        struct lt_gemm *g = &s->asked[v];
        double first;

        s->other[v] = s->other[v] && !ctx->lost && lt_choose(ctx, g, &o, &first);
        g->tried = g->chosen[LT_HEURISTIC] + 1;
        if (v >= PADDED || !s->other[v])
            continue;
        s->other[v] = !lt_same(g, LT_HEURISTIC, &s->gemm, LT_HEURISTIC) &&
                      !(s->other[FRAMEWORK] && v == FRAMEWORK_LT &&
                        lt_same(g, LT_HEURISTIC, &s->asked[FRAMEWORK], LT_HEURISTIC));
    }
}

/* Of so many products in a batch, and so many batches one after another. */
static bool gemm_prepare_as(struct cuda_ctx *ctx, const struct point *point, int batch, int loop,
                            struct prepared *out)
{
    const struct cuda_work work = {.enqueue = gemm_enqueue,
                                   .check = gemm_check,
                                   .soak = gemm_soak,
                                   .release = gemm_release,
                                   .calls = loop};
    bool heats = !point->id[0];          /* the warm-up's work, which tells nothing */
    bool soaks = ctx->settings.soak > 0; /* what the library names first */
    struct gemm_state *s = cuda_begin(ctx, point, &work, sizeof *s);

    gp_copy(s->id, sizeof s->id, point->id);
    s->loop = loop;
    s->gemm = (struct lt_gemm){.type = cuda_type_find(point->type),
                               .m = point->m,
                               .n_asked = point->n,
                               .k = point->k,
                               .batch = batch};
    if (!lt_open(ctx, &s->gemm))
        return false;
    if (!heats && !soaks)
        open_others(ctx, s);
    const struct lt_gemm *widest = s->other[PADDED] ? &s->asked[PADDED] : &s->gemm;
    s->b_bytes = (size_t)loop * lt_b_bytes(widest);
    s->d_bytes = (size_t)loop * lt_d_bytes(widest);
    plan_copies(ctx, point, s, out);
    if (!gemm_allocate(ctx, s))
        return false;
    struct lt_operands first = gemm_operands(s, 0);
    if (!lt_choose(ctx, &s->gemm, &first, &out->first))
        return false;
    s->gemm.tried = s->gemm.chosen[LT_HEURISTIC] + 1;
    if (!soaks && !gemm_recall_algo(ctx, point->id, &s->gemm)) {
        gemm_tune_algo(ctx, s);
        if (ctx->lost)
            return false;
        gemm_remember_algo(ctx, point->id, &s->gemm);
    }
    choose_others(ctx, s);
    if (ctx->lost)
        return false;
    ctx->fault[0] = '\0'; /* algorithms that would not run are no fault of the point */
    if (!heats)
        gemm_describe(ctx, s, out);
    return true;
}

bool cuda_gemm_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    return gemm_prepare_as(ctx, point, 1, 1, out);
}

bool cuda_batch_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    const struct cuda_type *type = cuda_type_find(point->type);
    bool batch = point->groups > 1 && type && type->scales[0] == SCALE_NONE;
    bool ok = batch && gemm_prepare_as(ctx, point, point->groups, 1, out);

    if (point->groups <= 1)
        return cuda_gemm_prepare(ctx, point, out);
    if (!ok && batch && (ctx->lost || ctx->state != POINT_UNSUPPORTED))
        return false;
    if (!ok && batch) {
        gemm_release(ctx);
        free(ctx->work.state);
        ctx->work = (struct cuda_work){0};
        ctx->fault[0] = '\0';
    }
    if (!ok && !gemm_prepare_as(ctx, point, 1, point->groups, out))
        return false;
    json_object_set_new(ctx->params, "experts_as", json_string(ok ? "strided-batch" : "loop"));
    return true;
}
