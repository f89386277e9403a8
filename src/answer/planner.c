/*
 * planner.c - the answers of planner.h: choosing a GPU where none is named, solving, fixes, what
 * would be better, and their commands.
 */
#include "answer/planner.h"

#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "plan/better.h"
#include "plan/place.h"
#include "plan/search.h"

/* What weights may be stored in instead, best first, and the two that are usual. */
struct formats {
    const char *ids[5], *usual[3];
};

static const struct formats gguf_formats = {{"q8_0", "q6_k", "q5_k_m", "q4_k_m"},
                                            {"q8_0", "q4_k_m"}};
static const struct formats mlx_formats = {{"fp16", "mlx-8bit", "mlx-4bit"},
                                           {"mlx-8bit", "mlx-4bit"}};
static const struct formats plain_formats = {{"fp16", "fp8", "int8", "int4-awq"},
                                             {"fp8", "int4-awq"}};

static const struct formats *formats_of(const struct engine *e)
{
    if (e->gguf)
        return &gguf_formats;
    return engine_lists(e->weight_formats, "mlx") ? &mlx_formats : &plain_formats;
}

/* Is its own format of weights or KV nothing that the engine runs on this GPU, if one is chosen? */
static bool type_refused(const struct request *q)
{
    uint64_t reasons = q->gpu ? load_sum(q).reasons : 0;

    return reasons_verdict(reasons) == VERDICT_DOES_NOT_FIT && reasons_limit(reasons) == LIMIT_TYPE;
}

/* Formats below the request's own, best first; where the engine does not run its own there, the
 * nearest of at least its width comes before them. Adds them to out, which has *n. */
static enum gp_status offer_formats(struct planner *p, const struct request *q,
                                    const char *const *ids, struct precisions *out, int *n,
                                    struct gp_err *err)
{
    const struct format *own = q->precision.weight;
    bool refused = !engine_runs_format(q->engine, own) || type_refused(q);
    enum gp_status rc = GP_OK;

    for (int first = *n; *ids && !rc; ids++) {
        const struct format *f;

        rc = catalog_format(planner_catalog(p), *ids, &f, err);
        bool wider = !rc && f->bits >= own->bits;
        if (rc || f == own || (wider && !refused))
            continue;
        if (wider)
            *n = first;
        const struct model *m = q->unpadded ? q->unpadded : q->model;
        struct precisions *to = &out[(*n)++];
        to->draft = q->draft_precision;
        rc = planner_precision(p, m, f, &to->model, err);
        to->release = rc ? NULL : planner_release(p, m, &to->model);
        to->release = to->release ? to->release : m;
        if (!rc && q->draft && q->draft_kind != DRAFT_MTP && q->engine->gguf)
            rc = planner_precision(p, q->draft, f, &to->draft, err);
    }
    return rc;
}

/* What a fix may choose from: all GPUs, lower precisions, the newest range of each other engine;
 * for those that read GGUF such formats, 16 bit, and a GGUF format as it is. */
static const char *lower_kv(const struct engine *e)
{
    return e->gguf ? "q8_0" : "fp8";
}

static const struct gpu *const *all_gpus(void *planner, size_t *count)
{
    const struct gpu *const *list;

    catalog_gpus_offered(planner_catalog(planner), &list, count, NULL);
    return list;
}

/* Where the GPU was named, those that somebody sells first: hardly another is wanted. */
static enum gp_status offer_all(struct planner *p, const struct request *q, struct choices *out,
                                struct gp_err *err)
{
    static const char *const engines[] = CATALOG_ENGINES_OFFERED;
    const struct engine *gguf = q->engine; /* that reads such formats, where there is one */
    bool reads_gguf = q->engine->gguf, sold = q->gpu && q->price != WANT_BUY;
    enum gp_status rc = (sold ? catalog_gpus_sold : catalog_gpus_offered)(
        planner_catalog(p), &out->gpus, &out->gpu_count, err);

    out->all_gpus = sold ? all_gpus : NULL;
    out->all_ctx = p;

    _Static_assert(sizeof(engines) / sizeof(engines[0]) <=
                       sizeof(out->engines) / sizeof(out->engines[0]),
                   "struct choices has no room for all of CATALOG_ENGINES_OFFERED");
    if (!rc)
        rc = catalog_format(planner_catalog(p), lower_kv(q->engine), &out->kv, err);
    if (!rc)
        rc = offer_formats(p, q, formats_of(q->engine)->ids, out->lower, &out->lower_count, err);
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]) && !rc; i++) {
        const struct engine *e;

        rc = catalog_engine(planner_catalog(p), engines[i], &e, err);
        if (!rc && (strcmp(e->id, q->engine->id) != 0 || (e != q->engine && !e->gguf)))
            out->engines[out->engine_count++] = e;
        gguf = !rc && e->gguf ? e : gguf;
    }
    if (!rc && (q->precision.weight->bits >= 16 || q->precision.weight->block > 0)) {
        struct precisions *own = &out->gguf[out->gguf_count++];

        *own = (struct precisions){q->precision, q->draft_precision, NULL};
        rc = planner_kv(p, gguf, &q->precision, &own->model.kv, err);
    }
    if (!rc && !reads_gguf)
        rc = offer_formats(p, q, gguf_formats.ids, out->gguf, &out->gguf_count, err);
    return rc;
}

