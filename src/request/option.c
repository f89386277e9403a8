/*
 * option.c - see option.h.
 */
#include "request/option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

#define R  FOR_REQUEST
#define RB (FOR_REQUEST | FOR_BATCH)
#define P  FOR_PLAN
#define M  FOR_BENCH /* measuring */

const struct option_row option_rows[OPTION_COUNT] = {
    [OPT_MODEL] =
        {"model", 'm', OPTION_TEXT, "MODEL", "", 0, 0, NULL, "none", R, true,
         "catalogue id, a folder or file (config.json, safetensors, GGUF), or a "
         "size such as 70B"},
    [OPT_PRECISION] = {"precision", 'p', OPTION_TEXT, "FORMAT", "", 0, 0, NULL,
                       "the model's own", R, true,
                       "format of the weights: fp16, fp8, int4-awq, q4_k_m, ..."},
    [OPT_KV_PRECISION] = {"kv-precision", 0, OPTION_TEXT, "FORMAT", "", 0, 0, NULL,
                          "the activations'", R, false, "format of the KV cache"},
    [OPT_GPU] = {"gpu", 'g', OPTION_TEXT, "GPU[/SLICE][:COUNT]", "", 0, 0, NULL,
                 "the one in this machine, else the cheapest that fits", R, true,
                 "GPU by id, with a MIG slice and a count; all; local"},
    [OPT_USED] = {"used", 0, OPTION_BYTES, "BYTES", "GiB", 0, 4096 * GP_GIB, NULL, "0",
                  R, false, "memory per GPU that other programs already hold"},
    [OPT_ENGINE] = {"engine", 0, OPTION_TEXT, "NAME[@VERSION]", "", 0, 0, NULL,
                    "newest vllm range; llama.cpp for GGUF", R, false,
                    "inference engine and its version"},
    [OPT_CONTEXT] = {"context", 'c', OPTION_TOKENS, "TOKENS", "tokens", 1, 1e9, NULL,
                     "8192, or the model's maximum if less", R, false,
                     "tokens one request may hold, prompt and output together"},
    [OPT_PROMPT] = {"prompt", 0, OPTION_TOKENS, "TOKENS", "tokens", 1, 1e9, NULL,
                    "1024", R, false, "tokens of a typical prompt"},
    [OPT_OUTPUT] = {"output-tokens", 0, OPTION_TOKENS, "TOKENS", "tokens", 1, 1e9, NULL,
                    "256", R, false, "tokens of a typical answer"},
    [OPT_USERS] = {"users", 'u', OPTION_COUNTED, "N", "requests", 1, 1e6, NULL, "1", R,
                   false, "requests in flight at once"},
    [OPT_RATE] = {"rate", 0, OPTION_NUMBER, "N", "requests/s", 1e-6, 1e6, NULL, "none", R,
                  false, "requests that arrive per second, in place of --users"},
    [OPT_PREFIX_HIT] = {"prefix-hit", 0, OPTION_NUMBER, "SHARE", "", 0, 1, NULL, "0", R,
                        false, "share of each prompt that the prefix cache holds"},
    [OPT_TTFT] = {"ttft", 0, OPTION_NUMBER, "MS", "ms", 0.1, 1e7, NULL, "none", R, false,
                  "goal: milliseconds to the first token under this load"},
    [OPT_TPOT] = {"tpot", 0, OPTION_NUMBER, "MS", "ms", 0.01, 1e6, NULL, "none", R, false,
                  "goal: milliseconds for each output token after the first"},
    [OPT_TP] = {"tp", 0, OPTION_COUNTED, "N", "GPUs", 1, 1024, NULL, "auto", R, false,
                "GPUs that share each layer (tensor parallel)"},
    [OPT_PP] = {"pp", 0, OPTION_COUNTED, "N", "stages", 1, 512, NULL, "auto", R, false,
                "pipeline stages"},
    [OPT_MAX_PP] = {"max-pp", 0, OPTION_COUNTED, "N", "stages", 1, 512, NULL, "8", R,
                    false, "most stages that auto may choose; --pp may exceed it"},
    [OPT_EP] = {"ep", 0, OPTION_COUNTED, "N", "GPUs", 1, 1024, NULL, "auto", R, false,
                "GPUs the experts are spread over"},
    [OPT_DP] = {"dp", 0, OPTION_COUNTED, "N", "copies", 1, 1024, NULL, "auto", R, false,
                "copies of the attention over which the experts are spread"},
    [OPT_REPLICAS] = {"replicas", 0, OPTION_COUNTED, "N", "copies", 1, 1024, NULL,
                      "auto", R, false,
                      "whole copies of the model that share the users"},
    [OPT_MAX_NUM_SEQS] = {"max-num-seqs", 0, OPTION_COUNTED, "N", "requests", 1, 65536,
                          NULL, "the engine's, for this GPU", R, false,
                          "slots of the engine; sets its sampler workspace"},
    [OPT_MAX_BATCHED_TOKENS] = {"max-batched-tokens", 0, OPTION_TOKENS, "TOKENS",
                                "tokens", 1, 1e7, NULL, "the engine's, for this GPU", R,
                                false,
                                "tokens of one step; sets its activation memory"},
    [OPT_MEMORY_UTILIZATION] = {"memory-utilization", 0, OPTION_NUMBER, "SHARE", "",
                                0.05, 1, NULL, "the engine's", R, false,
                                "share of the GPU's memory the engine takes"},
    [OPT_HEADROOM] = {"headroom", 0, OPTION_NUMBER, "SHARE", "", 0, 0.9, NULL, "0", R,
                      false, "share of that budget to leave free"},
    [OPT_GPU_LAYERS] = {"gpu-layers", 0, OPTION_COUNTED, "N", "layers", 0, 1e6, NULL,
                        "all", R, false,
                        "llama.cpp: layers on GPUs, the output counted as one; the first "
                        "ones stay in host memory"},
    [OPT_N_CPU_MOE] = {"n-cpu-moe", 0, OPTION_COUNTED, "N", "layers", 0, 1e6, NULL, "0",
                       R, false,
                       "llama.cpp: layers from the first whose experts stay in host "
                       "memory"},
    [OPT_CPU_OFFLOAD_GB] = {"cpu-offload-gb", 0, OPTION_NUMBER, "GIB", "GiB", 0, 65536,
                            NULL, "0", R, false,
                            "vLLM: GiB of each GPU's weights that stay in host memory"},
    [OPT_KV_OFFLOAD_GB] = {"kv-offload-gb", 0, OPTION_NUMBER, "GIB", "GiB", 0, 65536,
                           NULL, "0", R, false,
                           "vLLM, SGLang: GiB of host memory that keep KV for later "
                           "requests"},
    [OPT_NO_KV_OFFLOAD] = {"no-kv-offload", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off",
                           R, false, "llama.cpp: the whole KV cache in host memory"},
    [OPT_DRAFT] = {"draft", 0, OPTION_TEXT, "MODEL", "", 0, 0, NULL, "none", R, false,
                   "model that drafts tokens, or mtp: the model's own layers for it"},
    [OPT_SPECULATIVE_TOKENS] = {"speculative-tokens", 0, OPTION_COUNTED, "N", "tokens", 1,
                                64, NULL, "the engine's, with --draft", R, false,
                                "tokens drafted in each step"},
    [OPT_ACCEPTANCE] = {"acceptance", 0, OPTION_NUMBER, "SHARE", "", 0.01, 0.99, NULL,
                        "none", R, false,
                        "share of the drafted tokens that the model accepts"},
    [OPT_LORA] = {"lora", 0, OPTION_TEXT, "N[:RANK]", "", 0, 0, NULL, "none", R, false,
                  "LoRA adapters at once and their largest rank, 16 if not given"},
    [OPT_LANGUAGE_MODEL_ONLY] = {"language-model-only", 0, OPTION_FLAG, NULL, "", 0, 0,
                                 NULL, "off", R, false,
                                 "vLLM: neither load nor profile a vision tower"},
    [OPT_PRUNE] = {"prune", 0, OPTION_TEXT, "KIND", "", 0, 0, NULL, "none", R, false,
                   "none, 2:4, a percentage of zeros, layers:8 or width:25%"},
    [OPT_SOLVE] = {"solve", 0, OPTION_WORD, "FIELD", "", 0, 0,
                   "gpus|context|users|precision|budget", "none", P, false,
                   "find the best value of one field that still fits"},
    [OPT_PRICE] = {"price", 0, OPTION_WORD, "CLASS", "", 0, 0,
                   "on-demand|spot|market|buy", "on-demand", R, false,
                   "class of prices to use"},
    [OPT_PROVIDER] = {"provider", 0, OPTION_TEXT, "NAME[,NAME...]", "", 0, 0, NULL,
                      "all", R, false, "rent only from these providers"},
    [OPT_REGION] = {"region", 0, OPTION_TEXT, "TEXT", "", 0, 0, NULL, "any", R, false,
                    "rent only in regions whose name contains this, as in us or eu-"},
    [OPT_DATED] = {"dated", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", R, false,
                   "only prices with a date of their own; \"by 2026-11\" does not count"},
    [OPT_API_PRICE] = {"api-price", 0, OPTION_TEXT, "IN:OUT", "$/M tokens", 0, 0, NULL,
                       "none", R, false,
                       "an API's dollars per million tokens of prompt and answer, to "
                       "compare with"},
    [OPT_HOURS] = {"hours", 0, OPTION_NUMBER, "N", "h/month", 1, 744, NULL, "730", R,
                   false, "hours of use per month"},
    [OPT_ELECTRICITY] = {"electricity", 0, OPTION_NUMBER, "PRICE", "$/kWh", 0.001, 10,
                         NULL, "the catalogue's", R, false,
                         "price of electricity when buying"},
    [OPT_TRAIN] = {"train", 0, OPTION_WORD, "METHOD", "", 0, 0, "full|lora|qlora",
                   "none", P, false, "plan fine-tuning memory instead of inference"},
    [OPT_ZERO] = {"zero", 0, OPTION_COUNTED, "STAGE", "", 0, 3, NULL,
                  "the lowest that fits", P, false, "ZeRO stage of --train"},
    [OPT_RECOMPUTE] = {"recompute", 0, OPTION_WORD, "KIND", "", 0, 0,
                       "auto|none|selective|full", "auto", P, false,
                       "activation recomputation of --train"},
    [OPT_SEQUENCE] = {"sequence", 0, OPTION_TOKENS, "TOKENS", "tokens", 1, 1e8, NULL,
                      "2048", P, false, "sequence length of --train"},
    [OPT_MICRO_BATCH] = {"micro-batch", 0, OPTION_COUNTED, "N", "sequences", 1, 65536,
                         NULL, "1", P, false, "sequences per GPU and step of --train"},
    [OPT_LORA_RANK] = {"lora-rank", 0, OPTION_COUNTED, "R", "", 1, 4096, NULL, "16", P,
                       false, "rank of the adapters of --train lora or qlora"},
    [OPT_LORA_TARGETS] = {"lora-targets", 0, OPTION_WORD, "KIND", "", 0, 0, "linear|qv",
                          "linear", P, false,
                          "matrices that --train lora or qlora adapts: all, or query "
                          "and value"},
    [OPT_MODULES_TO_SAVE] = {"modules-to-save", 0, OPTION_WORD, "KIND", "", 0, 0,
                             "none|embed|head|both", "none", P, false,
                             "what --train lora or qlora trains whole beside adapters"},
    [OPT_OPTIMIZER] = {"optimizer", 0, OPTION_TEXT, "NAME", "", 0, 0, NULL, "adamw", P,
                       false, "optimizer of --train"},
    [OPT_ATTENTION] = {"attention", 0, OPTION_WORD, "KIND", "", 0, 0, "flash|eager",
                       "flash", P, false,
                       "attention kernel of --train; eager stores all scores"},
    [OPT_LOSS] = {"loss", 0, OPTION_WORD, "KIND", "", 0, 0, "eager|chunked|fused",
                  "eager, or fused with --fused", P, false,
                  "how --train computes the loss from the logits"},
    [OPT_OFFLOAD] = {"offload", 0, OPTION_WORD, "KIND", "", 0, 0,
                     "none|optimizer|parameters", "none", P, false,
                     "what --train keeps in host memory: optimizer and gradients, or "
                     "weights too"},
    [OPT_STEP_IN_BACKWARD] = {"step-in-backward", 0, OPTION_FLAG, NULL, "", 0, 0, NULL,
                              "off", P, false,
                              "--train full that applies each gradient at once"},
    [OPT_CP] = {"cp", 0, OPTION_COUNTED, "N", "GPUs", 1, 256, NULL, "1", P, false,
                "GPUs that share each sequence of --train (context parallel)"},
    [OPT_SEQUENCE_PARALLEL] = {"sequence-parallel", 0, OPTION_FLAG, NULL, "", 0, 0, NULL,
                               "off", P, false,
                               "--train with --tp that cuts norms and inputs too"},
    [OPT_DEVICE_MAP] = {"device-map", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", P,
                        false,
                        "--train in one process, its layers in series over the GPUs"},
    [OPT_FUSED] = {"fused", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", P, false,
                   "--train with fused norm, MLP, attention and loss kernels"},
    [OPT_DEVICE] = {"device", 'd', OPTION_TEXT, "N[,N...]", "", 0, 0, NULL, "all", M,
                    false, "devices to measure, as --dry-run numbers them, or all"},
    [OPT_TYPE] = {"type", 't', OPTION_TEXT, "TYPE[,TYPE...]", "", 0, 0, NULL,
                  "all the device has", M, false,
                  "operand types: fp32, fp32-pedantic, tf32, fp16, fp16-acc16, bf16, "
                  "int8, fp8, mxfp8, nvfp4"},
    [OPT_SHAPES] = {"shapes", 0, OPTION_TEXT, "M:N:K[,...]", "", 0, 0, NULL, "squares",
                    M, false, "matrix shapes for gemm"},
    [OPT_SIZE] = {"size", 0, OPTION_TEXT, "LOW[:HIGH]", "", 0, 0, NULL,
                  "the test's own", M, false,
                  "range of sizes for memory, transfer and allreduce"},
    [OPT_CACHE] = {"cache", 0, OPTION_WORD, "STATE", "", 0, 0, "cold|weights-cold|hot",
                   "the test's own", M, false,
                   "what the last-level cache holds when a product starts"},
    [OPT_FILL] = {"fill", 0, OPTION_WORD, "KIND", "", 0, 0, "uniform|normal|zeros",
                  "uniform", M, false,
                  "contents of the operands; zeros: not comparable"},
    [OPT_CHECK] = {"check", 0, OPTION_WORD, "HOW", "", 0, 0, "sample|none|full",
                   "sample", M, false, "how many results of a product are verified"},
    [OPT_PRESET] = {"preset", 0, OPTION_WORD, "NAME", "", 0, 0, "quick|normal|thorough",
                    "normal", M, false,
                    "points and time for each; quick when no TEST is named"},
    [OPT_REL_CI] = {"rel-ci", 0, OPTION_NUMBER, "PERCENT", "%", 0.01, 100, NULL, "1", M,
                    false, "end a point when its median is known to within this"},
    [OPT_MAX_TIME] = {"max-time", 0, OPTION_NUMBER, "SECONDS", "s", 0.001, 3600, NULL,
                      "the preset's", M, false, "longest time of one point"},
    [OPT_TIME_LIMIT] =
        {"time-limit", 0, OPTION_TEXT, "TIME", "", 0, 0, NULL, "none", M, false,
         "time for the whole run, as in 90s, 10m, 2h; ends after a point"},
    [OPT_DRY_RUN] = {"dry-run", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", M, false,
                     "print points, memory and time; measure nothing"},
    [OPT_RESUME] = {"resume", 0, OPTION_PATH, "JOURNAL", "", 0, 0, NULL, "none", M,
                    false, "continue an interrupted run from its .part file"},
    [OPT_STRICT] = {"strict", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off",
                    M | FOR_COMPARE_RESULTS | FOR_MERGE, false,
                    "exit 5 when a point is flagged, not confirmed or a straggler"},
    [OPT_TOLERANCE] = {"tolerance", 0, OPTION_NUMBER, "PERCENT", "%", 0, 90, NULL, "5",
                       M | FOR_COMPARE_RESULTS, false,
                       "how much slower than the reference still counts as equal"},
    [OPT_EXPECT] = {"expect", 0, OPTION_PATH, "FILE", "", 0, 0, NULL, "none", M, false,
                    "a reference result: exit 5 unless this run confirms it"},
    [OPT_PROM] = {"prom", 0, OPTION_PATH, "DIR", "", 0, 0, NULL, "none", M, false,
                  "also write gpuplan.prom there, for a Prometheus collector"},
    [OPT_BACKEND] = {"backend", 0, OPTION_WORD, "NAME", "", 0, 0, "auto|cuda|cpu",
                     "GPUs where there are some, else the CPU", M, false,
                     "engine to measure with"},
    [OPT_ALGOS] = {"algos", 0, OPTION_COUNTED, "N", "", 1, 64, NULL, "16", M, false,
                   "cuBLASLt algorithms to try per product"},
    [OPT_WORKSPACE] = {"workspace", 0, OPTION_BYTES, "BYTES", "GiB", 0, 4 * GP_GIB,
                       NULL, "32MiB", M, false,
                       "workspace a cuBLASLt algorithm may use"},
    [OPT_MAX_MEMORY] = {"max-memory", 0, OPTION_BYTES, "BYTES", "GiB", 1048576,
                        4096 * GP_GIB, NULL,
                        "a quarter of the free memory; decode: most of it", M, false,
                        "memory one engine may allocate for operands"},
    [OPT_STORAGE] = {"storage", 0, OPTION_PATH, "FILE", "", 0, 0, NULL,
                     "a temporary one", M, false,
                     "file that transfer reads, as a model loader would"},
    [OPT_SEED] = {"seed", 0, OPTION_COUNTED, "N", "", 0, 9007199254740991.0, NULL,
                  "24301", M, false, "seed of the points' order and of the operands"},
    [OPT_FORCE] = {"force", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", M, false,
                   "measure a GPU even if other processes use it"},
    [OPT_LOCK_CLOCKS] = {"lock-clocks", 0, OPTION_TEXT, "base|MHZ", "", 0, 0, NULL,
                         "not locked", M, false,
                         "lock the GPU's SM clock while measuring; needs root"},
    [OPT_NVML_INTERVAL] = {"nvml-interval", 0, OPTION_NUMBER, "MS", "ms", 10, 1000,
                           NULL, "50", M, false, "time between two sensor readings"},
    [OPT_ANONYMOUS] = {"anonymous", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", M,
                       false, "write a hash in place of this host's name"},
    [OPT_PROGRESS] = {"progress", 0, OPTION_WORD, "KIND", "", 0, 0,
                      "auto|plain|json|none", "auto", M, false,
                      "what to show on standard error while measuring"},
    [OPT_PLAIN] = {"plain", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_SCREEN,
                   false, "ask line by line instead of drawing screens"},
    [OPT_ASCII] = {"ascii", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_SCREEN,
                   false, "draw with ASCII characters only"},
    [OPT_COLOR] = {"color", 0, OPTION_WORD, "SCHEME", "", 0, 0,
                   "auto|always|never|16|dark|light", "auto", FOR_SCREEN, false,
                   "colors of the screens; always: even if NO_COLOR is set"},
    [OPT_NO_MOUSE] = {"no-mouse", 0, OPTION_FLAG, NULL, "", 0, 0, NULL, "off",
                      FOR_SCREEN, false, "leave the mouse to the terminal"},
    [OPT_SORT] = {"sort", 0, OPTION_WORD, "COLUMN", "", 0, 0, "cost|gpus|memory|name",
                  "cost", FOR_COMPARE, false,
                  "order of the rows; memory: total over all GPUs"},
    [OPT_PROFILES] = {"profiles", 0, OPTION_PATH, "DIR", "", 0, 0, NULL, "none",
                      FOR_ALL, false, "a folder of profiles that override all others"},
    [OPT_FORMAT] = {"format", 'f', OPTION_WORD, "FORMAT", "", 0, 0,
                    "text|json|csv|markdown", "text", FOR_PRINTING & ~FOR_BATCH, false,
                    "how to print the answer"},
    [OPT_OUT] = {"output", 'o', OPTION_PATH, "FILE|TOKENS", "", 0, 0, NULL,
                 "standard output", FOR_PRINTING, false,
                 "write the result to a file, whole or not at all; a number means "
                 "--output-tokens"},
    [OPT_WHY] = {"why", 'w', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", P, false,
                 "print each term with its equation, inputs and source"},
    [OPT_QUIET] = {"quiet", 'q', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_PRINTING,
                   false, "only the verdict and errors"},
    [OPT_VERBOSE] = {"verbose", 'v', OPTION_FLAG, NULL, "", 0, 0, NULL, "off",
                     FOR_PRINTING, false,
                     "also warnings about profiles, and all sources"},
    [OPT_HELP] = {"help", 'h', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_ALL, false,
                  "list the commands and options"},
    [OPT_VERSION] = {"version", 'V', OPTION_FLAG, NULL, "", 0, 0, NULL, "off", FOR_ALL,
                     false, "print the version"},
};

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
            return false;
    return *a == *b;
}

