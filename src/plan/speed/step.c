/*
 * step.c - see step.h.
 */
#include "plan/speed/step.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "plan/draft.h"
#include "plan/kvcache.h"
#include "plan/speed/calib.h"

/* ---- what a layer kind consists of ---- */

/* Kernels of a decode step's layer; see step.h. An indexer's are counted in SGLang 0.5.6
 * (nsa_indexer.py, forward_cuda): two quantized projections, norm and rotation of query and
 * key, Hadamard transforms, their quantization, the store, the gate of heads, scores, top-k. */
#define KERNELS_ATTENTION 6
#define KERNELS_RECURRENT 9
#define KERNELS_MLA 5
#define KERNELS_INDEXER 21
#define KERNELS_MLP 3
#define KERNELS_EXPERTS 4
#define KERNELS_SHARED 2
#define KERNELS_QUANTIZED 2
#define GRAPH_KERNEL 3.2e-6 /* s: the slowest of the engines that capture graphs */

/* The products among a layer's tensors. The router is one of the kernels that are
 * counted: its weights are few. */
#define PRODUCTS                                                                             \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT | 1u << ROLE_ATTN_LATENT | \
     1u << ROLE_INDEXER | 1u << ROLE_RECURRENT | 1u << ROLE_MLP | 1u << ROLE_SHARED |        \
     1u << ROLE_OTHER)

/* Output projections have their inputs cut, as what they read is cut already. */
static bool cuts_inputs(const struct model *m, const struct tensor *t)
{
    if (t->role == ROLE_ATTN_OUT)
        return true;
    return (t->role == ROLE_MLP || t->role == ROLE_SHARED || t->role == ROLE_RECURRENT) &&
           t->rows == m->hidden && t->cols != m->hidden;
}

static double role_bytes(const struct load *load, const struct tensor *t, int count, int kind,
                         enum tensor_role role)
{
    double elements = 0;

    for (int i = 0; i < count; i++)
        elements += t[i].role == role ? t[i].rows * t[i].cols * t[i].count : 0;
    return elements > 0 ? load->layer[kind][role] / elements : 0;
}

static void add_product(struct step_load *s, const struct load *load, int kind,
                        const struct tensor *t, const struct tensor *all, int count)
{
    const struct model *m = s->request->model;
    const struct format *const *by = s->request->precision.by_role;
    bool cut_cols = cuts_inputs(m, t);
    int i = 0;

    /* engines stack matrices that read the same values: one product of all their rows */
    for (; i < s->products; i++) {
        const struct step_product *p = &s->product[i];
        bool both = (p->role == ROLE_ATTN_Q && t->role == ROLE_ATTN_KV) ||
                    (p->role == ROLE_ATTN_KV && t->role == ROLE_ATTN_Q);

        if (p->kind == kind && !p->cut_cols && !cut_cols && p->cols == t->cols &&
            (p->role == t->role || (both && by[p->role] == by[t->role])))
            break;
    }
    if (i == STEP_PRODUCTS)
        return;
    if (i == s->products) {
        s->product[s->products++] =
            (struct step_product){.role = t->role,
                                  .kind = kind,
                                  .cols = t->cols,
                                  .cut_cols = cut_cols,
                                  .bytes = role_bytes(load, all, count, kind, t->role),
                                  .times = s->layers_of[kind]};
    }
    double rows = t->rows * t->count;

    switch (layout_share_rule(&m->kind[kind], t->role)) {
    case SHARE_KV:
        s->product[i].rows_kv += rows;
        break;
    case SHARE_ALL:
        s->product[i].rows_all += rows;
        break;
    default:
        if (s->product[i].cut_cols)
            s->product[i].rows_all += rows;
        else
            s->product[i].rows_tp += rows;
    }
}

/* Whose activations are quantized on the way, by kernels of their own. */
static bool is_quantized(const struct request *q, enum tensor_role role)
{
    enum kernel k = kernel_of(q->precision.by_role[role], q->gpu, q->engine->gguf);

    return k == KERNEL_FP8 || k == KERNEL_FP8_BLOCK || k == KERNEL_FP4 || k == KERNEL_INT8;
}