void planner_plan(struct planner *p, const struct resolved *resolved, struct plan *out)
{
    (void)p;
    plan_request(&resolved->request, &resolved->market, out);
    place_request(&resolved->request, &resolved->market, out);
}

/* The memory of a GPU that the engine runs on, that of those with a list price first. */
static double how_large(const struct request *q, const struct market *market, const struct gpu *gpu)
{
    bool sold = false;

    for (size_t i = 0; i < market->instance_count && !sold; i++)
        sold = market->instances[i].kind == PRICE_LIST && market->instances[i].on_demand > 0 &&
               strcmp(market->instances[i].gpu, gpu->id) == 0;
    return engine_runs_on(q->engine, gpu) ? gpu_usable(gpu).value * (sold ? 1e3 : 1) : 0;
}

/* No GPU is named and none is here: the cheapest list price that fits in one machine, or the
 * fewest GPUs with --solve gpus; over the budget or the model's context, what would fit without;
 * else the largest GPU, whose plan gives the reason. */
static void choose_gpu(struct answer *a, const struct choices *c)
{
    struct request *q = &a->resolved.request;
    const struct market *market = &a->resolved.market;
    enum solve_gpu by = a->solve == SOLVE_GPUS ? SOLVE_GPU_FEWEST : SOLVE_GPU_CHEAPEST;
    struct request open = *q;

    if (solve_gpu(q, by, c, market, &a->plan)) {
        *q = a->plan.request;
        plan_untuned(&a->plan, q); /* planned again, and then said what is turned */
        return;
    }
    open.budget = 0;
    if (q->model->max_context > 0)
        open.context = fmin(q->context, q->model->max_context);
    if (solve_gpu(&open, by, c, market, &a->plan)) {
        *q = search_on(q, a->plan.request.gpu, 0, market);
        return;
    }
    for (size_t i = 0; i < c->gpu_count; i++)
        if (how_large(q, market, c->gpus[i]) > (q->gpu ? how_large(q, market, q->gpu) : 0))
            q->gpu = c->gpus[i];
    if (!q->gpu && c->gpu_count > 0)
        q->gpu = c->gpus[0];
    *q = search_on(q, q->gpu, 0, market);
}

/* The other --reserve on as many of the same GPUs as that takes, where the load asks for
 * less than all users at full context. */
static void plan_otherwise(struct answer *a)
{
    const struct plan *p = &a->plan;
    struct request q = p->request;
    struct evaluation e;
    bool load = q.reserve == RESERVE_LOAD;

    plan_untuned(p, &q);
    if (!p->has_memory || (load && !verdict_holds(p->verdict)) || q.model->weights_only ||
        p->request.users <= 1 || memory_described_tokens(&q) >= q.context)
        return;
    a->otherwise = OTHERWISE_SAME;
    if (load && p->memory.kv_full.value <= p->memory.kv_pool.low &&
        p->memory.free.low >= p->memory.kv_full.value - p->memory.kv_reserved.value)
        return;
    q.reserve = load ? RESERVE_FULL : RESERVE_LOAD;
    q.gpu_count = q.replicas = q.pp = 0;
    search_layout(&q, &a->resolved.market, SEARCH_FEWEST_GPUS, &e);
    if (e.valid && verdict_holds(e.verdict) && verdict_holds(p->verdict) &&
        e.layout.gpus == p->layout.gpus)
        return;
    a->otherwise = e.valid && verdict_holds(e.verdict) ? OTHERWISE_TAKES : OTHERWISE_LACKS;
    a->reserved_otherwise = (struct runner_up){.layout = e.layout, .per_hour = e.price.per_hour};
}

static struct runner_up runner_of(const struct evaluation *e)
{
    bool found = e->valid && e->verdict == VERDICT_FITS;

    return (struct runner_up){.layout = found ? e->layout : (struct layout){0},
                              .per_hour = found ? e->price.per_hour : 0};
}

/* The best that reaches the goals of q, those of percentiles by replay. */
static struct runner_up runner_reaching(const struct request *q, const struct market *market)
{
    struct evaluation e;
    struct plan p;

