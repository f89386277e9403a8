/*
 * train.c - the parts of one stage: states, buffers, peak, context (see train.h).
 *
 * A rank holds `local` parameters: the sum over its stage's tensors times its TP share
 * (layout.h). A recipe turns them into bytes and ZeRO divides those by N:
 *
 *   weights = local * 2 [/N at 3]           gradients = trained * 4 (ZeRO: 2) [/N at 2]
 *   master  = trained * 4 [/N at 1]         moments   = trained * 8 [/N at 1]
 *
 * Example: Llama-3.1-70B, full, ZeRO-3 on 16 GPUs: 70.55e9 * 16 / 16 = 65.7 GiB each.
 */
#include "plan/train/train.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "plan/terms_list.h"

/* NF4: 4 bits and an FP32 scale per 64, or an 8-bit scale and an FP32 one per 256 of
 * them (double quantisation). */
#define NF4_BITS 4.5
#define NF4_DOUBLE_BITS 4.126953125

/* Usual buckets of DeepSpeed, in elements: reduce and all-gather (5e8 each), parameters
 * alive at once under stage 3 (1e9). */
#define ZERO_BUCKET 5e8
#define ZERO_LIVE 1e9
#define DDP_BUCKET (25 * GP_MIB)

/* Seen of PyTorch 2.1 on an A100: 0.47 to 0.92 GiB of context and kernels; NCCL of
 * torch.distributed in training: 1 to 2 GiB. */
#define CONTEXT_LOW (0.47 * GP_GIB)
#define CONTEXT_HIGH (0.92 * GP_GIB)
#define NCCL_LOW (1.0 * GP_GIB)
#define NCCL_HIGH (2.0 * GP_GIB)

/* Share of what comes and goes in a step that the caching allocator cannot use. */
#define FRAGMENT 0.05
#define FRAGMENT_HIGH 0.10

/* Share of the same that it keeps in free blocks: none where all sequences have one
 * length, up to a quarter where blocks of other lengths stay behind. No shown run prints
 * both figures: assumed. */
#define RESERVE_HIGH 0.25

static const struct recipe recipes[OPTIMIZER_COUNT] = {
    [OPTIMIZER_ADAMW] = {"adamw", 2, 4, 4, 8, 2},
    [OPTIMIZER_ADAMW_BF16] = {"adamw-bf16", 2, 2, 0, 4, 2},
    [OPTIMIZER_ADAMW_8BIT] = {"adamw-8bit", 2, 4, 4, 2, 2},
    [OPTIMIZER_SGD] = {"sgd", 2, 4, 4, 4, 2},
};

const struct recipe *train_recipe(enum train_optimizer optimizer)
{
    return &recipes[(unsigned)optimizer < OPTIMIZER_COUNT ? optimizer : OPTIMIZER_ADAMW];
}

struct train train_defaults(enum train_method method)
{
    return (struct train){.method = method,
                          .recompute = RECOMPUTE_AUTO,
                          .lora_rank = 16,
                          .zero_stage = TRAIN_ZERO_CHOOSE,
                          .sequence = 2048,
                          .micro_batch = 1};
}

/* ---- words ---- */

static const char *const method_words[TRAIN_COUNT] = {"none", "full", "lora", "qlora"};
static const char *const recompute_words[RECOMPUTE_COUNT] = {"none", "selective", "ops", "full",
                                                             "auto"};

static const char *const offload_words[OFFLOAD_COUNT] = {"none", "optimizer", "parameters"};
static const char *const loss_words[LOSS_COUNT] = {"eager", "chunked", "fused"};

static int word_index(const char *const *words, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (gp_casecmp(words[i], word) == 0)
            return i;
    return -1;
}

const char *train_method_word(enum train_method method)
{
    return (unsigned)method < TRAIN_COUNT ? method_words[method] : "?";
}

const char *train_recompute_word(enum recompute recompute)
{
    return (unsigned)recompute < RECOMPUTE_COUNT ? recompute_words[recompute] : "?";
}

const char *train_loss_word(enum train_loss loss)
{
    return (unsigned)loss < LOSS_COUNT ? loss_words[loss] : "?";
}

const char *train_offload_word(enum train_offload offload)
{
    return (unsigned)offload < OFFLOAD_COUNT ? offload_words[offload] : "?";
}

