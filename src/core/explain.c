/*
 * explain.c - the plan's terms in the order in which they are reckoned.
 *
 *   layout      gpus = tp * pp * replicas
 *   the GPU     physical, usable, budget
 *   the model   parameters, active parameters, checkpoint
 *   weights     role by role, what the engine adds             explain_memory.c
 *   overheads   activation, non-torch, graphs                  explain_memory.c
 *   KV cache    per token, per layer kind, per request         explain_kv.c
 *   the pool    what is left, what it holds, what is needed    explain_memory.c
 *   cost        instances, rent, capital, break-even           explain_cost.c
 *
 * No value is reckoned here: each is read from the plan or asked of the function that
 * the plan itself asked. Where only a part of such a value is shown (the rope table,
 * the experts' padding, the KV of one layer kind), that function is asked again with
 * everything else taken away.
 *
 * Example, Llama-3.1-8B on an H100, vLLM 0.19 at 0.95, the line of the budget:
 *   budget = utilization * usable: utilization 0.95 (request), usable 79.19 GiB (sheet)
 *   = 75.23 GiB
 */
#include "core/explain_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

/* ---- one term ---- */

struct term_why *why_add(struct why *why, const char *name, const char *equation)
{
    struct term_why *term = &why->spare;
    if (why->count < EXPLAIN_MAX)
        term = &why->out[why->count++];
    memset(term, 0, sizeof(*term));
    term->unit = "";
    gp_copy(term->name, sizeof(term->name), name);
    gp_copy(term->equation, sizeof(term->equation), equation);
    return term;
}