    if (!late_asked(q)) {
        search_offer(q, market, SEARCH_FEWEST_GPUS, &e);
        return runner_of(&e);
    }
    plan_request(q, market, &p);
    return (struct runner_up){.layout = p.verdict == VERDICT_FITS ? p.layout : (struct layout){0},
                              .per_hour = p.verdict == VERDICT_FITS ? p.cost.per_hour : 0};
}

/* What needs less than `likely` and misses a goal by less than GOALS_NEAR. */
static struct runner_up nearly_as_fast(const struct request *q, const struct market *market,
                                       const struct runner_up *likely)
{
    struct request near = *q;
    struct evaluation e;
    struct runner_up r;

    near.ttft *= GOALS_NEAR;
    near.tpot *= GOALS_NEAR;
    near.throughput /= q->rate > 0 ? 1 : GOALS_NEAR;
    search_layout_within(&near, market, likely->per_hour, likely->layout.gpus, &e);
    r = runner_of(&e);
    const struct {
        enum limit limit;
        double more;
    } misses[] = {{LIMIT_TTFT, q->ttft > 0 ? e.ttft / q->ttft - 1 : 0},
                  {LIMIT_TPOT, q->tpot > 0 ? e.tpot / q->tpot - 1 : 0},
                  {LIMIT_THROUGHPUT, e.tokens > 0 ? 1 - e.tokens / q->throughput : 0}};
    for (size_t i = 0; i < (q->rate > 0 || q->throughput <= 0 ? 2 : 3); i++)
        if (misses[i].more > r.more) {
            r.more = misses[i].more;
            r.limit = misses[i].limit;
        }
    bool less = r.per_hour > 0 && likely->per_hour > 0 ? r.per_hour < likely->per_hour
                                                       : r.layout.gpus < likely->layout.gpus;
    return less && r.more > 0 ? r : (struct runner_up){.per_hour = 0};
}

/* The counts beside a plan with goals of speed, whatever count was asked for. */
static void plan_beside(struct answer *a)
{
    const struct plan *p = &a->plan;
    const struct market *market = &a->resolved.market;
    struct goals_beside *g = &a->goals;
    struct request q = p->request;
    bool asked_sure = q.goals == GOALS_SURE, open = q.gpu_count == 0 && q.replicas == 0;

    g->state = plan_goals(p);
    if (g->state == GOAL_NOT_ASKED)
        return;
    const struct runner_up own = {.layout = p->layout, .per_hour = p->cost.per_hour};

    plan_untuned(p, &q);
    q.gpu_count = q.replicas = 0;
    q.budget = 0; /* the price is said */
    if (!asked_sure && g->state <= GOAL_LIKELY && p->verdict != VERDICT_MARGINAL) {
        g->likely = own;
    } else {
        q.goals = GOALS_LIKELY;
        g->likely = runner_reaching(&q, market);
    }
    if (g->state == GOAL_MET && p->verdict != VERDICT_MARGINAL) {
        g->sure = own;
    } else if (!open || !asked_sure) {
        q.goals = GOALS_SURE;
        g->sure = runner_reaching(&q, market);
    }
    q.goals = GOALS_LIKELY;
    if (open && g->likely.layout.gpus > 1 && !late_asked(&q) &&
        (q.ttft > 0 || q.tpot > 0 || q.throughput > 0))
        g->near = nearly_as_fast(&q, market, &g->likely);
}

/* Fixes from `first` on whose percentiles miss their goals are none. */
static void keep_replayed(const struct plan *p, const struct market *market, struct fix *fixes,
                          int first, int *count)
{
    int kept = first;

    for (int i = first; i < *count; i++) {
        struct plan fixed;

        if (late_asked(&p->request) && fixes[i].verdict == VERDICT_FITS)
            plan_request_within(&fixes[i].request, market, fixes[i].gpus, &fixed);
        if (!late_asked(&p->request) || fixes[i].verdict != VERDICT_FITS ||
            (fixed.verdict == VERDICT_FITS && fixed.layout.gpus == fixes[i].gpus))
            fixes[kept++] = fixes[i];
    }
    *count = kept;
}

