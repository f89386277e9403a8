/*
 * operators.c - the laws of single operators against tables of measured ones.
 *
 *   operators [FOLDER]      validation/ops/ of the folder: latencies of single products,
 *                           attention, MLA, experts and all-reduces on five GPUs
 *                           (ai-dynamo/aiconfigurator at 095f58a51, Apache-2.0)
 *
 * Each law of core/speed is fitted to each table by the median of |ln(law / measured)|,
 * with one more constant: what an operator that is measured alone costs before it starts
 * (t0), which inside a step the time per kernel carries. The profile's own constants are
 * scored beside it with that t0 alone fitted. Alone, the products in 16 bit, with floors;
 * GPUPLAN_ACCURACY=all: everything. Left out: fp8-block products of 16 tokens and less on
 * a fused path (README of the tables), all-reduces of the L40S.
 */
#define _POSIX_C_SOURCE 200809L

#include "catalog/family.h"
#include "plan/speed/gemm.h"
#include "table.h"

#define OPS_MAX 6000
#define LAW_MAX 5 /* constants */

/* One measured operator: seconds at the full rates of the data sheet. */
struct op {
    double compute, memory;
    double each;  /* a count that costs time of its own: experts; sqrt of MB */
    double token; /* tokens */
    double m, n, k;
    double time; /* s, measured */
};

struct ops {
    struct op *op;
    int count, seen;
};

/* Constants in order: t0, share of the arithmetic, share of the bandwidth, ... */
typedef double (*law_fn)(const struct op *op, const double *c);

/* ---- the fit: Nelder-Mead on the logarithms ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double cost_of(const struct ops *ops, law_fn law, const double *log_c, int n)
{
    double c[LAW_MAX], sum = 0;
    for (int i = 0; i < n; i++) {
        c[i] = exp(log_c[i]);
        if (log_c[i] > 6 || log_c[i] < -23)
            return 1e9;
    }
    for (int i = 0; i < ops->count; i++) {
        double r = log(law(&ops->op[i], c) / ops->op[i].time) / 0.1;
        sum += sqrt(1 + r * r) - 1;
    }
    return isfinite(sum) ? sum / ops->count : 1e9;
}

struct vertex {
    double x[LAW_MAX], cost;
};

static int by_cost(const void *a, const void *b)
{
    const struct vertex *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

static struct vertex along(const struct vertex *from, const double *center, double step, int n)
{
    struct vertex v = {.cost = 0};
    for (int i = 0; i < n; i++)
        v.x[i] = center[i] + step * (center[i] - from->x[i]);
    return v;
}

/* free: bit i, constant i is fitted. */
static void fit(const struct ops *ops, law_fn law, double *c, int n, unsigned fitted)
{
    struct vertex v[LAW_MAX + 1];
    int at[LAW_MAX], m = 0;
    double full[LAW_MAX];
    for (int i = 0; i < n; i++) {
        full[i] = log(c[i]);
        if (fitted >> i & 1)
            at[m++] = i;
    }
#define COST(vertex)                                \
    do {                                            \
        for (int q_ = 0; q_ < m; q_++)              \
            full[at[q_]] = (vertex).x[q_];          \
        (vertex).cost = cost_of(ops, law, full, n); \
    } while (0)
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j < m; j++)
            v[i].x[j] = log(c[at[j]]) + (i == j + 1 ? 0.4 : 0);
        COST(v[i]);
    }
    for (int round = 0; round < 60 * m; round++) {
        double center[LAW_MAX] = {0};
        qsort(v, m + 1, sizeof(v[0]), by_cost);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                center[j] += v[i].x[j] / m;
        struct vertex r = along(&v[m], center, 1, m);
        COST(r);
        if (r.cost < v[0].cost) {
            struct vertex e = along(&v[m], center, 2, m);
            COST(e);
            v[m] = e.cost < r.cost ? e : r;
        } else if (r.cost < v[m - 1].cost)
            v[m] = r;
        else {
            struct vertex k = along(&v[m], center, -0.5, m);
            COST(k);
            if (k.cost < v[m].cost) {
                v[m] = k;
                continue;
            }
            for (int i = 1; i <= m; i++) {
                for (int j = 0; j < m; j++)
                    v[i].x[j] = (v[i].x[j] + v[0].x[j]) / 2;
                COST(v[i]);
            }
        }
    }
    qsort(v, m + 1, sizeof(v[0]), by_cost);
    for (int j = 0; j < m; j++)
        c[at[j]] = exp(v[0].x[j]);
