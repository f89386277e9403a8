/*
 * startup.c - see startup.h.
 *
 * Sources: vLLM's published wheels 0.11.0 to 0.33.0 (engine/arg_utils.py, config/model.py,
 * config/scheduler.py, config/vllm.py, platforms/cuda.py, v1/worker/utils.py,
 * v1/core/kv_cache_utils.py, config/compilation.py, v1/worker/gpu_model_runner.py), SGLang 0.5.5 to
 * 0.5.23 (mem_cache/kv_cache_configurator.py, model_executor/ runner/decode_cuda_graph_runner.py);
 * TensorRT-LLM's main branch (_torch/pyexecutor/ py_executor_creator.py at 000429d5: the stages and
 * their message; resource_manager.py: get_max_atten_window_upper_bound(); modules/attention.py);
 * llama.cpp 0c1e57098 (common/arg.cpp:322, ggml-cuda.cu:105, llama-model.cpp:1870,
 * llama-kv-cache.cpp:288, llama-context.cpp:684 and :3899; 4227c9be of 2025-08 has the same but
 * --fit); read 2026-11.
 *
 * Neither of the last two refuses a context for its length: llama.cpp warns beyond the trained one,
 * TensorRT-LLM cuts what the pool cannot hold ("Attention window size ... exceeds upper bound ...
 * Reducing"). Ollama refuses nothing that a GPU lacks: layers go to host memory.
 */
#include "answer/startup.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/str.h"
#include "base/units.h"

/* ---- what a plan fails ---- */

/* MAY_STOP: at one end of the estimate's band; LIKELY: at its value too. */
enum outcome { PASSES, MAY_STOP, LIKELY, STOPS };

static enum outcome in_band(bool at_value)
{
    return at_value ? LIKELY : MAY_STOP;
}

#define BIT(code) ((uint64_t)1 << (code))
#define ODD_WIDTHS                                                                             \
    (BIT(REFUSED_KV_HEADS) | BIT(REFUSED_MLP) | BIT(REFUSED_EXPERT) | BIT(REFUSED_RECURRENT) | \
     BIT(REFUSED_VOCABULARY))
#define CUT_BLOCKS                                                                   \
    (BIT(REFUSED_MLP_BLOCK) | BIT(REFUSED_SHARED_BLOCK) | BIT(REFUSED_HEADS_BLOCK) | \
     BIT(REFUSED_STATE_BLOCK) | BIT(REFUSED_GATE_BLOCK))

/* What is captured when the pool is set has to fit beside it. */
#define TIGHT_GRAPHS (BIT(REASON_REST_TIGHT) | BIT(REASON_OVERRUNS))

/* Has the layout a refusal among these bits of enum refusal_code? The first is in *out. */
static bool layout_refused(const struct plan *p, uint64_t codes, struct refusal *out)
{
    struct refusal list[REFUSED_COUNT];

    if (!codes)
        return false;
    int n = layout_refusals(&p->request, &p->layout, list, REFUSED_COUNT);
    for (int i = 0; i < n && i < REFUSED_COUNT; i++)
        if (codes & BIT(list[i].code)) {
            *out = list[i];
            return true;
        }
    return false;
}

/* DSA asks the backends one by one; a model with CSA names its own and stops in its kernel. */
static enum outcome no_sparse_backend(const struct plan *p)
{
    return !(p->reasons & BIT(REASON_SPARSE)) || model_has_mixer(p->request.model, MIXER_IS_POOLED)
               ? PASSES
               : STOPS;
}

/* The GPU is too old for the weights, or too new. */
static enum outcome quantized_too_old(const struct plan *p)
{
    const struct support *s = reason_support(&p->request, REASON_QUANTIZED);

    return s && p->request.gpu->compute_capability < s->from ? STOPS : PASSES;
}

static enum outcome quantized_too_new(const struct plan *p)
{
    return reason_support(&p->request, REASON_QUANTIZED) && !quantized_too_old(p) ? STOPS : PASSES;
}

static enum outcome fewer_tokens_than_slots(const struct plan *p)
{
    const struct memory *m = &p->memory;

