/*
 * pool_case.c - see pool_case.h.
 */
#include "pool/pool_case.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/evaluate.h"
#include "plan/plan.h"
#include "plan/power.h"
#include "plan/roofline.h"
#include "plan/search.h"

#define HOURS_PER_YEAR 8760.0
#define RARE_FACTOR 2   /* times the cost of a server, and the priority */
#define RATE_LEAST 1e-4 /* requests/s; what does not serve this serves nothing */
#define RATE_STEPS 10   /* halvings of a factor of two, by logarithms: to 0.1 % */
#define GPUS_MOST 64    /* of one replica */
#define PER_TYPE 64     /* layouts kept of a workload, type, slice and place, at most */

/* ---- one place: a GPU or slice, in a server or on a fabric ---- */

struct served {
    struct layout layout;
    double rate, free_rate, watts;
};

struct scan {
    struct request request;
    const struct market *market;
    struct load load;
    struct step_load step;
    struct served found[PER_TYPE];
    int count;
    double single;  /* what one GPU serves, which needs no links; < 0: not known yet */
    uint64_t known; /* bit n - 1: of n GPUs the rate without goals is known */
};

static bool layout_serves(struct scan *s, const struct layout *layout, double rate)
{
    struct evaluation e;

    s->request.rate = rate;
    evaluate(&s->request, &s->load, NULL, layout, &e);
    return e.valid && e.verdict == VERDICT_FITS;
}

/* Doubled until it is too much, then halved between, by logarithms. known: a rate that is served,
 * so that none below is tried; 0: none is. */
static double most_rate(struct scan *s, const struct layout *layout, double known)
{
    double low = RATE_LEAST, high;

    if (known < low && !layout_serves(s, layout, low))
        return 0;
    for (high = 1; (known >= high || layout_serves(s, layout, high)) && high < 1e6; high *= 2)
        low = high;
    while (low < high / 2 && known < high / 2 && !layout_serves(s, layout, high / 2)) {
        high /= 2;
        if (high <= RATE_LEAST)
            return low;
    }
    low = fmax(low, high / 2);
    for (int i = 0; i < RATE_STEPS; i++) {
        double middle = sqrt(low * high);

        *(known >= middle || layout_serves(s, layout, middle) ? &low : &high) = middle;
    }
    return low;
}

/* What replicas of b serve with no more GPUs than so many. */
static double rate_in(const struct served *b, int gpus)
{
    return floor((double)gpus / b->layout.gpus) * b->rate;
}

/* Do replicas of b serve as much with no more GPUs? */
static bool is_dominated(const struct served *a, const struct served *b)
{
    return a->layout.gpus >= b->layout.gpus && rate_in(b, a->layout.gpus) >= a->rate;
}

static void keep_served(struct scan *s, const struct served *r)
{
    int kept = 0;

    for (int i = 0; i < s->count; i++)
        if (is_dominated(r, &s->found[i]))
            return;
    for (int i = 0; i < s->count; i++)
        if (!is_dominated(&s->found[i], r))
            s->found[kept++] = s->found[i];
    s->count = kept;
    if (s->count < PER_TYPE)
        s->found[s->count++] = *r;
}

/* A layout that spans hosts only where nothing else serves; and stages for a model that
 * needs the GPUs, not for more requests: replicas do that, and the law of a pipeline that
 * is always full is kind to it. */
static void try_cut(void *ctx, int tp, int pp, int ep)
{
    struct scan *s = ctx;
    struct served r = {0};
    double wanted = 0; /* what others serve on so many GPUs: it has to serve more */
    int gpus, fewest = INT_MAX;

    if (!search_cut(&s->request, tp, pp, ep, &r.layout))
        return;
    r.layout.gpus = gpus = tp * pp * r.layout.replicas;
    for (int i = 0; i < s->count; i++) {
        fewest = s->found[i].layout.gpus < fewest ? s->found[i].layout.gpus : fewest;
        wanted = fmax(wanted, rate_in(&s->found[i], gpus));
    }
    if (gpus > GPUS_MOST || (gpus > s->request.host_gpus && s->count > 0) ||
        (pp > 1 && gpus > fewest))
        return;
    if (wanted > 0 && !layout_serves(s, &r.layout, wanted))
        return; /* most of them: one look is enough */
    r.rate = gpus == 1 && s->single >= 0 ? s->single : most_rate(s, &r.layout, wanted);
    if (r.rate > 0)
        keep_served(s, &r);
}

static int by_gpus(const void *a, const void *b)
{
    const struct served *x = a, *y = b;

    return x->layout.gpus - y->layout.gpus;
}

