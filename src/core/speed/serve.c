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

/* What a step takes longer for having prompts in it, however many. */
static double chunk_launch(const struct step *s)
{
    const struct request *r = s->load->request;
    return s->slow[CORRECT_WORK] * r->engine->speed.prefill_layer * r->model->layer_count;
}

static double chunk_of(const struct serve_load *l)
{
    return fmin(new_tokens(l), l->chunk);
}

static double prompt_cost(const struct step *s, const struct serve_load *l, double users)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double q = chunk_of(l), chunks = new_tokens(l) / q;
    /* chunks that share a step when more of them come than decode steps there are */
    double shared = fmax(1, users * chunks / l->output);
    double pass = e->prefill_alone
                      ? step_work(s, q * shared, 1 / e->prefill_compute)
                      : step_work(s, users + q * shared, 1 / e->prefill_compute) -
                            step_work(s, users, 1);
    /* the stages of a pipeline work on other requests meanwhile */
    return s->slow[CORRECT_PROMPTS] * chunks *
           ((fmax(pass, 0) + chunk_launch(s)) / shared + chunk_rest(s, l, q)) /
           fmax(fmin(s->pp, users), 1);
}

static double solo_prompt(const struct step *s, const struct serve_load *l)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double q = chunk_of(l), chunks = new_tokens(l) / q;
    /* chunks that follow each other through the stages: all but pp - 1 overlap */
    double full = (chunks + s->pp - 1) / s->pp;
    double steps = chunks + e->prefill_overlap * fmin(full - chunks, 0);
    double chunk =
        step_work(s, q, 1 / e->prefill_compute) + chunk_rest(s, l, q) + chunk_launch(s);
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

/* In an open loop; percentiles by the exponential tail of the wait. */
static void open_ttft(const struct step *s, const struct serve_load *l, double rate,
                      struct serve *out)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double busy = fmin(rate * out->prompt, 0.99), cs = out->spread;
    double wait = busy * out->prompt * (1 + cs * cs) / (2 * (1 - busy));
    double rest = s->first * (e->ttft_base + e->ttft_solo * out->solo + out->decode / 2);
    /* where fewer than 5 of 100 wait at all, the mean of those that do not */
    double tail = fmax(wait / busy * log(busy / 0.05) - wait, 0);
    out->ttft = rest + wait;
    out->late = out->ttft + hypot(tail, fmax(solo_more(s, l, l->spread.late, out->solo), 0));
    out->middle = rest + solo_more(s, l, l->spread.middle, out->solo) +
                  fmax(wait / busy * log(busy / 0.5), 0);
}

/* Requests in flight by Little's law when `users` of them slow each other. */
static double in_flight(const struct step *s, struct serve_load *l, double users,
                        double rate, struct serve *out)
{
    l->users = users;
    serve_estimate(s, l, out);
    open_ttft(s, l, rate, out);
    return rate * (out->ttft + fmax(l->output - 1, 0) * out->tpot);
}

bool serve_rate(const struct step *s, const struct serve_load *load, double rate,
                struct serve *out)
{
    struct serve_load l = *load;
    double low = 0, high = fmax(load->admitted, 1);
    bool held = in_flight(s, &l, high, rate, out) <= high && rate * out->prompt < 0.95;
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

double serve_peak(double mean)
{
    return ceil(mean + 2 * sqrt(mean));
}

void serve_estimate(const struct step *s, const struct serve_load *l, struct serve *out)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double tokens = spread_held(&l->spread, l->prompt, l->output);
    double users = fmax(fmin(l->users, l->admitted), 1);
    double cost = prompt_cost(s, l, users);
    double first = step_decode(s, users, tokens) +
                   e->interference * users / l->output * cost;
    /* while one decodes it is at least that one */
    double decoding = fmax(users / (1 + cost / (l->output * first)), 1);
    out->running = users;
    out->decoding = decoding;
    out->decode = step_decode(s, decoding, tokens);
    out->prompt = prompt_cost(s, l, decoding);
    out->spread = work_spread(s, l, out->prompt);
    out->tpot = out->decode + e->interference * fmax(decoding - 1, 0) / l->output *
                                  out->prompt;
    out->solo = solo_prompt(s, l);
    out->ttft = s->first * (e->ttft_base + e->ttft_solo * out->solo +
                            e->ttft_decode * out->decode +
                            e->ttft_queue * out->solo * (users - 1) / 20);
    out->middle = out->late = 0;
    out->requests = users / (out->ttft + fmax(l->output - 1, 0) * out->tpot);
    /* those that do not run wait until as many as they are have been served */
    if (l->users > users)
        out->ttft += (l->users - users) / out->requests;
    if (l->spread.prompt > 0) {
        out->middle = out->ttft + solo_more(s, l, l->spread.middle, out->solo);
        out->late = out->ttft + fmax(solo_more(s, l, l->spread.late, out->solo), 0);
    }
}
