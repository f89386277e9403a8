/*
 * forecast.c - see forecast.h.
 */
#include "plan/replay/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/replay/steptime.h"
#include "plan/speed/host.h"

static const char *const measure_keys[MEASURE_COUNT] = {
#define X(NAME, key, label) [MEASURE_##NAME] = key,
    MEASURES(X)
#undef X
};
static const struct {
    const char *key;
    double share;
} points[POINT_COUNT] = {
#define X(NAME, key, share) [POINT_##NAME] = {key, share},
    POINTS(X)
#undef X
};
static const struct {
    const char *word, *words;
} limits[REPLAY_LIMIT_COUNT] = {
#define X(NAME, word, words) [REPLAY_LIMIT_##NAME] = {word, words},
    REPLAY_LIMITS(X)
#undef X
};

const char *measure_key(enum measure measure)
{
    return measure_keys[measure];
}

const char *point_key(enum point point)
{
    return points[point].key;
}

const char *replay_limit_word(enum replay_limit limit)
{
    return limits[limit].word;
}

const char *replay_limit_words(enum replay_limit limit)
{
    return limits[limit].words;
}

/* ---- one replica ---- */

#define LLAMACPP_BATCH 2048 /* n_batch: tokens of a step, worked off in pieces of n_ubatch */
#define SGLANG_INPUT 16384  /* max_prefill_tokens */
#define SGLANG_RATIO 0.7    /* schedule_policy.py: new_token_ratio at first, */
#define SGLANG_LEAST 0.14   /* share of it at least, */
#define SGLANG_STEPS 600    /* decode steps until then */

/* Tokens that the pool of one replica holds; of layers that differ, by what a request of this
 * load holds in the mean. */
static double pool_tokens(const struct plan *p)
{
    const struct memory *m = &p->memory;
    double each = m->users > 0 && m->kv_mean.known ? m->kv_mean.value / m->users : 0;

    if (m->sequence.per_token > 0 && m->kv_cache_tokens.known)
        return m->kv_cache_tokens.value;
    return each > 0 ? m->kv_pool.value / each * memory_mean_tokens(&p->request) : 0;
}

struct replay_rules forecast_rules(const struct plan *p, const struct load *load)
{
    const struct request *q = &p->request;
    const struct engine *e = q->engine;
    bool slots_alone = e->scheduler == SCHEDULER_LLAMACPP;
    double ways = layout_decoding(&p->layout) / speed_groups(&p->layout);
    double slots = speed_slots(q, load) * ways, block = e->block > 0 ? e->block : 16;
    double blocks =
        slots_alone ? slots * ceil(q->context / block) : floor(pool_tokens(p) / block) * ways;

    /* a token's KV, of each GPU; host memory has the shards of all, each over its own link */
    double token = p->memory.kv_pool.value / fmax(pool_tokens(p), 1);
    double gpus = strcmp(e->kv_offload, "gpu") == 0 ? 1 : p->layout.tp * p->layout.pp;

    return (struct replay_rules){
        .scheduler = e->scheduler,
        .overlap = e->overlap,
        .priority = q->policy == POLICY_FCFS ? PRIORITY_NONE : e->priority,
        .high_first = q->policy != POLICY_LOW_FIRST,
        .whole_prompt = e->whole_prompt,
        .in_turn = e->in_turn,
        .late = e->late_ends,
        .bare = e->no_page_spare,
        .caches = true,
        .slot_keeps = slots_alone,
        .budget = (int)fmax(load->max_batched_tokens, slots_alone ? LLAMACPP_BATCH : 1),
        .input = SGLANG_INPUT,
        .decode_tokens = 1 + q->draft_tokens,
        .slots = (int)fmin(slots, 1e5),
        .block = (int)block,
        .blocks = (int64_t)fmin(fmax(blocks, 1), 1e9),
        .host_blocks = (int64_t)fmin(floor(q->host_kv / fmax(gpus * token * block, 1)) * ways, 1e9),
        .host_token = token / host_link_rate(q),
        .context = (int)fmin(q->context, 1e9),
        .ratio = SGLANG_RATIO,
        .ratio_least = SGLANG_RATIO * SGLANG_LEAST,
        .ratio_step = SGLANG_RATIO * (1 - SGLANG_LEAST) / SGLANG_STEPS,
    };
}

#define SOLO_KNOTS 48

/* What all replays of a plan share. */
struct forecaster {
    const struct plan *plan;
    const struct forecast_ask *ask;
    struct load load;
    struct step_load sums;
    struct step step;
    struct step_others others;
    struct serve_load serve;
    struct replay_rules rules;
    struct steptime times;
    struct steptime prefill;      /* of replicas that only work prompts off; */
    int prefills;                 /* so many; 0 = all do both */
    double handoff, handoff_base; /* s: of a mean prompt; of it for the request alone */
    struct arrivals_ask arrivals; /* with the engine's block */
    double give_up;               /* of the ask */
    double base, solo_more, wake; /* s; share of a prompt's own time; s */
    double solo[SOLO_KNOTS];      /* s of prompts alone, NAN: not yet */
    float *value[MEASURE_COUNT];  /* room for each; value[0] owned */
    size_t room;                  /* values of all */
};

/* Common factors of one replay. */
struct factors {
    double step, prompts, front, pool;
};

/* ---- what the client sees ---- */

/* s of a prompt alone, between prompts of powers of sqrt 2. */
static double solo_time(struct forecaster *f, double tokens)
{
    double *kept = f->solo;
    double at = 2 * log2(fmax(tokens, 1));
    int below = (int)fmin(floor(at), SOLO_KNOTS - 2);

    for (int i = below; i <= below + 1; i++)
        if (isnan(kept[i])) {
            struct serve_load one = f->serve;

            one.prompt = exp2(i / 2.0);
            one.cached = 0;
            kept[i] = serve_solo(&f->step, &one);
        }
    return kept[below] + (kept[below + 1] - kept[below]) * (at - below);
}

