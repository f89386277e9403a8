/*
 * sentence.c - see sentence.h.
 */
#include "answer/sentence.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "plan/better.h"
#include "plan/draft.h"
#include "plan/goals.h"
#include "plan/roofline.h"
#include "plan/search.h"
#include "plan/speed/calib.h"

/* ---- the sentences ---- */

static const char *const reason_words[REASON_COUNT] = {
    [REASON_LAYOUT] = "{refusals}",
    [REASON_BF16] = "{engine} runs BF16 on {gpus that run}, {gpu} has {cc}{cure}",
    [REASON_FP16] = "{engine} does not run {family} models in FP16: use --precision bf16",
    [REASON_FP32] = "{gpu} has no BF16, and {engine} does not run {family} models in FP16: "
                    "it would load FP32, --precision fp32 plans that",
    [REASON_VENDOR] = "{engine} {runs not} on {devices}",
    [REASON_GPU] = "{engine} ({versions}) runs on {gpus that run}, {gpu} has {cc}{cure}",
    [REASON_QUANTIZED] =
        "{engine} ({versions}) runs {weight} weights on {gpus that run}, {gpu} has "
        "{cc}{cure}",
    [REASON_SPARSE] =
        "{engine} ({versions}) runs this model's sparse attention on {gpus that run}, "
        "{gpu} has {cc}{cure}",
    [REASON_KV_GPU] = "{engine} ({versions}) runs a {kv} KV cache on {gpus that run}, {gpu} has "
                      "{cc}{cure}",
    [REASON_FORMAT] = "{engine} does not run {weight} weights",
    [REASON_METHOD] =
        "{engine} ({versions}) loads no {method} checkpoints{there}: take another release, "
        "or plan one with -p",
    [REASON_FAMILY] = "{family} models need {engine} {first version} or newer",
    [REASON_DROPPED] = "{engine} ({versions}) no longer runs {family} models{cure}",
    [REASON_KV_FORMAT] = "{engine} has no {kv} KV cache",
    [REASON_KV_BLOCK] = "blocks of a {kv} KV cache do not divide the width of this model's "
                        "heads: {engine} refuses that; --kv-precision fp16",
    [REASON_OFFLOAD] = "{engine} {versions} does not start with --cpu-offload-gb and a "
                       "model whose layers cache in several ways",
    [REASON_DRAFT] = "{engine} refuses the draft {draft}: {draft words} words in its "
                     "vocabulary, {words} in the model's",
    [REASON_CONTEXT] = "{context} tokens of context exceed the {most tokens} the model "
                       "was made for",
    [REASON_SEQS] = "{users} users per replica exceed max_num_seqs {slots}: the rest "
                    "would wait; --ttft says how long they may",
    [REASON_SLOTS] = "{engine} is built for {most slots} slots, and {asked slots} are asked of "
                     "a replica: take more replicas",
    [REASON_TOKENS] = "{tokens} batched tokens are fewer than the {slots} slots of "
                      "max_num_seqs: {engine} refuses that",
    [REASON_PROMPT] = "{tokens} batched tokens are fewer than a prompt of {context}, which "
                      "an encoder reads whole: {engine} refuses that",
    [REASON_USED] = "{engine} wants {budget} but only {unused} are free: {use less}",
    [REASON_WEIGHTS] = "the weights take {weights} per GPU, {budget} may be used",
    [REASON_OVERHEAD] = "weights {weights} and overheads leave no room for KV: {short} too little",
    [REASON_KV] = "{users} x {end tokens} need {reserved} of KV per GPU{at least}, "
                  "{pool} are left (band up to {pool high})",
    [REASON_HELD] = "the pool of recurrent states holds {states} requests, {users} are in "
                    "flight: raise --mamba-full-memory-ratio, or take fewer users",
    [REASON_STATES] = "max_num_seqs {slots} exceeds the {states} blocks of recurrent state: "
                      "the engine exits; {slots at most}",
    [REASON_STATES_TIGHT] = "max_num_seqs {slots} may exceed the {states} blocks of "
                            "recurrent state: {slots sure}",
    [REASON_CROSSES] = "{reserved} of KV needed{at least}, the pool is {pool band}",
    [REASON_PREFILL_LACKS] = "replicas for prefill alone, TP {prefill tp}, do not hold the "
                             "weights and a step's prompts of {context} tokens",
    [REASON_PREFILL_TIGHT] = "replicas for prefill alone, TP {prefill tp}, may not hold the "
                             "weights and a step's prompts of {context} tokens",
    [REASON_SPREADS] = "fits while requests are spread: at {mean tokens} tokens each they "
                       "take {mean} of {pool}; {at their end} {reserved}, and "
                       "some are preempted",
    [REASON_OVERRUNS] = "all parts together may exceed the memory by {over}: it may run out",
    [REASON_DECIDES] = "what decides: {knob}",
    [REASON_REST_LACKS] = "the engine's overheads take up to {overheads}, its fraction "
                          "leaves {rest}",
    [REASON_REST_TIGHT] = "the engine's overheads take up to {overheads}, its fraction "
                          "leaves {rest}",
    [REASON_GPU_COUNT] = "no layout of {count} GPUs with at most {stages} pipeline stages is valid",
    [REASON_MEMORY_ONLY] = "only the memory of {gpu} is planned: what {engine} adds there "
                           "and its speed are unknown",
    [REASON_TTFT] = "TTFT {ttft} {ttft misses} the goal of {ttft goal}",
    [REASON_TPOT] = "TPOT {tpot} {tpot misses} the goal of {tpot goal}",
    [REASON_TTFT_LATE] = "{late TTFT}",
    [REASON_TPOT_LATE] = "{late TPOT}",
    [REASON_E2E_LATE] = "{late E2E}",
    [REASON_RATE] = "{rate} requests/s arrive, about {served} can be served; the limit: "
                    "{saturated}",
    [REASON_THROUGHPUT] = "a throughput of {throughput} tokens/s {throughput misses} the goal of "
                          "{throughput goal}",
    [REASON_NO_SPEED] = "the goals cannot be judged: {speed gap}",
    [REASON_BUDGET] = "${per hour}/h exceed the budget of ${budget goal}/h",
    [REASON_NO_PRICE] = "the budget cannot be judged: no price is known",
    [REASON_TUNED] = "--max-batched-tokens {tokens} reaches the goals; the engine's {usual "
                     "tokens} have TTFT {usual ttft} and TPOT {usual tpot}",
    [REASON_TURNED] = "{turned}: for room, in place of {engine}'s own",
    [REASON_POWER] = "{drawing GPUs} with hosts would draw up to {watts}; the cap of {cap} "
                     "holds {capped GPUs}",
    [REASON_NO_POWER] = "what {gpu} draws is not known: nor whether it stays under the cap of "
                        "{cap}",
    [REASON_NEARLY] = "{nearly GPUs}{in fewer stages} would be marginal: {nearly}",
    [REASON_RENTED] =
        "{enough GPUs} would do: what has to be rented holds more, which makes it faster",
};

static const char *const warning_words[WARNING_COUNT] = {
    [WARNING_FP16] = "{gpu} has no BF16: {engine} computes in FP16",
    [WARNING_WHEELS] = "{engine}'s published builds have kernels for {gpus that run}, {gpu} has "
                       "{cc}: it may stop with \"no kernel image\"",
    [WARNING_VENDOR] = "{engine} on {gpu}: support is not checked, its vendor {vendor}",
    [WARNING_TP_HOSTS] = "TP over hosts: every all-reduce crosses the network, {network} % of a "
                         "step with an InfiniBand adapter a GPU (assumed); Ethernet has taken 7 "
                         "times as long",
    [WARNING_WEIGHTS_ONLY] = "only the weights are counted: what this kind of model "
                             "needs to run is not estimated",
    [WARNING_VISION] = "the vision tower is not counted: GGUF keeps it in a file of its own",
    [WARNING_GGUF] = "{weight} is a GGUF format, which llama.cpp runs better than {engine}{cure}",
    [WARNING_UNPACKED] = "{gpu} has no {math} arithmetic: {weight} weights are unpacked "
                         "to 16 bit, which saves memory but no arithmetic",
    [WARNING_SLOW_TYPE] = "{gpu} runs {math} at only {rate}, {times slower} times slower "
                          "than FP16: prefill and large batches are slow{fp8 is fast}",
    [WARNING_ZEROS] = "unstructured pruning saves no memory: zeros are stored like any "
                      "other weight; 2:4 does save",
    [WARNING_SPARSE] = "{gpu} has no sparse tensor cores (they start at compute capability 8.0)",
    [WARNING_ENGINE] = "planned for {engine}, as {usual engine} {passed over}",
    [WARNING_SLOTS] = "{engine} starts with {slots} by default: give it one for each "
                      "user with {slots option}",
    [WARNING_SLICE] = "{engine} may start with the whole GPU's {seqs large} slots and {tokens "
                      "large} tokens a step, where it sees the slice by an index: give it "
                      "--max-num-seqs {seqs} --max-num-batched-tokens {tokens}",
    [WARNING_HOST_BYTES] = "each GPU reads {host} of its weights from host memory in every "
                           "step{link time}",
    [WARNING_HOST_LAYERS] = "{host} of weights stay in host memory and are computed there"
                            "{placed}: the speed drops to that of the host's memory, and of the "
                            "host link for prompts",
    [WARNING_HOST_IGNORED] = "{engine} ({versions}) runs this model on its second runner, which "
                             "ignores --cpu-offload-gb; VLLM_USE_V2_MODEL_RUNNER=0 takes the first",
    [WARNING_HOST_LOST] = "{engine} {versions} packs {weight} weights anew after loading and keeps "
                          "them on the GPU: what --cpu-offload-gb saves is not counted",
    [WARNING_KV_HOST] = "{host kv} of KV in host memory keeps prompts for later requests; "
                        "those in flight need the pool all the same",
    [WARNING_KV_FLAT] = "{engine} {versions} keeps KV in host memory without its groups of "
                        "layers: windows are kept at full length",
    [WARNING_PROMPT_CACHE] = "{engine} keeps earlier prompts in up to {prompt cache} of the same "
                             "memory, which is not counted: --cache-ram 0 keeps none",
    [WARNING_YARN] =
        "a context beyond {trained} tokens needs YaRN, factor {yarn}, which the model's "
        "makers recommend; short prompts may then be answered worse",
    [WARNING_KV_ON_HOST] = "the KV cache is in host memory and attention is computed there: "
                           "each step is as slow as the host reads it",
    [WARNING_DRAFT_WORDS] = "the draft {draft} has {draft words} words in its vocabulary, the "
                            "model {words}: they must mean the same tokens",
    [WARNING_MTP_SHAPE] = "the shape of {drafter} is not known: weights and KV are those of "
                          "usual ones, with layers like the model's",
    [WARNING_SAMPLER] = "planned with {engine}'s own sampler; FlashInfer's (installed, and "
                        "VLLM_USE_FLASHINFER_SAMPLER not 0) takes {fewer logits} less: the "
                        "band counts it",
    [WARNING_IDLE] = "replicas without a request: {idle} of {replicas}",
    [WARNING_LENGTHS] = "{beyond} % of the requests are longer than the context of {context} "
                        "tokens and are not counted: the engine refuses them",
    [WARNING_CONFIDENCE] = "the profile of {gpu} has low confidence",
    [WARNING_BANDWIDTH] = "the speed of {gpu} is estimated from its bandwidth: {figures missing} "
                          "in its profile would narrow it",
    [WARNING_NOTE] = "checkpoint: {note}",
};

