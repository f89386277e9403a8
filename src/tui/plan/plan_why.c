/*
 * plan_why.c - which terms of an answer a field goes into.
 */
#include "tui/plan/plan_answer.h"

#include <string.h>

#include "answer/print_why.h"

/* The names of the terms that a field goes into begin with one of these. */
static const char *const terms_of[FIELD_COUNT][3] = {
    [FIELD_MODEL] = {"parameters", "active parameters", "weights"},
    [FIELD_PRECISION] = {"weights", "checkpoint", "product"},
    [FIELD_KV] = {"KV per token", "KV of one request"},
    [FIELD_CONTEXT] = {"KV of one request", "one request is given", "users'"},
    [FIELD_PROMPT] = {"a prompt alone", "what a prompt adds", "TTFT"},
    [FIELD_OUTPUT] = {"prompts of the others", "output tokens"},
    [FIELD_USERS] = {"users'", "max concurrency", "requests at once"},
    [FIELD_RATE] = {"requests per second", "utilisation", "requests at once"},
    [FIELD_TTFT] = {"TTFT", "a prompt alone", "what a prompt adds"},
    [FIELD_TPOT] = {"TPOT", "decode step", "product"},
    [FIELD_THROUGHPUT] = {"output tokens", "throughput"},
    [FIELD_BUDGET] = {"rent", "instances"},
    [FIELD_POWER_CAP] = {"power", "a GPU", "energy"},
    [FIELD_GPU] = {"physical memory", "usable memory", "product"},
    [FIELD_GPUS] = {"GPUs"},
    [FIELD_ENGINE] = {"budget", "KV pool", "fixed time"},
    [FIELD_PRICE] = {"instances", "rent", "buy"},
    [FIELD_TP] = {"GPUs", "weights"},
    [FIELD_PP] = {"GPUs", "layers of"},
    [FIELD_EP] = {"GPUs", "weights"},
    [FIELD_MAX_PP] = {"GPUs", "layers of"},
    [FIELD_REPLICAS] = {"GPUs", "users'"},
    [FIELD_MAX_SEQS] = {"activation"},
    [FIELD_BATCHED] = {"activation"},
    [FIELD_UTILIZATION] = {"budget", "KV pool"},
    [FIELD_HEADROOM] = {"budget", "KV pool"},
    [FIELD_USED] = {"usable memory", "free"},
    [FIELD_GPU_LAYERS] = {"host memory", "weights"},
    [FIELD_CPU_MOE] = {"host memory", "weights"},
    [FIELD_CPU_OFFLOAD] = {"host memory", "weights"},
    [FIELD_KV_OFFLOAD] = {"host memory", "one request is given"},
    [FIELD_NO_KV] = {"host memory", "users'"},
    [FIELD_DRAFT] = {"weights: draft", "weights: MTP", "KV:"},
    [FIELD_DRAFTED] = {"one request is given", "state"},
    [FIELD_LORA] = {"weights: LoRA", "CUDA graphs"},
    [FIELD_MEASURED] = {"logged / estimated", "correction by measured points"},
    [FIELD_PRUNE] = {"weights: saved", "weights"},
    [FIELD_PROVIDER] = {"instances", "rent"},
    [FIELD_REGION] = {"instances", "rent"},
    [FIELD_DATED] = {"instances", "rent"},
    [FIELD_HOURS] = {"rent per month"},
    [FIELD_ELECTRICITY] = {"buy"},
};

/* Those of the answer's first rows. */
static const char *const terms_of_answer[3] = {"GPUs", "free", "rent"};

static bool goes_into(enum field field, const struct term *term)
{
    const char *const *names = field < FIELD_COUNT ? terms_of[field] : terms_of_answer;

    for (int i = 0; i < 3 && names[i]; i++)
        if (strncmp(term->name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void plan_why_text(const struct form *form, enum field first, struct strbuf *out)
{
    for (int pass = 0; pass < 2; pass++) {
        strbuf_add(out, pass == 0 ? "" : "\nall the others\n");
        for (int i = 0; i < form->why_count; i++)
            if (goes_into(first, &form->why[i]) == (pass == 0))
                print_why_term(&form->why[i], out);
    }
}