static float delay_of(struct forecaster *f, const struct forecast *of, int i)
{
    double fresh = of->arrivals.load.prompt[i] - of->result.outcome[i].cached;

    return (float)(f->base + f->solo_more * solo_time(f, fresh));
}

static void fill_delays(struct forecaster *f, struct forecast *out)
{
    const struct replay_load *l = &out->arrivals.load;

    out->delay = gp_calloc((size_t)l->count + 1, sizeof(*out->delay));
    for (int i = 0; i < l->count; i++)
        out->delay[i] = delay_of(f, out, i);
    /* Requests that come at one moment are read in turns, a piece of each: all wait for all. */
    const double *at = out->result.arrival;
    for (int i = 0, n = 1; i < l->count; i += n, n = 1) {
        while (i + n < l->count && at[i + n] == at[i])
            n++;
        for (int k = i; n > 1 && k < i + n; k++)
            out->delay[k] += (float)((n - 1) * SERVE_READ);
    }
}

static struct forecast_seen seen_with(const struct forecast *f, double delay, int i)
{
    const struct replay_outcome *o = &f->result.outcome[i];
    double more = delay + (double)o->loads, rest = f->arrivals.load.output[i] - 1;

    if (isnan(o->e2e) || f->result.arrival[i] < f->result.first)
        return (struct forecast_seen){NAN, NAN, NAN, NAN};
    return (struct forecast_seen){o->queue, fmax(o->ttft + more, 0),
                                  rest > 0 ? (o->e2e - o->ttft) / rest : NAN,
                                  fmax(o->e2e + more, 0)};
}

static struct forecast_seen seen_of(const struct forecast *f, double front, int i)
{
    return seen_with(f, front * f->delay[i], i);
}

struct forecast_seen forecast_seen(const struct forecast *f, int i)
{
    return seen_of(f, 1, i);
}

/* ---- percentiles ---- */

