/*
 * pool_candidates.c - see pool_candidates.h.
 */
#include "pool/pool_candidates.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "plan/evaluate.h"
#include "plan/plan.h"
#include "plan/search.h"

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
    double ttft = s->request.ttft, tpot = s->request.tpot;

    s->request.rate = r->rate;
    prices_init(&s->request, s->market, &prices);
    plan_fill(&s->request, &s->load, &r->layout, &prices, &plan);
    prices_fini(&prices);
    r->layout = plan.layout;
    r->watts = plan.power.loaded ? plan.power.gpu.value : plan.power.limit;
    if (s->known >> (r->layout.gpus - 1) & 1)
        return;
    s->request.ttft = s->request.tpot = 0;
    r->free_rate = fmax(r->rate, most_rate(s, &r->layout, r->rate));
    s->request.ttft = ttft;
    s->request.tpot = tpot;
}

/* What was found becomes rows, those of this scan from `from` on, one for each number of GPUs. */
static void take_found(const struct scan *s, size_t from, const struct pool_replica *like,
                       bool fabric, struct pool_replicas *out)
{
    for (int i = 0; i < s->count; i++) {
        const struct served *f = &s->found[i];
        struct pool_replica *r;
        size_t at = from;

        while (at < out->count && out->row[at].gpus != f->layout.gpus)
            at++;
        if (at == out->count) {
            out->row = gp_grow(out->row, &out->cap, out->count + 1, sizeof(*out->row));
            out->row[at] = *like;
            out->row[at].gpus = f->layout.gpus;
            out->count++;
        }
        r = &out->row[at];
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

/* In a server, and on the fabric: the same GPU without links of its own, as many of them as one
 * host of the chassis can hold. What a server's benchmark says of the GPU holds there, too. */
static void scan_type(struct scan *s, const struct request *request, const struct gpu *gpu,
                      const struct pool_file *file, const struct pool_replica *like,
                      struct pool_replicas *out)
{
    struct gpu fabric = *gpu;
    size_t from = out->count;
    bool measured = request->correction.gpu == gpu;
    int host = 0, gen = file->fabric.pcie_gen;

    s->request = search_on(request, gpu, 0, &out->market);
    s->request.host_gpus = file->types[like->type].server_gpus;
    s->single = -1;
    s->known = 0;
    scan_place(s);
    take_found(s, from, like, false, out);
    s->single = s->count > 0 && s->found[0].layout.gpus == 1 ? s->found[0].rate : 0;
    for (int i = 0; i < s->count; i++)
        s->known |= UINT64_C(1) << (s->found[i].layout.gpus - 1);
    fabric.link_bandwidth = 0;
    if (gen > 0 && (fabric.pcie_gen == 0 || gen < fabric.pcie_gen))
        fabric.pcie_gen = gen;
    s->request.gpu = &fabric;
    if (measured)
        s->request.correction.gpu = &fabric;
    for (size_t i = 0; i < file->chassis_count; i++)
        host = file->chassis[i].per_host > host ? file->chassis[i].per_host : host;
    s->request.host_gpus = host > 0 ? host : file->server_gpus;
    scan_place(s);
    take_found(s, from, like, true, out);
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

        if (!pool_slice_used(&gpu->slice[i]) ||
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

bool pool_slice_used(const struct gpu_slice *slice)
{
    return slice->compute < slice->compute_of && !strchr(slice->profile, '+');
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
    } numbers[] = {{OPT_CONTEXT, w->context}, {OPT_PROMPT, w->prompt},   {OPT_OUTPUT, w->output},
                   {OPT_TTFT, w->ttft * 1e3}, {OPT_TPOT, w->tpot * 1e3}, {OPT_RATE, RATE_LEAST}};
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

/* An error of a workload begins with its line and name. */
static enum gp_status fail_in_workload(enum gp_status rc, const struct pool_file_workload *w,
                                       struct gp_err *err)
{
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

void pool_refusal_copy(const struct pool_replicas *from, int workload, int to,
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
    int first = 0;

    while (!may_use(w, file->types[first].gpu))
        first++;
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
    return fail_in_workload(rc, w, err);
}

/* ---- the same again ---- */

static bool same_question(const struct pool_file_workload *a, const struct pool_file_workload *b)
{
    return strcmp(a->model, b->model) == 0 && strcmp(a->precision, b->precision) == 0 &&
           strcmp(a->kv_precision, b->kv_precision) == 0 && strcmp(a->engine, b->engine) == 0 &&
           strcmp(a->gpus, b->gpus) == 0 && strcmp(a->calibration, b->calibration) == 0 &&
           a->open == b->open && a->context == b->context && a->prompt == b->prompt &&
           a->output == b->output && a->ttft == b->ttft && a->tpot == b->tpot &&
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
    pool_refusal_copy(out, (int)like, (int)workload, out);
    for (size_t i = 0, n = out->count; i < n; i++) {
        struct pool_replica r = out->row[i];

        if (r.workload > (int)like)
            break;
        if (r.workload < (int)like)
            continue;
        r.workload = (int)workload;
        out->row = gp_grow(out->row, &out->cap, out->count + 1, sizeof(*out->row));
        out->row[out->count++] = r;
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
