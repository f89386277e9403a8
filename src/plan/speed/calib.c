/* calib.c - see calib.h. */
#include "plan/speed/calib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/speed/comm.h"
#include "plan/speed/gemm.h"

#define NOISE 0.05 /* of a point, as a logarithm */
#define PRIOR 0.35 /* of a share */
#define HUBER 1.5  /* noises, beyond which a miss counts by its size alone */
#define FEWEST 3
#define SHARE_LOW 0.05
#define SHARE_HIGH 1.05
#define SHRINK 0.15    /* of points near to the law */
#define SAME_BYTES 0.1 /* octaves: scales of rows or tensors */
#define FAR 9.0        /* d^2 beyond which a point says nothing */
#define ROUNDS 8
#define STEPS 24

/* Bands that are left, where nothing else is known of them (assumed). A host of which only reads
 * and FP32 products were measured says little of an engine's kernels. */
#define DOUBT_LEAST 0.02
#define DOUBT_HOST 0.45
#define DOUBT_OTHER 0.08 /* another device of the kind */
#define DOUBT_COUSIN 0.18

const char *calib_from_words(enum calib_from from)
{
#define X(NAME, words) [CALIB_##NAME] = words,
    static const char *const list[CALIB_FROM_COUNT] = {CALIB_FROMS(X)};
#undef X
    return list[from];
}

double calib_doubt(const struct calib *c, const struct gpu *gpu)
{
    double left = fmax(isfinite(c->rms) ? c->rms : DOUBT_LEAST, DOUBT_LEAST);
    double apart = c->labs > 0               ? c->apart
                   : c->from == CALIB_FAMILY ? DOUBT_COUSIN
                   : c->from == CALIB_KIND   ? DOUBT_OTHER
                                             : 0;
    double host = gpu->host && c->points == 0 ? DOUBT_HOST : 0;
    double doubt = sqrt(left * left + apart * apart + host * host);
    bool fits = c->labs > 0 || !(c->rms > NOISE);

    return exp(fits && !gpu->host ? fmin(doubt, log(gpu->family->spread)) : doubt);
}

bool calib_covers(const struct calib *c, enum kernel kernel)
{
    return c->kernels >> kernel & 1;
}

/* ---- the law ---- */

static double law_time(const struct gpu *gpu, double norm, struct product_share share,
                       const struct calib_point *p)
{
    double rate = kernel_rate(p->kernel, gpu);
    double bytes = p->rows * p->cols * p->bytes + 2 * p->tokens * (p->rows + p->cols);

    rate = rate > 0 ? rate : kernel_rate(KERNEL_16, gpu);
    return gemm_norm(2 * p->rows * p->cols * p->tokens /
                         (family_compute(p->kernel, gpu, share.compute) * rate),
                     bytes / (share.memory * gpu->bandwidth.value), norm);
}

double calib_law(const struct gpu *gpu, const struct family *family, const struct calib_point *p)
{
    bool alike;

    return law_time(gpu, family->norm, family_product(family, p->kernel, &alike), p);
}

/* ---- shares ---- */

struct fit {
    const struct calib *c;
    const struct gpu *gpu;
    enum kernel kernel;
    double norm;
    struct product_share prior;
};

static double calib_badness(const struct fit *f, struct product_share share)
{
    double sum = 0, ec = log(share.compute / f->prior.compute) / PRIOR,
           em = log(share.memory / f->prior.memory) / PRIOR;

    for (int i = 0; i < f->c->points; i++) {
        const struct calib_point *p = &f->c->point[i];

        if (p->kernel != f->kernel)
            continue;
        double x = log(p->time / law_time(f->gpu, f->norm, share, p)) / NOISE, a = fabs(x);
        sum += p->weight * (a <= HUBER ? x * x : 2 * HUBER * a - HUBER * HUBER);
    }
    return sum + ec * ec + em * em;
}

/* The least along one share, by golden section of its logarithm: it has one valley there. */
static void calib_improve(const struct fit *f, struct product_share *share, double *x)
{
    static const double golden = 0.6180339887498949;
    double a = log(SHARE_LOW), b = log(SHARE_HIGH);

    for (int i = 0; i < STEPS; i++) {
        double left = b - golden * (b - a), right = a + golden * (b - a);

        *x = exp(left);
        double at_left = calib_badness(f, *share);
        *x = exp(right);
        if (at_left < calib_badness(f, *share))
            b = right;
        else
            a = left;
    }
    *x = exp((a + b) / 2);
}

static void fit_kernel(struct calib *c, const struct gpu *gpu, enum kernel kernel,
                       struct family *family)
{
    bool alike;
    struct product_share share = family_product(family, kernel, &alike);
    struct fit f = {c, gpu, kernel, family->norm, share};

    int n = 0;

    for (int i = 0; i < c->points; i++)
        n += c->point[i].kernel == kernel;
    if (n < FEWEST)
        return;
    c->kernels |= 1u << kernel;
    for (int i = 0; i < ROUNDS; i++) {
        calib_improve(&f, &share, &share.memory);
        calib_improve(&f, &share, &share.compute);
    }
    family->product[kernel] = share;
}