/* advice: how to know it better. Options that make it fit are fixes, which are planned first. */
static const struct {
    const char *name, *advice;
} knob_words[KNOB_COUNT] = {
    [KNOB_GRAPHS] = {"CUDA graphs", NULL},
    [KNOB_ACTIVATION] = {"the activation peak", NULL},
    [KNOB_NON_TORCH] = {"memory outside the allocator", NULL},
    [KNOB_USABLE] = {"the usable memory of the GPU", "measure the device itself"},
    [KNOB_WEIGHTS] = {"the weights", "plan with the checkpoint's own files"},
    [KNOB_LENGTHS] = {"how long the requests are at once", NULL},
    [KNOB_ENGINE] = {"what the engine adds", "start it there and look at its log"},
};

static const char *const lost_words[WORSE_COUNT] = {
    [WORSE_IDLE] = "more replicas than users",
    [WORSE_MACHINES] = "not in one machine that is offered",
    [WORSE_UNSURE] = "its goals are likely, not sure",
    [WORSE_OPTIONS] = "options of the engine turned",
    [WORSE_STAGES] = "more pipeline stages",
    [WORSE_REPLICAS] = "more replicas",
    [WORSE_EXPERTS] = "experts spread wider",
    [WORSE_NOTHING] = "the two are equal",
};

static const char *const fix_words[FIX_KIND_COUNT] = {
    [FIX_USERS] = "fewer users at once: {users}",
    [FIX_CONTEXT] = "a shorter context: {context} tokens",
    [FIX_KNOBS] = "{knobs}",
    [FIX_STATES] = "no more slots than blocks of state: {slots}",
    [FIX_SLOTS] = "a slot for every user",
    [FIX_FEWER_SLOTS] = "{slots} slots, whose states fit fewer GPUs: {GPUs} in all",
    [FIX_SHARE] = "a smaller share for weights and KV, more for activation and graphs",
    [FIX_UNUSED] = "take only what is free",
    [FIX_KV] = "{kv} KV cache",
    [FIX_PRECISION] = "weights in {weights}",
    [FIX_ONE_GPU] = "one GPU, weights in {weights}",
    [FIX_GGUF] = "{engine}, weights in {weights}",
    [FIX_ENGINE] = "with {engine}{release}",
    [FIX_SAME_COUNT] = "another layout of these GPUs",
    [FIX_OPEN] = "as many as needed: {GPUs} in all",
    [FIX_SMALLER_TP] = "the next smaller TP that is valid: {GPUs} in all",
    [FIX_LARGER_TP] = "TP {tp}: {GPUs} in all",
    [FIX_PIPELINE] = "a pipeline of {stages} stages: {GPUs} in all",
    [FIX_HOST_LAYERS] = "{host layers} of {layers} layers in host memory: much slower",
    [FIX_HOST_EXPERTS] = ("experts of {host experts} of {layers} layers in host memory: much "
                          "slower"),
    [FIX_HOST_BYTES] = "{host} of each GPU's weights in host memory: much slower",
    [FIX_DRAFT] = "without the draft",
    [FIX_LORA] = "room for fewer adapters at once: {adapters}",
    [FIX_AT_ONCE] = "{slots} at once in each copy, the others wait: {GPUs} in all",
    [FIX_MORE_USERS] = "more users at once: {users}",
    [FIX_STEPS] = "{batched} tokens in a step",
    [FIX_HOST_KV] = "the KV cache in host memory: much slower",
    [FIX_REPAIRED] = "these options corrected: {GPUs} in all",
    [FIX_GPU] = "{count} x {gpu}",
};

/* What turning an option of the engine does. */
static const char *const change_words[CHANGE_COUNT] = {
    [CHANGE_UTILIZATION] = "a larger share of memory for the engine",
    [CHANGE_TOKENS] = "fewer tokens in one step: a smaller activation peak",
    [CHANGE_SEQS] = "fewer slots, so less memory for its sampler",
    [CHANGE_EAGER] = "no CUDA graphs: slower steps",
};

static const char *const refusal_words[] = {
    [REFUSED_HEADS] = "TP={a} does not divide {b} attention heads",
    [REFUSED_KV_HEADS] = "TP={a} neither divides nor is a multiple of {b} KV heads",
    [REFUSED_MLP] = "TP={a} does not divide the MLP width {b}",
    [REFUSED_EXPERT] = "TP={a} does not divide the expert width {b}",
    [REFUSED_RECURRENT] = "TP={a} does not divide {b} recurrent heads",
    [REFUSED_STATE_GROUPS] = "TP={a} does not divide the {b} groups of the recurrent state",
    [REFUSED_MLP_BLOCK] = "TP={tp} cuts the MLP to a width of {a}, {weight} has {blocks} of {b}: "
                          "{another tp}",
    [REFUSED_EXPERT_BLOCK] =
        "TP={tp} cuts experts to a width of {a}, {weight} has {blocks} of {b}: "
        "--ep {tp}, or {another tp}",
    [REFUSED_SHARED_BLOCK] = "TP={tp} cuts the shared expert to a width of {a}, {weight} has "
                             "{blocks} of {b} (--ep does not change that): {another tp}",
    [REFUSED_HEADS_BLOCK] =
        "TP={tp} cuts the attention to a width of {a}, {weight} has {blocks} of "
        "{b}: {another tp}",
    [REFUSED_STATE_BLOCK] = "TP={tp} cuts the linear attention to a width of {a}, {weight} has "
                            "{blocks} of {b}: {another tp}",
    [REFUSED_GATE_BLOCK] = "TP={tp} cuts the gate of the linear attention to {a} rows, {weight} "
                           "has {blocks} of {b}: {another tp}",
    [REFUSED_VOCABULARY] = "TP={a} does not divide the vocabulary of {b}",
    [REFUSED_DRAFT] = "TP={a} does not divide the draft, which has {b} attention heads",
    [REFUSED_OUTPUT] = "TP={a} does not divide the {b} groups of the output projection",
    [REFUSED_SHARED_POOL] = "PP={a}: layer {b} is the first of a stage, but reads the KV of "
                            "an earlier one",
    [REFUSED_STAGES] = "PP={a} exceeds the {b} layers",
    [REFUSED_TP_ENGINE] = "TP={a}: {engine} spreads whole layers over GPUs: --tp 1",
    [REFUSED_TP_PP] = "TP={a} and PP={b}: {engine} splits by tensor or by layer, not both: "
                      "--tp 1, or --pp 1",
    [REFUSED_DP_TP] = "TP={a} with attention on {b} groups: {engine} cannot cut attention and copy "
                      "it: --tp 1",
    [REFUSED_EP_ENGINE] = "EP={a}: {engine} does not spread experts over GPUs",
    [REFUSED_EP_DENSE] = "EP={a}: the model has no experts",
    [REFUSED_EP_EXPERTS] = "EP={a} does not divide {b} experts",
    [REFUSED_EP_GPUS] = "EP={a} does not divide TP x replicas = {b}",
    [REFUSED_EP_ALL] = "EP={a}: {engine} spreads experts over all GPUs of a group, here {b}, or "
                       "none: --ep auto",
    [REFUSED_EP_TP] = "EP={a} does not divide TP={b}",
    [REFUSED_SPLIT] = "{replicas} replicas are not {a} for prefill and {b} for decode",
    [REFUSED_MIG] = "MIG instances cannot be joined: one must hold the model",
    [REFUSED_HOST] = "TP={a} exceeds the {b} GPUs one host can hold",
    [REFUSED_HOST_ASSUMED] = "TP={a} exceeds the {b} GPUs one host can hold (assumed)",
    [REFUSED_ONE_HOST] = "{engine} runs a replica on one host, which holds {b} of {a} GPUs",
    [REFUSED_COUNT] = "TP {tp} x PP {pp} x replicas {replicas} = {a} GPUs, but {b} were asked for",
};