    return p->has_memory && m->max_batched_tokens < m->max_num_seqs ? STOPS : PASSES;
}

static enum outcome weights_overflow(const struct plan *p)
{
    const struct memory *m = &p->memory;
    double used = p->request.used;

    if (!p->has_memory || m->weights.high <= m->usable.low - used)
        return PASSES;
    return m->weights.low > m->usable.high - used
               ? STOPS
               : in_band(m->weights.value > m->usable.value - used);
}

/* Does the pool fall short of `bytes`? */
static enum outcome short_of(const struct plan *p, double bytes)
{
    const struct quantity *pool = &p->memory.kv_pool;

    if (!p->has_memory || p->request.model->weights_only || pool->low > bytes)
        return PASSES;
    return pool->high <= bytes ? STOPS : in_band(pool->value <= bytes);
}

static enum outcome no_pool(const struct plan *p)
{
    return short_of(p, 0);
}

static enum outcome no_request(const struct plan *p)
{
    return short_of(p, nextafter(p->memory.sequence.reserved, 0));
}

/* Do the parts up to one, allocated in this order, exceed the GPU? */
static enum outcome memory_overflows(const struct plan *p, struct quantity parts)
{
    const struct memory *m = &p->memory;
    struct quantity sum = quantity_add(parts, m->non_torch);
    double used = p->request.used;

    if (!p->has_memory || sum.high <= m->usable.low - used)
        return PASSES;
    return sum.low > m->usable.high - used ? STOPS : in_band(sum.value > m->usable.value - used);
}

static enum outcome weights_and_context(const struct plan *p)
{
    return memory_overflows(p, p->memory.weights);
}

static enum outcome asked_cache(const struct plan *p)
{
    return memory_overflows(p, quantity_add(p->memory.weights, p->memory.kv_reserved));
}

static enum outcome asked_compute(const struct plan *p)
{
    const struct memory *m = &p->memory;

    return memory_overflows(p,
                            quantity_add(quantity_add(m->weights, m->kv_reserved), m->activation));
}

static enum outcome asked_rest(const struct plan *p)
{
    const struct quantity *free = &p->memory.free;

    if (!p->has_memory || free->low >= 0)
        return PASSES;
    return free->high < 0 ? STOPS : in_band(free->value < 0);
}

/* A step of the largest prompts is run before the pool is made. */
static enum outcome profiled_step(const struct plan *p)
{
    return memory_overflows(p, quantity_add(p->memory.weights, p->memory.activation));
}

/* Of what may stop it: does it at the estimate's value too? */
static bool states_lack(const struct plan *p)
{
    return p->memory.state_blocks.value < p->memory.max_num_seqs;
}

static bool free_lacks(const struct plan *p)
{
    return p->reasons & BIT(REASON_OVERRUNS) && p->memory.free.value < 0;
}

/* ---- the checks, in the order they are made ---- */

#define V(major, minor) (((major)*10000L + (minor)) * 10000) /* engine_version() */
#define NEWEST LONG_MAX

/* What llama.cpp does by default, but not with -ngl, nor did it in 2025-08. */
#define FIT                                                                            \
    " (with -ngl or --fit off; --fit, the default, leaves layers in host memory, and " \
    "without -c it cuts the context)"

