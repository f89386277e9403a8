/*
 * host.c - see host.h.
 */
#include "plan/speed/host.h"

#include <math.h>
#include <string.h>

#include "catalog/family.h"
#include "plan/roofline.h"
#include "plan/speed/gemm.h"

/* Without a figure of the link: what a PCIe 4 x16 card has. */
#define PCIE_ASSUMED_GEN 4
#define PCIE_ASSUMED_LANES 16

/* The law itself, where processors and memory are known: assumed, after seven runs of three
 * hosts (tests/accuracy/offload). */
#define HOST_LAW 1.5

static void add_part(struct host_load *out, double layers, double bytes, double weights,
                     const struct layer_kind *experts)
{
    if (layers <= 0 || bytes <= 0)
        return;
    out->part[out->parts++] =
        (struct host_part){layers, bytes, weights, experts ? experts->experts : 0,
                           experts ? experts->experts_active : 0};
}

static void add_layers(struct host_load *out, const struct request *q, const struct load *load,
                       int kind, double whole, double experts)
{
    struct tensor t[MODEL_MAX_TENSORS];
    const struct layer_kind *k = &q->model->kind[kind];
    int count = model_layer_tensors(q->model, kind, t);
    double bytes = 0, weights = 0, routed = 0;

    for (int r = 0; r < ROLE_COUNT; r++)
        bytes += r != ROLE_EXPERT ? load->layer[kind][r] : 0;
    for (int i = 0; i < count; i++)
        *(t[i].role == ROLE_EXPERT ? &routed : &weights) += t[i].rows * t[i].cols * t[i].count;
    add_part(out, whole, bytes, weights, NULL);
    if (k->experts > 0)
        add_part(out, experts, load->layer[kind][ROLE_EXPERT] / k->experts, routed / k->experts, k);
    out->all += whole * bytes + (k->experts > 0 ? experts * load->layer[kind][ROLE_EXPERT] : 0);
}

void host_load_sum(const struct request *q, const struct load *load, struct host_load *out)
{
    const struct model *m = q->model;
    int held = 0; /* layers whose experts or KV alone are there */

    memset(out, 0, sizeof(*out));
    out->any = load_host_layers(q) > 0 || q->host_layers > m->layer_count || load->host_bytes > 0 ||
               q->kv_on_host;
    if (!out->any)
        return;
    out->kv = q->kv_on_host;
    out->head = q->host_layers > m->layer_count;
    for (int i = 0; i < m->layer_count; i++) {
        int k = m->layer[i];
        bool whole = i < q->host_layers, experts = i < q->host_experts && m->kind[k].experts > 0;

        out->whole[k] += whole;
        out->experts[k] += whole || experts;
        out->layers += whole;
        held += !whole && (experts || q->kv_on_host);
    }
    out->crossings = 2.0 * held + (out->layers > 0 && !out->head);
    for (int k = 0; k < m->kind_count; k++) {
        double layers = model_kind_layers(m, k);

        if (load->host_bytes > 0) /* a share of all of them */
            add_layers(out, q, load, k, layers, layers);
        else
            add_layers(out, q, load, k, out->whole[k], out->experts[k]);
    }
    if (out->head) {
        const struct format *f = q->precision.by_role[ROLE_HEAD];
        double weights = (double)m->vocab * m->hidden;

        add_part(out, 1, weights * (f->output_bits > 0 ? f->output_bits : f->bits) / 8, weights,
                 NULL);
    }
}

/* What nobody told of a host: two channels of a desktop of the card's year, eight of a server's
 * socket where the card has HBM; a GPU that shares its memory leaves the processors a share. */