const char *train_base_word(const struct train *t)
{
    if (t->format)
        return t->format->id;
    if (t->method != TRAIN_QLORA)
        return "16-bit";
    return t->single_quant ? "nf4" : "nf4-dq";
}

const char *train_optimizer_word(enum train_optimizer optimizer)
{
    return (unsigned)optimizer < OPTIMIZER_COUNT ? recipes[optimizer].word : "?";
}

int train_recompute_parse(const char *word)
{
    return word_index(recompute_words, RECOMPUTE_COUNT, word);
}

int train_loss_parse(const char *word)
{
    return word_index(loss_words, LOSS_COUNT, word);
}

int train_optimizer_parse(const char *word)
{
    for (int i = 0; i < OPTIMIZER_COUNT; i++)
        if (gp_casecmp(recipes[i].word, word) == 0)
            return i;
    return -1;
}

const char *train_limit_word(enum train_limit limit)
{
    static const char *const words[TRAIN_LIMIT_COUNT] = {
        "none", "layout", "weights", "optimizer-states", "activations", "logits", "used",
    };

    return (unsigned)limit < TRAIN_LIMIT_COUNT ? words[limit] : "?";
}

/* ---- what this rank holds ---- */

struct share {       /* of one rank, in parameters unless said */
    double all;      /* every tensor */
    double linear;   /* matrices that NF4 covers */
    double adapters; /* LoRA parameters */
    double base;     /* bytes of those matrices in train.format */
    double embed;    /* token embedding */
    double head;     /* output matrix, also where it is the embedding's */
    double layer;    /* the largest layer */
    double root;     /* outside the layers: gathered as one by FSDP */
    double matrix;   /* the largest matrix */
    double tensor;   /* the largest tensor, all experts of a layer as one */
};

static bool is_linear(enum tensor_role role)
{
    return role == ROLE_ATTN_Q || role == ROLE_ATTN_KV || role == ROLE_ATTN_OUT ||
           role == ROLE_ATTN_LATENT || role == ROLE_INDEXER || role == ROLE_RECURRENT ||
           role == ROLE_MLP || role == ROLE_EXPERT || role == ROLE_SHARED;
}

static struct share share_of(const struct train *t, const struct layout *l,
                             const struct layer_kind *kind, const struct tensor *tensors, int count)
{
    struct share s = {0};

    for (int i = 0; i < count; i++) {
        const struct tensor *x = &tensors[i];
        double cut = layout_share(kind, x->role, l);
        double elements = x->rows * x->cols * x->count * cut;
        bool linear = is_linear(x->role) && x->rows > 1;

        s.all += elements;
        s.tensor = fmax(s.tensor, elements / (x->role == ROLE_EXPERT ? 1 : x->count));
        if (linear) {
            s.linear += elements;
            if (t->format)
                s.base += format_bytes(t->format, x->rows, x->cols) * x->count * cut;
            s.matrix = fmax(s.matrix, x->rows * x->cols * cut);
        }
        bool attention = x->role == ROLE_ATTN_Q || x->role == ROLE_ATTN_KV ||
                         x->role == ROLE_ATTN_OUT || x->role == ROLE_ATTN_LATENT ||
                         x->role == ROLE_RECURRENT;
        bool named = t->targets == LORA_LINEAR || x->role == ROLE_ATTN_Q ||
                     (t->targets == LORA_ATTENTION && attention) ||
                     strcmp(x->name, "v_proj") == 0 || strcmp(x->name, "kv_b_proj") == 0;
        if (t->method != TRAIN_FULL && linear && named)
            s.adapters += t->lora_rank * (x->rows + x->cols) * x->count * cut;
    }
    return s;
}

static void add_share(struct share *to, const struct share *from, double times)
{
    to->all += times * from->all;
    to->linear += times * from->linear;
    to->base += times * from->base;
    to->adapters += times * from->adapters;
    to->matrix = fmax(to->matrix, from->matrix);
    to->tensor = fmax(to->tensor, from->tensor);
}

