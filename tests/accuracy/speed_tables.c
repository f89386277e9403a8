/*
 * speed_tables.c - rows of one engine's own benchmarks, each as gpuplan would be asked.
 *
 * Rules, none of them by a row's result:
 *   llamacpp_bench.csv          llama-bench: decoding (tg) and prompts (pp) from an empty
 *                               context, of 2024 and later, without the F16 prompts on
 *                               A100-SXM and L40S (README: anomalous in the source), other
 *                               programs (ik_llama's sweep) and depths; Ollama's eval rate
 *                               on hosts that are no boards of the Pi kind, Q4_K_M,
 *                               lengths assumed 100 + 400
 *   qwen_bs1_speed_memory.csv   vLLM 0.6.3, one GPU or several by TP
 *   throughput_trtllm.csv       in-flight batching, so many requests queued as its source
 *                               says, from the first to the last answer; experts of 1.0
 *                               with attention data parallel, as its command
 *   throughput_vllm_dstack.csv  vLLM of November 2024, so many requests at once
 * Rows with a model or GPU that the catalogue has not are left out, and counted.
 */
#include "speed_rows.h"

struct alias {
    const char *listed, *id;
};

/* The first that the text contains. */
static const char *alias_of(const struct alias *list, const char *text)
{
    for (; list->listed; list++)
        if (strstr(text, list->listed))
            return list->id;
    return NULL;
}

/* ---- llama.cpp ---- */

static const struct alias llama_models[] = {
    {"llama 8B", "llama-3-8b"},           {"llama 70B", "llama-3-70b"},
    {"Llama 3.2:3b", "llama-3.2-3b"},     {"DeepSeek R1 14b", "r1-distill-qwen-14b"},
    {"gpt-oss 20", "gpt-oss-20b"},        {"Llama 3.1:70b", "llama-3.1-70b"},
    {"Llama 3.1:405b", "llama-3.1-405b"}, {"codellama 7B", "codellama-7b"},
    {"llama 7B", "llama-2-7b"},           {"llama 13B", "llama-2-13b"},
    {"llama 3B", "llama-3.2-3b"},         {NULL, NULL},
};

static const struct alias llama_gpus[] = {
    {"RTX 3080 Ti", NULL},
    {"RTX 3080", "rtx-3080-10g"},
    {"RTX 3090", "rtx-3090"},
    {"4070 Ti", NULL},
    {"RTX 4090", "rtx-4090"},
    {"Nvidia 4090", "rtx-4090"},
    {"Nvidia 5090", "rtx-5090"},
    {"Nvidia 4080", "rtx-4080"},
    {"Nvidia 4070", "rtx-4070"},
    {"RTX 3060", "rtx-3060-12g"},
    {"RTX 2080 Ti", "rtx-2080-ti"},
    {"R9700", "radeon-ai-pro-r9700"},
    {"RTX 5000 Ada", "rtx-5000-ada"},
    {"A100 80GB PCIe", "a100-pcie-80"},
    {"A100-SXM4-80GB", "a100-sxm-80"},
    {"H100 PCIe", "h100-pcie"},
    {"L40S", "l40s"},
    {"RTX PRO 6000 Blackwell Max-Q", "rtx-pro-6000-maxq"},
    {"M3 Ultra", "apple-m3-ultra"},
    {"GB10", "dgx-spark-gb10"},
    {"Framework Mainboard (128GB)", "strix-halo-128"},
    {NULL, NULL},
};

static const struct alias llama_formats[] = {
    {"Q4_K", "q4_k_m"}, {"F16", "f16"},   {"Q8_0", "q8_0"}, {"Q4_0", "q4_0"},
    {"MXFP4", ""},      {"BF16", "bf16"}, {NULL, NULL},
};

static bool llama_anomalous(const char *gpu, const char *quant, const char *test)
{
    return strcmp(quant, "F16") == 0 && strncmp(test, "pp", 2) == 0 &&
           (strstr(gpu, "A100-SXM") || strstr(gpu, "L40S"));
}

static bool llama_board(const char *gpu)
{
    static const char *const boards[] = {"Pi ",        "HiFive", "Radxa",
                                         "Minisforum", "Thelio", "Cluster"};
    for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++)
        if (strstr(gpu, boards[i]))
            return true;
    return false;
}

/* "pp512", "tg128", "eval rate"; false: another test. */
static bool llama_test(const char *test, struct asked *a, double rate)
{
    char *end;
    double tokens = strtod(test + 2, &end);
    a->users = 1;
    if (strcmp(test, "eval rate") == 0) {
        a->phase = PHASE_DECODE;
        a->prompt = 100;
        a->output = 400;
        a->time = 1 / rate;
    } else if (strncmp(test, "tg", 2) == 0 && *end == '\0') {
        a->phase = PHASE_DECODE;
        a->prompt = 1;
        a->output = tokens;
        a->time = 1 / rate;
    } else if (strncmp(test, "pp", 2) == 0 && *end == '\0') {
        a->phase = PHASE_PROMPT;
        a->prompt = tokens;
        a->output = 1;
        a->time = tokens / rate;
    } else
        return false;
    return rate > 0;
}