/* What only those that are kept are asked. */
static void finish_served(struct scan *s, struct served *r)
{
    struct plan plan;
    struct prices prices;
    const struct request goals = s->request;

    s->request.rate = r->rate;
    prices_init(&s->request, s->market, &prices);
    plan_fill(&s->request, &s->load, &r->layout, &prices, &plan);
    prices_fini(&prices);
    r->layout = plan.layout;
    r->watts = plan.power.loaded ? plan.power.gpu.value : plan.power.limit;
    if (late_asked(&s->request))
        r->rate = fmin(r->rate, pool_rate_within(&plan));
    if (s->known >> (r->layout.gpus - 1) & 1)
        return;
    s->request.ttft = s->request.tpot = 0;
    memset(s->request.late, 0, sizeof(s->request.late));
    r->free_rate = fmax(r->rate, most_rate(s, &r->layout, r->rate));
    s->request = goals;
}

static struct pool_replica *add_replica(struct pool_replicas *out, const struct pool_replica *r)
{
    out->row = gp_grow(out->row, &out->cap, out->count + 1, sizeof(*out->row));
    out->row[out->count] = *r;
    return &out->row[out->count++];
}

/* What was found becomes rows, those of this scan from `from` on, one for each number of GPUs. */
static void take_found(const struct scan *s, size_t from, const struct pool_replica *like,
                       bool fabric, struct pool_replicas *out)
{
    for (int i = 0; i < s->count; i++) {
        const struct served *f = &s->found[i];
        struct pool_replica *r;
        size_t at = from;

        if (f->rate <= 0) /* its percentiles miss their goals */
            continue;

        while (at < out->count && out->row[at].gpus != f->layout.gpus)
            at++;
        r = at < out->count ? &out->row[at] : add_replica(out, like);
        r->gpus = f->layout.gpus;
        *(fabric ? &r->fabric : &r->server) = f->layout;
        *(fabric ? &r->fabric_rate : &r->rate) = f->rate;
        if (fabric && r->rate > 0)
            continue;
        r->free_rate = f->free_rate;
        r->watts = f->watts;
        r->weights = s->load.file_bytes;
    }
}

static void scan_place(struct scan *s)
{
    s->count = 0;
    s->load = load_sum(&s->request);
    step_load_sum(&s->request, &s->load, &s->step);
    s->load.step = &s->step;
    search_cuts(&s->request, try_cut, s);
    qsort(s->found, (size_t)s->count, sizeof(s->found[0]), by_gpus);
    for (int i = 0; i < s->count; i++)
        finish_served(s, &s->found[i]);
}

/* ---- both places ---- */

/* ---- a workload ---- */

struct gpu pool_on_fabric(const struct pool_file *file, const struct gpu *gpu)
{
    struct gpu fabric = *gpu;
    int gen = file->fabric.pcie_gen;

    fabric.link_bandwidth = 0;
    if (gen > 0 && (fabric.pcie_gen == 0 || gen < fabric.pcie_gen))
        fabric.pcie_gen = gen;
    return fabric;
}

int pool_host_gpus(const struct pool_file *file, int type, bool fabric)
{
    int host = 0;

    for (size_t i = 0; i < file->chassis_count && fabric; i++)
        host = file->chassis[i].per_host > host ? file->chassis[i].per_host : host;
    return !fabric ? file->types[type].server_gpus : host > 0 ? host : file->server_gpus;
}

/* In a server, and on the fabric: the same GPU without links of its own, as many of them as one
 * host of the chassis can hold. What a server's benchmark says of the GPU holds there, too. */
static void scan_type(struct scan *s, const struct request *request, const struct gpu *gpu,
                      const struct pool_file *file, const struct pool_replica *like,
                      struct pool_replicas *out)
{
    struct gpu fabric = pool_on_fabric(file, gpu);
    size_t from = out->count;
    bool measured = request->correction.gpu == gpu;

    s->request = search_on(request, gpu, 0, &out->market);
    s->request.host_gpus = pool_host_gpus(file, like->type, false);
    s->single = -1;
    s->known = 0;
    scan_place(s);
    take_found(s, from, like, false, out);
    s->single = s->count > 0 && s->found[0].layout.gpus == 1 ? s->found[0].rate : 0;
    for (int i = 0; i < s->count; i++)
        s->known |= UINT64_C(1) << (s->found[i].layout.gpus - 1);
    s->request.gpu = &fabric;
    if (measured)
        s->request.correction.gpu = &fabric;
    s->request.host_gpus = pool_host_gpus(file, like->type, true);
    scan_place(s);
    take_found(s, from, like, true, out);
}

