/*
 * serve.c - see serve.h.
 */
#include "core/speed/serve.h"

#include <math.h>

/* Values written and read per token and layer by the element-wise kernels of a prompt:
 * norms, residuals, activations. */
#define PREFILL_VALUES 12

/* Tokens of a prompt that are computed. */
static double new_tokens(const struct serve_load *l)
{
    return fmax(l->prompt - l->cached, 1);
}

/* Tokens before the middle of a chunk of q, in the mean over all chunks: those of long
 * prompts are more, and have more before them. */
static double tokens_before(const struct serve_load *l, double q)
{
    double square = spread_square(&l->spread);
    return l->cached * square + (new_tokens(l) * square - q) / 2;
}

static double chunk_attention(const struct step *s, const struct serve_load *l, double q)
{
    return s->slow[CORRECT_WORK] * step_prefill_attention(s, q, tokens_before(l, q)) / s->ways;
}

/* Without products: attention and element-wise kernels of one chunk of q tokens in the
 * middle of its prompt. */
static double chunk_rest(const struct step *s, const struct serve_load *l, double q)
{
    double layers = s->load->request->model->layer_count;
    double values = PREFILL_VALUES * q * s->hidden * 2 * layers / s->bandwidth;
    return chunk_attention(s, l, q) + s->slow[CORRECT_WORK] * values;
}

/* A step with prompts is no captured graph, unless it is small: its kernels are launched one
 * by one, by a host that is not always faster than the GPU. */
static double launched(const struct step *s, const struct serve_load *l, double tokens,
                       double work)
{
    const struct request *r = s->load->request;
    const struct engine_speed *e = &r->engine->speed;
    double captured = l->captured > 0 ? l->captured : e->captured;
    double kernel = tokens > captured ? e->prefill_kernel : 0;
    double launch = s->slow[CORRECT_FIXED] * s->load->kernels * kernel;
    return hypot(work, launch) + s->slow[CORRECT_WORK] * e->prefill_layer * r->model->layer_count;
}

static double chunk_of(const struct serve_load *l)
{
    return fmin(new_tokens(l), l->chunk);
}

/* More of a product's arithmetic than alone; fitted on GPUs, whose kernels are libraries': of
 * processors the engine's own method is timed, and nothing runs beside it. */
static double prompt_compute(const struct step *s)
{
    const struct request *q = s->load->request;
    return q->gpu->host ? 1 : 1 / q->engine->speed.prefill_compute;
}

/* decode: s of a step of `users` without prompts. */
static double prompt_cost(const struct step *s, const struct serve_load *l, double users,
                          double decode)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double q = chunk_of(l), chunks = new_tokens(l) / q, pass;
    /* chunks that share a step when more of them come than steps look for them */
    double shared = fmax(1, fmax(l->receive, 1) * users * chunks / l->output);
    double rest = shared * chunk_rest(s, l, q);
    if (e->prefill_alone)
        pass = launched(s, l, q * shared,
                        step_work(s, q * shared, prompt_compute(s)) + rest);
    else
        pass = launched(s, l, users + q * shared,
                        decode + step_work(s, users + q * shared, prompt_compute(s)) -
                            step_work(s, users, 1) + rest) -
               decode;
    /* the stages of a pipeline work on other requests meanwhile */
    return s->slow[CORRECT_PROMPTS] * chunks * fmax(pass, 0) / shared /
           fmax(fmin(s->pp, users), 1);
}

static double solo_prompt(const struct step *s, const struct serve_load *l)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double q = chunk_of(l), chunks = new_tokens(l) / q;
    /* chunks that follow each other through the stages: all but pp - 1 overlap */
    double full = (chunks + s->pp - 1) / s->pp;
    double steps = chunks + e->prefill_overlap * fmin(full - chunks, 0);
    double chunk = launched(s, l, q,
                            step_work(s, q, prompt_compute(s)) + chunk_rest(s, l, q));
    return steps * (s->slow[CORRECT_PROMPTS] * chunk + s->fixed);
}

/* TTFT of an idle engine's prompt that 50 or 95 of 100 are no longer than, more than the
 * mean's; `times` as long as the mean. */