static const char *const train_reason_words[TRAIN_REASON_COUNT] = {
    [TRAIN_REASON_METHOD] = "no training method was given",
    [TRAIN_REASON_TOKENS] = "{model} is not a model trained by tokens",
    [TRAIN_REASON_SEQUENCE] = "sequence: {plain sequence} is outside 1..100,000,000 tokens",
    [TRAIN_REASON_MICRO_BATCH] = "micro-batch: {micro-batch} is outside 1..1,000,000",
    [TRAIN_REASON_ZERO] = "ZeRO stage: {zero} is outside 0..3",
    [TRAIN_REASON_LORA_RANK] = "LoRA rank: {rank} is outside 1..65536",
    [TRAIN_REASON_DEGREES] = "GPUs, TP or PP are out of range",
    [TRAIN_REASON_POSITIONS] = "a sequence of {sequence} tokens exceeds the "
                               "{positions} learned positions",
    [TRAIN_REASON_TOO_MANY] = "TP x PP{x CP} exceeds {most GPUs} GPUs",
    [TRAIN_REASON_MULTIPLE] = "{gpus} GPUs are not a multiple of TP {tp} x PP {pp}{x CP}",
    [TRAIN_REASON_LAYOUT] = "{refusals}",
    [TRAIN_REASON_ZERO_PP] = "ZeRO-{zero} does not work with PP: gradients are kept over the "
                             "micro-batches (DeepSpeed's PipelineEngine refuses stages 2 and 3)",
    [TRAIN_REASON_OFFLOAD] = "offloading {offload} needs ZeRO-{lowest zero} or higher: a "
                             "rank offloads its own share",
    [TRAIN_REASON_STEP] = "an optimizer step in the backward pass works on one GPU or with ZeRO-3, "
                          "without PP and offloading: it frees each gradient at once",
    [TRAIN_REASON_CP] = "a sequence of {sequence} tokens cannot be cut into {cp} equal parts (CP)",
    [TRAIN_REASON_SEQUENCE_PARALLEL] = "sequence parallel cuts what TP leaves whole: it "
                                       "needs TP 2 or more",
    [TRAIN_REASON_MAP] = "layers in series (device_map) are one process: no ZeRO, TP, CP "
                         "or offloading",
    [TRAIN_REASON_MAP_HOST] = "layers in series (device_map) are one process: {gpus} GPUs "
                              "exceed the {host GPUs} of one host",
    [TRAIN_REASON_ADAPTERS] = "the model has no query and value projections to adapt",
    [TRAIN_REASON_NEEDS] = "needs {need} per GPU of {usable} (limit: {limit})",
    [TRAIN_REASON_NO_COUNT] = "no number of GPUs up to {most GPUs} surely fits: "
                              "activations and logits are the same on each",
};

static const char *const train_warning_words[TRAIN_WARNING_COUNT] = {
    [TRAIN_WARNING_NF4_STORED] = "QLoRA with ZeRO-3 or FSDP needs NF4 stored as 16-bit floats "
                                 "(bnb_4bit_quant_storage) and bitsandbytes 0.43 or later",
    [TRAIN_WARNING_ADAPTER_UNITS] = "wrap adapters in FSDP units of their own: units that mix "
                                    "frozen and trained parameters hold gradients for all of them",
    [TRAIN_WARNING_NO_SYNC] = "accumulate with gradients synchronised: FSDP under no_sync() holds "
                              "{whole gradients} GiB of whole gradients more",
    [TRAIN_WARNING_SELECTIVE] = "selective recompute saves nothing where flash "
                                "attention stores no scores",
    [TRAIN_WARNING_CONTEXT] = "the sequence exceeds the model's context of {most tokens} tokens",
    [TRAIN_WARNING_BF16] = "this GPU has no BF16: FP16 with loss scaling takes the same memory",
    [TRAIN_WARNING_HOST] = "the cheapest machine has {ram} of host memory",
    [TRAIN_WARNING_EAGER] = "where the model's own code stores attention scores it takes {eager} "
                            "and runs out: --attention eager plans for that, --trainer NAME and "
                            "--attention flash say that it does not",
};

static const char *const train_knob_words[TRAIN_KNOB_COUNT] = {
    [TRAIN_KNOB_ACTIVATIONS] = "activations",
    [TRAIN_KNOB_LOGITS] = "logits",
    [TRAIN_KNOB_BUFFERS] = "gathered parameters and buckets",
    [TRAIN_KNOB_GRADIENTS] = "gradients in 16 or 32 bit",
    [TRAIN_KNOB_WEIGHTS] = "parts of the base that stay in 16 bit",
    [TRAIN_KNOB_STEP] = "the optimizer's temporaries",
};

#define LORA "LoRA of rank {rank} over a frozen 16-bit base"
#define QLORA "QLoRA of rank {rank} over a frozen NF4 base"

static const struct {
    const char *options, *what;
} train_fix_words[TRAIN_FIX_KIND_COUNT] = {
    [TRAIN_FIX_FUSED] = {"--fused", "fused norm, MLP, attention and loss kernels"},
    [TRAIN_FIX_RECOMPUTE] = {"--recompute full", "compute activations again in the backward pass"},
    [TRAIN_FIX_ZERO] = {"--zero {zero}", "ZeRO-{zero}: {sharded} cut by {ranks} too"},
    [TRAIN_FIX_OFFLOAD] = {"--offload {offload} --zero {zero}",
                           "{offloaded} in host memory, {host} of each host"},
    [TRAIN_FIX_BATCH] = {"--micro-batch 1", "one sequence at a time, gradients accumulated"},
    [TRAIN_FIX_BOTH] = {"--recompute full --micro-batch 1",
                        "recompute, and one sequence at a time"},
    [TRAIN_FIX_GPUS] = {"--gpu {gpu}:{gpus} --zero {zero}", "{gpus} GPUs with ZeRO-{zero}"},
    [TRAIN_FIX_OPTIMIZER] = {"--optimizer adamw-8bit", "moments of one byte each"},
    [TRAIN_FIX_SEQUENCE] = {"--sequence {sequence}", "sequences of {sequence} tokens"},
    [TRAIN_FIX_LORA] = {"--train lora", LORA},
    [TRAIN_FIX_LORA_BOTH] = {"--train lora --recompute full --micro-batch 1", LORA},
    [TRAIN_FIX_QLORA] = {"--train qlora", QLORA},
    [TRAIN_FIX_QLORA_BOTH] = {"--train qlora --recompute full --micro-batch 1", QLORA},
};

/* ---- values by name ---- */

static void value_text(const struct sentence_value *v, struct strbuf *out)
{
    switch (v->kind) {
    case SAY_TEXT:
        strbuf_add(out, v->text);
        break;
    case SAY_NUMBER:
        strbuf_addf(out, "%.0f", v->number);
        break;
    case SAY_PLAIN:
        strbuf_add(out, UNITS_PLAIN(v->number, 6));
        break;
    case SAY_GIB:
        strbuf_add(out, UNITS_GIB(v->number));
        break;
    case SAY_BAND:
        strbuf_addf(out, "%.2f..%.2f GiB", v->number / GP_GIB, v->high / GP_GIB);
        break;
    case SAY_SHARE:
        strbuf_addf(out, "%.2f", v->number);
        break;
    case SAY_MS:
        strbuf_addf(out, v->number < 0.9995 ? "%.3g ms" : "%.3g s",
                    v->number < 0.9995 ? v->number * 1e3 : v->number);
        break;
    case SAY_TIMES:
        strbuf_addf(out, "%.1f", v->number);
        break;
    case SAY_VERSION:
        strbuf_addf(out, "%d.%d", (int)v->number / 10, (int)v->number % 10);
        break;
    case SAY_GPUS:
        strbuf_addf(out, "%.0f GPU%s", v->number, v->number == 1 ? "" : "s");
        break;
    case SAY_TOKENS:
        strbuf_add(out, UNITS_TOKENS(v->number));
        break;
    case SAY_WATTS:
        strbuf_add(out, UNITS_WATTS(v->number));
        break;
    case SAY_RATE:
        strbuf_addf(out, "%.4g %s", v->number / 1e12, v->text);
        break;
    }
}

const char *sentence_fill(const char *words, const struct sentence_value *values, struct texts *t)
{
    struct strbuf out;
    const char *text;

    strbuf_init(&out);
    while (*words) {
        size_t length = *words == '{' ? strcspn(words + 1, "}") : 0;
        const struct sentence_value *v = values;

        while (length > 0 && v->name &&
               (strncmp(v->name, words + 1, length) != 0 || v->name[length] != '\0'))
            v++;
        if (length > 0 && v->name) {
            value_text(v, &out);
            words += length + 2;
        } else {
            strbuf_addc(&out, *words++);
        }
    }
    text = texts_add(t, out.text);
    strbuf_fini(&out);
    return text;
}

/* ---- layouts ---- */

const char *sentence_gpus(const struct plan *plan, struct texts *texts)
{
    const struct gpu *gpu = plan->request.gpu;

    return gpu->mix ? gpu->id : texts_addf(texts, "%d x %s", plan->layout.gpus, gpu->id);
}