/* Is this MIG profile one that workloads are given? Not the whole GPU, none with extras. */
static bool is_slice_used(const struct gpu_slice *slice)
{
    return slice->compute < slice->compute_of && !strchr(slice->profile, '+');
}

/* A slice has no links: it serves alike in a server and on a fabric. */
static void scan_slices(struct scan *s, const struct request *request, const struct pool_file *file,
                        const struct pool_replica *like, struct pool_replicas *out)
{
    const struct gpu *gpu = &out->type[like->type];
    struct pool_replica row = *like;

    for (int i = 0; file->types[like->type].mig && i < gpu->slice_count; i++) {
        struct gpu slice;
        size_t from = out->count;

        if (!is_slice_used(&gpu->slice[i]) ||
            gpu_slice_of(gpu, gpu->slice[i].profile, &slice, NULL))
            continue;
        row.slice = i;
        s->request = search_on(request, &slice, 0, &out->market);
        s->request.host_gpus = 1;
        s->single = -1;
        s->known = 0;
        scan_place(s);
        take_found(s, from, &row, false, out);
        take_found(s, from, &row, true, out);
    }
}

static bool may_use(const struct pool_file_workload *work, const char *gpu)
{
    size_t n = strlen(gpu);

    if (work->gpus[0] == '\0')
        return true;
    for (const char *at = work->gpus; (at = strstr(at, gpu)); at += n)
        if ((at == work->gpus || at[-1] == '|') && (at[n] == '\0' || at[n] == '|'))
            return true;
    return false;
}

/* The options of --plan that a workload stands for. */
static enum gp_status to_options(const struct pool_file_workload *w, struct options *o,
                                 struct gp_err *err)
{
    const struct {
        enum option_id id;
        const char *text;
    } texts[] = {{OPT_MODEL, w->model},
                 {OPT_KV_PRECISION, w->kv_precision},
                 {OPT_ENGINE, w->engine},
                 {OPT_CALIBRATION, w->calibration}};
    const struct {
        enum option_id id;
        double value;
    } numbers[] = {{OPT_CONTEXT, w->context},         {OPT_PROMPT, w->prompt},
                   {OPT_OUTPUT, w->output},           {OPT_TTFT, w->ttft * 1e3},
                   {OPT_TPOT, w->tpot * 1e3},         {OPT_RATE, RATE_LEAST},
                   {OPT_TTFT_P95, w->ttft_p95 * 1e3}, {OPT_TPOT_P95, w->tpot_p95 * 1e3}};
    enum gp_status rc = GP_OK;

    for (size_t i = 0; !rc && i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i].text[0])
            rc = options_text(o, texts[i].id, option_rows[texts[i].id].name, texts[i].text, err);
    for (size_t i = 0; !rc && i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i].value > 0)
            rc = options_number(o, numbers[i].id, option_rows[numbers[i].id].name, numbers[i].value,
                                err);
    return rc;
}

/* The first of the file's types that a workload may use: its measurements are of that. */
static int first_type(const struct pool_file *file, const struct pool_file_workload *w)
{
    int first = 0;

    while (!may_use(w, file->types[first].gpu))
        first++;
    return first;
}

enum gp_status pool_case_options(const struct pool_case *c, int workload, int type,
                                 struct options *o, struct gp_err *err)
{
    const struct pool_file_workload *w = &c->file.workloads[workload];
    enum gp_status rc = to_options(w, o, err);

    if (type != first_type(&c->file, w))
        o->value[OPT_CALIBRATION] = (struct option_value){0};
    return rc;
}

/* What the catalogue or the planner says of a line of the file is an error of the file. */
static enum gp_status fail_at(enum gp_status rc, const char *at, struct gp_err *err)
{
    char where[sizeof(err->where)];

    if (!rc || !err || at[0] == '\0')
        return rc;
    gp_format(where, sizeof(where), "%s%s%s", at, err->where[0] ? ": " : "", err->where);
    gp_copy(err->where, sizeof(err->where), where);
    err->code = GP_E_FILE;
    return GP_E_FILE;
}

/* ---- what has none ---- */

static void add_refusal(struct pool_replicas *out, const struct pool_refusal *refusal)
{
    out->refused =
        gp_grow(out->refused, &out->refused_cap, out->refused_count + 1, sizeof(*out->refused));
    out->refused[out->refused_count++] = *refusal;
}

const struct pool_refusal *pool_refusal_of(const struct pool_replicas *replicas, int workload)
{
    for (size_t i = 0; i < replicas->refused_count; i++)
        if (replicas->refused[i].workload == workload)
            return &replicas->refused[i];
    return NULL;
}

static void copy_refusal(const struct pool_replicas *from, int workload, int to,
                         struct pool_replicas *out)
{
    const struct pool_refusal *r = pool_refusal_of(from, workload);