#undef COST
}

struct errors {
    double median, tail;
};

static struct errors errors_of(const struct ops *ops, law_fn law, const double *c)
{
    static double error[OPS_MAX];
    for (int i = 0; i < ops->count; i++)
        error[i] = fabs(law(&ops->op[i], c) / ops->op[i].time - 1);
    qsort(error, ops->count, sizeof(double), by_value);
    return (struct errors){error[ops->count / 2], error[(int)(.9 * (ops->count - 1))]};
}

/* ---- the laws ---- */

static double law_product(const struct op *op, const double *c)
{
    return c[0] + gemm_norm(op->compute / c[1], op->memory / c[2], c[3]);
}

static double law_attention(const struct op *op, const double *c)
{
    return c[0] + hypot(op->compute / c[1], op->memory / c[2]);
}

static double law_reads(const struct op *op, const double *c)
{
    return c[0] + op->memory / c[1];
}

/* Few pairs of sequence and KV head do not keep memory as busy. */
static double law_split(const struct op *op, const double *c)
{
    return c[0] + (op->memory + c[2] * op->each) / c[1];
}

static double law_walk(const struct op *op, const double *c)
{
    return c[0] + c[1] * op->each;
}

static double law_experts(const struct op *op, const double *c)
{
    return c[0] + hypot(op->compute / c[1], op->memory / c[2]) + c[3] * op->each + c[4] * op->token;
}

static double law_allreduce(const struct op *op, const double *c)
{
    return c[0] + c[1] * op->each + op->memory / c[2];
}

static double wave_sms;

static double law_waves(const struct op *op, const double *c)
{
    return c[0] + gemm_norm(op->compute * op->token / c[1], op->memory / c[2], c[3]);
}

/* ---- the tables ---- */

struct gz {
    FILE *pipe;
    char *line, *field[32];
    char head[32][40];
    size_t size;
    int columns;
};

static int cut(char *line, char **field)
{
    int n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *p = line; p && n < 32; n++) {
        field[n] = p;
        p = strchr(p, ',');
        if (p)
            *p++ = '\0';
    }
    return n;
}

static bool gz_open(struct gz *g, const char *folder, const char *name)
{
    char file[GP_PATH_MAX], command[GP_PATH_MAX + 32];
    memset(g, 0, sizeof(*g));
    gp_format(file, sizeof(file), "%s/validation/ops/%s", folder, name);
    if (!path_is_file(file) || strchr(file, '\''))
        return false;
    gp_format(command, sizeof(command), "gzip -dc '%s'", file);
    g->pipe = popen(command, "r");
    if (!g->pipe || getline(&g->line, &g->size, g->pipe) <= 0)
        return false;
    g->columns = cut(g->line, g->field);
    for (int i = 0; i < g->columns; i++)
        gp_copy(g->head[i], sizeof(g->head[i]), g->field[i]);
    return true;
}

static bool gz_next(struct gz *g)
{
    return getline(&g->line, &g->size, g->pipe) > 0 && cut(g->line, g->field) > 0;
}

static void gz_close(struct gz *g)
{
    if (g->pipe)
        pclose(g->pipe);
    free(g->line);
}

static const char *gz_text(const struct gz *g, const char *column)
{
    for (int i = 0; i < g->columns; i++)
        if (strcmp(g->head[i], column) == 0)
            return g->field[i];
    return "";
}

static double gz_number(const struct gz *g, const char *column)
{
    return strtod(gz_text(g, column), NULL);
}

/* Every nth row, so that OPS_MAX hold the table's whole range. */
static struct op *ops_add(struct ops *ops, int nth)
{
    if (ops->seen++ % nth != 0 || ops->count == OPS_MAX)
        return NULL;
    struct op *op = &ops->op[ops->count++];
    memset(op, 0, sizeof(*op));
    return op;
}

/* How weights of a table's type run. */
struct type {
    const char *word;
    enum kernel kernel;
    double weight, value; /* bytes, of a weight and of an activation */
};

static const struct type types[] = {
    {"bfloat16", KERNEL_16, 2, 2},
    {"fp8", KERNEL_FP8, 1, 1},
    {"fp8_block", KERNEL_FP8_BLOCK, 1, 1},
    {"nvfp4", KERNEL_FP4, .5625, .5625},
    {"int8_wo", KERNEL_W8, 1, 2},
    {"int4_wo", KERNEL_W4, .53, 2},
    {"sq", KERNEL_INT8, 1, 1},
    {"w4a16_mxfp4", KERNEL_MXFP4, .53125, 2},
};