const char *sentence_layout(const struct layout *l, struct texts *t)
{
    bool apart = l->prefill_tp > 0;
    const char *text;

    if (apart)
        text = texts_addf(t, "%d x TP %d for prefill, %d x TP %d for decode", l->prefill,
                          l->prefill_tp, layout_decoding(l), l->tp);
    else
        text = texts_addf(t, "TP %d", l->tp);
    if (l->pp > 1)
        text = texts_addf(t, apart ? "%s, PP %d" : "%s x PP %d", text, l->pp);
    /* experts that are spread over replicas make them one server: its attention is data parallel */
    int dp = l->ep > l->tp && l->ep % l->tp == 0 && l->replicas % (l->ep / l->tp) == 0 && !apart
                 ? l->ep / l->tp
                 : 1;
    if (dp > 1)
        text = texts_addf(t, "%s x DP %d", text, dp);
    if (l->replicas / dp > 1 && !apart)
        text = texts_addf(t, "%s x %d replicas", text, l->replicas / dp);
    if (l->ep > 1)
        text = texts_addf(t, "%s, EP %d", text, l->ep);
    if (l->prefill > 0 && !apart)
        text = texts_addf(t, "%s (%d prefill, %d decode)", text, l->prefill, layout_decoding(l));
    return text;
}

static bool needs_tp(enum refusal_code code)
{
    return code >= REFUSED_MLP_BLOCK && code <= REFUSED_GATE_BLOCK;
}

/* "TP 4": the largest below it that the weights allow, whatever the count of GPUs. */
static const char *another_tp(const struct request *q, const struct layout *asked, struct texts *t)
{
    struct request r = *q;
    struct layout l = *asked;

    r.gpu_count = r.prefill = 0;
    r.split = false;
    for (l.tp--; l.tp > 0; l.tp--) {
        if (l.ep > 1)
            l.ep = l.ep == asked->tp ? l.tp : 1;
        if (layout_valid(&r, &l))
            return texts_addf(t, "TP %d", l.tp);
    }
    return "another TP";
}

const char *sentence_refusals(const struct request *q, const struct layout *l, struct texts *t)
{
    struct refusal list[16];
    int count = layout_refusals(q, l, list, 16);
    const char *text = "";

    for (int i = 0; i < count && i < 16; i++) {
        const struct sentence_value values[] = {
            {"a", SAY_NUMBER, .number = list[i].a},
            {"b", SAY_NUMBER, .number = list[i].b},
            {"engine", SAY_TEXT, .text = q->engine ? q->engine->name : ""},
            {"weight", SAY_TEXT, .text = q->precision.weight ? q->precision.weight->id : ""},
            {"blocks", SAY_TEXT,
             .text =
                 q->precision.weight && q->precision.weight->group_rows > 1 ? "blocks" : "groups"},
            {"another tp", SAY_TEXT, .text = needs_tp(list[i].code) ? another_tp(q, l, t) : ""},
            {"tp", SAY_NUMBER, .number = l->tp},
            {"pp", SAY_NUMBER, .number = l->pp},
            {"replicas", SAY_NUMBER, .number = l->replicas},
            {.name = NULL},
        };

        text = texts_addf(t, "%s%s%s", text, i ? "; " : "",
                          sentence_fill(refusal_words[list[i].code], values, t));
    }
    return text;
}

/* ---- reasons and warnings ---- */

/* ": over PCIe at 64 GB/s at most that takes 0.17 s at least". */
static const char *link_time(const struct plan *p, struct texts *t)
{
    const struct gpu *g = p->request.gpu;
    double rate = roofline_pcie(g->pcie_gen, g->pcie_lanes);
    char seconds[32], bandwidth[32];

    if (rate <= 0)
        return "";
    return texts_addf(t, ": over PCIe at %s at most that takes %s at least",
                      units_bandwidth(bandwidth, sizeof(bandwidth), rate),
                      units_seconds(seconds, sizeof(seconds), p->memory.host.value / rate, 2));
}

/* "AWS accelerators": the vendor as its products' names begin with it. */
static const char *devices_of(const struct gpu *g, const struct engine *e, struct texts *t)
{
    bool named = gpu_short_name(g) > g->name;

    if (g->host)
        return "processors";
    if (e && engine_lists(e->vendors, g->vendor)) /* on others of this vendor it does */
        return texts_addf(t, "%s GPUs", g->architecture);
    return texts_addf(t, "%.*s%s%s", (int)strlen(g->vendor), named ? g->name : g->vendor,
                      g->vendor[0] ? " " : "", g->memory_only ? "accelerators" : "GPUs");
}

/* Why the engine that is usual was not taken: the GPU, or the weights. */
static const char *passed_over(const struct request *q, struct texts *t)
{
    const struct engine *usual = q->usual_engine;
    const struct gpu *g = q->gpu;

    if (usual && !reason_loads(q, usual) && engine_runs_on(usual, g) &&
        !engine_excludes(usual, SUPPORT_ENGINE, "", "", g->compute_capability))
        return texts_addf(t, "loads no %s %s",
                          q->precision.native ? q->model->native_method : q->precision.weight->id,
                          q->precision.native ? "checkpoints" : "weights");
    return texts_addf(t, "%s on %s", g->host ? "is not planned" : "does not run",
                      devices_of(g, q->engine, t));
}

/* "architecture (see --list families) and tflops" */
static const char *sentence_figures_missing(const struct gpu *g, struct texts *t)
{
    bool unknown = g->family && strcmp(g->family->id, FAMILY_UNKNOWN) == 0;
    bool rate = gpu_rate_assumed(g);

    return texts_addf(t, "%s%s%s%s",
                      !unknown             ? ""
                      : g->architecture[0] ? "family"
                                           : "architecture",
                      unknown ? " (see --list families)" : "", unknown && rate ? " and " : "",
                      rate ? "tflops" : "");
}

/* "compute capability 7.5 to 9.0" */
static const char *gpus_that_run(const struct support *s, struct texts *t)
{
    const char *low, *high;

    if (!s)
        return "";
    low = texts_addf(t, "%d.%d", s->from / 10, s->from % 10);
    high = texts_addf(t, "%d.%d", s->until / 10, s->until % 10);
    if (s->until <= 0)
        return texts_addf(t, "compute capability %s or higher", low);
    if (s->from <= 0)
        return texts_addf(t, "compute capability %s or lower", high);
    return texts_addf(t, "compute capability %s to %s", low, high);
}

/* words of a request: they hold whatever the layout; row: of the engine's support, or NULL. */
/* What the engine moves by itself. */
static const char *placed_words(const struct plan *p, struct texts *t)
{
    const struct request *q = &p->request;
    bool whole = q->host_layers > 0;

    if (!q->host_placed)
        return "";
    return texts_addf(t, ", %s%d of %d layers%s, moved by %s itself as they do not fit",
                      whole ? "" : "experts of ", whole ? q->host_layers : q->host_experts,
                      q->model->layer_count,
                      whole && q->host_experts > q->host_layers ? " and the others' experts" : "",
                      q->engine->name);
}

static const char *first_version(const struct request *q, struct texts *t)
{
    char version[ENGINE_VERSION_TEXT];

    return engine_first_of(q->engine, q->model->family, version) > 0 ? texts_addf(t, "%s", version)
                                                                     : "";
}

static const char *say_request(const struct plan *p, const char *words, const struct support *row,
                               struct texts *t)
{
    const struct request *q = &p->request;
    const struct gpu *g = q->gpu;
    const struct engine *e = q->engine;
    enum format_math math = q->precision.weight->math;
    double rate = math < MATH_COUNT ? g->rate[math].value : 0, half = g->rate[MATH_FP16].value;
    const struct quantity *fp8 = &g->rate[MATH_FP8];
    const struct sentence_value values[] = {
        {"engine", SAY_TEXT, .text = e->name},
        {"note", SAY_TEXT, .text = q->model->note},
        {"method", SAY_TEXT, .text = q->model->native_method},
        {"there", SAY_TEXT,
         .text = engine_loads_method(e, q->model->native_method, 0)
                     ? texts_addf(t, " on compute capability %d.%d", g->compute_capability / 10,
                                  g->compute_capability % 10)
                     : ""},
        {"usual engine", SAY_TEXT,
         .text = !q->usual_engine                              ? ""
                 : strcmp(q->usual_engine->name, e->name) == 0 ? "a newer one"
                                                               : q->usual_engine->name},
        {"vendor", SAY_TEXT,
         .text = g->vendor[0] ? texts_addf(t, "(%s) is not known", g->vendor)
                              : "is not in its profile"},
        {"runs not", SAY_TEXT, .text = g->host ? "is not planned" : "does not run"},
        {"devices", SAY_TEXT, .text = devices_of(g, q->engine, t)},
        {"passed over", SAY_TEXT, .text = passed_over(q, t)},
        {"gpu", SAY_TEXT, .text = g->id},
        {"network", SAY_NUMBER, .number = 100 * p->speed.network},
        {"figures missing", SAY_TEXT, .text = sentence_figures_missing(g, t)},
        {"family", SAY_TEXT, .text = q->model->family},
        {"first version", SAY_TEXT, .text = first_version(q, t)},
        {"cc", SAY_VERSION, .number = g->compute_capability},
        {"gpus that run", SAY_TEXT, .text = gpus_that_run(row, t)},
        {"cure", SAY_TEXT, .text = row && row->cure[0] ? texts_addf(t, ": %s", row->cure) : ""},
        {"weight", SAY_TEXT, .text = q->precision.weight->id},
        {"kv", SAY_TEXT, .text = q->kv ? q->kv->id : ""},
        {"versions", SAY_TEXT, .text = e->range},
        {"host", SAY_GIB, .number = p->memory.host.value},
        {"prompt cache", SAY_GIB, .number = e->prompt_cache_gib * GP_GIB},
        {"host kv", SAY_GIB, .number = q->host_kv},
        {"draft", SAY_TEXT, .text = q->draft ? q->draft->id : ""},
        {"drafter", SAY_TEXT, .text = draft_facts[q->draft_kind].name},
        {"trained", SAY_TOKENS, .number = model_trained_context(q->model)},
        {"yarn", SAY_NUMBER, .number = q->model->yarn.factor},
        {"draft words", SAY_NUMBER, .number = q->draft ? q->draft->vocab : 0},
        {"words", SAY_NUMBER, .number = q->model->vocab},
        {"link time", SAY_TEXT, .text = link_time(p, t)},
        {"placed", SAY_TEXT, .text = placed_words(p, t)},
        {"context", SAY_TOKENS, .number = q->context},
        {"fewer logits", SAY_GIB, .number = p->memory.activation.value - p->memory.activation.low},
        {"replicas", SAY_NUMBER, .number = p->layout.replicas},
        {"idle", SAY_NUMBER, .number = plan_idle(p)},
        {"beyond", SAY_PLAIN, .number = round(q->spread.beyond * 1000) / 10},
        {"math", SAY_TEXT, .text = math < MATH_COUNT ? format_math_word(math) : ""},
        {"rate", SAY_RATE, .number = rate,
         .text = math == MATH_INT8 || math == MATH_INT4 ? "TOPS" : "TFLOPS"},
        {"slots", SAY_TEXT, .text = e->slots_least == 1 ? "one slot" : "4 slots"},
        {"slots option", SAY_TEXT, .text = e->slots_option},
        {"seqs large", SAY_NUMBER, .number = e->seqs_large},
        {"tokens large", SAY_NUMBER, .number = e->tokens_large},
        {"seqs", SAY_PLAIN, .number = p->memory.max_num_seqs},
        {"tokens", SAY_PLAIN, .number = p->memory.max_batched_tokens},
        {"times slower", SAY_TIMES, .number = half / rate},
        {"fp8 is fast", SAY_TEXT,
         .text = fp8->known && fp8->value > half ? "; FP8 is the fast 8-bit type here" : ""},
        {.name = NULL},
    };