static const struct startup_row {
    const char *engine;
    long from, until; /* versions whose range begins among these print it so */
    const char *name;
    const char *words;
    enum outcome (*fails)(const struct plan *plan); /* else by what the plan says: */
    uint64_t stops, may_stop;                       /* bits of enum reason */
    bool (*likely)(const struct plan *plan);        /* of may_stop: at the value too */
    uint64_t refusals;                              /* bits of enum refusal_code */
} checks[] = {
    {"vllm", V(0, 8), NEWEST, "max-model-len",
     "ValueError: User-specified max_model_len ({context}) is greater than the derived "
     "max_model_len (max_position_embeddings={most tokens} or model_max_length=None in "
     "model's config.json). To allow overriding this maximum, set the env var "
     "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1.",
     .stops = BIT(REASON_CONTEXT)},
    {"vllm", V(0, 16), NEWEST, "draft-vocabulary",
     "ValueError: Target and draft model should have the same vocabulary size. Target model "
     "vocab_size={words}. Draft model vocab_size={draft words}. Using models with different "
     "tokenizers can cause out-of-bounds errors during speculative decoding.",
     .stops = BIT(REASON_DRAFT)},
    {"vllm", V(0, 8), NEWEST, "whole-prompt",
     "ValueError: max_num_batched_tokens ({tokens}) is smaller than max_model_len ({context}). "
     "This effectively limits the maximum sequence length to max_num_batched_tokens and makes vLLM "
     "reject longer sequences. Please increase max_num_batched_tokens or decrease max_model_len.",
     .stops = BIT(REASON_PROMPT)},
    {"vllm", V(0, 8), NEWEST, "batched-tokens",
     "ValueError: max_num_batched_tokens ({tokens}) must be greater than or equal to "
     "max_num_seqs ({slots}).",
     .fails = fewer_tokens_than_slots},
    {"vllm", V(0, 8), NEWEST, "heads",
     "ValueError: Total number of attention heads ({heads}) must be divisible by tensor "
     "parallel size ({tp}).",
     .refusals = BIT(REFUSED_HEADS)},
    {"vllm", 0, NEWEST, "state-groups",
     "AssertionError: If tensor parallel world size does not divide num_groups, then num_groups "
     "must equal 1.",
     .refusals = BIT(REFUSED_STATE_GROUPS)},
    {"vllm", V(0, 30), NEWEST, "kv-sharing",
     "NotImplementedError: Compressed-KV source not found on this rank; PP splits inside a "
     "v4.1 kv-sharing group are not supported.",
     .refusals = BIT(REFUSED_SHARED_POOL)},
    {"vllm", V(0, 8), NEWEST, "experts",
     "ValueError: Number of experts in the model must be greater than 0 when expert "
     "parallelism is enabled.",
     .refusals = BIT(REFUSED_EP_DENSE)},
    {"vllm", V(0, 11), NEWEST, "architecture",
     "ValueError: Model architecture ... was supported in vLLM until v..., and is not supported "
     "anymore. Please use an older version of vLLM if you want to use this model architecture.",
     .stops = BIT(REASON_DROPPED)},
    {"vllm", 0, NEWEST, "method", "{no method}", .stops = BIT(REASON_METHOD)},
    {"vllm", V(0, 8), NEWEST, "quantization",
     "ValueError: The quantization method {weight} is not supported for the current GPU. "
     "Minimum capability: {quantized cc}. Current capability: {cc}.",
     .fails = quantized_too_old},
    {"vllm", V(0, 8), NEWEST, "int8",
     "RuntimeError: dispatch_scaled_mm: Int8 not supported on SM{cc}. Use FP8 quantization "
     "instead, "
     "or run on older arch (SM < 100).",
     .fails = quantized_too_new},
    {"vllm", V(0, 11), V(0, 21), "kv-dtype",
     "triton.compiler.errors.CompilationError: type fp8e4nv not supported in this architecture",
     .stops = BIT(REASON_KV_GPU)},
    {"vllm", V(0, 22), NEWEST, "kv-dtype",
     "ValueError: the Triton attention backend has no {kv} KV cache on compute capability {cc}",
     .stops = BIT(REASON_KV_GPU)},
    {"vllm", 0, NEWEST, "no-kernel",
     "torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device",
     .stops = BIT(REASON_GPU)},
    {"vllm", V(0, 11), NEWEST, "sparse-attention",
     "ValueError: No valid attention backend found for cuda with ...", .fails = no_sparse_backend},
    {"vllm", 0, NEWEST, "bfloat16",
     "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least "
     "8.0. Your {gpu} GPU has compute capability {cc version}. You can use float16 instead "
     "by explicitly setting the `dtype` flag in CLI, for example: --dtype=half.",
     .stops = BIT(REASON_BF16)},
    {"vllm", V(0, 8), NEWEST, "float16",
     "ValueError: The model type '{family}' does not support float16. Reason: Numerical "
     "instability. Please use bfloat16 or float32 instead.",
     .stops = BIT(REASON_FP16)},
    {"vllm", V(0, 8), NEWEST, "free-memory",
     "ValueError: Free memory on device cuda:0 ({unused}/{usable} GiB) on startup is less "
     "than desired GPU memory utilization ({fraction}, {budget} GiB). Decrease GPU memory "
     "utilization or reduce GPU memory used by other processes.",
     .stops = BIT(REASON_USED)},
    {"vllm", V(0, 8), NEWEST, "divisible", "AssertionError: {whole} is not divisible by {tp}",
     .refusals = ODD_WIDTHS},
    {"vllm", V(0, 8), NEWEST, "fp8-blocks",
     "ValueError: The output_size of gate's and up's weight = {shard} is not divisible by "
     "weight quantization block_n = {whole}.",
     .refusals = BIT(REFUSED_EXPERT_BLOCK)},
    {"vllm", V(0, 8), NEWEST, "shards",
     "ValueError: Weight {cut} = {shard} is not divisible by {unit} = {whole}.",
     .refusals = CUT_BLOCKS},
    {"vllm", 0, NEWEST, "load",
     "torch.OutOfMemoryError: CUDA out of memory. (while the weights are loaded)",
     .fails = weights_overflow},
    {"vllm", 0, V(0, 21), "cache-blocks",
     "ValueError: No available memory for the cache blocks. Try increasing "
     "`gpu_memory_utilization` when initializing the engine.",
     .fails = no_pool},
    {"vllm", V(0, 22), NEWEST, "cache-blocks",
     "ValueError: No available memory for the cache blocks. Try increasing "
     "`gpu_memory_utilization` when initializing the engine (this flag also controls CPU "
     "memory reservation on the CPU backend, despite its name).",
     .fails = no_pool},
    {"vllm", V(0, 8), V(0, 21), "one-request",
     "ValueError: To serve at least one request with the models's max seq len ({context}), "
     "({one} GiB KV cache is needed, which is larger than the available KV cache memory "
     "({pool} GiB). Based on the available memory, the estimated maximum model length is "
     "{estimate}. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` "
     "when initializing the engine.",
     .fails = no_request},
    {"vllm", V(0, 22), NEWEST, "one-request",
     "ValueError: To serve at least one request with the model's max seq len ({context}), "
     "({one} GiB KV cache is needed, which is larger than the available KV cache memory "
     "({pool} GiB). Based on the available memory, the estimated maximum model length is "
     "{estimate}. Try increasing `gpu_memory_utilization` (which also controls CPU memory "
     "on the CPU backend) or decreasing `max_model_len` when initializing the engine.",
     .fails = no_request},
    {"vllm", V(0, 8), V(0, 19), "cpu-offload",
     "AssertionError: Cannot re-initialize the input batch when CPU weight offloading is "
     "enabled. See https://github.com/vllm-project/vllm/pull/18298 for more details.",
     .stops = BIT(REASON_OFFLOAD)},
    {"vllm", V(0, 20), NEWEST, "state-blocks",
     "ValueError: max_num_seqs ({slots}) exceeds available Mamba cache blocks ({states}). Each "
     "decode sequence requires one Mamba cache block, so CUDA graph capture cannot proceed. Please "
     "lower max_num_seqs to at most {states} or increase gpu_memory_utilization.",
     .stops = BIT(REASON_STATES), .may_stop = BIT(REASON_STATES_TIGHT), .likely = states_lack},
    {"vllm", V(0, 8), V(0, 28), "graphs",
     "RuntimeError: CUDA out of memory occurred when warming up sampler with {slots} dummy "
     "requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when "
     "initializing the engine.",
     .stops = BIT(REASON_REST_LACKS), .may_stop = TIGHT_GRAPHS, .likely = free_lacks},
    {"vllm", V(0, 29), NEWEST, "graphs",
     "torch.OutOfMemoryError: CUDA out of memory. (while CUDA graphs are captured)",
     .stops = BIT(REASON_REST_LACKS), .may_stop = TIGHT_GRAPHS, .likely = free_lacks},
    {"sglang", 0, NEWEST, "method", "{no method}", .stops = BIT(REASON_METHOD)},
    {"sglang", 0, NEWEST, "quantization",
     "ValueError: The quantization method {weight} is not supported for the current GPU. "
     "Minimum capability: {quantized cc}. Current capability: {cc}.",
     .fails = quantized_too_old},
    {"sglang", 0, NEWEST, "compute-capability",
     "RuntimeError: SGLang only supports sm75 and above.", .stops = BIT(REASON_GPU)},
    {"sglang", 0, NEWEST, "shards",
     "ValueError: Weight {cut} = {shard} is not divisible by {unit} = {whole}.",
     .refusals = CUT_BLOCKS | BIT(REFUSED_EXPERT_BLOCK)},
    {"sglang", 0, NEWEST, "load",
     "torch.OutOfMemoryError: CUDA out of memory. (while the weights are loaded)",
     .fails = weights_overflow},
    {"sglang", 0, NEWEST, "cache-blocks",
     "RuntimeError: Loaded weights leave no GPU memory for the KV cache under "
     "--mem-fraction-static={fraction}. Raise --mem-fraction-static above {least fraction} "
     "(up to 0.5.9: Not enough memory. Please try to increase --mem-fraction-static.)",
     .fails = no_pool},
    {"sglang", 0, NEWEST, "graphs",
     "Exception: Capture cuda graph failed: CUDA out of memory. Possible solutions: 1. set "
     "--mem-fraction-static to a smaller value (e.g., 0.8 or 0.7)",
     .stops = BIT(REASON_REST_LACKS), .may_stop = TIGHT_GRAPHS, .likely = free_lacks},
    {"tensorrt-llm", 0, NEWEST, "method",
     "NotImplementedError: Unsupported quantization_config: {... quant_method: {method} ...}.",
     .stops = BIT(REASON_METHOD)},
    {"tensorrt-llm", 0, NEWEST, "heads",
     "AssertionError: assert self.num_heads % tp_size == 0 ({heads} heads, tp_size {tp})",
     .refusals = BIT(REFUSED_HEADS)},
    {"tensorrt-llm", 0, NEWEST, "load",
     "RuntimeError: Executor creation failed due to insufficient GPU memory. The following "
     "component could not be created: Model. Total GPU memory (GiB): {usable} ... Model: "
     "reduce max_num_tokens and/or shard the model weights across GPUs by enabling pipeline "
     "and/or tensor parallelism",
     .fails = weights_and_context},
    {"tensorrt-llm", 0, NEWEST, "profile",
     "RuntimeError: Executor creation failed due to insufficient GPU memory. The following "
     "component could not be created: Model resources created during usage. Total GPU memory "
     "(GiB): {usable} ... Model resources created during usage: reduce max_num_tokens",
     .fails = profiled_step},
    {"tensorrt-llm", 0, NEWEST, "cache-blocks",
     "AssertionError: Impossible to fit in any sequence in kvCache", .fails = no_pool},
    {"tensorrt-llm", 0, NEWEST, "graphs",
     "RuntimeError: Executor creation failed due to insufficient GPU memory. The following "
     "component could not be created: Additional executor resources. Total GPU memory (GiB): "
     "{usable} ... KV cache: reduce free_gpu_memory_fraction",
     .stops = BIT(REASON_REST_LACKS), .may_stop = TIGHT_GRAPHS, .likely = free_lacks},
    {"llama.cpp", 0, NEWEST, "cache-type",
     "error while handling argument \"-ctk\": Unsupported cache type: {kv}",
     .stops = BIT(REASON_KV_FORMAT)},
    {"llama.cpp", 0, NEWEST, "slots", "n_seq_max must be <= 256", .stops = BIT(REASON_SLOTS)},
    {"llama.cpp", 0, NEWEST, "cache-block",
     "K cache type {kv} with block size 32 does not divide n_embd_head_k",
     .stops = BIT(REASON_KV_BLOCK)},
    {"llama.cpp", 0, NEWEST, "load",
     "llama_model_load: error loading model: unable to allocate {device}0 buffer (of {weights} "
     "MiB)" FIT,
     .fails = weights_and_context},
    {"llama.cpp", 0, NEWEST, "kv-cache",
     "llama_init_from_model: failed to initialize the context: failed to allocate buffer for "
     "kv cache" FIT,
     .fails = asked_cache},
    {"llama.cpp", 0, NEWEST, "compute-buffers",
     "llama_init_from_model: failed to initialize the context: failed to allocate compute pp "
     "buffers" FIT,
     .fails = asked_compute},
    {"llama.cpp", 0, NEWEST, "warm-up",
     "{device} error: out of memory (in the warm-up: kernels are loaded, graphs captured)",
     .fails = asked_rest},
};