    if (r)
        add_refusal(out, &(struct pool_refusal){to, r->type, r->limit});
}

/* ---- a precision ---- */

static enum gp_status find_precision(struct planner *planner, const struct pool_file *file,
                                     size_t workload, const char *precision,
                                     struct pool_replicas *out, struct gp_err *err)
{
    const struct pool_file_workload *w = &file->workloads[workload];
    struct options options = {0};
    struct resolved *r = gp_calloc(1, sizeof(*r));
    struct scan *s = gp_calloc(1, sizeof(*s));
    enum gp_status rc = to_options(w, &options, err);
    int first = first_type(file, w);

    if (w->calibration[0]) { /* it is of that GPU, in the precision that is named */
        options.gpus[options.gpu_count++] = file->types[first].gpu;
        if (w->precision[0] && !w->open)
            options.precisions[options.precision_count++] = w->precision;
    }
    if (!rc)
        rc = planner_resolve(planner, &options, NULL, precision, file->types[first].gpu, r, err);
    struct pool_replica like = {.workload = (int)workload, .slice = POOL_WHOLE};
    gp_copy(like.precision, sizeof(like.precision), r->request.precision.id);
    s->market = &out->market;
    out->market = rc ? out->market : r->market;
    for (int t = 0; !rc && t < file->type_count; t++) {
        if (!may_use(w, file->types[t].gpu))
            continue;
        like.type = t;
        scan_type(s, &r->request, t == first ? r->request.gpu : &out->type[t], file, &like, out);
        if (w->isolation == POOL_SHARES)
            scan_slices(s, &r->request, file, &like, out);
    }
    if (!rc && (out->count == 0 || out->row[out->count - 1].workload != (int)workload) &&
        !pool_refusal_of(out, (int)workload)) {
        struct request q = search_on(&r->request, r->request.gpu, 0, &out->market);
        struct evaluation e;

        /* what stands in the way of the layout that comes nearest to a single request */
        q.rate = RATE_LEAST;
        search_layout_planned(&q, &out->market, SEARCH_FEWEST_GPUS, &e);
        add_refusal(out, &(struct pool_refusal){(int)workload, first, e.limit});
    }
    free(s);
    free(r);
    /* An error of a workload begins with its line and name. */
    const char *line = w->where;
    char at[sizeof(w->where) + sizeof(w->name) + 16];

    for (int i = 0; rc && err && i < POOL_LOOKED_UP; i++)
        if (strcmp(err->where, pool_looked_up[i].option) == 0) {
            line = w->at[i];
            err->where[0] = '\0'; /* its key says it */
        }
    gp_format(at, sizeof(at), "%s%sworkload %s", line, line[0] ? ": " : "", w->name);
    return fail_at(rc, at, err);
}

/* ---- the same again ---- */

static bool same_question(const struct pool_file_workload *a, const struct pool_file_workload *b)
{
    return strcmp(a->model, b->model) == 0 && strcmp(a->precision, b->precision) == 0 &&
           strcmp(a->kv_precision, b->kv_precision) == 0 && strcmp(a->engine, b->engine) == 0 &&
           strcmp(a->gpus, b->gpus) == 0 && strcmp(a->calibration, b->calibration) == 0 &&
           a->open == b->open && a->context == b->context && a->prompt == b->prompt &&
           a->output == b->output && a->ttft == b->ttft && a->tpot == b->tpot &&
           a->ttft_p95 == b->ttft_p95 && a->tpot_p95 == b->tpot_p95 &&
           (a->isolation == POOL_SHARES) == (b->isolation == POOL_SHARES);
}

/* Of thousands of workloads many ask the same: the rows of the first of them. */
static bool copy_same(const struct pool_file *file, size_t workload, struct pool_replicas *out)
{
    size_t like = 0;

    while (like < workload && !same_question(&file->workloads[like], &file->workloads[workload]))
        like++;
    if (like == workload)
        return false;
    copy_refusal(out, (int)like, (int)workload, out);
    for (size_t i = 0, n = out->count; i < n; i++) {
        struct pool_replica r = out->row[i];

        if (r.workload > (int)like)
            break;
        if (r.workload < (int)like)
            continue;
        r.workload = (int)workload;
        add_replica(out, &r);
    }
    return true;
}

/* ---- all ---- */

enum gp_status pool_replicas_begin(struct planner *planner, const struct pool_file *file,
                                   struct pool_replicas *out, struct gp_err *err)
{
    memset(out, 0, sizeof(*out));
    for (int t = 0; t < file->type_count; t++) {
        const struct gpu *gpu;
        enum gp_status rc = planner_gpu(planner, file->types[t].gpu, &gpu, out->measured[t],
                                        sizeof(out->measured[t]), err);

        if (rc)
            return fail_at(rc, file->types[t].where, err);
        out->type[t] = *gpu;
    }
    return GP_OK;
}