    return sentence_fill(words, values, t);
}

/* "of 1,280 tokens, each up to 8,192" */
static const char *sentence_lengths(const struct request *q, struct texts *t)
{
    double end = memory_end_tokens(q) - (q->model->pooling ? q->output : 0);

    if (end >= q->context)
        return texts_addf(t, "x %s tokens", UNITS_TOKENS(q->context));
    return texts_addf(t, "of %s%s tokens, %sup to %s", q->spread.end > 1 ? "up to " : "",
                      UNITS_TOKENS(end), q->users > 1 ? "each " : "", UNITS_TOKENS(q->context));
}

const char *sentence_load(const struct request *q, struct texts *t)
{
    const char *lengths = sentence_lengths(q, t);

    if (q->rate > 0 && q->users <= 1) /* a comparison: as many at once as each GPU makes of it */
        return texts_addf(t, "%.4g requests/s %s", q->rate, lengths);
    if (q->rate > 0)
        return texts_addf(t, "%.4g requests/s: up to %.0f at once %s", q->rate, q->users, lengths);
    return texts_addf(t, "%.0f user%s %s", q->users, q->users == 1 ? "" : "s", lengths);
}

/* " (14.06 GiB while they are spread)": what the pool has to hold all the same, where
 * that is less than all at full length. */
static const char *kv_least(const struct memory *m, struct texts *t)
{
    double one = m->sequence.reserved, mean = m->kv_mean.value;

    if (fmax(one, mean) >= m->kv_reserved.value)
        return "";
    return texts_addf(t, one > mean ? " (%s by one)" : " (%s while they are spread)",
                      UNITS_GIB(fmax(one, mean)));
}

/* What an engine may take where others hold the rest; no share below the option's least. */
static const char *use_less(double share, struct texts *t)
{
    if (share < 0.05)
        return "stop the programs that hold the rest, or take another GPU";
    return texts_addf(t, "--memory-utilization %.2f at most", floor(share * 100) / 100);
}

/* As many slots as there are blocks of state for sure; no number where that is none. */
static const char *slots_that(const struct memory *m, const char *are, struct texts *t)
{
    if (m->state_blocks.low < 1)
        return "no number of slots is sure to start";
    return texts_addf(t, "--max-num-seqs %.0f %s", floor(m->state_blocks.low), are);
}

/* Bytes that the fraction leaves, and the most that they have to hold. */
static double fraction_leaves(const struct plan *p, double *most)
{
    const struct memory *m = &p->memory;
    double share = 1 - fmin(m->fraction * (1 - p->request.headroom), 1);

    *most = m->activation.high + m->graphs.high;
    if (memory_budget(&p->request) == BUDGET_STATIC)
        return fmax(m->usable.low - p->request.used - m->non_torch.high, 0) * share;
    if (m->graphs_charged.high > 0)
        *most = fmax(m->graphs.high - m->graphs_charged.high, 0);
    return fmax(m->usable.low * share - m->context.value, 0);
}

/* words of a layout and its memory. */
const char *sentence_turned(const struct plan *p, struct texts *t)
{
    const struct knobs *k = &p->turned;
    char text[128] = "";

    if (k->seqs > 0)
        gp_append(text, sizeof(text), " ", "--max-num-seqs %.0f", k->seqs);
    if (k->tokens > 0)
        gp_append(text, sizeof(text), " ", "--max-batched-tokens %.0f", k->tokens);
    if (k->utilization > 0)
        gp_append(text, sizeof(text), " ", "--memory-utilization %.2f", k->utilization);
    if (k->eager)
        gp_append(text, sizeof(text), " ", "--enforce-eager");
    return texts_add(t, text);
}

const char *sentence_turned_short(const struct plan *p, struct texts *t)
{
    const struct knobs *k = &p->turned;
    char text[128] = "";

    if (k->seqs > 0)
        gp_append(text, sizeof(text), ", ", "%.0f slots", k->seqs);
    if (k->tokens > 0)
        gp_append(text, sizeof(text), ", ", "%.0f batched tokens", k->tokens);
    if (k->utilization > 0)
        gp_append(text, sizeof(text), ", ", "utilization %.2f", k->utilization);
    if (k->eager)
        gp_append(text, sizeof(text), ", ", "no CUDA graphs");
    return texts_add(t, text);
}

/* "misses", by what of the band does. */
static const char *misses_word(const struct goal *goal)
{
    return goal->state == GOAL_MISSED     ? "misses"
           : goal->state == GOAL_UNLIKELY ? "likely misses"
                                          : "does not surely meet";
}

/* "TTFT p99 412 ms likely misses the goal of 400 ms", of the percentile that misses its goal by the
 * most; where none was replayed, the mean is too slow for it. */
static const char *late_misses(const struct plan *p, const struct goal *goals, enum late first,
                               const char *mean, struct texts *t)
{
    const struct goal *worst = NULL;
    char a[32], b[32];
    int at = 0;

    for (int i = first; i < (int)first + LATE_POINTS; i++) {
        const struct goal *g = &goals[SPEED_GOAL_LATE + i];

        if (g->state != GOAL_NOT_ASKED &&
            (!worst || g->estimate.value / g->asked > worst->estimate.value / worst->asked)) {
            worst = g;
            at = i;
        }
    }
    if (!worst)
        return texts_addf(t, "the mean of %s is beyond the goal of its percentile", mean);
    return texts_addf(t, "%s %s %s the goal of %s", late_label((enum late)at),
                      units_seconds(a, sizeof(a), worst->estimate.value, 3), misses_word(worst),
                      units_seconds(b, sizeof(b), p->request.late[at], 3));
}

