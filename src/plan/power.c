/*
 * power.c - see power.h. The three constants of w(m, c) are fitted to 220 measured runs on
 * A100 (tests/accuracy/power).
 */
#include "plan/power.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* Factors of the band of a GPU's watts: on the GPU that was measured, and on others. */
#define BAND_MEASURED 1.12
#define BAND_LOW 1.35
#define BAND_HIGH 1.25

/* Bands of what nobody has measured. */
#define IDLE_LOW 0.5
#define IDLE_HIGH 2.0
#define HOST_LOW 0.35
#define HOST_HIGH 1.30

const char power_law_source[] =
    "fitted to 220 runs of Llama-2-70B and BLOOM-176B on A100 (Splitwise, 2023); stands in "
    "for other GPUs";

double power_share(double memory, double compute)
{
    return fmin(1, POWER_BASE + POWER_MEMORY * memory + POWER_COMPUTE * compute);
}

/* A MIG slice has no limit of its own. */
static double limit_of(const struct gpu *gpu)
{
    return gpu->power.known && gpu->whole <= 0 ? gpu->power.value : 0;
}

double power_most(const struct request *q)
{
    double limit = limit_of(q->gpu);

    return limit > 0 ? limit + q->host_watts : 0;
}

/* ---- what a step moves and computes ---- */

/* Of one batch of a decode step, on the GPUs of one rank of TP, all stages together. */
struct work {
    double bytes; /* weights and cache */
    double token; /* s of one token's arithmetic at the sheet's rate */
};

static double rate_of(const struct request *q, enum tensor_role role)
{
    enum kernel kernel = kernel_of(q->precision.by_role[role], q->gpu, q->engine->gguf);
    double rate = kernel_rate(kernel, q->gpu);

    return rate > 0 ? rate : kernel_rate(KERNEL_16, q->gpu);
}

static void add_product(struct work *w, const struct request *q, enum tensor_role role,
                        struct step_shape n, double layers)
{
    w->bytes += n.rows * n.cols * n.bytes * layers;
    w->token += 2 * n.rows * n.cols * layers / rate_of(q, role);
}

static struct work work_of(const struct step *s, const struct layout *l, double batch,
                           double tokens)
{
    const struct request *q = s->load->request;
    struct work w = {0};
    double flops;

    for (int i = 0; i < s->load->products; i++)
        add_product(&w, q, s->load->product[i].role, step_shape(s->load, i, l),
                    s->load->product[i].times);
    struct step_shape head = {q->model->vocab / (l->tp * s->ways), q->model->hidden,
                              q->precision.by_role[ROLE_HEAD]->bits / 8};
    add_product(&w, q, ROLE_HEAD, head, 1);
    for (int i = 0; i < q->model->kind_count; i++) {
        const struct layer_kind *k = &q->model->kind[i];

        if (k->experts <= 0)
            continue;
        double width = k->latent > 0 ? k->latent : q->model->hidden;
        double one = (k->gated ? 3 : 2) * width * k->expert_ff / (l->tp * s->ways);
        double layers = s->load->layers_of[i];
        w.bytes += one * s->load->expert_bytes[i] * layers *
                   moe_reached(k->experts, k->experts_active, batch * (s->drafted + 1));
        /* every rank's tokens come to it */
        w.token += 2 * one * k->experts_active * layers * s->ways / rate_of(q, ROLE_EXPERT);
    }
    for (int i = 0; i < s->attentions; i++)
        w.bytes += attention_decode(&s->attention[i], tokens, &flops) * batch / s->ways;
    return w;
}

/* ---- watts ---- */

static struct quantity power_works(const struct request *q, double memory, double compute)
{
    bool measured = q->gpu->compute_capability == 80;
    double limit = limit_of(q->gpu), watts = limit * power_share(memory, compute);

    return quantity_band(watts, watts / (measured ? BAND_MEASURED : BAND_LOW),
                         fmin(limit, watts * (measured ? BAND_MEASURED : BAND_HIGH)),
                         measured ? ORIGIN_MODEL : ORIGIN_ASSUMED);
}