struct table {
    const char *gpu, *file, *type;
    const struct gpu *spec;
    const struct type *kind;
    int nth;
};

static double rate_of(const struct table *t)
{
    double rate = kernel_rate(t->kind->kernel, t->spec);
    return rate > 0 ? rate : kernel_rate(KERNEL_16, t->spec);
}

static void read_product(const struct gz *g, const struct table *t, struct ops *ops)
{
    double m = gz_number(g, "m"), n = gz_number(g, "n"), k = gz_number(g, "k");
    struct op *op;
    if (n < 512 || k < 512 || m > 16384 || strcmp(gz_text(g, "dtype"), t->type) != 0 ||
        !(op = ops_add(ops, t->nth)))
        return;
    *op = (struct op){.compute = 2 * m * n * k / rate_of(t),
                      .memory = (t->kind->weight * n * k + t->kind->value * m * k + 2 * m * n) /
                                t->spec->bandwidth.value,
                      .m = m,
                      .n = n,
                      .k = k,
                      .time = gz_number(g, "latency_ms") / 1e3};
    op->token = waves_issued(op->m, op->n, op->k, wave_sms);
}

/* A prompt's: causal, no window, 16 bit. */
static void read_context(const struct gz *g, const struct table *t, struct ops *ops)
{
    double b = gz_number(g, "batch_size"), s = gz_number(g, "isl");
    double nq = gz_number(g, "num_heads"), nkv = gz_number(g, "num_key_value_heads");
    double d = gz_number(g, "head_dim");
    struct op *op;
    if (gz_number(g, "window_size") > 0 || d != 128 || gz_number(g, "step") > 0 || s < 256 ||
        strcmp(gz_text(g, "attn_dtype"), "bfloat16") != 0 ||
        strcmp(gz_text(g, "kv_cache_dtype"), "bfloat16") != 0 || !(op = ops_add(ops, t->nth)))
        return;
    nkv = nkv > 0 ? nkv : nq;
    *op = (struct op){.compute = 2 * b * s * s * nq * d / rate_of(t),
                      .memory = 2 * b * s * d * (2 * nq + 2 * nkv) / t->spec->bandwidth.value,
                      .time = gz_number(g, "latency") / 1e3};
}

/* Decoding: caches of 16 bit and at least 4 MiB, below which the launch is all. */
static void read_cache(const struct gz *g, const struct table *t, struct ops *ops, double least)
{
    double b = gz_number(g, "batch_size"), s = gz_number(g, "isl") + gz_number(g, "step");
    double nq = gz_number(g, "num_heads"), nkv = gz_number(g, "num_key_value_heads");
    double d = gz_number(g, "head_dim");
    nkv = nkv > 0 ? nkv : nq;
    double bytes = 2 * b * d * (2 * nkv * s + 2 * nq);
    struct op *op;
    if (gz_number(g, "window_size") > 0 || d != 128 || bytes < least || nq / nkv > 16 ||
        strcmp(gz_text(g, "kv_cache_dtype"), "bfloat16") != 0 || !(op = ops_add(ops, t->nth)))
        return;
    *op = (struct op){.memory = bytes / t->spec->bandwidth.value,
                      .each = bytes / t->spec->bandwidth.value / (b * nkv),
                      .time = gz_number(g, "latency") / 1e3};
}

static void read_decode(const struct gz *g, const struct table *t, struct ops *ops)
{
    read_cache(g, t, ops, 1 << 22);
}

/* What L2 does not hold and no launch hides. */
static void read_long(const struct gz *g, const struct table *t, struct ops *ops)
{
    read_cache(g, t, ops, 1 << 26);
}

/* MLA: latents of 512 + 64, scores of 192 and values of 128 in a prompt. num_heads are
 * those of the rank; decode kernels work on tiles of 64 heads. */
static void read_mla_context(const struct gz *g, const struct table *t, struct ops *ops)
{
    double b = gz_number(g, "batch_size"), s = gz_number(g, "isl"), nh = gz_number(g, "num_heads");
    struct op *op;
    if (s < 256 || strcmp(gz_text(g, "kv_cache_dtype"), "bfloat16") != 0 ||
        !(op = ops_add(ops, t->nth)))
        return;
    *op = (struct op){.compute = b * s * s * nh * (192 + 128) / rate_of(t),
                      .memory = 2 * b * s * nh * 640 / t->spec->bandwidth.value,
                      .time = gz_number(g, "latency") / 1e3};
}