/* The plan alone; *c: what other fixes may choose from, where that was read. */
static enum gp_status planner_choose(struct planner *p, const struct options *options,
                                     struct choices *c, struct answer *out, struct gp_err *err)
{
    /* resolving begins with nothing, and fix_count tells of the fixes */
    memset(&out->plan, 0, offsetof(struct answer, fixes) - offsetof(struct answer, plan));
    out->fix_count = 0;
    memset(c, 0, sizeof(*c));
    enum gp_status rc = planner_resolve(p, options, NULL, NULL, NULL, &out->resolved, err);
    const struct request *q = &out->resolved.request;
    if (rc)
        return rc;
    c->trace = planner_trace(p, &out->resolved);
    out->solve = (enum solve)(options_choice(options, OPT_SOLVE) + 1); /* -1: none */
    if (out->solve > SOLVE_BUDGET)
        return gp_fail(err, GP_E_USAGE, "--solve", "gpuplan --replay --solve rate --ttft-p99 MS",
                       "the rate that keeps a percentile follows from a replay");
    if (out->solve == SOLVE_USERS && q->rate > 0)
        return gp_fail(err, GP_E_USAGE, "--solve", "give --users, or leave --solve",
                       "the users follow from --rate");
    if (out->resolved.gpu_chosen || out->solve != SOLVE_NONE) {
        rc = offer_all(p, q, c, err);
        if (rc)
            return rc;
        if (out->resolved.gpu_chosen)
            choose_gpu(out, c);
    }
    if (out->solve == SOLVE_NONE) {
        planner_plan(p, &out->resolved, &out->plan);
    } else {
        struct choices own = *c; /* the highest precision first, beginning with the request's */
        int room = (int)(sizeof(own.lower) / sizeof(own.lower[0]));

        own.lower_count = (c->lower_count < room ? c->lower_count : room - 1) + 1;
        memmove(&own.lower[1], &own.lower[0], (size_t)(own.lower_count - 1) * sizeof(own.lower[0]));
        own.lower[0] = (struct precisions){q->precision, q->draft_precision, q->model};
        out->solved = solve_request(q, out->solve, &own, &out->resolved.market, &out->plan);
    }
    plan_replay(&out->plan);
    return GP_OK;
}

enum gp_status planner_decide(struct planner *planner, const struct options *options,
                              struct answer *out, struct gp_err *err)
{
    struct choices c;

    return planner_choose(planner, options, &c, out, err);
}

enum gp_status planner_answer(struct planner *p, const struct options *options, struct answer *out,
                              struct gp_err *err)
{
    struct choices c;
    enum gp_status rc = planner_choose(p, options, &c, out, err);

    if (rc)
        return rc;
    /* a plan that fits has at most one fix, a deeper pipeline, which needs no choices
     */
    if (out->plan.verdict != VERDICT_FITS && !c.gpus)
        rc = offer_all(p, &out->resolved.request, &c, err);
    plan_otherwise(out);
    plan_beside(out);
    if (!rc)
        out->fix_count = plan_fixes(&out->plan, &c, &out->resolved.market, out->fixes);
    keep_replayed(&out->plan, &out->resolved.market, out->fixes, 0, &out->fix_count);
    return rc;
}

/* ---- what would be better ---- */

/* Each one's profile has to be read, which takes as long as its planning. */
enum { LOWER_PRICED, HIGHER_PRICED, USUAL_GPUS };

struct offered {
    const char *gpu; /* borrowed from an instance */
    int offers;
    double price; /* dollars per hour of one, the least */
};

/* Counts the offers of each GPU at list prices. Returns how many GPUs. */
static int count_offers(const struct market *m, struct offered out[], int room)
{
    int n = 0;

    for (size_t i = 0; i < m->instance_count; i++) {
        const struct instance *offer = &m->instances[i];
        double price = offer->gpu_count > 0 ? offer->on_demand / offer->gpu_count : 0;
        int at = n - 1; /* those of one GPU mostly follow each other */

        if (offer->kind != PRICE_LIST || price <= 0 || !market_takes(m, offer))
            continue;
        while (at >= 0 && strcmp(out[at].gpu, offer->gpu) != 0)
            at--;
        if (at < 0 && n == room)
            continue;
        if (at < 0)
            out[at = n++] = (struct offered){offer->gpu, 0, price};
        out[at].offers++;
        if (price < out[at].price)
            out[at].price = price;
    }
    return n;
}

/* Of the GPUs that cost less than the one asked for, and of those that cost more, the one
 * that most instances have: what somebody would look at beside it. */
static enum gp_status offer_usual_gpus(struct planner *p, const struct request *q,
                                       const struct market *market,
                                       const struct gpu *list[USUAL_GPUS], struct choices *out,
                                       struct gp_err *err)
{
    struct offered offered[64];
    int n = count_offers(market, offered, 64), best[USUAL_GPUS] = {-1, -1}, own = -1;
    enum gp_status rc = GP_OK;

