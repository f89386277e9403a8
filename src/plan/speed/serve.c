/*
 * serve.c - see serve.h.
 */
#include "plan/speed/serve.h"

#include <math.h>
#include <string.h>

const struct step *serve_cut(struct serve_cut *cut, const struct step_load *load,
                             const struct layout *l)
{
    bool sides = l->prefill_tp > 0;

    if (cut->load == load && !sides && cut->tp == l->tp && cut->pp == l->pp && cut->ep == l->ep)
        return &cut->step;
    cut->load = sides ? NULL : load;
    cut->tp = l->tp;
    cut->pp = l->pp;
    cut->ep = l->ep;
    step_cut(load, l, &cut->step);
    step_attach(&cut->step, l, &cut->others);
    cut->kept.load = (struct serve_load){.output = -1}; /* of none */
    cut->step.served = &cut->kept;
    return &cut->step;
}

/* Values written and read per token and layer by the element-wise kernels of a prompt:
 * norms, residuals, activations. */
#define PREFILL_VALUES 12

/* Tokens of a prompt that are computed. */
static double new_tokens(const struct serve_load *l)
{
    return fmax(l->prompt - l->cached, 1);
}

/* Of the tokens before the middle of a chunk of q, in the mean over all chunks: those of long
 * prompts are more, and have more before them. */
static double chunk_attention(const struct step *s, const struct serve_load *l, double q)
{
    double square = spread_square(&l->spread);
    double before = l->cached * square + (new_tokens(l) * square - q) / 2;

    return s->slow[CORRECT_WORK] * step_prefill_attention(s, q, before) / s->ways;
}

/* Without products: attention and element-wise kernels of one chunk of q tokens in the
 * middle of its prompt. */
static double chunk_rest(const struct step *s, const struct serve_load *l, double q)
{
    double layers = s->load->request->model->layer_count;
    double values = PREFILL_VALUES * q * s->hidden * 2 * layers / s->bandwidth;

    return chunk_attention(s, l, q) + s->slow[CORRECT_WORK] * values;
}

static double chunk_of(const struct serve_load *l)
{
    return fmin(new_tokens(l), l->chunk);
}

/* A step with prompts is no captured graph, unless it is small: its kernels are launched one
 * by one, by a host that is not always faster than the GPU. */
static double serve_launched(const struct step *s, const struct serve_load *l, double tokens,
                             double least, double work)
{
    const struct request *r = s->load->request;
    const struct engine_speed *e = &r->engine->speed;
    double launch = s->slow[CORRECT_FIXED] * s->load->kernels * e->prefill_kernel;
    int cc = r->gpu->compute_capability;
    bool without = cc >= 100 && cc < 110 && engine_lists(e->uncaptured_100, r->model->family);
    double captured = l->captured > 0 ? l->captured : without ? 0 : e->captured;
    /* the share of the steps with prompts that have more tokens than were captured: `least` with
     * one chunk, `tokens` in the mean, as many chunks besides the first as come by chance */
    double spread = sqrt(chunk_of(l) * (tokens - least)), beyond = least > captured;

    if (least <= captured && spread > 0)
        beyond = fmin(fmax(0.5 + (tokens - captured) / (4 * spread), 0), 1);

    return work + beyond * (hypot(work, launch) - work) +
           s->slow[CORRECT_WORK] * e->prefill_layer * r->model->layer_count;
}

/* More of a product's arithmetic than alone; fitted on GPUs, whose kernels are libraries': of
 * processors the engine's own method is timed, and nothing runs beside it. */
static double prompt_compute(const struct step *s)
{
    const struct request *q = s->load->request;

    return q->gpu->host ? 1 : 1 / q->engine->speed.prefill_compute;
}

/* A step of requests that decode, without prompts: of a stage's batch, drafted tokens among
 * its own. */
struct pass {
    double users, tokens;
    double time, work; /* s; work: of it, products, experts, communication */
};

static struct pass pass_of(const struct step *s, const struct serve_load *l, double users)
{
    struct pass p = {.users = users, .tokens = step_batch(s, users) * (s->drafted + 1)};
    double held = spread_held(&l->spread, l->prompt, l->output);