enum gp_status pool_replicas_find(struct planner *planner, const struct pool_file *file,
                                  size_t workload, struct pool_replicas *out, struct gp_err *err)
{
    static const char *const open[] = {"native", "fp8", "int4-awq"};
    const struct pool_file_workload *w = &file->workloads[workload];
    enum gp_status rc = GP_OK;

    if (copy_same(file, workload, out))
        return GP_OK;
    if (!w->open)
        return find_precision(planner, file, workload, w->precision[0] ? w->precision : NULL, out,
                              err);
    for (size_t i = 0; !rc && i < sizeof(open) / sizeof(open[0]); i++)
        rc = find_precision(planner, file, workload, open[i], out, err);
    return rc;
}

void pool_replicas_fini(struct pool_replicas *replicas)
{
    free(replicas->row);
    free(replicas->refused);
    memset(replicas, 0, sizeof(*replicas));
}

/* ---- MIG ---- */

struct cutting {
    const struct gpu *gpu;
    const int *slice;
    int slices, cuts;
    signed char (*cut)[POOL_MOST_SLICES];
    signed char now[POOL_MOST_SLICES];
};

/* A part in 56ths of a GPU: sevenths of compute, eighths of memory; 0 = not told. */
static int compute_part(const struct gpu_slice *s)
{
    return s->compute_of > 0 ? 56 * s->compute / s->compute_of : 0;
}

static int memory_part(const struct gpu_slice *s)
{
    return s->memory_of > 0 ? 56 * s->memory_part / s->memory_of : 0;
}

static bool has_room(const struct cutting *c, int i, int compute, int memory)
{
    const struct gpu_slice *s = &c->gpu->slice[c->slice[i]];

    return c->now[i] < (s->max_count > 0 ? s->max_count : 7) && compute + compute_part(s) <= 56 &&
           memory + memory_part(s) <= 56;
}

static void cut_from(struct cutting *c, int i, int compute, int memory)
{
    if (i == c->slices) {
        for (int k = 0; k < c->slices; k++)
            if (has_room(c, k, compute, memory))
                return;
        if (c->cuts < POOL_MOST_CUTS)
            memcpy(c->cut[c->cuts++], c->now, sizeof(c->now));
        return;
    }
    const struct gpu_slice *s = &c->gpu->slice[c->slice[i]];
    int was = c->now[i];

    while (has_room(c, i, compute, memory)) {
        c->now[i]++;
        compute += compute_part(s);
        memory += memory_part(s);
    }
    for (; c->now[i] >= was; c->now[i]--) { /* the largest first */
        cut_from(c, i + 1, compute, memory);
        compute -= compute_part(s);
        memory -= memory_part(s);
    }
    c->now[i] = (signed char)was;
}

/* Ways to cut one GPU into `slices`, none of which has room for one more: the parts of
 * compute and memory add up to a GPU at most. Returns how many, POOL_MOST_CUTS at most. */
static int find_cuts(const struct gpu *gpu, const int *slice, int slices,
                     signed char cut[POOL_MOST_CUTS][POOL_MOST_SLICES])
{
    struct cutting c = {.gpu = gpu, .slice = slice, .slices = slices, .cut = cut};

    for (int i = 0; i < slices; i++) /* nobody's sizes: it cannot be known what fits */
        if (compute_part(&gpu->slice[slice[i]]) == 0 || memory_part(&gpu->slice[slice[i]]) == 0)
            return 0;
    if (slices > 0)
        cut_from(&c, 0, 0, 0);
    return c.cuts;
}

/* ---- types ---- */

static double given_or(double given, double fallback)
{
    return given >= 0 ? given : fallback;
}

static enum gp_status find_price(const struct pool_case *c, int t, double *price, char of[64],
                                 struct gp_err *err)
{
    const struct pool_file_type *from = &c->file.types[t];
    const struct gpu *gpu = &c->replicas.type[t];

    if (from->price > 0) {
        *price = from->price;
        gp_copy(of, 64, "the pool file");
    } else if (gpu->street_price.value > 0) {
        *price = gpu->street_price.value;
        gp_format(of, 64, "street %s", gpu->street_as_of);
    } else if (gpu->launch_price.value > 0) {
        *price = gpu->launch_price.value;
        gp_format(of, 64, "at launch %d", gpu->release_year);
    } else {
        return gp_fail(err, GP_E_FILE, from->where[0] ? from->where : from->gpu,
                       "give price = beside it, in dollars", "no price to buy %s at is known",
                       from->gpu);
    }
    return GP_OK;
}