static void add_globals(const struct request *q, const struct train *t, const struct layout *l,
                        int stage, struct share *s)
{
    struct tensor all[MODEL_MAX_TENSORS];
    int count = model_global_tensors(q->model, all);
    bool first = stage == 0, last = stage == l->pp - 1;

    for (int i = 0; i < count; i++) {
        bool here = first;

        if (all[i].role == ROLE_HEAD || all[i].role == ROLE_NORM)
            here = last;
        else if (all[i].role == ROLE_EMBED)
            here = first || (last && q->model->tied);
        struct share one = share_of(t, l, NULL, &all[i], 1);
        bool words = strcmp(all[i].name, "embed_tokens") == 0;
        if (first && words)
            s->embed = one.all;
        if (last && (all[i].role == ROLE_HEAD || (words && q->model->tied)))
            s->head = one.all;
        if (here) {
            add_share(s, &one, 1);
            s->root += one.all;
        }
    }
}

static struct share rank_share(const struct request *q, const struct train *t,
                               const struct layout *l, int stage)
{
    struct share s = {0};
    double layers[MODEL_MAX_KINDS] = {0};
    int end = layout_stage_first(q->model, l->pp, stage + 1);

    for (int i = layout_stage_first(q->model, l->pp, stage); i < end; i++)
        layers[q->model->layer[i]]++;
    for (int k = 0; k < q->model->kind_count; k++) {
        struct tensor tensors[MODEL_MAX_TENSORS];

        if (layers[k] == 0)
            continue;
        struct share one =
            share_of(t, l, &q->model->kind[k], tensors, model_layer_tensors(q->model, k, tensors));
        add_share(&s, &one, layers[k]);
        s.layer = fmax(s.layer, one.all);
    }
    add_globals(q, t, l, stage, &s);
    return s;
}

struct layout train_layout(const struct train *t)
{
    int replica = t->tp * t->pp;

    return (struct layout){.tp = t->tp,
                           .pp = t->pp,
                           .ep = 1,
                           .replicas = t->gpus / replica,
                           .gpus = t->gpus,
                           .hosts = 1};
}

static double module_params(const struct train *t, const struct share *s)
{
    return (t->modules & MODULES_EMBED ? s->embed : 0) + (t->modules & MODULES_HEAD ? s->head : 0);
}

double train_adapters(const struct request *q, const struct train *train)
{
    struct train t = *train;

    t.tp = t.pp = t.cp = t.gpus = 1;
    struct layout one = train_layout(&t);
    struct share s = rank_share(q, &t, &one, 0);
    return s.adapters > 0 ? s.adapters + module_params(&t, &s) : 0;
}

/* ---- states ---- */

struct base_rule train_base_rule(const struct train *t)
{
    static const struct base_rule rules[BASE_COUNT] = {
        [BASE_16_BIT] = {false, false, false, false}, [BASE_NF4] = {true, true, false, true},
        [BASE_INT8] = {true, true, false, true},      [BASE_AWQ] = {true, true, false, true},
        [BASE_GPTQ] = {true, false, true, false},
    };
    enum train_base base = t->method == TRAIN_QLORA  ? BASE_NF4
                           : t->method == TRAIN_LORA ? t->base
                                                     : BASE_16_BIT;

    return rules[base];
}

/* Quantised linears and a 16-bit rest; HF's preparation for k-bit training turns the
 * rest into FP32, which is the high end. */
static struct quantity base_weights(const struct train *t, const struct share *s)
{
    struct base_rule rule = train_base_rule(t);
    double bits = t->single_quant ? NF4_BITS : NF4_DOUBLE_BITS;
    double linear = t->format ? s->base : s->linear * bits / 8;
    double rest = s->all - s->linear, wide = rule.rest_fp32 ? 4 : 2;

    if (!rule.quantised)
        return quantity_exact(s->all * 2);
    return quantity_band(linear + rest * 2, linear + rest * 2, linear + rest * wide, ORIGIN_MODEL);
}

/* Copies of whole modules are of the base's type: 16-bit, also gradients and moments
 * (low); FP32 like the adapters where the base was prepared for k-bit training. */
static struct quantity module_bytes(const struct train *t, double params, double low, double high)
{
    bool fp32 = train_base_rule(t).rest_fp32;

    low = fmin(low, high);
    return quantity_band(params * (fp32 ? high : low), params * low, params * high, ORIGIN_MODEL);
}

static void add_modules(const struct train *t, const struct share *s, double adapter,
                        struct train_memory *m)
{
    const struct recipe *r = train_recipe(t->optimizer);
    double n = m->shards, params = module_params(t, s);
    double at1 = t->zero_stage >= 1 ? n : 1, at2 = t->zero_stage >= 2 ? n : 1;
    double at3 = t->zero_stage >= 3 ? n : 1;
    double moments = t->optimizer == OPTIMIZER_SGD ? 2 : 4; /* of 16 bit */