int option_find(const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (same_name(name, option_rows[i].name) ||
            (name[0] && !name[1] && name[0] == option_rows[i].key))
            return i;
    return -1;
}

int option_find_word(const char *word)
{
    char name[64];

    word += strspn(word, "-");
    return gp_format(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word)
               ? option_find(name)
               : -1;
}

/* ---- setting ---- */

static enum gp_status too_many(const char *where, struct gp_err *err)
{
    return gp_fail(err, GP_E_USAGE, where, "split the request",
                   "given more than %d times", OPTIONS_MAX_MANY);
}

static enum gp_status set_many(const char **list, int *count, const char *where,
                               const char *text, struct gp_err *err)
{
    if (*count >= OPTIONS_MAX_MANY)
        return too_many(where, err);
    list[(*count)++] = text;
    return GP_OK;
}

/* The place of the text among "text|json|csv"; -1 when it is none of them. */
static int choice_place(const char *choices, const char *text)
{
    size_t n = strlen(text);
    for (int place = 0; choices[0]; place++) {
        size_t len = strcspn(choices, "|");
        if (len == n && strncmp(choices, text, n) == 0)
            return place;
        choices += len + (choices[len] == '|');
    }
    return -1;
}

static enum gp_status check_word(const struct option_row *row, const char *where,
                                 const char *text, struct gp_err *err)
{
    if (choice_place(row->choices, text) >= 0)
        return GP_OK;
    return gp_fail(err, GP_E_USAGE, where, row->choices,
                   "'%s' is not one of the choices", text);
}

