/*
 * field.c - the fields of the form: one row each, and what stands beside its label.
 *
 * The second line of an explanation is the equation or the rule by which the field
 * counts, in the symbols of gpuplan-model(7). Neither line is longer than 76 columns.
 * A value that was chosen for the user says so: "auto: 2". Numbers have their unit.
 */
#include "tui/form.h"

#include <stdlib.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

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
                    "Used: memory per GPU that other programs already hold.\n"
                    "free = usable - used - weights - overheads - users' need"},
    [FIELD_PRUNE] = {"Pruning", NULL, OPT_PRUNE, FIELD_CHOICE, false, 0, SOLVE_NONE,
                     "Pruning: 2:4 sparsity saves memory, unstructured zeros do not.\n"
                     "2:4 stores bits/2 + 1 per weight of the linear layers"},
    [FIELD_PRICE] = {"Price", "Cost", OPT_PRICE, FIELD_WORD, false, 0, SOLVE_NONE,
                     "Price: the class of prices to use; others are shown beside it.\n"
                     "rent per hour = instances * price of one; they are sold whole"},
    [FIELD_HOURS] = {"Hours", NULL, OPT_HOURS, FIELD_NUMBER, false, 10, SOLVE_NONE,
                     "Hours: hours of use per month.\n"
                     "rent per month = rent per hour * hours"},
    [FIELD_ELECTRICITY] =
        {"Electricity", NULL, OPT_ELECTRICITY, FIELD_NUMBER, false, 0.01, SOLVE_NONE,
         "Electricity: its price when the GPUs are bought.\n"
         "running = kW*PUE*price*share of hours + kW*hosting*12/8760"},
};

/* ---- the number that counts ---- */

static double planned_number(const struct answer *a, enum field field)
{
    const struct request *q = &a->plan.request;
    const struct memory *m = &a->plan.memory;
    const struct market *market = &a->resolved.market;
    bool memory = a->plan.has_memory;

    switch (field) {
    case FIELD_CONTEXT:
        return q->context;
    case FIELD_PROMPT:
        return q->prompt;
    case FIELD_OUTPUT:
        return q->output;
    case FIELD_USERS:
        return q->users;
    case FIELD_GPUS:
        return a->plan.layout.gpus;
    case FIELD_TP:
        return a->plan.layout.tp;
    case FIELD_PP:
        return a->plan.layout.pp;
    case FIELD_EP:
        return a->plan.layout.ep;
    case FIELD_MAX_PP:
        return q->max_pp;
    case FIELD_REPLICAS:
        return a->plan.layout.replicas;
    case FIELD_MAX_SEQS:
        return memory ? m->max_num_seqs : -1;
    case FIELD_BATCHED:
        return memory ? m->max_batched_tokens : -1;
    case FIELD_UTILIZATION:
        return memory ? m->fraction : -1;
    case FIELD_HEADROOM:
        return q->headroom;
    case FIELD_USED:
        return q->used / GP_GIB;
    case FIELD_HOURS:
        return market->hours > 0 ? market->hours : COST_HOURS_PER_MONTH;
    case FIELD_ELECTRICITY:
        return market->electricity > 0 ? market->electricity
               : market->ownership     ? market->ownership->electricity
                                       : -1;
    default:
        return -1;
    }
}

double form_number(const struct form *form, enum field field)
{
    const char *text = form->values.value[field];
    struct options options = {0};

    if (!text[0])
        return form->answered ? planned_number(form->answer, field) : -1;
    if (field == FIELD_GPUS)
        return strtod(text, NULL);
    if (field_rows[field].kind != FIELD_NUMBER ||
        options_text(&options, field_rows[field].option, "", text, NULL))
        return -1;
    return options.value[field_rows[field].option].number /
           (field == FIELD_USED ? GP_GIB : 1);
}

/* ---- in words ---- */

static const char *base_name(const char *path)
{
    size_t len = strlen(path);

    while (len > 0 && path[len - 1] == '/')
        len--;
    while (len > 0 && path[len - 1] != '/')
        len--;
    return path + len;
}