static const char *say_layout(const struct plan *p, const char *words, struct texts *t)
{
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    double usable = m->usable.value, unused = usable - q->used;
    double overheads, rest = fraction_leaves(p, &overheads);
    struct goal goals[SPEED_GOALS];

    goals_of(q, &p->speed, goals);
    const struct sentence_value values[] = {
        {"engine", SAY_TEXT, .text = q->engine->name},
        {"refusals", SAY_TEXT, .text = sentence_refusals(q, &p->layout, t)},
        {"context", SAY_TOKENS, .number = q->context},
        {"most tokens", SAY_TOKENS,
         .number = q->engine->yarn ? q->model->max_context : model_trained_context(q->model)},
        {"users", SAY_NUMBER, .number = m->users},
        {"states", SAY_NUMBER, .number = m->state_blocks.value},
        {"slots at most", SAY_TEXT, .text = slots_that(m, "at most", t)},
        {"slots sure", SAY_TEXT, .text = slots_that(m, "is sure to start", t)},
        {"slots", SAY_NUMBER, .number = m->max_num_seqs},
        {"most slots", SAY_NUMBER, .number = q->engine->slots_most},
        {"asked slots", SAY_NUMBER, .number = fmax(m->max_num_seqs, m->users)},
        {"tokens", SAY_NUMBER, .number = m->max_batched_tokens},
        {"budget", SAY_GIB, .number = fmax(m->budget.value, 0)},
        {"unused", SAY_GIB, .number = fmax(unused, 0)},
        {"use less", SAY_TEXT, .text = use_less(unused / usable, t)},
        {"weights", SAY_GIB, .number = m->weights.value},
        {"at least", SAY_TEXT, .text = kv_least(m, t)},
        {"reserved", SAY_GIB, .number = m->kv_reserved.value},
        {"end tokens", SAY_TEXT,
         .text = m->one_full
                     ? texts_addf(t, "%s tokens and one of %s", UNITS_TOKENS(memory_end_tokens(q)),
                                  UNITS_TOKENS(q->context))
                     : texts_addf(t, "%s tokens", UNITS_TOKENS(q->context))},
        {"at their end", SAY_TEXT,
         .text = m->one_full ? "all at their end, and one of full length, need"
                             : "all at full length need"},
        {"mean", SAY_GIB, .number = m->kv_mean.value},
        {"prefill tp", SAY_NUMBER, .number = p->layout.prefill_tp},
        {"mean tokens", SAY_NUMBER, .number = memory_mean_tokens(q)},
        {"pool", SAY_GIB, .number = fmax(m->kv_pool.value, 0)},
        {"short", SAY_GIB, .number = fmax(-m->kv_pool.value, 0)},
        {"pool high", SAY_GIB, .number = m->kv_pool.high},
        {"pool band", SAY_BAND, .number = fmax(m->kv_pool.low, 0), .high = m->kv_pool.high},
        {"over", SAY_GIB, .number = fmax(-m->free.low, 0)},
        {"knob", SAY_TEXT, .text = sentence_knob(p, t)},
        {"overheads", SAY_GIB, .number = overheads},
        {"rest", SAY_SHARE, .number = rest / GP_GIB},
        {"count", SAY_NUMBER, .number = q->gpu_count},
        {"stages", SAY_NUMBER, .number = search_most_stages(q)},
        {"ttft", SAY_MS, .number = p->speed.ttft.value},
        {"ttft misses", SAY_TEXT, .text = misses_word(&goals[SPEED_GOAL_TTFT])},
        {"tpot misses", SAY_TEXT, .text = misses_word(&goals[SPEED_GOAL_TPOT])},
        {"throughput misses", SAY_TEXT, .text = misses_word(&goals[SPEED_GOAL_THROUGHPUT])},
        {"late TTFT", SAY_TEXT, .text = late_misses(p, goals, LATE_TTFT_P50, "TTFT", t)},
        {"late TPOT", SAY_TEXT, .text = late_misses(p, goals, LATE_TPOT_P50, "TPOT", t)},
        {"late E2E", SAY_TEXT, .text = late_misses(p, goals, LATE_E2E_P50, "TTFT", t)},
        {"ttft goal", SAY_MS, .number = q->ttft},
        {"tpot", SAY_MS, .number = p->speed.tpot.value},
        {"tpot goal", SAY_MS, .number = q->tpot},
        {"throughput", SAY_NUMBER, .number = p->speed.tokens.value},
        {"throughput goal", SAY_PLAIN, .number = q->throughput},
        {"per hour", SAY_SHARE, .number = p->cost.per_hour},
        {"budget goal", SAY_SHARE, .number = q->budget},
        {"turned", SAY_TEXT, .text = sentence_turned(p, t)},
        {"usual tokens", SAY_NUMBER, .number = p->default_options.max_batched_tokens},
        {"usual ttft", SAY_MS, .number = p->default_options.ttft},
        {"usual tpot", SAY_MS, .number = p->default_options.tpot},
        {"rate", SAY_PLAIN, .number = q->rate},
        {"served", SAY_SHARE, .number = p->speed.capacity},
        {"saturated", SAY_TEXT, .text = sentence_saturation(p->speed.saturation)},
        {"speed gap", SAY_TEXT,
         .text = p->speed.gap != SPEED_KNOWN
                     ? sentence_speed_gap(p, t)
                     : "percentiles take a replay, and the engine's scheduler is not known"},
        {"gpu", SAY_TEXT, .text = q->gpu->id},
        {"drawing GPUs", SAY_GPUS, .number = p->layout.gpus},
        {"capped GPUs", SAY_GPUS, .number = p->power.capped_gpus},
        {"watts", SAY_WATTS, .number = p->power.sheet},
        {"cap", SAY_WATTS, .number = q->power_cap},
        {"in fewer stages", SAY_TEXT,
         .text = p->marginal_layout.gpus == p->layout.gpus ? ", as many in fewer stages," : ""},
        {"nearly GPUs", SAY_GPUS, .number = p->marginal_layout.gpus},
        {"enough GPUs", SAY_GPUS, .number = p->enough},
        {"nearly", SAY_TEXT, .text = sentence_layout(&p->marginal_layout, t)},
        {.name = NULL},
    };

    return sentence_fill(words, values, t);
}

/* The i-th bit that is set; -1 when there are not that many. */
static int bit_at(uint64_t bits, int i)
{
    for (int b = 0; bits >> b; b++)
        if ((bits >> b & 1) && i-- == 0)
            return b;
    return -1;
}

const char *sentence_reason(const struct plan *p, int i, struct texts *t)
{
    int r = bit_at(p->reasons, i);
    bool layout = r == REASON_LAYOUT || (r >= REASON_CONTEXT && r != REASON_MEMORY_ONLY);

    if (r < 0)
        return NULL;
    return layout ? say_layout(p, reason_words[r], t)
                  : say_request(p, reason_words[r], reason_support(&p->request, r), t);
}

const char *sentence_first_reason(const struct plan *p, struct texts *t)
{
    const char *text = sentence_reason(p, 0, t);

    return text ? text : "";
}

const char *sentence_warning(const struct plan *p, int i, struct texts *t)
{
    int w = bit_at(p->warnings, i);

    const struct request *q = &p->request;
    const struct support *row =
        w == WARNING_GGUF
            ? engine_support(q->engine, SUPPORT_METHOD, "gguf", "", 0)
            : engine_excludes(q->engine, SUPPORT_WHEELS, "", "", q->gpu->compute_capability);

    return w < 0 ? NULL : say_request(p, warning_words[w], row, t);
}

/* ---- what decides ---- */

const char *sentence_knob(const struct plan *p, struct texts *t)
{
    struct quantity q = plan_knob_part(&p->memory, p->knob);
    const char *name = knob_words[p->knob].name, *advice = knob_words[p->knob].advice;

    if (p->knob == KNOB_NONE)
        return "";
    if (p->knob == KNOB_USABLE && gpu_shares_memory(p->request.gpu))
        advice = strcmp(p->request.gpu->vendor, "apple") == 0
                     ? "sysctl iogpu.wired_limit_mb sets it"
                     : "the BIOS sets it, and ttm.pages_limit of Linux";
    if (p->knob == KNOB_ENGINE) /* of no known size */
        return texts_addf(t, "%s: %s", name, advice);
    return texts_addf(t, "%s (%.2f..%.2f GiB)%s%s", name, q.low / GP_GIB, q.high / GP_GIB,
                      advice ? ": " : "", advice ? advice : "");
}

const char *sentence_worse_by(const struct runner_up *r, struct texts *t)
{
    switch (r->by) {
    case WORSE_GOAL:
        switch (r->limit) {
        case LIMIT_TTFT:
            return texts_addf(t, "TTFT %.3g ms", r->more * 1e3);
        case LIMIT_TPOT:
            return texts_addf(t, "TPOT %.3g ms", r->more * 1e3);
        case LIMIT_THROUGHPUT:
            return texts_addf(t, "%.0f tokens/s", r->more);
        case LIMIT_RATE:
            return texts_addf(t, "serves %.3g requests/s", r->more);
        case LIMIT_BUDGET:
            return texts_addf(t, "%s/h", UNITS_MONEY(r->more));
        default:
            return "";
        }
    case WORSE_TOKENS:
        return texts_addf(t, "%.0f %% slower", 100 * r->more);
    case WORSE_GPUS:
    case WORSE_PAID:
        return texts_addf(t, "%.0f GPU%s more%s", r->more, r->more == 1 ? "" : "s",
                          r->by == WORSE_PAID ? " to pay for" : "");
    case WORSE_MONEY:
        return isfinite(r->more) ? texts_addf(t, "%s/h more", UNITS_MONEY(r->more))
                                 : "its price is unknown";
    default:
        return lost_words[r->by];
    }
}

/* ---- prices ---- */

static const char *const note_words[] = {
    [COST_NOTE_NONE] = "",
    [COST_NOTE_MEMORY_ONLY] = "{gpu} is not priced: the catalogue has its memory only",
    [COST_NOTE_NO_PURCHASE] = "no purchase price of {gpu} is known",
    [COST_NOTE_NO_OFFER] = "nobody in the catalogue rents this at a {class} price",
    [COST_NOTE_NARROWED] =
        "nobody rents this at a {class} price with that provider, region or date",
    [COST_NOTE_UNDATED] = "its source gives this price no date: check it",
    [COST_NOTE_OLD] = "the price is {days} days old: check it",
    [COST_NOTE_AHEAD] = "the price is dated ahead of this clock: check both",
};

const char *sentence_cost_note(const struct plan *p, struct texts *t)
{
    static const char *const classes[] = {
        [WANT_ON_DEMAND] = "list",
        [WANT_SPOT] = "spot",
        [WANT_MARKET] = "marketplace",
        [WANT_BUY] = "",
    };
    const struct rent *r = cost_wanted(&p->cost);
    const struct sentence_value values[] = {
        {"gpu", SAY_TEXT, .text = p->request.gpu->id},
        {"class", SAY_TEXT, .text = classes[p->cost.want]},
        {"days", SAY_NUMBER, .number = r ? (double)r->age_days : 0},
        {.name = NULL},
    };

    return sentence_fill(note_words[p->cost.note], values, t);
}

