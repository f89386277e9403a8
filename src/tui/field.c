/*
 * field.c - the fields of the form (form.h): one row each.
 *
 * The second line of an explanation is the equation or the rule by which the field
 * counts, in the symbols of gpuplan-model(7). Neither line is longer than 76 columns.
 */
#include "tui/form.h"

const struct field_row field_rows[FIELD_COUNT] = {
    [FIELD_MODEL] =
        {"Model", "Model and GPU", OPT_MODEL, FIELD_CHOICE, false, 0, SOLVE_NONE,
         "Model: catalogue id, size such as 70B, or path of a local model.\n"
         "parameters = sum of rows*cols over all its tensors"},
    [FIELD_PRECISION] = {"Weights", NULL, OPT_PRECISION, FIELD_CHOICE, false, 0,
                         SOLVE_PRECISION,
                         "Weights: the format they are stored in; auto: as published.\n"
                         "bytes = rows*cols*bits/8 + scales; norms, embedding often "
                         "stay 16-bit"},
    [FIELD_GPU] =
        {"GPU", NULL, OPT_GPU, FIELD_CHOICE, false, 0, SOLVE_BUDGET,
         "GPU: by id, or a MIG slice. auto: this machine's, else the cheapest "
         "fit.\nusable = physical less what the driver keeps (H100: 79.19 of "
         "79.65)"},
    [FIELD_GPUS] = {"GPUs", NULL, OPT_GPU, FIELD_NUMBER, false, 1, SOLVE_GPUS,
                    "GPUs: how many in all. auto: the fewest that fit.\n"
                    "GPUs = TP * PP * replicas"},
    [FIELD_CONTEXT] =
        {"Context", "Load", OPT_CONTEXT, FIELD_NUMBER, true, 0, SOLVE_CONTEXT,
         "Context: the most tokens one request holds, prompt and output.\n"
         "KV of one request = context * KV per token (less where windows "
         "slide)"},
    [FIELD_PROMPT] =
        {"Prompt", NULL, OPT_PROMPT, FIELD_NUMBER, true, 0, SOLVE_NONE,
         "Prompt: tokens of a typical prompt. Memory is planned for Context.\n"
         "prompt + output <= context"},
    [FIELD_OUTPUT] = {"Output", NULL, OPT_OUTPUT, FIELD_NUMBER, true, 0, SOLVE_NONE,
                      "Output: tokens of a typical answer. Memory is planned for "
                      "Context.\n"
                      "prompt + output <= context"},
    [FIELD_USERS] = {"Users", NULL, OPT_USERS, FIELD_NUMBER, true, 0, SOLVE_USERS,
                     "Users: requests in flight at once, shared by the replicas.\n"
                     "KV needed = users of one replica * KV of one request"},
    [FIELD_KV] = {"KV cache", NULL, OPT_KV_PRECISION, FIELD_CHOICE, false, 0,
                  SOLVE_NONE,
                  "KV cache: the format of cached keys and values.\n"
                  "KV per token = sum over attention layers of kv*(d + dv)*e bytes"},
    [FIELD_TP] = {"TP", "Layout", OPT_TP, FIELD_NUMBER, true, 0, SOLVE_NONE,
                  "TP: GPUs of one host that share every layer. auto: chosen to fit.\n"
                  "a GPU holds 1/TP of query, output and MLP, ceil(kv/TP) KV heads"},
    [FIELD_PP] = {"PP", NULL, OPT_PP, FIELD_NUMBER, true, 0, SOLVE_NONE,
                  "PP: pipeline stages, each with its part of the layers.\n"
                  "a stage holds about L/PP layers; the tightest stage is shown"},
    [FIELD_EP] = {"EP", NULL, OPT_EP, FIELD_NUMBER, true, 0, SOLVE_NONE,
                  "EP: GPUs that the routed experts of a MoE are spread over.\n"
                  "a GPU holds 1/max(TP, EP) of the experts"},
    [FIELD_REPLICAS] = {"Replicas", NULL, OPT_REPLICAS, FIELD_NUMBER, true, 0,
                        SOLVE_NONE,
                        "Replicas: whole copies of the model that share the users.\n"
                        "users of one replica = ceil(users / replicas)"},
    [FIELD_MAX_PP] = {"Max PP", NULL, OPT_MAX_PP, FIELD_NUMBER, true, 0, SOLVE_NONE,
                      "Max PP: the most pipeline stages that auto may choose.\n"
                      "PP <= Max PP, unless PP itself is given"},
    [FIELD_ENGINE] = {"Engine", "Engine", OPT_ENGINE, FIELD_CHOICE, false, 0,
                      SOLVE_NONE,
                      "Engine: its versions differ in overheads and how they budget.\n"
                      "vLLM: KV pool = utilization*usable - weights - activation - "
                      "..."},
    [FIELD_MAX_SEQS] = {"Slots", NULL, OPT_MAX_NUM_SEQS, FIELD_NUMBER, true, 0,
                        SOLVE_NONE,
                        "Slots: requests the engine runs at once (--max-num-seqs).\n"
                        "sampling = slots*V*(copies*4 + a) + batch*h*a + base"},
    [FIELD_BATCHED] = {"Batch", NULL, OPT_MAX_BATCHED_TOKENS, FIELD_NUMBER, true, 0,
                       SOLVE_NONE,
                       "Batch: tokens of one step (--max-batched-tokens).\n"
                       "forward = batch*(2*h + 3*ff/TP)*a + forward base"},
    [FIELD_UTILIZATION] = {"Utilization", NULL, OPT_MEMORY_UTILIZATION, FIELD_NUMBER,
                           false, 0.01, SOLVE_NONE,
                           "Utilization: share of the memory that the engine takes.\n"
                           "vLLM: budget = utilization * usable"},
    [FIELD_HEADROOM] = {"Headroom", NULL, OPT_HEADROOM, FIELD_NUMBER, false, 0.05,
                        SOLVE_NONE,
                        "Headroom: share of the engine's budget to leave free.\n"
                        "budget = (1 - headroom) * what the engine would take"},
    [FIELD_USED] = {"Used", NULL, OPT_USED, FIELD_NUMBER, false, 1, SOLVE_NONE,
                    "Used: memory per GPU that something else already holds.\n"
                    "free = usable - used - weights - overheads - users' need"},
    [FIELD_PRUNE] = {"Pruning", NULL, OPT_PRUNE, FIELD_CHOICE, false, 0, SOLVE_NONE,
                     "Pruning: 2:4 sparsity saves memory, unstructured zeros do not.\n"
                     "2:4 stores bits/2 + 1 per weight of the linear layers"},
    [FIELD_PRICE] = {"Price", "Cost", OPT_PRICE, FIELD_WORD, false, 0, SOLVE_NONE,
                     "Price: which prices count; the others are shown beside them.\n"
                     "rent per hour = instances * price of one; they are sold whole"},
    [FIELD_HOURS] = {"Hours", NULL, OPT_HOURS, FIELD_NUMBER, false, 10, SOLVE_NONE,
                     "Hours: hours of use per month.\n"
                     "rent per month = rent per hour * hours"},
    [FIELD_ELECTRICITY] =
        {"Electricity", NULL, OPT_ELECTRICITY, FIELD_NUMBER, false, 0.01, SOLVE_NONE,
         "Electricity: its price when the GPUs are bought.\n"
         "running = kW*PUE*price*share of hours + kW*hosting*12/8760"},
};