/* Builds of before 2024-06-24 (#8075) run quantized prompts on copies in 16 bit. */
static const char *llama_range(const struct table_file *t)
{
    return strncmp(table_text_of(t, "date"), "2024-0", 6) == 0 ? "b2824" : NULL;
}

static void llama_row(struct rows *rows, const struct table_file *t)
{
    const char *gpu = table_text_of(t, "gpu"), *quant = table_text_of(t, "quant");
    const char *test = table_text_of(t, "test"), *notes = table_text_of(t, "notes");
    bool ollama = strcmp(test, "eval rate") == 0;
    struct asked a = {.model = alias_of(llama_models, table_text_of(t, "model")),
                      .gpu = alias_of(llama_gpus, gpu),
                      .engine = "llama.cpp",
                      .range = llama_range(t),
                      .precision = alias_of(llama_formats, quant),
                      .tp = 1,
                      .ways = 1,
                      .ep = 1,
                      .replicas = 1,
                      .pp = (int)table_number_of(t, "n_gpus"),
                      .ttft = NAN,
                      .peer = NAN};
    if (ollama && a.model)
        a.precision = strstr(a.model, "gpt-oss") ? "" : "q4_k_m";
    if (!a.model || !a.gpu || !a.precision || strstr(table_text_of(t, "model"), "deepseek2") ||
        strstr(notes, "micro-batch") || strstr(notes, "fmoe") || llama_board(gpu) ||
        llama_anomalous(gpu, quant, test) ||
        !llama_test(test, &a, table_number_of(t, "tokens_per_s")))
        rows->left_out++;
    else
        rows_ask(rows, &a);
}

bool rows_llamacpp(struct rows *rows, int argc, char **argv)
{
    struct table_file t;
    if (!table_open(&t, argc, argv, "validation/llamacpp_bench.csv"))
        return false;
    while (table_next(&t))
        llama_row(rows, &t);
    table_close(&t);
    return true;
}

/* ---- one request at a time ---- */

static const struct alias qwen_models[] = {
    {"Qwen2.5-0.5B", "qwen2.5-0.5b"}, {"Qwen2.5-1.5B", "qwen2.5-1.5b"},
    {"Qwen2.5-3B", "qwen2.5-3b"},     {"Qwen2.5-7B", "qwen2.5-7b"},
    {"Qwen2.5-14B", "qwen2.5-14b"},   {"Qwen2.5-32B", "qwen2.5-32b"},
    {"Qwen2.5-72B", "qwen2.5-72b"},   {NULL, NULL},
};

static const struct alias qwen_formats[] = {
    {"BF16", "bf16"}, {"GPTQ-Int4", "int4-gptq"}, {"GPTQ-Int8", "int8-gptq"}, {"AWQ", "int4-awq"},
    {NULL, NULL},
};

bool rows_batch1(struct rows *rows, int argc, char **argv)
{
    struct table_file t;
    if (!table_open(&t, argc, argv, "validation/qwen_bs1_speed_memory.csv"))
        return false;
    while (table_next(&t)) {
        struct asked a = {.model = alias_of(qwen_models, table_text_of(&t, "model")),
                          .gpu = "a100-sxm-80",
                          .engine = "vllm",
                          .range = "0.6",
                          .precision = alias_of(qwen_formats, table_text_of(&t, "quant")),
                          .phase = PHASE_DECODE,
                          .users = 1,
                          .prompt = table_number_of(&t, "input_len"),
                          .output = table_number_of(&t, "gen_len"),
                          .tp = (int)table_number_of(&t, "n_gpus"),
                          .ways = 1,
                          .ep = 1,
                          .replicas = 1,
                          .time = 1 / table_number_of(&t, "speed_tok_s"),
                          .ttft = NAN,
                          .peer = NAN};
        if (!a.model || !a.precision || strncmp(table_text_of(&t, "engine"), "vLLM", 4) != 0 ||
            a.tp == 3)
            rows->left_out++;
        else
            rows_ask(rows, &a);
    }
    table_close(&t);
    return true;
}

/* ---- saturated ---- */

static const struct alias trtllm_models[] = {
    {"Llama 4 Scout", "llama-4-scout"},
    {"Llama 4 Maverick", "llama-4-maverick"},
    {"Llama 3.3 70B", "llama-3.3-70b"},
    {"LLaMA v3.1 70B", "llama-3.1-70b"},
    {"405B", "llama-3.1-405b"},
    {"Llama 3.1 8B", "llama-3.1-8b"},
    {"LLaMA v3.1 8B", "llama-3.1-8b"},
    {"Mistral 7B", "mistral-7b-v0.1"},
    {"Mixtral 8x7B", "mixtral-8x7b"},
    {"Qwen3-30B-A3B", "qwen3-30b-a3b"},
    {"Qwen3-235B-A22B", "qwen3-235b-a22b"},
    {NULL, NULL},
};