    p.time = s->accepted * step_decode_work(s, users, held, &p.work);
    return p;
}

/* s that a step with so many tokens of prompts, at least so many, takes besides those that
 * decode. */
static double serve_added(const struct step *s, const struct serve_load *l, const struct pass *p,
                          double tokens, double least, double rest)
{
    double compute = prompt_compute(s);

    if (s->load->request->engine->speed.prefill_alone)
        return serve_launched(s, l, tokens, least, step_work(s, tokens, compute) + rest);
    double all = p->tokens + tokens;
    double work = p->time + step_work(s, all, compute) - p->work + rest;
    return serve_launched(s, l, all, p->tokens + least, work) - p->time;
}

double serve_chunk(const struct step *s, double q, double c)
{
    double layers = s->load->request->model->layer_count;
    double values = PREFILL_VALUES * q * s->hidden * 2 * layers / s->bandwidth;

    return s->slow[CORRECT_WORK] * (step_prefill_attention(s, q, c) / s->ways + values);
}

double serve_products(const struct step *s, double tokens)
{
    return step_work(s, tokens, prompt_compute(s));
}

bool serve_alone(const struct step *s)
{
    return s->load->request->engine->speed.prefill_alone;
}

double serve_prompts(const struct step *s, const struct serve_load *l, const struct serve_step *at)
{
    double decoded = step_batch(s, at->decoding) * (s->drafted + 1), all = at->tokens;
    double before = 0;

    if (at->decoding > 0 && !serve_alone(s)) {
        all += decoded;
        before = at->time - at->work;
    }
    double time = serve_launched(s, l, all, all, before + at->products + at->rest);
    double more = s->slow[CORRECT_PROMPTS] * (time - (before > 0 ? at->time : 0));
    return before > 0 ? fmax(more, 0) : more + s->fixed;
}

/* Chunks that come to a step in the mean, where so many requests take turns. */
static double chunks_mean(const struct step *s, const struct serve_load *l, double running)
{
    return step_batch(s, running) * s->accepted * new_tokens(l) / chunk_of(l) / l->output;
}

/* s of one prompt: what it adds to a pass, and that with its share of the passes themselves,
 * which decode meanwhile where prompts have none of their own. */
struct cost {
    double added, turn;
};

/* Where so many requests at once bring them. */
static struct cost prompt_cost(const struct step *s, const struct serve_load *l,
                               const struct pass *p, double running)
{
    double q = chunk_of(l), chunks = new_tokens(l) / q;
    double mean = fmax(l->receive, 1) * chunks_mean(s, l, running);
    double shared = mean > 1e-6 ? -mean / expm1(-mean) : 1; /* of a step that has any, by chance */
    double pass = serve_added(s, l, p, q * shared, q, shared * chunk_rest(s, l, q));
    double more = s->slow[CORRECT_PROMPTS] * chunks / shared * fmax(pass, 0);
    bool alone = s->load->request->engine->speed.prefill_alone;
    double whole = more + (alone ? 0 : chunks / shared * p->time);

    /* the stages of a pipeline work on other requests meanwhile, those that wait or decode */
    return (struct cost){more / fmin(s->pp, fmax(running, 1)), whole / s->pp};
}

/* What works the prompts off. */
static const struct step *prompt_side(const struct step *s)
{
    return s->prompts ? s->prompts : s;
}

double serve_stall(const struct step *s, const struct serve_load *l, const struct serve *at,
                   double *share)
{
    double q = chunk_of(l), decoding = fmax(at->decoding, 1);

    *share = 0;
    if (l->prefill > 0 || at->running <= 1 || l->output < 2)
        return 0;
    struct pass p = pass_of(s, l, decoding);
    double end =
        s->slow[CORRECT_WORK] * step_prefill_attention(s, q, fmax(l->prompt - q, 0)) / s->ways;
    double rest = chunk_rest(s, l, q) - chunk_attention(s, l, q) + end;
    *share = fmin(chunks_mean(s, l, decoding), 1);
    return p.time + s->slow[CORRECT_PROMPTS] * fmax(serve_added(s, l, &p, q, q, rest), 0);
}

