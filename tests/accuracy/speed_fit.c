/*
 * speed_fit.c - see speed_fit.h.
 */
#include "speed_fit.h"

#include <stddef.h>

#define SIGMA 0.3
#define ITERATIONS 12
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- what is fitted ---- */

static void add(struct fit *f, double *at, double prior, double sigma, double unit,
                const char *where, const char *key)
{
    struct parameter *p = &f->parameter[f->count++];
    *p = (struct parameter){.at = at, .prior = prior * unit, .sigma = sigma, .unit = unit};
    gp_format(p->name, sizeof(p->name), "%s %s", where, key);
}

static void set(const struct parameter *p, double value)
{
    *p->at = value;
    for (int i = 0; i < p->alsos; i++)
        *p->also[i] = value;
}

static void tie(struct parameter *p, double *at)
{
    if (p->alsos < FIT_ALSO)
        p->also[p->alsos++] = at;
}

struct kernel_prior {
    enum kernel kernel;
    double compute, memory, each;
};

/* From the operator tables; sigma 0.15, 0.12 and, of experts, 0.3, 0.12, 0.5. */
static const struct family_prior {
    const char *id;
    struct kernel_prior product[8], expert[8];
    double token, attention, kv, mla, launch, launch_sigma;
} family_priors[] = {
    {"hopper",
     {{KERNEL_16, .80, .88, 0}, {KERNEL_FP8, .59, .88, 0}, {KERNEL_FP8_BLOCK, .60, .85, 0}},
     {{KERNEL_16, .35, .85, 50},
      {KERNEL_FP8, .36, .85, 120},
      {KERNEL_FP8_BLOCK, .25, .85, 200},
      {KERNEL_MXFP4, .36, .72, 20}},
     28,
     .50,
     .82,
     .70,
     1,
     .05},
    {"blackwell",
     {{KERNEL_16, .70, .82, 0},
      {KERNEL_FP8, .55, .82, 0},
      {KERNEL_FP8_BLOCK, .60, .79, 0},
      {KERNEL_FP4, .46, .74, 0}},
     {{KERNEL_16, .41, .82, 80},
      {KERNEL_FP8, .38, .82, 120},
      {KERNEL_FP8_BLOCK, .30, .80, 200},
      {KERNEL_FP4, .30, .80, 120},
      {KERNEL_MXFP4, .45, .80, 20}},
     19,
     .45,
     .82,
     .70,
     1,
     .05},
};

/* From the operator tables of the A100 (memory: batch-1 rows) and of the RTX PRO 6000, whose
 * shares the GB10 takes over; MI300X and Apple: assumed. */
static const struct family_prior other_priors[] = {
    {"ampere",
     {{KERNEL_16, .823, .83, 0}, {KERNEL_W4, .825, .83, 0}},
     {{KERNEL_16, .364, .928, 20}, {KERNEL_W4, .25, .83, 100}},
     90,
     .425,
     .75,
     .70,
     1,
     .1},
    {"blackwell-rtx",
     {{KERNEL_16, .906, .88, 0},
      {KERNEL_FP8, .735, .86, 0},
      {KERNEL_FP4, .61, .74, 0},
      {KERNEL_W4, .45, .86, 0}},
     {{KERNEL_16, .475, .957, 20}, {KERNEL_W4, .25, .86, 100}},
     24,
     .407,
     .83,
     .70,
     1,
     .1},
    {"gb10",
     {{KERNEL_16, .85, .88, 0},
      {KERNEL_FP8, .72, .86, 0},
      {KERNEL_FP4, .61, .74, 0},
      {KERNEL_W4, .45, .75, 0}},
     {{KERNEL_16, .40, .85, 80},
      {KERNEL_FP8, .35, .85, 100},
      {KERNEL_FP4, .30, .80, 120},
      {KERNEL_MXFP4, .30, .80, 60}},
     30,
     .52,
     .83,
     .70,
     1,
     .1},
    {"ada-lovelace",
     {{KERNEL_W4, .40, .83, 0}},
     {{KERNEL_W4, .25, .83, 100}, {KERNEL_MXFP4, .25, .80, 60}},
     62,
     .365,
     .858,
     .70,
     1,
     .1},
    {"ampere-rtx",
     {{KERNEL_W8, .60, .85, 0}, {KERNEL_W4, .45, .83, 0}},
     {{KERNEL_W4, .25, .83, 100}, {KERNEL_MXFP4, .25, .80, 60}},
     60,
     .42,
     .75,
     .70,
     1.1,
     .1},
    {"rdna4",
     {{KERNEL_16, .50, .75, 0}, {KERNEL_FP8, .40, .75, 0}, {KERNEL_W4, .30, .55, 0}},
     {{KERNEL_W4, .20, .40, 300}, {KERNEL_MXFP4, .20, .40, 300}},
     100,
     .25,
     .60,
     .50,
     2,
     .5},
    {"cdna3",
     {{KERNEL_16, .70, .60, 0}, {KERNEL_FP8, .55, .60, 0}, {KERNEL_FP8_BLOCK, .45, .60, 0}},
     {{KERNEL_16, .35, .60, 80}, {KERNEL_FP8_BLOCK, .25, .55, 200}},
     60,
     .40,
     .60,
     .50,
     2,
     .5},
    {"apple-ultra",
     {{KERNEL_16, .60, .74, 0}, {KERNEL_W4, .40, .70, 0}},
     {{KERNEL_MXFP4, .30, .60, 60}},
     100,
     .30,
     .60,
     .50,
     1,
     .05},
    {"apple-gpu",
     {{KERNEL_16, .60, .85, 0}, {KERNEL_W4, .40, .82, 0}, {KERNEL_GGUF, .50, .82, 0}},
     {{KERNEL_MXFP4, .30, .75, 60}},
     100,
     .30,
     .75,
     .50,
     1,
     .05},
};

