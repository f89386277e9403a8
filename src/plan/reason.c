/*
 * reason.c - see reason.h.
 */
#include "plan/reason.h"

#include <math.h>
#include <string.h>

#include "catalog/family.h"
#include "plan/kvcache.h"

const struct verdict_words verdict_words[] = {
    [VERDICT_FITS] = {"fits", "fits", "FITS", "FITS", "fits"},
    [VERDICT_SLOW] = {"slow", "slow", "FITS, SLOW", "FITS, TOO SLOW", "fits, but too slow"},
    [VERDICT_MARGINAL] = {"marginal", "marginal", "MARGINAL", "MARGINAL", "marginal"},
    [VERDICT_DOES_NOT_FIT] = {"does-not-fit", "no fit", "NO FIT", "DOES NOT FIT", "does not fit"},
};

const struct verdict_words slow_words[] = {
    [SLOW_BUDGET] = {"slow", "slow", "OVER BUDGET", "FITS, OVER BUDGET",
                     "fits, but over the budget"},
    [SLOW_LIKELY] = {"slow", "slow", "LIKELY SLOW", "FITS, LIKELY TOO SLOW",
                     "fits, but likely too slow"},
    [SLOW_UNSURE] = {"slow", "slow", "NOT SURE", "FITS, NOT SURELY FAST ENOUGH",
                     "fits, but is not surely fast enough"},
};

const struct limit_words limit_words[LIMIT_COUNT] = {
    [LIMIT_NONE] = {"none", "nothing", "none"},
    [LIMIT_WEIGHTS] = {"weights", "weights", "the weights do not fit"},
    [LIMIT_OVERHEAD] = {"overhead", "weights and overheads", "no room is left for KV"},
    [LIMIT_KV] = {"kv-cache", "KV pool", "the KV pool is full"},
    [LIMIT_LAYOUT] = {"layout", "layout", "the layout is not valid"},
    [LIMIT_TYPE] = {"type", "type of the weights", "the engine refuses the type"},
    [LIMIT_SEQS] = {"max-num-seqs", "slots", "max-num-seqs is reached"},
    [LIMIT_USED] = {"used", "memory in use", "others hold the memory"},
    [LIMIT_CONTEXT] = {"max-context", "the model's longest context", "the model's maximum"},
    [LIMIT_STATES] = {"state-blocks", "blocks of state", "state blocks run out"},
    [LIMIT_TTFT] = {"ttft", "TTFT goal", "the TTFT goal is missed"},
    [LIMIT_TPOT] = {"tpot", "TPOT goal", "the TPOT goal is missed"},
    [LIMIT_E2E] = {"e2e", "end-to-end goal", "the end-to-end goal is missed"},
    [LIMIT_RATE] = {"rate", "what it serves", "more requests arrive than are served"},
    [LIMIT_THROUGHPUT] = {"throughput", "throughput goal", "the throughput goal is missed"},
    [LIMIT_BUDGET] = {"budget", "budget of $/h", "the budget is exceeded"},
    [LIMIT_POWER] = {"power", "power cap", "the power cap is reached"},
};

/* ---- what a reason means ---- */

_Static_assert(REASON_COUNT < 64 && WARNING_COUNT < 32, "a set of them is a word of bits");

