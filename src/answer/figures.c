/*
 * figures.c - see figures.h.
 */
#include "answer/figures.h"

#include <stddef.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/units.h"
#include "plan/draft.h"
#include "plan/usage.h"

#define AT(member) offsetof(struct plan, member)
#define GIB "GiB", GP_GIB
#define MEMORY(member, key) AT(memory.member), key, GIB
#define OF_GPU GIB, 4, FIGURES_MEMORY
#define SECONDS(member, key, label, decimals) \
    AT(member), key, "s", 1, label, "ms", 1e-3, decimals, FIGURES_SPEED, 0, AS_TIME
#define NOBODY NULL, NULL, 1, 0, FIGURES_MEMORY, PART_LIMIT, AS_GIB

const struct figure_row figure_rows[FIGURE_COUNT] = {
    [FIGURE_PHYSICAL] = {MEMORY(physical, "physical"), "physical", OF_GPU, PART_LIMIT, AS_GIB},
    [FIGURE_USABLE] = {MEMORY(usable, "usable"), "usable", OF_GPU, PART_LIMIT, AS_GIB},
    [FIGURE_BUDGET] = {MEMORY(budget, "budget"), "budget", OF_GPU, PART_LIMIT, AS_GIB},
    [FIGURE_WEIGHTS] = {MEMORY(weights, "weights"), "weights", OF_GPU, PART_WEIGHTS, AS_GIB},
    [FIGURE_DRAFT] = {MEMORY(draft, "weights_draft"), NOBODY},
    [FIGURE_LORA] = {MEMORY(lora, "weights_lora"), NOBODY},
    [FIGURE_POOL] = {0, "kv_pool", GIB, NOBODY},
    [FIGURE_POOL_SHORT] = {0, "kv_pool_short", GIB, NOBODY},
    [FIGURE_KV] = {MEMORY(kv_needed, "kv_needed"), "KV needed", OF_GPU, PART_KV, AS_GIB},
    [FIGURE_STATE] = {MEMORY(state, "state"), "recurrent state", OF_GPU, PART_KV, AS_GIB},
    [FIGURE_KV_RESERVED] = {MEMORY(kv_reserved, "kv_reserved"), NOBODY},
    [FIGURE_KV_BLOCKS] = {0, NULL, GIB, "KV blocks", OF_GPU, PART_KV, AS_GIB},
    [FIGURE_ACTIVATION] = {MEMORY(activation, "activation"), "activation", OF_GPU, PART_ACTIVATION,
                           AS_GIB},
    [FIGURE_NON_TORCH] = {MEMORY(non_torch, "non_torch"), "non-torch", OF_GPU, PART_RUNTIME,
                          AS_GIB},
    [FIGURE_GRAPHS_CHARGED] = {MEMORY(graphs_charged, "graphs"), NOBODY},
    [FIGURE_GRAPHS] = {MEMORY(graphs, "graphs_real"), "CUDA graphs", OF_GPU, PART_RUNTIME, AS_GIB},
    [FIGURE_FREE] = {MEMORY(free, "free"), "free", OF_GPU, PART_FREE, AS_GIB},
    [FIGURE_HOST] = {MEMORY(host, "host_memory"), "host memory", OF_GPU, PART_LIMIT, AS_GIB},
    [FIGURE_HOST_KV] = {MEMORY(host_kv, "host_memory_kv"), "KV in host memory", OF_GPU, PART_LIMIT,
                        AS_GIB},
    [FIGURE_TABLES] = {MEMORY(tables, "host_memory_tables"), "n-gram tables", OF_GPU, PART_LIMIT,
                       AS_GIB},
    [FIGURE_TTFT] = {SECONDS(speed.ttft, "ttft", "TTFT", 1)},
    [FIGURE_TPOT] = {SECONDS(speed.tpot, "tpot", "TPOT", 2)},
    [FIGURE_TOKENS] = {AT(speed.tokens), "output_tokens_per_s", "tokens/s", 1,
                       "output tokens per second", "tokens/s", 1, 1, FIGURES_SPEED, 0, AS_RATE},
    [FIGURE_REQUESTS] = {AT(speed.requests), "requests_per_s", "requests/s", 1, NULL, NULL, 1, 0,
                         FIGURES_SPEED, 0, AS_RATE},
    [FIGURE_FULL] = {AT(speed.full), "full_requests_per_s", "requests/s", 1, NULL, NULL, 1, 0,
                     FIGURES_SPEED, 0, AS_RATE},
#define X(NAME, measure, point, key, label) \
    [FIGURE_LATE + LATE_##NAME] = {SECONDS(speed.percentile[LATE_##NAME], key, label, 1)},
    LATES(X)
#undef X
        [FIGURE_USED_SHARE] = {0, "utilisation", "share", 1, "utilisation", "%", 0.01, 1,
                               FIGURES_SPEED, 0, AS_SHARE},
    [FIGURE_POWER] = {AT(power.total), "at_load", "W", 1, "power", "W", 1, 0, FIGURES_SPEED, 0,
                      AS_WATTS},
    [FIGURE_JOULES] = {AT(power.joules), "joules_per_output_token", "J", 1,
                       "energy per output token", "J", 1, 3, FIGURES_SPEED, 0, AS_JOULES},
    [FIGURE_HOUR] = {0, "per_hour", "$/h", 1, "cost per hour", "$/h", 1, 2, FIGURES_COST, 0,
                     AS_MONEY},
    [FIGURE_MONTH] = {0, "per_month", "$/month", 1, "cost per month", "$/month", 1, 2, FIGURES_COST,
                      0, AS_MONEY},
    [FIGURE_MILLION] = {0, "per_million_output_tokens", "$", 1, "cost per million output tokens",
                        "$", 1, 3, FIGURES_COST, 0, AS_MONEY},
};

/* What they are of a model that answers a prompt with a vector or a score. */
static const struct pooling_row {
    enum figure_id id;
    const char *key, *unit, *label, *shown;
} pooling_rows[] = {
    {FIGURE_TTFT, "ttft", "s", "time of a prompt", "ms"},
    {FIGURE_TOKENS, "prompts_per_s", "prompts/s", "prompts per second", "prompts/s"},
    {FIGURE_JOULES, "joules_per_prompt", "J", "energy per prompt", "J"},
    {FIGURE_MILLION, "per_million_prompt_tokens", "$", "cost per million prompt tokens", "$"},
};
enum { POOLING_ROWS = sizeof(pooling_rows) / sizeof(pooling_rows[0]) };

/* The figure as this plan has it. */
static struct figure_row row_of(const struct plan *p, enum figure_id id)
{
    struct figure_row row = figure_rows[id];

    for (int i = 0; p->request.model->pooling && i < POOLING_ROWS; i++)
        if (pooling_rows[i].id == id) {
            row.key = pooling_rows[i].key;
            row.unit = pooling_rows[i].unit;
            row.label = pooling_rows[i].label;
            row.shown = pooling_rows[i].shown;
        }
    return row;
}

const char *figure_key(const struct plan *p, enum figure_id id)
{
    return row_of(p, id).key;
}

const struct fact *figure_find(const struct record *r, const char *key)
{
    const struct fact *f = record_find(r, key);

    for (int i = 0; !f && i < POOLING_ROWS; i++)
        if (strcmp(figure_rows[pooling_rows[i].id].key, key) == 0)
            f = record_find(r, pooling_rows[i].key);
    return f;
}

/* ---- values ---- */

static struct quantity memory_value(const struct memory *m, enum figure_id id)
{
    size_t at = figure_rows[id].at;

    if (id == FIGURE_BUDGET) /* what others hold may be more than there is */
        return quantity_max0(m->budget);
    if (at > 0)
        return *(const struct quantity *)((const char *)m + at - AT(memory));
    if (id == FIGURE_POOL)
        return quantity_max0(m->kv_pool);
    if (id == FIGURE_POOL_SHORT)
        return quantity_max0(quantity_sub(quantity_exact(0), m->kv_pool));
    return quantity_exact(m->kv_reserved.value - m->kv_needed.value - m->state.value);
}

struct quantity figure_value(const struct plan *p, enum figure_id id)
{
    bool watts = id == FIGURE_POWER || id == FIGURE_JOULES;
    struct quantity hour, month;
    struct usage usage;

    if (figure_rows[id].group == FIGURES_MEMORY)
        return memory_value(&p->memory, id);
    if (figure_rows[id].group == FIGURES_COST) {
        plan_prices(p, &hour, &month);
        return id == FIGURE_HOUR ? hour : id == FIGURE_MONTH ? month : plan_token_price(p);
    }
    bool none =
        id == FIGURE_TPOT && p->request.model->pooling; /* one token stands for the answer */

    if (p->speed.gap != SPEED_KNOWN || (watts && !p->power.loaded) || none)
        return quantity_unknown();
    if (figure_rows[id].at > 0)
        return *(const struct quantity *)((const char *)p + figure_rows[id].at);
    usage_of(p, &usage);
    return usage.share;
}

void figure_json_memory(const struct memory *m, enum figure_id id, struct record *out)
{
    const struct figure_row *row = &figure_rows[id];

    record_quantity(out, row->key, row->unit, memory_value(m, id), row->divide, 2);
}

void figures_json(const struct plan *p, enum figure_id first, enum figure_id last,
                  struct record *out)
{
    for (int id = (int)first; id <= (int)last; id++) {
        struct figure_row row = row_of(p, (enum figure_id)id);

        if (row.key)
            record_quantity(out, row.key, row.unit, figure_value(p, (enum figure_id)id), row.divide,
                            2);
    }
}

/* ---- notes ---- */

static const char *weights_note(const struct plan *p, struct texts *t)
{
    const struct memory *m = &p->memory;
    const struct {
        const char *what;
        double bytes;
    } added[] = {
        {"added by the engine at load", m->split.loaded},
        {draft_facts[p->request.draft_kind].name, m->draft.value},
        {"slots of adapters", m->lora.value},
    };
    const char *note = "";

    for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++)
        if (added[i].bytes > 0.01 * GP_GIB)
            note = texts_addf(t, "%s%s%s%s %s", note, note[0] ? ", " : "",
                              UNITS_GIB(added[i].bytes), note[0] ? "" : " of it", added[i].what);
    return note;
}