    m->modules = quantity_exact(0);
    if (t->method == TRAIN_FULL || params <= 0)
        return;
    m->modules = module_bytes(t, params / at3, 2, adapter);
    m->gradients = quantity_add(m->gradients, module_bytes(t, params / at2, 2, r->gradient));
    m->optimizer = quantity_add(m->optimizer, module_bytes(t, params / at1, moments, r->state));
}

/* Gradients and temporaries of what is updated at once: a tensor, or under FSDP this
 * rank's part of a unit. Another may wait (high). */
static void step_at_once(const struct train *t, const struct share *s, struct train_memory *m)
{
    const struct recipe *r = train_recipe(t->optimizer);
    double n = m->shards, width = r->master > 0 ? 4 : 2;
    double gradient = n > 1 ? r->shard_gradient : r->gradient;
    double unit = n > 1 ? fmax(s->layer, s->root) / n : s->tensor;

    m->gradients =
        quantity_band(unit * gradient, unit * gradient, 2 * unit * r->gradient, ORIGIN_MODEL);
    m->step = quantity_band(unit * width, 0, unit * width, ORIGIN_MODEL);
}

/* Gradients arrive in host memory as wide as the master. */
static void move_to_host(const struct train *t, double trained, struct train_memory *m)
{
    const struct recipe *r = train_recipe(t->optimizer);
    double gradients = trained * fmax(r->gradient, r->master) / m->shards;
    struct quantity none = quantity_exact(0);

    m->host =
        quantity_add(quantity_add(m->master, m->optimizer), quantity_of(gradients, ORIGIN_MODEL));
    m->master = m->optimizer = m->step = none;
    if (t->zero_stage >= 2)
        m->gradients = none;
    if (t->offload < OFFLOAD_PARAMETERS)
        return;
    m->host =
        quantity_add(m->host, quantity_add(m->weights, quantity_add(m->adapters, m->modules)));
    m->weights = m->adapters = m->modules = none;
}

static void sum_states(struct train_memory *m)
{
    m->states = quantity_add(quantity_add(m->weights, quantity_add(m->adapters, m->modules)),
                             quantity_add(m->gradients, quantity_add(m->master, m->optimizer)));
}

static void fill_states(const struct train *t, const struct share *s, struct train_memory *m)
{
    const struct recipe *r = train_recipe(t->optimizer);
    bool full = t->method == TRAIN_FULL;
    double n = m->shards, trained = full ? s->all : s->adapters;
    double at1 = t->zero_stage >= 1 ? n : 1, at2 = t->zero_stage >= 2 ? n : 1;
    double at3 = t->zero_stage >= 3 ? n : 1, uneven = fmin(1, 1.25 * s->layer / s->all);
    struct quantity *const parts[] = {&m->weights, &m->adapters,  &m->gradients,
                                      &m->master,  &m->optimizer, &m->activations};

    m->weights = quantity_scale(base_weights(t, s), 1 / at3);
    /* adapters are FP32 themselves where the recipe keeps an FP32 master */
    double adapter = r->master > 0 ? r->master : r->weight;
    m->adapters = quantity_exact(full ? 0 : trained * adapter / at3);
    m->master = quantity_exact(full ? trained * r->master / at1 : 0);
    m->optimizer = quantity_exact(trained * r->state / at1);
    m->gradients = quantity_exact(trained * r->gradient / at2);
    bool zero = t->zero_stage >= 1 && (n > 1 || t->offload != OFFLOAD_NONE);
    if (full && zero) /* high: frameworks with FP32 gradients */
        m->gradients =
            quantity_band(trained * r->shard_gradient / at2, trained * r->shard_gradient / at2,
                          trained * r->gradient / at2, ORIGIN_MODEL);
    /* under LoRA the unit outside the layers is frozen as a whole: none (low end) */
    if (n > 1 && t->whole_gradients) {
        double least = (full ? s->all : s->all - s->root) * 2;

        m->gradients =
            quantity_add(m->gradients, quantity_band(least, least, s->all * 2, ORIGIN_MODEL));
    }
    add_modules(t, s, adapter, m);
    /* AdamW over lists of tensors makes a copy as large as what it updates */
    double width = r->master > 0 ? 4 : 2;
    trained += full ? 0 : module_params(t, s);
    m->step = quantity_band(trained * width / at1, 0, trained * width / at1, ORIGIN_MODEL);
    m->host = quantity_exact(0);
    if (t->step_in_backward)
        step_at_once(t, s, m);
    if (t->offload != OFFLOAD_NONE)
        move_to_host(t, trained, m);
    if (t->device_map && t->gpus > 1)
        /* Accelerate fills each GPU of a device_map up to the mean and 1.25 layers */
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
            *parts[i] = quantity_band(parts[i]->value, parts[i]->low * (1 - uneven),
                                      parts[i]->high * (1 + uneven), ORIGIN_MODEL);
    sum_states(m);
}