/* ---- the message ---- */

/* Tokens of the longest request that a pool holds, as the engine estimates it. */
static double longest_request(const struct plan *p, double pool)
{
    const struct request *q = &p->request;
    const struct layout *l = &p->layout;
    int first = layout_stage_begin(q, l->pp, p->memory.stage);
    int end = layout_stage_begin(q, l->pp, p->memory.stage + 1);
    double low = 0, high = q->context;

    while (high - low > 1) {
        double mid = floor((low + high) / 2);
        struct kv_sequence s =
            kvcache_sequence(q, l->tp, first, end, mid, p->memory.max_batched_tokens);

        if (s.reserved <= pool)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* What is said of a method that is not known, of a form of one that is, and of a GPU too old. */
static const char *no_method(const struct request *q, struct texts *t)
{
    static const char *const forms[][2] = {
        {"compressed-tensors-", "NotImplementedError: No compressed-tensors compatible scheme was "
                                "found"},
        {"quark-", "NotImplementedError: No quark compatible scheme was found"},
        {"auto-round-", "ValueError: Unsupported data_type"},
        {"modelopt-", "ValueError: ModelOpt currently only supports: [...]"},
        {"gptq-", "ValueError: Unsupported quantization config"},
    };

    const char *method = q->model->native_method;

    if (engine_loads_method(q->engine, method, 0)) /* on other GPUs */
        return texts_addf(t,
                          "ValueError: The quantization method %s is not supported for the "
                          "current GPU. Current capability: %d.",
                          method, q->gpu->compute_capability);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strncmp(method, forms[i][0], strlen(forms[i][0])) == 0)
            return texts_addf(t, "%s (%s).", forms[i][1], method);
    return texts_addf(t, "ValueError: Unknown quantization method: %s. Must be one of [...].",
                      method);
}

/* As ggml names the devices of a vendor. */
static const char *ggml_device(const char *vendor)
{
    static const char *const names[][2] = {
        {"nvidia", "CUDA"}, {"amd", "ROCm"},    {"intel", "SYCL"},
        {"apple", "MTL"},   {"huawei", "CANN"}, {"cpu", "CPU"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i][0], vendor) == 0)
            return names[i][1];
    return "device ";
}