static double kernels_of(const struct request *q, const struct layer_kind *k)
{
    bool recurrent = mixer_is(k->mixer, MIXER_IS_RECURRENT);
    double n = mixer_is(k->mixer, MIXER_IS_NOTHING) ? 0
               : recurrent                          ? KERNELS_RECURRENT
                                                    : KERNELS_ATTENTION;

    n += mixer_is(k->mixer, MIXER_IS_LATENT) ? KERNELS_MLA : 0;
    n += k->index_heads > 0 && !recurrent ? KERNELS_INDEXER : 0;
    n += k->ff > 0 || k->experts > 0 ? KERNELS_MLP : 0;
    n += k->experts > 0 ? KERNELS_EXPERTS : 0;
    n += k->shared_ff > 0 ? KERNELS_SHARED : 0;
    n += (int)k->qk_norm;
    n += !mixer_is(k->mixer, MIXER_IS_NOTHING) && is_quantized(q, ROLE_ATTN_OUT) ? KERNELS_QUANTIZED
                                                                                 : 0;
    n += k->ff > 0 && is_quantized(q, ROLE_MLP) ? KERNELS_QUANTIZED : 0;
    n += k->experts > 0 && is_quantized(q, ROLE_EXPERT) ? KERNELS_QUANTIZED : 0;
    n += k->shared_ff > 0 && is_quantized(q, ROLE_SHARED) ? KERNELS_QUANTIZED : 0;
    return n;
}

static void sum_kind(struct step_load *s, const struct load *load, int kind)
{
    const struct request *q = s->request;
    const struct layer_kind *k = &q->model->kind[kind];
    struct layer_kind bare = *k;
    struct tensor t[MODEL_MAX_TENSORS];
    int count = model_layer_tensors(q->model, kind, t);
    double layers = s->layers_of[kind] = model_kind_layers(q->model, kind);

    for (int i = 0; i < count; i++)
        if ((PRODUCTS >> t[i].role & 1) && t[i].rows > 1 && t[i].cols > 1)
            add_product(s, load, kind, &t[i], t, count);
    bare.index_heads = 0;
    s->index[kind] =
        kvcache_layer_bytes(k, q->kv, q->gpu, 1) - kvcache_layer_bytes(&bare, q->kv, q->gpu, 1);
    if (mixer_is(k->mixer, MIXER_IS_POOLED) || s->index[kind] < 0)
        s->index[kind] = 0;
    s->expert_bytes[kind] = role_bytes(load, t, count, kind, ROLE_EXPERT);
    s->kernels += layers * kernels_of(q, k);
    bool has_mixer = !mixer_is(k->mixer, MIXER_IS_NOTHING);
    s->reduces += layers * (has_mixer + (k->ff > 0 || k->experts > 0));
    s->small_reduces += k->qk_norm == QK_NORM_FULL ? layers : 0;
    s->moe_layers += k->experts > 0 ? layers : 0;
    /* which kernels run, and whether another's figures stand in */
    bool gguf = q->engine->gguf, is_alike = false;
    const struct calib *calib = q->gpu->family->calib;
    if (has_mixer) {
        enum kernel kernel = kernel_of(q->precision.by_role[ROLE_ATTN_OUT], q->gpu, gguf);

        family_product(q->gpu->family, kernel, &is_alike);
        s->unmeasured |= calib && !calib_covers(calib, kernel);
    }
    s->alike |= is_alike;
    s->unmeasured |= k->experts > 0;
    if (k->experts > 0) {
        enum kernel kernel = kernel_of(q->precision.by_role[ROLE_EXPERT], q->gpu, gguf);

        family_expert(q->gpu->family, kernel, &is_alike);
        s->alike |= is_alike;
        s->weight_only_experts |= kernel == KERNEL_W4 || kernel == KERNEL_W8;
    }
    s->mixed |= mixer_is(k->mixer, MIXER_IS_LATENT) || mixer_is(k->mixer, MIXER_IS_RECURRENT);
}