static struct quantity buffers_of(const struct train *t, const struct share *s,
                                  const struct train_memory *m)
{
    double trained = t->method == TRAIN_FULL ? s->all : s->adapters + module_params(t, s);
    double bucket = fmin(ZERO_BUCKET, trained) * 2;
    struct quantity b = quantity_exact(0);
    bool buckets = m->shards > 1 || t->offload != OFFLOAD_NONE;

    if (buckets && t->zero_stage == 0) /* high: not views of gradients */
        b = quantity_band(m->gradients.value, fmin(DDP_BUCKET, m->gradients.value),
                          m->gradients.value, ORIGIN_MODEL);
    else if (buckets && t->zero_stage < 3)
        b = quantity_band(2 * bucket, fmin(2 * DDP_BUCKET, 2 * bucket), 3 * bucket, ORIGIN_MODEL);
    else if (buckets) {
        /* stage 3 gathers layers as it goes: FSDP two of them and the part outside the layers,
         * DeepSpeed up to a number of parameters */
        double width = base_weights(t, s).value / s->all;
        double fsdp =
            (2 * s->layer + s->root) * width + (t->method == TRAIN_FULL ? s->layer * 2 : 0);
        double zero = fmin(ZERO_LIVE, s->all) * width + fmin(ZERO_BUCKET, trained) * 2;

        b = quantity_band((fsdp + zero) / 2, fmin(fsdp, zero), fmax(fsdp, zero), ORIGIN_MODEL);
    }
    if (train_base_rule(t).quantised) /* one matrix is turned back into 16 bit */
        b = quantity_add(b,
                         quantity_band(s->matrix * 2, s->matrix * 2, s->matrix * 4, ORIGIN_MODEL));
    return b;
}

/* ---- one stage ---- */

static struct quantity train_larger(struct quantity a, struct quantity b)
{
    return quantity_band(fmax(a.value, b.value), fmax(a.low, b.low), fmax(a.high, b.high),
                         ORIGIN_MODEL);
}

/* The gradients of a step of one micro-batch come as its activations go: they count where they and
 * the optimizer's temporaries are more than the start of the backward pass. High: a step of
 * several, that are added up. */
static void free_gradients(const struct train *t, struct quantity back, struct train_memory *m)
{
    const struct quantity g = m->gradients;
    bool starts = back.value >= g.value + m->step.value, ever = back.low >= g.low + m->step.low;

    if (t->method != TRAIN_FULL || !t->trainer || !t->trainer->single || m->shards > 1 ||
        t->offload != OFFLOAD_NONE || t->step_in_backward)
        return;
    m->gradients = quantity_band(starts ? 0 : g.value, ever ? 0 : g.low, g.high, ORIGIN_MODEL);
    m->peak = quantity_band(starts ? back.value : fmax(m->step.value, back.value - g.value),
                            ever ? back.low : fmax(m->step.low, back.low - g.low), m->peak.high,
                            ORIGIN_MODEL);
    sum_states(m);
}