    for (int i = 0; i < n; i++)
        if (strcmp(offered[i].gpu, q->gpu->id) == 0)
            own = i;
    for (int i = 0; i < n; i++) {
        int side = own < 0 || offered[i].price > offered[own].price ? HIGHER_PRICED : LOWER_PRICED;

        if (i != own && (best[side] < 0 || offered[i].offers > offered[best[side]].offers))
            best[side] = i;
    }
    out->gpus = list;
    for (int side = 0; side < USUAL_GPUS && !rc; side++)
        if (best[side] >= 0)
            rc = catalog_gpu(planner_catalog(p), offered[best[side]].gpu, &list[out->gpu_count++],
                             err);
    return rc;
}

enum gp_status planner_betters(struct planner *p, struct answer *a, struct gp_err *err)
{
    const struct request *q = &a->plan.request;
    const struct gpu *gpus[USUAL_GPUS];
    struct choices c;
    enum gp_status rc;

    memset(&c, 0, sizeof(c));
    c.trace = planner_trace(p, &a->resolved);
    if (a->plan.verdict != VERDICT_FITS || a->solve != SOLVE_NONE)
        return GP_OK;
    rc = offer_formats(p, q, formats_of(q->engine)->usual, c.lower, &c.lower_count, err);
    if (!rc)
        rc = catalog_format(planner_catalog(p), lower_kv(q->engine), &c.kv, err);
    if (!rc)
        rc = offer_usual_gpus(p, q, &a->resolved.market, gpus, &c, err);
    int first = a->fix_count;

    if (!rc)
        plan_betters(&a->plan, &c, &a->resolved.market, a->fixes, &a->fix_count);
    keep_replayed(&a->plan, &a->resolved.market, a->fixes, first, &a->fix_count);
    return rc;
}

/* ---- fixes as options ---- */

static const enum option_id change_options[CHANGE_COUNT] = {
    [CHANGE_GPU] = OPT_GPU,
    [CHANGE_ENGINE] = OPT_ENGINE,
    [CHANGE_PRECISION] = OPT_PRECISION,
    [CHANGE_KV] = OPT_KV_PRECISION,
    [CHANGE_TP] = OPT_TP,
    [CHANGE_PP] = OPT_PP,
    [CHANGE_EP] = OPT_EP,
    [CHANGE_REPLICAS] = OPT_REPLICAS,
    [CHANGE_DP] = OPT_DP,
    [CHANGE_MAX_PP] = OPT_MAX_PP,
    [CHANGE_USERS] = OPT_USERS,
    [CHANGE_CONTEXT] = OPT_CONTEXT,
    [CHANGE_UTILIZATION] = OPT_MEMORY_UTILIZATION,
    [CHANGE_TOKENS] = OPT_MAX_BATCHED_TOKENS,
    [CHANGE_SEQS] = OPT_MAX_NUM_SEQS,
    [CHANGE_EAGER] = OPT_ENFORCE_EAGER,
    [CHANGE_GPU_LAYERS] = OPT_GPU_LAYERS,
    [CHANGE_CPU_MOE] = OPT_N_CPU_MOE,
    [CHANGE_CPU_OFFLOAD] = OPT_CPU_OFFLOAD_GB,
    [CHANGE_NO_KV] = OPT_NO_KV_OFFLOAD,
    [CHANGE_DRAFT] = OPT_DRAFT,
    [CHANGE_LORA] = OPT_LORA,
};

/* The value that a fix gives to what it changes, as its option takes it; "" = a flag. */
static void change_value(const struct request *q, enum change change, char *text, size_t size)
{
    const double numbers[CHANGE_COUNT] = {
        [CHANGE_TP] = q->tp,
        [CHANGE_PP] = q->pp,
        [CHANGE_EP] = q->ep,
        [CHANGE_REPLICAS] = q->replicas,
        [CHANGE_DP] = q->dp,
        [CHANGE_MAX_PP] = q->max_pp,
        [CHANGE_USERS] = q->users,
        [CHANGE_CONTEXT] = q->context,
        [CHANGE_UTILIZATION] = q->utilization,
        [CHANGE_TOKENS] = q->max_batched_tokens,
        [CHANGE_SEQS] = q->max_num_seqs,
        [CHANGE_GPU_LAYERS] = q->model->layer_count + 1 - q->host_layers,
        [CHANGE_CPU_MOE] = q->host_experts,
        [CHANGE_CPU_OFFLOAD] = q->host_bytes / GP_GIB,
    };

    switch (change) {
    case CHANGE_GPU:
        gp_format(text, size, q->gpu->mix || q->gpu_count <= 0 ? "%s" : "%s:%d", q->gpu->id,
                  q->gpu_count);
        break;
    case CHANGE_ENGINE:
        gp_copy(text, size, q->engine->id);
        break;
    case CHANGE_PRECISION:
        gp_copy(text, size, q->precision.id);
        break;
    case CHANGE_KV:
        gp_copy(text, size, q->kv_auto ? "auto" : q->kv->id);
        break;
    case CHANGE_EAGER:
    case CHANGE_NO_KV:
        gp_copy(text, size, "");
        break;
    case CHANGE_DRAFT:
        gp_copy(text, size, "none");
        break;
    case CHANGE_LORA:
        gp_format(text, size, "%d:%d", q->lora_slots, q->lora_rank);
        break;
    default:
        gp_format(text, size,
                  numbers[change] <= 0           ? "auto"
                  : change == CHANGE_UTILIZATION ? "%.2f"
                                                 : "%.0f",
                  numbers[change]);
    }
}