/* ---- what stands in the way of an estimate ---- */

static enum speed_gap gap_of(const struct request *q)
{
    bool decodes = q->model->max_context > 0 || draft_facts[q->draft_kind].shares;

    if (q->model->weights_only || !decodes || !q->kv)
        return SPEED_NO_TOKENS;
    if ((q->host_layers > 0 || q->host_experts > 0 || q->host_bytes > 0 || q->kv_on_host) &&
        !host_known(q))
        return SPEED_ON_HOST;
    if (!q->gpu->family || q->gpu->memory_only)
        return SPEED_NO_FAMILY;
    if (q->engine->speed.kernel <= 0 && q->engine->speed.layer <= 0)
        return SPEED_NO_ENGINE;
    if (!q->gpu->bandwidth.known || kernel_rate(KERNEL_16, q->gpu) <= 0)
        return SPEED_NO_RATE;
    return SPEED_KNOWN;
}

void step_load_sum(const struct request *q, const struct load *load, struct step_load *s)
{
    memset(s, 0, sizeof(*s));
    s->request = q;
    s->gap = gap_of(q);
    for (int k = 0; s->gap == SPEED_KNOWN && k < q->model->kind_count; k++)
        sum_kind(s, load, k);
    if (s->gap == SPEED_KNOWN)
        host_load_sum(q, load, &s->host);
}

/* ---- cut for a layout ---- */

struct served_load { /* seconds per FLOP and per byte of a kernel */
    double flop, byte;
};

static struct served_load served_load_of(const struct request *q, enum kernel kernel,
                                         struct product_share share)
{
    const struct gpu *gpu = q->gpu;
    double rate = kernel_rate(kernel, gpu);

    rate = rate > 0 ? rate : kernel_rate(KERNEL_16, gpu);
    return (struct served_load){
        1 / (family_compute(kernel, gpu, share.compute) * rate),
        1 / (family_unpacked(kernel, gpu, share.memory) * gpu->bandwidth.value)};
}

static struct gemm gemm_of(const struct request *q, const struct format *format, double rows,
                           double cols, double bytes, double times)
{
    bool is_alike;
    enum kernel kernel = kernel_of(format, q->gpu, q->engine->gguf);
    struct product_share share = family_product(q->gpu->family, kernel, &is_alike);
    bool unpacks = q->engine->speed.unpacks && kernel == KERNEL_GGUF;

    if (unpacks)
        share.compute = family_product(q->gpu->family, KERNEL_GGUF16, &is_alike).compute;
    /* kernels of 4- and 8-bit weights (Marlin, llama.cpp's) give each multiprocessor a stripe
     * of the same length, whatever the shape */
    bool waves = q->gpu->family->waves && kernel <= KERNEL_INT8;
    struct served_load p = served_load_of(q, kernel, share);
    struct gemm g = {.weights = rows * cols * bytes * p.byte,
                     .traffic = 2 * (rows + cols) * p.byte,
                     .compute = 2 * rows * cols * p.flop,
                     .rows = rows,
                     .cols = cols,
                     .sms = waves ? q->gpu->sm_count : 0,
                     .unpack = unpacks ? rows * cols * (bytes + 2) * p.byte : 0,
                     .times = times};
    const struct calib *calib = q->gpu->family->calib;
    if (calib && calib->points > 0) {
        g.measured = true;
        calib_near(calib, kernel, rows, cols, bytes, g.near);
    }
    return g;
}

double step_product_time(const struct request *q, const struct format *format, double rows,
                         double cols, double bytes, double tokens)
{
    struct gemm g = gemm_of(q, format, rows, cols, bytes, 1);
    double t = gemm_time(&g, tokens, 1, q->gpu->family ? q->gpu->family->norm : 2);

    return isfinite(t) && t > 0 ? t : 0;
}