static void read_mla_decode(const struct gz *g, const struct table *t, struct ops *ops)
{
    double b = gz_number(g, "batch_size"), nh = gz_number(g, "num_heads");
    double s = gz_number(g, "isl") + gz_number(g, "step");
    struct op *op;
    if (b * s < 4096 || strcmp(gz_text(g, "kv_cache_dtype"), "bfloat16") != 0 ||
        !(op = ops_add(ops, t->nth)))
        return;
    *op = (struct op){.compute = 2 * b * s * fmax(nh, 64) * 1088 / rate_of(t),
                      .memory = 2 * b * s * 576 / t->spec->bandwidth.value,
                      .time = gz_number(g, "latency") / 1e3};
}

/* One sequence, on GPUs without a kernel for it: its tokens, in ns at 1 ns each. */
static void read_mla_walk(const struct gz *g, const struct table *t, struct ops *ops)
{
    double s = gz_number(g, "isl") + gz_number(g, "step");
    struct op *op;
    if (gz_number(g, "batch_size") != 1 || s < 512 ||
        strcmp(gz_text(g, "kv_cache_dtype"), "bfloat16") != 0 || !(op = ops_add(ops, t->nth)))
        return;
    *op = (struct op){.each = s * 1e-9, .time = gz_number(g, "latency") / 1e3};
}

/* Experts as a skewed routing fills them. */
static void read_experts(const struct gz *g, const struct table *t, struct ops *ops)
{
    double tokens = gz_number(g, "num_tokens"), h = gz_number(g, "hidden_size");
    double width = gz_number(g, "inter_size"), k = gz_number(g, "topk");
    double e = gz_number(g, "num_experts"), ep = gz_number(g, "moe_ep_size");
    double n = gz_number(g, "moe_tp_size") * ep;
    double matrices = strstr(gz_text(g, "kernel_source"), "nongated") ? 2 : 3;
    struct op *op;
    if (strcmp(gz_text(g, "moe_dtype"), t->type) != 0 || n > 8 || tokens > 16384 ||
        strcmp(gz_text(g, "distribution"), "power_law_1.01") != 0 || !(op = ops_add(ops, t->nth)))
        return;
    double reached = moe_reached(e, k, tokens);
    double bytes = t->kind->weight * matrices * h * width * reached / n;
    *op = (struct op){.compute = 2 * matrices * tokens * k * h * width / n / rate_of(t),
                      .memory = (bytes + 2 * tokens * k * (2 * h + matrices * width) / n) /
                                t->spec->bandwidth.value,
                      .each = reached / ep,
                      .token = tokens,
                      .time = gz_number(g, "latency") / 1e3};
}

static int reduce_gpus;

static void read_reduce(const struct gz *g, const struct table *t, struct ops *ops)
{
    double n = gz_number(g, "num_gpus"), s = 2 * gz_number(g, "message_size");
    const char *backend = gz_text(g, "backend");
    double link = t->spec->link_bandwidth > 0 ? t->spec->link_bandwidth / 2 : 64e9;
    struct op *op;
    if (n != reduce_gpus || (backend[0] && strstr(backend, "eager")) ||
        !(op = ops_add(ops, t->nth)))
        return;
    *op = (struct op){.memory = 2 * (n - 1) / n * s / link,
                      .each = sqrt(s / 1e6),
                      .time = gz_number(g, "latency") / 1e3};
}

/* ---- each table, fitted and scored ---- */

static bool read_table(const char *folder, const struct table *t,
                       void (*read)(const struct gz *, const struct table *, struct ops *),
                       struct ops *ops)
{
    struct gz g;
    bool found = gz_open(&g, folder, t->file);
    ops->count = ops->seen = 0;
    while (found && gz_next(&g))
        read(&g, t, ops);
    gz_close(&g);
    return found && ops->count > 20;
}

static void print_constants(const double *c, int n)
{
    printf("  t0 %.1f us", 1e6 * c[0]);
    for (int i = 1; i < n; i++)
        printf("  %.3g", c[i]);
}

/* Floors of products in 16 bit: median, of the law fitted to them. Those of the other laws, as
 * gpuplan-model(7) says, stand where they are scored. */