char *planner_fix_options(const struct fix *fix, char text[FIX_OPTIONS_MAX])
{
    text[0] = '\0';
    for (int i = 0; i < CHANGE_COUNT; i++) {
        char value[64];

        if (!(fix->changes >> i & 1))
            continue;
        change_value(&fix->request, (enum change)i, value, sizeof(value));
        gp_append(text, FIX_OPTIONS_MAX, " ", "--%s%s%s", option_rows[change_options[i]].name,
                  value[0] ? " " : "", value);
    }
    return text;
}

void planner_fix_command(const struct options *options, const struct answer *answer,
                         const struct fix *fix, struct strbuf *out)
{
    char given[FIX_OPTIONS_MAX], changes[FIX_OPTIONS_MAX + GPU_ID_MAX + 16];
    bool name_gpu = options->gpu_count == 0 && !(fix->changes & 1u << CHANGE_GPU);

    gp_format(changes, sizeof(changes), "%s%s%s%s", name_gpu ? "--gpu " : "",
              name_gpu ? answer->plan.request.gpu->id : "", name_gpu ? " " : "",
              planner_fix_options(fix, given));
    options_command(options, "plan", changes, out);
}

static enum gp_status read_options(const struct options *options, struct train *t,
                                   struct gp_err *err)
{
    int optimizer;

    *t = train_defaults((enum train_method)(options_choice(options, OPT_TRAIN) + 1));
    optimizer = train_optimizer_parse(
        options_word(options, OPT_OPTIMIZER, train_optimizer_word(t->optimizer)));
    if (optimizer < 0)
        return gp_fail(err, GP_E_USAGE, "--optimizer", "adamw, adamw-bf16, adamw-8bit, sgd",
                       "unknown optimizer '%s'", options_word(options, OPT_OPTIMIZER, ""));
    t->optimizer = (enum train_optimizer)optimizer;
    const char *trainer = options_word(options, OPT_TRAINER, "");
    char known[200];

    trainer_words(known, sizeof(known));
    t->trainer = trainer[0] ? trainer_find(trainer) : NULL;
    if (trainer[0] && !t->trainer)
        return gp_fail(err, GP_E_USAGE, "--trainer", known, "unknown trainer '%s'", trainer);
    if (t->trainer)
        t->recompute = t->trainer->recompute;
    t->recompute = (enum recompute)train_recompute_parse(
        options_word(options, OPT_RECOMPUTE, train_recompute_word(t->recompute)));
    if (options->value[OPT_ZERO].given)
        t->zero_stage = (int)options->value[OPT_ZERO].number;
    t->sequence = options_or(options, OPT_SEQUENCE, t->sequence);
    t->micro_batch = options_or(options, OPT_MICRO_BATCH, t->micro_batch);
    t->lora_rank = (int)options_or(options, OPT_LORA_RANK, t->lora_rank);
    t->targets = (enum lora_targets)options_choice(options, OPT_LORA_TARGETS);
    t->modules = (enum train_modules)options_choice(options, OPT_MODULES_TO_SAVE);
    t->eager_attention = options_choice(options, OPT_ATTENTION) == 1;
    t->offload = (enum train_offload)options_choice(options, OPT_OFFLOAD);
    t->step_in_backward = options_flag(options, OPT_STEP_IN_BACKWARD);
    t->fused_kernels = options_flag(options, OPT_FUSED) || (t->trainer && t->trainer->fused);
    enum train_loss loss = options_flag(options, OPT_FUSED) ? LOSS_FUSED
                           : t->trainer                     ? t->trainer->loss
                                                            : LOSS_EAGER;
    t->loss =
        (enum train_loss)train_loss_parse(options_word(options, OPT_LOSS, train_loss_word(loss)));
    t->sequence_parallel = options_flag(options, OPT_SEQUENCE_PARALLEL);
    t->device_map = options_flag(options, OPT_DEVICE_MAP);
    t->cp = (int)options_or(options, OPT_CP, 0);
    t->tp = (int)options_or(options, OPT_TP, 0);
    t->pp = (int)options_or(options, OPT_PP, 0);
    return GP_OK;
}