static void add_family(struct fit *fit, struct family *f, const struct family_prior *p)
{
    for (int i = 0; i < 8 && p->product[i].memory > 0; i++) {
        const struct kernel_prior *k = &p->product[i];
        char where[48];
        gp_format(where, sizeof(where), "%s products %s", f->id, kernel_word(k->kernel));
        add(fit, &f->product[k->kernel].compute, k->compute, .15, 1, where, "compute");
        add(fit, &f->product[k->kernel].memory, k->memory, .12, 1, where, "memory");
    }
    for (int i = 0; i < 8 && p->expert[i].memory > 0; i++) {
        const struct kernel_prior *k = &p->expert[i];
        char where[48];
        gp_format(where, sizeof(where), "%s experts %s", f->id, kernel_word(k->kernel));
        add(fit, &f->expert[k->kernel].compute, k->compute, .3, 1, where, "compute");
        add(fit, &f->expert[k->kernel].memory, k->memory, .12, 1, where, "memory");
        add(fit, &f->expert[k->kernel].each, k->each, .5, 1e-9, where, "each_ns");
    }
    add(fit, &f->expert_token, p->token, .3, 1e-9, f->id, "expert_token_ns");
    add(fit, &f->prefill_attention, p->attention, .15, 1, f->id, "prefill_attention");
    add(fit, &f->kv_memory, p->kv, .12, 1, f->id, "kv_memory");
    add(fit, &f->mla_compute, p->mla, .2, 1, f->id, "mla_compute");
    add(fit, &f->launch, p->launch, p->launch_sigma, 1, f->id, "launch");
}

static const struct engine_prior {
    const char *id;
    double experts, allreduce, interference, launch;
} engine_priors[] = {
    {"vllm", 10, 1.2, .95, 30}, {"tensorrt-llm", 8, 1.0, .95, 15}, {"sglang", 10, 1.2, .80, 0}};

static void add_engine(struct fit *fit, struct engine *e, const struct engine_prior *p)
{
    struct engine_speed *s = &e->speed;
    add(fit, &s->kernel, 2.8, .15, 1e-6, e->id, "kernel_us");
    add(fit, &s->host, .5, .4, 1e-3, e->id, "host_ms");
    add(fit, &s->request, 4, .5, 1e-6, e->id, "request_us");
    add(fit, &s->sampler, 3, .4, 1, e->id, "sampler");
    add(fit, &s->experts, p->experts, .4, 1e-6, e->id, "experts_us");
    for (int i = 0; i < s->case_count; i++)
        if (s->at[i].family[0] && s->at[i].rows <= 0)
            add(fit, &s->at[i].experts, 50, .4, 1e-6, e->id, "cases experts_us");
    add(fit, &s->allreduce, p->allreduce, .3, 1, e->id, "allreduce");
    if (p->launch > 0)
        add(fit, &s->prefill_kernel, p->launch, .7, 1e-6, e->id, "prefill_kernel_us");
    add(fit, &s->prefill_compute, .85, .2, 1, e->id, "prefill_compute");
    add(fit, &s->interference, p->interference, .1, 1, e->id, "interference");
}

