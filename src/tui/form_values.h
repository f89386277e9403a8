/*
 * form_values.h - the fields of a plan and their values: what the user has said, nothing
 * of what follows from it.
 *
 * One text per field, "" for the default, exactly what the options of --plan take. There
 * is no second parser: a value is checked by options_text() as on the command line and
 * looked up by the planner. Two fields share one option: GPU "l40s" and GPUs "2" are
 * --gpu l40s:2.
 *
 * To add a field: a row of FIELDS; one whose default is no number, or is chosen by the
 * plan, also has a case in field.c.
 */
#ifndef GP_TUI_FORM_VALUES_H
#define GP_TUI_FORM_VALUES_H

#include <stdbool.h>

#include "answer/planner.h"
#include "base/err.h"

enum field_kind { FIELD_CHOICE, FIELD_WORD, FIELD_NUMBER };

/* X(id, label, section, option, kind, doubles, step, solve, unit, automatic, explain):
 * the fields in the order of the form; struct field_row has their meaning. The second
 * line of an explanation is the equation or the rule by which the field counts, in the
 * symbols of gpuplan-model(7). Neither line is longer than 76 columns. */
#define FIELDS(X)                                                                                  \
    X(MODEL, "Model", "Model and GPU", OPT_MODEL, FIELD_CHOICE, false, 0, SOLVE_NONE, "", false,   \
      "Model: its parameters set memory and speed. An id, 70B, or a path.\n"                       \
      "parameters = sum of rows*cols over all its tensors")                                        \
    X(PRECISION, "Weights", NULL, OPT_PRECISION, FIELD_CHOICE, false, 0, SOLVE_PRECISION, "",      \
      true,                                                                                        \
      "Weights: fewer bits need fewer GPUs, decode faster. auto: as published.\n"                  \
      "bytes = rows*cols*bits/8 + scales; norms, embedding often stay 16-bit")                     \
    X(GPU, "GPU", NULL, OPT_GPU, FIELD_CHOICE, false, 0, SOLVE_BUDGET, "", false,                  \
      "GPU: memory sets how many, bandwidth TPOT. auto: here, else cheapest fit.\n"                \
      "usable = physical less what the driver keeps (H100: 79.19 of 79.65)")                       \
    X(GPUS, "GPUs", NULL, OPT_GPU, FIELD_NUMBER, false, 1, SOLVE_GPUS, "", true,                   \
      "GPUs: more hold more, are faster, cost more. auto: the fewest that fit.\n"                  \
      "GPUs = TP * PP * replicas")                                                                 \
    X(CONTEXT, "Context", "Load", OPT_CONTEXT, FIELD_NUMBER, true, 0, SOLVE_CONTEXT, " tokens",    \
      false,                                                                                       \
      "Context: the most tokens of a request; KV memory grows with it.\n"                          \
      "KV of one request = context * KV per token (less where windows slide)")                     \
    X(PROMPT, "Prompt", NULL, OPT_PROMPT, FIELD_NUMBER, true, 0, SOLVE_NONE, " tokens", false,     \
      "Prompt: tokens of a typical one; TTFT grows with it. Memory: Context.\n"                    \
      "prompt + output <= context")                                                                \
    X(OUTPUT, "Output", NULL, OPT_OUTPUT, FIELD_NUMBER, true, 0, SOLVE_NONE, " tokens", false,     \
      "Output: tokens of a typical answer; longer ones: fewer requests/s.\n"                       \
      "prompt + output <= context")                                                                \
    X(USERS, "Users", NULL, OPT_USERS, FIELD_NUMBER, true, 0, SOLVE_USERS, " at once", false,      \
      "Users: requests in flight; more: more KV, longer TPOT, fewer $ a token.\n"                  \
      "KV needed = users of one replica * KV of one request")                                      \
    X(RATE, "Rate", NULL, OPT_RATE, FIELD_NUMBER, true, 0, SOLVE_NONE, " /s", true,                \
      "Rate: requests that arrive per second; Users then follow from it.\n"                        \
      "users = rate * time of a request (Little), at their peak")                                  \
    X(TTFT, "TTFT goal", "Goals", OPT_TTFT, FIELD_NUMBER, false, 50, SOLVE_NONE, " ms", true,      \
      "TTFT goal: first token within; auto takes more GPUs if it must.\n"                          \
      "TTFT = tau + kappa*solo + eta*decode + beta*solo*(C - 1)/20")                               \
    X(TPOT, "TPOT goal", NULL, OPT_TPOT, FIELD_NUMBER, false, 5, SOLVE_NONE, " ms", true,          \
      "TPOT goal: each next token within; auto takes more GPUs if it must.\n"                      \
      "TPOT = decode step + phi*(B - 1)/output * cost of a prompt")                                \
    X(THROUGHPUT, "Throughput", NULL, OPT_THROUGHPUT, FIELD_NUMBER, true, 0, SOLVE_NONE, " tok/s", \
      true,                                                                                        \
      "Throughput: goal, tokens/s of all users; auto takes more users or GPUs.\n"                  \
      "output tokens/s = requests/s * output")                                                     \
    X(TP, "TP", "Layout", OPT_TP, FIELD_NUMBER, true, 0, SOLVE_NONE, "", true,                     \
      "TP: GPUs of a host that share each layer: less memory each, faster.\n"                      \
      "a GPU holds 1/TP of query, output and MLP, ceil(kv/TP) KV heads")                           \
    X(PP, "PP", NULL, OPT_PP, FIELD_NUMBER, true, 0, SOLVE_NONE, "", true,                         \
      "PP: pipeline stages, each with its layers: less memory each, not faster.\n"                 \
      "a stage holds about L/PP layers; the tightest stage is shown")                              \
    X(EP, "EP", NULL, OPT_EP, FIELD_NUMBER, true, 0, SOLVE_NONE, "", true,                         \
      "EP: GPUs that the experts of a MoE are spread over: less memory each.\n"                    \
      "a GPU holds 1/max(TP, EP) of the experts")                                                  \
    X(REPLICAS, "Replicas", NULL, OPT_REPLICAS, FIELD_NUMBER, true, 0, SOLVE_NONE, "", true,       \
      "Replicas: whole copies that share the users: more tokens/s.\n"                              \
      "users of one replica = ceil(users / replicas)")                                             \
    X(MAX_PP, "Max PP", NULL, OPT_MAX_PP, FIELD_NUMBER, true, 0, SOLVE_NONE, "", true,             \
      "Max PP: the most pipeline stages that auto may choose.\n"                                   \
      "PP <= Max PP, unless PP itself is given")                                                   \
    X(ENGINE, "Engine", "Engine", OPT_ENGINE, FIELD_CHOICE, false, 0, SOLVE_NONE, "", true,        \
      "Engine: its version sets overheads, how it budgets, and its speed.\n"                       \
      "vLLM: KV pool = utilization*usable - weights - activation - ...")                           \
    X(KV, "KV cache", NULL, OPT_KV_PRECISION, FIELD_CHOICE, false, 0, SOLVE_NONE, "", false,       \
      "KV cache: 8-bit keys and values hold twice the users of 16-bit ones.\n"                     \
      "KV per token = sum over attention layers of kv*(d + dv)*e bytes")                           \
    X(MAX_SEQS, "Slots", NULL, OPT_MAX_NUM_SEQS, FIELD_NUMBER, true, 0, SOLVE_NONE, " requests",   \
      true,                                                                                        \
      "Slots: requests the engine runs at once; the others queue.\n"                               \
      "sampling = slots*V*(copies*4 + a) + batch*h*a + base")                                      \
    X(BATCHED, "Batch", NULL, OPT_MAX_BATCHED_TOKENS, FIELD_NUMBER, true, 0, SOLVE_NONE,           \
      " tokens", true,                                                                             \
      "Batch: tokens of one step; more: more memory, mostly a shorter TTFT.\n"                     \
      "forward = batch*(2*h + 3*ff/TP)*a + forward base")                                          \
    X(UTILIZATION, "Utilization", NULL, OPT_MEMORY_UTILIZATION, FIELD_NUMBER, false, 0.01,         \
      SOLVE_NONE, " share", true,                                                                  \
      "Utilization: share of the memory that the engine takes: the budget.\n"                      \
      "vLLM: budget = utilization * usable")                                                       \
    X(HEADROOM, "Headroom", NULL, OPT_HEADROOM, FIELD_NUMBER, false, 0.05, SOLVE_NONE, " share",   \
      false,                                                                                       \
      "Headroom: share of the engine's budget to leave free: room for surprises.\n"                \
      "budget = (1 - headroom) * what the engine would take")                                      \
    X(USED, "Used", NULL, OPT_USED, FIELD_NUMBER, false, 1, SOLVE_NONE, " GiB", false,             \
      "Used: memory per GPU that other programs hold: so much less is free.\n"                     \
      "free = usable - used - weights - overheads - users' need")                                  \
    X(GPU_LAYERS, "GPU layers", NULL, OPT_GPU_LAYERS, FIELD_NUMBER, false, 1, SOLVE_NONE, "",      \
      true,                                                                                        \
      "GPU layers: of llama.cpp; the others are in host memory: fits, slower.\n"                   \
      "on GPUs: the output, counted as one, and the last N - 1 layers")                            \
    X(CPU_MOE, "CPU experts", NULL, OPT_N_CPU_MOE, FIELD_NUMBER, false, 1, SOLVE_NONE, " layers",  \
      false,                                                                                       \
      "CPU experts: of llama.cpp; they are in host memory: fits, slower.\n"                        \
      "weights - experts of the first N layers")                                                   \
    X(CPU_OFFLOAD, "Offload", NULL, OPT_CPU_OFFLOAD_GB, FIELD_NUMBER, false, 1, SOLVE_NONE,        \
      " GiB", false,                                                                               \
      "Offload: of vLLM; as much of each GPU's weights stays in host memory.\n"                    \
      "weights - offload, in whole parameters")                                                    \
    X(KV_OFFLOAD, "KV offload", NULL, OPT_KV_OFFLOAD_GB, FIELD_NUMBER, false, 8, SOLVE_NONE,       \
      " GiB", false,                                                                               \
      "KV offload: of vLLM and SGLang; host memory keeps KV for later requests.\n"                 \
      "the pool does not change: it must hold the requests in flight")                             \
    X(NO_KV, "KV on host", NULL, OPT_NO_KV_OFFLOAD, FIELD_WORD, false, 0, SOLVE_NONE, "", false,   \
      "KV on host: of llama.cpp; the whole KV cache is in host memory.\n"                          \
      "KV needed on the GPU = 0; attention is computed on the host")                               \
    X(DRAFT, "Draft", NULL, OPT_DRAFT, FIELD_CHOICE, false, 0, SOLVE_NONE, "", false,              \
      "Draft: a model that drafts tokens, or mtp, the model's own: more memory.\n"                 \
      "weights + draft/TP; its layers' KV is in the same pool")                                    \
    X(DRAFTED, "Drafted", NULL, OPT_SPECULATIVE_TOKENS, FIELD_NUMBER, false, 1, SOLVE_NONE,        \
      " tokens", true,                                                                             \
      "Drafted: tokens of each step that the draft proposes.\n"                                    \
      "a request of a recurrent hybrid holds a state more for each")                               \
    X(LORA, "Adapters", NULL, OPT_LORA, FIELD_CHOICE, false, 0, SOLVE_NONE, "", false,             \
      "Adapters: room for so many LoRA adapters of a rank: more memory.\n"                         \
      "slots * r * (cols + rows) of every linear layer, one of them / TP")                         \
    X(MEASURED, "Measured", NULL, OPT_CALIBRATION, FIELD_WORD, false, 0, SOLVE_NONE, "", false,    \
      "Measured: files of a server's start-up log or benchmark, or of --bench.\n"                  \
      "term = the logged figure, or estimate*(logged/estimated)^share")                            \
    X(PRUNE, "Pruning", NULL, OPT_PRUNE, FIELD_CHOICE, false, 0, SOLVE_NONE, "", false,            \
      "Pruning: 2:4 sparsity saves memory, unstructured zeros do not.\n"                           \
      "2:4 stores bits/2 + 1 per weight of the linear layers")                                     \
    X(PRICE, "Price", "Cost", OPT_PRICE, FIELD_WORD, false, 0, SOLVE_NONE, "", false,              \
      "Price: the class of prices that $/h and the cheapest GPU go by.\n"                          \
      "rent per hour = instances * price of one; they are sold whole")                             \
    X(BUDGET, "Budget", NULL, OPT_BUDGET, FIELD_NUMBER, false, 1, SOLVE_NONE, " $/h", true,        \
      "Budget: goal, dollars per hour at most; a dearer plan is over budget.\n"                    \
      "rent per hour <= budget")                                                                   \
    X(PROVIDER, "Provider", NULL, OPT_PROVIDER, FIELD_CHOICE, false, 0, SOLVE_NONE, "", false,     \
      "Provider: rent only from these, as in aws,gcp.\n"                                           \
      "rent per hour = instances * price of one; they are sold whole")                             \
    X(REGION, "Region", NULL, OPT_REGION, FIELD_CHOICE, false, 0, SOLVE_NONE, "", false,           \
      "Region: rent only where the region's name contains this, as in us.\n"                       \
      "rent per hour = instances * price of one; they are sold whole")                             \
    X(DATED, "Dated", NULL, OPT_DATED, FIELD_WORD, false, 0, SOLVE_NONE, "", false,                \
      "Dated: only prices with a date of their own count.\n"                                       \
      "\"by 2026-11\" is none: the source has no date and was read then")                          \
    X(HOURS, "Hours", NULL, OPT_HOURS, FIELD_NUMBER, false, 10, SOLVE_NONE, " h/month", false,     \
      "Hours: hours of use per month; few make renting cheaper than buying.\n"                     \
      "rent per month = rent per hour * hours")                                                    \
    X(ELECTRICITY, "Electricity", NULL, OPT_ELECTRICITY, FIELD_NUMBER, false, 0.01, SOLVE_NONE,    \
      " $/kWh", true,                                                                              \
      "Electricity: its price when the GPUs are bought.\n"                                         \
      "running = kW*PUE*price*share of hours + kW*hosting*12/8760")                                \
    X(POWER_CAP, "Power cap", NULL, OPT_POWER_CAP, FIELD_NUMBER, false, 500, SOLVE_NONE, " W",     \
      true,                                                                                        \
      "Power cap: goal, watts of all GPUs and hosts at most, as of a rack.\n"                      \
      "watts = GPUs at this load + their shares of the hosts")

