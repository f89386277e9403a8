/*
 * speed.c - see speed.h.
 */
#include "plan/speed/speed.h"

#include <math.h>
#include <string.h>

#include "plan/speed/calib.h"

const char *speed_bound_word(enum speed_bound bound)
{
    static const char *const words[SPEED_BY_COUNT] = {
        [SPEED_BY_WEIGHTS] = "weights",  [SPEED_BY_COMPUTE] = "compute",
        [SPEED_BY_EXPERTS] = "experts",  [SPEED_BY_KV] = "kv-cache",
        [SPEED_BY_LINK] = "link",        [SPEED_BY_LAUNCH] = "launch",
        [SPEED_BY_PREFILL] = "prefill",  [SPEED_BY_DRAFT] = "draft",
        [SPEED_BY_HOST] = "host-memory",
    };

    return words[bound];
}

const char *speed_saturation_word(enum saturation saturation)
{
    static const char *const words[SATURATES_COUNT] = {
        [SATURATES_PREFILL] = "prefill",   [SATURATES_RUNNING] = "slots",
        [SATURATES_POOL] = "kv-pool",      [SATURATES_DECODE] = "decode",
        [SATURATES_TRANSFER] = "transfer",
    };

    return words[saturation];
}

/* ---- bands ---- */

#define LAW_BAND 1.10
#define SPREAD_SHOWN 1.35 /* of a family by rows; beyond, it is assumed */

/* Such that nine of ten measured values lie inside, whose laboratory, model or GPU was left
 * out of the fit (tests/accuracy/speed prints how many did, for each). */
static const struct factors {
    double low, high;
} factors[DOUBT_COUNT] = {
    [DOUBT_DENSE] = {1.21, 1.21},        [DOUBT_EXPERTS] = {1.29, 1.24},
    [DOUBT_MIXED] = {1.22, 1.33},        [DOUBT_BUILD] = {1.15, 1.35},
    [DOUBT_FAMILY] = {1.0, 1.0},         [DOUBT_KERNEL] = {1.25, 1.31},
    [DOUBT_INT4_EXPERTS] = {1.10, 1.20}, [DOUBT_PCIE] = {1.30, 1.25},
    [DOUBT_MANY] = {1.25, 1.30},         [DOUBT_MANY_EXPERTS] = {1.58, 1.73},
    [DOUBT_POINT] = {1.30, 1.45},        [DOUBT_POINTS_2] = {1.36, 1.33},
    [DOUBT_POINTS_3] = {1.28, 1.30},     [DOUBT_ATTENTION_DP] = {1.30, 2.00},
    [DOUBT_DRAFT] = {1.25, 1.25},        [DOUBT_NETWORK] = {1.50, 2.00},
    [DOUBT_BANDWIDTH] = {1.0, 1.0},      [DOUBT_MEASURED] = {1.0, 1.0},
    [DOUBT_RATE] = {1.0, 1.0},           [DOUBT_ON_HOST] = {1.0, 1.0},
    [DOUBT_ARRIVALS] = {1.0, 1.36},      [DOUBT_NEWER] = {1.15, 1.15},
    [DOUBT_LOCAL] = {1.16, 1.22},        [DOUBT_LOCAL_GPU] = {1.10, 1.10},
    [DOUBT_LAYOUT] = {1.20, 1.25},
};

void speed_doubt(enum doubt doubt, const struct gpu *gpu, double *low, double *high)
{
    const struct quantity *rate = doubt == DOUBT_RATE ? &gpu->rate[MATH_BF16] : &gpu->bandwidth;

    *low = factors[doubt].low;
    *high = factors[doubt].high;
    if (doubt == DOUBT_FAMILY && gpu->family)
        *low = *high = gpu->family->spread;
    if (doubt == DOUBT_FAMILY && gpu->family && gpu->family->spread_fast > 0)
        *low = gpu->family->spread_fast;
    if (doubt == DOUBT_MEASURED && gpu->family && gpu->family->calib)
        *low = *high = calib_doubt(gpu->family->calib, gpu);
    if ((doubt == DOUBT_BANDWIDTH || doubt == DOUBT_RATE) && rate->known) {
        *low = rate->high / rate->value;
        *high = rate->value / rate->low;
    }
}