/* Figures of a start that only one end of the band stops are of that end: they would
 * contradict the message else. */
const char *startup_message(const struct plan *p, const struct startup *startup,
                            struct texts *texts)
{
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    const struct startup_row *c = startup->row;
    bool end = startup->at_end;
    double pool = fmax(end ? m->kv_pool.low : m->kv_pool.value, 0);
    double weights = end ? m->weights.high : m->weights.value;
    double states = end ? m->state_blocks.low : m->state_blocks.value;
    double usable = p->has_memory ? m->usable.value : 0, cc = q->gpu->compute_capability;
    struct refusal odd = {0};

    const struct support *old = reason_support(q, REASON_QUANTIZED);
    bool blocks = q->precision.weight->group_rows > 1;

    layout_refused(p, c->refusals, &odd);
    const struct sentence_value values[] = {
        {"context", SAY_NUMBER, .number = q->context},
        {"most tokens", SAY_NUMBER, .number = q->model->max_context},
        {"words", SAY_PLAIN, .number = q->model->vocab},
        {"draft words", SAY_PLAIN, .number = q->draft ? q->draft->vocab : 0},
        {"tokens", SAY_NUMBER, .number = m->max_batched_tokens},
        {"slots", SAY_NUMBER, .number = m->max_num_seqs},
        {"method", SAY_TEXT, .text = q->model->native_method},
        {"no method", SAY_TEXT, .text = no_method(q, texts)},
        {"heads", SAY_NUMBER, .number = odd.b},
        {"whole", SAY_NUMBER, .number = odd.b},
        {"shard", SAY_NUMBER, .number = odd.a},
        {"cut", SAY_TEXT, .text = blocks ? "output_partition_size" : "input_size_per_partition"},
        {"unit", SAY_TEXT, .text = blocks ? "weight quantization block_n" : "group_size"},
        {"tp", SAY_NUMBER, .number = p->layout.tp},
        {"weight", SAY_TEXT, .text = q->precision.weight->id},
        {"gpu", SAY_TEXT, .text = q->gpu->name},
        {"family", SAY_TEXT, .text = q->model->family},
        {"quantized cc", SAY_NUMBER, .number = old ? old->from : 0},
        {"cc", SAY_NUMBER, .number = cc},
        {"cc version", SAY_VERSION, .number = cc},
        {"unused", SAY_SHARE, .number = fmax(usable - q->used, 0) / GP_GIB},
        {"usable", SAY_SHARE, .number = usable / GP_GIB},
        {"fraction", SAY_PLAIN, .number = m->fraction},
        {"least fraction", SAY_SHARE,
         .number = usable > 0 ? ceil(weights / usable * 100) / 100 : 1},
        {"budget", SAY_SHARE, .number = usable * m->fraction * (1 - q->headroom) / GP_GIB},
        {"one", SAY_SHARE, .number = m->sequence.reserved / GP_GIB},
        {"pool", SAY_SHARE, .number = pool / GP_GIB},
        {"device", SAY_TEXT, .text = ggml_device(q->gpu->vendor)},
        {"kv", SAY_TEXT, .text = q->kv ? q->kv->id : ""},
        {"weights", SAY_SHARE, .number = weights / GP_MIB},
        {"estimate", SAY_NUMBER, .number = c->fails == no_request ? longest_request(p, pool) : 0},
        {"states", SAY_NUMBER, .number = states},
        {.name = NULL},
    };