static double solo_more(const struct step *s, const struct serve_load *l, double times,
                        double solo)
{
    struct serve_load one = *l;
    if (l->spread.prompt <= 0 || times <= 0)
        return 0;
    one.prompt *= times;
    one.cached *= times;
    one.spread = (struct spread){0};
    return s->first * s->load->request->engine->speed.ttft_solo *
           (solo_prompt(s, &one) - solo);
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

/* In an open loop; percentiles by the exponential tail of the wait. */
static void open_ttft(const struct step *s, const struct serve_load *l,
                      const struct queue *q, struct serve *out)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double busy = fmin(q->busy, 0.99), wait = queue_wait(q, out->spread);
    double rest = s->first * (e->ttft_base + e->ttft_solo * out->solo + out->decode / 2) +
                  q->besides;
    /* where fewer than 5 of 100 wait at all, the mean of those that do not */
    double tail = busy > 0 ? fmax(wait / busy * log(busy / 0.05) - wait, 0) : 0;
    double half = busy > 0.5 ? wait / busy * log(busy / 0.5) : 0;
    out->ttft = rest + wait;
    out->late = out->ttft + hypot(tail, fmax(solo_more(s, l, l->spread.late, out->solo), 0));
    out->middle = rest + solo_more(s, l, l->spread.middle, out->solo) + half;
}

static double tokens_out(const struct serve_load *l)
{
    return fmax(l->output - 1, 0);
}

#define BUSY_MOST 0.95 /* share of the time in prompts at which a queue no longer ends */

/* ---- disaggregated ---- */

/* Seconds of a prompt where others wait to fill its last chunk. */
static double apart_cost(const struct step *s, const struct serve_load *l)
{
    double q = chunk_of(l), chunks = new_tokens(l) / q;
    double together = fmax(floor(l->chunk / q), 1);
    double work = step_work(s, q * together, prompt_compute(s)) + together * chunk_rest(s, l, q);
    return chunks * (launched(s, l, q * together, work) + s->fixed) / together / s->pp;
}

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

static void apart_prompt(const struct step *s, const struct serve_load *l,
                         struct serve *out)
{
    out->prompt = apart_cost(s, l);
    out->solo = solo_prompt(s, l);
    out->spread = work_spread(s, l, out->prompt);
}

/* Do B decode and the prompts for them take more than `users`, or than there is time? */
static bool apart_exceeds(const struct step *s, const struct serve_load *l, double decoding,
                          double users, struct serve *out)
{
    apart_decode(s, l, decoding, out);
    struct queue q = apart_queue(l, out);
    open_ttft(s, l, &q, out);
    return q.busy > BUSY_MOST || out->requests * out->ttft + decoding > users;
}

#define HALVINGS 26

static void apart_estimate(const struct step *s, const struct serve_load *l,
                           struct serve *out)
{
    double high = fmin(fmax(l->admitted, 1), l->users), low = 0;
    apart_prompt(s, l, out);
    bool over = apart_exceeds(s, l, high, l->users, out);
    for (int i = 0; over && i < HALVINGS; i++) {
        double mid = (low + high) / 2;
        *(apart_exceeds(s, l, mid, l->users, out) ? &high : &low) = mid;
    }
    if (over)
        apart_decode(s, l, fmax(low, high / 2), out);
    /* the rest of the users wait for their first token */
    out->ttft = (l->users - fmax(tokens_out(l), 1) * out->tpot * out->requests) /
                out->requests;
    out->middle = out->late = 0;
    if (l->spread.prompt > 0) {
        out->middle = out->ttft + solo_more(s, l, l->spread.middle, out->solo);
        out->late = out->ttft + fmax(solo_more(s, l, l->spread.late, out->solo), 0);
    }
}

static double apart_capacity(const struct step *s, const struct serve_load *l,
                             enum saturation *by)
{
    struct serve at;
    apart_prompt(s, l, &at);
    apart_decode(s, l, fmax(l->admitted, 1), &at);
    double most = at.requests, prefill = BUSY_MOST * l->prefill / at.prompt;
    double transfer = l->transfer > 0 ? l->prefill / l->transfer : INFINITY;
    *by = SATURATES_RUNNING;
    if (prefill < most) {
        *by = SATURATES_PREFILL;
        most = prefill;
    }
    if (transfer < most) {
        *by = SATURATES_TRANSFER;
        most = transfer;
    }
    apart_decode(s, l, 2 * fmax(l->admitted, 1), &at);
    if (*by == SATURATES_RUNNING && at.requests < 1.1 * most)
        *by = SATURATES_DECODE;
    return most;
}

static bool apart_rate(const struct step *s, const struct serve_load *l, double rate,
                       struct serve *out)
{
    double low = 0, high = fmax(l->admitted, 1);
    enum saturation by;
    double served = fmin(rate, apart_capacity(s, l, &by));
    apart_prompt(s, l, out);
    for (int i = 0; i < HALVINGS; i++) {
        double mid = (low + high) / 2;
        apart_decode(s, l, mid, out);
        *(out->requests >= served ? &high : &low) = mid;
    }
    apart_decode(s, l, high, out);
    out->requests = served;
    struct queue q = apart_queue(l, out);
    open_ttft(s, l, &q, out);
    return rate <= served;
}