/* Of an instance that is sold whole, its GPUs share the price. */
double pool_rent(const char *gpu, const struct market *market, const struct instance **of)
{
    double least = 0;

    for (size_t i = 0; i < market->instance_count; i++) {
        const struct instance *row = &market->instances[i];
        double each = row->on_demand / (row->gpu_count > 0 ? row->gpu_count : 1);

        if (row->kind != PRICE_LIST || row->on_demand <= 0 || row->assumed ||
            strcmp(row->gpu, gpu) != 0 || !market_takes(market, row) ||
            (least > 0 && each >= least))
            continue;
        least = each;
        if (of)
            *of = row;
    }
    return least;
}

/* Where may it be plugged in? */
static bool goes_in(const struct pool_file_type *from, const struct gpu *gpu, bool fabric)
{
    if (from->place == POOL_PLACE_BY_FORM)
        return !fabric || strncmp(gpu->form_factor, "PCIe", 4) == 0;
    return from->place == POOL_PLACE_ANY || (from->place == POOL_PLACE_CHASSIS) == fabric;
}

static enum gp_status add_type(struct pool_case *c, int t, struct gp_err *err)
{
    const struct pool_file *file = &c->file;
    const struct pool_file_type *from = &file->types[t];
    const struct market *market = &c->replicas.market;
    const struct ownership *own = market->ownership;
    const struct gpu *gpu = &c->replicas.type[t];
    struct pool_type *out = &c->types[t];
    double price = 0, years = given_or(file->costs.years, own->years);
    double kept = (1 - given_or(file->costs.residual, own->residual)) / (years * HOURS_PER_YEAR);
    const struct instance *offer = NULL;
    char(*of)[64] = c->figure_of[t];
    enum gp_status rc = find_price(c, t, &price, of[POOL_FIGURE_PRICE], err);

    if (rc)
        return rc;
    *out = (struct pool_type){.stock = from->stock,
                              .buy = from->buy,
                              .server_gpus = from->server_gpus,
                              .spare = file->spare};
    size_t size = sizeof(of[0]);
    bool assumed = from->watts <= 0;
    double limit = gpu->power.value > 0 ? gpu->power.value : 0;
    double host = from->watts > 0 ? from->watts : cost_host_watts(gpu, market, &assumed);
    double busy = from->busy > 0 ? from->busy : limit;
    double idle = from->idle > 0 ? from->idle : POWER_IDLE * busy;

    c->watts_origin[t] =
        from->busy > 0 && from->idle > 0 && !assumed ? ORIGIN_SHEET : ORIGIN_ASSUMED;
    gp_format(of[POOL_FIGURE_WATTS], size,
              "GPU %.0f W busy%s, %.0f W idle%s; its host %.0f W at most%s", busy,
              from->busy > 0 ? "" : " (its limit)", idle, from->idle > 0 ? "" : " (assumed)", host,
              assumed ? " (assumed)" : "");
    out->busy_watts = busy + host;
    out->idle_watts = fmin(idle, busy) + POWER_HOST * host;
    c->capital[t] = price * (1 + given_or(file->costs.share, own->server_share));
    out->buy_hour = c->capital[t] * kept + out->busy_watts / 1000 *
                                               given_or(file->costs.hosting, own->hosting) * 12 /
                                               HOURS_PER_YEAR;
    out->stock_hour = out->buy_hour;
    out->module = goes_in(from, gpu, false) && !goes_in(from, gpu, true);
    out->premium_hour = out->module ? 0 : file->fabric.premium * kept;
    out->cloud_hour = from->rent > 0 ? from->rent : pool_rent(from->gpu, market, &offer);
    if (offer)
        gp_format(of[POOL_FIGURE_RENT], sizeof(of[0]), "%s %s, %s%s", offer->provider, offer->type,
                  offer->basis == DATE_READ ? "by " : "", offer->date);
    else
        gp_copy(of[POOL_FIGURE_RENT], sizeof(of[0]),
                from->rent > 0 ? "the pool file" : "not on offer");
    for (int i = 0; from->mig && i < gpu->slice_count; i++)
        if (out->slices < POOL_MOST_SLICES && is_slice_used(&gpu->slice[i]))
            c->slice_of[t][out->slices++] = i;
    out->cuts = find_cuts(gpu, c->slice_of[t], out->slices, out->cut);
    if (out->cuts == 0)
        out->slices = 0;
    return GP_OK;
}

/* ---- workloads and candidates ---- */

/* From storage into each host, and on over each GPU's own bus. False: it is of no use to this
 * pool. */