void speed_doubt_of(const struct speed *v, enum doubt doubt, const struct gpu *gpu, double *low,
                    double *high)
{
    bool host = doubt == DOUBT_ON_HOST;

    speed_doubt(doubt, gpu, low, high);
    if (doubt == DOUBT_NETWORK)
        *high = fmax(*high, 1 + (COMM_SLOW - 1) * v->network);
    if (doubt == DOUBT_ARRIVALS)
        *low = 1 + v->stalled;
    if (v->host_share <= 0)
        return;
    double part = host ? v->host_share : 1 - v->host_share;
    *low = 1 / (1 - part + part / (host ? v->host_low : *low));
    *high = 1 - part + part * (host ? v->host_high : *high);
}

void speed_doubt_law(const struct gpu *gpu, double *low, double *high)
{
    enum doubt doubts[] = {gpu->family->calib ? DOUBT_MEASURED : DOUBT_FAMILY, DOUBT_BANDWIDTH};
    double below = pow(log(LAW_BAND), 2), above = below;

    for (size_t i = 0; i < sizeof(doubts) / sizeof(doubts[0]); i++) {
        speed_doubt(doubts[i], gpu, low, high);
        below += pow(log(fmax(*low, 1)), 2);
        above += pow(log(fmax(*high, 1)), 2);
    }
    *low = exp(sqrt(below));
    *high = exp(sqrt(above));
}

static unsigned doubts_of(const struct step *s, double running)
{
    const struct step_load *l = s->load;
    const struct family *f = l->request->gpu->family;
    static const enum doubt laws[HIT_KIND_COUNT] = {DOUBT_DENSE, DOUBT_EXPERTS, DOUBT_MIXED};
    enum doubt law = laws[speed_kind(l)];
    bool local = l->request->engine->speed.layer > 0 && running <= 1;
    unsigned doubts = local ? 1u << DOUBT_LOCAL | (law == DOUBT_EXPERTS ? 1u << law : 0)
                            : 1u << law | 1u << DOUBT_BUILD;
    int points = l->request->correction.points;

    /* what the build, the kernels and the law leave open, points of the server have shown */
    if (request_corrected(l->request)) {
        const struct correction *c = &l->request->correction;

        doubts = 1u << (local         ? DOUBT_LOCAL
                        : points == 1 ? DOUBT_POINT
                        : points == 2 ? DOUBT_POINTS_2
                                      : DOUBT_POINTS_3);
        if (c->tp != s->tp.gpus || c->pp != s->pp)
            doubts |= 1u << DOUBT_LAYOUT;
        if (l->request->rate > 0)
            doubts |= 1u << DOUBT_ARRIVALS;
        return doubts;
    }
    if (l->request->gpu->bandwidth.low < l->request->gpu->bandwidth.value)
        doubts |= 1u << DOUBT_BANDWIDTH;
    if (gpu_rate_assumed(l->request->gpu) && !f->calib && running > 1)
        doubts |= 1u << DOUBT_RATE;
    /* by rows of what lies on the GPU */
    bool shown = local && !l->host.any && f->spread <= SPREAD_SHOWN;
    if (f->calib && (!l->unmeasured || l->request->gpu->host) &&
        !(shown && calib_doubt(f->calib, l->request->gpu) > factors[DOUBT_LOCAL_GPU].high))
        doubts |= 1u << DOUBT_MEASURED;
    else if (f->spread > 1)
        doubts |= 1u << (shown ? DOUBT_LOCAL_GPU : DOUBT_FAMILY);
    if (l->alike)
        doubts |= 1u << DOUBT_KERNEL;
    if (l->weight_only_experts)
        doubts |= 1u << DOUBT_INT4_EXPERTS;
    if (s->tp.pcie || s->group.pcie)
        doubts |= 1u << DOUBT_PCIE;
    if (s->drafted > 0)
        doubts |= 1u << DOUBT_DRAFT;
    if (s->tp.hosts > 1 || s->group.hosts > 1 || s->hops_hosts > 0)
        doubts |= 1u << DOUBT_NETWORK;
    if (l->host.any)
        doubts |= 1u << DOUBT_ON_HOST;
    if (running > 128)
        doubts |= 1u << (law == DOUBT_DENSE ? DOUBT_MANY : DOUBT_MANY_EXPERTS);
    if (s->ways > 1)
        doubts |= 1u << DOUBT_ATTENTION_DP;
    if (l->request->rate > 0)
        doubts |= 1u << DOUBT_ARRIVALS;
    if (engine_unmeasured(l->request->engine))
        doubts |= 1u << DOUBT_NEWER;
    return doubts;
}