static const char *figure_note(const struct plan *p, enum figure_id id, struct texts *t)
{
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    bool spread = m->users > 1 && m->kv_mean.value < m->kv_reserved.value;
    const char *one = "";

    switch (id) {
    case FIGURE_BUDGET:
        if (memory_budget(q) == BUDGET_FREE)
            return texts_addf(t, "%.2f of what is left goes to KV", m->fraction);
        if (memory_budget(q) != BUDGET_UTILIZATION && memory_budget(q) != BUDGET_STATIC)
            return "";
        return texts_addf(t, "%.2f of it, by %s%s", m->fraction,
                          q->utilization > 0 ? "request" : q->engine->name,
                          q->headroom > 0 ? ", less headroom" : "");
    case FIGURE_WEIGHTS:
        return weights_note(p, t);
    case FIGURE_KV:
        if (m->one_full)
            one = texts_addf(t, " and one of %s", UNITS_TOKENS(q->context));
        return texts_addf(t, "%.0f x %s tokens%s%s%s%s%s", m->users,
                          UNITS_TOKENS(m->one_full ? memory_end_tokens(q) : q->context), one,
                          p->layout.replicas > 1 ? ", per replica" : "", spread ? "; " : "",
                          spread ? UNITS_GIB(m->kv_mean.value) : "", spread ? " on average" : "");
    case FIGURE_KV_BLOCKS:
        return "rounding, windows and layer groups";
    case FIGURE_ACTIVATION:
        return texts_addf(t, "max-num-seqs %.0f, batched tokens %.0f", m->max_num_seqs,
                          m->max_batched_tokens);
    case FIGURE_GRAPHS: /* vLLM charges an estimate, or nothing, and captures them afterwards */
        if (m->graphs_charged.high <= 0)
            return "on top of the budget";
        return m->graphs_charged.value == m->graphs.value
                   ? ""
                   : texts_addf(t, "%s charged to the budget", UNITS_GIB(m->graphs_charged.value));
    case FIGURE_HOST:
        if (q->host_bytes > 0)
            return "weights of this GPU; pinned, up to twice as much";
        return m->host_kv.value > 0 && !q->kv_on_host
                   ? texts_addf(t, "weights kept there, and %s of KV", UNITS_GIB(m->host_kv.value))
                   : "weights kept there";
    case FIGURE_HOST_KV:
        return q->kv_on_host                               ? "of all users of a replica"
               : strcmp(q->engine->kv_offload, "gpu") == 0 ? "for later requests, of each GPU"
                                                           : "for later requests, of a replica";
    case FIGURE_TABLES:
        return p->layout.ep > p->layout.tp ? "in host memory, pinned, shared by a host's replicas"
                                           : "in host memory, pinned, of a replica";
    case FIGURE_TPOT:
        return sentence_speed_doubts(p, t);
    case FIGURE_TOKENS:
        return sentence_speed_bound(p);
    case FIGURE_POWER:
        return "GPUs and hosts at this load";
    default:
        return "";
    }
}