    return sentence_fill(c->words, values, texts);
}

static bool is_of(const struct startup_row *c, const struct engine *e)
{
    return strcmp(c->engine, e->id) == 0 && e->from >= c->from && e->from <= c->until;
}

static enum outcome check_plan(const struct startup_row *c, const struct plan *p)
{
    struct refusal r;

    if (p->reasons & c->stops || layout_refused(p, c->refusals, &r))
        return STOPS;
    if (p->reasons & c->may_stop)
        return in_band(c->likely && c->likely(p));
    return c->fails ? c->fails(p) : PASSES;
}

bool startup_known(const struct engine *engine)
{
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        if (is_of(&checks[i], engine))
            return true;
    return false;
}

/* The first check that fails at the estimate's value; else the first that may. */
struct startup startup_check(const struct plan *p)
{
    struct startup out = {.check = NULL};
    enum outcome worst = PASSES;

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && worst < LIKELY; i++) {
        const struct startup_row *c = &checks[i];
        enum outcome fails = is_of(c, p->request.engine) && model_is_served(p->request.model)
                                 ? check_plan(c, p)
                                 : PASSES;

        if (fails >= LIKELY || (fails == MAY_STOP && !out.row)) {
            out = (struct startup){c->name, fails == STOPS, c, fails == MAY_STOP};
            worst = fails;
        }
    }
    return out;
}