double serve_solo(const struct step *both, const struct serve_load *l)
{
    const struct step *s = prompt_side(both);
    const struct engine_speed *e = &s->load->request->engine->speed;
    double q = chunk_of(l), chunks = new_tokens(l) / q;
    /* chunks that follow each other through the stages: all but pp - 1 overlap */
    double full = (chunks + s->pp - 1) / s->pp;
    double steps = chunks + e->prefill_overlap * fmin(full - chunks, 0);
    double chunk =
        serve_launched(s, l, q, q, step_work(s, q, prompt_compute(s)) + chunk_rest(s, l, q));

    return steps * (s->slow[CORRECT_PROMPTS] * chunk + s->fixed);
}

/* What is kept of such a load, emptied where another was asked for last; NULL: nothing is. */
static struct serve_kept *kept_of(const struct step *s, const struct serve_load *l)
{
    struct serve_kept *k = s->served;
    struct serve_load own = *l;

    if (!k)
        return NULL;
    own.users = own.admitted = own.tpot_most = own.solo = 0;
    if (memcmp(&own, &k->load, sizeof(own)) != 0) {
        k->load = own;
        k->solo = 0;
        k->count = 0;
    }
    return k;
}

static double solo_of(const struct step *s, const struct serve_load *l)
{
    struct serve_kept *k = l->solo > 0 ? NULL : kept_of(s, l);
    double solo = l->solo > 0 ? l->solo : k && k->solo > 0 ? k->solo : serve_solo(s, l);

    if (k)
        k->solo = solo;
    return solo;
}

void serve_burst(const struct step *both, const struct serve_load *l, const struct serve *at,
                 double *mean, double *last)
{
    const struct step *s = prompt_side(both);
    const struct engine_speed *e = &s->load->request->engine->speed;
    double users = fmax(l->users, 1), first = fmin(users, fmax(at->running, 1));
    double groups = fmax(l->prefill, 1), prompts = fmax(first / groups, 1);
    double q = chunk_of(l), all = prompts * new_tokens(l), full = fmin(all, fmax(l->chunk, q));
    double rest = full / q * chunk_rest(s, l, q);
    double chunk = serve_launched(s, l, full, full, step_work(s, full, prompt_compute(s)) + rest);
    struct pass p = pass_of(both, l, first / 2);
    bool beside = l->prefill <= 0 && all > full && !e->prefill_alone;
    double step_s = s->slow[CORRECT_PROMPTS] * chunk + (beside ? p.time : s->fixed);
    /* the stages of a pipeline work on other chunks meanwhile */
    double whole = both->first * e->ttft_solo * all / full * step_s / fmin(s->pp, all / full);
    double base = both->first * (e->ttft_base + at->decode / 2) + l->transfer;

    base += SERVE_READ * users / 2;
    whole = fmax(whole, both->first * e->ttft_solo * at->solo);
    *mean = base + (whole + whole / prompts) / 2;
    *last = base + SERVE_READ * users / 2 + whole;
    if (users <= first || at->requests <= 0)
        return;
    double more = users - first, ends = base + whole / prompts + l->output * at->tpot;

    *mean = (first * *mean + more * (ends + more / 2 / at->requests)) / users;
    *last = fmax(*last, ends + more / at->requests);
}

/* TTFT of an idle engine's prompt that 50 or 95 of 100 are no longer than, more than the
 * mean's; `times` as long as the mean. */
static double solo_more(const struct step *s, const struct serve_load *l, double times, double solo)
{
    struct serve_load one = *l;

    if (l->spread.prompt <= 0 || times <= 0)
        return 0;
    one.prompt *= times;
    one.cached *= times;
    one.spread = (struct spread){0};
    return s->first * s->load->request->engine->speed.ttft_solo * (serve_solo(s, &one) - solo);
}