static const struct {
    enum verdict verdict;
    enum limit limit;
} reason_rows[REASON_COUNT] = {
    [REASON_LAYOUT] = {VERDICT_DOES_NOT_FIT, LIMIT_LAYOUT},
    [REASON_BF16] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_FP16] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_FP32] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_VENDOR] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_GPU] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_QUANTIZED] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_SPARSE] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_KV_GPU] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_FORMAT] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_METHOD] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_FAMILY] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_DROPPED] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_KV_FORMAT] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_KV_BLOCK] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_OFFLOAD] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_DRAFT] = {VERDICT_DOES_NOT_FIT, LIMIT_TYPE},
    [REASON_CONTEXT] = {VERDICT_DOES_NOT_FIT, LIMIT_CONTEXT},
    [REASON_SEQS] = {VERDICT_DOES_NOT_FIT, LIMIT_SEQS},
    [REASON_SLOTS] = {VERDICT_DOES_NOT_FIT, LIMIT_SEQS},
    [REASON_TOKENS] = {VERDICT_DOES_NOT_FIT, LIMIT_SEQS},
    [REASON_PROMPT] = {VERDICT_DOES_NOT_FIT, LIMIT_CONTEXT},
    [REASON_USED] = {VERDICT_DOES_NOT_FIT, LIMIT_USED},
    [REASON_WEIGHTS] = {VERDICT_DOES_NOT_FIT, LIMIT_WEIGHTS},
    [REASON_OVERHEAD] = {VERDICT_DOES_NOT_FIT, LIMIT_OVERHEAD},
    [REASON_KV] = {VERDICT_DOES_NOT_FIT, LIMIT_KV},
    [REASON_HELD] = {VERDICT_DOES_NOT_FIT, LIMIT_STATES},
    [REASON_STATES] = {VERDICT_DOES_NOT_FIT, LIMIT_STATES},
    [REASON_STATES_TIGHT] = {VERDICT_MARGINAL, LIMIT_STATES},
    [REASON_CROSSES] = {VERDICT_MARGINAL, LIMIT_KV},
    [REASON_PREFILL_LACKS] = {VERDICT_DOES_NOT_FIT, LIMIT_WEIGHTS},
    [REASON_PREFILL_TIGHT] = {VERDICT_MARGINAL, LIMIT_WEIGHTS},
    [REASON_SPREADS] = {VERDICT_MARGINAL, LIMIT_KV},
    [REASON_OVERRUNS] = {VERDICT_MARGINAL, LIMIT_OVERHEAD},
    [REASON_DECIDES] = {VERDICT_FITS, LIMIT_NONE},
    [REASON_REST_LACKS] = {VERDICT_DOES_NOT_FIT, LIMIT_OVERHEAD},
    [REASON_REST_TIGHT] = {VERDICT_MARGINAL, LIMIT_OVERHEAD},
    [REASON_GPU_COUNT] = {VERDICT_FITS, LIMIT_NONE},
    [REASON_MEMORY_ONLY] = {VERDICT_MARGINAL, LIMIT_NONE},
    [REASON_NEARLY] = {VERDICT_FITS, LIMIT_NONE},
    [REASON_RENTED] = {VERDICT_FITS, LIMIT_NONE},
    [REASON_TTFT] = {VERDICT_SLOW, LIMIT_TTFT},
    [REASON_TPOT] = {VERDICT_SLOW, LIMIT_TPOT},
    [REASON_TTFT_LATE] = {VERDICT_SLOW, LIMIT_TTFT},
    [REASON_TPOT_LATE] = {VERDICT_SLOW, LIMIT_TPOT},
    [REASON_E2E_LATE] = {VERDICT_SLOW, LIMIT_E2E},
    [REASON_RATE] = {VERDICT_SLOW, LIMIT_RATE},
    [REASON_THROUGHPUT] = {VERDICT_SLOW, LIMIT_THROUGHPUT},
    [REASON_NO_SPEED] = {VERDICT_MARGINAL, LIMIT_NONE},
    [REASON_BUDGET] = {VERDICT_SLOW, LIMIT_BUDGET},
    [REASON_NO_PRICE] = {VERDICT_MARGINAL, LIMIT_NONE},
    [REASON_TUNED] = {VERDICT_FITS, LIMIT_NONE},
    [REASON_TURNED] = {VERDICT_FITS, LIMIT_NONE},
    [REASON_POWER] = {VERDICT_DOES_NOT_FIT, LIMIT_POWER},
    [REASON_NO_POWER] = {VERDICT_MARGINAL, LIMIT_NONE},
};

static int first_of(uint64_t reasons)
{
    return __builtin_ctzll(reasons);
}

enum verdict reasons_verdict(uint64_t reasons)
{
    enum verdict worst = VERDICT_FITS;

    for (; reasons; reasons &= reasons - 1) {
        enum verdict verdict = reason_rows[first_of(reasons)].verdict;

        worst = verdict > worst ? verdict : worst;
    }
    return worst;
}

enum limit reasons_limit(uint64_t reasons)
{
    for (; reasons; reasons &= reasons - 1)
        if (reason_rows[first_of(reasons)].limit != LIMIT_NONE)
            return reason_rows[first_of(reasons)].limit;
    return LIMIT_NONE;
}