/* No kernel reads faster than a stream does. */
static void slow_reads(const struct calib *c, const struct gpu *sheet, struct family *f)
{
    double best = 0, times;

    if (!c->read.known || !sheet->bandwidth.known)
        return;
    for (int k = 0; k < KERNEL_COUNT; k++)
        best = fmax(best, f->product[k].memory);
    times = fmin(c->read.value / sheet->bandwidth.value / best, 1);
    for (int k = 0; k < KERNEL_COUNT; k++) {
        f->product[k].memory *= times;
        f->expert[k].memory *= times;
    }
    f->kv_memory *= times;
}

/* ---- links ---- */

#define LINK_MOST 4.0 /* that a law may be off, either way */

static int calib_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What all-reduces among so many GPUs take of the law's time, by their median; 0 = none. */
static double reduce_times(const struct calib *c, const struct gpu *sheet, int size, bool *pcie)
{
    double times[CALIB_REDUCES], law;
    size_t n = 0;

    for (int i = 0; i < c->reduces; i++) {
        const struct calib_reduce *r = &c->reduce[i];
        struct comm comm = comm_of(sheet, sheet->family, r->gpus, r->gpus, 1);

        if (comm_size(r->gpus) != size || !comm.known || r->bytes < CALIB_REDUCE_LEAST)
            continue;
        law = comm_allreduce(&comm, r->bytes);
        *pcie = comm.pcie;
        times[n++] = r->time / law;
    }
    if (n == 0)
        return 0;
    qsort(times, n, sizeof(times[0]), calib_compare);
    law = n % 2 ? times[n / 2] : sqrt(times[n / 2 - 1] * times[n / 2]);
    return fmin(fmax(law, 1 / LINK_MOST), LINK_MOST);
}

/* Sizes that were not measured go by the nearest that was. */
static void fit_links(const struct calib *c, const struct gpu *sheet, struct family *f)
{
    double times[LINK_SIZES], near = 0;
    bool pcie = false;

    for (int i = 0; i < LINK_SIZES; i++)
        times[i] = reduce_times(c, sheet, i, &pcie);
    struct link_law *law = pcie ? &f->pcie : &f->link;
    for (int i = 0; i < LINK_SIZES; i++) {
        for (int d = 0; d < LINK_SIZES && !(near = times[i]); d++)
            if ((i - d >= 0 && (near = times[i - d]) > 0) ||
                (i + d < LINK_SIZES && (near = times[i + d]) > 0))
                break;
        if (near <= 0)
            continue;
        law->root[i] *= near;
        law->share[i] /= near;
    }
    f->hop = c->peer;
}

void calib_fit(struct calib *c, const struct gpu *sheet, const struct gpu *gpu, struct gpu *out,
               struct family *family)
{
    *out = *gpu;
    *family = *gpu->family;
    family->calib = c;
    if (gpu->host && c->read.known)
        out->bandwidth = c->read;
    if (gpu->host && c->rate.known)
        out->rate[MATH_FP32] = out->rate[MATH_FP16] = out->rate[MATH_BF16] = c->rate;
    if (gpu->host) /* assumed itself: what was measured is the sheet */
        sheet = out;
    else
        slow_reads(c, sheet, family);
    if (!gpu->host)
        fit_links(c, sheet, family);
    c->kernels = 0;
    for (int k = 0; k < KERNEL_COUNT; k++)
        if (c->shared[k].compute > 0) {
            family->product[k] = c->shared[k];
            c->kernels |= 1u << k;
        } else {
            fit_kernel(c, sheet, (enum kernel)k, family);
        }
    if (c->labs > 0)
        return;
    double sum = 0, weight = 0;

    for (int i = 0; i < c->points; i++) {
        struct calib_point *p = &c->point[i];

        p->residual = log(p->time / calib_law(sheet, family, p));
        sum += p->weight * p->residual * p->residual;
        weight += p->weight;
    }
    c->rms = weight > 0 ? sqrt(sum / weight) : NAN;
    if (c->from == CALIB_FAMILY)
        c->points = 0;
}

/* ---- near ---- */

static double calib_octaves(double a, double b)
{
    return log2(a / b);
}

void calib_near(const struct calib *c, enum kernel kernel, double rows, double cols, double bytes,
                float factor[CALIB_OCTAVES])
{
    double sum[CALIB_OCTAVES] = {0}, weight[CALIB_OCTAVES] = {0};
    double exact[CALIB_OCTAVES];

    for (int t = 0; t < CALIB_OCTAVES; t++)
        exact[t] = NAN;
    for (int i = 0; i < c->points; i++) {
        const struct calib_point *p = &c->point[i];
        double dr, dc, db, shape;

        if (p->kernel != kernel)
            continue;
        dr = calib_octaves(p->rows, rows);
        dc = calib_octaves(p->cols, cols);
        db = calib_octaves(p->bytes, bytes);
        db = fabs(db) < SAME_BYTES ? 0 : db;
        if ((shape = dr * dr + dc * dc + db * db) > FAR)
            continue;
        for (int t = 0; t < CALIB_OCTAVES; t++) {
            double dt = log2(p->tokens) - t, v = p->weight * exp(-shape - dt * dt);

            sum[t] += v * p->residual;
            weight[t] += v;
            if (shape < 1e-9 && fabs(dt) < 1e-9)
                exact[t] = p->residual;
        }
    }
    for (int t = 0; t < CALIB_OCTAVES; t++)
        factor[t] = (float)exp(isfinite(exact[t]) ? exact[t] : sum[t] / (weight[t] + SHRINK));
}