/* Hoare's selection: value k in order; none before it is greater, none behind it less. */
static float select_value(float *v, int n, int k)
{
    int low = 0, high = n - 1;

    while (low < high) {
        float pivot = v[low + (high - low) / 2];
        int i = low - 1, j = high + 1;

        for (;;) {
            while (v[++i] < pivot)
                ;
            while (v[--j] > pivot)
                ;
            if (i >= j)
                break;
            float t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return v[k];
}

double forecast_percentile(float *v, int n, double share, int *from)
{
    if (n == 0)
        return NAN;
    double at = share * (n - 1);
    int below = (int)floor(at);
    *from = below < *from ? 0 : *from;
    double value = select_value(v + *from, n - *from, below - *from);
    *from = below;
    if (below + 1 >= n || at == below)
        return value;
    float next = INFINITY; /* what is behind is not smaller */
    for (int i = below + 1; i < n; i++)
        next = v[i] < next ? v[i] : next;
    return value + (at - below) * ((double)next - value);
}

/* All points of the gaps between tokens; their shares rise, the mean's comes last. */
static void fill_gaps(const struct replay_result *r, double point[POINT_COUNT])
{
    int64_t all = 0, below = 0;
    double sum = 0;

    for (int i = 0; i < REPLAY_GAPS; i++)
        if (r->gap[i] > 0) {
            all += r->gap[i];
            sum += (double)r->gap[i] * replay_gap_seconds(i);
        }
    for (int p = 0, i = 0; p < POINT_COUNT; p++) {
        int64_t before = (int64_t)(points[p].share * (double)(all - 1));

        for (; all > 0 && points[p].share > 0 && below + r->gap[i] <= before; i++)
            below += r->gap[i];
        point[p] = all == 0               ? NAN
                   : points[p].share <= 0 ? sum / (double)all
                                          : replay_gap_seconds(i);
    }
}

/* By enum measure; gaps are not a request's own. */
struct members {
    double by[MEASURE_COUNT];
};

static struct members members_of(const struct forecast_seen *s)
{
    return (struct members){{[MEASURE_TTFT] = s->ttft,
                             [MEASURE_TPOT] = s->tpot,
                             [MEASURE_ITL] = NAN,
                             [MEASURE_E2E] = s->e2e,
                             [MEASURE_QUEUE] = s->queue}};
}

/* Does a request keep them? */
static bool within_goals(const struct forecast_ask *ask, const struct members *of)
{
    for (int i = 0; i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &ask->goal[i];

        if (g->most > 0 && of->by[g->measure] > g->most)
            return false;
    }
    return true;
}

/* s from the first arrival to the last. The turns of sessions come when they may. */
static double arrivals_span(const struct forecast *f)
{
    const struct replay_load *l = &f->arrivals.load;
    double last = 0;

    if (!l->arrival || l->count < 1)
        return 0;
    if (!l->turn)
        return l->arrival[l->count - 1] - l->arrival[0];
    for (int i = 0; i < l->count; i++)
        last = f->result.arrival[i] > last ? f->result.arrival[i] : last;
    return last - f->result.first;
}

/* s over which rates are taken. Of requests that arrive one by one the last of them ends a
 * request's own time after it came, when the server is nearly empty: that tail is not counted, so
 * that a server which keeps up serves at the rate of the arrivals. */
static double rate_span(const struct forecast *f, const struct forecast_rates *rates)
{
    double span = fmax(f->result.last - f->result.first, 1e-9);
    double own = rates->point[MEASURE_E2E][POINT_MEAN] - rates->point[MEASURE_QUEUE][POINT_MEAN];
    double came = arrivals_span(f);

    return came > 0 && own > 0 ? fmin(fmax(span - own, came), span) : span;
}

/* One measure of the requests that have it. */
struct series {
    int count;
    double sum, square, product; /* product: of each and the one before */
};

/* Fills f->value in the order of the requests; front: the factor on what the client sees besides;
 * wake: s more for who found the engine idle. Returns how many keep the goals. */
static int fill_values(struct forecaster *f, const struct forecast *of, double front, double wake,
                       struct series *out)
{
    int within = 0, all = of->arrivals.load.count;
    double before[MEASURE_COUNT] = {0};

    memset(out, 0, MEASURE_COUNT * sizeof(*out));
    f->value[0] =
        gp_grow(f->value[0], &f->room, MEASURE_COUNT * ((size_t)all + 1), sizeof(*f->value[0]));
    for (int m = 1; m < MEASURE_COUNT; m++)
        f->value[m] = f->value[m - 1] + all + 1;
    for (int i = 0; i < all; i++) {
        struct forecast_seen s = seen_of(of, front, i);

        if (wake != 0 && fabs(s.queue - f->wake) < 1e-3 * f->wake) {
            s.queue += wake;
            s.ttft += wake;
            s.e2e += wake;
        }
        struct members of_it = members_of(&s);
        within += !isnan(s.e2e) && within_goals(f->ask, &of_it);
        for (int m = 0; m < MEASURE_COUNT; m++) {
            double v = of_it.by[m];

            if (isnan(v))
                continue;
            f->value[m][out[m].count++] = (float)v;
            out[m].sum += v;
            out[m].square += v * v;
            out[m].product += v * before[m];
            before[m] = v;
        }
    }
    return within;
}

static void fill_rates(struct forecaster *f, const struct forecast *of, double front, double wake,
                       struct forecast_rates *out)
{
    struct series series[MEASURE_COUNT];
    int within = fill_values(f, of, front, wake, series);

    for (int m = 0; m < MEASURE_COUNT; m++)
        for (int p = 0, from = 0; p < POINT_COUNT; p++)
            out->point[m][p] =
                points[p].share <= 0
                    ? (series[m].count > 0 ? series[m].sum / series[m].count : NAN)
                    : forecast_percentile(f->value[m], series[m].count, points[p].share, &from);
    fill_gaps(&of->result, out->point[MEASURE_ITL]);
    double span = rate_span(of, out);

    out->tokens = (double)of->result.output_tokens / span;
    out->requests = of->result.completed / span;
    out->goodput = within / span;
}

/* ---- replays ---- */

/* Groups that work off prompts for the others, which only decode. */
static int prefills_of(const struct plan *p)
{
    struct layout side = layout_prefill(&p->layout);

    return p->layout.prefill > 0 ? (int)fmax(speed_groups(&side), 1) : 0;
}

static int replicas_of(const struct plan *p)
{
    return (int)fmax(speed_groups(&p->layout), 1) + prefills_of(p);
}

/* Requests that miss a goal are counted as they end: once there are so many that its percentile
 * misses it, whatever the others take, the rest is not replayed. */
struct lateness {
    struct forecaster *f;
    const struct forecast *of;
    double front;
    double most[FORECAST_GOALS]; /* s; 0 = the goal is not watched */
    int left[FORECAST_GOALS];    /* so many more miss it */
    bool missed;
};

static void lateness_init(struct lateness *late, struct forecaster *f, const struct forecast *of,
                          double front)
{
    *late = (struct lateness){.f = f, .of = of, .front = front};
}

static void lateness_watch(struct lateness *late, int goal, double most)
{
    const struct forecast_goal *g = &late->f->ask->goal[goal];
    int n = late->of->arrivals.load.count;
    double share = points[g->point].share;

    if (g->most <= 0 || share <= 0 || g->measure == MEASURE_ITL)
        return;
    late->most[goal] = most;
    late->left[goal] = n - (int)floor(share * (n - 1));
}

static bool lateness_count(void *ctx, int request)
{
    struct lateness *late = ctx;
    const struct forecast *of = late->of;
    double delay = of->delay ? of->delay[request] : delay_of(late->f, of, request);
    struct forecast_seen s = seen_with(of, late->front * delay, request);
    struct members of_it = members_of(&s);

    for (int i = 0; i < FORECAST_GOALS; i++)
        if (late->most[i] > 0 && of_it.by[late->f->ask->goal[i].measure] > late->most[i])
            late->missed |= --late->left[i] <= 0;
    return late->missed;
}

/* A percentile of some of the requests is that which all are known to exceed. */
static void lateness_raise(const struct lateness *late, struct forecast_rates *rates)
{
    for (int i = 0; i < FORECAST_GOALS && late->missed; i++)
        if (late->most[i] > 0 && late->left[i] <= 0) {
            const struct forecast_goal *g = &late->f->ask->goal[i];
            double *at = &rates->point[g->measure][g->point];

            *at = fmax(*at, nextafter(late->most[i], INFINITY));
        }
}

/* late: NULL: all is replayed. */
static void replay_with(const struct forecaster *f, const struct factors *by,
                        const struct replay_load *l, double span, struct lateness *late,
                        struct replay_result *out)
{
    struct steptime times = f->times, prefill = f->prefill;
    struct replay_rules rules = f->rules;
    struct replay_clock clock = steptime_clock(&times), prefill_clock = steptime_clock(&prefill);

    times.prompts = prefill.prompts = by->prompts;
    clock.scale = prefill_clock.scale = by->step;
    clock.wake = prefill_clock.wake = f->wake * by->front;
    rules.blocks = (int64_t)fmax((double)rules.blocks * by->pool, 1);
    struct replay replay = {.load = l,
                            .rules = &rules,
                            .clock = &clock,
                            .replicas = replicas_of(f->plan),
                            .prefills = f->prefills,
                            .prefill_rules = &rules,
                            .prefill_clock = &prefill_clock,
                            .handoff = f->handoff_base,
                            .handoff_token =
                                (f->handoff - f->handoff_base) / f->plan->request.prompt,
                            .router = f->ask->router,
                            .lose_at = f->ask->lose_at > 0 ? f->ask->lose_at + l->counts_from : 0,
                            .add_at = f->ask->add_at > 0 ? f->ask->add_at + l->counts_from : 0,
                            .span_seconds = span,
                            .stop = f->ask->stop,
                            .enough = late ? lateness_count : NULL,
                            .enough_ctx = late};
    replay_run(&replay, out);
}

/* What is found is of no use any more: it only has to end. */
static bool is_stopped(const struct forecast_ask *ask)
{
    return ask->stop && ask->stop();
}

/* Beside the plan's band of a step: prompts that were cached before, other kernels than the
 * law's; host and front end. Such that eight of ten TTFTs of replay_shown.csv lie inside
 * (tests/accuracy/replay). */
#define PROMPTS_LOW 3.0
#define PROMPTS_HIGH 2.5
#define FRONT_LOW 2.5
#define FRONT_HIGH 3.0

#define EDGE 1.645 /* 90 % of a normal lie so many deviations from its middle */

/* A factor whose logarithm is normal, with 90 % between 1/low and high. */
static double factor_at(double z, double low, double high)
{
    return exp(z / EDGE * log(z < 0 ? low : high));
}

static struct factors factors_at(const struct forecaster *f, const double z[4])
{
    const struct speed *s = &f->plan->speed;
    const struct quantity *pool = &f->plan->memory.kv_pool;
    double low = pool->low > 0 ? pool->value / pool->low : 1.1;
    double high = pool->value > 0 ? pool->high / pool->value : 1.1;

    return (struct factors){
        .step = factor_at(z[0], speed_step_low(s), s->factor_high),
        .prompts = factor_at(z[1], PROMPTS_LOW, PROMPTS_HIGH),
        .front = factor_at(z[2], FRONT_LOW, FRONT_HIGH),
        .pool = factor_at(z[3], fmin(fmax(low, 1), 4), fmin(fmax(high, 1), 4)),
    };
}

static double *rate_at(struct forecast_rates *r, int i)
{
    return i < MEASURE_COUNT * POINT_COUNT        ? &r->point[0][0] + i
           : i == MEASURE_COUNT * POINT_COUNT     ? &r->tokens
           : i == MEASURE_COUNT * POINT_COUNT + 1 ? &r->requests
                                                  : &r->goodput;
}

#define RATES (MEASURE_COUNT * POINT_COUNT + 3)

static struct quantity *quantity_at(struct forecast *f, int i)
{
    return i < MEASURE_COUNT * POINT_COUNT        ? &f->point[0][0] + i
           : i == MEASURE_COUNT * POINT_COUNT     ? &f->tokens
           : i == MEASURE_COUNT * POINT_COUNT + 1 ? &f->requests
                                                  : &f->goodput;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ln of low and high over the value, squared, of the law and of the sample. */
struct widths {
    double low, high;
};

/* Of what is nothing, as requests within goals of an overloaded server, -INFINITY. */
static double log_ratio(double a, double b)
{
    return a >= 0 && b > 0 ? log(a / b) : 0;
}

#define RATE_DRAWS 11 /* the least and the most of them stand for the 5th and the 95th of 100 */

#define GROWS 1.2  /* from one third of the arrivals to the next */
#define WAITS 0.05 /* of the arrivals' span: a shorter queue may be a burst's */

/* More come than are served: those of each third of the arrivals wait longer than those before,
 * and long; or, while there are slots for all, take longer and longer to answer where the first
 * ones have long left. Of days, which have hours of few, it is enough that a third waits long. */
static bool load_saturated(const struct forecast *f, double from,
                           const struct forecast_rates *rates)
{
    const struct replay_load *l = &f->arrivals.load;
    const struct replay_result *r = &f->result;
    int hours = f->hours;
    double wait[3] = {0}, answer[3] = {0};
    int count[3] = {0};

    if (!l->arrival || l->users > 0 || l->count < 10)
        return false;
    double span = arrivals_span(f);
    const double *at = l->turn ? r->arrival : l->arrival;
    double first = fmax(at[0], l->counts_from) + from; /* `from`: a replica is lost there */
    span -= from;
    if (!(span > 0))
        return false;
    for (int i = 0; i < l->count; i++) {
        const struct replay_outcome *o = &r->outcome[i];

        if (isnan(o->e2e) || at[i] < first)
            continue;
        int third = (int)fmin(3 * (at[i] - first) / span, 2);
        wait[third] += o->queue;
        answer[third] += o->e2e / l->output[i];
        count[third]++;
    }
    for (int i = 0; i < 3; i++) {
        wait[i] /= fmax(count[i], 1);
        answer[i] /= fmax(count[i], 1);
    }
    bool waits = wait[1] > GROWS * wait[0] && wait[2] > GROWS * wait[1] && wait[2] > WAITS * span;
    if (hours > 0)
        waits |= fmax(fmax(wait[0], wait[1]), wait[2]) > WAITS * fmin(span, 86400);
    /* turns come no faster than answers: the queue of sessions stands */
    if (l->turn)
        waits |= fmin(fmin(wait[0], wait[1]), wait[2]) > WAITS * span;
    /* over a day that is the day's own, and prompts of sessions grow */
    bool slows = hours == 0 && !l->turn && answer[1] > GROWS * answer[0] &&
                 answer[2] > GROWS * answer[1] && rates->point[MEASURE_E2E][POINT_P50] < span / 3;
    return waits || slows;
}

/* Alike from its beginning to its end, so that a part of it tells what other factors do. */
static bool arrivals_steady(const struct arrivals_ask *ask)
{
    return !ask->trace && ask->hours == 0 && ask->kind != ARRIVALS_BURST;
}

/* Of the first `count` of its requests; most: s that the goals' percentiles may take, NULL: any.
 * Returns whether more come than are served. */
static bool replay_rates(struct forecaster *f, const struct factors *by, const struct forecast *of,
                         int count, const double *most, struct forecast_rates *out)
{
    struct forecast other = *of;
    struct lateness late;

    other.arrivals.load.count = count;
    lateness_init(&late, f, &other, by->front);
    for (int i = 0; i < FORECAST_GOALS && most; i++)
        lateness_watch(&late, i, most[i]);
    replay_with(f, by, &other.arrivals.load, 0, most ? &late : NULL, &other.result);
    fill_rates(f, &other, by->front, 0, out);
    lateness_raise(&late, out);
    bool saturated = load_saturated(&other, f->ask->lose_at, out);
    replay_result_fini(&other.result);
    return saturated;
}

/* Of requests that are drawn with f->arrivals. Returns whether more come than are served. */
static bool replay_drawn(struct forecaster *f, const struct factors *by, struct forecast *out,
                         struct forecast_rates *rates)
{
    struct lateness late;

    memset(out, 0, sizeof(*out));
    arrivals_make(&f->arrivals, &out->arrivals);
    lateness_init(&late, f, out, by->front);
    for (int i = 0; i < FORECAST_GOALS && f->give_up > 0; i++)
        lateness_watch(&late, i, f->give_up * f->ask->goal[i].most);
    replay_with(f, by, &out->arrivals.load, 0, f->give_up > 0 ? &late : NULL, &out->result);
    fill_delays(f, out);
    fill_rates(f, out, by->front, 0, rates);
    lateness_raise(&late, rates);
    return load_saturated(out, 0, rates);
}

static const struct factors one = {1, 1, 1, 1};

/* most: of each goal's percentile; NULL: the goal itself. */
static bool goal_missed(const struct forecast_ask *ask, const struct forecast_rates *rates,
                        const double *most)
{
    for (int i = 0; i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &ask->goal[i];

        if (g->most > 0 && rates->point[g->measure][g->point] > (most ? most[i] : g->most))
            return true;
    }
    return false;
}

/* A part of the requests tells of all. */
static bool is_cut(const struct forecaster *f, const struct forecast *of)
{
    return arrivals_steady(&f->ask->arrivals) && !of->arrivals.turn && f->ask->lose_at <= 0 &&
           f->ask->add_at <= 0;
}

static void add_law(struct forecaster *f, struct forecast_rates *value, struct forecast *out,
                    struct widths *width)
{
    int count = out->arrivals.load.count, draws = FORECAST_DRAWS;
    struct forecast_rates sample = *value;

    if (is_cut(f, out) && count > FORECAST_SAMPLE) {
        count = FORECAST_SAMPLE;
        replay_rates(f, &one, out, count, NULL, &sample);
    } else if (count >= FORECAST_FEW) {
        draws = 2;
    }
    struct forecast_rates *rates = gp_calloc((size_t)draws, sizeof(*rates));
    struct stream random = stream_of(f->ask->arrivals.seed, 4);
    int order[4][FORECAST_DRAWS];

    /* Latin hypercube: each factor takes each of its strata once */
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < draws; i++) {
            int j = (int)(stream_uniform(&random) * (i + 1));

            order[k][i] = order[k][j];
            order[k][j] = i;
        }
    for (int i = 0; i < draws && !is_stopped(f->ask); i++) {
        double z[4];

        for (int k = 0; k < 4; k++)
            z[k] = draws == 2 ? EDGE * (2 * i - 1) * (k == 3 ? -1 : 1)
                              : normal_at((order[k][i] + 0.5) / draws);
        struct factors by = factors_at(f, z);
        out->overloads += replay_rates(f, &by, out, count, NULL, &rates[i]);
    }
    for (int m = 0; m < RATES; m++) {
        double at[FORECAST_DRAWS], v = *rate_at(&sample, m);

        for (int i = 0; i < draws; i++)
            at[i] = *rate_at(&rates[i], m);
        qsort(at, (size_t)draws, sizeof(*at), by_value);
        int edge = draws / 20;
        width[m].low += pow(fmin(log_ratio(at[edge], v), 0), 2);
        width[m].high += pow(fmax(log_ratio(at[draws - 1 - edge], v), 0), 2);
    }
    out->runs = draws == 2 ? 3 : draws; /* the value's stands between */
    free(rates);
}

#define FEW_ROOM 1.05 /* below a goal, for a queue that grows in more requests than a few */

/* Is a goal missed by the value or, so far, by the high end of its band, `room` times either? */
static bool goal_unsure(const struct forecast_ask *ask, const struct forecast_rates *value,
                        const struct widths *width, double room)
{
    for (int i = 0; i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &ask->goal[i];
        double off = sqrt(width[g->measure * POINT_COUNT + g->point].high);

        if (g->most > 0 && value->point[g->measure][g->point] * exp(off) * room > g->most)
            return true;
    }
    return false;
}

#define POOL_FULL \
    0.98 /* of the KV pool: where less is taken, and no prompt is looked up in it, its
                        * size does not tell */

/* Each factor alone at both ends of its band; what they do adds in quadrature. Of a plan whose
 * goals have to be kept for sure only what is worse counts, and no more once one is missed. */
static void add_factors(struct forecaster *f, struct forecast_rates *value, struct forecast *out,
                        struct widths *width)
{
    static const int factors[4] = {0, 2, 1, 3}; /* steps tell most, the front end takes no replay */
    bool sure = f->ask->until_missed;
    const struct quantity *full = &f->plan->speed.full;
    bool light = full->known && f->arrivals.rate < full->low / 2; /* no queue grows on either end */
    const struct replay_load *l = &out->arrivals.load;
    bool cached = l->hash || l->turn;
    int count = l->count, most = light ? FORECAST_QUICK / 2 : FORECAST_QUICK;
    struct forecast_rates sample = *value;

    out->runs = 1;
    if (sure && goal_unsure(f->ask, value, width, 1))
        return;
    if (is_cut(f, out) && count > most) {
        count = most;
        replay_rates(f, &one, out, count, NULL, &sample);
    }
    for (int k = 0; k < 4; k++)
        for (int side = 0; side < 2 - sure; side++) {
            double z[4] = {0}, keeps[FORECAST_GOALS];
            struct forecast_rates rates, *from = &sample;

            if (is_stopped(f->ask) || (sure && goal_unsure(f->ask, value, width, 1)))
                return;
            z[factors[k]] = (side == 0) == (factors[k] != 3) ? EDGE : -EDGE;
            struct factors by = factors_at(f, z);
            if (by.pool != 1 && !cached &&
                out->result.occupancy_most < fmin(by.pool, 1) * POOL_FULL)
                continue;
            for (int g = 0; g < FORECAST_GOALS && sure; g++) { /* with what is wide already */
                const struct forecast_goal *goal = &f->ask->goal[g];
                int m = goal->measure * POINT_COUNT + goal->point;
                double room = log_ratio(goal->most, *rate_at(value, m));

                keeps[g] = *rate_at(&sample, m) * exp(sqrt(fmax(room * room - width[m].high, 0)));
            }
            if (by.front != 1) {
                fill_rates(f, out, by.front, (by.front - 1) * f->wake, &rates);
                from = value;
            } else {
                out->overloads += replay_rates(f, &by, out, count, sure ? keeps : NULL, &rates);
                out->runs++;
            }
            for (int m = 0; m < RATES; m++) {
                double off = log_ratio(*rate_at(&rates, m), *rate_at(from, m));

                *(off < 0 ? &width[m].low : &width[m].high) += off * off;
            }
        }
}

/* Arrivals of other seeds; the same law. Of fewer requests than a plan replays the value becomes
 * the middle of all: one seed's may lie far from it. */
static void add_seeds(struct forecaster *f, struct forecast_rates *value, struct forecast *out,
                      struct widths *width)
{
    struct forecast_rates rates[FORECAST_SEEDS + 1];
    struct forecast other;

    rates[FORECAST_SEEDS] = *value;
    for (int i = 0; i < FORECAST_SEEDS; i++) {
        if (is_stopped(f->ask))
            return;
        f->arrivals.seed += 1000003;
        replay_drawn(f, &one, &other, &rates[i]);
        forecast_fini(&other);
    }
    for (int m = 0; m < RATES; m++) {
        double at[FORECAST_SEEDS + 1], *v = rate_at(value, m), sum = 0;

        for (int i = 0; i <= FORECAST_SEEDS; i++)
            at[i] = *rate_at(&rates[i], m);
        if (isnan(*v))
            continue;
        qsort(at, FORECAST_SEEDS + 1, sizeof(*at), by_value);
        if (out->arrivals.load.count < FORECAST_REQUESTS)
            *v = (at[FORECAST_SEEDS / 2] + at[(FORECAST_SEEDS + 1) / 2]) / 2;
        for (int i = 0; i <= FORECAST_SEEDS; i++)
            sum += at[i] > 0 ? pow(log_ratio(at[i], *v), 2) : 0;
        double squared = EDGE * EDGE * sum / FORECAST_SEEDS;
        width[m].low += squared;
        width[m].high += squared;
    }
    out->seeds = FORECAST_SEEDS;
}

/* Of a log: the order statistics beside the percentile's, where as many requests count as are
 * independent of each other. */
static void add_ranks(struct forecaster *f, const struct forecast_rates *value,
                      struct forecast *out, struct widths *width)
{
    struct series series[MEASURE_COUNT];

    fill_values(f, out, 1, 0, series);
    for (int m = 0; m < MEASURE_COUNT; m++) {
        int n = series[m].count, from = 0;

        if (n < 2)
            continue;
        /* by the correlation of neighbours, r, and as if it fell by r from one to the next */
        double mean = series[m].sum / n, variance = series[m].square / n - mean * mean;
        double along = series[m].product / n - mean * mean;
        double r = variance > 0 ? fmin(fmax(along / variance, 0), 0.99) : 0;
        double independent = n * (1 - r) / (1 + r);
        for (int p = 0; p < POINT_COUNT; p++) {
            double share = points[p].share, v = value->point[m][p], low, high;
            struct widths *w = &width[m * POINT_COUNT + p];

            if (share <= 0) { /* the mean's own error */
                double off = EDGE * sqrt(fmax(variance, 0) / independent);

                low = fmax(v - off, v / 4);
                high = v + off;
            } else {
                double off = EDGE * sqrt(share * (1 - share) / independent);

                low = forecast_percentile(f->value[m], n, fmax(share - off, 0), &from);
                high = forecast_percentile(f->value[m], n, fmin(share + off, 1), &from);
            }
            w->low += pow(fmin(log_ratio(low, v), 0), 2);
            w->high += pow(fmax(log_ratio(high, v), 0), 2);
        }
    }
}

/* ---- conclusions ---- */

static void conclude_from(const struct forecast_ask *ask, struct forecast *out,
                          const struct forecast_rates *value)
{
    const struct replay_result *r = &out->result;
    double span = fmax(r->last - r->first, 1e-9), all = 0, seen = 0;

    out->seconds = span;
    double there = out->replicas * span;
    if (ask->lose_at > 0)
        there -= fmax(span - ask->lose_at, 0);
    if (ask->add_at > 0)
        there += fmax(span - ask->add_at, 0);
    out->utilization = fmin(r->busy / there, 1);
    out->running = r->running / span;
    out->waiting = r->waiting / span;
    for (int i = 0; i <= 100; i++)
        all += r->occupancy_time[i];
    double sum = 0;
    for (int i = 0; i <= 100; i++) {
        sum += r->occupancy_time[i] * (i + 0.5) / 100;
        if (seen <= 0.99 * all && seen + r->occupancy_time[i] > 0.99 * all)
            out->occupancy_late = fmin((i + 0.5) / 100, 1);
        seen += r->occupancy_time[i];
    }
    out->occupancy = all > 0 ? sum / all : 0;
    out->saturated = load_saturated(out, ask->lose_at, value);
    double slots = r->blocked_slots / span, blocks = r->blocked_blocks / span;
    out->limit = blocks > 0.01 && blocks >= slots ? REPLAY_LIMIT_KV
                 : slots > 0.01                   ? REPLAY_LIMIT_SLOTS
                 : out->waiting > 0.1             ? REPLAY_LIMIT_BUDGET
                                                  : REPLAY_LIMIT_NONE;
    const struct replay_load *l = &out->arrivals.load;
    for (int i = 0; l->turn && i < l->count; i++) {
        if (isnan(r->arrival[i]) || r->arrival[i] < r->first)
            continue;
        out->asked++;
        out->sessions += l->turn[i].history < 0;
        out->history += l->turn[i].history > 0 ? l->turn[i].history : 0;
    }
    double came = l->count > 1 ? arrivals_span(out) : 0;
    if (!l->turn)
        out->asked = l->count;
    out->rate = came > 0 ? (out->asked - 1) / came : 0;
}

#define ANSWERS_FEW 3 /* as long as so many answers a replay does not tell whether a queue grows; */
#define ANSWERS_MANY 10
#define REQUESTS_MANY 20000 /* ... one that is this long does */

/* The same arrivals for longer, where theirs are few for their rate. */
static bool overloads_later(struct forecaster *f, const struct forecast *out,
                            const struct forecast_rates *value)
{
    double answer = value->point[MEASURE_E2E][POINT_MEAN] - value->point[MEASURE_QUEUE][POINT_MEAN];
    struct arrivals_ask asked = f->arrivals;
    double give_up = f->give_up;
    struct forecast longer;
    struct forecast_rates rates;

    if (!arrivals_steady(&asked) || asked.kind == ARRIVALS_CLOSED || asked.users > 0 ||
        out->arrivals.turn || f->ask->lose_at > 0 || f->ask->add_at > 0 || is_stopped(f->ask) ||
        !(arrivals_span(out) < ANSWERS_FEW * answer))
        return false;
    f->arrivals.seed = f->ask->arrivals.seed;
    f->arrivals.seconds = 0;
    f->arrivals.count = (int)fmin(ceil(asked.rate * ANSWERS_MANY * answer), REQUESTS_MANY);
    f->give_up = 0;
    bool saturated = replay_drawn(f, &one, &longer, &rates);
    forecast_fini(&longer);
    f->arrivals = asked;
    f->give_up = give_up;
    return saturated;
}

struct arrivals_ask forecast_arrivals(const struct request *q)
{
    return (struct arrivals_ask){
        .kind = q->rate > 0 ? ARRIVALS_POISSON : ARRIVALS_CLOSED,
        .rate = q->rate,
        .users = q->rate > 0 ? 0 : (int)q->users,
        .count = FORECAST_REQUESTS,
        .seed = FORECAST_SEED,
        .lengths = LENGTHS_LOGNORMAL,
        .prompt = q->prompt,
        .output = q->output,
        .prompt_sd = q->spread.prompt * q->prompt,
        .output_sd = q->spread.output * q->output,
    };
}

static enum forecast_gap forecast_gap(const struct plan *plan)
{
    if (plan->request.engine->scheduler == SCHEDULER_NONE)
        return FORECAST_NO_SCHEDULER;
    if (!plan->has_memory || plan->speed.gap != SPEED_KNOWN || plan->speed.factor_low <= 0)
        return FORECAST_NO_SPEED;
    return FORECAST_KNOWN;
}

/* f->others is pointed to: f stays where it is. */
static void forecaster_init(struct forecaster *f, const struct plan *plan,
                            const struct forecast_ask *ask)
{
    const struct request *q = &plan->request;
    const struct engine_speed *e = &q->engine->speed;

    memset(f, 0, sizeof(*f));
    f->plan = plan;
    f->ask = ask;
    f->load = load_sum(q);
    step_load_sum(q, &f->load, &f->sums);
    step_cut(&f->sums, &plan->layout, &f->step);
    step_attach(&f->step, &plan->layout, &f->others);
    f->rules = forecast_rules(plan, &f->load);
    f->serve = (struct serve_load){.users = 1,
                                   .admitted = f->rules.slots,
                                   .prompt = q->prompt,
                                   .output = q->output,
                                   .chunk = f->load.max_batched_tokens};
    steptime_init(&f->times, &f->step, &f->serve, f->rules.slots, f->rules.budget);
    f->prefills = prefills_of(plan);
    if (f->prefills > 0) {
        steptime_init(&f->prefill, f->step.prompts ? f->step.prompts : &f->step, &f->serve,
                      f->rules.slots, f->rules.budget);
        f->handoff = speed_transfer(q, &f->load, &plan->layout, &f->handoff_base);
    }
    for (int i = 0; i < SOLO_KNOTS; i++)
        f->solo[i] = NAN;
    f->base = f->step.first * e->ttft_base;
    f->solo_more = f->step.first * e->ttft_solo - 1;
    f->wake = f->step.first * step_decode(&f->step, 1, q->prompt) / 2;
    f->arrivals = ask->arrivals;
    f->arrivals.block = f->rules.block;
    f->arrivals.cached = q->prefix_hit;
    if (plan->speed.tpot.known)
        f->arrivals.answer = plan->speed.tpot.value * q->output;
}

static void forecaster_fini(struct forecaster *f)
{
    steptime_fini(&f->times);
    steptime_fini(&f->prefill);
    free(f->value[0]);
}

/* No percentile is below a lower one, so neither are the ends of its band: of gaps, which come in
 * two groups, one between them jumps from draw to draw. */
static void order_points(struct quantity *point)
{
    for (int p = POINT_P50 + 1; p <= POINT_P99; p++)
        point[p].low = fmax(point[p].low, point[p - 1].low);
    for (int p = POINT_P99 - 1; p >= POINT_P50; p--)
        point[p].high = fmin(point[p].high, point[p + 1].high);
}

/* The requests of the ask, or at first `few` of them. Returns whether they tell enough. */
static bool forecast_requests(struct forecaster *f, bool few, struct forecast *out,
                              struct forecast_rates *value, struct widths *width)
{
    const struct forecast_ask *ask = f->ask;
    double far[FORECAST_GOALS], close[FORECAST_GOALS];

    f->arrivals.count = few ? ask->few : ask->arrivals.count;
    f->give_up = few && ask->give_up > 0 ? fmax(ask->give_up, FORECAST_FAR) : ask->give_up;
    replay_drawn(f, &one, out, value);
    const struct replay_load *l = &out->arrivals.load;
    if (ask->timeline && !is_stopped(ask)) { /* now that its length is known */
        double span = out->result.last - out->result.first;

        replay_result_fini(&out->result);
        replay_with(f, &one, l, fmax(span, 1e-6) / REPLAY_TIMELINE, NULL, &out->result);
    }
    out->runs = 1;
    for (int i = 0; i < FORECAST_GOALS; i++) {
        far[i] = FORECAST_FAR * ask->goal[i].most;
        close[i] = ask->goal[i].most / FORECAST_FAR;
    }
    if (few && goal_missed(ask, value, far))
        return true;
    /* as long as a few answers: then a queue would have grown */
    bool kept = few && !goal_missed(ask, value, close) &&
                arrivals_span(out) > ANSWERS_FEW * value->point[MEASURE_E2E][POINT_MEAN];
    if (few && !ask->until_missed)
        return kept;
    if (!ask->bands || is_stopped(ask))
        return true;
    if (ask->quick && l->count < FORECAST_FEW)
        add_factors(f, value, out, width);
    else
        add_law(f, value, out, width);
    if (few && goal_unsure(ask, value, width, 1))
        return true;
    if (ask->quick || !arrivals_steady(&ask->arrivals) || l->count > FORECAST_SAMPLE)
        add_ranks(f, value, out, width);
    else
        add_seeds(f, value, out, width);
    return kept && !goal_unsure(ask, value, width, FEW_ROOM);
}

enum forecast_gap forecast_run(const struct plan *plan, const struct forecast_ask *ask,
                               struct forecast *out)
{
    const struct request *q = &plan->request;
    struct forecaster f;
    struct forecast_rates value;
    struct widths width[RATES] = {{0, 0}};

    memset(out, 0, sizeof(*out));
    enum forecast_gap gap = forecast_gap(plan);
    if (gap != FORECAST_KNOWN)
        return gap;
    forecaster_init(&f, plan, ask);
    if (ask->few <= 0 || !forecast_requests(&f, true, out, &value, width)) {
        forecast_fini(out);
        memset(width, 0, sizeof(width));
        forecast_requests(&f, false, out, &value, width);
    }
    out->replicas = replicas_of(plan);
    out->prefills = f.prefills;
    double came = arrivals_span(out) / 3600;
    out->hours = ask->arrivals.hours > 0 || came >= 2 ? (int)fmin(floor(came) + 1, 1e5) : 0;
    bool own = request_corrected(q);
    for (int m = 0; m < RATES; m++) {
        double v = *rate_at(&value, m);

        *quantity_at(out, m) =
            isnan(v) ? quantity_unknown()
                     : quantity_band(v, v * exp(-sqrt(width[m].low)), v * exp(sqrt(width[m].high)),
                                     own ? ORIGIN_MEASURED : ORIGIN_MODEL);
    }
    for (int m = 0; m < MEASURE_COUNT; m++)
        order_points(out->point[m]);
    conclude_from(ask, out, &value);
    out->saturated |= !ask->served && overloads_later(&f, out, &value);
    forecaster_fini(&f);
    return FORECAST_KNOWN;
}

/* ---- the rate ---- */

/* Are all goals kept at this rate? */
static bool goals_kept(struct forecaster *f, const struct factors *by, double rate)
{
    struct forecast at;
    struct forecast_rates rates;

    f->arrivals.rate = rate;
    bool kept = !replay_drawn(f, by, &at, &rates) && at.result.refused < at.arrivals.load.count;
    kept = kept && !goal_missed(f->ask, &rates, NULL) && !overloads_later(f, &at, &rates);
    forecast_fini(&at);
    return kept;
}

#define RATE_LEAST 1e-3 /* requests/s */
#define RATE_CLOSE 1.01

/* The most at which they are kept, between two doublings of the least rate, near `about` first; 0:
 * at none. */
static double rate_kept(struct forecaster *f, const struct factors *by, double about)
{
    double low = RATE_LEAST * exp2(fmax(floor(log2(about / RATE_LEAST)), 0)), high = 2 * low;

    if (!goals_kept(f, by, low)) {
        do {
            high = low;
            low /= 2;
        } while (low > RATE_LEAST / 2 && !goals_kept(f, by, low));
        if (low < RATE_LEAST)
            return 0;
    } else {
        for (; high < 1e6 && goals_kept(f, by, high); high *= 2)
            low = high;
    }
    while (high / low > RATE_CLOSE) {
        double middle = sqrt(low * high);

        *(goals_kept(f, by, middle) ? &low : &high) = middle;
    }
    return low;
}

enum forecast_gap forecast_solve_rate(const struct plan *plan, const struct forecast_ask *ask,
                                      struct quantity *rate)
{
    struct stream random = stream_of(ask->arrivals.seed, 4);
    enum forecast_gap gap = forecast_gap(plan);
    struct forecaster f;

    if (gap != FORECAST_KNOWN)
        return gap;
    forecaster_init(&f, plan, ask);
    f.give_up = 1; /* whether they are kept is all that counts */
    const struct quantity *full = &plan->speed.full;
    double value = rate_kept(&f, &one, full->known && full->value > 0 ? full->value : 1);
    double low = value, high = value;
    for (int i = 0; ask->bands && i < RATE_DRAWS; i++) {
        double z[4];

        for (int k = 0; k < 4; k++)
            z[k] = k == 0 ? normal_at((i + 0.5) / RATE_DRAWS) : stream_normal(&random);
        struct factors by = factors_at(&f, z);
        double kept = rate_kept(&f, &by, fmax(value, RATE_LEAST));
        low = fmin(low, kept);
        high = fmax(high, kept);
    }
    *rate = quantity_band(value, low, high, ORIGIN_MODEL);
    forecaster_fini(&f);
    return FORECAST_KNOWN;
}

void forecast_fini(struct forecast *f)
{
    replay_result_fini(&f->result);
    arrivals_fini(&f->arrivals);
    free(f->delay);
    memset(f, 0, sizeof(*f));
}