static enum gp_status parse_value(const struct option_row *row, const char *where,
                                  const char *text, double *value, struct gp_err *err)
{
    switch (row->type) {
    case OPTION_TOKENS:
        return units_parse_tokens(text, where, value, err);
    case OPTION_BYTES:
        return units_parse_bytes(text, where, value, err);
    default:
        return units_parse_number(text, where, value, err);
    }
}

enum gp_status options_twice(const char *where, struct gp_err *err)
{
    return gp_fail(err, GP_E_USAGE, where, "keep one of them", "is given twice");
}

enum gp_status options_number(struct options *options, enum option_id id, const char *where,
                          double value, struct gp_err *err)
{
    const struct option_row *row = &option_rows[id];
    double scale = row->type == OPTION_BYTES ? GP_GIB : 1;
    if (id == OPT_OUT && options->value[OPT_OUTPUT].given)
        return options_twice(where, err);
    if (id == OPT_OUT)
        return options_number(options, OPT_OUTPUT, where, value, err);
    if (row->type < OPTION_COUNTED || row->type == OPTION_PATH)
        return gp_fail(err, GP_E_USAGE, where, "put it in quotes", "must be text");
    if (!isfinite(value) || value < row->low || value > row->high)
        return gp_fail(err, GP_E_USAGE, where, row->help, "%s is outside %s..%s %s",
                       UNITS_PLAIN(value / scale, 6), UNITS_PLAIN(row->low / scale, 6),
                       UNITS_PLAIN(row->high / scale, 6), row->unit);
    if ((row->type == OPTION_COUNTED || row->type == OPTION_TOKENS) &&
        value != floor(value))
        return gp_fail(err, GP_E_USAGE, where, row->help, "%s is not a whole number",
                       UNITS_PLAIN(value, 6));
    options->value[id] = (struct option_value){.given = true, .number = value};
    return GP_OK;
}