/* Standard deviation of a prompt's work over its mean: attention goes by the square. */
static double work_spread(const struct step *s, const struct serve_load *l, double cost)
{
    double q = chunk_of(l), chunks = new_tokens(l) / q;
    double share = l->spread.prompt > 0 ? chunks * chunk_attention(s, l, q) / cost : 0;

    return l->spread.prompt * (1 + fmin(share, 1));
}

/* A queue of prompts: busy share, s of one that is not waited for, s besides. */
struct queue {
    double busy, service, besides;
};

static double queue_wait(const struct queue *q, double spread)
{
    double busy = fmin(q->busy, 0.99);

    return busy * q->service * (1 + spread * spread) / (2 * (1 - busy));
}

/* In an open loop, the mean. */
static void open_ttft(const struct step *s, const struct queue *q, struct serve *out)
{
    const struct engine_speed *e = &s->load->request->engine->speed;

    out->ttft = s->first * (e->ttft_base + e->ttft_solo * out->solo + out->decode / 2) +
                q->besides + queue_wait(q, out->spread);
}

/* Percentiles by the exponential tail of the wait. */
static void open_percentiles(const struct step *s, const struct serve_load *l,
                             const struct queue *q, struct serve *out)
{
    double busy = fmin(q->busy, 0.99), wait = queue_wait(q, out->spread);
    /* where fewer than 5 of 100 wait at all, the mean of those that do not */
    double tail = busy > 0 ? fmax(wait / busy * log(busy / 0.05) - wait, 0) : 0;
    double half = busy > 0.5 ? wait / busy * log(busy / 0.5) : 0;

    out->late = out->ttft + hypot(tail, fmax(solo_more(s, l, l->spread.late, out->solo), 0));
    out->middle = out->ttft - wait + solo_more(s, l, l->spread.middle, out->solo) + half;
}

/* In a closed loop by the lengths alone. */
static void closed_percentiles(const struct step *s, const struct serve_load *l, struct serve *out)
{
    out->middle = out->late = 0;
    if (l->spread.prompt <= 0)
        return;
    out->middle = out->ttft + solo_more(s, l, l->spread.middle, out->solo);
    out->late = out->ttft + fmax(solo_more(s, l, l->spread.late, out->solo), 0);
}

static double tokens_out(const struct serve_load *l)
{
    return fmax(l->output - 1, 0);
}

/* ---- where two figures meet ---- */

/* Falls with x; what it works out it leaves in ctx. */
typedef double falling_fn(void *ctx, double x);

/* A range over which f falls to 0 or below: its values at both ends, not zero at low. */
struct bracket {
    double low, at_low, high, at_high;
};

#define TOLERANCE 1e-6 /* of the upper end */

/* By secants, as the functions here bend little; an end that stays twice is halved in
 * weight (Illinois), and no step is so short that it would not close the bracket. */
static void bracket_close(struct bracket *b, falling_fn *f, void *ctx)
{
    int side = 0;

    for (int i = 0; i < 60 && b->at_low > 0 && b->high - b->low > TOLERANCE * b->high; i++) {
        double least = TOLERANCE / 2 * b->high;
        double x = b->low + (b->high - b->low) * b->at_low / (b->at_low - b->at_high);

        x = i % 8 == 7 ? (b->low + b->high) / 2 : x; /* a jump is not passed by secants */
        x = fmin(fmax(x, b->low + least), b->high - least);
        double y = f(ctx, x);
        if (y == 0)
            b->low = b->high = x;
        else if (y > 0) {
            b->at_high /= side > 0 ? 2 : 1;
            b->low = x;
            b->at_low = y;
            side = 1;
        } else {
            b->at_low /= side < 0 ? 2 : 1;
            b->high = x;
            b->at_high = y;
            side = -1;
        }
    }
}

/* From few in flight to more, in doubles, up to `most`: where a step's jump, or the passes that
 * more prompts share, let several numbers hold, an engine that begins idle stays at the fewest.
 * b: of none. */