/* ---- what people are shown ---- */

static bool figure_is_shown(const struct plan *p, enum figure_id id, struct quantity value)
{
    const struct memory *m = &p->memory;
    const struct request *q = &p->request;
    bool kv = !q->model->weights_only, served = model_is_served(q->model);

    switch (id) {
    case FIGURE_KV:
        return kv;
    case FIGURE_STATE:
        return kv && m->state.value > 0;
    case FIGURE_KV_BLOCKS:
        return kv && value.value > 0.005 * m->kv_reserved.value;
    case FIGURE_ACTIVATION:
    case FIGURE_NON_TORCH:
        return served;
    case FIGURE_GRAPHS: /* not every engine captures them */
        return served && m->graphs.high > 0;
    case FIGURE_HOST:
        return m->host.high > 0;
    case FIGURE_HOST_KV:
        return kv && (q->host_kv > 0 || q->kv_on_host);
    case FIGURE_TABLES:
        return kv && m->tables.value > 0;
    case FIGURE_POWER:
    case FIGURE_JOULES:
        return p->speed.gap == SPEED_KNOWN && p->power.loaded;
    case FIGURE_MILLION: /* fine-tuning has no price per token */
    case FIGURE_TPOT:
        return value.known;
    default:
        if (id >= FIGURE_LATE && id <= FIGURE_LATE_LAST)
            return value.known;
        return figure_rows[id].group != FIGURES_SPEED || p->speed.gap == SPEED_KNOWN;
    }
}