/* What is not known of the host is of its part of a step. */
static void host_factors(const struct step *s, double running, struct speed *out)
{
    const struct request *q = s->load->request;
    struct step_parts p;
    double work;

    step_decode_parts(s, fmax(running, 1), q->prompt + q->output / 2, &p);
    double all = step_decode_work(s, fmax(running, 1), q->prompt + q->output / 2, &work);
    out->host_share = fmin(p.host / all, 1);
    host_doubt(q, &out->host_low, &out->host_high);
}

void speed_band(const struct step *s, const struct serve *serve, double running, struct speed *out)
{
    const struct request *q = s->load->request;
    double held = spread_held(&q->spread, q->prompt, q->output);
    double low = 0, high = 0, a, b;

    out->doubts = doubts_of(s, running);
    out->network = 0;
    if (serve && out->doubts >> DOUBT_NETWORK & 1)
        out->network = fmin(step_network(s, serve->decoding) / s->accepted / serve->tpot, 1);
    out->stalled = 0;
    if (serve && out->doubts >> DOUBT_ARRIVALS & 1)
        out->stalled = fmax(serve->tpot - serve->decode, 0) / step_decode(s, 1, held);
    out->host_share = 0;
    if (out->doubts >> DOUBT_ON_HOST & 1)
        host_factors(s, running, out);
    for (int i = 0; i < DOUBT_COUNT; i++) {
        if (!(out->doubts >> i & 1))
            continue;
        speed_doubt_of(out, (enum doubt)i, q->gpu, &a, &b);
        low += log(a) * log(a);
        high += log(b) * log(b);
    }
    out->factor_low = exp(sqrt(low));
    out->factor_high = exp(sqrt(high));
}

double speed_step_low(const struct speed *v)
{
    double arrivals = v->doubts >> DOUBT_ARRIVALS & 1 ? log1p(v->stalled) : 0;

    return exp(sqrt(fmax(pow(log(v->factor_low), 2) - arrivals * arrivals, 0)));
}

void speed_band_first(const struct speed *v, enum first_kind kind, double *low, double *high)
{
    static const struct factors least[FIRST_COUNT] = {
        [FIRST_IDLE] = {2.0, 2.75}, [FIRST_STEADY] = {2.8, 4.8}, [FIRST_BURST] = {3.5, 5.0}};
    double times = kind == FIRST_IDLE ? SPEED_SOLO : 1;

    *low = fmax(least[kind].low, times * v->factor_low);
    *high = fmax(least[kind].high, times * v->factor_high);
}

enum hit_kind speed_kind(const struct step_load *l)
{
    return l->mixed ? HIT_MIXED : l->moe_layers > 0 ? HIT_EXPERTS : HIT_DENSE;
}