struct step_shape step_shape(const struct step_load *load, int i, const struct layout *l)
{
    const struct step_product *p = &load->product[i];
    double shares[SHARE_COUNT];

    layout_shares(&load->request->model->kind[p->kind], l, shares);
    return (struct step_shape){
        .rows = p->rows_tp / l->tp + p->rows_kv * shares[SHARE_KV] + p->rows_all,
        .cols = p->cut_cols ? p->cols / l->tp : p->cols,
        .bytes = p->bytes,
    };
}

/* Layers that differ in their attention alone have the same products. Returns which of the
 * step's it is. */
static int cut_product(struct step *s, int i, const struct layout *l)
{
    const struct request *q = s->load->request;
    const struct step_product *p = &s->load->product[i];
    struct step_shape shape = step_shape(s->load, i, l);
    struct gemm g =
        gemm_of(q, q->precision.by_role[p->role], shape.rows, shape.cols, shape.bytes, p->times);

    for (struct gemm *a = s->gemm; a < s->gemm + s->gemms; a++)
        if (a->rows == g.rows && a->cols == g.cols && a->weights == g.weights &&
            a->compute == g.compute && a->unpack == g.unpack) {
            a->times += g.times;
            return (int)(a - s->gemm);
        }
    s->gemm[s->gemms] = g;
    return s->gemms++;
}

/* The engine's kernel of experts; those of no case of its own need no padding. */
static struct speed_case engine_experts(const struct engine_speed *e, const struct family *f,
                                        enum kernel kernel, int tp)
{
    for (int i = 0; i < e->case_count; i++) {
        const struct speed_case *c = &e->at[i];

        if (c->launch <= 0 && c->kernel == (int)kernel && (c->below_tp == 0 || tp < c->below_tp) &&
            (c->family[0] == '\0' || strcmp(c->family, f->id) == 0))
            return *c;
    }
    return (struct speed_case){.experts = e->experts};
}

/* The engine's time per kernel on this family, of the family's own. */
static double engine_launch(const struct engine_speed *e, const struct family *f)
{
    double launch = f->launch;

    for (int i = 0; i < e->case_count; i++)
        if (e->at[i].launch > 0 && strcmp(e->at[i].family, f->id) == 0)
            launch *= e->at[i].launch;
    return launch;
}

static void cut_experts(struct step *s, int kind, const struct layout *l)
{
    const struct request *q = s->load->request;
    const struct layer_kind *k = &q->model->kind[kind];
    bool is_alike;
    enum kernel kernel = kernel_of(q->precision.by_role[ROLE_EXPERT], q->gpu, q->engine->gguf);
    struct speed_case own = engine_experts(&q->engine->speed, q->gpu->family, kernel, l->tp);
    struct expert_share share = family_expert(q->gpu->family, kernel, &is_alike);
    bool stands_in = is_alike && kernel == KERNEL_MXFP4;
    struct served_load p = served_load_of(q, stands_in ? KERNEL_W4 : kernel,
                                          (struct product_share){share.compute, share.memory});
    double width = k->latent > 0 ? k->latent : q->model->hidden;
    double matrices = k->gated ? 3 : 2, n = l->tp * s->ways;
    double weights = matrices * width * k->expert_ff / n;
    double ep = l->ep > 1 ? l->ep : 1;

    s->moe[s->moes++] = (struct moe){
        .experts = k->experts,
        .active = k->experts_active,
        .compute = 2 * weights * k->experts_active * p.flop,
        .expert = weights * s->load->expert_bytes[kind] * p.byte,
        .traffic = 2.0 * k->experts_active * (2 * width + matrices * k->expert_ff) / n * p.byte,
        .each = share.each / ep,
        .token = q->gpu->family->expert_token,
        .fixed = own.experts,
        .ep = ep,
        .pad = own.rows * k->experts / k->experts_active,
        .times = s->load->layers_of[kind],
    };
}