const char *sentence_rent_note(const struct plan *p, const struct rent *r, struct texts *t)
{
    const struct cost *c = &p->cost;
    const struct instance *in = r->instance;
    bool dearer = r == &c->spot && c->on_demand.known && r->per_hour > c->on_demand.per_hour;
    int unused = r->gpus_paid - p->layout.gpus;
    const char *text = "";

    if (!r->known)
        return "";
    if (dearer)
        text = "dearer than on demand";
    if (unused > 0)
        text = texts_addf(t, "%s%s%d of %d GPUs %s not used", text, text[0] ? "; " : "", unused,
                          r->gpus_paid, unused == 1 ? "is" : "are");
    if (in->per_gpu)
        text = texts_addf(t, "%s%sprice per GPU of a shared host", text, text[0] ? "; " : "");
    if (in->assumed || in->note[0])
        text = texts_addf(t, "%s%s%s%s", text, text[0] ? "; " : "",
                          in->assumed ? "assumed: " : "note: ",
                          in->note[0] ? in->note : "a key figure is a guess");
    if (r->apart)
        text = texts_addf(t, "%s%sthe GPUs of one request are in several instances", text,
                          text[0] ? "; " : "");
    return text;
}

const char *sentence_price_date(const struct instance *in, struct texts *t)
{
    const char *before = in->basis == DATE_READ ? "by " : in->basis == DATE_FILE ? "file of " : "";
    int most = in->basis == DATE_READ ? 7 : 10; /* the month is all that counts */

    return texts_addf(t, "%s%.*s", in->date[0] ? before : "", most, in->date);
}

const char *sentence_purchase(const struct buy *b, struct texts *t)
{
    if (strchr(b->what, '+')) /* unlike GPUs have their counts in their names */
        return texts_addf(t, "%s%s", b->what, b->server ? "" : " and hosts");
    return texts_addf(t, "%d x %s%s", b->count, b->what, b->server ? "" : " and hosts");
}

const char *sentence_purchase_date(const struct buy *b, struct texts *t)
{
    return b->launch_year > 0 ? texts_addf(t, "%d launch", b->launch_year) : b->as_of;
}

/* ---- fixes ---- */

const char *sentence_fix(const struct fix *f, struct texts *t)
{
    const struct request *q = &f->request;
    const char *knobs = "";

    for (int c = 0; c < CHANGE_COUNT; c++)
        if ((f->changes >> c & 1) && change_words[c])
            knobs = texts_addf(t, "%s%s%s", knobs, knobs[0] ? ", and " : "", change_words[c]);
    const struct sentence_value values[] = {
        {"users", SAY_NUMBER, .number = q->users},
        {"slots", SAY_NUMBER, .number = q->max_num_seqs},
        {"batched", SAY_TOKENS, .number = q->max_batched_tokens},
        {"context", SAY_TOKENS, .number = q->context},
        {"knobs", SAY_TEXT, .text = knobs},
        {"weights", SAY_TEXT, .text = q->precision.weight->id},
        {"kv", SAY_TEXT,
         .text = !q->kv || q->kv->bits >= 16 ? "a 16-bit"
                 : q->kv->block > 0          ? "a Q8_0"
                                             : "an FP8"},
        {"engine", SAY_TEXT, .text = q->engine->name},
        {"release", SAY_TEXT,
         .text = q->engine->from > 0 ? texts_addf(t, " %s", q->engine->range) : ""},
        {"gpu", SAY_TEXT, .text = q->gpu->name},
        {"tp", SAY_NUMBER, .number = q->tp},
        {"stages", SAY_NUMBER, .number = q->max_pp},
        {"adapters", SAY_NUMBER, .number = q->lora_slots},
        {"host layers", SAY_NUMBER, .number = q->host_layers},
        {"host experts", SAY_NUMBER, .number = q->host_experts},
        {"layers", SAY_NUMBER, .number = q->model->layer_count},
        {"host", SAY_GIB, .number = q->host_bytes},
        {"count", SAY_NUMBER, .number = f->gpus},
        {"GPUs", SAY_GPUS, .number = f->gpus},
        {.name = NULL},
    };

    return sentence_fill(fix_words[f->kind], values, t);
}

/* " (-51 %)" */
static const char *changed_by(double now, double then, struct texts *t)
{
    return now > 0 && then > 0 ? texts_addf(t, " (%+.0f %%)", (now / then - 1) * 100) : "";
}

const char *sentence_better(const struct plan *p, const struct fix *f, struct texts *t)
{
    double million = better_per_million(f);
    struct quantity own = plan_token_price(p);
    const char *money = "", *hour = "";

    if (million > 0)
        money = texts_addf(t, "%s per million%s, ", UNITS_MONEY(million),
                           changed_by(million, own.known ? own.value : 0, t));
    if (f->per_hour > 0)
        hour = texts_addf(t, ", %s/h", UNITS_MONEY(f->per_hour));
    else if (f->kind == FIX_PRECISION)
        hour = texts_addf(t, ", %d GPU%s", f->gpus, f->gpus == 1 ? "" : "s");
    bool pooling = p->request.model->pooling;
    double pace = pooling ? f->ttft : f->tpot;

    return texts_addf(t, "%s: %s%s %.1f ms%s%s", sentence_fix(f, t), money,
                      pooling ? "a prompt in" : "TPOT", pace * 1e3,
                      changed_by(pace, plan_pace(p).value, t), hour);
}

/* ---- speed ---- */

static const char *const gap_words[SPEED_GAPS] = {
    [SPEED_KNOWN] = "",
    [SPEED_NO_FAMILY] = "{memory}",
    [SPEED_NO_RATE] = "the data sheet of {gpu} gives no bandwidth or no rate of this type",
    [SPEED_NO_ENGINE] = "no constants of {engine}",
    [SPEED_NO_TOKENS] = "{no tokens}",
    [SPEED_NO_LAYOUT] = "the plan does not fit",
    [SPEED_NO_LINK] = "the link between {gpu} GPUs is not known",
    [SPEED_ON_HOST] = "weights in host memory are read at its pace, which is not known",
};

/* Of an encoder the data sheet's bound; nothing else was measured. */
static const char *no_tokens(const struct plan *p, struct texts *t)
{
    struct roofline one = roofline_prompt(&p->request);

    if (!one.time.known)
        return "this model does not decode tokens";
    double most = p->layout.gpus / one.time.value;

    return texts_addf(t, "at most %s prompts/s by the sheet; none was measured",
                      most < 100 ? UNITS_PLAIN(most, 2) : UNITS_TOKENS(floor(most)));
}

const char *sentence_speed_gap(const struct plan *p, struct texts *t)
{
    const struct request *q = &p->request;
    const struct sentence_value values[] = {
        {"gpu", SAY_TEXT, .text = q->gpu->id},
        {"memory", SAY_TEXT,
         .text = q->gpu->vendor[0]
                     ? texts_addf(t, "of %s only the memory is known", q->gpu->id)
                     : texts_addf(t, "a bandwidth gives one: -g %s@1000GB/s", q->gpu->id)},
        {"engine", SAY_TEXT, .text = q->engine ? q->engine->name : ""},
        {"no tokens", SAY_TEXT, .text = no_tokens(p, t)},
        {.name = NULL},
    };

    return sentence_fill(gap_words[p->speed.gap], values, t);
}

const char *sentence_saturation(enum saturation saturation)
{
    static const char *const words[SATURATES_COUNT] = {
        [SATURATES_PREFILL] = "the work of prompts",
        [SATURATES_RUNNING] = "the engine's slots",
        [SATURATES_POOL] = "the KV pool",
        [SATURATES_DECODE] = "decode steps",
        [SATURATES_TRANSFER] = "the link that moves KV",
    };

    return words[saturation];
}

const char *sentence_speed_bound(const struct plan *p)
{
    static const char *const words[SPEED_BY_COUNT] = {
        [SPEED_BY_WEIGHTS] = "memory bandwidth: reading the weights",
        [SPEED_BY_COMPUTE] = "arithmetic of the products",
        [SPEED_BY_EXPERTS] = "the routed experts",
        [SPEED_BY_KV] = "memory bandwidth: reading the KV cache",
        [SPEED_BY_LINK] = "all-reduces between the GPUs",
        [SPEED_BY_LAUNCH] = "launches and the engine's own time",
        [SPEED_BY_PREFILL] = "prompts of the other users",
        [SPEED_BY_DRAFT] = "drafting tokens",
        [SPEED_BY_HOST] = "host memory: the weights that are kept there",
    };

    /* no token is decoded: a step's parts are of none */
    return p->request.model->pooling ? sentence_saturation(SATURATES_PREFILL)
                                     : words[p->speed.bound];
}

static const char *const doubt_words[DOUBT_COUNT] = {
    [DOUBT_DENSE] = "dense model",
    [DOUBT_EXPERTS] = "mixture of experts",
    [DOUBT_MIXED] = "MLA or recurrent layers",
    [DOUBT_BUILD] = "engine's build and host unknown",
    [DOUBT_FAMILY] = "few measurements of this GPU generation",
    [DOUBT_KERNEL] = "another kernel's figures stand in",
    [DOUBT_INT4_EXPERTS] = "4-bit experts: kernels differ",
    [DOUBT_PCIE] = "GPUs linked by PCIe",
    [DOUBT_MANY] = "more than 128 users at once",
    [DOUBT_DRAFT] = "speculative decoding",
    [DOUBT_POINT] = "corrected by one point of the server",
    [DOUBT_POINTS_2] = "corrected by two points of the server",
    [DOUBT_POINTS_3] = "corrected by three or more points of the server",
    [DOUBT_LAYOUT] = "points of another layout",
    [DOUBT_MANY_EXPERTS] = "more than 128 users of experts or recurrent layers",
    [DOUBT_ATTENTION_DP] = "attention data parallel",
    [DOUBT_NETWORK] = "network between hosts unknown",
    [DOUBT_BANDWIDTH] = "memory bandwidth",
    [DOUBT_ARRIVALS] = "requests in flight at this rate",
    [DOUBT_NEWER] = "engine newer than any measured",
    [DOUBT_LOCAL] = "build and host of a local engine unknown",
    [DOUBT_LOCAL_GPU] = "GPU generation, one user",
    [DOUBT_MEASURED] = "device measured",
    [DOUBT_RATE] = "arithmetic assumed from the bandwidth",
    [DOUBT_ON_HOST] = "host's memory and processors",
};