/* Of a device that was itself measured, the estimate counts as such. */
static struct quantity speed_banded(const struct step *s, double value, double low, double high)
{
    const struct calib *c = s->load->request->gpu->family->calib;
    bool own = c && c->from == CALIB_OWN;

    return quantity_band(value, value / low, value * high, own ? ORIGIN_MEASURED : ORIGIN_MODEL);
}

static struct quantity first_banded(const struct step *s, double value, enum first_kind kind,
                                    const struct speed *v)
{
    double low, high;

    speed_band_first(v, kind, &low, &high);
    return speed_banded(s, value, low, high);
}

/* ---- the estimate ---- */

#define MOST_SLOTS 4096

double speed_slots(const struct request *q, const struct load *load)
{
    bool each = q->max_num_seqs <= 0 && q->engine->seqs_small <= 0;

    return q->rate > 0 && each ? MOST_SLOTS : load->max_num_seqs;
}

double speed_admitted(const struct request *q, const struct load *load, const struct memory *m)
{
    double each = m->users > 0 && m->kv_mean.known ? m->kv_mean.value / m->users : 0;
    double slots = speed_slots(q, load);

    if (each <= 0 || q->engine->budget == BUDGET_ASKED)
        return slots;
    return fmax(fmin(slots, floor(m->kv_pool.value / each)), 1);
}

double speed_groups(const struct layout *l)
{
    return layout_decoding(l) * (double)(l->tp * l->pp) / layout_group(l);
}

#define TRANSFER_BASE 2e-3 /* s: aiconfigurator's figure for handing a request over */

/* Each GPU sends its part over its own link, or over PCIe where the link's domain does not hold
 * both groups; the side of fewer GPUs takes as long as it takes. */
double speed_transfer(const struct request *q, const struct load *load, const struct layout *l,
                      double *base)
{
    struct gpu gpu = *q->gpu;
    bool narrower = l->prefill_tp > 0 && l->prefill_tp < l->tp;
    struct kv_sequence one =
        kvcache_sequence(q, narrower ? l->prefill_tp : l->tp, 0, q->model->layer_count, q->prompt,
                         load->max_batched_tokens);

    if (l->gpus > q->host_gpus && gpu.link_domain < l->gpus)
        gpu.link_bandwidth = 0;
    struct comm link = comm_of(&gpu, q->gpu->family, 2, 2, 1);
    *base = TRANSFER_BASE;
    return TRANSFER_BASE + (link.known ? one.exact / l->pp / link.rate : 0);
}

double speed_busy(const struct request *q, const struct layout *l)
{
    double groups = speed_groups(l);

    return q->rate > 0 || q->split ? groups : fmin(groups, q->users);
}

#define CLOSE 1e-5 /* of a goal: as near as figures under load are solved for */

static struct serve_load load_of(const struct request *q, const struct load *load,
                                 const struct layout *layout, double admitted)
{
    double groups = speed_groups(layout), base;
    struct layout side = layout_prefill(layout);
    /* where points of the device bend the law, or the GPU takes over what the host computes for a
     * few, more in flight may be faster than what is of use */
    bool host = q->host_layers > 0 || q->host_experts > 0;
    bool bent = !load->fits_only || q->gpu->family->calib || host;

    return (struct serve_load){.users = q->users / groups,
                               .admitted = admitted * layout_decoding(layout) / groups,
                               .prefill = (double)side.replicas / layout_ways(&side) / groups,
                               .transfer =
                                   layout->prefill > 0 ? speed_transfer(q, load, layout, &base) : 0,
                               .prompt = q->prompt,
                               .cached = q->prompt * q->prefix_hit,
                               .output = q->output,
                               .spread = q->spread,
                               .tpot_most = bent ? 0 : q->tpot * (1 + CLOSE),
                               .chunk = load->max_batched_tokens};
}

