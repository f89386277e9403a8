/*
 * spelling.c - see spelling.h.
 */
#include "answer/spelling.h"

#include <stdlib.h>
#include <string.h>

#include "answer/option.h"
#include "base/str.h"
#include "base/suggest.h"

/* Flags of vLLM, SGLang, TensorRT-LLM, llama.cpp and benchmark tools, without what
 * suggest() finds by itself. Where a word has two senses here, it stands twice. */
static const struct {
    const char *text;
    enum option_id option;
} spellings[] = {
    {"ctx", OPT_CONTEXT},
    {"n-ctx", OPT_CONTEXT},
    {"ctx-size", OPT_CONTEXT},
    {"max-model-len", OPT_CONTEXT},
    {"max-len", OPT_CONTEXT},
    {"max-seq-len", OPT_CONTEXT},
    {"max-seq-len", OPT_SEQUENCE},
    {"max-seq-length", OPT_SEQUENCE},
    {"seq-len", OPT_CONTEXT},
    {"seq-len", OPT_SEQUENCE},
    {"isl", OPT_PROMPT},
    {"input", OPT_PROMPT},
    {"input-len", OPT_PROMPT},
    {"input-tokens", OPT_PROMPT},
    {"random-input-len", OPT_PROMPT},
    {"osl", OPT_OUTPUT},
    {"output-len", OPT_OUTPUT},
    {"random-output-len", OPT_OUTPUT},
    {"max-tokens", OPT_OUTPUT},
    {"max-new-tokens", OPT_OUTPUT},
    {"n-predict", OPT_OUTPUT},
    {"concurrency", OPT_USERS},
    {"max-concurrency", OPT_USERS},
    {"requests", OPT_USERS},
    {"batch-size", OPT_USERS},
    {"tensor-parallel", OPT_TP},
    {"tensor-parallel-size", OPT_TP},
    {"pipeline-parallel", OPT_PP},
    {"pipeline-parallel-size", OPT_PP},
    {"expert-parallel", OPT_EP},
    {"expert-parallel-size", OPT_EP},
    {"enable-expert-parallel", OPT_EP},
    {"dp", OPT_REPLICAS},
    {"dp-size", OPT_REPLICAS},
    {"data-parallel", OPT_REPLICAS},
    {"data-parallel-size", OPT_REPLICAS},
    {"gpus", OPT_GPU},
    {"num-gpus", OPT_GPU},
    {"gpu-count", OPT_GPU},
    {"ngpu", OPT_GPU},
    {"gpu-type", OPT_GPU},
    {"accelerator", OPT_GPU},
    {"dtype", OPT_PRECISION},
    {"quant", OPT_PRECISION},
    {"quantization", OPT_PRECISION},
    {"weights", OPT_PRECISION},
    {"dtype", OPT_TYPE},
    {"kv-cache-dtype", OPT_KV_PRECISION},
    {"kv-cache-type", OPT_KV_PRECISION},
    {"kv-dtype", OPT_KV_PRECISION},
    {"cache-type-k", OPT_KV_PRECISION},
    {"cache-type-v", OPT_KV_PRECISION},
    {"gpu-memory-utilization", OPT_MEMORY_UTILIZATION},
    {"gpu-util", OPT_MEMORY_UTILIZATION},
    {"mem-fraction-static", OPT_MEMORY_UTILIZATION},
    {"free-gpu-memory-fraction", OPT_MEMORY_UTILIZATION},
    {"max-num-batched-tokens", OPT_MAX_BATCHED_TOKENS},
    {"max-num-tokens", OPT_MAX_BATCHED_TOKENS},
    {"chunked-prefill-size", OPT_MAX_BATCHED_TOKENS},
    {"ubatch-size", OPT_MAX_BATCHED_TOKENS},
    {"max-batch-size", OPT_MAX_NUM_SEQS},
    {"max-running-requests", OPT_MAX_NUM_SEQS},
    {"parallel", OPT_MAX_NUM_SEQS},
    {"ngl", OPT_GPU_LAYERS},
    {"n-gpu-layers", OPT_GPU_LAYERS},
    {"ncmoe", OPT_N_CPU_MOE},
    {"cpu-moe", OPT_N_CPU_MOE},
    {"cpu-offload", OPT_CPU_OFFLOAD_GB},
    {"kv-offloading-size", OPT_KV_OFFLOAD_GB},
    {"swap-space", OPT_KV_OFFLOAD_GB},
    {"hicache-size", OPT_KV_OFFLOAD_GB},
    {"nkvo", OPT_NO_KV_OFFLOAD},
    {"draft-model", OPT_DRAFT},
    {"model-draft", OPT_DRAFT},
    {"md", OPT_DRAFT},
    {"speculative-model", OPT_DRAFT},
    {"speculative-draft-model-path", OPT_DRAFT},
    {"mtp", OPT_DRAFT},
    {"num-speculative-tokens", OPT_SPECULATIVE_TOKENS},
    {"speculative-num-draft-tokens", OPT_SPECULATIVE_TOKENS},
    {"draft-max", OPT_SPECULATIVE_TOKENS},
    {"max-loras", OPT_LORA},
    {"enable-lora", OPT_LORA},
    {"max-loras-per-batch", OPT_LORA},
    {"max-lora-rank", OPT_LORA},
    {"framework", OPT_ENGINE},
    {"runtime", OPT_ENGINE},
    {"model-path", OPT_MODEL},
    {"hf-repo", OPT_MODEL},
    {"checkpoint", OPT_MODEL},
    {"instances", OPT_REPLICAS},
    {"sparsity", OPT_PRUNE},
    {"per-device-train-batch-size", OPT_MICRO_BATCH},
    {"gradient-checkpointing", OPT_RECOMPUTE},
    {"lora-r", OPT_LORA_RANK},
    {"json", OPT_FORMAT},
    {"csv", OPT_FORMAT},
    {"markdown", OPT_FORMAT},
    {"file", OPT_OUT},
    {"explain", OPT_WHY},
};