/* Constants that SGLang's ranges have of their own: 0.5.9 has other kernels of experts and
 * fuses all-reduces and norms; one lab's runs of both differ by a fifth at any load. */
static const struct own_prior {
    size_t member;
    double prior, sigma, unit;
    const char *key;
} sglang_own[] = {
    {offsetof(struct engine_speed, kernel), 2.8, .15, 1e-6, "kernel_us"},
    {offsetof(struct engine_speed, experts), 10, .4, 1e-6, "experts_us"},
    {offsetof(struct engine_speed, prefill_compute), .85, .2, 1, "prefill_compute"},
};

static const struct own_prior *own_of(const char *engine, size_t member)
{
    for (size_t i = 0; i < COUNT(sglang_own) && strcmp(engine, "sglang") == 0; i++)
        if (sglang_own[i].member == member)
            return &sglang_own[i];
    return NULL;
}

/* The constants of another range of that engine are the same, but for its cases and its own. */
static void tie_range(struct fit *fit, const struct engine *first, struct engine *other)
{
    for (int i = 0, count = fit->count; i < count; i++) {
        const char *from = (const char *)&first->speed, *at = (const char *)fit->parameter[i].at;
        if (at < from || at >= (const char *)first->speed.at)
            continue;
        double *there = (double *)((char *)&other->speed + (at - from));
        const struct own_prior *own = own_of(other->id, at - from);
        char where[40];
        gp_format(where, sizeof(where), "%s@%.20s", other->id, other->range);
        if (own)
            add(fit, there, own->prior, own->sigma, own->unit, where, own->key);
        else
            tie(&fit->parameter[i], there);
    }
}

static void add_families(struct fit *fit, struct constants *c, const struct family_prior *prior,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int f = 0; f < c->families; f++)
            if (strcmp(c->family[f].id, prior[i].id) == 0)
                add_family(fit, &c->family[f], &prior[i]);
}

void fit_served(struct fit *fit, struct constants *c)
{
    add_families(fit, c, family_priors, COUNT(family_priors));
    for (size_t i = 0; i < COUNT(engine_priors); i++) {
        struct engine *first = NULL;
        for (int e = 0; e < c->engines; e++) {
            if (strcmp(c->engine[e].id, engine_priors[i].id) != 0)
                continue;
            if (first)
                tie_range(fit, first, &c->engine[e]);
            else
                add_engine(fit, first = &c->engine[e], &engine_priors[i]);
        }
    }
}

/* Constants of an engine's ranges: those that begin with one of the words, as one. member: of
 * struct engine_speed, or of the case of a kernel or family. */
static const struct range_prior {
    const char *engine, *ranges, *key; /* ranges NULL: all */
    size_t member;
    int kernel;         /* of a case; KERNEL_COUNT: none */
    const char *family; /* of a case of a family's launch; NULL: none */
    double prior, sigma, unit;
} range_priors[] = {
#define MEMBER(name) offsetof(struct engine_speed, name), KERNEL_COUNT, NULL
    {"vllm", "0.8|0.9|0.11|0.12", "request_us", MEMBER(request), 35, .5, 1e-6},
    {"vllm", NULL, "cases w4a16 experts_us", 0, KERNEL_W4, NULL, 30, .5, 1e-6},
    {"vllm", "0.8|0.9|0.11", "cases fp8-block experts_us", 0, KERNEL_FP8_BLOCK, NULL, 100, .5,
     1e-6},
    {"sglang", NULL, "prefill_kernel_us", MEMBER(prefill_kernel), 30, .7, 1e-6},
    {"sglang", "up to 0.5.8", "kernel_us", MEMBER(kernel), 3.04, .15, 1e-6},
    {"sglang", "0.5.9", "cases launch of cdna3", 0, KERNEL_COUNT, "cdna3", .5, .5, 1},
    {"mlx", NULL, "layer_us", MEMBER(layer), 60, .5, 1e-6},
    {"llama.cpp", "b5000|b7400|b9500", "layer_us", MEMBER(layer), 50, .5, 1e-6},
#undef MEMBER
};