static bool serve_of(const struct request *q, const struct step *step, const struct layout *layout,
                     const struct serve_load *l, struct serve *out)
{
    if (q->rate > 0)
        return serve_rate(step, l, q->rate / speed_groups(layout), out);
    serve_estimate(step, l, out);
    return true;
}

bool speed_serve(const struct request *q, const struct step *step, const struct load *load,
                 const struct layout *layout, double admitted, struct serve *out)
{
    struct serve_load l = load_of(q, load, layout, admitted);

    return serve_of(q, step, layout, &l, out);
}

double speed_capacity(const struct request *q, const struct load *load, const struct layout *layout,
                      const struct step *step, double admitted)
{
    struct serve_load l = load_of(q, load, layout, admitted);

    return serve_capacity(step, &l, NULL, NULL) * speed_groups(layout);
}

void speed_least(const struct request *q, const struct load *load, const struct layout *layout,
                 const struct step *step, double *ttft, double *tpot)
{
    struct serve_load l = load_of(q, load, layout, 1);

    serve_least(step, &l, ttft, tpot);
}

double speed_users(const struct layout *layout, const struct serve *serve)
{
    return serve_peak(serve->running) * speed_groups(layout);
}

#define RARE 1e-6 /* requests/s: none waits for another */

static void speed_fill(const struct step *s, const struct serve *serve, const struct serve_load *l,
                       double groups, struct serve *full, struct speed *out)
{
    out->serve = *serve;
    out->running = serve->running * groups;
    speed_band(s, serve, out->running, out);
    out->tpot = speed_banded(s, serve->tpot, out->factor_low, out->factor_high);
    bool lone = s->load->request->rate <= 0 && l->users <= 1;
    out->ttft = first_banded(s, serve->ttft, lone ? FIRST_IDLE : FIRST_STEADY, out);
    /* by the law of the load: of a request that arrives, or of a lone user who asks again */
    struct serve alone;
    struct serve_load single = *l;
    single.users = single.admitted = 1;
    if (s->load->request->rate > 0)
        serve_rate(s, &single, RARE, &alone);
    else
        serve_estimate(s, &single, &alone);
    out->solo = first_banded(s, alone.ttft, FIRST_IDLE, out);
    out->burst = out->burst_last = quantity_unknown();
    if (s->load->request->rate <= 0 && l->users > 1) {
        double mean, last;

        serve_burst(s, l, serve, &mean, &last);
        out->burst = first_banded(s, mean, FIRST_BURST, out);
        out->burst_last = first_banded(s, last, FIRST_BURST, out);
    }
    /* Nobody has measured it: a lone prompt's doubt. */
    double value = serve_stall(s, l, &out->serve, &out->stall_share);

    out->stall = quantity_unknown();
    if (value > 0)
        out->stall = quantity_band(value, value / (SPEED_SOLO * speed_step_low(out)),
                                   value * SPEED_SOLO * out->factor_high, ORIGIN_ASSUMED);
    out->late = serve->late;
    out->middle = serve->middle;
    out->requests = speed_banded(s, serve->requests * groups, out->factor_high, out->factor_low);
    out->tokens = quantity_scale(out->requests, l->output);
    /* as many requests as pool and slots hold: what the layout serves at most */
    struct serve_load filled = *l;
    filled.users = l->admitted;
    serve_estimate(s, &filled, full);
    out->full_running = full->running * groups;
    out->full = speed_banded(s, fmax(full->requests, serve->requests) * groups, out->factor_high,
                             speed_step_low(out));
    step_decode_parts(s, serve->decoding, spread_held(&l->spread, l->prompt, l->output),
                      &out->part);
    out->prompts = serve->tpot - serve->decode;
    /* Rows that all slots were full of, where users queue; else of one user or of several. */
    static const struct hits none;
    const struct hits *hits = &s->load->request->engine->hits;
    enum hit_kind kind = speed_kind(s->load);
    bool one = out->running <= 1;

    if (s->load->host.any) /* no row that was held against it */
        hits = &none;
    if (out->running < out->users)
        out->hit = hits_find(hits, kind, HIT_FULL);
    if (!out->hit)
        out->hit = hits_find(hits, kind, one ? HIT_ONE : HIT_MANY);
    out->hit_first = hits_find(hits, kind, HIT_FIRST);
    if (one && !out->hit_first)
        out->hit_first = hits_find(hits, kind, HIT_PROMPT);
    const struct step_parts *p = &out->part;
    double part[SPEED_BY_COUNT] = {0};
    enum speed_bound most = SPEED_BY_WEIGHTS;

    /* products in which arithmetic takes longer than memory, weighed by their time */
    double compute = 0, memory = 0;
    double tokens = serve->decoding * (s->drafted + 1) / s->ways / s->pp;
    for (int i = 0; i < s->gemms; i++) {
        compute += s->gemm[i].times * s->gemm[i].compute * tokens;
        memory += s->gemm[i].times * (s->gemm[i].weights + s->gemm[i].traffic * tokens);
    }
    part[compute > memory ? SPEED_BY_COMPUTE : SPEED_BY_WEIGHTS] = p->linear + p->head;
    part[SPEED_BY_EXPERTS] = p->experts;
    part[SPEED_BY_KV] = p->attention;
    part[SPEED_BY_LINK] = p->communication;
    part[SPEED_BY_LAUNCH] = p->fixed;
    part[SPEED_BY_PREFILL] = out->prompts;
    part[SPEED_BY_DRAFT] = p->draft;
    part[SPEED_BY_HOST] = p->host;
    for (int i = 0; i < SPEED_BY_COUNT; i++)
        if (part[i] > part[most])
            most = (enum speed_bound)i;
    out->bound = most;
}