bool reasons_pass(uint64_t reasons)
{
    for (int r = 0; reasons >> r; r++)
        if ((reasons >> r & 1) && (reason_rows[r].verdict == VERDICT_SLOW ||
                                   reason_rows[r].verdict == VERDICT_DOES_NOT_FIT))
            return false;
    return true;
}

/* ---- of a request, whatever the layout ---- */

static bool known_vendor(const struct gpu *gpu)
{
    return engine_lists("nvidia|amd|intel|apple|google|aws|huawei|cpu", gpu->vendor);
}

/* What is assumed of it was not measured either. */
static bool by_bandwidth(const struct gpu *gpu)
{
    const struct family *f = gpu->family;

    return f && !f->calib && (strcmp(f->id, FAMILY_UNKNOWN) == 0 || gpu_rate_assumed(gpu));
}

/* Is this an NVIDIA GPU older than compute capability cc? */
static bool reason_older(const struct gpu *gpu, int cc)
{
    return gpu->compute_capability > 0 && gpu->compute_capability < cc;
}

static bool lacks_bf16(const struct request *q)
{
    return q->precision.base->math == MATH_BF16 && model_is_served(q->model) &&
           engine_excludes(q->engine, SUPPORT_DTYPE, "bf16", "", q->gpu->compute_capability);
}

static bool refuses_fp16(const struct request *q)
{
    return engine_lists(q->engine->fp16_refused, q->model->family);
}

/* FP16 as asked, or BF16 on a GPU without it. */
static uint64_t reasons_of_type(const struct request *q)
{
    if (q->precision.base->math == MATH_FP16 && refuses_fp16(q))
        return REASON_BIT(REASON_FP16);
    if (!lacks_bf16(q))
        return 0;
    /* BF16 weights are refused; other weights leave the activations to run in FP16 */
    const struct format *w = q->precision.weight;
    if (!q->engine->bf16_falls_back)
        return w->math == MATH_BF16 && w->bits >= 16 ? REASON_BIT(REASON_BF16) : 0;
    return refuses_fp16(q) ? REASON_BIT(REASON_FP32) : 0;
}

const struct support *reason_support(const struct request *q, enum reason reason)
{
    const struct format *w = q->precision.weight, *kv = q->kv;
    const struct engine *e = q->engine;
    int cc = q->gpu->compute_capability;

    switch (reason) {
    case REASON_GPU:
        return engine_excludes(e, SUPPORT_ENGINE, "", "", cc);
    case REASON_BF16:
    case REASON_FP32:
        return engine_excludes(e, SUPPORT_DTYPE, "bf16", "", cc);
    case REASON_QUANTIZED:
        return w->bits < 16 && w->block <= 0 && !w->mix
                   ? engine_excludes(e, SUPPORT_WEIGHTS, w->id, w->family, cc)
                   : NULL;
    case REASON_DROPPED:
        return engine_support(e, SUPPORT_DROPPED, q->model->family, "", 0);
    case REASON_SPARSE:
        return engine_excludes(e, SUPPORT_ATTENTION, "sparse", "", cc);
    case REASON_KV_GPU:
        return kv && kv->bits < 16 && kv->block <= 0
                   ? engine_excludes(e, SUPPORT_KV, kv->id, kv->family, cc)
                   : NULL;
    default:
        return NULL;
    }
}

static bool loads_method(const struct request *q, const struct engine *e)
{
    return !q->precision.native || !q->model->native_method[0] ||
           engine_loads_method(e, q->model->native_method, q->gpu ? q->gpu->compute_capability : 0);
}

/* Of a range the version that was asked for, else its newest. */
static bool loads_family(const struct request *q, const struct engine *e)
{
    char text[ENGINE_VERSION_TEXT];
    bool asked =
        q->engine_asked > 0 && q->engine_asked >= e->from && q->engine_asked <= e->until;

    return !q->model || q->model->weights_only ||
           engine_first_of(e, q->model->family, text) <= (asked ? q->engine_asked : e->until);
}

bool reason_loads(const struct request *q, const struct engine *e)
{
    return loads_family(q, e) &&
           (!q->precision.weight ||
            (engine_runs_format(e, q->precision.weight) && loads_method(q, e)));
}