static void bracket_fewest(struct bracket *b, double most, falling_fn *left, void *ctx)
{
    for (double next = 2; b->at_low > 0; next *= 2) {
        b->high = fmin(next, most);
        b->at_high = left(ctx, b->high);
        if (b->at_high <= 0 || b->high == most)
            break;
        b->low = b->high;
        b->at_low = b->at_high;
    }
    bracket_close(b, left, ctx);
}

/* ---- disaggregated ---- */

static struct queue apart_queue(const struct serve_load *l, const struct serve *out)
{
    return (struct queue){out->requests * out->prompt / l->prefill, out->solo, l->transfer};
}

/* B of a group decode, and X that this takes. */
static void apart_decode(const struct step *s, const struct serve_load *l, double decoding,
                         struct serve *out)
{
    double tokens = spread_held(&l->spread, l->prompt, l->output);

    out->running = out->decoding = decoding;
    out->decode = out->tpot = step_decode(s, fmax(decoding, 1), tokens);
    out->requests = decoding / (fmax(tokens_out(l), 1) * out->tpot);
}

static void apart_prompt(const struct step *s, const struct serve_load *l, struct serve *out)
{
    /* seconds of a prompt where others wait to fill its last chunk */
    const struct step *side = prompt_side(s);
    double q = chunk_of(l), chunks = new_tokens(l) / q;
    double together = fmax(floor(l->chunk / q), 1);
    double all = q * together;
    double work = step_work(side, all, prompt_compute(side)) + together * chunk_rest(side, l, q);

    out->prompt = out->turn =
        chunks * (serve_launched(side, l, all, all, work) + side->fixed) / together / side->pp;
    out->solo = solo_of(s, l);
    out->spread = work_spread(side, l, out->turn);
}

struct apart {
    const struct step *step;
    const struct serve_load *load;
    double rate; /* that has to be served; 0 = users are given */
    struct serve *out;
};

/* The share of the users, and of the time for prompts, that is left where B decode. */
static double apart_left(void *ctx, double decoding)
{
    const struct apart *a = ctx;

    apart_decode(a->step, a->load, decoding, a->out);
    if (a->rate > 0)
        return a->rate - a->out->requests;
    struct queue q = apart_queue(a->load, a->out);
    open_ttft(a->step, &q, a->out);
    double held = a->out->requests * a->out->ttft + decoding;
    double left = fmin(1 - held / a->load->users, 1 - q.busy / BUSY_MOST);
    return fmax(left, -1); /* many times too much says no more, and secants crawl from it */
}

static double apart_capacity(const struct step *s, const struct serve_load *l, enum saturation *by)
{
    struct serve at;

    apart_prompt(s, l, &at);
    apart_decode(s, l, fmax(l->admitted, 1), &at);
    double most = at.requests, prefill = BUSY_MOST * l->prefill / at.prompt;
    double transfer = l->transfer > 0 ? l->prefill / l->transfer : INFINITY;
    enum saturation first = SATURATES_RUNNING;
    if (prefill < most) {
        first = SATURATES_PREFILL;
        most = prefill;
    }
    if (transfer < most) {
        first = SATURATES_TRANSFER;
        most = transfer;
    }
    if (!by)
        return most;
    *by = first;
    apart_decode(s, l, 2 * fmax(l->admitted, 1), &at);
    if (first == SATURATES_RUNNING && at.requests < 1.1 * most)
        *by = SATURATES_DECODE;
    return most;
}

static bool apart_rate(const struct step *s, const struct serve_load *l, double rate,
                       struct serve *out)
{
    double served = fmin(rate, apart_capacity(s, l, NULL));
    struct apart a = {s, l, served, out};
    struct bracket b = {0, served, fmax(l->admitted, 1), 0};

    apart_prompt(s, l, out);
    b.at_high = apart_left(&a, b.high);
    if (b.at_high < 0)
        bracket_fewest(&b, b.high, apart_left, &a);
    apart_decode(s, l, b.high, out);
    out->requests = served;
    struct queue q = apart_queue(l, out);
    open_ttft(s, &q, out);
    open_percentiles(s, l, &q, out);
    return rate <= served;
}

/* ---- both in one ---- */