/* ---- beside ---- */

#define FALLS 0.97 /* of the tokens/s: less is a step that is told */

/* Output tokens/s of all users, so many more, with prompts so many tokens longer. */
static double tokens_beside(const struct request *q, const struct step *s, const struct layout *l,
                            const struct serve_load *load, int users, int prompt)
{
    struct serve_load beside = *load;
    struct serve out;
    double groups = speed_groups(l);

    beside.users += users / groups;
    beside.prompt += prompt;
    beside.cached += prompt * q->prefix_hit;
    beside.solo = prompt != 0 ? 0 : load->solo;
    if (q->max_num_seqs <= 0 && q->engine->seqs_small <= 0) /* a slot for each */
        beside.admitted += users / groups;
    serve_estimate(s, &beside, &out);
    return out.requests * (q->split ? groups : fmin(groups, q->users + users)) * load->output;
}

/* Where one user more, or a token more of each prompt, leaves fewer tokens/s, or one less more:
 * a step that a captured graph no longer holds, or other tiles of its products. */
static void speed_besides(const struct request *q, const struct step *s, const struct layout *l,
                          const struct serve_load *load, double now, struct speed_beside *out)
{
    static const struct {
        int users, prompt;
    } by[NEIGHBOUR_COUNT] = {[NEIGHBOUR_USER_MORE] = {1, 0},
                             [NEIGHBOUR_USER_LESS] = {-1, 0},
                             [NEIGHBOUR_TOKEN_MORE] = {0, 1},
                             [NEIGHBOUR_TOKEN_LESS] = {0, -1}};

    for (int i = NEIGHBOUR_NONE + 1; i < NEIGHBOUR_COUNT && out->load == NEIGHBOUR_NONE; i++) {
        bool more = i == NEIGHBOUR_USER_MORE || i == NEIGHBOUR_TOKEN_MORE;

        if (q->users + by[i].users < 1 || q->prompt + by[i].prompt < 1)
            continue;
        double there = tokens_beside(q, s, l, load, by[i].users, by[i].prompt);
        if (more ? there >= now * FALLS : now >= there * FALLS)
            continue;
        struct serve_load captured = *load;
        captured.captured = INFINITY;
        double a = tokens_beside(q, s, l, &captured, 0, 0);
        double b = tokens_beside(q, s, l, &captured, by[i].users, by[i].prompt);
        *out =
            (struct speed_beside){(enum neighbour)i, there, more ? b >= a * FALLS : a >= b * FALLS};
    }
}