/* ---- messages of a log ---- */

/* Where the part of a message that begins at `at` and is the same in every log ends. */
static size_t piece_length(const char *at)
{
    static const char *const ends[] = {" (while",     " (with", " (in the", " (up to",
                                       " (this flag", " ...",   "{"};
    size_t len = strlen(at);

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const char *end = strstr(at, ends[i]);

        if (end && (size_t)(end - at) < len)
            len = (size_t)(end - at);
    }
    return len;
}

#define PIECE_LEAST 20 /* characters by which a message is told from others */

/* Characters of the longest such part that the line holds; 0: none. */
static size_t shared_length(const char *line, const char *words)
{
    struct strbuf text = STRBUF_EMPTY;
    size_t best = 0;

    for (const char *at = words; *at;) {
        size_t len = piece_length(at);

        strbuf_clear(&text);
        strbuf_addn(&text, at, len);
        if (len >= PIECE_LEAST && len > best && strstr(line, text.text))
            best = len;
        at += len;
        if (*at == ' ')
            break; /* a remark: what follows stands in no log */
        at += strcspn(at, "}");
        at += *at != '\0';
    }
    strbuf_fini(&text);
    return best;
}

const char *startup_of_message(const char *engine, const char *line, bool sized)
{
    /* whose table holds another version's words, or the driver's behind them */
    static const char *const others[][3] = {
        {"sglang", "Not enough memory. Please try to increase", "cache-blocks"},
        {"sglang", "Capture cuda graph failed", "graphs"},
        {"vllm", "when warming up sampler", "graphs"},
        {"llama.cpp", "out of memory", "warm-up"},
    };
    const char *found = NULL;
    size_t best = 0;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(others[i][0], engine) == 0 && strstr(line, others[i][1]))
            return others[i][2];
    if (strstr(line, "out of memory"))
        return sized ? "graphs" : "load";
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        size_t len =
            strcmp(checks[i].engine, engine) == 0 ? shared_length(line, checks[i].words) : 0;

        if (len > best) {
            best = len;
            found = checks[i].name;
        }
    }
    return found;
}