static const struct {
    const char *gpu, *name;
    double floor;
} machines[] = {{"a100-sxm-80", "a100_sxm", .08},
                {"h100-sxm", "h100_sxm", .08},
                {"b200", "b200_sxm", .08},
                {"l40s", "l40s", .11},
                {"rtx-pro-6000-server", "rtx_pro_6000_server", .08}};

#define MACHINES (int)(sizeof(machines) / sizeof(machines[0]))

struct operators {
    const char *folder, *version; /* of TensorRT-LLM's tables */
    struct table table;
    const struct family *family;
    struct ops ops;
    bool all;
    int scored, failed;
};

static void score(struct operators *o, const char *what, law_fn law, const double *start,
                  const double *profile, int n, double floor)
{
    double c[LAW_MAX], p[LAW_MAX];
    o->scored++;
    memcpy(c, start, n * sizeof(double));
    fit(&o->ops, law, c, n, (1u << n) - 1);
    struct errors e = errors_of(&o->ops, law, c);
    printf("  %-22s %-20s %-11s %5d  %5.1f %4.0f", o->table.gpu, what, o->table.type, o->ops.count,
           100 * e.median, 100 * e.tail);
    if (profile) {
        memcpy(p, profile, n * sizeof(double));
        fit(&o->ops, law, p, n, 1);
        struct errors own = errors_of(&o->ops, law, p);
        printf("  %5.1f %4.0f", 100 * own.median, 100 * own.tail);
    } else
        printf("  %5s %4s", "", "");
    print_constants(c, n);
    printf("\n");
    if (floor > 0 && e.median > floor) {
        printf("FAIL: above %.0f %%\n", 100 * floor);
        o->failed++;
    }
}

static bool table_of(struct operators *o, const char *what, const char *name, const char *version,
                     char *file, size_t size)
{
    gp_format(file, size, "%s__%s__%s.csv.gz", name, what, version);
    o->table.file = file;
    return true;
}

/* Waves: on compute capability 12.0 the law needs them for its floor. */
static void score_products(struct operators *o, const char *name, double floor)
{
    bool waves = o->family->waves;
    char file[128];
    table_of(o, "slim_gemm_perf", name, o->version, file, sizeof(file));
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        bool alike, plain = types[i].kernel == KERNEL_16;
        if (!o->all && !plain)
            continue;
        o->table.type = types[i].word;
        o->table.kind = &types[i];
        o->table.nth = 2;
        wave_sms = o->table.spec->sm_count;
        if (!read_table(o->folder, &o->table, read_product, &o->ops))
            continue;
        struct product_share s = family_product(o->family, types[i].kernel, &alike);
        double start[] = {4e-6, .7, .8, 2};
        double own[] = {4e-6, s.compute, s.memory, o->family->norm};
        score(o, "product", law_product, start, alike || waves ? NULL : own, 4,
              plain && !waves ? floor : 0);
        if (waves)
            score(o, "product, waves", law_waves, start, alike ? NULL : own, 4, plain ? floor : 0);
    }
}

static void score_attention(struct operators *o, const char *name)
{
    static const struct {
        const char *what, *file;
        void (*read)(const struct gz *, const struct table *, struct ops *);
        law_fn law;
        int constants;
        double floor; /* MLA: on GPUs that have kernels for it */
    } kinds[] = {
        {"attention, prompt", "context_attention_perf", read_context, law_attention, 3, .10},
        {"attention, decode", "generation_attention_perf", read_decode, law_reads, 2, .29},
        {"attention, long", "generation_attention_perf", read_long, law_split, 3, .24},
        {"MLA, prompt", "context_mla_perf", read_mla_context, law_attention, 3, .13},
        {"MLA, decode", "generation_mla_perf", read_mla_decode, law_attention, 3, .13},
        {"MLA, one user", "generation_mla_perf", read_mla_walk, law_walk, 2, .05}};
    const struct family *f = o->family;
    const double own[][3] = {{5e-6, f->prefill_attention, .8},
                             {5e-6, f->kv_memory},
                             {5e-6, f->kv_memory, fmax(f->kv_split, 1e-9)},
                             {5e-6, f->prefill_attention, .8},
                             {5e-6, f->mla_compute, f->kv_memory},
                             {5e-6, f->mla_walk * 1e9}};
    int cc = o->table.spec->compute_capability;
    char file[128];
    o->table.type = "bfloat16";
    o->table.kind = &types[0];
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        double start[] = {8e-6, .6, .8};
        double walk[] = {8e-6, 50};
        bool walks = kinds[i].read == read_mla_walk;
        if (walks && f->mla_walk <= 0)
            continue;
        bool kernel = kinds[i].read != read_mla_decode || (cc >= 90 && cc < 120);
        o->table.nth = kinds[i].read == read_context || kinds[i].read == read_decode ? 4 : 1;
        table_of(o, kinds[i].file, name, o->version, file, sizeof(file));
        if (read_table(o->folder, &o->table, kinds[i].read, &o->ops))
            score(o, kinds[i].what, kinds[i].law, walks ? walk : start, own[i], kinds[i].constants,
                  kernel ? kinds[i].floor : 0);
    }
}

