/*
 * serve.c - see serve.h.
 */
#include "core/speed/serve.h"

#include <math.h>

/* Values written and read per token and layer by the element-wise kernels of a prompt:
 * norms, residuals, activations. */
#define PREFILL_VALUES 12

/* Without products: attention, element-wise kernels, launches of one chunk of q tokens in
 * the middle of its prompt. */
static double chunk_rest(const struct step *s, double q, double prompt)
{
    const struct request *r = s->load->request;
    double layers = r->model->layer_count;
    double values = PREFILL_VALUES * q * s->hidden * 2 * layers / s->bandwidth;
    return step_prefill_attention(s, q, (prompt - q) / 2) / s->ways + values +
           r->engine->speed.prefill_layer * layers;
}

static double chunk_of(const struct serve_load *l)
{
    return fmin(l->prompt, l->chunk);
}

static double prompt_cost(const struct step *s, const struct serve_load *l, double users)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double q = chunk_of(l), chunks = l->prompt / q;
    /* chunks that share a step when more of them come than decode steps there are */
    double shared = fmax(1, users * chunks / l->output);
    double pass = e->prefill_alone
                      ? step_work(s, q * shared, 1 / e->prefill_compute)
                      : step_work(s, users + q * shared, 1 / e->prefill_compute) -
                            step_work(s, users, 1);
    return chunks * (fmax(pass, 0) / shared + chunk_rest(s, q, l->prompt));
}

static double solo_prompt(const struct step *s, const struct serve_load *l)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double q = chunk_of(l);
    return l->prompt / q *
           (step_work(s, q, 1 / e->prefill_compute) + chunk_rest(s, q, l->prompt) + s->fixed);
}

void serve_estimate(const struct step *s, const struct serve_load *l, struct serve *out)
{
    const struct engine_speed *e = &s->load->request->engine->speed;
    double tokens = l->prompt + l->output / 2;
    double users = fmax(fmin(l->users, l->admitted), 1);
    double cost = prompt_cost(s, l, users);
    double first = step_decode(s, users, tokens) +
                   e->interference * users / l->output * cost;
    double decoding = users / (1 + cost / (l->output * first));
    out->running = users;
    out->decoding = decoding;
    out->decode = step_decode(s, decoding, tokens);
    out->prompt = prompt_cost(s, l, decoding);
    out->tpot = out->decode + e->interference * fmax(decoding - 1, 0) / l->output *
                                  out->prompt;
    out->solo = solo_prompt(s, l);
    out->ttft = e->ttft_base + e->ttft_solo * out->solo + e->ttft_decode * out->decode +
                e->ttft_queue * out->solo * (users - 1) / 20;
    out->requests = users / (out->ttft + fmax(l->output - 1, 0) * out->tpot);
}