const char *startup_cure(const char *check)
{
    static const char *const cures[][2] = {
        {"max-model-len", "ask for a context of no more than the model's"},
        {"draft-vocabulary", "take a draft with the model's own vocabulary"},
        {"whole-prompt", "raise the tokens of a step to the longest prompt, or shorten it"},
        {"batched-tokens", "raise the tokens of a step to the slots, or lower the slots"},
        {"heads", "take a tensor parallel size that divides the attention heads"},
        {"experts", "leave expert parallelism out: the model has no experts"},
        {"quantization", "take a format that this GPU computes, or a newer GPU"},
        {"sparse-attention", "take a GPU of compute capability 9.0 or higher: this model's sparse "
                             "attention has no kernel for older ones"},
        {"bfloat16", "take FP16: this GPU has no BF16"},
        {"float16", "take BF16 or FP32: the engine does not run this family in FP16"},
        {"free-memory", "stop what else is on the GPU, or lower the share of its memory"},
        {"method", "take a release whose quant_method the engine loads"},
        {"divisible", "take a tensor parallel size that divides the layers' widths"},
        {"fp8-blocks", "take another tensor parallel size, or expert parallelism: its shards "
                       "cut the weights' blocks"},
        {"load", "the weights do not fit: more GPUs, fewer bits, or a part in host memory"},
        {"cache-blocks", "nothing is left for KV: a larger share of memory, fewer bits, smaller "
                         "steps or more GPUs"},
        {"one-request", "one request of full length does not fit: a shorter context, FP8 KV, a "
                        "larger share of memory or more GPUs"},
        {"cpu-offload", "leave the offload of weights out, or take a later version"},
        {"state-blocks", "lower the slots to the blocks of state that the message names"},
        {"graphs", "lower the share of memory or the slots: what is captured after the pool is "
                   "made does not fit beside it"},
        {"profile", "lower the tokens of a step"},
        {"cache-type", "take another type of the KV cache"},
        {"slots", "lower the slots"},
        {"cache-block", "take a KV type whose blocks divide the heads, as F16 or Q8_0"},
        {"kv-cache", "a shorter context, fewer slots, a smaller KV type, or fewer layers on the "
                     "GPU"},
        {"compute-buffers", "smaller micro-batches, or fewer layers on the GPU"},
        {"warm-up", "leave some memory free: fewer layers on the GPU or a shorter context"},
    };

    for (size_t i = 0; check && i < sizeof(cures) / sizeof(cures[0]); i++)
        if (strcmp(cures[i][0], check) == 0)
            return cures[i][1];
    return "";
}