static bool in_ranges(const char *ranges, const char *range)
{
    for (const char *at = ranges; at && *at; at += strcspn(at, "|"), at += *at == '|') {
        size_t n = strcspn(at, "|");

        if (strncmp(at, range, n) == 0)
            return true;
    }
    return ranges == NULL;
}

static double *range_member(const struct range_prior *p, struct engine_speed *e)
{
    if (p->kernel == KERNEL_COUNT && !p->family)
        return (double *)((char *)e + p->member);
    for (int i = 0; i < e->case_count; i++) {
        struct speed_case *c = &e->at[i];
        bool launches = c->launch > 0;

        if (p->family && launches && strcmp(c->family, p->family) == 0)
            return &c->launch;
        if (!p->family && !launches && c->kernel == p->kernel && c->family[0] == '\0')
            return &c->experts;
    }
    return NULL;
}

static void add_ranges(struct fit *fit, struct constants *c)
{
    for (size_t i = 0; i < COUNT(range_priors); i++) {
        const struct range_prior *p = &range_priors[i];
        bool first = true;

        for (int e = 0; e < c->engines; e++) {
            struct engine *engine = &c->engine[e];
            double *at;

            if (strcmp(engine->id, p->engine) != 0 || !in_ranges(p->ranges, engine->range) ||
                !(at = range_member(p, &engine->speed)))
                continue;
            if (first)
                add(fit, at, p->prior, p->sigma, p->unit, engine->id, p->key);
            else
                tie(&fit->parameter[fit->count - 1], at);
            first = false;
        }
    }
}

/* PCIe without peer access: one law of all families, of 2, 4 and 8 GPUs. */
static void add_staged(struct fit *fit, struct constants *c)
{
    static const double latency[LINK_SIZES] = {60, 70, 90}, share[LINK_SIZES] = {.3, .2, .15};

    for (int n = 0; n < LINK_SIZES; n++) {
        bool first = true;

        for (int f = 0; f < c->families; f++) {
            struct link_law *law = &c->family[f].staged;

            if (law->latency[0] <= 0)
                continue;
            if (first) {
                add(fit, &law->latency[n], latency[n], .5, 1e-6, "pcie_staged", "latency_us");
                add(fit, &law->share[n], share[n], .5, 1, "pcie_staged", "share");
            } else {
                tie(&fit->parameter[fit->count - 2], &law->latency[n]);
                tie(&fit->parameter[fit->count - 1], &law->share[n]);
            }
            first = false;
        }
    }
}

void fit_others(struct fit *fit, struct constants *c)
{
    add_families(fit, c, other_priors, COUNT(other_priors));
    add_ranges(fit, c);
    add_staged(fit, c);
    for (int f = 0; f < c->families; f++)
        if (strcmp(c->family[f].id, "hopper") == 0 || strcmp(c->family[f].id, "blackwell") == 0) {
            struct expert_share *w4 = &c->family[f].expert[KERNEL_W4];
            add(fit, &w4->compute, .25, .3, 1, c->family[f].id, "experts w4a16 compute");
            add(fit, &w4->memory, .82, .12, 1, c->family[f].id, "experts w4a16 memory");
            add(fit, &w4->each, 100, .5, 1e-9, c->family[f].id, "experts w4a16 each_ns");
        }
}

/* llama.cpp's kernels by the memory that they read: GDDR, HBM, unified of Apple. */
static const struct {
    const char *id;
    double f16, quantized, compute16, compute;
} gguf_priors[] = {
    {"ampere-rtx", .95, .92, .60, .35},    {"ada-lovelace", .95, .92, .60, .35},
    {"blackwell-rtx", .95, .92, .60, .35}, {"turing", .90, .80, .60, .35},
    {"ampere", .60, .60, .60, .35},        {"hopper", .60, .60, .30, .20},
    {"gb10", .85, .80, .50, .40},          {"apple-ultra", .75, .60, .60, .50},
    {"rdna3-5", .80, .75, .50, .30},       {"rdna4", .80, .75, .50, .30},
};