/* Dashes, underscores and case do not count. */
static bool same_spelling(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if (!*a || gp_lower(*a) != gp_lower(*b))
            return *a == *b;
        a++;
        b++;
    }
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool spelling_option(const char *text, const char *dashes, const char *const *names, size_t count,
                     char *hint, size_t size)
{
    char word[64], as[8];
    size_t len = 0;

    hint[0] = '\0';
    text += strspn(text, "-");
    if (!gp_format(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text))
        return false;
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        const struct option_row *row = &option_rows[spellings[i].option];
        bool argument = dashes[0] && row->argument; /* on a command line */

        if (!same_spelling(word, spellings[i].text) || !is_among(row->name, names, count))
            continue;
        gp_format(hint + len, size - len, "%s%s%s%s%s", len ? " or " : "did you mean ", dashes,
                  row->name, argument ? " " : "", argument ? row->argument : "");
        len = strlen(hint);
    }
    if (len > 0)
        return gp_format(hint + len, size - len, "?");
    gp_format(as, sizeof(as), "%s*", dashes);
    return suggest(word, names, count, as, hint, size);
}

/* x, X, * or the multiplication sign with blanks around it; returns its length. */
static size_t times_sign(const char *text)
{
    size_t blanks = strspn(text, " "), n = blanks;

    if (text[n] && strchr("xX*", text[n]))
        n++;
    else if (strncmp(text + n, "\xC3\x97", 2) == 0)
        n += 2;
    else
        return 0;
    return n + strspn(text + n, " ");
}

bool spelling_count(const char *text, char *name, size_t size, int *count)
{
    size_t digits = strspn(text, "0123456789"), sign = times_sign(text + digits);

    if (digits > 0 && digits < 6 && sign > 0 && text[digits + sign]) {
        *count = atoi(text);
        return *count > 0 && gp_copy(name, size, text + digits + sign);
    }
    for (const char *at = text + 1; *text && *at; at++) {
        sign = times_sign(at);
        digits = sign ? strspn(at + sign, "0123456789") : 0;
        if (digits > 0 && digits < 6 && !at[sign + digits]) {
            *count = atoi(at + sign);
            return *count > 0 && gp_format(name, size, "%.*s", (int)(at - text), text);
        }
    }
    return false;
}