static void estimate_beside(const struct step *s, const struct serve_load *l, double others,
                            bool arrives, double solo, struct serve *out);

static void estimate_at_users(const struct step *s, const struct serve_load *l, double users,
                              double solo, struct serve *out)
{
    estimate_beside(s, l, fmax(users, 1) - 1, false, solo, out);
}

struct arrivals {
    const struct step *step;
    const struct serve_load *load;
    double rate, solo;
    struct serve serve; /* of the last number that was enough, or of the most */
};

/* How many more than `users` are in flight, by Little's law, when those slow each other; 0
 * where they already exceed what is of use. */
static double in_flight(void *ctx, double users)
{
    struct arrivals *a = ctx;
    struct serve out;
    double others = fmin(users, fmax(a->load->admitted - 1, 0));

    estimate_beside(a->step, a->load, others, true, a->solo, &out);
    struct queue q = {a->rate * out.turn, out.turn, 0};
    open_ttft(a->step, &q, &out);
    double more = a->rate * (out.ttft + tokens_out(a->load) * out.tpot) - users;
    bool full = users >= a->load->admitted;
    if (more > 0 && !full && a->load->tpot_most > 0 && out.tpot > a->load->tpot_most)
        more = 0;
    if (more <= 0 || full)
        a->serve = out;
    return more;
}

bool serve_rate(const struct step *s, const struct serve_load *l, double rate, struct serve *out)
{
    struct arrivals a = {.step = s, .load = l, .rate = rate, .solo = solo_of(s, l)};
    struct bracket b = {0, 0, fmax(l->admitted, 1), 0};

    if (l->prefill > 0)
        return apart_rate(s, l, rate, out);
    b.at_high = in_flight(&a, b.high);
    bool held = b.at_high <= 0 && rate * a.serve.turn < BUSY_MOST;
    if (held) {
        double most = b.high;

        b = (struct bracket){.at_low = in_flight(&a, 0)};
        b.high = a.serve.running;
        bracket_fewest(&b, most, in_flight, &a);
    }
    *out = a.serve;
    if (held)
        out->requests = rate;
    struct queue q = {rate * out->turn, out->turn, 0};
    open_ttft(s, &q, out);
    open_percentiles(s, l, &q, out);
    out->running = b.high;
    return held;
}

/* At C requests at once their pace does not depend on the rate r, so that it is solved
 * without another step: C = r*(rest + pc*r*pc*(1 + cs^2) / (2*(1 - r*pc))), the smaller r. */
static double capacity_at(const struct step *s, const struct serve_load *l, const struct serve *at)
{
    struct queue idle = {0};
    struct serve out = *at;

    open_ttft(s, &idle, &out);
    double users = out.running, prompt = out.turn;
    double rest = out.ttft + tokens_out(l) * out.tpot;
    double wait = prompt * (1 + out.spread * out.spread) / 2;
    double a = (wait - rest) * prompt, b = rest + prompt * users;
    double most = 2 * users / (b + sqrt(fmax(b * b + 4 * a * users, 0)));
    return fmin(most, BUSY_MOST / prompt);
}

double serve_capacity(const struct step *s, const struct serve_load *l, const struct serve *full,
                      enum saturation *by)
{
    struct serve at;
    double users = fmax(l->admitted, 1), solo = full ? full->solo : solo_of(s, l);

    if (l->prefill > 0)
        return apart_capacity(s, l, by);
    if (!full)
        estimate_at_users(s, l, users, solo, &at);
    else
        at = *full;
    double most = capacity_at(s, l, &at);
    if (!by)
        return most;
    *by = SATURATES_PREFILL;
    if (most * at.turn < 0.999 * BUSY_MOST) {
        estimate_at_users(s, l, 2 * users, solo, &at);
        *by = capacity_at(s, l, &at) < 1.1 * most ? SATURATES_DECODE : SATURATES_RUNNING;
    }
    return most;
}

double serve_peak(double mean)
{
    return ceil(mean + 2 * sqrt(mean));
}

#define ROUNDS 10 /* of the benchmarks whose first tokens were fitted */

