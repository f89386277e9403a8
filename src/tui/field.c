/*
 * field.c - what stands beside the label of each field of the form.
 *
 * A value that was chosen for the user says so: "auto: 2". Numbers have their unit.
 */
#include "tui/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

#define X(id, ...) [FIELD_##id] = {__VA_ARGS__},
const struct field_row field_rows[FIELD_COUNT] = {FIELDS(X)};
#undef X

/* ---- the number that counts ---- */

/* To two digits: where steps of a goal begin when none is given. */
static double rounded(double value)
{
    double unit = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;

    return value > 0 ? round(value / unit) * unit : 1;
}

static double planned_number(const struct answer *a, enum field field)
{
    const struct request *q = &a->plan.request;
    const struct memory *m = &a->plan.memory;
    const struct market *market = &a->resolved.market;
    struct quantity hour, month;
    bool memory = a->plan.has_memory;
    const char *text;

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
    case FIELD_TTFT: /* without a goal, from what is estimated */
        return ceil((q->ttft > 0 ? q->ttft : a->plan.speed.ttft.value) * 1e3);
    case FIELD_TPOT:
        return ceil((q->tpot > 0 ? q->tpot : a->plan.speed.tpot.value) * 1e3);
    case FIELD_RATE:
        return q->rate > 0 ? q->rate : rounded(a->plan.speed.requests.value);
    case FIELD_THROUGHPUT:
        return q->throughput > 0 ? q->throughput : rounded(a->plan.speed.tokens.value);
    case FIELD_BUDGET:
        plan_prices(&a->plan, &hour, &month);
        return q->budget > 0 ? q->budget : ceil(hour.value);
    case FIELD_POWER_CAP:
        return q->power_cap > 0 ? q->power_cap : ceil(a->plan.power.sheet);
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
    case FIELD_GPU_LAYERS:
        return q->model->layer_count + 1 - q->host_layers;
    case FIELD_DRAFTED:
        return q->draft_tokens;
    case FIELD_HOURS:
        return market->hours > 0 ? market->hours : COST_HOURS_PER_MONTH;
    case FIELD_ELECTRICITY:
        return market->electricity > 0 ? market->electricity
               : market->ownership     ? market->ownership->electricity
                                       : -1;
    default: /* the option's own default, where that is a number */
        text = option_rows[field_rows[field].option].fallback;
        return text[0] >= '0' && text[0] <= '9' ? strtod(text, NULL) : -1;
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
    return options.value[field_rows[field].option].number / (field == FIELD_USED ? GP_GIB : 1);
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

    gp_format(text, size, "%s%s", base_name(value), generic ? " (assumed)" : "");
}

static void show_formats(const struct form *form, enum field field, char *text, size_t size)
{
    const struct request *q = &form->answer->plan.request;
    const char *value = form->values.value[field];

    if (field == FIELD_KV)
        gp_format(text, size, "%s%s", value[0] ? "" : "auto: ", q->kv->id);
    else
        gp_format(text, size, "%s%s", value[0] ? "" : "auto: ", q->precision.id);
}

static void show_gpu(const struct form *form, char *text, size_t size)
{
    if (form->values.value[FIELD_GPU][0] && strcmp(form->values.value[FIELD_GPU], "local") != 0)
        gp_copy(text, size, form->values.value[FIELD_GPU]);
    else
        gp_format(text, size, "%s: %s", form->answer->resolved.gpu_chosen ? "auto" : "here",
                  form->answer->plan.request.gpu->id);
}

static void show_engine(const struct form *form, char *text, size_t size)
{
    const struct engine *e = form->answer->plan.request.engine;

    gp_format(text, size, "%s%s %s", form->values.value[FIELD_ENGINE][0] ? "" : "auto: ", e->name,
              e->range);
}

static void show_number(const struct form *form, enum field field, char *text, size_t size)
{
    const struct field_row *row = &field_rows[field];
    double value = form_number(form, field);
    bool given = form->values.value[field][0] != '\0';
    char number[48];

    if (!given && field == FIELD_USERS && form->values.value[FIELD_RATE][0]) {
        gp_format(text, size, "by rate: %.0f", value);
        return;
    }
    if (value < 0) {
        gp_copy(text, size, given ? form->values.value[field] : "auto");
        return;
    }
    if (!given && strcmp(option_rows[row->option].fallback, "none") == 0) {
        gp_copy(text, size, "none"); /* steps begin at the estimate, which is no goal */
        return;
    }
    if (strcmp(row->unit, " share") == 0)
        gp_format(number, sizeof(number), "%.2f", value);
    else if (field == FIELD_USED || field == FIELD_ELECTRICITY || field == FIELD_RATE ||
             field == FIELD_BUDGET)
        gp_format(number, sizeof(number), "%.4g", value);
    else
        units_tokens(number, sizeof(number), value);
    gp_format(text, size, "%s%s%s", !given && row->automatic ? "auto: " : "", number, row->unit);
}

static void show_field(const struct form *form, enum field field, char *text, size_t size)
{
    const char *value = form->values.value[field];

    if (field_rows[field].kind == FIELD_NUMBER)
        show_number(form, field, text, size);
    else if (field == FIELD_MODEL)
        show_model(form, text, size);
    else if (field == FIELD_PRICE || field == FIELD_PRUNE || field == FIELD_PROVIDER ||
             field == FIELD_REGION || field == FIELD_DATED || field == FIELD_DRAFT ||
             field == FIELD_LORA || field == FIELD_NO_KV)
        gp_copy(text, size, value[0] ? value : option_rows[field_rows[field].option].fallback);
    else if (!form->answered || field == FIELD_MEASURED)
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