void train_stage(const struct request *q, int stage, struct train_memory *m)
{
    const struct train *t = &m->train;
    struct layout l = train_layout(t);
    struct share s = rank_share(q, t, &l, stage);
    struct train_saved saved = train_saved(q, t, stage);

    m->stage = stage;
    m->local = s.all;
    m->activations = saved.layers;
    m->logits = saved.logits;
    m->live = saved.live;
    /* A base whose kernel is plain PyTorch keeps each dequantised matrix (high end): of the
     * layers that are kept, or of the one that is computed again. */
    bool again = t->recompute == RECOMPUTE_FULL || t->recompute == RECOMPUTE_OPS;
    double kept = again ? s.layer : s.linear;
    struct quantity *part = again ? &m->live : &m->activations;

    if (train_base_rule(t).keeps_matrices)
        *part = quantity_add(*part, quantity_band(0, 0, 2 * kept, ORIGIN_MODEL));
    fill_states(t, &s, m);
    m->exchange = saved.exchange;
    m->buffers = quantity_add(buffers_of(t, &s, m), m->exchange);
    struct quantity c =
        quantity_band((CONTEXT_LOW + CONTEXT_HIGH) / 2, CONTEXT_LOW, CONTEXT_HIGH, ORIGIN_MODEL);

    if (t->gpus > 1 && !t->device_map)
        c = quantity_add(
            c, quantity_band((NCCL_LOW + NCCL_HIGH) / 2, NCCL_LOW, NCCL_HIGH, ORIGIN_MODEL));
    m->context = c;
    /* From one rank to all of a host; DeepSpeed plans for half as much again. */
    int gpus = m->train.gpus;
    int ranks = q->host_gpus > 0 && q->host_gpus < gpus ? q->host_gpus : gpus;
    double bytes = m->host.value * ranks;

    if (m->train.offload != OFFLOAD_NONE)
        m->host =
            quantity_band(bytes, m->host.low * ranks, m->host.high * ranks * 1.5, ORIGIN_MODEL);
    struct quantity back = quantity_add(m->activations, train_larger(m->logits, m->live));

    m->moment = m->step.value > back.value ? MOMENT_STEP : MOMENT_BACKWARD;
    m->peak = train_larger(back, m->step);
    free_gradients(t, back, m);
    struct quantity moving = quantity_add(m->peak, m->buffers);
    m->fragmentation =
        quantity_band(moving.value * FRAGMENT, 0, moving.high * FRAGMENT_HIGH, ORIGIN_MODEL);
    m->total =
        quantity_add(quantity_add(m->states, m->peak), quantity_add(m->buffers, m->fragmentation));
    m->total = quantity_add(m->total, m->context);
    /* blocks are cached up to what the GPU has, then given back */
    m->allocated = quantity_add(m->states, moving);
    double room = fmax(0, m->usable.value - q->used - m->context.value - m->allocated.value);
    double most = moving.high * (t->trainer ? t->trainer->reserve : RESERVE_HIGH);

    m->reserve = quantity_band(fmin(m->fragmentation.value, room), 0,
                               fmin(fmax(most, m->fragmentation.high), room), ORIGIN_ASSUMED);
    m->reserved = quantity_add(m->allocated, m->reserve);
    double all = m->usable.value - q->used - m->context.value;
    m->reserved.high = fmin(m->reserved.high, fmax(m->allocated.high, all));
    m->free = quantity_sub(m->usable, quantity_add(m->total, quantity_exact(q->used)));
}

/* ---- terms ---- */

struct row {
    const char *name, *symbol, *equation, *source;
    size_t offset;      /* of the quantity in struct train_memory */
    const char *inputs; /* names, see terms_list.h */
};

#define PART(field) offsetof(struct train_memory, field)

static const char megatron[] = "NVIDIA/Megatron-LM theoretical_memory_usage.py";

static const char zero[] = "ZeRO stages: EleutherAI/cookbook; step in the backward pass: "
                           "pytorch/torchtune training/memory.py";
static const char offloaded[] =
    "microsoft/DeepSpeed stage_1_and_2.py, stage3.py estimate_zero2 and "
    "zero3_model_states_mem_needs (16 and 18 B per parameter, buffer factor 1.5)";

static const char activations[] =
    "sequence, micro-batch, layers, h, vocab, recompute, attention, base, loss, TP, PP, "
    "CP, sequence parallel, in series";
static const char states[] = "method, base, optimizer, weights, gradients, master, moments, "
                             "parameters, of this rank, rank r, adapters on, N, ZeRO";

static const char updated[] = "method, optimizer, gradients, parameters, of this rank, N, "
                              "ZeRO, offload, step in backward";