enum gp_status options_text(struct options *options, enum option_id id, const char *where,
                        const char *text, struct gp_err *err)
{
    const struct option_row *row = &option_rows[id];
    enum gp_status status = GP_OK;
    double value = 0;
    if (id == OPT_OUT && units_parse_tokens(text, where, &value, NULL) == GP_OK)
        return options_number(options, OPT_OUT, where, value, err);
    if (row->type >= OPTION_COUNTED && row->type != OPTION_PATH) {
        if (strcmp(text, "auto") == 0 && strcmp(row->fallback, "auto") == 0) {
            options->value[id] = (struct option_value){.given = true, .text = text};
            return GP_OK;
        }
        status = parse_value(row, where, text, &value, err);
        if (!status)
            status = options_number(options, id, where, value, err);
        if (!status)
            options->value[id].text = text;
        return status;
    }
    if (row->type == OPTION_WORD)
        status = check_word(row, where, text, err);
    else if (row->type != OPTION_FLAG && text[0] == '\0')
        status = gp_fail(err, GP_E_USAGE, where, row->help, "is empty");
    if (!status && id == OPT_MODEL)
        status = set_many(options->models, &options->model_count, where, text, err);
    if (!status && id == OPT_PRECISION)
        status = set_many(options->precisions, &options->precision_count, where, text, err);
    if (!status && id == OPT_GPU)
        status = set_many(options->gpus, &options->gpu_count, where, text, err);
    if (!status)
        options->value[id] = (struct option_value){.given = true, .text = text};
    return status;
}