/* What of the step's parts the host has. */
static void cut_host(struct step *s, const struct layout *l, const int gemm[STEP_PRODUCTS])
{
    const struct host_load *h = &s->load->host;
    const struct request *q = s->load->request;
    double cut = l->tp * s->ways, there[STEP_PRODUCTS] = {0};
    int moes = 0, attentions = 0;

    s->host_share = 1;
    if (q->host_bytes > 0)
        s->host_share = fmin(q->host_bytes * cut * l->pp / h->all, 1) / cut;
    for (int i = 0; i < s->load->products; i++)
        there[gemm[i]] += h->whole[s->load->product[i].kind];
    for (int g = 0; g < s->gemms; g++)
        s->gemm_there[g] = fmin(there[g] / s->gemm[g].times, 1);
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];
        double layers = fmax(s->load->layers_of[k], 1);

        if (!mixer_is(kind->mixer, MIXER_IS_NOTHING))
            s->attention_there[attentions++] = h->kv ? 1 : h->whole[k] / layers;
        if (kind->experts > 0)
            s->moe_there[moes++] = h->experts[k] / layers;
    }
}

void step_cut(const struct step_load *load, const struct layout *l, struct step *s)
{
    const struct request *q = load->request;
    const struct family *f = q->gpu->family;
    int gemm[STEP_PRODUCTS]; /* of each product */

    s->load = load;
    s->gap = load->gap;
    if (s->gap != SPEED_KNOWN)
        return;
    s->gemms = s->moes = s->attentions = 0;
    s->host_fixed = 0;
    s->kept = NULL;
    s->served = NULL;
    s->draft = NULL;
    s->prompts = NULL;
    s->drafted = s->passes = 0;
    s->accepted = 1;
    s->norm = f->norm;
    s->ways = layout_group(l) / (double)(l->tp * l->pp);
    s->pp = l->pp;
    s->hidden = q->model->hidden;
    s->bandwidth = q->gpu->bandwidth.value;
    double rate = kernel_rate(KERNEL_16, q->gpu);
    double kv = q->engine->speed.kv > 0 ? q->engine->speed.kv : 1;
    s->kv = f->kv_memory * kv * s->bandwidth;
    enum kernel sums = q->engine->gguf ? KERNEL_GGUF16 : KERNEL_16;
    s->mla = family_compute(sums, q->gpu, f->mla_compute) * rate;
    double prefill = q->engine->speed.prefill_attention;
    s->prefill =
        family_compute(sums, q->gpu, f->prefill_attention) * (prefill > 0 ? prefill : 1) * rate;
    for (int i = 0; i < load->products; i++)
        gemm[i] = cut_product(s, i, l);
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];

        if (!mixer_is(kind->mixer, MIXER_IS_NOTHING))
            s->attention[s->attentions++] =
                attention_of(q, kind, load->index[k], l->tp, load->layers_of[k]);
        if (kind->experts > 0)
            cut_experts(s, k, l);
    }
    s->head = gemm_of(q, q->precision.by_role[ROLE_HEAD], q->model->vocab / (l->tp * s->ways),
                      q->model->hidden, q->precision.by_role[ROLE_HEAD]->bits / 8, 1);
    s->tp = comm_of(q->gpu, f, l->tp, q->host_gpus, q->engine->speed.allreduce);
    s->group = comm_of(q->gpu, f, (int)(l->tp * s->ways), q->host_gpus, q->engine->speed.allreduce);
    /* Stages fill one host after the other. */
    int host = q->gpu->link_domain > q->host_gpus ? q->gpu->link_domain : q->host_gpus;
    int stages = host / l->tp > 0 ? host / l->tp : 1;
    s->hops_hosts = host > 0 ? (l->pp + stages - 1) / stages - 1 : 0;
    if (!s->tp.known || !s->group.known)
        s->gap = SPEED_NO_LINK;
    const struct correction *c = &q->correction;
    const struct engine_speed *e = &q->engine->speed;
    bool corrected = request_corrected(q);
    for (int i = 0; i < CORRECT_COUNT; i++)
        s->slow[i] = corrected ? c->by[i] : 1;
    s->first = corrected ? c->first : 1;
    /* Within a captured graph kernels follow each other as fast as the GPU starts them; an
     * engine that launches more slowly than that by itself waits for nothing else. */
    double graph = engine_launch(e, f) * fmin(e->kernel, GRAPH_KERNEL);
    double kernel = e->kernel > GRAPH_KERNEL ? fmax(e->kernel, graph) : graph;
    /* without graphs as fast as kernels are launched, as in a step with prompts */
    if (q->eager)
        kernel = fmax(kernel, e->prefill_kernel);
    s->fixed = s->slow[CORRECT_FIXED] *
               (load->kernels * kernel + e->host + f->layer * e->layer * q->model->layer_count);
    if (load->host.any) {
        cut_host(s, l, gemm);
        s->host_fixed = s->slow[CORRECT_FIXED] * host_fixed(&load->host, q);
        s->fixed -= s->slow[CORRECT_FIXED] * f->layer * e->layer * load->host.layers;
    }
    s->per_request =
        s->slow[CORRECT_FIXED] * (e->request + e->sampler * q->model->vocab * 4.0 / s->bandwidth);
}