static const struct row rows[] = {
    {"weights", "W",
     "parameters of this rank * 2 (qlora: linears * bits/8, the rest * 2; of another base: "
     "bytes of its format) [/N at ZeRO-3]; in series: within 1.25 layers",
     "the model's tensors; bitsandbytes NF4; Accelerate 1.15 utils/modeling.py "
     "get_balanced_memory",
     PART(weights), states},
    {"adapters", "A", "sum over adapted matrices of r * (in + out) * bytes [/N at ZeRO-3]",
     "LoRA, Hu et al. 2021; PEFT keeps adapters in FP32", PART(adapters), states},
    {"trained copies", "copies",
     "words * h * (2 of a 16-bit base, adapters' bytes where it is prepared for k-bit "
     "training); their gradients and moments likewise [/N as the adapters']",
     "huggingface/peft 0.21 utils/other.py ModulesToSaveWrapper (deepcopy), "
     "prepare_model_for_kbit_training",
     PART(modules), "modules to save, h, vocab, base, N, ZeRO"},
    {"gradients", "G",
     "trained * bytes [/N from ZeRO-2]; step in the backward pass: of the largest tensor, "
     "or unit / N; none where offloaded from ZeRO-2, and none at the start of the backward pass of "
     "a trainer whose steps have one micro-batch",
     zero, PART(gradients), updated},
    {"master", "M", "trained * FP32 copy [/N from ZeRO-1]", megatron, PART(master), states},
    {"optimizer", "O", "trained * moments [/N from ZeRO-1]", megatron, PART(optimizer), states},
    {"activations", "activations",
     "sequence / CP * micro-batch * micro-batches in flight (in series: 1) * bytes kept "
     "per token and layer (sequence parallel: all / TP; full recompute: 2*h; eager "
     "attention: 5 * heads * sequence of scores; GPTQ: up to 2 * linears of dequantized matrices)",
     "counted as autograd keeps them; Korthikanti et al. 2022; copies fitted on "
     "Lightning-AI/litgpt resource tables; AutoAWQ gemm.py and bitsandbytes "
     "_functions.py keep inputs, GPTQModel tritonv2.py nothing, torch.py the matrix",
     PART(activations), activations},
    {"logits", "logits",
     "sequence * micro-batch * vocab * 14 (eager: 16-bit logits 2, FP32 copy 4, "
     "log-softmax 4, gradient 4); * 8 (chunked, all of 16 bit); fused: one chunk * 6, and h * 2",
     "huggingface/transformers loss_utils.py ForCausalLMLoss; Lightning-AI/litgpt "
     "utils.py chunked_cross_entropy; linkedin/Liger-Kernel "
     "fused_linear_cross_entropy.py",
     PART(logits), activations},
    {"recomputed layer", "layer", "sequence * micro-batch * bytes of the widest layer",
     "Korthikanti et al. 2022", PART(live), states},
    {"optimizer step", "step", "a copy of what the optimizer updates",
     "pytorch/pytorch torch.optim documentation, foreach", PART(step), states},
    {"peak", "peak", "max(activations + max(logits, layer), step)",
     "the two peaks are at different times", PART(peak), states},
    {"buffers", "buffers",
     "DDP: gradients again; ZeRO-1, 2: two buckets of 5e8 * 2; ZeRO-3: "
     "gathered layers; qlora: one matrix in 16 bit",
     "pytorch DistributedDataParallel (gradient_as_bucket_view); DeepSpeed defaults", PART(buffers),
     states},
    {"keys and values of other ranks", "exchange",
     "2 blocks of sequence / CP * micro-batch * 2 * KV heads * (K + V), up to the whole "
     "sequence; part of the buffers",
     "Liu et al. 2023, Ring Attention; NVIDIA/Megatron-LM context parallel (all-gather)",
     PART(exchange), "sequence, micro-batch, TP, CP"},
    {"fragmentation", "fragmentation", "0.05 * (peak + buffers), up to 0.10",
     "not measured: a planning reserve", PART(fragmentation), states},
    {"context", "context", "CUDA context 0.47..0.92 GiB; NCCL 1..2 GiB with several GPUs",
     "stas00/ml-engineering training/performance", PART(context), states},
    {"total", "total",
     "W + A + G + M + O + peak + buffers + "
     "fragmentation + context",
     "", PART(total), states},
    {"allocated", "allocated", "W + A + G + M + O + peak + buffers",
     "what torch.cuda.max_memory_allocated prints", PART(allocated), states},
    {"reserve", "reserve", "fragmentation, up to 0.25 * (peak + buffers), at most what is left",
     "not measured; pytorch CUDACachingAllocator rounds to 2 MiB and keeps free blocks",
     PART(reserve), "usable, used"},
    {"reserved", "reserved", "allocated + reserve", "what torch.cuda.max_memory_reserved prints",
     PART(reserved), "usable, used"},
    {"host memory", "host",
     "(master + moments + gradients as wide as the master, offloaded parameters: and "
     "weights) / N * ranks of a host, up to 1.5 times",
     offloaded, PART(host), "offload, optimizer, parameters, N, ZeRO, ranks of a host"},
    {"free", "free", "usable - used - total", "", PART(free), "usable, used, total"},
};