static void show_model(const struct form *form, char *text, size_t size)
{
    const char *value = form->values.value[FIELD_MODEL];
    bool generic = form->answered && form->answer->resolved.generic;

    gp_format(text, size, "%s%s", base_name(value), generic ? ", assumed shape" : "");
}

static void show_formats(const struct form *form, enum field field, char *text,
                         size_t size)
{
    const struct request *q = &form->answer->plan.request;
    const char *value = form->values.value[field];

    if (field == FIELD_KV)
        gp_format(text, size, "%s%s", value[0] ? "" : "auto: ", q->kv->id);
    else
        gp_format(text, size, "%s%s", q->precision.id,
                  q->precision.native ? " as published" : "");
}

static void show_gpu(const struct form *form, char *text, size_t size)
{
    const struct resolved *r = &form->answer->resolved;

    if (form->values.value[FIELD_GPU][0] &&
        strcmp(form->values.value[FIELD_GPU], "local") != 0)
        gp_copy(text, size, form->values.value[FIELD_GPU]);
    else
        gp_format(text, size, "%s: %s", r->gpu_chosen ? "cheapest" : "local",
                  form->answer->plan.request.gpu->id);
}

static void show_engine(const struct form *form, char *text, size_t size)
{
    const struct engine *e = form->answer->plan.request.engine;

    gp_format(text, size, "%s%s %s",
              form->values.value[FIELD_ENGINE][0] ? "" : "auto: ", e->name, e->range);
}

static const char *unit_of(enum field field)
{
    switch (field) {
    case FIELD_CONTEXT:
    case FIELD_PROMPT:
    case FIELD_OUTPUT:
    case FIELD_BATCHED:
        return " tokens";
    case FIELD_USERS:
        return " at once";
    case FIELD_MAX_SEQS:
        return " requests";
    case FIELD_UTILIZATION:
    case FIELD_HEADROOM:
        return " share";
    case FIELD_USED:
        return " GiB";
    case FIELD_HOURS:
        return " h/month";
    case FIELD_ELECTRICITY:
        return " $/kWh";
    default:
        return "";
    }
}

/* Chosen by somebody else than the user, and worth saying. */
static bool says_auto(enum field field)
{
    return field == FIELD_GPUS || (field >= FIELD_TP && field <= FIELD_UTILIZATION) ||
           field == FIELD_ELECTRICITY;
}

static void show_number(const struct form *form, enum field field, char *text,
                        size_t size)
{
    double value = form_number(form, field);
    bool given = form->values.value[field][0] != '\0';
    char number[48];

    if (value < 0) {
        gp_copy(text, size, given ? form->values.value[field] : "auto");
        return;
    }
    if (field == FIELD_UTILIZATION || field == FIELD_HEADROOM)
        gp_format(number, sizeof(number), "%.2f", value);
    else if (field == FIELD_USED || field == FIELD_ELECTRICITY)
        gp_format(number, sizeof(number), "%.4g", value);
    else
        units_tokens(number, sizeof(number), value);
    gp_format(text, size, "%s%s%s", !given && says_auto(field) ? "auto: " : "", number,
              unit_of(field));
}

static void show_field(const struct form *form, enum field field, char *text,
                       size_t size)
{
    const char *value = form->values.value[field];

    if (field_rows[field].kind == FIELD_NUMBER)
        show_number(form, field, text, size);
    else if (field == FIELD_MODEL)
        show_model(form, text, size);
    else if (field == FIELD_PRICE)
        gp_copy(text, size, value[0] ? value : "on-demand");
    else if (field == FIELD_PRUNE)
        gp_copy(text, size, value[0] ? value : "none");
    else if (!form->answered)
        gp_copy(text, size, value[0] ? value : "auto");
    else if (field == FIELD_GPU)
        show_gpu(form, text, size);
    else if (field == FIELD_ENGINE)
        show_engine(form, text, size);
    else
        show_formats(form, field, text, size);
}

void form_show(struct form *form)
{
    for (int f = 0; f < FIELD_COUNT; f++) {
        show_field(form, (enum field)f, form->shown[f], sizeof(form->shown[f]));
        gp_tame(form->shown[f]);
    }
}