/* ---- drafts ---- */

#define DRAFTED_MOST 16

static double drafted_time(struct step *s, int tokens, double users, double held)
{
    step_drafts(s, tokens);
    return step_decode(s, users, held);
}

static bool drafting_pays(struct step *s, int tokens, double users, double held)
{
    return drafted_time(s, tokens, users, held) < drafted_time(s, 0, users, held);
}

/* The gain falls with the load, but not always: a mixture reads more of its experts for the
 * tokens of few requests, all of them for those of many. So the last load of a doubling grid. */
static void speed_draft(struct step *s, double users, double held, double most, double groups,
                        struct speed_drafts *out)
{
    int asked = (int)s->drafted;
    double low = 0, high = most;

    out->plain = drafted_time(s, 0, users, held);
    out->asked = drafted_time(s, asked, users, held);
    out->least = out->plain;
    for (int k = 1; k <= DRAFTED_MOST; k++) {
        double t = drafted_time(s, k, users, held);

        if (t < out->least) {
            out->least = t;
            out->best = k;
        }
    }
    out->always = drafting_pays(s, asked, most, held);
    for (double n = 1; n < most && !out->always; n *= 2) {
        if (drafting_pays(s, asked, n, held))
            low = n;
        else if (low * 2 == n)
            high = n;
    }
    while (!out->always && low > 0 && high - low > 1) {
        double middle = floor((low + high) / 2);

        *(drafting_pays(s, asked, middle, held) ? &low : &high) = middle;
    }
    out->pays = (out->always ? most : low) * groups;
    step_drafts(s, asked);
}

void speed_estimate(const struct request *q, const struct load *load, const struct layout *layout,
                    const struct memory *m, struct speed *out)
{
    struct step_load sums;
    struct step step;
    struct step_others others;
    struct serve serve, full;

    memset(out, 0, sizeof(*out));
    if (!load->step)
        step_load_sum(q, load, &sums);
    step_cut(load->step ? load->step : &sums, layout, &step);
    step_attach(&step, layout, &others);
    out->gap = step.gap;
    out->users = q->users;
    if (out->gap != SPEED_KNOWN)
        return;
    double room = speed_admitted(q, load, m);
    struct serve_load l = load_of(q, load, layout, room);
    l.solo = serve_solo(&step, &l);
    bool held = serve_of(q, &step, layout, &l, &serve);
    speed_fill(&step, &serve, &l, speed_busy(q, layout), &full, out);
    out->capacity = serve_capacity(&step, &l, &full, &out->saturation) * speed_groups(layout);
    if (out->saturation == SATURATES_RUNNING && room < speed_slots(q, load))
        out->saturation = SATURATES_POOL;
    out->transfer = l.transfer;
    if (step.drafted > 0)
        speed_draft(&step, serve.decoding, spread_held(&l.spread, l.prompt, l.output),
                    fmax(l.admitted, 1), speed_groups(layout), &out->drafts);
    if (q->rate <= 0)
        speed_besides(q, &step, layout, &l, out->tokens.value, &out->beside);
    if (q->rate > 0) /* the most that arrives without a queue that only grows */
        out->full = speed_banded(&step, out->capacity, out->factor_high, speed_step_low(out));
    if (q->rate > 0 && !held) {
        out->requests = out->full;
        out->tokens = quantity_scale(out->requests, q->output);
    }
    if (q->rate > 0 && held) { /* what arrives is what is served */
        out->requests = quantity_exact(q->rate);
        out->tokens = quantity_exact(q->rate * q->output);
    }
}