/* An engine runs on some vendors' GPUs, and keeps its KV cache in its own formats. */
static uint64_t reasons_of_engine(const struct request *q)
{
    const struct engine *e = q->engine;
    const struct format *w = q->precision.weight;
    const struct model *m = q->model;
    uint64_t reasons = 0;
    /* layers that choose the tokens that they read by an index (DSA, CSA); a block of K or V
     * that would reach over the end of a head */
    bool sparse = model_has_mixer(m, MIXER_IS_POOLED), split = false;

    for (int k = 0; k < m->kind_count; k++) {
        const struct layer_kind *l = &m->kind[k];

        sparse |= mixer_is(l->mixer, MIXER_IS_PROJECTED) && l->index_heads > 0;
        split |= !m->weights_only && q->kv->block > 0 &&
                 (l->head_dim % q->kv->block != 0 || l->v_head_dim % q->kv->block != 0);
    }
    if (known_vendor(q->gpu) && !engine_runs_on(e, q->gpu))
        reasons |= REASON_BIT(REASON_VENDOR);
    if (reason_support(q, REASON_GPU))
        reasons |= REASON_BIT(REASON_GPU);
    if (!loads_family(q, e))
        reasons |= REASON_BIT(REASON_FAMILY);
    if (!q->model->weights_only && reason_support(q, REASON_DROPPED))
        reasons |= REASON_BIT(REASON_DROPPED);
    if (reason_support(q, REASON_QUANTIZED))
        reasons |= REASON_BIT(REASON_QUANTIZED);
    if (sparse && reason_support(q, REASON_SPARSE))
        reasons |= REASON_BIT(REASON_SPARSE);
    if (!engine_runs_format(e, w))
        reasons |= REASON_BIT(REASON_FORMAT);
    else if (!loads_method(q, e))
        reasons |= REASON_BIT(REASON_METHOD);
    if (q->model->weights_only)
        return reasons;
    if (q->kv->bits < 16 && ((q->kv->block > 0) != e->gguf ||
                             (e->kv_formats[0] && !engine_lists(e->kv_formats, q->kv->id))))
        reasons |= REASON_BIT(REASON_KV_FORMAT);
    else if (reason_support(q, REASON_KV_GPU))
        reasons |= REASON_BIT(REASON_KV_GPU);
    if (e->gguf && split)
        reasons |= REASON_BIT(REASON_KV_BLOCK);
    return reasons;
}

static bool other_words(const struct request *q)
{
    return q->draft_kind == DRAFT_MODEL && q->draft->vocab != q->model->vocab;
}

/* Would layers cache in several ways without KV in host memory? */
static bool caches_several(const struct request *q)
{
    struct request plain = *q;
    struct kv_cut cut;

    plain.host_kv = 0;
    kvcache_cut(&plain, 1, 1, q->context, 1, &cut);
    return cut.count > 1;
}

uint64_t reasons_unturned(const struct request *q)
{
    return model_is_served(q->model) ? reasons_of_type(q) | reasons_of_engine(q) : 0;
}

uint64_t reasons_of_request(const struct request *q, const struct load *load)
{
    const struct engine *e = q->engine;
    double share = load->fraction * (1 - q->headroom), usable = load->usable.value;
    uint64_t reasons = load->unturned;

    if (!model_is_served(q->model)) /* nothing to ask of the engine, tokens or users */
        return 0;
    /* vLLM up to 0.19 does not set up its batch anew for the groups when weights are in host
     * memory */
    if (q->host_bytes > 0 && !e->offload_groups && e->window_groups &&
        (q->host_kv <= 0 || e->kv_offload_groups) && caches_several(q))
        reasons |= REASON_BIT(REASON_OFFLOAD);
    if (q->engine->draft_vocab && other_words(q))
        reasons |= REASON_BIT(REASON_DRAFT);
    if (gpu_is_foreign(q->gpu) && !(reasons >> REASON_VENDOR & 1))
        reasons |= REASON_BIT(REASON_MEMORY_ONLY);
    if (q->model->max_context > 0 &&
        (q->context > q->model->max_context || (q->model->yarn.factor > 0 && !e->yarn)))
        reasons |= REASON_BIT(REASON_CONTEXT);
    /* nothing of an encoder's prompt is kept from one step to the next */
    if (model_is_encoder(q->model) && e->defaults_clip && load->max_batched_tokens < q->context)
        reasons |= REASON_BIT(REASON_PROMPT);
    /* vLLM takes its share of the whole GPU and does not start when less is free */
    if (q->used > 0 && e->budget == BUDGET_UTILIZATION && usable * share > usable - q->used)
        reasons |= REASON_BIT(REASON_USED);
    return reasons;
}