static bool make_candidate(const struct pool_case *c, const struct pool_replica *r,
                           struct pool_candidate *out)
{
    const struct pool_file_type *type = &c->file.types[r->type];
    const struct gpu *gpu = &c->replicas.type[r->type];
    double keep = 1 - c->file.headroom, load = r->weights / c->file.moves.load_rate;
    double bus = roofline_pcie(gpu->pcie_gen, gpu->pcie_lanes) * r->gpus;
    int slice = 0;

    while (slice < c->types[r->type].slices && c->slice_of[r->type][slice] != r->slice)
        slice++;
    *out = (struct pool_candidate){
        .workload = r->workload,
        .type = r->type,
        .slice = r->slice == POOL_WHOLE ? POOL_NO_SLICE : slice,
        .gpus = r->gpus,
        .rate = goes_in(type, gpu, false) ? r->rate * keep : 0,
        .composed_rate = goes_in(type, gpu, true) ? r->fabric_rate * keep : 0,
        .free_rate = r->free_rate,
        .load_s = fmax(load, bus > 0 ? r->weights / bus : 0),
    };
    return out->slice < c->types[r->type].slices && (out->rate > 0 || out->composed_rate > 0);
}

struct ranked {
    double worth; /* requests/s per GPU-hour's money */
    size_t row;
};

static int by_worth(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->worth < y->worth) - (x->worth > y->worth);
}

static int by_row(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->row > y->row) - (x->row < y->row);
}

/* The rows [from, to) of a workload; the dearest are left out where there are too many. */
static void add_candidates(struct pool_case *c, size_t from, size_t to)
{
    struct ranked *list = gp_calloc(to - from + 1, sizeof(*list));
    struct pool_candidate one;
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        const struct pool_replica *r = &c->replicas.row[i];

        if (make_candidate(c, r, &one))
            list[n++] = (struct ranked){
                fmax(one.rate, one.composed_rate) / (r->gpus * c->types[r->type].buy_hour), i};
    }
    if (n > POOL_MOST_WAYS) {
        qsort(list, n, sizeof(*list), by_worth);
        n = POOL_MOST_WAYS;
        qsort(list, n, sizeof(*list), by_row);
    }
    for (size_t i = 0; i < n; i++) {
        make_candidate(c, &c->replicas.row[list[i].row], &c->candidates[c->pool.candidate_count]);
        c->replica_of[c->pool.candidate_count++] = (int)list[i].row;
    }
    free(list);
}

/* What is seldom asked for is served, too, unless the file prices it: leaving all of it out
 * costs more than a server of its own, or as many as the candidate takes, over all hours. */
static void price_rare(struct pool_case *c)
{
    const struct pool *pool = &c->pool;

    for (int i = 0, w = 0; w < pool->workload_count; w++) {
        struct pool_workload *work = &c->workloads[w];
        double need = 0, least = INFINITY;

        for (int h = 0; h < pool->hours; h++)
            need += work->demand[h] * work->burst;
        for (; i < pool->candidate_count && c->candidates[i].workload == w; i++) {
            const struct pool_type *t = &c->types[c->candidates[i].type];
            int servers = (c->candidates[i].gpus + t->server_gpus - 1) / t->server_gpus;
            double energy = t->busy_watts / 1000 * pool->pue * pool->electricity;

            least = fmin(least, servers * t->server_gpus *
                                    (t->buy_hour + t->premium_hour + energy) * pool->hours);
        }
        double floor = RARE_FACTOR * work->priority * least / need;
        if (work->penalty <= 0 && isfinite(floor) && floor > pool_penalty(pool, w))
            work->penalty = floor;
    }
}

static void add_jobs(struct pool_case *c)
{
    const struct pool_file *file = &c->file;

    c->jobs = gp_calloc((size_t)file->job_count + 1, sizeof(*c->jobs));
    for (int i = 0; i < file->job_count; i++) {
        struct pool_job *job = &c->jobs[i];
        int there;

        *job = file->jobs[i].pool;
        while (strcmp(file->types[job->type].gpu, file->jobs[i].gpu) != 0)
            job->type++;
        there = (file->types[job->type].stock + file->types[job->type].buy) / job->gpus;
        there = there > POOL_MOST_REPLICA ? POOL_MOST_REPLICA : there > 1 ? there : 1;
        job->most = job->most > 0 ? job->most : there;
    }
}

/* ---- a case ---- */

