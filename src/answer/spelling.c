/*
 * spelling.c - see spelling.h.
 */
#include "answer/spelling.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/option.h"
#include "base/str.h"
#include "base/suggest.h"

/* Flags of vLLM, SGLang, TensorRT-LLM, llama.cpp and benchmark tools, without what suggest() finds
 * by itself, and without dashes. A word with two senses here stands twice. */
static const char *const spellings[OPTION_COUNT] = {
    [OPT_CONTEXT] = "ctx nctx ctxsize maxmodellen maxlen maxseqlen seqlen",
    [OPT_SEQUENCE] = "maxseqlen maxseqlength seqlen",
    [OPT_PROMPT] = "isl input inputlen inputtokens randominputlen",
    [OPT_OUTPUT] = "osl outputlen randomoutputlen maxtokens maxnewtokens npredict",
    [OPT_USERS] = "concurrency maxconcurrency requests batchsize",
    [OPT_TP] = "tensorparallel tensorparallelsize",
    [OPT_PP] = "pipelineparallel pipelineparallelsize",
    [OPT_EP] = "expertparallel expertparallelsize enableexpertparallel",
    [OPT_REPLICAS] = "dp dpsize dataparallel dataparallelsize instances",
    [OPT_GPU] = "gpus numgpus gpucount ngpu gputype accelerator",
    [OPT_PRECISION] = "dtype quant quantization weights",
    [OPT_TYPE] = "dtype",
    [OPT_KV_PRECISION] = "kvcachedtype kvcachetype kvdtype cachetypek cachetypev",
    [OPT_MEMORY_UTILIZATION] =
        "gpumemoryutilization gpuutil memfractionstatic freegpumemoryfraction",
    [OPT_MAX_BATCHED_TOKENS] = "maxnumbatchedtokens maxnumtokens chunkedprefillsize ubatchsize",
    [OPT_MAX_NUM_SEQS] = "maxbatchsize maxrunningrequests parallel",
    [OPT_GPU_LAYERS] = "ngl ngpulayers",
    [OPT_N_CPU_MOE] = "ncmoe cpumoe",
    [OPT_CPU_OFFLOAD_GB] = "cpuoffload",
    [OPT_KV_OFFLOAD_GB] = "kvoffloadingsize swapspace hicachesize",
    [OPT_NO_KV_OFFLOAD] = "nkvo",
    [OPT_DRAFT] = "draftmodel modeldraft md speculativemodel speculativedraftmodelpath mtp",
    [OPT_SPECULATIVE_TOKENS] = "numspeculativetokens speculativenumdrafttokens draftmax",
    [OPT_LORA] = "maxloras enablelora maxlorasperbatch maxlorarank",
    [OPT_ENGINE] = "framework runtime",
    [OPT_MODEL] = "modelpath hfrepo checkpoint",
    [OPT_PRUNE] = "sparsity",
    [OPT_MICRO_BATCH] = "perdevicetrainbatchsize",
    [OPT_RECOMPUTE] = "gradientcheckpointing",
    [OPT_LORA_RANK] = "lorar",
    [OPT_FORMAT] = "json csv markdown",
    [OPT_OUT] = "file",
    [OPT_WHY] = "explain",
};

bool spelling_option(const char *text, const char *dashes, const char *const *names, size_t count,
                     char *hint, size_t size)
{
    char word[64], plain[64], as[8];
    size_t len = 0;

    hint[0] = '\0';
    text += strspn(text, "-");
    if (!gp_format(word, sizeof(word), "%.*s", (int)strcspn(text, "="), text))
        return false;
    for (const char *c = word; *c; c++)
        if (*c != '-' && *c != '_')
            plain[len++] = gp_lower(*c);
    plain[len] = '\0';
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_rows[id];
        bool argument = dashes[0] && row->argument; /* on a command line */
        size_t at = 0;

        if (!spellings[id] || !gp_has_word(spellings[id], " ", plain))
            continue;
        while (at < count && strcmp(names[at], row->name) != 0)
            at++;
        if (at < count)
            gp_append(hint, size, " or ", "%s%s%s%s%s", hint[0] ? "" : "did you mean ", dashes,
                      row->name, argument ? " " : "", argument ? row->argument : "");
    }
    if (hint[0])
        return gp_append(hint, size, "", "?");
    gp_format(as, sizeof(as), "%s*", dashes);
    return suggest(word, names, count, as, hint, size);
}

bool spelling_count(const char *text, char *name, size_t size, int *count)
{
    char plain[128];
    int used = 0, many = 0; /* *count stays where the text is none of these */
    size_t n;

    if (!gp_copy(plain, sizeof(plain), text))
        return false;
    for (char *sign; (sign = strstr(plain, "\xC3\x97"));) /* the multiplication sign */
        memcpy(sign, "* ", 2);
    if (isdigit((unsigned char)plain[0]) && sscanf(plain, "%5d %*1[xX*] %n", &many, &used) == 1 &&
        used > 0 && plain[used]) {
        *count = many > 0 ? many : *count;
        return many > 0 && gp_copy(name, size, plain + used);
    }
    for (n = strlen(plain); n > 0 && isdigit((unsigned char)plain[n - 1]);)
        n--;
    if (!plain[n] || strlen(plain + n) > 5)
        return false;
    many = atoi(plain + n);
    plain[n] = '\0';
    gp_trim(plain);
    n = strlen(plain);
    if (n < 2 || !strchr("xX*", plain[n - 1]))
        return false;
    plain[n - 1] = '\0';
    gp_trim(plain);
    *count = many > 0 ? many : *count;
    return many > 0 && gp_copy(name, size, plain);
}