static const struct alias trtllm_gpus[] = {
    {"GH200-480GB", "gh200-96"},
    {"GB200", "gb200"},
    {"B200", "b200"},
    {"H200", "h200-sxm"},
    {"H100", "h100-sxm"},
    {"A100-PCIE-80GB", "a100-pcie-80"},
    {"A100", "a100-sxm-80"},
    {"L40S", "l40s"},
    {"RTX PRO 6000", "rtx-pro-6000-server"},
    {NULL, NULL},
};

static const struct alias trtllm_formats[] = {
    {"FP16", "bf16"},
    {"FP4", "nvfp4"},
    {"FP8", "fp8"},
    {NULL, NULL},
};

/* Requests of a run, by its lengths: the table of perf-overview.md, the source of the rows. */
static double trtllm_requests(double prompt, double output)
{
    if (output <= 128)
        return prompt <= 128 ? 30000 : 3000;
    if (prompt >= 20000)
        return 1000;
    return output == 4096 || prompt >= 2048 || (prompt == 1000 && output == 2000) ? 1500 : 3000;
}

/* Its command for experts, of 1.0: attention data parallel over all GPUs of a stage. */
static void trtllm_experts(struct asked *a, const char *version)
{
    static const char *const models[] = {"llama-4", "qwen3-30b-a3b", "qwen3-235b"};
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (strncmp(version, "1.0", 3) == 0 &&
            strncmp(a->model, models[i], strlen(models[i])) == 0) {
            a->ways = a->tp;
            a->tp = 1;
        }
}

bool rows_saturated(struct rows *rows, int argc, char **argv)
{
    struct table_file t;
    if (!table_open(&t, argc, argv, "validation/throughput_trtllm.csv"))
        return false;
    while (table_next(&t)) {
        const char *precision = table_text_of(&t, "precision");
        double ep = table_number_of(&t, "ep"), pp = table_number_of(&t, "pp");
        struct asked a = {.model = alias_of(trtllm_models, table_text_of(&t, "model")),
                          .gpu = alias_of(trtllm_gpus, table_text_of(&t, "gpu")),
                          .engine = "tensorrt-llm",
                          .precision = alias_of(trtllm_formats, precision),
                          .kv = strcmp(precision, "FP16") == 0 ? "bf16" : "fp8",
                          .phase = PHASE_RATE,
                          .users = 1e6,
                          .prompt = table_number_of(&t, "isl"),
                          .output = table_number_of(&t, "osl"),
                          .tp = (int)table_number_of(&t, "tp"),
                          .pp = pp >= 1 ? (int)pp : 1,
                          .ways = 1,
                          .ep = ep >= 1 ? (int)ep : 1,
                          .replicas = 1,
                          .time = 1 / table_number_of(&t, "value"),
                          .ttft = NAN,
                          .peer = NAN};
        if (!a.model || !a.gpu || !a.precision ||
            !strstr(table_text_of(&t, "scenario"), "in-flight"))
            rows->left_out++;
        else {
            trtllm_experts(&a, table_text_of(&t, "version"));
            a.users = trtllm_requests(a.prompt, a.output);
            rows_ask(rows, &a);
        }
    }
    table_close(&t);
    return true;
}

/* Its README has --max-model-len 91680. That a whole prompt is one step is inferred, not
 * stated: benchmark_throughput.py of that time turns chunks off where not told to. Meta's
 * checkpoint on the H100s has its attention in BF16 (56.8 GiB of weights were logged on each,
 * 47.8 would be FP8 throughout), AMD's on the MI300X has all in FP8. */
#define DSTACK_CONTEXT 91680

bool rows_dstack(struct rows *rows, int argc, char **argv)
{
    static const struct alias gpus[] = {{"MI300X", "mi300x"}, {"H100", "h100-sxm"}, {NULL, NULL}};
    struct table_file t;
    if (!table_open(&t, argc, argv, "validation/throughput_vllm_dstack.csv"))
        return false;
    while (table_next(&t)) {
        double rate = table_number_of(&t, "requests_per_second");
        struct asked a = {.model = "llama-3.1-405b",
                          .gpu = alias_of(gpus, table_text_of(&t, "gpu")),
                          .engine = "vllm",
                          .range = "0.6",
                          .precision = "fp8",
                          .context = DSTACK_CONTEXT,
                          .phase = PHASE_RATE,
                          .users = table_number_of(&t, "requests"),
                          .prompt = table_number_of(&t, "isl"),
                          .output = table_number_of(&t, "osl"),
                          .tp = (int)table_number_of(&t, "n_gpus"),
                          .ways = 1,
                          .ep = 1,
                          .replicas = 1,
                          .time = 1 / (rate * table_number_of(&t, "osl")),
                          .ttft = NAN,
                          .peer = NAN};
        if (!a.gpu || !(rate > 0) || !(a.users > 0) || !(a.prompt > 0) ||
            !strstr(table_text_of(&t, "run"), "throughput"))
            rows->left_out++;
        else {
            a.attention_16 = strcmp(a.gpu, "h100-sxm") == 0;
            rows_ask(rows, &a);
        }
    }
    table_close(&t);
    return true;
}