static void score_experts(struct operators *o, const char *name)
{
    char file[128];
    table_of(o, "moe_perf", name, o->version, file, sizeof(file));
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        bool alike;
        double start[] = {2e-5, .35, .8, 1e-7, 3e-8};
        o->table.type = types[i].word;
        o->table.kind = &types[i];
        o->table.nth = i == 7 ? 1 : 4;
        if (!read_table(o->folder, &o->table, read_experts, &o->ops))
            continue;
        struct expert_share s = family_expert(o->family, types[i].kernel, &alike);
        double own[] = {2e-5, s.compute, s.memory, fmax(s.each, 1e-9), o->family->expert_token};
        score(o, "experts", law_experts, start, alike ? NULL : own, 5,
              types[i].kernel == KERNEL_FP4 ? .31 : .19);
    }
}

static void score_reduces(struct operators *o, const char *name)
{
    char file[128], what[32];
    const struct link_law *link =
        o->table.spec->link_bandwidth > 0 ? &o->family->link : &o->family->pcie;
    o->table.type = "16 bit";
    o->table.nth = 1;
    table_of(o, "custom_allreduce_perf", name, o->version, file, sizeof(file));
    if (strcmp(name, "l40s") == 0)
        return;
    for (int i = 0; i < LINK_SIZES; i++) {
        double start[] = {4e-6, 3e-6, .7};
        double own[] = {link->latency[i], fmax(link->root[i], 1e-9), link->share[i]};
        reduce_gpus = 2 << i;
        gp_format(what, sizeof(what), "all-reduce, %d", reduce_gpus);
        if (read_table(o->folder, &o->table, read_reduce, &o->ops))
            score(o, what, law_allreduce, start, own, 3, .085);
    }
}

static bool spec_of(struct planner *planner, const char *gpu, struct operators *o)
{
    static struct resolved resolved;
    struct options options = {0};
    struct gp_err err = {0};
    options_text(&options, OPT_MODEL, "model", "llama-3.1-8b", NULL);
    options_text(&options, OPT_GPU, "gpu", gpu, NULL);
    if (planner_resolve(planner, &options, NULL, NULL, NULL, &resolved, &err))
        return false;
    o->table.gpu = gpu;
    o->table.spec = resolved.request.gpu;
    o->family = resolved.request.gpu->family;
    return o->family != NULL;
}

int main(int argc, char **argv)
{
    const char *mode = getenv("GPUPLAN_ACCURACY"), *shared = getenv("GPUPLAN_SHARED");
    const char *srcdir = getenv("srcdir");
    char folder[GP_PATH_MAX];
    struct planner *planner = table_planner();
    struct operators o = {.all = mode && strcmp(mode, "all") == 0};
    gp_format(folder, sizeof(folder), "%s/../shared", srcdir ? srcdir : ".");
    o.folder = argc > 1 ? argv[1] : shared ? shared : folder;
    o.ops.op = gp_calloc(OPS_MAX, sizeof(struct op));
    printf("single operators; the law fitted to each table, then the profile's constants\n"
           "  %-22s %-20s %-11s %5s  %5s %4s  %5s %4s\n",
           "", "", "", "rows", "med", "p90", "med", "p90");
    for (int i = 0; i < MACHINES; i++) {
        o.version = i == 0 ? "trtllm_1.0.0" : "trtllm_1.3.0rc20";
        if (!spec_of(planner, machines[i].gpu, &o))
            continue;
        score_products(&o, machines[i].name, machines[i].floor);
        if (!o.all)
            continue;
        score_attention(&o, machines[i].name);
        score_experts(&o, machines[i].name);
        score_reduces(&o, machines[i].name);
    }
    free(o.ops.op);
    planner_free(planner);
    return o.scored == 0 ? 77 : o.failed > 0;
}