void fit_llamacpp(struct fit *fit, struct constants *c)
{
    for (size_t i = 0; i < COUNT(gguf_priors); i++)
        for (int f = 0; f < c->families; f++) {
            struct family *at = &c->family[f];
            struct product_share *p16 = &at->product[KERNEL_GGUF16], *p = &at->product[KERNEL_GGUF];
            char where[2][48];
            if (strcmp(at->id, gguf_priors[i].id) != 0)
                continue;
            gp_format(where[0], sizeof(where[0]), "%s products gguf-16", at->id);
            gp_format(where[1], sizeof(where[1]), "%s products gguf", at->id);
            add(fit, &p16->compute, gguf_priors[i].compute16, .4, 1, where[0], "compute");
            add(fit, &p16->memory, gguf_priors[i].f16, .15, 1, where[0], "memory");
            add(fit, &p->compute, gguf_priors[i].compute, .4, 1, where[1], "compute");
            add(fit, &p->memory, gguf_priors[i].quantized, .15, 1, where[1], "memory");
        }
    struct engine_speed *old = NULL, *new = NULL; /* builds that unpack, and later ones */
    for (int e = 0; e < c->engines; e++)
        *(c->engine[e].speed.unpacks ? &old : &new) = &c->engine[e].speed;
    if (!old || !new)
        return;
    const struct {
        double *old, *new, prior, sigma, unit;
        const char *key;
    } shared[] = {
        {&old->layer, NULL, 80, .5, 1e-6, "layer_us"},
        {&new->layer, NULL, 50, .5, 1e-6, "layer_us, b5000 on"},
        {&old->kv, &new->kv, .45, .4, 1, "kv"},
        {&old->prefill_layer, &new->prefill_layer, 150, .7, 1e-6, "prefill_layer_us"},
        {&old->prefill_attention, &new->prefill_attention, .5, .7, 1, "prefill_attention"},
        {&old->prefill_overlap, &new->prefill_overlap, .6, .5, 1, "prefill_overlap"},
        {&old->score_bytes, NULL, 20, .5, 1, "score_bytes"},
    };
    for (size_t i = 0; i < COUNT(shared); i++) {
        add(fit, shared[i].old, shared[i].prior, shared[i].sigma, shared[i].unit, "llama.cpp",
            shared[i].key);
        if (shared[i].new)
            tie(&fit->parameter[fit->count - 1], shared[i].new);
    }
}

void fit_batch1(struct fit *fit, struct constants *c)
{
    for (int e = 0; e < c->engines; e++) {
        add(fit, &c->engine[e].speed.kernel, 8, .7, 1e-6, "vllm", "kernel_us");
        add(fit, &c->engine[e].speed.host, 2, .7, 1e-3, "vllm", "host_ms");
        add(fit, &c->engine[e].speed.kv, .8, .4, 1, "vllm", "kv");
    }
    for (int f = 0; f < c->families; f++) {
        struct product_share *p = c->family[f].product;
        add(fit, &p[KERNEL_16].memory, .83, .12, 1, "ampere products 16-bit", "memory");
        add(fit, &p[KERNEL_W8].memory, .83, .2, 1, "ampere products w8a16", "memory");
        add(fit, &p[KERNEL_W4].memory, .83, .2, 1, "ampere products w4a16", "memory");
    }
}

void fit_priors(struct fit *fit)
{
    for (int i = 0; i < fit->count; i++)
        set(&fit->parameter[i], fit->parameter[i].prior);
}

/* ---- the fit: Levenberg-Marquardt on ln of the constants ---- */

static double row_error(const struct row *row)
{
    struct row_answer out;
    return row_predict(row, &out) ? log(out.time / row->time) : 0;
}

double fit_weight(const struct rows *rows, int row, double cap,
                  bool (*alike)(const struct row *a, const struct row *b))
{
    int count = 0;
    for (int j = 0; j < rows->count; j++)
        count += alike(&rows->row[row], &rows->row[j]);
    return sqrt(fmin(1, cap / count));
}

static double huber(double error, double weight)
{
    double r = error / SIGMA;
    return copysign(sqrt(2 * (sqrt(1 + r * r) - 1)), r) * weight;
}

static void residuals(const struct rows *rows, const double *weight, double *out)
{
    for (int i = 0; i < rows->count; i++)
        out[i] = weight[i] > 0 ? huber(row_error(&rows->row[i]), weight[i]) : 0;
}

static double prior_residual(const struct parameter *p)
{
    return log(*p->at / p->prior) / p->sigma;
}

