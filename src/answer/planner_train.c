/*
 * planner_train.c - see planner_train.h.
 */
#include "answer/planner_train.h"

#include <string.h>

#include "base/str.h"

static enum gp_status read_options(const struct options *options, struct train *t,
                                   struct gp_err *err)
{
    int optimizer;

    *t = train_defaults((enum train_method)(options_choice(options, OPT_TRAIN) + 1));
    optimizer = train_optimizer_parse(
        options_word(options, OPT_OPTIMIZER, train_optimizer_word(t->optimizer)));
    if (optimizer < 0)
        return gp_fail(err, GP_E_USAGE, "--optimizer", "adamw, adamw-bf16, adamw-8bit, sgd",
                       "unknown optimizer '%s'", options_word(options, OPT_OPTIMIZER, ""));
    t->optimizer = (enum train_optimizer)optimizer;
    t->recompute = (enum recompute)train_recompute_parse(
        options_word(options, OPT_RECOMPUTE, train_recompute_word(t->recompute)));
    if (options->value[OPT_ZERO].given)
        t->zero_stage = (int)options->value[OPT_ZERO].number;
    t->sequence = options_or(options, OPT_SEQUENCE, t->sequence);
    t->micro_batch = options_or(options, OPT_MICRO_BATCH, t->micro_batch);
    t->lora_rank = (int)options_or(options, OPT_LORA_RANK, t->lora_rank);
    t->targets = (enum lora_targets)options_choice(options, OPT_LORA_TARGETS);
    t->modules = (enum train_modules)options_choice(options, OPT_MODULES_TO_SAVE);
    t->eager_attention = options_choice(options, OPT_ATTENTION) == 1;
    t->offload = (enum train_offload)options_choice(options, OPT_OFFLOAD);
    t->step_in_backward = options_flag(options, OPT_STEP_IN_BACKWARD);
    t->fused_kernels = options_flag(options, OPT_FUSED);
    t->loss = (enum train_loss)train_loss_parse(options_word(
        options, OPT_LOSS, train_loss_word(t->fused_kernels ? LOSS_FUSED : LOSS_EAGER)));
    t->sequence_parallel = options_flag(options, OPT_SEQUENCE_PARALLEL);
    t->device_map = options_flag(options, OPT_DEVICE_MAP);
    t->cp = (int)options_or(options, OPT_CP, 0);
    t->tp = (int)options_or(options, OPT_TP, 0);
    t->pp = (int)options_or(options, OPT_PP, 0);
    return GP_OK;
}

/* What a served model has and a trained one has not. */
static enum gp_status check_serving(const struct options *options, struct gp_err *err)
{
    static const struct {
        enum option_id id;
        const char *hint;
    } serving[] = {
        {OPT_CONTEXT, "--sequence TOKENS"},
        {OPT_PROMPT, "--sequence TOKENS"},
        {OPT_OUTPUT, "--sequence TOKENS"},
        {OPT_PROMPT_STDDEV, ""},
        {OPT_OUTPUT_STDDEV, ""},
        {OPT_TRACE, ""},
        {OPT_USERS, "--micro-batch N"},
        {OPT_RATE, ""},
        {OPT_PREFIX_HIT, ""},
        {OPT_TTFT, ""},
        {OPT_TPOT, ""},
        {OPT_THROUGHPUT, ""},
        {OPT_BUDGET, ""},
        {OPT_DP, ""},
        {OPT_DISAGGREGATE, ""},
        {OPT_API_PRICE, ""},
        {OPT_POWER_CAP, ""},
        {OPT_REPLICAS, "-g GPU:COUNT: the rest of the GPUs are data parallel"},
        {OPT_KV_PRECISION, ""},
        {OPT_ENGINE, ""},
        {OPT_EP, ""},
        {OPT_MAX_PP, "--pp N"},
        {OPT_MAX_NUM_SEQS, ""},
        {OPT_MAX_BATCHED_TOKENS, ""},
        {OPT_MEMORY_UTILIZATION, ""},
        {OPT_HEADROOM, "--used BYTES"},
        {OPT_KV_OFFLOAD_GB, ""},
        {OPT_NO_KV_OFFLOAD, ""},
        {OPT_DRAFT, ""},
        {OPT_SPECULATIVE_TOKENS, ""},
        {OPT_ACCEPTANCE, ""},
        {OPT_CALIBRATION, ""},
        {OPT_LORA, "--lora-rank R"},
        {OPT_SOLVE, ""},
    };
    char where[80];

    for (size_t i = 0; i < sizeof(serving) / sizeof(serving[0]); i++)
        if (options->value[serving[i].id].given) {
            gp_format(where, sizeof(where), "--%s", option_rows[serving[i].id].name);
            return gp_fail(err, GP_E_USAGE, where, serving[i].hint,
                           "is for inference, not for --train");
        }
    return GP_OK;
}

/* Options that mean nothing in a full run. */
static enum gp_status check_options(const struct options *options, const struct train *t,
                                    struct gp_err *err)
{
    static const enum option_id of_adapters[] = {OPT_LORA_RANK, OPT_LORA_TARGETS,
                                                 OPT_MODULES_TO_SAVE};
    char where[80];