void figures_of(const struct plan *p, struct figures *out)
{
    out->count = 0;
    out->texts = (struct texts){0};
    for (int id = 0; id < FIGURE_COUNT && p->has_memory; id++) {
        struct figure_row row = row_of(p, (enum figure_id)id);
        struct figure f = {
            .id = (enum figure_id)id, .label = row.label, .shown = row.shown, .role = row.role};

        if (!row.label)
            continue;
        f.value = figure_value(p, f.id);
        if (!figure_is_shown(p, f.id, f.value))
            continue;
        if (id == FIGURE_FREE && f.value.value < 0) { /* never a size below 0 */
            f.label = "short";
            f.value = quantity_sub(quantity_exact(0), f.value);
        }
        if (id == FIGURE_BUDGET || id == FIGURE_FREE)
            f.value = quantity_max0(f.value);
        f.note = figure_note(p, f.id, &out->texts);
        out->list[out->count++] = f;
    }
}

void figures_fini(struct figures *f)
{
    texts_fini(&f->texts);
}

void figure_fact(const struct figure *f, struct record *out)
{
    const struct figure_row *row = &figure_rows[f->id];

    record_quantity(out, f->label, f->shown, f->value, row->scale, row->decimals);
    record_note(out, f->note);
}

/* ---- amounts ---- */

/* Three digits, two of them behind the point at most. */
static int decimals_of(double value)
{
    return value < 9.95 ? 2 : value < 99.5 ? 1 : 0;
}

const char *figure_amount(enum figure_style style, struct quantity q, struct texts *t)
{
    bool ms = q.value < 1;
    double time = ms ? q.value * 1e3 : q.value;

    switch (style) {
    case AS_GIB:
        return texts_add(t, UNITS_GIB(q.value));
    case AS_TIME:
        return texts_addf(t, "%.*f %s", decimals_of(time), time, ms ? "ms" : "s");
    case AS_RATE:
        return texts_addf(t, "%.*f/s", decimals_of(q.value), q.value);
    case AS_SHARE:
        return texts_addf(t, "%.0f %%", q.value * 100);
    case AS_JOULES:
        return texts_addf(t, "%.*f J", decimals_of(q.value), q.value);
    case AS_WATTS:
        return texts_add(t, UNITS_WATTS(q.value));
    default:
        return texts_add(t, UNITS_MONEY(q.value));
    }
}

const char *figure_band(enum figure_style style, struct quantity q, struct texts *t)
{
    double unit = style != AS_TIME ? 1 : q.value < 1 ? 1e-3 : 1;
    int digits = decimals_of(q.value / unit);

    switch (style) {
    case AS_GIB:
        return q.high - q.low > 0.005 * GP_GIB
                   ? texts_addf(t, "%.2f..%.2f", q.low / GP_GIB, q.high / GP_GIB)
                   : "";
    case AS_TIME:
        return texts_addf(t, "%.*f..%.*f %s", digits, q.low / unit, digits, q.high / unit,
                          unit < 1 ? "ms" : "s");
    case AS_RATE:
        return q.low < q.high ? texts_addf(t, "%.*f..%.*f", digits, q.low, digits, q.high) : "";
    case AS_JOULES:
        return texts_addf(t, "%.*f..%.*f J", digits, q.low, digits, q.high);
    case AS_MONEY: /* the amount has the sign of dollars */
        return q.low < q.high
                   ? texts_addf(t, "%s..%s", UNITS_MONEY(q.low) + 1, UNITS_MONEY(q.high) + 1)
                   : "";
    default:
        return "";
    }
}