enum gp_status options_inference(const struct options *options, const char *why, struct gp_err *err)
{
    char where[80];
    for (int id = OPT_TRAIN; id <= OPT_FUSED; id++)
        if (options->value[id].given) {
            gp_format(where, sizeof(where), "--%s", option_rows[id].name);
            return gp_fail(err, GP_E_USAGE, where, "gpuplan --plan --train METHOD",
                           "%s", why);
        }
    return GP_OK;
}

bool options_flag(const struct options *options, enum option_id id)
{
    return options->value[id].given;
}

double options_or(const struct options *options, enum option_id id, double fallback)
{
    const struct option_value *v = &options->value[id];
    return v->given && v->number > 0 ? v->number : fallback;
}

int options_choice(const struct options *options, enum option_id id)
{
    const struct option_row *row = &option_rows[id];
    return choice_place(row->choices, options_word(options, id, row->fallback));
}

const char *option_choice(enum option_id id, int place, char word[OPTION_CHOICE_MAX])
{
    const char *choices = option_rows[id].choices;
    if (place < 0)
        choices = "none";
    for (int i = 0; i < place; i++)
        choices += strcspn(choices, "|") + 1;
    gp_format(word, OPTION_CHOICE_MAX, "%.*s", (int)strcspn(choices, "|"), choices);
    return word;
}