/* What a served model has and a trained one has not. */
static enum gp_status check_serving(const struct options *options, struct gp_err *err)
{
    static const struct {
        enum option_id id;
        const char *hint;
    } serving[] = {
        {OPT_CONTEXT, "--sequence TOKENS"},
        {OPT_PROMPT, "--sequence TOKENS"},
        {OPT_OUTPUT, "--sequence TOKENS"},
        {OPT_PROMPT_STDDEV, ""},
        {OPT_OUTPUT_STDDEV, ""},
        {OPT_TRACE, ""},
        {OPT_USERS, "--micro-batch N"},
        {OPT_RATE, ""},
        {OPT_PREFIX_HIT, ""},
        {OPT_RESERVE, ""},
        {OPT_TTFT, ""},
        {OPT_TPOT, ""},
        {OPT_TTFT_P95, ""},
        {OPT_TTFT_P99, ""},
        {OPT_TPOT_P95, ""},
        {OPT_TPOT_P99, ""},
        {OPT_E2E_P95, ""},
        {OPT_E2E_P99, ""},
        {OPT_THROUGHPUT, ""},
        {OPT_BUDGET, ""},
        {OPT_GOALS, ""},
        {OPT_DP, ""},
        {OPT_DISAGGREGATE, ""},
        {OPT_API_PRICE, ""},
        {OPT_POWER_CAP, ""},
        {OPT_REPLICAS, "-g GPU:COUNT: the rest of the GPUs are data parallel"},
        {OPT_KV_PRECISION, ""},
        {OPT_ENGINE, ""},
        {OPT_EP, ""},
        {OPT_MAX_PP, "--pp N"},
        {OPT_MAX_NUM_SEQS, ""},
        {OPT_MAX_BATCHED_TOKENS, ""},
        {OPT_MEMORY_UTILIZATION, ""},
        {OPT_ENFORCE_EAGER, ""},
        {OPT_HEADROOM, "--used BYTES"},
        {OPT_KV_OFFLOAD_GB, ""},
        {OPT_NO_KV_OFFLOAD, ""},
        {OPT_DRAFT, ""},
        {OPT_SPECULATIVE_TOKENS, ""},
        {OPT_ACCEPTANCE, ""},
        {OPT_ACCEPTANCE_LENGTH, ""},
        {OPT_CALIBRATION, ""},
        {OPT_LORA, "--lora-rank R"},
        {OPT_SOLVE, ""},
    };
    char where[80];

    for (size_t i = 0; i < sizeof(serving) / sizeof(serving[0]); i++)
        if (options->value[serving[i].id].given) {
            gp_format(where, sizeof(where), "--%s", option_rows[serving[i].id].name);
            return gp_fail(err, GP_E_USAGE, where, serving[i].hint,
                           "is for inference, not for --train");
        }
    return GP_OK;
}

/* Options that mean nothing in a full run. */
static enum gp_status check_options(const struct options *options, const struct train *t,
                                    struct gp_err *err)
{
    static const enum option_id of_adapters[] = {OPT_LORA_RANK, OPT_LORA_TARGETS,
                                                 OPT_MODULES_TO_SAVE};
    char where[80];

    for (size_t i = 0; i < sizeof(of_adapters) / sizeof(of_adapters[0]); i++)
        if (t->method == TRAIN_FULL && options->value[of_adapters[i]].given) {
            gp_format(where, sizeof(where), "--%s", option_rows[of_adapters[i]].name);
            return gp_fail(err, GP_E_USAGE, where, "--train full trains all of it",
                           "is for --train lora and qlora");
        }
    if (t->device_map && (t->tp > 1 || t->pp > 0))
        return gp_fail(err, GP_E_USAGE, "--device-map", "-g GPU:COUNT says over how many",
                       "is one process: it takes no --tp and no --pp");
    if (t->method != TRAIN_FULL && t->step_in_backward)
        return gp_fail(err, GP_E_USAGE, "--step-in-backward", "the gradients of adapters are small",
                       "is for --train full");
    return GP_OK;
}

static const struct {
    const char *format;
    enum train_base base;
} bases[] = {
    {"int4-gptq", BASE_GPTQ},
    {"int8-gptq", BASE_GPTQ},
    {"int4-awq", BASE_AWQ},
    {"int8-bnb", BASE_INT8},
};

/* --precision is that of the frozen base; 16 bits by default, NF4 under QLoRA. */
static enum gp_status read_base(const struct options *options, const struct request *q,
                                struct train *t, struct gp_err *err)
{
    const struct format *f = q->precision.weight;
    bool nf4 = strcmp(f->family, "nf4") == 0;