void why_in(struct term_why *term, const char *fmt, ...)
{
    size_t len = strlen(term->inputs);
    char text[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    gp_format(term->inputs + len, sizeof(term->inputs) - len, "%s%s",
              len > 0 ? ", " : "", text);
}

void why_in_bytes(struct term_why *term, const char *name, struct quantity q)
{
    char value[32], low[32], high[32];
    if (!q.known) {
        why_in(term, "%s unknown", name);
        return;
    }
    /* three digits: enough for the equation to give the value shown */
    gp_format(value, sizeof(value), "%.3f GiB", q.value / GP_GIB);
    gp_format(low, sizeof(low), "%.3f GiB", q.low / GP_GIB);
    gp_format(high, sizeof(high), "%.3f GiB", q.high / GP_GIB);
    if (strcmp(low, high) == 0)
        why_in(term, "%s %s (%s)", name, value, origin_word(q.origin));
    else
        why_in(term, "%s %s, %s to %s (%s)", name, value, low, high,
               origin_word(q.origin));
}

void why_in_exact(struct term_why *term, const char *name, double bytes)
{
    char text[32];
    why_in(term, "%s %s (exact)", name, units_bytes(text, sizeof(text), bytes));
}

void why_in_count(struct term_why *term, const char *name, double count,
                  const char *origin)
{
    char text[40];
    why_in(term, "%s %s (%s)", name, units_tokens(text, sizeof(text), count), origin);
}

void why_value(struct term_why *term, struct quantity value, double unit,
               const char *word)
{
    term->value = quantity_scale(value, 1 / unit);
    term->unit = word;
}

void why_gib(struct term_why *term, struct quantity bytes)
{
    why_value(term, bytes, GP_GIB, "GiB");
}

/* ---- sources ---- */

void why_engine(const struct why *why, struct term_why *term, enum engine_term which)
{
    const struct engine *e = why->plan->request.engine;
    const char *evidence = e->evidence[which];
    gp_format(term->source, sizeof(term->source), "%s %s%s%s: %s%s%s", e->name,
              e->range, e->date[0] ? " of " : "", e->date, evidence,
              evidence[0] ? "; " : "", e->source[0] ? e->source : "no source");
}

void why_model(const struct why *why, struct term_why *term)
{
    const struct model *m = why->plan->request.model;
    gp_format(term->source, sizeof(term->source), "%s%s%s: %s", m->id,
              m->date[0] ? " of " : "", m->date,
              m->source[0] ? m->source : "no source, the shape is assumed");
}

void why_gpu(const struct why *why, struct term_why *term)
{
    const struct gpu *g = why->plan->request.gpu;
    gp_format(term->source, sizeof(term->source), "%s: %s", g->id,
              g->source[0] ? g->source : "no source");
}

void why_counted(struct term_why *term, const char *what)
{
    gp_format(term->source, sizeof(term->source), "%s; gpuplan-model(7)", what);
}

/* ---- layout, GPU and model ---- */

static void layout_term(struct why *why)
{
    const struct plan *p = why->plan;
    const struct request *q = &p->request;
    struct term_why *t = why_add(why, "GPUs", "tp * pp * replicas");
    why_in(t, "tp %d (%s)", p->layout.tp, q->tp > 0 ? "request" : "chosen");
    why_in(t, "pp %d (%s)", p->layout.pp, q->pp > 0 ? "request" : "chosen");
    why_in(t, "replicas %d (%s)", p->layout.replicas,
           q->replicas > 0 ? "request" : "chosen");
    if (p->layout.ep > 1)
        why_in(t, "ep %d (request)", p->layout.ep);
    why_in(t, "%d GPUs per host (%s)", q->host_gpus,
           q->host_assumed ? "assumed" : "sheet");
    why_value(t, quantity_exact(p->layout.gpus), 1, "GPUs");
    why_counted(t, "layout rules of vLLM and Megatron-LM");
    for (int i = 0; i < p->reason_count && p->limit == LIMIT_LAYOUT; i++)
        why_in(t, "refused: %s", p->reasons[i]);
}

static void stage_term(struct why *why)
{
    const struct plan *p = why->plan;
    const struct model *m = p->request.model;
    struct term_why *t;
    if (!p->has_memory || p->layout.pp < 2)
        return;
    int stage = p->memory.stage, first = layout_stage_first(m, p->layout.pp, stage);
    int end = layout_stage_first(m, p->layout.pp, stage + 1);
    t = why_add(why, "layers of the binding stage",
                "floor(L/pp), the remainder to the stages before the last");
    why_in_count(t, "L", m->layer_count, "exact");
    why_in(t, "stage %d of %d holds layers %d to %d", stage + 1, p->layout.pp,
           first + 1, end);
    why_value(t, quantity_exact(end - first), 1, "layers");
    why_counted(t, "vLLM's partition; the stage whose pool holds least binds");
}

static void gpu_terms(struct why *why)
{
    const struct gpu *g = why->plan->request.gpu;
    struct quantity usable = gpu_usable(g);
    bool slice = strchr(g->id, '/') != NULL;
    struct term_why *t = why_add(why, "physical memory",
                                 slice ? "GPU's memory * the slice's share"
                                       : "what the driver's tool prints");
    why_in(t, "%s (%s confidence)", g->name, g->confidence[0] ? g->confidence : "no");
    why_in(t, "marketed %.4g GB", g->memory_marketed / 1e9);
    why_gib(t, g->physical);
    why_gpu(why, t);

    t = why_add(why, "usable memory",
                slice ? "GPU's usable memory * the slice's share, less up to 2 %"
                : g->usable.known ? "what a program has been seen to get"
                                  : "physical - 1.2 %, band 0.2 to 2.0 %");
    why_in_bytes(t, "physical", g->physical);
    why_gib(t, usable);
    why_gpu(why, t);
}

static void parameter_terms(struct why *why)
{
    const struct model *m = why->plan->request.model;
    double total = model_params(m), active = model_params_active(m);
    char text[40];
    struct term_why *t = why_add(why, "parameters", "sum of rows*cols, all tensors");
    why_in_count(t, "L", m->layer_count, "exact");
    why_in_count(t, "h", m->hidden, "exact");
    why_in_count(t, "V", m->vocab, "exact");
    if (m->published > 0)
        why_in(t, "published %s%s%s",
               units_tokens(text, sizeof(text), m->published - m->published_extra),
               m->published_source[0] ? " by " : "", m->published_source);
    why_value(t, quantity_exact(total), 1, "parameters");
    why_model(why, t);
    if (active == total)
        return;
    t = why_add(why, "active parameters",
                "parameters - vision - routed experts * (1 - active/experts)");
    for (int k = 0; k < m->kind_count; k++)
        if (m->kind[k].experts > 0) {
            why_in_count(t, "experts", m->kind[k].experts, "exact");
            why_in_count(t, "active", m->kind[k].experts_active, "exact");
            break;
        }
    why_in_count(t, "vision", model_params_role(m, ROLE_VISION), "exact");
    why_value(t, quantity_exact(active), 1, "parameters");
    why_model(why, t);
}

int explain_plan(const struct plan *plan, struct term_why out[EXPLAIN_MAX])
{
    struct why why = {.plan = plan, .out = out};
    layout_term(&why);
    stage_term(&why);
    gpu_terms(&why);
    parameter_terms(&why);
    if (plan->has_memory) {
        explain_weights(&why);
        explain_overheads(&why);
        explain_kv(&why);
        explain_pool(&why);
        explain_cost(&why);
    }
    return why.count;
}