/* a / b of what does not depend on each other: logarithms in quadrature. */
static struct quantity power_divided(struct quantity a, struct quantity b)
{
    double value = a.value / b.value;
    double low = hypot(log(a.value / a.low), log(b.high / b.value));
    double high = hypot(log(a.high / a.value), log(b.value / b.low));

    return quantity_band(value, value / exp(low), value * exp(high),
                         origin_weaker(a.origin, b.origin));
}

static void load_up(const struct request *q, const struct load *load, const struct layout *l,
                    const struct speed *v, struct power *out)
{
    struct step_load sums;
    struct step step;
    struct step_others others;

    if (!load->step)
        step_load_sum(q, load, &sums);
    step_cut(load->step ? load->step : &sums, l, &step);
    step_attach(&step, l, &others);
    /* m and c of decode steps, c of prompts. Batches that are under way in the stages at the
     * same time each move all weights. */
    double batch = step_batch(&step, v->serve.decoding);
    double filled = fmin(step.pp, fmax(v->serve.decoding, 1)) / step.pp;
    double time = v->serve.decode * step.accepted, fresh = q->prompt * (1 - q->prefix_hit);
    struct work w = work_of(&step, l, batch, spread_held(&q->spread, q->prompt, q->output));
    double token = w.token / step.ways;

    out->memory = fmin(1, filled * w.bytes / (time * q->gpu->bandwidth.value));
    out->compute = fmin(1, filled * batch * (step.drafted + 1) * token / time);
    out->prompt_compute = fmin(1, fresh * token / step.pp / v->serve.prompt);
    /* The shares of the time, by what arrives at one group of GPUs. */
    double groups = speed_groups(l);
    double flight = v->running / groups;

    out->prompts = fmin(1, v->requests.value / groups * v->serve.prompt);
    out->busy = q->rate > 0 ? fmax(out->prompts, 1 - exp(-flight)) : 1;
    double idle = POWER_IDLE * out->limit;
    out->idle = quantity_band(idle, idle * IDLE_LOW, idle * IDLE_HIGH, ORIGIN_ASSUMED);
    out->decode = power_works(q, out->memory, out->compute);
    out->prompt = power_works(q, 0, out->prompt_compute);
    out->gpu = quantity_add(quantity_scale(out->idle, 1 - out->busy),
                            quantity_add(quantity_scale(out->prompt, out->prompts),
                                         quantity_scale(out->decode, out->busy - out->prompts)));
    double watts = out->host_most * (POWER_HOST + (1 - POWER_HOST) * out->gpu.value / out->limit);
    out->host = quantity_band(watts, watts * HOST_LOW, fmin(out->host_most, watts * HOST_HIGH),
                              ORIGIN_ASSUMED);
    out->total = quantity_scale(quantity_add(out->gpu, out->host), l->gpus);
    out->joules = power_divided(out->total, v->tokens);
    out->per_watt = power_divided(v->tokens, out->total);
    out->loaded = true;
}

double power_unused(const struct power *p, const struct layout *l, int gpus)
{
    return (gpus - l->gpus) * (p->idle.value + p->host.value);
}

void power_estimate(const struct request *q, const struct load *load, const struct layout *l,
                    const struct speed *v, const struct market *market, struct power *out)
{
    memset(out, 0, sizeof(*out));
    out->limit = limit_of(q->gpu);
    out->known = out->limit > 0;
    if (!out->known)
        return;
    out->host_most = q->host_watts;
    out->sheet = l->gpus * power_most(q);
    out->cap = q->power_cap;
    out->capped_gpus = (int)(q->power_cap / power_most(q));
    if (v->gap == SPEED_KNOWN && v->tokens.value > 0)
        load_up(q, load, l, v, out);
    if (!out->loaded)
        return;
    const struct ownership *own = market->ownership;
    out->hours = market->hours > 0 ? market->hours : COST_HOURS_PER_MONTH;
    out->energy = quantity_scale(out->total, out->hours * 3600);
    if (own)
        out->electricity = quantity_scale(
            out->energy,
            own->pue / GP_KWH * (market->electricity > 0 ? market->electricity : own->electricity));
}