unsigned warnings_of_request(const struct request *q, const struct load *load)
{
    const struct format *w = q->precision.weight;
    const bool holds[WARNING_COUNT] = {
        [WARNING_FP16] = lacks_bf16(q) && !reasons_of_type(q),
        [WARNING_WHEELS] =
            model_is_served(q->model) &&
            engine_excludes(q->engine, SUPPORT_WHEELS, "", "", q->gpu->compute_capability),
        [WARNING_VENDOR] =
            model_is_served(q->model) && q->engine->vendors[0] && !known_vendor(q->gpu),
        [WARNING_WEIGHTS_ONLY] = !model_is_served(q->model),
        [WARNING_VISION] = w->mix && load->vision_params > 0,
        [WARNING_GGUF] = w->block > 0 && !q->engine->gguf && engine_runs_format(q->engine, w),
        [WARNING_ZEROS] = q->prune == PRUNE_UNSTRUCTURED,
        [WARNING_SPARSE] = q->prune == PRUNE_2_4 && reason_older(q->gpu, 80),
        [WARNING_ENGINE] = q->usual_engine && q->usual_engine != q->engine && !q->gpu->host,
        [WARNING_SLOTS] = q->engine->slots_least > 0 && q->max_num_seqs <= 0 &&
                          q->users > q->engine->slots_least * fmax(q->replicas, 1),
        [WARNING_HOST_BYTES] = load->host_bytes > 0,
        [WARNING_HOST_IGNORED] =
            load->host_bytes<q->host_bytes, [WARNING_HOST_LAYERS] = q->host_layers> 0 ||
            q->host_experts > 0,
        [WARNING_HOST_LOST] = load->host_bytes > 0 && !q->engine->offload_kept &&
                              w->bits<16, [WARNING_KV_HOST] = q->host_kv> 0,
        [WARNING_KV_FLAT] = q->host_kv > 0 && !q->engine->kv_offload_groups &&
                            q->engine->window_groups && caches_several(q),
        [WARNING_PROMPT_CACHE] =
            q->gpu->host && model_is_served(q->model) && q->engine->prompt_cache_gib > 0,
        [WARNING_YARN] = q->model->yarn.factor > 0,
        [WARNING_KV_ON_HOST] = q->kv_on_host,
        [WARNING_DRAFT_WORDS] = other_words(q) && !q->engine->draft_vocab,
        [WARNING_MTP_SHAPE] =
            q->draft && q->draft_kind != DRAFT_MODEL && q->draft->assumed && !q->model->assumed,
        [WARNING_LENGTHS] = q->spread.beyond >= 0.001 && !q->model->weights_only,
        [WARNING_CONFIDENCE] = strcmp(q->gpu->confidence, "low") == 0,
        [WARNING_BANDWIDTH] = model_is_served(q->model) && by_bandwidth(q->gpu),
        [WARNING_NOTE] = (q->model->bytes.inferred || q->model->bytes.known) && q->model->note[0],
    };
    unsigned warnings = 0;

    /* arithmetic of less than 16 bit that this GPU lacks or does slowly */
    if (!w->weight_only && w->math < MATH_COUNT && w->bits < 16) {
        struct quantity rate = q->gpu->rate[w->math], half = q->gpu->rate[MATH_FP16];

        if (rate.known && rate.value == 0)
            warnings = 1u << WARNING_UNPACKED;
        else if (rate.known && half.known && rate.value < half.value)
            warnings = 1u << WARNING_SLOW_TYPE;
    }
    for (int i = 0; i < WARNING_COUNT; i++)
        warnings |= (unsigned)holds[i] << i;
    return warnings;
}