static const struct host_guess {
    const char *what;
    double rate, low, high; /* GB/s */
    double cores;
} host_guesses[] = {
    {"two channels of DDR4-3200", 51.2, 38.4, 102.4, 8},
    {"two channels of DDR5-5600", 89.6, 44.8, 102.4, 8},
    {"eight channels of DDR5-4800", 307.2, 187, 614, 32},
};
#define HOST_DDR5_YEAR 2022 /* cards from then on */
#define HOST_UNIFIED 0.6    /* of a shared memory's bandwidth, 0.4 to 0.9 */

void host_guess(const struct gpu *gpu, struct host *h)
{
    bool hbm = strstr(gpu->memory_type, "HBM"), shared = gpu_shares_memory(gpu);
    const struct host_guess *g = &host_guesses[hbm ? 2 : gpu->release_year >= HOST_DDR5_YEAR];
    double rate = gpu->bandwidth.value;

    h->cores = h->told_cores ? h->cores : g->cores;
    if (h->told)
        return;
    h->unified = false;
    h->bandwidth = quantity_band(g->rate * 1e9, g->low * 1e9, g->high * 1e9, ORIGIN_ASSUMED);
    if (shared && gpu->bandwidth.known) {
        h->unified = true;
        h->bandwidth = quantity_band(rate * HOST_UNIFIED, rate * 0.4, rate * 0.9, ORIGIN_ASSUMED);
    }
}

bool host_known(const struct request *q)
{
    bool computes = q->engine->speed.host_tokens > 0 || q->host_layers > 0 || q->host_experts > 0;

    return !computes || (q->host.bandwidth.known && q->host.family && q->host.family->unpack > 0);
}

bool host_computes(const struct request *q, double tokens)
{
    return tokens < q->engine->speed.host_tokens;
}

double host_link_rate(const struct request *q)
{
    const struct gpu *gpu = q->gpu;
    double rate = roofline_pcie(gpu->pcie_gen, gpu->pcie_lanes);
    double copy = q->engine->speed.host_copy > 0 ? q->engine->speed.host_copy : 1;

    if (q->host.unified) /* nothing is copied */
        return gpu->bandwidth.value;
    return copy * (rate > 0 ? rate : roofline_pcie(PCIE_ASSUMED_GEN, PCIE_ASSUMED_LANES));
}

double host_kv_rate(const struct request *q)
{
    return q->host.family->kv_memory * q->host.bandwidth.value;
}

double host_time(const struct host_load *l, const struct request *q, double tokens, double share)
{
    bool computes = host_computes(q, tokens), is_alike;
    double read = 0, t = 0;

    for (int i = 0; i < l->parts; i++) {
        const struct host_part *p = &l->part[i];
        double reached = p->experts > 0 ? moe_reached(p->experts, p->active, tokens) : 1;
        double weights = tokens * p->weights * (p->experts > 0 ? p->active : 1);
        double bytes = reached * p->bytes;

        read += p->layers * bytes;
        if (!computes)
            continue;
        bool packed = p->bytes < 1.9 * p->weights;
        struct product_share em =
            family_product(q->host.family, packed ? KERNEL_GGUF : KERNEL_GGUF16, &is_alike);
        t += p->layers * hypot(bytes / (em.memory * q->host.bandwidth.value),
                               weights / (q->host.cores * q->host.family->unpack));
    }
    return share * (computes ? t : read / host_link_rate(q));
}

double host_fixed(const struct host_load *l, const struct request *q)
{
    const struct engine_speed *e = &q->engine->speed;

    if (e->host_tokens <= 0)
        return 0;
    return e->layer * q->host.family->layer * l->layers + e->host_hop * l->crossings;
}

void host_doubt(const struct request *q, double *low, double *high)
{
    const struct quantity *rate = &q->host.bandwidth;
    bool known = rate->known && rate->low > 0 && q->engine->speed.host_tokens > 0;
    double above = known ? log(rate->value / rate->low) : 0;
    double below = known ? log(rate->high / rate->value) : 0;

    *low = exp(hypot(log(HOST_LAW), below));
    *high = exp(hypot(log(HOST_LAW), above));
}