/* Whose measurements the GPU's doubt rests on, and where they say nothing of these kernels. */
static const char *say_doubt(const struct plan *p, enum doubt doubt, struct texts *t)
{
    const struct calib *c = p->request.gpu->family->calib;

    if (c && doubt == DOUBT_MEASURED && c->labs > 0)
        return texts_addf(t, "GPU by %d result%s of other labs, %s", c->labs,
                          c->labs == 1 ? "" : "s", c->date);
    if (c && doubt == DOUBT_FAMILY)
        return "GPU: these kernels are not among those measured";
    return doubt_words[doubt];
}

const char *sentence_speed_doubts(const struct plan *p, struct texts *t)
{
    const char *text = "";
    double low, high;

    for (int i = 0; i < DOUBT_COUNT; i++) {
        if (!(p->speed.doubts >> i & 1))
            continue;
        speed_doubt_of(&p->speed, (enum doubt)i, p->request.gpu, &low, &high);
        if (low * high < 1.005 && i != DOUBT_MEASURED) /* of a part of the step that is small */
            continue;
        text = texts_addf(t, "%s%s%s (/%.2f..x%.2f)", text, text[0] ? ", " : "",
                          say_doubt(p, (enum doubt)i, t), low, high);
    }
    return text;
}

/* Of the GPU itself: what its own measurements take away. */
#define OF_DEVICE (1u << DOUBT_FAMILY | 1u << DOUBT_BANDWIDTH | 1u << DOUBT_RATE)

const char *sentence_speed_narrower(const struct plan *p, struct texts *t)
{
    int widest = -1;
    double low, high, most = 1;

    for (int i = 0; i < DOUBT_COUNT; i++) {
        speed_doubt_of(&p->speed, (enum doubt)i, p->request.gpu, &low, &high);
        if ((p->speed.doubts >> i & 1) && low * high > most) {
            most = low * high;
            widest = i;
        }
    }
    if (widest < 0 || widest == DOUBT_POINTS_3)
        return "";
    if (1u << widest & OF_DEVICE && !(widest == DOUBT_FAMILY && p->request.gpu->family->calib))
        return texts_addf(t, "--confirm on this GPU; widest: %s", doubt_words[widest]);
    if (widest == DOUBT_ON_HOST && !p->request.host.told)
        return texts_addf(t,
                          "--host-memory, as ddr5-5600x2, and --host-threads of yours; widest: %s",
                          doubt_words[widest]);
    speed_doubt(DOUBT_POINTS_3, p->request.gpu, &low, &high);
    if (p->speed.doubts >> DOUBT_ARRIVALS & 1) { /* points tell nothing of these */
        double below, above;

        speed_doubt_of(&p->speed, DOUBT_ARRIVALS, p->request.gpu, &below, &above);
        low = exp(hypot(log(low), log(below)));
        high = exp(hypot(log(high), log(above)));
    }
    if (low * high >= p->speed.factor_low * p->speed.factor_high)
        return "";
    return texts_addf(t,
                      "three runs of the server's benchmark, --calibration FILE: "
                      "band then /%.2f..x%.2f, now /%.2f..x%.2f; widest: %s",
                      low, high, p->speed.factor_low, p->speed.factor_high, doubt_words[widest]);
}

/* "TPOT, mixtures of experts on vLLM: 254 rows, median error 12 %, in band 91 %" */
const char *sentence_speed_hit(const struct plan *p, const struct hit *h, struct texts *t)
{
#define X(NAME, word, words) [HIT_##NAME] = words,
    static const char *const kinds[HIT_KIND_COUNT] = {HIT_KINDS(X)};
    static const char *const phases[HIT_PHASE_COUNT] = {HIT_PHASES(X)};
#undef X
    const struct request *q = &p->request;

    if (!h)
        return "no measured row of this kind";
    return texts_addf(t, "%s, %s on %s: %d rows%s%s, median error %.0f %%, in band %.0f %%",
                      phases[h->phase], kinds[h->kind], q->engine->name, h->rows,
                      engine_lists(h->families, q->gpu->family->id) ? "" : " of other GPUs",
                      p->speed.doubts >> DOUBT_NETWORK & 1 ? " in one host" : "", 100 * h->median,
                      100 * h->inside);
}

/* ---- training ---- */

static const char *say_train(const struct request *q, const struct train_memory *m,
                             const char *words, struct texts *texts)
{
    const struct train *t = &m->train;
    struct request plain = train_request(q);
    struct layout l = train_layout(t);
    const struct sentence_value values[] = {
        {"model", SAY_TEXT, .text = q->model->id},
        {"plain sequence", SAY_PLAIN, .number = t->sequence},
        {"eager", SAY_GIB, .number = m->eager},
        {"sequence", SAY_NUMBER, .number = t->sequence},
        {"positions", SAY_NUMBER, .number = q->model->positions},
        {"micro-batch", SAY_PLAIN, .number = t->micro_batch},
        {"zero", SAY_NUMBER, .number = t->zero_stage},
        {"rank", SAY_NUMBER, .number = t->lora_rank},
        {"offload", SAY_TEXT, .text = train_offload_word(t->offload)},
        {"cp", SAY_NUMBER, .number = t->cp},
        {"x CP", SAY_TEXT, .text = t->cp > 1 ? texts_addf(texts, " x CP %d", t->cp) : ""},
        {"host GPUs", SAY_NUMBER, .number = q->host_gpus},
        {"lowest zero", SAY_NUMBER, .number = train_lowest_stage(t)},
        {"gpus", SAY_NUMBER, .number = t->gpus},
        {"most GPUs", SAY_NUMBER, .number = PLAN_MAX_GPUS},
        {"tp", SAY_NUMBER, .number = t->tp},
        {"pp", SAY_NUMBER, .number = t->pp},
        {"refusals", SAY_TEXT, .text = sentence_refusals(&plain, &l, texts)},
        {"need", SAY_GIB, .number = m->total.value + q->used},
        {"usable", SAY_GIB, .number = m->usable.value},
        {"limit", SAY_TEXT, .text = train_limit_word(m->limit)},
        {"ram", SAY_GIB, .number = m->host_ram},
        {"whole gradients", SAY_TIMES, .number = m->local * 2 / GP_GIB},
        {"most tokens", SAY_TOKENS, .number = q->model->max_context},
        {.name = NULL},
    };

    return sentence_fill(words, values, texts);
}

const char *sentence_train_reason(const struct request *q, const struct train_memory *m, int i,
                                  struct texts *t)
{
    int r = bit_at(m->reasons, i);

    return r < 0 ? NULL : say_train(q, m, train_reason_words[r], t);
}

const char *sentence_train_warning(const struct request *q, const struct train_memory *m, int i,
                                   struct texts *t)
{
    int w = bit_at(m->warnings, i);

    return w < 0 ? NULL : say_train(q, m, train_warning_words[w], t);
}

const char *sentence_train_knob(const struct train_memory *m, struct texts *t)
{
    struct quantity part = train_knob_part(m);

    if (m->verdict != VERDICT_MARGINAL)
        return "";
    return texts_addf(t, "%s: %s to %s", train_knob_words[m->knob], UNITS_GIB(part.low),
                      UNITS_GIB(part.high));
}

static const char *say_train_fix(const struct request *q, const struct train_fix *f,
                                 const char *words, struct texts *t)
{
    static const char *const sharded[] = {"", "master and moments", "gradients", "weights"};
    const struct sentence_value values[] = {
        {"zero", SAY_NUMBER, .number = f->train.zero_stage},
        {"sharded", SAY_TEXT, .text = sharded[f->train.zero_stage]},
        {"ranks", SAY_NUMBER, .number = f->ranks},
        {"offload", SAY_TEXT, .text = train_offload_word(f->train.offload)},
        {"offloaded", SAY_TEXT,
         .text = f->train.offload == OFFLOAD_PARAMETERS ? "optimizer and weights"
                                                        : "optimizer and gradients"},
        {"host", SAY_GIB, .number = f->host},
        {"gpu", SAY_TEXT, .text = q->gpu->id},
        {"gpus", SAY_NUMBER, .number = f->gpus},
        {"sequence", SAY_NUMBER, .number = f->train.sequence},
        {"rank", SAY_NUMBER, .number = f->train.lora_rank},
        {.name = NULL},
    };

    return sentence_fill(words, values, t);
}

const char *sentence_train_fix(const struct request *q, const struct train_fix *f, struct texts *t)
{
    return say_train_fix(q, f, train_fix_words[f->kind].what, t);
}

const char *sentence_train_options(const struct request *q, const struct train_fix *f,
                                   struct texts *t)
{
    return say_train_fix(q, f, train_fix_words[f->kind].options, t);
}