static void step_keep(struct step *s, struct step_kept *kept)
{
    for (int i = 0; i < STEP_KEPT; i++)
        kept->at[i].tokens = -1;
    s->kept = kept;
}

void step_drafts(struct step *s, int tokens)
{
    const struct request *q = s->load->request;
    bool at_once = draft_facts[q->draft_kind].at_once;

    s->drafted = tokens;
    s->accepted = tokens > 0 ? draft_length(q, tokens) : 1;
    s->passes = q->draft ? at_once ? fmin(tokens, 1) : tokens : 0;
    if (at_once && q->draft)
        s->draft->drafted = tokens;
}

/* An EAGLE-3 head has an output matrix of its own, and its layer reads two states at once. */
static void cut_head(struct step *s, const struct layout *l)
{
    const struct request *d = s->load->request;
    const struct layer_kind *k = &d->model->kind[0];
    const struct format *const *by = d->precision.by_role;
    double rows = (k->heads + 2.0 * k->kv_heads) * k->head_dim / l->tp, h = d->model->hidden;

    s->gemm[s->gemms++] = gemm_of(d, by[ROLE_ATTN_Q], rows, h, by[ROLE_ATTN_Q]->bits / 8, 1);
    s->head = gemm_of(d, by[ROLE_HEAD], draft_words(d->model) / (l->tp * s->ways), h,
                      by[ROLE_HEAD]->bits / 8, 1);
}

static void attach_draft(struct step *s, const struct layout *l, struct step_others *own)
{
    const struct request *q = s->load->request;

    if (q->accept_length <= 0 || s->gap != SPEED_KNOWN)
        return;
    if (q->draft) {
        own->request = draft_request(q);
        struct load load = load_checkpoint(&own->request);
        own->request.draft_kind = q->draft_kind; /* its model may have layers alone */
        step_load_sum(&own->request, &load, &own->load);
        step_cut(&own->load, l, &own->draft);
        s->gap = own->draft.gap;
        if (s->gap != SPEED_KNOWN)
            return;
        own->draft.fixed -= own->request.engine->speed.host; /* one host for both */
        if (draft_words(q->draft) > 0)
            cut_head(&own->draft, l);
        else if (draft_facts[q->draft_kind].shares)
            own->draft.head = s->head;
        step_keep(&own->draft, &own->kept_draft);
        s->draft = &own->draft;
    }
    step_drafts(s, q->draft_tokens);
}

void step_attach(struct step *s, const struct layout *l, struct step_others *own)
{
    step_keep(s, &own->kept);
    attach_draft(s, l, own);
    if (l->prefill_tp <= 0 || s->gap != SPEED_KNOWN)
        return;
    struct layout side = layout_prefill(l);
    step_cut(s->load, &side, &own->prompts);
    step_keep(&own->prompts, &own->kept_prompts);
    s->gap = own->prompts.gap;
    s->prompts = &own->prompts;
}