static double cost_of(const struct rows *rows, const struct fit *fit, const double *r)
{
    double sum = 0;
    for (int i = 0; i < rows->count; i++)
        sum += r[i] * r[i];
    for (int i = 0; i < fit->count; i++)
        sum += prior_residual(&fit->parameter[i]) * prior_residual(&fit->parameter[i]);
    return sum;
}

/* Solves a*x = b in place by Cholesky; a is n x n, positive definite. */
static void solve(double *a, double *b, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        a[j * n + j] = sqrt(fmax(a[j * n + j], 1e-12));
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
}

static bool lies_in(const double *at, const void *object, size_t size)
{
    const char *begin = object, *p = (const char *)at;
    return p >= begin && p < begin + size;
}

/* Is the constant one of the row's GPU family or engine? */
static bool shapes(const struct parameter *p, const struct row *row)
{
    const struct family *f = row->request.gpu->family;
    const struct engine *e = row->request.engine;
    for (int i = -1; i < p->alsos; i++) {
        const double *at = i < 0 ? p->at : p->also[i];
        if (lies_in(at, f, sizeof(*f)) || lies_in(at, e, sizeof(*e)))
            return true;
    }
    return false;
}

/* Normal equations of the rows' and the priors' residuals. */
static void normal_equations(const struct rows *rows, struct fit *fit, const double *weight,
                             const double *r, double *a, double *b)
{
    int n = fit->count, m = rows->count;
    double *jacobian = gp_calloc((size_t)m * n, sizeof(double));
    const double step = 1e-3;
    for (int p = 0; p < n; p++) {
        const struct parameter *one = &fit->parameter[p];
        double old = *one->at;
        set(one, old * exp(step));
        for (int i = 0; i < m; i++)
            if (weight[i] > 0 && shapes(one, &rows->row[i]))
                jacobian[(size_t)p * m + i] =
                    (huber(row_error(&rows->row[i]), weight[i]) - r[i]) / step;
        set(one, old);
    }
    for (int p = 0; p < n; p++) {
        const struct parameter *c = &fit->parameter[p];
        const double *jp = jacobian + (size_t)p * m;
        b[p] = -prior_residual(c) / c->sigma;
        for (int i = 0; i < m; i++)
            b[p] -= jp[i] * r[i];
        for (int q = 0; q <= p; q++) {
            double sum = p == q ? 1 / (c->sigma * c->sigma) : 0;
            for (int i = 0; i < m; i++)
                sum += jp[i] * jacobian[(size_t)q * m + i];
            a[p * n + q] = a[q * n + p] = sum;
        }
    }
    free(jacobian);
}

static void fit_step(const struct fit *fit, const double *x)
{
    for (int i = 0; i < fit->count; i++)
        set(&fit->parameter[i], *fit->parameter[i].at * exp(fmax(fmin(x[i], 0.5), -0.5)));
}

/* Fits on the rows whose weight is not 0. */
void fit_run(const struct rows *rows, struct fit *fit, const double *weight)
{
    int n = fit->count;
    double *a = gp_calloc((size_t)n * n, sizeof(double)), *b = gp_calloc(n, sizeof(double));
    double *r = gp_calloc(rows->count, sizeof(double));
    fit_priors(fit);
    residuals(rows, weight, r);
    double cost = cost_of(rows, fit, r);
    for (int k = 0; k < ITERATIONS; k++) {
        normal_equations(rows, fit, weight, r, a, b);
        solve(a, b, n);
        fit_step(fit, b);
        residuals(rows, weight, r);
        double next = cost_of(rows, fit, r);
        if (next > cost) /* too far: half of the way back */
            for (int i = 0; i < n; i++)
                set(&fit->parameter[i],
                    *fit->parameter[i].at * exp(-0.5 * fmax(fmin(b[i], 0.5), -0.5)));
        residuals(rows, weight, r);
        next = cost_of(rows, fit, r);
        if (fabs(cost - next) < 1e-4 * cost)
            break;
        cost = next;
    }
    free(r);
    free(b);
    free(a);
}

void fit_print(const struct fit *fit)
{
    for (int i = 0; i < fit->count; i++) {
        const struct parameter *p = &fit->parameter[i];
        printf("  %-44s %8.4g  (prior %.4g)\n", p->name, *p->at / p->unit, p->prior / p->unit);
    }
}