/* ---- both in one ---- */

/* Requests in flight by Little's law when `users` of them slow each other. */
static double in_flight(const struct step *s, struct serve_load *l, double users,
                        double rate, struct serve *out)
{
    l->users = users;
    serve_estimate(s, l, out);
    struct queue q = {rate * out->prompt, out->prompt, 0};
    open_ttft(s, l, &q, out);
    return rate * (out->ttft + tokens_out(l) * out->tpot);
}

bool serve_rate(const struct step *s, const struct serve_load *load, double rate,
                struct serve *out)
{
    struct serve_load l = *load;
    double low = 0, high = fmax(load->admitted, 1);
    if (l.prefill > 0)
        return apart_rate(s, load, rate, out);
    bool held = in_flight(s, &l, high, rate, out) <= high && rate * out->prompt < BUSY_MOST;
    for (int i = 0; held && i < 40 && high - low > 1e-6 * high; i++) {
        double mid = (low + high) / 2;
        *(in_flight(s, &l, mid, rate, out) <= mid ? &high : &low) = mid;
    }
    in_flight(s, &l, high, rate, out);
    out->running = high;
    if (held)
        out->requests = rate;
    return held;
}

/* At C requests at once their pace does not depend on the rate, so that it is solved
 * without another step. */
static double capacity_at(const struct step *s, const struct serve_load *load, double users,
                          struct serve *out)
{
    struct serve_load l = *load;
    double high, low = 0;
    l.users = l.admitted = users;
    serve_estimate(s, &l, out);
    high = BUSY_MOST / out->prompt;
    for (int i = 0; i < 40; i++) {
        double mid = i ? (low + high) / 2 : high;
        struct queue q = {mid * out->prompt, out->prompt, 0};
        open_ttft(s, &l, &q, out);
        bool over = mid * (out->ttft + tokens_out(&l) * out->tpot) > users;
        if (!over && i == 0)
            return mid;
        *(over ? &high : &low) = mid;
    }
    return low;
}

double serve_capacity(const struct step *s, const struct serve_load *l, enum saturation *by)
{
    struct serve at;
    double users = fmax(l->admitted, 1);
    if (l->prefill > 0)
        return apart_capacity(s, l, by);
    double most = capacity_at(s, l, users, &at);
    *by = SATURATES_PREFILL;
    if (most * at.prompt < 0.999 * BUSY_MOST)
        *by = capacity_at(s, l, 2 * users, &at) < 1.1 * most ? SATURATES_DECODE
                                                            : SATURATES_RUNNING;
    return most;
}

double serve_peak(double mean)
{
    return ceil(mean + 2 * sqrt(mean));
}

void serve_estimate(const struct step *s, const struct serve_load *l, struct serve *out)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double tokens = spread_held(&l->spread, l->prompt, l->output);
    double users = fmax(fmin(l->users, l->admitted), 1);
    if (l->prefill > 0) {
        apart_estimate(s, l, out);
        return;
    }
    double decode = step_decode(s, users, tokens), cost = prompt_cost(s, l, users, decode);
    double first = decode + e->interference * users / l->output * cost;
    /* while one decodes it is at least that one */
    double decoding = fmax(users / (1 + cost / (l->output * first)), 1);
    out->running = users;
    out->decoding = decoding;
    out->decode = step_decode(s, decoding, tokens);
    out->prompt = prompt_cost(s, l, decoding, out->decode);
    out->spread = work_spread(s, l, out->prompt);
    out->tpot = out->decode + e->interference * fmax(decoding - 1, 0) / l->output *
                                  out->prompt;
    out->solo = solo_prompt(s, l);
    out->ttft = s->first * (e->ttft_base + e->ttft_solo * out->solo +
                            (e->ttft_decode + l->receive / 2) * out->decode +
                            e->ttft_queue * out->solo * (users - 1) / 20);
    out->middle = out->late = 0;
    out->requests = users / (out->ttft + tokens_out(l) * out->tpot);
    /* those that do not run wait until as many as they are have been served */
    if (l->users > users)
        out->ttft += (l->users - users) / out->requests;
    if (l->spread.prompt > 0) {
        out->middle = out->ttft + solo_more(s, l, l->spread.middle, out->solo);
        out->late = out->ttft + fmax(solo_more(s, l, l->spread.late, out->solo), 0);
    }
}