const char *options_word(const struct options *options, enum option_id id, const char *fallback)
{
    return options->value[id].given && options->value[id].text ? options->value[id].text : fallback;
}

/* ---- the command line of a request ---- */

/* Options of a question; not of how it is printed, nor of what was solved for. */
static bool asks(int id)
{
    return id == OPT_PROFILES ||
           ((option_rows[id].commands & FOR_COMPARE) &&
            (option_rows[id].commands & FOR_TABLE) && id < OPT_TRAIN);
}

/* Does `changes` give this option? */
static bool changed(const char *changes, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = strstr(changes, "--"); p; p = strstr(p + 2, "--"))
        if (strncmp(p + 2, name, n) == 0 && (p[2 + n] == ' ' || p[2 + n] == '\0'))
            return true;
    return false;
}

void options_command(const struct options *options, const char *changes, struct strbuf *out)
{
    strbuf_add(out, "gpuplan --plan");
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_rows[id];
        const struct option_value *v = &options->value[id];
        const char *text = id == OPT_MODEL && options->model_count > 0 ? options->models[0]
                           : id == OPT_PRECISION && options->precision_count > 0
                               ? options->precisions[0]
                           : id == OPT_GPU && options->gpu_count > 0 ? options->gpus[0]
                                                                 : v->text;
        if (!asks(id) || !v->given || changed(changes, row->name))
            continue;
        if (row->key)
            strbuf_addf(out, " -%c", row->key);
        else
            strbuf_addf(out, " --%s", row->name);
        if (row->type == OPTION_FLAG)
            continue;
        strbuf_add(out, " ");
        if (text)
            strbuf_quote(out, text);
        else
            strbuf_addf(out, "%.15g", v->number);
    }
    if (changes[0])
        strbuf_addf(out, " %s", changes);
}