enum gp_status pool_case_read(struct planner *planner, const char *name, profile_warn_fn warn,
                              void *ctx, struct pool_case *out, struct gp_err *err)
{
    struct catalog *catalog = planner_catalog(planner);
    char path[GP_PATH_MAX];
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    rc = pool_file_find(catalog, name, path, sizeof(path), err);
    if (!rc)
        rc = pool_file_read(catalog, path, warn, ctx, &out->file, err);
    if (!rc)
        rc = pool_replicas_begin(planner, &out->file, &out->replicas, err);
    for (int t = 0; t < out->file.type_count && !rc; t++) /* before layouts are looked for */
        rc = find_price(out, t, &out->capital[t], out->figure_of[t][POOL_FIGURE_PRICE], err);
    if (rc)
        pool_case_fini(out);
    return rc;
}

enum gp_status pool_case_step(struct planner *planner, struct pool_case *c, bool *more,
                              struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    if (c->done < c->file.workload_count)
        rc = pool_replicas_find(planner, &c->file, c->done, &c->replicas, err);
    c->done += rc == GP_OK;
    *more = rc == GP_OK && c->done < c->file.workload_count;
    return rc;
}

bool pool_case_copy(const struct pool_case *from, struct pool_case *c)
{
    const struct pool_replicas *known = &from->replicas;
    struct pool_replicas *out = &c->replicas;

    out->market = known->market;
    copy_refusal(known, (int)c->done, (int)c->done, out);
    for (size_t i = 0; i < known->count; i++)
        if (known->row[i].workload == (int)c->done)
            add_replica(out, &known->row[i]);
    return ++c->done < c->file.workload_count;
}

enum gp_status pool_case_build(struct pool_case *c, struct gp_err *err)
{
    const struct pool_file *file = &c->file;
    const struct pool_replicas *replicas = &c->replicas;
    const struct ownership *own = replicas->market.ownership;
    enum gp_status rc = GP_OK;
    bool capped = file->chassis_count > 0;
    double watts = 0;

    c->pool = (struct pool){
        .hours = file->hours,
        .type_count = file->type_count,
        .workload_count = (int)file->workload_count,
        .job_count = file->job_count,
        .electricity = given_or(file->costs.electricity, own->electricity),
        .pue = given_or(file->costs.pue, own->pue),
        .change_s = {[POOL_WAKE] = file->moves.wake,
                     [POOL_RESTART] = file->moves.restart,
                     [POOL_RECOMPOSE] = file->moves.recompose},
    };
    for (int t = 0; t < file->type_count && !rc; t++)
        rc = add_type(c, t, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < file->chassis_count; i++) { /* what their hosts can hold together */
        c->pool.chassis_slots += pool_file_held(&file->chassis[i]);
        watts += file->chassis[i].watts;
        capped = capped && file->chassis[i].watts > 0;
    }
    c->pool.watts = file->power_cap > 0 ? file->power_cap : capped ? watts : 0;
    c->workloads = gp_calloc(file->workload_count, sizeof(*c->workloads));
    for (size_t i = 0; i < file->workload_count; i++) {
        c->workloads[i] = file->workloads[i].pool;
        c->workloads[i].demand = file->workloads[i].rate;
        c->workloads[i].alone = file->workloads[i].isolation == POOL_OWN_HOST;
    }
    c->candidates = gp_calloc(replicas->count + 1, sizeof(*c->candidates));
    c->replica_of = gp_calloc(replicas->count + 1, sizeof(*c->replica_of));
    for (size_t from = 0, to; from < replicas->count; from = to) {
        for (to = from + 1;
             to < replicas->count && replicas->row[to].workload == replicas->row[from].workload;)
            to++;
        add_candidates(c, from, to);
    }
    add_jobs(c);
    c->pool.types = c->types;
    c->pool.workloads = c->workloads;
    c->pool.candidates = c->candidates;
    c->pool.jobs = c->jobs;
    price_rare(c);
    return pool_check(&c->pool, err);
}

enum gp_status pool_case_load(struct planner *planner, const char *name, profile_warn_fn warn,
                              void *ctx, struct pool_case *out, struct gp_err *err)
{
    bool more = true;
    enum gp_status rc = pool_case_read(planner, name, warn, ctx, out, err);

    if (rc)
        return rc;
    while (!rc && more)
        rc = pool_case_step(planner, out, &more, err);
    if (!rc)
        rc = pool_case_build(out, err);
    if (rc)
        pool_case_fini(out);
    return rc;
}

void pool_case_fini(struct pool_case *c)
{
    pool_file_fini(&c->file);
    pool_replicas_fini(&c->replicas);
    free(c->workloads);
    free(c->candidates);
    free(c->replica_of);
    free(c->jobs);
    memset(c, 0, sizeof(*c));
}

void pool_case_free(struct pool_case *c)
{
    if (c)
        pool_case_fini(c);
    free(c);
}