#define X(id, ...) FIELD_##id,
enum field { FIELDS(X) FIELD_COUNT };
#undef X

struct field_row {
    const char *label;     /* "Weights" */
    const char *section;   /* heading before it; NULL: none */
    enum option_id option; /* GPU and GPUs are one option: "l40s:2" */
    enum field_kind kind;
    bool doubles;        /* a step is x2 and /2 (tokens, users), else a fixed one */
    double step;         /* of those that do not double */
    enum solve solve;    /* what `s` solves for; SOLVE_NONE: cannot */
    const char *unit;    /* " tokens", behind its number */
    bool automatic;      /* a number that was not given is shown as "auto: 2" */
    const char *explain; /* one or two lines: what it is, its equation */
};
extern const struct field_row field_rows[FIELD_COUNT];

#define FORM_VALUE 256

struct form_values {
    char value[FIELD_COUNT][FORM_VALUE]; /* as the option takes it; "" = default */
};

#define MODEL_DEFAULT "8B"

/* The field of an option; FIELD_COUNT: it has none. */
enum field field_of(int option);
bool field_is_flag(enum field field);

void values_default(struct form_values *values);
/* GPU and GPUs as --gpu takes them: "l40s:2". */
void values_gpu(const struct form_values *values, char option[FORM_VALUE]);
/* As options, whose texts are borrowed; gpu_option: as above. */
void values_ask(const struct form_values *values, const char *gpu_option, const char *profiles,
                struct options *options);
/* What the options give, each checked likewise; the rest is the default. */
enum gp_status values_of_options(struct planner *planner, const struct options *options,
                                 struct form_values *values, struct gp_err *err);
/* Checks a value by itself, as text and by looking it up, and puts it in. answer: the
 * plan before, NULL = none; it says which GPU a count is of when nobody named one. */
enum gp_status values_put(struct planner *planner, struct form_values *values, enum field field,
                          const char *text, const struct answer *answer, struct gp_err *err);
/* Pairs "option value" into the form, each checked likewise. */
enum gp_status values_options(struct planner *planner, struct form_values *values,
                              const char *given, const struct answer *answer, struct gp_err *err);
/* The best value of this field that still fits, put in. (form_job.c) */
enum gp_status values_solve(struct planner *planner, const char *profiles,
                            struct form_values *values, enum field field, struct gp_err *err);

#endif