static const char *const modules[] = {"none", "embedding", "head", "embedding and head"};

static void input_setting(struct terms *w, const struct request *q, const struct train_memory *m)
{
    const struct train *t = &m->train;
    const struct recipe *r = train_recipe(t->optimizer);

    input_number(w, "sequence", t->sequence, NULL);
    input_number(w, "micro-batch", t->micro_batch, NULL);
    input_number(w, "layers", q->model->layer_count, NULL);
    input_number(w, "h", q->model->hidden, NULL);
    input_number(w, "vocab", q->model->vocab, NULL);
    input_word(w, "recompute", train_recompute_word(t->recompute));
    input_word(w, "attention", t->eager_attention ? "eager" : "flash");
    input_word(w, "base", train_base_word(t));
    input_word(w, "loss", train_loss_word(t->loss));
    input_number(w, "TP", t->tp, NULL);
    input_number(w, "PP", t->pp, NULL);
    input_word(w, "method", train_method_word(t->method));
    input_word(w, "optimizer", r->word);
    input_unit(w, "weights", r->weight, "B", NULL);
    input_unit(w, "gradients", r->gradient, "B", NULL);
    input_unit(w, "master", r->master, "B", NULL);
    input_unit(w, "moments", r->state, "B", NULL);
    input_number(w, "parameters", m->params, NULL);
    input_number(w, "of this rank", m->local, NULL);
    input_number(w, "rank r", t->method == TRAIN_FULL ? 0 : t->lora_rank, NULL);
    input_word(w, "adapters on",
               t->method == TRAIN_FULL        ? ""
               : t->targets == LORA_QV        ? "query and value"
               : t->targets == LORA_ATTENTION ? "attention"
                                              : "every linear");
    input_word(w, "trainer", t->trainer ? t->trainer->source : "");
    input_word(w, "modules to save", modules[t->modules]);
    input_number(w, "N", m->shards, NULL);
    input_number(w, "CP", t->cp > 1 ? t->cp : 0, NULL);
    input_word(w, "sequence parallel", t->sequence_parallel ? "yes" : "");
    input_word(w, "in series", t->device_map ? "yes" : "");
    input_number(w, "ZeRO", t->zero_stage, NULL);
    input_word(w, "offload", train_offload_word(t->offload));
    input_word(w, "step in backward", t->step_in_backward ? "yes" : "");
    bool part = q->host_gpus > 0 && q->host_gpus < t->gpus;
    input_number(w, "ranks of a host", part ? q->host_gpus : t->gpus, NULL);
    input_bytes(w, "usable", m->usable);
    input_bytes(w, "used", quantity_of(q->used, ORIGIN_ASSUMED));
}

int terms_of_train(const struct request *q, const struct train_memory *m, const struct plan *priced,
                   struct term out[TERMS_MAX])
{
    struct terms terms = {.term = out, .plan = priced};

    if (m->limit == TRAIN_LIMIT_LAYOUT)
        return 0;
    input_setting(&terms, q, m);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        term_add(&terms, rows[i].name, rows[i].symbol, rows[i].equation,
                 *(const struct quantity *)((const char *)m + rows[i].offset), "GiB",
                 source_counted(rows[i].source[0] ? rows[i].source : "the parts above"),
                 rows[i].inputs);
    if (priced) {
        input_number(&terms, "tp", priced->layout.tp, "GPUs of one host");
        input_number(&terms, "pp", priced->layout.pp, NULL);
        input_number(&terms, "replicas", priced->layout.replicas, NULL);
        cost_terms(&terms);
    }
    return terms.count;
}