    for (size_t i = 0; i < sizeof(of_adapters) / sizeof(of_adapters[0]); i++)
        if (t->method == TRAIN_FULL && options->value[of_adapters[i]].given) {
            gp_format(where, sizeof(where), "--%s", option_rows[of_adapters[i]].name);
            return gp_fail(err, GP_E_USAGE, where, "--train full trains all of it",
                           "is for --train lora and qlora");
        }
    if (t->device_map && (t->tp > 1 || t->pp > 0))
        return gp_fail(err, GP_E_USAGE, "--device-map", "-g GPU:COUNT says over how many",
                       "is one process: it takes no --tp and no --pp");
    if (t->method != TRAIN_FULL && t->step_in_backward)
        return gp_fail(err, GP_E_USAGE, "--step-in-backward", "the gradients of adapters are small",
                       "is for --train full");
    return GP_OK;
}

static const struct {
    const char *format;
    enum train_base base;
} bases[] = {
    {"int4-gptq", BASE_GPTQ},
    {"int8-gptq", BASE_GPTQ},
    {"int4-awq", BASE_AWQ},
    {"int8-bnb", BASE_INT8},
};

/* --precision is that of the frozen base; 16 bits by default, NF4 under QLoRA. */
static enum gp_status read_base(const struct options *options, const struct request *q,
                                struct train *t, struct gp_err *err)
{
    const struct format *f = q->precision.weight;
    bool nf4 = strcmp(f->family, "nf4") == 0;

    if (options->precision_count == 0 || (t->method == TRAIN_QLORA && nf4)) {
        t->single_quant = options->precision_count > 0 && strcmp(f->id, "nf4") == 0;
        return GP_OK;
    }
    if (t->method == TRAIN_QLORA)
        return gp_fail(err, GP_E_USAGE, "--precision", "--train lora takes other formats",
                       "QLoRA's base is nf4 or nf4-dq, not %s", f->id);
    if (strcmp(f->family, "scalar") == 0 && f->bits == 16)
        return GP_OK;
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
        if (t->method == TRAIN_LORA && strcmp(bases[i].format, f->id) == 0) {
            t->base = bases[i].base;
            t->format = f;
            return GP_OK;
        }
    return gp_fail(
        err, GP_E_USAGE, "--precision",
        t->method == TRAIN_FULL ? "bf16 or fp16"
                                : "bf16, int4-gptq, int8-gptq, int4-awq, int8-bnb; nf4: --train "
                                  "qlora",
        "%s is not planned as the weights of --train %s", f->id, train_method_word(t->method));
}

static enum gp_status check_request(const struct request *q, struct gp_err *err)
{
    if (!q->gpu)
        return gp_fail(err, GP_E_USAGE, "--gpu", "such as -g h100-sxm or -g h100-sxm:8",
                       "--train needs a GPU by name");
    if (q->host_layers > 0 || q->host_experts > 0 || q->host_bytes > 0)
        return gp_fail(err, GP_E_USAGE, "--train", "", "is planned with all weights on the GPUs");
    return GP_OK;
}

/* What is offloaded must fit into a machine, which is chosen by its price alone. */
static void check_ram(struct train_answer *a)
{
    const struct rent *rent = cost_wanted(&a->priced.cost);
    struct train_memory *m = &a->memory;
    double ram = rent && rent->known ? rent->instance->ram : 0;

    if (ram <= 0 || m->host.high <= ram)
        return;
    m->host_ram = ram;
    m->warnings |= 1u << TRAIN_WARNING_HOST;
}

/* Whole machines of the run and of each fix. */
static void price_run(struct train_answer *a)
{
    const struct request *q = &a->resolved.request;
    const struct market *market = &a->resolved.market;
    struct plan *p = &a->priced;

    p->request = *q;
    p->layout = train_layout(&a->memory.train);
    p->has_memory = a->memory.limit != TRAIN_LIMIT_LAYOUT;
    if (p->has_memory) {
        train_cost(q, &a->memory.train, market, &p->layout, &p->cost);
        check_ram(a);
    }
    for (int i = 0; i < a->fix_count; i++) {
        struct layout layout;
        struct cost cost;

        train_cost(q, &a->fixes[i].train, market, &layout, &cost);
        a->fixes[i].per_hour = cost.per_hour;
    }
}

enum gp_status planner_train(struct planner *planner, const struct options *options,
                             struct train_answer *out, struct gp_err *err)
{
    struct train train;
    enum gp_status rc = read_options(options, &train, err);

    memset(out, 0, sizeof(*out));
    if (!rc)
        rc = check_serving(options, err);
    if (!rc)
        rc = check_options(options, &train, err);
    if (!rc)
        rc = planner_resolve(planner, options, NULL, NULL, NULL, &out->resolved, err);
    const struct request *q = &out->resolved.request;
    if (!rc)
        rc = check_request(q, err);
    if (!rc)
        rc = read_base(options, q, &train, err);
    if (rc)
        return rc;
    train.gpus = q->gpu_count;
    train_estimate(q, &train, &out->memory);
    out->fix_count = train_fixes(q, &out->memory, out->fixes);
    price_run(out);
    return GP_OK;
}