/* What a request sees beside so many others, of a closed loop without those who queue or, arrives,
 * at a rate: an arrival finds as many as there are in the mean, and the share of them that decodes
 * is beside it when it does. */
static void estimate_anew(const struct step *s, const struct serve_load *l, double others,
                          bool arrives, double solo, struct serve *out)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double users = others + 1;
    struct pass all = pass_of(s, l, users);
    struct cost cost = prompt_cost(s, l, &all, users);
    double first = all.time / s->accepted + e->interference * users / l->output * cost.added;
    double share = 1 / (1 + cost.added / (l->output * first));
    /* while one decodes it is at least that one */
    double decoding = arrives ? 1 + others * share : fmax(users * share, 1);
    double beside = arrives ? decoding - 1 : decoding * others / users;
    struct pass busy = decoding == users ? all : pass_of(s, l, decoding);

    out->running = users;
    out->decoding = decoding;
    out->decode = busy.time / s->accepted;
    cost = decoding == users ? cost : prompt_cost(s, l, &busy, users);
    out->prompt = cost.added;
    out->turn = cost.turn;
    out->spread = work_spread(s, l, out->turn);
    /* while one's answer runs, as many prompts come as others decode */
    out->tpot = out->decode + e->interference * beside / l->output * out->prompt;
    out->solo = solo;
    out->ttft =
        s->first *
        (e->ttft_base + e->ttft_solo * solo + (e->ttft_decode + l->receive / 2) * out->decode +
         e->ttft_queue * solo * (users - 1) / (2 * (l->rounds > 0 ? l->rounds : ROUNDS)));
    /* of answers of a few tokens the prompts are the work, and each waits for its turn */
    out->ttft = fmax(out->ttft, users * out->turn - tokens_out(l) * out->tpot);
    out->middle = out->late = 0;
    out->requests = users / (out->ttft + tokens_out(l) * out->tpot);
}

static void estimate_beside(const struct step *s, const struct serve_load *l, double others,
                            bool arrives, double solo, struct serve *out)
{
    struct serve_kept *k = kept_of(s, l);

    for (int i = 0; k && i < k->count && i < SERVE_KEPT; i++)
        if (k->of[i].others == others && k->of[i].arrives == arrives && k->of[i].solo == solo) {
            *out = k->of[i].at;
            return;
        }
    estimate_anew(s, l, others, arrives, solo, out);
    if (!k)
        return;
    int at = k->count++ % SERVE_KEPT;
    k->of[at].others = others;
    k->of[at].arrives = arrives;
    k->of[at].solo = solo;
    k->of[at].at = *out;
}

void serve_least(const struct step *s, const struct serve_load *l, double *ttft, double *tpot)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double steps = fmin(0.5, e->ttft_decode + l->receive / 2);

    *tpot = step_decode(s, 1, spread_held(&l->spread, l->prompt, l->output));
    *ttft = s->first * (e->ttft_base + e->ttft_solo * solo_of(s, l) + steps * *tpot);
}

void serve_estimate(const struct step *s, const struct serve_load *l, struct serve *out)
{
    double users = fmax(fmin(l->users, l->admitted), 1);

    if (l->prefill > 0) {
        struct apart a = {s, l, 0, out};
        struct bracket b = {0, 1, fmin(fmax(l->admitted, 1), l->users), 0};

        apart_prompt(s, l, out);
        b.at_high = apart_left(&a, b.high);
        if (b.at_high < 0) {
            bracket_close(&b, apart_left, &a);
            apart_decode(s, l, fmax(b.low, b.high / 2), out);
        }
        /* the rest of the users wait for their first token */
        out->ttft = (l->users - fmax(tokens_out(l), 1) * out->tpot * out->requests) / out->requests;
        closed_percentiles(s, l, out);
        return;
    }
    estimate_at_users(s, l, users, solo_of(s, l), out);
    /* those that do not run wait until as many as they are have been served */
    if (l->users > users)
        out->ttft += (l->users - users) / out->requests;
    closed_percentiles(s, l, out);
}