    if (options->precision_count == 0 || (t->method == TRAIN_QLORA && nf4)) {
        t->single_quant = options->precision_count > 0 && strcmp(f->id, "nf4") == 0;
        return GP_OK;
    }
    if (t->method == TRAIN_QLORA)
        return gp_fail(err, GP_E_USAGE, "--precision", "--train lora takes other formats",
                       "QLoRA's base is nf4 or nf4-dq, not %s", f->id);
    if (strcmp(f->family, "scalar") == 0 && f->bits == 16)
        return GP_OK;
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
        if (t->method == TRAIN_LORA && strcmp(bases[i].format, f->id) == 0) {
            t->base = bases[i].base;
            t->format = f;
            return GP_OK;
        }
    if (t->method == TRAIN_FULL && f->bits == 8 && strstr(f->id, "fp8"))
        return gp_fail(err, GP_E_USAGE, "--precision",
                       "bf16: its weights, master and moments stay as wide",
                       "%s: Float8 training (torchao, Transformer Engine) is not planned", f->id);
    return gp_fail(
        err, GP_E_USAGE, "--precision",
        t->method == TRAIN_FULL ? "bf16 or fp16"
                                : "bf16, int4-gptq, int8-gptq, int4-awq, int8-bnb; nf4: --train "
                                  "qlora",
        "%s is not planned as the weights of --train %s", f->id, train_method_word(t->method));
}

static enum gp_status check_request(const struct request *q, struct gp_err *err)
{
    if (!q->gpu)
        return gp_fail(err, GP_E_USAGE, "--gpu", "such as -g h100-sxm or -g h100-sxm:8",
                       "--train needs a GPU by name");
    if (q->host_layers > 0 || q->host_experts > 0 || q->host_bytes > 0)
        return gp_fail(err, GP_E_USAGE, "--train", "", "is planned with all weights on the GPUs");
    return GP_OK;
}

/* What is offloaded must fit into a machine, which is chosen by its price alone. */
static void check_ram(struct train_answer *a)
{
    const struct rent *rent = cost_wanted(&a->priced.cost);
    struct train_memory *m = &a->memory;
    double ram = rent && rent->known ? rent->instance->ram : 0;

    if (ram <= 0 || m->host.high <= ram)
        return;
    m->host_ram = ram;
    m->warnings |= 1u << TRAIN_WARNING_HOST;
}

/* Whole machines of the run and of each fix. */
static void price_run(struct train_answer *a)
{
    const struct request *q = &a->resolved.request;
    const struct market *market = &a->resolved.market;
    struct plan *p = &a->priced;

    p->request = *q;
    p->layout = train_layout(&a->memory.train);
    p->has_memory = a->memory.limit != TRAIN_LIMIT_LAYOUT;
    if (p->has_memory) {
        train_cost(q, &a->memory.train, market, &p->layout, &p->cost);
        check_ram(a);
    }
    for (int i = 0; i < a->fix_count; i++) {
        struct layout layout;
        struct cost cost;

        train_cost(q, &a->fixes[i].train, market, &layout, &cost);
        a->fixes[i].per_hour = cost.per_hour;
    }
}

/* Nobody said which kernel runs: a model whose code has none stores all scores. */
static void warn_of_eager(const struct request *q, struct train_memory *m)
{
    struct train t = m->train;
    struct train_memory eager;

    if (m->verdict == VERDICT_DOES_NOT_FIT)
        return;
    t.eager_attention = true;
    train_estimate(q, &t, &eager);
    m->eager = eager.total.value;
    if (eager.verdict == VERDICT_DOES_NOT_FIT)
        m->warnings |= 1u << TRAIN_WARNING_EAGER;
}

enum gp_status planner_train(struct planner *planner, const struct options *options,
                             struct train_answer *out, struct gp_err *err)
{
    struct train train;
    enum gp_status rc = read_options(options, &train, err);

    memset(out, 0, sizeof(*out));
    if (!rc)
        rc = check_serving(options, err);
    if (!rc)
        rc = check_options(options, &train, err);
    if (!rc)
        rc = planner_resolve(planner, options, NULL, NULL, NULL, &out->resolved, err);
    const struct request *q = &out->resolved.request;
    if (!rc)
        rc = check_request(q, err);
    if (!rc)
        rc = read_base(options, q, &train, err);
    if (rc)
        return rc;
    train.gpus = q->gpu_count;
    train_estimate(q, &train, &out->memory);
    if (!train.trainer && !train.fused_kernels && !options->value[OPT_ATTENTION].given)
        warn_of_eager(q, &out->memory);
    out->fix_count = train_fixes(q, &out->memory, out->fixes);
    price_run(out);
    return GP_OK;
}