/* ---- times ---- */

/* Under attention DP a MoE layer gathers all tokens and scatters them again. */
static double step_communication(const struct step *s, double tokens)
{
    double bytes = tokens * s->hidden * 2;
    double t = s->ways > 1 ? s->load->moe_layers * comm_allreduce(&s->group, bytes)
                           : s->load->reduces * comm_allreduce(&s->tp, bytes);

    t += s->load->small_reduces * comm_allreduce(&s->tp, tokens * 8);
    t += (s->pp - 1 - s->hops_hosts) * comm_hop(&s->group, bytes) +
         s->hops_hosts * comm_hop_hosts(bytes);
    return s->slow[CORRECT_WORK] * t;
}

double step_network(const struct step *s, double tokens)
{
    const struct step_load *l = s->load;
    const struct comm *c = s->ways > 1 ? &s->group : &s->tp;
    double bytes = tokens * s->hidden * 2;
    double reduces = s->ways > 1 ? l->moe_layers : l->reduces;

    return s->slow[CORRECT_WORK] *
           (reduces * comm_apart(c, bytes) + l->small_reduces * comm_apart(&s->tp, tokens * 8) +
            s->hops_hosts * comm_hop_hosts(bytes));
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* What the host has of a step: computed there, and not on the GPU, or copied first. */
static double work_there(const struct step *s, double tokens, double compute, double *linear,
                         double *experts)
{
    const struct request *q = s->load->request;

    if (host_computes(q, tokens)) {
        for (int i = 0; i < s->gemms; i++)
            *linear -=
                s->gemm_there[i] * gemm_time(&s->gemm[i], tokens / s->ways, compute, s->norm);
        for (int i = 0; i < s->moes; i++)
            *experts -= s->moe_there[i] * moe_time(&s->moe[i], tokens, compute);
        *linear = fmax(*linear, 0); /* rounding */
        *experts = fmax(*experts, 0);
    }
    return s->slow[CORRECT_WORK] * host_time(&s->load->host, q, tokens, s->host_share);
}

/* As it is kept, by a multiplicative hash; else worked out in its place, or in `own`. */
static const struct step_work *work_of(const struct step *s, double tokens, double compute,
                                       struct step_work *own)
{
    uint64_t key = bits_of(tokens) ^ bits_of(compute) << 1;
    struct step_work *w =
        s->kept ? &s->kept->at[key * 0x9e3779b97f4a7c15 >> (64 - STEP_KEPT_BITS)] : own;
    double linear = 0, experts = 0, host = 0;

    if (s->kept && w->tokens == tokens && w->compute == compute)
        return w;
    for (int i = 0; i < s->gemms; i++)
        linear += gemm_time(&s->gemm[i], tokens / s->ways, compute, s->norm);
    for (int i = 0; i < s->moes; i++)
        experts += moe_time(&s->moe[i], tokens, compute);
    if (s->load->host.any)
        host = work_there(s, tokens, compute, &linear, &experts);
    *w = (struct step_work){tokens,
                            compute,
                            s->slow[CORRECT_WORK] * linear,
                            s->slow[CORRECT_WORK] * experts,
                            step_communication(s, tokens),
                            host};
    return w;
}

double step_work(const struct step *s, double tokens, double compute)
{
    struct step_work own;
    const struct step_work *w = work_of(s, tokens, compute, &own);

    return w->linear + w->experts + w->communication + w->host;
}

double step_chain(const struct step *s, double tokens)
{
    const struct request *q = s->load->request;
    const struct engine_speed *e = &q->engine->speed;
    double layers = 0, splits = e->mla_splits;

    for (int i = 0; i < s->attentions; i++)
        layers += s->attention[i].mla > 0 && s->attention[i].reach <= 0 ? s->attention[i].times : 0;
    if (e->mla_span > 0)
        splits = fmin(splits, exp2(ceil(log2(fmax(floor(tokens / e->mla_span), 1)))));
    return splits > 0 ? layers * q->gpu->family->mla_walk * tokens / splits : 0;
}

static double step_cache(const struct step *s, double users, double tokens)
{
    double sequences = users / s->ways, bytes = 0, flops = 0, there = 0, f;

    for (int i = 0; i < s->attentions; i++) {
        double one = attention_decode(&s->attention[i], tokens, &f);

        double states = sequences * s->drafted * s->attention[i].times * s->attention[i].state / 2;

        if (s->load->host.any) {
            there += sequences * s->attention_there[i] * one;
            one *= 1 - s->attention_there[i];
            f *= 1 - s->attention_there[i];
            states *= 1 - s->attention_there[i];
        }
        bytes += (sequences + s->attention[i].split) * one + states;
        flops += sequences * (s->drafted + 1) * f;
    }
    double memory = s->slow[CORRECT_WORK] * bytes / s->kv;
    double arithmetic = s->slow[CORRECT_WORK] * flops / s->mla;
    double host = there > 0 ? s->slow[CORRECT_WORK] * there / host_kv_rate(s->load->request) : 0;
    if (flops > 0) {
        memory = sqrt(memory * memory + arithmetic * arithmetic);
        memory = fmax(memory, s->slow[CORRECT_WORK] * step_chain(s, tokens));
    }
    return host + memory;
}

double step_batch(const struct step *s, double users)
{
    double batches = users < s->pp ? fmax(users, 1) : s->pp;

    return users / batches;
}

/* Barriers and crossings of a step that the host computes. */
static double there_fixed(const struct step *s, double tokens)
{
    return s->host_fixed > 0 && host_computes(s->load->request, tokens) ? s->host_fixed : 0;
}

void step_decode_parts(const struct step *s, double users, double tokens, struct step_parts *out)
{
    double batch = step_batch(s, users), checked = batch * (s->drafted + 1);
    const struct engine_speed *e = &s->load->request->engine->speed;
    double each = 1 / s->accepted;
    struct step_work own;
    const struct gpu_mix *mix = s->load->request->gpu->mix;
    /* batches that go around unlike GPUs wait for the slowest */
    double wait = mix ? fmax(1, mix->uneven * fmin(fmax(users, 1), s->pp) / s->pp) : 1;
    const struct step_work *w = work_of(s, checked, 1, &own);

    *out = (struct step_parts){
        .linear = each * wait * w->linear,
        .experts = each * wait * w->experts,
        .attention = each * wait * step_cache(s, batch, tokens),
        .communication = each * w->communication,
        .host = each * (w->host + there_fixed(s, checked)),
        .fixed = each * (s->fixed + s->per_request * checked),
        .head = s->load->host.head && host_computes(s->load->request, checked)
                    ? 0
                    : each * s->slow[CORRECT_WORK] * gemm_time(&s->head, checked, 1, 2),
    };
    if (s->drafted > 0 && s->load->request->accept_length > 0)
        out->draft = each * e->verify + e->verify_work * (out->linear + out->experts + out->head);
    if (s->draft)
        out->draft += each * s->passes * (step_decode(s->draft, users, tokens) + e->draft);
}

double step_decode_work(const struct step *s, double users, double tokens, double *work)
{
    struct step_parts p;

    step_decode_parts(s, users, tokens, &p);
    *work = s->accepted * (p.linear + p.experts + p.communication + p.host) -
            there_fixed(s, step_batch(s, users) * (s->drafted + 1));
    return p.linear + p.experts + p.attention + p.communication + p.host + p.fixed + p.head +
           p.draft;
}

double step_decode(const struct step *s, double users, double tokens)
{
    double work;

    return step_decode_work(s, users, tokens, &work);
}

double step_prefill_attention(const struct step *s, double q, double c)
{
    double flops = 0, scores = 0;

    for (int i = 0; i < s->attentions; i++) {
        flops += attention_prefill(&s->attention[i], q, c);
        scores += attention_scores(&s->attention[i], q, c);
    }
    return flops / s->prefill + scores * s->load->request->engine->speed.score_bytes / s->bandwidth;
}
